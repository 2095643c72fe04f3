//! The climb against the formulas written out with dense matrices.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use super::{Classes, Climb, Columns, Relevant, classify, pull_of_numbers, regress};

/// Numbers that look random, from −1 to 1.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// A constant and a Gaussian at each point of a line, and a noisy target.
fn problem(n: usize, gamma: f64, seed: u64) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut draw = noise(seed);
    let x: Vec<f64> = (0..n).map(|i| -10.0 + 20.0 * i as f64 / (n - 1) as f64).collect();
    let mut columns = vec![vec![1.0; n]];
    columns.extend(x.iter().map(|c| x.iter().map(|x| (-gamma * (x - c) * (x - c)).exp()).collect()));
    let t = x.iter().map(|x| if *x == 0.0 { 1.0 } else { x.sin() / x } + 0.15 * draw()).collect();
    (columns, t)
}

fn climb(tolerance: f64) -> Climb {
    Climb::new(tolerance, 5000, None)
}

fn fitted(columns: &[Vec<f64>], t: &[f64], climb: &Climb) -> Relevant {
    let n = t.len();
    let matrix = Columns::new(&vec![1.0; n], &columns.concat());
    regress(&matrix, t, &vec![1.0; n], climb, &mut |_| ControlFlow::Continue(()))
}

/// −½(n log 2π + log|C| + tᵀC⁻¹t) with C = 1/β + Σ φφᵀ/α, by elimination.
fn evidence(columns: &[&Vec<f64>], alpha: &[f64], noise: f64, t: &[f64]) -> f64 {
    let n = t.len();
    let mut c = vec![vec![0.0; n + 1]; n];
    for i in 0..n {
        for j in 0..n {
            c[i][j] = columns.iter().zip(alpha).map(|(column, a)| column[i] * column[j] / a).sum();
        }
        c[i][i] += noise;
        c[i][n] = t[i];
    }
    let (mut log, mut quadratic) = (0.0, 0.0);
    for i in 0..n {
        log += c[i][i].ln();
        quadratic += c[i][n] * c[i][n] / c[i][i];
        for r in i + 1..n {
            let f = c[r][i] / c[i][i];
            for k in i..=n {
                let value = c[i][k];
                c[r][k] -= f * value;
            }
        }
    }
    -0.5 * (n as f64 * (2.0 * PI).ln() + log + quadratic)
}

#[test]
fn the_evidence_is_that_of_the_covariance_and_flat_in_every_parameter() {
    for seed in 0..5 {
        let (columns, t) = problem(40, 0.1, seed);
        let found = fitted(&columns, &t, &climb(1e-6));
        assert!(found.converged && found.gradient < 1e-7, "{found:?}");
        let own: Vec<&Vec<f64>> = found.posterior.columns.iter().map(|&c| &columns[c]).collect();
        let at = |alpha: &[f64], noise: f64| evidence(&own, alpha, noise, &t);
        let alpha = &found.posterior.alpha;
        assert!((at(alpha, found.noise) - found.evidence).abs() < 1e-7 * found.evidence.abs());
        // The derivative in the logarithm of each α, and of the noise, by differences.
        let h = 1e-4_f64;
        for i in 0..alpha.len() {
            let moved = |by: f64| {
                let mut alpha = alpha.clone();
                alpha[i] *= by.exp();
                at(&alpha, found.noise)
            };
            let slope = (moved(h) - moved(-h)) / (2.0 * h);
            assert!(slope.abs() < 1e-5, "{seed} {i}: {slope}");
        }
        let slope = (at(alpha, found.noise * h.exp()) - at(alpha, found.noise * (-h).exp())) / (2.0 * h);
        assert!(slope.abs() < 1e-5, "{seed}: {slope} in the noise");
        // No column that is not in the model raises the evidence by more than the tolerance, whatever its α.
        for other in 0..columns.len() {
            if found.posterior.columns.contains(&other) {
                continue;
            }
            let best = (-40..60).map(|power| {
                let (mut own, mut alpha) = (own.clone(), alpha.clone());
                own.push(&columns[other]);
                alpha.push(1.5_f64.powi(power));
                evidence(&own, &alpha, found.noise, &t)
            });
            let best = best.fold(f64::NEG_INFINITY, f64::max);
            assert!(best < found.evidence + 2e-6, "{seed}: {other} gains {}", best - found.evidence);
        }
    }
}

