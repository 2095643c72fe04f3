//! What a model says over a plane of two features.

use mercer::data::{Dense, Points};
use mercer::model::file::Saved;
use mercer::model::{AnyPoints, How, Prediction, TargetKind};

use super::asked::{axis, redone, undone};
use crate::failure::{Result, unsupported, usage};
use crate::plot::{Field, Known, Surface, plane};

/// Numbers in all nodes of a grid together.
const MOST: usize = 8_000_000;
/// Models with margins at f = ±1.
const WITH_MARGINS: [&str; 2] = ["svc", "linear-svc"];
/// Models of which support points are ringed: few of the rows are.
const RINGED: [&str; 9] =
    ["svc", "svr", "one-class", "svdd", "rvc", "rvr", "ovr", "crammer-singer", "weston-watkins"];

/// The plane of two features, the others at their means over the rows, and what the model says on it.
pub(super) fn over_plane(
    saved: &Saved,
    rows: &Dense<f64>,
    known: Known,
    classes: Vec<String>,
    [a, b]: [usize; 2],
) -> Result<Surface> {
    let model = &saved.model;
    let points: Vec<[f64; 2]> = (0..rows.len()).map(|i| [rows.row(i)[a], rows.row(i)[b]]).collect();
    if points.iter().flatten().any(|value| !value.is_finite()) {
        return Err(usage!("a feature that is drawn has values that are not finite"));
    }
    let (grid, low, high) = plane(&points, MOST / rows.columns().max(1));
    let n = rows.len() as f64;
    let means: Vec<f64> =
        (0..rows.columns()).map(|k| (0..rows.len()).map(|i| rows.row(i)[k] / n).sum()).collect();
    let node = |[x, y]: [f64; 2]| {
        let mut row = means.clone();
        (row[a], row[b]) = (x, y);
        row
    };
    let nodes = Dense::new(rows.columns(), grid.nodes().flat_map(node).collect());
    let field = field(saved, &redone(saved, nodes)?)?;
    let rings = if RINGED.contains(&model.kind()) { support(saved, [a, b]) } else { Vec::new() };
    let axes = [axis(&saved.names, a), axis(&saved.names, b)];
    Ok(Surface { grid, low, high, field, points, known, classes, rings, axes })
}

/// The support points of a model on two features.
pub(super) fn support(saved: &Saved, [a, b]: [usize; 2]) -> Vec<[f64; 2]> {
    match saved.model.points() {
        AnyPoints::Vectors(points) if points.width() > a.max(b) => {
            let rows = undone(saved, &points);
            (0..rows.len()).map(|i| [rows.row(i)[a], rows.row(i)[b]]).collect()
        }
        _ => Vec::new(),
    }
}

/// What a model says of each point.
fn field(saved: &Saved, points: &AnyPoints) -> Result<Field> {
    let (model, how) = (&saved.model, How::default());
    if model.target() == TargetKind::Classes && model.classes().len() == 2 && !model.quality().is_of_parts() {
        let decisions = model.decisions(points, how)?;
        if decisions.columns() == 1 {
            // Positive decisions are of the first class, or of the second.
            let sign = if model.class_of(&[1.0]) == 0 { 1.0 } else { -1.0 };
            let values = decisions.values().iter().map(|value| sign * value).collect();
            return Ok(Field::Decision(values, WITH_MARGINS.contains(&model.kind())));
        }
    }
    match model.predict(points, how)? {
        Prediction::Classes(classes) => Ok(Field::Regions(classes)),
        Prediction::Sides(values) => Ok(Field::Inside(values)),
        Prediction::Values(values) if values.columns() == 1 => Ok(Field::Values(values.values().to_vec())),
        _ => Err(unsupported!("a picture of --method {}", model.kind())),
    }
}
