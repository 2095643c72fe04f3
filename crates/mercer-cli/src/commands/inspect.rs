//! `mercer inspect`: everything in a model file.

use std::path::PathBuf;

use clap::Args;
use mercer::data::Scaler;
use mercer::model::file::{Saved, Training};
use mercer::model::{AnyModel, Fact, Facts, Quality, pairs};
use mercer::solve::Stop;
use serde_json::{Value, json};

use crate::failure::Result;
use crate::models::{Kind, load};
use crate::output::{answer, answer_json, count, rough};
use crate::paths;
use crate::report::{
    line, listed, numbers, parameters, probability_object, probability_words, training_facts,
};

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// One object on one line instead of text
    #[arg(long)]
    json: bool,
    /// Model file: mercer's, LIBSVM's or LIBLINEAR's
    model: PathBuf,
}

/// The version of mercer's file format; `load` refuses every other one.
const VERSION: u32 = 1;

pub(crate) fn run(args: &InspectArgs) -> Result<()> {
    paths::model_file(&args.model)?;
    let (kind, saved) = load(&args.model)?;
    let bytes = std::fs::metadata(&args.model).map(|data| data.len()).unwrap_or(0);
    match args.json {
        true => answer_json(&object(args, kind, bytes, &saved)),
        false => answer(text(args, kind, bytes, &saved)),
    }
}

fn object(args: &InspectArgs, kind: Kind, bytes: u64, saved: &Saved) -> Value {
    let (model, quality) = (&saved.model, saved.model.quality());
    let mut object = json!({
        "file": args.model.display().to_string(),
        "bytes": bytes,
        "kind": kind.name(),
        "version": (kind == Kind::Mercer).then_some(VERSION),
        "program": saved.program,
        "method": saved.method(),
        "space": model.space(),
        "kernel": model.kernel().to_string(),
        "definiteness": model.kernel().definiteness().to_string(),
        "features": model.width(),
        "feature_names": saved.names,
        "support_vectors": model.support_points(),
        "support_positions": model.support(),
        "storage": model.points().storage(),
        "offsets": model.offsets(),
        "certificates": [],
        "stop": quality.stop().map(Stop::name),
        "probability": saved.probability.as_ref().map(probability_object),
        "training": saved.training.as_ref().map(training),
        "scaler": saved.scaler,
        "encoding": saved.encoding,
        "text_features": saved.features.as_ref().map(|map| map.features().to_string()),
    });
    let classes = model.classes();
    if !classes.is_empty() {
        object["classes"] = json!(classes);
    }
    if model.outputs().0 == "pair" {
        let names = |(a, b): (usize, usize)| json!([classes[a], classes[b]]);
        object["pairs"] = pairs(classes.len()).into_iter().map(names).collect();
    }
    for (name, fact) in model.facts().iter().chain(quality.facts().iter()) {
        object[name] = json!(fact);
    }
    object
}

/// The parameters of training, those that there are.
fn training(training: &Training) -> Facts {
    let weights = training.class_weights.as_slice();
    training_facts(training).with("tolerance", training.tolerance).with("class_weights", weights)
}

fn text(args: &InspectArgs, kind: Kind, bytes: u64, saved: &Saved) -> String {
    let (model, quality) = (&saved.model, saved.model.quality());
    let version = if kind == Kind::Mercer { format!(", version {VERSION}") } else { String::new() };
    let mut text = line("file", format!("{} ({})", args.model.display(), size(bytes)));
    text += &line("kind", format!("{}{version}, by {}", kind.name(), saved.program));
    text += &line("method", format!("{}, {}", saved.method(), model.words()));
    text += &line("kernel", model.kernel());
    text += &line("", format!("{} by construction", model.kernel().definiteness()));
    if let Some(training) = &saved.training {
        text += &line("training", parameters(training));
    }
    match model.width() {
        0 => text += &line("points", model.space()),
        width => text += &line("features", width),
    }
    text += &line("prepared", preparation(saved));
    let label = if model.point_word() == "support point" { "support" } else { "weights" };
    text += &line(label, format!("{}, {}", model.support_points(), model.points().storage()));
    text += &line("certificate", certificate(&quality));
    let facts = model.facts();
    if matches!(quality, Quality::Reached { .. }) || facts.get("left_out").is_some() {
        let outputs = model.outputs().1.len();
        // Numbers of each output stand in the table of the outputs.
        let own = |fact: &Fact| !matches!(fact, Fact::Numbers(own) if outputs > 1 && own.len() == outputs);
        let own = facts.iter().filter(|(_, fact)| own(fact));
        let own = own.fold(Facts::default(), |own, (name, fact)| own.with(name, fact.clone()));
        text += &numbers(&own, &text, &own);
    }
    if let Some(estimate) = &saved.probability {
        text += &line("probability", probability_words(estimate));
    }
    text + &classes(model, saved.training.as_ref()) + &outputs(model, &quality)
}

