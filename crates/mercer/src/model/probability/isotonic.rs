//! Isotonic regression: the rising function nearest to the targets.
//!
//! Of all values v that do not fall with the decision, those that minimise Σ wᵢ (vᵢ − tᵢ)², by pooling adjacent
//! violators: neighbours in the wrong order are replaced by their mean until none are left (Ayer, Brunk, Ewing, Reid and
//! Silverman 1955; for probabilities Zadrozny and Elkan 2002). Decisions that are equal are one point. Between the points
//! the function is linear, beyond them constant. Cost: a sort and one pass.
//!
//! It assumes less than a sigmoid and needs more points: below a thousand or so it fits their noise.

/// A rising function: linear between its knots, constant beyond them.
///
/// ```
/// use mercer::model::probability::Isotonic;
///
/// let fitted = Isotonic::fit(&[1.0, 2.0, 3.0, 4.0], &[false, true, false, true]);
/// // The two in the middle are in the wrong order and share their mean.
/// assert_eq!(fitted.thresholds, [1.0, 2.0, 3.0, 4.0]);
/// assert_eq!(fitted.values, [0.0, 0.5, 0.5, 1.0]);
/// assert_eq!([1.5, 2.7, 9.0].map(|f| fitted.probability(f)), [0.25, 0.5, 1.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Isotonic {
    /// The knots, ascending.
    pub thresholds: Vec<f64>,
    /// The function at each of them, not falling.
    pub values: Vec<f64>,
}

impl Isotonic {
    /// Fits finite decisions to the targets 1 (positive) and 0.
    ///
    /// # Panics
    /// If there are not as many of the one as of the other.
    #[must_use]
    pub fn fit(decisions: &[f64], positive: &[bool]) -> Self {
        let targets: Vec<f64> = positive.iter().map(|&p| f64::from(u8::from(p))).collect();
        Self::fit_weighted(decisions, &targets, &vec![1.0; decisions.len()])
    }

    /// Fits finite decisions to targets t with weights w ≥ 0; a point of weight 0 is as if it were not there.
    ///
    /// # Panics
    /// If there are not as many decisions, targets and weights.
    #[must_use]
    pub fn fit_weighted(decisions: &[f64], targets: &[f64], weights: &[f64]) -> Self {
        assert_eq!(decisions.len(), targets.len(), "every decision has a target");
        assert_eq!(decisions.len(), weights.len(), "every decision has a weight");
        let mut order: Vec<usize> = (0..decisions.len()).filter(|&i| weights[i] > 0.0).collect();
        order.sort_by(|&i, &j| decisions[i].total_cmp(&decisions[j]));
        let mut points: Vec<Block> = Vec::new();
        for i in order {
            let point = Block::point(decisions[i], targets[i], weights[i]);
            match points.last_mut() {
                Some(last) if last.last == point.first => last.join(&point),
                _ => points.push(point),
            }
        }
        let mut blocks: Vec<Block> = Vec::new();
        for mut block in points {
            while let Some(mut before) = blocks.pop_if(|before| before.mean() >= block.mean()) {
                before.join(&block);
                block = before;
            }
            blocks.push(block);
        }
        Self::through(&blocks)
    }

    /// The knots at both ends of each block.
    fn through(blocks: &[Block]) -> Self {
        let mut fitted = Self { thresholds: Vec::new(), values: Vec::new() };
        for block in blocks {
            let mut knot = |threshold: f64| {
                fitted.thresholds.push(threshold);
                fitted.values.push(block.mean());
            };
            knot(block.first);
            if block.first < block.last {
                knot(block.last);
            }
        }
        fitted
    }

    /// The function at a decision; ½ where it was fitted to nothing.
    #[must_use]
    pub fn probability(&self, decision: f64) -> f64 {
        let next = self.thresholds.partition_point(|&threshold| threshold <= decision);
        match (next.checked_sub(1), self.values.get(next)) {
            (None, None) => 0.5,
            (None, Some(&first)) => first,
            (Some(last), None) => self.values[last],
            (Some(before), Some(&value)) => {
                let (low, high) = (self.thresholds[before], self.thresholds[next]);
                if decision == low {
                    return self.values[before];
                }
                // Halved before they are subtracted, which cannot overflow.
                let share = (decision / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
                self.values[before] + share * (value - self.values[before])
            }
        }
    }
}

/// Neighbouring points that share one value.
struct Block {
    first: f64,
    last: f64,
    /// Σ w
    weight: f64,
    /// Σ w t
    sum: f64,
}

impl Block {
    fn point(decision: f64, target: f64, weight: f64) -> Self {
        Self { first: decision, last: decision, weight, sum: weight * target }
    }

    fn mean(&self) -> f64 {
        self.sum / self.weight
    }

