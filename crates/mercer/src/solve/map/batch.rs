//! Batch training: all points are assigned to units at once, then all prototypes are computed (Boulet, Jouve, Rossi and Villa
//! 2008).
//!
//! With Z the assignment of points to units, weighted, prototypes are m = ĤZφ, so that with the sums S = ZK of kernel rows over
//! the points of each unit all inner products are ⟨φ(xᵢ), m_j⟩ = (ĤS)_ji, and those of the prototypes are ĤAĤᵀ with A = SZᵀ.
//! S is changed by the rows of the points that have changed their unit; the products cost n·units² multiplications, at the
//! speed of a matrix product. The matrix of coefficients is never multiplied with K.

use rayon::prelude::*;

use super::grid::Grid;
use super::values::{Entry, Sums, Values, WIDTH};
use crate::error::Result;
use crate::linalg::inner;
use crate::simd::{PANEL, STRIP, dots_f64};

/// Parts in which sums over all points are taken, one after the other; not the number of threads.
const PARTS: usize = 16;

/// A point whose squared distance from its prototype is below this share of that from the first point is at its prototype but for
/// rounding.
const COINCIDENT: f64 = 1e-9;

/// Points assigned to units, with the sums of kernel rows of each unit.
pub(super) struct Assignment<'a, T> {
    values: &'a Values<'a, T>,
    weights: &'a [f64],
    grid: Grid,
    /// c(i)
    pub(super) winners: Vec<usize>,
    /// S
    sums: Sums,
}

/// Prototypes as shares of units.
pub(super) struct Prototypes {
    /// Ĥ, a row for each prototype.
    pub(super) shares: Vec<f64>,
    /// ⟨m_j, m_l⟩, a row for each prototype.
    pub(super) products: Vec<f64>,
}

impl<'a, T: Entry> Assignment<'a, T> {
    pub(super) fn new(
        values: &'a Values<'a, T>,
        weights: &'a [f64],
        grid: Grid,
        winners: Vec<usize>,
    ) -> Result<Self> {
        let sums = Sums::zeros(values.len(), grid.units());
        let mut assignment = Self { values, weights, grid, winners, sums };
        assignment.sum_up()?;
        Ok(assignment)
    }

    /// Computes all sums anew.
    fn sum_up(&mut self) -> Result<()> {
        self.sums.blocks.iter_mut().for_each(|block| block.fill(0.0));
        let own = self.winners.iter().zip(self.weights).map(|(&unit, &weight)| vec![(unit, weight)]);
        self.sums.add(self.values, &own.enumerate().collect::<Vec<_>>())
    }

    /// The prototypes for a neighbourhood of some width.
    pub(super) fn prototypes(&self, width: f64) -> Prototypes {
        let units = self.grid.units();
        let mut masses = vec![0.0; units];
        self.winners.iter().zip(self.weights).for_each(|(&unit, weight)| masses[unit] += weight);
        let shares = self.grid.shares(width, &masses);
        let rows: Vec<Vec<f64>> = shares.chunks(units).map(<[f64]>::to_vec).collect();
        let between: Vec<Vec<f64>> = self.between_units().chunks(units).map(<[f64]>::to_vec).collect();
        let half: Vec<Vec<f64>> = inner(&rows, &between).chunks(units).map(<[f64]>::to_vec).collect();
        Prototypes { products: inner(&half, &rows), shares }
    }

    /// A: for two units the sum of wᵢwⱼk′(xᵢ, xⱼ) over the points of one and of the other.
    fn between_units(&self) -> Vec<f64> {
        let units = self.grid.units();
        let size = self.sums.blocks.len().div_ceil(PARTS);
        let part = |(part, blocks): (usize, &[Vec<f64>])| {
            let mut between = vec![0.0; units * units];
            for (b, block) in blocks.iter().enumerate() {
                let first = (part * size + b) * WIDTH;
                let points = || self.winners[first..].iter().zip(&self.weights[first..]);
                for (other, sums) in block.chunks(WIDTH).enumerate() {
                    sums.iter().zip(points()).for_each(|(sum, (&unit, weight))| {
                        between[unit * units + other] += weight * sum;
                    });
                }
            }
            between
        };
        let parts: Vec<Vec<f64>> = self.sums.blocks.par_chunks(size).enumerate().map(part).collect();
        let mut between = vec![0.0; units * units];
        parts.iter().for_each(|part| between.iter_mut().zip(part).for_each(|(sum, value)| *sum += value));
        between
    }

    /// ⟨φ′(xᵢ), m_j⟩ of all points and prototypes.
    pub(super) fn inner_products(&self, prototypes: &Prototypes) -> Sums {
        let strips = self.strips(prototypes);
        let mut products = Sums::zeros(self.values.len(), self.grid.units());
        let blocks = products.blocks.par_iter_mut().zip(&self.sums.blocks);
        blocks.for_each(|(out, sums)| multiply(&strips, sums, out));
        products
    }

