//! Random Fourier features.
//!
//! A kernel of x − y that is 1 at 0 is the mean of cos(ωᵀ(x − y)) over some distribution of ω (Bochner). With q frequencies drawn from it,
//!
//! φ(x) = (cos ωⱼᵀx, sin ωⱼᵀx)/√q, j = 1 … q, so that ⟨φ(x), φ(y)⟩ = 1/q Σ cos ωⱼᵀ(x − y):
//!
//! the mean is k(x, y), the standard deviation at most 1/√(2q) (Rahimi and Recht, 2007). The distribution is normal for `rbf`, Cauchy along each feature
//! for `laplace`, and Student's t with 2ν degrees of freedom for `matern`.
//!
//! Cost for n points of d features: 2ndq multiplications and 2nq sines. The frequencies depend on the seed and the number of the
//! feature only, not on the data; they are drawn again where they are needed.

use std::f64::consts::TAU;
use std::fmt;

use super::kernel;
use crate::data::{Points, SplitMix, Vectors};
use crate::error::{ErrorKind, Result, check};
use crate::kernel::call::Call;
use crate::kernel::vector::{Smoothness, VectorExpr, VectorKernel};
use crate::kernel::{Expr, engine};

/// The most frequencies, so that a short text cannot ask for more memory than there is.
const MOST: usize = 1 << 20;

/// Random Fourier features of a kernel, as a feature map. Text: `fourier(rbf(gamma=1), frequencies=100, seed=0)`.
///
/// ```
/// use mercer::data::Vectors;
/// use mercer::gram::square;
/// use mercer::kernel::{Fourier, linear, rbf};
///
/// let kernel = linear().on(Fourier::new(rbf(0.5), 5000).into());
/// let x = Vectors::dense(1, vec![0.0, 1.0]);
/// let values: Vec<f64> = square(&kernel, &x)?;
/// assert!((values[0] - 1.0).abs() < 1e-12 && (values[1] - (-0.5_f64).exp()).abs() < 0.03);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Fourier {
    /// k: rbf, laplace or matern.
    pub kernel: VectorExpr,
    /// q ≥ 1: each makes two features.
    pub frequencies: usize,
    /// What the frequencies are drawn by.
    pub seed: u64,
}

impl Fourier {
    /// A map of a kernel with so many frequencies, of the seed 0.
    pub fn new(kernel: VectorExpr, frequencies: usize) -> Self {
        Self { kernel, frequencies, seed: 0 }
    }

