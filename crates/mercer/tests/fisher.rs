//! The kernel Fisher discriminant is what its definition says.
//!
//! `fisher/answers.json` was written by `fisher/make_answers.py`, whose head has its fields: scipy's generalised
//! eigenvectors of the scatter matrices, and scikit-learn's linear discriminant analysis. Beside them, twins written out here:
//! ridge regression of class codes, repeated points, hard margins.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

use std::ops::ControlFlow;
use std::path::Path;

use mercer::ErrorKind;
use mercer::data::{Labels, Points, ReadOptions, Sparse, Vectors, read};
use mercer::error::DataProblem;
use mercer::kernel::{VectorExpr, linear, precomputed, rbf, tanh};
use mercer::model::{Estimator, Event, Fisher, FisherModel, Job, Threshold};
use serde_json::Value;

type Model = FisherModel<Vectors, VectorExpr>;

fn load(file: &str) -> (Vectors, Labels) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(file);
    let table = read(&path, &ReadOptions::default()).unwrap();
    (table.points, table.labels.unwrap().labels())
}

fn heart() -> (Vectors, Labels) {
    load("heart_scale.libsvm.gz")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs().max(1.0), "{found} {expected}");
}

/// Compares ratios and the first rows on the axes, each up to its sign.
fn assert_case(case: &Value, model: &Model, x: &Vectors, tolerance: f64) {
    let (ratios, axes) = (numbers(&case["ratios"]), numbers(&case["axes"]));
    assert_eq!(model.ratios.len(), ratios.len(), "{}", case["file"]);
    model.ratios.iter().zip(&ratios).for_each(|(found, expected)| assert_close(*found, *expected, tolerance));
    let places = model.transform(x).unwrap();
    for k in 0..ratios.len() {
        let expected: Vec<f64> = axes.iter().skip(k).step_by(ratios.len()).copied().collect();
        let sign = if places.row(0)[k] * expected[0] < 0.0 { -1.0 } else { 1.0 };
        for (i, expected) in expected.iter().enumerate() {
            assert_close(sign * places.row(i)[k], *expected, tolerance);
        }
    }
}

#[test]
fn the_textbook_and_scikit_learn_agree() {
    let text = include_str!("fisher/answers.json");
    let answers: Value = serde_json::from_str(text).unwrap();
    let mut seen = 0;
    for case in answers["cases"].as_array().unwrap() {
        let (x, y) = load(case["file"].as_str().unwrap());
        let kernel: VectorExpr = case["kernel"].as_str().unwrap().parse().unwrap();
        let fisher = Fisher::new(kernel).mu(case["mu"].as_f64().unwrap());
        if case["by"] == "scipy" {
            let model = fisher.fit(&x, &y).unwrap();
            assert!(model.residual < 1e-12, "{}", model.residual);
            assert_case(case, &model, &x, 1e-8);
        } else {
            // Four or thirteen of so many points span all there is.
            let model = fisher.clone().points(60).fit(&x, &y).unwrap();
            assert!(model.support.len() <= x.width(), "{}", model.support.len());
            assert_case(case, &model, &x, 1e-7);
            // The whole matrix needs a regulariser above what rounding leaves of it, which moves the axes a little.
            let whole = fisher.mu(1e-8).fit(&x, &y).unwrap();
            assert_case(case, &whole, &x, 1e-4);
            let classes = case["classes"].as_array().unwrap();
            for model in [model, whole] {
                let predicted = model.predict(&x).unwrap();
                assert!(predicted.iter().zip(classes).all(|(a, b)| a == b));
            }
        }
        seen += 1;
    }
    assert_eq!(seen, 7);
}

/// The solution of a square system by elimination with row pivots.
fn solved(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs())).unwrap();
        rows.swap(k, pivot);
        for i in k + 1..n {
            let factor = rows[i][k] / rows[k][k];
            for j in k..=n {
                rows[i][j] -= factor * rows[k][j];
            }
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|j| rows[i][j] * x[j]).sum();
        x[i] = (rows[i][n] - sum) / rows[i][i];
    }
    x
}

