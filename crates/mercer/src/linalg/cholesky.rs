//! A = LLᵀ in place, in double or single precision.
//!
//! Block columns of 384, right-looking: the block on the diagonal is factorised by one thread, the rows below it are solved
//! against it, and the rest of the matrix is updated by the product of packed panels that also computes Gram matrices.
//! Cost: n³/3 multiplications, nearly all of them in that product.
//!
//! A factor in single precision costs half the time and half the memory. Its solutions are too rough to be used as they
//! are; iterative refinement with them (`solve::ridge`) reaches double precision as long as the condition of A is well
//! below 10⁷.

use std::ops::{ControlFlow, Range};

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, Par};
use rayon::prelude::*;

use super::lower::{Entry, by_eights};
use super::{Lower, Tick, ask_for_matrices};
use crate::simd::{LANES_ROWS, Lanes, PANEL, STRIP};

/// Columns that are eliminated at once: a multiple of the panel's width and of [`ROWS`].
const BLOCK: usize = 6 * PANEL;

/// Rows that one thread updates at a time: with their panel they stay in the second-level cache.
const ROWS: usize = 16 * STRIP;

/// Entries whose squares one thread sums at a time.
const CHUNK: usize = 1024;

/// Why a factorisation has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The matrix is not positive definite: the pivot of this row is not positive.
    NotDefinite(usize),
    /// The caller's callback asked to stop.
    Interrupted,
}

/// The lower triangular factor L of A = LLᵀ.
pub(crate) struct Cholesky<T = f64> {
    lower: Lower<T>,
}

impl<T: Entry> Cholesky<T> {
    /// Factorises a matrix in its own memory.
    ///
    /// # Errors
    /// If the matrix is not positive definite, or `tick` breaks.
    pub(crate) fn new(matrix: impl Into<Lower<T>>, tick: Tick<'_>) -> Result<Self, Broken> {
        let mut lower = matrix.into();
        let n = lower.n();
        let mut rows = lower.rows_mut();
        let mut panels = Vec::new();
        for first in (0..n).step_by(BLOCK) {
            let block = first..n.min(first + BLOCK);
            let (above, below) = rows.split_at_mut(block.end);
            let corner = corner(&mut above[first..], &block)?;
            below.par_chunks_mut(ROWS).for_each(|rows| solve_rows(rows, &block, &corner));
            pack(below, &block, &mut panels);
            let update = |(chunk, rows): (usize, &mut [&mut [T]])| {
                update(rows, &block, chunk * ROWS, &panels);
            };
            below.par_chunks_mut(ROWS).enumerate().for_each(update);
            let left = (n - block.end) as f64 / n as f64;
            if tick(1.0 - left * left * left) == ControlFlow::Break(()) {
                return Err(Broken::Interrupted);
            }
        }
        Ok(Self { lower })
    }

    /// The diagonal of L.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        self.lower.diagonal()
    }

    /// log|A|.
    pub(crate) fn log_determinant(&self) -> f64 {
        2.0 * self.diagonal().iter().map(|value| value.ln()).sum::<f64>()
    }

    /// Replaces each vector b of `right` by the solution of Ax = b. The bits of a solution do not depend on the other
    /// vectors.
    pub(crate) fn solve(&self, right: &mut [Vec<f64>]) {
        by_eights(right, |x| {
            let groups = (0..x.len()).step_by(LANES_ROWS);
            groups.clone().for_each(|first| self.forward(x, first));
            groups.rev().for_each(|first| self.backward(x, first));
        });
    }

    /// Replaces each vector b of `right` by L⁻¹b.
    pub(crate) fn solve_lower(&self, right: &mut [Vec<f64>]) {
        by_eights(right, |x| (0..x.len()).step_by(LANES_ROWS).for_each(|first| self.forward(x, first)));
    }

    /// Replaces each vector b of `right` by L⁻ᵀb.
    pub(crate) fn solve_upper(&self, right: &mut [Vec<f64>]) {
        by_eights(right, |x| {
            (0..x.len()).step_by(LANES_ROWS).rev().for_each(|first| self.backward(x, first))
        });
    }

    /// Forward substitution of one group of rows: the entries of L⁻¹x that begin at `first`.
    fn forward(&self, x: &mut [Lanes], first: usize) {
        let (end, rows) = self.lower.group(first);
        let sums = T::lanes_dot(rows, &x[..first]);
        for i in first..end {
            let row = rows[i - first];
            (0..8).for_each(|lane| x[i][lane] -= sums[i - first][lane]);
            for j in first..i {
                let value = row[j].to_f64();
                (0..8).for_each(|lane| x[i][lane] -= value * x[j][lane]);
            }
            let pivot = row[i].to_f64();
            (0..8).for_each(|lane| x[i][lane] /= pivot);
        }
    }

    /// Backward substitution of one group of rows: the entries of L⁻ᵀx that begin at `first`, and their contribution to
    /// the entries before them.
    fn backward(&self, x: &mut [Lanes], first: usize) {
        let (end, rows) = self.lower.group(first);
        let (before, group) = x.split_at_mut(first);
        for i in (first..end).rev() {
            let row = rows[i - first];
            let pivot = row[i].to_f64();
            (0..8).for_each(|lane| group[i - first][lane] /= pivot);
            for j in first..i {
                let value = row[j].to_f64();
                (0..8).for_each(|lane| group[j - first][lane] -= value * group[i - first][lane]);
            }
        }
        let factors = std::array::from_fn(|r| if first + r < end { group[r].map(|v| -v) } else { [0.0; 8] });
        T::lanes_add(before, &factors, rows);
    }
}

