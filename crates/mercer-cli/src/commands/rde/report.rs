//! What was found, in words and as an object.

use std::fmt::Write;

use mercer::data::Points;
use mercer::model::{AnyPoints, Criterion, Noise, RdeFit, Targets, Trial};
use serde_json::{Value, json};

use super::candidates::Candidates;
use super::{RdeArgs, numbers};
use crate::output::{count, seconds, short};
use crate::plot::Captions;
use crate::report::features;

/// Dimensions up to this share of the rows are few.
const FEW: f64 = 0.1;
/// Noise up to this share of what guessing leaves is little.
const LITTLE: f64 = 1.0 / 3.0;
/// Twice the gain in log likelihood that chance reaches once in some hundred times, over all cuts.
const CHANCE: f64 = 10.0;

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
        if self.evidence() < CHANCE {
            return [
                "nothing to be found",
                "the leading directions hold no more of the labels than chance would",
            ];
        }
        match (few, little) {
            (true, true) => {
                ["few dimensions, little noise", "the kernel fits the problem; any kernel machine will do"]
            }
            (false, true) => {
                ["many dimensions, little noise", "a complex problem that can be learnt; more rows will help"]
            }
            (true, false) => {
                ["few dimensions, much noise", "the labels are noisy, or the features do not tell more"]
            }
            (false, false) => {
                ["many dimensions, much noise", "too few rows, or a kernel that does not fit; try another"]
            }
        }
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
        let features = features(self.x);
        let by = method(relevance.criterion);
        let mut text = format!("data       {}: {rows}, {features}, {targets}\n", args.data.display());
        let _ = match &self.candidates.grid {
            None => writeln!(text, "kernel     {}", self.candidates.kernels[0]),
            Some((_, values)) => {
                let kernel = &self.candidates.kernels[fit.chosen];
                writeln!(text, "kernel     {kernel}, the best of {} by {by}", values.len())
            }
        };
        let (other, than) = match relevance.criterion {
            Criterion::TwoComponents => (Criterion::LeaveOneOut, relevance.by_leave_one_out),
            Criterion::LeaveOneOut => (Criterion::TwoComponents, relevance.by_likelihood),
        };
        let (d, n) = (relevance.dimension(), self.x.len());
        let _ = writeln!(text, "dimension  {d} of {n} by {by} ({than} by {})", method(other));
        let [noise, guess] = self.noise();
        let _ = writeln!(text, "noise      {noise} ({guess})");
        let [reading, meaning] = self.reading();
        let _ = writeln!(text, "reading    {reading}: {meaning}");
        self.per_class(&mut text);
        self.remarks(&mut text);
        self.trials(&mut text);
        let _ = writeln!(text, "\nin {}", seconds(self.seconds));
        text
    }

    /// The dimension that each class has alone, where there are several.
    fn per_class(&self, text: &mut String) {
        let Targets::Classes(labels) = self.targets else { return };
        if labels.classes().len() > 2 {
            let of = labels.classes().iter().zip(&self.fit.relevance.targets);
            let each: Vec<String> =
                of.map(|(class, target)| format!("{class}: {}", target.dimension)).collect();
            let _ = writeln!(text, "classes    alone need {}", each.join(", "));
        }
    }

    fn remarks(&self, text: &mut String) {
        if self.fit.relevance.at_the_end() {
            let _ = writeln!(
                text,
                "warning    the cut is the last there can be; the relevant part may go on beyond it"
            );
        }
        if let Some((path, values)) = &self.candidates.grid
            && values.len() > 1
        {
            let chosen = values[self.fit.chosen];
            let end = |better: fn(f64, f64) -> f64| values.iter().copied().fold(chosen, better) == chosen;
            if end(f64::min) || end(f64::max) {
                let _ = writeln!(
                    text,
                    "warning    {path} = {} is at the end of the grid; widen it",
                    short(chosen)
                );
            }
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
                Some(Trial { dimension, score, noise }) => {
                    let noise = match noise {
                        Noise::Flips(share) => format!("{:.1} %", 100.0 * share),
                        Noise::Variance(variance) => short(*variance),
                    };
                    let score = format!("{score:.4}");
                    writeln!(text, "{mark} {value:>wide$}  {dimension:>9}  {score:>10}  {noise:>10}")
                }
                None => {
                    writeln!(text, "{mark} {value:>wide$}          -  no leading directions")
                }
            };
        }
    }

    /// The object of `--json`.
    pub(super) fn object(&self) -> Value {
        let fit = self.fit;
        let relevance = &fit.relevance;
        let kind = match fit.noise {
            Noise::Flips(_) => "share of labels",
            Noise::Variance(_) => "variance",
        };
        let trial = |(i, trial): (usize, &Option<Trial>)| {
            json!({
                "kernel": self.candidates.kernels[i].to_string(),
                "value": self.candidates.grid.as_ref().map(|(_, values)| values[i]),
                "dimension": trial.map(|trial| trial.dimension),
                "score": trial.map(|trial| trial.score),
                "noise": trial.map(|trial| trial.noise.value()),
            })
        };
        let dimensions: Vec<usize> = relevance.targets.iter().map(|target| target.dimension).collect();
        json!({
            "rows": self.x.len(),
            "of": self.of,
            "features": self.x.width(),
            "classes": match self.targets {
                Targets::Classes(labels) => Some(labels.classes()),
                _ => None,
            },
            "kernel": self.candidates.kernels[fit.chosen].to_string(),
            "parameter": self.candidates.grid.as_ref().map(|(path, _)| path),
            "value": self.candidates.grid.as_ref().map(|(_, values)| values[fit.chosen]),
            "method": match relevance.criterion {
                Criterion::TwoComponents => "tcm",
                Criterion::LeaveOneOut => "loo",
            },
            "dimension": relevance.dimension(),
            "dimension_tcm": relevance.by_likelihood,
            "dimension_loo": relevance.by_leave_one_out,
            "dimensions": dimensions,
            "noise": fit.noise.value(),
            "noise_kind": kind,
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
        let d = self.fit.relevance.dimension();
        let kernel = &self.candidates.kernels[self.fit.chosen];
        Captions {
            title: format!("{d} of {} dimensions relevant, noise {}", self.x.len(), self.noise()[0]),
            subtitle: format!(
                "{}, {kernel}",
                self.args.data.file_name().unwrap_or_default().to_string_lossy()
            ),
        }
    }
}

fn method(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::TwoComponents => "two components",
        Criterion::LeaveOneOut => "leave-one-out",
    }
}
