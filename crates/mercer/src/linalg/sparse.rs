//! A symmetric matrix of few entries, and its largest eigenvalues.
//!
//! Eigenvalues of a graph of neighbours crowd at the upper end of the spectrum, where a Krylov space of moderate size
//! separates them slowly and orthogonalisation costs more than the products. Subspace iteration with a Chebyshev filter (Zhou
//! and Saad 2007) orthogonalises once in some tens of products: a polynomial that is at most 1 on the unwanted part of the
//! spectrum, from its lower end to the smallest Ritz value, and grows as fast as any polynomial can above it, is applied to a
//! block, which is then made orthonormal and turned to its Ritz vectors. A block of 32 columns finds up to 32 vectors of one
//! eigenvalue, as a graph of several components has.

use rayon::prelude::*;

use super::krylov::{Largest, Random, normalise, residual};
use super::tall::{Tall, WIDTH};
use super::{Broken, Eigen, Square, Tick};
use crate::data::SplitMix;
use crate::simd::sparse_row_times;

/// Rows that one thread multiplies at a time.
const PIECE: usize = 512;

/// Largest ‖Av − λv‖ accepted, where the largest eigenvalue is 1. An eigenvalue is then right to rounding, and a vector to
/// 10⁻⁴ where the next eigenvalue is 10⁻⁴ away.
const TOLERANCE: f64 = 1e-8;

/// Most filters; a graph of 5,000 digits needs four.
const LIMIT: usize = 50;

/// Most products of a filter, and the logarithm of how much it may enlarge one column more than another: beyond that the
/// small one is lost in rounding.
const DEGREE: f64 = 80.0;
const GROWTH: f64 = 25.0;

/// The last filter is to make the residual this many times smaller than it must be.
const MARGIN: f64 = 20.0;

/// Most rounds of orthogonalisation.
const ROUNDS: usize = 4;

