//! The loops of the solver: gradient updates and the choice of a pair.

use super::{PANEL, fma_f32, fma_f64, multiversion};

/// Partial extrema that are kept side by side and compared at the end; a multiple of every vector width.
pub(crate) const LANES: usize = 32;

#[inline(always)]
fn accumulate_body<const FMA: bool>(gradient: &mut [f64], rows: &[&[f32]], weights: &[f64]) {
    fours::<FMA, f32>(gradient, rows, weights);
}

#[inline(always)]
fn accumulate_f64_body<const FMA: bool>(gradient: &mut [f64], rows: &[&[f64]], weights: &[f64]) {
    fours::<FMA, f64>(gradient, rows, weights);
}

#[inline(always)]
fn fours<const FMA: bool, T: Copy + Into<f64>>(gradient: &mut [f64], rows: &[&[T]], weights: &[f64]) {
    let mut rows = rows.chunks_exact(4).zip(weights.chunks_exact(4));
    for (row, weight) in rows.by_ref() {
        let [r0, r1, r2, r3] = [row[0], row[1], row[2], row[3]].map(|r| &r[..gradient.len()]);
        for j in 0..gradient.len() {
            let mut sum = gradient[j];
            sum = fma_f64::<FMA>(weight[0], r0[j].into(), sum);
            sum = fma_f64::<FMA>(weight[1], r1[j].into(), sum);
            sum = fma_f64::<FMA>(weight[2], r2[j].into(), sum);
            gradient[j] = fma_f64::<FMA>(weight[3], r3[j].into(), sum);
        }
    }
}

#[inline(always)]
fn accumulate_one_body<const FMA: bool>(gradient: &mut [f64], row: &[f32], weight: f64) {
    for (g, &k) in gradient.iter_mut().zip(row) {
        *g = fma_f64::<FMA>(weight, f64::from(k), *g);
    }
}

#[inline(always)]
fn accumulate_one_f64_body<const FMA: bool>(gradient: &mut [f64], row: &[f64], weight: f64) {
    for (g, &k) in gradient.iter_mut().zip(row) {
        *g = fma_f64::<FMA>(weight, k, *g);
    }
}

multiversion! {
    fn accumulate_four(gradient: &mut [f64], rows: &[&[f32]], weights: &[f64]) = accumulate_body;
}
multiversion! {
    fn accumulate_four_f64(gradient: &mut [f64], rows: &[&[f64]], weights: &[f64]) = accumulate_f64_body;
}
multiversion! {
    /// `gradient[j] += weight · row[j]`.
    fn accumulate_one(gradient: &mut [f64], row: &[f32], weight: f64) = accumulate_one_body;
}
multiversion! {
    /// `gradient[j] += weight · row[j]`, of a row in double precision.
    fn accumulate_one_f64(gradient: &mut [f64], row: &[f64], weight: f64) = accumulate_one_f64_body;
}

/// `gradient[j] += Σ weights[w] · rows[w][j]`, added in the order of the rows.
pub(crate) fn accumulate(gradient: &mut [f64], rows: &[&[f32]], weights: &[f64]) {
    let fours = rows.len() / 4 * 4;
    accumulate_four(gradient, &rows[..fours], &weights[..fours]);
    for (row, &weight) in rows[fours..].iter().zip(&weights[fours..]) {
        accumulate_one(gradient, row, weight);
    }
}

/// As [`accumulate`], of rows in double precision.
pub(crate) fn accumulate_f64(gradient: &mut [f64], rows: &[&[f64]], weights: &[f64]) {
    let fours = rows.len() / 4 * 4;
    accumulate_four_f64(gradient, &rows[..fours], &weights[..fours]);
    for (row, &weight) in rows[fours..].iter().zip(&weights[fours..]) {
        accumulate_one_f64(gradient, row, weight);
    }
}

#[inline(always)]
fn accumulate_tile_body<const FMA: bool>(sums: &mut [f64; PANEL], tile: &[f32], weights: &[f64]) {
    let mut local = *sums;
    for (row, &weight) in tile.chunks_exact(PANEL).zip(weights) {
        for c in 0..PANEL {
            local[c] = fma_f64::<FMA>(weight, f64::from(row[c]), local[c]);
        }
    }
    *sums = local;
}

