//! Regression, the one-class machine and the sphere: trained, saved, shown, converted and used.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

mod common;

use common::{Place, assert_close, wave};

/// Reads predictions, one a line.
fn values(text: &str) -> Vec<f64> {
    text.lines().map(|line| line.parse().unwrap()).collect()
}

/// Labels and scores of `heart_scale`; the label is the side that the score is on.
fn scores(place: &Place, model: &str) -> Vec<(String, f64)> {
    let out = place.run(&format!("predict -q --decisions @heart_scale {model}")).ok().out;
    let (names, rows) = out.split_once('\n').unwrap();
    assert_eq!((names, rows.lines().count()), ("label\tscore", 270));
    let row = |line: &str| {
        let (label, score) = line.split_once('\t').unwrap();
        let score: f64 = score.parse().unwrap();
        assert_eq!(label, if score > 0.0 { "1" } else { "-1" }, "{line}");
        (label.to_owned(), score)
    };
    rows.lines().map(row).collect()
}

#[test]
fn a_regression_goes_all_the_way() {
    let place = Place::new();
    place.write("wave", wave(200));
    let trained = place.run("train --json -m svr -c 10 -p 0.05 -k rbf(gamma=1) wave wave.mercer").ok();
    let trained = trained.says("method       epsilon-svr, C = 10, epsilon = 0.05,").says("targets from -1.0");
    let trained = trained.json();
    assert_eq!((&trained["method"], &trained["epsilon"]), (&"epsilon-svr".into(), &0.05.into()));
    assert!(trained["classes"].is_null() && trained["nu"].is_null(), "{trained}");
    assert!(trained["gap"].as_f64().unwrap() < 0.1, "{trained}");

    let run = place.run("predict --json wave wave.mercer out").ok();
    let report = run.json();
    // Noise is uniform in [-0.05, 0.05]: its variance is 0.01/12, and that of the sine about 0.5.
    assert!(report["mean_squared_error"].as_f64().unwrap() < 0.002, "{report}");
    assert!(report["r_squared"].as_f64().unwrap() > 0.99, "{report}");
    assert!(report["accuracy"].is_null() && report["inside"].is_null(), "{report}");
    assert!(run.err.starts_with("error     mean square ") && run.err.contains(", R² 0.99"), "{}", run.err);
    let predicted = values(&place.read("out"));
    let exact: Vec<f64> = wave(200).lines().map(|l| l.split_once("1:").unwrap().1.parse().unwrap()).collect();
    predicted.iter().zip(&exact).for_each(|(f, x)| assert_close(*f, x.sin(), 0.1));

    let shown = place.run("inspect wave.mercer").ok().out;
    assert!(shown.contains("method       epsilon-svr, a function that predicts numbers"), "{shown}");
    assert!(shown.contains("training     C = 10, epsilon = 0.05, tolerance 0.001"), "{shown}");
    let shown = place.run("inspect --json wave.mercer").ok().json();
    assert_eq!(shown["certificates"][0]["objective"], trained["objective"]);
    assert_eq!((&shown["training"]["c"], &shown["training"]["epsilon"]), (&10.0.into(), &0.05.into()));
    assert!(shown["classes"].is_null(), "{shown}");

    place.run("convert wave.mercer wave.model").ok();
    assert!(
        place.read("wave.model").starts_with("svm_type epsilon_svr\nkernel_type rbf\ngamma 1\nnr_class 2\n")
    );
    place.run("convert wave.model back.mercer").ok();
    for model in ["wave.model", "back.mercer"] {
        place.run(&format!("predict -q wave {model} again")).ok();
        assert_eq!(place.read("again"), place.read("out"), "{model}");
    }
    let shown = place.run("inspect back.mercer").ok().out;
    assert!(shown.contains("method       svr,") && shown.contains("certificate  none"), "{shown}");
    let run = place.run("predict --decisions wave wave.mercer");
    assert_eq!(run.code, Some(2), "{}", run.out);
    assert!(run.err.contains("wave.mercer is a regression"), "{}", run.err);
}

#[test]
fn nu_finds_epsilon() {
    let place = Place::new();
    place.write("wave", wave(200));
    let run = place.run("train --json -m nu-svr --nu 0.4 -k rbf(gamma=1) -c 10 -t 1e-4 wave m.mercer").ok();
    let epsilon = run.json()["epsilon"].as_f64().unwrap();
    assert!(epsilon > 0.0 && epsilon < 0.05, "{epsilon}");
    assert!(run.err.contains("nu = 0.4, epsilon = 0.0") && run.err.contains("(found)"), "{}", run.err);
    // The same problem with ε given has the same answer.
    let given = format!("train --json -m svr -p {epsilon} -k rbf(gamma=1) -c 10 -t 1e-4 wave other.mercer");
    place.run(&given).ok();
    place.run("predict -q wave m.mercer a").ok();
    place.run("predict -q wave other.mercer b").ok();
    let (a, b) = (values(&place.read("a")), values(&place.read("b")));
    a.iter().zip(&b).for_each(|(a, b)| assert_close(*a, *b, 2e-3));
    place.run("convert m.mercer m.model").ok();
    assert!(place.read("m.model").starts_with("svm_type nu_svr\n"));
    assert_eq!(place.run("inspect --json m.mercer").ok().json()["method"], "nu-svr");
}

