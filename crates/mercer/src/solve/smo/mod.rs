//! The solver of support vector machines: its settings, and what it is asked for.

mod active;
mod answer;
mod choice;
mod descent;
pub(crate) mod divide;
mod exact;
mod inner;
mod problem;
mod set_size;
mod state;
mod working_set;

pub use answer::Answer;
pub use problem::Problem;

use std::time::Duration;

use self::active::moved_since;
use self::descent::Descent;
use super::effort::Effort;
use super::finite::not_finite_error;
use super::{Certificate, Phases, Stop, Watch};
use crate::error::{Result, check};
use crate::gram::{Gram, Ridged, WithOrigin};

/// How the second variable of a step is chosen; the first is the one that should rise most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Selection {
    /// By the largest decrease of the objective along the pair, the curvature taken into account (Fan, Chen and Lin 2005).
    #[default]
    SecondOrder,
    /// The one that should fall most: the pair that violates the optimality conditions most, Platt's second heuristic on
    /// the error cache as Keerthi, Shevade, Bhattacharyya and Murthy (2001) made it sure to converge. With a working set
    /// of 2 this is the algorithm of the lectures.
    FirstOrder,
}

/// A point of the dual and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// β, one per point.
    pub coefficients: Vec<f64>,
    /// b, so that the decision is Σ βᵢ k(xᵢ, x) − b.
    pub offset: f64,
    /// b of the second sum, where there are two.
    pub second_offset: f64,
    /// How good it is.
    pub certificate: Certificate,
    /// Where the time went.
    pub phases: Phases,
}

/// The solver and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Smo {
    /// Largest violation accepted.
    pub tolerance: f64,
    /// Variables in a working set, at least 2; chosen by the problem's size where absent. With 2 every round is one step.
    pub working_set: Option<usize>,
    /// How the second variable of a step is chosen.
    pub selection: Selection,
    /// Most bytes for kernel rows; taken up as they pay.
    pub cache_bytes: usize,
    /// Whether to set decided variables aside.
    pub shrinking: bool,
    /// Most two-variable steps; by LIBSVM's rule, max(10⁷, 100 n), where absent.
    pub iteration_limit: Option<u64>,
    /// Most time.
    pub time_limit: Option<Duration>,
    /// Whether the Gram is known to be positive semi-definite, so that the gap is a bound.
    pub psd: bool,
    /// Whether to end by solving the linear system of the free variables in double precision, so that they are right to
    /// rounding instead of to the tolerance. It costs their kernel values with all support points once more, in double
    /// precision, and the cube of their number; it is left out where there are more than 4096 of them. Classes
    /// [together](crate::solve::together) end the same way, a softmax by Newton's method; there it costs all n² kernel values,
    /// and is left out beyond 4096 points too.
    pub exact: bool,
}

impl Default for Smo {
    fn default() -> Self {
        Self {
            tolerance: 1e-3,
            working_set: None,
            selection: Selection::SecondOrder,
            cache_bytes: 2 << 30,
            shrinking: true,
            iteration_limit: None,
            time_limit: None,
            psd: true,
            exact: false,
        }
    }
}

impl Smo {
    /// Refuses settings out of range.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self) -> Result<()> {
        let t = self.tolerance;
        check("tolerance", t, t > 0.0 && t.is_finite(), "must be positive and finite")?;
        let q = self.working_set.unwrap_or(2);
        check("working_set", q as f64, q >= 2, "must be at least 2")
    }

    /// Solves the problem on the Gram.
    ///
    /// # Errors
    /// If the settings or the problem are out of range, a kernel value is not finite, or no errors are allowed and there
    /// is no function without.
    pub fn solve(&self, problem: &Problem, gram: &dyn Gram, watch: Watch<'_>) -> Result<Solution> {
        self.check()?;
        problem.check(gram.len())?;
        let mut gram: Box<dyn Gram + '_> = Box::new(gram);
        if !problem.ridge.is_empty() {
            gram = Box::new(Ridged::new(gram, problem.ridge.clone()));
        }
        if problem.offset {
            return self.solve_as_it_is(problem, &*gram, watch);
        }
        let gram = WithOrigin::new(gram);
        let mut solution = self.solve_as_it_is(&problem.with_origin(), &gram, watch)?;
        solution.coefficients.pop();
        Ok(solution)
    }

    /// Solves a problem whose ridge is part of the Gram and whose origin, if it needs one, is a point of it.
    pub(super) fn solve_as_it_is(
        &self,
        problem: &Problem,
        gram: &dyn Gram,
        watch: Watch<'_>,
    ) -> Result<Solution> {
        let mut effort = Effort::new(self, gram);
        let begun = divide::start(self, problem, gram, watch);
        effort.iterations = begun.iterations;
        let divided = begun.start.map(|start| Problem { start, ..problem.clone() });
        let mut descent = Descent::new(self, divided.as_ref().unwrap_or(problem), gram, effort);
        if divided.is_some() {
            crate::return_freed_memory();
            descent.was_divided();
        }
        let stop = if begun.interrupted { Stop::Interrupted } else { descent.until_stopped(watch) };
        let solution = descent.finish(stop)?;
        if solution.certificate.objective.is_finite() {
            return Ok(solution);
        }
        // The gradient went wrong by the row of a variable that has moved.
        let (moved, _) = moved_since(&vec![0.0; gram.len()], &solution.coefficients);
        Err(not_finite_error(gram, &moved))
    }
}
