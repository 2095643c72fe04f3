//! Regression with an insensitive zone.
//!
//! ε-SVR: minimise ½‖w‖² + C Σ max(0, |yᵢ − f(xᵢ)| − ε); f(x) = Σ βᵢ k(xᵢ, x) − b. Errors below ε cost nothing and
//! points inside the zone are no support points. ν-SVR: C and ν ∈ (0, 1] are given instead, and ε is found such that at
//! most a share ν of the points lies outside the zone and at least that share are support points (Schölkopf, Smola,
//! Williamson and Bartlett 2000).
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::rbf;
//! use mercer::model::Svr;
//!
//! let x = Vectors::dense(1, (0..40).map(|i| f64::from(i) / 10.0).collect());
//! let y: Vec<f64> = (0..40).map(|i| (f64::from(i) / 10.0).sin()).collect();
//! let model = Svr::new(rbf(1.0)).c(10.0).epsilon(0.01).fit(&x, &y)?;
//! assert!((model.values(&x)?[7] - 0.7f64.sin()).abs() < 0.012);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::function::{Function, check_nu, check_points};
use super::svc::Slack;
use super::weights::Present;
use crate::data::Points;
use crate::error::{Result, check};
use crate::gram::{Gram, Lazy};
use crate::kernel::{Definiteness, Kernel};
use crate::solve::{Phases, Problem, Smo, Solution, Watch, unwatched};

/// What is given of the insensitive zone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Zone {
    /// ε ≥ 0: its half width.
    Epsilon(f64),
    /// ν in (0, 1]: the share of points that may lie outside.
    Nu(f64),
}

/// Support vector regression and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Svr<K> {
    /// k
    pub kernel: K,
    /// C > 0: the price of an error beyond the zone. Infinite: no errors; where no function comes so
    /// near to the targets, the solver ends at its limit of iterations.
    pub c: f64,
    /// The insensitive zone.
    pub zone: Zone,
    /// What an error ξ beyond the zone costs; with ν only linear.
    pub slack: Slack,
    /// A factor on C for each point; empty for 1. A whole number is the same as so many copies of the point, 0 as none.
    pub weights: Vec<f64>,
    /// How the dual is solved.
    pub solver: Smo,
}

/// A fitted regression and what is known of the fit.
#[derive(Debug, Clone, PartialEq)]
pub struct SvrFit<X, K> {
    /// f
    pub function: Function<X, K>,
    /// ε: as given, or as found for ν.
    pub epsilon: f64,
    /// Where the time went.
    pub phases: Phases,
}

