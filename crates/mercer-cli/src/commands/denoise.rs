//! `mercer denoise`: rows without what lies outside the components of a kernel PCA.

mod noise;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use mercer::data::{Dense, LabelColumn, Points, Table, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::file::Saved;
use mercer::model::{Convergence, PcaModel, Way};
use serde_json::{Value, json};

use super::convert::write_table;
use super::transform::no_components;
use crate::args::{ModelArgs, Word, words};
use crate::failure::{Result, usage};
use crate::input::{scaled, vectors};
use crate::models::{data_and_model, load, read};
use crate::output::{count, is_stdout, range, save, seconds, short};
use crate::plot::{self, Images};
use crate::report::line;
use crate::system;
pub(super) use noise::{Noise, parse as parse_noise};

#[derive(Debug, Args)]
pub(crate) struct DenoiseArgs {
    /// How a projection becomes a row again [default: by the kernel]
    #[arg(long, value_parser = words(&WAYS))]
    way: Option<fn() -> Way>,
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
    #[arg(long, value_name = "KIND=SIZE", value_parser = parse_noise)]
    noise: Option<Noise>,
    /// A second model for the same rows, as a linear PCA
    #[arg(long, value_name = "MODEL")]
    beside: Option<PathBuf>,
    /// Draw some of the rows as images: as they are, noisy, denoised (SVG)
    #[arg(long, visible_alias = "figure", value_name = "FILE", requires = "shape")]
    panel: Option<PathBuf>,
    /// Height and width of the images of --panel, such as 16x16
    #[arg(long, value_name = "HxW", value_parser = shape)]
    shape: Option<(usize, usize)>,
    #[command(flatten)]
    files: ModelArgs,
}

/// Ways back from components.
const WAYS: [Word<fn() -> Way>; 4] = [
    ("linear", "Exact, for the kernel linear", || Way::Linear),
    ("fixed-point", "Steps until they rest, for the kernel rbf", Way::fixed_point),
    ("distances", "Distances to neighbours", Way::distances),
    ("ridge", "A regression from components to rows, for all kernels", Way::ridge),
];

/// `HxW`
pub(super) fn shape(text: &str) -> Result<(usize, usize), String> {
    let number = |word: &str| word.parse().ok().filter(|&number: &usize| number > 0);
    text.split_once('x')
        .and_then(|(height, width)| Some((number(height)?, number(width)?)))
        .ok_or_else(|| "expected height and width, such as 16x16".into())
}

/// Images of a panel.
const SHOWN: usize = 10;

impl DenoiseArgs {
    /// What `mercer plot denoising` asks for: a panel, and nothing besides.
    pub(super) fn of_figure(
        files: ModelArgs,
        shape: (usize, usize),
        noise: Option<Noise>,
        components: Vec<usize>,
    ) -> Self {
        let (way, steps, neighbours, lambda) = (None, None, None, None);
        let (clean, beside, panel) = (None, None, None);
        let shape = Some(shape);
        Self { way, components, steps, neighbours, lambda, clean, noise, beside, panel, shape, files }
    }
}

/// The panel of a denoising, and what is said of it.
pub(super) fn drawn(args: &DenoiseArgs) -> Result<(String, String)> {
    let started = Instant::now();
    let Denoised { rows, labels, answers, .. } = Denoised::of(args, &args.files.data, &args.files.model)?;
    let noisy = rows.error(&rows.noisy);
    let text = summary(args, &rows, noisy, &answers, started.elapsed().as_secs_f64());
    Ok((panel(args, &rows, labels.as_ref(), &answers), text))
}

/// Rows, what is known of them, and what each model made of them.
struct Denoised {
    rows: Task,
    labels: Option<LabelColumn>,
    names: Vec<String>,
    answers: Vec<Answer>,
}

impl Denoised {
    fn of(args: &DenoiseArgs, data: &Path, model: &Path) -> Result<Self> {
        let (rows, labels, names) = rows(args, data, model)?;
        let features = rows.noisy.columns();
        if let Some((height, width)) =
            args.shape.filter(|&(height, width)| height.checked_mul(width) != Some(features))
        {
            return Err(usage!("--shape {height}x{width}: a row has {features} features"));
        }
        let mut answers = vec![denoise(args, model, args.way, &rows)?];
        if let Some(path) = &args.beside {
            answers.push(denoise(args, path, None, &rows)?);
        }
        Ok(Self { rows, labels, names, answers })
    }
}

pub(crate) fn run(args: &DenoiseArgs) -> Result<()> {
    system::start_threads(args.files.common.threads)?;
    let [data, model] = data_and_model(&args.files, &args.panel, &[&args.clean, &args.beside])?;
    let started = Instant::now();
    let Denoised { rows, labels, names, answers } = Denoised::of(args, data, model)?;
    if let Some(path) = &args.panel {
        save(path, &panel(args, &rows, labels.as_ref(), &answers))?;
    }
    let quiet_out = args.panel.is_some() || rows.clean.is_some();
    if args.files.out.is_some() || !quiet_out {
        let points = Vectors::from(answers[0].rows.clone());
        write_table(args.files.output(), &Table { points, labels, encoding: None, names }, None)?;
    }
    let noisy = rows.error(&rows.noisy);
    let text = summary(args, &rows, noisy, &answers, started.elapsed().as_secs_f64());
    let piped = !quiet_out && is_stdout(args.files.output());
    args.files.common.tell(&text, piped, || object(&rows, noisy, &answers))
}

/// What is denoised, in the units of the data file, and what it is compared with.
struct Task {
    noisy: Dense<f64>,
    clean: Option<Dense<f64>>,
}

impl Task {
    /// The mean square error of rows, where that is known.
    fn error(&self, found: &Dense<f64>) -> Option<f64> {
        let clean = self.clean.as_ref()?.values();
        let squares = found.values().iter().zip(clean).map(|(a, b)| (a - b).powi(2));
        Some(squares.sum::<f64>() / clean.len().max(1) as f64)
    }
}

fn rows(args: &DenoiseArgs, data: &Path, model: &Path) -> Result<(Task, Option<LabelColumn>, Vec<String>)> {
    let read = |saved: &mut Saved, file: &Path| -> Result<_> {
        let (points, labels) = read(saved, file, args.files.data_options.options())?;
        Ok((vectors(points, "denoising")?, labels))
    };
    let (_, mut saved) = load(model)?;
    let (points, labels) = read(&mut saved, data)?;
    let names = if saved.names.len() == points.width() { saved.names.clone() } else { Vec::new() };
    let mut rows = Task { noisy: undone(&saved, &points), clean: None };
    if let Some(file) = &args.clean {
        let (clean, _) = read(&mut load(model)?.1, file)?;
        let (found, given, file) = (clean.len(), points.len(), file.display());
        if found != given {
            return Err(usage!("--clean: {file} has {found} rows, the data {given}"));
        }
        rows.clean = Some(undone(&saved, &clean.with_width(points.width())));
    }
    if let Some(kind) = args.noise {
        let noisy = noise::add(&rows.noisy, kind, args.files.common.seed);
        rows = Task { clean: Some(rows.noisy), noisy };
    }
    Ok((rows, labels, names))
}

/// All features in the units of the data file.
pub(super) fn undone(saved: &Saved, points: &Vectors) -> Dense<f64> {
    let d = points.width();
    let mut values = vec![0.0; points.len() * d];
    for (i, row) in values.chunks_mut(d.max(1)).enumerate() {
        points.row(i).for_each(|k, value| row[k] = value);
    }
    let dense = Dense::new(d, values);
    match &saved.scaler {
        Some(scaler) if scaler.width() == d => scaler.undo(&dense),
        _ => dense,
    }
}

/// A way with what the options say of it.
fn adjusted(way: Way, args: &DenoiseArgs) -> Way {
    match way {
        Way::FixedPoint { steps, tolerance } => {
            Way::FixedPoint { steps: args.steps.unwrap_or(steps), tolerance }
        }
        Way::Distances { neighbours } => Way::Distances { neighbours: args.neighbours.unwrap_or(neighbours) },
        Way::Ridge { kernel, lambda } => Way::Ridge { kernel, lambda: args.lambda.unwrap_or(lambda) },
        other => other,
    }
}

/// What a model made of the rows.
struct Answer {
    words: String,
    way: &'static str,
    /// Numbers of components that were tried, and the error of each where it is known.
    tried: Vec<(usize, Option<f64>)>,
    /// The number that was taken, and its error.
    taken: usize,
    error: Option<f64>,
    rows: Dense<f64>,
    convergence: Vec<Convergence>,
}

fn denoise(args: &DenoiseArgs, path: &Path, way: Option<fn() -> Way>, rows: &Task) -> Result<Answer> {
    let (_, mut saved) = load(path)?;
    let expected = saved.model.width();
    let points =
        vectors(scaled(saved.scaler.as_ref(), Vectors::from(rows.noisy.clone()).into()), "denoising")?;
    if points.width() < expected {
        return Err(usage!("{}: the model has {expected} features", path.display()));
    }
    if points.width() > expected {
        saved.model.widen(points.width());
    }
    let Some(model) = saved.model.downcast::<PcaModel<Vectors, VectorExpr>>() else {
        return Err(no_components(path, &saved.model));
    };
    let kernel = model.expansion.kernel();
    let way = adjusted(way.map_or_else(|| Way::for_kernel(kernel), |way| way()), args);
    way.check(kernel)?;
    let mut counts: Vec<usize> = args.components.iter().map(|&k| k.min(model.components())).collect();
    counts.dedup();
    if counts.is_empty() {
        counts.push(model.components());
    }
    if counts.len() > 1 && rows.clean.is_none() {
        return Err(usage!("--components: several numbers need --clean or --noise to choose by"));
    }
    let mut best: Option<Answer> = None;
    let mut tried = Vec::new();
    for taken in counts {
        let found = model.first(taken)?.denoise(&points, &way)?;
        let (found, convergence) = (undone(&saved, &Vectors::from(found.points)), found.convergence);
        let error = rows.error(&found);
        tried.push((taken, error));
        if best.as_ref().is_none_or(|best| error < best.error) {
            let words = format!("kpca, {kernel}, {}", count(taken, "component"));
            let (way, tried) = (name(&way), Vec::new());
            best = Some(Answer { words, way, tried, taken, error, rows: found, convergence });
        }
    }
    let best = best.ok_or_else(|| usage!("--components: none"))?;
    Ok(Answer { tried, ..best })
}

fn name(way: &Way) -> &'static str {
    match way {
        Way::Linear => "linear",
        Way::FixedPoint { .. } => "fixed point",
        Way::Distances { .. } => "distances",
        _ => "ridge",
    }
}

