//! What can be typed. Each command's own file makes of it what is meant.

mod data;
mod demo;
mod files;
mod kernel;
mod predict;
mod projections;
mod train;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use self::data::DataArgs;
pub(crate) use self::demo::DemoArgs;
pub(crate) use self::files::{ConvertArgs, FileKind, InspectArgs, ScaleArgs, ScaleMethod};
pub(crate) use self::kernel::{CheckArgs, KernelCommand};
pub(crate) use self::predict::PredictArgs;
pub(crate) use self::projections::{ChooseArg, ProjectionArgs, ThresholdArg, TransformArgs};
pub(crate) use self::train::{Lambda, MethodArg, ProbabilityArg, ScaleArg, SolverArgs, TrainArgs};
use crate::help;
use crate::svm::Program;

/// mercer: kernel machines, exact and certified.
#[derive(Debug, Parser)]
#[command(name = "mercer", version, about = help::ABOUT, long_about = help::LONG_ABOUT)]
#[command(after_help = help::AFTER, subcommand_required = true)]
#[command(arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Fit a machine to a data file and save it with its certificate
    #[command(after_help = help::TRAIN)]
    Train(Box<TrainArgs>),
    /// Predict the rows of a data file with a saved model
    #[command(after_help = help::PREDICT)]
    Predict(PredictArgs),
    /// Components of the rows of a data file by a saved model: axes of fisher, functions of cca
    #[command(after_help = help::TRANSFORM)]
    Transform(TransformArgs),
    /// Scale the features of a data file
    #[command(after_help = help::SCALE)]
    Scale(ScaleArgs),
    /// Show everything that a model file holds
    #[command(after_help = help::INSPECT)]
    Inspect(InspectArgs),
    /// Turn a data or model file into another format
    #[command(after_help = help::CONVERT)]
    Convert(ConvertArgs),
    /// Show kernels, and check one on data
    #[command(subcommand, after_help = help::KERNEL)]
    Kernel(KernelCommand),
    /// Train, certify, predict and draw a picture on a small real data set
    #[command(after_help = help::DEMO)]
    Demo(DemoArgs),
    /// LIBSVM's svm-train: its options, output lines and files
    #[command(disable_help_flag = true, disable_version_flag = true)]
    SvmTrain(Words),
    /// LIBSVM's svm-predict
    #[command(disable_help_flag = true, disable_version_flag = true)]
    SvmPredict(Words),
    /// LIBSVM's svm-scale
    #[command(disable_help_flag = true, disable_version_flag = true)]
    SvmScale(Words),
    /// Print a completion script for a shell
    #[command(after_help = help::COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write all of them into a folder
    #[command(after_help = help::MAN)]
    Man {
        /// Folder for one page per command; without it the main page goes to standard output
        folder: Option<PathBuf>,
    },
}

impl Command {
    /// What messages begin with.
    pub(crate) fn program(&self) -> &'static str {
        match self {
            Self::SvmTrain(_) => Program::Train.name(),
            Self::SvmPredict(_) => Program::Predict.name(),
            Self::SvmScale(_) => Program::Scale.name(),
            _ => "mercer",
        }
    }
}

/// Arguments in another program's syntax, passed on as they are.
#[derive(Debug, Args)]
pub(crate) struct Words {
    /// LIBSVM's options and files; without any, the usage
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<String>,
}

/// Options of every command that computes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output and threads")]
pub(crate) struct CommonArgs {
    /// Threads; 0 is one per core. The answer does not depend on it, to the bit
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// Seed of whatever is random: the folds of --probability, the candidates of --points, the trials of --choose
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// End standard output with one object on one line; the summary goes to standard error
    #[arg(long)]
    pub(crate) json: bool,
    /// No summary and no progress bar; errors and warnings only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
