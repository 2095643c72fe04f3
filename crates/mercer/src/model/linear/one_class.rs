//! Where the data are, by a weight for each feature: the linear ν-hyperplane.
//!
//! Minimise ½‖w‖² − ρ + 1/(νn) Σ max(0, ρ − ⟨w, xᵢ⟩): f(x) = ⟨w, x⟩ − ρ is negative for at most a share ν of the points (Schölkopf, Platt,
//! Shawe-Taylor, Smola and Williamson 2001). The plane lies between the points and the origin, so it says something where the origin
//! is outside of the data. Where it lies among them, but for a share ν, the optimum is f = 0; the job's finding `origin_among_points` tells so. Solved by Newton's method with the method of multipliers, as the hinge is; a point of weight v counts v times.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::linear;
//! use mercer::model::LinearOneClass;
//!
//! let x = Vectors::dense(2, vec![2.0, 3.0, 3.0, 2.0, 2.5, 2.5, 4.0, 4.0, 0.1, 0.2]);
//! let model = LinearOneClass::new(linear()).nu(0.2).tolerance(1e-8).fit(&x)?;
//! let values = model.values(&Vectors::dense(2, vec![3.0, 3.0, 0.0, 0.0]))?;
//! assert!(values.values()[0] > 0.0 && values.values()[1] < 0.0);
//! # Ok::<(), mercer::Error>(())
//! ```

use std::time::Duration;

use super::{Cost, LinearModel, LinearSolver, occurring};
use crate::model::prelude::*;
use crate::model::svm::function::check_nu;
use crate::solve::linear::{self, Limits};

/// A point whose dual variable is above this share of its bound is a support point.
const SUPPORT: f64 = 1e-6;

/// The linear one-class method and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearOneClass<K> {
    /// k, which must be the inner product.
    pub kernel: K,
    /// ν in (0, 1]: the share of points that may lie outside.
    pub nu: f64,
    /// The largest gap, as a share of the objective.
    pub tolerance: f64,
    /// The most time.
    pub time_limit: Option<Duration>,
    /// The most steps.
    pub iteration_limit: u64,
}

settings! { LinearOneClass<K>:
    nu: f64, "nu" 'n', "above 0 and at most 1", "share of the points that may lie outside";
    tolerance: f64, "tolerance" 't', "above 0", "largest gap between primal and dual, as a share of the objective";
    time_limit: Option<Duration>, "time-limit", "seconds, 0 or more", "most time, after which the best model so far is taken";
    iteration_limit: u64, "max-iterations", "a whole number", "most steps of Newton's method";
    /// Fits f, which is positive where the data are.
    fit() -> LinearModel;
}

impl<K> LinearOneClass<K> {
    /// ν = 0.5, a gap of 1e-4.
    pub fn new(kernel: K) -> Self {
        let LinearSolver { tolerance, time_limit, iteration_limit, .. } = LinearSolver::default();
        Self { kernel, nu: 0.5, tolerance, time_limit, iteration_limit }
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for LinearOneClass<K> {
    type Target = ();
    type Model = LinearModel<X, K>;
    const KERNEL: Option<&'static str> = Some("linear");

    fn check(&self) -> Result<()> {
        check_nu(self.nu)?;
        let tolerance = self.tolerance;
        let positive = tolerance > 0.0 && tolerance.is_finite();
        check("tolerance", tolerance, positive, "must be positive and finite")
    }

    fn fit_in(&self, x: &X, (): &(), job: &mut Job<'_, X>) -> Result<LinearModel<X, K>> {
        Estimator::<X>::check(self)?;
        let own = Weighted::new(x, job.weights)?;
        let kernel = own.kernel(&self.kernel, job)?;
        let (points, features) = occurring(&kernel, &own.points, 1)?;
        let limits =
            Limits { tolerance: self.tolerance, iterations: self.iteration_limit, time: self.time_limit };
        let (answer, inside) = linear::one_class(&points, &own.weights, self.nu, &limits, &mut job.rounds());
        if inside {
            job.found.add("origin_among_points", true);
        }
        let most = 1.0 / (self.nu * own.weights.iter().sum::<f64>());
        let counts = |(beta, weight): &(&f64, &f64)| **beta > SUPPORT * most * **weight;
        job.found.add("support_points", answer.dual.iter().zip(&own.weights).filter(counts).count());
        let solver = LinearSolver::default();
        let model = LinearModel::new(&kernel, &solver, Cost::Hinge, &features, vec![answer], Vec::new())?;
        Ok(model.of_inputs(own.points.width()))
    }
}
