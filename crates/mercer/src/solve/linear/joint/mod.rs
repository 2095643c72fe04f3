//! All classes in one linear problem: a vector of weights for each, by Newton's method on the primal.
//!
//!   minimise ½ Σ ‖w_c‖² + Σ cost(yᵢ, mᵢ),   mᵢc = ⟨w_c, xᵢ⟩,
//!
//! with the costs of [`JointCost`]. It goes as for one function (`newton`): the gradient is W − Σ xᵢβᵢᵀ with βᵢ = Cᵢe_y − pᵢ for the shares
//! pᵢ at the outputs, the second derivative I + Σ (xᵢxᵢᵀ) ⊗ Hᵢ with Hᵢ the change of the shares, costs with kinks are smoothed about a
//! guess of the shares, which the shares themselves become in turn. The system is solved directly where there are few features and
//! classes, else by conjugate gradients over the points whose shares change. The gap is that of the shares of the quadratic model,
//! moved into what is allowed,
//!
//!   gap = ½ ‖W − Σ xᵢβᵢᵀ‖² + Σ (Fenchel's inequality of each point).
//!
//! Cost: a pass over the data times the classes for each step of conjugate gradients, all cores, the same bits on any number of
//! them; memory: a few numbers for each point and class, and for each feature and class.

mod cost;
mod dual;
mod system;
#[cfg(test)]
mod tests;

use std::time::Instant;

use rayon::prelude::*;

pub(crate) use cost::JointCost;

use self::cost::Point;
use self::system::System;
use super::design::{Design, add, dot, sums};
use super::multipliers::{Descending, Ends, FIRST_SIGMA, MIN_SAMPLED, Reached, SAMPLE, length};
use super::system::MAX_DIRECT;
use super::{Algorithm, Limits};
use crate::solve::{Certificate, Watch};

/// Points that one thread works on at a time.
const POINTS: usize = 512;

/// A problem of several classes.
pub(crate) struct Joint<'a> {
    /// x
    pub(crate) x: Design<'a>,
    /// The class of each point.
    pub(crate) classes: &'a [u32],
    /// How many classes there are.
    pub(crate) count: usize,
    /// C of each point, above 0.
    pub(crate) prices: &'a [f64],
    /// What errors cost.
    pub(crate) cost: JointCost,
    /// Whether the weights of the constant feature are left out of the penalty; not with Weston and Watkins' cost.
    pub(crate) free_offset: bool,
}

/// What was found for all classes.
pub(crate) struct Together {
    /// w of each class, the weight of the constant feature last.
    pub(crate) weights: Vec<Vec<f64>>,
    /// p: a line for each point with a number for each class.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the models have the sums alone; tests prove the gap from it")
    )]
    pub(crate) shares: Vec<f64>,
    /// How good it is; the objective is that of the dual as a minimum.
    pub(crate) certificate: Certificate,
}

impl Joint<'_> {
    /// Solves the problem; coordinate descent, which is for costs with kinks and without free offsets, draws its order by `seed`.
    pub(crate) fn solve(
        &self,
        algorithm: Algorithm,
        limits: &Limits,
        seed: u64,
        watch: Watch<'_>,
    ) -> Together {
        match algorithm {
            Algorithm::Dual => dual::solve(self, limits, seed, watch),
            Algorithm::Auto if !self.cost.is_smooth() && !self.free_offset && self.size() > MAX_DIRECT => {
                let start = dual::start(self, limits.tolerance, seed);
                self.newton(Some(start), limits, watch)
            }
            Algorithm::Auto | Algorithm::Newton => self.newton(None, limits, watch),
        }
    }

    /// The number of weights.
    fn size(&self) -> usize {
        self.x.width() * self.count
    }

    /// Solves the problem by Newton's method on the primal, from weights and shares if there are some.
    fn newton(&self, start: Option<(Vec<f64>, Vec<f64>)>, limits: &Limits, watch: Watch<'_>) -> Together {
        let (started, n) = (Instant::now(), self.x.len());
        let all = (0..n as u32).collect();
        let mut descent = if let Some((weights, shares)) = start {
            let mut descent = Descent::new(self, all, 1.0, weights);
            (descent.shares, descent.guess) = (shares.clone(), Some(shares));
            descent
        } else {
            let (mut weights, mut primal) = (vec![0.0; self.size()], f64::INFINITY);
            if n >= MIN_SAMPLED {
                let rows = (0..n as u32).step_by(SAMPLE).collect();
                let mut sample = Descent::new(self, rows, SAMPLE as f64, weights);
                sample.try_out();
                (weights, primal) = (sample.weights, sample.primal);
            }
            Descent { primal, ..Descent::new(self, all, 1.0, weights) }
        };
        let certificate = descent.run(usize::MAX, limits, started, watch).expect("it does not give up");
        let of_class = |c: usize| descent.weights.iter().skip(c).step_by(self.count).copied().collect();
        Together { weights: (0..self.count).map(of_class).collect(), shares: descent.shares, certificate }
    }
}

