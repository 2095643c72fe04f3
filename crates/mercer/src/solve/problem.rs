//! The dual programme of the support vector machines.

use crate::error::{Result, check};

/// Minimise ½ βᵀKβ + linearᵀβ + kink·Σ|β| subject to lower ≤ β ≤ upper and Σβ = Σ start, or two such sums.
///
/// The variables are signed, β = y·α. With the gradient g = Kβ + linear (and ±kink beside it), a point is optimal when
/// some b satisfies gᵢ ≥ b wherever βᵢ may still rise and gᵢ ≤ b wherever it may still fall, each sum with a b of its own.
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
    /// Whether a variable is part of a second sum, which is kept beside the first; empty where there is one.
    pub second: Vec<bool>,
    /// κ ≥ 0: the price of |β|, for regression with an insensitive zone.
    pub kink: f64,
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
            second: Vec::new(),
            kink: 0.0,
        }
    }

    /// ε-SVR: minimise ½‖w‖² + Σ cᵢ max(0, |yᵢ − f(xᵢ)| − ε). One variable for each point, β = α − α*, in [−cᵢ, cᵢ], the
    /// linear term −y and the kink ε.
    #[must_use]
    pub fn epsilon_svr(targets: &[f64], c: &[f64], epsilon: f64) -> Self {
        Self {
            linear: targets.iter().map(|y| -y).collect(),
            lower: c.iter().map(|c| -c).collect(),
            upper: c.to_vec(),
            start: vec![0.0; targets.len()],
            second: Vec::new(),
            kink: epsilon,
        }
    }

    /// ν one-class: minimise ½ αᵀKα subject to 0 ≤ αᵢ ≤ wᵢ and Σα = ν Σw. It begins with the first points at their bound.
    #[must_use]
    pub fn one_class(weights: &[f64], nu: f64) -> Self {
        let n = weights.len();
        Self {
            linear: vec![0.0; n],
            lower: vec![0.0; n],
            upper: weights.to_vec(),
            start: filled(weights, nu * weights.iter().sum::<f64>()),
            second: Vec::new(),
            kink: 0.0,
        }
    }

    /// SVDD: minimise ½ αᵀKα − ½ Σ αᵢ kᵢᵢ subject to 0 ≤ αᵢ ≤ c·wᵢ and Σα = 1 (half of lecture 000's eq. 14, in the form
    /// of Tax and Duin).
    #[must_use]
    pub fn svdd(diagonal: &[f64], c: &[f64]) -> Self {
        let n = diagonal.len();
        Self {
            linear: diagonal.iter().map(|k| -0.5 * k).collect(),
            lower: vec![0.0; n],
            upper: c.to_vec(),
            start: filled(c, 1.0),
            second: Vec::new(),
            kink: 0.0,
        }
    }

    /// ν-SVR: minimise ½ (α − α*)ᵀK(α − α*) − yᵀ(α − α*) subject to 0 ≤ α, α* ≤ c, each summing to ν Σc / 2. The
    /// variables are α, then −α*, so the Gram is that of the points taken twice.
    #[must_use]
    pub fn nu_svr(targets: &[f64], c: &[f64], nu: f64) -> Self {
        let (n, zeros) = (targets.len(), vec![0.0; targets.len()]);
        let linear: Vec<f64> = targets.iter().map(|y| -y).collect();
        let start = filled(c, 0.5 * nu * c.iter().sum::<f64>());
        let negative = |list: &[f64]| list.iter().map(|v| -v).collect::<Vec<f64>>();
        Self {
            linear: linear.repeat(2),
            lower: [zeros.clone(), negative(c)].concat(),
            upper: [c.to_vec(), zeros].concat(),
            start: [start.clone(), negative(&start)].concat(),
            second: (0..2 * n).map(|i| i >= n).collect(),
            kink: 0.0,
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
        let second = self.second.is_empty() || self.second.len() == n;
        let all = second && lengths.iter().all(|&l| l == n);
        check("variables", n as f64, all, "must be one per point in every part")?;
        check(
            "kink",
            self.kink,
            self.kink >= 0.0 && self.kink.is_finite(),
            "must be finite and not negative",
        )?;
        for i in 0..n {
            check("linear", self.linear[i], self.linear[i].is_finite(), "must be finite")?;
            check("lower", self.lower[i], self.lower[i] <= self.upper[i], "must not exceed the upper bound")?;
            let around = self.kink == 0.0 || (self.lower[i] <= 0.0 && self.upper[i] >= 0.0);
            check("lower", self.lower[i], around, "must have zero between the bounds where there is a kink")?;
            let inside = self.start[i] >= self.lower[i] && self.start[i] <= self.upper[i];
            check("start", self.start[i], inside && self.start[i].is_finite(), "must lie in the box")?;
        }
        Ok(())
    }
}

/// The first variables at their bounds, the next one part of the way, so that all sum to `total` (less where the room is).
fn filled(room: &[f64], total: f64) -> Vec<f64> {
    let mut left = total;
    room.iter()
        .map(|&room| {
            let taken = room.min(left).max(0.0);
            left -= taken;
            taken
        })
        .collect()
}
