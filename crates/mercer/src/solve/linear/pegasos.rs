//! Stochastic subgradient descent after Shalev-Shwartz, Singer, Srebro and Cotter (Pegasos, 2007, 2011), for hinge and logistic costs.
//!
//! With T = Σ Cᵢ and λ = 1/T, the objective ½‖w‖² + Σ Cᵢ cost(mᵢ) is T times λ/2 ‖w‖² plus a mean of costs. Step t takes some k of the
//! n points, and with the step size 1/(λt) and βᵢ = −Cᵢ cost′(mᵢ) is
//!
//!   w ← (1 − 1/t) w + n/(kt) Σ βᵢxᵢ,
//!
//! and then, if asked for, w ← w · min(1, √(T cost(0))/‖w‖): the optimum is inside that ball. Points are taken in an order drawn anew
//! for each pass. The answer is the mean of the iterates of the last half of the passes, or the last of them. The error falls as 1/t at
//! best: for a quick answer, not for an exact one. The steps themselves are in [`stochastic`](super::stochastic).
//!
//! **The gap** is a true bound, if a loose one. Its dual point is β of the smoothed cost at w, for the best of a few widths of smoothing,
//! and for the hinge the best multiple of it. It is looked at after all, a half, a quarter, … of the passes, which costs a few passes.

use std::time::Instant;

use super::cost::Cost;
use super::design::{Design, dot, sums};
use super::stochastic::{Entries, How, Mean, State, Steps};
use super::{Answer, Limits, Problem, certificate};
use crate::data::SplitMix;
use crate::solve::{Iterate, Progress, Watch};

/// Widths of smoothing that are tried for the bound, as σ in units of the mean price.
const SIGMAS: [f64; 5] = [0.25, 1.0, 4.0, 16.0, 64.0];

/// How the steps are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pegasos {
    /// Step sizes.
    pub(crate) steps: Steps,
    /// Points of a step, at least 1.
    pub(crate) batch: usize,
    /// Whether w is kept inside the ball.
    pub(crate) projection: bool,
    /// Whether the answer is the mean of the last half of the iterates.
    pub(crate) averaging: bool,
    /// What the order of the points is drawn by.
    pub(crate) seed: u64,
}

impl Pegasos {
    /// How steps are made for a cost and λ. By the duality of the hinge and the logistic cost the optimum has λ‖w‖² ≤ cost(0).
    pub(super) fn of(&self, cost: Cost, lambda: f64, mean: Mean) -> How {
        let at_zero = cost.value(1.0, 1.0, 0.0);
        let radius = if self.projection { (at_zero / lambda).sqrt() } else { f64::INFINITY };
        How { lambda, steps: self.steps, mean, radius }
    }

    /// Makes as many passes as there may be iterations, fewer where the gap is small enough before.
    pub(crate) fn solve(&self, problem: &Problem<'_>, limits: &Limits, watch: Watch<'_>) -> Answer {
        let started = Instant::now();
        let mut run = Run::new(problem, *self);
        let mut order: Vec<u32> = (0..problem.x.len() as u32).collect();
        let mut passes: u64 = 0;
        loop {
            run.random.shuffle(&mut order);
            order.chunks(self.batch).for_each(|rows| run.step(rows));
            passes += 1;
            let late = limits.time.is_some_and(|limit| started.elapsed() >= limit);
            if !late && !is_part(passes, limits.iterations) {
                continue;
            }
            let weights = run.state.answer();
            let (primal, gap, dual) = bound(problem, &weights);
            let progress = Progress {
                part: 0,
                parts: 1,
                rounds: passes,
                iterations: run.state.steps,
                active: problem.x.len(),
                working_set: self.batch,
                pair: None,
                violation: gap / primal.max(f64::MIN_POSITIVE),
                gap,
                objective: gap - primal,
                elapsed: started.elapsed(),
                iterate: Iterate::default(),
            };
            if let Some(stop) = limits.reached(&progress, primal, false, watch) {
                return Answer { weights, dual, certificate: certificate(&progress, stop) };
            }
            run.state.begin_mean();
        }
    }
}

/// Whether `passes` are all, or (rounded up) a half, a quarter, … of all.
fn is_part(passes: u64, all: u64) -> bool {
    let mut part = all;
    while part > passes && part > 1 {
        part = part.div_ceil(2);
    }
    part == passes || passes >= all
}

/// A row of a problem.
struct Point<'a> {
    x: &'a Design<'a>,
    i: usize,
    /// ‖x‖², where it is needed.
    norm: f64,
}

impl Entries for Point<'_> {
    fn product(&self, vector: &[f64]) -> f64 {
        self.x.product(self.i, vector)
    }

    fn add(&self, c: f64, vector: &mut [f64]) {
        self.x.add(self.i, c, vector);
    }

    fn square(&self) -> f64 {
        self.norm
    }
}

