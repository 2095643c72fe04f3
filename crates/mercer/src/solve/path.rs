//! C-SVC for one price C after the other, on kernel values that are all in memory.
//!
//! The programme of [`Problem::c_svc`](super::Problem::c_svc) for rising C, each solved from the answer for the last: its box only
//! grows, so that the answer stays feasible. Along the ray tβ the objective ½t²βᵀKβ + t pᵀβ is smallest at t = −pᵀβ/βᵀKβ, and the
//! box allows t up to the ratio of the prices: the better of the two is where the next solve begins, with its gradient, which costs
//! nothing. Where no variable is at its bound, the answer for every larger C is the same, and no step is taken.
//!
//! Points that are not fitted to may be among the variables, with an empty box: their gradient is then the function Σ βⱼ k(xⱼ, x)
//! at them, and no kernel value is looked at twice.
//!
//! Steps are those of [`Smo`](super::Smo) inside its working set, which is here the whole problem: two variables, the second by
//! second-order gain, in single precision about the middle of the violation; the gradient is brought up to date in double precision
//! in rounds. Cost of a step: 2n. Memory: a few vectors of length n beside the matrix.

use crate::simd::{Aligned, LANES, MIN_CURVATURE, accumulate_one, best_pair, step};

/// The steps of a round end when the violation has fallen to this share, as in [`Smo`](super::Smo).
const SHARE: f64 = 0.1;
/// Steps of a round, for each variable.
const STEPS: usize = 100;
/// Rounds without a halving of the violation after which a solve is given up.
const PATIENCE: usize = 200;

/// Kernel values of n points, all of them: rows padded to a whole number of lanes.
pub(crate) struct Values {
    rows: Aligned<f32>,
    stride: usize,
    diagonal: Aligned<f32>,
    points: usize,
}

impl Values {
    /// A matrix of `points` points whose rows `fill` writes.
    pub(crate) fn new(points: usize, diagonal: &[f64], fill: impl FnOnce(&mut [&mut [f32]])) -> Self {
        let stride = points.next_multiple_of(LANES);
        let mut rows = Aligned::zeros(points * stride);
        let mut parts: Vec<&mut [f32]> =
            rows.chunks_exact_mut(stride.max(1)).map(|row| &mut row[..points]).collect();
        fill(&mut parts);
        let mut own = Aligned::zeros(stride);
        for i in 0..points {
            own[i] = diagonal[i] as f32;
            // The computed distance of a point to itself is a rounding error.
            rows[i * stride + i] = diagonal[i] as f32;
        }
        Self { rows, stride, diagonal: own, points }
    }

    /// The matrix of some of the points.
    pub(crate) fn part(&self, index: &[usize]) -> Self {
        let diagonal: Vec<f64> = index.iter().map(|&i| f64::from(self.diagonal[i])).collect();
        Self::new(index.len(), &diagonal, |rows| {
            for (row, &i) in rows.iter_mut().zip(index) {
                let whole = self.row(i);
                row.iter_mut().zip(index).for_each(|(value, &j)| *value = whole[j]);
            }
        })
    }

    /// Row `i`, with its padding.
    pub(crate) fn row(&self, i: usize) -> &[f32] {
        &self.rows[i * self.stride..(i + 1) * self.stride]
    }

    /// The number of points.
    pub(crate) fn len(&self) -> usize {
        self.points
    }
}

/// What each point of a [`Path`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Fitted to, of the first class.
    Positive,
    /// Fitted to, of the second class.
    Negative,
    /// Not fitted to.
    Out,
}

/// A C-SVC that is solved for one C after the other.
pub(crate) struct Path<'a> {
    values: &'a Values,
    /// The linear term: −1, 1, or 0 for points that are not fitted to.
    linear: Vec<f64>,
    /// The price of each point for C = 1.
    prices: Vec<f64>,
    c: f64,
    pub(crate) beta: Vec<f64>,
    /// Kβ + linear.
    gradient: Vec<f64>,
    inner: Vec<f64>,
    slope: Aligned<f32>,
    no_rise: Aligned<f32>,
    no_fall: Aligned<f32>,
    /// Steps taken so far.
    pub(crate) steps: u64,
}

impl<'a> Path<'a> {
    /// Begins at β = 0. `prices` are the factors on C.
    pub(crate) fn new(values: &'a Values, sides: &[Side], prices: Vec<f64>) -> Self {
        let linear: Vec<f64> = sides
            .iter()
            .map(|side| match side {
                Side::Positive => -1.0,
                Side::Negative => 1.0,
                Side::Out => 0.0,
            })
            .collect();
        let (n, stride) = (values.len(), values.stride);
        Self {
            values,
            gradient: linear.clone(),
            linear,
            prices,
            c: 0.0,
            beta: vec![0.0; n],
            inner: vec![0.0; n],
            slope: Aligned::zeros(stride),
            no_rise: Aligned::zeros(stride),
            no_fall: Aligned::zeros(stride),
            steps: 0,
        }
    }

