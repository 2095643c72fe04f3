//! Predictions with their probabilities.

use std::io::{self, Write};
use std::path::Path;

use mercer::data::{Dense, Vectors};
use mercer::error::ErrorKind;
use mercer::model::Machine;
use mercer::model::probability::{Estimate, Noise, couple, couple_as_libsvm};

use super::{Predictions, side};
use crate::failure::{Failure, Result};

/// Whose probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Like {
    /// Coupled to rounding.
    Mercer,
    /// Coupled as far as LIBSVM goes, from kernel values in double precision: the digits that it prints are the same.
    Libsvm,
}

impl Like {
    /// What `each` makes of the outputs of each of `points`.
    fn map<R: Send>(
        self,
        machine: &Machine,
        points: &Vectors,
        each: impl Fn(&[f64]) -> R + Sync,
    ) -> mercer::Result<Vec<R>> {
        match self {
            Self::Mercer => machine.expansion().map(points, each),
            Self::Libsvm => machine.expansion().map_double(points, each),
        }
    }

    fn couple(self, pairwise: &[f64], classes: usize) -> Vec<f64> {
        match self {
            Self::Mercer => couple(pairwise, classes),
            Self::Libsvm => couple_as_libsvm(pairwise, classes),
        }
    }
}

/// What stands beside predictions: probabilities of the classes, of being ordinary or not, or the ends of an interval.
pub(crate) struct Columns {
    pub(crate) names: Vec<String>,
    pub(crate) rows: Dense<f64>,
}

/// The share of targets below the two ends of the interval about a regression's value.
const ENDS: [&str; 2] = ["5 %", "95 %"];
/// What lies between them.
const WITHIN: f64 = 0.9;

/// Predicts all rows with their probabilities; the class of a row is the most probable one.
///
/// # Errors
/// If the points do not fit the machine, or the estimate belongs to another one.
pub(crate) fn predict<'a>(
    machine: &'a Machine,
    estimate: &Estimate,
    points: &Vectors,
    like: Like,
) -> mercer::Result<(Predictions<'a>, Columns)> {
    Ok(match (machine, estimate) {
        (Machine::Classifier(model), Estimate::Classes(probability)) => {
            let classes = model.classes.len();
            let each = |decisions: &[f64]| like.couple(&probability.pairwise(decisions), classes);
            let rows = like.map(machine, points, each)?;
            let index = rows.iter().map(|row| largest(row)).collect();
            let columns = Columns { names: model.classes.clone(), rows: Dense::new(classes, rows.concat()) };
            (Predictions::Classes { model, index, decisions: None }, columns)
        }
        (Machine::Regression(function), Estimate::Noise(noise)) => {
            // The values are the same with and without.
            let values = function.values(points)?;
            let columns = interval(&values, *noise);
            (Predictions::Values(values), columns)
        }
        (Machine::OneClass(_), Estimate::Density(density)) => {
            let scores = like.map(machine, points, |outputs| outputs[0])?;
            let both = |&score: &f64| {
                let normal = density.probability(score);
                [normal, 1.0 - normal]
            };
            let rows = Dense::new(2, scores.iter().flat_map(both).collect());
            let names = vec!["normal".to_owned(), "outlier".to_owned()];
            (Predictions::Scores(scores), Columns { names, rows })
        }
        _ => {
            let what = format!("probabilities of kind '{}' for '{}'", estimate.method(), machine.method());
            return Err(ErrorKind::Unsupported { what: what.into() }.into());
        }
    })
}

/// The first of the largest.
fn largest(row: &[f64]) -> usize {
    let better = |best: usize, k: usize| if row[k] > row[best] { k } else { best };
    (1..row.len()).fold(0, better)
}

fn interval(values: &[f64], noise: Noise) -> Columns {
    let half = noise.within(WITHIN);
    let rows = values.iter().flat_map(|value| [value - half, value + half]).collect();
    Columns { names: ENDS.map(str::to_owned).to_vec(), rows: Dense::new(ENDS.len(), rows) }
}

impl Columns {
    /// Predictions and columns separated by tabs, under a line of names.
    pub(super) fn write(&self, predictions: &Predictions<'_>, out: &mut dyn Write) -> io::Result<()> {
        let first = if matches!(predictions, Predictions::Values(_)) { "value" } else { "label" };
        writeln!(out, "{first}\t{}", self.names.join("\t"))?;
        for i in 0..self.rows.len() {
            match predictions {
                Predictions::Classes { model, index, .. } => write!(out, "{}", model.classes[index[i]])?,
                Predictions::Values(values) => write!(out, "{}", values[i])?,
                Predictions::Scores(scores) => write!(out, "{}", side(scores[i]))?,
                // Its probabilities are its scores; several targets have none.
                Predictions::Many(_) | Predictions::Columns(_) => {}
            }
            self.rows.row(i).iter().try_for_each(|value| write!(out, "\t{value}"))?;
            writeln!(out)?;
        }
        Ok(())
    }
}

/// The estimate of a model, which must have one; `remedy` says how it would.
///
/// # Errors
/// If there is none.
pub(crate) fn required<'a>(
    estimate: Option<&'a Estimate>,
    model: &Path,
    remedy: &str,
) -> Result<&'a Estimate> {
    estimate.ok_or_else(|| {
        let problem = format!("the model does not support probability estimates; {remedy}").into();
        Failure::from(mercer::Error::from(ErrorKind::ModelFile { path: model.to_owned(), problem }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_probabilities_the_first_is_taken() {
        assert_eq!(largest(&[0.25, 0.5, 0.25]), 1);
        assert_eq!(largest(&[0.4, 0.4, 0.2]), 0);
        assert_eq!(largest(&[0.2, 0.4, 0.4]), 1);
    }

    #[test]
    fn nine_targets_of_ten_lie_between_the_ends() {
        let columns = interval(&[1.0, -2.0], Noise { sigma: 0.5 });
        let half = 0.5 * 10.0_f64.ln();
        assert!((columns.rows.row(0)[0] - (1.0 - half)).abs() < 1e-12);
        assert!((columns.rows.row(1)[1] - (-2.0 + half)).abs() < 1e-12);
    }
}
