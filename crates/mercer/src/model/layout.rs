//! How the coefficients of a machine lie in a file, and what its parts must be like.
//!
//! A machine with one function has one coefficient per support point. A one-vs-one classifier has one row per support
//! point, one column per other class; a machine with a function for each class or label one column per function.
//!
//! Among k classes the pair (a, b), a < b, has output a·k − a(a + 1)/2 + (b − a − 1). A support point of class a
//! enters the k − 1 outputs that involve a; its weight against class b stands in column b where b < a, else in
//! column b − 1. Both model files, ours and LIBSVM's, hold this n × (k − 1) matrix.

mod cca;
mod fisher;
mod local;

use crate::data::{Points, Vectors};
use crate::kernel::VectorExpr;
use crate::model::{
    CoefficientBlock, Coefficients, Expansion, Machine, PcaModel, RidgeModel, SvcModel, SvddModel,
};

pub(super) use local::classifier;

/// What is wrong with a model, in words; whoever knows the file makes an error of it.
pub(super) type Flaw = Box<str>;

/// Outputs of a one-vs-one classifier, where the number exists.
pub(super) fn pairs(classes: usize) -> Option<usize> {
    Some(classes.checked_mul(classes.checked_sub(1)?)? / 2)
}

/// The outputs that involve `class`, ascending.
fn outputs_of(class: usize, classes: usize) -> Vec<usize> {
    let output = |a: usize, b: usize| a * classes - a * (a + 1) / 2 + (b - a - 1);
    (0..classes).filter(|&b| b != class).map(|b| output(class.min(b), class.max(b))).collect()
}

/// One block per class from the n × (k − 1) matrix `weights`, row after row.
///
/// `class_sizes` must sum to n.
pub(super) fn blocks(class_sizes: &[usize], weights: &[f64]) -> Coefficients {
    let classes = class_sizes.len();
    let mut start = 0;
    let block = |(class, &size): (usize, &usize)| {
        let points = start..start + size;
        start += size;
        let values = weights[points.start * (classes - 1)..points.end * (classes - 1)].to_vec();
        CoefficientBlock { points, outputs: outputs_of(class, classes), values }
    };
    let blocks = class_sizes.iter().enumerate().map(block).collect();
    Coefficients { blocks, outputs: classes * (classes - 1) / 2 }
}

/// The n × (k − 1) matrix of weights, row after row, whatever the blocks.
///
/// # Errors
/// If the blocks do not cover the points one after the other, or a point has a weight in an output that does not
/// involve its class.
pub(super) fn weights(coefficients: &Coefficients, class_sizes: &[usize]) -> Result<Vec<f64>, Flaw> {
    let classes = class_sizes.len();
    let class_of: Vec<usize> =
        class_sizes.iter().enumerate().flat_map(|(class, &size)| std::iter::repeat_n(class, size)).collect();
    let columns: Vec<Vec<usize>> = (0..classes).map(|class| outputs_of(class, classes)).collect();
    let mut weights = vec![0.0; class_of.len() * (classes - 1)];
    let mut next = 0;
    for block in &coefficients.blocks {
        let points = block.points.clone();
        if points.start != next || points.end < next || points.end > class_of.len() {
            return Err("the blocks of coefficients do not follow each other".into());
        }
        if points.len().checked_mul(block.outputs.len()) != Some(block.values.len()) {
            return Err("a block of coefficients has another size than its points and outputs".into());
        }
        next = points.end;
        if block.outputs.is_empty() {
            continue;
        }
        for (point, row) in points.zip(block.values.chunks_exact(block.outputs.len())) {
            let class = class_of[point];
            for (output, &weight) in block.outputs.iter().zip(row) {
                match columns[class].binary_search(output) {
                    Ok(column) => weights[point * (classes - 1) + column] = weight,
                    Err(_) if weight == 0.0 => {}
                    Err(_) => return Err("a coefficient for a pair that does not involve its class".into()),
                }
            }
        }
    }
    if next != class_of.len() {
        return Err("the blocks of coefficients do not cover the support points".into());
    }
    Ok(weights)
}

