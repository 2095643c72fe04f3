//! How good an answer is, and why the solver stopped.

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
    /// All reasons, for parsing and tables.
    pub const ALL: [Stop; 5] =
        [Stop::Converged, Stop::IterationLimit, Stop::TimeLimit, Stop::Stalled, Stop::Interrupted];

    /// The word used in files and output.
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

/// What is known of an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certificate {
    /// The dual objective ½βᵀKβ + linearᵀβ.
    pub objective: f64,
    /// Primal minus dual objective: the answer is at most this far from the best. Absent for a kernel that is not
    /// known to be positive semi-definite, where it bounds nothing.
    pub gap: Option<f64>,
    /// Largest violation of the optimality conditions.
    pub violation: f64,
    /// Steps taken: of two variables, or of one point's where all classes are [together](super::together).
    pub iterations: u64,
    /// Kernel rows computed, in rows of the whole problem.
    pub rows: f64,
    /// Why the solver stopped.
    pub stop: Stop,
    /// Whether the free variables solve their linear system to rounding, in double precision; for a softmax, whether the
    /// probabilities are those of the scores to rounding.
    pub exact: bool,
}
