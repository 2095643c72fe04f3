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

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::cost::Cost;
use super::design::{Design, dot, sums};
use super::{Answer, Limits, Problem, Start};
use crate::linalg::{Cholesky, Lower};
use crate::solve::{Certificate, Progress, Stop, Watch};

/// One of so many points is looked at before all are.
const SAMPLE: usize = 8;
/// The fewest points for which a sample is looked at first.
const MIN_SAMPLED: usize = 4096;
/// Steps and conjugate-gradient steps each that the sample is worth: it only gives a place to start from.
const SAMPLE_STEPS: (u64, usize) = (3, 6);
/// σ at first, in units of the price C of each point, so that a weight counts as so many copies: as wide a smoothing as four times the
/// distance between the margins.
const FIRST_SIGMA: f64 = 0.25;
/// How much larger σ is where there is a guess of the dual variables from the start.
const WARM_SIGMA: f64 = 4.0;
/// How σ grows from one guess of the dual variables to the next. Larger factors need fewer guesses and more steps for each: 3 was the
/// fastest of 3, 6 and 15 on a9a, w8a and mnist.
const GROWTH: f64 = 3.0;
/// The largest σ where the offset has a price, in units of the price of a point. With 100 the gap falls slowly towards the end, without a
/// limit steps stall: 3000 took 14 to 47 steps to a gap of 1e-8 on all of iris, heart, wine, glass, svmguide1 and a9a.
const MAX_SIGMA: f64 = 3000.0;
/// The gap, in units of the price of the offset, that is rounding: the objective is 0 where the origin is among the points.
const ZERO: f64 = 1e-14;
/// The share of the rest of the gap below which the gradient's part of it is small enough for the next guess.
const SOLVED: f64 = 0.25;
/// Conjugate gradients end when the residual has fallen by this factor, less where the gradient has fallen far.
const FORCING: f64 = 0.1;
/// The most conjugate-gradient steps.
const MAX_CONJUGATE: usize = 500;
/// A system that takes more steps than this is hard: a pass of coordinate descent costs as much as one of them.
const HARD: usize = 60;
/// The most features of a direct solution.
const MAX_DIRECT: usize = 2048;
/// Features up to which a solution is direct, however few points there are.
const FEW: usize = 64;
/// Conjugate-gradient steps that a direct solution may be worth, by the count of operations.
const DIRECT: f64 = 20.0;
/// The share of the slope at the beginning that a step may leave.
const SLOPE: f64 = 0.3;
/// Trial steps.
const TRIALS: usize = 60;
/// Steps without a smaller gap after which nothing more is expected from this precision.
const PATIENCE: u64 = 60;
/// Numbers that one thread works on at a time.
const CHUNK: usize = 8192;

/// Minimises the primal objective, unless the systems turn out to be hard: it then gives up, where there is another algorithm.
pub(super) fn attempt(problem: &Problem<'_>, limits: &Limits, watch: Watch<'_>) -> Option<Answer> {
    let other = !problem.free_offset && problem.cost != Cost::Logistic;
    let hard = if other && problem.x.width() > MAX_DIRECT { HARD } else { usize::MAX };
    minimise(problem, None, hard, limits, watch)
}

/// Minimises the primal objective, from a start if there is one.
pub(super) fn solve(
    problem: &Problem<'_>,
    start: Option<Start>,
    limits: &Limits,
    watch: Watch<'_>,
) -> Answer {
    minimise(problem, start, usize::MAX, limits, watch).expect("it does not give up")
}

/// Minimises the primal objective; gives up where a system takes more than `hard` steps of conjugate gradients.
fn minimise(
    problem: &Problem<'_>,
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
        return descent.run(hard, limits, started, watch);
    }
    let mut weights = vec![0.0; problem.x.width()];
    if n >= MIN_SAMPLED {
        let rows = (0..n as u32).step_by(SAMPLE).collect();
        let mut sample = Descent::new(problem, rows, SAMPLE as f64, weights);
        for _ in 0..SAMPLE_STEPS.0 {
            if sample.step(SAMPLE_STEPS.1).gap <= 0.1 * sample.primal {
                break;
            }
        }
        weights = sample.weights;
    }
    Descent::new(problem, all, 1.0, weights).run(hard, limits, started, watch)
}

/// A minimisation over some of the points.
struct Descent<'a> {
    problem: &'a Problem<'a>,
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
}

/// What a step has reached.
#[derive(Clone, Copy)]
struct Reached {
    gap: f64,
    /// The part of the gap that is due to the gradient.
    inner: f64,
    /// The largest entry of w − Σ βx.
    violation: f64,
    /// Points with a second derivative.
    active: usize,
}

