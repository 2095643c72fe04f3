//! Which variables to work on next.

/// How many of the working set's places go to variables of the last set that are worth another look.
const KEPT: f64 = 0.5;

/// Violations above this share of the largest are strong.
const STRONG: f64 = 0.5;

/// What the choice is made from, in the numbering of the active variables.
pub(super) struct Choice<'a> {
    pub(super) beta: &'a [f64],
    pub(super) lower: &'a [f64],
    pub(super) upper: &'a [f64],
    pub(super) gradient: &'a [f64],
    /// Smallest gradient that may rise.
    pub(super) rise: f64,
    /// Largest gradient that may fall.
    pub(super) fall: f64,
}

impl Choice<'_> {
    /// At most `size` variables: of those the `last` round moved the ones that are free now, up to a share of the
    /// places; the others from both ends of the violation, alternately.
    pub(super) fn choose(&self, size: usize, last: &[usize]) -> Vec<usize> {
        let mut taken = vec![false; self.beta.len()];
        let mut chosen = Vec::with_capacity(size);
        // Two places at least are for the pair that violates most: without it a round can stand still.
        let keep = ((size as f64 * KEPT) as usize).min(size.saturating_sub(2));
        let free = |&&i: &&usize| self.beta[i] > self.lower[i] && self.beta[i] < self.upper[i];
        for &i in last.iter().filter(free).take(keep) {
            taken[i] = true;
            chosen.push(i);
        }
        let wanted = size - chosen.len();
        let risers = self.side(wanted, &taken, true);
        let fallers = self.side(wanted, &taken, false);
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
            let rose = add(&mut risers, &mut chosen);
            let fell = chosen.len() < size && add(&mut fallers, &mut chosen);
            if !rose && !fell {
                break;
            }
        }
        chosen
    }

    /// Up to `count` violators of one side, in the order in which to take them.
    fn side(&self, count: usize, taken: &[bool], rising: bool) -> Vec<usize> {
        let violates = |i: usize| {
            let g = self.gradient[i];
            let (may, beyond) = if rising {
                (self.beta[i] < self.upper[i], g < self.fall)
            } else {
                (self.beta[i] > self.lower[i], g > self.rise)
            };
            may && beyond && !taken[i]
        };
        let key = |i: usize| if rising { self.gradient[i] } else { -self.gradient[i] };
        let mut list: Vec<(f64, usize)> =
            (0..self.beta.len()).filter(|&i| violates(i)).map(|i| (key(i), i)).collect();
        let worst = if rising { self.rise } else { -self.fall };
        let limit = worst + (1.0 - STRONG) * (self.fall - self.rise);
        let strong = list.iter().filter(|(key, _)| *key <= limit).count();
        if strong <= count {
            return lowest(list, count);
        }
        list.retain(|(key, _)| *key <= limit);
        spread(list, count)
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
    let mut is_lowest = std::collections::HashSet::with_capacity(lowest.len());
    is_lowest.extend(lowest.iter().copied());
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
