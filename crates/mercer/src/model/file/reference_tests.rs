//! Files of models whose kernel is centred.

use super::container::Writer;
use super::tests::refusal;
use super::*;
use crate::data::Sparse;
use crate::kernel::{linear, rbf};
use crate::model::{Cca, Estimator, Job, Ridge};

fn saved() -> Saved {
    let x: Vectors = Sparse::new(9, vec![0, 2, 2, 3], vec![0, 8, 3], vec![0.1, -2.0, 0.3]).into();
    let kernel = linear().centered() + (rbf(1.0 / 3.0) + linear().centered()).centered().normalized();
    let ridge = Ridge::new(kernel).lambda(1e-3);
    let model = ridge.fit_in(&x, &[vec![1.0, 0.1, -2.0]], &mut Job::new().weights(&[0.1, 0.0, 3.0]));
    Saved::from(model.unwrap())
}

#[test]
fn what_a_kernel_is_fitted_to_comes_back_also_wider() {
    let mut first = saved();
    let mut back = Saved::from_bytes(&first.to_bytes().unwrap()).unwrap();
    assert_eq!((back.to_bytes().unwrap(), &back), (first.to_bytes().unwrap(), &first));
    let new = || Vectors::from(Sparse::new(12, vec![0, 1, 3], vec![0, 2, 11], vec![0.7, 0.2, 5.0]));
    first.model.widen(12);
    back.model.widen(12);
    let values = |saved: &Saved| saved.model.decisions(&new().into(), Default::default()).unwrap();
    assert_eq!(values(&back), values(&first));
    let two = Cca::new(linear().centered(), rbf(1.0).centered()).components(1);
    let points = |k: f64| Vectors::dense(1, (0..9).map(|i| (f64::from(i) * k).sin()).collect());
    let saved = Saved::from(two.fit(&points(1.0), &points(0.3)).unwrap());
    let back = Saved::from_bytes(&saved.to_bytes().unwrap()).unwrap();
    let second = |saved: &Saved| saved.model.second_components(&points(0.7).into()).unwrap();
    assert_eq!((second(&back), &back), (second(&saved), &saved));
}

#[test]
fn references_that_cannot_be_are_refused() {
    let refused = |change: fn(&mut Writer)| refusal(&saved(), change);
    assert!(refused(|file| file.list("reference.weights", &[1.0])).contains("one for each point"));
    assert!(refused(|file| file.list("reference.weights", &[1.0, -1.0])).contains("must be positive"));
    assert!(refused(|file| file.tensor("reference.means", &[2, 2], [0.5; 4])).contains("each centred part"));
    assert!(refused(|file| file.tensor("reference.means", &[3, 1], [0.5; 3])).contains("one for each point"));
    assert!(refused(|file| file.tensor("reference.means", &[0, 2], [0.0; 0])).contains("has no row"));
    assert!(
        refused(|file| file.tensor("reference.means", &[3, 2], [f64::NAN; 6])).contains("must be finite")
    );
    assert!(refused(|file| file.list("reference.points.values", &[f64::NAN; 3])).contains("finite"));
    assert!(refused(|file| file.entry("reference.columns", "10")).contains("10 features where 9"));
    let emptied = |file: &mut Writer| {
        file.counts("reference.points.start", &[0]);
        file.tensor("reference.points.index", &[0], [0_u32; 0]);
        file.list("reference.points.values", &[]);
    };
    assert!(refused(emptied).contains("no rows"));
    // A kernel that is not centred has no use for a reference, and one that is must have it.
    assert!(refused(|file| file.entry("kernel", "linear")).contains("unknown entry or tensor 'reference."));
    let plain =
        Saved::from(Ridge::new(linear()).fit(&Vectors::dense(1, vec![1.0, 2.0]), &[0.0, 1.0]).unwrap());
    let missing = refusal(&plain, |file| file.entry("kernel", "centered(linear)"));
    assert!(missing.contains("no tensor 'reference."), "{missing}");
}
