//! `linear-train` and `linear-predict` behave as LIBLINEAR's `train` and `predict`. The objectives are those of LIBLINEAR 2.50 with
//! `-e 1e-8`; of `-s 3` and `-s 13`, which it ends after 300 passes, those of the copy of it in scikit-learn 1.9 with `tol=1e-9` and without that
//! limit.

mod common;

use common::{Place, assert_close, number};

/// Solver, data and objective: of the dual as a minimum for the solvers of the dual, else of the primal.
const OBJECTIVES: [(u32, &str, f64); 8] = [
    (0, "heart_scale", 95.493_914_724),
    (1, "heart_scale", -115.137_422_875),
    (2, "heart_scale", 115.137_422_875),
    (3, "heart_scale", -92.957_716_189),
    (7, "heart_scale", -95.493_914_724),
    (11, "iris_scale", 5.842_480_720),
    (12, "iris_scale", -5.842_480_720),
    (13, "iris_scale", -15.813_628_825),
];

/// `-e` for a gap of 1e-9 of the objective with each solver.
fn tight(solver: u32) -> &'static str {
    match solver {
        0 | 2 => "-e 1e-7",
        11 => "-e 1e-9",
        _ => "-e 1e-6",
    }
}

#[test]
fn objectives_are_those_of_liblinear() {
    let place = Place::new();
    // The gap leaves at most 1e-9 of the objective, LIBLINEAR's own tolerance about 1e-7.
    for (solver, data, objective) in OBJECTIVES {
        let tolerance = tight(solver);
        let command = format!("linear-train -s {solver} {tolerance} -B 1 @{data} m");
        let out = place.run(&command).ok().out;
        assert_close(number(&out, "Objective value") / objective, 1.0, 1e-6);
    }
}

#[test]
fn the_model_is_liblinears_text() {
    let place = Place::new();
    let out = place.run("linear-train @heart_scale").ok().out;
    let names: Vec<&str> = out.lines().filter_map(|line| line.split(" = ").next()).collect();
    assert_eq!(names, ["optimization finished, #iter", "Objective value"]);
    let text = place.read("heart_scale.libsvm.gz.model");
    let head = "solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 13\nbias -1\nw\n";
    assert!(text.starts_with(head), "{text}");
    assert_eq!(text.lines().count(), 6 + 13);
    let out = place.run("linear-predict @heart_scale heart_scale.libsvm.gz.model out").ok().out;
    assert!(out.starts_with("Accuracy = ") && out.ends_with("/270)\n"), "{out}");
    assert_eq!(place.read("out").lines().count(), 270);

    assert_eq!(place.run("linear-train -q -s 3 -B 0.5 @iris_scale m").ok().out, "");
    let text = place.read("m");
    assert!(text.starts_with(
        "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 3\nlabel 1 2 3\nnr_feature 4\nbias 0.5\nw\n"
    ));
    assert_eq!(text.lines().count(), 6 + 5);
    assert!(text.lines().skip(6).all(|line| line.split_whitespace().count() == 3));
    assert_eq!(place.run("linear-predict -q @iris_scale m out").ok().out, "");
}

#[test]
fn logistic_regression_has_probabilities() {
    let place = Place::new();
    place.run("linear-train -q -s 0 -B 1 @iris_scale m").ok();
    let out = place.run("linear-predict -b 1 @iris_scale m p").ok().out;
    place.run("linear-predict @iris_scale m out").ok().says(&out);
    let (rows, labels) = (place.read("p"), place.read("out"));
    assert_eq!(rows.lines().next(), Some("labels 1 2 3"));
    for (row, label) in rows.lines().skip(1).zip(labels.lines()) {
        let cells: Vec<&str> = row.split(' ').collect();
        assert_eq!((cells.len(), cells[0]), (4, label));
        let sum: f64 = cells[1..].iter().map(|cell| cell.parse::<f64>().unwrap()).sum();
        // Six digits each.
        assert_close(sum, 1.0, 3e-6);
    }
    // A row without a feature is on the plane: both classes are as likely, and it is of the second.
    place.write("rows", "1 1:2\n-1 1:-1\n1\n");
    place.run("linear-train -q -s 0 rows m").ok();
    place.run("linear-predict -q -b 1 rows m p").ok();
    assert_eq!(place.read("p").lines().last(), Some("-1 0.5 0.5"));
    place.run("linear-predict -q rows m out").ok();
    assert_eq!(place.read("out"), "1\n-1\n-1\n");
    place.run("linear-train -q @iris_scale m").ok();
    place
        .run("linear-predict -b 1 @iris_scale m out")
        .refused(1)
        .says("only supported for logistic regression");
}

