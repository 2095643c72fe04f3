//! The linear system (K + D)x = y by conjugate gradients, for a K that is too large to be held in memory.
//!
//! Every iteration computes K once, block after block. How many there are depends on the condition of P⁻¹(K + D), with
//! P = LLᵀ + D and LLᵀ a partial Cholesky factor of K whose pivots are the largest diagonal entries left (Harbrecht, Peters,
//! Schneider 2012): the leading eigenvalues of K are in it, and what is left is no larger than D where the rank suffices.
//! By the identity of Woodbury, P⁻¹ = D⁻¹ − D⁻¹L(I + LᵀD⁻¹L)⁻¹LᵀD⁻¹.
//!
//! Memory: rank × n values for L, and a block of rows of K. Time: n² kernel values an iteration, 2n·rank for P⁻¹.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::ridge::{norm, ratio};
use crate::error::{ErrorKind, Result};
use crate::gram::Gram;
use crate::linalg::{Cholesky, Features, Square, Tick, dot};
use crate::simd::{LANES_ROWS as ROWS, Lanes, lanes_add, lanes_dot};

/// Bytes of a block of rows of K.
const BLOCK_BYTES: usize = 16 << 20;

/// Entries summed by one thread at a time: a fixed number, so that the bits do not depend on the number of threads.
const CHUNK: usize = 1024;

/// A residual diagonal entry below this share of D does not improve P.
const NEGLIGIBLE: f64 = 1e-2;

/// When to stop, and the size of the preconditioner.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The largest ‖(K + D)x − y‖/‖y‖ accepted.
    pub(crate) tolerance: f64,
    /// The most iterations.
    pub(crate) iterations: usize,
    /// The most columns of L.
    pub(crate) rank: usize,
}

/// The solutions, and their residuals.
pub(crate) struct Reached {
    pub(crate) solved: Vec<Vec<f64>>,
    /// (K + D)x − y for each right side, computed from the solutions at the end.
    pub(crate) over: Vec<Vec<f64>>,
    pub(crate) iterations: usize,
}

/// Bytes that [`solve`] takes for n points and `sides` right sides.
pub(crate) fn bytes(n: usize, rank: usize, sides: usize) -> u64 {
    let block = (BLOCK_BYTES / 8).max(n);
    (n * rank + rank * rank + block + 6 * n * sides) as u64 * 8
}

/// Solves the systems of all right sides at once.
///
/// # Errors
/// If D is so small that the preconditioner has no factor, or `tick` breaks.
pub(crate) fn solve(
    gram: &dyn Gram,
    d: &[f64],
    right: &[Vec<f64>],
    limits: Limits,
    tick: Tick<'_>,
) -> Result<Reached> {
    let preconditioner = Preconditioner::new(gram, d, limits.rank)?;
    let mut state: Vec<Iteration> = right.iter().map(|y| Iteration::new(y, &preconditioner)).collect();
    let mut iterations = 0;
    while iterations < limits.iterations && state.iter().any(|s| !s.done(limits.tolerance)) {
        let mut going: Vec<&mut Iteration> = state.iter_mut().filter(|s| !s.done(limits.tolerance)).collect();
        let directions: Vec<&[f64]> = going.iter().map(|s| s.direction.as_slice()).collect();
        let products = product(gram, d, &directions);
        going.iter_mut().zip(products).for_each(|(state, product)| state.step(&product, &preconditioner));
        iterations += 1;
        // The logarithm of a residual falls about linearly in time.
        let share = state.iter().map(|s| s.relative().ln() / limits.tolerance.ln()).fold(1.0, f64::min);
        if tick(share.clamp(0.0, 1.0)) == ControlFlow::Break(()) {
            return Err(ErrorKind::Interrupted.into());
        }
    }
    let solved: Vec<Vec<f64>> = state.into_iter().map(|s| s.x).collect();
    let mut over = product(gram, d, &solved.iter().map(Vec::as_slice).collect::<Vec<_>>());
    over.iter_mut().zip(right).for_each(|(over, y)| over.iter_mut().zip(y).for_each(|(over, y)| *over -= y));
    Ok(Reached { solved, over, iterations })
}

