//! The noise about a regression, as LIBSVM estimates it.
//!
//! Targets are taken to be f(x) + z with z of density e^(−|z|/σ)/(2σ) (Laplace). σ is the mean of |y − f(x)| over points
//! that f was not fitted to, once those further off than five standard deviations √2 σ are put aside (Lin and Weng 2004).
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::rbf;
//! use mercer::model::Svr;
//!
//! // A line, every other point a tenth above or below it.
//! let x = Vectors::dense(1, (0..60).map(|i| f64::from(i) / 10.0).collect());
//! let y: Vec<f64> = (0..60).map(|i| f64::from(i) / 10.0 + if i % 2 == 0 { 0.1 } else { -0.1 }).collect();
//! let noise = Svr::new(rbf(0.1)).c(10.0).fit_noise(&x, &y, 5, 1)?;
//! assert!((noise.sigma - 0.1).abs() < 0.03);
//! // Nine targets of ten lie this near.
//! assert!((noise.within(0.9) / noise.sigma - 10.0f64.ln()).abs() < 1e-12);
//! # Ok::<(), mercer::Error>(())
//! ```

use std::f64::consts::SQRT_2;
use std::time::Instant;

use rayon::prelude::*;

use super::{Settings, check_folds};
use crate::data::{Folds, Points};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::model::compute::SIDE_BY_SIDE;
use crate::model::job::of_part;
use crate::model::weights::Weighted;
use crate::model::{Estimator, Job, Svr};
use crate::solve::{Shared, Smo};

/// Residuals further off than this many standard deviations are put aside.
const OUTLIER: f64 = 5.0;

/// z of density e^(−|z|/σ)/(2σ).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// σ, the mean of |z|; the standard deviation is √2 σ.
    pub sigma: f64,
}

impl Noise {
    /// σ of finite residuals y − f(x); 0 of none.
    #[must_use]
    pub fn of_residuals(residuals: &[f64]) -> Self {
        Self::of_weighted_residuals(residuals, &vec![1.0; residuals.len()])
    }

    /// The noise of errors with a weight w ≥ 0 each: the means are weighted.
    ///
    /// # Panics
    /// If there are not as many of the one as of the other.
    #[must_use]
    pub fn of_weighted_residuals(residuals: &[f64], weights: &[f64]) -> Self {
        assert_eq!(residuals.len(), weights.len(), "every residual has a weight");
        let all: Vec<(f64, f64)> = residuals.iter().map(|z| z.abs()).zip(weights.iter().copied()).collect();
        let within = OUTLIER * SQRT_2 * mean(&all, f64::INFINITY);
        Self { sigma: mean(&all, within) }
    }

    /// e^(−|z|/σ)/(2σ), for σ > 0.
    #[must_use]
    pub fn density(&self, z: f64) -> f64 {
        (-z.abs() / self.sigma).exp() / (2.0 * self.sigma)
    }

    /// The half width of the interval about f(x) that holds a target with `probability`: −σ ln(1 − probability).
    #[must_use]
    pub fn within(&self, probability: f64) -> f64 {
        -self.sigma * (-probability).ln_1p()
    }
}

/// The mean of |z| over those of pairs (|z|, weight) up to `limit`. Relative to the largest, so that no sum overflows.
fn mean(sizes: &[(f64, f64)], limit: f64) -> f64 {
    let kept = || sizes.iter().filter(|&&(size, weight)| size <= limit && weight > 0.0);
    let largest = kept().fold(0.0, |largest: f64, &(size, _)| largest.max(size));
    if largest == 0.0 {
        return 0.0;
    }
    let (sum, count) = kept()
        .fold((0.0, 0.0), |(sum, count), &(size, weight)| (sum + weight * (size / largest), count + weight));
    largest * (sum / count)
}

impl<K> Svr<K> {
    /// Estimates the noise about the fitted function from `folds` folds (LIBSVM: 5), each decided by a fit to the
    /// others; they are drawn by `seed`, and the answer depends on nothing else. Weights of points count in the fits and in
    /// the mean. The solver's time limit holds for each of these fits. A centred kernel is centred about all points in each.
    ///
    /// # Errors
    /// As [`Svr::fit`]; for fewer than two folds or points.
    pub fn fit_noise<X: Points>(&self, x: &X, y: &[f64], folds: usize, seed: u64) -> Result<Noise>
    where
        K: Kernel<X> + Clone,
    {
        let settings = Settings { folds, seed, ..Settings::default() };
        self.fit_noise_in(x, y, &settings, &mut Job::new())
    }

