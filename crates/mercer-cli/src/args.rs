//! Arguments that several commands share.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use mercer::data::{ColumnRef, Features, Format, ReadOptions, Scaler, Vectors};
use serde::Serialize;

use crate::failure::Result;
use crate::output::{answer, answer_json, remark};

/// A word of an option, its help, and what it stands for.
pub(crate) type Word<T> = (&'static str, &'static str, T);

/// A parser of the words of an option.
pub(crate) fn words<T: Copy + Send + Sync>(all: &'static [Word<T>]) -> impl TypedValueParser<Value = T> {
    let words =
        PossibleValuesParser::new(all.iter().map(|(word, help, _)| PossibleValue::new(*word).help(*help)));
    words.map(|given| all.iter().find(|(word, ..)| *word == given).expect("one of the words").2)
}

/// How a data file is read.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reading data")]
pub(crate) struct DataArgs {
    /// Format of the data [default: by the file's name, else by its first bytes; texts, graphs and sets: see `mercer kernel gram --help`]
    #[arg(long, value_parser = words(&FORMATS))]
    format: Option<Format>,
    /// Label column of a CSV or NPY file, by name or by number from 1; `none`: there is none [default: the column
    /// called label, else class, target or y, else the last; in NPY files none]
    #[arg(long, value_name = "COLUMN", value_parser = label_column)]
    label: Option<ColumnRef>,
    /// Columns of a CSV file to learn from, by name or by number from 1, all others left out
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', conflicts_with = "drop")]
    columns: Vec<ColumnRef>,
    /// Columns of a CSV file to leave out, by name or by number from 1
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    drop: Vec<ColumnRef>,
    /// Column of a CSV file that says which set a row belongs to, where points are sets [default: group]; LIBSVM rows say
    /// it by `qid:`
    #[arg(long, value_name = "COLUMN")]
    group: Option<ColumnRef>,
    /// File with the labels, one a line, or a one-dimensional NPY array
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Whether the first row of a CSV file has the names [default: guessed]
    #[arg(long, value_name = "YES|NO", value_parser = yes_or_no)]
    header: Option<bool>,
}

impl DataArgs {
    /// The first option given that is about columns of a table.
    pub(crate) fn of_tables(&self) -> Option<&'static str> {
        let given = [
            ("--label", self.label.is_some()),
            ("--columns", !self.columns.is_empty()),
            ("--drop", !self.drop.is_empty()),
            ("--group", self.group.is_some()),
            ("--header", self.header.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// What the library is to be told.
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format,
            label: self.label.clone(),
            features: match (&self.columns[..], &self.drop[..]) {
                ([], []) => Features::All,
                ([], drop) => Features::Without(drop.to_vec()),
                (columns, _) => Features::Only(columns.to_vec()),
            },
            group: self.group.clone(),
            header: self.header,
            labels_path: self.labels.clone(),
            ..ReadOptions::default()
        }
    }
}

const FORMATS: [Word<Format>; 3] = [
    ("libsvm", "`label index:value …`, one row a line", Format::Libsvm),
    ("csv", "Cells separated by commas, tabs or semicolons", Format::Csv),
    ("npy", "NumPy's array file", Format::Npy),
];

/// How features are scaled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scaling {
    None,
    MinMax,
    Standard,
}

/// What `--scale` may say.
pub(crate) const SCALINGS: [Word<Scaling>; 3] = [
    ("none", "As they are", Scaling::None),
    ("minmax", "Every feature to [-1, 1] by its smallest and largest value", Scaling::MinMax),
    ("standard", "Every feature to mean 0 and standard deviation 1", Scaling::Standard),
];

impl Scaling {
    /// The scaling of these points, where there is one; `limits` are those of min-max.
    pub(crate) fn of(self, points: &Vectors, [lower, upper]: [f64; 2]) -> mercer::Result<Option<Scaler>> {
        match self {
            Self::None => Ok(None),
            Self::MinMax => Scaler::min_max(points, lower, upper).map(Some),
            Self::Standard => Scaler::standard(points).map(Some),
        }
    }
}

/// Options of every command that computes.
#[derive(Debug, Clone, Args)]
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
    /// Model file: mercer's, LIBSVM's or LIBLINEAR's
    pub(crate) model: PathBuf,
    /// File to write; of rows its name tells the format: .csv, else LIBSVM text [default: standard output]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) data_options: DataArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

impl ModelArgs {
    /// Where rows or predictions go.
    pub(crate) fn output(&self) -> &Path {
        self.out.as_deref().unwrap_or(Path::new("-"))
    }
}

fn label_column(text: &str) -> Result<ColumnRef, Infallible> {
    if text == "none" { Ok(ColumnRef::Absent) } else { text.parse() }
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("yes or no".into()),
    }
}

/// Seconds as a duration; more than there can be are without end.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 => Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
        _ => Err("must be a number of seconds, 0 or more".into()),
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
    fn seconds_are_not_negative() {
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("1e300"), Ok(Duration::MAX));
        for refused in ["-1", "nan", "x"] {
            assert!(duration(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn sizes_are_positive() {
        assert_eq!(megabytes("1.5"), Ok(1_572_864));
        for refused in ["0", "-1", "nan", "1e300", "x"] {
            assert!(megabytes(refused).is_err(), "{refused}");
        }
    }
}
