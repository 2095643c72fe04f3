//! Methods that solve one programme for several classes, not one for each pair or class; any kernel, no offset.
//!
//! Minimise ½ Σ_c ‖w_c‖² + Σᵢ cᵢ ℓ(yᵢ, F(xᵢ)) over one function for each class, F_c(x) = Σᵢ βᵢ_c k(xᵢ, x). The [`Loss`]
//! is that of Crammer and Singer, of Weston and Watkins, or the softmax; each has a file that begins with its programme.
//! Without an offset the dual has no constraint between points:
//!
//! minimise ½ Σ_c β_cᵀKβ_c + Σᵢ ψᵢ(βᵢ), where ψᵢ(b) = cᵢ ℓ*(−b/cᵢ) with the conjugate ℓ* of the loss,
//!
//! and the k coefficients of one point, with all others fixed, are a small problem that each loss solves exactly. Each round
//! takes the q points that violate their optimality conditions most, gets their kernel rows in one block, solves the small
//! problems of these points one after the other until little violation is left among them, and updates the scores F = Kβ
//! of all points.
//!
//! **The gap.** Primal plus (minimised) dual objective is Σᵢ βᵢ·Fᵢ + ψᵢ(βᵢ) + cᵢ ℓ(yᵢ, Fᵢ): one term for each point, none
//! below zero (Fenchel and Young), all zero at the optimum.
//!
//! **Cost of a round:** q kernel rows (fewer where the cache holds them), n·k for the violations, q·n for each class that
//! changes, and a few times q²·k inside. Memory: the cache's budget and two n × k tables.
//!
//! Keerthi, Sundararajan, Chang, Hsieh and Lin (2008), *A sequential dual method for large scale multi-class linear SVMs*,
//! has the point-by-point steps for a linear kernel; Doğan, Glasmachers and Igel (2016) the family of losses.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::gram::Lazy;
//! use mercer::kernel::linear;
//! use mercer::solve::together::{Loss, MulticlassProblem};
//! use mercer::solve::{Smo, unwatched};
//!
//! // Two points ±1: F₀ = −F₁ = x/2 has the margin 1 on both, and ½(¼ + ¼) is its price.
//! let kernel = linear();
//! let gram = Lazy::new(&kernel, &Vectors::dense(1, vec![1.0, -1.0]))?;
//! let problem = MulticlassProblem { labels: vec![0, 1], classes: 2, c: vec![10.0; 2], loss: Loss::CrammerSinger };
//! let solution = problem.solve(&Smo::default(), &gram, &mut unwatched())?;
//! assert!((solution.certificate.objective + 0.25).abs() < 1e-3);
//! # Ok::<(), mercer::Error>(())
//! ```

mod crammer_singer;
mod descent;
mod exact;
mod inner;
mod scores;
mod softmax;
#[cfg(test)]
mod tests;
mod weston_watkins;

pub(crate) use softmax::softmax;

use super::{Certificate, Phases, Smo, Watch};
use crate::error::{Result, check};
use crate::gram::Gram;
use crammer_singer::CrammerSinger;
use descent::MulticlassDescent;
use softmax::Softmax;
use weston_watkins::WestonWatkins;

/// The loss of a point of class y with scores F.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss {
    /// max over c ≠ y of max(0, 1 − (F_y − F_c)): only the worst of the other classes counts.
    CrammerSinger,
    /// Σ over c ≠ y of max(0, 1 − (F_y − F_c)): each of the other classes counts.
    WestonWatkins,
    /// log Σ_c exp(F_c − F_y): the scores are log-probabilities up to a constant.
    Softmax,
}

impl Loss {
    /// All losses, for parsing and tables.
    pub const ALL: [Loss; 3] = [Loss::CrammerSinger, Loss::WestonWatkins, Loss::Softmax];

    /// The name used in files and output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Loss::CrammerSinger => "crammer-singer",
            Loss::WestonWatkins => "weston-watkins",
            Loss::Softmax => "softmax",
        }
    }
}

