//! What the outputs of a point cost where there is one for each class.
//!
//! A point of class y has outputs m, one for each class, and a price C. Its dual variables are shares p, one for each class, that add
//! up to C; β = C e_y − p is minus the derivative of the cost. With g_c = m_c + [c ≠ y] and z_c = 1 + m_c − m_y:
//!
//! | | cost | shares allowed | Fenchel's inequality |
//! |---|---|---|---|
//! | Crammer–Singer | C (max g − m_y) | p ≥ 0 | Σ p_c (max g − g_c) ≥ 0 |
//! | Weston–Watkins | C Σ_{c≠y} max(0, z_c) | 0 ≤ p_c ≤ C for c ≠ y | Σ_{c≠y} (C max(0, z_c) − p_c z_c) ≥ 0 |
//! | softmax | C (log Σ exp m − m_y) | p ≥ 0 | C log Σ exp m − ⟨p, m⟩ + Σ p log(p/C) ≥ 0 |
//!
//! The first two have kinks and are smoothed about a guess p̂ of the shares: they become the cost whose dual has the term
//! ‖p − p̂‖²/(2σ) besides (over the classes c ≠ y for Weston and Watkins), so that the shares are the allowed ones nearest to p̂ + σg
//! or p̂ + σz. The second derivative is that of the shares in m.

/// What errors cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JointCost {
    /// By how much the largest other class, plus 1, is above the own one; after Crammer and Singer (2001).
    CrammerSinger,
    /// By how much each other class, plus 1, is above the own one, added up; after Weston and Watkins (1999).
    WestonWatkins,
    /// Minus the logarithm of the share that exp of the own output has.
    Softmax,
}

/// A share of the price that is taken for 0: beside 1 it is less than rounding, and products of such numbers are denormal, which some
/// processors compute a hundred times slower.
const NEGLIGIBLE: f64 = 1e-20;

/// A point: its class and its price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    /// y
    pub(super) class: usize,
    /// C
    pub(super) price: f64,
}

impl JointCost {
    /// Whether the cost has a second derivative as it is.
    pub(super) fn is_smooth(self) -> bool {
        self == Self::Softmax
    }

    /// The cost of the outputs m.
    pub(super) fn value(self, Point { class, price }: Point, m: &[f64]) -> f64 {
        match self {
            Self::CrammerSinger => price * (largest_rival(class, m) - m[class]),
            Self::WestonWatkins => {
                let others = others(class, m).map(|(_, &m_c)| (1.0 + m_c - m[class]).max(0.0));
                price * others.sum::<f64>()
            }
            Self::Softmax => price * (log_sum(m) - m[class]),
        }
    }

    /// The point's part of the gap between primal and dual, by Fenchel's inequality: never negative but for rounding.
    pub(super) fn gap(self, point: Point, m: &[f64], p: &[f64]) -> f64 {
        let Point { class, price } = point;
        let gap = match self {
            Self::CrammerSinger => {
                let top = largest_rival(class, m);
                m.iter().zip(p).enumerate().map(|(c, (m, p))| p * (top - rival(class, c, *m))).sum::<f64>()
            }
            Self::WestonWatkins => {
                let part = |(c, m_c): (usize, &f64)| {
                    let z = 1.0 + m_c - m[class];
                    price * z.max(0.0) - p[c] * z
                };
                others(class, m).map(part).sum()
            }
            Self::Softmax => {
                let top = log_sum(m);
                let part = |(m, p): (&f64, &f64)| {
                    if *p > 0.0 { p * ((p / price).ln() + top - m) } else { 0.0 }
                };
                m.iter().zip(p).map(part).sum()
            }
        };
        gap.max(0.0)
    }

