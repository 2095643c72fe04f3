//! `mercer plot`: figures of models, kernels, fits and searches. A kind of figure is a line of [`KINDS`].

mod asked;
mod kernels;
mod models;
mod said;
mod tables;

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::json;

use super::denoise::{Noise, parse_noise, shape};
use crate::args::{CommonArgs, DataArgs};
use crate::failure::{Result, usage};
use crate::output::{is_stdout, save};
use crate::{paths, system};

/// A kind of figure.
struct Kind {
    name: &'static str,
    summary: &'static str,
    /// What is named after the kind; the last may be several where `several` is true.
    takes: &'static [&'static str],
    several: bool,
    /// Options that it has besides those of all.
    options: &'static [&'static str],
    draw: fn(&PlotArgs) -> Result<Picture>,
}

const MODEL_AND_DATA: &[&str] = &["MODEL", "DATA"];
const KERNEL_AND_DATA: &[&str] = &["EXPRESSION", "DATA"];

/// All kinds, those of models first. The book's page of figures and `mercer.plot` have the same names.
const KINDS: [Kind; 15] = [
    Kind::of(
        "decision-surface",
        "What a model says over two features: regions, margins, support points; of one feature a curve",
        MODEL_AND_DATA,
        &["--features"],
        models::decision_surface,
    ),
    Kind::of(
        "contours",
        "Each component of a kernel PCA over the plane, with its eigenvalue",
        MODEL_AND_DATA,
        &[],
        models::contours,
    ),
    Kind::of(
        "components",
        "Rows on the first two components of a model that has components",
        MODEL_AND_DATA,
        &[],
        models::components,
    ),
    Kind::of(
        "margins",
        "How far rows lie on their side of a classifier of two classes: y f(x)",
        MODEL_AND_DATA,
        &[],
        models::margins,
    ),
    Kind::of(
        "roc",
        "Hits against false alarms for every threshold, and the area below",
        MODEL_AND_DATA,
        &[],
        models::roc,
    ),
    Kind::of(
        "calibration",
        "How often what was said with a probability is true",
        MODEL_AND_DATA,
        &[],
        models::calibration,
    ),
    Kind::of(
        "risk",
        "Structural risk: training error, capacity and their bound over C",
        MODEL_AND_DATA,
        &[],
        models::risk,
    ),
    Kind::of(
        "denoising",
        "Images as they are, noisy, and after a kernel PCA",
        MODEL_AND_DATA,
        &["--shape", "--noise", "--components"],
        models::denoising,
    ),
    Kind::of(
        "som-map",
        "A self-organising map: distances of neighbours (U-matrix) and rows of each unit",
        &["MODEL"],
        &[],
        models::som_map,
    ),
    Kind {
        several: true,
        ..Kind::of(
            "kernel",
            "Kernels of numbers: their basis functions, and k(x, 0)",
            &["EXPRESSION"],
            &["--range"],
            kernels::profiles,
        )
    },
    Kind::of(
        "gram",
        "Kernel values of all pairs of rows, ordered by class or by cluster",
        KERNEL_AND_DATA,
        &["--clusters"],
        kernels::gram,
    ),
    Kind::of(
        "spectrum",
        "Eigenvalues of a kernel, what they hold of the labels, and the cut of relevant dimensions",
        KERNEL_AND_DATA,
        &["--regression"],
        kernels::spectrum,
    ),
    Kind::of(
        "nu-sweep",
        "A ν-SVC for each ν from 0.1 to 0.8 over two features",
        KERNEL_AND_DATA,
        &["--features"],
        kernels::nu_sweep,
    ),
    Kind::of(
        "path",
        "Objective, duality gap and violation over the steps of a support vector machine",
        KERNEL_AND_DATA,
        &["--c", "--working-set"],
        kernels::path,
    ),
    Kind::of(
        "search",
        "Scores over two parameters, from the table of mercer search --csv",
        &["TABLE"],
        &[],
        tables::search,
    ),
];

impl Kind {
    const fn of(
        name: &'static str,
        summary: &'static str,
        takes: &'static [&'static str],
        options: &'static [&'static str],
        draw: fn(&PlotArgs) -> Result<Picture>,
    ) -> Self {
        Self { name, summary, takes, several: false, options, draw }
    }

    /// How it is typed.
    fn usage(&self) -> String {
        let more = if self.several { " …" } else { "" };
        let options: String = self.options.iter().map(|option| format!(" [{option}]")).collect();
        format!("mercer plot {} {}{more}{options}", self.name, self.takes.join(" "))
    }
}

/// A figure, and what it shows in a line.
struct Picture {
    svg: String,
    says: String,
}

