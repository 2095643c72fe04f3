//! The evidence and its change by one column.

use std::f64::consts::PI;

use rayon::prelude::*;

use super::span::Span;
use crate::linalg::{Cholesky, Square, dot};

/// Candidates whose statistics are computed together.
const PIECE: usize = 1024;

/// The least α as a share of β: beyond, G has no digits left beside it.
const LEAST: f64 = 1e-12;

/// The least Sₘ as a share of β times the square of the column: less is rounding.
const NOTHING: f64 = 1e-12;

/// Dimensions of the span beyond those that the model needs, which are kept.
const SPARE: usize = 32;

/// A step by one column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    pub(super) column: usize,
    pub(super) kind: StepKind,
    /// What it adds to the log evidence.
    pub(super) gain: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum StepKind {
    /// The column comes into the model with this α.
    Add(f64),
    /// Its α changes to this.
    Change(f64),
    /// It leaves the model.
    Delete,
}

/// A model: the columns in it with their α, β, and what follows for all candidates.
pub(super) struct Evidence<'a> {
    pub(super) span: Span<'a>,
    /// The number of points, each as often as its weight says.
    pub(super) total: f64,
    /// The columns in the model.
    pub(super) active: Vec<usize>,
    /// The precision of the prior of each.
    pub(super) alpha: Vec<f64>,
    /// The precision of the noise.
    pub(super) beta: f64,
    /// Where a column is in the model.
    position: Vec<Option<usize>>,
    /// G⁻¹, row after row.
    inverse: Vec<f64>,
    log_determinant: f64,
    /// Sₘ of each candidate.
    s: Vec<f64>,
    /// Qₘ of each candidate.
    q: Vec<f64>,
}

impl<'a> Evidence<'a> {
    /// A model of columns with their α.
    pub(super) fn new(span: Span<'a>, total: f64, beta: f64, active: &[usize], alpha: &[f64]) -> Self {
        let candidates = span.columns();
        let mut new = Self {
            span,
            total,
            active: active.to_vec(),
            alpha: alpha.to_vec(),
            beta,
            position: vec![None; candidates],
            inverse: Vec::new(),
            log_determinant: 0.0,
            s: vec![0.0; candidates],
            q: vec![0.0; candidates],
        };
        new.number();
        for &column in active {
            new.span.extend(column);
        }
        new.refresh();
        new
    }

    /// Drops the dimensions of the span that columns have left which are not in the model any more, where they are many.
    pub(super) fn compact(&mut self) {
        if self.span.len() > 2 * self.active.len() + SPARE {
            let span = self.span.emptied();
            *self = Self::new(span, self.total, self.beta, &self.active, &self.alpha);
        }
    }

    fn number(&mut self) {
        self.position.fill(None);
        for (at, &column) in self.active.iter().enumerate() {
            self.position[column] = Some(at);
        }
    }

    fn inverse_row(&self, i: usize) -> &[f64] {
        &self.inverse[i * self.span.len()..(i + 1) * self.span.len()]
    }

    /// G⁻¹c
    pub(super) fn solved(&self, c: &[f64]) -> Vec<f64> {
        (0..self.span.len()).map(|i| dot(self.inverse_row(i), c)).collect()
    }

    /// Computes G⁻¹ and the statistics anew.
    pub(super) fn refresh(&mut self) {
        self.factorise();
        self.statistics();
    }

    /// Computes G⁻¹ and its determinant anew; false where rounding has made G indefinite.
    pub(super) fn factorise(&mut self) -> bool {
        let k = self.span.len();
        let mut g = Square::zeros(k);
        for (&column, alpha) in self.active.iter().zip(&self.alpha) {
            let (c, f) = (self.span.place(column), self.beta / alpha);
            for (i, row) in g.values_mut().chunks_mut(k.max(1)).enumerate() {
                let fi = f * c[i];
                row.iter_mut().zip(&c).take(i + 1).for_each(|(g, c)| *g += fi * c);
            }
        }
        g.add_diagonal(|_| 1.0);
        let Ok(factor) = Cholesky::new(lower(&g), &mut |_| std::ops::ControlFlow::Continue(())) else {
            return false;
        };
        let mut columns: Vec<Vec<f64>> = (0..k).map(|i| unit(k, i)).collect();
        factor.solve_lower(&mut columns);
        // The diagonal of L⁻¹ is that of L, inverted.
        self.log_determinant = columns.iter().enumerate().map(|(i, column)| -2.0 * column[i].ln()).sum();
        factor.solve_upper(&mut columns);
        self.inverse = columns.concat();
        true
    }

