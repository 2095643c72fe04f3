//! What is said of a finished fit.

use std::path::Path;

use mercer::data::Points;
use mercer::model::file::{Saved, Training};
use mercer::model::probability::{Estimate, Settings};
use mercer::model::{AnyEstimator, AnyPoints, Fact, Facts, Kind, Quality, Targets, Totals, Value};
use mercer::solve::{Phases, Stop};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json, json};

use super::facts::{features, is_told, line, numbers};
use super::probability;
use crate::output::{count, rough, seconds, short};

/// Class names longer than this together are counted, not listed.
const NAMES_SHOWN: usize = 60;

/// What the fit took.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Cost {
    pub(crate) threads: usize,
    pub(crate) read_seconds: f64,
    pub(crate) fit_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) probability_seconds: Option<f64>,
    pub(crate) save_seconds: f64,
    /// Seconds in each part of the solver, summed over programmes that run side by side.
    #[serde(serialize_with = "by_name")]
    pub(crate) phases: Phases,
    pub(crate) peak_bytes: Option<u64>,
}

fn by_name<S: Serializer>(phases: &Phases, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(phases.parts().map(|(name, span)| (name, span.0.as_secs_f64())))
}

/// A finished fit.
pub(crate) struct Finished<'a> {
    pub(crate) estimator: &'a AnyEstimator,
    pub(crate) saved: &'a Saved,
    pub(crate) x: &'a AnyPoints,
    pub(crate) y: &'a Targets<AnyPoints>,
    /// What the fit found besides the model.
    pub(crate) found: &'a Facts,
    /// How probabilities were learnt, and from how many folds.
    pub(crate) probability: Option<(&'a Settings, Option<usize>)>,
    /// How more than two classes were told apart, where it is not the way of the method itself.
    pub(crate) scheme: Option<&'a str>,
    pub(crate) path: &'a Path,
    pub(crate) seed: u64,
    pub(crate) cost: Cost,
}

