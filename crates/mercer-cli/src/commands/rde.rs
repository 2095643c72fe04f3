//! `mercer rde`: how many dimensions of a kernel the labels need, and how much of them is noise.

mod candidates;
mod report;

use std::path::PathBuf;
use std::time::Instant;

use crate::args::{CommonArgs, DataArgs, SCALINGS, Scaling, Word, megabytes, words};
use crate::failure::{InFile, Result, usage};
use crate::input::Input;
use crate::output::save;
use crate::progress::Watcher;
use crate::{paths, plot, system};
use candidates::{Candidates, Grid};
use clap::Args;
use mercer::data::{Points, ReadOptions, number_text};
use mercer::model::{AnyKernel, AnyPoints, Criterion, Denoised, Event, Job, Rde, RdeFit, Targets};
use report::Outcome;

/// What chooses the cut.
const CRITERIA: [Word<Criterion>; 2] = [
    (
        "tcm",
        "The likelihood of two components: signal before the cut, noise after it",
        Criterion::TwoComponents,
    ),
    ("loo", "The leave-one-out error of the fit by the directions before the cut", Criterion::LeaveOneOut),
];

#[derive(Debug, Args)]
pub(crate) struct RdeArgs {
    /// What chooses the cut, and among kernels
    #[arg(long, short, value_parser = words(&CRITERIA), default_value = "tcm")]
    method: Criterion,
    /// Kernel expression [default: rbf, with --grid auto]
    #[arg(long, short, value_name = "EXPRESSION")]
    kernel: Option<AnyKernel>,
    /// Values of a parameter to choose from: auto, LOW:HIGH[:STEP] or a list [default: auto without --kernel, else none]
    #[arg(long, short, value_name = "VALUES", value_parser = candidates::grid, allow_hyphen_values = true)]
    grid: Option<Grid>,
    /// The parameter that --grid changes, as `mercer kernel show` calls it [default: gamma, or the only one]
    #[arg(long, value_name = "PATH", requires = "grid")]
    parameter: Option<String>,
    /// Labels are numbers, not classes
    #[arg(long)]
    regression: bool,
    /// Scale features first
    #[arg(long, short, value_parser = words(&SCALINGS), default_value = "none")]
    scale: Scaling,
    /// Most rows to look at; of more, this many spread evenly over the data
    #[arg(long, value_name = "N", default_value_t = 2000)]
    rows: usize,
    /// Write eigenvalues, coefficients and the scores of all cuts (CSV)
    #[arg(long, value_name = "FILE")]
    spectrum: Option<PathBuf>,
    /// Write the labels without noise, one a line
    #[arg(long, value_name = "FILE")]
    labels_out: Option<PathBuf>,
    /// Draw the spectrum and its cut (SVG)
    #[arg(long, value_name = "FILE")]
    figure: Option<PathBuf>,
    /// Megabytes for the whole program [default: what the machine has left]
    #[arg(long, value_name = "MB", value_parser = megabytes)]
    memory: Option<usize>,
    /// Data file: LIBSVM text, CSV/TSV or NPY, also gzip or zstd; `-` is standard input
    data: PathBuf,
    #[command(flatten)]
    data_options: DataArgs,
    #[command(flatten)]
    common: CommonArgs,
}

pub(crate) fn run(args: &RdeArgs) -> Result<()> {
    system::start_threads(args.common.threads)?;
    check_outputs(args)?;
    let (x, targets, of) = read(args)?;
    let candidates = Candidates::new(args, &x)?;
    let started = Instant::now();
    let fit = estimate(args, &candidates, &x, &targets)?;
    let seconds = started.elapsed().as_secs_f64();
    let outcome = Outcome { args, candidates: &candidates, x: &x, of, targets: &targets, fit: &fit, seconds };
    if let Some(path) = &args.spectrum {
        save(path, &spectrum(&fit, &targets))?;
    }
    if let Some(path) = &args.labels_out {
        save(path, &denoised(&fit))?;
    }
    if let Some(path) = &args.figure {
        save(path, &plot::spectrum(&fit.relevance, &outcome.captions()))?;
    }
    args.common.tell(&outcome.text(), false, || outcome.object())
}

/// Refuses outputs that would overwrite the data or each other.
fn check_outputs(args: &RdeArgs) -> Result<()> {
    let outputs: Vec<&PathBuf> =
        [&args.spectrum, &args.labels_out, &args.figure].into_iter().flatten().collect();
    for (i, output) in outputs.iter().enumerate() {
        paths::distinct(output, &[&args.data])?;
        if outputs[..i].contains(output) {
            return Err(usage!("{}: two outputs cannot go to one file", output.display()));
        }
    }
    Ok(())
}

