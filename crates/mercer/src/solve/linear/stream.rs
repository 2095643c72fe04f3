//! Stochastic steps by points as they come, in their order and each once.
//!
//! The weight of the constant feature is the first of w and that of feature k the one at k + 1, so that w can grow as features appear.
//! Points are gathered until there are enough for a step; what a stream has come to depends on its points alone, not on how they
//! were handed over.

use super::cost::Cost;
use super::pegasos::{Pegasos, slope};
use super::stochastic::{Entries, Mean, State};
use crate::data::Row;

/// A row and the constant feature before it.
struct Streamed<'a> {
    row: Row<'a>,
    constant: f64,
}

impl Entries for Streamed<'_> {
    fn product(&self, vector: &[f64]) -> f64 {
        let (first, features) = vector.split_at(1);
        let mut sum = self.constant * first[0];
        match self.row {
            Row::Dense64(values) => sum += crate::linalg::dot(values, &features[..values.len()]),
            row => row.for_each(|k, value| sum += value * features[k]),
        }
        sum
    }

    fn add(&self, c: f64, vector: &mut [f64]) {
        let (first, features) = vector.split_at_mut(1);
        first[0] += c * self.constant;
        self.row.for_each(|k, value| features[k] += c * value);
    }

    fn square(&self) -> f64 {
        let mut sum = self.constant * self.constant;
        self.row.for_each(|_, value| sum += value * value);
        sum
    }
}

/// The entries of a point that waits for its step, the constant feature among them.
pub(crate) type Kept = Vec<(u32, f64)>;

impl Entries for Kept {
    fn product(&self, vector: &[f64]) -> f64 {
        self.iter().map(|&(k, value)| value * vector[k as usize]).sum()
    }

    fn add(&self, c: f64, vector: &mut [f64]) {
        self.iter().for_each(|&(k, value)| vector[k as usize] += c * value);
    }

    fn square(&self) -> f64 {
        self.iter().map(|(_, value)| value * value).sum()
    }
}

/// A function that learns from a stream of points.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stream {
    /// What the steps have come to.
    pub(crate) state: State,
    /// Points of the step to come with β ≠ 0, each with its β.
    pub(crate) kept: Vec<(Kept, f64)>,
    /// Points of the step to come.
    pub(crate) waiting: usize,
    cost: Cost,
    batch: usize,
    constant: f64,
}

impl Stream {
    /// No point yet, for rows of `width` features; `constant` is 1 or, where there is no offset, 0.
    pub(crate) fn new(how: &Pegasos, cost: Cost, lambda: f64, width: usize, constant: f64) -> Self {
        let mean = if how.averaging { Mean::Rising } else { Mean::None };
        let state = State::new(width + 1, how.of(cost, lambda, mean));
        Self { state, kept: Vec::new(), waiting: 0, cost, batch: how.batch, constant }
    }

    /// Makes room for rows of `width` features.
    pub(crate) fn widen(&mut self, width: usize) {
        self.state.widen(width + 1);
    }

    /// Learns from a row with the target ±1 and a factor on its cost; gives the output before.
    pub(crate) fn learn(&mut self, row: Row<'_>, target: f64, price: f64) -> f64 {
        let point = Streamed { row, constant: self.constant };
        let output = self.state.output(&point);
        let beta = slope(self.cost, target, price, output);
        if self.batch == 1 {
            self.state.step((beta != 0.0).then_some((point, beta)).into_iter(), 1);
            return output;
        }
        if beta != 0.0 {
            let mut kept: Kept = vec![(0, self.constant)];
            row.for_each(|k, value| kept.push((k as u32 + 1, value)));
            self.kept.push((kept, beta));
        }
        self.waiting += 1;
        if self.waiting == self.batch {
            self.flush();
        }
        output
    }

    /// The cost of an output.
    pub(crate) fn cost(&self, target: f64, output: f64) -> f64 {
        self.cost.value(target, 1.0, output)
    }

    /// Makes the step of the points that wait.
    fn flush(&mut self) {
        let kept = std::mem::take(&mut self.kept);
        self.state.step(kept.into_iter(), std::mem::take(&mut self.waiting));
    }

    /// w, the weight of the constant feature first; points that wait make a step of their own, which is not kept.
    pub(crate) fn answer(&self) -> Vec<f64> {
        if self.waiting == 0 {
            return self.state.answer();
        }
        let mut ended = self.clone();
        ended.flush();
        ended.state.answer()
    }

    /// The function of a stream with all targets changed in sign: both costs are even in (target, output).
    pub(crate) fn negated(&self) -> Self {
        let mut other = self.clone();
        let numbers = other.state.vector.iter_mut().chain(&mut other.state.missed);
        numbers.chain(other.kept.iter_mut().map(|(_, beta)| beta)).for_each(|number| *number = -*number);
        other
    }
}
