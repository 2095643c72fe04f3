//! Fits under the eyes of the user.

use std::path::Path;
use std::time::Instant;

use mercer::data::{Points, ReadOptions, Stream};
use mercer::model::file::{Recipe, Training};
use mercer::model::probability::{Estimate, Settings};
use mercer::model::{AnyEstimator, AnyModel, AnyPoints, Checkpoint, Event, Facts, Job, Targets, Warm};
use mercer::solve::{Phases, Stage, Stop};

use crate::failure::{Failure, Result, code};
use crate::output::remark;
use crate::progress::Watcher;
use crate::system;

/// What is fitted to.
pub(crate) struct Data<'a> {
    pub(crate) x: &'a AnyPoints,
    pub(crate) y: &'a Targets<AnyPoints>,
    /// A weight for each; empty for 1.
    pub(crate) weights: &'a [f64],
    /// Bytes that matrices may take; none for what the machine has left.
    pub(crate) memory: Option<usize>,
    /// Whether there is no progress bar.
    pub(crate) quiet: bool,
    /// Where the answers so far are kept.
    pub(crate) checkpoint: Option<&'a Checkpoint>,
}

/// What a fit runs under.
#[derive(Clone, Copy)]
pub(crate) struct Terms<'a> {
    pub(crate) weights: &'a [f64],
    pub(crate) memory: Option<usize>,
    pub(crate) quiet: bool,
    pub(crate) checkpoint: Option<&'a Checkpoint>,
}

impl<'a> Data<'a> {
    fn terms(&self) -> Terms<'a> {
        Terms { weights: self.weights, memory: self.memory, quiet: self.quiet, checkpoint: self.checkpoint }
    }
}

/// A model and what it took to fit it.
pub(crate) struct Fitted {
    pub(crate) model: AnyModel,
    pub(crate) seconds: f64,
    /// Where they went, summed over programmes that run side by side.
    pub(crate) phases: Phases,
    pub(crate) found: Facts,
    /// What a model file says of how its model was trained.
    pub(crate) training: Option<Training>,
    /// And of what is needed to verify it.
    pub(crate) recipe: Recipe,
}

/// Fits with a progress bar and a table of all rounds, as wanted; Ctrl-C ends with the best so far, where there is one.
pub(crate) fn fit(estimator: &AnyEstimator, data: &Data<'_>, trace: Option<&Path>) -> mercer::Result<Fitted> {
    let (model, phases, found, seconds) =
        watched(estimator, data.terms(), trace, |job| estimator.fit(data.x, data.y, job))?;
    let training = Training::of(estimator, &found, model.classes());
    let recipe = Recipe::of(estimator, &found, data.x.len(), data.weights);
    Ok(Fitted { model, seconds, phases, found, training, recipe })
}

/// Fits with a progress bar from the answers of an earlier fit to the same points, and leaves its own in their place.
pub(crate) fn fit_from(estimator: &AnyEstimator, data: &Data<'_>, warm: &mut Warm) -> mercer::Result<Fitted> {
    let (model, phases, found, seconds) = watched(estimator, data.terms(), None, |job| {
        job.warm = Some(std::mem::take(warm));
        let model = estimator.fit(data.x, data.y, job)?;
        *warm = job.warm.take().unwrap_or_default();
        Ok(model)
    })?;
    let training = Training::of(estimator, &found, model.classes());
    let recipe = Recipe::of(estimator, &found, data.x.len(), data.weights);
    Ok(Fitted { model, seconds, phases, found, training, recipe })
}

/// Fits to rows on disk with a progress bar.
pub(crate) fn fit_stream(
    estimator: &AnyEstimator,
    (x, y): (&Stream, &Targets<AnyPoints>),
    terms: Terms<'_>,
) -> mercer::Result<Fitted> {
    let (model, phases, found, seconds) =
        watched(estimator, terms, None, |job| estimator.fit_stream(x, y, job))?;
    let training = Training::of(estimator, &found, model.classes());
    let recipe = Recipe::of(estimator, &found, x.len(), terms.weights);
    Ok(Fitted { model, seconds, phases, found, training, recipe })
}

/// Makes the file of blocks of a stream, or finds it, with a progress bar; Ctrl-C leaves nothing behind.
pub(crate) fn open_stream(
    data: &Path,
    blocks: Option<&Path>,
    options: &ReadOptions,
    quiet: bool,
) -> mercer::Result<Stream> {
    let (started, mut watcher) = (Instant::now(), Watcher::new(1.0, quiet, None));
    let mut parsed = |done: f64| {
        let stage = Stage { name: "parsing the data", done, elapsed: started.elapsed() };
        watcher.look(Event::Stage(&stage))
    };
    system::fitting(|| Stream::open(data, blocks, options, &mut parsed))
}

/// Ends a program whose fit stopped for this reason: by an exit code of its own if the user wanted it to. The model itself
/// may have been ready by then.
pub(crate) fn ended(stop: Option<Stop>) -> Result<()> {
    match stop == Some(Stop::Interrupted) || system::stop_wanted() {
        true => Err(Failure::Answer(code::INTERRUPTED)),
        false => Ok(()),
    }
}

/// What a model's decisions are worth.
pub(crate) struct Learnt {
    pub(crate) estimate: Option<Estimate>,
    pub(crate) seconds: f64,
    /// Folds that were left out in turn; none where there were none.
    pub(crate) folds: Option<usize>,
}

/// Learns what the decisions of a fitted model are worth. There is nothing to be had where the user wanted to stop, or where
/// a one-class model has too few points on one side; a warning says so.
pub(crate) fn learn(
    estimator: &AnyEstimator,
    data: &Data<'_>,
    model: &AnyModel,
    settings: &Settings,
) -> mercer::Result<Learnt> {
    let (estimate, _, found, seconds) = watched(
        estimator,
        Terms { checkpoint: None, ..data.terms() },
        None,
        |job| match system::stop_wanted() {
            true => Ok(None),
            false => estimator.learn(data.x, data.y, model, settings, job),
        },
    )?;
    let folds = found.number("folds").map(|folds| folds as usize);
    if system::stop_wanted() {
        remark("mercer: warning: interrupted: the model has no probabilities");
        return Ok(Learnt { estimate: None, seconds, folds });
    }
    if estimate.is_none() {
        remark(
            "WARNING: number of positive or negative decision values <5; too few to do a probability estimation.",
        );
    }
    Ok(Learnt { estimate, seconds, folds })
}

/// Works on a job with a watch; gives what came of it, what the job gathered, and the seconds.
fn watched<T>(
    estimator: &AnyEstimator,
    terms: Terms<'_>,
    trace: Option<&Path>,
    work: impl FnOnce(&mut Job<'_, AnyPoints>) -> mercer::Result<T>,
) -> mercer::Result<(T, Phases, Facts, f64)> {
    let tolerance = estimator.get("tolerance").and_then(|tolerance| tolerance.number());
    let mut watcher = Watcher::new(tolerance.unwrap_or(1.0), terms.quiet, trace);
    let mut look = |event: Event<'_>| watcher.look(event);
    let mut job = Job::new().weights(terms.weights).memory(terms.memory).watched(&mut look);
    job.checkpoint = terms.checkpoint;
    let started = Instant::now();
    let done = system::fitting(|| work(&mut job))?;
    let seconds = started.elapsed().as_secs_f64();
    let (phases, found) = (job.phases, job.found);
    watcher.finish()?;
    Ok((done, phases, found, seconds))
}
