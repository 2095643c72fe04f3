//! `mercer train` for the methods that are linear algebra on a Gram matrix: read, fit, save, say how good it is.

mod cca;
mod fisher;
mod kpca;
mod ridge;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use mercer::data::{Points, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::Machine;
use mercer::model::file::Saved;
use mercer::solve::{Follow, Stage};
use serde_json::{Map, Value, json};

use crate::args::{MethodArg, TrainArgs};
use crate::failure::{Failure, Result};
use crate::output::{answer, answer_json, count, remark, seconds};
use crate::progress::Follower;
use crate::system;
use crate::train::{Input, check_parameters, default_kernel, left_for_rows, model_path};

/// A fitted machine and what is said of it.
pub(crate) struct Outcome {
    /// The machine.
    pub(crate) machine: Machine,
    /// What the data have beside the points, behind a comma.
    pub(crate) beside: String,
    /// Lines of the report: what they are about, and what there is to say.
    pub(crate) lines: Vec<(&'static str, String)>,
    /// Members of the object of `--json`.
    pub(crate) facts: Vec<(&'static str, Value)>,
    /// What the user should know although there is a model.
    pub(crate) warning: Option<String>,
}

/// What every method is given.
pub(crate) struct Given<'a> {
    /// What was typed.
    pub(crate) args: &'a TrainArgs,
    /// The points.
    pub(crate) x: &'a Vectors,
    /// The kernel, checked.
    pub(crate) kernel: VectorExpr,
    /// A weight for each row; empty for 1.
    pub(crate) weights: Vec<f64>,
    /// Bytes that the fit may take; none for what the machine has.
    pub(crate) memory: Option<usize>,
}

/// Runs the command.
pub(crate) fn train(args: &TrainArgs) -> Result<()> {
    mercer::return_freed_memory();
    let threads = system::start_threads(args.common.threads)?;
    system::listen_for_interrupt()?;
    let path = model_path(args)?;
    check_parameters(args)?;
    refuse(args)?;
    let started = Instant::now();
    let mut input = Input::read(args)?;
    mercer::return_freed_memory();
    let read_seconds = started.elapsed().as_secs_f64();

    let started = Instant::now();
    let outcome = fit(args, &mut input)?;
    let fit_seconds = started.elapsed().as_secs_f64();
    let (rows, features) = (input.x.len(), input.x.width());
    let Outcome { machine, beside, lines, facts, warning } = outcome;
    let saved = input.saved(machine, None);
    saved.save(&path)?;
    if let Some(warning) = warning {
        remark(format_args!("mercer: {warning}"));
    }
    let kernel = saved.model.expansion().kernel().to_string();
    let mut text = line(
        "data",
        &format!(
            "{}, {}{beside}, read in {}",
            count(rows, "row"),
            count(features, "feature"),
            seconds(read_seconds),
        ),
    );
    text += &line("kernel", &kernel);
    lines.iter().for_each(|(name, value)| text += &line(name, value));
    text += &line("work", &seconds(fit_seconds));
    text += &line("model", &path.display().to_string());
    match (args.common.quiet, args.common.json) {
        (true, _) => {}
        (false, true) => remark(text.trim_end()),
        (false, false) => answer(text)?,
    }
    if args.common.json {
        let mut object = object(&saved, &path, &kernel, (rows, features));
        object.extend(facts.into_iter().map(|(name, value)| (name.to_owned(), value)));
        let cost = [("read_seconds", json!(read_seconds)), ("fit_seconds", json!(fit_seconds))];
        object.extend(cost.map(|(name, value)| (name.to_owned(), value)));
        object.insert("threads".into(), json!(threads));
        object.insert("peak_bytes".into(), json!(system::peak_bytes()));
        answer_json(&object)?;
    }
    Ok(())
}

fn line(name: &str, value: &str) -> String {
    format!("{name:<12} {value}\n")
}

fn object(saved: &Saved, path: &Path, kernel: &str, size: (usize, usize)) -> Map<String, Value> {
    let object = json!({
        "method": saved.model.method(),
        "kernel": kernel,
        "rows": size.0,
        "features": size.1,
        "model": path.display().to_string(),
    });
    match object {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Refuses what only machines that are quadratic programmes have.
fn refuse(args: &TrainArgs) -> Result<()> {
    let solver = &args.solver;
    let given = [
        ("--multiclass", args.multiclass.is_some()),
        ("--multilabel", args.multilabel),
        ("--probability", args.probability.is_some()),
        ("--libsvm", args.libsvm),
        ("--working-set", solver.working_set.is_some()),
        ("--first-order", solver.first_order),
        ("--exact", solver.exact),
        ("--trace", solver.trace.is_some()),
        ("--no-shrinking", solver.no_shrinking),
        ("--cache", solver.cache.is_some()),
        ("--time-limit", solver.time_limit.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((name, _)) => {
            let method = args.method.name();
            Err(Failure::Usage(format!("{name}: --method {method} is no support vector machine")))
        }
    }
}

fn fit(args: &TrainArgs, input: &mut Input) -> Result<Outcome> {
    let kernel = args.kernel.clone().unwrap_or_else(|| default_kernel(input.x.width()));
    kernel.check()?;
    let weights = input.weights(args)?;
    let memory = args.solver.memory.map(left_for_rows).transpose()?;
    let x = input.x.clone();
    let given = Given { args, x: &x, kernel, weights, memory };
    match args.method {
        MethodArg::Ridge => ridge::fit(&given, input),
        MethodArg::Fisher => fisher::fit(&given, input),
        MethodArg::Cca => cca::fit(&given),
        MethodArg::Kpca => kpca::fit(&given),
        method => Err(Failure::Unsupported(format!("--method {} here", method.name()))),
    }
}

/// Works with a bar on the terminal; Ctrl-C ends without an answer.
pub(crate) fn followed<T>(
    quiet: bool,
    work: impl FnOnce(Follow<'_>) -> mercer::Result<T>,
) -> mercer::Result<T> {
    let mut follower = Follower::new(quiet);
    system::fitting(|| work(&mut |stage: &Stage| follow(&mut follower, stage)))
}

fn follow(follower: &mut Follower, stage: &Stage) -> ControlFlow<()> {
    follower.look(stage);
    if system::stop_wanted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