/// Refuses a machine whose parts do not fit together or hold a number that is not finite, and gives its weights, a row
/// for each support point: of a classifier as [`weights`] does, of another machine one.
///
/// # Errors
/// The first flaw found.
pub(super) fn check(machine: &Machine) -> Result<Vec<f64>, Flaw> {
    let outputs = match machine {
        Machine::Classifier(model) => check_classes(model)?,
        Machine::Scores(model) => check_names(&model.classes, 2)?,
        Machine::MultiLabel(model) => check_names(&model.scores.classes, 1)?,
        Machine::Fisher(model) => fisher::check(model)?,
        Machine::Cca(model) => cca::check(model)?,
        Machine::Pca(model) => check_pca(model)?,
        Machine::Local(model) => local::check(model)?,
        Machine::Regression(_) | Machine::OneClass(_) | Machine::Sphere(_) => 1,
        Machine::Ridge(model) => model.expansion.coefficients().outputs,
    };
    check_parts(machine, outputs)?;
    let weights = match machine {
        Machine::Classifier(model) => weights(model.expansion.coefficients(), &model.class_sizes)?,
        Machine::Local(model) => local::gate(&model.gate)?,
        _ => full(machine.expansion(), outputs)?,
    };
    if !weights.iter().all(|weight| weight.is_finite()) {
        return Err("a coefficient is not a finite number".into());
    }
    match machine {
        Machine::Sphere(sphere) => check_sphere(sphere).map(|()| weights),
        Machine::Ridge(model) => check_ridge(model).map(|()| weights),
        _ => Ok(weights),
    }
}

fn same(what: &str, found: usize, expected: usize) -> Result<(), Flaw> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{found} {what} where {expected} are expected").into())
}

/// The classes of a classifier and their points; gives how many outputs there must be.
fn check_classes(model: &SvcModel<Vectors, VectorExpr>) -> Result<usize, Flaw> {
    let classes = check_names(&model.classes, 2)?;
    let pairs = pairs(classes).ok_or("more classes than can be paired")?;
    same("class sizes", model.class_sizes.len(), classes)?;
    let listed = model.class_sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
    same("points listed by class", listed.unwrap_or(usize::MAX), model.expansion.points().len())?;
    Ok(pairs)
}

/// At least so many names, all different; gives how many.
fn check_names(classes: &[String], least: usize) -> Result<usize, Flaw> {
    if classes.len() < least {
        return Err(if least == 2 { "fewer than two classes" } else { "no labels" }.into());
    }
    let mut names: Vec<&String> = classes.iter().collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(twice) => Err(format!("class '{}' is listed twice", twice[0]).into()),
        None => Ok(classes.len()),
    }
}

/// What every machine has: so many outputs, and lists that are as long as their points and outputs.
fn check_parts(machine: &Machine, outputs: usize) -> Result<(), Flaw> {
    let expansion = machine.expansion();
    same("offsets", expansion.offsets().len(), outputs)?;
    same("outputs", expansion.coefficients().outputs, outputs)?;
    let (positions, certificates) = (machine.support().len(), machine.certificates().len());
    same(
        "positions of support points",
        positions,
        if positions == 0 { 0 } else { expansion.points().len() },
    )?;
    let expected = match machine {
        _ if certificates == 0 => 0,
        // One problem for all classes together; none for a label that all points have, or none.
        Machine::Scores(model) if model.loss.is_some() => 1,
        Machine::MultiLabel(_) => certificates.min(outputs),
        _ => outputs,
    };
    same("certificates", certificates, expected)?;
    check_numbers(expansion)
}

/// Refuses points and offsets that are not finite.
fn check_numbers(expansion: &Expansion<Vectors, VectorExpr>) -> Result<(), Flaw> {
    if let Some((row, column)) = expansion.points().first_not_finite() {
        return Err(format!("support point {}, column {}: not a finite number", row + 1, column + 1).into());
    }
    if !expansion.offsets().iter().all(|offset| offset.is_finite()) {
        return Err("an offset is not a finite number".into());
    }
    Ok(())
}

/// The weights of a machine whose points all enter each of its outputs.
pub(super) fn full(expansion: &Expansion<Vectors, VectorExpr>, outputs: usize) -> Result<Vec<f64>, Flaw> {
    let points = expansion.points().len();
    match expansion.coefficients().blocks.as_slice() {
        [block] if block.points == (0..points) && block.outputs.iter().copied().eq(0..outputs) => {
            same("coefficients", block.values.len(), points.saturating_mul(outputs))?;
            Ok(block.values.clone())
        }
        _ => Err("the coefficients of a function must be one block over all its points".into()),
    }
}