/// Batch updates (MacKay) of α and noise from a start, to convergence: the evidence they reach.
fn batch(columns: &[&Vec<f64>], mut alpha: Vec<f64>, mut noise: f64, t: &[f64]) -> f64 {
    let (n, m) = (t.len(), columns.len());
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for _ in 0..5_000 {
        // [H | I | Φᵀt/noise] by Gauss–Jordan.
        let mut h: Vec<Vec<f64>> = (0..m)
            .map(|i| {
                let mut row: Vec<f64> = (0..m).map(|j| dot(columns[i], columns[j]) / noise).collect();
                row[i] += alpha[i];
                row.extend((0..m).map(|j| f64::from(u8::from(i == j))));
                row.push(dot(columns[i], t) / noise);
                row
            })
            .collect();
        for i in 0..m {
            let pivot = h[i][i];
            h[i].iter_mut().for_each(|v| *v /= pivot);
            for r in 0..m {
                if r != i {
                    let (f, row) = (h[r][i], h[i].clone());
                    h[r].iter_mut().zip(&row).for_each(|(v, w)| *v -= f * w);
                }
            }
        }
        let gamma: Vec<f64> = (0..m).map(|i| 1.0 - alpha[i] * h[i][m + i]).collect();
        let mean: Vec<f64> = (0..m).map(|i| h[i][2 * m]).collect();
        let residual: f64 =
            (0..n).map(|p| (t[p] - (0..m).map(|i| mean[i] * columns[i][p]).sum::<f64>()).powi(2)).sum();
        (0..m).for_each(|i| alpha[i] = gamma[i] / (mean[i] * mean[i]));
        noise = residual / (n as f64 - gamma.iter().sum::<f64>());
    }
    evidence(columns, &alpha, noise, t)
}

#[test]
fn batch_updates_of_the_same_columns_reach_the_same_evidence() {
    for seed in 0..3 {
        let (columns, t) = problem(30, 0.2, seed);
        let found = fitted(&columns, &t, &climb(1e-6));
        let own: Vec<&Vec<f64>> = found.posterior.columns.iter().map(|&c| &columns[c]).collect();
        // From a start that is far away.
        let reached = batch(&own, vec![1.0; own.len()], 0.05, &t);
        assert!((reached - found.evidence).abs() < 1e-6, "{seed}: {reached} {}", found.evidence);
    }
}

#[test]
fn the_posterior_is_that_of_the_normal_equations() {
    let (columns, t) = problem(25, 0.3, 7);
    let found = fitted(&columns, &t, &climb(1e-4));
    let (own, m) = (&found.posterior, found.posterior.columns.len());
    let phi: Vec<&Vec<f64>> = own.columns.iter().map(|&c| &columns[c]).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for i in 0..m {
        // Row i of H times the mean is that of Φᵀt/noise; of H times the covariance that of the identity.
        let row: Vec<f64> = (0..m)
            .map(|j| dot(phi[i], phi[j]) / found.noise + if i == j { own.alpha[i] } else { 0.0 })
            .collect();
        let (left, right) = (dot(&row, &own.mean), dot(phi[i], &t) / found.noise);
        assert!((left - right).abs() < 1e-8 * right.abs().max(1.0), "{left} {right}");
        for j in 0..m {
            let covariance: Vec<f64> =
                (0..m).map(|k| dot(&own.root[k * m..(k + 1) * m], &own.root[j * m..(j + 1) * m])).collect();
            let expected = f64::from(u8::from(i == j));
            assert!((dot(&row, &covariance) - expected).abs() < 1e-7, "{i} {j}");
        }
    }
}

#[test]
fn a_target_without_anything_to_explain_has_no_relevant_column() {
    let (columns, _) = problem(20, 0.1, 1);
    let found = fitted(&columns, &[0.0; 20], &climb(1e-3));
    assert!(found.posterior.columns.is_empty() && found.converged, "{found:?}");
}

