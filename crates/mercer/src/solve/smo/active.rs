//! The active variables of a problem, and those that are set aside.
//!
//! A variable is decided when it is at a bound and the gradient holds it there. Decided variables are set aside from time
//! to time, and the vectors, the Gram and the cached rows are compacted to the variables that stay. Each such epoch
//! keeps the gradient of the variables that leave and the β of all variables at that time; when they come back, their
//! gradient is brought up to date with the kernel rows of the variables that have moved since.

use super::Problem;
use super::state::{Extremes, State};
use crate::error::DataProblem;
use crate::gram::{Cached, Gram};
use crate::solve::finite::not_finite;

/// The least share of the active variables that is worth a compaction.
const LEAST_SHARE: f64 = 0.3;
/// The share of all points beyond which a copy of only the points that are needed is not worth its memory.
const MOST_COPIED: f64 = 0.6;

/// The problem, divided into the variables that are active and those that are set aside.
pub(super) struct Active<'a> {
    pub(super) problem: &'a Problem,
    /// The Gram of the whole problem.
    pub(super) gram: &'a dyn Gram,
    /// The active variables in the numbering of the problem, ascending.
    pub(super) index: Vec<usize>,
    /// β, box and gradient of the active variables.
    pub(super) state: State,
    /// Kernel rows of the active variables; none only while they are being exchanged.
    cache: Option<Cached<'a>>,
    /// β of all variables; up to date for those that are set aside.
    all_beta: Vec<f64>,
    epochs: Vec<Epoch>,
}

/// Variables that were set aside together.
struct Epoch {
    /// The variables, in the numbering of the problem.
    index: Vec<usize>,
    /// Their gradient at the time.
    gradient: Vec<f64>,
    /// The variables that were not at zero at the time, and their β.
    beta: Vec<(usize, f64)>,
}

impl<'a> Active<'a> {
    /// All variables at the start of the problem. Rows take at most `cache_bytes`, and at least `lent` rows can be lent
    /// at once.
    pub(super) fn new(problem: &'a Problem, gram: &'a dyn Gram, cache_bytes: usize, lent: usize) -> Self {
        let mut gradient = problem.linear.clone();
        let (moved, weights) = moved_since(&vec![0.0; problem.len()], &problem.start);
        gram.accumulate(&moved, &weights, &mut gradient);
        Self {
            problem,
            gram,
            index: (0..problem.len()).collect(),
            state: State::at_start(problem, gradient),
            cache: Some(Cached::new(Box::new(gram), cache_bytes, lent)),
            all_beta: problem.start.clone(),
            epochs: Vec::new(),
        }
    }

    /// How many variables are active.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether no variable is set aside.
    pub(super) fn is_whole(&self) -> bool {
        self.epochs.is_empty()
    }

    /// The active variables and their kernel rows.
    pub(super) fn parts(&mut self) -> (&mut State, &mut Cached<'a>) {
        (&mut self.state, self.cache.as_mut().expect("there is a cache between compactions"))
    }

    /// The active variables that are not decided, as positions among the active ones; none if too few would leave.
    pub(super) fn undecided(&self, extremes: &Extremes) -> Option<Vec<usize>> {
        let kept: Vec<usize> = (0..self.len()).filter(|&i| !self.state.decided(i, extremes)).collect();
        let gone = self.len() - kept.len();
        (gone as f64 >= LEAST_SHARE * self.len() as f64 && kept.len() >= 2).then_some(kept)
    }

    /// Sets aside all active variables but those at the positions `kept`, ascending.
    pub(super) fn keep(&mut self, kept: &[usize], cache_bytes: usize, lent: usize) {
        self.store_beta();
        let mut stays = vec![false; self.len()];
        kept.iter().for_each(|&i| stays[i] = true);
        let gone: Vec<usize> = (0..self.len()).filter(|&i| !stays[i]).collect();
        self.epochs.push(Epoch {
            index: gone.iter().map(|&i| self.index[i]).collect(),
            gradient: gone.iter().map(|&i| self.state.gradient[i]).collect(),
            beta: self.all_beta.iter().copied().enumerate().filter(|&(_, b)| b != 0.0).collect(),
        });
        self.state.keep(kept);
        self.index = kept.iter().map(|&i| self.index[i]).collect();
        let gram = self.gram.restrict(&self.index);
        // The packed copy of all points is of no use before they come back.
        self.gram.release_scratch();
        let cache = self.cache.take().expect("there is a cache between compactions");
        self.cache = Some(cache.restricted(gram, kept, cache_bytes, lent));
    }

