//! What `mercer demo` is told.

use std::path::PathBuf;

use clap::Args;
use mercer::kernel::VectorExpr;

/// `mercer demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// File for the picture
    #[arg(long, value_name = "FILE", default_value = "mercer-demo.svg")]
    pub(crate) out: PathBuf,
    /// Kernel expression
    #[arg(long, short, value_name = "EXPRESSION")]
    pub(crate) kernel: Option<VectorExpr>,
    /// C: the price of a margin error
    #[arg(long = "c", short, value_name = "C", allow_negative_numbers = true)]
    pub(crate) c: Option<f64>,
}
