//! Eigenvalues and eigenvectors of a symmetric matrix.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, MatRef, Par};

use super::{Square, ask_for_matrices};

/// $K = U \operatorname{diag}(λ) Uᵀ$, eigenvalues ascending.
pub(crate) struct Eigen {
    pub(crate) values: Vec<f64>,
    vectors: Mat<f64>,
}

impl Eigen {
    /// Decomposes the n × n matrix with these entries; only the lower triangle is read. `None` if the iteration does not
    /// converge, which only entries that are not finite cause. O(n³), on one thread, so that the bits do not depend on
    /// the number of threads.
    pub(crate) fn new(n: usize, entry: impl Fn(usize, usize) -> f64) -> Option<Self> {
        ask_for_matrices(1, n, n);
        let matrix = Mat::from_fn(n, n, |i, j| entry(i.max(j), i.min(j)));
        Self::decompose(matrix.as_ref())
    }

    /// Decomposes a matrix whose two halves are both filled; see [`Eigen::new`].
    pub(crate) fn of(matrix: &Square) -> Option<Self> {
        Self::decompose(MatRef::from_column_major_slice(matrix.values(), matrix.n(), matrix.n()))
    }

    fn decompose(matrix: MatRef<'_, f64>) -> Option<Self> {
        let n = matrix.nrows();
        // The vectors, and what the decomposition works in.
        ask_for_matrices(2, n, n);
        let (mut values, mut vectors) = (Diag::<f64>::zeros(n), Mat::<f64>::zeros(n, n));
        let scratch =
            self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, faer::prelude::default());
        let mut memory = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut memory);
        let found = self_adjoint_evd(
            matrix,
            values.as_mut(),
            Some(vectors.as_mut()),
            Par::Seq,
            stack,
            faer::prelude::default(),
        );
        found.ok().map(|()| Self { values: values.column_vector().iter().copied().collect(), vectors })
    }

    /// The unit eigenvector of `values[i]`, with whatever sign the decomposition gave it.
    pub(crate) fn column(&self, i: usize) -> &[f64] {
        let column = self.vectors.col(i).try_as_col_major();
        column.map_or(&[], |column| column.as_slice())
    }

    /// The unit eigenvector of `values[i]`, with the sign that makes its largest entry positive.
    pub(crate) fn vector(&self, i: usize) -> Vec<f64> {
        let mut vector: Vec<f64> = self.vectors.col(i).iter().copied().collect();
        fix_sign(&mut vector);
        vector
    }
}

/// Changes the sign of a vector if its entry of the largest size (the first of several equal ones) is negative.
pub(super) fn fix_sign(vector: &mut [f64]) {
    let largest =
        vector.iter().copied().fold(0.0, |largest: f64, v| if v.abs() > largest.abs() { v } else { largest });
    if largest < 0.0 {
        vector.iter_mut().for_each(|v| *v = -*v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_reproduce_the_matrix() {
        let entry = |i: usize, j: usize| 1.0 / (1.0 + i as f64 + j as f64) - if i == j { 0.3 } else { 0.0 };
        let n = 40;
        let eigen = Eigen::new(n, entry).unwrap();
        assert!(eigen.values.is_sorted());
        let vectors: Vec<Vec<f64>> = (0..n).map(|i| eigen.vector(i)).collect();
        for i in 0..n {
            for j in 0..n {
                let sum: f64 = (0..n).map(|k| eigen.values[k] * vectors[k][i] * vectors[k][j]).sum();
                assert!((sum - entry(i, j)).abs() <= 1e-13, "{i} {j}");
            }
        }
    }
}
