//! Bounds of the error: leave-one-out is that of a loop of fits, and what must lie above it does.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

use std::path::{Path, PathBuf};

use mercer::bounds::{Bounds, PairBounds, Question, Says, bounds, of_test};
use mercer::data::{Labels, Points, ReadOptions, Vectors, read};
use mercer::kernel::VectorExpr;
use mercer::model::file::{Recipe, Saved, Training};
use mercer::model::{AnyEstimator, AnyKernel, AnyPoints, How, Job, Prediction, Targets, Value};
use mercer::verify::Asked;
use mercer::{ErrorKind, Result};

/// A data set; that of the repository where there is one, else none, with a word about it, where the folder is not there.
fn data_set(name: &str) -> Option<(Vectors, Labels)> {
    let file = format!("{name}.libsvm.gz");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(&file);
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("MERCER_DATA").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    let path = if own.exists() { own } else { folder.join("classification").join(&file) };
    if !path.exists() {
        eprintln!("{}: not there, {name} is not tested", path.display());
        return None;
    }
    let table = read(&path, &ReadOptions::default()).unwrap();
    Some((table.points, table.labels.unwrap().labels()))
}

/// A method with its kernel and settings.
struct Setting {
    method: &'static str,
    kernel: &'static str,
    settings: Vec<(&'static str, Value)>,
}

fn svc(kernel: &'static str, c: f64) -> Setting {
    Setting { method: "svc", kernel, settings: vec![("c", Value::Number(c))] }
}

impl Setting {
    fn with(mut self, name: &'static str, value: Value) -> Self {
        self.settings.push((name, value));
        self
    }

    fn flag(self, name: &'static str, flag: bool) -> Self {
        self.with(name, Value::Flag(flag))
    }

    fn fit(&self, x: &Vectors, y: &Labels) -> Result<Saved> {
        let kernel: VectorExpr = self.kernel.parse()?;
        let mut estimator = AnyEstimator::new(self.method, AnyKernel::Vectors(kernel))?;
        for (name, value) in &self.settings {
            estimator.set(name, value)?;
        }
        estimator.set("exact", &Value::Flag(true))?;
        estimator.set("tolerance", &Value::Number(1e-6))?;
        let mut job = Job::new();
        let model = estimator.fit(&x.clone().into(), &Targets::Classes(y.clone()), &mut job)?;
        let training = Training::of(&estimator, &job.found, model.classes());
        let recipe = Some(Recipe::of(&estimator, &job.found, x.len(), &[]));
        Ok(Saved { training, recipe, ..Saved::new(model) })
    }

    fn bounds(&self, x: &Vectors, y: &Labels) -> Bounds {
        let saved = self.fit(x, y).unwrap();
        bounds(&saved, &x.clone().into(), y, &[], &Question::default()).unwrap()
    }

