//! The weights of a model: their mean and covariance.

use super::columns::Columns;
use crate::linalg::Reflections;
use crate::simd::{huge_zeros, inner_product};

/// Gaussian weights of some columns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Posterior {
    /// The candidates, ascending.
    pub(crate) columns: Vec<usize>,
    /// The mean of each weight.
    pub(crate) mean: Vec<f64>,
    /// U with covariance UUᵀ, row after row.
    pub(crate) root: Vec<f64>,
    /// The precision of the prior of each weight.
    pub(crate) alpha: Vec<f64>,
}

/// The precision H = ΦᵀBΦ + A of the weights of some columns as RᵀR, R the triangle of the columns B^½Φ over A^½ by Householder's
/// reflections: products of columns would lose half of the digits.
pub(super) struct Stacked {
    /// The candidates, ascending.
    candidates: Vec<usize>,
    /// The α of each.
    alpha: Vec<f64>,
    /// The place of each in the model.
    order: Vec<usize>,
    factors: Reflections,
}

impl Stacked {
    /// The triangle of candidates with their α; `scaled` gives a column of B^½Φ.
    pub(super) fn new(active: &[usize], alpha: &[f64], scaled: impl Fn(usize) -> Vec<f64>) -> Self {
        let m = active.len();
        let mut order: Vec<usize> = (0..m).collect();
        order.sort_unstable_by_key(|&at| active[at]);
        let stacked = |(j, &at): (usize, &usize)| {
            let mut column = scaled(active[at]);
            let rows = column.len();
            column.resize(rows + m, 0.0);
            column[rows + j] = alpha[at].sqrt();
            column
        };
        Self {
            factors: Reflections::new(order.iter().enumerate().map(stacked).collect()),
            candidates: order.iter().map(|&at| active[at]).collect(),
            alpha: order.iter().map(|&at| alpha[at]).collect(),
            order,
        }
    }

    /// The weights w of the least ‖t − B^½Φw‖² + wᵀAw in the order of the model, and that least value.
    pub(super) fn fit(&self, mut target: Vec<f64>) -> (Vec<f64>, f64) {
        let m = self.order.len();
        target.resize(target.len() + m, 0.0);
        self.factors.apply(&mut target);
        let solved = self.factors.backward(&target);
        let mut mean = vec![0.0; m];
        self.order.iter().zip(solved).for_each(|(&at, w)| mean[at] = w);
        (mean, inner_product(&target[m..], &target[m..]))
    }

    /// Σ log α − log|H|
    pub(super) fn log_ratio(&self) -> f64 {
        let of = |(i, alpha): (usize, &f64)| alpha.ln() - 2.0 * self.factors.entry(i, i).abs().ln();
        self.alpha.iter().enumerate().map(of).sum()
    }

    /// The weights of the columns as they were before they were scaled, with a mean in the order of the model.
    pub(super) fn posterior(self, mean: &[f64], columns: &Columns) -> Posterior {
        let m = self.order.len();
        let lengths: Vec<f64> =
            self.candidates.iter().map(|candidate| columns.length(candidate % columns.len())).collect();
        let mut root = huge_zeros(m * m);
        for o in 0..m {
            let unit: Vec<f64> = (0..m).map(|i| f64::from(u8::from(i == o))).collect();
            let column = self.factors.backward(&unit);
            column.iter().zip(&lengths).enumerate().for_each(|(i, (value, length))| {
                root[i * m + o] = value / length;
            });
        }
        Posterior {
            mean: self.order.iter().zip(&lengths).map(|(&at, length)| mean[at] / length).collect(),
            root,
            alpha: self.alpha.iter().zip(&lengths).map(|(alpha, length)| alpha * length * length).collect(),
            columns: self.candidates,
        }
    }
}
