//! Rows times a matrix that has a line of numbers for each feature, one number for each class; and the shares of the classes of a point.

#[cfg(target_arch = "x86_64")]
use super::{Level, level};
use super::{fma_f64, multiversion};

/// Numbers of a line that are worked on together: a register of the widest kind.
pub(crate) const LINE: usize = 8;

/// Adds value · line k of a matrix, whose lines are as long as `out`, for each entry (k, value): up to four registers of sums are kept
/// for a walk over the entries, then four numbers, two and one.
#[inline(always)]
pub(super) fn line_sums<const FMA: bool>(
    entries: impl Iterator<Item = (usize, f64)> + Clone,
    matrix: &[f64],
    out: &mut [f64],
) {
    let (outputs, mut at) = (out.len(), 0);
    while at + LINE <= outputs {
        at += match (outputs - at) / LINE {
            1 => registers::<FMA, 1>(entries.clone(), matrix, at, out),
            2 => registers::<FMA, 2>(entries.clone(), matrix, at, out),
            3 => registers::<FMA, 3>(entries.clone(), matrix, at, out),
            _ => registers::<FMA, 4>(entries.clone(), matrix, at, out),
        };
    }
    if at + 4 <= outputs {
        at += sums_at::<FMA, 4>(entries.clone(), matrix, at, out);
    }
    if at + 2 <= outputs {
        at += sums_at::<FMA, 2>(entries.clone(), matrix, at, out);
    }
    if at < outputs {
        sums_at::<FMA, 1>(entries, matrix, at, out);
    }
}

/// The sums of the columns of `G` registers, from column `at` on; gives their number.
#[inline(always)]
fn registers<const FMA: bool, const G: usize>(
    entries: impl Iterator<Item = (usize, f64)> + Clone,
    matrix: &[f64],
    at: usize,
    out: &mut [f64],
) -> usize {
    #[cfg(target_arch = "x86_64")]
    match level() {
        // SAFETY: the processor has the instruction set.
        Level::Avx512 => return unsafe { x86::sums_avx512::<G>(entries, matrix, at, out) },
        // SAFETY: as above.
        Level::Avx2 => return unsafe { x86::sums_avx2::<G>(entries, matrix, at, out) },
        Level::Baseline => {}
    }
    (0..G).fold(0, |done, _| done + sums_at::<FMA, LINE>(entries.clone(), matrix, at + done, out))
}

/// The sums of `N` columns of the matrix, from column `at` on; gives N.
#[inline(always)]
fn sums_at<const FMA: bool, const N: usize>(
    entries: impl Iterator<Item = (usize, f64)>,
    matrix: &[f64],
    at: usize,
    out: &mut [f64],
) -> usize {
    let outputs = out.len();
    let mut sums: [f64; N] = std::array::from_fn(|l| out[at + l]);
    for (k, value) in entries {
        let line = &matrix[k * outputs + at..][..N];
        for l in 0..N {
            sums[l] = fma_f64::<FMA>(value, line[l], sums[l]);
        }
    }
    out[at..at + N].copy_from_slice(&sums);
    N
}

/// Adds value · `weights` to line k of a matrix, whose lines are as long, for each entry (k, value). Numbers of which none of a register
/// has a weight cost nothing: a step changes the weights of a few classes.
#[inline(always)]
pub(super) fn lines_add<const FMA: bool>(
    entries: impl Iterator<Item = (usize, f64)> + Clone,
    weights: &[f64],
    matrix: &mut [f64],
) {
    let outputs = weights.len();
    let (lists, _) = weights.as_chunks::<LINE>();
    let mut at = lists.len() * LINE;
    let (mut held, mut count) = ([0; 4], 0);
    for (list, _) in lists.iter().enumerate().filter(|(_, own)| own.iter().any(|&w| w != 0.0)) {
        held[count] = list * LINE;
        count += 1;
        if count == held.len() {
            add_registers::<FMA, 4>(entries.clone(), held, weights, matrix);
            count = 0;
        }
    }
    let [a, b, c, _] = held;
    match count {
        0 => {}
        1 => add_registers::<FMA, 1>(entries.clone(), [a], weights, matrix),
        2 => add_registers::<FMA, 2>(entries.clone(), [a, b], weights, matrix),
        _ => add_registers::<FMA, 3>(entries.clone(), [a, b, c], weights, matrix),
    }
    if at + 4 <= outputs {
        at += add_at::<FMA, 4>(entries.clone(), weights, at, matrix);
    }
    if at + 2 <= outputs {
        at += add_at::<FMA, 2>(entries.clone(), weights, at, matrix);
    }
    if at < outputs {
        add_at::<FMA, 1>(entries, weights, at, matrix);
    }
}

