//! What can be typed. Each command's own file makes of it what is meant.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use mercer::data::{ColumnRef, Format, ReadOptions};
use mercer::kernel::VectorExpr;

use crate::help;
use crate::multiclass::MulticlassArg;
use crate::svm::Program;
use crate::values;

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

/// How features are scaled before training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScaleArg {
    /// As they are
    None,
    /// Every feature to [-1, 1] by its smallest and largest value
    Minmax,
    /// Every feature to mean 0 and standard deviation 1
    Standard,
}

/// Machines that `mercer train` fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodArg {
    /// C-SVC: tells classes apart (-c, --weight, --squared, --no-offset)
    Svc,
    /// The same with nu in place of C: a share nu of the rows may be margin errors (--nu)
    NuSvc,
    /// Regression; errors below epsilon cost nothing (-c, --epsilon)
    Svr,
    /// Regression that finds epsilon: a share nu of the rows may lie outside (-c, --nu)
    NuSvr,
    /// Where the data are: a share nu of the rows may lie outside (--nu)
    OneClass,
    /// Where the data are: the smallest sphere around them (-c)
    Svdd,
}

impl MethodArg {
    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Svc => "svc",
            Self::NuSvc => "nu-svc",
            Self::Svr => "svr",
            Self::NuSvr => "nu-svr",
            Self::OneClass => "one-class",
            Self::Svdd => "svdd",
        }
    }

    /// The parameters it has.
    pub(crate) fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Svc => &["-c", "--weight", "--squared", "--no-offset"],
            Self::NuSvc => &["--nu"],
            Self::Svr => &["-c", "--epsilon", "--squared"],
            Self::NuSvr => &["-c", "--nu"],
            Self::OneClass => &["--nu"],
            Self::Svdd => &["-c"],
        }
    }
}

/// Kinds of probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProbabilityArg {
    /// svc, nu-svc: a sigmoid for each pair of classes
    #[value(alias = "sigmoid")]
    Platt,
    /// svc, nu-svc: a rising function for each pair of classes; needs a thousand rows or more
    Isotonic,
    /// svr, nu-svr: how far targets lie from their values
    Noise,
    /// one-class: how ordinary a row is among the training data
    Density,
}

impl ProbabilityArg {
    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Platt => "platt",
            Self::Isotonic => "isotonic",
            Self::Noise => "noise",
            Self::Density => "density",
        }
    }
}

/// `mercer train`.
#[derive(Debug, Args)]
pub(crate) struct TrainArgs {
    /// What to fit
    #[arg(long, short, value_enum, default_value = "svc")]
    pub(crate) method: MethodArg,
    /// Kernel expression, for instance "rbf(gamma=0.5) + 2*linear" [default: rbf with gamma = 1/features]
    #[arg(long, short, value_name = "EXPRESSION")]
    pub(crate) kernel: Option<VectorExpr>,
    /// C: the price of a margin error (`inf`: none is allowed), of an error beyond epsilon, of a point outside the sphere
    /// [default: 1]
    #[arg(long = "c", short, value_name = "C", allow_negative_numbers = true)]
    pub(crate) c: Option<f64>,
    /// Errors of a regression that cost nothing [default: 0.1]
    #[arg(long, short = 'p', value_name = "EPSILON", allow_negative_numbers = true)]
    pub(crate) epsilon: Option<f64>,
    /// The share of rows that may lie outside, above 0 and at most 1 [default: 0.5]
    #[arg(long, short, value_name = "NU", allow_negative_numbers = true)]
    pub(crate) nu: Option<f64>,
    /// Price errors by their squares, C/2 each
    #[arg(long)]
    pub(crate) squared: bool,
    /// A decision without an offset
    #[arg(long)]
    pub(crate) no_offset: bool,
    /// Multiply C by W for one class; may be given for several
    #[arg(long = "weight", short, value_name = "CLASS=W", value_parser = values::class_weight, allow_hyphen_values = true)]
    pub(crate) weights: Vec<(String, f64)>,
    /// File with a weight for each row, one number a line: a whole number counts the row so often, 0 leaves it out
    #[arg(long = "weights", value_name = "FILE")]
    pub(crate) row_weights: Option<PathBuf>,
    /// More than two classes: what is fitted, and how it becomes a class [default: ovo]
    #[arg(long, value_enum, value_name = "SCHEME")]
    pub(crate) multiclass: Option<MulticlassArg>,
    /// Labels are sets such as `2,5`, or empty: a machine for each label
    #[arg(long, conflicts_with = "multiclass")]
    pub(crate) multilabel: bool,
    /// Largest violation of the optimality conditions accepted
    #[arg(long, short, value_name = "E", default_value_t = 1e-3, allow_negative_numbers = true)]
    pub(crate) tolerance: f64,
    /// Learn probabilities from rows left out of the fit, and store them in the model
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) probability: Option<ProbabilityArg>,
    /// Folds that are left out in turn for --probability, drawn by --seed [default: 5]
    #[arg(long, value_name = "K", requires = "probability")]
    pub(crate) folds: Option<usize>,
    /// Scale features first; the scaling is stored in the model and applied in prediction
    #[arg(long, short, value_enum, default_value = "none")]
    pub(crate) scale: ScaleArg,
    /// Write LIBSVM's model text instead of a mercer model
    #[arg(long)]
    pub(crate) libsvm: bool,
    /// Data file: LIBSVM text, CSV/TSV or NPY, also gzip or zstd; `-` is standard input
    pub(crate) data: PathBuf,
    /// Model file to write [default: the data file's name and .mercer, in the current folder]
    pub(crate) model: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) data_options: DataArgs,
    #[command(flatten)]
    pub(crate) solver: SolverArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// How the dual is solved.
#[derive(Debug, Args)]
#[command(next_help_heading = "Solver")]
pub(crate) struct SolverArgs {
    /// Variables changed together [default: by the size of the problem]
    #[arg(long, value_name = "Q")]
    pub(crate) working_set: Option<usize>,
    /// Choose the second variable of a step by the violation alone; with --working-set 2 this is Platt's algorithm
    #[arg(long)]
    pub(crate) first_order: bool,
    /// End by solving the linear system of the free variables in double precision: right to rounding
    #[arg(long)]
    pub(crate) exact: bool,
    /// Write a table of all rounds (CSV): violation, objective, gap, variables active and in the working set
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Keep decided variables in the problem
    #[arg(long)]
    pub(crate) no_shrinking: bool,
    /// Megabytes for kernel rows [default: 1024]
    #[arg(long, value_name = "MB", conflicts_with = "memory", value_parser = values::megabytes)]
    pub(crate) cache: Option<usize>,
    /// Megabytes for the whole program; what the data leave goes to kernel rows
    #[arg(long, value_name = "MB", value_parser = values::megabytes)]
    pub(crate) memory: Option<usize>,
    /// Stop after this many seconds with the best model so far
    #[arg(long, value_name = "SECONDS", value_parser = values::time_limit)]
    pub(crate) time_limit: Option<std::time::Duration>,
    /// Stop after this many steps with the best model so far [default: max(10^7, 100 rows)]
    #[arg(long, value_name = "N")]
    pub(crate) max_iterations: Option<u64>,
}

/// Options of every command that computes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output and threads")]
pub(crate) struct CommonArgs {
    /// Threads; 0 is one per core. The answer does not depend on it, to the bit
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// Seed of whatever is random: the folds of --probability, and nothing else
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// End standard output with one object on one line; the summary goes to standard error
    #[arg(long)]
    pub(crate) json: bool,
    /// No summary and no progress bar; errors and warnings only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
