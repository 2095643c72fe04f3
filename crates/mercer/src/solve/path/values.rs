//! All kernel values of some points, in single precision, and in double precision where that is asked for.

use crate::simd::{Aligned, LANES, accumulate, accumulate_f64};

/// Rows and columns of a block that is copied to the other side of the diagonal at once: its lines stay in the fastest cache.
const BLOCK: usize = 32;
/// Cycles of an entry of a gradient, for each variable that moved.
const CYCLES: f64 = 0.25;

/// The cycles of bringing a gradient of `points` entries up to date.
pub(super) fn work(moved: usize, points: usize) -> f64 {
    CYCLES * moved as f64 * points as f64
}

/// A symmetric matrix of kernel values: rows in single precision padded to a whole number of lanes.
///
/// Memory: 4n² bytes, 12n² with double precision.
pub(crate) struct Values {
    rows: Aligned<f32>,
    stride: usize,
    single_diagonal: Aligned<f32>,
    diagonal: Vec<f64>,
    /// Row after row; empty where it is not held.
    double: Vec<f64>,
}

impl Values {
    /// The matrix of as many points as the diagonal has. `fill(first, rows)` writes rows from `first` on, each up to its diagonal.
    pub(crate) fn new(diagonal: &[f64], fill: impl FnOnce(usize, &mut [&mut [f32]])) -> Self {
        let mut values = Self::zeros(diagonal.to_vec());
        let (n, stride) = (values.len(), values.stride);
        let mut parts: Vec<&mut [f32]> =
            values.rows.chunks_exact_mut(stride.max(1)).enumerate().map(|(i, row)| &mut row[..=i]).collect();
        fill(0, &mut parts);
        for block in (0..n).step_by(BLOCK) {
            for other in (0..=block).step_by(BLOCK) {
                for i in block..n.min(block + BLOCK) {
                    for j in other..i.min(other + BLOCK) {
                        values.rows[j * stride + i] = values.rows[i * stride + j];
                    }
                }
            }
        }
        // The computed distance of a point to itself is a rounding error.
        (0..n).for_each(|i| values.rows[i * stride + i] = diagonal[i] as f32);
        values
    }

    /// The matrix whose rows in double precision are given, one after the other.
    pub(crate) fn double(diagonal: &[f64], double: Vec<f64>) -> Self {
        let mut values = Self::zeros(diagonal.to_vec());
        let n = values.len();
        for (row, exact) in values.rows.chunks_exact_mut(values.stride.max(1)).zip(double.chunks(n.max(1))) {
            row.iter_mut().zip(exact).for_each(|(value, &exact)| *value = exact as f32);
        }
        values.double = double;
        values
    }

    fn zeros(diagonal: Vec<f64>) -> Self {
        let n = diagonal.len();
        let stride = n.next_multiple_of(LANES);
        let mut single_diagonal = Aligned::zeros(stride);
        single_diagonal.iter_mut().zip(&diagonal).for_each(|(single, &value)| *single = value as f32);
        Self { rows: Aligned::huge_zeros(n * stride), stride, single_diagonal, diagonal, double: Vec::new() }
    }

    /// The matrix of some of the points.
    pub(crate) fn part(&self, index: &[usize]) -> Self {
        let mut part = self.copied(index, None);
        if !self.double.is_empty() {
            let n = self.len();
            let row = |&i: &usize| index.iter().map(move |&j| self.double[i * n + j]);
            part.double = index.iter().flat_map(row).collect();
        }
        part
    }

    /// The matrix of some of the points in single precision, in the memory of `old` where it is large enough.
    pub(super) fn copied(&self, index: &[usize], old: Option<Self>) -> Self {
        let (q, stride) = (index.len(), index.len().next_multiple_of(LANES));
        let mut part = match old {
            Some(old) if old.rows.len() >= q * stride && old.single_diagonal.len() >= stride => old,
            _ => Self {
                rows: Aligned::zeros(q * stride),
                stride,
                single_diagonal: Aligned::zeros(stride),
                diagonal: Vec::new(),
                double: Vec::new(),
            },
        };
        part.stride = stride;
        part.diagonal.clear();
        part.diagonal.extend(index.iter().map(|&i| self.diagonal[i]));
        for (k, &i) in index.iter().enumerate() {
            let (row, out) = (self.row(i), &mut part.rows[k * stride..(k + 1) * stride]);
            out.iter_mut().zip(index).for_each(|(value, &j)| *value = row[j]);
            out[q..].fill(0.0);
            part.single_diagonal[k] = self.single_diagonal[i];
        }
        part
    }

