//! Fisher's discriminant in feature space.
//!
//! Points φᵢ with weights wᵢ (n their sum) in classes with means m_c and weights n_c, overall mean m:
//! S_W = (1/n) Σ wᵢ(φᵢ − m_c(i))(φᵢ − m_c(i))ᵀ, S_B = Σ (n_c/n)(m_c − m)(m_c − m)ᵀ. An axis w maximises
//! ρ = wᵀS_B w / wᵀ(S_B + S_W + μI)w; with the denominator wᵀ(S_W + μI)w these axes have the ratio ρ/(1 − ρ).
//!
//! With T the n × (C−1) matrix of orthonormal class codes, ΣᵢwᵢTᵢₖ = 0 and TᵀWT = I, the axes are w = Σᵢ αᵢφᵢ with α = Au, where
//! A solves the ridge regression of the codes with an intercept, (K + nμW⁻¹)A = T − 1bᵀ, 1ᵀA = 0, and u are the eigenvectors
//! of the small matrix nμTᵀA = I − ρ. So all axes together cost one factorisation (n³/3), and no matrix is singular.

mod greedy;

pub(crate) use greedy::{Greedy, greedy};

use super::ridge::Ridge;
use crate::error::Result;
use crate::linalg::{Eigen, Lower, dot};
use crate::solve::Plan;

/// A ratio up to this cannot be told from that of classes with equal means.
const NOTHING: f64 = 1e-8;

/// The class and the weight of each point.
pub(crate) struct Classes<'a> {
    /// The class of each point.
    pub(crate) index: &'a [u32],
    /// The number of classes; each has at least one point.
    pub(crate) count: usize,
    /// A positive weight for each point.
    pub(crate) weights: &'a [f64],
}

/// The axes, the one with the largest ratio first, scaled so that wᵀ(S_W + μI)w = 1. Their zero is at the mean of the
/// points.
pub(crate) struct Axes {
    /// For each axis, the coefficients of the expansion points.
    pub(crate) coefficients: Vec<Vec<f64>>,
    /// For each axis, the offset b.
    pub(crate) offsets: Vec<f64>,
    /// For each axis, the projections of the points.
    pub(crate) projections: Vec<Vec<f64>>,
    /// For each axis, the ratio ρ.
    pub(crate) ratios: Vec<f64>,
    /// The largest relative residual of the linear systems behind them.
    pub(crate) residual: f64,
}

/// An axis in terms of the class codes: its direction u, its ratio, its scale.
struct Direction {
    among_codes: Vec<f64>,
    ratio: f64,
    scale: f64,
}

impl Classes<'_> {
    /// n, the sum of all weights.
    fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// n_c, the sum of the weights of each class.
    fn sums(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        self.index.iter().zip(self.weights).for_each(|(&class, weight)| sums[class as usize] += weight);
        sums
    }

    /// T, one column for each of the C − 1 codes. Tᵢₖ = Q_ck/√n_c, where Q has orthonormal columns that are orthogonal to
    /// √(n_c/n): all columns of a Householder reflection but the first.
    fn codes(&self) -> Vec<Vec<f64>> {
        let (sums, total) = (self.sums(), self.total());
        let mut v: Vec<f64> = sums.iter().map(|sum| (sum / total).sqrt()).collect();
        v[0] += 1.0;
        let half_square = 0.5 * v.iter().map(|v| v * v).sum::<f64>();
        let entry = |class: usize, k: usize| {
            let identity = if class == k { 1.0 } else { 0.0 };
            (identity - v[class] * v[k] / half_square) / sums[class].sqrt()
        };
        let code = |k: usize| self.index.iter().map(|&class| entry(class as usize, k)).collect();
        (1..self.count).map(code).collect()
    }

    /// The mean of each class on an axis.
    pub(crate) fn means(&self, projections: &[f64]) -> Vec<f64> {
        let mut means = vec![0.0; self.count];
        for ((&class, weight), f) in self.index.iter().zip(self.weights).zip(projections) {
            means[class as usize] += weight * f;
        }
        means.iter_mut().zip(self.sums()).for_each(|(mean, sum)| *mean /= sum);
        means
    }

    /// The mean of all points on an axis.
    fn mean(&self, projections: &[f64]) -> f64 {
        projections.iter().zip(self.weights).map(|(f, weight)| f * weight).sum::<f64>() / self.total()
    }

    /// The axes from the matrix I − ρ in terms of the codes, the largest ratio first; axes that separate nothing are left
    /// out.
    fn directions(&self, rest: impl Fn(usize, usize) -> f64) -> Vec<Direction> {
        let Some(eigen) = Eigen::new(self.count - 1, rest) else { return Vec::new() };
        let direction = |(k, &rest): (usize, &f64)| {
            // 1 − ρ is positive because μ is, up to rounding.
            let rest = rest.max(f64::EPSILON);
            let ratio = 1.0 - rest;
            let scale = (self.total() / (ratio * rest)).sqrt();
            (ratio > NOTHING).then(|| Direction { among_codes: eigen.vector(k), ratio, scale })
        };
        eigen.values.iter().enumerate().filter_map(direction).collect()
    }
}

