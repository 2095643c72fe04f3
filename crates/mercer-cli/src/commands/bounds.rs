//! `mercer bounds`: what theory says about the errors that a classifier will make.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::Args;
use mercer::bounds::{Bound, Bounds, PairBounds, Question, bounds, of_test};
use mercer::data::{self, Labels, Points};
use mercer::model::AnyPoints;
use mercer::model::file::Saved;
use mercer::verify::Asked;
use serde_json::{Value, json};

use crate::args::{CommonArgs, DataArgs};
use crate::failure::{InFile, Result, usage};
use crate::models::{Kind, load, read};
use crate::output::{count, save, short, table};
use crate::plot::{Captions, structural_risk};
use crate::{paths, system};

#[derive(Debug, Args)]
pub(crate) struct BoundsArgs {
    /// Model file: mercer's or LIBSVM's
    model: PathBuf,
    /// Data file that the model was trained on, as `mercer train` was given it; `-` is standard input
    data: PathBuf,
    /// Data file of rows that the model has not seen: their errors are counted, with the exact binomial interval
    #[arg(long, value_name = "FILE")]
    test: Option<PathBuf>,
    /// Probability with which a bound on the error, or the interval of a test, may fail
    #[arg(long, value_name = "DELTA", default_value_t = 0.05)]
    delta: f64,
    /// Leave out the exact leave-one-out error, which takes the longest
    #[arg(long)]
    no_leave_one_out: bool,
    /// Picture (SVG) of structural risk minimisation for a model of two classes: training error, capacity and bound as C goes from
    /// a thousandth of that of the model to a thousand times it
    #[arg(long, visible_alias = "figure", value_name = "FILE")]
    picture: Option<PathBuf>,
    /// File with the weight of each row that the model was trained with: 0 or 1
    #[arg(long = "weights", value_name = "FILE")]
    row_weights: Option<PathBuf>,
    /// C of the training, where the file does not tell it: LIBSVM's does not
    #[arg(short, value_name = "C")]
    c: Option<f64>,
    /// nu of the training, where the file does not tell it
    #[arg(long, short, value_name = "NU")]
    nu: Option<f64>,
    /// Largest violation that a model without a certificate may have [default: 0.001]
    #[arg(long, short, value_name = "TOLERANCE")]
    tolerance: Option<f64>,
    #[command(flatten)]
    data_options: DataArgs,
    #[command(flatten)]
    common: CommonArgs,
}

/// Prices of the picture, as powers of 2 of that of the model.
const OCTAVES: RangeInclusive<i32> = -10..=10;

pub(crate) fn run(args: &BoundsArgs) -> Result<()> {
    let threads = system::start_threads(args.common.threads)?;
    let (model, data) = model_and_data(args)?;
    let inputs: Vec<&Path> = [model, data].into_iter().chain(args.test.as_deref()).collect();
    args.picture.iter().try_for_each(|picture| paths::distinct(picture, &inputs))?;
    let (kind, mut saved) = load(model)?;
    // First the test: where it has more features than the training data, the model is made as wide, and these after it.
    let test = match &args.test {
        Some(file) => Some((file, labelled(args, &mut saved, file)?)),
        None => None,
    };
    let (points, labels) = labelled(args, &mut saved, data)?;
    let weights = args.row_weights.as_ref().map(|file| data::read_weights(file, points.len())).transpose()?;
    let question = Question {
        delta: args.delta,
        leave_one_out: !args.no_leave_one_out,
        prices: if args.picture.is_some() {
            OCTAVES.map(|k| f64::from(k).exp2()).collect()
        } else {
            Vec::new()
        },
        told: Asked { c: args.c, nu: args.nu, epsilon: None, tolerance: args.tolerance },
    };
    let found = bounds(&saved, &points, &labels, &weights.unwrap_or_default(), &question);
    let mut found = found.in_file(data)?;
    if let Some((file, (points, labels))) = test {
        found.add(of_test(&saved, &points, &labels, args.delta).in_file(file)?);
    }
    if let Some(path) = &args.picture {
        if found.pairs.len() != 1 || found.at_prices.is_empty() {
            return Err(usage!("--picture: of a model of two classes whose errors have a price"));
        }
        let captions = Captions {
            title: format!("Structural risk: {}", found.pairs[0].of),
            subtitle: format!("{}, {}", saved.model.kernel(), count(points.len(), "row")),
        };
        save(path, &structural_risk(&found.at_prices, &captions))?;
    }
    let head = format!(
        "{}: {}, by {}; {}",
        model.display(),
        saved.method(),
        kind.name(),
        count(points.len(), "row")
    );
    args.common.tell(&text(&head, args.delta, &found), false, || {
        object((model, data, args), kind, &saved, &found, threads)
    })
}

