//! The machines of all classes together, and one against all, against peers' stored answers and against each other.

use std::path::Path;

use mercer::data::{Agreement, LabelSets, Labels, Points, ReadOptions, Vectors, read};
use mercer::gram::Lazy;
use mercer::kernel::{Kernel, VectorExpr, linear, rbf};
use mercer::model::{Loss, MultiLabel, OneVsAll, ScoreModel, Svc, Together};
use mercer::solve::{Smo, Stop};
use serde_json::Value;

type Model = ScoreModel<Vectors, VectorExpr>;

fn load(file: &str) -> (Vectors, Labels) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(file);
    let table = read(&path, &ReadOptions::default()).expect("the file is there and sound");
    (table.points, table.labels.expect("the file has labels").labels())
}

/// The first `n` points.
fn first(n: usize, (x, y): (Vectors, Labels)) -> (Vectors, Labels) {
    let index: Vec<usize> = (0..n).collect();
    (x.select(&index), Labels::first_seen(index.iter().map(|&i| y.name(i))))
}

/// What `fit` gives on so many threads.
fn on_threads<R: Send>(threads: usize, fit: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(fit)
}

fn accuracy(model: &Model, x: &Vectors, y: &Labels) -> f64 {
    let predicted = model.predict(x).expect("predicts");
    let right = predicted.iter().enumerate().filter(|&(i, class)| *class == y.name(i)).count();
    right as f64 / x.len() as f64
}

