//! Search: which candidate is best on points left out.
//!
//! [`evaluate`] scores candidates by the same splits. Those of C-SVC that differ in C alone share one matrix of kernel values for all
//! folds, pairs of classes and prices, and each price begins from the answer for the last; all others are fitted one by one. In a race
//! ([`Search::race`]) those that are provably beaten are fitted no further, and the outcome says what is proved of each ([`Proof`]).
//! [`Ranking`] says which is best, which is simplest within one standard error of it, and whether it lies on the edge of its grid.

mod grid;
mod log;
mod race;
mod shared;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

pub use grid::{Axis, Grid, Point, Spacing, expand};
pub use log::Log;
pub use race::{Proof, Verdict};

use self::race::{Entry, Race};
use self::shared::Shared;
use super::validate::{Task, Terms, cross_validate, mean_and_spread};
use super::{Metric, Needs, Split};
use crate::data::{Points, Vectors};
use crate::error::{ErrorKind, Result};
use crate::kernel::{Definiteness, Kernel, VectorExpr};
use crate::memory::within_memory;
use crate::model::{AnyEstimator, AnyKernel, AnyPoints, Event, Targets, Value, VoteRule, Watcher};
use crate::solve::Stage;

/// Bytes that kernel values shared by candidates may take where the caller does not say.
const MEMORY: usize = 4 << 30;

/// Settings to be scored.
#[derive(Clone)]
pub struct Candidate {
    /// The kernel of the estimator.
    pub kernel: AnyKernel,
    /// The estimator.
    pub estimator: AnyEstimator,
}

/// What came of a candidate.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// For each metric the score of each split.
    pub scores: Vec<Vec<f64>>,
    /// The mean time of a fit; of values that are shared by several candidates each has its part.
    pub fit_seconds: f64,
    /// The mean number of support points; of pairs of classes the sum over the pairs.
    pub support_points: f64,
    /// Why it could not be fitted.
    pub failure: Option<String>,
    /// What a race has proved of it; none where there was none.
    pub proof: Option<Proof>,
}

impl Outcome {
    /// The mean over the splits of a metric, by its number, and the standard deviation.
    #[must_use]
    pub fn mean(&self, metric: usize) -> (f64, f64) {
        self.scores.get(metric).map_or((f64::NAN, f64::NAN), |scores| mean_and_spread(scores))
    }
}

/// What is told each outcome as it comes, with the number of its candidate.
pub type Told<'a> = dyn FnMut(usize, &Outcome) + Send + 'a;

/// What a search runs under.
#[derive(Default)]
pub struct Search<'a> {
    /// The bytes that kernel values shared by candidates may take, all together, and the matrices of each other fit; none for 4 GiB
    /// of shared values, and what the machine has left of others.
    pub memory: Option<usize>,
    /// The time after which no further candidate is begun.
    pub time_limit: Option<Duration>,
    /// Whether every candidate is fitted by itself, as by hand: for tests and comparisons.
    pub alone: bool,
    /// Whether candidates that are provably beaten are fitted no further: of those that share kernel values, by a single metric, accuracy or
    /// balanced accuracy.
    pub race: bool,
    /// Of classes that have won the same number of pairs the first is taken, as LIBSVM does: where kernel values are shared.
    pub libsvm_ties: bool,
    /// The caller's callback, shown the share of the candidates that is done; it can end the search.
    pub watcher: Option<Watcher<'a>>,
    /// Told each outcome as it comes, with the number of its candidate.
    pub told: Option<&'a mut Told<'a>>,
}

/// Scores candidates by the same splits; none for those that were not come to.
///
/// # Errors
/// If a metric is none of such predictions, or what [`Search::told`] is not the reason for: an error of the data. A candidate that
/// cannot be fitted is no error: its outcome says why.
pub fn evaluate(
    candidates: &[Candidate],
    task: &Task<'_>,
    splits: &[Split],
    metrics: &[Metric],
    search: Search<'_>,
) -> Result<Vec<Option<Outcome>>> {
    let run = Run {
        candidates,
        task,
        splits,
        metrics,
        memory: search.memory,
        libsvm_ties: search.libsvm_ties,
        time_limit: search.time_limit,
        started: Instant::now(),
        stopped: AtomicBool::new(false),
        done: AtomicUsize::new(0),
        watcher: Mutex::new(search.watcher),
        told: Mutex::new(search.told),
    };
    let mut groups =
        if search.alone { (0..candidates.len()).map(|i| vec![i]).collect() } else { run.groups() };
    let mut outcomes = vec![None; candidates.len()];
    if search.race && !search.alone {
        for (number, outcome) in run.race(&groups)? {
            run.tell(number, Some(&outcome));
            outcomes[number] = Some(outcome);
        }
        groups.iter_mut().for_each(|group| group.retain(|&number| outcomes[number].is_none()));
        groups.retain(|group| !group.is_empty());
    }
    // No more groups side by side than have room for their values, on any number of threads.
    for some in groups.chunks(run.at_once()) {
        let all: Vec<Vec<(usize, Option<Outcome>)>> = some
            .par_iter()
            .with_max_len(1)
            .map(|group| run.group(group, search.alone))
            .collect::<Result<_>>()?;
        all.into_iter().flatten().for_each(|(number, outcome)| outcomes[number] = outcome);
    }
    Ok(outcomes)
}

