//! What makes probabilities of the decisions of a model that has them, as model files hold it.

use super::{Calibration, Density, Noise, Probability, couple, couple_as_libsvm};
use crate::data::LabelSets;
use crate::model::estimator::TargetKind;
use crate::model::prelude::*;
use crate::model::space::{AnyModel, AnyPoints};

/// What a model's decisions are worth.
#[derive(Debug, Clone, PartialEq)]
pub enum Estimate {
    /// The probabilities of the classes of a classifier.
    Classes(Probability),
    /// The noise about a regression.
    Noise(Noise),
    /// How ordinary a point is to a one-class model.
    Density(Density),
}

impl Estimate {
    /// The words of [`Estimate::method`].
    pub const METHODS: [&str; 4] = ["sigmoid", "isotonic", "noise", "density"];

    /// The word for it in model files: that of the first pair, where there are classes.
    #[must_use]
    pub fn method(&self) -> &'static str {
        let at = match self {
            Self::Classes(probability) => match probability.pairs.first() {
                None | Some(Calibration::Sigmoid(_)) => 0,
                Some(Calibration::Isotonic(_)) => 1,
            },
            Self::Noise(_) => 2,
            Self::Density(_) => 3,
        };
        Self::METHODS[at]
    }

    /// Refuses an estimate that belongs to another model, or that is no function from decision to probability.
    pub(in crate::model) fn check(&self, model: &AnyModel) -> Result<(), Flaw> {
        match (self, model.calibrates()) {
            (Self::Classes(probability), Calibrates::Pairs(pairs)) => {
                let found = probability.pairs.len();
                if found != pairs {
                    return Err(format!("{found} calibrations where each pair of classes has one").into());
                }
                probability.pairs.iter().try_for_each(check_calibration)
            }
            (Self::Noise(noise), Calibrates::Errors) => {
                let holds = noise.sigma >= 0.0 && noise.sigma.is_finite();
                told(holds, "sigma of the noise must be finite and not negative")
            }
            (Self::Density(density), Calibrates::Sides) => told(
                finite(&density.marks) && density.marks.is_sorted(),
                "the marks of a density must be finite and must not fall",
            ),
            _ => {
                let (own, kind) = (self.method(), model.kind());
                Err(format!("a probability of kind '{own}' does not belong to '{kind}'").into())
            }
        }
    }

    /// What a model says of each of `points`, and columns that stand beside it: the probabilities of the classes (the class
    /// is then the most probable one), of being ordinary or not, or the ends of the interval that holds nine targets of ten.
    ///
    /// # Errors
    /// If the points do not fit the model, or the estimate belongs to another one.
    pub fn predict(&self, model: &AnyModel, points: &AnyPoints, how: How) -> Result<(Prediction, Beside)> {
        self.check(model).map_err(|flaw| ErrorKind::Unsupported { what: flaw })?;
        // The values of a regression are the same with and without an interval about them.
        let double = how.double && !matches!(self, Self::Noise(_));
        let decisions = model.decisions(points, How { double, ..how })?;
        let rows = |names: &[&str], row: &dyn Fn(&[f64]) -> Vec<f64>| Beside {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            rows: Dense::new(names.len(), (0..decisions.len()).flat_map(|i| row(decisions.row(i))).collect()),
        };
        let all = || decisions.values().to_vec();
        Ok(match self {
            Self::Classes(probability) => {
                let names: Vec<&str> = model.classes().iter().map(String::as_str).collect();
                let couple = if how.libsvm { couple_as_libsvm } else { couple };
                let beside = rows(&names, &|row| couple(&probability.pairwise(row), names.len()));
                let best = (0..decisions.len()).map(|i| first_largest(beside.rows.row(i))).collect();
                (Prediction::Classes(best), beside)
            }
            Self::Noise(noise) => {
                let half = noise.within(WITHIN);
                let beside = rows(&ENDS, &|row| vec![row[0] - half, row[0] + half]);
                (Prediction::Values(Dense::new(1, all())), beside)
            }
            Self::Density(density) => {
                let beside = rows(&["normal", "outlier"], &|row| {
                    let normal = density.probability(row[0]);
                    vec![normal, 1.0 - normal]
                });
                (Prediction::Sides(all()), beside)
            }
        })
    }
}

