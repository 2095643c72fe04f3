//! Files of canonical correlation analyses.

use super::container::Writer;
use super::tests::refusal;
use super::*;
use crate::data::{Dense, Points, Sparse};
use crate::kernel::{self, VectorExpr};
use crate::model::{CcaModel, Coefficients, Expansion};

fn view(points: impl Into<Vectors>, values: Vec<f64>) -> Expansion<Vectors, VectorExpr> {
    let points = points.into();
    let coefficients = Coefficients::full(points.len(), 2, values);
    Expansion::new(kernel::rbf(1.0 / 3.0), points, coefficients, vec![-0.7, 1e-17])
}

pub(super) fn saved() -> Saved {
    let dense = Dense::new(2, vec![0.1, -0.0, 5e-324, 4.0]);
    let sparse = Sparse::new(9, vec![0, 2, 2, 3], vec![0, 8, 3], vec![0.1_f32, -2.0, 1e-45]);
    let second = view(sparse, vec![0.1, -0.0, 1e300, 5e-324, 3.0, 1.0 / 3.0]);
    let model = CcaModel {
        first: view(dense, vec![0.1, -0.0, 1e300, 5e-324]),
        second: Expansion::new(
            kernel::linear() + 0.1,
            second.points().clone(),
            second.coefficients().clone(),
            second.offsets().to_vec(),
        ),
        first_support: vec![7, 2],
        second_support: vec![1, 0, 3],
        values: vec![0.9, 0.1],
        correlations: vec![0.95, -0.0],
        regularizer: 0.02,
        residual: 1e-14,
    };
    model.into()
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let refusal = |change: fn(&mut Writer)| refusal(&saved(), change);
    assert!(refusal(|file| file.tensor("values", &[1], [0.5])).contains("one column per output"));
    assert!(refusal(|file| file.tensor("values", &[2], [2.0; 2])).contains("between -1 and 1"));
    assert!(refusal(|file| file.tensor("correlations", &[2], [f64::NAN; 2])).contains("between -1 and 1"));
    assert!(refusal(|file| file.tensor("correlations", &[1], [0.5])).contains("1 correlations where 2"));
    assert!(refusal(|file| file.tensor("second.coefficients", &[2, 3], [0.0; 6])).contains("'second.coeff"));
    let infinite = |file: &mut Writer| file.tensor("second.coefficients", &[3, 2], [f64::INFINITY; 6]);
    assert!(refusal(infinite).contains("second view: a coefficient is not a finite number"));
    assert!(refusal(|file| file.tensor("second.offsets", &[1], [0.0])).contains("second view: 1 offsets"));
    assert!(refusal(|file| file.tensor("second.offsets", &[2], [f64::NAN; 2])).contains("an offset is not"));
    assert!(
        refusal(|file| file.tensor("second.support", &[1], [1_u64]))
            .contains("second view: 1 positions of support points")
    );
    assert!(refusal(|file| file.tensor("second.points", &[1, 1], [1.0])).contains("both dense and sparse"));
    assert!(refusal(|file| file.entry("second.columns", "2")).contains("lie inside the width"));
    assert!(refusal(|file| file.entry("second.kernel", "rbf(gamma=")).contains("rbf(gamma="));
    assert!(refusal(|file| file.tensor("residual", &[1], [-1.0])).contains("the residual is negative"));
    assert!(refusal(|file| file.tensor("third.offsets", &[1], [0.0])).contains("unknown entry or tensor"));
    let none = |file: &mut Writer| {
        file.tensor("values", &[0], [0.0; 0]);
        file.tensor("coefficients", &[2, 0], [0.0; 0]);
        file.tensor("second.coefficients", &[3, 0], [0.0; 0]);
    };
    assert!(refusal(none).contains("no components"));
}
