//! Kernel canonical correlation analysis is what its definition says.
//!
//! `cca/answers.json` was written by `cca/make_answers.py`, whose head has its fields: scikit-learn's analysis of linear
//! views, and Hardoon's equation by scipy's eigenvectors.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

use std::ops::ControlFlow;
use std::path::Path;

use mercer::ErrorKind;
use mercer::data::{Dense, Points, ReadOptions, Vectors, read};
use mercer::kernel::{VectorExpr, linear, rbf, tanh};
use mercer::model::{Cca, CcaModel, Event, Job};
use serde_json::Value;

/// The two views of a file: features before `split`, and the others.
fn views(file: &str, split: usize) -> (Vectors, Vectors) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(file);
    let x = read(&path, &ReadOptions::default()).unwrap().points;
    let part = |columns: std::ops::Range<usize>| {
        let width = columns.len();
        let values = (0..x.len()).flat_map(|i| columns.clone().map(move |k| (i, k)));
        Vectors::dense(width, values.map(|(i, k)| x.row(i).get(k)).collect())
    };
    (part(0..split), part(split..x.width()))
}

fn wine() -> (Vectors, Vectors) {
    views("wine_scale.libsvm.gz", 6)
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs().max(1.0), "{found} {expected}");
}

fn column(rows: &Dense<f64>, k: usize) -> Vec<f64> {
    (0..rows.len()).map(|i| rows.row(i)[k]).collect()
}

/// Covariance over n.
fn covariance(a: &[f64], b: &[f64]) -> f64 {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (p, q) = (mean(a), mean(b));
    a.iter().zip(b).map(|(a, b)| (a - p) * (b - q)).sum::<f64>() / a.len() as f64
}

#[test]
fn scikit_learn_and_hardoons_equation_agree() {
    let answers: Value = serde_json::from_str(include_str!("cca/answers.json")).unwrap();
    let mut seen = 0;
    for case in answers["cases"].as_array().unwrap() {
        let (x, y) = views(case["file"].as_str().unwrap(), case["split"].as_u64().unwrap() as usize);
        let kernel = |name: &str| case[name].as_str().unwrap().parse::<VectorExpr>().unwrap();
        let (values, correlations) = (numbers(&case["values"]), numbers(&case["correlations"]));
        let count = values.len();
        let cca = Cca::new(kernel("first"), kernel("second")).components(count);
        let model = cca.regularizer(case["kappa"].as_f64().unwrap()).fit(&x, &y).unwrap();
        assert!(model.residual < 1e-9, "{}: {}", case["file"], model.residual);
        let f = model.transform_first(&x).unwrap();
        let scores = numbers(&case["scores"]);
        for k in 0..count {
            // scikit-learn's power iteration leaves more than the equation does, and knows no κ.
            let tolerance = if case["by"] == "scikit-learn" { 1e-7 } else { 1e-9 };
            assert_close(model.values[k], values[k], tolerance);
            assert_close(model.correlations[k], correlations[k], tolerance);
            let expected: Vec<f64> = scores.iter().skip(k).step_by(count).copied().collect();
            let sign = if f.row(0)[k] * expected[0] < 0.0 { -1.0 } else { 1.0 };
            for (i, expected) in expected.iter().enumerate() {
                assert_close(sign * f.row(i)[k], *expected, 1e3 * tolerance);
            }
        }
        seen += 1;
    }
    assert_eq!(seen, 5);
}

#[test]
fn components_obey_the_constraints_and_do_not_correlate() {
    let (x, y) = wine();
    let kappa = 0.01;
    let model = Cca::new(rbf(0.3), rbf(0.1)).regularizer(kappa).components(4).fit(&x, &y).unwrap();
    let (f, g) = (model.transform_first(&x).unwrap(), model.transform_second(&y).unwrap());
    let norm = |expansion: &mercer::model::Expansion<Vectors, VectorExpr>, gamma: f64, k: usize, l: usize| {
        let (points, values) = (expansion.points(), &expansion.coefficients().blocks[0].values);
        let mut sum = 0.0;
        for i in 0..points.len() {
            for j in 0..points.len() {
                let square: f64 =
                    (0..points.width()).map(|c| (points.row(i).get(c) - points.row(j).get(c)).powi(2)).sum();
                sum += values[i * 4 + k] * values[j * 4 + l] * (-gamma * square).exp();
            }
        }
        sum
    };
    for k in 0..4 {
        for l in 0..4 {
            let one = f64::from(u8::from(k == l));
            let (fk, fl, gl) = (column(&f, k), column(&f, l), column(&g, l));
            // The norm is a sum of terms as large as the squared coefficients.
            assert_close(covariance(&fk, &fl) + kappa * norm(&model.first, 0.3, k, l), one, 1e-6);
            assert_close(covariance(&column(&g, k), &gl) + kappa * norm(&model.second, 0.1, k, l), one, 1e-6);
            assert_close(covariance(&fk, &gl), one * model.values[k], 1e-8);
        }
    }
    let found = model.correlations_on(&x, &y).unwrap();
    found.iter().zip(&model.correlations).for_each(|(a, b)| assert_close(*a, *b, 1e-8));
    assert!(model.values.is_sorted_by(|a, b| a >= b));
}