/// Adds to the columns of `G` registers, each from a column of `held` on.
#[inline(always)]
fn add_registers<const FMA: bool, const G: usize>(
    entries: impl Iterator<Item = (usize, f64)> + Clone,
    held: [usize; G],
    weights: &[f64],
    matrix: &mut [f64],
) {
    #[cfg(target_arch = "x86_64")]
    match level() {
        // SAFETY: the processor has the instruction set.
        Level::Avx512 => return unsafe { x86::add_avx512(entries, held, weights, matrix) },
        // SAFETY: as above.
        Level::Avx2 => return unsafe { x86::add_avx2(entries, held, weights, matrix) },
        Level::Baseline => {}
    }
    for at in held {
        add_at::<FMA, LINE>(entries.clone(), weights, at, matrix);
    }
}

/// Adds to `N` columns of the matrix, from column `at` on; gives N.
#[inline(always)]
fn add_at<const FMA: bool, const N: usize>(
    entries: impl Iterator<Item = (usize, f64)>,
    weights: &[f64],
    at: usize,
    matrix: &mut [f64],
) -> usize {
    let own: [f64; N] = std::array::from_fn(|l| weights[at + l]);
    if own.iter().any(|&weight| weight != 0.0) {
        for (k, value) in entries {
            let line = &mut matrix[k * weights.len() + at..][..N];
            for l in 0..N {
                line[l] = fma_f64::<FMA>(value, own[l], line[l]);
            }
        }
    }
    N
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::LINE;
    use std::arch::x86_64::*;

    macro_rules! kernels {
        ($sums:ident, $add:ident, $features:literal, $vector:ty, $lanes:literal,
         $set:ident, $load:ident, $fma:ident, $store:ident) => {
            /// The sums of the columns of `G` lists of [`LINE`], from column `at` on; gives their number.
            #[target_feature(enable = $features)]
            pub(super) fn $sums<const G: usize>(
                entries: impl Iterator<Item = (usize, f64)>,
                matrix: &[f64],
                at: usize,
                out: &mut [f64],
            ) -> usize {
                const PARTS: usize = LINE / $lanes;
                let outputs = out.len();
                let out = &mut out[at..][..G * LINE];
                let mut sums: [[$vector; PARTS]; G] = [[$set(0.0); PARTS]; G];
                for g in 0..G {
                    for part in 0..PARTS {
                        // SAFETY: `out` has G · LINE numbers.
                        sums[g][part] = unsafe { $load(out.as_ptr().add(g * LINE + part * $lanes)) };
                    }
                }
                for (k, value) in entries {
                    let line = matrix[k * outputs + at..][..G * LINE].as_ptr();
                    let value = $set(value);
                    for g in 0..G {
                        for part in 0..PARTS {
                            // SAFETY: the slice that `line` begins has G · LINE numbers.
                            let own = unsafe { $load(line.add(g * LINE + part * $lanes)) };
                            sums[g][part] = $fma(value, own, sums[g][part]);
                        }
                    }
                }
                for g in 0..G {
                    for part in 0..PARTS {
                        // SAFETY: `out` has G · LINE numbers.
                        unsafe { $store(out.as_mut_ptr().add(g * LINE + part * $lanes), sums[g][part]) };
                    }
                }
                G * LINE
            }

            /// Adds to the columns of `G` lists of [`LINE`], each from a column of `held` on.
            #[target_feature(enable = $features)]
            pub(super) fn $add<const G: usize>(
                entries: impl Iterator<Item = (usize, f64)>,
                held: [usize; G],
                weights: &[f64],
                matrix: &mut [f64],
            ) {
                const PARTS: usize = LINE / $lanes;
                let outputs = weights.len();
                let mut own: [[$vector; PARTS]; G] = [[$set(0.0); PARTS]; G];
                for g in 0..G {
                    let list = weights[held[g]..][..LINE].as_ptr();
                    for part in 0..PARTS {
                        // SAFETY: the slice that `list` begins has LINE numbers.
                        own[g][part] = unsafe { $load(list.add(part * $lanes)) };
                    }
                }
                for (k, value) in entries {
                    let line = matrix[k * outputs..][..outputs].as_mut_ptr();
                    let value = $set(value);
                    for g in 0..G {
                        for part in 0..PARTS {
                            // SAFETY: held[g] + LINE is at most the length of the line, as it is of `weights`.
                            unsafe {
                                let to = line.add(held[g] + part * $lanes);
                                $store(to, $fma(value, own[g][part], $load(to)));
                            }
                        }
                    }
                }
            }
        };
    }

    kernels! { sums_avx512, add_avx512, "avx512f,avx2,fma", __m512d, 8,
    _mm512_set1_pd, _mm512_loadu_pd, _mm512_fmadd_pd, _mm512_storeu_pd }
    kernels! { sums_avx2, add_avx2, "avx2,fma", __m256d, 4,
    _mm256_set1_pd, _mm256_loadu_pd, _mm256_fmadd_pd, _mm256_storeu_pd }
}

