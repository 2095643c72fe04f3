//! A = LLᵀ in place.
//!
//! Block columns of 256, right-looking: the block on the diagonal is factorised by one thread, the rows below it are solved
//! against it, and what stands to the right of them is updated by the product of packed panels that Gram matrices are made
//! by. n³/3 multiplications, nearly all of them in that product. The upper half keeps A, so that a residual costs one product
//! with a vector and no second matrix.

use std::ops::{ControlFlow, Range};

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, MatMut, Par};
use rayon::prelude::*;

use super::square::by_eights;
use super::{Square, Tick};
use crate::simd::{LANES_ROWS, Lanes, PANEL, STRIP, dots_f64, lanes_add, lanes_dot};

/// Columns that are eliminated at once.
const BLOCK: usize = 4 * PANEL;

/// Rows that one thread updates at a time: with their panel they stay in the second-level cache.
const ROWS: usize = 16 * STRIP;

/// Why there is no factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The pivot at this place is not positive.
    NotDefinite(usize),
    /// The caller wanted to stop.
    Interrupted,
}

/// A matrix and its factor: L below and on the diagonal, A above it.
pub(crate) struct Cholesky {
    matrix: Square,
    /// The diagonal of A.
    diagonal: Vec<f64>,
}

impl Cholesky {
    /// Of a matrix of which both halves are given.
    ///
    /// # Errors
    /// If it is not positive definite, or `tick` breaks.
    pub(crate) fn new(mut matrix: Square, tick: Tick<'_>) -> Result<Self, Broken> {
        let (n, diagonal) = (matrix.n(), matrix.diagonal());
        let mut panels = Vec::new();
        for first in (0..n).step_by(BLOCK) {
            let end = n.min(first + BLOCK);
            let (above, below) = matrix.values_mut().split_at_mut(end * n);
            let corner = corner(&mut above[first * n..], n, first..end)?;
            below.par_chunks_mut(ROWS * n).for_each(|rows| solve_rows(rows, n, first, &corner));
            pack(below, n, first..end, &mut panels);
            let update = |(chunk, rows): (usize, &mut [f64])| {
                update(rows, n, first..end, chunk * ROWS, &panels);
            };
            below.par_chunks_mut(ROWS * n).enumerate().for_each(update);
            let left = (n - end) as f64 / n as f64;
            if tick(1.0 - left * left * left) == ControlFlow::Break(()) {
                return Err(Broken::Interrupted);
            }
        }
        Ok(Self { matrix, diagonal })
    }

    /// Solves Ax = right in place of each of `right`. A vector comes out the same alone and in company.
    pub(crate) fn solve(&self, right: &mut [Vec<f64>]) {
        by_eights(right, |x| {
            let groups = (0..x.len()).step_by(LANES_ROWS);
            groups.clone().for_each(|first| self.forward(x, first));
            groups.rev().for_each(|first| self.backward(x, first));
        });
    }

    /// A group of rows, and the last of them over again where there are too few.
    fn group(&self, first: usize) -> (usize, [&[f64]; LANES_ROWS]) {
        let end = self.matrix.n().min(first + LANES_ROWS);
        (end, std::array::from_fn(|r| self.matrix.row((first + r).min(end - 1))))
    }

    /// The entries of L⁻¹x from `first` on, a group of rows.
    fn forward(&self, x: &mut [Lanes], first: usize) {
        let (end, rows) = self.group(first);
        let sums = lanes_dot(rows, &x[..first]);
        for i in first..end {
            let row = rows[i - first];
            (0..8).for_each(|lane| x[i][lane] -= sums[i - first][lane]);
            for j in first..i {
                (0..8).for_each(|lane| x[i][lane] -= row[j] * x[j][lane]);
            }
            (0..8).for_each(|lane| x[i][lane] /= row[i]);
        }
    }

