//! Newton's method on few features of very many rows, whose sums may be made anywhere.
//!
//! P(w) = ½‖w‖² + Σ costᵢ(⟨w, zᵢ⟩), for costs with a derivative. With βᵢ = −cost′ᵢ a round needs of the rows three sums alone,
//!
//! Σ costᵢ, u = Σ βᵢzᵢ, H = Σ cost″ᵢ zᵢzᵢᵀ,
//!
//! which are those of any parts of the rows added up. Then ∇P = w − u, and the step −(I + H)⁻¹∇P is halved until P falls. As P is 1-strongly
//! convex and β is dual feasible, primal minus dual objective is exactly ½‖∇P‖²: by Fenchel and Young, cost(m) + cost*(−β) = −βm, so that
//! ½‖w‖² + Σ cost − (−½‖u‖² − Σ cost*(−β)) = ½‖w‖² + ½‖u‖² − ⟨w, u⟩. Squared errors take one round: what is left after its step is known without
//! another look at the rows.
//!
//! Cost of a round for n rows of m features: n·m² multiplications for H, m³/3 for the step. Memory: m² numbers, and a block of rows.

use super::Cost;
use crate::error::{DataProblem, ErrorKind, Result};
use crate::linalg::{Cholesky, Lower, add_inner, dot};
use crate::memory::room;
use crate::solve::{Certificate, Stop};
use rayon::prelude::*;

/// The share of the fall that the slope promises which a step must have.
const FALL: f64 = 1e-4;
/// A fall below this share of the objective is rounding.
const ROUNDING: f64 = 1e-13;
/// Steps shorter than this share of Newton's are none.
const SHORTEST: f64 = 1e-8;

/// Sums over rows at some weights.
#[derive(Clone)]
pub(crate) struct Sums {
    /// Σ cost
    pub(crate) cost: f64,
    /// Rows.
    pub(crate) rows: u64,
    /// Σ βz
    pub(crate) slope: Vec<f64>,
    /// Σ cost″ zzᵀ
    pub(crate) curvature: Lower,
}

impl Sums {
    /// The sums over no rows, of so many features.
    ///
    /// # Errors
    /// If there is no memory for the matrix, and for the factor that a step makes of it.
    pub(crate) fn zero(features: usize) -> Result<Self> {
        let needed = 3_u64.saturating_mul(Lower::<f64>::bytes(features));
        room("the sums of a fit in rounds", needed, None, "take fewer landmarks or frequencies")?;
        Ok(Self { cost: 0.0, rows: 0, slope: vec![0.0; features], curvature: Lower::zeros(features) })
    }

    /// Adds those over some rows, each of as many numbers as there are features.
    pub(crate) fn add(
        &mut self,
        rows: &[Vec<f64>],
        (targets, prices): (&[f64], &[f64]),
        cost: Cost,
        weights: &[f64],
    ) {
        let of = |((row, &y), &c): ((&Vec<f64>, &f64), &f64)| {
            let output = dot(row, weights);
            let (beta, curvature) = cost.answer(y, c, (0.0, 1.0), output);
            (cost.value(y, c, output), beta, curvature.sqrt())
        };
        let all: Vec<(f64, f64, f64)> = rows.par_iter().zip(targets).zip(prices).map(of).collect();
        self.cost += all.iter().map(|own| own.0).sum::<f64>();
        self.rows += rows.len() as u64;
        // Rows without curvature are left out of the product.
        let curved: Vec<usize> = (0..rows.len()).filter(|&i| all[i].2 > 0.0).collect();
        let column = |k: usize| curved.iter().map(|&i| all[i].2 * rows[i][k]).collect::<Vec<f64>>();
        let columns: Vec<Vec<f64>> = (0..self.slope.len()).into_par_iter().map(column).collect();
        add_inner(&mut self.curvature, &columns);
        let sloped: Vec<usize> = (0..rows.len()).filter(|&i| all[i].1 != 0.0).collect();
        self.slope.par_iter_mut().enumerate().for_each(|(k, sum)| {
            *sum += sloped.iter().map(|&i| all[i].1 * rows[i][k]).sum::<f64>();
        });
    }

    /// Adds the sums over other rows.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.cost += other.cost;
        self.rows += other.rows;
        self.slope.iter_mut().zip(&other.slope).for_each(|(sum, own)| *sum += own);
        let add = |(i, row): (usize, &mut [f64])| {
            row.iter_mut().zip(other.curvature.row(i)).for_each(|(sum, own)| *sum += own);
        };
        self.curvature.rows_mut().into_par_iter().enumerate().for_each(add);
    }

    /// The product with I + H.
    fn hessian(&self, vector: &[f64]) -> Vec<f64> {
        let mut product = [vector.to_vec()];
        self.curvature.product(&mut product);
        let [product] = product;
        product.iter().zip(vector).map(|(h, v)| h + v).collect()
    }
}