/// A symmetric sparse matrix, row after row, columns ascending.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sparse {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Sparse {
    /// The matrix with these rows: columns, ascending, and values.
    pub(crate) fn new(rows: Vec<Vec<(u32, f64)>>) -> Self {
        let mut starts = vec![0];
        starts.extend(rows.iter().scan(0, |sum, row| {
            *sum += row.len();
            Some(*sum)
        }));
        let columns = rows.iter().flatten().map(|entry| entry.0).collect();
        Self { starts, columns, values: rows.into_iter().flatten().map(|entry| entry.1).collect() }
    }

    /// The number of rows.
    pub(crate) fn n(&self) -> usize {
        self.starts.len() - 1
    }

    /// The entries of row i.
    pub(crate) fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[i]..self.starts[i + 1];
        self.columns[range.clone()].iter().zip(&self.values[range]).map(|(&j, &value)| (j as usize, value))
    }

    /// Replaces every entry by `change(i, j, value)`.
    pub(crate) fn map(&mut self, change: impl Fn(usize, usize, f64) -> f64) {
        for i in 0..self.n() {
            for at in self.starts[i]..self.starts[i + 1] {
                self.values[at] = change(i, self.columns[at] as usize, self.values[at]);
            }
        }
    }

    /// The matrix as dense rows, zeros written out.
    pub(crate) fn dense(&self) -> Square {
        let mut square = Square::zeros(self.n());
        let n = self.n();
        for i in 0..n {
            self.row(i).for_each(|(j, value)| square.values_mut()[i * n + j] = value);
        }
        square
    }

    /// alpha·(A − shift·I)·block − beta·before.
    fn filter_step(&self, block: &Tall, before: Option<&Tall>, [alpha, shift, beta]: [f64; 3]) -> Tall {
        let mut product = Tall::zeros(self.n(), block.panels().len());
        for (p, (out, panel)) in product.panels_mut().iter_mut().zip(block.panels()).enumerate() {
            let old = before.map(|before| &before.panels()[p]);
            out.par_chunks_mut(PIECE * WIDTH).enumerate().for_each(|(piece, out)| {
                let mut sums = [0.0; WIDTH];
                for (i, out) in (piece * PIECE..self.n()).zip(out.chunks_mut(WIDTH)) {
                    let range = self.starts[i]..self.starts[i + 1];
                    sparse_row_times(&self.columns[range.clone()], &self.values[range], panel, &mut sums);
                    let own = &panel[i * WIDTH..(i + 1) * WIDTH];
                    for ((out, sum), own) in out.iter_mut().zip(&sums).zip(own) {
                        *out = alpha * (sum - shift * own);
                    }
                    if let Some(old) = old {
                        let old = &old[i * WIDTH..(i + 1) * WIDTH];
                        out.iter_mut().zip(old).for_each(|(out, old)| *out -= beta * old);
                    }
                }
            });
        }
        product
    }

    fn times(&self, block: &Tall) -> Tall {
        self.filter_step(block, None, [1.0, 0.0, 0.0])
    }

    /// Applies the Chebyshev polynomial of a degree that is at most 1 from −1 to `cut`, scaled to be 1 at 1.
    fn filtered(&self, block: Tall, cut: f64, degree: usize) -> Tall {
        let (middle, half) = (0.5 * (cut - 1.0), 0.5 * (cut + 1.0));
        let first = half / (1.0 - middle);
        let mut scale = first;
        let (mut before, mut now) = {
            let product = self.filter_step(&block, None, [first / half, middle, 0.0]);
            (block, product)
        };
        for _ in 1..degree {
            let next = 1.0 / (2.0 / first - scale);
            let product = self.filter_step(&now, Some(&before), [2.0 * next / half, middle, scale * next]);
            (before, now, scale) = (now, product, next);
        }
        now
    }

    /// The `count` largest eigenvalues of a matrix whose eigenvalues lie from −1 to 1, and their vectors; the best there are
    /// after the most filters, as the residual says.
    ///
    /// # Errors
    /// If `tick` breaks.
    pub(crate) fn largest(&self, count: usize, tick: Tick<'_>) -> Result<Largest, Broken> {
        let n = self.n();
        // A few columns more than wanted put the end of the unwanted part at a distance from the last wanted eigenvalue.
        let panels = (count + count.min(8)).div_ceil(WIDTH);
        let mut random = Random(SplitMix(1));
        let mut block = Tall::from_fn(n, panels, |_, _| random.next());
        let mut found = None;
        for step in 0..=LIMIT {
            block = orthonormal(block, &mut random);
            let products = self.times(&block);
            let Some(ritz) = Ritz::new(&block, &products) else { break };
            block = ritz.turn(&block);
            let products = ritz.turn(&products);
            let (values, worst) = (&ritz.values, worst(&block, &products, &ritz.values, count));
            if worst <= TOLERANCE || step == LIMIT {
                found = Some((values[..count].to_vec(), products));
                break;
            }
            let done = (worst.ln() / TOLERANCE.ln()).clamp(0.0, 1.0);
            if tick(done).is_break() {
                return Err(Broken::Interrupted);
            }
            let cut = values[values.len() - 1].clamp(-0.9, 1.0 - 1e-6);
            // The polynomial of degree m is about ½e^(m·growth) at an eigenvalue above the cut.
            let growth = |value: f64| ((value - 0.5 * (cut - 1.0)) / (0.5 * (cut + 1.0))).max(1.0).acosh();
            let most = GROWTH / growth(1.0);
            let enough = (worst / TOLERANCE * MARGIN).ln() / growth(values[count - 1]);
            let degree = most.min(enough).clamp(4.0, DEGREE).ceil() as usize;
            block = self.filtered(block, cut, degree);
        }
        let (values, products) = found.ok_or(Broken::NotDefinite(0))?;
        let mut vectors: Vec<Vec<f64>> = (0..count).map(|c| block.column(c)).collect();
        let residual = residual(&products, &values, &vectors);
        vectors.iter_mut().for_each(|vector| super::eigen::fix_sign(vector));
        Ok(Largest { values, vectors, residual })
    }
}

/// Ritz values of a block, descending, and the vectors that turn it.
struct Ritz {
    values: Vec<f64>,
    vectors: Vec<Vec<f64>>,
}

