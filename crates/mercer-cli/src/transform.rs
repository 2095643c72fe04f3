//! `mercer transform`: read, compute components, write them.

use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use mercer::data::{self, Dense, Points, ReadOptions, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::{CcaModel, Expansion, Machine};
use serde_json::json;

use crate::args::TransformArgs;
use crate::failure::{Failure, InFile, Result};
use crate::models::{Prepared, is_precomputed};
use crate::output::{answer, answer_json, count, is_stdout, remark, seconds, short, write_to};
use crate::{paths, system};

/// Runs the command.
pub(crate) fn run(args: &TransformArgs) -> Result<()> {
    system::start_threads(args.common.threads)?;
    paths::model_file(&args.model)?;
    if let Some(out) = &args.out {
        paths::distinct(out, &[&args.data, &args.model])?;
        args.second.iter().try_for_each(|second| paths::distinct(out, &[second]))?;
    }
    let mut prepared = Prepared::load(&args.model)?;
    let views = args.second_view || args.second.is_some();
    if views && !matches!(prepared.machine, Machine::Cca(_)) {
        return Err(Failure::Usage(format!("{} has no second view", args.model.display())));
    }
    let started = Instant::now();
    let (rows, names, correlations) = components(&mut prepared, args)?;
    let spent = started.elapsed().as_secs_f64();
    let out = args.out.as_deref();
    write_to(out, |out| write(out, &names, &rows))?;
    let mut text = format!(
        "{:<12} {}, {}, {}\n",
        "components",
        count(rows.len(), "row"),
        count(rows.columns(), "column"),
        seconds(spent)
    );
    if let Some(correlations) = &correlations {
        let list: Vec<String> = correlations.iter().map(|value| short(*value)).collect();
        text += &format!("{:<12} {}\n", "correlations", list.join(", "));
    }
    match (args.common.quiet, args.common.json || is_stdout(out)) {
        (true, _) => {}
        (false, true) => remark(text.trim_end()),
        (false, false) => answer(text)?,
    }
    if !args.common.json {
        return Ok(());
    }
    answer_json(&json!({
        "rows": rows.len(),
        "components": names,
        "correlations": correlations,
        "seconds": spent,
        "peak_bytes": system::peak_bytes(),
    }))
}

/// Components, their names, and the correlations of two views.
type Found = (Dense<f64>, Vec<String>, Option<Vec<f64>>);

fn components(prepared: &mut Prepared, args: &TransformArgs) -> Result<Found> {
    let options = args.data_options.options();
    if let (Machine::Cca(model), true) = (&mut prepared.machine, args.second_view) {
        let points = read_second(model, &args.data, options)?;
        let rows = model.transform_second(&points).in_file(&args.data)?;
        let names = named("g", rows.columns());
        return Ok((rows, names, None));
    }
    let (points, _) = prepared.read(&args.data, options.clone())?;
    let rows = prepared.machine.transform(&points).in_file(&args.data)?;
    let names = named("f", rows.columns());
    let (Machine::Cca(model), Some(file)) = (&mut prepared.machine, &args.second) else {
        return Ok((rows, names, None));
    };
    let second = read_second(model, file, options)?;
    let correlations = model.correlations_on(&points, &second).in_file(file)?;
    let other = model.transform_second(&second).in_file(file)?;
    let both = (0..rows.len()).flat_map(|i| rows.row(i).iter().chain(other.row(i))).copied().collect();
    let names = [names, named("g", other.columns())].concat();
    Ok((Dense::new(names.len(), both), names, Some(correlations)))
}

fn named(letter: &str, columns: usize) -> Vec<String> {
    (1..=columns).map(|k| format!("{letter}{k}")).collect()
}

/// Points of the second view, as wide as those of the model.
fn read_second(
    model: &mut CcaModel<Vectors, VectorExpr>,
    path: &Path,
    options: ReadOptions,
) -> Result<Vectors> {
    let own: &mut Expansion<Vectors, VectorExpr> = &mut model.second;
    let precomputed = is_precomputed(&own.kernel);
    let options = ReadOptions { precomputed, labels_path: None, ..options };
    let points = data::read(path, &options).in_file(path)?.points;
    if !points.is_sparse() {
        return Ok(points);
    }
    let width = points.width().max(own.points.width());
    let support = std::mem::replace(&mut own.points, Vectors::dense::<f32>(1, vec![]));
    own.points = support.with_width(width);
    Ok(points.with_width(width))
}

fn write(out: &mut dyn Write, names: &[String], rows: &Dense<f64>) -> io::Result<()> {
    writeln!(out, "{}", names.join("\t"))?;
    (0..rows.len()).try_for_each(|i| {
        let row: Vec<String> = rows.row(i).iter().map(f64::to_string).collect();
        writeln!(out, "{}", row.join("\t"))
    })
}
