//! Cross-validation within pairs: who is left out, what is decided, what is refused.

use std::sync::Mutex;

use super::left_out::{Data, Pair};
use super::*;
use crate::data::Vectors;
use crate::error::{DataProblem, ErrorKind};
use crate::kernel::{VectorExpr, polynomial, rbf};
use crate::model::{Event, NuSvc, Svc, Svr};

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
    let pair = Pair::new(&y, &[1.0; 30], (0, 2), &Settings::default());
    assert_eq!(pair.labels.classes(), ["c", "b"]);
    let found = pair.left_out(&x, 3, |part| svc.fit(part.x, part.y)).unwrap();

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
    let fit = |part: &Data<'_, Vectors>| Svc::new(rbf(1.0)).fit(part.x, part.y);
    for (names, expected) in [(["a", "b", "b", "b"], -1.0), (["b", "a", "b", "b"], 1.0)] {
        let y = Labels::first_seen(names);
        let pair = Pair::new(&y, &[1.0; 4], (0, 1), &Settings::default());
        assert_eq!(pair.folds.count(), 4);
        let alone = names.iter().position(|&name| name == "a").unwrap();
        let fold = (0..4).find(|&fold| pair.folds.split(fold).0 == [alone]).unwrap();
        assert_eq!(pair.left_out(&x, fold, fit).unwrap(), [(alone, expected)]);
    }
}

