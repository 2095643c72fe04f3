//! `mercer denoise`: rows without what lies outside the components of a kernel PCA.

mod noise;

use std::path::Path;
use std::time::Instant;

use mercer::data::{Dense, Format, LabelColumn, Points, Table, Vectors, write_atomic};
use mercer::kernel::VectorExpr;
use mercer::model::{Convergence, Machine, PcaModel, Way};
use serde_json::{Value, json};

use crate::args::{DenoiseArgs, NoiseArg, WayArg};
use crate::components::{data_and_model, none, words};
use crate::convert::write_table;
use crate::failure::{Failure, Result};
use crate::models::Prepared;
use crate::output::{answer, answer_json, count, is_stdout, remark, seconds, short};
use crate::plot::{self, Images};
use crate::{paths, system};

/// Images of a panel.
const SHOWN: usize = 10;

/// Runs the command.
pub(crate) fn run(args: &DenoiseArgs) -> Result<()> {
    system::start_threads(args.common.threads)?;
    let (data, model) = data_and_model(&args.data, &args.model)?;
    paths::model_file(&model)?;
    let inputs: Vec<&Path> =
        [&data, &model].into_iter().chain(&args.clean).chain(&args.beside).map(AsRef::as_ref).collect();
    args.out.iter().chain(&args.panel).try_for_each(|output| paths::distinct(output, &inputs))?;
    let started = Instant::now();
    let (rows, labels, names) = read(args, &data, &model)?;
    check_shape(args, rows.noisy.columns())?;
    let mut models = vec![(model.as_path(), args.way.map(|way| self::way(way, args)))];
    models.extend(args.beside.iter().map(|path| (path.as_path(), None)));
    let mut answers = Vec::new();
    for (path, way) in models {
        answers.push(denoise(args, path, way, &rows)?);
    }
    if let Some(path) = &args.panel {
        let picture = panel(args, &rows, labels.as_ref(), &answers);
        write_atomic(path, |out| out.write_all(picture.as_bytes()))?;
    }
    let quiet_out = args.panel.is_some() || rows.clean.is_some();
    let table = Table { points: Vectors::from(answers[0].rows.clone()), labels, encoding: None, names };
    let path = args.out.as_deref().unwrap_or(Path::new("-"));
    if args.out.is_some() || !quiet_out {
        write_table(path, &table, Format::of_path(path).unwrap_or(Format::Libsvm))?;
    }
    report(
        args,
        &rows,
        &answers,
        started.elapsed().as_secs_f64(),
        !quiet_out && is_stdout(args.out.as_deref()),
    )
}

/// What is denoised, in the units of the data file, and what it is compared with.
struct Rows {
    noisy: Dense<f64>,
    clean: Option<Dense<f64>>,
}

fn read(args: &DenoiseArgs, data: &Path, model: &Path) -> Result<(Rows, Option<LabelColumn>, Vec<String>)> {
    let mut prepared = Prepared::load(model)?;
    let (points, labels) = prepared.read(data, args.data_options.options())?;
    let names = if prepared.names.len() == points.width() { prepared.names.clone() } else { Vec::new() };
    let undo = |points: &Vectors| undone(&prepared, points);
    let given = undo(&points);
    let clean = match &args.clean {
        None => None,
        Some(file) => {
            let (clean, _) = Prepared::load(model)?.read(file, args.data_options.options())?;
            if clean.len() != points.len() {
                let (found, rows) = (clean.len(), points.len());
                let file = file.display();
                return Err(Failure::Usage(format!("--clean: {file} has {found} rows, the data {rows}")));
            }
            Some(undo(&clean.with_width(points.width())))
        }
    };
    let rows = match args.noise {
        None => Rows { noisy: given, clean },
        Some(kind) => Rows { noisy: noise::add(&given, kind, args.common.seed), clean: Some(given) },
    };
    Ok((rows, labels, names))
}

/// All features in the units of the data file.
fn undone(prepared: &Prepared, points: &Vectors) -> Dense<f64> {
    let dense = all_features(points);
    match &prepared.scaler {
        Some(scaler) if scaler.width() == dense.columns() => scaler.undo(&dense),
        _ => dense,
    }
}

fn all_features(points: &Vectors) -> Dense<f64> {
    let d = points.width();
    let mut values = vec![0.0; points.len() * d];
    for (i, row) in values.chunks_mut(d.max(1)).enumerate().take(points.len()) {
        points.row(i).for_each(|k, value| row[k] = value);
    }
    Dense::new(d, values)
}

