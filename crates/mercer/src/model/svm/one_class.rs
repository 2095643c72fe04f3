//! Where the data are: the ν-hyperplane.
//!
//! [`OneClass`] (Schölkopf, Platt, Shawe-Taylor, Smola and Williamson 2001) separates the points from the origin of
//! feature space: at most a share ν of them has f(x) = Σ αᵢ k(xᵢ, x) − ρ < 0, at least that share are support points.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::rbf;
//! use mercer::model::OneClass;
//!
//! // Dense about 0, sparse towards both ends.
//! let x = Vectors::dense(1, (-30..30).map(|i| (f64::from(i) / 30.0).powi(3)).collect());
//! let model = OneClass::new(rbf(1.0)).nu(0.3).fit(&x)?;
//! let values = model.values(&Vectors::dense(1, vec![0.0, 9.0]))?;
//! assert!(values[0] > 0.0 && values[1] < 0.0);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::function::{Function, Role, check_nu};
use crate::model::prelude::*;
use crate::model::probability::Density;

/// The ν one-class machine and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct OneClass<K> {
    /// k
    pub kernel: K,
    /// ν in (0, 1]: the share of points that may lie outside.
    pub nu: f64,
    /// How the dual is solved.
    pub solver: Smo,
}

settings! { OneClass<K>:
    nu: f64, "nu" 'n', "above 0 and at most 1", "share of the points that may lie outside";
    /// Fits f, which is positive where the data are. Coefficients are in [0, 1] and sum to νn, as in LIBSVM.
    fit() -> Function;
}

impl<K> OneClass<K> {
    /// ν = 0.5, tolerance 1e-3.
    pub fn new(kernel: K) -> Self {
        Self { kernel, nu: 0.5, solver: Smo::default() }
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for OneClass<K> {
    type Target = ();
    type Model = Function<X, K>;

    fn check(&self) -> Result<()> {
        check_nu(self.nu)?;
        self.solver.check()
    }

    fn fit_in(&self, x: &X, (): &(), job: &mut Job<'_, X>) -> Result<Function<X, K>> {
        Estimator::<X>::check(self)?;
        let own = Weighted::new(x, job.weights)?;
        let programme = |_| Programme { points: None, problem: Problem::one_class(&own.weights, self.nu) };
        let kernel = own.kernel(&self.kernel, job)?;
        let solution = own.solve(&kernel, &self.solver, 1, programme, job)?.swap_remove(0);
        Ok(Function::new(kernel, Role::OneClass, &own, solution))
    }

    fn learn(
        &self,
        x: &X,
        (): &(),
        model: &Function<X, K>,
        _: &Settings,
        _: &mut Job<'_, X>,
    ) -> Result<Option<Estimate>> {
        Ok(Density::fit(model, x)?.map(Estimate::Density))
    }
}

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let summary = "where the data are: a share nu of the points may lie outside";
    let title = ("one-class", summary, "one-class", &["density"][..]);
    Method::new(title, OneClass::new, OneClass::parameters, |reader| Function::read(Role::OneClass, reader))
}