    /// Makes all variables active again.
    pub(super) fn bring_back(&mut self, cache_bytes: usize, lent: usize) {
        self.store_beta();
        // The rows held cover the columns that were active only; there is no use for them now.
        self.cache = None;
        let mut gradient = vec![0.0; self.problem.len()];
        self.index.iter().zip(&self.state.gradient).for_each(|(&i, &g)| gradient[i] = g);
        for epoch in std::mem::take(&mut self.epochs) {
            epoch.restore(self.gram, &self.all_beta, &mut gradient);
        }
        self.index = (0..self.problem.len()).collect();
        self.state = State::at_start(self.problem, gradient);
        self.state.beta.clone_from(&self.all_beta);
        self.cache = Some(Cached::new(Box::new(self.gram), cache_bytes, lent));
    }

    /// β of all variables as of the last time that some were set aside, and the active variables and theirs: see [`joined`].
    pub(super) fn values(&self) -> (&[f64], &[usize], &[f64]) {
        (&self.all_beta, &self.index, &self.state.beta)
    }

    fn store_beta(&mut self) {
        self.index.iter().zip(&self.state.beta).for_each(|(&i, &b)| self.all_beta[i] = b);
    }

    /// Names two points between which the kernel is not finite, the first of them at one of the positions `chosen`.
    pub(super) fn not_finite(&mut self, chosen: &[usize]) -> Option<DataProblem> {
        let (i, j) = not_finite(self.parts().1.gram(), chosen)?;
        Some(DataProblem::KernelNotFinite { row: self.index[i] + 1, column: self.index[j] + 1 })
    }

    /// Names the points of the largest and the smallest β: two points of which no function separates one from the other
    /// get ever more weight.
    pub(super) fn not_separable(&self) -> DataProblem {
        let place = |better: fn(f64, f64) -> bool| {
            let mut best = 0;
            for (i, &beta) in self.state.beta.iter().enumerate().take(self.points()) {
                if better(beta, self.state.beta[best]) {
                    best = i;
                }
            }
            self.index[best] + 1
        };
        DataProblem::NotSeparable { row: place(|a, b| a > b), column: place(|a, b| a < b) }
    }

    /// Active variables that belong to points, not to the origin, which comes last.
    fn points(&self) -> usize {
        let origin = !self.problem.offset && self.index.last() == Some(&(self.problem.len() - 1));
        self.len() - usize::from(origin)
    }
}

impl Epoch {
    /// Writes the gradients of the epoch's variables, now that β is `beta`: one pass over the rows of the variables that
    /// have moved since, against the variables of the epoch.
    fn restore(&self, gram: &dyn Gram, beta: &[f64], gradient: &mut [f64]) {
        let mut before = vec![0.0; beta.len()];
        self.beta.iter().for_each(|&(i, b)| before[i] = b);
        let (moved, weights) = moved_since(&before, beta);
        let mut needed = vec![false; beta.len()];
        self.index.iter().chain(&moved).for_each(|&i| needed[i] = true);
        let points = (0..beta.len()).filter(|&i| needed[i]);
        let mut change = vec![0.0; beta.len()];
        if points.clone().count() as f64 > MOST_COPIED * beta.len() as f64 {
            gram.accumulate(&moved, &weights, &mut change);
        } else {
            let points: Vec<usize> = points.collect();
            let place = |i: &usize| points.binary_search(i).expect("every variable that moved is needed");
            let (rows, mut sums) = (moved.iter().map(place).collect::<Vec<_>>(), vec![0.0; points.len()]);
            gram.restrict(&points).accumulate(&rows, &weights, &mut sums);
            points.iter().zip(sums).for_each(|(&i, sum)| change[i] = sum);
        }
        self.index.iter().zip(&self.gradient).for_each(|(&i, g)| gradient[i] = g + change[i]);
    }
}

/// `all` with the values of the variables at `index` replaced by `beta`.
pub(super) fn joined(all: &[f64], index: &[usize], beta: &[f64]) -> Vec<f64> {
    let mut joined = all.to_vec();
    index.iter().zip(beta).for_each(|(&i, &b)| joined[i] = b);
    joined
}

/// The variables that have moved from `before` to `now`, and how far.
pub(super) fn moved_since(before: &[f64], now: &[f64]) -> (Vec<usize>, Vec<f64>) {
    let moved = (0..now.len()).filter(|&i| now[i] != before[i]);
    moved.map(|i| (i, now[i] - before[i])).unzip()
}
