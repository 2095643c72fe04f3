//! Several labels for each point: a machine for each label.
//!
//! Binary relevance: for every label a C-SVC ([`Problem::c_svc`]) of those that have it against those that do not, all on
//! one Gram. A point gets every label whose decision is positive. A label that all points have, or none, needs no machine:
//! its decision is +1, or −1, everywhere.
//!
//! ```
//! use mercer::data::{LabelSets, Vectors};
//! use mercer::kernel::rbf;
//! use mercer::model::MultiLabel;
//!
//! let x = Vectors::dense(1, vec![-2.0, -1.0, 1.0, 2.0]);
//! let y = LabelSets::split(["low,any", "low,any", "any,high", "high,any"]);
//! let model = MultiLabel::new(rbf(0.5)).c(10.0).fit(&x, &y)?;
//! assert_eq!(model.predict(&Vectors::dense(1, vec![-1.5]))?.text(0), "any,low");
//! # Ok::<(), mercer::Error>(())
//! ```

use super::one_vs_all::relevance;
use super::scores::{Fitted, ScoreModel};
use super::weights::Present;
use crate::data::{Dense, LabelSets, Points};
use crate::error::{DataProblem, ErrorKind, Result, check};
use crate::kernel::Kernel;
use crate::solve::{Phases, Smo, Watch, unwatched};

/// A machine for each label, and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct MultiLabel<K> {
    /// k
    pub kernel: K,
    /// C > 0: the price of a margin error.
    pub c: f64,
    /// A factor on C for each point; empty for 1. A whole number is the same as so many copies of the point, 0 as none.
    pub weights: Vec<f64>,
    /// How the duals are solved.
    pub solver: Smo,
}

/// Fitted machines for labels.
#[derive(Debug, Clone, PartialEq)]
pub struct MultiLabelModel<X, K> {
    /// Their decisions: one output for each label, its names as classes; a certificate for each label that has a machine.
    pub scores: ScoreModel<X, K>,
}

impl<K> MultiLabel<K> {
    /// C = 1, tolerance 1e-3.
    pub fn new(kernel: K) -> Self {
        Self { kernel, c: 1.0, weights: Vec::new(), solver: Smo::default() }
    }

    /// Sets C.
    #[must_use]
    pub fn c(mut self, c: f64) -> Self {
        self.c = c;
        self
    }

    /// Sets a factor on C for each point.
    #[must_use]
    pub fn weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = weights;
        self
    }

    /// Sets the largest violation of the optimality conditions accepted.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.solver.tolerance = tolerance;
        self
    }

    /// Sets how the duals are solved.
    #[must_use]
    pub fn solver(mut self, solver: Smo) -> Self {
        self.solver = solver;
        self
    }

    /// Refuses parameters out of range.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self) -> Result<()> {
        check("c", self.c, self.c > 0.0 && self.c.is_finite(), "must be positive and finite")?;
        self.solver.check()
    }

    /// Fits the machines.
    ///
    /// # Errors
    /// If a parameter, the labels or the points cannot be used.
    pub fn fit<X: Points>(&self, x: &X, y: &LabelSets) -> Result<MultiLabelModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        self.fit_watched(x, y, &mut unwatched())
    }

    /// The same under a watch, which sees every round of every machine and can end the fit.
    ///
    /// # Errors
    /// As [`MultiLabel::fit`].
    pub fn fit_watched<X: Points>(
        &self,
        x: &X,
        y: &LabelSets,
        watch: Watch<'_>,
    ) -> Result<MultiLabelModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        Ok(self.fit_timed(x, y, watch)?.0)
    }

    /// The same, and where the time went, summed over the machines (which run side by side).
    ///
    /// # Errors
    /// As [`MultiLabel::fit`].
    pub fn fit_timed<X: Points>(
        &self,
        x: &X,
        y: &LabelSets,
        watch: Watch<'_>,
    ) -> Result<(MultiLabelModel<X, K>, Phases)>
    where
        K: Kernel<X> + Clone,
    {
        self.check()?;
        let problem = if x.is_empty() {
            Some(DataProblem::Empty)
        } else if x.len() != y.len() {
            Some(DataProblem::Lengths { points: x.len(), labels: y.len() })
        } else {
            None
        };
        if let Some(problem) = problem {
            return Err(ErrorKind::Data(problem).into());
        }
        x.check_finite()?;
        let present = Present::new(&self.weights, x.len())?;
        let (x, y) = (&present.points(x), &present.sets(y));
        let members: Vec<Vec<bool>> = (0..y.names().len()).map(|label| y.members(label)).collect();
        let mixed = |members: &Vec<bool>| members.iter().any(|&m| m) && !members.iter().all(|&m| m);
        let divided: Vec<Vec<bool>> = members.iter().filter(|members| mixed(members)).cloned().collect();
        let c = present.times(vec![self.c; x.len()]);
        let solved = relevance(&self.kernel, &self.solver, x, &divided, &c, watch)
            .map_err(|error| present.error(error))?;
        let labels = members.len();
        let (mut coefficients, mut offsets) = (vec![0.0; x.len() * labels], vec![0.0; labels]);
        let mut next = solved.iter();
        for (label, members) in members.iter().enumerate() {
            match next.as_slice().first().filter(|_| mixed(members)) {
                Some(solution) => {
                    next.next();
                    offsets[label] = solution.offset;
                    solution
                        .coefficients
                        .iter()
                        .enumerate()
                        .for_each(|(i, &b)| coefficients[i * labels + label] = b);
                }
                None => offsets[label] = if members.first() == Some(&true) { -1.0 } else { 1.0 },
            }
        }
        let certificates = solved.iter().map(|solution| solution.certificate).collect();
        let fitted = Fitted { coefficients, offsets, certificates, loss: None };
        let phases = solved.iter().map(|solution| solution.phases).sum();
        let mut scores = ScoreModel::new(self.kernel.clone(), x, y.names(), fitted);
        present.positions(&mut scores.support);
        Ok((MultiLabelModel { scores }, phases))
    }
}

impl<X: Points, K: Kernel<X>> MultiLabelModel<X, K> {
    /// The decision of every label for every point.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn decisions(&self, points: &X) -> Result<Dense<f64>> {
        self.scores.scores(points)
    }

    /// The labels of each point: those whose decision is positive.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn predict(&self, points: &X) -> Result<LabelSets> {
        let sets = self.scores.expansion.map(points, |decisions| {
            (0..).zip(decisions).filter(|(_, decision)| **decision > 0.0).map(|(label, _)| label).collect()
        })?;
        Ok(LabelSets::new(self.scores.classes.clone(), sets))
    }
}
