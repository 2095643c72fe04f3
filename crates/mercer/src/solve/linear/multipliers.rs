//! What Newton's method on a primal problem is made of, whatever the problem: the loop of steps and of multipliers, the length of a step,
//! and conjugate gradients.

use std::ops::ControlFlow;
use std::time::Instant;

use super::Limits;
use super::design::{add, dot};
use super::system::solution;
use crate::linalg::Cholesky;
use crate::solve::{Certificate, Iterate, Progress, Start, Stop, Watch};

/// How σ grows from one guess of the dual variables to the next. Larger factors need fewer guesses and more steps for each: 3 was the
/// fastest of 3, 6 and 15 on a9a, w8a and mnist.
const GROWTH: f64 = 3.0;
/// By how much σ falls where the smoothing was too sharp.
const SOFTENING: f64 = 0.1;
/// σ at first, in units of the price C of each point, so that a weight counts as so many copies: as wide a smoothing as four times the
/// distance between the margins.
pub(super) const FIRST_SIGMA: f64 = 0.25;
/// How much larger σ is where there is a guess of the dual variables from the start.
pub(super) const WARM_SIGMA: f64 = 4.0;
/// One of so many points is looked at before all are.
pub(super) const SAMPLE: usize = 8;
/// The fewest points for which a sample is looked at first.
pub(super) const MIN_SAMPLED: usize = 4096;
/// Steps and conjugate-gradient steps each that the sample is worth: it only gives a place to start from.
const SAMPLE_STEPS: (u64, usize) = (3, 6);
/// The share of the rest of the gap below which the gradient's part of it is small enough for the next guess.
const SOLVED: f64 = 0.25;
/// The most conjugate-gradient steps.
const MAX_CONJUGATE: usize = 500;
/// Conjugate gradients end when the residual has fallen by this factor, less where the gradient has fallen far.
const FORCING: f64 = 0.1;
/// Or when the part of the gap that the residual leaves is this share of the gap that is wanted.
const ENOUGH: f64 = 0.25;
/// The share of the slope at the beginning that a step may leave.
const SLOPE: f64 = 0.3;
/// Trial steps.
const TRIALS: usize = 60;
/// Steps after which a smoothed problem that is not solved is too sharp: few points are in the smooth part of their cost, and each step
/// finds others there.
const MANY: usize = 8;
/// Steps up to which a smoothed problem is easy.
const FEW: usize = 3;
/// Steps without a smaller gap after which nothing more is expected from this precision.
const PATIENCE: u64 = 60;

/// When conjugate gradients end.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    /// By which factor the residual is to fall.
    pub(super) forcing: f64,
    /// Or half its square is to be this small.
    pub(super) enough: f64,
    /// The most steps.
    pub(super) most: usize,
}

impl Ends {
    /// For a step that is to bring the gap down to `wanted`, where the squared gradient has come from `first` to `size`.
    pub(super) fn new((size, first): (f64, f64), wanted: f64, most: usize) -> Self {
        let enough = if wanted.is_finite() { ENOUGH * wanted } else { 0.0 };
        Self { forcing: (size / first).powf(0.25).clamp(1e-4, FORCING), enough, most }
    }
}

/// What a step has reached.
#[derive(Clone, Copy)]
pub(super) struct Reached {
    pub(super) gap: f64,
    /// The part of the gap that is due to the gradient.
    pub(super) inner: f64,
    /// The largest entry of w − Σ βx.
    pub(super) violation: f64,
    /// Points with a second derivative.
    pub(super) active: usize,
}

/// A minimisation by steps of Newton's method, of a cost that may be smoothed about a guess of the dual variables.
pub(super) trait Descending: Sync {
    /// A step that is to bring the gap down to `wanted`; its system may take so many steps of conjugate gradients.
    fn step(&mut self, wanted: f64, most: usize) -> Reached;

    /// The gap, from weights and dual variables alone.
    fn certified(&mut self) -> Reached;

