//! The classifiers that learn probabilities.

use super::left_out::Data;
use super::{Probability, Settings};
use crate::data::{Labels, Points};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::model::class_weights::check_known;
use crate::model::multiclass::pairs;
use crate::model::nu_svc::{NuSvc, largest_nu};
use crate::model::pairwise::SIDE_BY_SIDE;
use crate::model::svc::Svc;
use crate::model::weights::{Present, class_sums};
use crate::solve::{Smo, Watch, unwatched};

impl<K> Svc<K> {
    /// Learns the probabilities of this classifier by cross-validation within each pair of classes. Weights of points
    /// count in the fits and in the calibration. The solver's time limit holds for each of the fits, its memory for
    /// kernel rows for all that may run side by side.
    ///
    /// # Errors
    /// If the settings, a parameter, the labels or the points cannot be used.
    pub fn fit_probability<X: Points>(&self, x: &X, y: &Labels, settings: &Settings) -> Result<Probability>
    where
        K: Kernel<X> + Clone,
    {
        self.fit_probability_watched(x, y, settings, &mut unwatched())
    }

    /// The same under a watch, which sees every round of every fit, numbered pair by pair and fold by fold. Once it has
    /// ended them, what comes back is fitted to decisions of unfinished machines.
    ///
    /// # Errors
    /// As [`Svc::fit_probability`].
    pub fn fit_probability_watched<X: Points>(
        &self,
        x: &X,
        y: &Labels,
        settings: &Settings,
        watch: Watch<'_>,
    ) -> Result<Probability>
    where
        K: Kernel<X> + Clone,
    {
        self.check()?;
        y.check(x.len())?;
        x.check_finite()?;
        check_known(&self.class_weights, y)?;
        let present = Present::new(&self.weights, x.len())?;
        let all = present.labels(y);
        let sizes = class_sums(&all, &present.weights);
        let solver = shared_out(&self.solver, y, settings);
        Probability::learn(&Data { x, y, weights: &self.weights }, settings, watch, |part, watch| {
            let own = |name: &String| part.y.classes().contains(name);
            let class_weights = self.class_weights.iter().filter(|(name, _)| own(name)).cloned().collect();
            // The mean error is that over all classes, of which the pair has its share.
            let pair = all.classes().iter().zip(&sizes).filter(|(name, _)| own(name)).map(|(_, size)| size);
            let share = pair.sum::<f64>() / sizes.iter().sum::<f64>();
            let c = if self.mean { self.c * share } else { self.c };
            let weights = part.weights.to_vec();
            let svc = Svc { c, weights, class_weights, solver: solver.clone(), ..self.clone() };
            svc.fit_watched(part.x, part.y, watch)
        })
    }
}

impl<K> NuSvc<K> {
    /// Learns the probabilities of this classifier by cross-validation within each pair of classes, as
    /// [`Svc::fit_probability`] does. Where a fold leaves a pair with less room for ν, the largest there is is taken.
    ///
    /// # Errors
    /// If the settings, ν, the labels or the points cannot be used.
    pub fn fit_probability<X: Points>(&self, x: &X, y: &Labels, settings: &Settings) -> Result<Probability>
    where
        K: Kernel<X> + Clone,
    {
        self.fit_probability_watched(x, y, settings, &mut unwatched())
    }

    /// The same under a watch, as [`Svc::fit_probability_watched`].
    ///
    /// # Errors
    /// As [`NuSvc::fit_probability`].
    pub fn fit_probability_watched<X: Points>(
        &self,
        x: &X,
        y: &Labels,
        settings: &Settings,
        watch: Watch<'_>,
    ) -> Result<Probability>
    where
        K: Kernel<X> + Clone,
    {
        self.check()?;
        y.check(x.len())?;
        x.check_finite()?;
        let present = Present::new(&self.weights, x.len())?;
        self.check_feasible(&present.labels(y), &present.weights)?;
        let solver = shared_out(&self.solver, y, settings);
        Probability::learn(&Data { x, y, weights: &self.weights }, settings, watch, |part, watch| {
            let nu = self.nu.min(largest_nu(part.y, part.weights));
            let own = |(name, _): &&(String, f64)| part.y.classes().contains(name);
            let class_weights = self.class_weights.iter().filter(own).cloned().collect();
            let weights = part.weights.to_vec();
            let svc = NuSvc { nu, weights, class_weights, solver: solver.clone(), ..self.clone() };
            svc.fit_watched(part.x, part.y, watch)
        })
    }
}

/// The solver with its part of the memory for kernel rows.
fn shared_out(solver: &Smo, y: &Labels, settings: &Settings) -> Smo {
    let fits = pairs(y.classes().len()).len().saturating_mul(settings.folds);
    Smo { cache_bytes: solver.cache_bytes / fits.clamp(1, SIDE_BY_SIDE), ..solver.clone() }
}
