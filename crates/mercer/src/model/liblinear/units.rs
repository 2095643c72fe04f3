//! One-class models in LIBLINEAR's units.

use crate::data::Vectors;
use crate::error::{Result, check};
use crate::kernel::VectorExpr;
use crate::model::LinearModel;

/// A one-class model whose dual variables, which add up to 1, are to add up to `total`: with νn the model of LIBLINEAR's problem, minimise
/// ½‖w‖² − νnρ + Σ max(0, ρ − ⟨w, x⟩). Weights and offset are multiplied by it, objective and gap by its square; where the function is
/// positive stays the same.
///
/// # Errors
/// If the total is not positive and finite.
pub fn with_total(
    model: &LinearModel<Vectors, VectorExpr>,
    total: f64,
) -> Result<LinearModel<Vectors, VectorExpr>> {
    check("total", total, total > 0.0 && total.is_finite(), "must be positive and finite")?;
    let mut certificates = model.certificates.clone();
    for certificate in &mut certificates {
        certificate.objective *= total * total;
        certificate.gap = certificate.gap.map(|gap| gap * total * total);
        certificate.violation *= total;
    }
    model.scaled(total, certificates)
}
