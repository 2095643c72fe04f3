//! The variables among which a round takes its steps.

use super::Values;
use crate::simd::{Aligned, LANES, MIN_CURVATURE, best_pair, step};

/// The steps of a round end when the violation has fallen to this share, as in [`Smo`](crate::solve::Smo).
const SHARE: f64 = 0.1;
/// Steps of a round, for each variable.
const STEPS: usize = 100;
/// The most points of which all are taken: their rows stay in a fast cache.
const ALL: usize = 256;
/// Of more points those alone that can move are taken where they are at most this share. Else copying their values costs more than
/// steps over all.
const FEW: f64 = 0.4;
/// Cycles of a step, of each variable in it, and of each kernel value that is copied.
const CYCLES: [f64; 3] = [60.0, 0.5, 2.0];

/// Variables, in single precision about the middle of the violation.
#[derive(Default)]
pub(super) struct Set {
    /// For each slot the number of its variable, ascending; of all variables where there are as many.
    index: Vec<usize>,
    points: usize,
    beta: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    slope: Padded,
    /// 0 where a variable may rise, else infinity.
    no_rise: Padded,
    no_fall: Padded,
    /// The kernel values of the variables, where they are not all.
    own: Option<Values>,
}

/// Numbers for a whole number of lanes.
#[derive(Default)]
struct Padded(Option<Aligned<f32>>);

impl Padded {
    /// As many numbers as `len` needs, whole lanes.
    fn of(&mut self, len: usize) -> &mut [f32] {
        let len = len.next_multiple_of(LANES);
        if self.0.as_ref().is_none_or(|held| held.len() < len) {
            self.0 = Some(Aligned::zeros(len));
        }
        match &mut self.0 {
            Some(held) => &mut held[..len],
            None => &mut [],
        }
    }
}

impl Set {
    /// Takes up the variables that can move: those that may rise below the highest gradient of one that may fall, and the other way round.
    pub(super) fn choose(
        &mut self,
        (low, high): (f64, f64),
        [beta, lower, upper]: [&[f64]; 3],
        gradient: &[f64],
    ) {
        let n = beta.len();
        self.points = n;
        self.index.clear();
        if n > ALL {
            let moves = |&i: &usize| {
                (beta[i] < upper[i] && gradient[i] < high) || (beta[i] > lower[i] && gradient[i] > low)
            };
            self.index.extend((0..n).filter(moves));
        }
        if n <= ALL || self.index.len() as f64 > FEW * n as f64 {
            self.index.clear();
            self.index.extend(0..n);
        }
        let (index, middle) = (&self.index, f64::midpoint(low, high));
        for (own, all) in [(&mut self.beta, beta), (&mut self.lower, lower), (&mut self.upper, upper)] {
            own.clear();
            own.extend(index.iter().map(|&i| all[i]));
        }
        let (slope, no_rise, no_fall) =
            (self.slope.of(index.len()), self.no_rise.of(index.len()), self.no_fall.of(index.len()));
        no_rise.fill(f32::INFINITY);
        no_fall.fill(f32::INFINITY);
        for (k, &i) in index.iter().enumerate() {
            slope[k] = (gradient[i] - middle) as f32;
            no_rise[k] = blocked(beta[i] < upper[i]);
            no_fall[k] = blocked(beta[i] > lower[i]);
        }
    }

    /// Steps until the violation among these variables has fallen to a share, or to half of the tolerance. Returns how many.
    pub(super) fn take_steps(&mut self, whole: &Values, tolerance: f64) -> usize {
        if self.index.len() == self.points {
            return self.steps(whole, tolerance);
        }
        // The memory of the last copy serves again.
        let own = whole.copied(&self.index, self.own.take());
        let taken = self.steps(&own, tolerance);
        self.own = Some(own);
        taken
    }

    fn steps(&mut self, values: &Values, tolerance: f64) -> usize {
        let q = self.index.len();
        if q == 0 {
            return 0;
        }
        let (slope, no_rise, no_fall) = (self.slope.of(q), self.no_rise.of(q), self.no_fall.of(q));
        let (diagonal, limit) = (values.diagonals(), STEPS * q);
        let mut target = None;
        let (mut lowest, mut rise) = step(slope, values.row(0), values.row(0), 0.0, no_rise);
        for steps in 0..limit {
            if !lowest.is_finite() {
                return steps;
            }
            let own = diagonal[rise];
            let row = values.row(rise);
            let (fall, gain, violation) = best_pair(slope, row, diagonal, no_fall, lowest, own);
            let violation = f64::from(violation);
            let target = *target.get_or_insert((SHARE * violation).max(0.5 * tolerance));
            if gain <= 0.0 || violation <= target {
                return steps;
            }
            let curvature = own + diagonal[fall] - 2.0 * row[fall];
            let free = f64::from(slope[fall] - slope[rise]) / f64::from(curvature.max(MIN_CURVATURE));
            let (upper, lower) = (self.upper[rise], self.lower[fall]);
            let (up, down) = (self.beta[rise], self.beta[fall]);
            let delta = free.min(upper - up).min(down - lower);
            if delta.is_nan() || delta <= 0.0 {
                return steps;
            }
            // A variable that reaches its bound gets the bits of the bound; both do where they reach it together but for rounding.
            let rounding = 64.0 * f64::EPSILON * (up.abs().max(down.abs()) + delta);
            let arrived = delta >= (upper - up).min(down - lower);
            let close = if arrived { rounding } else { 0.0 };
            self.beta[rise] = if upper - up - delta <= close { upper } else { up + delta };
            self.beta[fall] = if down - lower - delta <= close { lower } else { down - delta };
            for k in [rise, fall] {
                no_rise[k] = blocked(self.beta[k] < self.upper[k]);
                no_fall[k] = blocked(self.beta[k] > self.lower[k]);
            }
            (lowest, rise) = step(slope, row, values.row(fall), delta as f32, no_rise);
        }
        limit
    }

    /// Writes the coefficients back. Returns the variables that moved, and by how much.
    pub(super) fn moved(&self, beta: &mut [f64]) -> Vec<(usize, f64)> {
        let mut moved = Vec::new();
        for (&i, &new) in self.index.iter().zip(&self.beta) {
            if new != beta[i] {
                moved.push((i, new - beta[i]));
                beta[i] = new;
            }
        }
        moved
    }

    /// The cycles of so many steps, among `points` in all.
    pub(super) fn work(&self, steps: usize, points: usize) -> f64 {
        let (q, [step, variable, copy]) = (self.index.len() as f64, CYCLES);
        let copied = if self.index.len() < points { copy * q * q } else { 0.0 };
        steps as f64 * (step + variable * q) + copied
    }
}

fn blocked(may: bool) -> f32 {
    if may { 0.0 } else { f32::INFINITY }
}
