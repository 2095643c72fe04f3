//! Commands that turn one file into another, or show it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::DataArgs;

/// `mercer scale`.
#[derive(Debug, Args)]
pub(crate) struct ScaleArgs {
    /// How to scale
    #[arg(long, short, value_enum, default_value = "minmax")]
    pub(crate) method: ScaleMethod,
    /// What the smallest value of a feature becomes
    #[arg(long, short, value_name = "LOW", default_value_t = -1.0, allow_negative_numbers = true)]
    pub(crate) lower: f64,
    /// What the largest value of a feature becomes
    #[arg(long, short, value_name = "HIGH", default_value_t = 1.0, allow_negative_numbers = true)]
    pub(crate) upper: f64,
    /// Save the scaling, to scale other files alike
    #[arg(long, value_name = "FILE", conflicts_with = "restore")]
    pub(crate) save: Option<PathBuf>,
    /// Scale by what --save saved (or svm-scale -s) instead of by this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "lower", "upper"])]
    pub(crate) restore: Option<PathBuf>,
    /// Data file; `-` is standard input
    pub(crate) data: PathBuf,
    /// File to write; its name tells the format: .csv, else LIBSVM text [default: LIBSVM text to standard output]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) data_options: DataArgs,
}

/// Ways to scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScaleMethod {
    /// Every feature to [LOW, HIGH] by its smallest and largest value
    Minmax,
    /// Every feature to mean 0 and standard deviation 1
    Standard,
}

/// `mercer inspect`.
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// One object on one line instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Model file: mercer's or LIBSVM's
    pub(crate) model: PathBuf,
}

/// `mercer convert`.
#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Format of IN [default: by its name and first bytes]
    #[arg(long, value_enum)]
    pub(crate) from: Option<FileKind>,
    /// Format of OUT [default: by its name]
    #[arg(long, value_enum)]
    pub(crate) to: Option<FileKind>,
    /// Data or model file to read
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// File to write
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) data_options: DataArgs,
}

/// Formats of data and model files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileKind {
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
