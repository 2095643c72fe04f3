//! The span of a support vector (Vapnik and Chapelle 2000): how far φ(x_p) is from what the other free support vectors can make.
//!
//! $$ S_p² = \min_λ ‖φ(x_p) − Σ_{i ∈ V, i ≠ p} λ_i φ(x_i)‖², \qquad Σ λ_i = 1, $$
//!
//! over the free support vectors V; the sum is free where there is no offset. With K̃ = [K_VV, 1; 1ᵀ, 0] it is 1/(K̃⁻¹)_pp for p in V
//! and k(x_p, x_p) − vᵀK̃⁻¹v with v = (K_Vp; 1) for the others. Where leaving out p lets no other row become or stop being free, the
//! coefficient of p goes to the free ones in the shares λ, and the decision at x_p falls by α_p S_p² towards the other side, exactly.
//!
//! Cost: |V|³ for the inverse and |V|² for each support vector that is not free.

use rayon::prelude::*;

use super::optimum::Optimum;
use super::separation::Separation;
use super::table::Table;
use crate::gram::Gram;
use crate::linalg::Saddle;

/// What is added to the diagonal, as a share of its mean: points may be repeated, or more than there are features.
const REGULAR: f64 = 1e-11;

/// S_p² and λ.
pub(super) struct Span {
    pub(super) square: f64,
    /// λ, one for each free support vector; 0 at p itself.
    pub(super) shares: Vec<f64>,
}

/// The inverse of K̃.
pub(super) struct Spans<'a> {
    separation: &'a Separation,
    optimum: &'a Optimum,
    table: &'a Table,
    /// 1/c of each row where slacks are squared, else 0.
    ridge: Vec<f64>,
    /// One column for each free support vector, and one for the sum where there is an offset.
    inverse: Vec<Vec<f64>>,
}

impl<'a> Spans<'a> {
    /// Inverts the matrix of the free support vectors.
    pub(super) fn new(separation: &'a Separation, optimum: &'a Optimum, table: &'a Table) -> Self {
        let free = &optimum.free;
        let (n, ridge) = (free.len(), separation.ridge());
        let own = |i: usize| table.diagonal()[i] + ridge[i];
        let mean = free.iter().map(|&i| own(i)).sum::<f64>() / n.max(1) as f64;
        let size = n + usize::from(separation.offset);
        let entry = |i: usize, j: usize| match (i < n, j < n) {
            (true, true) if i == j => own(free[i]) + REGULAR * mean,
            (true, true) => table.row(free[i])[free[j]],
            (false, false) => 0.0,
            _ => 1.0,
        };
        let inverse = if n == 0 {
            Vec::new()
        } else {
            let factors = Saddle::new(size, entry);
            let column = |j: usize| {
                let mut column = vec![0.0; size];
                column[j] = 1.0;
                factors.solve(&mut column);
                column
            };
            (0..size).into_par_iter().map(column).collect()
        };
        Self { separation, optimum, table, ridge, inverse }
    }

    /// The span of a support vector; none where the others cannot take over its coefficient.
    pub(super) fn of(&self, p: usize) -> Option<Span> {
        let free = &self.optimum.free;
        let (n, own) = (free.len(), self.table.diagonal()[p] + self.ridge[p]);
        let span = match free.binary_search(&p) {
            Ok(place) => {
                let column = &self.inverse[place];
                let pivot = column[place];
                let share = |(j, value): (usize, &f64)| if j == place { 0.0 } else { -value / pivot };
                let shares: Vec<f64> = column[..n].iter().enumerate().map(share).collect();
                Span { square: 1.0 / pivot, shares }
            }
            Err(_) if n == 0 && self.separation.offset => return None,
            Err(_) => {
                let mut right: Vec<f64> = free.iter().map(|&j| self.table.row(p)[j]).collect();
                if self.separation.offset {
                    right.push(1.0);
                }
                let product = |column: &Vec<f64>| column.iter().zip(&right).map(|(a, b)| a * b).sum::<f64>();
                let mut shares: Vec<f64> = self.inverse.iter().map(product).collect();
                let square = own - shares.iter().zip(&right).map(|(a, b)| a * b).sum::<f64>();
                shares.truncate(n);
                Span { square, shares }
            }
        };
        let finite = span.square.is_finite() && span.shares.iter().all(|share| share.is_finite());
        finite.then(|| Span { square: span.square.max(0.0), ..span })
    }
}
