//! Candidates of C-SVC that differ in C alone: one matrix of kernel values for all folds, classes and prices.
//!
//! All k(xᵢ, xⱼ) are computed once. Each fold is a set of points that are not fitted to, each pair of classes a part of the matrix,
//! and each C begins from the answer for the last ([`Path`]). Predictions are read from the same matrix. Memory: 4n² bytes, and
//! those of the pairs again.

use std::time::Instant;

use rayon::prelude::*;

use super::Outcome;
use crate::data::{Dense, Labels, Points};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::model::{VoteRule, pairs, vote};
use crate::select::{Metric, Needs, Said, Split, Truth};
use crate::solve::path::{Path, Side, Values};

/// The most points of two classes that share kernel values. The programmes of a path are solved without shrinking: at large C that takes longer than
/// programmes one by one where there are many points (svmguide1's 3,089 points, a grid to C = 2^13: 58 s, not 7).
const MOST_POINTS: usize = 1500;

/// The most steps of a path, for each price: as many as LIBSVM's rule allows a solve of the smallest size.
const STEPS: u64 = 10_000_000;
/// Rows computed at once while the matrix is filled.
const BATCH: usize = 256;

/// Bytes of the kernel values of so many points, and of the parts of pairs of classes.
pub(super) fn bytes(points: usize, classes: usize) -> f64 {
    (points as f64).powi(2) * 4.0 * if classes > 2 { 3.0 } else { 1.1 }
}

/// How many such matrices fit into so many bytes; one that does not fit is not made ([`Shared::is_possible`]).
pub(super) fn at_once(memory: usize, points: usize, classes: usize) -> usize {
    (memory as f64 / bytes(points, classes)).max(1.0) as usize
}

/// What the candidates have in common.
pub(super) struct Shared<'a, X> {
    pub(super) x: &'a X,
    pub(super) labels: &'a Labels,
    pub(super) truth: &'a Truth,
    pub(super) splits: &'a [Split],
    pub(super) metrics: &'a [Metric],
    /// The factor on C of each class.
    pub(super) factors: Vec<f64>,
    pub(super) rule: VoteRule,
    /// Whether of classes that have won the same number of pairs the first is taken.
    pub(super) libsvm_ties: bool,
    pub(super) tolerance: f64,
}

/// What a pair of classes decides about the points left out of a split.
struct Decided {
    /// For each price a decision for each point.
    decisions: Vec<Vec<f64>>,
    /// For each price the support points.
    support: Vec<usize>,
    seconds: Vec<f64>,
}