/// Candidates being scored.
struct Run<'a, 'w> {
    candidates: &'a [Candidate],
    task: &'a Task<'a>,
    splits: &'a [Split],
    metrics: &'a [Metric],
    memory: Option<usize>,
    libsvm_ties: bool,
    time_limit: Option<Duration>,
    started: Instant,
    stopped: AtomicBool,
    done: AtomicUsize,
    watcher: Mutex<Option<Watcher<'w>>>,
    told: Mutex<Option<&'w mut Told<'w>>>,
}

impl Run<'_, '_> {
    /// Candidates that can share kernel values stand together, by rising C; each other one alone. In order of the first of each.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (number, candidate) in self.candidates.iter().enumerate() {
            match self.key(candidate) {
                Some(key) => {
                    let place = *places.entry(key).or_insert(groups.len());
                    if place == groups.len() {
                        groups.push(Vec::new());
                    }
                    groups[place].push(number);
                }
                None => groups.push(vec![number]),
            }
        }
        let price = |&number: &usize| price(&self.candidates[number].estimator);
        for group in &mut groups {
            group.sort_by(|i, j| price(i).total_cmp(&price(j)));
        }
        groups
    }

    /// How many groups have room for their kernel values at the same time; all where none shares any.
    fn at_once(&self) -> usize {
        let Targets::Classes(labels) = self.task.y else { return usize::MAX };
        shared::at_once(self.memory.unwrap_or(MEMORY), self.task.x.len(), labels.classes().len(), false)
    }

    /// What candidates that share kernel values have in common, as text; none for one that shares none.
    fn key(&self, candidate: &Candidate) -> Option<String> {
        let (estimator, card) = (&candidate.estimator, candidate.estimator.card());
        let plain = |name: &str| estimator.get(name) == Some(Value::Flag(false));
        let has = |name: &str| estimator.get(name).is_some_and(|value| value != Value::Absent);
        let shares = card.name == "svc"
            && matches!(self.task.y, Targets::Classes(_))
            && self.task.truth.is_some()
            && self.task.weights.is_empty()
            && self.task.scale.is_none()
            && !self.metrics.iter().any(|metric| metric.needs() == Needs::Probabilities)
            && plain("squared")
            && plain("mean")
            && !plain("offset")
            && price(estimator).is_finite()
            && estimator.check().is_ok()
            && !has("time-limit")
            && !has("max-iterations")
            && candidate.kernel.reference().is_ok()
            // Where the optimum is not the only one, the answer depends on where a solver begins.
            && candidate.kernel.definiteness() == Definiteness::Psd;
        let others = card.parameters.iter().filter(|about| about.name != "c");
        let values: Vec<String> =
            others.filter_map(|about| estimator.get(about.name)).map(|value| value.to_string()).collect();
        shares.then(|| format!("{} {}", candidate.kernel, values.join(" ")))
    }

    fn group(&self, group: &[usize], alone: bool) -> Result<Vec<(usize, Option<Outcome>)>> {
        if self.is_over() {
            return Ok(group.iter().map(|&number| (number, None)).collect());
        }
        if !alone && let Some(outcomes) = self.shared(group)? {
            let both: Vec<(usize, Option<Outcome>)> =
                group.iter().copied().zip(outcomes.into_iter().map(Some)).collect();
            both.iter().for_each(|(number, outcome)| self.tell(*number, outcome.as_ref()));
            return Ok(both);
        }
        group.iter().map(|&number| Ok((number, self.one(number)?))).collect()
    }

    /// The outcomes of candidates that share kernel values; none where they cannot.
    fn shared(&self, group: &[usize]) -> Result<Option<Vec<Outcome>>> {
        let first = &self.candidates[group[0]];
        if self.key(first).is_none() {
            return Ok(None);
        }
        match (self.task.x, &first.kernel) {
            (AnyPoints::Vectors(x), AnyKernel::Vectors(kernel)) => {
                self.shared_on::<Vectors, _>(x, kernel, group)
            }
            (x, kernel) => self.shared_on(x, kernel, group),
        }
    }

    fn shared_on<X: Points, K: Kernel<X>>(
        &self,
        x: &X,
        kernel: &K,
        group: &[usize],
    ) -> Result<Option<Vec<Outcome>>> {
        let Some(shared) = self.common(x, group[0], false) else { return Ok(None) };
        let prices: Vec<f64> = group.iter().map(|&i| price(&self.candidates[i].estimator)).collect();
        // An error of the data is told by the fit itself, with its place.
        let run = || shared.run(kernel, &prices, &|| self.look().is_break());
        Ok(within_memory(run).unwrap_or(None))
    }

    /// What candidates like this one have in common; none where they cannot share kernel values.
    fn common<'x, X: Points>(&'x self, x: &'x X, number: usize, double: bool) -> Option<Shared<'x, X>> {
        let estimator = &self.candidates[number].estimator;
        let (Targets::Classes(labels), Some(truth)) = (self.task.y, self.task.truth) else { return None };
        let mut factors = vec![1.0; labels.classes().len()];
        if let Some(Value::Weights(weights)) = estimator.get("weight") {
            for (class, weight) in weights {
                factors[labels.classes().iter().position(|name| *name == class)?] *= weight;
            }
        }
        let rule = match estimator.get("multiclass") {
            Some(Value::Word(word)) if word == "ovo-sum" => VoteRule::Sum,
            _ => VoteRule::Votes,
        };
        let tolerance = estimator.get("tolerance").and_then(|value| value.number()).unwrap_or(1e-3);
        let (splits, metrics) = (self.splits, self.metrics);
        let libsvm_ties = self.libsvm_ties && rule == VoteRule::Votes;
        let shared = Shared { x, labels, truth, splits, metrics, factors, rule, libsvm_ties, tolerance };
        shared.is_possible(self.memory.unwrap_or(MEMORY), double).then_some(shared)
    }

    /// The outcomes of a race of all candidates that can take part.
    fn race(&self, groups: &[Vec<usize>]) -> Result<BTreeMap<usize, Outcome>> {
        fn vectors(kernel: &AnyKernel) -> Option<&VectorExpr> {
            if let AnyKernel::Vectors(kernel) = kernel { Some(kernel) } else { None }
        }
        fn any(kernel: &AnyKernel) -> Option<&AnyKernel> {
            Some(kernel)
        }
        match self.task.x {
            AnyPoints::Vectors(x) => self.race_on(x, groups, vectors),
            x => self.race_on(x, groups, any),
        }
    }

    fn race_on<X: Points, K: Kernel<X>>(
        &self,
        x: &X,
        groups: &[Vec<usize>],
        own: fn(&AnyKernel) -> Option<&K>,
    ) -> Result<BTreeMap<usize, Outcome>> {
        if self.metrics.len() != 1 || !self.metrics[0].is_raced_by() {
            return Ok(BTreeMap::new());
        }
        let mut entries = Vec::new();
        for group in groups.iter().filter(|group| self.key(&self.candidates[group[0]]).is_some()) {
            let common = self.common(x, group[0], true);
            // A sum of decisions is not settled by their signs.
            let Some(shared) = common.filter(|s| s.rule == VoteRule::Votes || s.labels.classes().len() == 2)
            else {
                continue;
            };
            let Some(kernel) = own(&self.candidates[group[0]].kernel) else { continue };
            let candidates = group.iter().map(|&i| (i, price(&self.candidates[i].estimator))).collect();
            entries.push((shared, candidates, kernel));
        }
        let entries = entries.into_iter().map(|(shared, candidates, kernel)| Entry {
            prepare: Box::new({
                let shared = shared.clone();
                move || Ok(within_memory(|| shared.prepare(kernel, true)).unwrap_or(None))
            }),
            shared,
            candidates,
        });
        let at_once = match self.task.y {
            Targets::Classes(labels) => {
                shared::at_once(self.memory.unwrap_or(MEMORY), x.len(), labels.classes().len(), true)
            }
            _ => 1,
        };
        Race { entries: entries.collect(), at_once, stop: &|| self.is_over() }.run()
    }

    /// The outcome of a candidate that is fitted by itself; none where the caller wants to stop.
    fn one(&self, number: usize) -> Result<Option<Outcome>> {
        if self.is_over() {
            return Ok(None);
        }
        let mut watch = |_: Event<'_>| self.look();
        let terms = Terms { memory: self.memory, watcher: Some(&mut watch) };
        let estimator = &self.candidates[number].estimator;
        let found = estimator
            .check()
            .and_then(|()| cross_validate(estimator, self.task, self.splits, self.metrics, terms));
        let outcome = match found {
            Ok(found) if found.trials.len() < self.splits.len() => return Ok(None),
            Ok(found) => {
                let n = found.trials.len() as f64;
                Outcome {
                    scores: self.metrics.iter().map(|&metric| found.scores(metric)).collect(),
                    fit_seconds: found.trials.iter().map(|trial| trial.fit_seconds).sum::<f64>() / n,
                    support_points: found.trials.iter().map(|trial| trial.support_points as f64).sum::<f64>()
                        / n,
                    ..Outcome::default()
                }
            }
            Err(error) => match error.kind() {
                ErrorKind::Interrupted => return Ok(None),
                _ => {
                    let scores = vec![vec![f64::NAN; self.splits.len()]; self.metrics.len()];
                    Outcome { scores, failure: Some(error.to_string()), ..Outcome::default() }
                }
            },
        };
        self.tell(number, Some(&outcome));
        Ok(Some(outcome))
    }

    fn tell(&self, number: usize, outcome: Option<&Outcome>) {
        self.done.fetch_add(1, Ordering::Relaxed);
        let mut told = self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let (Some(told), Some(outcome)) = (told.as_mut(), outcome) {
            told(number, outcome);
        }
        drop(told);
        let _ = self.look();
    }

    /// Shows how far the search has come; breaks where the caller wants to stop.
    fn look(&self) -> ControlFlow<()> {
        let share = self.done.load(Ordering::Relaxed) as f64 / self.candidates.len() as f64;
        let stage = Stage { name: "searching", done: share, elapsed: self.started.elapsed() };
        let mut watcher = self.watcher.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if watcher.as_mut().is_some_and(|watcher| watcher(Event::Stage(&stage)).is_break()) {
            self.stopped.store(true, Ordering::Relaxed);
        }
        if self.stopped.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn is_over(&self) -> bool {
        self.time_limit.is_some_and(|limit| self.started.elapsed() >= limit) || self.look().is_break()
    }
}

