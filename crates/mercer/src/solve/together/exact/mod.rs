//! Answers that are exact up to rounding, in double precision.
//!
//! The programme is strictly convex in the functions F, so that they are unique even if the coefficients are not. From near
//! the optimum each loss has a method to reach it: [`margins`] along the faces of the bounds, and [`newton`] for the
//! softmax. The first may end at the optimum of a face, where points outside the face are not optimal. Sweeps of steps
//! point by point, on the Gram in double precision, come near the optimum first, and move such points off their bounds
//! later. The objective never rises but for rounding.
//!
//! Cost: n² kernel values in double precision, which are held, and N³/3 multiplications for each linear system of N
//! unknowns: the coefficients inside their intervals, or (k − 1)·n for the softmax. The bits do not depend on the number of
//! threads.

mod margins;
mod newton;
#[cfg(test)]
mod tests;

pub(super) use margins::settle as settle_margins;
pub(super) use newton::settle as settle_softmax;

use super::{MulticlassProblem, Point, PointProblem};
use crate::gram::Gram;

/// The most unknowns of a system, and the most points.
const MOST: usize = 4096;
/// The most multiplications: those of four systems of the largest size.
const MOST_WORK: usize = 4 * MOST.pow(3) / 3;
/// The most linear systems.
const SYSTEMS: usize = 400;
/// The most rounds in which points are moved off their bounds.
const ROUNDS: usize = 40;
/// The most sweeps before the first system, and the violation at which they end.
const FIRST_SWEEPS: usize = 200;
const NEAR: f64 = 1e-8;
/// The most sweeps to move points outside a face off their bounds.
const SWEEPS: usize = 10;
/// A violation below `EQUAL`, as a share of the largest kernel sum, cannot be made smaller; one above `ROUNDING` is more
/// than rounding.
const EQUAL: f64 = 1e-14;
const ROUNDING: f64 = 1e-10;
/// The violation of all points may be this many times that of the points on the face.
const LIKE: f64 = 4.0;

/// The exact solution and the numbers of its certificate.
pub(super) struct Exact {
    pub(super) beta: Vec<f64>,
    pub(super) objective: f64,
    pub(super) gap: f64,
    pub(super) violation: f64,
    /// The number of linear systems solved.
    #[cfg(test)]
    pub(super) systems: usize,
}

/// The optimum near `beta`; `None` if the problem is too large or the optimum is not reached.
pub(super) fn solve<P: PointProblem>(
    problem: &MulticlassProblem,
    gram: &dyn Gram,
    beta: &[f64],
) -> Option<Exact> {
    if P::unknowns(gram.len(), problem.classes) > MOST {
        return None;
    }
    let mut dense = Dense::new(problem, gram, beta)?;
    let before = dense.objective::<P>();
    dense.sweeps::<P>(FIRST_SWEEPS, NEAR)?;
    for _ in 0..ROUNDS {
        let left = P::settle(&mut dense)?;
        let (violation, size) = (dense.violation::<P>(), dense.size());
        let objective = dense.objective::<P>();
        if violation <= (LIKE * left).max(EQUAL * size) {
            // If the kernel is not positive semi-definite, a stationary point need not be a minimum.
            let found = violation <= ROUNDING * size && objective <= before + ROUNDING * before.abs();
            if found {
                return Some(dense.finish::<P>(objective, violation));
            }
        }
        dense.sweeps::<P>(SWEEPS, (left / 2.0).max(EQUAL * size))?;
    }
    None
}

/// The problem with all its kernel values in double precision.
pub(super) struct Dense<'a> {
    problem: &'a MulticlassProblem,
    points: usize,
    /// Row after row.
    kernel: Vec<f64>,
    /// β, point after point.
    beta: Vec<f64>,
    /// F, class after class.
    scores: Vec<f64>,
    /// Multiplications so far.
    work: usize,
    /// Linear systems so far.
    systems: usize,
}

impl<'a> Dense<'a> {
    fn new(problem: &'a MulticlassProblem, gram: &dyn Gram, beta: &[f64]) -> Option<Self> {
        let n = gram.len();
        if n == 0 || n > MOST {
            return None;
        }
        let mut kernel = vec![0.0; n * n];
        let mut rows: Vec<&mut [f64]> = kernel.chunks_mut(n).collect();
        gram.rows_f64(&(0..n).collect::<Vec<_>>(), &mut rows);
        let scores = vec![0.0; beta.len()];
        let mut dense = Self { problem, points: n, kernel, beta: beta.to_vec(), scores, work: 0, systems: 0 };
        dense.rescore()?;
        Some(dense)
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.kernel[i * self.points..(i + 1) * self.points]
    }

    fn point(&self, i: usize) -> Point {
        self.problem.point(i)
    }

    fn coefficients(&self, i: usize) -> &[f64] {
        &self.beta[i * self.problem.classes..(i + 1) * self.problem.classes]
    }

    /// F_c of point i.
    fn score(&self, i: usize, c: usize) -> f64 {
        self.scores[c * self.points + i]
    }

