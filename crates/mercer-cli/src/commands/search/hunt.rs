//! A search that is going on: candidates are scored, all rows at once or in rungs, and written down.

use std::time::Instant;

use mercer::data::Points;
use mercer::model::{AnyPoints, Event, Targets};
use mercer::select::{
    Candidate, Grid, Layout, Log, Metric, Outcome, Point, Ranking, Scheme, Search, Split, Task, Terms, Truth,
    cross_validate, evaluate, survivors,
};
use serde_json::{Map, Value, json};

use super::super::held_out::Division;
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
    pub(super) division: Division,
    pub(super) started: Instant,
    pub(super) log: Option<Log>,
    pub(super) tried: Vec<Tried>,
}

impl Hunt<'_> {
    /// Opens the log of searches that differ from this one in their candidates alone. `first` is one of these.
    pub(super) fn open_log(&mut self, first: &Point, task: &Task<'_>, splits: &[Split]) -> Result<()> {
        let Some(path) = &self.args.log else { return Ok(()) };
        let seed = self.args.common.seed;
        let (_, estimator) = candidate(self.args, self.grid, first, seed)?;
        let card = estimator.card();
        // Kernel and ranges stand in the text of each candidate; all other settings are the same for all.
        let ranged = self.grid.settings(first);
        let settings: Map<String, Value> = card
            .parameters
            .iter()
            .filter(|about| ranged.iter().all(|(name, _)| *name != about.name))
            .filter_map(|about| Some((about.name.to_owned(), json!(estimator.get(about.name)?.to_string()))))
            .collect();
        let (mut data, mut folds) = (Sum::default(), Sum::default());
        for i in 0..task.x.len() {
            let key = match task.x {
                AnyPoints::Vectors(x) => x.key(i),
                other => other.key(i),
            };
            data.take(&key.unwrap_or(0).to_le_bytes());
            if let Some(truth) = task.truth {
                data.take(truth.text(i).as_bytes());
            }
        }
        for split in splits {
            folds.take(&split.out.iter().flat_map(|i| (*i as u64).to_le_bytes()).collect::<Vec<u8>>());
            folds.take(&split.rest.len().to_le_bytes());
        }
        let names: Vec<&str> = self.metrics.iter().map(|metric| metric.name()).collect();
        let head = json!({
            "mercer_search": 2,
            "method": card.name,
            "settings": settings,
            "alone": self.args.alone,
            "rows": task.x.len(),
            "folds": self.args.held_out.scheme.to_string(),
            "repeats": self.args.held_out.repeats,
            "rows_left_out": folds.text(),
            "seed": seed,
            "metrics": names,
            "scale": format!("{:?}", self.args.scale),
            "data": data.text(),
        });
        self.log = Some(Log::open(path, &head)?);
        Ok(())
    }

    /// Tries candidates, in the way that was asked for.
    pub(super) fn search(&mut self, points: Vec<Point>, task: &Task<'_>, splits: &[Split]) -> Result<()> {
        let points = if self.args.halving { self.halve(points, task)? } else { points };
        self.evaluate(points, task, splits)?;
        for round in 1..=self.args.refine {
            let whole = self.whole(task.x.len());
            let Some(ranking) = ranking(&whole, self.metrics) else { break };
            let mut about = self.grid.about(&whole[ranking.best].point, round);
            about.retain(|point| whole.iter().all(|tried| tried.point != *point));
            let before = self.tried.len();
            self.evaluate(about, task, splits)?;
            // Steps end below the last digit of a number, and time may be up.
            if self.tried.len() == before {
                break;
            }
        }
        Ok(())
    }

    /// What was tried on so many rows: all that there are.
    pub(super) fn whole(&self, rows: usize) -> Vec<&Tried> {
        self.tried.iter().filter(|tried| tried.rows == rows).collect()
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
            let part = Part::new(task, &self.division, &sample);
            // So few rows may be of fewer groups than there are folds: then they say nothing.
            let Ok(splits) = part.division.splits(sample.len(), &part.y, seed) else { continue };
            let before = self.tried.len();
            self.evaluate(std::mem::take(&mut points), &part.task(task), &splits)?;
            let outcomes: Vec<Option<Outcome>> =
                self.tried[before..].iter().map(|tried| Some(tried.outcome.clone())).collect();
            let kept = survivors(&outcomes, self.metrics, 0, outcomes.len().div_ceil(SHARE));
            points = kept.into_iter().map(|i| self.tried[before + i].point.clone()).collect();
        }
        Ok(points)
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
        let search = Search {
            memory: self.args.memory,
            time_limit: self.args.stop_after.map(|limit| limit.saturating_sub(self.started.elapsed())),
            alone: self.args.alone,
            race: self.args.race,
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
            let part = Part::new(task, &self.division, &split.rest);
            let rows = split.rest.len();
            let splits = part.division.splits(rows, &part.y, seed)?;
            let Self { args, grid, metrics, started, .. } = *self;
            let division = part.division.clone();
            let mut inner = Hunt { args, grid, metrics, division, started, log: None, tried: Vec::new() };
            inner.search(chosen(args, grid.points()), &part.task(task), &splits)?;
            let whole = inner.whole(rows);
            let Some(ranking) = ranking(&whole, metrics) else { continue };
            let taken = if args.one_se { ranking.simplest } else { ranking.best };
            let (_, estimator) = candidate(args, grid, &whole[taken].point, seed)?;
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

/// The ranking of what was tried by the first metric.
pub(super) fn ranking(tried: &[&Tried], metrics: &[Metric]) -> Option<Ranking> {
    let outcomes: Vec<Option<Outcome>> = tried.iter().map(|tried| Some(tried.outcome.clone())).collect();
    Ranking::new(&outcomes, metrics, 0)
}

/// Some of the rows, with targets and a truth in the numbering of these alone.
struct Part {
    x: AnyPoints,
    y: Targets<AnyPoints>,
    truth: Option<Truth>,
    division: Division,
}

impl Part {
    fn new(task: &Task<'_>, division: &Division, rows: &[usize]) -> Self {
        let y = task.y.select(rows);
        let truth = match &y {
            Targets::Classes(labels) => Some(Truth::from(labels)),
            Targets::Sets(sets) => Some(Truth::Sets(sets.clone())),
            _ => task.truth.map(|truth| truth.select(rows)),
        };
        Self { x: task.x.select(rows), y, truth, division: division.select(rows) }
    }

    /// The task of these rows, which are a part of `whole`.
    fn task<'p>(&'p self, whole: &Task<'p>) -> Task<'p> {
        Task { x: &self.x, y: &self.y, truth: self.truth.as_ref(), ..*whole }
    }
}

/// A number made of lists of bytes, by which a log knows its data again: FNV-1a.
struct Sum(u64);

impl Default for Sum {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Sum {
    fn take(&mut self, bytes: &[u8]) {
        // The length ends each list, so that "1" and "11" are not "11" and "1".
        for byte in bytes.iter().copied().chain((bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}
