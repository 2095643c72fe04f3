//! The definition of every vector kernel, one pair of points at a time.
//!
//! These are the formulas, term by term in `f64`: slow, and what the fast blocks are tested against.
//!
//! ```
//! use mercer::data::Row;
//! use mercer::kernel::VectorExpr;
//!
//! let kernel: VectorExpr = "(linear + 1)^2".parse()?;
//! let (x, y) = (Row::Dense64(&[1.0, 2.0]), Row::Sparse64(&[1], &[0.5]));
//! assert_eq!(kernel.value(x, y), 4.0);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::{Factor, Metric, Smoothness, VectorExpr, VectorKernel, VectorLeaf};
use crate::data::{Points, Row, Vectors};

/// The value of a kernel, or of a leaf with its maps, at a pair of rows.
macro_rules! by_definition {
    ($($kernel:ident),+) => {$(
        impl $kernel {
            /// k(x, y) by its definition, where the points have as many features as the wider row shows: all values of a
            /// dense row, a sparse row up to its last entry. The number matters to the Hamming metric and to basis functions
            /// that are not 0 at 0; [`VectorExpr::value_in`] is told it. A centred part that is not fitted has no value: NaN.
            ///
            /// Time O(features × leaves); with a centred part times the square of the points that it is centred about.
            #[must_use]
            pub fn value(&self, x: Row<'_>, y: Row<'_>) -> f64 {
                self.value_in(shown(x).max(shown(y)), x, y)
            }

            /// k(x, y) by its definition for points of `width` features; features beyond it are left out.
            #[must_use]
            pub fn value_in(&self, width: usize, x: Row<'_>, y: Row<'_>) -> f64 {
                self.value_of(&unpack(width, x), &unpack(width, y))
            }
        }
    )+};
}
by_definition!(VectorExpr, VectorLeaf);

impl VectorExpr {
    fn value_of(&self, x: &[f64], y: &[f64]) -> f64 {
        match self {
            Self::Leaf(leaf) => leaf.value_of(x, y),
            Self::Constant(c) => *c,
            Self::Sum(terms) => terms.iter().map(|k| k.value_of(x, y)).sum(),
            Self::Product(factors) => factors.iter().map(|k| k.value_of(x, y)).product(),
            Self::Power(k, m) => k.value_of(x, y).powi(*m as i32),
            Self::Exp(k) => k.value_of(x, y).exp(),
            Self::Normalized(k) => {
                let (xx, yy) = (k.value_of(x, x), k.value_of(y, y));
                if xx > 0.0 && yy > 0.0 { k.value_of(x, y) / (xx.sqrt() * yy.sqrt()) } else { 0.0 }
            }
            Self::Centered(k, center) => {
                let Some((points, weights)) = center.points::<Vectors>() else { return f64::NAN };
                let points: Vec<Vec<f64>> =
                    (0..points.len()).map(|i| unpack(x.len(), points.row(i))).collect();
                let total: f64 = weights.iter().sum();
                let mean = |of: &dyn Fn(&[f64]) -> f64| {
                    points.iter().zip(weights).map(|(point, w)| w * of(point)).sum::<f64>() / total
                };
                let with = |y: &[f64]| mean(&|point| k.value_of(point, y));
                k.value_of(x, y) - with(x) - with(y) + mean(&with)
            }
        }
    }
}

impl VectorLeaf {
    fn value_of(&self, x: &[f64], y: &[f64]) -> f64 {
        self.kernel.value_of(&self.image(x), &self.image(y))
    }

    fn image(&self, x: &[f64]) -> Vec<f64> {
        self.maps.iter().fold(x.to_vec(), |x, map| {
            let mut image = Vec::new();
            map.apply(&x, &mut image);
            image
        })
    }
}

fn shown(row: Row<'_>) -> usize {
    let mut width = 0;
    row.for_each(|k, _| width = k + 1);
    width
}

fn unpack(width: usize, row: Row<'_>) -> Vec<f64> {
    (0..width).map(|k| row.get(k)).collect()
}

fn sum(x: &[f64], y: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    x.iter().zip(y).map(|(&a, &b)| term(a, b)).sum()
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    sum(x, y, |a, b| a * b)
}

fn squared(x: &[f64], y: &[f64]) -> f64 {
    sum(x, y, |a, b| (a - b).powi(2))
}

fn cosine(x: &[f64], y: &[f64]) -> f64 {
    let norms = dot(x, x).sqrt() * dot(y, y).sqrt();
    if norms > 0.0 { dot(x, y) / norms } else { 0.0 }
}