    /// The values of all points and those at `columns`, as exact as they are held.
    pub(crate) fn block(&self, columns: &[usize]) -> Block {
        let n = self.len();
        if self.double.is_empty() {
            let row = |i: usize| columns.iter().map(move |&j| self.rows[i * self.stride + j]);
            Block { columns: columns.len(), single: (0..n).flat_map(row).collect(), double: Vec::new() }
        } else {
            let row = |i: usize| columns.iter().map(move |&j| self.double[i * n + j]);
            Block { columns: columns.len(), single: Vec::new(), double: (0..n).flat_map(row).collect() }
        }
    }

    /// Row `i` in single precision, with its padding.
    pub(crate) fn row(&self, i: usize) -> &[f32] {
        &self.rows[i * self.stride..(i + 1) * self.stride]
    }

    /// k(x, x) of all points in single precision, with their padding.
    pub(super) fn diagonals(&self) -> &[f32] {
        &self.single_diagonal[..self.stride]
    }

    /// k(x, x) of point `i`.
    pub(crate) fn diagonal(&self, i: usize) -> f64 {
        self.diagonal[i]
    }

    /// The number of points.
    pub(crate) fn len(&self) -> usize {
        self.diagonal.len()
    }

    /// Whether all values are finite.
    pub(crate) fn is_finite(&self) -> bool {
        (0..self.len()).all(|i| self.row(i).iter().all(|value| value.is_finite()))
    }

    /// The values of point `i` and those at `index`, as exact as they are held.
    pub(super) fn pick(&self, i: usize, index: &[usize], out: &mut [f64]) {
        if self.double.is_empty() {
            let row = self.row(i);
            out.iter_mut().zip(index).for_each(|(value, &j)| *value = f64::from(row[j]));
        } else {
            let row = &self.double[i * self.len()..(i + 1) * self.len()];
            out.iter_mut().zip(index).for_each(|(value, &j)| *value = row[j]);
        }
    }

    /// `sums[j] += Σ weight · k(i, j)` over pairs (i, weight), as exact as values are held.
    pub(crate) fn accumulate(&self, moved: &[(usize, f64)], sums: &mut [f64]) {
        let n = self.len();
        let weights: Vec<f64> = moved.iter().map(|&(_, weight)| weight).collect();
        if self.double.is_empty() {
            let rows: Vec<&[f32]> = moved.iter().map(|&(i, _)| &self.row(i)[..n]).collect();
            accumulate(sums, &rows, &weights);
        } else {
            let rows: Vec<&[f64]> = moved.iter().map(|&(i, _)| &self.double[i * n..(i + 1) * n]).collect();
            accumulate_f64(sums, &rows, &weights);
        }
    }
}

/// Some columns of all rows, side by side.
pub(crate) struct Block {
    columns: usize,
    single: Vec<f32>,
    double: Vec<f64>,
}

impl Block {
    /// Σ weight · k(i, j) over pairs (i, weight), for each column j.
    pub(crate) fn sums(&self, weights: &[(usize, f64)]) -> Vec<f64> {
        let mut sums = vec![0.0; self.columns];
        let place = |&(i, _): &(usize, f64)| i * self.columns..(i + 1) * self.columns;
        let numbers: Vec<f64> = weights.iter().map(|&(_, weight)| weight).collect();
        if self.double.is_empty() {
            let rows: Vec<&[f32]> = weights.iter().map(|pair| &self.single[place(pair)]).collect();
            accumulate(&mut sums, &rows, &numbers);
        } else {
            let rows: Vec<&[f64]> = weights.iter().map(|pair| &self.double[place(pair)]).collect();
            accumulate_f64(&mut sums, &rows, &numbers);
        }
        sums
    }
}
