//! Online training: one point after the other moves the prototypes near its winner towards itself (MacDonald and Fyfe 2000).
//!
//! γ_j ← (1 − e)γ_j + e·eᵢ with e = ηh(j, c(i)). The inner products F = ΓK′ of prototypes with all points and the squared norms
//! of prototypes are kept up to date: F_j ← (1 − e)F_j + eK′ᵢ costs n multiplications for each prototype that moves. Γ and F
//! are kept divided by a factor for each prototype, so that the first half of the step is one multiplication.

use rayon::prelude::*;

use super::Schedule;
use super::grid::Grid;
use super::values::{Entry, Sums, Values, WIDTH};
use crate::data::SplitMix;
use crate::error::Result;
use crate::linalg::inner;

/// A prototype whose neighbourhood h of the winner is smaller does not move: 1e-8 of a step
/// changes no nearest unit that is clear.
const LEAST: f64 = 1e-8;

/// The factor of a prototype is taken into its numbers before it is smaller than this: double precision ends at 1e-308.
const SMALLEST_FACTOR: f64 = 1e-100;

/// Blocks of points that a thread updates at once.
const BLOCKS: usize = 4;

/// Prototypes while they are trained.
pub(super) struct Prototypes<'a, T> {
    values: &'a Values<'a, T>,
    weights: &'a [f64],
    grid: Grid,
    /// Γ, a list of coefficients for each prototype, divided by its factor.
    coefficients: Vec<Vec<f64>>,
    /// F divided by the factors.
    sums: Sums,
    factors: Vec<f64>,
    /// ‖m′_j‖²
    squares: Vec<f64>,
}

impl<'a, T: Entry> Prototypes<'a, T> {
    /// Prototypes with coefficients Γ, inner products F with all points and squared norms.
    pub(super) fn new(
        values: &'a Values<'a, T>,
        weights: &'a [f64],
        grid: Grid,
        coefficients: Vec<Vec<f64>>,
        sums: Sums,
        squares: Vec<f64>,
    ) -> Self {
        let factors = vec![1.0; grid.units()];
        Self { values, weights, grid, coefficients, sums, factors, squares }
    }

    /// Presents all points in `order`, with the width and rate of the epoch.
    fn epoch(&mut self, order: &[usize], width: f64, rate: f64) -> Result<()> {
        let neighbourhood = self.grid.neighbourhood(width);
        let values = self.values;
        values.visit(order, |batch, rows| {
            order[batch].iter().zip(rows).for_each(|(&i, row)| self.present(i, row, rate, &neighbourhood));
        })
    }

    /// Moves the prototypes around the winner of point i. A weight w is w presentations in a row: after one of them the winner
    /// is the same, since no prototype comes nearer by a larger share.
    fn present(&mut self, i: usize, row: &[T], rate: f64, neighbourhood: &[f64]) {
        let units = self.grid.units();
        let inner: Vec<f64> = (0..units).map(|j| self.factors[j] * self.sums.value(j, i)).collect();
        let score = |j: usize| inner[j] - 0.5 * self.squares[j];
        let winner = (1..units).fold(0, |best, j| if score(j) > score(best) { j } else { best });
        let mut moves = Vec::with_capacity(units);
        for j in 0..units {
            let h = neighbourhood[winner * units + j];
            if h < LEAST {
                continue;
            }
            let left = (1.0 - rate * h).powf(self.weights[i]);
            let step = 1.0 - left;
            let square = left * left * self.squares[j] + 2.0 * left * step * inner[j];
            self.squares[j] = square + step * step * self.values.diagonal[i];
            self.factors[j] *= left;
            if self.factors[j] < SMALLEST_FACTOR {
                self.take_in(j);
            }
            self.coefficients[j][i] += step / self.factors[j];
            moves.push((j, step / self.factors[j]));
        }
        self.sums.blocks.par_iter_mut().with_min_len(BLOCKS).enumerate().for_each(|(b, block)| {
            let row = &row[b * WIDTH..row.len().min((b + 1) * WIDTH)];
            for &(j, factor) in &moves {
                T::accumulate_one(&mut block[j * WIDTH..(j + 1) * WIDTH], row, factor);
            }
        });
    }

    /// Multiplies the numbers of a prototype by its factor, which becomes 1.
    fn take_in(&mut self, j: usize) {
        let factor = std::mem::replace(&mut self.factors[j], 1.0);
        self.coefficients[j].iter_mut().for_each(|c| *c *= factor);
        for block in &mut self.sums.blocks {
            block[j * WIDTH..(j + 1) * WIDTH].iter_mut().for_each(|sum| *sum *= factor);
        }
    }

    /// Presents the points epoch after epoch until `tick` breaks; gives the number of epochs.
    pub(super) fn train(
        &mut self,
        schedule: &Schedule,
        seed: Option<u64>,
        tick: crate::linalg::Tick<'_>,
    ) -> Result<usize> {
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        let mut random = seed.map(SplitMix);
        for epoch in 0..schedule.epochs {
            if let Some(random) = &mut random {
                random.shuffle(&mut order);
            }
            self.epoch(&order, schedule.width(epoch), schedule.rate(epoch))?;
            if tick((epoch + 1) as f64 / schedule.epochs as f64).is_break() {
                return Ok(epoch + 1);
            }
        }
        Ok(schedule.epochs)
    }

    /// Γ, F, and the inner products of the prototypes.
    pub(super) fn finish(mut self) -> (Vec<Vec<f64>>, Sums, Vec<f64>) {
        (0..self.grid.units()).for_each(|j| self.take_in(j));
        let sums: Vec<Vec<f64>> = (0..self.grid.units()).map(|j| self.sums.unit(j)).collect();
        let products = inner(&self.coefficients, &sums);
        (self.coefficients, self.sums, products)
    }
}