    /// The entries of L⁻ᵀx from `first` on, a group of rows, and what they take from those before.
    fn backward(&self, x: &mut [Lanes], first: usize) {
        let (end, rows) = self.group(first);
        let (before, own) = x.split_at_mut(first);
        for i in (first..end).rev() {
            let row = rows[i - first];
            (0..8).for_each(|lane| own[i - first][lane] /= row[i]);
            for j in first..i {
                (0..8).for_each(|lane| own[j - first][lane] -= row[j] * own[i - first][lane]);
            }
        }
        let factors = std::array::from_fn(|r| if first + r < end { own[r].map(|v| -v) } else { [0.0; 8] });
        lanes_add(before, &factors, rows);
    }

    /// Av in place of each v.
    pub(crate) fn product(&self, vectors: &mut [Vec<f64>]) {
        by_eights(vectors, |x| *x = self.matrix.product_of_upper(&self.diagonal, x));
    }

    /// The diagonal of A⁻¹: (A⁻¹)ᵢᵢ = ‖L⁻¹eᵢ‖². Another n³/3 multiplications, in place of the factor.
    ///
    /// # Errors
    /// If `tick` breaks.
    pub(crate) fn inverse_diagonal(mut self, tick: Tick<'_>) -> Result<Vec<f64>, Broken> {
        let n = self.matrix.n();
        let mut sums = vec![0.0; n];
        // Blocks of rows of L⁻¹ from the first to the last: X_i = L_ii⁻¹ (E_i − Σ_{j<i} L_ij X_j).
        for first in (0..n).step_by(BLOCK) {
            let end = n.min(first + BLOCK);
            inverse_rows(&mut self.matrix, first..end);
            for i in first..end {
                let row = self.matrix.row(i);
                sums[..=i].par_chunks_mut(1024).enumerate().for_each(|(chunk, sums)| {
                    let row = &row[chunk * 1024..];
                    sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
                });
            }
            let done = end as f64 / n as f64;
            if tick(done * done * done) == ControlFlow::Break(()) {
                return Err(Broken::Interrupted);
            }
        }
        Ok(sums)
    }
}

/// Factorises the block on the diagonal, of which `rows` are the rows; gives it as a matrix of its own.
fn corner(rows: &mut [f64], n: usize, block: Range<usize>) -> Result<Mat<f64>, Broken> {
    let (first, width) = (block.start, block.len());
    let mut corner = Mat::from_fn(width, width, |i, j| if j <= i { rows[i * n + first + j] } else { 0.0 });
    let parameters = faer::prelude::default();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(width, Par::Seq, parameters));
    let regularization = faer::prelude::default();
    let stack = MemStack::new(&mut memory);
    cholesky_in_place(corner.as_mut(), regularization, Par::Seq, stack, parameters).map_err(|error| {
        let LltError::NonPositivePivot { index } = error;
        Broken::NotDefinite(first + index)
    })?;
    for i in 0..width {
        for j in 0..=i {
            rows[i * n + first + j] = corner[(i, j)];
        }
    }
    Ok(corner)
}

/// The rows of L below a block on the diagonal: LᵢL_ccᵀ = Aᵢ.
fn solve_rows(rows: &mut [f64], n: usize, first: usize, corner: &Mat<f64>) {
    let count = rows.len() / n;
    // A row is a column of the transpose.
    let transposed = MatMut::from_column_major_slice_with_stride_mut(
        &mut rows[first..(count - 1) * n + first + corner.nrows()],
        corner.nrows(),
        count,
        n,
    );
    solve_lower_triangular_in_place(corner.as_ref(), transposed, Par::Seq);
}

/// Panels of 64 rows, column after column; the last is filled up with zeros.
fn pack(rows: &[f64], n: usize, columns: Range<usize>, panels: &mut Vec<f64>) {
    let (count, width) = (rows.len() / n, columns.len());
    panels.clear();
    panels.resize(count.div_ceil(PANEL) * PANEL * width, 0.0);
    panels.par_chunks_mut(PANEL * width).zip(rows.par_chunks(PANEL * n)).for_each(|(panel, rows)| {
        for (r, row) in rows.chunks(n).enumerate() {
            for (k, &value) in row[columns.clone()].iter().enumerate() {
                panel[k * PANEL + r] = value;
            }
        }
    });
}

