//! Probabilities by every door: learnt, saved, shown, converted, predicted; as LIBSVM has them where it has them.
//!
//! The models and answers of `../../mercer/tests/probability/models` are LIBSVM 3.37's.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

mod common;

use std::path::{Path, PathBuf};

use common::{Place, assert_close, number, wave};

/// A file that LIBSVM made.
fn libsvms(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mercer/tests/probability/models").join(name)
}

/// A line of names and the rows below it, split at `separator`.
fn table(text: &str, separator: char) -> (String, Vec<Vec<String>>) {
    let (names, rows) = text.split_once('\n').unwrap();
    let row = |line: &str| line.split(separator).map(str::to_owned).collect();
    (names.to_owned(), rows.lines().map(row).collect())
}

fn value(cell: &str) -> f64 {
    cell.parse().unwrap()
}

/// What the program predicts for a data set with one of LIBSVM's models.
fn predicted(place: &Place, command: &str, data: &str, model: &str) -> String {
    std::fs::copy(libsvms(&format!("{model}.model")), place.path("theirs.model")).unwrap();
    place.run(&format!("{command} @{data} theirs.model out")).ok();
    place.read("out")
}

#[test]
fn libsvms_models_have_libsvms_probabilities() {
    let place = Place::new();
    for [model, data] in [
        ["heart", "heart_scale"],
        ["glass", "glass_scale"],
        ["iris_nu", "iris_scale"],
        ["wine_one_class", "wine_scale"],
    ] {
        let (names, rows) = table(&predicted(&place, "svm-predict -b 1", data, model), ' ');
        let (their_names, their_rows) =
            table(&std::fs::read_to_string(libsvms(&format!("{model}.out"))).unwrap(), ' ');
        assert_eq!(names, their_names, "{model}");
        assert_eq!(their_rows.len(), rows.len().div_ceil(5), "{model}");
        for (ours, theirs) in rows.iter().step_by(5).zip(&their_rows) {
            assert_eq!((&ours[0], ours.len()), (&theirs[0], theirs.len()), "{model}");
            for (a, b) in ours[1..].iter().zip(&theirs[1..]) {
                // Ours are printed with 6 digits, as `svm-predict` has it.
                assert_close(value(a), value(b), 5.1e-6 * value(b));
            }
        }
    }
}

#[test]
fn two_classes_are_libsvms_but_for_the_rounding_of_kernel_values() {
    // One pair is not coupled, and `mercer predict` prints every digit.
    let place = Place::new();
    let out = predicted(&place, "predict -q --probabilities", "heart_scale", "heart");
    let (names, rows) = table(&out, '\t');
    assert_eq!(names, "label\t1\t-1");
    let (_, their_rows) = table(&std::fs::read_to_string(libsvms("heart.out")).unwrap(), ' ');
    for (ours, theirs) in rows.iter().step_by(5).zip(&their_rows) {
        assert_eq!(ours[0], theirs[0]);
        // Kernel values are rounded to single precision.
        ours[1..].iter().zip(&theirs[1..]).for_each(|(a, b)| assert_close(value(a), value(b), 3e-6));
    }
}

#[test]
fn the_noise_of_libsvms_regression_is_told() {
    let place = Place::new();
    std::fs::copy(libsvms("iris_svr.model"), place.path("m")).unwrap();
    let text = place.read("m");
    let sigma = value(text.lines().find_map(|line| line.strip_prefix("probA ")).unwrap());
    let out = place.run("svm-predict -b 1 @iris_scale m out").ok().out;
    let told = "Prob. model for test data: target value = predicted value + z,\n\
                z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma=";
    let rest = out.strip_prefix(told).unwrap_or_else(|| panic!("{out}"));
    let (printed, errors) = rest.split_once('\n').unwrap();
    assert_close(value(printed), sigma, 1e-6);
    assert!(errors.starts_with("Mean squared error = "), "{errors}");
    let values: Vec<f64> = place.read("out").lines().map(value).collect();
    let theirs = std::fs::read_to_string(libsvms("iris_svr.out")).unwrap();
    for (ours, theirs) in values.iter().step_by(5).zip(theirs.lines()) {
        assert_close(*ours, value(theirs), 2e-6);
    }
    // The interval of 90 %.
    let (names, rows) = table(&place.run("predict -q --probabilities @iris_scale m").ok().out, '\t');
    assert_eq!(names, "value\t5 %\t95 %");
    for (row, exact) in rows.iter().zip(&values) {
        assert_close(value(&row[0]), *exact, 1e-12);
        assert_close(value(&row[1]), exact - sigma * 10.0_f64.ln(), 1e-12);
        assert_close(value(&row[2]), exact + sigma * 10.0_f64.ln(), 1e-12);
    }
}

