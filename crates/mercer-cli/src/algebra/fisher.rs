//! The kernel Fisher discriminant.

use mercer::model::{Fisher, Machine, Threshold};
use serde_json::json;

use super::{Given, Outcome, followed};
use crate::args::ThresholdArg;
use crate::failure::{Failure, InFile, Result};
use crate::output::{count, rough, short};
use crate::train::Input;

/// Axes that are listed.
const LISTED: usize = 10;

/// Fits axes to the labels.
pub(super) fn fit(given: &Given<'_>, input: &mut Input) -> Result<Outcome> {
    let args = given.args;
    let y = input.labels(args)?.labels().libsvm_order();
    let projections = &args.projections;
    let mut fisher = Fisher::new(given.kernel.clone()).weights(given.weights.clone()).seed(args.common.seed);
    fisher.regularizer = projections.mu.unwrap_or(fisher.regularizer);
    fisher.points = projections.points;
    fisher.memory = given.memory;
    fisher.threshold = threshold(projections.threshold, args.c)?;
    fisher.check()?;
    let fitted = followed(args.common.quiet, |follow| fisher.fit_followed(given.x, &y, follow));
    let model = fitted.in_file(&args.data)?;
    if projections.threshold.is_some() && model.threshold.is_none() {
        let classes = model.classes.len();
        return Err(Failure::Usage(format!("--threshold: for two classes only, and there are {classes}")));
    }
    let ratios: Vec<String> = model.ratios.iter().take(LISTED).map(|ratio| short(*ratio)).collect();
    let more = if model.ratios.len() > LISTED { ", …" } else { "" };
    let rule = match (fisher.threshold, model.threshold) {
        (_, None) => "nearest class mean".to_owned(),
        (Threshold::Means, Some(at)) => format!("threshold {} between the class means", short(at)),
        (Threshold::Svm { c }, Some(at)) => format!("threshold {} by a linear machine, C = {c}", short(at)),
    };
    let (axes, points) = (count(model.ratios.len(), "axis"), count(model.support.len(), "expansion point"));
    let axes = axes.replace("axises", "axes");
    let lines = vec![
        ("machine", format!("fisher, mu = {}, {rule}", short(model.regularizer))),
        ("solution", format!("{axes} over {points}; between classes {}{more}", ratios.join(", "))),
        ("certificate", format!("relative residual {}", rough(model.residual))),
    ];
    let facts = vec![
        ("classes", json!(model.classes)),
        ("mu", json!(model.regularizer)),
        ("ratios", json!(model.ratios)),
        ("threshold", json!(model.threshold)),
        ("expansion_points", json!(model.support.len())),
        ("residual", json!(model.residual)),
    ];
    let beside = format!(", {}", count(model.classes.len(), "class"));
    Ok(Outcome { machine: Machine::Fisher(model), beside, lines, facts, warning: None })
}

fn threshold(rule: Option<ThresholdArg>, c: Option<f64>) -> Result<Threshold> {
    match (rule, c) {
        (Some(ThresholdArg::Svm), c) => Ok(Threshold::Svm { c: c.unwrap_or(1.0) }),
        (_, None) => Ok(Threshold::Means),
        (_, Some(_)) => Err(Failure::Usage("-c: only --threshold svm has it".into())),
    }
}
