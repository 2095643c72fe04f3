//! Numbers with Gaussian noise.

use std::f64::consts::TAU;
use std::ops::RangeInclusive;

use super::ascent::{ascend, gradient};
use super::columns::Columns;
use super::design::Design;
use super::evidence::{Evidence, Step, StepKind};
use super::posterior::Stacked;
use super::span::Span;
use super::{Climb, Relevant, Steps};
use crate::simd::add_scaled;

/// The deviation of the noise that is held at the start, as a share of that of the targets.
const HELD: f64 = 0.01;

/// The deviation of the noise that is estimated from the start on, as a share of that of the targets.
const FREE: f64 = 0.1;

/// The least precision of a prior of a column of length 1, as a share of that of the targets: a weight is at most 10⁸ times as large
/// as they are.
const LEAST: f64 = 1e-16;

/// Columns added over which the noise must have fallen to [`FALL`] of what it was, for it to stay at the start's value. Of six pairs
/// tried on 67 problems (energy, Boston, yacht, kin8nm, Friedman, sinc) this one ends with the largest evidence on average: with 20
/// columns some climbs end on a plateau before the functions that explain the target together have all come in.
const WINDOW: usize = 40;

/// See [`WINDOW`].
const FALL: f64 = 0.8;

/// The largest precision of the noise, as a multiple of that of the targets.
const FINEST: f64 = 1e6;

/// Steps after which the noise is estimated anew; or the dimensions of the span over [`SHARE`], if that is more. Everything is then
/// computed anew, which costs as much as a number of steps by one column that grows with the span.
const EVERY: u64 = 5;

/// See [`EVERY`].
const SHARE: u64 = 16;

/// Steps of rank one after which everything is computed anew.
const STALE: usize = 20;

/// The ratios of determinants outside of which a step has lost too many digits: of all candidates where it is small, of the column
/// itself, whose S is then divided by it, where it is large.
const KEPT: RangeInclusive<f64> = 1e-6..=1e12;

/// The gain of a change of one α below which all are changed together.
const SMALL: f64 = 0.1;

/// Newton steps in all α and the noise with which a climb from another model begins.
const FIRST: usize = 4;

/// Newton's method ends where all derivatives of the log evidence are below this.
const FLAT: f64 = 1e-11;

/// The largest derivative of the log evidence in a log α or log β with which a climb counts as converged: a change of a tenth in it then
/// changes the evidence by less than 10⁻⁷.
const STILL: f64 = 1e-6;

/// Climbs the evidence of a target with Gaussian noise, for points with weights.
///
/// Where the noise is to be estimated there are two climbs, and the larger evidence is kept. One estimates it from the start on.
/// Functions that explain the target only together are never found by it; so the other holds the noise at a hundredth of the
/// targets' deviation, until columns come in and what is left of the target per degree of freedom falls no more.
pub(crate) fn regress(
    columns: &Columns,
    target: &[f64],
    weights: &[f64],
    climb: &Climb,
    watch: Steps<'_>,
) -> Relevant {
    let problem = Numbers::new(columns, target, weights);
    let mut from = |noise: f64, held: bool, steps: u64| {
        problem.ascent(climb, (noise, &[], &[]), held.then(Vec::new), steps).climbed(columns, watch)
    };
    if let Some(noise) = climb.noise {
        return from(noise, false, 0);
    }
    let free = from(FREE * FREE * problem.variance, false, 0);
    let held = from(HELD * HELD * problem.variance, true, free.steps);
    if held.beats(&free, climb.tolerance) { held } else { Relevant { steps: held.steps, ..free } }
}

/// Climbs the evidence from a model of other columns at the same points: those of a kernel with other parameters, say.
pub(crate) fn regress_from(
    columns: &Columns,
    target: &[f64],
    weights: &[f64],
    (climb, start): (&Climb, &Relevant),
    watch: Steps<'_>,
) -> Relevant {
    let problem = Numbers::new(columns, target, weights);
    let own = &start.posterior;
    let alpha: Vec<f64> =
        own.columns.iter().zip(&own.alpha).map(|(&c, a)| a / columns.length(c).powi(2)).collect();
    let mut ascent = problem.ascent(climb, (start.noise, &own.columns, &alpha), None, 0);
    ascend(&mut ascent.model, ascent.cap, FLAT, FIRST);
    ascent.model.statistics();
    ascent.climbed(columns, watch)
}

/// Numbers with weights and the candidate columns that explain them.
struct Numbers<'a> {
    /// The span of no column.
    empty: Span<'a>,
    /// The sum of the weights.
    total: f64,
    /// The variance of the targets.
    variance: f64,
}

impl<'a> Numbers<'a> {
    fn new(columns: &'a Columns, target: &[f64], weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let design = if weights.iter().all(|&w| w == 1.0) {
            Design::new(columns)
        } else {
            Design::scaled(columns, weights.iter().map(|w| w.sqrt()).collect())
        };
        let scaled = target.iter().zip(weights).map(|(t, w)| t * w.sqrt()).collect();
        Self { empty: Span::new(design, scaled), total, variance: spread(target, weights, total) }
    }

    /// A climb from the variance of the noise and columns with their α; `held` is where the noise is kept for a while.
    fn ascent<'c>(
        &self,
        climb: &'c Climb,
        (noise, active, alpha): (f64, &[usize], &[f64]),
        held: Option<Vec<f64>>,
        steps: u64,
    ) -> Ascent<'c>
    where
        'a: 'c,
    {
        let cap = climb.noise.is_none().then_some(FINEST / self.variance);
        let bounds = (1.0 / noise, LEAST / self.variance);
        let model = Evidence::new(self.empty.clone(), self.total, bounds, active, alpha);
        Ascent { climb, model, cap, held, steps, since: 0 }
    }
}

