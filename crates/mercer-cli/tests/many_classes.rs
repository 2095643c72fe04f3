//! More than two classes, several labels, weights of rows: trained, saved, shown, converted and used.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

mod common;

use common::{Place, assert_close};

/// Labels and the numbers beside them, under the names of these.
fn table(text: &str) -> (Vec<String>, Vec<(String, Vec<f64>)>) {
    let (names, rows) = text.split_once('\n').unwrap();
    let row = |line: &str| {
        let mut words = line.split('\t');
        let label = words.next().unwrap().to_owned();
        (label, words.map(|word| word.parse().unwrap()).collect())
    };
    (names.split('\t').skip(1).map(str::to_owned).collect(), rows.lines().map(row).collect())
}

/// The first of the largest.
fn largest(scores: &[f64]) -> usize {
    (1..scores.len()).fold(0, |best, c| if scores[c] > scores[best] { c } else { best })
}

#[test]
fn every_scheme_goes_all_the_way() {
    let place = Place::new();
    for (scheme, method, made) in [
        ("ovo", "c-svc", "c-svc, 3 classes\n"),
        ("ovo-sum", "c-svc", "c-svc, 3 classes by summed decisions of pairs"),
        ("ovr", "ovr", "ovr, 3 classes, a function for each"),
        ("crammer-singer", "crammer-singer", "crammer-singer, 3 classes, a function for each"),
        ("weston-watkins", "weston-watkins", "weston-watkins, 3 classes, a function for each"),
        ("softmax", "softmax", "softmax, 3 classes, a function for each"),
    ] {
        let train =
            format!("train --json --trace t.csv --multiclass {scheme} -c 10 -w 2=1.5 @iris_scale m.mercer");
        let run = place.run(&train).ok();
        let report = run.json();
        assert_eq!((&report["method"], &report["stop"]), (&method.into(), &"converged".into()), "{report}");
        assert_eq!(report["class_names"], serde_json::json!(["1", "2", "3"]));
        let told = if scheme == "ovo" { serde_json::Value::Null } else { scheme.into() };
        assert_eq!(report["multiclass"], told, "{report}");
        assert!(report["gap"].as_f64().unwrap() < 0.5, "{report}");
        assert!(place.read("t.csv").lines().count() > 1);
        assert!(
            scheme == "ovo" || run.err.contains("method       ") && run.err.contains(scheme),
            "{}",
            run.err
        );

        let report = place.run("predict --json @iris_scale m.mercer out").ok().json();
        // A sum counts also what machines of two other classes say of a row.
        let least = if scheme == "ovo-sum" { 110 } else { 144 };
        assert!(report["correct"].as_u64().unwrap() >= least, "{scheme}: {report}");
        let (names, rows) = table(&place.run("predict -q --scores @iris_scale m.mercer").ok().out);
        assert_eq!(names, ["1", "2", "3"]);
        let predicted = place.read("out");
        for ((label, scores), plain) in rows.iter().zip(predicted.lines()) {
            assert_eq!((label.as_str(), label), (plain, &names[largest(scores)]), "{scheme}");
        }
        let (columns, decided) = table(&place.run("predict -q --decisions @iris_scale m.mercer").ok().out);
        if scheme.starts_with("ovo") {
            assert_eq!(columns, ["1 vs 2", "1 vs 3", "2 vs 3"]);
            assert!(decided.iter().zip(&rows).all(|(a, b)| a.0 == b.0));
        } else {
            assert_eq!((columns, decided), (names, rows));
        }
        place.run("svm-predict @iris_scale m.mercer again").ok();
        assert_eq!(place.read("again"), predicted, "{scheme}: iris has no ties");

        let shown = place.run("inspect m.mercer").ok().out;
        assert!(shown.contains(&format!("method       {made}")), "{shown}");
        let shown = place.run("inspect --json m.mercer").ok().json();
        assert_eq!(shown["training"]["class_weights"], serde_json::json!([1.0, 1.5, 1.0]));
        assert_eq!(shown["classes"], serde_json::json!(["1", "2", "3"]));

        let run = place.run("convert --to libsvm-model m.mercer m.model");
        if scheme == "ovo" {
            run.ok();
        } else {
            assert_eq!(run.code, Some(5), "{scheme}");
            let what = if scheme == "ovo-sum" { "(ovo-sum)".to_owned() } else { format!("kind '{scheme}'") };
            assert!(run.err.contains(&format!("{what} in a LIBSVM model")), "{}", run.err);
        }
    }
}

