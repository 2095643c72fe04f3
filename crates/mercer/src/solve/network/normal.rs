//! The normal equations of a network: HᵀWH, HᵀWy and the means of all units, in one pass over the points.
//!
//! The penalty leaves the offset b free, so that the equations are those of centred units: with μ the weighted mean of the
//! units and ȳ that of the targets, (A + λI)v = c, A = HᵀWH − Nμμᵀ, c = HᵀW(y − ȳ), N = Σwᵢ and b = ȳ − μᵀv.
//!
//! Cost: n·m²/2 multiplications, in single precision or double. Products are added up over 64 points at a time in that
//! precision and beyond that in double. Memory: m² doubles, and a block of 1,024 rows of H three times.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::{Precision, Units, fill};
use crate::error::{ErrorKind, Result};
use crate::linalg::{Square, Tick};
use crate::simd::{PANEL, STRIP};

/// Points whose units are held at once.
const BLOCK: usize = 1024;

/// Points whose products are added up before they go into sums in double precision.
const DEPTH: usize = 64;

/// Rows of the result that one thread computes at a time: eight strips, whose packed copy stays in the second-level cache.
const ROWS: usize = 8 * STRIP;

/// The deviation of a unit from its mean that is rounding, in units of that of one value.
const CONSTANT: f64 = 2.0;

/// The sums of a network over all points.
pub(crate) struct Normal {
    /// N = Σ wᵢ
    pub(crate) total: f64,
    /// μ, the mean of each unit.
    pub(crate) means: Vec<f64>,
    /// ȳ, the mean of each target.
    pub(crate) target_means: Vec<f64>,
    /// A = HᵀWH − Nμμᵀ, both halves.
    pub(crate) gram: Square,
    /// c = HᵀW(y − ȳ) for each target.
    pub(crate) cross: Vec<Vec<f64>>,
}

impl Normal {
    /// Adds up over all points, in the precision `T`.
    ///
    /// # Errors
    /// If a unit is not finite, or `tick` breaks.
    pub(crate) fn new<T: Precision>(
        units: &dyn Units,
        weights: &[f64],
        targets: &[Vec<f64>],
        tick: Tick<'_>,
    ) -> Result<Self> {
        let (n, m, total) = (units.points(), units.units(), weights.iter().sum::<f64>());
        let mean = |y: &Vec<f64>| y.iter().zip(weights).map(|(y, w)| w * y).sum::<f64>() / total;
        let target_means: Vec<f64> = targets.iter().map(mean).collect();
        // The rows of the result: m units, the targets, and the constant 1.
        let mut sums = Sums::new(m, 0, m + targets.len() + 1);
        let (mut block, mut shift) = (Vec::new(), Vec::new());
        for first in (0..n).step_by(BLOCK) {
            let rows = first..n.min(first + BLOCK);
            fill::<T>(units, rows.clone(), &mut block)?;
            if first == 0 {
                shift = rough_means(&block, m);
            }
            let minus = |(h, s): (&mut T, &T)| *h -= *s;
            block.par_chunks_mut(m).for_each(|row| row.iter_mut().zip(&shift).for_each(minus));
            let factor = |i: usize, row: usize| match row.checked_sub(m) {
                None => T::default(),
                Some(t) => T::from_f64(targets.get(t).map_or(1.0, |y| y[i] - target_means[t])),
            };
            sums.add(&block, &weights[rows.clone()], |k, row| factor(first + k, row));
            if tick(rows.end as f64 / n as f64) == ControlFlow::Break(()) {
                return Err(ErrorKind::Interrupted.into());
            }
        }
        let over: Vec<f64> = sums.row(m + targets.len()).iter().map(|sum| sum / total).collect();
        let means: Vec<f64> = over.iter().zip(&shift).map(|(over, s)| over + s.to_f64()).collect();
        let mut cross: Vec<Vec<f64>> = (m..m + targets.len()).map(|row| sums.row(row).to_vec()).collect();
        let mut gram = Square::zeros(m);
        gram.values_mut().par_chunks_mut(m.max(1)).enumerate().for_each(|(i, out)| {
            let products = sums.row(i)[..=i].iter().zip(&over);
            out.iter_mut().zip(products).for_each(|(a, (sum, mean))| *a = sum - total * over[i] * mean);
        });
        drop(sums);
        gram.mirror();
        for (j, mean) in means.iter().enumerate() {
            // A unit that is the same at all points says nothing: what rounding leaves of it is no direction.
            let rounding = CONSTANT * T::EPSILON * mean;
            if gram.row(j)[j] <= total * rounding * rounding {
                (0..m)
                    .for_each(|i| (gram.values_mut()[i * m + j], gram.values_mut()[j * m + i]) = (0.0, 0.0));
                cross.iter_mut().for_each(|cross| cross[j] = 0.0);
            }
        }
        Ok(Self { total, means, target_means, gram, cross })
    }
}

