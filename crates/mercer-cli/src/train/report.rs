//! What is said of a finished fit.

use std::path::Path;

use mercer::model::file::Saved;
use mercer::model::probability::{Estimate, Settings};
use mercer::model::{Machine, VoteRule};
use mercer::solve::{Phases, Stop};
use serde::{Serialize, Serializer};

use crate::args::TrainArgs;
use crate::early;
use crate::failure::{Failure, Result, code};
use crate::fit::{Totals, warning};
use crate::models::{method_name, parameters};
use crate::multiclass::Many;
use crate::output::{answer, answer_json, count, remark, rough, seconds, short};
use crate::probability::{folds_used, words};
use crate::task::Task;

/// Class names longer than this together are counted, not listed.
const NAMES_SHOWN: usize = 60;

/// What the fit took.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Cost {
    pub(super) threads: usize,
    pub(super) read_seconds: f64,
    pub(super) fit_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) probability_seconds: Option<f64>,
    pub(super) save_seconds: f64,
    /// Seconds in each part of the solver, summed over pairs that run side by side.
    #[serde(serialize_with = "by_name")]
    pub(super) phases: Phases,
    pub(super) peak_bytes: Option<u64>,
}

fn by_name<S: Serializer>(phases: &Phases, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(phases.parts().map(|(name, span)| (name, span.0.as_secs_f64())))
}

/// A finished fit.
pub(super) struct Outcome<'a> {
    pub(super) task: &'a Task,
    pub(super) saved: &'a Saved,
    /// How probabilities were learnt.
    pub(super) settings: Option<Settings>,
    pub(super) rows: usize,
    pub(super) features: usize,
    pub(super) path: &'a Path,
    pub(super) cost: Cost,
}

