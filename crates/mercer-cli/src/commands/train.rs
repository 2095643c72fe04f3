//! `mercer train`: read, fit, save, print the certificate.

use std::path::{Path, PathBuf};
use std::time::Instant;

use self::checkpoint::CheckpointArgs;
use super::online;
use super::source::Source;
use crate::args::{CommonArgs, DataArgs, MEGABYTE, SCALINGS, Scaling, megabytes, words};
use crate::failure::{InFile, Result, unsupported, usage};
use crate::fit::{Data, Fitted, ended, fit, learn};
use crate::input::Input;
use crate::method::{self, Choice, MethodArgs};
use crate::models::{Kind, check_libsvm};
use crate::output::{count, remark};
use crate::report::{Cost, Finished, Shape};
use crate::{paths, system};
use clap::Args;
use mercer::data::{self, Points, TextFeatures};
use mercer::model::file::Saved;
use mercer::model::probability::{Curve, Settings};
use mercer::model::{AnyEstimator, AnyPoints, Space, Targets, Value};

#[path = "train_checkpoint.rs"]
mod checkpoint;
#[path = "train_stream.rs"]
mod streamed;

/// Memory that is neither data nor kernel rows: gradients, working sets, packed columns.
const OVERHEAD: u64 = 32 << 20;

#[derive(Debug, Args)]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    asked: MethodArgs,
    /// File with a weight for each row, one number a line: a whole number counts the row so often, 0 leaves it out
    #[arg(long = "weights", value_name = "FILE")]
    row_weights: Option<PathBuf>,
    /// Learn probabilities from rows left out of the fit, and store them in the model
    #[arg(long, value_name = "KIND", value_parser = method::probabilities())]
    probability: Option<String>,
    /// Folds that are left out in turn for --probability, drawn by --seed [default: 5]
    #[arg(long, value_name = "K", requires = "probability")]
    folds: Option<usize>,
    /// Scale features first; the scaling is stored in the model and applied in prediction
    #[arg(long, short, value_parser = words(&SCALINGS), default_value = "none")]
    scale: Scaling,
    /// Make features of texts first: counts, tfidf or hashed, for instance "tfidf(ngrams=1..2)"; they are stored in the model, so that
    /// prediction takes texts
    #[arg(long, value_name = "FEATURES", conflicts_with_all = ["scale", "libsvm"])]
    features: Option<TextFeatures>,
    /// Write LIBSVM's model text instead of a mercer model
    #[arg(long)]
    libsvm: bool,
    /// Write a table of all rounds (CSV): violation, objective, gap, variables active and in the working set
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Megabytes for the whole program; what the data leave goes to kernel rows or matrices
    #[arg(long, value_name = "MB", value_parser = megabytes)]
    memory: Option<usize>,
    /// Read rows from disk during the fit, for data larger than memory: they are parsed once into a file of blocks, which is used
    /// again while the data are the same (linear-svc, logistic and linear-svr; --memory is 2048 then unless it is given)
    /// [default file: the data file's name and .blocks, beside it]
    #[arg(long, value_name = "FILE", require_equals = true, num_args = 0..=1)]
    stream: Option<Option<PathBuf>>,
    /// Classes of a stream, separated by commas [default: those that appear]; pegasos reads LIBSVM text of any length from
    /// standard input in one pass
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', allow_hyphen_values = true)]
    classes: Vec<String>,
    /// Data file: vectors as LIBSVM text, CSV/TSV or NPY; texts as lines `label<TAB>text`, FASTA or a column of a CSV file; graphs as a TU
    /// folder or JSON lines; sets as LIBSVM text with qid or CSV with --group; also gzip or zstd; `-` is standard input
    data: PathBuf,
    /// Model file to write [default: the data file's name and .mercer, in the current folder]
    model: Option<PathBuf>,
    #[command(flatten)]
    kept: CheckpointArgs,
    #[command(flatten)]
    data_options: DataArgs,
    #[command(flatten)]
    common: CommonArgs,
}

/// The files that say what is fitted to what.
fn source(args: &TrainArgs) -> Source<'_> {
    Source {
        asked: &args.asked,
        data: &args.data,
        data_options: &args.data_options,
        scale: args.scale,
        quiet: args.common.quiet,
    }
}

