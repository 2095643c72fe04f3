//! Few weights: a penalty on their absolute values, by Newton's method with coordinate descent inside.
//!
//!   minimise Σ |w_j| + Σ cost(yᵢ, mᵢ),   mᵢ = ⟨w, xᵢ⟩,   for costs with a derivative,
//!
//! where the weight of the constant feature counts as the others do or, left free, not. A step takes the second-order model of the
//! costs at w, with βᵢ = −cost′(mᵢ) and hᵢ = cost″(mᵢ), and goes down it one weight at a time, with the penalty as it is:
//!
//!   smallest over d of −Σ βᵢ⟨d, xᵢ⟩ + ½ Σ hᵢ⟨d, xᵢ⟩² + Σ |w_j + d_j|
//!
//! (Friedman, Hastie and Tibshirani 2010; Yuan, Ho and Lin 2012, whose line search along d this has too). Weights that are 0 and whose
//! slope is well inside ±1 are left out of a step; each step looks at all of them again.
//!
//! **The gap.** The dual is: maximise Σ dual(βᵢ) where |Σ βᵢxᵢj| ≤ 1 for each feature, 0 for one that is free. The β of a step,
//! scaled down until that holds, bounds the objective from below; its sums are the slopes that the step needs anyway.
//!
//! Cost: the entries of the data for the slopes, on all cores, and those of the columns that are not left out for each pass inside,
//! on one; memory: a copy of the data by columns, shared by all classes.

use std::time::Instant;

use rayon::prelude::*;

use super::columns::Columns;
use super::cost::Cost;
use super::design::{Design, sums};
use super::support::{self, Support};
use super::{Answer, Limits, Start, certificate};
use crate::data::SplitMix;
use crate::solve::{Iterate, Progress, Watch};

/// Added to each second derivative, as a share of the prices, so that a column without curvature has a finite step.
const DAMPING: f64 = 1e-12;
/// The passes of a step end when the violations have fallen by this factor.
const FORCING: f64 = 0.1;
/// The most passes of a step.
const PASSES: usize = 100;
/// Passes after which the weights that are not 0 are solved for directly, where they are few.
const DIRECT: usize = 10;
/// The share of the decrease promised by the slope that a step must have.
const SUFFICIENT: f64 = 0.01;
/// Halvings of a step.
const HALVINGS: usize = 40;
/// Steps without a smaller gap after which nothing more is expected from this precision.
const PATIENCE: u64 = 30;
/// Columns whose slopes one thread computes at a time.
const COLUMNS: usize = 64;

/// A problem with a penalty on absolute values.
pub(crate) struct L1<'a> {
    /// x, by columns.
    pub(crate) x: &'a Columns,
    /// y = ±1.
    pub(crate) targets: &'a [f64],
    /// C of each point, above 0.
    pub(crate) prices: &'a [f64],
    /// What errors cost: a cost with a derivative.
    pub(crate) cost: Cost,
    /// Whether the last column has no penalty.
    pub(crate) free_offset: bool,
}

impl L1<'_> {
    /// Solves the problem, from the weights of a start if there is one; the order of the weights in a pass is drawn by `seed`.
    pub(crate) fn solve(&self, start: Option<Start>, limits: &Limits, seed: u64, watch: Watch<'_>) -> Answer {
        let started = Instant::now();
        let mut run = Run::new(self, seed);
        if let Some(start) = start {
            run.weights = start.weights;
        }
        let (mut steps, mut best, mut since) = (0, f64::INFINITY, 0);
        loop {
            let slopes = run.look();
            since = if run.gap < best { 0 } else { since + 1 };
            best = best.min(run.gap);
            let iterate = || Start { weights: run.weights.clone(), dual: run.dual.clone() };
            let progress = Progress {
                part: 0,
                parts: 1,
                rounds: steps,
                iterations: run.updates,
                active: run.weights.iter().filter(|w| **w != 0.0).count(),
                working_set: 1,
                pair: None,
                violation: run.violation,
                gap: run.gap,
                objective: run.gap - run.primal,
                elapsed: started.elapsed(),
                iterate: Iterate::of(&iterate),
            };
            if let Some(stop) = limits.reached(&progress, run.primal, since >= PATIENCE, watch) {
                let certificate = certificate(&progress, stop);
                return Answer { weights: run.weights, dual: run.dual, certificate };
            }
            run.step(&slopes);
            steps += 1;
        }
    }

    /// The price of |w_j|.
    fn penalty(&self, j: usize) -> f64 {
        if self.free_offset && j + 1 == self.x.width() { 0.0 } else { 1.0 }
    }

    /// Σ |w_j|
    fn size(&self, weights: &[f64]) -> f64 {
        weights.iter().enumerate().map(|(j, w)| self.penalty(j) * w.abs()).sum()
    }
}

