//! A search that is going on: candidates are scored, all rows at once or in rungs, and written down.

use std::time::{Duration, Instant};

use mercer::data::Points;
use mercer::model::{AnyPoints, Event, Targets};
use mercer::select::{
    Candidate, Grid, Layout, Log, Metric, Outcome, Point, Ranking, Scheme, Search, Split, Task, Terms, Truth,
    cross_validate, evaluate, survivors,
};
use serde_json::json;

use super::{SearchArgs, candidate, chosen, words_of};
use crate::failure::{InFile, Result, usage};
use crate::progress::Watcher;
use crate::system;

/// Each rung of a halving keeps one candidate in so many, and has so many times the rows.
const SHARE: usize = 3;
/// Rows of the first rung, for each fold, at least.
const LEAST_ROWS: usize = 10;

/// A candidate and what came of it.
#[derive(Clone)]
pub(super) struct Tried {
    pub(super) point: Point,
    /// Rows that it was tried on.
    pub(super) rows: usize,
    pub(super) outcome: Outcome,
}

/// A search that is going on.
pub(super) struct Hunt<'a> {
    pub(super) args: &'a SearchArgs,
    pub(super) grid: &'a Grid,
    pub(super) metrics: &'a [Metric],
    pub(super) started: Instant,
    pub(super) log: Option<Log>,
    pub(super) tried: Vec<Tried>,
}

