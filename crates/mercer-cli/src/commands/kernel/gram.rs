//! `mercer kernel gram`: the matrix of kernel values as a file.

use std::path::{Path, PathBuf};

use clap::Args;
use mercer::data::{Dense, Encoding, LabelColumn, Points, ReadOptions, Table, write_npy, write_precomputed};
use mercer::gram::{cross, square};
use mercer::model::{AnyKernel, AnyPoints, Space};
use serde_json::json;

use crate::args::{CommonArgs, DataArgs};
use crate::failure::{InFile, Result};
use crate::models::is_open_ended;
use crate::output::{cut, is_stdout};
use crate::report::features;
use crate::system;

#[derive(Debug, Args)]
pub(crate) struct GramArgs {
    /// File of other points, whose values with those of DATA are the rows [default: DATA itself]
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
    /// Kernel expression
    expression: AnyKernel,
    /// Data file; its points are the columns
    data: PathBuf,
    /// File to write; `-` is standard output
    output: PathBuf,
    #[command(flatten)]
    data_options: DataArgs,
    #[command(flatten)]
    common: CommonArgs,
}

/// Classes that are named in the report.
const LISTED: usize = 10;

pub(super) fn run(args: &GramArgs) -> Result<()> {
    system::start_threads(args.common.threads)?;
    args.expression.check()?;
    let read = |path: &Path, encoding: Option<Encoding>| {
        let options = ReadOptions { encoding, ..args.data_options.options() };
        AnyPoints::read(Some(&args.expression), path, &options).in_file(path)
    };
    let columns = read(&args.data, None)?;
    let rows = args.rows.as_deref().map(|path| read(path, columns.encoding.clone())).transpose()?;
    let (columns, rows) = as_wide(&args.expression, columns, rows);
    let kernel = &args.expression.about(&columns.points).in_file(&args.data)?;
    let points = &columns.points;
    let (values, labels, known) = match (rows, &args.rows) {
        (Some(rows), Some(path)) => {
            let values = cross::<f64, _, _>(kernel, &rows.points, points).in_file(path)?;
            (values, rows.labels, columns.labels)
        }
        _ => (square::<f64, _, _>(kernel, points).in_file(&args.data)?, columns.labels, None),
    };
    let matrix = Dense::new(points.len(), values);
    let stem = match args.output.extension().and_then(|ending| ending.to_str()) {
        Some("gz" | "zst") => args.output.file_stem().map(Path::new).unwrap_or(&args.output),
        _ => &args.output,
    };
    let (form, classes) = if stem.extension().is_some_and(|ending| ending == "npy") {
        write_npy(&args.output, &matrix)?;
        ("NumPy array", Vec::new())
    } else {
        let numbered = labels.map(|labels| numbered(labels, known.as_ref())).transpose();
        let (labels, classes) = numbered.in_file(args.rows.as_deref().unwrap_or(&args.data))?.unzip();
        write_precomputed(&args.output, &matrix, labels.as_ref())?;
        ("LIBSVM precomputed", classes.unwrap_or_default())
    };
    let text = format!(
        "kernel   {kernel}\ndata     {}: {}\nvalues   {} × {}\n{}written  {} ({form})\n",
        args.data.display(),
        features(points),
        matrix.len(),
        matrix.columns(),
        told(&classes),
        args.output.display(),
    );
    args.common.tell(&text, is_stdout(&args.output), || {
        json!({
            "kernel": kernel.to_string(),
            "rows": matrix.len(),
            "columns": matrix.columns(),
            "classes": classes,
            "output": args.output.display().to_string(),
        })
    })
}

/// Both tables with as many features as the wider one has, where the file of the narrower does not say how many there are.
fn as_wide(
    kernel: &AnyKernel,
    columns: Table<AnyPoints>,
    rows: Option<Table<AnyPoints>>,
) -> (Table<AnyPoints>, Option<Table<AnyPoints>>) {
    let Some(rows) = rows else { return (columns, None) };
    let [one, other] = [columns.points.width(), rows.points.width()];
    let narrower = if one < other { &columns } else { &rows };
    if one == other || kernel.is_precomputed() || !is_open_ended(narrower) {
        return (columns, Some(rows));
    }
    let width = one.max(other);
    let widened = |table: Table<AnyPoints>| table.map(|points| points.widened(width));
    (widened(columns), Some(widened(rows)))
}

/// Labels as LIBSVM reads them: numbers as they are, classes by their numbers from 1, which the columns give to theirs first; and the
/// classes that got numbers.
fn numbered(
    labels: LabelColumn,
    columns: Option<&LabelColumn>,
) -> mercer::Result<(LabelColumn, Vec<String>)> {
    let mut classes = match (&labels, columns) {
        (LabelColumn::Numbers(_), None | Some(LabelColumn::Numbers(_))) => return Ok((labels, Vec::new())),
        // Numbers that the columns have already could be taken for those of classes.
        (_, Some(LabelColumn::Numbers(_))) => {
            return labels.numbers().map(|numbers| (LabelColumn::Numbers(numbers), Vec::new()));
        }
        (_, Some(columns)) => columns.labels().classes().to_vec(),
        (_, None) => Vec::new(),
    };
    let own = labels.labels();
    let mut numbers = Vec::new();
    for class in own.classes() {
        let place = classes.iter().position(|known| known == class).unwrap_or_else(|| {
            classes.push(class.clone());
            classes.len() - 1
        });
        numbers.push(place as f64 + 1.0);
    }
    let of = |&class: &u32| numbers[class as usize];
    Ok((LabelColumn::Numbers(own.index().iter().map(of).collect()), classes))
}

/// Which class has which number, as a line.
fn told(classes: &[String]) -> String {
    let one = |(k, class): (usize, &String)| format!("{} = {}", k + 1, cut(class));
    let some: Vec<String> = classes.iter().enumerate().take(LISTED).map(one).collect();
    let more = if classes.len() > LISTED { ", … (--json has all)" } else { "" };
    if classes.is_empty() { String::new() } else { format!("classes  {}{more}\n", some.join(", ")) }
}
