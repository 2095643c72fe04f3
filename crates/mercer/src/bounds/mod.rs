//! What theory says about the errors that a classifier will make (row of capacity, margins and leave-one-out).
//!
//! [`bounds`] takes a model and the data that it was fitted to, sees by [`verify`] that they belong together, goes
//! on to the optimum in double precision and tells, with formula and assumption, in the order of their use:
//!
//! | name | what it is |
//! |---|---|
//! | `test` | errors on a test set, with the interval of Clopper and Pearson ([`of_test`]) |
//! | `leave-one-out` | exact: each row is classified by the optimum of the others |
//! | `span` | leave-one-out from one optimum, where its support vectors stay (Vapnik and Chapelle 2000) |
//! | `xi-alpha` | above leave-one-out, from slacks and coefficients (Joachims 2000) |
//! | `support vectors` | above leave-one-out: #SV / n |
//! | `radius-margin` | above leave-one-out: (4 R² Σα + Σξ) / n |
//! | `PAC-Bayes`, `Rademacher` | above the error, from the margins of the rows |
//! | `SRM`, `SRM, uniform` | above the error, from the VC dimension d ≤ min(⌊R²‖w‖²⌋, N) + 1 |
//!
//! They are of the function of two classes; with more, each pair has its own, and the leave-one-out error and the share of support
//! vectors are told of the vote as well. Derivations are in the book (`docs/bounds.md`).
//!
//! Cost: n² kernel values of each pair, which are held in double precision; the cube of the free support vectors; for leave-one-out a
//! few more steps of the solver for some of the support vectors.
//!
//! ```
//! use mercer::bounds::{Question, bounds};
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::linear;
//! use mercer::model::{Svc, file::Saved};
//! use mercer::verify::Asked;
//!
//! let x = Vectors::dense(1, vec![-2.0, -1.0, 1.0, 2.0]);
//! let y = Labels::first_seen(["low", "low", "high", "high"]);
//! let saved = Saved::from(Svc::new(linear()).c(10.0).fit(&x, &y)?);
//! let told = Asked { c: Some(10.0), ..Asked::default() };
//! let found = bounds(&saved, &x.into(), &y, &[], &Question { told, ..Question::default() })?;
//!
//! let pair = &found.pairs[0];
//! // f(x) = −x; R = 2 and ‖w‖ = 1, but a line has one dimension: d ≤ min(⌊4⌋, 1) + 1.
//! assert_eq!((pair.support, pair.vc_dimension), (2, 2.0));
//! assert_eq!(pair.get("leave-one-out").and_then(|bound| bound.value), Some(0.0));
//! assert_eq!(pair.get("support vectors").and_then(|bound| bound.value), Some(0.5));
//! # Ok::<(), mercer::Error>(())
//! ```

mod capacity;
mod left_out;
mod margin;
mod optimum;
mod pair;
mod report;
mod separation;
mod solved;
mod span;
mod sphere;
mod standing;
mod table;
#[cfg(test)]
mod tests;
mod votes;
mod words;

use std::collections::HashMap;

use crate::data::{Labels, Points};
use crate::error::{DataProblem, ErrorKind, Result, check};
use crate::gram::{Gram, Lazy};
use crate::kernel::{Definiteness, Kernel};
use crate::model::file::Saved;
use crate::model::words::{count, rough};
use crate::model::{AnyModel, AnyPoints, How, Model, Prediction, Space, SvcModel, Targets};
use crate::select::clopper_pearson;
use crate::solve::Stop;
use crate::verify::{Asked, Data, Report, programmes, verify};
pub use report::{AtPrice, Bound, Bounds, PairBounds, Says};
use separation::Separation;
use solved::{OfKernel, Solved};
use votes::Votes;

/// What bounds are asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// δ: the probability with which a bound on the error, or an interval, may fail.
    pub delta: f64,
    /// Whether to leave out one row after another, which takes the longest.
    pub leave_one_out: bool,
    /// Factors on the prices of errors at which bounds are told too, without leave-one-out; where no error is allowed there is no price.
    pub prices: Vec<f64>,
    /// What is known of the fit besides the file, where the file does not tell it.
    pub told: Asked,
}

