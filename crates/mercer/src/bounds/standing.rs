//! How far any coefficients are from the optimum of a separation, and what that says about the optimum's decisions.
//!
//! With P the primal and D the dual objective (both to be minimised, P* = −D*), w = Σ βᵢφ(xᵢ) and any b, the curvature of each is at
//! least that of ½‖w‖²:
//!
//! $$ P(w, b) − P^* ≥ ½‖w − w^*‖², \qquad D(β) − D^* ≥ ½‖w − w^*‖², $$
//!
//! so that ‖w − w*‖² ≤ P + D, the gap, and |⟨w, φ(x)⟩ − ⟨w*, φ(x)⟩| ≤ √(gap · k(x, x)) for every x. Where no error is allowed, w must be
//! stretched by s before it is allowed, and the second line alone holds: ‖w − w*‖² ≤ 2 gap.
//!
//! The offset of the optimum minimises the cost of errors given w*, a convex function of b whose slope changes at tᵢ = uᵢ − yᵢ, with
//! u = Kβ. As each u*ᵢ is known to ±eᵢ, so is the slope: the largest b with a slope that is certainly negative and the smallest with
//! one that is certainly positive enclose b*. Cost: n log n.

use super::separation::{Cost, Separation};

/// Sums of prices that differ by less than this share of all of them are equal.
const EQUAL: f64 = 1e-12;
/// The rounding of a sum of n products, as a share of the sum of their sizes: a thousand half units of the last place.
const ROUNDING: f64 = 1e-13;

/// What is proved of the optimum.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Standing {
    /// P + D
    pub(super) gap: f64,
    /// What ‖w − w*‖ is at most.
    pub(super) distance: f64,
    /// What rounding may have done to u.
    rounding: f64,
    /// The best offset for w itself.
    pub(super) offset: f64,
    /// The ends of the interval in which b* lies.
    pub(super) offsets: [f64; 2],
}

impl Standing {
    /// Where coefficients stand whose sums are u = Kβ, with k(x, x) of each row; the row `without` is not part of the programme.
    pub(super) fn new(
        separation: &Separation,
        beta: &[f64],
        u: &[f64],
        diagonal: &[f64],
        without: Option<usize>,
    ) -> Self {
        let offset = match separation.minimisers(u, without) {
            _ if !separation.offset => 0.0,
            [low, high] => 0.5 * (low + high),
        };
        let gap = separation.gap(beta, u, offset, without);
        let most = diagonal.iter().fold(0.0, |most: f64, k| most.max(k.abs()));
        let rounding = ROUNDING * most * beta.iter().map(|b| b.abs()).sum::<f64>();
        let doubled = if separation.cost == Cost::Infinite { 2.0 } else { 1.0 };
        let distance = (doubled * gap).sqrt();
        let shifted = |sign: f64| -> Vec<f64> {
            let off = |(u, k): (&f64, &f64)| u + sign * (distance * k.max(0.0).sqrt() + rounding);
            u.iter().zip(diagonal).map(off).collect()
        };
        let offsets = match separation.offset {
            false => [0.0, 0.0],
            true if !gap.is_finite() => [f64::NEG_INFINITY, f64::INFINITY],
            true => [
                separation.minimisers(&shifted(-1.0), without)[0],
                separation.minimisers(&shifted(1.0), without)[1],
            ],
        };
        Self { gap, distance, rounding, offset, offsets }
    }

    /// The sign of the optimum's decision at a point with this u and k(x, x): 1, −1, or none where it is not settled.
    pub(super) fn sign(&self, u: f64, diagonal: f64) -> Option<f64> {
        let off = self.distance * diagonal.max(0.0).sqrt() + self.rounding;
        let [low, high] = self.offsets;
        if u - off - high > 0.0 {
            Some(1.0)
        } else if u + off - low < 0.0 {
            Some(-1.0)
        } else {
            None
        }
    }
}

