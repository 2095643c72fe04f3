//! Clusters: k-means in the feature space of a Gram, and the graph whose cut is spectral clustering.
//!
//! | module | what |
//! |---|---|
//! | `geometry` | points known by their inner products: a Gram, held or computed, or rows of numbers |
//! | `seeding` | the first centres |
//! | `k_means` | Lloyd's iteration with sums of inner products that only moved points change |
//! | `mini_batch` | k-means from batches of points |
//! | `silhouette` | the silhouette |
//! | `graph` | affinities of all points or of nearest neighbours, and the leading eigenvectors of their graph |

mod geometry;
mod graph;
mod k_means;
mod mini_batch;
mod seeding;
mod silhouette;

pub(crate) use geometry::{Kernelised, Rows};
pub(crate) use graph::{Affinities, Embedding};
pub(crate) use k_means::{Clustering, Lloyd, Watch};
pub(crate) use mini_batch::mini_batch;
pub use seeding::Seeding;
pub(crate) use silhouette::silhouette;

use super::finite::not_finite_error;
use crate::error::Error;
use crate::gram::Gram;

/// The error of an inertia that is not finite: two points between which the kernel is not.
pub(crate) fn not_finite(gram: &dyn Gram) -> Error {
    not_finite_error(gram, &(0..gram.len()).collect::<Vec<_>>())
}
