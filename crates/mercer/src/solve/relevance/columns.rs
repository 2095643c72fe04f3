//! The candidate columns.

use rayon::prelude::*;

use crate::linalg::dot;

/// Columns of one value for each point, each scaled to unit length; the scale is undone on output.
pub(crate) struct Columns {
    rows: usize,
    values: Vec<f64>,
    lengths: Vec<f64>,
}

impl Columns {
    /// Columns of `rows` values each, column after column. One of zeros stays as it is and is never relevant.
    pub(crate) fn new(rows: usize, mut values: Vec<f64>) -> Self {
        let lengths = values.par_chunks_mut(rows.max(1)).map(|column| {
            let length = dot(column, column).sqrt();
            if length > 0.0 {
                column.iter_mut().for_each(|value| *value /= length);
            }
            length
        });
        let lengths = lengths.collect();
        Self { rows, values, lengths }
    }

    /// How many values a column has.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Column i, of unit length.
    pub(super) fn column(&self, i: usize) -> &[f64] {
        &self.values[i * self.rows..(i + 1) * self.rows]
    }

    /// What column i was divided by.
    pub(crate) fn length(&self, i: usize) -> f64 {
        self.lengths[i]
    }

    /// The inner products of all columns with a vector.
    pub(super) fn products(&self, vector: &[f64]) -> Vec<f64> {
        self.values.par_chunks(self.rows.max(1)).map(|column| dot(column, vector)).collect()
    }

    /// Σ wᵢvᵢ² of each column v; 1 for weights that are all 1.
    pub(super) fn squares(&self, weights: &[f64]) -> Vec<f64> {
        let square = |column: &[f64]| column.iter().zip(weights).map(|(v, w)| w * v * v).sum();
        self.values.par_chunks(self.rows.max(1)).map(square).collect()
    }
}
