//! The relevance vector machine (Tipping 2001), for numbers and for classes.
//!
//! f(x) = Σ wᵢ k(xᵢ, x) + w₀, with a prior wᵢ ~ N(0, 1/αᵢ) for each weight. The α are those of largest evidence
//! p(t | α) = ∫ p(t | w) p(w | α) dw. Most of them are infinite there: the weight is zero, and a handful of points is left, the
//! relevance vectors. The kernel need not be positive semi-definite.
//!
//! A prediction has a deviation: with Σ the covariance of the weights and 1/β the variance of the noise, it is that of a Gaussian
//! with mean f(x) and variance 1/β + φ(x)ᵀΣφ(x). Far from all relevance vectors φ(x) is zero and only the noise is left: the
//! machine is surest where it knows least (Rasmussen and Quiñonero-Candela 2005). Take a Gaussian process where that matters.
//!
//! Cost: n values of each candidate column, then n·M for each column that comes into the model of M candidates, and m³ for each
//! step of m columns. All points are candidates up to a gigabyte of kernel values (n = 11,585), beyond as many as fit, drawn by the
//! seed.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::rbf;
//! use mercer::model::{Rvc, Rvr};
//!
//! let x = Vectors::dense(1, (0..60).map(|i| f64::from(i) / 6.0).collect());
//! let y: Vec<f64> = (0..60).map(|i| (f64::from(i) / 6.0).sin()).collect();
//! let model = Rvr::new(rbf(0.5)).fit(&x, &y)?;
//! let (mean, deviation) = model.predicted(&x)?;
//! assert!((mean.row(9)[0] - 1.5f64.sin()).abs() < 0.01 && deviation.row(9)[0] < 0.01);
//! assert!(model.support.len() < 20);
//!
//! let side = Labels::first_seen((0..60).map(|i| if i < 30 { "left" } else { "right" }));
//! let model = Rvc::new(rbf(0.5)).fit(&x, &side)?;
//! assert_eq!(model.predict(&x)?[..2], ["left", "left"]);
//! # Ok::<(), mercer::Error>(())
//! ```

use std::ops::ControlFlow;
use std::time::Instant;

use super::columns::Candidates;
use super::model::RelevanceModel;
use crate::model::prelude::*;
use crate::solve::Stage;
use crate::solve::relevance::{Climb, Relevant, classify, regress};

/// The relevance vector machine for numbers, and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Rvr<K> {
    /// k
    pub kernel: K,
    /// The variance of the noise; none where it is estimated.
    pub noise: Option<f64>,
    /// Whether a constant is among the candidates.
    pub offset: bool,
    /// Points that may become relevance vectors; none for all, as far as a gigabyte holds their kernel values.
    pub candidates: Option<usize>,
    /// The least gain of log evidence for which a point comes into the model.
    pub tolerance: f64,
    /// Steps at most.
    pub iteration_limit: u64,
    /// What candidates are drawn by.
    pub seed: u64,
}

/// The relevance vector machine for classes, and its settings: a function for each class against the others, of two classes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Rvc<K> {
    /// k
    pub kernel: K,
    /// Whether a constant is among the candidates.
    pub offset: bool,
    /// Points that may become relevance vectors; none for all, as far as a gigabyte holds their kernel values.
    pub candidates: Option<usize>,
    /// The least gain of log evidence for which a point comes into the model.
    pub tolerance: f64,
    /// Steps at most, of each class.
    pub iteration_limit: u64,
    /// What candidates are drawn by.
    pub seed: u64,
}

settings! { Rvr<K>:
    noise: Option<f64> | into, "noise", "above 0", "variance of the noise; estimated where left open";
    offset: bool, "offset", "a flag", "constant among the candidates";
    candidates: Option<usize> | into, "candidates", "1 or more", "points that may become relevance vectors, drawn by the seed; all where left open, as far as a gigabyte holds their kernel values";
    tolerance: f64, "tolerance" 't', "above 0", "least gain of log evidence for which a point comes into the model";
    iteration_limit: u64, "max-iterations", "a whole number", "most steps";
    seed: u64, "seed", "a whole number", "what candidates are drawn by";
    /// Fits a function to numbers.
    fit([f64]) -> RelevanceModel;
}

settings! { Rvc<K>:
    offset: bool, "offset", "a flag", "constant among the candidates";
    candidates: Option<usize> | into, "candidates", "1 or more", "points that may become relevance vectors, drawn by the seed; all where left open, as far as a gigabyte holds their kernel values";
    tolerance: f64, "tolerance" 't', "above 0", "least gain of log evidence for which a point comes into the model";
    iteration_limit: u64, "max-iterations", "a whole number", "most steps of each class";
    seed: u64, "seed", "a whole number", "what candidates are drawn by";
    /// Fits a function to each class.
    fit(Labels) -> RelevanceModel;
}

impl<K> Rvr<K> {
    /// The noise estimated, a constant, all points candidates, to a gain of 10⁻³, 10,000 steps.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            noise: None,
            offset: true,
            candidates: None,
            tolerance: 1e-3,
            iteration_limit: 10_000,
            seed: 0,
        }
    }
}

