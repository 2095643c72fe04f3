//! Points in a feature space, known by their inner products: what k-means needs of a Gram or of rows of numbers.

use std::ops::Range;

use rayon::prelude::*;

use crate::error::{DataProblem, ErrorKind, Result};
use crate::gram::Gram;
use crate::linalg::Tick;
use crate::simd::{accumulate, accumulate_f64, huge_zeros};

/// Points whose sums lie side by side: with ten clusters 40 kB, which stays in the second-level cache.
pub(crate) const BLOCK: usize = 512;

/// Rows of a Gram that are computed at once where they are not held.
const BATCH: usize = 256;

/// Rows of a batch that one thread computes.
const TASK: usize = 32;

/// While a Gram of more than this many batches is filled, the caller is told about as often; else after each batch.
const TOLD: usize = 64;

/// Points up to which values are held in double precision: 32 MB.
const DOUBLE: usize = 2048;

/// Where the mean square distance from the mean is below this share of the mean square length, inner products in single
/// precision lose too much in the difference, and double precision is held.
const SPREAD: f64 = 1e-3;

/// Points whose rows are looked at to decide that.
const SAMPLE: usize = 64;

/// A point that enters a cluster, by its weight; negative where it leaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Change {
    pub(crate) point: usize,
    pub(crate) cluster: usize,
    pub(crate) weight: f64,
}

/// Points φ₁ … φₙ of a feature space.
pub(crate) trait Geometry: Sync {
    /// ‖φᵢ‖²
    fn squares(&self) -> &[f64];

    /// Fills `out[j]` with ⟨φᵢ, φⱼ⟩.
    fn products(&self, i: usize, out: &mut [f64]);

    /// Adds Σ w ⟨φₘ, φⱼ⟩ over the changes (m, c, w) to the sum of each point j with the cluster c, in the order of the
    /// changes. These are sorted by cluster.
    fn add(&self, changes: &[Change], sums: &mut Sums);

    /// The share of ‖φᵢ‖² + ‖φⱼ‖² below which a squared distance may be a rounding error.
    fn rounding(&self) -> f64;

    /// Whether inner products need no kernel values.
    fn is_cheap(&self) -> bool {
        true
    }

    /// How many points there are.
    fn len(&self) -> usize {
        self.squares().len()
    }
}

/// A number for each point and cluster, such as ⟨φᵢ, Σ_{j∈c} wⱼφⱼ⟩: block after block of points, and in a block cluster after
/// cluster.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sums {
    points: usize,
    clusters: usize,
    values: Vec<f64>,
}

impl Sums {
    /// All zero.
    pub(crate) fn zeros(points: usize, clusters: usize) -> Self {
        Self { points, clusters, values: vec![0.0; points.div_ceil(BLOCK) * BLOCK * clusters] }
    }

    /// The number of a point and a cluster.
    pub(crate) fn at(&self, i: usize, c: usize) -> f64 {
        self.values[(i / BLOCK * self.clusters + c) * BLOCK + i % BLOCK]
    }

    /// Calls `each(first, rows)` for each block: its first point, and a list for each cluster with a number for each point of
    /// the block. On all threads.
    pub(crate) fn for_each_block(&mut self, each: impl Fn(usize, &mut [&mut [f64]]) + Sync) {
        let (points, size) = (self.points, (BLOCK * self.clusters).max(1));
        self.values.par_chunks_mut(size).enumerate().for_each(|(block, values)| {
            let len = BLOCK.min(points - block * BLOCK);
            let mut rows: Vec<&mut [f64]> = values.chunks_mut(BLOCK).map(|row| &mut row[..len]).collect();
            each(block * BLOCK, &mut rows);
        });
    }

    /// What `each(first, rows)` gives for each block, in order; see [`Sums::for_each_block`].
    pub(crate) fn map_blocks<R: Send>(&self, each: impl Fn(usize, &[&[f64]]) -> R + Sync) -> Vec<R> {
        let (points, size) = (self.points, (BLOCK * self.clusters).max(1));
        let block = |(block, values): (usize, &[f64])| {
            let len = BLOCK.min(points - block * BLOCK);
            let rows: Vec<&[f64]> = values.chunks(BLOCK).map(|row| &row[..len]).collect();
            each(block * BLOCK, &rows)
        };
        self.values.par_chunks(size).enumerate().map(block).collect()
    }
}

/// The changes of one cluster after the other.
fn by_cluster(changes: &[Change]) -> impl Iterator<Item = &[Change]> {
    changes.chunk_by(|a, b| a.cluster == b.cluster)
}

/// The points of a Gram, whose values are held, or computed each time.
pub(crate) struct Kernelised<'a> {
    gram: &'a dyn Gram,
    held: Held,
}

enum Held {
    Single(Vec<f32>),
    Double(Vec<f64>),
    Nothing,
}

