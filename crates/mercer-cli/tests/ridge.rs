//! Kernel ridge regression: trained, saved, shown and used.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

mod common;

use common::{Place, assert_close, wave};

/// The values of a prediction, a list for each line.
fn rows(text: &str) -> Vec<Vec<f64>> {
    text.lines().map(|line| line.split('\t').map(|cell| cell.parse().unwrap()).collect()).collect()
}

#[test]
fn a_ridge_goes_all_the_way() {
    let place = Place::new();
    place.write("wave", wave(200));
    let trained =
        place.run("train --json -m ridge --lambda auto --loo -k rbf(gamma=1) wave wave.mercer").ok();
    assert!(trained.err.contains("path         45 lambdas"), "{}", trained.err);
    let trained = trained.json();
    // Noise is uniform in [-0.05, 0.05]: its variance is 0.01/12, which no prediction comes below.
    let left_out = trained["left_out_mean_square"].as_f64().unwrap();
    assert!(left_out > 0.0006 && left_out < 0.0015, "{trained}");
    let path = trained["path"].as_array().unwrap();
    let best =
        path.iter().map(|p| p["left_out_mean_square"][0].as_f64().unwrap()).fold(f64::INFINITY, f64::min);
    assert_close(best, left_out, 1e-10);
    assert!(trained["residual"].as_f64().unwrap() < 1e-10 && trained["iterations"].is_null(), "{trained}");

    let report = place.run("predict --json wave wave.mercer out").ok().json();
    assert!(report["mean_squared_error"].as_f64().unwrap() < 0.001, "{report}");
    let shown = place.run("inspect wave.mercer").ok().out;
    assert!(shown.contains("method       ridge, 1 target, lambda = "), "{shown}");
    assert!(shown.contains("certificate  relative residual"), "{shown}");
    let shown = place.run("inspect --json wave.mercer").ok().json();
    assert_eq!(shown["lambda"], trained["lambda"]);
}

#[test]
fn several_targets_are_columns_of_a_file() {
    let place = Place::new();
    let x: Vec<f64> = (0..60).map(|i| f64::from(i) / 10.0).collect();
    place.write("x.csv", x.iter().map(|x| format!("{x}\n")).collect::<String>());
    place.write("y.csv", x.iter().map(|x| format!("{},{}\n", x.sin(), 100.0 + x.cos())).collect::<String>());
    let train = "train -m ridge --lambda 1e-6 -k rbf(gamma=1) --label none --targets y.csv x.csv m";
    assert!(place.run(train).ok().out.contains("60 rows, 1 feature, 2 targets"));
    let found = rows(&place.run("predict -q --label none x.csv m").ok().out);
    for (row, x) in found.iter().zip(&x) {
        assert_close(row[0], x.sin(), 1e-3);
        assert_close(row[1], 100.0 + x.cos(), 1e-3);
    }
    place.write("short.csv", "1,2\n");
    let refused = place.run(&train.replace("y.csv", "short.csv")).refused(2);
    assert!(refused.err.contains("short.csv has 1 rows, the data 60"), "{}", refused.err);
}

#[test]
fn what_a_ridge_does_not_have_is_refused() {
    let place = Place::new();
    place.write("wave", wave(50));
    for (options, says) in [
        ("-c 3", "-c: --method ridge does not have it; it has --lambda"),
        ("--trace t.csv", "--trace: --method ridge is no support vector machine"),
        ("--lambda -1", "lambda = -1: must be finite and not negative"),
        ("--lambda 1,x", "'x' is not a number"),
        ("--lambda 0 --iterative", "lambda = 0: must be positive for conjugate gradients"),
        ("--memory 1", "--memory 1: the data and the program take"),
    ] {
        let refused = place.run(&format!("train -m ridge {options} wave m")).refused(2);
        assert!(refused.err.contains(says), "{options}: {}", refused.err);
        assert!(!place.path("m").exists(), "{options}");
    }
    let refused = place.run("train --lambda 1 wave m").refused(2);
    assert!(refused.err.contains("--lambda: --method svc does not have it"), "{}", refused.err);
}

#[test]
fn conjugate_gradients_predict_as_the_factor_does() {
    let place = Place::new();
    place.write("wave", wave(300));
    let trained =
        place.run("train --json -m ridge --lambda 0.01 -k rbf(gamma=1) --iterative wave a").ok().json();
    assert!(trained["iterations"].as_u64().unwrap() > 0, "{trained}");
    place.run("train -m ridge --lambda 0.01 -k rbf(gamma=1) wave b").ok();
    let predict = |model: &str| rows(&place.run(&format!("predict -q wave {model}")).ok().out);
    predict("a").iter().zip(predict("b")).for_each(|(a, b)| assert_close(a[0], b[0], 1e-7));
}
