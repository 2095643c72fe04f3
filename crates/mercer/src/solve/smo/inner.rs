//! Two-variable steps inside a working set.
//!
//! Minimises the objective over the working set with all other variables fixed, by sequential minimal optimisation: a step
//! takes the variable with the smallest gradient among those that may rise, and the partner with the largest
//! second-order gain.
//!
//! All numbers but β are in single precision. Gradients are kept as differences from the middle of the violation, so that
//! their rounding errors are relative to the violation. The caller keeps its own gradient in double precision: the error of
//! one round is corrected by the next.

use rayon::prelude::*;

use super::Selection;
use super::state::slope;
use crate::gram::Gram;
use crate::simd::{Aligned, LANES, MIN_CURVATURE, best_pair, step};

/// Rows and columns of the block that are mirrored at once.
const SQUARE: usize = 16;

/// The most turns that each of two sums gets in a round.
const TURNS: usize = 8;

/// The rounding error of a variable after some dozens of steps, as a share of its size.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Marks a variable that has no place in the block.
const NO_PLACE: u32 = u32::MAX;

/// The programme restricted to a working set. Each variable has a place in the block of kernel values. A variable that is
/// in the next set too keeps its place, and one that is not loses it only when the place is needed.
#[derive(Default)]
pub(super) struct Inner {
    /// For each place, its variable in the caller's numbering.
    places: Vec<usize>,
    /// For each of the caller's variables, its place, or [`NO_PLACE`].
    place_of: Vec<u32>,
    /// The places of the working set, in the caller's order.
    set: Vec<usize>,
    stride: usize,
    kernel: Aligned<f32>,
    beta: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    diagonal: Aligned<f32>,
    gradient: Aligned<f32>,
    /// What is added to the gradient of a variable for the slope as it rises: 0 or ±κ, or ∞ if it may not rise.
    no_rise: Aligned<f32>,
    /// What is subtracted from the gradient of a variable for the slope as it falls: 0 or ±κ, or ∞ if it may not fall.
    no_fall: Aligned<f32>,
    /// The number of the sum that each variable is part of, and of the sum that is being worked on.
    groups: Vec<usize>,
    group: usize,
    kink: f64,
    selection: Selection,
}

/// The source of the kernel values of a working set.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    /// Kernel rows of its variables, from which the values are gathered. They lie far apart in memory: each is a cache
    /// miss.
    Gather(&'a [&'a [f32]]),
    /// The Gram, which computes the values again.
    Compute(&'a dyn Gram),
}

/// A variable as the working set sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Variable {
    pub(super) beta: f64,
    pub(super) gradient: f64,
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) diagonal: f64,
    pub(super) group: usize,
}

impl Inner {
    /// Loads a working set: its variables, and the kernel values between them that the block does not hold yet.
    pub(super) fn load(&mut self, points: &[usize], source: Source<'_>, kink: f64, variables: &[Variable]) {
        self.load_kernel(points, source);
        self.kink = kink;
        self.groups.clear();
        self.groups.resize(self.stride, 0);
        for list in [&mut self.beta, &mut self.lower, &mut self.upper] {
            list.clear();
            list.resize(self.stride, 0.0);
        }
        for list in [&mut self.diagonal, &mut self.gradient, &mut self.no_rise, &mut self.no_fall] {
            if list.len() != self.stride {
                *list = Aligned::zeros(self.stride);
            }
        }
        // Variables that have a place and are not in the set do not move.
        self.no_rise.fill(f32::INFINITY);
        self.no_fall.fill(f32::INFINITY);
        for (v, &a) in variables.iter().zip(&self.set) {
            self.beta[a] = v.beta;
            self.gradient[a] = v.gradient as f32;
            self.lower[a] = v.lower;
            self.upper[a] = v.upper;
            self.diagonal[a] = v.diagonal as f32;
            self.groups[a] = v.group;
        }
    }

