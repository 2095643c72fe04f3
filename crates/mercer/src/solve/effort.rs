//! What a solve has spent so far, and how much it may spend.

use std::time::{Duration, Instant};

use super::{Phases, Smo, Stop};
use crate::gram::Gram;

/// Rounds, steps, kernel values and time of a solve, with the limits that the caller has set.
pub(super) struct Effort {
    pub(super) rounds: u64,
    /// Steps so far, those of the cells of a divided problem included.
    pub(super) iterations: u64,
    pub(super) phases: Phases,
    iteration_limit: u64,
    time_limit: Option<Duration>,
    started: Instant,
    /// Kernel values that the Gram had computed when the solve began.
    computed_before: u64,
}

impl Effort {
    /// A solve on `gram` that begins now. Without a limit on the steps there are at most max(10⁷, 100 n), LIBSVM's rule.
    pub(super) fn new(settings: &Smo, gram: &dyn Gram) -> Self {
        Self {
            rounds: 0,
            iterations: 0,
            phases: Phases::default(),
            iteration_limit: settings.iteration_limit.unwrap_or((100 * gram.len() as u64).max(10_000_000)),
            time_limit: settings.time_limit,
            started: Instant::now(),
            computed_before: gram.computed(),
        }
    }

    pub(super) fn started(&self) -> Instant {
        self.started
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Steps that may still be taken.
    pub(super) fn iterations_left(&self) -> u64 {
        self.iteration_limit.saturating_sub(self.iterations)
    }

    /// The limit that has been reached, if any.
    pub(super) fn limit_reached(&self) -> Option<Stop> {
        if self.iterations >= self.iteration_limit {
            return Some(Stop::IterationLimit);
        }
        let late = self.time_limit.is_some_and(|limit| self.elapsed() >= limit);
        late.then_some(Stop::TimeLimit)
    }

    /// Kernel values that `gram` has computed since the solve began, in rows of the whole problem.
    pub(super) fn kernel_rows(&self, gram: &dyn Gram) -> f64 {
        (gram.computed() - self.computed_before) as f64 / gram.len().max(1) as f64
    }
}
