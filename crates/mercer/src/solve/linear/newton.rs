//! Newton's method on the primal problem, for costs with a derivative and, by smoothing, for those without.
//!
//! The gradient of ½‖w‖² + Σ cost(mᵢ), mᵢ = ⟨w, xᵢ⟩, is w − Σ βᵢxᵢ with βᵢ = −cost′(mᵢ), its second derivative I + Σ hᵢ xᵢxᵢᵀ with
//! hᵢ = cost″(mᵢ), which is 0 for most points of most costs. A step solves that system, directly where there are few features, else by
//! conjugate gradients that see the rows with h > 0 alone, and goes along the direction to where the objective is least: products of
//! the direction with all rows are computed once, and then each trial step costs n operations.
//!
//! **Costs with a kink** (hinge, ε-insensitive) are smoothed about a guess of the dual variables, as [`Cost::answer`] says. When the
//! step has solved the smoothed problem well enough, its β is the next guess and σ grows: the method of multipliers (Hestenes,
//! Powell, 1969; Rockafellar 1976), which is the proximal point method on the dual.
//!
//! **The gap.** Any allowed β bounds the objective from below. The one taken is that of the quadratic model, β − h ⟨d, x⟩, moved into
//! what is allowed; the rest of the gradient there is known from the step, but for the points that had to be moved:
//!
//!   gap = ½‖w − Σ βx‖² + Σ (cost(mᵢ) − dual(βᵢ) + βᵢmᵢ).
//!
//! The second part is 0 for a smooth cost at its own β and is what smoothing costs: when the first part is well below it, the
//! smoothed problem is solved well enough.

use std::time::Instant;

use rayon::prelude::*;

use super::cost::Cost;
use super::design::{CHUNK, add, dot, sums};
use super::multipliers::{Descending, Ends, FIRST_SIGMA, MIN_SAMPLED, Reached, SAMPLE, WARM_SIGMA, length};
use super::passes::{Held, Passes};
use super::system::{MAX_DIRECT, Matrix, System, Way};
use super::{Answer, Limits, Problem, Start};
use crate::solve::Watch;

/// The largest σ where the offset has a price, in units of the price of a point. With 100 the gap falls slowly towards the end, without a
/// limit steps stall: 3000 took 14 to 47 steps to a gap of 1e-8 on all of iris, heart, wine, glass, svmguide1 and a9a.
const MAX_SIGMA: f64 = 3000.0;
/// The objective ½‖Σ βx‖², in units of the mean of ‖x‖², below which it is 0: the plane is nearer to the origin than about a millionth of
/// the distance of the points.
pub(super) const ZERO: f64 = 1e-12;
/// A system that takes more steps than this is hard: a pass of coordinate descent costs as much as one of them.
const HARD: usize = 60;
/// The most rows of a sample, in units of the features.
const SAMPLE_ROWS: usize = 1024;
/// The gap of a sample that is held in memory, as a share of its objective: below it the sample differs from the whole by more.
const SAMPLE_GAP: f64 = 1e-3;

/// Minimises the primal objective, from a start if there is one, unless the systems turn out to be hard: it then gives up, where there is another algorithm.
pub(super) fn attempt(
    problem: &Problem<'_>,
    start: Option<Start>,
    limits: &Limits,
    watch: Watch<'_>,
) -> Option<Answer> {
    let other = !problem.free_offset && problem.cost != Cost::Logistic;
    let hard = if other && problem.x.width() > MAX_DIRECT { HARD } else { usize::MAX };
    minimise(problem, start, hard, limits, watch)
}

/// Minimises the primal objective, from a start if there is one.
pub(super) fn solve<D: Passes>(
    problem: &Problem<'_, D>,
    start: Option<Start>,
    limits: &Limits,
    watch: Watch<'_>,
) -> Answer {
    minimise(problem, start, usize::MAX, limits, watch).expect("it does not give up")
}

/// Minimises the primal objective; gives up where a system takes more than `hard` steps of conjugate gradients.
fn minimise<D: Passes>(
    problem: &Problem<'_, D>,
    start: Option<Start>,
    hard: usize,
    limits: &Limits,
    watch: Watch<'_>,
) -> Option<Answer> {
    let started = Instant::now();
    let n = problem.x.len();
    let all = (0..n as u32).collect();
    if let Some(Start { weights, dual }) = start {
        let mut descent = Descent::new(problem, all, 1.0, weights);
        descent.dual = dual.clone();
        (descent.prior, descent.sigma) = (Some(dual), WARM_SIGMA * descent.sigma);
        return descent.answer(hard, limits, started, watch);
    }
    let (mut weights, mut primal) = (vec![0.0; problem.x.width()], f64::INFINITY);
    if let Some(held) = problem.x.hold() {
        let answer = solve_held(problem, &held, limits, watch);
        // The rows of the sample may be all.
        if held.step == 1 {
            return Some(answer);
        }
        weights = answer.weights;
    } else if n >= MIN_SAMPLED {
        let step = SAMPLE.max(n / (SAMPLE_ROWS * problem.x.width()));
        let rows = (0..n as u32).step_by(step).collect();
        let mut sample = Descent::new(problem, rows, step as f64, weights);
        sample.try_out();
        (weights, primal) = (sample.weights, sample.primal);
    }
    let descent = Descent { primal, ..Descent::new(problem, all, 1.0, weights) };
    descent.answer(hard, limits, started, watch)
}