impl Finished<'_> {
    /// The certificates taken together; of a model without anything to solve as well as of one that was solved.
    pub(crate) fn totals(&self) -> Option<Totals> {
        match self.saved.model.quality() {
            Quality::Unknown => Some(Totals::NOTHING),
            quality => quality.totals(),
        }
    }

    /// What to tell a user whose fit is not what was asked for.
    pub(crate) fn warning(&self) -> Option<String> {
        let tolerance = self.number("tolerance").unwrap_or(0.0);
        if let Some(nu) = self.found.number("nu_with_margin") {
            return Some(format!(
                "warning: nu leaves no margin, so that no function is better than another; nu = {nu} has one"
            ));
        }
        match self.saved.model.quality() {
            Quality::Residual { residual, converged: false, .. } => {
                let residual = rough(residual);
                Some(format!(
                    "warning: the residual is still {residual}: allow more iterations, or regularise more"
                ))
            }
            _ => self.totals().and_then(|totals| warning(&totals, tolerance)),
        }
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.estimator.get(name).and_then(|value| value.number())
    }

    /// In words.
    pub(crate) fn text(&self) -> String {
        let (model, cost) = (&self.saved.model, &self.cost);
        let (rows, features) = (count(self.x.len(), "row"), features(self.x));
        let read = seconds(cost.read_seconds);
        let mut text = line("data", format!("{rows}, {features}{}, read in {read}", self.beside()));
        text += &line("kernel", model.kernel());
        let (method, solution) = (self.method(), self.solution());
        text += &line("machine", &method);
        text += &self.parts().map_or(String::new(), |(name, sizes)| {
            let (least, most) = (sizes.iter().min().unwrap_or(&0), sizes.iter().max().unwrap_or(&0));
            let rows = if least == most { format!("{most}") } else { format!("{least} to {most}") };
            let (one, number) = (name.trim_end_matches('s'), sizes.len());
            let number = count(number, one);
            line(
                "approximate",
                format!("{number} of {rows} rows; each row is decided by the machine of its {one} alone"),
            )
        });
        text += &solution;
        let (facts, told) = (model.facts(), method + &solution);
        if self.parts().is_none() {
            text += &numbers(&facts, &told, &facts);
        }
        let found = self.found.iter().filter(|(name, _)| facts.get(name).is_none() && !self.is_told(name));
        let found = found.fold(Facts::default(), |found, (name, fact)| found.with(name, fact.clone()));
        text += &numbers(&found, &told, &facts);
        text += &self.certificate();
        text += &self.probability();
        text + &line("model", self.path.display())
    }

    /// The method and its parameters.
    fn method(&self) -> String {
        let mut parts = vec![self.saved.method().to_owned()];
        for about in self.estimator.card().parameters.iter().filter(|about| about.group.is_empty()) {
            let value = self.estimator.get(about.name).filter(|value| *value != about.default);
            parts.extend(match (about.kind, value) {
                (Kind::Flag, Some(Value::Flag(true))) => Some(about.name.to_owned()),
                (Kind::Flag, Some(Value::Flag(false))) => Some(format!("no {}", about.name)),
                (Kind::Choice(_), Some(word)) => Some(format!("{} {word}", about.name)),
                (Kind::Number | Kind::Whole, Some(value)) if self.saved.training.is_none() => {
                    let told = is_told(&self.saved.model.words(), about.name, &value.to_string());
                    (!told).then(|| format!("{} = {value}", about.name))
                }
                _ => None,
            });
        }
        parts.push(match &self.saved.training {
            Some(training) => parameters(training),
            None => self.saved.model.words(),
        });
        parts.join(", ")
    }

    /// What the data have beside the points, behind a comma.
    fn beside(&self) -> String {
        match self.y {
            Targets::Classes(labels) => names(labels.classes(), "class"),
            Targets::Sets(sets) => names(sets.names(), "label"),
            Targets::Numbers(lists) => match lists.as_slice() {
                [one] => {
                    let (low, high) =
                        one.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &y| {
                            (low.min(y), high.max(y))
                        });
                    format!(", targets from {} to {}", short(low), short(high))
                }
                several => format!(", {}", count(several.len(), "target")),
            },
            Targets::View(_) => " in the first view".to_owned(),
            _ => String::new(),
        }
    }

    /// The parts that the model is an approximation by: what they are, and the rows of each.
    fn parts(&self) -> Option<(&'static str, Vec<usize>)> {
        let model = &self.saved.model;
        if !model.quality().is_of_parts() {
            return None;
        }
        model.facts().iter().find_map(|(name, fact)| match fact {
            Fact::Parts(parts) => {
                let rows = |part: &Facts| part.number("rows").unwrap_or(0.0) as usize;
                Some((name, parts.iter().map(rows).collect()))
            }
            _ => None,
        })
    }

    /// Whether what was found stands in the line about the method already.
    fn is_told(&self, name: &str) -> bool {
        name == "epsilon" && self.saved.training.is_some()
    }

    fn solution(&self) -> String {
        let model = &self.saved.model;
        let summed = if model.quality().is_of_parts() { " summed over the cells" } else { "" };
        match (self.totals(), model.outputs()) {
            (Some(totals), _) => {
                let points = count(model.support_points(), "support point");
                line("solution", format!("{points}, objective {}{summed}", short(totals.objective)))
            }
            (None, (what, outputs)) => {
                let points = count(model.support_points(), "expansion point");
                line("solution", format!("{} over {points}", count(outputs.len(), what)))
            }
        }
    }

    /// How good the model is, and what that took.
    fn certificate(&self) -> String {
        let (quality, took) = (self.saved.model.quality(), seconds(self.cost.fit_seconds));
        if let Some(words) = quality.words() {
            let how = match quality {
                Quality::Residual { iterations: Some(iterations), .. } => {
                    format!(", {iterations} iterations")
                }
                _ => String::new(),
            };
            return line("certificate", format!("{words}{how}")) + &line("work", took);
        }
        let Some(totals) = self.totals() else { return line("work", took) };
        let gap = match (totals.gap, totals.relative_gap()) {
            (Some(gap), Some(share)) => {
                format!("gap {} ({} % of the objective)", rough(gap), rough(100.0 * share))
            }
            (Some(gap), None) => format!("gap {}", rough(gap)),
            (None, _) => "no gap, since the kernel is not known to be positive semi-definite".into(),
        };
        let of = if quality.is_of_parts() { "of the cells, not of the whole: " } else { "" };
        let Totals { violation, stop, iterations, rows, .. } = totals;
        let (violation, rows) = (rough(violation), rows.round());
        line("certificate", format!("{of}{gap}, violation {violation}"))
            + &line("work", format!("{stop}: {iterations} iterations, {rows} kernel rows, {took}"))
    }

    /// The line about probabilities, where there are any.
    fn probability(&self) -> String {
        let (Some((settings, folds)), Some(estimate)) = (self.probability, &self.saved.probability) else {
            return String::new();
        };
        let folds = folds.map_or(String::new(), |folds| {
            format!(", from {} by seed {}", count(folds, "fold"), settings.seed)
        });
        let took = seconds(self.cost.probability_seconds.unwrap_or(0.0));
        line("probability", format!("{}{folds}, {took}", probability::words(estimate)))
    }

    /// The object of `--json`.
    pub(crate) fn object(&self) -> Json {
        let (saved, model, quality) = (self.saved, &self.saved.model, self.saved.model.quality());
        let (training, classes) = (saved.training.as_ref(), model.classes());
        let known = [
            ("method", json!(saved.method())),
            ("multiclass", json!(self.scheme)),
            ("space", json!(model.space())),
            ("kernel", json!(model.kernel().to_string())),
            ("c", json!(training.and_then(|training| training.c))),
            ("nu", json!(training.and_then(|training| training.nu))),
            ("epsilon", json!(training.and_then(|training| training.epsilon))),
            ("tolerance", json!(self.number("tolerance"))),
            ("rows", json!(self.x.len())),
            ("features", json!(self.x.width())),
            ("classes", json!((!classes.is_empty()).then_some(classes.len()))),
            ("class_names", json!((!classes.is_empty()).then_some(classes))),
            ("probability", json!(saved.probability.as_ref().map(Estimate::method))),
            ("support_vectors", json!(model.support_points())),
            ("model", json!(self.path.display().to_string())),
            ("seed", json!(self.seed)),
        ];
        let known = known.into_iter().filter(|(_, value)| !value.is_null());
        let mut object: Map<String, Json> = known.map(|(name, value)| (name.to_owned(), value)).collect();
        add(&mut object, &model.facts());
        // Tables of numbers for each row are long; the rest of what was found is not.
        let short = self.found.iter().filter(|(_, fact)| !matches!(fact, Fact::Table(_)));
        add(&mut object, &short.fold(Facts::default(), |all, (name, fact)| all.with(name, fact.clone())));
        match self.totals() {
            None => add(&mut object, &quality.facts()),
            Some(totals) => {
                let whole = self.parts().is_none();
                object.insert("objective".into(), json!(whole.then_some(totals.objective)));
                object.insert("gap".into(), json!(totals.gap.filter(|_| whole)));
                object.insert("violation".into(), json!(totals.violation));
                object.insert("iterations".into(), json!(totals.iterations));
                object.insert("kernel_rows".into(), json!(totals.rows));
                if let Some((name, sizes)) = self.parts() {
                    let sum = json!({ "sizes": sizes, "objective": totals.objective, "gap": totals.gap });
                    object.insert(name.into(), sum);
                }
            }
        }
        object.insert(
            "stop".into(),
            json!(self.totals().map_or(quality.stop(), |t| Some(t.stop)).map(Stop::name)),
        );
        add(&mut object, &self.cost);
        Json::Object(object)
    }
}