    /// Rows that a fit to the others misclassifies, one fit after another.
    fn loop_of_fits(&self, x: &Vectors, y: &Labels) -> usize {
        let is_error = |&i: &usize| {
            let others: Vec<usize> = (0..x.len()).filter(|&j| j != i).collect();
            let saved = self.fit(&x.select(&others), &y.select(&others)).unwrap();
            let row: AnyPoints = x.select(&[i]).into();
            let Prediction::Classes(said) = saved.model.predict(&row, How::default()).unwrap() else {
                panic!("no classes")
            };
            saved.model.classes()[said[0]] != y.name(i)
        };
        (0..x.len()).filter(is_error).count()
    }
}

fn value(pair: &PairBounds, name: &str) -> f64 {
    pair.get(name).and_then(|bound| bound.value).unwrap()
}

/// Rows spread over a set: every so-manieth.
fn part((x, y): &(Vectors, Labels), rows: usize) -> (Vectors, Labels) {
    let step = x.len().div_ceil(rows).max(1);
    let index: Vec<usize> = (0..x.len()).step_by(step).collect();
    (x.select(&index), y.select(&index))
}

#[test]
fn leave_one_out_is_that_of_a_loop_of_fits() {
    let factors = || Value::Weights(vec![("1".to_owned(), 3.0)]);
    for (name, rows, settings) in [
        (
            "heart_scale",
            90,
            vec![
                svc("rbf(gamma=0.1)", 1.0),
                svc("rbf(gamma=0.1)", 0.05),
                svc("rbf(gamma=0.5)", 100.0),
                svc("linear", 1.0),
                svc("linear", 30.0),
                svc("rbf(gamma=0.1)", 2.0).with("weight", factors()),
                svc("rbf(gamma=0.1)", 5.0).flag("squared", true),
                svc("linear", 0.3).flag("squared", true).flag("offset", false),
                svc("rbf(gamma=0.1)", 1.0).flag("offset", false),
                svc("rbf(gamma=0.2)", f64::INFINITY),
                svc("rbf(gamma=0.2)", f64::INFINITY).flag("offset", false),
            ],
        ),
        ("ripley", 80, vec![svc("rbf(gamma=2)", 1.0), svc("poly(degree=3, coef0=1)", 10.0)]),
        ("iris_scale", 60, vec![svc("rbf(gamma=0.5)", 1.0), svc("linear", 10.0)]),
        (
            "glass_scale",
            72,
            vec![
                svc("rbf(gamma=0.5)", 10.0),
                svc("rbf(gamma=0.5)", 10.0).with("multiclass", Value::Word("ovo-sum".into())),
            ],
        ),
    ] {
        let Some(all) = data_set(name) else { continue };
        let (x, y) = part(&all, rows);
        for setting in settings {
            let found = setting.bounds(&x, &y);
            let bound = match &found.pairs[..] {
                [pair] => pair.get("leave-one-out"),
                _ => found.whole.iter().find(|bound| bound.name == "leave-one-out"),
            };
            let told = (bound.unwrap().value.unwrap() * x.len() as f64).round() as usize;
            let wanted = setting.loop_of_fits(&x, &y);
            let what = format!("{name} {} {:?}: {}", setting.kernel, setting.settings, bound.unwrap().note);
            assert_eq!(told, wanted, "{what}");
        }
    }
}

#[test]
fn bounds_lie_above_leave_one_out() {
    let (mut seen, mut exact) = (0, 0);
    for name in [
        "heart_scale",
        "iris_scale",
        "glass_scale",
        "wine_scale",
        "ripley",
        "sonar_scale",
        "australian_scale",
        "diabetes_scale",
        "vowel.scale",
    ] {
        let Some((x, y)) = data_set(name) else { continue };
        for setting in [
            svc("rbf(gamma=0.1)", 1.0),
            svc("rbf(gamma=0.5)", 10.0),
            svc("linear", 0.1),
            svc("rbf(gamma=0.5)", 3.0).flag("squared", true),
            svc("rbf(gamma=0.2)", 1.0).flag("offset", false),
        ] {
            let found = setting.bounds(&x, &y);
            let told = found.pairs.iter().map(|pair| (pair.of.as_str(), &pair.bounds));
            for (of, list) in told.chain([("all", &found.whole)]) {
                let Some(left_out) = list.iter().find(|bound| bound.name == "leave-one-out") else {
                    continue;
                };
                let error = left_out.value.unwrap();
                for bound in list.iter().filter(|bound| bound.says == Says::LeaveOneOut) {
                    let what = format!("{name} {of} {} {:?}: {bound:?}", setting.kernel, setting.settings);
                    assert!(bound.value.unwrap() >= error, "{error}: {what}");
                    seen += 1;
                }
                exact += usize::from(list.iter().any(|b| b.name == "span" && b.value == Some(error)));
            }
            // The bounds on the error itself are above the training error at least.
            for pair in &found.pairs {
                let training = pair.training_errors as f64 / pair.rows as f64;
                let above = pair.bounds.iter().filter(|bound| bound.says == Says::Error);
                above.for_each(|bound| assert!(bound.value.unwrap() >= training, "{name}: {bound:?}"));
                assert!(pair.square_radius >= pair.square_radius_at_least);
                assert!(pair.square_radius_at_least >= 0.999 * pair.square_radius, "{name} {}", pair.of);
            }
        }
    }
    assert!(seen > 100 && exact > 10, "{seen} bounds, {exact} spans that are exact");
}

#[test]
fn the_vc_dimension_is_that_of_the_lecture() {
    // Lecture 000: d ≤ min{[R²‖w‖²] + 1, n + 1}, and the bound with it, on a hard margin: ±(2, 0) and ±(2, 3) by the first feature,
    // w = ½, R² = 13/… the smallest circle around four corners of 4 × 3: R = 2.5, R²‖w‖² = 6.25 · ¼ = 1.5625, n = 2.
    let x = Vectors::dense(2, vec![2.0, 0.0, 2.0, 3.0, -2.0, 0.0, -2.0, 3.0]);
    let y = Labels::first_seen(["a", "a", "b", "b"]);
    let found = svc("linear", f64::INFINITY).bounds(&x, &y);
    let pair = &found.pairs[0];
    assert!((pair.square_radius - 6.25).abs() < 1e-5 && (pair.square_norm - 0.25).abs() < 1e-9, "{pair:?}");
    assert_eq!((pair.vc_dimension, pair.features, pair.margin_errors), (2.0, Some(2.0), 0));
    let (d, n, eta) = (2.0_f64, 4.0_f64, 0.05_f64);
    let bound = ((d * ((2.0 * n / d).ln() + 1.0) - (eta / 4.0).ln()) / n).sqrt();
    assert!((value(pair, "SRM") - bound).abs() < 1e-12);
    // Lecture 002 with G(2p) = d (ln(2p/d) + 1) has 1/p more.
    assert!((value(pair, "SRM, uniform") - bound - 0.25).abs() < 1e-12);
    // Five copies of the plane: the dimension of the space is what is least where the margin is thin.
    let thin = Vectors::dense(1, vec![0.1, 5.0, -0.1, -5.0]);
    let found = svc("linear", f64::INFINITY).bounds(&thin, &y);
    // R²‖w‖² = 25 · 100.
    assert_eq!(found.pairs[0].vc_dimension, 2.0);
    let found = svc("rbf(gamma=1)", f64::INFINITY).bounds(&thin, &y);
    let pair = &found.pairs[0];
    let product = pair.square_radius * pair.square_norm;
    assert_eq!((pair.vc_dimension, pair.features), (product.floor() + 1.0, None));
}

#[test]
fn a_test_is_counted_with_its_interval() {
    let Some(all) = data_set("heart_scale") else { return };
    let (x, y) = part(&all, 90);
    let saved = svc("rbf(gamma=0.1)", 1.0).fit(&x, &y).unwrap();
    let bound = of_test(&saved, &all.0.clone().into(), &all.1, 0.05).unwrap();
    let Prediction::Classes(said) = saved.model.predict(&all.0.clone().into(), How::default()).unwrap()
    else {
        panic!("no classes")
    };
    let errors = (0..all.0.len()).filter(|&i| saved.model.classes()[said[i]] != all.1.name(i)).count();
    let share = errors as f64 / 270.0;
    let [low, high] = bound.interval.unwrap();
    assert!(bound.value == Some(share) && low < share && share < high && high - low < 0.12, "{bound:?}");
    // Labels that the model does not know are errors.
    let strange = Labels::first_seen((0..270).map(|_| "strange"));
    assert_eq!(of_test(&saved, &all.0.into(), &strange, 0.05).unwrap().value, Some(1.0));
}

#[test]
fn what_has_no_bounds_is_refused_with_the_rule() {
    let Some(all) = data_set("heart_scale") else { return };
    let (x, y) = part(&all, 90);
    let of = |saved: &Saved, x: &Vectors, y: &Labels, weights: &[f64]| {
        bounds(saved, &x.clone().into(), y, weights, &Question::default())
    };
    let saved = svc("rbf(gamma=0.1)", 1.0).fit(&x, &y).unwrap();
    assert!(of(&saved, &x, &y, &[]).is_ok());
    // Other rows, other labels, another number of rows.
    let other = x.select(&(0..x.len()).rev().collect::<Vec<_>>());
    let turned = Labels::first_seen((0..x.len()).map(|i| if y.name(i) == "1" { "-1" } else { "1" }));
    let fewer: Vec<usize> = (1..x.len()).collect();
    for (x, y) in [(&other, &y), (&x, &turned), (&x.select(&fewer), &y.select(&fewer))] {
        let error = of(&saved, x, y, &[]).unwrap_err();
        assert!(error.to_string().contains("not the data that the model was fitted to"), "{error}");
    }
    let weights: Vec<f64> = (0..x.len()).map(|i| if i < 9 { 2.0 } else { 1.0 }).collect();
    let error = of(&saved, &x, &y, &weights).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Data(_)), "{error}");
    // A kernel that is not definite, and a model of another kind.
    let tanh = svc("tanh(gamma=0.5, coef0=-1)", 1.0).fit(&x, &y).unwrap();
    let error = of(&tanh, &x, &y, &[]).unwrap_err();
    assert!(error.to_string().contains("positive semi-definite"), "{error}");
    let fisher = Setting { method: "ridge", kernel: "linear", settings: Vec::new() };
    let number = Targets::Numbers(vec![(0..x.len()).map(|i| i as f64).collect()]);
    let estimator =
        AnyEstimator::new(fisher.method, AnyKernel::Vectors(fisher.kernel.parse().unwrap())).unwrap();
    let ridge = Saved::new(estimator.fit(&x.clone().into(), &number, &mut Job::new()).unwrap());
    let error = of(&ridge, &x, &y, &[]).unwrap_err();
    assert!(error.to_string().contains("of a model of the kind 'ridge'"), "{error}");
    let question = Question { delta: 1.0, ..Question::default() };
    assert!(bounds(&saved, &x.clone().into(), &y, &[], &question).is_err());
    // Rows that weigh nothing are none.
    let mut ones = vec![1.0; x.len()];
    ones[0] = 0.0;
    assert!(of(&saved, &x, &y, &ones).is_err(), "the model was fitted with that row");
}