impl Hunt<'_> {
    /// Opens the log of searches of these data by these splits.
    pub(super) fn open_log(&mut self, task: &Task<'_>, splits: &[Split]) -> Result<()> {
        let Some(path) = &self.args.log else { return Ok(()) };
        // Points and splits are told by numbers made of them: FNV-1a.
        let mut sum = 0xcbf2_9ce4_8422_2325_u64;
        let mut take = |value: u64| sum = (sum ^ value).wrapping_mul(0x0100_0000_01b3);
        for i in 0..task.x.len() {
            let key = match task.x {
                AnyPoints::Vectors(x) => x.key(i).unwrap_or(0),
                other => other.key(i).unwrap_or(0),
            };
            take(key as u64);
            if let Some(truth) = task.truth {
                truth.text(i).bytes().for_each(|byte| take(u64::from(byte)));
            }
        }
        splits.iter().for_each(|split| split.out.iter().for_each(|&i| take(i as u64)));
        let names: Vec<&str> = self.metrics.iter().map(|metric| metric.name()).collect();
        let head = json!({
            "mercer_search": 1,
            "rows": task.x.len(),
            "folds": self.args.held_out.scheme.to_string(),
            "repeats": self.args.held_out.repeats,
            "seed": self.args.common.seed,
            "metrics": names,
            "scale": format!("{:?}", self.args.scale),
            "data": format!("{sum:016x}"),
        });
        self.log = Some(Log::open(path, &head)?);
        Ok(())
    }

    /// Tries candidates, in the way that was asked for.
    pub(super) fn search(&mut self, points: Vec<Point>, task: &Task<'_>, splits: &[Split]) -> Result<()> {
        let points = if self.args.halving { self.halve(points, task)? } else { points };
        self.evaluate(points, task, splits)?;
        for round in 1..=self.args.refine {
            let whole: Vec<&Tried> = self.tried.iter().filter(|tried| tried.rows == task.x.len()).collect();
            let outcomes: Vec<Option<Outcome>> =
                whole.iter().map(|tried| Some(tried.outcome.clone())).collect();
            let Some(ranking) = Ranking::new(&outcomes, self.metrics, 0) else { break };
            let mut about = self.grid.about(&whole[ranking.best].point, round);
            about.retain(|point| whole.iter().all(|tried| tried.point != *point));
            self.evaluate(about, task, splits)?;
        }
        Ok(())
    }

    /// The candidates that are left when few rows have spoken.
    fn halve(&mut self, mut points: Vec<Point>, task: &Task<'_>) -> Result<Vec<Point>> {
        let (n, seed) = (task.x.len(), self.args.common.seed);
        let mut rungs = Vec::new();
        let mut rows = n / SHARE;
        while points.len() / SHARE.pow(rungs.len() as u32) > SHARE && rows >= 5 * LEAST_ROWS {
            rungs.push(rows);
            rows /= SHARE;
        }
        for &rows in rungs.iter().rev() {
            let labels = if let Targets::Classes(labels) = task.y { Some(labels) } else { None };
            let layout = Layout { points: n, labels, ..Layout::default() };
            let share = rows as f64 / n as f64;
            let sample = Scheme::HoldOut(share).splits(&layout, 1, seed)?.swap_remove(0).out;
            let before = self.tried.len();
            self.on_part(&sample, std::mem::take(&mut points), task)?;
            let outcomes: Vec<Option<Outcome>> =
                self.tried[before..].iter().map(|tried| Some(tried.outcome.clone())).collect();
            let kept = survivors(&outcomes, self.metrics, 0, outcomes.len().div_ceil(SHARE));
            points = kept.into_iter().map(|i| self.tried[before + i].point.clone()).collect();
        }
        Ok(points)
    }

    /// Tries candidates on some of the rows.
    fn on_part(&mut self, sample: &[usize], points: Vec<Point>, task: &Task<'_>) -> Result<()> {
        let (x, y) = (task.x.select(sample), task.y.select(sample));
        let truth = self.truth_of(&y, task, sample);
        let part = Task { x: &x, y: &y, truth: truth.as_ref(), ..*task };
        let splits = self.args.held_out.splits(x.len(), &y, self.args.common.seed)?;
        self.evaluate(points, &part, &splits)
    }

    /// The truth of some of the rows, in the numbering of a task of these alone.
    fn truth_of(&self, y: &Targets<AnyPoints>, task: &Task<'_>, rows: &[usize]) -> Option<Truth> {
        match y {
            Targets::Classes(labels) => Some(Truth::from(labels)),
            Targets::Sets(sets) => Some(Truth::Sets(sets.clone())),
            _ => task.truth.map(|truth| truth.select(rows)),
        }
    }

    /// Scores candidates that are not in the log; those of all rows are written there.
    fn evaluate(&mut self, points: Vec<Point>, task: &Task<'_>, splits: &[Split]) -> Result<()> {
        let rows = task.x.len();
        let names: Vec<String> =
            points.iter().map(|point| format!("{} rows={rows}", self.words(point))).collect();
        let known: Vec<Option<Outcome>> =
            names.iter().map(|name| self.log.as_ref().and_then(|log| log.outcome(name)).cloned()).collect();
        let open: Vec<usize> = (0..points.len()).filter(|&i| known[i].is_none()).collect();
        let mut candidates = Vec::new();
        for &i in &open {
            let (kernel, estimator) = candidate(self.args, self.grid, &points[i], self.args.common.seed)?;
            candidates.push(Candidate { kernel, estimator });
        }
        let mut watcher = Watcher::new(1.0, self.args.common.quiet, None);
        let mut look = |event: Event<'_>| watcher.look(event);
        let (log, mut failed) = (&mut self.log, None);
        let mut told = |number: usize, outcome: &Outcome| {
            let written = log.as_mut().map(|log| log.write(&names[open[number]], outcome));
            if let Some(Err(error)) = written {
                failed.get_or_insert(error);
            }
        };
        let limit =
            self.args.stop_after.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
        let search = Search {
            memory: self.args.memory,
            time_limit: limit.map(|limit| limit.saturating_sub(self.started.elapsed())),
            alone: self.args.alone,
            watcher: Some(&mut look),
            told: Some(&mut told),
            ..Search::default()
        };
        let metrics = self.metrics;
        let found = system::fitting(|| evaluate(&candidates, task, splits, metrics, search));
        let found = found.in_file(&self.args.data)?;
        watcher.finish()?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        let mut found = found.into_iter();
        for (point, known) in points.into_iter().zip(known) {
            let outcome = known.or_else(|| found.next().flatten());
            self.tried.extend(outcome.map(|outcome| Tried { point, rows, outcome }));
        }
        Ok(())
    }

    /// How good the whole search is: it is done without each fold in turn, and what it takes is judged by the fold.
    pub(super) fn nested(&self, folds: usize, task: &Task<'_>) -> Result<Vec<f64>> {
        if matches!(self.args.held_out.scheme, Scheme::Grouped(_) | Scheme::Given | Scheme::Time(_)) {
            return Err(usage!("--nested: not with --folds {}", self.args.held_out.scheme));
        }
        let seed = self.args.common.seed;
        let labels = if let Targets::Classes(labels) = task.y { Some(labels) } else { None };
        let layout = Layout { points: task.x.len(), labels, ..Layout::default() };
        let mut scores = Vec::new();
        for split in Scheme::Folds(folds).splits(&layout, 1, seed ^ 1)? {
            let Self { args, grid, metrics, started, .. } = *self;
            let mut inner = Hunt { args, grid, metrics, started, log: None, tried: Vec::new() };
            inner.on_part(&split.rest, chosen(args, grid.points()), task)?;
            let outcomes: Vec<Option<Outcome>> =
                inner.tried.iter().map(|tried| Some(tried.outcome.clone())).collect();
            let Some(ranking) = Ranking::new(&outcomes, metrics, 0) else { continue };
            let taken = if args.one_se { ranking.simplest } else { ranking.best };
            let (_, estimator) = candidate(args, grid, &inner.tried[taken].point, seed)?;
            let terms = Terms { memory: args.memory, watcher: None };
            let judged = cross_validate(&estimator, task, &[split], &metrics[..1], terms)?;
            scores.extend(judged.scores(metrics[0]));
        }
        Ok(scores)
    }

    fn words(&self, point: &Point) -> String {
        words_of(self.grid, point)
    }
}
