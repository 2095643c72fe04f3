//! A Fisher discriminant: the entry `classes`, tensors `centers` (a row for each class, a column for each axis), `ratios` (one for
//! each axis), `threshold` (one number of two classes, else none), `regularizer` and `residual` (one number each), and a
//! column of `coefficients` and an offset for each axis.

use super::container::{Reader, Writer};
use super::parts::{columns, no_certificates, number};
use super::{machine, points, text};
use crate::data::{Dense, Points, Vectors};
use crate::kernel::VectorExpr;
use crate::model::FisherModel;
use crate::model::layout::Flaw;

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