impl<'a> Descent<'a> {
    fn new(problem: &'a Problem<'a>, rows: Vec<u32>, scale: f64, weights: Vec<f64>) -> Self {
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
        }
    }

    fn run(mut self, hard: usize, limits: &Limits, started: Instant, watch: Watch<'_>) -> Option<Answer> {
        let (mut steps, mut best, mut since) = (0, f64::INFINITY, 0);
        // A start may be all that there is to do.
        let mut first = self.prior.is_some().then(|| self.certified());
        loop {
            let mut reached = first.take().unwrap_or_else(|| {
                steps += 1;
                self.step(MAX_CONJUGATE)
            });
            if reached.gap <= self.target(limits) {
                // What was carried along from step to step is computed anew before it is believed.
                reached = self.certified();
            }
            since = if reached.gap < best { 0 } else { since + 1 };
            best = best.min(reached.gap);
            let elapsed = started.elapsed();
            let progress = self.progress(&reached, steps, elapsed);
            let stop = if reached.gap <= self.target(limits) {
                Some(Stop::Converged)
            } else if watch(&progress) == ControlFlow::Break(()) {
                Some(Stop::Interrupted)
            } else if steps >= limits.iterations {
                Some(Stop::IterationLimit)
            } else if limits.time.is_some_and(|limit| elapsed >= limit) {
                Some(Stop::TimeLimit)
            } else if since >= PATIENCE {
                Some(Stop::Stalled)
            } else {
                None
            };
            if let Some(stop) = stop {
                let reached = if stop == Stop::Converged { reached } else { self.certified() };
                let certificate = Certificate {
                    objective: reached.gap - self.primal,
                    gap: Some(reached.gap),
                    violation: reached.violation,
                    iterations: steps,
                    rows: 0.0,
                    stop,
                    exact: false,
                };
                return Some(Answer { weights: self.weights, dual: self.dual, certificate });
            }
            if self.conjugate > hard {
                return None;
            }
            if !self.problem.cost.is_smooth() && reached.inner <= SOLVED * (reached.gap - reached.inner) {
                self.prior = Some(self.dual.clone());
                self.sigma = (self.sigma * GROWTH).min(self.most_sigma());
                self.first = None;
            }
        }
    }

    /// The largest gap that is small enough.
    fn target(&self, limits: &Limits) -> f64 {
        (limits.tolerance * self.primal.abs()).max(ZERO * self.problem.offset_price)
    }

    /// The largest σ: where the offset has a price, steps about a sharp kink with few points in its smooth part go too far.
    fn most_sigma(&self) -> f64 {
        if self.problem.offset_price > 0.0 { MAX_SIGMA } else { f64::INFINITY }
    }

    fn progress(&self, reached: &Reached, steps: u64, elapsed: Duration) -> Progress {
        Progress {
            part: 0,
            parts: 1,
            rounds: steps,
            iterations: steps,
            active: reached.active,
            working_set: reached.active,
            pair: None,
            violation: reached.violation,
            gap: reached.gap,
            objective: reached.gap - self.primal,
            elapsed,
        }
    }

    /// A step of Newton's method: the system, the length, the dual point.
    fn step(&mut self, conjugate: usize) -> Reached {
        let (beta, curvature) = self.answers();
        let gradient = self.gradient(&beta);
        let size = dot(&gradient, &gradient);
        let first = *self.first.get_or_insert(size);
        let forcing = (size / first).powf(0.25).clamp(1e-4, FORCING);
        let (rows, active): (Vec<u32>, Vec<f64>) =
            self.rows.iter().zip(&curvature).filter(|(_, h)| **h > 0.0).map(|(&i, &h)| (i, h)).unzip();
        let system = System { x: self.problem.x, rows: &rows, curvature: &active, free: self.damping() };
        let (direction, residual, steps) = system.solve(&gradient, forcing, conjugate);
        self.conjugate = steps;
        let mut change = vec![0.0; self.rows.len()];
        self.problem.x.products(&self.rows, &direction, &mut change);
        let length = self.length(&direction, &change, dot(&gradient, &direction));
        add(length, &direction, &mut self.weights);
        add(length, &change, &mut self.outputs);
        let model = |at: usize| beta[at] - length * curvature[at] * change[at];
        let left: Vec<f64> =
            gradient.iter().zip(&residual).map(|(g, r)| (1.0 - length) * g + length * r).collect();
        self.judge(rows.len(), model, left)
    }

    /// β and the second derivative of the (smoothed) cost at each point.
    fn answers(&self) -> (Vec<f64>, Vec<f64>) {
        let (mut beta, mut curvature) = (vec![0.0; self.rows.len()], vec![0.0; self.rows.len()]);
        let chunks = beta.par_chunks_mut(CHUNK).zip(curvature.par_chunks_mut(CHUNK)).enumerate();
        chunks.for_each(|(chunk, (beta, curvature))| {
            for (k, (b, h)) in beta.iter_mut().zip(curvature).enumerate() {
                (*b, *h) = self.answer(chunk * CHUNK + k, self.outputs[chunk * CHUNK + k]);
            }
        });
        (beta, curvature)
    }

    #[inline(always)]
    fn answer(&self, at: usize, output: f64) -> (f64, f64) {
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

    /// w − Σ βx, of an offset that is free its price alone in place of w.
    fn gradient(&self, beta: &[f64]) -> Vec<f64> {
        let mut gradient = self.problem.x.sum(&self.rows, beta);
        gradient.iter_mut().zip(&self.weights).for_each(|(g, w)| *g = w - *g);
        if let (true, Some(last)) = (self.problem.free_offset, gradient.last_mut()) {
            *last += self.problem.offset_price - self.weights[self.weights.len() - 1];
        }
        gradient
    }

    /// What is added to the second derivative in an offset that costs nothing, so that it is never 0; none where the offset costs.
    fn damping(&self) -> Option<f64> {
        let total = || self.problem.prices.iter().sum::<f64>() * self.scale;
        self.problem.free_offset.then(|| 1e-6 * total())
    }

    /// The length of a step along a direction with the slope `slope`: where the derivative has (nearly) vanished.
    fn length(&self, direction: &[f64], change: &[f64], slope: f64) -> f64 {
        let own = self.costly(direction);
        let (mut along, square) = (dot(self.costly(&self.weights), own), dot(own, own));
        along += self.problem.offset_price * direction.last().copied().unwrap_or(0.0);
        let derivative = |s: f64| {
            let [first, second] = sums(self.rows.len(), |at| {
                let (beta, h) = self.answer(at, self.outputs[at] + s * change[at]);
                [-beta * change[at], h * change[at] * change[at]]
            });
            (along + s * square + first, square + second)
        };
        let (mut low, mut high, mut s) = (0.0, f64::INFINITY, 1.0);
        for _ in 0..TRIALS {
            let (first, second) = derivative(s);
            if first.abs() <= SLOPE * slope.abs() {
                break;
            }
            if first > 0.0 {
                high = s
            } else {
                low = s
            }
            let next = s - first / second;
            s = if next > low && next < high {
                next
            } else if high.is_finite() {
                0.5 * (low + high)
            } else {
                2.0 * s
            };
        }
        s
    }

    /// The weights that cost something: all but an offset that does not.
    fn costly<'w>(&self, weights: &'w [f64]) -> &'w [f64] {
        &weights[..weights.len() - usize::from(self.problem.free_offset)]
    }

    /// Takes `model` moved into what is allowed for the dual point, and gives the gap; `left` is w − Σ (model) x.
    fn judge(&mut self, active: usize, model: impl Fn(usize) -> f64 + Sync, mut left: Vec<f64>) -> Reached {
        let mut dual: Vec<f64> = (0..self.rows.len())
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|at| {
                let (y, c) = self.point(at);
                self.problem.cost.allowed(y, c, model(at))
            })
            .collect();
        if self.problem.offset_price > 0.0 {
            let prices: Vec<f64> = (0..dual.len()).map(|at| self.point(at).1).collect();
            fill(&mut dual, &prices, self.problem.offset_price);
        } else if self.problem.free_offset {
            balance(&mut dual);
        }
        let moved: Vec<f64> =
            (0..dual.len()).into_par_iter().with_min_len(CHUNK).map(|at| dual[at] - model(at)).collect();
        if moved.iter().any(|&change| change != 0.0) {
            add(-1.0, &self.problem.x.sum(&self.rows, &moved), &mut left);
        }
        self.dual = dual;
        let [costs, duals] = sums(self.rows.len(), |at| {
            let ((y, c), cost) = (self.point(at), self.problem.cost);
            [cost.value(y, c, self.outputs[at]), cost.dual(y, c, self.dual[at])]
        });
        let (own, left) = (self.costly(&self.weights), self.costly(&left));
        let reach: Vec<f64> = own.iter().zip(left).map(|(w, r)| w - r).collect();
        let price = self.problem.offset_price;
        let offset = price * (self.weights.last().copied().unwrap_or(0.0) - 1.0);
        let (primal, duals) = (0.5 * dot(own, own) + offset + costs, duals - price);
        let gap = (primal - duals + 0.5 * dot(&reach, &reach)).max(0.0);
        let violation = left.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        self.primal = primal;
        Reached { gap, inner: 0.5 * dot(left, left), violation, active }
    }

    /// The gap, from w and β alone.
    fn certified(&mut self) -> Reached {
        self.problem.x.products(&self.rows, &self.weights, &mut self.outputs);
        let dual = std::mem::take(&mut self.dual);
        let left = self.gradient(&dual);
        self.judge(0, |at| dual[at], left)
    }
}

