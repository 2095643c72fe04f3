//! The variance of all values of a data set.

use rayon::prelude::*;

use super::points::{Points, Vectors};

/// Rows summed one after the other: the bits then do not depend on the number of threads.
const BLOCK: usize = 256;

impl Vectors {
    /// The variance of all values, those that are not stored included, with a weight for each row; empty weights are 1. In two
    /// passes, in double precision; 0 where there are no values.
    ///
    /// # Panics
    /// If there are weights, but not one for each row.
    #[must_use]
    pub fn variance(&self, weights: &[f64]) -> f64 {
        assert!(weights.is_empty() || weights.len() == self.len(), "a weight for each row");
        let weight = |i: usize| weights.get(i).copied().unwrap_or(1.0);
        let total = (0..self.len()).map(weight).sum::<f64>() * self.width() as f64;
        if total == 0.0 {
            return 0.0;
        }
        let mean = self.sum(weight, |value| value) / total;
        self.sum(weight, |value| (value - mean).powi(2)) / total
    }

    /// The sum of a term of every value.
    fn sum(&self, weight: impl Fn(usize) -> f64 + Sync, term: impl Fn(f64) -> f64 + Sync) -> f64 {
        let (n, width) = (self.len(), self.width());
        let row = |i: usize| {
            let row = self.row(i);
            let mut sum = term(0.0) * (width - row.stored()) as f64;
            row.for_each(|_, value| sum += term(value));
            weight(i) * sum
        };
        let block = |block: usize| -> f64 { (block * BLOCK..n.min((block + 1) * BLOCK)).map(row).sum() };
        (0..n.div_ceil(BLOCK)).into_par_iter().map(block).collect::<Vec<_>>().iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{Sparse, Vectors};

    #[test]
    fn values_that_are_not_stored_count_as_zeros() {
        // 0, 2, 0, 0, 0, 4: mean 1, squares 1, 1, 1, 1, 1, 9.
        let dense = Vectors::dense(2, vec![0.0, 2.0, 0.0, 0.0, 0.0, 4.0]);
        let sparse = Vectors::from(Sparse::<f64>::new(2, vec![0, 1, 1, 2], vec![1, 1], vec![2.0, 4.0]));
        assert_eq!((dense.variance(&[]), sparse.variance(&[])), (14.0 / 6.0, 14.0 / 6.0));
    }

    #[test]
    fn a_weight_is_a_number_of_copies() {
        let rows = Vectors::dense(1, vec![1.0, 2.0, 5.0]);
        let copies = Vectors::dense(1, vec![1.0, 1.0, 1.0, 5.0]);
        assert_eq!(rows.variance(&[3.0, 0.0, 1.0]), copies.variance(&[]));
        assert_eq!(rows.variance(&[0.0; 3]), 0.0);
    }
}
