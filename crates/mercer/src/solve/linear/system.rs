//! The linear system of a step of Newton's method, solved by a factor or by conjugate gradients.

use std::ops::ControlFlow;

use super::design::add;
use super::multipliers::{Ends, Inverse, conjugate};
use super::passes::{Held, Passes};
use crate::linalg::{Cholesky, Lower};

/// The most features of a direct solution.
pub(super) const MAX_DIRECT: usize = 2048;
/// Features up to which a solution is direct, however few points there are.
const FEW: usize = 64;
/// Conjugate-gradient steps that a direct solution may be worth, by the count of operations.
const DIRECT: f64 = 20.0;
/// Operations of a factorisation in the time of one on an entry of a row.
const FACTOR: f64 = 60.0;
/// Rows of a sample whose matrix preconditions, in units of the features.
const SAMPLED: f64 = 4.0;
/// Steps of conjugate gradients that are expected with such a preconditioner.
const PRECONDITIONED: f64 = 8.0;
/// Conjugate gradients on a sample, as a preconditioner, end when the residual has fallen by this factor, or after so many steps.
const SAMPLE_ENDS: Ends = Ends { forcing: 0.05, enough: 0.0, most: 100 };

/// Whether a direct solution for so many weights pays, where it costs as much as `cost` steps of conjugate gradients and the last system
/// that they solved took `last` of them.
pub(super) fn pays(width: usize, cost: f64, last: usize) -> bool {
    width <= FEW || cost <= DIRECT.max(last as f64)
}

/// The factor of the matrix that is `lower` on and below the diagonal; none where it has none.
pub(super) fn factor(lower: Lower) -> Option<Cholesky<f64>> {
    Cholesky::new(lower, &mut |_| ControlFlow::Continue(())).ok()
}

/// A⁻¹ times a vector, A by its factor.
pub(super) fn solution(factor: &Cholesky<f64>, right: Vec<f64>) -> Vec<f64> {
    let mut right = [right];
    factor.solve(&mut right);
    let [solution] = right;
    solution
}

/// How a system is solved.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// By the factor of its matrix.
    Direct,
    /// By conjugate gradients, preconditioned by the factor of the matrix that every so many-th row makes.
    Sampled(usize),
    /// By conjugate gradients, preconditioned by the diagonal.
    Diagonal,
}

/// Σ h xxᵀ of a system.
pub(super) struct Matrix {
    /// The points with h > 0.
    rows: Vec<u32>,
    /// h
    curvature: Vec<f64>,
    outer: Vec<f64>,
}

