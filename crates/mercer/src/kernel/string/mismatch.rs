//! The (p, m)-mismatch kernel: words of p units that agree but for m of them.
//!
//! $k(s, t) = Σ_u φ_u(s) φ_u(t)$ over all words u of p units of an alphabet of A units, where φ_u(s) counts the words of s that
//! differ from u in at most m places. A word of s and a word of t that differ in d places have
//!
//! $N(d) = Σ C(p−d, r) (A−1)^r · d!/(i! j! (d−i−j)!) · (A−2)^(d−i−j)$ over r, i, j with d−i+r ≤ m and d−j+r ≤ m
//!
//! words within m of both: r places where they agree are changed, i of the others are as in the first word and j as in the second.
//! So k(s, t) = Σ N(d) over all pairs of words, which depends on A but not on which units the alphabet has: A is a parameter of
//! the kernel, 4 for DNA and 20 for proteins, and a value depends on the two texts only, not on the others that are bound.
//!
//! N is 0 for d > 2m, and two words share C(p−d, p−b) of the patterns with b blanks. With w such that
//! N(d) = Σ_b w_b C(p−d, p−b) for all d, the kernel is the sum over b of w_b times the inner product of the counts of patterns
//! with b ≤ 2m blanks: Σ_{b ≤ 2m} C(p, b) features for a word, however large the alphabet is. Weights may be negative.
//!
//! It is an inner product of the φ_u, and so positive semi-definite, for texts of at most A different units.
//!
//! C. Leslie, E. Eskin, A. Cohen, J. Weston, W. S. Noble (2004): Mismatch string kernels for discriminative protein
//! classification. M. Ghandi, D. Lee, M. Mohammad-Noori, M. A. Beer (2014) use blanks for mismatches.

use super::words::Shape;

/// The most patterns of a word.
pub(super) const MAX_PATTERNS: u64 = 10_000;

/// How many patterns a word has.
pub(super) fn patterns(p: u32, m: u32) -> u64 {
    (0..=p.min(2 * m)).map(|blanks| binomial(p, blanks) as u64).sum()
}

/// The patterns of words of `p` units with their weights.
pub(super) fn shapes(p: u32, m: u32, alphabet: u32) -> Vec<Shape> {
    let weights = weights(p, m, alphabet);
    let all = u32::MAX >> (32 - p);
    let mut shapes = Vec::new();
    for (blanks, &weight) in (0_u32..).zip(&weights) {
        if weight != 0 {
            subsets(p, blanks, 0, &mut |blank| {
                shapes.push(Shape { length: p as usize, kept: all & !blank, weight: weight as f64 });
            });
        }
    }
    shapes
}

/// Shows the sets of `count` of the places from 0 to `places` − 1, each with `chosen` before it, as bits.
fn subsets(places: u32, count: u32, chosen: u32, show: &mut dyn FnMut(u32)) {
    if count == 0 {
        return show(chosen);
    }
    for last in count - 1..places {
        subsets(last, count - 1, chosen | 1 << last, show);
    }
}

/// w_b for b blanks, from 0: by substitution, as C(p−d, p−b) is 0 for b < d.
fn weights(p: u32, m: u32, alphabet: u32) -> Vec<i128> {
    let most = p.min(2 * m);
    let mut weights = vec![0; most as usize + 1];
    for d in (0..=most).rev() {
        let rest: i128 = (d + 1..=most).map(|b| weights[b as usize] * binomial(p - d, p - b)).sum();
        weights[d as usize] = near_both(p, m, alphabet, d) - rest;
    }
    weights
}

/// N(d).
fn near_both(p: u32, m: u32, alphabet: u32, d: u32) -> i128 {
    let a = i128::from(alphabet);
    let mut words = 0;
    for r in 0..=m.min(p - d) {
        let changed = binomial(p - d, r) * (a - 1).pow(r);
        for i in 0..=d {
            for j in 0..=d - i {
                if d - i + r <= m && d - j + r <= m {
                    words += changed * binomial(d, i) * binomial(d - i, j) * (a - 2).pow(d - i - j);
                }
            }
        }
    }
    words
}

fn binomial(n: u32, k: u32) -> i128 {
    if k > n { 0 } else { (0..i128::from(k)).fold(1, |product, i| product * (i128::from(n) - i) / (i + 1)) }
}
