//! How points are divided into those that a model is fitted to and those that it is judged by.
//!
//! A [`Scheme`] is the rule, [`Splits`] are what it makes of some points: for each split the points left out, and those that are
//! fitted to. Folds are dealt out by [`Folds`], so that they depend on the seed alone. Cost: O(n) for each split.
//!
//! | text | what is left out in turn |
//! |---|---|
//! | `5`, `folds(5)` | a fifth of the points; of classes a fifth of each |
//! | `plain(5)` | a fifth of the points, whatever their classes |
//! | `grouped(5)` | about a fifth of the points, never a part of a group |
//! | `loo` | each point |
//! | `holdout(0.25)` | once a quarter of the points; of classes a quarter of each |
//! | `time(5)` | five stretches of the points in their order, each after all that are fitted to |
//! | `given` | the folds that are given |
//!
//! ```
//! use mercer::data::Labels;
//! use mercer::select::{Layout, Scheme};
//!
//! let labels = Labels::first_seen(["a", "b", "a", "b", "b", "b"]);
//! let layout = Layout { points: 6, labels: Some(&labels), ..Layout::default() };
//! let splits = "2".parse::<Scheme>()?.splits(&layout, 1, 7)?;
//! assert_eq!(splits.len(), 2);
//! assert_eq!((splits[0].out.len(), splits[0].rest.len()), (3, 3));
//! # Ok::<(), mercer::Error>(())
//! ```

use std::fmt;
use std::str::FromStr;

use crate::data::{Folds, Labels, SplitMix};
use crate::error::{Error, ErrorKind, Result, check};
use crate::memory::room;

/// A rule by which points are left out.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Scheme {
    /// k folds of nearly the same size; where points have classes, each fold has its share of every class.
    Folds(usize),
    /// k folds of nearly the same size, whatever the classes.
    Plain(usize),
    /// k folds, none of which has a part of a group.
    Grouped(usize),
    /// Each point alone.
    LeaveOneOut,
    /// One split: a share of the points, above 0 and below 1, is left out.
    HoldOut(f64),
    /// k splits of points in the order of time: the first is fitted to the first of k + 1 stretches and judged by the second, the
    /// next fitted to two and judged by the third, and so on.
    Time(usize),
    /// The folds that are given for each point.
    Given,
}

/// The points to be divided.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layout<'a> {
    /// How many there are.
    pub points: usize,
    /// Their classes, where they have some.
    pub labels: Option<&'a Labels>,
    /// For each point the group that it belongs to; empty where there are none.
    pub groups: &'a [usize],
    /// For each point the fold that it belongs to; empty where none are given.
    pub folds: &'a [usize],
}

/// Points left out, and points fitted to; both ascend, and no point is among both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The points left out, by which the model is judged.
    pub out: Vec<usize>,
    /// The points that the model is fitted to.
    pub rest: Vec<usize>,
}

/// Splits, in order; those of one repetition stand together.
pub type Splits = Vec<Split>;

impl Scheme {
    /// The splits of some points. Each of `repeats` repetitions draws anew; the first draws by `seed` itself.
    ///
    /// # Errors
    /// If there are fewer points or groups than folds, a count or share is out of range, groups or folds are missing, there is
    /// nothing random to be repeated, nothing would be left to fit to, or the splits do not fit into memory.
    pub fn splits(self, layout: &Layout<'_>, repeats: usize, seed: u64) -> Result<Splits> {
        check("repeats", repeats as f64, repeats >= 1, "must be at least 1")?;
        let drawn = matches!(self, Self::Folds(_) | Self::Plain(_) | Self::Grouped(_) | Self::HoldOut(_));
        check("repeats", repeats as f64, repeats == 1 || drawn, "must be 1 where nothing is drawn")?;
        let held =
            self.most_splits(layout).saturating_mul(repeats as u64).saturating_mul(layout.points as u64);
        let bytes = held.saturating_mul(size_of::<usize>() as u64);
        room("a list of all splits", bytes, None, "take fewer folds or repetitions")?;
        let mut seeds = SplitMix(seed);
        let mut all = Vec::new();
        for repeat in 0..repeats {
            let seed = if repeat == 0 { seed } else { seeds.next() };
            all.extend(self.once(layout, seed)?);
        }
        let sound = all.iter().all(|split| !split.out.is_empty() && !split.rest.is_empty());
        check(
            "points",
            layout.points as f64,
            sound,
            "must be enough that some are left out and some are not",
        )?;
        Ok(all)
    }

