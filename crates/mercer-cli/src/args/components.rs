//! What `mercer transform` and `mercer denoise` are told.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{CommonArgs, DataArgs};
use crate::values;

/// `mercer transform`.
#[derive(Debug, Args)]
pub(crate) struct TransformArgs {
    /// kpca: the first K components only
    #[arg(long, value_name = "K")]
    pub(crate) components: Option<usize>,
    /// Draw each component over the plane, for models of two features (SVG)
    #[arg(long, value_name = "FILE")]
    pub(crate) figure: Option<PathBuf>,
    /// cca: the data are of the second view
    #[arg(long)]
    pub(crate) second_view: bool,
    /// cca: the file of the second view, with the same rows in the same order: its components stand beside, and the
    /// correlations are told
    #[arg(long, value_name = "FILE", conflicts_with = "second_view")]
    pub(crate) second: Option<PathBuf>,
    /// Data file; `-` is standard input
    pub(crate) data: PathBuf,
    /// Model file of a method that has components
    pub(crate) model: PathBuf,
    /// File to write; its name tells the format: .csv, else LIBSVM text [default: LIBSVM text to standard output]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) data_options: DataArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `mercer denoise`.
#[derive(Debug, Args)]
pub(crate) struct DenoiseArgs {
    /// How a projection becomes a row again [default: by the kernel]
    #[arg(long, value_enum)]
    pub(crate) way: Option<WayArg>,
    /// Use the first K components; of several numbers, separated by commas, those with the smallest error
    #[arg(long, value_name = "K", value_delimiter = ',')]
    pub(crate) components: Vec<usize>,
    /// fixed-point: steps at most, from each start [default: 1000]
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<usize>,
    /// distances: how many neighbours [default: 10]
    #[arg(long, value_name = "N")]
    pub(crate) neighbours: Option<usize>,
    /// ridge: what is added to the diagonal [default: 0.001]
    #[arg(long, value_name = "LAMBDA", allow_negative_numbers = true)]
    pub(crate) lambda: Option<f64>,
    /// File with the rows as they are without noise: tells the error
    #[arg(long, value_name = "FILE", conflicts_with = "noise")]
    pub(crate) clean: Option<PathBuf>,
    /// Add noise to the rows first, drawn by --seed: `gaussian=S` of deviation S, or `speckle=P`, where a value becomes the
    /// smallest or the largest of all, with probability P/2 each
    #[arg(long, value_name = "KIND=SIZE", value_parser = values::noise)]
    pub(crate) noise: Option<NoiseArg>,
    /// A second model for the same rows, as a linear PCA
    #[arg(long, value_name = "MODEL")]
    pub(crate) beside: Option<PathBuf>,
    /// Draw some of the rows as images: as they are, noisy, denoised (SVG)
    #[arg(long, value_name = "FILE", requires = "shape")]
    pub(crate) panel: Option<PathBuf>,
    /// Height and width of the images of --panel, such as 16x16
    #[arg(long, value_name = "HxW", value_parser = values::shape)]
    pub(crate) shape: Option<(usize, usize)>,
    /// Data file; `-` is standard input
    pub(crate) data: PathBuf,
    /// Model file of a kernel PCA
    pub(crate) model: PathBuf,
    /// File to write; its name tells the format: .csv, else LIBSVM text [default: none with --clean, --noise or --panel,
    /// else LIBSVM text to standard output]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) data_options: DataArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Ways back from components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WayArg {
    /// Exact, for the kernel linear
    Linear,
    /// Steps until they rest, for the kernel rbf
    FixedPoint,
    /// Distances to neighbours
    Distances,
    /// A regression from components to rows, for all kernels
    Ridge,
}

/// Noise that is added.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum NoiseArg {
    /// Of this deviation.
    Gaussian(f64),
    /// With this probability.
    Speckle(f64),
}
