//! `mercer predict`: read, predict, write what was predicted, say how good it is.

mod probabilities;
mod report;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::time::Instant;

use mercer::data::{Dense, LabelColumn, Labels, Points, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::{Loss, Machine, ScoreModel, VoteRule, pairs, vote};

use crate::args::PredictArgs;
use crate::early;
use crate::failure::{Failure, InFile, Result};
use crate::fit::Model;
use crate::measures::Errors;
use crate::models::Prepared;
use crate::multiclass::{Agreed, Predicted, judge_sets};
use crate::output::{answer, answer_json, is_stdout, remark, write_to};
use crate::paths;
use crate::system;

use report::Report;

pub(crate) use probabilities::{Columns, Like, predict as predict_probabilities, required};

/// The labels of points inside and outside.
const SIDES: [&str; 2] = ["1", "-1"];

/// What a machine says of each row.
pub(crate) enum Predictions<'a> {
    /// Classes and, where they were asked for, the decisions they come from.
    Classes { model: &'a Model, index: Vec<usize>, decisions: Option<Dense<f64>> },
    /// The values of a regression.
    Values(Vec<f64>),
    /// Those of several targets.
    Columns(Dense<f64>),
    /// How far inside (where positive) each row is.
    Scores(Vec<f64>),
    /// Classes or sets of labels by a score for each.
    Many(Predicted<'a>),
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

impl<'a> Predictions<'a> {
    /// Predicts all rows; of a classifier with decisions where they are wanted.
    pub(crate) fn of(machine: &'a Machine, points: &Vectors, decisions: bool) -> mercer::Result<Self> {
        Ok(match machine {
            Machine::Classifier(model) => classes(model, points, decisions)?,
            Machine::Regression(function) => Self::Values(function.values(points)?),
            Machine::Ridge(model) => {
                let values = model.values(points)?;
                if values.columns() == 1 {
                    Self::Values(values.values().to_vec())
                } else {
                    Self::Columns(values)
                }
            }
            Machine::Pca(_) => {
                let what = "predicting with components (kpca); use mercer transform or mercer denoise".into();
                return Err(mercer::ErrorKind::Unsupported { what }.into());
            }
            Machine::OneClass(function) => Self::Scores(function.values(points)?),
            Machine::Sphere(sphere) => Self::Scores(sphere.values(points)?),
            Machine::Scores(model) => Self::Many(Predicted::classes(model, points, decisions)?),
            Machine::MultiLabel(model) => Self::Many(Predicted::sets(model, points, decisions)?),
            Machine::Fisher(model) => Self::Many(Predicted::fisher(model, points, decisions)?),
            Machine::Local(model) => {
                let index = model.predict_index(points)?;
                Self::Many(Predicted::Classes { names: &model.classes, index, scores: None })
            }
            Machine::Cca(_) => {
                let what =
                    "predictions of canonical correlations; mercer transform has their components".into();
                return Err(mercer::ErrorKind::Unsupported { what }.into());
            }
        })
    }

    /// The same with LIBSVM's rule for pairs: of several classes with the most votes the one with the lowest number.
    pub(crate) fn libsvm(machine: &'a Machine, points: &Vectors) -> mercer::Result<Self> {
        match machine {
            Machine::Classifier(model) if model.rule == VoteRule::Votes => {
                let classes = model.classes.len();
                let index = model.expansion.map(points, |decisions| vote(decisions, classes))?;
                Ok(Self::Classes { model, index, decisions: None })
            }
            _ => Self::of(machine, points, false),
        }
    }

    /// Compares with the labels of the rows; nothing where there are several targets.
    ///
    /// # Errors
    /// If numbers are needed and a label is none.
    pub(crate) fn judge(&self, labels: &LabelColumn) -> mercer::Result<Option<Judgement>> {
        Ok(Some(match self {
            Self::Classes { model, index, .. } => {
                let (labels, names) = (labels.labels(), model.classes.iter().map(String::as_str));
                Judgement::Correct(matches(index, &names.collect::<Vec<_>>(), &labels))
            }
            Self::Scores(scores) => {
                let sides: Vec<usize> = scores.iter().map(|&score| place(score)).collect();
                Judgement::Correct(matches(&sides, &SIDES, &labels.labels()))
            }
            Self::Values(values) => Judgement::Errors(Errors::of(values, &labels.numbers()?)),
            Self::Columns(_) => return Ok(None),
            Self::Many(Predicted::Classes { names, index, .. }) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                Judgement::Correct(matches(index, &names, &labels.labels()))
            }
            Self::Many(Predicted::Sets { found, .. }) => Judgement::Sets(judge_sets(found, labels)),
        }))
    }

    /// One a line.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Classes { model, index, .. } => {
                index.iter().try_for_each(|&class| writeln!(out, "{}", model.classes[class]))
            }
            Self::Values(values) => values.iter().try_for_each(|value| writeln!(out, "{value}")),
            Self::Columns(values) => (0..values.len()).try_for_each(|i| {
                let row: Vec<String> = values.row(i).iter().map(f64::to_string).collect();
                writeln!(out, "{}", row.join("\t"))
            }),
            Self::Scores(scores) => scores.iter().try_for_each(|&score| writeln!(out, "{}", side(score))),
            Self::Many(predicted) => predicted.write(out),
        }
    }

    /// Labels and what they come from, separated by tabs, under a line of names.
    fn write_decisions(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Classes { model, index, decisions } => {
                let name = |class: usize| &model.classes[class];
                write!(out, "label")?;
                for (a, b) in pairs(model.classes.len()) {
                    write!(out, "\t{} vs {}", name(a), name(b))?;
                }
                writeln!(out)?;
                for (i, &class) in index.iter().enumerate() {
                    write!(out, "{}", name(class))?;
                    let decisions = decisions.as_ref().map_or(&[][..], |decisions| decisions.row(i));
                    decisions.iter().try_for_each(|value| write!(out, "\t{value}"))?;
                    writeln!(out)?;
                }
                Ok(())
            }
            Self::Scores(scores) => {
                writeln!(out, "label\tscore")?;
                scores.iter().try_for_each(|&score| writeln!(out, "{}\t{score}", side(score)))
            }
            Self::Values(_) | Self::Columns(_) => self.write(out),
            Self::Many(predicted) => predicted.write_scores(out),
        }
    }

    /// Rows inside, of machines that tell inside from outside.
    fn inside(&self) -> Option<usize> {
        match self {
            Self::Scores(scores) => Some(scores.iter().filter(|&&score| score > 0.0).count()),
            Self::Classes { .. } | Self::Values(_) | Self::Columns(_) | Self::Many(_) => None,
        }
    }
}

