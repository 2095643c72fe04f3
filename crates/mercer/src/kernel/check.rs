//! Whether a kernel is one on given data, and its empirical Mercer spectrum.
//!
//! A function is a kernel if and only if every Gram matrix K it makes is positive semi-definite, cᵀKc ≥ 0 for every c.
//! An expression may know that by construction; data can refute it, and the eigenvector of a negative eigenvalue is
//! the witness. The eigenvectors also give the empirical Mercer spectrum, [`Spectrum`].

use std::fmt;

use super::{Bound, Definiteness, Kernel};
use crate::data::Points;
use crate::error::{DataProblem, ErrorKind, Result};
use crate::linalg::Eigen;

/// The difference of Kᵢⱼ and Kⱼᵢ that counts as rounding, relative to the largest |K|: far above what double precision
/// loses on scaled data, far below what a wrong formula gives.
const ASYMMETRY: f64 = 1e-10;

/// Rows of kernel values held at once while eigenfunctions are evaluated.
const PANEL: usize = 64;

/// How much [`check`] may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most rows looked at; of more, this many spread evenly over the data.
    pub rows: usize,
    /// The most eigenfunctions kept.
    pub eigenfunctions: usize,
}

impl Default for Limits {
    /// 2000 rows, 10 eigenfunctions.
    fn default() -> Self {
        Self { rows: 2000, eigenfunctions: 10 }
    }
}

impl Limits {
    /// The rows that are looked at of so many, from 0.
    #[must_use]
    pub fn sample(&self, of: usize) -> Vec<usize> {
        spread(of, self.rows)
    }
}

/// What [`check`] found.
#[derive(Debug)]
pub struct Validity<X: Points> {
    /// What the kernel claims by construction.
    pub definiteness: Definiteness,
    /// The rows looked at, as positions in the data from 0.
    pub rows: Vec<usize>,
    /// The rows there are; more than were looked at if the check used a sample.
    pub of: usize,
    /// The largest |Kᵢⱼ − Kⱼᵢ|.
    pub asymmetry: f64,
    /// The smallest eigenvalue of K.
    pub smallest: f64,
    /// The largest eigenvalue of K.
    pub largest: f64,
    /// Eigenvalues down to minus this are zero to rounding: n (ε max|λ| + asymmetry).
    pub tolerance: f64,
    /// The verdict on these rows.
    pub verdict: Verdict,
    /// For an indefinite Gram, coefficients that prove it.
    pub witness: Option<Witness>,
    /// The empirical Mercer spectrum.
    pub spectrum: Spectrum<X>,
}

impl<X: Points> Validity<X> {
    /// Whether only some of the rows were looked at.
    #[must_use]
    pub fn is_sample(&self) -> bool {
        self.rows.len() < self.of
    }
}

/// What the data say of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The Gram is positive semi-definite to rounding. That is no proof for other data.
    PositiveSemidefinite,
    /// It is not: see the witness.
    Indefinite,
    /// Kᵢⱼ ≠ Kⱼᵢ, beyond rounding.
    Asymmetric,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PositiveSemidefinite => "positive semi-definite on this data",
            Self::Indefinite => "indefinite",
            Self::Asymmetric => "not symmetric",
        })
    }
}

impl fmt::Display for Definiteness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Psd => "positive semi-definite",
            Self::PsdOnNonNegative => "positive semi-definite on non-negative features",
            Self::Unknown => "unknown",
        })
    }
}

/// Coefficients c of unit norm with cᵀKc < 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Witness {
    /// One per row looked at.
    pub coefficients: Vec<f64>,
    /// cᵀKc, summed anew from kernel values, without the eigenvalue.
    pub value: f64,
}

