//! `mercer denoise`: rows without what lies outside the components of a kernel PCA.

mod noise;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use mercer::data::{Dense, LabelColumn, Points, Table, Vectors, write_atomic};
use mercer::kernel::VectorExpr;
use mercer::model::file::Saved;
use mercer::model::{Convergence, PcaModel, Way};
use serde_json::{Value, json};

use super::convert::write_table;
use super::transform::no_components;
use crate::args::ModelArgs;
use crate::failure::{Failure, Result};
use crate::input::{scaled, vectors};
use crate::models::{data_and_model, load, read};
use crate::output::{count, is_stdout, seconds, short};
use crate::plot::{self, Images};
use crate::report::line;
use crate::{paths, system};
use noise::Noise;

/// `mercer denoise`.
#[derive(Debug, Args)]
pub(crate) struct DenoiseArgs {
    /// How a projection becomes a row again [default: by the kernel]
    #[arg(long, value_enum)]
    way: Option<WayArg>,
    /// Use the first K components; of several numbers, separated by commas, those with the smallest error
    #[arg(long, value_name = "K", value_delimiter = ',')]
    components: Vec<usize>,
    /// fixed-point: steps at most, from each start [default: 1000]
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// distances: how many neighbours [default: 10]
    #[arg(long, value_name = "N")]
    neighbours: Option<usize>,
    /// ridge: what is added to the diagonal [default: 0.001]
    #[arg(long, value_name = "LAMBDA", allow_negative_numbers = true)]
    lambda: Option<f64>,
    /// File with the rows as they are without noise: tells the error
    #[arg(long, value_name = "FILE", conflicts_with = "noise")]
    clean: Option<PathBuf>,
    /// Add noise to the rows first, drawn by --seed: `gaussian=S` of deviation S, or `speckle=P`, where a value becomes the
    /// smallest or the largest of all, with probability P/2 each
    #[arg(long, value_name = "KIND=SIZE", value_parser = noise::parse)]
    noise: Option<Noise>,
    /// A second model for the same rows, as a linear PCA
    #[arg(long, value_name = "MODEL")]
    beside: Option<PathBuf>,
    /// Draw some of the rows as images: as they are, noisy, denoised (SVG)
    #[arg(long, value_name = "FILE", requires = "shape")]
    panel: Option<PathBuf>,
    /// Height and width of the images of --panel, such as 16x16
    #[arg(long, value_name = "HxW", value_parser = shape)]
    shape: Option<(usize, usize)>,
    #[command(flatten)]
    files: ModelArgs,
}

/// Ways back from components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WayArg {
    /// Exact, for the kernel linear
    Linear,
    /// Steps until they rest, for the kernel rbf
    FixedPoint,
    /// Distances to neighbours
    Distances,
    /// A regression from components to rows, for all kernels
    Ridge,
}

/// `HxW`
fn shape(text: &str) -> Result<(usize, usize), String> {
    let number = |word: &str| word.parse().ok().filter(|&number: &usize| number > 0);
    text.split_once('x')
        .and_then(|(height, width)| Some((number(height)?, number(width)?)))
        .ok_or_else(|| "expected height and width, such as 16x16".into())
}

/// Images of a panel.
const SHOWN: usize = 10;

/// Runs the command.
pub(crate) fn run(args: &DenoiseArgs) -> Result<()> {
    system::start_threads(args.files.common.threads)?;
    let (data, model) = data_and_model(&args.files.data, &args.files.model);
    paths::model_file(&model)?;
    let inputs: Vec<&Path> =
        [&data, &model].into_iter().chain(&args.clean).chain(&args.beside).map(AsRef::as_ref).collect();
    args.files.out.iter().chain(&args.panel).try_for_each(|output| paths::distinct(output, &inputs))?;
    let started = Instant::now();
    let (rows, labels, names) = rows(args, &data, &model)?;
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
    let out = args.files.out.as_deref();
    if out.is_some() || !quiet_out {
        write_table(out.unwrap_or(Path::new("-")), &table, None)?;
    }
    let noisy = rows.clean.as_ref().map(|clean| mean_square(&rows.noisy, clean));
    let text = summary(args, &rows, noisy, &answers, started.elapsed().as_secs_f64());
    let piped = !quiet_out && is_stdout(out);
    args.files.common.tell(&text, piped, || object(&rows, noisy, &answers))
}

