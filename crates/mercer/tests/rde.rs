//! Relevant dimensions against numpy's answers and against the published table.

use std::path::Path;

use mercer::data::{Labels, Points, ReadOptions, Vectors, read};
use mercer::kernel::{VectorExpr, rbf};
use mercer::model::{Criterion, Noise, Rde, RdeFit};
use serde_json::Value;

fn load(file: &str) -> (Vectors, Labels, Vec<f64>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(file);
    let table = read(&path, &ReadOptions::default()).expect("the file is there and sound");
    let labels = table.labels.expect("the file has labels");
    (table.points, labels.labels(), labels.numbers().expect("labels are numbers"))
}

fn close(found: f64, expected: &Value, tolerance: f64, name: &str) {
    let expected = expected.as_f64().expect("a number");
    assert!((found - expected).abs() <= tolerance, "{name}: {found} where {expected} is expected");
}

#[test]
fn cuts_noise_and_errors_agree_with_numpy() {
    let stored: Value = serde_json::from_str(include_str!("rde/answers.json")).expect("the answers are JSON");
    let cases = stored["cases"].as_array().expect("a list of cases");
    assert!(cases.len() >= 18, "{} cases", cases.len());
    for case in cases {
        let text = |name: &str| case[name].as_str().expect("a text");
        let (x, labels, numbers) = load(text("file"));
        let kernel: VectorExpr = text("kernel").parse().expect("parses");
        let rde = Rde::new(kernel);
        let name = format!("{} {} {}", text("file"), text("kernel"), text("as"));
        let found = match text("as") {
            "classes" => rde.fit_labels(&x, &labels),
            _ => rde.fit(&x, &numbers),
        };
        let found = found.expect("can be cut");
        let cuts = &found.relevance.cuts;
        // Eigenvectors of neighbours in the spectrum are right to rounding over their distance: 1e-9 is far above it here.
        for (i, expected) in case["likelihood"].as_array().expect("a list").iter().enumerate() {
            assert_eq!(cuts[i].dimension, i + 1, "{name}");
            close(cuts[i].likelihood, expected, 1e-9, &name);
        }
        for pair in case["left_out"].as_array().expect("a list") {
            let d = pair[0].as_u64().expect("a dimension") as usize;
            close(cuts[d - 1].leave_one_out, &pair[1], 1e-8, &name);
        }
        assert_eq!(Some(found.relevance.dimension() as u64), case["dimension"].as_u64(), "{name}");
        close(found.noise.value(), &case["noise"], 1e-9, &name);
    }
}

/// The first 400 points of banana, the size of its published training sets.
fn banana(criterion: Criterion) -> RdeFit {
    let (x, y, _) = load("banana.libsvm.gz");
    let first: Vec<usize> = (0..400).collect();
    let widths: Vec<VectorExpr> = (-8..6).map(|k| rbf(2_f64.powi(k))).collect();
    Rde::among(widths)
        .criterion(criterion)
        .fit_labels(&x.select(&first), &y.select(&first))
        .expect("can be cut")
}

#[test]
fn banana_has_the_published_dimension_and_noise() {
    // Braun, Buhmann and Müller 2008: 24 by the model, 26 by leave-one-out, noise 8.8 ± 1.5 per cent. Among twenty
    // training sets d goes from 22 to 42.
    for criterion in [Criterion::TwoComponents, Criterion::LeaveOneOut] {
        let found = banana(criterion);
        assert!((20..=45).contains(&found.relevance.dimension()), "{}", found.relevance.dimension());
        let Noise::Flips(noise) = found.noise else { panic!("classes are flipped") };
        assert!((0.088 - 0.030..=0.088 + 0.030).contains(&noise), "{noise}");
    }
}

#[test]
fn answers_do_not_depend_on_threads() {
    let (x, y, _) = load("iris_scale.libsvm.gz");
    let rde = Rde::among([0.1, 1.0, 10.0].map(rbf));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| rde.fit_labels(&x, &y).expect("can be cut"))
    };
    assert_eq!(on(1), on(3));
}
