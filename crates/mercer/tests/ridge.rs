//! Kernel ridge regression against scikit-learn, against the system written out, and against loops over left-out points.

use std::path::Path;

use mercer::ErrorKind;
use mercer::data::{Points, ReadOptions, Vectors, read};
use mercer::kernel::{Pointwise, VectorExpr, rbf, tanh};
use mercer::model::{Estimator, Job, Quality, Ridge, RidgeModel, RidgeSolver};
use serde_json::Value;

type Model = RidgeModel<Vectors, VectorExpr>;

const ROWS: usize = 80;

/// heart_scale: its rows, and for each its label and the sum of its features.
fn heart() -> (Vectors, [Vec<f64>; 2]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/heart_scale.libsvm.gz");
    let table = read(&path, &ReadOptions::default()).expect("the file is sound");
    let labels = table.labels.expect("it has labels").numbers().expect("they are numbers");
    let x = table.points;
    let sums = (0..x.len()).map(|i| (0..x.width()).map(|j| x.row(i).get(j)).sum()).collect();
    (x, [labels, sums])
}

fn first(n: usize) -> (Vectors, [Vec<f64>; 2]) {
    let (x, y) = heart();
    (x.select(&(0..n).collect::<Vec<_>>()), y.map(|y| y[..n].to_vec()))
}

/// The same points with `shift` added to every feature.
fn shifted(x: &Vectors, shift: f64) -> Vectors {
    let row = |i: usize| (0..x.width()).map(move |j| x.row(i).get(j) + shift);
    Vectors::dense(x.width(), (0..x.len()).flat_map(row).collect())
}

fn numbers(value: &Value) -> Vec<f64> {
    let number = |value: &Value| value.as_f64().expect("a number");
    value.as_array().expect("a list").iter().map(number).collect()
}

/// The largest difference, relative to the largest value of `b`.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let largest = b.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest
}

fn coefficients(model: &Model, target: usize) -> Vec<f64> {
    let block = &model.expansion.coefficients().blocks[0];
    block.values.iter().skip(target).step_by(model.expansion.coefficients().outputs).copied().collect()
}

/// x of Ax = b by elimination with pivots.
fn eliminate(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).expect("a row is left");
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k][k];
    }
    b
}

/// α and then b of the bordered system, of an rbf kernel by its definition.
fn by_hand(x: &Vectors, y: &[f64], gamma: f64, ridge: &[f64]) -> Vec<f64> {
    let n = y.len();
    let square =
        |i: usize, j: usize| (0..x.width()).map(|c| (x.row(i).get(c) - x.row(j).get(c)).powi(2)).sum::<f64>();
    let entry = |i: usize, j: usize| match (i < n, j < n) {
        (true, true) => (-gamma * square(i, j)).exp() + if i == j { ridge[i] } else { 0.0 },
        (false, false) => 0.0,
        _ => 1.0,
    };
    let a = (0..=n).map(|i| (0..=n).map(|j| entry(i, j)).collect()).collect();
    eliminate(a, y.iter().copied().chain([0.0]).collect())
}

#[test]
fn scikit_learn_has_the_same_coefficients_and_predictions() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sklearn/ridge.json");
    let answers: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (all, _) = heart();
    let (x, y) = first(ROWS);
    let next = all.select(&(ROWS..ROWS + 20).collect::<Vec<_>>());
    let cases = answers["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 32);
    let (plain, plain_next) = (x, next);
    for case in cases {
        let kernel: VectorExpr = case["kernel"].as_str().unwrap().parse().unwrap();
        let lambda = case["lambda"].as_f64().unwrap();
        let shift = case["shift"].as_f64().unwrap();
        let (x, next) = (shifted(&plain, shift), shifted(&plain_next, shift));
        let weights = if case["weights"].is_null() { vec![] } else { numbers(&case["weights"]) };
        let model = Ridge::new(kernel).lambda(lambda).offset(false).fit_weighted(&x, &y, &weights).unwrap();
        assert!(model.quality.residual().unwrap() < 2e-12, "{}", model.quality.residual().unwrap());
        let rows: Vec<Vec<f64>> = case["dual_coef"].as_array().unwrap().iter().map(numbers).collect();
        let values = model.values(&next).unwrap();
        let predicted: Vec<f64> = case["predictions"].as_array().unwrap().iter().flat_map(numbers).collect();
        assert!(difference(values.values(), &predicted) < 1e-10, "{case}");
        for target in 0..2 {
            let theirs: Vec<f64> = rows.iter().map(|row| row[target]).collect();
            let off = difference(&coefficients(&model, target), &theirs);
            assert!(off < 1e-8, "{} {lambda}: {off}", case["kernel"]);
        }
    }
}

#[test]
fn an_offset_and_weights_are_those_of_the_bordered_system() {
    let (x, [y, _]) = first(60);
    let weights: Vec<f64> = (0..60).map(|i| 0.25 + f64::from(i % 3)).collect();
    let ridge: Vec<f64> = weights.iter().map(|w| 0.3 / w).collect();
    let expected = by_hand(&x, &y, 0.1, &ridge);
    let y = [y];
    let model = Ridge::new(rbf(0.1)).lambda(0.3).fit_weighted(&x, &y, &weights).unwrap();
    assert!(difference(&coefficients(&model, 0), &expected[..60]) < 1e-10);
    assert!((model.expansion.offsets()[0] + expected[60]).abs() < 1e-11);
}