/// Strips of 6 rows, column after column; the last is filled up with zeros.
fn pack_strips(rows: &[f64], n: usize, columns: Range<usize>) -> Vec<f64> {
    let (count, width) = (rows.len() / n, columns.len());
    let mut strips = vec![0.0; count.div_ceil(STRIP) * STRIP * width];
    for (strip, rows) in strips.chunks_mut(STRIP * width).zip(rows.chunks(STRIP * n)) {
        for (r, row) in rows.chunks(n).enumerate() {
            for (k, &value) in row[columns.clone()].iter().enumerate() {
                strip[k * STRIP + r] = value;
            }
        }
    }
    strips
}

/// Aᵢⱼ −= LᵢLⱼᵀ for the rows i that are `offset` and more below the block, and for j ≤ i.
fn update(rows: &mut [f64], n: usize, block: Range<usize>, offset: usize, panels: &[f64]) {
    let (end, depth) = (block.end, block.len());
    let strips = pack_strips(rows, n, block);
    let last = offset + rows.len() / n;
    let mut tile = [0.0; STRIP * PANEL];
    for (p, panel) in panels.chunks(PANEL * depth).enumerate().take(last.div_ceil(PANEL)) {
        let strips = strips.chunks(STRIP * depth).zip(rows.chunks_mut(STRIP * n)).enumerate();
        for (s, (strip, rows)) in strips {
            let below = offset + s * STRIP;
            if p * PANEL >= below + STRIP {
                continue;
            }
            dots_f64(depth, strip, panel, &mut tile);
            for (r, (row, values)) in rows.chunks_mut(n).zip(tile.chunks(PANEL)).enumerate() {
                let wanted = (below + r + 1).saturating_sub(p * PANEL).min(PANEL);
                let row = &mut row[end + p * PANEL..end + p * PANEL + wanted];
                row.iter_mut().zip(values).for_each(|(a, value)| *a -= value);
            }
        }
    }
}

/// The rows `block` of L⁻¹ in place of those of L, where the rows before are those of L⁻¹ already:
/// X = L_cc⁻¹(E − Σⱼ LⱼXⱼ).
fn inverse_rows(matrix: &mut Square, block: Range<usize>) {
    let n = matrix.n();
    let (first, width) = (block.start, block.len());
    let (before, rows) = matrix.values_mut().split_at_mut(first * n);
    let rows = &mut rows[..width * n];
    let corner = Mat::from_fn(width, width, |i, j| if j <= i { rows[i * n + first + j] } else { 0.0 });
    let strips: Vec<Vec<f64>> = (0..first)
        .into_par_iter()
        .step_by(BLOCK)
        .map(|column| pack_strips(rows, n, column..column + BLOCK))
        .collect();
    let solved: Vec<Mat<f64>> = (0..first + width)
        .into_par_iter()
        .step_by(PANEL)
        .map(|column| {
            let columns = PANEL.min(first + width - column);
            let mut sums = vec![0.0; width.next_multiple_of(STRIP) * PANEL];
            // X is zero above its diagonal: only blocks from the one of this panel on count.
            for (strips, from) in strips.iter().zip((0..first).step_by(BLOCK)).skip(column / BLOCK) {
                add_product(&before[from * n..(from + BLOCK) * n], n, from, column, strips, &mut sums);
            }
            let identity = |i: usize, j: usize| if first + i == column + j { 1.0 } else { 0.0 };
            let mut x = Mat::from_fn(width, columns, |i, j| identity(i, j) - sums[i * PANEL + j]);
            solve_lower_triangular_in_place(corner.as_ref(), x.as_mut(), Par::Seq);
            x
        })
        .collect();
    rows.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
        for (panel, x) in solved.iter().enumerate() {
            for j in (0..x.ncols()).filter(|j| panel * PANEL + j <= first + i) {
                row[panel * PANEL + j] = x[(i, j)];
            }
        }
    });
}

