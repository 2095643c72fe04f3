//! Kernels on vectors: each a profile of one statistic of two points, possibly seen through feature maps.
//!
//! `kernel` has the types, `record` all that is known of each kernel, `value` its definition, `map` and `text` the feature
//! maps; the engine beside this module evaluates them fast.

mod construct;
mod coordinates;
mod kernel;
mod leaf;
mod low_rank;
mod map;
mod median;
pub(super) mod profile;
pub(super) mod record;
mod text;
mod value;

pub use construct::*;
pub use coordinates::Coordinates;
pub use kernel::{Factor, Map, Metric, Smoothness, VectorExpr, VectorKernel, VectorLeaf};
pub use low_rank::{Fourier, LandmarkChoice, Nystrom};
pub use median::median_gamma;
pub(crate) use median::{differences, entries};
