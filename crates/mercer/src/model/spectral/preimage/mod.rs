//! Back from feature space: points whose images are near to a projection.
//!
//! The projection of x on the components of a kernel PCA is Pφ(x) = Σₖ yₖVₖ + mean φ = Σ γ̃ᵢ φ(xᵢ) with
//! γ̃ᵢ = Σₖ yₖαᵢᵏ + wᵢ/N: the mean, which centring took out, is put back. In general nothing of input space has it as its image,
//! and one looks for z with a small ‖φ(z) − Pφ(x)‖². Noise lies along the components that were left out: z is x without
//! it (Mika, Schölkopf, Smola, Müller, Scholz and Rätsch 1999). Each [`Way`] says what it does and for which kernels.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::rbf;
//! use mercer::model::{Pca, Way};
//!
//! // A circle; a point beside it is drawn back to it.
//! let circle: Vec<f64> = (0..60).flat_map(|i| [(f64::from(i) * 0.105).cos(), (f64::from(i) * 0.105).sin()]).collect();
//! let model = Pca::new(rbf(0.5)).components(4).fit(&Vectors::dense(2, circle))?;
//! let found = model.denoise(&Vectors::dense(2, vec![1.3, 0.4]), &Way::fixed_point())?;
//! let z = found.points.row(0);
//! assert!(found.convergence[0].converged && (z[0].hypot(z[1]) - 1.0).abs() < 0.05);
//! # Ok::<(), mercer::Error>(())
//! ```

mod distances;
mod fixed_point;
mod ridge;
#[cfg(test)]
mod tests;

use super::PcaModel;
use crate::data::{Dense, Points, Vectors};
use crate::error::{DataProblem, ErrorKind, Result, check};
use crate::kernel::{Expr, VectorExpr, VectorKernel};
use crate::linalg::{Tall, WIDTH};
use crate::model::space::Space;
use crate::solve::room;

pub use fixed_point::{Convergence, Start};

/// How a projection becomes a point.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Way {
    /// z = Σ γ̃ᵢxᵢ, exactly: with the kernel `linear`, where this is linear PCA.
    Linear,
    /// z ← Σ γ̃ᵢk(z, xᵢ)xᵢ / Σ γ̃ᵢk(z, xᵢ) until it rests (Mika et al. 1999): a stationary point of ‖φ(z) − Pφ(x)‖², for
    /// the kernel `rbf`. O(nd) for each step of each point. Begins at the point to be denoised; where that does not end, at
    /// the training point nearest to the projection, then at the mean of all.
    FixedPoint {
        /// Steps at most, from each start.
        steps: usize,
        /// Rests where a step is at most this share of ‖z‖.
        tolerance: f64,
    },
    /// The place whose distances to the nearest training points are those of feature space, as the kernel translates them
    /// (Kwok and Tsang 2004): no iteration. For kernels whose value tells the distance (`rbf`, `matern`, `rational`,
    /// `plummer`) or the inner product (`linear`, `poly` of odd degree).
    Distances {
        /// How many of the nearest.
        neighbours: usize,
    },
    /// A kernel ridge regression from components to points, learnt on the training points (Bakır, Weston and Schölkopf
    /// 2004): any kernel. O(n³) once.
    Ridge {
        /// The kernel on components; none for that of the model, as in scikit-learn.
        kernel: Option<VectorExpr>,
        /// λ > 0, what is added to the diagonal.
        lambda: f64,
    },
}

impl Way {
    /// At most 1000 steps, to a millionth of ‖z‖.
    #[must_use]
    pub fn fixed_point() -> Self {
        Self::FixedPoint { steps: 1000, tolerance: 1e-6 }
    }

    /// Ten neighbours, as in the paper.
    #[must_use]
    pub fn distances() -> Self {
        Self::Distances { neighbours: 10 }
    }

    /// λ = 0.001 and the kernel of the model.
    #[must_use]
    pub fn ridge() -> Self {
        Self::Ridge { kernel: None, lambda: 1e-3 }
    }

    /// The best that a kernel has: exact for `linear`, the fixed point for `rbf`, else the regression.
    #[must_use]
    pub fn for_kernel(kernel: &VectorExpr) -> Self {
        match leaf(kernel) {
            Some(VectorKernel::Linear) => Self::Linear,
            Some(VectorKernel::Rbf { .. }) => Self::fixed_point(),
            _ => Self::ridge(),
        }
    }

    /// Refuses parameters out of range, and kernels that the way is not for.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self, kernel: &VectorExpr) -> Result<()> {
        if Vectors::is_precomputed(kernel) {
            return unsupported("pre-images with a precomputed kernel: its points are unknown");
        }
        match self {
            Self::Linear if leaf(kernel) != Some(&VectorKernel::Linear) => {
                unsupported("exact pre-images with another kernel than linear; use the ridge regression")
            }
            Self::Linear => Ok(()),
            Self::FixedPoint { steps, tolerance } => {
                fixed_point::gamma(kernel)?;
                check("steps", *steps as f64, *steps > 0, "must be at least 1")?;
                let holds = *tolerance > 0.0 && tolerance.is_finite();
                check("tolerance", *tolerance, holds, "must be positive and finite")
            }
            Self::Distances { neighbours } => {
                distances::Inverse::of(kernel)?;
                check("neighbours", *neighbours as f64, *neighbours > 1, "must be at least 2")
            }
            Self::Ridge { kernel, lambda } => {
                kernel.as_ref().map_or(Ok(()), VectorExpr::check)?;
                let holds = *lambda > 0.0 && lambda.is_finite();
                check("lambda", *lambda, holds, "must be positive and finite")
            }
        }
    }
}