/// C of an estimator; not a number where it has none.
fn price(estimator: &AnyEstimator) -> f64 {
    estimator.get("c").and_then(|value| value.number()).unwrap_or(f64::NAN)
}

/// Which candidates are how good by one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The number of the best candidate: of equal means the first.
    pub best: usize,
    /// The first candidate whose mean is within one standard error of the best mean: where ranges are written from simple to
    /// complex, the simplest.
    pub simplest: usize,
    /// The standard error of the best mean.
    pub standard_error: f64,
    /// For each candidate its rank from 1, equal ones with the same; none for those without a mean.
    pub ranks: Vec<Option<usize>>,
}

impl Ranking {
    /// The ranking by metric number `metric` of those candidates that have a mean; none where no candidate has one.
    #[must_use]
    pub fn new(outcomes: &[Option<Outcome>], metrics: &[Metric], metric: usize) -> Option<Self> {
        let of = |outcome: &Option<Outcome>| {
            let (mean, spread) = outcome.as_ref()?.mean(metric);
            mean.is_finite().then(|| (metrics[metric].merit(mean), spread))
        };
        let merits: Vec<Option<(f64, f64)>> = outcomes.iter().map(of).collect();
        let merit = |i: usize| merits[i].map(|(merit, _)| merit);
        let best = (0..merits.len())
            .filter(|&i| merits[i].is_some())
            .reduce(|best, i| if merit(i) > merit(best) { i } else { best })?;
        let (most, spread) = merits[best]?;
        let splits = outcomes[best].as_ref()?.scores[metric].len() as f64;
        let standard_error = if spread.is_finite() { spread / splits.sqrt() } else { 0.0 };
        let near =
            |merit: &Option<(f64, f64)>| merit.is_some_and(|(merit, _)| merit >= most - standard_error);
        let simplest = merits.iter().position(near).unwrap_or(best);
        let above = |own: f64| merits.iter().flatten().filter(|(merit, _)| *merit > own).count();
        let ranks = merits.iter().map(|merit| merit.map(|(own, _)| above(own) + 1)).collect();
        Some(Self { best, simplest, standard_error, ranks })
    }
}

/// The first `count` of some candidates' numbers, best first, by metric number `metric`: those that go on to more points.
#[must_use]
pub fn survivors(
    outcomes: &[Option<Outcome>],
    metrics: &[Metric],
    metric: usize,
    count: usize,
) -> Vec<usize> {
    let merit = |i: &usize| {
        let mean = outcomes[*i].as_ref().map_or(f64::NAN, |outcome| outcome.mean(metric).0);
        if mean.is_finite() { metrics[metric].merit(mean) } else { f64::NEG_INFINITY }
    };
    let mut order: Vec<usize> = (0..outcomes.len()).filter(|&i| outcomes[i].is_some()).collect();
    order.sort_by(|i, j| merit(j).total_cmp(&merit(i)));
    order.truncate(count);
    order.sort_unstable();
    order
}
