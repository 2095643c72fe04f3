//! The promises of every loss, and small problems against a solver that shares no code with the one tested.

use super::*;
use crate::gram::Full;
use crate::solve::{Progress, Stop, unwatched};
use std::ops::ControlFlow;

/// A generator of pseudo-random numbers in [0, 1).
pub(super) struct Noise(pub(super) u64);

impl Noise {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }
}

/// Points of `classes` classes with scores, and more noise for each.
pub(super) fn random_points(classes: usize) -> Vec<(Point, Vec<f64>, Noise)> {
    let mut noise = Noise(7);
    let one = |case: usize| {
        let point = Point { class: case % classes, c: [0.1, 1.0, 30.0][case % 3] };
        let scores = (0..classes).map(|_| 4.0 * noise.next() - 2.0).collect();
        (point, scores, Noise(case as u64))
    };
    (0..12).map(one).collect()
}

/// A step from any feasible β leaves no violation, coefficients that sum to zero, and no better neighbour.
pub(super) fn assert_step_is_optimal<P: PointProblem>(
    point: Point,
    scores: &[f64],
    project: impl Fn(&mut [f64]),
    noise: &mut Noise,
) {
    let mut scratch = Vec::new();
    for curvature in [0.1, 1.0, 7.0] {
        let mut start: Vec<f64> = scores.iter().map(|_| point.c * (noise.next() - 0.5)).collect();
        project(&mut start);
        let mut beta = start.clone();
        P::step(point, curvature, scores, &mut beta, &mut scratch);
        let after = |b: &[f64]| -> Vec<f64> {
            (0..b.len()).map(|c| scores[c] + curvature * (b[c] - start[c])).collect()
        };
        let left = P::violation(point, &beta, &after(&beta), &mut scratch);
        assert!(left < 1e-11, "{point:?} {scores:?} {curvature}: {beta:?} leaves {left}");
        let sum: f64 = beta.iter().sum();
        assert!(sum.abs() < 1e-12 * point.c, "{beta:?} sum to {sum}");
        let objective = |b: &[f64]| -> f64 {
            let step = |c: usize| b[c] - start[c];
            let smooth: f64 = (0..b.len()).map(|c| (scores[c] + 0.5 * curvature * step(c)) * step(c)).sum();
            smooth + P::conjugate(point, b)
        };
        let reached = objective(&beta);
        for trial in 0..200 {
            let reach = point.c * [1.0, 0.1, 1e-3][trial % 3];
            let mut other: Vec<f64> = beta.iter().map(|b| b + reach * (noise.next() - 0.5)).collect();
            project(&mut other);
            assert!(objective(&other) > reached - 1e-9 * (1.0 + reached.abs()), "{other:?} is better");
        }
        let gap: f64 = after(&beta).iter().zip(&beta).map(|(f, b)| f * b).sum::<f64>()
            + P::conjugate(point, &beta)
            + P::loss(point, &after(&beta));
        assert!(gap.abs() < 1e-9 * (1.0 + point.c), "a gap of {gap} at the optimum");
    }
}

/// A Gram of n points in the plane whose values are exact in single precision: x·x′ + 1, and ½ more on the diagonal.
fn small(n: usize, seed: u64) -> (Vec<Vec<f64>>, Full) {
    let mut noise = Noise(seed);
    let mut whole = || (noise.next() * 16.0).floor() / 4.0 - 2.0;
    let x: Vec<[f64; 2]> = (0..n).map(|_| [whole(), whole()]).collect();
    let k =
        |i: usize, j: usize| x[i][0] * x[j][0] + x[i][1] * x[j][1] + 1.0 + f64::from(u8::from(i == j)) / 2.0;
    let gram: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| k(i, j)).collect()).collect();
    let values = gram.iter().flatten().map(|&v| v as f32).collect();
    let full = Full::from_values(values, (0..n).map(|i| gram[i][i]).collect());
    (gram, full)
}

fn problem(loss: Loss, n: usize) -> MulticlassProblem {
    let labels = (0..n).map(|i| (i * i % 7 % 3) as u32).collect();
    MulticlassProblem { labels, classes: 3, c: (0..n).map(|i| 0.5 + (i % 4) as f64).collect(), loss }
}