/// Points of input space found for projections.
#[derive(Debug, Clone, PartialEq)]
pub struct PreImages {
    /// A row for each.
    pub points: Dense<f64>,
    /// How each was found, where it was by steps; else empty.
    pub convergence: Vec<Convergence>,
}

impl PcaModel<Vectors, VectorExpr> {
    /// Each of `points` without what lies along other components than the model's.
    ///
    /// # Errors
    /// If the points do not fit the model, or the way its kernel.
    pub fn denoise(&self, points: &Vectors, way: &Way) -> Result<PreImages> {
        way.check(self.expansion.kernel())?;
        let scores = self.transform(points)?;
        self.find(&scores, Some(points), way)
    }

    /// The points with these components, a row for each.
    ///
    /// # Errors
    /// If the scores are not one for each component, or the way is not for the kernel.
    pub fn pre_images(&self, scores: &Dense<f64>, way: &Way) -> Result<PreImages> {
        way.check(self.expansion.kernel())?;
        let (found, expected) = (scores.columns(), self.components());
        if found != expected {
            return Err(ErrorKind::Data(DataProblem::Width { found, expected }).into());
        }
        Vectors::from(scores.clone()).check_finite()?;
        self.find(scores, None, way)
    }

    fn find(&self, scores: &Dense<f64>, starts: Option<&Vectors>, way: &Way) -> Result<PreImages> {
        let d = self.expansion.points().width();
        let bytes = 8 * (self.weights.len() as u64) * (d as u64 + WIDTH as u64);
        room("the training points, every feature of them,", bytes, None, "take fewer features")?;
        let points = match way {
            Way::FixedPoint { steps, tolerance } => {
                return fixed_point::find(self, scores, starts, *steps, *tolerance);
            }
            Way::Linear => {
                let inputs = inputs(self.expansion.points());
                let rows: Vec<f64> = (0..scores.len()).flat_map(|i| self.expand(scores.row(i))).collect();
                let sums = inputs.multiplied_by_rows(&rows);
                (0..scores.len()).flat_map(|i| sums.row(i, d)).collect()
            }
            Way::Distances { neighbours } => distances::find(self, scores, *neighbours)?,
            Way::Ridge { kernel, lambda } => ridge::find(self, scores, kernel.as_ref(), *lambda)?,
        };
        Ok(PreImages { points: Dense::new(d, points), convergence: Vec::new() })
    }

    /// γ̃ for the scores of a point.
    fn expand(&self, scores: &[f64]) -> Vec<f64> {
        let total: f64 = self.weights.iter().sum();
        let rows = self.coefficients().chunks(self.components()).zip(&self.weights);
        let sum = |row: &[f64]| row.iter().zip(scores).map(|(alpha, y)| alpha * y).sum::<f64>();
        rows.map(|(row, w)| sum(row) + w / total).collect()
    }

    /// ‖Pφ(x)‖² = Σ yₖ² + 2Σ yₖ⟨Vₖ, mean φ⟩ + ‖mean φ‖²; the inner products are the offsets.
    fn square_norm(&self, scores: &[f64]) -> f64 {
        let total: f64 = self.weights.iter().sum();
        let mean = self.weights.iter().zip(&self.row_means).map(|(w, m)| w * m).sum::<f64>() / total;
        scores.iter().zip(self.expansion.offsets()).map(|(y, b)| y * (y + 2.0 * b)).sum::<f64>() + mean
    }

    /// ⟨Pφ(x), φ(xᵢ)⟩ for each training point: Σ yₖ(yᵢₖ + bₖ) + mᵢ.
    fn inner_products(&self, scores: &[f64], own: &Dense<f64>) -> Vec<f64> {
        let shift: f64 = scores.iter().zip(self.expansion.offsets()).map(|(y, b)| y * b).sum();
        let inner = |i: usize| own.row(i).iter().zip(scores).map(|(a, b)| a * b).sum::<f64>();
        self.row_means.iter().enumerate().map(|(i, mean)| inner(i) + shift + mean).collect()
    }
}

/// The kernel itself, where the expression is one kernel on the points as they are.
fn leaf(kernel: &VectorExpr) -> Option<&VectorKernel> {
    match kernel {
        Expr::Leaf(leaf) if leaf.maps.is_empty() => Some(&leaf.kernel),
        _ => None,
    }
}

fn unsupported<T>(what: &str) -> Result<T> {
    Err(ErrorKind::Unsupported { what: what.into() }.into())
}

/// All features of some points, in double precision.
fn inputs(points: &Vectors) -> Tall {
    let d = points.width();
    let mut rows = vec![0.0; d];
    let mut row_of = usize::MAX;
    // Entries are asked for row after row within a panel.
    Tall::from_fn(points.len(), d.div_ceil(WIDTH), |i, k| {
        if row_of != i {
            rows.fill(0.0);
            points.row(i).for_each(|k, value| rows[k] = value);
            row_of = i;
        }
        rows.get(k).copied().unwrap_or(0.0)
    })
}
