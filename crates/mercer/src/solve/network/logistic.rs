//! Output weights by the likelihood of the classes: a softmax of one function for each class.
//!
//! Minimise F = Σ wᵢ(log Σₖ exp ηᵢₖ − ηᵢ,yᵢ) + ½λΣₖ‖vₖ‖² with ηᵢₖ = vₖᵀ(hᵢ − μ) + bₖ. The second derivative of the likelihood is at most
//! ½HᵀWH for each class (Böhning 1992), whatever the weights are: one factor of ½A + λI serves all classes and iterations. It
//! is the start of the inverse Hessian of L-BFGS, so that a step of length 1 of the first iteration never raises F.
//!
//! The probability of a point's class by the fit without it comes from one step of Newton's method away from the optimum, in
//! closed form: ηᵢ changes by (pᵢ − yᵢ)sᵢ/(1 − cᵢsᵢ), with sᵢ = hᵢᵀG⁻¹hᵢ (offset included), G = HᵀWCH + λI and
//! cᵢ = Σₖ pᵢₖ(1 − pᵢₖ)/(classes − 1), the curvature of the likelihood in the mean over all directions: of two classes that is the curvature.
//!
//! Cost: two products with H of n·m·classes for each iteration; leaving out costs n·m² for each λ.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::normal::{Normal, Sums};
use super::{Units, fill};
use crate::error::{ErrorKind, Result};
use crate::linalg::{Cholesky, Lower, Tall, Tick, WIDTH, dot};

/// Points whose units are held at once.
const BLOCK: usize = 1024;

/// Steps that the inverse Hessian is learnt from.
const MEMORY: usize = 10;

/// Iterations at most.
const ITERATIONS: usize = 500;

/// It has converged when the gradient is this part of what it is without any unit.
const TOLERANCE: f64 = 1e-7;

/// The least curvature of a point: one that is certain does not count.
const LEAST_CURVATURE: f64 = 1e-12;

/// The points and their classes.
pub(crate) struct Classes<'a> {
    pub(crate) units: &'a dyn Units,
    pub(crate) weights: &'a [f64],
    pub(crate) index: &'a [u32],
    pub(crate) count: usize,
}

/// Fitted functions.
#[derive(Clone)]
pub(crate) struct Fitted {
    /// v of each class, then b of each class about the mean of the units.
    values: Vec<f64>,
    /// ‖∇F‖ in parts of that without any unit.
    pub(crate) residual: f64,
    pub(crate) iterations: u64,
    pub(crate) converged: bool,
}

/// What leaving points out says of one λ.
pub(crate) struct LeftOut {
    /// The mean of −log p of a point's class by the fit without it.
    pub(crate) deviance: f64,
    /// The share of points in another class by the fit without them.
    pub(crate) mistakes: f64,
}

impl Fitted {
    /// v of each class, and b of each so that its function is vᵀh + b.
    pub(crate) fn output(&self, normal: &Normal, count: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
        let m = normal.means.len();
        let weights: Vec<Vec<f64>> = (0..count).map(|k| self.values[k * m..(k + 1) * m].to_vec()).collect();
        let offset = |(v, b): (&Vec<f64>, &f64)| b - dot(v, &normal.means);
        let offsets = weights.iter().zip(&self.values[count * m..]).map(offset).collect();
        (weights, offsets)
    }
}