    /// The box of variable i.
    fn bounds(&self, i: usize) -> (f64, f64) {
        let most = self.c * self.prices[i];
        match self.linear[i] {
            p if p < 0.0 => (0.0, most),
            p if p > 0.0 => (-most, 0.0),
            _ => (0.0, 0.0),
        }
    }

    /// Moves along the ray tβ to where the objective is smallest in the box of a larger C.
    fn begin(&mut self, c: f64) {
        let ratio = c / self.c;
        self.c = c;
        if !ratio.is_finite() {
            return;
        }
        let sum = |f: &dyn Fn(usize) -> f64| (0..self.beta.len()).map(f).sum::<f64>();
        let linear = sum(&|i| self.beta[i] * self.linear[i]);
        let square = sum(&|i| self.beta[i] * (self.gradient[i] - self.linear[i]));
        let t = (-linear / square).clamp(1.0, ratio);
        if t.is_nan() || t <= 1.0 {
            return;
        }
        for i in 0..self.beta.len() {
            let (lower, upper) = self.bounds(i);
            self.beta[i] = (t * self.beta[i]).clamp(lower, upper);
            self.gradient[i] = t * (self.gradient[i] - self.linear[i]) + self.linear[i];
        }
    }

    /// The smallest gradient of a variable that may rise, and the largest of one that may fall.
    fn extremes(&self) -> (f64, f64) {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (i, &g) in self.gradient.iter().enumerate() {
            let (lower, upper) = self.bounds(i);
            if self.beta[i] < upper {
                low = low.min(g);
            }
            if self.beta[i] > lower {
                high = high.max(g);
            }
        }
        (low, high)
    }

    /// Solves for a C that is not smaller than the last, until the violation is at most `tolerance`. False where that cannot be
    /// reached in this precision, or within `limit` steps.
    pub(crate) fn solve(&mut self, c: f64, tolerance: f64, limit: u64) -> bool {
        self.begin(c);
        let (mut best, mut since) = (f64::INFINITY, 0);
        loop {
            let (low, high) = self.extremes();
            let violation = high - low;
            if violation <= tolerance {
                return true;
            }
            since = if violation < 0.5 * best { 0 } else { since + 1 };
            best = best.min(violation);
            if since > PATIENCE || self.steps > limit || !violation.is_finite() {
                return false;
            }
            if self.round(f64::midpoint(low, high), tolerance) == 0 {
                return false;
            }
        }
    }

    /// Steps in single precision, then the gradient. Returns the number of steps.
    fn round(&mut self, middle: f64, tolerance: f64) -> usize {
        let n = self.beta.len();
        self.inner.copy_from_slice(&self.beta);
        self.no_rise.fill(f32::INFINITY);
        self.no_fall.fill(f32::INFINITY);
        for i in 0..n {
            self.slope[i] = (self.gradient[i] - middle) as f32;
            self.block(i);
        }
        let taken = self.inside(tolerance);
        for i in 0..n {
            let moved = self.inner[i] - self.beta[i];
            if moved != 0.0 {
                self.beta[i] = self.inner[i];
                accumulate_one(&mut self.gradient, &self.values.row(i)[..n], moved);
            }
        }
        self.steps += taken as u64;
        taken
    }

    fn block(&mut self, i: usize) {
        let (lower, upper) = self.bounds(i);
        self.no_rise[i] = if self.inner[i] < upper { 0.0 } else { f32::INFINITY };
        self.no_fall[i] = if self.inner[i] > lower { 0.0 } else { f32::INFINITY };
    }

    fn inside(&mut self, tolerance: f64) -> usize {
        let values = self.values;
        let (mut target, limit) = (None, STEPS * self.beta.len());
        let (mut lowest, mut rise) = step(&mut self.slope, values.row(0), values.row(0), 0.0, &self.no_rise);
        for steps in 0..limit {
            if !lowest.is_finite() {
                return steps;
            }
            let own = values.diagonal[rise];
            let row = values.row(rise);
            let (fall, gain, violation) =
                best_pair(&self.slope, row, &values.diagonal, &self.no_fall, lowest, own);
            let target = *target.get_or_insert(f64::from(violation).mul_add(SHARE, 0.0).max(0.5 * tolerance));
            if gain <= 0.0 || f64::from(violation) <= target {
                return steps;
            }
            let curvature = own + values.diagonal[fall] - 2.0 * row[fall];
            let free =
                f64::from(self.slope[fall] - self.slope[rise]) / f64::from(curvature.max(MIN_CURVATURE));
            let ((_, upper), (lower, _)) = (self.bounds(rise), self.bounds(fall));
            let (up, down) = (self.inner[rise], self.inner[fall]);
            let delta = free.min(upper - up).min(down - lower);
            if delta.is_nan() || delta <= 0.0 {
                return steps;
            }
            // A variable that reaches its bound gets the bits of the bound; both do where they reach it together but for rounding.
            let rounding = 64.0 * f64::EPSILON * (up.abs().max(down.abs()) + delta);
            let arrived = delta >= (upper - up).min(down - lower);
            let close = if arrived { rounding } else { 0.0 };
            self.inner[rise] = if upper - up - delta <= close { upper } else { up + delta };
            self.inner[fall] = if down - lower - delta <= close { lower } else { down - delta };
            self.block(rise);
            self.block(fall);
            (lowest, rise) = step(&mut self.slope, row, values.row(fall), delta as f32, &self.no_rise);
        }
        limit
    }

