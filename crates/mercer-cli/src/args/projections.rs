//! What `mercer train --method fisher` and `--method cca` are told besides, and `mercer transform`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mercer::kernel::VectorExpr;

use super::{CommonArgs, DataArgs};

/// Options of the Fisher discriminant and of canonical correlations.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fisher discriminant and canonical correlations")]
pub(crate) struct ProjectionArgs {
    /// fisher: the price of the squared norm of an axis beside the scatter within classes [default: 0.001]
    #[arg(long, value_name = "MU", allow_negative_numbers = true)]
    pub(crate) mu: Option<f64>,
    /// fisher: the most expansion points, chosen one after the other, each the best of 59 drawn by --seed [default: all rows]
    #[arg(long, value_name = "M")]
    pub(crate) points: Option<usize>,
    /// fisher: where two classes part on their axis [default: means]
    #[arg(long, value_enum, value_name = "RULE")]
    pub(crate) threshold: Option<ThresholdArg>,
    /// cca: the file of the second view, with the same rows in the same order
    #[arg(long, value_name = "FILE")]
    pub(crate) second: Option<PathBuf>,
    /// cca: the kernel of the second view [default: rbf with gamma = 1/features]
    #[arg(long, value_name = "EXPRESSION")]
    pub(crate) second_kernel: Option<VectorExpr>,
    /// cca: the price of the squared norms beside the variances; several numbers, separated by commas: the best by --choose
    /// [default: 0.02]
    #[arg(long, value_name = "KAPPA", value_delimiter = ',', allow_negative_numbers = true)]
    pub(crate) kappa: Vec<f64>,
    /// cca: how one of several kappa is chosen [default: cv]
    #[arg(long, value_enum, value_name = "RULE")]
    pub(crate) choose: Option<ChooseArg>,
    /// cca: pairs of functions [default: 2]
    #[arg(long, value_name = "K")]
    pub(crate) components: Option<usize>,
    /// cca: the largest rank of a Gram matrix; less is faster, and an approximation [default: its own]
    #[arg(long, value_name = "R")]
    pub(crate) rank: Option<usize>,
}

impl ProjectionArgs {
    /// The options, and whether they were given.
    pub(crate) fn given(&self) -> [(&'static str, bool); 9] {
        [
            ("--mu", self.mu.is_some()),
            ("--points", self.points.is_some()),
            ("--threshold", self.threshold.is_some()),
            ("--second", self.second.is_some()),
            ("--second-kernel", self.second_kernel.is_some()),
            ("--kappa", !self.kappa.is_empty()),
            ("--choose", self.choose.is_some()),
            ("--components", self.components.is_some()),
            ("--rank", self.rank.is_some()),
        ]
    }
}

/// Where two classes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThresholdArg {
    /// Half way between the class means
    Means,
    /// Where a linear support vector machine on the axis has its border; -c is its price
    Svm,
}

/// How a regulariser is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChooseArg {
    /// By the correlations on rows left out, five folds drawn by --seed
    Cv,
    /// By how far the correlations are from those of rows paired by chance, five times, by --seed
    Permutation,
}

/// `mercer transform`.
#[derive(Debug, Args)]
pub(crate) struct TransformArgs {
    /// cca: the data are of the second view
    #[arg(long)]
    pub(crate) second_view: bool,
    /// cca: the file of the second view, with the same rows in the same order: its components stand beside, and the
    /// correlations are told
    #[arg(long, value_name = "FILE", conflicts_with = "second_view")]
    pub(crate) second: Option<PathBuf>,
    /// Data file; `-` is standard input
    pub(crate) data: PathBuf,
    /// Model file: fisher or cca
    pub(crate) model: PathBuf,
    /// File for the components: a line of names, then a line for each row, separated by tabs [default: standard output]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) data_options: DataArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