impl<'a> Kernelised<'a> {
    /// Holds all values if `bytes` are enough: in double precision for few points, and where single precision would not
    /// tell them apart.
    ///
    /// # Errors
    /// If a value is not finite, or `tick` breaks.
    pub(crate) fn new(gram: &'a dyn Gram, bytes: u64, tick: Tick<'_>) -> Result<Self> {
        let n = gram.len();
        let values = (n as u64).pow(2);
        let double = 8 * values <= bytes && (n <= DOUBLE || is_far_from_the_origin(gram));
        let held = if double {
            Held::Double(filled(n, |rows, out| gram.rows_f64(rows, out), tick)?)
        } else if 4 * values <= bytes {
            Held::Single(filled(n, |rows, out| gram.rows(rows, out), tick)?)
        } else {
            Held::Nothing
        };
        Ok(Self { gram, held })
    }

    /// A Gram none of whose values is held.
    pub(crate) fn computed(gram: &'a dyn Gram) -> Self {
        Self { gram, held: Held::Nothing }
    }

    /// Whether all values are held.
    pub(crate) fn is_held(&self) -> bool {
        !matches!(self.held, Held::Nothing)
    }

    /// Adds rows, `row(m)` being that of point m, all of it; `accumulate` adds some of them to a sum.
    fn add_rows<'r, T: Sync + 'r>(
        changes: &[Change],
        sums: &mut Sums,
        accumulate: fn(&mut [f64], &[&[T]], &[f64]),
        row: impl Fn(usize) -> &'r [T] + Sync,
    ) {
        sums.for_each_block(|first, sums| {
            let mut pieces: Vec<&[T]> = Vec::with_capacity(changes.len());
            let mut weights = Vec::with_capacity(changes.len());
            for changes in by_cluster(changes) {
                let sums = &mut *sums[changes[0].cluster];
                pieces.clear();
                weights.clear();
                pieces.extend(changes.iter().map(|change| &row(change.point)[first..first + sums.len()]));
                weights.extend(changes.iter().map(|change| change.weight));
                accumulate(sums, &pieces, &weights);
            }
        });
    }
}

impl Geometry for Kernelised<'_> {
    fn squares(&self) -> &[f64] {
        self.gram.diagonal()
    }

    fn products(&self, i: usize, out: &mut [f64]) {
        let n = self.len();
        match &self.held {
            Held::Double(values) => out.copy_from_slice(&values[i * n..(i + 1) * n]),
            Held::Single(values) => {
                out.iter_mut().zip(&values[i * n..(i + 1) * n]).for_each(|(out, &k)| *out = f64::from(k));
            }
            Held::Nothing => {
                let mut row = vec![0.0; n];
                self.gram.rows(&[i], &mut [&mut row]);
                out.iter_mut().zip(&row).for_each(|(out, &k)| *out = f64::from(k));
            }
        }
    }

    fn add(&self, changes: &[Change], sums: &mut Sums) {
        let n = self.len();
        match &self.held {
            Held::Single(values) => {
                Self::add_rows(changes, sums, accumulate, |m| &values[m * n..(m + 1) * n]);
            }
            Held::Double(values) => {
                Self::add_rows(changes, sums, accumulate_f64, |m| &values[m * n..(m + 1) * n]);
            }
            Held::Nothing => {
                // A point that moves has a change of two clusters, of which its row is computed once.
                let mut points: Vec<usize> = changes.iter().map(|change| change.point).collect();
                points.sort_unstable();
                points.dedup();
                let mut values = vec![0.0; BATCH.min(points.len()) * n];
                for points in points.chunks(BATCH) {
                    let rows = &mut values[..points.len() * n];
                    let tasks = rows.par_chunks_mut(TASK * n.max(1)).zip(points.par_chunks(TASK));
                    tasks.for_each(|(rows, points)| {
                        self.gram.rows(points, &mut rows.chunks_mut(n.max(1)).collect::<Vec<_>>());
                    });
                    let place = |m: usize| points.binary_search(&m).ok();
                    let own: Vec<Change> =
                        changes.iter().filter(|c| place(c.point).is_some()).copied().collect();
                    let row = |m: usize| place(m).map_or(&[][..], |at| &rows[at * n..(at + 1) * n]);
                    Self::add_rows(&own, sums, accumulate, row);
                }
            }
        }
    }

    fn is_cheap(&self) -> bool {
        self.is_held()
    }

    fn rounding(&self) -> f64 {
        if matches!(self.held, Held::Double(_)) { 1e-14 } else { 4.0 * f64::from(f32::EPSILON) }
    }
}