impl std::fmt::Display for Loss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The programme of all classes together.
#[derive(Debug, Clone, PartialEq)]
pub struct MulticlassProblem {
    /// The class of each point, from 0.
    pub labels: Vec<u32>,
    /// k: the number of classes.
    pub classes: usize,
    /// cᵢ > 0: the price of each point's loss.
    pub c: Vec<f64>,
    /// ℓ: the loss.
    pub loss: Loss,
}

/// The solution of a [`MulticlassProblem`] and its certificate.
#[derive(Debug, Clone, PartialEq)]
pub struct MulticlassSolution {
    /// β: k coefficients for each point, point after point.
    pub coefficients: Vec<f64>,
    /// What is proved about the solution; an iteration is a step of one point.
    pub certificate: Certificate,
    /// The time spent in each part of the solver.
    pub phases: Phases,
}

impl MulticlassProblem {
    /// Checks that there are one label and one price for each of `points` points, and that they are in range.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self, points: usize) -> Result<()> {
        let n = self.labels.len();
        check("labels", n as f64, n == points && self.c.len() == n, "must be one per point, as the prices")?;
        check("classes", self.classes as f64, self.classes >= 2, "must be at least 2")?;
        for (&label, &c) in self.labels.iter().zip(&self.c) {
            check("label", f64::from(label), (label as usize) < self.classes, "must be below the classes")?;
            check("c", c, c > 0.0 && c.is_finite(), "must be positive and finite")?;
        }
        Ok(())
    }

    /// Solves the problem on the Gram. The setting `shrinking` has no effect; `exact` has none beyond 4096 points, and for
    /// the softmax if n(k − 1) is more than 4096.
    ///
    /// # Errors
    /// If the settings or the problem are out of range, or a kernel value is not finite.
    pub fn solve(&self, settings: &Smo, gram: &dyn Gram, watch: Watch<'_>) -> Result<MulticlassSolution> {
        settings.check()?;
        self.check(gram.len())?;
        match self.loss {
            Loss::CrammerSinger => MulticlassDescent::<CrammerSinger>::new(settings, self, gram).solve(watch),
            Loss::WestonWatkins => MulticlassDescent::<WestonWatkins>::new(settings, self, gram).solve(watch),
            Loss::Softmax => MulticlassDescent::<Softmax>::new(settings, self, gram).solve(watch),
        }
    }

    fn point(&self, i: usize) -> Point {
        Point { class: self.labels[i] as usize, c: self.c[i] }
    }
}

/// The class and the price of a point.
#[derive(Debug, Clone, Copy)]
struct Point {
    /// y
    class: usize,
    /// cᵢ
    c: f64,
}

/// The part of the programme that belongs to one point, with k coefficients `beta` and k `scores`. A loss implements it.
///
/// `scratch` is memory for intermediate results; its contents are not used from call to call.
trait PointProblem: Send + Sync {
    /// The violation of the optimality conditions of the point, which is compared with the tolerance; 0 if they hold.
    fn violation(point: Point, beta: &[f64], scores: &[f64], scratch: &mut Vec<f64>) -> f64;

    /// Makes the coefficients optimal with those of all other points fixed: the scores become F + curvature·Δβ.
    fn step(point: Point, curvature: f64, scores: &[f64], beta: &mut [f64], scratch: &mut Vec<f64>);

    /// c ℓ(y, F)
    fn loss(point: Point, scores: &[f64]) -> f64;

    /// ψ(β)
    fn conjugate(point: Point, beta: &[f64]) -> f64;

    /// A lower bound of the number of unknowns of the linear systems that [`settle`](Self::settle) solves.
    fn unknowns(_points: usize, _classes: usize) -> usize {
        0
    }

    /// Moves coefficients that are near the optimum to the optimum, up to rounding, of the face on which it ends; points
    /// outside that face may still violate their conditions. Returns the largest violation left on the face; `None` if that
    /// takes too much time.
    fn settle(dense: &mut exact::Dense<'_>) -> Option<f64>;
}

/// The least curvature of a step. A point with k(x, x) = 0 has scores of zero whatever its coefficients; this floor keeps
/// its step finite. The relative error of its coefficients is about 10⁻⁷.
const MIN_CURVATURE: f64 = 1e-9;
