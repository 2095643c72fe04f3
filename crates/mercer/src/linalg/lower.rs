//! Half of a symmetric matrix: the values on and below the diagonal.

use faer::traits::RealField;
use rayon::prelude::*;

use super::Square;
use crate::simd::{
    LANES_ROWS as ROWS, Lanes, dots_f32, dots_f64, huge_zeros, lanes_add, lanes_add_f32, lanes_dot,
    lanes_dot_f32,
};

/// Rows begin at multiples of this number of values, so that each begins a cache line.
const ALIGNED: usize = 16;

/// Pieces of a product with a vector: a fixed number, so that sums do not depend on the number of threads.
const PIECES: usize = 16;

/// The type of the values, `f64` or `f32`, and the vectorised operations on them.
pub(crate) trait Entry: RealField + Copy + Default + Send + Sync {
    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
    /// The value in double precision, exactly.
    fn to_f64(self) -> f64;
    /// The product of a packed strip and a packed panel.
    fn dots(depth: usize, strip: &[Self], panel: &[Self], out: &mut [Self]);
    /// Products of rows with eight interleaved vectors.
    fn lanes_dot(rows: [&[Self]; ROWS], x: &[Lanes]) -> [Lanes; ROWS];
    /// Adds multiples of rows to eight interleaved vectors.
    fn lanes_add(x: &mut [Lanes], factors: &[Lanes; ROWS], rows: [&[Self]; ROWS]);
}

macro_rules! entry {
    ($type:ty: $dots:ident, $lanes_dot:ident, $lanes_add:ident) => {
        impl Entry for $type {
            fn from_f64(value: f64) -> Self {
                value as Self
            }
            fn to_f64(self) -> f64 {
                self.into()
            }
            fn dots(depth: usize, strip: &[Self], panel: &[Self], out: &mut [Self]) {
                $dots(depth, strip, panel, out);
            }
            fn lanes_dot(rows: [&[Self]; ROWS], x: &[Lanes]) -> [Lanes; ROWS] {
                $lanes_dot(rows, x)
            }
            fn lanes_add(x: &mut [Lanes], factors: &[Lanes; ROWS], rows: [&[Self]; ROWS]) {
                $lanes_add(x, factors, rows);
            }
        }
    };
}
entry!(f64: dots_f64, lanes_dot, lanes_add);
entry!(f32: dots_f32, lanes_dot_f32, lanes_add_f32);

/// The lower half of a symmetric matrix: row i has the values of columns 0 to i. The system provides memory only as it
/// is written.
#[derive(Clone)]
pub(crate) struct Lower<T = f64> {
    n: usize,
    values: Vec<T>,
}

impl<T: Entry> Lower<T> {
    /// An n × n matrix of zeros.
    pub(crate) fn zeros(n: usize) -> Self {
        Self { n, values: huge_zeros(start(n)) }
    }

    /// The number of rows.
    pub(crate) fn n(&self) -> usize {
        self.n
    }

    /// Bytes that a matrix of n rows takes.
    pub(crate) fn bytes(n: usize) -> u64 {
        start(n) as u64 * size_of::<T>() as u64
    }

    /// Row i up to the diagonal.
    pub(crate) fn row(&self, i: usize) -> &[T] {
        &self.values[start(i)..start(i) + i + 1]
    }

