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
//! | `design` | the candidate columns as a likelihood scales them, for one function or one of each class |
//! | `span` | an orthonormal basis of the columns that were in the model, and the coordinates of all candidates in it |
//! | `evidence` | the evidence, and Sₘ = φₘᵀC⁻¹φₘ and Qₘ = φₘᵀC⁻¹t of all candidates under a change of one α |
//! | `factor` | G⁻¹ and its determinant, right also where columns are nearly collinear and their α small |
//! | `ascent` | Newton steps in all log α and log β at once |
//! | `posterior` | mean and covariance of the weights, by orthogonal transformations |
//! | `regression` | numbers with Gaussian noise |
//! | `likelihood` | the logistic function and the softmax: mode, evidence and its derivatives by Laplace's approximation |
//! | `hessian` | the precision of the weights at that mode, in factors |
//! | `bend` | quasi-Newton steps |
//! | `classification` | classes |
//!
//! The published updates keep Σ = (A + βΦᵀΦ)⁻¹ and take Sₘ as a difference of large numbers; with wide kernels, whose columns are
//! nearly collinear, nothing is left of it. Here C⁻¹ is written in the basis B of the span: with c the coordinates of a column,
//! ρ the square of what lies outside of the span and G = I + β Σ cⱼcⱼᵀ/αⱼ, Sₘ = β(ρₘ + cₘᵀG⁻¹cₘ) is a sum of terms that are not
//! negative.

mod ascent;
mod bend;
mod classification;
mod columns;
mod design;
mod evidence;
mod factor;
mod hessian;
mod likelihood;
mod posterior;
mod regression;
mod span;
#[cfg(test)]
mod tests;

pub(crate) use bend::Bend;
pub(crate) use classification::{classify, classify_from};
pub(crate) use columns::Columns;
pub(crate) use likelihood::{Classes, sigmoid};
pub(crate) use posterior::Posterior;
pub(crate) use regression::{pull_of_numbers, regress, regress_from};

use std::ops::ControlFlow;

/// How the evidence is climbed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Climb {
    /// The least gain of log evidence for which a column is added.
    pub tolerance: f64,
    /// Steps at most, of all starts together.
    pub steps: u64,
    /// The climb ends where the model has more columns than this.
    pub columns: usize,
    /// The variance of the noise; none where it is estimated.
    pub noise: Option<f64>,
}

impl Climb {
    /// A climb over as many columns as come in.
    pub(crate) fn new(tolerance: f64, steps: u64, noise: Option<f64>) -> Self {
        Self { tolerance, steps, columns: usize::MAX, noise }
    }
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
    /// Whether no step gains as much as the tolerance, and no derivative is left.
    pub converged: bool,
}

impl Relevant {
    /// Whether this has more evidence than `other`, or as much up to the tolerance and fewer columns.
    fn beats(&self, other: &Self, tolerance: f64) -> bool {
        let (more, columns) = (self.evidence - other.evidence, self.posterior.columns.len());
        more > tolerance || (more > -tolerance && columns < other.posterior.columns.len())
    }
}

/// Told how many steps were taken; answers whether to go on.
pub(crate) type Steps<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;
