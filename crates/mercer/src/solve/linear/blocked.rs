//! Rows in blocks, on disk or in memory, and passes over them.
//!
//! A pass reads block after block, decodes it and computes with its rows; every thread has one block in memory. Products are written to
//! the places of their rows. Sums are cut into parts of whole blocks by the data alone and added up in order, so that their bits do not
//! depend on the number of threads. What fails while blocks are read is kept by the stream: a pass then ends early, and the solver that began
//! it asks the stream for its outcome.

use rayon::prelude::*;

use super::design::combined;
use super::passes::{Held, Passes};
use crate::data::{Rows, Stream};
use crate::simd::{DenseBlock, Pass, SparseBlock, dense_pass_f64, sparse_pass_f64};

/// The most bytes of partial sums, unless two take more.
const SUMS: usize = 32 << 20;
/// The most partial sums.
const PARTS: usize = 16;
/// Rows that are wanted may be longer than others.
const SLACK: f64 = 1.15;
/// The fewest rows that are worth a copy.
const FEW: usize = 256;

/// Rows in blocks, followed by a constant feature where `constant` is not 0.
pub(crate) struct Blocked<'a> {
    source: Source<'a>,
    /// The first row of each block, and the number of rows at last.
    first: Vec<usize>,
    /// Features of the data.
    width: usize,
    constant: f64,
    stored: usize,
    /// Bytes for copies of rows.
    room: usize,
}

