//! How far any coefficients are from the optimum of two classes, and what that says about the optimum's decisions.
//!
//! Minimise P(w, b) = ½‖w‖² + the cost of the errors ξᵢ = max(0, 1 − yᵢ(⟨w, φ(xᵢ)⟩ − b)), each row with its own price cᵢ.
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

/// Sums of prices that differ by less than this share of all of them are equal.
const EQUAL: f64 = 1e-12;
/// The rounding of a sum of at most a thousand products, as a share of the sum of their sizes.
const ROUNDING: f64 = 1e-13;
/// Half a unit of the last place: the rounding of a sum of n products is at most n times this share. Kernel values have their own.
const HALF_UNIT: f64 = f64::EPSILON / 2.0;
/// Half units of a kernel value.
const VALUE_UNITS: f64 = 64.0;

/// What an error on a training row costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cost {
    /// c ξ
    Linear,
    /// ½ c ξ²
    Squared,
    /// No error is allowed.
    Infinite,
}

/// The rows of two classes, and what errors on them cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hinge<'a> {
    /// 1 for the first class, −1 for the second; 0 for a row that is not part of the programme, whose coefficient is 0.
    pub(crate) y: &'a [f64],
    /// c of each row.
    pub(crate) price: &'a [f64],
    pub(crate) cost: Cost,
    /// Whether there is an offset b.
    pub(crate) offset: bool,
}

/// What is proved of the optimum.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Standing {
    /// P + D
    pub(crate) gap: f64,
    /// What ‖w − w*‖ is at most.
    pub(crate) distance: f64,
    /// What rounding may have done to u.
    rounding: f64,
    /// The best offset for w itself.
    pub(crate) offset: f64,
    /// The ends of the interval in which b* lies.
    pub(crate) offsets: [f64; 2],
    /// The ends of the interval in which the middle of all b* lies, which our solvers take: b* is not unique where no variable is inside its
    /// box.
    middles: [f64; 2],
}

impl Standing {
    /// Where coefficients stand whose sums are u = Kβ, with k(x, x) of each row.
    pub(crate) fn new(hinge: &Hinge<'_>, beta: &[f64], u: &[f64], diagonal: &[f64]) -> Self {
        let offset = match hinge.minimisers(u) {
            _ if !hinge.offset => 0.0,
            [low, high] => 0.5 * (low + high),
        };
        let most = diagonal.iter().fold(0.0, |most: f64, k| most.max(k.abs()));
        let support = beta.iter().filter(|b| **b != 0.0).count() as f64;
        let share = (support + VALUE_UNITS) * HALF_UNIT;
        let rounding = share * most * beta.iter().map(|b| b.abs()).sum::<f64>();
        // Where the sum of the coefficients is not quite 0, D is off by its product with the offset.
        let excess = if hinge.offset { beta.iter().sum::<f64>().abs() * (offset.abs() + 1.0) } else { 0.0 };
        let gap = hinge.gap(beta, u, offset) + rounding * hinge.sensitivity(beta, u, offset) + excess;
        let doubled = if hinge.cost == Cost::Infinite { 2.0 } else { 1.0 };
        let distance = (doubled * gap).sqrt();
        let shifted = |sign: f64| -> Vec<f64> {
            let off = |(u, k): (&f64, &f64)| u + sign * (distance * k.max(0.0).sqrt() + rounding);
            u.iter().zip(diagonal).map(off).collect()
        };
        let (offsets, middles) = match hinge.offset {
            false => ([0.0; 2], [0.0; 2]),
            true if !gap.is_finite() => {
                ([f64::NEG_INFINITY, f64::INFINITY], [f64::NEG_INFINITY, f64::INFINITY])
            }
            true => {
                // Both ends rise where any u does.
                let [least, most] = [-1.0, 1.0].map(|sign| hinge.minimisers(&shifted(sign)));
                ([least[0], most[1]], [least, most].map(|[low, high]| 0.5 * (low + high)))
            }
        };
        Self { gap, distance, rounding, offset, offsets, middles }
    }

