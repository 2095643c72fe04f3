//! What a model says of rows, and how good it is.

use std::io::{self, Write};

use mercer::data::{Agreement, LabelColumn, LabelSets, Labels};
use mercer::model::probability::Beside;
use mercer::model::{AnyModel, Prediction};
use serde::Serialize;

use super::measures::Errors;
use crate::output::{seconds, short};

/// The labels of points inside and outside.
const SIDES: [&str; 2] = ["1", "-1"];

/// What is said of each row and, where it was asked for, what stands beside it.
pub(crate) struct Predicted<'a> {
    classes: &'a [String],
    prediction: Prediction,
    pub(crate) beside: Option<Beside>,
}

/// How predictions compare with labels.
pub(crate) enum Judgement {
    /// How many are right.
    Correct(usize),
    /// How far off they are.
    Errors(Errors),
    /// How far sets of labels agree.
    Sets(Agreed),
}

impl<'a> Predicted<'a> {
    /// What `model` says.
    pub(crate) fn new(model: &'a AnyModel, prediction: Prediction, beside: Option<Beside>) -> Self {
        Self { classes: model.classes(), prediction, beside }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        match &self.prediction {
            Prediction::Classes(index) => index.len(),
            Prediction::Values(values) => values.len(),
            Prediction::Sides(sides) => sides.len(),
            Prediction::Sets(sets) => sets.len(),
            _ => 0,
        }
    }

    /// What is said of row i: a class, a value (or several, separated by tabs), a side, a set of labels.
    pub(crate) fn label(&self, i: usize) -> String {
        match &self.prediction {
            Prediction::Classes(index) => self.classes[index[i]].clone(),
            Prediction::Values(values) => {
                values.row(i).iter().map(f64::to_string).collect::<Vec<_>>().join("\t")
            }
            Prediction::Sides(sides) => SIDES[place(sides[i])].to_owned(),
            Prediction::Sets(sets) => sets.text(i),
            _ => String::new(),
        }
    }

    /// The values of a regression.
    pub(crate) fn values(&self) -> Option<&[f64]> {
        match &self.prediction {
            Prediction::Values(values) => Some(values.values()),
            _ => None,
        }
    }

    /// Whether rows are inside or outside.
    pub(crate) fn is_of_sides(&self) -> bool {
        matches!(self.prediction, Prediction::Sides(_))
    }

    /// Whether all sets of labels are empty.
    pub(crate) fn is_nothing(&self) -> bool {
        match &self.prediction {
            Prediction::Sets(sets) => !sets.is_empty() && sets.sets().iter().all(Vec::is_empty),
            _ => false,
        }
    }

    /// Rows inside, of models that tell inside from outside.
    pub(crate) fn inside(&self) -> Option<usize> {
        match &self.prediction {
            Prediction::Sides(sides) => Some(sides.iter().filter(|&&side| side > 0.0).count()),
            _ => None,
        }
    }

    /// Compares with the labels of the rows; nothing where there are several targets.
    ///
    /// # Errors
    /// If numbers are needed and a label is none.
    pub(crate) fn judge(&self, labels: &LabelColumn) -> mercer::Result<Option<Judgement>> {
        Ok(Some(match &self.prediction {
            Prediction::Classes(index) => {
                let names: Vec<&str> = self.classes.iter().map(String::as_str).collect();
                Judgement::Correct(matches(index, &names, &labels.labels()))
            }
            Prediction::Sides(sides) => {
                let sides: Vec<usize> = sides.iter().map(|&side| place(side)).collect();
                Judgement::Correct(matches(&sides, &SIDES, &labels.labels()))
            }
            Prediction::Values(values) if values.columns() == 1 => {
                Judgement::Errors(Errors::of(values.values(), &labels.numbers()?))
            }
            Prediction::Sets(sets) => Judgement::Sets(judge_sets(sets, labels)),
            _ => return Ok(None),
        }))
    }

    /// Whether labels can be compared with predictions: those of points inside and outside are 1 and −1, and the classes
    /// of a file that was made for something else say nothing of them.
    pub(crate) fn is_comparable(&self, labels: &LabelColumn) -> bool {
        let is_side = |class: &String| SIDES.contains(&class.as_str());
        !self.is_of_sides() || labels.labels().classes().iter().all(is_side)
    }

    /// One prediction a line; what stands beside it behind tabs, under a line of names.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(beside) = &self.beside else {
            return (0..self.len()).try_for_each(|i| writeln!(out, "{}", self.label(i)));
        };
        let first = if self.values().is_some() { "value" } else { "label" };
        writeln!(out, "{first}\t{}", beside.names.join("\t"))?;
        for i in 0..self.len() {
            write!(out, "{}", self.label(i))?;
            beside.rows.row(i).iter().try_for_each(|value| write!(out, "\t{value}"))?;
            writeln!(out)?;
        }
        Ok(())
    }
}

/// How many rows have the label they should have, when row i is said to have `names[found[i]]`.
fn matches(found: &[usize], names: &[&str], labels: &Labels) -> usize {
    let number = |name: &String| names.iter().position(|other| other == name);
    let expected: Vec<Option<usize>> = labels.classes().iter().map(number).collect();
    let pairs = found.iter().zip(labels.index());
    pairs.filter(|(found, label)| expected[**label as usize] == Some(**found)).count()
}

/// The place of a side among [`SIDES`]: inside, or outside and on the boundary, as LIBSVM has it.
fn place(side: f64) -> usize {
    if side > 0.0 { 0 } else { 1 }
}