/// Steps over the rows of a problem.
struct Run<'a> {
    problem: &'a Problem<'a>,
    state: State,
    /// ‖x‖² of each row, where w is projected.
    norms: Vec<f64>,
    /// What a price is multiplied by so that the mean of all is 1.
    price: f64,
    random: SplitMix,
}

impl<'a> Run<'a> {
    fn new(problem: &'a Problem<'a>, how: Pegasos) -> Self {
        let sum: f64 = problem.prices.iter().sum();
        let mean = if how.averaging { Mean::Plain } else { Mean::None };
        let state = State::new(problem.x.width(), how.of(problem.cost, 1.0 / sum, mean));
        let norms = if how.projection { problem.x.norms() } else { Vec::new() };
        let price = problem.x.len() as f64 / sum;
        Self { problem, state, norms, price, random: SplitMix(how.seed) }
    }

    fn step(&mut self, rows: &[u32]) {
        let p = self.problem;
        let mut outputs = vec![0.0; rows.len()];
        p.x.products(rows, &self.state.vector, &mut outputs);
        let (scale, price) = (self.state.scale, self.price);
        let beta = |(&i, m): (&u32, &f64)| {
            let i = i as usize;
            (i, slope(p.cost, p.targets[i], price * p.prices[i], scale * m))
        };
        let points = rows.iter().zip(&outputs).map(beta).filter(|(_, beta)| *beta != 0.0);
        let norm = |i: usize| self.norms.get(i).copied().unwrap_or(0.0);
        let points = points.map(|(i, beta)| (Point { x: &p.x, i, norm: norm(i) }, beta));
        self.state.step(points, rows.len());
    }
}

/// β = −C cost′(m) of a point.
pub(super) fn slope(cost: Cost, y: f64, c: f64, m: f64) -> f64 {
    match cost {
        Cost::Hinge => {
            if y * m < 1.0 {
                y * c
            } else {
                0.0
            }
        }
        cost => cost.answer(y, c, (0.0, 1.0), m).0,
    }
}

