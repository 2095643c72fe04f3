//! The time spent in each part of a solver.

use std::time::{Duration, Instant};

/// Time spent in each part of the solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Phases {
    /// Choosing working sets.
    pub selection: Span,
    /// Computing kernel rows, and adding to the gradient those that are not kept.
    pub rows: Span,
    /// Steps inside working sets.
    pub inner: Span,
    /// Adding kept rows to the gradient.
    pub update: Span,
    /// Setting variables aside and bringing them back.
    pub shrinking: Span,
    /// Solving the cells of a large problem, and computing the gradient at their answers.
    pub dividing: Span,
}

impl Phases {
    /// The name and the time of each part.
    #[must_use]
    pub fn parts(&self) -> [(&'static str, Span); 6] {
        [
            ("selection", self.selection),
            ("rows", self.rows),
            ("inner", self.inner),
            ("update", self.update),
            ("shrinking", self.shrinking),
            ("dividing", self.dividing),
        ]
    }
}

impl std::iter::Sum for Phases {
    fn sum<I: Iterator<Item = Self>>(phases: I) -> Self {
        phases.fold(Self::default(), |a, b| Self {
            selection: Span(a.selection.0 + b.selection.0),
            rows: Span(a.rows.0 + b.rows.0),
            inner: Span(a.inner.0 + b.inner.0),
            update: Span(a.update.0 + b.update.0),
            shrinking: Span(a.shrinking.0 + b.shrinking.0),
            dividing: Span(a.dividing.0 + b.dividing.0),
        })
    }
}

/// A sum of durations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Span(pub Duration);

impl Span {
    /// Adds the time since `since`, and returns the present time.
    pub(super) fn lap(&mut self, since: Instant) -> Instant {
        let now = Instant::now();
        self.0 += now - since;
        now
    }
}
