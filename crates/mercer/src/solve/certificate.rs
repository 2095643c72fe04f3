//! What is proved about an answer, and why the solver stopped.

use std::fmt;

/// Why a solver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// The optimality conditions hold to the tolerance asked for.
    Converged,
    /// The limit on iterations was reached.
    IterationLimit,
    /// The limit on time was reached.
    TimeLimit,
    /// No step improves the objective in this precision.
    Stalled,
    /// The caller asked to stop.
    Interrupted,
}

impl Stop {
    /// All reasons to stop, for parsing and tables.
    pub const ALL: [Stop; 5] =
        [Stop::Converged, Stop::IterationLimit, Stop::TimeLimit, Stop::Stalled, Stop::Interrupted];

    /// The name used in files and output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Stop::Converged => "converged",
            Stop::IterationLimit => "iteration-limit",
            Stop::TimeLimit => "time-limit",
            Stop::Stalled => "stalled",
            Stop::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is proved about the solution of a quadratic programme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certificate {
    /// The dual objective ½βᵀKβ + linearᵀβ.
    pub objective: f64,
    /// Primal minus dual objective: the objective is at most this far from the optimum. `None` for a kernel that is not
    /// known to be positive semi-definite, for which it is not a bound.
    pub gap: Option<f64>,
    /// Largest violation of the optimality conditions.
    pub violation: f64,
    /// Steps taken: of two variables, or of the variables of one point for the methods of [`together`](super::together).
    pub iterations: u64,
    /// Kernel values computed, divided by the number of points: rows of the whole problem.
    pub rows: f64,
    /// Why the solver stopped.
    pub stop: Stop,
    /// Whether the free variables solve their linear system up to rounding, in double precision; for the softmax, whether
    /// the probabilities are those of the scores up to rounding.
    pub exact: bool,
}