#[test]
fn two_classes_are_a_ridge_regression_of_their_codes_up_to_scale() {
    let (x, y) = heart();
    let (gamma, mu, n) = (0.1, 1e-2, x.len());
    let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 4) as f64).collect();
    let model = Fisher::new(rbf(gamma)).mu(mu).fit_weighted(&x, &y, &weights).unwrap();
    // Minimise Σ wᵢ(tᵢ − f(xᵢ) − b)² + nμ‖f‖² with t = n/n₁ or −n/n₂: (K + nμW⁻¹)α + b = t, Σα = 0.
    let total: f64 = weights.iter().sum();
    let share = |class: u32| -> f64 { (0..n).filter(|&i| y.index()[i] == class).map(|i| weights[i]).sum() };
    let codes = [total / share(0), -total / share(1)];
    let kernel = |i: usize, j: usize| {
        let square: f64 = (0..x.width()).map(|k| (x.row(i).get(k) - x.row(j).get(k)).powi(2)).sum();
        (-gamma * square).exp()
    };
    let row = |i: usize| {
        let diagonal = |j: usize| if i == j { total * mu / weights[i] } else { 0.0 };
        let mut row: Vec<f64> = (0..n).map(|j| kernel(i, j) + diagonal(j)).collect();
        row.extend([1.0, codes[y.index()[i] as usize]]);
        row
    };
    let mut rows: Vec<Vec<f64>> = (0..n).map(row).collect();
    rows.push([vec![1.0; n], vec![0.0, 0.0]].concat());
    let ridge = solved(rows);
    let fitted: Vec<f64> = (0..n).map(|i| (0..n).map(|j| ridge[j] * kernel(i, j)).sum()).collect();
    let axis = model.transform(&x).unwrap();
    let scale = (axis.row(0)[0] - axis.row(1)[0]) / (fitted[0] - fitted[1]);
    assert!(scale > 0.0);
    let mean: f64 = (0..n).map(|i| weights[i] * fitted[i]).sum::<f64>() / total;
    for i in 0..n {
        assert_close(axis.row(i)[0], scale * (fitted[i] - mean), 1e-8);
        let values = &model.expansion.coefficients().blocks[0].values;
        assert_close(values[i], scale * ridge[i], 1e-8);
    }
}

/// How far two models are apart on points, with the same classes.
fn apart(a: &Model, b: &Model, x: &Vectors) -> f64 {
    let (p, q) = (a.transform(x).unwrap(), b.transform(x).unwrap());
    assert_eq!(p.columns(), q.columns());
    p.values().iter().zip(q.values()).map(|(p, q)| (p - q).abs()).fold(0.0, f64::max)
}

#[test]
fn a_weight_is_a_number_of_copies_and_zero_is_absence() {
    let (x, y) = load("iris_scale.libsvm.gz");
    let weights: Vec<f64> = (0..150).map(|i| ((i * 7) % 3) as f64).collect();
    let copies: Vec<usize> = (0..150).flat_map(|i| vec![i; weights[i] as usize]).collect();
    let fisher = Fisher::new(rbf(0.5)).mu(1e-3);
    let weighted = fisher.fit_weighted(&x, &y, &weights).unwrap();
    let repeated = fisher.fit(&x.select(&copies), &y.select(&copies)).unwrap();
    assert!(apart(&weighted, &repeated, &x) < 1e-8);
    assert!(weighted.support.iter().all(|&i| weights[i] > 0.0) && weighted.support.len() == 100);
    for (a, b) in weighted.centers.values().iter().zip(repeated.centers.values()) {
        assert_close(*a, *b, 1e-8);
    }
    let two = y.select(&(0..100).collect::<Vec<_>>());
    let (x, weights) = (x.select(&(0..100).collect::<Vec<_>>()), weights[..100].to_vec());
    let copies: Vec<usize> = copies.into_iter().filter(|&i| i < 100).collect();
    let fisher = Fisher::new(rbf(0.5)).threshold(Threshold::Svm { c: 0.1 });
    let weighted = fisher.fit_weighted(&x, &two, &weights).unwrap();
    let repeated = fisher.fit(&x.select(&copies), &two.select(&copies)).unwrap();
    assert_close(weighted.threshold.unwrap(), repeated.threshold.unwrap(), 1e-3);
}

#[test]
fn few_points_are_nearly_as_good_and_all_points_are_the_whole() {
    let (x, y) = heart();
    let fisher = Fisher::new(rbf(0.05)).mu(1e-3);
    let whole = fisher.fit(&x, &y).unwrap();
    let mut last = 0.0;
    for points in [1, 5, 20, 60] {
        let model = fisher.clone().points(points).fit(&x, &y).unwrap();
        assert_eq!((model.support.len(), model.expansion.points().len()), (points, points));
        assert!(model.ratios[0] > last && model.ratios[0] <= whole.ratios[0] + 1e-12);
        assert!(model.residual < 1e-9, "{}", model.residual);
        last = model.ratios[0];
    }
    // 0.6001 with all 270.
    assert!(last > 0.98 * whole.ratios[0], "{last}");
    let nearly = fisher.clone().points(269).fit(&x, &y).unwrap();
    assert_close(nearly.ratios[0], whole.ratios[0], 1e-4);
    assert_eq!(fisher.points(270).fit(&x, &y).unwrap(), whole);
}

