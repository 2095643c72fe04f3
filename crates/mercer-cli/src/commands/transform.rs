//! `mercer transform`: rows become their components.

use std::path::{Path, PathBuf};

use clap::Args;
use mercer::data::{Dense, LabelColumn, Points, ReadOptions, Table, Vectors};
use mercer::error::ErrorKind;
use mercer::kernel::VectorExpr;
use mercer::model::file::Saved;
use mercer::model::{AnyKernel, AnyModel, AnyPoints, CcaModel, PcaModel, TargetKind};
use serde_json::json;

use super::convert::write_table;
use crate::args::ModelArgs;
use crate::failure::{Failure, InFile, Result, unsupported, usage};
use crate::input::vectors;
use crate::models::{data_and_model, load, read};
use crate::output::{count, is_stdout, save, short};
use crate::{plot, system};

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

type Cca = CcaModel<Vectors, VectorExpr>;
type Pca = PcaModel<Vectors, VectorExpr>;

pub(crate) fn run(args: &TransformArgs) -> Result<()> {
    let common = &args.files.common;
    let threads = system::start_threads(common.threads)?;
    let [data, model] = data_and_model(&args.files, &args.figure, &[&args.second])?;
    let (_, mut saved) = load(model)?;
    let views = args.second_view || args.second.is_some();
    if views && saved.model.target() != TargetKind::View {
        return Err(usage!("{} has no second view", model.display()));
    }
    if let (Some(count), Some(pca)) = (args.components, saved.model.downcast_mut::<Pca>()) {
        *pca = pca.first(count)?;
    }
    let Found { rows, names, labels, correlations } = components(&mut saved, args, data, model)?;
    let (out, (n, columns)) = (args.files.output(), (rows.len(), rows.columns()));
    let table = Table { points: rows.into(), labels, encoding: None, names };
    if args.figure.is_none() || args.files.out.is_some() {
        write_table(out, &table, None)?;
    }
    let mut text = format!("{}, {}", count(n, "row"), count(columns, "component"));
    if let Some(correlations) = &correlations {
        let list: Vec<String> = correlations.iter().map(|value| short(*value)).collect();
        text += &format!("; correlations {}", list.join(", "));
    }
    common.tell(&text, args.figure.is_none() && is_stdout(out), || {
        json!({
            "rows": n, "components": columns, "names": table.names, "correlations": correlations,
            "threads": threads, "peak_bytes": system::peak_bytes(),
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
        save(path, &figure(&saved.model, &points)?)?;
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
pub(super) fn views(model: &mut AnyModel) -> Result<&mut Cca> {
    let space = model.space();
    model.downcast_mut().ok_or_else(|| unsupported!("the second view of {space}"))
}

/// Points of the second view, as wide as those of the model: a sparse file does not say how wide it is.
pub(super) fn second(cca: &mut Cca, path: &Path, options: ReadOptions) -> Result<Vectors> {
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
    usage!("{file}: a model of --method {method} has no components; use mercer predict")
}

fn figure(model: &AnyModel, points: &AnyPoints) -> Result<String> {
    match (model.downcast::<Pca>(), points) {
        (Some(model), AnyPoints::Vectors(points)) if points.width() == 2 => {
            Ok(plot::contours(model, points)?)
        }
        (Some(_), _) => {
            let width = points.width();
            Err(usage!("--figure: components are drawn over two features, not {width}"))
        }
        (None, _) => Err(unsupported!("--figure of --method {}", model.kind())),
    }
}
