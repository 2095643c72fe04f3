//! The linear system of a step of Newton's method, solved by a factor or by conjugate gradients.

use std::ops::ControlFlow;

use super::design::Design;
use super::multipliers::conjugate;
use crate::linalg::{Cholesky, Lower};

/// The most features of a direct solution.
pub(super) const MAX_DIRECT: usize = 2048;
/// Features up to which a solution is direct, however few points there are.
const FEW: usize = 64;
/// Conjugate-gradient steps that a direct solution may be worth, by the count of operations.
const DIRECT: f64 = 20.0;

/// Whether a direct solution for so many weights pays, where it costs as much as `cost` steps of conjugate gradients and the last system
/// that they solved took `last` of them.
pub(super) fn pays(width: usize, cost: f64, last: usize) -> bool {
    width <= FEW || cost <= DIRECT.max(last as f64)
}

/// d with A d = −gradient, where A is `lower` on and below the diagonal; none where it has no factor.
pub(super) fn direct(lower: Lower, gradient: &[f64]) -> Option<Vec<f64>> {
    let factor = Cholesky::<f64>::new(lower, &mut |_| ControlFlow::Continue(())).ok()?;
    let mut right = [gradient.iter().map(|g| -g).collect::<Vec<f64>>()];
    factor.solve(&mut right);
    let [direction] = right;
    Some(direction)
}

/// The system of a step: (I + Σ h xxᵀ) d = −gradient.
pub(super) struct System<'a> {
    pub(super) x: Design<'a>,
    /// The points with h > 0.
    pub(super) rows: &'a [u32],
    /// h
    pub(super) curvature: &'a [f64],
    /// What stands in place of the 1 of I for the last feature, if something else does.
    pub(super) free: Option<f64>,
}

impl System<'_> {
    /// d, what is left of the system, (I + Σ h xxᵀ) d + gradient, and the steps of conjugate gradients, of which the last system that
    /// they solved took `last`; so many stand for a direct solution.
    pub(super) fn solve(
        &self,
        gradient: &[f64],
        forcing: f64,
        (conjugate, last): (usize, usize),
    ) -> (Vec<f64>, Vec<f64>, usize) {
        let (width, entries) = (gradient.len(), self.x.entries());
        let active = entries * self.rows.len() as f64;
        let cost = entries / 2.0 + (width as f64).powi(3) / (6.0 * active.max(1.0));
        let direct = width <= MAX_DIRECT && pays(width, cost, last);
        let found = if direct { self.direct(gradient) } else { None };
        let found = found.map(|direction| (direction, vec![0.0; width], last));
        found.unwrap_or_else(|| self.conjugate(gradient, forcing, conjugate))
    }

    /// The solution by a factor; none where the matrix has none.
    fn direct(&self, gradient: &[f64]) -> Option<Vec<f64>> {
        let width = gradient.len();
        let outer = self.x.outer(self.rows, self.curvature);
        let mut lower = Lower::zeros(width);
        for i in 0..width {
            let row = lower.row_mut(i);
            row.copy_from_slice(&outer[i * width..][..i + 1]);
            row[i] += self.own(i, width);
        }
        direct(lower, gradient)
    }

    fn own(&self, i: usize, width: usize) -> f64 {
        self.free.filter(|_| i + 1 == width).unwrap_or(1.0)
    }

    /// The solution by conjugate gradients, preconditioned by the diagonal.
    fn conjugate(&self, gradient: &[f64], forcing: f64, most: usize) -> (Vec<f64>, Vec<f64>, usize) {
        let width = gradient.len();
        let mut inverse = self.x.squares(self.rows, self.curvature);
        inverse.iter_mut().enumerate().for_each(|(i, s)| *s = 1.0 / (*s + self.own(i, width)));
        conjugate(gradient, &inverse, (forcing, most), |search| {
            let mut product = self.x.curvature(self.rows, self.curvature, search);
            product.iter_mut().zip(search).enumerate().for_each(|(i, (p, v))| *p += self.own(i, width) * v);
            product
        })
    }
}