fn solve(problem: &MulticlassProblem, gram: &dyn Gram, tolerance: f64) -> MulticlassSolution {
    let settings = Smo { tolerance, ..Smo::default() };
    problem.solve(&settings, gram, &mut unwatched()).expect("a sound problem")
}

/// Kβ
fn product(gram: &[Vec<f64>], beta: &[f64], classes: usize) -> Vec<f64> {
    let n = gram.len();
    let entry = |i: usize, c: usize| (0..n).map(|j| gram[i][j] * beta[j * classes + c]).sum::<f64>();
    (0..n).flat_map(|i| (0..classes).map(move |c| (i, c))).map(|(i, c)| entry(i, c)).collect()
}

/// The primal objective at functions given by β, from its definition.
fn primal(problem: &MulticlassProblem, gram: &[Vec<f64>], beta: &[f64]) -> f64 {
    let k = problem.classes;
    let f = product(gram, beta, k);
    let norm: f64 = f.iter().zip(beta).map(|(f, b)| f * b).sum();
    let loss = |i: usize| {
        let (scores, y) = (&f[i * k..(i + 1) * k], problem.labels[i] as usize);
        let hinges = (0..k).filter(|&c| c != y).map(|c| (1.0 - scores[y] + scores[c]).max(0.0));
        problem.c[i]
            * match problem.loss {
                Loss::CrammerSinger => hinges.fold(0.0, f64::max),
                Loss::WestonWatkins => hinges.sum(),
                Loss::Softmax => scores.iter().map(|f| (f - scores[y]).exp()).sum::<f64>().ln(),
            }
    };
    0.5 * norm + (0..problem.c.len()).map(loss).sum::<f64>()
}

/// The hinge losses' dual by projected gradient with momentum, and the softmax's primal by plain descent: the optimum to
/// ten digits or so on a dozen points.
fn twin(problem: &MulticlassProblem, gram: &[Vec<f64>]) -> f64 {
    let (n, k) = (gram.len(), problem.classes);
    let row_sum = |i: usize| gram[i].iter().map(|v| v.abs()).sum::<f64>();
    let largest = (0..n).map(row_sum).fold(0.0, f64::max);
    let bound = |i: usize, c: usize| if problem.labels[i] as usize == c { problem.c[i] } else { 0.0 };
    let project = |i: usize, b: &mut [f64]| {
        let y = problem.labels[i] as usize;
        if problem.loss == Loss::CrammerSinger {
            let (mut low, mut high) = (-1e4, 1e4);
            for _ in 0..100 {
                let shift = f64::midpoint(low, high);
                let sum: f64 = (0..k).map(|c| bound(i, c).min(b[c] + shift)).sum();
                if sum > 0.0 { high = shift } else { low = shift }
            }
            (0..k).for_each(|c| b[c] = bound(i, c).min(b[c] + low));
            return;
        }
        // Weston and Watkins': the nearest with b_y = −Σ others is found in a = −b by cyclic descent.
        let (v, own_class) = (b.to_vec(), b[y]);
        let mut a: Vec<f64> = v.iter().map(|b| (-b).clamp(0.0, problem.c[i])).collect();
        a[y] = 0.0;
        for _ in 0..60 {
            for c in (0..k).filter(|&c| c != y) {
                let rest: f64 = a.iter().sum::<f64>() - a[c];
                a[c] = (0.5 * (own_class - rest - v[c])).clamp(0.0, problem.c[i]);
            }
        }
        (0..k).for_each(|c| b[c] = -a[c]);
        b[y] = a.iter().sum();
    };
    let (mut beta, mut ahead, mut momentum) = (vec![0.0; n * k], vec![0.0; n * k], 1.0f64);
    let softmax_step = 1.0 / (1.0 + largest * problem.c.iter().copied().fold(0.0, f64::max));
    for round in 0..30_000 {
        let f = product(gram, &ahead, k);
        let mut next = ahead.clone();
        for i in 0..n {
            let (entries, y) = (i * k..(i + 1) * k, problem.labels[i] as usize);
            if problem.loss == Loss::Softmax {
                // Along K⁻¹ times the gradient of the primal: β + C(σ − e_y).
                let sum: f64 = f[entries.clone()].iter().map(|f| f.exp()).sum();
                for c in 0..k {
                    let target = problem.c[i] * (f64::from(u8::from(c == y)) - f[i * k + c].exp() / sum);
                    next[i * k + c] += softmax_step * (target - ahead[i * k + c]);
                }
                continue;
            }
            for c in 0..k {
                next[i * k + c] -= (f[i * k + c] - f64::from(u8::from(c == y))) / largest;
            }
            project(i, &mut next[entries]);
        }
        // Restarts damp the oscillation of the momentum.
        let grown = if round % 500 == 499 {
            1.0
        } else {
            f64::midpoint(1.0, (1.0 + 4.0 * momentum * momentum).sqrt())
        };
        let weight =
            if problem.loss == Loss::Softmax || grown == 1.0 { 0.0 } else { (momentum - 1.0) / grown };
        ahead = next.iter().zip(&beta).map(|(new, old)| new + weight * (new - old)).collect();
        (beta, momentum) = (next, grown);
    }
    if problem.loss == Loss::Softmax {
        return -primal(problem, gram, &beta);
    }
    let f = product(gram, &beta, k);
    let linear: f64 = (0..n).map(|i| beta[i * k + problem.labels[i] as usize]).sum();
    0.5 * f.iter().zip(&beta).map(|(f, b)| f * b).sum::<f64>() - linear
}

