//! `mercer train --method pegasos -`: one pass over standard input, of any length, with the loss of each row before it is learnt
//! from, in a table like Vowpal Wabbit's.

use std::path::Path;
use std::time::Instant;

use mercer::ErrorKind;
use mercer::data::{ColumnRef, Format, LabelColumn, ReadOptions, Vectors, number_text, read_labelled_pieces};
use mercer::kernel::{VectorExpr, linear};
use mercer::model::file::{Recipe, Saved};
use mercer::model::{Example, Facts, Pegasos, PegasosStream, Progressive, Value};

use crate::args::CommonArgs;
use crate::failure::{InFile, Result};
use crate::fit::ended;
use crate::method::Choice;
use crate::output::{count, remark, rough, seconds};
use crate::report::line;
use crate::system;

/// The head of the table, on two lines.
const HEAD: [[&str; 6]; 2] = [
    ["average", "since", "example", "current", "current", "current"],
    ["loss", "last", "counter", "label", "predict", "features"],
];

/// Whether the data are LIBSVM text of standard input that is to be read once: passes were not asked for.
pub(crate) fn is_stream(data: &Path, options: &ReadOptions, choice: &Choice) -> bool {
    let text = options.format.is_none_or(|format| format == Format::Libsvm);
    let labelled = options.labels_path.is_none() && options.label != Some(ColumnRef::Absent);
    let once = choice.given("passes").is_none() && choice.given("time-limit").is_none();
    data.as_os_str() == "-" && choice.card.name == "pegasos" && text && labelled && once
}

/// Learns from standard input and saves the model.
pub(crate) fn run(
    choice: &Choice,
    classes: &[String],
    path: &Path,
    threads: usize,
    common: &CommonArgs,
) -> Result<()> {
    let started = Instant::now();
    let mut stream = PegasosStream::new(settings(choice, common.seed)?, named(classes))?;
    let mut table = Table::new(common.quiet);
    let input = Path::new("-");
    let mut learn = |points: Vectors, labels: LabelColumn| {
        stream.learn_seen(&points, &labels.labels(), |example| table.see(&example))?;
        if system::stop_wanted() { Err(ErrorKind::Interrupted.into()) } else { Ok(()) }
    };
    match system::fitting(|| read_labelled_pieces(input, &mut learn)) {
        Err(error) if matches!(error.kind(), ErrorKind::Interrupted) => {}
        other => other.in_file(input)?,
    }
    let model = stream.model().in_file(input)?;
    let fit_seconds = started.elapsed().as_secs_f64();
    Saved { recipe: Some(recipe(choice, &stream)), ..Saved::from(model) }.save(path)?;
    table.end(stream.progressive());
    let told = Told { stream: &stream, path, threads, fit_seconds };
    common.tell(&told.text(), false, || told.object())?;
    ended(None)
}

/// The settings that were given.
fn settings(choice: &Choice, seed: u64) -> mercer::Result<Pegasos<VectorExpr>> {
    let mut settings = Pegasos::new(linear()).seed(seed);
    for about in &choice.card.parameters {
        choice.given(about.name).map_or(Ok(()), |value: &Value| settings.set(about.name, value))?;
    }
    Ok(settings)
}

/// What the model file says of the fit: the settings that were given, and λ.
fn recipe(choice: &Choice, stream: &PegasosStream) -> Recipe {
    let names = choice.card.parameters.iter().map(|about| about.name).filter(|name| *name != "alpha");
    let mut parameters: Vec<(String, Value)> =
        names.filter_map(|name| Some((name.to_owned(), choice.given(name)?.clone()))).collect();
    parameters.push(("alpha".to_owned(), Value::Number(stream.alpha())));
    parameters.sort_by(|a, b| a.0.cmp(&b.0));
    let rows = stream.progressive().examples as usize;
    let method = choice.card.name.to_owned();
    Recipe { method, parameters, rows, weight: rows as f64, prices: Vec::new() }
}

/// Class names as data have them: numbers by their shortest text.
fn named(classes: &[String]) -> Vec<String> {
    let name = |class: &String| class.trim().parse().map_or_else(|_| class.trim().to_owned(), number_text);
    classes.iter().map(name).collect()
}

/// The table on standard error: a line for the first row, the second, the fourth, the eighth, …
struct Table {
    quiet: bool,
    due: u64,
    last: Progressive,
}

impl Table {
    fn new(quiet: bool) -> Self {
        if !quiet {
            HEAD.map(cells).iter().for_each(remark);
        }
        Self { quiet, due: 1, last: Progressive::default() }
    }

    fn see(&mut self, example: &Example<'_>) {
        if example.progressive.examples < self.due {
            return;
        }
        self.due *= 2;
        if !self.quiet {
            let Example { progressive, label, predicted, features } = *example;
            let (average, since) =
                (share(progressive, Progressive::default()), share(progressive, self.last));
            let counter = progressive.examples.to_string();
            let features = features.to_string();
            remark(cells([&average, &since, &counter, label, predicted.unwrap_or("-"), &features]));
        }
        self.last = example.progressive;
    }

    /// The lines after the last row.
    fn end(&self, all: Progressive) {
        if !self.quiet {
            remark(format_args!("\nfinished run\nnumber of examples = {}", all.examples));
            remark(format_args!("average loss = {}", share(all, Progressive::default())));
        }
    }
}

/// The share of rows after `before` that were predicted wrongly.
fn share(now: Progressive, before: Progressive) -> String {
    let rows = now.examples - before.examples;
    format!("{:.6}", (now.mistakes - before.mistakes) as f64 / rows.max(1) as f64)
}

fn cells([average, since, counter, label, predicted, features]: [&str; 6]) -> String {
    format!("{average:<8} {since:<8} {counter:>12} {label:>14} {predicted:>14} {features:>9}")
}

/// What is said at the end.
struct Told<'a> {
    stream: &'a PegasosStream,
    path: &'a Path,
    threads: usize,
    fit_seconds: f64,
}

impl Told<'_> {
    fn text(&self) -> String {
        let Progressive { examples, mistakes, cost } = self.stream.progressive();
        let (rows, features) = (count(examples as usize, "row"), count(self.stream.width(), "feature"));
        let classes = count(self.stream.classes().len(), "class");
        let share = rough(100.0 * mistakes as f64 / examples.max(1) as f64);
        let mean = rough(cost / examples.max(1) as f64);
        line("data", format!("{rows}, {features}, {classes}, read once"))
            + &line("method", "pegasos, one pass")
            + &line("validation", format!("{share} % mistakes before learning, mean cost {mean}"))
            + &line("work", seconds(self.fit_seconds))
            + &line("model", self.path.display())
    }

    fn object(&self) -> Facts {
        let Progressive { examples, mistakes, cost } = self.stream.progressive();
        let mean = |sum: f64| sum / examples.max(1) as f64;
        Facts::default()
            .with("method", "pegasos")
            .with("rows", examples as usize)
            .with("features", self.stream.width())
            .with("classes", self.stream.classes().len())
            .with("class_names", self.stream.classes())
            .with("progressive_error", mean(mistakes as f64))
            .with("progressive_cost", mean(cost))
            .with("model", self.path.display().to_string())
            .with("threads", self.threads)
            .with("fit_seconds", self.fit_seconds)
            .with("peak_bytes", system::peak_bytes())
    }
}
