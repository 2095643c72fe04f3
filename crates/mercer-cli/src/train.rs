//! `mercer train`: read, fit, save, print the certificate.

use std::path::{Path, PathBuf};
use std::time::Instant;

use mercer::data::{self, Labels, Points, ReadOptions, Table, Vectors};
use mercer::kernel::{VectorExpr, rbf};
use mercer::model::file::Saved;
use mercer::model::{Svc, libsvm};
use mercer::solve::{Phases, Smo, Stop};
use serde::{Serialize, Serializer};

use crate::args::{ScaleArg, SolverArgs, TrainArgs};
use crate::failure::{Failure, InFile, Result, code};
use crate::fit::{Fitted, Model, Totals, fit, training, warning};
use crate::models::{check_libsvm, is_precomputed};
use crate::output::{answer, answer_json, count, remark, rough, seconds, short};
use crate::paths;
use crate::{scaling, system};

/// Memory that is neither data nor kernel rows: gradients, working sets, packed columns.
const OVERHEAD: u64 = 32 << 20;
/// Class names longer than this together are counted, not listed.
const NAMES_SHOWN: usize = 60;

/// Runs the command.
pub(crate) fn run(args: &TrainArgs) -> Result<()> {
    mercer::return_freed_memory();
    let threads = system::start_threads(args.common.threads)?;
    system::listen_for_interrupt()?;
    let path = args.model.clone().unwrap_or_else(|| default_model(&args.data, args.libsvm));
    paths::model_file(&path)?;
    paths::distinct(&path, &[&args.data])?;

    let started = Instant::now();
    let input = Input::read(args)?;
    mercer::return_freed_memory();
    let read_seconds = started.elapsed().as_secs_f64();

    let svc = estimator(args, &input)?;
    if args.libsvm {
        check_libsvm(&svc.kernel, input.y.classes())?;
    }
    let fitted = fit(&svc, &input.x, &input.y, args.common.quiet).in_file(&args.data)?;
    let Fitted { model, seconds: fit_seconds, phases } = fitted;
    let peak_bytes = system::peak_bytes();

    let started = Instant::now();
    let (rows, features) = (input.x.len(), input.x.width());
    let saved = input.saved(model, &svc);
    save(&saved, &path, args.libsvm)?;
    let save_seconds = started.elapsed().as_secs_f64();

    let cost = Cost { threads, read_seconds, fit_seconds, save_seconds, phases, peak_bytes };
    report(args, &Outcome { model: &saved.model, rows, features, path: &path, cost })
}

/// What the fit gets: points, classes, and how both came to be.
struct Input {
    x: Vectors,
    y: Labels,
    encoding: Option<data::Encoding>,
    scaler: Option<data::Scaler>,
    names: Vec<String>,
}

impl Input {
    fn read(args: &TrainArgs) -> Result<Self> {
        let precomputed = args.kernel.as_ref().is_some_and(is_precomputed);
        if precomputed && args.scale != ScaleArg::None {
            return Err(Failure::Usage(
                "--scale: the columns of a precomputed kernel are not features".into(),
            ));
        }
        let options = ReadOptions { precomputed, ..args.data_options.options() };
        let Table { points, labels, encoding, names } =
            data::read(&args.data, &options).in_file(&args.data)?;
        let labels = labels.ok_or_else(|| {
            let file = args.data.display();
            Failure::Usage(format!(
                "{file}: no labels; name their column by --label or their file by --labels"
            ))
        })?;
        let y = labels.labels().libsvm_order();
        y.check(points.len()).in_file(&args.data)?;
        let scaler = scaling::fit(args.scale, &points)?;
        let x = scaling::apply(scaler.as_ref(), points);
        Ok(Self { x, y, encoding, scaler, names })
    }

    fn saved(self, model: Model, svc: &Svc<VectorExpr>) -> Saved {
        Saved {
            scaler: self.scaler,
            encoding: self.encoding,
            names: self.names,
            training: Some(training(svc, self.y.classes())),
            ..Saved::from(model)
        }
    }
}

/// The data file's name with an ending, in the current folder.
fn default_model(data: &Path, libsvm: bool) -> PathBuf {
    let mut name = match data.file_name() {
        Some(name) if name != "-" => name.to_owned(),
        _ => "stdin".into(),
    };
    name.push(if libsvm { ".model" } else { ".mercer" });
    name.into()
}

fn estimator(args: &TrainArgs, input: &Input) -> Result<Svc<VectorExpr>> {
    let kernel = args.kernel.clone().unwrap_or_else(|| default_kernel(input.x.width()));
    kernel.check()?;
    let mut svc = Svc::new(kernel).c(args.c).tolerance(args.tolerance);
    for (class, weight) in &args.weights {
        let class = class.parse().map_or_else(|_| class.clone(), data::number_text);
        if !input.y.classes().contains(&class) {
            let file = args.data.display();
            return Err(Failure::Usage(format!("--weight {class}={weight}: {file} has no class '{class}'")));
        }
        svc = svc.class_weight(class, *weight);
    }
    svc.solver = solver(&args.solver, svc.solver)?;
    svc.check()?;
    Ok(svc)
}

/// rbf with γ = 1/features, as LIBSVM has it.
pub(crate) fn default_kernel(features: usize) -> VectorExpr {
    rbf(1.0 / features.max(1) as f64)
}

fn solver(args: &SolverArgs, default: Smo) -> Result<Smo> {
    let cache_bytes = match (args.cache, args.memory) {
        (Some(bytes), _) => bytes,
        (None, Some(bytes)) => left_for_rows(bytes)?,
        (None, None) => default.cache_bytes,
    };
    Ok(Smo {
        working_set: args.working_set,
        shrinking: !args.no_shrinking,
        cache_bytes,
        time_limit: args.time_limit,
        iteration_limit: args.max_iterations,
        ..default
    })
}

