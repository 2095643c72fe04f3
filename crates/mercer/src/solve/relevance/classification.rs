//! Two classes, by Laplace's approximation.
//!
//! p(1 | f) = σ(f). At the mode of the weights the likelihood is taken as a Gaussian in f with precisions B = σ(1 − σ) and targets
//! f + B⁻¹(t − σ): a regression with known noise, whose evidence is climbed by a step; then the mode is found anew.

use std::ops::ControlFlow;

use super::ascent::{ascend, gradient};
use super::columns::Columns;
use super::evidence::Evidence;
use super::posterior::Posterior;
use super::regression::{is_last, is_small_change};
use super::span::Span;
use super::{Climb, Relevant, Steps};
use crate::linalg::{Cholesky, Lower, dot};

/// Newton steps to the mode at most.
const NEWTON: usize = 50;

/// The mode is found where no derivative is larger than this.
const FLAT: f64 = 1e-10;

/// Derivatives of the log evidence are zero at this.
const STILL: f64 = 1e-9;

/// The least precision of a point: it says nothing, but its target must stay finite.
const LEAST: f64 = 1e-10;

/// Climbs the evidence of classes, 1 or 0 for each point, each with its weight.
pub(crate) fn classify(
    columns: &Columns,
    classes: &[f64],
    weights: &[f64],
    climb: &Climb,
    watch: Steps<'_>,
) -> Relevant {
    let problem = Problem { columns, classes, weights };
    let (mut active, mut alpha, mut at): (Vec<usize>, Vec<f64>, Vec<f64>) = Default::default();
    let (mut steps, mut converged) = (0, false);
    loop {
        let mode = problem.mode(&active, &alpha, &at);
        let mut model = problem.gaussian(&mode, &active, &alpha);
        let flat = gradient(&model, false);
        let step = model.best(climb.tolerance, true).filter(|step| !is_small_change(step));
        let last = is_last(step, climb.tolerance);
        converged = converged || (last && flat < STILL);
        if converged || steps >= climb.steps || watch(steps).is_break() {
            return Relevant {
                posterior: Posterior::of(&model, columns),
                noise: 0.0,
                evidence: mode.evidence,
                gradient: flat,
                steps,
                converged,
            };
        }
        steps += 1;
        match step {
            Some(step) if !last => _ = model.take(step),
            _ => ascend(&mut model, None, STILL / 10.0, 3),
        }
        // The mode is looked for from where it was.
        let old = std::mem::replace(&mut active, model.active);
        at =
            active.iter().map(|c| old.iter().position(|o| o == c).map_or(0.0, |i| mode.weights[i])).collect();
        alpha = model.alpha;
    }
}

struct Problem<'a> {
    columns: &'a Columns,
    classes: &'a [f64],
    weights: &'a [f64],
}

/// The mode of the weights, and f there.
struct Mode {
    weights: Vec<f64>,
    values: Vec<f64>,
    evidence: f64,
}

impl Problem<'_> {
    fn values(&self, active: &[usize], weights: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.classes.len()];
        for (&column, weight) in active.iter().zip(weights) {
            values.iter_mut().zip(self.columns.column(column)).for_each(|(f, c)| *f += weight * c);
        }
        values
    }

    /// The log of likelihood times prior, without constants of the prior.
    fn height(&self, values: &[f64], weights: &[f64], alpha: &[f64]) -> f64 {
        let points = values.iter().zip(self.classes).zip(self.weights);
        // log σ(±f) = −log(1 + exp(∓f))
        let likelihood: f64 = points.map(|((f, t), w)| -w * softplus(if *t > 0.5 { -f } else { *f })).sum();
        likelihood - 0.5 * weights.iter().zip(alpha).map(|(w, a)| a * w * w).sum::<f64>()
    }

    /// Newton's method with halved steps.
    fn mode(&self, active: &[usize], alpha: &[f64], start: &[f64]) -> Mode {
        let m = active.len();
        let mut weights = start.to_vec();
        let mut values = self.values(active, &weights);
        let mut height = self.height(&values, &weights, alpha);
        let mut log_determinant = 0.0;
        for _ in 0..NEWTON {
            let rates: Vec<f64> = values.iter().map(|&f| sigmoid(f)).collect();
            let missed: Vec<f64> =
                (0..rates.len()).map(|i| self.weights[i] * (self.classes[i] - rates[i])).collect();
            let precisions: Vec<f64> =
                rates.iter().zip(self.weights).map(|(y, w)| w * (y * (1.0 - y)).max(LEAST)).collect();
            let slope: Vec<f64> = (0..m)
                .map(|i| dot(self.columns.column(active[i]), &missed) - alpha[i] * weights[i])
                .collect();
            let mut matrix = Lower::<f64>::zeros(m);
            for i in 0..m {
                let row: Vec<f64> =
                    self.columns.column(active[i]).iter().zip(&precisions).map(|(c, b)| c * b).collect();
                for (j, value) in matrix.row_mut(i).iter_mut().enumerate() {
                    *value = dot(&row, self.columns.column(active[j]));
                }
            }
            matrix.add_diagonal(|i| alpha[i]);
            let Ok(factor) = Cholesky::new(matrix, &mut |_| ControlFlow::Continue(())) else { break };
            let mut step = vec![slope.clone()];
            factor.solve_lower(&mut step);
            let mut units: Vec<Vec<f64>> =
                (0..m).map(|i| (0..m).map(|j| f64::from(u8::from(i == j))).collect()).collect();
            factor.solve_lower(&mut units);
            log_determinant = units.iter().enumerate().map(|(i, unit)| -2.0 * unit[i].ln()).sum();
            factor.solve_upper(&mut step);
            if slope.iter().all(|g| g.abs() < FLAT) {
                break;
            }
            let risen = (0..30).find_map(|halvings| {
                let share = 0.5_f64.powi(halvings);
                let new: Vec<f64> = weights.iter().zip(&step[0]).map(|(w, s)| w + share * s).collect();
                let there = self.values(active, &new);
                let now = self.height(&there, &new, alpha);
                (now > height).then_some((new, there, now))
            });
            match risen {
                Some(risen) => (weights, values, height) = risen,
                None => break,
            }
        }
        let prior: f64 = alpha.iter().map(|a| a.ln()).sum();
        Mode { evidence: height + 0.5 * (prior - log_determinant), weights, values }
    }

    /// The regression that the likelihood looks like at the mode.
    fn gaussian(&self, mode: &Mode, active: &[usize], alpha: &[f64]) -> Evidence<'_> {
        let rates = mode.values.iter().map(|&f| sigmoid(f));
        let precisions: Vec<f64> = rates.clone().map(|y| (y * (1.0 - y)).max(LEAST)).collect();
        let scale: Vec<f64> = precisions.iter().zip(self.weights).map(|(b, w)| (w * b).sqrt()).collect();
        let target = (0..scale.len())
            .zip(rates)
            .map(|(i, y)| scale[i] * (mode.values[i] + (self.classes[i] - y) / precisions[i]))
            .collect();
        let total = self.weights.iter().sum();
        Evidence::new(Span::new(self.columns, Some(scale), target), total, 1.0, active, alpha)
    }
}

/// 1/(1 + e⁻ᶠ)
pub(crate) fn sigmoid(f: f64) -> f64 {
    if f >= 0.0 { 1.0 / (1.0 + (-f).exp()) } else { f.exp() / (1.0 + f.exp()) }
}

/// log(1 + eᶠ)
fn softplus(f: f64) -> f64 {
    f.max(0.0) + (-f.abs()).exp().ln_1p()
}
