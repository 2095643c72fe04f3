//! The candidate columns.

use rayon::prelude::*;

use crate::simd::inner_product;

/// Columns of one value for each point, each scaled to unit length over the points with their weights; the scale is undone on output.
pub(crate) struct Columns {
    rows: usize,
    values: Vec<f64>,
    lengths: Vec<f64>,
}

impl Columns {
    /// Columns of a value for each weight, column after column. One of zeros stays as it is and is never relevant.
    pub(crate) fn new(weights: &[f64], mut values: Vec<f64>) -> Self {
        let rows = weights.len();
        let lengths = values.par_chunks_mut(rows.max(1)).map(|column| {
            let length = square(column, weights).sqrt();
            if length > 0.0 {
                column.iter_mut().for_each(|value| *value /= length);
            }
            length
        });
        let lengths = lengths.collect();
        Self { rows, values, lengths }
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

/// Σ wᵢvᵢ²
fn square(values: &[f64], weights: &[f64]) -> f64 {
    values.iter().zip(weights).map(|(v, w)| w * v * v).sum()
}
