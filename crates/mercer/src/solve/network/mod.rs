//! Networks of one hidden layer: f(x) = Σⱼ vⱼ hⱼ(x) + b with fixed units h₁ … hₘ and trained v and b.
//!
//! | module | problem |
//! |---|---|
//! | [`kmeans`] | centres of vectors: the means of clusters |
//! | [`medoids`] | centres in any space: points that are nearest to the mean of their cluster |
//! | [`normal`] | the sums HᵀWH and HᵀWy, block by block of the points |
//! | [`ridge`] | v by least squares with a penalty, and the error at points left out, for any number of penalties |
//! | [`logistic`] | v by the likelihood of the classes with the same penalty |
//! | [`ols`] | a choice among as many candidates as there are points, one after the other |
//!
//! The units are known to the solvers only as [`Units`], which fills rows of H with Hᵢⱼ = hⱼ(xᵢ). H itself, n × m, is never
//! held.

pub(crate) mod kmeans;
pub(crate) mod logistic;
pub(crate) mod medoids;
pub(crate) mod normal;
pub(crate) mod ols;
pub(crate) mod ridge;
#[cfg(test)]
mod tests;

use std::ops::Range;

use rayon::prelude::*;

use crate::error::{DataProblem, ErrorKind, Result};
use crate::linalg::Entry;
use crate::simd::{add_f64, add_widened};

/// Points whose units one thread computes at a time.
const PIECE: usize = 64;

/// The hidden units at the points of a fit.
pub(crate) trait Units: Sync {
    /// The number n of points.
    fn points(&self) -> usize;

    /// The number m of units.
    fn units(&self) -> usize;

    /// Fills `out` with the units at the points `rows`, m values for each, in single precision.
    fn rows(&self, rows: Range<usize>, out: &mut [f32]);

    /// Fills `out` with the units at the points `rows`, m values for each, in double precision.
    fn rows_f64(&self, rows: Range<usize>, out: &mut [f64]);
}

/// The precision in which units are computed and multiplied.
pub(crate) trait Precision: Entry {
    /// The distance from 1 to the next number.
    const EPSILON: f64;

    /// Fills `out` with the units at the points `rows`.
    fn fill(units: &dyn Units, rows: Range<usize>, out: &mut [Self]);

    /// Adds numbers to sums in double precision.
    fn add_to(part: &[Self], sums: &mut [f64]);
}

impl Precision for f32 {
    const EPSILON: f64 = f32::EPSILON as f64;

    fn fill(units: &dyn Units, rows: Range<usize>, out: &mut [f32]) {
        units.rows(rows, out);
    }
    fn add_to(part: &[f32], sums: &mut [f64]) {
        add_widened(part, sums);
    }
}

impl Precision for f64 {
    const EPSILON: f64 = Self::EPSILON;

    fn fill(units: &dyn Units, rows: Range<usize>, out: &mut [f64]) {
        units.rows_f64(rows, out);
    }
    fn add_to(part: &[f64], sums: &mut [f64]) {
        add_f64(part, sums);
    }
}

/// Fills `block` with the units at the points `rows` on all threads.
///
/// # Errors
/// If a value is not finite; it is named by its point and its unit.
fn fill<T: Precision>(units: &dyn Units, rows: Range<usize>, block: &mut Vec<T>) -> Result<()> {
    let m = units.units();
    block.resize(rows.len() * m, T::default());
    let flaw = block.par_chunks_mut(PIECE * m).enumerate().find_map_first(|(piece, out)| {
        let first = rows.start + piece * PIECE;
        T::fill(units, first..first + out.len() / m, out);
        let place = out.iter().position(|value| !value.to_f64().is_finite())?;
        Some(DataProblem::KernelNotFinite { row: first + place / m + 1, column: place % m + 1 })
    });
    flaw.map_or(Ok(()), |problem| Err(ErrorKind::Data(problem).into()))
}
