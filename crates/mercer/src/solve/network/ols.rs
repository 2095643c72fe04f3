//! Orthogonal least squares: units chosen one after the other among all candidates (Chen, Cowan and Grant 1991).
//!
//! The units at the points are the columns of H. With the columns chosen so far made orthonormal, q₁ … qₖ, the part of a
//! candidate h that is orthogonal to them explains (hᵀWr)²/(hᵀWh − Σ(qₗᵀWh)²) of the square of a target, r what is not
//! explained yet: its *error reduction*. The candidate with the largest one is chosen, qₖ₊₁ is its orthogonal part, and
//! every other candidate's two numbers change by its product with qₖ₊₁: one product Hᵀ(Wq) for each unit chosen, where
//! Gram–Schmidt on all candidates would change n columns. A constant is the first column.
//!
//! It ends when the errors at points left out, eᵢ = rᵢ/(1 − Σₗ qₗᵢ²) (see [`ridge`](super::ridge)), have not fallen any further for
//! some units, and the units up to the smallest error are kept; or when the part of the squares that is not explained
//! falls below a tolerance; or at a number of units.
//!
//! Cost: n² units for each one chosen, which are held where they fit into 512 megabytes and computed again where not.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::{Units, fill};
use crate::error::{ErrorKind, Result};
use crate::linalg::Tick;

/// Bytes of units that are held.
const HELD: usize = 512 << 20;

/// Points whose products one thread adds up at a time, whatever the number of threads.
const PIECE: usize = 256;

/// Units chosen without a smaller error at points left out before it ends: an error that has risen can fall again.
const PATIENCE: usize = 10;

/// A candidate of which less than this part is left is one of those chosen, as far as rounding tells.
const DEPENDENT: f64 = 1e-10;

/// Below this 1 − Σq² has few digits, and what is missed of a point that is all but interpolated is rounding.
const LEAST_LEFT: f64 = 1e-8;

/// When a choice ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends {
    /// Most units.
    pub(crate) units: usize,
    /// The part of the squares of the targets that may be left.
    pub(crate) tolerance: f64,
}

/// The units chosen.
pub(crate) struct Chosen {
    /// In the order in which they were chosen.
    pub(crate) units: Vec<usize>,
    /// After each, also after those beyond the smallest, the mean square that the fits without a point miss it by, in parts
    /// of the variance of each target.
    pub(crate) errors: Vec<f64>,
    /// The part of the squares that each explains.
    pub(crate) reductions: Vec<f64>,
}

/// Chooses among all units, for all targets together, each of which counts in parts of its variance.
///
/// # Errors
/// If a unit is not finite, or `tick` breaks.
pub(crate) fn choose(
    units: &dyn Units,
    weights: &[f64],
    targets: &[Vec<f64>],
    ends: Ends,
    tick: Tick<'_>,
) -> Result<Chosen> {
    let mut state = State::new(units, weights, targets)?;
    let total: f64 = weights.iter().sum();
    state.add(vec![1.0 / total.sqrt(); units.points()])?;
    state.scale();
    let mut chosen = Chosen { units: Vec::new(), errors: Vec::new(), reductions: Vec::new() };
    let (mut best, mut left) = ((state.left_out(), 0), 1.0);
    while chosen.units.len() < ends.units.min(units.units()) && left > ends.tolerance {
        let Some((at, reduction)) = state.largest(&chosen.units) else { break };
        let column = state.column(at)?;
        state.add(column)?;
        chosen.units.push(at);
        chosen.reductions.push(reduction);
        chosen.errors.push(state.left_out());
        left -= reduction;
        let (error, count) = (state.left_out(), chosen.units.len());
        if error < best.0 {
            best = (error, count);
        } else if count >= best.1 + PATIENCE {
            break;
        }
        if tick(count as f64 / ends.units as f64) == ControlFlow::Break(()) {
            return Err(ErrorKind::Interrupted.into());
        }
    }
    // A network has a unit, also where none helps or all are constant.
    if chosen.units.is_empty() {
        chosen.units.push(0);
    }
    chosen.units.truncate(best.1.max(1));
    chosen.reductions.truncate(chosen.units.len());
    Ok(chosen)
}

/// What is known of all candidates and targets, given those chosen.
struct State<'a> {
    units: &'a dyn Units,
    weights: &'a [f64],
    /// H, where it is held, row after row.
    held: Option<Vec<f64>>,
    /// q₁ … qₖ
    chosen: Vec<Vec<f64>>,
    /// hᵀWh of each candidate, and what is left of it.
    norms: Vec<f64>,
    left: Vec<f64>,
    /// hᵀWr of each candidate, for each target.
    cross: Vec<Vec<f64>>,
    /// What is not explained of each target, r.
    residuals: Vec<Vec<f64>>,
    /// 1/(rᵀWr) of each target without any unit; 0 for a constant one.
    scales: Vec<f64>,
    /// Σ qₗᵢ² of each point.
    leverage: Vec<f64>,
}

impl<'a> State<'a> {
    fn new(units: &'a dyn Units, weights: &'a [f64], targets: &[Vec<f64>]) -> Result<Self> {
        let (n, m) = (units.points(), units.units());
        let mut held = None;
        if n * m * 8 <= HELD {
            let mut block = Vec::new();
            fill::<f64>(units, 0..n, &mut block)?;
            held = Some(block);
        }
        let mut state = Self {
            units,
            weights,
            held,
            chosen: Vec::new(),
            norms: Vec::new(),
            left: Vec::new(),
            cross: Vec::new(),
            residuals: targets.to_vec(),
            scales: vec![1.0; targets.len()],
            leverage: vec![0.0; n],
        };
        state.norms = state.sums(|i, h| weights[i] * h * h)?;
        state.left = state.norms.clone();
        state.cross =
            targets.iter().map(|y| state.sums(|i, h| weights[i] * y[i] * h)).collect::<Result<_>>()?;
        Ok(state)
    }

