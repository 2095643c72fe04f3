//! The rows of a linear problem, with a constant feature where there is an offset, and passes over them.

use std::ops::Range;

use rayon::prelude::*;

use super::narrow::Narrow;
use crate::data::{Points, Real, Sparse, Vectors};
use crate::simd::{
    self, DenseBlock, Pass, SparseBlock, dense_pass_f32, dense_pass_f64, sparse_pass_f32, sparse_pass_f64,
};

/// Rows whose products one thread computes at a time.
const ROWS: usize = 2048;
/// Numbers of a vector that one thread works on at a time.
pub(super) const CHUNK: usize = 8192;
/// The most partial sums that a weighted sum of rows is cut into.
const PARTS: usize = 8;

/// Rows whose numbers for all outputs are held at a time.
const LINES: usize = 64;

/// The rows x of a problem, followed by a constant feature where `constant` is not 0. The vectors w that they are multiplied with
/// have an entry for each feature, the constant one last.
///
/// Every pass is cut into pieces by the data alone, so that its bits do not depend on the number of threads.
#[derive(Clone, Copy)]
pub(crate) struct Design<'a> {
    x: &'a Vectors,
    constant: f64,
}

impl<'a> Design<'a> {
    /// The rows `x` with a constant feature of this value; 0 for none.
    pub(crate) fn new(x: &'a Vectors, constant: f64) -> Self {
        Self { x, constant }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.x.len()
    }

    /// The number of features, the constant one among them.
    pub(crate) fn width(&self) -> usize {
        self.x.width() + usize::from(self.has_constant())
    }

    /// Whether there is a constant feature.
    pub(crate) fn has_constant(&self) -> bool {
        self.constant != 0.0
    }

    /// The value of the constant feature; 0 for none.
    pub(super) fn constant(&self) -> f64 {
        self.constant
    }

    /// Some rows over the features that occur in them; none where that would be no gain.
    pub(super) fn narrowed(&self, rows: &[u32]) -> Option<Narrow> {
        Narrow::new(self.x, self.constant, rows)
    }

    /// Entries of a row, on average.
    pub(crate) fn entries(&self) -> f64 {
        self.x.stored() as f64 / self.len().max(1) as f64
    }

    /// ⟨w, x⟩ of each of `rows`.
    pub(crate) fn products(&self, rows: &[u32], vector: &[f64], out: &mut [f64]) {
        let start = self.start(vector);
        let (vector, _) = self.split(vector);
        out.par_chunks_mut(ROWS)
            .zip(rows.par_chunks(ROWS))
            .for_each(|(out, rows)| self.pass(rows, Pass::Products { vector, start, out }));
    }

    /// Σ c x over `rows`, of which those with c = 0 cost nothing.
    pub(crate) fn sum(&self, rows: &[u32], weights: &[f64]) -> Vec<f64> {
        self.by_parts(rows, weights, |rows, weights, out| {
            self.pass(rows, Pass::Sum { weights, out });
            self.constant * weights.iter().sum::<f64>()
        })
    }

    /// ⟨w, x⟩ of each of `rows`, and Σ c x over them, in one pass.
    pub(crate) fn products_and_sum(
        &self,
        rows: &[u32],
        vector: &[f64],
        out: &mut [f64],
        weights: &[f64],
    ) -> Vec<f64> {
        let (start, (vector, _)) = (self.start(vector), self.split(vector));
        let length = rows.len().div_ceil(self.parts(rows.len())).max(1);
        let part = |((out, rows), weights): ((&mut [f64], &[u32]), &[f64])| {
            let mut sum = vec![0.0; self.width()];
            let (own, constant) = sum.split_at_mut(self.x.width());
            let pieces = out.chunks_mut(ROWS).zip(rows.chunks(ROWS)).zip(weights.chunks(ROWS));
            for ((out, rows), weights) in pieces {
                self.pass(rows, Pass::Products { vector, start, out });
                self.pass(rows, Pass::Sum { weights, out: own });
            }
            constant.iter_mut().for_each(|sum| *sum += self.constant * weights.iter().sum::<f64>());
            sum
        };
        let parts = out.par_chunks_mut(length).zip(rows.par_chunks(length)).zip(weights.par_chunks(length));
        combined(parts.map(part).collect(), self.width())
    }

