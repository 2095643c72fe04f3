//! Two-variable steps inside a working set.
//!
//! Minimise over the working set with everything else fixed, by sequential minimal optimisation: the variable that
//! may rise with the smallest gradient, its partner by the largest second-order gain. A large set is itself worked on
//! by smaller ones, whose blocks stay in the cache.

use std::collections::HashMap;

use rayon::prelude::*;

use super::working_set::Choice;
use crate::gram::Gram;
use crate::simd::{Aligned, MIN_CURVATURE, accumulate, best_pair, step};

/// The vector loops want lengths of a multiple of this.
const ALIGN: usize = 16;

/// Sets larger than this are worked on in parts: this many rows of this many values fill half of a typical
/// second-level cache.
const DIRECT: usize = 1024;

/// The programme restricted to a working set. Buffers are reused from round to round.
#[derive(Default)]
pub(super) struct Inner {
    /// The variables, in the caller's numbering.
    points: Vec<usize>,
    stride: usize,
    kernel: Aligned<f32>,
    spare: Aligned<f32>,
    diagonal: Vec<f64>,
    gradient: Vec<f64>,
    beta: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// 0 where the variable may rise, ∞ where not.
    no_rise: Vec<f64>,
    /// 0 where the variable may fall, ∞ where not.
    no_fall: Vec<f64>,
    part: Option<Box<Inner>>,
}

/// Where the kernel values of a working set come from.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    /// The rows of its points: they lie far apart in memory, and every entry gathered is a cache miss.
    Gather(&'a [&'a [f32]]),
    /// The Gram, which computes them again.
    Compute(&'a dyn Gram),
}

/// A cache miss, in nanoseconds, shared between a few that are under way at the same time.
const MISS: f64 = 8.0;