    /// Mutable access to row i up to the diagonal.
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.values[start(i)..start(i) + i + 1]
    }

    /// Mutable access to all rows.
    pub(crate) fn rows_mut(&mut self) -> Vec<&mut [T]> {
        let mut rest = self.values.as_mut_slice();
        let mut rows = Vec::with_capacity(self.n);
        for i in 0..self.n {
            let (row, after) = rest.split_at_mut(start(i + 1) - start(i));
            rows.push(&mut row[..i + 1]);
            rest = after;
        }
        rows
    }

    /// The entries of the diagonal.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        (0..self.n).map(|i| self.row(i)[i].to_f64()).collect()
    }

    /// The group of rows that begins at `first`, and where it ends. A group that is not full repeats its last row.
    pub(super) fn group(&self, first: usize) -> (usize, [&[T]; ROWS]) {
        let end = self.n.min(first + ROWS);
        (end, std::array::from_fn(|r| self.row((first + r).min(end - 1))))
    }

    /// Replaces each v by Av, with the whole symmetric matrix A.
    pub(crate) fn product(&self, vectors: &mut [Vec<f64>]) {
        by_eights(vectors, |x| *x = self.lanes_product(x));
    }

    fn lanes_product(&self, v: &[Lanes]) -> Vec<Lanes> {
        let pieces: Vec<Vec<Lanes>> = (0..PIECES).into_par_iter().map(|piece| self.piece(piece, v)).collect();
        let mut product = vec![[0.0; 8]; self.n];
        for sums in pieces {
            for (total, sum) in product.iter_mut().zip(sums) {
                (0..8).for_each(|lane| total[lane] += sum[lane]);
            }
        }
        product
    }

    /// The contribution of one piece of the rows to Av.
    fn piece(&self, piece: usize, v: &[Lanes]) -> Vec<Lanes> {
        // The first i rows hold a share of about (i/n)² of all values.
        let border = |piece: usize| {
            let rows = self.n as f64 * (piece as f64 / PIECES as f64).sqrt();
            if piece == PIECES { self.n } else { (rows.round() as usize / ROWS * ROWS).min(self.n) }
        };
        let mut sums = vec![[0.0; 8]; border(piece + 1)];
        for first in (border(piece)..border(piece + 1)).step_by(ROWS) {
            let (end, rows) = self.group(first);
            let dots = T::lanes_dot(rows, &v[..first]);
            for i in first..end {
                (0..8).for_each(|lane| sums[i][lane] += dots[i - first][lane]);
                for j in first..=i {
                    let value = rows[i - first][j].to_f64();
                    (0..8).for_each(|lane| sums[i][lane] += value * v[j][lane]);
                    if j < i {
                        (0..8).for_each(|lane| sums[j][lane] += value * v[i][lane]);
                    }
                }
            }
            let factors = std::array::from_fn(|r| if first + r < end { v[first + r] } else { [0.0; 8] });
            T::lanes_add(&mut sums[..first], &factors, rows);
        }
        sums
    }
}

impl Lower<f64> {
    /// Adds `values(i)` to the i-th entry of the diagonal.
    pub(crate) fn add_diagonal(&mut self, values: impl Fn(usize) -> f64) {
        (0..self.n).for_each(|i| self.row_mut(i)[i] += values(i));
    }

    /// A copy, rounded to `T`, with row and column i multiplied by `scale[i]`.
    pub(crate) fn scaled<T: Entry>(&self, scale: &[f64]) -> Lower<T> {
        let mut rounded = Lower::zeros(self.n);
        rounded.rows_mut().into_par_iter().enumerate().for_each(|(i, row)| {
            let values = self.row(i).iter().zip(scale);
            row.iter_mut()
                .zip(values)
                .for_each(|(entry, (value, s))| *entry = T::from_f64(value * s * scale[i]));
        });
        rounded
    }
}

impl From<Square> for Lower<f64> {
    fn from(square: Square) -> Self {
        let mut lower = Self::zeros(square.n());
        for (i, row) in lower.rows_mut().into_iter().enumerate() {
            row.copy_from_slice(&square.row(i)[..=i]);
        }
        lower
    }
}

/// The position at which row i begins: each row k before it takes k + 1 values, rounded up to whole cache lines.
fn start(i: usize) -> usize {
    let (lines, rest) = (i / ALIGNED, i % ALIGNED);
    ALIGNED * (ALIGNED * lines * (lines + 1) / 2 + rest * (lines + 1))
}

/// Interleaves the vectors eight at a time, calls `each` with them, and separates the results again. The bits of a
/// result do not depend on the other vectors.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_each_other_without_overlap() {
        let mut end = 0;
        for i in 0..200 {
            assert!(start(i) >= end && start(i).is_multiple_of(ALIGNED) && start(i) < end + ALIGNED, "{i}");
            end = start(i) + i + 1;
        }
    }

    #[test]
    fn the_product_is_the_sum_written_out() {
        for n in [1, 5, 8, 97, 200] {
            let value = |i: usize, j: usize| ((i.max(j) * 31 + i.min(j) * 17) % 97) as f64 - 40.0;
            let mut lower = Lower::<f64>::zeros(n);
            for (i, row) in lower.rows_mut().into_iter().enumerate() {
                (0..=i).for_each(|j| row[j] = value(i, j));
            }
            let single: Lower<f32> = lower.scaled(&vec![1.0; n]);
            let v: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
            let mut found = [v.clone(), vec![1.0; n]];
            lower.product(&mut found);
            let mut rounded = [v.clone()];
            single.product(&mut rounded);
            for i in 0..n {
                let expected: f64 = (0..n).map(|j| value(i, j) * v[j]).sum();
                assert!(
                    (found[0][i] - expected).abs() <= 1e-12 * n as f64,
                    "{n}: {} {expected}",
                    found[0][i]
                );
                // Whole numbers are exact in single precision too.
                assert_eq!(rounded[0][i], found[0][i]);
                assert_eq!(found[1][i], (0..n).map(|j| value(i, j)).sum::<f64>());
            }
        }
    }
}
