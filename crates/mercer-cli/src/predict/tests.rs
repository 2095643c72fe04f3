//! Predictions and what they should be.

use super::*;

fn column(labels: &[f64]) -> LabelColumn {
    LabelColumn::Numbers(labels.to_vec())
}

#[test]
fn scores_are_judged_by_their_side() {
    let predictions = Predictions::Scores(vec![0.5, -0.5, 0.0, 2.0]);
    let Ok(Some(Judgement::Correct(correct))) = predictions.judge(&column(&[1.0, -1.0, -1.0, -1.0])) else {
        panic!("sides are right or wrong")
    };
    assert_eq!((correct, predictions.inside()), (3, Some(2)));
    assert!(tell_sides(&predictions, &column(&[1.0, 1.0])));
    assert!(!tell_sides(&predictions, &column(&[1.0, 2.0])));
}

#[test]
fn values_are_judged_by_their_errors() {
    let predictions = Predictions::Values(vec![1.0, 2.0]);
    let Ok(Some(Judgement::Errors(errors))) = predictions.judge(&column(&[1.0, 3.0])) else {
        panic!("values have errors")
    };
    assert_eq!(errors.mean_square, 0.5);
    assert!(tell_sides(&predictions, &column(&[7.0])));
}
