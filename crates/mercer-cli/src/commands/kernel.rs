//! `mercer kernel`: what kernels there are, and whether one is one.

mod gram;
mod list;

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use mercer::data::Points;
use mercer::kernel::{Definiteness, Limits, Parameter, Validity, Verdict, check};
use mercer::model::{AnyKernel, AnyPoints};
use serde_json::json;

use crate::args::{CommonArgs, DataArgs};
use crate::failure::{Failure, InFile, Result, code};
use crate::output::{answer, short};
use crate::report::features;
use crate::{help, system};

#[derive(Debug, Subcommand)]
pub(crate) enum KernelCommand {
    /// Is it a kernel? By construction, and on data, with its spectrum
    #[command(after_help = help::KERNEL_CHECK)]
    Check(CheckArgs),
    /// Writes the matrix of kernel values, for NumPy or as LIBSVM's precomputed kernel
    #[command(after_help = help::KERNEL_GRAM)]
    Gram(gram::GramArgs),
    /// Canonical text, parameters with bounds, definiteness
    Show {
        /// Kernel expression
        expression: AnyKernel,
    },
    /// All kernels and maps, with formulas and examples
    List,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Most rows to look at; of more, this many spread evenly over the data
    #[arg(long, value_name = "N", default_value_t = 1000)]
    rows: usize,
    /// Eigenvalues of the empirical Mercer spectrum to show
    #[arg(long, value_name = "K", default_value_t = 10)]
    spectrum: usize,
    /// Kernel expression
    expression: AnyKernel,
    /// Data file
    data: PathBuf,
    #[command(flatten)]
    data_options: DataArgs,
    #[command(flatten)]
    common: CommonArgs,
}

/// Cells of the longest bar.
const BAR: f64 = 30.0;
/// Decades that a bar shows: an eigenvalue this far below the first has none.
const DECADES: f64 = 6.0;
/// Points of a witness that are shown.
const WITNESS: usize = 5;

pub(crate) fn run(command: &KernelCommand) -> Result<()> {
    match command {
        KernelCommand::Check(args) => run_check(args),
        KernelCommand::Gram(args) => gram::run(args),
        KernelCommand::Show { expression } => show(expression),
        KernelCommand::List => answer(list::text()),
    }
}

fn show(kernel: &AnyKernel) -> Result<()> {
    kernel.check()?;
    let mut text = format!("kernel       {kernel}\ndefiniteness {}\n", kernel.definiteness());
    let parameters = kernel.parameters();
    if parameters.is_empty() {
        text.push_str("parameters   none\n");
        return answer(text);
    }
    let row = |p: Parameter| {
        let scale = if p.log { "log" } else { "linear" };
        [p.path, short(p.value), short(p.low), short(p.high), scale.into()]
    };
    let head = ["parameter", "value", "low", "high", "scale"].map(str::to_owned);
    let rows: Vec<_> = [head].into_iter().chain(parameters.into_iter().map(row)).collect();
    let wide = rows.iter().map(|row| row[0].len()).max().unwrap_or(0);
    text.push('\n');
    for [path, value, low, high, scale] in rows {
        let _ = writeln!(text, "{path:<wide$}  {value:>10}  {low:>9}  {high:>9}  {scale}");
    }
    answer(text)
}

fn run_check(args: &CheckArgs) -> Result<()> {
    system::start_threads(args.common.threads)?;
    args.expression.check()?;
    let (asked, options) = (&args.expression, args.data_options.options());
    let points = AnyPoints::read(Some(asked), &args.data, &options).in_file(&args.data)?.points;
    let limits = Limits { rows: args.rows, eigenfunctions: args.spectrum };
    let kernel = asked.about(&points.select(&limits.sample(points.len()))).in_file(&args.data)?;
    let validity = check(&kernel, &points, limits).in_file(&args.data)?;
    let valid = validity.verdict == Verdict::PositiveSemidefinite;
    args.common.tell(&report(args, &kernel, &points, &validity), false, || {
        json!({
            "kernel": kernel.to_string(),
            "definiteness": validity.definiteness.to_string(),
            "verdict": validity.verdict.to_string(),
            "valid": valid,
            "rows": validity.rows.len(),
            "of": validity.of,
            "features": points.width(),
            "asymmetry": validity.asymmetry,
            "smallest": validity.smallest,
            "largest": validity.largest,
            "tolerance": validity.tolerance,
            "witness": validity.witness.as_ref().map(|witness| witness.value),
            "spectrum": validity.spectrum.eigenvalues.iter().take(args.spectrum).collect::<Vec<_>>(),
        })
    })?;
    if valid { Ok(()) } else { Err(Failure::Answer(code::KERNEL)) }
}

