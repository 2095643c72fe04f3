//! Round trips of probabilities, and files that claim them wrongly.

use super::*;
use crate::data::{Dense, Vectors};
use crate::kernel::{self, VectorExpr};
use crate::model::file::{Saved, parts};
use crate::model::{Coefficients, Expansion, Function, Role, SvcModel, VoteRule};

fn points() -> Vectors {
    Dense::new(1, vec![0.0_f64, 1.0, 2.0]).into()
}

fn function() -> Function<Vectors, VectorExpr> {
    Function {
        expansion: Expansion::new(
            kernel::linear(),
            points(),
            Coefficients::single(vec![1.0, -1.0, 0.5]),
            vec![0.25],
        ),
        role: Role::Regression,
        support: vec![],
        certificate: None,
    }
}

fn classifier() -> SvcModel<Vectors, VectorExpr> {
    let class_sizes = vec![1, 1, 1];
    SvcModel {
        expansion: Expansion::new(
            kernel::linear(),
            points(),
            parts::blocks(&class_sizes, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
            vec![0.0; 3],
        ),
        classes: vec!["a".into(), "b".into(), "c".into()],
        class_sizes,
        support: vec![],
        certificates: vec![],
        rule: VoteRule::Votes,
    }
}

fn with(model: impl Into<Saved>, estimate: Estimate) -> Saved {
    Saved { probability: Some(estimate), ..model.into() }
}

fn sigmoid() -> Saved {
    let pair = |a: f64, b: f64| Calibration::Sigmoid(Sigmoid { a, b });
    let pairs = vec![pair(-1.0 / 3.0, -0.0), pair(1e300, 5e-324), pair(0.0, 0.1 + 0.2)];
    with(classifier(), Estimate::Classes(Probability { pairs }))
}

fn isotonic() -> Saved {
    let pair = |thresholds: &[f64], values: &[f64]| {
        Calibration::Isotonic(Isotonic { thresholds: thresholds.to_vec(), values: values.to_vec() })
    };
    let pairs = vec![pair(&[-1.0, 0.1 + 0.2], &[0.0, 1.0]), pair(&[], &[]), pair(&[7.0], &[1.0 / 3.0])];
    with(classifier(), Estimate::Classes(Probability { pairs }))
}

fn noise() -> Saved {
    with(function(), Estimate::Noise(Noise { sigma: 1.0 / 3.0 }))
}

fn density() -> Saved {
    let marks = std::array::from_fn(|i| i as f64 / 7.0 - 0.5);
    with(Function { role: Role::OneClass, ..function() }, Estimate::Density(Density { marks }))
}

fn all() -> [Saved; 4] {
    [sigmoid(), isotonic(), noise(), density()]
}

#[test]
fn every_kind_comes_back_to_the_bit() {
    for (saved, method) in all().into_iter().zip(Estimate::METHODS) {
        let bytes = saved.to_bytes().unwrap();
        let back = Saved::from_bytes(&bytes).unwrap();
        assert_eq!(back, saved);
        assert_eq!(back.to_bytes().unwrap(), bytes);
        assert_eq!(back.probability.unwrap().method(), method);
    }
}

/// A classifier of three classes as the first program with probabilities wrote it.
#[test]
fn the_first_models_with_probabilities_are_still_read() {
    for (bytes, method) in [
        (&include_bytes!("../../../../tests/models/sigmoid.mercer")[..], "sigmoid"),
        (&include_bytes!("../../../../tests/models/isotonic.mercer")[..], "isotonic"),
    ] {
        let saved = Saved::from_bytes(bytes).unwrap();
        let Some(Estimate::Classes(probability)) = &saved.probability else { panic!("no classes") };
        assert_eq!((saved.probability.as_ref().unwrap().method(), probability.pairs.len()), (method, 3));
        assert!(probability.pairs.iter().all(|pair| pair.probability(3.0) > pair.probability(-3.0)));
        assert_eq!(saved.to_bytes().unwrap(), bytes);
    }
}

#[test]
fn a_cut_or_flipped_file_is_refused_everywhere() {
    for saved in all() {
        let bytes = saved.to_bytes().unwrap();
        for at in 0..bytes.len() {
            assert!(Saved::from_bytes(&bytes[..at]).is_err(), "{at} bytes");
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x10;
            assert!(Saved::from_bytes(&flipped).is_err(), "byte {at}");
        }
    }
}

/// What reading says of a file that was changed and given a checksum that fits.
fn refusal(saved: &Saved, change: impl FnOnce(&mut Writer)) -> String {
    let mut writer = Writer::copy(&saved.to_bytes().unwrap());
    change(&mut writer);
    Saved::from_bytes(&writer.finish().unwrap()).unwrap_err().to_string()
}

#[track_caller]
fn refused(saved: &Saved, words: &str, change: impl FnOnce(&mut Writer)) {
    let said = refusal(saved, change);
    assert!(said.contains(words), "{said}");
}

#[test]
fn kinds_that_do_not_exist_or_do_not_belong_are_refused() {
    refused(&sigmoid(), "'magic': this program reads sigmoid, isotonic, noise, density", |w| {
        w.entry(KIND, "magic");
    });
    refused(&sigmoid(), "no tensor 'probability.sigma'", |w| w.entry(KIND, "noise"));
    let plain = Saved { probability: None, ..noise() };
    refused(&plain, "unknown entry or tensor 'probability.sigma'", |w| w.tensor(SIGMA, &[1], [1.0]));
    refused(&plain, "no tensor 'probability.marks'", |w| w.entry(KIND, "density"));
    refused(&plain, "a probability of kind 'density' does not belong to 'svr'", |w| {
        w.entry(KIND, "density");
        w.tensor(MARKS, &[10], [0.0; 10]);
    });
    refused(&noise(), "unknown entry or tensor 'probability.marks'", |w| w.tensor(MARKS, &[10], [0.0; 10]));
}

#[test]
fn numbers_that_cannot_be_are_refused() {
    let nan = f64::NAN;
    refused(&sigmoid(), "must have 2 dimensions", |w| w.tensor(SIGMOIDS, &[6], [0.0; 6]));
    refused(&sigmoid(), "must have two columns", |w| w.tensor(SIGMOIDS, &[2, 3], [0.0; 6]));
    refused(&sigmoid(), "2 calibrations where each pair", |w| w.tensor(SIGMOIDS, &[2, 2], [0.0; 4]));
    refused(&sigmoid(), "a sigmoid must have finite", |w| w.tensor(SIGMOIDS, &[3, 2], [nan; 6]));
    refused(&noise(), "must have one number", |w| w.tensor(SIGMA, &[2], [0.0; 2]));
    refused(&noise(), "must be finite and not negative", |w| w.tensor(SIGMA, &[1], [-1.0]));
    refused(&noise(), "must be finite and not negative", |w| w.tensor(SIGMA, &[1], [nan]));
    refused(&density(), "must have ten numbers", |w| w.tensor(MARKS, &[9], [0.0; 9]));
    refused(&density(), "must not fall", |w| {
        w.tensor(MARKS, &[10], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]);
    });
    refused(&density(), "must not fall", |w| w.tensor(MARKS, &[10], [nan; 10]));
}

