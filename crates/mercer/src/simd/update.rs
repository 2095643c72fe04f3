//! The loops of the solver: gradient updates and the choice of a pair.

use super::{fma_f64, multiversion};

/// Lanes in which extrema are kept before they are compared; a multiple of every vector width.
const LANES: usize = 16;

#[inline(always)]
fn accumulate_body<const FMA: bool>(gradient: &mut [f64], rows: &[&[f32]], weights: &[f64]) {
    let mut rows = rows.chunks_exact(4).zip(weights.chunks_exact(4));
    for (row, weight) in rows.by_ref() {
        let [r0, r1, r2, r3] = [row[0], row[1], row[2], row[3]].map(|r| &r[..gradient.len()]);
        for j in 0..gradient.len() {
            let mut sum = gradient[j];
            sum = fma_f64::<FMA>(weight[0], f64::from(r0[j]), sum);
            sum = fma_f64::<FMA>(weight[1], f64::from(r1[j]), sum);
            sum = fma_f64::<FMA>(weight[2], f64::from(r2[j]), sum);
            gradient[j] = fma_f64::<FMA>(weight[3], f64::from(r3[j]), sum);
        }
    }
}

#[inline(always)]
fn accumulate_one_body<const FMA: bool>(gradient: &mut [f64], row: &[f32], weight: f64) {
    for (g, &k) in gradient.iter_mut().zip(row) {
        *g = fma_f64::<FMA>(weight, f64::from(k), *g);
    }
}

multiversion! {
    fn accumulate_four(gradient: &mut [f64], rows: &[&[f32]], weights: &[f64]) = accumulate_body;
}
multiversion! {
    fn accumulate_one(gradient: &mut [f64], row: &[f32], weight: f64) = accumulate_one_body;
}

/// `gradient[j] += Σ weights[w] · rows[w][j]`, added in the order of the rows.
pub(crate) fn accumulate(gradient: &mut [f64], rows: &[&[f32]], weights: &[f64]) {
    let fours = rows.len() / 4 * 4;
    accumulate_four(gradient, &rows[..fours], &weights[..fours]);
    for (row, &weight) in rows[fours..].iter().zip(&weights[fours..]) {
        accumulate_one(gradient, row, weight);
    }
}

/// The smallest of `LANES` values and its number; the lower number wins a tie.
fn smallest(values: &[f64; LANES], numbers: &[f64; LANES]) -> (f64, usize) {
    let (mut value, mut number) = (f64::INFINITY, f64::INFINITY);
    for l in 0..LANES {
        if values[l] < value || (values[l] == value && numbers[l] < number) {
            (value, number) = (values[l], numbers[l]);
        }
    }
    (value, number as usize)
}

#[inline(always)]
fn step_body<const FMA: bool>(
    gradient: &mut [f64],
    rise: &[f32],
    fall: &[f32],
    delta: f64,
    blocked: &[f64],
) -> (f64, usize) {
    let (mut best, mut place) = ([f64::INFINITY; LANES], [0.0; LANES]);
    let chunks = gradient.chunks_exact_mut(LANES).zip(rise.chunks_exact(LANES));
    let chunks = chunks.zip(fall.chunks_exact(LANES)).zip(blocked.chunks_exact(LANES));
    let mut number = 0.0;
    for (((g, up), down), block) in chunks {
        for l in 0..LANES {
            g[l] = fma_f64::<FMA>(delta, f64::from(up[l]) - f64::from(down[l]), g[l]);
            let value = g[l] + block[l];
            let better = value < best[l];
            best[l] = if better { value } else { best[l] };
            place[l] = if better { number } else { place[l] };
        }
        number += 1.0;
    }
    for l in 0..LANES {
        place[l] = place[l] * LANES as f64 + l as f64;
    }
    smallest(&best, &place)
}

multiversion! {
    /// Moves the gradient along `delta·(rise − fall)` and finds the variable with the smallest gradient among
    /// those that may rise (`blocked` is 0 there, ∞ elsewhere). Lengths are multiples of [`LANES`].
    fn step(gradient: &mut [f64], rise: &[f32], fall: &[f32], delta: f64, blocked: &[f64]) -> (f64, usize) = step_body;
}

