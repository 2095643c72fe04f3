//! Figures of models.

use mercer::bounds::{Question, bounds};
use mercer::data::{Dense, Points, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::probability::Columns;
use mercer::model::{Calibrates, How, PcaModel, SomModel, TargetKind};
use mercer::select::clopper_pearson;
use mercer::verify::Asked;

use super::asked::{Shown, axis, files, redone, two_features, undone};
use super::said::{over_plane, ring_of, size_of, support};
use super::{Picture, PlotArgs};
use crate::args::ModelArgs;
use crate::commands::denoise::{self, DenoiseArgs};
use crate::failure::{InFile, Result, unsupported, usage};
use crate::models::load;
use crate::output::{count, range, short};
use crate::plot::{self, Captions, Group, Known, Regression, Series, Units};

/// Nodes along a curve.
const NODES: usize = 400;
/// Bins of probabilities.
const BINS: usize = 10;
/// How sure the interval of a bin is.
const LEVEL: f64 = 0.95;
/// Octaves of C to both sides of that of the model.
const OCTAVES: i32 = 10;

pub(super) fn decision_surface(args: &PlotArgs) -> Result<Picture> {
    let shown = Shown::read(args)?;
    let rows = undone(&shown.saved, shown.vectors()?);
    let model = &shown.saved.model;
    let numbers = matches!(model.target(), TargetKind::Number | TargetKind::Numbers);
    let targets = match (&shown.labels, numbers) {
        (Some(labels), true) => Some(labels.numbers().in_file(&args.what[1])?),
        _ => None,
    };
    if rows.columns() == 1 && numbers {
        return regression(&shown, &rows, targets);
    }
    let features = two_features(args, &shown.saved.names, rows.columns())?;
    let (known, classes) = match (targets, shown.classes()) {
        (Some(values), _) => (Known::Values(values), Vec::new()),
        (None, Some((class, names))) if !numbers => (Known::Classes(class), names),
        _ => (Known::Nothing, Vec::new()),
    };
    let surface = over_plane(&shown.saved, &rows, known, classes, features)?;
    let others = match rows.columns() {
        2 => String::new(),
        columns => format!("; {} at their means", count(columns - 2, "other feature")),
    };
    let title = format!("{}: {}", shown.saved.method(), size_of(&shown.saved));
    let captions = shown.captions(title);
    let says =
        format!("surface  {} on {} and {}{others}", captions.subtitle, surface.axes[0], surface.axes[1]);
    Ok(Picture { svg: surface.draw(&captions), says })
}

/// A regression of one feature as a curve, with its zone or its deviations.
fn regression(shown: &Shown, rows: &Dense<f64>, targets: Option<Vec<f64>>) -> Result<Picture> {
    let (saved, model) = (&shown.saved, &shown.saved.model);
    let [low, high] = range(rows.values());
    let pad = if high > low { 0.05 * (high - low) } else { 1.0 };
    let step = (high - low + 2.0 * pad) / (NODES - 1) as f64;
    let across: Vec<f64> = (0..NODES).map(|i| low - pad + step * i as f64).collect();
    let nodes = redone(saved, Dense::new(1, across.clone()))?;
    let mercer::model::Prediction::Values(values) = model.predict(&nodes, How::default())? else {
        return Err(unsupported!("a curve of --method {}", model.kind()));
    };
    let zone = saved.training.as_ref().and_then(|training| training.epsilon);
    let about = match (zone, model.deviations(&nodes)) {
        (Some(zone), _) if zone > 0.0 => {
            Some((format!("errors cost nothing, ε = {}", short(zone)), vec![zone; NODES]))
        }
        (_, Ok(deviations)) => {
            let twice = deviations.values().iter().map(|deviation| 2.0 * deviation).collect();
            Some(("two deviations".to_owned(), twice))
        }
        _ => None,
    };
    let curve =
        across.iter().zip(values.values().chunks(values.columns())).map(|(x, y)| [*x, y[0]]).collect();
    let targets = targets.unwrap_or_default();
    let points: Vec<[f64; 2]> = rows.values().iter().zip(&targets).map(|(x, y)| [*x, *y]).collect();
    let is_sparse = matches!(model.kind(), "svr" | "rvr");
    let ring = ring_of(saved).unwrap_or_default();
    let mut at = support(saved, [0, 0]);
    // A support point lies where the row with its value does.
    let height = |x: f64| {
        points.iter().find(|point| (point[0] - x).abs() <= 1e-6 * (1.0 + x.abs())).map(|point| point[1])
    };
    at = at.iter().filter(|_| is_sparse).filter_map(|[x, _]| Some([*x, height(*x)?])).collect();
    let axes = [axis(&saved.names, 0), "target".to_owned()];
    let captions = shown.captions(format!("{}: {}", saved.method(), size_of(saved)));
    let says = format!("curve    {}", captions.subtitle);
    Ok(Picture {
        svg: plot::regression(&Regression { curve, about, points, rings: at, ring, axes }, &captions),
        says,
    })
}

pub(super) fn contours(args: &PlotArgs) -> Result<Picture> {
    let shown = Shown::read(args)?;
    let Some(model) = shown.saved.model.downcast::<PcaModel<Vectors, VectorExpr>>() else {
        return Err(usage!(
            "contours are of a kernel PCA; this is a model of --method {}",
            shown.saved.model.kind()
        ));
    };
    let points = shown.vectors()?;
    if points.width() != 2 {
        return Err(usage!("contours are drawn over two features, not {}", points.width()));
    }
    let says = format!("contours {} of {}", count(model.components(), "component"), shown.file);
    Ok(Picture { svg: plot::contours(model, points)?, says })
}

pub(super) fn components(args: &PlotArgs) -> Result<Picture> {
    let shown = Shown::read(args)?;
    let no_components = |_| usage!("a model of --method {} has no components", shown.saved.model.kind());
    let rows = shown.saved.model.components(&shown.points).map_err(no_components)?;
    let (class, names) = shown.classes().unwrap_or_default();
    let captions = shown.captions(format!(
        "{} on {}",
        count(rows.len(), "row"),
        count(rows.columns().min(2), "component")
    ));
    let says = format!("rows     {} on their components", shown.file);
    let svg = if rows.columns() == 1 {
        let groups = groups(rows.values(), &class, &names);
        plot::histogram(&groups, &[], "component 1", &captions)
    } else {
        let points: Vec<[f64; 2]> = (0..rows.len()).map(|i| [rows.row(i)[0], rows.row(i)[1]]).collect();
        plot::scatter(&points, &class, &names, ["component 1", "component 2"], &captions)
    };
    Ok(Picture { svg, says })
}

/// Numbers by class.
fn groups(values: &[f64], class: &[usize], names: &[String]) -> Vec<Group> {
    if class.is_empty() {
        return vec![Group { name: "all rows".into(), values: values.to_vec() }];
    }
    let of = |k: usize| {
        values.iter().zip(class).filter(|(_, class)| **class == k).map(|(value, _)| *value).collect()
    };
    let group = |(k, name): (usize, &String)| Group { name: format!("class {name}"), values: of(k) };
    names.iter().enumerate().map(group).collect()
}

/// f of two classes at each row, positive for the first class.
fn decisions(shown: &Shown) -> Result<Vec<f64>> {
    let model = &shown.saved.model;
    let found = model.decisions(&shown.points, How::default())?;
    if model.classes().len() != 2 || model.quality().is_of_parts() {
        return Err(usage!("margins are of two classes; this model has {}", model.classes().len()));
    }
    if found.columns() == 1 {
        let sign = if model.class_of(&[1.0]) == 0 { 1.0 } else { -1.0 };
        return Ok(found.values().iter().map(|value| sign * value).collect());
    }
    let scores = model.scores(&shown.points, How::default())?;
    Ok((0..scores.len()).map(|i| scores.row(i)[0] - scores.row(i)[1]).collect())
}

pub(super) fn margins(args: &PlotArgs) -> Result<Picture> {
    let shown = Shown::read(args)?;
    let (class, names) = shown.known_classes()?;
    let own = decisions(&shown)?;
    let margins: Vec<f64> =
        own.iter().zip(&class).map(|(f, class)| if *class == 0 { *f } else { -f }).collect();
    let wrong = margins.iter().filter(|margin| **margin <= 0.0).count();
    let inside = margins.iter().filter(|margin| **margin > 0.0 && **margin < 1.0 - 1e-3).count();
    let n = margins.len();
    let says =
        format!("margins  {n} rows of {}: {wrong} on the wrong side, {inside} inside the margin", shown.file);
    let captions =
        shown.captions(format!("{wrong} of {n} rows on the wrong side, {inside} inside the margin"));
    let svg = plot::histogram(
        &groups(&margins, &class, &names),
        &[(0.0, "decision, y f(x) = 0"), (1.0, "margin, y f(x) = 1")],
        "y f(x)",
        &captions,
    );
    Ok(Picture { svg, says })
}

pub(super) fn roc(args: &PlotArgs) -> Result<Picture> {
    let shown = Shown::read(args)?;
    let (class, names) = shown.known_classes()?;
    let columns: Vec<(String, Vec<f64>, usize)> = if names.len() == 2 {
        vec![(format!("class {}", names[0]), decisions(&shown)?, 0)]
    } else {
        let scores = shown.saved.model.scores(&shown.points, How::default())?;
        let column = |k: usize| (0..scores.len()).map(|i| scores.row(i)[k]).collect();
        names.iter().enumerate().map(|(k, name)| (format!("class {name}"), column(k), k)).collect()
    };
    let mut series = Vec::new();
    for (name, scores, own) in columns {
        let positive: Vec<bool> = class.iter().map(|class| *class == own).collect();
        if positive.iter().all(|is| *is) || !positive.iter().any(|is| *is) {
            return Err(usage!(
                "{}: all rows, or none, are of {name}: there is nothing to tell apart",
                shown.file
            ));
        }
        let (points, area) = characteristic(&scores, &positive);
        series.push(Series { name: format!("{name}: area {area:.4}"), points, intervals: Vec::new() });
    }
    let best = series.iter().map(|one| one.name.clone()).collect::<Vec<_>>().join(", ");
    let captions = shown.captions("Receiver operating characteristic".into());
    let names = ["false alarms, share of the other rows", "hits, share of its own rows"];
    Ok(Picture {
        svg: plot::unit_square(&series, names, "chance", &captions),
        says: format!("roc      {best}"),
    })
}

/// Shares of the others and of the positive above each threshold, and the area below: rows of equal scores make one straight piece.
fn characteristic(scores: &[f64], positive: &[bool]) -> (Vec<[f64; 2]>, f64) {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let hits = positive.iter().filter(|is| **is).count() as f64;
    let others = positive.len() as f64 - hits;
    let (mut points, mut at) = (vec![[0.0, 0.0]], [0.0, 0.0]);
    for (k, &i) in order.iter().enumerate() {
        at[usize::from(positive[i])] += 1.0;
        if order.get(k + 1).is_none_or(|&next| scores[next] != scores[i]) {
            points.push([at[0] / others, at[1] / hits]);
        }
    }
    let piece = |ends: &[[f64; 2]]| (ends[1][0] - ends[0][0]) * (ends[0][1] + ends[1][1]) / 2.0;
    let area = points.windows(2).map(piece).sum();
    (points, area)
}

pub(super) fn calibration(args: &PlotArgs) -> Result<Picture> {
    let shown = Shown::read(args)?;
    let (class, names) = shown.known_classes()?;
    let (model, how) = (&shown.saved.model, How::default());
    let rows = match &shown.saved.probability {
        Some(estimate) => estimate.predict(model, &shown.points, how)?.1.rows,
        None if model.calibrates() == Calibrates::Own => {
            model.predict_beside(&shown.points, Columns::Probabilities, how)?.1.rows
        }
        None => return Err(usage!("the model has no probabilities; train it with --probability")),
    };
    if rows.columns() != names.len() {
        return Err(usage!("calibration is of probabilities of classes; this model has others"));
    }
    // Of two classes the probability of the first; of more that of the class that is most probable.
    let two = names.len() == 2;
    let said = |i: usize| {
        let row = rows.row(i);
        let most = (0..row.len()).fold(0, |best, k| if row[k] > row[best] { k } else { best });
        let of = if two { 0 } else { most };
        (row[of], class[i] == of)
    };
    let mut bins = vec![(0.0, 0_usize, 0_usize); BINS];
    for (p, is_true) in (0..rows.len()).map(said) {
        let bin = &mut bins[((p * BINS as f64) as usize).min(BINS - 1)];
        *bin = (bin.0 + p, bin.1 + usize::from(is_true), bin.2 + 1);
    }
    let (mut points, mut intervals, mut off) = (Vec::new(), Vec::new(), 0.0);
    for &(sum, right, all) in bins.iter().filter(|(.., all)| *all > 0) {
        let (mean, share) = (sum / all as f64, right as f64 / all as f64);
        points.push([mean, share]);
        intervals.push(clopper_pearson(right, all, LEVEL)?);
        off += (share - mean).abs() * all as f64 / rows.len() as f64;
    }
    let name = if two { format!("class {}", names[0]) } else { "the most probable class".to_owned() };
    let captions =
        shown.captions(format!("Calibration of {}: off by {off:.3} on average", count(rows.len(), "row")));
    let says = format!("calibration  {name}: off by {off:.4} on average over {BINS} bins");
    let series =
        [Series { name: format!("{name}, with {:.0} % intervals", 100.0 * LEVEL), points, intervals }];
    let axes = ["probability that was said", "share of rows where it is true"];
    Ok(Picture { svg: plot::unit_square(&series, axes, "as it should be", &captions), says })
}

pub(super) fn risk(args: &PlotArgs) -> Result<Picture> {
    let shown = Shown::read(args)?;
    let missing =
        || usage!("{}: no labels; name their column by --label or their file by --labels", shown.file);
    let labels = shown.labels.as_ref().ok_or_else(missing)?.labels();
    let question = Question {
        delta: 0.05,
        leave_one_out: false,
        prices: (-OCTAVES..=OCTAVES).map(|k| f64::from(k).exp2()).collect(),
        told: Asked { c: None, nu: None, epsilon: None, tolerance: None },
    };
    let found = bounds(&shown.saved, &shown.points, &labels, &[], &question).in_file(&args.what[1])?;
    if found.pairs.len() != 1 || found.at_prices.is_empty() {
        return Err(usage!("risk is of a model of two classes whose errors have a price"));
    }
    let captions = Captions {
        title: format!("Structural risk: {}", found.pairs[0].of),
        subtitle: format!("{}, {}", shown.saved.model.kernel(), count(shown.points.len(), "row")),
    };
    let says =
        format!("risk     {} over C, from 2^-{OCTAVES} to 2^{OCTAVES} of that of the model", shown.file);
    Ok(Picture { svg: plot::structural_risk(&found.at_prices, &captions), says })
}

pub(super) fn denoising(args: &PlotArgs) -> Result<Picture> {
    let [model, data] = files(args)?;
    let shape = args.shape.ok_or_else(|| usage!("--shape: height and width of the images, such as 8x8"))?;
    let files = ModelArgs {
        data: data.to_owned(),
        model: model.to_owned(),
        out: None,
        data_options: args.data_options.clone(),
        common: args.common.clone(),
    };
    let (svg, says) =
        denoise::drawn(&DenoiseArgs::of_figure(files, shape, args.noise, args.components.clone()))?;
    Ok(Picture { svg, says: says.trim_end().to_owned() })
}

pub(super) fn som_map(args: &PlotArgs) -> Result<Picture> {
    let (_, saved) = load(&args.what[0])?;
    let Some(model) = saved.model.downcast::<SomModel<Vectors, VectorExpr>>() else {
        return Err(usage!(
            "som-map is of a self-organising map of rows of numbers; this is a {}",
            saved.model.kind()
        ));
    };
    let places: Vec<[f64; 2]> = (0..model.grid.units()).map(|unit| model.grid.place(unit)).collect();
    let hexagonal = model.grid.lattice == mercer::model::Lattice::Hexagonal;
    let (matrix, texts) = (model.u_matrix(), model.hits.iter().map(|hits| short(*hits)).collect::<Vec<_>>());
    let units = |title, values, texts| Units { title, places: &places, hexagonal, values, texts };
    let maps = [
        units("U-matrix: mean distance to neighbours", matrix.values(), &[]),
        units("rows of each unit", &model.hits, &texts),
    ];
    let captions = Captions {
        title: format!("{} × {} units", model.grid.rows, model.grid.columns),
        subtitle: format!(
            "{}, quantisation error {}, topographic error {}",
            saved.model.kernel(),
            short(model.quantisation_error),
            short(model.topographic_error)
        ),
    };
    let says = format!("map      {}; {}", captions.title, captions.subtitle);
    Ok(Picture { svg: plot::maps(&maps, &captions), says })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_the_share_of_pairs_in_order() {
        let scores = [0.1, 0.4, 0.4, 0.8, 0.35, 0.35];
        let positive = [false, false, true, true, true, false];
        let (mut won, mut pairs) = (0.0, 0.0);
        for (i, _) in positive.iter().enumerate().filter(|(_, is)| **is) {
            for (j, _) in positive.iter().enumerate().filter(|(_, is)| !**is) {
                pairs += 1.0;
                won += if scores[i] > scores[j] {
                    1.0
                } else if scores[i] == scores[j] {
                    0.5
                } else {
                    0.0
                };
            }
        }
        let (points, area) = characteristic(&scores, &positive);
        assert!((area - won / pairs).abs() < 1e-12, "{area}");
        assert_eq!((points[0], points[points.len() - 1]), ([0.0, 0.0], [1.0, 1.0]));
    }
}
