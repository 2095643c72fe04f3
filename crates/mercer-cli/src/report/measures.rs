//! How far predicted numbers are from what they should be.

/// The measures of a regression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Errors {
    /// Mean of (f − y)².
    pub(crate) mean_square: f64,
    /// The square of the correlation of f and y, as LIBSVM has it; not a number where one of them does not vary.
    pub(crate) square_correlation: f64,
    /// The share of the variance of y that f explains, 1 − Σ(f − y)²/Σ(y − ȳ)²; not a number where y does not vary.
    pub(crate) r_squared: f64,
}

impl Errors {
    pub(crate) fn of(found: &[f64], targets: &[f64]) -> Self {
        let n = targets.len() as f64;
        // The sums and their order are LIBSVM's, so that the digits it prints are the same.
        let (mut error, mut f, mut y, mut ff, mut yy, mut fy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        for (&value, &target) in found.iter().zip(targets) {
            error += (value - target) * (value - target);
            f += value;
            y += target;
            ff += value * value;
            yy += target * target;
            fy += value * target;
        }
        let covariance = n * fy - f * y;
        let square_correlation = (covariance * covariance) / ((n * ff - f * f) * (n * yy - y * y));
        let spread: f64 = targets.iter().map(|target| (target - y / n).powi(2)).sum();
        let r_squared = if spread > 0.0 { 1.0 - error / spread } else { f64::NAN };
        Self { mean_square: error / n, square_correlation, r_squared }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_those_of_the_definitions() {
        let errors = Errors::of(&[1.0, 2.0, 4.0], &[1.0, 3.0, 5.0]);
        assert!((errors.mean_square - 2.0 / 3.0).abs() < 1e-15);
        // Means 7/3 and 3; sums of products about them: 6, 14/3, 8.
        assert!((errors.square_correlation - 36.0 / (14.0 / 3.0 * 8.0)).abs() < 1e-12);
        assert!((errors.r_squared - 0.75).abs() < 1e-15);
    }

    #[test]
    fn targets_that_do_not_vary_have_nothing_to_explain() {
        let errors = Errors::of(&[1.0, 2.0], &[3.0, 3.0]);
        assert!(errors.r_squared.is_nan() && errors.square_correlation.is_nan());
        assert!((errors.mean_square - 2.5).abs() < 1e-15);
    }
}