#[test]
fn ties_go_to_the_larger_sum_and_in_svm_predict_to_the_lowest_number() {
    let place = Place::new();
    place.run("train -q -c 0.1 -k rbf(gamma=0.5) @vowel.scale m.mercer").ok();
    place.run("convert m.mercer m.model").ok();
    let (_, decisions) = table(&place.run("predict -q --decisions @vowel.scale.t m.mercer").ok().out);
    let (names, scores) = table(&place.run("predict -q --scores @vowel.scale.t m.mercer").ok().out);
    place.run("svm-predict @vowel.scale.t m.mercer ours").ok();
    place.run("svm-predict @vowel.scale.t m.model text").ok();
    assert_eq!(place.read("ours"), place.read("text"));
    let mut differ = 0;
    for (((label, decisions), (again, scores)), libsvm) in
        decisions.iter().zip(&scores).zip(place.read("ours").lines())
    {
        let mut votes = [0; 11];
        let pairs = (0..11).flat_map(|a| (a + 1..11).map(move |b| (a, b)));
        pairs.zip(decisions).for_each(|((a, b), &f)| votes[if f > 0.0 { a } else { b }] += 1);
        let lowest = votes.iter().position(|votes_c| votes_c == votes.iter().max().unwrap()).unwrap();
        assert_eq!(libsvm, names[lowest]);
        assert_eq!((label, label), (again, &names[largest(scores)]));
        differ += usize::from(label != libsvm);
    }
    assert!(differ > 0, "no tie was decided by the sums");
}

#[test]
fn softmax_has_probabilities_without_folds() {
    let place = Place::new();
    place.run("train --multiclass softmax -c 10 @iris_scale m.mercer").ok();
    let (names, rows) = table(&place.run("predict -q --probabilities @iris_scale m.mercer").ok().out);
    let (_, scores) = table(&place.run("predict -q --scores @iris_scale m.mercer").ok().out);
    for ((label, shares), (same, scores)) in rows.iter().zip(&scores) {
        assert_eq!((label, label), (same, &names[largest(shares)]));
        let whole: f64 = scores.iter().map(|score| score.exp()).sum();
        scores.iter().zip(shares).for_each(|(score, share)| assert_close(*share, score.exp() / whole, 1e-12));
    }
    let refused = place.run("train --multiclass softmax --probability platt @iris_scale n.mercer");
    assert!(refused.code == Some(2) && refused.err.contains("softmax has its own"), "{}", refused.err);
    place.run("train --multiclass ovr @iris_scale m.mercer").ok();
    let refused = place.run("predict --probabilities @iris_scale m.mercer");
    assert!(refused.err.contains("does not support probability"), "{}", refused.err);
}

#[test]
fn options_without_a_meaning_are_refused() {
    let place = Place::new();
    place.refuses(
        "train {} @iris_scale m.mercer",
        "
        --multiclass ovr -m svr => 2 --multiclass ovr: --method svr does not have it; svc has
        --multiclass ovo -m svdd => 2 svc and nu-svc have
        --multiclass softmax -m nu-svc => 2 --method nu-svc does not have it
        --multilabel -m one-class => 2 --multilabel: --method one-class does not have it
        --multilabel --multiclass ovr => 2 cannot be used with
        --multilabel -w 1=2 => 2 --weight: --multilabel does not have it
        --multiclass ovr --squared => 2 --squared: --multiclass ovr does not have it
        --multiclass softmax --no-offset => 2 --no-offset: --multiclass softmax does not have it
        --multiclass weston-watkins --first-order => 2 --first-order: --multiclass weston-watkins
        --multiclass softmax --no-shrinking => 2 --no-shrinking: --multiclass softmax
        --multiclass softmax --nu 0.5 => 2 --nu: --method svc does not have it
        --multiclass ovr -c inf => 2 c = inf: must be positive and finite
        --multiclass ovr -w 9=2 => 2 no class '9'
        --multiclass ovo-sum --libsvm => 5 (ovo-sum) in a LIBSVM model
        --multilabel --libsvm => 5 kind 'multilabel' in a LIBSVM model
        --multiclass all => 2 crammer-singer
        ",
    );
    assert!(place.files().is_empty());
    place.run("train -q -m svr @iris_scale m.mercer").ok();
    let run = place.run("predict --scores @iris_scale m.mercer");
    assert_eq!((run.code, run.err.contains("m.mercer has no classes")), (Some(2), true), "{}", run.err);
    place.run("train -q -m nu-svc --nu 0.2 --multiclass ovo-sum @iris_scale m.mercer").ok();
    assert_eq!(place.run("inspect --json m.mercer").ok().json()["rule"], "sum");
}