/// Model and data, whichever of the two was named first.
fn model_and_data(args: &BoundsArgs) -> Result<(&Path, &Path)> {
    let is_model = |path: &Path| path.is_file() && matches!(Kind::of(path), Ok(Some(_)));
    let (mut model, mut data) = (args.model.as_path(), args.data.as_path());
    if is_model(data) && !is_model(model) {
        (model, data) = (data, model);
    }
    paths::model_file(model)?;
    Ok((model, data))
}

/// The rows of a file with their classes.
fn labelled(args: &BoundsArgs, saved: &mut Saved, file: &Path) -> Result<(AnyPoints, Labels)> {
    let (points, labels) = read(saved, file, args.data_options.options())?;
    let missing =
        || usage!("{}: no labels; name their column by --label or their file by --labels", file.display());
    Ok((points, labels.ok_or_else(missing)?.labels()))
}

fn text(head: &str, delta: f64, found: &Bounds) -> String {
    let mut text = format!("{head}; bounds that fail with a probability of {} at most\n", short(delta));
    if !found.whole.is_empty() {
        text += &lines(&found.whole);
    }
    for pair in &found.pairs {
        text += &format!("\n{}\n{}", of_pair(pair), lines(&pair.bounds));
    }
    let mut told: Vec<&str> = Vec::new();
    text.push('\n');
    for bound in found.whole.iter().chain(found.pairs.iter().flat_map(|pair| &pair.bounds)) {
        if !told.contains(&bound.assumption) {
            told.push(bound.assumption);
            text += &format!("{}: {}\n  {}\n", bound.name, bound.formula, bound.assumption);
        }
    }
    found.notes.iter().for_each(|note| text += &format!("note: {note}\n"));
    text
}

/// What the bounds of a pair rest on.
fn of_pair(pair: &PairBounds) -> String {
    let features = pair.features.map_or_else(|| "not known to be finite".to_owned(), short);
    format!(
        "{}: {}, {} ({} free), {} training and {} margin errors\n‖w‖² = {}, R² = {}, N {features}, d ≤ min(⌊R²‖w‖²⌋, N) + 1 = {}",
        pair.of,
        count(pair.rows, "row"),
        count(pair.support, "support vector"),
        pair.free,
        pair.training_errors,
        pair.margin_errors,
        short(pair.square_norm),
        short(pair.square_radius),
        short(pair.vc_dimension),
    )
}

/// Bounds as a table.
fn lines(bounds: &[Bound]) -> String {
    let line = |bound: &Bound| {
        let value = bound.value.map_or_else(|| "-".to_owned(), short);
        let value = match bound.interval {
            Some([low, high]) => format!("{value} [{}, {}]", short(low), short(high)),
            None => value,
        };
        let vacuous = if bound.is_vacuous() { "vacuous" } else { "" };
        [bound.name.to_owned(), value, vacuous.to_owned(), bound.says.words().to_owned(), bound.note.clone()]
    };
    table(&bounds.iter().map(line).collect::<Vec<_>>())
}

fn object(
    (model, data, args): (&Path, &Path, &BoundsArgs),
    kind: Kind,
    saved: &Saved,
    found: &Bounds,
    threads: usize,
) -> Value {
    let mut object = json!({
        "model": model.display().to_string(),
        "data": data.display().to_string(),
        "test": args.test.as_ref().map(|file| file.display().to_string()),
        "kind": kind.name(),
        "method": saved.method(),
        "delta": args.delta,
        "threads": threads,
    });
    for (name, fact) in found.facts().iter() {
        object[name] = json!(fact);
    }
    object
}
