//! What the methods of linear algebra have in common in a file.

use super::container::Reader;
use super::text;
use crate::model::Coefficients;
use crate::model::layout::Flaw;

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
    Ok(Coefficients::full(rows, outputs, values))
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
