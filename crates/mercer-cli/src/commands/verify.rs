//! `mercer verify`: whether the certificate in a model file is true.

use std::path::{Path, PathBuf};

use clap::Args;
use mercer::data::{self, LabelSets, Points};
use mercer::model::file::Saved;
use mercer::model::{AnyPoints, TargetKind, Targets};
use mercer::verify::{Asked, Report, verify};
use serde_json::{Value, json};

use super::{source, transform};
use crate::args::{CommonArgs, DataArgs};
use crate::failure::{Failure, InFile, Result, code, usage};
use crate::models::{Kind, load, read};
use crate::output::{count, remark, rough, table};
use crate::{paths, system};

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Model file: mercer's, LIBSVM's or LIBLINEAR's
    model: PathBuf,
    /// Data file that the model was trained on, as `mercer train` was given it; `-` is standard input
    data: PathBuf,
    /// File with the weight of each row that the model was trained with
    #[arg(long = "weights", value_name = "FILE")]
    row_weights: Option<PathBuf>,
    /// File with the targets that the model was trained on, a column for each, where they were not the labels
    #[arg(long, value_name = "FILE")]
    targets: Option<PathBuf>,
    /// cca: the file of the second view
    #[arg(long, value_name = "FILE")]
    second: Option<PathBuf>,
    /// C of the training, where the file does not tell it: LIBSVM's and LIBLINEAR's do not
    #[arg(short, value_name = "C")]
    c: Option<f64>,
    /// nu of the training, where the file does not tell it
    #[arg(long, short, value_name = "NU")]
    nu: Option<f64>,
    /// epsilon of a regression, where the file does not tell it
    #[arg(long, short = 'p', value_name = "EPSILON")]
    epsilon: Option<f64>,
    /// Largest violation that a model without a certificate may have [default: 0.001]
    #[arg(long, short, value_name = "TOLERANCE")]
    tolerance: Option<f64>,
    #[command(flatten)]
    data_options: DataArgs,
    #[command(flatten)]
    common: CommonArgs,
}

pub(crate) fn run(args: &VerifyArgs) -> Result<()> {
    let threads = system::start_threads(args.common.threads)?;
    let (model, data) = model_and_data(args)?;
    let (kind, mut saved) = load(model)?;
    let (points, labels) = read(&mut saved, data, args.data_options.options())?;
    let labels = || {
        let missing = || {
            usage!("{}: no labels; name their column by --label or their file by --labels", data.display())
        };
        labels.clone().ok_or_else(missing)
    };
    let y = match saved.model.target() {
        TargetKind::Classes => Targets::Classes(labels()?.labels()),
        TargetKind::Number | TargetKind::Numbers => Targets::Numbers(match &args.targets {
            Some(file) => source::columns(file, points.len())?,
            None => vec![labels()?.numbers().in_file(data)?],
        }),
        TargetKind::Sets => Targets::Sets(LabelSets::of(&labels()?.labels())),
        TargetKind::View => Targets::View(second(args, &mut saved)?),
        _ => Targets::None,
    };
    let weights = args.row_weights.as_ref().map(|file| data::read_weights(file, points.len())).transpose()?;
    let asked = Asked { c: args.c, nu: args.nu, epsilon: args.epsilon, tolerance: args.tolerance };
    let report = verify(&saved, &points, &y, &weights.unwrap_or_default(), &asked).in_file(data)?;
    args.common.tell(&text(model, kind, &saved, &points, &report), false, || {
        object((model, data), kind, &saved, &report, threads)
    })?;
    if report.is_true() {
        return Ok(());
    }
    if args.common.quiet {
        remark(format_args!("mercer: {}: not true", model.display()));
    }
    Err(Failure::Answer(code::NOT_TRUE))
}

/// Model and data, whichever of the two was named first.
fn model_and_data(args: &VerifyArgs) -> Result<(&Path, &Path)> {
    let is_model = |path: &Path| path.is_file() && matches!(Kind::of(path), Ok(Some(_)));
    let (mut model, mut data) = (args.model.as_path(), args.data.as_path());
    if is_model(data) && !is_model(model) {
        (model, data) = (data, model);
    }
    paths::model_file(model)?;
    Ok((model, data))
}

/// The points of the second view, as the model has them.
fn second(args: &VerifyArgs, saved: &mut Saved) -> Result<AnyPoints> {
    let missing = || usage!("name the file of the second view by --second");
    let file = args.second.as_ref().ok_or_else(missing)?;
    let cca = transform::views(&mut saved.model)?;
    Ok(transform::second(cca, file, args.data_options.options())?.into())
}

fn text(model: &Path, kind: Kind, saved: &Saved, points: &AnyPoints, report: &Report) -> String {
    let mut text = format!(
        "{}: {}, by {}; {}\n",
        model.display(),
        saved.method(),
        kind.name(),
        count(points.len(), "row")
    );
    let mut rows = vec![["", "", "told", "found", "allowed", ""].map(str::to_owned)];
    for check in &report.checks {
        let told = check.told.map_or_else(String::new, |told| format!("{told:.8e}"));
        let allowed = if check.told.is_some() { rough(check.tolerance) } else { String::new() };
        let verdict = if check.holds { "" } else { "NOT TRUE" };
        let found = format!("{:.8e}", check.found);
        rows.push([check.of.clone(), check.what.to_owned(), told, found, allowed, verdict.to_owned()]);
    }
    text += &table(&rows);
    report.flaws.iter().for_each(|flaw| text += &format!("NOT TRUE: {flaw}\n"));
    report.notes.iter().for_each(|note| text += &format!("note: {note}\n"));
    text + if report.is_true() { "the certificate is true" } else { "the certificate is NOT true" }
}

fn object(
    (model, data): (&Path, &Path),
    kind: Kind,
    saved: &Saved,
    report: &Report,
    threads: usize,
) -> Value {
    let mut object = json!({
        "model": model.display().to_string(),
        "data": data.display().to_string(),
        "kind": kind.name(),
        "method": saved.method(),
        "threads": threads,
    });
    for (name, fact) in report.facts().iter() {
        object[name] = json!(fact);
    }
    object
}
