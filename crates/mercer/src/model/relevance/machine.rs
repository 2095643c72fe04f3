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
//! seed. A search of the kernel's parameters fits ten to fifty times, one of widths for each feature some hundred times.
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
use super::features::by_feature;
use super::model::RelevanceModel;
use super::width::{Trial, Tries, WidthChoice, search};
use crate::kernel::Reference;
use crate::model::prelude::*;
use crate::solve::Stage;
use crate::solve::relevance::{
    Classes, Climb, Relevant, Steps, classify, classify_from, pull_of_numbers, regress, regress_from,
};

/// The relevance vector machine for numbers, and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Rvr<K> {
    /// k
    pub kernel: K,
    /// The variance of the noise; none where it is estimated.
    pub noise: Option<f64>,
    /// Where the parameters of the kernel come from.
    pub width: WidthChoice,
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

/// How the functions of more than two classes become probabilities, and with that what is fitted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likelihood {
    /// A logistic function for each class against the others, each by itself.
    OneVsRest,
    /// A softmax of all functions, fitted together. A step costs as much as of all classes together, and there are fewer vectors.
    Multinomial,
}
words!(Likelihood: Likelihood::OneVsRest = "one-vs-rest", Likelihood::Multinomial = "multinomial");

/// The relevance vector machine for classes, and its settings: a function for each class, of two classes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Rvc<K> {
    /// k
    pub kernel: K,
    /// What more than two classes are fitted by.
    pub likelihood: Likelihood,
    /// Where the parameters of the kernel come from.
    pub width: WidthChoice,
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
    width: WidthChoice, "width", "kernel, evidence or features", "parameters of the kernel: as given, those of the largest evidence, or of a Gaussian kernel those with a width for each feature";
    offset: bool, "offset", "a flag", "constant among the candidates";
    candidates: Option<usize> | into, "candidates", "1 or more", "points that may become relevance vectors, drawn by the seed; all where left open, as far as a gigabyte holds their kernel values";
    tolerance: f64, "tolerance" 't', "above 0", "least gain of log evidence for which a point comes into the model";
    iteration_limit: u64, "max-iterations", "a whole number", "most steps";
    seed: u64, "seed", "a whole number", "what candidates are drawn by";
    /// Fits a function to numbers.
    fit([f64]) -> RelevanceModel;
}

settings! { Rvc<K>:
    likelihood: Likelihood, "likelihood", "one-vs-rest or multinomial", "likelihood of more than two classes: each against the others by itself, or all together by a softmax";
    width: WidthChoice, "width", "kernel, evidence or features", "parameters of the kernel: as given, those of the largest evidence, or of a Gaussian kernel those with a width for each feature";
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
            width: WidthChoice::Kernel,
            offset: true,
            candidates: None,
            tolerance: 1e-3,
            iteration_limit: 10_000,
            seed: 0,
        }
    }
}

impl<K> Rvc<K> {
    /// Each class against the others, a constant, all points candidates, to a gain of 10⁻³, 10,000 steps.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            likelihood: Likelihood::OneVsRest,
            width: WidthChoice::Kernel,
            offset: true,
            candidates: None,
            tolerance: 1e-3,
            iteration_limit: 10_000,
            seed: 0,
        }
    }
}

/// What both machines refuse.
fn check_settings(tolerance: f64, candidates: Option<usize>) -> Result<()> {
    check("tolerance", tolerance, tolerance > 0.0 && tolerance.is_finite(), "must be positive")?;
    check("candidates", candidates.unwrap_or(1) as f64, candidates != Some(0), "must be one or more")
}

/// The settings that both machines share.
struct Plan {
    climb: Climb,
    /// Candidates, whether a constant is among them, and the seed.
    settings: (Option<usize>, bool, u64),
    width: WidthChoice,
}

/// What functions are fitted to.
enum Target {
    /// Numbers.
    Numbers(Vec<f64>),
    /// For each climb, for each of its functions, 1 at the points of its class and 0 elsewhere.
    Classes(Vec<Vec<Vec<f64>>>),
}

/// Fits of one kernel after the other to the same points and targets.
struct Fits<'a, 'j, X: Points> {
    own: &'a Weighted<X>,
    target: Target,
    plan: Plan,
    /// Climbs begun.
    begun: usize,
    started: Instant,
    job: &'a mut Job<'j, X>,
}

impl<X: Points> Fits<'_, '_, X> {
    /// The model of a kernel, or of the best that a search finds from it on.
    fn chosen<K: Kernel<X> + Clone>(&mut self, kernel: &K) -> Result<Trial<K>> {
        match self.plan.width {
            WidthChoice::Kernel => Ok(self.fitted(kernel, None)?.0),
            WidthChoice::Evidence => search(kernel, &self.own.points, self),
            WidthChoice::Features => {
                let own = self.own;
                by_feature(kernel, &own.points, &own.weights, self).unwrap_or_else(|| {
                    let what = "a width for each feature of a kernel that is not a Gaussian of all features of vectors";
                    Err(ErrorKind::Unsupported { what: what.into() }.into())
                })
            }
        }
    }
}

/// The model of a kernel, or of the best that a search finds from it on, for the points that differ of so many rows.
fn fitted<X: Points, K: Kernel<X> + Clone>(
    kernel: &K,
    (own, rows): (&Weighted<X>, usize),
    (target, classes): (Target, Vec<String>),
    plan: Plan,
    job: &mut Job<'_, X>,
) -> Result<RelevanceModel<X, K>> {
    let mut fits = Fits { own, target, plan, begun: 0, started: Instant::now(), job };
    let trial = fits.chosen(kernel)?;
    Ok(RelevanceModel::new(&trial.kernel, (own, rows), &trial.candidates.points, &trial.found, classes))
}

