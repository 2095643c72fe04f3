//! Cross-validation: a model is fitted without some of the points, and judged by them.
//!
//! For each [`Split`] the estimator is fitted to `rest` and says what it predicts of `out`; [`Metric`]s are taken of each split, and
//! their mean, spread and interval over all. Splits run side by side; the answer does not depend on how many at a time.
//! Cost: a fit and a prediction for each split.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::rbf;
//! use mercer::model::{AnyEstimator, AnyKernel, Targets};
//! use mercer::select::{Layout, Metric, Scheme, Task, Terms, Truth, cross_validate};
//!
//! let x = Vectors::dense(1, (0..40).map(|i| f64::from(i % 8)).collect()).into();
//! let labels = Labels::first_seen((0..40).map(|i| if i % 8 < 4 { "low" } else { "high" }));
//! let layout = Layout { points: 40, labels: Some(&labels), ..Layout::default() };
//! let splits = Scheme::Folds(5).splits(&layout, 1, 0)?;
//!
//! let estimator = AnyEstimator::new("svc", AnyKernel::Vectors(rbf(0.5)))?;
//! let truth = Truth::from(&labels);
//! let y = Targets::Classes(labels);
//! let task = Task { x: &x, y: &y, truth: Some(&truth), weights: &[], scale: None };
//! let found = cross_validate(&estimator, &task, &splits, &[Metric::Accuracy], Terms::default())?;
//! assert_eq!(found.summary(Metric::Accuracy, &truth, 0)?.mean, 1.0);
//! # Ok::<(), mercer::Error>(())
//! ```

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::interval::{Fold, Interval, bootstrap, wilson};
use super::{Metric, Needs, Said, Split, Truth};
use crate::data::{Dense, Points, Scaler};
use crate::error::{Error, ErrorKind, Result, check};
use crate::model::probability::{Curve, Settings};
use crate::model::{
    AnyEstimator, AnyModel, AnyPoints, Calibrates, Event, How, Job, Prediction, TargetKind, Targets, Watcher,
};
use crate::solve::Stage;

/// Points, what a method is told of them, and what is true of them.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The points.
    pub x: &'a AnyPoints,
    /// What the method is told of them.
    pub y: &'a Targets<AnyPoints>,
    /// What predictions are compared with; none where that is not known.
    pub truth: Option<&'a Truth>,
    /// A weight for each point in the fits; empty for 1. Scores count every point left out once.
    pub weights: &'a [f64],
    /// How features are scaled, by the points of each fit alone.
    pub scale: Option<Scale>,
}

/// How features are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Each to [−1, 1] by its smallest and largest value.
    MinMax,
    /// Each to mean 0 and standard deviation 1.
    Standard,
}

impl Scale {
    /// Points to be fitted to, and others, after the scaling of the former.
    ///
    /// # Errors
    /// If the points are not vectors, or a number is not finite.
    pub fn apply(self, fitted: AnyPoints, others: AnyPoints) -> Result<[AnyPoints; 2]> {
        let (AnyPoints::Vectors(fitted), AnyPoints::Vectors(others)) = (&fitted, &others) else {
            let what = format!("scaling of {}: only vectors are scaled", fitted.space());
            return Err(ErrorKind::Unsupported { what: what.into() }.into());
        };
        let scaler = match self {
            Self::MinMax => Scaler::min_max(fitted, -1.0, 1.0)?,
            Self::Standard => Scaler::standard(fitted)?,
        };
        Ok([fitted, others].map(|points| scaler.apply(points).compact().into()))
    }
}

/// What a validation runs under.
#[derive(Default)]
pub struct Terms<'a> {
    /// The bytes that matrices of a fit may take; none for what the machine has left.
    pub memory: Option<usize>,
    /// The caller's callback, shown the share of the splits that is done; it can end the validation.
    pub watcher: Option<Watcher<'a>>,
}

