//! A Gram whose values are all held in memory.

use std::sync::Arc;

use super::{Gram, Subset};
use crate::simd::huge_zeros;

/// Rows computed at once while the matrix is filled.
const BATCH: usize = 256;

/// The whole matrix, n² values in single precision.
pub struct Full {
    values: Arc<Vec<f32>>,
    diagonal: Vec<f64>,
    computed: u64,
}

impl Full {
    /// Computes every row of `gram` once.
    #[must_use]
    pub fn new(gram: &dyn Gram) -> Self {
        let n = gram.len();
        let mut values = huge_zeros(n * n);
        let mut rows: Vec<&mut [f32]> = values.chunks_mut(n.max(1)).collect();
        let index: Vec<usize> = (0..n).collect();
        for (index, rows) in index.chunks(BATCH).zip(rows.chunks_mut(BATCH)) {
            gram.rows(index, rows);
        }
        Self::from_values(values, gram.diagonal().to_vec())
    }

    /// The matrix with these values, row after row, and its diagonal in double precision.
    ///
    /// # Panics
    /// If there are not n² values for n diagonal entries.
    #[must_use]
    pub fn from_values(values: Vec<f32>, diagonal: Vec<f64>) -> Self {
        assert_eq!(values.len(), diagonal.len() * diagonal.len(), "a square matrix with its diagonal");
        let computed = values.len() as u64;
        Self { values: Arc::new(values), diagonal, computed }
    }
}

impl Gram for Full {
    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn rows(&self, rows: &[usize], out: &mut [&mut [f32]]) {
        let n = self.len();
        rows.iter().zip(out).for_each(|(&i, out)| out.copy_from_slice(&self.values[i * n..(i + 1) * n]));
    }

    fn restrict<'a>(&'a self, index: &[usize]) -> Box<dyn Gram + 'a> {
        Box::new(Subset::new(self, index))
    }

    fn share(&self) -> Box<dyn Gram + '_> {
        Box::new(Self { values: Arc::clone(&self.values), diagonal: self.diagonal.clone(), computed: 0 })
    }

    fn computed(&self) -> u64 {
        self.computed
    }
}
