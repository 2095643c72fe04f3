//! A positive semi-definite matrix as the inner products of explicit vectors: its partial Cholesky factor.
//!
//! The rows p₁, p₂, … (the pivots) make features h₁, h₂, … one after the other:
//! h_q(i) = (K(p_q, i) − Σ_{r<q} h_r(p_q) h_r(i)) / h_q(p_q), so that K(i, j) = Σ_q h_q(i) h_q(j) wherever i or j is a
//! pivot, and everywhere once the [residual](Features::residual) diagonal has vanished (Fine and Scheinberg 2001). In feature
//! space the h are the coordinates of φ(xᵢ) in an orthonormal basis of the span of the pivots. m pivots cost m rows of K
//! and n·m² multiplications, and n·m numbers.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::{Broken, Tick};

/// A residual diagonal entry below this share of the largest diagonal entry cannot be told from rounding.
const NEGLIGIBLE: f64 = 1e-12;

/// A residual diagonal entry this far below zero, as a share of the largest diagonal entry, says that the matrix is not
/// positive semi-definite.
const NEGATIVE: f64 = 1e-9;

/// Points that one thread works on at a time.
const CHUNK: usize = 1024;

/// The coordinates of all points, feature after feature, and the pivots that the features come from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Features {
    pub(crate) pivots: Vec<usize>,
    pub(crate) columns: Vec<Vec<f64>>,
}

impl Features {
    /// Takes the point with the largest residual as the next pivot until no residual is left or there are `limit`
    /// pivots. `row` computes a row of the matrix.
    ///
    /// # Errors
    /// If `row` fails, the matrix is not positive semi-definite, or `tick` breaks.
    pub(crate) fn of<E: From<Broken>>(
        diagonal: &[f64],
        limit: usize,
        tick: Tick<'_>,
        mut row: impl FnMut(usize) -> Result<Vec<f64>, E>,
    ) -> Result<Self, E> {
        let (n, mut features, mut left) = (diagonal.len(), Self::default(), diagonal.to_vec());
        let scale = diagonal.iter().fold(0.0, |a: f64, d| a.max(d.abs()));
        let limit = limit.min(n);
        while features.pivots.len() < limit {
            let pivot = (1..n).fold(0, |best, i| if left[i] > left[best] { i } else { best });
            if let Some(i) = (0..n).find(|&i| left[i] < -NEGATIVE * scale) {
                return Err(Broken::NotDefinite(i).into());
            }
            if left[pivot] <= NEGLIGIBLE * scale {
                break;
            }
            let column = features.orthogonal(pivot, row(pivot)?, left[pivot]);
            left.iter_mut().zip(&column).for_each(|(left, h)| *left -= h * h);
            left[pivot] = 0.0;
            features.push(pivot, column);
            let share = features.pivots.len() as f64 / limit as f64;
            if tick(share * share) == ControlFlow::Break(()) {
                return Err(Broken::Interrupted.into());
            }
        }
        tick(1.0).is_continue().then_some(features).ok_or_else(|| Broken::Interrupted.into())
    }

    /// The residual of point i, whose diagonal entry is K(i, i) = `diagonal`: the part of ‖φ(xᵢ)‖² that lies outside the
    /// span of the pivots.
    pub(crate) fn residual(&self, i: usize, diagonal: f64) -> f64 {
        diagonal - self.columns.iter().map(|h| h[i] * h[i]).sum::<f64>()
    }