/// The weights of a round, and where they come from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Round {
    /// Its number, from 0.
    pub(crate) number: u64,
    /// w
    pub(crate) weights: Vec<f64>,
    /// The step that led here; none to the first.
    pub(crate) step: Option<Step>,
}

/// A step from weights at which the sums are known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    from: Vec<f64>,
    direction: Vec<f64>,
    /// P there, and its slope along the direction.
    pub(crate) value: f64,
    slope: f64,
    /// The share of the direction that is gone.
    share: f64,
    pub(crate) gap: f64,
}

/// When rounds end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Until {
    /// The largest gap, as a share of the primal objective.
    pub(crate) tolerance: f64,
    /// The most rounds.
    pub(crate) rounds: u64,
}

impl Round {
    /// The first round of so many features, at w = 0.
    pub(crate) fn first(features: usize) -> Self {
        Self { number: 0, weights: vec![0.0; features], step: None }
    }

    /// Goes on to the next weights, or says why these are the last.
    ///
    /// # Errors
    /// If the sums are not finite, or the matrix cannot be factorised.
    pub(crate) fn advance(&mut self, sums: &Sums, cost: Cost, until: Until) -> Result<Option<Certificate>> {
        let not_finite = || ErrorKind::Data(DataProblem::FitNotFinite);
        let value = 0.5 * dot(&self.weights, &self.weights) + sums.cost;
        let gradient: Vec<f64> = self.weights.iter().zip(&sums.slope).map(|(w, u)| w - u).collect();
        let square = dot(&gradient, &gradient);
        if !value.is_finite() || !square.is_finite() {
            return Err(not_finite().into());
        }
        self.number += 1;
        let ended = |round: &Self, value: f64, gap: f64, stop: Stop| Certificate {
            objective: gap - value,
            gap: Some(gap),
            violation: (2.0 * gap).sqrt(),
            iterations: round.number,
            rows: 0.0,
            stop,
            exact: false,
        };
        if let Some(step) = &mut self.step {
            let promised = FALL * step.share * step.slope + ROUNDING * step.value.abs();
            if value > step.value + promised {
                let spent = self.number >= until.rounds;
                if step.share < SHORTEST || spent {
                    // Back to the best weights there were.
                    let (value, gap) = (step.value, step.gap);
                    self.weights = step.from.clone();
                    let stop = if spent { Stop::IterationLimit } else { Stop::Stalled };
                    return Ok(Some(ended(self, value, gap, stop)));
                }
                step.share *= 0.5;
                self.weights = moved(&step.from, &step.direction, step.share);
                return Ok(None);
            }
        }
        let gap = 0.5 * square;
        if gap <= until.tolerance * value {
            return Ok(Some(ended(self, value, gap, Stop::Converged)));
        }
        if self.number >= until.rounds && !is_quadratic(cost) {
            return Ok(Some(ended(self, value, gap, Stop::IterationLimit)));
        }
        let mut matrix = sums.curvature.clone();
        matrix.add_diagonal(|_| 1.0);
        let factor = Cholesky::new(matrix, &mut |_| std::ops::ControlFlow::Continue(()));
        let factor = factor.map_err(|_| not_finite())?;
        let mut direction = [gradient.iter().map(|g| -g).collect::<Vec<f64>>()];
        factor.solve(&mut direction);
        let [direction] = direction;
        let slope = dot(&gradient, &direction);
        let from = std::mem::take(&mut self.weights);
        self.weights = moved(&from, &direction, 1.0);
        if is_quadratic(cost) {
            let product = sums.hessian(&direction);
            let left: f64 = gradient.iter().zip(&product).map(|(g, p)| (g + p).powi(2)).sum();
            let value = value + slope + 0.5 * dot(&direction, &product);
            if 0.5 * left <= until.tolerance * value {
                return Ok(Some(ended(self, value, 0.5 * left, Stop::Converged)));
            }
        }
        self.step = Some(Step { from, direction, value, slope, share: 1.0, gap });
        Ok(None)
    }
}

/// Σ |βᵢ|√rᵢ of some rows.
pub(crate) fn left_out(
    rows: &[Vec<f64>],
    (targets, prices): (&[f64], &[f64]),
    residual: &[f64],
    cost: Cost,
    weights: &[f64],
) -> f64 {
    let of = |(((row, &y), &c), r): (((&Vec<f64>, &f64), &f64), &f64)| {
        cost.answer(y, c, (0.0, 1.0), dot(row, weights)).0.abs() * r.sqrt()
    };
    rows.iter().zip(targets).zip(prices).zip(residual).map(of).sum()
}

/// Whether the objective is a quadratic function of the weights.
fn is_quadratic(cost: Cost) -> bool {
    cost == Cost::SquaredInsensitive(0.0)
}

fn moved(from: &[f64], direction: &[f64], share: f64) -> Vec<f64> {
    from.iter().zip(direction).map(|(w, d)| w + share * d).collect()
}