/// The number that `with` makes of eight.
#[inline(always)]
fn of_lanes(lanes: [f64; LINE], with: impl Fn(f64, f64) -> f64) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    with(with(with(a, e), with(c, g)), with(with(b, f), with(d, h)))
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

#[inline(always)]
fn smaller(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

#[inline(always)]
fn shares_body<const FMA: bool>(
    scores: &[f64],
    (norm, price, least): (f64, f64, f64),
    shares: &mut [f64],
    change: &mut [f64],
) -> f64 {
    let (g, _) = scores.as_chunks::<LINE>();
    let (p, _) = shares.as_chunks_mut::<LINE>();
    let (w, _) = change.as_chunks_mut::<LINE>();
    let (mut highest, mut lowest) = ([f64::NEG_INFINITY; LINE], [f64::INFINITY; LINE]);
    for (g, p) in g.iter().zip(&*p) {
        for l in 0..LINE {
            highest[l] = larger(highest[l], g[l]);
            lowest[l] = smaller(lowest[l], if p[l] > 0.0 { g[l] } else { f64::INFINITY });
        }
    }
    let top = of_lanes(highest, larger);
    let violation = top - of_lanes(lowest, smaller);
    // What is not a number is no step.
    if violation.is_nan() || violation <= least * (1.0 + top.abs()) {
        return 0.0;
    }
    // From the largest g, so that shares that are small beside it keep their digits.
    let mut highest = [f64::NEG_INFINITY; LINE];
    for ((w, g), p) in w.iter_mut().zip(g).zip(&*p) {
        for l in 0..LINE {
            w[l] = fma_f64::<FMA>(norm, p[l], g[l] - top);
            highest[l] = larger(highest[l], w[l]);
        }
    }
    // The largest value alone is above the level by at most the total.
    let total = norm * price;
    let (mut level, mut above) = (of_lanes(highest, larger) - total, f64::INFINITY);
    loop {
        let (mut sums, mut counts) = ([0.0; LINE], [0.0; LINE]);
        for w in w.iter() {
            for l in 0..LINE {
                let is_above = w[l] > level;
                sums[l] += if is_above { w[l] } else { 0.0 };
                counts[l] += if is_above { 1.0 } else { 0.0 };
            }
        }
        let (sum, count) = (of_lanes(sums, |a, b| a + b), of_lanes(counts, |a, b| a + b));
        // The count falls from step to step; where rounding would let it rise, the level is found.
        if count >= above || count == 0.0 {
            break;
        }
        (level, above) = ((sum - total) / count, count);
    }
    let inverse = 1.0 / norm;
    for (w, p) in w.iter_mut().zip(p) {
        for l in 0..LINE {
            let new = larger((w[l] - level) * inverse, 0.0);
            (w[l], p[l]) = (p[l] - new, new);
        }
    }
    violation
}

multiversion! {
    /// Puts in place of the `shares` p of a point those that are nearest to p + g/norm, not negative and with the sum price, where g are the
    /// `scores` and `step` is norm > 0, price and least; `change` becomes old less new. Gives by how much the largest g is above the smallest of
    /// those with a share; 0, with all shares as they were, where that is at most least · (1 + |largest g|). Lists are whole
    /// [`LINE`]s: what is no class has g = −∞ and no share. The level below which there is no share is found by leaving out, again and again,
    /// what is below it (Michelot 1986).
    fn nearest_shares(scores: &[f64], step: (f64, f64, f64), shares: &mut [f64], change: &mut [f64]) -> f64 = shares_body;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(at: usize) -> f64 {
        ((at * 37 % 101) as f64 * 0.7).sin()
    }

    #[test]
    fn lines_are_added_up_as_written_out() {
        for outputs in [1, 2, 3, 7, 8, 13, 16, 24, 39, 72] {
            let entries = [(0, 0.5), (3, -1.25), (4, 2.0), (9, 0.125)];
            let matrix: Vec<f64> = (0..10 * outputs).map(value).collect();
            let mut out: Vec<f64> = (0..outputs).map(|c| value(c + 5)).collect();
            let start = out.clone();
            line_sums::<true>(entries.into_iter(), &matrix, &mut out);
            // A register without a weight, and others.
            let weights: Vec<f64> =
                (0..outputs).map(|c| if c / LINE == 1 { 0.0 } else { value(c + 11) }).collect();
            let mut added = matrix.clone();
            lines_add::<true>(entries.into_iter(), &weights, &mut added);
            for c in 0..outputs {
                let sum: f64 = entries.iter().map(|(k, v)| v * matrix[k * outputs + c]).sum();
                assert!((out[c] - start[c] - sum).abs() < 1e-14, "{outputs} {c}");
                for k in 0..10 {
                    let own = entries.iter().find(|(of, _)| *of == k).map_or(0.0, |(_, v)| v * weights[c]);
                    let at = k * outputs + c;
                    assert!((added[at] - matrix[at] - own).abs() < 1e-15, "{outputs} {k} {c}");
                }
            }
        }
    }

    #[test]
    fn shares_are_the_nearest_ones() {
        // By halving of the level, which shares no step with the loop above.
        for (classes, norm, price) in
            [(2, 3.0, 1.0), (5, 0.25, 2.0), (8, 1.0, 0.5), (20, 40.0, 1.0), (30, 1e-3, 7.0)]
        {
            for seed in 0..40 {
                let lanes = usize::div_ceil(classes, LINE) * LINE;
                let (mut g, mut p) = (vec![f64::NEG_INFINITY; lanes], vec![0.0; lanes]);
                (0..classes).for_each(|c| g[c] = 3.0 * value(17 * seed + c));
                (p[seed % classes], p[(seed + 1) % classes]) = (0.25 * price, 0.75 * price);
                let wish: Vec<f64> = g.iter().zip(&p).map(|(g, p)| p + g / norm).collect();
                let (mut low, mut high) = (-1e6, 1e6);
                for _ in 0..200 {
                    let level = 0.5 * (low + high);
                    let sum: f64 = wish.iter().map(|w| (w - level).max(0.0)).sum();
                    if sum > price { low = level } else { high = level }
                }
                let (old, mut change) = (p.clone(), vec![f64::NAN; lanes]);
                let violation = nearest_shares(&g, (norm, price, 1e-15), &mut p, &mut change);
                let top = g.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
                let held = old.iter().zip(&g).filter(|(p, _)| **p > 0.0).map(|(_, g)| *g);
                assert_eq!(violation, top - held.fold(f64::INFINITY, f64::min));
                for c in 0..lanes {
                    let best = (wish[c] - low).max(0.0);
                    assert!((p[c] - best).abs() < 1e-9 * price, "{classes} {seed} {c}: {} and {best}", p[c]);
                    assert_eq!(change[c], old[c] - p[c]);
                }
                // The best shares for these scores are those that stay.
                let rest = nearest_shares(
                    &[0.0; LINE],
                    (norm, price, 1e-15),
                    &mut [price / 8.0; LINE],
                    &mut [0.0; LINE],
                );
                assert_eq!(rest, 0.0);
            }
        }
    }
}
