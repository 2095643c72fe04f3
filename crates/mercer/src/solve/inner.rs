//! Two-variable steps inside a working set.
//!
//! Minimise over the working set with everything else fixed, by sequential minimal optimisation: the variable that
//! may rise with the smallest gradient, its partner by the largest second-order gain.

use rayon::prelude::*;

use crate::simd::{MIN_CURVATURE, best_pair, step};

/// The vector loops want lengths of a multiple of this.
const ALIGN: usize = 16;

/// The programme restricted to a working set. Buffers are reused from round to round.
#[derive(Default)]
pub(super) struct Inner {
    size: usize,
    stride: usize,
    kernel: Vec<f32>,
    diagonal: Vec<f64>,
    gradient: Vec<f64>,
    beta: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// 0 where the variable may rise, ∞ where not.
    no_rise: Vec<f64>,
    /// 0 where the variable may fall, ∞ where not.
    no_fall: Vec<f64>,
}

/// A variable as the working set sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Variable {
    pub(super) beta: f64,
    pub(super) gradient: f64,
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) diagonal: f64,
}

impl Inner {
    /// Takes in the working set: its variables and, for each, its row of kernel values over all points, of which
    /// the columns `points` are kept.
    pub(super) fn load(&mut self, points: &[usize], rows: &[&[f32]], variable: impl Fn(usize) -> Variable) {
        let q = points.len();
        let stride = q.next_multiple_of(ALIGN);
        (self.size, self.stride) = (q, stride);
        self.kernel.clear();
        self.kernel.resize(q * stride, 0.0);
        // Rows lie far apart in memory and every entry is a cache miss: half of them are enough.
        self.kernel.par_chunks_exact_mut(stride.max(1)).zip(rows).enumerate().for_each(
            |(a, (target, row))| {
                target[..=a].iter_mut().zip(points).for_each(|(t, &j)| *t = row[j]);
            },
        );
        for a in 0..q {
            for b in 0..a {
                self.kernel[b * stride + a] = self.kernel[a * stride + b];
            }
        }
        for list in [&mut self.diagonal, &mut self.gradient, &mut self.beta, &mut self.lower, &mut self.upper]
        {
            list.clear();
            list.resize(stride, 0.0);
        }
        for list in [&mut self.no_rise, &mut self.no_fall] {
            list.clear();
            list.resize(stride, f64::INFINITY);
        }
        for (a, &i) in points.iter().enumerate() {
            let v = variable(i);
            self.beta[a] = v.beta;
            self.gradient[a] = v.gradient;
            self.lower[a] = v.lower;
            self.upper[a] = v.upper;
            self.diagonal[a] = v.diagonal;
            self.block(a);
        }
    }

    fn block(&mut self, a: usize) {
        self.no_rise[a] = if self.beta[a] < self.upper[a] { 0.0 } else { f64::INFINITY };
        self.no_fall[a] = if self.beta[a] > self.lower[a] { 0.0 } else { f64::INFINITY };
    }

    fn row(&self, a: usize) -> &[f32] {
        &self.kernel[a * self.stride..(a + 1) * self.stride]
    }

    /// Steps until the violation inside the set falls below `share` of what it was at first or below `tolerance`,
    /// at most `limit` steps. Returns the steps taken.
    pub(super) fn solve(&mut self, share: f64, tolerance: f64, limit: u64) -> u64 {
        if self.size < 2 {
            return 0;
        }
        // A step of length 0 finds the first variable.
        let (mut lowest, mut rise) = self.advance(0, 1, 0.0);
        let mut target = None;
        for steps in 0..limit {
            if !lowest.is_finite() {
                return steps;
            }
            let own = self.diagonal[rise];
            let (fall, gain, violation) =
                best_pair(&self.gradient, self.row(rise), &self.diagonal, &self.no_fall, lowest, own);
            let target = *target.get_or_insert_with(|| tolerance.max(share * violation));
            if gain <= 0.0 || violation <= target {
                return steps;
            }
            let delta = self.delta(rise, fall);
            if delta <= 0.0 {
                return steps;
            }
            (lowest, rise) = self.advance(rise, fall, delta);
        }
        limit
    }

    /// The step length along e_rise − e_fall that minimises, clipped to the box.
    fn delta(&self, rise: usize, fall: usize) -> f64 {
        let curvature = self.diagonal[rise] + self.diagonal[fall] - 2.0 * f64::from(self.row(rise)[fall]);
        let free = (self.gradient[fall] - self.gradient[rise]) / curvature.max(MIN_CURVATURE);
        free.min(self.upper[rise] - self.beta[rise]).min(self.beta[fall] - self.lower[fall])
    }

    /// Takes the step; returns the smallest gradient that may rise and where.
    fn advance(&mut self, rise: usize, fall: usize, delta: f64) -> (f64, usize) {
        // At a bound the variable gets the bound's own bits, so that it counts as being there.
        let room = (self.upper[rise] - self.beta[rise], self.beta[fall] - self.lower[fall]);
        self.beta[rise] = if delta >= room.0 { self.upper[rise] } else { self.beta[rise] + delta };
        self.beta[fall] = if delta >= room.1 { self.lower[fall] } else { self.beta[fall] - delta };
        self.block(rise);
        self.block(fall);
        let Self { kernel, gradient, no_rise, stride, .. } = self;
        let row = |a: usize| &kernel[a * *stride..(a + 1) * *stride];
        step(gradient, row(rise), row(fall), delta, no_rise)
    }

    /// β of the set's variables.
    pub(super) fn beta(&self) -> &[f64] {
        &self.beta[..self.size]
    }
}
