//! The loss of Crammer and Singer (2001).
//!
//! Primal: minimise ½ Σ_c ‖w_c‖² + Σᵢ cᵢ ξᵢ subject to F_y(xᵢ) − F_c(xᵢ) ≥ 1 − ξᵢ for each c ≠ y = yᵢ, and ξᵢ ≥ 0:
//! the loss is max_c G_c − G_y with G_c = F_c + \[c ≠ y\].
//!
//! Dual: minimise ½ Σ_c β_cᵀKβ_c − Σᵢ βᵢ_y subject to Σ_c βᵢ_c = 0 and βᵢ_c ≤ cᵢ\[c = y\].
//!
//! A point is optimal when no coefficient that may rise has a smaller G than one that may fall. All may fall, so that the
//! violation of the point is max_c G_c − min {G_c : β_c below its bound}.
//!
//! The step: with A = k(x, x) and B = G − Aβ, minimise ½A‖b‖² + Bᵀb subject to Σ b_c = 0 and the bounds. The solution is
//! b_c = min(bound_c, (t − B_c)/A) with the t for which the sum is zero. Cost: O(k log k), for the sort.
//!
//! Keerthi et al. (2008); LIBLINEAR's `-s 4` for a linear kernel.

use super::{MIN_CURVATURE, Point, PointProblem, exact};

pub(super) struct CrammerSinger;

/// G_c for each class c: the score, plus the margin 1 for the other classes.
fn raised(point: Point, scores: &[f64]) -> impl Iterator<Item = f64> {
    scores.iter().enumerate().map(move |(c, f)| if c == point.class { *f } else { f + 1.0 })
}

fn bound(point: Point, c: usize) -> f64 {
    if c == point.class { point.c } else { 0.0 }
}

/// The t with Σ min(bound_c, (t − B_c)/A) = 0, where all bounds but that of y are zero. With D_y = B_y + A·bound_y and
/// D_c = B_c for the other classes, a coefficient is at its bound if D_c ≤ t. `descending` are the D, and `total` is
/// A·bound_y.
fn level(descending: &[f64], total: f64) -> f64 {
    let mut sum = -total;
    for (taken, &d) in descending.iter().enumerate() {
        if taken > 0 && sum >= taken as f64 * d {
            return sum / taken as f64;
        }
        sum += d;
    }
    sum / descending.len() as f64
}

impl PointProblem for CrammerSinger {
    fn violation(point: Point, beta: &[f64], scores: &[f64], _: &mut Vec<f64>) -> f64 {
        let (mut largest, mut smallest) = (f64::NEG_INFINITY, f64::INFINITY);
        for (c, g) in raised(point, scores).enumerate() {
            largest = largest.max(g);
            if beta[c] < bound(point, c) {
                smallest = smallest.min(g);
            }
        }
        (largest - smallest).max(0.0)
    }

    fn step(point: Point, curvature: f64, scores: &[f64], beta: &mut [f64], scratch: &mut Vec<f64>) {
        let a = curvature.max(MIN_CURVATURE);
        // β is overwritten by B.
        raised(point, scores).zip(beta.iter_mut()).for_each(|(g, b)| *b = g - a * *b);
        scratch.clear();
        scratch.extend_from_slice(beta);
        scratch[point.class] += a * point.c;
        scratch.sort_unstable_by(|x, y| y.total_cmp(x));
        let level = level(scratch, a * point.c);
        let mut others = 0.0;
        for (c, b) in beta.iter_mut().enumerate() {
            *b = bound(point, c).min((level - *b) / a);
            if c != point.class {
                others += *b;
            }
        }
        // A coefficient at its bound keeps the bits of the bound, so that it is known to be there.
        if beta[point.class] < point.c {
            beta[point.class] = (-others).min(point.c);
        }
    }

    fn loss(point: Point, scores: &[f64]) -> f64 {
        let largest = raised(point, scores).fold(f64::NEG_INFINITY, f64::max);
        point.c * (largest - scores[point.class])
    }

    fn conjugate(point: Point, beta: &[f64]) -> f64 {
        -beta[point.class]
    }

    fn settle(dense: &mut exact::Dense<'_>) -> Option<f64> {
        exact::settle_margins(dense, |point, c| (f64::NEG_INFINITY, bound(point, c)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_step_is_optimal, random_points};
    use super::*;

    #[test]
    fn a_step_leaves_no_violation_and_cannot_be_bettered() {
        for (point, scores, mut noise) in random_points(4) {
            let project = |b: &mut [f64]| {
                // The sum is made zero within the bounds by bisection on a shift.
                let (mut low, mut high) = (-1e3, 1e3);
                for _ in 0..200 {
                    let shift = f64::midpoint(low, high);
                    let sum: f64 = (0..b.len()).map(|c| bound(point, c).min(b[c] + shift)).sum();
                    if sum > 0.0 { high = shift } else { low = shift }
                }
                (0..b.len()).for_each(|c| b[c] = bound(point, c).min(b[c] + low));
            };
            assert_step_is_optimal::<CrammerSinger>(point, &scores, project, &mut noise);
        }
    }

    #[test]
    fn a_point_that_its_kernel_does_not_see_is_at_its_price() {
        let point = Point { class: 1, c: 3.0 };
        let mut beta = [0.0; 3];
        CrammerSinger::step(point, 0.0, &[0.0; 3], &mut beta, &mut Vec::new());
        assert_eq!(beta[1], 3.0);
        assert!((beta[0] + 1.5).abs() < 1e-5 && (beta[2] + 1.5).abs() < 1e-5, "{beta:?}");
        assert!(CrammerSinger::violation(point, &beta, &[0.0; 3], &mut Vec::new()) < 1e-12);
    }
}
