//! `mercer rde`: how many dimensions of a kernel the labels need, and how much of them is noise.

mod candidates;
mod report;

use std::path::Path;
use std::time::Instant;

use mercer::data::{self, Labels, Points, ReadOptions, Table, Vectors, number_text};
use mercer::model::{Denoised, Rde, RdeFit};
use mercer::solve::Target;

use crate::algebra::followed;
use crate::args::{RdeArgs, ScaleArg};
use crate::failure::{Failure, InFile, Result};
use crate::models::is_precomputed;
use crate::output::write_to;
use crate::{paths, plot, scaling, system};
use candidates::Candidates;
use report::Outcome;

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
    report::report(&outcome)
}

/// What the rows are labelled by.
pub(crate) enum Targets {
    /// Classes.
    Classes(Labels),
    /// Numbers.
    Numbers(Vec<f64>),
}

/// Refuses outputs that would overwrite the data or each other.
fn check_outputs(args: &RdeArgs) -> Result<()> {
    let outputs: Vec<&Path> = [&args.spectrum, &args.labels_out, &args.figure]
        .into_iter()
        .flatten()
        .map(|path| path.as_path())
        .collect();
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
fn read(args: &RdeArgs) -> Result<(Vectors, Targets, usize)> {
    let precomputed = args.kernel.as_ref().is_some_and(is_precomputed);
    if precomputed && args.scale != ScaleArg::None {
        return Err(Failure::Usage("--scale: the columns of a precomputed kernel are not features".into()));
    }
    let options = ReadOptions { precomputed, targets: args.regression, ..args.data_options.options() };
    let Table { points, labels, .. } = data::read(&args.data, &options).in_file(&args.data)?;
    let labels = labels.ok_or_else(|| {
        let file = args.data.display();
        Failure::Usage(format!("{file}: no labels; name their column by --label or their file by --labels"))
    })?;
    let x = scaling::apply(scaling::fit(args.scale, &points)?.as_ref(), points).compact();
    let targets = match args.regression {
        true => Targets::Numbers(labels.numbers().in_file(&args.data)?),
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
    let targets = match targets {
        Targets::Numbers(numbers) => Targets::Numbers(index.iter().map(|&i| numbers[i]).collect()),
        Targets::Classes(labels) => Targets::Classes(labels.select(&index)),
    };
    Ok((x.select(&index), targets, of))
}

fn estimate(args: &RdeArgs, candidates: &Candidates, x: &Vectors, targets: &Targets) -> Result<RdeFit> {
    let mut rde = Rde::among(candidates.kernels.clone()).criterion(args.method.criterion());
    if let Some(budget) = args.memory {
        let there = system::resident_bytes().unwrap_or(0) as usize;
        rde = rde.memory(budget.saturating_sub(there));
    }
    let quiet = args.common.quiet;
    let labels = match targets {
        Targets::Numbers(y) => {
            return followed(quiet, |follow| rde.fit_followed(x, y, follow)).in_file(&args.data);
        }
        Targets::Classes(labels) => labels,
    };
    let classes = labels.classes().len();
    if classes > 2 && classes > x.len() / 2 {
        let file = args.data.display();
        let text =
            format!("{file}: {classes} different labels in {} rows; numbers need --regression", x.len());
        return Err(Failure::Usage(text));
    }
    followed(quiet, |follow| rde.fit_labels_followed(x, labels, follow)).in_file(&args.data)
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