fn certificate(quality: &Quality) -> String {
    let of = if quality.is_of_parts() { "of the cells, not of the whole: " } else { "" };
    match (quality.totals(), quality.words()) {
        (Some(totals), _) => {
            let gap = totals.gap.map_or("unknown".into(), rough);
            format!("{of}{}: gap {gap}, violation {}", totals.stop, rough(totals.violation))
        }
        (None, Some(words)) => match quality {
            Quality::Residual { converged: false, .. } | Quality::Reached { converged: false, .. } => {
                format!("not converged: {words}")
            }
            _ => words,
        },
        (None, None) => "none".into(),
    }
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
    let texts = saved.features.as_ref().map(|map| format!("texts by {}", map.features()));
    let parts: Vec<String> = columns.into_iter().chain(texts).chain(scaling).collect();
    if parts.is_empty() { "data as they are".into() } else { parts.join("; ") }
}

/// A line for each class with support points of its own.
fn classes(model: &AnyModel, training: Option<&Training>) -> String {
    let facts = model.facts();
    let Some(Fact::Counts(sizes)) = facts.get("support_vectors_per_class") else { return String::new() };
    let weights = training.map_or(&[][..], |training| &training.class_weights);
    let row = |class: usize| {
        let mut facts = Facts::default().with("support", sizes[class]);
        if let Some(weight) = weights.get(class) {
            facts.add("C times", *weight);
        }
        (facts, String::new())
    };
    listed(["class", ""], model.classes(), row)
}

/// A line for each part of a model that has parts, else for each output, with its numbers.
fn outputs(model: &AnyModel, quality: &Quality) -> String {
    let (facts, offsets, (what, names)) = (model.facts(), model.offsets(), model.outputs());
    let parts = facts.iter().find_map(|(_, fact)| match fact {
        Fact::Parts(parts) => Some(parts),
        _ => None,
    });
    if let Some(parts) = parts {
        let of_part = |k: usize| {
            let remark = parts[k].iter().filter_map(|(name, fact)| match fact {
                Fact::Text(text) => Some(format!("{name} '{text}'")),
                _ => None,
            });
            (parts[k].clone(), remark.collect::<Vec<_>>().join(", "))
        };
        return listed([what, ""], &names[..names.len().min(parts.len())], of_part);
    }
    // One programme for all, or none for some: then a line has no certificate of its own.
    let certificates = quality.certificates();
    let certificates = if certificates.len() == names.len() { certificates } else { &[] };
    let of_output = |k: usize| {
        let mut row = Facts::default().with("offset", offsets[k]);
        for (name, fact) in facts.iter() {
            if let Fact::Numbers(numbers) = fact
                && numbers.len() == names.len()
            {
                row.add(name, numbers[k]);
            }
        }
        let Some(certificate) = certificates.get(k) else { return (row, String::new()) };
        row.add("objective", certificate.objective);
        row.add("gap", certificate.gap);
        row.add("violation", certificate.violation);
        row.add("iterations", certificate.iterations);
        (row, certificate.stop.to_string())
    };
    listed([what, if certificates.is_empty() { "" } else { "stop" }], &names, of_output)
}