    /// The primal objective.
    fn primal(&self) -> f64;

    /// Steps of conjugate gradients in the last system.
    fn conjugate(&self) -> usize;

    /// Whether there is a guess of the dual variables.
    fn has_guess(&self) -> bool;

    /// Whether the cost needs no smoothing.
    fn is_smooth(&self) -> bool;

    /// Takes the dual variables for the next guess, and smooths less by this factor of σ.
    fn sharpen(&mut self, growth: f64);

    /// Smooths more about the same guess, by this factor of σ.
    fn soften(&mut self, factor: f64);

    /// Weights and dual variables so far; of no use where they are not those of one function on all points.
    fn iterate(&self) -> Start {
        Start::default()
    }

    /// The size of an objective that is 0 but for rounding; none where the optimum is above 0.
    fn rounding(&self) -> Option<f64> {
        None
    }

    /// Some steps over a sample of the points.
    fn try_out(&mut self) {
        for _ in 0..SAMPLE_STEPS.0 {
            if self.step(0.0, SAMPLE_STEPS.1).gap <= 0.1 * self.primal() {
                break;
            }
        }
    }

    /// Minimises; gives up where a system takes more than `hard` steps of conjugate gradients.
    fn run(
        &mut self,
        hard: usize,
        limits: &Limits,
        started: Instant,
        watch: Watch<'_>,
    ) -> Option<Certificate> {
        let (mut steps, mut best, mut since, mut inner) = (0, f64::INFINITY, 0, 0);
        // A start may be all that there is to do.
        let mut first = self.has_guess().then(|| self.certified());
        loop {
            let mut reached = first.take().unwrap_or_else(|| {
                steps += 1;
                self.step(self.target(limits), MAX_CONJUGATE)
            });
            if self.is_met(&reached, limits) {
                // What was carried along from step to step is computed anew before it is believed.
                reached = self.certified();
            }
            since = if reached.gap < best { 0 } else { since + 1 };
            best = best.min(reached.gap);
            let elapsed = started.elapsed();
            let iterate = || self.iterate();
            let progress = Progress {
                part: 0,
                parts: 1,
                rounds: steps,
                iterations: steps,
                active: reached.active,
                working_set: reached.active,
                pair: None,
                violation: reached.violation,
                gap: reached.gap,
                objective: reached.gap - self.primal(),
                elapsed,
                iterate: Iterate::of(&iterate),
            };
            let stop = if self.is_met(&reached, limits) {
                Some(Stop::Converged)
            } else if watch(&progress) == ControlFlow::Break(()) {
                Some(Stop::Interrupted)
            } else if steps >= limits.iterations {
                Some(Stop::IterationLimit)
            } else if limits.time.is_some_and(|limit| elapsed >= limit) {
                Some(Stop::TimeLimit)
            } else if since >= PATIENCE {
                Some(Stop::Stalled)
            } else {
                None
            };
            if let Some(stop) = stop {
                let reached = if stop == Stop::Converged { reached } else { self.certified() };
                return Some(Certificate {
                    objective: reached.gap - self.primal(),
                    gap: Some(reached.gap),
                    violation: reached.violation,
                    iterations: steps,
                    rows: 0.0,
                    stop,
                    exact: false,
                });
            }
            if self.conjugate() > hard {
                return None;
            }
            inner += 1;
            if !self.is_smooth() && reached.inner <= SOLVED * (reached.gap - reached.inner) {
                self.sharpen(growth(inner));
                inner = 0;
            } else if !self.is_smooth() && inner >= MANY {
                self.soften(SOFTENING);
                inner = 0;
            }
        }
    }

    /// The largest gap that is small enough.
    fn target(&self, limits: &Limits) -> f64 {
        (limits.tolerance * self.primal().abs()).max(self.rounding().unwrap_or(0.0))
    }

