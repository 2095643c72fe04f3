//! The free variables of an answer, right to rounding.
//!
//! At an optimum the slopes of the free variables F of a sum are equal: with δ what they still have to move,
//! K_FF δ − b = −g_F and Σδ = 0, a linear system. Its solution is the optimum as long as nobody leaves its interval and
//! the others stay optimal where they are.
//!
//! K_FF is singular where points are repeated or there are more of them than features. It is then solved with a little
//! more on the diagonal, and again for what that leaves over: the system has solutions, and any of them is the same
//! function.
//!
//! Cost: |F|·|S| kernel values in double precision for |S| support points, |F|³/3 multiplications, on one thread, so that
//! the bits do not depend on how many there are.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltRegularization, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::cholesky::llt::solve::{solve_in_place, solve_in_place_scratch};
use faer::{Mat, Par};

use super::Problem;
use super::state::{State, slope};
use crate::gram::Gram;

/// Most free variables, and most kernel values.
const MOST: usize = 4096;
const MOST_VALUES: usize = 1 << 24;
/// What is added to the diagonal, of its mean.
const REGULAR: f64 = 1e-11;
/// Times the system is solved for what the last time left over, at most.
const REFINEMENTS: usize = 12;
/// Slopes that differ by less than this share of the largest kernel sum are equal.
const EQUAL: f64 = 1e-13;

/// Where the variables go.
pub(super) struct Exact {
    pub(super) beta: Vec<f64>,
    /// b of each sum that has free variables.
    pub(super) offsets: [Option<f64>; 2],
}

/// The answer with its free variables where their slopes are equal; none where there are none or too many, or where
/// somebody would leave its interval.
pub(super) fn solve(problem: &Problem, gram: &dyn Gram, state: &State) -> Option<Exact> {
    // The origin takes up what the others leave over, whatever that is.
    let origin = (!problem.offset).then(|| problem.len() - 1);
    let free: Vec<usize> = (0..state.len()).filter(|&i| Some(i) != origin && state.free(i)).collect();
    let support: Vec<usize> =
        (0..state.len()).filter(|&i| Some(i) != origin && (state.beta[i] != 0.0 || state.free(i))).collect();
    if free.is_empty() || free.len() > MOST || free.len() * support.len() > MOST_VALUES {
        return None;
    }
    let system = System::new(problem, gram, state, &free, &support)?;
    let mut beta: Vec<f64> = support.iter().map(|&i| state.beta[i]).collect();
    let mut last = f64::INFINITY;
    let (mut offsets, mut kept) = ([None; 2], beta.clone());
    for _ in 0..REFINEMENTS {
        let (found, spread) = system.slopes(&beta);
        // Better than the last time, or that was the best.
        if spread >= last {
            break;
        }
        (last, kept) = (spread, beta.clone());
        offsets = found.1;
        if spread <= EQUAL * system.size(&beta) {
            break;
        }
        system.step(&found.0, &mut beta);
        if !system.inside(&beta) {
            return None;
        }
    }
    let mut all = state.beta.clone();
    support.iter().zip(&kept).for_each(|(&i, &b)| all[i] = b);
    if let Some(origin) = origin {
        all[origin] = -all[..origin].iter().sum::<f64>();
    }
    Some(Exact { beta: all, offsets })
}

/// The linear system of the free variables.
struct System<'a> {
    state: &'a State,
    /// Kernel values of the free variables with the support points, row after row.
    values: Vec<f64>,
    /// The factor of K_FF, and for each sum K_FF⁻¹ times who is part of it.
    factor: Mat<f64>,
    inverse: Vec<Vec<f64>>,
    linear: Vec<f64>,
    free: &'a [usize],
    /// Places of the free variables among the support points.
    place: Vec<usize>,
    points: usize,
    sums: usize,
}