#[inline(always)]
fn best_pair_body<const FMA: bool>(
    gradient: &[f64],
    row: &[f32],
    diagonal: &[f64],
    blocked: &[f64],
    lowest: f64,
    own: f64,
) -> (usize, f64, f64) {
    // Gains are negated so that one `smallest` serves both choices.
    let (mut best, mut place) = ([0.0; LANES], [0.0; LANES]);
    let mut widest = [f64::NEG_INFINITY; LANES];
    let chunks = gradient.chunks_exact(LANES).zip(row.chunks_exact(LANES));
    let chunks = chunks.zip(diagonal.chunks_exact(LANES)).zip(blocked.chunks_exact(LANES));
    let mut number = 0.0;
    for (((g, k), d), block) in chunks {
        for l in 0..LANES {
            let spread = g[l] - lowest - block[l];
            widest[l] = if spread > widest[l] { spread } else { widest[l] };
            let curvature = own + d[l] - 2.0 * f64::from(k[l]);
            let curvature = if curvature > MIN_CURVATURE { curvature } else { MIN_CURVATURE };
            let spread = if spread > 0.0 { spread } else { 0.0 };
            let gain = -(spread * spread) / curvature;
            let better = gain < best[l];
            best[l] = if better { gain } else { best[l] };
            place[l] = if better { number } else { place[l] };
        }
        number += 1.0;
    }
    for l in 0..LANES {
        place[l] = place[l] * LANES as f64 + l as f64;
    }
    let (gain, partner) = smallest(&best, &place);
    (partner, -gain, widest.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b)))
}

/// K is rounded to `f32`, so a pair of near-duplicates can show curvature ≤ 0. The floor keeps the step finite; the
/// box clips it.
pub(crate) const MIN_CURVATURE: f64 = 1e-12;

multiversion! {
    /// The partner with the largest second-order gain (gⱼ − lowest)²/(own + dⱼ − 2kⱼ) among those that may fall
    /// (`blocked` is 0 there, ∞ elsewhere): its number, the gain (0 if there is none) and the largest gⱼ − lowest.
    fn best_pair(
        gradient: &[f64], row: &[f32], diagonal: &[f64], blocked: &[f64], lowest: f64, own: f64,
    ) -> (usize, f64, f64) = best_pair_body;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(n: usize, seed: u64) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / 16_777_216.0 - 0.5
        };
        (0..n).map(|_| next()).collect()
    }

    #[test]
    fn accumulate_equals_the_sum_written_out() {
        let rows: Vec<Vec<f32>> = (0..7).map(|s| noise(37, s).iter().map(|&x| x as f32).collect()).collect();
        let weights = noise(7, 9);
        let mut gradient = noise(37, 11);
        let expected: Vec<f64> = (0..37)
            .map(|j| gradient[j] + (0..7).map(|w| weights[w] * f64::from(rows[w][j])).sum::<f64>())
            .collect();
        accumulate(&mut gradient, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), &weights);
        gradient.iter().zip(&expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{a} {b}"));
    }

    #[test]
    fn step_moves_and_finds_the_smallest_that_may_rise() {
        let n = 4 * LANES;
        let (up, down) = (noise(n, 1), noise(n, 2));
        let narrow = |v: &[f64]| v.iter().map(|&x| x as f32).collect::<Vec<f32>>();
        let mut gradient = noise(n, 3);
        let mut blocked = vec![0.0; n];
        (0..n).step_by(3).for_each(|i| blocked[i] = f64::INFINITY);
        let expected: Vec<f64> = (0..n)
            .map(|j| gradient[j] + 0.25 * (f64::from(up[j] as f32) - f64::from(down[j] as f32)))
            .collect();
        let (value, place) = step(&mut gradient, &narrow(&up), &narrow(&down), 0.25, &blocked);
        gradient.iter().zip(&expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-15, "{a} {b}"));
        let naive = (0..n).filter(|i| i % 3 != 0).min_by(|&a, &b| gradient[a].total_cmp(&gradient[b]));
        assert_eq!(Some(place), naive);
        assert_eq!(value, gradient[place]);
    }

    #[test]
    fn best_pair_finds_the_largest_gain_that_may_fall() {
        let n = 5 * LANES;
        let gradient = noise(n, 4);
        let row: Vec<f32> = noise(n, 5).iter().map(|&x| x as f32).collect();
        let diagonal = vec![1.0; n];
        let mut blocked = vec![0.0; n];
        (0..n).step_by(2).for_each(|i| blocked[i] = f64::INFINITY);
        let lowest = -0.1;
        let (partner, gain, widest) = best_pair(&gradient, &row, &diagonal, &blocked, lowest, 1.0);
        let gains: Vec<f64> = (0..n)
            .map(|j| {
                let spread: f64 = gradient[j] - lowest;
                if j % 2 == 0 || spread <= 0.0 {
                    0.0
                } else {
                    spread * spread / (2.0 - 2.0 * f64::from(row[j]))
                }
            })
            .collect();
        let naive = (0..n).max_by(|&a, &b| gains[a].total_cmp(&gains[b])).expect("not empty");
        assert_eq!(partner, naive);
        assert!((gain - gains[naive]).abs() < 1e-12);
        let most = (1..n).step_by(2).map(|j| gradient[j] - lowest).fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(widest, most);
        let all = vec![f64::INFINITY; n];
        assert_eq!(best_pair(&gradient, &row, &diagonal, &all, lowest, 1.0).1, 0.0);
    }
}
