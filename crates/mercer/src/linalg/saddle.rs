//! Symmetric linear systems that need not be definite, on one thread.
//!
//! PMPᵀ = LBLᵀ with diagonal blocks of one or two rows in B (Bunch and Kaufman 1977): n³/3 multiplications, and errors as
//! small as those of elimination with pivots. One thread, so that the bits do not depend on the number of threads.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::lblt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::cholesky::lblt::solve::{solve_in_place, solve_in_place_scratch};
use faer::perm::PermRef;
use faer::{Mat, Par};

use super::ask_for_matrices;

/// The factors of a symmetric matrix M.
pub(crate) struct Saddle {
    lower: Mat<f64>,
    diagonal: Diag<f64>,
    below: Diag<f64>,
    forward: Vec<usize>,
    backward: Vec<usize>,
}

impl Saddle {
    /// Factorises the n × n matrix with these entries; only the lower half is read.
    pub(crate) fn new(n: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        ask_for_matrices(1, n, n);
        let mut lower = Mat::from_fn(n, n, entry);
        let (mut diagonal, mut below) = (Diag::zeros(n), Diag::zeros(n));
        let (mut forward, mut backward) = (vec![0; n], vec![0; n]);
        let parameters = faer::prelude::default();
        let mut memory = MemBuffer::new(cholesky_in_place_scratch::<usize, f64>(n, Par::Seq, parameters));
        cholesky_in_place(
            lower.as_mut(),
            below.as_mut(),
            &mut forward,
            &mut backward,
            Par::Seq,
            MemStack::new(&mut memory),
            faer::prelude::default(),
        );
        diagonal.copy_from(lower.diagonal());
        lower.diagonal_mut().fill(1.0);
        Self { lower, diagonal, below, forward, backward }
    }

    /// Replaces `right` by the solution of Mx = right.
    pub(crate) fn solve(&self, right: &mut [f64]) {
        let n = right.len();
        let mut matrix = Mat::from_fn(n, 1, |i, _| right[i]);
        let mut memory = MemBuffer::new(solve_in_place_scratch::<usize, f64>(n, 1, Par::Seq));
        solve_in_place(
            self.lower.as_ref(),
            self.diagonal.as_ref(),
            self.below.as_ref(),
            PermRef::new_checked(&self.forward, &self.backward, n),
            matrix.as_mut(),
            Par::Seq,
            MemStack::new(&mut memory),
        );
        right.iter_mut().enumerate().for_each(|(i, value)| *value = matrix[(i, 0)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_indefinite_system_gives_back_what_it_was_made_of() {
        let rows = [[0.0, 1.0, 2.0], [1.0, 0.0, -1.0], [2.0, -1.0, 3.0]];
        let x = [1.0, -2.0, 0.5];
        let mut right: Vec<f64> =
            rows.iter().map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect();
        Saddle::new(3, |i, j| rows[i][j]).solve(&mut right);
        assert!(right.iter().zip(x).all(|(a, b)| (a - b).abs() < 1e-14), "{right:?}");
    }
}
