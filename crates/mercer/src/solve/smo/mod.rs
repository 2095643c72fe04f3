//! The quadratic programme of the support vector machines, and its solver.
//!
//! | file | what it has |
//! |---|---|
//! | `problem` | the programme |
//! | `descent` | the loop of the solver; a round is four steps |
//! | `active`, `state` | the active variables: β, box, gradient, kernel rows; and those set aside |
//! | `working_set`, `set_size`, `choice` | the working set, its size, and how its variables are chosen |
//! | `inner` | two-variable steps inside the working set |
//! | `divide` | a start for a large problem from its cells |
//! | `rounding` | the gradient in double precision, where single precision is not enough |
//! | `exact` | the free variables up to rounding |

mod active;
mod answer;
mod choice;
mod descent;
pub(crate) mod divide;
mod exact;
mod inner;
mod problem;
mod rounding;
mod set_size;
mod state;
mod working_set;

pub use answer::Answer;
pub use problem::Problem;
pub(crate) use set_size::WHOLE;

use std::time::Duration;

use self::active::moved_since;
use self::descent::Descent;
use super::effort::Effort;
use super::finite::not_finite_error;
use super::{Certificate, Iterate, Phases, Progress, Stop, Watch};
use crate::error::{Result, check};
use crate::gram::{Gram, Ridged, WithOrigin};

/// How the second variable of a step is chosen; the first is the one that should rise most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Selection {
    /// The variable with which the step decreases the objective most, by its second-order expansion (Fan, Chen and Lin
    /// 2005).
    #[default]
    SecondOrder,
    /// The variable that should fall most, so that the pair violates the optimality conditions most: Platt's second
    /// heuristic on the error cache, in the form of Keerthi, Shevade, Bhattacharyya and Murthy (2001), which converges.
    /// With a working set of 2 this is the algorithm of the lectures.
    FirstOrder,
}

/// The solution of a [`Problem`] and its certificate.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// β, one per point.
    pub coefficients: Vec<f64>,
    /// b, so that the decision is Σ βᵢ k(xᵢ, x) − b.
    pub offset: f64,
    /// b of the second sum, if there are two sums.
    pub second_offset: f64,
    /// What is proved about the solution.
    pub certificate: Certificate,
    /// The time spent in each part of the solver.
    pub phases: Phases,
}

/// The settings of the solver. [`Smo::solve`] solves a [`Problem`].
#[derive(Debug, Clone, PartialEq)]
pub struct Smo {
    /// Largest violation accepted.
    pub tolerance: f64,
    /// The number of variables in a working set, at least 2; `None` to choose it by the size of the problem. With 2 every
    /// round is one step.
    pub working_set: Option<usize>,
    /// How the second variable of a step is chosen.
    pub selection: Selection,
    /// The most bytes of kernel rows to keep; memory is taken only as keeping rows saves time.
    pub cache_bytes: usize,
    /// Whether to set aside variables that will probably stay at their bounds.
    pub shrinking: bool,
    /// The most two-variable steps; `None` for LIBSVM's rule, max(10⁷, 100 n).
    pub iteration_limit: Option<u64>,
    /// The longest time to spend.
    pub time_limit: Option<Duration>,
    /// Whether the Gram is known to be positive semi-definite, so that the gap is a bound.
    pub psd: bool,
    /// Whether to end by solving the linear system of the free variables in double precision, so that their error is that
    /// of rounding and not the tolerance. This costs their kernel values with all support points, in double precision, and
    /// the cube of their number in multiplications; it is left out if there are more than 4096 free variables. The methods
    /// of [`together`](crate::solve::together) end in the same way, the softmax by Newton's method; there this costs all n²
    /// kernel values, and is left out beyond 4096 points.
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
    /// Checks that the settings are in range.
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
    /// If the settings or the problem are out of range, a kernel value is not finite, or no training errors are allowed
    /// and no function separates the classes without errors.
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
        let mut points_alone = |progress: &Progress| {
            let iterate = || {
                let mut start = progress.iterate.start().unwrap_or_default();
                start.dual.pop();
                start
            };
            watch(&Progress { iterate: Iterate::of(&iterate), ..*progress })
        };
        let mut solution = self.solve_as_it_is(&problem.with_origin(), &gram, &mut points_alone)?;
        solution.coefficients.pop();
        Ok(solution)
    }

    /// Solves a problem whose ridge is part of the Gram and whose origin, if it needs one, is a point of the Gram.
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
        } else if problem.resumed {
            descent.begin_in_double();
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