impl Default for Question {
    /// δ = 0.05, with leave-one-out.
    fn default() -> Self {
        Self { delta: 0.05, leave_one_out: true, prices: Vec::new(), told: Asked::default() }
    }
}

/// What theory says about a classifier of pairs, from the data that it was fitted to, as they were handed to the fit (scaled and encoded
/// as the model has it), with the weights of the rows (none for 1).
///
/// # Errors
/// If δ does not lie between 0 and 1, the model is none of `svc` or `nu-svc`, it was not fitted to these data, rows of one class have
/// different weights, the kernel is not positive semi-definite on the rows, or the kernel values do not fit into memory.
pub fn bounds(
    saved: &Saved,
    x: &AnyPoints,
    y: &Labels,
    weights: &[f64],
    question: &Question,
) -> Result<Bounds> {
    check_delta(question.delta)?;
    for &factor in &question.prices {
        check("prices", factor, factor > 0.0 && factor.is_finite(), "must be positive and finite")?;
    }
    match (&saved.model, x) {
        (AnyModel::Vectors(model), AnyPoints::Vectors(points)) => {
            let targets = Targets::Classes(y.clone());
            of_model(&**model, saved, (x, y), (points, &targets), weights, question)
        }
        (AnyModel::Vectors(_), _) => {
            Err(ErrorKind::Unsupported { what: "data of another space than that of the model".into() }.into())
        }
        (AnyModel::Other(model), x) => {
            let targets = Targets::Classes(y.clone());
            of_model(&**model, saved, (x, y), (x, &targets), weights, question)
        }
    }
}

/// The errors of a classifier on the rows of a test, with the interval of Clopper and Pearson. A row of a class that the classifier does
/// not know is an error.
///
/// # Errors
/// If δ does not lie between 0 and 1, there are no rows, there is not one label for each, or the model does not predict classes.
pub fn of_test(saved: &Saved, x: &AnyPoints, y: &Labels, delta: f64) -> Result<Bound> {
    check_delta(delta)?;
    if x.is_empty() {
        return Err(ErrorKind::Data(DataProblem::Empty).into());
    }
    if x.len() != y.len() {
        return Err(ErrorKind::Data(DataProblem::Lengths { points: x.len(), labels: y.len() }).into());
    }
    let Prediction::Classes(said) = saved.model.predict(x, How::default())? else {
        return Err(ErrorKind::Unsupported { what: no_classes(saved.model.kind()).into() }.into());
    };
    let classes = saved.model.classes();
    let is_error = |i: &usize| classes.get(said[*i]).is_none_or(|class| class.as_str() != y.name(*i));
    counted((0..x.len()).filter(is_error).count(), x.len(), delta)
}

/// Errors that were counted on the rows of a test, with the interval of Clopper and Pearson.
///
/// # Errors
/// If δ does not lie between 0 and 1, there are no rows, or fewer than errors.
pub fn counted(errors: usize, rows: usize, delta: f64) -> Result<Bound> {
    check_delta(delta)?;
    let interval = clopper_pearson(errors, rows, 1.0 - delta)?;
    let mut bound = Bound::new("test", Says::Measured, Some(errors as f64 / rows as f64), words::TEST);
    bound.interval = Some(interval);
    Ok(bound.noted(format!("{} of {}", count(errors, "error"), count(rows, "row"))))
}

fn check_delta(delta: f64) -> Result<()> {
    check("delta", delta, delta > 0.0 && delta < 1.0, "must lie in (0, 1)")
}

fn no_classes(kind: &str) -> String {
    format!(
        "bounds of a model of the kind '{kind}': they are of the functions of two classes that svc and nu-svc fit (of a linear one, svc with the kernel linear)"
    )
}

