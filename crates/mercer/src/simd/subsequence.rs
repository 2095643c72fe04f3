//! Gap-weighted subsequences that one sequence shares with eight others at a time, one in each lane.
//!
//! With κ_q(i, j) the sum over common subsequences of length q that end at places i and j, divided by λ^(2q), and
//! S_q(i, j) = Σ κ_q(i′, j′) λ^(i−i′+j−j′) over i′ ≤ i and j′ ≤ j,
//!
//! κ₁(i, j) = [xᵢ = yⱼ],  κ_{q+1}(i, j) = [xᵢ = yⱼ] S_q(i−1, j−1),
//! R_q(i, j) = λ R_q(i, j−1) + κ_q(i, j),  S_q(i, j) = λ S_q(i−1, j) + R_q(i, j).
//!
//! All terms are positive, so that nothing cancels, and a place costs two multiply-adds for each length.
//! Cost: O(p |x| |y|) for eight sequences y; memory: p − 1 rows of S.

use super::{fma_f64, multiversion};

/// Sequences compared at once.
pub(crate) const SUBSEQUENCE_LANES: usize = 8;

/// The longest subsequence.
pub(crate) const MAX_SUBSEQUENCE: usize = 32;

/// Subsequences longer than this are counted one length after the other: registers do not hold more lengths at once.
const UNROLLED: usize = 6;

type Values = [f64; SUBSEQUENCE_LANES];
type Codes = [u32; SUBSEQUENCE_LANES];

const ZEROS: Values = [0.0; SUBSEQUENCE_LANES];
const ONES: Values = [1.0; SUBSEQUENCE_LANES];

/// 1 in the lanes that have the code `x`.
#[inline(always)]
fn matches(x: u32, y: &Codes) -> Values {
    let mut found = ZEROS;
    for lane in 0..SUBSEQUENCE_LANES {
        found[lane] = if y[lane] == x { 1.0 } else { 0.0 };
    }
    found
}

/// Σ κ_q over all places for each q up to `N`, and for the length after it. `S` has `N` entries for each place of `y`, all zero.
#[inline(always)]
fn sweep<const FMA: bool, const N: usize, const ALL: bool>(
    x: &[u32],
    y: &[Codes],
    decay: f64,
    s: &mut [Values],
) -> ([Values; N], Values) {
    let (mut sums, mut last) = ([ZEROS; N], ZEROS);
    for &letter in x {
        let (mut r, mut before) = ([ZEROS; N], [ZEROS; N]);
        for (y, s) in y.iter().zip(s.chunks_exact_mut(N)) {
            let same = matches(letter, y);
            for lane in 0..SUBSEQUENCE_LANES {
                last[lane] = fma_f64::<FMA>(same[lane], before[N - 1][lane], last[lane]);
            }
            for q in (0..N).rev() {
                let mut ends = same;
                if q > 0 {
                    for lane in 0..SUBSEQUENCE_LANES {
                        ends[lane] = same[lane] * before[q - 1][lane];
                    }
                }
                before[q] = s[q];
                for lane in 0..SUBSEQUENCE_LANES {
                    r[q][lane] = fma_f64::<FMA>(decay, r[q][lane], ends[lane]);
                    s[q][lane] = fma_f64::<FMA>(decay, before[q][lane], r[q][lane]);
                }
                if ALL {
                    for lane in 0..SUBSEQUENCE_LANES {
                        sums[q][lane] += ends[lane];
                    }
                }
            }
        }
    }
    (sums, last)
}