#[test]
fn objectives_and_scores_agree_with_liblinear_and_scikit_learn() {
    let stored: Value =
        serde_json::from_str(include_str!("together/answers.json")).expect("the answers are JSON");
    let cases = stored["cases"].as_array().expect("a list of cases");
    assert!(cases.len() >= 36, "{} cases", cases.len());
    let mut failures = Vec::new();
    for case in cases {
        let text = |name: &str| case[name].as_str().expect("a text");
        let numbers = |name: &str| -> Vec<f64> {
            let list = case[name].as_array().expect("a list").iter();
            list.map(|v| v.as_f64().expect("a number")).collect()
        };
        let (x, y) = load(text("file"));
        let loss = Loss::ALL.into_iter().find(|loss| loss.name() == text("loss")).expect("a loss");
        let kernel: VectorExpr = text("kernel").parse().expect("parses");
        let machine = Together::new(kernel).loss(loss).c(case["c"].as_f64().expect("C")).tolerance(1e-5);
        let model = machine.fit(&x, &y).expect("fits");
        let certificate = model.certificates[0];
        let name = format!("{loss} {} {} C = {}", text("file"), text("kernel"), machine.c);
        if certificate.stop != Stop::Converged {
            failures.push(format!("{name}: {}", certificate.stop));
        }
        // Ours is the dual's, which is minimised: minus the primal's at the optimum.
        let (ours, theirs) = (-certificate.objective, case["objective"].as_f64().expect("a number"));
        if (ours - theirs).abs() > 1e-5 * theirs {
            failures.push(format!("{name}: objective {ours}, theirs {theirs}"));
        }
        let (classes, scores) = (numbers("classes"), numbers("scores"));
        let rows: Vec<usize> = (0..scores.len() / classes.len()).collect();
        let found = model.scores(&x.select(&rows)).expect("scores");
        let place = |class: f64| {
            let same = |name: &String| name.parse::<f64>().expect("labels are numbers") == class;
            model.classes.iter().position(same).expect("the class is there")
        };
        let scale = scores.iter().fold(1.0, |a: f64, v| a.max(v.abs()));
        for (i, row) in scores.chunks(classes.len()).enumerate() {
            for (c, score) in row.iter().enumerate() {
                let ours = found.row(i)[place(classes[c])];
                // The primal is strongly convex: scores are unique, to the root of what the objective allows.
                if (ours - score).abs() > 5e-3 * scale {
                    failures.push(format!("{name}: row {i}, class {}: {ours} for {score}", classes[c]));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn answers_do_not_depend_on_the_number_of_threads() {
    // More points than a working set, more than one piece of scores.
    let (x, y) = first(1100, load("digits8x8.libsvm.gz"));
    for loss in Loss::ALL {
        let machine = Together::new(rbf(0.001)).loss(loss).c(2.0);
        let [one, two] = [1, 2].map(|threads| on_threads(threads, || machine.fit(&x, &y).expect("fits")));
        assert_eq!(one.certificates[0].stop, Stop::Converged);
        assert!(one == two, "{loss}");
    }
    let machine = OneVsAll::new(rbf(0.001)).c(2.0);
    let [one, two] = [1, 2].map(|threads| on_threads(threads, || machine.fit(&x, &y).expect("fits")));
    assert!(one == two, "one against all");
}

#[test]
fn two_points_by_closed_form() {
    // x = ±1: with u = w₀ − w₁ the hinge losses are ¼u² + 2C max(0, 1 − u), least at u = min(1, 4C).
    let x = Vectors::dense(1, vec![1.0, -1.0]);
    let y = Labels::first_seen(["a", "b"]);
    for loss in [Loss::CrammerSinger, Loss::WestonWatkins] {
        for c in [0.05, 0.2, 0.25, 3.0] {
            let model = Together::new(linear()).loss(loss).c(c).tolerance(1e-8).fit(&x, &y).expect("fits");
            let u = (4.0 * c).min(1.0);
            let expected = 0.25 * u * u + 2.0 * c * (1.0 - u);
            let (found, gap) = (-model.certificates[0].objective, model.certificates[0].gap.unwrap());
            assert!((found - expected).abs() < 1e-7 && gap < 1e-7, "{loss} {c}: {found} for {expected}");
            let scores = model.scores(&x).expect("scores");
            assert!((scores.row(0)[0] - u / 2.0).abs() < 1e-6 && (scores.row(0)[1] + u / 2.0).abs() < 1e-6);
        }
    }
    // The softmax: ¼u² + 2C log(1 + e⁻ᵘ), least where u = 4C / (1 + eᵘ).
    let (c, mut u) = (0.7, 0.5f64);
    for _ in 0..200 {
        u = 0.5 * (u + 4.0 * c / (1.0 + u.exp()));
    }
    let machine = Together::new(linear()).loss(Loss::Softmax).c(c).tolerance(1e-9);
    let model = machine.fit(&x, &y).expect("fits");
    let expected = 0.25 * u * u + 2.0 * c * (-u).exp().ln_1p();
    assert!((model.certificates[0].objective + expected).abs() < 1e-9);
    let probability = model.probabilities(&x).expect("a softmax").row(0)[0];
    assert!((probability - 1.0 / (1.0 + (-u).exp())).abs() < 1e-6);
}

#[test]
fn two_classes_are_the_binary_machine_without_a_bias_at_twice_the_price() {
    let (x, y) = first(150, load("heart_scale.libsvm.gz"));
    let (n, c, kernel) = (x.len(), 0.8, rbf(0.1));
    let sign: Vec<f64> = y.index().iter().map(|&class| if class == 0 { 1.0 } else { -1.0 }).collect();
    let bound = kernel.bind(&x).expect("binds");
    let mut gram = vec![vec![0.0; n]; n];
    let rows: Vec<usize> = (0..n).collect();
    bound.rows_f64(&x, &rows, &mut gram.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    // ½αᵀQα − Σα in [0, 2C], a coordinate at a time; f is Σ αy k.
    let (mut alpha, mut f) = (vec![0.0; n], vec![0.0; n]);
    for _ in 0..3000 {
        for i in 0..n {
            let new = (alpha[i] - (sign[i] * f[i] - 1.0) / gram[i][i]).clamp(0.0, 2.0 * c);
            let step = (new - alpha[i]) * sign[i];
            (0..n).for_each(|j| f[j] += step * gram[i][j]);
            alpha[i] = new;
        }
    }
    let dual = (0..n).map(|i| alpha[i] * (0.5 * sign[i] * f[i] - 1.0)).sum::<f64>();
    for loss in [Loss::CrammerSinger, Loss::WestonWatkins] {
        let machine = Together::new(kernel.clone()).loss(loss).c(c).tolerance(1e-6);
        let model = machine.fit(&x, &y).expect("fits");
        // ½(‖w₀‖² + ‖w₁‖²) = ¼‖u‖² for u = w₀ − w₁: half of ½‖u‖² + 2C Σ hinge.
        let found = model.certificates[0].objective;
        assert!((found - 0.5 * dual).abs() < 1e-5 * dual.abs(), "{loss}: {found} for {}", 0.5 * dual);
        let scores = model.scores(&x).expect("scores");
        for i in 0..n {
            let difference = scores.row(i)[0] - scores.row(i)[1];
            assert!((difference - f[i]).abs() < 1e-3, "{loss} {i}: {difference} for {}", f[i]);
        }
    }
}

#[test]
fn permuting_points_and_classes_permutes_the_answer() {
    let (x, y) = load("wine_scale.libsvm.gz");
    let turned: Vec<usize> = (0..x.len()).rev().collect();
    let other = Labels::first_seen(turned.iter().map(|&i| y.name(i)));
    assert_ne!(other.classes(), y.classes());
    for loss in Loss::ALL {
        let machine = Together::new(rbf(0.1)).loss(loss).c(3.0).tolerance(1e-6);
        let [a, b] = [machine.fit(&x, &y), machine.fit(&x.select(&turned), &other)].map(|m| m.expect("fits"));
        let (a, b) = (a.certificates[0].objective, b.certificates[0].objective);
        assert!((a - b).abs() < 1e-6 * a.abs(), "{loss}: {a} {b}");
    }
}

#[test]
fn class_weights_are_factors_on_the_price() {
    let (x, y) = load("iris_scale.libsvm.gz");
    let mut machine = Together::new(rbf(0.5)).c(1.0);
    let mut one_vs_all = OneVsAll::new(rbf(0.5)).c(1.0);
    for class in y.classes() {
        machine = machine.class_weight(class.clone(), 4.0);
        one_vs_all = one_vs_all.class_weight(class.clone(), 4.0);
    }
    for loss in Loss::ALL {
        let weighted = machine.clone().loss(loss).fit(&x, &y).expect("fits");
        let plain = Together::new(rbf(0.5)).loss(loss).c(4.0).fit(&x, &y).expect("fits");
        assert_eq!(weighted.expansion.coefficients(), plain.expansion.coefficients(), "{loss}");
    }
    let plain = OneVsAll::new(rbf(0.5)).c(4.0).fit(&x, &y).expect("fits");
    assert_eq!(one_vs_all.fit(&x, &y).expect("fits").expansion, plain.expansion);
    assert!(machine.class_weight("nobody", 2.0).fit(&x, &y).is_err());
}

#[test]
fn one_against_all_is_a_binary_machine_for_each_class() {
    let (x, y) = load("glass_scale.libsvm.gz");
    let solver = Smo { tolerance: 1e-5, ..Smo::default() };
    let model = OneVsAll::new(rbf(0.5)).c(10.0).solver(solver.clone()).fit(&x, &y).expect("fits");
    let scores = model.scores(&x).expect("scores");
    assert_eq!(model.certificates.len(), y.classes().len());
    for (c, class) in y.classes().iter().enumerate() {
        let side = |i: usize| if y.name(i) == class { "own" } else { "other" };
        let labels = Labels::first_seen((0..x.len()).map(side)).reordered(vec!["own".into(), "other".into()]);
        let binary = Svc::new(rbf(0.5)).c(10.0).solver(solver.clone()).fit(&x, &labels).expect("fits");
        assert_eq!(binary.certificates[0].stop, Stop::Converged);
        let (ours, theirs) = (model.certificates[c].objective, binary.certificates[0].objective);
        assert!((ours - theirs).abs() < 1e-6 * theirs.abs(), "{class}: {ours} {theirs}");
        let decisions = binary.decisions(&x).expect("decides");
        for i in 0..x.len() {
            let (ours, theirs) = (scores.row(i)[c], decisions.row(i)[0]);
            assert!((ours - theirs).abs() < 1e-3, "{class} {i}: {ours} {theirs}");
        }
    }
}

#[test]
fn every_machine_learns_vowels() {
    let (x, y) = load("vowel.scale.libsvm.gz");
    // The setting of Hsu and Lin for one-vs-one; their cross-validated accuracies are all above 98 %.
    let kernel = rbf(1.0);
    let own = |model: Model| accuracy(&model, &x, &y);
    for loss in Loss::ALL {
        let found = own(Together::new(kernel.clone()).loss(loss).c(16.0).fit(&x, &y).expect("fits"));
        assert!(found > 0.97, "{loss}: {found}");
    }
    let found = own(OneVsAll::new(kernel).c(16.0).fit(&x, &y).expect("fits"));
    assert!(found > 0.97, "one against all: {found}");
}

#[test]
fn every_point_supports_a_softmax_and_few_a_margin() {
    let (x, y) = load("iris_scale.libsvm.gz");
    let fit = |loss: Loss| Together::new(rbf(0.5)).loss(loss).c(1.0).fit(&x, &y).expect("fits");
    assert_eq!(fit(Loss::Softmax).support.len(), x.len());
    let margin = fit(Loss::CrammerSinger);
    assert!(margin.support.len() < x.len() * 3 / 4, "{} support points", margin.support.len());
    let kept = margin.expansion.coefficients().blocks[0].values.chunks(3);
    assert!(kept.clone().all(|row| row.iter().any(|&b| b != 0.0)));
    assert_eq!(kept.len(), margin.support.len());
}

#[test]
fn probabilities_are_those_of_a_softmax_only() {
    let (x, y) = load("iris_scale.libsvm.gz");
    let model = Together::new(rbf(0.5)).loss(Loss::Softmax).fit(&x, &y).expect("fits");
    let (probabilities, scores) = (model.probabilities(&x).unwrap(), model.scores(&x).unwrap());
    for i in 0..x.len() {
        let sum: f64 = scores.row(i).iter().map(|f| f.exp()).sum();
        for c in 0..3 {
            assert!((probabilities.row(i)[c] - scores.row(i)[c].exp() / sum).abs() < 1e-12);
        }
    }
    let margin = Together::new(rbf(0.5)).fit(&x, &y).expect("fits");
    assert!(margin.probabilities(&x).unwrap_err().to_string().contains("softmax"));
    assert!(OneVsAll::new(rbf(0.5)).fit(&x, &y).expect("fits").probabilities(&x).is_err());
}

#[test]
fn settings_out_of_range_are_refused() {
    let x = Vectors::dense(1, vec![0.0, 1.0]);
    let y = Labels::first_seen(["a", "b"]);
    assert!(Together::new(rbf(1.0)).c(0.0).fit(&x, &y).is_err());
    assert!(Together::new(rbf(1.0)).tolerance(-1.0).fit(&x, &y).is_err());
    assert!(Together::new(rbf(1.0)).class_weight("a", f64::NAN).fit(&x, &y).is_err());
    assert!(Together::new(rbf(1.0)).fit(&x, &Labels::first_seen(["a", "a"])).is_err());
    assert!(Together::new(rbf(1.0)).fit(&x, &Labels::first_seen(["a", "b", "a"])).is_err());
    assert!(OneVsAll::new(rbf(1.0)).c(f64::INFINITY).fit(&x, &y).is_err());
    assert!(OneVsAll::new(rbf(1.0)).fit(&Vectors::dense(1, vec![0.0, f64::NAN]), &y).is_err());
}

#[test]
fn what_shares_a_gram_counts_its_own_values() {
    use mercer::gram::Gram;
    let x = Vectors::dense(1, vec![0.0, 1.0, 2.0]);
    let kernel = rbf(1.0);
    let gram = Lazy::new(&kernel, &x).expect("binds");
    let (a, b) = (gram.share(), gram.share());
    let mut row = vec![0.0; 3];
    a.rows(&[1], &mut [&mut row]);
    b.rows(&[0], &mut [&mut row]);
    b.rows(&[2], &mut [&mut row]);
    assert_eq!((a.computed(), b.computed(), gram.computed()), (3, 6, 9));
}

#[test]
fn every_label_has_the_machine_of_those_that_have_it_against_the_others() {
    let (x, y) = load("iris_scale.libsvm.gz");
    // Labels: the class, one that two classes share, one that all have, one of every seventh point, and none for some.
    let text = |i: usize| {
        let class = y.index()[i];
        let shared = if class > 0 { ",10" } else { "" };
        let seventh = if i.is_multiple_of(7) { ",20" } else { "" };
        format!("{class}{shared}{seventh},30")
    };
    let sets = LabelSets::split((0..x.len()).map(text));
    assert_eq!(sets.names(), ["0", "1", "2", "10", "20", "30"]);
    let model = MultiLabel::new(rbf(0.5)).c(3.0).fit(&x, &sets).expect("fits");
    let decisions = model.decisions(&x).expect("decides");
    assert_eq!(model.scores.certificates.len(), 5);
    for label in 0..5 {
        let members = sets.members(label);
        let two = Labels::new(
            vec!["has".into(), "has not".into()],
            members.iter().map(|&has| u32::from(!has)).collect(),
        );
        let twin = Svc::new(rbf(0.5)).c(3.0).fit(&x, &two).expect("fits").decisions(&x).expect("decides");
        for i in 0..x.len() {
            // Each to the tolerance of 1e-3; the two compute kernel values in different precision.
            let (own, alone) = (decisions.row(i)[label], twin.row(i)[0]);
            assert!((own - alone).abs() < 1e-3, "{own}, {alone}");
        }
    }
    let found = model.predict(&x).expect("decides");
    assert!((0..x.len()).all(|i| found.sets()[i].contains(&5)), "all have the last");
    let agreement = Agreement::new(&sets, &found);
    assert!(agreement.micro_f1 > 0.9 && agreement.hamming_loss < 0.1, "{agreement:?}");
}
