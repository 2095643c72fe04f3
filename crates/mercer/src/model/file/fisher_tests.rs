//! Files of Fisher discriminants.

use super::container::Writer;
use super::tests::{certificate, refusal};
use super::*;
use crate::data::Dense;
use crate::kernel::{self, VectorExpr};
use crate::model::{Coefficients, Expansion, FisherModel};

/// Axes of classes over two points.
fn model(classes: usize, threshold: Option<f64>) -> FisherModel<Vectors, VectorExpr> {
    let axes = classes - 1;
    let values = [0.1, -0.0, 1e300, 5e-324][..2 * axes].to_vec();
    FisherModel {
        expansion: Expansion::new(
            kernel::rbf(1.0 / 3.0),
            Dense::new(2, vec![0.1, -0.0, 5e-324, 4.0]).into(),
            Coefficients::full(2, axes, values),
            vec![-0.7, 1e-17][..axes].to_vec(),
        ),
        classes: ["1", "a,b", ""].iter().take(classes).map(|&name| name.into()).collect(),
        centers: Dense::new(axes, (0..axes * classes).map(|i| 1.0 / (3.0 - i as f64 * 0.7)).collect()),
        threshold,
        ratios: vec![0.9, 0.1][..axes].to_vec(),
        support: vec![7, 2],
        mu: 1e-3,
        residual: 1e-14,
    }
}

pub(super) fn saved() -> Saved {
    model(3, None).into()
}

pub(super) fn two_classes() -> Saved {
    model(2, Some(-0.0)).into()
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let three = |change: fn(&mut Writer)| refusal(&saved(), change);
    let two = |change: fn(&mut Writer)| refusal(&two_classes(), change);
    let means = "one row per class, one column per axis";
    assert!(three(|file| file.entry("classes", "[\"a\",\"b\"]")).contains(means));
    assert!(three(|file| file.entry("classes", "[\"a\",\"b\",\"a\"]")).contains("class 'a' is listed twice"));
    assert!(three(|file| file.tensor("centers", &[2, 3], [0.0; 6])).contains(means));
    assert!(three(|file| file.tensor("centers", &[3, 2], [f64::NAN; 6])).contains("a class mean is not"));
    assert!(three(|file| file.tensor("ratios", &[1], [0.5])).contains(means));
    assert!(three(|file| file.tensor("ratios", &[2], [0.5, 1.5])).contains("between 0 and 1"));
    assert!(three(|file| file.tensor("ratios", &[2], [0.5, f64::NAN])).contains("between 0 and 1"));
    assert!(three(|file| file.tensor("coefficients", &[1, 4], [0.0; 4])).contains("one column per output"));
    assert!(three(|file| file.tensor("coefficients", &[2, 2], [f64::INFINITY; 4])).contains("not a finite"));
    assert!(three(|file| file.tensor("offsets", &[1], [0.0])).contains("1 offsets where 2"));
    assert!(three(|file| file.tensor("threshold", &[1], [0.0])).contains("1 thresholds where 0"));
    assert!(two(|file| file.tensor("threshold", &[0], [0.0; 0])).contains("0 thresholds where 1"));
    assert!(two(|file| file.tensor("threshold", &[2], [0.0; 2])).contains("one number or none"));
    assert!(two(|file| file.tensor("threshold", &[1], [f64::NAN])).contains("threshold is not a finite"));
    assert!(two(|file| file.tensor("residual", &[1], [f64::NAN])).contains("the residual"));
    assert!(two(|file| file.tensor("residual", &[0], [0.0; 0])).contains("'residual' must be one number"));
    assert!(two(|file| file.tensor("regularizer", &[1], [0.0])).contains("the regulariser is not positive"));
    let one = |file: &mut Writer| file.entry("certificates", text::certificates(&[certificate()]).unwrap());
    assert!(refusal(&saved(), one).contains("certificates of a method that has none"));
    let none = |file: &mut Writer| {
        file.tensor("ratios", &[0], [0.0; 0]);
        file.tensor("centers", &[3, 0], [0.0; 0]);
    };
    assert!(refusal(&saved(), none).contains(means));
    let many = |file: &mut Writer| {
        file.tensor("ratios", &[2], [0.5; 2]);
        file.tensor("centers", &[2, 2], [0.0; 4]);
        file.tensor("coefficients", &[2, 2], [0.0; 4]);
        file.tensor("offsets", &[2], [0.0; 2]);
    };
    assert!(refusal(&two_classes(), many).contains("2 axes of 2 classes"));
}
