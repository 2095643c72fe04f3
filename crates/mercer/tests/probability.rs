//! Probabilities against scikit-learn's, LIBSVM's and numpy's stored answers; the same bits for the same seed.
//!
//! `probability/answers.json` was written by `probability/make_answers.py`, whose head documents its fields.

use std::path::Path;
use std::sync::LazyLock;

use mercer::data::{Dense, Labels, Points, ReadOptions, Vectors, read};
use mercer::kernel::{VectorExpr, VectorKernel, rbf};
use mercer::model::file::Saved;
use mercer::model::probability::{
    Curve, Density, Estimate, Isotonic, Noise, Probability, Settings, Sigmoid, couple, couple_as_libsvm,
};
use mercer::model::{AnyModel, OneClass, Svc, SvcModel, Svr, libsvm};
use mercer::solve::Smo;
use serde_json::Value;

static ANSWERS: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("probability/answers.json")).expect("the answers are JSON")
});

fn cases(list: &str) -> &'static [Value] {
    let cases = ANSWERS[list].as_array().expect("a list of cases");
    assert!(!cases.is_empty(), "{list} is empty");
    cases
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list of numbers").iter().map(number).collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().expect("a list of rows").iter().map(numbers).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// The weights of a case, 1 each where it has none.
fn weights(case: &Value) -> Vec<f64> {
    if case["weights"].is_null() {
        vec![1.0; numbers(&case["decisions"]).len()]
    } else {
        numbers(&case["weights"])
    }
}

fn load(file: &str) -> (Vectors, Labels) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(file);
    let table = read(&path, &ReadOptions::default()).expect("the file is there and sound");
    (table.points, table.labels.expect("the file has labels").labels().libsvm_order())
}

fn load_targets(file: &str) -> (Vectors, Vec<f64>) {
    let (x, y) = load(file);
    let targets = (0..y.len()).map(|i| y.name(i).parse().expect("labels are numbers")).collect();
    (x, targets)
}

fn kernel(case: &Value) -> VectorExpr {
    text(&case["kernel"]).parse().expect("the kernel parses")
}

/// Tight enough that what is compared is the optimum.
fn exact() -> Smo {
    Smo { tolerance: 1e-5, ..Smo::default() }
}

#[track_caller]
fn assert_near(ours: &[f64], theirs: &[f64], tolerance: f64, name: &str) {
    assert_eq!(ours.len(), theirs.len(), "{name}");
    for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
        assert!((a - b).abs() <= tolerance, "{name}, entry {i}: {a} instead of {b}");
    }
}

#[test]
fn sigmoids_are_those_of_scikit_learn() {
    for case in cases("sigmoid") {
        let decisions = numbers(&case["decisions"]);
        let positive: Vec<bool> = numbers(&case["positive"]).iter().map(|&p| p > 0.0).collect();
        let ours = Sigmoid::fit_weighted(&decisions, &positive, &weights(case));
        let theirs = Sigmoid { a: number(&case["a"]), b: number(&case["b"]) };
        // L-BFGS stops at a gradient of 1e-6, or where the loss no longer changes in its last digits: the root of that.
        let p = |sigmoid: &Sigmoid| decisions.iter().map(|&f| sigmoid.probability(f)).collect::<Vec<_>>();
        assert_near(&p(&ours), &p(&theirs), 1e-5, text(&case["name"]));
        let scale = decisions.iter().fold(0.0, |a: f64, f| a.max(f.abs()));
        assert_near(&[ours.a * scale, ours.b], &[theirs.a * scale, theirs.b], 1e-3, text(&case["name"]));
    }
}

#[test]
fn isotonic_regressions_are_those_of_scikit_learn() {
    for case in cases("isotonic") {
        let list = |name: &str| numbers(&case[name]);
        let name = text(&case["name"]);
        let ours = Isotonic::fit_weighted(&list("decisions"), &list("targets"), &weights(case));
        assert_near(&ours.thresholds, &list("thresholds"), 0.0, name);
        assert_near(&ours.values, &list("values"), 1e-12, name);
        let predictions: Vec<f64> = list("queries").iter().map(|&f| ours.probability(f)).collect();
        assert_near(&predictions, &list("predictions"), 1e-12, name);
    }
}

