//! Parts that models have in common: how coefficients lie in a file, and what the parts must be like.
//!
//! A model with one function has one coefficient per support point. A one-vs-one classifier has one row per support
//! point, one column per other class; a model with a function for each class or label one column per function.
//!
//! Among k classes the pair (a, b), a < b, has output a·k − a(a + 1)/2 + (b − a − 1). A support point of class a
//! enters the k − 1 outputs that involve a; its weight against class b stands in column b where b < a, else in
//! column b − 1. Both model files, ours and LIBSVM's, hold this n × (k − 1) matrix.

use std::ops::ControlFlow;

use super::container::{Flaw, Reader, Writer};
use super::points::{read_vectors, write_vectors};
use super::text;
use crate::data::{Dense, Points};
use crate::kernel::{Kernel, Reference};
use crate::model::expansion::{CoefficientBlock, Coefficients, Expansion};
use crate::model::space::Space;
use crate::model::svm::SvcModel;

/// Refuses another number of things than expected.
pub(in crate::model) fn same(what: &str, found: usize, expected: usize) -> Result<(), Flaw> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{found} {what} where {expected} are expected").into())
}

/// Refuses another number of things than expected, unless there are none.
pub(in crate::model) fn same_or_none(what: &str, found: usize, expected: usize) -> Result<(), Flaw> {
    same(what, found, if found == 0 { 0 } else { expected })
}

