//! Coordinate descent on the dual: one point at a time, in an order drawn anew for each pass.
//!
//! With w = Σ βx kept up to date, the best β of one point for fixed others is a formula (Hsieh, Chang, Lin, Keerthi and
//! Sundararajan 2008; Ho and Lin 2012 for regression): with q = ‖x‖² + D, where D = 1/(2C) for squared costs and 0 else,
//!
//!   β ← allowed(shrink(β + (y − ⟨w, x⟩ − Dβ)/q, ε/q)),
//!
//! where shrink moves a number towards 0, and hinges are the case ε = 0. Points that stay where they are and would have to be pushed
//! by more than the largest push of the last pass are left out until the others have come to rest. Cost: the entries of the data for
//! a pass, in one thread; it pays where few passes are needed, for small C above all.

use std::ops::ControlFlow;
use std::time::Instant;

use super::cost::Cost;
use super::design::{dot, sums};
use super::system::MAX_DIRECT;
use super::{Answer, Limits, Problem, Start};
use crate::data::SplitMix;
use crate::solve::{Certificate, Progress, Stop, Watch};

/// Passes from one look at the gap to the next.
const PASSES: u64 = 4;

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
    if let Some(start) = start {
        run.begin(&start.dual);
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
        let (primal, gap) = run.gap();
        let elapsed = started.elapsed();
        let progress = Progress {
            part: 0,
            parts: 1,
            rounds: passes,
            iterations: run.updates,
            active: run.active.len(),
            working_set: 1,
            pair: None,
            violation: run.largest,
            gap,
            objective: gap - primal,
            elapsed,
        };
        let stop = if gap <= limits.tolerance * primal.abs() {
            Some(Stop::Converged)
        } else if watch(&progress) == ControlFlow::Break(()) {
            Some(Stop::Interrupted)
        } else if passes >= limits.iterations {
            Some(Stop::IterationLimit)
        } else if limits.time.is_some_and(|limit| elapsed >= limit) {
            Some(Stop::TimeLimit)
        } else if settled && run.active.len() == problem.x.len() {
            Some(Stop::Stalled)
        } else {
            None
        };
        if let Some(stop) = stop {
            let certificate = Certificate {
                objective: gap - primal,
                gap: Some(gap),
                violation: run.largest,
                iterations: run.updates,
                rows: 0.0,
                stop,
                exact: false,
            };
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

/// A few passes, for a place from which Newton's method begins where its first steps would be dear: with a smoothing that is wide, most
/// points are in the smooth part of their cost, and each step of conjugate gradients is a pass over them. None where a sample of the
/// points is a better place or where Newton's method needs no smoothing.
pub(super) fn begun(problem: &Problem<'_>, seed: u64) -> Option<Start> {
    if problem.cost.is_smooth() || problem.free_offset || problem.x.width() <= MAX_DIRECT {
        return None;
    }
    let mut run = Run::new(problem, seed);
    for _ in 0..BEGINNING {
        run.pass();
    }
    Some(Start { weights: run.weights, dual: run.dual })
}

/// Passes as long as they gain much; none where they do not from the beginning.
pub(super) fn start(problem: &Problem<'_>, tolerance: f64, seed: u64) -> Option<Start> {
    let mut run = Run::new(problem, seed);
    let (mut gains, mut work, mut pass) = (vec![0.0], 0.0, 0_usize);
    while work < WORK {
        pass += 1;
        work += run.active.len() as f64 / problem.x.len() as f64;
        run.pass();
        gains.push(run.gain);
        if pass == FIRST_LOOK && run.gain > FALL * gains[FIRST_LOOK / 2] {
            return None;
        }
        if pass.is_multiple_of((pass / 4).max(PASSES as usize)) {
            let (primal, gap) = run.gap();
            if gap <= tolerance * primal {
                break;
            }
        }
    }
    Some(Start { weights: run.weights, dual: run.dual })
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

    /// Takes dual variables to begin with, as far as they are allowed.
    fn begin(&mut self, dual: &[f64]) {
        let (targets, prices, cost) = (self.problem.targets, self.problem.prices, self.problem.cost);
        let points = dual.iter().zip(targets).zip(prices);
        self.dual = points.map(|((&beta, &y), &c)| cost.allowed(y, c, beta)).collect();
        self.weights = self.problem.x.sum(&self.active, &self.dual);
    }

    /// One pass over the points that are not left out; gives the largest push.
    fn pass(&mut self) -> f64 {
        let (epsilon, squared) = match self.problem.cost {
            Cost::Hinge => (0.0, false),
            Cost::Insensitive(epsilon) => (epsilon, false),
            Cost::SquaredInsensitive(epsilon) => (epsilon, true),
            Cost::SquaredHinge | Cost::Logistic => (0.0, true),
        };
        self.random.shuffle(&mut self.active);
        self.gain = 0.0;
        let (mut largest, mut at): (f64, usize) = (0.0, 0);
        while at < self.active.len() {
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

    /// The primal objective and the gap. The sum w = Σ βx is made anew, so that rounding does not add up.
    fn gap(&mut self) -> (f64, f64) {
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
        let square = dot(&self.weights, &self.weights);
        // Points that were left out count too: they come back when the gap is not yet small.
        let (primal, gap) = (0.5 * square + costs, (square + costs - duals).max(0.0));
        if self.largest < 0.1 * gap / (primal + f64::MIN_POSITIVE) {
            self.active = rows;
            self.bound = f64::INFINITY;
        }
        (primal, gap)
    }
}
