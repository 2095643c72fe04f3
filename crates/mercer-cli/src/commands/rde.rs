//! `mercer rde`: how many dimensions of a kernel the labels need, and how much of them is noise.

mod candidates;
mod report;

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use mercer::data::{Points, ReadOptions, number_text};
use mercer::model::{AnyKernel, AnyPoints, Criterion, Denoised, Event, Job, Rde, RdeFit, Targets};
use mercer::solve::Target;

use crate::args::{CommonArgs, DataArgs, ScaleArg, megabytes};
use crate::failure::{Failure, InFile, Result};
use crate::input::Input;
use crate::output::write_to;
use crate::progress::{Show, Watcher};
use crate::{paths, plot, system};
use candidates::{Candidates, Grid};
use report::Outcome;

/// What chooses the cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CutArg {
    /// The likelihood of two components: signal before the cut, noise after it
    Tcm,
    /// The leave-one-out error of the fit by the directions before the cut
    Loo,
}

impl CutArg {
    /// The library's word for it.
    fn criterion(self) -> Criterion {
        match self {
            Self::Tcm => Criterion::TwoComponents,
            Self::Loo => Criterion::LeaveOneOut,
        }
    }
}

/// `mercer rde`.
#[derive(Debug, Args)]
pub(crate) struct RdeArgs {
    /// What chooses the cut, and among kernels
    #[arg(long, short, value_enum, default_value = "tcm")]
    method: CutArg,
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
    #[arg(long, short, value_enum, default_value = "none")]
    scale: ScaleArg,
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

/// Runs the command.
pub(crate) fn run(args: &RdeArgs) -> Result<()> {
    system::start_threads(args.common.threads)?;
    system::listen_for_interrupt()?;
    check_outputs(args)?;
    let (x, targets, of) = read(args)?;
    let candidates = Candidates::new(args, &x)?;
    let started = Instant::now();
    let fit = estimate(args, &candidates, &x, &targets)?;
    let seconds = started.elapsed().as_secs_f64();
    let outcome = Outcome { args, candidates: &candidates, x: &x, of, targets: &targets, fit: &fit, seconds };
    if let Some(path) = &args.spectrum {
        write_to(Some(path), |out| out.write_all(spectrum(&fit, &names(&outcome)).as_bytes()))?;
    }
    if let Some(path) = &args.labels_out {
        write_to(Some(path), |out| out.write_all(denoised(&fit).as_bytes()))?;
    }
    if let Some(path) = &args.figure {
        let captions = outcome.captions();
        let picture = plot::spectrum(&fit.relevance, &captions);
        write_to(Some(path), |out| out.write_all(picture.as_bytes()))?;
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
            let name = output.display();
            return Err(Failure::Usage(format!("{name}: two outputs cannot go to one file")));
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
    let of = x.len();
    if of <= args.rows {
        return Ok((x, targets, of));
    }
    if args.labels_out.is_some() {
        let most = args.rows;
        return Err(Failure::Usage(format!(
            "--labels-out: all {of} rows are needed, and --rows is {most}; say --rows {of}"
        )));
    }
    let index: Vec<usize> =
        (0..args.rows).map(|i| (i as u128 * of as u128 / args.rows as u128) as usize).collect();
    Ok((x.select(&index), targets.select(&index), of))
}

fn estimate(
    args: &RdeArgs,
    candidates: &Candidates,
    x: &AnyPoints,
    targets: &Targets<AnyPoints>,
) -> Result<RdeFit> {
    let rde = Rde::among(candidates.kernels.clone()).criterion(args.method.criterion());
    if let Targets::Classes(labels) = targets {
        let classes = labels.classes().len();
        if classes > 2 && classes > x.len() / 2 {
            let file = args.data.display();
            let text =
                format!("{file}: {classes} different labels in {} rows; numbers need --regression", x.len());
            return Err(Failure::Usage(text));
        }
    }
    let left = |budget: usize| budget.saturating_sub(system::resident_bytes().unwrap_or(0) as usize);
    let mut watcher = Watcher::new(1.0, &Show::bar(args.common.quiet));
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

/// The name of each target's column.
fn names(outcome: &Outcome<'_>) -> Vec<String> {
    match outcome.targets {
        Targets::Classes(labels) if labels.classes().len() > 2 => {
            labels.classes().iter().map(|class| format!("coefficient of {class}")).collect()
        }
        _ => vec!["coefficient".into()],
    }
}

/// A line for each eigenvalue; scores where there can be a cut after it.
fn spectrum(fit: &RdeFit, names: &[String]) -> String {
    let mut writer = csv_line(
        ["dimension".to_owned(), "eigenvalue".into()]
            .into_iter()
            .chain(names.iter().cloned())
            .chain(["likelihood".into(), "leave_one_out".into()]),
    );
    let mut cuts = fit.relevance.cuts.iter().peekable();
    for (i, eigenvalue) in fit.relevance.eigenvalues.iter().enumerate() {
        let coefficient = |target: &Target| number_text(target.coefficients[i]);
        let cut = cuts.next_if(|cut| cut.dimension == i + 1);
        let score = |value: Option<f64>| value.map_or(String::new(), number_text);
        writer.push_str(&csv_line(
            [(i + 1).to_string(), number_text(*eigenvalue)]
                .into_iter()
                .chain(fit.relevance.targets.iter().map(coefficient))
                .chain([score(cut.map(|cut| cut.likelihood)), score(cut.map(|cut| cut.leave_one_out))]),
        ));
    }
    writer
}

/// Cells of a CSV file; those with a comma, a quote or a line end are quoted.
fn csv_line(cells: impl Iterator<Item = String>) -> String {
    let quoted = |cell: String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    };
    let mut line = cells.map(quoted).collect::<Vec<_>>().join(",");
    line.push('\n');
    line
}

/// Labels without noise, one a line.
fn denoised(fit: &RdeFit) -> String {
    let lines: Vec<String> = match &fit.denoised {
        Denoised::Numbers(numbers) => numbers.iter().map(|&number| number_text(number)).collect(),
        Denoised::Classes(labels) => (0..labels.len()).map(|i| labels.name(i).to_owned()).collect(),
    };
    let mut text = lines.join("\n");
    text.push('\n');
    text
}
