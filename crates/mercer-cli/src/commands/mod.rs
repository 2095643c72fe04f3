//! The commands: what can be typed, and what each does.

mod bounds;
mod convert;
mod cv;
mod demo;
mod denoise;
mod features;
mod held_out;
mod inspect;
mod kernel;
mod methods;
mod online;
mod plot;
mod predict;
mod rde;
mod scale;
mod search;
mod shell;
mod source;
mod train;
mod transform;
mod verify;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser};

use crate::failure::Result;
use crate::program::Program;
use crate::{help, liblinear, libsvm, method};

/// The commands that have the options of every method.
const FITTING: [&str; 2] = ["train", "cv"];

/// The commands of the program.
#[derive(Debug, Parser)]
#[command(name = "mercer", version, about = help::ABOUT, long_about = help::LONG_ABOUT)]
#[command(after_help = help::AFTER, subcommand_required = true)]
#[command(arg_required_else_help = true, max_term_width = 100)]
pub(crate) enum Cli {
    /// Fit a model to a data file and save it with its certificate
    #[command(after_help = help::TRAIN)]
    Train(Box<train::TrainArgs>),
    /// Cross-validate a method: how good it is on rows that it has not seen
    #[command(after_help = help::CV)]
    Cv(Box<cv::CvArgs>),
    /// Search ranges of parameters for the best by cross-validation, and fit the best to all rows
    #[command(after_help = help::SEARCH)]
    Search(Box<search::SearchArgs>),
    /// Predict the rows of a data file with a saved model
    #[command(after_help = help::PREDICT)]
    Predict(predict::PredictArgs),
    /// Components of the rows of a data file, by a model that has components
    #[command(after_help = help::TRANSFORM)]
    Transform(transform::TransformArgs),
    /// Take noise out of the rows of a data file, by a kernel PCA
    #[command(after_help = help::DENOISE)]
    Denoise(Box<denoise::DenoiseArgs>),
    /// Scale the features of a data file
    #[command(after_help = help::SCALE)]
    Scale(scale::ScaleArgs),
    /// Turn texts into sparse rows: counts of words or characters, tf-idf, hashes
    #[command(after_help = help::FEATURES)]
    Features(features::FeaturesArgs),
    /// Show everything that a model file holds
    #[command(after_help = help::INSPECT)]
    Inspect(inspect::InspectArgs),
    /// Recompute from the training data whether the certificate in a model file is true
    #[command(after_help = help::VERIFY)]
    Verify(verify::VerifyArgs),
    /// What theory says about the errors that a classifier will make: leave-one-out, span, margins, VC dimension
    #[command(after_help = help::BOUNDS)]
    Bounds(bounds::BoundsArgs),
    /// Turn a data or model file into another format
    #[command(after_help = help::CONVERT)]
    Convert(convert::ConvertArgs),
    /// List the methods that train knows, or show one with its parameters
    #[command(after_help = help::METHODS)]
    Methods(methods::MethodsArgs),
    /// Show kernels, and check one on data
    #[command(subcommand, after_help = help::KERNEL)]
    Kernel(kernel::KernelCommand),
    /// Draw a figure: decision surfaces, kernels, spectra, margins, maps, the path of a solver (SVG)
    #[command(after_help = help::PLOT)]
    Plot(Box<plot::PlotArgs>),
    /// How many dimensions of a kernel the labels need, and how much of them is noise
    #[command(after_help = help::RDE)]
    Rde(rde::RdeArgs),
    /// Train, certify, predict and draw a picture on a small real data set
    #[command(after_help = help::DEMO)]
    Demo(demo::DemoArgs),
    /// LIBSVM's svm-train: its options, output lines and files
    #[command(disable_help_flag = true, disable_version_flag = true)]
    SvmTrain(Words),
    /// LIBSVM's svm-predict
    #[command(disable_help_flag = true, disable_version_flag = true)]
    SvmPredict(Words),
    /// LIBSVM's svm-scale
    #[command(disable_help_flag = true, disable_version_flag = true)]
    SvmScale(Words),
    /// LIBLINEAR's train: its options, output lines and files
    #[command(disable_help_flag = true, disable_version_flag = true)]
    LinearTrain(Words),
    /// LIBLINEAR's predict
    #[command(disable_help_flag = true, disable_version_flag = true)]
    LinearPredict(Words),
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

/// Arguments in another program's syntax, passed on as they are.
#[derive(Debug, Args)]
pub(crate) struct Words {
    /// The program's own options and files; without any, the usage
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

impl Cli {
    /// What `words`, the first of which is the program, ask for; `texts` are the same words. Where they cannot be understood
    /// or ask for help, says so and ends the program.
    pub(crate) fn of(words: Vec<OsString>, texts: &[String]) -> Self {
        let mut command = Self::command();
        if let Some(fitting) = texts.get(1).filter(|word| FITTING.contains(&word.as_str()))
            && let Some(card) = method::named_in(&texts[2..])
        {
            command = command.mut_subcommand(fitting, |fitting| method::of_one(fitting, &card));
        }
        let matches = command.get_matches_from(words);
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// Runs the command; also returns what messages begin with.
    pub(crate) fn run(&self) -> (&'static str, Result<()>) {
        let other = |program: Program, words: &Words| (program.name, program.run(&words.words));
        let result = match self {
            Self::SvmTrain(words) => return other(libsvm::TRAIN, words),
            Self::SvmPredict(words) => return other(libsvm::PREDICT, words),
            Self::SvmScale(words) => return other(libsvm::SCALE, words),
            Self::LinearTrain(words) => return other(liblinear::TRAIN, words),
            Self::LinearPredict(words) => return other(liblinear::PREDICT, words),
            Self::Train(args) => train::run(args),
            Self::Cv(args) => cv::run(args),
            Self::Search(args) => search::run(args),
            Self::Predict(args) => predict::run(args),
            Self::Transform(args) => transform::run(args),
            Self::Denoise(args) => denoise::run(args),
            Self::Scale(args) => scale::run(args),
            Self::Features(args) => features::run(args),
            Self::Inspect(args) => inspect::run(args),
            Self::Verify(args) => verify::run(args),
            Self::Bounds(args) => bounds::run(args),
            Self::Convert(args) => convert::run(args),
            Self::Methods(args) => methods::run(args),
            Self::Kernel(command) => kernel::run(command),
            Self::Plot(args) => plot::run(args),
            Self::Rde(args) => rde::run(args),
            Self::Demo(args) => demo::run(args),
            Self::Completions { shell } => shell::completions(*shell),
            Self::Man { folder } => shell::man(folder.as_deref()),
        };
        ("mercer", result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
        for card in method::cards() {
            Cli::command().mut_subcommand("train", |train| method::of_one(train, &card)).debug_assert();
        }
    }
}
