//! Files of classifiers by cells.

use super::container::Writer;
use super::tests::{certificate, refusal};
use super::*;
use crate::data::{Dense, Sparse};
use crate::kernel::{self, VectorExpr};
use crate::model::{Cell, CoefficientBlock, Coefficients, Expansion, LocalModel, SvcModel, VoteRule};

fn classifier(points: impl Into<Vectors>, classes: [&str; 2]) -> SvcModel<Vectors, VectorExpr> {
    SvcModel {
        expansion: Expansion::new(
            kernel::rbf(1.0 / 3.0),
            points.into(),
            parts::blocks(&[1, 2], &[0.1, -0.0, 1e300]),
            vec![5e-324],
        ),
        classes: classes.map(String::from).to_vec(),
        class_sizes: vec![1, 2],
        support: vec![7, 2, 9],
        certificates: vec![certificate()],
        rule: VoteRule::Votes,
    }
}

/// Three cells, of which the second has one class, over rows stored in three ways.
fn model() -> LocalModel<Vectors, VectorExpr> {
    let block = |points, cell, values| CoefficientBlock { points, outputs: vec![cell], values };
    let blocks = vec![block(0..1, 0, vec![2.0]), block(1..3, 1, vec![1.0; 2]), block(3..4, 2, vec![-0.0])];
    let dense = Dense::new(2, vec![0.1_f32, -0.0, 1e-45, 4.0, 1.0, f32::MAX]);
    let sparse = Sparse::new(2, vec![0, 2, 2, 3], vec![0, 1, 1], vec![0.1, -2.0, 5e-324]);
    LocalModel {
        gate: Expansion::new(
            kernel::rbf(1.0 / 3.0),
            Dense::new(2, vec![0.1, -0.0, 5e-324, 4.0, 1.0, 2.0, 3.0, 4.0]).into(),
            Coefficients { blocks, outputs: 3 },
            vec![1.0, 0.5, -0.0],
        ),
        support: vec![3, 1, 4, 0],
        cells: vec![
            Cell { size: 5, class: 2, classifier: Some(classifier(dense, ["c", "a"])) },
            Cell { size: 1, class: 1, classifier: None },
            Cell { size: 4, class: 0, classifier: Some(classifier(sparse, ["a", "b"])) },
        ],
        classes: ["a", "b", "c"].map(String::from).to_vec(),
    }
}

pub(super) fn saved() -> Saved {
    model().into()
}

#[test]
fn cells_that_do_not_fit_are_refused() {
    let refusal = |change: fn(&mut Writer)| refusal(&saved(), change);
    // A fourth cell that is missing, one too many, none at all.
    let fourth = |file: &mut Writer| {
        file.tensor("cell_sizes", &[4], [1_u64; 4]);
        file.tensor("cell_classes", &[4], [1_u64; 4]);
        file.tensor("gate_sizes", &[4], [1_u64; 4]);
        file.tensor("offsets", &[4], [1.0; 4]);
    };
    assert!(refusal(fourth).contains("no tensor 'cell.3.classes'"));
    assert!(refusal(|file| file.tensor("cell.3.classes", &[1], [0_u64])).contains("unknown entry or tensor"));
    assert!(refusal(|file| file.tensor("cell_sizes", &[2], [1_u64; 2])).contains("2 sizes of cells but 3"));
    let none = |file: &mut Writer| {
        ["cell_sizes", "cell_classes", "gate_sizes"]
            .iter()
            .for_each(|name| file.tensor(name, &[0], [0_u64; 0]));
        file.tensor("coefficients", &[0, 1], [0.0; 0]);
        file.tensor("points", &[0, 2], [0.0; 0]);
    };
    assert!(refusal(none).contains("no cells"));
    let much = |file: &mut Writer| file.tensor("cell_sizes", &[3], [u64::MAX, 1, 1]);
    assert!(refusal(much).contains("than can be counted"));
    // The points that choose.
    let choose = "not so many for each cell";
    assert!(refusal(|file| file.tensor("gate_sizes", &[3], [1_u64; 3])).contains(choose));
    assert!(refusal(|file| file.tensor("gate_sizes", &[3], [u64::MAX, 1, 4])).contains(choose));
    assert!(refusal(|file| file.tensor("gate_sizes", &[2], [2_u64; 2])).contains(choose));
    assert!(refusal(|file| file.tensor("coefficients", &[2, 2], [0.0; 4])).contains(choose));
    let infinite = |file: &mut Writer| file.tensor("coefficients", &[4, 1], [f64::INFINITY; 4]);
    assert!(refusal(infinite).contains("a coefficient is not a finite number"));
    assert!(refusal(|file| file.tensor("offsets", &[2], [0.0; 2])).contains("2 offsets where 3"));
    assert!(refusal(|file| file.tensor("support", &[2], [0_u64; 2])).contains("2 positions"));
    let whole = text::certificates(&[certificate()]).unwrap();
    assert!(tests::refusal(&saved(), |file| file.entry("certificates", whole)).contains("of the whole"));
}

