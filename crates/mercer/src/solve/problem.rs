//! The dual programme of the support vector machines.

use crate::error::{Result, check};

/// Minimise ½ βᵀKβ + linearᵀβ subject to lower ≤ β ≤ upper and Σβ = Σ start.
///
/// The variables are signed, β = y·α. With the gradient g = Kβ + linear, a point is optimal when some b satisfies
/// gᵢ ≥ b wherever βᵢ may still rise and gᵢ ≤ b wherever it may still fall.
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

impl Problem {
    /// C-SVC: minimise ½‖w‖² + Σ cᵢ ξᵢ. The linear term is −y and the box [0, cᵢ] for a positive point, [−cᵢ, 0]
    /// for a negative one.
    #[must_use]
    pub fn c_svc(positive: &[bool], c: &[f64]) -> Self {
        let signed =
            |sign: f64| move |(&p, &c): (&bool, &f64)| if p == (sign > 0.0) { sign * c } else { 0.0 };
        Self {
            linear: positive.iter().map(|&p| if p { -1.0 } else { 1.0 }).collect(),
            lower: positive.iter().zip(c).map(signed(-1.0)).collect(),
            upper: positive.iter().zip(c).map(signed(1.0)).collect(),
            start: vec![0.0; positive.len()],
        }
    }

    /// How many variables.
    #[must_use]
    pub fn len(&self) -> usize {
        self.linear.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.linear.is_empty()
    }

    /// Refuses a problem whose parts do not fit or whose start lies outside the box.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self, points: usize) -> Result<()> {
        let n = self.len();
        let lengths = [self.lower.len(), self.upper.len(), self.start.len(), points];
        check("variables", n as f64, lengths.iter().all(|&l| l == n), "must be one per point in every part")?;
        for i in 0..n {
            check("linear", self.linear[i], self.linear[i].is_finite(), "must be finite")?;
            check("lower", self.lower[i], self.lower[i] <= self.upper[i], "must not exceed the upper bound")?;
            let inside = self.start[i] >= self.lower[i] && self.start[i] <= self.upper[i];
            check("start", self.start[i], inside && self.start[i].is_finite(), "must lie in the box")?;
        }
        Ok(())
    }
}
