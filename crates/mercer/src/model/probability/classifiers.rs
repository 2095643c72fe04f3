//! The classifiers that learn probabilities.

use super::{Probability, Settings};
use crate::model::compute::SIDE_BY_SIDE;
use crate::model::prelude::*;
use crate::model::svm::class_weights::check_known;
use crate::model::svm::{NuSvc, Svc, largest_nu, pairs};

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
        self.fit_probability_in(x, y, settings, &mut Job::new())
    }

    /// Learns the probabilities under the circumstances of a job, whose watch sees every round of every fit, numbered pair
    /// by pair and fold by fold. Once it has ended them, what comes back is fitted to decisions of unfinished fits.
    ///
    /// # Errors
    /// As [`Svc::fit_probability`].
    pub fn fit_probability_in<X: Points>(
        &self,
        x: &X,
        y: &Labels,
        settings: &Settings,
        job: &mut Job<'_, X>,
    ) -> Result<Probability>
    where
        K: Kernel<X> + Clone,
    {
        Estimator::<X>::check(self)?;
        check_known(&self.class_weights, y)?;
        let (own, all) = Weighted::classes(x, y, job.weights)?;
        let sizes = class_sums(&all, &own.weights);
        let solver = shared_out(&self.solver, y, settings);
        Probability::learn(x, y, settings, job, |part, job| {
            let own = |name: &String| part.y.classes().contains(name);
            let class_weights = self.class_weights.iter().filter(|(name, _)| own(name)).cloned().collect();
            // The mean error is that over all classes, of which the pair has its share.
            let pair = all.classes().iter().zip(&sizes).filter(|(name, _)| own(name)).map(|(_, size)| size);
            let share = pair.sum::<f64>() / sizes.iter().sum::<f64>();
            let c = if self.mean { self.c * share } else { self.c };
            let svc = Svc { c, class_weights, solver: solver.clone(), ..self.clone() };
            svc.fit_in(part.x, part.y, job)
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
        self.fit_probability_in(x, y, settings, &mut Job::new())
    }

    /// Learns the probabilities under the circumstances of a job, as [`Svc::fit_probability_in`] does.
    ///
    /// # Errors
    /// As [`NuSvc::fit_probability`].
    pub fn fit_probability_in<X: Points>(
        &self,
        x: &X,
        y: &Labels,
        settings: &Settings,
        job: &mut Job<'_, X>,
    ) -> Result<Probability>
    where
        K: Kernel<X> + Clone,
    {
        Estimator::<X>::check(self)?;
        let (own, all) = Weighted::classes(x, y, job.weights)?;
        self.check_feasible(&all, &own.weights)?;
        let solver = shared_out(&self.solver, y, settings);
        Probability::learn(x, y, settings, job, |part, job| {
            let nu = self.nu.min(largest_nu(part.y, part.weights));
            let own = |(name, _): &&(String, f64)| part.y.classes().contains(name);
            let class_weights = self.class_weights.iter().filter(own).cloned().collect();
            let svc = NuSvc { nu, class_weights, solver: solver.clone(), ..self.clone() };
            svc.fit_in(part.x, part.y, job)
        })
    }
}

/// The solver with its part of the memory for kernel rows.
fn shared_out(solver: &Smo, y: &Labels, settings: &Settings) -> Smo {
    let fits = pairs(y.classes().len()).len().saturating_mul(settings.folds);
    Smo { cache_bytes: solver.cache_bytes / fits.clamp(1, SIDE_BY_SIDE), ..solver.clone() }
}
