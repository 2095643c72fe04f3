//! The softmax loss: multinomial logistic regression with a kernel.
//!
//! Primal: minimise ½ Σ_c ‖w_c‖² + Σᵢ cᵢ (log Σ_c exp F_c(xᵢ) − F_y(xᵢ)), y = yᵢ.
//!
//! Dual: one distribution pᵢ over the classes for each point, βᵢ = cᵢ(e_y − pᵢ). Minimise
//! ½ Σ_c β_cᵀKβ_c + Σᵢ cᵢ Σ_c pᵢ_c log pᵢ_c.
//!
//! A point is optimal when pᵢ is the softmax of its scores: its violation is the largest |p_c − softmax(F)_c|, and the gap
//! is Σᵢ cᵢ KL(pᵢ ‖ softmax(Fᵢ)). The solver begins with β = 0, where pᵢ is 1 for the class of the point.
//!
//! The step: with A = k(x, x), a = A·cᵢ and B = F − Aβ, minimise ½a‖p − e_y‖² − Bᵀp + Σ p log p over the distributions.
//! There log p_c + a·p_c = z_c − μ with z = B + a·e_y, so that a·p_c = ω(z_c − μ + log a), where ω(x) is the w with
//! w + log w = x (Wright's omega function), and μ is where the p_c sum to one. The sum falls in μ along a convex curve and
//! the largest p_c is between 1/k and 1, which confines μ: Newton's method converges from anywhere in there. Cost: k
//! exponentials or logarithms for each of a few Newton steps.
//!
//! Every p_c is positive and so every point is a support point.

use super::{MIN_CURVATURE, Point, PointProblem, exact};
use crate::simd::exp_f64;

pub(super) struct Softmax;

/// The most Newton steps for μ. Three or four are enough; the limit is for scores that are NaN.
const NEWTON: usize = 60;

/// How far the sum of a distribution may be from 1, for each class: a few rounding errors.
const SUM_ERROR: f64 = 1e-15;

/// For x below `SMALL` the series of ω in z = eˣ with these terms is exact to the last bits: z < 10⁻³, and the next term is
/// 23·z⁶ relative to the first.
const SMALL: f64 = -7.0;
const SERIES: [f64; 6] = [1.0, -1.0, 1.5, -8.0 / 3.0, 125.0 / 24.0, -10.8];

/// Computes the softmax of the scores: the distribution whose logarithms are the scores plus a constant.
pub(crate) fn softmax(scores: &[f64], probabilities: &mut Vec<f64>) {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    probabilities.clear();
    probabilities.extend(scores.iter().map(|f| f - largest));
    exp_f64(probabilities);
    let sum: f64 = probabilities.iter().sum();
    probabilities.iter_mut().for_each(|p| *p /= sum);
}

/// p_c of the point whose coefficients are β = c(e_y − p).
fn probability(point: Point, beta: &[f64], c: usize) -> f64 {
    let share = beta[c] / point.c;
    if c == point.class { (1.0 - share).max(0.0) } else { -share }
}

/// The w with w + log w = x, where z = eˣ: by its series for small z, otherwise by two steps of the iteration of Fritsch,
/// Shafer and Crowley, which is of fourth order, from a start with a relative error of about a fifth.
fn omega(x: f64, z: f64) -> f64 {
    if x < SMALL {
        return z * SERIES.iter().rev().fold(0.0, |sum, term| sum * z + term);
    }
    let near = x - 1.0;
    let mut w = match x {
        x if x < -1.0 => z * (1.0 - z),
        x if x < 1.0 => 1.0 + near * (0.5 + near / 16.0),
        x => x - x.ln(),
    };
    for _ in 0..2 {
        let (r, one) = (x - w - w.ln(), 1.0 + w);
        let q = 2.0 * one * (one + 2.0 / 3.0 * r);
        w *= 1.0 + r / one * (q - r) / (q - 2.0 * r);
    }
    w
}

/// Replaces z by the distribution p with log p + a·p = z − μ; `start` is a guess of μ.
fn solve(z: &mut [f64], p: &mut Vec<f64>, a: f64, start: f64) {
    let largest = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let k = z.len() as f64;
    let (low, high) = (largest - a, largest + k.ln() - a / k);
    let mut mu = start.max(low).min(high);
    for _ in 0..NEWTON {
        p.clear();
        let shift = mu - a.ln();
        p.extend(z.iter().map(|z| z - shift));
        exp_f64(p);
        p.iter_mut().zip(&*z).for_each(|(p, z)| *p = omega(z - shift, *p) / a);
        let excess = p.iter().sum::<f64>() - 1.0;
        let slope: f64 = p.iter().map(|p| p / (1.0 + a * p)).sum();
        // If rounding does not let μ change, there is no better one.
        let next = (mu + excess / slope).max(low).min(high);
        if excess.abs() <= SUM_ERROR * k || next == mu {
            break;
        }
        mu = next;
    }
    z.copy_from_slice(p);
}