/// A minimisation over some of the points.
struct Descent<'a> {
    problem: &'a Joint<'a>,
    rows: Vec<u32>,
    /// What prices are multiplied by: the share of points that are looked at, turned over.
    scale: f64,
    /// W, a line for each feature with a number for each class.
    weights: Vec<f64>,
    /// m, a line for each point with a number for each class.
    outputs: Vec<f64>,
    /// The guess of the shares that the cost is smoothed about; none at first, when all shares are with the own class.
    guess: Option<Vec<f64>>,
    /// σ of each point as a multiple of its price.
    sigma: f64,
    /// p, allowed.
    shares: Vec<f64>,
    primal: f64,
    /// Steps of conjugate gradients in the last system.
    conjugate: usize,
    /// ‖gradient‖² where the present smoothing began.
    first: Option<f64>,
}

impl<'a> Descent<'a> {
    fn new(problem: &'a Joint<'a>, rows: Vec<u32>, scale: f64, weights: Vec<f64>) -> Self {
        let mut outputs = vec![0.0; rows.len() * problem.count];
        if weights.iter().any(|&w| w != 0.0) {
            problem.x.all_scores(&rows, problem.count, &weights, &mut outputs);
        }
        let mut descent = Self {
            problem,
            scale,
            weights,
            outputs,
            guess: None,
            sigma: FIRST_SIGMA,
            shares: Vec::new(),
            rows,
            primal: f64::INFINITY,
            conjugate: 0,
            first: None,
        };
        let own = |p: &mut [f64], at: usize| descent.own(at, p);
        descent.shares = descent.each(own);
        descent
    }

    /// A list with a line for each point, which `fill` makes.
    fn each(&self, fill: impl Fn(&mut [f64], usize) + Sync) -> Vec<f64> {
        let count = self.problem.count;
        let mut lines = vec![0.0; self.rows.len() * count];
        lines.par_chunks_mut(POINTS * count).enumerate().for_each(|(block, lines)| {
            lines.chunks_mut(count).enumerate().for_each(|(k, line)| fill(line, block * POINTS + k));
        });
        lines
    }

    /// The class and the price of a point.
    #[inline(always)]
    fn point(&self, at: usize) -> Point {
        let i = self.rows[at] as usize;
        Point { class: self.problem.classes[i] as usize, price: self.problem.prices[i] * self.scale }
    }

