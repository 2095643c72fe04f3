//! The free variables of an answer, right to rounding.
//!
//! At an optimum the slopes of the free variables F of a sum are equal: with δ what they still have to move,
//! K_FF δ − b = −g_F and Σδ = 0, a linear system. Its solution is the optimum as long as nobody leaves its interval and
//! the others stay optimal where they are. Where somebody would leave, all go as far as they may together; who is at its
//! bound then stays there, and the system of the others is solved.
//!
//! K_FF is singular where points are repeated or there are more of them than features. It is then solved with a little
//! more on the diagonal, and again for what that leaves over: the system has solutions, and any of them is the same
//! function.
//!
//! Cost: |F|·|S| kernel values in double precision for |S| support points, |F|³/3 multiplications for each system, on one
//! thread, so that the bits do not depend on how many there are.

use super::Problem;
use super::active::moved_since;
use super::state::{Extremes, State, slope};
use crate::gram::Gram;
use crate::linalg::Saddle;

/// Most free variables, and most kernel values.
const MOST: usize = 4096;
const MOST_VALUES: usize = 1 << 24;
/// What is added to the diagonal, of its mean.
const REGULAR: f64 = 1e-11;
/// Times the system is solved for what the last time left over, at most.
const REFINEMENTS: usize = 12;
/// Slopes that differ by less than this share of the largest kernel sum are equal; refinement ends there.
const EQUAL: f64 = 1e-13;
/// Slopes that differ by more than this share are not what rounding leaves.
const ROUNDING: f64 = 1e-10;
/// Systems solved, at most, and the sum of |F|³ of all of them: two of the largest.
const SYSTEMS: usize = 64;
const MOST_WORK: usize = 2 * MOST.pow(3);
/// Kernel values for the gradient, at most, and rows of them held at once. None is kept, so there may be more of them.
const MOST_SUMMED: usize = 1 << 27;
const ROWS: usize = 32;

/// Where the variables go.
struct Exact {
    beta: Vec<f64>,
    /// b of each sum that has free variables.
    offsets: [Option<f64>; 2],
}

/// Puts the free variables where their slopes are equal to rounding, if that is inside the box and leaves the others
/// optimal to `tolerance`. Returns whether it did.
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
    // In double precision, so that what rounding does to the others' slopes is not taken for a violation.
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

/// The answer with its free variables where their slopes are equal; none where there are none or too many, or where they
/// do not become equal.
fn solve(problem: &Problem, gram: &dyn Gram, state: &State) -> Option<Exact> {
    // The origin takes up what the others leave over, whatever that is.
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

/// The gradient Kβ + linear in double precision; none where it takes too many kernel values.
fn gradient(problem: &Problem, gram: &dyn Gram, beta: &[f64]) -> Option<Vec<f64>> {
    let support: Vec<usize> = (0..beta.len()).filter(|&i| beta[i] != 0.0).collect();
    if support.len() * beta.len() > MOST_SUMMED {
        return None;
    }
    let mut sums = problem.linear.clone();
    let mut values = vec![0.0; ROWS * beta.len()];
    for points in support.chunks(ROWS) {
        let mut rows: Vec<&mut [f64]> = values.chunks_mut(beta.len()).take(points.len()).collect();
        gram.rows_f64(points, &mut rows);
        for (row, &i) in rows.iter().zip(points) {
            sums.iter_mut().zip(row.iter()).for_each(|(sum, k)| *sum += beta[i] * k);
        }
    }
    Some(sums)
}

/// What became of a system.
enum Settled {
    /// The slopes are equal, to these offsets.
    Equal([Option<f64>; 2]),
    /// Somebody came to its bound, and is free no more.
    Blocked,
}

/// The linear system of the free variables.
struct System<'a> {
    state: &'a State,
    /// Kernel values of those that were free at first with the support points, row after row.
    values: Vec<f64>,
    points: usize,
    sums: usize,
    free: Vec<Free>,
}

/// A free variable.
#[derive(Clone, Copy)]
struct Free {
    /// In the numbering of the problem, among the rows, and among the support points.
    variable: usize,
    row: usize,
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

    /// The sums that somebody is part of.
    fn present(&self) -> Vec<usize> {
        let has = |&sum: &usize| self.free.iter().any(|f| self.state.group(f.variable) == sum);
        (0..self.sums).filter(has).collect()
    }

