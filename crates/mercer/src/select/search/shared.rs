//! Candidates of C-SVC that differ in C alone: one matrix of kernel values for all folds, classes and prices.
//!
//! All k(xᵢ, xⱼ) are computed once. Each fold is a set of points that are not fitted to, each pair of classes a part of the matrix,
//! and each C begins from the answer for the last ([`Path`]). Predictions are read from the same matrix. Memory: 4n² bytes, and
//! those of the pairs and of the points left out again.

use std::time::Instant;

use rayon::prelude::*;

use super::Outcome;
use crate::data::{Dense, Labels, Points};
use crate::error::Result;
use crate::gram;
use crate::kernel::Kernel;
use crate::model::{VoteRule, pairs, vote};
use crate::select::{Metric, Needs, Said, Split, Truth};
use crate::solve::path::{Block, Path, Side, Values};

/// The most points of two classes that share kernel values. A step reads two rows of the matrix, which lies in no cache where it is larger:
/// then programmes one by one, whose solver copies what it needs, take less time.
const MOST_POINTS: usize = 6000;

/// The most steps of a path, for each price: as many as LIBSVM's rule allows a solve of the smallest size.
const STEPS: u64 = 10_000_000;
/// Rows computed at once while the matrix is filled.
const BATCH: usize = 256;

/// Bytes of the kernel values of so many points, and of the parts of pairs of classes; three times as many with double precision.
pub(super) fn bytes(points: usize, classes: usize, double: bool) -> f64 {
    let single = (points as f64).powi(2) * 4.0 * if classes > 2 { 4.0 } else { 1.1 };
    if double { 3.0 * single } else { single }
}

/// How many such matrices fit into so many bytes; one that does not fit is not made ([`Shared::is_possible`]).
pub(super) fn at_once(memory: usize, points: usize, classes: usize, double: bool) -> usize {
    (memory as f64 / bytes(points, classes, double)).max(1.0) as usize
}

/// What the candidates have in common.
#[derive(Clone)]
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

/// The values of a kernel, and of each pair of classes.
pub(super) struct Prepared {
    whole: Values,
    pub(super) pairs: Vec<(usize, usize)>,
    /// For each pair its points and their values; empty where there is one pair, which is all points.
    parts: Vec<(Vec<usize>, Values)>,
    all: Vec<usize>,
}

impl Prepared {
    /// The points of a pair and their values.
    pub(super) fn part(&self, pair: usize) -> (&[usize], &Values) {
        self.parts.get(pair).map_or((&self.all, &self.whole), |(index, part)| (index, part))
    }

    /// The values of all points and those left out of a split; none where there is one pair, whose path has the sums itself.
    pub(super) fn left_out(&self, split: &Split) -> Option<Block> {
        (!self.parts.is_empty()).then(|| self.whole.block(&split.out))
    }

    /// Σ βⱼ k(xⱼ, xᵢ) for the points `out`, by the path of a pair.
    pub(super) fn sums(
        &self,
        path: &Path<'_>,
        pair: usize,
        block: Option<&Block>,
        out: &[usize],
    ) -> Vec<f64> {
        match (block, self.parts.get(pair)) {
            (Some(block), Some((index, _))) => {
                let all = index.iter().copied().zip(path.beta.iter().copied());
                block.sums(&all.filter(|(_, beta)| *beta != 0.0).collect::<Vec<_>>())
            }
            _ => out.iter().map(|&i| path.value(i)).collect(),
        }
    }

    /// k(x, x) of a point.
    pub(super) fn diagonal(&self, i: usize) -> f64 {
        self.whole.diagonal(i)
    }
}

