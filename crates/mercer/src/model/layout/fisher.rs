//! What the parts of a Fisher discriminant must be like.

use super::{Flaw, check_names, same};
use crate::data::Vectors;
use crate::kernel::VectorExpr;
use crate::model::FisherModel;

/// Classes, axes and where the ones lie on the others; gives how many axes there are.
pub(super) fn check(model: &FisherModel<Vectors, VectorExpr>) -> Result<usize, Flaw> {
    let (classes, axes) = (check_names(&model.classes, 2)?, model.ratios.len());
    if axes == 0 || axes >= classes {
        return Err(format!("{axes} axes of {classes} classes: there must be one or more, and fewer").into());
    }
    same("class means", model.centers.len(), classes)?;
    same("axes of class means", model.centers.columns(), axes)?;
    if !model.centers.values().iter().all(|mean| mean.is_finite()) {
        return Err("a class mean is not a finite number".into());
    }
    if !model.ratios.iter().all(|ratio| (0.0..=1.0).contains(ratio)) {
        return Err("the ratio of an axis does not lie between 0 and 1".into());
    }
    same("thresholds", usize::from(model.threshold.is_some()), usize::from(classes == 2))?;
    if !model.threshold.is_none_or(f64::is_finite) {
        return Err("the threshold is not a finite number".into());
    }
    check_certificate(model.regularizer, model.residual).map(|()| axes)
}

/// A regulariser above 0 and a residual that is not below.
pub(super) fn check_certificate(regularizer: f64, residual: f64) -> Result<(), Flaw> {
    if !(regularizer > 0.0 && regularizer.is_finite() && residual >= 0.0 && residual.is_finite()) {
        return Err("the regulariser is not positive, or the residual is negative or not finite".into());
    }
    Ok(())
}
