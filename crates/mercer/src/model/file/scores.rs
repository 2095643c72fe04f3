//! Machines with a function for each class or label: `classes`, and a column of `coefficients` and an offset for each.

use super::container::{Reader, Writer};
use super::{machine, points, text};
use crate::data::{Points, Vectors};
use crate::kernel::VectorExpr;
use crate::model::layout::Flaw;
use crate::model::{Coefficients, Loss, Machine, MultiLabelModel, ScoreModel};

/// Writes what these have besides; gives the number of columns.
pub(super) fn write(model: &ScoreModel<Vectors, VectorExpr>, writer: &mut Writer) -> Result<usize, Flaw> {
    writer.entry("classes", text::print(&model.classes)?);
    Ok(model.classes.len())
}

/// The machine that `method` names: a loss, `multilabel`, or one against all.
pub(super) fn read(method: &str, reader: &mut Reader<'_>) -> Result<Machine, Flaw> {
    let loss = Loss::ALL.into_iter().find(|loss| loss.name() == method);
    let classes: Vec<String> = text::parse("classes", &reader.entry("classes")?)?;
    let points = points::read(reader)?;
    let (shape, values) = reader.tensor::<f64>("coefficients", 2)?;
    if shape != [points.len(), classes.len()] {
        return Err("the coefficients are not one row per support point, one column per class".into());
    }
    let (rows, outputs) = (points.len(), classes.len());
    let coefficients = Coefficients::full(rows, outputs, values);
    let scores = ScoreModel {
        expansion: machine::expansion(reader, points, coefficients)?,
        classes,
        support: reader.counts("support")?,
        certificates: text::read_certificates(&reader.entry("certificates")?)?,
        loss,
    };
    Ok(if method == "multilabel" { MultiLabelModel { scores }.into() } else { scores.into() })
}
