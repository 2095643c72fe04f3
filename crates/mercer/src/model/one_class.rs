//! Where the data are: the ν-hyperplane and the smallest sphere.
//!
//! [`OneClass`] (Schölkopf, Platt, Shawe-Taylor, Smola and Williamson 2001) separates the points from the origin of
//! feature space: at most a share ν of them has f(x) = Σ αᵢ k(xᵢ, x) − ρ < 0, at least that share are support points.
//!
//! [`Svdd`] (Tax and Duin 2004; equations 14 and 15 of lecture 000) finds the smallest sphere that holds the points but for
//! outliers at the price C each: minimise R² + C Σξᵢ subject to ‖φ(xᵢ) − a‖² ≤ R² + ξᵢ. With a constant k(x, x), as of the
//! RBF kernel, both decide alike for C = 1/(νn).
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::linear;
//! use mercer::model::Svdd;
//!
//! // Four corners of a square and its middle: the sphere is the circle through the corners.
//! let x = Vectors::dense(2, vec![0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 2.0, 2.0, 1.0, 1.0]);
//! let model = Svdd::new(linear()).c(1.0).fit(&x)?;
//! assert!((model.square_radius - 2.0).abs() < 1e-3);
//! // R² − ‖x − a‖²: positive inside.
//! let values = model.values(&Vectors::dense(2, vec![1.0, 1.5, 4.0, 4.0]))?;
//! assert!((values[0] - 1.75).abs() < 2e-3 && (values[1] + 16.0).abs() < 1e-2);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::function::{Function, check_nu, check_points};
use super::layout;
use super::weights::Present;
use crate::data::Points;
use crate::error::{Result, check};
use crate::gram::{Gram, Lazy};
use crate::kernel::{Definiteness, Kernel};
use crate::solve::{Phases, Problem, Smo, Watch, unwatched};

/// The ν one-class machine and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct OneClass<K> {
    /// k
    pub kernel: K,
    /// ν in (0, 1]: the share of points that may lie outside.
    pub nu: f64,
    /// A weight for each point; empty for 1. A whole number is the same as so many copies of the point, 0 as none.
    pub weights: Vec<f64>,
    /// How the dual is solved.
    pub solver: Smo,
}

impl<K> OneClass<K> {
    /// ν = 0.5, tolerance 1e-3.
    pub fn new(kernel: K) -> Self {
        Self { kernel, nu: 0.5, weights: Vec::new(), solver: Smo::default() }
    }

    /// Sets a weight for each point.
    #[must_use]
    pub fn weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = weights;
        self
    }

    /// Sets ν.
    #[must_use]
    pub fn nu(mut self, nu: f64) -> Self {
        self.nu = nu;
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
        check_nu(self.nu)?;
        self.solver.check()
    }

    /// Fits f, which is positive where the data are. Coefficients are in [0, 1] and sum to νn, as in LIBSVM.
    ///
    /// # Errors
    /// If a parameter or the points cannot be used.
    pub fn fit<X: Points>(&self, x: &X) -> Result<Function<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        self.fit_watched(x, &mut unwatched())
    }

    /// The same under a watch, which sees every round and can end the fit.
    ///
    /// # Errors
    /// If a parameter or the points cannot be used.
    pub fn fit_watched<X: Points>(&self, x: &X, watch: Watch<'_>) -> Result<Function<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        Ok(self.fit_timed(x, watch)?.0)
    }

    /// The same, and where the time went.
    ///
    /// # Errors
    /// If a parameter or the points cannot be used.
    pub fn fit_timed<X: Points>(&self, x: &X, watch: Watch<'_>) -> Result<(Function<X, K>, Phases)>
    where
        K: Kernel<X> + Clone,
    {
        self.check()?;
        check_points(x, x.len(), "points")?;
        let present = Present::new(&self.weights, x.len())?;
        let x = &present.points(x);
        let gram = Lazy::new(&self.kernel, x)?;
        let psd = self.kernel.definiteness() == Definiteness::Psd;
        let solver = Smo { psd, ..self.solver.clone() };
        let problem = Problem::one_class(&present.weights, self.nu);
        let solution = solver.solve(&problem, &gram, watch).map_err(|error| present.error(error))?;
        let phases = solution.phases;
        let mut function = Function::new(self.kernel.clone(), x, solution);
        present.positions(&mut function.support);
        Ok((function, phases))
    }
}

/// Support vector data description and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Svdd<K> {
    /// k
    pub kernel: K,
    /// C ≥ 1/n: the price of a point outside; from 1 on the sphere holds all points.
    pub c: f64,
    /// A factor on C for each point; empty for 1. A whole number is the same as so many copies of the point, 0 as none.
    pub weights: Vec<f64>,
    /// How the dual is solved. Its α sum to 1, whatever the kernel and C: the tolerance is a share of R² (of a bound on it,
    /// that is) and of C where that is below 1, so that it means what it does for [`OneClass`], whose α sum to νn.
    pub solver: Smo,
}

