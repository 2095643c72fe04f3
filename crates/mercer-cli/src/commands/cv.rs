//! `mercer cv`: how good a method is on rows that it has not seen.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use mercer::data::{self, Points};
use mercer::model::{Event, Space};
use mercer::select::{Interval, Summary, Task, Terms, Truth, Validation, cross_validate};
use serde_json::{Value, json};

use super::held_out::{HeldOutArgs, scale, truth, word};
use super::source::Source;
use crate::args::{CommonArgs, DataArgs, SCALINGS, Scaling, megabytes, words};
use crate::failure::{InFile, Result};
use crate::fit::ended;
use crate::input::Input;
use crate::method::{Choice, MethodArgs};
use crate::output::{count, save, seconds, short, table};
use crate::progress::Watcher;
use crate::report::line;
use crate::{paths, system};

/// Folds up to which each has a line of its own.
const FOLDS_SHOWN: usize = 20;

#[derive(Debug, Args)]
pub(crate) struct CvArgs {
    #[command(flatten)]
    asked: MethodArgs,
    #[command(flatten)]
    held_out: HeldOutArgs,
    /// File with a weight for each row in the fits, one number a line; scores count every row once
    #[arg(long = "weights", value_name = "FILE")]
    row_weights: Option<PathBuf>,
    /// Scale features by the rows of each fit
    #[arg(long, short, value_parser = words(&SCALINGS), default_value = "none")]
    scale: Scaling,
    /// Write what was said of each row left out (tab-separated: row, fold, truth, prediction)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Megabytes for the matrices of a fit
    #[arg(long, value_name = "MB", value_parser = megabytes)]
    memory: Option<usize>,
    /// Data file: LIBSVM text, CSV/TSV or NPY, also gzip or zstd; `-` is standard input
    data: PathBuf,
    #[command(flatten)]
    data_options: DataArgs,
    #[command(flatten)]
    common: CommonArgs,
}

pub(crate) fn run(args: &CvArgs) -> Result<()> {
    mercer::keep_little_freed_memory();
    let threads = system::start_threads(args.common.threads)?;
    let choice = Choice::of(&args.asked)?;
    if let Some(out) = &args.out {
        paths::distinct(out, &[&args.data])?;
    }
    let source = Source {
        asked: &args.asked,
        data: &args.data,
        data_options: &args.data_options,
        scale: args.scale,
        quiet: args.common.quiet,
    };
    let kernel = choice.kernel(&args.asked)?;
    let mut input = Input::read(&args.data, kernel.as_ref(), &source.options(&choice), Scaling::None)?;
    let y = source.targets(&choice, &mut input)?;
    let truth = truth(&y, &choice.card, &mut input, &args.data)?;
    let seed = args.common.seed;
    let splits = args.held_out.division(input.x.len())?.splits(input.x.len(), &y, seed)?;
    let metrics = args.held_out.metrics(&choice.card, truth.as_ref())?;
    let kernel = kernel.unwrap_or_else(|| input.x.usual_kernel());
    let estimator = choice.estimator(kernel.clone(), seed)?;
    estimator.check()?;
    let read = |file: &PathBuf| data::read_weights(file, input.x.len());
    let weights = args.row_weights.as_ref().map(read).transpose()?.unwrap_or_default();
    let scale = scale(args.scale, &input.x)?;

    let task = Task { x: &input.x, y: &y, truth: truth.as_ref(), weights: &weights, scale };
    let (started, mut watcher) = (Instant::now(), Watcher::new(1.0, args.common.quiet, None));
    let mut look = |event: Event<'_>| watcher.look(event);
    let terms = Terms { memory: args.memory, watcher: Some(&mut look) };
    let done = system::fitting(|| cross_validate(&estimator, &task, &splits, &metrics, terms));
    let validation = done.in_file(&args.data)?;
    watcher.finish()?;
    let found = Found {
        args,
        choice: &choice,
        kernel: kernel.to_string(),
        rows: input.x.len(),
        summaries: match &truth {
            Some(truth) => metrics
                .iter()
                .map(|&metric| validation.summary(metric, truth, seed))
                .collect::<mercer::Result<_>>()?,
            None => Vec::new(),
        },
        validation,
        threads,
        seconds: started.elapsed().as_secs_f64(),
    };
    if let Some(out) = &args.out {
        save(out, &found.predictions(truth.as_ref()))?;
    }
    args.common
        .tell(&found.text(), args.out.as_deref().is_some_and(crate::output::is_stdout), || found.object())?;
    ended(None)
}

/// What was found.
struct Found<'a> {
    args: &'a CvArgs,
    choice: &'a Choice,
    kernel: String,
    rows: usize,
    validation: Validation,
    summaries: Vec<Summary>,
    threads: usize,
    seconds: f64,
}

