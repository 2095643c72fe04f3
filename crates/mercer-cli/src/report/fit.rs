//! What is said of a finished fit.

use std::collections::BTreeMap;
use std::path::Path;

use mercer::data::{Points, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::file::{Saved, Training};
use mercer::model::probability::{Estimate, Settings};
use mercer::model::{AnyEstimator, AnyPoints, Fact, Facts, Kind, LinearModel, Quality, Targets, Totals};
use mercer::solve::{Phases, Stop};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::facts::{features, is_told, line, numbers};
use super::probability;
use crate::method::long;
use crate::output::{count, range, rough, seconds, short};

/// Class names longer than this together are counted, not listed.
const NAMES_SHOWN: usize = 60;

/// What a linear one-class fit has found where no plane has the origin on its other side.
pub(crate) const ORIGIN_INSIDE: &str = "origin_among_points";

/// What to tell a user of that.
pub(crate) fn origin_inside() -> &'static str {
    "warning: the origin lies among the points, but for a share nu: no plane has it on its other side, and the best function is 0 everywhere; \
     take a larger nu, values that are positive, or a kernel (--method one-class)"
}

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

/// What the points are.
pub(crate) struct Shape {
    rows: usize,
    width: usize,
    /// In words.
    features: String,
}

impl Shape {
    /// Of points in memory.
    pub(crate) fn of(points: &AnyPoints) -> Self {
        Self { rows: points.len(), width: points.width(), features: features(points) }
    }

    /// Of vectors.
    pub(crate) fn new(rows: usize, width: usize) -> Self {
        Self { rows, width, features: count(width, "feature") }
    }
}