impl Classes<'_> {
    /// Minimises F for one λ, from the functions of another or from none.
    ///
    /// # Errors
    /// If a unit is not finite, ½A + λI is not positive definite, or `tick` breaks.
    pub(crate) fn fit(
        &self,
        normal: &Normal,
        lambda: f64,
        start: Option<&Fitted>,
        tick: Tick<'_>,
    ) -> Result<Fitted> {
        let m = normal.means.len();
        let factor = Cholesky::new(scaled(normal, 0.5, lambda), &mut |_| ControlFlow::Continue(()))?;
        let precondition = |g: &[f64]| {
            let mut parts: Vec<Vec<f64>> = g[..self.count * m].chunks(m).map(<[f64]>::to_vec).collect();
            factor.solve(&mut parts);
            parts.push(g[self.count * m..].iter().map(|g| 2.0 * g / normal.total).collect());
            parts.concat()
        };
        let nothing = vec![0.0; self.count * (m + 1)];
        let (mut loss, mut gradient) = self.value(normal, lambda, &nothing)?;
        let (whole, mut x) = (dot(&gradient, &gradient).sqrt(), nothing);
        if let Some(start) = start {
            x.clone_from(&start.values);
            (loss, gradient) = self.value(normal, lambda, &x)?;
        }
        let mut fitted = Fitted { values: Vec::new(), residual: 0.0, iterations: 0, converged: false };
        let mut steps: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        loop {
            let size = dot(&gradient, &gradient).sqrt();
            fitted.residual = if size == 0.0 { 0.0 } else { size / whole.max(size * TOLERANCE) };
            fitted.converged = fitted.residual <= TOLERANCE;
            if fitted.converged || fitted.iterations as usize >= ITERATIONS {
                break;
            }
            let direction = direction(&steps, &gradient, precondition);
            let Some((next, value)) = self.search(normal, lambda, (&x, loss, &gradient), &direction)? else {
                break;
            };
            let change: Vec<f64> = next.iter().zip(&x).map(|(next, x)| next - x).collect();
            let turn: Vec<f64> = value.1.iter().zip(&gradient).map(|(next, g)| next - g).collect();
            if dot(&change, &turn) > 0.0 {
                steps.push((change, turn));
                steps.drain(..steps.len().saturating_sub(MEMORY));
            }
            (x, loss, gradient) = (next, value.0, value.1);
            fitted.iterations += 1;
            if tick(fitted.iterations as f64 / ITERATIONS as f64) == ControlFlow::Break(()) {
                return Err(ErrorKind::Interrupted.into());
            }
        }
        fitted.values = x;
        Ok(fitted)
    }

    /// The point along a direction where F has fallen enough, halving from a step of 1; none where rounding ends it.
    #[expect(clippy::type_complexity, reason = "a point with the value and gradient there")]
    fn search(
        &self,
        normal: &Normal,
        lambda: f64,
        (x, loss, gradient): (&[f64], f64, &[f64]),
        direction: &[f64],
    ) -> Result<Option<(Vec<f64>, (f64, Vec<f64>))>> {
        let slope = dot(gradient, direction);
        let mut step = 1.0;
        while step > 1e-10 {
            let next: Vec<f64> = x.iter().zip(direction).map(|(x, d)| x - step * d).collect();
            let value = self.value(normal, lambda, &next)?;
            if value.0 <= loss - 1e-4 * step * slope && value.0 < loss {
                return Ok(Some((next, value)));
            }
            step *= 0.5;
        }
        Ok(None)
    }

    /// F and its gradient.
    fn value(&self, normal: &Normal, lambda: f64, x: &[f64]) -> Result<(f64, Vec<f64>)> {
        let (m, count) = (normal.means.len(), self.count);
        let (v, b) = x.split_at(count * m);
        let mut sums = Sums::new(m, m, m + count);
        let (mut loss, mut totals) = (0.5 * lambda * dot(v, v), vec![0.0; count]);
        self.each_block(normal, x, |first, block, scores| {
            let weights = &self.weights[first..first + scores.len() / count];
            let mut over = scores.to_vec();
            for ((i, row), w) in (first..).zip(over.chunks_mut(count)).zip(weights) {
                let class = self.index[i] as usize;
                let score = row[class];
                loss += w * (softmax(row) - score);
                row[class] -= 1.0;
                totals.iter_mut().zip(row.iter()).for_each(|(total, over)| *total += w * over);
            }
            sums.add(block, weights, |k, row| over[k * count + row - m]);
        })?;
        let mut gradient: Vec<f64> = v.iter().map(|v| lambda * v).collect();
        for (k, gradient) in gradient.chunks_mut(m).enumerate() {
            let sums = sums.row(m + k).iter().zip(&normal.means);
            gradient.iter_mut().zip(sums).for_each(|(g, (sum, mean))| *g += sum - mean * totals[k]);
        }
        gradient.extend(&totals);
        debug_assert_eq!(b.len(), count);
        Ok((loss, gradient))
    }

    /// Calls `each(first, units, scores)` for blocks of points, with η of all classes for each point.
    fn each_block(
        &self,
        normal: &Normal,
        x: &[f64],
        mut each: impl FnMut(usize, &[f64], &[f64]),
    ) -> Result<()> {
        let (n, m, count) = (self.units.points(), normal.means.len(), self.count);
        let (v, b) = x.split_at(count * m);
        let offsets: Vec<f64> = v.chunks(m).zip(b).map(|(v, b)| b - dot(v, &normal.means)).collect();
        let value = |j: usize, k: usize| if k < count { v[k * m + j] } else { 0.0 };
        let functions = Tall::from_fn(m, count.div_ceil(WIDTH), value);
        let mut block = Vec::new();
        for first in (0..n).step_by(BLOCK) {
            fill::<f64>(self.units, first..n.min(first + BLOCK), &mut block)?;
            let product = functions.multiplied_by_rows(&block);
            let mut scores: Vec<f64> = (0..block.len() / m).flat_map(|i| product.row(i, count)).collect();
            let plus = |row: &mut [f64]| row.iter_mut().zip(&offsets).for_each(|(score, b)| *score += b);
            scores.chunks_mut(count).for_each(plus);
            each(first, &block, &scores);
        }
        Ok(())
    }

    /// What the fit says of points left out of it.
    ///
    /// # Errors
    /// If a unit is not finite, or G is not positive definite.
    pub(crate) fn left_out(&self, normal: &Normal, lambda: f64, fitted: &Fitted) -> Result<LeftOut> {
        let (count, mut scores) = (self.count, Vec::new());
        self.each_block(normal, &fitted.values, |_, _, part| scores.extend_from_slice(part))?;
        let mut shares = scores.clone();
        shares.chunks_mut(count).for_each(|row| {
            softmax(row);
        });
        let curvature = |p: &[f64]| {
            let sum = p.iter().map(|p| p * (1.0 - p)).sum::<f64>() / (count - 1) as f64;
            sum.max(LEAST_CURVATURE)
        };
        let curvatures: Vec<f64> = shares.chunks(count).map(curvature).collect();
        let leverage = self.leverage(lambda, &curvatures)?;
        let mut found = LeftOut { deviance: 0.0, mistakes: 0.0 };
        for (i, (scores, shares)) in scores.chunks_mut(count).zip(shares.chunks(count)).enumerate() {
            let (w, class) = (self.weights[i], self.index[i] as usize);
            let copy = w.min(1.0) * leverage[i];
            let factor = copy / (1.0 - curvatures[i] * copy).max(LEAST_CURVATURE);
            for (k, (score, p)) in scores.iter_mut().zip(shares).enumerate() {
                *score += factor * (p - if k == class { 1.0 } else { 0.0 });
            }
            let best = (1..count).fold(0, |best, k| if scores[k] > scores[best] { k } else { best });
            let score = scores[class];
            found.mistakes += if best == class { 0.0 } else { w / normal.total };
            found.deviance += w * (softmax(scores) - score) / normal.total;
        }
        Ok(found)
    }

    /// sᵢ of each point.
    fn leverage(&self, lambda: f64, curvatures: &[f64]) -> Result<Vec<f64>> {
        let mut go_on = |_: f64| ControlFlow::Continue(());
        let weights: Vec<f64> = self.weights.iter().zip(curvatures).map(|(w, c)| w * c).collect();
        let curved = Normal::new::<f64>(self.units, &weights, &[], &mut go_on)?;
        let factor = Cholesky::new(scaled(&curved, 1.0, lambda), &mut go_on)?;
        let (n, m) = (self.units.points(), curved.means.len());
        let (mut leverage, mut block) = (Vec::with_capacity(n), Vec::new());
        for first in (0..n).step_by(BLOCK) {
            fill::<f64>(self.units, first..n.min(first + BLOCK), &mut block)?;
            let centred = |row: &[f64]| row.iter().zip(&curved.means).map(|(h, mean)| h - mean).collect();
            let mut rows: Vec<Vec<f64>> = block.par_chunks(m).map(centred).collect();
            factor.solve_lower(&mut rows);
            leverage.extend(rows.iter().map(|row| 1.0 / curved.total + dot(row, row)));
        }
        Ok(leverage)
    }
}

