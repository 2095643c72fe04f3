//! Kernel ridge regression: (K + λW⁻¹)α + b1 = y, with 1ᵀα = 0 if there is an offset b.
//!
//! With G = K + λW⁻¹, u = G⁻¹1 and v = G⁻¹y the offset is b = 1ᵀv / 1ᵀu and α = v − bu. The leave-one-out residual of point i
//! (its target minus the prediction of a fit without the point) is αᵢ/Cᵢᵢ, with C = G⁻¹ − uuᵀ/1ᵀu (C = G⁻¹ without an
//! offset). This is exact, by the block inverse of the system, and costs the diagonal of G⁻¹.

use rayon::prelude::*;

use crate::error::{DataProblem, ErrorKind, Result};
use crate::linalg::{Broken, Cholesky, Eigen, Lower, Square, Tick};
use crate::solve::Plan;

/// A relative residual above this is reduced by another round of refinement.
const WORTH_REFINING: f64 = 1e-14;

/// The most rounds of refinement; each costs two passes over the matrix.
const REFINEMENTS: usize = 10;

/// The relative residual that refinement by a factor in single precision must reach; if it does not, a factor in double
/// precision is computed.
const ACCEPTED: f64 = 1e-12;

/// The number of points from which on a factor in single precision pays.
const WORTH_ROUNDING: usize = 512;

/// Points whose sums over all eigenvectors one thread computes at a time: a fixed number, so that the bits do not depend on
/// the number of threads.
const CHUNK: usize = 256;

/// A ridge regression: λ, the weights of the points, and whether there is an offset.
pub(crate) struct Ridge<'a> {
    pub(crate) lambda: f64,
    pub(crate) weights: &'a [f64],
    pub(crate) offset: bool,
}

/// The solution for each target, f = Kα + b, and how well it satisfies the system.
pub(crate) struct Solved {
    pub(crate) coefficients: Vec<Vec<f64>>,
    pub(crate) offsets: Vec<f64>,
    /// The largest ‖Gα + b1 − y‖/‖y‖.
    pub(crate) residual: f64,
    /// For each target, the leave-one-out residual of each point, if that was asked for.
    pub(crate) left_out: Option<Vec<Vec<f64>>>,
}

impl Ridge<'_> {
    /// The diagonal of λW⁻¹, which G has in addition to K.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        self.weights.iter().map(|w| self.lambda / w).collect()
    }

    /// The right sides of the linear systems: the targets and, if there is an offset, the vector 1.
    pub(crate) fn right_sides(&self, targets: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let mut right = targets.to_vec();
        if self.offset {
            right.push(vec![1.0; self.weights.len()]);
        }
        right
    }

    /// Computes α and b from the solutions for all right sides (`solved`) and their residuals (`over`).
    pub(crate) fn combine(
        &self,
        targets: &[Vec<f64>],
        mut solved: Vec<Vec<f64>>,
        mut over: Vec<Vec<f64>>,
    ) -> Solved {
        let (u, u_over) = match self.offset {
            true => (solved.pop().unwrap_or_default(), over.pop().unwrap_or_default()),
            false => (vec![0.0; self.weights.len()], vec![0.0; self.weights.len()]),
        };
        let sum_u: f64 = u.iter().sum();
        let (mut offsets, mut residual) = (Vec::new(), 0.0_f64);
        for ((v, over), y) in solved.iter_mut().zip(&over).zip(targets) {
            let b = if self.offset { v.iter().sum::<f64>() / sum_u } else { 0.0 };
            v.iter_mut().zip(&u).for_each(|(v, u)| *v -= b * u);
            let left = over.iter().zip(&u_over).map(|(over, u_over)| over - b * u_over);
            residual = residual.max(ratio(norm(left), norm(y.iter().copied())));
            offsets.push(b);
        }
        Solved { coefficients: solved, offsets, residual, left_out: None }
    }

    /// Solves the regression by a Cholesky factor; `left_out` asks for leave-one-out residuals. The work is stage `at` of
    /// the plan and, with `left_out`, stage `at + 1`.
    ///
    /// # Errors
    /// If G is not positive definite, or the work is interrupted.
    pub(crate) fn direct(
        &self,
        mut k: Lower,
        targets: &[Vec<f64>],
        left_out: bool,
        plan: &mut Plan<'_>,
        at: usize,
    ) -> Result<Solved> {
        let ridge = self.diagonal();
        k.add_diagonal(|i| ridge[i]);
        let right = self.right_sides(targets);
        if !left_out
            && k.n() >= WORTH_ROUNDING
            && let Some((solved, over)) = by_single(&k, &right, &mut plan.stage(at))?
        {
            return Ok(self.combine(targets, solved, over));
        }
        let factor = Cholesky::new(k.scaled::<f64>(&vec![1.0; k.n()]), &mut plan.stage(at))?;
        let (solved, over) = refined(&k, &right, |right| factor.solve(right));
        let u = self.offset.then(|| solved[targets.len()].clone());
        let mut answer = self.combine(targets, solved, over);
        drop(k);
        if left_out {
            let inverse = factor.inverse_diagonal(&mut plan.stage(at + 1))?;
            answer.left_out = Some(missed(&answer.coefficients, &inverse, u.as_deref()));
        }
        Ok(answer)
    }
}

