//! Where the data are: the smallest sphere.
//!
//! [`Svdd`] (Tax and Duin 2004; equations 14 and 15 of lecture 000) finds the smallest sphere that holds the points but for
//! outliers at the price C each: minimise R² + C Σξᵢ subject to ‖φ(xᵢ) − a‖² ≤ R² + ξᵢ. With a constant k(x, x), as of the
//! RBF kernel, it decides like [`OneClass`](super::OneClass) for C = 1/(νn).
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

use super::function::{Function, Role, check_nu};
use crate::gram::Gram;
use crate::model::prelude::*;

/// What is given of the points outside the sphere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outside {
    /// C ≥ 1/n: the price of each; from 1 on the sphere holds all points.
    Price(f64),
    /// ν in (0, 1]: the share of points that may lie outside, C = 1/(νn).
    Share(f64),
}

/// Support vector data description and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Svdd<K> {
    /// k
    pub kernel: K,
    /// The points outside.
    pub outside: Outside,
    /// How the dual is solved. Its α sum to 1, whatever the kernel and C: the tolerance is a share of R² (of a bound on it,
    /// that is) and of C where that is below 1, so that it means what it does for [`OneClass`](super::OneClass), whose α
    /// sum to νn.
    pub solver: Smo,
}

settings! { Svdd<K>:
    /// Fits the sphere. C below 1/n is refused: no sphere is worth its price then.
    fit() -> SvddModel;
}

impl<K> Svdd<K> {
    /// C = 1 (all points inside), tolerance 1e-3 of R².
    pub fn new(kernel: K) -> Self {
        Self { kernel, outside: Outside::Price(1.0), solver: Smo::default() }
    }

    /// Sets C, the price of a point outside.
    #[must_use]
    pub fn c(mut self, c: f64) -> Self {
        self.outside = Outside::Price(c);
        self
    }

    /// Sets ν, the share of points that may lie outside.
    #[must_use]
    pub fn nu(mut self, nu: f64) -> Self {
        self.outside = Outside::Share(nu);
        self
    }