#[test]
fn a_weight_is_a_number_of_copies_and_zero_is_absence() {
    let (x, y) = wine();
    let weights: Vec<f64> = (0..x.len()).map(|i| ((i * 5) % 3) as f64).collect();
    let copies: Vec<usize> = (0..x.len()).flat_map(|i| vec![i; weights[i] as usize]).collect();
    let cca = Cca::new(rbf(0.3), linear()).regularizer(0.05);
    let weighted = cca.fit_views(&x, &y, &mut Job::new().weights(&weights)).unwrap();
    let repeated = cca.fit(&x.select(&copies), &y.select(&copies)).unwrap();
    let places = |model: &CcaModel<Vectors, VectorExpr>| model.transform_first(&x).unwrap();
    for (a, b) in places(&weighted).values().iter().zip(places(&repeated).values()) {
        assert_close(*a, *b, 1e-8);
    }
    weighted.correlations.iter().zip(&repeated.correlations).for_each(|(a, b)| assert_close(*a, *b, 1e-9));
    let present = |support: &[usize]| support.iter().all(|&i| weights[i] > 0.0);
    assert!(present(&weighted.first_support) && present(&weighted.second_support));
    assert_eq!(*weighted.first.points(), x.select(&weighted.first_support));
}

/// Numbers that look drawn, between −1 and 1.
fn noise(count: usize, seed: f64) -> Vec<f64> {
    (0..count)
        .map(|i| ((i as f64 + seed) * 12.9898).sin() * 43758.5453)
        .map(|v| 2.0 * (v - v.floor()) - 1.0)
        .collect()
}

/// A parabola seen twice, with noise on it (a correlation of 0.93 is left) and a feature of noise beside it.
fn parabola(count: usize, seed: f64) -> (Vectors, Vectors) {
    let t = noise(count, seed);
    let [p, q, r] = [1000.3, 2000.7, 3000.1].map(|more| noise(count, seed + more));
    let first = (0..count).flat_map(|i| [t[i], p[i]]).collect();
    let second = (0..count).flat_map(|i| [t[i] * t[i] + 0.2 * r[i], q[i]]).collect();
    (Vectors::dense(2, first), Vectors::dense(2, second))
}

#[test]
fn both_rules_choose_a_regulariser_that_holds_on_new_data() {
    let ((x, y), (other_x, other_y)) = (parabola(120, 0.0), parabola(400, 5000.0));
    let candidates = [1e-7, 1e-5, 1e-3, 1e-2, 1e-1, 1e1];
    let cca = Cca::new(rbf(3.0), rbf(3.0)).components(1);
    let on_new = |kappa: f64| {
        let model = cca.clone().regularizer(kappa).fit(&x, &y).unwrap();
        (model.correlations[0], model.correlations_on(&other_x, &other_y).unwrap()[0])
    };
    // Without a regulariser the training data say nothing.
    let (training, new) = on_new(1e-7);
    assert!(training > 0.99 && new < 0.8, "{training} {new}");
    let best = |scores: &[f64]| candidates[(0..6).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap()];
    let crossed = cca.cross_validate(&x, &y, &candidates, 5, 0).unwrap();
    let torn = cca.permute(&x, &y, &candidates, 5, 0).unwrap();
    for kappa in [best(&crossed), best(&torn)] {
        let (_, new) = on_new(kappa);
        assert!(new > 0.85, "{kappa} {new}; {crossed:?} {torn:?}");
    }
}