/// The primal objective at w, the gap to the best of the bounds, and the β of that.
fn bound(p: &Problem<'_>, weights: &[f64]) -> (f64, f64, Vec<f64>) {
    let n = p.x.len();
    let rows: Vec<u32> = (0..n as u32).collect();
    let mut outputs = vec![0.0; n];
    p.x.products(&rows, weights, &mut outputs);
    let [costs] = sums(n, |i| [p.cost.value(p.targets[i], p.prices[i], outputs[i])]);
    let primal = 0.5 * dot(weights, weights) + costs;
    let mean = p.prices.iter().sum::<f64>() / n.max(1) as f64;
    // β = 0 is allowed and bounds the objective by 0.
    let mut best = (0.0, vec![0.0; n]);
    for sigma in if p.cost == Cost::Hinge { &SIGMAS[..] } else { &SIGMAS[..1] } {
        let beta = |i: usize| p.cost.answer(p.targets[i], p.prices[i], (0.0, sigma * mean), outputs[i]).0;
        let mut dual: Vec<f64> = (0..n).map(beta).collect();
        let sum = p.x.sum(&rows, &dual);
        let square = dot(&sum, &sum);
        let [whole] = sums(n, |i| [p.cost.dual(p.targets[i], p.prices[i], dual[i])]);
        let linear = p.cost == Cost::Hinge && square > 0.0;
        let factor = if linear { (whole / square).min(1.0) } else { 1.0 };
        let value = factor * whole - 0.5 * factor * factor * square;
        if value > best.0 {
            dual.iter_mut().for_each(|b| *b *= factor);
            best = (value, dual);
        }
    }
    (primal, (primal - best.0).max(0.0), best.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Vectors;
    use crate::solve::linear::{Design, newton};
    use crate::solve::{Stop, unwatched};

    fn drawn(n: usize, d: usize) -> (Vectors, Vec<f64>, Vec<f64>) {
        let mut random = SplitMix(3);
        let mut uniform = || 2.0 * random.uniform() - 1.0;
        let rows: Vec<f64> = (0..n * d).map(|_| uniform()).collect();
        let targets = rows.chunks(d).map(|x| (x.iter().sum::<f64>() + uniform()).signum()).collect();
        let prices = (0..n).map(|i| 0.02 * (1 + i % 3) as f64).collect();
        (Vectors::dense(d, rows), targets, prices)
    }

    fn all() -> impl Iterator<Item = (Cost, Pegasos)> {
        let how = |(batch, projection, averaging)| Pegasos {
            steps: Steps::Inverse,
            batch,
            projection,
            averaging,
            seed: 1,
        };
        [(1, false, true), (1, true, false), (7, true, true), (64, false, false)]
            .into_iter()
            .flat_map(move |kind| [Cost::Hinge, Cost::Logistic].map(|cost| (cost, how(kind))))
    }

    #[test]
    fn many_passes_come_near_the_optimum_and_the_gap_is_a_bound() {
        let (x, targets, prices) = drawn(400, 6);
        for (cost, how) in all() {
            let x = Design::new(&x, 1.0);
            let (targets, prices) = (&targets[..], &prices[..]);
            let p = Problem { x, targets, prices, cost, free_offset: false, offset_price: 0.0 };
            let limits = Limits { tolerance: 1e-9, iterations: 400, time: None };
            let answer = how.solve(&p, &limits, &mut unwatched());
            assert!(matches!(answer.certificate.stop, Stop::IterationLimit | Stop::Converged));
            let gap = answer.certificate.gap.unwrap();
            let primal = gap - answer.certificate.objective;
            let best = newton::solve(&p, None, &limits, &mut unwatched()).certificate;
            let best = best.gap.unwrap() - best.objective;
            assert!(primal >= best - 1e-8 * best && primal - gap <= best, "{cost:?} {how:?}");
            assert!(primal <= 1.01 * best, "{cost:?} {how:?}: {primal} and {best}");
            assert!(gap <= 0.3 * primal, "{cost:?} {how:?}: {gap} of {primal}");
        }
    }

    #[test]
    fn a_gap_beyond_the_largest_number_is_not_converged() {
        let (x, targets, _) = drawn(50, 3);
        let x = Design::new(&x, 1.0);
        let limits = Limits { tolerance: 1e-2, iterations: 8, time: None };
        for (price, steps, projection) in
            [(1e300, Steps::Inverse, true), (1.0, Steps::Constant(1e200), false)]
        {
            let (targets, prices, cost) = (&targets[..], &[price; 50][..], Cost::Hinge);
            let p = Problem { x, targets, prices, cost, free_offset: false, offset_price: 0.0 };
            let how = Pegasos { steps, batch: 1, projection, averaging: true, seed: 1 };
            let own = how.solve(&p, &limits, &mut unwatched()).certificate;
            assert_eq!(own.stop, Stop::IterationLimit, "{price} {steps:?}: {own:?}");
        }
    }

    #[test]
    fn the_first_steps_are_those_written_out() {
        let (x, targets, prices) = drawn(40, 3);
        let (mut order, mut w, mut sum) = ((0..40).collect::<Vec<u32>>(), vec![0.0; 3], vec![0.0; 3]);
        SplitMix(1).shuffle(&mut order);
        for (t, rows) in order.chunks(4).enumerate() {
            let t = (t + 1) as f64;
            let mut step = vec![0.0; 3];
            for &i in rows {
                let (y, mut m) = (targets[i as usize], 0.0);
                x.row(i as usize).for_each(|k, v| m += v * w[k]);
                if y * m < 1.0 {
                    x.row(i as usize).for_each(|k, v| step[k] += y * prices[i as usize] * v);
                }
            }
            w.iter_mut().zip(&step).for_each(|(w, s)| *w = (1.0 - 1.0 / t) * *w + 10.0 / t * s);
            sum.iter_mut().zip(&w).for_each(|(s, w)| *s += w / 10.0);
        }
        let x = Design::new(&x, 0.0);
        let (targets, prices, cost) = (&targets[..], &prices[..], Cost::Hinge);
        let p = Problem { x, targets, prices, cost, free_offset: false, offset_price: 0.0 };
        let limits = Limits { tolerance: 1e-9, iterations: 1, time: None };
        for (averaging, expected) in [(false, w), (true, sum)] {
            let how = Pegasos { steps: Steps::Inverse, batch: 4, projection: false, averaging, seed: 1 };
            let found = how.solve(&p, &limits, &mut unwatched()).weights;
            found.iter().zip(&expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{a} and {b}"));
        }
    }

    #[test]
    fn the_gap_is_looked_at_after_all_a_half_a_quarter() {
        let looks: Vec<u64> = (1..=10).filter(|&passes| is_part(passes, 10)).collect();
        assert_eq!(looks, [1, 2, 3, 5, 10]);
        assert!(is_part(1, 1) && is_part(1, 0));
    }

    #[test]
    fn the_bits_do_not_depend_on_the_threads() {
        let (x, targets, prices) = drawn(5000, 8);
        for (cost, how) in all() {
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let x = Design::new(&x, 1.0);
                let (targets, prices) = (&targets[..], &prices[..]);
                let p = Problem { x, targets, prices, cost, free_offset: false, offset_price: 0.0 };
                let limits = Limits { tolerance: 1e-9, iterations: 3, time: None };
                pool.install(|| {
                    let answer = how.solve(&p, &limits, &mut unwatched());
                    (answer.weights, answer.dual)
                })
            };
            let one = on(1);
            assert!(on(2) == one && on(3) == one, "{cost:?} {how:?}");
        }
    }
}