#[test]
fn one_class_and_sphere_decide_alike_with_rbf() {
    let place = Place::new();
    // 270 rows: C = 1/(νn) makes the sphere of the ν-hyperplane.
    place.run("train -q -m one-class --nu 0.2 -k rbf(gamma=0.1) -t 1e-5 @heart_scale plane.mercer").ok();
    let sphere =
        "train --json -m svdd -c 0.0185185185185 -k rbf(gamma=0.1) -t 1e-7 @heart_scale sphere.mercer";
    let trained = place.run(sphere).ok().json();
    let radius = trained["square_radius"].as_f64().unwrap();
    assert!(radius > 0.0 && radius < 1.0, "{trained}");
    let (a, b) = (scores(&place, "plane.mercer"), scores(&place, "sphere.mercer"));
    // α of the plane sum to νn = 54, those of the sphere to 1, and R² − ‖φ − a‖² is twice the sum.
    a.iter().zip(&b).for_each(|((_, a), (_, b))| assert_close(2.0 * a / 54.0, *b, 1e-5));
    let inside = b.iter().filter(|(label, _)| label == "1").count();
    let report = place.run("predict --json @heart_scale sphere.mercer out").ok().json();
    assert_eq!(report["inside"], inside);
    // At most a share ν outside, but for free support points, which lie on the boundary.
    assert!(inside >= 190, "{inside}");

    let shown = place.run("inspect sphere.mercer").ok().out;
    assert!(shown.contains("method       svdd, a sphere with R² = 0."), "{shown}");
    assert_eq!(place.run("inspect --json sphere.mercer").ok().json()["square_radius"], radius);
    let run = place.run("convert sphere.mercer sphere.model");
    assert_eq!((run.code, run.err.contains("kind 'svdd' in a LIBSVM model")), (Some(5), true), "{}", run.err);
    place.run("convert plane.mercer plane.model").ok();
    assert!(place.read("plane.model").starts_with("svm_type one_class\n"));
    assert_eq!(scores(&place, "plane.model"), a);
}

#[test]
fn only_labels_1_and_minus_1_are_compared_with_sides() {
    let place = Place::new();
    place.run("train -q -m one-class --nu 0.1 @iris_scale m.mercer").ok();
    let report = place.run("predict --json @iris_scale m.mercer out").ok().json();
    assert!(report["accuracy"].is_null() && report["inside"].is_number(), "{report}");
    place.write("new", "1 1:0 2:0 3:0 4:0\n-1 1:90\n");
    let run = place.run("predict new m.mercer out").ok();
    assert!(run.out.starts_with("accuracy  100 % (2 of 2)\ninside    50 % (1 of 2)\n"), "{}", run.out);
}

#[test]
fn points_without_labels_are_enough_for_one_class() {
    let place = Place::new();
    place.write("points.csv", "a,b\n1,2\n2,1\n1.5,1.5\n1,1\n2,2\n");
    place.run("train -q -m svdd --label none points.csv m.mercer").ok();
    assert_eq!(place.run("inspect --json m.mercer").ok().json()["features"], 2);
    let out = place.run("predict -q --label none points.csv m.mercer").ok().out;
    assert_eq!(out.lines().count(), 5);
    assert_eq!(place.run("train -m svr --label none points.csv").code, Some(2));
}

#[test]
fn scaling_and_columns_of_a_regression_are_stored_and_applied() {
    let place = Place::new();
    let mut table = String::from("kind,size,price\n");
    for i in 0..60 {
        let (kind, extra) = if i % 2 == 0 { ("house", 100.0) } else { ("flat", 0.0) };
        table.push_str(&format!("{kind},{},{}\n", 1000 + 10 * i, f64::from(i) + extra));
    }
    place.write("homes.csv", &table);
    place.run("train -q -m svr -c 1000 -p 0.5 -k linear --scale standard homes.csv").ok();
    place.write("new.csv", "size,kind\n1100,house\n1300,flat\n");
    let predicted = values(&place.run("predict -q --label none new.csv homes.csv.mercer").ok().out);
    assert_close(predicted[0], 110.0, 1.5);
    assert_close(predicted[1], 30.0, 1.5);
}

#[test]
fn a_trace_of_pairs_names_the_points_of_each_step() {
    let place = Place::new();
    place
        .run("train -q --working-set 2 --first-order --no-shrinking --trace t.csv @heart_scale m.mercer")
        .ok();
    let text = place.read("t.csv");
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(header[header.len() - 2..], ["first", "second"]);
    let last = |line: &str| line.split(',').skip(header.len() - 2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(last(lines.next().unwrap()), ["", ""]);
    for line in lines {
        let points: Vec<usize> = last(line).iter().map(|word| word.parse().unwrap()).collect();
        assert!(points[0] != points[1] && points.iter().all(|point| (1..=270).contains(point)), "{line}");
    }
    place.run("train -q --trace t.csv @heart_scale m.mercer").ok();
    assert!(place.read("t.csv").lines().skip(1).all(|line| line.ends_with(",,")));
}