/// Some rows as images: the first of each class, or the first.
fn panel(args: &DenoiseArgs, rows: &Task, labels: Option<&LabelColumn>, answers: &[Answer]) -> String {
    let shape = args.shape.unwrap_or((1, rows.noisy.columns()));
    let mut shown: Vec<usize> = match labels.map(LabelColumn::labels) {
        Some(labels) if labels.classes().len() > 1 => {
            let first = |class: usize| labels.index().iter().position(|&index| index as usize == class);
            let mut first: Vec<usize> = (0..labels.classes().len()).filter_map(first).collect();
            first.sort_by_key(|&i| (labels.name(i).len(), labels.name(i).to_owned()));
            first
        }
        _ => (0..rows.noisy.len()).collect(),
    };
    shown.truncate(SHOWN);
    let row = |name: String, from: &Dense<f64>, error: Option<f64>| Images {
        name,
        remark: error.map_or(String::new(), |error| format!("mean square error {}", short(error))),
        images: shown.iter().map(|&i| from.row(i).to_vec()).collect(),
    };
    let mut all = Vec::new();
    all.extend(rows.clean.as_ref().map(|clean| row("original".into(), clean, None)));
    all.push(row("noisy".into(), &rows.noisy, rows.error(&rows.noisy)));
    for answer in answers.iter().rev() {
        let kind = if answer.way == "linear" { "linear PCA" } else { "kernel PCA" };
        all.push(row(format!("{kind}, {}", answer.taken), &answer.rows, answer.error));
    }
    let [low, high] = range(rows.clean.as_ref().unwrap_or(&rows.noisy).values());
    plot::panel(&all, shape, [low, high.max(low + f64::MIN_POSITIVE)], "Denoised images")
}

fn summary(args: &DenoiseArgs, rows: &Task, noisy: Option<f64>, answers: &[Answer], time: f64) -> String {
    let (n, features) = (count(rows.noisy.len(), "row"), count(rows.noisy.columns(), "feature"));
    let mut text = line("data", format!("{n}, {features}"));
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
                let error = short(*error);
                text += &line("", format!("{components:>5} components  mean square error {error}{mark}"));
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

fn object(rows: &Task, noisy: Option<f64>, answers: &[Answer]) -> Value {
    let one = |answer: &Answer| {
        let tried = |&(components, error): &(usize, Option<f64>)| json!({ "components": components, "mean_square_error": error });
        json!({
            "way": answer.way, "components": answer.taken, "mean_square_error": answer.error,
            "tried": answer.tried.iter().map(tried).collect::<Vec<_>>(),
            "converged": answer.convergence.iter().filter(|how| how.converged).count(),
        })
    };
    json!({
        "rows": rows.noisy.len(), "noise_mean_square": noisy,
        "models": answers.iter().map(one).collect::<Vec<_>>(),
    })
}
