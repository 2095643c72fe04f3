//! Kernels on sets of vectors.
//!
//! A point is a set of rows, [`Vectors`](crate::data::Vectors), and `Vec<Vectors>` is the space of sets; sets may have different
//! numbers of rows, but have the same features. An empty set has k = 0 with all sets.
//!
//! - `set(k)`, the mean of a kernel over all pairs, $k(X, Y) = Σ k(x, y)/(|X||Y|)$: the inner product of the mean feature vectors,
//!   positive semi-definite where k is. T. Gärtner, P. A. Flach, A. Kowalczyk, A. J. Smola (2002): Multi-instance kernels.
//! - `bestmatch(k)`, each vector with the one most like it, $½(Σ_x \max_y k(x, y)/|X| + Σ_y \max_x k(x, y)/|Y|)$. A maximum of
//!   kernels is none: this one is indefinite in general. C. Wallraven, B. Caputo, A. Graf (2003): Recognition with local features.
//! - `pyramid(…)`, the pyramid match: how many vectors meet in the cells of a grid, and of grids ever coarser. K. Grauman,
//!   T. Darrell (2007): The pyramid match kernel.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::{Kernel, SetExpr, linear, set_mean};
//!
//! let kernel: SetExpr = "set(linear)".parse()?;
//! assert_eq!(kernel, set_mean(linear()));
//! // {1, 3} and {2}: the products are 2 and 6.
//! let sets = vec![Vectors::dense(1, vec![1.0, 3.0]), Vectors::dense(1, vec![2.0])];
//! let mut row = [0.0; 2];
//! kernel.bind(&sets)?.rows_f64(&sets, &[0], &mut [&mut row]);
//! assert_eq!(row, [4.0, 4.0]);
//! # Ok::<(), mercer::Error>(())
//! ```

mod extent;
mod leaf;
mod over;
mod pyramid;
#[cfg(test)]
mod tests;

pub use leaf::{Pyramid, SetExpr, SetLeaf, Weights, best_match, pyramid, set_mean};
