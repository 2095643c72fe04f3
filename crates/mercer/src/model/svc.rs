//! Support vector classification.
//!
//! Two classes: minimise ½‖w‖² + Σ cᵢ ξᵢ subject to yᵢ(w·φ(xᵢ) − b) ≥ 1 − ξᵢ, ξᵢ ≥ 0, through its dual
//! ([`Problem::c_svc`]); the decision is f(x) = Σ βᵢ k(xᵢ, x) − b. More classes: one such machine for each pair, and
//! a [vote](VoteRule). Variants: [squared slacks](Slack::Squared), [no offset](Svc::offset), an infinite C, which allows no errors.
//!
//! Cost: see [`Smo`] for each pair; pairs run side by side. Prediction: one kernel value for each point and each
//! support point of the union over all pairs, shared by all of them.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::rbf;
//! use mercer::model::Svc;
//!
//! let x = Vectors::dense(1, vec![-2.0, -1.0, 1.0, 2.0]);
//! let y = Labels::first_seen(["low", "low", "high", "high"]);
//! let model = Svc::new(rbf(0.5)).c(10.0).fit(&x, &y)?;
//! assert_eq!(model.predict(&Vectors::dense(1, vec![-1.5, 3.0]))?, ["low", "high"]);
//! assert!(model.certificates[0].gap.unwrap() < 0.01);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::class_weights::{check_factors, check_known, factors};
use super::expansion::Expansion;
use super::multiclass::VoteRule;
use super::pairwise::Pairwise;
use super::weights::Present;
use crate::data::{Dense, Labels, Points};
use crate::error::{Result, check};
use crate::kernel::Kernel;
use crate::solve::{Certificate, Phases, Problem, Smo, Watch, unwatched};

/// What a margin error ξ costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Slack {
    /// C ξ
    #[default]
    Linear,
    /// ½ C ξ²: a hard margin with K + I/C in place of K. (LIBLINEAR's squared hinge is C ξ².)
    Squared,
}

/// C-SVC, one-vs-one for more than two classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Svc<K> {
    /// k
    pub kernel: K,
    /// C > 0: the price of a margin error. Infinite: no errors, and data that has no function without is refused.
    pub c: f64,
    /// Whether C is the price of the mean error, C/n that of each.
    pub mean: bool,
    /// What a margin error costs.
    pub slack: Slack,
    /// Whether there is an offset b; without, the decision is Σ βᵢ k(xᵢ, x) alone.
    pub offset: bool,
    /// A factor on C for each point; empty for 1. A whole number is the same as so many copies of the point, 0 as none.
    pub weights: Vec<f64>,
    /// Factors on C for the classes named.
    pub class_weights: Vec<(String, f64)>,
    /// How the dual is solved.
    pub solver: Smo,
}

/// A fitted classifier: the expansion of all pairs of classes over the union of their support points.
///
/// Output p belongs to the pair (a, b), a < b, counted (0,1), (0,2), …, (1,2), …; positive means class a. Support
/// points are sorted by class (then in the order of the training data) and `class_sizes` says how many each has.
#[derive(Debug, Clone, PartialEq)]
pub struct SvcModel<X, K> {
    /// The decision functions of all pairs.
    pub expansion: Expansion<X, K>,
    /// Class names; numbering as in training.
    pub classes: Vec<String>,
    /// Support points per class.
    pub class_sizes: Vec<usize>,
    /// Positions of the support points in the training data, from 0; empty when unknown (LIBSVM model files).
    pub support: Vec<usize>,
    /// One per pair; empty when unknown (LIBSVM model files).
    pub certificates: Vec<Certificate>,
    /// How the decisions of the pairs become a class.
    pub rule: VoteRule,
}

