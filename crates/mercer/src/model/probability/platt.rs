//! Platt's sigmoid: P(positive | f) = 1/(1 + exp(a f + b)).
//!
//! a and b minimise −Σ wᵢ (tᵢ ln pᵢ + (1 − tᵢ) ln(1 − pᵢ)), where t is (n₊ + 1)/(n₊ + 2) for the positive points and
//! 1/(n₋ + 2) for the others: not 1 and 0, so that separable points have a minimum too. The loss is convex; Newton's
//! method with backtracking finds the minimum in a handful of passes over the points, and no exponential of a positive
//! number is ever taken (Platt 2000; Lin, Lin and Weng 2007).
//!
//! Newton runs on (f − centre)/half width, in [−1, 1]: decisions of any size then behave alike, and a constant one is
//! no singular case.

/// Newton steps at most. A few are needed; this only ends what cannot go on.
const STEPS: usize = 100;
/// Backtracking ends at this step: where even that does not descend, rounding is all that is left.
const SMALLEST_STEP: f64 = 1e-10;
/// The share of the descent promised by the slope that a step must bring (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// Added to the curvature, per weight: 10⁴ times the rounding of the determinant, which so stays positive.
const RIDGE: f64 = 1e-12;
/// Newton's decrement λ² = gᵀH⁻¹g, per weight, from which one full step ends it: the step moves a f + b by about its
/// root, 10⁻⁵, and the next one would move it by about the square of that.
const CLOSE: f64 = 1e-10;
/// Decisions are one value where they differ by less than this share of their size: far below what any solver's
/// tolerance makes them worth, and far enough above rounding that a f + b is not all cancellation.
const SAME: f64 = 1e-10;
/// And where they differ by less than this, so that a, which goes as its inverse, is finite.
const NARROWEST: f64 = 1e-280;

/// P(positive | f) = 1/(1 + exp(a f + b)).
///
/// ```
/// use mercer::model::probability::Sigmoid;
///
/// let decisions = [-2.0, -1.0, -0.5, 0.5, 1.0, 2.0];
/// let sigmoid = Sigmoid::fit(&decisions, &[false, false, true, false, true, true]);
/// assert!(sigmoid.a < 0.0 && sigmoid.probability(3.0) > 0.8);
/// // As many of either, mirrored: even odds in the middle.
/// assert!((sigmoid.probability(0.0) - 0.5).abs() < 1e-9);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sigmoid {
    /// a, the slope: negative where a larger decision speaks for the positive class.
    pub a: f64,
    /// b, the offset.
    pub b: f64,
}

impl Sigmoid {
    /// Fits a and b to finite decisions and who is positive.
    ///
    /// Decisions that are all alike give a = 0; points that are all of one class the probability (n + 1)/(n + 2) of
    /// it; no points even odds.
    ///
    /// # Panics
    /// If there are not as many of the one as of the other.
    #[must_use]
    pub fn fit(decisions: &[f64], positive: &[bool]) -> Self {
        Self::fit_weighted(decisions, positive, &vec![1.0; decisions.len()])
    }

    /// Fits the sigmoid with a weight w ≥ 0 for each point; n₊ and n₋ are sums of weights.
    ///
    /// # Panics
    /// If there are not as many decisions, classes and weights.
    #[must_use]
    pub fn fit_weighted(decisions: &[f64], positive: &[bool], weights: &[f64]) -> Self {
        assert_eq!(decisions.len(), positive.len(), "every decision has a class");
        assert_eq!(decisions.len(), weights.len(), "every decision has a weight");
        let of = |class: bool| -> f64 {
            positive.iter().zip(weights).filter(|(p, _)| **p == class).map(|(_, w)| w).sum()
        };
        let (plus, minus) = (of(true), of(false));
        let target =
            |positive: bool| if positive { (plus + 1.0) / (plus + 2.0) } else { 1.0 / (minus + 2.0) };
        let frame = Frame::of(decisions);
        let term = |i: usize| Term {
            place: frame.place(decisions[i]),
            target: target(positive[i]),
            weight: weights[i],
        };
        let loss = Loss { terms: (0..decisions.len()).map(term).collect(), weight: plus + minus };
        let prior = Self { a: 0.0, b: ((minus + 1.0) / (plus + 1.0)).ln() };
        frame.unframed(if loss.weight > 0.0 { loss.minimum(prior) } else { prior })
    }