impl Cholesky<f64> {
    /// The diagonal of A⁻¹, by (A⁻¹)ᵢᵢ = ‖L⁻¹eᵢ‖². Costs another n³/3 multiplications and uses the memory of the factor.
    ///
    /// # Errors
    /// If `tick` breaks.
    pub(crate) fn inverse_diagonal(mut self, tick: Tick<'_>) -> Result<Vec<f64>, Broken> {
        let n = self.lower.n();
        let mut rows = self.lower.rows_mut();
        let mut sums = vec![0.0; n];
        for first in (0..n).step_by(BLOCK) {
            let block = first..n.min(first + BLOCK);
            let (before, rows) = rows.split_at_mut(first);
            inverse_rows(before, &mut rows[..block.len()], &block);
            sums[..block.end].par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, sums)| {
                for row in rows[..block.len()].iter() {
                    let row = row.get(chunk * CHUNK..).unwrap_or(&[]);
                    sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
                }
            });
            let done = block.end as f64 / n as f64;
            if tick(done * done * done) == ControlFlow::Break(()) {
                return Err(Broken::Interrupted);
            }
        }
        Ok(sums)
    }
}

/// Factorises the block on the diagonal in place; `rows` are its rows. Returns the factor as a matrix of its own.
fn corner<T: Entry>(rows: &mut [&mut [T]], block: &Range<usize>) -> Result<Mat<T>, Broken> {
    let (first, width) = (block.start, block.len());
    let entry = |i: usize, j: usize| if j <= i { rows[i][first + j] } else { T::default() };
    ask_for_matrices(1, width, width);
    let mut corner = Mat::from_fn(width, width, entry);
    let parameters = faer::prelude::default();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<T>(width, Par::Seq, parameters));
    let stack = MemStack::new(&mut memory);
    let found = cholesky_in_place(corner.as_mut(), faer::prelude::default(), Par::Seq, stack, parameters);
    found.map_err(|LltError::NonPositivePivot { index }| Broken::NotDefinite(first + index))?;
    for (i, row) in rows.iter_mut().enumerate() {
        (0..=i).for_each(|j| row[first + j] = corner[(i, j)]);
    }
    Ok(corner)
}

/// Solves for the rows of L below a block on the diagonal: LᵢL_ccᵀ = Aᵢ.
fn solve_rows<T: Entry>(rows: &mut [&mut [T]], block: &Range<usize>, corner: &Mat<T>) {
    let mut transposed = Mat::from_fn(block.len(), rows.len(), |k, r| rows[r][block.start + k]);
    solve_lower_triangular_in_place(corner.as_ref(), transposed.as_mut(), Par::Seq);
    for (r, row) in rows.iter_mut().enumerate() {
        row[block.clone()].iter_mut().zip(transposed.col(r).iter()).for_each(|(entry, x)| *entry = *x);
    }
}

