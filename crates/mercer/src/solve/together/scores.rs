//! The scores F = Kβ of all points for all classes.

use rayon::prelude::*;

use crate::simd::accumulate;

/// Points whose scores lie together: pieces of this length of q kernel rows stay in the second-level cache while the
/// scores of all classes are updated from them.
const PIECE: usize = 256;

/// The scores in pieces of `PIECE` points; inside a piece they lie class after class.
pub(super) struct Scores {
    points: usize,
    classes: usize,
    values: Vec<f64>,
}

/// What is to be added to the scores of a class: kernel rows, by their numbers, each with a weight.
#[derive(Debug, Clone, Default)]
pub(super) struct Change {
    pub(super) rows: Vec<usize>,
    pub(super) weights: Vec<f64>,
}

impl Scores {
    pub(super) fn zeros(points: usize, classes: usize) -> Self {
        let values = vec![0.0; points.div_ceil(PIECE) * PIECE * classes];
        Self { points, classes, values }
    }

    /// The scores of point `i`.
    pub(super) fn row(&self, i: usize) -> impl Iterator<Item = f64> {
        let first = i / PIECE * PIECE * self.classes + i % PIECE;
        self.values[first..].iter().step_by(PIECE).take(self.classes).copied()
    }

    /// The results of `each` for the number and the scores of each point, in the order of the points.
    pub(super) fn map(&self, each: impl Fn(usize, &[f64], &mut Vec<f64>) -> f64 + Sync) -> Vec<f64> {
        let mut results = vec![0.0; self.points];
        results.par_chunks_mut(PIECE).enumerate().for_each(|(piece, results)| {
            let (mut row, mut scratch) = (Vec::with_capacity(self.classes), Vec::new());
            for (i, result) in (piece * PIECE..).zip(results) {
                row.clear();
                row.extend(self.row(i));
                *result = each(i, &row, &mut scratch);
            }
        });
        results
    }

    /// Adds its change to the scores of each class. Each score is summed in the order of the rows, by one thread.
    pub(super) fn add(&mut self, rows: &[&[f32]], changes: &[Change]) {
        let (points, classes) = (self.points, self.classes);
        let pieces = self.values.par_chunks_mut(PIECE * classes).enumerate();
        pieces.for_each_init(Vec::new, |parts, (piece, values)| {
            let columns = piece * PIECE..points.min((piece + 1) * PIECE);
            for (sums, change) in values.chunks_exact_mut(PIECE).zip(changes) {
                parts.clear();
                parts.extend(change.rows.iter().map(|&row| &rows[row][columns.clone()]));
                accumulate(&mut sums[..columns.len()], parts, &change.weights);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_equal_the_product_written_out() {
        let (n, classes) = (PIECE + 37, 3);
        let rows: Vec<Vec<f32>> =
            (0..5).map(|r| (0..n).map(|j| ((r * 31 + j * 7) % 17) as f32).collect()).collect();
        let change = |c: usize| Change {
            rows: (0..5).filter(|r| r % 2 == c % 2).collect(),
            weights: (0..5).filter(|r| r % 2 == c % 2).map(|r| (r + c) as f64 - 2.0).collect(),
        };
        let changes: Vec<Change> = (0..classes).map(change).collect();
        let mut scores = Scores::zeros(n, classes);
        scores.add(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), &changes);
        for i in [0, 1, PIECE - 1, PIECE, n - 1] {
            let expected: Vec<f64> = changes
                .iter()
                .map(|change| {
                    change.rows.iter().zip(&change.weights).map(|(&r, w)| w * f64::from(rows[r][i])).sum()
                })
                .collect();
            assert_eq!(scores.row(i).collect::<Vec<_>>(), expected, "point {i}");
        }
        assert_eq!(scores.map(|i, row, _| i as f64 + row[1]).len(), n);
    }
}
