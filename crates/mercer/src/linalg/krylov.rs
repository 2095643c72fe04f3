//! The largest eigenvalues of a symmetric matrix and their vectors, from products with blocks of vectors.
//!
//! Block Lanczos (Golub and Underwood 1977) with full orthogonalisation: the space Q, AQ, A²Q, … of a random block Q, an
//! orthonormal basis V of it, and T = VᵀAV, whose largest eigenvalues approach those of A from below. The residual of a
//! Ritz vector is what its last block sticks out of the space by, known without another product. A space that has become too
//! large is replaced by its best Ritz vectors (Wu and Simon 2000). A block is at least as wide as the number of
//! eigenvalues wanted, since a block of b finds at most b vectors of one eigenvalue.
//!
//! Each step reads the matrix once, in O(n²b) multiplications at the speed of a matrix product; n·m numbers are kept, m
//! being a few times b. The residual that is returned comes from one more product with the vectors found.

use super::eigen::fix_sign;
use super::tall::{Tall, WIDTH};
use super::{Broken, Eigen, Square, Tick};
use crate::data::SplitMix;

/// Largest ‖Av − λv‖ accepted, as a share of the largest eigenvalue. Rounding of a product with n = 10⁴ leaves about 1e-15.
const TOLERANCE: f64 = 1e-14;

/// Products with the matrix after which the dense solver is faster.
const LIMIT: usize = 100;

/// The size at which a space is replaced by its best Ritz vectors, in blocks, and the least such size in columns.
const BLOCKS: usize = 4;
const COLUMNS: usize = 12 * WIDTH;

/// A direction of a block whose square is below this share of the largest may consist of rounding errors only.
const SHORT: f64 = 1e-14;

/// Most rounds of orthogonalisation. Each makes short directions longer by 10⁷.
const ROUNDS: usize = 4;

/// The matrix A = PSP for a symmetric S, with P = I − uuᵀ for a unit vector u.
#[derive(Clone, Copy)]
pub(crate) struct Deflated<'a> {
    /// S
    pub(crate) matrix: &'a Square,
    /// u; without it P = I.
    pub(crate) unit: Option<&'a [f64]>,
}

impl Deflated<'_> {
    /// The product PS · block, for a block that has no part along u.
    fn times(&self, block: &Tall) -> Tall {
        let mut product = block.multiplied_by(self.matrix);
        self.project(&mut product);
        product
    }

    fn project(&self, block: &mut Tall) {
        if let Some(unit) = self.unit {
            block.remove(unit);
        }
    }
}

/// Some of the largest eigenvalues and their eigenvectors.
pub(crate) struct Largest {
    /// The eigenvalues, descending.
    pub(crate) values: Vec<f64>,
    /// Their unit eigenvectors, the largest entry of each positive.
    pub(crate) vectors: Vec<Vec<f64>>,
    /// The largest ‖Av − λv‖, divided by the largest |λ|; computed from the vectors.
    pub(crate) residual: f64,
}

impl Largest {
    /// Whether block Lanczos is faster than the dense solver for `count` of n eigenvalues: the largest space must be much
    /// smaller than the whole.
    pub(crate) fn pays(n: usize, count: usize) -> bool {
        let block = count.next_multiple_of(WIDTH);
        n >= 512 && 2 * BLOCKS * block <= n
    }

    /// About how many bytes are needed beside the matrix.
    pub(crate) fn bytes(n: usize, count: usize) -> u64 {
        let (block, columns) = sizes(n, count);
        8 * (n as u64 * (columns + 3 * block) as u64 + 4 * (columns as u64 + block as u64).pow(2))
    }

    /// The `count` largest eigenvalues of a complete decomposition of `matrix` (with P = I), with their residual.
    pub(crate) fn of_all(matrix: &Square, eigen: &Eigen, count: usize) -> Self {
        let n = matrix.n();
        let values: Vec<f64> = (0..count).map(|c| eigen.values[n - 1 - c]).collect();
        let vectors: Vec<Vec<f64>> = (0..count).map(|c| eigen.vector(n - 1 - c)).collect();
        let entry = |i: usize, c: usize| vectors.get(c).map_or(0.0, |vector| vector[i]);
        let products = Tall::from_fn(n, count.div_ceil(WIDTH), entry).multiplied_by(matrix);
        Self { residual: residual(&products, &values, &vectors), values, vectors }
    }

