//! A canonical correlation analysis: the first view as every machine; the second under the prefix `second.`: the entry
//! `second.kernel`, tensors `second.coefficients`, `second.offsets`, `second.support` and its points. Tensors `values` and
//! `correlations` (one for each component), `regularizer` and `residual` (one number each).

use super::container::{Reader, Writer};
use super::parts::{columns, no_certificates, number};
use super::{machine, points};
use crate::data::{Points, Vectors};
use crate::error::Error;
use crate::kernel::VectorExpr;
use crate::model::layout::{self, Flaw};
use crate::model::{CcaModel, Expansion};

/// Before the names of the second view.
const SECOND: &str = "second.";

/// Writes what it has besides; gives the number of columns.
pub(super) fn write(model: &CcaModel<Vectors, VectorExpr>, writer: &mut Writer) -> Result<usize, Flaw> {
    let (second, components) = (&model.second, model.values.len());
    second.kernel().check().map_err(|error| error.to_string())?;
    writer.entry("second.kernel", second.kernel().to_string());
    let weights = layout::full(second, components)?;
    writer.tensor("second.coefficients", &[second.points().len(), components], weights);
    writer.tensor("second.offsets", &[components], second.offsets().iter().copied());
    let support = model.second_support.iter().map(|&i| i as u64);
    writer.tensor("second.support", &[model.second_support.len()], support);
    points::write_under(SECOND, second.points(), writer);
    writer.tensor("values", &[components], model.values.iter().copied());
    writer.tensor("correlations", &[components], model.correlations.iter().copied());
    writer.tensor("regularizer", &[1], [model.regularizer]);
    writer.tensor("residual", &[1], [model.residual]);
    Ok(components)
}

/// Reads it; whoever asked checks how its parts fit.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<CcaModel<Vectors, VectorExpr>, Flaw> {
    let values: Vec<f64> = reader.list("values")?;
    let (first, second) = (points::read(reader)?, points::read_under(SECOND, reader)?);
    let own = columns(reader, "coefficients", first.len(), values.len())?;
    let other = columns(reader, "second.coefficients", second.len(), values.len())?;
    let kernel = reader.entry("second.kernel")?.parse().map_err(|error: Error| error.to_string())?;
    no_certificates(reader)?;
    Ok(CcaModel {
        first: machine::expansion(reader, first, own)?,
        second: Expansion::new(kernel, second, other, reader.list("second.offsets")?),
        first_support: reader.counts("support")?,
        second_support: reader.counts("second.support")?,
        values,
        correlations: reader.list("correlations")?,
        regularizer: number(reader, "regularizer")?,
        residual: number(reader, "residual")?,
    })
}
