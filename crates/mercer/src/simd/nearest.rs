//! Distances of vectors to centres, 64 vectors at a time.

use std::ops::{Add, Sub};

use super::{PANEL, fma_f32, multiversion};

/// Places of a chunk of distances, of which the least is found: two vectors of eight doubles.
pub(crate) const CHUNK: usize = 16;

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

/// The least of square − 2·product in each chunk of [`CHUNK`] places into `minima`; whether all are finite.
#[expect(
    clippy::eq_op,
    reason = "a difference of a value with itself is 0 where it is finite, else no number"
)]
#[inline(always)]
fn chunk_minima<T: Copy + PartialOrd + Default + Add<Output = T> + Sub<Output = T>>(
    squares: &[T],
    products: &[T],
    minima: &mut [T],
) -> bool {
    let mut sums = [T::default(); CHUNK];
    let chunks = squares.chunks(CHUNK).zip(products.chunks(CHUNK));
    for ((squares, products), minimum) in chunks.zip(minima) {
        let mut values = [squares[0] - (products[0] + products[0]); CHUNK];
        for ((value, &square), &product) in values.iter_mut().zip(squares).zip(products) {
            *value = square - (product + product);
        }
        sums.iter_mut().zip(&values).for_each(|(sum, &value)| *sum = *sum + (value - value));
        let mut half = CHUNK / 2;
        while half > 0 {
            for at in 0..half {
                let other = values[at + half];
                values[at] = if other < values[at] { other } else { values[at] };
            }
            half /= 2;
        }
        *minimum = values[0];
    }
    sums.iter().all(|sum| *sum == T::default())
}

#[inline(always)]
fn chunk_minima_f32_body<const FMA: bool>(squares: &[f32], products: &[f32], minima: &mut [f32]) -> bool {
    chunk_minima(squares, products, minima)
}

#[inline(always)]
fn chunk_minima_f64_body<const FMA: bool>(squares: &[f64], products: &[f64], minima: &mut [f64]) -> bool {
    chunk_minima(squares, products, minima)
}

multiversion! {
    /// Fills `minima` with the least of square − 2·product in each chunk of [`CHUNK`] places, of which the last may be shorter.
    /// Returns whether all of these values are finite; where one is not, the minima mean nothing.
    fn chunk_minima_f32(squares: &[f32], products: &[f32], minima: &mut [f32]) -> bool = chunk_minima_f32_body;
}

multiversion! {
    /// As [`chunk_minima_f32`], in double precision.
    fn chunk_minima_f64(squares: &[f64], products: &[f64], minima: &mut [f64]) -> bool = chunk_minima_f64_body;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::STRIP;

    #[test]
    fn each_chunk_has_its_least_value_and_values_that_are_not_finite_are_seen() {
        for n in [1, 15, 16, 17, 50, 64] {
            let squares: Vec<f64> = (0..n).map(|i| f64::from(i * 7 % 23)).collect();
            let products: Vec<f64> = (0..n).map(|i| f64::from(i * 5 % 11) - 3.0).collect();
            let values: Vec<f64> = squares.iter().zip(&products).map(|(s, p)| s - 2.0 * p).collect();
            let expected: Vec<f64> =
                values.chunks(CHUNK).map(|c| c.iter().copied().fold(f64::INFINITY, f64::min)).collect();
            let mut minima = vec![0.0; expected.len()];
            assert!(chunk_minima_f64(&squares, &products, &mut minima));
            assert_eq!(minima, expected);
            let single = |v: &[f64]| v.iter().map(|&v| v as f32).collect::<Vec<_>>();
            let mut minima = vec![0.0; expected.len()];
            assert!(chunk_minima_f32(&single(&squares), &single(&products), &mut minima));
            assert_eq!(minima, single(&expected));
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                for at in 0..n as usize {
                    let mut products = products.clone();
                    products[at] = bad;
                    assert!(!chunk_minima_f64(&squares, &products, &mut vec![0.0; expected.len()]));
                    let mut minima = vec![0.0; expected.len()];
                    assert!(!chunk_minima_f32(&single(&squares), &single(&products), &mut minima));
                }
            }
        }
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