#[test]
fn sigmoids_and_coupling_of_a_libsvm_model_give_its_probabilities() {
    for case in cases("coupling") {
        let (name, classes) = (text(&case["file"]), number(&case["classes"]) as usize);
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        for (decisions, theirs) in rows(&case["decisions"]).iter().zip(rows(&case["probabilities"])) {
            let r = |p: usize| Sigmoid { a: a[p], b: b[p] }.probability(decisions[p]);
            let pairwise: Vec<f64> = (0..a.len()).map(r).collect();
            // The same steps to the same stop; rounding is all that differs.
            assert_near(&couple_as_libsvm(&pairwise, classes), &theirs, 1e-9, name);
            // LIBSVM stops within 0.005/k of an even Qp, and so some way off the minimum.
            assert_near(&couple(&pairwise, classes), &theirs, 0.02, name);
        }
    }
}

#[test]
fn marks_and_probabilities_of_one_class_decisions_are_libsvms() {
    for case in cases("density") {
        let name = text(&case["file"]);
        let (decisions, theirs) = (numbers(&case["decisions"]), numbers(&case["marks"]));
        let density = Density::of_decisions(&decisions).expect("LIBSVM has marks");
        // LIBSVM sums the decisions of training points in another order than those of others.
        assert_near(&density.marks, &theirs, 1e-12, name);
        let density = Density { marks: theirs.try_into().expect("ten marks") };
        let ours: Vec<f64> = decisions.iter().map(|&f| density.probability(f)).collect();
        assert_near(&ours, &numbers(&case["probabilities"]), 0.0, name);
    }
}

#[test]
fn marks_of_a_machine_of_our_own_are_libsvms() {
    for case in cases("density") {
        let (x, _) = load(text(&case["file"]));
        let function =
            OneClass::new(kernel(case)).nu(number(&case["nu"])).solver(exact()).fit(&x).expect("fits");
        let (ours, theirs) = (function.values(&x).expect("decides"), numbers(&case["decisions"]));
        assert_eq!(Density::fit(&function, &x).expect("decides"), Density::of_decisions(&ours));
        let scale = theirs.iter().fold(0.0, |a: f64, f| a.max(f.abs()));
        // Points on the margin decide 0 but for the tolerance, and the side that they are counted on is chance.
        let settled = |decisions: &[f64]| {
            let settled = |&f: &f64| if f.abs() < 1e-4 * scale { 0.0 } else { f };
            Density::of_decisions(&decisions.iter().map(settled).collect::<Vec<_>>())
                .expect("enough of either")
        };
        assert_near(&settled(&ours).marks, &settled(&theirs).marks, 1e-3 * scale, text(&case["file"]));
    }
}

#[test]
fn the_scale_of_residuals_is_numpys() {
    for case in cases("noise") {
        let ours = Noise::of_residuals(&numbers(&case["residuals"])).sigma;
        assert_near(&[ours], &[number(&case["sigma"])], 1e-12, "sigma");
    }
}

#[test]
fn the_noise_about_a_regression_is_libsvms_but_for_the_draw() {
    for case in cases("svr") {
        let (x, targets) = load_targets(text(&case["file"]));
        let svr = Svr::new(kernel(case)).c(number(&case["c"])).epsilon(number(&case["epsilon"]));
        let theirs = number(&case["sigma"]);
        for seed in 0..3 {
            let ours = svr.fit_noise(&x, &targets, 5, seed).expect("fits").sigma;
            // Two draws of folds differ by a few per cent.
            assert_near(&[ours / theirs], &[1.0], 0.1, text(&case["file"]));
        }
    }
}

/// Probabilities of all points.
fn predicted(svc: &Svc<VectorExpr>, x: &Vectors, y: &Labels, settings: &Settings) -> Dense<f64> {
    let model = svc.fit(x, y).expect("fits");
    let probability = svc.fit_probability(x, y, settings).expect("calibrates");
    probability.predict(&model, x).expect("predicts")
}

#[test]
fn probabilities_of_classes_are_libsvms_but_for_the_draw() {
    for case in cases("svc") {
        let (x, y) = load(text(&case["file"]));
        let labels: Vec<&str> = case["labels"].as_array().expect("labels").iter().map(text).collect();
        assert_eq!(y.classes(), labels);
        let svc = Svc::new(kernel(case)).c(number(&case["c"]));
        let ours = predicted(&svc, &x, &y, &Settings::default());
        let mut off: Vec<f64> = Vec::new();
        for (row, theirs) in rows(&case["probabilities"]).iter().enumerate() {
            off.extend(ours.row(7 * row).iter().zip(theirs).map(|(a, b)| (a - b).abs()));
        }
        let mean = off.iter().sum::<f64>() / off.len() as f64;
        // Two draws of folds differ by a per cent or two.
        assert!(mean < 0.02, "{}: {mean} off in the mean", text(&case["file"]));
    }
}

