//! Kernel values about the first point, and sums of their rows.
//!
//! Only distances in feature space matter to a map, and they do not depend on the origin. The values used are those about the
//! first point, k′(x, y) = k(x, y) − k(x, x₁) − k(x₁, y) + k(x₁, x₁): they are as large as squared distances are, so that
//! rounding to single precision costs little where all points lie far from the origin.

use rayon::prelude::*;

use crate::data::Real;
use crate::error::{DataProblem, ErrorKind, Result};
use crate::gram::Gram;
use crate::linalg::{Broken, Tick, mirror};
use crate::simd::{accumulate, accumulate_f64, accumulate_one, accumulate_one_f64, huge_zeros};

/// Rows computed at once.
const BATCH: usize = 256;

/// Points whose sums lie together and are worked on by one thread: 100 sums of each stay in the second-level cache.
pub(super) const WIDTH: usize = 512;

/// The precision that kernel values are held in.
pub(super) trait Entry: Real {
    /// `sums[j] += Σ factors[r] · rows[r][j]`, added in the order of the rows.
    fn accumulate(sums: &mut [f64], rows: &[&[Self]], factors: &[f64]);
    /// `sums[j] += factor · row[j]`.
    fn accumulate_one(sums: &mut [f64], row: &[Self], factor: f64);
}

impl Entry for f32 {
    fn accumulate(sums: &mut [f64], rows: &[&[f32]], factors: &[f64]) {
        accumulate(sums, rows, factors);
    }
    fn accumulate_one(sums: &mut [f64], row: &[f32], factor: f64) {
        accumulate_one(sums, row, factor);
    }
}

impl Entry for f64 {
    fn accumulate(sums: &mut [f64], rows: &[&[f64]], factors: &[f64]) {
        accumulate_f64(sums, rows, factors);
    }
    fn accumulate_one(sums: &mut [f64], row: &[f64], factor: f64) {
        accumulate_one_f64(sums, row, factor);
    }
}

/// Kernel values about the first point, held in memory or computed again whenever they are needed.
pub(super) struct Values<'a, T> {
    gram: &'a dyn Gram,
    /// All values, row after row; empty where they are not held.
    held: Vec<T>,
    /// k(xᵢ, x₁)
    first: Vec<f64>,
    /// k′(xᵢ, xᵢ), the squared distance to the first point.
    pub(super) diagonal: Vec<f64>,
}

impl<'a, T: Entry> Values<'a, T> {
    /// The values of a Gram, held if `hold`.
    pub(super) fn new(gram: &'a dyn Gram, hold: bool, tick: Tick<'_>) -> Result<Self> {
        let n = gram.len();
        let mut first = vec![0.0; n];
        gram.rows_f64(&[0], &mut [&mut first]);
        let diagonal = gram.diagonal().iter().zip(&first).map(|(k, f)| k - 2.0 * f + first[0]).collect();
        let mut values = Self { gram, held: Vec::new(), first, diagonal };
        finite(0, &values.first)?;
        if hold {
            values.fill(tick)?;
        }
        Ok(values)
    }

    pub(super) fn len(&self) -> usize {
        self.first.len()
    }

    /// ⟨φ(xᵢ), φ(x₁)⟩ of all points, in the coordinates of the kernel.
    pub(super) fn with_first(&self) -> &[f64] {
        &self.first
    }

    /// Computes the values on and below the diagonal and copies them to the other half.
    fn fill(&mut self, tick: Tick<'_>) -> Result<()> {
        let n = self.len();
        let mut held: Vec<T> = huge_zeros(n * n);
        let mut scratch = vec![0.0; BATCH.min(n) * n];
        for start in (0..n).step_by(BATCH) {
            let end = n.min(start + BATCH);
            let mut rows: Vec<&mut [f64]> =
                scratch.chunks_mut(n).take(end - start).zip(start..).map(|(row, i)| &mut row[..=i]).collect();
            self.gram.lower_rows(start, &mut rows);
            let out = held[start * n..end * n].par_chunks_mut(n);
            out.zip(rows.par_iter())
                .enumerate()
                .try_for_each(|(r, (out, row))| self.shift(start + r, row, out))?;
            let done = end as f64 / n as f64;
            if tick(done * done).is_break() {
                return Err(Broken::Interrupted.into());
            }
        }
        mirror(&mut held, n);
        self.held = held;
        Ok(())
    }

