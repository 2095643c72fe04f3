//! κ by data: correlations of pairs left out, and of pairs torn apart.
//!
//! The factors of both Gram matrices do not depend on κ and hold all points; a fit to some of the pairs is a fit to some of
//! their rows, since its functions lie in the span of their points by themselves. So each fold and each κ cost one small
//! decomposition, and no kernel value.

use super::{Cca, Choose, View, canonical, centered, check_regularizer, combined, correlation};
use crate::data::{Folds, SplitMix};
use crate::model::prelude::*;

/// The stages of a choice.
const STAGES: [(&str, f64); 2] = [("views", 1.0), ("components", 1.0)];

/// Candidates for κ, how many folds or shuffles each is tried on, and what those are drawn by.
pub(super) struct Trials<'a> {
    pub(super) candidates: &'a [f64],
    pub(super) count: usize,
    pub(super) seed: u64,
}

/// Two views as features, and the weights of the pairs.
struct Pairs {
    first: Vec<Vec<f64>>,
    second: Vec<Vec<f64>>,
    weights: Vec<f64>,
}

impl<K, L> Cca<K, L> {
    /// For each of `candidates` for κ, the sum over the components of the correlation on pairs left out, the mean over
    /// `folds` folds. The largest is the best.
    ///
    /// # Errors
    /// As [`Cca::fit`]; if there are fewer than two folds or pairs for them.
    pub fn cross_validate<X: Points, Y: Points>(
        &self,
        x: &X,
        y: &Y,
        candidates: &[f64],
        folds: usize,
        seed: u64,
    ) -> Result<Vec<f64>>
    where
        K: Kernel<X> + Clone,
        L: Kernel<Y> + Clone,
    {
        let (choose, trials) = (Choose::CrossValidation, Trials { candidates, count: folds, seed });
        self.scores(choose, &trials, x, y, &mut Job::new())
    }

    /// For each of `candidates` for κ, the distance between all ρ of the pairs and all ρ of pairs torn apart, the mean over
    /// `shuffles` ways to tear them (Hardoon et al.'s rule). The largest is the best: what a κ finds that is not there
    /// without the pairing.
    ///
    /// # Errors
    /// As [`Cca::fit`]; if nothing is to be shuffled.
    pub fn permute<X: Points, Y: Points>(
        &self,
        x: &X,
        y: &Y,
        candidates: &[f64],
        shuffles: usize,
        seed: u64,
    ) -> Result<Vec<f64>>
    where
        K: Kernel<X> + Clone,
        L: Kernel<Y> + Clone,
    {
        let (choose, trials) = (Choose::Permutation, Trials { candidates, count: shuffles, seed });
        self.scores(choose, &trials, x, y, &mut Job::new())
    }

    /// The score of each candidate under the circumstances of a job.
    pub(super) fn scores<X: Points, Y: Points>(
        &self,
        choose: Choose,
        trials: &Trials<'_>,
        x: &X,
        y: &Y,
        job: &mut Job<'_, X>,
    ) -> Result<Vec<f64>>
    where
        K: Kernel<X> + Clone,
        L: Kernel<Y> + Clone,
    {
        if choose == Choose::Permutation {
            check("shuffles", trials.count as f64, trials.count > 0, "must be at least 1")?;
        }
        trials.candidates.iter().try_for_each(|&kappa| check_regularizer(kappa))?;
        let own = self.checked(x, y, job)?;
        let y = own.others(y);
        let fitted = self.fitted(&own, &y, job)?;
        let mut stages = job.stages();
        let mut plan = Plan::new(&mut stages, &STAGES);
        let pairs = fitted.pairs(&own, &y, &mut plan)?;
        match choose {
            Choose::CrossValidation => self.on_folds(&pairs, trials, &mut plan),
            Choose::Permutation => pairs.against_chance(trials, &mut plan),
        }
    }