    /// Estimates the noise under the circumstances of a job, whose watch sees every round of every fit, numbered fold by
    /// fold. Once it has ended them, what comes back are residuals of unfinished fits. Of the settings folds and seed are
    /// looked at.
    ///
    /// # Errors
    /// As [`Svr::fit_noise`].
    pub fn fit_noise_in<X: Points>(
        &self,
        x: &X,
        y: &[f64],
        settings: &Settings,
        job: &mut Job<'_, X>,
    ) -> Result<Noise>
    where
        K: Kernel<X> + Clone,
    {
        Estimator::<X>::check(self)?;
        let (own, y) = Weighted::numbers(x, y, job.weights)?;
        check_folds(settings.folds, y.len())?;
        let folds = Folds::plain(y.len(), settings.folds, settings.seed);
        job.found.add("folds", folds.count());
        let kernel = own.kernel(&self.kernel, job)?;
        let (compute, mut rounds) = (job.compute, job.rounds());
        let shared = Shared::new(&mut rounds, folds.count(), Instant::now());
        let cache_bytes = self.solver.cache_bytes / folds.count().min(SIDE_BY_SIDE);
        let solver = Smo { cache_bytes, ..self.solver.clone() };
        let svr = Svr { kernel, solver, ..self.clone() };
        let left_out = |fold: usize| -> Result<Vec<(f64, f64)>> {
            let (out, rest) = folds.split(fold);
            let of = |values: &[f64]| rest.iter().map(|&i| values[i]).collect::<Vec<f64>>();
            let (weights, mut watch) = (of(&own.weights), of_part(&shared, fold));
            let mut job = Job::new().weights(&weights).watched(&mut watch).on(compute);
            let fitted = svr.fit_in(&own.points.select(&rest), &of(&y), &mut job);
            let values = fitted
                .map_err(|error| error.about(&rest))?
                .values(&own.points.select(&out))
                .map_err(|error| error.about(&out))?;
            Ok(out.iter().zip(values).map(|(&i, value)| (y[i] - value, own.weights[i])).collect())
        };
        let left_out = |fold: usize| left_out(fold).map_err(|error| own.error(error));
        let residuals: Vec<Vec<(f64, f64)>> =
            (0..folds.count()).into_par_iter().map(left_out).collect::<Result<_>>()?;
        let (residuals, weights): (Vec<f64>, Vec<f64>) = residuals.into_iter().flatten().unzip();
        Ok(Noise::of_weighted_residuals(&residuals, &weights))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outlier_is_put_aside() {
        // Mean 1.99; five standard deviations are 14.07.
        let mut residuals = vec![1.0; 99];
        residuals.push(-100.0);
        assert!((Noise::of_residuals(&residuals).sigma - 1.0).abs() < 1e-12);
        // Mean 1.09; five standard deviations are 7.7, and −10 is beyond, 7 is not.
        residuals[99] = -10.0;
        assert!((Noise::of_residuals(&residuals).sigma - 1.0).abs() < 1e-12);
        residuals[99] = 7.0;
        assert!((Noise::of_residuals(&residuals).sigma - 1.06).abs() < 1e-12);
    }

    #[test]
    fn residuals_of_any_size_have_a_scale() {
        assert!((Noise::of_residuals(&[1e308, -1e308, 1e308]).sigma / 1e308 - 1.0).abs() < 1e-12);
        assert_eq!(Noise::of_residuals(&[0.0, 0.0]).sigma, 0.0);
        assert_eq!(Noise::of_residuals(&[]).sigma, 0.0);
    }

    #[test]
    fn the_density_integrates_to_one_and_within_to_its_share() {
        let noise = Noise { sigma: 0.7 };
        let integral = |half: f64| -> f64 {
            let steps = 200_000;
            let width = 2.0 * half / f64::from(steps);
            (0..steps).map(|i| noise.density(-half + (f64::from(i) + 0.5) * width) * width).sum()
        };
        assert!((integral(30.0) - 1.0).abs() < 1e-6);
        assert!((integral(noise.within(0.9)) - 0.9).abs() < 1e-6);
    }
}
