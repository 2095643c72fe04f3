//! The progress of work whose cost is known beforehand: Gram matrices, factorisations, eigenvectors.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::error::{DataProblem, Error, ErrorKind};
use crate::linalg::Broken;

/// The progress of work whose cost is known, shown to the caller's callback.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stage {
    /// The present stage of the work.
    pub name: &'static str,
    /// The share of all operations that are done, from 0 to 1.
    pub done: f64,
    /// Time since the work began.
    pub elapsed: Duration,
}

impl Stage {
    /// An estimate of the time that is left, at the present speed; `None` at the very beginning.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        let seconds = self.elapsed.as_secs_f64() * (1.0 - self.done) / self.done;
        (self.done > 0.01).then(|| Duration::from_secs_f64(seconds.max(0.0)))
    }
}

/// The caller's callback: it is shown the progress and answers whether to go on. If it asks to stop, the work ends with
/// [`ErrorKind::Interrupted`], since there is no answer yet.
pub type Follow<'a> = &'a mut (dyn FnMut(&Stage) -> ControlFlow<()> + Send);

/// A callback that never stops the work.
pub fn unfollowed() -> impl FnMut(&Stage) -> ControlFlow<()> + Send {
    |_| ControlFlow::Continue(())
}

/// The stages of some work with their costs, and the callback that follows it.
pub(crate) struct Plan<'a> {
    follow: Follow<'a>,
    started: Instant,
    stages: Vec<(&'static str, f64)>,
}

impl<'a> Plan<'a> {
    /// Work that begins now. Each stage has a name and a cost; only the ratios of the costs matter.
    pub(crate) fn new(follow: Follow<'a>, stages: &[(&'static str, f64)]) -> Self {
        Self { follow, started: Instant::now(), stages: stages.to_vec() }
    }

    /// A function to be called with the share, from 0 to 1, of stage number `at` that is done.
    pub(crate) fn stage(&mut self, at: usize) -> impl FnMut(f64) -> ControlFlow<()> {
        let all: f64 = self.stages.iter().map(|stage| stage.1).sum();
        let before: f64 = self.stages[..at].iter().map(|stage| stage.1).sum();
        let (name, cost) = self.stages[at];
        let started = self.started;
        move |share| {
            let done = if all > 0.0 { ((before + cost * share) / all).clamp(0.0, 1.0) } else { 1.0 };
            (self.follow)(&Stage { name, done, elapsed: started.elapsed() })
        }
    }
}

impl From<Broken> for Error {
    /// The error of a factorisation that has failed, where the rows of the matrix are points.
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::NotDefinite(i) => ErrorKind::Data(DataProblem::NotDefinite { row: i + 1 }).into(),
            Broken::Interrupted => ErrorKind::Interrupted.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_follow_each_other_from_nothing_to_all() {
        let mut seen = Vec::new();
        let mut follow = |stage: &Stage| {
            seen.push((stage.name, stage.done));
            ControlFlow::Continue(())
        };
        let mut plan = Plan::new(&mut follow, &[("first", 1.0), ("second", 3.0)]);
        assert!(plan.stage(0)(0.5).is_continue());
        assert!(plan.stage(0)(1.0).is_continue());
        assert!(plan.stage(1)(1.0).is_continue());
        assert_eq!(seen, [("first", 0.125), ("first", 0.25), ("second", 1.0)]);
    }
}
