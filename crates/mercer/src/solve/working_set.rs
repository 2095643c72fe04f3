//! Which variables to work on next.

/// How many of the working set's places go to variables of the last set that are worth another look.
const KEPT: f64 = 0.5;

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
    /// At most `size` variables: of the `last` set those that are free, then those that moved (`last` is in the order
    /// of merit), up to a share of the places; the others from both ends of the violation, alternately.
    pub(super) fn choose(&self, size: usize, last: &[usize]) -> Vec<usize> {
        let mut taken = vec![false; self.beta.len()];
        let mut chosen = Vec::with_capacity(size);
        // Two places at least are for the pair that violates most: without it a round can stand still.
        let keep = ((size as f64 * KEPT) as usize).min(size.saturating_sub(2));
        let free = |&&i: &&usize| self.beta[i] > self.lower[i] && self.beta[i] < self.upper[i];
        for &i in last.iter().filter(free).chain(last.iter().filter(|i| !free(i))).take(keep) {
            taken[i] = true;
            chosen.push(i);
        }
        let wanted = size - chosen.len();
        let risers = self.worst(wanted, &taken, true);
        let fallers = self.worst(wanted, &taken, false);
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

    /// Up to `count` violators of one side, the worst first.
    fn worst(&self, count: usize, taken: &[bool], rising: bool) -> Vec<usize> {
        let mut list: Vec<(f64, usize)> = Vec::new();
        for i in 0..self.beta.len() {
            let g = self.gradient[i];
            let violates = if rising {
                self.beta[i] < self.upper[i] && g < self.fall
            } else {
                self.beta[i] > self.lower[i] && g > self.rise
            };
            if violates && !taken[i] {
                list.push((if rising { g } else { -g }, i));
            }
        }
        let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if list.len() > count && count > 0 {
            list.select_nth_unstable_by(count - 1, order);
        }
        list.truncate(count);
        list.sort_unstable_by(order);
        list.into_iter().map(|(_, i)| i).collect()
    }
}