/// A Gaussian at each point of some features, a constant, and a target without or with a little noise: such targets are interpolated
/// by narrow kernels.
fn smooth(seed: u64) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut draw = noise(seed);
    let (n, features) = (20 + (seed as usize * 13) % 60, 1 + seed as usize % 4);
    let gamma = 10_f64.powf(2.0 * draw());
    let mut x: Vec<Vec<f64>> = (0..n).map(|_| (0..features).map(|_| draw()).collect()).collect();
    if seed.is_multiple_of(3) {
        (0..n / 4).for_each(|i| x[i] = x[n - 1 - i].clone());
    }
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let mut columns = vec![vec![1.0; n]];
    columns.extend(x.iter().map(|c| x.iter().map(|x| (-gamma * near(c, x)).exp()).collect()));
    let spread = if seed.is_multiple_of(2) { 0.0 } else { 0.1 };
    let t = x.iter().map(|x| x.iter().map(|x| (3.0 * x).sin()).sum::<f64>() + spread * draw()).collect();
    (columns, t)
}

#[test]
fn a_climb_counts_as_converged_only_where_it_is_flat() {
    let (mut interpolated, mut checked) = (0, 0);
    for seed in 0..40 {
        let (columns, t) = smooth(seed);
        let found = fitted(&columns, &t, &climb(1e-3));
        let mean = t.iter().sum::<f64>() / t.len() as f64;
        let variance = t.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / t.len() as f64;
        // The noise ends at the least that it may be.
        let bound = found.noise < 1.000_001e-6 * variance;
        interpolated += usize::from(bound);
        assert!(found.converged && found.gradient < 1e-6, "{seed}: {} {}", found.gradient, found.steps);
        let own: Vec<&Vec<f64>> = found.posterior.columns.iter().map(|&c| &columns[c]).collect();
        let at = |alpha: &[f64], noise: f64| evidence(&own, alpha, noise, &t);
        // The dense formula has no digits left for differences where weights are large beside the noise.
        let squares =
            own.iter().zip(&found.posterior.alpha).map(|(c, a)| c.iter().map(|v| v * v).sum::<f64>() / a);
        if squares.sum::<f64>() > 1e10 * found.noise {
            continue;
        }
        checked += usize::from(bound);
        let h = 1e-2_f64;
        for i in 0..own.len() {
            let moved = |by: f64| {
                let mut alpha = found.posterior.alpha.clone();
                alpha[i] *= by.exp();
                at(&alpha, found.noise)
            };
            // The error of the difference is h²/6 times a third derivative, at most about 1.
            let slope = (moved(h) - moved(-h)) / (2.0 * h);
            assert!(slope.abs() < 1e-3, "{seed} {i}: {slope}");
        }
        let alpha = &found.posterior.alpha;
        let slope = (at(alpha, found.noise * h.exp()) - at(alpha, found.noise * (-h).exp())) / (2.0 * h);
        assert!(if bound { slope < 1e-2 } else { slope.abs() < 1e-2 }, "{seed}: {slope} in the noise");
    }
    assert!(interpolated >= 10 && checked >= 5, "{interpolated} {checked}");
}

#[test]
fn a_constant_target_is_explained_by_the_constant_in_few_steps() {
    for (seed, value) in [(0, 1.0), (3, -7.0), (12, 1e-3), (20, 1e6)] {
        let (columns, t) = smooth(seed);
        let found = fitted(&columns, &vec![value; t.len()], &climb(1e-3));
        assert!(found.converged && found.steps < 100, "{seed}: {}", found.steps);
        assert_eq!(found.posterior.columns, [0], "{seed}");
        assert!((found.posterior.mean[0] / value - 1.0).abs() < 1e-9);
    }
}

#[test]
fn given_noise_is_not_changed() {
    let (columns, t) = problem(30, 0.2, 3);
    let found = fitted(&columns, &t, &Climb { noise: Some(0.01), ..climb(1e-3) });
    assert_eq!(found.noise, 0.01);
    assert!(found.converged && found.gradient < 1e-7);
}

