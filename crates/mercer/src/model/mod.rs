//! Estimators and the models they fit.
//!
//! Every model is an [`Expansion`] with a readout: f(x) = Σ βᵢ k(xᵢ, x) − b with several outputs.

mod expansion;
pub mod file;
mod function;
mod layout;
pub mod libsvm;
mod machine;
mod multiclass;
mod one_class;
mod pairwise;
mod svc;
mod svr;

pub use expansion::{CoefficientBlock, Coefficients, Expansion};
pub use function::Function;
pub use machine::Machine;
pub use multiclass::{pairs, vote};
pub use one_class::{OneClass, Svdd, SvddModel};
pub use svc::{Svc, SvcModel};
pub use svr::{Svr, SvrFit, Zone};