    /// Whether the gap is a small enough share of the objective, or the bound from below proves that the optimum is 0.
    fn is_met(&self, reached: &Reached, limits: &Limits) -> bool {
        let is_zero = |rounding| reached.gap - self.primal() <= rounding;
        limits.are_met(reached.gap, self.primal()) || self.rounding().is_some_and(is_zero)
    }
}

/// By which factor σ grows after a smoothed problem that took so many steps: less where it took many, so that it stays where a few are
/// enough.
fn growth(steps: usize) -> f64 {
    match steps {
        ..=FEW => GROWTH,
        _ if steps <= 2 * FEW => GROWTH.sqrt(),
        _ => 1.0,
    }
}

/// The length of a step along a direction with the slope `slope`: where the derivative, which `derivative` gives with the second one for
/// a length, has (nearly) vanished.
pub(super) fn length(slope: f64, derivative: impl Fn(f64) -> (f64, f64)) -> f64 {
    let (mut low, mut high, mut s) = (0.0, f64::INFINITY, 1.0);
    for _ in 0..TRIALS {
        let (first, second) = derivative(s);
        if first.abs() <= SLOPE * slope.abs() {
            break;
        }
        if first > 0.0 {
            high = s
        } else {
            low = s
        }
        let next = s - first / second;
        s = if next > low && next < high {
            next
        } else if high.is_finite() {
            0.5 * (low + high)
        } else {
            2.0 * s
        };
    }
    s
}

/// An approximate inverse of the matrix of a system.
pub(super) enum Inverse<'a> {
    /// Of its diagonal.
    Diagonal(Vec<f64>),
    /// Of a matrix near to it, by its factor.
    Factor(Cholesky<f64>),
    /// What this function gives, which need not be the same linear function at each step.
    Solution(&'a dyn Fn(&[f64]) -> Vec<f64>),
}

impl Inverse<'_> {
    fn times(&self, residual: &[f64]) -> Vec<f64> {
        match self {
            Self::Diagonal(inverse) => residual.iter().zip(inverse).map(|(r, p)| r * p).collect(),
            Self::Factor(factor) => solution(factor, residual.to_vec()),
            Self::Solution(solve) => solve(residual),
        }
    }
}

/// d with A d = −gradient by conjugate gradients, preconditioned by `inverse`: d, what is left of the system,
/// A d + gradient, and the steps taken.
pub(super) fn conjugate(
    gradient: &[f64],
    inverse: &Inverse<'_>,
    ends: Ends,
    product: impl Fn(&[f64]) -> Vec<f64>,
) -> (Vec<f64>, Vec<f64>, usize) {
    let mut direction = vec![0.0; gradient.len()];
    let mut residual: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut z = inverse.times(&residual);
    let (mut search, mut size) = (z.clone(), dot(&residual, &z));
    let target = size * ends.forcing * ends.forcing;
    let (mut steps, mut left) = (0, 0.5 * dot(&residual, &residual));
    while steps < ends.most && size > 0.0 {
        steps += 1;
        let product = product(&search);
        let step = size / dot(&search, &product);
        add(step, &search, &mut direction);
        add(-step, &product, &mut residual);
        z = inverse.times(&residual);
        let next = dot(&residual, &z);
        let before = std::mem::replace(&mut left, 0.5 * dot(&residual, &residual));
        // Two more steps as good as this one may be enough.
        if left <= ends.enough || next <= target && left * (left / before).powi(2) > ends.enough {
            break;
        }
        let ratio = match inverse {
            Inverse::Diagonal(_) | Inverse::Factor(_) => next / size,
            // ⟨z, r − r before⟩/⟨z before, r before⟩, after Polak and Ribière.
            Inverse::Solution(_) => -step * dot(&z, &product) / size,
        };
        search.iter_mut().zip(&z).for_each(|(v, z)| *v = z + ratio * *v);
        size = next;
    }
    residual.iter_mut().for_each(|r| *r = -*r);
    (direction, residual, steps)
}
