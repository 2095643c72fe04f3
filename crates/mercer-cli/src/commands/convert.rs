//! `mercer convert`: data and models from one format into another.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mercer::data::{self, Format, Points, ReadOptions, Table, write_csv, write_libsvm};

use crate::args::DataArgs;
use crate::failure::{Failure, InFile, Result};
use crate::models::{Kind, load};
use crate::output::{count, remark};
use crate::paths;

/// `mercer convert`.
#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Format of IN [default: by its name and first bytes]
    #[arg(long, value_enum)]
    from: Option<FileKind>,
    /// Format of OUT [default: by its name]
    #[arg(long, value_enum)]
    to: Option<FileKind>,
    /// Data or model file to read
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// File to write
    #[arg(value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    data_options: DataArgs,
}

/// Formats of data and model files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FileKind {
    /// Data: LIBSVM text
    Libsvm,
    /// Data: CSV
    Csv,
    /// Data: NumPy's array file (read only)
    Npy,
    /// Model: mercer's file
    Mercer,
    /// Model: LIBSVM's text
    LibsvmModel,
}

impl FileKind {
    /// The format of data files, or none for models.
    fn format(self) -> Option<Format> {
        match self {
            Self::Libsvm => Some(Format::Libsvm),
            Self::Csv => Some(Format::Csv),
            Self::Npy => Some(Format::Npy),
            Self::Mercer | Self::LibsvmModel => None,
        }
    }
}

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
    let to = match args.to.map(FileKind::format) {
        Some(Some(format)) => format,
        Some(None) => {
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
    let from = args.from.and_then(FileKind::format);
    let options = args.data_options.options();
    let options = ReadOptions { format: from.or(options.format), ..options };
    let table = data::read(&args.input, &options).in_file(&args.input)?;
    write_table(&args.output, &table, Some(to))?;
    let (rows, features) = (count(table.points.len(), "row"), count(table.points.width(), "feature"));
    remark(format_args!("{}: {rows}, {features}", args.output.display()));
    Ok(())
}

/// Writes a data set as LIBSVM text or CSV, by its name where no format is named.
pub(super) fn write_table(path: &Path, table: &Table, format: Option<Format>) -> Result<()> {
    let labels = table.labels.as_ref();
    match format.or_else(|| Format::of_path(path)).unwrap_or(Format::Libsvm) {
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
    for (part, what) in [(saved.scaler.is_some(), "scaling"), (saved.encoding.is_some(), "columns")] {
        if part && to == Kind::Libsvm {
            remark(format_args!(
                "mercer: warning: LIBSVM's text has no place for the {what} stored in {}; data for {} must be \
                 prepared the same way first",
                args.input.display(),
                args.output.display(),
            ));
        }
    }
    to.save(&saved, &args.output)?;
    let points = count(saved.model.support_points(), "support point");
    remark(format_args!("{}: {points}, {}", args.output.display(), to.name()));
    Ok(())
}