/// The shares of targets below the two ends of the interval about a regression's value.
const ENDS: [&str; 2] = ["5 %", "95 %"];
/// What lies between them.
const WITHIN: f64 = 0.9;

/// The numbers that a prediction comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// The decision of each pair of classes; the scores of a model that has no pairs; how far inside a point is.
    Decisions,
    /// A score for each class or label.
    Scores,
    /// The probabilities of the classes, of a model that has its own.
    Probabilities,
    /// The standard deviation of each output.
    Deviations,
}

impl AnyModel {
    /// What it says of each of `points`, with the numbers that it comes from: of classes the largest, or the vote of pairs.
    ///
    /// # Errors
    /// If the points do not fit the model, or it does not have the numbers.
    pub fn predict_beside(
        &self,
        points: &AnyPoints,
        columns: Columns,
        how: How,
    ) -> Result<(Prediction, Beside)> {
        let ((what, outputs), classes) = (self.outputs(), self.classes());
        let pairs = what == "pair";
        if columns == Columns::Decisions && (pairs || classes.is_empty()) {
            let rows = self.decisions(points, how)?;
            let class = |i: usize| self.class_of(rows.row(i));
            return Ok(match (pairs, self.target()) {
                (true, _) => (
                    Prediction::Classes((0..rows.len()).map(class).collect()),
                    Beside { names: outputs, rows },
                ),
                (false, TargetKind::None) => {
                    let names = vec!["score".to_owned()];
                    (Prediction::Sides(rows.values().to_vec()), Beside { names, rows })
                }
                (false, _) => (Prediction::Values(rows.clone()), Beside { names: outputs, rows }),
            });
        }
        if columns == Columns::Deviations {
            let name = |output: String| {
                if classes.is_empty() { "deviation".to_owned() } else { format!("deviation of {output}") }
            };
            let names = outputs.into_iter().map(name).collect();
            return Ok((self.predict(points, how)?, Beside { names, rows: self.deviations(points)? }));
        }
        let rows = match columns {
            Columns::Probabilities => self.probabilities(points, how)?,
            _ => self.scores(points, how)?,
        };
        let prediction = if self.target() == TargetKind::Sets {
            let positive =
                |row: &[f64]| (0..).zip(row).filter(|(_, s)| **s > 0.0).map(|(label, _)| label).collect();
            let sets = (0..rows.len()).map(|i| positive(rows.row(i))).collect();
            Prediction::Sets(LabelSets::new(classes.to_vec(), sets))
        } else {
            let even = |i: usize| matches!(rows.row(i), [first, second] if first == second);
            if pairs && (0..rows.len()).any(even) {
                // Which class it is where the function of two is 0, only its model knows.
                self.predict(points, how)?
            } else {
                Prediction::Classes((0..rows.len()).map(|i| first_largest(rows.row(i))).collect())
            }
        };
        Ok((prediction, Beside { names: classes.to_vec(), rows }))
    }
}

/// Columns that stand beside predictions.
#[derive(Debug, Clone, PartialEq)]
pub struct Beside {
    /// The name of each column.
    pub names: Vec<String>,
    /// One row per point.
    pub rows: Dense<f64>,
}

fn check_calibration(calibration: &Calibration) -> Result<(), Flaw> {
    match calibration {
        Calibration::Sigmoid(sigmoid) => {
            told(finite(&[sigmoid.a, sigmoid.b]), "a sigmoid must have finite numbers")
        }
        Calibration::Isotonic(isotonic) => {
            let (thresholds, values) = (&isotonic.thresholds, &isotonic.values);
            told(
                thresholds.len() == values.len(),
                "an isotonic function must have a value at each threshold",
            )?;
            told(
                finite(thresholds) && thresholds.is_sorted_by(|a, b| a < b),
                "the thresholds of an isotonic function must be finite and must rise",
            )?;
            told(
                values.is_sorted() && values.iter().all(|value| (0.0..=1.0).contains(value)),
                "the values of an isotonic function must be from 0 to 1 and must not fall",
            )
        }
    }
}

fn told(holds: bool, rule: &str) -> Result<(), Flaw> {
    if holds { Ok(()) } else { Err(rule.into()) }
}

fn finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}