/// As [`sweep`] for any number of lengths, one after the other.
#[inline(always)]
fn sweep_long<const FMA: bool>(
    stored: usize,
    x: &[u32],
    y: &[Codes],
    decay: f64,
    s: &mut Vec<Values>,
) -> ([Values; MAX_SUBSEQUENCE], Values) {
    let (mut sums, mut last) = ([ZEROS; MAX_SUBSEQUENCE], ZEROS);
    // Each length has one entry before the first place. That of length 0 is 1 everywhere.
    let width = y.len() + 1;
    s.clear();
    s.resize(width, ONES);
    s.resize((stored + 1) * width, ZEROS);
    for &letter in x {
        // From the longest down, as each length needs the shorter one as it was at the letter before.
        let longest = &s[stored * width..];
        for (y, before) in y.iter().zip(longest) {
            let same = matches(letter, y);
            for lane in 0..SUBSEQUENCE_LANES {
                last[lane] = fma_f64::<FMA>(same[lane], before[lane], last[lane]);
            }
        }
        for q in (0..stored).rev() {
            let (shorter, own) = s[q * width..].split_at_mut(width);
            let (mut r, mut sum) = (ZEROS, sums[q]);
            for ((y, before), own) in y.iter().zip(shorter).zip(&mut own[1..]) {
                let same = matches(letter, y);
                let mut ends = ZEROS;
                for lane in 0..SUBSEQUENCE_LANES {
                    ends[lane] = same[lane] * before[lane];
                }
                for lane in 0..SUBSEQUENCE_LANES {
                    sum[lane] += ends[lane];
                    r[lane] = fma_f64::<FMA>(decay, r[lane], ends[lane]);
                    own[lane] = fma_f64::<FMA>(decay, own[lane], r[lane]);
                }
            }
            sums[q] = sum;
        }
    }
    (sums, last)
}

/// Pairs of places with the same code.
#[inline(always)]
fn pairs(x: &[u32], y: &[Codes]) -> Values {
    let mut sums = ZEROS;
    for &letter in x {
        for y in y {
            let same = matches(letter, y);
            for lane in 0..SUBSEQUENCE_LANES {
                sums[lane] += same[lane];
            }
        }
    }
    sums
}

#[inline(always)]
fn weigh<const N: usize>(found: ([Values; N], Values), weights: &[f64]) -> Values {
    let (sums, last) = found;
    let mut total = ZEROS;
    for (sum, weight) in sums[..weights.len() - 1].iter().chain([&last]).zip(weights) {
        for lane in 0..SUBSEQUENCE_LANES {
            total[lane] += weight * sum[lane];
        }
    }
    total
}

#[inline(always)]
fn body<const FMA: bool>(x: &[u32], y: &[Codes], decay: f64, weights: &[f64], s: &mut Vec<Values>) -> Values {
    let stored = weights.len() - 1;
    s.clear();
    s.resize(stored * y.len(), ZEROS);
    let all = weights[..stored].iter().any(|&weight| weight != 0.0);
    macro_rules! of_length {
        ($($length:literal)*) => {
            match (stored, all) {
                (0, _) => weigh(([ZEROS; 0], pairs(x, y)), weights),
                $(($length, false) => weigh(sweep::<FMA, $length, false>(x, y, decay, s), weights),
                ($length, true) => weigh(sweep::<FMA, $length, true>(x, y, decay, s), weights),)*
                (UNROLLED.., _) => {
                    weigh(sweep_long::<FMA>(stored, x, y, decay, s), weights)
                }
            }
        };
    }
    of_length!(1 2 3 4 5)
}

multiversion! {
    /// Σ_q w_q λ^(−2q) K_q(x, y) for each lane of `y`, where K_q is the sum over common subsequences of length q of λ to the
    /// power of both spans, `decay` is λ and the weights w are of lengths from 1. A code of a lane that is 0 matches nothing.
    /// `s` is scratch.
    ///
    /// # Panics
    /// If there are no weights, or more than [`MAX_SUBSEQUENCE`].
    fn subsequences(
        x: &[u32],
        y: &[[u32; SUBSEQUENCE_LANES]],
        decay: f64,
        weights: &[f64],
        s: &mut Vec<[f64; SUBSEQUENCE_LANES]>,
    ) -> [f64; SUBSEQUENCE_LANES] = body;
}
