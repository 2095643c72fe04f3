//! The evidence and its change by one column.

use std::f64::consts::PI;

use rayon::prelude::*;

use super::factor::Factor;
use super::span::Span;
use crate::simd::{PANEL, STRIP, add_scaled, dots_f64, inner_product};

/// Candidates whose statistics are computed together.
const PIECE: usize = 1024;

/// The least Sₘ as a share of β times the square of the column: less is rounding.
const NOTHING: f64 = 1e-12;

/// What rounding leaves of the product of a column with what the model does not explain of the target, as a share of their lengths.
const UNSEEN: f64 = 1e-14;

/// Dimensions of the span beyond those that the model needs, which are kept.
const SPARE: usize = 16;

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
    /// The least α.
    pub(super) least: f64,
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
    /// A model of columns with their α, the precision of the noise and the least α.
    pub(super) fn new(
        span: Span<'a>,
        total: f64,
        (beta, least): (f64, f64),
        active: &[usize],
        alpha: &[f64],
    ) -> Self {
        let candidates = span.columns();
        let mut new = Self {
            span,
            total,
            active: active.to_vec(),
            alpha: alpha.to_vec(),
            beta,
            least,
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

    /// Drops the dimensions of the span that columns have left which are not in the model any more, where they are many; G⁻¹ and the
    /// statistics are then to be computed anew.
    pub(super) fn compact(&mut self) {
        if self.span.len() > self.active.len() + self.active.len() / 4 + SPARE {
            self.span.reduce(&self.active);
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
        (0..self.span.len()).map(|i| inner_product(self.inverse_row(i), c)).collect()
    }

    /// Computes G⁻¹ and the statistics anew.
    pub(super) fn refresh(&mut self) {
        self.compact();
        if let Some(factor) = self.factor() {
            self.adopt(&factor);
        }
        self.statistics();
    }

    /// The factors of G; none where values are not finite.
    pub(super) fn factor(&self) -> Option<Factor> {
        let scaled = |(&column, alpha): (&usize, &f64)| {
            let factor = (self.beta / alpha).sqrt();
            self.span.place(column).iter().map(|c| factor * c).collect()
        };
        Factor::new(self.span.len(), self.active.iter().zip(&self.alpha).map(scaled).collect())
    }

    /// Takes G⁻¹ and its determinant from the factors.
    pub(super) fn adopt(&mut self, factor: &Factor) {
        self.log_determinant = factor.log_determinant();
        self.inverse = factor.inverse();
    }

    /// Computes S and Q of all candidates anew.
    pub(super) fn statistics(&mut self) {
        let (k, beta) = (self.span.len(), self.beta);
        let target = self.solved(&self.span.target);
        let (span, inverse) = (&self.span, &self.inverse);
        let pieces = self.s.par_chunks_mut(PIECE).zip(self.q.par_chunks_mut(PIECE)).enumerate();
        let strips: Vec<Vec<f64>> = (0..k).step_by(STRIP).map(|first| strip(inverse, k, first)).collect();
        pieces.for_each(|(piece, (s, q))| {
            let range = piece * PIECE..piece * PIECE + s.len();
            s.copy_from_slice(&span.outside[range.clone()]);
            q.copy_from_slice(&span.rest_products[range.clone()]);
            (0..k).for_each(|i| add_scaled(q, target[i], &span.along(i)[range.clone()]));
            let (mut panel, mut tile) = (vec![0.0; k * PANEL], [0.0; STRIP * PANEL]);
            for (p, s) in s.chunks_mut(PANEL).enumerate() {
                let first = range.start + p * PANEL;
                for (i, packed) in panel.chunks_mut(PANEL).enumerate() {
                    packed[..s.len()].copy_from_slice(&span.along(i)[first..first + s.len()]);
                }
                for (strip, own) in strips.iter().zip(panel.chunks(STRIP * PANEL)) {
                    dots_f64(k, strip, &panel, &mut tile);
                    for (tile, own) in tile.chunks(PANEL).zip(own.chunks(PANEL)) {
                        s.iter_mut().zip(tile).zip(own).for_each(|((s, sum), c)| *s += sum * c);
                    }
                }
            }
            s.iter_mut().chain(q.iter_mut()).for_each(|value| *value *= beta);
        });
    }

    /// Changes 1/α of a column by `delta`, by a change of G of rank one. Gives the ratio of the determinants, whose smallness is
    /// what rounding is multiplied by.
    fn change(&mut self, column: usize, delta: f64) -> f64 {
        let (k, c) = (self.span.len(), self.span.place(column));
        let g = self.solved(&c);
        let ratio = 1.0 + self.beta * delta * inner_product(&c, &g);
        let f = self.beta * delta / ratio;
        let (by_s, by_q) = (self.beta * f, self.beta * f * inner_product(&g, &self.span.target));
        let span = &self.span;
        let pieces = self.s.par_chunks_mut(PIECE).zip(self.q.par_chunks_mut(PIECE)).enumerate();
        pieces.for_each(|(piece, (s, q))| {
            let range = piece * PIECE..piece * PIECE + s.len();
            let mut sums = vec![0.0; s.len()];
            (0..k).for_each(|i| add_scaled(&mut sums, g[i], &span.along(i)[range.clone()]));
            for ((s, q), sum) in s.iter_mut().zip(q).zip(sums) {
                *s -= by_s * sum * sum;
                *q -= by_q * sum;
            }
        });
        for (i, row) in self.inverse.chunks_mut(k).enumerate() {
            add_scaled(row, -f * g[i], &g);
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

    /// The step that gains most, of all columns but the refused; if `again`, also a change of an α. A column whose loss would cost less
    /// than half of `least` is to be deleted.
    pub(super) fn best(&self, least: f64, again: bool, refused: &[usize]) -> Option<Step> {
        let (mut best, floor): (Option<Step>, _) = (None, self.least);
        let known = inner_product(&self.span.target, &self.span.target);
        let unseen = (UNSEEN * self.beta).powi(2) * (known + self.span.rest_square());
        for (column, (&s, &q)) in self.s.iter().zip(&self.q).enumerate() {
            let step = match self.position[column] {
                _ if refused.contains(&column) => continue,
                None if s <= NOTHING * self.beta * self.span.squares[column] => continue,
                None if q * q <= s.max(unseen * self.span.squares[column]) => continue,
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

    /// The log evidence −½(n log 2π + log|C| + tᵀC⁻¹t) by factors of G; `target` is that of the span, halved by them.
    pub(super) fn log_by(&self, factor: &Factor, target: &[f64]) -> f64 {
        let misfit = self.beta * (self.span.rest_square() + inner_product(target, target));
        let determinant = factor.log_determinant();
        -0.5 * (self.total * ((2.0 * PI).ln() - self.beta.ln()) + determinant + misfit)
    }

    /// ‖t − Φμ‖², by t − Φμ = C⁻¹t/β.
    pub(super) fn residual(&self) -> f64 {
        let solved = self.solved(&self.span.target);
        self.span.rest_square() + inner_product(&solved, &solved)
    }

    /// Σγ: how many weights the data determine.
    pub(super) fn degrees(&self) -> f64 {
        self.active.iter().zip(&self.alpha).map(|(&column, alpha)| self.s[column] / alpha).sum()
    }
}

/// The rows of a matrix of k × k values from `first` on, column after column; rows that there are not are zero.
fn strip(matrix: &[f64], k: usize, first: usize) -> Vec<f64> {
    let mut strip = vec![0.0; STRIP * k];
    for (r, row) in matrix.chunks(k).skip(first).take(STRIP).enumerate() {
        row.iter().enumerate().for_each(|(j, value)| strip[j * STRIP + r] = *value);
    }
    strip
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