/// Of ten bins of predicted probability, the greatest distance of the mean prediction from the share that came true,
/// over bins with enough points.
fn miscalibration(p: &[f64], truth: &[bool]) -> f64 {
    let bin = |b: usize| (0..p.len()).filter(move |&i| ((p[i] * 10.0) as usize).min(9) == b);
    let off = |b: usize| {
        let n = bin(b).count();
        let (said, came): (f64, f64) = bin(b)
            .map(|i| (p[i], f64::from(u8::from(truth[i]))))
            .fold((0.0, 0.0), |a, v| (a.0 + v.0, a.1 + v.1));
        if n < 40 { 0.0 } else { (said - came).abs() / n as f64 }
    };
    (0..10).map(off).fold(0.0, f64::max)
}

#[test]
fn what_is_said_with_a_probability_comes_true_with_it() {
    let (x, y) = load("banana.libsvm.gz");
    let (train, test): (Vec<usize>, Vec<usize>) = (0..x.len()).partition(|&i| i % 4 == 0);
    let own = |index: &[usize]| {
        let classes = index.iter().map(|&i| y.index()[i]).collect();
        (x.select(index), Labels::new(y.classes().to_vec(), classes))
    };
    let ((x, y), (test_x, test_y)) = (own(&train), own(&test));
    let svc = Svc::new(rbf(1.0)).c(0.5);
    let model = svc.fit(&x, &y).expect("fits");
    for method in [Curve::Sigmoid, Curve::Isotonic] {
        let settings = Settings { method, ..Settings::default() };
        let probability = svc.fit_probability(&x, &y, &settings).expect("calibrates");
        let p = probability.predict(&model, &test_x).expect("predicts");
        let first: Vec<f64> = (0..p.len()).map(|i| p.row(i)[0]).collect();
        let truth: Vec<bool> = test_y.index().iter().map(|&class| class == 0).collect();
        let off = miscalibration(&first, &truth);
        // A share of 40 points is uncertain by 0.08, and the calibration was itself learnt from few.
        assert!(off < 0.15, "{method:?}: {off}");
    }
}

fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(work)
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    let (x, y) = load("glass_scale.libsvm.gz");
    let svc = Svc::new(rbf(0.5)).c(10.0);
    for method in [Curve::Sigmoid, Curve::Isotonic] {
        let settings = |seed: u64| Settings { method, seed, ..Settings::default() };
        let of = |seed: u64, threads: usize| -> Probability {
            on_threads(threads, || svc.fit_probability(&x, &y, &settings(seed)).expect("calibrates"))
        };
        let one = of(1, 1);
        assert_eq!(one.pairs.len(), 15);
        assert_eq!(one, of(1, 2), "threads");
        assert_eq!(one, of(1, 3), "threads");
        assert_ne!(one, of(2, 1), "seed");
        let model: SvcModel<Vectors, VectorExpr> = svc.fit(&x, &y).expect("fits");
        let predict = |threads| on_threads(threads, || one.predict(&model, &x).expect("predicts"));
        assert_eq!(predict(1), predict(2));
    }
    let (x, targets) = load_targets("wine_scale.libsvm.gz");
    let svr = Svr::new(rbf(0.1));
    let noise = |seed, threads| on_threads(threads, || svr.fit_noise(&x, &targets, 5, seed).expect("fits"));
    assert_eq!(noise(1, 1), noise(1, 2));
    assert_ne!(noise(1, 1), noise(2, 1));
}

