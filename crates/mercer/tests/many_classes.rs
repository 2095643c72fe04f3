//! More than two classes: weights of points, and how the decisions of pairs become a class.

use std::path::Path;

use mercer::data::{LabelSets, Labels, Points, ReadOptions, Vectors, read};
use mercer::kernel::rbf;
use mercer::model::{Estimator, Loss, MultiLabel, OneVsAll, ScoreModel, Svc, Together, VoteRule, vote};
use mercer::solve::Smo;

/// γ of all machines here.
const GAMMA: f64 = 0.5;

fn load(file: &str) -> (Vectors, Labels) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(file);
    let table = read(&path, &ReadOptions::default()).expect("the file is there and sound");
    (table.points, table.labels.expect("the file has labels").labels())
}

/// Weights 0 to 3, and the copies that they stand for.
fn weights(x: &Vectors, y: &Labels) -> (Vec<f64>, Vectors, Labels) {
    let weights: Vec<f64> = (0..x.len()).map(|i| f64::from((i * 7 % 4) as u8)).collect();
    let index: Vec<usize> = (0..x.len()).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    (weights, x.select(&index), y.select(&index))
}

type Model = ScoreModel<Vectors, mercer::kernel::VectorExpr>;

/// Σ βᵢ_c k(xᵢ, x) − b_c in double precision; prediction rounds the values of the kernel to single precision, which moves
/// a score by 1e-7 of Σ|β|.
fn scores(model: &Model, x: &Vectors) -> Vec<f64> {
    let (expansion, classes) = (&model.expansion, model.classes.len());
    let (points, beta) = (expansion.points(), &expansion.coefficients().blocks[0].values);
    let square = |i: usize, j: usize| -> f64 {
        let difference = |k: usize| points.row(i).get(k) - x.row(j).get(k);
        (0..x.width()).map(|k| difference(k).powi(2)).sum()
    };
    let mut scores = Vec::new();
    for j in 0..x.len() {
        let values: Vec<f64> = (0..points.len()).map(|i| (-GAMMA * square(i, j)).exp()).collect();
        let score =
            |c: usize| -> f64 { values.iter().enumerate().map(|(i, k)| k * beta[i * classes + c]).sum() };
        scores.extend((0..classes).map(|c| score(c) - expansion.offsets()[c]));
    }
    scores
}

/// Scores of both at `x`, equal to the tolerance of the fits; no point of weight zero supports.
fn assert_same(weighted: &Model, repeated: &Model, x: &Vectors, weights: &[f64], bound: f64) {
    let (a, b) = (scores(weighted, x), scores(repeated, x));
    let worst = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < bound, "{:?}: {worst}", weighted.loss);
    assert_eq!(weighted.classes, repeated.classes);
    assert!(!weighted.support.is_empty() && weighted.support.iter().all(|&i| weights[i] > 0.0));
    let at = |i: usize| x.row(weighted.support[i]).get(0) == weighted.expansion.points().row(i).get(0);
    assert!((0..weighted.support.len()).all(at), "positions are those of all the data");
}

#[test]
fn whole_weights_are_copies_and_zero_is_absence() {
    for file in ["iris_scale.libsvm.gz", "glass_scale.libsvm.gz"] {
        let (x, y) = load(file);
        let (weights, copies, labels) = weights(&x, &y);
        for loss in Loss::ALL {
            let machine = Together::new(rbf(GAMMA)).loss(loss).c(2.0).tolerance(1e-6);
            let a = machine.fit_weighted(&x, &y, &weights).expect("fits");
            let b = machine.fit(&copies, &labels).expect("fits");
            assert_same(&a, &b, &x, &weights, 1e-4);
            let (a, b) = (a.certificates[0], b.certificates[0]);
            assert!((a.objective - b.objective).abs() < 1e-6 * a.objective.abs(), "{a:?} {b:?}");

            let exact = Smo { exact: true, ..Smo::default() };
            let machine = Together::new(rbf(GAMMA)).loss(loss).c(2.0).solver(exact);
            let a = machine.fit_weighted(&x, &y, &weights).expect("fits");
            let b = machine.fit(&copies, &labels).expect("fits");
            assert!(a.certificates[0].exact && b.certificates[0].exact);
            assert_same(&a, &b, &x, &weights, 1e-11);
        }
        let machine =
            OneVsAll::new(rbf(GAMMA)).c(2.0).solver(Smo { exact: true, tolerance: 1e-5, ..Smo::default() });
        let a = machine.fit_weighted(&x, &y, &weights).expect("fits");
        let b = machine.fit(&copies, &labels).expect("fits");
        assert_same(&a, &b, &x, &weights, 1e-11);
    }
}

