//! `mercer predict`: read, predict, write what was predicted, say how good it is.

use std::time::Instant;

use clap::Args;
use mercer::data::{Dense, write_atomic};
use mercer::model::file::Saved;
use mercer::model::probability::{Beside, Columns};
use mercer::model::{AnyPoints, Calibrates, Facts, How, Prediction, TargetKind};

use crate::args::ModelArgs;
use crate::failure::{InFile, Result, usage};
use crate::models::{load, no_probabilities, read, read_pieces};
use crate::output::{is_stdout, remark};
use crate::report::{Predicted, summary};
use crate::{paths, system};

#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    /// Write the decision of every pair of classes, or the score of one-class and svdd, beside the label, separated by
    /// tabs, under a line of names; where each class or label has a function, its value
    #[arg(long)]
    decisions: bool,
    /// Write the score of every class beside the label, of which the largest decides
    #[arg(long, conflicts_with = "decisions")]
    scores: bool,
    /// Write the probability of every class beside the most probable label, separated by tabs, under a line of names; of
    /// a regression the interval that holds nine targets of ten
    #[arg(long, conflicts_with_all = ["decisions", "scores"])]
    probabilities: bool,
    /// Write the standard deviation of each value beside it, separated by a tab, under a line of names: of a relevance vector
    /// machine
    #[arg(long, conflicts_with_all = ["decisions", "scores", "probabilities"])]
    deviations: bool,
    /// Read and predict piece by piece, for data larger than memory: of linear models. Memory is taken for predictions and labels alone
    #[arg(long)]
    stream: bool,
    #[command(flatten)]
    files: ModelArgs,
}

impl PredictArgs {
    /// What is to stand beside predictions, and the option that says so.
    fn columns(&self) -> Option<(&'static str, Columns)> {
        let all = [
            ("--decisions", self.decisions, Columns::Decisions),
            ("--scores", self.scores, Columns::Scores),
            ("--probabilities", self.probabilities, Columns::Probabilities),
            ("--deviations", self.deviations, Columns::Deviations),
        ];
        all.into_iter().find(|(_, given, _)| *given).map(|(name, _, columns)| (name, columns))
    }
}

pub(crate) fn run(args: &PredictArgs) -> Result<()> {
    let ModelArgs { data, model, data_options, common, .. } = &args.files;
    let (threads, out) = (system::start_threads(common.threads)?, args.files.output());
    paths::model_file(model)?;
    paths::distinct(out, &[data, model])?;
    let started = Instant::now();
    let (_, mut saved) = load(model)?;
    if let Some((option, columns)) = args.columns() {
        check(args, &saved, option, columns)?;
    }
    let columns = args.columns().map(|(_, columns)| columns);
    let (predicted, labels, [read_seconds, predict_seconds]) = if args.stream {
        let mut pieces = Pieces::default();
        let labels = read_pieces(&saved, data, data_options.options(), |points| {
            let started = Instant::now();
            pieces.append(predict(&saved, points, columns)?);
            pieces.seconds += started.elapsed().as_secs_f64();
            Ok(())
        })?;
        let both = started.elapsed().as_secs_f64();
        let (predicted, seconds) = pieces.finish(&saved);
        (predicted, labels, [both - seconds, seconds])
    } else {
        let (points, labels) = read(&mut saved, data, data_options.options())?;
        let read_seconds = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let (prediction, beside) = predict(&saved, &points, columns).in_file(data)?;
        let seconds = [read_seconds, started.elapsed().as_secs_f64()];
        (Predicted::new(&saved.model, prediction, beside), labels, seconds)
    };

    write_atomic(out, |out| predicted.write(out))?;
    if predicted.is_nothing() {
        remark(
            "mercer: no label is predicted for any row; try a larger C or another kernel, or look at --scores",
        );
    }
    let labels = labels.filter(|labels| predicted.is_comparable(labels));
    let judgement = labels.map(|labels| predicted.judge(&labels)).transpose().in_file(data)?.flatten();
    let cost = Facts::default()
        .with("read_seconds", read_seconds)
        .with("predict_seconds", predict_seconds)
        .with("rows_per_second", None::<f64>)
        .with("threads", threads)
        .with("peak_bytes", system::peak_bytes());
    let (text, object) = summary(&predicted, judgement, cost);
    common.tell(&text, is_stdout(out), || object)
}

/// Refuses columns that a model does not have.
fn check(args: &PredictArgs, saved: &Saved, option: &str, columns: Columns) -> Result<()> {
    let (model, file) = (&saved.model, args.files.model.display());
    let regression = matches!(model.target(), TargetKind::Number | TargetKind::Numbers);
    Err(match columns {
        _ if model.quality().is_of_parts() => {
            let why = "whose decisions do not compare with each other's";
            usage!("{option}: {file} has a machine for each cell (--early), {why}")
        }
        Columns::Decisions if regression => {
            usage!("{option}: {file} is a regression; its values are its predictions")
        }
        Columns::Scores if model.classes().is_empty() => usage!("{option}: {file} has no classes"),
        Columns::Probabilities if saved.probability.is_none() && model.calibrates() != Calibrates::Own => {
            let remedy = match model.calibrates() {
                Calibrates::Nothing => "no probabilities can be learnt for it",
                _ => "train it with --probability",
            };
            no_probabilities(&args.files.model, remedy)
        }
        _ => return Ok(()),
    })
}

/// What the model says of rows, and beside it what was asked for.
fn predict(
    saved: &Saved,
    points: &AnyPoints,
    columns: Option<Columns>,
) -> mercer::Result<(Prediction, Option<Beside>)> {
    let (model, how) = (&saved.model, How::default());
    let (prediction, beside) = match (columns, &saved.probability) {
        (None, _) => return Ok((model.predict(points, how)?, None)),
        (Some(Columns::Probabilities), Some(estimate)) => estimate.predict(model, points, how)?,
        (Some(columns), _) => model.predict_beside(points, columns, how)?,
    };
    Ok((prediction, Some(beside)))
}

/// What is said of the rows of all pieces.
#[derive(Default)]
struct Pieces {
    classes: Vec<usize>,
    values: Vec<f64>,
    names: Option<Vec<String>>,
    beside: Vec<f64>,
    seconds: f64,
}

impl Pieces {
    /// A linear model says classes or a value of each row.
    fn append(&mut self, (prediction, beside): (Prediction, Option<Beside>)) {
        match prediction {
            Prediction::Classes(classes) => self.classes.extend(classes),
            Prediction::Values(values) => self.values.extend(values.values()),
            _ => {}
        }
        if let Some(beside) = beside {
            self.beside.extend(beside.rows.values());
            self.names = Some(beside.names);
        }
    }

    fn finish(self, saved: &Saved) -> (Predicted<'_>, f64) {
        let prediction = match saved.model.classes() {
            [] => Prediction::Values(Dense::new(1, self.values)),
            _ => Prediction::Classes(self.classes),
        };
        let beside = self.names.map(|names| Beside { rows: Dense::new(names.len(), self.beside), names });
        (Predicted::new(&saved.model, prediction, beside), self.seconds)
    }
}
