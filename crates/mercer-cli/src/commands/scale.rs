//! `mercer scale`: features brought to a common size, and files scaled alike.

use std::path::{Path, PathBuf};

use clap::Args;
use mercer::data::{self, FeatureRange, Range, Scaler, read_range, write_atomic, write_range};
use mercer::{Error, ErrorKind};

use super::convert::write_table;
use crate::args::{DataArgs, Scaling, Word, words};
use crate::failure::{InFile, Result};
use crate::paths;

#[derive(Debug, Args)]
pub(crate) struct ScaleArgs {
    /// How to scale
    #[arg(long, short, value_parser = words(&METHODS), default_value = "minmax")]
    method: Scaling,
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

const METHODS: [Word<Scaling>; 2] = [
    ("minmax", "Every feature to [LOW, HIGH] by its smallest and largest value", Scaling::MinMax),
    ("standard", "Every feature to mean 0 and standard deviation 1", Scaling::Standard),
];

pub(crate) fn run(args: &ScaleArgs) -> Result<()> {
    for output in args.out.iter().chain(&args.save) {
        paths::distinct(output, &[&args.data])?;
    }
    let mut table = data::read(&args.data, &args.data_options.options()).in_file(&args.data)?;
    let scaler = match &args.restore {
        Some(path) => Some(restore(path)?),
        None => args.method.of(&table.points, [args.lower, args.upper])?,
    };
    if let Some(scaler) = scaler {
        let width = scaler.width();
        table.points = scaler.apply(&table.points);
        // Features that the scaling does not know are dropped, and so are their names.
        table.names.truncate(width);
        if table.names.len() != width {
            table.names.clear();
        }
        args.save.iter().try_for_each(|path| save(path, &scaler))?;
    }
    write_table(args.out.as_deref().unwrap_or(Path::new("-")), &table, None)
}

/// Min-max as the range file of `svm-scale`, so that both read both; standard scaling as an object on one line.
fn save(path: &Path, scaler: &Scaler) -> mercer::Result<()> {
    match scaler {
        Scaler::MinMax { lower, upper, min, max } => {
            let features = min.iter().zip(max).zip(1..).filter(|((min, max), _)| min < max);
            let features = features.map(|((&min, &max), index)| FeatureRange { index, min, max }).collect();
            write_range(path, &Range { lower: *lower, upper: *upper, features, target: None })
        }
        Scaler::Standard { .. } => write_atomic(path, |out| {
            serde_json::to_writer(&mut *out, scaler)?;
            out.write_all(b"\n")
        }),
    }
}

fn restore(path: &Path) -> Result<Scaler> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::io(path, source))?;
    if !text.trim_start().starts_with('{') {
        return Ok(read_range(path)?.scaler()?);
    }
    let refused = |problem: String| {
        Error::from(ErrorKind::ModelFile { path: path.to_owned(), problem: problem.into() })
    };
    let scaler: Scaler = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    let [first, second] = match &scaler {
        Scaler::MinMax { min, max, .. } => [min, max],
        Scaler::Standard { mean, deviation } => [mean, deviation],
    };
    if first.len() != second.len() {
        let text = format!("scales {} and {} features", first.len(), second.len());
        return Err(refused(text).into());
    }
    match first.iter().chain(second).all(|value| value.is_finite()) {
        true => Ok(scaler),
        false => Err(refused("holds a number that is not finite".into()).into()),
    }
}
