//! More than two classes by pairs of classes.

use crate::data::Labels;

/// The pairs (a, b), a < b, of `classes` classes, in the order (0,1), (0,2), …, (1,2), …
#[must_use]
pub fn pairs(classes: usize) -> Vec<(usize, usize)> {
    (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b))).collect()
}

/// The class with the most votes when each pair votes for its first class where its decision is positive; of
/// several the one with the lowest number, as LIBSVM has it.
#[must_use]
pub fn vote(decisions: &[f64], classes: usize) -> usize {
    let mut votes = vec![0u32; classes];
    let mut rest = decisions;
    for a in 0..classes {
        let (own, others) = rest.split_at(classes - a - 1);
        rest = others;
        let lost = |decision: f64| u32::from(decision <= 0.0);
        votes[a] += own.iter().map(|&decision| 1 - lost(decision)).sum::<u32>();
        votes[a + 1..].iter_mut().zip(own).for_each(|(votes, &decision)| *votes += lost(decision));
    }
    let most = votes.iter().max().copied().unwrap_or(0);
    votes.iter().position(|&v| v == most).unwrap_or(0)
}

/// Members of each class, in the order of the data.
pub(super) fn members(labels: &Labels) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); labels.classes().len()];
    labels.index().iter().enumerate().for_each(|(i, &class)| members[class as usize].push(i));
    members
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
}
