//! Linear support vector regression.
//!
//! Minimise ½‖w‖² + Σ Cᵢ max(0, |yᵢ − ⟨w, xᵢ⟩| − ε), or with the square of that error. With ε = 0 the square is ridge regression.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::linear;
//! use mercer::model::LinearSvr;
//!
//! let x = Vectors::dense(1, (0..20).map(f64::from).collect());
//! let y: Vec<f64> = (0..20).map(|i| 3.0 * f64::from(i) - 1.0).collect();
//! let model = LinearSvr::new(linear()).c(100.0).epsilon(0.01).fit(&x, &y)?;
//! assert!((model.values(&Vectors::dense(1, vec![10.0]))?.values()[0] - 29.0).abs() < 0.05);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::path::{self, Priced};
use super::{Cost, LinearModel, LinearScheme, LinearSolver, Penalty, occurring, stream, tell_exact_gap};
use crate::data::Stream;
use crate::model::prelude::*;

/// What an error beyond the zone costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zones {
    /// max(0, |y − f| − ε)
    Insensitive,
    /// max(0, |y − f| − ε)²
    Squared,
}
words!(Zones: Zones::Insensitive = "insensitive", Zones::Squared = "squared-insensitive");

/// Linear support vector regression and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearSvr<K> {
    /// k, which must be the inner product.
    pub kernel: K,
    /// C > 0: the price of an error beyond the zone.
    pub c: f64,
    /// ε ≥ 0: errors below it cost nothing.
    pub epsilon: f64,
    /// What an error beyond the zone costs.
    pub loss: Zones,
    /// The offset, how the problem is solved and when that ends.
    pub solver: LinearSolver,
}

settings! { LinearSvr<K>:
    c: f64, "c" 'c', "above 0", "price C of an error beyond the zone";
    epsilon: f64, "epsilon" 'p', "0 or more", "half width of the zone: errors below it cost nothing";
    loss: Zones, "loss", "insensitive or squared-insensitive", "cost of an error beyond the zone: its size, or its square";
    /// Fits the function to the targets `y`.
    fit([f64]) -> LinearModel;
}

impl<K> LinearSvr<K> {
    /// What errors cost.
    fn cost(&self) -> Cost {
        match self.loss {
            Zones::Insensitive => Cost::Insensitive(self.epsilon),
            Zones::Squared => Cost::SquaredInsensitive(self.epsilon),
        }
    }

    /// C = 1, ε = 0.1, errors by their size, an offset, a gap of 1e-4.
    pub fn new(kernel: K) -> Self {
        Self { kernel, c: 1.0, epsilon: 0.1, loss: Zones::Insensitive, solver: LinearSolver::default() }
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for LinearSvr<K> {
    type Target = [f64];
    type Model = LinearModel<X, K>;
    const KERNEL: Option<&'static str> = Some("linear");

    fn check(&self) -> Result<()> {
        let (c, epsilon) = (self.c, self.epsilon);
        check("c", c, c > 0.0 && c.is_finite(), "must be positive and finite")?;
        check("epsilon", epsilon, epsilon >= 0.0 && epsilon.is_finite(), "must be finite and not negative")?;
        self.solver.check()
    }

    fn fit_in(&self, x: &X, y: &[f64], job: &mut Job<'_, X>) -> Result<LinearModel<X, K>> {
        Estimator::<X>::check(self)?;
        path::fit(self, x, y, job)
    }

    fn fit_path(&self, x: &X, y: &[f64], job: &mut Job<'_, X>) -> Result<Vec<(f64, LinearModel<X, K>)>> {
        Estimator::<X>::check(self)?;
        path::models(self, x, y, job)
    }

    fn fit_stream(&self, x: &Stream, y: &[f64], job: &mut Job<'_, X>) -> Result<LinearModel<X, K>> {
        Estimator::<X>::check(self)?;
        stream::check(&self.solver, Penalty::L2, LinearScheme::OneVsRest)?;
        let cost = self.cost();
        stream::fit_numbers(&self.kernel, self.c, (&self.solver, cost), (x, y), job)
    }
}

impl<X: Points, K: Kernel<X> + Clone> Priced<X, K> for LinearSvr<K> {
    fn price(&self) -> f64 {
        self.c
    }

    fn priced(&self, c: f64) -> Self {
        Self { c, ..self.clone() }
    }

    fn solver(&self) -> &LinearSolver {
        &self.solver
    }

    fn fit_one(&self, x: &X, y: &[f64], job: &mut Job<'_, X>) -> Result<LinearModel<X, K>> {
        let (own, targets) = Weighted::numbers(x, y, job.weights)?;
        let kernel = own.kernel(&self.kernel, job)?;
        let (points, features) = occurring(&kernel, &own.points, 1)?;
        let (cost, prices) = (self.cost(), own.times(vec![self.c; targets.len()]));
        let answers = self.solver.solve(&points, cost, &[(targets, prices)], job);
        tell_exact_gap(&kernel, (&own.points, &points), &answers, job)?;
        let model = LinearModel::new(&kernel, &self.solver, cost, &features, answers, Vec::new())?;
        Ok(model.of_inputs(own.points.width()))
    }

    fn least(&self, _: &X, _: &[f64], _: &mut Job<'_, X>) -> Result<Option<f64>> {
        Ok(None)
    }
}
