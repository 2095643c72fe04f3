//! A single fitted function and what every machine that makes one shares.

use crate::data::Points;
use crate::error::{DataProblem, ErrorKind, Result, check};
use crate::kernel::Kernel;
use crate::model::{Coefficients, Expansion};
use crate::solve::{Certificate, Solution};

/// A function f(x) = Σ βᵢ k(xᵢ, x) − b over its support points, and how good it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Function<X, K> {
    /// f
    pub expansion: Expansion<X, K>,
    /// Positions of the support points in the training data, from 0; empty when unknown (LIBSVM model files).
    pub support: Vec<usize>,
    /// How good it is; absent when unknown (LIBSVM model files).
    pub certificate: Option<Certificate>,
}

impl<X: Points, K: Kernel<X>> Function<X, K> {
    /// The function of a solution: the points whose coefficient is not zero.
    pub(super) fn new(kernel: K, x: &X, solution: Solution) -> Self {
        let support: Vec<usize> = (0..x.len()).filter(|&i| solution.coefficients[i] != 0.0).collect();
        let values = support.iter().map(|&i| solution.coefficients[i]).collect();
        Self {
            expansion: Expansion::new(
                kernel,
                x.select(&support),
                Coefficients::single(values),
                vec![solution.offset],
            ),
            support,
            certificate: Some(solution.certificate),
        }
    }

    /// The coefficients β of the support points.
    #[must_use]
    pub fn coefficients(&self) -> &[f64] {
        self.expansion.coefficients().blocks.first().map_or(&[], |block| &block.values)
    }

    /// f at each of `points`.
    ///
    /// # Errors
    /// If the points do not fit the function.
    pub fn values(&self, points: &X) -> Result<Vec<f64>> {
        self.expansion.map(points, |outputs| outputs[0])
    }
}

/// Refuses points or numbers beside them that cannot be used: none at all, or not one number a point.
pub(super) fn check_points<X: Points>(x: &X, beside: usize, what: &'static str) -> Result<()> {
    if x.len() == 0 {
        return Err(ErrorKind::Data(DataProblem::Empty).into());
    }
    check(what, beside as f64, beside == x.len(), "must be one per point")?;
    x.check_finite()
}

/// Refuses ν outside (0, 1].
pub(super) fn check_nu(nu: f64) -> Result<()> {
    check("nu", nu, nu > 0.0 && nu <= 1.0, "must be above 0 and at most 1")
}
