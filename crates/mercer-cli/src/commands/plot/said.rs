//! What a model says over a plane of two features.

use mercer::data::{Dense, Points};
use mercer::model::file::Saved;
use mercer::model::{AnyPoints, How, Prediction, TargetKind};

use super::asked::{axis, redone, undone};
use crate::failure::{Result, unsupported, usage};
use crate::output::count;
use crate::plot::{Field, Known, Surface, plane};

/// Numbers in all nodes of a grid together.
const MOST: usize = 8_000_000;
/// Models with margins at f = ±1.
const WITH_MARGINS: [&str; 2] = ["svc", "linear-svc"];
/// Models of which the points are ringed, since few of the rows are, and what one is called.
const RINGED: [(&str, &str); 12] = [
    ("svc", "support point"),
    ("svr", "support point"),
    ("one-class", "support point"),
    ("svdd", "support point"),
    ("ovr", "support point"),
    ("crammer-singer", "support point"),
    ("weston-watkins", "support point"),
    ("perceptron", "support point"),
    ("rvc", "relevance vector"),
    ("rvr", "relevance vector"),
    ("rbf-network", "centre"),
    ("rbf-network-regression", "centre"),
];

/// What a point of a model is called, if there are few.
pub(super) fn ring_of(saved: &Saved) -> Option<&'static str> {
    RINGED.iter().find(|(kind, _)| *kind == saved.model.kind()).map(|(_, word)| *word)
}

/// How many points a model is made of.
pub(super) fn size_of(saved: &Saved) -> String {
    let model = &saved.model;
    count(model.support_points(), ring_of(saved).unwrap_or(model.point_word()))
}

/// The plane of two features, the others at their means over the rows, and what the model says on it.
pub(super) fn over_plane(
    saved: &Saved,
    rows: &Dense<f64>,
    known: Known,
    classes: Vec<String>,
    [a, b]: [usize; 2],
) -> Result<Surface> {
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
    let ring = ring_of(saved);
    let rings = ring.map_or_else(Vec::new, |_| support(saved, [a, b]));
    let ring = ring.unwrap_or_default();
    let axes = [axis(&saved.names, a), axis(&saved.names, b)];
    Ok(Surface { grid, low, high, field, points, known, classes, rings, ring, axes })
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
        Prediction::Classes(classes) => Ok(regions(saved, points, &classes)?),
        Prediction::Sides(values) => Ok(Field::Inside(values)),
        Prediction::Values(values) if values.columns() == 1 => Ok(Field::Values(values.values().to_vec())),
        _ => Err(unsupported!("a picture of --method {}", model.kind())),
    }
}

/// How far each class lies above the best of the others, by scores where these say what the model predicts.
fn regions(saved: &Saved, points: &AnyPoints, classes: &[usize]) -> Result<Field> {
    let model = &saved.model;
    let count = model.classes().len();
    let scores =
        model.scores(points, How::default()).ok().filter(|scores| scores.columns() == count && count > 1);
    let lead = |row: &[f64], class: usize| {
        let others = row.iter().enumerate().filter(|(other, _)| *other != class).map(|(_, score)| *score);
        row[class] - others.fold(f64::NEG_INFINITY, f64::max)
    };
    let agrees =
        |scores: &Dense<f64>| classes.iter().enumerate().all(|(i, class)| lead(scores.row(i), *class) >= 0.0);
    let leads: Vec<Vec<f64>> = match scores.filter(agrees) {
        Some(scores) => {
            (0..count).map(|class| (0..classes.len()).map(|i| lead(scores.row(i), class)).collect()).collect()
        }
        None => {
            let most = classes.iter().max().map_or(0, |most| most + 1);
            let side =
                |class: usize| classes.iter().map(move |found| if *found == class { 0.5 } else { -0.5 });
            (0..most).map(|class| side(class).collect()).collect()
        }
    };
    Ok(match <[Vec<f64>; 2]>::try_from(leads) {
        // The lead of one class is minus that of the other.
        Ok([first, _]) => Field::Decision(first, false),
        Err(leads) => Field::Regions(leads),
    })
}
