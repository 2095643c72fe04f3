//! Newton's method in all log α and log β at once, for the end of the climb: steps by single columns converge slowly where
//! columns are nearly collinear.

use std::ops::ControlFlow;

use super::evidence::Evidence;
use super::factor::Factor;
use crate::linalg::{Cholesky, Lower};
use crate::simd::inner_product;

/// Changes of the damping that are tried in a step.
pub(super) const TRIALS: usize = 20;

/// The largest change of log α and of log β in a step.
const LONGEST: (f64, f64) = (3.0, 1.0);

/// The largest derivative below which rounding decides whether the evidence rises.
const NEAR: f64 = 1e-3;

/// What rounding may take from the log evidence, as a share of it.
const ROUNDING: f64 = 1e-12;

/// How the evidence bends in the log α of Gaussian weights with mean μ and covariance Σ.
pub(super) struct Curvature {
    /// T = A^½ΣA^½, row after row.
    pub(super) shares: Vec<f64>,
    /// u = A^½μ.
    pub(super) weights: Vec<f64>,
}

impl Curvature {
    /// ∂/∂log αᵢ = ½(1 − Tᵢᵢ − uᵢ²).
    fn gradient(&self) -> Vec<f64> {
        let (u, t) = (&self.weights, &self.shares);
        (0..u.len()).map(|i| 0.5 * (1.0 - t[i * u.len() + i] - u[i] * u[i])).collect()
    }

    /// ∂²/∂log αᵢ∂log αⱼ = ½Tᵢⱼ² + uᵢuⱼTᵢⱼ + δᵢⱼ(gᵢ − ½).
    pub(super) fn second(&self, gradient: &[f64]) -> Vec<f64> {
        let (u, m) = (&self.weights, self.weights.len());
        let of = |(at, t): (usize, &f64)| {
            let (i, j) = (at / m, at % m);
            0.5 * t * t + u[i] * u[j] * t + if i == j { gradient[i] - 0.5 } else { 0.0 }
        };
        self.shares.iter().enumerate().map(of).collect()
    }
}

/// The factors of G, and the target halved by them.
struct Point {
    factor: Factor,
    target: Vec<f64>,
    evidence: f64,
}

impl Point {
    /// Where a model is; none where values are not finite.
    fn of(model: &Evidence<'_>) -> Option<Self> {
        let factor = model.factor()?;
        let target = factor.halved(&model.span.target);
        Some(Self { evidence: model.log_by(&factor, &target), factor, target })
    }
}

/// The gradient of the log evidence in (log α, log β), and its matrix of second derivatives.
fn derivatives(model: &Evidence<'_>, at: &Point, with_noise: bool) -> (Vec<f64>, Vec<f64>) {
    let m = model.active.len();
    let columns = at.factor.halved_columns();
    let mut t = vec![0.0; m * m];
    for i in 0..m {
        for j in 0..=i {
            let value = f64::from(u8::from(i == j)) - inner_product(&columns[i], &columns[j]);
            (t[i * m + j], t[j * m + i]) = (value, value);
        }
    }
    let root = model.beta.sqrt();
    let u = columns.iter().map(|column| root * inner_product(column, &at.target[..column.len()])).collect();
    let curvature = Curvature { shares: t, weights: u };
    let mut gradient = curvature.gradient();
    let own = curvature.second(&gradient);
    if !with_noise {
        return (gradient, own);
    }
    let width = m + 1;
    let mut second = vec![0.0; width * width];
    (0..m).for_each(|i| second[i * width..][..m].copy_from_slice(&own[i * m..(i + 1) * m]));
    let (t, u) = (&curvature.shares, &curvature.weights);
    let misfit = model.beta * (model.span.rest_square() + at.factor.solved_square(&at.target));
    let degrees: f64 = (0..m).map(|i| 1.0 - t[i * m + i]).sum();
    gradient.push(0.5 * (model.total - misfit - degrees));
    let mut own = -misfit;
    for j in 0..m {
        let row = &t[j * m..(j + 1) * m];
        let (v, square) = (inner_product(row, u), inner_product(row, row));
        let mixed = 0.5 * (t[j * m + j] - square) - v * u[j];
        (second[j * width + m], second[m * width + j]) = (mixed, mixed);
        own += 2.0 * u[j] * v - (t[j * m + j] - square);
    }
    second[m * width + m] = 0.5 * own;
    (gradient, second)
}

