//! `mercer kernel gram`: the matrix of kernel values as a file.

use std::path::{Path, PathBuf};

use clap::Args;
use mercer::data::{Dense, Points, write_npy, write_precomputed};
use mercer::gram::{cross, square};
use mercer::kernel::Kernel as _;
use mercer::model::{AnyKernel, AnyPoints};
use serde_json::json;

use crate::args::{CommonArgs, DataArgs};
use crate::failure::{InFile, Result};
use crate::output::is_stdout;
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

pub(super) fn run(args: &GramArgs) -> Result<()> {
    system::start_threads(args.common.threads)?;
    args.expression.check()?;
    let asked = &args.expression;
    let read = |path: &Path| AnyPoints::read(Some(asked), path, &args.data_options.options()).in_file(path);
    let columns = read(&args.data)?;
    let kernel = &asked.settled(&columns.points).in_file(&args.data)?;
    let (values, labels, points) = match &args.rows {
        None => {
            let values = square::<f64, _, _>(kernel, &columns.points).in_file(&args.data)?;
            (values, columns.labels, &columns.points)
        }
        Some(path) => {
            let rows = read(path)?;
            let values = cross::<f64, _, _>(kernel, &rows.points, &columns.points).in_file(path)?;
            (values, rows.labels, &columns.points)
        }
    };
    let matrix = Dense::new(points.len(), values);
    let stem = match args.output.extension().and_then(|ending| ending.to_str()) {
        Some("gz" | "zst") => args.output.file_stem().map(Path::new).unwrap_or(&args.output),
        _ => &args.output,
    };
    let form = if stem.extension().is_some_and(|ending| ending == "npy") {
        write_npy(&args.output, &matrix)?;
        "NumPy array"
    } else {
        write_precomputed(&args.output, &matrix, labels.as_ref())?;
        "LIBSVM precomputed"
    };
    let text = format!(
        "kernel   {kernel}\ndata     {}: {}\nvalues   {} × {}\nwritten  {} ({form})\n",
        args.data.display(),
        features(points),
        matrix.len(),
        matrix.columns(),
        args.output.display(),
    );
    args.common.tell(&text, is_stdout(&args.output), || {
        json!({
            "kernel": kernel.to_string(),
            "rows": matrix.len(),
            "columns": matrix.columns(),
            "output": args.output.display().to_string(),
        })
    })
}
