//! Classes: a climb of Laplace's approximation of the evidence that never falls.
//!
//! At the mode of the weights the likelihood is a Gaussian in f with precisions B and targets f + B⁻¹(t − p): a regression with known
//! noise, whose evidence proposes steps by one column. A step is taken if the evidence at its own mode rises. Between steps all log α
//! climb together along the derivatives of that evidence, which know that the mode moves.

use super::ascent::{Curvature, TRIALS, largest, moved};
use super::bend::Bend;
use super::evidence::{Step, StepKind};
use super::likelihood::{Classes, Mode, PRECISIONS};
use super::regression::regress;
use super::{Climb, Relevant, Steps};
use crate::simd::inner_product;

/// Derivatives of the log evidence are zero at this.
const STILL: f64 = 1e-8;

/// What rounding may take from the log evidence, as a share of it.
const ROUNDING: f64 = 1e-11;

/// The largest derivative below which rounding decides whether the evidence rises.
const NEAR: f64 = 1e-2;

/// Steps of all α after each column.
const BETWEEN: u64 = 2;

/// Steps of all α at the end.
const LAST: u64 = 200;

/// Steps of all α after which it is asked what they have gained.
const PATIENCE: u64 = 20;

/// A gain in [`PATIENCE`] steps below this share of the least for a column is none: where columns of tiny α nearly cancel, the
/// evidence is so bent that it would rise for ever.
const SLIGHT: f64 = 1e-3;

/// The start from a regression is left out where it has more columns than this multiple of those of the other end, and this number
/// more for each function: kernels are then so narrow that columns explain by themselves what they can, and the climb is long.
const MANY: (usize, usize) = (2, 20);

/// Columns beyond twice the number allowed at the end, at which the regression ends; or a third of the points, if that is fewer.
const PASSING: usize = 50;

/// Steps of that regression at most.
const START: u64 = 10_000;

/// Powers of ten of the α of a column that comes in, beyond the one that the Gaussian likelihood thinks best.
const SHORTER: i32 = 4;

/// Columns in turn that may fail to raise the evidence before the climb ends.
const REFUSALS: usize = 10;

/// Climbs the evidence of classes from no column, and from the columns of a regression to ±1, and keeps the larger.
///
/// Columns that explain the classes only together are found by the second start alone.
pub(crate) fn classify(problem: &Classes<'_>, climb: &Climb, watch: Steps<'_>) -> Relevant {
    let mut found: Option<Relevant> = None;
    for together in [false, true] {
        let steps = found.as_ref().map_or(0, |found| found.steps);
        if together && steps >= climb.steps {
            break;
        }
        let own = found.as_ref().map_or(0, |found| found.posterior.columns.len());
        let most = MANY.0 * own + MANY.1 * problem.members.len();
        let (active, alpha) =
            if together { regressed(problem, climb, most, watch) } else { Default::default() };
        // Where no column explains anything by itself there is no other end.
        if together && (active.is_empty() || own > 0 && active.len() > most) {
            break;
        }
        let Some(start) = problem.mode(&active, &alpha, &vec![0.0; active.len()]) else { continue };
        let new = Ascent { problem, climb, mode: start, steps, converged: false }.climbed(watch);
        found = Some(match found {
            Some(old) if !new.beats(&old, climb.tolerance) => Relevant { steps: new.steps, ..old },
            _ => new,
        });
    }
    found.expect("a model without columns has a mode")
}

/// Climbs the evidence from a model of other columns at the same points: those of a kernel with other parameters, say. Where that has no
/// mode, from no column.
pub(crate) fn classify_from(
    problem: &Classes<'_>,
    (climb, start): (&Climb, &Relevant),
    watch: Steps<'_>,
) -> Relevant {
    let own = &start.posterior;
    let lengths = own.columns.iter().map(|&c| problem.columns.length(c % problem.columns.len()));
    let lengths: Vec<f64> = lengths.collect();
    let alpha = own.alpha.iter().zip(&lengths);
    let alpha: Vec<f64> = alpha.map(|(a, l)| (a / (l * l)).clamp(PRECISIONS.0, PRECISIONS.1)).collect();
    let weights: Vec<f64> = own.mean.iter().zip(&lengths).map(|(w, l)| w * l).collect();
    match problem.mode(&own.columns, &alpha, &weights) {
        Some(mode) => Ascent { problem, climb, mode, steps: 0, converged: false }.climbed(watch),
        None => classify(problem, climb, watch),
    }
}