multiversion! {
    /// `sums[c] += Σ weights[w] · tile[w][c]`, added in the order of the tile's rows: the bits of [`accumulate`].
    fn accumulate_tile(sums: &mut [f64; PANEL], tile: &[f32], weights: &[f64]) = accumulate_tile_body;
}

/// The smallest of `LANES` values and its number; the lower number wins a tie. By halves, so that lanes are compared side by side.
#[inline(always)]
fn smallest(values: &[f32; LANES], numbers: &[u32; LANES]) -> (f32, usize) {
    let mut least = *values;
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            least[l] = if least[l + width] < least[l] { least[l + width] } else { least[l] };
        }
        width /= 2;
    }
    let value = least[0];
    let mut number = u32::MAX;
    for l in 0..LANES {
        number = number.min(if values[l] == value { numbers[l] } else { u32::MAX });
    }
    (value, number as usize)
}

#[inline(always)]
fn step_body<const FMA: bool>(
    gradient: &mut [f32],
    rise: &[f32],
    fall: &[f32],
    delta: f32,
    blocked: &[f32],
) -> (f32, usize) {
    let (mut best, mut place) = ([f32::INFINITY; LANES], [0u32; LANES]);
    let chunks = gradient.chunks_exact_mut(LANES).zip(rise.chunks_exact(LANES));
    let chunks = chunks.zip(fall.chunks_exact(LANES)).zip(blocked.chunks_exact(LANES));
    for (number, (((g, up), down), block)) in (0u32..).zip(chunks) {
        for l in 0..LANES {
            g[l] = fma_f32::<FMA>(delta, up[l] - down[l], g[l]);
            let value = g[l] + block[l];
            let better = value < best[l];
            best[l] = if better { value } else { best[l] };
            place[l] = if better { number } else { place[l] };
        }
    }
    for l in 0..LANES {
        place[l] = place[l] * LANES as u32 + l as u32;
    }
    smallest(&best, &place)
}

multiversion! {
    /// Moves the gradient along `delta·(rise − fall)` and finds the variable with the smallest gradient among
    /// those that may rise (`blocked` is 0 there, ∞ elsewhere). Lengths are multiples of [`LANES`].
    fn step(gradient: &mut [f32], rise: &[f32], fall: &[f32], delta: f32, blocked: &[f32]) -> (f32, usize) = step_body;
}

#[inline(always)]
fn best_pair_body<const FMA: bool>(
    gradient: &[f32],
    row: &[f32],
    diagonal: &[f32],
    blocked: &[f32],
    lowest: f32,
    first_diagonal: f32,
) -> (usize, f32, f32) {
    // Gains are negated so that one `smallest` serves both choices.
    let (mut best, mut place) = ([0f32; LANES], [0u32; LANES]);
    let mut widest = [f32::NEG_INFINITY; LANES];
    let chunks = gradient.chunks_exact(LANES).zip(row.chunks_exact(LANES));
    let chunks = chunks.zip(diagonal.chunks_exact(LANES)).zip(blocked.chunks_exact(LANES));
    for (number, (((g, k), d), block)) in (0u32..).zip(chunks) {
        for l in 0..LANES {
            let spread = g[l] - lowest - block[l];
            widest[l] = if spread > widest[l] { spread } else { widest[l] };
            let curvature = fma_f32::<FMA>(-2.0, k[l], first_diagonal + d[l]);
            let curvature = if curvature > MIN_CURVATURE { curvature } else { MIN_CURVATURE };
            let spread = if spread > 0.0 { spread } else { 0.0 };
            let gain = -(spread * spread) / curvature;
            let better = gain < best[l];
            best[l] = if better { gain } else { best[l] };
            place[l] = if better { number } else { place[l] };
        }
    }
    for l in 0..LANES {
        place[l] = place[l] * LANES as u32 + l as u32;
    }
    let (gain, partner) = smallest(&best, &place);
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            widest[l] = if widest[l + width] > widest[l] { widest[l + width] } else { widest[l] };
        }
        width /= 2;
    }
    (partner, -gain, widest[0])
}

