//! A graph whose edges are affinities of points, and the leading eigenvectors of its normalised matrix.
//!
//! With affinities A, whose diagonal does not count, degrees dᵢ = Σ_{j≠i} Aᵢⱼ and D = diag(d), the largest eigenvalues of B =
//! D^−½AD^−½ are 1 minus the smallest of the normalised Laplacian I − B. A point of weight w is w points, which are joined
//! with each other by Aᵢᵢ: then dᵢ = Σ_{j≠i} wⱼAᵢⱼ + (wᵢ − 1)Aᵢᵢ, and Bᵢⱼ = √(wᵢwⱼ)Aᵢⱼ/√(dᵢdⱼ) with Bᵢᵢ = (wᵢ − 1)Aᵢᵢ/dᵢ has
//! the eigenvectors of the copies, √wᵢ times as large. A point without edges is a component of its own, with Bᵢᵢ = 1. Kernel values
//! below the rounding of the largest degree, or of the largest k(x, x), are no edges: kernels that fall off never quite end.

use std::cmp::Ordering;
use std::ops::{Add, Sub};

use rayon::prelude::*;

use crate::data::Real;
use crate::error::{DataProblem, Error, ErrorKind, Result};
use crate::gram::Gram;
use crate::linalg::{Deflated, Eigen, Largest, Sparse, Square, Tick};
use crate::simd::{CHUNK, chunk_minima_f32, chunk_minima_f64};

/// Rows of a Gram that one thread looks for neighbours in at a time.
const BATCH: usize = 64;

/// Batches between two calls of `tick`.
const BATCHES: usize = 16;

/// Points up to which neighbours are chosen by distances in double precision.
const DOUBLE: usize = 2048;

/// Points from which on eigenvectors of a graph of neighbours are found without its zeros.
const SPARSE: usize = 512;

/// Affinities of points and their degrees.
pub(crate) struct Affinities<'w> {
    matrix: Matrix,
    degrees: Vec<f64>,
    weights: &'w [f64],
}

enum Matrix {
    Full(Square),
    Sparse(Sparse),
}

/// Points by their entries in the leading eigenvectors.
pub(crate) struct Embedding {
    /// The largest eigenvalues of B, descending.
    pub(crate) values: Vec<f64>,
    /// For each point its entries u/√(wd) in their eigenvectors u.
    pub(crate) rows: Vec<f64>,
    /// The largest ‖Bu − λu‖.
    pub(crate) residual: f64,
}

impl<'w> Affinities<'w> {
    /// The values of a kernel as affinities; those below the rounding of the largest degree or k(x, x) count as 0.
    ///
    /// # Errors
    /// If one is negative.
    pub(crate) fn full(mut square: Square, weights: &'w [f64]) -> Result<Self> {
        let n = square.n();
        if let Some(at) = square.values().par_iter().position_first(|&value| value < 0.0) {
            let problem = DataProblem::NegativeAffinity { row: at / n + 1, column: at % n + 1 };
            return Err(ErrorKind::Data(problem).into());
        }
        let degrees = |square: &Square| -> Vec<f64> {
            let of = |i: usize| {
                let entries = square.row(i).iter().enumerate().map(|(j, value)| (j, *value));
                degree(i, entries, weights)
            };
            (0..n).into_par_iter().map(of).collect()
        };
        let diagonal = (0..n).map(|i| square.row(i)[i]);
        let least = f64::EPSILON * degrees(&square).into_iter().chain(diagonal).fold(0.0, f64::max);
        square
            .values_mut()
            .par_iter_mut()
            .for_each(|value| *value = if *value < least { 0.0 } else { *value });
        let degrees = degrees(&square);
        Ok(Self { matrix: Matrix::Full(square), degrees, weights })
    }