impl Outcome<'_> {
    /// How more than two classes were made of machines, where it is not a vote of pairs.
    fn multiclass(&self) -> Option<&'static str> {
        match &self.saved.model {
            Machine::Classifier(model) if model.rule == VoteRule::Sum => Some("ovo-sum"),
            Machine::Scores(_) => Some(self.method()),
            _ => None,
        }
    }

    fn method(&self) -> &'static str {
        method_name(&self.saved.model, self.saved.training.as_ref())
    }

    /// R² of a sphere.
    fn square_radius(&self) -> Option<f64> {
        match &self.saved.model {
            Machine::Sphere(sphere) => Some(sphere.square_radius),
            _ => None,
        }
    }
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    multiclass: Option<&'static str>,
    kernel: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    c: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nu: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<f64>,
    tolerance: f64,
    rows: usize,
    features: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class_names: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    square_radius: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<&'static str>,
    support_vectors: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    cells: Option<early::Summary>,
    /// Objective and gap are of the whole problem: none of a machine of cells.
    objective: Option<f64>,
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
pub(super) fn report(args: &TrainArgs, outcome: &Outcome<'_>) -> Result<()> {
    let model = &outcome.saved.model;
    // Labels that all rows have, or none, need no machine.
    let totals = Totals::of_machine(model).unwrap_or(Totals::NOTHING);
    if let Some(warning) = warning(&totals, args.violation()) {
        remark(format_args!("mercer: {warning}"));
    }
    let text = summary(outcome, &totals);
    match (args.common.quiet, args.common.json) {
        (true, _) => {}
        (false, true) => remark(text.trim_end()),
        (false, false) => answer(text)?,
    }
    if args.common.json {
        let (training, classes) = (outcome.saved.training.as_ref(), model.classes());
        let cells = early::Summary::of(model, &totals);
        answer_json(&Report {
            method: outcome.method(),
            multiclass: outcome.multiclass(),
            kernel: model.expansion().kernel().to_string(),
            c: training.and_then(|training| training.c),
            nu: training.and_then(|training| training.nu),
            epsilon: training.and_then(|training| training.epsilon),
            tolerance: args.violation(),
            rows: outcome.rows,
            features: outcome.features,
            classes: classes.map(<[String]>::len),
            class_names: classes,
            square_radius: outcome.square_radius(),
            probability: outcome.saved.probability.as_ref().map(Estimate::method),
            support_vectors: early::support_points(model),
            objective: cells.is_none().then_some(totals.objective),
            gap: totals.gap.filter(|_| cells.is_none()),
            cells,
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

/// What the data have beside the points, behind a comma.
fn beside(task: &Task) -> String {
    match task {
        Task::Svc(_, y)
        | Task::Local(_, y)
        | Task::NuSvc(_, y)
        | Task::Many(Many::Together(_, y) | Many::OneVsAll(_, y)) => names(y.classes(), "class"),
        Task::Many(Many::MultiLabel(_, y)) => names(y.names(), "label"),
        Task::Svr(_, y) => {
            let (low, high) = y.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &target| {
                (low.min(target), high.max(target))
            });
            format!(", targets from {} to {}", short(low), short(high))
        }
        Task::OneClass(_) | Task::Svdd(_) => String::new(),
    }
}

fn names(names: &[String], what: &str) -> String {
    let listed = names.join(", ");
    let listed = if listed.len() <= NAMES_SHOWN { format!(" ({listed})") } else { String::new() };
    format!(", {}{listed}", count(names.len(), what))
}

/// The line about the machine; a classifier by votes, the default, has none.
fn machine(outcome: &Outcome<'_>) -> String {
    let Some(training) = &outcome.saved.training else { return String::new() };
    if outcome.saved.model.classifier().is_some() {
        let scheme = outcome.multiclass();
        return scheme.map_or(String::new(), |scheme| {
            format!("machine      {}, {scheme}, {}\n", outcome.method(), parameters(training))
        });
    }
    let radius = outcome.square_radius().map_or(String::new(), |r| format!(", R² = {}", short(r)));
    format!("machine      {}, {}{radius}\n", outcome.method(), parameters(training))
}

fn summary(outcome: &Outcome<'_>, totals: &Totals) -> String {
    let Outcome { task, saved, rows, features, path, cost, .. } = outcome;
    let expansion = saved.model.expansion();
    let (summed, apart) = match early::cells(&saved.model) {
        Some(_) => (" summed over the cells", "of the cells, not of the whole: "),
        None => ("", ""),
    };
    let gap = match (totals.gap, totals.relative_gap()) {
        (Some(gap), Some(share)) => format!("gap {} ({} of the objective)", rough(gap), percent(share)),
        (Some(gap), None) => format!("gap {}", rough(gap)),
        (None, _) => "no gap, since the kernel is not known to be positive semi-definite".into(),
    };
    format!(
        "data         {}, {}{}, read in {}\n\
         kernel       {}\n\
         {}{}\
         solution     {}, objective {}{}\n\
         certificate  {}{gap}, violation {}\n\
         work         {}: {} iterations, {} kernel rows, {}\n\
         {}\
         model        {}\n",
        count(*rows, "row"),
        count(*features, "feature"),
        beside(task),
        seconds(cost.read_seconds),
        expansion.kernel(),
        machine(outcome),
        early::line(&saved.model),
        count(early::support_points(&saved.model), "support point"),
        short(totals.objective),
        summed,
        apart,
        rough(totals.violation),
        totals.stop,
        totals.iterations,
        totals.rows.round(),
        seconds(cost.fit_seconds),
        probability(outcome),
        path.display(),
    )
}

/// The line about probabilities, where there are any.
fn probability(outcome: &Outcome<'_>) -> String {
    let Outcome { saved, settings: Some(settings), cost, .. } = outcome else { return String::new() };
    let Some(estimate) = &saved.probability else { return String::new() };
    let folds = match estimate {
        Estimate::Density(_) => String::new(),
        Estimate::Classes(_) | Estimate::Noise(_) => {
            format!(", from {} by seed {}", count(folds_used(outcome.task, settings), "fold"), settings.seed)
        }
    };
    let took = seconds(cost.probability_seconds.unwrap_or(0.0));
    format!("probability  {}{folds}, {took}\n", words(estimate))
}

fn percent(share: f64) -> String {
    format!("{} %", rough(100.0 * share))
}