/// sums += strips · (64 columns from `column` on of the lower half of the rows from `from` on).
fn add_product(rows: &[f64], n: usize, from: usize, column: usize, strips: &[f64], sums: &mut [f64]) {
    let depth = rows.len() / n;
    let mut panel = vec![0.0; depth * PANEL];
    for (k, (target, row)) in panel.chunks_mut(PANEL).zip(rows.chunks(n)).enumerate() {
        // Above the diagonal stands something else.
        let below = (from + k + 1).saturating_sub(column).min(PANEL);
        target[..below].copy_from_slice(&row[column..column + below]);
    }
    let mut tile = [0.0; STRIP * PANEL];
    for (strip, sums) in strips.chunks(STRIP * depth).zip(sums.chunks_mut(STRIP * PANEL)) {
        dots_f64(depth, strip, &panel, &mut tile);
        sums.iter_mut().zip(&tile).for_each(|(sum, value)| *sum += value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A definite matrix whose eigenvalues fall off as those of a Gaussian kernel do, but for the ridge.
    fn matrix(n: usize, ridge: f64) -> Square {
        let mut square = Square::zeros(n);
        for i in 0..n {
            for j in 0..n {
                let distance = ((i * 7 % n) as f64 - (j * 7 % n) as f64) / 10.0;
                square.row_mut(i)[j] = (-distance * distance).exp() + if i == j { ridge } else { 0.0 };
            }
        }
        square
    }

    fn go_on(_: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    const SIZES: [usize; 7] = [1, 6, 63, 64, 256, 257, 601];

    #[test]
    fn a_solution_satisfies_the_system_and_the_upper_half_stays() {
        for n in SIZES {
            let a = matrix(n, 1e-3);
            let factor = Cholesky::new(matrix(n, 1e-3), &mut go_on).unwrap();
            let right: Vec<f64> = (0..n).map(|i| (i as f64 * 0.3).sin()).collect();
            let mut x = [right.clone()];
            factor.solve(&mut x);
            for i in 0..n {
                let sum: f64 = a.row(i).iter().zip(&x[0]).map(|(a, x)| a * x).sum();
                assert!((sum - right[i]).abs() < 1e-11, "{n}: {sum} {}", right[i]);
                assert_eq!(factor.matrix.row(i)[i + 1..], a.row(i)[i + 1..]);
            }
            factor.product(&mut x);
            assert!(x[0].iter().zip(&right).all(|(found, right)| (found - right).abs() < 1e-11));
        }
    }

    #[test]
    fn the_diagonal_of_the_inverse_is_that_of_the_solutions() {
        for n in SIZES {
            let factor = Cholesky::new(matrix(n, 1e-2), &mut go_on).unwrap();
            let mut columns: Vec<Vec<f64>> =
                (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
            factor.solve(&mut columns);
            let diagonal = factor.inverse_diagonal(&mut go_on).unwrap();
            for i in 0..n {
                let expected = columns[i][i];
                assert!((diagonal[i] - expected).abs() < 1e-9 * expected, "{n}: {} {expected}", diagonal[i]);
            }
        }
    }

    #[test]
    fn the_bits_do_not_depend_on_the_number_of_threads() {
        let bits = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let factor = Cholesky::new(matrix(700, 1e-3), &mut go_on).unwrap();
                let mut product = [factor.diagonal.clone()];
                factor.product(&mut product);
                let values = factor.matrix.values().to_vec();
                (values, product, factor.inverse_diagonal(&mut go_on).unwrap())
            })
        };
        let one = bits(1);
        assert!(one == bits(2) && one == bits(5));
    }

    #[test]
    fn a_matrix_that_is_not_definite_names_its_pivot() {
        let mut square = matrix(300, 1e-3);
        square.row_mut(280)[280] = -1.0;
        assert_eq!(Cholesky::new(square, &mut go_on).err(), Some(Broken::NotDefinite(280)));
    }

    #[test]
    fn a_caller_can_stop() {
        let stop = Cholesky::new(matrix(300, 1e-3), &mut |_| ControlFlow::Break(()));
        assert_eq!(stop.err(), Some(Broken::Interrupted));
    }
}
