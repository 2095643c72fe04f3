//! What the file of a method uses: points and kernels, what every estimator and every model is, how models are written.

pub(super) use crate::data::{Dense, Labels, Points};
pub(super) use crate::error::{DataProblem, ErrorKind, Result, check};
pub(super) use crate::kernel::Kernel;
pub(super) use crate::model::compute::Programme;
pub(super) use crate::model::expansion::{
    CoefficientBlock, Coefficients, Expansion, distance, first_largest, interleaved,
};
pub(super) use crate::model::facts::Facts;
pub(super) use crate::model::file::{Flaw, Reader, Writer, parts, text};
pub(super) use crate::model::fitted::{Calibrates, How, Model, Prediction, classifies, made_of, without};
pub(super) use crate::model::method::Method;
pub(super) use crate::model::probability::{Estimate, Settings};
pub(super) use crate::model::quality::Quality;
pub(super) use crate::model::setting::{Kind, Parameter, Setting, Value, rows, settable, settings, words};
pub(super) use crate::model::space::Space;
pub(super) use crate::model::weights::{Joined, Weighted, check_targets, class_sums};
pub(super) use crate::model::words::{count, short};
pub(super) use crate::model::{Estimator, Job};
pub(super) use crate::solve::{Certificate, Plan, Problem, Smo, Solution, room};
