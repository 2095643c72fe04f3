//! Fuzzing in process: targets, a mutator, and a loop that watches the clock.

pub mod mutate;
pub mod run;
pub mod targets;
