//! Kernel values that must be finite before there is algebra with them.

use rayon::prelude::*;

use crate::error::{DataProblem, ErrorKind, Result};
use crate::gram::{Gram, matrix};
use crate::linalg::{Lower, Square, Tick};

/// Rows of a Gram matrix in double precision.
pub(super) fn rows(gram: &dyn Gram, index: &[usize]) -> Result<Vec<Vec<f64>>> {
    let mut rows = vec![vec![0.0; gram.len()]; index.len()];
    gram.rows_f64(index, &mut rows.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    rows.iter().zip(index).try_for_each(|(row, &i)| finite(row, i))?;
    Ok(rows)
}

/// The half of the matrix in double precision.
pub(super) fn lower(gram: &dyn Gram, tick: Tick<'_>) -> Result<Lower> {
    let lower = matrix::lower(gram, tick)?;
    all_finite(lower.n(), |i| lower.row(i))?;
    Ok(lower)
}

/// The whole matrix in double precision.
pub(super) fn square(gram: &dyn Gram, tick: Tick<'_>) -> Result<Square> {
    let square = matrix::square(gram, tick)?;
    all_finite(square.n(), |i| square.row(i))?;
    Ok(square)
}

/// Looks at all values of a matrix that is not held, for why an answer came to nothing.
pub(super) fn all(gram: &dyn Gram) -> Result<()> {
    let mut row = vec![0.0; gram.len()];
    (0..gram.len()).try_for_each(|i| {
        gram.rows_f64(&[i], &mut [&mut row]);
        finite(&row[..=i], i)
    })
}

/// Names the first value that is not finite.
fn all_finite<'a>(n: usize, row: impl Fn(usize) -> &'a [f64] + Sync) -> Result<()> {
    let flaw = (0..n).into_par_iter().find_map_first(|i| finite(row(i), i).err());
    flaw.map_or(Ok(()), Err)
}

fn finite(row: &[f64], i: usize) -> Result<()> {
    match row.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(j) => Err(ErrorKind::Data(DataProblem::KernelNotFinite { row: i + 1, column: j + 1 }).into()),
    }
}