impl VectorKernel {
    fn value_of(&self, x: &[f64], y: &[f64]) -> f64 {
        match *self {
            Self::Linear => dot(x, y),
            Self::Polynomial { degree, gamma, coef0 } => (gamma * dot(x, y) + coef0).powi(degree as i32),
            Self::Rbf { gamma } => (-gamma * squared(x, y)).exp(),
            Self::Tanh { gamma, coef0 } => (gamma * dot(x, y) + coef0).tanh(),
            Self::Plummer { epsilon, power } => (squared(x, y) + epsilon * epsilon).powf(-power / 2.0),
            Self::Laplace { gamma } => (-gamma * sum(x, y, |a, b| (a - b).abs())).exp(),
            Self::Matern { nu, length } => nu.profile(squared(x, y).sqrt() / length),
            Self::RationalQuadratic { alpha, length } => {
                (1.0 + squared(x, y) / (2.0 * alpha * length * length)).powf(-alpha)
            }
            Self::Intersection => sum(x, y, f64::min),
            Self::Cosine => cosine(x, y),
            Self::Gaussian { metric, sigma } => (-metric.squared(x, y) / (2.0 * sigma * sigma)).exp(),
            Self::Factor(function) => function.value_of(x) * function.value_of(y),
            Self::Precomputed => {
                let serial = y.first().copied().unwrap_or(0.0);
                x.get(serial as usize).copied().unwrap_or(0.0)
            }
        }
    }
}

impl Smoothness {
    /// The kernel at the distance `s` = r/ℓ.
    fn profile(self, s: f64) -> f64 {
        match self {
            Self::Half => (-s).exp(),
            Self::ThreeHalves => {
                let t = 3_f64.sqrt() * s;
                (1.0 + t) * (-t).exp()
            }
            Self::FiveHalves => {
                let t = 5_f64.sqrt() * s;
                (1.0 + t + t * t / 3.0) * (-t).exp()
            }
        }
    }
}

impl Metric {
    /// D².
    fn squared(self, x: &[f64], y: &[f64]) -> f64 {
        match self {
            Self::L1 => sum(x, y, |a, b| (a - b).abs()).powi(2),
            Self::ChiSquare => {
                sum(x, y, |a, b| if a == 0.0 && b == 0.0 { 0.0 } else { (a - b).powi(2) / (a + b) })
            }
            Self::Canberra => {
                let term = |a: f64, b: f64| {
                    if a == 0.0 && b == 0.0 { 0.0 } else { (a - b).abs() / (a.abs() + b.abs()) }
                };
                sum(x, y, term).powi(2)
            }
            // The zero vector has no direction: it is at a right angle to every other, and at none to itself.
            Self::Angular if dot(x, x) == 0.0 && dot(y, y) == 0.0 => 0.0,
            Self::Angular => cosine(x, y).clamp(-1.0, 1.0).acos().powi(2),
            Self::Hamming => {
                let differ = sum(x, y, |a, b| if a == b { 0.0 } else { 1.0 });
                (differ / x.len().max(1) as f64).powi(2)
            }
        }
    }
}