    /// The sign of the decision at a point with this u and k(x, x) by the optimum w* and any best offset: 1, −1, or none where it is not
    /// settled.
    pub(crate) fn sign(&self, u: f64, diagonal: f64) -> Option<f64> {
        self.sign_by(u, diagonal, self.offsets)
    }

    /// As [`Standing::sign`], with the middle of the best offsets.
    pub(crate) fn sign_by_middle(&self, u: f64, diagonal: f64) -> Option<f64> {
        self.sign_by(u, diagonal, self.middles)
    }

    fn sign_by(&self, u: f64, diagonal: f64, [low, high]: [f64; 2]) -> Option<f64> {
        let off = self.distance * diagonal.max(0.0).sqrt() + self.rounding;
        if u - off - high > 0.0 {
            Some(1.0)
        } else if u + off - low < 0.0 {
            Some(-1.0)
        } else {
            None
        }
    }
}

impl Hinge<'_> {
    /// The rows of the programme.
    fn rows(&self) -> impl Iterator<Item = usize> {
        (0..self.y.len()).filter(|&i| self.y[i] != 0.0)
    }

    /// The cost of all errors of the function u − b.
    fn loss(&self, u: &[f64], b: f64) -> f64 {
        let of_row = |i: usize| {
            let slack = (1.0 - self.y[i] * (u[i] - b)).max(0.0);
            match self.cost {
                Cost::Linear => self.price[i] * slack,
                Cost::Squared => 0.5 * self.price[i] * slack * slack,
                Cost::Infinite => 0.0,
            }
        };
        self.rows().map(of_row).sum()
    }

    /// P(w, b) + D(β), with a share for rounding.
    fn gap(&self, beta: &[f64], u: &[f64], b: f64) -> f64 {
        let square: f64 = beta.iter().zip(u).map(|(b, u)| b * u).sum();
        let sum: f64 = beta.iter().zip(self.y).map(|(b, y)| b * y).sum();
        let ridge: f64 = match self.cost {
            Cost::Squared => beta.iter().zip(self.price).map(|(b, c)| b * b / c).sum(),
            _ => 0.0,
        };
        let dual = 0.5 * (square + ridge) - sum;
        let primal = match self.cost {
            Cost::Infinite => {
                let margin = |i: usize| self.y[i] * (u[i] - b);
                let least = self.rows().map(margin).fold(f64::INFINITY, f64::min);
                if least > 0.0 { 0.5 * square / (least * least) } else { f64::INFINITY }
            }
            _ => 0.5 * square + self.loss(u, b),
        };
        (primal + dual).max(0.0) + ROUNDING * (primal.abs() + 0.5 * (square.abs() + ridge) + sum.abs())
    }

    /// The sum of the sizes of the derivatives of P + D by u, of linear costs: |β| of rows inside their box, and nothing of the others.
    fn sensitivity(&self, beta: &[f64], u: &[f64], b: f64) -> f64 {
        let of_row = |i: usize| {
            let inside = self.cost == Cost::Linear && self.y[i] * (u[i] - b) < 1.0;
            (beta[i] - if inside { self.y[i] * self.price[i] } else { 0.0 }).abs()
        };
        if self.cost == Cost::Linear { self.rows().map(of_row).sum() } else { 0.0 }
    }

    /// The ends of the interval of b that minimise the cost of errors where ⟨w, φ(xᵢ)⟩ = uᵢ.
    pub(crate) fn minimisers(&self, u: &[f64]) -> [f64; 2] {
        let kink = |i: usize| u[i] - self.y[i];
        if self.cost == Cost::Infinite {
            let of = |y: f64| self.rows().filter(move |&i| self.y[i] == y).map(kink);
            return [of(-1.0).fold(f64::NEG_INFINITY, f64::max), of(1.0).fold(f64::INFINITY, f64::min)];
        }
        let mut kinks: Vec<(f64, usize)> = self.rows().map(|i| (kink(i), i)).collect();
        if self.cost == Cost::Squared {
            kinks.sort_by(order);
            self.root(&kinks)
        } else {
            self.quantile(&mut kinks)
        }
    }

    /// Linear cost: the slope rises by c at each kink, from minus the prices of all negative rows. The kink where it gets to 0 is found by
    /// halving: n steps in all.
    fn quantile(&self, kinks: &mut [(f64, usize)]) -> [f64; 2] {
        let price = |(_, i): &(f64, usize)| self.price[*i];
        let all: f64 = kinks.iter().map(price).sum();
        let wanted: f64 = kinks.iter().filter(|(_, i)| self.y[*i] < 0.0).map(price).sum();
        let slack = EQUAL * all;
        if kinks.is_empty() || wanted <= slack {
            // Up to the first kink the slope is that of the negative rows alone.
            return [f64::NEG_INFINITY, kinks.iter().map(|kink| kink.0).fold(f64::INFINITY, f64::min)];
        }
        // Before `first` the prices sum to `sum`, less than wanted; before `last` to no less, or there is none.
        let (mut first, mut last, mut sum, mut at_last) = (0, kinks.len(), 0.0, all);
        while last - first > 1 {
            let middle = usize::midpoint(first, last);
            kinks[first..last].select_nth_unstable_by(middle - first, order);
            let before = sum + kinks[first..middle].iter().map(price).sum::<f64>();
            if before < wanted - slack {
                (first, sum) = (middle, before);
            } else {
                (last, at_last) = (middle, before);
            }
        }
        let low = kinks[first].0;
        let high = if last < kinks.len() { kinks[last].0 } else { f64::INFINITY };
        if at_last > wanted + slack { [low, low] } else { [low, high] }
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

/// By size; of equal ones the first.
fn order(a: &(f64, usize), b: &(f64, usize)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ c max(0, 1 − y(u − b)), by hand.
    fn cost(hinge: &Hinge<'_>, u: &[f64], b: f64) -> f64 {
        (0..u.len())
            .map(|i| hinge.price[i] * hinge.y[i].abs() * (1.0 - hinge.y[i] * (u[i] - b)).max(0.0))
            .sum()
    }

    #[test]
    fn minimisers_are_where_the_cost_is_least() {
        for seed in 0..200 {
            let n = 2 + seed % 23;
            let at = |i: usize, k: f64| (i as f64 * k + seed as f64 * 0.37).sin();
            let u: Vec<f64> = (0..n).map(|i| (at(i, 1.3) * 4.0).round() / 4.0).collect();
            let y: Vec<f64> = (0..n).map(|i| [1.0, -1.0, 1.0, 0.0, -1.0][(i + seed) % 5]).collect();
            let price: Vec<f64> =
                (0..n).map(|i| if seed % 2 == 0 { 1.0 } else { 1.5 + at(i, 2.1) }).collect();
            let hinge = Hinge { y: &y, price: &price, cost: Cost::Linear, offset: true };
            if !(y.contains(&1.0) && y.contains(&-1.0)) {
                continue;
            }
            let [low, high] = hinge.minimisers(&u);
            assert!(low <= high && low.is_finite() && high.is_finite(), "{seed}: {low} {high}");
            let least = (0..n).map(|i| cost(&hinge, &u, u[i] - y[i])).fold(f64::INFINITY, f64::min);
            for b in [low, 0.5 * (low + high), high] {
                assert!((cost(&hinge, &u, b) - least).abs() < 1e-9, "{seed}");
            }
            for b in [low - 1e-3, high + 1e-3] {
                assert!(cost(&hinge, &u, b) > least + 1e-9, "{seed}");
            }
        }
    }
}
