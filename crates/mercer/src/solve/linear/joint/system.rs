//! The linear system of a step for all classes: (I + Σ (xxᵀ) ⊗ H) D = −gradient.

use rayon::prelude::*;

use super::Descent;
use crate::linalg::Lower;
use crate::solve::linear::multipliers::{Ends, Inverse, conjugate};
use crate::solve::linear::system::{factor, pays, solution};

/// The most weights of a direct solution: half a matrix of them takes 64 MB.
const MAX_DIRECT: usize = 4096;
/// What is added to the second derivative in offsets that cost nothing, as a share of all prices, so that it is never 0.
const DAMPING: f64 = 1e-6;

/// The system of a step.
pub(super) struct System<'a> {
    descent: &'a Descent<'a>,
    /// The places of the points with H ≠ 0.
    curved: Vec<usize>,
    /// Their rows.
    rows: Vec<u32>,
    /// The shares p of all points, which H depends on.
    shares: &'a [f64],
    /// What stands in place of the 1 of I for the offsets, if something else does.
    free: Option<f64>,
}

impl<'a> System<'a> {
    pub(super) fn new(descent: &'a Descent<'a>, curved: Vec<usize>, shares: &'a [f64]) -> Self {
        let rows = curved.iter().map(|&at| descent.rows[at]).collect();
        let total = || descent.problem.prices.iter().sum::<f64>() * descent.scale;
        let free = descent.problem.free_offset.then(|| DAMPING * total());
        Self { descent, curved, rows, shares, free }
    }

    /// D, what is left of the system, and the steps of conjugate gradients, of which the last system that they solved took `last`.
    pub(super) fn solve(&self, gradient: &[f64], ends: Ends, last: usize) -> (Vec<f64>, Vec<f64>, usize) {
        let (size, entries) = (gradient.len(), self.descent.problem.x.entries());
        let count = self.descent.problem.count as f64;
        // A step of conjugate gradients takes 2 entries · classes operations a point, the matrix (entries · held)²/2.
        let held = self.held();
        let points = (self.curved.len() as f64).max(1.0);
        let step = 2.0 * entries * count;
        let cost = (0.5 * (entries * held).powi(2) + (size as f64).powi(3) / (6.0 * points)) / step;
        let direct = size <= MAX_DIRECT && pays(size, cost, last);
        let found = if direct { self.direct(gradient) } else { None };
        let found = found.map(|direction| (direction, vec![0.0; size], last));
        found.unwrap_or_else(|| self.conjugate(gradient, ends))
    }

    /// The classes of a point between which H is not 0, on average.
    fn held(&self) -> f64 {
        let held = |at: &usize| self.descent.line(self.shares, *at).iter().filter(|p| **p != 0.0).count();
        let sum: usize = self.curved.par_iter().with_min_len(super::POINTS).map(held).sum();
        sum as f64 / (self.curved.len() as f64).max(1.0)
    }

    /// H[a, b] of a point.
    fn curvature(&self, at: usize, pair: (usize, usize)) -> f64 {
        let point = self.descent.point(at);
        let (cost, p) = (self.descent.problem.cost, self.descent.line(self.shares, at));
        cost.curvature(point, self.descent.sigma * point.price, p, pair)
    }

    /// What is added on the diagonal for entry `at`.
    fn own(&self, at: usize, size: usize) -> f64 {
        self.free.filter(|_| at + self.descent.problem.count >= size).unwrap_or(1.0)
    }

    /// The solution by a factor; none where the matrix has none.
    fn direct(&self, gradient: &[f64]) -> Option<Vec<f64>> {
        let (x, count) = (self.descent.problem.x, self.descent.problem.count);
        let (width, size) = (x.width(), gradient.len());
        let pairs: Vec<(usize, usize)> = (0..count).flat_map(|a| (0..=a).map(move |b| (a, b))).collect();
        let blocks: Vec<Vec<f64>> = pairs
            .par_iter()
            .map(|&pair| {
                let all = self.curved.iter().zip(&self.rows).map(|(&at, &i)| (i, self.curvature(at, pair)));
                let (rows, weights): (Vec<u32>, Vec<f64>) = all.filter(|(_, h)| *h != 0.0).unzip();
                if rows.is_empty() { Vec::new() } else { x.outer(&rows, &weights) }
            })
            .collect();
        let mut lower = Lower::zeros(size);
        for ((a, b), block) in pairs.into_iter().zip(blocks).filter(|(_, block)| !block.is_empty()) {
            for j in 0..width {
                for k in 0..=j {
                    let value = block[j * width + k];
                    // Entries (j, a) × (k, b) and (j, b) × (k, a), a line of classes for each feature.
                    for (row, column) in [(j * count + a, k * count + b), (j * count + b, k * count + a)] {
                        let (row, column) = (row.max(column), row.min(column));
                        lower.row_mut(row)[column] = value;
                    }
                }
            }
        }
        (0..size).for_each(|at| lower.row_mut(at)[at] += self.own(at, size));
        Some(solution(&factor(lower)?, gradient.iter().map(|g| -g).collect()))
    }

    /// The solution by conjugate gradients, preconditioned by the diagonal.
    fn conjugate(&self, gradient: &[f64], ends: Ends) -> (Vec<f64>, Vec<f64>, usize) {
        let problem = self.descent.problem;
        let (x, count, size) = (problem.x, problem.count, gradient.len());
        let mut inverse = x.spread_squares(&self.rows, count, |range, lines| {
            for (&at, line) in self.curved[range].iter().zip(lines.chunks_mut(count)) {
                line.iter_mut().enumerate().for_each(|(c, h)| *h = self.curvature(at, (c, c)));
            }
        });
        inverse.iter_mut().enumerate().for_each(|(at, s)| *s = 1.0 / (*s + self.own(at, size)));
        conjugate(gradient, &Inverse::Diagonal(inverse), ends, |search| {
            let mut product = x.spread_all(&self.rows, count, |range, lines| {
                x.scores(&self.rows[range.clone()], count, search, lines);
                for (&at, line) in self.curved[range].iter().zip(lines.chunks_mut(count)) {
                    let (point, p) = (self.descent.point(at), self.descent.line(self.shares, at));
                    problem.cost.curve(point, self.descent.sigma * point.price, p, line);
                }
            });
            product.iter_mut().zip(search).enumerate().for_each(|(at, (p, v))| *p += self.own(at, size) * v);
            product
        })
    }
}