    /// The shares of the (smoothed) cost at the outputs m, in place of the guess p̂ that `p` holds; σ is not looked at where the cost
    /// is smooth.
    pub(super) fn shares(self, point: Point, sigma: f64, m: &[f64], p: &mut [f64]) {
        let Point { class, price } = point;
        match self {
            Self::CrammerSinger => {
                let top = largest_rival(class, m);
                // From the largest g, so that shares that are small beside it keep their digits.
                for (c, (p, &m)) in p.iter_mut().zip(m).enumerate() {
                    *p += sigma * (rival(class, c, m) - top);
                }
                to_simplex(p, price);
            }
            Self::WestonWatkins => {
                let own = m[class];
                for (c, (p, &m)) in p.iter_mut().zip(m).enumerate().filter(|(c, _)| *c != class) {
                    debug_assert_ne!(c, class);
                    *p = (*p + sigma * (1.0 + m - own)).clamp(0.0, price);
                }
                complete(point, p);
            }
            Self::Softmax => {
                let top = log_sum(m);
                for (p, m) in p.iter_mut().zip(m) {
                    let share = (m - top).exp();
                    *p = if share > NEGLIGIBLE { price * share } else { 0.0 };
                }
            }
        }
    }

    /// Whether the shares change with the outputs.
    pub(super) fn is_curved(self, Point { class, price }: Point, p: &[f64]) -> bool {
        match self {
            Self::CrammerSinger | Self::Softmax => p.iter().filter(|p| **p > 0.0).count() > 1,
            Self::WestonWatkins => others(class, p).any(|(_, &p)| p > 0.0 && p < price),
        }
    }

    /// The change of the shares p with the outputs along v: the second derivative times v, in place of v.
    pub(super) fn curve(self, Point { class, price }: Point, sigma: f64, p: &[f64], v: &mut [f64]) {
        match self {
            Self::CrammerSinger => {
                let held = || p.iter().map(|p| if *p > 0.0 { 1.0 } else { 0.0 });
                let count = held().sum::<f64>();
                let mean = held().zip(&*v).map(|(held, v)| held * v).sum::<f64>() / count;
                held().zip(v).for_each(|(held, v)| *v = held * sigma * (*v - mean));
            }
            Self::WestonWatkins => {
                let own = v[class];
                v[class] = 0.0;
                let mut sum = 0.0;
                for (c, v) in v.iter_mut().enumerate().filter(|(c, _)| *c != class) {
                    *v = if p[c] > 0.0 && p[c] < price { sigma * (*v - own) } else { 0.0 };
                    sum += *v;
                }
                v[class] = -sum;
            }
            Self::Softmax => {
                let mean = p.iter().zip(&*v).map(|(p, v)| p * v).sum::<f64>() / price;
                p.iter().zip(v).for_each(|(p, v)| *v = p * (*v - mean));
            }
        }
    }

    /// The entry (a, b) of the second derivative.
    pub(super) fn curvature(
        self,
        Point { class, price }: Point,
        sigma: f64,
        p: &[f64],
        (a, b): (usize, usize),
    ) -> f64 {
        let same = if a == b { 1.0 } else { 0.0 };
        match self {
            Self::CrammerSinger if p[a] > 0.0 && p[b] > 0.0 => {
                sigma * (same - 1.0 / p.iter().filter(|p| **p > 0.0).count() as f64)
            }
            Self::CrammerSinger => 0.0,
            Self::WestonWatkins => {
                let free = |c: usize| if p[c] > 0.0 && p[c] < price { sigma } else { 0.0 };
                match (a == class, b == class) {
                    (true, true) => others(class, p).map(|(c, _)| free(c)).sum(),
                    (true, false) => -free(b),
                    (false, true) => -free(a),
                    (false, false) => same * free(a),
                }
            }
            Self::Softmax => p[a] * (same - p[b] / price),
        }
    }

    /// Moves shares to the nearest ones that are allowed.
    pub(super) fn allow(self, point: Point, p: &mut [f64]) {
        match self {
            Self::CrammerSinger | Self::Softmax => to_simplex(p, point.price),
            Self::WestonWatkins => {
                let others = p.iter_mut().enumerate().filter(|(c, _)| *c != point.class);
                others.for_each(|(_, p)| *p = p.clamp(0.0, point.price));
                complete(point, p);
            }
        }
    }
}