#[test]
fn objectives_agree_with_those_of_a_naive_solver() {
    for loss in Loss::ALL {
        for (n, seed) in [(5, 1), (9, 2), (12, 3)] {
            let ((values, gram), problem) = (small(n, seed), problem(loss, n));
            let solution = solve(&problem, &gram, 1e-8);
            let Certificate { objective, gap, stop, .. } = solution.certificate;
            let expected = twin(&problem, &values);
            assert_eq!(stop, Stop::Converged, "{loss} {n}");
            assert!((objective - expected).abs() < 1e-6, "{loss} {n}: {objective} for {expected}");
            assert!(gap.unwrap() < 1e-6, "{loss} {n}: a gap of {gap:?}");
        }
    }
}

#[test]
fn the_gap_is_primal_plus_dual_wherever_it_stops() {
    for loss in Loss::ALL {
        let ((values, gram), problem) = (small(12, 5), problem(loss, 12));
        for limit in [1, 3, 10, 50, 100_000] {
            let settings = Smo { iteration_limit: Some(limit), tolerance: 1e-7, ..Smo::default() };
            let solution = problem.solve(&settings, &gram, &mut unwatched()).unwrap();
            let Certificate { objective, gap, stop, iterations, .. } = solution.certificate;
            let expected = primal(&problem, &values, &solution.coefficients) + objective;
            let gap = gap.unwrap();
            assert!((gap - expected).abs() < 1e-9 * (1.0 + expected), "{loss} {limit}: {gap} for {expected}");
            assert_eq!(stop == Stop::Converged, limit == 100_000, "{loss} {limit} {stop}");
            assert!(stop == Stop::Converged || iterations == limit, "{iterations} of {limit}");
        }
    }
}

