//! What every estimator is: settings that fit a model to points and what is known of them.

use super::job::Job;
use super::probability::{Estimate, Settings};
use crate::data::{LabelSets, Labels, Points, Stream};
use crate::error::{ErrorKind, Result};

/// Settings that can be fitted to points of the space `X`.
///
/// Every estimator has a `fit` of its own besides, so that this trait need not be imported: `Svc::new(kernel).fit(&x, &y)`.
pub trait Estimator<X: Points> {
    /// What is known of each point: [`Labels`], numbers, sets of labels, nothing (`()`).
    type Target: ?Sized;
    /// What is fitted.
    type Model;
    /// The kernel of a method that is linear in the features of its points, or in those of an explicit map; none where it takes any.
    const KERNEL: Option<&'static str> = None;

    /// Refuses settings out of range.
    ///
    /// # Errors
    /// The first rule broken.
    fn check(&self) -> Result<()>;

    /// Fits a model under the circumstances of a job.
    ///
    /// # Errors
    /// If a parameter, the points or what is known of them cannot be used.
    fn fit_in(&self, x: &X, y: &Self::Target, job: &mut Job<'_, X>) -> Result<Self::Model>;

    /// Fits a model to points with a weight for each: a whole number is the same as so many copies of the point, 0 as none.
    ///
    /// # Errors
    /// As [`Estimator::fit_in`]; if there is not one weight per point, or one is negative or not finite.
    fn fit_weighted(&self, x: &X, y: &Self::Target, weights: &[f64]) -> Result<Self::Model> {
        self.fit_in(x, y, &mut Job::new().weights(weights))
    }

    /// Fits a model to rows that are read from disk block by block, in the memory of the job (2 GB where it says nothing).
    ///
    /// # Errors
    /// If the method needs all rows in memory; as [`Estimator::fit_in`]; if a block cannot be read.
    fn fit_stream(&self, x: &Stream, y: &Self::Target, job: &mut Job<'_, X>) -> Result<Self::Model> {
        let _ = (x, y, job);
        let what = "this method on a stream: linear-svc, logistic and linear-svr read rows from disk";
        Err(ErrorKind::Unsupported { what: what.into() }.into())
    }

    /// Fits a model for each C of the path in the settings, each from the answer of the one before; the last is that of the C in the settings.
    ///
    /// # Errors
    /// If the method has no path of C; as [`Estimator::fit_in`].
    fn fit_path(&self, x: &X, y: &Self::Target, job: &mut Job<'_, X>) -> Result<Vec<(f64, Self::Model)>> {
        let _ = (x, y, job);
        let what = "a path of C of this method: linear-svc, logistic and linear-svr have one";
        Err(ErrorKind::Unsupported { what: what.into() }.into())
    }

    /// Learns what the decisions of the fitted model are worth; none where there are too few points to tell.
    ///
    /// # Errors
    /// If the method has no probabilities; as [`Estimator::fit_in`].
    fn learn(
        &self,
        x: &X,
        y: &Self::Target,
        model: &Self::Model,
        settings: &Settings,
        job: &mut Job<'_, X>,
    ) -> Result<Option<Estimate>> {
        let _ = (x, y, model, settings, job);
        Err(ErrorKind::Unsupported { what: "probabilities of this method".into() }.into())
    }
}

/// What is known of points, whichever kind a method wants.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Targets<X> {
    /// Nothing.
    None,
    /// A class for each point.
    Classes(Labels),
    /// Numbers for each point: a list for each target.
    Numbers(Vec<Vec<f64>>),
    /// A set of labels for each point.
    Sets(LabelSets),
    /// Another point for each point: a second view of the same things.
    View(X),
}

impl<X: Points> Targets<X> {
    /// What is known of some of the points.
    #[must_use]
    pub fn select(&self, index: &[usize]) -> Self {
        match self {
            Self::None => Self::None,
            Self::Classes(labels) => Self::Classes(labels.select(index)),
            Self::Numbers(lists) => {
                let pick = |list: &Vec<f64>| index.iter().map(|&i| list[i]).collect();
                Self::Numbers(lists.iter().map(pick).collect())
            }
            Self::Sets(sets) => Self::Sets(sets.select(index)),
            Self::View(points) => Self::View(points.select(index)),
        }
    }
}

impl<X> Targets<X> {
    /// The targets with the second view, if there is one, as points of another type.
    ///
    /// # Errors
    /// Of `change`.
    pub fn try_map<Y>(&self, change: impl FnOnce(&X) -> Result<Y>) -> Result<Targets<Y>> {
        Ok(match self {
            Self::None => Targets::None,
            Self::Classes(labels) => Targets::Classes(labels.clone()),
            Self::Numbers(lists) => Targets::Numbers(lists.clone()),
            Self::Sets(sets) => Targets::Sets(sets.clone()),
            Self::View(points) => Targets::View(change(points)?),
        })
    }
}

/// The kinds of [`Targets`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetKind {
    /// Nothing but the points.
    None,
    /// A class for each point.
    Classes,
    /// A number for each point.
    Number,
    /// One or more numbers for each point.
    Numbers,
    /// A set of labels for each point.
    Sets,
    /// A second view.
    View,
}

impl TargetKind {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.told().0
    }

    /// In words: `a class for each point`.
    #[must_use]
    pub fn words(self) -> &'static str {
        self.told().1
    }

    fn told(self) -> (&'static str, &'static str) {
        match self {
            Self::None => ("none", "nothing but the points"),
            Self::Classes => ("classes", "a class for each point"),
            Self::Number => ("number", "a number for each point"),
            Self::Numbers => ("numbers", "one or more numbers for each point"),
            Self::Sets => ("sets", "a set of labels for each point"),
            Self::View => ("view", "a second view of the points"),
        }
    }
}

/// A type that an estimator has as its target, found among [`Targets`].
pub trait Target<X> {
    /// The kind.
    const KIND: TargetKind;
    /// The target among those given.
    fn of(targets: &Targets<X>) -> Option<&Self>;
}

impl<X> Target<X> for () {
    const KIND: TargetKind = TargetKind::None;
    fn of(_: &Targets<X>) -> Option<&Self> {
        Some(&())
    }
}

/// Makes types targets. A line is: type, kind, and which of the [`Targets`] it is.
macro_rules! targets {
    ($($type:ty: $kind:ident, $targets:pat => $found:expr;)+) => {$(
        impl<X: Points> Target<X> for $type {
            const KIND: TargetKind = TargetKind::$kind;
            fn of(targets: &Targets<X>) -> Option<&Self> {
                if let $targets = targets { $found } else { None }
            }
        }
    )+};
}
targets! {
    Labels: Classes, Targets::Classes(labels) => Some(labels);
    [f64]: Number, Targets::Numbers(lists) => if let [single] = lists.as_slice() { Some(single) } else { None };
    [Vec<f64>]: Numbers, Targets::Numbers(lists) => Some(lists);
    LabelSets: Sets, Targets::Sets(sets) => Some(sets);
    X: View, Targets::View(points) => Some(points);
}