impl Axes {
    fn none() -> Self {
        let (coefficients, projections) = (Vec::new(), Vec::new());
        Self { coefficients, offsets: Vec::new(), projections, ratios: Vec::new(), residual: 0.0 }
    }

    /// Adds an axis with the sign that puts the first of two classes on its positive side; with more classes, the class
    /// whose mean lies furthest from zero.
    fn push(&mut self, classes: &Classes<'_>, mut axis: Axis) {
        let means = classes.means(&axis.projections);
        let furthest =
            (1..means.len()).fold(0, |far, c| if means[c].abs() > means[far].abs() { c } else { far });
        let told = if classes.count == 2 { 0 } else { furthest };
        if means[told] < 0.0 {
            axis.coefficients.iter_mut().chain(&mut axis.projections).for_each(|value| *value = -*value);
            axis.offset = -axis.offset;
        }
        self.coefficients.push(axis.coefficients);
        self.offsets.push(axis.offset);
        self.projections.push(axis.projections);
        self.ratios.push(axis.ratio);
        // `f64::max` would ignore NaN.
        self.residual = if axis.residual > self.residual || axis.residual.is_nan() {
            axis.residual
        } else {
            self.residual
        };
    }
}

struct Axis {
    coefficients: Vec<f64>,
    offset: f64,
    projections: Vec<f64>,
    ratio: f64,
    residual: f64,
}

/// The axes in the span of all points, from their Gram matrix. The work is stage `at` of the plan.
///
/// # Errors
/// If the matrix and its regulariser are not positive definite, or the work is interrupted.
pub(crate) fn whole(
    gram: Lower,
    classes: &Classes<'_>,
    mu: f64,
    plan: &mut Plan<'_>,
    at: usize,
) -> Result<Axes> {
    let lambda = classes.total() * mu;
    let ridge = Ridge { lambda, weights: classes.weights, offset: true };
    let codes = classes.codes();
    let solved = ridge.direct(gram, &codes, false, plan, at)?;
    let product = |k: usize, l: usize| dot(&codes[k], &solved.coefficients[l]);
    let rest = |k: usize, l: usize| 0.5 * lambda * (product(k, l) + product(l, k));
    let mut axes = Axes::none();
    for Direction { among_codes, ratio, scale } in classes.directions(rest) {
        let coefficients = combined(&solved.coefficients, &among_codes, scale);
        let intercept = scale * dot(&solved.offsets, &among_codes);
        // Kα = T − b − nμW⁻¹α, and its mean is −b.
        let missed = coefficients.iter().zip(classes.weights).map(|(a, weight)| lambda * a / weight);
        let code = combined(&codes, &among_codes, scale);
        let projections = code.iter().zip(missed).map(|(t, missed)| t - missed).collect();
        let residual = solved.residual;
        axes.push(classes, Axis { coefficients, offset: -intercept, projections, ratio, residual });
    }
    Ok(axes)
}

/// The linear combination scale · Σ weights_k columns_k.
fn combined(columns: &[Vec<f64>], weights: &[f64], scale: f64) -> Vec<f64> {
    let mut sum = vec![0.0; columns.first().map_or(0, Vec::len)];
    for (column, weight) in columns.iter().zip(weights) {
        sum.iter_mut().zip(column).for_each(|(sum, value)| *sum += scale * weight * value);
    }
    sum
}

/// ‖difference‖ / ‖size‖
fn relative(difference: impl Iterator<Item = f64>, size: &[f64]) -> f64 {
    (difference.map(|d| d * d).sum::<f64>() / dot(size, size)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_orthonormal_about_the_mean() {
        let (index, weights) = ([0, 1, 2, 2, 1, 3, 2, 0], [1.0, 2.0, 0.5, 1.0, 3.0, 1.0, 0.25, 1.0]);
        let classes = Classes { index: &index, count: 4, weights: &weights };
        let codes = classes.codes();
        assert_eq!(codes.len(), 3);
        for k in 0..3 {
            assert!(classes.mean(&codes[k]).abs() < 1e-15);
            for l in 0..3 {
                let product: f64 = (0..8).map(|i| weights[i] * codes[k][i] * codes[l][i]).sum();
                assert!((product - f64::from(u8::from(k == l))).abs() < 1e-14, "{k} {l} {product}");
            }
        }
    }
}
