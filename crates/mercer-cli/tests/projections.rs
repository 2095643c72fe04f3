//! The Fisher discriminant and canonical correlations: trained, saved, shown and used.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

mod common;

use common::{Place, assert_close};

/// The names and rows of a CSV file, without labels.
fn table(text: &str) -> (String, Vec<Vec<f64>>) {
    let (names, rows) = text.split_once('\n').unwrap();
    let names: Vec<&str> = names.split(',').collect();
    let features: Vec<usize> = (0..names.len()).filter(|&k| names[k] != "label").collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        features.iter().map(|&k| cells[k].parse().unwrap()).collect()
    };
    let names: Vec<&str> = features.iter().map(|&k| names[k]).collect();
    (names.join(","), rows.lines().map(row).collect())
}

#[test]
fn a_discriminant_of_two_classes_goes_all_the_way() {
    let place = Place::new();
    let train = "train --json -m fisher --mu 0.001 -k rbf(gamma=0.05) @heart_scale heart.mercer";
    let trained = place.run(train).ok();
    for told in [
        "method       fisher, 2 classes on axes between them, mu = 0.001",
        "solution     1 axis over 270 expansion points",
        "ratios       0.60009",
        "threshold    0.13696",
    ] {
        assert!(trained.err.contains(told), "{}", trained.err);
    }
    let trained = trained.json();
    // scipy's value: crates/mercer/tests/fisher/answers.json.
    assert_close(trained["ratios"][0].as_f64().unwrap(), 0.600_091_841_991_745_7, 1e-9);
    assert!(trained["residual"].as_f64().unwrap() < 1e-11, "{trained}");

    let report = place.run("predict --json @heart_scale heart.mercer out").ok().json();
    assert_eq!(report["correct"], 243, "{report}");
    place.run("transform -q @heart_scale heart.mercer axis.csv").ok();
    let (names, axis) = table(&place.read("axis.csv"));
    assert_eq!((names.as_str(), axis.len()), ("component1", 270));
    assert_close(axis.iter().map(|row| row[0]).sum::<f64>(), 0.0, 1e-8);
    let threshold = trained["threshold"].as_f64().unwrap();
    let decisions = place.run("predict -q --decisions @heart_scale heart.mercer").ok().out;
    let labels = place.read("out");
    for ((line, label), axis) in decisions.lines().skip(1).zip(labels.lines()).zip(&axis) {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!((cells[0], label == "1"), (label, axis[0] >= threshold), "{line}");
        assert_close(cells[1].parse().unwrap(), axis[0] - threshold, 1e-12);
    }

    let shown = place.run("inspect heart.mercer").ok().out;
    assert!(shown.contains("method       fisher, 2 classes on axes between them, mu = 0.001"), "{shown}");
    assert!(shown.contains("certificate  relative residual "), "{shown}");
    let shown = place.run("inspect --json heart.mercer").ok().json();
    assert_eq!((&shown["threshold"], &shown["ratios"]), (&trained["threshold"], &trained["ratios"]));
    let refused = place.run("convert heart.mercer heart.model");
    assert!(refused.code == Some(5) && refused.err.contains("fisher"), "{}", refused.err);
}

#[test]
fn thresholds_few_points_and_many_classes() {
    let place = Place::new();
    let svm =
        place.run("train --json -m fisher --threshold svm -c 10 --points 20 @heart_scale a.mercer").ok();
    assert!(svm.err.contains("threshold svm, c = 10"), "{}", svm.err);
    assert_eq!(svm.json()["expansion_points"], 20);
    let again =
        place.run("train --json -m fisher --threshold svm -c 10 --points 20 @heart_scale a.mercer").ok();
    assert_eq!(again.json()["ratios"], svm.json()["ratios"]);

    let many = place.run("train -m fisher --mu 1e-4 -k rbf(gamma=0.5) @vowel.scale vowel.mercer").ok();
    assert!(many.out.contains("10 axes over 528"), "{}", many.out);
    place.run("transform -q @vowel.scale.t vowel.mercer vowel.csv").ok();
    let (names, rows) = table(&place.read("vowel.csv"));
    assert_eq!((names.split(',').count(), rows.len(), rows[0].len()), (10, 462, 10));
    let scores = place.run("predict -q --scores @vowel.scale.t vowel.mercer").ok().out;
    assert_eq!(scores.lines().next().unwrap().split('\t').count(), 12);

    for (words, said) in [
        ("train -m fisher --mu 0 @heart_scale m", "mu = 0: must be positive"),
        ("train -m fisher -c 3 @heart_scale m", "c = 3: must be above 0, with threshold svm"),
        (
            "train -m fisher --threshold svm @vowel.scale m",
            "threshold = svm of 11 classes: must be means for more than two",
        ),
        ("train -m fisher --kappa 1 @heart_scale m", "--kappa: --method fisher does not have it"),
        ("train --mu 1 @heart_scale m", "--mu: --method svc does not have it"),
        ("train -m fisher --probability platt @heart_scale m", "--probability"),
        ("transform --second-view @heart_scale a.mercer", "a.mercer has no second view"),
    ] {
        let run = place.run(words);
        assert!(run.code == Some(2) && run.err.contains(said), "{words}: {}", run.err);
    }
    place.run("train -q @heart_scale svc.mercer").ok();
    let refused = place.run("transform @heart_scale svc.mercer");
    assert!(refused.code == Some(2) && refused.err.contains("has no components"), "{}", refused.err);
    let little = place.run("train -m fisher --memory 200 @mushrooms m");
    assert!(little.code == Some(2) && little.err.contains("fewer points"), "{}", little.err);
}

