//! The candidates: a constant, and the kernel at points of the data.

use crate::data::SplitMix;
use crate::gram::Gram;
use crate::model::prelude::*;
use crate::solve::relevance::Columns;

/// Bytes that the columns take where their number is left open.
const BYTES: usize = 1 << 30;

/// The columns of some points of the data, and which point each belongs to.
pub(super) struct Candidates {
    pub(super) columns: Columns,
    /// The point of each column; none for the constant.
    pub(super) points: Vec<Option<usize>>,
}

impl Candidates {
    /// All points, or as many as asked for or as fit into a gigabyte, drawn by the seed.
    pub(super) fn new(
        gram: &dyn Gram,
        (count, offset, seed): (Option<usize>, bool, u64),
        weights: &[f64],
        memory: Option<usize>,
    ) -> Result<Self> {
        let n = gram.len();
        let count = count.unwrap_or(BYTES / 8 / n).clamp(1, n);
        let needed = 8 * (n as u64) * (count as u64 + 1);
        room("the kernel values of the candidates", needed, memory, "take fewer candidates")?;
        let mut chosen: Vec<usize> = (0..n).collect();
        if count < n {
            SplitMix(seed).shuffle(&mut chosen);
            chosen.truncate(count);
            chosen.sort_unstable();
        }
        let points: Vec<Option<usize>> =
            offset.then_some(None).into_iter().chain(chosen.into_iter().map(Some)).collect();
        let columns = Columns::filled(weights, points.len(), |range, values: &mut [f64]| {
            let points = &points[range];
            let mut rows: Vec<&mut [f64]> = values.chunks_mut(n).collect();
            let first = usize::from(points[0].is_none());
            rows[..first].iter_mut().for_each(|row| row.fill(1.0));
            let index: Vec<usize> = points.iter().copied().flatten().collect();
            gram.rows_f64(&index, &mut rows[first..]);
            for (row, point) in rows.iter().zip(points) {
                if let (Some(column), Some(point)) = (row.iter().position(|k| !k.is_finite()), point) {
                    let problem = DataProblem::KernelNotFinite { row: point + 1, column: column + 1 };
                    return Err(crate::Error::from(ErrorKind::Data(problem)));
                }
            }
            Ok(())
        })?;
        Ok(Self { columns, points })
    }
}