    /// Makes each target count in parts of its variance.
    fn scale(&mut self) {
        let square = |r: &Vec<f64>| r.iter().zip(self.weights).map(|(r, w)| w * r * r).sum::<f64>();
        let scale = |square: f64| if square > 0.0 { 1.0 / square } else { 0.0 };
        self.scales = self.residuals.iter().map(|r| scale(square(r))).collect();
    }

    /// Σᵢ term(i, hⱼ(xᵢ)) for each candidate j.
    fn sums(&self, term: impl Fn(usize, f64) -> f64 + Sync) -> Result<Vec<f64>> {
        let (n, m) = (self.units.points(), self.units.units());
        let piece = |piece: usize| {
            let rows = piece * PIECE..n.min((piece + 1) * PIECE);
            let mut block = Vec::new();
            let values = match &self.held {
                Some(held) => &held[rows.start * m..rows.end * m],
                None => {
                    fill::<f64>(self.units, rows.clone(), &mut block)?;
                    &block
                }
            };
            let mut sums = vec![0.0; m];
            for (i, row) in rows.zip(values.chunks(m)) {
                sums.iter_mut().zip(row).for_each(|(sum, &h)| *sum += term(i, h));
            }
            Ok(sums)
        };
        let pieces: Vec<Vec<f64>> =
            (0..n.div_ceil(PIECE)).into_par_iter().map(piece).collect::<Result<_>>()?;
        let mut sums = vec![0.0; m];
        for piece in pieces {
            sums.iter_mut().zip(piece).for_each(|(sum, part)| *sum += part);
        }
        Ok(sums)
    }

    /// The candidate with the largest error reduction, of those that are not taken; none where nothing is left of any.
    fn largest(&self, taken: &[usize]) -> Option<(usize, f64)> {
        let scales: f64 = self.scales.iter().filter(|scale| **scale > 0.0).count().max(1) as f64;
        let reduction = |j: usize| {
            let each = self.cross.iter().zip(&self.scales).map(|(cross, scale)| scale * cross[j] * cross[j]);
            each.sum::<f64>() / self.left[j] / scales
        };
        let usable = |&j: &usize| self.left[j] > DEPENDENT * self.norms[j] && !taken.contains(&j);
        let all = (0..self.left.len()).filter(usable).map(|j| (j, reduction(j)));
        all.reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    /// The orthogonal part of candidate j, of length 1.
    fn column(&self, j: usize) -> Result<Vec<f64>> {
        let (n, m) = (self.units.points(), self.units.units());
        let mut q = Vec::with_capacity(n);
        let mut block = Vec::new();
        for first in (0..n).step_by(PIECE) {
            let rows = first..n.min(first + PIECE);
            match &self.held {
                Some(held) => q.extend(rows.map(|i| held[i * m + j])),
                None => {
                    fill::<f64>(self.units, rows, &mut block)?;
                    q.extend(block.iter().skip(j).step_by(m));
                }
            }
        }
        // Twice: what the first round leaves by rounding the second takes away.
        for _ in 0..2 {
            for other in &self.chosen {
                let share = self.inner(other, &q);
                q.iter_mut().zip(other).for_each(|(q, other)| *q -= share * other);
            }
        }
        let length = self.inner(&q, &q).sqrt();
        q.iter_mut().for_each(|q| *q /= length);
        Ok(q)
    }

    fn inner(&self, a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).zip(self.weights).map(|((a, b), w)| w * a * b).sum()
    }

    /// Takes the direction q from all candidates and targets.
    fn add(&mut self, q: Vec<f64>) -> Result<()> {
        let products = self.sums(|i, h| self.weights[i] * q[i] * h)?;
        self.left.iter_mut().zip(&products).for_each(|(left, p)| *left -= p * p);
        let shares: Vec<f64> = self.residuals.iter().map(|r| self.inner(&q, r)).collect();
        for ((residual, cross), share) in self.residuals.iter_mut().zip(&mut self.cross).zip(shares) {
            residual.iter_mut().zip(&q).for_each(|(r, q)| *r -= share * q);
            cross.iter_mut().zip(&products).for_each(|(cross, p)| *cross -= share * p);
        }
        self.leverage.iter_mut().zip(&q).for_each(|(s, q)| *s += q * q);
        self.chosen.push(q);
        Ok(())
    }

    /// Σ wᵢeᵢ² in parts of the variance, the mean over all targets; infinite where rounding leaves nothing of it.
    fn left_out(&self) -> f64 {
        let left = |(w, s): (&f64, &f64)| 1.0 - w.min(1.0) * s;
        if self.weights.iter().zip(&self.leverage).map(left).any(|left| left < LEAST_LEFT) {
            return f64::INFINITY;
        }
        let error = |(r, scale): (&Vec<f64>, &f64)| {
            let each = r.iter().zip(self.weights).zip(&self.leverage);
            let missed = |r: f64, w: f64, s: f64| r / (1.0 - w.min(1.0) * s);
            scale * each.map(|((&r, &w), &s)| w * missed(r, w, s).powi(2)).sum::<f64>()
        };
        let scaled = self.scales.iter().filter(|scale| **scale > 0.0).count().max(1);
        self.residuals.iter().zip(&self.scales).map(error).sum::<f64>() / scaled as f64
    }
}