impl<K> Rvc<K> {
    /// A constant, all points candidates, to a gain of 10⁻³, 1,000 steps.
    pub fn new(kernel: K) -> Self {
        Self { kernel, offset: true, candidates: None, tolerance: 1e-3, iteration_limit: 1000, seed: 0 }
    }
}

/// What both machines refuse.
fn check_settings(tolerance: f64, candidates: Option<usize>) -> Result<()> {
    check("tolerance", tolerance, tolerance > 0.0 && tolerance.is_finite(), "must be positive")?;
    check("candidates", candidates.unwrap_or(1) as f64, candidates != Some(0), "must be one or more")
}

/// A callback for the steps of one of several climbs. How many steps there will be is not known: the share is of those allowed.
fn following<'a>(
    watch: &'a mut (dyn FnMut(&Stage) -> ControlFlow<()> + Send),
    (part, parts): (usize, usize),
    limit: u64,
) -> impl FnMut(u64) -> ControlFlow<()> + 'a {
    let started = Instant::now();
    move |steps| {
        // Most climbs take a few hundred steps.
        let share = 1.0 - (-(steps as f64) / (limit as f64).min(300.0)).exp();
        let done = (part as f64 + share) / parts as f64;
        watch(&Stage { name: "evidence", done, elapsed: started.elapsed() })
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Rvr<K> {
    type Target = [f64];
    type Model = RelevanceModel<X, K>;

    fn check(&self) -> Result<()> {
        check_settings(self.tolerance, self.candidates)?;
        let noise = self.noise.unwrap_or(1.0);
        check("noise", noise, noise > 0.0 && noise.is_finite(), "must be positive")
    }

    fn fit_in(&self, x: &X, y: &[f64], job: &mut Job<'_, X>) -> Result<RelevanceModel<X, K>> {
        Estimator::<X>::check(self)?;
        let (own, y) = Weighted::numbers(x, y, job.weights)?;
        let kernel = own.kernel(&self.kernel, job)?;
        let gram = own.gram(&kernel, job)?;
        let roots: Vec<f64> = own.weights.iter().map(|w| w.sqrt()).collect();
        let candidates =
            Candidates::new(&*gram, (self.candidates, self.offset, self.seed), &roots, job.memory)
                .map_err(|error| own.error(error))?;
        drop(gram);
        let total: f64 = own.weights.iter().sum();
        let target = own.times(y.iter().copied()).iter().zip(&roots).map(|(y, root)| y / root).collect();
        let climb = Climb { tolerance: self.tolerance, steps: self.iteration_limit, noise: self.noise };
        let mut stages = job.stages();
        let mut watch = following(&mut stages, (0, 1), self.iteration_limit);
        let spread = spread(&y, &own.weights);
        let found = regress(&candidates.columns, target, total, spread, &climb, &mut watch);
        Ok(RelevanceModel::new(&kernel, &own, &candidates.points, &[found], Vec::new()))
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Rvc<K> {
    type Target = Labels;
    type Model = RelevanceModel<X, K>;

    fn check(&self) -> Result<()> {
        check_settings(self.tolerance, self.candidates)
    }

    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<RelevanceModel<X, K>> {
        Estimator::<X>::check(self)?;
        let (own, y) = Weighted::classes(x, y, job.weights)?;
        let kernel = own.kernel(&self.kernel, job)?;
        let gram = own.gram(&kernel, job)?;
        let ones = vec![1.0; own.points.len()];
        let candidates =
            Candidates::new(&*gram, (self.candidates, self.offset, self.seed), &ones, job.memory)
                .map_err(|error| own.error(error))?;
        drop(gram);
        let climb = Climb { tolerance: self.tolerance, steps: self.iteration_limit, noise: None };
        let classes = y.classes().len();
        // Of two classes the second has the function, and the first its negative.
        let parts: Vec<usize> = if classes == 2 { vec![1] } else { (0..classes).collect() };
        let mut stages = job.stages();
        let one = |(part, &class): (usize, &usize)| {
            let is = |&other: &u32| f64::from(u8::from(other as usize == class));
            let is_class: Vec<f64> = y.index().iter().map(is).collect();
            let mut watch = following(&mut stages, (part, parts.len()), self.iteration_limit);
            classify(&candidates.columns, &is_class, &own.weights, &climb, &mut watch)
        };
        let found: Vec<Relevant> = parts.iter().enumerate().map(one).collect();
        Ok(RelevanceModel::new(&kernel, &own, &candidates.points, &found, y.classes().to_vec()))
    }
}

/// The variance of targets, or where there is none a small share of their square, so that the noise has a scale.
fn spread(y: &[f64], weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    let mean = y.iter().zip(weights).map(|(y, w)| w * y).sum::<f64>() / total;
    let variance = y.iter().zip(weights).map(|(y, w)| w * (y - mean).powi(2)).sum::<f64>() / total;
    if variance > 1e-24 * mean * mean {
        variance
    } else if mean == 0.0 {
        1.0
    } else {
        1e-12 * mean * mean
    }
}
