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
//! A solve goes in rounds. Steps of two variables, the second by second-order gain, are taken in single precision about the middle of
//! the violation, among all variables or, where few of many can move, among those alone ([`set`]); the gradient is brought up to date
//! in double precision after them. Where C is large, such steps become many and short; as soon as they have cost as much as the linear
//! system of the variables inside their box would, that system is solved ([`newton`]). Cost of a step: 2q for q variables that can move;
//! of a round n for each variable that moved; of a system |F|³/3. Memory: a few vectors of length n, and of |F|², beside the matrix.

mod newton;
mod set;
mod values;

pub(crate) use values::{Block, Values};

use set::Set;

use super::standing::{Cost, Hinge, Standing};

/// A variable this close to a bound, as a share of its box, is there.
const AT_BOUND: f64 = 1e-11;
/// Rounds without a halving of the violation after which a solve is given up.
const PATIENCE: usize = 200;

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
    /// The box of each variable.
    lower: Vec<f64>,
    upper: Vec<f64>,
    pub(crate) beta: Vec<f64>,
    /// Kβ + linear.
    gradient: Vec<f64>,
    set: Set,
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
        let n = values.len();
        Self {
            values,
            gradient: linear.clone(),
            linear,
            prices,
            c: 0.0,
            lower: vec![0.0; n],
            upper: vec![0.0; n],
            beta: vec![0.0; n],
            set: Set::default(),
            steps: 0,
        }
    }

    /// Goes to other coefficients, which are feasible for the price `c`.
    pub(crate) fn go_to(&mut self, c: f64, beta: &[f64]) {
        self.set_price(c);
        self.beta.copy_from_slice(beta);
        self.refresh();
    }

    /// Computes the gradient anew, without what rounding has added to it from step to step.
    pub(crate) fn refresh(&mut self) {
        self.gradient.copy_from_slice(&self.linear);
        let moved: Vec<(usize, f64)> =
            self.beta.iter().copied().enumerate().filter(|(_, beta)| *beta != 0.0).collect();
        self.values.accumulate(&moved, &mut self.gradient);
    }

    fn set_price(&mut self, c: f64) {
        self.c = c;
        for i in 0..self.beta.len() {
            let most = c * self.prices[i];
            self.upper[i] = if self.linear[i] < 0.0 { most } else { 0.0 };
            self.lower[i] = if self.linear[i] > 0.0 { -most } else { 0.0 };
        }
    }

    fn is_free(&self, i: usize) -> bool {
        self.beta[i] > self.lower[i] && self.beta[i] < self.upper[i]
    }

    /// Moves along the ray tβ to where the objective is smallest in the box of a larger C.
    fn begin(&mut self, c: f64) {
        let ratio = c / self.c;
        self.set_price(c);
        if !ratio.is_finite() || ratio <= 1.0 {
            return;
        }
        let (mut linear, mut square) = (0.0, 0.0);
        for i in 0..self.beta.len() {
            linear += self.beta[i] * self.linear[i];
            square += self.beta[i] * (self.gradient[i] - self.linear[i]);
        }
        let t = (-linear / square).clamp(1.0, ratio);
        if t.is_nan() || t <= 1.0 {
            return;
        }
        for i in 0..self.beta.len() {
            self.beta[i] = (t * self.beta[i]).clamp(self.lower[i], self.upper[i]);
            self.gradient[i] = t * (self.gradient[i] - self.linear[i]) + self.linear[i];
        }
    }

    /// The smallest gradient of a variable that may rise, and the largest of one that may fall.
    fn extremes(&self) -> (f64, f64) {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for i in 0..self.beta.len() {
            let (beta, g) = (self.beta[i], self.gradient[i]);
            low = low.min(if beta < self.upper[i] { g } else { f64::INFINITY });
            high = high.max(if beta > self.lower[i] { g } else { f64::NEG_INFINITY });
        }
        (low, high)
    }

    /// Solves for a C that is not smaller than the last, until the violation is at most `tolerance`. False where that cannot be
    /// reached in this precision, or within `limit` steps.
    pub(crate) fn solve(&mut self, c: f64, tolerance: f64, limit: u64) -> bool {
        self.begin(c);
        let (mut best, mut since) = (f64::INFINITY, 0);
        // The work since the last system.
        let mut spent = 0.0;
        loop {
            let (mut low, mut high) = self.extremes();
            if high - low > tolerance && self.a_system_pays(spent) {
                self.equalise(f64::midpoint(low, high));
                spent = 0.0;
                (low, high) = self.extremes();
            }
            let violation = high - low;
            if violation <= tolerance {
                self.snap();
                return true;
            }
            since = if violation < 0.5 * best { 0 } else { since + 1 };
            best = best.min(violation);
            if since > PATIENCE || self.steps > limit || !violation.is_finite() {
                return false;
            }
            match self.round((low, high), tolerance) {
                Some(work) => spent += work,
                None => return false,
            }
        }
    }

    /// Puts variables at the bound that they are beside by rounding alone: one that looks free would be taken for the offset, where all
    /// offsets between two variables are best.
    fn snap(&mut self) {
        for i in 0..self.beta.len() {
            let close = AT_BOUND * (self.upper[i] - self.lower[i]);
            for bound in [self.lower[i], self.upper[i]] {
                if (self.beta[i] - bound).abs() <= close {
                    self.beta[i] = bound;
                }
            }
        }
    }

    /// Whether the system of the free variables costs no more than what was spent.
    fn a_system_pays(&self, spent: f64) -> bool {
        if spent == 0.0 {
            return false;
        }
        let free = (0..self.beta.len()).filter(|&i| self.is_free(i)).count();
        free > 1 && newton::work(free, self.beta.len()) <= spent
    }

    /// Steps in single precision, then the gradient. Returns the work; none where no step could be taken.
    fn round(&mut self, extremes: (f64, f64), tolerance: f64) -> Option<f64> {
        let n = self.beta.len();
        self.set.choose(extremes, [&self.beta, &self.lower, &self.upper], &self.gradient);
        let taken = self.set.take_steps(self.values, tolerance);
        let moved = self.set.moved(&mut self.beta);
        self.values.accumulate(&moved, &mut self.gradient);
        self.steps += taken as u64;
        (taken > 0).then(|| self.set.work(taken, n) + values::work(moved.len(), n))
    }

    /// b: the mean gradient of the variables inside their box, else the middle of what the bounds allow.
    pub(crate) fn offset(&self) -> f64 {
        let (mut sum, mut free) = (0.0, 0usize);
        for i in (0..self.beta.len()).filter(|&i| self.is_free(i)) {
            sum += self.gradient[i];
            free += 1;
        }
        let (low, high) = self.extremes();
        if free > 0 { sum / free as f64 } else { f64::midpoint(low, high) }
    }

    /// Σ βⱼ k(xⱼ, xᵢ) at point `i`, one that is not fitted to.
    pub(crate) fn value(&self, i: usize) -> f64 {
        self.gradient[i] - self.linear[i]
    }

    /// The dual objective ½ βᵀKβ + pᵀβ, to be minimised, and −pᵀβ.
    pub(crate) fn objective(&self) -> (f64, f64) {
        let sum = |of: &dyn Fn(usize) -> f64| (0..self.beta.len()).map(|i| self.beta[i] * of(i)).sum::<f64>();
        (0.5 * sum(&|i| self.gradient[i] + self.linear[i]), -sum(&|i| self.linear[i]))
    }

    /// How far the coefficients are from the optimum, proved by values in double precision.
    pub(crate) fn standing(&self) -> Standing {
        let n = self.beta.len();
        let fitted: Vec<usize> = (0..n).filter(|&i| self.linear[i] != 0.0).collect();
        let of = |list: &dyn Fn(usize) -> f64| -> Vec<f64> { fitted.iter().map(|&i| list(i)).collect() };
        let (y, price) = (of(&|i| -self.linear[i]), of(&|i| self.c * self.prices[i]));
        let hinge = Hinge { y: &y, price: &price, cost: Cost::Linear, offset: true };
        let (beta, u) = (of(&|i| self.beta[i]), of(&|i| self.value(i)));
        Standing::new(&hinge, &beta, &u, &of(&|i| self.values.diagonal(i)))
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
            let values = Values::new(lazy.diagonal(), |first, rows| lazy.lower_rows_single(first, rows));
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
        let values = Values::new(lazy.diagonal(), |first, rows| lazy.lower_rows_single(first, rows));
        let sides = [Side::Negative, Side::Negative, Side::Positive, Side::Positive];
        let mut path = Path::new(&values, &sides, vec![1.0; 4]);
        assert!(path.solve(100.0, 1e-8, 1000));
        let steps = path.steps;
        assert!(path.solve(1e6, 1e-8, 1000) && path.steps == steps);
        let part = values.part(&[3, 0]);
        assert_eq!((part.row(0)[1], part.len()), (values.row(3)[0], 2));
    }
}
