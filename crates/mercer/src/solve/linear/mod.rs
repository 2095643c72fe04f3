//! Linear problems: a vector w of weights for the features themselves, without a kernel value.
//!
//!   minimise ½‖w‖² + Σ Cᵢ cost(yᵢ, ⟨w, xᵢ⟩),
//!
//! where the last feature may be a constant, whose weight is the offset: it counts in ‖w‖² as LIBLINEAR has it, or does not.
//! Solved by Newton's method on the primal (`newton`) or by coordinate descent on the dual (`descent`); both end when the
//! duality gap is at most a share of the objective, and prove it. Cost: the entries of the data for each pass, a few vectors as
//! long as the data and the weights of memory.

mod blocked;
mod columns;
mod cost;
mod descent;
mod design;
mod joint;
mod l1;
mod multipliers;
mod narrow;
mod newton;
mod one_class;
mod passes;
mod pegasos;
mod rounds;
mod stochastic;
mod stream;
mod support;
mod system;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::time::Duration;

pub(crate) use blocked::Blocked;
pub(crate) use columns::Columns;
pub use cost::Cost;
pub(crate) use design::Design;
pub(crate) use joint::{Joint, JointCost, Together};
pub(crate) use l1::{L1, least_price};
pub(crate) use one_class::one_class;
pub(crate) use pegasos::Pegasos;
pub(crate) use rounds::{Round, Sums, Until, left_out};
pub(crate) use stochastic::Steps;
pub(crate) use stream::Stream;

use super::{Certificate, Progress, Stop, Watch};

/// A problem.
pub(crate) struct Problem<'a, D = Design<'a>> {
    /// x
    pub(crate) x: D,
    /// y: ±1 of costs of classes.
    pub(crate) targets: &'a [f64],
    /// C of each point, above 0.
    pub(crate) prices: &'a [f64],
    /// What errors cost.
    pub(crate) cost: Cost,
    /// Whether the weight of the constant feature is left out of ‖w‖².
    pub(crate) free_offset: bool,
    /// p ≥ 0 of a term p (κb − 1) of the objective, where b is a free weight of a constant feature κ and all targets are 1: with the hinge
    /// and p = 1 the one-class problem ½‖w‖² − ρ + Σ Cᵢ max(0, ρ − ⟨w, xᵢ⟩), where ρ = 1 − κb. For Newton's method.
    pub(crate) offset_price: f64,
}

/// When a solver stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limits {
    /// The largest gap, as a share of the primal objective.
    pub(crate) tolerance: f64,
    /// The most steps or passes.
    pub(crate) iterations: u64,
    /// The most time.
    pub(crate) time: Option<Duration>,
}

impl Limits {
    /// Whether a gap is small enough beside the primal objective. Numbers beyond the largest one are not: ∞ ≤ ε·∞ proves nothing.
    fn are_met(&self, gap: f64, primal: f64) -> bool {
        gap <= self.tolerance * primal.abs() && primal.is_finite()
    }

    /// Why to stop where `progress` and the primal objective have been reached; `settled` where no step changes anything more.
    fn reached(&self, progress: &Progress, primal: f64, settled: bool, watch: Watch<'_>) -> Option<Stop> {
        if self.are_met(progress.gap, primal) {
            Some(Stop::Converged)
        } else if watch(progress) == ControlFlow::Break(()) {
            Some(Stop::Interrupted)
        } else if progress.rounds >= self.iterations {
            Some(Stop::IterationLimit)
        } else if self.time.is_some_and(|limit| progress.elapsed >= limit) {
            Some(Stop::TimeLimit)
        } else {
            settled.then_some(Stop::Stalled)
        }
    }
}

/// The certificate of what has been reached.
fn certificate(progress: &Progress, stop: Stop) -> Certificate {
    Certificate {
        objective: progress.objective,
        gap: Some(progress.gap),
        violation: progress.violation,
        iterations: progress.iterations,
        rows: 0.0,
        stop,
        exact: false,
    }
}

/// What a solver has found.
pub(crate) struct Answer {
    /// w, the weight of the constant feature last.
    pub(crate) weights: Vec<f64>,
    /// β of each point.
    pub(crate) dual: Vec<f64>,
    /// How good it is; the objective is that of the dual as a minimum, ½‖Σ βx‖² − Σ dual(β).
    pub(crate) certificate: Certificate,
}

/// A place to start from: weights, and a guess of the dual variables.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Start {
    /// w
    pub(crate) weights: Vec<f64>,
    /// β
    pub(crate) dual: Vec<f64>,
}

impl Start {
    /// Whether it is one of a problem with so many weights and points.
    pub(crate) fn fits(&self, width: usize, points: usize) -> bool {
        self.weights.len() == width && self.dual.len() == points
    }
}

/// How a problem is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// Newton's method; where its systems turn out to be hard, coordinate descent as long as each pass gains much, and Newton's method
    /// from where that ended.
    Auto,
    /// Newton's method on the primal, all cores.
    Newton,
    /// Coordinate descent on the dual, one core.
    Dual,
}

/// Solves a problem, from a start if there is one; `seed` is for the order of the points of coordinate descent.
pub(crate) fn solve(
    problem: &Problem<'_>,
    (algorithm, start): (Algorithm, Option<Start>),
    limits: &Limits,
    seed: u64,
    watch: Watch<'_>,
) -> Answer {
    match algorithm {
        Algorithm::Dual => descent::solve(problem, start, limits, seed, watch),
        Algorithm::Auto | Algorithm::Newton if start.is_some() => {
            newton::solve(problem, start, limits, watch)
        }
        Algorithm::Auto => {
            let begun = descent::begun(problem, seed);
            newton::attempt(problem, begun, limits, watch).unwrap_or_else(|| {
                let start = descent::start(problem, limits.tolerance, seed);
                newton::solve(problem, start, limits, watch)
            })
        }
        Algorithm::Newton => newton::solve(problem, None, limits, watch),
    }
}

/// Solves a problem whose rows are in blocks, by Newton's method.
pub(crate) fn solve_blocked(problem: &Problem<'_, Blocked<'_>>, limits: &Limits, watch: Watch<'_>) -> Answer {
    newton::solve(problem, None, limits, watch)
}
