//! The exact solution for the softmax, by Newton's method.
//!
//! The optimum is where R(β) = β − c(e_y − σ(F)) is zero, F = Kβ. The derivative is I + DK with D the blocks
//! cᵢ(diag σᵢ − σᵢσᵢᵀ) = SᵢSᵢᵀ, so that δ = −R + S(I + SᵀKS)⁻¹SᵀKR: a positive definite system of (k − 1)·n unknowns
//! none of whose eigenvalues is below one.
//!
//! S is lower triangular: with qⱼ = Σ_{l>j} σ_l, S_jj² = c σⱼ qⱼ/qⱼ₋₁ and S_ij² = c σᵢ² σⱼ/(qⱼ qⱼ₋₁) for i > j, with a
//! minus. Its last column is zero.
//!
//! Near the optimum one factor is used for several steps.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::super::softmax::softmax;
use super::{Dense, EQUAL};
use crate::linalg::{Cholesky, Lower};

/// A factor is used again as long as a step with it reduces R to this share or less.
const SMALL_PART: f64 = 0.1;

/// Takes steps towards the optimum as long as each reduces the residual. Returns the largest |p − σ| that is left; `None`
/// if that takes too much time.
pub(in super::super) fn settle(dense: &mut Dense<'_>) -> Option<f64> {
    let mut kept = dense.beta.clone();
    let (mut last, mut nearer) = (largest(dense, &residual(dense)), true);
    while nearer && last > EQUAL * dense.size() {
        let step = Step::new(dense)?;
        let mut share = 0.0;
        nearer = false;
        while share <= SMALL_PART {
            step.take(dense)?;
            let left = largest(dense, &residual(dense));
            share = left / last;
            // Not if it is NaN.
            if share < 1.0 {
                (last, nearer) = (left, true);
                kept.clone_from(&dense.beta);
            } else {
                dense.beta.clone_from(&kept);
                dense.rescore()?;
                break;
            }
        }
    }
    make_feasible(dense);
    dense.rescore()?;
    Some(largest(dense, &residual(dense)))
}

/// The residual R, point after point.
fn residual(dense: &Dense<'_>) -> Vec<f64> {
    let (mut row, mut sigma) = (Vec::new(), Vec::new());
    let mut residual = dense.beta.clone();
    for (i, part) in residual.chunks_exact_mut(dense.problem.classes).enumerate() {
        let point = dense.point(i);
        dense.scores_of(i, &mut row);
        softmax(&row, &mut sigma);
        // Σ over the other classes and not 1 − σ_y, whose digits are gone where σ_y is near 1.
        let others: f64 = (0..part.len()).filter(|&c| c != point.class).map(|c| sigma[c]).sum();
        for (c, (r, s)) in part.iter_mut().zip(&sigma).enumerate() {
            *r += point.c * if c == point.class { -others } else { *s };
        }
    }
    residual
}

/// The largest |R|, as a share of c; NaN if one is NaN.
fn largest(dense: &Dense<'_>, residual: &[f64]) -> f64 {
    let share = |(at, r): (usize, &f64)| r.abs() / dense.problem.c[at / dense.problem.classes];
    residual.iter().enumerate().map(share).fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
}

/// Makes every p positive and the coefficients of a point sum to zero.
fn make_feasible(dense: &mut Dense<'_>) {
    let problem = dense.problem;
    for (i, beta) in dense.beta.chunks_exact_mut(problem.classes).enumerate() {
        let (point, mut others) = (problem.point(i), 0.0);
        for (_, b) in beta.iter_mut().enumerate().filter(|(c, _)| *c != point.class) {
            *b = b.min(-point.c * f64::MIN_POSITIVE);
            others -= *b;
        }
        beta[point.class] = others.min(point.c);
    }
}

/// The factors of the derivative of R, from which a Newton step is computed.
struct Step {
    /// Sᵢ, k rows of k − 1, point after point.
    roots: Vec<f64>,
    factor: Cholesky,
}

impl Step {
    fn new(dense: &mut Dense<'_>) -> Option<Self> {
        let (n, k) = (dense.points, dense.problem.classes);
        let columns = k - 1;
        dense.begin_system(n * columns)?;
        let (mut row, mut sigma) = (Vec::new(), Vec::new());
        let mut roots = vec![0.0; n * k * columns];
        for (i, root) in roots.chunks_exact_mut(k * columns).enumerate() {
            dense.scores_of(i, &mut row);
            softmax(&row, &mut sigma);
            fill_root(root, &sigma, dense.point(i).c);
        }
        let mut lower = Lower::zeros(n * columns);
        let dense = &*dense;
        lower.rows_mut().into_par_iter().enumerate().for_each(|(v, row)| {
            let (i, a) = (v / columns, v % columns);
            for (w, entry) in row.iter_mut().enumerate() {
                let (j, b) = (w / columns, w % columns);
                let inner: f64 = (a.max(b)..k)
                    .map(|c| roots[(i * k + c) * columns + a] * roots[(j * k + c) * columns + b])
                    .sum();
                *entry = inner * dense.row(i)[j] + f64::from(u8::from(v == w));
            }
        });
        let factor = Cholesky::new(lower, &mut |_| ControlFlow::Continue(())).ok()?;
        Some(Self { roots, factor })
    }

    /// Takes the step: β + δ with δ = −R + S(I + SᵀKS)⁻¹SᵀKR.
    fn take(&self, dense: &mut Dense<'_>) -> Option<()> {
        let (n, k) = (dense.points, dense.problem.classes);
        let residual = residual(dense);
        let product = dense.product(&residual)?;
        let mut inner: Vec<f64> = vec![0.0; n * (k - 1)];
        for (at, root) in self.roots.chunks_exact(k - 1).enumerate() {
            let (i, c) = (at / k, at % k);
            super::add(&mut inner[i * (k - 1)..(i + 1) * (k - 1)], root, product[c * n + i]);
        }
        let mut right = [inner];
        self.factor.solve(&mut right);
        dense.spend(right[0].len().pow(2))?;
        for ((at, root), r) in self.roots.chunks_exact(k - 1).enumerate().zip(residual) {
            let i = at / k;
            dense.beta[at] += super::dot(root, &right[0][i * (k - 1)..(i + 1) * (k - 1)]) - r;
        }
        dense.rescore()
    }
}

/// Computes S with SSᵀ = c(diag σ − σσᵀ), k rows of k − 1 values.
fn fill_root(root: &mut [f64], sigma: &[f64], c: f64) {
    let columns = sigma.len() - 1;
    let mut tail = sigma[columns];
    for j in (0..columns).rev() {
        let (after, before) = (tail, tail + sigma[j]);
        tail = before;
        // If a tail is too small for a double, so is its column.
        let scale = (c * sigma[j] / before).sqrt();
        root[j * columns + j] = if before > 0.0 { scale * after.sqrt() } else { 0.0 };
        for i in j + 1..=columns {
            root[i * columns + j] = if after > 0.0 { -sigma[i] * scale / after.sqrt() } else { 0.0 };
        }
    }
}