#[test]
fn the_optimality_conditions_hold() {
    let tolerance = 1e-6;
    for loss in Loss::ALL {
        let ((values, gram), problem) = (small(12, 8), problem(loss, 12));
        let beta = solve(&problem, &gram, tolerance).coefficients;
        let f = product(&values, &beta, 3);
        for i in 0..12 {
            let (y, c) = (problem.labels[i] as usize, problem.c[i]);
            let (b, f) = (&beta[i * 3..(i + 1) * 3], &f[i * 3..(i + 1) * 3]);
            assert!(b.iter().sum::<f64>().abs() < 1e-12);
            let slack = |m: usize| (1.0 - f[y] + f[m]).max(0.0);
            let worst = (0..3).filter(|&m| m != y).map(slack).fold(0.0, f64::max);
            for m in (0..3).filter(|&m| m != y) {
                let margin = f[y] - f[m];
                match loss {
                    // A class with weight is one of the worst; slack is paid in full.
                    Loss::CrammerSinger => {
                        assert!(b[m] <= 0.0 && b[y] <= c);
                        assert!(b[m] == 0.0 || (slack(m) - worst).abs() < 1e-5, "{i} {m}");
                        assert!(worst < 1e-5 || b[y] == c, "{i}");
                    }
                    Loss::WestonWatkins => {
                        assert!(-c <= b[m] && b[m] <= 0.0);
                        assert!(b[m] == 0.0 || margin < 1.0 + 1e-5, "{i} {m}");
                        assert!(b[m] == -c || margin > 1.0 - 1e-5, "{i} {m}");
                    }
                    Loss::Softmax => {
                        let sum: f64 = f.iter().map(|f| f.exp()).sum();
                        assert!((b[m] + c * f[m].exp() / sum).abs() < 1e-5 * c, "{i} {m}");
                    }
                }
            }
        }
    }
}

#[test]
fn small_working_sets_lead_to_the_same_optimum() {
    for loss in Loss::ALL {
        let ((_, gram), problem) = (small(40, 4), problem(loss, 40));
        let whole = solve(&problem, &gram, 1e-7).certificate;
        let settings = Smo { working_set: Some(3), tolerance: 1e-7, ..Smo::default() };
        let parts = problem.solve(&settings, &gram, &mut unwatched()).unwrap().certificate;
        assert_eq!((whole.stop, parts.stop), (Stop::Converged, Stop::Converged), "{loss}");
        assert!((whole.objective - parts.objective).abs() < 1e-6 * whole.objective.abs(), "{loss}");
    }
}

#[test]
fn progress_is_what_it_says_and_a_break_ends_it() {
    for loss in Loss::ALL {
        let ((_, gram), problem) = (small(40, 4), problem(loss, 40));
        let settings = Smo { working_set: Some(3), tolerance: 1e-7, ..Smo::default() };
        let mut seen: Vec<Progress> = Vec::new();
        let mut watch = |progress: &Progress| {
            seen.push(progress.told());
            if progress.rounds < 8 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let certificate = problem.solve(&settings, &gram, &mut watch).unwrap().certificate;
        assert_eq!(certificate.stop, Stop::Interrupted);
        let last = seen.last().unwrap();
        assert!(seen.is_sorted_by(|a, b| a.objective > b.objective), "{loss}: a round raises the objective");
        assert!((last.objective - certificate.objective).abs() < 1e-10 * certificate.objective.abs());
        assert_eq!((last.violation, Some(last.gap)), (certificate.violation, certificate.gap));
    }
}

#[test]
fn a_kernel_that_is_not_finite_is_named() {
    for loss in Loss::ALL {
        let mut values = vec![0.5f32; 16];
        values[4 + 2] = f32::NAN;
        values[8 + 1] = f32::NAN;
        let gram = Full::from_values(values, vec![0.5; 4]);
        let problem = MulticlassProblem { labels: vec![0, 1, 0, 1], classes: 2, c: vec![1.0; 4], loss };
        let error = problem.solve(&Smo::default(), &gram, &mut unwatched()).unwrap_err().to_string();
        assert!(error.contains("between points 2 and 3"), "{loss}: {error}");
    }
}

#[test]
fn problems_that_do_not_fit_are_refused() {
    let gram = small(4, 1).1;
    let sound =
        MulticlassProblem { labels: vec![0, 1, 2, 1], classes: 3, c: vec![1.0; 4], loss: Loss::Softmax };
    let refused =
        |problem: MulticlassProblem| problem.solve(&Smo::default(), &gram, &mut unwatched()).is_err();
    assert!(refused(MulticlassProblem { labels: vec![0, 1, 2], ..sound.clone() }));
    assert!(refused(MulticlassProblem { labels: vec![0, 1, 3, 1], ..sound.clone() }));
    assert!(refused(MulticlassProblem { c: vec![1.0, 0.0, 1.0, 1.0], ..sound.clone() }));
    assert!(refused(MulticlassProblem { classes: 1, labels: vec![0; 4], ..sound.clone() }));
    assert!(!refused(sound));
}
