//! The quadratic programme of every support vector machine, its solver, and the certificate of the answer.

mod certificate;
mod problem;

pub use certificate::{Certificate, Stop};
pub use problem::Problem;

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
    /// Two-variable steps so far.
    pub iterations: u64,
    /// Largest violation of the optimality conditions.
    pub violation: f64,
    /// Duality gap of the current point, where the kernel is positive semi-definite.
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
    /// How good it is.
    pub certificate: Certificate,
}
