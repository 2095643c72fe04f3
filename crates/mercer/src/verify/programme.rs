//! A quadratic programme with its answer: is it in the box, does it keep its sums, what are both objectives, how far is it from optimal.
//!
//! Minimise D(β) = ½βᵀ(K + diag(r))β + ℓᵀβ + κΣ|β| in a box, with fixed sums. With u = Kβ the slopes are g = u + rβ + ℓ ± κ. The
//! violation is the largest slope of a variable that may fall less the smallest of one that may rise, of each sum. The function of the
//! answer is f = u − b, and P = ½βᵀKβ + Σ loss(f) + constant is what the machine minimises: P ≥ −D for every f and every β of the
//! box with these sums, and the gap is P + D.

use super::report::Report;
use super::values::Sum;

/// By how much a coefficient may be beyond its bound, as a share of it: rounding of the bound itself.
const BOX: f64 = 1e-9;
/// By how much a sum may be off, as a share of the sum of the sizes: coefficients are changed in pairs, thousands of times.
const KEPT: f64 = 1e-8;

/// By how much a slope may be off in a solve that has converged, as a share of its tolerance.
const ASTRAY: f64 = 0.25;

/// The certificate of a programme, as a file tells it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told {
    pub(super) objective: f64,
    pub(super) gap: Option<f64>,
    pub(super) violation: f64,
    /// Whether the solver says that it is within this tolerance.
    pub(super) tolerance: Option<f64>,
}

/// What is told of an answer whose file has no certificate.
#[derive(Debug, Clone, Copy)]
pub(super) enum Certified {
    /// A certificate.
    By(Told),
    /// None: the largest violation that it may have.
    Within(f64),
}

/// A programme.
pub(super) struct Programme<'p> {
    /// What it belongs to.
    pub(super) of: String,
    pub(super) linear: Vec<f64>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    pub(super) kink: f64,
    /// Added to the diagonal of K; none for nothing.
    pub(super) ridge: Vec<f64>,
    /// For each variable the number of its sum.
    pub(super) group: Vec<usize>,
    /// The value of each sum; none where nothing is fixed, and b is 0.
    pub(super) sums: Vec<f64>,
    /// What the offset of each sum is more than b.
    pub(super) beside: Vec<f64>,
    /// The loss of a row where the function has this value.
    pub(super) loss: &'p dyn Fn(usize, f64) -> f64,
    /// What the primal objective has besides.
    pub(super) constant: f64,
    /// Whether no error is allowed: the loss is infinite wherever it is not 0.
    pub(super) hard: bool,
    /// Whether a gap can be told: the kernel is positive semi-definite.
    pub(super) definite: bool,
}

/// What was found of an answer.
pub(super) struct Found {
    /// βᵀKβ
    pub(super) square: f64,
    pub(super) square_error: f64,
}

