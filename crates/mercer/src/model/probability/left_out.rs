//! Decisions of points by machines that were not fitted to them.

use std::time::Instant;

use rayon::prelude::*;

use super::{Calibration, Probability, Settings, check_folds};
use crate::data::{Folds, Labels, Points};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::model::job::{Job, of_part};
use crate::model::svm::{SvcModel, pairs};
use crate::model::weights::Weighted;
use crate::solve::Shared;

/// Points, their classes and their weights.
pub(super) struct Data<'a, X> {
    pub(super) x: &'a X,
    pub(super) y: &'a Labels,
    pub(super) weights: &'a [f64],
}

impl Probability {
    /// Learns the probabilities of a classifier that decides by pairs: `fit` fits it to points of two classes, of which the
    /// first is positive. A point of weight w counts w times in the fits and in the calibration, one of weight 0 not at
    /// all. The job's findings have `folds`: as many as the largest pair has.
    pub(super) fn learn<X, K, F>(
        x: &X,
        y: &Labels,
        settings: &Settings,
        job: &mut Job<'_, X>,
        fit: F,
    ) -> Result<Self>
    where
        X: Points,
        K: Kernel<X>,
        F: Fn(&Data<'_, X>, &mut Job<'_, X>) -> Result<SvcModel<X, K>> + Sync,
    {
        let (own, y) = Weighted::classes(x, y, job.weights)?;
        let x = &own.points;
        check_folds(settings.folds, x.len())?;
        let pair = |pair| Pair::new(&y, &own.weights, pair, settings);
        let parts: Vec<Pair> = pairs(y.classes().len()).into_iter().map(pair).collect();
        job.found.add("folds", parts.iter().map(|part| part.folds.count()).max());
        let jobs: Vec<(&Pair, usize)> =
            parts.iter().flat_map(|part| (0..part.folds.count()).map(move |fold| (part, fold))).collect();
        let (compute, mut rounds) = (job.compute, job.rounds());
        let shared = Shared::new(&mut rounds, jobs.len(), Instant::now());
        // Each fit's answer is the same on whichever thread, and they are put together in this order.
        let left_out = |(number, &(part, fold)): (usize, &(&Pair, usize))| {
            let mut watch = of_part(&shared, number);
            let fit = |data: &Data<'_, X>| {
                fit(data, &mut Job::new().weights(data.weights).watched(&mut watch).on(compute))
            };
            part.left_out(x, fold, fit).map_err(|error| own.error(error))
        };
        let decided: Vec<Vec<(usize, f64)>> =
            jobs.par_iter().enumerate().with_max_len(1).map(left_out).collect::<Result<_>>()?;
        let mut decided = decided.into_iter();
        let calibrate = |part: &Pair| {
            let mut decisions = vec![0.0; part.index.len()];
            decided
                .by_ref()
                .take(part.folds.count())
                .flatten()
                .for_each(|(i, decision)| decisions[i] = decision);
            let positive: Vec<bool> = part.labels.index().iter().map(|&class| class == 0).collect();
            Calibration::fit_weighted(settings.method, &decisions, &positive, &part.weights)
        };
        Ok(Self { pairs: parts.iter().map(calibrate).collect() })
    }
}

/// The points of two classes, dealt out to folds.
pub(super) struct Pair {
    /// Their places in the data.
    pub(super) index: Vec<usize>,
    /// Class 0 is the positive one.
    pub(super) labels: Labels,
    weights: Vec<f64>,
    pub(super) folds: Folds,
}

impl Pair {
    /// `weights` has one for each point, none of them 0.
    pub(super) fn new(y: &Labels, weights: &[f64], (a, b): (usize, usize), settings: &Settings) -> Self {
        let class = |i: usize| y.index()[i] as usize;
        let index: Vec<usize> = (0..y.len()).filter(|&i| class(i) == a || class(i) == b).collect();
        let names = vec![y.classes()[a].clone(), y.classes()[b].clone()];
        let labels = Labels::new(names, index.iter().map(|&i| u32::from(class(i) == b)).collect());
        let folds = Folds::stratified(&labels, settings.folds, settings.seed);
        let weights = index.iter().map(|&i| weights[i]).collect();
        Self { index, labels, weights, folds }
    }

    /// The points of a fold, by their place in the pair, and their decisions by a machine fitted to the others. Where
    /// the others are of one class only the decision is for it, +1 or −1, as LIBSVM has it.
    pub(super) fn left_out<X, K>(
        &self,
        x: &X,
        fold: usize,
        fit: impl FnOnce(&Data<'_, X>) -> Result<SvcModel<X, K>>,
    ) -> Result<Vec<(usize, f64)>>
    where
        X: Points,
        K: Kernel<X>,
    {
        let (out, rest) = self.folds.split(fold);
        let classes: Vec<u32> = rest.iter().map(|&i| self.labels.index()[i]).collect();
        let constant = match (classes.contains(&0), classes.contains(&1)) {
            (true, true) => {
                let in_data = |places: &[usize]| places.iter().map(|&i| self.index[i]).collect::<Vec<_>>();
                let (left, kept) = (in_data(&out), in_data(&rest));
                let y = &Labels::new(self.labels.classes().to_vec(), classes);
                let weights: Vec<f64> = rest.iter().map(|&i| self.weights[i]).collect();
                let data = Data { x: &x.select(&kept), y, weights: &weights };
                let model = fit(&data).map_err(|error| error.about(&kept))?;
                let decisions = model.expansion.map(&x.select(&left), |decisions| decisions[0]);
                let decisions = decisions.map_err(|error| error.about(&left))?;
                return Ok(out.into_iter().zip(decisions).collect());
            }
            (true, false) => 1.0,
            (false, true) => -1.0,
            (false, false) => 0.0,
        };
        Ok(out.into_iter().map(|i| (i, constant)).collect())
    }
}
