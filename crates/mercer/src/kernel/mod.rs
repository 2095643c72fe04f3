//! Kernels: functions k(x, y) that are inner products of some feature map, and the algebra that builds new ones.
//!
//! The block is the primitive, not the pair. A [`Kernel`] is first *bound* to the points that make the columns of
//! a Gram matrix, which packs them for the machine; the [`Bound`] kernel then fills rows.
//!
//! A kernel is data: an [`Expr`] over the [`Leaf`]s of a space prints, parses, compares and saves. For vectors the
//! leaves are [`VectorLeaf`]s, for texts [`TextLeaf`]s, for graphs [`GraphLeaf`]s.

mod accumulate;
#[cfg(test)]
mod arbitrary;
mod battery;
#[cfg(test)]
mod battery_tests;
mod call;
mod centered;
mod check;
mod engine;
mod expr;
mod facts;
mod features;
mod field;
mod graph;
#[cfg(test)]
mod laws;
mod listed;
mod parameter;
mod pointwise;
mod readout;
mod record;
mod set;
mod string;
mod text;
mod tree;
mod vector;

use crate::data::{Points, Vectors};
use crate::error::Result;
use crate::linalg::Tick;

pub(crate) use accumulate::{add_rows, in_batches};
pub use battery::{Failure, battery};
pub use call::{Argument, Call};
pub use centered::{Center, Reference};
pub use check::{Limits, Spectrum, Validity, Verdict, Witness, check};
#[cfg(test)]
pub(crate) use engine::packings;
pub use expr::{Expr, Leaf, MAX_DEPTH, MAX_POWER};
pub use graph::*;
pub use listed::{Listed, ListedParameter};
pub use parameter::{Parameter, Slot};
pub use pointwise::{Pointwise, gaussian_over};
pub use readout::Readout;
pub use record::{Part, RecordExpr, RecordLeaf};
pub use set::{Pyramid, SetExpr, SetLeaf, Weights, best_match, pyramid, set_mean};
pub use string::{
    Lengths, MAX_WORD, TextExpr, TextLeaf, Unit, degree, mismatch, range, spectrum, subsequence,
    subsequences_up_to,
};
pub use vector::*;

/// A kernel on points of the space `X`.
///
/// Implement it for a kernel of your own, or wrap a closure in `Pointwise`.
pub trait Kernel<X: Points>: Send + Sync {
    /// Packs `columns` for evaluation; every row the result fills is against these points, in this order.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated on these points.
    fn bind(&self, columns: &X) -> Result<Box<dyn Bound<X>>>;

    /// k(x, x) of each of `points`.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated on these points.
    fn diagonal(&self, points: &X) -> Result<Vec<f64>> {
        Ok(self.bind(points)?.diagonal())
    }

    /// What is known of its definiteness without looking at data.
    fn definiteness(&self) -> Definiteness;

    /// Whether points are rows of a table of kernel values, so that it has no value at any point that is not in the table.
    fn is_tabled(&self) -> bool {
        false
    }

    /// Whether it is the inner product of the points themselves, which are vectors.
    fn is_linear(&self) -> bool {
        false
    }

    /// The rows whose inner product it is, where these can be written out; none of other kernels.
    fn coordinates(&self) -> Option<Coordinates> {
        None
    }

    /// The real parameters that a search may change; none of a kernel that is not an expression.
    fn searched(&self) -> Vec<Parameter> {
        Vec::new()
    }

    /// The kernel with other values of [`Kernel::searched`], logarithms where a parameter says so.
    ///
    /// # Errors
    /// If there are more or fewer values than parameters, or one lies outside its bounds or is NaN.
    fn with_searched(&self, vector: &[f64]) -> Result<Self>
    where
        Self: Sized,
    {
        let _ = vector;
        let what = "another value of a parameter of this kernel, which is no expression".into();
        Err(crate::ErrorKind::Unsupported { what }.into())
    }