    fn on_folds(&self, pairs: &Pairs, trials: &Trials<'_>, plan: &mut Plan<'_>) -> Result<Vec<f64>> {
        let (points, folds) = (pairs.weights.len(), trials.count);
        let rule = "must be at least 2, with two pairs each";
        check("folds", folds as f64, folds >= 2 && 2 * folds <= points, rule)?;
        let folds = Folds::plain(points, folds, trials.seed);
        let mut scores = vec![0.0; trials.candidates.len()];
        for fold in 0..folds.count() {
            let (out, rest) = folds.split(fold);
            let (out, rest) = (pairs.select(&out), pairs.select(&rest));
            for (score, &kappa) in scores.iter_mut().zip(trials.candidates) {
                *score += self.left_out(&rest, &out, kappa, plan)? / folds.count() as f64;
            }
        }
        Ok(scores)
    }

    /// Both views as features.
    fn pairs<X: Points, Y: Points>(&self, own: &Weighted<X>, y: &Y, plan: &mut Plan<'_>) -> Result<Pairs>
    where
        K: Kernel<X> + Clone,
        L: Kernel<Y> + Clone,
    {
        let (x, limit) = (&own.points, self.limit(own.points.len()));
        let first = View::new(&self.first, x, limit, &mut plan.stage(0)).map_err(|error| own.error(error))?;
        let second =
            View::new(&self.second, y, limit, &mut plan.stage(0)).map_err(|error| own.error(error))?;
        let (first, second) = (first.features.columns, second.features.columns);
        Ok(Pairs { first, second, weights: own.weights.clone() })
    }

    /// The sum of the correlations on `out` of what was fitted to `rest`.
    fn left_out(&self, rest: &Pairs, out: &Pairs, kappa: f64, plan: &mut Plan<'_>) -> Result<f64> {
        let (x, y) = rest.centered();
        let total = rest.weights.iter().sum();
        let found = canonical((&x, &y), total, kappa, self.components, &mut plan.stage(1))?;
        let correlation = |(f, g): (&Vec<f64>, &Vec<f64>)| {
            correlation(&combined(&out.first, f), &combined(&out.second, g), &out.weights)
        };
        Ok(found.first.iter().zip(&found.second).map(correlation).sum())
    }
}

impl Pairs {
    fn against_chance(&self, trials: &Trials<'_>, plan: &mut Plan<'_>) -> Result<Vec<f64>> {
        let mut random = SplitMix(trials.seed);
        let torn: Vec<Self> = (0..trials.count).map(|_| self.torn(&mut random)).collect();
        let mut score = |&kappa: &f64| {
            let found = self.spectrum(kappa, plan)?;
            let mut sum = 0.0;
            for torn in &torn {
                let chance = torn.spectrum(kappa, plan)?;
                sum += found.iter().zip(&chance).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            }
            Ok(sum / trials.count as f64)
        };
        trials.candidates.iter().map(&mut score).collect()
    }

    fn select(&self, index: &[usize]) -> Self {
        let part = |feature: &Vec<f64>| index.iter().map(|&i| feature[i]).collect();
        Self {
            first: self.first.iter().map(part).collect(),
            second: self.second.iter().map(part).collect(),
            weights: index.iter().map(|&i| self.weights[i]).collect(),
        }
    }

    /// The pairs torn apart: the second view in another order.
    fn torn(&self, random: &mut SplitMix) -> Self {
        let mut order: Vec<usize> = (0..self.weights.len()).collect();
        random.shuffle(&mut order);
        let second = self.second.iter().map(|feature| order.iter().map(|&i| feature[i]).collect()).collect();
        Self { first: self.first.clone(), second, weights: self.weights.clone() }
    }

    fn centered(&self) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        (centered(&self.first, &self.weights), centered(&self.second, &self.weights))
    }

    /// All ρ.
    fn spectrum(&self, kappa: f64, plan: &mut Plan<'_>) -> Result<Vec<f64>> {
        let (x, y) = self.centered();
        let total = self.weights.iter().sum();
        Ok(canonical((&x, &y), total, kappa, 0, &mut plan.stage(1))?.spectrum)
    }
}