#[test]
fn regression_prints_liblinears_lines() {
    let place = Place::new();
    for solver in [11, 12, 13] {
        place.run(&format!("linear-train -q -s {solver} -p 0.05 -B 1 @iris_scale m")).ok();
        let text = place.read("m");
        assert!(text.contains("\nnr_class 2\nnr_feature 4\nbias 1\nw\n"), "{text}");
        let out = place.run("linear-predict @iris_scale m out").ok().out;
        let lines: Vec<&str> = out.lines().collect();
        assert!(lines.len() == 2 && lines.iter().all(|line| line.ends_with(" (regression)")), "{out}");
        // Three classes in a row, by a line through four features.
        assert_close(number(&out, "Mean squared error"), 0.047, 0.01);
        let out = place.run(&format!("linear-train -v 5 -s {solver} -B 1 @iris_scale")).ok().out;
        assert_close(number(&out, "Cross Validation Mean squared error"), 0.05, 0.015);
        assert!(number(&out, "Cross Validation Squared correlation coefficient") > 0.9, "{out}");
    }
}

#[test]
fn one_class_has_liblinears_lines_and_units() {
    let place = Place::new();
    // LIBLINEAR 2.50, -s 21 -e 1e-10.
    for (nu, objective, rho, support) in
        [(0.5, 8_750.837_422, 201.259_657, 137.0), (0.2, 569.605_595, 31.366_211, 58.0)]
    {
        let out = place.run(&format!("linear-train -s 21 -n {nu} -e 1e-9 @heart_scale m")).ok().out;
        let names: Vec<&str> = out.lines().filter_map(|line| line.split(" = ").next()).collect();
        assert_eq!(names, ["optimization finished, #iter", "Objective value", "nSV", "rho"]);
        // The gap leaves 1e-11 of the objective and so about its root of ρ.
        assert_close(number(&out, "Objective value") / objective, 1.0, 1e-8);
        assert_close(number(&out, "rho") / rho, 1.0, 1e-5);
        assert_eq!(number(&out, "nSV"), support);
    }
    let text = place.read("m");
    assert!(
        text.starts_with("solver_type ONECLASS_SVM\nnr_class 2\nnr_feature 13\nbias -1\nrho 31.36"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 6 + 13);
    let out = place.run("linear-predict @heart_scale m out").ok().out;
    assert!(out.starts_with("Accuracy = "), "{out}");
    // A share ν of the rows is outside, but for those on the boundary.
    let outside = place.read("out").lines().filter(|line| *line == "-1").count();
    assert!((54 - 14..=58).contains(&outside), "{outside}");
    place.run("convert m m.mercer").ok().says("mercer model");
    place.run("convert m.mercer again").ok().says("LIBLINEAR model text");
    assert_eq!(place.read("again"), text);
    // LIBLINEAR: 40.4 % in its own folds.
    let out = place.run("linear-train -s 21 -v 5 @heart_scale").ok().out;
    assert!((38.0..45.0).contains(&number(&out, "Cross Validation Accuracy")), "{out}");
}

#[test]
fn cross_validation_writes_no_model() {
    let place = Place::new();
    let out = place.run("linear-train -v 5 @heart_scale").ok().out;
    // LIBLINEAR's own folds give 82 to 85 %.
    assert!((80.0..88.0).contains(&number(&out, "Cross Validation Accuracy")), "{out}");
    assert!(out.ends_with("%\n"));
    place.run("linear-train -v 200 -q -w3 2 @iris_scale").ok().says("WARNING: # folds > # data");
    assert!(place.files().is_empty());
}

#[test]
fn c_is_searched_for() {
    let place = Place::new();
    let run = place.run("linear-train -C -B 1 @heart_scale").ok();
    assert_eq!(run.err, "Solver not specified. Using -s 2\n");
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[0], "Doing parameter search with 5-fold cross validation.");
    // 2⁻¹³ is the largest power of two below 1/(2 · 270 · the largest ‖x‖²), which is 13.6.
    assert!(lines[1].starts_with("log2c= -13.00\trate="), "{}", lines[1]);
    assert_eq!(lines.len(), 1 + 24 + 2);
    assert_eq!(lines[25], "WARNING: maximum C reached.");
    assert!((80.0..90.0).contains(&number(lines[26], "CV accuracy")), "{}", lines[26]);
    let out = place.run("linear-train -q -C -s 11 -v 2 -c 1024 -p 0.3 @iris_scale").ok().out;
    assert!(out.contains("Best C = ") && out.contains(" Best p = ") && out.contains("  CV MSE = "), "{out}");
    assert!(place.files().is_empty());
}