    /// Σ c x² over `rows`, feature by feature.
    pub(crate) fn squares(&self, rows: &[u32], weights: &[f64]) -> Vec<f64> {
        self.by_parts(rows, weights, |rows, weights, out| {
            self.pass(rows, Pass::Squares { weights, out });
            self.constant * self.constant * weights.iter().sum::<f64>()
        })
    }

    /// Σ h x ⟨x, v⟩ over `rows`: the curvature along v.
    pub(crate) fn curvature(&self, rows: &[u32], weights: &[f64], vector: &[f64]) -> Vec<f64> {
        let start = self.start(vector);
        let (vector, _) = self.split(vector);
        self.by_parts(rows, weights, |rows, weights, out| {
            let mut total = 0.0;
            self.pass(rows, Pass::Curvature { weights, vector, start, out, total: &mut total });
            self.constant * total
        })
    }

    /// Σ h x xᵀ over `rows`, of which the entries up to the diagonal are made: a square matrix, row after row.
    pub(crate) fn outer(&self, rows: &[u32], weights: &[f64]) -> Vec<f64> {
        let width = self.width();
        let work = rows.len() as f64 * self.entries() * self.entries();
        let parts = (work / (8 * width * width + 4096) as f64).clamp(1.0, PARTS as f64) as usize;
        let mut sum = in_order(rows.len(), parts, width * width, |range, out| {
            let weights = &weights[range.clone()];
            self.pass(&rows[range], Pass::Outer { weights, stride: width, out });
        });
        if self.has_constant() {
            let scaled: Vec<f64> = weights.iter().map(|h| h * self.constant).collect();
            sum[(width - 1) * width..].copy_from_slice(&self.sum(rows, &scaled));
        }
        sum
    }

    /// ‖x‖² of each row.
    pub(crate) fn norms(&self) -> Vec<f64> {
        let own = self.constant * self.constant;
        let norm = |i: usize| {
            let mut sum = own;
            self.x.row(i).for_each(|_, value| sum += value * value);
            sum
        };
        (0..self.len()).into_par_iter().with_min_len(ROWS).map(norm).collect()
    }

    /// Calls `visit(feature, value)` for each entry of row `i`, the constant feature last.
    pub(super) fn for_each(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        self.x.row(i).for_each(&mut visit);
        if self.has_constant() {
            visit(self.x.width(), self.constant);
        }
    }

    /// Has row `i`, of which [`expect_ends`](Self::expect_ends) was asked before, brought into the caches.
    pub(super) fn expect(&self, i: usize) {
        fn entries<T: Real>(x: &Sparse<T>, i: usize) {
            let (index, values) = x.row(i);
            simd::expect(index);
            simd::expect(values);
        }
        match self.x {
            Vectors::Dense32(x) => simd::expect(x.row(i)),
            Vectors::Dense64(x) => simd::expect(x.row(i)),
            Vectors::Sparse32(x) => entries(x, i),
            Vectors::Sparse64(x) => entries(x, i),
        }
    }

    /// Has what says where row `i` begins and ends brought into the caches.
    pub(super) fn expect_ends(&self, i: usize) {
        let start = match self.x {
            Vectors::Dense32(_) | Vectors::Dense64(_) => return,
            Vectors::Sparse32(x) => x.parts().0,
            Vectors::Sparse64(x) => x.parts().0,
        };
        simd::expect(&start[i..=i]);
    }

    /// ⟨w, x⟩ of row `i`.
    pub(crate) fn product(&self, i: usize, vector: &[f64]) -> f64 {
        let mut out = [0.0];
        let start = self.start(vector);
        self.pass(&[i as u32], Pass::Products { vector: self.split(vector).0, start, out: &mut out });
        out[0]
    }

    /// w += c x of row `i`.
    pub(crate) fn add(&self, i: usize, c: f64, vector: &mut [f64]) {
        if self.has_constant() {
            vector[self.x.width()] += c * self.constant;
        }
        let (out, _) = vector.split_at_mut(self.x.width());
        self.pass(&[i as u32], Pass::Sum { weights: &[c], out });
    }

