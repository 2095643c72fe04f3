//! Setting aside the decided: variables at a bound that the gradient holds there.
//!
//! A set-aside variable keeps the gradient it had and the β of everybody at that time; when it comes back, its
//! gradient is brought up to date with the kernel rows of those that have moved since.

use super::state::{Extremes, State};
use crate::gram::Gram;

/// Variables set aside together.
pub(super) struct Aside {
    /// Who, in the numbering of the whole problem.
    index: Vec<usize>,
    /// Their gradients at the time.
    gradient: Vec<f64>,
    /// Everybody's β at the time.
    beta: Vec<f64>,
}

/// The active variables that are not decided, as positions in the active list; none if too few would go.
pub(super) fn undecided(state: &State, extremes: &Extremes, least_share: f64) -> Option<Vec<usize>> {
    let kept: Vec<usize> = (0..state.len()).filter(|&i| !state.decided(i, extremes)).collect();
    let gone = state.len() - kept.len();
    (gone as f64 >= least_share * state.len() as f64 && kept.len() >= 2).then_some(kept)
}

impl Aside {
    pub(super) fn new(index: Vec<usize>, gradient: Vec<f64>, beta: Vec<f64>) -> Self {
        Self { index, gradient, beta }
    }
}

/// Gradients of all that were set aside, now that β is `beta`, each with its variable: for each part one pass over the
/// rows of those that have moved since, against the variables of the part.
pub(super) fn restore(parts: Vec<Aside>, gram: &dyn Gram, beta: &[f64]) -> Vec<(usize, f64)> {
    let mut restored = Vec::new();
    for part in parts {
        let (moved, weights) = moved_since(&part.beta, beta);
        let mut points = [&part.index[..], &moved].concat();
        points.sort_unstable();
        points.dedup();
        let place = |i: &usize| points.binary_search(i).expect("every one of them is there");
        let mut change = vec![0.0; points.len()];
        let rows: Vec<usize> = moved.iter().map(place).collect();
        gram.restrict(&points).accumulate(&rows, &weights, &mut change);
        restored.extend(part.index.iter().zip(&part.gradient).map(|(i, g)| (*i, g + change[place(i)])));
    }
    restored
}

/// Who has moved from `before` to `now`, and how far.
pub(super) fn moved_since(before: &[f64], now: &[f64]) -> (Vec<usize>, Vec<f64>) {
    let moved = (0..now.len()).filter(|&i| now[i] != before[i]);
    moved.map(|i| (i, now[i] - before[i])).unzip()
}
