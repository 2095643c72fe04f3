//! How well a map represents the points, and what its units look like.

use rayon::prelude::*;

use super::grid::Grid;
use super::values::{Sums, WIDTH};

/// Measures of a map.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measures {
    /// The nearest unit of each point; of several the first.
    pub(crate) winners: Vec<usize>,
    /// The mean distance of a point to its nearest prototype, in feature space.
    pub(crate) quantisation: f64,
    /// The share of points whose two nearest units are no neighbours.
    pub(crate) topographic: f64,
    /// The weight of the points of each unit.
    pub(crate) hits: Vec<f64>,
    /// The point nearest to each prototype; of several the first.
    pub(crate) medians: Vec<usize>,
    /// The distance of the prototypes of neighbours, for each pair as [`Grid::pairs`] lists them.
    pub(crate) between: Vec<f64>,
}

/// What is found in a block of points.
struct Found {
    /// For each point the nearest unit, the second nearest and the squared distance to the first.
    points: Vec<(usize, usize, f64)>,
    /// For each unit the nearest point and its squared distance.
    units: Vec<(usize, f64)>,
}

/// Measures a map from its inner products with points and of prototypes; `diagonal` has the squared norms of the points. A kernel
/// that is not positive semi-definite can make a squared distance negative, which counts as 0.
pub(super) fn measure(
    grid: Grid,
    weights: &[f64],
    diagonal: &[f64],
    inner: &Sums,
    products: &[f64],
) -> Measures {
    let (units, n) = (grid.units(), weights.len());
    let square = |unit: usize, other: usize| {
        products[unit * units + unit] + products[other * units + other] - 2.0 * products[unit * units + other]
    };
    let block = |(b, block): (usize, &Vec<f64>)| {
        let points = b * WIDTH..n.min((b + 1) * WIDTH);
        let mut found = Found { points: Vec::with_capacity(WIDTH), units: vec![(0, f64::INFINITY); units] };
        for i in points {
            let (mut best, mut second) = ((0, f64::NEG_INFINITY), (0, f64::NEG_INFINITY));
            for unit in 0..units {
                let score = block[unit * WIDTH + i % WIDTH] - 0.5 * products[unit * units + unit];
                if score > best.1 {
                    (best, second) = ((unit, score), best);
                } else if score > second.1 {
                    second = (unit, score);
                }
                let distance = diagonal[i] - 2.0 * score;
                if distance < found.units[unit].1 {
                    found.units[unit] = (i, distance);
                }
            }
            found.points.push((best.0, second.0, diagonal[i] - 2.0 * best.1));
        }
        found
    };
    let found: Vec<Found> = inner.blocks.par_iter().enumerate().map(block).collect();
    let points = || found.iter().flat_map(|found| &found.points).zip(weights);
    let total: f64 = weights.iter().sum();
    let mut hits = vec![0.0; units];
    points().for_each(|(point, weight)| hits[point.0] += weight);
    let torn = points().filter(|(point, _)| units > 1 && !grid.adjacent(point.0, point.1));
    let median = |unit: usize| {
        let nearest = found.iter().map(|found| found.units[unit]);
        nearest.fold((0, f64::INFINITY), |best, next| if next.1 < best.1 { next } else { best }).0
    };
    Measures {
        quantisation: points().map(|(point, weight)| weight * point.2.max(0.0).sqrt()).sum::<f64>() / total,
        // The sum of no numbers is −0.
        topographic: (torn.map(|(_, weight)| weight).sum::<f64>() / total).clamp(0.0, 1.0) + 0.0,
        hits,
        medians: (0..units).map(median).collect(),
        between: grid.pairs().iter().map(|&[a, b]| square(a, b).max(0.0).sqrt()).collect(),
        winners: points().map(|(point, _)| point.0).collect(),
    }
}
