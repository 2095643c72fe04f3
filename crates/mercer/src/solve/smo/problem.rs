//! The dual programme of the support vector machines.

use crate::error::{Result, check};

/// Minimise ½ βᵀ(K + diag(ridge))β + linearᵀβ + kink·Σ|β| subject to lower ≤ β ≤ upper and to one fixed sum, Σβ = Σ start,
/// or two sums of different variables, or none.
///
/// The variables are signed, β = y·α. With the gradient g = Kβ + ridge·β + linear (plus or minus the kink), β is optimal
/// when some b satisfies gᵢ ≥ b for each βᵢ that may rise and gᵢ ≤ b for each βᵢ that may fall. Each sum has a b of its
/// own; without a sum b is 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The linear term.
    pub linear: Vec<f64>,
    /// Lower bounds.
    pub lower: Vec<f64>,
    /// Upper bounds.
    pub upper: Vec<f64>,
    /// The β to begin with, which must lie in the box. The solution has the same sum.
    pub start: Vec<f64>,
    /// For each variable, whether it is part of the second sum; empty if there is only one sum.
    pub second: Vec<bool>,
    /// κ ≥ 0: the price of |β|, which is ε in ε-SVR.
    pub kink: f64,
    /// Numbers to be added to the diagonal of K, for squared slacks; empty for none. With a ridge, 0 is the only finite
    /// bound.
    pub ridge: Vec<f64>,
    /// Whether there is an offset b, and with it a fixed sum.
    pub offset: bool,
    /// Whether the start is an answer that an earlier solve had come to. Its gradient is then summed in double precision where the
    /// tolerance is so small that single precision could hide what is left to do.
    pub resumed: bool,
}

impl Problem {
    /// A problem with one sum, without kink or ridge.
    #[must_use]
    pub fn new(linear: Vec<f64>, lower: Vec<f64>, upper: Vec<f64>, start: Vec<f64>) -> Self {
        Self {
            linear,
            lower,
            upper,
            start,
            second: Vec::new(),
            kink: 0.0,
            ridge: Vec::new(),
            offset: true,
            resumed: false,
        }
    }

    /// C-SVC: minimise ½‖w‖² + Σ cᵢ ξᵢ. The linear term is −y and the box [0, cᵢ] for a positive point, [−cᵢ, 0]
    /// for a negative one.
    #[must_use]
    pub fn c_svc(positive: &[bool], c: &[f64]) -> Self {
        let signed =
            |sign: f64| move |(&p, &c): (&bool, &f64)| if p == (sign > 0.0) { sign * c } else { 0.0 };
        Self::new(
            positive.iter().map(|&p| if p { -1.0 } else { 1.0 }).collect(),
            positive.iter().zip(c).map(signed(-1.0)).collect(),
            positive.iter().zip(c).map(signed(1.0)).collect(),
            vec![0.0; positive.len()],
        )
    }

    /// ν-SVC: minimise ½ βᵀKβ, β = yα, subject to 0 ≤ αᵢ ≤ wᵢ and, in each of the two classes, Σα = ν Σw / 2: the dual of
    /// ½‖w‖² − ν Σw ρ + Σ wᵢ ξᵢ subject to yᵢ(w·φ(xᵢ) − b) ≥ ρ − ξᵢ. The offsets of the two sums are b + ρ and b − ρ.
    #[must_use]
    pub fn nu_svc(positive: &[bool], weights: &[f64], nu: f64) -> Self {
        let side = |sign: bool| -> Vec<f64> {
            positive.iter().zip(weights).map(|(&p, &w)| if p == sign { w } else { 0.0 }).collect()
        };
        let half = 0.5 * nu * weights.iter().sum::<f64>();
        let (up, down) = (side(true), side(false));
        let (rise, fall) = (filled(&up, half), filled(&down, half));
        Self {
            second: positive.iter().map(|p| !p).collect(),
            ..Self::new(
                vec![0.0; positive.len()],
                down.iter().map(|w| -w).collect(),
                up,
                rise.iter().zip(fall).map(|(a, b)| a - b).collect(),
            )
        }
    }

    /// ε-SVR: minimise ½‖w‖² + Σ cᵢ max(0, |yᵢ − f(xᵢ)| − ε). One variable for each point, β = α − α*, in [−cᵢ, cᵢ], the
    /// linear term −y and the kink ε.
    #[must_use]
    pub fn epsilon_svr(targets: &[f64], c: &[f64], epsilon: f64) -> Self {
        let (linear, lower) = (targets.iter().map(|y| -y).collect(), c.iter().map(|c| -c).collect());
        Self { kink: epsilon, ..Self::new(linear, lower, c.to_vec(), vec![0.0; targets.len()]) }
    }

    /// ν one-class: minimise ½ αᵀKα subject to 0 ≤ αᵢ ≤ wᵢ and Σα = ν Σw. It starts with the first points at their bounds.
    #[must_use]
    pub fn one_class(weights: &[f64], nu: f64) -> Self {
        let n = weights.len();
        let start = filled(weights, nu * weights.iter().sum::<f64>());
        Self::new(vec![0.0; n], vec![0.0; n], weights.to_vec(), start)
    }