#[test]
fn isotonic_functions_that_are_none_are_refused() {
    let cut = "does not cut";
    for start in [[1_u64, 2, 2, 3], [0, 3, 2, 3], [0, 2, 2, 2], [0, 2, 2, u64::MAX]] {
        refused(&isotonic(), cut, |w| w.tensor(START, &[4], start));
    }
    refused(&isotonic(), cut, |w| w.tensor(START, &[0], [0_u64; 0]));
    refused(&isotonic(), "1 calibrations where each pair", |w| w.tensor(START, &[2], [0_u64, 3]));
    refused(&isotonic(), cut, |w| w.tensor(VALUES, &[2], [0.0, 1.0]));
    refused(&isotonic(), "must be finite and must rise", |w| {
        w.tensor(THRESHOLDS, &[3], [1.0, 1.0, 2.0]);
    });
    for values in [[0.5, 0.4, 1.0], [0.0, 1.5, 1.0], [f64::NAN, 1.0, 1.0], [-0.5, 1.0, 1.0]] {
        refused(&isotonic(), "must be from 0 to 1 and must not fall", |w| w.tensor(VALUES, &[3], values));
    }
}

#[test]
fn calibrations_of_two_kinds_are_not_written() {
    let (mut mixed, other) = (sigmoid(), isotonic());
    let (Some(Estimate::Classes(own)), Some(Estimate::Classes(other))) =
        (&mut mixed.probability, other.probability)
    else {
        panic!("both have classes")
    };
    own.pairs[2] = other.pairs[2].clone();
    assert!(mixed.to_bytes().unwrap_err().to_string().contains("some an isotonic function"));
    own_pairs(&mut mixed).pop();
    assert!(mixed.to_bytes().unwrap_err().to_string().contains("2 calibrations"));
}

fn own_pairs(saved: &mut Saved) -> &mut Vec<Calibration> {
    match &mut saved.probability {
        Some(Estimate::Classes(probability)) => &mut probability.pairs,
        other => panic!("{other:?}"),
    }
}