/// What came of one split.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The number of the split, from 0.
    pub split: usize,
    /// The points left out.
    pub out: Vec<usize>,
    /// How many points the model was fitted to.
    pub fitted: usize,
    /// What the model said of the points left out.
    pub said: Said,
    /// The score by each metric.
    pub scores: Vec<f64>,
    /// How many support points the model has.
    pub support_points: usize,
    /// The time of the fit.
    pub fit_seconds: f64,
    /// The time of the prediction.
    pub predict_seconds: f64,
}

/// What came of all splits.
#[derive(Debug, Clone, PartialEq)]
pub struct Validation {
    /// The metrics, in the order of the scores.
    pub metrics: Vec<Metric>,
    /// The splits that were done, in order.
    pub trials: Vec<Trial>,
    /// How many splits there were to be done; more than there are trials where the caller ended the validation.
    pub asked: usize,
}

/// A metric over all splits.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The metric.
    pub metric: Metric,
    /// Its mean over the splits; not a number where it is not defined for one of them.
    pub mean: f64,
    /// Its standard deviation over the splits, n − 1 below the sum of squares; not a number for a single split.
    pub spread: f64,
    /// Its value for all predictions together.
    pub pooled: f64,
    /// An interval: of a share that of a binomial, of all predictions together; else by a bootstrap, of the mean.
    pub interval: Option<Interval>,
}

impl Summary {
    /// The standard error of the mean, spread over root of the number of splits.
    #[must_use]
    pub fn standard_error(&self, splits: usize) -> f64 {
        self.spread / (splits as f64).sqrt()
    }
}

