//! `mercer kernel`: what kernels there are, and whether one is one.

use std::fmt::Write;

use mercer::data::{self, Points, ReadOptions, Vectors};
use mercer::kernel::{Definiteness, Limits, Validity, VectorExpr, Verdict, check};
use serde_json::json;

use crate::args::{CheckArgs, KernelCommand};
use crate::failure::{Failure, InFile, Result, code};
use crate::kernel_list;
use crate::models::is_precomputed;
use crate::output::{answer, answer_json, remark, short};
use crate::system;

/// Cells of the longest bar.
const BAR: f64 = 30.0;
/// Decades that a bar shows: an eigenvalue this far below the first has none.
const DECADES: f64 = 6.0;
/// Points of a witness that are shown.
const WITNESS: usize = 5;

/// Runs the command.
pub(crate) fn run(command: &KernelCommand) -> Result<()> {
    match command {
        KernelCommand::Check(args) => run_check(args),
        KernelCommand::Show { expression } => show(expression),
        KernelCommand::List => answer(kernel_list::text()),
    }
}

fn show(kernel: &VectorExpr) -> Result<()> {
    kernel.check()?;
    let mut text = format!("kernel       {kernel}\ndefiniteness {}\n", kernel.definiteness());
    let parameters = kernel.parameters();
    if parameters.is_empty() {
        text.push_str("parameters   none\n");
        return answer(text);
    }
    let wide = parameters.iter().map(|p| p.path.len()).max().unwrap_or(0).max("parameter".len());
    let heading = ("parameter", "value", "low", "high");
    let _ = writeln!(
        text,
        "\n{:<wide$}  {:>10}  {:>9}  {:>9}  scale",
        heading.0, heading.1, heading.2, heading.3
    );
    for p in parameters {
        let scale = if p.log { "log" } else { "linear" };
        let (low, high) = (short(p.low), short(p.high));
        let _ = writeln!(text, "{:<wide$}  {:>10}  {low:>9}  {high:>9}  {scale}", p.path, short(p.value));
    }
    answer(text)
}

fn run_check(args: &CheckArgs) -> Result<()> {
    system::start_threads(args.common.threads)?;
    args.expression.check()?;
    let precomputed = is_precomputed(&args.expression);
    let options = ReadOptions { precomputed, ..args.data_options.options() };
    let points = data::read(&args.data, &options).in_file(&args.data)?.points;
    let limits = Limits { rows: args.rows, eigenfunctions: args.spectrum };
    let validity = check(&args.expression, &points, limits).in_file(&args.data)?;
    let text = report(args, &points, &validity);
    match (args.common.quiet, args.common.json) {
        (true, _) => {}
        (false, true) => remark(text.trim_end()),
        (false, false) => answer(text)?,
    }
    if args.common.json {
        answer_json(&json!({
            "kernel": args.expression.to_string(),
            "definiteness": validity.definiteness.to_string(),
            "verdict": validity.verdict.to_string(),
            "valid": validity.verdict == Verdict::PositiveSemidefinite,
            "rows": validity.rows.len(),
            "of": validity.of,
            "features": points.width(),
            "asymmetry": validity.asymmetry,
            "smallest": validity.smallest,
            "largest": validity.largest,
            "tolerance": validity.tolerance,
            "witness": validity.witness.as_ref().map(|witness| witness.value),
            "spectrum": validity.spectrum.eigenvalues.iter().take(args.spectrum).collect::<Vec<_>>(),
        }))?;
    }
    if validity.verdict == Verdict::PositiveSemidefinite {
        Ok(())
    } else {
        Err(Failure::Answer(code::KERNEL))
    }
}

fn report(args: &CheckArgs, points: &Vectors, validity: &Validity<Vectors>) -> String {
    let construction = match validity.definiteness {
        Definiteness::Psd => "a kernel: positive semi-definite for all data",
        Definiteness::PsdOnNonNegative => "a kernel where no feature is negative",
        Definiteness::Unknown => "nothing is known",
    };
    let rows = if validity.is_sample() {
        format!("{} of {} rows, spread evenly", validity.rows.len(), validity.of)
    } else {
        format!("{} rows", validity.of)
    };
    let on_data = match validity.verdict {
        Verdict::PositiveSemidefinite => format!("positive semi-definite on {rows}"),
        Verdict::Indefinite => format!("not a kernel: indefinite on {rows}"),
        Verdict::Asymmetric => format!("not a kernel: not symmetric on {rows}"),
    };
    let mut text = format!(
        "kernel           {}\n\
         data             {}: {} features\n\
         by construction  {construction}\n\
         on the data      {on_data}\n\
         eigenvalues      {} to {} (zero to rounding: {})\n",
        args.expression,
        args.data.display(),
        points.width(),
        short(validity.smallest),
        short(validity.largest),
        short(validity.tolerance),
    );
    witness(&mut text, validity);
    spectrum(&mut text, validity, args.spectrum);
    text
}

/// The coefficients that prove a Gram matrix indefinite, the largest first.
fn witness(text: &mut String, validity: &Validity<Vectors>) {
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
fn spectrum(text: &mut String, validity: &Validity<Vectors>, count: usize) {
    let all = &validity.spectrum.eigenvalues;
    let total: f64 = all.iter().filter(|value| **value > 0.0).sum();
    let Some(&first) = all.first().filter(|_| count > 0) else { return };
    let _ = writeln!(text, "\nempirical Mercer spectrum (eigenvalues of the Gram matrix over its rows)");
    let _ = writeln!(text, "{:>4}  {:>10}  {:>8}", "i", "value", "sum");
    let mut sum = 0.0;
    for (i, &value) in all.iter().enumerate().take(count) {
        sum += value.max(0.0);
        let share = if total > 0.0 { format!("{:.1} %", 100.0 * sum / total) } else { "-".into() };
        let _ = writeln!(text, "{:>4}  {:>10}  {share:>8}  {}", i + 1, short(value), bar(value, first));
    }
    if all.len() > count {
        let _ = writeln!(text, "   … {} more; bars on a log scale of {DECADES} decades", all.len() - count);
    }
}

fn bar(value: f64, first: f64) -> String {
    let decades = if value > 0.0 && first > 0.0 { DECADES + (value / first).log10() } else { 0.0 };
    "█".repeat((BAR * decades / DECADES).round().max(0.0) as usize)
}
