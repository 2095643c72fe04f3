//! The programme of a pair of classes as bounds look at it.

use crate::solve::Problem;
use crate::solve::standing::{Cost, Hinge, Standing};
use crate::verify::Pair;

/// Minimise ½‖w‖² and the cost of the errors ξᵢ = max(0, 1 − yᵢ(⟨w, φ(xᵢ)⟩ − b)) on the rows of two classes.
#[derive(Debug, Clone)]
pub(super) struct Separation {
    /// The names of the classes, as `first vs second`.
    pub(super) of: String,
    /// The rows of both classes among those of the data.
    pub(super) rows: Vec<usize>,
    /// 1 for the first class, −1 for the second.
    pub(super) y: Vec<f64>,
    /// c of each row.
    pub(super) price: Vec<f64>,
    pub(super) cost: Cost,
    /// Whether there is an offset b.
    pub(super) offset: bool,
}

impl Separation {
    /// The programme of a pair. That of ν-SVC is the one of C-SVC with the C that ν stands for: both have one solution.
    pub(super) fn new(pair: Pair) -> Self {
        let cost = match pair.squared {
            true => Cost::Squared,
            false if pair.prices.iter().any(|c| c.is_infinite()) => Cost::Infinite,
            false => Cost::Linear,
        };
        Self {
            of: pair.of,
            rows: pair.rows,
            y: pair.positive.iter().map(|&positive| if positive { 1.0 } else { -1.0 }).collect(),
            price: pair.prices,
            cost,
            offset: pair.offset,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.y.len()
    }

    /// Rows of the class of row `p`, without `p`.
    pub(super) fn others_like(&self, p: usize) -> usize {
        self.y.iter().filter(|&&y| y == self.y[p]).count() - 1
    }

    /// The interval of βᵢ.
    pub(super) fn bounds(&self, i: usize) -> (f64, f64) {
        let most = if self.cost == Cost::Linear { self.price[i] } else { f64::INFINITY };
        if self.y[i] > 0.0 { (0.0, most) } else { (-most, 0.0) }
    }

    /// What squared slacks add to the diagonal of K: 1/cᵢ, else nothing.
    pub(super) fn ridge(&self) -> Vec<f64> {
        match self.cost {
            Cost::Squared => self.price.iter().map(|c| 1.0 / c).collect(),
            _ => vec![0.0; self.len()],
        }
    }

    /// How far coefficients are from the optimum whose sums are u = Kβ, with k(x, x) of each row; the row `without` is left out.
    pub(super) fn standing(
        &self,
        beta: &[f64],
        u: &[f64],
        diagonal: &[f64],
        without: Option<usize>,
    ) -> Standing {
        let mut y = self.y.clone();
        if let Some(p) = without {
            y[p] = 0.0;
        }
        let hinge = Hinge { y: &y, price: &self.price, cost: self.cost, offset: self.offset };
        Standing::new(&hinge, beta, u, diagonal)
    }

    /// The dual as our solver has it, from `start`; β of the row `without` stays 0, which leaves that row out.
    pub(super) fn problem(&self, start: Vec<f64>, without: Option<usize>) -> Problem {
        let (lower, upper) = (0..self.len()).map(|i| self.bounds(i)).unzip();
        let linear = self.y.iter().map(|y| -y).collect();
        let mut problem = Problem::new(linear, lower, upper, start);
        if self.cost == Cost::Squared {
            problem = problem.squared(self.ridge());
        }
        if let Some(p) = without {
            (problem.lower[p], problem.upper[p]) = (0.0, 0.0);
        }
        if self.offset { problem } else { problem.without_offset() }
    }

    /// Moves coefficients into their intervals and, where there is an offset, their sum to 0; that of `without` to 0.
    pub(super) fn make_feasible(&self, beta: &mut [f64], without: Option<usize>) {
        for i in 0..self.len() {
            let (lower, upper) = self.bounds(i);
            beta[i] = if Some(i) == without { 0.0 } else { beta[i].clamp(lower, upper) };
        }
        if !self.offset {
            return;
        }
        let mut sum: f64 = beta.iter().sum();
        // Coefficients inside their intervals change first: those at an end are probably right.
        for at_end in [false, true] {
            for i in (0..self.len()).filter(|&i| Some(i) != without) {
                let (lower, upper) = self.bounds(i);
                if sum == 0.0 {
                    return;
                }
                if (beta[i] > lower && beta[i] < upper) != at_end {
                    let moved = (beta[i] - sum).clamp(lower, upper);
                    sum -= beta[i] - moved;
                    beta[i] = moved;
                }
            }
        }
    }
}