/// The rows looked at, their labels, and how many rows there are.
fn read(args: &RdeArgs) -> Result<(AnyPoints, Targets<AnyPoints>, usize)> {
    let options = ReadOptions { targets: args.regression, ..args.data_options.options() };
    let mut input = Input::read(&args.data, args.kernel.as_ref(), &options, args.scale)?;
    let (labels, x) = (input.labels(&args.data)?, input.x);
    let targets = match args.regression {
        true => Targets::Numbers(vec![labels.numbers().in_file(&args.data)?]),
        false => Targets::Classes(labels.labels().libsvm_order()),
    };
    let (of, most) = (x.len(), args.rows);
    if of <= most {
        return Ok((x, targets, of));
    }
    if args.labels_out.is_some() {
        return Err(usage!("--labels-out: all {of} rows are needed, and --rows is {most}; say --rows {of}"));
    }
    let index: Vec<usize> = (0..most).map(|i| (i as u128 * of as u128 / most as u128) as usize).collect();
    Ok((x.select(&index), targets.select(&index), of))
}

fn estimate(
    args: &RdeArgs,
    candidates: &Candidates,
    x: &AnyPoints,
    targets: &Targets<AnyPoints>,
) -> Result<RdeFit> {
    let rde = Rde::among(candidates.kernels.clone()).criterion(args.method);
    if let Targets::Classes(labels) = targets {
        let (file, classes, rows) = (args.data.display(), labels.classes().len(), x.len());
        if classes > 2 && classes > rows / 2 {
            return Err(usage!(
                "{file}: {classes} different labels in {rows} rows; numbers need --regression"
            ));
        }
    }
    let left = |budget: usize| budget.saturating_sub(system::resident_bytes().unwrap_or(0) as usize);
    let mut watcher = Watcher::new(1.0, args.common.quiet, None);
    let mut look = |event: Event<'_>| watcher.look(event);
    let mut job = Job::new().memory(args.memory.map(left)).watched(&mut look);
    let fitted = system::fitting(|| match targets {
        Targets::Classes(labels) => rde.fit_labels_in(x, labels, &mut job),
        targets => rde.fit_in(x, numbers(targets), &mut job),
    });
    fitted.in_file(&args.data)
}

/// The numbers that rows are labelled by.
fn numbers(targets: &Targets<AnyPoints>) -> &[f64] {
    match targets {
        Targets::Numbers(lists) => lists.first().map_or(&[], Vec::as_slice),
        _ => &[],
    }
}

/// A line for each eigenvalue (CSV); scores where there can be a cut after it.
fn spectrum(fit: &RdeFit, targets: &Targets<AnyPoints>) -> String {
    let quoted = |name: String| match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name,
    };
    let coefficients: Vec<String> = match targets {
        Targets::Classes(labels) if labels.classes().len() > 2 => {
            labels.classes().iter().map(|class| quoted(format!("coefficient of {class}"))).collect()
        }
        _ => vec!["coefficient".into()],
    };
    let mut text = format!("dimension,eigenvalue,{},likelihood,leave_one_out\n", coefficients.join(","));
    let mut cuts = fit.relevance.cuts.iter().peekable();
    for (i, eigenvalue) in fit.relevance.eigenvalues.iter().enumerate() {
        let coefficients = fit.relevance.targets.iter().map(|target| target.coefficients[i]);
        let cells: Vec<String> = [*eigenvalue].into_iter().chain(coefficients).map(number_text).collect();
        let cut = cuts.next_if(|cut| cut.dimension == i + 1);
        let scores = cut.map_or(",".into(), |cut| {
            format!("{},{}", number_text(cut.likelihood), number_text(cut.leave_one_out))
        });
        text += &format!("{},{},{scores}\n", i + 1, cells.join(","));
    }
    text
}

/// Labels without noise, one a line.
fn denoised(fit: &RdeFit) -> String {
    let lines: Vec<String> = match &fit.denoised {
        Denoised::Numbers(numbers) => numbers.iter().map(|&number| number_text(number)).collect(),
        Denoised::Classes(labels) => (0..labels.len()).map(|i| labels.name(i).to_owned()).collect(),
    };
    lines.join("\n") + "\n"
}