impl<X: Points> Shared<'_, X> {
    /// Whether every class has points to be fitted to in every split, and the matrix fits into so many bytes.
    pub(super) fn is_possible(&self, bytes: usize, double: bool) -> bool {
        let classes = self.labels.classes().len();
        let whole = |split: &Split| {
            let mut seen = vec![false; classes];
            split.rest.iter().for_each(|&i| seen[self.labels.index()[i] as usize] = true);
            seen.iter().all(|&seen| seen)
        };
        let needed = self::bytes(self.x.len(), classes, double);
        let mut counts = vec![0; classes];
        self.labels.index().iter().for_each(|&class| counts[class as usize] += 1);
        counts.sort_unstable_by(|a: &usize, b| b.cmp(a));
        let fits = counts.iter().take(2).sum::<usize>() <= MOST_POINTS && needed <= bytes as f64;
        classes >= 2 && fits && self.splits.iter().all(whole)
    }

    /// The values of a kernel, in double precision too where that is asked for; none where they are not finite.
    pub(super) fn prepare<K: Kernel<X>>(&self, kernel: &K, double: bool) -> Result<Option<Prepared>> {
        let n = self.x.len();
        let whole = if double {
            let values = gram::square::<f64, X, K>(kernel, self.x)?;
            let diagonal: Vec<f64> = (0..n).map(|i| values[i * n + i]).collect();
            Values::double(&diagonal, values)
        } else {
            self.x.check_finite()?;
            let bound = kernel.bind(self.x)?;
            Values::new(&bound.diagonal(), |_, rows| {
                rows.par_chunks_mut(BATCH).enumerate().for_each(|(batch, rows)| {
                    let index: Vec<usize> = (batch * BATCH..).take(rows.len()).collect();
                    bound.rows(self.x, &index, rows);
                });
            })
        };
        if !whole.is_finite() {
            return Ok(None);
        }
        let pairs = pairs(self.labels.classes().len());
        let part = |&pair: &(usize, usize)| {
            let index = self.members(pair);
            let part = whole.part(&index);
            (index, part)
        };
        let parts = if pairs.len() > 1 { pairs.par_iter().map(part).collect() } else { Vec::new() };
        Ok(Some(Prepared { whole, pairs, parts, all: (0..n).collect() }))
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
        let Some(prepared) = self.prepare(kernel, false)? else { return Ok(None) };
        let pairs = prepared.pairs.len();
        let fits = self.splits.len() * pairs;
        let shared_seconds = started.elapsed().as_secs_f64() / (prices.len() * fits) as f64;
        // The values of the points left out are there for the splits alone that are being solved.
        let of_split = |split: usize| -> Option<Vec<Decided>> {
            let block = prepared.left_out(&self.splits[split]);
            let pair = |pair| self.pair(&prepared, block.as_ref(), (split, pair), prices, stop);
            (0..pairs).into_par_iter().with_max_len(1).map(pair).collect()
        };
        let decided: Option<Vec<Vec<Decided>>> =
            (0..self.splits.len()).into_par_iter().with_max_len(1).map(of_split).collect();
        let Some(decided) = decided else { return Ok(None) };
        let decided: Vec<Decided> = decided.into_iter().flatten().collect();
        let truths: Vec<Truth> = self.splits.iter().map(|split| self.truth.select(&split.out)).collect();
        (0..prices.len())
            .into_par_iter()
            .map(|at| self.outcome(&decided, &truths, at, shared_seconds))
            .collect::<Result<Vec<_>>>()
            .map(Some)
    }

    fn members(&self, (a, b): (usize, usize)) -> Vec<usize> {
        let class = |i: usize| self.labels.index()[i] as usize;
        (0..self.x.len()).filter(|&i| class(i) == a || class(i) == b).collect()
    }

    /// The path of a pair of classes in a split, before its first price.
    pub(super) fn path<'p>(&self, prepared: &'p Prepared, split: usize, pair: usize) -> Path<'p> {
        let (a, b) = prepared.pairs[pair];
        let (index, part) = prepared.part(pair);
        let mut fitted = vec![false; self.x.len()];
        self.splits[split].rest.iter().for_each(|&i| fitted[i] = true);
        let class = |i: usize| self.labels.index()[i] as usize;
        let side = |&i: &usize| match (fitted[i], class(i) == a) {
            (false, _) => Side::Out,
            (true, true) => Side::Positive,
            (true, false) => Side::Negative,
        };
        let sides: Vec<Side> = index.iter().map(side).collect();
        let factors = index.iter().map(|&i| self.factors[if class(i) == a { a } else { b }]).collect();
        Path::new(part, &sides, factors)
    }

    /// One pair of classes in one split, for all prices.
    fn pair(
        &self,
        prepared: &Prepared,
        block: Option<&Block>,
        (split, pair): (usize, usize),
        prices: &[f64],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Decided> {
        let mut path = self.path(prepared, split, pair);
        let mut decided = Decided { decisions: Vec::new(), support: Vec::new(), seconds: Vec::new() };
        let mut before = Vec::new();
        for &c in prices {
            let started = Instant::now();
            if stop() || !path.solve(c, self.tolerance, path.steps + STEPS) {
                return None;
            }
            let decisions = match decided.decisions.last() {
                Some(last) if before == path.beta => last.clone(),
                _ => {
                    let offset = path.offset();
                    let sums = prepared.sums(&path, pair, block, &self.splits[split].out);
                    sums.into_iter().map(|sum| sum - offset).collect()
                }
            };
            before.clone_from(&path.beta);
            decided.decisions.push(decisions);
            decided.support.push(path.beta.iter().filter(|&&beta| beta != 0.0).count());
            decided.seconds.push(started.elapsed().as_secs_f64());
        }
        Some(decided)
    }

    /// The class of each point by the decisions of the pairs, and scores for each class where a metric wants them.
    pub(super) fn said(&self, pairs: &[&[f64]]) -> Said {
        let classes = self.labels.classes().len();
        let points = pairs.first().map_or(0, |decisions| decisions.len());
        let wants = self.metrics.iter().any(|metric| metric.needs() == Needs::Scores);
        let (mut row, mut found, mut scores) = (vec![0.0; pairs.len()], Vec::new(), Vec::new());
        for i in 0..points {
            row.iter_mut().zip(pairs).for_each(|(decision, pair)| *decision = pair[i]);
            found.push(match self.libsvm_ties {
                true => vote(&row, classes) as u32,
                false => self.rule.class(&row, classes) as u32,
            });
            if wants {
                scores.extend(self.rule.scores(&row, classes));
            }
        }
        Said::Classes { found, scores: wants.then(|| Dense::new(classes, scores)), probabilities: None }
    }

    fn outcome(
        &self,
        decided: &[Decided],
        truths: &[Truth],
        at: usize,
        shared_seconds: f64,
    ) -> Result<Outcome> {
        let mut outcome = Outcome { scores: vec![Vec::new(); self.metrics.len()], ..Outcome::default() };
        for (truth, parts) in truths.iter().zip(decided.chunks_exact(decided.len() / truths.len())) {
            let pairs: Vec<&[f64]> = parts.iter().map(|part| part.decisions[at].as_slice()).collect();
            let said = self.said(&pairs);
            for (metric, scores) in self.metrics.iter().zip(&mut outcome.scores) {
                scores.push(metric.of(truth, &said)?);
            }
            outcome.support_points += parts.iter().map(|part| part.support[at]).sum::<usize>() as f64;
            outcome.fit_seconds += parts.iter().map(|part| part.seconds[at] + shared_seconds).sum::<f64>();
        }
        outcome.support_points /= truths.len() as f64;
        outcome.fit_seconds /= truths.len() as f64;
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_side_by_side_stay_in_the_memory_of_the_search() {
        // 1000 points: 4.4 MB of two classes, 16 MB of more.
        assert_eq!(
            [1_000_000, 9_000_000, 44_000_000].map(|memory| at_once(memory, 1000, 2, false)),
            [1, 2, 10]
        );
        assert_eq!(at_once(40_000_000, 1000, 7, false), 2);
        assert_eq!(at_once(1, 0, 2, true), usize::MAX);
    }
}
