//! Weights of points: a whole number w means that the point is there w times, 0 that it is not.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use super::compute::{Programme, Programmes};
use super::job::Job;
use crate::data::{LabelSets, Labels, Points};
use crate::error::{DataProblem, Error, ErrorKind, Result, check};
use crate::gram::Gram;
use crate::kernel::{Kernel, Reference};
use crate::solve::{Plan, Smo, Solution};

/// The sizes between which squares and sums of numbers stay finite and do not vanish.
const SCALE: RangeInclusive<f64> = 1e-100..=1e100;

/// Refuses targets of which squares would be infinite or vanish.
pub(super) fn check_targets(targets: &[f64]) -> Result<()> {
    let largest = targets.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
    let rule = "the largest must lie between 1e-100 and 1e100 or be 0: scale the targets";
    check("targets", largest, largest == 0.0 || SCALE.contains(&largest), rule)
}

/// The points of positive weight, and their weights.
#[derive(Clone)]
pub(super) struct Weighted<X> {
    /// Positions in the data; none where all points have a positive weight.
    index: Option<Vec<usize>>,
    /// The points.
    pub(super) points: X,
    pub(super) weights: Vec<f64>,
}

impl<X: Points> Weighted<X> {
    /// Points with one weight for each, or none for all 1.
    pub(super) fn new(x: &X, weights: &[f64]) -> Result<Self> {
        if x.is_empty() {
            return Err(ErrorKind::Data(DataProblem::Empty).into());
        }
        x.check_finite()?;
        if weights.is_empty() {
            return Ok(Self { index: None, points: x.clone(), weights: vec![1.0; x.len()] });
        }
        let rule = if weights.len() != x.len() {
            "there must be one for each point"
        } else if !weights.iter().all(|&w| w >= 0.0 && w.is_finite()) {
            "none may be negative or infinite, or no number"
        } else if weights.iter().all(|&w| w == 0.0) {
            "not all may be 0"
        } else if weights.iter().all(|&w| w > 0.0) {
            return Ok(Self { index: None, points: x.clone(), weights: weights.to_vec() });
        } else {
            let index: Vec<usize> = (0..x.len()).filter(|&i| weights[i] > 0.0).collect();
            let kept = index.iter().map(|&i| weights[i]).collect();
            return Ok(Self { points: x.select(&index), weights: kept, index: Some(index) });
        };
        Err(ErrorKind::Data(DataProblem::Weights { rule }).into())
    }

    /// Refuses weights whose sums and products would be infinite or vanish.
    pub(super) fn check_scale(&self) -> Result<()> {
        if self.weights.iter().all(|weight| SCALE.contains(weight)) {
            return Ok(());
        }
        let rule = "each must be 0 or lie between 1e-100 and 1e100: scale them";
        Err(ErrorKind::Data(DataProblem::Weights { rule }).into())
    }

    /// Points with a class for each.
    pub(super) fn classes(x: &X, y: &Labels, weights: &[f64]) -> Result<(Self, Labels)> {
        y.check(x.len())?;
        let own = Self::new(x, weights)?;
        let labels = own.index.as_ref().map_or_else(|| y.clone(), |index| y.select(index));
        labels.check(own.points.len())?;
        Ok((own, labels))
    }

    /// Points with a finite number for each.
    pub(super) fn numbers(x: &X, y: &[f64], weights: &[f64]) -> Result<(Self, Vec<f64>)> {
        if x.is_empty() {
            return Err(ErrorKind::Data(DataProblem::Empty).into());
        }
        check("targets", y.len() as f64, y.len() == x.len(), "must be one per point")?;
        let own = Self::new(x, weights)?;
        for &target in y {
            check("target", target, target.is_finite(), "must be finite")?;
        }
        let targets = own.index.as_ref().map_or_else(|| y.to_vec(), |i| i.iter().map(|&i| y[i]).collect());
        Ok((own, targets))
    }

    /// Sets of labels of the points, over the same names.
    pub(super) fn sets(&self, y: &LabelSets) -> LabelSets {
        self.index.as_ref().map_or_else(|| y.clone(), |index| y.select(index))
    }

    /// Points of a second view that belong to these.
    pub(super) fn others<Y: Points>(&self, y: &Y) -> Y {
        self.index.as_ref().map_or_else(|| y.clone(), |index| y.select(index))
    }

    /// A price for each point times its weight.
    pub(super) fn times(&self, prices: impl IntoIterator<Item = f64>) -> Vec<f64> {
        prices.into_iter().zip(&self.weights).map(|(price, weight)| price * weight).collect()
    }

