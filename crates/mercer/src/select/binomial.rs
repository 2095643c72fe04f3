//! The exact interval of a probability that was seen k times in n trials.

use crate::error::{Result, check};

/// Halvings of an interval of probabilities: the last bit of a number.
const HALVINGS: usize = 60;

/// The interval of Clopper and Pearson (1934) of a probability of which n trials had `k`: it holds the true one at least as often as
/// `level` says, whatever that is. Its lower end is the p at which k or more have the probability (1 − level)/2, the upper end that at
/// which k or fewer have it.
///
/// Cost: 60 sums of at most n terms.
///
/// ```
/// let [low, high] = mercer::select::clopper_pearson(0, 100, 0.95)?;
/// assert!(low == 0.0 && (high - (1.0 - 0.025f64.powf(0.01))).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// If there are no trials, fewer than `k`, or `level` does not lie between 0 and 1.
pub fn clopper_pearson(k: usize, n: usize, level: f64) -> Result<[f64; 2]> {
    check("level", level, level > 0.0 && level < 1.0, "must lie in (0, 1)")?;
    check("trials", n as f64, n > 0 && k <= n, "must be at least 1, and no fewer than the successes")?;
    let share = 0.5 * (1.0 - level);
    let low = if k == 0 { 0.0 } else { rising(|p| at_least(k, n, p), share) };
    // k or fewer successes are n − k or more failures.
    let high = if k == n { 1.0 } else { 1.0 - rising(|q| at_least(n - k, n, q), share) };
    Ok([low, high])
}

/// The p at which a function that rises from 0 to 1 is `wanted`.
fn rising(function: impl Fn(f64) -> f64, wanted: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if function(middle) < wanted { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The probability of k or more of n, 0 < k ≤ n, each with probability p.
fn at_least(k: usize, n: usize, p: f64) -> f64 {
    if p >= k as f64 / n as f64 {
        // Near the mode and beyond it; only whether it is above a small share is asked.
        return 1.0;
    }
    // ln C(n, k) pᵏ(1 − p)ⁿ⁻ᵏ; from there the terms fall.
    let (few, odds) = (k.min(n - k), p / (1.0 - p));
    let choose: f64 = (1..=few).map(|i| ((n - few + i) as f64 / i as f64).ln()).sum();
    let first = choose + k as f64 * p.ln() + (n - k) as f64 * (-p).ln_1p();
    let (mut term, mut sum) = (1.0, 1.0);
    for j in k..n {
        term *= odds * (n - j) as f64 / (j + 1) as f64;
        sum += term;
        if term < f64::EPSILON * sum {
            break;
        }
    }
    first.exp() * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_those_of_tables() {
        // Quantiles of the beta distribution by scipy.stats 1.x.
        for (k, n, low, high) in [
            (1, 10, 0.002_528_578_544_461_8, 0.445_016_117_028_195_4),
            (5, 10, 0.187_086_028_447_398_5, 0.812_913_971_552_601_5),
            (10, 10, 0.691_502_892_181_239_2, 1.0),
            (30, 270, 0.076_233_471_939_474_75, 0.154_807_334_073_410_16),
        ] {
            let [found_low, found_high] = clopper_pearson(k, n, 0.95).unwrap();
            assert!(
                (found_low - low).abs() < 1e-11 && (found_high - high).abs() < 1e-11,
                "{k} of {n}: {found_low} {found_high}"
            );
        }
    }

    #[test]
    fn the_ends_leave_the_share_that_they_say() {
        // The tails summed term by term with whole numbers of combinations.
        let pmf = |j: usize, n: usize, p: f64| {
            let choose: f64 = (1..=j).map(|i| (n - j + i) as f64 / i as f64).product();
            choose * p.powi(j as i32) * (1.0 - p).powi((n - j) as i32)
        };
        for (k, n, level) in [(3, 20, 0.95), (19, 20, 0.9), (7, 33, 0.99)] {
            let [low, high] = clopper_pearson(k, n, level).unwrap();
            let above: f64 = (k..=n).map(|j| pmf(j, n, low)).sum();
            let below: f64 = (0..=k).map(|j| pmf(j, n, high)).sum();
            let share = 0.5 * (1.0 - level);
            assert!((above - share).abs() < 1e-10 && (below - share).abs() < 1e-10, "{k} of {n}");
        }
    }

    #[test]
    fn what_is_no_share_is_refused() {
        assert!(clopper_pearson(1, 0, 0.95).is_err());
        assert!(clopper_pearson(3, 2, 0.95).is_err());
        assert!(clopper_pearson(1, 2, 1.0).is_err() && clopper_pearson(1, 2, f64::NAN).is_err());
    }
}