#[test]
fn sets_of_labels_go_all_the_way() {
    let place = Place::new();
    let text = "a,b 1:1\na 1:1.2\n 1:0.1\nb,c 1:-1\nc 1:-1.2\n 1:-0.1 # none\na,b 1:1.1\nb,c 1:-1.1\n";
    place.write("train", text);
    let run = place.run("train --json --multilabel -c 100 -k rbf(gamma=3) train m.mercer").ok();
    assert!(run.err.contains("8 rows, 1 feature, 3 labels (a, b, c)"), "{}", run.err);
    assert_eq!(run.json()["method"], "multilabel");
    let run = place.run("predict train m.mercer out").ok();
    let sets: Vec<&str> = text.lines().map(|line| line.split(' ').next().unwrap()).collect();
    let found = place.read("out");
    let wrong = found.lines().zip(&sets).filter(|(a, b)| a != *b).count();
    assert!(wrong <= 2, "{found}");
    assert!(
        run.out.contains("labels    Hamming loss ") && run.out.contains("F1        micro "),
        "{}",
        run.out
    );
    let (names, rows) = table(&place.run("predict -q --decisions train m.mercer").ok().out);
    assert_eq!(names, ["a", "b", "c"]);
    for (label, scores) in &rows {
        let set: Vec<&str> = (0..3).filter(|&c| scores[c] > 0.0).map(|c| names[c].as_str()).collect();
        assert_eq!(*label, set.join(","));
    }
    let shown = place.run("inspect m.mercer").ok().out;
    assert!(shown.contains("method       multilabel, 3 labels, a function for each"), "{shown}");
    let run = place.run("convert --to libsvm-model m.mercer m.model");
    assert_eq!((run.code, run.err.contains("kind 'multilabel' in a LIBSVM model")), (Some(5), true));

    place.write("bad", "1,2 1:1\n3,,1 1:2\n");
    let run = place.run("train --multilabel bad b.mercer");
    assert_eq!(run.code, Some(1));
    assert_eq!(run.err, "mercer: bad:2:3: an empty name among the labels '3,,1'\n");
    place.write("none", " 1:1\n 1:2\n");
    let run = place.run("train --multilabel none b.mercer");
    assert!(run.code == Some(2) && run.err.contains("no row of none has a label"), "{}", run.err);
    let run = place.run("train none b.mercer");
    assert!(run.code == Some(1) && run.err.contains("none:1:2: a row without a label"), "{}", run.err);
    place.write("numbers", "1,2 1:1\n3 1:2\n");
    let run = place.run("train numbers b.mercer").ok();
    assert!(run.err.contains("--multilabel reads it as several labels"), "{}", run.err);

    let run = place.run("train -q numbers b.mercer").ok();
    assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
    place.write("same", "1,2 1:1\n2,1 1:2\n");
    let run = place.run("train --json -q --multilabel same b.mercer").ok().json();
    assert_eq!((&run["stop"], &run["support_vectors"]), (&"converged".into(), &0.into()), "{run}");
    assert_eq!(place.run("predict -q same b.mercer").ok().out, "1,2\n1,2\n");
    assert!(place.run("inspect b.mercer").ok().out.contains("certificate  none"));

    place.write("x.csv", "v,label\n1,\"a,b\"\n-1,b\n2,\"b, a\"\n-2,b\n");
    place.run("train -q --multilabel -c 10 -k linear x.csv x.mercer").ok();
    assert_eq!(place.run("predict -q x.csv x.mercer").ok().out, "a,b\nb\na,b\nb\n");
    place.write("labels", "a\n\na\n\n");
    place.run("train -q --multilabel --labels labels -c 10 -k linear x.csv y.mercer").ok();
    assert_eq!(place.run("predict -q x.csv y.mercer").ok().out, "a\n\na\n\n");
}