#[derive(Debug, Args)]
pub(crate) struct PlotArgs {
    /// What to draw
    #[arg(value_name = "KIND", value_parser = kinds())]
    kind: String,
    /// What is drawn: files and kernel expressions, as the kind takes them
    #[arg(value_name = "WHAT", required = true)]
    what: Vec<PathBuf>,
    /// File for the picture (SVG); `-` is standard output [default: KIND.svg]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The two features drawn, by number from 1 or by name; the others are held at their means [default: 1,2]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    features: Vec<String>,
    /// kernel: ends of the axis of x
    #[arg(long, value_name = "LOW,HIGH", value_delimiter = ',', allow_hyphen_values = true)]
    range: Vec<f64>,
    /// gram: order rows by so many clusters of kernel k-means, not by class
    #[arg(long, value_name = "N")]
    clusters: Option<usize>,
    /// spectrum: labels are numbers, not classes
    #[arg(long)]
    regression: bool,
    /// path: the price of a margin error [default: 1]
    #[arg(long, short, value_name = "C", allow_negative_numbers = true)]
    c: Option<f64>,
    /// path: variables changed at a time; 2 are the steps of sequential minimal optimisation [default: 2]
    #[arg(long, value_name = "N")]
    working_set: Option<usize>,
    /// denoising: height and width of the images, such as 8x8
    #[arg(long, value_name = "HxW", value_parser = shape)]
    shape: Option<(usize, usize)>,
    /// denoising: noise that is added first, gaussian=S or speckle=P
    #[arg(long, value_name = "KIND=SIZE", value_parser = parse_noise)]
    noise: Option<Noise>,
    /// denoising: the first K components; of several numbers those with the smallest error
    #[arg(long, value_name = "K", value_delimiter = ',')]
    components: Vec<usize>,
    #[command(flatten)]
    data_options: DataArgs,
    #[command(flatten)]
    common: CommonArgs,
}

impl PlotArgs {
    /// Options that only some kinds have, and whether they are given.
    fn given(&self) -> [(&'static str, bool); 9] {
        [
            ("--features", !self.features.is_empty()),
            ("--range", !self.range.is_empty()),
            ("--clusters", self.clusters.is_some()),
            ("--regression", self.regression),
            ("--c", self.c.is_some()),
            ("--working-set", self.working_set.is_some()),
            ("--shape", self.shape.is_some()),
            ("--noise", self.noise.is_some()),
            ("--components", !self.components.is_empty()),
        ]
    }
}

/// The names of kinds, with their summaries for the help.
fn kinds() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(KINDS.iter().map(|kind| PossibleValue::new(kind.name).help(kind.summary)))
}

pub(crate) fn run(args: &PlotArgs) -> Result<()> {
    system::start_threads(args.common.threads)?;
    let Some(kind) = KINDS.iter().find(|kind| kind.name == args.kind) else {
        return Err(usage!("{}: no such figure", args.kind));
    };
    let (found, wanted) = (args.what.len(), kind.takes.len());
    if found < wanted || found > wanted && !kind.several {
        return Err(usage!("{}: {found} given, it takes {wanted}: {}", kind.name, kind.usage()));
    }
    if let Some((option, _)) =
        args.given().iter().find(|(name, given)| *given && !kind.options.contains(name))
    {
        return Err(usage!("{option}: {} does not have it: {}", kind.name, kind.usage()));
    }
    let out = args.out.clone().unwrap_or_else(|| format!("{}.svg", kind.name).into());
    let is_svg = out.extension().is_none_or(|ending| ending.eq_ignore_ascii_case("svg"));
    if !is_svg {
        return Err(usage!(
            "{}: pictures are SVG here; mercer.plot in Python draws PNG and PDF",
            out.display()
        ));
    }
    let inputs: Vec<&std::path::Path> = args.what.iter().map(PathBuf::as_path).collect();
    paths::distinct(&out, &inputs)?;
    let Picture { svg, says } = (kind.draw)(args)?;
    save(&out, &svg)?;
    let text = format!("{says}\npicture  {}\n", out.display());
    args.common.tell(&text, is_stdout(&out), || {
        json!({ "kind": kind.name, "picture": out.display().to_string(), "bytes": svg.len(), "says": says })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_books_page_of_figures_has_each_kind() {
        let page = include_str!("../../../../../docs/figures.md");
        for kind in &KINDS {
            assert!(page.contains(&format!("`mercer plot {} ", kind.name)), "{}", kind.name);
            let python = format!("`plot.{}(", kind.name.replace('-', "_"));
            assert!(page.contains(&python), "{python}");
        }
    }

    #[test]
    fn each_option_of_a_kind_is_one_that_there_is() {
        let mut command = clap::Command::new("plot");
        command = PlotArgs::augment_args(command);
        for option in KINDS.iter().flat_map(|kind| kind.options) {
            let name = option.trim_start_matches('-');
            assert!(command.get_arguments().any(|arg| arg.get_long() == Some(name)), "{option}");
        }
    }
}