/// What a budget for the whole program leaves for kernel rows once the data are there.
fn left_for_rows(budget: usize) -> Result<usize> {
    let taken = system::resident_bytes().unwrap_or(0) + OVERHEAD;
    let left = (budget as u64).checked_sub(taken).filter(|&left| left > 0);
    left.map(|left| left as usize).ok_or_else(|| {
        let megabytes = |bytes: u64| bytes.div_ceil(1 << 20);
        let (budget, taken) = (megabytes(budget as u64), megabytes(taken));
        Failure::Usage(format!("--memory {budget}: the data and the program take {taken} MB already"))
    })
}

fn save(saved: &Saved, path: &Path, libsvm: bool) -> Result<()> {
    if libsvm {
        libsvm::write(&saved.model, path)?
    } else {
        saved.save(path)?
    }
    Ok(())
}

/// What the fit took.
#[derive(Debug, Clone, Copy, Serialize)]
struct Cost {
    threads: usize,
    read_seconds: f64,
    fit_seconds: f64,
    save_seconds: f64,
    /// Seconds in each part of the solver, summed over pairs that run side by side.
    #[serde(serialize_with = "by_name")]
    phases: Phases,
    peak_bytes: Option<u64>,
}

fn by_name<S: Serializer>(phases: &Phases, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(phases.parts().map(|(name, span)| (name, span.0.as_secs_f64())))
}

/// A finished fit.
struct Outcome<'a> {
    model: &'a Model,
    rows: usize,
    features: usize,
    path: &'a Path,
    cost: Cost,
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    method: &'static str,
    kernel: String,
    c: f64,
    tolerance: f64,
    rows: usize,
    features: usize,
    classes: usize,
    class_names: &'a [String],
    support_vectors: usize,
    objective: f64,
    gap: Option<f64>,
    violation: f64,
    iterations: u64,
    kernel_rows: f64,
    stop: &'static str,
    model: String,
    seed: u64,
    #[serde(flatten)]
    cost: Cost,
}

/// Tells how it went; a fit that was interrupted says so by its exit code.
fn report(args: &TrainArgs, outcome: &Outcome<'_>) -> Result<()> {
    let model = outcome.model;
    let Some(totals) = Totals::of(&model.certificates) else { return Ok(()) };
    if let Some(warning) = warning(&totals, args.tolerance) {
        remark(format_args!("mercer: {warning}"));
    }
    let text = summary(outcome, &totals);
    match (args.common.quiet, args.common.json) {
        (true, _) => {}
        (false, true) => remark(text.trim_end()),
        (false, false) => answer(text)?,
    }
    if args.common.json {
        answer_json(&Report {
            method: "c-svc",
            kernel: model.expansion.kernel.to_string(),
            c: args.c,
            tolerance: args.tolerance,
            rows: outcome.rows,
            features: outcome.features,
            classes: model.classes.len(),
            class_names: &model.classes,
            support_vectors: model.expansion.points.len(),
            objective: totals.objective,
            gap: totals.gap,
            violation: totals.violation,
            iterations: totals.iterations,
            kernel_rows: totals.rows,
            stop: totals.stop.name(),
            model: outcome.path.display().to_string(),
            seed: args.common.seed,
            cost: outcome.cost,
        })?;
    }
    if totals.stop == Stop::Interrupted { Err(Failure::Answer(code::INTERRUPTED)) } else { Ok(()) }
}

fn summary(outcome: &Outcome<'_>, totals: &Totals) -> String {
    let Outcome { model, rows, features, path, cost } = outcome;
    let names = model.classes.join(", ");
    let names = if names.len() <= NAMES_SHOWN { format!(" ({names})") } else { String::new() };
    let gap = match (totals.gap, totals.relative_gap()) {
        (Some(gap), Some(share)) => format!("gap {} ({} of the objective)", rough(gap), percent(share)),
        (Some(gap), None) => format!("gap {}", rough(gap)),
        (None, _) => "no gap, since the kernel is not known to be positive semi-definite".into(),
    };
    format!(
        "data         {}, {}, {}{names}, read in {}\n\
         kernel       {}\n\
         solution     {}, objective {}\n\
         certificate  {gap}, violation {}\n\
         work         {}: {} iterations, {} kernel rows, {}\n\
         model        {}\n",
        count(*rows, "row"),
        count(*features, "feature"),
        count(model.classes.len(), "class"),
        seconds(cost.read_seconds),
        model.expansion.kernel,
        count(model.expansion.points.len(), "support point"),
        short(totals.objective),
        rough(totals.violation),
        totals.stop,
        totals.iterations,
        totals.rows.round(),
        seconds(cost.fit_seconds),
        path.display(),
    )
}

fn percent(share: f64) -> String {
    format!("{} %", rough(100.0 * share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_named_after_their_data() {
        assert_eq!(default_model(Path::new("a/b.txt.gz"), false), Path::new("b.txt.gz.mercer"));
        assert_eq!(default_model(Path::new("heart"), true), Path::new("heart.model"));
        assert_eq!(default_model(Path::new("-"), false), Path::new("stdin.mercer"));
    }

    #[test]
    fn a_budget_smaller_than_the_program_is_refused() {
        let failure = left_for_rows(1 << 20).unwrap_err();
        assert!(failure.to_string().starts_with("--memory 1: the data and the program take"), "{failure}");
        assert!(left_for_rows(usize::MAX / 2).unwrap() > 1 << 30);
    }
}
