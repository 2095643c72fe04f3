//! Linear problems: a vector w of weights for the features themselves, without a kernel value.
//!
//!   minimise ½‖w‖² + Σ Cᵢ cost(yᵢ, ⟨w, xᵢ⟩),
//!
//! where the last feature may be a constant, whose weight is the offset: it counts in ‖w‖² as LIBLINEAR has it, or does not.
//! Solved by Newton's method on the primal ([`newton`]) or by coordinate descent on the dual ([`descent`]); both end when the
//! duality gap is at most a share of the objective, and prove it. Cost: the entries of the data for each pass, a few vectors as
//! long as the data and the weights of memory.

mod cost;
mod descent;
mod design;
mod newton;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use cost::Cost;
pub(crate) use design::Design;

use super::{Certificate, Watch};

/// A problem.
pub(crate) struct Problem<'a> {
    /// x
    pub(crate) x: Design<'a>,
    /// y: ±1 of costs of classes.
    pub(crate) targets: &'a [f64],
    /// C of each point, above 0.
    pub(crate) prices: &'a [f64],
    /// What errors cost.
    pub(crate) cost: Cost,
    /// Whether the weight of the constant feature is left out of ‖w‖².
    pub(crate) free_offset: bool,
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

/// What a solver has found.
pub(crate) struct Answer {
    /// w, the weight of the constant feature last.
    pub(crate) weights: Vec<f64>,
    /// β of each point.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the models have the sums alone; tests prove the gap from it")
    )]
    pub(crate) dual: Vec<f64>,
    /// How good it is; the objective is that of the dual as a minimum, ½‖Σ βx‖² − Σ dual(β).
    pub(crate) certificate: Certificate,
}

/// A place to start from: w, and β with w = Σ βx.
struct Start {
    weights: Vec<f64>,
    dual: Vec<f64>,
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

/// Solves a problem; `seed` is for the order of the points of coordinate descent.
pub(crate) fn solve(
    problem: &Problem<'_>,
    algorithm: Algorithm,
    limits: &Limits,
    seed: u64,
    watch: Watch<'_>,
) -> Answer {
    match algorithm {
        Algorithm::Auto => newton::attempt(problem, limits, watch).unwrap_or_else(|| {
            let start = descent::start(problem, limits.tolerance, seed);
            newton::solve(problem, start, limits, watch)
        }),
        Algorithm::Newton => newton::solve(problem, None, limits, watch),
        Algorithm::Dual => descent::solve(problem, limits, seed, watch),
    }
}