/// g of class `c`.
fn rival(class: usize, c: usize, m: f64) -> f64 {
    if c == class { m } else { m + 1.0 }
}

/// The largest g.
fn largest_rival(class: usize, m: &[f64]) -> f64 {
    m.iter().enumerate().fold(f64::NEG_INFINITY, |top, (c, &m)| top.max(rival(class, c, m)))
}

/// All but the value of class `class`, with their classes.
fn others(class: usize, values: &[f64]) -> impl Iterator<Item = (usize, &f64)> {
    values.iter().enumerate().filter(move |(c, _)| *c != class)
}

/// Makes the shares add up to the price by that of the own class.
fn complete(Point { class, price }: Point, p: &mut [f64]) {
    p[class] = price - others(class, p).map(|(_, p)| p).sum::<f64>();
}

/// log Σ exp m
fn log_sum(m: &[f64]) -> f64 {
    let top = largest(m);
    top + m.iter().map(|m| (m - top).exp()).sum::<f64>().ln()
}

/// The largest of some values.
pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(f64::NEG_INFINITY, |top, value| top.max(*value))
}

/// Moves values to the nearest ones that are not negative and add up to `total` > 0.
fn to_simplex(values: &mut [f64], total: f64) {
    let level = threshold(values, total);
    values.iter_mut().for_each(|value| *value = (*value - level).max(0.0));
}

