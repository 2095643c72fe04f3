//! A symmetric matrix in one buffer.

use rayon::prelude::*;

use crate::simd::{LANES_ROWS as ROWS, Lanes, huge_zeros, lanes_add, lanes_dot};

/// Rows that are transposed together: a tile of so many squared stays in the first-level cache.
const TILE: usize = 32;

/// Pieces of a product with a vector: a number of its own, so that sums do not depend on the number of threads.
const PIECES: usize = 16;

/// n × n values, row after row. Memory is touched when it is written.
pub(crate) struct Square {
    n: usize,
    values: Vec<f64>,
}

impl Square {
    /// Zeros.
    pub(crate) fn zeros(n: usize) -> Self {
        Self { n, values: huge_zeros(n * n) }
    }

    /// Rows and columns.
    pub(crate) fn n(&self) -> usize {
        self.n
    }

    /// All values, row after row.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The same, to be changed.
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// A row.
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    /// A row, to be changed.
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.n..(i + 1) * self.n]
    }

    /// The diagonal.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        (0..self.n).map(|i| self.values[i * self.n + i]).collect()
    }

    /// Adds to the diagonal.
    pub(crate) fn add_diagonal(&mut self, values: impl Fn(usize) -> f64) {
        (0..self.n).for_each(|i| self.values[i * self.n + i] += values(i));
    }

    /// The product with a vector, row by row, where both halves are given.
    pub(crate) fn product(&self, v: &[f64]) -> Vec<f64> {
        (0..self.n).into_par_iter().map(|i| dot(self.row(i), v)).collect()
    }

    /// Changes every value by `change(i, j, value)`.
    pub(crate) fn map(&mut self, change: impl Fn(usize, usize, f64) -> f64 + Sync) {
        let n = self.n.max(1);
        self.values.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
            row.iter_mut().enumerate().for_each(|(j, value)| *value = change(i, j, *value));
        });
    }

    /// Copies the lower half to the upper one.
    pub(crate) fn mirror(&mut self) {
        mirror(&mut self.values, self.n, 0);
    }

    /// Sv for eight vectors at once, where the diagonal is given and the upper half is read.
    pub(super) fn product_of_upper(&self, diagonal: &[f64], v: &[Lanes]) -> Vec<Lanes> {
        let n = self.n;
        // Row i has n − i values: a share of about (1 − i/n)² of all comes after it.
        let border = |piece: usize| {
            let after = n as f64 * (1.0 - piece as f64 / PIECES as f64).sqrt();
            n - (after.round() as usize).next_multiple_of(ROWS).min(n)
        };
        let piece = |piece: usize| {
            let mut sums = vec![[0.0; 8]; n];
            let rows = border(piece)..if piece + 1 == PIECES { n } else { border(piece + 1) };
            for first in rows.clone().step_by(ROWS) {
                let end = rows.end.min(first + ROWS);
                for i in first..end {
                    (0..8).for_each(|lane| sums[i][lane] += diagonal[i] * v[i][lane]);
                    for j in i + 1..end {
                        let value = self.row(i)[j];
                        (0..8).for_each(|lane| sums[i][lane] += value * v[j][lane]);
                        (0..8).for_each(|lane| sums[j][lane] += value * v[i][lane]);
                    }
                }
                // Where there are fewer rows than go together, the last one stands in with a factor of nothing.
                let upper = std::array::from_fn(|r| &self.row((first + r).min(end - 1))[end..]);
                let factors = std::array::from_fn(|r| if first + r < end { v[first + r] } else { [0.0; 8] });
                let dots = lanes_dot(upper, &v[end..]);
                for i in first..end {
                    (0..8).for_each(|lane| sums[i][lane] += dots[i - first][lane]);
                }
                lanes_add(&mut sums[end..], &factors, upper);
            }
            sums
        };
        let pieces: Vec<Vec<Lanes>> = (0..PIECES).into_par_iter().map(piece).collect();
        let mut product = vec![[0.0; 8]; n];
        for sums in pieces {
            for (total, sum) in product.iter_mut().zip(sums) {
                (0..8).for_each(|lane| total[lane] += sum[lane]);
            }
        }
        product
    }
}