impl<'a> System<'a> {
    fn new(
        problem: &Problem,
        gram: &dyn Gram,
        state: &'a State,
        free: &'a [usize],
        support: &[usize],
    ) -> Option<Self> {
        let points = support.len();
        let place: Vec<usize> = free.iter().filter_map(|i| support.binary_search(i).ok()).collect();
        let mut values = vec![0.0; free.len() * points];
        let mut rows: Vec<&mut [f64]> = values.chunks_mut(points).collect();
        gram.restrict(support).rows_f64(&place, &mut rows);
        let n = free.len();
        let regular = REGULAR * (0..n).map(|i| values[i * points + place[i]]).sum::<f64>() / n as f64;
        let mut factor = Mat::from_fn(n, n, |i, j| {
            values[i * points + place[j]] + if i == j { regular.max(f64::MIN_POSITIVE) } else { 0.0 }
        });
        let parameters = faer::prelude::default();
        let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, parameters));
        cholesky_in_place(
            factor.as_mut(),
            LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            faer::prelude::default(),
        )
        .ok()?;
        let linear = free.iter().map(|&i| problem.linear[i]).collect();
        let sums = if problem.offset { state.groups() } else { 0 };
        let mut system =
            Self { state, values, factor, inverse: Vec::new(), linear, free, place, points, sums };
        for sum in 0..sums {
            let mut ones: Vec<f64> =
                free.iter().map(|&i| f64::from(u8::from(state.group(i) == sum))).collect();
            system.solve(&mut ones);
            system.inverse.push(ones);
        }
        Some(system)
    }

    /// K_FF⁻¹ times a vector, in place.
    fn solve(&self, right: &mut [f64]) {
        let n = right.len();
        let mut matrix = Mat::from_fn(n, 1, |i, _| right[i]);
        let mut memory = MemBuffer::new(solve_in_place_scratch::<f64>(n, 1, Par::Seq));
        solve_in_place(self.factor.as_ref(), matrix.as_mut(), Par::Seq, MemStack::new(&mut memory));
        right.iter_mut().enumerate().for_each(|(i, value)| *value = matrix[(i, 0)]);
    }

    /// Slopes of the free variables, the offset of each sum that has any, and how far the slopes are from it.
    fn slopes(&self, beta: &[f64]) -> ((Vec<f64>, [Option<f64>; 2]), f64) {
        let slope_of = |(r, &i): (usize, &usize)| {
            let row = &self.values[r * self.points..(r + 1) * self.points];
            let sum: f64 = row.iter().zip(beta).map(|(k, b)| k * b).sum();
            sum + self.linear[r] + slope(self.state.beta[i] > 0.0, self.state.kink)
        };
        let slopes: Vec<f64> = self.free.iter().enumerate().map(slope_of).collect();
        let (mut offsets, mut spread) = ([None; 2], 0.0_f64);
        for (sum, offset) in offsets.iter_mut().enumerate() {
            let own = || self.free.iter().zip(&slopes).filter(|(i, _)| self.state.group(**i) == sum);
            let count = own().count();
            if count > 0 {
                let mean =
                    if self.sums == 0 { 0.0 } else { own().map(|(_, s)| s).sum::<f64>() / count as f64 };
                *offset = Some(mean);
                spread = own().fold(spread, |worst, (_, s)| worst.max((s - mean).abs()));
            }
        }
        ((slopes, offsets), spread)
    }

    /// What the slopes are made of, for what rounding may leave.
    fn size(&self, beta: &[f64]) -> f64 {
        let row = |r: usize| -> f64 {
            let row = &self.values[r * self.points..(r + 1) * self.points];
            row.iter().zip(beta).map(|(k, b)| (k * b).abs()).sum::<f64>() + self.linear[r].abs()
        };
        (0..self.free.len()).map(row).fold(0.0, f64::max)
    }

    /// Moves the free variables by the solution for these slopes: δ = −K⁻¹(g − Ab) with b such that the sums stay.
    fn step(&self, slopes: &[f64], beta: &mut [f64]) {
        let mut delta: Vec<f64> = slopes.iter().map(|s| -s).collect();
        self.solve(&mut delta);
        let member = |i: usize, sum: usize| self.state.group(self.free[i]) == sum;
        let total = |list: &[f64], sum: usize| -> f64 {
            (0..list.len()).filter(|&i| member(i, sum)).map(|i| list[i]).sum()
        };
        // AᵀK⁻¹A b = −Aᵀδ, of one or two equations.
        let b = match self.inverse.as_slice() {
            [] => Vec::new(),
            [one] => vec![-total(&delta, 0) / total(one, 0)],
            [first, second, ..] => {
                let (a, c) = (total(first, 0), total(first, 1));
                let (d, e) = (total(second, 0), total(second, 1));
                let (r, s) = (-total(&delta, 0), -total(&delta, 1));
                let determinant = a * e - c * d;
                if determinant == 0.0 {
                    // One of the sums has no free variable.
                    vec![if a == 0.0 { 0.0 } else { r / a }, if e == 0.0 { 0.0 } else { s / e }]
                } else {
                    vec![(r * e - d * s) / determinant, (a * s - c * r) / determinant]
                }
            }
        };
        for (inverse, b) in self.inverse.iter().zip(&b) {
            delta.iter_mut().zip(inverse).for_each(|(value, z)| *value += z * b);
        }
        self.place.iter().zip(delta).for_each(|(&at, d)| beta[at] += d);
    }

    /// Whether every free variable is where it may be, on its side of the kink.
    fn inside(&self, beta: &[f64]) -> bool {
        self.free.iter().zip(&self.place).all(|(&i, &at)| {
            let (b, before) = (beta[at], self.state.beta[i]);
            let side = self.state.kink == 0.0 || (b > 0.0) == (before > 0.0);
            side && b > self.state.lower[i] && b < self.state.upper[i]
        })
    }
}
