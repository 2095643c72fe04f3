//! What `mercer kernel` is told.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use mercer::kernel::VectorExpr;

use super::{CommonArgs, DataArgs};
use crate::help;

/// `mercer kernel …`.
#[derive(Debug, Subcommand)]
pub(crate) enum KernelCommand {
    /// Is it a kernel? By construction, and on data, with its spectrum
    #[command(after_help = help::KERNEL_CHECK)]
    Check(CheckArgs),
    /// Canonical text, parameters with bounds, definiteness
    Show {
        /// Kernel expression
        expression: VectorExpr,
    },
    /// All kernels and maps, with formulas and examples
    List,
}

/// `mercer kernel check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Most rows to look at; of more, this many spread evenly over the data
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) rows: usize,
    /// Eigenvalues of the empirical Mercer spectrum to show
    #[arg(long, value_name = "K", default_value_t = 10)]
    pub(crate) spectrum: usize,
    /// Kernel expression
    pub(crate) expression: VectorExpr,
    /// Data file
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) data_options: DataArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
