//! Where the points lie on the grid before training.

use super::grid::Grid;
use super::values::{Entry, Values};
use crate::data::SplitMix;
use crate::error::Result;
use crate::linalg::{Eigen, Square, dot};

/// Most points that the axes are computed from: a decomposition of a matrix of this size takes some milliseconds, and the
/// axes need be no better than one step of training makes them.
pub(super) const LANDMARKS: usize = 256;

/// Standard deviations that the grid reaches to on both sides of the mean.
const REACH: f64 = 2.0;

/// Each point at a unit drawn at random.
pub(super) fn random(n: usize, grid: Grid, seed: u64) -> Vec<usize> {
    let mut random = SplitMix(seed);
    let units = grid.units();
    (0..n).map(|_| ((random.uniform() * units as f64) as usize).min(units - 1)).collect()
}

/// The grid laid over the plane of the two directions of largest variance in feature space, the first along its longer side:
/// each point at the unit nearest to its projection.
///
/// Of more than [`LANDMARKS`] points the directions are those of every so-manieth.
pub(super) fn components<T: Entry>(
    values: &Values<'_, T>,
    weights: &[f64],
    grid: Grid,
) -> Result<Vec<usize>> {
    let [first, second] = scores(values, weights)?;
    let [across, down] = grid.extent();
    let (x, y) = if across >= down { (first, second) } else { (second, first) };
    let place = |(&x, &y): (&f64, &f64)| {
        let at = |share: f64, extent: f64| (0.5 + 0.5 * share / REACH) * extent;
        grid.nearest([at(x, across), at(y, down)])
    };
    Ok(x.iter().zip(&y).map(place).collect())
}

/// The two first components of all points, in standard deviations; zeros for one that has no variance.
fn scores<T: Entry>(values: &Values<'_, T>, weights: &[f64]) -> Result<[Vec<f64>; 2]> {
    let n = values.len();
    let step = n.div_ceil(LANDMARKS);
    let landmarks: Vec<usize> = (0..n).step_by(step).collect();
    let mass: Vec<f64> = landmarks.iter().map(|&i| weights[i]).collect();
    let (m, total) = (landmarks.len(), mass.iter().sum::<f64>());
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(m);
    values.visit(&landmarks, |_, batch| {
        rows.extend(batch.iter().map(|row| row.iter().map(|&k| k.to_f64()).collect::<Vec<_>>()));
    })?;
    let own = |r: usize, c: usize| rows[r][landmarks[c]];
    let means: Vec<f64> = (0..m).map(|r| (0..m).map(|c| mass[c] * own(r, c)).sum::<f64>() / total).collect();
    let mean = dot(&means, &mass) / total;
    let roots: Vec<f64> = mass.iter().map(|w| w.sqrt()).collect();
    let mut square = Square::zeros(m);
    square.map(|r, c, _| roots[r] * roots[c] * (own(r, c) - (means[r] + means[c]) + mean));
    let axes = Eigen::of(&square);
    Ok([1, 2].map(|k| {
        let axis = axes.as_ref().filter(|axes| k <= m && axes.values[m - k] > 0.0);
        let Some(axes) = axis else { return vec![0.0; n] };
        let alpha: Vec<f64> = axes.vector(m - k).iter().zip(&roots).map(|(v, root)| v * root).collect();
        let mut scores = vec![0.0; n];
        for (row, alpha) in rows.iter().zip(&alpha) {
            scores.iter_mut().zip(row).for_each(|(score, k)| *score += alpha * k);
        }
        standardise(&mut scores, weights);
        scores
    }))
}

/// Takes off the mean and divides by the standard deviation, the score farthest from the mean positive; zeros where the deviation
/// is nothing but rounding.
fn standardise(scores: &mut [f64], weights: &[f64]) {
    let total: f64 = weights.iter().sum();
    let mean = dot(scores, weights) / total;
    scores.iter_mut().for_each(|score| *score -= mean);
    let largest =
        scores.iter().fold(0.0_f64, |most, &score| if score.abs() > most.abs() { score } else { most });
    let variance =
        scores.iter().zip(weights).map(|(score, weight)| weight * score * score).sum::<f64>() / total;
    let deviation = variance.sqrt().copysign(largest);
    let usable = deviation.abs() > f64::from(f32::EPSILON) * largest.abs().max(mean.abs());
    scores.iter_mut().for_each(|score| *score = if usable { *score / deviation } else { 0.0 });
}
