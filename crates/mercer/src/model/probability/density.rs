//! How ordinary a point is, from the decisions of a one-class machine, as LIBSVM estimates it.
//!
//! The decisions of the training points are cut at 0 and either side into five bins with equal numbers of points. The
//! bins' ends are eleven values t₀ … t₁₀ with t₅ = 0; the marks are the ten middles (tᵢ + tᵢ₊₁)/2. A decision that has
//! passed i of the marks has probability i/10, one that has passed none 0.001 and one that has passed all 0.999 (Que and
//! Lin 2022). Cost: a sort.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::rbf;
//! use mercer::model::OneClass;
//! use mercer::model::probability::Density;
//!
//! // Dense about 0, sparse towards both ends.
//! let x = Vectors::dense(1, (-30..30).map(|i| (f64::from(i) / 30.0).powi(3)).collect());
//! let function = OneClass::new(rbf(1.0)).nu(0.3).fit(&x)?;
//! let density = Density::fit(&function, &x)?.expect("there are five points on either side");
//! let values = function.values(&Vectors::dense(1, vec![0.0, 9.0]))?;
//! assert!(density.probability(values[0]) > 0.5 && density.probability(values[1]) == 0.001);
//! # Ok::<(), mercer::Error>(())
//! ```

use crate::data::Points;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::model::Function;

/// How many marks there are.
const MARKS: usize = 10;
/// Bins on either side of 0.
const SIDE: usize = MARKS / 2;
/// The probability below all marks, and above all of them its complement.
const EXTREME: f64 = 0.001;

/// Ten decisions that cut the line into steps of the probability of being no outlier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Density {
    /// The marks, ascending; LIBSVM's `prob_density_marks`.
    pub marks: [f64; MARKS],
}

impl Density {
    /// The marks of a function's values at the points it was fitted to; as [`Density::of_decisions`].
    ///
    /// # Errors
    /// If the points do not fit the function.
    pub fn fit<X: Points, K: Kernel<X>>(function: &Function<X, K>, x: &X) -> Result<Option<Self>> {
        Ok(Self::of_decisions(&function.values(x)?))
    }

    /// The marks of finite decisions; none where fewer than five are negative or fewer than five are not, as LIBSVM has
    /// it.
    #[must_use]
    pub fn of_decisions(decisions: &[f64]) -> Option<Self> {
        Self::of_weighted_decisions(decisions, &vec![1.0; decisions.len()])
    }

    /// The marks of decisions with a weight w ≥ 0 each: a point of weight w counts w times.
    ///
    /// # Panics
    /// If there are not as many of the one as of the other.
    #[must_use]
    pub fn of_weighted_decisions(decisions: &[f64], weights: &[f64]) -> Option<Self> {
        assert_eq!(decisions.len(), weights.len(), "every decision has a weight");
        let counted =
            decisions.iter().copied().zip(weights.iter().copied()).filter(|&(_, weight)| weight > 0.0);
        let mut sorted: Vec<(f64, f64)> = counted.collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (negative, rest) = sorted.split_at(sorted.partition_point(|&(decision, _)| decision < 0.0));
        let (negative, rest) = (Side::new(negative)?, Side::new(rest)?);
        // On the negative side the first of each bin, on the other the last: the ends away from 0.
        let end = |i: usize| match i {
            0..SIDE => negative.after(i as f64 * negative.total() / SIDE as f64),
            SIDE => 0.0,
            _ => rest.after((i - SIDE) as f64 * rest.total() / SIDE as f64 - 1.0),
        };
        Some(Self { marks: std::array::from_fn(|i| f64::midpoint(end(i), end(i + 1))) })
    }

    /// The probability that a point with this decision is no outlier: 0.001, 0.1, 0.2, …, 0.9 or 0.999.
    ///
    /// A decision that is the last mark to the bit is above all of them here; LIBSVM gives it the probability 0.
    #[must_use]
    pub fn probability(&self, decision: f64) -> f64 {
        match self.marks.partition_point(|&mark| mark <= decision) {
            0 => EXTREME,
            MARKS => 1.0 - EXTREME,
            passed => passed as f64 / MARKS as f64,
        }
    }
}

