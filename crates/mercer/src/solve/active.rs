//! Setting aside the decided: variables at a bound that the gradient holds there.
//!
//! A set-aside variable keeps the gradient it had and the β of everybody at that time; when it comes back, its
//! gradient is brought up to date with the kernel rows of those that have moved since.

use super::certificate::Extremes;
use crate::gram::Gram;

/// Rows computed at once while gradients are brought up to date.
const BATCH: usize = 256;

/// Variables set aside together.
pub(super) struct Aside {
    /// Who, in the numbering of the whole problem.
    index: Vec<usize>,
    /// Their gradients at the time.
    gradient: Vec<f64>,
    /// Everybody's β at the time.
    beta: Vec<f64>,
}

/// Whether variable `i` at a bound is held there with room to spare: its gradient lies outside of what any
/// violating pair spans.
fn decided(beta: f64, lower: f64, upper: f64, gradient: f64, extremes: &Extremes) -> bool {
    let (may_rise, may_fall) = (beta < upper, beta > lower);
    (!may_fall && gradient > extremes.fall) || (!may_rise && gradient < extremes.rise)
}

/// The active variables that are not decided, as positions in the active list; none if too few would go.
pub(super) fn undecided(
    beta: &[f64],
    lower: &[f64],
    upper: &[f64],
    gradient: &[f64],
    extremes: &Extremes,
    least_share: f64,
) -> Option<Vec<usize>> {
    let stay = |&i: &usize| !decided(beta[i], lower[i], upper[i], gradient[i], extremes);
    let kept: Vec<usize> = (0..beta.len()).filter(stay).collect();
    let gone = beta.len() - kept.len();
    (gone as f64 >= least_share * beta.len() as f64 && kept.len() >= 2).then_some(kept)
}

impl Aside {
    pub(super) fn new(index: Vec<usize>, gradient: Vec<f64>, beta: Vec<f64>) -> Self {
        Self { index, gradient, beta }
    }
}

/// Gradients of all that were set aside, now that β is `beta`, each with its variable: one pass over the rows of those
/// that have moved since.
pub(super) fn restore(parts: Vec<Aside>, gram: &dyn Gram, beta: &[f64]) -> Vec<(usize, f64)> {
    let moved = |i: &usize| parts.iter().any(|part| part.beta[*i] != beta[*i]);
    let moved: Vec<usize> = (0..beta.len()).filter(moved).collect();
    let mut gradients: Vec<Vec<f64>> = vec![vec![0.0; beta.len()]; parts.len()];
    for_rows(gram, &moved, |points, rows| {
        for (part, gradient) in parts.iter().zip(&mut gradients) {
            let weights: Vec<f64> = points.iter().map(|&i| beta[i] - part.beta[i]).collect();
            super::update_gradient(gradient, rows, &weights);
        }
    });
    let mut restored = Vec::new();
    for (part, change) in parts.iter().zip(&gradients) {
        restored.extend(part.index.iter().zip(&part.gradient).map(|(&i, &g)| (i, g + change[i])));
    }
    restored
}

/// `gradient += Σ weights[w] · row(points[w])`, rows computed in batches and not kept.
pub(super) fn add_rows(gram: &dyn Gram, points: &[usize], weights: &[f64], gradient: &mut [f64]) {
    let mut weights = weights.chunks(BATCH);
    for_rows(gram, points, |_, rows| {
        super::update_gradient(gradient, rows, weights.next().unwrap_or_default());
    });
}

/// Computes the rows of `points` in batches and shows each batch.
fn for_rows(gram: &dyn Gram, points: &[usize], mut show: impl FnMut(&[usize], &[&[f32]])) {
    let n = gram.len();
    let mut scratch = vec![0.0; BATCH.min(points.len()) * n];
    for points in points.chunks(BATCH) {
        let mut rows: Vec<&mut [f32]> = scratch.chunks_mut(n.max(1)).take(points.len()).collect();
        gram.rows(points, &mut rows);
        let rows: Vec<&[f32]> = rows.iter().map(|row| &**row).collect();
        show(points, &rows);
    }
}
