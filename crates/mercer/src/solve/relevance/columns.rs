//! The candidate columns.

use std::ops::Range;

use rayon::prelude::*;

use crate::simd::{huge_zeros, inner_product};

/// Columns computed together.
const TOGETHER: usize = 16;

/// Columns of one value for each point, each scaled to unit length over the points with their weights; the scale is undone on output.
pub(crate) struct Columns {
    rows: usize,
    values: Vec<f64>,
    lengths: Vec<f64>,
}

impl Columns {
    /// Columns of a value for each weight. `fill` writes the values of a range of them, column after column; each is scaled while it is
    /// still in the cache. One of zeros stays as it is and is never relevant.
    ///
    /// # Errors
    /// Those of `fill`.
    pub(crate) fn filled<E: Send>(
        weights: &[f64],
        count: usize,
        fill: impl Fn(Range<usize>, &mut [f64]) -> Result<(), E> + Sync,
    ) -> Result<Self, E> {
        let rows = weights.len();
        let (mut values, mut lengths) = (huge_zeros(count * rows), vec![0.0; count]);
        let pieces = values.par_chunks_mut(TOGETHER * rows.max(1)).zip(lengths.par_chunks_mut(TOGETHER));
        pieces.enumerate().try_for_each(|(piece, (values, lengths))| {
            fill(piece * TOGETHER..piece * TOGETHER + lengths.len(), values)?;
            for (column, length) in values.chunks_mut(rows.max(1)).zip(lengths) {
                *length = square(column, weights).sqrt();
                if *length > 0.0 {
                    column.iter_mut().for_each(|value| *value /= *length);
                }
            }
            Ok(())
        })?;
        Ok(Self { rows, values, lengths })
    }

    /// Columns of given values, column after column.
    #[cfg(test)]
    pub(crate) fn new(weights: &[f64], values: &[f64]) -> Self {
        let rows = weights.len();
        let copied = |range: Range<usize>, own: &mut [f64]| {
            own.copy_from_slice(&values[range.start * rows..range.end * rows]);
            Ok::<(), std::convert::Infallible>(())
        };
        let Ok(columns) = Self::filled(weights, values.len() / rows, copied);
        columns
    }

    /// How many columns there are.
    pub(crate) fn len(&self) -> usize {
        self.lengths.len()
    }

    /// How many values a column has.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Column i, of unit length.
    pub(crate) fn column(&self, i: usize) -> &[f64] {
        &self.values[i * self.rows..(i + 1) * self.rows]
    }

    /// What column i was divided by.
    pub(crate) fn length(&self, i: usize) -> f64 {
        self.lengths[i]
    }

    /// The inner products of all columns with a vector.
    pub(super) fn products(&self, vector: &[f64]) -> Vec<f64> {
        self.values.par_chunks(self.rows.max(1)).map(|column| inner_product(column, vector)).collect()
    }

    /// Σ wᵢvᵢ² of each column v.
    pub(super) fn squares(&self, weights: &[f64]) -> Vec<f64> {
        self.values.par_chunks(self.rows.max(1)).map(|column| square(column, weights)).collect()
    }
}

/// Σ wᵢvᵢ², in eight sums side by side: a single one would wait for each addition.
fn square(values: &[f64], weights: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    for (values, weights) in values.chunks(8).zip(weights.chunks(8)) {
        for ((sum, v), w) in sums.iter_mut().zip(values).zip(weights) {
            *sum += w * v * v;
        }
    }
    sums.iter().sum()
}
