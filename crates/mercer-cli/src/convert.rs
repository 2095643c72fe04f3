//! `mercer convert`: data and models from one format into another.

use std::path::Path;

use mercer::data::{self, Format, Points, ReadOptions, Table, write_csv, write_libsvm};
use mercer::model::libsvm;

use crate::args::{ConvertArgs, FileKind};
use crate::early::support_points;
use crate::failure::{Failure, InFile, Result};
use crate::models::{Kind, load};
use crate::output::{count, remark};
use crate::paths;

/// Runs the command.
pub(crate) fn run(args: &ConvertArgs) -> Result<()> {
    paths::distinct(&args.output, &[&args.input])?;
    let from_model = match args.from {
        Some(FileKind::Mercer | FileKind::LibsvmModel) => true,
        Some(_) => false,
        None => args.input.as_os_str() != "-" && Kind::of(&args.input)?.is_some(),
    };
    if from_model { convert_model(args) } else { convert_data(args) }
}

fn convert_data(args: &ConvertArgs) -> Result<()> {
    let to = match args.to {
        Some(FileKind::Libsvm) => Format::Libsvm,
        Some(FileKind::Csv) => Format::Csv,
        Some(FileKind::Npy) => Format::Npy,
        Some(FileKind::Mercer | FileKind::LibsvmModel) => {
            let input = args.input.display();
            return Err(Failure::Usage(format!(
                "{input} is no model; --to libsvm or --to csv makes data of it"
            )));
        }
        None => Format::of_path(&args.output).ok_or_else(|| {
            let output = args.output.display();
            Failure::Usage(format!(
                "{output}: the name does not tell the format; say --to libsvm or --to csv"
            ))
        })?,
    };
    let from = match args.from {
        Some(FileKind::Libsvm) => Some(Format::Libsvm),
        Some(FileKind::Csv) => Some(Format::Csv),
        Some(FileKind::Npy) => Some(Format::Npy),
        _ => None,
    };
    let options = args.data_options.options();
    let options = ReadOptions { format: from.or(options.format), ..options };
    let table = data::read(&args.input, &options).in_file(&args.input)?;
    write_table(&args.output, &table, to)?;
    let (rows, features) = (count(table.points.len(), "row"), count(table.points.width(), "feature"));
    remark(format_args!("{}: {rows}, {features}", args.output.display()));
    Ok(())
}

/// Writes a data set as LIBSVM text or CSV.
pub(crate) fn write_table(path: &Path, table: &Table, format: Format) -> Result<()> {
    let labels = table.labels.as_ref();
    match format {
        Format::Libsvm => write_libsvm(path, &table.points, labels)?,
        Format::Csv => write_csv(path, &table.points, &table.names, labels)?,
        Format::Npy => {
            return Err(Failure::Unsupported("writing NPY files; .csv and .libsvm can be written".into()));
        }
    }
    Ok(())
}

fn convert_model(args: &ConvertArgs) -> Result<()> {
    let (kind, saved) = load(&args.input)?;
    let ending = args.output.extension().and_then(|ending| ending.to_str());
    let to = match (args.to, ending) {
        (Some(FileKind::Mercer), _) | (None, Some("mercer")) => Kind::Mercer,
        (Some(FileKind::LibsvmModel), _) | (None, Some("model")) => Kind::Libsvm,
        (None, _) => kind.other(),
        (Some(_), _) => {
            let input = args.input.display();
            return Err(Failure::Usage(format!("{input} is a model; --to mercer or --to libsvm-model")));
        }
    };
    match to {
        Kind::Mercer => saved.save(&args.output)?,
        Kind::Libsvm => {
            for (part, what) in [(saved.scaler.is_some(), "scaling"), (saved.encoding.is_some(), "columns")] {
                if part {
                    remark(format_args!(
                        "mercer: warning: LIBSVM's text has no place for the {what} stored in {}; data for {} must be \
                         prepared the same way first",
                        args.input.display(),
                        args.output.display(),
                    ));
                }
            }
            libsvm::write(&saved, &args.output)?;
        }
    }
    let points = count(support_points(&saved.model), "support point");
    remark(format_args!("{}: {points}, {}", args.output.display(), to.name()));
    Ok(())
}