pub(crate) fn run(args: &TrainArgs) -> Result<()> {
    mercer::keep_little_freed_memory();
    let threads = system::start_threads(args.common.threads)?;
    let path = model_path(args)?;
    let choice = Choice::of(&args.asked)?;
    if let Some(trace) = &args.trace {
        choice.check_trace()?;
        args.row_weights.iter().try_for_each(|weights| paths::distinct(trace, &[weights]))?;
        paths::trace_file(trace, &args.data, &path)?;
    }
    args.kept.check(args, &path)?;
    let settings = probability(args, &choice)?;
    if let Some(blocks) = &args.stream {
        return streamed::run(args, &choice, &path, blocks.as_deref(), threads);
    }
    let plain = args.row_weights.is_none() && args.scale == Scaling::None;
    let plain = plain && args.features.is_none() && !args.libsvm;
    if plain && online::is_stream(&args.data, &args.data_options.options(), &choice) {
        check_online(args, &choice)?;
        return online::run(&choice, &args.classes, &path, threads, &args.common);
    }
    if !args.classes.is_empty() {
        return Err(usage!("--classes: for one pass of pegasos over LIBSVM text from standard input"));
    }

    let started = Instant::now();
    let source = source(args);
    let options = source.options(&choice);
    let kernel = choice.kernel(&args.asked)?;
    let mut input = match &args.features {
        Some(features) => Input::of_texts(&args.data, features, &options, args.row_weights.as_deref())?,
        None => Input::read(&args.data, kernel.as_ref(), &options, args.scale)?,
    };
    let y = source.targets(&choice, &mut input)?;
    mercer::return_freed_memory();
    let read_seconds = started.elapsed().as_secs_f64();

    let kernel = kernel.unwrap_or_else(|| input.x.usual_kernel());
    let mut estimator = choice.estimator(kernel.clone(), args.common.seed)?;
    let memory = memory(args, &mut estimator)?;
    estimator.check()?;
    check_weights(args, &estimator, &y)?;
    if args.libsvm {
        check_libsvm(&estimator, &kernel, &y)?;
    }
    let read = |file: &PathBuf| data::read_weights(file, input.x.len());
    let weights = args.row_weights.as_ref().map(read).transpose()?.unwrap_or_default();
    let checkpoint = args.kept.open((&estimator, &kernel), (&input.x, &y, &weights))?;
    let quiet = args.common.quiet;
    let given =
        Data { x: &input.x, y: &y, weights: &weights, memory, quiet, checkpoint: checkpoint.as_ref() };
    let fitted = fit(&estimator, &given, args.trace.as_deref()).in_file(&args.data)?;
    checkpoint::write(checkpoint.as_ref());
    let Fitted { model, seconds: fit_seconds, phases, found, training, recipe } = fitted;
    let learnt = settings.as_ref().map(|settings| learn(&estimator, &given, &model, settings));
    let learnt = learnt.transpose().in_file(&args.data)?;
    let peak_bytes = system::peak_bytes();

    let started = Instant::now();
    let probability = learnt.as_ref().and_then(|learnt| learnt.estimate.clone());
    let saved = Saved { probability, training, recipe: Some(recipe), ..input.saved(model) };
    let kind = if args.libsvm { Kind::Libsvm } else { Kind::Mercer };
    kind.save(&saved, &path)?;
    let save_seconds = started.elapsed().as_secs_f64();

    let probability_seconds = learnt.as_ref().map(|learnt| learnt.seconds);
    let cost =
        Cost { threads, read_seconds, fit_seconds, probability_seconds, save_seconds, phases, peak_bytes };
    let finished = Finished {
        estimator: &estimator,
        saved: &saved,
        shape: Shape::of(&input.x),
        stream: None,
        y: &y,
        found: &found,
        probability: settings.as_ref().map(|settings| (settings, learnt.and_then(|learnt| learnt.folds))),
        scheme: choice.scheme.as_deref(),
        path: &path,
        seed: args.common.seed,
        cost,
    };
    checkpoint::end(checkpoint.as_ref(), &finished)?;
    warn(&finished, &choice);
    args.common.tell(&finished.text(), false, || finished.object())?;
    ended(finished.totals().map(|totals| totals.stop))
}

/// Refuses what one pass over standard input would not look at.
fn check_online(args: &TrainArgs, choice: &Choice) -> Result<()> {
    let unused = ["c", "tolerance"].into_iter().filter(|name| choice.given(name).is_some());
    let unused = unused.filter_map(|name| choice.card.parameter(name)).map(method::spelled);
    let kept = ("--checkpoint", args.kept.is_wanted());
    let rest = [("--seed", args.common.seed != 0), ("--memory", args.memory.is_some()), kept];
    let rest = rest.into_iter().filter(|(_, given)| *given).map(|(name, _)| name.to_owned());
    if let Some(option) = unused.chain(rest).next() {
        return Err(usage!(
            "{option}: one pass of pegasos over standard input does not look at it; --passes N reads all rows first"
        ));
    }
    if let Some(option) = args.data_options.of_tables() {
        return Err(usage!("{option}: standard input is read as LIBSVM text; --format csv reads a table"));
    }
    match choice.given("weight") {
        Some(weight) if args.classes.is_empty() => Err(usage!(
            "--weight {weight}: the classes of standard input are not known before; name them by --classes"
        )),
        _ => Ok(()),
    }
}

