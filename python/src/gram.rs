//! Gram matrices, filled block by block.

use mercer::data::{Points, Real, Vectors};
use mercer::error::DataProblem;
use mercer::gram::mirror;
use mercer::kernel::{Bound, Kernel, VectorExpr};
use mercer::{ErrorKind, Result};
use rayon::prelude::*;

/// Rows of one task: enough that packing them is nothing beside the products, few enough to balance.
const BATCH: usize = 256;

/// A precision kernel values are computed in.
pub(crate) trait Value: Real {
    /// Fills `out[r]` with the values of `rows[r]` and the first columns.
    fn fill(bound: &dyn Bound<Vectors>, points: &Vectors, rows: &[usize], out: &mut [&mut [Self]]);
}

impl Value for f32 {
    fn fill(bound: &dyn Bound<Vectors>, points: &Vectors, rows: &[usize], out: &mut [&mut [f32]]) {
        bound.rows(points, rows, out);
    }
}

impl Value for f64 {
    fn fill(bound: &dyn Bound<Vectors>, points: &Vectors, rows: &[usize], out: &mut [&mut [f64]]) {
        bound.rows_f64(points, rows, out);
    }
}

/// All k(xᵢ, yⱼ), row after row.
///
/// # Errors
/// If the kernel cannot be evaluated on these points.
pub(crate) fn cross<T: Value>(kernel: &VectorExpr, x: &Vectors, y: &Vectors) -> Result<Vec<T>> {
    x.check_finite()?;
    y.check_finite()?;
    same_width(x, y)?;
    let bound = kernel.bind(y)?;
    let n = y.len();
    let mut values = vec![T::default(); x.len() * n];
    batches(&mut values, n, |_, rows, out| T::fill(&*bound, x, rows, out));
    Ok(values)
}

/// All k(xᵢ, xⱼ), row after row, exactly symmetric: only half of them are computed, and the diagonal by the definition.
///
/// # Errors
/// If the kernel cannot be evaluated on these points.
pub(crate) fn square<T: Value>(kernel: &VectorExpr, x: &Vectors) -> Result<Vec<T>> {
    x.check_finite()?;
    let bound = kernel.bind(x)?;
    let (n, diagonal) = (x.len(), bound.diagonal());
    let mut values = vec![T::default(); n * n];
    batches(&mut values, n, |end, rows, out| {
        let mut lower: Vec<&mut [T]> = out.iter_mut().map(|row| &mut row[..end]).collect();
        T::fill(&*bound, x, rows, &mut lower);
        rows.iter().zip(lower).for_each(|(&i, row)| row[i] = T::from_f64(diagonal[i]));
    });
    mirror(&mut values, n);
    Ok(values)
}

/// Calls `fill(end, rows, out)` for each batch of rows, which ends before row `end`, side by side.
fn batches<T: Send>(
    values: &mut [T],
    columns: usize,
    fill: impl Fn(usize, &[usize], &mut [&mut [T]]) + Sync,
) {
    let columns = columns.max(1);
    values.par_chunks_mut(BATCH * columns).enumerate().for_each(|(batch, values)| {
        let mut out: Vec<&mut [T]> = values.chunks_mut(columns).collect();
        let rows: Vec<usize> = (batch * BATCH..).take(out.len()).collect();
        fill(batch * BATCH + rows.len(), &rows, &mut out);
    });
}

/// Refuses points of different width.
///
/// # Errors
/// The two widths.
pub(crate) fn same_width(x: &Vectors, y: &Vectors) -> Result<()> {
    let (found, expected) = (x.width(), y.width());
    if found == expected {
        return Ok(());
    }
    Err(ErrorKind::Data(DataProblem::Width { found, expected }).into())
}
