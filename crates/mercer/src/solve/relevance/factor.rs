//! G = I + WWᵀ in factors that keep its small directions beside large ones.
//!
//! W = QR with its columns in the order of their size; then G = Q((I + RRᵀ) ⊕ I)Qᵀ, and since the rows of R fall in size, the
//! Cholesky factor L of I + RRᵀ has each of its rows right to a few digits less than all, also where entries differ by 10²⁰.

use std::ops::ControlFlow;

use crate::linalg::{Cholesky, Lower, Reflections, inner};
use crate::simd::inner_product;

/// Factors of G, a matrix of k × k, for W of k × m.
pub(super) struct Factor {
    turned: Reflections,
    /// L, of min(k, m) rows.
    lower: Cholesky,
    /// k.
    size: usize,
    /// min(k, m).
    rank: usize,
}

impl Factor {
    /// The factors for the columns of W, of `size` values each; none where values are not finite.
    pub(super) fn new(size: usize, columns: Vec<Vec<f64>>) -> Option<Self> {
        let count = columns.len();
        let rank = size.min(count);
        let turned = Reflections::pivoted(columns);
        // Rows of R, which are contiguous from the diagonal on.
        let rows: Vec<Vec<f64>> =
            (0..rank).map(|i| (i..count).map(|j| turned.entry(i, j)).collect()).collect();
        let mut matrix = Lower::zeros(rank);
        for i in 0..rank {
            for (j, value) in matrix.row_mut(i).iter_mut().enumerate() {
                *value = inner_product(&rows[i], &rows[j][i - j..]);
            }
        }
        matrix.add_diagonal(|_| 1.0);
        let lower = Cholesky::new(matrix, &mut |_| ControlFlow::Continue(())).ok()?;
        Some(Self { turned, lower, size, rank })
    }

    /// log|G|.
    pub(super) fn log_determinant(&self) -> f64 {
        self.lower.log_determinant()
    }

    /// (L⁻¹ ⊕ I)Qᵀ times a vector: the square of its length is that with G⁻¹.
    pub(super) fn halved(&self, vector: &[f64]) -> Vec<f64> {
        let mut turned = vector.to_vec();
        self.turned.apply(&mut turned);
        let mut own = vec![turned[..self.rank].to_vec()];
        self.lower.solve_lower(&mut own);
        turned[..self.rank].copy_from_slice(&own[0]);
        turned
    }

    /// L⁻¹Qᵀ times each column of W, in their own order.
    pub(super) fn halved_columns(&self) -> Vec<Vec<f64>> {
        let count = self.turned.order().len();
        let mut columns = vec![Vec::new(); count];
        for (j, &place) in self.turned.order().iter().enumerate() {
            columns[place] = (0..self.rank).map(|i| self.turned.entry(i, j)).collect();
        }
        self.lower.solve_lower(&mut columns);
        columns
    }

    /// The square of the length of G⁻¹ times a vector, from the vector that [`Factor::halved`] gives.
    pub(super) fn solved_square(&self, halved: &[f64]) -> f64 {
        let mut own = vec![halved[..self.rank].to_vec()];
        self.lower.solve_upper(&mut own);
        inner_product(&own[0], &own[0]) + inner_product(&halved[self.rank..], &halved[self.rank..])
    }

    /// G⁻¹, row after row: VᵀV with V = (L⁻¹ ⊕ I)Qᵀ.
    pub(super) fn inverse(&self) -> Vec<f64> {
        let mut columns = self.turned.columns(self.size);
        let mut own: Vec<Vec<f64>> = columns.iter().map(|column| column[..self.rank].to_vec()).collect();
        self.lower.solve_lower(&mut own);
        columns.iter_mut().zip(&own).for_each(|(column, own)| column[..self.rank].copy_from_slice(own));
        inner(&columns, &columns)
    }
}
