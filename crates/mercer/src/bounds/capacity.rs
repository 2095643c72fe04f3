//! The VC dimension of hyperplanes with a margin, and the bounds of structural risk minimisation.
//!
//! Hyperplanes with ‖w‖ ≤ A in canonical form, on points in a sphere of radius R of an N-dimensional space (Vapnik 1995, 1998):
//!
//! $$ d_{VC} ≤ \min(⌊R²A²⌋, N) + 1 $$
//!
//! and with probability 1 − δ, for n rows of which a share R_emp lies inside the margin, for all of them at once
//!
//! $$ R < R_{emp} + \sqrt{\frac{d (\ln(2n/d) + 1) − \ln(δ/4)}{n}}, \qquad
//!    R < R_{emp} + \sqrt{\frac{G(2n) − \ln(δ/4)}{n}} + \frac1n $$
//!
//! with the growth function G(2n) ≤ d (ln(2n/d) + 1), and never above the 2n ln 2 of all ways to label 2n rows; where it is that, both
//! bounds are above 1.

use std::any::Any;

use crate::kernel::{Expr, VectorExpr, VectorKernel};

/// How far above a whole number R²‖w‖² may be and still count as above it, as a share: what rounding makes of it. Upwards, so that the
/// dimension is not told too small.
const ROUNDING: f64 = 1e-9;

/// min(⌊R²‖w‖²⌋, N) + 1; N is none where it is not known to be finite.
pub(super) fn dimension(square_radius: f64, square_norm: f64, features: Option<f64>) -> f64 {
    let ratio = square_radius * square_norm;
    (ratio + ROUNDING * ratio).floor().min(features.unwrap_or(f64::INFINITY)) + 1.0
}

/// G(2n), for classes of dimension d.
pub(super) fn growth(d: f64, n: f64) -> f64 {
    let all = 2.0 * n * std::f64::consts::LN_2;
    if d < 2.0 * n { all.min(d * ((2.0 * n / d).ln() + 1.0)) } else { all }
}

/// R_emp + √((d (ln(2n/d) + 1) − ln(δ/4)) / n)
pub(super) fn structural(errors: f64, d: f64, n: f64, delta: f64) -> f64 {
    errors + ((growth(d, n) - (delta / 4.0).ln()) / n).sqrt()
}

/// R_emp + √((G(2n) − ln(δ/4)) / n) + 1/n
pub(super) fn uniform(errors: f64, d: f64, n: f64, delta: f64) -> f64 {
    structural(errors, d, n, delta) + 1.0 / n
}

/// The dimension N of the feature space of a kernel on points with so many features; none where it is not known to be finite.
pub(super) fn feature_dimension<K: Any>(kernel: &K, width: usize) -> Option<f64> {
    let kernel = (kernel as &dyn Any).downcast_ref::<VectorExpr>()?;
    let Expr::Leaf(leaf) = kernel else { return None };
    if !leaf.maps.is_empty() {
        return None;
    }
    match leaf.kernel {
        VectorKernel::Linear => Some(width as f64),
        // All monomials up to the degree, or, where the constant is 0, of the degree alone.
        VectorKernel::Polynomial { degree, coef0, .. } => {
            let last = if coef0 == 0.0 { width as f64 - 1.0 } else { width as f64 };
            Some((1..=degree).map(|k| (last + f64::from(k)) / f64::from(k)).product::<f64>().round())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{linear, polynomial, rbf};

    #[test]
    fn the_bounds_are_those_that_the_lectures_print() {
        // n = 1000, d = 10, δ = 0.05: √((10 (ln 200 + 1) + ln 80)/1000) = √((62.983 + 4.382)/1000) = 0.25955.
        assert!((structural(0.1, 10.0, 1000.0, 0.05) - 0.359_55).abs() < 1e-5);
        assert!((uniform(0.1, 10.0, 1000.0, 0.05) - 0.360_55).abs() < 1e-5);
        // No more than all labellings, from below d = 2n on.
        assert!(growth(199.0, 100.0) == growth(1e9, 100.0) && structural(0.0, 199.0, 100.0, 0.05) > 1.0);
    }

    #[test]
    fn the_dimension_is_the_smaller_of_margin_and_space_and_one() {
        assert_eq!(dimension(2.0, 3.7, Some(20.0)), 8.0);
        assert_eq!(dimension(2.0, 3.7, Some(5.0)), 6.0);
        assert_eq!(dimension(4.0 - 1e-12, 1.0, None), 5.0);
    }

    #[test]
    fn feature_spaces_have_their_dimensions() {
        assert_eq!(feature_dimension(&linear(), 13), Some(13.0));
        // Monomials of two features up to degree 3: 10, of degree 3 alone: 4.
        assert_eq!(feature_dimension(&polynomial(3, 1.0, 1.0), 2), Some(10.0));
        assert_eq!(feature_dimension(&polynomial(3, 1.0, 0.0), 2), Some(4.0));
        assert_eq!(feature_dimension(&rbf(1.0), 2), None);
        assert_eq!(feature_dimension(&(linear() + rbf(1.0)), 2), None);
    }
}