impl<K> Svc<K> {
    /// C = 1, no class weights, tolerance 1e-3.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            c: 1.0,
            mean: false,
            slack: Slack::Linear,
            offset: true,
            weights: Vec::new(),
            class_weights: Vec::new(),
            solver: Smo::default(),
        }
    }

    /// Sets C.
    #[must_use]
    pub fn c(mut self, c: f64) -> Self {
        self.c = c;
        self
    }

    /// Sets whether C is the price of the mean error: each then costs C/n, n the points of all classes.
    #[must_use]
    pub fn mean(mut self, mean: bool) -> Self {
        self.mean = mean;
        self
    }

    /// Sets what a margin error costs.
    #[must_use]
    pub fn slack(mut self, slack: Slack) -> Self {
        self.slack = slack;
        self
    }

    /// Sets whether there is an offset b.
    #[must_use]
    pub fn offset(mut self, offset: bool) -> Self {
        self.offset = offset;
        self
    }

    /// Sets a factor on C for each point.
    #[must_use]
    pub fn weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = weights;
        self
    }

    /// Multiplies C by `weight` for the points of `class`.
    #[must_use]
    pub fn class_weight(mut self, class: impl Into<String>, weight: f64) -> Self {
        self.class_weights.push((class.into(), weight));
        self
    }

    /// Sets the largest violation of the optimality conditions accepted.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.solver.tolerance = tolerance;
        self
    }

    /// Sets how the dual is solved.
    #[must_use]
    pub fn solver(mut self, solver: Smo) -> Self {
        self.solver = solver;
        self
    }

    /// Refuses parameters out of range.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self) -> Result<()> {
        check("c", self.c, self.c > 0.0, "must be positive")?;
        let squared = self.slack == Slack::Squared;
        check("c", self.c, self.c.is_finite() || !squared, "must be finite where slacks are squared")?;
        check_factors(&self.class_weights)?;
        self.solver.check()
    }

    /// Fits a classifier.
    ///
    /// # Errors
    /// If a parameter, the labels or the points cannot be used.
    pub fn fit<X: Points>(&self, x: &X, y: &Labels) -> Result<SvcModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        self.fit_watched(x, y, &mut unwatched())
    }

    /// Fits a classifier under a watch, which sees every round and can end the fit: the model is then the best so
    /// far, its certificate says [`Interrupted`](crate::solve::Stop::Interrupted).
    ///
    /// # Errors
    /// If a parameter, the labels or the points cannot be used.
    pub fn fit_watched<X: Points>(&self, x: &X, y: &Labels, watch: Watch<'_>) -> Result<SvcModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        Ok(self.fit_timed(x, y, watch)?.0)
    }

    /// The same, and where the time went, summed over the pairs (which run side by side).
    ///
    /// # Errors
    /// If a parameter, the labels or the points cannot be used.
    pub fn fit_timed<X: Points>(
        &self,
        x: &X,
        y: &Labels,
        watch: Watch<'_>,
    ) -> Result<(SvcModel<X, K>, Phases)>
    where
        K: Kernel<X> + Clone,
    {
        self.check()?;
        y.check(x.len())?;
        x.check_finite()?;
        check_known(&self.class_weights, y)?;
        let present = Present::new(&self.weights, x.len())?;
        let (x, y) = (&present.points(x), &present.labels(y));
        y.check(x.len())?;
        let factors = self.factors(y.classes());
        let price = if self.mean { self.c / present.weights.iter().sum::<f64>() } else { self.c };
        let machine = Pairwise { kernel: &self.kernel, solver: &self.solver };
        let problem = |index: &[usize], positive: &[bool], (a, b): (usize, usize)| {
            let c = |(&i, &p): (&usize, &bool)| price * factors[if p { a } else { b }] * present.weights[i];
            let c: Vec<f64> = index.iter().zip(positive).map(c).collect();
            let problem = Problem::c_svc(positive, &c);
            let problem = match self.slack {
                Slack::Linear => problem,
                Slack::Squared => problem.squared(c.iter().map(|c| 1.0 / c).collect()),
            };
            if self.offset { problem } else { problem.without_offset() }
        };
        let solved = machine.solve(x, y, watch, problem).map_err(|error| present.error(error))?;
        let phases = solved.iter().map(|pair| pair.solution.phases).sum();
        let mut model = machine.assemble(x, y, &solved);
        present.positions(&mut model.support);
        Ok((model, phases))
    }

    /// The factor on C for each of `classes`; a class named twice has the product.
    #[must_use]
    pub fn factors(&self, classes: &[String]) -> Vec<f64> {
        factors(&self.class_weights, classes)
    }
}

impl<X: Points, K: Kernel<X>> SvcModel<X, K> {
    /// The decision of every pair for every point.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn decisions(&self, points: &X) -> Result<Dense<f64>> {
        self.expansion.decisions(points)
    }

    /// The same classifier with another rule for the decisions of its pairs.
    #[must_use]
    pub fn with_rule(mut self, rule: VoteRule) -> Self {
        self.rule = rule;
        self
    }

    /// The score of every class for every point, by the rule of the model: one row per point, one column per class.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn scores(&self, points: &X) -> Result<Dense<f64>> {
        let scores = |decisions: &[f64]| self.rule.scores(decisions, self.classes.len());
        Ok(Dense::new(self.classes.len(), self.expansion.map(points, scores)?.concat()))
    }

    /// The number of the class with the largest of the [scores](Self::scores) for each point; of several the lowest.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn predict_index(&self, points: &X) -> Result<Vec<usize>> {
        self.expansion.map(points, |decisions| self.rule.class(decisions, self.classes.len()))
    }

    /// The class of each point.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn predict(&self, points: &X) -> Result<Vec<&str>> {
        Ok(self.predict_index(points)?.into_iter().map(|class| self.classes[class].as_str()).collect())
    }
}
