//! Linear classifiers by stochastic steps: Pegasos.
//!
//! Minimise ½‖w‖² + Σ Cᵢ cost(yᵢ⟨w, xᵢ⟩) with the hinge or the logistic cost by steps of size 1/(λt), λ = 1/(nC), each from a few points
//! (Shalev-Shwartz, Singer, Srebro and Cotter 2011). A quick answer on very many rows; `linear-svc` and `logistic` solve the same
//! problem to a small gap. The gap is told here too: a true bound, if a loose one.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::linear;
//! use mercer::model::Pegasos;
//!
//! let x = Vectors::dense(2, vec![0.0, 1.0, 0.5, 2.0, 2.0, 0.0, 3.0, 1.0]);
//! let y = Labels::first_seen(["up", "up", "right", "right"]);
//! let model = Pegasos::new(linear()).passes(200).fit(&x, &y)?;
//! assert_eq!(model.predict(&Vectors::dense(2, vec![0.0, 3.0, 3.0, 0.0]))?, ["up", "right"]);
//! # Ok::<(), mercer::Error>(())
//! ```

use std::time::Duration;

use super::classifier::fit;
use super::{Cost, LinearModel, LinearSolver, Penalty, side_by_side};
use crate::model::prelude::*;
use crate::model::svm::class_weights::{check_prices, priced_by_class};
use crate::solve::linear::{self, Design, Limits, Problem, Steps};

/// What an error costs in [`Pegasos`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StochasticLoss {
    /// max(0, 1 − m)
    Hinge,
    /// log(1 + e^(−m))
    Logistic,
}
words!(StochasticLoss: StochasticLoss::Hinge = "hinge", StochasticLoss::Logistic = "logistic");

/// How the size of a step falls with its number t.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepSizes {
    /// 1/(λt), as Pegasos has it.
    Inverse,
    /// η/√t
    Root,
    /// η
    Constant,
}
words!(StepSizes: StepSizes::Inverse = "inverse", StepSizes::Root = "root", StepSizes::Constant = "constant");

/// A linear classifier by stochastic steps and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Pegasos<K> {
    /// k, which must be the inner product.
    pub kernel: K,
    /// C > 0: the price of an error.
    pub c: f64,
    /// λ > 0: the price of ½‖w‖² beside the mean of the costs, in place of C = 1/(λn); C where it is left open.
    pub alpha: Option<f64>,
    /// What an error costs.
    pub loss: StochasticLoss,
    /// How the size of a step falls with its number.
    pub steps: StepSizes,
    /// η > 0 of step sizes other than 1/(λt).
    pub step_size: f64,
    /// Passes over the points, at least 1.
    pub passes: u64,
    /// Points of a step, at least 1.
    pub batch: usize,
    /// Whether w is kept inside the ball that has the optimum.
    pub projection: bool,
    /// Whether the answer is the mean of the iterates of the last half of the passes.
    pub averaging: bool,
    /// Whether there is an offset: a constant feature 1.
    pub offset: bool,
    /// The gap, as a share of the objective, at which the passes end early.
    pub tolerance: f64,
    /// The most time.
    pub time_limit: Option<Duration>,
    /// Factors on C for the points of some classes.
    pub class_weights: Vec<(String, f64)>,
    /// What the order of the points is drawn by.
    pub seed: u64,
}

settings! { Pegasos<K>:
    c: f64, "c" 'c', "above 0", "price C of an error";
    alpha: Option<f64>, "alpha", "above 0", "price of half the squared weights beside the mean of the costs, in place of C = 1/(alpha n); of a stream 0.0001 where left open";
    loss: StochasticLoss, "loss", "hinge or logistic", "cost of an error: that of a support vector machine, or that of probabilities";
    class_weights: Vec<(String, f64)>, "weight" 'w', "above 0 for each class named", "factors on C for the points of some classes";
    offset: bool, "offset", "a flag", "constant of the decision";
    steps: StepSizes, "steps", "inverse, root or constant", "sizes of steps, by their number t: 1/(alpha t), step-size/sqrt(t), or step-size";
    step_size: f64, "step-size", "above 0", "first size of the steps root and constant";
    passes: u64, "passes", "1 or more", "passes over the points";
    batch: usize, "batch", "1 or more", "points of a step";
    projection: bool, "projection", "a flag", "keeping the weights inside the ball that has the optimum";
    averaging: bool, "averaging", "a flag", "mean of the iterates of the last half of the passes in place of the last; of a stream of all, each counted by its number";
    tolerance: f64, "tolerance" 't', "above 0", "gap between primal and dual, as a share of the objective, at which the passes end early";
    time_limit: Option<Duration>, "time-limit", "seconds, 0 or more", "most time, after which the best model so far is taken";
    seed: u64, "seed", "a whole number", "seed by which the order of the points is drawn";
    /// Fits a classifier.
    fit(Labels) -> LinearModel;
}