/// Fits without the points of each split and judges by them. Where the caller ends it, the splits done so far are there.
///
/// # Errors
/// If a fit or a prediction fails, the method does not predict, a metric is none of such predictions; where the caller ends it
/// before any split is done.
pub fn cross_validate(
    estimator: &AnyEstimator,
    task: &Task<'_>,
    splits: &[Split],
    metrics: &[Metric],
    terms: Terms<'_>,
) -> Result<Validation> {
    let points = task.x.len() as f64;
    let fits = task.truth.is_none_or(|truth| truth.len() == task.x.len());
    check("targets", points, fits, "must be one per point")?;
    let (started, stopped, done) = (Instant::now(), AtomicBool::new(false), AtomicUsize::new(0));
    let (watcher, memory) = (Mutex::new(terms.watcher), terms.memory);
    let look = |finished: usize| {
        let share = finished as f64 / splits.len() as f64;
        let stage = Stage { name: "cross-validating", done: share, elapsed: started.elapsed() };
        let mut watcher = watcher.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if watcher.as_mut().is_some_and(|watcher| watcher(Event::Stage(&stage)).is_break()) {
            stopped.store(true, Ordering::Relaxed);
        }
        if stopped.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let one = |(number, split): (usize, &Split)| -> Result<Option<Trial>> {
        if look(done.load(Ordering::Relaxed)).is_break() {
            return Ok(None);
        }
        let mut watch = |_: Event<'_>| look(done.load(Ordering::Relaxed));
        let terms = Terms { memory, watcher: Some(&mut watch) };
        let trial = left_out(estimator, task, (number, split), metrics, terms);
        if stopped.load(Ordering::Relaxed) {
            return Ok(None);
        }
        done.fetch_add(1, Ordering::Relaxed);
        trial.map(Some)
    };
    let trials: Vec<Option<Trial>> =
        splits.par_iter().enumerate().with_max_len(1).map(one).collect::<Result<_>>()?;
    let trials: Vec<Trial> = trials.into_iter().flatten().collect();
    if trials.is_empty() && stopped.into_inner() {
        return Err(ErrorKind::Interrupted.into());
    }
    Ok(Validation { metrics: metrics.to_vec(), trials, asked: splits.len() })
}

/// Fits without the points of a split and judges by them.
fn left_out(
    estimator: &AnyEstimator,
    task: &Task<'_>,
    (number, split): (usize, &Split),
    metrics: &[Metric],
    terms: Terms<'_>,
) -> Result<Trial> {
    let Split { out, rest } = split;
    let of_fit = |error: Error| error.about(rest);
    let (mut x, y, mut left) = (task.x.select(rest), task.y.select(rest), task.x.select(out));
    if let Some(scale) = task.scale {
        [x, left] = scale.apply(x, left).map_err(of_fit)?;
    }
    let weights: Vec<f64> = rest.iter().filter_map(|&i| task.weights.get(i).copied()).collect();
    let mut job = Job::new().memory(terms.memory).weights(&weights);
    if let Some(watcher) = terms.watcher {
        job = job.watched(watcher);
    }
    let started = Instant::now();
    let model = estimator.fit(&x, &y, &mut job).map_err(of_fit)?;
    let probabilities = metrics.iter().any(|metric| metric.needs() == Needs::Probabilities);
    let estimate = if probabilities && model.calibrates() != Calibrates::Own {
        let settings = Settings { method: Curve::Sigmoid, ..Settings::default() };
        estimator.learn(&x, &y, &model, &settings, &mut job).map_err(of_fit)?
    } else {
        None
    };
    let fit_seconds = started.elapsed().as_secs_f64();

    let (started, how) = (Instant::now(), How::default());
    let of_out = |error: Error| error.about(out);
    let prediction = model.predict(&left, how).map_err(of_out)?;
    let scores = metrics.iter().any(|metric| metric.needs() == Needs::Scores);
    let scores = (scores && !model.classes().is_empty()).then(|| model.scores(&left, how)).transpose();
    let rows = match (probabilities, &estimate) {
        (true, Some(estimate)) => Some(estimate.predict(&model, &left, how).map_err(of_out)?.1.rows),
        (true, None) => Some(model.probabilities(&left, how).map_err(of_out)?),
        (false, _) => None,
    };
    let said = said(estimator, &model, task.truth, prediction, [scores.map_err(of_out)?, rows])?;
    let predict_seconds = started.elapsed().as_secs_f64();
    let scores = match task.truth.map(|truth| truth.select(out)) {
        Some(truth) => metrics.iter().map(|metric| metric.of(&truth, &said)).collect::<Result<_>>()?,
        None => Vec::new(),
    };
    Ok(Trial {
        split: number,
        out: out.clone(),
        fitted: rest.len(),
        said,
        scores,
        support_points: model.support_points(),
        fit_seconds,
        predict_seconds,
    })
}

/// The words of the two sides of a one-class model.
const SIDES: [&str; 2] = ["1", "-1"];

/// A prediction in the numbering of the truth; where that is not known, in the model's own.
pub(super) fn said(
    estimator: &AnyEstimator,
    model: &AnyModel,
    truth: Option<&Truth>,
    prediction: Prediction,
    [scores, probabilities]: [Option<Dense<f64>>; 2],
) -> Result<Said> {
    let names = match truth {
        Some(Truth::Classes { names, .. }) => Some(names.as_slice()),
        Some(Truth::Sets(sets)) => Some(sets.names()),
        _ => None,
    };
    Ok(match prediction {
        Prediction::Classes(found) if estimator.card().target == TargetKind::None => {
            Said::Clusters(found.into_iter().map(|cluster| cluster as u32).collect())
        }
        Prediction::Classes(found) => {
            let place = places(model.classes(), names.unwrap_or(model.classes()));
            let count = names.map_or(model.classes().len(), <[String]>::len);
            Said::Classes {
                found: found.into_iter().map(|class| place[class]).collect(),
                scores: scores.map(|rows| spread(&rows, &place, count, f64::MIN)),
                probabilities: probabilities.map(|rows| spread(&rows, &place, count, 0.0)),
            }
        }
        Prediction::Values(values) => Said::Numbers(
            (0..values.columns())
                .map(|target| (0..values.len()).map(|i| values.row(i)[target]).collect())
                .collect(),
        ),
        Prediction::Sides(sides) => {
            let words = SIDES.map(str::to_owned);
            let own = names.unwrap_or(&words);
            if !own.iter().all(|name| SIDES.contains(&name.as_str())) {
                let what = "labels other than 1 (inside) and -1 (outside) with a model of where points are";
                return Err(ErrorKind::Unsupported { what: what.into() }.into());
            }
            // A side that no point has still has a number, so that it can be wrong.
            let at = |word: &str| own.iter().position(|name| name == word).unwrap_or(own.len()) as u32;
            let count = own.len().max(2);
            let found = sides.iter().map(|&side| at(SIDES[usize::from(side <= 0.0)])).collect();
            let mut rows = vec![0.0; count * sides.len()];
            for (row, &side) in rows.chunks_mut(count).zip(&sides) {
                row[at("1") as usize] = side;
                row[at("-1") as usize] = -side;
            }
            Said::Classes { found, scores: Some(Dense::new(count, rows)), probabilities: None }
        }
        Prediction::Sets(sets) => Said::Sets(names.map_or_else(|| sets.clone(), |names| sets.over(names))),
    })
}

/// For each of `own` names its number among `names`.
fn places(own: &[String], names: &[String]) -> Vec<u32> {
    let place = |name: &String| names.iter().position(|other| other == name).unwrap_or(0) as u32;
    own.iter().map(place).collect()
}

/// Columns at their places among `count`, the others filled.
fn spread(rows: &Dense<f64>, place: &[u32], count: usize, fill: f64) -> Dense<f64> {
    let mut values = vec![fill; count * rows.len()];
    for (i, row) in values.chunks_mut(count.max(1)).enumerate() {
        rows.row(i).iter().zip(place).for_each(|(&value, &at)| row[at as usize] = value);
    }
    Dense::new(count, values)
}

/// The mean, and the standard deviation with n − 1 below the sum of squares.
#[must_use]
pub fn mean_and_spread(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, if n > 1.0 { (squares / (n - 1.0)).sqrt() } else { f64::NAN })
}

