//! Files of kernel ridge regressions.

use super::tests::refusal;
use super::*;
use crate::data::Dense;
use crate::kernel::rbf;
use crate::model::{Coefficients, Expansion, RidgeModel};

fn saved() -> Saved {
    let values = vec![0.1, -0.0, 1.0 / 3.0, 5e-324, -0.2, 1e300];
    RidgeModel {
        expansion: Expansion::new(
            rbf(0.1),
            Dense::new(2, vec![0.1, -0.0, 5e-324, 4.0]).into(),
            Coefficients::full(2, 3, values),
            vec![-0.7, 0.0, 1e-17],
        ),
        support: vec![7, 2],
        lambda: 0.1 + 0.2,
        quality: Quality::Residual { residual: 1e-15, iterations: Some(3), converged: true },
    }
    .into()
}

#[test]
fn what_is_written_is_read() {
    let saved = saved();
    assert_eq!(Saved::from_bytes(&saved.to_bytes().unwrap()).unwrap(), saved);
    assert_eq!(saved.model.kind(), "ridge");
}

#[test]
fn hostile_files_are_refused() {
    let with = |change: &dyn Fn(&mut Writer)| refusal(&saved(), |file| change(file));
    let entry = |text: &'static str| with(&|file| file.entry("ridge", text));
    assert!(entry("{}").starts_with("entry 'ridge': missing field"));
    let negative = r#"{"lambda":-1.0,"residual":0.0,"iterations":null,"converged":true}"#;
    assert_eq!(entry(negative), "lambda and the residual must be finite and not negative");
    let more = r#"{"lambda":1.0,"residual":0.0,"iterations":null,"converged":true,"more":1}"#;
    assert!(entry(more).contains("unknown field"));
    let short = with(&|file| file.tensor("coefficients", &[1, 3], [1.0_f64; 3]));
    assert_eq!(short, "tensor 'coefficients' is not one row per point, one column per output");
    let narrow = with(&|file| file.tensor("coefficients", &[2, 2], [1.0_f64; 4]));
    assert_eq!(narrow, "3 offsets where 2 are expected");
    let nothing = with(&|file| {
        file.tensor("coefficients", &[2, 0], [0.0_f64; 0]);
        file.tensor("offsets", &[0], [0.0_f64; 0]);
    });
    assert_eq!(nothing, "no targets");
    let nan = with(&|file| file.tensor("coefficients", &[2, 3], [f64::NAN; 6]));
    assert_eq!(nan, "a coefficient is not a finite number");
}