/// The solution of a system of equations and the logarithm of its determinant, by elimination.
fn eliminated(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> (Vec<f64>, f64) {
    let (m, mut log) = (right.len(), 0.0);
    for i in 0..m {
        log += matrix[i][i].ln();
        for r in i + 1..m {
            let f = matrix[r][i] / matrix[i][i];
            let row = matrix[i].clone();
            matrix[r].iter_mut().zip(&row).for_each(|(value, above)| *value -= f * above);
            right[r] -= f * right[i];
        }
    }
    for i in (0..m).rev() {
        let sum: f64 = (i + 1..m).map(|j| matrix[i][j] * right[j]).sum();
        right[i] = (right[i] - sum) / matrix[i][i];
    }
    (right, log)
}

/// Laplace's approximation of the log evidence of a softmax over functions, one of which may be left out: it is then zero everywhere.
/// `columns` have a function each; `truth` is the class of each point. Newton steps from zero, all written out.
fn laplace(columns: &[(&Vec<f64>, usize)], alpha: &[f64], truth: &[usize], classes: usize) -> f64 {
    let (n, m) = (truth.len(), columns.len());
    let mut w = vec![0.0; m];
    let shares = |w: &[f64], p: usize| {
        let mut f = vec![0.0; classes];
        columns.iter().zip(w).for_each(|((column, function), w)| f[*function] += w * column[p]);
        let sum: f64 = f.iter().map(|f| f.exp()).sum();
        f.iter().map(|f| f.exp() / sum).collect::<Vec<_>>()
    };
    let mut log = 0.0;
    for _ in 0..200 {
        let y: Vec<Vec<f64>> = (0..n).map(|p| shares(&w, p)).collect();
        let slope: Vec<f64> = (0..m)
            .map(|i| {
                let (column, k) = columns[i];
                let missed = |p: usize| f64::from(u8::from(truth[p] == k)) - y[p][k];
                (0..n).map(|p| column[p] * missed(p)).sum::<f64>() - alpha[i] * w[i]
            })
            .collect();
        let mut h = vec![vec![0.0; m]; m];
        for i in 0..m {
            for j in 0..m {
                let ((a, k), (b, l)) = (columns[i], columns[j]);
                let curve = |p: usize| y[p][k] * (f64::from(u8::from(k == l)) - y[p][l]);
                h[i][j] = (0..n).map(|p| a[p] * b[p] * curve(p)).sum();
            }
            h[i][i] += alpha[i];
        }
        let (step, now) = eliminated(h, slope);
        log = now;
        // Small steps at first: a whole one may overshoot.
        let most = step.iter().fold(0.0, |most: f64, s| s.abs().max(most));
        w.iter_mut().zip(&step).for_each(|(w, s)| *w += s * (20.0 / most.max(20.0)));
        if most < 1e-13 {
            break;
        }
    }
    let likelihood: f64 = (0..n).map(|p| shares(&w, p)[truth[p]].ln()).sum();
    let prior: f64 = w.iter().zip(alpha).map(|(w, a)| a * w * w - a.ln()).sum();
    likelihood - 0.5 * (prior + log)
}

/// Whether an evidence is that of Laplace's formulas, and flat in every α by differences.
fn assert_flat(found: &Relevant, columns: &[Vec<f64>], truth: &[usize], functions: usize) {
    assert!(found.converged && found.gradient < 1e-7, "{found:?}");
    let (own, count) = (&found.posterior, columns.len());
    // One function is that of class 1; class 0 has none.
    let first = usize::from(functions == 1);
    let chosen: Vec<(&Vec<f64>, usize)> =
        own.columns.iter().map(|&c| (&columns[c % count], c / count + first)).collect();
    let at = |alpha: &[f64]| laplace(&chosen, alpha, truth, functions.max(2));
    let here = at(&own.alpha);
    assert!((here - found.evidence).abs() < 1e-6 * here.abs(), "{here} {}", found.evidence);
    let h = 1e-3_f64;
    for i in 0..own.alpha.len() {
        let moved = |by: f64| {
            let mut alpha = own.alpha.clone();
            alpha[i] *= by.exp();
            at(&alpha)
        };
        let slope = (moved(h) - moved(-h)) / (2.0 * h);
        assert!(slope.abs() < 1e-5, "{i}: {slope}");
    }
}

fn members(truth: &[usize], class: usize) -> Vec<f64> {
    truth.iter().map(|&t| f64::from(u8::from(t == class))).collect()
}

#[test]
fn the_evidence_of_two_classes_is_laplaces_and_flat_in_every_parameter() {
    for seed in 0..4 {
        let (columns, t) = problem(60, 0.2, seed);
        let truth: Vec<usize> = t.iter().map(|t| usize::from(*t > 0.1)).collect();
        let matrix = Columns::new(&[1.0; 60], &columns.concat());
        let two = |members| {
            let problem = Classes { columns: &matrix, members, weights: &[1.0; 60] };
            classify(&problem, &climb(1e-3), &mut |_| ControlFlow::Continue(()))
        };
        let found = two(vec![members(&truth, 1)]);
        assert_flat(&found, &columns, &truth, 1);
        // A softmax of two functions is the logistic function of their difference.
        let both = two(vec![members(&truth, 0), members(&truth, 1)]);
        assert!((both.evidence - found.evidence).abs() < 0.5, "{} {}", both.evidence, found.evidence);
    }
}

#[test]
fn the_evidence_of_a_softmax_is_laplaces_and_flat_in_every_parameter() {
    for seed in 0..3 {
        let (columns, t) = problem(60, 0.2, seed);
        let truth: Vec<usize> = t.iter().map(|t| usize::from(*t > 0.1) + usize::from(*t > 0.4)).collect();
        let matrix = Columns::new(&[1.0; 60], &columns.concat());
        let all = (0..3).map(|class| members(&truth, class)).collect();
        let problem = Classes { columns: &matrix, members: all, weights: &[1.0; 60] };
        let found = classify(&problem, &climb(1e-3), &mut |_| ControlFlow::Continue(()));
        assert_flat(&found, &columns, &truth, 3);
    }
}

#[test]
fn wide_kernels_that_explain_classes_only_together_are_found() {
    // A line in which the classes are the two halves: no single wide Gaussian tells them apart.
    let n = 40;
    let x: Vec<f64> = (0..n).map(|i| -1.0 + 2.0 * i as f64 / (n - 1) as f64).collect();
    let mut columns = vec![vec![1.0; n]];
    columns.extend(x.iter().map(|c| x.iter().map(|x| (-0.01 * (x - c) * (x - c)).exp()).collect()));
    let mut truth: Vec<usize> = x.iter().map(|x| usize::from(*x > 0.0)).collect();
    (truth[3], truth[17], truth[22], truth[36]) = (1, 1, 0, 0);
    let matrix = Columns::new(&vec![1.0; n], &columns.concat());
    let problem = Classes { columns: &matrix, members: vec![members(&truth, 1)], weights: &vec![1.0; n] };
    let found = classify(&problem, &climb(1e-3), &mut |_| ControlFlow::Continue(()));
    assert!(found.posterior.columns.len() >= 2 && found.evidence > -25.0, "{found:?}");
}

/// The columns of [`problem`] for another width.
fn columns_of(n: usize, gamma: f64) -> Vec<Vec<f64>> {
    problem(n, gamma, 0).0
}

/// Σ Dₙᵢ ∂Φₙᵢ/∂log γ over the columns of a model.
fn along(found: &Relevant, pull: &[Vec<f64>], n: usize, gamma: f64) -> f64 {
    let h = 1e-5_f64;
    let (more, less) = (columns_of(n, gamma * h.exp()), columns_of(n, gamma * (-h).exp()));
    let of = |(&c, pull): (&usize, &Vec<f64>)| {
        let c = c % more.len();
        (0..n).map(|p| pull[p] * (more[c][p] - less[c][p]) / (2.0 * h)).sum::<f64>()
    };
    found.posterior.columns.iter().zip(pull).map(of).sum()
}

#[test]
fn the_derivative_in_a_width_is_that_by_differences() {
    let (n, gamma, h) = (50, 0.3, 1e-4_f64);
    let (columns, t) = problem(n, gamma, 2);
    let found = fitted(&columns, &t, &climb(1e-6));
    let matrix = Columns::new(&vec![1.0; n], &columns.concat());
    let slope = along(&found, &pull_of_numbers(&matrix, &t, &vec![1.0; n], &found), n, gamma);
    let at = |gamma: f64| {
        let columns = columns_of(n, gamma);
        let own: Vec<&Vec<f64>> = found.posterior.columns.iter().map(|&c| &columns[c]).collect();
        evidence(&own, &found.posterior.alpha, found.noise, &t)
    };
    let expected = (at(gamma * h.exp()) - at(gamma * (-h).exp())) / (2.0 * h);
    assert!((slope - expected).abs() < 1e-4 * expected.abs().max(1.0), "{slope} {expected}");

    let truth: Vec<usize> = t.iter().map(|t| usize::from(*t > 0.1) + usize::from(*t > 0.4)).collect();
    let all = (0..3).map(|class| members(&truth, class)).collect();
    let classes = Classes { columns: &matrix, members: all, weights: &vec![1.0; n] };
    let found = classify(&classes, &climb(1e-3), &mut |_| ControlFlow::Continue(()));
    let slope = along(&found, &classes.pull(&found), n, gamma);
    let at = |gamma: f64| {
        let columns = columns_of(n, gamma);
        let own: Vec<(&Vec<f64>, usize)> = found
            .posterior
            .columns
            .iter()
            .map(|&c| (&columns[c % columns.len()], c / columns.len()))
            .collect();
        laplace(&own, &found.posterior.alpha, &truth, 3)
    };
    let expected = (at(gamma * h.exp()) - at(gamma * (-h).exp())) / (2.0 * h);
    assert!((slope - expected).abs() < 1e-4 * expected.abs().max(1.0), "{slope} {expected}");
}

/// What a climb has reached after each number of steps up to where it ends.
fn reached(fit: impl Fn(u64) -> Relevant) -> Vec<Relevant> {
    let mut all: Vec<Relevant> = Vec::new();
    for steps in 1..60 {
        let next = fit(steps);
        let ended = next.converged;
        all.push(next);
        if ended {
            break;
        }
    }
    all
}

/// A column may leave for half of the least gain, and rounding takes a share of the evidence.
fn assert_rises(all: &[Relevant], least: f64, what: &str) {
    assert!(all.len() > 2, "{what}: {} steps", all.len());
    for pair in all.windows(2) {
        let (before, after) = (pair[0].evidence, pair[1].evidence);
        assert!(after >= before - least - 1e-9 * before.abs(), "{what}: {before} {after}");
    }
}

#[test]
fn the_evidence_never_falls_along_a_climb() {
    let least = 1e-6;
    for seed in 0..6 {
        let n = 40;
        let (columns, t) = problem(n, [0.02, 0.1, 0.5][seed as usize % 3], seed);
        let (matrix, weights) = (Columns::new(&vec![1.0; n], &columns.concat()), vec![1.0; n]);
        let numbers = |steps: u64| {
            let climb = Climb::new(least, steps, Some(0.01));
            regress(&matrix, &t, &weights, &climb, &mut |_| ControlFlow::Continue(()))
        };
        assert_rises(&reached(numbers), least, &format!("numbers {seed}"));
        let truth: Vec<usize> = t.iter().map(|t| usize::from(*t > 0.1) + usize::from(*t > 0.4)).collect();
        let two = vec![truth.iter().map(|&t| f64::from(u8::from(t > 0))).collect()];
        let all = (0..3).map(|class| members(&truth, class)).collect();
        for (members, what) in [(two, "two classes"), (all, "softmax")] {
            let members: Vec<Vec<f64>> = members;
            let classes = |steps: u64| {
                let problem = Classes { columns: &matrix, members: members.clone(), weights: &weights };
                let climb = Climb::new(least, steps, None);
                classify(&problem, &climb, &mut |_| ControlFlow::Continue(()))
            };
            assert_rises(&reached(classes), least, &format!("{what} {seed}"));
        }
    }
}
