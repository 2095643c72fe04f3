//! `mercer rde`: dimension, noise, denoised labels, spectrum and picture.

mod common;

use common::{Place, assert_close, wave};

#[test]
fn dimension_and_noise_are_told_in_words_and_as_an_object() {
    let place = Place::new();
    let out = place.run("rde @heart_scale").ok().out;
    assert!(out.contains("270 rows, 13 features, 2 classes"), "{out}");
    assert!(out.contains("the best of 17 by two components"), "{out}");
    assert!(out.contains("few dimensions, much noise"), "{out}");
    let run = place.run("rde --json -k rbf(gamma=0.1) @heart_scale").ok();
    let report = run.json();
    // The answers of numpy for this kernel: crates/mercer/tests/rde/answers.json.
    assert_eq!(report["dimension"], 7);
    assert_close(report["noise"].as_f64().unwrap(), 40.0 / 270.0, 1e-12);
    assert_close(report["guess"].as_f64().unwrap(), 120.0 / 270.0, 1e-12);
    assert!(report["parameter"].is_null() && report["trials"].as_array().unwrap().len() == 1);
    assert!(run.err.contains("dimension  7 of 270 by two components"), "{}", run.err);
    let report = place.run("rde --json -q -m loo @heart_scale").ok().json();
    assert_eq!((&report["method"], &report["dimension"]), (&"loo".into(), &report["dimension_loo"]));
}

#[test]
fn labels_spectrum_and_picture_are_written() {
    let place = Place::new();
    let files = "--labels-out clean.txt --spectrum s.csv --figure s.svg";
    let report = place.run(&format!("rde --json -q --grid 2^-6:2^-2 {files} @heart_scale")).ok().json();
    let (d, noise) = (report["dimension"].as_u64().unwrap(), report["noise"].as_f64().unwrap());
    assert_eq!(place.files(), ["clean.txt", "s.csv", "s.svg"]);
    let clean = place.read("clean.txt");
    place.run("convert @heart_scale heart.csv").ok();
    let labels: Vec<String> = place
        .read("heart.csv")
        .lines()
        .skip(1)
        .map(|row| row.rsplit(',').next().unwrap().to_owned())
        .collect();
    let flips = clean.lines().zip(&labels).filter(|(clean, label)| clean != label).count();
    assert_eq!(clean.lines().count(), 270);
    assert_close(noise, flips as f64 / 270.0, 1e-12);
    let table = place.read("s.csv");
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("dimension,eigenvalue,coefficient,likelihood,leave_one_out"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 270);
    let best = rows.iter().filter(|row| !row[3].is_empty());
    let best = best.min_by(|a, b| a[3].parse::<f64>().unwrap().total_cmp(&b[3].parse().unwrap())).unwrap();
    assert_eq!(best[0], d.to_string());
    // Coefficients are the labels in another basis: the sum of their squares is n.
    let square: f64 = rows.iter().map(|row| row[2].parse::<f64>().unwrap().powi(2)).sum();
    assert_close(square, 270.0, 1e-8);
    let picture = place.read("s.svg");
    assert!(picture.starts_with("<svg ") && picture.contains(&format!("cut, d = {d}")), "{picture}");
}

#[test]
fn numbers_and_several_classes_are_estimated() {
    let place = Place::new();
    place.write("wave", wave(200));
    let report = place.run("rde --json -q --regression wave").ok().json();
    assert_eq!(report["noise_kind"], "variance");
    // The disturbance of `wave` is uniform on [-0.05, 0.05): variance 1/1200.
    assert_close(report["noise"].as_f64().unwrap(), 1.0 / 1200.0, 0.3 / 1200.0);
    assert_eq!(report["reading"], "few dimensions, little noise");
    let out = place.run("rde --spectrum s.csv @iris_scale").ok().out;
    assert!(out.contains("3 classes") && out.contains("classes    alone need 1: "), "{out}");
    assert!(place.read("s.csv").starts_with("dimension,eigenvalue,coefficient of 1,coefficient of 2,"));
    place.write("noise", noise(120));
    assert!(place.run("rde noise").ok().out.contains("nothing to be found"));
}

/// Labels that have nothing to do with their rows.
fn noise(rows: usize) -> String {
    common::noisy(rows)
}

#[test]
fn any_parameter_of_a_kernel_can_be_chosen() {
    let place = Place::new();
    let report = place
        .run("rde --json -q -k poly(degree=2)+linear --parameter 0.poly.coef0 --grid 0,1 @iris_scale")
        .ok()
        .json();
    assert_eq!(report["parameter"], "0.poly.coef0");
    assert_eq!(report["trials"].as_array().unwrap().len(), 2);
    place.refuses(
        "rde {} @iris_scale",
        "
        -k poly+rbf --grid auto => 2 say which of 0.poly.gamma, 0.poly.coef0, 1.rbf.gamma it is for
        -k linear --grid auto => 2 linear has no parameter to change
        -k rbf --parameter x --grid auto => 2 --parameter x: rbf(gamma=1) does not have it; it has rbf.gamma
        -k poly --parameter poly.coef0 --grid auto => 2 poly.coef0 may be 0; say its values
        --grid 0,1 => 2 gamma = 0
        --grid 2:1 => 2 HIGH not below it
        --figure a --spectrum a => 2 two outputs cannot go to one file
        --rows 100 --labels-out l => 2 all 150 rows are needed, and --rows is 100
        --memory 0.001 => 2 an eigendecomposition needs
        ",
    );
    assert_eq!(place.files(), [] as [&str; 0]);
}

#[test]
fn data_that_cannot_be_used_is_refused_with_its_name() {
    let place = Place::new();
    let files = [
        ["same", "1 1:1\n-1 1:1\n1 1:1\n"],
        ["one", "1 1:1\n1 1:2\n"],
        ["numbers", "0.1 1:1\n0.2 1:2\n0.3 1:3\n0.7 1:4\n"],
        ["words", "a 1:1\nb 1:2\n"],
    ];
    files.into_iter().for_each(|[name, text]| place.write(name, text));
    place.refuses(
        "rde {}",
        "
        same => 2 --grid auto: all rows are the same
        one => 1 one: only one class, '1'; at least two are needed
        numbers => 2 numbers: 4 different labels in 4 rows; numbers need --regression
        --regression words => 1 words:1:1: not a number: 'a'
        -k rbf(gamma=1e9) numbers --regression => 1 numbers: the Gram matrix has no leading eigenvalues
        absent => 4 absent
        ",
    );
}

#[test]
fn many_rows_are_sampled_and_that_is_said() {
    let place = Place::new();
    let out = place.run("rde --rows 100 -k rbf @heart_scale").ok().out;
    assert!(out.contains("100 of 270 rows, spread evenly"), "{out}");
}