impl<K> Svr<K> {
    /// C = 1, ε = 0.1, tolerance 1e-3.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            c: 1.0,
            zone: Zone::Epsilon(0.1),
            slack: Slack::Linear,
            weights: Vec::new(),
            solver: Smo::default(),
        }
    }

    /// Sets what an error beyond the zone costs. Squared, with ε = 0, it is the least-squares machine: kernel ridge with
    /// an offset, λ = 1/C.
    #[must_use]
    pub fn slack(mut self, slack: Slack) -> Self {
        self.slack = slack;
        self
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

    /// Sets ε, the half width of the zone.
    #[must_use]
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.zone = Zone::Epsilon(epsilon);
        self
    }

    /// Sets ν, the share of points that may lie outside the zone; ε is found.
    #[must_use]
    pub fn nu(mut self, nu: f64) -> Self {
        self.zone = Zone::Nu(nu);
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
        let free = self.slack == Slack::Linear && matches!(self.zone, Zone::Epsilon(_));
        check("c", self.c, self.c.is_finite() || free, "must be finite for ν and where slacks are squared")?;
        match self.zone {
            Zone::Epsilon(e) => {
                check("epsilon", e, e >= 0.0 && e.is_finite(), "must be finite and not negative")?
            }
            Zone::Nu(nu) => {
                check_nu(nu)?;
                check("nu", nu, self.slack == Slack::Linear, "does not go with squared slacks")?;
            }
        }
        self.solver.check()
    }

    /// Fits the function to the targets `y`.
    ///
    /// # Errors
    /// If a parameter, the points or the targets cannot be used.
    pub fn fit<X: Points>(&self, x: &X, y: &[f64]) -> Result<Function<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        self.fit_watched(x, y, &mut unwatched())
    }

    /// The same under a watch, which sees every round and can end the fit.
    ///
    /// # Errors
    /// If a parameter, the points or the targets cannot be used.
    pub fn fit_watched<X: Points>(&self, x: &X, y: &[f64], watch: Watch<'_>) -> Result<Function<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        Ok(self.fit_timed(x, y, watch)?.function)
    }

    /// The same, with ε and where the time went.
    ///
    /// # Errors
    /// If a parameter, the points or the targets cannot be used.
    pub fn fit_timed<X: Points>(&self, x: &X, y: &[f64], watch: Watch<'_>) -> Result<SvrFit<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        self.check()?;
        check_points(x, y.len(), "targets")?;
        for &target in y {
            check("target", target, target.is_finite(), "must be finite")?;
        }
        let present = Present::new(&self.weights, x.len())?;
        let (x, y) = (&present.points(x), &present.numbers(y)[..]);
        let gram = Lazy::new(&self.kernel, x)?;
        let psd = self.kernel.definiteness() == Definiteness::Psd;
        let solver = Smo { psd, ..self.solver.clone() };
        let c: Vec<f64> = present.weights.iter().map(|weight| self.c * weight).collect();
        let solved = match self.zone {
            Zone::Epsilon(epsilon) => {
                let problem = Problem::epsilon_svr(y, &c, epsilon);
                let problem = match self.slack {
                    Slack::Linear => problem,
                    Slack::Squared => problem.squared(c.iter().map(|c| 1.0 / c).collect()),
                };
                solver.solve(&problem, &gram, watch).map(|solution| (solution, epsilon))
            }
            Zone::Nu(nu) => {
                // α and α* are separate variables, with a sum each.
                let twice: Vec<usize> = (0..x.len()).chain(0..x.len()).collect();
                let solved = solver.solve(&Problem::nu_svr(y, &c, nu), &*gram.restrict(&twice), watch);
                solved.map(|solution| joined(solution, x.len()))
            }
        };
        let (solution, epsilon) = solved.map_err(|error| present.error(error))?;
        let phases = solution.phases;
        let mut function = Function::new(self.kernel.clone(), x, solution);
        present.positions(&mut function.support);
        Ok(SvrFit { function, epsilon, phases })
    }
}

/// The answer in β = α − α*, and ε.
fn joined(mut solution: Solution, points: usize) -> (Solution, f64) {
    let stars = solution.coefficients.split_off(points);
    solution.coefficients.iter_mut().zip(stars).for_each(|(a, star)| *a += star);
    // f − y is −ε at a free α and ε at a free α*: b − ε and b + ε are the offsets of the two sums.
    let epsilon = 0.5 * (solution.second_offset - solution.offset);
    solution.offset = f64::midpoint(solution.offset, solution.second_offset);
    (solution, epsilon)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Vectors;
    use crate::kernel::{linear, rbf};
    use crate::solve::Stop;

    #[test]
    fn an_infinite_price_allows_no_error() {
        let x = Vectors::dense(1, (0..12).map(|i| f64::from(i) * 0.5).collect());
        let y: Vec<f64> = (0..12).map(|i| f64::from(i * i % 7)).collect();
        let solver = Smo { tolerance: 1e-6, ..Smo::default() };
        let values = |c: f64| {
            let svr = Svr::new(rbf(2.0)).c(c).epsilon(0.1).solver(solver.clone());
            svr.fit(&x, &y).unwrap().expansion.map_double(&x, |f| f[0]).unwrap()
        };
        let (none, high) = (values(f64::INFINITY), values(1e8));
        assert!(none.iter().zip(&high).all(|(a, b)| (a - b).abs() < 1e-5));
        assert!(none.iter().zip(&y).all(|(f, y)| (f - y).abs() < 0.1 + 1e-5));
        assert!(Svr::new(rbf(2.0)).c(f64::INFINITY).nu(0.5).fit(&x, &y).is_err());
    }

    #[test]
    fn a_price_that_cannot_be_paid_ends_at_the_limit() {
        let x = Vectors::dense(1, (0..12).map(f64::from).collect());
        let y: Vec<f64> = (0..12).map(|i| f64::from(i * i % 7)).collect();
        let solver = Smo { iteration_limit: Some(10_000), ..Smo::default() };
        let fitted = Svr::new(linear()).c(f64::INFINITY).solver(solver).fit(&x, &y).unwrap();
        assert_eq!(fitted.certificate.unwrap().stop, Stop::IterationLimit);
    }
}