    /// Gives every variable of the set a place and fills the block: values between old variables stay, rows of new
    /// variables come from the source, and columns of new variables are copies of their rows.
    fn load_kernel(&mut self, points: &[usize], source: Source<'_>) {
        let new = self.settle(points);
        let mut is_new = vec![false; self.places.len()];
        new.iter().for_each(|&(place, _)| is_new[place] = true);
        let rows = self.kernel.chunks_exact_mut(self.stride.max(1)).take(self.places.len()).enumerate();
        let (mut new_rows, mut old_rows): (Vec<_>, Vec<_>) =
            rows.map(|(a, row)| (a, &mut row[..is_new.len()])).partition(|(a, _)| is_new[*a]);
        let mut wanted: Vec<&mut [f32]> = new_rows.iter_mut().map(|(_, row)| &mut **row).collect();
        match source {
            Source::Compute(gram) => {
                let new: Vec<usize> = new.iter().map(|&(place, _)| place).collect();
                gram.restrict(&self.places).rows(&new, &mut wanted);
            }
            Source::Gather(rows) if self.places.iter().enumerate().all(|(a, &i)| a == i) => {
                wanted.iter_mut().zip(&new).for_each(|(target, &(_, which))| {
                    target.copy_from_slice(&rows[which][..target.len()]);
                });
            }
            Source::Gather(rows) => wanted.par_iter_mut().zip(&new).for_each(|(target, &(_, which))| {
                target.iter_mut().zip(&self.places).for_each(|(value, &j)| *value = rows[which][j]);
            }),
        }
        // In squares that fit into the first-level cache.
        old_rows.par_chunks_mut(SQUARE).for_each(|old_rows| {
            for new_rows in new_rows.chunks(SQUARE) {
                for (a, row) in old_rows.iter_mut() {
                    new_rows.iter().for_each(|(b, source)| row[*b] = source[*a]);
                }
            }
        });
    }

    /// Finds places for the working set. Returns the places of its new variables, ascending, each with the position of its
    /// variable in the set.
    fn settle(&mut self, points: &[usize]) -> Vec<(usize, usize)> {
        let room = self.places.len();
        if points.len() > room || 2 * points.len() <= room {
            self.forget();
            self.stride = points.len().next_multiple_of(LANES);
            if self.kernel.len() < points.len() * self.stride {
                // The old memory is released first, so that both are never held at once.
                self.kernel = Aligned::default();
                self.kernel = Aligned::zeros(points.len() * self.stride);
            } else {
                self.kernel.fill(0.0);
            }
            self.places.resize(points.len(), usize::MAX);
        }
        let variables = points.iter().max().map_or(0, |&i| i + 1);
        if self.place_of.len() < variables {
            self.place_of.resize(variables, NO_PLACE);
        }
        let mut free = vec![true; self.places.len()];
        let stays = |i: usize| self.place_of[i] != NO_PLACE;
        points.iter().filter(|&&i| stays(i)).for_each(|&i| free[self.place_of[i] as usize] = false);
        let mut free = (0..free.len()).filter(|&place| free[place]);
        let mut new = Vec::new();
        self.set.clear();
        for (which, &i) in points.iter().enumerate() {
            if self.place_of[i] == NO_PLACE {
                let place = free.next().expect("there are as many places as variables");
                if let Some(previous) = self.place_of.get_mut(self.places[place]) {
                    *previous = NO_PLACE;
                }
                (self.places[place], self.place_of[i]) = (i, place as u32);
                new.push((place, which));
            }
            self.set.push(self.place_of[i] as usize);
        }
        new
    }

    /// Forgets all kernel values, because the caller's numbering or the source of values has changed.
    pub(super) fn forget(&mut self) {
        self.places.clear();
        self.place_of.fill(NO_PLACE);
    }

    fn block(&mut self, a: usize) {
        let (b, in_turn) = (self.beta[a], self.groups[a] == self.group);
        let rise = in_turn && b < self.upper[a];
        let fall = in_turn && b > self.lower[a];
        self.no_rise[a] = if rise { slope(b >= 0.0, self.kink) as f32 } else { f32::INFINITY };
        self.no_fall[a] = if fall { -slope(b > 0.0, self.kink) as f32 } else { f32::INFINITY };
    }

    fn row(&self, a: usize) -> &[f32] {
        &self.kernel[a * self.stride..(a + 1) * self.stride]
    }

    /// Takes steps until the violation inside the set is below `share` of its first value or below `tolerance`, at most
    /// `limit` steps. Two sums are worked on in turn. Returns the number of steps.
    pub(super) fn solve(&mut self, share: f64, tolerance: f64, limit: u64, selection: Selection) -> u64 {
        self.selection = selection;
        let groups = 1 + self.set.iter().map(|&a| self.groups[a]).max().unwrap_or(0);
        let (mut steps, mut target) = (0, None);
        for turn in 0..TURNS * groups {
            self.group = turn % groups;
            (0..self.set.len()).for_each(|s| self.block(self.set[s]));
            let taken = self.solve_group(share, tolerance, limit - steps, &mut target);
            steps += taken;
            if groups == 1 || (turn >= groups && taken == 0) {
                break;
            }
        }
        steps
    }

