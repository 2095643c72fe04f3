//! Machines with a function for each class or label, and what they are fitted to.

use mercer::data::{LabelSets, Labels, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::file::Training;
use mercer::model::{MultiLabel, OneVsAll, Together};
use mercer::solve::Smo;

use crate::fit::{Fitted, watched};
use crate::progress::Show;

/// The estimator, and beside the points what it needs of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Many {
    /// All classes in one problem.
    Together(Together<VectorExpr>, Labels),
    /// Each class against all others.
    OneVsAll(OneVsAll<VectorExpr>, Labels),
    /// A machine for each label.
    MultiLabel(MultiLabel<VectorExpr>, LabelSets),
}

impl Many {
    /// k
    pub(crate) fn kernel(&self) -> &VectorExpr {
        match self {
            Self::Together(machine, _) => &machine.kernel,
            Self::OneVsAll(machine, _) => &machine.kernel,
            Self::MultiLabel(machine, _) => &machine.kernel,
        }
    }

    pub(crate) fn solver(&self) -> &Smo {
        match self {
            Self::Together(machine, _) => &machine.solver,
            Self::OneVsAll(machine, _) => &machine.solver,
            Self::MultiLabel(machine, _) => &machine.solver,
        }
    }

    /// Weights of the points; empty for 1.
    pub(crate) fn weights_mut(&mut self) -> &mut Vec<f64> {
        match self {
            Self::Together(machine, _) => &mut machine.weights,
            Self::OneVsAll(machine, _) => &mut machine.weights,
            Self::MultiLabel(machine, _) => &mut machine.weights,
        }
    }

    /// Refuses settings out of range.
    pub(crate) fn check(&self) -> mercer::Result<()> {
        match self {
            Self::Together(machine, _) => machine.check(),
            Self::OneVsAll(machine, _) => machine.check(),
            Self::MultiLabel(machine, _) => machine.check(),
        }
    }

    /// Fits as [`watched`] does.
    pub(crate) fn fit(&self, x: &Vectors, show: &Show) -> mercer::Result<Fitted> {
        let solver = self.solver();
        let ((model, phases), seconds) = match self {
            Self::Together(machine, y) => watched(solver, show, |watch| {
                machine.fit_timed(x, y, watch).map(|(model, phases)| (model.into(), phases))
            })?,
            Self::OneVsAll(machine, y) => watched(solver, show, |watch| {
                machine.fit_timed(x, y, watch).map(|(model, phases)| (model.into(), phases))
            })?,
            Self::MultiLabel(machine, y) => watched(solver, show, |watch| {
                machine.fit_timed(x, y, watch).map(|(model, phases)| (model.into(), phases))
            })?,
        };
        Ok(Fitted { model, seconds, phases, epsilon: None, c: Vec::new() })
    }

    /// The same for some of the points; the weights are still those of all.
    pub(crate) fn part(&self, rows: &[usize]) -> Self {
        match self {
            Self::Together(machine, y) => Self::Together(machine.clone(), y.select(rows)),
            Self::OneVsAll(machine, y) => Self::OneVsAll(machine.clone(), y.select(rows)),
            Self::MultiLabel(machine, y) => Self::MultiLabel(machine.clone(), y.select(rows)),
        }
    }

    /// `none` with what a model file says of how its model was trained.
    pub(crate) fn training(&self, none: Training) -> Training {
        let (c, factors) = match self {
            Self::Together(machine, y) => {
                (machine.c, class_factors(&machine.class_weights, &machine.weights, y))
            }
            Self::OneVsAll(machine, y) => {
                (machine.c, class_factors(&machine.class_weights, &machine.weights, y))
            }
            Self::MultiLabel(machine, _) => (machine.c, Vec::new()),
        };
        Training { c: Some(c), class_weights: factors, ..none }
    }
}

/// The factor on C for each class that has a point of positive weight; empty where all are 1.
pub(crate) fn class_factors(factors: &[(String, f64)], weights: &[f64], y: &Labels) -> Vec<f64> {
    let there: Vec<usize> =
        (0..y.len()).filter(|&i| weights.get(i).is_none_or(|&weight| weight > 0.0)).collect();
    let factor =
        |class: &String| factors.iter().filter(|(name, _)| name == class).map(|(_, f)| f).product::<f64>();
    let factors: Vec<f64> = y.select(&there).classes().iter().map(factor).collect();
    if factors.iter().all(|&factor| factor == 1.0) { Vec::new() } else { factors }
}