enum Source<'a> {
    File(&'a Stream),
    Memory(&'a [Rows]),
}

impl<'a> Blocked<'a> {
    /// The rows of a stream, of which copies may take `room` bytes.
    pub(crate) fn new(stream: &'a Stream, constant: f64, room: usize) -> Self {
        let ends = (0..stream.blocks()).map(|block| stream.rows_of(block).end);
        let first = std::iter::once(0).chain(ends).collect();
        let (width, stored) = (stream.width(), stream.stored());
        Self { source: Source::File(stream), first, width, constant, stored, room }
    }

    /// Rows held.
    pub(super) fn held(held: &'a Held, width: usize, constant: f64) -> Self {
        let ends = held.pieces.iter().scan(0, |sum, piece| {
            *sum += piece.len();
            Some(*sum)
        });
        let first = std::iter::once(0).chain(ends).collect();
        let stored = held.pieces.iter().map(|piece| piece.values.len()).sum();
        Self { source: Source::Memory(&held.pieces), first, width, constant, stored, room: 0 }
    }

    /// Bytes of partial sums of vectors as long as the features.
    pub(crate) fn sums(width: usize) -> usize {
        SUMS.max(16 * width)
    }

    fn blocks(&self) -> usize {
        self.first.len() - 1
    }

    /// Visits a block.
    fn visit(&self, block: usize, visit: impl FnOnce(&Rows)) {
        match self.source {
            Source::File(stream) => stream.visit(block, visit),
            Source::Memory(pieces) => visit(&pieces[block]),
        }
    }

    /// Where the rows of each block begin in a list of ascending rows, and its length at last.
    fn bounds(&self, rows: &[u32]) -> Vec<usize> {
        self.first.iter().map(|&first| rows.partition_point(|&i| (i as usize) < first)).collect()
    }

    /// The numbers of rows within their block.
    fn own(&self, block: usize, rows: &[u32]) -> Vec<u32> {
        rows.iter().map(|&i| i - self.first[block] as u32).collect()
    }

    /// Ranges of blocks whose sums of `size` numbers are made side by side.
    fn parts(&self, size: usize) -> Vec<std::ops::Range<usize>> {
        let parts = (SUMS / (8 * size).max(1)).clamp(2, PARTS).min(self.blocks()).max(1);
        (0..parts).map(|part| part * self.blocks() / parts..(part + 1) * self.blocks() / parts).collect()
    }

    /// What the constant feature adds to each product.
    fn start(&self, vector: &[f64]) -> f64 {
        vector.get(self.width).map_or(0.0, |last| self.constant * last)
    }

    /// Sums of `size` numbers over rows that `add` makes of those of a block.
    fn in_parts(
        &self,
        (rows, weights): (&[u32], &[f64]),
        size: usize,
        add: impl Fn(&Rows, &[u32], &[f64], &mut [f64]) + Sync,
    ) -> Vec<f64> {
        let bounds = self.bounds(rows);
        let part = |blocks: std::ops::Range<usize>| {
            let mut sum = vec![0.0; size];
            for block in blocks {
                let listed = bounds[block]..bounds[block + 1];
                // Blocks whose rows count for nothing are not read.
                if weights[listed.clone()].iter().any(|&c| c != 0.0) {
                    let own = self.own(block, &rows[listed.clone()]);
                    self.visit(block, |x| add(x, &own, &weights[listed], &mut sum));
                }
            }
            sum
        };
        combined(self.parts(size).into_par_iter().with_max_len(1).map(part).collect(), size)
    }

    /// A sum over rows for each feature; `add` gives what is added to the constant one.
    fn by_feature(
        &self,
        listed: (&[u32], &[f64]),
        add: impl Fn(&Rows, &[u32], &[f64], &mut [f64]) -> f64 + Sync,
    ) -> Vec<f64> {
        self.in_parts(listed, self.width(), |x, rows, weights, out| {
            let (own, constant) = out.split_at_mut(self.width);
            let last = add(x, rows, weights, own);
            constant.iter_mut().for_each(|sum| *sum += last);
        })
    }

    /// Every how many-th of so many rows there is memory for; none where it is not worth it.
    fn step(&self, count: usize) -> Option<usize> {
        let bytes = SLACK * count as f64 * (12.0 * self.entries() + 8.0);
        let step = (bytes / self.room as f64).ceil().max(1.0);
        let kept = count as f64 / step;
        (self.room > 0 && (kept >= FEW as f64 || step == 1.0)).then_some(step as usize)
    }

    /// Visits all blocks with rows among `rows` whose weight is not 0, or among `wanted`: the sum of the former, and copies of
    /// every `step`-th of the latter.
    fn copied(&self, (rows, weights): (&[u32], &[f64]), wanted: &[u32], step: usize) -> (Vec<f64>, Held) {
        let (bounds, others) = (self.bounds(rows), self.bounds(wanted));
        let part = |blocks: std::ops::Range<usize>| {
            let (mut sum, mut copy) = (vec![0.0; self.width()], Rows::default());
            let expected = (others[blocks.end] - others[blocks.start]).div_ceil(step);
            copy.reserve(expected, (SLACK * self.entries() * expected as f64) as usize);
            for block in blocks {
                let listed = bounds[block]..bounds[block + 1];
                let counts = weights[listed.clone()].iter().any(|&c| c != 0.0);
                let kept = others[block].next_multiple_of(step)..others[block + 1];
                if !counts && kept.is_empty() {
                    continue;
                }
                self.visit(block, |x| {
                    if copy.len() == 0 {
                        copy.dense = x.dense;
                    } else if copy.dense && !x.dense {
                        copy.list(self.width);
                    }
                    let of = |i: u32| i as usize - self.first[block];
                    kept.step_by(step).for_each(|at| copy.copy(x, of(wanted[at])));
                    let own = self.own(block, &rows[listed.clone()]);
                    let (out, constant) = sum.split_at_mut(self.width);
                    pass(x, &own, Pass::Sum { weights: &weights[listed.clone()], out });
                    let last = self.constant * weights[listed.clone()].iter().sum::<f64>();
                    constant.iter_mut().for_each(|sum| *sum += last);
                });
            }
            copy.shrink();
            (sum, copy)
        };
        let parts = self.parts(self.width()).into_par_iter().with_max_len(1).map(part);
        let (sums, pieces) = parts.collect::<Vec<_>>().into_iter().unzip();
        (combined(sums, self.width()), Held { pieces, step })
    }
}

impl Passes for Blocked<'_> {
    fn len(&self) -> usize {
        self.first[self.blocks()]
    }

    fn width(&self) -> usize {
        self.width + usize::from(self.has_constant())
    }

    fn constant(&self) -> f64 {
        self.constant
    }

    fn entries(&self) -> f64 {
        self.stored as f64 / self.len().max(1) as f64
    }

    fn products(&self, rows: &[u32], vector: &[f64], out: &mut [f64]) {
        let (start, bounds) = (self.start(vector), self.bounds(rows));
        let vector = &vector[..self.width];
        let mut rest = out;
        let blocks: Vec<(usize, &mut [f64])> = (0..self.blocks())
            .map(|block| {
                let (own, later) = std::mem::take(&mut rest).split_at_mut(bounds[block + 1] - bounds[block]);
                rest = later;
                (block, own)
            })
            .filter(|(_, out)| !out.is_empty())
            .collect();
        blocks.into_par_iter().with_max_len(1).for_each(|(block, out)| {
            let own = self.own(block, &rows[bounds[block]..bounds[block + 1]]);
            self.visit(block, |x| pass(x, &own, Pass::Products { vector, start, out }));
        });
    }

    fn sum(&self, rows: &[u32], weights: &[f64]) -> Vec<f64> {
        self.by_feature((rows, weights), |x, rows, weights, out| {
            pass(x, rows, Pass::Sum { weights, out });
            self.constant * weights.iter().sum::<f64>()
        })
    }

    fn squares(&self, rows: &[u32], weights: &[f64]) -> Vec<f64> {
        self.by_feature((rows, weights), |x, rows, weights, out| {
            pass(x, rows, Pass::Squares { weights, out });
            self.constant * self.constant * weights.iter().sum::<f64>()
        })
    }

    fn curvature(&self, rows: &[u32], weights: &[f64], vector: &[f64]) -> Vec<f64> {
        let start = self.start(vector);
        let vector = &vector[..self.width];
        self.by_feature((rows, weights), |x, rows, weights, out| {
            let mut total = 0.0;
            pass(x, rows, Pass::Curvature { weights, vector, start, out, total: &mut total });
            self.constant * total
        })
    }

    fn outer(&self, rows: &[u32], weights: &[f64]) -> Vec<f64> {
        let width = self.width();
        self.in_parts((rows, weights), width * width, |x, rows, weights, out| {
            pass(x, rows, Pass::Outer { weights, stride: width, out });
            if self.has_constant() {
                let last = &mut out[(width - 1) * width..];
                let scaled: Vec<f64> = weights.iter().map(|h| h * self.constant).collect();
                pass(x, rows, Pass::Sum { weights: &scaled, out: &mut last[..self.width] });
                last[self.width] += self.constant * scaled.iter().sum::<f64>();
            }
        })
    }

    fn sum_and_hold(&self, rows: &[u32], weights: &[f64], wanted: &[u32]) -> (Vec<f64>, Option<Held>) {
        match self.step(wanted.len()) {
            None => (self.sum(rows, weights), None),
            Some(step) => {
                let (sum, held) = self.copied((rows, weights), wanted, step);
                (sum, Some(held))
            }
        }
    }

    fn hold(&self) -> Option<Held> {
        let all: Vec<u32> = (0..self.len() as u32).collect();
        self.step(all.len()).map(|step| self.copied((&[], &[]), &all, step).1)
    }

    fn held<'h>(&self, held: &'h Held) -> Blocked<'h> {
        Blocked::held(held, self.width, self.constant)
    }
}

fn pass(x: &Rows, rows: &[u32], pass: Pass<'_>) {
    let values = &x.values[..];
    if x.dense {
        let columns = x.start.get(1).copied().unwrap_or(0);
        dense_pass_f64(rows, DenseBlock { columns, values }, pass);
    } else {
        sparse_pass_f64(rows, SparseBlock { start: &x.start, index: &x.index, values }, pass);
    }
}