    /// The `count` algebraically largest eigenvalues; `None` if they do not converge.
    ///
    /// # Errors
    /// If `tick` breaks.
    pub(crate) fn of(matrix: Deflated<'_>, count: usize, tick: Tick<'_>) -> Result<Option<Self>, Broken> {
        let mut space = Space::new(matrix, count);
        for _ in 0..LIMIT {
            space.expand();
            if space.due <= space.steps || space.is_full() {
                let ritz = space.ritz();
                let Some(ritz) = ritz else { return Ok(None) };
                if ritz.converged {
                    return Ok(Some(space.finish(&ritz.eigen)));
                }
                if space.is_full() {
                    space.restart(&ritz.eigen);
                }
            }
            if tick(space.share).is_break() {
                return Err(Broken::Interrupted);
            }
            space.turn();
        }
        Ok(None)
    }
}

/// The number of columns of a block, and of the largest space. The vectors of a space of m columns cost about 10 m³
/// multiplications on one thread, a product with a block 32 n² or more on all: of a small matrix the space stays so small that the
/// former is no more than the latter.
fn sizes(n: usize, count: usize) -> (usize, usize) {
    let block = count.next_multiple_of(WIDTH);
    let balanced = (3.0 * (n as f64).powi(2)).cbrt() as usize / WIDTH * WIDTH;
    (block, COLUMNS.min(balanced).max(BLOCKS * block))
}

/// The Krylov space built so far.
struct Space<'a> {
    matrix: Deflated<'a>,
    count: usize,
    /// V
    basis: Tall,
    /// The next block of V; after [`Space::expand`] the part W of the last product that lies outside V.
    block: Tall,
    /// T, row after row.
    projected: Vec<f64>,
    /// WᵀW
    outside: Vec<f64>,
    largest: usize,
    steps: usize,
    /// The step at which to compute Ritz vectors next.
    due: usize,
    /// The step in which Ritz vectors were last computed, and their residual.
    seen: Option<(usize, f64)>,
    /// An estimate of the share of the work that is done.
    share: f64,
    random: Random,
}

struct Ritz {
    eigen: Eigen,
    converged: bool,
}

impl<'a> Space<'a> {
    fn new(matrix: Deflated<'a>, count: usize) -> Self {
        let n = matrix.matrix.n();
        let (block, largest) = sizes(n, count);
        let mut random = Random(SplitMix(1));
        let start = Tall::from_fn(n, block / WIDTH, |_, _| random.next());
        let basis = Tall::zeros(n, 0);
        let mut space = Self {
            matrix,
            count,
            basis,
            block: start,
            projected: Vec::new(),
            outside: Vec::new(),
            largest,
            steps: 0,
            due: 3,
            seen: None,
            share: 0.0,
            random,
        };
        space.turn();
        space
    }

    /// Adds the block to the basis, and replaces it by the part of its product that lies outside the basis.
    fn expand(&mut self) {
        let product = self.matrix.times(&self.block);
        let block = std::mem::replace(&mut self.block, product);
        let before = self.basis.columns();
        self.basis.append(block);
        let m = self.basis.columns();
        let mut projected = vec![0.0; m * m];
        for (row, old) in projected.chunks_mut(m).zip(self.projected.chunks(before.max(1))) {
            row[..before].copy_from_slice(old);
        }
        for (p, panel) in self.block.panels_mut().iter_mut().enumerate() {
            // One pass leaves the rounding error of a small difference; two passes are enough.
            for _ in 0..2 {
                let cross = self.basis.cross(panel);
                self.basis.add_product(-1.0, &cross, panel);
                for (row, sums) in projected.chunks_mut(m).zip(cross.chunks(WIDTH)) {
                    let row = &mut row[before + p * WIDTH..][..WIDTH];
                    row.iter_mut().zip(sums).for_each(|(t, sum)| *t += sum);
                }
            }
        }
        for i in 0..m {
            for j in before.max(i)..m {
                projected[j * m + i] = projected[i * m + j];
            }
        }
        self.projected = projected;
        let b = self.block.columns();
        self.outside = vec![0.0; b * b];
        for (p, panel) in self.block.panels().iter().enumerate() {
            for (row, sums) in self.outside.chunks_mut(b).zip(self.block.cross(panel).chunks(WIDTH)) {
                row[p * WIDTH..(p + 1) * WIDTH].copy_from_slice(sums);
            }
        }
        self.steps += 1;
        // An estimate before a residual is known; a dozen steps are usual.
        self.share = self.share.max(0.9 * self.steps as f64 / (self.steps as f64 + 6.0));
    }