    /// The graph of the `count` nearest neighbours of each point, itself among them: ½(N + Nᵀ), where Nᵢⱼ = 1 if j is a
    /// neighbour of i. Neighbours are nearest by kᵢᵢ + kⱼⱼ − 2kᵢⱼ, of equally near ones the first. Neighbours are counted by
    /// weight; where the last one is more than the rest that is wanted, it is a neighbour by that share.
    ///
    /// # Errors
    /// If a kernel value is not finite, or `tick` breaks.
    pub(crate) fn neighbours(
        gram: &dyn Gram,
        weights: &'w [f64],
        count: usize,
        tick: Tick<'_>,
    ) -> Result<Self> {
        let n = gram.len();
        let search = Search { gram, weights, wanted: count as f64, most: most_points(weights, count as f64) };
        let starts: Vec<usize> = (0..n).step_by(BATCH).collect();
        let mut lists: Vec<Vec<(u32, f64)>> = Vec::with_capacity(n);
        for starts in starts.chunks(BATCHES) {
            let found: Vec<Result<Vec<_>>> =
                starts.par_iter().map(|&first| search.batch(first..n.min(first + BATCH))).collect();
            for batch in found {
                lists.extend(batch?);
            }
            if tick(lists.len() as f64 / n as f64).is_break() {
                return Err(ErrorKind::Interrupted.into());
            }
        }
        let matrix = Sparse::new(symmetric(&lists));
        let degrees = (0..n).map(|i| degree(i, matrix.row(i), weights)).collect();
        Ok(Self { matrix: Matrix::Sparse(matrix), degrees, weights })
    }

    /// The `count` leading eigenvectors of the normalised matrix.
    ///
    /// # Errors
    /// If `tick` breaks.
    pub(crate) fn embed(self, count: usize, tick: Tick<'_>) -> Result<Embedding> {
        let Self { matrix, degrees, weights } = self;
        let n = degrees.len();
        let scale: Vec<f64> =
            degrees.iter().zip(weights).map(|(d, w)| if *d > 0.0 { (w / d).sqrt() } else { 0.0 }).collect();
        let normalised = |i: usize, j: usize, value: f64| match i == j {
            false => value * (scale[i] * scale[j]),
            true if degrees[i] > 0.0 => (weights[i] - 1.0).max(0.0) * value / degrees[i],
            true => 1.0,
        };
        let of = matrix.components();
        let found = match matrix {
            _ if of.iter().any(|&component| component + 1 >= count) => {
                of_components(&of, &degrees, weights, count)
            }
            Matrix::Sparse(mut matrix) if n >= SPARSE.max(2 * count + 64) => {
                matrix.map(normalised);
                matrix.largest(count, tick)?
            }
            matrix => {
                let mut square = match matrix {
                    Matrix::Full(square) => square,
                    Matrix::Sparse(matrix) => matrix.dense(),
                };
                square.map(normalised);
                dense(&square, count, tick)?
            }
        };
        let row = |i: usize| {
            let root = (weights[i] * if degrees[i] > 0.0 { degrees[i] } else { 1.0 }).sqrt();
            found.vectors.iter().map(move |vector| vector[i] / root)
        };
        let rows = (0..n).flat_map(row).collect();
        Ok(Embedding { rows, values: found.values, residual: found.residual })
    }
}

/// The leading eigenvectors of a matrix that is held with its zeros.
fn dense(square: &Square, count: usize, tick: Tick<'_>) -> Result<Largest> {
    if Largest::pays(square.n(), count)
        && let Some(found) = Largest::of(Deflated { matrix: square, unit: None }, count, tick)?
    {
        return Ok(found);
    }
    let eigen = Eigen::of(square).ok_or(ErrorKind::Data(DataProblem::NoVariance))?;
    Ok(Largest::of_all(square, &eigen, count))
}

