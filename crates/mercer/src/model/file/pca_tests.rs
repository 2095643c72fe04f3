//! Hostile files of kernel PCA.

use super::tests::refusal;
use super::*;
use crate::kernel;
use crate::model::{Estimator, Pca};

pub(super) fn saved() -> Saved {
    let x = Vectors::dense(2, vec![0.1, -0.0, 5e-3, 4.0, 0.7, 1e-45, 2.0, -1.0]);
    let pca = Pca::new(kernel::rbf(0.5)).components(2);
    Saved::from(pca.fit_weighted(&x, &(), &[1.0, 2.0, 0.0, 0.5]).unwrap())
}

#[test]
fn numbers_that_cannot_be_are_refused() {
    let refusal = |name: &str, values: &[f64]| {
        refusal(&saved(), |file| file.tensor(name, &[values.len()], values.iter().copied()))
    };
    assert!(refusal("eigenvalues", &[1.0]).contains("one column per output"));
    assert!(refusal("eigenvalues", &[1.0, 2.0]).contains("do not descend"));
    assert!(refusal("eigenvalues", &[1.0, -2.0]).contains("not positive"));
    assert!(refusal("eigenvalues", &[f64::NAN, 1.0]).contains("not positive"));
    assert!(refusal("eigenvalues", &[]).contains("one column per output"));
    assert!(refusal("weights", &[1.0, 1.0]).contains("2 weights of points where 3"));
    assert!(refusal("weights", &[1.0, 0.0, 1.0]).contains("not positive"));
    assert!(refusal("row_means", &[1.0, f64::INFINITY, 1.0]).contains("not finite"));
    assert!(refusal("row_means", &[1.0]).contains("1 means of kernel values where 3"));
    assert!(refusal("total", &[f64::NAN]).contains("total variance"));
    assert!(refusal("total", &[]).contains("must be one number"));
    assert!(refusal("residual", &[-1.0]).contains("residual"));
    assert!(refusal("offsets", &[1.0]).contains("1 offsets where 2"));
    assert!(refusal("offsets", &[1.0, f64::NAN]).contains("offset is not a finite"));
}

#[test]
fn certificates_are_refused() {
    let certificate = text::certificates(&[tests::certificate()]).unwrap();
    let found = refusal(&saved(), |file| file.entry("certificates", certificate));
    assert!(found.contains("has none"));
}
