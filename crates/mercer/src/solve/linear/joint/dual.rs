//! Costs with kinks by coordinate descent on the dual: one point at a time, in an order drawn anew for each pass.
//!
//! With W = Σ xᵢβᵢᵀ kept up to date, the best shares p of one point for fixed others are a formula (Keerthi, Sundararajan, Chang, Hsieh
//! and Lin 2008). For Crammer and Singer's cost they are the point of the simplex nearest to p + g/‖x‖²; for Weston and Watkins' each
//! share in turn goes to p_c + z_c/(2‖x‖²), moved into 0 … C, after which z of the others has changed. A point whose shares rest, and
//! would do so if outputs changed by more than the largest violation of the last pass, is left out, until such points have a part
//! of the gap again. Cost: the entries of the data times the classes for a pass, in one thread; memory: a number for each point and class.

use std::time::Instant;

use rayon::prelude::*;

use super::cost::{JointCost, Point, largest, threshold};
use super::{Joint, Together};
use crate::data::SplitMix;
use crate::solve::linear::design::dot;
use crate::solve::linear::{Limits, certificate};
use crate::solve::{Certificate, Progress, Watch};

/// Passes from one look at the gap to the next.
const PASSES: u64 = 4;
/// The part of the gap that points which are left out may have before they come back.
const LEFT_OUT: f64 = 0.1;
/// Points whose terms of the gap one thread computes at a time.
const ROWS: usize = 256;
/// A violation below this share of the largest g is rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// The work that a start may take, in passes over all points.
const WORK: f64 = 200.0;

/// Solves a problem; the order of the points is drawn by `seed`.
pub(super) fn solve(problem: &Joint<'_>, limits: &Limits, seed: u64, watch: Watch<'_>) -> Together {
    let started = Instant::now();
    let mut run = Run::new(problem, seed);
    let mut passes: u64 = 0;
    loop {
        let settled = run.pass();
        passes += 1;
        if !settled && !passes.is_multiple_of(PASSES) && passes < limits.iterations {
            continue;
        }
        let (mut primal, mut gap) = run.gap();
        if gap <= limits.tolerance * primal || settled {
            // What was carried along from pass to pass is computed anew before it is believed.
            run.refresh();
            (primal, gap) = run.gap();
        }
        let progress = Progress {
            part: 0,
            parts: 1,
            rounds: passes,
            iterations: run.updates,
            active: run.active.len(),
            working_set: problem.count,
            pair: None,
            violation: run.largest,
            gap,
            objective: gap - primal,
            elapsed: started.elapsed(),
        };
        if let Some(stop) = limits.reached(&progress, primal, settled, watch) {
            return run.answer(certificate(&progress, stop));
        }
    }
}

/// Some passes, as many as are enough or pay before Newton's method: weights, a line for each feature, and shares.
pub(super) fn start(problem: &Joint<'_>, tolerance: f64, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut run = Run::new(problem, seed);
    let (mut work, mut next) = (0.0, PASSES as f64);
    while work < WORK {
        work += (run.active.len() as f64 / problem.x.len() as f64).max(1e-2);
        let settled = run.pass();
        if work < next && !settled {
            continue;
        }
        let (primal, gap) = run.gap();
        if settled || gap <= 0.5 * tolerance * primal {
            break;
        }
        next = 1.5 * work;
    }
    run.refresh();
    (run.weights, run.shares)
}

struct Run<'a> {
    problem: &'a Joint<'a>,
    norms: Vec<f64>,
    /// w, a line for each feature with a number for each class.
    weights: Vec<f64>,
    /// p
    shares: Vec<f64>,
    /// The points that are not left out.
    active: Vec<u32>,
    /// The largest violation of the last pass, in units of outputs.
    largest: f64,
    /// A point that is decided by more than this is left out.
    bound: f64,
    updates: u64,
    random: SplitMix,
    /// Of one point: its outputs, what its shares are made of, and the change of its β.
    scores: Vec<f64>,
    wished: Vec<f64>,
    change: Vec<f64>,
}

/// What a look at one point has found.
enum Look {
    /// Its shares have changed; the violation there was.
    Moved(f64),
    /// Its shares are the best; by how much outputs may change before they are not.
    Rests(f64),
}