/// Of a column: the derivative of the costs and their second derivative.
#[derive(Clone, Copy, Default)]
struct Slope {
    first: f64,
    second: f64,
}

impl Slope {
    /// By how much the optimality condition of a weight is violated.
    fn violation(self, weight: f64, penalty: f64) -> f64 {
        if weight == 0.0 {
            (self.first.abs() - penalty).max(0.0)
        } else {
            (self.first + penalty * weight.signum()).abs()
        }
    }

    /// The change of a weight for which the second-order model and the penalty are smallest.
    fn change(self, weight: f64, penalty: f64) -> f64 {
        let Self { first, second } = self;
        if first + penalty <= second * weight {
            -(first + penalty) / second
        } else if first - penalty >= second * weight {
            -(first - penalty) / second
        } else {
            -weight
        }
    }
}

struct Run<'a> {
    problem: &'a L1<'a>,
    /// w
    weights: Vec<f64>,
    /// m
    outputs: Vec<f64>,
    /// Of each point h, and ⟨d, x⟩ in a step: read together.
    model: Vec<[f64; 2]>,
    /// β of the bound, allowed.
    dual: Vec<f64>,
    primal: f64,
    gap: f64,
    violation: f64,
    updates: u64,
    random: SplitMix,
}

impl<'a> Run<'a> {
    fn new(problem: &'a L1<'a>, seed: u64) -> Self {
        let n = problem.x.rows();
        Self {
            problem,
            weights: vec![0.0; problem.x.width()],
            outputs: vec![0.0; n],
            model: vec![[0.0; 2]; n],
            dual: vec![0.0; n],
            primal: 0.0,
            gap: f64::INFINITY,
            violation: f64::INFINITY,
            updates: 0,
            random: SplitMix(seed),
        }
    }

