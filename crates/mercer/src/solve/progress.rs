//! The progress of a solver, and the caller's callback that may stop it.

use std::ops::ControlFlow;
use std::time::Duration;

use super::Iterate;

/// The state of a fit, shown to the caller's callback before each round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress<'a> {
    /// Which of several problems this is (a pair of classes, for example), from 0.
    pub part: usize,
    /// How many problems there are.
    pub parts: usize,
    /// Rounds so far.
    pub rounds: u64,
    /// Steps so far; a step changes two variables or the variables of one point.
    pub iterations: u64,
    /// Number of variables that are not set aside.
    pub active: usize,
    /// The most variables that the next working set can have.
    pub working_set: usize,
    /// The points of the last working set if there were two, from 0 in the numbering of the part.
    pub pair: Option<(usize, usize)>,
    /// Largest violation of the optimality conditions.
    pub violation: f64,
    /// Duality gap of a recent round, which is a bound if the kernel is positive semi-definite. Variables that are set
    /// aside are not counted; the certificate counts all variables.
    pub gap: f64,
    /// The dual objective.
    pub objective: f64,
    /// Time since the fit began.
    pub elapsed: Duration,
    /// The answer so far.
    pub iterate: Iterate<'a>,
}

impl Progress<'_> {
    /// The progress without the answer, which lives only as long as the call of the callback.
    #[must_use]
    pub fn told(&self) -> Progress<'static> {
        let &Self { part, parts, rounds, iterations, active, working_set, pair, .. } = self;
        let &Self { violation, gap, objective, elapsed, .. } = self;
        let iterate = Iterate::default();
        Progress {
            part,
            parts,
            rounds,
            iterations,
            active,
            working_set,
            pair,
            violation,
            gap,
            objective,
            elapsed,
            iterate,
        }
    }
}

/// The caller's callback: it is shown the progress before each round and answers whether to go on. It is called from one
/// thread at a time.
pub type Watch<'a> = &'a mut (dyn FnMut(&Progress) -> ControlFlow<()> + Send);

/// A callback that never stops the solver.
pub fn unwatched() -> impl FnMut(&Progress) -> ControlFlow<()> + Send {
    |_| ControlFlow::Continue(())
}
