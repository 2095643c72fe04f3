//! The loss of Weston and Watkins (1999), with margin 1.
//!
//! Primal: minimise ½ Σ_c ‖w_c‖² + Σᵢ cᵢ Σ_{c≠y} ξᵢ_c subject to F_y(xᵢ) − F_c(xᵢ) ≥ 1 − ξᵢ_c, ξᵢ_c ≥ 0, y = yᵢ.
//!
//! Dual: one variable aᵢ_c in [0, cᵢ] for each point and c ≠ y; βᵢ_c = −aᵢ_c and βᵢ_y = Σ_c aᵢ_c. Minimise
//! ½ Σ_c β_cᵀKβ_c − Σᵢ βᵢ_y.
//!
//! The slope of a_c is F_y − F_c − 1. A point is optimal when no a_c below its upper bound has a negative slope and no a_c
//! above zero a positive one: its violation is the largest size of a slope that breaks this.
//!
//! The step: with A = k(x, x) and the total S = Σ a, the slope is A(a_c + S) − A·v_c for fixed v. So a_c =
//! clip(v_c − S, 0, cᵢ), and S is where Σ_c clip(v_c − S, 0, cᵢ) = S: the left side falls in S along a broken line whose
//! corners are v_c and v_c − cᵢ. Cost: O(k log k), for the sort of the corners.

use super::{MIN_CURVATURE, Point, PointProblem, exact};

pub(super) struct WestonWatkins;

/// The slope of a_c.
fn slope(point: Point, scores: &[f64], c: usize) -> f64 {
    scores[point.class] - scores[c] - 1.0
}

fn others(point: Point, classes: usize) -> impl Iterator<Item = usize> {
    (0..classes).filter(move |&c| c != point.class)
}

/// The S with Σ clip(v − S, 0, upper) = S. `descending` are the positive v: as S ≥ 0, the others are at zero.
///
/// S falls from above. Between two corners `free` values have the sum `sum` and `full` are at the upper bound, so that
/// S = (sum + upper·full)/(1 + free), if that is not below the next corner.
fn total(descending: &[f64], upper: f64) -> f64 {
    let (mut free, mut full, mut sum) = (0, 0, 0.0);
    loop {
        let total = (sum + upper * full as f64) / (1 + free) as f64;
        let entering = descending.get(free + full).copied().unwrap_or(f64::NEG_INFINITY);
        let leaving = if free > 0 { descending[full] - upper } else { f64::NEG_INFINITY };
        if total >= entering.max(leaving) {
            return total;
        }
        if entering >= leaving {
            sum += entering;
            free += 1;
        } else {
            sum -= descending[full];
            free -= 1;
            full += 1;
        }
    }
}

impl PointProblem for WestonWatkins {
    fn violation(point: Point, beta: &[f64], scores: &[f64], _: &mut Vec<f64>) -> f64 {
        let mut worst = 0.0f64;
        for c in others(point, beta.len()) {
            let (a, slope) = (-beta[c], slope(point, scores, c));
            let rises = if a < point.c { -slope } else { 0.0 };
            let falls = if a > 0.0 { slope } else { 0.0 };
            worst = worst.max(rises).max(falls);
        }
        worst
    }

    fn step(point: Point, curvature: f64, scores: &[f64], beta: &mut [f64], scratch: &mut Vec<f64>) {
        let a = curvature.max(MIN_CURVATURE);
        let before = beta[point.class];
        // The entries of the other classes are overwritten by v.
        others(point, beta.len()).for_each(|c| beta[c] = before - beta[c] - slope(point, scores, c) / a);
        scratch.clear();
        scratch.extend(others(point, beta.len()).map(|c| beta[c]).filter(|&v| v > 0.0));
        scratch.sort_unstable_by(|x, y| y.total_cmp(x));
        let total = total(scratch, point.c);
        let mut sum = 0.0;
        for c in others(point, beta.len()) {
            let a = (beta[c] - total).clamp(0.0, point.c);
            sum += a;
            // Not −a, which would be −0 for a zero.
            beta[c] = 0.0 - a;
        }
        beta[point.class] = sum;
    }

    fn loss(point: Point, scores: &[f64]) -> f64 {
        let hinge = |c: usize| (-slope(point, scores, c)).max(0.0);
        point.c * others(point, scores.len()).map(hinge).sum::<f64>()
    }

    fn conjugate(point: Point, beta: &[f64]) -> f64 {
        -beta[point.class]
    }

    fn settle(dense: &mut exact::Dense<'_>) -> Option<f64> {
        exact::settle_margins(dense, |point, c| {
            if c == point.class { (f64::NEG_INFINITY, f64::INFINITY) } else { (-point.c, 0.0) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_step_is_optimal, random_points};
    use super::*;

    #[test]
    fn a_step_leaves_no_violation_and_cannot_be_bettered() {
        for (point, scores, mut noise) in random_points(5) {
            let project = |b: &mut [f64]| {
                b[point.class] = 0.0;
                for c in others(point, b.len()) {
                    b[c] = b[c].clamp(-point.c, 0.0);
                    b[point.class] -= b[c];
                }
            };
            assert_step_is_optimal::<WestonWatkins>(point, &scores, project, &mut noise);
        }
    }

    #[test]
    fn the_total_by_hand() {
        // Nothing positive; one free: v/2; two free: (v + w)/3; one at its bound of 1 and one free: (1 + w)/2.
        assert_eq!(total(&[], 1.0), 0.0);
        assert_eq!(total(&[1.0], 1.0), 0.5);
        assert_eq!(total(&[0.9, 0.9], 1.0), 0.6);
        assert_eq!(total(&[9.0, 2.0], 1.0), 1.5);
        assert_eq!(total(&[9.0, 9.0], 1.0), 2.0);
    }
}
