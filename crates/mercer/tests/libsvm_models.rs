//! Models that LIBSVM made are read, decide as LIBSVM decides, and are written so that they read back the same.
//!
//! `libsvm_models/make.py` made the models and the decision values.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use mercer::data::{Points, Vectors};
use mercer::kernel::{Expr, VectorKernel, VectorLeaf};
use mercer::model::{AnyModel, Model, file, libsvm};

const MODELS: [&str; 10] = [
    "linear",
    "polynomial",
    "rbf",
    "sigmoid",
    "probability",
    "nu",
    "one_class",
    "epsilon_svr",
    "nu_svr",
    "precomputed",
];

fn path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "libsvm_models", name].iter().collect()
}

fn saved(name: &str) -> file::Saved {
    libsvm::read(path(&format!("{name}.model"))).unwrap()
}

fn model(name: &str) -> Box<dyn Model<Vectors>> {
    match saved(name).model {
        AnyModel::Vectors(model) => model,
        other => panic!("{other:?} is not of vectors"),
    }
}

/// k(x, y) written out; `y` is a support point.
fn kernel(kernel: &VectorKernel, x: &[f64], y: &[f64]) -> f64 {
    let dot: f64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
    let square: f64 = x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum();
    match *kernel {
        VectorKernel::Linear => dot,
        VectorKernel::Polynomial { degree, gamma, coef0 } => (gamma * dot + coef0).powi(degree as i32),
        VectorKernel::Rbf { gamma } => (-gamma * square).exp(),
        VectorKernel::Tanh { gamma, coef0 } => (gamma * dot + coef0).tanh(),
        VectorKernel::Precomputed => x[y[0] as usize],
        _ => panic!("LIBSVM has no {kernel:?}"),
    }
}

fn decisions(model: &dyn Model<Vectors>, x: &[f64]) -> Vec<f64> {
    let expansion = model.expansion();
    let Expr::Leaf(VectorLeaf { kernel: leaf, .. }) = expansion.kernel() else { panic!("not a leaf") };
    let mut outputs: Vec<f64> = expansion.offsets().iter().map(|offset| -offset).collect();
    for block in &expansion.coefficients().blocks {
        for (i, weights) in block.points.clone().zip(block.values.chunks(block.outputs.len())) {
            let y: Vec<f64> = (0..x.len()).map(|k| expansion.points().row(i).get(k)).collect();
            let value = kernel(leaf, x, &y);
            block.outputs.iter().zip(weights).for_each(|(&output, weight)| outputs[output] += weight * value);
        }
    }
    outputs
}

#[test]
fn models_decide_as_libsvm_decides() {
    for name in MODELS {
        let model = model(name);
        // Features of LIBSVM's text count from 1, but a precomputed kernel has its serial number in column 0.
        let first = usize::from(name != "precomputed");
        let text = std::fs::read_to_string(path(&format!("{name}.values"))).unwrap();
        for line in text.lines() {
            let (features, values): (Vec<&str>, Vec<&str>) =
                line.split(' ').partition(|word| word.contains(':'));
            let mut x = vec![0.0; if first == 1 { 4 } else { 31 }];
            for feature in features {
                let (index, value) = feature.split_once(':').unwrap();
                x[index.parse::<usize>().unwrap() - first] = value.parse().unwrap();
            }
            let found = decisions(&*model, &x);
            assert_eq!(found.len(), values.len());
            for (found, expected) in found.iter().zip(values) {
                let expected: f64 = expected.parse().unwrap();
                // A sum of 60 terms of size up to 10, in another order than LIBSVM's.
                assert!((found - expected).abs() < 1e-12, "{name}: {found}, LIBSVM has {expected}");
            }
        }
    }
}

#[test]
fn models_are_written_as_they_were_read() {
    let folder = tempfile::tempdir().unwrap();
    for name in MODELS {
        let (saved, copy) = (saved(name), folder.path().join(name));
        libsvm::write(&saved, &copy).unwrap();
        assert_eq!(libsvm::read(&copy).unwrap(), saved, "{name}");
    }
}

#[test]
fn models_pass_through_our_own_file() {
    for name in MODELS {
        let saved = saved(name);
        assert_eq!(file::Saved::from_bytes(&saved.to_bytes().unwrap()).unwrap(), saved, "{name}");
    }
}

#[test]
fn width_reaches_every_column_that_a_support_vector_needs() {
    assert_eq!(model("rbf").expansion().points().width(), 4);
    let precomputed = model("precomputed");
    let points = precomputed.expansion().points();
    let last = (0..points.len()).map(|i| points.row(i).get(0)).fold(0.0, f64::max);
    assert_eq!(points.width(), last as usize + 1);
}

#[test]
fn a_cut_model_is_refused_at_every_byte() {
    let text = std::fs::read(path("rbf.model")).unwrap();
    assert!(libsvm::parse(&text).is_ok());
    for length in 0..text.len() {
        assert!(libsvm::parse(&text[..length]).is_err(), "{length} bytes");
    }
}