/// factor·A + λI
fn scaled(normal: &Normal, factor: f64, lambda: f64) -> Lower {
    let mut lower = Lower::<f64>::zeros(normal.means.len());
    for (i, row) in lower.rows_mut().into_iter().enumerate() {
        row.iter_mut().zip(normal.gram.row(i)).for_each(|(value, a)| *value = factor * a);
        row[i] += lambda;
    }
    lower
}

/// Replaces scores by probabilities; gives log Σ exp of the scores.
pub(crate) fn softmax(scores: &mut [f64]) -> f64 {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|score| *score = (*score - largest).exp());
    let sum: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
    largest + sum.ln()
}

/// The direction of descent, to be subtracted: the inverse Hessian learnt from some steps, times the gradient.
fn direction(
    steps: &[(Vec<f64>, Vec<f64>)],
    gradient: &[f64],
    start: impl Fn(&[f64]) -> Vec<f64>,
) -> Vec<f64> {
    let mut q = gradient.to_vec();
    let mut shares = Vec::with_capacity(steps.len());
    for (change, turn) in steps.iter().rev() {
        let share = dot(change, &q) / dot(change, turn);
        q.iter_mut().zip(turn).for_each(|(q, turn)| *q -= share * turn);
        shares.push(share);
    }
    let mut r = start(&q);
    for ((change, turn), share) in steps.iter().zip(shares.into_iter().rev()) {
        let back = dot(turn, &r) / dot(change, turn);
        r.iter_mut().zip(change).for_each(|(r, change)| *r += (share - back) * change);
    }
    r
}
