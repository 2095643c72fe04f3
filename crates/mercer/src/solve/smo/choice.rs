//! The choice of the working set.

use rayon::prelude::*;

use super::state::{Extremes, Spread, State};
use crate::gram::Cached;
use crate::simd::MIN_CURVATURE;

/// The largest share of a working set for variables that the last round moved.
const KEPT: f64 = 0.6;

/// A violation above this share of the largest is strong.
const STRONG: f64 = 0.5;

/// Variables that one task looks at.
const TASK: usize = 8192;

/// The choice of a working set among the active variables, in their numbering.
pub(super) struct Choice<'a> {
    state: &'a State,
    extremes: Extremes,
}

/// The variables that should rise, or those that should fall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Rise,
    Fall,
}

impl<'a> Choice<'a> {
    pub(super) fn new(extremes: Extremes, state: &'a State) -> Self {
        Self { state, extremes }
    }

    /// At most `size` variables: first variables that the last round moved (`last`) and that are free now, up to a share
    /// of the set; then violators, in turn one that should rise and one that should fall.
    pub(super) fn choose(&self, size: usize, last: &[usize]) -> Vec<usize> {
        let mut taken = vec![false; self.state.len()];
        let mut chosen = Vec::with_capacity(size);
        // At least two places are for the pair that violates most, without which a round may change nothing.
        let keep = ((size as f64 * KEPT) as usize).min(size.saturating_sub(2));
        for &i in last.iter().filter(|&&i| self.state.free(i)).take(keep) {
            taken[i] = true;
            chosen.push(i);
        }
        // With two sums, the set has violators of both as long as both have any.
        let groups = (0..self.state.groups()).filter(|&g| self.extremes.groups[g].violation() > 0.0);
        let mut groups: Vec<usize> = groups.collect();
        groups.sort_by(|&a, &b| {
            self.extremes.groups[b].violation().total_cmp(&self.extremes.groups[a].violation())
        });
        for (nth, &group) in groups.iter().enumerate() {
            let left = size - chosen.len();
            let places = (left / (groups.len() - nth)).max(2).min(left);
            self.fill(group, chosen.len() + places, &mut taken, &mut chosen);
        }
        // The whole problem is kept in its own order, in which its kernel values lie next to each other.
        if chosen.len() == self.state.len() {
            chosen.sort_unstable();
        }
        chosen
    }

    /// The variable that should rise most and its partner with the largest second-order gain, in the sum with the largest
    /// violation. A partner must violate by at least `least`; empty if there is none.
    pub(super) fn pair(&self, least: f64, cache: &mut Cached<'_>) -> Vec<usize> {
        let spread = |group: usize| self.extremes.groups[group].violation();
        let group = if self.state.groups() > 1 && spread(1) > spread(0) { 1 } else { 0 };
        let in_group = |i: &usize| self.state.group(*i) == group;
        let all = 0..self.state.len();
        let order = |a: &usize, b: &usize| self.state.rise(*a).total_cmp(&self.state.rise(*b));
        let Some(rise) = all.clone().filter(in_group).min_by(order) else { return Vec::new() };
        let diagonal = cache.gram().diagonal().to_vec();
        let rows = cache.lend(&[rise]);
        let gain = |&fall: &usize| {
            let slope = self.state.fall(fall) - self.state.rise(rise);
            let curvature = diagonal[rise] + diagonal[fall] - 2.0 * f64::from(rows[0][fall]);
            if slope > least { slope * slope / curvature.max(f64::from(MIN_CURVATURE)) } else { 0.0 }
        };
        let best = all.filter(in_group).max_by(|a, b| gain(a).total_cmp(&gain(b)).then(b.cmp(a)));
        best.filter(|fall| *fall != rise && gain(fall) > 0.0).map_or_else(Vec::new, |fall| vec![rise, fall])
    }

    /// Adds violators of a group, in turn one that should rise and one that should fall, until `size` are chosen.
    fn fill(&self, group: usize, size: usize, taken: &mut [bool], chosen: &mut Vec<usize>) {
        let wanted = size - chosen.len();
        let (risers, fallers) =
            (self.side(Side::Rise, group, wanted, taken), self.side(Side::Fall, group, wanted, taken));
        let (mut risers, mut fallers) = (risers.into_iter(), fallers.into_iter());
        // A free variable can be in both lists; it is taken once.
        let mut add = |from: &mut std::vec::IntoIter<usize>, chosen: &mut Vec<usize>| {
            let next = from.find(|&i| !taken[i]);
            next.inspect(|&i| {
                taken[i] = true;
                chosen.push(i);
            })
            .is_some()
        };
        while chosen.len() < size {
            let rose = add(&mut risers, chosen);
            let fell = chosen.len() < size && add(&mut fallers, chosen);
            if !rose && !fell {
                break;
            }
        }
    }