/// Two views of one number with noise, as CSV without labels; other rows for another seed.
fn write_views(place: &Place, names: [&str; 2], rows: usize, seed: f64) {
    let noise = |i: usize, k: f64| {
        let v = ((i as f64 + seed) * 12.9898 + k * 78.233).sin() * 43758.5453;
        2.0 * (v - v.floor()) - 1.0
    };
    let text = |line: &dyn Fn(usize) -> [f64; 2]| -> String {
        (0..rows).map(line).map(|[a, b]| format!("{a},{b}\n")).collect()
    };
    place.write(names[0], text(&|i| [noise(i, 1.0), noise(i, 2.0)]));
    place.write(names[1], text(&|i| [noise(i, 3.0), noise(i, 1.0).powi(2) + 0.1 * noise(i, 4.0)]));
}

#[test]
fn canonical_correlations_go_all_the_way() {
    let place = Place::new();
    write_views(&place, ["x.csv", "y.csv"], 150, 0.0);
    write_views(&place, ["x2.csv", "y2.csv"], 100, 777.0);
    let options = "--label none --header no";
    let train = format!(
        "train --json -m cca --second y.csv -k rbf(gamma=1) --second-kernel linear --components 1 \
         --kappa 1e-6,1e-3,10 {options} x.csv views.mercer"
    );
    let trained = place.run(&train).ok();
    assert!(trained.err.contains("tried        3 kappas"), "{}", trained.err);
    let trained = trained.json();
    // A line needs no price; one that is too high costs correlation.
    assert!(trained["kappa"].as_f64().unwrap() < 1.0 && trained["scores"].as_array().unwrap().len() == 3);
    assert!(trained["residual"].as_f64().unwrap() < 1e-9, "{trained}");

    let run =
        place.run(&format!("transform --json --second y2.csv {options} x2.csv views.mercer both.csv")).ok();
    let (names, rows) = table(&place.read("both.csv"));
    assert_eq!((names.as_str(), rows.len()), ("f1,g1", 100));
    let mean = |k: usize| rows.iter().map(|row| row[k]).sum::<f64>() / 100.0;
    let (a, b) = (mean(0), mean(1));
    let sum = |j: usize, k: usize| {
        let means = [a, b];
        rows.iter().map(|row| (row[j] - means[j]) * (row[k] - means[k])).sum::<f64>()
    };
    let correlation = sum(0, 1) / (sum(0, 0) * sum(1, 1)).sqrt();
    assert_close(run.json()["correlations"][0].as_f64().unwrap(), correlation, 1e-9);
    assert!(correlation > 0.9, "{correlation}");
    place.run(&format!("transform -q {options} x2.csv views.mercer f.csv")).ok();
    place.run(&format!("transform -q --second-view {options} y2.csv views.mercer g.csv")).ok();
    let (first, second) = (table(&place.read("f.csv")).1, table(&place.read("g.csv")).1);
    assert!(rows.iter().zip(first).zip(second).all(|((row, f), g)| row[0] == f[0] && row[1] == g[0]));

    let shown = place.run("inspect views.mercer").ok().out;
    assert!(shown.contains("second view: 2 features, linear"), "{shown}");
    assert_eq!(place.run("inspect --json views.mercer").ok().json()["second_kernel"], "linear");
    place.refuses(
        &format!("{{}} {options}"),
        "
        train -m cca x.csv m => 2 by --second
        train -m cca --second y2.csv x.csv m => 1 150 rows in the first view but 100 in the second
        train -m cca --second y.csv --choose cv x.csv m => 2 several numbers to kappa
        train -m cca --second y.csv -s standard x.csv m => 2 not for two views
        train -m cca --second y.csv x.csv y.csv => 2 y.csv
        predict x.csv views.mercer => 5 mercer transform
        ",
    );
    let torn = format!(
        "train --json -m cca --second y.csv --choose permutation --kappa 1e-3,1 {options} x.csv t.mercer"
    );
    assert_eq!(place.run(&torn).ok().json()["scores"].as_array().unwrap().len(), 2);
}