/// What is denoised, in the units of the data file, and what it is compared with.
struct Rows {
    noisy: Dense<f64>,
    clean: Option<Dense<f64>>,
}

fn rows(args: &DenoiseArgs, data: &Path, model: &Path) -> Result<(Rows, Option<LabelColumn>, Vec<String>)> {
    let options = || args.files.data_options.options();
    let (_, mut saved) = load(model)?;
    let (points, labels) = read(&mut saved, data, options())?;
    let points = vectors(points, "denoising")?;
    let names = if saved.names.len() == points.width() { saved.names.clone() } else { Vec::new() };
    let given = undone(&saved, &points);
    let clean = match &args.clean {
        None => None,
        Some(file) => {
            let (clean, _) = read(&mut load(model)?.1, file, options())?;
            let clean = vectors(clean, "denoising")?;
            if clean.len() != points.len() {
                let (found, rows) = (clean.len(), points.len());
                let file = file.display();
                return Err(Failure::Usage(format!("--clean: {file} has {found} rows, the data {rows}")));
            }
            Some(undone(&saved, &clean.with_width(points.width())))
        }
    };
    let rows = match args.noise {
        None => Rows { noisy: given, clean },
        Some(kind) => Rows { noisy: noise::add(&given, kind, args.files.common.seed), clean: Some(given) },
    };
    Ok((rows, labels, names))
}

/// All features in the units of the data file.
fn undone(saved: &Saved, points: &Vectors) -> Dense<f64> {
    let dense = all_features(points);
    match &saved.scaler {
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
    let (_, mut saved) = load(path)?;
    let expected = saved.model.width();
    let points =
        vectors(scaled(saved.scaler.as_ref(), Vectors::from(rows.noisy.clone()).into()), "denoising")?;
    if points.width() < expected {
        return Err(Failure::Usage(format!("{}: the model has {expected} features", path.display())));
    }
    if points.width() > expected {
        saved.model.widen(points.width());
    }
    let Some(model) = saved.model.downcast::<Model>() else { return Err(no_components(path, &saved.model)) };
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
        let found_rows = undone(&saved, &Vectors::from(found.points));
        let error = rows.clean.as_ref().map(|clean| mean_square(&found_rows, clean));
        tried.push((count, error));
        let better = best.as_ref().is_none_or(|best| error < best.tried.last().and_then(|last| last.1));
        if better {
            let components = self::count(count, "component");
            let (words, way) = (format!("kpca, {}, {components}", part.expansion.kernel()), name(&way));
            let tried = vec![(count, error)];
            let convergence = found.convergence;
            best = Some(Answer { words, way, tried, taken: count, rows: found_rows, convergence });
        }
    }
    let best = best.ok_or_else(|| Failure::Usage("--components: none".into()))?;
    Ok(Answer { tried, ..best })
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

fn summary(args: &DenoiseArgs, rows: &Rows, noisy: Option<f64>, answers: &[Answer], time: f64) -> String {
    let mut text = line(
        "data",
        format!("{}, {}", count(rows.noisy.len(), "row"), count(rows.noisy.columns(), "feature")),
    );
    if let Some(noisy) = noisy {
        let kind = match args.noise {
            Some(Noise::Gaussian(size)) => format!("gaussian, deviation {size}: "),
            Some(Noise::Speckle(share)) => format!("speckle, probability {share}: "),
            None => String::new(),
        };
        text += &line("noise", format!("{kind}mean square {}", short(noisy)));
    }
    for answer in answers {
        text += &line("model", &answer.words);
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
        text += &line("picture", panel.display());
    }
    text
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