/// The level with Σ max(0, value − level) = total > 0, found by leaving out, again and again, values below it (Michelot 1986).
pub(super) fn threshold(values: &[f64], total: f64) -> f64 {
    // The largest value alone is above the level by at most the total.
    let mut level = largest(values) - total;
    let mut above = usize::MAX;
    loop {
        let (mut sum, mut count) = (-total, 0);
        for &value in values.iter().filter(|value| **value > level) {
            (sum, count) = (sum + value, count + 1);
        }
        // The count falls from step to step; where rounding would let it rise, the level is found.
        if count >= above || count == 0 {
            return level;
        }
        (level, above) = (sum / count as f64, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::SplitMix;

    const ALL: [JointCost; 3] = [JointCost::CrammerSinger, JointCost::WestonWatkins, JointCost::Softmax];

    /// Points with outputs and shares that are allowed, drawn.
    fn drawn(cost: JointCost) -> Vec<(Point, Vec<f64>, Vec<f64>)> {
        let mut random = SplitMix(7);
        let mut draw = move || 2.0 * random.uniform() - 1.0;
        (0..200)
            .map(|at| {
                let k = 2 + at % 4;
                let point = Point { class: at % k, price: 1.2 + draw() };
                let m: Vec<f64> = (0..k).map(|_| 3.0 * draw()).collect();
                let mut p: Vec<f64> = (0..k).map(|_| draw()).collect();
                cost.allow(point, &mut p);
                (point, m, p)
            })
            .collect()
    }

    fn sum(values: &[f64]) -> f64 {
        values.iter().sum()
    }

    #[test]
    fn shares_that_are_allowed_add_up_to_the_price_and_stay() {
        for cost in ALL {
            for (point, _, p) in drawn(cost) {
                assert!((sum(&p) - point.price).abs() < 1e-12, "{cost:?}");
                let mut again = p.clone();
                cost.allow(point, &mut again);
                assert!(p.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-12), "{cost:?} {p:?} {again:?}");
            }
        }
    }

    #[test]
    fn the_gap_is_what_is_between_cost_and_bound_and_closes_at_the_shares_of_the_outputs() {
        // cost(m′) ≥ cost(m) − gap − ⟨β, m′ − m⟩ for every m′ is what Fenchel's inequality says of a β with that gap at m.
        for cost in ALL {
            let cases = drawn(cost);
            for ((point, m, p), (_, other, _)) in cases.iter().zip(cases.iter().skip(4)) {
                let Some(other) = (other.len() == m.len()).then_some(other) else { continue };
                let gap = cost.gap(*point, m, p);
                let beta = |c: usize| if c == point.class { point.price - p[c] } else { -p[c] };
                let along: f64 = (0..m.len()).map(|c| beta(c) * (other[c] - m[c])).sum();
                let bound = cost.value(*point, m) - gap - along;
                assert!(cost.value(*point, other) >= bound - 1e-12, "{cost:?} {point:?} {m:?} {p:?}");
            }
        }
        for (point, m, _) in drawn(JointCost::Softmax) {
            let mut p = vec![0.0; m.len()];
            JointCost::Softmax.shares(point, 1.0, &m, &mut p);
            assert!(JointCost::Softmax.gap(point, &m, &p) < 1e-12);
        }
    }

    #[test]
    fn smoothed_shares_are_the_best_of_the_dual() {
        // Moving a little between any two classes does not raise ⟨p, g⟩ (or Σ p z, or the entropy's value) − ‖p − p̂‖²/(2σ).
        for cost in [JointCost::CrammerSinger, JointCost::WestonWatkins] {
            for (point, m, prior) in drawn(cost) {
                let sigma = 0.4;
                let (class, mut p) = (point.class, prior.clone());
                cost.shares(point, sigma, &m, &mut p);
                let value = |p: &[f64]| -> f64 {
                    let gain = |c: usize| match cost {
                        JointCost::CrammerSinger => p[c] * rival(class, c, m[c]),
                        _ if c == class => 0.0,
                        _ => p[c] * (1.0 + m[c] - m[class]),
                    };
                    let far = |c: usize| match cost {
                        JointCost::WestonWatkins if c == class => 0.0,
                        _ => (p[c] - prior[c]).powi(2) / (2.0 * sigma),
                    };
                    (0..m.len()).map(|c| gain(c) - far(c)).sum()
                };
                let best = value(&p);
                for (a, b) in (0..m.len()).flat_map(|a| (0..m.len()).map(move |b| (a, b))) {
                    let mut moved = p.clone();
                    moved[a] += 1e-4;
                    moved[b] -= 1e-4;
                    cost.allow(point, &mut moved);
                    assert!(value(&moved) <= best + 1e-12, "{cost:?} {point:?} {m:?} {prior:?}");
                }
            }
        }
    }

    #[test]
    fn curvature_is_the_change_of_the_shares() {
        for cost in ALL {
            let mut looked = 0;
            for (point, m, prior) in drawn(cost) {
                let (sigma, h) = (0.4, 1e-7);
                let at = |m: &[f64]| {
                    let mut p = prior.clone();
                    cost.shares(point, sigma, m, &mut p);
                    p
                };
                let p = at(&m);
                let direction: Vec<f64> = (0..m.len()).map(|c| (c as f64 * 1.7 + 0.3).sin()).collect();
                let moved =
                    |s: f64| -> Vec<f64> { m.iter().zip(&direction).map(|(m, v)| m + s * v).collect() };
                let (above, below) = (at(&moved(h)), at(&moved(-h)));
                // Where a kink lies between the two the difference says nothing.
                let held =
                    |p: &[f64]| -> Vec<bool> { p.iter().map(|&p| p > 0.0 && p < point.price).collect() };
                if held(&above) != held(&below) {
                    continue;
                }
                let mut curve = direction.clone();
                cost.curve(point, sigma, &p, &mut curve);
                let mut any = false;
                for c in 0..m.len() {
                    let slope = (above[c] - below[c]) / (2.0 * h);
                    let entry = |b: usize| cost.curvature(point, sigma, &p, (c, b));
                    let by_entries: f64 = (0..m.len()).map(|b| entry(b) * direction[b]).sum();
                    assert!((curve[c] - slope).abs() < 1e-6, "{cost:?} {p:?}: {} and {slope}", curve[c]);
                    assert!((curve[c] - by_entries).abs() < 1e-12, "{cost:?}");
                    any |= curve[c] != 0.0;
                }
                assert_eq!(any, cost.is_curved(point, &p), "{cost:?} {p:?}");
                looked += usize::from(any);
            }
            assert!(looked > 50, "{cost:?}: {looked}");
        }
    }
}