/// Says what the user should know although there is a model.
fn warn(finished: &Finished<'_>, choice: &Choice) {
    if let Some(warning) = finished.warning() {
        remark(format_args!("mercer: {warning}"));
    }
    if let Some(warning) = finished.gap_warning() {
        remark(format_args!("mercer: {warning}"));
    }
    let facts = finished.saved.model.facts();
    for name in choice.card.parameters.iter().map(|about| about.name) {
        let asked = choice.given(name).and_then(Value::whole);
        if let (Some(asked), Some(found)) = (asked, facts.number(name))
            && found < asked as f64
        {
            let there = count(found as usize, name.trim_end_matches('s'));
            let are = if found == 1.0 { "is" } else { "are" };
            remark(format_args!("mercer: {asked} {name} were asked for; there {are} {there}"));
        }
    }
}

/// The model file to write: nothing that is read, and in a folder that is there.
fn model_path(args: &TrainArgs) -> Result<PathBuf> {
    let path = args.model.clone().unwrap_or_else(|| default_model(&args.data, args.libsvm));
    paths::model_file(&path)?;
    let read = [&args.row_weights, &args.asked.targets, &args.asked.second].into_iter().flatten();
    read.chain([&args.data]).try_for_each(|other| paths::distinct(&path, &[other]))?;
    Ok(path)
}

/// The data file's name with an ending, in the current folder.
fn default_model(data: &Path, libsvm: bool) -> PathBuf {
    let mut name = match data.file_name() {
        Some(name) if name != "-" => name.to_owned(),
        _ => "stdin".into(),
    };
    name.push(if libsvm { ".model" } else { ".mercer" });
    name.into()
}

/// How probabilities are to be learnt, where they are wanted at all.
fn probability(args: &TrainArgs, choice: &Choice) -> Result<Option<Settings>> {
    let Some(wanted) = &args.probability else { return Ok(None) };
    let settings = choice.probability(wanted, args.folds, args.common.seed)?;
    if settings.method == Curve::Isotonic && args.libsvm {
        return Err(unsupported!(
            "isotonic probabilities as LIBSVM's model text, which has Platt's sigmoids"
        ));
    }
    Ok(Some(settings))
}

/// What a budget for the whole program leaves once the data are there: to kernel rows, where the method keeps some, else to
/// matrices.
fn memory(args: &TrainArgs, estimator: &mut AnyEstimator) -> Result<Option<usize>> {
    let Some(budget) = args.memory else { return Ok(None) };
    let left = left_for_rows(budget)?;
    if estimator.get("cache").is_none() {
        return Ok(Some(left));
    }
    estimator.set("cache", &Value::Number(left as f64 / MEGABYTE))?;
    Ok(None)
}

fn left_for_rows(budget: usize) -> Result<usize> {
    let taken = system::resident_bytes().unwrap_or(0) + OVERHEAD;
    let left = (budget as u64).checked_sub(taken).filter(|&left| left > 0);
    left.map(|left| left as usize).ok_or_else(|| {
        let [budget, taken] = [budget as u64, taken].map(|bytes| bytes.div_ceil(1 << 20));
        usage!("--memory {budget}: the data and the program take {taken} MB already")
    })
}

/// Refuses factors for classes that are not there: they are most likely misspelt.
fn check_weights(args: &TrainArgs, estimator: &AnyEstimator, y: &Targets<AnyPoints>) -> Result<()> {
    let (Some(Value::Weights(weights)), Targets::Classes(labels)) = (estimator.get("weight"), y) else {
        return Ok(());
    };
    let file = args.data.display();
    match weights.iter().find(|(class, _)| !labels.classes().contains(class)) {
        None => Ok(()),
        Some((class, weight)) => Err(usage!("--weight {class}={weight}: {file} has no class '{class}'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_named_after_their_data() {
        assert_eq!(default_model(Path::new("a/b.txt.gz"), false), Path::new("b.txt.gz.mercer"));
        assert_eq!(default_model(Path::new("heart"), true), Path::new("heart.model"));
        assert_eq!(default_model(Path::new("-"), false), Path::new("stdin.mercer"));
    }

    #[test]
    fn a_budget_smaller_than_the_program_is_refused() {
        let failure = left_for_rows(1 << 20).unwrap_err();
        assert!(failure.to_string().starts_with("--memory 1: the data and the program take"), "{failure}");
        assert!(left_for_rows(usize::MAX / 2).unwrap() > 1 << 30);
    }
}
