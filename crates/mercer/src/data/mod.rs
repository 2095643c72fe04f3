//! Points, labels and the files they come from.
//!
//! A data set for vector kernels is [`Vectors`]: dense or sparse rows of `f32` or `f64`, kept as they came. Its
//! labels are [`Labels`], of any text. [`read`] turns a file into both.

mod dense;
mod labels;
mod points;
mod sparse;

pub use dense::Dense;
pub use labels::Labels;
pub use points::{Points, Real, Row, Vectors};
pub use sparse::Sparse;
