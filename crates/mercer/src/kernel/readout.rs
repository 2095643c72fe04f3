//! Kernel values times weights: what a prediction reads out of a row.

use std::ops::Range;

use crate::simd::{OUTPUTS, PANEL, STRIP, add_strip, read_f32, read_row_f32, readout};

/// Rows up to this many are read one by one: a strip takes about as long as three of them.
const FEW: usize = 2;

/// Weights of consecutive columns, one per output for each: a block of an expansion.
#[derive(Debug, Clone)]
pub struct Readout {
    columns: Range<usize>,
    outputs: usize,
    /// Column after column.
    weights: Vec<f64>,
    /// The weights of several outputs in single precision, in groups of `OUTPUTS`: group after group, each column after column.
    packed: Vec<f32>,
}

impl Readout {
    /// The weights of `columns`, column after column, `outputs` each.
    ///
    /// # Panics
    /// If there are not so many weights.
    #[must_use]
    pub fn new(columns: Range<usize>, outputs: usize, weights: Vec<f64>) -> Self {
        assert_eq!(weights.len(), columns.len() * outputs, "one weight for each column and output");
        let groups = if outputs > 1 { outputs.div_ceil(OUTPUTS) } else { 0 };
        let mut packed = vec![0.0; groups * columns.len() * OUTPUTS];
        for group in 0..groups {
            let first = group * columns.len() * OUTPUTS;
            let target = packed[first..first + columns.len() * OUTPUTS].chunks_exact_mut(OUTPUTS);
            for (target, weights) in target.zip(weights.chunks_exact(outputs)) {
                let weights = &weights[group * OUTPUTS..outputs.min((group + 1) * OUTPUTS)];
                target.iter_mut().zip(weights).for_each(|(value, &weight)| *value = weight as f32);
            }
        }
        Self { columns, outputs, weights, packed }
    }

    /// How many outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Adds what rows that `fill` computes amount to, in double precision: each block's outputs after those of the
    /// blocks before.
    pub(super) fn add_rows(
        columns: usize,
        rows: &[usize],
        blocks: &[Self],
        sums: &mut [f64],
        fill: impl Fn(&[usize], &mut [&mut [f32]]),
    ) {
        let mut kernel = vec![0.0; rows.len() * columns];
        fill(rows, &mut kernel.chunks_mut(columns.max(1)).collect::<Vec<_>>());
        let outputs: usize = blocks.iter().map(Self::outputs).sum();
        for (row, mut sums) in kernel.chunks(columns.max(1)).zip(sums.chunks_mut(outputs.max(1))) {
            for block in blocks {
                let (own, rest) = sums.split_at_mut(block.outputs);
                readout(&row[block.columns.clone()], &block.weights, own);
                sums = rest;
            }
        }
    }

    /// Adds what `count` rows of a tile amount to: the columns from `first` of the whole, `PANEL` at most. Several
    /// outputs are added up in single precision over the tile, in double over the tiles. `sums` are `stride` apart.
    pub(super) fn add_tile(&self, tile: &[f32], count: usize, first: usize, sums: &mut [f64], stride: usize) {
        let columns = self.columns.start.max(first)..self.columns.end.min(first + PANEL);
        if columns.is_empty() || self.outputs == 0 {
            return;
        }
        let (at, inside) = (columns.start - self.columns.start, columns.start - first);
        if self.outputs == 1 {
            let weights = &self.weights[at..at + columns.len()];
            for (row, sums) in tile.chunks_exact(PANEL).take(count).zip(sums.chunks_mut(stride)) {
                readout(&row[inside..inside + columns.len()], weights, &mut sums[..1]);
            }
            return;
        }
        let mut part = [0.0; STRIP * OUTPUTS];
        for group in 0..self.outputs.div_ceil(OUTPUTS) {
            let weights = &self.packed[(group * self.columns.len() + at) * OUTPUTS..];
            let outputs = group * OUTPUTS..self.outputs.min((group + 1) * OUTPUTS);
            if count <= FEW {
                for (row, sums) in tile.chunks_exact(PANEL).take(count).zip(sums.chunks_mut(stride)) {
                    read_row_f32(columns.len(), &row[inside..], weights, &mut part);
                    add_strip(&part[..OUTPUTS], outputs.len(), &mut sums[outputs.start..], stride);
                }
                continue;
            }
            for (strip, sums) in tile
                .chunks_exact(STRIP * PANEL)
                .zip(sums.chunks_mut(STRIP * stride))
                .take(count.div_ceil(STRIP))
            {
                read_f32(columns.len(), &strip[inside..], weights, &mut part);
                add_strip(&part, outputs.len(), &mut sums[outputs.start..], stride);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Points, Vectors};
    use crate::kernel::{Kernel, rbf};

    #[test]
    fn outputs_equal_the_sums_written_out() {
        let values = |n: usize, step: f64| (0..n).map(|i| (i as f64 * step).sin()).collect::<Vec<f64>>();
        let columns = Vectors::dense(3, values(450, 0.7));
        let points = Vectors::dense(3, values(90, 1.3));
        let sizes = [(0..37, 1), (37..130, 40), (130..150, 5)];
        let weights: Vec<Vec<f64>> = sizes.iter().map(|(c, o)| values(c.len() * o, 0.9)).collect();
        let blocks: Vec<Readout> = sizes
            .iter()
            .zip(&weights)
            .map(|((columns, outputs), w)| Readout::new(columns.clone(), *outputs, w.clone()))
            .collect();
        // The second kernel asks for double precision.
        for kernel in [rbf(0.5), rbf(50.0)] {
            let bound = kernel.bind(&columns).expect("binds");
            let rows: Vec<usize> = (0..points.len()).rev().collect();
            let mut sums = vec![1.0; 30 * 46];
            bound.read(&points, &rows, &blocks, &mut sums);
            for (&i, sums) in rows.iter().zip(sums.chunks(46)) {
                let mut place = 0;
                for ((block, outputs), weights) in sizes.iter().zip(&weights) {
                    for o in 0..*outputs {
                        let term = |(at, c): (usize, usize)| {
                            weights[at * outputs + o] * kernel.value(points.row(i), columns.row(c))
                        };
                        let exact: f64 = block.clone().enumerate().map(term).sum();
                        assert!((sums[place + o] - 1.0 - exact).abs() < 1e-5, "point {i}, output {o}");
                    }
                    place += outputs;
                }
            }
        }
    }
}
