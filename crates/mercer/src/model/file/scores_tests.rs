//! Files of models with a function for each class or label, and of the rule for pairs.

use super::container::Writer;
use super::tests::{certificate, dense32, edit, refusal};
use super::*;
use crate::data::{Dense, Sparse};
use crate::kernel::{self, VectorExpr};
use crate::model::{Coefficients, Expansion, Loss, MultiLabelModel, ScoreModel, SvcModel, VoteRule};

fn scores(
    loss: Option<Loss>,
    points: impl Into<Vectors>,
    certificates: usize,
) -> ScoreModel<Vectors, VectorExpr> {
    let values = vec![0.1, -0.0, 1.0 / 3.0, 5e-324, -0.2, 1e300];
    ScoreModel {
        expansion: Expansion::new(
            kernel::rbf(1.0 / 3.0),
            points.into(),
            Coefficients::full(2, 3, values),
            vec![-0.7, 0.0, 1e-17],
        ),
        classes: vec!["1".into(), "a,b".into(), String::new()],
        support: vec![7, 2],
        certificates: vec![certificate(); certificates],
        loss,
    }
}

fn dense() -> Dense<f64> {
    Dense::new(2, vec![0.1, -0.0, 5e-324, 4.0])
}

fn one_vs_all() -> Saved {
    scores(None, dense(), 3).into()
}

fn multilabel() -> Saved {
    let sparse = Sparse::new(9, vec![0, 2, 2], vec![0, 8], vec![0.1_f32, -2.0]);
    MultiLabelModel { scores: scores(None, sparse, 2) }.into()
}

fn summed() -> Saved {
    let mut saved = dense32();
    saved.model.downcast_mut::<SvcModel<Vectors, VectorExpr>>().unwrap().rule = VoteRule::Sum;
    saved
}

pub(super) fn all() -> Vec<Saved> {
    let together = Loss::ALL.map(|loss| scores(Some(loss), dense(), 1).into());
    together.into_iter().chain([one_vs_all(), multilabel(), summed()]).collect()
}

#[test]
fn the_kind_tells_the_model() {
    let methods: Vec<&str> = all().iter().map(|saved| saved.model.kind()).collect();
    assert_eq!(methods, ["crammer-singer", "weston-watkins", "softmax", "ovr", "multilabel", "svc"]);
}

#[test]
fn a_model_without_support_points_or_certificates_comes_back() {
    let mut model = scores(None, Dense::new(4, Vec::<f32>::new()), 0);
    model.expansion.edit(|_, coefficients, _| *coefficients = Coefficients::full(0, 3, vec![]));
    model.support.clear();
    let saved = Saved::from(MultiLabelModel { scores: model });
    assert_eq!(Saved::from_bytes(&saved.to_bytes().unwrap()).unwrap(), saved);
}

#[test]
fn votes_are_not_written_and_another_rule_is_named() {
    let bytes = dense32().to_bytes().unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("\"rule\""));
    let refusal = |rule: &str| refusal(&summed(), |file| file.entry("rule", rule));
    assert_eq!(refusal("dice"), "rule 'dice': this program knows votes and sum");
    assert_eq!(refusal(""), "rule '': this program knows votes and sum");
    let mut writer = Writer::copy(&summed().to_bytes().unwrap());
    writer.entry("rule", "votes");
    assert_eq!(Saved::from_bytes(&writer.finish().unwrap()).unwrap(), dense32());
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let ovr = |change: fn(&mut Writer)| refusal(&one_vs_all(), change);
    let shape = "one row per point, one column per output";
    assert!(ovr(|file| file.entry("classes", "[\"a\",\"b\"]")).contains(shape));
    assert!(ovr(|file| file.entry("classes", "[\"a\",\"b\",\"a\"]")).contains("class 'a' is listed twice"));
    assert!(ovr(|file| file.entry("classes", "3")).contains("entry 'classes'"));
    assert!(ovr(|file| file.tensor("coefficients", &[3, 2], [0.0; 6])).contains(shape));
    assert!(ovr(|file| file.tensor("coefficients", &[2, 2], [0.0; 4])).contains(shape));
    assert!(ovr(|file| file.tensor("coefficients", &[6], [0.0; 6])).contains("2 dimensions"));
    assert!(ovr(|file| file.tensor("coefficients", &[2, 3], [f64::NAN; 6])).contains("not a finite number"));
    assert!(ovr(|file| file.tensor("offsets", &[2], [0.0; 2])).contains("2 offsets where 3"));
    assert!(ovr(|file| file.tensor("offsets", &[3], [f64::INFINITY; 3])).contains("not a finite number"));
    assert!(ovr(|file| file.tensor("support", &[1], [1_u64])).contains("1 positions"));
    assert!(ovr(|file| file.tensor("class_sizes", &[3], [1_u64, 1, 0])).contains("unknown entry or tensor"));
    assert!(ovr(|file| file.entry("rule", "sum")).contains("unknown entry or tensor 'rule'"));
    assert!(ovr(|file| file.entry("method", "softmax")).contains("3 certificates where 1"));
    assert!(ovr(|file| file.entry("method", "svc")).contains("no tensor 'class_sizes'"));
    assert!(ovr(|file| file.entry("method", "svr")).contains("3 certificates where 1"));

    let four = text::certificates(&[certificate(); 4]).unwrap();
    assert!(
        refusal(&multilabel(), |file| file.entry("certificates", four)).contains("4 certificates where 3")
    );
    let one = |file: &mut Writer| {
        file.entry("classes", "[\"a\"]");
        file.tensor("coefficients", &[2, 1], [0.0; 2]);
        file.tensor("offsets", &[1], [0.0]);
        file.entry("certificates", "[]");
    };
    assert!(refusal(&one_vs_all(), one).contains("fewer than two classes"));
    let none = |file: &mut Writer| {
        file.entry("classes", "[]");
        file.tensor("coefficients", &[2, 0], [0.0; 0]);
        file.tensor("offsets", &[0], [0.0; 0]);
        file.entry("certificates", "[]");
    };
    assert!(refusal(&multilabel(), none).contains("no labels"));
}

#[test]
fn models_whose_parts_do_not_fit_are_not_written() {
    let mut short = one_vs_all();
    edit(&mut short, |_, coefficients, _| coefficients.blocks[0].values.truncate(5));
    assert!(short.to_bytes().unwrap_err().to_string().contains("5 coefficients where 6"));
    let mut moved = multilabel();
    edit(&mut moved, |_, coefficients, _| coefficients.blocks[0].outputs = vec![0, 2, 1]);
    assert!(moved.to_bytes().unwrap_err().to_string().contains("one block over all its points"));
}
