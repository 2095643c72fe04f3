//! Kernel ridge regression: a column of coefficients for each target, and the entry `ridge`.

use serde::{Deserialize, Serialize};

use super::container::{Reader, Writer};
use super::{machine, points, text};
use crate::data::{Points, Vectors};
use crate::kernel::VectorExpr;
use crate::model::layout::Flaw;
use crate::model::{CoefficientBlock, Coefficients, Expansion, RidgeCertificate, RidgeModel};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    lambda: f64,
    residual: f64,
    iterations: Option<u64>,
    converged: bool,
}

/// Writes what other machines do not have; gives the number of columns of coefficients.
pub(super) fn write(model: &RidgeModel<Vectors, VectorExpr>, writer: &mut Writer) -> Result<usize, Flaw> {
    let RidgeCertificate { residual, iterations, converged } = model.certificate;
    let entry = Entry { lambda: model.lambda, residual, iterations, converged };
    writer.entry("ridge", text::print(&entry)?);
    Ok(model.expansion.coefficients.outputs)
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<RidgeModel<Vectors, VectorExpr>, Flaw> {
    let Entry { lambda, residual, iterations, converged } = text::parse("ridge", &reader.entry("ridge")?)?;
    if !text::read_certificates(&reader.entry("certificates")?)?.is_empty() {
        return Err("certificates of a quadratic programme in a ridge regression".into());
    }
    Ok(RidgeModel {
        expansion: columns(reader)?,
        support: reader.counts("support")?,
        lambda,
        certificate: RidgeCertificate { residual, iterations, converged },
    })
}

/// An expansion whose points all enter each of its outputs.
pub(super) fn columns(reader: &mut Reader<'_>) -> Result<Expansion<Vectors, VectorExpr>, Flaw> {
    let points = points::read(reader)?;
    let (shape, values) = reader.tensor::<f64>("coefficients", 2)?;
    if shape[0] != points.len() {
        return Err("the coefficients are not one row per support point".into());
    }
    let block = CoefficientBlock { points: 0..shape[0], outputs: (0..shape[1]).collect(), values };
    machine::expansion(reader, points, Coefficients { blocks: vec![block], outputs: shape[1] })
}
