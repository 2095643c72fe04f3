//! What was found, in words and as an object.

use std::fmt::Write;

use mercer::data::Points;
use mercer::model::{AnyPoints, Criterion, Noise, RdeFit, Targets, Trial};
use serde_json::{Value, json};

use super::candidates::Candidates;
use super::{RdeArgs, numbers};
use crate::output::{count, range, seconds, short};
use crate::plot::Captions;
use crate::report::features;

/// Dimensions up to this share of the rows are few.
const FEW: f64 = 0.1;
/// Noise up to this share of what guessing leaves is little.
const LITTLE: f64 = 1.0 / 3.0;
/// Twice the gain in log likelihood that chance reaches once in some hundred times, over all cuts.
const CHANCE: f64 = 10.0;
/// What few or many dimensions mean, with little noise and with much.
const READINGS: [[[&str; 2]; 2]; 2] = [
    [
        ["few dimensions, little noise", "the kernel fits the problem; any kernel machine will do"],
        ["many dimensions, little noise", "a complex problem that can be learnt; more rows will help"],
    ],
    [
        ["few dimensions, much noise", "the labels are noisy, or the features do not tell more"],
        ["many dimensions, much noise", "too few rows, or a kernel that does not fit; try another"],
    ],
];
const NOTHING: [&str; 2] =
    ["nothing to be found", "the leading directions hold no more of the labels than chance would"];

/// All there is to tell.
pub(super) struct Outcome<'a> {
    pub(super) args: &'a RdeArgs,
    pub(super) candidates: &'a Candidates,
    pub(super) x: &'a AnyPoints,
    /// Rows of the file.
    pub(super) of: usize,
    pub(super) targets: &'a Targets<AnyPoints>,
    pub(super) fit: &'a RdeFit,
    pub(super) seconds: f64,
}