/// Solutions x and their residuals Gx − y.
type Refined = (Vec<Vec<f64>>, Vec<Vec<f64>>);

/// The solutions by a factor in single precision of the matrix scaled to a diagonal of ones; `None` if refinement does not
/// reach the accepted residual.
///
/// # Errors
/// If the work is interrupted.
fn by_single(k: &Lower, right: &[Vec<f64>], tick: Tick<'_>) -> Result<Option<Refined>> {
    let scale: Vec<f64> = k.diagonal().iter().map(|d| 1.0 / d.sqrt()).collect();
    if !scale.iter().all(|s| s.is_finite()) {
        return Ok(None);
    }
    let factor = match Cholesky::new(k.scaled::<f32>(&scale), tick) {
        Ok(factor) => factor,
        Err(Broken::NotDefinite(_)) => return Ok(None),
        Err(broken) => return Err(broken.into()),
    };
    let times = |vectors: &mut [Vec<f64>]| {
        vectors.iter_mut().for_each(|v| v.iter_mut().zip(&scale).for_each(|(value, s)| *value *= s));
    };
    let (solved, over) = refined(k, right, |right| {
        times(right);
        factor.solve(right);
        times(right);
    });
    Ok((worst(&over, right) <= ACCEPTED).then_some((solved, over)))
}

/// The solutions of all systems by the approximate inverse `solve`, refined as long as each round at least halves the
/// residual.
fn refined(k: &Lower, right: &[Vec<f64>], solve: impl Fn(&mut [Vec<f64>])) -> Refined {
    let left = |solved: &[Vec<f64>]| {
        let mut over = solved.to_vec();
        k.product(&mut over);
        let parts = over.iter_mut().zip(right);
        parts.for_each(|(over, y)| over.iter_mut().zip(y).for_each(|(over, y)| *over -= y));
        over
    };
    let mut solved = right.to_vec();
    solve(&mut solved);
    let mut over = left(&solved);
    for _ in 0..REFINEMENTS {
        if worst(&over, right) <= WORTH_REFINING {
            break;
        }
        let mut step = over.clone();
        solve(&mut step);
        let minus = |(x, step): (&Vec<f64>, &Vec<f64>)| x.iter().zip(step).map(|(x, s)| x - s).collect();
        let better: Vec<Vec<f64>> = solved.iter().zip(&step).map(minus).collect();
        let better_over = left(&better);
        let (before, now) = (worst(&over, right), worst(&better_over, right));
        if now < before {
            (solved, over) = (better, better_over);
        }
        if now.is_nan() || now >= 0.5 * before {
            break;
        }
    }
    (solved, over)
}

/// The largest relative residual; infinite if one is NaN.
fn worst(over: &[Vec<f64>], right: &[Vec<f64>]) -> f64 {
    let one = |(over, y): (&Vec<f64>, &Vec<f64>)| ratio(norm(over.iter().copied()), norm(y.iter().copied()));
    // `f64::max` would ignore NaN.
    over.iter().zip(right).map(one).fold(0.0, |a, b| if b.is_nan() { f64::INFINITY } else { a.max(b) })
}

/// The leave-one-out residuals αᵢ/Cᵢᵢ of each target, from the diagonal of G⁻¹ and, if there is an offset, from u.
fn missed(coefficients: &[Vec<f64>], inverse: &[f64], u: Option<&[f64]>) -> Vec<Vec<f64>> {
    let sum: f64 = u.map_or(1.0, |u| u.iter().sum());
    let c: Vec<f64> = match u {
        None => inverse.to_vec(),
        Some(u) => inverse.iter().zip(u).map(|(g, u)| g - u * u / sum).collect(),
    };
    coefficients.iter().map(|alpha| alpha.iter().zip(&c).map(|(a, c)| a / c).collect()).collect()
}

