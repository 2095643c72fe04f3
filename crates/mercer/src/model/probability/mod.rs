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

mod coupling;
mod density;
mod isotonic;
mod noise;
mod platt;

use rayon::prelude::*;

pub use coupling::{MARGIN, couple, couple_as_libsvm};
pub use density::Density;
pub use isotonic::Isotonic;
pub use noise::Noise;
pub use platt::Sigmoid;

use super::class_weights::check_known;
use super::multiclass::pairs;
use super::pairwise::SIDE_BY_SIDE;
use super::svc::{Svc, SvcModel};
use crate::data::{Dense, Folds, Labels, Points};
use crate::error::{ErrorKind, Result, check};
use crate::kernel::Kernel;
use crate::solve::Smo;

/// What function is fitted from decision to probability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// 1/(1 + exp(a f + b)).
    Sigmoid,
    /// Any that does not fall; for a thousand points or more.
    Isotonic,
}

/// How probabilities are learnt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The kind of function.
    pub method: Method,
    /// Folds, at least 2; a pair with fewer points has as many folds as points.
    pub folds: usize,
    /// What the folds are drawn by.
    pub seed: u64,
}

impl Default for Settings {
    /// A sigmoid, 5 folds, seed 0.
    fn default() -> Self {
        Self { method: Method::Sigmoid, folds: 5, seed: 0 }
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
    pub fn fit(method: Method, decisions: &[f64], positive: &[bool]) -> Self {
        match method {
            Method::Sigmoid => Self::Sigmoid(Sigmoid::fit(decisions, positive)),
            Method::Isotonic => Self::Isotonic(Isotonic::fit(decisions, positive)),
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
    /// Learns the probabilities of any machine that decides by pairs: `fit` fits it to points of two classes, of which
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
        y.check(x.len())?;
        check_folds(settings.folds, x.len())?;
        let parts: Vec<Pair> =
            pairs(y.classes().len()).into_iter().map(|pair| Pair::new(y, pair, settings)).collect();
        let jobs: Vec<(&Pair, usize)> =
            parts.iter().flat_map(|part| (0..part.folds.count()).map(move |fold| (part, fold))).collect();
        // Each fit's answer is the same whoever runs it, and they are put together in this order.
        let left_out = |&(part, fold): &(&Pair, usize)| part.left_out(x, fold, &fit);
        let decided: Vec<Vec<(usize, f64)>> =
            jobs.par_iter().with_max_len(1).map(left_out).collect::<Result<_>>()?;
        let mut decided = decided.into_iter();
        let calibrate = |part: &Pair| {
            let mut decisions = vec![0.0; part.index.len()];
            decided
                .by_ref()
                .take(part.folds.count())
                .flatten()
                .for_each(|(i, decision)| decisions[i] = decision);
            let positive: Vec<bool> = part.labels.index().iter().map(|&class| class == 0).collect();
            Calibration::fit(settings.method, &decisions, &positive)
        };
        Ok(Self { pairs: parts.iter().map(calibrate).collect() })
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
        let fits = pairs(classes).len() == calibrations && model.expansion.offsets.len() == calibrations;
        check("calibrations", calibrations as f64, fits, "must be one for each pair of the model's classes")?;
        let rows = model.expansion.map(points, |decisions| self.classes(decisions, classes))?;
        Ok(Dense::new(classes, rows.concat()))
    }
}

impl<K> Svc<K> {
    /// Learns the probabilities of this classifier by cross-validation within each pair of classes. The solver's time
    /// limit holds for each of the fits, its memory for kernel rows for all that may run side by side.
    ///
    /// # Errors
    /// If the settings, a parameter, the labels or the points cannot be used.
    pub fn fit_probability<X: Points>(&self, x: &X, y: &Labels, settings: &Settings) -> Result<Probability>
    where
        K: Kernel<X> + Clone,
    {
        self.check()?;
        y.check(x.len())?;
        x.check_finite()?;
        check_known(&self.class_weights, y)?;
        check_unweighted(&self.weights)?;
        let fits = pairs(y.classes().len()).len().saturating_mul(settings.folds);
        let cache_bytes = self.solver.cache_bytes / fits.clamp(1, SIDE_BY_SIDE);
        let solver = Smo { cache_bytes, ..self.solver.clone() };
        Probability::fit(x, y, settings, |x, y| {
            let present = |(name, _): &&(String, f64)| y.classes().contains(name);
            let class_weights = self.class_weights.iter().filter(present).cloned().collect();
            Svc { class_weights, solver: solver.clone(), ..self.clone() }.fit(x, y)
        })
    }
}

/// Refuses weights of points: nobody has said yet what they mean to a calibration.
fn check_unweighted(weights: &[f64]) -> Result<()> {
    if weights.is_empty() {
        return Ok(());
    }
    let what = "cross-validation with weights of points; fit without them".into();
    Err(ErrorKind::Unsupported { what }.into())
}

/// Refuses fewer than two folds, or points that cannot be dealt out to two.
fn check_folds(folds: usize, points: usize) -> Result<()> {
    check("folds", folds as f64, folds >= 2, "must be at least 2")?;
    check("points", points as f64, points >= 2, "must be at least 2, one to leave out and one to fit to")
}

/// The points of two classes, dealt out to folds.
struct Pair {
    /// Their places in the data.
    index: Vec<usize>,
    /// Class 0 is the positive one.
    labels: Labels,
    folds: Folds,
}

impl Pair {
    fn new(y: &Labels, (a, b): (usize, usize), settings: &Settings) -> Self {
        let class = |i: usize| y.index()[i] as usize;
        let index: Vec<usize> = (0..y.len()).filter(|&i| class(i) == a || class(i) == b).collect();
        let names = vec![y.classes()[a].clone(), y.classes()[b].clone()];
        let labels = Labels::new(names, index.iter().map(|&i| u32::from(class(i) == b)).collect());
        let folds = Folds::stratified(&labels, settings.folds, settings.seed);
        Self { index, labels, folds }
    }

    /// The points of a fold, by their place in the pair, and their decisions by a machine fitted to the others.
    fn left_out<X, K, F>(&self, x: &X, fold: usize, fit: &F) -> Result<Vec<(usize, f64)>>
    where
        X: Points,
        K: Kernel<X>,
        F: Fn(&X, &Labels) -> Result<SvcModel<X, K>>,
    {
        let (out, rest) = self.folds.split(fold);
        let classes: Vec<u32> = rest.iter().map(|&i| self.labels.index()[i]).collect();
        let constant = match (classes.contains(&0), classes.contains(&1)) {
            (true, true) => {
                let in_data = |places: &[usize]| places.iter().map(|&i| self.index[i]).collect::<Vec<_>>();
                let (left, kept) = (in_data(&out), in_data(&rest));
                let labels = Labels::new(self.labels.classes().to_vec(), classes);
                let model = fit(&x.select(&kept), &labels).map_err(|error| error.about(&kept))?;
                let decisions = model.expansion.map(&x.select(&left), |decisions| decisions[0]);
                let decisions = decisions.map_err(|error| error.about(&left))?;
                return Ok(out.into_iter().zip(decisions).collect());
            }
            (true, false) => 1.0,
            (false, true) => -1.0,
            (false, false) => 0.0,
        };
        Ok(out.into_iter().map(|i| (i, constant)).collect())
    }
}

#[cfg(test)]
mod tests;
