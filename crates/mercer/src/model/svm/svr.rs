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

use super::function::{Function, Role, check_nu};
use super::svc::Slack;
use crate::model::prelude::*;

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
    /// What an error ξ beyond the zone costs; with ν only linear. Squared, with ε = 0, it is the least-squares machine:
    /// kernel ridge with an offset, λ = 1/C.
    pub slack: Slack,
    /// How the dual is solved.
    pub solver: Smo,
}

settings! { Svr<K>:
    c: f64, "c" 'c', "above 0; inf allows no errors", "price C of an error beyond the zone";
    slack: Slack, "squared", "a flag", "cost of errors beyond the zone: by their squares, C/2 each, in place of C each";
    /// Fits the function to the targets `y`.
    fit([f64]) -> Function;
}

impl<K> Svr<K> {
    /// C = 1, ε = 0.1, tolerance 1e-3.
    pub fn new(kernel: K) -> Self {
        Self { kernel, c: 1.0, zone: Zone::Epsilon(0.1), slack: Slack::Linear, solver: Smo::default() }
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
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Svr<K> {
    type Target = [f64];
    type Model = Function<X, K>;

    fn check(&self) -> Result<()> {
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

    /// Fits the function. The job's findings have `epsilon`: as given, or as found for ν.
    fn fit_in(&self, x: &X, y: &[f64], job: &mut Job<'_, X>) -> Result<Function<X, K>> {
        Estimator::<X>::check(self)?;
        let (own, y) = Weighted::numbers(x, y, job.weights)?;
        let (n, c) = (y.len(), own.times(vec![self.c; y.len()]));
        let programme = |_| match (self.zone, self.slack) {
            (Zone::Epsilon(epsilon), slack) => {
                let problem = Problem::epsilon_svr(&y, &c, epsilon);
                let problem = match slack {
                    Slack::Linear => problem,
                    Slack::Squared => problem.squared(c.iter().map(|c| 1.0 / c).collect()),
                };
                Programme { points: None, problem }
            }
            // α and α* are separate variables, with a sum each.
            (Zone::Nu(nu), _) => {
                Programme { points: Some((0..n).chain(0..n).collect()), problem: Problem::nu_svr(&y, &c, nu) }
            }
        };
        let kernel = own.kernel(&self.kernel, job)?;
        let solution = own.solve(&kernel, &self.solver, 1, programme, job)?.swap_remove(0);
        let (solution, epsilon) = match self.zone {
            Zone::Epsilon(epsilon) => (solution, epsilon),
            Zone::Nu(_) => joined(solution, n),
        };
        job.found.add("epsilon", epsilon);
        Ok(Function::new(kernel, Role::Regression, &own, solution))
    }

    fn learn(
        &self,
        x: &X,
        y: &[f64],
        model: &Function<X, K>,
        settings: &Settings,
        job: &mut Job<'_, X>,
    ) -> Result<Option<Estimate>> {
        let fitted = Self { kernel: model.expansion.kernel().clone(), ..self.clone() };
        Ok(Some(Estimate::Noise(fitted.fit_noise_in(x, y, settings, job)?)))
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

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let parameters = || {
        let about =
            ("epsilon", Some('p'), "0 or more", "half width of the zone: errors below it cost nothing");
        let get = |svr: &Svr<X::Kernel>| match svr.zone {
            Zone::Epsilon(epsilon) => Some(epsilon),
            Zone::Nu(_) => None,
        };
        let mut rows = Svr::parameters();
        rows.insert(1, Parameter::of_case(about, get, |svr, epsilon| svr.zone = Zone::Epsilon(epsilon)));
        rows
    };
    let summary = "epsilon-SVR: regression; errors below epsilon cost nothing";
    Method::new(("svr", summary, "svr", &["noise"]), Svr::new, parameters, read)
}

pub(in crate::model) fn nu_method<X: Space>() -> Method<X> {
    let parameters = || {
        let about =
            ("nu", Some('n'), "above 0 and at most 1", "share of the points that may lie outside the zone");
        let get = |svr: &Svr<X::Kernel>| match svr.zone {
            Zone::Nu(nu) => Some(nu),
            Zone::Epsilon(_) => None,
        };
        let mut rows = Svr::parameters();
        rows.retain(|row| row.about.name != "squared");
        rows.insert(1, Parameter::of_case(about, get, |svr, nu| svr.zone = Zone::Nu(nu)));
        rows
    };
    let summary = "nu-SVR: regression that finds epsilon; a share nu of the points may lie outside";
    Method::new(("nu-svr", summary, "svr", &["noise"]), |kernel| Svr::new(kernel).nu(0.5), parameters, read)
}

fn read<X: Space>(reader: &mut Reader<'_>) -> Result<Function<X, X::Kernel>, Flaw> {
    Function::read(Role::Regression, reader)
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
