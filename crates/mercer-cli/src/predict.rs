//! `mercer predict`: read, predict, write the labels, say how many are right.

use std::io::{self, Write};
use std::time::Instant;

use mercer::data::{Dense, Labels, Points};
use mercer::model::{pairs, vote};
use serde::Serialize;

use crate::args::PredictArgs;
use crate::failure::{InFile, Result};
use crate::fit::Model;
use crate::models::Prepared;
use crate::output::{answer, answer_json, is_stdout, remark, seconds, short, write_to};
use crate::paths;
use crate::system;

/// Predictions and, where they were asked for, the decisions they come from.
pub(crate) struct Predictions {
    /// One class a row.
    pub(crate) classes: Vec<usize>,
    decisions: Option<Dense<f64>>,
}

impl Predictions {
    /// Predicts all rows.
    pub(crate) fn of(model: &Model, points: &mercer::data::Vectors) -> mercer::Result<Self> {
        Ok(Self { classes: model.predict_index(points)?, decisions: None })
    }

    /// The same with decisions.
    fn with_decisions(model: &Model, points: &mercer::data::Vectors) -> mercer::Result<Self> {
        let decisions = model.decisions(points)?;
        let classes = (0..points.len()).map(|i| vote(decisions.row(i), model.classes.len())).collect();
        Ok(Self { classes, decisions: Some(decisions) })
    }

    /// How many have the label they should have.
    pub(crate) fn correct(&self, model: &Model, labels: &Labels) -> usize {
        let place = |name: &String| model.classes.iter().position(|class| class == name);
        let expected: Vec<Option<usize>> = labels.classes().iter().map(place).collect();
        let pairs = self.classes.iter().zip(labels.index());
        pairs.filter(|(found, label)| expected[**label as usize] == Some(**found)).count()
    }

    /// Labels, one a line.
    pub(crate) fn write(&self, model: &Model, out: &mut dyn Write) -> io::Result<()> {
        self.classes.iter().try_for_each(|&class| writeln!(out, "{}", model.classes[class]))
    }

    /// Labels and decisions, separated by tabs, under a line of names.
    fn write_decisions(&self, model: &Model, out: &mut dyn Write) -> io::Result<()> {
        let name = |class: usize| &model.classes[class];
        write!(out, "label")?;
        for (a, b) in pairs(model.classes.len()) {
            write!(out, "\t{} vs {}", name(a), name(b))?;
        }
        writeln!(out)?;
        for (i, &class) in self.classes.iter().enumerate() {
            write!(out, "{}", name(class))?;
            let decisions = self.decisions.as_ref().map_or(&[][..], |decisions| decisions.row(i));
            decisions.iter().try_for_each(|value| write!(out, "\t{value}"))?;
            writeln!(out)?;
        }
        Ok(())
    }
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report {
    rows: usize,
    accuracy: Option<f64>,
    correct: Option<usize>,
    read_seconds: f64,
    predict_seconds: f64,
    rows_per_second: f64,
    threads: usize,
    peak_bytes: Option<u64>,
}

/// Runs the command.
pub(crate) fn run(args: &PredictArgs) -> Result<()> {
    let threads = system::start_threads(args.common.threads)?;
    paths::model_file(&args.model)?;
    if let Some(out) = &args.out {
        paths::distinct(out, &[&args.data, &args.model])?;
    }
    let started = Instant::now();
    let mut prepared = Prepared::load(&args.model)?;
    let (points, labels) = prepared.read(&args.data, args.data_options.options())?;
    let read_seconds = started.elapsed().as_secs_f64();

    let started = Instant::now();
    let model = &prepared.model;
    let predict = if args.decisions { Predictions::with_decisions } else { Predictions::of };
    let predictions = predict(model, &points).in_file(&args.data)?;
    let predict_seconds = started.elapsed().as_secs_f64();

    let out = args.out.as_deref();
    write_to(out, |out| {
        if args.decisions { predictions.write_decisions(model, out) } else { predictions.write(model, out) }
    })?;
    let rows = points.len();
    let correct = labels.map(|labels| predictions.correct(model, &labels));
    let report = Report {
        rows,
        accuracy: correct.map(|correct| correct as f64 / rows as f64),
        correct,
        read_seconds,
        predict_seconds,
        rows_per_second: rows as f64 / predict_seconds.max(f64::MIN_POSITIVE),
        threads,
        peak_bytes: system::peak_bytes(),
    };
    let text = summary(&report);
    match (args.common.quiet, args.common.json || is_stdout(out)) {
        (true, _) => {}
        (false, true) => remark(text.trim_end()),
        (false, false) => answer(text)?,
    }
    if args.common.json { answer_json(&report) } else { Ok(()) }
}

fn summary(report: &Report) -> String {
    let accuracy = match (report.accuracy, report.correct) {
        (Some(share), Some(correct)) => {
            format!("accuracy  {} % ({correct} of {})\n", short(100.0 * share), report.rows)
        }
        _ => String::new(),
    };
    format!(
        "{accuracy}work      {} rows in {}, {:.0} rows/s\n",
        report.rows,
        seconds(report.predict_seconds),
        report.rows_per_second,
    )
}