    /// The probability of the positive class at a decision.
    #[must_use]
    pub fn probability(&self, decision: f64) -> f64 {
        tail(self.a * decision + self.b)
    }
}

/// 1/(1 + eᶻ) without overflow, and without 1 − 1 where it is small.
fn tail(z: f64) -> f64 {
    let e = (-z.abs()).exp();
    if z >= 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
}

/// The interval of the decisions, which becomes [−1, 1].
struct Frame {
    center: f64,
    /// 0 where all are one value.
    half: f64,
}

impl Frame {
    fn of(decisions: &[f64]) -> Self {
        let low = decisions.iter().copied().fold(f64::INFINITY, f64::min);
        let high = decisions.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Halved before they are subtracted, which cannot overflow.
        let half = high / 2.0 - low / 2.0;
        let wide = half > SAME * low.abs().max(high.abs()) && half > NARROWEST;
        if wide { Self { center: f64::midpoint(low, high), half } } else { Self { center: 0.0, half: 0.0 } }
    }

    fn place(&self, decision: f64) -> f64 {
        if self.half > 0.0 { (decision - self.center) / self.half } else { 0.0 }
    }

    /// The sigmoid of decisions, from that of their places.
    fn unframed(&self, Sigmoid { a, b }: Sigmoid) -> Sigmoid {
        if self.half > 0.0 {
            Sigmoid { a: a / self.half, b: b - a * (self.center / self.half) }
        } else {
            Sigmoid { a: 0.0, b }
        }
    }
}

/// A point: where its decision is in the frame, t and w.
struct Term {
    place: f64,
    target: f64,
    weight: f64,
}

/// Σ w (t z + ln(1 + e⁻ᶻ)) with z = a·place + b, the negative log-likelihood.
struct Loss {
    terms: Vec<Term>,
    /// Σ w
    weight: f64,
}

/// The derivatives of the loss by a and b.
struct Slope {
    gradient: [f64; 2],
    /// ∂²/∂a², ∂²/∂a∂b, ∂²/∂b²
    curvature: [f64; 3],
}

impl Loss {
    fn value(&self, at: Sigmoid) -> f64 {
        let one = |term: &Term| {
            let z = at.a * term.place + at.b;
            // For z < 0 the same by t z + ln(1 + e⁻ᶻ) = (t − 1) z + ln(1 + eᶻ).
            let linear = if z >= 0.0 { term.target * z } else { (term.target - 1.0) * z };
            term.weight * (linear + (-z.abs()).exp().ln_1p())
        };
        self.terms.iter().map(one).sum()
    }

    fn slope(&self, at: Sigmoid) -> Slope {
        let ridge = RIDGE * self.weight;
        let mut slope = Slope { gradient: [0.0; 2], curvature: [ridge, 0.0, ridge] };
        for &Term { place, target, weight } in &self.terms {
            let z = at.a * place + at.b;
            let (p, q) = (tail(z), tail(-z));
            let (rise, bend) = (weight * (target - p), weight * p * q);
            slope.gradient[0] += rise * place;
            slope.gradient[1] += rise;
            slope.curvature[0] += bend * place * place;
            slope.curvature[1] += bend * place;
            slope.curvature[2] += bend;
        }
        slope
    }