/// The derivatives of the log evidence in the values of each column in the model, before it was scaled: β((t − Φμ)μᵀ − ΦΣ), the row of
/// each point times its weight.
pub(crate) fn pull_of_numbers(
    columns: &Columns,
    target: &[f64],
    weights: &[f64],
    found: &Relevant,
) -> Vec<Vec<f64>> {
    let (own, m) = (&found.posterior, found.posterior.columns.len());
    let mut left = target.to_vec();
    // ΦU with Σ = UUᵀ.
    let mut spread = vec![vec![0.0; target.len()]; m];
    for (i, &column) in own.columns.iter().enumerate() {
        let (values, length) = (columns.column(column), columns.length(column));
        add_scaled(&mut left, -own.mean[i] * length, values);
        (0..m).for_each(|o| add_scaled(&mut spread[o], own.root[i * m + o] * length, values));
    }
    (0..m)
        .map(|i| {
            let mut pull: Vec<f64> = left.iter().map(|r| r * own.mean[i]).collect();
            (0..m).for_each(|o| add_scaled(&mut pull, -own.root[i * m + o], &spread[o]));
            pull.iter().zip(weights).map(|(p, w)| p * w / found.noise).collect()
        })
        .collect()
}

/// The variance of targets, or where there is none a small share of their square, so that the noise has a scale.
fn spread(y: &[f64], weights: &[f64], total: f64) -> f64 {
    let mean = y.iter().zip(weights).map(|(y, w)| w * y).sum::<f64>() / total;
    let variance = y.iter().zip(weights).map(|(y, w)| w * (y - mean).powi(2)).sum::<f64>() / total;
    if variance > 1e-24 * mean * mean {
        variance
    } else if mean == 0.0 {
        1.0
    } else {
        1e-12 * mean * mean
    }
}

struct Ascent<'a> {
    climb: &'a Climb,
    model: Evidence<'a>,
    /// The largest precision of the noise; none where it is given.
    cap: Option<f64>,
    /// While the noise is held, what it would be after each column added.
    held: Option<Vec<f64>>,
    steps: u64,
    /// Steps of rank one since everything was computed anew.
    since: usize,
}

impl Ascent<'_> {
    fn climbed(mut self, columns: &Columns, watch: Steps<'_>) -> Relevant {
        let limit = self.climb.steps;
        let mut converged = false;
        let goes_on =
            |ascent: &Self| ascent.steps < limit && ascent.model.active.len() <= ascent.climb.columns;
        while goes_on(&self) && watch(self.steps).is_continue() {
            self.steps += 1;
            let Some(step) = self.next() else {
                converged = true;
                break;
            };
            self.take(step);
        }
        self.model.refresh();
        let gradient = gradient(&self.model, self.cap);
        // The basis of the span has rounded along the climb: weights and evidence are those of the columns themselves.
        let Evidence { span, active, alpha, beta, total, .. } = &self.model;
        let times = |mut values: Vec<f64>| {
            values.iter_mut().for_each(|value| *value *= beta.sqrt());
            values
        };
        let stacked = Stacked::new(active, alpha, |column| times(span.column(column)));
        let (mean, misfit) = stacked.fit(times(span.whole_target()));
        Relevant {
            noise: 1.0 / beta,
            evidence: 0.5 * (total * (beta / TAU).ln() + stacked.log_ratio() - misfit),
            posterior: stacked.posterior(&mean, columns),
            gradient,
            steps: self.steps,
            converged: converged && gradient < STILL,
        }
    }

    /// The best step. Before a small change of one α, and at the end, all α and the noise climb together.
    fn next(&mut self) -> Option<Step> {
        let least = self.climb.tolerance;
        let gains = |step: Option<Step>| step.filter(|step| step.gain >= least);
        let step = gains(self.model.best(least, true, &[]));
        if step.is_some_and(|step| !matches!(step.kind, StepKind::Change(_)) || step.gain >= SMALL) {
            return step;
        }
        self.held = None;
        self.model.compact();
        self.since = 0;
        [4, 100].into_iter().find_map(|steps| {
            ascend(&mut self.model, self.cap, FLAT, steps);
            self.model.statistics();
            gains(self.model.best(least, false, &[]))
        })
    }

    fn take(&mut self, step: Step) {
        let ratio = self.model.take(step);
        self.since += 1;
        if let (Some(levels), StepKind::Add(_)) = (&mut self.held, step.kind) {
            let free = (self.model.total - self.model.degrees()).max(1.0);
            levels.push(self.model.residual() / (free * free));
            let [.., last] = levels[..] else { return };
            let before = levels.len().checked_sub(WINDOW + 1).map(|at| levels[at]);
            if before.is_some_and(|before| last > FALL * before) {
                self.held = None;
            }
        }
        let every = EVERY.max(self.model.span.len() as u64 / SHARE);
        let estimated = self.cap.filter(|_| self.held.is_none() && self.steps.is_multiple_of(every));
        if let Some(cap) = estimated {
            self.model.beta = (1.0 / noise(&self.model)).min(cap);
        }
        if estimated.is_some() || self.since >= STALE || !KEPT.contains(&ratio) {
            self.model.refresh();
            self.since = 0;
        }
    }
}

/// What is left of the target per degree of freedom.
fn noise(model: &Evidence<'_>) -> f64 {
    model.residual() / (model.total - model.degrees()).max(1.0)
}
