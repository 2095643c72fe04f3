//! Matrices of many rows and few columns, and their products at the speed of a matrix product.

use rayon::prelude::*;

use super::Square;
use crate::simd::{STRIP, TALL, dots_strided, huge_zeros};

/// Columns of a panel.
pub(crate) const WIDTH: usize = TALL;

/// Rows that one thread works on at a time, whatever the number of threads: whole strips.
const PIECE: usize = 160 * STRIP;

/// Rows of a square matrix that one thread multiplies at a time.
const ROWS: usize = 16 * STRIP;

/// Columns of a square matrix that are multiplied at once: this number of rows of a panel stays in the second-level cache.
const DEPTH: usize = 1024;

/// Where the strips of six rows begin that cover the 32 rows of a tile; the last strip overlaps the one before it.
const STRIPS: [usize; 6] = [0, 6, 12, 18, 24, WIDTH - STRIP];

/// A matrix of n rows in panels of 32 columns. Within a panel values lie row after row, filled up with zero rows to whole
/// strips.
#[derive(Clone)]
pub(crate) struct Tall {
    n: usize,
    panels: Vec<Vec<f64>>,
}

impl Tall {
    /// A matrix of zeros with n rows.
    pub(super) fn zeros(n: usize, panels: usize) -> Self {
        Self { n, panels: (0..panels).map(|_| huge_zeros(n.next_multiple_of(STRIP) * WIDTH)).collect() }
    }

    /// The matrix with these entries.
    pub(crate) fn from_fn(n: usize, panels: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut tall = Self::zeros(n, panels);
        for (p, panel) in tall.panels.iter_mut().enumerate() {
            for (i, row) in panel.chunks_mut(WIDTH).take(n).enumerate() {
                row.iter_mut().enumerate().for_each(|(c, value)| *value = entry(i, p * WIDTH + c));
            }
        }
        tall
    }

    /// The matrix of one panel.
    pub(super) fn of_panel(n: usize, panel: Vec<f64>) -> Self {
        Self { n, panels: vec![panel] }
    }

    /// The panels, each a list of its own.
    pub(super) fn into_panels(self) -> Vec<Vec<f64>> {
        self.panels
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.n
    }

    /// The number of columns, a multiple of 32.
    pub(super) fn columns(&self) -> usize {
        self.panels.len() * WIDTH
    }

    /// The panels.
    pub(super) fn panels(&self) -> &[Vec<f64>] {
        &self.panels
    }

    /// Mutable access to the panels.
    pub(super) fn panels_mut(&mut self) -> &mut [Vec<f64>] {
        &mut self.panels
    }

    /// Appends the columns of another matrix at the right.
    pub(super) fn append(&mut self, mut other: Self) {
        self.panels.append(&mut other.panels);
    }

    /// The first `columns` entries of a row.
    pub(crate) fn row(&self, at: usize, columns: usize) -> Vec<f64> {
        (0..columns).map(|c| self.panels[c / WIDTH][at * WIDTH + c % WIDTH]).collect()
    }

    /// The column `at`.
    pub(super) fn column(&self, at: usize) -> Vec<f64> {
        let values = self.panels[at / WIDTH].chunks(WIDTH).take(self.n);
        values.map(|row| row[at % WIDTH]).collect()
    }

    /// The product selfᵀ · panel: a row of 32 sums for each column. Pieces of the rows are added up one after the other.
    pub(super) fn cross(&self, panel: &[f64]) -> Vec<f64> {
        let pieces: Vec<Vec<f64>> = panel
            .par_chunks(PIECE * WIDTH)
            .enumerate()
            .map(|(at, right)| {
                let mut sums = Vec::with_capacity(self.columns() * WIDTH);
                for left in &self.panels {
                    let left = &left[at * PIECE * WIDTH..][..right.len()];
                    sums.extend(tile(left, right));
                }
                sums
            })
            .collect();
        let mut sums = vec![0.0; self.columns() * WIDTH];
        for piece in &pieces {
            sums.iter_mut().zip(piece).for_each(|(sum, value)| *sum += value);
        }
        sums
    }

