//! Newton's step on the variables inside their box.
//!
//! With δ the change of the free variables F, K_FF δ + λ₀ = −g_F and Σδ = 0. A variable that would leave its box stops at its bound, and the
//! step goes on for the others: with A = [1, e_B] for the variables B that have stopped, δ = −K⁻¹(g + Aλ) and Aᵀδ = 0, so that
//! (AᵀK⁻¹A)λ = −AᵀK⁻¹g. So there is one factor for all of it, and each variable that stops costs one solve with it. The objective falls all the
//! way. A small number is added to the diagonal, since K_FF may be singular; what that makes wrong the next round shows, whose gradient is
//! exact.

use super::Path;
use crate::linalg::dot;

/// The number that is added to the diagonal, as a share of its mean.
const REGULAR: f64 = 1e-10;
/// Variables may stop up to this many, and this share of them.
const STOPS: (usize, f64) = (12, 0.25);
/// Cycles of a multiplication of the factorisation, and of the solves.
const CYCLES: [f64; 2] = [0.1, 6.0];

/// The cycles of a step of `free` variables among `points`.
pub(super) fn work(free: usize, points: usize) -> f64 {
    let (f, [factor, solve]) = (free as f64, CYCLES);
    factor * f.powi(3) + solve * f * f + super::values::work(free, points)
}

/// A lower triangular factor, in rows of the same length.
struct Factor {
    n: usize,
    lower: Vec<f64>,
}

impl Factor {
    /// LLᵀ of a matrix whose rows up to the diagonal are given; pivots are at least `least`.
    fn new(n: usize, least: f64, mut row: impl FnMut(usize, &mut [f64])) -> Self {
        let mut lower = vec![0.0; n * n];
        for i in 0..n {
            let (above, rest) = lower.split_at_mut(i * n);
            let own = &mut rest[..=i];
            row(i, own);
            for j in 0..i {
                let other = &above[j * n..=j * n + j];
                own[j] = (own[j] - dot(&own[..j], &other[..j])) / other[j];
            }
            own[i] = (own[i] - dot(&own[..i], &own[..i])).max(least).sqrt();
        }
        Self { n, lower }
    }

    /// Replaces the right side by the solution.
    fn solve(&self, right: &mut [f64]) {
        for i in 0..self.n {
            let row = &self.lower[i * self.n..=i * self.n + i];
            right[i] = (right[i] - dot(&row[..i], &right[..i])) / row[i];
        }
        for i in (0..self.n).rev() {
            let row = &self.lower[i * self.n..=i * self.n + i];
            let value = right[i] / row[i];
            right[i] = value;
            right.iter_mut().zip(&row[..i]).for_each(|(right, l)| *right -= l * value);
        }
    }
}

/// The conditions on a step: Σδ = 0, and δ = 0 for variables that have stopped.
#[derive(Clone, Copy)]
enum Condition {
    Sum,
    Stopped(usize),
}

impl Condition {
    fn of(self, vector: &[f64]) -> f64 {
        match self {
            Self::Sum => vector.iter().sum(),
            Self::Stopped(k) => vector[k],
        }
    }
}

impl Path<'_> {
    /// Moves the free variables to where their gradients are equal, or as far as the box allows.
    pub(super) fn equalise(&mut self, middle: f64) {
        let free: Vec<usize> = (0..self.beta.len()).filter(|&i| self.is_free(i)).collect();
        let n = free.len();
        let regular = REGULAR * free.iter().map(|&i| self.values.diagonal(i)).sum::<f64>() / n as f64;
        let factor = Factor::new(n, regular.max(f64::MIN_POSITIVE), |i, row| {
            self.values.pick(free[i], &free[..=i], row);
            row[i] += regular;
        });
        let solved = |mut right: Vec<f64>| {
            factor.solve(&mut right);
            right
        };
        let before: Vec<f64> = free.iter().map(|&i| self.beta[i]).collect();
        let mut conditions = vec![Condition::Sum];
        let mut columns = vec![solved(vec![1.0; n])];
        let mut stopped = vec![false; n];
        // −K⁻¹g, which falls along the step.
        let mut newton = solved(free.iter().map(|&i| middle - self.gradient[i]).collect());
        loop {
            let shift = held(&conditions, &columns, &newton);
            let mut delta: Vec<f64> =
                (0..n).map(|k| if stopped[k] { 0.0 } else { newton[k] - shift[k] }).collect();
            if delta.iter().any(|d| !d.is_finite()) {
                break;
            }
            // The sum is 0 but for rounding.
            let drift = delta.iter().sum::<f64>() / (n + 1 - conditions.len()).max(1) as f64;
            let (mut share, mut first) = (1.0, None);
            for k in (0..n).filter(|&k| !stopped[k]) {
                delta[k] -= drift;
                let room = self.room(free[k], delta[k]) / delta[k].abs();
                if room <= share {
                    (share, first) = (room, Some(k));
                }
            }
            for k in (0..n).filter(|&k| !stopped[k]) {
                let i = free[k];
                self.beta[i] = (self.beta[i] + share * delta[k]).clamp(self.lower[i], self.upper[i]);
            }
            let Some(k) = first else { break };
            self.beta[free[k]] = if delta[k] > 0.0 { self.upper[free[k]] } else { self.lower[free[k]] };
            stopped[k] = true;
            if conditions.len() as f64 > STOPS.0 as f64 + STOPS.1 * n as f64 || conditions.len() >= n {
                break;
            }
            newton.iter_mut().zip(&shift).for_each(|(d, s)| *d += share * (s - *d));
            conditions.push(Condition::Stopped(k));
            let mut unit = vec![0.0; n];
            unit[k] = 1.0;
            columns.push(solved(unit));
        }
        let moved = free.iter().zip(before).map(|(&i, before)| (i, self.beta[i] - before));
        let moved: Vec<(usize, f64)> = moved.filter(|(_, by)| *by != 0.0).collect();
        self.values.accumulate(&moved, &mut self.gradient);
    }

    /// How far a variable may go.
    fn room(&self, i: usize, delta: f64) -> f64 {
        let room = if delta > 0.0 { self.upper[i] - self.beta[i] } else { self.beta[i] - self.lower[i] };
        if delta == 0.0 { f64::INFINITY } else { room.max(0.0) }
    }
}

/// K⁻¹Aλ, the part of the step that the conditions take away.
fn held(conditions: &[Condition], columns: &[Vec<f64>], newton: &[f64]) -> Vec<f64> {
    let m = conditions.len();
    let small = Factor::new(m, f64::MIN_POSITIVE, |i, row| {
        row.iter_mut().zip(columns).for_each(|(value, column)| *value = conditions[i].of(column));
    });
    let mut multipliers: Vec<f64> = conditions.iter().map(|condition| condition.of(newton)).collect();
    small.solve(&mut multipliers);
    let mut sum = vec![0.0; newton.len()];
    for (column, multiplier) in columns.iter().zip(&multipliers) {
        sum.iter_mut().zip(column).for_each(|(sum, value)| *sum += value * multiplier);
    }
    sum
}