priced_by_class!(Pegasos);

impl<K> Pegasos<K> {
    /// C = 1, hinge, an offset, at most 64 passes of single points with projection and averaging, a gap of 1e-2.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            c: 1.0,
            alpha: None,
            loss: StochasticLoss::Hinge,
            steps: StepSizes::Inverse,
            step_size: 1.0,
            passes: 64,
            batch: 1,
            projection: true,
            averaging: true,
            offset: true,
            tolerance: 1e-2,
            time_limit: None,
            class_weights: Vec::new(),
            seed: 0,
        }
    }

    /// What an error costs, as the solver has it.
    pub(super) fn cost(&self) -> Cost {
        match self.loss {
            StochasticLoss::Hinge => Cost::Hinge,
            StochasticLoss::Logistic => Cost::Logistic,
        }
    }

    /// How steps are made, as the solver has it.
    pub(super) fn how(&self) -> linear::Pegasos {
        let Self { batch, projection, averaging, seed, step_size, .. } = *self;
        let steps = match self.steps {
            StepSizes::Inverse => Steps::Inverse,
            StepSizes::Root => Steps::Root(step_size),
            StepSizes::Constant => Steps::Constant(step_size),
        };
        linear::Pegasos { steps, batch, projection, averaging, seed }
    }

    /// C of points whose weights have this sum.
    fn price(&self, points: f64) -> f64 {
        self.alpha.map_or(self.c, |alpha| 1.0 / (alpha * points))
    }
}

impl<K: 'static> Pegasos<K> {
    /// Sets a parameter by its name in the table of methods.
    ///
    /// # Errors
    /// If there is none of that name, or the value is of another kind.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        let Some(row) = Self::own_parameters().into_iter().find(|row| row.about.name == name) else {
            return Err(
                ErrorKind::Unsupported { what: format!("parameter '{name}' of pegasos").into() }.into()
            );
        };
        if row.set(self, value) {
            return Ok(());
        }
        let (name, rule) = (row.about.name, row.about.domain);
        Err(ErrorKind::Setting { name, value: value.to_string().into(), rule }.into())
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Pegasos<K> {
    type Target = Labels;
    type Model = LinearModel<X, K>;
    const KERNEL: Option<&'static str> = Some("linear");

    fn check(&self) -> Result<()> {
        check_prices(self.c, &self.class_weights)?;
        check("passes", self.passes as f64, self.passes > 0, "must be at least 1")?;
        check("batch", self.batch as f64, self.batch > 0, "must be at least 1")?;
        let alpha = self.alpha.unwrap_or(1.0);
        for (name, value) in [("alpha", alpha), ("step-size", self.step_size), ("tolerance", self.tolerance)]
        {
            check(name, value, value > 0.0 && value.is_finite(), "must be positive and finite")?;
        }
        Ok(())
    }

    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<LinearModel<X, K>> {
        Estimator::<X>::check(self)?;
        let (cost, how) = (self.cost(), self.how());
        let solver = LinearSolver { offset: self.offset, ..LinearSolver::default() };
        let limits = Limits { tolerance: self.tolerance, iterations: self.passes, time: self.time_limit };
        let points = if job.weights.is_empty() { x.len() as f64 } else { job.weights.iter().sum() };
        let prices = (self.price(points), &self.class_weights[..]);
        if self.alpha.is_some() {
            job.found.add("c", prices.0);
        }
        fit(&self.kernel, prices, (&solver, cost, Penalty::L2), (x, y), job, |x, parts, job| {
            let x = Design::new(x, solver.constant());
            side_by_side((x.width(), parts), job, |(targets, prices), _, watch| {
                let problem = Problem { x, targets, prices, cost, free_offset: false, offset_price: 0.0 };
                how.solve(&problem, &limits, watch)
            })
        })
    }
}
