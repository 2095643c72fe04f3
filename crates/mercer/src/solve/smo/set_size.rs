//! How many variables a working set has.

use super::Smo;

/// The least and the most variables of a working set where the caller leaves the size open.
const LEAST: usize = 64;
const MOST: usize = 2048;
/// Points up to which the working set is the whole problem.
pub(crate) const WHOLE: usize = 700;
/// Points beyond which working sets become smaller: a row that is computed and not needed costs more than a round.
const LONG_ROW: usize = 50_000;
/// Bytes of rows up to which the size does not depend on the budget for rows, so that the answer does not either.
const SMALL_SET: usize = 8 << 20;
/// The size doubles when more than `GROW` of a set moves and halves when less than `SHRINK` does; the average begins
/// again at `EVEN`.
const GROW: f64 = 0.55;
const SHRINK: f64 = 0.25;
const EVEN: f64 = 0.4;

/// The size q of the working sets of a solve.
pub(super) struct SetSize {
    now: usize,
    most: usize,
    /// The share of a working set that moves, averaged over a few rounds.
    moving: f64,
    /// Whether the caller has set the size.
    fixed: bool,
}

impl SetSize {
    /// The size for a problem of n variables to begin with.
    pub(super) fn new(settings: &Smo, n: usize) -> Self {
        let now = first(settings, n);
        Self { now, most: most(settings, now, n), moving: EVEN, fixed: settings.working_set.is_some() }
    }

    /// q: the most variables of the next working set.
    pub(super) fn now(&self) -> usize {
        self.now
    }

    /// The most that q may become.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Doubles the size while most of a working set moves, halves it while little does. `moved` is the share of the
    /// last one that moved.
    pub(super) fn adapt(&mut self, moved: f64) {
        if self.fixed {
            return;
        }
        self.moving += (moved - self.moving) / 4.0;
        if self.moving > GROW && 2 * self.now <= self.most {
            self.now *= 2;
            self.moving = EVEN;
        } else if self.moving < SHRINK && self.now >= 2 * LEAST {
            self.now /= 2;
            self.moving = EVEN;
        }
    }

    /// Only n variables are active from now on.
    pub(super) fn shrink_to(&mut self, n: usize) {
        self.most = self.most.min(n).max(2);
        self.now = self.now.min(self.most);
    }

    /// All n variables of the problem are active again.
    pub(super) fn restore(&mut self, settings: &Smo, n: usize) {
        if self.fixed {
            self.now = first(settings, n);
        }
        self.most = most(settings, self.now, n);
    }
}

/// The first q: all of a very small problem, a quarter of a small one, a few hundred variables of a large one, fewer
/// where rows are long and where no more rows fit the budget.
fn first(settings: &Smo, n: usize) -> usize {
    let long_rows = LONG_ROW * 512 / n.max(LONG_ROW);
    let fitting = fitting(settings, n).max(SMALL_SET / (size_of::<f32>() * n.max(1)));
    let few = (n / 4).min(long_rows).min(fitting).clamp(LEAST, 512);
    settings.working_set.unwrap_or(if n <= WHOLE { n } else { few }).clamp(2, n.max(2))
}

/// The most that q may become: what fits the budget for rows, but at least `size`.
fn most(settings: &Smo, size: usize, n: usize) -> usize {
    settings.working_set.unwrap_or(MOST).min(fitting(settings, n)).clamp(size, n.max(size))
}

/// Rows of n values that fit the budget.
fn fitting(settings: &Smo, n: usize) -> usize {
    settings.cache_bytes / (size_of::<f32>() * n.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_working_set_fits_the_budget_for_rows() {
        let budget = |megabytes: usize| Smo { cache_bytes: megabytes << 20, ..Smo::default() };
        assert_eq!(first(&budget(2048), 40_000), 512);
        assert_eq!(first(&budget(2048), 100_000), 256);
        // 12 MB are 314 rows of 10,000 values; a set has at least 64 in any case.
        assert_eq!(first(&budget(12), 10_000), 314);
        assert_eq!(first(&budget(1), 100_000), LEAST);
        assert_eq!(most(&budget(12), 314, 10_000), 314);
        // The budget does not matter where rows are short.
        assert_eq!(first(&budget(0), 300), 300);
        assert_eq!(first(&budget(0), 2000), first(&budget(2048), 2000));
    }

    #[test]
    fn the_size_doubles_while_sets_move_and_halves_while_they_do_not() {
        let settings = Smo::default();
        let mut size = SetSize::new(&settings, 40_000);
        (0..8).for_each(|_| size.adapt(1.0));
        assert_eq!(size.now(), MOST);
        size.shrink_to(300);
        assert_eq!((size.now(), size.most()), (300, 300));
        (0..20).for_each(|_| size.adapt(0.0));
        assert_eq!(size.now(), 75);
        size.restore(&settings, 40_000);
        assert_eq!((size.now(), size.most()), (75, MOST));
        let fixed = Smo { working_set: Some(10), ..settings };
        let mut size = SetSize::new(&fixed, 40_000);
        size.adapt(1.0);
        size.shrink_to(4);
        assert_eq!(size.now(), 4);
        size.restore(&fixed, 40_000);
        assert_eq!((size.now(), size.most()), (10, 10));
    }
}
