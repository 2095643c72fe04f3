//! H = ΦᵀBΦ + A, factorised so that its inverse is right also where columns are nearly collinear.

use std::ops::ControlFlow;

use crate::linalg::{Cholesky, Lower, Reflections};

/// The least pivot of H, scaled to a diagonal of ones, for which products of columns have digits enough: below, the columns themselves
/// are factorised, at four times the cost.
const ENOUGH: f64 = 1e-7;

/// H in factors.
pub(super) enum Hessian {
    /// The factor of SHS with the scale S that makes its diagonal 1.
    Products(Cholesky, Vec<f64>),
    /// The triangle R of the columns of B^½Φ over A^½: H = RᵀR.
    Columns(Reflections),
}

impl Hessian {
    /// The factors of a matrix; `columns` gives those of B^½Φ, function by function, should they be needed. None where values are not
    /// finite.
    pub(super) fn new(
        matrix: &Lower<f64>,
        alpha: &[f64],
        columns: impl FnOnce() -> Vec<Vec<f64>>,
    ) -> Option<Self> {
        let m = alpha.len();
        let scale: Vec<f64> = matrix.diagonal().iter().map(|d| 1.0 / d.sqrt()).collect();
        if !scale.iter().all(|s| s.is_finite()) {
            return None;
        }
        let scaled = matrix.scaled::<f64>(&scale);
        if let Ok(factor) = Cholesky::new(scaled, &mut |_| ControlFlow::Continue(()))
            && factor.diagonal().iter().all(|pivot| pivot * pivot > ENOUGH)
        {
            return Some(Self::Products(factor, scale));
        }
        let mut columns = columns();
        for (i, column) in columns.iter_mut().enumerate() {
            let rows = column.len();
            column.resize(rows + m, 0.0);
            column[rows + i] = alpha[i].sqrt();
        }
        let factors = Reflections::pivoted(columns);
        (0..m).all(|i| factors.entry(i, i).abs() > 0.0).then_some(Self::Columns(factors))
    }

    /// log|H|
    pub(super) fn log_determinant(&self) -> f64 {
        match self {
            Self::Products(factor, scale) => {
                factor.log_determinant() - 2.0 * scale.iter().map(|s| s.ln()).sum::<f64>()
            }
            Self::Columns(factors) => {
                2.0 * (0..factors.order().len()).map(|i| factors.entry(i, i).abs().ln()).sum::<f64>()
            }
        }
    }

    /// The rows of a matrix U with H⁻¹ = UUᵀ.
    pub(super) fn root(&self, count: usize) -> Vec<Vec<f64>> {
        let unit = |i: usize| -> Vec<f64> { (0..count).map(|j| f64::from(u8::from(i == j))).collect() };
        match self {
            Self::Products(factor, scale) => {
                let mut rows: Vec<Vec<f64>> = (0..count).map(unit).collect();
                rows.iter_mut().zip(scale).enumerate().for_each(|(i, (row, scale))| row[i] = *scale);
                factor.solve_lower(&mut rows);
                rows
            }
            Self::Columns(factors) => {
                let mut rows = vec![Vec::new(); count];
                for (at, &place) in factors.order().iter().enumerate() {
                    rows[place] = factors.forward(&unit(at));
                }
                rows
            }
        }
    }

    /// H⁻¹ times each vector.
    pub(super) fn solve(&self, mut vectors: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        match self {
            Self::Products(factor, scale) => {
                let times = |vectors: &mut Vec<Vec<f64>>| {
                    vectors.iter_mut().for_each(|v| v.iter_mut().zip(scale).for_each(|(v, s)| *v *= s));
                };
                times(&mut vectors);
                factor.solve(&mut vectors);
                times(&mut vectors);
            }
            Self::Columns(factors) => {
                for vector in &mut vectors {
                    let turned: Vec<f64> = factors.order().iter().map(|&place| vector[place]).collect();
                    let solved = factors.backward(&factors.forward(&turned));
                    factors.order().iter().zip(&solved).for_each(|(&place, value)| vector[place] = *value);
                }
            }
        }
        vectors
    }
}
