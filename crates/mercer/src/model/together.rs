//! Classification with all classes in one programme: Crammer–Singer, Weston–Watkins, softmax.
//!
//! One function for each class, no bias: minimise ½ Σ_c ‖w_c‖² + Σᵢ cᵢ ℓ(yᵢ, F(xᵢ)) through its dual
//! ([`solve::together`](crate::solve::together), where the losses are); the class of x is the one with the largest
//! F_c(x) = Σᵢ βᵢ_c k(xᵢ, x).
//!
//! Cost: see [`solve::together`](crate::solve::together). Prediction: one kernel value for each point and each support
//! point, and their product with n × k coefficients.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::rbf;
//! use mercer::model::{Loss, Together};
//!
//! let x = Vectors::dense(1, vec![-2.0, -1.8, 0.0, 0.2, 1.9, 2.0]);
//! let y = Labels::first_seen(["low", "low", "middle", "middle", "high", "high"]);
//! let new = Vectors::dense(1, vec![-3.0, 0.1, 2.1]);
//!
//! let model = Together::new(rbf(0.5)).c(10.0).fit(&x, &y)?;
//! assert_eq!(model.predict(&new)?, ["low", "middle", "high"]);
//! assert!(model.certificates[0].gap.unwrap() < 0.01);
//!
//! let model = Together::new(rbf(0.5)).loss(Loss::Softmax).c(10.0).fit(&x, &y)?;
//! let probabilities = model.probabilities(&new)?;
//! assert!(probabilities.row(1)[1] > 0.6);
//! assert!((probabilities.row(0).iter().sum::<f64>() - 1.0).abs() < 1e-12);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::class_weights::{check_known, check_prices, prices};
use super::scores::{Fitted, ScoreModel};
use super::weights::Present;
use crate::data::{Labels, Points};
use crate::error::Result;
use crate::gram::Lazy;
use crate::kernel::{Definiteness, Kernel};
use crate::solve::together::{Loss, MulticlassProblem};
use crate::solve::{Phases, Smo, Watch, unwatched};

/// A machine of all classes together and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Together<K> {
    /// k
    pub kernel: K,
    /// ℓ: what a point costs.
    pub loss: Loss,
    /// C > 0: the price of the loss.
    pub c: f64,
    /// A factor on C for each point; empty for 1. A whole number is the same as so many copies of the point, 0 as none.
    pub weights: Vec<f64>,
    /// Factors on C for the classes named.
    pub class_weights: Vec<(String, f64)>,
    /// How the dual is solved. No point is ever set aside, whatever `shrinking` says. With `exact` the scores are right to
    /// rounding, whatever the order of the points and whether they are weighted or repeated, up to 4096 points (a softmax:
    /// n(k − 1) up to 4096); the certificate says whether it was reached.
    pub solver: Smo,
}

impl<K> Together<K> {
    /// Crammer and Singer's loss, C = 1, no class weights, tolerance 1e-3.
    pub fn new(kernel: K) -> Self {
        let (weights, class_weights) = (Vec::new(), Vec::new());
        Self { kernel, loss: Loss::CrammerSinger, c: 1.0, weights, class_weights, solver: Smo::default() }
    }

    /// Sets the loss.
    #[must_use]
    pub fn loss(mut self, loss: Loss) -> Self {
        self.loss = loss;
        self
    }

    /// Sets C.
    #[must_use]
    pub fn c(mut self, c: f64) -> Self {
        self.c = c;
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

    /// Sets the largest violation of the optimality conditions accepted: of the margins, or of the probabilities.
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
        check_prices(self.c, &self.class_weights)?;
        self.solver.check()
    }

    /// Fits a classifier.
    ///
    /// # Errors
    /// If a parameter, the labels or the points cannot be used.
    pub fn fit<X: Points>(&self, x: &X, y: &Labels) -> Result<ScoreModel<X, K>>
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
    pub fn fit_watched<X: Points>(&self, x: &X, y: &Labels, watch: Watch<'_>) -> Result<ScoreModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        Ok(self.fit_timed(x, y, watch)?.0)
    }

    /// The same, and where the time went.
    ///
    /// # Errors
    /// If a parameter, the labels or the points cannot be used.
    pub fn fit_timed<X: Points>(
        &self,
        x: &X,
        y: &Labels,
        watch: Watch<'_>,
    ) -> Result<(ScoreModel<X, K>, Phases)>
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
        let problem = MulticlassProblem {
            labels: y.index().to_vec(),
            classes: y.classes().len(),
            c: present.times(prices(self.c, &self.class_weights, y)),
            loss: self.loss,
        };
        let psd = self.kernel.definiteness() == Definiteness::Psd;
        let solver = Smo { psd, ..self.solver.clone() };
        let solution = problem
            .solve(&solver, &Lazy::new(&self.kernel, x)?, watch)
            .map_err(|error| present.error(error))?;
        let fitted = Fitted {
            coefficients: solution.coefficients,
            offsets: vec![0.0; problem.classes],
            certificates: vec![solution.certificate],
            loss: Some(self.loss),
        };
        let mut model = ScoreModel::new(self.kernel.clone(), x, y.classes(), fitted);
        present.positions(&mut model.support);
        Ok((model, solution.phases))
    }
}
