//! Support vector classification.
//!
//! Two classes: minimise ½‖w‖² + Σ cᵢ ξᵢ subject to yᵢ(w·φ(xᵢ) − b) ≥ 1 − ξᵢ, ξᵢ ≥ 0, through its dual
//! ([`Problem::c_svc`]); the decision is f(x) = Σ βᵢ k(xᵢ, x) − b. More classes: one such machine for each pair, and
//! a vote.
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

use super::expansion::Expansion;
use super::multiclass::vote;
use super::pairwise::Pairwise;
use crate::data::{Dense, Labels, Points};
use crate::error::{DataProblem, ErrorKind, Result, check};
use crate::kernel::Kernel;
use crate::solve::{Certificate, Phases, Problem, Smo, Watch, unwatched};

/// C-SVC, one-vs-one for more than two classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Svc<K> {
    /// k
    pub kernel: K,
    /// C > 0: the price of a margin error.
    pub c: f64,
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
}

impl<K> Svc<K> {
    /// C = 1, no class weights, tolerance 1e-3.
    pub fn new(kernel: K) -> Self {
        Self { kernel, c: 1.0, class_weights: Vec::new(), solver: Smo::default() }
    }

    /// Sets C.
    #[must_use]
    pub fn c(mut self, c: f64) -> Self {
        self.c = c;
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
        check("c", self.c, self.c > 0.0 && self.c.is_finite(), "must be positive and finite")?;
        for (_, weight) in &self.class_weights {
            check(
                "class weight",
                *weight,
                *weight > 0.0 && weight.is_finite(),
                "must be positive and finite",
            )?;
        }
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
        self.check_weights(y)?;
        let factors = self.factors(y.classes());
        let machine = Pairwise { kernel: &self.kernel, solver: &self.solver };
        let problem = |positive: &[bool], (a, b): (usize, usize)| {
            let c = |&p: &bool| self.c * factors[if p { a } else { b }];
            Problem::c_svc(positive, &positive.iter().map(c).collect::<Vec<_>>())
        };
        let solved = machine.solve(x, y, watch, problem)?;
        let phases = solved.iter().map(|pair| pair.solution.phases).sum();
        Ok((machine.assemble(x, y, &solved), phases))
    }

    /// Refuses a weight for a class that is not there: it is most likely misspelt.
    pub(super) fn check_weights(&self, y: &Labels) -> Result<()> {
        match self.class_weights.iter().find(|(name, _)| !y.classes().contains(name)) {
            None => Ok(()),
            Some((name, _)) => Err(ErrorKind::Data(DataProblem::NoClass(name.as_str().into())).into()),
        }
    }

    /// The factor on C for each of `classes`; a class named twice has the product.
    #[must_use]
    pub fn factors(&self, classes: &[String]) -> Vec<f64> {
        let factor = |class: &String| {
            self.class_weights.iter().filter(|(name, _)| name == class).map(|(_, weight)| weight).product()
        };
        classes.iter().map(factor).collect()
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

    /// The number of the class of each point.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn predict_index(&self, points: &X) -> Result<Vec<usize>> {
        self.expansion.map(points, |decisions| vote(decisions, self.classes.len()))
    }

    /// The class of each point.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn predict(&self, points: &X) -> Result<Vec<&str>> {
        Ok(self.predict_index(points)?.into_iter().map(|class| self.classes[class].as_str()).collect())
    }
}