#[test]
fn a_whole_weight_is_so_many_copies() {
    let (x, [y, _]) = first(40);
    let weights: Vec<f64> = (0..40).map(|i| f64::from(i % 3)).collect();
    let copies: Vec<usize> = (0..40).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let copied: Vec<f64> = copies.iter().map(|&i| y[i]).collect();
    for offset in [false, true] {
        let ridge = Ridge::new(rbf(0.2)).lambda(0.5).offset(offset);
        let weighted = ridge.fit_weighted(&x, std::slice::from_ref(&y), &weights).unwrap();
        let repeated = ridge.fit(&x.select(&copies), &copied).unwrap();
        let (a, b) = (weighted.values(&x).unwrap(), repeated.values(&x).unwrap());
        assert!(difference(a.values(), b.values()) < 1e-11);
        assert_eq!(weighted.support, (0..40).filter(|i| i % 3 != 0).collect::<Vec<_>>());
    }
}

#[test]
fn leaving_out_in_closed_form_is_the_loop_over_left_out_points() {
    let (x, y) = first(50);
    let weights: Vec<f64> = (0..50).map(|i| 1.0 + f64::from(i % 2)).collect();
    for (offset, weights) in [(false, vec![]), (true, vec![]), (true, weights)] {
        let ridge = Ridge::new(rbf(0.15)).lambda(0.2).offset(offset);
        let job = || Job::new().weights(&weights);
        let (_, missed) = ridge.left_out(&x, &y, &mut job()).unwrap();
        let path = ridge.path_in(&x, &y, &[0.2, 5.0], &mut job()).unwrap();
        let mut errors = [0.0; 2];
        for i in 0..50 {
            let others: Vec<usize> = (0..50).filter(|&j| j != i).collect();
            let some =
                |values: &[f64]| others.iter().filter_map(|&j| values.get(j).copied()).collect::<Vec<f64>>();
            let targets = [some(&y[0]), some(&y[1])];
            let model = ridge.fit_weighted(&x.select(&others), &targets, &some(&weights)).unwrap();
            let values = model.values(&x.select(&[i])).unwrap();
            for target in 0..2 {
                let expected = y[target][i] - values.row(0)[target];
                assert!((missed.row(i)[target] - expected).abs() < 1e-8, "{offset} {i}");
                let weight = weights.get(i).copied().unwrap_or(1.0);
                errors[target] += weight * expected * expected;
            }
        }
        let total = if weights.is_empty() { 50.0 } else { weights.iter().sum() };
        for target in 0..2 {
            let expected = errors[target] / total;
            assert!((path.points[0].errors[target] - expected).abs() < 1e-8 * expected, "{offset}");
        }
        assert_eq!(path.best().lambda, 0.2);
        assert!(
            path.eigenvalues.is_sorted_by(|a, b| a >= b) && path.points[1].degrees < path.points[0].degrees
        );
    }
}

/// Points of which a factor in single precision is worth it: 700 in the plane, in clusters.
fn many() -> (Vectors, Vec<f64>) {
    let coordinate =
        |i: u32, scale: f64| (f64::from(i % 7) * scale).sin() + (f64::from(i) * 0.37 * scale).cos() * 0.3;
    let x = Vectors::dense(2, (0..700).flat_map(|i| [coordinate(i, 1.0), coordinate(i, 1.7)]).collect());
    let y = (0..700).map(|i| coordinate(i, 0.9) * coordinate(i, 1.1) + f64::from(i % 5) * 0.1).collect();
    (x, y)
}

#[test]
fn a_factor_in_single_precision_is_refined_to_the_answer_of_double() {
    let (x, y) = many();
    let weights: Vec<f64> = (0..700).map(|i| if i % 50 == 0 { 1e-4 } else { f64::from(1 + i % 3) }).collect();
    // With the last the single factor does not exist or does not help, and there is one in double precision.
    for (lambda, tolerance) in [(1.0, 1e-12), (1e-3, 1e-9), (1e-9, 1e-4)] {
        for weights in [vec![], weights.clone()] {
            let ridge = Ridge::new(rbf(1.0)).lambda(lambda);
            let y = std::slice::from_ref(&y);
            let model = ridge.fit_weighted(&x, y, &weights).unwrap();
            let (double, _) = ridge.left_out(&x, y, &mut Job::new().weights(&weights)).unwrap();
            let off = difference(&coefficients(&model, 0), &coefficients(&double, 0));
            assert!(off < tolerance, "{lambda}: {off}");
            // Rounding of Gα, whose parts are as large as ‖G‖‖y‖/λ.
            assert!(
                model.quality.residual().unwrap() < 1e-13 / lambda,
                "{lambda}: {}",
                model.quality.residual().unwrap()
            );
            let values = (model.values(&x).unwrap(), double.values(&x).unwrap());
            assert!(difference(values.0.values(), values.1.values()) < 1e-8);
        }
    }
}

