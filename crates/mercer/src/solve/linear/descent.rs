//! Coordinate descent on the dual: one point at a time, in an order drawn anew for each pass.
//!
//! With w = Σ βx kept up to date, the best β of one point for fixed others is a formula (Hsieh, Chang, Lin, Keerthi and
//! Sundararajan 2008; Ho and Lin 2012 for regression): with q = ‖x‖² + D, where D = 1/(2C) for squared costs and 0 else,
//!
//!   β ← allowed(shrink(β + (y − ⟨w, x⟩ − Dβ)/q, ε/q)),
//!
//! where shrink moves a number towards 0, and hinges are the case ε = 0. Points that stay where they are and would have to be pushed
//! by more than the largest push of the last pass are left out until the others have come to rest. The logistic cost has no formula: a few
//! steps of Newton's method find the best β of a point (Yu, Huang and Lin 2011), and no point is left out, since none is at a bound.
//! Cost: the entries of the data for a pass, in one thread; it pays where few passes are needed, for small C above all.
//!
//! The violation that is told is the largest projected gradient at the w and β of the answer, over all points: the measure by which
//! LIBLINEAR's solvers of the dual stop. It bounds no objective; the gap does, and is what ends the passes.

use std::time::Instant;

use super::cost::{Cost, best_share};
use super::design::{dot, sums};
use super::system::MAX_DIRECT;
use super::{Answer, Limits, Problem, Start, certificate};
use crate::data::SplitMix;
use crate::simd::expect;
use crate::solve::{Iterate, Progress, Watch};

/// How many points ahead the memory of a point is asked for: first its numbers, of which one says where its row is, then its row. With 2, 4
/// and 8 for the second a pass over 500,000 rows of 50 entries took 105, 103 and 107 ms, without asking 276 ms.
const AHEAD: [usize; 2] = [12, 4];
/// Passes from one look at the gap to the next.
const PASSES: u64 = 4;

/// The dual variables of the logistic cost at first, as a share of C, and at most: LIBLINEAR's.
const FIRST_SHARE: f64 = 1e-3;
const FIRST_SIZE: f64 = 1e-8;

/// Maximises the dual objective, from the dual variables of a start if there is one; the order of the points is drawn by `seed`.
pub(super) fn solve(
    problem: &Problem<'_>,
    start: Option<Start>,
    limits: &Limits,
    seed: u64,
    watch: Watch<'_>,
) -> Answer {
    let started = Instant::now();
    let mut run = Run::new(problem, seed);
    let mut passes: u64 = 0;
    // A start may be nearly all that there is to do: one pass, and a look at the gap.
    let mut look = start.is_some();
    match start {
        Some(start) => run.begin(&start.dual),
        None if problem.cost == Cost::Logistic => run.begin_inside(),
        None => {}
    }
    loop {
        let settled = run.pass() <= f64::EPSILON;
        passes += 1;
        if !settled
            && !std::mem::take(&mut look)
            && !passes.is_multiple_of(PASSES)
            && passes < limits.iterations
        {
            continue;
        }
        let (primal, gap, violation) = run.gap();
        let iterate = || Start { weights: run.weights.clone(), dual: run.dual.clone() };
        let progress = Progress {
            part: 0,
            parts: 1,
            rounds: passes,
            iterations: run.updates,
            active: run.active.len(),
            working_set: 1,
            pair: None,
            violation,
            gap,
            objective: gap - primal,
            elapsed: started.elapsed(),
            iterate: Iterate::of(&iterate),
        };
        // Nothing comes of passes over numbers that are not finite.
        let over = (settled && run.active.len() == problem.x.len()) || !gap.is_finite();
        if let Some(stop) = limits.reached(&progress, primal, over, watch) {
            let certificate = certificate(&progress, stop);
            return Answer { weights: run.weights, dual: run.dual, certificate };
        }
    }
}

