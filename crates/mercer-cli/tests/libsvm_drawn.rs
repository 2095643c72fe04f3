//! A hundred settings drawn from all options of `svm-train`, beside LIBSVM's answers.
//!
//! `libsvm/drawn.json` is written by `bench/differential.py --store`, whose head derives what may differ from the tolerance of the fit;
//! `cargo xtask test --peers` compares a thousand with LIBSVM itself.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

mod common;

use common::{Place, data};
use mercer::data::{Points, ReadOptions, Row, read};
use serde_json::Value;

/// Rows as columns and values, and their labels.
struct Rows {
    rows: Vec<Vec<(usize, f64)>>,
    labels: Vec<f64>,
}

/// A data set with each feature divided by its largest size, where that is above 1.
fn scaled(name: &str) -> Rows {
    let table = read(&data(name), &ReadOptions::default()).unwrap();
    let mut largest = vec![1.0_f64; table.points.width()];
    let mut rows = Vec::new();
    for i in 0..table.points.len() {
        let mut row = Vec::new();
        let own: Row<'_> = table.points.row(i);
        own.for_each(|column, value| row.push((column, value)));
        row.retain(|&(_, value)| value != 0.0);
        row.iter().for_each(|&(column, value)| largest[column] = largest[column].max(value.abs()));
        rows.push(row);
    }
    rows.iter_mut().flatten().for_each(|(column, value)| *value *= 1.0 / largest[*column]);
    let labels = table.labels.unwrap();
    Rows { rows, labels: (0..labels.len()).map(|i| labels.text(i).parse().unwrap()).collect() }
}

/// The text of some rows, of a precomputed kernel their values with the training rows.
fn text(all: &Rows, chosen: &[usize], training: Option<&[usize]>) -> String {
    let mut text = String::new();
    for (number, &i) in chosen.iter().enumerate() {
        text += &all.labels[i].to_string();
        match training {
            None => all.rows[i].iter().for_each(|(k, v)| text += &format!(" {}:{v}", k + 1)),
            Some(training) => {
                text += &format!(" 0:{}", number + 1);
                for (at, &j) in training.iter().enumerate() {
                    let value = (-0.1 * distance(&all.rows[i], &all.rows[j])).exp();
                    text += &format!(" {}:{value}", at + 1);
                }
            }
        }
        text.push('\n');
    }
    text
}

fn distance(a: &[(usize, f64)], b: &[(usize, f64)]) -> f64 {
    let at =
        |row: &[(usize, f64)], k: usize| row.iter().find(|(column, _)| *column == k).map_or(0.0, |(_, v)| *v);
    let width = a.iter().chain(b).map(|(column, _)| column + 1).max().unwrap_or(0);
    (0..width).map(|k| (at(a, k) - at(b, k)).powi(2)).sum()
}

fn list(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

#[test]
fn drawn_settings_have_libsvms_answers() {
    let answers: Vec<Value> = serde_json::from_str(include_str!("libsvm/drawn.json")).unwrap();
    let mut formulations = [0; 5];
    for answer in &answers {
        let number = |name: &str| answer[name].as_f64().unwrap();
        let name = answer["data"].as_str().unwrap();
        let mut options = answer["options"].as_str().unwrap().to_owned();
        let what = format!("{name} {options}");
        let formulation: usize = options[3..4].parse().unwrap();
        formulations[formulation] += 1;
        let all = scaled(name);
        let (test, train): (Vec<usize>, Vec<usize>) = (0..all.rows.len()).partition(|i| i % 3 == 2);
        let precomputed = answer["precomputed"].as_bool().unwrap();
        if precomputed {
            options = options.replace(" -g 0.1", "").replace("-t 2", "-t 4");
        }
        let place = Place::new();
        place.write("train", text(&all, &train, precomputed.then_some(&train[..])));
        place.write("test", text(&all, &test, precomputed.then_some(&train[..])));
        let out = place.run(&format!("svm-train {options} train model")).ok().out;
        place.run("svm-predict test model out").ok();
        let objective: f64 = out
            .lines()
            .filter_map(|line| line.strip_prefix("obj = ")?.split(',').next()?.parse::<f64>().ok())
            .sum();
        let model = place.read("model");
        let (head, vectors) = model.split_once("\nSV\n").unwrap();
        let sum: f64 = vectors
            .split_whitespace()
            .filter(|word| !word.contains(':'))
            .map(|word| word.parse::<f64>().unwrap().abs())
            .sum();
        let (scale, tolerance, size) = (number("scale"), number("tolerance"), number("objective").abs());
        let (own, theirs) = (tolerance * sum * scale, number("left"));
        let allowed = (1e-4 * size).min(own + theirs + 1e-9 * size).max(1e-10);
        let difference = (objective - number("objective")).abs();
        assert!(difference <= allowed, "{what}: {objective} and {}", number("objective"));
        let bound = 2.0 * ((2.0 * own).sqrt() + (2.0 * theirs).sqrt()) * number("largest").sqrt()
            + 4.0 * tolerance * scale;
        let count: f64 =
            head.lines().find_map(|line| line.strip_prefix("total_sv ")).unwrap().parse().unwrap();
        let unsure = list(&answer["margins"]).iter().filter(|margin| **margin <= bound).count() as f64;
        let expected = number("count");
        assert!(
            (count - expected).abs() <= (0.01 * expected).max(unsure).max(2.0),
            "{what}: {count} vectors"
        );
        let found: Vec<f64> = place.read("out").lines().map(|line| line.parse().unwrap()).collect();
        let expected = list(&answer["predictions"]);
        assert_eq!(found.len(), expected.len(), "{what}");
        let near = list(&answer["near"]);
        let largest = expected.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        for (i, (value, expected)) in found.iter().zip(&expected).enumerate() {
            let right = match near.get(i) {
                Some(near) => value == expected || *near <= bound,
                // Seven digits are stored.
                None => (value - expected).abs() <= bound + 1e-6 * largest,
            };
            assert!(right, "{what}: row {i}: {value} and {expected}, where {bound} is allowed");
        }
    }
    assert!(answers.len() == 100 && formulations.iter().all(|count| *count >= 10), "{formulations:?}");
}
