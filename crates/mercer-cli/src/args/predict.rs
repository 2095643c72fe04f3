//! What `mercer predict` is told.

use std::path::PathBuf;

use clap::Args;

use super::{CommonArgs, DataArgs};

/// `mercer predict`.
#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    /// Write the decision of every pair of classes, or the score of one-class and svdd, beside the label, separated by
    /// tabs, under a line of names; where each class or label has a function, its value
    #[arg(long)]
    pub(crate) decisions: bool,
    /// Write the score of every class beside the label, of which the largest decides
    #[arg(long, conflicts_with = "decisions")]
    pub(crate) scores: bool,
    /// Write the probability of every class beside the most probable label, separated by tabs, under a line of names; of
    /// a regression the interval that holds nine targets of ten
    #[arg(long, conflicts_with_all = ["decisions", "scores"])]
    pub(crate) probabilities: bool,
    /// Data file; `-` is standard input
    pub(crate) data: PathBuf,
    /// Model file: mercer's or LIBSVM's
    pub(crate) model: PathBuf,
    /// File for the predictions, one a line [default: standard output]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) data_options: DataArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
