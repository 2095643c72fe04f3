//! Classification with a machine for each class against all others.
//!
//! k C-SVC problems ([`Problem::c_svc`]), each with all the points: those of one class are positive. The class of x is the
//! one whose decision F_c(x) = Σᵢ βᵢ_c k(xᵢ, x) − b_c is largest.
//!
//! Cost: see [`Smo`] for each class; the machines run side by side on one packed copy of the points. Prediction: one
//! kernel value for each point and each support point of any machine.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::rbf;
//! use mercer::model::OneVsAll;
//!
//! let x = Vectors::dense(1, vec![-2.0, -1.8, 0.0, 0.2, 1.9, 2.0]);
//! let y = Labels::first_seen(["low", "low", "middle", "middle", "high", "high"]);
//! let model = OneVsAll::new(rbf(0.5)).c(10.0).fit(&x, &y)?;
//! assert_eq!(model.predict(&Vectors::dense(1, vec![-3.0, 0.1, 2.1]))?, ["low", "middle", "high"]);
//! assert_eq!(model.certificates.len(), 3);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::class_weights::{check_known, check_prices, prices};
use super::scores::{self, Fitted, ScoreModel};
use crate::model::prelude::*;

/// C-SVC, one class against all others.
#[derive(Debug, Clone, PartialEq)]
pub struct OneVsAll<K> {
    /// k
    pub kernel: K,
    /// C > 0: the price of a margin error.
    pub c: f64,
    /// Factors on C for the points of the classes named, on whichever side of a programme they are.
    pub class_weights: Vec<(String, f64)>,
    /// How the duals are solved.
    pub solver: Smo,
}

settings! { OneVsAll<K>:
    c: f64, "c" 'c', "above 0", "price C of a margin error";
    class_weights: Vec<(String, f64)>, "weight" 'w', "above 0 for each class named", "factors on C for the points of some classes";
    /// Fits a classifier.
    fit(Labels) -> ScoreModel;
}

impl<K> OneVsAll<K> {
    /// C = 1, no class weights, tolerance 1e-3.
    pub fn new(kernel: K) -> Self {
        Self { kernel, c: 1.0, class_weights: Vec::new(), solver: Smo::default() }
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for OneVsAll<K> {
    type Target = Labels;
    type Model = ScoreModel<X, K>;

    fn check(&self) -> Result<()> {
        check_prices(self.c, &self.class_weights)?;
        self.solver.check()
    }

    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<ScoreModel<X, K>> {
        Estimator::<X>::check(self)?;
        check_known(&self.class_weights, y)?;
        let (own, y) = Weighted::classes(x, y, job.weights)?;
        let members = |class: usize| y.index().iter().map(|&of| of as usize == class).collect();
        let members: Vec<Vec<bool>> = (0..y.classes().len()).map(members).collect();
        let c = own.times(prices(self.c, &self.class_weights, &y));
        let kernel = own.kernel(&self.kernel, job)?;
        let solved = relevance(&kernel, &self.solver, &own, &members, &c, job)?;
        let lists: Vec<&[f64]> = solved.iter().map(|s| s.coefficients.as_slice()).collect();
        let fitted = Fitted {
            coefficients: interleaved(own.points.len(), &lists),
            offsets: solved.iter().map(|s| s.offset).collect(),
            certificates: solved.iter().map(|s| s.certificate).collect(),
            loss: None,
        };
        Ok(ScoreModel::new(kernel, &own, y.classes(), fitted))
    }
}

/// Solves a programme for each list of which points are positive, side by side on one packed copy of the points.
pub(super) fn relevance<X: Points, K: Kernel<X>>(
    kernel: &K,
    solver: &Smo,
    own: &Weighted<X>,
    positive: &[Vec<bool>],
    c: &[f64],
    job: &mut Job<'_, X>,
) -> Result<Vec<Solution>> {
    if positive.is_empty() {
        return Ok(Vec::new());
    }
    let programme = |part: usize| Programme { points: None, problem: Problem::c_svc(&positive[part], c) };
    own.solve(kernel, solver, positive.len(), programme, job)
}

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let summary = "C-SVC of each class against all others; the largest decision wins";
    Method::new(("ovr", summary, "ovr", &[]), OneVsAll::new, OneVsAll::parameters, |r| scores::read(None, r))
}