    /// Computes S and Q of all candidates anew.
    pub(super) fn statistics(&mut self) {
        let (k, beta) = (self.span.len(), self.beta);
        let target = self.solved(&self.span.target);
        let (span, inverse) = (&self.span, &self.inverse);
        let pieces = self.s.par_chunks_mut(PIECE).zip(self.q.par_chunks_mut(PIECE)).enumerate();
        pieces.for_each(|(piece, (s, q))| {
            let range = piece * PIECE..piece * PIECE + s.len();
            s.copy_from_slice(&span.outside[range.clone()]);
            q.copy_from_slice(&span.rest_products[range.clone()]);
            let mut sums = vec![0.0; s.len()];
            for i in 0..k {
                sums.fill(0.0);
                for j in 0..i {
                    add(&mut sums, 2.0 * inverse[i * k + j], &span.along(j)[range.clone()]);
                }
                let along = &span.along(i)[range.clone()];
                add(&mut sums, inverse[i * k + i], along);
                s.iter_mut().zip(&sums).zip(along).for_each(|((s, sum), c)| *s += sum * c);
                add(q, target[i], along);
            }
            s.iter_mut().chain(q.iter_mut()).for_each(|value| *value *= beta);
        });
    }

    /// Changes 1/α of a column by `delta`, by a change of G of rank one. Gives the ratio of the determinants, whose smallness is
    /// what rounding is multiplied by.
    fn change(&mut self, column: usize, delta: f64) -> f64 {
        let (k, c) = (self.span.len(), self.span.place(column));
        let g = self.solved(&c);
        let ratio = 1.0 + self.beta * delta * dot(&c, &g);
        let f = self.beta * delta / ratio;
        let (by_s, by_q) = (self.beta * f, self.beta * f * dot(&g, &self.span.target));
        let span = &self.span;
        let pieces = self.s.par_chunks_mut(PIECE).zip(self.q.par_chunks_mut(PIECE)).enumerate();
        pieces.for_each(|(piece, (s, q))| {
            let range = piece * PIECE..piece * PIECE + s.len();
            let mut sums = vec![0.0; s.len()];
            (0..k).for_each(|i| add(&mut sums, g[i], &span.along(i)[range.clone()]));
            for ((s, q), sum) in s.iter_mut().zip(q).zip(sums) {
                *s -= by_s * sum * sum;
                *q -= by_q * sum;
            }
        });
        for (i, row) in self.inverse.chunks_mut(k).enumerate() {
            add(row, -f * g[i], &g);
        }
        self.log_determinant += ratio.ln();
        ratio
    }

    /// Takes a step; gives the ratio of the determinants of [`Evidence::change`].
    pub(super) fn take(&mut self, step: Step) -> f64 {
        let column = step.column;
        let before = self.position[column].map_or(0.0, |at| 1.0 / self.alpha[at]);
        match (step.kind, self.position[column]) {
            (StepKind::Add(alpha), None) => {
                if self.span.extend(column) {
                    self.inverse = bordered(&self.inverse, self.span.len() - 1);
                }
                self.position[column] = Some(self.active.len());
                self.active.push(column);
                self.alpha.push(alpha);
                self.change(column, 1.0 / alpha)
            }
            (StepKind::Add(alpha) | StepKind::Change(alpha), Some(at)) => {
                self.alpha[at] = alpha;
                self.change(column, 1.0 / alpha - before)
            }
            (StepKind::Delete, Some(at)) => {
                self.active.remove(at);
                self.alpha.remove(at);
                self.number();
                self.change(column, -before)
            }
            (StepKind::Change(_) | StepKind::Delete, None) => 1.0,
        }
    }

