//! Newton's method in all log α and log β at once, for the end of the climb: steps by single columns converge slowly where
//! columns are nearly collinear.

use std::ops::ControlFlow;

use super::evidence::Evidence;
use crate::linalg::{Cholesky, Lower, dot};

/// Changes of the damping that are tried in a step.
const TRIALS: usize = 20;

/// The largest change of log α and of log β in a step.
const LONGEST: (f64, f64) = (3.0, 1.0);

/// The gradient of the log evidence in (log α, log β), and its matrix of second derivatives.
///
/// With T = A^½ΣA^½ and u = A^½μ: ∂/∂log αᵢ = ½(1 − Tᵢᵢ − uᵢ²), and ∂²/∂log αᵢ∂log αⱼ = ½Tᵢⱼ² + uᵢuⱼTᵢⱼ + δᵢⱼ(gᵢ − ½).
fn derivatives(model: &Evidence<'_>, with_noise: bool) -> (Vec<f64>, Vec<f64>) {
    let m = model.active.len();
    let places: Vec<Vec<f64>> = model.active.iter().map(|&column| model.span.place(column)).collect();
    let solved: Vec<Vec<f64>> = places.iter().map(|place| model.solved(place)).collect();
    let roots: Vec<f64> = model.alpha.iter().map(|alpha| alpha.sqrt()).collect();
    let mut t = vec![0.0; m * m];
    for i in 0..m {
        for j in 0..=i {
            let value = f64::from(u8::from(i == j))
                - model.beta * dot(&places[i], &solved[j]) / (roots[i] * roots[j]);
            (t[i * m + j], t[j * m + i]) = (value, value);
        }
    }
    let u: Vec<f64> =
        solved.iter().zip(&roots).map(|(g, root)| model.beta * dot(g, &model.span.target) / root).collect();
    let width = m + usize::from(with_noise);
    let (mut gradient, mut second) = (vec![0.0; width], vec![0.0; width * width]);
    for i in 0..m {
        gradient[i] = 0.5 * (1.0 - t[i * m + i] - u[i] * u[i]);
        for j in 0..m {
            let t = t[i * m + j];
            second[i * width + j] = 0.5 * t * t + u[i] * u[j] * t;
        }
        second[i * width + i] += gradient[i] - 0.5;
    }
    if with_noise {
        let misfit = model.beta * model.residual();
        let degrees: f64 = (0..m).map(|i| 1.0 - t[i * m + i]).sum();
        gradient[m] = 0.5 * (model.total - misfit - degrees);
        let mut own = -misfit;
        for j in 0..m {
            let row = &t[j * m..(j + 1) * m];
            let (v, square) = (dot(row, &u), dot(row, row));
            let mixed = 0.5 * (t[j * m + j] - square) - v * u[j];
            (second[j * width + m], second[m * width + j]) = (mixed, mixed);
            own += 2.0 * u[j] * v - (t[j * m + j] - square);
        }
        second[m * width + m] = 0.5 * own;
    }
    (gradient, second)
}

/// The largest derivative of the log evidence.
pub(super) fn gradient(model: &Evidence<'_>, with_noise: bool) -> f64 {
    derivatives(model, with_noise).0.iter().fold(0.0, |most, g| g.abs().max(most))
}

/// Climbs by at most so many steps, or until all derivatives are below the tolerance; β stays below `cap`. G⁻¹ is that of the last
/// step, the statistics of the candidates are not.
pub(super) fn ascend(model: &mut Evidence<'_>, cap: Option<f64>, tolerance: f64, steps: usize) {
    let (mut damping, mut reached) = (1e-3, model.log());
    for _ in 0..steps {
        let (gradient, second) = derivatives(model, cap.is_some());
        let largest = gradient.iter().fold(0.0, |most: f64, g| g.abs().max(most));
        if largest < tolerance {
            break;
        }
        let (alpha, beta) = (model.alpha.clone(), model.beta);
        let mut risen = false;
        for _ in 0..TRIALS {
            if let Some(step) = damped(&gradient, &second, damping) {
                let least = model.least_alpha();
                let moved = |(alpha, step): (&f64, &f64)| {
                    (alpha * step.clamp(-LONGEST.0, LONGEST.0).exp()).max(least)
                };
                model.alpha = alpha.iter().zip(&step).map(moved).collect();
                if let Some(cap) = cap {
                    model.beta = (beta * step[alpha.len()].clamp(-LONGEST.1, LONGEST.1).exp()).min(cap);
                }
                if model.factorise() {
                    let now = model.log();
                    // Near the maximum rounding decides whether the evidence rises.
                    if now >= reached - 1e-13 * reached.abs() {
                        risen = now > reached || largest < 1e-5;
                        reached = now.max(reached);
                        damping = (damping * 0.1).max(1e-12);
                        break;
                    }
                }
            }
            damping = (damping * 10.0).max(1e-6);
        }
        if !risen {
            (model.alpha, model.beta) = (alpha, beta);
            model.factorise();
            break;
        }
    }
}

/// The solution of (τI − second) x = gradient; none where the matrix is not definite.
fn damped(gradient: &[f64], second: &[f64], damping: f64) -> Option<Vec<f64>> {
    let n = gradient.len();
    let mut matrix = Lower::<f64>::zeros(n);
    for i in 0..n {
        matrix.row_mut(i).iter_mut().zip(&second[i * n..]).for_each(|(value, second)| *value = -second);
    }
    matrix.add_diagonal(|_| damping);
    let factor = Cholesky::new(matrix, &mut |_| ControlFlow::Continue(())).ok()?;
    let mut step = vec![gradient.to_vec()];
    factor.solve(&mut step);
    step.pop()
}
