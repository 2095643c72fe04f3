//! The smallest sphere around the rows in feature space.
//!
//! R² = min over a of max ‖φ(xᵢ) − a‖², by its dual, the data description of Tax and Duin (2004) in which no row may lie outside:
//! the largest Σ αᵢkᵢᵢ − αᵀKα over α ≥ 0 with Σα = 1, and a = Σ αᵢφ(xᵢ). Every such α gives a sphere that holds all rows and a number
//! that R² is not below; what is told is the former.

use super::table::Table;
use crate::error::Result;
use crate::gram::{Gram, Ridged};
use crate::solve::{Problem, Smo, unwatched};

/// The largest violation, as a share of R² where that is known to a factor of 4.
const TOLERANCE: f64 = 1e-5;

/// What is known of R².
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sphere {
    /// R² of a sphere that holds all rows.
    pub(super) square_radius: f64,
    /// What R² of the smallest is at least.
    pub(super) at_least: f64,
}

impl Sphere {
    /// The smallest sphere around the rows, each with another component of the squared length `ridge` that it shares with none.
    ///
    /// # Errors
    /// Those of the solver.
    pub(super) fn new(table: &Table, ridge: &[f64]) -> Result<Self> {
        let ridged = Ridged::new(table.share(), ridge.to_vec());
        let (n, diagonal) = (ridged.len(), ridged.diagonal());
        let mut first = vec![0.0; n];
        ridged.rows_f64(&[0], &mut [&mut first]);
        let from_first = diagonal.iter().zip(&first).map(|(k, own)| k + diagonal[0] - 2.0 * own);
        let size = 0.25 * from_first.fold(0.0, f64::max);
        let most = diagonal.iter().fold(0.0, |most: f64, k| most.max(k.abs()));
        let tolerance = (TOLERANCE * size).max(f64::EPSILON * most).max(f64::MIN_POSITIVE);
        let smo = Smo { tolerance, exact: true, ..Smo::default() };
        let problem = Problem::svdd(diagonal, &vec![1.0; n]);
        let alpha = smo.solve(&problem, &ridged, &mut unwatched())?.coefficients;
        let sums: Vec<f64> = (0..n).map(|i| table.sum(i, &alpha) + ridge[i] * alpha[i]).collect();
        let center: f64 = alpha.iter().zip(&sums).map(|(a, u)| a * u).sum();
        let trace: f64 = alpha.iter().zip(diagonal).map(|(a, k)| a * k).sum();
        let distance = |i: usize| diagonal[i] - 2.0 * sums[i] + center;
        let square_radius = (0..n).map(distance).fold(0.0, f64::max);
        Ok(Self { square_radius, at_least: (trace - center).clamp(0.0, square_radius) })
    }
}