#[test]
fn a_model_that_does_not_tell_c_is_asked_with_it() {
    let Some(all) = data_set("heart_scale") else { return };
    let (x, y) = part(&all, 90);
    let setting = svc("rbf(gamma=0.1)", 1.0);
    let known = setting.bounds(&x, &y);
    let saved = Saved { recipe: None, training: None, ..setting.fit(&x, &y).unwrap() };
    let told = Asked { c: Some(1.0), ..Asked::default() };
    let question = Question { told, ..Question::default() };
    let found = bounds(&saved, &x.clone().into(), &y, &[], &question).unwrap();
    assert_eq!(known.pairs, found.pairs);
    let question = Question { leave_one_out: false, ..question };
    let found = bounds(&saved, &x.into(), &y, &[], &question).unwrap();
    assert_eq!(found.pairs[0].get("leave-one-out").unwrap().value, None);
}

#[test]
fn nu_svc_is_bounded_as_the_c_svc_that_it_is() {
    let Some(all) = data_set("heart_scale") else { return };
    let (x, y) = part(&all, 90);
    let settings = vec![("nu", Value::Number(0.5))];
    let nu = Setting { method: "nu-svc", kernel: "rbf(gamma=0.1)", settings };
    let saved = nu.fit(&x, &y).unwrap();
    let c = saved.recipe.as_ref().unwrap().prices[0];
    let found = bounds(&saved, &x.clone().into(), &y, &[], &Question::default()).unwrap();
    let same = svc("rbf(gamma=0.1)", c).bounds(&x, &y);
    for (a, b) in found.pairs[0].bounds.iter().zip(&same.pairs[0].bounds) {
        let off = (a.value.unwrap() - b.value.unwrap()).abs();
        assert!(a.name == b.name && off <= 1e-4 * (1.0 + b.value.unwrap()), "{a:?} {b:?}");
    }
    assert!(found.notes.iter().any(|note| note.contains("nu-SVC")));
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let Some(all) = data_set("heart_scale") else { return };
    let (x, y) = part(&all, 90);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| svc("rbf(gamma=0.1)", 3.0).bounds(&x, &y))
    };
    assert_eq!(on(1), on(5));
}