    /// The products of each of `rows` with all columns of a matrix that has a line of `outputs` numbers for each feature.
    pub(super) fn scores(&self, rows: &[u32], outputs: usize, matrix: &[f64], out: &mut [f64]) {
        let (matrix, last) = matrix.split_at(self.x.width() * outputs);
        out.fill(0.0);
        for out in out.chunks_exact_mut(outputs) {
            out.iter_mut().zip(last).for_each(|(out, w)| *out = self.constant * w);
        }
        self.pass(rows, Pass::Scores { outputs, matrix, out });
    }

    /// matrix += Σ x cᵀ over `rows`, where the matrix has a line of `outputs` numbers for each feature and c one for each row.
    pub(super) fn spread(&self, rows: &[u32], outputs: usize, weights: &[f64], matrix: &mut [f64]) {
        let (matrix, last) = matrix.split_at_mut(self.x.width() * outputs);
        for weights in weights.chunks_exact(outputs) {
            last.iter_mut().zip(weights).for_each(|(out, c)| *out += self.constant * c);
        }
        self.pass(rows, Pass::Spread { outputs, weights, matrix });
    }

    /// The products of each of `rows` with all columns of a matrix, as [`scores`](Self::scores) on all cores.
    pub(super) fn all_scores(&self, rows: &[u32], outputs: usize, matrix: &[f64], out: &mut [f64]) {
        out.par_chunks_mut(ROWS * outputs)
            .zip(rows.par_chunks(ROWS))
            .for_each(|(out, rows)| self.scores(rows, outputs, matrix, out));
    }

    /// Σ x cᵀ over `rows`: a matrix with a line of `outputs` numbers for each feature. `fill` is asked for the c of some of them at a
    /// time, by their places among `rows`, a line of `outputs` numbers for each.
    pub(super) fn spread_all(
        &self,
        rows: &[u32],
        outputs: usize,
        fill: impl Fn(Range<usize>, &mut [f64]) + Sync,
    ) -> Vec<f64> {
        self.by_lines(rows, outputs, fill, |rows, lines, out| self.spread(rows, outputs, lines, out))
    }

    /// Σ x² cᵀ over `rows`, as [`spread_all`](Self::spread_all).
    pub(super) fn spread_squares(
        &self,
        rows: &[u32],
        outputs: usize,
        fill: impl Fn(Range<usize>, &mut [f64]) + Sync,
    ) -> Vec<f64> {
        self.by_lines(rows, outputs, fill, |rows, lines, out| {
            for (&i, line) in rows.iter().zip(lines.chunks(outputs)) {
                self.for_each(i as usize, |k, value| {
                    let out = &mut out[k * outputs..][..outputs];
                    out.iter_mut().zip(line).for_each(|(out, c)| *out += value * value * c);
                });
            }
        })
    }

    /// A sum over rows that `add` makes of some of them and their lines, which `fill` makes, in pieces.
    fn by_lines(
        &self,
        rows: &[u32],
        outputs: usize,
        fill: impl Fn(Range<usize>, &mut [f64]) + Sync,
        add: impl Fn(&[u32], &[f64], &mut [f64]) + Sync,
    ) -> Vec<f64> {
        in_order(rows.len(), self.parts(rows.len()), self.width() * outputs, |range, out| {
            let mut lines = vec![0.0; LINES.min(range.len()) * outputs];
            for first in range.clone().step_by(LINES) {
                let block = first..range.end.min(first + LINES);
                let lines = &mut lines[..block.len() * outputs];
                fill(block.clone(), lines);
                add(&rows[block], lines, out);
            }
        })
    }

    /// The pieces that a sum over so many rows is cut into.
    fn parts(&self, rows: usize) -> usize {
        let work = rows as f64 * self.entries();
        (work / (4 * self.width() + 4096) as f64).clamp(1.0, PARTS as f64) as usize
    }

    /// What the constant feature adds to each product.
    fn start(&self, vector: &[f64]) -> f64 {
        self.split(vector).1.first().map_or(0.0, |last| self.constant * last)
    }