    fn once(self, layout: &Layout<'_>, seed: u64) -> Result<Splits> {
        let n = layout.points;
        let enough = |folds: usize, of: usize| {
            check("folds", folds as f64, folds >= 2, "must be at least 2")?;
            check("folds", folds as f64, folds <= of, "must be no more than there are points or groups")
        };
        Ok(match self {
            Self::Folds(k) => {
                enough(k, n)?;
                of_folds(&match layout.labels {
                    Some(labels) => Folds::stratified(labels, k, seed),
                    None => Folds::plain(n, k, seed),
                })
            }
            Self::Plain(k) => {
                enough(k, n)?;
                of_folds(&Folds::plain(n, k, seed))
            }
            Self::LeaveOneOut => {
                enough(n, n)?;
                of_list(&(0..n).collect::<Vec<_>>(), n)
            }
            Self::Grouped(k) => {
                check_list("groups", layout.groups, n)?;
                let groups = numbered(layout.groups);
                let count = groups.iter().max().map_or(0, |most| most + 1);
                enough(k, count)?;
                of_list(&grouped(&groups, count, k, seed), k)
            }
            Self::HoldOut(share) => {
                check("holdout", share, share > 0.0 && share < 1.0, "must be above 0 and below 1")?;
                vec![held_out(layout, share, seed)]
            }
            Self::Time(k) => {
                check("folds", k as f64, k >= 1, "must be at least 1")?;
                check("folds", k as f64, k < n, "must be fewer than there are points")?;
                // The last k of k + 1 stretches; what is left over belongs to the first, which is only fitted to.
                let stretch = n / (k + 1);
                let split = |i: usize| {
                    let start = n - (k - i) * stretch;
                    Split { out: (start..start + stretch).collect(), rest: (0..start).collect() }
                };
                (0..k).map(split).collect()
            }
            Self::Given => {
                check_list("folds", layout.folds, n)?;
                let folds = numbered(layout.folds);
                let count = folds.iter().max().map_or(0, |most| most + 1);
                enough(count, n)?;
                of_list(&folds, count)
            }
        })
    }

    /// The splits of one repetition, at most: with a count that is allowed no more than points.
    fn most_splits(self, layout: &Layout<'_>) -> u64 {
        let splits = match self {
            Self::Folds(k) | Self::Plain(k) | Self::Grouped(k) | Self::Time(k) => k.min(layout.points),
            Self::LeaveOneOut => layout.points,
            Self::HoldOut(_) => 1,
            Self::Given => numbered(layout.folds).into_iter().max().map_or(0, |most| most + 1),
        };
        splits as u64
    }

    /// Whether it is dealt out by groups.
    #[must_use]
    pub fn is_grouped(self) -> bool {
        matches!(self, Self::Grouped(_))
    }
}

/// Refuses a list that has not one entry for each point.
fn check_list(name: &'static str, list: &[usize], points: usize) -> Result<()> {
    check(name, list.len() as f64, list.len() == points, "must be given, one for each point")
}

/// Numbers from 0 without gaps, in the order of the numbers given.
fn numbered(list: &[usize]) -> Vec<usize> {
    let mut known = list.to_vec();
    known.sort_unstable();
    known.dedup();
    list.iter().map(|value| known.partition_point(|other| other < value)).collect()
}

fn of_folds(folds: &Folds) -> Splits {
    let split = |fold| {
        let (out, rest) = folds.split(fold);
        Split { out, rest }
    };
    (0..folds.count()).map(split).collect()
}

/// The splits of points whose folds are known.
fn of_list(of: &[usize], count: usize) -> Splits {
    let split = |fold| {
        let (out, rest) = (0..of.len()).partition(|&i| of[i] == fold);
        Split { out, rest }
    };
    (0..count).map(split).collect()
}

