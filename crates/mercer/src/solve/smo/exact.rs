//! The free variables of an answer, up to rounding.
//!
//! At an optimum the slopes of the free variables F of a sum are equal. With δ the change of the free variables that is
//! still needed, K_FF δ − b = −g_F and Σδ = 0, a linear system. Its solution is the optimum if no free variable leaves its
//! interval and the other variables stay optimal. If one would leave, all move along δ until the first reaches its bound;
//! it stays there, and the system of the others is solved.
//!
//! K_FF is singular if points are repeated, or for a linear kernel if there are more of them than features. A small number
//! is therefore added to its diagonal, and the error that this makes is removed by iterative refinement: the system has
//! solutions, and all of them are the same function.
//!
//! Cost: |F|·|S| kernel values in double precision for |S| support points, and |F|³/3 multiplications for each system, on
//! one thread, so that the bits do not depend on the number of threads.

use super::Problem;
use super::active::moved_since;
use super::rounding::in_double;
use super::state::{Extremes, State, slope};
use crate::gram::Gram;
use crate::linalg::Saddle;

/// The most free variables, and the most kernel values that are held.
const MOST: usize = 4096;
const MOST_VALUES: usize = 1 << 24;
/// The number that is added to the diagonal, as a share of its mean.
const REGULAR: f64 = 1e-11;
/// The most rounds of iterative refinement.
const REFINEMENTS: usize = 12;
/// Slopes that differ by less than this share of the largest kernel sum are equal, and refinement ends.
const EQUAL: f64 = 1e-13;
/// Slopes that differ by more than this share of the largest kernel sum differ by more than rounding.
const ROUNDING: f64 = 1e-10;
/// The most systems that are solved, and the largest sum of their |F|³: that of two systems of the largest size.
const SYSTEMS: usize = 64;
const MOST_WORK: usize = 2 * MOST.pow(3);
/// The most kernel values that are computed for the gradient. More than `MOST_VALUES`, because only some rows of them are held
/// at once.
const MOST_SUMMED: usize = 1 << 27;

/// The exact solution.
struct Exact {
    beta: Vec<f64>,
    /// The offset b of each sum that has free variables.
    offsets: [Option<f64>; 2],
}

/// Moves the free variables so that their slopes are equal up to rounding, if this keeps them inside the box and the other
/// variables optimal to `tolerance`. Returns whether it did; if not, `state` and `extremes` are unchanged.
pub(super) fn settle(
    problem: &Problem,
    gram: &dyn Gram,
    tolerance: f64,
    state: &mut State,
    extremes: &mut Extremes,
) -> bool {
    let Some(found) = solve(problem, gram, state) else { return false };
    let before = (state.beta.clone(), state.gradient.clone());
    let (moved, weights) = moved_since(&before.0, &found.beta);
    state.beta = found.beta;
    // In double precision, so that rounding errors in the slopes of the other variables are not taken for violations.
    match gradient(problem, gram, &state.beta) {
        Some(gradient) => state.gradient = gradient,
        None => gram.accumulate(&moved, &weights, &mut state.gradient),
    }
    let after = state.extremes();
    if after.violation() > tolerance {
        (state.beta, state.gradient) = before;
        return false;
    }
    *extremes = after;
    extremes.groups.iter_mut().zip(found.offsets).for_each(|(group, offset)| {
        group.offset = offset.unwrap_or(group.offset);
    });
    true
}

/// The solution with equal slopes of the free variables; `None` if no variable is free, if too many are, or if the slopes
/// do not become equal.
fn solve(problem: &Problem, gram: &dyn Gram, state: &State) -> Option<Exact> {
    // The variable of the origin is the negative sum of the others, whatever that is.
    let origin = (!problem.offset).then(|| problem.len() - 1);
    let free: Vec<usize> = (0..state.len()).filter(|&i| Some(i) != origin && state.free(i)).collect();
    let support: Vec<usize> =
        (0..state.len()).filter(|&i| Some(i) != origin && (state.beta[i] != 0.0 || state.free(i))).collect();
    if free.is_empty() || free.len() > MOST || free.len() * support.len() > MOST_VALUES {
        return None;
    }
    let mut system = System::new(problem, gram, state, free, &support);
    let mut beta: Vec<f64> = support.iter().map(|&i| state.beta[i]).collect();
    let mut work = 0;
    for _ in 0..SYSTEMS {
        work += system.free.len().pow(3);
        if system.free.is_empty() || work > MOST_WORK {
            return None;
        }
        if let Settled::Equal(offsets) = system.settle(&mut beta)? {
            let mut all = state.beta.clone();
            support.iter().zip(&beta).for_each(|(&i, &b)| all[i] = b);
            if let Some(origin) = origin {
                all[origin] = -all[..origin].iter().sum::<f64>();
            }
            return Some(Exact { beta: all, offsets });
        }
    }
    None
}

