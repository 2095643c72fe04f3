//! The gradient in double precision, where kernel rows in single precision have led it astray.
//!
//! Rows are stored in single precision, and the gradient g = Kβ + linear is a sum of them: what rounding each value does to it grows
//! with ‖β‖, and with a large C it exceeds the tolerance. A certificate about the rounded kernel would then be wrong about the
//! kernel. So before a solve says that it has converged, and before any certificate is made,
//!
//! 1. a bound that costs nothing is looked at: errors of the values, each at most `UNIT` of the largest, add up as a random walk
//!    does, to UNIT · max kᵢᵢ · ‖β − β₀‖, where β₀ is where the gradient was last in double precision;
//! 2. if that is too much, a few entries of the gradient are computed again in double precision;
//! 3. if those are off, all are, and the solve goes on from there. Later errors come from the steps since then only, which are
//!    ever shorter: this is iterative refinement.
//!
//! A start that an earlier solve had come to is looked at by the bound before the first round.
//!
//! Cost: nothing; `SAMPLE` kernel rows in double precision; as many as there are support vectors.

use rayon::prelude::*;

use super::Problem;
use crate::gram::Gram;
use crate::simd::accumulate_f64;

/// The error of a kernel value in single precision, as a share of the largest, that the engine allows itself
/// ([`kernel::engine::precision`](crate::kernel)) divided by four: most are smaller by far.
const UNIT: f64 = 1e-6;
/// The share of the tolerance by which an entry of the gradient may be off.
const SHARE: f64 = 0.125;
/// Entries that are computed again before all are; the worst of all is taken to be twice as far off as theirs.
const SAMPLE: usize = 8;
const WORST: f64 = 2.0;
/// The most corrections of a solve, and the steps of two variables that it may always take after the first. Each correction leaves less
/// to do; where K is nearly singular and β moves far all the same, rounding has the last word.
const MOST: u32 = 40;
const STEPS: u64 = 100_000;
/// Rows that are held at once, and the entries of the gradient that a task adds them to.
const ROWS: usize = 64;
const TASK: usize = 2048;

/// Where the gradient was last computed in double precision, and how often it was.
pub(super) struct Rounding {
    start: Vec<f64>,
    corrections: u32,
    /// The steps taken before the first correction.
    before: Option<u64>,
}

impl Rounding {
    /// A gradient that has been built up from β = 0.
    pub(super) fn new(n: usize) -> Self {
        Self { start: vec![0.0; n], corrections: 0, before: None }
    }

    /// Whether corrections do not end after so many steps in all: they may take as many again as the solve did without them.
    pub(super) fn is_endless(&mut self, steps: u64) -> bool {
        let before = *self.before.get_or_insert(steps);
        self.corrections > MOST || steps > before + before.max(STEPS)
    }

    /// The gradient at the start in double precision, if single precision could be off by more than the tolerance allows.
    pub(super) fn at_start(
        &mut self,
        problem: &Problem,
        gram: &dyn Gram,
        tolerance: f64,
    ) -> Option<Vec<f64>> {
        let off = self.bound(gram, &problem.start) > SHARE * tolerance;
        off.then(|| {
            self.start.copy_from_slice(&problem.start);
            in_double(problem, gram, &problem.start)
        })
    }

    /// What single precision may have done to the gradient at β since it was last in double precision.
    fn bound(&self, gram: &dyn Gram, beta: &[f64]) -> f64 {
        let square: f64 = beta.iter().zip(&self.start).map(|(b, s)| (b - s) * (b - s)).sum();
        let largest = gram.diagonal().iter().fold(0.0, |most: f64, k| most.max(k.abs()));
        UNIT * largest * square.sqrt()
    }

    /// The gradient at β in double precision, if `gradient` is further from it than the tolerance allows.
    pub(super) fn corrected(
        &mut self,
        problem: &Problem,
        gram: &dyn Gram,
        beta: &[f64],
        gradient: &[f64],
        tolerance: f64,
    ) -> Option<Vec<f64>> {
        let allowed = SHARE * tolerance;
        let bound = self.bound(gram, beta);
        // A sum that is not finite is reported by name elsewhere.
        if bound.is_nan()
            || bound <= allowed
            || self.sampled(problem, gram, beta, gradient) * WORST <= allowed
        {
            return None;
        }
        self.start.copy_from_slice(beta);
        self.corrections += 1;
        Some(in_double(problem, gram, beta))
    }

    /// How far some entries of the gradient are off, at most.
    fn sampled(&self, problem: &Problem, gram: &dyn Gram, beta: &[f64], gradient: &[f64]) -> f64 {
        let n = beta.len();
        let entries: Vec<usize> = (0..n).step_by(n.div_ceil(SAMPLE).max(1)).collect();
        let mut values = vec![0.0; entries.len() * n];
        gram.rows_f64(&entries, &mut values.chunks_mut(n).collect::<Vec<_>>());
        let off = |(&i, row): (&usize, &[f64])| {
            let sum: f64 = row.iter().zip(beta).map(|(k, b)| k * b).sum();
            (sum + problem.linear[i] - gradient[i]).abs()
        };
        entries.iter().zip(values.chunks(n)).map(off).fold(0.0, f64::max)
    }
}

/// The gradient Kβ + linear in double precision, in the order of the support vectors.
pub(super) fn in_double(problem: &Problem, gram: &dyn Gram, beta: &[f64]) -> Vec<f64> {
    let (support, weights): (Vec<usize>, Vec<f64>) =
        beta.iter().enumerate().filter(|(_, b)| **b != 0.0).map(|(i, &b)| (i, b)).unzip();
    let n = beta.len();
    let mut sums = problem.linear.clone();
    let mut values = vec![0.0; ROWS.min(support.len()) * n];
    for (points, weights) in support.chunks(ROWS).zip(weights.chunks(ROWS)) {
        let mut rows: Vec<&mut [f64]> = values.chunks_mut(n).take(points.len()).collect();
        gram.rows_f64(points, &mut rows);
        sums.par_chunks_mut(TASK).enumerate().for_each(|(task, sums)| {
            let columns = task * TASK..task * TASK + sums.len();
            let rows: Vec<&[f64]> = rows.iter().map(|row| &row[columns.clone()]).collect();
            accumulate_f64(sums, &rows, weights);
        });
    }
    sums
}