#[test]
fn every_row_of_probabilities_sums_to_one() {
    let (x, y) = load("vowel.scale.libsvm.gz");
    let x = x.select(&(0..x.len()).step_by(2).collect::<Vec<_>>());
    let y = Labels::first_seen((0..y.len()).step_by(2).map(|i| y.name(i)));
    for method in [Curve::Sigmoid, Curve::Isotonic] {
        let p = predicted(&Svc::new(rbf(0.5)).c(10.0), &x, &y, &Settings { method, ..Settings::default() });
        let mut right = 0;
        for i in 0..p.len() {
            assert!((p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12 && p.row(i).iter().all(|&p| p >= 0.0));
            let most = (0..11).max_by(|&a, &b| p.row(i)[a].total_cmp(&p.row(i)[b]));
            right += usize::from(most == Some(y.index()[i] as usize));
        }
        assert!(right as f64 > 0.98 * p.len() as f64, "{method:?}: {right} of {}", p.len());
    }
}

#[test]
fn noise_needs_two_folds_and_two_points() {
    let x = Vectors::dense(1, vec![0.0, 1.0]);
    let svr = Svr::new(rbf(1.0));
    assert!(svr.fit_noise(&x, &[0.0, 1.0], 5, 0).expect("two points are enough").sigma > 0.0);
    assert!(svr.fit_noise(&x, &[0.0, 1.0], 1, 0).is_err());
    assert!(svr.fit_noise(&x.select(&[0]), &[0.0], 5, 0).is_err());
    assert!(svr.fit_noise(&x, &[0.0], 5, 0).is_err());
}

/// What LIBSVM predicted with one of the models in `probability/models`: labels and probabilities, or values alone.
fn libsvms(name: &str) -> (Saved, Vec<Vec<f64>>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/probability/models");
    let saved = libsvm::read(path.join(format!("{name}.model"))).expect("LIBSVM wrote a model");
    let text = std::fs::read_to_string(path.join(format!("{name}.out"))).expect("and what it predicts");
    let row = |line: &str| line.split(' ').map(|word| word.parse().expect("a number")).collect();
    (saved, text.lines().filter(|line| !line.starts_with("label")).map(row).collect())
}

/// The decisions of an RBF machine at every fifth point, written out in double precision.
fn decided(file: &str, saved: &Saved) -> Vec<Vec<f64>> {
    let (x, _) = load(file);
    let AnyModel::Vectors(model) = &saved.model else { panic!("LIBSVM's points are vectors") };
    let expansion = model.expansion();
    let leaves = expansion.kernel().leaves();
    let VectorKernel::Rbf { gamma } = leaves[0].kernel else { panic!("{} is not rbf", expansion.kernel()) };
    let at =
        |points: &Vectors, i: usize, k: usize| if k < points.width() { points.row(i).get(k) } else { 0.0 };
    let value = |i: usize, j: usize| {
        let square: f64 = (0..x.width()).map(|k| (at(&x, i, k) - at(expansion.points(), j, k)).powi(2)).sum();
        (-gamma * square).exp()
    };
    let row = |i: usize| {
        let mut outputs: Vec<f64> = expansion.offsets().iter().map(|offset| -offset).collect();
        for block in &expansion.coefficients().blocks {
            for (j, weights) in block.points.clone().zip(block.values.chunks(block.outputs.len())) {
                let k = value(i, j);
                block.outputs.iter().zip(weights).for_each(|(&output, weight)| outputs[output] += weight * k);
            }
        }
        outputs
    };
    (0..x.len()).step_by(5).map(row).collect()
}

#[test]
fn models_of_libsvm_bring_their_probabilities() {
    for (name, file) in [("heart", "heart_scale"), ("glass", "glass_scale"), ("iris_nu", "iris_scale")] {
        let (saved, theirs) = libsvms(name);
        let decisions = decided(&format!("{file}.libsvm.gz"), &saved);
        let Some(Estimate::Classes(probability)) = &saved.probability else { panic!("{name} has classes") };
        assert_eq!(decisions.len(), theirs.len());
        for (decisions, theirs) in decisions.iter().zip(&theirs) {
            let ours = couple_as_libsvm(&probability.pairwise(decisions), saved.model.classes().len());
            // The same steps to the same stop from decisions that are summed in another order.
            assert_near(&ours, &theirs[1..], 1e-10, name);
        }
    }
    let (saved, theirs) = libsvms("wine_one_class");
    let Some(Estimate::Density(density)) = &saved.probability else { panic!("marks of a one-class machine") };
    for (decisions, theirs) in decided("wine_scale.libsvm.gz", &saved).iter().zip(theirs) {
        assert_near(&[density.probability(decisions[0])], &theirs[1..2], 0.0, "wine");
    }
    let (saved, _) = libsvms("iris_svr");
    let Some(Estimate::Noise(noise)) = saved.probability else { panic!("noise of a regression") };
    assert!(noise.sigma > 0.05 && noise.sigma < 0.2, "{}", noise.sigma);
}