impl Separation {
    /// P(w, b) + D(β), with a share for rounding.
    fn gap(&self, beta: &[f64], u: &[f64], b: f64, without: Option<usize>) -> f64 {
        let square: f64 = beta.iter().zip(u).map(|(b, u)| b * u).sum();
        let sum: f64 = beta.iter().zip(&self.y).map(|(b, y)| b * y).sum();
        let ridge: f64 = match self.cost {
            Cost::Squared => beta.iter().zip(&self.price).map(|(b, c)| b * b / c).sum(),
            _ => 0.0,
        };
        let dual = 0.5 * (square + ridge) - sum;
        let primal = match self.cost {
            Cost::Infinite => {
                let margin = |i: usize| self.y[i] * (u[i] - b);
                let all = (0..self.len()).filter(|&i| Some(i) != without).map(margin);
                let least = all.fold(f64::INFINITY, f64::min);
                if least > 0.0 { 0.5 * square / (least * least) } else { f64::INFINITY }
            }
            _ => 0.5 * square + self.loss(u, b, without),
        };
        (primal + dual).max(0.0) + ROUNDING * (primal.abs() + 0.5 * (square.abs() + ridge) + sum.abs())
    }

    /// The ends of the interval of b that minimise the cost of errors where ⟨w, φ(xᵢ)⟩ = uᵢ.
    pub(super) fn minimisers(&self, u: &[f64], without: Option<usize>) -> [f64; 2] {
        let rows = || (0..self.len()).filter(|&i| Some(i) != without);
        let kink = |i: usize| u[i] - self.y[i];
        if self.cost == Cost::Infinite {
            let of = |y: f64| rows().filter(move |&i| self.y[i] == y).map(kink);
            return [of(-1.0).fold(f64::NEG_INFINITY, f64::max), of(1.0).fold(f64::INFINITY, f64::min)];
        }
        let mut kinks: Vec<(f64, usize)> = rows().map(|i| (kink(i), i)).collect();
        kinks.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        if self.cost == Cost::Squared { self.root(&kinks) } else { self.quantile(&kinks) }
    }

    /// Linear cost: the slope rises by c at each kink, from minus the prices of all negative rows.
    fn quantile(&self, kinks: &[(f64, usize)]) -> [f64; 2] {
        let negative = |(_, i): &&(f64, usize)| self.y[*i] < 0.0;
        let wanted: f64 = kinks.iter().filter(negative).map(|(_, i)| self.price[*i]).sum();
        let slack = EQUAL * kinks.iter().map(|(_, i)| self.price[*i]).sum::<f64>();
        let (mut sum, mut low) = (0.0, f64::NEG_INFINITY);
        for &(t, i) in kinks {
            if sum > wanted + slack {
                break;
            }
            // Up to the first kink the slope is that of the negative rows alone.
            if sum < wanted - slack {
                low = t;
            } else {
                return [low, t];
            }
            sum += self.price[i];
        }
        if sum > wanted + slack { [low, low] } else { [low, f64::INFINITY] }
    }

    /// Squared cost: the slope is Σ c(b − t) over positive rows with t < b and negative ones with t > b.
    fn root(&self, kinks: &[(f64, usize)]) -> [f64; 2] {
        let (mut prices, mut moments) = (0.0, 0.0);
        for &(t, i) in kinks.iter().filter(|(_, i)| self.y[*i] < 0.0) {
            prices += self.price[i];
            moments += self.price[i] * t;
        }
        for &(t, i) in kinks {
            if prices * t - moments >= 0.0 {
                break;
            }
            // A positive row begins to count, a negative one ends: of both the term changes its sign.
            prices += self.y[i] * self.price[i];
            moments += self.y[i] * self.price[i] * t;
        }
        let b = if prices > 0.0 { moments / prices } else { f64::NAN };
        if b.is_finite() { [b, b] } else { [f64::NEG_INFINITY, f64::INFINITY] }
    }
}