fn way(way: WayArg, args: &DenoiseArgs) -> Way {
    match way {
        WayArg::Linear => Way::Linear,
        WayArg::FixedPoint => match Way::fixed_point() {
            Way::FixedPoint { steps, tolerance } => {
                Way::FixedPoint { steps: args.steps.unwrap_or(steps), tolerance }
            }
            other => other,
        },
        WayArg::Distances => Way::Distances { neighbours: args.neighbours.unwrap_or(10) },
        WayArg::Ridge => Way::Ridge { kernel: None, lambda: args.lambda.unwrap_or(1e-3) },
    }
}

/// What a model made of the rows.
struct Answer {
    words: String,
    way: &'static str,
    /// Numbers of components that were tried, and the error of each where it is known.
    tried: Vec<(usize, Option<f64>)>,
    /// The one that was taken.
    taken: usize,
    rows: Dense<f64>,
    convergence: Vec<Convergence>,
}

type Model = PcaModel<Vectors, VectorExpr>;

fn denoise(args: &DenoiseArgs, path: &Path, way: Option<Way>, rows: &Rows) -> Result<Answer> {
    let mut prepared = Prepared::load(path)?;
    let points = scaled(&mut prepared, &rows.noisy, path)?;
    let Machine::Pca(model) = &prepared.machine else { return Err(none(path, &prepared.machine)) };
    let way = way.unwrap_or_else(|| default_way(args, model));
    way.check(model.expansion.kernel())?;
    let mut counts: Vec<usize> = args.components.iter().map(|&k| k.min(model.components())).collect();
    counts.dedup();
    if counts.is_empty() {
        counts.push(model.components());
    }
    if counts.len() > 1 && rows.clean.is_none() {
        return Err(Failure::Usage(
            "--components: several numbers need --clean or --noise to choose by".into(),
        ));
    }
    let mut best: Option<Answer> = None;
    let mut tried = Vec::new();
    for count in counts {
        let part = model.first(count)?;
        let found = part.denoise(&points, &way)?;
        let found_rows = undone(&prepared, &Vectors::from(found.points));
        let error = rows.clean.as_ref().map(|clean| mean_square(&found_rows, clean));
        tried.push((count, error));
        let better = best.as_ref().is_none_or(|best| error < best.tried.last().and_then(|last| last.1));
        if better {
            let (words, way) = (words(&part), name(&way));
            let tried = vec![(count, error)];
            let convergence = found.convergence;
            best = Some(Answer { words, way, tried, taken: count, rows: found_rows, convergence });
        }
    }
    let best = best.ok_or_else(|| Failure::Usage("--components: none".into()))?;
    Ok(Answer { tried, ..best })
}

/// The rows as the model was trained on them.
fn scaled(prepared: &mut Prepared, rows: &Dense<f64>, path: &Path) -> Result<Vectors> {
    let expected = prepared.machine.expansion().points().width();
    let points = Vectors::from(rows.clone());
    let points = crate::scaling::apply(prepared.scaler.as_ref(), points);
    if points.width() < expected {
        return Err(Failure::Usage(format!("{}: the model has {expected} features", path.display())));
    }
    let own = prepared.machine.expansion_mut();
    let support = own.replace_points(Vectors::dense::<f32>(1, vec![]));
    own.replace_points(support.with_width(points.width()));
    Ok(points)
}

fn default_way(args: &DenoiseArgs, model: &Model) -> Way {
    match Way::for_kernel(model.expansion.kernel()) {
        Way::FixedPoint { .. } => way(WayArg::FixedPoint, args),
        Way::Ridge { .. } => way(WayArg::Ridge, args),
        other => other,
    }
}

fn name(way: &Way) -> &'static str {
    match way {
        Way::Linear => "linear",
        Way::FixedPoint { .. } => "fixed point",
        Way::Distances { .. } => "distances",
        _ => "ridge",
    }
}

fn mean_square(a: &Dense<f64>, b: &Dense<f64>) -> f64 {
    let pairs = a.values().iter().zip(b.values());
    pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>() / a.values().len().max(1) as f64
}

fn check_shape(args: &DenoiseArgs, features: usize) -> Result<()> {
    match args.shape {
        Some((height, width)) if height.checked_mul(width) != Some(features) => {
            Err(Failure::Usage(format!("--shape {height}x{width}: a row has {features} features")))
        }
        _ => Ok(()),
    }
}