/// The solutions for any λ from one decomposition: K̃ = W^½KW^½ = UΛUᵀ, so that G⁻¹ = W^½U(Λ + λ)⁻¹UᵀW^½.
pub(crate) struct Path<'a> {
    eigen: Eigen,
    weights: &'a [f64],
    offset: bool,
    targets: &'a [Vec<f64>],
    /// UᵀW^½y for each target y, and at last for the vector 1.
    projected: Vec<Vec<f64>>,
}

impl<'a> Path<'a> {
    /// Decomposes W^½KW^½, in the memory of K.
    ///
    /// # Errors
    /// If K is not finite.
    pub(crate) fn new(
        mut k: Square,
        weights: &'a [f64],
        offset: bool,
        targets: &'a [Vec<f64>],
    ) -> Result<Self> {
        let root: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        k.scale(&root);
        let eigen = Eigen::of(&k).ok_or(ErrorKind::Data(DataProblem::NotDefinite { row: 1 }))?;
        drop(k);
        let ones = vec![1.0; weights.len()];
        let project = |y: &Vec<f64>| {
            let scaled: Vec<f64> = y.iter().zip(&root).map(|(y, r)| y * r).collect();
            let dot = |k: usize| eigen.column(k).iter().zip(&scaled).map(|(u, y)| u * y).sum();
            (0..weights.len()).into_par_iter().map(dot).collect()
        };
        let projected = targets.iter().chain([&ones]).map(project).collect();
        Ok(Self { eigen, weights, offset, targets, projected })
    }

    /// The eigenvalues of W^½KW^½, ascending.
    pub(crate) fn eigenvalues(&self) -> &[f64] {
        &self.eigen.values
    }

    /// The solution for λ with the leave-one-out residuals of all points. O(n²) for each target.
    ///
    /// # Errors
    /// If K + λW⁻¹ is not positive definite.
    pub(crate) fn at(&self, lambda: f64) -> Result<Solved> {
        let n = self.weights.len();
        if !(self.eigen.values.first().is_none_or(|least| least + lambda > 0.0)) {
            return Err(ErrorKind::Data(DataProblem::NotDefinite { row: n }).into());
        }
        let shrink: Vec<f64> = self.eigen.values.iter().map(|value| 1.0 / (value + lambda)).collect();
        // Sums over the eigenvectors: the diagonal of (K̃ + λ)⁻¹, and its products with the right sides.
        let mut sums = vec![vec![0.0; n]; 1 + self.projected.len()];
        let mut pieces: Vec<Vec<&mut [f64]>> = (0..n.div_ceil(CHUNK)).map(|_| Vec::new()).collect();
        for row in &mut sums {
            row.chunks_mut(CHUNK).zip(&mut pieces).for_each(|(chunk, piece)| piece.push(chunk));
        }
        pieces.into_par_iter().enumerate().for_each(|(chunk, mut piece)| {
            let rows = chunk * CHUNK..chunk * CHUNK + piece[0].len();
            for k in 0..n {
                let u = &self.eigen.column(k)[rows.clone()];
                piece[0].iter_mut().zip(u).for_each(|(sum, u)| *sum += shrink[k] * u * u);
                for (sums, projected) in piece[1..].iter_mut().zip(&self.projected) {
                    let factor = shrink[k] * projected[k];
                    sums.iter_mut().zip(u).for_each(|(sum, u)| *sum += factor * u);
                }
            }
        });
        let root = |w: &f64| w.sqrt();
        let inverse: Vec<f64> = sums[0].iter().zip(self.weights).map(|(sum, w)| sum * w).collect();
        let scaled = |sums: &Vec<f64>| sums.iter().zip(self.weights).map(|(sum, w)| sum * root(w)).collect();
        let mut solved: Vec<Vec<f64>> = sums[1..].iter().map(scaled).collect();
        if !self.offset {
            solved.pop();
        }
        let ridge = Ridge { lambda, weights: self.weights, offset: self.offset };
        let u = self.offset.then(|| solved[self.targets.len()].clone());
        let nothing = vec![vec![0.0; n]; solved.len()];
        let mut answer = ridge.combine(self.targets, solved, nothing);
        answer.left_out = Some(missed(&answer.coefficients, &inverse, u.as_deref()));
        Ok(answer)
    }
}

/// ‖v‖
pub(super) fn norm(v: impl Iterator<Item = f64>) -> f64 {
    v.map(|x| x * x).sum::<f64>().sqrt()
}

/// a / b, and 0 for 0 / 0.
pub(super) fn ratio(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a / b }
}
