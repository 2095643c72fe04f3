//! Which variables to work on next.

use rayon::prelude::*;

use super::state::{Extremes, Spread, State};
use crate::gram::Cached;
use crate::simd::MIN_CURVATURE;

/// How many of the working set's places go to variables of the last set that are worth another look.
const KEPT: f64 = 0.6;

/// Violations above this share of the largest are strong.
const STRONG: f64 = 0.5;

/// Variables looked at by one task.
const TASK: usize = 8192;

/// What the choice is made from, in the numbering of the active variables.
pub(super) struct Choice<'a> {
    state: &'a State,
    extremes: Extremes,
}

/// A side of the violation: the variables that should rise, or those that should fall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Rise,
    Fall,
}

impl<'a> Choice<'a> {
    pub(super) fn new(extremes: Extremes, state: &'a State) -> Self {
        Self { state, extremes }
    }

    /// At most `size` variables: of those the `last` round moved the ones that are free now, up to a share of the
    /// places; the others from both ends of the violation, alternately.
    pub(super) fn choose(&self, size: usize, last: &[usize]) -> Vec<usize> {
        let mut taken = vec![false; self.state.len()];
        let mut chosen = Vec::with_capacity(size);
        // Two places at least are for the pair that violates most: without it a round can stand still.
        let keep = ((size as f64 * KEPT) as usize).min(size.saturating_sub(2));
        for &i in last.iter().filter(|&&i| self.state.free(i)).take(keep) {
            taken[i] = true;
            chosen.push(i);
        }
        // Where there are two sums, the places are for both as long as both are violated.
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
        // All of them in their own order, in which their kernel values lie side by side.
        if chosen.len() == self.state.len() {
            chosen.sort_unstable();
        }
        chosen
    }

    /// The variable that should rise most and the partner with the largest second-order gain, of the sum that is violated
    /// most; a partner that violates by less than `least` is none.
    pub(super) fn pair(&self, least: f64, cache: &mut Cached<'_>) -> Vec<usize> {
        let spread = |group: usize| self.extremes.groups[group].violation();
        let group = if self.state.groups() > 1 && spread(1) > spread(0) { 1 } else { 0 };
        let own = |i: &usize| self.state.group(*i) == group;
        let all = 0..self.state.len();
        let order = |a: &usize, b: &usize| self.state.rise(*a).total_cmp(&self.state.rise(*b));
        let Some(rise) = all.clone().filter(own).min_by(order) else { return Vec::new() };
        let diagonal = cache.gram().diagonal().to_vec();
        let rows = cache.lend(&[rise]);
        let gain = |&fall: &usize| {
            let slope = self.state.fall(fall) - self.state.rise(rise);
            let curvature = diagonal[rise] + diagonal[fall] - 2.0 * f64::from(rows[0][fall]);
            if slope > least { slope * slope / curvature.max(f64::from(MIN_CURVATURE)) } else { 0.0 }
        };
        let best = all.filter(own).max_by(|a, b| gain(a).total_cmp(&gain(b)).then(b.cmp(a)));
        best.filter(|fall| *fall != rise && gain(fall) > 0.0).map_or_else(Vec::new, |fall| vec![rise, fall])
    }

    /// Adds variables of a group from both ends, alternately, until `size` are chosen.
    fn fill(&self, group: usize, size: usize, taken: &mut [bool], chosen: &mut Vec<usize>) {
        let wanted = size - chosen.len();
        let (risers, fallers) =
            (self.side(Side::Rise, group, wanted, taken), self.side(Side::Fall, group, wanted, taken));
        let (mut risers, mut fallers) = (risers.into_iter(), fallers.into_iter());
        // A free variable can stand in both lists; it is taken once.
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

    /// Up to `count` violators of one side, in the order in which to take them.
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

    /// The variables of one side whose key, the slope or its negative, is below `limit`.
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

/// The `count` lowest, in order; of equals the first.
fn lowest(mut list: Vec<(f64, usize)>, count: usize) -> Vec<usize> {
    let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if list.len() > count && count > 0 {
        list.select_nth_unstable_by(count - 1, order);
    }
    list.truncate(count);
    list.sort_unstable_by(order);
    list.into_iter().map(|(_, i)| i).collect()
}

/// The lowest quarter of `count`, and between them three at a time evenly from the others: the worst violators lie
/// close together and are settled by a few of them, the others tell of the rest of the space.
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
        // 0 may only fall, 3 only rise: neither violates. 1 may fall, 2 may rise: no violation. All decided but none.
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
