//! Linear methods on data that leave little to hold on to: huge features, huge numbers, no features, the origin among the points.

mod common;

use std::fmt::Write;

use common::{Place, number};

/// The largest index of a feature, beside small ones.
const WIDE: &str = "1 2147483647:1\n-1 1:2\n1 5:1\n-1 7:-1\n";

/// Rows of five features about `centre` with a spread of 1, in these units.
fn cloud(rows: usize, centre: f64, unit: f64) -> String {
    let mut state = 7_u64;
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        2.0 * ((state >> 40) as f64 / (1_u64 << 24) as f64) - 1.0
    };
    let mut text = String::new();
    for _ in 0..rows {
        text.push('1');
        for k in 1..=5 {
            write!(text, " {k}:{:e}", unit * (centre + draw())).expect("a string takes it");
        }
        text.push('\n');
    }
    text
}

#[test]
fn features_that_occur_in_no_row_take_no_memory() {
    let place = Place::new();
    place.write("wide", WIDE);
    for method in [
        "linear-svc",
        "linear-svc --loss hinge --solver dual",
        "linear-svc --penalty l1",
        "logistic --free-offset",
        "linear-svr",
        "pegasos",
        "linear-one-class",
    ] {
        let run = place.run(&format!("train --json --method {method} wide m")).ok();
        let told = run.json();
        assert_eq!(told["features"], 2_147_483_647_u64, "{method}");
        // A vector of all weights would be 16 GB.
        assert!(told["peak_bytes"].as_f64().is_none_or(|bytes| bytes < 1e9), "{method}");
        place.run("predict --json wide m out").ok();
        place.run("inspect m").ok();
    }
    place.write("three", format!("{WIDE}2 9:1\n"));
    for scheme in ["linear-svc --scheme crammer-singer", "logistic --scheme softmax", "linear-svc"] {
        place.run(&format!("train -q --method {scheme} three m")).ok();
        place.run("predict -q three m out").ok();
        assert_eq!(place.read("out").lines().next(), Some("1"), "{scheme}");
    }
    place.run("linear-train -q wide m.mercer").ok();
    place.run("linear-train -q -s 21 wide m.mercer").ok();
    place.write("texts.tsv", "a\tone two\nb\tthree two\na\tone four\n");
    place.run("train -q --method linear-svc --features hashed(bits=30) texts.tsv m").ok();
    place.run("predict -q texts.tsv m out").ok();
    assert_eq!(place.read("out"), "a\nb\na\n");
}

#[test]
fn weights_of_wide_rows_are_those_of_the_same_rows_with_few_features() {
    let place = Place::new();
    let rows = cloud(40, 0.0, 1.0).replace("1 1:", "x 1:");
    let rows: String = rows.lines().enumerate().map(|(i, row)| format!("{}{}\n", i % 3, &row[1..])).collect();
    place.write("narrow", &rows);
    place.write("wide", rows.replace(" 5:", " 2000000:").replace(" 4:", " 1999:"));
    for method in ["linear-svc --loss hinge --solver dual", "logistic", "linear-svc --penalty l1"] {
        let told = ["narrow", "wide"].map(|data| {
            let told = place.run(&format!("train --json --method {method} {data} {data}.m")).ok().json();
            place.run(&format!("predict -q --decisions {data} {data}.m {data}.out")).ok();
            (told["objective"].as_f64(), place.read(&format!("{data}.out")))
        });
        assert_eq!(told[0], told[1], "{method}");
    }
}

#[test]
fn a_fit_beyond_the_largest_number_blames_the_data_and_leaves_nothing() {
    let place = Place::new();
    place.refuses(
        "train -q @heart_scale m {}",
        "--method pegasos -c 1e300 => 1 beyond the largest number
         --method pegasos --alpha 1e-300 => 1 beyond the largest number
         --method pegasos --steps constant --step-size 1e200 --no-projection => 1 beyond the largest number",
    );
    for options in ["--loss hinge -c 1e50", "-c 1e200", "--loss hinge --solver dual -c 1e306"] {
        let run = place.run(&format!("train -q --method linear-svc {options} @heart_scale m"));
        assert!(!run.err.contains("support point"), "{options}: {}", run.err);
        assert!(run.code == Some(0) || !place.path("m").exists(), "{options}");
        assert!(
            run.code == Some(0) || run.err.contains("beyond the largest number"),
            "{options}: {}",
            run.err
        );
    }
}

