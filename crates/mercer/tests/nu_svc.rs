//! ν-SVC against LIBSVM's stored answers.
//!
//! `libsvm/nu.json` was written by `libsvm/make_nu.py`, whose head has its fields, and why some settings are left out.
//! Both solve to 1e-6, since what the tolerance leaves is divided by the margin ρ, and ours ends with the exact finish,
//! since so is what single precision leaves: without it one case of 50, banana at ν = 0.2, is off by 1.4e-4.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

use std::path::Path;

use mercer::data::{Labels, Points, ReadOptions, Scaler, Vectors, read};
use mercer::kernel::VectorExpr;
use mercer::model::{Estimator, Fact, Job, NuSvc, vote};
use mercer::solve::{Smo, Stop};
use serde_json::Value;

/// Relative, of each pair's objective and of its 1/ρ, of which six decimals are printed.
const OBJECTIVE: f64 = 1e-4;
const DIGITS: f64 = 1e-6;
/// Relative, of the number of support vectors; or one of them.
const SUPPORT: f64 = 0.01;
/// Whose coefficients are not unique: repeated points and a linear kernel.
const NOT_UNIQUE: &str = "mushrooms-linear";
/// The share of predictions that must be the same. Where there are too few rows for one to differ, it may where LIBSVM's
/// own decision is this near to a boundary.
const SAME: f64 = 0.999;
const NEAR: f64 = 1e-3;
/// Of the decisions, relative to their size.
const DECISION: f64 = 1e-3;

fn part(part: &Value, features: usize) -> (Vectors, Vec<String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    let table = read(&folder.join(part["file"].as_str().unwrap()), &ReadOptions::default()).unwrap();
    let (first, rows) = (number(&part["first"]) as usize, number(&part["rows"]) as usize);
    let index: Vec<usize> = (first..first + rows).collect();
    let labels = table.labels.unwrap();
    (table.points.with_width(features).select(&index), index.iter().map(|&i| labels.text(i)).collect())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn list(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn off(ours: f64, theirs: f64) -> f64 {
    (ours - theirs).abs() / theirs.abs().max(f64::MIN_POSITIVE)
}

/// Where ours differs from a case.
fn differences(case: &Value) -> Vec<String> {
    let features = number(&case["features"]) as usize;
    let ((mut x, labels), (mut test, _)) = (part(&case["train"], features), part(&case["predict"], features));
    if let Some(limits) = case["scale"].as_array() {
        let scaler = Scaler::min_max(&x, number(&limits[0]), number(&limits[1])).unwrap();
        (x, test) = (scaler.apply(&x), scaler.apply(&test));
    }
    let labels = Labels::first_seen(&labels).libsvm_order();
    let order: Vec<String> = case["labels"].as_array().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(labels.classes(), order);
    let kernel: VectorExpr = case["kernel"].as_str().unwrap().parse().unwrap();
    let solver = Smo { tolerance: 1e-6, exact: true, ..Smo::default() };
    let machine = NuSvc::new(kernel).nu(number(&case["nu"])).solver(solver);
    let mut job = Job::new();
    let model = machine.fit_in(&x, &labels, &mut job).unwrap();
    let Some(Fact::Numbers(price)) = job.found.get("c") else { panic!("1/ρ of each pair") };
    let mut found = Vec::new();
    let theirs = list(&case["objective"]).into_iter().zip(list(&case["c"]));
    for (p, (objective, c)) in theirs.enumerate() {
        let (ours, stop) = (model.certificates[p].objective, model.certificates[p].stop);
        if stop != Stop::Converged
            || off(ours, objective) > OBJECTIVE
            || (price[p] - c).abs() > OBJECTIVE * c + DIGITS
        {
            let theirs = format!("{objective} and {c}");
            found.push(format!("pair {p}: {stop}, objective and 1/ρ {ours} and {} for {theirs}", price[p]));
        }
    }
    let (ours, theirs) = (model.support.len() as f64, number(&case["total_nsv"]));
    let unique = !case["name"].as_str().unwrap().starts_with(NOT_UNIQUE);
    if unique && (ours - theirs).abs() > (SUPPORT * theirs).max(1.0) {
        found.push(format!("{ours} support vectors for {theirs}"));
    }
    let predictions = case["predictions"].as_array().unwrap();
    let test = test.select(&(0..predictions.len()).collect::<Vec<_>>());
    let decisions = model.decisions(&test).unwrap();
    for (i, row) in case["decisions"].as_array().unwrap().iter().enumerate() {
        let pairs = decisions.row(i).iter().zip(list(row));
        let worst = pairs.map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f64::max);
        if worst > DECISION {
            found.push(format!("row {i}: decisions off by {worst}"));
        }
    }
    // LIBSVM gives a tie to the class with the lowest number.
    let class = |i: usize| model.classes[vote(decisions.row(i), model.classes.len())].as_str();
    let (ours, near): (Vec<&str>, _) = ((0..test.len()).map(class).collect(), list(&case["near"]));
    let other: Vec<usize> =
        (0..ours.len()).filter(|&i| *ours[i] != number(&predictions[i]).to_string()).collect();
    if other.len() as f64 > (1.0 - SAME) * ours.len() as f64 && other.iter().any(|&i| near[i] > NEAR) {
        found.push(format!("{} of {} predictions differ: {other:?}", other.len(), ours.len()));
    }
    found
}

#[test]
fn objectives_support_vectors_and_predictions_agree_with_libsvm() {
    let stored: Value = serde_json::from_str(include_str!("libsvm/nu.json")).unwrap();
    let (cases, left_out) = (stored["cases"].as_array().unwrap(), stored["left_out"].as_array().unwrap());
    let many = cases.iter().filter(|case| case["labels"].as_array().unwrap().len() > 2).count();
    assert!(many >= 20 && cases.len() >= many + 10, "{many} of {} with many classes", cases.len());
    assert!(left_out.len() < cases.len() && left_out.iter().all(|case| case["reason"].is_string()));
    let mut failures = Vec::new();
    for case in cases {
        let name = case["name"].as_str().unwrap();
        failures.extend(differences(case).into_iter().map(|what| format!("{name}: {what}")));
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}
