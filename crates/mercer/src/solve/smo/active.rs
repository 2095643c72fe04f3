//! Setting aside the decided: variables at a bound that the gradient holds there.
//!
//! A set-aside variable keeps the gradient it had and the β of everybody at that time; when it comes back, its
//! gradient is brought up to date with the kernel rows of those that have moved since.

use super::state::{Extremes, State};
use crate::gram::Gram;

/// The share of all points beyond which a copy of only those that are needed is not worth its memory.
const MOST: f64 = 0.6;

/// Variables set aside together.
pub(super) struct Aside {
    /// Who, in the numbering of the whole problem.
    index: Vec<usize>,
    /// Their gradients at the time.
    gradient: Vec<f64>,
    /// β at the time, of those that were not at zero.
    beta: Vec<(usize, f64)>,
}

/// The active variables that are not decided, as positions in the active list; none if too few would go.
pub(super) fn undecided(state: &State, extremes: &Extremes, least_share: f64) -> Option<Vec<usize>> {
    let kept: Vec<usize> = (0..state.len()).filter(|&i| !state.decided(i, extremes)).collect();
    let gone = state.len() - kept.len();
    (gone as f64 >= least_share * state.len() as f64 && kept.len() >= 2).then_some(kept)
}

impl Aside {
    /// `beta` is everybody's.
    pub(super) fn new(index: Vec<usize>, gradient: Vec<f64>, beta: &[f64]) -> Self {
        let beta = beta.iter().copied().enumerate().filter(|&(_, b)| b != 0.0).collect();
        Self { index, gradient, beta }
    }
}

/// Gradients of all that were set aside, now that β is `beta`, each with its variable: for each part one pass over the
/// rows of those that have moved since, against the variables of the part.
pub(super) fn restore(parts: Vec<Aside>, gram: &dyn Gram, beta: &[f64]) -> Vec<(usize, f64)> {
    let mut restored = Vec::new();
    for part in parts {
        let mut before = vec![0.0; beta.len()];
        part.beta.iter().for_each(|&(i, b)| before[i] = b);
        let (moved, weights) = moved_since(&before, beta);
        let mut needed = vec![false; beta.len()];
        part.index.iter().chain(&moved).for_each(|&i| needed[i] = true);
        let points = (0..beta.len()).filter(|&i| needed[i]);
        let mut change = vec![0.0; beta.len()];
        if points.clone().count() as f64 > MOST * beta.len() as f64 {
            gram.accumulate(&moved, &weights, &mut change);
        } else {
            let points: Vec<usize> = points.collect();
            let place = |i: &usize| points.binary_search(i).expect("every one of them is there");
            let (rows, mut sums) = (moved.iter().map(place).collect::<Vec<_>>(), vec![0.0; points.len()]);
            gram.restrict(&points).accumulate(&rows, &weights, &mut sums);
            points.iter().zip(sums).for_each(|(&i, sum)| change[i] = sum);
        }
        restored.extend(part.index.iter().zip(&part.gradient).map(|(&i, g)| (i, g + change[i])));
    }
    restored
}

/// Who has moved from `before` to `now`, and how far.
pub(super) fn moved_since(before: &[f64], now: &[f64]) -> (Vec<usize>, Vec<f64>) {
    let moved = (0..now.len()).filter(|&i| now[i] != before[i]);
    moved.map(|i| (i, now[i] - before[i])).unzip()
}