    fn minimum(&self, start: Sigmoid) -> Sigmoid {
        let (mut at, mut value) = (start, self.value(start));
        for _ in 0..STEPS {
            let Slope { gradient: [by_a, by_b], curvature: [aa, ab, bb] } = self.slope(at);
            let determinant = aa * bb - ab * ab;
            let a = (ab * by_b - bb * by_a) / determinant;
            let b = (ab * by_a - aa * by_b) / determinant;
            let decrement = -(by_a * a + by_b * b);
            let moved = |step: f64| Sigmoid { a: at.a + step * a, b: at.b + step * b };
            if decrement <= CLOSE * self.weight {
                return moved(1.0);
            }
            let steps = std::iter::successors(Some(1.0), |step| Some(step / 2.0));
            let descends = steps.take_while(|&step| step >= SMALLEST_STEP).find_map(|step| {
                let next = self.value(moved(step));
                (next < value - SUFFICIENT * step * decrement).then_some((moved(step), next))
            });
            match descends {
                Some(next) => (at, value) = next,
                None => return at,
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The root of a rising function, by halving.
    fn root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if f(middle) > 0.0 { high = middle } else { low = middle }
        }
        f64::midpoint(low, high)
    }

    /// The minimum by halving in a, and for each a in b, from the derivatives as the definition gives them.
    fn by_halving(decisions: &[f64], positive: &[bool], weights: &[f64]) -> (f64, f64) {
        let sum = |class: bool| -> f64 {
            (0..positive.len()).filter(|&i| positive[i] == class).map(|i| weights[i]).sum()
        };
        let (plus, minus) = (sum(true), sum(false));
        let target = |i: usize| if positive[i] { (plus + 1.0) / (plus + 2.0) } else { 1.0 / (minus + 2.0) };
        let excess =
            |i: usize, a: f64, b: f64| weights[i] * (target(i) - 1.0 / (1.0 + (a * decisions[i] + b).exp()));
        let n = decisions.len();
        let best_b = |a: f64| root(-400.0, 400.0, |b| (0..n).map(|i| excess(i, a, b)).sum());
        let a = root(-80.0, 80.0, |a| {
            let b = best_b(a);
            (0..n).map(|i| decisions[i] * excess(i, a, b)).sum()
        });
        (a, best_b(a))
    }

    fn scattered() -> impl Strategy<Value = (Vec<f64>, Vec<bool>, Vec<f64>)> {
        let point = (-3.0..3.0, 0.0..1.0, 0.1..4.0);
        prop::collection::vec(point, 4..40).prop_map(|points| {
            let positive = points.iter().map(|&(f, u, _): &(f64, f64, f64)| u < 1.0 / (1.0 + (-f).exp()));
            (points.iter().map(|p| p.0).collect(), positive.collect(), points.iter().map(|p| p.2).collect())
        })
    }

    proptest! {
        #[test]
        fn the_minimum_is_the_one_found_by_halving((f, positive, weights) in scattered()) {
            let sigmoid = Sigmoid::fit_weighted(&f, &positive, &weights);
            let (a, b) = by_halving(&f, &positive, &weights);
            // Both are exact but for the rounding of the gradient and the ridge, 10⁻¹² against a curvature that is
            // small where the fit is steep.
            prop_assert!((sigmoid.a - a).abs() < 1e-6 * (1.0 + a.abs()), "{sigmoid:?} {a} {b}");
            prop_assert!((sigmoid.b - b).abs() < 1e-6 * (1.0 + b.abs()), "{sigmoid:?} {a} {b}");
        }

        #[test]
        fn a_weight_of_two_is_the_point_twice((f, positive, _) in scattered()) {
            let twice = |i: usize| if i.is_multiple_of(3) { 2.0 } else { 1.0 };
            let weights: Vec<f64> = (0..f.len()).map(twice).collect();
            let repeated: Vec<usize> = (0..f.len()).chain((0..f.len()).step_by(3)).collect();
            let weighted = Sigmoid::fit_weighted(&f, &positive, &weights);
            let plain = Sigmoid::fit(
                &repeated.iter().map(|&i| f[i]).collect::<Vec<_>>(),
                &repeated.iter().map(|&i| positive[i]).collect::<Vec<_>>(),
            );
            prop_assert!((weighted.probability(0.3) - plain.probability(0.3)).abs() < 1e-8);
        }
    }

    #[test]
    fn decisions_of_any_size_have_the_same_probabilities() {
        let f = [-1.0, -0.75, -0.25, 0.125, 0.5, 1.0];
        let positive = [false, false, true, false, true, true];
        let unit = Sigmoid::fit(&f, &positive);
        for scale in [1e-200, 1e-30, 1e30, 1e300] {
            let scaled = f.map(|f| f * scale);
            let sigmoid = Sigmoid::fit(&scaled, &positive);
            assert!(sigmoid.a.is_finite() && sigmoid.b.is_finite());
            for (f, scaled) in f.iter().zip(&scaled) {
                let (one, other) = (unit.probability(*f), sigmoid.probability(*scaled));
                assert!((one - other).abs() < 1e-12, "{scale}: {one} {other}");
            }
        }
    }

    #[test]
    fn decisions_at_the_ends_of_the_range_are_fitted() {
        let sigmoid = Sigmoid::fit(&[-f64::MAX, -1e300, 1e300, f64::MAX], &[false, false, true, true]);
        assert!(sigmoid.a < 0.0 && sigmoid.a.is_finite() && sigmoid.b.abs() < 1e-9, "{sigmoid:?}");
        let ends = (sigmoid.probability(f64::MAX), sigmoid.probability(-f64::MAX));
        assert!(ends.0 > 0.7 && ends.0 < 1.0 && (ends.0 + ends.1 - 1.0).abs() < 1e-9, "{ends:?}");
    }

    #[test]
    fn probabilities_stay_in_range_for_any_decision() {
        let sigmoid = Sigmoid { a: -3.0, b: 0.5 };
        for f in [-1e300, -1e5, -250.0, 0.0, 250.0, 1e5, 1e300] {
            let p = sigmoid.probability(f);
            assert!((0.0..=1.0).contains(&p), "{f}: {p}");
        }
        assert_eq!((sigmoid.probability(-1e300), sigmoid.probability(1e300)), (0.0, 1.0));
        // Where 1 − p would be 0, the small side is not.
        assert!(sigmoid.probability(-200.0) > 0.0);
    }

    #[test]
    fn one_class_gives_its_target_everywhere() {
        let f = [-1.0, 0.0, 2.0];
        let (all, none) = (Sigmoid::fit(&f, &[true; 3]), Sigmoid::fit(&f, &[false; 3]));
        for f in [-5.0, 0.0, 5.0] {
            assert!((all.probability(f) - 0.8).abs() < 1e-9, "{all:?}");
            assert!((none.probability(f) - 0.2).abs() < 1e-9, "{none:?}");
        }
    }

    #[test]
    fn a_constant_decision_gives_the_mean_target() {
        for constant in [0.0, 0.1, -7.5, 1e300] {
            let sigmoid = Sigmoid::fit(&[constant; 5], &[true, true, true, true, false]);
            assert_eq!(sigmoid.a, 0.0);
            // (4·5/6 + 1/3)/5
            assert!((sigmoid.probability(constant) - 11.0 / 15.0).abs() < 1e-9, "{sigmoid:?}");
        }
    }

    #[test]
    fn nothing_is_even_odds() {
        assert_eq!(Sigmoid::fit(&[], &[]).probability(3.0), 0.5);
        assert_eq!(Sigmoid::fit_weighted(&[1.0, 2.0], &[true, false], &[0.0, 0.0]).probability(3.0), 0.5);
    }

    #[test]
    fn many_separated_points_have_a_finite_slope() {
        let f: Vec<f64> = (0..2000).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let positive: Vec<bool> = f.iter().map(|&f| f > 0.0).collect();
        let sigmoid = Sigmoid::fit(&f, &positive);
        // p(1) = 1001/1002 exactly.
        assert!((sigmoid.probability(1.0) - 1001.0 / 1002.0).abs() < 1e-9, "{sigmoid:?}");
    }
}