/// Some rows as images: the first of each class, or the first.
fn panel(args: &DenoiseArgs, rows: &Rows, labels: Option<&LabelColumn>, answers: &[Answer]) -> String {
    let shape = args.shape.unwrap_or((1, rows.noisy.columns()));
    let mut shown: Vec<usize> = match labels.map(LabelColumn::labels) {
        Some(labels) if labels.classes().len() > 1 => {
            let mut first: Vec<(String, usize)> = (0..labels.classes().len())
                .filter_map(|class| {
                    let at = labels.index().iter().position(|&index| index as usize == class)?;
                    Some((labels.classes()[class].clone(), at))
                })
                .collect();
            first.sort_by(|a, b| (a.0.len(), &a.0).cmp(&(b.0.len(), &b.0)));
            first.into_iter().map(|(_, at)| at).collect()
        }
        _ => (0..rows.noisy.len()).collect(),
    };
    shown.truncate(SHOWN);
    let images = |from: &Dense<f64>| shown.iter().map(|&i| from.row(i).to_vec()).collect::<Vec<_>>();
    let error = |found: &Dense<f64>| {
        let clean = rows.clean.as_ref()?;
        Some(format!("mean square error {}", short(mean_square(found, clean))))
    };
    let row = |name: String, from: &Dense<f64>, remark: Option<String>| Images {
        name,
        remark: remark.unwrap_or_default(),
        images: images(from),
    };
    let mut all = Vec::new();
    all.extend(rows.clean.as_ref().map(|clean| row("original".into(), clean, None)));
    all.push(row("noisy".into(), &rows.noisy, error(&rows.noisy)));
    for answer in answers.iter().rev() {
        let kind = if answer.way == "linear" { "linear PCA" } else { "kernel PCA" };
        all.push(row(format!("{kind}, {}", answer.taken), &answer.rows, error(&answer.rows)));
    }
    let (low, high) = noise::range(rows.clean.as_ref().unwrap_or(&rows.noisy).values());
    plot::panel(&all, shape, [low, high.max(low + f64::MIN_POSITIVE)], "Denoised images")
}

fn report(args: &DenoiseArgs, rows: &Rows, answers: &[Answer], time: f64, piped: bool) -> Result<()> {
    let line = |name: &str, value: String| format!("{name:<12} {value}\n");
    let mut text = line(
        "data",
        format!("{}, {}", count(rows.noisy.len(), "row"), count(rows.noisy.columns(), "feature")),
    );
    let noisy = rows.clean.as_ref().map(|clean| mean_square(&rows.noisy, clean));
    if let Some(noisy) = noisy {
        let kind = match args.noise {
            Some(NoiseArg::Gaussian(size)) => format!("gaussian, deviation {size}: "),
            Some(NoiseArg::Speckle(share)) => format!("speckle, probability {share}: "),
            None => String::new(),
        };
        text += &line("noise", format!("{kind}mean square {}", short(noisy)));
    }
    for answer in answers {
        text += &line("model", answer.words.clone());
        text += &line("way", way_words(answer));
        for (components, error) in &answer.tried {
            if let Some(error) = error {
                let mark = if *components == answer.taken && answer.tried.len() > 1 { "  <" } else { "" };
                text += &line(
                    "",
                    format!("{components:>5} components  mean square error {}{mark}", short(*error)),
                );
            }
        }
    }
    text += &line("work", seconds(time));
    if let Some(panel) = &args.panel {
        text += &line("picture", panel.display().to_string());
    }
    match (args.common.quiet, args.common.json || piped) {
        (true, _) => {}
        (false, true) => remark(text.trim_end()),
        (false, false) => answer(text)?,
    }
    if args.common.json { answer_json(&object(rows, noisy, answers)) } else { Ok(()) }
}

fn way_words(answer: &Answer) -> String {
    let all = answer.convergence.len();
    if all == 0 {
        return answer.way.to_owned();
    }
    let rested = answer.convergence.iter().filter(|how| how.converged).count();
    let steps: usize = answer.convergence.iter().map(|how| how.steps).sum();
    format!("{}: {rested} of {all} came to rest, {} steps each", answer.way, short(steps as f64 / all as f64))
}

fn object(rows: &Rows, noisy: Option<f64>, answers: &[Answer]) -> Value {
    let one = |answer: &Answer| {
        let tried = |&(components, error): &(usize, Option<f64>)| json!({ "components": components, "mean_square_error": error });
        let error = answer.tried.iter().find(|tried| tried.0 == answer.taken).and_then(|tried| tried.1);
        json!({
            "way": answer.way, "components": answer.taken, "mean_square_error": error,
            "tried": answer.tried.iter().map(tried).collect::<Vec<_>>(),
            "converged": answer.convergence.iter().filter(|how| how.converged).count(),
        })
    };
    json!({
        "rows": rows.noisy.len(), "noise_mean_square": noisy,
        "models": answers.iter().map(one).collect::<Vec<_>>(),
    })
}
