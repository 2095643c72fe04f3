//! What the parts of a canonical correlation analysis must be like.

use super::fisher::check_certificate;
use super::{Flaw, check_numbers, full, same};
use crate::data::{Points, Vectors};
use crate::kernel::VectorExpr;
use crate::model::CcaModel;

/// Both views have a function for each component; gives how many. The first view is checked as every machine's is.
pub(super) fn check(model: &CcaModel<Vectors, VectorExpr>) -> Result<usize, Flaw> {
    let components = model.values.len();
    if components == 0 {
        return Err("no components".into());
    }
    same("correlations", model.correlations.len(), components)?;
    let possible = |value: &f64| (-1.0 - 1e-9..=1.0 + 1e-9).contains(value);
    if !model.values.iter().chain(&model.correlations).all(possible) {
        return Err("a correlation does not lie between -1 and 1".into());
    }
    check_certificate(model.regularizer, model.residual)?;
    let (second, positions) = (&model.second, model.second_support.len());
    same("offsets of the second view", second.offsets().len(), components)?;
    same("outputs of the second view", second.coefficients().outputs, components)?;
    same(
        "positions of points of the second view",
        positions,
        if positions == 0 { 0 } else { second.points().len() },
    )?;
    check_numbers(second)?;
    if !full(second, components)?.iter().all(|weight| weight.is_finite()) {
        return Err("a coefficient of the second view is not a finite number".into());
    }
    Ok(components)
}
