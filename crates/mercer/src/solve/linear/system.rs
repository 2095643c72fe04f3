//! The linear system of a step of Newton's method, solved by a factor or by conjugate gradients.

use std::ops::ControlFlow;

use super::multipliers::{Inverse, conjugate};
use super::passes::{Held, Passes};
use crate::linalg::{Cholesky, Lower};

/// The most features of a direct solution.
pub(super) const MAX_DIRECT: usize = 2048;
/// Features up to which a solution is direct, however few points there are.
const FEW: usize = 64;
/// Conjugate-gradient steps that a direct solution may be worth, by the count of operations.
const DIRECT: f64 = 20.0;
/// Conjugate gradients on a sample, as a preconditioner, end when the residual has fallen by this factor, or after so many steps.
const SAMPLE_FORCING: (f64, usize) = (0.05, 100);

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
pub(super) struct System<'a, D> {
    pub(super) x: &'a D,
    /// The points with h > 0.
    pub(super) rows: &'a [u32],
    /// h
    pub(super) curvature: &'a [f64],
    /// What stands in place of the 1 of I for the last feature, if something else does.
    pub(super) free: Option<f64>,
}

impl<D: Passes> System<'_, D> {
    /// d, what is left of the system, (I + Σ h xxᵀ) d + gradient, and the steps of conjugate gradients, of which the last system that
    /// they solved took `last`; so many stand for a direct solution. Rows that are held make the system themselves where they are all; a
    /// sample of them preconditions it.
    pub(super) fn solve(
        &self,
        gradient: &[f64],
        forcing: f64,
        (conjugate, last): (usize, usize),
        held: Option<Held>,
    ) -> (Vec<f64>, Vec<f64>, usize) {
        let found = if self.is_direct(last) { self.direct(gradient) } else { None };
        let found = found.map(|direction| (direction, vec![0.0; gradient.len()], last));
        found.unwrap_or_else(|| match held {
            None => self.conjugate(gradient, (forcing, conjugate), &self.diagonal()),
            Some(held) => self.by_held(gradient, (forcing, conjugate), &held),
        })
    }

    /// Whether the system is solved by a factor, where the last one took so many steps of conjugate gradients.
    pub(super) fn is_direct(&self, last: usize) -> bool {
        let (width, entries) = (self.x.width(), self.x.entries());
        let active = entries * self.rows.len() as f64;
        let cost = entries / 2.0 + (width as f64).powi(3) / (6.0 * active.max(1.0));
        width <= MAX_DIRECT && pays(width, cost, last)
    }

    /// The solution by conjugate gradients with rows that are held.
    fn by_held(&self, gradient: &[f64], ends: (f64, usize), held: &Held) -> (Vec<f64>, Vec<f64>, usize) {
        let (x, step) = (self.x.held(held), held.step);
        let rows: Vec<u32> = (0..x.len() as u32).collect();
        let curvature: Vec<f64> = self.curvature.iter().step_by(step).map(|h| h * step as f64).collect();
        let own = System { x: &x, rows: &rows, curvature: &curvature, free: self.free };
        let diagonal = own.diagonal();
        if step == 1 {
            return own.conjugate(gradient, ends, &diagonal);
        }
        let solution = |residual: &[f64]| {
            // A system is solved for minus its right side.
            let right: Vec<f64> = residual.iter().map(|r| -r).collect();
            own.conjugate(&right, SAMPLE_FORCING, &diagonal).0
        };
        self.conjugate(gradient, ends, &Inverse::Solution(&solution))
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

    /// The inverse of the diagonal.
    fn diagonal(&self) -> Inverse<'static> {
        let mut inverse = self.x.squares(self.rows, self.curvature);
        let width = inverse.len();
        inverse.iter_mut().enumerate().for_each(|(i, s)| *s = 1.0 / (*s + self.own(i, width)));
        Inverse::Diagonal(inverse)
    }

    /// The solution by conjugate gradients, preconditioned.
    fn conjugate(
        &self,
        gradient: &[f64],
        ends: (f64, usize),
        inverse: &Inverse<'_>,
    ) -> (Vec<f64>, Vec<f64>, usize) {
        let width = gradient.len();
        conjugate(gradient, inverse, ends, |search| {
            let mut product = self.x.curvature(self.rows, self.curvature, search);
            product.iter_mut().zip(search).enumerate().for_each(|(i, (p, v))| *p += self.own(i, width) * v);
            product
        })
    }
}