impl Matrix {
    /// The rows with another h in a system with these rows and their h, and the differences; none where they are half of the rows.
    fn changes(&self, rows: &[u32], curvature: &[f64]) -> Option<(Vec<u32>, Vec<f64>)> {
        let mut changes = (Vec::new(), Vec::new());
        let (mut at, mut old) = (0, 0);
        while at < rows.len() || old < self.rows.len() {
            let (row, before) = (rows.get(at).unwrap_or(&u32::MAX), self.rows.get(old).unwrap_or(&u32::MAX));
            let mut change = 0.0;
            if row <= before {
                change += curvature[at];
                at += 1;
            }
            if before <= row {
                change -= self.curvature[old];
                old += 1;
            }
            if change != 0.0 {
                changes.0.push(*row.min(before));
                changes.1.push(change);
            }
            if 2 * changes.0.len() > rows.len() {
                return None;
            }
        }
        Some(changes)
    }
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
        ends: Ends,
        last: usize,
        held: Option<Held>,
        matrix: &mut Option<Matrix>,
    ) -> (Vec<f64>, Vec<f64>, usize) {
        let way = self.way(last);
        let factor = match (way, &held) {
            (Way::Direct, _) => {
                let made = self.matrix(matrix.take());
                self.factor(&matrix.insert(made).outer)
            }
            (Way::Sampled(step), None) => self.factor(&self.sampled(step)),
            _ => None,
        };
        match (factor, held) {
            (Some(factor), _) if way == Way::Direct => {
                let right = gradient.iter().map(|g| -g).collect();
                (solution(&factor, right), vec![0.0; gradient.len()], last)
            }
            (Some(factor), _) => self.conjugate(gradient, ends, &Inverse::Factor(factor)),
            (None, None) => self.narrow(gradient, ends),
            (None, Some(held)) => self.by_held(gradient, ends, &held),
        }
    }

    /// How the system is solved, where the last one took so many steps of conjugate gradients.
    pub(super) fn way(&self, last: usize) -> Way {
        let (width, entries) = (self.x.width(), self.x.entries());
        if width > MAX_DIRECT {
            return Way::Diagonal;
        }
        let rows = self.rows.len() as f64;
        let factor = (width as f64).powi(3) / (FACTOR * (rows * entries).max(1.0));
        let direct = 0.5 * entries + factor;
        let step = (rows / (SAMPLED * width as f64).max(2.0 * rows / entries)) as usize;
        let sampled = 0.5 * entries / step.max(1) as f64 + factor + PRECONDITIONED;
        if step > 1 && sampled < direct && pays(width, sampled, last) {
            Way::Sampled(step)
        } else if pays(width, direct, last) {
            Way::Direct
        } else {
            Way::Diagonal
        }
    }

    /// The solution by conjugate gradients, preconditioned by the diagonal. Features that occur in none of the rows are solved for as they
    /// are: their part of the matrix is I.
    fn narrow(&self, gradient: &[f64], ends: Ends) -> (Vec<f64>, Vec<f64>, usize) {
        let Some(narrow) = self.x.narrowed(self.rows) else {
            return self.conjugate(gradient, ends, &self.diagonal());
        };
        let rows: Vec<u32> = (0..self.rows.len() as u32).collect();
        let own = System { x: &narrow.design(), rows: &rows, curvature: self.curvature, free: self.free };
        let (found, left, steps) = own.conjugate(&narrow.gathered(gradient), ends, &own.diagonal());
        let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut residual = vec![0.0; gradient.len()];
        narrow.scatter(&found, &mut direction);
        narrow.scatter(&left, &mut residual);
        (direction, residual, steps)
    }

    /// The solution by conjugate gradients with rows that are held.
    fn by_held(&self, gradient: &[f64], ends: Ends, held: &Held) -> (Vec<f64>, Vec<f64>, usize) {
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
            own.conjugate(&right, SAMPLE_ENDS, &diagonal).0
        };
        self.conjugate(gradient, ends, &Inverse::Solution(&solution))
    }

    /// Σ h xxᵀ, from that of the last system where less than half of the rows have another h.
    fn matrix(&self, last: Option<Matrix>) -> Matrix {
        let own = |outer| Matrix { rows: self.rows.to_vec(), curvature: self.curvature.to_vec(), outer };
        let change = last.and_then(|last| Some((last.changes(self.rows, self.curvature)?, last.outer)));
        own(match change {
            Some(((rows, change), mut outer)) => {
                add(1.0, &self.x.outer(&rows, &change), &mut outer);
                outer
            }
            None => self.x.outer(self.rows, self.curvature),
        })
    }

    /// Σ h xxᵀ as every `step`-th row has it.
    fn sampled(&self, step: usize) -> Vec<f64> {
        let rows: Vec<u32> = self.rows.iter().step_by(step).copied().collect();
        let curvature: Vec<f64> = self.curvature.iter().step_by(step).map(|h| h * step as f64).collect();
        self.x.outer(&rows, &curvature)
    }

    /// The factor of I + Σ h xxᵀ, of which `outer` is the sum; none where the matrix has none.
    fn factor(&self, outer: &[f64]) -> Option<Cholesky<f64>> {
        let width = self.x.width();
        let mut lower = Lower::zeros(width);
        for i in 0..width {
            let row = lower.row_mut(i);
            row.copy_from_slice(&outer[i * width..][..i + 1]);
            row[i] += self.own(i, width);
        }
        factor(lower)
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
    fn conjugate(&self, gradient: &[f64], ends: Ends, inverse: &Inverse<'_>) -> (Vec<f64>, Vec<f64>, usize) {
        let width = gradient.len();
        conjugate(gradient, inverse, ends, |search| {
            let mut product = self.x.curvature(self.rows, self.curvature, search);
            product.iter_mut().zip(search).enumerate().for_each(|(i, (p, v))| *p += self.own(i, width) * v);
            product
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dense, SplitMix, Vectors};
    use crate::solve::linear::Design;

    const N: usize = 3000;
    const D: usize = 90;

    /// Points whose features are like their neighbours, and a curvature of 0 for about a third of them.
    fn drawn(random: &mut SplitMix) -> (Vectors, Vec<u32>, Vec<f64>) {
        let mut uniform = || random.next() as f64 / u64::MAX as f64 - 0.5;
        let mut value = 0.0;
        let mut next = |at: usize| {
            value = uniform() + if at.is_multiple_of(D) { 0.0 } else { value };
            value
        };
        let values = (0..N * D).map(&mut next).collect();
        let (rows, curvature) = (0..N as u32).map(|i| (i, uniform() + 0.2)).filter(|(_, h)| *h > 0.0).unzip();
        (Vectors::from(Dense::new(D, values)), rows, curvature)
    }

    #[test]
    fn every_way_solves_the_system() {
        let (points, rows, curvature) = drawn(&mut SplitMix(1));
        let x = Design::new(&points, 1.0);
        let gradient: Vec<f64> = (0..=D).map(|k| (k as f64).sin()).collect();
        for free in [None, Some(1e-3)] {
            let system = System { x: &x, rows: &rows, curvature: &curvature, free };
            assert!(matches!(system.way(0), Way::Sampled(step) if step > 1));
            let ends = Ends { forcing: 1e-12, enough: 0.0, most: 1000 };
            let by = |factor: &Inverse<'_>| system.conjugate(&gradient, ends, factor);
            let sampled = system.factor(&system.sampled(4)).expect("it has a factor");
            let direct = solution(
                &system.factor(&system.matrix(None).outer).expect("it has a factor"),
                gradient.iter().map(|g| -g).collect(),
            );
            let (near, _, few) = by(&Inverse::Factor(sampled));
            let (far, _, many) = by(&system.diagonal());
            assert!(few < many, "{few} steps by a factor, {many} by the diagonal");
            let size = direct.iter().fold(0.0_f64, |most, d| most.max(d.abs()));
            for k in 0..=D {
                assert!(
                    (near[k] - direct[k]).abs() < 1e-9 * size,
                    "feature {k}: {} and {}",
                    near[k],
                    direct[k]
                );
                assert!(
                    (far[k] - direct[k]).abs() < 1e-9 * size,
                    "feature {k}: {} and {}",
                    far[k],
                    direct[k]
                );
            }
        }
    }

    #[test]
    fn a_matrix_that_is_carried_on_is_the_one_made_anew() {
        let mut random = SplitMix(2);
        let (points, mut rows, mut curvature) = drawn(&mut random);
        let x = Design::new(&points, 1.0);
        let system = |rows: &[u32], curvature: &[f64], last| {
            System { x: &x, rows, curvature, free: None }.matrix(last)
        };
        let mut matrix = system(&rows, &curvature, None);
        for round in 0..6 {
            // Some rows leave, some come back, some change.
            let mut all = vec![0.0; N];
            rows.iter().zip(&curvature).for_each(|(&i, &h)| all[i as usize] = h);
            for _ in 0..200 {
                let i = random.next() as usize % N;
                all[i] = [0.0, 0.7, 2.0 * all[i]][random.next() as usize % 3];
            }
            (rows, curvature) =
                all.iter().enumerate().filter(|(_, h)| **h > 0.0).map(|(i, &h)| (i as u32, h)).unzip();
            let (changed, _) = matrix.changes(&rows, &curvature).expect("few rows change");
            assert!((1..=200).contains(&changed.len()), "round {round}: {}", changed.len());
            matrix = system(&rows, &curvature, Some(matrix));
            let anew = system(&rows, &curvature, None);
            for (a, b) in matrix.outer.iter().zip(&anew.outer) {
                assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "round {round}: {a} and {b}");
            }
        }
        // A system with other rows throughout is made anew.
        assert!(matrix.changes(&rows, &vec![9.0; rows.len()]).is_none());
    }
}