fn classes<'a>(model: &'a Model, points: &Vectors, decisions: bool) -> mercer::Result<Predictions<'a>> {
    if !decisions {
        return Ok(Predictions::Classes { model, index: model.predict_index(points)?, decisions: None });
    }
    let decisions = model.decisions(points)?;
    let class = |i: usize| model.rule.class(decisions.row(i), model.classes.len());
    let index = (0..points.len()).map(class).collect();
    Ok(Predictions::Classes { model, index, decisions: Some(decisions) })
}

/// How many rows have the label they should have, when row i is said to have `names[found[i]]`.
fn matches(found: &[usize], names: &[&str], labels: &Labels) -> usize {
    let number = |name: &String| names.iter().position(|other| other == name);
    let expected: Vec<Option<usize>> = labels.classes().iter().map(number).collect();
    let pairs = found.iter().zip(labels.index());
    pairs.filter(|(found, label)| expected[**label as usize] == Some(**found)).count()
}

/// The label of a score: 1 inside, −1 outside and on the boundary, as LIBSVM has it.
pub(crate) fn side(score: f64) -> &'static str {
    SIDES[place(score)]
}

fn place(score: f64) -> usize {
    if score > 0.0 { 0 } else { 1 }
}

/// Runs the command.
pub(crate) fn run(args: &PredictArgs) -> Result<()> {
    let threads = system::start_threads(args.common.threads)?;
    paths::model_file(&args.model)?;
    if let Some(out) = &args.out {
        paths::distinct(out, &[&args.data, &args.model])?;
    }
    let started = Instant::now();
    let mut prepared = Prepared::load(&args.model)?;
    if args.decisions && matches!(prepared.machine, Machine::Regression(_) | Machine::Ridge(_)) {
        let model = args.model.display();
        return Err(Failure::Usage(format!(
            "--decisions: {model} is a regression; its values are its predictions"
        )));
    }
    if early::cells(&prepared.machine).is_some() {
        early::check_prediction(args)?;
    }
    if args.scores && prepared.machine.classes().is_none() {
        return Err(Failure::Usage(format!("--scores: {} has no classes", args.model.display())));
    }
    if args.probabilities && softmax(&prepared.machine).is_none() {
        required(prepared.probability.as_ref(), &args.model, "train it with --probability")?;
    }
    let (points, labels) = prepared.read(&args.data, args.data_options.options())?;
    let read_seconds = started.elapsed().as_secs_f64();

    let started = Instant::now();
    let (predictions, columns) = found(&prepared, &points, args).in_file(&args.data)?;
    let predict_seconds = started.elapsed().as_secs_f64();

    let out = args.out.as_deref();
    write_to(out, |out| match &columns {
        Some(columns) => columns.write(&predictions, out),
        None if args.decisions || args.scores || args.probabilities => predictions.write_decisions(out),
        None => predictions.write(out),
    })?;
    if let Predictions::Many(predicted) = &predictions
        && predicted.is_nothing()
    {
        remark(
            "mercer: no label is predicted for any row; try a larger C or another kernel, or look at --scores",
        );
    }
    let rows = points.len();
    let judgement = labels
        .filter(|labels| tell_sides(&predictions, labels))
        .map(|labels| predictions.judge(&labels))
        .transpose()
        .in_file(&args.data)?
        .flatten();
    let (correct, errors, sets) = match judgement {
        None => (None, None, None),
        Some(Judgement::Correct(correct)) => (Some(correct), None, None),
        Some(Judgement::Errors(errors)) => (None, Some(errors), None),
        Some(Judgement::Sets(sets)) => (None, None, Some(sets)),
    };
    let report = Report {
        rows,
        accuracy: correct.map(|correct| correct as f64 / rows as f64),
        correct,
        mean_squared_error: errors.map(|errors| errors.mean_square),
        r_squared: errors.map(|errors| errors.r_squared),
        inside: predictions.inside(),
        sets,
        read_seconds,
        predict_seconds,
        rows_per_second: rows as f64 / predict_seconds.max(f64::MIN_POSITIVE),
        threads,
        peak_bytes: system::peak_bytes(),
    };
    let text = report.summary();
    match (args.common.quiet, args.common.json || is_stdout(out)) {
        (true, _) => {}
        (false, true) => remark(text.trim_end()),
        (false, false) => answer(text)?,
    }
    if args.common.json { answer_json(&report) } else { Ok(()) }
}