/// (K + D)v for each v; only the values of K on and below the diagonal are computed.
fn product(gram: &dyn Gram, d: &[f64], vectors: &[&[f64]]) -> Vec<Vec<f64>> {
    let mut products: Vec<Vec<f64>> = vectors.iter().map(|v| v.to_vec()).collect();
    for (vectors, products) in vectors.chunks(8).zip(products.chunks_mut(8)) {
        let entry = |i: usize| std::array::from_fn(|lane| vectors.get(lane).map_or(0.0, |v| v[i]));
        let v: Vec<Lanes> = (0..gram.len()).map(entry).collect();
        let sums = lanes_product(gram, &v);
        for (lane, product) in products.iter_mut().enumerate() {
            let parts = product.iter_mut().zip(d).zip(&sums);
            parts.for_each(|((value, d), sum)| *value = *value * d + sum[lane]);
        }
    }
    products
}

/// Kv for eight interleaved vectors.
fn lanes_product(gram: &dyn Gram, v: &[Lanes]) -> Vec<Lanes> {
    let n = gram.len();
    let height = (BLOCK_BYTES / 8 / n.max(1)).clamp(ROWS, 512) / ROWS * ROWS;
    let (mut sums, mut block) = (vec![[0.0; 8]; n], Vec::new());
    for first in (0..n).step_by(height) {
        let end = n.min(first + height);
        block.resize(((first + end + 1) * (end - first)) / 2, 0.0);
        let mut rest = block.as_mut_slice();
        let mut rows = Vec::with_capacity(end - first);
        for i in first..end {
            let (row, after) = rest.split_at_mut(i + 1);
            rows.push(row);
            rest = after;
        }
        gram.lower_rows(first, &mut rows);
        // First along the rows, then along the columns to the left of the diagonal block; inside that block value by value.
        let dots: Vec<[Lanes; ROWS]> =
            rows.par_chunks(ROWS).map(|rows| lanes_dot(group(rows), &v[..first])).collect();
        let (before, block_sums) = sums.split_at_mut(first);
        before.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, sums)| {
            for (rows, v) in rows.chunks(ROWS).zip(v[first..end].chunks(ROWS)) {
                let factors = std::array::from_fn(|r| v.get(r).copied().unwrap_or_default());
                lanes_add(sums, &factors, group(rows).map(|row| &row[chunk * CHUNK..]));
            }
        });
        for (i, row) in rows.iter().enumerate() {
            add_lanes(&mut block_sums[i], 1.0, &dots[i / ROWS][i % ROWS]);
            for j in 0..=i {
                add_lanes(&mut block_sums[i], row[first + j], &v[first + j]);
                if j < i {
                    add_lanes(&mut block_sums[j], row[first + j], &v[first + i]);
                }
            }
        }
    }
    sums
}

/// A group of rows; a group that is not full repeats its last row.
fn group<'a>(rows: &'a [&mut [f64]]) -> [&'a [f64]; ROWS] {
    std::array::from_fn(|r| &*rows[r.min(rows.len() - 1)])
}

fn add_lanes(sums: &mut Lanes, factor: f64, values: &Lanes) {
    (0..8).for_each(|lane| sums[lane] += factor * values[lane]);
}

/// The iteration for one right side y.
struct Iteration {
    x: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    /// residual · P⁻¹residual
    measure: f64,
    /// ‖y‖
    size: f64,
}

impl Iteration {
    fn new(y: &[f64], preconditioner: &Preconditioner) -> Self {
        let direction = preconditioner.apply(y);
        let (measure, size) = (dot(y, &direction), norm(y.iter().copied()));
        Self { x: vec![0.0; y.len()], residual: y.to_vec(), direction, measure, size }
    }

    /// ‖residual‖/‖y‖
    fn relative(&self) -> f64 {
        ratio(norm(self.residual.iter().copied()), self.size)
    }