/// K is rounded to `f32`, so a pair of near-duplicates can show curvature ≤ 0. The floor keeps the step finite; the
/// box clips it.
pub(crate) const MIN_CURVATURE: f32 = 1e-12;

multiversion! {
    /// The partner with the largest second-order gain (gⱼ − lowest)²/(first_diagonal + dⱼ − 2kⱼ) among those that may fall
    /// (`blocked` is 0 there, ∞ elsewhere): its number, the gain (0 if there is none) and the largest gⱼ − lowest.
    fn best_pair(
        gradient: &[f32], row: &[f32], diagonal: &[f32], blocked: &[f32], lowest: f32, first_diagonal: f32,
    ) -> (usize, f32, f32) = best_pair_body;
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
        let start = gradient.clone();
        accumulate(&mut gradient, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), &weights);
        let wide: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|&k| k.into()).collect()).collect();
        let mut again = start;
        accumulate_f64(&mut again, &wide.iter().map(Vec::as_slice).collect::<Vec<_>>(), &weights);
        assert_eq!(again, gradient);
        gradient.iter().zip(&expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{a} {b}"));
    }

    #[test]
    fn a_tile_adds_up_to_the_bits_of_its_rows() {
        let tile: Vec<f32> = noise(7 * PANEL, 1).iter().map(|&x| x as f32).collect();
        let weights = noise(7, 9);
        let mut expected = noise(PANEL, 11);
        let mut sums: [f64; PANEL] = expected.clone().try_into().expect("PANEL values");
        accumulate(&mut expected, &tile.chunks(PANEL).collect::<Vec<_>>(), &weights);
        accumulate_tile(&mut sums, &tile, &weights);
        assert_eq!(sums[..], expected);
    }

    fn single(n: usize, seed: u64) -> Vec<f32> {
        noise(n, seed).iter().map(|&x| x as f32).collect()
    }

    #[test]
    fn step_moves_and_finds_the_smallest_that_may_rise() {
        let n = 4 * LANES;
        let (up, down) = (single(n, 1), single(n, 2));
        let mut gradient = single(n, 3);
        let mut blocked = vec![0.0; n];
        (0..n).step_by(3).for_each(|i| blocked[i] = f32::INFINITY);
        let expected: Vec<f32> = (0..n).map(|j| gradient[j] + 0.25 * (up[j] - down[j])).collect();
        let (value, place) = step(&mut gradient, &up, &down, 0.25, &blocked);
        gradient.iter().zip(&expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-7, "{a} {b}"));
        let naive = (0..n).filter(|i| i % 3 != 0).min_by(|&a, &b| gradient[a].total_cmp(&gradient[b]));
        assert_eq!(Some(place), naive);
        assert_eq!(value, gradient[place]);
    }

    #[test]
    fn best_pair_finds_the_largest_gain_that_may_fall() {
        let n = 5 * LANES;
        let gradient = single(n, 4);
        let row = single(n, 5);
        let diagonal = vec![1.0; n];
        let mut blocked = vec![0.0; n];
        (0..n).step_by(2).for_each(|i| blocked[i] = f32::INFINITY);
        let lowest = -0.1;
        let (partner, gain, widest) = best_pair(&gradient, &row, &diagonal, &blocked, lowest, 1.0);
        let gains: Vec<f32> = (0..n)
            .map(|j| {
                let spread = gradient[j] - lowest;
                if j % 2 == 0 || spread <= 0.0 { 0.0 } else { spread * spread / (2.0 - 2.0 * row[j]) }
            })
            .collect();
        let naive = (0..n).max_by(|&a, &b| gains[a].total_cmp(&gains[b])).expect("not empty");
        assert_eq!(partner, naive);
        assert!((gain - gains[naive]).abs() < 1e-6);
        let most = (1..n).step_by(2).map(|j| gradient[j] - lowest).fold(f32::NEG_INFINITY, f32::max);
        assert_eq!(widest, most);
        let all = vec![f32::INFINITY; n];
        assert_eq!(best_pair(&gradient, &row, &diagonal, &all, lowest, 1.0).1, 0.0);
    }
}