#[test]
fn two_points_have_probabilities() {
    let (x, y) = (line(&[0.0, 1.0]), Labels::first_seen(["a", "b"]));
    for method in [Curve::Sigmoid, Curve::Isotonic] {
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

/// Points that no boundary tells apart, with weights of 0 to 3, and the same with so many copies of each.
fn weighted() -> (Vectors, Vec<usize>, Vec<f64>) {
    let values: Vec<f64> = (0..60).map(|i| (f64::from(i) * 0.37).sin() + f64::from(i % 5) * 0.3).collect();
    let weights: Vec<f64> = (0..60).map(|i| f64::from((i * 7) % 4)).collect();
    let copies = (0..60).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    (line(&values), copies, weights)
}

#[test]
fn weights_reach_the_fits_and_the_calibration() {
    let (x, _, weights) = weighted();
    let names: Vec<&str> = (0..60).map(|i| ["a", "b", "c"][(i / 4) % 3]).collect();
    let y = Labels::first_seen(&names);
    let settings = |method| Settings { method, ..Settings::default() };
    let (svc, nu) = (Svc::new(rbf(2.0)).c(3.0), NuSvc::new(rbf(2.0)).nu(0.4));
    for method in [Curve::Sigmoid, Curve::Isotonic] {
        let settings = settings(method);
        let plain = svc.fit_probability(&x, &y, &settings).unwrap();
        // Weights of 1 are no weights, to the bit.
        let weighed = |weights: &[f64]| {
            svc.fit_probability_in(&x, &y, &settings, &mut Job::new().weights(weights)).unwrap()
        };
        assert_eq!(weighed(&[1.0; 60]), plain);
        let found = weighed(&weights);
        assert_ne!(found, plain);
        // What has no weight is not there.
        let there: Vec<usize> = (0..60).filter(|&i| weights[i] > 0.0).collect();
        let own: Vec<f64> = there.iter().map(|&i| weights[i]).collect();
        let (some_x, some_y) = (x.select(&there), y.select(&there));
        let job = || Job::new().weights(&own);
        assert_eq!(svc.fit_probability_in(&some_x, &some_y, &settings, &mut job()).unwrap(), found);
        let found = nu.fit_probability_in(&x, &y, &settings, &mut Job::new().weights(&weights)).unwrap();
        assert_eq!(nu.fit_probability_in(&some_x, &some_y, &settings, &mut job()).unwrap(), found);
    }
}

#[test]
fn a_weight_is_about_so_many_copies_of_the_point() {
    // Copies fall into other folds, so that the two agree as two draws do.
    let (x, copies, weights) = weighted();
    let y = Labels::first_seen((0..60).map(|i| if (i / 3) % 2 == 0 { "a" } else { "b" }));
    let svc = Svc::new(rbf(0.2));
    let p = |weights: &[f64], x: &Vectors, y: &Labels| {
        let settings = Settings { folds: 20, ..Settings::default() };
        let found = svc.fit_probability_in(x, y, &settings, &mut Job::new().weights(weights));
        found.unwrap().classes(&[0.2], 2)[0]
    };
    let once = p(&weights, &x, &y);
    let repeated = p(&[], &x.select(&copies), &y.select(&copies));
    assert!((once - repeated).abs() < 0.1, "{once} {repeated}");

    let targets: Vec<f64> = (0..60).map(|i| (f64::from(i) * 2.1).cos()).collect();
    let of = |index: &[usize]| index.iter().map(|&i| targets[i]).collect::<Vec<_>>();
    let svr = Svr::new(rbf(0.2));
    let settings = Settings { folds: 20, ..Settings::default() };
    let mut job = Job::new().weights(&weights);
    let once = svr.fit_noise_in(&x, &targets, &settings, &mut job).unwrap().sigma;
    let repeated = svr.fit_noise(&x.select(&copies), &of(&copies), 20, 0).unwrap().sigma;
    assert!((once / repeated - 1.0).abs() < 0.15, "{once} {repeated}");
}

#[test]
fn noise_of_weights_is_that_of_the_points_that_are_there() {
    let (x, _, weights) = weighted();
    let targets: Vec<f64> = (0..60).map(|i| (f64::from(i) * 2.1).cos()).collect();
    let svr = Svr::new(rbf(0.5));
    let plain = svr.fit_noise(&x, &targets, 5, 3).unwrap();
    let settings = Settings { folds: 5, seed: 3, ..Settings::default() };
    let noise = |x: &Vectors, y: &[f64], weights: &[f64]| {
        svr.fit_noise_in(x, y, &settings, &mut Job::new().weights(weights)).unwrap()
    };
    assert_eq!(noise(&x, &targets, &[1.0; 60]), plain);
    let found = noise(&x, &targets, &weights);
    let there: Vec<usize> = (0..60).filter(|&i| weights[i] > 0.0).collect();
    let own = |values: &[f64]| there.iter().map(|&i| values[i]).collect::<Vec<_>>();
    assert_eq!(noise(&x.select(&there), &own(&targets), &own(&weights)), found);
    assert_ne!(found, plain);
    let twice = Noise::of_weighted_residuals(&[1.0, -4.0, 9.0], &[2.0, 1.0, 0.0]);
    assert!((twice.sigma - 2.0).abs() < 1e-15);
}

#[test]
fn a_share_that_a_fold_has_no_room_for_is_made_smaller() {
    // 7 of 20: the largest ν is 0.7, and a fold can leave 5 of 16.
    let x = line(&(0..20).map(|i| (f64::from(i) * 0.9).sin()).collect::<Vec<_>>());
    let y = Labels::first_seen((0..20).map(|i| if i % 3 == 0 { "a" } else { "b" }));
    let nu = NuSvc::new(rbf(1.0)).nu(0.7);
    assert!(nu.fit(&x, &y).is_ok());
    assert_eq!(nu.fit_probability(&x, &y, &Settings::default()).unwrap().pairs.len(), 1);
    let error = nu.nu(0.71).fit_probability(&x, &y, &Settings::default()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Data(DataProblem::NuTooLarge { .. })), "{error}");
}

#[test]
fn the_price_of_the_mean_error_is_that_of_all_classes() {
    let x = line(&(0..60).map(|i| (f64::from(i) * 0.37).sin()).collect::<Vec<_>>());
    let y = Labels::first_seen((0..60).map(|i| ["a", "b", "c"][(i / 2) % 3]));
    let settings = Settings { folds: 4, ..Settings::default() };
    // A pair has 40 points and a fold leaves 30 of them; C/60 for each error is 4/3 of that over the 30.
    let mean = Svc::new(rbf(2.0)).c(60.0).mean(true).fit_probability(&x, &y, &settings).unwrap();
    let plain = Svc::new(rbf(2.0)).c(4.0 / 3.0).fit_probability(&x, &y, &settings).unwrap();
    for (mean, plain) in mean.pairs.iter().zip(&plain.pairs) {
        assert!((mean.probability(0.4) - plain.probability(0.4)).abs() < 1e-6, "{mean:?} {plain:?}");
    }
}

#[test]
fn a_watch_ends_every_fit() {
    let x = line(&(0..60).map(|i| (f64::from(i) * 0.37).sin()).collect::<Vec<_>>());
    let y = Labels::first_seen((0..60).map(|i| ["a", "b", "c"][(i / 2) % 3]));
    let parts = Mutex::new(std::collections::BTreeSet::new());
    let mut watch = |event: Event<'_>| {
        let Event::Round(progress) = event else { panic!("a solver has rounds") };
        parts.lock().unwrap().insert((progress.part, progress.parts));
        std::ops::ControlFlow::Continue(())
    };
    let svc = Svc::new(rbf(2.0));
    let found =
        svc.fit_probability_in(&x, &y, &Settings::default(), &mut Job::new().watched(&mut watch)).unwrap();
    assert_eq!(found, svc.fit_probability(&x, &y, &Settings::default()).unwrap());
    assert!(parts.lock().unwrap().iter().copied().eq((0..15).map(|part| (part, 15))));
    let mut calls = 0;
    let mut stop = |_: Event<'_>| {
        calls += 1;
        std::ops::ControlFlow::Break(())
    };
    svc.fit_probability_in(&x, &y, &Settings::default(), &mut Job::new().watched(&mut stop)).unwrap();
    assert_eq!(calls, 1);
}