impl Outcome<'_> {
    /// What guessing without a look at the features leaves: the share of the smaller classes, or the variance.
    fn guess(&self) -> f64 {
        let n = self.x.len() as f64;
        match self.targets {
            Targets::Classes(labels) => {
                let size = |class: usize| labels.index().iter().filter(|&&c| c as usize == class).count();
                1.0 - (0..labels.classes().len()).map(size).max().unwrap_or(0) as f64 / n
            }
            targets => {
                let y = numbers(targets);
                let mean = y.iter().sum::<f64>() / n;
                y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n
            }
        }
    }

    /// Twice the gain in log likelihood over no cut at all, summed over the targets.
    fn evidence(&self) -> f64 {
        let relevance = &self.fit.relevance;
        let best = relevance.cuts.iter().map(|cut| cut.likelihood).fold(f64::INFINITY, f64::min);
        (relevance.without_cut - best) * (self.x.len() * relevance.targets.len()) as f64
    }

    /// What it means.
    fn reading(&self) -> [&'static str; 2] {
        let few = self.fit.relevance.dimension() as f64 <= FEW * self.x.len() as f64;
        let little = self.fit.noise.value() <= LITTLE * self.guess();
        if self.evidence() < CHANCE { NOTHING } else { READINGS[usize::from(!little)][usize::from(!few)] }
    }

    /// What the noise is, and of how much.
    fn noise(&self) -> [String; 2] {
        match self.fit.noise {
            Noise::Flips(share) => [
                format!("{:.1} % of the labels", 100.0 * share),
                format!("guessing has {:.1} %", 100.0 * self.guess()),
            ],
            Noise::Variance(variance) => [
                format!("variance {}, standard deviation {}", short(variance), short(variance.sqrt())),
                format!("variance of the targets {}", short(self.guess())),
            ],
        }
    }

    /// In words.
    pub(super) fn text(&self) -> String {
        let (fit, args) = (self.fit, self.args);
        let relevance = &fit.relevance;
        let rows = match self.of == self.x.len() {
            true => count(self.of, "row"),
            false => format!("{} of {} rows, spread evenly (--rows)", self.x.len(), self.of),
        };
        let targets = match self.targets {
            Targets::Classes(labels) => count(labels.classes().len(), "class"),
            _ => "numbers".into(),
        };
        let (features, kernel) = (features(self.x), &self.candidates.kernels[fit.chosen]);
        let best = self.candidates.grid.as_ref().map(|(_, values)| values.len());
        let (by, than) = ("two components", "leave-one-out");
        let (by, than, other) = match relevance.criterion {
            Criterion::TwoComponents => (by, than, relevance.by_leave_one_out),
            Criterion::LeaveOneOut => (than, by, relevance.by_likelihood),
        };
        let best = best.map_or(String::new(), |among| format!(", the best of {among} by {by}"));
        let (d, n, [noise, guess], [reading, meaning]) =
            (relevance.dimension(), self.x.len(), self.noise(), self.reading());
        let mut text = format!(
            "data       {}: {rows}, {features}, {targets}\n\
             kernel     {kernel}{best}\n\
             dimension  {d} of {n} by {by} ({other} by {than})\n\
             noise      {noise} ({guess})\n\
             reading    {reading}: {meaning}\n",
            args.data.display(),
        );
        self.remarks(&mut text);
        self.trials(&mut text);
        let _ = writeln!(text, "\nin {}", seconds(self.seconds));
        text
    }

    /// The dimension that each class has alone, where there are several, and warnings.
    fn remarks(&self, text: &mut String) {
        if let Targets::Classes(labels) = self.targets
            && labels.classes().len() > 2
        {
            let of = labels.classes().iter().zip(&self.fit.relevance.targets);
            let each: Vec<String> =
                of.map(|(class, target)| format!("{class}: {}", target.dimension)).collect();
            let _ = writeln!(text, "classes    alone need {}", each.join(", "));
        }
        if self.fit.relevance.at_the_end() {
            *text += "warning    the cut is the last there can be; the relevant part may go on beyond it\n";
        }
        if let Some((path, values)) = &self.candidates.grid
            && values.len() > 1
            && range(values).contains(&values[self.fit.chosen])
        {
            let chosen = short(values[self.fit.chosen]);
            let _ = writeln!(text, "warning    {path} = {chosen} is at the end of the grid; widen it");
        }
    }

    /// A line for each value of the grid.
    fn trials(&self, text: &mut String) {
        let Some((path, values)) = &self.candidates.grid else { return };
        let wide = path.len().max(10);
        let _ = writeln!(text, "\n  {path:>wide$}  dimension       score       noise");
        for (i, (value, trial)) in values.iter().zip(&self.fit.trials).enumerate() {
            let mark = if i == self.fit.chosen { '>' } else { ' ' };
            let value = short(*value);
            let _ = match trial {
                None => writeln!(text, "{mark} {value:>wide$}          -  no leading directions"),
                Some(Trial { dimension, score, noise }) => {
                    let noise = match noise {
                        Noise::Flips(share) => format!("{:.1} %", 100.0 * share),
                        Noise::Variance(variance) => short(*variance),
                    };
                    writeln!(text, "{mark} {value:>wide$}  {dimension:>9}  {score:>10.4}  {noise:>10}")
                }
            };
        }
    }

    /// The object of `--json`.
    pub(super) fn object(&self) -> Value {
        let fit = self.fit;
        let relevance = &fit.relevance;
        let kernel = |i: usize| self.candidates.kernels[i].to_string();
        let value = |i: usize| self.candidates.grid.as_ref().map(|(_, values)| values[i]);
        let trial = |(i, trial): (usize, &Option<Trial>)| {
            json!({
                "kernel": kernel(i),
                "value": value(i),
                "dimension": trial.map(|trial| trial.dimension),
                "score": trial.map(|trial| trial.score),
                "noise": trial.map(|trial| trial.noise.value()),
            })
        };
        let dimensions: Vec<usize> = relevance.targets.iter().map(|target| target.dimension).collect();
        let two = relevance.criterion == Criterion::TwoComponents;
        json!({
            "rows": self.x.len(),
            "of": self.of,
            "features": self.x.width(),
            "classes": match self.targets { Targets::Classes(labels) => Some(labels.classes()), _ => None },
            "kernel": kernel(fit.chosen),
            "parameter": self.candidates.grid.as_ref().map(|(path, _)| path),
            "value": value(fit.chosen),
            "method": if two { "tcm" } else { "loo" },
            "dimension": relevance.dimension(),
            "dimension_tcm": relevance.by_likelihood,
            "dimension_loo": relevance.by_leave_one_out,
            "dimensions": dimensions,
            "noise": fit.noise.value(),
            "noise_kind": match fit.noise { Noise::Flips(_) => "share of labels", _ => "variance" },
            "guess": self.guess(),
            "score": relevance.score(),
            "evidence": self.evidence(),
            "reading": self.reading()[0],
            "trials": fit.trials.iter().enumerate().map(trial).collect::<Vec<_>>(),
            "seconds": self.seconds,
        })
    }

    /// What is written over the picture.
    pub(super) fn captions(&self) -> Captions {
        let (d, n, [noise, _]) = (self.fit.relevance.dimension(), self.x.len(), self.noise());
        let kernel = &self.candidates.kernels[self.fit.chosen];
        let file = self.args.data.file_name().unwrap_or_default().to_string_lossy();
        let title = format!("{d} of {n} dimensions relevant, noise {noise}");
        Captions { title, subtitle: format!("{file}, {kernel}") }
    }
}