/// The gradient in double precision; `None` if that takes too many kernel values.
fn gradient(problem: &Problem, gram: &dyn Gram, beta: &[f64]) -> Option<Vec<f64>> {
    let support = beta.iter().filter(|b| **b != 0.0).count();
    (support * beta.len() <= MOST_SUMMED).then(|| in_double(problem, gram, beta))
}

/// The outcome of one linear system.
enum Settled {
    /// The slopes are equal to these offsets.
    Equal([Option<f64>; 2]),
    /// A variable has reached its bound and is not free any more.
    Blocked,
}

/// The linear system of the free variables.
struct System<'a> {
    state: &'a State,
    /// Kernel values between the variables that were free at first and all support points, row after row.
    values: Vec<f64>,
    /// The number of support points, which is the length of a row.
    points: usize,
    /// The number of sums that are fixed.
    sums: usize,
    free: Vec<Free>,
}

/// A free variable.
#[derive(Clone, Copy)]
struct Free {
    /// Its number in the problem.
    variable: usize,
    /// The number of its row of kernel values.
    row: usize,
    /// Its position among the support points.
    place: usize,
    linear: f64,
}

impl<'a> System<'a> {
    fn new(
        problem: &Problem,
        gram: &dyn Gram,
        state: &'a State,
        free: Vec<usize>,
        support: &[usize],
    ) -> Self {
        let points = support.len();
        let place: Vec<usize> = free.iter().filter_map(|i| support.binary_search(i).ok()).collect();
        let mut values = vec![0.0; free.len() * points];
        let mut rows: Vec<&mut [f64]> = values.chunks_mut(points).collect();
        gram.restrict(support).rows_f64(&place, &mut rows);
        let linear = |i: usize| problem.linear[i];
        let free = free.into_iter().zip(place).enumerate();
        let free =
            free.map(|(row, (variable, place))| Free { variable, row, place, linear: linear(variable) });
        let sums = if problem.offset { state.groups() } else { 0 };
        Self { state, values, points, sums, free: free.collect() }
    }

    fn row(&self, free: &Free) -> &[f64] {
        &self.values[free.row * self.points..(free.row + 1) * self.points]
    }

    /// The sums that have free variables.
    fn sums_in_use(&self) -> Vec<usize> {
        let has = |&sum: &usize| self.free.iter().any(|f| self.state.group(f.variable) == sum);
        (0..self.sums).filter(has).collect()
    }

    /// The factors of the matrix of δ and b, [K_FF, A; Aᵀ, 0], with a column of A for each sum that has free variables. The
    /// entries of A are as large as those of K. (A factor of K_FF alone is not enough: if α and α* of a point are both
    /// free, K_FF is nearly singular, and b would be a difference of huge numbers.)
    fn factors(&self) -> Saddle {
        let n = self.free.len();
        let mean = self.free.iter().map(|f| self.row(f)[f.place]).sum::<f64>() / n as f64;
        let (regular, one) = ((REGULAR * mean).max(f64::MIN_POSITIVE), mean.max(f64::MIN_POSITIVE));
        let group = |i: usize| self.state.group(self.free[i].variable);
        let sums = self.sums_in_use();
        Saddle::new(n + sums.len(), |i, j| match (i < n, j < n) {
            (true, true) => self.row(&self.free[i])[self.free[j].place] + if i == j { regular } else { 0.0 },
            (false, true) if group(j) == sums[i - n] => one,
            (true, false) if group(i) == sums[j - n] => one,
            _ => 0.0,
        })
    }