#[test]
fn the_greedy_choice_takes_the_point_that_adds_most() {
    // 40 points: all are candidates. The first choice must be the best single point by trying each.
    let (x, y) = heart();
    let index: Vec<usize> = (0..40).collect();
    let (x, y) = (x.select(&index), y.select(&index));
    let fisher = Fisher::new(rbf(0.1)).mu(1e-2).points(1);
    let chosen = fisher.fit(&x, &y).unwrap();
    let n = 40.0;
    let ratio = |p: usize| {
        let f: Vec<f64> = (0..40)
            .map(|i| (-0.1 * (0..13).map(|k| (x.row(i).get(k) - x.row(p).get(k)).powi(2)).sum::<f64>()).exp())
            .collect();
        let mean = f.iter().sum::<f64>() / n;
        let class = |c: u32| (0..40).filter(|&i| y.index()[i] == c).map(|i| f[i]).collect::<Vec<f64>>();
        let between: f64 = (0..2)
            .map(class)
            .map(|f| f.len() as f64 / n * (f.iter().sum::<f64>() / f.len() as f64 - mean).powi(2))
            .sum();
        between / (f.iter().map(|f| (f - mean).powi(2)).sum::<f64>() / n + 1e-2)
    };
    let best = (0..40).max_by(|&a, &b| ratio(a).total_cmp(&ratio(b))).unwrap();
    assert_eq!(chosen.support, [best]);
    assert_close(chosen.ratios[0], ratio(best), 1e-12);
}

#[test]
fn the_threshold_lies_where_it_should() {
    let x = Vectors::dense(1, vec![-3.0, -2.0, -1.0, 1.5, 9.0, 9.0]);
    let y = Labels::first_seen(["a", "a", "a", "b", "b", "b"]);
    let fisher = Fisher::new(linear()).mu(1e-6);
    let means = fisher.fit(&x, &y).unwrap();
    // The axis falls with x; the middle of −2 and 6.5 is 2.25.
    let at = |model: &Model, x: f64| model.decisions(&Vectors::dense(1, vec![x])).unwrap().row(0)[0];
    assert!(at(&means, 2.24) > 0.0 && at(&means, 2.26) < 0.0);
    // With a high price the widest gap decides: the middle of −1 and 1.5.
    let svm = fisher.clone().threshold(Threshold::Svm { c: 1e4 }).fit(&x, &y).unwrap();
    assert!(at(&svm, 0.24) > 0.0 && at(&svm, 0.26) < 0.0);
    assert_eq!(svm.predict(&Vectors::dense(1, vec![0.2, 0.3])).unwrap(), ["a", "b"]);
    assert_eq!(svm.expansion, means.expansion);
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let (x, y) = load("vowel.scale.libsvm.gz");
    for fisher in [Fisher::new(rbf(0.5)), Fisher::new(rbf(0.5)).points(40)] {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fisher.fit(&x, &y).unwrap())
        };
        let one = on(1);
        assert_eq!(one.ratios.len(), 10);
        assert_eq!(one, on(3));
    }
}

#[test]
fn sparse_points_and_precomputed_kernels_are_the_same_machine() {
    let (x, y) = heart();
    let mut dense = Vec::new();
    (0..x.len()).for_each(|i| dense.extend((0..x.width()).map(|k| x.row(i).get(k))));
    let dense = Vectors::dense(x.width(), dense);
    assert!(x.is_sparse() && !dense.is_sparse());
    let fisher = Fisher::new(rbf(0.1));
    let (a, b) = (fisher.fit(&x, &y).unwrap(), fisher.fit(&dense, &y).unwrap());
    assert!((a.ratios[0] - b.ratios[0]).abs() < 1e-12);
    let value = |i: usize, j: usize| {
        (-0.1 * (0..13).map(|k| (x.row(i).get(k) - x.row(j).get(k)).powi(2)).sum::<f64>()).exp()
    };
    let rows: Vec<f64> = (0..x.len())
        .flat_map(|i| {
            std::iter::once((i + 1) as f64).chain((0..x.len()).map(move |j| (i, j)).map(|(i, j)| value(i, j)))
        })
        .collect();
    let table = Vectors::dense(x.len() + 1, rows);
    let c = Fisher::new(precomputed()).fit(&table, &y).unwrap();
    let (p, q) = (a.transform(&x).unwrap(), c.transform(&table).unwrap());
    assert!(p.values().iter().zip(q.values()).all(|(p, q)| (p - q).abs() < 1e-8));
}

