//! Solvers: from numbers and a Gram to coefficients and a measure of their quality. No solver knows a kernel or the name
//! of a class.
//!
//! There is one module for each kind of problem:
//!
//! - `smo`: the quadratic programme of the support vector machines, [`Problem`], solved by [`Smo`] on any
//!   [`Gram`](crate::gram::Gram). A [`Solution`] comes with a [`Certificate`]: how far the answer can be from the optimum,
//!   and why the solver stopped.
//! - [`together`]: the methods that solve one programme for several classes.
//! - `relevance`: sparse Bayesian learning, the relevance vector machine.
//! - `map`: the self-organising map on a grid of prototypes in feature space.
//! - `algebra`: the methods that are linear systems and eigenproblems of a Gram matrix (ridge regression, Fisher's
//!   discriminant, canonical correlations, relevant dimensions).
//! - `cluster`: k-means in feature space, and the graphs of spectral clustering.
//! - [`linear`]: weights for the features themselves, by Newton's method or coordinate descent, without a Gram.
//! - `network`: networks of one hidden layer: their centres and output weights.
//!
//! This module has what they share: the certificate, the progress of work whose length is not known beforehand
//! ([`Progress`]) and of work whose cost is ([`Stage`]), and the time spent in each part ([`Phases`]).

pub(crate) mod algebra;
mod certificate;
pub(crate) mod cluster;
mod effort;
mod finite;
mod iterate;
pub mod linear;
pub(crate) mod map;
pub(crate) mod network;
pub(crate) mod path;
mod patience;
mod phases;
mod progress;
pub(crate) mod relevance;
mod shared;
pub(crate) mod smo;
mod stage;
pub mod together;

pub use algebra::rde::{Criterion, Cut, Relevance, Target};
pub(crate) use algebra::{cca, conjugate, fisher, rde, ridge};
pub use certificate::{Certificate, Stop};
pub use iterate::{Iterate, Start};
pub use phases::{Phases, Span};
pub use progress::{Progress, Watch, unwatched};
pub(crate) use shared::Shared;
pub(crate) use smo::WHOLE;
pub(crate) use smo::divide;
pub use smo::{Answer, Problem, Selection, Smo, Solution};
pub(crate) use stage::Plan;
pub use stage::{Follow, Stage, unfollowed};

pub(crate) use crate::memory::room;
