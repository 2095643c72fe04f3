//! What `mercer rde` is told.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mercer::kernel::VectorExpr;
use mercer::model::Criterion;

use super::{CommonArgs, DataArgs, ScaleArg};
use crate::values::{self, Grid};

/// What chooses the cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CutArg {
    /// The likelihood of two components: signal before the cut, noise after it
    Tcm,
    /// The leave-one-out error of the fit by the directions before the cut
    Loo,
}

impl CutArg {
    /// The library's word for it.
    pub(crate) fn criterion(self) -> Criterion {
        match self {
            Self::Tcm => Criterion::TwoComponents,
            Self::Loo => Criterion::LeaveOneOut,
        }
    }
}

/// `mercer rde`.
#[derive(Debug, Args)]
pub(crate) struct RdeArgs {
    /// What chooses the cut, and among kernels
    #[arg(long, short, value_enum, default_value = "tcm")]
    pub(crate) method: CutArg,
    /// Kernel expression [default: rbf, with --grid auto]
    #[arg(long, short, value_name = "EXPRESSION")]
    pub(crate) kernel: Option<VectorExpr>,
    /// Values of a parameter to choose from: auto, LOW:HIGH[:STEP] or a list [default: auto without --kernel, else none]
    #[arg(long, short, value_name = "VALUES", value_parser = values::grid, allow_hyphen_values = true)]
    pub(crate) grid: Option<Grid>,
    /// The parameter that --grid changes, as `mercer kernel show` calls it [default: gamma, or the only one]
    #[arg(long, value_name = "PATH", requires = "grid")]
    pub(crate) parameter: Option<String>,
    /// Labels are numbers, not classes
    #[arg(long)]
    pub(crate) regression: bool,
    /// Scale features first
    #[arg(long, short, value_enum, default_value = "none")]
    pub(crate) scale: ScaleArg,
    /// Most rows to look at; of more, this many spread evenly over the data
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(crate) rows: usize,
    /// Write eigenvalues, coefficients and the scores of all cuts (CSV)
    #[arg(long, value_name = "FILE")]
    pub(crate) spectrum: Option<PathBuf>,
    /// Write the labels without noise, one a line
    #[arg(long, value_name = "FILE")]
    pub(crate) labels_out: Option<PathBuf>,
    /// Draw the spectrum and its cut (SVG)
    #[arg(long, value_name = "FILE")]
    pub(crate) figure: Option<PathBuf>,
    /// Megabytes for the whole program [default: what the machine has left]
    #[arg(long, value_name = "MB", value_parser = values::megabytes)]
    pub(crate) memory: Option<usize>,
    /// Data file: LIBSVM text, CSV/TSV or NPY, also gzip or zstd; `-` is standard input
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) data_options: DataArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