    /// The line of a point in a list.
    fn line<'l>(&self, list: &'l [f64], at: usize) -> &'l [f64] {
        &list[at * self.problem.count..][..self.problem.count]
    }

    /// All shares with the own class.
    fn own(&self, at: usize, p: &mut [f64]) {
        let Point { class, price } = self.point(at);
        p.fill(0.0);
        p[class] = price;
    }

    /// The shares of the (smoothed) cost at the outputs m.
    fn shares_at(&self, at: usize, m: &[f64], p: &mut [f64]) {
        match &self.guess {
            Some(guess) => p.copy_from_slice(self.line(guess, at)),
            None => self.own(at, p),
        }
        let point = self.point(at);
        self.problem.cost.shares(point, self.sigma * point.price, m, p);
    }

    /// W − Σ xβᵀ for shares p, without W where the offset is free.
    fn gradient(&self, shares: &[f64]) -> Vec<f64> {
        let mut gradient = self.sum(|at, line| {
            let Point { class, price } = self.point(at);
            line.copy_from_slice(self.line(shares, at));
            line[class] -= price;
        });
        let own = self.costly(&self.weights);
        add(1.0, own, &mut gradient[..own.len()]);
        gradient
    }

    /// Σ x cᵀ, where `fill` makes the line c of each point.
    fn sum(&self, fill: impl Fn(usize, &mut [f64]) + Sync) -> Vec<f64> {
        let count = self.problem.count;
        self.problem.x.spread_all(&self.rows, count, |range, lines| {
            range.zip(lines.chunks_mut(count)).for_each(|(at, line)| fill(at, line));
        })
    }

    /// The weights that cost something: all but offsets that do not.
    fn costly<'w>(&self, weights: &'w [f64]) -> &'w [f64] {
        let free = if self.problem.free_offset { self.problem.count } else { 0 };
        &weights[..weights.len() - free]
    }

    /// The length of a step along a direction, which changes the outputs by `change`.
    fn length(&self, gradient: &[f64], direction: &[f64], change: &[f64]) -> f64 {
        let own = self.costly(direction);
        let (along, square) = (dot(self.costly(&self.weights), own), dot(own, own));
        let count = self.problem.count;
        length(dot(gradient, direction), |s| {
            let pieces: Vec<[f64; 2]> = (0..self.rows.len())
                .into_par_iter()
                .fold_chunks(
                    POINTS,
                    || ([0.0; 2], vec![0.0; 2 * count]),
                    |(sum, mut scratch), at| {
                        let (m, p) = scratch.split_at_mut(count);
                        let change = self.line(change, at);
                        let moved = self.line(&self.outputs, at).iter().zip(change).map(|(m, v)| m + s * v);
                        m.iter_mut().zip(moved).for_each(|(to, m)| *to = m);
                        self.shares_at(at, m, p);
                        let point = self.point(at);
                        let first = dot(p, change) - point.price * change[point.class];
                        m.copy_from_slice(change);
                        self.problem.cost.curve(point, self.sigma * point.price, p, m);
                        ([sum[0] + first, sum[1] + dot(m, change)], scratch)
                    },
                )
                .map(|(sum, _)| sum)
                .collect();
            let [first, second] = pieces.iter().fold([0.0; 2], |sum, p| [sum[0] + p[0], sum[1] + p[1]]);
            (along + s * square + first, square + second)
        })
    }

    /// Takes `model` moved into what is allowed for the shares, and gives the gap; `left` is W − Σ x (C e_y − model)ᵀ.
    fn judge(&mut self, active: usize, model: Vec<f64>, mut left: Vec<f64>) -> Reached {
        let cost = self.problem.cost;
        let mut shares = self.each(|p, at| {
            p.copy_from_slice(self.line(&model, at));
            cost.allow(self.point(at), p);
        });
        if self.problem.free_offset {
            self.balance(&mut shares);
        }
        if shares != model {
            let moved = self.sum(|at, line| {
                let (new, old) = (self.line(&shares, at), self.line(&model, at));
                line.iter_mut().zip(new.iter().zip(old)).for_each(|(to, (new, old))| *to = new - old);
            });
            add(1.0, &moved, &mut left);
        }
        let [costs, gaps] = sums(self.rows.len(), |at| {
            let (point, m) = (self.point(at), self.line(&self.outputs, at));
            [cost.value(point, m), cost.gap(point, m, self.line(&shares, at))]
        });
        self.shares = shares;
        let (own, left) = (self.costly(&self.weights), self.costly(&left));
        self.primal = 0.5 * dot(own, own) + costs;
        let inner = 0.5 * dot(left, left);
        let violation = left.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        Reached { gap: inner + gaps, inner, violation, active }
    }

    /// Makes the shares of each class add up to the prices of its points, as free offsets want it: classes with too much give up
    /// the same part of each share, which those with too little have in proportion to what they lack.
    fn balance(&self, shares: &mut [f64]) {
        let count = self.problem.count;
        let (mut sum, mut wanted) = (vec![0.0; count], vec![0.0; count]);
        for (at, p) in shares.chunks(count).enumerate() {
            let Point { class, price } = self.point(at);
            sum.iter_mut().zip(p).for_each(|(sum, p)| *sum += p);
            wanted[class] += price;
        }
        let lack: Vec<f64> = wanted.iter().zip(&sum).map(|(wanted, sum)| (wanted - sum).max(0.0)).collect();
        let kept: Vec<f64> = wanted
            .iter()
            .zip(&sum)
            .map(|(wanted, sum)| if sum > wanted { wanted / sum } else { 1.0 })
            .collect();
        let total: f64 = lack.iter().sum();
        if total > 0.0 {
            for p in shares.chunks_mut(count) {
                let given: f64 = p.iter().zip(&kept).map(|(p, kept)| p * (1.0 - kept)).sum();
                let parts = kept.iter().zip(&lack);
                p.iter_mut().zip(parts).for_each(|(p, (kept, lack))| *p = *p * kept + given * lack / total);
            }
        }
    }
}