#[test]
fn real_sets_of_labels() {
    let place = Place::new();
    let report = place.run("train --json -q --multilabel -k linear @medical m.mercer").ok().json();
    assert_eq!((&report["classes"], &report["rows"]), (&38.into(), &333.into()), "{report}");
    let report = place.run("predict --json -q @medical.t m.mercer out").ok().json();
    assert!(report["accuracy"].is_null(), "{report}");
    let measure = |name: &str| report[name].as_f64().unwrap();
    // Nothing at all would be 0.0278: the rows of the test part have 1.25 labels of 45.
    assert!(measure("hamming_loss") < 0.013 && measure("subset_accuracy") > 0.6, "{report}");
    assert!(measure("micro_f1") > 0.75 && measure("macro_f1") > 0.3, "{report}");
}

/// The rows of a data set as text, and each so often as its weight says: 0, 1, 2 or 3 times.
fn repeated(place: &Place) {
    place.run("convert --to libsvm @iris_scale rows").ok();
    let rows = place.read("rows");
    let weight = |i: usize| i * 7 % 4;
    let copies: String =
        rows.lines().enumerate().map(|(i, row)| format!("{row}\n").repeat(weight(i))).collect();
    place.write("copies", copies);
    place.write("weights", (0..150).map(|i| format!("{}\n", weight(i))).collect::<String>());
}

#[test]
fn classes_together_are_right_to_rounding_where_asked() {
    let place = Place::new();
    for scheme in ["crammer-singer", "weston-watkins", "softmax"] {
        let fit = |exact: &str| {
            let shown =
                place.run(&format!("train --json --multiclass {scheme} {exact} @iris_scale m.mercer"));
            shown.ok().json()
        };
        let (plain, exact) = (fit(""), fit("--exact"));
        assert!(plain["gap"].as_f64().unwrap() > 1e-6, "{plain}");
        assert!(exact["gap"].as_f64().unwrap() < 1e-12, "{exact}");
        assert_close(exact["objective"].as_f64().unwrap(), plain["objective"].as_f64().unwrap(), 2e-3);
    }
}

#[test]
fn weights_are_copies_for_every_method() {
    let place = Place::new();
    repeated(&place);
    // Values of a regression; beside a label, which may change on the boundary, what it comes from.
    let values = |options: &str, model: &str| {
        let out = place.run(&format!("predict -q {options} rows {model}")).ok().out;
        match options {
            "" => out.lines().map(|line| line.parse().unwrap()).collect(),
            _ => table(&out).1.into_iter().flat_map(|(_, values)| values).collect::<Vec<f64>>(),
        }
    };
    for (method, options) in [
        ("-m svc --exact", "--decisions"),
        ("-m nu-svc --nu 0.2 --exact", "--decisions"),
        ("-m svr -c 5 --exact", ""),
        ("-m nu-svr -c 5", ""),
        ("-m one-class --nu 0.3 --exact", "--decisions"),
        ("-m svdd -c 0.02 --exact", "--decisions"),
        ("--multiclass ovo-sum --exact", "--scores"),
        ("--multiclass ovr --exact", "--scores"),
        ("--multiclass crammer-singer --exact", "--scores"),
        ("--multiclass weston-watkins --exact", "--scores"),
        ("--multiclass softmax --exact", "--scores"),
        ("--multilabel --exact", "--scores"),
    ] {
        place.run(&format!("train -q -t 1e-6 {method} --weights weights rows a.mercer")).ok();
        place.run(&format!("train -q -t 1e-6 {method} copies b.mercer")).ok();
        let (weighted, copied) = (values(options, "a.mercer"), values(options, "b.mercer"));
        assert_eq!(weighted.len(), copied.len());
        weighted.iter().zip(&copied).for_each(|(a, b)| assert_close(*a, *b, 1e-3));
        let shown = place.run("inspect --json a.mercer").ok().json();
        let support = shown["support_positions"].as_array().unwrap();
        assert!(support.iter().all(|i| i.as_u64().unwrap() * 7 % 4 > 0), "{method}");
    }
}

