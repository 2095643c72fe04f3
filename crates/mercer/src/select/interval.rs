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

/// Rows left out together: which these are, what is true and what is said of each.
#[derive(Debug, Clone)]
pub struct Fold {
    /// The number of each row among all.
    pub rows: Vec<usize>,
    /// What is true of them.
    pub truth: Truth,
    /// What is said of them.
    pub said: Said,
}

/// The interval of the mean over folds of a metric, by drawing as many rows as there are, again and again, with replacement: from the
/// 2.5th to the 97.5th of a hundred such means (Efron 1979). A fold is scored by those of its rows that were drawn, each as often as it
/// was, and counts by how many these are for each row that it has: so folds of one row have their part in the interval, and a row that
/// is left out in several repetitions is drawn for all of them. Samples of which the metric is not defined are left out.
///
/// # Errors
/// If it is no metric of such predictions.
pub fn bootstrap(metric: Metric, folds: &[Fold], seed: u64) -> Result<Option<Interval>> {
    let points: usize = folds.iter().map(|fold| fold.rows.len()).sum();
    let samples = (WORK / points.max(1)).clamp(SAMPLES / 5, SAMPLES);
    let mut all: Vec<usize> = folds.iter().flat_map(|fold| fold.rows.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    let n = all.len();
    // For each row of each fold its place among all.
    let place = |row: &usize| all.partition_point(|other| other < row);
    let places: Vec<Vec<usize>> = folds.iter().map(|fold| fold.rows.iter().map(place).collect()).collect();
    let mut random = SplitMix(seed);
    let mut means = Vec::with_capacity(samples);
    for _ in 0..samples {
        let mut times = vec![0; n];
        (0..n).for_each(|_| times[(random.uniform() * n as f64) as usize % n] += 1);
        let (mut sum, mut shares) = (0.0, 0.0);
        for (Fold { truth, said, .. }, places) in folds.iter().zip(&places) {
            let repeated = |(own, at): (usize, &usize)| std::iter::repeat_n(own, times[*at]);
            let drawn: Vec<usize> = places.iter().enumerate().flat_map(repeated).collect();
            if drawn.is_empty() {
                continue;
            }
            let share = drawn.len() as f64 / places.len() as f64;
            sum += share * metric.of(&truth.select(&drawn), &said.select(&drawn))?;
            shares += share;
        }
        means.push(sum / shares);
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
        let folds = [Fold { rows: (0..400).collect(), truth, said: Said::classes(vec![0; 400]) }];
        let found = bootstrap(Metric::Accuracy, &folds, 1).unwrap().unwrap();
        let known = wilson(320.0, 400.0);
        assert!((found.low - known.low).abs() < 0.01 && (found.high - known.high).abs() < 0.01, "{found:?}");
        assert_eq!(found, bootstrap(Metric::Accuracy, &folds, 1).unwrap().unwrap());
    }

    /// Squared errors with mean 1 and variance 2, in folds of so many rows, each row so often.
    fn squares(size: usize, repeats: usize) -> Vec<Fold> {
        let fold = |k: usize| {
            let rows: Vec<usize> = (0..size).map(|i| (k * size + i) % 240).collect();
            let error = |row: &usize| if row.is_multiple_of(3) { 3.0f64.sqrt() } else { 0.0 };
            let truth = Truth::Numbers(vec![rows.iter().map(error).collect()]);
            Fold { said: Said::Numbers(vec![vec![0.0; size]]), truth, rows }
        };
        (0..repeats * 240 / size).map(fold).collect()
    }

    #[test]
    fn an_interval_does_not_depend_on_the_size_or_the_repetition_of_folds() {
        // The standard error of a mean of 240 is √(2/240) = 0.0913; of the ends of 1000 samples that of about a twentieth.
        let half = Z * (2.0f64 / 240.0).sqrt();
        for (size, repeats) in [(240, 1), (48, 1), (2, 1), (1, 1), (48, 5)] {
            let found = bootstrap(Metric::MeanSquare, &squares(size, repeats), 3).unwrap().unwrap();
            let off = (found.low - (1.0 - half)).abs().max((found.high - (1.0 + half)).abs());
            assert!(off < 0.03, "{size} {repeats}: {found:?}");
        }
    }
}
