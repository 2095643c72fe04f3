//! The solver of support vector machines: its settings, and what it is asked for.

mod active;
pub(crate) mod divide;
mod exact;
mod inner;
mod problem;
pub(in crate::solve) mod run;
mod state;
mod working_set;

pub use problem::Problem;

use std::time::{Duration, Instant};

use self::active::moved_since;
use self::run::{Run, not_finite};
use super::{Certificate, Phases, Stop, Watch};
use crate::error::{DataProblem, ErrorKind, Result, check};
use crate::gram::{Gram, Ridged, WithOrigin};

/// The least and most variables of a working set where the caller leaves it open.
pub(super) const LEAST_SET: usize = 64;
const MOST_SET: usize = 2048;
/// Points up to which the working set is the whole problem.
const WHOLE: usize = 700;
/// Points beyond which working sets become smaller.
const LONG_ROW: usize = 50_000;

/// Bytes of rows up to which a working set is what it is without a budget, so that the answer is the same.
const SMALL_SET: usize = 8 << 20;

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
        let (clock, computed_before) = (Instant::now(), gram.computed());
        let begun = divide::start(self, problem, gram, watch);
        let divided = begun.start.map(|start| Problem { start, ..problem.clone() });
        let mut run = Run::new(self, divided.as_ref().unwrap_or(problem), gram);
        run.began(clock, computed_before, begun.iterations, divided.is_some());
        let stop = if begun.interrupted { Stop::Interrupted } else { run.until_stopped(watch) };
        let solution = run.finish(stop)?;
        if solution.certificate.objective.is_finite() {
            return Ok(solution);
        }
        // The gradient went wrong by the row of one that has moved. Where each value is finite and only their sum is
        // not, a point and itself are named.
        let (moved, _) = moved_since(&vec![0.0; gram.len()], &solution.coefficients);
        let first = moved.first().copied().unwrap_or(0);
        let (i, j) = not_finite(gram, &moved).unwrap_or((first, first));
        Err(ErrorKind::Data(DataProblem::KernelNotFinite { row: i + 1, column: j + 1 }).into())
    }

    /// q: all of a very small problem, a quarter of a small one, a few hundred of a large one, fewer again where rows
    /// are so long that one that is not needed costs more than a round, and where no more fit the budget for rows.
    pub(super) fn size(&self, n: usize) -> usize {
        let long_rows = LONG_ROW * 512 / n.max(LONG_ROW);
        let fitting = self.fitting(n).max(SMALL_SET / (size_of::<f32>() * n.max(1)));
        let few = (n / 4).min(long_rows).min(fitting).clamp(LEAST_SET, 512);
        self.working_set.unwrap_or(if n <= WHOLE { n } else { few }).clamp(2, n.max(2))
    }

    /// The most that q may become: what fits the budget for rows, but `size` in any case.
    pub(super) fn most(&self, size: usize, n: usize) -> usize {
        self.working_set.unwrap_or(MOST_SET).min(self.fitting(n)).clamp(size, n.max(size))
    }

    /// Rows of n values in the budget.
    fn fitting(&self, n: usize) -> usize {
        self.cache_bytes / (size_of::<f32>() * n.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_working_set_fits_the_budget_for_rows() {
        let budget = |megabytes: usize| Smo { cache_bytes: megabytes << 20, ..Smo::default() };
        assert_eq!(budget(2048).size(40_000), 512);
        assert_eq!(budget(2048).size(100_000), 256);
        // 12 MB are 314 rows of 10,000 values; at least 64 there are in any case.
        assert_eq!(budget(12).size(10_000), 314);
        assert_eq!(budget(1).size(100_000), LEAST_SET);
        assert_eq!(budget(12).most(314, 10_000), 314);
        // The budget does not matter where rows are short.
        assert_eq!(budget(0).size(300), 300);
        assert_eq!(budget(0).size(2000), budget(2048).size(2000));
    }
}
