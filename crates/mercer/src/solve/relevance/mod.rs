//! Sparse Bayesian learning: weights with a prior of their own precision each, which the evidence chooses (Tipping 2001; Tipping
//! and Faul 2003).
//!
//! A function f = Σ wₘφₘ over candidate columns φₘ has weights wₘ ~ N(0, 1/αₘ). The evidence p(t | α, β) of targets t with noise of
//! variance 1/β is Gaussian with covariance C = β⁻¹I + Σ φₘφₘᵀ/αₘ. As a function of one αₘ it has a single maximum, which is finite
//! where qₘ² > sₘ and else at ∞: the column is then not in the model. Most are not; those that are make the relevance vectors.
//!
//! | module | what |
//! |---|---|
//! | `columns` | the candidate columns, of unit length |
//! | `span` | an orthonormal basis of the columns that were in the model, and the coordinates of all candidates in it |
//! | `evidence` | the evidence, and Sₘ = φₘᵀC⁻¹φₘ and Qₘ = φₘᵀC⁻¹t of all candidates under a change of one α |
//! | `ascent` | Newton steps in all log α and log β at once |
//! | `posterior` | mean and covariance of the weights, by orthogonal transformations |
//! | [`regression`] | numbers with Gaussian noise |
//! | [`classification`] | two classes, by Laplace's approximation |
//!
//! The published updates keep Σ = (A + βΦᵀΦ)⁻¹ and take Sₘ as a difference of large numbers; with wide kernels, whose columns are
//! nearly collinear, nothing is left of it. Here C⁻¹ is written in the basis B of the span: with c the coordinates of a column,
//! ρ the square of what lies outside of the span and G = I + β Σ cⱼcⱼᵀ/αⱼ, Sₘ = β(ρₘ + cₘᵀG⁻¹cₘ) is a sum of terms that are not
//! negative.

mod ascent;
mod classification;
mod columns;
mod evidence;
mod posterior;
mod regression;
mod span;
#[cfg(test)]
mod tests;

pub(crate) use classification::{classify, sigmoid};
pub(crate) use columns::Columns;
pub(crate) use posterior::Posterior;
pub(crate) use regression::regress;

use std::ops::ControlFlow;

/// How the evidence is climbed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Climb {
    /// The least gain of log evidence for which a column is added.
    pub tolerance: f64,
    /// Steps at most.
    pub steps: u64,
    /// The variance of the noise; none where it is estimated.
    pub noise: Option<f64>,
}

/// What the climb has found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Relevant {
    /// The weights of the columns in the model.
    pub posterior: Posterior,
    /// The variance of the noise, 1/β.
    pub noise: f64,
    /// The log evidence.
    pub evidence: f64,
    /// The largest derivative of the log evidence in a log α, or in log β.
    pub gradient: f64,
    /// Steps taken.
    pub steps: u64,
    /// Whether no step gains as much as the tolerance.
    pub converged: bool,
}

/// Told how many steps were taken; answers whether to go on.
pub(crate) type Steps<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;
