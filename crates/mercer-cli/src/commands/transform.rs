//! `mercer transform`: rows become their components.

use std::path::{Path, PathBuf};

use clap::Args;
use mercer::data::{Dense, LabelColumn, Points, ReadOptions, Table, Vectors, write_atomic};
use mercer::error::ErrorKind;
use mercer::kernel::VectorExpr;
use mercer::model::file::Saved;
use mercer::model::{AnyKernel, AnyModel, AnyPoints, CcaModel, PcaModel, TargetKind};
use serde_json::json;

use super::convert::write_table;
use crate::args::ModelArgs;
use crate::failure::{Failure, InFile, Result};
use crate::input::vectors;
use crate::models::{data_and_model, load, read};
use crate::output::{count, is_stdout, short};
use crate::{paths, plot, system};

/// `mercer transform`.
#[derive(Debug, Args)]
pub(crate) struct TransformArgs {
    /// kpca: the first K components only
    #[arg(long, value_name = "K")]
    components: Option<usize>,
    /// Draw each component over the plane, for models of two features (SVG)
    #[arg(long, value_name = "FILE")]
    figure: Option<PathBuf>,
    /// cca: the data are of the second view
    #[arg(long)]
    second_view: bool,
    /// cca: the file of the second view, with the same rows in the same order: its components stand beside, and the
    /// correlations are told
    #[arg(long, value_name = "FILE", conflicts_with = "second_view")]
    second: Option<PathBuf>,
    #[command(flatten)]
    files: ModelArgs,
}

/// Analyses of vectors.
type Cca = CcaModel<Vectors, VectorExpr>;
type Pca = PcaModel<Vectors, VectorExpr>;

/// Runs the command.
pub(crate) fn run(args: &TransformArgs) -> Result<()> {
    let common = &args.files.common;
    let threads = system::start_threads(common.threads)?;
    let (data, model) = data_and_model(&args.files.data, &args.files.model);
    paths::model_file(&model)?;
    for output in args.files.out.iter().chain(&args.figure) {
        paths::distinct(output, &[&data, &model])?;
        args.second.iter().try_for_each(|second| paths::distinct(output, &[second]))?;
    }
    let (_, mut saved) = load(&model)?;
    let views = args.second_view || args.second.is_some();
    if views && saved.model.target() != TargetKind::View {
        return Err(Failure::Usage(format!("{} has no second view", model.display())));
    }
    if let (Some(count), Some(pca)) = (args.components, saved.model.downcast_mut::<Pca>()) {
        *pca = pca.first(count)?;
    }
    let found = components(&mut saved, args, &data, &model)?;
    let (rows, columns) = (found.rows.len(), found.rows.columns());
    let names = found.names;
    let table =
        Table { points: found.rows.into(), labels: found.labels, encoding: None, names: names.clone() };
    let out = args.files.out.as_deref();
    if args.figure.is_none() || out.is_some() {
        write_table(out.unwrap_or(Path::new("-")), &table, None)?;
    }
    let mut text = format!("{}, {}", count(rows, "row"), count(columns, "component"));
    if let Some(correlations) = &found.correlations {
        let list: Vec<String> = correlations.iter().map(|value| short(*value)).collect();
        text += &format!("; correlations {}", list.join(", "));
    }
    let piped = args.figure.is_none() && is_stdout(out);
    common.tell(&text, piped, || {
        json!({
            "rows": rows,
            "components": columns,
            "names": names,
            "correlations": found.correlations,
            "threads": threads,
            "peak_bytes": system::peak_bytes(),
        })
    })
}

/// Components, what they are called, the labels of the rows, and the correlations of two views.
struct Found {
    rows: Dense<f64>,
    names: Vec<String>,
    labels: Option<LabelColumn>,
    correlations: Option<Vec<f64>>,
}

fn components(saved: &mut Saved, args: &TransformArgs, data: &Path, model: &Path) -> Result<Found> {
    let options = args.files.data_options.options();
    if args.second_view {
        let cca = views(&mut saved.model)?;
        let points = second(cca, data, options)?;
        let rows = cca.transform_second(&points).in_file(data)?;
        let names = named("g", rows.columns());
        return Ok(Found { rows, names, labels: None, correlations: None });
    }
    let (points, labels) = read(saved, data, options.clone())?;
    if let Some(path) = &args.figure {
        let picture = figure(&saved.model, &points)?;
        write_atomic(path, |out| out.write_all(picture.as_bytes()))?;
    }
    let rows = match saved.model.components(&points) {
        Err(error) if matches!(error.kind(), ErrorKind::Unsupported { .. }) => {
            return Err(no_components(model, &saved.model));
        }
        rows => rows.in_file(data)?,
    };
    let letter = if saved.model.target() == TargetKind::View { "f" } else { "component" };
    let mut found = Found { names: named(letter, rows.columns()), rows, labels, correlations: None };
    if let Some(file) = &args.second {
        let cca = views(&mut saved.model)?;
        let (first, second) = (vectors(points, "two views")?, second(cca, file, options)?);
        found.correlations = Some(cca.correlations_on(&first, &second).in_file(file)?);
        let (f, g) = (found.rows, cca.transform_second(&second).in_file(file)?);
        let rows = (0..f.len()).flat_map(|i| f.row(i).iter().chain(g.row(i))).copied().collect();
        found.names.extend(named("g", g.columns()));
        found.rows = Dense::new(f.columns() + g.columns(), rows);
    }
    Ok(found)
}

/// The analysis of two views of vectors.
fn views(model: &mut AnyModel) -> Result<&mut Cca> {
    let space = model.space();
    model.downcast_mut().ok_or_else(|| Failure::Unsupported(format!("the second view of {space}")))
}

/// Points of the second view, as wide as those of the model: a sparse file does not say how wide it is.
fn second(cca: &mut Cca, path: &Path, options: ReadOptions) -> Result<Vectors> {
    let kernel = AnyKernel::Vectors(cca.second.kernel().clone());
    let options = ReadOptions { labels_path: None, ..options };
    let points = AnyPoints::read(Some(&kernel), path, &options).in_file(path)?.points;
    let points = vectors(points, "the second view")?;
    if !points.is_sparse() {
        return Ok(points);
    }
    let width = points.width().max(cca.second.points().width());
    let support = cca.second.replace_points(Vectors::dense::<f32>(1, vec![]));
    cca.second.replace_points(support.with_width(width));
    Ok(points.with_width(width))
}

fn named(letter: &str, columns: usize) -> Vec<String> {
    (1..=columns).map(|k| format!("{letter}{k}")).collect()
}

/// The message for a model without components.
pub(super) fn no_components(file: &Path, model: &AnyModel) -> Failure {
    let (file, method) = (file.display(), model.kind());
    Failure::Usage(format!("{file}: a model of --method {method} has no components; use mercer predict"))
}

fn figure(model: &AnyModel, points: &AnyPoints) -> Result<String> {
    match (model.downcast::<Pca>(), points) {
        (Some(model), AnyPoints::Vectors(points)) if points.width() == 2 => {
            Ok(plot::components(model, points)?)
        }
        (Some(_), _) => {
            let width = points.width();
            Err(Failure::Usage(format!("--figure: components are drawn over two features, not {width}")))
        }
        (None, _) => Err(Failure::Unsupported(format!("--figure of --method {}", model.kind()))),
    }
}
