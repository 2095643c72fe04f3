//! Costs with kinks by coordinate descent on the dual: one point at a time, in an order drawn anew for each pass.
//!
//! With W = Σ xᵢβᵢᵀ kept up to date, the best shares p of one point for fixed others are a formula (Keerthi, Sundararajan, Chang, Hsieh
//! and Lin 2008). For Crammer and Singer's cost they are the point of the simplex nearest to p + g/‖x‖²; for Weston and Watkins' each
//! share in turn goes to p_c + z_c/(2‖x‖²), moved into 0 … C, after which z of the others has changed. A point whose shares rest, and
//! would do so if outputs changed by more than the largest violation of the last pass, is left out, until such points have a part
//! of the gap again. Cost: the entries of the data times the classes for a pass, in one thread; memory: a number for each point and class.

use std::time::Instant;

use rayon::prelude::*;

use super::cost::{JointCost, Point};
use super::{Joint, Together};
use crate::data::SplitMix;
use crate::simd::{LINE, expect, nearest_shares};
use crate::solve::linear::design::dot;
use crate::solve::linear::{Limits, certificate};
use crate::solve::{Certificate, Iterate, Progress, Watch};

/// How many points ahead the memory of a point is asked for: first its shares, and where its row is, then its row.
const AHEAD: [usize; 2] = [6, 2];
/// Work from one look at the gap to the next, in passes over all points and as a share of what has been done: a look is half a pass.
const BETWEEN: (f64, f64) = (2.0, 0.1);
/// What a pass over no points counts as work, so that passes come to an end.
const LEAST_WORK: f64 = 1e-2;
/// The part of the gap that points which are left out may have before they come back.
const LEFT_OUT: f64 = 0.1;
/// Points whose terms of the gap one thread computes at a time.
const ROWS: usize = 256;
/// A violation below this share of the largest g is rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// The share of the tolerance that the gap of a start is to have: Newton's method then has nothing to do.
const ENOUGH: f64 = 0.9;
/// The work that a start may take, in passes over all points, whatever comes of it.
const WORK: f64 = 200.0;
/// The work that it may take where the end is in sight: Newton's method from a start of 200 passes takes as long as a few thousand passes, by
/// the time that either took on usps and on the first 10,000 of mnist.
const MOST_WORK: f64 = 3000.0;

/// Solves a problem; the order of the points is drawn by `seed`.
pub(super) fn solve(problem: &Joint<'_>, limits: &Limits, seed: u64, watch: Watch<'_>) -> Together {
    let started = Instant::now();
    let mut run = Run::new(problem, seed);
    let mut passes: u64 = 0;
    loop {
        let settled = run.pass();
        passes += 1;
        if !settled && !run.is_due() && passes < limits.iterations {
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
            iterate: Iterate::default(),
        };
        if let Some(stop) = limits.reached(&progress, primal, settled, watch) {
            return run.answer(certificate(&progress, stop));
        }
    }
}

/// Some passes, as many as are enough or pay before Newton's method: weights, a line for each feature, and shares.
pub(super) fn start(problem: &Joint<'_>, tolerance: f64, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut run = Run::new(problem, seed);
    // Work and gap of the looks.
    let mut looks: Vec<(f64, f64)> = Vec::new();
    loop {
        let settled = run.pass();
        if !run.is_due() && !settled {
            continue;
        }
        let (primal, gap) = run.gap();
        let enough = ENOUGH * tolerance * primal;
        looks.push((run.work, gap));
        if settled || gap <= enough || (run.work >= WORK && expected(&looks, enough) > MOST_WORK) {
            break;
        }
    }
    run.refresh();
    (run.without_padding(&run.weights), run.without_padding(&run.shares))
}

/// The work at which the gap will be `enough`, if it goes on falling as it has since half of the work was done.
fn expected(looks: &[(f64, f64)], enough: f64) -> f64 {
    let Some(&(work, gap)) = looks.last() else { return 0.0 };
    let half = looks.iter().rfind(|(before, _)| *before <= 0.5 * work);
    let Some(&(before, first)) = half else { return work };
    let fall = (first / gap).ln();
    if fall > 0.0 { work + (work - before) * (gap / enough).ln() / fall } else { f64::INFINITY }
}

