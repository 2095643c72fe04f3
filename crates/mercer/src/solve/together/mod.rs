//! Machines of several classes that are one programme, not one for each pair or class; any kernel, no bias.
//!
//! Minimise ½ Σ_c ‖w_c‖² + Σᵢ cᵢ ℓ(yᵢ, F(xᵢ)) over one function for each class, F_c(x) = Σᵢ βᵢ_c k(xᵢ, x). The [`Loss`]
//! is that of Crammer and Singer, of Weston and Watkins, or the softmax; each has a file that begins with its programme.
//! Without a bias the dual has no constraint between points:
//!
//! minimise ½ Σ_c β_cᵀKβ_c + Σᵢ ψᵢ(βᵢ), where ψᵢ(b) = cᵢ ℓ*(−b/cᵢ) with the conjugate ℓ* of the loss,
//!
//! and the k coefficients of one point, with all others fixed, are a small problem that each loss solves exactly. That is
//! all the engine here knows of it. Each round it takes the q points that violate their optimality conditions most,
//! borrows their kernel rows in one block, goes through them point by point until little violation is left among them,
//! and adds what has changed to the scores F = Kβ of all points.
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

/// What a point costs whose scores are F and whose class is y.
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

    /// The word used in files and output.
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

/// The programme of all classes together, in numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct MulticlassProblem {
    /// The class of each point, from 0.
    pub labels: Vec<u32>,
    /// k: how many classes.
    pub classes: usize,
    /// cᵢ > 0: the price of each point's loss.
    pub c: Vec<f64>,
    /// ℓ
    pub loss: Loss,
}

/// A point of the dual and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct MulticlassSolution {
    /// β, point after point, k each.
    pub coefficients: Vec<f64>,
    /// How good it is; an iteration is a step of one point.
    pub certificate: Certificate,
    /// Where the time went.
    pub phases: Phases,
}

impl MulticlassProblem {
    /// Refuses a problem whose parts do not fit.
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

    /// Solves the problem on the Gram. Of the settings, no point is ever set aside, whatever `shrinking` says; `exact` is
    /// left out beyond 4096 points, for a softmax where n(k − 1) is more.
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

/// What a loss knows of a point.
#[derive(Debug, Clone, Copy)]
struct Point {
    /// y
    class: usize,
    /// cᵢ
    c: f64,
}

/// The part of the programme that belongs to one point: k coefficients `beta` and k `scores`.
///
/// `scratch` is memory to work in; what it holds before and after means nothing.
trait PointProblem: Send + Sync {
    /// How far the point is from optimal, 0 where it is: what is compared with the tolerance.
    fn violation(point: Point, beta: &[f64], scores: &[f64], scratch: &mut Vec<f64>) -> f64;

    /// Makes the coefficients optimal with those of all other points fixed: the scores become F + curvature·Δβ.
    fn step(point: Point, curvature: f64, scores: &[f64], beta: &mut [f64], scratch: &mut Vec<f64>);

    /// c ℓ(y, F)
    fn loss(point: Point, scores: &[f64]) -> f64;

    /// ψ(β)
    fn conjugate(point: Point, beta: &[f64]) -> f64;

    /// Unknowns of the linear system that [`settle`](Self::settle) has to solve, as far as they are known before.
    fn unknowns(_points: usize, _classes: usize) -> usize {
        0
    }

    /// From near the optimum, makes the points optimal together to rounding, those perhaps not that are outside the face
    /// of the bounds it ends on. Returns the violation that is left among the others; none where it takes too much.
    fn settle(dense: &mut exact::Dense<'_>) -> Option<f64>;
}

/// A point whose k(x, x) is zero has scores of zero and is free to be anything; the floor keeps its step finite. The
/// coefficients of such a point are right to one part in 10⁷ or so.
const MIN_CURVATURE: f64 = 1e-9;
