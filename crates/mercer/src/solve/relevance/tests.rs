//! The climb against the formulas written out with dense matrices.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use super::{Climb, Columns, Relevant, classify, regress};

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

fn variance(t: &[f64]) -> f64 {
    let mean = t.iter().sum::<f64>() / t.len() as f64;
    t.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / t.len() as f64
}

fn climb(tolerance: f64) -> Climb {
    Climb { tolerance, steps: 5000, noise: None }
}

fn fitted(columns: &[Vec<f64>], t: &[f64], climb: &Climb) -> Relevant {
    let n = t.len();
    let matrix = Columns::new(n, columns.concat());
    regress(&matrix, t.to_vec(), n as f64, variance(t), climb, &mut |_| ControlFlow::Continue(()))
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
    let matrix = Columns::new(20, columns.concat());
    let found = regress(&matrix, vec![0.0; 20], 20.0, 1.0, &climb(1e-3), &mut |_| ControlFlow::Continue(()));
    assert!(found.posterior.columns.is_empty() && found.converged, "{found:?}");
}

#[test]
fn given_noise_is_not_changed() {
    let (columns, t) = problem(30, 0.2, 3);
    let found = fitted(&columns, &t, &Climb { noise: Some(0.01), ..climb(1e-3) });
    assert_eq!(found.noise, 0.01);
    assert!(found.converged && found.gradient < 1e-7);
}

#[test]
fn classes_are_at_the_mode_and_the_precisions_at_their_fixed_point() {
    for seed in 0..4 {
        let (columns, t) = problem(60, 0.2, seed);
        let classes: Vec<f64> = t.iter().map(|t| f64::from(u8::from(*t > 0.1))).collect();
        let matrix = Columns::new(60, columns.concat());
        let found = classify(&matrix, &classes, &[1.0; 60], &climb(1e-3), &mut |_| ControlFlow::Continue(()));
        assert!(found.converged, "{seed}: {found:?}");
        let own = &found.posterior;
        let m = own.columns.len();
        let f: Vec<f64> =
            (0..60).map(|p| (0..m).map(|i| own.mean[i] * columns[own.columns[i]][p]).sum()).collect();
        for i in 0..m {
            let column = &columns[own.columns[i]];
            // The derivative of the log of likelihood times prior.
            let slope: f64 = (0..60).map(|p| column[p] * (classes[p] - 1.0 / (1.0 + (-f[p]).exp()))).sum();
            assert!((slope - own.alpha[i] * own.mean[i]).abs() < 1e-5, "{seed} {i}");
            // α = γ/w² with γ = 1 − αΣ.
            let covariance: f64 = own.root[i * m..(i + 1) * m].iter().map(|u| u * u).sum();
            let gamma = 1.0 - own.alpha[i] * covariance;
            assert!((own.alpha[i] * own.mean[i].powi(2) / gamma - 1.0).abs() < 1e-4, "{seed} {i}");
        }
    }
}