/// Passes of coordinate descent. Lines of numbers, one for each class, are filled up to whole registers: with 0, of outputs with −∞.
struct Run<'a> {
    problem: &'a Joint<'a>,
    norms: Vec<f64>,
    /// The length of a line.
    lanes: usize,
    /// w, a line for each feature.
    weights: Vec<f64>,
    /// p, a line for each point.
    shares: Vec<f64>,
    /// The points that are not left out.
    active: Vec<u32>,
    /// The largest violation of the last pass, in units of outputs.
    largest: f64,
    /// A point that is decided by more than this is left out.
    bound: f64,
    updates: u64,
    /// What was done, in passes over all points, and what will have been done when the gap is looked at again.
    work: f64,
    due: f64,
    random: SplitMix,
    /// What makes g of outputs of other classes: 1, and −∞ where there is no class.
    rise: Vec<f64>,
    /// Of one point: its outputs, and the change of its β.
    scores: Vec<f64>,
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
        let lanes = count.next_multiple_of(LINE);
        let mut shares = vec![0.0; n * lanes];
        for (i, (&class, &price)) in problem.classes.iter().zip(problem.prices).enumerate() {
            shares[i * lanes + class as usize] = price;
        }
        Self {
            problem,
            norms: problem.x.norms(),
            lanes,
            weights: vec![0.0; problem.x.width() * lanes],
            shares,
            active: (0..n as u32).collect(),
            largest: f64::INFINITY,
            bound: f64::INFINITY,
            updates: 0,
            work: 0.0,
            due: BETWEEN.0,
            random: SplitMix(seed),
            rise: (0..lanes).map(|c| if c < count { 1.0 } else { f64::NEG_INFINITY }).collect(),
            scores: vec![0.0; lanes],
            change: vec![0.0; lanes],
        }
    }

    /// Whether it is time to look at the gap.
    fn is_due(&mut self) -> bool {
        let is_due = self.work >= self.due;
        if is_due {
            self.due = self.work + BETWEEN.0.max(BETWEEN.1 * self.work);
        }
        is_due
    }

    /// The numbers of lines for the classes alone.
    fn without_padding(&self, lines: &[f64]) -> Vec<f64> {
        lines.chunks(self.lanes).flat_map(|line| &line[..self.problem.count]).copied().collect()
    }

    fn point(&self, i: usize) -> Point {
        Point { class: self.problem.classes[i] as usize, price: self.problem.prices[i] }
    }

    /// One pass over the points that are not left out; whether none of all points has moved.
    fn pass(&mut self) -> bool {
        self.random.shuffle(&mut self.active);
        self.work += (self.active.len() as f64 / self.problem.x.len() as f64).max(LEAST_WORK);
        let (mut largest, mut at): (f64, usize) = (0.0, 0);
        while at < self.active.len() {
            self.expect(at);
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

    /// Has what will be read of the points after the one at a place of the order brought into the caches.
    fn expect(&self, at: usize) {
        let after = |ahead: usize| self.active.get(at + ahead).map(|&i| i as usize);
        if let Some(i) = after(AHEAD[0]) {
            expect(&self.shares[i * self.lanes..][..self.lanes]);
            self.problem.x.expect_ends(i);
        }
        if let Some(i) = after(AHEAD[1]) {
            self.problem.x.expect(i);
        }
    }

    /// Finds the best shares of point `i`.
    fn look(&mut self, i: u32) -> Look {
        self.problem.x.scores(&[i], self.lanes, &self.weights, &mut self.scores);
        let class = self.problem.classes[i as usize] as usize;
        let own = self.scores[class];
        self.scores.iter_mut().zip(&self.rise).for_each(|(g, rise)| *g += rise);
        self.scores[class] = own;
        let look = match self.problem.cost {
            JointCost::WestonWatkins => self.each_rival(i as usize),
            _ => self.all_rivals(i as usize),
        };
        if let Look::Moved(_) = look {
            self.problem.x.spread(&[i], self.lanes, &self.change, &mut self.weights);
            self.updates += 1;
        }
        look
    }

    /// The best shares for Crammer and Singer's cost: those of the simplex nearest to p + g/‖x‖².
    fn all_rivals(&mut self, i: usize) -> Look {
        let (price, norm) = (self.problem.prices[i], self.norms[i]);
        let shares = &mut self.shares[i * self.lanes..][..self.lanes];
        if norm > 0.0 {
            let violation = nearest_shares(&self.scores, (norm, price, ROUNDING), shares, &mut self.change);
            return if violation > 0.0 {
                Look::Moved(violation)
            } else {
                Look::Rests(slack(&self.scores, shares))
            };
        }
        // A point without a feature: all is with the first of the largest g.
        let first =
            (0..shares.len()).fold(0, |first, c| if self.scores[c] > self.scores[first] { c } else { first });
        if shares[first] == price {
            return Look::Rests(slack(&self.scores, shares));
        }
        shares.fill(0.0);
        shares[first] = price;
        self.change.fill(0.0);
        Look::Moved(1.0)
    }

    /// The best shares for Weston and Watkins' cost, one class after the other.
    fn each_rival(&mut self, i: usize) -> Look {
        let (Point { class, price }, norm, count) = (self.point(i), self.norms[i], self.problem.count);
        let shares = &mut self.shares[i * self.lanes..][..count];
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
        let (n, lanes, count) = (self.problem.x.len(), self.lanes, self.problem.count);
        let mut active = vec![false; n];
        self.active.iter().for_each(|&i| active[i as usize] = true);
        let rows: Vec<u32> = (0..n as u32).collect();
        let pieces: Vec<[f64; 3]> = rows
            .par_chunks(ROWS)
            .map(|rows| {
                let mut scores = vec![0.0; rows.len() * lanes];
                self.problem.x.scores(rows, lanes, &self.weights, &mut scores);
                rows.iter().zip(scores.chunks(lanes)).fold([0.0; 3], |[costs, gap, out], (&i, scores)| {
                    let (cost, point, scores) = (self.problem.cost, self.point(i as usize), &scores[..count]);
                    let part = cost.gap(point, scores, &self.shares[i as usize * lanes..][..count]);
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
        let (lanes, count) = (self.lanes, self.problem.count);
        let mut rows = self.shares.clone();
        for i in 0..self.problem.x.len() {
            let point = self.point(i);
            let (shares, line) = (&mut self.shares[i * lanes..][..count], &mut rows[i * lanes..][..count]);
            self.problem.cost.allow(point, shares);
            line.iter_mut().zip(shares).for_each(|(c, p)| *c = -*p);
            line[point.class] += point.price;
        }
        self.weights.fill(0.0);
        let points: Vec<u32> = (0..self.problem.x.len() as u32).collect();
        self.problem.x.spread(&points, lanes, &rows, &mut self.weights);
    }

    fn answer(self, certificate: Certificate) -> Together {
        let of_class = |c: usize| self.weights.iter().skip(c).step_by(self.lanes).copied().collect();
        let weights = (0..self.problem.count).map(of_class).collect();
        Together { weights, shares: self.without_padding(&self.shares), certificate }
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