    /// The model at w: slopes of all columns, objective and gap.
    fn look(&mut self) -> Vec<Slope> {
        let p = self.problem;
        self.outputs.fill(0.0);
        for (j, &w) in self.weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            p.x.add(j, w, &mut self.outputs);
        }
        let answer = |i: usize| p.cost.answer(p.targets[i], p.prices[i], (0.0, 1.0), self.outputs[i]);
        let (beta, curvature): (Vec<f64>, Vec<f64>) = (0..p.x.rows()).into_par_iter().map(answer).unzip();
        self.model.iter_mut().zip(&curvature).for_each(|(model, &h)| *model = [h, 0.0]);
        let damping = DAMPING * p.prices.iter().sum::<f64>().max(1.0);
        let slope = |j: usize| {
            let (index, values) = p.x.column(j);
            let mut slope = Slope { first: 0.0, second: damping };
            for (&i, value) in index.iter().zip(values) {
                slope.first -= beta[i as usize] * value;
                slope.second += curvature[i as usize] * value * value;
            }
            slope
        };
        let slopes: Vec<Slope> = (0..p.x.width()).into_par_iter().with_min_len(COLUMNS).map(slope).collect();
        let [costs] = sums(p.x.rows(), |i| [p.cost.value(p.targets[i], p.prices[i], self.outputs[i])]);
        self.primal = p.size(&self.weights) + costs;
        self.violation = (slopes.iter().zip(&self.weights).enumerate())
            .fold(0.0, |top, (j, (slope, w))| top.max(slope.violation(*w, p.penalty(j))));
        self.bound(beta, &slopes);
        slopes
    }

    /// The best of the bounds that β, scaled down until it is allowed, has given.
    fn bound(&mut self, mut beta: Vec<f64>, slopes: &[Slope]) {
        let p = self.problem;
        let mut sums_of: Vec<f64> = slopes.iter().map(|slope| -slope.first).collect();
        if p.free_offset && balance(&mut beta) {
            let sum = |j: usize| {
                let (index, values) = p.x.column(j);
                index.iter().zip(values).map(|(&i, value)| beta[i as usize] * value).sum::<f64>()
            };
            sums_of = (0..p.x.width()).into_par_iter().with_min_len(COLUMNS).map(sum).collect();
        }
        let penalised = &sums_of[..sums_of.len() - usize::from(p.free_offset)];
        let most = penalised.iter().fold(0.0, |top: f64, sum| top.max(sum.abs()));
        let mut scale = 1.0 / most.max(1.0);
        if p.cost == Cost::SquaredHinge {
            // The dual is a parabola in the scale, and may be larger for a scale above 1.
            let [up, down] =
                sums(beta.len(), |i| [p.targets[i] * beta[i], beta[i] * beta[i] / (2.0 * p.prices[i])]);
            scale = if down > 0.0 { (up / down).min(1.0 / most.max(f64::MIN_POSITIVE)) } else { 1.0 };
        }
        beta.iter_mut().for_each(|b| *b *= scale);
        let [dual] = sums(beta.len(), |i| [p.cost.dual(p.targets[i], p.prices[i], beta[i])]);
        let [old] = sums(beta.len(), |i| [p.cost.dual(p.targets[i], p.prices[i], self.dual[i])]);
        if dual >= old || self.gap.is_infinite() {
            self.dual = beta;
        }
        self.gap = (self.primal - dual.max(old)).max(0.0);
    }

    /// Goes down the model one weight at a time, and then along the direction that was found.
    fn step(&mut self, slopes: &[Slope]) {
        let p = self.problem;
        let mut active: Vec<u32> = (0..p.x.width() as u32)
            .filter(|&j| {
                let (w, slope) = (self.weights[j as usize], slopes[j as usize]);
                w != 0.0 || slope.first.abs() >= p.penalty(j as usize) - self.margin()
            })
            .collect();
        let mut changes = vec![0.0; p.x.width()];
        let mut first = f64::INFINITY;
        let chosen = active.clone();
        for pass in 1..=PASSES {
            self.random.shuffle(&mut active);
            let all = active.len() == chosen.len();
            let (total, largest) = self.pass(&mut active, slopes, &mut changes);
            first = if pass == 1 { total } else { first };
            let small = pass > 1 && total <= FORCING * first;
            if all && (small || largest == 0.0) {
                break;
            } else if small || largest == 0.0 {
                active.clone_from(&chosen);
            } else if pass.is_multiple_of(DIRECT) {
                self.solve_support(slopes, &mut changes);
            }
        }
        self.search(slopes, &changes);
    }

    /// Solves the model on the weights that are not 0, where they are few.
    fn solve_support(&mut self, slopes: &[Slope], changes: &mut [f64]) {
        let p = self.problem;
        let weight = |j: usize| self.weights[j] + changes[j];
        let used = |&j: &u32| weight(j as usize) != 0.0 || p.penalty(j as usize) == 0.0;
        let columns: Vec<u32> = (0..p.x.width() as u32).filter(used).collect();
        if columns.is_empty() || columns.len() > support::MOST {
            return;
        }
        let numbers = |of: &dyn Fn(usize) -> f64| columns.iter().map(|&j| of(j as usize)).collect();
        let model = Support {
            x: p.x,
            columns: &columns,
            curvature: &self.model,
            weights: numbers(&weight),
            penalties: numbers(&|j| p.penalty(j)),
            slopes: numbers(&|j| slopes[j].first + self.along(j)),
        };
        for (&j, change) in columns.iter().zip(model.solve().unwrap_or_default()) {
            let j = j as usize;
            let ends = self.weights[j] + changes[j] + change;
            changes[j] = if ends == 0.0 { -self.weights[j] } else { changes[j] + change };
            let (index, values) = p.x.column(j);
            index.iter().zip(values).for_each(|(&i, value)| self.model[i as usize][1] += change * value);
        }
    }

    /// What the direction so far adds to the slope of column `j`.
    #[inline(always)]
    fn along(&self, j: usize) -> f64 {
        let (index, values) = self.problem.x.column(j);
        let term = |(&i, value): (&u32, &f64)| {
            let [h, along] = self.model[i as usize];
            h * along * value
        };
        index.iter().zip(values).map(term).sum()
    }

    /// How far inside ±1 the slope of a weight that is 0 must be for a step to leave it out.
    fn margin(&self) -> f64 {
        (0.1 * self.violation).min(0.5)
    }

    /// A pass over the weights that are not left out; gives the sum and the largest of the violations. Weights that are 0 and stay
    /// so are left out of the next passes.
    fn pass(&mut self, active: &mut Vec<u32>, slopes: &[Slope], changes: &mut [f64]) -> (f64, f64) {
        let p = self.problem;
        let (mut total, mut largest, mut at) = (0.0, 0.0_f64, 0);
        while at < active.len() {
            let j = active[at] as usize;
            let (index, values) = p.x.column(j);
            let slope = Slope { first: slopes[j].first + self.along(j), ..slopes[j] };
            let weight = self.weights[j] + changes[j];
            let (violation, change) =
                (slope.violation(weight, p.penalty(j)), slope.change(weight, p.penalty(j)));
            if change == 0.0 && weight == 0.0 {
                active.swap_remove(at);
                continue;
            }
            (total, largest, at) = (total + violation, largest.max(violation), at + 1);
            if change != 0.0 {
                changes[j] += change;
                self.updates += 1;
                for (&i, value) in index.iter().zip(values) {
                    self.model[i as usize][1] += change * value;
                }
            }
        }
        (total, largest)
    }

    /// Goes along the direction as far as the objective falls as the slope promises.
    fn search(&mut self, slopes: &[Slope], changes: &[f64]) {
        let p = self.problem;
        let at = |s: f64| -> Vec<f64> {
            self.weights.iter().zip(changes).map(|(w, d)| if *d == 0.0 { *w } else { w + s * d }).collect()
        };
        let (size, whole) = (p.size(&self.weights), at(1.0));
        let slope = slopes.iter().zip(changes).map(|(s, d)| s.first * d).sum::<f64>() + p.size(&whole) - size;
        let mut s = 1.0;
        for _ in 0..HALVINGS {
            let weights = at(s);
            let [change] = sums(self.outputs.len(), |i| {
                let (y, c, m) = (p.targets[i], p.prices[i], self.outputs[i]);
                [p.cost.value(y, c, m + s * self.model[i][1]) - p.cost.value(y, c, m)]
            });
            if change + p.size(&weights) - size <= SUFFICIENT * s * slope {
                self.weights = weights;
                return;
            }
            s *= 0.5;
        }
    }
}

