//! Arguments that several commands share.

use std::convert::Infallible;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mercer::data::{ColumnRef, Features, Format, ReadOptions};
use serde::Serialize;

use crate::failure::Result;
use crate::output::{answer, answer_json, remark};

/// How a data file is read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading data")]
pub(crate) struct DataArgs {
    /// Format of the data [default: by the file's name, else by its first bytes; texts are always `label<TAB>text` lines]
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    /// Label column of a CSV or NPY file, by name or by number from 1; `none`: there is none [default: the column
    /// called label, class, target or y, else the last; in NPY files none]
    #[arg(long, value_name = "COLUMN", value_parser = label_column)]
    label: Option<ColumnRef>,
    /// Columns of a CSV file to learn from, by name or by number from 1, all others left out
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', conflicts_with = "drop")]
    columns: Vec<ColumnRef>,
    /// Columns of a CSV file to leave out, by name or by number from 1
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    drop: Vec<ColumnRef>,
    /// File with the labels, one a line, or a one-dimensional NPY array
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Whether the first row of a CSV file has the names [default: guessed]
    #[arg(long, value_name = "YES|NO", value_parser = yes_or_no)]
    header: Option<bool>,
}

impl DataArgs {
    /// What the library is to be told.
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format.map(FormatArg::format),
            label: self.label.clone(),
            features: match (&self.columns[..], &self.drop[..]) {
                ([], []) => Features::All,
                ([], drop) => Features::Without(drop.to_vec()),
                (columns, _) => Features::Only(columns.to_vec()),
            },
            header: self.header,
            labels_path: self.labels.clone(),
            ..ReadOptions::default()
        }
    }
}

/// Formats of data files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    /// `label index:value …`, one row a line
    Libsvm,
    /// Cells separated by commas, tabs or semicolons
    Csv,
    /// NumPy's array file
    Npy,
}

impl FormatArg {
    /// The library's word for it.
    fn format(self) -> Format {
        match self {
            Self::Libsvm => Format::Libsvm,
            Self::Csv => Format::Csv,
            Self::Npy => Format::Npy,
        }
    }
}

/// How features are scaled before training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScaleArg {
    /// As they are
    None,
    /// Every feature to [-1, 1] by its smallest and largest value
    Minmax,
    /// Every feature to mean 0 and standard deviation 1
    Standard,
}

/// Options of every command that computes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output and threads")]
pub(crate) struct CommonArgs {
    /// Threads; 0 is one per core. The answer does not depend on it, to the bit
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// Seed of whatever is random: the folds of --probability, the noise of --noise, the candidates of --points, the trials
    /// of --choose
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// End standard output with one object on one line; the summary goes to standard error
    #[arg(long)]
    pub(crate) json: bool,
    /// No summary and no progress bar; errors and warnings only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl CommonArgs {
    /// Ends a command: the summary goes to standard output, or to standard error where that has an object or is `piped`
    /// full of data; the object where it is wanted.
    pub(crate) fn tell<S: Serialize>(
        &self,
        text: &str,
        piped: bool,
        object: impl FnOnce() -> S,
    ) -> Result<()> {
        match (self.quiet, self.json || piped) {
            (true, _) => {}
            (false, true) => remark(text.trim_end()),
            (false, false) => answer(format_args!("{}\n", text.trim_end()))?,
        }
        if self.json { answer_json(&object()) } else { Ok(()) }
    }
}

/// Rows of a data file for a model.
#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// Data file; `-` is standard input
    pub(crate) data: PathBuf,
    /// Model file: mercer's or LIBSVM's
    pub(crate) model: PathBuf,
    /// File to write; of rows its name tells the format: .csv, else LIBSVM text [default: standard output]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) data_options: DataArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// A column by number or name; `none` for none.
fn label_column(text: &str) -> Result<ColumnRef, Infallible> {
    if text == "none" { Ok(ColumnRef::Absent) } else { text.parse() }
}

/// `yes` or `no`.
fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("yes or no".into()),
    }
}

/// Bytes in a megabyte.
pub(crate) const MEGABYTE: f64 = 1_048_576.0;

/// Megabytes as bytes.
pub(crate) fn megabytes(text: &str) -> Result<usize, String> {
    match text.parse::<f64>() {
        Ok(megabytes) if megabytes > 0.0 && megabytes * MEGABYTE < usize::MAX as f64 => {
            Ok((megabytes * MEGABYTE) as usize)
        }
        _ => Err("must be a positive number of megabytes".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_positive() {
        assert_eq!(megabytes("1.5"), Ok(1_572_864));
        for refused in ["0", "-1", "nan", "1e300", "x"] {
            assert!(megabytes(refused).is_err(), "{refused}");
        }
    }
}