impl Validation {
    /// The scores of a metric, a number for each split; empty where it was not asked for.
    #[must_use]
    pub fn scores(&self, metric: Metric) -> Vec<f64> {
        let at = self.metrics.iter().position(|other| *other == metric);
        let score = |trial: &Trial| at.and_then(|at| trial.scores.get(at)).copied();
        self.trials.iter().filter_map(score).collect()
    }

    /// A metric over all splits; `seed` is that of the bootstrap.
    ///
    /// # Errors
    /// If it is no metric of such predictions.
    pub fn summary(&self, metric: Metric, truth: &Truth, seed: u64) -> Result<Summary> {
        let (mean, spread) = mean_and_spread(&self.scores(metric));
        let fold = |trial: &Trial| Fold {
            rows: trial.out.clone(),
            truth: truth.select(&trial.out),
            said: trial.said.clone(),
        };
        let rows: Vec<usize> = self.trials.iter().flat_map(|trial| trial.out.iter().copied()).collect();
        let all = joined(self.trials.iter().map(|trial| &trial.said));
        let pooled = match &all {
            Some(all) => metric.of(&truth.select(&rows), all)?,
            None => f64::NAN,
        };
        let share = matches!(metric, Metric::Accuracy | Metric::SubsetAccuracy);
        let mut seen = rows.clone();
        seen.sort_unstable();
        seen.dedup();
        // Points that were left out more than once are not independent.
        let interval = if metric == Metric::AdjustedRand {
            // A point drawn twice agrees with itself: a bootstrap would find clusters where there are none.
            None
        } else if share && pooled.is_finite() {
            let n = seen.len() as f64;
            Some(wilson(pooled * n, n))
        } else if mean.is_finite() {
            bootstrap(metric, &self.trials.iter().map(fold).collect::<Vec<_>>(), seed)?
        } else {
            // Splits of a point or two have no scores of their own: all points are one.
            match all {
                Some(said) => bootstrap(metric, &[Fold { truth: truth.select(&rows), said, rows }], seed)?,
                None => None,
            }
        };
        Ok(Summary { metric, mean, spread, pooled, interval })
    }
}

/// What was said in several parts, one after the other; none where the parts are of different kinds, or clusters, whose numbers
/// mean something else in each.
fn joined<'a>(mut parts: impl Iterator<Item = &'a Said>) -> Option<Said> {
    let first = parts.next()?.clone();
    if matches!(first, Said::Clusters(_)) {
        return None;
    }
    parts.try_fold(first, |all, part| all.followed_by(part))
}