impl Found<'_> {
    fn text(&self) -> String {
        let (card, held_out) = (&self.choice.card, &self.args.held_out);
        let mut text = line("method", format!("{}, {}", card.name, card.summary));
        text += &line("kernel", &self.kernel);
        let again =
            if held_out.repeats > 1 { format!(", drawn {} times", held_out.repeats) } else { String::new() };
        let done = count(self.validation.trials.len(), "fit");
        let short_of = if self.validation.trials.len() < self.validation.asked {
            format!(" of {}: interrupted", self.validation.asked)
        } else {
            String::new()
        };
        let rows = count(self.rows, "row");
        text +=
            &line("folds", format!("{}{again} of {rows}, seed {}", held_out.scheme, self.args.common.seed));
        text +=
            &line("work", format!("{done}{short_of} in {}, threads {}", seconds(self.seconds), self.threads));
        if !self.summaries.is_empty() {
            let _ = write!(text, "\n{}", table(&self.score_rows()));
        }
        let trials = &self.validation.trials;
        if trials.len() <= FOLDS_SHOWN && !self.summaries.is_empty() {
            let head = ["fold", "rows", "fitted to", self.validation.metrics[0].name(), "support points"];
            let rows = trials.iter().map(|trial| {
                let Score { text } = Score::of(trial.scores[0]);
                let numbers = [trial.split + 1, trial.out.len(), trial.fitted].map(|n| n.to_string());
                let [fold, out, fitted] = numbers;
                [fold, out, fitted, text, trial.support_points.to_string()]
            });
            let rows: Vec<_> = [head.map(str::to_owned)].into_iter().chain(rows).collect();
            let _ = write!(text, "\n{}", table(&rows));
        }
        text
    }

    fn score_rows(&self) -> Vec<[String; 5]> {
        let head = ["score", "mean", "spread", "all rows", "95 % interval"].map(str::to_owned);
        let row = |summary: &Summary| {
            let [mean, spread, pooled] =
                [summary.mean, summary.spread, summary.pooled].map(|value| Score::of(value).text);
            let interval = summary.interval.map_or_else(
                || "-".to_owned(),
                |Interval { low, high, by }| format!("{} to {} ({by})", short(low), short(high)),
            );
            [summary.metric.name().to_owned(), mean, spread, pooled, interval]
        };
        [head].into_iter().chain(self.summaries.iter().map(row)).collect()
    }

    fn object(&self) -> Value {
        let Validation { metrics, trials, asked } = &self.validation;
        let metric = |summary: &Summary| {
            let interval = summary
                .interval
                .map(|Interval { low, high, by }| json!({ "low": low, "high": high, "by": by }));
            json!({
                "name": summary.metric.name(),
                "less_is_better": summary.metric.is_loss(),
                "mean": number(summary.mean),
                "spread": number(summary.spread),
                "standard_error": number(summary.standard_error(trials.len())),
                "all_rows": number(summary.pooled),
                "interval": interval,
            })
        };
        let fold = |trial: &mercer::select::Trial| {
            let scores: serde_json::Map<String, Value> = metrics
                .iter()
                .zip(&trial.scores)
                .map(|(metric, &score)| (metric.name().to_owned(), number(score)))
                .collect();
            json!({
                "fold": trial.split + 1,
                "rows": trial.out.len(),
                "fitted_to": trial.fitted,
                "scores": scores,
                "support_points": trial.support_points,
                "fit_seconds": trial.fit_seconds,
                "predict_seconds": trial.predict_seconds,
            })
        };
        json!({
            "method": self.choice.card.name,
            "kernel": self.kernel,
            "rows": self.rows,
            "folds": self.args.held_out.scheme.to_string(),
            "repeats": self.args.held_out.repeats,
            "seed": self.args.common.seed,
            "metrics": self.summaries.iter().map(metric).collect::<Vec<_>>(),
            "trials": trials.iter().map(fold).collect::<Vec<_>>(),
            "interrupted": trials.len() < *asked,
            "threads": self.threads,
            "seconds": self.seconds,
            "peak_bytes": system::peak_bytes(),
        })
    }

    /// A line for each row left out.
    fn predictions(&self, truth: Option<&Truth>) -> String {
        let names = match truth {
            Some(Truth::Classes { names, .. }) => names.clone(),
            _ => vec!["1".to_owned(), "-1".to_owned()],
        };
        let mut text = "row\tfold\ttruth\tprediction\n".to_owned();
        for trial in &self.validation.trials {
            for (place, &i) in trial.out.iter().enumerate() {
                let truth = truth.map(|truth| truth.text(i)).unwrap_or_default();
                let said = word(&trial.said, &names, place);
                let _ = writeln!(text, "{}\t{}\t{truth}\t{said}", i + 1, trial.split + 1);
            }
        }
        text
    }
}

/// A score as it is shown.
struct Score {
    text: String,
}

impl Score {
    fn of(value: f64) -> Self {
        Self { text: if value.is_finite() { short(value) } else { "-".to_owned() } }
    }
}

/// A number, none where it is not one.
fn number(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { Value::Null }
}
