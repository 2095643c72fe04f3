//! The program `mercer`.

fn main() {}
