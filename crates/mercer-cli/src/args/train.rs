//! What `mercer train` is told.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mercer::kernel::VectorExpr;

use super::{CommonArgs, DataArgs, ProjectionArgs};
use crate::multiclass::MulticlassArg;
use crate::values;

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
    /// C-SVC: tells classes apart (-c, --weight, --squared, --no-offset, --early)
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
    /// Regression by least squares, of one target or many (--lambda, --targets, --loo, --no-offset)
    Ridge,
    /// Axes on which classes lie apart, and classes by them (--mu, --points, --threshold)
    Fisher,
    /// Functions of two views that go together (--second, --second-kernel, --kappa, --choose, --components, --rank)
    Cca,
    /// Kernel PCA: the directions of largest variance in feature space (--components)
    Kpca,
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
            Self::Ridge => "ridge",
            Self::Fisher => "fisher",
            Self::Cca => "cca",
            Self::Kpca => "kpca",
        }
    }

    /// The parameters it has.
    pub(crate) fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Svc => &["-c", "--weight", "--squared", "--no-offset", "--early"],
            Self::NuSvc => &["--nu"],
            Self::Svr => &["-c", "--epsilon", "--squared"],
            Self::NuSvr => &["-c", "--nu"],
            Self::OneClass => &["--nu"],
            Self::Svdd => &["-c"],
            Self::Ridge => &["--lambda", "--targets", "--loo", "--iterative", "--no-offset"],
            Self::Fisher => &["--mu", "--points", "--threshold", "-c"],
            Self::Cca => &["--second", "--second-kernel", "--kappa", "--choose", "--components", "--rank"],
            Self::Kpca => &["--components"],
        }
    }

    /// Whether it is linear algebra on a Gram matrix, and no quadratic programme.
    pub(crate) fn is_algebra(self) -> bool {
        matches!(self, Self::Ridge | Self::Fisher | Self::Cca | Self::Kpca)
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
    /// svc, approximate, for 100,000 rows and more: divide the rows into cells, fit a machine to each, and let that of the
    /// nearest cell decide [default: one for 10,000 rows, from 2 to 64]
    #[arg(long, value_name = "CELLS", require_equals = true, num_args = 0..=1)]
    pub(crate) early: Option<Option<usize>>,
    /// ridge: the price of the squared norm; several numbers, separated by commas, or `auto`: the one with the smallest
    /// error at rows left out [default: 1]
    #[arg(long, value_name = "LAMBDA", value_parser = values::lambda, allow_hyphen_values = true)]
    pub(crate) lambda: Option<Lambda>,
    /// ridge: a file with a column for each target, in place of the labels
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Option<PathBuf>,
    /// ridge: the error at rows left out of the fit, each in turn, in closed form
    #[arg(long = "loo")]
    pub(crate) leave_one_out: bool,
    /// ridge: conjugate gradients, which never hold the Gram matrix [default: where --memory is too small for it]
    #[arg(long)]
    pub(crate) iterative: bool,
    /// Largest violation of the optimality conditions accepted [default: 0.001]; ridge: largest relative residual of
    /// conjugate gradients [default: 1e-10]
    #[arg(long, short, value_name = "E", allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
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
    pub(crate) projections: ProjectionArgs,
    #[command(flatten)]
    pub(crate) solver: SolverArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

impl TrainArgs {
    /// The tolerance of a quadratic programme.
    pub(crate) fn violation(&self) -> f64 {
        self.tolerance.unwrap_or(1e-3)
    }
}

/// λ of a ridge regression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Lambda {
    /// One, or several of which the best is taken.
    Values(Vec<f64>),
    /// Many, by the size of the kernel.
    Auto,
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