/// The fold of each point: groups in a drawn order, the largest first, each to the fold that has fewest points.
fn grouped(groups: &[usize], count: usize, folds: usize, seed: u64) -> Vec<usize> {
    let mut sizes = vec![0; count];
    groups.iter().for_each(|&group| sizes[group] += 1);
    let mut order: Vec<usize> = (0..count).collect();
    SplitMix(seed).shuffle(&mut order);
    order.sort_by_key(|&group| std::cmp::Reverse(sizes[group]));
    let (mut filled, mut fold) = (vec![0; folds], vec![0; count]);
    for group in order {
        let least = (0..folds).min_by_key(|&k| filled[k]).unwrap_or(0);
        filled[least] += sizes[group];
        fold[group] = least;
    }
    groups.iter().map(|&group| fold[group]).collect()
}

/// A share of the points, of classes the share of each: the number left out of each class is rounded such that their sum is the
/// rounded share of all, and every class keeps a point to be fitted to where it has one.
fn held_out(layout: &Layout<'_>, share: f64, seed: u64) -> Split {
    let mut members: Vec<Vec<usize>> = match layout.labels {
        None => vec![(0..layout.points).collect()],
        Some(labels) => {
            let mut members = vec![Vec::new(); labels.classes().len()];
            labels.index().iter().enumerate().for_each(|(i, &class)| members[class as usize].push(i));
            members
        }
    };
    let mut random = SplitMix(seed);
    let (mut out, mut before) = (Vec::new(), 0);
    for list in &mut members {
        random.shuffle(list);
        // Rounding the sum and not each part keeps the whole share right.
        let due = (share * (before + list.len()) as f64).round() as usize;
        let taken = due.saturating_sub(out.len()).min(list.len().saturating_sub(1));
        before += list.len();
        out.extend(&list[..taken]);
    }
    out.sort_unstable();
    let rest = (0..layout.points).filter(|i| out.binary_search(i).is_err()).collect();
    Split { out, rest }
}

impl FromStr for Scheme {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        const RULE: &str = "a number of folds, plain(K), grouped(K), loo, holdout(SHARE), time(K) or given";
        let refused = || ErrorKind::Setting { name: "split", value: text.into(), rule: RULE }.into();
        let (name, inside) = match text.trim().split_once('(') {
            Some((name, rest)) => (name.trim(), Some(rest.strip_suffix(')').ok_or_else(refused)?.trim())),
            None => (text.trim(), None),
        };
        let count = || inside.and_then(|inside| inside.parse().ok());
        let found = match name {
            "loo" | "leave-one-out" if inside.is_none() => Some(Self::LeaveOneOut),
            "given" if inside.is_none() => Some(Self::Given),
            "folds" => count().map(Self::Folds),
            "plain" => count().map(Self::Plain),
            "grouped" => count().map(Self::Grouped),
            "time" => count().map(Self::Time),
            "holdout" => inside.and_then(|inside| inside.parse().ok()).map(Self::HoldOut),
            number if inside.is_none() => number.parse().ok().map(Self::Folds),
            _ => None,
        };
        found.ok_or_else(refused)
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folds(k) => write!(f, "{k}"),
            Self::Plain(k) => write!(f, "plain({k})"),
            Self::Grouped(k) => write!(f, "grouped({k})"),
            Self::LeaveOneOut => f.write_str("loo"),
            Self::HoldOut(share) => write!(f, "holdout({share})"),
            Self::Time(k) => write!(f, "time({k})"),
            Self::Given => f.write_str("given"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(points: usize) -> Layout<'static> {
        Layout { points, ..Layout::default() }
    }

    #[test]
    fn text_and_scheme_are_the_same() {
        for text in ["5", "plain(3)", "grouped(4)", "loo", "holdout(0.25)", "time(5)", "given"] {
            assert_eq!(text.parse::<Scheme>().unwrap().to_string(), text);
        }
        assert_eq!("folds( 7 )".parse::<Scheme>().unwrap(), Scheme::Folds(7));
        for text in ["", "x", "plain", "plain(a)", "loo(3)", "5)", "holdout(a)", "time(-1)", "plain(3"] {
            assert!(text.parse::<Scheme>().is_err(), "{text}");
        }
    }

    #[test]
    fn folds_of_classes_are_those_of_the_dealer() {
        let labels = Labels::first_seen((0..30).map(|i| if i % 3 == 0 { "a" } else { "b" }));
        let layout = Layout { labels: Some(&labels), ..plain(30) };
        let (splits, folds) =
            (Scheme::Folds(5).splits(&layout, 1, 9).unwrap(), Folds::stratified(&labels, 5, 9));
        for (k, split) in splits.iter().enumerate() {
            assert_eq!((split.out.clone(), split.rest.clone()), folds.split(k));
        }
    }