/// What is asked for of all rows, with what stands beside it where that is not part of the predictions.
fn found<'a>(
    prepared: &'a Prepared,
    points: &Vectors,
    args: &PredictArgs,
) -> mercer::Result<(Predictions<'a>, Option<Columns>)> {
    let machine = &prepared.machine;
    if let (Some(model), true) = (softmax(machine), args.probabilities) {
        return Ok((Predictions::Many(Predicted::probable(model, points)?), None));
    }
    if let (Some(estimate), true) = (&prepared.probability, args.probabilities) {
        let (predictions, columns) = predict_probabilities(machine, estimate, points, Like::Mercer)?;
        return Ok((predictions, Some(columns)));
    }
    let scored = if args.scores { Predicted::scored(machine, points)? } else { None };
    let predictions = match scored {
        Some(scored) => Predictions::Many(scored),
        None => Predictions::of(machine, points, args.decisions)?,
    };
    Ok((predictions, None))
}

/// The machine whose scores are logarithms of probabilities, if it is one.
fn softmax(machine: &Machine) -> Option<&ScoreModel<Vectors, VectorExpr>> {
    match machine {
        Machine::Scores(model) if model.loss == Some(Loss::Softmax) => Some(model),
        _ => None,
    }
}

/// Whether labels can be compared with predictions: those of points inside and outside are 1 and −1, and the classes
/// of a file that was made for something else say nothing of them.
fn tell_sides(predictions: &Predictions<'_>, labels: &LabelColumn) -> bool {
    let is_side = |class: &String| SIDES.contains(&class.as_str());
    predictions.inside().is_none() || labels.labels().classes().iter().all(is_side)
}