/// The share of the gain of the second pass that the fourth must not exceed: where the gain does not even halve while passes double, dual variables creep towards their bounds and Newton's method is the faster.
const FALL: f64 = 0.5;
/// Passes before the gains are compared.
const FIRST_LOOK: usize = 4;
/// The work that the start may take, in passes over all points.
const WORK: f64 = 80.0;

/// Passes before Newton's method where there are many features and the cost has a kink.
const BEGINNING: usize = 3;

/// Passes before and between attempts of Newton's method.
pub(super) struct Beginning<'a> {
    problem: &'a Problem<'a>,
    seed: u64,
    /// The passes so far, and what each has added to the dual objective.
    run: Option<Run<'a>>,
    gains: Vec<f64>,
    /// What was done, in passes over all points.
    work: f64,
}

impl<'a> Beginning<'a> {
    /// No passes yet; the order of the points is drawn by `seed`.
    pub(super) fn new(problem: &'a Problem<'a>, seed: u64) -> Self {
        Self { problem, seed, run: None, gains: vec![0.0], work: 0.0 }
    }

    /// One pass more.
    fn pass(&mut self) {
        let run = self.run.get_or_insert_with(|| Run::new(self.problem, self.seed));
        self.work += run.active.len() as f64 / self.problem.x.len() as f64;
        run.pass();
        self.gains.push(run.gain);
    }

    /// A few passes, for a place from which Newton's method begins where its first steps would be dear: with a smoothing that is wide,
    /// most points are in the smooth part of their cost, and each step of conjugate gradients is a pass over them. None where a sample of
    /// the points is a better place or where Newton's method needs no smoothing.
    pub(super) fn few(&mut self) -> Option<Start> {
        let problem = self.problem;
        if problem.cost.is_smooth() || problem.free_offset || problem.x.width() <= MAX_DIRECT {
            return None;
        }
        (0..BEGINNING).for_each(|_| self.pass());
        self.run.as_ref().map(|run| Start { weights: run.weights.clone(), dual: run.dual.clone() })
    }

    /// Passes as long as they gain much; none where they do not from the beginning.
    pub(super) fn many(mut self, tolerance: f64) -> Option<Start> {
        while self.work < WORK {
            self.pass();
            let pass = self.gains.len() - 1;
            if pass == FIRST_LOOK && self.gains[FIRST_LOOK] > FALL * self.gains[FIRST_LOOK / 2] {
                return None;
            }
            if pass.is_multiple_of((pass / 4).max(PASSES as usize)) {
                let (primal, gap, _) = self.run.as_mut()?.gap();
                if gap <= tolerance * primal {
                    break;
                }
            }
        }
        self.run.map(|run| Start { weights: run.weights, dual: run.dual })
    }
}

struct Run<'a> {
    problem: &'a Problem<'a>,
    norms: Vec<f64>,
    /// w
    weights: Vec<f64>,
    /// β
    dual: Vec<f64>,
    /// The points that are not left out.
    active: Vec<u32>,
    /// The largest push of the last pass, in units of outputs.
    largest: f64,
    /// Pushes above this leave a point out that does not move.
    bound: f64,
    updates: u64,
    /// What the last pass has added to the dual objective.
    gain: f64,
    random: SplitMix,
}

impl<'a> Run<'a> {
    fn new(problem: &'a Problem<'a>, seed: u64) -> Self {
        let n = problem.x.len();
        Self {
            problem,
            norms: problem.x.norms(),
            weights: vec![0.0; problem.x.width()],
            dual: vec![0.0; n],
            active: (0..n as u32).collect(),
            largest: f64::INFINITY,
            bound: f64::INFINITY,
            updates: 0,
            gain: 0.0,
            random: SplitMix(seed),
        }
    }

    /// Begins where all dual variables are allowed: of the logistic cost none is 0.
    fn begin_inside(&mut self) {
        let prices = self.problem.prices.iter();
        let small = prices.zip(self.problem.targets).map(|(&c, y)| y * (FIRST_SHARE * c).min(FIRST_SIZE));
        let small: Vec<f64> = small.collect();
        self.begin(&small);
    }