/// The candidates of a regression of each function to 1 in its class and −1 elsewhere, with their α; a regression ends where it has many
/// more than `most`.
fn regressed(problem: &Classes<'_>, climb: &Climb, most: usize, watch: Steps<'_>) -> (Vec<usize>, Vec<f64>) {
    // Columns come in before others leave.
    let columns = (2 * most + PASSING).min(problem.weights.len() / 3);
    let climb = Climb { columns, steps: START, ..climb.clone() };
    let (mut active, mut alpha) = (Vec::new(), Vec::new());
    for (function, members) in problem.members.iter().enumerate() {
        let target: Vec<f64> = members.iter().map(|t| 2.0 * t - 1.0).collect();
        let found = regress(problem.columns, &target, problem.weights, &climb, watch);
        for (&column, own) in found.posterior.columns.iter().zip(&found.posterior.alpha) {
            active.push(function * problem.columns.len() + column);
            // The odds of a class that is sure are e² and more: the function is twice as large as the regression's.
            let scaled = own / (4.0 * problem.columns.length(column).powi(2));
            alpha.push(scaled.clamp(PRECISIONS.0, PRECISIONS.1));
        }
    }
    (active, alpha)
}

/// How the evidence is inclined in the log α.
#[derive(Clone, Copy, PartialEq)]
enum Slope {
    /// No derivative is left, or what it still rises by is not worth a step.
    Flat,
    /// It still rises.
    Rises,
    /// It should rise, but does not: rounding.
    Lost,
}

struct Ascent<'a> {
    problem: &'a Classes<'a>,
    climb: &'a Climb,
    mode: Mode,
    steps: u64,
    converged: bool,
}