/// All values of a Gram of n points whose rows `fill` computes, on all threads.
fn filled<T: Copy + Default + Send + Into<f64>>(
    n: usize,
    fill: impl Fn(&[usize], &mut [&mut [T]]) + Sync,
    tick: Tick<'_>,
) -> Result<Vec<T>> {
    let mut values: Vec<T> = huge_zeros(n * n);
    let part_rows = (n / TOLD).max(1).next_multiple_of(BATCH);
    for (part, values) in values.chunks_mut(part_rows * n.max(1)).enumerate() {
        let first = part * part_rows;
        let flaw = values.par_chunks_mut(TASK * n).enumerate().find_map_first(|(batch, values)| {
            let mut out: Vec<&mut [T]> = values.chunks_mut(n).collect();
            let first = first + batch * TASK;
            let rows: Vec<usize> = (first..first + out.len()).collect();
            fill(&rows, &mut out);
            let at = values.iter().position(|&value| !value.into().is_finite())?;
            Some(DataProblem::KernelNotFinite { row: first + at / n + 1, column: at % n + 1 })
        });
        if let Some(problem) = flaw {
            return Err(ErrorKind::Data(problem).into());
        }
        if tick((first + part_rows).min(n) as f64 / n as f64).is_break() {
            return Err(ErrorKind::Interrupted.into());
        }
    }
    Ok(values)
}

/// Whether the points are much farther from the origin than from their mean, as a few of them tell.
fn is_far_from_the_origin(gram: &dyn Gram) -> bool {
    let n = gram.len();
    let some: Vec<usize> = (0..SAMPLE.min(n)).map(|at| at * n / SAMPLE.min(n)).collect();
    let mut mean = vec![0.0; n];
    gram.accumulate(&some, &vec![1.0 / some.len() as f64; some.len()], &mut mean);
    // With m the mean of the sample: mean ‖φᵢ‖², and mean ‖φᵢ − m‖².
    let square = gram.diagonal().iter().sum::<f64>() / n as f64;
    let of_mean = some.iter().map(|&i| mean[i]).sum::<f64>() / some.len() as f64;
    let spread = square - 2.0 * mean.iter().sum::<f64>() / n as f64 + of_mean;
    spread < SPREAD * square
}

/// Rows of numbers with the ordinary inner product, taken about their mean, which no distance depends on.
pub(crate) struct Rows {
    columns: usize,
    /// The values row after row, and column after column.
    values: Vec<f64>,
    by_column: Vec<Vec<f64>>,
    squares: Vec<f64>,
    centre: Vec<f64>,
}

impl Rows {
    /// Rows of `columns` numbers each, row after row, and the weight of each row.
    pub(crate) fn new(columns: usize, mut values: Vec<f64>, weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let mut centre = vec![0.0; columns];
        for (row, w) in values.chunks(columns.max(1)).zip(weights) {
            centre.iter_mut().zip(row).for_each(|(sum, value)| *sum += w * value / total);
        }
        for row in values.chunks_mut(columns.max(1)) {
            row.iter_mut().zip(&centre).for_each(|(value, mean)| *value -= mean);
        }
        let squares = values.chunks(columns.max(1)).map(|row| row.iter().map(|v| v * v).sum()).collect();
        let column = |k: usize| values.iter().skip(k).step_by(columns).copied().collect();
        let by_column = (0..columns).map(column).collect();
        Self { columns, values, by_column, squares, centre }
    }

    /// The rows `range`, a list for each column.
    fn columns_of(&self, range: Range<usize>) -> Vec<&[f64]> {
        self.by_column.iter().map(|column| &column[range.clone()]).collect()
    }

    /// The sum of the coefficients times the rows, where the coefficients sum to 1: a centre, in the numbers given.
    pub(crate) fn combined(&self, coefficients: &[(usize, f64)]) -> Vec<f64> {
        let mut sum = self.centre.clone();
        for &(i, weight) in coefficients {
            sum.iter_mut().zip(self.row(i)).for_each(|(sum, value)| *sum += weight * value);
        }
        sum
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }
}

impl Geometry for Rows {
    fn squares(&self) -> &[f64] {
        &self.squares
    }

    fn products(&self, i: usize, out: &mut [f64]) {
        out.fill(0.0);
        accumulate_f64(out, &self.columns_of(0..out.len()), self.row(i));
    }

    fn add(&self, changes: &[Change], sums: &mut Sums) {
        let vectors: Vec<(usize, Vec<f64>)> = by_cluster(changes)
            .map(|changes| {
                let mut sum = vec![0.0; self.columns];
                for change in changes {
                    sum.iter_mut().zip(self.row(change.point)).for_each(|(sum, v)| *sum += change.weight * v);
                }
                (changes[0].cluster, sum)
            })
            .collect();
        sums.for_each_block(|first, sums| {
            for (cluster, vector) in &vectors {
                let sums = &mut *sums[*cluster];
                let columns = self.columns_of(first..first + sums.len());
                accumulate_f64(sums, &columns, vector);
            }
        });
    }

    fn rounding(&self) -> f64 {
        1e-14
    }
}