    /// Up to `count` violators of one side, in the order in which they are to be taken.
    fn side(&self, side: Side, group: usize, count: usize, taken: &[bool]) -> Vec<usize> {
        let Spread { rise, fall, .. } = self.extremes.groups[group];
        let (worst, mildest) = match side {
            Side::Rise => (rise, fall),
            Side::Fall => (-fall, -rise),
        };
        let strong = self.beyond(side, group, worst + (1.0 - STRONG) * (fall - rise), taken);
        if strong.len() > count {
            return spread(strong, count);
        }
        lowest(self.beyond(side, group, mildest, taken), count)
    }

    /// The variables of one side whose key is below `limit`. The key is the slope for variables that should rise, and its
    /// negative for those that should fall.
    fn beyond(&self, side: Side, group: usize, limit: f64, taken: &[bool]) -> Vec<(f64, usize)> {
        let n = self.state.len();
        let piece = |task: usize| {
            let mut found = Vec::new();
            for i in task * TASK..n.min((task + 1) * TASK) {
                let key = match side {
                    Side::Rise => self.state.rise(i),
                    Side::Fall => -self.state.fall(i),
                };
                if key < limit && !taken[i] && self.state.group(i) == group {
                    found.push((key, i));
                }
            }
            found
        };
        let tasks = n.div_ceil(TASK);
        if tasks == 1 { piece(0) } else { (0..tasks).into_par_iter().flat_map_iter(piece).collect() }
    }
}

/// The `count` variables with the lowest keys, in order; of equal ones the first.
fn lowest(mut list: Vec<(f64, usize)>, count: usize) -> Vec<usize> {
    let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if list.len() > count && count > 0 {
        list.select_nth_unstable_by(count - 1, order);
    }
    list.truncate(count);
    list.sort_unstable_by(order);
    list.into_iter().map(|(_, i)| i).collect()
}

/// `count` variables: a quarter are those with the lowest keys, and after each of them come three that are spread evenly
/// over the others. The worst violators lie close together, and a few of them settle all; the others bring in the rest of
/// the input space.
fn spread(mut list: Vec<(f64, usize)>, count: usize) -> Vec<usize> {
    let lowest = lowest(list.clone(), count.div_ceil(4));
    let is_lowest: std::collections::HashSet<usize> = lowest.iter().copied().collect();
    list.retain(|(_, i)| !is_lowest.contains(i));
    let others = count - lowest.len();
    let mut evenly = (0..others).map(|k| list[k * list.len() / others].1);
    let mut chosen = Vec::with_capacity(count);
    for i in lowest {
        chosen.push(i);
        chosen.extend(evenly.by_ref().take(3));
    }
    chosen.truncate(count);
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_pair_is_always_chosen() {
        let n = 20_000;
        let gradient: Vec<f64> = (0..n).map(|i| ((i * 7919) % 10_007) as f64 / 10_007.0).collect();
        let (lower, upper) = (vec![0.0; n], vec![1.0; n]);
        let beta: Vec<f64> = (0..n).map(|i| [0.0, 0.5, 1.0][i % 3]).collect();
        let (second, kink) = (Vec::new(), 0.0);
        let state = State {
            beta: beta.clone(),
            lower,
            upper,
            gradient: gradient.clone(),
            second,
            kink,
            ridge: Vec::new(),
            offset: true,
        };
        let choice = Choice::new(state.extremes(), &state);
        let may = |may: &dyn Fn(usize) -> bool| (0..n).filter(|&i| may(i)).collect::<Vec<_>>();
        let rise = may(&|i| beta[i] < 1.0).into_iter().min_by(|&a, &b| gradient[a].total_cmp(&gradient[b]));
        let fall = may(&|i| beta[i] > 0.0).into_iter().max_by(|&a, &b| gradient[a].total_cmp(&gradient[b]));
        for size in [2, 3, 64, 512] {
            let last: Vec<usize> = (0..size).map(|i| 3 * i + 1).collect();
            let chosen = choice.choose(size, &last);
            assert_eq!(chosen.len(), size);
            assert_eq!(chosen.iter().collect::<std::collections::HashSet<_>>().len(), size, "each once");
            let value = |i: Option<usize>| i.map(|i| gradient[i]);
            let best = chosen.iter().filter(|&&i| beta[i] < 1.0).map(|&i| gradient[i]).reduce(f64::min);
            assert_eq!(best, value(rise));
            let best = chosen.iter().filter(|&&i| beta[i] > 0.0).map(|&i| gradient[i]).reduce(f64::max);
            assert_eq!(best, value(fall));
        }
    }

    #[test]
    fn only_violators_are_chosen_where_they_are_few() {
        // 0 and 1 may only fall, 2 and 3 may only rise, and no slope of the former exceeds one of the latter.
        let state = State {
            beta: vec![1.0, 1.0, 0.0, 0.0],
            lower: vec![0.0; 4],
            upper: vec![1.0; 4],
            gradient: vec![0.0, 1.0, 2.0, 3.0],
            second: Vec::new(),
            kink: 0.0,
            ridge: Vec::new(),
            offset: true,
        };
        let extremes = state.extremes();
        let choice = Choice::new(extremes, &state);
        assert_eq!((extremes.violation(), choice.choose(4, &[]).len()), (0.0, 0));
    }
}