    /// The step that gains most; of `again`, also a change of an α. A column whose loss would cost less than half of `least` is to
    /// be deleted.
    pub(super) fn best(&self, least: f64, again: bool) -> Option<Step> {
        let (mut best, floor): (Option<Step>, _) = (None, LEAST * self.beta);
        for (column, (&s, &q)) in self.s.iter().zip(&self.q).enumerate() {
            let step = match self.position[column] {
                None if s <= NOTHING * self.beta * self.span.squares[column] => continue,
                None if q * q <= s => continue,
                None => {
                    let ratio = q * q / s;
                    let kind = StepKind::Add((s / (ratio - 1.0)).max(floor));
                    Step { column, kind, gain: 0.5 * (ratio - 1.0 - ratio.ln()) }
                }
                Some(at) => {
                    let alpha = self.alpha[at];
                    let worth = if alpha > s {
                        0.5 * (q * q / (alpha - s) + (1.0 - s / alpha).ln())
                    } else {
                        f64::INFINITY
                    };
                    let variance = (q / s).powi(2) - 1.0 / s + 1.0 / alpha;
                    if variance > 0.0 && worth > 0.5 * least {
                        if !again {
                            continue;
                        }
                        let variance = variance.min(1.0 / floor);
                        let delta = variance - 1.0 / alpha;
                        let gain = 0.5 * (delta * q * q / (1.0 + delta * s) - (delta * s).ln_1p());
                        Step { column, kind: StepKind::Change(1.0 / variance), gain }
                    } else if self.active.len() > 1 {
                        Step { column, kind: StepKind::Delete, gain: (-worth).max(least) }
                    } else {
                        continue;
                    }
                }
            };
            if step.gain.is_finite() && best.is_none_or(|best| step.gain > best.gain) {
                best = Some(step);
            }
        }
        best
    }

    /// The log evidence −½(n log 2π + log|C| + tᵀC⁻¹t).
    pub(super) fn log(&self) -> f64 {
        let quadratic = dot(&self.span.target, &self.solved(&self.span.target));
        let misfit = self.beta * (self.span.rest_square() + quadratic);
        -0.5 * (self.total * ((2.0 * PI).ln() - self.beta.ln()) + self.log_determinant + misfit)
    }

    /// ‖t − Φμ‖², by t − Φμ = C⁻¹t/β.
    pub(super) fn residual(&self) -> f64 {
        let solved = self.solved(&self.span.target);
        self.span.rest_square() + dot(&solved, &solved)
    }

    /// Σγ: how many weights the data determine.
    pub(super) fn degrees(&self) -> f64 {
        self.active.iter().zip(&self.alpha).map(|(&column, alpha)| self.s[column] / alpha).sum()
    }

    /// The least α that can be told from 0.
    pub(super) fn least_alpha(&self) -> f64 {
        LEAST * self.beta
    }
}

fn lower(square: &Square) -> crate::linalg::Lower<f64> {
    let mut lower = crate::linalg::Lower::zeros(square.n());
    (0..square.n()).for_each(|i| lower.row_mut(i).copy_from_slice(&square.row(i)[..=i]));
    lower
}

fn unit(n: usize, at: usize) -> Vec<f64> {
    let mut vector = vec![0.0; n];
    vector[at] = 1.0;
    vector
}

/// A matrix of n × n values with one more row and column, those of the identity.
fn bordered(matrix: &[f64], n: usize) -> Vec<f64> {
    let mut larger = Vec::with_capacity((n + 1) * (n + 1));
    for row in matrix.chunks(n.max(1)).take(n) {
        larger.extend_from_slice(row);
        larger.push(0.0);
    }
    larger.extend(unit(n + 1, n));
    larger
}

/// a += f·b
fn add(a: &mut [f64], f: f64, b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += f * b);
}
