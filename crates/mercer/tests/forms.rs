//! One data set of some size of each form: many sparse features, more dense features than points, many classes, many points. Each model is
//! what its certificate says, by code that shares nothing with the solver.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

use mercer::data::{Labels, Sparse, SplitMix, Vectors};
use mercer::model::file::{Recipe, Saved, Training};
use mercer::model::{AnyEstimator, AnyKernel, AnyPoints, How, Job, Prediction, Targets};
use mercer::solve::Stop;
use mercer::verify::{Asked, verify};

/// Rows of `entries` of `width` features; those of a class have a third of them in common.
fn sparse(rows: usize, width: usize, entries: usize, classes: usize) -> (Vectors, Labels) {
    let mut random = SplitMix(11);
    let (mut start, mut index, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..rows {
        let mut own: Vec<u32> = (0..entries)
            .map(|k| {
                let drawn = (random.uniform() * width as f64) as u32;
                if k % 3 == 0 { drawn % 100 + 100 * (row % classes) as u32 } else { drawn }
            })
            .collect();
        own.sort_unstable();
        own.dedup();
        values.extend(own.iter().map(|_| 0.1 + random.uniform()));
        index.extend(own);
        start.push(index.len());
    }
    let labels = Labels::first_seen((0..rows).map(|row| format!("class {}", row % classes)));
    (Sparse::new(width, start, index, values).into(), labels)
}

/// Rows of numbers about the centre of their class, which overlap.
fn dense(rows: usize, width: usize, classes: usize, apart: f64) -> (Vectors, Labels) {
    let mut random = SplitMix(12);
    let mut normal = || (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
    let centres: Vec<f64> = (0..classes * width).map(|_| apart * normal()).collect();
    let values: Vec<f64> =
        (0..rows * width).map(|at| centres[at / width % classes * width + at % width] + normal()).collect();
    let labels = Labels::first_seen((0..rows).map(|row| format!("class {}", row % classes)));
    (Vectors::dense(width, values), labels)
}

/// Fits, goes through a file and verifies; gives the share of its own points that the model has right.
fn fit(method: &str, kernel: &str, (x, y): (Vectors, Labels)) -> f64 {
    let kernel = AnyKernel::Vectors(kernel.parse().unwrap());
    let estimator = AnyEstimator::new(method, kernel).unwrap();
    let (x, rows) = (AnyPoints::from(x), y.index().len());
    let targets = Targets::Classes(y.clone());
    let mut job = Job::new();
    let model = estimator.fit(&x, &targets, &mut job).unwrap();
    assert_eq!(model.quality().totals().unwrap().stop, Stop::Converged, "{method}");
    let training = Training::of(&estimator, &job.found, model.classes());
    let recipe = Some(Recipe::of(&estimator, &job.found, rows, &[]));
    let saved = Saved { training, recipe, ..Saved::new(model) };
    let saved = Saved::from_bytes(&saved.to_bytes().unwrap()).unwrap();
    let report = verify(&saved, &x, &targets, &[], &Asked::default()).unwrap();
    let broken: Vec<String> = report.broken().map(|check| check.to_string()).collect();
    assert!(report.is_true(), "{method}: {broken:?} {:?}", report.flaws);
    let Prediction::Classes(found) = saved.model.predict(&x, How::default()).unwrap() else {
        panic!("a classifier predicts classes")
    };
    let right =
        |(found, class): (&usize, &u32)| saved.model.classes()[*found] == y.classes()[*class as usize];
    found.iter().zip(y.index()).filter(|(found, class)| right((found, class))).count() as f64 / rows as f64
}

#[test]
fn many_sparse_features() {
    for (method, kernel) in [("svc", "rbf(gamma=0.05)"), ("linear-svc", "linear"), ("logistic", "linear")] {
        let right = fit(method, kernel, sparse(1200, 20_000, 40, 2));
        assert!(right > 0.95, "{method}: {right}");
    }
}

#[test]
fn more_dense_features_than_points() {
    for (method, kernel) in [("svc", "rbf(gamma=0.0005)"), ("nu-svc", "linear"), ("linear-svc", "linear")] {
        let right = fit(method, kernel, dense(250, 2000, 3, 0.1));
        assert!(right > 0.95, "{method}: {right}");
    }
}

#[test]
fn many_classes() {
    for (method, kernel) in [("svc", "rbf(gamma=0.1)"), ("ovr", "rbf(gamma=0.1)"), ("linear-svc", "linear")] {
        let right = fit(method, kernel, dense(800, 6, 40, 2.0));
        assert!(right > 0.5, "{method}: {right}");
    }
}

#[test]
fn many_points() {
    let right = fit("svc", "rbf(gamma=0.5)", dense(3000, 3, 2, 1.0));
    assert!(right > 0.6, "{right}");
}
