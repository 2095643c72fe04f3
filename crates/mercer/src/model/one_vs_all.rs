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

use std::time::Instant;

use rayon::prelude::*;

use super::class_weights::{check_known, check_prices, prices};
use super::pairwise::SIDE_BY_SIDE;
use super::scores::{Fitted, ScoreModel};
use super::weights::Present;
use crate::data::{Labels, Points};
use crate::error::Result;
use crate::gram::{Gram, Lazy};
use crate::kernel::{Definiteness, Kernel};
use crate::solve::{Phases, Problem, Progress, Shared, Smo, Solution, Watch, unwatched};

/// C-SVC, one class against all others.
#[derive(Debug, Clone, PartialEq)]
pub struct OneVsAll<K> {
    /// k
    pub kernel: K,
    /// C > 0: the price of a margin error.
    pub c: f64,
    /// A factor on C for each point; empty for 1. A whole number is the same as so many copies of the point, 0 as none.
    pub weights: Vec<f64>,
    /// Factors on C for the points of the classes named, on whichever side of a machine they are.
    pub class_weights: Vec<(String, f64)>,
    /// How the duals are solved.
    pub solver: Smo,
}

impl<K> OneVsAll<K> {
    /// C = 1, no class weights, tolerance 1e-3.
    pub fn new(kernel: K) -> Self {
        Self { kernel, c: 1.0, weights: Vec::new(), class_weights: Vec::new(), solver: Smo::default() }
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

    /// Sets the largest violation of the optimality conditions accepted.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.solver.tolerance = tolerance;
        self
    }

    /// Sets how the duals are solved.
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

    /// Fits a classifier under a watch, which sees every round of every machine and can end the fit: the model is then
    /// the best so far, its certificates say [`Interrupted`](crate::solve::Stop::Interrupted).
    ///
    /// # Errors
    /// If a parameter, the labels or the points cannot be used.
    pub fn fit_watched<X: Points>(&self, x: &X, y: &Labels, watch: Watch<'_>) -> Result<ScoreModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        Ok(self.fit_timed(x, y, watch)?.0)
    }

    /// The same, and where the time went, summed over the machines (which run side by side).
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
        let members = |class: usize| y.index().iter().map(|&own| own as usize == class).collect();
        let members: Vec<Vec<bool>> = (0..y.classes().len()).map(members).collect();
        let c = present.times(prices(self.c, &self.class_weights, y));
        let solved = relevance(&self.kernel, &self.solver, x, &members, &c, watch)
            .map_err(|error| present.error(error))?;
        let coefficients = (0..x.len()).flat_map(|i| solved.iter().map(move |s| s.coefficients[i])).collect();
        let fitted = Fitted {
            coefficients,
            offsets: solved.iter().map(|s| s.offset).collect(),
            certificates: solved.iter().map(|s| s.certificate).collect(),
            loss: None,
        };
        let phases = solved.iter().map(|s| s.phases).sum();
        let mut model = ScoreModel::new(self.kernel.clone(), x, y.classes(), fitted);
        present.positions(&mut model.support);
        Ok((model, phases))
    }
}

/// Solves a problem for each list of who is positive, side by side on one packed copy of the points.
pub(super) fn relevance<X: Points, K: Kernel<X>>(
    kernel: &K,
    solver: &Smo,
    x: &X,
    positive: &[Vec<bool>],
    c: &[f64],
    watch: Watch<'_>,
) -> Result<Vec<Solution>> {
    let started = Instant::now();
    let shared = Shared::new(watch, positive.len(), started);
    let gram = Lazy::new(kernel, x)?;
    let psd = kernel.definiteness() == Definiteness::Psd;
    let cache_bytes = solver.cache_bytes / positive.len().clamp(1, SIDE_BY_SIDE);
    let one = |(part, positive): (usize, &Vec<bool>)| {
        let time_limit = solver.time_limit.map(|limit| limit.saturating_sub(started.elapsed()));
        let solver = Smo { psd, cache_bytes, time_limit, ..solver.clone() };
        let mut watch = |progress: &Progress| shared.show(part, progress);
        solver.solve(&Problem::c_svc(positive, c), &*gram.share(), &mut watch)
    };
    positive.par_iter().enumerate().map(one).collect()
}