impl Ritz {
    fn new(block: &Tall, products: &Tall) -> Option<Self> {
        let m = block.columns();
        let mut projected = vec![0.0; m * m];
        for (p, panel) in products.panels().iter().enumerate() {
            for (row, sums) in projected.chunks_mut(m).zip(block.cross(panel).chunks(WIDTH)) {
                row[p * WIDTH..(p + 1) * WIDTH].copy_from_slice(sums);
            }
        }
        let eigen = Eigen::new(m, |i, j| 0.5 * (projected[i * m + j] + projected[j * m + i]))?;
        let values = eigen.values.iter().rev().copied().collect();
        Some(Self { values, vectors: (0..m).rev().map(|c| eigen.vector(c)).collect() })
    }

    fn turn(&self, block: &Tall) -> Tall {
        block.combined(block.panels().len(), |i, c| self.vectors[c][i])
    }
}

/// The largest ‖Av − θv‖ of the first columns.
fn worst(block: &Tall, products: &Tall, values: &[f64], count: usize) -> f64 {
    let vectors: Vec<Vec<f64>> = (0..count).map(|c| block.column(c)).collect();
    residual(products, &values[..count], &vectors)
}

/// The block with columns of length 1 at right angles, panel after panel. Columns that depend on others are replaced by
/// random ones.
fn orthonormal(block: Tall, random: &mut Random) -> Tall {
    let n = block.rows();
    let mut done = Tall::zeros(n, 0);
    for panel in block.into_panels() {
        let mut panel = Tall::of_panel(n, panel);
        let mut missing = Vec::new();
        for round in 0..ROUNDS {
            let cross = done.cross(&panel.panels()[0]);
            done.add_product(-1.0, &cross, &mut panel.panels_mut()[0]);
            let was_normal = normalise(&mut panel, &mut missing);
            if was_normal && round > 0 {
                break;
            }
            for row in panel.panels_mut()[0].chunks_mut(WIDTH).take(n) {
                missing.iter().for_each(|&c| row[c] = random.next());
            }
        }
        done.append(panel);
    }
    done
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;

    /// A ring of n points, each joined to `reach` on either side, normalised; its eigenvalues are known.
    fn ring(n: usize, reach: usize) -> Sparse {
        let row = |i: usize| {
            let mut row: Vec<(u32, f64)> = (1..=reach)
                .flat_map(|r| [(i + r) % n, (i + n - r) % n])
                .map(|j| (j as u32, 0.5 / reach as f64))
                .collect();
            row.sort_by_key(|entry| entry.0);
            row
        };
        Sparse::new((0..n).map(row).collect())
    }

    fn go_on(_: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    #[test]
    fn eigenvalues_of_a_ring_are_its_cosines() {
        let (n, reach) = (900, 5);
        let found = ring(n, reach).largest(9, &mut go_on).unwrap();
        let value = |k: usize| {
            let angle = std::f64::consts::TAU * k as f64 / n as f64;
            (1..=reach).map(|r| (angle * r as f64).cos()).sum::<f64>() / reach as f64
        };
        assert!(found.residual <= TOLERANCE, "{}", found.residual);
        for (c, found) in found.values.iter().enumerate() {
            assert!((found - value(c.div_ceil(2))).abs() < 1e-12, "{c}: {found}");
        }
    }

    #[test]
    fn every_component_of_a_graph_has_a_vector_of_its_own() {
        // 40 components of 20 points, more than a panel has columns.
        let rows = (0..800).map(|i: usize| {
            let first = i / 20 * 20;
            (first..first + 20).filter(|&j| j != i).map(|j| (j as u32, 1.0 / 19.0)).collect()
        });
        let found = Sparse::new(rows.collect()).largest(40, &mut go_on).unwrap();
        assert!(found.values.iter().all(|value| (value - 1.0).abs() < 1e-12), "{:?}", found.values);
        for (a, left) in found.vectors.iter().enumerate() {
            assert!((0..800).all(|i| (left[i] - left[i / 20 * 20]).abs() < 1e-7));
            for (b, right) in found.vectors.iter().enumerate() {
                let dot: f64 = left.iter().zip(right).map(|(x, y)| x * y).sum();
                assert!((dot - f64::from(u8::from(a == b))).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn a_caller_can_stop() {
        assert_eq!(ring(700, 4).largest(3, &mut |_| ControlFlow::Break(())).err(), Some(Broken::Interrupted));
    }
}
