//! Kernel values that must be finite before there is algebra with them.

use crate::data::Points;
use crate::error::{DataProblem, ErrorKind, Result};
use crate::gram::{Gram, Lazy};
use crate::kernel::Kernel;
use crate::linalg::{Lower, Tick};

/// Rows of a Gram matrix in double precision.
///
/// # Errors
/// If a value is not finite.
pub(super) fn rows(gram: &dyn Gram, index: &[usize]) -> Result<Vec<Vec<f64>>> {
    let mut rows = vec![vec![0.0; gram.len()]; index.len()];
    gram.rows_f64(index, &mut rows.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    rows.iter().zip(index).try_for_each(|(row, &i)| finite(row, i))?;
    Ok(rows)
}

/// The half of the matrix in double precision.
///
/// # Errors
/// If a value is not finite, or `tick` breaks.
pub(super) fn lower<X: Points, K: Kernel<X>>(gram: &Lazy<'_, X, K>, tick: Tick<'_>) -> Result<Lower> {
    let lower = gram.lower(tick)?;
    (0..lower.n()).try_for_each(|i| finite(lower.row(i), i))?;
    Ok(lower)
}

fn finite(row: &[f64], i: usize) -> Result<()> {
    match row.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(j) => Err(ErrorKind::Data(DataProblem::KernelNotFinite { row: i + 1, column: j + 1 }).into()),
    }
}
