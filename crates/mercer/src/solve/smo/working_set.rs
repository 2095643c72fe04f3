//! The working set from round to round.

use super::inner::Inner;
use super::set_size::SetSize;

/// What one round leaves for the next, in the numbering of the active variables.
pub(super) struct WorkingSet {
    pub(super) size: SetSize,
    /// The variables that the last round moved.
    pub(super) last: Vec<usize>,
    /// The last working set if it was a pair, in the numbering of the problem.
    pub(super) pair: Option<(usize, usize)>,
    /// The programme restricted to the working set.
    pub(super) inner: Inner,
    /// Whether the kernel values of the set must be those of the rows to the last bit.
    pub(super) gathered: bool,
}

impl WorkingSet {
    /// Before the first round.
    pub(super) fn new(size: SetSize) -> Self {
        Self { size, last: Vec::new(), pair: None, inner: Inner::default(), gathered: false }
    }

    /// From now on, takes the kernel values of the set from the rows.
    pub(super) fn gather(&mut self) {
        if !self.gathered {
            self.gathered = true;
            self.inner.forget();
        }
    }

    /// The active variables have changed: `new` tells the new position of a variable, none for one that is set aside.
    pub(super) fn renumber(&mut self, new: impl Fn(usize) -> Option<usize>) {
        self.last = self.last.iter().filter_map(|&i| new(i)).collect();
        self.inner.forget();
    }

    /// Takes in the round that chose `chosen` and moved `moved`, where `index` is the numbering of the problem.
    pub(super) fn record(&mut self, chosen: &[usize], moved: Vec<usize>, index: &[usize]) {
        self.pair = match *chosen {
            [i, j] => Some((index[i], index[j])),
            _ => None,
        };
        self.size.adapt(moved.len() as f64 / chosen.len().max(1) as f64);
        self.last = moved;
    }
}