/// The C up to which all penalised weights are 0, where `prices` are those of C = 1: 1 / maxⱼ |Σ βᵢxᵢj| with β = −cost′ at w = 0, where an
/// offset that is free has its best value.
pub(crate) fn least_price(
    x: &Design<'_>,
    (targets, prices): (&[f64], &[f64]),
    cost: Cost,
    free_offset: bool,
) -> f64 {
    let beta = |output: f64| -> Vec<f64> {
        let one = |(&y, &c): (&f64, &f64)| cost.answer(y, c, (0.0, 1.0), output).0;
        targets.iter().zip(prices).map(one).collect()
    };
    // Σ β falls as the offset rises. Of the squared hinge it is 0 between -1 and 1, of the logistic cost within the logarithm of the
    // ratio of the prices of both classes, which doubles can tell up to about 709.
    let (mut low, mut high) = (-1024.0, 1024.0);
    if free_offset {
        for _ in 0..HALVINGS + HALVINGS {
            let middle = 0.5 * (low + high);
            if beta(middle).iter().sum::<f64>() > 0.0 { low = middle } else { high = middle }
        }
    }
    let rows: Vec<u32> = (0..targets.len() as u32).collect();
    let sums = x.sum(&rows, &beta(if free_offset { 0.5 * (low + high) } else { 0.0 }));
    let penalised = sums.len() - usize::from(free_offset);
    1.0 / sums[..penalised].iter().fold(0.0, |most: f64, sum| most.max(sum.abs()))
}

/// Makes the sum of β zero by scaling down those of the larger sign; whether they had to be changed.
fn balance(dual: &mut [f64]) -> bool {
    let sum = |sign: f64| dual.iter().map(|b| (sign * b).max(0.0)).sum::<f64>();
    let (above, below) = (sum(1.0), sum(-1.0));
    let (sign, factor) = if above > below { (1.0, below / above) } else { (-1.0, above / below) };
    if factor.is_finite() && factor != 1.0 {
        dual.iter_mut().filter(|b| sign * **b > 0.0).for_each(|b| *b *= factor);
        return true;
    }
    false
}

#[cfg(test)]
#[path = "l1_tests.rs"]
mod tests;