/// The numbers of a kernel PCA; gives how many components there are.
fn check_pca(model: &PcaModel<Vectors, VectorExpr>) -> Result<usize, Flaw> {
    let points = model.expansion.points().len();
    same("weights of points", model.weights.len(), points)?;
    same("means of kernel values", model.row_means.len(), points)?;
    let positive = |values: &[f64]| values.iter().all(|value| *value > 0.0 && value.is_finite());
    if model.eigenvalues.is_empty() || !positive(&model.eigenvalues) {
        return Err("the eigenvalues are not positive, finite numbers, one or more".into());
    }
    if !model.eigenvalues.is_sorted_by(|a, b| a >= b) {
        return Err("the eigenvalues do not descend".into());
    }
    if !positive(&model.weights) || !model.row_means.iter().all(|mean| mean.is_finite()) {
        return Err("a weight of a point is not positive, or a mean of kernel values is not finite".into());
    }
    if !(model.total.is_finite() && model.residual >= 0.0 && model.residual.is_finite()) {
        return Err("the total variance or the residual is not a finite number".into());
    }
    Ok(model.eigenvalues.len())
}

/// R² and ‖a‖², of which only one is free: R² = ‖a‖² − 2b.
fn check_sphere(sphere: &SvddModel<Vectors, VectorExpr>) -> Result<(), Flaw> {
    let offset = sphere.function.expansion.offsets()[0];
    if !sphere.square_center.is_finite() || !sphere.square_radius.is_finite() {
        return Err("the centre or the radius of the sphere is not a finite number".into());
    }
    if sphere.square_radius != square_radius(sphere.square_center, offset) {
        return Err("the radius of the sphere does not fit its centre and its offset".into());
    }
    Ok(())
}

/// λ, the residual, and at least one target.
fn check_ridge(model: &RidgeModel<Vectors, VectorExpr>) -> Result<(), Flaw> {
    if model.expansion.coefficients().outputs == 0 {
        return Err("no targets".into());
    }
    let usable = |value: f64| value.is_finite() && value >= 0.0;
    match usable(model.lambda) && usable(model.certificate.residual) {
        true => Ok(()),
        false => Err("lambda and the residual must be finite and not negative".into()),
    }
}

/// R² = ‖a‖² − 2b.
pub(super) fn square_radius(square_center: f64, offset: f64) -> f64 {
    square_center - 2.0 * offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_a_class_ascend_in_the_order_of_the_other_classes() {
        // Pairs of four classes: (0,1) (0,2) (0,3) (1,2) (1,3) (2,3).
        assert_eq!(outputs_of(0, 4), [0, 1, 2]);
        assert_eq!(outputs_of(1, 4), [0, 3, 4]);
        assert_eq!(outputs_of(2, 4), [1, 3, 5]);
        assert_eq!(outputs_of(3, 4), [2, 4, 5]);
    }

    #[test]
    fn weights_of_blocks_are_the_matrix_they_were_made_from() {
        let (sizes, matrix) = ([2, 0, 1], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let coefficients = blocks(&sizes, &matrix);
        assert_eq!(coefficients.outputs, 3);
        assert_eq!(coefficients.blocks[2].outputs, [1, 2]);
        assert_eq!(weights(&coefficients, &sizes).unwrap(), matrix);
    }

    #[test]
    fn a_full_block_is_read_when_its_other_weights_are_zero() {
        let block = |row: Vec<f64>| Coefficients::full(1, 3, row);
        assert_eq!(weights(&block(vec![1.0, 0.0, 2.0]), &[0, 1, 0]).unwrap(), [1.0, 2.0]);
        assert!(weights(&block(vec![1.0, 0.5, 2.0]), &[0, 1, 0]).is_err());
    }

    #[test]
    fn blocks_that_do_not_cover_are_refused() {
        let mut coefficients = blocks(&[1, 1], &[1.0, -1.0]);
        let last = coefficients.blocks.pop().unwrap();
        assert!(weights(&coefficients, &[1, 1]).unwrap_err().contains("do not cover"));
        coefficients.blocks.insert(0, last);
        assert!(weights(&coefficients, &[1, 1]).unwrap_err().contains("do not follow"));
    }
}