    /// The tolerance in the units of the dual. A quarter of the largest squared distance from the first point is at least
    /// a quarter of R² and at most R², for the sphere of all points; what single precision leaves of the kernel's values
    /// cannot be told from 0.
    fn dual_tolerance(&self, gram: &dyn Gram, c: f64) -> f64 {
        let diagonal = gram.diagonal();
        let mut row = vec![0.0_f32; gram.len()];
        gram.rows(&[0], &mut [&mut row]);
        let square = diagonal.iter().zip(&row).map(|(k, &first)| k + diagonal[0] - 2.0 * f64::from(first));
        let size = 0.25 * square.fold(0.0, f64::max) * c.min(1.0);
        let rounding = f64::from(f32::EPSILON) * diagonal.iter().fold(0.0, |a: f64, k| a.max(k.abs()));
        let tolerance = (self.solver.tolerance * size).max(rounding).max(f64::MIN_POSITIVE);
        // A kernel that is not finite is the solver's to name.
        if tolerance.is_finite() { tolerance } else { self.solver.tolerance }
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Svdd<K> {
    type Target = ();
    type Model = SvddModel<X, K>;

    /// The least C depends on the number of points, and is refused by the fit.
    fn check(&self) -> Result<()> {
        match self.outside {
            Outside::Price(c) => check("c", c, c > 0.0 && c.is_finite(), PRICE)?,
            Outside::Share(nu) => check_nu(nu)?,
        }
        self.solver.check()
    }

    fn fit_in(&self, x: &X, (): &(), job: &mut Job<'_, X>) -> Result<SvddModel<X, K>> {
        Estimator::<X>::check(self)?;
        let own = Weighted::new(x, job.weights)?;
        let total: f64 = own.weights.iter().sum();
        let c = match self.outside {
            Outside::Price(c) => c,
            Outside::Share(nu) => 1.0 / (nu * total),
        };
        check("c", c, c * total >= 1.0 - 1e-12, PRICE)?;
        let kernel = own.kernel(&self.kernel, job)?;
        let (diagonal, tolerance) = {
            let gram = own.gram(&kernel, job)?;
            (gram.diagonal().to_vec(), self.dual_tolerance(&*gram, c))
        };
        let c = own.times(vec![c; own.weights.len()]);
        let programme = |_| Programme { points: None, problem: Problem::svdd(&diagonal, &c) };
        let solver = Smo { tolerance, ..self.solver.clone() };
        let solution = own.solve(&kernel, &solver, 1, programme, job)?.swap_remove(0);
        // ½αᵀKα − ½Σαk is the objective.
        let trace: f64 = solution.coefficients.iter().zip(&diagonal).map(|(a, k)| a * k).sum();
        let square_center = 2.0 * solution.certificate.objective + trace;
        // At a free point (Kα)ₛ − ½kₛₛ = b, and R² = kₛₛ − 2(Kα)ₛ + αᵀKα.
        let square_radius = square_radius(square_center, solution.offset);
        let function = Function::new(kernel, Role::OneClass, &own, solution);
        Ok(SvddModel { function, square_radius, square_center })
    }
}

/// R² = ‖a‖² − 2b.
fn square_radius(square_center: f64, offset: f64) -> f64 {
    square_center - 2.0 * offset
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

impl<X: Points, K: Kernel<X>> SvddModel<X, K> {
    /// R² − ‖φ(x) − a‖² at each of `points` (equation 15 of lecture 000): positive inside the sphere.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn values(&self, points: &X) -> Result<Vec<f64>> {
        self.values_as(points, How::default())
    }

    fn values_as(&self, points: &X, how: How) -> Result<Vec<f64>> {
        let expansion = &self.function.expansion;
        let mut values = expansion.map_as(points, how.double, |outputs| outputs[0])?;
        let diagonal = expansion.own_values(points)?;
        // f = Σαk − b, and R² − ‖a‖² = −2b.
        values.iter_mut().zip(diagonal).for_each(|(value, k)| *value = 2.0 * *value - k);
        Ok(values)
    }
}

impl<X: Space> Model<X> for SvddModel<X, X::Kernel> {
    made_of!("svdd": function.expansion, function.support);

    fn quality(&self) -> Quality {
        self.function.quality()
    }

    fn facts(&self) -> Facts {
        Facts::default().with("square_radius", self.square_radius).with("square_center", self.square_center)
    }

    fn words(&self) -> String {
        format!("a sphere with R² = {}", short(self.square_radius))
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        self.function.outputs()
    }

    fn decisions(&self, points: &X, how: How) -> Result<Dense<f64>> {
        Ok(Dense::new(1, self.values_as(points, how)?))
    }

    fn predict(&self, points: &X, how: How) -> Result<Prediction> {
        Ok(Prediction::Sides(self.values_as(points, how)?))
    }

    /// f(x) = ⟨φ(x), a⟩ − b, which needs no k(x, x): the decision is 2f(x) − k(x, x).
    fn scores(&self, points: &X, how: How) -> Result<Dense<f64>> {
        self.function.expansion.rows(points, how.double)
    }

    /// Of R² and ‖a‖² only one is free: R² = ‖a‖² − 2b.
    fn check(&self) -> Result<Dense<f64>, Flaw> {
        let weights = self.function.check()?;
        if !self.square_center.is_finite() || !self.square_radius.is_finite() {
            return Err("the centre or the radius of the sphere is not a finite number".into());
        }
        if self.square_radius != square_radius(self.square_center, self.function.expansion.offsets()[0]) {
            return Err("the radius of the sphere does not fit its centre and its offset".into());
        }
        Ok(weights)
    }

    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        writer.list("square_center", &[self.square_center]);
        Ok(())
    }
}

fn read<X: Space>(reader: &mut Reader<'_>) -> Result<SvddModel<X, X::Kernel>, Flaw> {
    let function = Function::read(Role::OneClass, reader)?;
    let center: Vec<f64> = reader.list("square_center")?;
    let (&[square_center], &[offset]) = (center.as_slice(), function.expansion.offsets()) else {
        return Err("a sphere must have one offset and one square_center".into());
    };
    Ok(SvddModel { square_radius: square_radius(square_center, offset), square_center, function })
}

/// The rule for C.
const PRICE: &str = "must be finite and at least 1/n, n the number of points";

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let parameters = || {
        let about = (
            "c",
            Some('c'),
            "1/n or more; from 1 on no point is outside",
            "price C of a point outside the sphere",
        );
        let price = |svdd: &Svdd<X::Kernel>| match svdd.outside {
            Outside::Price(c) => Some(c),
            Outside::Share(_) => None,
        };
        let c = Parameter::of_case(about, price, |svdd, c| svdd.outside = Outside::Price(c));
        let meaning = "share of the points that may lie outside, in place of their price: C = 1/(nu n)";
        let about = ("nu", Some('n'), "above 0 and at most 1", meaning);
        let share = |svdd: &Svdd<X::Kernel>| match svdd.outside {
            Outside::Share(nu) => Some(nu),
            Outside::Price(_) => None,
        };
        let nu = Parameter::of_case(about, share, |svdd, nu| svdd.outside = Outside::Share(nu));
        [c, nu].into_iter().chain(Svdd::parameters()).collect()
    };
    let summary = "where the data are: the smallest sphere around them";
    Method::new(("svdd", summary, "svdd", &[]), Svdd::new, parameters, read)
}