    /// The entries of a vector for the features of the data, and the one for the constant feature, if there is one.
    fn split<'v>(&self, vector: &'v [f64]) -> (&'v [f64], &'v [f64]) {
        vector.split_at(self.x.width())
    }

    /// A sum over rows that `add` makes of some of them, in pieces; it gives what it adds to the constant feature.
    fn by_parts(
        &self,
        rows: &[u32],
        weights: &[f64],
        add: impl Fn(&[u32], &[f64], &mut [f64]) -> f64 + Sync,
    ) -> Vec<f64> {
        let (width, features) = (self.width(), self.x.width());
        in_order(rows.len(), self.parts(rows.len()), width, |range, out| {
            let (own, constant) = out.split_at_mut(features);
            let last = add(&rows[range.clone()], &weights[range], own);
            constant.iter_mut().for_each(|sum| *sum += last);
        })
    }

    fn pass(&self, rows: &[u32], pass: Pass<'_>) {
        match self.x {
            Vectors::Dense32(x) => {
                dense_pass_f32(rows, DenseBlock { columns: x.columns(), values: x.values() }, pass);
            }
            Vectors::Dense64(x) => {
                dense_pass_f64(rows, DenseBlock { columns: x.columns(), values: x.values() }, pass);
            }
            Vectors::Sparse32(x) => {
                let (start, index, values) = x.parts();
                sparse_pass_f32(rows, SparseBlock { start, index, values }, pass);
            }
            Vectors::Sparse64(x) => {
                let (start, index, values) = x.parts();
                sparse_pass_f64(rows, SparseBlock { start, index, values }, pass);
            }
        }
    }
}

/// A sum of `size` numbers over `count` rows, cut into `parts` pieces that are added up in order.
fn in_order(
    count: usize,
    parts: usize,
    size: usize,
    add: impl Fn(Range<usize>, &mut [f64]) + Sync,
) -> Vec<f64> {
    let length = count.div_ceil(parts).max(1);
    let part = |first: usize| {
        let mut sum = vec![0.0; size];
        add(first..count.min(first + length), &mut sum);
        sum
    };
    let starts: Vec<usize> = (0..count).step_by(length).collect();
    combined(starts.into_par_iter().map(part).collect(), size)
}

/// Sums of `size` numbers, added up in order.
pub(super) fn combined(mut sums: Vec<Vec<f64>>, size: usize) -> Vec<f64> {
    if sums.is_empty() {
        return vec![0.0; size];
    }
    let mut first = sums.remove(0);
    first.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
        for sum in &sums {
            let piece = &sum[chunk * CHUNK..][..out.len()];
            out.iter_mut().zip(piece).for_each(|(out, value)| *out += value);
        }
    });
    first
}

/// ⟨a, b⟩, in pieces that are added up in order.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let piece = |(a, b): (&[f64], &[f64])| crate::linalg::dot(a, b);
    if a.len() <= CHUNK {
        return piece((a, b));
    }
    let sums: Vec<f64> = a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK)).map(piece).collect();
    sums.iter().sum()
}

/// The sums of the pairs of numbers that `of` makes of each position up to `count`, added up in order.
pub(super) fn sums<const N: usize>(count: usize, of: impl Fn(usize) -> [f64; N] + Sync) -> [f64; N] {
    let piece = |first: usize| {
        let mut sum = [0.0; N];
        for at in first..count.min(first + CHUNK) {
            let terms = of(at);
            (0..N).for_each(|k| sum[k] += terms[k]);
        }
        sum
    };
    let starts: Vec<usize> = (0..count).step_by(CHUNK).collect();
    let pieces: Vec<[f64; N]> = if starts.len() < 2 {
        starts.into_iter().map(piece).collect()
    } else {
        starts.into_par_iter().map(piece).collect()
    };
    pieces.into_iter().fold([0.0; N], |mut sum, piece| {
        (0..N).for_each(|k| sum[k] += piece[k]);
        sum
    })
}

/// to += factor · vector
pub(super) fn add(factor: f64, vector: &[f64], to: &mut [f64]) {
    let piece = |(to, vector): (&mut [f64], &[f64])| {
        to.iter_mut().zip(vector).for_each(|(to, v)| *to += factor * v);
    };
    to.par_chunks_mut(CHUNK).zip(vector.par_chunks(CHUNK)).for_each(piece);
}
