//! Hostile files of self-organising maps.

use super::tests::refusal;
use super::*;
use crate::kernel;
use crate::model::Som;

fn saved() -> Saved {
    let x = Vectors::dense(2, vec![0.1, -0.0, 5e-3, 4.0, 0.7, 1e-45, 2.0, -1.0]);
    Saved::from(Som::new(kernel::rbf(0.5)).rows(2).columns(2).fit(&x).unwrap())
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let counts = |name: &str, values: &[usize]| refusal(&saved(), |file| file.counts(name, values));
    assert!(counts("grid", &[2, 2]).contains("rows, columns"));
    assert!(counts("grid", &[2, 2, 2]).contains("rows, columns"));
    assert!(counts("grid", &[0, 2, 0]).contains("without units"));
    assert!(counts("grid", &[usize::MAX, 2, 0]).contains("without units"));
    assert!(counts("grid", &[2, 3, 0]).contains("4 names of units where 6"));
    assert!(counts("grid", &[1, 4, 0]).contains("not named by their rows"));
    assert!(counts("winners", &[0, 1]).contains("fewer nearest units than points"));
    assert!(counts("winners", &[0, 1, 2, 4]).contains("not on the grid"));
    assert!(counts("medians", &[0]).contains("1 medians where 4"));
    assert!(counts("epochs", &[3]).contains("number of epochs"));
    let numbers = |name: &str, values: &[f64]| refusal(&saved(), |file| file.list(name, values));
    assert!(numbers("hits", &[1.0]).contains("1 weights of units where 4"));
    assert!(numbers("hits", &[1.0, 2.0, -1.0, 2.0]).contains("negative"));
    assert!(numbers("between", &[1.0]).contains("1 distances of neighbours where 6"));
    assert!(numbers("errors", &[1.0]).contains("two numbers"));
    assert!(numbers("errors", &[f64::NAN, 0.0]).contains("not finite"));
    assert!(numbers("errors", &[1.0, 1.5]).contains("error"));
    assert!(numbers("offsets", &[1.0]).contains("1 offsets where 4"));
}
