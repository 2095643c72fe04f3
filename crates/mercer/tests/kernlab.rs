//! Crammer–Singer and Weston–Watkins against kernlab's `spoc-svc` and `kbb-svc`, kernels on texts against its `stringdot`.
//!
//! `kernlab/answers.json` was written by `kernlab/make_answers.R`, whose head has the formulations. `spoc-svc` is ours.
//! `kbb-svc` has a bias with a price, that is the kernel k + 1, and the margin 2: with F = 2G it is four times our
//! programme at C/2. Its alpha gives a primal value, which no optimum exceeds, and a dual one, which none falls below.
//!
//! `kernlab/strings.json` was written by `kernlab/make_strings.R`, whose head says what `stringdot` computes: the definition's
//! value of texts that both end with a newline.

use std::path::Path;

use mercer::data::{Labels, Points, ReadOptions, Vectors, read};
use mercer::gram;
use mercer::kernel::{TextExpr, Unit, VectorExpr, range, spectrum};
use mercer::model::{Loss, Together};
use mercer::solve::Stop;
use serde_json::Value;

/// Relative, beyond kernlab's primal and dual on either side: what our own tolerance leaves.
const OBJECTIVE: f64 = 2e-6;
/// Of the largest score. The primal is strongly convex, so scores are right to the root of what the objective allows.
const SCORE: f64 = 5e-4;
/// The share of predictions that must be the same; the others must have two scores within `SCORE` of each other.
const SAME: f64 = 0.99;

fn load(file: &str) -> (Vectors, Labels) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(file);
    let table = read(&path, &ReadOptions::default()).expect("the file is there and sound");
    (table.points, table.labels.expect("the file has labels").labels())
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

/// Where ours differs from a case.
fn differences(case: &Value) -> Vec<String> {
    let text = |name: &str| case[name].as_str().expect("a text");
    let (bias, c) = (text("type") == "kbb-svc", number(&case["c"]));
    // F = scale·G, and the objective is scale² times that of G.
    let (loss, kernel, scale) = if bias {
        (Loss::WestonWatkins, format!("{} + 1", text("kernel")), 2.0)
    } else {
        (Loss::CrammerSinger, text("kernel").to_owned(), 1.0)
    };
    let (x, y) = load(text("file"));
    let (test, _) = load(text("test"));
    let kernel: VectorExpr = kernel.parse().expect("parses");
    let machine = Together::new(kernel).loss(loss).c(c / scale).tolerance(1e-5);
    let model = machine.fit(&x, &y).expect("fits");
    let certificate = model.certificates[0];
    let mut found = Vec::new();
    if certificate.stop != Stop::Converged {
        found.push(format!("{}", certificate.stop));
    }
    let ours = -certificate.objective * scale * scale;
    let (primal, dual) = (number(&case["primal"]), number(&case["dual"]));
    if ours > primal * (1.0 + OBJECTIVE) || ours < dual * (1.0 - OBJECTIVE) {
        found.push(format!("objective {ours}, theirs from {dual} to {primal}"));
    }
    let (classes, stored) = (numbers(&case["classes"]), numbers(&case["scores"]));
    let place: Vec<usize> = classes
        .iter()
        .map(|class| model.classes.iter().position(|name| name.parse() == Ok(*class)).expect("a class"))
        .collect();
    let scores = model.scores(&test).expect("scores");
    let largest = stored.iter().fold(1.0, |a: f64, v| a.max(v.abs()));
    for (i, row) in stored.chunks(classes.len()).enumerate() {
        for (theirs, &at) in row.iter().zip(&place) {
            let ours = scale * scores.row(i)[at];
            if (ours - theirs).abs() > SCORE * largest {
                found.push(format!("row {i}, class {}: {ours} for {theirs}", model.classes[at]));
            }
        }
    }
    let theirs = numbers(&case["predictions"]);
    assert_eq!(theirs.len(), test.len());
    let mut same = 0;
    for (i, (ours, theirs)) in model.predict(&test).expect("predicts").iter().zip(&theirs).enumerate() {
        let other = place[classes.iter().position(|class| class == theirs).expect("a class")];
        let best = scores.row(i).iter().fold(f64::NEG_INFINITY, |a, &v| a.max(v));
        same += usize::from(ours.parse() == Ok(*theirs));
        if scale * (best - scores.row(i)[other]) > 2.0 * SCORE * largest {
            found.push(format!("row {i}: {ours} for {theirs}, and not by a hair"));
        }
    }
    if (same as f64) < SAME * theirs.len() as f64 {
        found.push(format!("{same} of {} predictions", theirs.len()));
    }
    let name = format!("{} {} {} C = {c}", text("type"), text("file"), text("kernel"));
    found.iter().map(|what| format!("{name}: {what}")).collect()
}

#[test]
fn objectives_scores_and_predictions_agree_with_kernlab() {
    let stored: Value =
        serde_json::from_str(include_str!("kernlab/answers.json")).expect("the answers are JSON");
    let cases = stored["cases"].as_array().expect("a list of cases");
    assert_eq!(cases.len(), 32);
    let failures: Vec<String> = cases.iter().flat_map(differences).collect();
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}

/// The values of a Gram in the order of the file: row after row, from the diagonal on.
fn upper(kernel: &TextExpr, texts: &Vec<String>) -> Vec<f64> {
    let values = gram::square::<f64, _, _>(kernel, texts).expect("a Gram");
    (0..texts.len()).flat_map(|i| values[i * texts.len()..][i..texts.len()].to_vec()).collect()
}

#[test]
fn spectrum_and_bounded_range_agree_with_kernlab() {
    let stored: Value =
        serde_json::from_str(include_str!("kernlab/strings.json")).expect("the answers are JSON");
    let texts = stored["strings"].as_array().expect("a list of strings");
    let texts: Vec<String> =
        texts.iter().map(|text| format!("{}\n", text.as_str().expect("a text"))).collect();
    let cases = stored["cases"].as_array().expect("a list of cases");
    assert_eq!((texts.len(), cases.len()), (12, 10));
    for case in cases {
        let p = case["length"].as_u64().expect("a length") as u32;
        let kernel = if case["type"] == "spectrum" { spectrum(p) } else { range(p) }.unit(Unit::Byte);
        // Counts are whole numbers, and the same.
        assert_eq!(upper(&kernel, &texts), numbers(&case["values"]), "{kernel}");
        let normalized = upper(&kernel.clone().normalized(), &texts);
        for (ours, theirs) in normalized.iter().zip(numbers(&case["normalized"])) {
            // Both divide by a root, in one step or in two: some roundings of numbers up to 1.
            assert!((ours - theirs).abs() <= 4.0 * f64::EPSILON, "{kernel}: {ours} {theirs}");
        }
    }
}
