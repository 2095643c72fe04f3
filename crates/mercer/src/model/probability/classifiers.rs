//! The classifiers that learn probabilities.

use super::Probability;
use super::left_out::Data;
use crate::model::compute::SIDE_BY_SIDE;
use crate::model::prelude::*;
use crate::model::svm::class_weights::check_known;
use crate::model::svm::{NuSvc, Svc, largest_nu, pairs};

impl<K: Clone> Svc<K> {
    fn check_feasible(&self, _: &Labels, _: &[f64]) -> Result<()> {
        Ok(())
    }

    /// The classifier of a pair: the mean error is that over all classes, of which the pair has its share.
    fn of_pair<X>(&self, _: &Data<'_, X>, share: f64) -> Self {
        Svc { c: if self.mean { self.c * share } else { self.c }, ..self.clone() }
    }
}

impl<K: Clone> NuSvc<K> {
    fn of_pair<X>(&self, pair: &Data<'_, X>, _: f64) -> Self {
        NuSvc { nu: self.nu.min(largest_nu(pair.y, pair.weights)), ..self.clone() }
    }
}

macro_rules! learn_probabilities {
    ($($(#[$doc:meta])* $estimator:ident),+) => {$(
        impl<K> $estimator<K> {
            /// Learns the probabilities of this classifier by cross-validation within each pair of classes. Weights of points
            /// count in the fits and in the calibration. A centred kernel is centred about all points in every fold, as that of the
            /// classifier is. The solver's time limit holds for each of the fits, its memory for
            /// kernel rows for all that may run side by side.
            $(#[$doc])*
            ///
            /// # Errors
            /// If the settings, a parameter, the labels or the points cannot be used.
            pub fn fit_probability<X: Points>(&self, x: &X, y: &Labels, settings: &Settings) -> Result<Probability>
            where
                K: Kernel<X> + Clone,
            {
                self.fit_probability_in(x, y, settings, &mut Job::new())
            }

            /// Learns the probabilities under the circumstances of a job, whose watch sees every round of every fit, numbered
            /// pair by pair and fold by fold. Once it has ended them, what comes back is fitted to decisions of unfinished fits.
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($estimator), "::fit_probability`].")]
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
                self.check_feasible(&all, &own.weights)?;
                let sizes = class_sums(&all, &own.weights);
                let fitted = Self { kernel: own.kernel(&self.kernel, job)?, ..self.clone() };
                let fits = pairs(y.classes().len()).len().saturating_mul(settings.folds);
                Probability::learn(x, y, settings, job, |pair, job| {
                    let known = |name: &String| pair.y.classes().contains(name);
                    let own = all.classes().iter().zip(&sizes).filter(|(name, _)| known(name)).map(|(_, size)| size);
                    let mut classifier = fitted.of_pair(pair, own.sum::<f64>() / sizes.iter().sum::<f64>());
                    classifier.solver.cache_bytes /= fits.clamp(1, SIDE_BY_SIDE);
                    classifier.class_weights.retain(|(name, _)| known(name));
                    classifier.fit_in(pair.x, pair.y, job)
                })
            }
        }
    )+};
}
learn_probabilities!(
    Svc,
    /// Where a fold leaves a pair with less room for ν, the largest there is is taken.
    NuSvc
);
