//! The quadratic programme of every support vector machine, its solver, and the certificate of the answer.
//!
//! [`Problem`] is numbers only; [`Smo`] solves it on any [`Gram`](crate::gram::Gram); a [`Solution`] comes with a
//! [`Certificate`]: how far the answer can be from the best there is, and why the solver stopped. [`together`] are the
//! machines of several classes that are one programme.

mod active;
pub(crate) mod cca;
mod certificate;
pub(crate) mod conjugate;
pub(crate) mod divide;
mod exact;
pub(crate) mod fisher;
mod inner;
mod problem;
pub(crate) mod rde;
pub(crate) mod ridge;
mod run;
mod shared;
mod smo;
mod stage;
mod state;
pub mod together;
mod working_set;

pub use certificate::{Certificate, Stop};
pub use problem::Problem;
pub use rde::{Criterion, Cut, Relevance, Target};
pub(crate) use shared::Shared;
pub use smo::{Selection, Smo, unwatched};
pub(crate) use stage::Plan;
pub use stage::{Follow, Stage, unfollowed};

pub(crate) use crate::error::room;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

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

/// Time spent in each part of the solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Phases {
    /// Choosing working sets.
    pub selection: Span,
    /// Computing kernel rows, and adding those to the gradient that are not kept.
    pub rows: Span,
    /// Steps inside working sets.
    pub inner: Span,
    /// Adding kept rows to the gradient.
    pub update: Span,
    /// Setting variables aside and bringing them back.
    pub shrinking: Span,
    /// Solving the parts of a large problem, and their answers' gradient.
    pub dividing: Span,
}

impl Phases {
    /// Each part by its name.
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
    /// Adds the time since `since`; returns now.
    fn lap(&mut self, since: Instant) -> Instant {
        let now = Instant::now();
        self.0 += now - since;
        now
    }
}
