//! Probabilities: what a decision is worth.
//!
//! A support vector machine decides by the sign of f(x); how sure it is has to be learnt from decisions at points that it
//! was not fitted to. For each pair of classes every fold is decided by a machine fitted to the others, and a rising
//! function from decision to probability is fitted to all of them: Platt's [`Sigmoid`], which needs few points, or
//! [`Isotonic`], which assumes less. [`couple`] makes the probabilities of many classes from those of their pairs. Folds are
//! drawn by a seed, and nothing else is random: the same seed gives the same bits on any number of threads.
//!
//! Regression has [`Noise`] instead, one-class machines [`Density`].
//!
//! Cost: for F folds, F fits to (F − 1)/F of each pair's points, side by side; the calibration itself costs next to nothing.
//!
//! Platt (2000); Lin, Lin and Weng (2007); Zadrozny and Elkan (2002); Wu, Lin and Weng (2004).
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::rbf;
//! use mercer::model::Svc;
//! use mercer::model::probability::Settings;
//!
//! let x = Vectors::dense(1, (0..40).map(|i| f64::from(i) / 10.0).collect());
//! let y = Labels::first_seen((0..40).map(|i| if i < 20 { "low" } else { "high" }));
//! let svc = Svc::new(rbf(0.5)).c(10.0);
//! let model = svc.fit(&x, &y)?;
//! let probability = svc.fit_probability(&x, &y, &Settings::default())?;
//!
//! // One row for each point, one column for each class of `model.classes`: low, high.
//! let p = probability.predict(&model, &Vectors::dense(1, vec![0.5, 3.5]))?;
//! assert!(p.row(0)[0] > 0.9 && p.row(1)[1] > 0.9);
//! assert!((p.row(0)[0] + p.row(0)[1] - 1.0).abs() < 1e-12);
//! # Ok::<(), mercer::Error>(())
//! ```

mod classifiers;
mod coupling;
mod density;
mod estimate;
mod isotonic;
mod left_out;
mod noise;
mod platt;

pub use coupling::{MARGIN, couple, couple_as_libsvm};
pub use density::Density;
pub use estimate::{Beside, Columns, Estimate};
pub use isotonic::Isotonic;
pub use noise::Noise;
pub use platt::Sigmoid;

use super::job::Job;
use super::svm::{SvcModel, pairs};
use crate::data::{Dense, Labels, Points};
use crate::error::{Result, check};
use crate::kernel::Kernel;

/// What function is fitted from decision to probability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    /// 1/(1 + exp(a f + b)).
    Sigmoid,
    /// Any that does not fall; for a thousand points or more.
    Isotonic,
}

/// How probabilities are learnt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The kind of function.
    pub method: Curve,
    /// Folds, at least 2; a pair with fewer points has as many folds as points.
    pub folds: usize,
    /// What the folds are drawn by.
    pub seed: u64,
}

impl Default for Settings {
    /// A sigmoid, 5 folds, seed 0.
    fn default() -> Self {
        Self { method: Curve::Sigmoid, folds: 5, seed: 0 }
    }
}

/// A function from decision to probability.
#[derive(Debug, Clone, PartialEq)]
pub enum Calibration {
    /// 1/(1 + exp(a f + b)).
    Sigmoid(Sigmoid),
    /// Linear between knots.
    Isotonic(Isotonic),
}

impl Calibration {
    /// Fits a function of the kind to finite decisions and who is positive.
    ///
    /// # Panics
    /// If there are not as many of the one as of the other.
    #[must_use]
    pub fn fit(method: Curve, decisions: &[f64], positive: &[bool]) -> Self {
        Self::fit_weighted(method, decisions, positive, &vec![1.0; decisions.len()])
    }

    /// Fits a function to decisions with a weight w ≥ 0 for each.
    ///
    /// # Panics
    /// If there are not as many decisions, classes and weights.
    #[must_use]
    pub fn fit_weighted(method: Curve, decisions: &[f64], positive: &[bool], weights: &[f64]) -> Self {
        match method {
            Curve::Sigmoid => Self::Sigmoid(Sigmoid::fit_weighted(decisions, positive, weights)),
            Curve::Isotonic => {
                let targets: Vec<f64> = positive.iter().map(|&p| f64::from(u8::from(p))).collect();
                Self::Isotonic(Isotonic::fit_weighted(decisions, &targets, weights))
            }
        }
    }

    /// The probability of the positive class at a decision.
    #[must_use]
    pub fn probability(&self, decision: f64) -> f64 {
        match self {
            Self::Sigmoid(sigmoid) => sigmoid.probability(decision),
            Self::Isotonic(isotonic) => isotonic.probability(decision),
        }
    }
}

/// What makes probabilities of a classifier's decisions: a calibration for each pair of classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Probability {
    /// rₐᵦ(f) for the pairs (a, b) in the order of [`pairs`]: the probability of a where it is a or b.
    pub pairs: Vec<Calibration>,
}

impl Probability {
    /// Learns the probabilities of any classifier that decides by pairs: `fit` fits it to points of two classes, of which
    /// the first is positive.
    ///
    /// A fold whose complement has one class only is decided to be of that class, by +1 or −1, as LIBSVM has it.
    ///
    /// # Errors
    /// If the settings or the labels cannot be used, and whatever `fit` refuses.
    pub fn fit<X, K, F>(x: &X, y: &Labels, settings: &Settings, fit: F) -> Result<Self>
    where
        X: Points,
        K: Kernel<X>,
        F: Fn(&X, &Labels) -> Result<SvcModel<X, K>> + Sync,
    {
        Self::learn(x, y, settings, &mut Job::new(), |part, _| fit(part.x, part.y))
    }

    /// rₐᵦ of each pair, from its decision.
    ///
    /// # Panics
    /// If there is not one decision a pair.
    #[must_use]
    pub fn pairwise(&self, decisions: &[f64]) -> Vec<f64> {
        assert_eq!(decisions.len(), self.pairs.len(), "every pair decides");
        self.pairs.iter().zip(decisions).map(|(pair, &decision)| pair.probability(decision)).collect()
    }

    /// The probabilities of all classes from one row of [`SvcModel::decisions`], by [`couple`]: they sum to 1. Those of
    /// pairs are kept [`MARGIN`] off 0 and 1, also where there is one pair only.
    ///
    /// # Panics
    /// If there is not one decision a pair of `classes` classes.
    #[must_use]
    pub fn classes(&self, decisions: &[f64], classes: usize) -> Vec<f64> {
        couple(&self.pairwise(decisions), classes)
    }

    /// The probabilities of all classes at each of `points`: one row for each point, one column for each class.
    ///
    /// # Errors
    /// If the points do not fit the model, or it has other pairs.
    pub fn predict<X: Points, K: Kernel<X>>(&self, model: &SvcModel<X, K>, points: &X) -> Result<Dense<f64>> {
        let (classes, calibrations) = (model.classes.len(), self.pairs.len());
        let fits = pairs(classes).len() == calibrations && model.expansion.offsets().len() == calibrations;
        check("calibrations", calibrations as f64, fits, "must be one for each pair of the model's classes")?;
        let rows = model.expansion.map(points, |decisions| self.classes(decisions, classes))?;
        Ok(Dense::new(classes, rows.concat()))
    }
}

/// Refuses fewer than two folds, or points that cannot be dealt out to two.
fn check_folds(folds: usize, points: usize) -> Result<()> {
    check("folds", folds as f64, folds >= 2, "must be at least 2")?;
    check("points", points as f64, points >= 2, "must be at least 2, one to leave out and one to fit to")
}

#[cfg(test)]
mod tests;
