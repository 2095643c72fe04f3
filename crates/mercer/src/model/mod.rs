//! Estimators and the models they fit.
//!
//! Every model is an [`Expansion`] with a readout: f(x) = Σ βᵢ k(xᵢ, x) − b with several outputs.

mod expansion;
pub mod file;
mod layout;
pub mod libsvm;
mod multiclass;
mod svc;

pub use expansion::{CoefficientBlock, Coefficients, Expansion};
pub use multiclass::{pairs, vote};
pub use svc::{Svc, SvcModel};