/// The decisions on one side of 0, ascending, each with the sum of the weights up to and with it.
struct Side(Vec<(f64, f64)>);

impl Side {
    /// Nothing where the weights are fewer than the bins.
    fn new(sorted: &[(f64, f64)]) -> Option<Self> {
        let sums = sorted.iter().scan(0.0, |sum, &(decision, weight)| {
            *sum += weight;
            Some((decision, *sum))
        });
        Some(Self(sums.collect())).filter(|side| side.total() >= SIDE as f64)
    }

    fn total(&self) -> f64 {
        self.0.last().map_or(0.0, |last| last.1)
    }

    /// The decision that comes after the first `weight` of them: with weights of 1 the one at that index, rounded down.
    fn after(&self, weight: f64) -> f64 {
        let at = self.0.partition_point(|&(_, sum)| sum <= weight);
        self.0[at.min(self.0.len() - 1)].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_the_middles_of_bins_with_equal_numbers() {
        // −10 … −1 and 0 … 9: bins of two.
        let decisions: Vec<f64> = (0..20).rev().map(|i| f64::from(i) - 10.0).collect();
        let density = Density::of_decisions(&decisions).unwrap();
        assert_eq!(density.marks, [-9.0, -7.0, -5.0, -3.0, -1.0, 0.5, 2.0, 4.0, 6.0, 8.0]);
        let steps =
            [(-9.5, 0.001), (-9.0, 0.1), (-7.5, 0.1), (-2.0, 0.4), (0.0, 0.5), (7.9, 0.9), (8.0, 0.999)];
        for (decision, probability) in steps {
            assert_eq!(density.probability(decision), probability, "{decision}");
        }
    }

    #[test]
    fn a_weight_of_three_is_the_point_three_times() {
        let decisions: Vec<f64> = (0..37).map(|i| (f64::from(i) * 1.7).sin() - 0.2).collect();
        for threes in [1, 2, 5] {
            let weights: Vec<f64> = (0..37)
                .map(|i| [1.0, 3.0, 0.0][usize::from(i % threes == 0) + usize::from(i % 11 == 3)])
                .collect();
            let repeated: Vec<f64> = decisions
                .iter()
                .zip(&weights)
                .flat_map(|(&decision, &weight)| std::iter::repeat_n(decision, weight as usize))
                .collect();
            let found = Density::of_weighted_decisions(&decisions, &weights);
            assert_eq!(found, Density::of_decisions(&repeated));
            assert!(found.is_some());
        }
    }

    #[test]
    fn too_few_on_either_side_have_no_marks() {
        let of = |negative: usize, rest: usize| {
            Density::of_decisions(&[vec![-1.0; negative], vec![1.0; rest]].concat())
        };
        assert!(of(4, 50).is_none() && of(50, 4).is_none() && of(0, 50).is_none() && of(50, 0).is_none());
        assert!(of(0, 0).is_none());
        assert!(of(5, 5).is_some());
    }

    #[test]
    fn constant_and_huge_decisions_have_probabilities() {
        let constant = Density::of_decisions(&[[-2.0; 6], [2.0; 6]].concat()).unwrap();
        assert_eq!([-2.0, -3.0, 2.0, 3.0].map(|f| constant.probability(f)), [0.4, 0.001, 0.999, 0.999]);
        let huge =
            Density::of_decisions(&[[-1e300, -f64::MAX].repeat(5), [1e300, f64::MAX].repeat(5)].concat())
                .unwrap();
        assert!(huge.marks.iter().all(|mark| mark.is_finite()) && huge.marks.is_sorted());
        assert_eq!([-f64::MAX, f64::MAX].map(|f| huge.probability(f)), [0.2, 0.999]);
    }
}