    /// b: the mean gradient of the variables inside their box, else the middle of what the bounds allow.
    pub(crate) fn offset(&self) -> f64 {
        let (mut sum, mut free) = (0.0, 0usize);
        for (i, &g) in self.gradient.iter().enumerate() {
            let (lower, upper) = self.bounds(i);
            if self.beta[i] > lower && self.beta[i] < upper {
                sum += g;
                free += 1;
            }
        }
        let (low, high) = self.extremes();
        if free > 0 { sum / free as f64 } else { f64::midpoint(low, high) }
    }

    /// Σ βⱼ k(xⱼ, xᵢ) at point `i`, one that is not fitted to.
    pub(crate) fn value(&self, i: usize) -> f64 {
        self.gradient[i] - self.linear[i]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Points, Vectors};
    use crate::gram::{Full, Gram, Lazy};
    use crate::kernel::{VectorExpr, rbf};
    use crate::solve::{Problem, Smo};

    fn points(n: usize) -> (Vectors, Vec<bool>) {
        let x = Vectors::dense(2, (0..2 * n).map(|i| (i as f64 * 1.7).sin() * 2.0).collect());
        let positive = (0..n).map(|i| (i as f64 * 3.4).sin() + 0.4 * (i as f64 * 0.9).cos() > 0.0).collect();
        (x, positive)
    }

    #[test]
    fn answers_are_those_of_the_solver_for_every_price() {
        let (x, positive) = points(90);
        for gamma in [0.05, 1.0, 30.0] {
            let kernel: VectorExpr = rbf(gamma);
            let lazy = Lazy::new(&kernel, &x).unwrap();
            let values =
                Values::new(90, lazy.diagonal(), |rows| lazy.rows(&(0..90).collect::<Vec<_>>(), rows));
            // A fifth of the points is not fitted to.
            let rest: Vec<usize> = (0..90).filter(|i| i % 5 != 2).collect();
            let side = |i: usize| match (i % 5 == 2, positive[i]) {
                (true, _) => Side::Out,
                (_, true) => Side::Positive,
                (_, false) => Side::Negative,
            };
            let sides: Vec<Side> = (0..90).map(side).collect();
            let mut path = Path::new(&values, &sides, vec![1.0; 90]);
            let part = Lazy::new(&kernel, &x.select(&rest)).unwrap();
            let full = Full::new(&part);
            for c in [0.03, 0.5, 1.0, 64.0, 1000.0] {
                assert!(path.solve(c, 1e-9, 10_000_000), "C = {c}, gamma = {gamma}");
                let own: Vec<bool> = rest.iter().map(|&i| positive[i]).collect();
                let problem = Problem::c_svc(&own, &vec![c; rest.len()]);
                let smo = Smo { tolerance: 1e-9, ..Smo::default() };
                let solution =
                    smo.solve(&problem, &full, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
                for i in (0..90).filter(|i| i % 5 == 2) {
                    let row = values.row(i);
                    let of = |(&j, &b): (&usize, &f64)| b * f64::from(row[j]);
                    let expected =
                        rest.iter().zip(&solution.coefficients).map(of).sum::<f64>() - solution.offset;
                    let found = path.value(i) - path.offset();
                    // The solver's gradient is of the kernel, the path's of its values in single precision: with C = 1000 they
                    // differ by the rounding of a sum of sizes up to n C, more with a Gram matrix that is nearly singular.
                    let allowed = (2e-4 + 5e-6 * c) * expected.abs().max(1.0);
                    assert!((found - expected).abs() < allowed, "C = {c}: {found}, {expected}");
                }
            }
        }
    }

    #[test]
    fn a_price_that_binds_nobody_costs_no_step() {
        let x = Vectors::dense(1, vec![-2.0, -1.0, 1.0, 2.0]);
        let kernel: VectorExpr = rbf(0.5);
        let lazy = Lazy::new(&kernel, &x).unwrap();
        let values = Values::new(4, lazy.diagonal(), |rows| lazy.rows(&[0, 1, 2, 3], rows));
        let sides = [Side::Negative, Side::Negative, Side::Positive, Side::Positive];
        let mut path = Path::new(&values, &sides, vec![1.0; 4]);
        assert!(path.solve(100.0, 1e-8, 1000));
        let steps = path.steps;
        assert!(path.solve(1e6, 1e-8, 1000) && path.steps == steps);
        let part = values.part(&[3, 0]);
        assert_eq!((part.row(0)[1], part.len()), (values.row(3)[0], 2));
    }
}