    /// Adds factor · self · coefficients to `out`, with 32 coefficients for each column.
    pub(super) fn add_product(&self, factor: f64, coefficients: &[f64], out: &mut [f64]) {
        out.par_chunks_mut(PIECE * WIDTH).enumerate().for_each(|(at, out)| {
            let mut sums = [0.0; STRIP * WIDTH];
            for (panel, coefficients) in self.panels.iter().zip(coefficients.chunks(WIDTH * WIDTH)) {
                let rows = &panel[at * PIECE * WIDTH..][..out.len()];
                for (rows, out) in rows.chunks(STRIP * WIDTH).zip(out.chunks_mut(STRIP * WIDTH)) {
                    dots_strided(WIDTH, rows, [WIDTH, 1], coefficients, &mut sums);
                    out.iter_mut().zip(&sums).for_each(|(value, sum)| *value += factor * sum);
                }
            }
        });
    }

    /// The product self · coefficients, with a row of 32 · `panels` coefficients for each column.
    pub(super) fn combined(&self, panels: usize, coefficient: impl Fn(usize, usize) -> f64) -> Self {
        let mut combined = Self::zeros(self.n, panels);
        for (p, out) in combined.panels.iter_mut().enumerate() {
            let coefficients: Vec<f64> = (0..self.columns())
                .flat_map(|i| (0..WIDTH).map(move |c| (i, p * WIDTH + c)))
                .map(|(i, c)| coefficient(i, c))
                .collect();
            self.add_product(1.0, &coefficients, out);
        }
        combined
    }

    /// The product matrix · self. The matrix is read once, whatever the number of panels.
    pub(super) fn multiplied_by(&self, matrix: &Square) -> Self {
        self.multiplied_by_rows(matrix.values())
    }

    /// The product of a matrix with self, for a matrix of any number of rows of n values. The bits of a row of the product
    /// do not depend on the other rows.
    pub(crate) fn multiplied_by_rows(&self, values: &[f64]) -> Self {
        let n = self.n;
        let count = values.len().checked_div(n).unwrap_or(0);
        let mut product = Self::zeros(count, self.panels.len());
        let pieces = count.div_ceil(ROWS);
        let mut outs: Vec<Vec<&mut [f64]>> = (0..pieces).map(|_| Vec::new()).collect();
        for panel in &mut product.panels {
            outs.iter_mut().zip(panel.chunks_mut(ROWS * WIDTH)).for_each(|(outs, rows)| outs.push(rows));
        }
        outs.into_par_iter().enumerate().for_each(|(at, mut outs)| {
            let rows = &values[at * ROWS * n..count.min((at + 1) * ROWS) * n];
            for first in (0..n).step_by(DEPTH) {
                add_block(rows, n, first..n.min(first + DEPTH), &self.panels, &mut outs);
            }
        });
        product
    }

    /// Removes from every column its part along a unit vector.
    pub(super) fn remove(&mut self, unit: &[f64]) {
        for panel in &mut self.panels {
            let shares: Vec<[f64; WIDTH]> = panel
                .par_chunks(PIECE * WIDTH)
                .zip(unit.par_chunks(PIECE))
                .map(|(rows, unit)| {
                    let mut sums = [0.0; WIDTH];
                    for (row, u) in rows.chunks(WIDTH).zip(unit) {
                        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += u * value);
                    }
                    sums
                })
                .collect();
            let mut sums = [0.0; WIDTH];
            for share in shares {
                sums.iter_mut().zip(share).for_each(|(sum, value)| *sum += value);
            }
            for (row, u) in panel.chunks_mut(WIDTH).zip(unit) {
                row.iter_mut().zip(sums).for_each(|(value, sum)| *value -= u * sum);
            }
        }
    }
}

/// The 32 × 32 product leftᵀ · right of two pieces of panels.
fn tile(left: &[f64], right: &[f64]) -> Vec<f64> {
    let mut tile = vec![0.0; WIDTH * WIDTH];
    for first in STRIPS {
        let out = &mut tile[first * WIDTH..(first + STRIP) * WIDTH];
        dots_strided(right.len() / WIDTH, &left[first..], [1, WIDTH], right, out);
    }
    tile
}

