//! Estimators and the models they fit.
//!
//! An [`Estimator`] is settings: a kernel and parameters. Fitted to points under the circumstances of a [`Job`] it gives a
//! [`Model`]: an [`Expansion`] f(x) = Σ βᵢ k(xᵢ, x) − b with several outputs, a way to read predictions from them, and a
//! [`Quality`]. [`Method`] is an estimator as a value: doors find it by name in one table, set its parameters by name and
//! fit it. A [`Space`] says what points are. [`Compute`] says where Grams are made and programmes are solved.
//!
//! [`probability`] says what decisions are worth, [`mod@file`] keeps models, [`libsvm`] and [`liblinear`] speak the model text of
//! LIBSVM and LIBLINEAR.

mod cluster;
mod compute;
mod estimator;
mod expansion;
mod facts;
pub mod file;
mod fitted;
mod job;
pub mod liblinear;
pub mod libsvm;
mod linear;
mod lines;
mod map;
mod method;
mod methods;
mod network;
mod online;
mod prelude;
pub mod probability;
mod quality;
mod relevance;
mod setting;
mod space;
mod spectral;
mod svm;
mod weights;
pub mod words;

pub use cluster::{Clusters, Gap, GapCurve, Initial, KMeans, KMeansModel, Spectral, SpectralModel};
pub use compute::{Compute, Processor, Programme, Programmes};
pub use estimator::{Estimator, Target, TargetKind, Targets};
pub use expansion::{CoefficientBlock, Coefficients, Expansion};
pub use facts::{Fact, Facts};
pub use fitted::{Calibrates, How, Model, Object, Prediction};
pub use job::{Event, Job, Watcher};
pub use linear::{
    Algorithm, CPath, Cost, Example, Hinges, LinearModel, LinearOneClass, LinearScheme, LinearSolver,
    LinearSvc, LinearSvr, Logistic, Pegasos, PegasosStream, Penalty, Progressive, Rounds, Stats, StepSizes,
    StochasticLoss, Warm, Zones,
};
pub use map::{MapStart, Som, SomModel, Training};
pub use method::{Card, Configured, Method, Path};
pub use network::{
    Centers, Layer, Network, NetworkClassifier, NetworkRegression, OutputFit, RbfNetwork,
    RbfNetworkRegression, Width,
};
pub use online::{Perceptron, PerceptronModel};
pub use probability::Probability;
pub use quality::{Quality, Totals};
pub use relevance::{Likelihood, RelevanceModel, Rvc, Rvr, WidthChoice};
pub use setting::{About, Kind, Parameter, Setting, Value};
pub use space::{AnyEstimator, AnyKernel, AnyModel, AnyPoints, SPACES, Space, listed_kernels};
pub use spectral::{
    Cca, CcaModel, Choose, Convergence, Denoised, Fisher, FisherModel, Lambda, Noise, Pca, PcaModel,
    PreImages, Rde, RdeFit, Ridge, RidgeModel, RidgePath, RidgePoint, RidgeSolver, Start, Threshold, Trial,
    Way,
};
pub use svm::{
    Cell, Function, Local, LocalModel, MultiLabel, MultiLabelModel, NuSvc, OneClass, OneVsAll, Outside, Role,
    ScoreModel, Slack, Svc, SvcModel, Svdd, SvddModel, Svr, Together, VoteRule, Zone, pairs, vote,
};

pub use crate::solve::Criterion;
pub use crate::solve::cluster::Seeding;
pub use crate::solve::map::{Grid, Lattice};
pub use crate::solve::together::Loss;
