//! The second of two views: its points, its components, and how they correlate with those of the first.

use std::path::Path;

use mercer::data::{self, Dense, Points, ReadOptions, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::CcaModel;

use crate::failure::{InFile, Result};
use crate::models::is_precomputed;

/// An analysis of two views of vectors.
type Model = CcaModel<Vectors, VectorExpr>;

/// The components of the rows of a file of the second view.
pub(crate) fn second(model: &mut Model, path: &Path, options: ReadOptions) -> Result<Dense<f64>> {
    let points = read(model, path, options)?;
    model.transform_second(&points).in_file(path)
}

/// The components of both views side by side, and their correlations.
pub(crate) fn both(
    model: &mut Model,
    first: &Vectors,
    path: &Path,
    options: ReadOptions,
) -> Result<(Dense<f64>, Vec<f64>)> {
    let points = read(model, path, options)?;
    let correlations = model.correlations_on(first, &points).in_file(path)?;
    let (f, g) = (model.transform_first(first)?, model.transform_second(&points).in_file(path)?);
    let rows = (0..f.len()).flat_map(|i| f.row(i).iter().chain(g.row(i))).copied().collect();
    Ok((Dense::new(f.columns() + g.columns(), rows), correlations))
}

/// Points of the second view, as wide as those of the model: a sparse file does not say how wide it is.
fn read(model: &mut Model, path: &Path, options: ReadOptions) -> Result<Vectors> {
    let own = &mut model.second;
    let options = ReadOptions { precomputed: is_precomputed(own.kernel()), labels_path: None, ..options };
    let points = data::read(path, &options).in_file(path)?.points;
    if !points.is_sparse() {
        return Ok(points);
    }
    let width = points.width().max(own.points().width());
    let support = own.replace_points(Vectors::dense::<f32>(1, vec![]));
    own.replace_points(support.with_width(width));
    Ok(points.with_width(width))
}
