//! `cargo xtask test | bench`: everything a newcomer or CI runs.

fn main() {}
