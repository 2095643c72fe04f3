//! All values of a kernel at once, in one buffer.

use rayon::prelude::*;

use crate::data::{Points, Real};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::kernel::{Bound, Kernel};
use crate::linalg::mirror;
use crate::simd::huge_zeros;

/// Rows of one task: enough that the time for packing them does not matter, few enough for all threads to have work.
const BATCH: usize = 256;

/// The precision in which kernel values are computed: `f32` or `f64`.
pub trait Value: Real {
    /// Fills `out[r]` with the kernel values of point `rows[r]` and the first columns, as many as `out[r]` has values.
    fn fill<X: Points>(bound: &dyn Bound<X>, points: &X, rows: &[usize], out: &mut [&mut [Self]]);
}

impl Value for f32 {
    fn fill<X: Points>(bound: &dyn Bound<X>, points: &X, rows: &[usize], out: &mut [&mut [f32]]) {
        bound.rows(points, rows, out);
    }
}

impl Value for f64 {
    fn fill<X: Points>(bound: &dyn Bound<X>, points: &X, rows: &[usize], out: &mut [&mut [f64]]) {
        bound.rows_f64(points, rows, out);
    }
}

/// All k(xᵢ, xⱼ), row after row, exactly symmetric. Half of the values are computed and copied to the other half; the
/// diagonal is computed by the definition of the kernel.
///
/// ```
/// use mercer::data::Vectors;
/// use mercer::{gram, kernel::linear};
///
/// let x = Vectors::dense(1, vec![1.0, 2.0]);
/// assert_eq!(gram::square::<f64, _, _>(&linear(), &x)?, [1.0, 2.0, 2.0, 4.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// If a number is not finite, or the kernel cannot be evaluated on these points.
pub fn square<T: Value, X: Points, K: Kernel<X>>(kernel: &K, x: &X) -> Result<Vec<T>> {
    x.check_finite()?;
    let bound = kernel.bind(x)?;
    let (n, diagonal) = (x.len(), bound.diagonal());
    let mut values = huge_zeros(n * n);
    batches(&mut values, n, |rows, out| {
        let mut lower: Vec<&mut [T]> = rows.iter().zip(&mut *out).map(|(&i, row)| &mut row[..i]).collect();
        T::fill(&*bound, x, rows, &mut lower);
        rows.iter().zip(out).for_each(|(&i, row)| row[i] = T::from_f64(diagonal[i]));
    });
    mirror(&mut values, n);
    Ok(values)
}

/// All k(xᵢ, yⱼ), row after row.
///
/// # Errors
/// If a number or a value is not finite, the points differ in width, or the kernel cannot be evaluated on them.
pub fn cross<T: Value, X: Points, K: Kernel<X>>(kernel: &K, x: &X, y: &X) -> Result<Vec<T>> {
    x.check_finite()?;
    y.check_finite()?;
    y.accepts(x)?;
    let bound = kernel.bind(y)?;
    bound.admits(x)?;
    let mut values = huge_zeros(x.len() * y.len());
    batches(&mut values, y.len(), |rows, out| T::fill(&*bound, x, rows, out));
    match values.par_iter().position_first(|value: &T| !value.to_f64().is_finite()) {
        None => Ok(values),
        Some(at) => {
            let (row, column) = (at / y.len() + 1, at % y.len() + 1);
            Err(ErrorKind::Data(DataProblem::ValueNotFinite { row, column }).into())
        }
    }
}

/// Calls `fill(rows, out)` for each batch of rows on all threads.
fn batches<T: Send>(values: &mut [T], columns: usize, fill: impl Fn(&[usize], &mut [&mut [T]]) + Sync) {
    let columns = columns.max(1);
    values.par_chunks_mut(BATCH * columns).enumerate().for_each(|(batch, values)| {
        let mut out: Vec<&mut [T]> = values.chunks_mut(columns).collect();
        let rows: Vec<usize> = (batch * BATCH..).take(out.len()).collect();
        fill(&rows, &mut out);
    });
}

#[cfg(test)]
mod tests {
    use crate::data::Vectors;
    use crate::kernel::{VectorExpr, linear, rbf};

    use super::*;

    fn points(n: usize) -> Vectors {
        Vectors::dense(3, (0..3 * n).map(|i| (i as f64 * 0.7).sin()).collect())
    }

    fn values_are_those_of_pairs<T: Value>(tolerance: f64) {
        let (kernel, n): (VectorExpr, _) = (rbf(0.5) + linear(), 2 * BATCH + 3);
        let x = points(n);
        let square: Vec<T> = square(&kernel, &x).unwrap();
        let cross: Vec<T> = cross(&kernel, &x, &points(5)).unwrap();
        for i in 0..n {
            for j in 0..n {
                let value = square[i * n + j].to_f64();
                assert!((value - kernel.value(x.row(i), x.row(j))).abs() <= tolerance, "{i}, {j}");
                assert_eq!(value.to_bits(), square[j * n + i].to_f64().to_bits());
            }
            for j in 0..5 {
                let value = cross[i * 5 + j].to_f64();
                assert!((value - kernel.value(x.row(i), x.row(j))).abs() <= tolerance, "{i}, {j}");
            }
        }
    }

    #[test]
    fn values_are_those_of_pairs_in_both_precisions() {
        values_are_those_of_pairs::<f64>(1e-14);
        values_are_those_of_pairs::<f32>(2e-6);
    }

    #[test]
    fn no_points_have_no_values() {
        assert!(square::<f64, _, _>(&linear(), &points(0)).unwrap().is_empty());
        assert!(cross::<f32, _, _>(&linear(), &points(3), &points(0)).unwrap().is_empty());
        assert!(cross::<f32, _, _>(&linear(), &points(0), &points(3)).unwrap().is_empty());
    }

    #[test]
    fn points_of_other_width_and_not_finite_are_refused() {
        let narrow = Vectors::dense(1, vec![1.0]);
        assert!(cross::<f64, _, _>(&linear(), &points(3), &narrow).is_err());
        assert!(square::<f64, _, _>(&linear(), &Vectors::dense(1, vec![f64::NAN])).is_err());
    }
}