/// Calls `each` with the vectors interleaved, eight at a time, and takes what it has made of them apart again.
pub(super) fn by_eights(vectors: &mut [Vec<f64>], each: impl Fn(&mut Vec<Lanes>) + Sync) {
    vectors.par_chunks_mut(8).for_each(|vectors| {
        let n = vectors[0].len();
        let entry = |i: usize| std::array::from_fn(|lane| vectors.get(lane).map_or(0.0, |vector| vector[i]));
        let mut lanes: Vec<Lanes> = (0..n).map(entry).collect();
        each(&mut lanes);
        for (lane, vector) in vectors.iter_mut().enumerate() {
            vector.iter_mut().zip(&lanes).for_each(|(value, lanes)| *value = lanes[lane]);
        }
    });
}

/// Copies the lower half of the rows from `first` on to the upper half; `rows` are whole rows of n values.
fn mirror(rows: &mut [f64], n: usize, first: usize) {
    let count = rows.len() / n.max(1);
    if count <= TILE {
        for i in 0..count {
            for j in i + 1..count {
                rows[i * n + first + j] = rows[j * n + first + i];
            }
        }
        return;
    }
    let half = (count / 2).next_multiple_of(TILE);
    let (upper, lower) = rows.split_at_mut(half * n);
    let source = &*lower;
    upper.par_chunks_mut(TILE * n).enumerate().for_each(|(tile, upper)| {
        for tile_columns in (0..count - half).step_by(TILE) {
            for (i, row) in upper.chunks_mut(n).enumerate() {
                for j in tile_columns..(count - half).min(tile_columns + TILE) {
                    row[first + half + j] = source[j * n + first + tile * TILE + i];
                }
            }
        }
    });
    rayon::join(|| mirror(upper, n, first), || mirror(lower, n, first + half));
}

/// aᵀb in eight sums side by side.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (whole_a, rest_a) = a.as_chunks::<8>();
    let (whole_b, rest_b) = b.as_chunks::<8>();
    for (a, b) in whole_a.iter().zip(whole_b) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lower(n: usize) -> Square {
        let mut square = Square::zeros(n);
        for i in 0..n {
            for j in 0..=i {
                square.row_mut(i)[j] = (i * n + j) as f64;
            }
        }
        square
    }

    #[test]
    fn the_mirror_of_a_lower_half_is_symmetric() {
        for n in [0, 1, 31, 33, 64, 65, 130, 200] {
            let mut square = lower(n);
            square.mirror();
            for i in 0..n {
                for j in 0..n {
                    assert_eq!(square.row(i)[j], (i.max(j) * n + i.min(j)) as f64, "{n}: {i} {j}");
                }
            }
        }
    }

    #[test]
    fn the_product_is_the_sum_written_out() {
        for n in [1, 5, 97] {
            let mut square = lower(n);
            square.mirror();
            let diagonal = square.diagonal();
            let v: Vec<Lanes> =
                (0..n).map(|i| std::array::from_fn(|lane| ((i + lane) as f64).sin())).collect();
            let sum = |i: usize, lane: usize| -> f64 {
                square.row(i).iter().zip(&v).map(|(a, b)| a * b[lane]).sum()
            };
            let expected: Vec<Lanes> = (0..n).map(|i| std::array::from_fn(|lane| sum(i, lane))).collect();
            let first: Vec<f64> = v.iter().map(|lanes| lanes[0]).collect();
            for (found, expected) in square.product(&first).iter().zip(&expected) {
                assert!((found - expected[0]).abs() <= 1e-12 * (n * n * n) as f64, "{found} {expected:?}");
            }
            // What stands below the diagonal is not looked at.
            (0..n).for_each(|i| square.row_mut(i)[..=i].fill(f64::NAN));
            for (found, expected) in square.product_of_upper(&diagonal, &v).iter().zip(expected) {
                for (found, expected) in found.iter().zip(expected) {
                    assert!((found - expected).abs() <= 1e-12 * (n * n * n) as f64, "{found} {expected}");
                }
            }
        }
    }
}