impl Factor {
    fn value_of(self, x: &[f64]) -> f64 {
        match self {
            Self::Norm => dot(x, x).sqrt(),
            Self::Coordinate(index) => index.checked_sub(1).and_then(|k| x.get(k)).copied().unwrap_or(0.0),
            Self::Bump { gamma } => (-gamma * dot(x, x)).exp(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;
    use crate::kernel::*;

    const X: &[f64] = &[1.0, 0.0, -2.0, 0.5];
    const Y: &[f64] = &[0.5, 0.0, 1.0, 2.0];
    const P: &[f64] = &[1.0, 0.0, 3.0];
    const Q: &[f64] = &[2.0, 0.0, 1.0];

    fn close(kernel: &VectorExpr, x: &[f64], y: &[f64], expected: f64) {
        let rows = |x: &[f64]| {
            let single: Vec<f32> = x.iter().map(|&v| v as f32).collect();
            let (index, stored): (Vec<u32>, Vec<f64>) =
                x.iter().enumerate().filter(|(_, v)| **v != 0.0).map(|(k, &v)| (k as u32, v)).unzip();
            let stored32: Vec<f32> = stored.iter().map(|&v| v as f32).collect();
            (x.to_vec(), single, index, stored, stored32)
        };
        let ((x64, x32, xi, xs, xs32), (y64, y32, yi, ys, ys32)) = (rows(x), rows(y));
        let forms = |d64, d32, index, s64, s32| {
            [Row::Dense64(d64), Row::Dense32(d32), Row::Sparse64(index, s64), Row::Sparse32(index, s32)]
        };
        for a in forms(&x64, &x32, &xi, &xs, &xs32) {
            for b in forms(&y64, &y32, &yi, &ys, &ys32) {
                let found = kernel.value_in(x.len(), a, b);
                assert!(
                    (found - expected).abs() <= 1e-12,
                    "{kernel}: {found} is not {expected} ({a:?}, {b:?})"
                );
            }
        }
    }

    // By hand: xᵀy = 0.5 − 2 + 1 = −0.5; ‖x‖² = 5.25; ‖y‖² = 5.25; ‖x − y‖² = 0.25 + 9 + 2.25 = 11.5;
    // ‖x − y‖₁ = 0.5 + 3 + 1.5 = 5.
    #[test]
    fn functions_of_the_inner_product() {
        close(&linear(), X, Y, -0.5);
        close(&polynomial(3, 2.0, 0.5), X, Y, -0.125);
        close(&tanh(0.5, 0.1), X, Y, (-0.15_f64).tanh());
        close(&VectorKernel::Cosine.into(), X, Y, -0.5 / 5.25);
        close(&VectorKernel::Cosine.into(), X, &[0.0; 4], 0.0);
    }

    #[test]
    fn functions_of_the_euclidean_distance() {
        let r = 11.5_f64.sqrt();
        close(&rbf(0.1), X, Y, (-1.15_f64).exp());
        close(&rbf_sigma(2.0), X, Y, (-11.5_f64 / 8.0).exp());
        close(&plummer(0.5, 3.0), X, Y, 1.0 / (11.75 * 11.75_f64.sqrt()));
        close(&matern(Smoothness::Half, 2.0), X, Y, (-r / 2.0).exp());
        let (a, b) = (3_f64.sqrt() * r / 2.0, 5_f64.sqrt() * r / 2.0);
        close(&matern(Smoothness::ThreeHalves, 2.0), X, Y, (1.0 + a) * (-a).exp());
        close(&matern(Smoothness::FiveHalves, 2.0), X, Y, (1.0 + b + 5.0 * 11.5 / 12.0) * (-b).exp());
        close(&rational_quadratic(2.0, 1.5), X, Y, (1.0_f64 + 11.5 / 9.0).powi(-2));
    }

    #[test]
    fn functions_of_other_statistics() {
        close(&laplace(0.1), X, Y, (-0.5_f64).exp());
        close(&intersection(), P, Q, 2.0);
        let gauss = |metric, squared: f64| (gaussian(metric, 2.0), (-squared / 8.0).exp());
        // χ²: 1/3 + 4/4; Canberra: 1/3 + 2/4; Hamming: 2 of 3; the angle: cos = 5/√50.
        for (metric, squared) in [
            (Metric::L1, 9.0),
            (Metric::ChiSquare, 4.0 / 3.0),
            (Metric::Canberra, 25.0 / 36.0),
            (Metric::Hamming, 4.0 / 9.0),
            (Metric::Angular, (PI / 4.0).powi(2)),
        ] {
            let (kernel, expected) = gauss(metric, squared);
            close(&kernel, P, Q, expected);
            close(&kernel, P, P, 1.0);
        }
        let (kernel, expected) = gauss(Metric::Angular, FRAC_PI_2.powi(2));
        close(&kernel, P, &[0.0; 3], expected);
        close(&kernel, &[0.0; 3], &[0.0; 3], 1.0);
    }

    #[test]
    fn factors_and_precomputed() {
        close(&factor(Factor::Norm), X, Y, 5.25);
        close(&factor(Factor::Coordinate(3)), X, Y, -2.0);
        close(&factor(Factor::Coordinate(9)), X, Y, 0.0);
        close(&factor(Factor::Bump { gamma: 0.1 }), X, Y, (-1.05_f64).exp());
        close(&precomputed(), &[1.0, 0.25, 0.75], &[2.0, 0.5, 0.125], 0.75);
    }

    #[test]
    fn every_rule_follows_its_formula() {
        let (k, q) = (-0.5, (-1.15_f64).exp());
        close(&(2.0 * linear() + rbf(0.1) + 3.0), X, Y, 2.0 * k + q + 3.0);
        close(&(linear() * rbf(0.1)), X, Y, k * q);
        close(&linear().power(3), X, Y, k * k * k);
        close(&linear().exp(), X, Y, k.exp());
        close(&(linear() + 1.0).normalized(), X, Y, 0.5 / 6.25);
        close(&linear().normalized(), X, &[0.0; 4], 0.0);
        close(&tanh(1.0, -9.0).normalized(), X, X, 0.0);
    }

    #[test]
    fn maps_are_applied_first_to_last() {
        close(&linear().on(Map::Columns(vec![0, 3])), X, Y, 1.5);
        close(&linear().on(Map::Monomials { degree: 2 }), &[2.0], &[3.0], 1.0 + 6.0 + 36.0);
        let doubled = Map::Matrix { rows: 1, values: vec![2.0] };
        // (2t)² against 2t²: the map given last to `on` is the first to act.
        let squares = || linear().on(Map::Columns(vec![2])).on(Map::Monomials { degree: 2 });
        close(&squares().on(doubled.clone()), &[1.0], &[1.0], 16.0);
        close(
            &linear().on(doubled).on(Map::Columns(vec![2])).on(Map::Monomials { degree: 2 }),
            &[1.0],
            &[1.0],
            4.0,
        );
    }

    #[test]
    fn the_width_is_that_of_the_wider_row_unless_told() {
        let kernel = gaussian(Metric::Hamming, 1.0);
        let (x, y) = (Row::Sparse64(&[0], &[1.0]), Row::Dense64(&[2.0, 0.0]));
        assert_eq!(kernel.value(x, y), (-0.125_f64).exp());
        assert_eq!(kernel.value_in(4, x, y), (-1.0_f64 / 32.0).exp());
    }
}
