//! A symmetric matrix, both halves in one buffer.

use rayon::prelude::*;

use crate::simd::huge_zeros;

/// Rows and columns that are transposed together: a tile of this size stays in the second-level cache, and what it reads of a row is
/// long enough for memory to be read ahead. (5,574 rows, tiles of 32, 64, 128: 16, 13, 15 ms; of 32 without blocks: 43 ms.)
const TILE: usize = 64;

/// Rows and columns of a block that is read before it is written: a line of the cache is 8 numbers of 8 bytes.
const LINE: usize = 8;

/// n × n values, row after row. The system provides memory only as it is written.
pub(crate) struct Square {
    n: usize,
    values: Vec<f64>,
}

impl Square {
    /// An n × n matrix of zeros.
    pub(crate) fn zeros(n: usize) -> Self {
        Self { n, values: huge_zeros(n * n) }
    }

    /// The number of rows, which is that of columns.
    pub(crate) fn n(&self) -> usize {
        self.n
    }

    /// All values, row after row.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// Mutable access to all values, row after row.
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Row i.
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    /// Mutable access to row i.
    #[cfg(test)]
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.n..(i + 1) * self.n]
    }

    /// Adds `values(i)` to the i-th entry of the diagonal.
    pub(crate) fn add_diagonal(&mut self, values: impl Fn(usize) -> f64) {
        (0..self.n).for_each(|i| self.values[i * self.n + i] += values(i));
    }

    /// The product with a vector; both halves must be filled.
    pub(crate) fn product(&self, v: &[f64]) -> Vec<f64> {
        (0..self.n).into_par_iter().map(|i| dot(self.row(i), v)).collect()
    }

    /// Replaces every value by `change(i, j, value)`.
    pub(crate) fn map(&mut self, change: impl Fn(usize, usize, f64) -> f64 + Sync) {
        let n = self.n.max(1);
        self.values.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
            row.iter_mut().enumerate().for_each(|(j, value)| *value = change(i, j, *value));
        });
    }

    /// Multiplies row and column i by `factors[i]`.
    pub(crate) fn scale(&mut self, factors: &[f64]) {
        if factors.iter().any(|&factor| factor != 1.0) {
            self.map(|i, j, value| value * (factors[i] * factors[j]));
        }
    }

    /// Copies the lower half to the upper half.
    pub(crate) fn mirror(&mut self) {
        mirror(&mut self.values, self.n);
    }
}

/// Copies the lower half of a matrix of n × n values, row after row, to the upper half.
pub(crate) fn mirror<T: Copy + Default + Send + Sync>(values: &mut [T], n: usize) {
    mirror_from(values, n, 0);
}

/// Copies the lower half of the diagonal block that begins at row and column `first` to its upper half; `rows` are the
/// whole rows of the block, n values each.
fn mirror_from<T: Copy + Default + Send + Sync>(rows: &mut [T], n: usize, first: usize) {
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
        for j in (0..count - half).step_by(LINE) {
            let width = LINE.min(count - half - j);
            for (block, upper) in upper.chunks_mut(LINE * n).enumerate() {
                let i = first + tile * TILE + block * LINE;
                let mut values = [[T::default(); LINE]; LINE];
                for (row, values) in source[j * n..].chunks(n).zip(&mut values).take(width) {
                    values.copy_from_slice(&row[i..i + LINE]);
                }
                for (i, row) in upper.chunks_mut(n).enumerate() {
                    let entries = &mut row[first + half + j..][..width];
                    entries.iter_mut().zip(&values).for_each(|(entry, values)| *entry = values[i]);
                }
            }
        }
    });
    rayon::join(|| mirror_from(upper, n, first), || mirror_from(lower, n, first + half));
}

/// The inner product aᵀb, in eight partial sums that can be added at once.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
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
            let v: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
            for (i, found) in square.product(&v).iter().enumerate() {
                let expected: f64 = square.row(i).iter().zip(&v).map(|(a, b)| a * b).sum();
                assert!((found - expected).abs() <= 1e-12 * (n * n * n) as f64, "{found} {expected}");
            }
        }
    }
}