/// Adds the products of some columns of `rows` with the corresponding rows of the panels.
fn add_block(
    rows: &[f64],
    n: usize,
    columns: std::ops::Range<usize>,
    panels: &[Vec<f64>],
    outs: &mut [&mut [f64]],
) {
    let mut sums = [0.0; STRIP * WIDTH];
    let mut last = Vec::new();
    for (s, strip) in rows.chunks(STRIP * n).enumerate() {
        // A strip that is not whole is copied and filled up with zeros.
        let whole = strip.len() == STRIP * n;
        if !whole {
            last = strip.chunks(n).flat_map(|row| row[columns.clone()].iter().copied()).collect();
            last.resize(STRIP * columns.len(), 0.0);
        }
        let (strip, step) = if whole { (&strip[columns.start..], n) } else { (&last[..], columns.len()) };
        for (panel, out) in panels.iter().zip(outs.iter_mut()) {
            let panel = &panel[columns.start * WIDTH..columns.end * WIDTH];
            dots_strided(columns.len(), strip, [step, 1], panel, &mut sums);
            let out = &mut out[s * STRIP * WIDTH..(s + 1) * STRIP * WIDTH];
            out.iter_mut().zip(&sums).for_each(|(value, sum)| *value += sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(i: usize, j: usize) -> f64 {
        ((i * 37 + j * 101 + i * j) as f64 * 0.61).sin()
    }

    const SIZES: [usize; 5] = [3, 6, 97, 1000, 2051];

    #[test]
    fn products_are_the_sums_written_out() {
        for n in SIZES {
            let tall = Tall::from_fn(n, 2, value);
            let right = Tall::from_fn(n, 1, |i, j| value(j, i));
            let cross = tall.cross(&right.panels()[0]);
            let mut sum = right.panels()[0].clone();
            tall.add_product(-0.5, &cross, &mut sum);
            for (i, c) in [(0, 0), (5, 31), (26, 7), (31, 30), (32, 1), (63, 31)] {
                let exact: f64 = (0..n).map(|k| value(k, i) * value(c, k)).sum();
                assert!((cross[i * WIDTH + c] - exact).abs() < 1e-12 * n as f64, "{n}: {i} {c}");
            }
            for (row, c) in [(0, 0), (n / 2, 13), (n - 1, 31)] {
                let product: f64 = (0..64).map(|i| value(row, i) * cross[i * WIDTH + c]).sum();
                let exact = value(c, row) - 0.5 * product;
                assert!((sum[row * WIDTH + c] - exact).abs() < 1e-12 * n as f64, "{n}: {row} {c}");
            }
        }
    }

    #[test]
    fn a_square_matrix_is_multiplied_row_by_row() {
        for n in SIZES {
            let mut matrix = Square::zeros(n);
            for i in 0..n {
                matrix.row_mut(i).iter_mut().enumerate().for_each(|(j, x)| *x = value(i.max(j), i.min(j)));
            }
            let tall = Tall::from_fn(n, 3, value);
            let product = tall.multiplied_by(&matrix);
            for c in [0, 31, 32, 70] {
                let (column, found) = (tall.column(c), product.column(c));
                for i in (0..n).step_by(7).chain([n - 1]) {
                    let exact: f64 = matrix.row(i).iter().zip(&column).map(|(a, b)| a * b).sum();
                    assert!((found[i] - exact).abs() < 1e-12 * n as f64, "{n}: {i} {c}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_left_along_a_removed_direction() {
        let n = 1234;
        let unit = vec![1.0 / (n as f64).sqrt(); n];
        let mut tall = Tall::from_fn(n, 1, value);
        let before = tall.column(4);
        tall.remove(&unit);
        let mean = before.iter().sum::<f64>() / n as f64;
        for (found, before) in tall.column(4).iter().zip(before) {
            assert!((found - (before - mean)).abs() < 1e-14);
        }
    }
}