/// The empirical Mercer spectrum of a kernel: with Kuᵢ = λᵢuᵢ on N rows, the eigenvalues λᵢ/N and the eigenfunctions
/// $φᵢ(x) = (√N/λᵢ) Σⱼ uⱼᵢ k(xⱼ, x)$.
///
/// They estimate k(x, y) = Σᵢ μᵢ φᵢ(x) φᵢ(y) under the distribution of the data (Nyström): the φᵢ are orthonormal over
/// the rows, and φᵢ is √N uⱼᵢ at row j.
pub struct Spectrum<X: Points> {
    /// The eigenvalues of K/N, descending.
    pub eigenvalues: Vec<f64>,
    /// (√N/λᵢ) uᵢ of each eigenfunction.
    coefficients: Vec<Vec<f64>>,
    bound: Box<dyn Bound<X>>,
}

impl<X: Points> fmt::Debug for Spectrum<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spectrum").field("eigenvalues", &self.eigenvalues).finish_non_exhaustive()
    }
}

impl<X: Points> Spectrum<X> {
    /// How many eigenfunctions are kept: those of the first eigenvalues that are positive beyond rounding.
    #[must_use]
    pub fn len(&self) -> usize {
        self.coefficients.len()
    }

    /// Whether no eigenfunction is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.coefficients.is_empty()
    }

    /// Entry `[i][p]` is φᵢ at `points[p]`. One kernel row per point.
    #[must_use]
    pub fn eigenfunctions(&self, points: &X) -> Vec<Vec<f64>> {
        let mut values = vec![Vec::with_capacity(points.len()); self.len()];
        let all: Vec<usize> = (0..points.len()).collect();
        for panel in all.chunks(PANEL) {
            let block = block(&*self.bound, points, panel);
            for row in block.chunks_exact(self.bound.columns()) {
                for (function, coefficients) in values.iter_mut().zip(&self.coefficients) {
                    function.push(dot(row, coefficients));
                }
            }
        }
        values
    }
}

/// Checks a kernel on data: is it symmetric, is it positive semi-definite, what is its spectrum.
///
/// Cost: the Gram and its eigenvectors, O(n³) time and 3n² numbers for n rows, at most [`Limits::rows`].
///
/// ```
/// use mercer::data::{Dense, Vectors};
/// use mercer::kernel::{Limits, Pointwise, Verdict, check, tanh};
///
/// let points = Vectors::from(Dense::new(1, vec![0.5, 1.0, 3.0]));
/// let kernel = tanh(1.0, -1.0);
/// let slow = Pointwise::new(move |x: &Vectors, i: usize, y: &Vectors, j: usize| kernel.value(x.row(i), y.row(j)));
/// let validity = check(&slow, &points, Limits::default())?;
/// assert_eq!(validity.verdict, Verdict::Indefinite);
/// assert!(validity.witness.is_some_and(|witness| witness.value < 0.0));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// If there are no points, the kernel cannot be evaluated on them, or gives a value that is not finite.
pub fn check<X, K>(kernel: &K, points: &X, limits: Limits) -> Result<Validity<X>>
where
    X: Points,
    K: Kernel<X> + ?Sized,
{
    let index = limits.sample(points.len());
    if index.is_empty() {
        return Err(ErrorKind::Data(DataProblem::Empty).into());
    }
    let sample = points.select(&index);
    let n = index.len();
    let all: Vec<usize> = (0..n).collect();
    let bound = kernel.bind(&sample)?;
    let gram = block(&*bound, &sample, &all);
    let not_finite = |at: usize| {
        ErrorKind::Data(DataProblem::KernelNotFinite { row: index[at / n] + 1, column: index[at % n] + 1 })
    };
    if let Some(at) = gram.iter().position(|value| !value.is_finite()) {
        return Err(not_finite(at).into());
    }
    let largest_entry = gram.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let asymmetry = asymmetry(&gram, n);
    let eigen =
        Eigen::new(n, |i, j| 0.5 * gram[i * n + j] + 0.5 * gram[j * n + i]).ok_or_else(|| not_finite(0))?;
    let (smallest, largest) = (eigen.values[0], eigen.values[n - 1]);
    let tolerance = n as f64 * (f64::EPSILON * smallest.abs().max(largest.abs()) + asymmetry);
    let witness = (smallest < -tolerance).then(|| witness(&*bound, &sample, eigen.vector(0)));
    let witness = witness.filter(|witness| witness.value < 0.0);
    let verdict = match &witness {
        _ if asymmetry > ASYMMETRY * largest_entry => Verdict::Asymmetric,
        Some(_) => Verdict::Indefinite,
        None => Verdict::PositiveSemidefinite,
    };
    let spectrum = empirical(&eigen, bound, tolerance, limits.eigenfunctions);
    let definiteness = kernel.definiteness();
    let of = points.len();
    Ok(Validity {
        definiteness,
        rows: index,
        of,
        asymmetry,
        smallest,
        largest,
        tolerance,
        verdict,
        witness,
        spectrum,
    })
}