    /// The matrix of δ and b, [K_FF, A; Aᵀ, 0] with a column of A for each sum that somebody is part of, in factors. The
    /// entries of A are of K's size. (K⁻¹ on its own will not do: where α and α* of a point are both free, it is next to
    /// infinite, and b is a difference of its parts.)
    fn factors(&self) -> Saddle {
        let n = self.free.len();
        let mean = self.free.iter().map(|f| self.row(f)[f.place]).sum::<f64>() / n as f64;
        let (regular, one) = ((REGULAR * mean).max(f64::MIN_POSITIVE), mean.max(f64::MIN_POSITIVE));
        let group = |i: usize| self.state.group(self.free[i].variable);
        let sums = self.present();
        Saddle::new(n + sums.len(), |i, j| match (i < n, j < n) {
            (true, true) => self.row(&self.free[i])[self.free[j].place] + if i == j { regular } else { 0.0 },
            (false, true) if group(j) == sums[i - n] => one,
            (true, false) if group(i) == sums[j - n] => one,
            _ => 0.0,
        })
    }

    /// Moves the free variables to where their slopes are equal, or as far as they may; none where they do not become
    /// equal.
    fn settle(&mut self, beta: &mut Vec<f64>) -> Option<Settled> {
        let factors = self.factors();
        let (mut last, mut offsets, mut kept) = (f64::INFINITY, [None; 2], beta.clone());
        for _ in 0..REFINEMENTS {
            let (slopes, found, spread) = self.slopes(beta);
            // Better than the last time, or that was the best.
            if spread >= last {
                break;
            }
            (last, offsets) = (spread, found);
            kept.clone_from(beta);
            if spread <= EQUAL * self.size(beta) {
                break;
            }
            // K_FF δ + Ab = −g with the sums as they are, whatever b.
            let mut delta: Vec<f64> = slopes.iter().map(|s| -s).collect();
            delta.resize(delta.len() + self.present().len(), 0.0);
            factors.solve(&mut delta);
            // The matrix of a kernel that is not semi-definite can be singular as it stands.
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

    /// Slopes of the free variables, the offset of each sum that has any, and how far the slopes are from it.
    fn slopes(&self, beta: &[f64]) -> (Vec<f64>, [Option<f64>; 2], f64) {
        let slope_of = |free: &Free| {
            let sum: f64 = self.row(free).iter().zip(beta).map(|(k, b)| k * b).sum();
            // Nobody has changed sides.
            sum + free.linear + slope(self.state.beta[free.variable] > 0.0, self.state.kink)
        };
        let slopes: Vec<f64> = self.free.iter().map(slope_of).collect();
        let (mut offsets, mut spread) = ([None; 2], 0.0_f64);
        for (sum, offset) in offsets.iter_mut().enumerate() {
            let own = || self.free.iter().zip(&slopes).filter(|(f, _)| self.state.group(f.variable) == sum);
            let count = own().count();
            if count > 0 {
                let mean =
                    if self.sums == 0 { 0.0 } else { own().map(|(_, s)| s).sum::<f64>() / count as f64 };
                *offset = Some(mean);
                spread = own().fold(spread, |worst, (_, s)| worst.max((s - mean).abs()));
            }
        }
        (slopes, offsets, spread)
    }

    /// What the slopes are made of, for what rounding may leave.
    fn size(&self, beta: &[f64]) -> f64 {
        let size_of = |free: &Free| -> f64 {
            let sum: f64 = self.row(free).iter().zip(beta).map(|(k, b)| (k * b).abs()).sum();
            sum + free.linear.abs()
        };
        self.free.iter().map(size_of).fold(0.0, f64::max)
    }

    /// Goes along δ, all the way if everybody stays inside its interval and on its side of the kink. Otherwise as far as
    /// they may, and who is at its end is free no more.
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
        let stays = |&(_, own): &(f64, f64)| own > share;
        let gone = self.free.iter().zip(&ends).filter(|(_, end)| !stays(end));
        gone.for_each(|(f, (end, _))| beta[f.place] = *end);
        let mut keep = ends.iter().map(stays);
        self.free.retain(|_| keep.next().unwrap_or(true));
        false
    }
}