impl Matrix {
    /// The component of each point, numbered by their first points.
    fn components(&self) -> Vec<usize> {
        const UNSEEN: usize = usize::MAX;
        let n = match self {
            Self::Full(square) => square.n(),
            Self::Sparse(graph) => graph.n(),
        };
        let (mut count, mut of, mut open) = (0, vec![UNSEEN; n], Vec::new());
        for first in 0..n {
            if of[first] != UNSEEN {
                continue;
            }
            of[first] = count;
            open.push(first);
            while let Some(i) = open.pop() {
                let mut join = |j: usize, value: f64| {
                    if value > 0.0 && of[j] == UNSEEN {
                        of[j] = count;
                        open.push(j);
                    }
                };
                match self {
                    Self::Full(square) => square.row(i).iter().enumerate().for_each(|(j, v)| join(j, *v)),
                    Self::Sparse(graph) => graph.row(i).for_each(|(j, value)| join(j, value)),
                }
            }
            count += 1;
        }
        of
    }
}

/// The leading eigenvectors of a graph with as many components as vectors are wanted, or more: each component has one of
/// eigenvalue 1 that is √(wd) on its points. Those of the heaviest components are taken, of several the first.
fn of_components(of: &[usize], degrees: &[f64], weights: &[f64], count: usize) -> Largest {
    let all = of.iter().max().map_or(0, |last| last + 1);
    let mut sizes = vec![0.0; all];
    of.iter().zip(weights).for_each(|(&c, w)| sizes[c] += w);
    let mut order: Vec<usize> = (0..all).collect();
    order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]));
    let entry = |i: usize| (weights[i] * if degrees[i] > 0.0 { degrees[i] } else { 1.0 }).sqrt();
    let vector = |&c: &usize| {
        let mut vector: Vec<f64> = (0..of.len()).map(|i| if of[i] == c { entry(i) } else { 0.0 }).collect();
        let length = vector.iter().map(|v| v * v).sum::<f64>().sqrt();
        vector.iter_mut().for_each(|v| *v /= length);
        vector
    };
    let vectors = order[..count].iter().map(vector).collect();
    Largest { values: vec![1.0; count], vectors, residual: 0.0 }
}

/// Σ_{j≠i} wⱼAᵢⱼ + (wᵢ − 1)Aᵢᵢ
fn degree(i: usize, entries: impl Iterator<Item = (usize, f64)>, weights: &[f64]) -> f64 {
    entries.map(|(j, value)| value * if i == j { (weights[i] - 1.0).max(0.0) } else { weights[j] }).sum()
}

/// How many points weigh `wanted` at most, whichever they are.
fn most_points(weights: &[f64], wanted: f64) -> usize {
    let mut sorted = weights.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut sum = 0.0;
    let light = sorted.iter().take_while(|w| {
        let before = sum;
        sum += **w;
        before < wanted
    });
    light.count()
}

/// The search for nearest neighbours.
struct Search<'a> {
    gram: &'a dyn Gram,
    weights: &'a [f64],
    /// The weight of the neighbours of a point.
    wanted: f64,
    /// The most points that have this weight.
    most: usize,
}

/// Lists that the searches for the neighbours of one point after the other fill.
#[derive(Default)]
struct Space<T> {
    /// The least distance in each chunk of points.
    minima: Vec<T>,
    /// A copy of these in which the limit is found.
    order: Vec<T>,
    /// Points that are near enough, with their distances.
    near: Vec<(T, u32)>,
}

/// The precision of the distances that neighbours are chosen by.
trait Distance: Real + PartialOrd + Add<Output = Self> + Sub<Output = Self> {
    /// The least of square − 2·product in each chunk, and whether all are finite; see [`chunk_minima_f32`].
    fn chunk_minima(squares: &[Self], products: &[Self], minima: &mut [Self]) -> bool;
}

impl Distance for f32 {
    fn chunk_minima(squares: &[f32], products: &[f32], minima: &mut [f32]) -> bool {
        chunk_minima_f32(squares, products, minima)
    }
}

impl Distance for f64 {
    fn chunk_minima(squares: &[f64], products: &[f64], minima: &mut [f64]) -> bool {
        chunk_minima_f64(squares, products, minima)
    }
}