/// The size of errors: 1 of classes, where it is a margin; of numbers how far the targets are from their mean, or from 0 where there is no
/// offset.
fn spread(problem: &Problem<'_>) -> f64 {
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

/// to += factor · vector
fn add(factor: f64, vector: &[f64], to: &mut [f64]) {
    let piece = |(to, vector): (&mut [f64], &[f64])| {
        to.iter_mut().zip(vector).for_each(|(to, v)| *to += factor * v);
    };
    to.par_chunks_mut(CHUNK).zip(vector.par_chunks(CHUNK)).for_each(piece);
}

/// The system of a step: (I + Σ h xxᵀ) d = −gradient.
struct System<'a> {
    x: Design<'a>,
    /// The points with h > 0.
    rows: &'a [u32],
    /// h
    curvature: &'a [f64],
    /// What stands in place of the 1 of I for the last feature, if something else does.
    free: Option<f64>,
}

impl System<'_> {
    /// d, what is left of the system, (I + Σ h xxᵀ) d + gradient, and the steps of conjugate gradients.
    fn solve(&self, gradient: &[f64], forcing: f64, conjugate: usize) -> (Vec<f64>, Vec<f64>, usize) {
        let (width, entries) = (gradient.len(), self.x.entries());
        let active = entries * self.rows.len() as f64;
        let cost = entries / 2.0 + (width as f64).powi(3) / (6.0 * active.max(1.0));
        let direct = width <= FEW || (width <= MAX_DIRECT && cost <= DIRECT);
        let found = if direct { self.direct(gradient) } else { None };
        found.unwrap_or_else(|| self.conjugate(gradient, forcing, conjugate))
    }

    /// The solution by a factor; none where the matrix has none.
    fn direct(&self, gradient: &[f64]) -> Option<(Vec<f64>, Vec<f64>, usize)> {
        let width = gradient.len();
        let outer = self.x.outer(self.rows, self.curvature);
        let mut lower = Lower::zeros(width);
        for i in 0..width {
            let row = lower.row_mut(i);
            row.copy_from_slice(&outer[i * width..][..i + 1]);
            row[i] += self.own(i, width);
        }
        let factor = Cholesky::<f64>::new(lower, &mut |_| ControlFlow::Continue(())).ok()?;
        let mut right = [gradient.iter().map(|g| -g).collect::<Vec<f64>>()];
        factor.solve(&mut right);
        let [direction] = right;
        Some((direction, vec![0.0; width], 0))
    }

    fn own(&self, i: usize, width: usize) -> f64 {
        self.free.filter(|_| i + 1 == width).unwrap_or(1.0)
    }

    /// The solution by conjugate gradients, preconditioned by the diagonal.
    fn conjugate(&self, gradient: &[f64], forcing: f64, most: usize) -> (Vec<f64>, Vec<f64>, usize) {
        let width = gradient.len();
        let mut inverse = self.x.squares(self.rows, self.curvature);
        inverse.iter_mut().enumerate().for_each(|(i, s)| *s = 1.0 / (*s + self.own(i, width)));
        let mut direction = vec![0.0; width];
        let mut residual: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let scaled =
            |residual: &[f64]| -> Vec<f64> { residual.iter().zip(&inverse).map(|(r, p)| r * p).collect() };
        let mut z = scaled(&residual);
        let (mut search, mut size) = (z.clone(), dot(&residual, &z));
        let target = size * forcing * forcing;
        let mut steps = 0;
        while steps < most && size > 0.0 {
            steps += 1;
            let mut product = self.x.curvature(self.rows, self.curvature, &search);
            product.iter_mut().zip(&search).enumerate().for_each(|(i, (p, v))| *p += self.own(i, width) * v);
            let step = size / dot(&search, &product);
            add(step, &search, &mut direction);
            add(-step, &product, &mut residual);
            z = scaled(&residual);
            let next = dot(&residual, &z);
            if next <= target {
                break;
            }
            let ratio = next / size;
            search.iter_mut().zip(&z).for_each(|(v, z)| *v = z + ratio * *v);
            size = next;
        }
        residual.iter_mut().for_each(|r| *r = -*r);
        (direction, residual, steps)
    }
}
