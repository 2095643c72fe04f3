//! One class: the plane with a share ν of the points on the side of the origin.
//!
//!   minimise ½‖w‖² − ρ + Σ uᵢ max(0, ρ − ⟨w, xᵢ⟩),   uᵢ = vᵢ/(ν Σ v),
//!
//! where v are the weights of the points (Schölkopf, Platt, Shawe-Taylor, Smola and Williamson 2001; LIBLINEAR's one-class problem is
//! this one with w and ρ multiplied by νn). The dual: minimise ½‖Σ βx‖² over 0 ≤ β ≤ u with Σ β = 1. With κb = 1 − ρ this is the hinge
//! problem whose free offset, the weight of a constant feature κ, has a price, which [`newton`](super::newton) solves.
//!
//! **Units.** Its smoothing is made for outputs of size 1, so w and ρ are counted in units of s, the mean of ‖x‖²: all prices are divided
//! by s, and the objective by s². The constant feature is κ = √s, as large as the others: the problem of points ten times as large is then the
//! same one to rounding.
//!
//! **The origin.** Where it lies among the points, Σ βx = 0 for some β, the optimum is 0 and so is f: no plane has the origin on its other
//! side. That is proved by a bound ½‖Σ βx‖² that is 0 to rounding, and the answer is then w = 0 and ρ = 0. Whether it lies among them does
//! not depend on the units of a feature, but how near a solver comes to 0 does: where it comes to no end, all
//! features are brought to one size.

use super::design::Design;
use super::newton::{self, ZERO};
use super::{Answer, Cost, Limits, Problem};
use crate::data::{Points, Scaler, Vectors};
use crate::solve::{Stop, Watch};

/// Finds w and, as the last weight, −ρ, for points `x` with the `weights` v; and whether the origin lies among the points.
pub(crate) fn one_class(
    x: &Vectors,
    weights: &[f64],
    nu: f64,
    limits: &Limits,
    watch: Watch<'_>,
) -> (Answer, bool) {
    let (mut answer, unit, mut inside) = solved(x, weights, nu, limits, watch);
    let lost = matches!(answer.certificate.stop, Stop::Stalled | Stop::IterationLimit);
    if !inside && lost && x.width() <= x.len() {
        let (even, _, about) = solved(&of_one_size(x), weights, nu, limits, watch);
        if about {
            inside = true;
            answer.dual = even.dual;
            answer.certificate.stop = even.certificate.stop;
            answer.certificate.violation = even.certificate.violation;
            let sum = Design::new(x, 0.0).sum(&all(x), &answer.dual);
            answer.certificate.objective = 0.5 * sum.iter().map(|s| s * s).sum::<f64>();
        }
    }
    let certificate = &mut answer.certificate;
    if inside {
        // At w = 0 the primal objective is 0, and the gap is what the bound leaves.
        certificate.gap = Some(certificate.objective);
        answer.weights.fill(0.0);
    } else {
        answer.weights.iter_mut().skip(x.width()).for_each(|b| *b = *b * unit.sqrt() - 1.0);
        answer.weights.iter_mut().for_each(|w| *w *= unit);
    }
    (answer, inside)
}

/// The answer, its weights in units of the mean of ‖x‖², which comes second; and whether the bound is 0.
fn solved(x: &Vectors, weights: &[f64], nu: f64, limits: &Limits, watch: Watch<'_>) -> (Answer, f64, bool) {
    let mean = Design::new(x, 0.0).norms().iter().sum::<f64>() / x.len().max(1) as f64;
    let unit = if mean > 0.0 { mean } else { 1.0 };
    let share = nu * weights.iter().sum::<f64>() * unit;
    let prices: Vec<f64> = weights.iter().map(|weight| weight / share).collect();
    let problem = Problem {
        x: Design::new(x, unit.sqrt()),
        targets: &vec![1.0; x.len()],
        prices: &prices,
        cost: Cost::Hinge,
        free_offset: true,
        offset_price: 1.0 / unit,
    };
    let mut answer = newton::solve(&problem, None, limits, watch);
    let certificate = &mut answer.certificate;
    // In the units of the solver the objective is as large as the price of the offset.
    let inside = certificate.objective <= ZERO * problem.offset_price;
    certificate.objective *= unit * unit;
    certificate.violation *= unit;
    certificate.gap = certificate.gap.map(|gap| gap * unit * unit);
    answer.dual.iter_mut().for_each(|b| *b *= unit);
    (answer, unit, inside)
}

/// The points with a mean square of 1 in each feature.
fn of_one_size(x: &Vectors) -> Vectors {
    let squares = Design::new(x, 0.0).squares(&all(x), &vec![1.0; x.len()]);
    let size = |sum: &f64| if *sum > 0.0 { (sum / x.len() as f64).sqrt() } else { 1.0 };
    let deviation: Vec<f64> = squares.iter().map(size).collect();
    Scaler::Standard { mean: vec![0.0; x.width()], deviation }.apply(x)
}

fn all(x: &Vectors) -> Vec<u32> {
    (0..x.len() as u32).collect()
}