impl Search<'_> {
    /// The neighbours of some points.
    fn batch(&self, points: std::ops::Range<usize>) -> Result<Vec<Vec<(u32, f64)>>> {
        let (n, rows): (usize, Vec<usize>) = (self.gram.len(), points.collect());
        let diagonal = self.gram.diagonal();
        if n <= DOUBLE {
            let mut values = vec![0.0; rows.len() * n];
            self.gram.rows_f64(&rows, &mut values.chunks_mut(n).collect::<Vec<_>>());
            let (each, mut space) = (rows.iter().zip(values.chunks(n)), Space::default());
            return each.map(|(&i, row)| self.nearest(i, diagonal, row, &mut space)).collect();
        }
        let mut values = vec![0.0_f32; rows.len() * n];
        self.gram.rows(&rows, &mut values.chunks_mut(n).collect::<Vec<_>>());
        let squares: Vec<f32> = diagonal.iter().map(|&k| k as f32).collect();
        let mut space = Space::default();
        let each = rows.iter().zip(values.chunks(n));
        each.map(|(&i, row)| self.nearest(i, &squares, row, &mut space)).collect()
    }

    /// The neighbours of point i and how much of each is one, by ascending number; from the diagonal and row i of the Gram.
    ///
    /// With k + 1 chunks whose least distances are at most d, k + 1 points are at most d away: only these chunks are searched.
    fn nearest<T: Distance>(
        &self,
        i: usize,
        squares: &[T],
        row: &[T],
        space: &mut Space<T>,
    ) -> Result<Vec<(u32, f64)>> {
        let n = row.len();
        let Space { minima, order, near } = space;
        minima.resize(n.div_ceil(CHUNK), T::default());
        // The squared distance but for that of point i from the origin.
        let value = |j: usize| squares[j] - (row[j] + row[j]);
        if !T::chunk_minima(squares, row, minima) {
            let infinite = (0..n).find(|&j| !value(j).to_f64().is_finite());
            return Err(not_finite(i, infinite.unwrap_or(i)));
        }
        let ascending = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(Ordering::Equal);
        let limit = (self.most + 1 < minima.len()).then(|| {
            order.clone_from(minima);
            *order.select_nth_unstable_by(self.most, ascending).1
        });
        near.clear();
        for (chunk, least) in minima.iter().enumerate() {
            if limit.is_none_or(|limit| *least <= limit) {
                let places = chunk * CHUNK..n.min((chunk + 1) * CHUNK);
                let found = places
                    .map(|j| (value(j), j as u32))
                    .filter(|&(value, j)| limit.is_none_or(|limit| value <= limit) && j as usize != i);
                near.extend(found);
            }
        }
        let nearer = |a: &(T, u32), b: &(T, u32)| ascending(&a.0, &b.0).then(a.1.cmp(&b.1));
        if near.len() > self.most {
            // Of points that are equally far there can be as many as points.
            near.select_nth_unstable_by(self.most, nearer);
            near.truncate(self.most);
        }
        near.sort_unstable_by(nearer);
        let mut left = self.wanted;
        let mut neighbours = Vec::new();
        for j in std::iter::once(i).chain(near.iter().map(|near| near.1 as usize)) {
            if left > 0.0 {
                neighbours.push((j as u32, (left / self.weights[j]).min(1.0)));
                left -= self.weights[j];
            }
        }
        neighbours.sort_unstable_by_key(|entry| entry.0);
        Ok(neighbours)
    }
}

/// The error of a kernel value between points i and j that is not finite.
fn not_finite(i: usize, j: usize) -> Error {
    ErrorKind::Data(DataProblem::KernelNotFinite { row: i + 1, column: j + 1 }).into()
}

/// ½(N + Nᵀ)
fn symmetric(lists: &[Vec<(u32, f64)>]) -> Vec<Vec<(u32, f64)>> {
    let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); lists.len()];
    for (i, list) in lists.iter().enumerate() {
        for &(j, value) in list {
            rows[i].push((j, 0.5 * value));
            rows[j as usize].push((i as u32, 0.5 * value));
        }
    }
    for row in &mut rows {
        row.sort_by_key(|entry| entry.0);
        row.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
    }
    rows
}