#[test]
fn svm_train_b_1_writes_what_svm_predict_b_1_reads() {
    let place = Place::new();
    for (options, lines) in [
        ("-s 0 -c 2 -g 0.5", &["probA", "probB"][..]),
        ("-s 1 -n 0.2 -g 0.5", &["probA", "probB"]),
        ("-s 2 -n 0.3 -g 0.5", &["prob_density_marks"]),
        ("-s 3 -c 2 -g 0.5", &["probA"]),
        ("-s 4 -c 2 -n 0.3 -g 0.5", &["probA"]),
    ] {
        let trained = place.run(&format!("svm-train -b 1 {options} @iris_scale m")).ok().out;
        let text = place.read("m");
        let found: Vec<&str> = text.lines().filter(|line| line.starts_with("prob")).collect();
        let names: Vec<&str> = found.iter().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(names, lines, "{options}");
        let noise = "z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma= ";
        assert_eq!(trained.contains(noise), lines == ["probA"], "{trained}");
        let out = place.run("svm-predict -b 1 @iris_scale m out").ok().out;
        assert!(out.contains("Accuracy = ") != out.contains("Laplace"), "{out}");
        // The same file again, and the same predictions from a mercer model.
        place.run(&format!("svm-train -q -b 1 {options} @iris_scale again")).ok();
        assert_eq!(place.read("again"), text, "{options}");
        place.run(&format!("svm-train -q -b 1 {options} @iris_scale m.mercer")).ok();
        place.run("svm-predict -q -b 1 @iris_scale m.mercer other").ok();
        assert_eq!(place.read("other"), place.read("out"), "{options}");
        if lines == ["probA"] {
            place.run("svm-predict -q @iris_scale m plain").ok();
            assert_eq!(place.read("plain"), place.read("out"), "{options}");
        }
        // And without them the labels that the machine itself has.
        let plain = place.run("svm-predict @iris_scale m plain").ok().out;
        assert!(plain.starts_with("Model supports probability estimates, but disabled in prediction.\n"));
        assert_eq!(place.run("svm-predict -q -b 0 @iris_scale m plain").ok().out, "");
    }
}

#[test]
fn a_model_without_probabilities_is_refused() {
    let place = Place::new();
    place.run("svm-train -q @iris_scale m").ok();
    let run = place.run("svm-predict -b 1 @iris_scale m out");
    assert_eq!(run.code, Some(1));
    assert_eq!(
        run.err,
        "svm-predict: m: the model does not support probability estimates; train it with -b 1\n"
    );
    let run = place.run("predict --probabilities @iris_scale m out");
    assert_eq!(run.code, Some(1));
    assert!(run.err.ends_with("probability estimates; train it with --probability\n"), "{}", run.err);
    assert_eq!(place.files(), ["m"]);
}

#[test]
fn cross_validation_predicts_by_probability() {
    let place = Place::new();
    // LIBSVM 3.37 has 81.11 to 84.07 % in twelve draws of each, in the mean 82.5, 82.3 and 82.8.
    for options in ["-v 5", "-v 5 -b 1", "-s 1 -n 0.5 -v 5 -b 1"] {
        let out = place.run(&format!("svm-train -q {options} @heart_scale")).ok().out;
        let accuracy = number(&out, "Cross Validation Accuracy");
        assert_close(accuracy, 82.5, 2.5);
    }
    let plain = place.run("svm-train -q -s 3 -v 3 @iris_scale").ok().out;
    assert_eq!(place.run("svm-train -q -s 3 -v 3 -b 1 @iris_scale").ok().out, plain);
    assert!(place.files().is_empty());
}