/// A fitted sphere.
#[derive(Debug, Clone, PartialEq)]
pub struct SvddModel<X, K> {
    /// Σ αᵢ k(xᵢ, x) − b; the centre is a = Σ αᵢ φ(xᵢ).
    pub function: Function<X, K>,
    /// R²
    pub square_radius: f64,
    /// ‖a‖² = αᵀKα
    pub square_center: f64,
}

impl<K> Svdd<K> {
    /// C = 1 (all points inside), tolerance 1e-3 of R².
    pub fn new(kernel: K) -> Self {
        Self { kernel, c: 1.0, weights: Vec::new(), solver: Smo::default() }
    }

    /// Sets a factor on C for each point.
    #[must_use]
    pub fn weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = weights;
        self
    }

    /// Sets C.
    #[must_use]
    pub fn c(mut self, c: f64) -> Self {
        self.c = c;
        self
    }

    /// Sets how the dual is solved.
    #[must_use]
    pub fn solver(mut self, solver: Smo) -> Self {
        self.solver = solver;
        self
    }

    /// Fits the sphere.
    ///
    /// # Errors
    /// If a parameter or the points cannot be used; for C below 1/n, where no sphere is worth its price.
    pub fn fit<X: Points>(&self, x: &X) -> Result<SvddModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        self.fit_watched(x, &mut unwatched())
    }

    /// The same under a watch, which sees every round and can end the fit.
    ///
    /// # Errors
    /// As [`Svdd::fit`].
    pub fn fit_watched<X: Points>(&self, x: &X, watch: Watch<'_>) -> Result<SvddModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        Ok(self.fit_timed(x, watch)?.0)
    }

    /// The same, and where the time went.
    ///
    /// # Errors
    /// As [`Svdd::fit`].
    pub fn fit_timed<X: Points>(&self, x: &X, watch: Watch<'_>) -> Result<(SvddModel<X, K>, Phases)>
    where
        K: Kernel<X> + Clone,
    {
        self.solver.check()?;
        check_points(x, x.len(), "points")?;
        let present = Present::new(&self.weights, x.len())?;
        let x = &present.points(x);
        let total: f64 = present.weights.iter().sum();
        let feasible = self.c.is_finite() && self.c * total >= 1.0 - 1e-12;
        check("c", self.c, feasible, "must be finite and at least 1/n, n the number of points")?;
        let gram = Lazy::new(&self.kernel, x)?;
        let psd = self.kernel.definiteness() == Definiteness::Psd;
        let tolerance = self.tolerance(&gram);
        let solver = Smo { psd, tolerance, ..self.solver.clone() };
        let c: Vec<f64> = present.weights.iter().map(|weight| self.c * weight).collect();
        let problem = Problem::svdd(gram.diagonal(), &c);
        let solution = solver.solve(&problem, &gram, watch).map_err(|error| present.error(error))?;
        // ½αᵀKα − ½Σαk is the objective.
        let own: f64 = solution.coefficients.iter().zip(gram.diagonal()).map(|(a, k)| a * k).sum();
        let square_center = 2.0 * solution.certificate.objective + own;
        // At a free point (Kα)ₛ − ½kₛₛ = b, and R² = kₛₛ − 2(Kα)ₛ + αᵀKα.
        let square_radius = layout::square_radius(square_center, solution.offset);
        let phases = solution.phases;
        let mut function = Function::new(self.kernel.clone(), x, solution);
        present.positions(&mut function.support);
        Ok((SvddModel { function, square_radius, square_center }, phases))
    }

    /// The tolerance in the units of the dual. A quarter of the largest squared distance from the first point is at least
    /// a quarter of R² and at most R², for the sphere of all points; what single precision leaves of the kernel's values
    /// cannot be told from 0.
    fn tolerance(&self, gram: &dyn Gram) -> f64 {
        let own = gram.diagonal();
        let mut row = vec![0.0_f32; gram.len()];
        gram.rows(&[0], &mut [&mut row]);
        let square = own.iter().zip(&row).map(|(k, &first)| k + own[0] - 2.0 * f64::from(first));
        let size = 0.25 * square.fold(0.0, f64::max) * self.c.min(1.0);
        let rounding = f64::from(f32::EPSILON) * own.iter().fold(0.0, |a: f64, k| a.max(k.abs()));
        let tolerance = (self.solver.tolerance * size).max(rounding).max(f64::MIN_POSITIVE);
        // A kernel that is not finite is the solver's to name.
        if tolerance.is_finite() { tolerance } else { self.solver.tolerance }
    }
}

impl<X: Points, K: Kernel<X>> SvddModel<X, K> {
    /// R² − ‖φ(x) − a‖² at each of `points` (equation 15 of lecture 000): positive inside the sphere.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn values(&self, points: &X) -> Result<Vec<f64>> {
        let mut values = self.function.values(points)?;
        let own = self.function.expansion.kernel().diagonal(points)?;
        // f = Σαk − b, and R² − ‖a‖² = −2b.
        values.iter_mut().zip(own).for_each(|(value, k)| *value = 2.0 * *value - k);
        Ok(values)
    }
}