impl<X: Points> Shared<'_, X> {
    /// Whether every class has points to be fitted to in every split, and the matrix fits into so many bytes.
    pub(super) fn is_possible(&self, bytes: usize) -> bool {
        let classes = self.labels.classes().len();
        let whole = |split: &Split| {
            let mut seen = vec![false; classes];
            split.rest.iter().for_each(|&i| seen[self.labels.index()[i] as usize] = true);
            seen.iter().all(|&seen| seen)
        };
        let needed = self::bytes(self.x.len(), classes);
        let mut counts = vec![0; classes];
        self.labels.index().iter().for_each(|&class| counts[class as usize] += 1);
        counts.sort_unstable_by(|a: &usize, b| b.cmp(a));
        let fits = counts.iter().take(2).sum::<usize>() <= MOST_POINTS && needed <= bytes as f64;
        classes >= 2 && fits && self.splits.iter().all(whole)
    }

    /// The outcome for each price, which ascend; none where a programme could not be solved in this precision, or the caller
    /// wants to stop.
    pub(super) fn run<K: Kernel<X>>(
        &self,
        kernel: &K,
        prices: &[f64],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Vec<Outcome>>> {
        let started = Instant::now();
        self.x.check_finite()?;
        let bound = kernel.bind(self.x)?;
        let n = self.x.len();
        let values = Values::new(n, &bound.diagonal(), |rows| {
            rows.par_chunks_mut(BATCH).enumerate().for_each(|(batch, rows)| {
                let index: Vec<usize> = (batch * BATCH..).take(rows.len()).collect();
                bound.rows(self.x, &index, rows);
            });
        });
        drop(bound);
        if (0..n).any(|i| values.row(i)[..n].iter().any(|value| !value.is_finite())) {
            return Ok(None);
        }
        let pairs = pairs(self.labels.classes().len());
        let work: Vec<(usize, usize)> = (0..self.splits.len())
            .flat_map(|split| (0..pairs.len()).map(move |pair| (split, pair)))
            .collect();
        let shared_seconds = started.elapsed().as_secs_f64() / (prices.len() * work.len()) as f64;
        let decided: Vec<Option<Decided>> = if pairs.len() == 1 {
            let all: Vec<usize> = (0..n).collect();
            work.par_iter()
                .with_max_len(1)
                .map(|&(split, _)| self.pair(&values, &all, &values, (split, pairs[0]), prices, stop))
                .collect()
        } else {
            let parts: Vec<(Vec<usize>, Values)> = pairs
                .par_iter()
                .map(|&pair| {
                    let index = self.members(pair);
                    let part = values.part(&index);
                    (index, part)
                })
                .collect();
            work.par_iter()
                .with_max_len(1)
                .map(|&(split, pair)| {
                    let (index, part) = &parts[pair];
                    self.pair(part, index, &values, (split, pairs[pair]), prices, stop)
                })
                .collect()
        };
        let Some(decided) = decided.into_iter().collect::<Option<Vec<Decided>>>() else { return Ok(None) };
        (0..prices.len())
            .into_par_iter()
            .map(|at| self.outcome(&decided, pairs.len(), at, shared_seconds))
            .collect::<Result<Vec<_>>>()
            .map(Some)
    }

    fn members(&self, (a, b): (usize, usize)) -> Vec<usize> {
        let class = |i: usize| self.labels.index()[i] as usize;
        (0..self.x.len()).filter(|&i| class(i) == a || class(i) == b).collect()
    }

    /// One pair of classes in one split, for all prices. `part` are the kernel values of the points at `index`.
    fn pair(
        &self,
        part: &Values,
        index: &[usize],
        whole: &Values,
        (split, (a, b)): (usize, (usize, usize)),
        prices: &[f64],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Decided> {
        let Split { out, rest } = &self.splits[split];
        let mut fitted = vec![false; self.x.len()];
        rest.iter().for_each(|&i| fitted[i] = true);
        let class = |i: usize| self.labels.index()[i] as usize;
        let side = |&i: &usize| match (fitted[i], class(i) == a) {
            (false, _) => Side::Out,
            (true, true) => Side::Positive,
            (true, false) => Side::Negative,
        };
        let sides: Vec<Side> = index.iter().map(side).collect();
        let factors = index.iter().map(|&i| self.factors[if class(i) == a { a } else { b }]).collect();
        let own = part.len() == whole.len();
        let mut path = Path::new(part, &sides, factors);
        let mut decided = Decided { decisions: Vec::new(), support: Vec::new(), seconds: Vec::new() };
        for &c in prices {
            let (started, limit) = (Instant::now(), path.steps + STEPS);
            if stop() || !path.solve(c, self.tolerance, limit) {
                return None;
            }
            let support = path.beta.iter().filter(|&&beta| beta != 0.0).count();
            let offset = path.offset();
            let decisions = if own {
                out.iter().map(|&i| path.value(i) - offset).collect()
            } else {
                let mut sums = vec![-offset; out.len()];
                for (&j, &beta) in index.iter().zip(&path.beta).filter(|(_, beta)| **beta != 0.0) {
                    let row = whole.row(j);
                    sums.iter_mut().zip(out).for_each(|(sum, &i)| *sum += beta * f64::from(row[i]));
                }
                sums
            };
            decided.decisions.push(decisions);
            decided.support.push(support);
            decided.seconds.push(started.elapsed().as_secs_f64());
        }
        Some(decided)
    }

    fn outcome(&self, decided: &[Decided], pairs: usize, at: usize, shared_seconds: f64) -> Result<Outcome> {
        let classes = self.labels.classes().len();
        let wants = self.metrics.iter().any(|metric| metric.needs() == Needs::Scores);
        let mut outcome = Outcome { scores: vec![Vec::new(); self.metrics.len()], ..Outcome::default() };
        for (split, parts) in self.splits.iter().zip(decided.chunks_exact(pairs)) {
            let row = |i: usize| parts.iter().map(|part| part.decisions[at][i]).collect::<Vec<f64>>();
            let rows: Vec<Vec<f64>> = (0..split.out.len()).map(row).collect();
            let class = |row: &Vec<f64>| match self.libsvm_ties {
                true => vote(row, classes) as u32,
                false => self.rule.class(row, classes) as u32,
            };
            let found = rows.iter().map(class).collect();
            let scores = wants.then(|| {
                Dense::new(classes, rows.iter().flat_map(|row| self.rule.scores(row, classes)).collect())
            });
            let said = Said::Classes { found, scores, probabilities: None };
            let truth = self.truth.select(&split.out);
            for (metric, scores) in self.metrics.iter().zip(&mut outcome.scores) {
                scores.push(metric.of(&truth, &said)?);
            }
            outcome.support_points += parts.iter().map(|part| part.support[at]).sum::<usize>() as f64;
            outcome.fit_seconds += parts.iter().map(|part| part.seconds[at] + shared_seconds).sum::<f64>();
        }
        outcome.support_points /= self.splits.len() as f64;
        outcome.fit_seconds /= self.splits.len() as f64;
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_side_by_side_stay_in_the_memory_of_the_search() {
        // 1000 points: 4.4 MB of two classes, 12 MB of more.
        assert_eq!([1_000_000, 9_000_000, 44_000_000].map(|memory| at_once(memory, 1000, 2)), [1, 2, 10]);
        assert_eq!(at_once(40_000_000, 1000, 7), 3);
        assert_eq!(at_once(1, 0, 2), usize::MAX);
    }
}