#[test]
fn weights_of_classes_and_a_free_bias_count() {
    let place = Place::new();
    let offset = |options: &str| -> f64 {
        let run = place.run(&format!("linear-train -s 2 -e 1e-7 -B 1 {options} @heart_scale m")).ok();
        assert_eq!(run.err.is_empty(), !options.contains("-w7"));
        place.read("m").lines().last().unwrap().trim().parse().unwrap()
    };
    let plain = offset("");
    assert!(offset("-w1 5") > plain && offset("-w-1 5") < plain);
    assert_eq!(offset("-w7 5"), plain);
    assert!((offset("-R") - plain).abs() > 1e-6);
    place.run("linear-train -w7 5 -q @heart_scale m").says("class label 7 specified in weight is not found");
}

#[test]
fn other_commands_read_the_text() {
    let place = Place::new();
    place.run("linear-train -q -s 0 -B 1 @iris_scale iris.model").ok();
    let found = place.run("inspect --json iris.model").ok().json();
    assert_eq!((&found["kind"], &found["loss"]), (&"LIBLINEAR model text".into(), &"logistic".into()));
    place.run("predict @iris_scale iris.model a").ok();
    place.run("convert iris.model iris.mercer").ok().says("mercer model");
    place.run("predict @iris_scale iris.mercer b").ok();
    place.run("convert iris.mercer again.model").ok().says("LIBLINEAR model text");
    place.run("linear-predict -q @iris_scale again.model c").ok();
    assert_eq!(place.read("again.model"), place.read("iris.model"));
    assert_eq!(place.read("a"), place.read("b"));
    assert_eq!(place.read("a"), place.read("c"));
    place.run("convert --to libsvm-model iris.mercer no.model").refused(5).says("kind 'logistic'");
    place.run("svm-train -q @iris_scale svm.model").ok();
    place.run("convert --to liblinear-model svm.model no.model").refused(5).says("kind 'svc'");
    place.run("linear-train -q -s 0 @iris_scale iris2.mercer").ok();
    assert_eq!(place.run("inspect --json iris2.mercer").ok().json()["training"]["c"], 1.0);
}

#[test]
fn features_without_a_weight_are_not_looked_at() {
    let place = Place::new();
    place.write("train", "1 1:1 2:0.5\n-1 1:-1 2:0.25\n1 1:2\n-1 2:1\n");
    place.write("test", "1 1:3 2147483647:9\n-1 1:-3\n");
    place.run("linear-train -q train m").ok();
    let out = place.run("linear-predict test m out").ok().out;
    assert_eq!((out.as_str(), place.read("out").as_str()), ("Accuracy = 100% (2/2)\n", "1\n-1\n"));
}

#[test]
fn what_cannot_be_done_is_refused() {
    let place = Place::new();
    place.refuses(
        "linear-train {} @heart_scale m",
        "-s 21 -B 1 => 2 -B: -s 21 has no bias
         -s 21 -n 1.5 => 2 nu = 1.5: must
         -s 8 => 2 -s 8: must be 0 to 7, 11, 12, 13 or 21
         -c 0 => 2 c = 0: must be positive and finite
         -s 11 -p -1 => 2 epsilon = -1: must be finite and not negative
         -C -s 3 => 2 -C: parameters are searched for with -s 0, -s 2 and -s 11
         -R => 2 -R: to leave the bias out of the penalty, say -B 1 too
         -z => 2 unknown option -z",
    );
    place.run("linear-train").refused(2).says("Usage: linear-train");
    place.run("linear-predict a b").refused(2).says("Usage: linear-predict");
    place.write("m", "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2147483647\nbias -1\nw\n1 \n");
    place
        .run("linear-predict @heart_scale m out")
        .refused(1)
        .says("m:8:1: the file ends where a line of weights");
    place.write("empty", "1\n-1\n");
    place.run("linear-train empty m2").refused(5).says("data without features");
    place.write("names", "cat 1:1\ndog 1:2\n");
    place.run("linear-train names m2").refused(5).says("class 'cat' in a LIBLINEAR model");
    assert_eq!(place.files(), ["empty", "m", "names"]);
}

#[test]
#[cfg(unix)]
fn a_link_of_that_name_is_the_program() {
    let place = Place::new();
    for name in ["linear-train", "liblinear-train"] {
        let link = place.path(name);
        std::os::unix::fs::symlink(common::program(), &link).unwrap();
        let mut command = std::process::Command::new(&link);
        command.arg(common::data("heart_scale")).arg(name.to_owned() + ".model").current_dir(place.path(""));
        let run: common::Run = command.output().unwrap().into();
        assert!(run.ok().out.contains("Objective value = "));
    }
    let link = place.path("liblinear-predict");
    std::os::unix::fs::symlink(common::program(), &link).unwrap();
    let mut command = std::process::Command::new(&link);
    command.arg(common::data("heart_scale")).args(["linear-train.model", "out"]).current_dir(place.path(""));
    let run: common::Run = command.output().unwrap().into();
    assert!(run.ok().out.starts_with("Accuracy = "));
}