impl PointProblem for Softmax {
    fn violation(point: Point, beta: &[f64], scores: &[f64], scratch: &mut Vec<f64>) -> f64 {
        softmax(scores, scratch);
        let difference = |(c, s): (usize, &f64)| (probability(point, beta, c) - s).abs();
        scratch.iter().enumerate().map(difference).fold(0.0, f64::max)
    }

    fn step(point: Point, curvature: f64, scores: &[f64], beta: &mut [f64], scratch: &mut Vec<f64>) {
        let y = point.class;
        let a = curvature.max(MIN_CURVATURE) * point.c;
        // The guess of μ comes from the class with the largest p.
        let mut start = (0.0, 0.0);
        for c in 0..beta.len() {
            let p = probability(point, beta, c);
            let shift = if c == y { a } else { 0.0 };
            // β is overwritten by z.
            beta[c] = scores[c] - a * beta[c] / point.c + shift;
            if p > start.0 {
                start = (p, beta[c]);
            }
        }
        let (p, z) = start;
        solve(beta, scratch, a, z - p.ln() - a * p);
        let mut others = 0.0;
        for c in (0..beta.len()).filter(|&c| c != y) {
            // A probability stays positive even if it is too small for a double.
            let p = beta[c].max(f64::MIN_POSITIVE);
            others += p;
            beta[c] = -point.c * p;
        }
        beta[y] = point.c * others.min(1.0);
    }

    fn loss(point: Point, scores: &[f64]) -> f64 {
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|f| (f - largest).exp()).sum();
        point.c * (sum.ln() + largest - scores[point.class])
    }

    fn conjugate(point: Point, beta: &[f64]) -> f64 {
        let term = |c: usize| {
            let p = probability(point, beta, c);
            if p > 0.0 { p * p.ln() } else { 0.0 }
        };
        point.c * (0..beta.len()).map(term).sum::<f64>()
    }

    fn unknowns(points: usize, classes: usize) -> usize {
        points * (classes - 1)
    }

    fn settle(dense: &mut exact::Dense<'_>) -> Option<f64> {
        exact::settle_softmax(dense)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_step_is_optimal, random_points};
    use super::*;

    #[test]
    fn omega_solves_its_equation() {
        for step in -400..4000 {
            let x = f64::from(step) / 4.0;
            let w = omega(x, x.exp());
            let error = (w + w.ln() - x) / (1.0 + w);
            assert!(w > 0.0 && error.abs() < 4e-16 * (1.0 + x.abs()), "ω({x}) = {w}, off by {error}");
        }
        assert!((omega(1.0, 1f64.exp()) - 1.0).abs() < 1e-15);
        assert!((omega(0.0, 1.0) - 0.567_143_290_409_783_8).abs() < 1e-15);
    }

    #[test]
    fn a_step_leaves_no_violation_and_cannot_be_bettered() {
        for (point, scores, mut noise) in random_points(4) {
            let project = |b: &mut [f64]| {
                // Makes any β that of a distribution near it.
                let mut p: Vec<f64> = (0..b.len()).map(|c| probability(point, b, c).max(1e-6)).collect();
                let sum: f64 = p.iter().sum();
                p.iter_mut().for_each(|p| *p /= sum);
                for c in 0..b.len() {
                    b[c] = point.c * (f64::from(u8::from(c == point.class)) - p[c]);
                }
            };
            assert_step_is_optimal::<Softmax>(point, &scores, project, &mut noise);
        }
    }

    #[test]
    fn scores_that_are_far_apart_are_solved_too() {
        let point = Point { class: 0, c: 100.0 };
        for scores in [[800.0, -800.0, 0.0], [-800.0, 800.0, 0.0], [0.0, 1e5, -1e5]] {
            for curvature in [0.0, 1e-6, 1.0, 1e4] {
                let (mut beta, mut scratch) = ([0.0; 3], Vec::new());
                Softmax::step(point, curvature, &scores, &mut beta, &mut scratch);
                let moved: Vec<f64> = (0..3).map(|c| scores[c] + curvature * beta[c]).collect();
                let left = Softmax::violation(point, &beta, &moved, &mut scratch);
                assert!(left < 1e-6, "{scores:?} {curvature}: {beta:?} leaves {left}");
            }
        }
    }

    #[test]
    fn the_gap_of_a_point_is_the_divergence_from_its_softmax() {
        let point = Point { class: 2, c: 2.5 };
        let (scores, p) = ([0.3, -1.0, 0.8], [0.2, 0.5, 0.3]);
        let beta = [-0.5, -1.25, 2.5 * 0.7];
        let mut sigma = Vec::new();
        softmax(&scores, &mut sigma);
        let divergence: f64 = (0..3).map(|c| p[c] * (p[c] / sigma[c]).ln()).sum();
        let inner: f64 = (0..3).map(|c| beta[c] * scores[c]).sum();
        let gap = inner + Softmax::conjugate(point, &beta) + Softmax::loss(point, &scores);
        assert!((gap - 2.5 * divergence).abs() < 1e-14, "{gap}");
    }
}
