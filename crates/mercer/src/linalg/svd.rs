//! Singular values and singular vectors of a matrix.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Mat, Par};

use super::ask_for_matrices;

/// $A = U \operatorname{diag}(σ) Vᵀ$, singular values descending, as many as A has rows or columns, whichever are fewer.
pub(crate) struct Svd {
    pub(crate) values: Vec<f64>,
    left: Mat<f64>,
    right: Mat<f64>,
}

impl Svd {
    /// Decomposes the matrix with these entries; `None` if the iteration does not converge, which only entries that are
    /// not finite cause. O(rows · columns · min(rows, columns)), on one thread, so that the bits do not depend on the
    /// number of threads.
    pub(crate) fn new(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> Option<Self> {
        ask_for_matrices(3, rows, columns);
        let matrix = Mat::from_fn(rows, columns, entry);
        let size = rows.min(columns);
        let (mut left, mut right) = (Mat::zeros(rows, size), Mat::zeros(columns, size));
        let mut values = Diag::<f64>::zeros(size);
        let thin = ComputeSvdVectors::Thin;
        let scratch = svd_scratch::<f64>(rows, columns, thin, thin, Par::Seq, faer::prelude::default());
        let mut memory = MemBuffer::new(scratch);
        let found = svd(
            matrix.as_ref(),
            values.as_mut(),
            Some(left.as_mut()),
            Some(right.as_mut()),
            Par::Seq,
            MemStack::new(&mut memory),
            faer::prelude::default(),
        );
        found.ok().map(|()| Self { values: values.column_vector().iter().copied().collect(), left, right })
    }

    /// The left and the right unit vector of `values[i]`; the largest entry of the left one is positive.
    pub(crate) fn vectors(&self, i: usize) -> (Vec<f64>, Vec<f64>) {
        let mut left: Vec<f64> = self.left.col(i).iter().copied().collect();
        let mut right: Vec<f64> = self.right.col(i).iter().copied().collect();
        let larger = |largest: f64, v: &f64| if v.abs() > largest.abs() { *v } else { largest };
        if left.iter().fold(0.0, larger) < 0.0 {
            left.iter_mut().chain(&mut right).for_each(|v| *v = -*v);
        }
        (left, right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_reproduce_the_matrix() {
        let entry =
            |i: usize, j: usize| 1.0 / (1.0 + i as f64 + 2.0 * j as f64) - if i == j { 0.3 } else { 0.0 };
        for (rows, columns) in [(1, 1), (40, 25), (3, 30), (150, 150)] {
            let svd = Svd::new(rows, columns, entry).unwrap();
            assert!(svd.values.is_sorted_by(|a, b| a >= b) && svd.values.iter().all(|&v| v >= 0.0));
            let vectors: Vec<_> = (0..svd.values.len()).map(|k| svd.vectors(k)).collect();
            for i in 0..rows {
                for j in 0..columns {
                    let terms = vectors.iter().zip(&svd.values);
                    let sum: f64 = terms.map(|((left, right), value)| value * left[i] * right[j]).sum();
                    assert!((sum - entry(i, j)).abs() <= 1e-13, "{i} {j}");
                }
            }
        }
    }
}
