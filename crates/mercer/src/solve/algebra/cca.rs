//! Canonical correlations of two lists of features.
//!
//! With Z_x and Z_y the features of n pairs about their means and a penalty nκ: LLᵀ = ZᵀZ + nκI for each view, and the singular
//! value decomposition of L_x⁻¹ Z_xᵀZ_y L_y⁻ᵀ = P diag(ρ) Qᵀ gives the directions L_x⁻ᵀp and L_y⁻ᵀq. Cost: n·m² for m
//! features, and the decomposition of an m × m matrix.

use std::ops::ControlFlow;

use crate::linalg::{Broken, Cholesky, Lower, Svd, Tick, inner};

/// Pairs of directions, the most correlated first, scaled so that wᵀ(ZᵀZ/n + κI)w = 1.
pub(crate) struct Canonical {
    /// ρ of all pairs of directions, descending.
    pub(crate) spectrum: Vec<f64>,
    /// For each component, the weights of the features of the first view.
    pub(crate) first: Vec<Vec<f64>>,
    /// For each component, the weights of the features of the second view.
    pub(crate) second: Vec<Vec<f64>>,
}

/// The first `components` pairs of directions of features about their means, each entry times the root of its weight.
///
/// # Errors
/// If κ is too small for the features, or `tick` breaks.
pub(crate) fn canonical(
    (x, y): (&[Vec<f64>], &[Vec<f64>]),
    total: f64,
    kappa: f64,
    components: usize,
    tick: Tick<'_>,
) -> Result<Canonical, Broken> {
    let (first, second) = (factor(x, total * kappa)?, factor(y, total * kappa)?);
    go(tick, 0.3)?;
    let products = inner(y, x);
    let mut columns: Vec<Vec<f64>> = products.chunks(x.len()).map(<[f64]>::to_vec).collect();
    first.solve_lower(&mut columns);
    let mut rows: Vec<Vec<f64>> =
        (0..x.len()).map(|i| columns.iter().map(|column| column[i]).collect()).collect();
    second.solve_lower(&mut rows);
    go(tick, 0.5)?;
    // Features that are not finite have no Cholesky factor, so that the values here are finite and the iteration converges.
    let svd = Svd::new(x.len(), y.len(), |i, j| rows[i][j]).ok_or(Broken::NotDefinite(0))?;
    go(tick, 1.0)?;
    let pairs = (0..components.min(svd.values.len())).map(|k| svd.vectors(k));
    let (mut left, mut right): (Vec<_>, Vec<_>) = pairs.unzip();
    first.solve_upper(&mut left);
    second.solve_upper(&mut right);
    left.iter_mut().chain(&mut right).flatten().for_each(|w| *w *= total.sqrt());
    Ok(Canonical { spectrum: svd.values, first: left, second: right })
}

/// The Cholesky factor of ZᵀZ + penalty·I.
fn factor(features: &[Vec<f64>], penalty: f64) -> Result<Cholesky, Broken> {
    let (products, mut lower) = (inner(features, features), Lower::zeros(features.len()));
    let rows = lower.rows_mut().into_iter().zip(products.chunks(features.len()));
    rows.enumerate().for_each(|(i, (row, products))| row.copy_from_slice(&products[..=i]));
    lower.add_diagonal(|_| penalty);
    Cholesky::new(lower, &mut |_| ControlFlow::Continue(()))
}

fn go(tick: Tick<'_>, share: f64) -> Result<(), Broken> {
    if tick(share).is_break() { Err(Broken::Interrupted) } else { Ok(()) }
}

/// The function Σ weights_q features_q at each point.
pub(crate) fn combined(features: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; features.first().map_or(0, Vec::len)];
    for (feature, weight) in features.iter().zip(weights) {
        sum.iter_mut().zip(feature).for_each(|(sum, value)| *sum += weight * value);
    }
    sum
}

/// The weighted correlation of two lists of numbers; 0 if one of them is constant.
pub(crate) fn correlation(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    let mean = |v: &[f64]| v.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>() / total;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let product = |a: &[f64], mean_a: f64, b: &[f64], mean_b: f64| {
        a.iter().zip(b).zip(weights).map(|((a, b), w)| w * (a - mean_a) * (b - mean_b)).sum::<f64>()
    };
    let square = product(a, mean_a, a, mean_a) * product(b, mean_b, b, mean_b);
    if square > 0.0 { product(a, mean_a, b, mean_b) / square.sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlation_of_lines_is_one_and_of_a_constant_none() {
        let (a, weights) = ([1.0, 2.0, 4.0], [1.0, 3.0, 0.5]);
        assert!((correlation(&a, &a.map(|a| 3.0 - 2.0 * a), &weights) + 1.0).abs() < 1e-15);
        assert_eq!(correlation(&a, &[5.0; 3], &weights), 0.0);
        // (1, −1, 0) with (1, 0, −1): 1 over 2.
        assert!((correlation(&[1.0, -1.0, 0.0], &[1.0, 0.0, -1.0], &[1.0; 3]) - 0.5).abs() < 1e-15);
    }
}
