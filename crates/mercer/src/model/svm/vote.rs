//! More than two classes by pairs of classes.
//!
//! A [`VoteRule`] makes a score for each class of the decisions of all pairs, and the class with the largest score is the
//! answer. [`vote`] is LIBSVM's way, which has no scores: ties go to the class that was seen first.

use crate::model::expansion::first_largest;
use crate::model::setting::words;
use crate::model::words::named;

/// The pairs (a, b), a < b, of `classes` classes, in the order (0,1), (0,2), …, (1,2), …
#[must_use]
pub fn pairs(classes: usize) -> Vec<(usize, usize)> {
    (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b))).collect()
}

/// How the decisions of all pairs become a score for each class.
///
/// s_c is the sum over the other classes of the decision for c against each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum VoteRule {
    /// The pairs won, and between classes that have won the same number s_c: votes + s_c / 3(|s_c| + 1), where the second
    /// part is always below ½ (scikit-learn's `decision_function_shape="ovr"`).
    #[default]
    Votes,
    /// s_c alone.
    Sum,
}

named!(VoteRule: Votes = "votes", Sum = "sum");
words!(VoteRule: VoteRule::Votes = "ovo", VoteRule::Sum = "ovo-sum");

/// A sum beyond this is this: no decision is infinite, but a sum of large ones can be.
const LARGEST_SUM: f64 = 1e300;

impl VoteRule {
    /// The score of each class, from the decisions of the [`pairs`]; positive decisions are for the first of a pair.
    #[must_use]
    pub fn scores(self, decisions: &[f64], classes: usize) -> Vec<f64> {
        let mut sums = vec![0.0; classes];
        let mut rest = decisions;
        for a in 0..classes {
            let (own, others) = rest.split_at(classes - a - 1);
            rest = others;
            sums[a] += own.iter().sum::<f64>();
            sums[a + 1..].iter_mut().zip(own).for_each(|(sum, decision)| *sum -= decision);
        }
        let bounded = |sum: f64| sum.clamp(-LARGEST_SUM, LARGEST_SUM);
        match self {
            VoteRule::Sum => sums.into_iter().map(bounded).collect(),
            VoteRule::Votes => {
                let below_half = |sum: f64| sum / (3.0 * (sum.abs() + 1.0));
                let score = |(votes, sum): (u32, f64)| f64::from(votes) + below_half(bounded(sum));
                votes(decisions, classes).into_iter().zip(sums).map(score).collect()
            }
        }
    }

    /// The number of the class with the largest of the [scores](Self::scores); of several the lowest.
    #[must_use]
    pub fn class(self, decisions: &[f64], classes: usize) -> usize {
        if self == VoteRule::Votes {
            // Most rows have a winner without a look at the sums.
            let votes = votes(decisions, classes);
            let most = votes.iter().max().copied().unwrap_or(0);
            let mut winners = (0..classes).filter(|&c| votes[c] == most);
            if let (Some(winner), None) = (winners.next(), winners.next()) {
                return winner;
            }
        }
        first_largest(&self.scores(decisions, classes))
    }

    /// The class by the rule, or, of pairs that vote, by [`vote`] where `libsvm` wants LIBSVM's ties.
    pub(super) fn class_as(self, decisions: &[f64], classes: usize, libsvm: bool) -> usize {
        if libsvm && self == Self::Votes { vote(decisions, classes) } else { self.class(decisions, classes) }
    }
}

/// The class with the most votes when each pair votes for its first class where its decision is positive; of
/// several the one with the lowest number, as LIBSVM has it.
#[must_use]
pub fn vote(decisions: &[f64], classes: usize) -> usize {
    let votes = votes(decisions, classes);
    let most = votes.iter().max().copied().unwrap_or(0);
    votes.iter().position(|&v| v == most).unwrap_or(0)
}

fn votes(decisions: &[f64], classes: usize) -> Vec<u32> {
    let mut votes = vec![0u32; classes];
    let mut rest = decisions;
    for a in 0..classes {
        let (own, others) = rest.split_at(classes - a - 1);
        rest = others;
        let lost = |decision: f64| u32::from(decision <= 0.0);
        votes[a] += own.iter().map(|&decision| 1 - lost(decision)).sum::<u32>();
        votes[a + 1..].iter_mut().zip(own).for_each(|(votes, &decision)| *votes += lost(decision));
    }
    votes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_in_libsvms_order() {
        assert_eq!(pairs(4), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    }

    #[test]
    fn a_tie_goes_to_the_lowest_number() {
        // 0 beats 1, 1 beats 2, 2 beats 0: one vote each.
        assert_eq!(vote(&[1.0, -1.0, 1.0], 3), 0);
        assert_eq!(vote(&[-1.0, -1.0, 1.0], 3), 1);
        assert_eq!(vote(&[0.0], 2), 1);
    }

    #[test]
    fn scores_are_votes_and_less_than_half_of_a_vote() {
        // 0 beats 1 by 1, 2 beats 0 by 3, 1 beats 2 by 1.5: one vote each, sums −2, 0.5 and 1.5.
        let decisions = [1.0, -3.0, 1.5];
        let scores = VoteRule::Votes.scores(&decisions, 3);
        assert_eq!(scores, [1.0 - 2.0 / 9.0, 1.0 + 0.5 / 4.5, 1.0 + 1.5 / 7.5]);
        assert_eq!(VoteRule::Sum.scores(&decisions, 3), [-2.0, 0.5, 1.5]);
        assert_eq!(VoteRule::Votes.scores(&[0.0], 2), [0.0, 1.0]);
        let large = [f64::MAX, f64::MAX, -f64::MAX];
        for &rule in VoteRule::ALL {
            assert!(rule.scores(&large, 3).iter().all(|score| score.is_finite()));
        }
        assert_eq!(VoteRule::Votes.scores(&large, 3)[0], 2.0 + 1.0 / 3.0);
    }

    #[test]
    fn without_ties_votes_and_their_scores_agree() {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
        };
        let mut ties = 0;
        for _ in 0..2000 {
            let decisions: Vec<f64> = (0..10).map(|_| random()).collect();
            let (counts, scores) = (votes(&decisions, 5), VoteRule::Votes.scores(&decisions, 5));
            let most = counts.iter().max().copied().unwrap_or(0);
            let best = VoteRule::Votes.class(&decisions, 5);
            assert!(scores.iter().all(|&score| score <= scores[best]));
            assert_eq!(counts[best], most);
            let tie = counts.iter().filter(|&&count| count == most).count() > 1;
            assert!(tie || best == vote(&decisions, 5));
            ties += usize::from(tie);
        }
        assert!(ties > 100, "only {ties} ties");
    }
}