/// Packs rows into panels of 64, column after column; the last panel is filled up with zeros.
fn pack<T: Entry>(rows: &[&mut [T]], columns: &Range<usize>, panels: &mut Vec<T>) {
    let width = columns.len();
    panels.clear();
    panels.resize(rows.len().div_ceil(PANEL) * PANEL * width, T::default());
    panels.par_chunks_mut(PANEL * width).zip(rows.par_chunks(PANEL)).for_each(|(panel, rows)| {
        for (r, row) in rows.iter().enumerate() {
            for (k, &value) in row[columns.clone()].iter().enumerate() {
                panel[k * PANEL + r] = value;
            }
        }
    });
}

/// Packs rows into strips of 6, column after column; the last strip is filled up with zeros.
fn pack_strips<T: Entry>(rows: &[&mut [T]], columns: &Range<usize>) -> Vec<T> {
    let width = columns.len();
    let mut strips = vec![T::default(); rows.len().div_ceil(STRIP) * STRIP * width];
    for (strip, rows) in strips.chunks_mut(STRIP * width).zip(rows.chunks(STRIP)) {
        for (r, row) in rows.iter().enumerate() {
            for (k, &value) in row[columns.clone()].iter().enumerate() {
                strip[k * STRIP + r] = value;
            }
        }
    }
    strips
}

/// Subtracts LᵢLⱼᵀ from Aᵢⱼ for the rows i that are at least `offset` below the block, and for j ≤ i.
fn update<T: Entry>(rows: &mut [&mut [T]], block: &Range<usize>, offset: usize, panels: &[T]) {
    let (end, depth) = (block.end, block.len());
    let strips = pack_strips(rows, block);
    let last = offset + rows.len();
    let mut tile = [T::default(); STRIP * PANEL];
    for (p, panel) in panels.chunks(PANEL * depth).enumerate().take(last.div_ceil(PANEL)) {
        let from = end + p * PANEL;
        for (s, (strip, rows)) in strips.chunks(STRIP * depth).zip(rows.chunks_mut(STRIP)).enumerate() {
            if p * PANEL >= offset + (s + 1) * STRIP {
                continue;
            }
            T::dots(depth, strip, panel, &mut tile);
            for (row, values) in rows.iter_mut().zip(tile.chunks(PANEL)) {
                // A row ends at the diagonal.
                let row = row.get_mut(from..).unwrap_or(&mut []);
                row.iter_mut().zip(values).for_each(|(a, value)| *a -= *value);
            }
        }
    }
}

/// Replaces the rows `block` of L by those of L⁻¹, once the rows before them are those of L⁻¹: X = L_cc⁻¹(E − Σⱼ LⱼXⱼ).
fn inverse_rows(before: &[&mut [f64]], rows: &mut [&mut [f64]], block: &Range<usize>) {
    let (first, width) = (block.start, block.len());
    let corner = Mat::from_fn(width, width, |i, j| if j <= i { rows[i][first + j] } else { 0.0 });
    let parts = (0..first).into_par_iter().step_by(BLOCK);
    let strips: Vec<Vec<f64>> = parts.map(|from| pack_strips(rows, &(from..from + BLOCK))).collect();
    let solve = |column: usize| {
        let columns = PANEL.min(block.end - column);
        let mut sums = vec![0.0; width.next_multiple_of(STRIP) * PANEL];
        // X is zero above its diagonal: only blocks from the one of this panel on count.
        for (strips, from) in strips.iter().zip((0..first).step_by(BLOCK)).skip(column / BLOCK) {
            add_product(&before[from..from + BLOCK], column, strips, &mut sums);
        }
        let identity = |i: usize, j: usize| if first + i == column + j { 1.0 } else { 0.0 };
        let mut x = Mat::from_fn(width, columns, |i, j| identity(i, j) - sums[i * PANEL + j]);
        solve_lower_triangular_in_place(corner.as_ref(), x.as_mut(), Par::Seq);
        x
    };
    let solved: Vec<Mat<f64>> = (0..block.end).into_par_iter().step_by(PANEL).map(solve).collect();
    rows.par_iter_mut().enumerate().for_each(|(i, row)| {
        for (panel, x) in row.chunks_mut(PANEL).zip(&solved) {
            panel.iter_mut().enumerate().for_each(|(j, entry)| *entry = x[(i, j)]);
        }
    });
}