impl<'a> Run<'a> {
    fn new(problem: &'a Joint<'a>, seed: u64) -> Self {
        let (n, count) = (problem.x.len(), problem.count);
        let mut shares = vec![0.0; n * count];
        for (i, (&class, &price)) in problem.classes.iter().zip(problem.prices).enumerate() {
            shares[i * count + class as usize] = price;
        }
        Self {
            problem,
            norms: problem.x.norms(),
            weights: vec![0.0; problem.x.width() * count],
            shares,
            active: (0..n as u32).collect(),
            largest: f64::INFINITY,
            bound: f64::INFINITY,
            updates: 0,
            random: SplitMix(seed),
            scores: vec![0.0; count],
            wished: vec![0.0; count],
            change: vec![0.0; count],
        }
    }

    fn point(&self, i: usize) -> Point {
        Point { class: self.problem.classes[i] as usize, price: self.problem.prices[i] }
    }

    /// One pass over the points that are not left out; whether none of all points has moved.
    fn pass(&mut self) -> bool {
        self.random.shuffle(&mut self.active);
        let (mut largest, mut at): (f64, usize) = (0.0, 0);
        while at < self.active.len() {
            match self.look(self.active[at]) {
                Look::Moved(violation) => largest = largest.max(violation),
                Look::Rests(slack) if slack > self.bound => {
                    self.active.swap_remove(at);
                    continue;
                }
                Look::Rests(_) => {}
            }
            at += 1;
        }
        let all = self.active.len() == self.problem.x.len();
        (self.largest, self.bound) = (largest, largest);
        if largest == 0.0 {
            self.restore();
        }
        largest == 0.0 && all
    }

    fn restore(&mut self) {
        self.active = (0..self.problem.x.len() as u32).collect();
        self.bound = f64::INFINITY;
    }

    /// Finds the best shares of point `i`.
    fn look(&mut self, i: u32) -> Look {
        let count = self.problem.count;
        self.problem.x.scores(&[i], count, &self.weights, &mut self.scores);
        let class = self.problem.classes[i as usize] as usize;
        self.scores.iter_mut().enumerate().for_each(|(c, g)| *g += if c == class { 0.0 } else { 1.0 });
        let look = match self.problem.cost {
            JointCost::WestonWatkins => self.each_rival(i as usize),
            _ => self.all_rivals(i as usize),
        };
        if let Look::Moved(_) = look {
            self.problem.x.spread(&[i], count, &self.change, &mut self.weights);
            self.updates += 1;
        }
        look
    }

    /// The best shares for Crammer and Singer's cost: those of the simplex nearest to p + g/‖x‖².
    fn all_rivals(&mut self, i: usize) -> Look {
        let (price, norm, count) = (self.problem.prices[i], self.norms[i], self.problem.count);
        let shares = &mut self.shares[i * count..][..count];
        let top = largest(&self.scores);
        let lowest = self.scores.iter().zip(&*shares).filter(|(_, p)| **p > 0.0);
        let lowest = lowest.fold(f64::INFINITY, |low, (g, _)| low.min(*g));
        if top - lowest <= ROUNDING * (1.0 + top.abs()) {
            return Look::Rests(slack(&self.scores, shares));
        }
        if norm > 0.0 {
            // From the largest g, so that shares that are small beside it keep their digits.
            let wished = self.scores.iter().zip(&*shares).map(|(g, p)| g - top + norm * p);
            self.wished.iter_mut().zip(wished).for_each(|(to, wish)| *to = wish);
            let level = threshold(&self.wished, norm * price);
            for ((p, wish), change) in shares.iter_mut().zip(&self.wished).zip(&mut self.change) {
                let new = (wish - level).max(0.0) / norm;
                (*change, *p) = (*p - new, new);
            }
        } else {
            let first = self.scores.iter().position(|&g| g == top);
            shares.iter_mut().enumerate().for_each(|(c, p)| *p = if Some(c) == first { price } else { 0.0 });
            self.change.fill(0.0);
        }
        Look::Moved(top - lowest)
    }