/// The eigenvalues of K/N and at most `most` eigenfunctions.
fn empirical<X: Points>(eigen: &Eigen, bound: Box<dyn Bound<X>>, tolerance: f64, most: usize) -> Spectrum<X> {
    let n = eigen.values.len();
    let positive = (0..n).rev().take_while(|&i| eigen.values[i] > tolerance).take(most);
    let scaled = |i: usize| {
        let scale = (n as f64).sqrt() / eigen.values[i];
        eigen.vector(i).into_iter().map(|u| scale * u).collect()
    };
    let eigenvalues = eigen.values.iter().rev().map(|value| value / n as f64).collect();
    Spectrum { eigenvalues, coefficients: positive.map(scaled).collect(), bound }
}

fn witness<X: Points>(bound: &dyn Bound<X>, points: &X, mut coefficients: Vec<f64>) -> Witness {
    let norm = dot(&coefficients, &coefficients).sqrt();
    coefficients.iter_mut().for_each(|c| *c /= norm);
    let value =
        (0..coefficients.len()).map(|i| coefficients[i] * dot(&block(bound, points, &[i]), &coefficients));
    Witness { value: value.sum(), coefficients }
}

/// At most `most` of 0 … n − 1, evenly spread.
pub(crate) fn spread(n: usize, most: usize) -> Vec<usize> {
    let kept = n.min(most);
    // In u128: i·n cannot overflow.
    (0..kept).map(|i| (i as u128 * n as u128 / kept as u128) as usize).collect()
}

/// The rows of kernel values of `points[rows]`, one after the other.
pub(crate) fn block<X: Points>(bound: &dyn Bound<X>, points: &X, rows: &[usize]) -> Vec<f64> {
    let columns = bound.columns();
    let mut values = vec![0.0; rows.len() * columns];
    let mut out: Vec<&mut [f64]> = values.chunks_exact_mut(columns.max(1)).collect();
    bound.rows_f64(points, rows, &mut out);
    values
}