impl<'a> Source<'a> {
    /// The cheaper of both.
    pub(super) fn cheaper(gram: &'a dyn Gram, rows: &'a [&'a [f32]]) -> Self {
        if gram.cost() < MISS { Self::Compute(gram) } else { Self::Gather(rows) }
    }
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
    /// the columns `points` are kept. Of values that the last set had too, no row is asked again.
    pub(super) fn load(
        &mut self,
        points: &[usize],
        source: Source<'_>,
        variable: impl Fn(usize) -> Variable,
    ) {
        self.load_kernel(points, source);
        for list in [&mut self.diagonal, &mut self.gradient, &mut self.beta, &mut self.lower, &mut self.upper]
        {
            list.clear();
            list.resize(self.stride, 0.0);
        }
        for list in [&mut self.no_rise, &mut self.no_fall] {
            list.clear();
            list.resize(self.stride, f64::INFINITY);
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

    /// Fills the block of kernel values: those that the old block holds from there, the others from the source.
    fn load_kernel(&mut self, points: &[usize], source: Source<'_>) {
        let (q, old_stride) = (points.len(), self.stride);
        let stride = q.next_multiple_of(ALIGN);
        let old: HashMap<usize, usize> = self.points.iter().enumerate().map(|(a, &i)| (i, a)).collect();
        let places: Vec<Option<usize>> = points.iter().map(|i| old.get(i).copied()).collect();
        std::mem::swap(&mut self.kernel, &mut self.spare);
        if self.kernel.len() < q * stride {
            self.kernel = Aligned::zeros(q * stride);
        }
        let new: Vec<usize> = (0..q).filter(|&a| places[a].is_none()).collect();
        let mut targets: Vec<&mut [f32]> = self.kernel.chunks_exact_mut(stride.max(1)).take(q).collect();
        targets.iter_mut().for_each(|target| target[q..].fill(0.0));
        let mut wanted = targets.iter_mut().enumerate().filter(|(a, _)| places[*a].is_none());
        let mut wanted: Vec<&mut [f32]> = wanted.by_ref().map(|(_, target)| &mut target[..q]).collect();
        match source {
            Source::Compute(gram) => gram.restrict(points).rows(&new, &mut wanted),
            Source::Gather(rows) => wanted.par_iter_mut().zip(&new).for_each(|(target, &a)| {
                target.iter_mut().zip(points).for_each(|(value, &j)| *value = rows[a][j]);
            }),
        }
        let kept: Vec<(usize, usize)> =
            places.iter().enumerate().filter_map(|(a, p)| p.map(|p| (a, p))).collect();
        for &(a, from) in &kept {
            let source = &self.spare[from * old_stride..(from + 1) * old_stride];
            kept.iter().for_each(|&(b, at)| targets[a][b] = source[at]);
        }
        mirror(&mut self.kernel, stride, &new, &kept);
        self.points.clear();
        self.points.extend_from_slice(points);
        self.stride = stride;
    }

    /// Forgets the last set: the caller's numbering has changed.
    pub(super) fn forget(&mut self) {
        self.points.clear();
    }

    fn block(&mut self, a: usize) {
        self.no_rise[a] = if self.beta[a] < self.upper[a] { 0.0 } else { f64::INFINITY };
        self.no_fall[a] = if self.beta[a] > self.lower[a] { 0.0 } else { f64::INFINITY };
    }

    fn size(&self) -> usize {
        self.points.len()
    }

    fn row(&self, a: usize) -> &[f32] {
        &self.kernel[a * self.stride..(a + 1) * self.stride]
    }

    /// Steps until the violation inside the set falls below `share` of what it was at first or below `tolerance`,
    /// at most `limit` steps. Returns the steps taken.
    pub(super) fn solve(&mut self, share: f64, tolerance: f64, limit: u64) -> u64 {
        if self.size() > DIRECT {
            self.in_parts(share, tolerance, limit)
        } else {
            self.directly(share, tolerance, limit)
        }
    }

    fn directly(&mut self, share: f64, tolerance: f64, limit: u64) -> u64 {
        if self.size() < 2 {
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

    /// The same through working sets of this set.
    fn in_parts(&mut self, share: f64, tolerance: f64, limit: u64) -> u64 {
        let size = self.size();
        let mut part = self.part.take().unwrap_or_default();
        part.forget();
        let (mut target, mut steps, mut last) = (None, 0, Vec::new());
        while steps < limit {
            let choice = Choice::new(&self.beta[..size], &self.lower, &self.upper, &self.gradient[..size]);
            let violation = choice.violation();
            let target = *target.get_or_insert_with(|| tolerance.max(share * violation));
            if violation <= target {
                break;
            }
            let chosen = choice.choose(DIRECT.min(size), &last);
            let (kernel, stride) = (&self.kernel, self.stride);
            let rows: Vec<&[f32]> = chosen.iter().map(|&a| &kernel[a * stride..(a + 1) * stride]).collect();
            part.load(&chosen, Source::Gather(&rows), |a| Variable {
                beta: self.beta[a],
                gradient: self.gradient[a],
                lower: self.lower[a],
                upper: self.upper[a],
                diagonal: self.diagonal[a],
            });
            let taken = part.directly(share, target, limit - steps);
            let moved = |(_, (a, new)): &(&&[f32], (&usize, &f64))| self.beta[**a] != **new;
            let moved = rows.iter().zip(chosen.iter().zip(part.beta())).filter(moved);
            let (moved_rows, weights): (Vec<&[f32]>, Vec<f64>) =
                moved.map(|(row, (&a, new))| (*row, new - self.beta[a])).unzip();
            accumulate(&mut self.gradient, &moved_rows, &weights);
            last.clear();
            for (&a, &new) in chosen.iter().zip(part.beta()) {
                if self.beta[a] != new {
                    self.beta[a] = new;
                    last.push(a);
                }
            }
            last.iter().for_each(|&a| self.block(a));
            steps += taken;
            if taken == 0 {
                break;
            }
        }
        self.part = Some(part);
        steps
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
        &self.beta[..self.size()]
    }
}

/// Completes a symmetric matrix whose rows `new` are filled: their columns in the rows `kept`, in squares that stay in
/// the first-level cache.
fn mirror(matrix: &mut [f32], stride: usize, new: &[usize], kept: &[(usize, usize)]) {
    for new in new.chunks(ALIGN) {
        for kept in kept.chunks(ALIGN) {
            for &(b, _) in kept {
                new.iter().for_each(|&a| matrix[b * stride + a] = matrix[a * stride + b]);
            }
        }
    }
}