    /// The best shares for Weston and Watkins' cost, one class after the other.
    fn each_rival(&mut self, i: usize) -> Look {
        let (Point { class, price }, norm, count) = (self.point(i), self.norms[i], self.problem.count);
        let shares = &mut self.shares[i * count..][..count];
        let (mut largest, mut slack): (f64, f64) = (0.0, f64::INFINITY);
        self.change.fill(0.0);
        for c in (0..count).filter(|&c| c != class) {
            let (z, old) = (self.scores[c] - self.scores[class], shares[c]);
            let new = (old + z / (2.0 * norm).max(f64::MIN_POSITIVE)).clamp(0.0, price);
            if new == old {
                slack = slack.min(if old == 0.0 {
                    -z
                } else if old == price {
                    z
                } else {
                    0.0
                });
                continue;
            }
            let moved = new - old;
            largest = largest.max(moved.abs() * 2.0 * norm);
            (shares[c], self.change[c]) = (new, -moved);
            self.change[class] += moved;
            self.scores[c] -= moved * norm;
            self.scores[class] += moved * norm;
        }
        // A change that does not change the outputs but for rounding is none.
        let size = 1.0 + self.scores[class].abs();
        if largest <= ROUNDING * size && norm > 0.0 {
            return Look::Rests(if largest > 0.0 { 0.0 } else { slack });
        }
        shares[class] = price - (0..count).filter(|&c| c != class).map(|c| shares[c]).sum::<f64>();
        if norm > 0.0 { Look::Moved(largest) } else { Look::Rests(0.0) }
    }

    /// The primal objective and the gap; points that are left out come back where they have a part of it.
    fn gap(&mut self) -> (f64, f64) {
        let (n, count) = (self.problem.x.len(), self.problem.count);
        let mut active = vec![false; n];
        self.active.iter().for_each(|&i| active[i as usize] = true);
        let rows: Vec<u32> = (0..n as u32).collect();
        let pieces: Vec<[f64; 3]> = rows
            .par_chunks(ROWS)
            .map(|rows| {
                let mut scores = vec![0.0; rows.len() * count];
                self.problem.x.scores(rows, count, &self.weights, &mut scores);
                rows.iter().zip(scores.chunks(count)).fold([0.0; 3], |[costs, gap, out], (&i, scores)| {
                    let (cost, point) = (self.problem.cost, self.point(i as usize));
                    let part = cost.gap(point, scores, &self.shares[i as usize * count..][..count]);
                    let left = if active[i as usize] { 0.0 } else { part };
                    [costs + cost.value(point, scores), gap + part, out + left]
                })
            })
            .collect();
        let sum = |k: usize| pieces.iter().map(|piece| piece[k]).sum::<f64>();
        let (costs, gap, out) = (sum(0), sum(1), sum(2));
        if out > LEFT_OUT * gap {
            self.restore();
        }
        (0.5 * dot(&self.weights, &self.weights) + costs, gap)
    }

    /// Makes w anew from the shares, and the shares of each point add up to its price, so that rounding does not add up.
    fn refresh(&mut self) {
        let count = self.problem.count;
        let mut rows = self.shares.clone();
        for i in 0..self.problem.x.len() {
            let point = self.point(i);
            let (shares, line) = (&mut self.shares[i * count..][..count], &mut rows[i * count..][..count]);
            self.problem.cost.allow(point, shares);
            line.iter_mut().zip(shares).for_each(|(c, p)| *c = -*p);
            line[point.class] += point.price;
        }
        self.weights.fill(0.0);
        let points: Vec<u32> = (0..self.problem.x.len() as u32).collect();
        self.problem.x.spread(&points, count, &rows, &mut self.weights);
    }

    fn answer(self, certificate: Certificate) -> Together {
        let count = self.problem.count;
        let of_class = |c: usize| self.weights.iter().skip(c).step_by(count).copied().collect();
        Together { weights: (0..count).map(of_class).collect(), shares: self.shares, certificate }
    }
}

/// By how much the g of the only class with a share is above the others; 0 where several classes have one.
fn slack(scores: &[f64], shares: &[f64]) -> f64 {
    let (mut only, mut other, mut holders) = (0.0, f64::NEG_INFINITY, 0);
    for (&g, &p) in scores.iter().zip(shares) {
        if p > 0.0 {
            (only, holders) = (g, holders + 1);
        } else {
            other = other.max(g);
        }
    }
    if holders == 1 { only - other } else { 0.0 }
}
