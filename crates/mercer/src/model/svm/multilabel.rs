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
use super::scores::{self, Fitted, ScoreModel};
use crate::data::LabelSets;
use crate::model::prelude::*;

/// C-SVC for each label, and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct MultiLabel<K> {
    /// k
    pub kernel: K,
    /// C > 0: the price of a margin error.
    pub c: f64,
    /// How the duals are solved.
    pub solver: Smo,
}

settings! { MultiLabel<K>:
    c: f64, "c" 'c', "above 0", "price C of a margin error";
    /// Fits a function for each label.
    fit(LabelSets) -> MultiLabelModel;
}

impl<K> MultiLabel<K> {
    /// C = 1, tolerance 1e-3.
    pub fn new(kernel: K) -> Self {
        Self { kernel, c: 1.0, solver: Smo::default() }
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for MultiLabel<K> {
    type Target = LabelSets;
    type Model = MultiLabelModel<X, K>;

    fn check(&self) -> Result<()> {
        check("c", self.c, self.c > 0.0 && self.c.is_finite(), "must be positive and finite")?;
        self.solver.check()
    }

    fn fit_in(&self, x: &X, y: &LabelSets, job: &mut Job<'_, X>) -> Result<MultiLabelModel<X, K>> {
        Estimator::<X>::check(self)?;
        if !x.is_empty() && x.len() != y.len() {
            let problem = DataProblem::Lengths { points: x.len(), labels: y.len() };
            return Err(ErrorKind::Data(problem).into());
        }
        let own = Weighted::new(x, job.weights)?;
        let y = own.sets(y);
        let members: Vec<Vec<bool>> = (0..y.names().len()).map(|label| y.members(label)).collect();
        let mixed = |members: &Vec<bool>| members.iter().any(|&m| m) && !members.iter().all(|&m| m);
        let divided: Vec<Vec<bool>> = members.iter().filter(|members| mixed(members)).cloned().collect();
        let c = own.times(vec![self.c; own.weights.len()]);
        let kernel = own.kernel(&self.kernel, job)?;
        let solved = relevance(&kernel, &self.solver, &own, &divided, &c, job)?;
        let labels = members.len();
        let (mut coefficients, mut offsets) = (vec![0.0; own.points.len() * labels], vec![0.0; labels]);
        let mut next = solved.iter();
        for (label, members) in members.iter().enumerate() {
            match next.as_slice().first().filter(|_| mixed(members)) {
                Some(solution) => {
                    next.next();
                    offsets[label] = solution.offset;
                    let values = solution.coefficients.iter().enumerate();
                    values.for_each(|(i, &b)| coefficients[i * labels + label] = b);
                }
                None => offsets[label] = if members.first() == Some(&true) { -1.0 } else { 1.0 },
            }
        }
        let certificates = solved.iter().map(|solution| solution.certificate).collect();
        let fitted = Fitted { coefficients, offsets, certificates, loss: None };
        Ok(MultiLabelModel { scores: ScoreModel::new(kernel, &own, y.names(), fitted) })
    }
}

/// Fitted functions for labels.
#[derive(Debug, Clone, PartialEq)]
pub struct MultiLabelModel<X, K> {
    /// Their decisions: one output for each label, its names as classes; a certificate for each label that has a programme.
    pub scores: ScoreModel<X, K>,
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
        self.predict_as(points, How::default())
    }

    fn predict_as(&self, points: &X, how: How) -> Result<LabelSets> {
        let sets = self.scores.expansion.map_as(points, how.double, |decisions| {
            (0..).zip(decisions).filter(|(_, decision)| **decision > 0.0).map(|(label, _)| label).collect()
        })?;
        Ok(LabelSets::new(self.scores.classes.clone(), sets))
    }
}

impl<X: Space> Model<X> for MultiLabelModel<X, X::Kernel> {
    made_of!("multilabel": scores.expansion, scores.support, scores.classes);

    fn quality(&self) -> Quality {
        self.scores.quality()
    }

    fn words(&self) -> String {
        format!("{}, a function for each", count(self.scores.classes.len(), "label"))
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        ("label", self.scores.classes.clone())
    }

    fn predict(&self, points: &X, how: How) -> Result<Prediction> {
        Ok(Prediction::Sets(self.predict_as(points, how)?))
    }

    fn scores(&self, points: &X, how: How) -> Result<Dense<f64>> {
        Model::scores(&self.scores, points, how)
    }

    /// A label that all points have, or none, has no certificate.
    fn check(&self) -> Result<Dense<f64>, Flaw> {
        let outputs = parts::check_names(&self.scores.classes, 1)?;
        let certificates = self.scores.certificates.len();
        parts::same("certificates", certificates, certificates.min(outputs))?;
        parts::check(&self.scores.expansion, outputs, &self.scores.support)
    }
}

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let summary = "several labels for each point: C-SVC for each label";
    let title = ("multilabel", summary, "multilabel", &[][..]);
    let read = |reader: &mut Reader<'_>| Ok(MultiLabelModel { scores: scores::read(None, reader)? });
    Method::new(title, MultiLabel::new, MultiLabel::parameters, read)
}
