//! Kernel values that are not finite, found when an answer has come to nothing.

use crate::error::{DataProblem, Error, ErrorKind};
use crate::gram::Gram;

/// Two points between which the kernel is not finite, the first of them one of `points`.
pub(super) fn not_finite(gram: &dyn Gram, points: &[usize]) -> Option<(usize, usize)> {
    let mut row = vec![0.0; gram.len()];
    points.iter().find_map(|&i| {
        gram.rows(&[i], &mut [&mut row]);
        row.iter().position(|k| !k.is_finite()).map(|j| (i, j))
    })
}

/// The error of an objective that is not finite: it names two points between which the kernel is not finite, the first of
/// them one of the `moved`, whose coefficients are not zero. Where every value is finite and only a sum of them is not,
/// it names one point twice.
pub(super) fn not_finite_error(gram: &dyn Gram, moved: &[usize]) -> Error {
    let first = moved.first().copied().unwrap_or(0);
    let (i, j) = not_finite(gram, moved).unwrap_or((first, first));
    ErrorKind::Data(DataProblem::KernelNotFinite { row: i + 1, column: j + 1 }).into()
}
