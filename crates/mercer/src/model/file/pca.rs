//! Kernel PCA: tensors `eigenvalues` (one per component), `weights` and `row_means` (one per point), `total` and `residual`
//! (one number each), and a column of `coefficients` and an offset for each component.

use super::container::{Reader, Writer};
use super::parts::{columns, no_certificates, number};
use super::{machine, points};
use crate::data::{Points, Vectors};
use crate::kernel::VectorExpr;
use crate::model::PcaModel;
use crate::model::layout::Flaw;

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
    let coefficients = columns(reader, "coefficients", points.len(), eigenvalues.len())?;
    no_certificates(reader)?;
    Ok(PcaModel {
        expansion: machine::expansion(reader, points, coefficients)?,
        eigenvalues,
        total: number(reader, "total")?,
        weights: reader.list("weights")?,
        row_means: reader.list("row_means")?,
        residual: number(reader, "residual")?,
        support: reader.counts("support")?,
    })
}
