//! Quasi-Newton steps (BFGS): what is known of the curvature of a function that is climbed.

use std::ops::ControlFlow;

use crate::linalg::{Cholesky, Lower};
use crate::simd::{add_scaled, inner_product};

/// An estimate of the inverse of a curvature, row after row.
pub(crate) struct Bend {
    rows: Vec<Vec<f64>>,
}

impl Bend {
    /// The inverse of −second, a matrix row after row, made definite by the least power of ten on the diagonal that does.
    pub(crate) fn new(second: &[f64]) -> Self {
        let m = second.len().isqrt();
        let rows = (-3..12).find_map(|power| inverse(second, m, 10_f64.powi(power)));
        Self { rows: rows.unwrap_or_else(|| (0..m).map(|i| unit(m, i)).collect()) }
    }

    /// The step along which a gradient climbs.
    pub(crate) fn way(&self, gradient: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|row| inner_product(row, gradient)).collect()
    }

    /// The estimate after a step over which the gradient fell by `fall`; none if it did not fall along the step.
    pub(crate) fn after(mut self, step: &[f64], fall: &[f64]) -> Option<Self> {
        let along = inner_product(step, fall);
        if along <= 0.0 {
            return None;
        }
        let seen = self.way(fall);
        let factor = (1.0 + inner_product(fall, &seen) / along) / along;
        for (i, row) in self.rows.iter_mut().enumerate() {
            add_scaled(row, factor * step[i] - seen[i] / along, step);
            add_scaled(row, -step[i] / along, &seen);
        }
        Some(self)
    }
}

/// (τI − second)⁻¹; none where the matrix is not definite.
fn inverse(second: &[f64], m: usize, damping: f64) -> Option<Vec<Vec<f64>>> {
    let mut matrix = Lower::zeros(m);
    (0..m).for_each(|i| matrix.row_mut(i).iter_mut().zip(&second[i * m..]).for_each(|(v, s)| *v = -s));
    matrix.add_diagonal(|_| damping);
    let factor = Cholesky::new(matrix, &mut |_| ControlFlow::Continue(())).ok()?;
    let mut rows: Vec<Vec<f64>> = (0..m).map(|i| unit(m, i)).collect();
    factor.solve(&mut rows);
    Some(rows)
}

fn unit(n: usize, i: usize) -> Vec<f64> {
    (0..n).map(|j| f64::from(u8::from(i == j))).collect()
}