fn asymmetry(gram: &[f64], n: usize) -> f64 {
    let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (gram[i * n + j] - gram[j * n + i]).abs()));
    pairs.fold(0.0, f64::max)
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dense, Vectors};
    use crate::kernel::arbitrary::naive;
    use crate::kernel::*;

    fn line(n: usize) -> Vectors {
        Dense::new(1, (0..n).map(|i| i as f64 / n as f64 - 0.5).collect()).into()
    }

    #[test]
    fn valid_kernel_passes_without_a_witness() {
        let validity = check(&naive(rbf(2.0)), &line(50), Limits::default()).unwrap();
        assert_eq!(validity.verdict, Verdict::PositiveSemidefinite);
        assert!(validity.witness.is_none() && validity.smallest >= -validity.tolerance);
        assert!(!validity.is_sample() && validity.rows.len() == 50);
        assert_eq!(validity.definiteness, Definiteness::Psd);
    }

    #[test]
    fn witness_of_an_indefinite_kernel_is_of_unit_norm_and_negative() {
        // K = [[0, 1], [1, 0]] has the eigenvalue −1 at (1, −1)/√2.
        let points: Vectors = Dense::new(1, vec![0.0, 1.0]).into();
        let different = Pointwise::new(|x: &Vectors, i: usize, y: &Vectors, j: usize| {
            (x.row(i).get(0) - y.row(j).get(0)).abs()
        });
        let validity = check(&different, &points, Limits::default()).unwrap();
        assert_eq!(validity.verdict, Verdict::Indefinite);
        let Witness { coefficients: c, value } = validity.witness.unwrap();
        assert!((value + 1.0).abs() <= 1e-14 && (validity.smallest + 1.0).abs() <= 1e-14);
        assert!((dot(&c, &c) - 1.0).abs() <= 1e-14 && (2.0 * c[0] * c[1] - value).abs() <= 1e-14);
    }

    #[test]
    fn asymmetric_function_is_found() {
        let order =
            Pointwise::new(|_: &Vectors, i: usize, _: &Vectors, j: usize| if i <= j { 1.0 } else { 0.0 });
        let validity = check(&order, &line(4), Limits::default()).unwrap();
        assert_eq!((validity.verdict, validity.asymmetry), (Verdict::Asymmetric, 1.0));
    }

    #[test]
    fn spectrum_of_the_linear_kernel_is_that_of_the_second_moments() {
        // Two orthogonal columns with mean squares 1 and 4.
        let points: Vectors = Dense::new(2, vec![1.0, 2.0, -1.0, 2.0, 1.0, -2.0, -1.0, -2.0]).into();
        let validity = check(&naive(linear()), &points, Limits::default()).unwrap();
        let spectrum = validity.spectrum;
        for (found, expected) in spectrum.eigenvalues.iter().zip([4.0, 1.0, 0.0, 0.0]) {
            assert!((found - expected).abs() <= 1e-14);
        }
        // φ₀(x) = x₂/2 and φ₁(x) = x₁, up to sign, everywhere.
        assert_eq!(spectrum.len(), 2);
        let functions = spectrum.eigenfunctions(&Dense::new(2, vec![3.0, 5.0]).into());
        assert!((functions[0][0].abs() - 2.5).abs() <= 1e-14 && (functions[1][0].abs() - 3.0).abs() <= 1e-14);
    }

    #[test]
    fn eigenfunctions_are_orthonormal_and_mercer_sums_them_to_the_kernel() {
        let points = line(30);
        let limits = Limits { eigenfunctions: 30, ..Limits::default() };
        let spectrum = check(&naive(laplace(3.0)), &points, limits).unwrap().spectrum;
        let functions = spectrum.eigenfunctions(&points);
        assert_eq!(functions.len(), 30);
        for (i, f) in functions.iter().enumerate() {
            for (j, g) in functions.iter().enumerate() {
                let expected = if i == j { 30.0 } else { 0.0 };
                assert!((dot(f, g) - expected).abs() <= 1e-9, "{i} {j}");
            }
        }
        for p in 0..30 {
            let sum: f64 = functions.iter().zip(&spectrum.eigenvalues).map(|(f, mu)| mu * f[p] * f[3]).sum();
            let expected = laplace(3.0).value(points.row(p), points.row(3));
            assert!((sum - expected).abs() <= 1e-12, "{sum} {expected}");
        }
        let limits = Limits { eigenfunctions: 3, ..Limits::default() };
        assert_eq!(check(&naive(laplace(3.0)), &points, limits).unwrap().spectrum.len(), 3);
    }

    #[test]
    fn more_rows_than_the_limit_are_sampled_and_that_is_said() {
        let limits = Limits { rows: 7, ..Limits::default() };
        let validity = check(&naive(rbf(1.0)), &line(20), limits).unwrap();
        assert!(validity.is_sample());
        assert_eq!((validity.rows, validity.of), (vec![0, 2, 5, 8, 11, 14, 17], 20));
    }

    #[test]
    fn no_rows_and_values_that_are_not_finite_are_errors() {
        assert!(check(&naive(linear()), &line(0), Limits::default()).is_err());
        let points: Vectors = Dense::new(1, vec![1.0, 1e200, 2.0]).into();
        let error = check(&naive(linear()), &points, Limits::default()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Data(DataProblem::KernelNotFinite { row: 2, column: 2 })));
    }
}