    fn is_full(&self) -> bool {
        self.basis.columns() + self.block.columns() > self.largest
    }

    /// The eigenvectors of T, and whether the wanted ones are accurate enough; `None` if T is not finite.
    fn ritz(&mut self) -> Option<Ritz> {
        let m = self.basis.columns();
        let eigen = Eigen::new(m, |i, j| self.projected[i * m + j])?;
        let size = eigen.values.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
        let b = self.block.columns();
        let residual = |i: usize| {
            let last = &eigen.vector(i)[m - b..];
            let product = self.outside.chunks(b).map(|row| row.iter().zip(last).map(|(s, y)| s * y).sum());
            let square: f64 = last.iter().zip(product).map(|(y, sum): (&f64, f64)| y * sum).sum();
            square.max(0.0).sqrt() / size.max(f64::MIN_POSITIVE)
        };
        let worst = (m - self.count..m).map(residual).fold(0.0, f64::max);
        let converged = worst <= TOLERANCE;
        self.due = self.steps + self.wait(worst);
        self.seen = Some((self.steps, worst));
        self.share = self.share.max(worst.max(TOLERANCE).ln().min(0.0) / TOLERANCE.ln());
        Some(Ritz { eigen, converged })
    }

    /// Steps until the residual will be small enough, if it goes on falling at its present rate.
    fn wait(&self, residual: f64) -> usize {
        let Some((step, before)) = self.seen else { return 1 };
        let rate = (before / residual).ln() / (self.steps - step).max(1) as f64;
        let steps = 0.8 * (residual / TOLERANCE).ln() / rate;
        if rate > 0.0 { steps.clamp(1.0, 6.0) as usize } else { 1 }
    }

    /// Replaces the space by its best Ritz vectors: those wanted and one more block.
    fn restart(&mut self, eigen: &Eigen) {
        let (m, b) = (self.basis.columns(), self.block.columns());
        // At most half of the largest space, which is four blocks or more.
        let kept = (self.count + b).next_multiple_of(WIDTH);
        let vectors: Vec<Vec<f64>> = (0..kept).map(|c| eigen.vector(m - 1 - c)).collect();
        self.basis = self.basis.combined(kept / WIDTH, |i, c| vectors[c][i]);
        self.projected = vec![0.0; kept * kept];
        (0..kept).for_each(|c| self.projected[c * kept + c] = eigen.values[m - 1 - c]);
        self.seen = None;
    }

    /// Makes the part of the last product outside the basis the next, orthonormal block of the basis.
    fn turn(&mut self) {
        let n = self.matrix.matrix.n();
        let mut turned = Tall::zeros(n, 0);
        for at in 0..self.block.panels().len() {
            let mut panel = Tall::zeros(n, 1);
            panel.panels_mut()[0].copy_from_slice(&self.block.panels()[at]);
            let missing = self.orthonormalise(&mut panel, &turned);
            if !missing.is_empty() {
                // The space is invariant along these directions: a random one leads to what it does not contain yet.
                let fresh = Tall::from_fn(n, 1, |_, _| self.random.next());
                let rows = panel.panels_mut()[0].chunks_mut(WIDTH).zip(fresh.panels()[0].chunks(WIDTH));
                rows.for_each(|(row, fresh)| missing.iter().for_each(|&c| row[c] = fresh[c]));
                self.orthonormalise(&mut panel, &turned);
            }
            turned.append(panel);
        }
        self.block = turned;
    }

