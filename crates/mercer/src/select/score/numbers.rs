//! Scores of numbers that were predicted.

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    values.sum::<f64>() / n
}

fn errors(truth: &[f64], found: &[f64]) -> Vec<f64> {
    truth.iter().zip(found).map(|(t, f)| t - f).collect()
}

/// mean (y − f)²
pub(super) fn mean_square(truth: &[f64], found: &[f64]) -> f64 {
    mean(errors(truth, found).iter().map(|e| e * e))
}

/// mean |y − f|
pub(super) fn mean_absolute(truth: &[f64], found: &[f64]) -> f64 {
    mean(errors(truth, found).iter().map(|e| e.abs()))
}

/// median |y − f|
pub(super) fn median_absolute(truth: &[f64], found: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = errors(truth, found).iter().map(|e| e.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let half = sizes.len() / 2;
    if sizes.len() % 2 == 1 { sizes[half] } else { f64::midpoint(sizes[half - 1], sizes[half]) }
}

/// max |y − f|
pub(super) fn largest(truth: &[f64], found: &[f64]) -> f64 {
    errors(truth, found).iter().fold(0.0, |most, e| most.max(e.abs()))
}

/// 1 − Σ(y − f)²/Σ(y − ȳ)². Where y does not vary it is 1 for an exact answer, else 0, as in scikit-learn; of fewer than two
/// points it is not a number.
pub(super) fn r_squared(truth: &[f64], found: &[f64]) -> f64 {
    if truth.len() < 2 {
        return f64::NAN;
    }
    let middle = mean(truth.iter().copied());
    explained(mean_square(truth, found), mean(truth.iter().map(|t| (t - middle).powi(2))))
}

/// 1 − var(y − f)/var y, with the exceptions of [`r_squared`].
pub(super) fn explained_variance(truth: &[f64], found: &[f64]) -> f64 {
    if truth.len() < 2 {
        return f64::NAN;
    }
    let variance = |values: &[f64]| {
        let middle = mean(values.iter().copied());
        mean(values.iter().map(|v| (v - middle).powi(2)))
    };
    explained(variance(&errors(truth, found)), variance(truth))
}

fn explained(left: f64, spread: f64) -> f64 {
    match (left == 0.0, spread == 0.0) {
        (true, _) => 1.0,
        (false, true) => 0.0,
        (false, false) => 1.0 - left / spread,
    }
}