    /// Takes dual variables to begin with, as far as they are allowed.
    fn begin(&mut self, dual: &[f64]) {
        let (targets, prices, cost) = (self.problem.targets, self.problem.prices, self.problem.cost);
        let points = dual.iter().zip(targets).zip(prices);
        self.dual = points.map(|((&beta, &y), &c)| cost.allowed(y, c, beta)).collect();
        self.weights = self.problem.x.sum(&self.active, &self.dual);
    }

    /// One pass over the points that are not left out; gives the largest push.
    fn pass(&mut self) -> f64 {
        if self.problem.cost == Cost::Logistic {
            return self.pass_of_shares();
        }
        let (epsilon, squared) = match self.problem.cost {
            Cost::Hinge => (0.0, false),
            Cost::Insensitive(epsilon) => (epsilon, false),
            Cost::SquaredInsensitive(epsilon) => (epsilon, true),
            Cost::SquaredHinge => (0.0, true),
            Cost::Logistic => unreachable!("it has a pass of its own"),
        };
        self.random.shuffle(&mut self.active);
        self.gain = 0.0;
        let (mut largest, mut at): (f64, usize) = (0.0, 0);
        while at < self.active.len() {
            self.expect(at);
            let i = self.active[at] as usize;
            let (y, c, old) = (self.problem.targets[i], self.problem.prices[i], self.dual[i]);
            let own = if squared { 0.5 / c } else { 0.0 };
            let q = (self.norms[i] + own).max(f64::MIN_POSITIVE);
            let push = y - self.problem.x.product(i, &self.weights) - own * old;
            let free = old + push / q;
            let shrunk = free.signum() * (free.abs() - epsilon / q).max(0.0);
            let new = self.problem.cost.allowed(y, c, shrunk);
            if new == old {
                // How far the output may change before the point moves.
                let slack =
                    if shrunk == 0.0 && old == 0.0 { epsilon / q - free.abs() } else { (shrunk - new).abs() };
                if slack * q > self.bound {
                    self.active.swap_remove(at);
                    continue;
                }
            } else {
                largest = largest.max((new - old).abs() * q);
                let change = new - old;
                self.gain += change * (push - 0.5 * q * change) - epsilon * (new.abs() - old.abs());
                self.dual[i] = new;
                self.problem.x.add(i, change, &mut self.weights);
                self.updates += 1;
            }
            at += 1;
        }
        self.largest = largest;
        self.bound = if largest > 0.0 { largest } else { f64::INFINITY };
        if largest <= f64::EPSILON && self.active.len() < self.problem.x.len() {
            self.active = (0..self.problem.x.len() as u32).collect();
            self.bound = f64::INFINITY;
            return f64::INFINITY;
        }
        largest
    }

    /// Has what will be read of the points after the one at a place of the order brought into the caches, which no order that is drawn
    /// does by itself.
    fn expect(&self, at: usize) {
        let after = |ahead: usize| self.active.get(at + ahead).map(|&i| i as usize);
        if let Some(i) = after(AHEAD[0]) {
            let Problem { targets, prices, .. } = self.problem;
            [targets, prices, &self.dual[..], &self.norms[..]].iter().for_each(|list| expect(&list[i..=i]));
            self.problem.x.expect_ends(i);
        }
        if let Some(i) = after(AHEAD[1]) {
            self.problem.x.expect(i);
        }
    }

