//! Distances of vectors to centres, 64 vectors at a time.

use std::ops::{Add, Sub};

use super::{PANEL, fma_f32, multiversion};

/// Distances that are compared at once: two vectors of eight doubles.
const CHUNK: usize = 16;

#[inline(always)]
fn keep_nearer_body<const FMA: bool>(
    products: &[f32],
    halves: &[f32],
    first: u32,
    least: &mut [f32],
    nearest: &mut [u32],
) {
    // Slices of a known length, so that the loop over lanes has no checks.
    let (least, nearest) = (&mut least[..PANEL], &mut nearest[..PANEL]);
    for (r, (products, &half)) in products.chunks_exact(PANEL).zip(halves).enumerate() {
        let center = first + r as u32;
        for lane in 0..PANEL {
            let value = half - products[lane];
            let nearer = value < least[lane];
            least[lane] = if nearer { value } else { least[lane] };
            nearest[lane] = if nearer { center } else { nearest[lane] };
        }
    }
}

multiversion! {
    /// Compares 64 vectors x with up to six centres c, number `first` and on, by ½‖c‖² − c·x, half of what ‖c − x‖² has besides
    /// ‖x‖²: where it is below `least`, that becomes it and `nearest` the number of the centre. `products` has a row of 64
    /// values c·x for each centre, `halves` ½‖c‖².
    fn keep_nearer(products: &[f32], halves: &[f32], first: u32, least: &mut [f32], nearest: &mut [u32]) = keep_nearer_body;
}

#[inline(always)]
fn shrink_body<const FMA: bool>(panel: &[f32], center: &[f32], least: &mut [f32]) {
    let mut sums = [0.0_f32; PANEL];
    for (values, &c) in panel.chunks_exact(PANEL).zip(center) {
        for lane in 0..PANEL {
            let difference = values[lane] - c;
            sums[lane] = fma_f32::<FMA>(difference, difference, sums[lane]);
        }
    }
    least.iter_mut().zip(sums).for_each(|(least, sum)| *least = if sum < *least { sum } else { *least });
}

multiversion! {
    /// Lowers each of `least` to ‖x − c‖² where that is smaller, for the 64 vectors x of a panel (feature after feature).
    fn shrink_distances(panel: &[f32], center: &[f32], least: &mut [f32]) = shrink_body;
}

/// The first place from `start` on where square − 2·product is not at least `limit`: smaller, or no number.
#[inline(always)]
fn first_below<T: Copy + PartialOrd + Add<Output = T> + Sub<Output = T>>(
    squares: &[T],
    products: &[T],
    start: usize,
    limit: T,
) -> usize {
    let is_far = |&(&square, &product): &(&T, &T)| square - (product + product) >= limit;
    let pairs = |range: std::ops::Range<usize>| squares[range.clone()].iter().zip(&products[range]);
    let mut at = start;
    // All are compared without a branch: most chunks have no near point.
    while at + CHUNK <= squares.len() && pairs(at..at + CHUNK).filter(is_far).count() == CHUNK {
        at += CHUNK;
    }
    at + pairs(at..squares.len()).take_while(is_far).count()
}

#[inline(always)]
fn first_below_f32_body<const FMA: bool>(
    squares: &[f32],
    products: &[f32],
    start: usize,
    limit: f32,
) -> usize {
    first_below(squares, products, start, limit)
}

#[inline(always)]
fn first_below_f64_body<const FMA: bool>(
    squares: &[f64],
    products: &[f64],
    start: usize,
    limit: f64,
) -> usize {
    first_below(squares, products, start, limit)
}

multiversion! {
    /// The first place from `start` on where square − 2·product is not at least `limit`, being smaller or no number; the length
    /// of the lists where there is none.
    fn first_below_f32(squares: &[f32], products: &[f32], start: usize, limit: f32) -> usize = first_below_f32_body;
}

multiversion! {
    /// As [`first_below_f32`], in double precision.
    fn first_below_f64(squares: &[f64], products: &[f64], start: usize, limit: f64) -> usize = first_below_f64_body;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::STRIP;

    #[test]
    fn the_first_place_below_a_limit_is_found_from_every_start() {
        let products: Vec<f64> = (0..100).map(|i| f64::from((i * 37) % 50)).collect();
        let single: Vec<f32> = products.iter().map(|&p| p as f32).collect();
        for limit in [-98.0, -97.0, -60.0, 1.0] {
            for start in 0..=100 {
                let expected = (start..100).find(|&j| -2.0 * products[j] < limit).unwrap_or(100);
                assert_eq!(first_below_f64(&[0.0; 100], &products, start, limit), expected);
                assert_eq!(first_below_f32(&[0.0; 100], &single, start, limit as f32), expected);
            }
        }
        let mut products = vec![0.0; 40];
        products[35] = f64::NAN;
        assert_eq!(first_below_f64(&[1.0; 40], &products, 3, f64::NEG_INFINITY), 35);
    }

    #[test]
    fn the_nearest_centre_is_kept_and_of_equal_ones_the_first() {
        let x: Vec<f32> = (0..2 * PANEL).map(|i| (i % 13) as f32 - 6.0).collect();
        let centers = [[0.0_f32, 1.0], [3.0, -2.0], [3.0, -2.0], [-5.0, 5.0]];
        let mut products = vec![0.0; STRIP * PANEL];
        for (r, c) in centers.iter().enumerate() {
            (0..PANEL).for_each(|lane| products[r * PANEL + lane] = c[0] * x[lane] + c[1] * x[PANEL + lane]);
        }
        let halves = centers.map(|c| (c[0] * c[0] + c[1] * c[1]) / 2.0);
        let (mut least, mut nearest) = (vec![f32::INFINITY; PANEL], vec![0; PANEL]);
        keep_nearer(&products, &halves, 10, &mut least, &mut nearest);
        let mut squares = vec![f32::INFINITY; PANEL];
        centers.iter().for_each(|c| shrink_distances(&x, c, &mut squares));
        for lane in 0..PANEL {
            // Small whole numbers: all sums are exact.
            let square = |c: &[f32; 2]| (x[lane] - c[0]).powi(2) + (x[PANEL + lane] - c[1]).powi(2);
            let all = centers.each_ref().map(square);
            let best = all.iter().copied().fold(f32::INFINITY, f32::min);
            assert_eq!(squares[lane], best);
            assert_eq!(nearest[lane] as usize - 10, all.iter().position(|&s| s == best).unwrap());
        }
    }
}
