//! mercer: kernel machines, exact and certified.

pub mod data;
pub mod error;
pub mod gram;
pub mod kernel;
pub mod model;
mod simd;
pub mod solve;

pub use error::{Error, ErrorKind, Result};
