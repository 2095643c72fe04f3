//! `mercer inspect`: everything in a model file.

use std::fmt::Write;

use mercer::data::{Points, Scaler, Vectors};
use mercer::model::file::{Saved, Training};
use mercer::model::{Machine, VoteRule, pairs};
use mercer::solve::Certificate;
use serde_json::{Value, json};

use crate::args::InspectArgs;
use crate::components;
use crate::early;
use crate::failure::Result;
use crate::fit::{Model, Totals};
use crate::models::{Kind, load, method_name, parameters};
use crate::output::{answer, answer_json, count, rough, short};
use crate::paths;
use crate::probability;

/// Longer lists are cut in the text; `--json` has them whole.
pub(crate) const LINES: usize = 20;

/// Runs the command.
pub(crate) fn run(args: &InspectArgs) -> Result<()> {
    paths::model_file(&args.model)?;
    let (kind, saved) = load(&args.model)?;
    let bytes = std::fs::metadata(&args.model).map(|data| data.len()).unwrap_or(0);
    if args.json {
        answer_json(&object(args, kind, bytes, &saved))
    } else {
        answer(text(args, kind, bytes, &saved))
    }
}

fn storage(points: &Vectors) -> &'static str {
    match points {
        Vectors::Dense32(_) => "dense, single precision",
        Vectors::Dense64(_) => "dense, double precision",
        Vectors::Sparse32(_) => "sparse, single precision",
        Vectors::Sparse64(_) => "sparse, double precision",
    }
}

/// A certificate as an object.
pub(crate) fn certificate(c: &Certificate) -> Value {
    json!({
        "objective": c.objective, "gap": c.gap, "violation": c.violation, "iterations": c.iterations,
        "kernel_rows": c.rows, "stop": c.stop.name(),
    })
}

fn object(args: &InspectArgs, kind: Kind, bytes: u64, saved: &Saved) -> Value {
    let (machine, expansion) = (&saved.model, saved.model.expansion());
    let mut object = json!({
        "file": args.model.display().to_string(),
        "bytes": bytes,
        "kind": kind.name(),
        "version": version(kind),
        "program": saved.program,
        "method": method_name(machine, saved.training.as_ref()),
        "kernel": expansion.kernel().to_string(),
        "definiteness": expansion.kernel().definiteness().to_string(),
        "features": expansion.points().width(),
        "feature_names": saved.names,
        "support_vectors": early::support_points(machine),
        "support_positions": machine.support(),
        "storage": storage(expansion.points()),
        "offsets": expansion.offsets(),
        "certificates": machine.certificates().iter().map(certificate).collect::<Vec<_>>(),
        "stop": Totals::of_machine(machine).map(|totals| totals.stop.name()),
        "probability": saved.probability.as_ref().map(probability::object),
        "training": saved.training.as_ref().map(training),
        "scaler": saved.scaler,
        "encoding": saved.encoding,
    });
    match machine {
        Machine::Classifier(model) => {
            let names = |(a, b): (usize, usize)| json!([model.classes[a], model.classes[b]]);
            object["classes"] = json!(model.classes);
            object["rule"] = json!(model.rule.name());
            object["support_vectors_per_class"] = json!(model.class_sizes);
            object["pairs"] = pairs(model.classes.len()).into_iter().map(names).collect();
        }
        Machine::Regression(_) | Machine::OneClass(_) => {}
        Machine::Ridge(model) => {
            object["lambda"] = json!(model.lambda);
            object["residual"] = json!(model.certificate.residual);
            object["iterations"] = json!(model.certificate.iterations);
        }
        Machine::Fisher(model) => {
            object["classes"] = json!(model.classes);
            object["mu"] = json!(model.regularizer);
            object["ratios"] = json!(model.ratios);
            let center = |class: usize| model.centers.row(class);
            object["centers"] = (0..model.classes.len()).map(|class| json!(center(class))).collect();
            object["threshold"] = json!(model.threshold);
            object["residual"] = json!(model.residual);
        }
        Machine::Cca(model) => {
            object["second_kernel"] = json!(model.second.kernel().to_string());
            object["second_features"] = json!(model.second.points().width());
            object["second_support_positions"] = json!(model.second_support);
            object["kappa"] = json!(model.regularizer);
            object["values"] = json!(model.values);
            object["correlations"] = json!(model.correlations);
            object["residual"] = json!(model.residual);
        }
        Machine::Pca(model) => {
            object["eigenvalues"] = json!(model.eigenvalues);
            object["explained"] = json!(model.explained());
            object["total"] = json!(model.total);
            object["residual"] = json!(model.residual);
        }
        Machine::Local(model) => {
            object["classes"] = json!(model.classes);
            object["approximate"] = json!(true);
            object["cells"] = model.cells.iter().map(early::object).collect();
        }
        Machine::Scores(_) | Machine::MultiLabel(_) => object["classes"] = json!(machine.classes()),
        Machine::Sphere(sphere) => {
            object["square_radius"] = json!(sphere.square_radius);
            object["square_center"] = json!(sphere.square_center);
        }
    }
    object
}

