//! Early prediction: trained, saved, shown and used, and said to be approximate everywhere.

mod common;

use common::Place;

/// Rows in three clouds of different classes, sparse; the last cloud has one class.
fn clouds(rows: u32) -> String {
    let row = |i: u32| {
        let (cloud, a, b) =
            (i % 3, f64::from(i * 7919 % 1000) / 500.0, f64::from(i * 104_729 % 1000) / 500.0);
        let label = if cloud == 2 || (a > 1.0) == (b > 1.0) { "yes" } else { "no" };
        format!("{label} {}:{a} {}:{b} 7:{}\n", 2 * cloud + 1, 2 * cloud + 2, 20 * cloud)
    };
    (0..rows).map(row).collect()
}

#[test]
fn cells_go_all_the_way() {
    let place = Place::new();
    place.write("rows", clouds(600));
    let trained = place.run("train --json --early=3 -c 1000 -k rbf(gamma=0.05) rows m").ok();
    let approximate =
        "approximate  3 cells of 200 rows; each row is decided by the machine of its cell alone";
    assert!(trained.err.contains(approximate), "{}", trained.err);
    assert!(trained.err.contains("certificate  of the cells, not of the whole: gap"), "{}", trained.err);
    assert!(trained.err.contains("summed over the cells"), "{}", trained.err);
    let object = trained.json();
    assert!(object["gap"].is_null() && object["objective"].is_null(), "{object}");
    assert_eq!(object["cells"]["sizes"], serde_json::json!([200, 200, 200]));
    assert!(object["cells"]["gap"].as_f64().unwrap() < 10.0, "{object}");
    assert_eq!((&object["method"], &object["stop"]), (&"local".into(), &"converged".into()));

    // The classes lie apart but for the border: nearly all rows are right, and narrower rows are no hindrance.
    let report = place.run("predict --json rows m out").ok().json();
    assert!(report["accuracy"].as_f64().unwrap() > 0.97, "{report}");
    place.write("wide", "no 1:0.2 2:1.8 7:0 9:0\nyes 5:0.2 6:1.8 7:40 9:0\n");
    assert_eq!(place.run("predict -q wide m").ok().out, "no\nyes\n");

    let shown = place.run("inspect m").ok().out;
    assert!(shown.contains("local, 2 classes by the classifiers of 3 cells, approximate"), "{shown}");
    assert!(shown.contains("of the cells, not of the whole: converged: gap"), "{shown}");
    assert!(shown.contains("always 'yes'"), "{shown}");
    let shown = place.run("inspect --json m").ok().json();
    assert_eq!((&shown["approximate"], shown["cells"].as_array().unwrap().len()), (&true.into(), 3));
    assert_eq!(shown["support_vectors"], object["support_vectors"]);

    // A model of the same kind, not LIBSVM's.
    place.run("convert m again.mercer").ok();
    assert_eq!(place.run("predict -q rows again.mercer").ok().out, place.read("out"));
    let refused = place.run("convert m m.model").refused(5);
    assert!(refused.err.contains("kind 'local' in a LIBSVM model"), "{}", refused.err);
    for option in ["--decisions", "--scores", "--probabilities"] {
        let refused = place.run(&format!("predict {option} rows m")).refused(2);
        assert!(refused.err.contains("do not compare"), "{}", refused.err);
    }
}

#[test]
fn one_cell_is_the_exact_machine_and_threads_make_no_difference() {
    let place = Place::new();
    place.write("rows", clouds(400));
    place.run("train -q -c 10 rows exact").ok();
    place.run("train -q --early=1 -c 10 rows one").ok();
    let labels = |model: &str| place.run(&format!("predict -q rows {model}")).ok().out;
    assert_eq!(labels("exact"), labels("one"));
    place.trains_alike("--early --threads 1 -c 10 rows", "--early --threads 3 -c 10 rows");
}

#[test]
fn what_cells_do_not_have_is_refused() {
    let place = Place::new();
    place.write("rows", clouds(60));
    let refused = |options: &str, code: i32| place.run(&format!("train {options} rows m")).refused(code).err;
    assert!(refused("--early=0", 2).contains("cells = 0: must be from 1 to 512"));
    assert!(refused("--early=513", 2).contains("cells = 513"));
    assert!(refused("--early=many", 2).contains("many"));
    assert!(refused("--early -m svr", 2).contains("--early: --method svr does not have it"));
    assert!(refused("--early -m ridge", 2).contains("--early: --method ridge does not have it"));
    assert!(refused("--early --multiclass ovr", 2).contains("--early does not have it; it has ovo"));
    assert!(refused("--early --multiclass ovo-sum", 2).contains("--early does not have it; it has ovo"));
    assert!(refused("--early --multilabel", 2).contains("--multilabel: --early does not have it"));
    assert!(refused("--early --probability platt", 2).contains("--probability: --early does not have it"));
    assert!(refused("--early --libsvm", 5).contains("kind 'local' in a LIBSVM model"));
    place.run("train -q --early --multiclass ovo rows m").ok();
}

#[test]
fn a_time_limit_marks_the_model() {
    let place = Place::new();
    place.write("rows", clouds(600));
    let trained = place.run("train --json --early=4 --time-limit 0 rows m").ok();
    assert_eq!(trained.says("the time limit was reached").json()["stop"], "time-limit");
    place.run("predict -q rows m").ok();
}
