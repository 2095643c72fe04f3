//! What a fit runs under: weights of the points, a watch, a budget of memory, and where it is computed.

use std::ops::ControlFlow;

use super::checkpoint::Checkpoint;
use super::compute::{Compute, Processor};
use super::facts::Facts;
use super::linear::Warm;
use crate::data::Points;
use crate::solve::{Phases, Progress, Shared, Stage};

/// How far a fit has come, handed to the caller's callback.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Event<'e> {
    /// A round of a solver of quadratic programmes.
    Round(&'e Progress<'e>),
    /// A step of work whose cost is known beforehand.
    Stage(&'e Stage),
}

/// The caller's callback: shown each event, answers whether to go on. Called from one thread at a time.
pub type Watcher<'a> = &'a mut (dyn FnMut(Event<'_>) -> ControlFlow<()> + Send);

/// The circumstances of a fit. What is fitted is the estimator's; this is how.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use mercer::data::{Labels, Vectors};
/// use mercer::kernel::rbf;
/// use mercer::model::{Estimator, Event, Job, Svc};
///
/// let x = Vectors::dense(1, vec![-2.0, -1.0, 1.0, 2.0]);
/// let y = Labels::first_seen(["low", "low", "high", "high"]);
/// let mut rounds = 0;
/// let mut watch = |event: Event<'_>| {
///     rounds += usize::from(matches!(event, Event::Round(_)));
///     ControlFlow::Continue(())
/// };
/// // The second point counts three times.
/// let mut job = Job::new().weights(&[1.0, 3.0, 1.0, 1.0]).watched(&mut watch);
/// let model = Svc::new(rbf(0.5)).c(10.0).fit_in(&x, &y, &mut job)?;
/// println!("{:?} in rows, {:?} in steps", job.phases.rows, job.phases.inner);
/// assert!(rounds > 0 && model.predict(&x)? == ["low", "low", "high", "high"]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub struct Job<'a, X: Points> {
    pub(super) weights: &'a [f64],
    pub(super) memory: Option<usize>,
    pub(super) compute: &'a dyn Compute<X>,
    watcher: Option<Watcher<'a>>,
    /// Where the solver's time went, summed over programmes that were solved side by side.
    pub phases: Phases,
    /// What the fit found besides the model: ε of a regression by ν, errors of a path of λ.
    pub found: Facts,
    /// Where the answers so far are kept, for another fit to go on from.
    pub checkpoint: Option<&'a Checkpoint>,
    /// Answers of an earlier fit to the same points to begin with, and those of this fit after it; none where nothing is to be kept.
    /// Methods other than the linear ones leave it as it is.
    pub warm: Option<Warm>,
}

impl<'a, X: Points> Job<'a, X> {
    /// Every point counts once; not watched; the memory that is there; on this machine's processor.
    #[must_use]
    pub fn new() -> Self {
        Self {
            weights: &[],
            memory: None,
            compute: &Processor,
            checkpoint: None,
            watcher: None,
            phases: Phases::default(),
            found: Facts::default(),
            warm: None,
        }
    }

    /// Sets a weight for each point; empty for 1. A whole number is the same as so many copies of the point, 0 as none.
    #[must_use]
    pub fn weights(mut self, weights: &'a [f64]) -> Self {
        self.weights = weights;
        self
    }

    /// Sets the callback that sees each event and can end the fit. A solver of programmes then gives the best answer so
    /// far, whose certificate says [`Interrupted`](crate::solve::Stop::Interrupted); linear algebra has none to give and
    /// fails with [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted).
    #[must_use]
    pub fn watched(mut self, watcher: Watcher<'a>) -> Self {
        self.watcher = Some(watcher);
        self
    }

    /// Sets where the answers so far are kept, for another fit to go on from; what is kept there already is where this fit goes on.
    #[must_use]
    pub fn checkpoint(mut self, checkpoint: &'a Checkpoint) -> Self {
        self.checkpoint = Some(checkpoint);
        self
    }

    /// Sets the bytes that matrices may take; none for what the machine has left.
    #[must_use]
    pub fn memory(mut self, bytes: impl Into<Option<usize>>) -> Self {
        self.memory = bytes.into();
        self
    }

    /// Sets where Grams are made and programmes are solved.
    #[must_use]
    pub fn on(mut self, compute: &'a dyn Compute<X>) -> Self {
        self.compute = compute;
        self
    }

    /// The callback for a solver's rounds.
    pub(super) fn rounds(&mut self) -> impl FnMut(&Progress) -> ControlFlow<()> + Send {
        let watcher = &mut self.watcher;
        move |progress| show(watcher, Event::Round(progress))
    }

    /// The callback for steps of linear algebra.
    pub(super) fn stages(&mut self) -> impl FnMut(&Stage) -> ControlFlow<()> + Send {
        let watcher = &mut self.watcher;
        move |stage| show(watcher, Event::Stage(stage))
    }

    /// The job as one on points of another type, computed on the processor.
    pub(super) fn of_space<Y: Points>(&mut self) -> Job<'_, Y> {
        Job {
            weights: self.weights,
            memory: self.memory,
            compute: &Processor,
            checkpoint: self.checkpoint,
            watcher: self.watcher.as_mut().map(|watcher| &mut **watcher as Watcher<'_>),
            phases: self.phases,
            found: std::mem::take(&mut self.found),
            warm: self.warm.take(),
        }
    }
}

impl<X: Points> Default for Job<'_, X> {
    fn default() -> Self {
        Self::new()
    }
}

fn show(watcher: &mut Option<Watcher<'_>>, event: Event<'_>) -> ControlFlow<()> {
    watcher.as_mut().map_or(ControlFlow::Continue(()), |watcher| watcher(event))
}

/// The callback of one of several parts that are fitted side by side; their rounds go through `shared`.
pub(super) fn of_part<'s>(
    shared: &'s Shared<'_>,
    part: usize,
) -> impl FnMut(Event<'_>) -> ControlFlow<()> + Send + 's {
    move |event| match event {
        Event::Round(progress) => shared.show(part, progress),
        Event::Stage(_) => ControlFlow::Continue(()),
    }
}