    /// One pass over all points of the logistic cost; gives the largest push, in units of outputs or, if that is more, of C.
    fn pass_of_shares(&mut self) -> f64 {
        self.random.shuffle(&mut self.active);
        self.largest = 0.0;
        for at in 0..self.active.len() {
            self.expect(at);
            let i = self.active[at] as usize;
            let (y, c, old) = (self.problem.targets[i], self.problem.prices[i], self.dual[i]);
            let margin = y * self.problem.x.product(i, &self.weights);
            let share = best_share(self.norms[i], c, y * old, margin);
            let new = self.problem.cost.allowed(y, c, y * share);
            if new != old {
                // Where C is small a push of the whole of it moves no output.
                self.largest = self.largest.max((new - old).abs() * self.norms[i].max(1.0 / c));
                self.dual[i] = new;
                self.problem.x.add(i, new - old, &mut self.weights);
                self.updates += 1;
            }
        }
        self.largest
    }

    /// The primal objective, the gap and the largest violation. The sum w = Σ βx is made anew, so that rounding does not add up.
    fn gap(&mut self) -> (f64, f64, f64) {
        let n = self.problem.x.len();
        let rows: Vec<u32> = (0..n as u32).collect();
        self.weights = self.problem.x.sum(&rows, &self.dual);
        let mut outputs = vec![0.0; n];
        self.problem.x.products(&rows, &self.weights, &mut outputs);
        let cost = self.problem.cost;
        let [costs, duals] = sums(n, |i| {
            let (y, c) = (self.problem.targets[i], self.problem.prices[i]);
            [cost.value(y, c, outputs[i]), cost.dual(y, c, self.dual[i])]
        });
        let violation = |i: usize| {
            cost.violation(self.problem.targets[i], self.problem.prices[i], self.dual[i], outputs[i])
        };
        let violation = (0..n).map(violation).fold(0.0, f64::max);
        let square = dot(&self.weights, &self.weights);
        // Points that were left out count too: they come back when the gap is not yet small.
        let (primal, gap) = (0.5 * square + costs, (square + costs - duals).max(0.0));
        if self.largest < 0.1 * gap / (primal + f64::MIN_POSITIVE) {
            self.active = rows;
            self.bound = f64::INFINITY;
        }
        (primal, gap, violation)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::time::Duration;

    use super::*;
    use crate::data::Vectors;
    use crate::solve::linear::Design;
    use crate::solve::{Certificate, Stop, unwatched};

    const COSTS: [Cost; 5] = [
        Cost::Hinge,
        Cost::SquaredHinge,
        Cost::Logistic,
        Cost::Insensitive(0.1),
        Cost::SquaredInsensitive(0.1),
    ];

    /// Rows of four features, and noisy signs.
    fn drawn(n: usize) -> (Vectors, Vec<f64>) {
        let mut random = SplitMix(5);
        let mut uniform = || 2.0 * random.uniform() - 1.0;
        let rows: Vec<f64> = (0..4 * n).map(|_| uniform()).collect();
        let targets = rows.chunks(4).map(|x| (x[0] - x[2] + 0.3 * uniform()).signum()).collect();
        (Vectors::dense(4, rows), targets)
    }

    fn problem<'a>(x: &'a Vectors, targets: &'a [f64], prices: &'a [f64], cost: Cost) -> Problem<'a> {
        let x = Design::new(x, 1.0);
        Problem { x, targets, prices, cost, free_offset: false, offset_price: 0.0 }
    }

    const LIMITS: Limits = Limits { tolerance: 1e-7, iterations: 100_000, time: None };

    #[test]
    fn points_at_their_bounds_are_left_out_and_come_back() {
        let (x, targets) = drawn(300);
        let prices = vec![1.0; 300];
        let problem = problem(&x, &targets, &prices, Cost::Hinge);
        let mut run = Run::new(&problem, 1);
        for _ in 0..40 {
            run.pass();
        }
        assert!(run.active.len() < 100, "{}", run.active.len());
        // Where pushes are small beside what is left of the gap, all are looked at again.
        run.largest = 0.0;
        run.gap();
        assert_eq!(run.active.len(), 300);
        let answer = solve(&problem, None, &LIMITS, 1, &mut unwatched());
        run.begin(&answer.dual);
        // What was left out counts: the answer is that of all points.
        let (primal, gap, violation) = run.gap();
        assert!(gap <= 1e-7 * primal && violation < 1e-2, "{gap} of {primal}, {violation}");
        let largest = |cost: Cost| {
            (0..300)
                .map(|i| {
                    let m = problem.x.product(i, &run.weights);
                    cost.violation(targets[i], 1.0, run.dual[i], m)
                })
                .fold(0.0, f64::max)
        };
        assert!((largest(Cost::Hinge) - violation).abs() <= 1e-12);
    }

    #[test]
    fn a_seed_is_an_answer_and_another_seed_another_way_to_the_same_optimum() {
        let (x, targets) = drawn(150);
        let prices: Vec<f64> = (0..150).map(|i| 0.2 * f64::from(1 + i % 3)).collect();
        for cost in COSTS {
            let problem = problem(&x, &targets, &prices, cost);
            let by = |seed, limits: &Limits| solve(&problem, None, limits, seed, &mut unwatched());
            let primal = |answer: &Answer| answer.certificate.gap.unwrap() - answer.certificate.objective;
            let (one, again, other) = (by(1, &LIMITS), by(1, &LIMITS), by(2, &LIMITS));
            assert!(one.weights == again.weights && one.dual == again.dual, "{cost:?}");
            assert_eq!((one.certificate.stop, other.certificate.stop), (Stop::Converged, Stop::Converged));
            assert!((primal(&one) - primal(&other)).abs() <= 1e-7 * primal(&one), "{cost:?}");
            let early = Limits { iterations: 1, ..LIMITS };
            assert_ne!(by(1, &early).weights, by(2, &early).weights, "{cost:?}");
        }
    }

    #[test]
    fn limits_and_interruptions_end_with_a_true_gap() {
        let (x, targets) = drawn(200);
        let prices = vec![10.0; 200];
        for cost in COSTS {
            let problem = problem(&x, &targets, &prices, cost);
            let best = solve(&problem, None, &LIMITS, 0, &mut unwatched()).certificate;
            let best = best.gap.unwrap() - best.objective;
            let tight = Limits { tolerance: 1e-15, ..LIMITS };
            let few = Limits { iterations: 3, ..tight };
            let none = Limits { time: Some(Duration::ZERO), ..tight };
            let mut stop = |_: &Progress| ControlFlow::Break(());
            for (answer, expected) in [
                (solve(&problem, None, &few, 0, &mut unwatched()), Stop::IterationLimit),
                (solve(&problem, None, &none, 0, &mut unwatched()), Stop::TimeLimit),
                (solve(&problem, None, &tight, 0, &mut stop), Stop::Interrupted),
            ] {
                let Certificate { stop, gap, objective, iterations, .. } = answer.certificate;
                assert_eq!(stop, expected, "{cost:?}");
                assert!(iterations > 0 && gap.unwrap() > 0.0);
                // The bound from below is below the optimum, the objective above it.
                assert!(-objective <= best * (1.0 + 1e-12), "{cost:?}");
                assert!(gap.unwrap() - objective >= best * (1.0 - 1e-6), "{cost:?}");
            }
        }
    }

    #[test]
    fn the_dual_of_logistic_regression_begins_and_ends_inside() {
        let (x, targets) = drawn(120);
        for (dear, cheap) in [(1e3, 1e-3), (1.0, 1.0), (1e-200, 1e-250)] {
            let prices: Vec<f64> = (0..120).map(|i| if i % 7 == 0 { dear } else { cheap }).collect();
            let problem = problem(&x, &targets, &prices, Cost::Logistic);
            let answer = solve(&problem, None, &LIMITS, 0, &mut unwatched());
            assert_eq!(answer.certificate.stop, Stop::Converged, "{dear} {cheap}");
            for ((beta, y), c) in answer.dual.iter().zip(&targets).zip(&prices) {
                assert!(y * beta > 0.0 && y * beta < *c, "{beta} of {c}");
            }
        }
    }
}
