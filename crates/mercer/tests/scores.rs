//! Scores of predictions against those of scikit-learn, stored.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

use std::path::Path;

use mercer::data::{Dense, LabelSets};
use mercer::select::{Metric, Said, Truth};
use serde_json::Value;

/// Both are sums of at most 60 terms of size 1 in double precision, in another order.
const TOLERANCE: f64 = 1e-12;

fn answers() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scores/answers.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("the answers are there")).expect("an object")
}

fn list<T>(value: &Value, each: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().expect("a list").iter().map(each).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    list(value, number)
}

fn whole(value: &Value) -> u32 {
    value.as_u64().expect("a whole number") as u32
}

fn dense(value: &Value, columns: usize) -> Dense<f64> {
    Dense::new(columns, list(value, numbers).concat())
}

fn compare(case: &Value, truth: &Truth, said: &Said) -> usize {
    let values = case["values"].as_object().expect("an object");
    for (name, expected) in values {
        let found = Metric::parse(name).unwrap().of(truth, said).unwrap();
        let expected = number(expected);
        assert!(
            (found - expected).abs() <= TOLERANCE * expected.abs().max(1.0),
            "{name}: {found}, {expected}"
        );
    }
    values.len()
}

#[test]
fn scores_are_those_of_scikit_learn() {
    let (answers, mut compared) = (answers(), 0);
    for case in answers["classes"].as_array().unwrap() {
        let k = whole(&case["count"]) as usize;
        let names = (0..k).map(|class| class.to_string()).collect();
        let said = Said::Classes {
            found: list(&case["found"], whole),
            scores: Some(dense(&case["scores"], k)),
            probabilities: Some(dense(&case["probabilities"], k)),
        };
        compared += compare(case, &Truth::Classes { names, index: list(&case["truth"], whole) }, &said);
    }
    for case in answers["numbers"].as_array().unwrap() {
        let [truth, found] = ["truth", "found"].map(|name| list(&case[name], numbers));
        compared += compare(case, &Truth::Numbers(truth), &Said::Numbers(found));
    }
    for case in answers["sets"].as_array().unwrap() {
        let names: Vec<String> = (0..whole(&case["labels"])).map(|label| label.to_string()).collect();
        let sets = |name: &str| LabelSets::new(names.clone(), list(&case[name], |set| list(set, whole)));
        compared += compare(case, &Truth::Sets(sets("truth")), &Said::Sets(sets("found")));
    }
    assert_eq!(compared, 356);
}
