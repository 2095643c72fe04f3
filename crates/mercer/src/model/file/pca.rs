//! Kernel PCA: tensors `eigenvalues` (one per component), `weights` and `row_means` (one per point), `total` and `residual`
//! (one number each), and a column of `coefficients` and an offset for each component.

use super::container::{Reader, Writer};
use super::{machine, points, text};
use crate::data::{Points, Vectors};
use crate::kernel::VectorExpr;
use crate::model::layout::Flaw;
use crate::model::{CoefficientBlock, Coefficients, PcaModel};

/// Writes what it has besides; gives the number of columns.
pub(super) fn write(model: &PcaModel<Vectors, VectorExpr>, writer: &mut Writer) -> usize {
    let mut list = |name: &str, values: &[f64]| writer.tensor(name, &[values.len()], values.iter().copied());
    list("eigenvalues", &model.eigenvalues);
    list("weights", &model.weights);
    list("row_means", &model.row_means);
    list("total", &[model.total]);
    list("residual", &[model.residual]);
    model.eigenvalues.len()
}

/// Reads it; whoever asked checks how its parts fit.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<PcaModel<Vectors, VectorExpr>, Flaw> {
    let eigenvalues: Vec<f64> = reader.list("eigenvalues")?;
    let points = points::read(reader)?;
    let (shape, values) = reader.tensor::<f64>("coefficients", 2)?;
    let (rows, outputs) = (points.len(), eigenvalues.len());
    if shape != [rows, outputs] {
        return Err("the coefficients are not one row per point, one column per component".into());
    }
    if !text::read_certificates(&reader.entry("certificates")?)?.is_empty() {
        return Err("certificates of a method that has none".into());
    }
    let mut number = |name: &str| match reader.list(name)?[..] {
        [value] => Ok(value),
        _ => Err(Flaw::from(format!("tensor '{name}' must be one number"))),
    };
    let (total, residual) = (number("total")?, number("residual")?);
    let block = CoefficientBlock { points: 0..rows, outputs: (0..outputs).collect(), values };
    Ok(PcaModel {
        expansion: machine::expansion(reader, points, Coefficients { blocks: vec![block], outputs })?,
        eigenvalues,
        total,
        weights: reader.list("weights")?,
        row_means: reader.list("row_means")?,
        residual,
        support: reader.counts("support")?,
    })
}
