//! A Fisher discriminant: the entry `classes`, tensors `centers` (a row for each class, a column for each axis), `ratios` (one for
//! each axis), `threshold` (one number of two classes, else none), `regularizer` and `residual` (one number each), and a
//! column of `coefficients` and an offset for each axis.

use super::container::{Reader, Writer};
use super::{machine, points, text};
use crate::data::{Dense, Points, Vectors};
use crate::kernel::VectorExpr;
use crate::model::layout::Flaw;
use crate::model::{CoefficientBlock, Coefficients, FisherModel};

/// Writes what it has besides; gives the number of columns.
pub(super) fn write(model: &FisherModel<Vectors, VectorExpr>, writer: &mut Writer) -> Result<usize, Flaw> {
    let axes = model.ratios.len();
    writer.entry("classes", text::print(&model.classes)?);
    writer.tensor("centers", &[model.centers.len(), axes], model.centers.values().iter().copied());
    writer.tensor("ratios", &[axes], model.ratios.iter().copied());
    writer.tensor("threshold", &[usize::from(model.threshold.is_some())], model.threshold);
    writer.tensor("regularizer", &[1], [model.regularizer]);
    writer.tensor("residual", &[1], [model.residual]);
    Ok(axes)
}

/// Reads it; whoever asked checks how its parts fit.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<FisherModel<Vectors, VectorExpr>, Flaw> {
    let ratios: Vec<f64> = reader.list("ratios")?;
    let (shape, means) = reader.tensor::<f64>("centers", 2)?;
    let classes: Vec<String> = text::parse("classes", &reader.entry("classes")?)?;
    if ratios.is_empty() || shape != [classes.len(), ratios.len()] {
        return Err("the class means are not one row per class, one column per axis".into());
    }
    let points = points::read(reader)?;
    let coefficients = columns(reader, "coefficients", points.len(), ratios.len())?;
    no_certificates(reader)?;
    Ok(FisherModel {
        expansion: machine::expansion(reader, points, coefficients)?,
        classes,
        centers: Dense::new(ratios.len(), means),
        threshold: match reader.list("threshold")?[..] {
            [] => None,
            [threshold] => Some(threshold),
            _ => return Err("tensor 'threshold' must be one number or none".into()),
        },
        ratios,
        support: reader.counts("support")?,
        regularizer: number(reader, "regularizer")?,
        residual: number(reader, "residual")?,
    })
}

/// A column of weights for each output, over all points.
pub(super) fn columns(
    reader: &mut Reader<'_>,
    name: &str,
    rows: usize,
    outputs: usize,
) -> Result<Coefficients, Flaw> {
    let (shape, values) = reader.tensor::<f64>(name, 2)?;
    if shape != [rows, outputs] {
        return Err(format!("tensor '{name}' is not one row per point, one column per output").into());
    }
    let block = CoefficientBlock { points: 0..rows, outputs: (0..outputs).collect(), values };
    Ok(Coefficients { blocks: vec![block], outputs })
}

/// A tensor of one number.
pub(super) fn number(reader: &mut Reader<'_>, name: &str) -> Result<f64, Flaw> {
    match reader.list(name)?[..] {
        [value] => Ok(value),
        _ => Err(format!("tensor '{name}' must be one number").into()),
    }
}

/// Refuses certificates of a quadratic programme.
pub(super) fn no_certificates(reader: &mut Reader<'_>) -> Result<(), Flaw> {
    match text::read_certificates(&reader.entry("certificates")?)?.is_empty() {
        true => Ok(()),
        false => Err("certificates of a method that has none".into()),
    }
}