    /// Takes up the block after this one.
    fn join(&mut self, next: &Self) {
        self.last = next.last;
        self.weight += next.weight;
        self.sum += next.sum;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Equal decisions as one point: decision, mean target, weight; ascending.
    fn distinct(points: &[(f64, f64, f64)]) -> Vec<(f64, f64, f64)> {
        let mut at: Vec<f64> = points.iter().map(|p| p.0).collect();
        at.sort_by(f64::total_cmp);
        at.dedup();
        let one = |&f: &f64| {
            let own = || points.iter().filter(move |p| p.0 == f);
            let weight: f64 = own().map(|p| p.2).sum();
            (f, own().map(|p| p.1 * p.2).sum::<f64>() / weight, weight)
        };
        at.iter().map(one).collect()
    }

    /// vᵢ = max over j ≤ i of the min over k ≥ i of the mean of j..=k.
    fn by_max_and_min(points: &[(f64, f64, f64)]) -> Vec<f64> {
        let mean = |j: usize, k: usize| {
            let weight: f64 = points[j..=k].iter().map(|p| p.2).sum();
            points[j..=k].iter().map(|p| p.1 * p.2).sum::<f64>() / weight
        };
        let lowest = |j: usize, i: usize| (i..points.len()).map(|k| mean(j, k)).fold(f64::INFINITY, f64::min);
        let value = |i: usize| (0..=i).map(|j| lowest(j, i)).fold(f64::NEG_INFINITY, f64::max);
        (0..points.len()).map(value).collect()
    }

    proptest! {
        #[test]
        fn values_are_those_of_the_max_min_formula(
            // Decisions from a coarse grid, so that many are equal.
            points in prop::collection::vec((-8..8_i32, 0.0..1.0, 0.1..3.0), 1..40)
        ) {
            let points: Vec<(f64, f64, f64)> =
                points.into_iter().map(|(f, t, w)| (f64::from(f) / 4.0, t, w)).collect();
            let fitted = Isotonic::fit_weighted(
                &points.iter().map(|p| p.0).collect::<Vec<_>>(),
                &points.iter().map(|p| p.1).collect::<Vec<_>>(),
                &points.iter().map(|p| p.2).collect::<Vec<_>>(),
            );
            let distinct = distinct(&points);
            for (point, value) in distinct.iter().zip(by_max_and_min(&distinct)) {
                prop_assert!((fitted.probability(point.0) - value).abs() < 1e-12);
            }
            prop_assert!(fitted.thresholds.is_sorted_by(|a, b| a < b));
            prop_assert!(fitted.values.is_sorted());
        }

        #[test]
        fn the_order_of_the_points_does_not_matter(
            points in prop::collection::vec((-8..8_i32, any::<bool>()), 1..40)
        ) {
            let of = |points: &[(i32, bool)]| Isotonic::fit(
                &points.iter().map(|p| f64::from(p.0)).collect::<Vec<_>>(),
                &points.iter().map(|p| p.1).collect::<Vec<_>>(),
            );
            let backwards: Vec<(i32, bool)> = points.iter().rev().copied().collect();
            prop_assert_eq!(of(&points), of(&backwards));
        }
    }

    #[test]
    fn it_is_linear_between_knots_and_constant_beyond() {
        let fitted = Isotonic { thresholds: vec![-1.0, 3.0], values: vec![0.2, 0.6] };
        for (f, p) in [(-9.0, 0.2), (-1.0, 0.2), (0.0, 0.3), (1.0, 0.4), (3.0, 0.6), (1e300, 0.6)] {
            assert!((fitted.probability(f) - p).abs() < 1e-15, "{f}");
        }
    }

    #[test]
    fn decisions_at_the_ends_of_the_range_are_fitted() {
        let fitted = Isotonic::fit(&[-f64::MAX, -1e300, 1e300, f64::MAX], &[false, false, true, true]);
        let halfway = fitted.probability(0.0);
        assert!((halfway - 0.5).abs() < 1e-15, "{halfway}");
        assert_eq!((fitted.probability(-f64::MAX), fitted.probability(f64::MAX)), (0.0, 1.0));
        let steps = Isotonic::fit(&[-f64::MAX, f64::MAX], &[false, true]);
        assert_eq!(steps.probability(0.0), 0.5);
        // Neighbours among the smallest numbers there are.
        let least = Isotonic::fit(&[0.0, 5e-324], &[false, true]);
        assert_eq!((least.probability(0.0), least.probability(5e-324)), (0.0, 1.0));
    }

    #[test]
    fn one_class_one_decision_and_nothing_are_constants() {
        let one_class = Isotonic::fit(&[1.0, 2.0, 3.0], &[true; 3]);
        assert_eq!(
            (one_class.thresholds.as_slice(), one_class.values.as_slice()),
            (&[1.0, 3.0][..], &[1.0, 1.0][..])
        );
        let one_decision = Isotonic::fit(&[7.0; 4], &[true, false, false, false]);
        assert_eq!([-1.0, 7.0, 8.0].map(|f| one_decision.probability(f)), [0.25; 3]);
        assert_eq!(Isotonic::fit(&[], &[]).probability(1.0), 0.5);
        // Zeros of either sign are one decision.
        assert_eq!(Isotonic::fit(&[0.0, -0.0], &[true, false]).values, [0.5]);
    }

    #[test]
    fn a_point_without_weight_is_not_there() {
        let fitted = Isotonic::fit_weighted(&[0.0, 1.0, 2.0], &[0.0, 1.0, 0.5], &[1.0, 0.0, 1.0]);
        assert_eq!(fitted, Isotonic::fit_weighted(&[0.0, 2.0], &[0.0, 0.5], &[1.0, 1.0]));
    }
}