/// The means of the units over the first points, which are taken from all: sums of what is left are smaller, and so are their
/// rounding errors. Any numbers would give the same A.
fn rough_means<T: Precision>(block: &[T], m: usize) -> Vec<T> {
    let mut means = vec![0.0; m];
    block.chunks(m).for_each(|row| T::add_to(row, &mut means));
    means.iter().map(|sum| T::from_f64(sum * m as f64 / block.len() as f64)).collect()
}

/// The sums of products with all units, row after row; of a row below m only the values up to the diagonal's panel.
pub(super) struct Sums {
    /// Values in a row: m, rounded up to whole panels.
    columns: usize,
    /// m
    units: usize,
    /// The first row that there is: 0, or m without those of the units themselves.
    skip: usize,
    values: Vec<f64>,
}

impl Sums {
    /// Zeros for the rows from `skip` to `end`.
    pub(super) fn new(units: usize, skip: usize, end: usize) -> Self {
        let columns = units.next_multiple_of(PANEL);
        Self { columns, units, skip, values: vec![0.0; (end - skip) * columns] }
    }

    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.values[(row - self.skip) * self.columns..][..self.units]
    }

    /// Adds the products of a block of points; `factor(k, row)` is the target or constant of point k for a row beyond m.
    pub(super) fn add<T: Precision>(
        &mut self,
        block: &[T],
        weights: &[f64],
        factor: impl Fn(usize, usize) -> T + Sync,
    ) {
        let (m, depth, columns, skip) = (self.units, weights.len(), self.columns, self.skip);
        let panels: Vec<Vec<T>> = (0..columns / PANEL).into_par_iter().map(|p| panel(block, m, p)).collect();
        self.values.par_chunks_mut(ROWS * columns).enumerate().for_each(|(group, sums)| {
            let first = skip + group * ROWS;
            let last = first + sums.len() / columns;
            let value = |k: usize, row: usize| {
                let h = if row < m { block[k * m + row] } else { factor(k, row) };
                if weights[k] == 1.0 { h } else { T::from_f64(weights[k] * h.to_f64()) }
            };
            let strips = strips(depth, first..last, value);
            // Rows beyond m are of other things than units and have no diagonal.
            let wanted = if last > m { columns } else { last };
            for (p, panel) in panels.iter().enumerate().take(wanted.div_ceil(PANEL)) {
                add_panel(sums, columns, p, &strips, panel);
            }
        });
    }
}

/// 64 units at all points of a block, point after point, filled up with zeros.
fn panel<T: Precision>(block: &[T], m: usize, p: usize) -> Vec<T> {
    let mut panel = vec![T::default(); block.len() / m * PANEL];
    let width = PANEL.min(m - p * PANEL);
    for (out, row) in panel.chunks_mut(PANEL).zip(block.chunks(m)) {
        out[..width].copy_from_slice(&row[p * PANEL..][..width]);
    }
    panel
}

/// Six rows each, point after point, filled up with zeros.
fn strips<T: Precision>(
    depth: usize,
    rows: std::ops::Range<usize>,
    value: impl Fn(usize, usize) -> T,
) -> Vec<Vec<T>> {
    let one = |first: usize| {
        let mut strip = vec![T::default(); depth * STRIP];
        for (k, out) in strip.chunks_mut(STRIP).enumerate() {
            let rows = first..rows.end.min(first + STRIP);
            out.iter_mut().zip(rows).for_each(|(out, row)| *out = value(k, row));
        }
        strip
    };
    rows.clone().step_by(STRIP).map(one).collect()
}

/// Adds the products of the strips with one panel.
fn add_panel<T: Precision>(sums: &mut [f64], columns: usize, p: usize, strips: &[Vec<T>], panel: &[T]) {
    let mut tiles = vec![[0.0_f64; STRIP * PANEL]; strips.len()];
    let mut tile = [T::default(); STRIP * PANEL];
    let depth = panel.len() / PANEL;
    for first in (0..depth).step_by(DEPTH) {
        let part = first..depth.min(first + DEPTH);
        for (strip, sums) in strips.iter().zip(&mut tiles) {
            let strip = &strip[part.start * STRIP..part.end * STRIP];
            T::dots(part.len(), strip, &panel[part.start * PANEL..part.end * PANEL], &mut tile);
            T::add_to(&tile, sums);
        }
    }
    for (sums, tile) in sums.chunks_mut(STRIP * columns).zip(&tiles) {
        for (row, tile) in sums.chunks_mut(columns).zip(tile.chunks(PANEL)) {
            f64::add_to(tile, &mut row[p * PANEL..][..PANEL]);
        }
    }
}
