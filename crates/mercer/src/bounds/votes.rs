//! The leave-one-out error of a classifier of more than two classes, and the share of rows that any pair rests on.
//!
//! Without a row of class a only the pairs of a change. Where the signs of their decisions leave one class with the most votes, that is
//! the class; else, and where the rule sums decisions, their values are computed as exactly as the solver can.

use rayon::prelude::*;

use super::left_out::value;
use super::report::{Bound, Says};
use super::solved::Solved;
use super::words;
use crate::data::Dense;
use crate::error::Result;
use crate::gram::Gram;
use crate::model::words::count;
use crate::model::{VoteRule, pairs};

/// A classifier of pairs at the rows that it was fitted to.
pub(super) struct Votes<'a> {
    pub(super) classes: usize,
    /// The class of each row.
    pub(super) class: Vec<usize>,
    /// The decisions of the model at each row.
    pub(super) decisions: Dense<f64>,
    pub(super) rule: VoteRule,
    /// One for each pair of classes.
    pub(super) solved: &'a [Solved],
}

impl Votes<'_> {
    /// The share of rows that are a support vector of a pair or misclassified.
    pub(super) fn support(&self) -> Bound {
        let n = self.class.len();
        let mut counts: Vec<bool> =
            (0..n).map(|i| self.rule.class(self.decisions.row(i), self.classes) != self.class[i]).collect();
        for solved in self.solved {
            let support = solved.separation.rows.iter().zip(&solved.optimum.beta);
            support.filter(|(_, b)| **b != 0.0).for_each(|(&i, _)| counts[i] = true);
        }
        let value = counts.iter().filter(|counts| **counts).count() as f64 / n as f64;
        Bound::new("support vectors", Says::LeaveOneOut, Some(value), words::SUPPORT_OF_ANY)
    }

    /// The leave-one-out error of the vote. `gram` makes the Gram of some rows.
    ///
    /// # Errors
    /// Those of the solver.
    pub(super) fn left_out<'g>(
        &self,
        gram: impl Fn(&[usize]) -> Result<Box<dyn Gram + 'g>>,
    ) -> Result<Bound> {
        let mut decisions: Vec<Vec<f64>> =
            (0..self.class.len()).map(|i| self.decisions.row(i).to_vec()).collect();
        for (number, solved) in self.solved.iter().enumerate() {
            let Some(left_out) = &solved.left_out else {
                let bound = Bound::new("leave-one-out", Says::Estimate, None, words::VOTE);
                return Ok(bound.noted("not asked for"));
            };
            for (&i, decision) in solved.separation.rows.iter().zip(&left_out.decisions) {
                decisions[i][number] = decision.value;
            }
        }
        let by_value = |decisions: &[f64]| self.rule == VoteRule::Sum || !self.has_winner(decisions);
        let open: Vec<bool> = decisions.iter().map(|decisions| by_value(decisions)).collect();
        for (number, solved) in self.solved.iter().enumerate() {
            let rows = &solved.separation.rows;
            let own: Vec<usize> = (0..rows.len()).filter(|&k| open[rows[k]]).collect();
            if own.is_empty() {
                continue;
            }
            let table = solved.table(&*gram(rows)?)?;
            let (separation, optimum) = (&solved.separation, &solved.optimum);
            let spans = super::span::Spans::new(separation, optimum, &table);
            let of = |&k: &usize| value(separation, &table, optimum, &spans, k);
            let values: Result<Vec<f64>> = own.par_iter().map(of).collect();
            own.iter().zip(values?).for_each(|(&k, value)| decisions[rows[k]][number] = value);
        }
        let said = decisions.iter().map(|decisions| self.rule.class(decisions, self.classes));
        let errors = said.zip(&self.class).filter(|(said, class)| said != *class).count();
        let value = errors as f64 / self.class.len() as f64;
        let by_values = count(open.iter().filter(|open| **open).count(), "row");
        let note = format!(
            "{} of {}; {by_values} by the values of decisions, the others by signs",
            count(errors, "error"),
            count(self.class.len(), "row"),
        );
        Ok(Bound::new("leave-one-out", Says::Estimate, Some(value), words::VOTE).noted(note))
    }

    /// Whether one class has more votes than every other.
    fn has_winner(&self, decisions: &[f64]) -> bool {
        let mut votes = vec![0; self.classes];
        for (decision, (a, b)) in decisions.iter().zip(pairs(self.classes)) {
            votes[if *decision > 0.0 { a } else { b }] += 1;
        }
        let most = votes.iter().max().copied().unwrap_or(0);
        votes.iter().filter(|&&votes| votes == most).count() == 1
    }
}