    /// The Gaussian exp(−Σ γⱼ(xⱼ − yⱼ)²) over some features, each with its γⱼ, as the product of a Gaussian on each; none of a kernel that
    /// is not a Gaussian of all features, and of no feature.
    fn by_feature(&self, widths: &[(usize, f64)]) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = widths;
        None
    }

    /// The kernel as a fit to points uses it: itself, unless it depends on what it is fitted to, as [centred](Expr::centered)
    /// kernels do, and those that leave parameters to data. Every method fits its kernel to all of its training points, with their weights, and the model has the
    /// fitted kernel. A kernel that is fitted already stays as it is, unless the reference comes with its means. `tick` is told
    /// the share of the work that is done, from 0 to 1, and answers whether to go on.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated on these points, the parts of the reference do not fit together, or `tick` breaks.
    fn fitted(&self, reference: &Reference<X>, tick: Tick<'_>) -> Result<Self>
    where
        Self: Sized + Clone,
    {
        let _ = (reference, tick);
        Ok(self.clone())
    }

    /// What the kernel was fitted to; none where it does not depend on that.
    ///
    /// # Errors
    /// If it depends on what it is fitted to and was not fitted.
    fn reference(&self) -> Result<Option<Reference<X>>> {
        Ok(None)
    }

    /// The landmarks of its feature maps that have some, in the order of its text; see [`Nystrom`].
    fn landmarks(&self) -> Vec<Vectors> {
        Vec::new()
    }

    /// The kernel with the landmarks that [`Kernel::landmarks`] told of it.
    ///
    /// # Errors
    /// If there are more or fewer than it has maps for them, or a map cannot have them.
    fn with_landmarks(&self, landmarks: Vec<Vectors>) -> Result<Self>
    where
        Self: Sized + Clone,
    {
        let _ = landmarks;
        let what = "landmarks of a kernel that is no expression".into();
        Err(crate::ErrorKind::Unsupported { what }.into())
    }
}

/// A kernel bound to its columns.
pub trait Bound<X>: Send + Sync {
    /// How many columns.
    fn columns(&self) -> usize;

    /// k(c, c) for each column c.
    fn diagonal(&self) -> Vec<f64>;

    /// Refuses points with which the kernel has no value; as given here none.
    ///
    /// # Errors
    /// The first such point, with the rule that it breaks.
    fn admits(&self, points: &X) -> Result<()> {
        let _ = points;
        Ok(())
    }

    /// k(x, x) of `points[rows]`, where that costs less bound than by the definition of the kernel.
    fn own(&self, points: &X, rows: &[usize]) -> Option<Vec<f64>> {
        let _ = (points, rows);
        None
    }

    /// Fills `out[r][c]` with k of the point `rows[r]` and the column `c` in single precision. Each `out[r]` may have
    /// the first columns only. The bits do not depend on the number of threads, nor on which other rows are asked for.
    fn rows(&self, points: &X, rows: &[usize], out: &mut [&mut [f32]]);

    /// Fills `out[r][c]` as [`Bound::rows`] does, in double precision throughout.
    fn rows_f64(&self, points: &X, rows: &[usize], out: &mut [&mut [f64]]);

    /// Packs what [`Bound::rows_f64`] needs and [`Bound::rows`] does not. It is packed when first asked for anyway; a caller
    /// whose threads will all ask for it calls this before.
    fn pack_double(&self) {}

    /// `sums[c] += Σ weights[r] · k(rows[r], c)`, in the order of the rows, for rows that are columns themselves:
    /// `points` are the columns and k(c, c) is `diagonal[c]`. No row need be stored.
    fn accumulate(&self, points: &X, rows: &[usize], weights: &[f64], diagonal: &[f64], sums: &mut [f64]) {
        in_batches(rows, weights, sums, |rows, out| {
            self.rows(points, rows, out);
            rows.iter().zip(out).for_each(|(&i, row)| row[i] = diagonal[i] as f32);
        });
    }

    /// `sums[r][o] += Σ k(rows[r], c) · weight(c, o)` for each block of weights, its outputs after those of the blocks
    /// before. The bits of a row do not depend on which other rows are asked for.
    fn read(&self, points: &X, rows: &[usize], blocks: &[Readout], sums: &mut [f64]) {
        Readout::add_rows(self.columns(), rows, blocks, sums, |rows, out| self.rows(points, rows, out));
    }

    /// A rough cost of a value in nanoseconds, by which a solver chooses between computing again and looking up;
    /// infinite where it is not known.
    fn cost(&self) -> f64 {
        f64::INFINITY
    }

    /// Whether [`Bound::read`] of so many rows, or [`Bound::rows_f64`] with `double`, is so little work that the calling thread
    /// does it by itself, with everything packed that it needs.
    fn is_short(&self, rows: usize, double: bool) -> bool {
        let _ = (rows, double);
        false
    }
}

/// What an expression promises about every Gram matrix it can make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Definiteness {
    /// Positive semi-definite by construction.
    Psd,
    /// Positive semi-definite when every feature is non-negative.
    PsdOnNonNegative,
    /// Not known: check it on data.
    Unknown,
}
