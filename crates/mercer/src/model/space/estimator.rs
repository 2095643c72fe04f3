//! An estimator of any method and any space, as doors hold it.

use super::any::{AsSpace, mixed};
use super::{AnyKernel, AnyModel, AnyPoints, Space};
use crate::data::{Stream, Vectors};
use crate::error::Result;
use crate::model::estimator::Targets;
use crate::model::job::Job;
use crate::model::method::{Card, Configured, Method};
use crate::model::probability::{Estimate, Settings};
use crate::model::setting::Value;

/// An estimator of any method and any space, its parameters by name.
pub enum AnyEstimator {
    /// Of rows of numbers.
    Vectors(Box<dyn Configured<Vectors>>),
    /// Of another space.
    Other(Box<dyn Configured<AnyPoints>>),
}

/// The same of an estimator on vectors and of one on another space.
macro_rules! either {
    ($any:expr, $estimator:ident => $result:expr) => {
        match $any {
            AnyEstimator::Vectors($estimator) => $result,
            AnyEstimator::Other($estimator) => $result,
        }
    };
}

/// The targets of vectors.
fn of_vectors(y: &Targets<AnyPoints>) -> Result<Targets<Vectors>> {
    y.try_map(|view| view.as_space().cloned().map_or_else(|| mixed(Vectors::NAME, view.space()), Ok))
}

impl AnyEstimator {
    /// An estimator of the method named, with its defaults.
    ///
    /// # Errors
    /// If there is no such method, or the kernel's parameters are out of range.
    pub fn new(method: &str, kernel: AnyKernel) -> Result<Self> {
        kernel.check()?;
        Ok(match kernel {
            AnyKernel::Vectors(kernel) => Self::Vectors(Method::find(method)?.make(kernel)),
            kernel => Self::Other(Method::find(method)?.make(kernel)),
        })
    }

    /// The method.
    #[must_use]
    pub fn card(&self) -> Card {
        either!(self, estimator => estimator.card())
    }

    /// A parameter by name; none where the method does not have it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        either!(self, estimator => estimator.get(name))
    }

    /// Refuses parameters out of range.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self) -> Result<()> {
        either!(self, estimator => estimator.check())
    }

    /// Sets a parameter by name.
    ///
    /// # Errors
    /// If the method does not have it, or the value is of another kind.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        either!(self, estimator => estimator.set(name, value))
    }

    /// Fits a model.
    ///
    /// # Errors
    /// If a parameter, the points or the targets cannot be used.
    pub fn fit(
        &self,
        x: &AnyPoints,
        y: &Targets<AnyPoints>,
        job: &mut Job<'_, AnyPoints>,
    ) -> Result<AnyModel> {
        match (self, x) {
            (Self::Vectors(estimator), AnyPoints::Vectors(x)) => {
                let mut own = job.of_space();
                let model = estimator.fit(x, &of_vectors(y)?, &mut own)?;
                (job.phases, job.found, job.warm) = (own.phases, own.found, own.warm);
                Ok(model.into())
            }
            (Self::Vectors(_), x) => mixed(Vectors::NAME, x.space()),
            (Self::Other(_), x) if matches!(y, Targets::View(view) if view.space() != x.space()) => {
                mixed(x.space(), "another")
            }
            (Self::Other(estimator), x) => Ok(estimator.fit(x, y, job)?.into()),
        }
    }

    /// Fits a model to vectors on disk, read block by block.
    ///
    /// # Errors
    /// If the method needs all rows in memory; if a parameter, the targets or a block cannot be used.
    pub fn fit_stream(
        &self,
        x: &Stream,
        y: &Targets<AnyPoints>,
        job: &mut Job<'_, AnyPoints>,
    ) -> Result<AnyModel> {
        let Self::Vectors(estimator) = self else { return mixed("another", Vectors::NAME) };
        let mut own = job.of_space();
        let model = estimator.fit_stream(x, &of_vectors(y)?, &mut own)?;
        (job.phases, job.found) = (own.phases, own.found);
        Ok(model.into())
    }

    /// Fits a model for each C of the path in the settings, each from the answer of the one before.
    ///
    /// # Errors
    /// If the method has no path of C; if a parameter, the points or the targets cannot be used.
    pub fn fit_path(
        &self,
        x: &AnyPoints,
        y: &Targets<AnyPoints>,
        job: &mut Job<'_, AnyPoints>,
    ) -> Result<Vec<(f64, AnyModel)>> {
        match (self, x) {
            (Self::Vectors(estimator), AnyPoints::Vectors(x)) => {
                let mut own = job.of_space();
                let path = estimator.fit_path(x, &of_vectors(y)?, &mut own)?;
                (job.phases, job.found, job.warm) = (own.phases, own.found, own.warm);
                Ok(path.into_iter().map(|(c, model)| (c, model.into())).collect())
            }
            (Self::Vectors(_), x) => mixed(Vectors::NAME, x.space()),
            (Self::Other(estimator), x) => {
                let path = estimator.fit_path(x, y, job)?;
                Ok(path.into_iter().map(|(c, model)| (c, model.into())).collect())
            }
        }
    }

    /// Learns what the decisions of a model that was just fitted are worth.
    ///
    /// # Errors
    /// If the method has no probabilities, or a fit to the points without a fold fails.
    pub fn learn(
        &self,
        x: &AnyPoints,
        y: &Targets<AnyPoints>,
        model: &AnyModel,
        settings: &Settings,
        job: &mut Job<'_, AnyPoints>,
    ) -> Result<Option<Estimate>> {
        match (self, x, model) {
            (Self::Vectors(estimator), AnyPoints::Vectors(x), AnyModel::Vectors(model)) => {
                let mut own = job.of_space();
                let learnt = estimator.learn(x, &of_vectors(y)?, &**model, settings, &mut own);
                job.found = own.found;
                learnt
            }
            (Self::Other(estimator), x, AnyModel::Other(model)) => {
                estimator.learn(x, y, &**model, settings, job)
            }
            (_, x, model) => mixed(model.space(), x.space()),
        }
    }
}

impl Clone for AnyEstimator {
    fn clone(&self) -> Self {
        match self {
            Self::Vectors(estimator) => Self::Vectors(estimator.copy()),
            Self::Other(estimator) => Self::Other(estimator.copy()),
        }
    }
}
