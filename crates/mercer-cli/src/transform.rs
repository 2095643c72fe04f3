//! `mercer transform`: rows become their components.

use std::path::Path;

use mercer::data::{Format, Points, Table, Vectors, write_atomic};
use mercer::model::Machine;
use serde_json::json;

use crate::args::TransformArgs;
use crate::components::{data_and_model, first, of};
use crate::convert::write_table;
use crate::failure::{Failure, InFile, Result};
use crate::models::Prepared;
use crate::output::{answer, answer_json, count, is_stdout, remark};
use crate::plot;
use crate::{paths, system};

/// Runs the command.
pub(crate) fn run(args: &TransformArgs) -> Result<()> {
    let threads = system::start_threads(args.common.threads)?;
    let (data, model) = data_and_model(&args.data, &args.model)?;
    paths::model_file(&model)?;
    for output in args.out.iter().chain(&args.figure) {
        paths::distinct(output, &[&data, &model])?;
    }
    let mut prepared = Prepared::load(&model)?;
    let (points, labels) = prepared.read(&data, args.data_options.options())?;
    prepared.machine = first(prepared.machine, args.components)?;
    let components = of(&prepared.machine, &points, &model)?.in_file(&data)?;
    if let Some(path) = &args.figure {
        let picture = figure(&prepared.machine, &points)?;
        write_atomic(path, |out| out.write_all(picture.as_bytes()))?;
    }
    let (rows, columns) = (components.len(), components.columns());
    let names = (1..=columns).map(|k| format!("component{k}")).collect();
    let table = Table { points: Vectors::from(components), labels, encoding: None, names };
    let out = args.out.as_deref();
    let path = out.unwrap_or(Path::new("-"));
    if args.figure.is_none() || args.out.is_some() {
        write_table(path, &table, Format::of_path(path).unwrap_or(Format::Libsvm))?;
    }
    let text = format!("{}, {}", count(rows, "row"), count(columns, "component"));
    let piped = args.figure.is_none() && is_stdout(out);
    match (args.common.quiet, args.common.json || piped) {
        (true, _) => {}
        (false, true) => remark(&text),
        (false, false) => answer(format_args!("{text}\n"))?,
    }
    if args.common.json {
        let peak = system::peak_bytes();
        answer_json(&json!({ "rows": rows, "components": columns, "threads": threads, "peak_bytes": peak }))?;
    }
    Ok(())
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