    /// Makes the columns of a panel orthonormal to each other, to the basis and to `beside`. Returns the columns that have
    /// no direction of their own.
    fn orthonormalise(&self, panel: &mut Tall, beside: &Tall) -> Vec<usize> {
        let mut missing = Vec::new();
        for round in 0..ROUNDS {
            self.matrix.project(panel);
            for other in [&self.basis, beside] {
                let cross = other.cross(&panel.panels()[0]);
                other.add_product(-1.0, &cross, &mut panel.panels_mut()[0]);
            }
            let was_normal = normalise(panel, &mut missing);
            if was_normal && round > 0 {
                break;
            }
        }
        missing
    }

    /// The wanted eigenvectors, with their residual from one more product.
    fn finish(&self, eigen: &Eigen) -> Largest {
        let m = self.basis.columns();
        let wanted: Vec<Vec<f64>> = (0..self.count).map(|c| eigen.vector(m - 1 - c)).collect();
        let panels = self.count.div_ceil(WIDTH);
        let vectors = self.basis.combined(panels, |i, c| wanted.get(c).map_or(0.0, |vector| vector[i]));
        let products = self.matrix.times(&vectors);
        let values: Vec<f64> = (0..self.count).map(|c| eigen.values[m - 1 - c]).collect();
        let mut vectors: Vec<Vec<f64>> = (0..self.count).map(|c| vectors.column(c)).collect();
        let residual = residual(&products, &values, &vectors);
        vectors.iter_mut().for_each(|vector| fix_sign(vector));
        Largest { residual, values, vectors }
    }
}

/// The largest ‖Av − λv‖ of the products Av, divided by the largest |λ|.
pub(super) fn residual(products: &Tall, values: &[f64], vectors: &[Vec<f64>]) -> f64 {
    let residual = |(c, (value, vector)): (usize, (&f64, &Vec<f64>))| {
        let pairs = products.column(c).into_iter().zip(vector);
        pairs.map(|(product, v)| (product - value * v).powi(2)).sum::<f64>().sqrt()
    };
    let worst = values.iter().zip(vectors).enumerate().map(residual).fold(0.0, f64::max);
    worst / values.iter().fold(f64::MIN_POSITIVE, |a, v| a.max(v.abs()))
}

/// Makes the columns of a panel orthonormal by the eigenvectors of their scaled inner products (Stathopoulos and Wu 2002).
/// Returns whether they nearly were before; `missing` gets the columns that consist of rounding errors only. Short
/// directions come out longer, for the next round.
pub(super) fn normalise(panel: &mut Tall, missing: &mut Vec<usize>) -> bool {
    missing.clear();
    let inner = panel.cross(&panel.panels()[0]);
    let scale = |c: usize| {
        let square = inner[c * WIDTH + c];
        if square > f64::MIN_POSITIVE { square.sqrt().recip() } else { 0.0 }
    };
    let scales: Vec<f64> = (0..WIDTH).map(scale).collect();
    let eigen = Eigen::new(WIDTH, |i, j| scales[i] * inner[i * WIDTH + j] * scales[j]);
    // Only a matrix that is not finite has no eigenvalues; `Space::ritz` finds that out.
    let Some(eigen) = eigen else { return true };
    let floor = (SHORT * eigen.values[WIDTH - 1]).max(f64::MIN_POSITIVE);
    let vectors: Vec<Vec<f64>> = (0..WIDTH).map(|c| eigen.vector(c)).collect();
    missing.extend((0..WIDTH).filter(|&c| eigen.values[c] < 0.5 * floor));
    *panel = panel.combined(1, |i, c| scales[i] * vectors[c][i] / eigen.values[c].max(floor).sqrt());
    let normal = |square: f64| (square - 1.0).abs() < 1e-3;
    eigen.values.iter().all(|&value| normal(value)) && (0..WIDTH).all(|c| normal(inner[c * WIDTH + c]))
}

/// Pseudo-random numbers from −1 to 1 with a fixed seed.
pub(super) struct Random(pub(super) SplitMix);

