//! `mercer scale`: features brought to a common size, and files scaled alike.

use std::path::Path;

use mercer::data::{self, FeatureRange, Format, Range, Scaler, read_range, write_atomic, write_range};
use mercer::{Error, ErrorKind};

use crate::args::{ScaleArgs, ScaleMethod};
use crate::convert::write_table;
use crate::failure::{InFile, Result};
use crate::paths;

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
    let out = args.out.as_deref().unwrap_or(Path::new("-"));
    write_table(out, &table, Format::of_path(out).unwrap_or(Format::Libsvm))
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
    match crate::scaling::flaw(&scaler, scaler.width()) {
        Some(flaw) => Err(Error::from(refused(flaw)).into()),
        None => Ok(scaler),
    }
}
