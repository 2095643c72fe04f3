//! Cross-validation within pairs: who is left out, what is decided, what is refused.

use std::sync::Mutex;

use super::*;
use crate::data::Vectors;
use crate::error::{DataProblem, ErrorKind};
use crate::kernel::{VectorExpr, polynomial, rbf};

fn line(values: &[f64]) -> Vectors {
    Vectors::dense(1, values.to_vec())
}

#[test]
fn a_fold_is_decided_by_the_machine_of_the_others() {
    let values: Vec<f64> = (0..30).map(|i| (f64::from(i) * 1.3).sin()).collect();
    let x = line(&values);
    let y = Labels::first_seen((0..30).map(|i| ["c", "a", "b"][i % 3]));
    let svc = Svc::new(rbf(2.0));
    // Classes c and b, the first and the last of three.
    let pair = Pair::new(&y, (0, 2), &Settings::default());
    assert_eq!(pair.labels.classes(), ["c", "b"]);
    let found = pair.left_out(&x, 3, &|x: &Vectors, y: &Labels| svc.fit(x, y)).unwrap();

    let (out, rest) = pair.folds.split(3);
    let rest: Vec<usize> = rest.iter().map(|&i| pair.index[i]).collect();
    let names: Vec<&str> = rest.iter().map(|&i| y.name(i)).collect();
    let labels = Labels::first_seen(&names).reordered(vec!["c".into(), "b".into()]);
    let model = svc.fit(&x.select(&rest), &labels).unwrap();
    assert_eq!(found.len(), 4);
    for ((i, decision), expected) in found.iter().zip(&out) {
        assert_eq!(i, expected);
        let one = model.decisions(&x.select(&[pair.index[*i]])).unwrap();
        assert_eq!(*decision, one.row(0)[0]);
    }
}

#[test]
fn no_machine_sees_the_points_it_decides() {
    let values: Vec<f64> = (0..23).map(f64::from).collect();
    let x = line(&values);
    let y = Labels::first_seen((0..23).map(|i| if i % 3 == 0 { "a" } else { "b" }));
    let seen = Mutex::new(Vec::new());
    let fit = |x: &Vectors, y: &Labels| {
        let points: Vec<usize> = (0..x.len()).map(|i| x.row(i).get(0) as usize).collect();
        seen.lock().unwrap().push(points);
        Svc::new(rbf(0.1)).fit(x, y)
    };
    Probability::fit(&x, &y, &Settings { folds: 4, ..Settings::default() }, fit).unwrap();
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen.len(), 4);
    // Each point is missing exactly once.
    for i in 0..23 {
        assert_eq!(seen.iter().filter(|points| points.contains(&i)).count(), 3, "{i}");
    }
}

#[test]
fn a_fold_whose_complement_has_one_class_is_decided_for_it() {
    let x = line(&[0.0, 1.0, 2.0, 3.0]);
    let fit = |x: &Vectors, y: &Labels| Svc::new(rbf(1.0)).fit(x, y);
    for (names, expected) in [(["a", "b", "b", "b"], -1.0), (["b", "a", "b", "b"], 1.0)] {
        let y = Labels::first_seen(names);
        let pair = Pair::new(&y, (0, 1), &Settings::default());
        assert_eq!(pair.folds.count(), 4);
        let alone = names.iter().position(|&name| name == "a").unwrap();
        let fold = (0..4).find(|&fold| pair.folds.split(fold).0 == [alone]).unwrap();
        assert_eq!(pair.left_out(&x, fold, &fit).unwrap(), [(alone, expected)]);
    }
}

#[test]
fn two_points_have_probabilities() {
    let (x, y) = (line(&[0.0, 1.0]), Labels::first_seen(["a", "b"]));
    for method in [Method::Sigmoid, Method::Isotonic] {
        let settings = Settings { method, ..Settings::default() };
        let found = Svc::new(rbf(1.0)).fit_probability(&x, &y, &settings).unwrap();
        let p = found.classes(&[0.3], 2);
        assert!((p[0] + p[1] - 1.0).abs() < 1e-12 && p[0] > 0.0 && p[1] > 0.0, "{p:?}");
    }
}

#[test]
fn weights_of_classes_reach_their_pairs_and_no_others() {
    let values: Vec<f64> = (0..60).map(|i| (f64::from(i) * 0.37).sin()).collect();
    let x = line(&values);
    let y = Labels::first_seen((0..60).map(|i| ["a", "b", "c"][(i / 2) % 3]));
    let plain = Svc::new(rbf(2.0));
    let weighted = plain.clone().class_weight("c", 7.0);
    let settings = Settings::default();
    let (plain, weighted) = (
        plain.fit_probability(&x, &y, &settings).unwrap(),
        weighted.fit_probability(&x, &y, &settings).unwrap(),
    );
    assert_eq!(plain.pairs[0], weighted.pairs[0]);
    assert!(plain.pairs[1] != weighted.pairs[1] && plain.pairs[2] != weighted.pairs[2]);
}

#[test]
fn what_cannot_be_used_is_refused() {
    let x = line(&[0.0, 1.0, 2.0, 3.0]);
    let y = Labels::first_seen(["a", "a", "b", "b"]);
    let says = |svc: Svc<VectorExpr>, x: &Vectors, y: &Labels, folds: usize| {
        svc.fit_probability(x, y, &Settings { folds, ..Settings::default() }).unwrap_err().to_string()
    };
    assert_eq!(says(Svc::new(rbf(1.0)), &x, &y, 1), "folds = 1: must be at least 2");
    assert_eq!(says(Svc::new(rbf(1.0)).c(-1.0), &x, &y, 5), "c = -1: must be positive");
    let odd = Svc::new(rbf(1.0)).class_weight("z", 2.0);
    assert_eq!(says(odd, &x, &y, 5), "a weight for class 'z', which does not occur");
    let one = Labels::first_seen(["a"; 4]);
    assert_eq!(says(Svc::new(rbf(1.0)), &x, &one, 5), "only one class, 'a'; at least two are needed");

    let three = Labels::first_seen(["a", "b", "c", "a"]);
    let model = Svc::new(rbf(1.0)).fit(&x, &three).unwrap();
    let pair = Svc::new(rbf(1.0)).fit_probability(&x, &y, &Settings::default()).unwrap();
    assert_eq!(
        pair.predict(&model, &x).unwrap_err().to_string(),
        "calibrations = 1: must be one for each pair of the model's classes"
    );
}

#[test]
fn an_error_names_the_point_of_the_whole() {
    let mut values: Vec<f64> = (0..30).map(f64::from).collect();
    values[17] = 1e200;
    let y = Labels::first_seen((0..30).map(|i| ["a", "b", "c"][i % 3]));
    let svc = Svc::new(polynomial(2, 1.0, 0.0));
    let error = svc.fit_probability(&line(&values), &y, &Settings::default()).unwrap_err();
    match error.kind() {
        ErrorKind::Data(DataProblem::KernelNotFinite { row, column }) => assert!(*row == 18 || *column == 18),
        ErrorKind::Data(DataProblem::DecisionNotFinite { row }) => assert_eq!(*row, 18),
        other => panic!("{other}"),
    }
}
