//! How good an answer is, and why the solver stopped.

use std::fmt;
use std::ops::Range;

use rayon::prelude::*;

/// Why a solver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// The optimality conditions hold to the tolerance asked for.
    Converged,
    /// The limit on iterations was reached.
    IterationLimit,
    /// The limit on time was reached.
    TimeLimit,
    /// No step improves the objective in this precision.
    Stalled,
    /// The caller asked to stop.
    Interrupted,
}

impl Stop {
    /// All reasons, for parsing and tables.
    pub const ALL: [Stop; 5] =
        [Stop::Converged, Stop::IterationLimit, Stop::TimeLimit, Stop::Stalled, Stop::Interrupted];

    /// The word used in files and output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Stop::Converged => "converged",
            Stop::IterationLimit => "iteration-limit",
            Stop::TimeLimit => "time-limit",
            Stop::Stalled => "stalled",
            Stop::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is known of an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certificate {
    /// The dual objective ½βᵀKβ + linearᵀβ.
    pub objective: f64,
    /// Primal minus dual objective: the answer is at most this far from the best. Absent for a kernel that is not
    /// known to be positive semi-definite, where it bounds nothing.
    pub gap: Option<f64>,
    /// Largest violation of the optimality conditions.
    pub violation: f64,
    /// Two-variable steps taken.
    pub iterations: u64,
    /// Kernel rows computed, in rows of the whole problem.
    pub rows: f64,
    /// Why the solver stopped.
    pub stop: Stop,
}

/// ½ βᵀKβ + linearᵀβ, from the gradient g = Kβ + linear: ½ Σ βᵢ (gᵢ + linearᵢ).
pub(crate) fn objective(beta: &[f64], gradient: &[f64], linear: &[f64]) -> f64 {
    0.5 * beta.iter().zip(gradient).zip(linear).map(|((b, g), l)| b * (g + l)).sum::<f64>()
}

/// The duality gap at β for the offset b: Σ max((βᵢ − lowerᵢ)·rᵢ, (βᵢ − upperᵢ)·rᵢ) with r = g − b.
///
/// Each term is what variable i could still gain by moving to one of its bounds; at an optimum all are zero.
pub(crate) fn gap(beta: &[f64], lower: &[f64], upper: &[f64], gradient: &[f64], offset: f64) -> f64 {
    let term = |i: usize| {
        let r = gradient[i] - offset;
        // A variable with no room on that side gains nothing, also where the bound is infinite.
        let room = if r > 0.0 { beta[i] - lower[i] } else { beta[i] - upper[i] };
        if r == 0.0 || room == 0.0 { 0.0 } else { room * r }
    };
    in_pieces(beta.len(), |range| range.map(term).sum::<f64>()).into_iter().sum()
}

/// Variables looked at by one task.
const TASK: usize = 8192;

/// The results of `look` on consecutive pieces of fixed size, in order: the same for any number of threads.
fn in_pieces<R: Send>(n: usize, look: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    let pieces = n.div_ceil(TASK);
    let piece = |task: usize| look(task * TASK..n.min((task + 1) * TASK));
    if pieces == 1 { vec![piece(0)] } else { (0..pieces).into_par_iter().map(piece).collect() }
}

/// How far a point is from optimal, and the offset that goes with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extremes {
    /// Smallest gradient among variables that may rise.
    pub(crate) rise: f64,
    /// Largest gradient among variables that may fall.
    pub(crate) fall: f64,
    /// b: the mean gradient of the free variables, or the middle of its interval where none is free.
    pub(crate) offset: f64,
}

impl Extremes {
    pub(crate) fn of(beta: &[f64], lower: &[f64], upper: &[f64], gradient: &[f64]) -> Self {
        let look = |range: Range<usize>| {
            let (mut rise, mut fall) = (f64::INFINITY, f64::NEG_INFINITY);
            let (mut sum, mut free) = (0.0, 0u64);
            for i in range {
                let g = gradient[i];
                let (may_rise, may_fall) = (beta[i] < upper[i], beta[i] > lower[i]);
                if may_rise {
                    rise = rise.min(g);
                }
                if may_fall {
                    fall = fall.max(g);
                }
                if may_rise && may_fall {
                    sum += g;
                    free += 1;
                }
            }
            (rise, fall, sum, free)
        };
        let (rise, fall, sum, free) = in_pieces(beta.len(), look)
            .into_iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY, 0.0, 0), |a, b| {
                (a.0.min(b.0), a.1.max(b.1), a.2 + b.2, a.3 + b.3)
            });
        let middle = match (rise.is_finite(), fall.is_finite()) {
            (true, true) => f64::midpoint(rise, fall),
            (true, false) => rise,
            (false, true) => fall,
            (false, false) => 0.0,
        };
        Self { rise, fall, offset: if free > 0 { sum / free as f64 } else { middle } }
    }

    /// Largest violation of the optimality conditions, 0 where there is none.
    pub(crate) fn violation(&self) -> f64 {
        (self.fall - self.rise).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_points_by_closed_form() {
        // x = ±1, linear kernel, C large: β = ±1/2, w = 1, b = 0; primal = dual = 1/2.
        let (beta, linear) = ([0.5, -0.5], [-1.0, 1.0]);
        let gradient = [0.5 + 0.5 - 1.0, -0.5 - 0.5 + 1.0];
        let (lower, upper) = ([0.0, -10.0], [10.0, 0.0]);
        assert_eq!(objective(&beta, &gradient, &linear), -0.5);
        let extremes = Extremes::of(&beta, &lower, &upper, &gradient);
        assert_eq!((extremes.violation(), extremes.offset), (0.0, 0.0));
        assert_eq!(gap(&beta, &lower, &upper, &gradient, 0.0), 0.0);
    }

    #[test]
    fn gap_at_zero_is_the_primal_of_the_zero_function() {
        // β = 0: the decision is −b; the hinge losses sum to C per point of the other side at b = 0.
        let (lower, upper) = ([0.0, -3.0], [2.0, 0.0]);
        assert_eq!(gap(&[0.0, 0.0], &lower, &upper, &[-1.0, 1.0], 0.0), 5.0);
    }

    #[test]
    fn infinite_bounds_give_no_nan() {
        let gap = gap(&[0.0, 1.0], &[0.0, 0.0], &[f64::INFINITY, f64::INFINITY], &[0.5, 0.0], 0.0);
        assert_eq!(gap, 0.0);
    }
}