/// The largest derivative of the log evidence in a log α, and in log β where there is a `cap` of β; those that push an α below its
/// least value, or β above the cap, do not count.
pub(super) fn gradient(model: &Evidence<'_>, cap: Option<f64>) -> f64 {
    let Some(at) = Point::of(model) else { return f64::INFINITY };
    let (mut gradient, mut second) = derivatives(model, &at, cap.is_some());
    hold_bounded(model, cap, &mut gradient, &mut second);
    largest(&gradient)
}

/// The largest of some derivatives.
pub(super) fn largest(gradient: &[f64]) -> f64 {
    gradient.iter().fold(0.0, |most, g| g.abs().max(most))
}

/// Leaves out of the derivatives each α that is at its least value and would fall further, and β where it is at its cap and would rise
/// further: Newton's step in the others is then that of the problem in which these stay.
fn hold_bounded(model: &Evidence<'_>, cap: Option<f64>, gradient: &mut [f64], second: &mut [f64]) {
    let (width, m) = (gradient.len(), model.alpha.len());
    for i in 0..width {
        let held = match model.alpha.get(i) {
            Some(&alpha) => alpha <= model.least && gradient[i] < 0.0,
            None => cap.is_some_and(|cap| model.beta >= cap) && gradient[m] > 0.0,
        };
        if held {
            gradient[i] = 0.0;
            (0..width).for_each(|j| (second[i * width + j], second[j * width + i]) = (0.0, 0.0));
            second[i * width + i] = -1.0;
        }
    }
}

/// Climbs by at most so many steps, or until all derivatives are below the tolerance; β stays below `cap`. G⁻¹ is that of the last
/// step, the statistics of the candidates are not.
pub(super) fn ascend(model: &mut Evidence<'_>, cap: Option<f64>, tolerance: f64, steps: usize) {
    let Some(mut at) = Point::of(model) else { return };
    let mut damping = 1e-3;
    for _ in 0..steps {
        let (mut gradient, mut second) = derivatives(model, &at, cap.is_some());
        hold_bounded(model, cap, &mut gradient, &mut second);
        let largest = largest(&gradient);
        if largest < tolerance {
            break;
        }
        let (alpha, beta) = (model.alpha.clone(), model.beta);
        let mut risen = false;
        for _ in 0..TRIALS {
            if let Some(step) = damped(&gradient, &second, damping) {
                model.alpha = moved(&alpha, &step, (model.least, f64::INFINITY)).collect();
                if let Some(cap) = cap {
                    model.beta = (beta * step[alpha.len()].clamp(-LONGEST.1, LONGEST.1).exp()).min(cap);
                }
                // Near the maximum rounding decides whether the evidence rises.
                let reached = at.evidence;
                let lost = if largest < NEAR { ROUNDING } else { 0.0 } * reached.abs();
                let new = Point::of(model).filter(|new| new.evidence >= reached - lost);
                if let Some(new) = new {
                    risen = new.evidence > reached || largest < NEAR;
                    if risen {
                        at = new;
                    }
                    damping = (damping * 0.1).max(1e-12);
                    break;
                }
            }
            damping = (damping * 10.0).max(1e-6);
        }
        if !risen {
            (model.alpha, model.beta) = (alpha, beta);
            break;
        }
    }
    model.adopt(&at.factor);
}

/// α after a step of log α, each within the range.
pub(super) fn moved(alpha: &[f64], step: &[f64], range: (f64, f64)) -> impl Iterator<Item = f64> {
    let moved = move |(alpha, step): (&f64, &f64)| {
        (alpha * step.clamp(-LONGEST.0, LONGEST.0).exp()).clamp(range.0, range.1)
    };
    alpha.iter().zip(step).map(moved)
}

/// The solution of (τI − second) x = gradient; none where the matrix is not definite.
pub(super) fn damped(gradient: &[f64], second: &[f64], damping: f64) -> Option<Vec<f64>> {
    let n = gradient.len();
    let mut matrix = Lower::<f64>::zeros(n);
    for i in 0..n {
        matrix.row_mut(i).iter_mut().zip(&second[i * n..]).for_each(|(value, second)| *value = -second);
    }
    matrix.add_diagonal(|_| damping);
    let factor = Cholesky::new(matrix, &mut |_| ControlFlow::Continue(())).ok()?;
    let mut step = vec![gradient.to_vec()];
    factor.solve(&mut step);
    step.pop()
}
