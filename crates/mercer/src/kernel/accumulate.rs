//! Weighted sums of kernel rows.

use rayon::prelude::*;

use crate::simd::accumulate;

/// Columns summed by one task: a piece of the sums that stays in the first-level cache.
const TASK: usize = 1024;

/// Rows computed at once where they are not kept.
const BATCH: usize = 256;

/// `sums[j] += Σ weights[w] · rows[w][j]`. Each sum is added up in the order of the rows by one thread.
pub(crate) fn add_rows(sums: &mut [f64], rows: &[&[f32]], weights: &[f64]) {
    sums.par_chunks_mut(TASK).enumerate().for_each_init(Vec::new, |piece, (task, sums)| {
        piece.clear();
        piece.extend(rows.iter().map(|row| &row[task * TASK..][..sums.len()]));
        accumulate(sums, piece, weights);
    });
}

/// `sums[j] += Σ weights[w] · k(points[w], j)` of rows that `fill` computes, a batch at a time.
pub(crate) fn in_batches(
    points: &[usize],
    weights: &[f64],
    sums: &mut [f64],
    mut fill: impl FnMut(&[usize], &mut [&mut [f32]]),
) {
    let n = sums.len();
    let mut scratch = vec![0.0; BATCH.min(points.len()) * n];
    for (points, weights) in points.chunks(BATCH).zip(weights.chunks(BATCH)) {
        let mut rows: Vec<&mut [f32]> = scratch.chunks_mut(n.max(1)).take(points.len()).collect();
        fill(points, &mut rows);
        let rows: Vec<&[f32]> = rows.iter().map(|row| &**row).collect();
        add_rows(sums, &rows, weights);
    }
}