impl Programme<'_> {
    /// Compares the certificate of an answer, whose sums Kβ are `u`, with what the definitions say.
    pub(super) fn compare(
        &self,
        beta: &[f64],
        u: &[Sum],
        offset: f64,
        certified: Certified,
        report: &mut Report,
    ) -> Found {
        self.feasible(beta, report);
        // A solver that has converged has computed in double precision whatever single precision has led astray.
        let u: Vec<Sum> = match certified {
            Certified::By(Told { tolerance: Some(tolerance), .. }) => {
                u.iter().map(|sum| sum.within(ASTRAY * tolerance)).collect()
            }
            _ => u.to_vec(),
        };
        let u = u.as_slice();
        let widest = u.iter().map(|sum| sum.error).fold(0.0, f64::max);
        let slopes = self.slopes(beta, u);
        let (violation, offsets) = self.violation(beta, &slopes);
        // The rounding of both sides of a difference.
        let slack = 2.0 * widest + 1e-12;
        let square: f64 = beta.iter().zip(u).map(|(b, u)| b * u.value).sum();
        let square_error = Sum::together(beta.iter().copied().zip(u.iter().copied()));
        let ridge: f64 = self.ridge.iter().zip(beta).map(|(r, b)| r * b * b).sum();
        let linear: f64 = self.linear.iter().zip(beta).map(|(l, b)| l * b).sum();
        let kinks = self.kink * beta.iter().map(|b| b.abs()).sum::<f64>();
        let objective = 0.5 * (square + ridge) + linear + kinks;
        let size = 0.5 * (square.abs() + ridge)
            + self.linear.iter().zip(beta).map(|(l, b)| (l * b).abs()).sum::<f64>();
        let objective_error = 0.5 * square_error + 1e-12 * size + f64::MIN_POSITIVE;
        let (primal, loss_error) = self.primal(square, u, offset);
        let (gap, gap_error) = if self.hard {
            self.hard_gap(u, offset, (square, square_error), (objective, objective_error))
        } else {
            (primal + objective, square_error + loss_error + 2e-12 * (size + primal.abs()))
        };
        let of = self.of.as_str();
        if !self.sums.is_empty() {
            for (group, (found, beside)) in offsets.iter().zip(&self.beside).enumerate() {
                if let Some(found) = found {
                    let what = if group == 0 { "offset" } else { "second offset" };
                    report.equal(of, what, offset + beside, *found, slack + 1e-9 * offset.abs());
                }
            }
        }
        match certified {
            Certified::By(told) => {
                report.equal(of, "dual objective", told.objective, objective, objective_error);
                if let Some(told) = told.gap {
                    report.equal(of, "gap", told, gap, gap_error);
                    if !self.definite {
                        report.flaw(
                            of,
                            "a gap is told, but the kernel is not positive semi-definite by construction",
                        );
                    }
                }
                report.equal(of, "violation", told.violation, violation, slack);
                if let Some(tolerance) = told.tolerance {
                    report.at_most(of, "violation of what converged", tolerance, violation, slack);
                }
            }
            Certified::Within(tolerance) => {
                report.tell(of, "dual objective", objective);
                report.at_most(of, "violation", tolerance, violation, slack);
                if self.definite {
                    report.tell(of, "gap", gap);
                }
            }
        }
        if self.definite && !self.hard {
            report.tell(of, "primal objective", primal);
        }
        Found { square, square_error }
    }

    fn feasible(&self, beta: &[f64], report: &mut Report) {
        for (i, &b) in beta.iter().enumerate() {
            let room = |bound: f64| BOX * if bound.is_finite() { bound.abs() } else { 0.0 };
            let (lower, upper) = (self.lower[i], self.upper[i]);
            if !(lower - room(lower)..=upper + room(upper)).contains(&b) {
                report
                    .flaw(&self.of, format_args!("a coefficient {b} outside of its box, {lower} to {upper}"));
            }
        }
        for (group, &wanted) in self.sums.iter().enumerate() {
            let own = || beta.iter().zip(&self.group).filter(|(_, of)| **of == group).map(|(b, _)| b);
            let (sum, size) = (own().sum::<f64>(), own().map(|b| b.abs()).sum::<f64>());
            report.equal(&self.of, "sum of the coefficients", wanted, sum, KEPT * size.max(wanted.abs()));
        }
    }

    /// The slopes up and down of each variable; infinite where it cannot go.
    fn slopes(&self, beta: &[f64], u: &[Sum]) -> Vec<(f64, f64)> {
        (0..beta.len())
            .map(|i| {
                let b = beta[i];
                let ridge = self.ridge.get(i).map_or(0.0, |r| r * b);
                let slope = u[i].value + ridge + self.linear[i];
                let up = if b < self.upper[i] {
                    slope + if b >= 0.0 { self.kink } else { -self.kink }
                } else {
                    f64::INFINITY
                };
                let down = if b > self.lower[i] {
                    slope + if b > 0.0 { self.kink } else { -self.kink }
                } else {
                    f64::NEG_INFINITY
                };
                (up, down)
            })
            .collect()
    }

    /// The violation, and the offset of each sum: the mean slope of its free variables, else the middle of what is allowed.
    fn violation(&self, beta: &[f64], slopes: &[(f64, f64)]) -> (f64, Vec<Option<f64>>) {
        let groups = self.sums.len().max(1);
        let (mut worst, mut offsets) = (0.0_f64, Vec::new());
        for group in 0..groups {
            let own = || (0..beta.len()).filter(|&i| self.group[i] == group).map(|i| slopes[i]);
            let mut up = own().map(|slope| slope.0).fold(f64::INFINITY, f64::min);
            let mut down = own().map(|slope| slope.1).fold(f64::NEG_INFINITY, f64::max);
            if self.sums.is_empty() {
                // Each slope is compared with 0.
                (up, down) = (up.min(0.0), down.max(0.0));
            }
            worst = worst.max(down - up);
            let free: Vec<f64> = own().filter(|(up, down)| up == down).map(|slope| slope.0).collect();
            let middle = match (up.is_finite(), down.is_finite()) {
                (true, true) => Some(0.5 * (up + down)),
                (true, false) => Some(up),
                (false, true) => Some(down),
                (false, false) => None,
            };
            let mean = free.iter().sum::<f64>() / free.len() as f64;
            offsets.push(if free.is_empty() { middle } else { Some(mean) });
        }
        (worst, offsets)
    }

    /// ½βᵀKβ + Σ loss + constant, and by how much the losses may be off.
    fn primal(&self, square: f64, u: &[Sum], offset: f64) -> (f64, f64) {
        let (mut losses, mut slopes) = (0.0, Vec::with_capacity(u.len()));
        for (i, u) in u.iter().enumerate() {
            let at = |f: f64| (self.loss)(i, f - offset);
            let loss = at(u.value);
            let off = |f: f64| (at(f) - loss).abs();
            losses += loss;
            let widest = u.error.max(f64::MIN_POSITIVE);
            slopes.push((off(u.value + widest).max(off(u.value - widest)) / widest, *u));
        }
        (0.5 * square + losses + self.constant, Sum::together(slopes.into_iter()))
    }

    /// The gap where no error is allowed, and by how much it may be off: the function times the least factor that leaves none is one that
    /// is allowed.
    fn hard_gap(
        &self,
        u: &[Sum],
        offset: f64,
        (square, square_error): (f64, f64),
        (objective, objective_error): (f64, f64),
    ) -> (f64, f64) {
        let margin = |i: usize, u: f64| -self.linear[i] * (u - offset);
        // The factor of the margins that rounding may have made less by `share` of what it can.
        let factor = |share: f64| {
            let of = |i: usize| match margin(i, u[i].value) - share * u[i].error {
                margin if margin > 0.0 => 1.0 / margin,
                _ => f64::INFINITY,
            };
            (0..u.len()).filter(|&i| self.linear[i] != 0.0).map(of).fold(0.0, f64::max)
        };
        let gap = |factor: f64, square: f64| 0.5 * factor.powi(2) * square + objective;
        let found = gap(factor(0.0), square);
        // Off to either side: the factor is steeper towards smaller margins.
        let error = (gap(factor(1.0), square + square_error) - found).abs() + objective_error;
        (found, if error.is_nan() { 0.0 } else { error })
    }
}