#[test]
fn what_cannot_be_fitted_is_refused_with_its_reason() {
    let (x, y) = heart();
    let fails =
        |fisher: &Fisher<VectorExpr>, x: &Vectors, y: &Labels| fisher.fit(x, y).unwrap_err().to_string();
    let fisher = Fisher::new(rbf(0.1));
    assert_eq!(fails(&fisher.clone().mu(0.0), &x, &y), "mu = 0: must be positive and finite");
    assert_eq!(fails(&fisher.clone().mu(f64::NAN), &x, &y), "mu = NaN: must be positive and finite");
    assert_eq!(fails(&fisher.clone().points(0), &x, &y), "points = 0: must be at least 1");
    let svm = fisher.clone().threshold(Threshold::Svm { c: -1.0 });
    assert_eq!(fails(&svm, &x, &y), "c = -1: must be positive and finite");
    let one = Labels::first_seen(vec!["a"; 270]);
    assert!(fails(&fisher, &x, &one).contains("only one class"));
    let none = Vectors::dense::<f64>(2, vec![]);
    assert_eq!(fails(&fisher, &none, &Labels::first_seen::<&str>([])), "no rows");
    let few = Labels::first_seen(["a", "b"]);
    assert_eq!(fails(&fisher, &x, &few), "270 points but 2 labels");
    assert!(fails(&fisher, &Vectors::dense(1, vec![f64::NAN, 1.0]), &few).contains("row 1, column 1"));
    let same = fails(&fisher, &Vectors::dense(1, vec![1.0, 1.0]), &few);
    assert!(same.contains("the same mean"), "{same}");
    let weights: Vec<f64> = (0..270).map(|i| f64::from(u8::from(y.index()[i] == 0))).collect();
    let one = fisher.fit_weighted(&x, &y, &weights).unwrap_err();
    assert!(one.to_string().contains("only one class"));
    let memory = fisher.fit_in(&x, &y, &mut Job::new().memory(100_000)).unwrap_err().to_string();
    assert!(memory.starts_with("the Gram matrix needs 3 MB") && memory.contains("fewer points"), "{memory}");
    let indefinite = Fisher::new(tanh(1.0, -1.0)).mu(1e-9).fit(&x, &y).unwrap_err();
    assert!(matches!(indefinite.kind(), ErrorKind::Data(DataProblem::NotDefinite { .. })), "{indefinite}");
    let huge = Vectors::dense(1, vec![1e200, -1e200]);
    let huge = Fisher::new(linear()).fit(&huge, &few).unwrap_err();
    assert!(huge.to_string().contains("not finite"), "{huge}");
    let model = fisher.fit(&x, &y).unwrap();
    assert!(model.predict(&Vectors::dense(2, vec![0.0, 0.0])).unwrap_err().to_string().contains("features"));
    let wide = Vectors::from(Sparse::new(13, vec![0, 1], vec![3], vec![f64::INFINITY]));
    assert!(model.predict(&wide).is_err());
}

#[test]
fn a_caller_sees_all_stages_and_can_stop() {
    let (x, y) = heart();
    for fisher in [Fisher::new(rbf(0.1)), Fisher::new(rbf(0.1)).points(5)] {
        let mut done = vec![0.0];
        let mut watch = |event: Event<'_>| {
            let Event::Stage(stage) = event else { panic!("algebra has stages") };
            done.push(stage.done);
            ControlFlow::Continue(())
        };
        fisher.fit_in(&x, &y, &mut Job::new().watched(&mut watch)).unwrap();
        assert!(done.is_sorted() && done.last() == Some(&1.0), "{done:?}");
        let mut stop = |_: Event<'_>| ControlFlow::Break(());
        let stopped = fisher.fit_in(&x, &y, &mut Job::new().watched(&mut stop)).unwrap_err();
        assert!(matches!(stopped.kind(), ErrorKind::Interrupted));
    }
}