#[test]
fn too_few_points_outside_leave_no_marks() {
    let place = Place::new();
    // Three support points: no more can lie on the boundary, where rounding decides on the side.
    let run = place.run("svm-train -q -s 2 -n 0.01 -g 0.01 -b 1 @iris_scale m").ok();
    assert!(run.err.starts_with("WARNING: number of positive or negative decision values <5"), "{}", run.err);
    assert!(!place.read("m").contains("prob"));
    assert_eq!(place.run("svm-predict -b 1 @iris_scale m out").code, Some(1));
}

/// Probabilities of iris, which sum to 1, are led by their label and are right nearly always.
fn check_iris(place: &Place, model: &str) -> String {
    let out = place.run(&format!("predict -q --probabilities @iris_scale {model}")).ok().out;
    let (names, rows) = table(&out, '\t');
    assert_eq!((names.as_str(), rows.len()), ("label\t1\t2\t3", 150));
    for row in &rows {
        let p: Vec<f64> = row[1..].iter().map(|cell| value(cell)).collect();
        assert_close(p.iter().sum(), 1.0, 1e-12);
        let most = (0..3).max_by(|&a, &b| p[a].total_cmp(&p[b])).unwrap();
        assert_eq!(row[0], (most + 1).to_string());
    }
    let report = place.run(&format!("predict --json --probabilities @iris_scale {model} out")).ok().json();
    assert!(report["accuracy"].as_f64().unwrap() > 0.94, "{report}");
    out
}

#[test]
fn classifiers_learn_sigmoids_and_isotonic_functions() {
    let place = Place::new();
    for method in ["svc -c 2", "nu-svc --nu 0.2"] {
        for kind in ["platt", "isotonic"] {
            let train = format!("train --json -m {method} --probability {kind} @iris_scale m.mercer");
            let run = place.run(&train).ok();
            let word = if kind == "platt" { "sigmoid" } else { kind };
            assert_eq!(run.json()["probability"], word);
            assert!(run.json()["probability_seconds"].as_f64().unwrap() > 0.0);
            assert!(run.err.contains(&format!("\nprobability  {word}, 3 pairs")), "{}", run.err);
            assert!(run.err.contains(" from 5 folds by seed 0, "), "{}", run.err);
            check_iris(&place, "m.mercer");
            let shown = place.run("inspect m.mercer").ok().out;
            assert!(shown.contains(&format!("\nprobability  {word}, 3 pairs")), "{shown}");
            let shown = place.run("inspect --json m.mercer").ok().json();
            assert_eq!(shown["probability"]["method"], word);
            assert_eq!(shown["probability"]["pairs"].as_array().unwrap().len(), 3);
        }
    }
    let shown = place.run("inspect --json m.mercer").ok().json();
    let isotonic = &shown["probability"]["pairs"][2];
    assert_eq!(
        isotonic["thresholds"].as_array().unwrap().len(),
        isotonic["values"].as_array().unwrap().len()
    );
}

#[test]
fn the_same_seed_gives_the_same_file_on_any_number_of_threads() {
    let place = Place::new();
    let model = |options: &str, name: &str| {
        place.run(&format!("train -q {options} {name}")).ok();
        std::fs::read(place.path(name)).unwrap()
    };
    for options in ["--probability platt", "--probability isotonic", "-m svr --probability noise"] {
        let of = |rest: &str, name: &str| model(&format!("{options} {rest} @glass_scale"), name);
        let one = of("--seed 3 --threads 1", "a.mercer");
        assert!(one == of("--seed 3 --threads 2", "b.mercer"), "{options}");
        assert!(one == of("--seed 3 --threads 3", "b.mercer"), "{options}");
        assert!(one != of("--seed 4 --threads 1", "b.mercer"), "{options}");
        assert!(one != of("--seed 3 --folds 3 --threads 1", "b.mercer"), "{options}");
    }
}

