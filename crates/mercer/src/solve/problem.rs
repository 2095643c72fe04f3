//! The dual programme of the support vector machines.

/// Minimise ½ βᵀKβ + linearᵀβ subject to lower ≤ β ≤ upper and Σβ = Σ start.
///
/// The variables are signed, β = y·α: C-SVC has linear = −y and the box [0, C] or [−C, 0] by the sign of the label.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The linear term.
    pub linear: Vec<f64>,
    /// Lower bounds.
    pub lower: Vec<f64>,
    /// Upper bounds.
    pub upper: Vec<f64>,
    /// Where to begin; must lie in the box. Its sum is the sum the solution has.
    pub start: Vec<f64>,
}