    /// The nearest prototype of each point, of several the first, and the squared distances from them.
    pub(super) fn nearest(&self, prototypes: &Prototypes) -> (Vec<usize>, Vec<f64>) {
        let (units, n) = (self.grid.units(), self.values.len());
        let strips = self.strips(prototypes);
        let nearest = |(b, sums): (usize, &Vec<f64>)| {
            let mut products = vec![0.0; units * WIDTH];
            multiply(&strips, sums, &mut products);
            let (mut best, mut place) = ([f64::NEG_INFINITY; WIDTH], [0; WIDTH]);
            for (unit, products) in products.chunks(WIDTH).enumerate() {
                let half = 0.5 * prototypes.products[unit * units + unit];
                for c in 0..WIDTH {
                    let score = products[c] - half;
                    let better = score > best[c];
                    best[c] = if better { score } else { best[c] };
                    place[c] = if better { unit } else { place[c] };
                }
            }
            let points = b * WIDTH..n.min((b + 1) * WIDTH);
            let square = |(i, score): (usize, &f64)| self.values.diagonal[i] - 2.0 * score;
            (place[..points.len()].to_vec(), points.zip(&best).map(square).collect::<Vec<_>>())
        };
        let found: Vec<_> = self.sums.blocks.par_iter().enumerate().map(nearest).collect();
        let (winners, squares): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        (winners.concat(), squares.concat())
    }

    /// Gives each unit without points one of its neighbours on the grid: of their points the one whose squared distance from
    /// its prototype is largest. No unit gives away its only point. Returns whether a point was given.
    pub(super) fn fill_empty(&self, winners: &mut [usize], mut squares: Vec<f64>) -> bool {
        let (units, mut given) = (self.grid.units(), false);
        let mut counts = vec![0_usize; units];
        winners.iter().for_each(|&unit| counts[unit] += 1);
        for unit in 0..units {
            if counts[unit] > 0 {
                continue;
            }
            let gives: Vec<bool> =
                (0..units).map(|other| counts[other] > 1 && self.grid.adjacent(unit, other)).collect();
            let differs = |i: usize| squares[i] > COINCIDENT * self.values.diagonal[i].abs();
            let farthest = (0..winners.len())
                .filter(|&i| gives[winners[i]] && differs(i))
                .reduce(|best, i| if squares[i] > squares[best] { i } else { best });
            if let Some(i) = farthest {
                counts[winners[i]] -= 1;
                (winners[i], counts[unit], squares[i], given) = (unit, 1, 0.0, true);
            }
        }
        given
    }

    /// Assigns the points anew; says whether one has changed its unit.
    pub(super) fn assign(&mut self, winners: Vec<usize>) -> Result<bool> {
        let moved: Vec<usize> = (0..winners.len()).filter(|&i| winners[i] != self.winners[i]).collect();
        let before = std::mem::replace(&mut self.winners, winners);
        // A point that has moved takes two additions, all anew one for each point.
        if 2 * moved.len() > before.len() {
            self.sum_up()?;
        } else {
            let change = |&i: &usize| {
                let weight = self.weights[i];
                (i, vec![(before[i], -weight), (self.winners[i], weight)])
            };
            self.sums.add(self.values, &moved.iter().map(change).collect::<Vec<_>>())?;
        }
        Ok(!moved.is_empty())
    }

    /// The rows of Ĥ packed in strips.
    fn strips(&self, prototypes: &Prototypes) -> Vec<Vec<f64>> {
        let units = self.grid.units();
        let strip = |rows: &[f64]| {
            let mut strip = vec![0.0; STRIP * units];
            for (r, row) in rows.chunks(units).enumerate() {
                row.iter().enumerate().for_each(|(u, share)| strip[u * STRIP + r] = *share);
            }
            strip
        };
        prototypes.shares.chunks(STRIP * units).map(strip).collect()
    }
}

/// The product of Ĥ with a block of sums, laid out as the block is.
fn multiply(strips: &[Vec<f64>], sums: &[f64], out: &mut [f64]) {
    let units = sums.len() / WIDTH;
    let mut panel = vec![0.0; units * PANEL];
    let mut tile = [0.0; STRIP * PANEL];
    for first in (0..WIDTH).step_by(PANEL) {
        let rows = sums.chunks(WIDTH).map(|row| &row[first..first + PANEL]);
        panel.chunks_mut(PANEL).zip(rows).for_each(|(packed, row)| packed.copy_from_slice(row));
        for (strip, out) in strips.iter().zip(out.chunks_mut(STRIP * WIDTH)) {
            dots_f64(units, strip, &panel, &mut tile);
            let rows = out.chunks_mut(WIDTH).map(|row| &mut row[first..first + PANEL]);
            rows.zip(tile.chunks(PANEL)).for_each(|(row, tile)| row.copy_from_slice(tile));
        }
    }
}