#[test]
fn svm_train_takes_weights_of_rows() {
    let place = Place::new();
    repeated(&place);
    for machine in 0..5 {
        let common = format!("svm-train -s {machine} -e 1e-6 -n 0.2");
        let weighted = place.run(&format!("{common} -W weights rows a.model")).ok().out;
        place.run(&format!("{common} -q copies b.model")).ok();
        assert!(weighted.contains("obj = ") && weighted.contains("Total nSV = "), "{weighted}");
        let predict = |model: &str| {
            place.run(&format!("svm-predict rows {model} out")).ok();
            place.read("out").lines().map(|line| line.parse().unwrap()).collect::<Vec<f64>>()
        };
        let (a, b) = (predict("a.model"), predict("b.model"));
        let close = a.iter().zip(&b).filter(|(a, b)| (*a - *b).abs() < 1e-3).count();
        // A one-class machine has rows on its boundary.
        assert!(close >= if machine == 2 { 145 } else { 150 }, "-s {machine}: {close}");
    }
    let run = place.run("svm-train -q -v 5 -W weights rows").ok();
    let accuracy: f64 = run
        .out
        .trim()
        .strip_prefix("Cross Validation Accuracy = ")
        .unwrap()
        .trim_end_matches('%')
        .parse()
        .unwrap();
    assert!(accuracy > 90.0, "{accuracy}");
}

#[test]
fn weights_that_cannot_be_used_are_refused_with_their_place() {
    let place = Place::new();
    place.write("rows", "1 1:1\n2 1:2\n3 1:3\n");
    for [weights, message] in [
        ["1\nx\n1\n", "w:2:1: not a number: 'x'"],
        ["1\n -1\n1\n", "w:2:2: weight -1; none may be below 0"],
        ["1\n1\nnan\n", "w:3:1: not finite: 'nan'; every value must be a finite number"],
        ["1\n1\n", "w:3:1: the file ends after 2 weights for 3 rows"],
        ["1\n1\n1\n1\n", "w:4:1: a weight beyond the last of 3 rows"],
        ["0\n0\n0\n", "w:1:1: every weight is 0: no row is left"],
        ["1\n0\n0\n", "rows: only one class, '1'; at least two are needed"],
    ] {
        place.write("w", weights);
        for multiclass in ["ovo", "ovr", "softmax"] {
            let run = place.run(&format!("train --multiclass {multiclass} --weights w rows m.mercer"));
            assert_eq!((run.code, run.err), (Some(1), format!("mercer: {message}\n")));
        }
        place.run("svm-train -W w rows m.model").refused(1).says(message);
    }
    let run = place.run("train --weights none rows m.mercer");
    assert_eq!(run.code, Some(4), "{}", run.err);
    place.write("w", "1\n1\n1\n");
    let run = place.run("train --weights w rows w");
    assert_eq!((run.code, place.read("w").as_str()), (Some(2), "1\n1\n1\n"), "{}", run.err);
    let run = place.run("train --weights w --trace w rows m.mercer");
    assert_eq!((run.code, place.read("w").as_str()), (Some(2), "1\n1\n1\n"), "{}", run.err);
    // A class without weight is not there.
    place.write("w", "1\n2\n0\n");
    let report = place.run("train --json -q -w 2=3 --weights w rows m.mercer").ok().json();
    assert_eq!(report["class_names"], serde_json::json!(["1", "2"]));
    let shown = place.run("inspect m.mercer").ok().out;
    assert!(shown.contains("C times"), "{shown}");
}