#[test]
fn regressions_and_one_class_machines_learn_theirs() {
    let place = Place::new();
    place.write("wave", wave(200));
    for method in ["svr -p 0.05", "nu-svr --nu 0.4"] {
        let train =
            format!("train --json -m {method} -c 10 -k rbf(gamma=1) --probability noise wave m.mercer");
        let run = place.run(&train).ok();
        assert!(
            run.err.contains("\nprobability  noise, e^(-|z|/sigma)/(2 sigma) with sigma = 0.02"),
            "{}",
            run.err
        );
        let shown = place.run("inspect --json m.mercer").ok().json();
        // Noise is uniform in [-0.05, 0.05]: |z| is 0.025 in the mean.
        assert_close(shown["probability"]["sigma"].as_f64().unwrap(), 0.025, 0.004);
        let (_, rows) = table(&place.run("predict -q --probabilities wave m.mercer").ok().out, '\t');
        let targets: Vec<f64> =
            wave(200).lines().map(|line| value(line.split(' ').next().unwrap())).collect();
        let inside = |(row, y): (&Vec<String>, &f64)| value(&row[1]) <= *y && *y <= value(&row[2]);
        assert!(rows.iter().zip(&targets).filter(|&pair| inside(pair)).count() > 180);
    }
    let run = place.run("train -m one-class --nu 0.3 --probability density @wine_scale m.mercer").ok();
    assert!(run.out.contains("\nprobability  density, 10 marks from -"), "{}", run.out);
    let (names, rows) = table(&place.run("predict -q --probabilities @wine_scale m.mercer").ok().out, '\t');
    assert_eq!(names, "label\tnormal\toutlier");
    for row in rows {
        assert_close(value(&row[1]) + value(&row[2]), 1.0, 1e-15);
        assert!(row[0] == "1" || value(&row[1]) <= 0.5, "{row:?}");
    }
}

#[test]
fn models_pass_between_the_two_files_with_their_probabilities() {
    let place = Place::new();
    place.run("train -q --probability platt @iris_scale m.mercer").ok();
    let out = check_iris(&place, "m.mercer");
    place.run("convert m.mercer m.model").ok();
    place.run("convert m.model back.mercer").ok();
    assert_eq!(check_iris(&place, "m.model"), out);
    assert_eq!(check_iris(&place, "back.mercer"), out);
    place.run("train -q --libsvm --probability platt @iris_scale own.model").ok();
    assert_eq!(place.read("own.model"), place.read("m.model"));

    place.run("train -q --probability isotonic @iris_scale i.mercer").ok();
    let run = place.run("convert i.mercer i.model");
    assert_eq!(run.code, Some(5));
    assert!(run.err.contains("isotonic probabilities in a LIBSVM model"), "{}", run.err);
    assert!(!place.files().contains(&"i.model".to_owned()));
}

#[test]
fn what_does_not_belong_together_is_refused_before_the_fit() {
    let place = Place::new();
    for (options, message) in [
        ("-m svr --probability platt", "--probability platt: --method svr does not have it; it has noise"),
        (
            "--probability density",
            "--probability density: --method svc does not have it; it has platt and isotonic",
        ),
        (
            "-m svdd --probability density",
            "--probability density: --method svdd does not have it; it has no probabilities",
        ),
        ("-m one-class --probability density --folds 3", "--folds: a density is found without"),
        ("--probability platt --folds 1", "--folds 1: must be at least 2"),
    ] {
        let run = place.run(&format!("train {options} @iris_scale m.mercer"));
        assert_eq!((run.code, run.err), (Some(2), format!("mercer: {message}\n")), "{options}");
    }
    assert_eq!(place.run("train --folds 3 @iris_scale m.mercer").code, Some(2));
    assert_eq!(place.run("predict --decisions --probabilities @iris_scale m.mercer").code, Some(2));
    assert!(place.files().is_empty());
}