    /// Rounds the first values of row i, about the first point.
    fn shift(&self, i: usize, row: &[f64], out: &mut [T]) -> Result<()> {
        finite(i, row)?;
        let (own, origin) = (self.first[i], self.first[0]);
        // The sum of two values is the same whichever comes first: the matrix is symmetric to the bit.
        let about = |(k, other): (&f64, &f64)| T::from_f64(k - (own + other) + origin);
        out.iter_mut().zip(row.iter().zip(&self.first)).for_each(|(out, pair)| *out = about(pair));
        Ok(())
    }

    /// Calls `each` with some of the positions in `points` and their rows, one batch after the other.
    pub(super) fn visit(
        &self,
        points: &[usize],
        mut each: impl FnMut(std::ops::Range<usize>, &[&[T]]),
    ) -> Result<()> {
        let n = self.len();
        if !self.held.is_empty() {
            let rows: Vec<&[T]> = points.iter().map(|&i| &self.held[i * n..(i + 1) * n]).collect();
            each(0..points.len(), &rows);
            return Ok(());
        }
        let size = BATCH.min(points.len());
        let (mut double, mut rounded) = (vec![0.0; size * n], vec![T::default(); size * n]);
        for start in (0..points.len()).step_by(BATCH) {
            let batch = &points[start..points.len().min(start + BATCH)];
            self.gram.rows_f64(batch, &mut double.chunks_mut(n).take(batch.len()).collect::<Vec<_>>());
            let rows = rounded.par_chunks_mut(n).zip(double.par_chunks(n)).zip(batch.par_iter());
            rows.try_for_each(|((out, row), &i)| self.shift(i, row, out))?;
            each(start..start + batch.len(), &rounded.chunks(n).take(batch.len()).collect::<Vec<_>>());
        }
        Ok(())
    }
}

/// Refuses a row with a value that is not finite.
fn finite(i: usize, row: &[f64]) -> Result<()> {
    match row.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(j) => Err(ErrorKind::Data(DataProblem::KernelNotFinite { row: i + 1, column: j + 1 }).into()),
    }
}

/// Sums of rows of the matrix, one for each unit: [`WIDTH`] points after another, in each the sums unit after unit.
pub(super) struct Sums {
    n: usize,
    units: usize,
    pub(super) blocks: Vec<Vec<f64>>,
}

impl Sums {
    pub(super) fn zeros(n: usize, units: usize) -> Self {
        Self { n, units, blocks: vec![vec![0.0; units * WIDTH]; n.div_ceil(WIDTH)] }
    }

    /// The sums of unit `unit` for the point i.
    pub(super) fn value(&self, unit: usize, i: usize) -> f64 {
        self.blocks[i / WIDTH][unit * WIDTH + i % WIDTH]
    }

    /// The sum of one unit for all points.
    pub(super) fn unit(&self, unit: usize) -> Vec<f64> {
        (0..self.n).map(|i| self.value(unit, i)).collect()
    }

    /// Adds rows to sums: `changes` has the positions of points and for each the units and factors by which its row is added.
    ///
    /// The order of the additions to a sum is that of the points within a batch of rows: the same on any number of threads.
    pub(super) fn add<T: Entry>(
        &mut self,
        values: &Values<'_, T>,
        changes: &[(usize, Vec<(usize, f64)>)],
    ) -> Result<()> {
        let points: Vec<usize> = changes.iter().map(|change| change.0).collect();
        let (n, units) = (self.n, self.units);
        values.visit(&points, |batch, rows| {
            // For each unit the rows and factors added to it.
            let mut terms: Vec<(Vec<usize>, Vec<f64>)> = vec![Default::default(); units];
            for (r, (_, changes)) in changes[batch].iter().enumerate() {
                for &(unit, factor) in changes {
                    terms[unit].0.push(r);
                    terms[unit].1.push(factor);
                }
            }
            self.blocks.par_iter_mut().enumerate().for_each(|(b, block)| {
                let columns = b * WIDTH..n.min((b + 1) * WIDTH);
                let sums = block.chunks_mut(WIDTH).zip(&terms).filter(|(_, terms)| !terms.0.is_empty());
                for (sums, (added, factors)) in sums {
                    let parts: Vec<&[T]> = added.iter().map(|&r| &rows[r][columns.clone()]).collect();
                    T::accumulate(&mut sums[..columns.len()], &parts, factors);
                }
            });
        })
    }
}