    fn solve_group(&mut self, share: f64, tolerance: f64, limit: u64, target: &mut Option<f64>) -> u64 {
        if self.set.len() < 2 {
            return 0;
        }
        // A step of length 0 changes nothing and finds the variable that should rise most.
        let (mut lowest, mut rise) = self.advance(0, 1, 0.0);
        for steps in 0..limit {
            if !lowest.is_finite() {
                return steps;
            }
            let diagonal = self.diagonal[rise];
            let (fall, gain, violation) = match self.selection {
                Selection::SecondOrder => {
                    best_pair(&self.gradient, self.row(rise), &self.diagonal, &self.no_fall, lowest, diagonal)
                }
                Selection::FirstOrder => self.steepest(lowest),
            };
            let target = *target.get_or_insert_with(|| tolerance.max(share * f64::from(violation)));
            if gain <= 0.0 || f64::from(violation) <= target {
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

    /// The variable that should fall most, and twice the violation of the pair: in the place of the gain, and as it is.
    fn steepest(&self, lowest: f32) -> (usize, f32, f32) {
        let mut best = (0, f32::NEG_INFINITY);
        for &a in &self.set {
            let fall = self.gradient[a] - self.no_fall[a];
            if fall > best.1 {
                best = (a, fall);
            }
        }
        (best.0, best.1 - lowest, best.1 - lowest)
    }

    /// The value up to which variable `rise` may rise and the value down to which variable `fall` may fall in one step: the
    /// bound, or zero if there is a kink on the way.
    fn room(&self, rise: usize, fall: usize) -> (f64, f64) {
        let (up, down) = (self.beta[rise], self.beta[fall]);
        let upper = if self.kink > 0.0 && up < 0.0 { 0.0 } else { self.upper[rise] };
        let lower = if self.kink > 0.0 && down > 0.0 { 0.0 } else { self.lower[fall] };
        (upper, lower)
    }

    /// The step length along e_rise − e_fall that minimises the objective, clipped to the box.
    fn delta(&self, rise: usize, fall: usize) -> f64 {
        let curvature = self.diagonal[rise] + self.diagonal[fall] - 2.0 * self.row(rise)[fall];
        let slope = (self.gradient[fall] - self.no_fall[fall]) - (self.gradient[rise] + self.no_rise[rise]);
        let free = f64::from(slope) / f64::from(curvature.max(MIN_CURVATURE));
        let (upper, lower) = self.room(rise, fall);
        free.min(upper - self.beta[rise]).min(self.beta[fall] - lower)
    }

    /// Takes a step. Returns the smallest slope of a variable that may rise, and the variable.
    fn advance(&mut self, rise: usize, fall: usize, delta: f64) -> (f32, usize) {
        // A variable that reaches a bound gets the bits of the bound, so that it is known to be there.
        if delta > 0.0 {
            let (upper, lower) = self.room(rise, fall);
            let (up, down) = (self.beta[rise], self.beta[fall]);
            let left = (upper - up - delta, down - lower - delta);
            // When one variable reaches its bound, the other often does too but for rounding. It would count as free, and
            // the offset would be computed from it alone.
            let rounding = ROUNDING * (up.abs().max(down.abs()) + delta);
            let arrived = if left.0 <= 0.0 || left.1 <= 0.0 { rounding } else { 0.0 };
            self.beta[rise] = if left.0 <= arrived { upper } else { up + delta };
            self.beta[fall] = if left.1 <= arrived { lower } else { down - delta };
            self.block(rise);
            self.block(fall);
        }
        let Self { kernel, gradient, no_rise, stride, .. } = self;
        let row = |a: usize| &kernel[a * *stride..(a + 1) * *stride];
        step(gradient, row(rise), row(fall), delta as f32, no_rise)
    }

    /// β of the working set, in the caller's order.
    pub(super) fn beta(&self) -> impl Iterator<Item = f64> {
        self.set.iter().map(|&a| self.beta[a])
    }
}