/// The parameters that the machine has.
fn training(training: &Training) -> Value {
    let mut object = json!({ "tolerance": training.tolerance });
    for (name, value) in [("c", training.c), ("nu", training.nu), ("epsilon", training.epsilon)] {
        if let Some(value) = value {
            object[name] = json!(value);
        }
    }
    object["class_weights"] = json!(training.class_weights);
    object
}

/// The version of the file format.
fn version(kind: Kind) -> Option<u32> {
    // `load` refuses every other one.
    (kind == Kind::Mercer).then_some(1)
}

fn text(args: &InspectArgs, kind: Kind, bytes: u64, saved: &Saved) -> String {
    let (machine, expansion) = (&saved.model, saved.model.expansion());
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<12} {value}");
    };
    let version = version(kind).map_or(String::new(), |version| format!(", version {version}"));
    line("file", format!("{} ({})", args.model.display(), size(bytes)));
    line("kind", format!("{}{version}, by {}", kind.name(), saved.program));
    line("method", format!("{}, {}", method_name(machine, saved.training.as_ref()), made_of(machine)));
    line("kernel", expansion.kernel().to_string());
    line("", format!("{} by construction", expansion.kernel().definiteness()));
    if let Some(training) = &saved.training {
        line("training", parameters(training));
    }
    line("features", expansion.points().width().to_string());
    line("prepared", preparation(saved));
    line("support", format!("{}, {}", early::support_points(machine), storage(expansion.points())));
    let of = if early::cells(machine).is_some() { "of the cells, not of the whole: " } else { "" };
    if let Some(totals) = Totals::of_machine(machine) {
        let gap = totals.gap.map_or("unknown".into(), rough);
        let violation = rough(totals.violation);
        line("certificate", format!("{of}{}: gap {gap}, violation {violation}", totals.stop));
    } else if let Some(residual) = residual(machine) {
        line("certificate", format!("relative residual {}", rough(residual)));
    } else {
        line("certificate", "none".into());
    }
    if let Some(estimate) = &saved.probability {
        line("probability", probability::words(estimate));
    }
    if let Some(model) = machine.classifier() {
        text.push('\n');
        classes(&mut text, model, saved.training.as_ref());
    }
    text.push('\n');
    match machine {
        Machine::Pca(model) => text += &components::table(model, LINES),
        Machine::Local(model) => early::table(&mut text, model),
        _ => outputs(&mut text, machine),
    }
    text
}

/// The certificate of a method that is linear algebra.
fn residual(machine: &Machine) -> Option<f64> {
    match machine {
        Machine::Ridge(model) => Some(model.certificate.residual),
        Machine::Fisher(model) => Some(model.residual),
        Machine::Cca(model) => Some(model.residual),
        Machine::Pca(model) => Some(model.residual),
        _ => None,
    }
}

/// What kind of thing the machine is.
fn made_of(machine: &Machine) -> String {
    match machine {
        Machine::Classifier(model) if model.rule == VoteRule::Sum => {
            format!("{} by summed decisions of pairs", count(model.classes.len(), "class"))
        }
        Machine::Classifier(model) => count(model.classes.len(), "class"),
        Machine::Scores(model) => format!("{}, a function for each", count(model.classes.len(), "class")),
        Machine::MultiLabel(model) => {
            format!("{}, a function for each", count(model.scores.classes.len(), "label"))
        }
        Machine::Regression(_) => "a function that predicts numbers".into(),
        Machine::Ridge(model) => {
            let targets = count(model.expansion.coefficients().outputs, "target");
            format!("{targets}, lambda = {}", short(model.lambda))
        }
        Machine::Fisher(model) => {
            let classes = count(model.classes.len(), "class");
            format!("{classes} on axes between them, mu = {}", short(model.regularizer))
        }
        Machine::Cca(model) => {
            let (kernel, features) = (model.second.kernel(), count(model.second.points().width(), "feature"));
            format!("kappa = {}; second view: {features}, {kernel}", short(model.regularizer))
        }
        Machine::Pca(model) => count(model.components(), "component"),
        Machine::Local(model) => {
            let (classes, cells) = (count(model.classes.len(), "class"), count(model.cells.len(), "cell"));
            format!("{classes} by the machines of {cells}, approximate")
        }
        Machine::OneClass(_) => "a function that is positive inside".into(),
        Machine::Sphere(sphere) => format!("a sphere with R² = {}", short(sphere.square_radius)),
    }
}

