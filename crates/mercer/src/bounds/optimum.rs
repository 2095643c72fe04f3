//! The optimum of a separation, from the coefficients of a model.
//!
//! Theorems speak of the optimum, a model is within its tolerance of it: a few more steps from the model's coefficients, then the linear
//! system of the free variables in double precision.

use super::separation::Separation;
use super::table::Table;
use crate::error::Result;
use crate::gram::Gram;
use crate::solve::standing::{Cost, Standing};
use crate::solve::{Smo, Solution, Stop, unwatched};

/// The largest violation left, in units of the margin.
pub(super) const TOLERANCE: f64 = 1e-6;
/// Kernel rows that a solve keeps, in bytes: many run side by side.
const CACHE_BYTES: usize = 64 << 20;
/// A coefficient this close to an end of its interval, as a share of it, is there.
const AT_END: f64 = 1e-9;

/// The optimum, and what is proved of it.
pub(super) struct Optimum {
    /// β of each row, all within their intervals.
    pub(super) beta: Vec<f64>,
    /// u = Kβ
    pub(super) u: Vec<f64>,
    /// b
    pub(super) offset: f64,
    pub(super) standing: Standing,
    /// Why the solver stopped.
    pub(super) stop: Stop,
    /// Rows with a coefficient inside its interval.
    pub(super) free: Vec<usize>,
}

impl Optimum {
    /// Goes on from the coefficients `start`.
    ///
    /// # Errors
    /// Those of the solver.
    pub(super) fn new(separation: &Separation, table: &Table, mut start: Vec<f64>) -> Result<Self> {
        separation.make_feasible(&mut start, None);
        let solution = solve(separation, table, start, None, TOLERANCE)?;
        let (beta, offset, stop) = (solution.coefficients, solution.offset, solution.certificate.stop);
        let u = table.product(&beta);
        let standing = separation.standing(&beta, &u, table.diagonal(), None);
        let free = (0..beta.len()).filter(|&i| separation.is_free(i, beta[i])).collect();
        Ok(Self { beta, u, offset, standing, stop, free })
    }

    /// y(u − b) of a row: above 0 where it is classified as its class.
    pub(super) fn margin(&self, separation: &Separation, i: usize) -> f64 {
        separation.y[i] * (self.u[i] - self.offset)
    }

    /// ‖w‖²
    pub(super) fn square(&self) -> f64 {
        self.beta.iter().zip(&self.u).map(|(b, u)| b * u).sum()
    }

    /// Rows with a coefficient that is not 0.
    pub(super) fn support(&self) -> usize {
        self.beta.iter().filter(|b| **b != 0.0).count()
    }
}

impl Separation {
    /// Whether a coefficient is inside its interval.
    pub(super) fn is_free(&self, i: usize, beta: f64) -> bool {
        let size = beta.abs();
        size > 0.0 && (self.cost != Cost::Linear || size < self.price[i] * (1.0 - AT_END))
    }
}

/// Solves a separation from `start` to a tolerance, exactly where that is `TOLERANCE`; the row `without` is left out.
///
/// # Errors
/// Those of the solver.
pub(super) fn solve(
    separation: &Separation,
    table: &Table,
    start: Vec<f64>,
    without: Option<usize>,
    tolerance: f64,
) -> Result<Solution> {
    let exact = tolerance <= TOLERANCE;
    let smo = Smo { tolerance, exact, cache_bytes: CACHE_BYTES, ..Smo::default() };
    smo.solve(&separation.problem(start, without), table, &mut unwatched())
}