#[test]
fn weights_of_points_with_several_labels_are_copies() {
    let (x, y) = load("iris_scale.libsvm.gz");
    let sets = LabelSets::split((0..y.len()).map(|i| match (y.name(i), i % 7) {
        (_, 0) => String::new(),
        (name, 1..4) => format!("any,{name}"),
        (name, _) => name.to_owned(),
    }));
    let (weights, copies, _) = weights(&x, &y);
    let index: Vec<usize> = (0..x.len()).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let machine =
        MultiLabel::new(rbf(GAMMA)).c(2.0).solver(Smo { exact: true, tolerance: 1e-5, ..Smo::default() });
    let a = machine.fit_weighted(&x, &sets, &weights).expect("fits");
    let b = machine.fit(&copies, &sets.select(&index)).expect("fits");
    assert_same(&a.scores, &b.scores, &x, &weights, 1e-11);

    // A label that only points of weight zero have is one that nobody has.
    let all_but: Vec<f64> = sets.members(0).iter().map(|&member| f64::from(u8::from(!member))).collect();
    let model = MultiLabel::new(rbf(GAMMA)).fit_weighted(&x, &sets, &all_but).expect("fits");
    assert_eq!((model.scores.classes.len(), model.scores.certificates.len()), (4, 3));
    assert!(model.predict(&x).expect("predicts").members(0).iter().all(|&member| !member));
}

#[test]
fn a_class_of_weight_zero_is_not_there() {
    let (x, y) = load("iris_scale.libsvm.gz");
    let weights: Vec<f64> = y.index().iter().map(|&class| if class == 1 { 0.0 } else { 1.0 }).collect();
    let model = Together::new(rbf(GAMMA)).fit_weighted(&x, &y, &weights).expect("fits");
    assert_eq!(model.classes, ["1", "3"]);
    let model = OneVsAll::new(rbf(GAMMA)).fit_weighted(&x, &y, &weights).expect("fits");
    assert_eq!(model.classes, ["1", "3"]);
}

#[test]
fn weights_that_cannot_be_used_are_refused() {
    let x = Vectors::dense(1, vec![-2.0, -1.0, 1.0]);
    let y = Labels::first_seen(["a", "a", "b"]);
    let sets = LabelSets::of(&y);
    for (weights, words) in [
        (&[1.0, -1.0, 1.0][..], "none may be negative"),
        (&[1.0, f64::NAN, 1.0], "none may be negative"),
        (&[0.0, 0.0, 0.0], "not all may be 0"),
        (&[1.0, 1.0], "one for each point"),
    ] {
        let weights = || weights.to_vec();
        let errors = [
            Together::new(rbf(1.0)).fit_weighted(&x, &y, &weights()).expect_err("refused"),
            OneVsAll::new(rbf(1.0)).fit_weighted(&x, &y, &weights()).expect_err("refused"),
            MultiLabel::new(rbf(1.0)).fit_weighted(&x, &sets, &weights()).expect_err("refused"),
        ];
        for error in errors {
            assert!(error.to_string().contains(words), "{error}");
        }
    }
    let error = Together::new(rbf(1.0)).fit_weighted(&x, &y, &[1.0, 1.0, 0.0]).expect_err("refused");
    assert!(error.to_string().contains("only one class, 'a'"), "{error}");
}

#[test]
fn pairs_decide_for_the_largest_score_whatever_the_rule() {
    let (mut ties, mut moved) = (0, 0);
    for (file, c) in [("vowel.scale.libsvm.gz", 0.1), ("glass_scale.libsvm.gz", 1.0)] {
        let (x, y) = load(file);
        let votes = Svc::new(rbf(GAMMA)).c(c).fit(&x, &y).expect("fits");
        let sums = votes.clone().with_rule(VoteRule::Sum);
        let classes = y.classes().len();
        let decisions = votes.decisions(&x).expect("decides");
        for model in [&votes, &sums] {
            let (scores, index) =
                (model.scores(&x).expect("scores"), model.predict_index(&x).expect("predicts"));
            for (i, &class) in index.iter().enumerate() {
                let row = scores.row(i);
                assert!(row.iter().all(|&score| score <= row[class]), "{file}, row {i}: {row:?}");
                assert_eq!(row, model.rule.scores(decisions.row(i), classes));
            }
        }
        for i in 0..x.len() {
            let (libsvm, scores) =
                (vote(decisions.row(i), classes), votes.scores(&x.select(&[i])).expect("scores"));
            let row = scores.row(0);
            let most = row.iter().map(|score| score.round()).fold(0.0, f64::max);
            assert_eq!(row[libsvm].round(), most, "LIBSVM's class has the most votes too");
            let tie = row.iter().filter(|score| score.round() == most).count() > 1;
            let best = votes.predict_index(&x.select(&[i])).expect("predicts")[0];
            assert!(tie || best == libsvm);
            ties += usize::from(tie);
            moved += usize::from(best != libsvm);
        }
    }
    assert!(ties > 0 && moved > 0, "{ties} ties, {moved} of them not for the lowest number");
}