/// Solves the problem of the rows held: all of them, or a sample whose prices stand for all.
fn solve_held<D: Passes>(problem: &Problem<'_, D>, held: &Held, limits: &Limits, watch: Watch<'_>) -> Answer {
    let step = held.step;
    let targets: Vec<f64> = problem.targets.iter().step_by(step).copied().collect();
    let prices: Vec<f64> = problem.prices.iter().step_by(step).map(|price| price * step as f64).collect();
    let &Problem { cost, free_offset, offset_price, .. } = problem;
    let x = problem.x.held(held);
    let own = Problem { x, targets: &targets, prices: &prices, cost, free_offset, offset_price };
    let tolerance = if step == 1 { limits.tolerance } else { limits.tolerance.max(SAMPLE_GAP) };
    solve(&own, None, &Limits { tolerance, ..*limits }, watch)
}

/// A minimisation over some of the points.
struct Descent<'a, D> {
    problem: &'a Problem<'a, D>,
    rows: Vec<u32>,
    /// What prices are multiplied by: the share of points that are looked at, turned over.
    scale: f64,
    /// w
    weights: Vec<f64>,
    /// m
    outputs: Vec<f64>,
    /// The guess of the dual variables that the cost is smoothed about; none at first.
    prior: Option<Vec<f64>>,
    /// σ of each point as a multiple of its price.
    sigma: f64,
    /// β, allowed.
    dual: Vec<f64>,
    primal: f64,
    /// Steps of conjugate gradients in the last system.
    conjugate: usize,
    /// ‖gradient‖² where the present smoothing began.
    first: Option<f64>,
    /// Of the last system that was solved directly.
    matrix: Option<Matrix>,
}

impl<'a, D: Passes> Descent<'a, D> {
    fn new(problem: &'a Problem<'a, D>, rows: Vec<u32>, scale: f64, weights: Vec<f64>) -> Self {
        let mut outputs = vec![0.0; rows.len()];
        if weights.iter().any(|&w| w != 0.0) {
            problem.x.products(&rows, &weights, &mut outputs);
        }
        Self {
            problem,
            scale,
            weights,
            outputs,
            prior: None,
            sigma: FIRST_SIGMA / spread(problem),
            dual: vec![0.0; rows.len()],
            rows,
            primal: f64::INFINITY,
            conjugate: 0,
            first: None,
            matrix: None,
        }
    }

    fn answer(mut self, hard: usize, limits: &Limits, started: Instant, watch: Watch<'_>) -> Option<Answer> {
        let certificate = self.run(hard, limits, started, watch)?;
        Some(Answer { weights: self.weights, dual: self.dual, certificate })
    }

    /// β and the second derivative of the (smoothed) cost at each point.
    fn answers(&self) -> (Vec<f64>, Vec<f64>) {
        let (mut beta, mut curvature) = (vec![0.0; self.rows.len()], vec![0.0; self.rows.len()]);
        let chunks = beta.par_chunks_mut(CHUNK).zip(curvature.par_chunks_mut(CHUNK)).enumerate();
        chunks.for_each(|(chunk, (beta, curvature))| {
            for (k, (b, h)) in beta.iter_mut().zip(curvature).enumerate() {
                (*b, *h) = self.answer_at(chunk * CHUNK + k, self.outputs[chunk * CHUNK + k]);
            }
        });
        (beta, curvature)
    }

    #[inline(always)]
    fn answer_at(&self, at: usize, output: f64) -> (f64, f64) {
        let (y, c) = self.point(at);
        let prior = self.prior.as_ref().map_or(0.0, |prior| prior[at]);
        self.problem.cost.answer(y, c, (prior, self.sigma * c), output)
    }

    /// Target and price of a point.
    #[inline(always)]
    fn point(&self, at: usize) -> (f64, f64) {
        let i = self.rows[at] as usize;
        (self.problem.targets[i], self.problem.prices[i] * self.scale)
    }