/// Outputs of a one-vs-one classifier, where the number exists.
pub(in crate::model) fn pairs(classes: usize) -> Option<usize> {
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
pub(in crate::model) fn blocks(class_sizes: &[usize], weights: &[f64]) -> Coefficients {
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
pub(in crate::model) fn weights(
    coefficients: &Coefficients,
    class_sizes: &[usize],
) -> Result<Vec<f64>, Flaw> {
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

/// The least of those that are in a list more than once.
pub(in crate::model) fn twice<T: Ord>(list: &[T]) -> Option<&T> {
    let mut sorted: Vec<&T> = list.iter().collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// At least so many names, all different; gives how many.
pub(in crate::model) fn check_names(classes: &[String], least: usize) -> Result<usize, Flaw> {
    if classes.len() < least {
        return Err(if least == 2 { "fewer than two classes" } else { "no labels" }.into());
    }
    match twice(classes) {
        Some(name) => Err(format!("class '{name}' is listed twice").into()),
        None => Ok(classes.len()),
    }
}

/// Refuses a table of coefficients with a number that is not finite.
pub(in crate::model) fn finite(weights: Dense<f64>) -> Result<Dense<f64>, Flaw> {
    match weights.values().iter().all(|weight| weight.is_finite()) {
        true => Ok(weights),
        false => Err("a coefficient is not a finite number".into()),
    }
}

/// Refuses an expansion with another number of outputs, offsets or positions, or with points and offsets that are not
/// finite.
pub(in crate::model) fn check_numbers<X: Points, K>(
    expansion: &Expansion<X, K>,
    outputs: usize,
    support: &[usize],
) -> Result<(), Flaw> {
    same("offsets", expansion.offsets().len(), outputs)?;
    same("outputs", expansion.coefficients().outputs, outputs)?;
    same_or_none("positions of support points", support.len(), expansion.points().len())?;
    if let Some((row, column)) = expansion.points().first_not_finite() {
        return Err(format!("support point {}, column {}: not a finite number", row + 1, column + 1).into());
    }
    if !expansion.offsets().iter().all(|offset| offset.is_finite()) {
        return Err("an offset is not a finite number".into());
    }
    Ok(())
}

/// Refuses an expansion whose parts do not fit together; gives its coefficients, of which every point has one for each of
/// its outputs.
pub(in crate::model) fn check<X: Points, K>(
    expansion: &Expansion<X, K>,
    outputs: usize,
    support: &[usize],
) -> Result<Dense<f64>, Flaw> {
    check_numbers(expansion, outputs, support)?;
    let points = expansion.points().len();
    match expansion.coefficients().blocks.as_slice() {
        [block] if block.points == (0..points) && block.outputs.iter().copied().eq(0..outputs) => {
            same("coefficients", block.values.len(), points.saturating_mul(outputs))?;
            finite(Dense::new(outputs, block.values.clone()))
        }
        _ => Err("the coefficients of a function must be one block over all its points".into()),
    }
}

/// Refuses a classifier by pairs whose parts do not fit together; gives its coefficients.
pub(in crate::model) fn classifier<X: Points, K>(model: &SvcModel<X, K>) -> Result<Dense<f64>, Flaw> {
    let classes = check_names(&model.classes, 2)?;
    let outputs = pairs(classes).ok_or("more classes than can be paired")?;
    same("class sizes", model.class_sizes.len(), classes)?;
    let listed = model.class_sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
    same("points listed by class", listed.unwrap_or(usize::MAX), model.expansion.points().len())?;
    check_numbers(&model.expansion, outputs, &model.support)?;
    same_or_none("certificates", model.certificates.len(), outputs)?;
    let weights = weights(model.expansion.coefficients(), &model.class_sizes)?;
    finite(Dense::new(classes - 1, weights))
}

/// Reads the kernel on `points`, `prefix` before the name of its entry.
pub(in crate::model) fn read_kernel<X: Space>(
    points: &X,
    reader: &mut Reader<'_>,
    prefix: &str,
) -> Result<X::Kernel, Flaw> {
    let refused = |error: crate::Error| Flaw::from(error.to_string());
    let text = reader.entry(&format!("{prefix}kernel"))?;
    let mut kernel = points.parse_kernel(&text).map_err(refused)?;
    let prefix = format!("{prefix}{REFERENCE}");
    let mut landmarks = Vec::new();
    loop {
        let own = landmarks_at(&prefix, landmarks.len());
        if ["points", "points.values"].iter().all(|name| reader.dtype(&format!("{own}{name}")).is_none()) {
            break;
        }
        landmarks.push(read_vectors(&own, reader)?);
    }
    if !landmarks.is_empty() {
        kernel = kernel.with_landmarks(landmarks).map_err(refused)?;
    }
    if kernel.reference().is_ok() {
        return Ok(kernel);
    }
    let reference = Reference {
        points: X::read(&prefix, reader)?,
        weights: reader.list(&format!("{prefix}weights"))?,
        means: lists(reader.tensor(&format!("{prefix}means"), 2)?),
    };
    points.accepts(&reference.points).map_err(refused)?;
    reference.points.check_finite().map_err(refused)?;
    if reference.means.is_empty() {
        return Err(format!("tensor '{prefix}means' has no row").into());
    }
    kernel.fitted(&reference, &mut |_| ControlFlow::Continue(())).map_err(refused)
}

/// The rows of a matrix.
fn lists((shape, values): (Vec<usize>, Vec<f64>)) -> Vec<Vec<f64>> {
    values.chunks(shape[1].max(1)).map(<[f64]>::to_vec).collect()
}

/// Before the names of the landmarks of a map, by its number among those that have some.
fn landmarks_at(prefix: &str, map: usize) -> String {
    format!("{prefix}landmarks.{map}.")
}

/// Before the names of the parts of what a kernel was fitted to.
const REFERENCE: &str = "reference.";

/// Writes a kernel, `prefix` before the name of its entry, and what it was fitted to: its points, `weights`, a number for each,
/// and `means`, a row for each centred part and a column for each point; the landmarks of each map that has some.
pub(in crate::model) fn write_kernel<X: Space>(
    kernel: &X::Kernel,
    prefix: &str,
    writer: &mut Writer,
) -> Result<(), Flaw> {
    let refused = |error: crate::Error| Flaw::from(error.to_string());
    X::check_kernel(kernel).map_err(refused)?;
    writer.entry(&format!("{prefix}kernel"), kernel.to_string());
    for (map, landmarks) in kernel.landmarks().iter().enumerate() {
        write_vectors(&landmarks_at(&format!("{prefix}{REFERENCE}"), map), landmarks, writer);
    }
    if let Some(reference) = kernel.reference().map_err(refused)? {
        let prefix = format!("{prefix}{REFERENCE}");
        reference.points.write(&prefix, writer);
        writer.list(&format!("{prefix}weights"), &reference.weights);
        let means = Dense::new(reference.points.len(), reference.means.concat());
        writer.table(&format!("{prefix}means"), &means);
    }
    Ok(())
}

/// Reads an expansion whose points enter each of `outputs` outputs, `prefix` before all names.
pub(in crate::model) fn read_full<X: Space>(
    reader: &mut Reader<'_>,
    prefix: &str,
    outputs: usize,
) -> Result<Expansion<X, X::Kernel>, Flaw> {
    let points = X::read(prefix, reader)?;
    let name = format!("{prefix}coefficients");
    let (shape, values) = reader.tensor::<f64>(&name, 2)?;
    if shape != [points.len(), outputs] {
        return Err(format!("tensor '{name}' is not one row per point, one column per output").into());
    }
    let coefficients = Coefficients::full(points.len(), outputs, values);
    let kernel = read_kernel(&points, reader, prefix)?;
    Ok(Expansion::new(kernel, points, coefficients, reader.list(&format!("{prefix}offsets"))?))
}

/// Reads the points and coefficients of a classifier by pairs, of two classes or more.
pub(in crate::model) fn read_pair_parts<X: Space>(
    reader: &mut Reader<'_>,
    prefix: &str,
    class_sizes: &[usize],
) -> Result<(X, Coefficients), Flaw> {
    let points = X::read(prefix, reader)?;
    let (shape, weights) = reader.tensor::<f64>(&format!("{prefix}coefficients"), 2)?;
    let sum = class_sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
    if sum != Some(points.len()) || shape != [points.len(), class_sizes.len() - 1] {
        let flaw = "is not one row per support point of a class, one column per other class";
        return Err(format!("tensor '{prefix}coefficients' {flaw}").into());
    }
    Ok((points, blocks(class_sizes, &weights)))
}

/// Refuses a regulariser that is not positive, or a residual that is negative or not finite.
pub(in crate::model) fn check_residual(regularizer: f64, residual: f64) -> Result<(), Flaw> {
    if !(regularizer > 0.0 && regularizer.is_finite() && residual >= 0.0 && residual.is_finite()) {
        return Err("the regulariser is not positive, or the residual is negative or not finite".into());
    }
    Ok(())
}

pub(in crate::model) fn number(reader: &mut Reader<'_>, name: &str) -> Result<f64, Flaw> {
    match reader.list(name)?[..] {
        [number] => Ok(number),
        _ => Err(format!("tensor '{name}' must be one number").into()),
    }
}

/// Refuses certificates of a method that has none.
pub(in crate::model) fn no_certificates(reader: &mut Reader<'_>) -> Result<(), Flaw> {
    match text::read_certificates(&reader.entry("certificates")?)?.is_empty() {
        true => Ok(()),
        false => Err("certificates of a method that has none".into()),
    }
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