    fn done(&self, tolerance: f64) -> bool {
        self.relative() <= tolerance
    }

    fn step(&mut self, product: &[f64], preconditioner: &Preconditioner) {
        let length = self.measure / dot(&self.direction, product);
        add(&mut self.x, length, &self.direction);
        add(&mut self.residual, -length, product);
        let next = preconditioner.apply(&self.residual);
        let measure = dot(&self.residual, &next);
        let kept = measure / self.measure;
        self.direction
            .iter_mut()
            .zip(&next)
            .for_each(|(direction, next)| *direction = next + kept * *direction);
        self.measure = measure;
    }
}

/// The inverse P⁻¹ of the preconditioner, in factors.
struct Preconditioner {
    /// 1/D
    inverse: Vec<f64>,
    /// The columns of L.
    columns: Vec<Vec<f64>>,
    /// The Cholesky factor of I + LᵀD⁻¹L.
    inner: Cholesky,
}

impl Preconditioner {
    fn new(gram: &dyn Gram, d: &[f64], rank: usize) -> Result<Self> {
        let inverse: Vec<f64> = d.iter().map(|d| 1.0 / d).collect();
        let columns = pivoted(gram, d, rank);
        let mut inner = Square::zeros(columns.len());
        let entry = |i: usize, j: usize| -> f64 {
            let terms = columns[i].iter().zip(&columns[j]).zip(&inverse);
            terms.map(|((a, b), inverse)| a * b * inverse).sum::<f64>() + if i == j { 1.0 } else { 0.0 }
        };
        let m = columns.len();
        inner.values_mut().par_chunks_mut(m.max(1)).enumerate().for_each(|(i, row)| {
            row.iter_mut().take(i + 1).enumerate().for_each(|(j, value)| *value = entry(i, j));
        });
        inner.mirror();
        let inner = Cholesky::new(inner, &mut |_| ControlFlow::Continue(()))?;
        Ok(Self { inverse, columns, inner })
    }

    /// P⁻¹v.
    fn apply(&self, v: &[f64]) -> Vec<f64> {
        let mut scaled: Vec<f64> = v.iter().zip(&self.inverse).map(|(v, inverse)| v * inverse).collect();
        let mut inner = [self.columns.par_iter().map(|column| dot(column, &scaled)).collect::<Vec<f64>>()];
        self.inner.solve(&mut inner);
        scaled.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, scaled)| {
            let part = chunk * CHUNK..chunk * CHUNK + scaled.len();
            let mut sums = vec![0.0; scaled.len()];
            for (column, &weight) in self.columns.iter().zip(&inner[0]) {
                add(&mut sums, weight, &column[part.clone()]);
            }
            let inverse = &self.inverse[part];
            scaled
                .iter_mut()
                .zip(sums)
                .zip(inverse)
                .for_each(|((value, sum), inverse)| *value -= inverse * sum);
        });
        scaled
    }
}

/// The columns of a partial Cholesky factor of K. Each pivot is the point with the largest residual diagonal entry,
/// relative to D.
fn pivoted(gram: &dyn Gram, d: &[f64], rank: usize) -> Vec<Vec<f64>> {
    let n = gram.len();
    let (mut left, mut features) = (gram.diagonal().to_vec(), Features::default());
    while features.pivots.len() < rank.min(n) {
        let over = |i: &usize| left[*i] / d[*i];
        let Some(pivot) = (0..n).max_by(|a, b| over(a).total_cmp(&over(b)).then(b.cmp(a))) else { break };
        if over(&pivot) <= NEGLIGIBLE {
            break;
        }
        let mut row = vec![0.0; n];
        gram.rows_f64(&[pivot], &mut [&mut row]);
        let column = features.orthogonal(pivot, row, left[pivot]);
        left.iter_mut().zip(&column).for_each(|(left, value)| *left -= value * value);
        left[pivot] = 0.0;
        features.push(pivot, column);
    }
    features.columns
}

/// sums += factor · values
fn add(sums: &mut [f64], factor: f64, values: &[f64]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
}
