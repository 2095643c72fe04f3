//! Estimators and the models they fit.
//!
//! Every model is an [`Expansion`] with a readout: f(x) = Σ βᵢ k(xᵢ, x) − b with several outputs.
//! [`probability`] says what its decisions are worth.

mod cca;
mod class_weights;
mod expansion;
pub mod file;
mod fisher;
mod function;
mod layout;
pub mod libsvm;
mod local;
mod machine;
mod multiclass;
mod multilabel;
mod nu_svc;
mod one_class;
mod one_vs_all;
mod pairwise;
mod pca;
#[cfg(test)]
mod pca_tests;
mod preimage;
pub mod probability;
mod rde;
mod ridge;
mod scores;
mod svc;
mod svr;
mod together;
mod values;
mod weights;

pub use cca::{Cca, CcaModel};
pub use expansion::{CoefficientBlock, Coefficients, Expansion};
pub use fisher::{Fisher, FisherModel, Threshold};
pub use function::Function;
pub use local::{Cell, Local, LocalModel};
pub use machine::Machine;
pub use multiclass::{VoteRule, pairs, vote};
pub use multilabel::{MultiLabel, MultiLabelModel};
pub use nu_svc::{NuSvc, NuSvcFit};
pub use one_class::{OneClass, Svdd, SvddModel};
pub use one_vs_all::OneVsAll;
pub use pca::{Pca, PcaModel};
pub use preimage::{Convergence, PreImages, Start, Way};
pub use probability::Probability;
pub use rde::{Denoised, Noise, Rde, RdeFit, Trial};
pub use ridge::{Ridge, RidgeCertificate, RidgeMethod, RidgeModel, RidgePath, RidgePoint};
pub use scores::ScoreModel;
pub use svc::{Slack, Svc, SvcModel};
pub use svr::{Svr, SvrFit, Zone};
pub use together::Together;

pub use crate::solve::Criterion;
pub use crate::solve::together::Loss;
