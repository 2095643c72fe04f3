//! `mercer scale`: features brought to a common size, and files scaled alike.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mercer::data::{self, FeatureRange, Range, Scaler, read_range, write_atomic, write_range};
use mercer::{Error, ErrorKind};

use super::convert::write_table;
use crate::args::DataArgs;
use crate::failure::{InFile, Result};
use crate::paths;

/// `mercer scale`.
#[derive(Debug, Args)]
pub(crate) struct ScaleArgs {
    /// How to scale
    #[arg(long, short, value_enum, default_value = "minmax")]
    method: ScaleMethod,
    /// What the smallest value of a feature becomes
    #[arg(long, short, value_name = "LOW", default_value_t = -1.0, allow_negative_numbers = true)]
    lower: f64,
    /// What the largest value of a feature becomes
    #[arg(long, short, value_name = "HIGH", default_value_t = 1.0, allow_negative_numbers = true)]
    upper: f64,
    /// Save the scaling, to scale other files alike
    #[arg(long, value_name = "FILE", conflicts_with = "restore")]
    save: Option<PathBuf>,
    /// Scale by what --save saved (or svm-scale -s) instead of by this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "lower", "upper"])]
    restore: Option<PathBuf>,
    /// Data file; `-` is standard input
    data: PathBuf,
    /// File to write; its name tells the format: .csv, else LIBSVM text [default: LIBSVM text to standard output]
    out: Option<PathBuf>,
    #[command(flatten)]
    data_options: DataArgs,
}

/// Ways to scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScaleMethod {
    /// Every feature to [LOW, HIGH] by its smallest and largest value
    Minmax,
    /// Every feature to mean 0 and standard deviation 1
    Standard,
}

/// Runs the command.
pub(crate) fn run(args: &ScaleArgs) -> Result<()> {
    for output in args.out.iter().chain(&args.save) {
        paths::distinct(output, &[&args.data])?;
    }
    let mut table = data::read(&args.data, &args.data_options.options()).in_file(&args.data)?;
    let scaler = match (&args.restore, args.method) {
        (Some(path), _) => restore(path)?,
        (None, ScaleMethod::Minmax) => Scaler::min_max(&table.points, args.lower, args.upper)?,
        (None, ScaleMethod::Standard) => Scaler::standard(&table.points)?,
    };
    let width = scaler.width();
    table.points = scaler.apply(&table.points);
    // Features that the scaling does not know are dropped, and so are their names.
    table.names.truncate(width);
    if table.names.len() != width {
        table.names.clear();
    }
    if let Some(path) = &args.save {
        save(path, &scaler)?;
    }
    write_table(args.out.as_deref().unwrap_or(Path::new("-")), &table, None)
}

/// Min-max as the range file of `svm-scale`, so that both read both; standard scaling as an object on one line.
fn save(path: &Path, scaler: &Scaler) -> Result<()> {
    match scaler {
        Scaler::MinMax { lower, upper, min, max } => {
            let features = min.iter().zip(max).zip(1..).filter(|((min, max), _)| min < max);
            let features = features.map(|((&min, &max), index)| FeatureRange { index, min, max }).collect();
            write_range(path, &Range { lower: *lower, upper: *upper, features, target: None })?;
        }
        Scaler::Standard { .. } => {
            write_atomic(path, |out| {
                serde_json::to_writer(&mut *out, scaler)?;
                out.write_all(b"\n")
            })?;
        }
    }
    Ok(())
}

fn restore(path: &Path) -> Result<Scaler> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::io(path, source))?;
    if !text.trim_start().starts_with('{') {
        return Ok(read_range(path)?.scaler()?);
    }
    let refused = |problem: String| ErrorKind::ModelFile { path: path.to_owned(), problem: problem.into() };
    let scaler: Scaler =
        serde_json::from_str(&text).map_err(|error| Error::from(refused(error.to_string())))?;
    match flaw(&scaler) {
        Some(flaw) => Err(Error::from(refused(flaw)).into()),
        None => Ok(scaler),
    }
}

/// What is wrong with a scaling that came from a file, if anything.
fn flaw(scaler: &Scaler) -> Option<String> {
    let [first, second] = match scaler {
        Scaler::MinMax { min, max, .. } => [min, max],
        Scaler::Standard { mean, deviation } => [mean, deviation],
    };
    if first.len() != second.len() {
        Some(format!("scales {} and {} features", first.len(), second.len()))
    } else if first.iter().chain(second).any(|value| !value.is_finite()) {
        Some("holds a number that is not finite".into())
    } else {
        None
    }
}