/// Numbers of outputs with what each is worth.
fn rated(values: &[f64], what: &str) -> Vec<String> {
    values.iter().enumerate().map(|(k, value)| format!("{}: {what} {}", k + 1, short(*value))).collect()
}

fn size(bytes: u64) -> String {
    match bytes {
        b if b < 10_000 => format!("{b} bytes"),
        b if b < 10_000_000 => format!("{} kB", b / 1000),
        b => format!("{} MB", b / 1_000_000),
    }
}

/// How data become features.
fn preparation(saved: &Saved) -> String {
    let columns = saved.encoding.as_ref().map(|encoding| {
        let words = encoding.columns.iter().filter(|column| column.categories.is_some()).count();
        format!("{} of a table, {words} one-hot", count(encoding.columns.len(), "column"))
    });
    let scaling = saved.scaler.as_ref().map(|scaler| match scaler {
        Scaler::MinMax { lower, upper, .. } => format!("every feature scaled to [{lower}, {upper}]"),
        Scaler::Standard { .. } => "every feature scaled to mean 0 and deviation 1".to_owned(),
    });
    let parts: Vec<String> = columns.into_iter().chain(scaling).collect();
    if parts.is_empty() { "data as they are".into() } else { parts.join("; ") }
}

fn classes(text: &mut String, model: &Model, training: Option<&Training>) {
    let weights = training.map_or(&[][..], |training| &training.class_weights);
    let wide = model.classes.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("class".len());
    let heading = if weights.is_empty() { "" } else { "  C times" };
    let _ = writeln!(text, "{:<wide$}  support{heading}", "class");
    for (k, (name, points)) in model.classes.iter().zip(&model.class_sizes).enumerate().take(LINES) {
        let weight = weights.get(k).map_or(String::new(), |weight| format!("  {weight:>7}"));
        let _ = writeln!(text, "{name:<wide$}  {points:>7}{weight}");
    }
    rest(text, model.classes.len());
}

fn outputs(text: &mut String, machine: &Machine) {
    let (offsets, certificates) = (machine.expansion().offsets(), machine.certificates());
    let (what, names) = match machine {
        Machine::Classifier(model) => {
            let name = |&(a, b): &(usize, usize)| format!("{} vs {}", model.classes[a], model.classes[b]);
            ("pair", pairs(model.classes.len()).iter().map(name).collect())
        }
        Machine::Scores(model) => ("class", model.classes.clone()),
        Machine::MultiLabel(model) => ("label", model.scores.classes.clone()),
        Machine::Regression(_) | Machine::OneClass(_) | Machine::Sphere(_) => ("", vec!["f".to_owned()]),
        Machine::Ridge(_) => ("target", (1..=offsets.len()).map(|target| target.to_string()).collect()),
        Machine::Fisher(model) => ("axis", rated(&model.ratios, "between classes")),
        Machine::Local(_) => ("cell", (1..=offsets.len()).map(|cell| cell.to_string()).collect()),
        Machine::Cca(model) => ("component", rated(&model.correlations, "correlation")),
        Machine::Pca(model) => ("component", rated(&model.explained(), "explained")),
    };
    // One problem for all, or none for some: then a line has none of its own.
    let certificates = if certificates.len() == offsets.len() { certificates } else { &[] };
    let shown = names.iter().take(LINES);
    let wide = shown.clone().map(|name| name.chars().count()).max().unwrap_or(0).max(what.len());
    let _ = write!(text, "{what:<wide$}  {:>10}", "offset");
    if !certificates.is_empty() {
        let _ =
            write!(text, "  {:>11} {:>9} {:>9} {:>10}  stop", "objective", "gap", "violation", "iterations");
    }
    text.push('\n');
    for (p, name) in shown.enumerate() {
        let _ = write!(text, "{name:<wide$}  {:>10}", short(offsets[p]));
        if let Some(c) = certificates.get(p) {
            let gap = c.gap.map_or("-".into(), rough);
            let (objective, violation) = (short(c.objective), rough(c.violation));
            let _ =
                write!(text, "  {objective:>11} {gap:>9} {violation:>9} {:>10}  {}", c.iterations, c.stop);
        }
        text.push('\n');
    }
    rest(text, names.len());
}

pub(crate) fn rest(text: &mut String, lines: usize) {
    if lines > LINES {
        let _ = writeln!(text, "… and {} more (--json has all)", lines - LINES);
    }
}