    /// w − Σ βx from that sum, of an offset that is free its price alone in place of w.
    fn gradient(&self, mut gradient: Vec<f64>) -> Vec<f64> {
        gradient.iter_mut().zip(&self.weights).for_each(|(g, w)| *g = w - *g);
        if let (true, Some(last)) = (self.problem.free_offset, gradient.last_mut()) {
            *last += self.offset_slope() - self.weights[self.weights.len() - 1];
        }
        gradient
    }

    /// The slope of the price of an offset, by the weight of the constant feature.
    fn offset_slope(&self) -> f64 {
        self.problem.offset_price * self.problem.x.constant()
    }

    /// What is added to the second derivative in an offset that costs nothing, so that it is never 0; none where the offset costs.
    fn damping(&self) -> Option<f64> {
        let total = || self.problem.prices.iter().sum::<f64>() * self.scale;
        self.problem.free_offset.then(|| 1e-6 * total() * self.problem.x.constant().powi(2))
    }

    /// The length of a step along a direction with the slope `slope`, which changes the outputs by `change`.
    fn length(&self, direction: &[f64], change: &[f64], slope: f64) -> f64 {
        let own = self.costly(direction);
        let (mut along, square) = (dot(self.costly(&self.weights), own), dot(own, own));
        along += self.offset_slope() * direction.last().copied().unwrap_or(0.0);
        length(slope, |s| {
            let [first, second] = sums(self.rows.len(), |at| {
                let (beta, h) = self.answer_at(at, self.outputs[at] + s * change[at]);
                [-beta * change[at], h * change[at] * change[at]]
            });
            (along + s * square + first, square + second)
        })
    }

    /// The weights that cost something: all but an offset that does not.
    fn costly<'w>(&self, weights: &'w [f64]) -> &'w [f64] {
        &weights[..weights.len() - usize::from(self.problem.free_offset)]
    }

    /// Takes `model` moved into what is allowed for the dual point, and gives the gap; `left` is w − Σ (model) x.
    fn judge(&mut self, active: usize, mut model: Vec<f64>, mut left: Vec<f64>) -> Reached {
        self.dual = Vec::new();
        let allowed = |(at, &beta): (usize, &f64)| {
            let (y, c) = self.point(at);
            self.problem.cost.allowed(y, c, beta)
        };
        let mut dual: Vec<f64> = model.par_iter().enumerate().with_min_len(CHUNK).map(allowed).collect();
        if self.problem.offset_price > 0.0 {
            let prices: Vec<f64> = (0..dual.len()).map(|at| self.point(at).1).collect();
            fill(&mut dual, &prices, self.problem.offset_price);
        } else if self.problem.free_offset {
            balance(&mut dual);
        }
        let moved = |(model, dual): (&mut [f64], &[f64])| {
            model.iter_mut().zip(dual).for_each(|(model, dual)| *model = dual - *model);
        };
        model.par_chunks_mut(CHUNK).zip(dual.par_chunks(CHUNK)).for_each(moved);
        let changed = self.rows.iter().zip(&model).filter(|(_, change)| **change != 0.0);
        let (rows, changes): (Vec<u32>, Vec<f64>) = changed.map(|(&i, &change)| (i, change)).unzip();
        if !rows.is_empty() {
            add(-1.0, &self.problem.x.sum(&rows, &changes), &mut left);
        }
        drop(model);
        self.dual = dual;
        let [costs, duals] = sums(self.rows.len(), |at| {
            let ((y, c), cost) = (self.point(at), self.problem.cost);
            [cost.value(y, c, self.outputs[at]), cost.dual(y, c, self.dual[at])]
        });
        let (own, left) = (self.costly(&self.weights), self.costly(&left));
        let reach: Vec<f64> = own.iter().zip(left).map(|(w, r)| w - r).collect();
        let price = self.problem.offset_price;
        let offset = self.offset_slope() * self.weights.last().copied().unwrap_or(0.0) - price;
        let (primal, duals) = (0.5 * dot(own, own) + offset + costs, duals - price);
        let gap = (primal - duals + 0.5 * dot(&reach, &reach)).max(0.0);
        let violation = left.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        self.primal = primal;
        Reached { gap, inner: 0.5 * dot(left, left), violation, active }
    }
}