pub(crate) struct Finished<'a> {
    pub(crate) estimator: &'a AnyEstimator,
    pub(crate) saved: &'a Saved,
    pub(crate) shape: Shape,
    /// Where the rows were read from during the fit, if they were not in memory.
    pub(crate) stream: Option<String>,
    pub(crate) y: &'a Targets<AnyPoints>,
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
        if let Some(nu) = self.found.number("nu_with_margin") {
            return Some(format!(
                "warning: nu leaves no margin that could be found: the function is that of a large C; nu = {nu} has one"
            ));
        }
        if self.found.get(ORIGIN_INSIDE) == Some(&Fact::Flag(true)) {
            return Some(origin_inside().to_owned());
        }
        if let Quality::Residual { residual, converged: false, .. } = self.saved.model.quality() {
            let residual = rough(residual);
            let more =
                if self.number("max-iterations").is_some() { "allow more iterations, or " } else { "" };
            return Some(format!("warning: the residual is still {residual}: {more}regularise more"));
        }
        // The epochs of a map are a plan, not a limit.
        if let (Quality::Reached { iterations, converged: false, .. }, Some(most)) =
            (self.saved.model.quality(), self.number("max-iterations"))
        {
            let reason = if iterations as f64 >= most {
                "the limit on iterations was reached"
            } else {
                "it ended before it had converged"
            };
            let after = count(iterations as usize, "iteration");
            return Some(format!("warning: {reason}, after {after}; the model is the best so far"));
        }
        let totals = self.totals()?;
        let reason = match totals.stop {
            Stop::Converged => return None,
            Stop::IterationLimit => "the limit on iterations was reached",
            Stop::TimeLimit => "the time limit was reached",
            Stop::Stalled => "no step improves the objective in this precision",
            Stop::Interrupted => "interrupted",
            _ => "stopped early",
        };
        let asked = self.number("tolerance").unwrap_or(0.0);
        let text = match totals.gap {
            Some(gap) if self.is_held_to_its_gap() => {
                let share = gap / (gap - totals.objective).abs();
                let [share, asked] = [100.0 * share, 100.0 * asked].map(rough);
                format!("a gap of {share} % of the objective where {asked} %")
            }
            _ => format!("violation {} where {}", rough(totals.violation), rough(asked)),
        };
        Some(format!("warning: {reason}: {text} was asked for; the model is the best so far"))
    }

    /// Whether the tolerance is a share of the objective, which the gap is held to.
    fn is_held_to_its_gap(&self) -> bool {
        self.saved.model.downcast::<LinearModel<Vectors, VectorExpr>>().is_some()
    }

    /// What to tell a user whose gap curve has a better number of clusters than the one that its rule stops at.
    pub(crate) fn gap_warning(&self) -> Option<String> {
        let Some(Fact::Parts(curve)) = self.found.get("gap") else { return None };
        let of = |at: &Facts, name: &str| at.number(name).unwrap_or(f64::NEG_INFINITY);
        let clusters = self.saved.model.facts().number("clusters")?;
        let chosen = curve.iter().find(|at| at.number("clusters") == Some(clusters))?;
        let best = curve.iter().max_by(|a, b| of(a, "gap").total_cmp(&of(b, "gap")))?;
        let more = of(best, "gap") - of(best, "spread") > of(chosen, "gap");
        (more && of(best, "clusters") > clusters).then(|| {
            let best = count(of(best, "clusters") as usize, "cluster");
            format!("the rule of the gap curve stops at {clusters}, but its gap is largest at {best}: look at the curve")
        })
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.estimator.get(name).and_then(|value| value.number())
    }

    pub(crate) fn text(&self) -> String {
        let (model, cost) = (&self.saved.model, &self.cost);
        let (rows, features) = (count(self.shape.rows, "row"), &self.shape.features);
        let read = seconds(cost.read_seconds);
        let mut text = line("data", format!("{rows}, {features}{}, read in {read}", self.beside()));
        text += &self.stream.as_ref().map_or(String::new(), |stream| line("stream", stream));
        text += &line("kernel", model.kernel());
        let (method, solution, facts) = (self.method(), self.solution(), model.facts());
        text += &line("method", &method);
        if let Some((name, sizes)) = self.parts() {
            let (least, most) = (sizes.iter().min().unwrap_or(&0), sizes.iter().max().unwrap_or(&0));
            let rows = if least == most { format!("{most}") } else { format!("{least} to {most}") };
            let one = name.trim_end_matches('s');
            let cells = format!("{} of {rows} rows", count(sizes.len(), one));
            text += &line(
                "approximate",
                format!("{cells}; each row is decided by the machine of its {one} alone"),
            );
        }
        text += &solution;
        let told = method + &solution;
        if self.parts().is_none() {
            text += &numbers(&facts, &told, &facts);
        }
        // ε and C of the training stand in the line about the method already.
        let of_training = |name: &str, fact: &Fact| {
            self.saved.training.is_some()
                && (name == "epsilon" || name == "c" && matches!(fact, Fact::Number(_)))
        };
        let is_told = |name: &str, fact: &Fact| facts.get(name).is_some() || of_training(name, fact);
        text += &numbers(&only(self.found, |name, fact| !is_told(name, fact)), &told, &facts);
        text += &self.certificate();
        text += &self.probability();
        text + &line("model", self.path.display())
    }

    fn method(&self) -> String {
        let mut parts = vec![self.saved.method().to_owned()];
        for about in self.estimator.card().parameters.iter().filter(|about| about.group.is_empty()) {
            let value = self.estimator.get(about.name).filter(|value| *value != about.default);
            parts.extend(match (about.kind, value) {
                (Kind::Flag, Some(_)) => Some(long(about).replace("no-", "no ")),
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
                    let [low, high] = range(one).map(short);
                    format!(", targets from {low} to {high}")
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

    fn solution(&self) -> String {
        let model = &self.saved.model;
        let (points, (what, outputs)) = (model.support_points(), model.outputs());
        let summed = if model.quality().is_of_parts() { " summed over the cells" } else { "" };
        line(
            "solution",
            match self.totals() {
                Some(totals) => {
                    let objective = short(totals.objective);
                    format!("{}, objective {objective}{summed}", count(points, model.point_word()))
                }
                None if what.is_empty() => count(points, "expansion point"),
                None => format!("{} over {}", count(outputs.len(), what), count(points, "expansion point")),
            },
        )
    }

    /// How good the model is, and what that took.
    fn certificate(&self) -> String {
        let (quality, took) = (self.saved.model.quality(), seconds(self.cost.fit_seconds));
        if let Some(words) = quality.words() {
            let how = match quality {
                Quality::Residual { iterations: Some(number), .. } => format!(", {number} iterations"),
                _ => String::new(),
            };
            return line("certificate", format!("{words}{how}")) + &line("work", took);
        }
        let Some(totals) = self.totals() else { return line("work", took) };
        let share = |share: f64| format!(" ({} % of the objective)", rough(100.0 * share));
        let share = totals.relative_gap().map_or(String::new(), share);
        let gap = match totals.gap {
            Some(gap) => format!("gap {}{share}", rough(gap)),
            None => "no gap, since the kernel is not known to be positive semi-definite".into(),
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
        let from = |folds: usize| format!(", from {} by seed {}", count(folds, "fold"), settings.seed);
        let folds = folds.map_or(String::new(), from);
        let took = seconds(self.cost.probability_seconds.unwrap_or(0.0));
        line("probability", format!("{}{folds}, {took}", probability::words(estimate)))
    }

    /// The object of `--json`, what it is before what it cost.
    pub(crate) fn object(&self) -> impl Serialize {
        let (saved, model, quality) = (self.saved, &self.saved.model, self.saved.model.quality());
        let classes = Some(model.classes()).filter(|classes| !classes.is_empty());
        let mut facts = Facts::default()
            .with("method", saved.method())
            .with("multiclass", self.scheme)
            .with("space", model.space())
            .with("kernel", model.kernel().to_string());
        facts.extend(saved.training.as_ref().map_or(Facts::default(), training_facts));
        facts.extend(
            Facts::default()
                .with("tolerance", self.number("tolerance"))
                .with("rows", self.shape.rows)
                .with("features", self.shape.width)
                .with("classes", classes.map(<[_]>::len))
                .with("class_names", classes)
                .with("probability", saved.probability.as_ref().map(Estimate::method))
                .with("support_vectors", model.support_points())
                .with("model", self.path.display().to_string())
                .with("seed", self.seed),
        );
        let mut facts = only(&facts, |_, fact| *fact != Fact::Absent);
        facts.extend(model.facts());
        // Tables of numbers for each row are long; the rest of what was found is not.
        facts.extend(only(self.found, |_, fact| !matches!(fact, Fact::Table(_))));
        let totals = self.totals();
        facts.extend(match &totals {
            None => quality.facts(),
            Some(totals) => Facts::default()
                .with("objective", totals.objective)
                .with("gap", totals.gap)
                .with("violation", totals.violation)
                .with("iterations", totals.iterations)
                .with("kernel_rows", totals.rows),
        });
        facts.add("stop", totals.map_or(quality.stop(), |totals| Some(totals.stop)).map(Stop::name));
        let mut parts = None;
        if let (Some((name, sizes)), Some(totals)) = (self.parts(), totals) {
            let own = json!({ "sizes": sizes, "objective": totals.objective, "gap": totals.gap });
            parts = Some(BTreeMap::from([(name, own)]));
            facts.add("objective", Fact::Absent);
            facts.add("gap", Fact::Absent);
        }
        Object {
            facts: only(&facts, |name, _| parts.as_ref().is_none_or(|parts| !parts.contains_key(name))),
            parts,
            cost: self.cost,
        }
    }
}

/// What `--json` tells of a fit, in this order.
#[derive(Serialize)]
struct Object {
    #[serde(flatten)]
    facts: Facts,
    #[serde(flatten)]
    parts: Option<BTreeMap<&'static str, Value>>,
    #[serde(flatten)]
    cost: Cost,
}

/// The facts that `keep` keeps.
fn only(facts: &Facts, keep: impl Fn(&str, &Fact) -> bool) -> Facts {
    let kept = facts.iter().filter(|(name, fact)| keep(name, fact));
    kept.fold(Facts::default(), |kept, (name, fact)| kept.with(name, fact.clone()))
}

fn names(names: &[String], what: &str) -> String {
    let listed = names.join(", ");
    let listed = if listed.len() <= NAMES_SHOWN { format!(" ({listed})") } else { String::new() };
    format!(", {}{listed}", count(names.len(), what))
}

/// The prices of training, those that there are.
pub(crate) fn training_facts(training: &Training) -> Facts {
    let Training { c, nu, epsilon, .. } = *training;
    let all = Facts::default().with("c", c).with("nu", nu).with("epsilon", epsilon);
    only(&all, |_, fact| *fact != Fact::Absent)
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