#[test]
fn a_fold_left_out_is_a_fit_to_the_others() {
    let (x, y) = parabola(60, 7.0);
    let cca = Cca::new(rbf(0.7), rbf(0.4)).components(2).regularizer(1e-2);
    let found = cca.cross_validate(&x, &y, &[1e-2], 3, 11).unwrap()[0];
    let folds = mercer::data::Folds::plain(60, 3, 11);
    let mut expected = 0.0;
    for fold in 0..3 {
        let (out, rest) = folds.split(fold);
        let model = cca.fit(&x.select(&rest), &y.select(&rest)).unwrap();
        expected +=
            model.correlations_on(&x.select(&out), &y.select(&out)).unwrap().iter().sum::<f64>() / 3.0;
    }
    assert_close(found, expected, 1e-8);
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let (x, y) = wine();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Cca::new(rbf(0.3), rbf(0.1)).components(3).fit(&x, &y).unwrap())
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn a_smaller_rank_is_an_approximation_on_fewer_points() {
    let (x, y) = wine();
    let cca = Cca::new(rbf(0.3), rbf(0.1)).components(2);
    let (whole, part) = (cca.fit(&x, &y).unwrap(), cca.clone().rank(40).fit(&x, &y).unwrap());
    assert_eq!((part.first_support.len(), part.second.points().len()), (40, 40));
    assert!(part.values[0] <= whole.values[0] + 1e-12 && part.values[0] > 0.95 * whole.values[0]);
    // The certificate looks at the whole matrix and says so.
    assert!(part.residual > 1e-6 && whole.residual < 1e-9, "{} {}", part.residual, whole.residual);
}

#[test]
fn what_cannot_be_fitted_is_refused_with_its_reason() {
    let (x, y) = wine();
    let cca = Cca::new(rbf(0.3), linear());
    let fails = |cca: &Cca<VectorExpr>, x: &Vectors, y: &Vectors| cca.fit(x, y).unwrap_err().to_string();
    assert_eq!(fails(&cca.clone().regularizer(0.0), &x, &y), "kappa = 0: must be positive and finite");
    assert_eq!(fails(&cca.clone().components(0), &x, &y), "components = 0: must be at least 1");
    assert_eq!(fails(&cca.clone().rank(0), &x, &y), "rank = 0: must be at least 1");
    let few = y.select(&[0, 1]);
    assert_eq!(fails(&cca, &x, &few), "178 rows in the first view but 2 in the second; they must be pairs");
    let none = Vectors::dense::<f64>(1, vec![]);
    assert_eq!(fails(&cca, &none, &none), "no rows");
    let bad = Vectors::dense(1, vec![0.0, f64::NAN]);
    assert!(fails(&cca, &few, &bad).contains("row 2, column 1"));
    let one = cca.fit_views(&x, &y, &mut Job::new().weights(&[1.0])).unwrap_err();
    assert!(one.to_string().contains("one for each point"));
    let memory = cca.fit_views(&x, &y, &mut Job::new().memory(1 << 20)).unwrap_err().to_string();
    assert!(memory.contains("needs 2 MB") && memory.contains("smaller rank"), "{memory}");
    let zero = Vectors::dense(1, vec![0.0; 178]);
    assert!(fails(&cca, &x, &zero).contains("zero everywhere"));
    // A view that does not vary correlates with nothing.
    let constant = cca.fit(&x, &Vectors::dense(1, vec![3.0; 178])).unwrap();
    assert!(constant.values[0] < 1e-8 && constant.residual == 0.0);
    let indefinite = Cca::new(tanh(1.0, -1.0), linear());
    assert!(fails(&indefinite, &x, &y).contains("not positive definite"));
    let scores = cca.cross_validate(&x, &y, &[0.1], 100, 0).unwrap_err();
    assert!(scores.to_string().starts_with("folds = 100"), "{scores}");
    assert!(cca.permute(&x, &y, &[0.1, -1.0], 2, 0).unwrap_err().to_string().starts_with("kappa = -1"));
    assert!(cca.permute(&x, &y, &[0.1], 0, 0).is_err());
    let model = cca.fit(&x, &y).unwrap();
    assert!(model.transform_first(&y.select(&[0])).is_err());
    assert!(model.correlations_on(&x, &few).is_err());
    let mut stop = |_: Event<'_>| ControlFlow::Break(());
    let stopped = cca.fit_views(&x, &y, &mut Job::new().watched(&mut stop)).unwrap_err();
    assert!(matches!(stopped.kind(), ErrorKind::Interrupted));
}
