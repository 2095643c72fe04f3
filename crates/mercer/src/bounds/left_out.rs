//! The exact leave-one-out error of a separation: each row is classified by the optimum of the others.
//!
//! Not every row takes a fit:
//!
//! - without a row whose coefficient is 0 the optimum is the same, and it classifies the row as its class;
//! - a row that the optimum misclassifies is misclassified by that of the others too: each is the best for its own sum of costs, so that
//!   the cost of row p is no less where it is not part of the sum, and its decision no nearer to its class;
//! - else the coefficient of the row goes to the free support vectors as its [span](super::span) says. What that proves of the new
//!   optimum ([`Standing`](crate::solve::standing::Standing)) often settles the sign; if not, our solver goes on from there, to tolerances that fall until it does. At
//!   the last the value is taken as it is.
//!
//! Rows are left out side by side; each begins at the optimum of all, so that the answer does not depend on the number of threads.

use rayon::prelude::*;

use super::optimum::{Optimum, TOLERANCE, solve};
use super::separation::Separation;
use super::span::Spans;
use super::table::{Table, add};
use crate::error::Result;
use crate::gram::Gram;

/// Tolerances at which the solver pauses to see whether the sign is settled.
const TOLERANCES: [f64; 3] = [1e-2, 1e-4, TOLERANCE];

/// How the decision at a row that is left out is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// By a theorem, without another optimum.
    Same,
    /// By the shares of its coefficient that go to others.
    Moved,
    /// By further steps of the solver.
    Solved,
    /// Not by a proof: by the value to the last tolerance.
    Value,
}

/// The decision at a row that is left out, by the optimum of the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Decision {
    /// Its value as far as it is known, with the sign that it has.
    pub(super) value: f64,
    pub(super) known: Known,
}

/// The decisions of one separation.
pub(super) struct LeftOut {
    pub(super) decisions: Vec<Decision>,
}

impl LeftOut {
    /// Leaves out one row after another.
    ///
    /// # Errors
    /// Those of the solver.
    pub(super) fn new(
        separation: &Separation,
        table: &Table,
        optimum: &Optimum,
        spans: &Spans<'_>,
    ) -> Result<Self> {
        let all = All { separation, table, optimum, spans };
        let decisions = (0..separation.len()).into_par_iter().map(|p| all.decision(p, false)).collect();
        Ok(Self { decisions: decisions_or_error(decisions)? })
    }

    /// Rows that are misclassified.
    pub(super) fn errors(&self, separation: &Separation) -> usize {
        self.decisions.iter().zip(&separation.y).filter(|(d, y)| (d.value > 0.0) != (**y > 0.0)).count()
    }

    /// Rows whose decision is known so.
    pub(super) fn count(&self, known: Known) -> usize {
        self.decisions.iter().filter(|decision| decision.known == known).count()
    }
}

/// The value of the decision at row `p`, as exact as the solver is.
///
/// # Errors
/// Those of the solver.
pub(super) fn value(
    separation: &Separation,
    table: &Table,
    optimum: &Optimum,
    spans: &Spans<'_>,
    p: usize,
) -> Result<f64> {
    Ok(All { separation, table, optimum, spans }.decision(p, true)?.value)
}

fn decisions_or_error(decisions: Vec<Result<Decision>>) -> Result<Vec<Decision>> {
    decisions.into_iter().collect()
}

/// What leaving out begins with.
struct All<'a> {
    separation: &'a Separation,
    table: &'a Table,
    optimum: &'a Optimum,
    spans: &'a Spans<'a>,
}

impl All<'_> {
    /// The decision at row `p`; where `exact`, its value and not its sign alone.
    fn decision(&self, p: usize, exact: bool) -> Result<Decision> {
        let (y, beta) = (self.separation.y[p], self.optimum.beta[p]);
        let value = self.optimum.u[p] - self.optimum.offset;
        if beta == 0.0 || (y * value < 0.0 && !exact) {
            return Ok(Decision { value, known: Known::Same });
        }
        if self.separation.others_like(p) == 0 {
            // The others are of one class, which is all that there is to say.
            return Ok(Decision { value: -y, known: Known::Same });
        }
        let (mut start, mut u) = self.moved(p);
        if let (Some(sign), false) = (self.settled(&start, &u, p), exact) {
            return Ok(Decision { value: sign, known: Known::Moved });
        }
        let mut value = f64::NAN;
        for tolerance in TOLERANCES {
            let solution = solve(self.separation, self.table, start, Some(p), tolerance)?;
            start = solution.coefficients;
            u = self.table.product(&start);
            value = u[p] - solution.offset;
            if let (Some(sign), false) = (self.settled(&start, &u, p), exact) {
                return Ok(Decision { value: sign, known: Known::Solved });
            }
        }
        Ok(Decision { value, known: Known::Value })
    }

    /// The sign of the decision at `p` of the optimum without `p`, where these coefficients prove it.
    fn settled(&self, beta: &[f64], u: &[f64], p: usize) -> Option<f64> {
        let diagonal = self.table.diagonal();
        self.separation.standing(beta, u, diagonal, Some(p)).sign(u[p], diagonal[p])
    }

    /// The coefficients with that of `p` moved to the free support vectors, and their Kβ.
    fn moved(&self, p: usize) -> (Vec<f64>, Vec<f64>) {
        let before = &self.optimum.beta;
        let mut beta = before.clone();
        if let Some(span) = self.spans.of(p) {
            for (&j, share) in self.optimum.free.iter().zip(&span.shares) {
                beta[j] += before[p] * share;
            }
        }
        self.separation.make_feasible(&mut beta, Some(p));
        let mut u = self.optimum.u.clone();
        for (j, (after, before)) in beta.iter().zip(before).enumerate().filter(|(_, (a, b))| a != b) {
            add(&mut u, self.table.row(j), after - before);
        }
        (beta, u)
    }
}