    /// Moves the free variables until their slopes are equal or one of them reaches its bound; `None` if the slopes do not
    /// become equal.
    fn settle(&mut self, beta: &mut Vec<f64>) -> Option<Settled> {
        let factors = self.factors();
        let (mut last, mut offsets, mut kept) = (f64::INFINITY, [None; 2], beta.clone());
        for _ in 0..REFINEMENTS {
            let (slopes, found, spread) = self.slopes(beta);
            // Refinement ends when it makes the slopes no more equal.
            if spread >= last {
                break;
            }
            (last, offsets) = (spread, found);
            kept.clone_from(beta);
            if spread <= EQUAL * self.size(beta) {
                break;
            }
            // K_FF δ + Ab = −g with Σδ = 0; the solution for b is not used.
            let mut delta: Vec<f64> = slopes.iter().map(|s| -s).collect();
            delta.resize(delta.len() + self.sums_in_use().len(), 0.0);
            factors.solve(&mut delta);
            // The matrix of a kernel that is not positive semi-definite can be singular in spite of the added diagonal.
            if delta.iter().any(|d| !d.is_finite()) {
                return None;
            }
            if !self.go(&delta, beta) {
                return Some(Settled::Blocked);
            }
        }
        *beta = kept;
        (last <= ROUNDING * self.size(beta)).then_some(Settled::Equal(offsets))
    }

    /// The slopes of the free variables, the offset of each sum that has free variables, and the largest difference between
    /// a slope and its offset.
    fn slopes(&self, beta: &[f64]) -> (Vec<f64>, [Option<f64>; 2], f64) {
        let slope_of = |free: &Free| {
            let sum: f64 = self.row(free).iter().zip(beta).map(|(k, b)| k * b).sum();
            // No free variable has changed its sign.
            sum + free.linear + slope(self.state.beta[free.variable] > 0.0, self.state.kink)
        };
        let slopes: Vec<f64> = self.free.iter().map(slope_of).collect();
        let (mut offsets, mut spread) = ([None; 2], 0.0_f64);
        for (sum, offset) in offsets.iter_mut().enumerate() {
            let members =
                || self.free.iter().zip(&slopes).filter(|(f, _)| self.state.group(f.variable) == sum);
            let count = members().count();
            if count > 0 {
                let mean =
                    if self.sums == 0 { 0.0 } else { members().map(|(_, s)| s).sum::<f64>() / count as f64 };
                *offset = Some(mean);
                spread = members().fold(spread, |worst, (_, s)| worst.max((s - mean).abs()));
            }
        }
        (slopes, offsets, spread)
    }

    /// The largest sum of the sizes of the terms of a slope, to which its rounding error is relative.
    fn size(&self, beta: &[f64]) -> f64 {
        let size_of = |free: &Free| -> f64 {
            let sum: f64 = self.row(free).iter().zip(beta).map(|(k, b)| (k * b).abs()).sum();
            sum + free.linear.abs()
        };
        self.free.iter().map(size_of).fold(0.0, f64::max)
    }

    /// Moves the free variables along δ. Returns whether all of them stay inside their intervals and keep their signs where
    /// there is a kink. If not, they move until the first reaches the end of its interval, and the variables that are at
    /// their ends are not free any more.
    fn go(&mut self, delta: &[f64], beta: &mut [f64]) -> bool {
        let State { lower, upper, kink, .. } = self.state;
        let ends: Vec<(f64, f64)> = self
            .free
            .iter()
            .zip(delta)
            .map(|(f, &d)| {
                let (b, up) = (beta[f.place], d > 0.0);
                let bound = if up { upper[f.variable] } else { lower[f.variable] };
                let end = if *kink > 0.0 && (b < 0.0) == up { 0.0 } else { bound };
                (end, if d == 0.0 { f64::INFINITY } else { (end - b) / d })
            })
            .collect();
        let share = ends.iter().fold(f64::INFINITY, |least, (_, share)| least.min(*share)).max(0.0);
        self.free.iter().zip(delta).for_each(|(f, d)| beta[f.place] += share.min(1.0) * d);
        if share > 1.0 {
            return true;
        }
        let stays = |&(_, reach): &(f64, f64)| reach > share;
        let gone = self.free.iter().zip(&ends).filter(|(_, end)| !stays(end));
        gone.for_each(|(f, (end, _))| beta[f.place] = *end);
        let mut keep = ends.iter().map(stays);
        self.free.retain(|_| keep.next().unwrap_or(true));
        false
    }
}
