//! Intervals for a score that was measured on some points.

use super::{Metric, Said, Truth};
use crate::data::SplitMix;
use crate::error::Result;

/// The share of such intervals that hold the true value.
pub const LEVEL: f64 = 0.95;
/// The standard normal variable is below this with probability ½ + ½ [`LEVEL`].
const Z: f64 = 1.959_963_984_540_054;
/// Samples drawn by a bootstrap: the 25th from either end is then a stable end of the interval.
const SAMPLES: usize = 1000;
/// Scores of points drawn by a bootstrap, at most: beyond this fewer samples are drawn, 200 at least.
const WORK: usize = 20_000_000;

/// The ends of an interval, and how they were found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// `wilson` or `bootstrap`.
    pub by: &'static str,
}

/// Wilson's interval of a share of n points, each of which is right or wrong by itself: p + z²/2n ± z √(p(1 − p)/n + z²/4n²), over
/// 1 + z²/n (Wilson 1927). It never leaves [0, 1], also for a share of 0 or 1.
///
/// ```
/// let interval = mercer::select::wilson(90.0, 100.0);
/// assert!((interval.low - 0.8256).abs() < 1e-4 && (interval.high - 0.9448).abs() < 1e-4);
/// ```
#[must_use]
pub fn wilson(right: f64, n: f64) -> Interval {
    let (p, z2) = (right / n, Z * Z);
    let middle = p + z2 / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let whole = 1.0 + z2 / n;
    Interval {
        low: ((middle - half) / whole).max(0.0),
        high: ((middle + half) / whole).min(1.0),
        by: "wilson",
    }
}

/// The interval of the mean over folds of a metric, by drawing the points of each fold again and again, with replacement: from the
/// 2.5th to the 97.5th of a hundred such means (Efron 1979). Samples of which the metric is not defined are left out.
///
/// # Errors
/// If it is no metric of such predictions.
pub fn bootstrap(metric: Metric, folds: &[(Truth, Said)], seed: u64) -> Result<Option<Interval>> {
    let points: usize = folds.iter().map(|(truth, _)| truth.len()).sum();
    let samples = (WORK / points.max(1)).clamp(SAMPLES / 5, SAMPLES);
    let mut random = SplitMix(seed);
    let mut means = Vec::with_capacity(samples);
    for _ in 0..samples {
        let mut sum = 0.0;
        for (truth, said) in folds {
            let n = truth.len();
            let rows: Vec<usize> = (0..n).map(|_| (random.uniform() * n as f64) as usize % n).collect();
            sum += metric.of(&truth.select(&rows), &said.select(&rows))?;
        }
        means.push(sum / folds.len() as f64);
    }
    means.retain(|mean| mean.is_finite());
    if means.len() < samples / 2 {
        return Ok(None);
    }
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[((share * means.len() as f64) as usize).min(means.len() - 1)];
    let tail = 0.5 * (1.0 - LEVEL);
    Ok(Some(Interval { low: at(tail), high: at(1.0 - tail), by: "bootstrap" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_holds_the_share_and_stays_in_bounds() {
        for (right, n) in [(0.0, 5.0), (5.0, 5.0), (1.0, 2.0), (30.0, 270.0), (999.0, 1000.0)] {
            let Interval { low, high, .. } = wilson(right, n);
            assert!(0.0 <= low && low <= right / n && right / n <= high && high <= 1.0, "{right} of {n}");
        }
    }

    #[test]
    fn wilson_covers_as_often_as_it_says() {
        // 2000 samples of 50 points, each right with probability 0.8; the exact coverage there is 93.8 to 95.1 percent.
        let (mut random, mut held) = (SplitMix(5), 0);
        for _ in 0..2000 {
            let right = (0..50).filter(|_| random.uniform() < 0.8).count();
            let Interval { low, high, .. } = wilson(right as f64, 50.0);
            held += usize::from(low <= 0.8 && 0.8 <= high);
        }
        assert!((1840..=1940).contains(&held), "{held}");
    }

    #[test]
    fn a_bootstrap_of_a_share_is_near_that_of_wilson() {
        let index: Vec<u32> = (0..400).map(|i| u32::from(i % 5 == 0)).collect();
        let truth = Truth::Classes { names: vec!["a".into(), "b".into()], index };
        let folds = [(truth, Said::classes(vec![0; 400]))];
        let found = bootstrap(Metric::Accuracy, &folds, 1).unwrap().unwrap();
        let known = wilson(320.0, 400.0);
        assert!((found.low - known.low).abs() < 0.01 && (found.high - known.high).abs() < 0.01, "{found:?}");
        assert_eq!(found, bootstrap(Metric::Accuracy, &folds, 1).unwrap().unwrap());
    }
}