impl Descending for Descent<'_> {
    fn step(&mut self, wanted: f64, most: usize) -> Reached {
        let (cost, count) = (self.problem.cost, self.problem.count);
        let shares = self.each(|p, at| self.shares_at(at, self.line(&self.outputs, at), p));
        let gradient = self.gradient(&shares);
        let size = dot(&gradient, &gradient);
        let first = *self.first.get_or_insert(size);
        let curved: Vec<usize> = (0..self.rows.len())
            .into_par_iter()
            .with_min_len(POINTS)
            .filter(|&at| cost.is_curved(self.point(at), self.line(&shares, at)))
            .collect();
        let active = curved.len();
        let system = System::new(self, curved, &shares);
        let ends = Ends::new((size, first), wanted, most);
        let (direction, residual, steps) = system.solve(&gradient, ends, self.conjugate);
        self.conjugate = steps;
        let mut change = vec![0.0; self.rows.len() * count];
        self.problem.x.all_scores(&self.rows, count, &direction, &mut change);
        let length = self.length(&gradient, &direction, &change);
        add(length, &direction, &mut self.weights);
        add(length, &change, &mut self.outputs);
        let model = self.each(|p, at| {
            let (old, point) = (self.line(&shares, at), self.point(at));
            p.copy_from_slice(self.line(&change, at));
            cost.curve(point, self.sigma * point.price, old, p);
            p.iter_mut().zip(old).for_each(|(p, old)| *p = old + length * *p);
        });
        let left = gradient.iter().zip(&residual).map(|(g, r)| (1.0 - length) * g + length * r).collect();
        self.judge(active, model, left)
    }

    fn certified(&mut self) -> Reached {
        self.problem.x.all_scores(&self.rows, self.problem.count, &self.weights, &mut self.outputs);
        let shares = std::mem::take(&mut self.shares);
        let left = self.gradient(&shares);
        self.judge(0, shares, left)
    }

    fn primal(&self) -> f64 {
        self.primal
    }

    fn conjugate(&self) -> usize {
        self.conjugate
    }

    fn has_guess(&self) -> bool {
        self.guess.is_some()
    }

    fn is_smooth(&self) -> bool {
        self.problem.cost.is_smooth()
    }

    fn sharpen(&mut self, growth: f64) {
        self.guess = Some(self.shares.clone());
        self.sigma *= growth;
        self.first = None;
    }

    fn soften(&mut self, factor: f64) {
        self.sigma *= factor;
        self.first = None;
    }
}