#[test]
fn data_without_features_are_said_to_be_that() {
    let place = Place::new();
    place.write("none", "1\n-1\n");
    for method in ["linear-svc", "logistic", "linear-svr", "pegasos", "linear-one-class"] {
        place.run(&format!("train --method {method} none m")).refused(5).says("data without features");
    }
    place.run("train --method linear-svc --scheme crammer-singer none m").refused(5).says("without features");
    place.run("linear-train none m").refused(5).says("data without features");
    assert_eq!(place.files(), ["none"]);
}

#[test]
fn one_class_has_the_same_plane_in_all_units_and_says_where_there_is_none() {
    let place = Place::new();
    let objective = |unit: f64| {
        place.write("cloud", cloud(300, 3.0, unit));
        let told = place.run("train --json --method linear-one-class --nu 0.1 cloud m").ok();
        assert!(told.err.is_empty() || !told.err.contains("warning"), "{unit}: {}", told.err);
        assert_eq!(told.json()["stop"], "converged", "{unit}");
        place.run("verify cloud m").ok();
        told.json()["objective"].as_f64().unwrap_or(f64::NAN) / (unit * unit)
    };
    let one = objective(1.0);
    for unit in [1e-7, 1e7, 1e9] {
        let ratio = objective(unit) / one;
        // Both gaps are at most 1e-4 of the objective.
        assert!((ratio - 1.0).abs() < 2e-4, "{unit}: {ratio}");
    }
    for unit in [1.0, 1e3] {
        place.write("around", cloud(300, 0.0, unit));
        let run = place.run("train --method linear-one-class --nu 0.05 around m").ok();
        assert!(run.err.contains("the origin lies among the points"), "{}", run.err);
        place.run("verify around m").ok();
        let run = place.run("linear-train -s 21 -n 0.05 around m").ok();
        assert!(run.err.contains("WARNING: the origin lies among the points"), "{}", run.err);
        assert_eq!(number(&run.out, "rho"), 0.0);
    }
}

#[test]
fn what_came_to_rest_too_early_is_told_by_its_gap() {
    let place = Place::new();
    let run = place.run("linear-train -s 3 -c 1e20 @heart_scale m").ok();
    assert!(run.err.contains("WARNING: no step improves the objective"), "{}", run.err);
    let run = place
        .run("train --method linear-svc --loss hinge --solver dual -c 1e6 --max-iterations 8 @heart_scale m");
    let err = run.ok().err;
    assert!(err.contains(" % of the objective where 0.01 % was asked for"), "{err}");
}

#[test]
fn pegasos_is_told_by_its_own_name_and_price() {
    let place = Place::new();
    let run = place.run("train --json --method pegasos --alpha 0.1 --passes 4 @heart_scale m").ok();
    let told = run.json();
    assert_eq!(told["method"], "pegasos");
    // 1/(0.1 · 270)
    let price = 1.0 / 27.0;
    assert!((told["c"].as_f64().unwrap_or(0.0) - price).abs() < 1e-12, "{told}");
    assert_eq!(run.err.matches("C = ").count(), 1, "{}", run.err);
    let told = place.run("inspect --json m").ok().json();
    assert_eq!(told["method"], "pegasos");
    assert!((told["training"]["c"].as_f64().unwrap_or(0.0) - price).abs() < 1e-12, "{told}");
}

#[test]
fn settings_that_would_be_ignored_are_refused() {
    let place = Place::new();
    place.refuses(
        "train -q @iris_scale m --method {}",
        "linear-svc --scheme crammer-singer --loss squared-hinge => 2 loss = squared-hinge: must be hinge
         linear-svc --scheme weston-watkins --loss squared-hinge => 2 loss = squared-hinge: must be hinge
         linear-svc --no-offset --free-offset => 2 free-offset = true: must be left out
         linear-svc --solver dual --free-offset => 2 solver = dual: must be auto or newton
         logistic --scheme softmax --solver dual => 2 solver = dual: must be auto or newton
         linear-svc --stream --features tfidf => 2 --features
         linear-svc --stream --classes a,b => 2 --classes",
    );
    place.run("train -q @iris_scale m --method linear-svc --scheme crammer-singer --loss hinge").ok();
    place.run("train -q @iris_scale m --method logistic --solver dual").ok();
}
