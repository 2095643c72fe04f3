//! How a solver tells its caller what it is doing, and hears whether to go on.

use std::ops::ControlFlow;
use std::time::Duration;

/// The state of a fit, handed to the caller's callback after each round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Which of several problems (class pairs), from 0.
    pub part: usize,
    /// How many problems there are.
    pub parts: usize,
    /// Rounds so far.
    pub rounds: u64,
    /// Steps so far, of two variables or of one point's.
    pub iterations: u64,
    /// Variables that are not set aside.
    pub active: usize,
    /// Variables of the next working set, at most.
    pub working_set: usize,
    /// The two points of the last working set, from 0 in the numbering of the part, where it had two.
    pub pair: Option<(usize, usize)>,
    /// Largest violation of the optimality conditions.
    pub violation: f64,
    /// Duality gap of a recent round, where the kernel is positive semi-definite. Variables set aside count as
    /// held at their bounds, where they add nothing; the certificate looks at all of them again.
    pub gap: f64,
    /// The dual objective.
    pub objective: f64,
    /// Time since the fit began.
    pub elapsed: Duration,
}

/// The caller's callback: shown each round, answers whether to go on. Called from one thread at a time.
pub type Watch<'a> = &'a mut (dyn FnMut(&Progress) -> ControlFlow<()> + Send);

/// A watch that lets everything go on.
pub fn unwatched() -> impl FnMut(&Progress) -> ControlFlow<()> + Send {
    |_| ControlFlow::Continue(())
}