impl Random {
    pub(super) fn next(&mut self) -> f64 {
        (self.0.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    fn go_on(_: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A Gaussian kernel of points on a line with some noise: eigenvalues that fall off as `width` says.
    fn matrix(n: usize, width: f64) -> Square {
        let mut random = Random(SplitMix(7));
        let x: Vec<f64> = (0..n).map(|_| random.next()).collect();
        let mut square = Square::zeros(n);
        for i in 0..n {
            for j in 0..n {
                square.row_mut(i)[j] = (-((x[i] - x[j]) / width).powi(2)).exp();
            }
        }
        square
    }

    /// The dense solver, on the matrix with P applied entry by entry.
    fn dense(square: &Square, centred: bool) -> Eigen {
        let n = square.n();
        let means: Vec<f64> = (0..n).map(|i| square.row(i).iter().sum::<f64>() / n as f64).collect();
        let mean = means.iter().sum::<f64>() / n as f64;
        let shift = |i: usize, j: usize| if centred { mean - means[i] - means[j] } else { 0.0 };
        Eigen::new(n, |i, j| square.row(i)[j] + shift(i, j)).unwrap()
    }

    #[test]
    fn values_and_vectors_are_those_of_the_dense_solver() {
        for (n, width, count, centred) in
            [(700, 0.5, 5, false), (700, 0.02, 10, true), (1100, 0.003, 33, true), (600, 0.001, 3, true)]
        {
            let square = matrix(n, width);
            let unit = vec![1.0 / (n as f64).sqrt(); n];
            let operator = Deflated { matrix: &square, unit: centred.then_some(&unit) };
            let found = Largest::of(operator, count, &mut go_on).unwrap().unwrap();
            assert!(found.residual <= 1e-12, "{}", found.residual);
            let exact = dense(&square, centred);
            let largest = exact.values[n - 1];
            for c in 0..count {
                let value = exact.values[n - 1 - c];
                assert!((found.values[c] - value).abs() <= 1e-12 * largest, "{n} {c}");
                // A vector is right to the residual over the distance to the next eigenvalue.
                let at = n - 1 - c;
                let above = if c == 0 { f64::INFINITY } else { exact.values[at + 1] - value };
                let gap = above.min(value - exact.values[at - 1]) / largest;
                let dot: f64 = exact.vector(at).iter().zip(&found.vectors[c]).map(|(a, b)| a * b).sum();
                assert!(gap < 1e-6 || (dot.abs() - 1.0).abs() < 1e-9, "{n} {c}: {dot} {gap}");
            }
        }
    }

    #[test]
    fn every_copy_of_a_multiple_eigenvalue_is_found() {
        // Blocks of ones: the size of each block is an eigenvalue, and there are 60 of size 10.
        let n = 700;
        let mut square = Square::zeros(n);
        for i in 0..n {
            for j in 0..n {
                let (a, b) = (i.min(600) / 10, j.min(600) / 10);
                square.row_mut(i)[j] = if a == b && (i < 600 || i == j) { 1.0 } else { 0.0 };
            }
        }
        let operator = Deflated { matrix: &square, unit: None };
        let found = Largest::of(operator, 70, &mut go_on).unwrap().unwrap();
        for (c, value) in found.values.iter().enumerate() {
            assert!((value - if c < 60 { 10.0 } else { 1.0 }).abs() < 1e-11, "{c}: {value}");
        }
        for a in 0..70 {
            for b in 0..=a {
                let dot: f64 = found.vectors[a].iter().zip(&found.vectors[b]).map(|(x, y)| x * y).sum();
                assert!((dot - f64::from(u8::from(a == b))).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_bits_do_not_depend_on_the_number_of_threads() {
        let square = matrix(1500, 0.01);
        let bits = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let operator = Deflated { matrix: &square, unit: None };
            let found = pool.install(|| Largest::of(operator, 8, &mut go_on)).unwrap().unwrap();
            (found.values, found.vectors, found.residual)
        };
        let one = bits(1);
        assert!(one == bits(2) && one == bits(3));
    }

    #[test]
    fn a_caller_can_stop() {
        let square = matrix(600, 0.01);
        let operator = Deflated { matrix: &square, unit: None };
        let stopped = Largest::of(operator, 8, &mut |_| ControlFlow::Break(()));
        assert_eq!(stopped.err(), Some(Broken::Interrupted));
    }
}
