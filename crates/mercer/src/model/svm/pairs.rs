//! A quadratic programme for each pair of classes.

use super::svc::SvcModel;
use super::vote::{VoteRule, pairs};
use crate::model::job::Job;
use crate::model::prelude::*;

/// [`Estimator::learn`] of a classifier that decides by pairs.
macro_rules! learn_by_pairs {
    () => {
        fn learn(
            &self,
            x: &X,
            y: &Labels,
            model: &SvcModel<X, K>,
            settings: &Settings,
            job: &mut Job<'_, X>,
        ) -> Result<Option<Estimate>> {
            let fitted = Self { kernel: model.expansion.kernel().clone(), ..self.clone() };
            Ok(Some(Estimate::Classes(fitted.fit_probability_in(x, y, settings, job)?)))
        }
    };
}
pub(super) use learn_by_pairs;

/// The points of two classes.
pub(super) struct Pair {
    /// The class whose points are positive.
    pub(super) first: usize,
    /// The class whose points are negative.
    pub(super) second: usize,
    /// Positions of the points of both.
    pub(super) index: Vec<usize>,
    /// Whether each of them is of the first class.
    pub(super) positive: Vec<bool>,
}

impl Pair {
    pub(super) fn new(y: &Labels, classes: (usize, usize)) -> Self {
        Self::of(&members(y), classes)
    }

    /// The pair of two classes, given the members of all. Costs as much as the pair has points.
    fn of(members: &[Vec<usize>], (first, second): (usize, usize)) -> Self {
        let (mut a, mut b) = (members[first].iter().peekable(), members[second].iter().peekable());
        let count = a.len() + b.len();
        let (mut index, mut positive) = (Vec::with_capacity(count), Vec::with_capacity(count));
        while let Some(&&i) = match (a.peek(), b.peek()) {
            (Some(i), Some(j)) => Some(i.min(j)),
            (i, j) => i.or(j),
        } {
            let first = a.next_if(|&&j| j == i).is_some();
            if !first {
                b.next();
            }
            index.push(i);
            positive.push(first);
        }
        Self { first, second, index, positive }
    }
}

/// The points of each class, ascending.
fn members(y: &Labels) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); y.classes().len()];
    y.index().iter().enumerate().for_each(|(i, &class)| members[class as usize].push(i));
    members
}

/// Points of several classes, of which each pair is a programme.
pub(super) struct Pairs<'a, X> {
    pub(super) own: &'a Weighted<X>,
    pub(super) labels: &'a Labels,
    pub(super) solver: &'a Smo,
}

impl<X: Points> Pairs<'_, X> {
    /// Solves the programme that `problem` makes of every pair, side by side.
    pub(super) fn solve<K: Kernel<X>>(
        &self,
        kernel: &K,
        job: &mut Job<'_, X>,
        problem: impl Fn(&Pair) -> Problem + Sync,
    ) -> Result<Vec<Solution>> {
        let all: Vec<usize> = (0..pairs(self.labels.classes().len()).len()).collect();
        self.solve_some(&all, kernel, job, |_, pair| problem(pair))
    }

    /// Solves the programmes that `problem` makes of the pairs with these numbers, side by side.
    pub(super) fn solve_some<K: Kernel<X>>(
        &self,
        numbers: &[usize],
        kernel: &K,
        job: &mut Job<'_, X>,
        problem: impl Fn(usize, &Pair) -> Problem + Sync,
    ) -> Result<Vec<Solution>> {
        let pairs = pairs(self.labels.classes().len());
        let (whole, members) = (pairs.len() == 1, members(self.labels));
        let programme = |part: usize| {
            let pair = Pair::of(&members, pairs[numbers[part]]);
            Programme { problem: problem(numbers[part], &pair), points: (!whole).then_some(pair.index) }
        };
        let programmes = self.own.programmes(kernel, self.solver, numbers.len(), &programme);
        let programmes = programmes.of_pairs(self.labels.index());
        programmes.solve(job).map_err(|error| self.own.error(error))
    }

    /// The classifier whose coefficients lie side by side over the union of the pairs' support points.
    pub(super) fn model<K: Kernel<X>>(
        &self,
        kernel: K,
        rule: VoteRule,
        solved: &[Solution],
    ) -> SvcModel<X, K> {
        let y = self.labels;
        let numbers = pairs(y.classes().len());
        let members = members(y);
        let each = || numbers.iter().map(|&classes| Pair::of(&members, classes)).zip(solved);
        let mut is_support = vec![false; self.own.points.len()];
        for (pair, solution) in each() {
            let nonzero = pair.index.iter().zip(&solution.coefficients).filter(|(_, b)| **b != 0.0);
            nonzero.for_each(|(&i, _)| is_support[i] = true);
        }
        let (mut support, mut blocks, mut place) = (Vec::new(), Vec::new(), vec![0; is_support.len()]);
        for class in 0..y.classes().len() {
            let start = support.len();
            for i in (0..is_support.len()).filter(|&i| is_support[i] && y.index()[i] as usize == class) {
                place[i] = support.len() - start;
                support.push(i);
            }
            let involved = |(_, (a, b)): &(usize, &(usize, usize))| *a == class || *b == class;
            let outputs: Vec<usize> = numbers.iter().enumerate().filter(involved).map(|(o, _)| o).collect();
            let values = vec![0.0; (support.len() - start) * outputs.len()];
            blocks.push(CoefficientBlock { points: start..support.len(), outputs, values });
        }
        for (pair, solution) in each() {
            for ((&i, &positive), &beta) in pair.index.iter().zip(&pair.positive).zip(&solution.coefficients)
            {
                // Among the outputs of a class those against a smaller class come first.
                let (class, column) = match positive {
                    true => (pair.first, pair.second - 1),
                    false => (pair.second, pair.first),
                };
                // A coefficient that is a negative zero is none.
                if beta != 0.0 {
                    let columns = blocks[class].outputs.len();
                    blocks[class].values[place[i] * columns + column] = beta;
                }
            }
        }
        let class_sizes = blocks.iter().map(|block| block.points.len()).collect();
        SvcModel {
            expansion: Expansion::new(
                kernel,
                self.own.points.select(&support),
                Coefficients { blocks, outputs: solved.len() },
                solved.iter().map(|solution| solution.offset).collect(),
            ),
            classes: y.classes().to_vec(),
            class_sizes,
            support: self.own.positions(support),
            certificates: solved.iter().map(|solution| solution.certificate).collect(),
            rule,
        }
    }
}