/// Compares sets with those of the rows. A label of the rows that the model does not know is one that it misses.
fn judge_sets(found: &LabelSets, labels: &LabelColumn) -> Agreed {
    let truth = LabelSets::of(&labels.labels());
    let mut names = found.names().to_vec();
    names.extend(truth.names().iter().filter(|name| !found.names().contains(name)).cloned());
    let Agreement { hamming_loss, subset_accuracy, micro_f1, macro_f1 } =
        Agreement::new(&truth.over(&names), &found.over(&names));
    Agreed { hamming_loss, subset_accuracy, micro_f1, macro_f1 }
}

/// How far sets agree, as it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Agreed {
    hamming_loss: f64,
    subset_accuracy: f64,
    micro_f1: f64,
    macro_f1: f64,
}

impl Agreed {
    /// The lines of the summary.
    pub(crate) fn summary(&self) -> String {
        format!(
            "labels    Hamming loss {}, subset accuracy {} %\n\
             F1        micro {}, macro {}\n",
            short(self.hamming_loss),
            short(100.0 * self.subset_accuracy),
            short(self.micro_f1),
            short(self.macro_f1),
        )
    }
}

/// What is said of predictions as a whole: the object of `--json`.
#[derive(Default, Serialize)]
pub(crate) struct Summary {
    pub(crate) rows: usize,
    pub(crate) accuracy: Option<f64>,
    pub(crate) correct: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mean_squared_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) r_squared: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) inside: Option<usize>,
    #[serde(flatten)]
    pub(crate) sets: Option<Agreed>,
    pub(crate) read_seconds: f64,
    pub(crate) predict_seconds: f64,
    pub(crate) rows_per_second: f64,
    pub(crate) threads: usize,
    pub(crate) peak_bytes: Option<u64>,
}

impl Summary {
    /// With how the predictions compare with labels.
    pub(crate) fn of(self, predicted: &Predicted<'_>, judgement: Option<Judgement>) -> Self {
        let rows = predicted.len();
        let rows_per_second = rows as f64 / self.predict_seconds.max(f64::MIN_POSITIVE);
        let mut summary = Self { rows, inside: predicted.inside(), rows_per_second, ..self };
        match judgement {
            None => {}
            Some(Judgement::Correct(correct)) => {
                summary.correct = Some(correct);
                summary.accuracy = Some(correct as f64 / rows as f64);
            }
            Some(Judgement::Errors(errors)) => {
                summary.mean_squared_error = Some(errors.mean_square);
                summary.r_squared = Some(errors.r_squared);
            }
            Some(Judgement::Sets(sets)) => summary.sets = Some(sets),
        }
        summary
    }

    /// In words.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let share = |count: usize| short(100.0 * count as f64 / self.rows as f64);
        if let Some(correct) = self.correct {
            text += &format!("accuracy  {} % ({correct} of {})\n", share(correct), self.rows);
        }
        if let Some(error) = self.mean_squared_error {
            let explained = match self.r_squared {
                Some(share) if share.is_finite() => format!(", R² {}", short(share)),
                _ => String::new(),
            };
            text += &format!("error     mean square {}{explained}\n", short(error));
        }
        if let Some(inside) = self.inside {
            text += &format!("inside    {} % ({inside} of {})\n", share(inside), self.rows);
        }
        if let Some(sets) = self.sets {
            text += &sets.summary();
        }
        text + &format!(
            "work      {} rows in {}, {:.0} rows/s\n",
            self.rows,
            seconds(self.predict_seconds),
            self.rows_per_second,
        )
    }
}

#[cfg(test)]
mod tests {
    use mercer::data::Dense;

    use super::*;

    fn column(labels: &[f64]) -> LabelColumn {
        LabelColumn::Numbers(labels.to_vec())
    }

    fn predicted(prediction: Prediction) -> Predicted<'static> {
        Predicted { classes: &[], prediction, beside: None }
    }

    #[test]
    fn sides_are_judged_by_their_sign() {
        let predicted = predicted(Prediction::Sides(vec![0.5, -0.5, 0.0, 2.0]));
        let Ok(Some(Judgement::Correct(correct))) = predicted.judge(&column(&[1.0, -1.0, -1.0, -1.0])) else {
            panic!("sides are right or wrong")
        };
        assert_eq!((correct, predicted.inside()), (3, Some(2)));
        assert!(predicted.is_comparable(&column(&[1.0, 1.0])));
        assert!(!predicted.is_comparable(&column(&[1.0, 2.0])));
    }

    #[test]
    fn values_are_judged_by_their_errors() {
        let predicted = predicted(Prediction::Values(Dense::new(1, vec![1.0, 2.0])));
        let Ok(Some(Judgement::Errors(errors))) = predicted.judge(&column(&[1.0, 3.0])) else {
            panic!("values have errors")
        };
        assert_eq!(errors.mean_square, 0.5);
        assert!(predicted.is_comparable(&column(&[7.0])));
    }

    #[test]
    fn a_label_that_the_model_does_not_know_is_missed() {
        let found = LabelSets::split(["1", "1,2"]);
        let texts = vec!["1,7".to_owned(), "1,2".to_owned()];
        let agreed = judge_sets(&found, &LabelColumn::Texts { texts, codes: vec![0, 1] });
        // Names 1, 2, 7: six decisions, of which that on 7 for the first row is wrong.
        assert_eq!((agreed.hamming_loss, agreed.subset_accuracy), (1.0 / 6.0, 0.5));
        assert_eq!(agreed.micro_f1, 6.0 / 7.0);
    }
}