fn is_direct(model: &RidgeModel<Vectors, VectorExpr>) -> bool {
    matches!(model.quality, Quality::Residual { iterations: None, converged: true, .. })
}

#[test]
fn conjugate_gradients_come_to_the_direct_answer_in_little_memory() {
    let (x, y) = heart();
    for (weights, lambda) in [(vec![], 1e-3), ((0..270).map(|i| f64::from(i % 4) * 0.5).collect(), 0.1)] {
        let ridge = Ridge::new(rbf(0.3)).lambda(lambda);
        let direct = ridge.fit_weighted(&x, &y, &weights).unwrap();
        let iterative = ridge.clone().solver(RidgeSolver::Iterative);
        let model = iterative.fit_weighted(&x, &y, &weights).unwrap();
        assert!(is_direct(&direct));
        let Quality::Residual { residual, iterations: Some(iterations), converged: true } = model.quality
        else {
            panic!("{:?}", model.quality)
        };
        assert!(residual <= 1e-10 && iterations > 0);
        for target in 0..2 {
            let (found, expected) = (coefficients(&model, target), coefficients(&direct, target));
            assert!(difference(&found, &expected) < 1e-6, "{}", difference(&found, &expected));
        }
    }
}

#[test]
fn a_budget_chooses_the_way_and_refuses_what_does_not_fit() {
    let (x, y) = heart();
    let ridge = Ridge::new(rbf(0.3)).lambda(1.0);
    // 270² doubles and their panels take 2.2 MB; blocks of rows for conjugate gradients 16 MB.
    let fit = |ridge: &Ridge<_>, bytes: usize| ridge.fit_in(&x, &y[..1], &mut Job::new().memory(bytes));
    let refused = fit(&ridge, 1 << 20).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Memory { .. }), "{refused}");
    assert!(is_direct(&fit(&ridge, 8 << 20).unwrap()));
    let refused = fit(&ridge.solver(RidgeSolver::Direct), 1 << 20).unwrap_err();
    assert!(refused.to_string().starts_with("the Gram matrix needs 3 MB, and there are 1 MB"), "{refused}");
}

#[test]
fn what_cannot_be_used_is_refused() {
    let (x, [y, _]) = first(20);
    let message = |ridge: Ridge<VectorExpr>, y: &[f64]| ridge.fit(&x, y).unwrap_err().to_string();
    assert!(message(Ridge::new(rbf(1.0)).lambda(-1.0), &y).starts_with("lambda = -1"));
    assert!(message(Ridge::new(rbf(1.0)).lambda(f64::NAN), &y).starts_with("lambda = NaN"));
    assert!(message(Ridge::new(rbf(1.0)), &y[1..]).starts_with("targets = 19"));
    assert!(message(Ridge::new(rbf(1.0)), &[f64::NAN; 20]).starts_with("target = NaN"));
    let nothing = Ridge::new(rbf(1.0)).fit_weighted(&x, std::slice::from_ref(&y), &[0.0; 20]);
    assert!(nothing.unwrap_err().to_string().contains("not all may be 0"));
    assert!(message(Ridge::new(tanh(1.0, -2.0)).lambda(1e-3), &y).contains("not positive definite"));
    let zero = Ridge::new(rbf(1.0)).lambda(0.0).solver(RidgeSolver::Iterative);
    assert!(message(zero, &y).contains("must be positive for conjugate gradients"));
    let mut stop = |_: mercer::model::Event<'_>| std::ops::ControlFlow::Break(());
    let stopped = Ridge::new(rbf(1.0)).fit_in(&x, &[y], &mut Job::new().watched(&mut stop));
    assert!(matches!(stopped.unwrap_err().kind(), ErrorKind::Interrupted));
}

#[test]
fn kernel_values_that_are_not_finite_are_named() {
    let (x, [y, _]) = first(30);
    let broken = |a: &Vectors, i: usize, b: &Vectors, j: usize| {
        let far = (0..a.width()).any(|k| a.row(i).get(k) != b.row(j).get(k));
        if far && i.min(j) == 3 && i.max(j) == 7 { f64::NAN } else { f64::from(u8::from(i == j)) }
    };
    for method in [RidgeSolver::Direct, RidgeSolver::Iterative] {
        let fitted = Ridge::new(Pointwise::new(broken)).solver(method).fit(&x, &y);
        let refused = fitted.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused.contains("not finite between points 8 and 4"), "{method:?}: {refused}");
    }
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let (x, y) = heart();
    let bits = |threads: usize, method: RidgeSolver| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let ridge = Ridge::new(rbf(0.3)).lambda(0.1).solver(method);
            let model = ridge.fit_in(&x, &y, &mut Job::new()).unwrap();
            let path = ridge.path(&x, &y, &[0.01, 0.1]).unwrap();
            (model.values(&x).unwrap(), path)
        })
    };
    for method in [RidgeSolver::Direct, RidgeSolver::Iterative] {
        let one = bits(1, method);
        assert!(one == bits(2, method) && one == bits(3, method));
    }
}