    /// SVDD: minimise ½ αᵀKα − ½ Σ αᵢ kᵢᵢ subject to 0 ≤ αᵢ ≤ c·wᵢ and Σα = 1 (half of lecture 000's eq. 14, in the form
    /// of Tax and Duin).
    #[must_use]
    pub fn svdd(diagonal: &[f64], c: &[f64]) -> Self {
        let linear = diagonal.iter().map(|k| -0.5 * k).collect();
        Self::new(linear, vec![0.0; diagonal.len()], c.to_vec(), filled(c, 1.0))
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
            second: (0..2 * n).map(|i| i >= n).collect(),
            ..Self::new(
                linear.repeat(2),
                [zeros.clone(), negative(c)].concat(),
                [c.to_vec(), zeros].concat(),
                [start.clone(), negative(&start)].concat(),
            )
        }
    }

    /// Replaces the slacks Σ cᵢ ξᵢ by squared slacks Σ ξᵢ²/(2rᵢ), with r = `ridge`. All bounds but 0 become infinite.
    #[must_use]
    pub fn squared(mut self, ridge: Vec<f64>) -> Self {
        self.lower.iter_mut().filter(|bound| **bound < 0.0).for_each(|bound| *bound = f64::NEG_INFINITY);
        self.upper.iter_mut().filter(|bound| **bound > 0.0).for_each(|bound| *bound = f64::INFINITY);
        self.ridge = ridge;
        self
    }

    /// Removes the offset, and with it the fixed sum.
    #[must_use]
    pub fn without_offset(mut self) -> Self {
        self.offset = false;
        self
    }

    /// Adds a variable without bounds for the origin, so that the sum of all variables can be fixed while that of the
    /// others is free.
    pub(super) fn with_origin(&self) -> Self {
        let mut with = self.clone();
        with.linear.push(0.0);
        with.lower.push(f64::NEG_INFINITY);
        with.upper.push(f64::INFINITY);
        with.start.push(-self.start.iter().sum::<f64>());
        if !with.ridge.is_empty() {
            with.ridge.push(0.0);
        }
        with
    }

    /// Whether no training errors are allowed: variables with one bound 0 and the other infinite, and no ridge. (The
    /// variable of the origin has two infinite bounds.)
    pub(super) fn is_hard(&self) -> bool {
        let open = |(lower, upper): (&f64, &f64)| lower.is_infinite() != upper.is_infinite();
        self.ridge.is_empty() && self.lower.iter().zip(&self.upper).any(open)
    }

    /// The problem of the variables at `points` alone.
    pub(super) fn part(&self, points: &[usize]) -> Self {
        let pick = |list: &[f64]| -> Vec<f64> { points.iter().map(|&i| list[i]).collect() };
        Self {
            linear: pick(&self.linear),
            lower: pick(&self.lower),
            upper: pick(&self.upper),
            start: pick(&self.start),
            second: if self.second.is_empty() {
                Vec::new()
            } else {
                points.iter().map(|&i| self.second[i]).collect()
            },
            kink: self.kink,
            ridge: if self.ridge.is_empty() { Vec::new() } else { pick(&self.ridge) },
            offset: self.offset,
            resumed: self.resumed,
        }
    }

    /// The number of variables.
    #[must_use]
    pub fn len(&self) -> usize {
        self.linear.len()
    }

    /// Whether there are no variables.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.linear.is_empty()
    }

    /// Checks that the parts of the problem have one entry for each of `points` points and that the start lies in the box.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self, points: usize) -> Result<()> {
        let n = self.len();
        let lengths = [self.lower.len(), self.upper.len(), self.start.len(), points];
        let second = self.second.is_empty() || self.second.len() == n;
        let ridge = self.ridge.is_empty() || self.ridge.len() == n;
        let all = second && ridge && lengths.iter().all(|&l| l == n);
        check("variables", n as f64, all, "must be one per point in every part")?;
        check(
            "kink",
            self.kink,
            self.kink >= 0.0 && self.kink.is_finite(),
            "must be finite and not negative",
        )?;
        let plain = self.offset || (self.second.is_empty() && self.kink == 0.0);
        check("offset", 0.0, plain, "must be there where there are two sums or a kink")?;
        for (&ridge, i) in self.ridge.iter().zip(0..) {
            let finite = |bound: f64| bound != 0.0 && bound.is_finite();
            let open = !finite(self.lower[i]) && !finite(self.upper[i]);
            check(
                "ridge",
                ridge,
                ridge > 0.0 && ridge.is_finite() && open,
                "must be positive, with no bound but 0",
            )?;
        }
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

/// Values from 0 to `room` that sum to `total`, or to all of the room if that is less: the first ones at their bounds, one
/// in between, the others 0.
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