fn report(
    args: &CheckArgs,
    kernel: &AnyKernel,
    points: &AnyPoints,
    validity: &Validity<AnyPoints>,
) -> String {
    let construction = match validity.definiteness {
        Definiteness::Psd => "a kernel: positive semi-definite for all data",
        Definiteness::PsdOnNonNegative => "a kernel where no feature is negative",
        Definiteness::Unknown => "nothing is known",
    };
    let rows = match validity.is_sample() {
        true => format!("{} of {} rows, spread evenly", validity.rows.len(), validity.of),
        false => format!("{} rows", validity.of),
    };
    let on_data = match validity.verdict {
        Verdict::PositiveSemidefinite => format!("positive semi-definite on {rows}"),
        Verdict::Indefinite => format!("not a kernel: indefinite on {rows}"),
        Verdict::Asymmetric => format!("not a kernel: not symmetric on {rows}"),
    };
    let mut text = format!(
        "kernel           {kernel}\n\
         data             {}: {}\n\
         by construction  {construction}\n\
         on the data      {on_data}\n\
         eigenvalues      {} to {} (zero to rounding: {})\n",
        args.data.display(),
        features(points),
        short(validity.smallest),
        short(validity.largest),
        short(validity.tolerance),
    );
    witness(&mut text, validity);
    spectrum(&mut text, validity, args.spectrum);
    text
}

/// The coefficients that prove a Gram matrix indefinite, the largest first.
fn witness(text: &mut String, validity: &Validity<AnyPoints>) {
    let Some(witness) = &validity.witness else { return };
    let mut order: Vec<usize> = (0..witness.coefficients.len()).collect();
    order.sort_by(|&a, &b| witness.coefficients[b].abs().total_cmp(&witness.coefficients[a].abs()));
    let part = |&i: &usize| format!("{} · row {}", short(witness.coefficients[i]), validity.rows[i] + 1);
    let parts: Vec<String> = order.iter().take(WITNESS).map(part).collect();
    let more = if order.len() > WITNESS { " + …" } else { "" };
    let sum = parts.join(" + ").replace("+ -", "− ");
    let _ = writeln!(text, "witness          c = {sum}{more} has cᵀKc = {}", short(witness.value));
}

/// The empirical Mercer spectrum, bars on a log scale.
fn spectrum(text: &mut String, validity: &Validity<AnyPoints>, count: usize) {
    let all = &validity.spectrum.eigenvalues;
    let total: f64 = all.iter().filter(|value| **value > 0.0).sum();
    let Some(&first) = all.first().filter(|_| count > 0) else { return };
    let _ = writeln!(text, "\nempirical Mercer spectrum (eigenvalues of the Gram matrix over its rows)");
    let _ = writeln!(text, "{:>4}  {:>10}  {:>8}", "i", "value", "sum");
    let mut sum = 0.0;
    for (i, &value) in all.iter().enumerate().take(count) {
        sum += value.max(0.0);
        let share = if total > 0.0 { format!("{:.1} %", 100.0 * sum / total) } else { "-".into() };
        let decades = if value > 0.0 && first > 0.0 { DECADES + (value / first).log10() } else { 0.0 };
        let bar = "█".repeat((BAR * decades / DECADES).round().max(0.0) as usize);
        let _ = writeln!(text, "{:>4}  {:>10}  {share:>8}  {bar}", i + 1, short(value));
    }
    if all.len() > count {
        let _ = writeln!(text, "   … {} more; bars on a log scale of {DECADES} decades", all.len() - count);
    }
}