/// Adds the members of another object.
fn add(object: &mut Map<String, Json>, other: &impl Serialize) {
    if let Ok(Json::Object(other)) = serde_json::to_value(other) {
        object.extend(other);
    }
}

fn names(names: &[String], what: &str) -> String {
    let listed = names.join(", ");
    let listed = if listed.len() <= NAMES_SHOWN { format!(" ({listed})") } else { String::new() };
    format!(", {}{listed}", count(names.len(), what))
}

/// The parameters of training on one line.
pub(crate) fn parameters(training: &Training) -> String {
    let found = if training.nu.is_some() { " (found)" } else { "" };
    let parts = [("C", training.c, ""), ("nu", training.nu, ""), ("epsilon", training.epsilon, found)];
    let known = parts.into_iter().filter_map(|(name, value, remark)| {
        let value = value.map(|value| if remark.is_empty() { value.to_string() } else { short(value) })?;
        Some(format!("{name} = {value}{remark}"))
    });
    known.chain([format!("tolerance {}", training.tolerance)]).collect::<Vec<_>>().join(", ")
}

/// What to tell a user whose fit did not converge.
fn warning(totals: &Totals, tolerance: f64) -> Option<String> {
    let reason = match totals.stop {
        Stop::Converged => return None,
        Stop::IterationLimit => "the limit on iterations was reached",
        Stop::TimeLimit => "the time limit was reached",
        Stop::Stalled => "no step improves the objective in this precision",
        Stop::Interrupted => "interrupted",
        _ => "stopped early",
    };
    Some(format!(
        "warning: {reason}: violation {} where {} was asked for; the model is the best so far",
        rough(totals.violation),
        rough(tolerance),
    ))
}