impl<X: Points, K: Kernel<X> + Clone> Tries<K> for Fits<'_, '_, X> {
    fn fitted(&mut self, kernel: &K, from: Option<&[Relevant]>) -> Result<(Trial<K>, ControlFlow<()>)> {
        let kernel = self.own.kernel(kernel, self.job)?;
        let gram = self.own.gram(&kernel, self.job)?;
        let candidates = Candidates::new(&*gram, self.plan.settings, &self.own.weights, self.job.memory)
            .map_err(|error| self.own.error(error))?;
        drop(gram);
        let mut flow = ControlFlow::Continue(());
        // How many fits there will be is not known: most searches take so many.
        let searched = match self.plan.width {
            WidthChoice::Kernel => None,
            WidthChoice::Evidence => Some(20.0),
            WidthChoice::Features => Some(400.0),
        };
        let (columns, weights, climb) = (&candidates.columns, &self.own.weights, &self.plan.climb);
        let (begun, started) = (&mut self.begun, self.started);
        let mut stages = self.job.stages();
        // Nor how many steps: most climbs take a few hundred.
        let mut following = |parts: usize, work: &mut dyn FnMut(Steps<'_>) -> Relevant| {
            let before = *begun as f64 / parts as f64;
            *begun += 1;
            work(&mut |steps| {
                let share = 1.0 - (-(steps as f64) / (climb.steps as f64).min(300.0)).exp();
                let fits = before + share / parts as f64;
                let done = searched.map_or(fits, |usual| 1.0 - (-fits / usual).exp());
                let answer = stages(&Stage { name: "evidence", done, elapsed: started.elapsed() });
                if answer.is_break() {
                    flow = answer;
                }
                answer
            })
        };
        let found = match &self.target {
            Target::Numbers(y) => {
                let one = |watch: Steps<'_>| match from {
                    Some(from) => regress_from(columns, y, weights, (climb, &from[0]), watch),
                    None => regress(columns, y, weights, climb, watch),
                };
                vec![following(1, &mut |watch| one(watch))]
            }
            Target::Classes(parts) => {
                let one = |(at, members): (usize, &Vec<Vec<f64>>)| {
                    let problem = Classes { columns, members: members.clone(), weights };
                    following(parts.len(), &mut |watch| match from {
                        Some(from) => classify_from(&problem, (climb, &from[at]), watch),
                        None => classify(&problem, climb, watch),
                    })
                };
                parts.iter().enumerate().map(one).collect()
            }
        };
        Ok((Trial { kernel, candidates, found }, flow))
    }

    fn prepared(&self, kernel: K) -> Result<K> {
        if kernel.reference().is_ok() {
            return Ok(kernel);
        }
        let reference = Reference::weighted(&self.own.points, &self.own.weights);
        kernel.fitted(&reference, &mut |_| ControlFlow::Continue(())).map_err(|error| self.own.error(error))
    }

    fn pulls(&self, trial: &Trial<K>) -> Vec<Vec<Vec<f64>>> {
        let (columns, weights) = (&trial.candidates.columns, &self.own.weights);
        match &self.target {
            Target::Numbers(y) => vec![pull_of_numbers(columns, y, weights, &trial.found[0])],
            Target::Classes(parts) => {
                let one = |(members, found): (&Vec<Vec<f64>>, &Relevant)| {
                    Classes { columns, members: members.clone(), weights }.pull(found)
                };
                parts.iter().zip(&trial.found).map(one).collect()
            }
        }
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
        own.check_scale()?;
        check_targets(&y)?;
        let rows = own.points.len();
        let Joined { own, first, .. } = own.joined(|i, j| y[i].total_cmp(&y[j]));
        let y = first.iter().map(|&i| y[i]).collect();
        let plan = Plan {
            climb: Climb::new(self.tolerance, self.iteration_limit, self.noise),
            settings: (self.candidates, self.offset, self.seed),
            width: self.width,
        };
        fitted(&self.kernel, (&own, rows), (Target::Numbers(y), Vec::new()), plan, job)
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
        own.check_scale()?;
        let rows = own.points.len();
        let Joined { own, first, .. } = own.joined(|i, j| y.index()[i].cmp(&y.index()[j]));
        let y = y.select(&first);
        let classes = y.classes().len();
        let members = |class: usize| {
            y.index().iter().map(|&other| f64::from(u8::from(other as usize == class))).collect::<Vec<f64>>()
        };
        // Of two classes the second has the function, and the first its negative, under either likelihood.
        let parts: Vec<Vec<Vec<f64>>> = match self.likelihood {
            _ if classes == 2 => vec![vec![members(1)]],
            Likelihood::OneVsRest => (0..classes).map(|class| vec![members(class)]).collect(),
            Likelihood::Multinomial => vec![(0..classes).map(members).collect()],
        };
        let plan = Plan {
            climb: Climb::new(self.tolerance, self.iteration_limit, None),
            settings: (self.candidates, self.offset, self.seed),
            width: self.width,
        };
        fitted(&self.kernel, (&own, rows), (Target::Classes(parts), y.classes().to_vec()), plan, job)
    }
}