    /// Sets what the frequencies are drawn by.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    pub(in crate::kernel) fn parse(call: &Call<'_>) -> Result<Self> {
        let (kernel, call) = kernel(call)?;
        call.accept(&["frequencies", "seed"], Some("frequencies"))?;
        let frequencies = call.whole("frequencies", Some("frequencies"), 100)?;
        Ok(Self { kernel, frequencies, seed: call.whole("seed", None, 0)? })
    }

    pub(in crate::kernel) fn check(&self) -> Result<()> {
        self.kernel.check()?;
        let q = self.frequencies;
        check("frequencies", q as f64, (1..=MOST).contains(&q), "must lie in 1 to 1048576")?;
        match self.leaf() {
            // Draws are below 1e17, so that the squares of frequencies can be added up.
            Some(_) => check(
                "scale",
                self.scale(),
                self.scale() <= 1e100,
                "of the frequencies must be at most 1e100",
            ),
            None => {
                let what = format!("fourier of {}: of rbf, laplace or matern, without a map", self.kernel);
                Err(ErrorKind::Unsupported { what: what.into() }.into())
            }
        }
    }

    fn leaf(&self) -> Option<&VectorKernel> {
        let Expr::Leaf(leaf) = &self.kernel else { return None };
        let known = matches!(
            leaf.kernel,
            VectorKernel::Rbf { .. } | VectorKernel::Laplace { .. } | VectorKernel::Matern { .. }
        );
        (known && leaf.maps.is_empty()).then_some(&leaf.kernel)
    }

    /// What standard draws are multiplied by.
    fn scale(&self) -> f64 {
        match self.leaf() {
            Some(VectorKernel::Rbf { gamma }) => (2.0 * gamma).sqrt(),
            Some(VectorKernel::Laplace { gamma }) => *gamma,
            Some(VectorKernel::Matern { length, .. }) => 1.0 / length,
            _ => f64::NAN,
        }
    }

    /// How many features it makes.
    pub(in crate::kernel) fn width(&self) -> usize {
        2 * self.frequencies
    }

    /// Bytes that the frequencies of points of so many features take, twice as they are packed.
    pub(in crate::kernel) fn bytes(&self, features: usize) -> u64 {
        16_u64.saturating_mul(self.frequencies as u64).saturating_mul(features as u64)
    }

    /// The frequency ωⱼ of points of so many features.
    fn frequency(&self, j: usize, features: usize) -> Vec<f64> {
        // The seeds of two frequencies are far apart in the sequence of either.
        let mut random =
            SplitMix(SplitMix(self.seed).next() ^ (j as u64).wrapping_mul(0xd134_2543_de82_ef95));
        let mut scale = self.scale();
        if let Some(VectorKernel::Matern { nu, .. }) = self.leaf() {
            let degrees = match nu {
                Smoothness::Half => 1,
                Smoothness::ThreeHalves => 3,
                Smoothness::FiveHalves => 5,
            };
            // Student's t is a normal over the root of the mean square of as many normals as it has degrees of freedom.
            let square: f64 = (0..degrees).map(|_| normal(&mut random).powi(2)).sum();
            scale *= (f64::from(degrees) / square).sqrt();
        }
        let cauchy_along_each = matches!(self.leaf(), Some(VectorKernel::Laplace { .. }));
        let draw = |random: &mut SplitMix| if cauchy_along_each { cauchy(random) } else { normal(random) };
        (0..features).map(|_| scale * draw(&mut random)).collect()
    }

    /// Replaces `out` by φ(row).
    pub(in crate::kernel) fn apply(&self, row: &[f64], out: &mut Vec<f64>) {
        let size = 1.0 / (self.frequencies as f64).sqrt();
        for j in 0..self.frequencies {
            let angle: f64 = self.frequency(j, row.len()).iter().zip(row).map(|(w, x)| w * x).sum();
            out.extend([size * angle.cos(), size * angle.sin()]);
        }
    }

    /// φ of each point, row after row.
    pub(in crate::kernel) fn images(&self, points: &Vectors) -> Vec<f64> {
        use rayon::prelude::*;
        let (n, q) = (points.len(), self.frequencies);
        let frequencies: Vec<Vec<f64>> =
            (0..q).into_par_iter().map(|j| self.frequency(j, points.width())).collect();
        let frequencies = Vectors::dense(points.width(), frequencies.concat());
        let bound =
            engine::inner_products(&frequencies).expect("frequencies of a checked scale have finite squares");
        let mut images = vec![0.0; 2 * n * q];
        let all: Vec<usize> = (0..n).collect();
        let size = 1.0 / (q as f64).sqrt();
        for (rows, images) in all.chunks(BLOCK).zip(images.chunks_mut(BLOCK * 2 * q)) {
            let mut angles = vec![0.0; rows.len() * q];
            bound.rows_f64(points, rows, &mut angles.chunks_mut(q).collect::<Vec<_>>());
            images.par_chunks_mut(2 * q).zip(angles.par_chunks(q)).for_each(|(image, angles)| {
                for (pair, angle) in image.chunks_mut(2).zip(angles) {
                    let (sin, cos) = angle.sin_cos();
                    pair.copy_from_slice(&[size * cos, size * sin]);
                }
            });
        }
        images
    }
}

/// Points whose angles are held at once.
const BLOCK: usize = 512;

impl fmt::Display for Fourier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, frequencies, seed } = self;
        write!(f, "fourier({kernel}, frequencies={frequencies}, seed={seed})")
    }
}

/// A draw from the standard normal distribution (Box and Muller).
fn normal(random: &mut SplitMix) -> f64 {
    let (radius, angle) = ((-2.0 * random.uniform().ln()).sqrt(), TAU * random.uniform());
    radius * angle.cos()
}

/// A draw from the standard Cauchy distribution.
fn cauchy(random: &mut SplitMix) -> f64 {
    (0.5 * TAU * (random.uniform() - 0.5)).tan()
}
