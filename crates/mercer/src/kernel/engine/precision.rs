//! Whether single precision is enough.
//!
//! A bound is carried through the expression: how large the values of each part can be, and how far off when they are
//! computed in `f32`. Where the bound of the whole is too large, the engine computes in `f64` and rounds; for a Gaussian
//! kernel whose bound only a few far-out points spoil, it does so for the rows of those points.

use rayon::prelude::*;

use super::diagonal::Own;
use super::view::{largest_square, squares};
use crate::data::{Points, Vectors};
use crate::error::Result;
use crate::kernel::vector::profile::{Profile, Single, Statistic};
use crate::kernel::vector::record::Record;
use crate::kernel::{Expr, VectorExpr, VectorLeaf};

/// Single precision keeps an inner product of m terms right to about ½√m · 2⁻²⁴ of the largest squared norm R²; times
/// the steepest slope of the profile that is the error of a kernel value. It may reach this much where everything
/// conspires; most values are ten times closer.
const SINGLE_ERROR: f64 = 4e-6;

/// The rows of one point in so many may be computed in double precision beside the others in single.
const RARE: usize = 8;

/// How large the values of a part can be, and how far off in single precision.
#[derive(Clone, Copy)]
struct Bounds {
    value: f64,
    error: f64,
}

/// The largest squared norm of a row whose kernel values with these columns are right to about 1e-6 when computed in
/// single precision; none where that holds of too few.
///
/// For a Gaussian kernel a column may be farther out than that. The error of the exponent is then larger, about
/// γ(r + s)² in place of γr² for a row at distance r and a column at r + s from the centre, but the value itself is at
/// most exp(−γs²), and the product is largest, 1 + 1/γr² times the bound, near s = 1/γr.
pub(super) fn single_reach(expr: &VectorExpr, columns: &Vectors) -> Result<Option<f64>> {
    if bounds(expr, columns)?.error <= SINGLE_ERROR {
        return Ok(Some(f64::INFINITY));
    }
    let Expr::Leaf(leaf) = expr else { return Ok(None) };
    let Profile::Gaussian { gamma } = leaf.kernel.clone().record().profile else { return Ok(None) };
    let squares = squares(columns, &leaf.maps)?;
    let reach = SINGLE_ERROR / (unit(columns) * gamma);
    let far = squares.iter().filter(|&&square| square > reach).count();
    let fits = squares.iter().all(|&square| square < MOST_SINGLE);
    Ok((fits && far * RARE <= squares.len()).then_some(reach))
}

/// Squared norms from here on single precision cannot add up.
const MOST_SINGLE: f64 = f32::MAX as f64 / 4.0;

/// The relative error of an inner product in single precision.
fn unit(columns: &Vectors) -> f64 {
    f64::from(f32::EPSILON) / 2.0 * (0.5 * (most_terms(columns) as f64).sqrt()).max(1.0)
}

fn bounds(expr: &VectorExpr, columns: &Vectors) -> Result<Bounds> {
    let unknown = Bounds { value: f64::INFINITY, error: f64::INFINITY };
    let all =
        |parts: &[VectorExpr]| parts.iter().map(|part| bounds(part, columns)).collect::<Result<Vec<_>>>();
    Ok(match expr {
        Expr::Constant(c) => Bounds { value: c.abs(), error: 0.0 },
        Expr::Leaf(leaf) => leaf_bounds(leaf, columns)?,
        Expr::Sum(parts) => all(parts)?.iter().fold(Bounds { value: 0.0, error: 0.0 }, |a, b| Bounds {
            value: a.value + b.value,
            error: a.error + b.error,
        }),
        Expr::Product(parts) => all(parts)?.iter().fold(Bounds { value: 1.0, error: 0.0 }, |a, b| Bounds {
            value: a.value * b.value,
            error: a.error * b.value + a.value * b.error,
        }),
        Expr::Power(inner, power) => {
            let (inner, power) = (bounds(inner, columns)?, f64::from(*power));
            let slope = power * inner.value.powf((power - 1.0).max(0.0));
            Bounds { value: inner.value.powf(power), error: slope * inner.error }
        }
        Expr::Exp(inner) => {
            let inner = bounds(inner, columns)?;
            Bounds { value: inner.value.exp(), error: inner.value.exp() * inner.error }
        }
        // The diagonal that it is divided by can be small, and so can what centring leaves.
        Expr::Normalized(_) | Expr::Centered(..) => unknown,
    })
}

fn leaf_bounds(leaf: &VectorLeaf, columns: &Vectors) -> Result<Bounds> {
    let unit = unit(columns);
    let mut kernel = leaf.kernel.clone();
    let Record { statistic, single, .. } = kernel.record();
    let largest = || {
        let own = Own::new(&Expr::Leaf(leaf.clone()));
        (0..columns.len()).map(|i| own.at(columns, i).abs()).fold(0.0, f64::max)
    };
    Ok(match single {
        Single::Slope(bounds) => {
            let square = largest_square(columns, &leaf.maps, statistic == Statistic::Dot { centred: true })?;
            // Norms that single precision cannot hold are infinitely wrong in it.
            let square = if square < MOST_SINGLE { square } else { f64::INFINITY };
            let (value, slope) = bounds(square);
            Bounds { value, error: unit * slope * square }
        }
        Single::Rounded => {
            let value = largest();
            Bounds { value, error: unit * value }
        }
        Single::Exact => Bounds { value: largest(), error: 0.0 },
        Single::Unknown => Bounds { value: f64::INFINITY, error: f64::INFINITY },
    })
}

/// Terms of the longest inner product with a column.
fn most_terms(columns: &Vectors) -> usize {
    (0..columns.len()).into_par_iter().map(|i| columns.row(i).stored()).max().unwrap_or(0)
}