/// Bounds of a model of one space.
fn of_model<X: Space>(
    model: &(dyn Model<X> + 'static),
    saved: &Saved,
    (all, labels): (&AnyPoints, &Labels),
    (x, y): (&X, &Targets<X>),
    weights: &[f64],
    question: &Question,
) -> Result<Bounds> {
    let Some(model) = model.downcast::<SvcModel<X, X::Kernel>>() else {
        return Err(ErrorKind::Unsupported { what: no_classes(model.kind()).into() }.into());
    };
    let seen = verify(saved, all, &Targets::Classes(labels.clone()), weights, &question.told)?;
    belongs(&seen)?;
    let told = (saved.recipe.as_ref(), saved.training.as_ref());
    let data = Data::new(x, y, weights, told, &question.told)?;
    if !weighs_by_class(&data) {
        let what = "bounds where rows of one class have different weights: a theorem counts each row once (equal weights of a class are a factor on its C)";
        return Err(ErrorKind::Unsupported { what: what.into() }.into());
    }
    let mut report = Report::default();
    let programmes = programmes(model, &data, &mut report);
    belongs(&report)?;
    let mut found = Bounds { notes: report.notes, ..Bounds::default() };
    let kernel = model.expansion.kernel();
    let of_kernel = OfKernel {
        definite: kernel.definiteness() == Definiteness::Psd,
        features: capacity::feature_dimension(kernel, data.x.as_vectors().map_or(0, |x| x.width())),
    };
    let mut solved = Vec::new();
    let mut whole = true;
    for (pair, beta) in programmes.into_iter().flatten() {
        let Some(pair) = pair else {
            whole = false;
            continue;
        };
        if pair.share.is_some() {
            found.note("of nu-SVC the bounds are those of C-SVC with the C that nu stands for");
        }
        let separation = Separation::new(pair);
        let beta = separation.rows.iter().map(|&i| beta[i]).collect();
        let points = data.x.select(&separation.rows);
        let gram = Lazy::new(kernel, &points)?;
        let rows = separation.rows.clone();
        let pair = Solved::new(separation, beta, &gram, of_kernel, question);
        let pair = pair.map_err(|error| error.about(&rows))?;
        if pair.bounds.stop != Stop::Converged {
            let PairBounds { of, gap, stop, .. } = &pair.bounds;
            let gap = rough(*gap);
            found.note(&format!(
                "{of}: {stop} short of the optimum, by a gap of {gap}; all here is of what was reached"
            ));
        }
        found.at_prices.extend(pair.at_prices.iter().cloned());
        found.pairs.push(pair.bounds.clone());
        solved.push(pair);
    }
    if saved.recipe.as_ref().and_then(|recipe| recipe.flag("mean")) == Some(true) {
        found.note("the price C/n of an error stays that of all rows when one is left out");
    }
    if whole && model.classes.len() > 2 {
        let class = |i: usize| model.classes.iter().position(|class| class == labels_of(&data, i));
        let votes = Votes {
            classes: model.classes.len(),
            class: (0..data.len()).map(|i| class(i).unwrap_or(usize::MAX)).collect(),
            decisions: model.decisions(&data.x)?,
            rule: model.rule,
            solved: &solved,
        };
        found.add(votes.support());
        found.add(votes.left_out(|rows| table_gram(kernel, &data.x.select(rows)))?);
    }
    Ok(found)
}

/// Whether rows of one class have one weight, which is then a factor on its C.
fn weighs_by_class<X: Space>(data: &Data<'_, X>) -> bool {
    let mut weight_of: HashMap<&str, f64> = HashMap::new();
    (0..data.len())
        .all(|i| *weight_of.entry(labels_of(data, i)).or_insert(data.weights[i]) == data.weights[i])
}

/// The name of the class of a row.
fn labels_of<'a, X: Space>(data: &'a Data<'_, X>, i: usize) -> &'a str {
    if let Targets::Classes(labels) = &data.y { labels.name(i) } else { "" }
}

/// The Gram of some points.
fn table_gram<'g, X: Space>(kernel: &'g X::Kernel, points: &X) -> Result<Box<dyn Gram + 'g>> {
    Ok(Box::new(Lazy::new(kernel, points)?))
}

/// Refuses data of which a verification says that the model was not fitted to them.
fn belongs(report: &Report) -> Result<()> {
    let flaw = report.flaws.first().cloned();
    let Some(why) = flaw.or_else(|| report.broken().next().map(ToString::to_string)) else { return Ok(()) };
    Err(ErrorKind::Data(DataProblem::NotFittedTo { why: why.into() }).into())
}

impl Bounds {
    fn note(&mut self, note: &str) {
        if !self.notes.iter().any(|own| own == note) {
            self.notes.push(note.to_owned());
        }
    }
}