#[test]
fn machines_of_cells_that_do_not_fit_are_refused() {
    let refusal = |change: fn(&mut Writer)| refusal(&saved(), change);
    let numbers = "must have numbers of the 3 classes";
    assert!(refusal(|file| file.tensor("cell.0.classes", &[2], [0_u64, 3])).contains(numbers));
    assert!(refusal(|file| file.tensor("cell.1.classes", &[1], [u64::MAX])).contains("cell.1.classes"));
    assert!(refusal(|file| file.tensor("cell.1.classes", &[0], [0_u64; 0])).contains(numbers));
    assert!(refusal(|file| file.tensor("cell.0.classes", &[2], [1_u64; 2])).contains("'b' is listed twice"));
    assert!(refusal(|file| file.tensor("cell.1.classes", &[2], [0_u64, 1])).contains("no tensor 'cell.1."));
    assert!(
        refusal(|file| file.tensor("cell.1.classes", &[1], [0_u64])).contains("cell 1: one class, 0, and")
    );
    // A classifier that is not asked for is left over.
    assert!(refusal(|file| file.tensor("cell.0.classes", &[1], [2_u64])).contains("unknown entry or tensor"));
    assert!(
        refusal(|file| file.tensor("cell_classes", &[3], [0_u64, 1, 3])).contains("cell 2: class 3 of 3")
    );
    let rows = "one row per support point";
    assert!(refusal(|file| file.tensor("cell.0.class_sizes", &[2], [2_u64; 2])).contains(rows));
    assert!(refusal(|file| file.tensor("cell.0.class_sizes", &[2], [u64::MAX, 4])).contains(rows));
    assert!(
        refusal(|file| file.tensor("cell.0.class_sizes", &[1], [3_u64])).contains("1 class sizes where 2")
    );
    assert!(refusal(|file| file.tensor("cell.0.coefficients", &[1, 3], [0.0; 3])).contains(rows));
    let wide = |file: &mut Writer| file.tensor("cell.0.points", &[3, 3], [0_f32; 9]);
    assert!(refusal(wide).contains("cell 0: 3 features where 2"));
    let infinite = |file: &mut Writer| file.tensor("cell.2.coefficients", &[3, 1], [f64::NAN; 3]);
    assert!(refusal(infinite).contains("cell 2: a coefficient is not"));
    assert!(refusal(|file| file.tensor("cell.2.offsets", &[2], [0.0; 2])).contains("cell 2: 2 offsets"));
    assert!(refusal(|file| file.tensor("cell.2.offsets", &[1], [f64::NAN])).contains("an offset is not"));
    assert!(refusal(|file| file.tensor("cell.2.support", &[1], [0_u64])).contains("cell 2: 1 positions"));
    assert!(refusal(|file| file.entry("cell.2.columns", "1")).contains("lie inside the width"));
    let twice = text::certificates(&[certificate(); 2]).unwrap();
    let twice = tests::refusal(&saved(), |file| file.entry("cell.0.certificates", twice));
    assert!(twice.contains("cell 0: 2 certificates"), "{twice}");
}

#[test]
fn models_of_cells_whose_parts_do_not_fit_are_not_written() {
    let refusal = |change: fn(&mut LocalModel<Vectors, VectorExpr>)| {
        let mut model = model();
        change(&mut model);
        Saved::from(model).to_bytes().unwrap_err().to_string()
    };
    fn first(model: &mut LocalModel<Vectors, VectorExpr>) -> &mut SvcModel<Vectors, VectorExpr> {
        model.cells[0].classifier.as_mut().unwrap()
    }
    assert!(
        refusal(|model| first(model).expansion.edit(|kernel, _, _| *kernel = kernel::linear()))
            .contains("another kernel")
    );
    assert!(refusal(|model| first(model).rule = VoteRule::Sum).contains("another rule"));
    assert!(refusal(|model| first(model).classes[0] = "d".into()).contains("class 'd'"));
    assert!(
        refusal(|model| model.gate.edit(|_, coefficients, _| coefficients.blocks.swap(0, 2)))
            .contains("do not follow each other")
    );
    assert!(refusal(|model| model.cells.clear()).contains("no cells"));
}
