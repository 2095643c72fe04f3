//! The weights of a model: their mean and covariance.

use super::columns::Columns;
use super::evidence::Evidence;
use crate::linalg::Reflections;
use crate::simd::huge_zeros;

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

impl Posterior {
    /// Weights of the columns as they were before they were scaled: the minimum of β‖t − Φw‖² + Σ αw² as a problem of least
    /// squares, by Householder's reflections, since the normal equations lose half of the digits.
    pub(super) fn of(model: &Evidence<'_>, columns: &Columns) -> Self {
        let mut order: Vec<usize> = (0..model.active.len()).collect();
        order.sort_unstable_by_key(|&at| model.active[at]);
        let (m, k, root) = (order.len(), model.span.len(), model.beta.sqrt());
        let mut matrix: Vec<Vec<f64>> = Vec::with_capacity(m);
        for (j, &at) in order.iter().enumerate() {
            let mut column: Vec<f64> = model.span.place(model.active[at]).iter().map(|c| root * c).collect();
            column.resize(k + m, 0.0);
            column[k + j] = model.alpha[at].sqrt();
            matrix.push(column);
        }
        let mut right: Vec<f64> = model.span.target.iter().map(|t| root * t).collect();
        right.resize(k + m, 0.0);
        let factors = Reflections::new(matrix);
        factors.apply(&mut right);
        let lengths: Vec<f64> =
            order.iter().map(|&at| columns.length(model.active[at] % columns.len())).collect();
        let mean = factors.backward(&right);
        let mut covariance = huge_zeros(m * m);
        for o in 0..m {
            let unit: Vec<f64> = (0..m).map(|i| f64::from(u8::from(i == o))).collect();
            let column = factors.backward(&unit);
            column.iter().zip(&lengths).enumerate().for_each(|(i, (value, length))| {
                covariance[i * m + o] = value / length;
            });
        }
        Self {
            mean: mean.iter().zip(&lengths).map(|(w, length)| w / length).collect(),
            root: covariance,
            alpha: order
                .iter()
                .zip(&lengths)
                .map(|(&at, length)| model.alpha[at] * length * length)
                .collect(),
            columns: order.iter().map(|&at| model.active[at]).collect(),
        }
    }
}
