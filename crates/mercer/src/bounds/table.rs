//! All kernel values of the rows of a pair, in double precision.
//!
//! Memory: 8 n² bytes. Leaving out a row needs the values of many rows again and again.

use std::sync::Arc;

use rayon::prelude::*;

use crate::error::{DataProblem, ErrorKind, Result};
use crate::gram::{Gram, Subset};
use crate::linalg::{Eigen, Square, dot};
use crate::memory::room;

/// The most rows whose eigenvalues are computed: beyond that a kernel is definite by construction or refused.
const MOST_EIGENVALUES: usize = 2000;
/// An eigenvalue above minus this share of the largest is 0 or more: what rounding makes of 0.
const NEGATIVE: f64 = 1e-9;

/// K, and k(x, x) of each row.
#[derive(Clone)]
pub(super) struct Table {
    values: Arc<Square>,
    diagonal: Vec<f64>,
}

impl Table {
    /// Computes all values of a Gram.
    ///
    /// # Errors
    /// If there is no memory for them, or one is not finite.
    pub(super) fn new(gram: &dyn Gram) -> Result<Self> {
        let n = gram.len();
        let bytes = (n as u64).saturating_mul(n as u64).saturating_mul(size_of::<f64>() as u64);
        room("all kernel values of two classes", bytes, None, "take a part of the rows")?;
        let mut values = Square::zeros(n);
        let rows = values.values_mut().par_chunks_mut(n.max(1)).enumerate();
        rows.for_each(|(i, row)| gram.rows_f64(&[i], &mut [row]));
        // A value of the engine and its mirror image may differ in their last bits.
        values.mirror();
        if let Some(at) = values.values().iter().position(|value| !value.is_finite()) {
            let (row, column) = (at / n + 1, at % n + 1);
            return Err(ErrorKind::Data(DataProblem::KernelNotFinite { row, column }).into());
        }
        Ok(Self { diagonal: gram.diagonal().to_vec(), values: Arc::new(values) })
    }

    /// Row i.
    pub(super) fn row(&self, i: usize) -> &[f64] {
        self.values.row(i)
    }

    /// Kβ
    pub(super) fn product(&self, beta: &[f64]) -> Vec<f64> {
        let mut u = vec![0.0; self.len()];
        for (i, &b) in beta.iter().enumerate().filter(|(_, b)| **b != 0.0) {
            add(&mut u, self.row(i), b);
        }
        u
    }

    /// Σ αᵢ k(xᵢ, x_p)
    pub(super) fn sum(&self, p: usize, alpha: &[f64]) -> f64 {
        dot(self.row(p), alpha)
    }

    /// The smallest and the largest value.
    pub(super) fn range(&self) -> (f64, f64) {
        let fold = |(low, high): (f64, f64), &k: &f64| (low.min(k), high.max(k));
        self.values.values().iter().fold((f64::INFINITY, f64::NEG_INFINITY), fold)
    }

    /// Whether K is positive semi-definite, by its eigenvalues; none where there are too many rows to know.
    pub(super) fn is_definite(&self) -> Option<bool> {
        if self.len() > MOST_EIGENVALUES {
            return None;
        }
        let eigen = Eigen::of(&self.values)?;
        let most = eigen.values.last().copied().unwrap_or(0.0).max(0.0);
        Some(eigen.values.first().is_none_or(|least| *least >= -NEGATIVE * most))
    }
}

/// sums += weight · row
pub(super) fn add(sums: &mut [f64], row: &[f64], weight: f64) {
    sums.iter_mut().zip(row).for_each(|(sum, k)| *sum += weight * k);
}

impl Gram for Table {
    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn rows(&self, rows: &[usize], out: &mut [&mut [f32]]) {
        for (&i, out) in rows.iter().zip(out) {
            out.iter_mut().zip(self.row(i)).for_each(|(value, &k)| *value = k as f32);
        }
    }

    fn rows_f64(&self, rows: &[usize], out: &mut [&mut [f64]]) {
        rows.iter().zip(out).for_each(|(&i, out)| out.copy_from_slice(self.row(i)));
    }

    fn accumulate(&self, points: &[usize], weights: &[f64], sums: &mut [f64]) {
        points.iter().zip(weights).for_each(|(&i, &weight)| add(sums, self.row(i), weight));
    }

    fn restrict<'a>(&'a self, index: &[usize]) -> Box<dyn Gram + 'a> {
        Box::new(Subset::new(self, index))
    }

    fn share(&self) -> Box<dyn Gram + '_> {
        Box::new(self.clone())
    }

    fn computed(&self) -> u64 {
        let n = self.len() as u64;
        n * n
    }
}