    fn scores_of(&self, i: usize, row: &mut Vec<f64>) {
        row.clear();
        row.extend((0..self.problem.classes).map(|c| self.score(i, c)));
    }

    /// Counts multiplications; `None` if there have been too many.
    fn spend(&mut self, multiplications: usize) -> Option<()> {
        self.work = self.work.saturating_add(multiplications);
        (self.work <= MOST_WORK).then_some(())
    }

    /// Counts a linear system; `None` if it is too large or there have been too many.
    fn begin_system(&mut self, unknowns: usize) -> Option<()> {
        self.systems += 1;
        if unknowns > MOST || self.systems > SYSTEMS {
            return None;
        }
        self.spend(unknowns.pow(3) / 3)
    }

    /// Kv, class after class, for a v that lies point after point.
    fn product(&mut self, v: &[f64]) -> Option<Vec<f64>> {
        let (n, k) = (self.points, self.problem.classes);
        let mut sums = vec![0.0; n * k];
        let mut added = 0;
        for (at, &weight) in v.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            let (i, c) = (at / k, at % k);
            add(&mut sums[c * n..(c + 1) * n], self.row(i), weight);
            added += 1;
        }
        self.spend(added * n)?;
        Some(sums)
    }

    /// Computes F = Kβ anew, without the rounding errors of the updates.
    fn rescore(&mut self) -> Option<()> {
        let beta = std::mem::take(&mut self.beta);
        let scores = self.product(&beta);
        self.beta = beta;
        self.scores = scores?;
        Some(())
    }

    /// The largest Σ|kβ|, but at least the margin 1: the rounding errors of the scores are relative to it.
    fn size(&self) -> f64 {
        let largest = |i: usize| self.coefficients(i).iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let weights: Vec<f64> = (0..self.points).map(largest).collect();
        let sum = |i: usize| self.row(i).iter().zip(&weights).map(|(k, b)| (k * b).abs()).sum::<f64>();
        (0..self.points).map(sum).fold(1.0, f64::max)
    }

    /// Makes point after point optimal with the others fixed, until no point has a violation above `target`, at most `most`
    /// times all points.
    fn sweeps<P: PointProblem>(&mut self, most: usize, target: f64) -> Option<()> {
        let (n, k) = (self.points, self.problem.classes);
        let (mut row, mut before, mut scratch): (Vec<f64>, Vec<f64>, Vec<f64>) = Default::default();
        for _ in 0..most {
            let mut moved = 0;
            for i in 0..n {
                let point = self.point(i);
                self.scores_of(i, &mut row);
                before.clear();
                before.extend_from_slice(self.coefficients(i));
                if P::violation(point, &before, &row, &mut scratch) <= target {
                    continue;
                }
                let beta = &mut self.beta[i * k..(i + 1) * k];
                P::step(point, self.kernel[i * n + i], &row, beta, &mut scratch);
                for c in 0..k {
                    let change = self.beta[i * k + c] - before[c];
                    if change != 0.0 {
                        let kernel = &self.kernel[i * n..(i + 1) * n];
                        add(&mut self.scores[c * n..(c + 1) * n], kernel, change);
                        moved += 1;
                    }
                }
            }
            self.spend(moved * n)?;
            if moved == 0 {
                break;
            }
        }
        self.rescore()
    }

    /// Computes `each` for every point, its coefficients and its scores, and combines the results by `both`, from 0 on.
    fn fold(&self, each: impl Fn(Point, &[f64], &[f64]) -> f64, both: impl Fn(f64, f64) -> f64) -> f64 {
        let mut row = Vec::new();
        (0..self.points).fold(0.0, |so_far, i| {
            self.scores_of(i, &mut row);
            both(so_far, each(self.point(i), self.coefficients(i), &row))
        })
    }

    fn violation<P: PointProblem>(&self) -> f64 {
        let each = |point: Point, beta: &[f64], scores: &[f64]| {
            P::violation(point, beta, scores, &mut Vec::with_capacity(beta.len()))
        };
        // A violation that is NaN is kept.
        self.fold(each, |a, b| if b > a || b.is_nan() { b } else { a })
    }

    fn objective<P: PointProblem>(&self) -> f64 {
        let each =
            |point: Point, beta: &[f64], scores: &[f64]| 0.5 * dot(beta, scores) + P::conjugate(point, beta);
        self.fold(each, |a, b| a + b)
    }

    fn finish<P: PointProblem>(self, objective: f64, violation: f64) -> Exact {
        let term = |point: Point, beta: &[f64], scores: &[f64]| {
            // A term is negative only by rounding.
            (dot(beta, scores) + P::conjugate(point, beta) + P::loss(point, scores)).max(0.0)
        };
        let gap = self.fold(term, |a, b| a + b);
        Exact {
            beta: self.beta,
            objective,
            gap,
            violation,
            #[cfg(test)]
            systems: self.systems,
        }
    }
}

fn add(sums: &mut [f64], row: &[f64], weight: f64) {
    sums.iter_mut().zip(row).for_each(|(sum, k)| *sum += weight * k);
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}
