//! How data files are read.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mercer::data::{ColumnRef, Format, ReadOptions};

use crate::values;

/// How a data file is read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading data")]
pub(crate) struct DataArgs {
    /// Format of the data [default: by the file's name, else by its first bytes]
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatArg>,
    /// Label column of a CSV or NPY file, by name or by number from 1; `none`: there is none [default: the column
    /// called label, class, target or y, else the last; in NPY files none]
    #[arg(long, value_name = "COLUMN", value_parser = values::label_column)]
    pub(crate) label: Option<ColumnRef>,
    /// File with the labels, one a line, or a one-dimensional NPY array
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// Whether the first row of a CSV file has the names [default: guessed]
    #[arg(long, value_name = "YES|NO", value_parser = values::yes_or_no)]
    pub(crate) header: Option<bool>,
}

impl DataArgs {
    /// What the library is to be told.
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format.map(FormatArg::format),
            label: self.label.clone(),
            header: self.header,
            labels_path: self.labels.clone(),
            ..ReadOptions::default()
        }
    }
}

/// Formats of data files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// `label index:value …`, one row a line
    Libsvm,
    /// Cells separated by commas, tabs or semicolons
    Csv,
    /// NumPy's array file
    Npy,
}

impl FormatArg {
    /// The library's word for it.
    pub(crate) fn format(self) -> Format {
        match self {
            Self::Libsvm => Format::Libsvm,
            Self::Csv => Format::Csv,
            Self::Npy => Format::Npy,
        }
    }
}
