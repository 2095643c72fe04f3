//! `mercer convert`: data and models from one format into another.

use std::path::{Path, PathBuf};

use clap::Args;
use mercer::data::{self, Format, Points, ReadOptions, Table, write_csv, write_libsvm};

use crate::args::{DataArgs, Word, words};
use crate::failure::{InFile, Result, unsupported, usage};
use crate::models::{Kind, load};
use crate::output::{count, remark};
use crate::paths;

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Format of IN [default: by its name and first bytes]
    #[arg(long, value_parser = words(&FILES))]
    from: Option<FileKind>,
    /// Format of OUT [default: by its name]
    #[arg(long, value_parser = words(&FILES))]
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

#[derive(Debug, Clone, Copy)]
enum FileKind {
    Data(Format),
    Model(Kind),
}

const FILES: [Word<FileKind>; 6] = [
    ("libsvm", "Data: LIBSVM text", FileKind::Data(Format::Libsvm)),
    ("csv", "Data: CSV", FileKind::Data(Format::Csv)),
    ("npy", "Data: NumPy's array file (read only)", FileKind::Data(Format::Npy)),
    ("mercer", "Model: mercer's file", FileKind::Model(Kind::Mercer)),
    ("libsvm-model", "Model: LIBSVM's text", FileKind::Model(Kind::Libsvm)),
    ("liblinear-model", "Model: LIBLINEAR's text, of linear models", FileKind::Model(Kind::Liblinear)),
];

pub(crate) fn run(args: &ConvertArgs) -> Result<()> {
    paths::distinct(&args.output, &[&args.input])?;
    match args.from {
        Some(FileKind::Model(_)) => convert_model(args),
        Some(FileKind::Data(format)) => convert_data(args, Some(format)),
        None if args.input.as_os_str() != "-" && Kind::of(&args.input)?.is_some() => convert_model(args),
        None => convert_data(args, None),
    }
}

fn convert_data(args: &ConvertArgs, from: Option<Format>) -> Result<()> {
    let (input, output) = (args.input.display(), args.output.display());
    let unknown = || usage!("{output}: the name does not tell the format; say --to libsvm or --to csv");
    let to = match args.to {
        Some(FileKind::Data(format)) => format,
        None => Format::of_path(&args.output).ok_or_else(unknown)?,
        Some(FileKind::Model(_)) => {
            return Err(usage!("{input} is no model; --to libsvm or --to csv makes data of it"));
        }
    };
    let options = args.data_options.options();
    let options = ReadOptions { format: from.or(options.format), ..options };
    let table = data::read(&args.input, &options).in_file(&args.input)?;
    write_table(&args.output, &table, Some(to))?;
    let (rows, features) = (count(table.points.len(), "row"), count(table.points.width(), "feature"));
    remark(format_args!("{output}: {rows}, {features}"));
    Ok(())
}

/// Writes a data set as LIBSVM text or CSV, by its name where no format is named.
pub(super) fn write_table(path: &Path, table: &Table, format: Option<Format>) -> Result<()> {
    let labels = table.labels.as_ref();
    match format.or_else(|| Format::of_path(path)).unwrap_or(Format::Libsvm) {
        Format::Libsvm => write_libsvm(path, &table.points, labels)?,
        Format::Csv => write_csv(path, &table.points, &table.names, labels)?,
        Format::Npy => return Err(unsupported!("writing NPY files; .csv and .libsvm can be written")),
    }
    Ok(())
}

fn convert_model(args: &ConvertArgs) -> Result<()> {
    let (input, output) = (args.input.display(), args.output.display());
    let (kind, saved) = load(&args.input)?;
    let to = match (args.to, args.output.extension().and_then(|ending| ending.to_str()), kind) {
        (Some(FileKind::Model(to)), ..) => to,
        (Some(FileKind::Data(_)), ..) => {
            return Err(usage!("{input} is a model; --to mercer, --to libsvm-model or --to liblinear-model"));
        }
        (None, Some("mercer"), _) => Kind::Mercer,
        (None, Some("model"), _) | (None, _, Kind::Mercer) => Kind::text_of(&saved),
        (None, _, Kind::Libsvm | Kind::Liblinear) => Kind::Mercer,
    };
    let parts = [
        (saved.scaler.is_some(), "scaling"),
        (saved.encoding.is_some(), "columns"),
        (saved.features.is_some(), "features of texts"),
    ];
    for (part, what) in parts {
        if part && to != Kind::Mercer {
            remark(format_args!(
                "mercer: warning: {}'s text has no place for the {what} stored in {input}; data for {output} must be \
                 prepared the same way first",
                if to == Kind::Libsvm { "LIBSVM" } else { "LIBLINEAR" },
            ));
        }
    }
    to.save(&saved, &args.output)?;
    let points = count(saved.model.support_points(), saved.model.point_word());
    remark(format_args!("{output}: {points}, {}", to.name()));
    Ok(())
}
