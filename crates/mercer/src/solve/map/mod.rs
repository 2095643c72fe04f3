//! The self-organising map in feature space: prototypes m_j = Σᵢ γ_ji φ(xᵢ) on a grid, γ ≥ 0 and Σᵢ γ_ji = 1.
//!
//! - `grid`: places of units, the neighbourhood h.
//! - `values`: kernel values, and sums of their rows.
//! - `start`: where points lie on the grid before training.
//! - `batch`, `online`: the two kinds of training.
//! - `measure`: quantisation error, topographic error, and what units look like.

mod batch;
mod grid;
mod measure;
mod online;
mod start;
#[cfg(test)]
mod tests;
mod values;

pub use grid::{Grid, Lattice};
pub(crate) use measure::Measures;

use crate::error::Result;
use crate::gram::Gram;
use crate::linalg::Tick;
use values::{Entry, Values};

/// The share of epochs in which the width of the neighbourhood shrinks; it keeps its end value in those that are left, in
/// which units without points take some and all points settle.
const SHRINKING: f64 = 0.5;

/// The end width from which on a unit without points takes none: its prototype would be the mean of its neighbours all the same, of
/// which each counts for exp(−1/2s²), .14 here, of a point of its own.
const WIDE: f64 = 0.5;

/// The last epochs, in which units without points take none, so that points end at the unit that is nearest.
const SETTLING: usize = 2;

/// The rate of online training in the last epoch, as a share of that in the first.
const LAST_RATE: f64 = 0.04;

/// Points up to which kernel values are held in double precision: 128 MB, and distances are right to rounding. Of more points
/// they are held in single precision.
const DOUBLE: usize = 4096;

/// How the neighbourhood and the rate of online training change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Schedule {
    /// Passes over the points, at least 1.
    pub(crate) epochs: usize,
    /// The width of the neighbourhood at first and at last.
    pub(crate) widths: [f64; 2],
    /// η in the first epoch of online training.
    pub(crate) rate: f64,
}

impl Schedule {
    /// Epochs until the width has its end value.
    fn shrinking(&self) -> usize {
        // Both widths have an epoch where there are two.
        ((self.epochs as f64 * SHRINKING).ceil() as usize).max(2).min(self.epochs)
    }

    /// The width in an epoch, from 0: shrinking by the same factor from epoch to epoch, then constant.
    fn width(&self, epoch: usize) -> f64 {
        let [first, last] = self.widths;
        let (epoch, end) = (epoch as f64, (self.shrinking() - 1) as f64);
        // A width of 0 cannot be come to by factors; it is taken in the last epochs only.
        if epoch >= end { last } else { first * (last.max(1e-3 * first) / first).powf(epoch / end) }
    }

    /// η in an epoch: shrinking by the same factor from epoch to epoch.
    fn rate(&self, epoch: usize) -> f64 {
        self.rate * LAST_RATE.powf(epoch as f64 / (self.epochs.max(2) - 1) as f64)
    }
}

/// How a map is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// All points at once.
    Batch,
    /// One after the other, in an order drawn by the seed; in the order of the data without one.
    Online(Option<u64>),
}

/// Where the points lie on the grid before training.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Start {
    /// In the plane of the two first principal components in feature space.
    Components,
    /// At units drawn by a seed.
    Random(u64),
    /// At these units.
    #[cfg(test)]
    At(Vec<usize>),
}

/// A map to be trained.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Task<'a> {
    pub(crate) grid: Grid,
    pub(crate) schedule: Schedule,
    pub(crate) way: Way,
    pub(crate) start: Start,
    /// Weights of the points, all positive.
    pub(crate) weights: &'a [f64],
    /// Whether all kernel values are held in memory; else they are computed again in each epoch.
    pub(crate) hold: bool,
}

/// A trained map.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Map {
    /// γ, a row of all units for each point.
    pub(crate) coefficients: Vec<f64>,
    /// ‖m_j‖² of each unit.
    pub(crate) square_norms: Vec<f64>,
    /// What it is worth.
    pub(crate) measures: Measures,
    /// Epochs made.
    pub(crate) epochs: usize,
    /// Whether no point changed its unit in the last epoch of batch training, at the end value of the width.
    pub(crate) settled: bool,
}

/// Bytes of all kernel values, and of a batch of rows while they are computed.
pub(crate) fn value_bytes(points: usize) -> u64 {
    let size = if points <= DOUBLE { 8.0 } else { 4.0 };
    let points = points as f64;
    (points * points * size + 8.0 * 256.0 * points) as u64
}

/// Bytes needed beside the kernel values.
pub(crate) fn bytes(points: usize, units: usize) -> u64 {
    // Sums, inner products and coefficients, and the matrices of pairs of units. The conversion ends at the largest number.
    let (points, units) = (points as f64, units as f64);
    (8.0 * (4.0 * points * units + 24.0 * units * units)) as u64
}

