//! A machine of two classes for each pair of classes.

use std::time::Instant;

use rayon::prelude::*;

use super::expansion::{CoefficientBlock, Coefficients, Expansion};
use super::multiclass::{VoteRule, members, pairs};
use super::svc::SvcModel;
use crate::data::{Labels, Points};
use crate::error::Result;
use crate::gram::Lazy;
use crate::kernel::{Definiteness, Kernel};
use crate::solve::{Problem, Progress, Shared, Smo, Solution, Watch};

/// Pairs that may run at the same time, between which the memory for kernel rows is shared out: not the number of
/// threads, so that the rows computed do not depend on it.
pub(super) const SIDE_BY_SIDE: usize = 8;

/// What the machines of all pairs share.
pub(super) struct Pairwise<'a, K> {
    pub(super) kernel: &'a K,
    pub(super) solver: &'a Smo,
}

/// A solved pair: its points and their coefficients.
pub(super) struct Pair {
    index: Vec<usize>,
    pub(super) solution: Solution,
}

impl<K: Clone> Pairwise<'_, K> {
    /// Solves the problem of every pair, side by side; `problem` makes it from its points, who of them is positive, and
    /// the two classes.
    pub(super) fn solve<X: Points>(
        &self,
        x: &X,
        y: &Labels,
        watch: Watch<'_>,
        problem: impl Fn(&[usize], &[bool], (usize, usize)) -> Problem + Sync,
    ) -> Result<Vec<Pair>>
    where
        K: Kernel<X>,
    {
        let pairs = pairs(y.classes().len());
        let started = Instant::now();
        let shared = Shared::new(watch, pairs.len(), started);
        let together = pairs.len().clamp(1, SIDE_BY_SIDE);
        let psd = self.kernel.definiteness() == Definiteness::Psd;
        let mut solver = Smo { psd, cache_bytes: self.solver.cache_bytes / together, ..self.solver.clone() };
        let one = |part: usize, solver: &Smo| -> Result<Pair> {
            let (a, b) = pairs[part];
            let own = |&i: &usize| y.index()[i] as usize == a || y.index()[i] as usize == b;
            let index: Vec<usize> = (0..x.len()).filter(own).collect();
            let positive: Vec<bool> = index.iter().map(|&i| y.index()[i] as usize == a).collect();
            let problem = problem(&index, &positive, (a, b));
            let mut watch = |progress: &Progress| shared.show(part, progress);
            // While a pair is solved there is a packed copy of its points, never one of all the data.
            let own = if pairs.len() == 1 { x.clone() } else { x.select(&index) };
            let solution = Lazy::new(self.kernel, &own)
                .and_then(|gram| solver.solve(&problem, &gram, &mut watch))
                .map_err(|error| error.about(&index))?;
            Ok(Pair { index, solution })
        };
        if pairs.len() == 1 {
            return Ok(vec![one(0, &solver)?]);
        }
        let limit = solver.time_limit.take();
        (0..pairs.len())
            .into_par_iter()
            .map(|part| {
                let left = limit.map(|limit| limit.saturating_sub(started.elapsed()));
                one(part, &Smo { time_limit: left, ..solver.clone() })
            })
            .collect()
    }

    /// Lays the pairs' coefficients side by side over the union of their support points.
    pub(super) fn assemble<X: Points>(&self, x: &X, y: &Labels, solved: &[Pair]) -> SvcModel<X, K> {
        let classes = y.classes().len();
        let mut is_support = vec![false; x.len()];
        for pair in solved {
            let nonzero = pair.index.iter().zip(&pair.solution.coefficients).filter(|(_, b)| **b != 0.0);
            nonzero.for_each(|(&i, _)| is_support[i] = true);
        }
        let mut support = Vec::new();
        let mut blocks = Vec::new();
        let mut place = vec![usize::MAX; x.len()];
        for (class, members) in members(y).iter().enumerate() {
            let first = support.len();
            for &i in members.iter().filter(|&&i| is_support[i]) {
                place[i] = support.len();
                support.push(i);
            }
            let outputs: Vec<usize> = pairs(classes)
                .iter()
                .enumerate()
                .filter(|(_, (a, b))| *a == class || *b == class)
                .map(|(p, _)| p)
                .collect();
            let values = vec![0.0; (support.len() - first) * outputs.len()];
            blocks.push(CoefficientBlock { points: first..support.len(), outputs, values });
        }
        for (p, pair) in solved.iter().enumerate() {
            for (&i, &beta) in pair.index.iter().zip(&pair.solution.coefficients).filter(|(_, b)| **b != 0.0)
            {
                let block = &mut blocks[y.index()[i] as usize];
                let column = block
                    .outputs
                    .iter()
                    .position(|&o| o == p)
                    .expect("a pair is an output of both its classes");
                block.values[(place[i] - block.points.start) * block.outputs.len() + column] = beta;
            }
        }
        let class_sizes = blocks.iter().map(|block| block.points.len()).collect();
        SvcModel {
            expansion: Expansion::new(
                self.kernel.clone(),
                x.select(&support),
                Coefficients { blocks, outputs: solved.len() },
                solved.iter().map(|pair| pair.solution.offset).collect(),
            ),
            classes: y.classes().to_vec(),
            class_sizes,
            support,
            certificates: solved.iter().map(|pair| pair.solution.certificate).collect(),
            rule: VoteRule::Votes,
        }
    }
}