    #[test]
    fn time_goes_forward() {
        let splits = Scheme::Time(3).splits(&plain(10), 1, 0).unwrap();
        // Stretches of two points; the first has what is left over.
        assert_eq!(splits[0], Split { out: vec![4, 5], rest: vec![0, 1, 2, 3] });
        assert_eq!(splits[2], Split { out: vec![8, 9], rest: (0..8).collect() });
    }

    #[test]
    fn groups_stay_together() {
        let groups: Vec<usize> = (0..40).map(|i| (i * 7) % 11).collect();
        let layout = Layout { groups: &groups, ..plain(40) };
        let splits = Scheme::Grouped(4).splits(&layout, 2, 3).unwrap();
        assert_eq!(splits.len(), 8);
        for split in &splits {
            assert!(split.out.iter().all(|&i| split.rest.iter().all(|&j| groups[i] != groups[j])));
            assert!((8..=12).contains(&split.out.len()), "{}", split.out.len());
        }
    }

    #[test]
    fn a_share_is_held_out_of_each_class() {
        let labels = Labels::first_seen((0..40).map(|i| if i % 4 == 0 { "a" } else { "b" }));
        let layout = Layout { labels: Some(&labels), ..plain(40) };
        let split = &Scheme::HoldOut(0.3).splits(&layout, 1, 3).unwrap()[0];
        assert_eq!(split.out.len(), 12);
        assert_eq!(split.out.iter().filter(|&&i| i % 4 == 0).count(), 3);
        let repeated = Scheme::HoldOut(0.3).splits(&layout, 3, 3).unwrap();
        assert!(repeated[0] == *split && repeated[1] != repeated[0] && repeated[2] != repeated[1]);
    }

    #[test]
    fn given_folds_are_taken_as_they_are() {
        let layout = Layout { folds: &[7, 3, 7, 5], ..plain(4) };
        let splits = Scheme::Given.splits(&layout, 1, 0).unwrap();
        let out: Vec<Vec<usize>> = splits.into_iter().map(|split| split.out).collect();
        assert_eq!(out, [vec![1], vec![3], vec![0, 2]]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (scheme, points, repeats) in [
            (Scheme::Folds(1), 10, 1),
            (Scheme::Folds(11), 10, 1),
            (Scheme::LeaveOneOut, 1, 1),
            (Scheme::LeaveOneOut, 10, 2),
            (Scheme::Time(3), 10, 2),
            (Scheme::Time(10), 10, 1),
            (Scheme::Time(0), 10, 1),
            (Scheme::HoldOut(1.0), 10, 1),
            (Scheme::HoldOut(f64::NAN), 10, 1),
            (Scheme::HoldOut(0.001), 10, 1),
            (Scheme::Grouped(2), 10, 1),
            (Scheme::Given, 10, 1),
            (Scheme::Folds(2), 0, 1),
            (Scheme::Folds(2), 10, 0),
        ] {
            assert!(scheme.splits(&plain(points), repeats, 0).is_err(), "{scheme}");
        }
    }

    proptest! {
        #[test]
        fn every_point_is_left_out_once(n in 2_usize..60, k in 2_usize..9, seed in 0_u64..1000) {
            let k = k.min(n);
            let groups: Vec<usize> = (0..n).map(|i| i % (k + 1).min(n)).collect();
            let layout = Layout { groups: &groups, ..plain(n) };
            for scheme in [Scheme::Folds(k), Scheme::Plain(k), Scheme::Grouped(k), Scheme::LeaveOneOut] {
                let splits = scheme.splits(&layout, 1, seed).unwrap();
                let mut out: Vec<usize> = splits.iter().flat_map(|split| split.out.clone()).collect();
                out.sort_unstable();
                prop_assert!(out.iter().copied().eq(0..n));
                for Split { out, rest } in splits {
                    prop_assert_eq!(out.len() + rest.len(), n);
                    prop_assert!(out.iter().all(|i| !rest.contains(i)));
                }
            }
        }
    }
}