    /// The feature that `pivot` would add, from its row of the matrix and its residual, which must be positive.
    pub(crate) fn orthogonal(&self, pivot: usize, mut row: Vec<f64>, residual: f64) -> Vec<f64> {
        let scale = residual.sqrt();
        row.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, row)| {
            let points = chunk * CHUNK..chunk * CHUNK + row.len();
            for h in &self.columns {
                let factor = h[pivot];
                row.iter_mut().zip(&h[points.clone()]).for_each(|(value, h)| *value -= factor * h);
            }
            row.iter_mut().for_each(|value| *value /= scale);
        });
        row[pivot] = scale;
        row
    }

    /// Adds the feature of a pivot.
    pub(crate) fn push(&mut self, pivot: usize, column: Vec<f64>) {
        self.pivots.push(pivot);
        self.columns.push(column);
    }

    /// The coefficients c of the pivots with Σ w_q h_q(x) = Σ c_q k(p_q, x) for every point x.
    pub(crate) fn expand(&self, mut weights: Vec<f64>) -> Vec<f64> {
        // k(p_q, ·) = Σ_{r≤q} h_r(p_q) h_r: the transposed triangle, from its end.
        for q in (0..weights.len()).rev() {
            weights[q] /= self.columns[q][self.pivots[q]];
            let value = weights[q];
            weights[..q].iter_mut().zip(&self.columns).for_each(|(w, h)| *w -= value * h[self.pivots[q]]);
        }
        weights
    }
}

/// Subtracts from each vector its weighted mean, then multiplies each entry by the root of its weight.
pub(crate) fn centered(columns: &[Vec<f64>], weights: &[f64]) -> Vec<Vec<f64>> {
    let total: f64 = weights.iter().sum();
    let center = |column: &Vec<f64>| {
        let mean = column.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>() / total;
        column.iter().zip(weights).map(|(value, weight)| weight.sqrt() * (value - mean)).collect()
    };
    columns.par_iter().map(center).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(i: usize, j: usize) -> f64 {
        (-(i as f64 - j as f64).powi(2) / 50.0).exp()
    }

    fn go_on(_: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn features(n: usize, limit: usize) -> Features {
        let row = |i: usize| Ok::<_, Broken>((0..n).map(|j| kernel(i, j)).collect());
        Features::of(&vec![1.0; n], limit, &mut go_on, row).unwrap()
    }

    #[test]
    fn features_give_back_the_matrix_with_fewer_of_them_than_points() {
        let features = features(90, 90);
        assert!((20..60).contains(&features.pivots.len()), "{}", features.pivots.len());
        for i in 0..90 {
            for j in 0..90 {
                let sum: f64 = features.columns.iter().map(|h| h[i] * h[j]).sum();
                assert!((sum - kernel(i, j)).abs() < 1e-11, "{i} {j}");
            }
        }
    }

    #[test]
    fn an_expansion_is_the_function_of_the_features() {
        let features = features(60, 9);
        assert_eq!(features.pivots.len(), 9);
        let weights: Vec<f64> = (0..9).map(|q| (q as f64).cos()).collect();
        let coefficients = features.expand(weights.clone());
        for i in 0..60 {
            let wanted: f64 = features.columns.iter().zip(&weights).map(|(h, w)| w * h[i]).sum();
            let found: f64 = features.pivots.iter().zip(&coefficients).map(|(&p, c)| c * kernel(p, i)).sum();
            assert!((found - wanted).abs() < 1e-12, "{found} {wanted}");
        }
        assert!((features.residual(features.pivots[4], 1.0)).abs() < 1e-14);
    }

    #[test]
    fn a_matrix_that_is_not_definite_is_refused() {
        let row = |i: usize| Ok(vec![if i == 0 { 1.0 } else { 2.0 }, if i == 0 { 2.0 } else { 1.0 }]);
        let found = Features::of(&[1.0, 1.0], 2, &mut go_on, row);
        assert_eq!(found.err(), Some(Broken::NotDefinite(1)));
        let zero = |_: usize| Ok::<_, Broken>(vec![0.0; 3]);
        assert!(Features::of(&[0.0; 3], 3, &mut go_on, zero).unwrap().pivots.is_empty());
    }

    #[test]
    fn centred_columns_are_those_of_repeated_points() {
        let weighted = centered(&[vec![1.0, 4.0, -2.0]], &[2.0, 1.0, 3.0]);
        let repeated = centered(&[vec![1.0, 1.0, 4.0, -2.0, -2.0, -2.0]], &[1.0; 6]);
        assert!((weighted[0][0] - 2.0_f64.sqrt() * repeated[0][0]).abs() < 1e-15);
        assert!((repeated[0].iter().sum::<f64>()).abs() < 1e-15);
    }
}