/// Adds to `sums` the product of the strips and 64 columns of the rows, from `column` on.
fn add_product(rows: &[&mut [f64]], column: usize, strips: &[f64], sums: &mut [f64]) {
    let depth = rows.len();
    let mut panel = vec![0.0; depth * PANEL];
    for (target, row) in panel.chunks_mut(PANEL).zip(rows) {
        let row = row.get(column..).unwrap_or(&[]);
        target.iter_mut().zip(row).for_each(|(target, value)| *target = *value);
    }
    let mut tile = [0.0; STRIP * PANEL];
    for (strip, sums) in strips.chunks(STRIP * depth).zip(sums.chunks_mut(STRIP * PANEL)) {
        f64::dots(depth, strip, &panel, &mut tile);
        sums.iter_mut().zip(&tile).for_each(|(sum, value)| *sum += value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Square;

    /// A definite matrix whose eigenvalues fall off as those of a Gaussian kernel do, plus a ridge.
    fn matrix(n: usize, ridge: f64) -> Lower<f64> {
        let mut square = Square::zeros(n);
        for i in 0..n {
            for j in 0..n {
                let distance = ((i * 7 % n) as f64 - (j * 7 % n) as f64) / 10.0;
                square.row_mut(i)[j] = (-distance * distance).exp() + if i == j { ridge } else { 0.0 };
            }
        }
        square.into()
    }

    fn go_on(_: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    const SIZES: [usize; 8] = [1, 6, 63, 64, 257, 384, 385, 801];

    fn solves<T: Entry>(n: usize, ridge: f64, tolerance: f64) {
        let a = matrix(n, ridge);
        let factor = Cholesky::new(a.scaled::<T>(&vec![1.0; n]), &mut go_on).unwrap();
        let right: Vec<f64> = (0..n).map(|i| (i as f64 * 0.3).sin()).collect();
        let mut x = [right.clone()];
        factor.solve(&mut x);
        for i in 0..n {
            let sum: f64 = (0..n).map(|j| a.row(i.max(j))[i.min(j)] * x[0][j]).sum();
            assert!((sum - right[i]).abs() < tolerance, "{n}: {sum} {}", right[i]);
        }
    }

    #[test]
    fn a_solution_satisfies_the_system() {
        for n in SIZES {
            solves::<f64>(n, 1e-3, 1e-11);
            solves::<f32>(n, 0.1, 1e-4);
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
    fn the_two_halves_of_a_solution_make_it_and_keep_its_norm() {
        for n in SIZES {
            let factor = Cholesky::new(matrix(n, 1e-1), &mut go_on).unwrap();
            let right: Vec<f64> = (0..n).map(|i| (i as f64 * 0.3).cos()).collect();
            let (mut whole, mut halves) = ([right.clone()], [right.clone()]);
            factor.solve(&mut whole);
            factor.solve_lower(&mut halves);
            // ‖L⁻¹b‖² = bᵀA⁻¹b.
            let square: f64 = halves[0].iter().map(|v| v * v).sum();
            let expected: f64 = right.iter().zip(&whole[0]).map(|(b, x)| b * x).sum();
            assert!((square - expected).abs() < 1e-11 * expected, "{n}: {square} {expected}");
            factor.solve_upper(&mut halves);
            assert_eq!(halves, whole);
        }
    }

    #[test]
    fn the_bits_do_not_depend_on_the_number_of_threads() {
        let bits = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let a = matrix(900, 1e-3);
                let mut product = [a.diagonal()];
                a.product(&mut product);
                let factor = Cholesky::new(a, &mut go_on).unwrap();
                let rows: Vec<Vec<f64>> = (0..900).map(|i| factor.lower.row(i).to_vec()).collect();
                (rows, product, factor.inverse_diagonal(&mut go_on).unwrap())
            })
        };
        let one = bits(1);
        assert!(one == bits(2) && one == bits(5));
    }

    #[test]
    fn a_matrix_that_is_not_definite_names_its_pivot() {
        let mut matrix = matrix(500, 1e-3);
        matrix.row_mut(480)[480] = -1.0;
        assert_eq!(Cholesky::new(matrix, &mut go_on).err(), Some(Broken::NotDefinite(480)));
    }

    #[test]
    fn a_caller_can_stop() {
        let stop = Cholesky::new(matrix(300, 1e-3), &mut |_| ControlFlow::Break(()));
        assert_eq!(stop.err(), Some(Broken::Interrupted));
    }
}