    /// Positions in the data of points given by their positions here.
    pub(super) fn positions(&self, mut support: Vec<usize>) -> Vec<usize> {
        if let Some(index) = &self.index {
            support.iter_mut().for_each(|i| *i = index[*i]);
        }
        support
    }

    /// Positions in the data of all these points.
    pub(super) fn all_positions(&self) -> Vec<usize> {
        self.positions((0..self.points.len()).collect())
    }

    /// The kernel fitted to the points; see [`Kernel::fitted`].
    pub(super) fn kernel<K: Kernel<X> + Clone>(&self, kernel: &K, job: &mut Job<'_, X>) -> Result<K> {
        fitted(kernel, &self.points, &self.weights, job).map_err(|error| self.error(error))
    }

    /// The Gram of the points, where the job computes.
    pub(super) fn gram<'k, K: Kernel<X>>(&self, kernel: &'k K, job: &Job<'_, X>) -> Result<Box<dyn Gram + 'k>>
    where
        X: 'k,
    {
        job.compute.gram(kernel, &self.points).map_err(|error| self.error(error))
    }

    /// Solves `count` programmes on the points, side by side, where the job computes.
    pub(super) fn solve<K: Kernel<X>>(
        &self,
        kernel: &K,
        solver: &Smo,
        count: usize,
        programme: impl Fn(usize) -> Programme + Sync,
        job: &mut Job<'_, X>,
    ) -> Result<Vec<Solution>> {
        self.programmes(kernel, solver, count, &programme).solve(job).map_err(|error| self.error(error))
    }

    /// `count` programmes on the points.
    pub(super) fn programmes<'a, K: Kernel<X>>(
        &'a self,
        kernel: &'a K,
        solver: &Smo,
        count: usize,
        programme: &'a (dyn Fn(usize) -> Programme + Sync),
    ) -> Programmes<'a, X> {
        Programmes::new(kernel, &self.points, solver, count, programme)
    }

    /// Joins points that are the same and have the same targets, as `targets` compares them, to one point with the weight of all, and puts
    /// the points in an order that does not depend on that of the data.
    ///
    /// A fit of the result is then the same for a point of whole weight as for so many copies, wherever these stand, also where it
    /// draws points or breaks ties by their order. (A space whose points have no order of their own is left as it is.)
    pub(super) fn joined(self, targets: impl Fn(usize, usize) -> Ordering) -> Joined<X> {
        let compare = |i: usize, j: usize| self.points.compare(i, j).then_with(|| targets(i, j));
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        // Stable: of copies the first in the data comes first.
        order.sort_by(|&i, &j| compare(i, j));
        let (mut first, mut weights, mut place) = (Vec::new(), Vec::new(), vec![0; order.len()]);
        for copies in order.chunk_by(|&i, &j| compare(i, j).is_eq()) {
            copies.iter().for_each(|&i| place[i] = first.len());
            first.push(copies[0]);
            weights.push(copies.iter().map(|&i| self.weights[i]).sum());
        }
        let index = Some(self.positions(first.clone()));
        Joined { own: Self { points: self.points.select(&first), weights, index }, first, place }
    }

    /// The points as they are, as if none were the same.
    pub(super) fn unjoined(self) -> Joined<X> {
        let first: Vec<usize> = (0..self.points.len()).collect();
        Joined { own: self, place: first.clone(), first }
    }

    /// An error about these points as one about the data.
    pub(super) fn error(&self, error: Error) -> Error {
        match &self.index {
            Some(index) => error.about(index),
            None => error,
        }
    }
}

/// Points without their copies; see [`Weighted::joined`].
pub(super) struct Joined<X> {
    /// The points that differ.
    pub(super) own: Weighted<X>,
    /// For each of them the first of its copies, by its number before they were joined.
    pub(super) first: Vec<usize>,
    /// For each point before its number among them.
    pub(super) place: Vec<usize>,
}

/// A kernel fitted to points with their weights, under the watch of a job.
pub(super) fn fitted<X, Y, K>(kernel: &K, points: &Y, weights: &[f64], job: &mut Job<'_, X>) -> Result<K>
where
    X: Points,
    Y: Points,
    K: Kernel<Y> + Clone,
{
    if kernel.reference().is_ok() {
        return Ok(kernel.clone());
    }
    let mut stages = job.stages();
    let mut plan = Plan::new(&mut stages, &[("means of the kernel", 1.0)]);
    kernel.fitted(&Reference::weighted(points, weights), &mut plan.stage(0))
}

/// The sum of the weights of each class.
pub(super) fn class_sums(y: &Labels, weights: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; y.classes().len()];
    y.index().iter().zip(weights).for_each(|(&class, weight)| sums[class as usize] += weight);
    sums
}