impl Ascent<'_> {
    fn climbed(mut self, watch: Steps<'_>) -> Relevant {
        let limit = self.climb.steps;
        while self.steps < limit && watch(self.steps).is_continue() {
            self.steps += 1;
            if self.step() {
                self.together(BETWEEN, watch);
                continue;
            }
            // At the end all α climb until it is flat, and columns may come and go again.
            let (slope, taken) = self.together(LAST.min(limit - self.steps), watch);
            self.steps += taken;
            if slope != Slope::Rises && !self.step() {
                self.converged = slope == Slope::Flat;
                break;
            }
        }
        Relevant {
            posterior: self.problem.posterior(&self.mode),
            noise: 0.0,
            evidence: self.mode.evidence,
            gradient: self.largest(&self.mode),
            steps: self.steps,
            converged: self.converged,
        }
    }

    /// The largest derivative of the log evidence at a mode.
    fn largest(&self, mode: &Mode) -> f64 {
        largest(&free(&self.problem.gradient(mode), &mode.alpha))
    }

    /// Takes the step by one column that the Gaussian likelihood thinks best, of those that raise the evidence; false if there is
    /// none. A column may leave if that costs less than half of what one must gain to come in: so the climb cannot go round.
    fn step(&mut self) -> bool {
        let least = self.climb.tolerance;
        let model = self.problem.gaussian(&self.mode);
        let mut refused = Vec::new();
        while refused.len() < REFUSALS {
            let step = model.best(least, false, &refused).filter(|step| step.gain >= least);
            let Some(step) = step else { return false };
            let needed =
                self.mode.evidence + if step.kind == StepKind::Delete { -0.5 * least } else { least };
            let rises = |step: &Step| self.after(*step).filter(|mode| mode.evidence >= needed);
            match shorter(step).find_map(|step| rises(&step)) {
                Some(mode) => {
                    self.mode = mode;
                    return true;
                }
                None => refused.push(step.column),
            }
        }
        false
    }

    /// The mode after a step.
    fn after(&self, step: Step) -> Option<Mode> {
        let Mode { mut active, mut alpha, mut weights, .. } = self.mode.clone();
        let at = active.iter().position(|&column| column == step.column);
        match (step.kind, at) {
            (StepKind::Delete, Some(at)) => {
                active.remove(at);
                alpha.remove(at);
                weights.remove(at);
            }
            (StepKind::Change(value) | StepKind::Add(value), Some(at)) => alpha[at] = value,
            (StepKind::Add(value), None) => {
                active.push(step.column);
                alpha.push(value.clamp(PRECISIONS.0, PRECISIONS.1));
                weights.push(0.0);
            }
            (StepKind::Change(_) | StepKind::Delete, None) => return None,
        }
        self.problem.mode(&active, &alpha, &weights)
    }

    /// Climbs in all log α at once by at most so many steps, or until it is flat: quasi-Newton steps (BFGS) that begin with the
    /// curvature which the evidence has where the mode does not move. Returns how it is inclined then, and the steps taken.
    fn together(&mut self, steps: u64, watch: Steps<'_>) -> (Slope, u64) {
        let mut gradient = self.problem.gradient(&self.mode);
        let mut bend: Option<Bend> = None;
        let mut before = f64::NEG_INFINITY;
        for taken in 0..steps {
            let (alpha, from) = (self.mode.alpha.clone(), self.mode.evidence);
            let free = free(&gradient, &alpha);
            let largest = largest(&free);
            if largest < STILL {
                return (Slope::Flat, taken);
            }
            if taken % PATIENCE == 0 {
                if from - before < SLIGHT * self.climb.tolerance {
                    return (Slope::Flat, taken);
                }
                before = from;
            }
            if watch(self.steps + taken).is_break() {
                return (Slope::Rises, taken);
            }
            let fresh = bend.is_none();
            let own = match bend.take() {
                Some(bend) => bend,
                None => Bend::new(&self.curvature().second(&free)),
            };
            let mut way = own.way(&free);
            way.iter_mut().zip(&free).filter(|(_, g)| **g == 0.0).for_each(|(way, _)| *way = 0.0);
            // Near the maximum rounding decides whether the evidence rises: there the derivatives must fall.
            let rounding = if largest < NEAR { ROUNDING * (1.0 + from.abs()) } else { 0.0 };
            let new = (0..TRIALS as i32).find_map(|halvings| {
                let share = 0.5_f64.powi(halvings);
                let step: Vec<f64> = way.iter().map(|w| share * w).collect();
                let moved: Vec<f64> = moved(&alpha, &step, PRECISIONS).collect();
                let rise = 1e-4 * inner_product(&free, &step);
                let new = self.problem.mode(&self.mode.active, &moved, &self.mode.weights)?;
                let falls = || self.largest(&new) < largest;
                (new.evidence >= from + rise || new.evidence >= from - rounding && falls()).then_some(new)
            });
            let Some(new) = new else {
                if fresh {
                    return (Slope::Lost, taken);
                }
                continue;
            };
            self.mode = new;
            let next = self.problem.gradient(&self.mode);
            let step: Vec<f64> =
                self.mode.alpha.iter().zip(&alpha).map(|(new, old)| (new / old).ln()).collect();
            let fall: Vec<f64> = gradient.iter().zip(&next).map(|(old, new)| old - new).collect();
            bend = own.after(&step, &fall);
            gradient = next;
        }
        (Slope::Rises, steps)
    }

    fn curvature(&self) -> Curvature {
        let (m, own) = (self.mode.alpha.len(), &self.mode.root);
        let roots: Vec<f64> = self.mode.alpha.iter().map(|a| a.sqrt()).collect();
        let scaled = |at: usize| inner_product(&own[at / m], &own[at % m]) * roots[at / m] * roots[at % m];
        Curvature {
            shares: (0..m * m).map(scaled).collect(),
            weights: self.mode.weights.iter().zip(&roots).map(|(w, root)| w * root).collect(),
        }
    }
}

/// A step, and those by which the weight of a column that comes in is shorter: far away the likelihood is no Gaussian.
fn shorter(step: Step) -> impl Iterator<Item = Step> {
    let count = if matches!(step.kind, StepKind::Add(_)) { SHORTER } else { 1 };
    (0..count).map(move |power| match step.kind {
        StepKind::Add(alpha) => Step { kind: StepKind::Add(alpha * 10_f64.powi(power)), ..step },
        _ => step,
    })
}

/// A gradient without what would push an α out of its range.
fn free(gradient: &[f64], alpha: &[f64]) -> Vec<f64> {
    let free = |(g, alpha): (&f64, &f64)| {
        let held = (*alpha <= PRECISIONS.0 && *g < 0.0) || (*alpha >= PRECISIONS.1 && *g > 0.0);
        if held { 0.0 } else { *g }
    };
    gradient.iter().zip(alpha).map(free).collect()
}