impl Task<'_> {
    /// Trains a map on the points of a Gram; `kernel_values` and `epochs` are told how much of each is done, and the second may
    /// end training after an epoch.
    pub(crate) fn train(&self, gram: &dyn Gram, kernel_values: Tick<'_>, epochs: Tick<'_>) -> Result<Map> {
        if gram.len() <= DOUBLE {
            self.train_in::<f64>(gram, kernel_values, epochs)
        } else {
            self.train_in::<f32>(gram, kernel_values, epochs)
        }
    }

    fn train_in<T: Entry>(&self, gram: &dyn Gram, kernel_values: Tick<'_>, epochs: Tick<'_>) -> Result<Map> {
        let values = Values::<T>::new(gram, self.hold, kernel_values)?;
        let winners = match &self.start {
            Start::Components => start::components(&values, self.weights, self.grid)?,
            Start::Random(seed) => start::random(values.len(), self.grid, *seed),
            #[cfg(test)]
            Start::At(winners) => winners.clone(),
        };
        let assignment = batch::Assignment::new(&values, self.weights, self.grid, winners)?;
        match self.way {
            Way::Batch => self.batch(&values, assignment, epochs),
            Way::Online(seed) => self.online(&values, &assignment, seed, epochs),
        }
    }

    fn batch<T: Entry>(
        &self,
        values: &Values<'_, T>,
        mut assignment: batch::Assignment<'_, T>,
        tick: Tick<'_>,
    ) -> Result<Map> {
        let (mut epoch, mut filling) = (0, self.schedule.widths[1] < WIDE);
        let (prototypes, settled) = loop {
            let prototypes = assignment.prototypes(self.schedule.width(epoch));
            let (mut winners, squares) = assignment.nearest(&prototypes);
            epoch += 1;
            let narrow = epoch >= self.schedule.shrinking();
            let filled = narrow
                && filling
                && epoch + SETTLING <= self.schedule.epochs
                && assignment.fill_empty(&mut winners, squares);
            let unchanged = narrow && winners == assignment.winners;
            // Points that are put into empty units in each epoch anew do not stay there.
            filling &= !(unchanged && filled);
            let settled = unchanged && !filled;
            let stopped = tick(epoch as f64 / self.schedule.epochs as f64).is_break();
            if settled || stopped || epoch >= self.schedule.epochs {
                break (prototypes, settled);
            }
            assignment.assign(winners)?;
        };
        let units = self.grid.units();
        let of_point = |(&winner, weight): (&usize, &f64)| {
            let shares = prototypes.shares[winner..].iter().step_by(units);
            shares.map(|share| share * weight).collect::<Vec<_>>()
        };
        let coefficients = assignment.winners.iter().zip(self.weights).flat_map(of_point).collect();
        let inner = assignment.inner_products(&prototypes);
        Ok(self.map(values, coefficients, &inner, &prototypes.products, (epoch, settled)))
    }

    fn online<T: Entry>(
        &self,
        values: &Values<'_, T>,
        assignment: &batch::Assignment<'_, T>,
        seed: Option<u64>,
        tick: Tick<'_>,
    ) -> Result<Map> {
        let (units, n) = (self.grid.units(), values.len());
        let start = assignment.prototypes(self.schedule.width(0));
        let share = |j: usize, i: usize| start.shares[j * units + assignment.winners[i]] * self.weights[i];
        let coefficients = (0..units).map(|j| (0..n).map(|i| share(j, i)).collect()).collect();
        let squares = start.products.iter().step_by(units + 1).copied().collect();
        let sums = assignment.inner_products(&start);
        let mut prototypes =
            online::Prototypes::new(values, self.weights, self.grid, coefficients, sums, squares);
        let epochs = prototypes.train(&self.schedule, seed, tick)?;
        let (lists, inner, products) = prototypes.finish();
        let coefficients = (0..n).flat_map(|i| lists.iter().map(move |list| list[i])).collect();
        Ok(self.map(values, coefficients, &inner, &products, (epochs, false)))
    }

    /// A map with its measures. Prototypes about the first point become those of the kernel: m = m′ + φ(x₁), so that
    /// ‖m‖² = ‖m′‖² + 2⟨m, φ(x₁)⟩ − k(x₁, x₁).
    fn map<T: Entry>(
        &self,
        values: &Values<'_, T>,
        coefficients: Vec<f64>,
        inner: &values::Sums,
        products: &[f64],
        (epochs, settled): (usize, bool),
    ) -> Map {
        let units = self.grid.units();
        let first = values.with_first();
        let mut with_first = vec![0.0; units];
        for (row, k) in coefficients.chunks(units).zip(first) {
            with_first.iter_mut().zip(row).for_each(|(sum, gamma)| *sum += gamma * k);
        }
        let squares = products.iter().step_by(units + 1).zip(&with_first);
        Map {
            square_norms: squares.map(|(square, with)| square + 2.0 * with - first[0]).collect(),
            measures: measure::measure(self.grid, self.weights, &values.diagonal, inner, products),
            coefficients,
            epochs,
            settled,
        }
    }
}
