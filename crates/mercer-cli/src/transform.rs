//! `mercer transform`: rows become their components.

use std::path::Path;

use mercer::data::{Dense, Format, LabelColumn, Points, Table, Vectors, write_atomic};
use mercer::model::Machine;
use serde_json::json;

use crate::args::TransformArgs;
use crate::components::{data_and_model, first, none};
use crate::convert::write_table;
use crate::failure::{Failure, InFile, Result};
use crate::models::Prepared;
use crate::output::{answer, answer_json, count, is_stdout, remark, short};
use crate::plot;
use crate::{paths, system, views};

/// Runs the command.
pub(crate) fn run(args: &TransformArgs) -> Result<()> {
    let threads = system::start_threads(args.common.threads)?;
    let (data, model) = data_and_model(&args.data, &args.model)?;
    paths::model_file(&model)?;
    for output in args.out.iter().chain(&args.figure) {
        paths::distinct(output, &[&data, &model])?;
        args.second.iter().try_for_each(|second| paths::distinct(output, &[second]))?;
    }
    let mut prepared = Prepared::load(&model)?;
    let views = args.second_view || args.second.is_some();
    if views && !matches!(prepared.machine, Machine::Cca(_)) {
        return Err(Failure::Usage(format!("{} has no second view", model.display())));
    }
    prepared.machine = first(prepared.machine, args.components)?;
    let found = components(&mut prepared, args, &data, &model)?;
    let (rows, columns) = (found.rows.len(), found.rows.columns());
    let names = found.names;
    let table =
        Table { points: found.rows.into(), labels: found.labels, encoding: None, names: names.clone() };
    let out = args.out.as_deref();
    let path = out.unwrap_or(Path::new("-"));
    if args.figure.is_none() || args.out.is_some() {
        write_table(path, &table, Format::of_path(path).unwrap_or(Format::Libsvm))?;
    }
    let mut text = format!("{}, {}", count(rows, "row"), count(columns, "component"));
    if let Some(correlations) = &found.correlations {
        let list: Vec<String> = correlations.iter().map(|value| short(*value)).collect();
        text += &format!("; correlations {}", list.join(", "));
    }
    let piped = args.figure.is_none() && is_stdout(out);
    match (args.common.quiet, args.common.json || piped) {
        (true, _) => {}
        (false, true) => remark(&text),
        (false, false) => answer(format_args!("{text}\n"))?,
    }
    if !args.common.json {
        return Ok(());
    }
    answer_json(&json!({
        "rows": rows,
        "components": columns,
        "names": names,
        "correlations": found.correlations,
        "threads": threads,
        "peak_bytes": system::peak_bytes(),
    }))
}

/// Components, what they are called, the labels of the rows, and the correlations of two views.
struct Found {
    rows: Dense<f64>,
    names: Vec<String>,
    labels: Option<LabelColumn>,
    correlations: Option<Vec<f64>>,
}

fn components(prepared: &mut Prepared, args: &TransformArgs, data: &Path, model: &Path) -> Result<Found> {
    let options = args.data_options.options();
    if let (Machine::Cca(cca), true) = (&mut prepared.machine, args.second_view) {
        let rows = views::second(cca, data, options)?;
        let names = named("g", rows.columns());
        return Ok(Found { rows, names, labels: None, correlations: None });
    }
    let (points, labels) = prepared.read(data, options.clone())?;
    if let Some(path) = &args.figure {
        let picture = figure(&prepared.machine, &points)?;
        write_atomic(path, |out| out.write_all(picture.as_bytes()))?;
    }
    if let (Machine::Cca(cca), Some(file)) = (&mut prepared.machine, &args.second) {
        let (rows, correlations) = views::both(cca, &points, file, options)?;
        let names = [named("f", correlations.len()), named("g", correlations.len())].concat();
        return Ok(Found { rows, names, labels, correlations: Some(correlations) });
    }
    let letter = match &prepared.machine {
        Machine::Cca(_) => "f",
        Machine::Pca(_) | Machine::Fisher(_) => "component",
        other => return Err(none(model, other)),
    };
    let rows = prepared.machine.transform(&points).in_file(data)?;
    let names = named(letter, rows.columns());
    Ok(Found { rows, names, labels, correlations: None })
}

fn named(letter: &str, columns: usize) -> Vec<String> {
    (1..=columns).map(|k| format!("{letter}{k}")).collect()
}

fn figure(machine: &Machine, points: &Vectors) -> Result<String> {
    match machine {
        Machine::Pca(model) if points.width() == 2 => Ok(plot::components(model, points)?),
        Machine::Pca(_) => {
            let width = points.width();
            Err(Failure::Usage(format!("--figure: components are drawn over two features, not {width}")))
        }
        other => Err(Failure::Unsupported(format!("--figure of --method {}", other.method()))),
    }
}