impl<D: Passes> Descending for Descent<'_, D> {
    /// The system, the length, the dual point.
    fn step(&mut self, wanted: f64, most: usize) -> Reached {
        let (mut model, curvature) = self.answers();
        let (rows, active): (Vec<u32>, Vec<f64>) =
            self.rows.iter().zip(&curvature).filter(|(_, h)| **h > 0.0).map(|(&i, &h)| (i, h)).unzip();
        let system = System { x: &self.problem.x, rows: &rows, curvature: &active, free: self.damping() };
        let (sum, held) = match system.way(self.conjugate) {
            Way::Direct => (self.problem.x.sum(&self.rows, &model), None),
            _ => self.problem.x.sum_and_hold(&self.rows, &model, &rows),
        };
        let gradient = self.gradient(sum);
        let size = dot(&gradient, &gradient);
        let first = *self.first.get_or_insert(size);
        let ends = Ends::new((size, first), wanted, most);
        let (direction, residual, steps) =
            system.solve(&gradient, ends, self.conjugate, held, &mut self.matrix);
        self.conjugate = steps;
        // What is as long as the data is dropped as soon as it can be.
        let (count, slope) = (rows.len(), dot(&gradient, &direction));
        drop((rows, active));
        let mut change = vec![0.0; self.rows.len()];
        self.problem.x.products(&self.rows, &direction, &mut change);
        let length = self.length(&direction, &change, slope);
        add(length, &direction, &mut self.weights);
        add(length, &change, &mut self.outputs);
        let pieces =
            model.par_chunks_mut(CHUNK).zip(curvature.par_chunks(CHUNK)).zip(change.par_chunks(CHUNK));
        pieces.for_each(|((model, curvature), change)| {
            for ((beta, h), change) in model.iter_mut().zip(curvature).zip(change) {
                *beta -= length * h * change;
            }
        });
        drop((curvature, change));
        let left: Vec<f64> =
            gradient.iter().zip(&residual).map(|(g, r)| (1.0 - length) * g + length * r).collect();
        self.judge(count, model, left)
    }

    fn iterate(&self) -> Start {
        Start { weights: self.weights.clone(), dual: self.dual.clone() }
    }

    fn certified(&mut self) -> Reached {
        let dual = std::mem::take(&mut self.dual);
        let sum = self.problem.x.products_and_sum(&self.rows, &self.weights, &mut self.outputs, &dual);
        let left = self.gradient(sum);
        self.judge(0, dual, left)
    }

    fn primal(&self) -> f64 {
        self.primal
    }

    fn conjugate(&self) -> usize {
        self.conjugate
    }

    fn has_guess(&self) -> bool {
        self.prior.is_some()
    }

    fn is_smooth(&self) -> bool {
        self.problem.cost.is_smooth()
    }

    fn sharpen(&mut self, growth: f64) {
        // Where the offset has a price, steps about a sharp kink with few points in its smooth part go too far.
        let most = if self.problem.offset_price > 0.0 { MAX_SIGMA } else { f64::INFINITY };
        (self.prior, self.sigma) = (Some(self.dual.clone()), (self.sigma * growth).min(most));
        self.first = None;
    }

    fn soften(&mut self, factor: f64) {
        self.sigma *= factor;
        self.first = None;
    }

    fn rounding(&self) -> Option<f64> {
        (self.problem.offset_price > 0.0).then_some(ZERO * self.problem.offset_price)
    }
}

/// The size of errors: 1 of classes, where it is a margin; of numbers how far the targets are from their mean, or from 0 where there is no
/// offset.
fn spread<D: Passes>(problem: &Problem<'_, D>) -> f64 {
    if !matches!(problem.cost, Cost::Insensitive(_)) {
        return 1.0;
    }
    let mean = |of: &dyn Fn(f64) -> f64| {
        let weighted = problem.targets.iter().zip(problem.prices).map(|(&y, c)| c * of(y));
        weighted.sum::<f64>() / problem.prices.iter().sum::<f64>()
    };
    let centre = if problem.x.has_constant() { mean(&|y| y) } else { 0.0 };
    let spread = mean(&|y| (y - centre).abs());
    if spread > 0.0 { spread } else { 1.0 }
}

/// Makes the sum of β zero by scaling down those of the larger sign.
fn balance(dual: &mut [f64]) {
    let sum = |sign: f64| dual.iter().map(|b| (sign * b).max(0.0)).sum::<f64>();
    let (above, below) = (sum(1.0), sum(-1.0));
    let (sign, factor) = if above > below { (1.0, below / above) } else { (-1.0, above / below) };
    if factor.is_finite() {
        dual.iter_mut().filter(|b| sign * **b > 0.0).for_each(|b| *b *= factor);
    }
}

/// Makes the sum of β, each from 0 to its price, the `total`: by scaling down β, or what is left to the prices.
fn fill(dual: &mut [f64], prices: &[f64], total: f64) {
    let (sum, most) = (dual.iter().sum::<f64>(), prices.iter().sum::<f64>());
    if sum > total {
        dual.iter_mut().for_each(|b| *b *= total / sum);
    } else if sum < most {
        let share = ((total - sum) / (most - sum)).min(1.0);
        dual.iter_mut().zip(prices).for_each(|(b, price)| *b += share * (price - *b));
    }
}
