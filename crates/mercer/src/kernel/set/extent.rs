//! Side and levels of a pyramid that are left to data.
//!
//! The finest cells tell any two different vectors apart, and the coarsest side covers the data: with δ the smallest and D the
//! largest distance between two vectors, max_k |xₖ − yₖ|, the side is the largest power of two s ≤ δ, and L the smallest number
//! with s·2ᴸ ≥ D. Two vectors in one cell of side s are less than s apart along each feature, so that s ≤ δ parts all that differ. A
//! power of two makes the borders of cells exact.
//!
//! Cost: δ is looked for among [`SAMPLE`] vectors, D among all. K. Grauman, T. Darrell (2005): The pyramid match kernel, section 3.1.

use std::collections::HashMap;

use super::leaf::Pyramid;
use super::pyramid::MAX_LEVELS;
use crate::data::{Points, Vectors, stacked};
use crate::error::Result;
use crate::kernel::check::spread;
use crate::kernel::vector::{differences, entries};

/// Vectors whose distances are looked at, spread evenly over the data: 2,000 have two million pairs, a second's work.
const SAMPLE: usize = 2000;

/// The smallest and the largest power of two that is a number with all its digits.
const SIDES: std::ops::RangeInclusive<i32> = f64::MIN_EXP - 1..=f64::MAX_EXP - 1;

/// The pyramid with side and levels, each found from the sets where it is open.
pub(super) fn settled(pyramid: Pyramid, sets: &Vec<Vectors>) -> Result<Pyramid> {
    if pyramid.side.is_some() && pyramid.levels.is_some() {
        return Ok(pyramid);
    }
    sets.check_finite()?;
    let (vectors, _) = stacked(sets.iter())?;
    let extent = extent(&vectors);
    // The power that first covers the data with so many levels.
    let covering = |levels: u32| power(extent).map_or(0, |(_, above)| above - levels as i32);
    let side = pyramid.side.unwrap_or_else(|| {
        let exponent = match pyramid.levels {
            Some(levels) => covering(levels),
            None => {
                let finest = smallest(&vectors).and_then(power).map_or(0, |(below, _)| below);
                finest.max(covering(MAX_LEVELS))
            }
        };
        f64::from(exponent.clamp(*SIDES.start(), *SIDES.end())).exp2()
    });
    let needed = || (1..MAX_LEVELS).find(|&levels| side * f64::from(levels).exp2() >= extent);
    let levels = pyramid.levels.unwrap_or_else(|| needed().unwrap_or(MAX_LEVELS));
    Ok(Pyramid { side: Some(side), levels: Some(levels), ..pyramid })
}

/// The exponents of the largest power of two that a positive number is not below, and of the smallest that it is not above.
fn power(value: f64) -> Option<(i32, i32)> {
    if value <= 0.0 {
        return None;
    }
    // The logarithm may be rounded up or down to a whole number: the power itself decides.
    let (near, at) = (value.log2().round(), |exponent: f64| exponent.exp2());
    let below = if at(near) <= value { near } else { near - 1.0 };
    let above = if at(near) >= value { near } else { near + 1.0 };
    Some((below as i32, above as i32))
}

/// The largest difference along a feature.
fn extent(vectors: &Vectors) -> f64 {
    // Of each feature the smallest and the largest value that is written, and how many are.
    let mut ranges: HashMap<usize, (f64, f64, usize)> = HashMap::new();
    for i in 0..vectors.len() {
        vectors.row(i).for_each(|k, value| {
            let range = ranges.entry(k).or_insert((value, value, 0));
            *range = (range.0.min(value), range.1.max(value), range.2 + 1);
        });
    }
    let of = |&(low, high, count): &(f64, f64, usize)| {
        if count < vectors.len() { high.max(0.0) - low.min(0.0) } else { high - low }
    };
    ranges.values().map(of).fold(0.0, f64::max).min(f64::MAX)
}

/// The smallest distance max_k |xₖ − yₖ| of two vectors that differ.
fn smallest(vectors: &Vectors) -> Option<f64> {
    let sample = spread(vectors.len(), SAMPLE);
    let rows: Vec<Vec<(usize, f64)>> = sample.iter().map(|&i| entries(vectors, i)).collect();
    let distance = |x: &[(usize, f64)], y: &[(usize, f64)]| {
        let mut largest = 0.0_f64;
        differences(x, y, |difference| largest = largest.max(difference.abs()));
        largest
    };
    let pairs = (0..rows.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let smallest = pairs
        .map(|(i, j)| distance(&rows[i], &rows[j]))
        .filter(|distance| *distance > 0.0)
        .fold(f64::INFINITY, f64::min);
    smallest.is_finite().then_some(smallest)
}
