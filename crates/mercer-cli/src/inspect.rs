//! `mercer inspect`: everything in a model file.

use std::fmt::Write;

use mercer::data::{Points, Scaler, Vectors};
use mercer::model::file::Saved;
use mercer::model::pairs;
use mercer::solve::Certificate;
use serde_json::{Value, json};

use crate::args::InspectArgs;
use crate::failure::Result;
use crate::fit::Totals;
use crate::models::{Kind, load};
use crate::output::{answer, answer_json, count, rough, short};
use crate::paths;

/// Longer lists are cut in the text; `--json` has them whole.
const LINES: usize = 20;

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

fn object(args: &InspectArgs, kind: Kind, bytes: u64, saved: &Saved) -> Value {
    let model = &saved.model;
    let certificate = |c: &Certificate| {
        json!({
            "objective": c.objective, "gap": c.gap, "violation": c.violation, "iterations": c.iterations,
            "kernel_rows": c.rows, "stop": c.stop.name(),
        })
    };
    let names = |(a, b): (usize, usize)| json!([model.classes[a], model.classes[b]]);
    json!({
        "file": args.model.display().to_string(),
        "bytes": bytes,
        "kind": kind.name(),
        "version": version(kind),
        "program": saved.program,
        "method": "c-svc",
        "kernel": model.expansion.kernel.to_string(),
        "definiteness": model.expansion.kernel.definiteness().to_string(),
        "features": model.expansion.points.width(),
        "feature_names": saved.names,
        "classes": model.classes,
        "support_vectors": model.expansion.points.len(),
        "support_vectors_per_class": model.class_sizes,
        "support_positions": model.support,
        "storage": storage(&model.expansion.points),
        "pairs": pairs(model.classes.len()).into_iter().map(names).collect::<Vec<_>>(),
        "offsets": model.expansion.offsets,
        "certificates": model.certificates.iter().map(certificate).collect::<Vec<_>>(),
        "stop": Totals::of(&model.certificates).map(|totals| totals.stop.name()),
        "training": saved.training.as_ref().map(|training| json!({
            "c": training.c, "class_weights": training.class_weights, "tolerance": training.tolerance,
        })),
        "scaler": saved.scaler,
        "encoding": saved.encoding,
    })
}

/// The version of the file format.
fn version(kind: Kind) -> Option<u32> {
    // `load` refuses every other one.
    (kind == Kind::Mercer).then_some(1)
}

fn text(args: &InspectArgs, kind: Kind, bytes: u64, saved: &Saved) -> String {
    let model = &saved.model;
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<12} {value}");
    };
    let version = version(kind).map_or(String::new(), |version| format!(", version {version}"));
    line("file", format!("{} ({})", args.model.display(), size(bytes)));
    line("kind", format!("{}{version}, by {}", kind.name(), saved.program));
    line("method", format!("c-svc, {}", count(model.classes.len(), "class")));
    line("kernel", model.expansion.kernel.to_string());
    line("", format!("{} by construction", model.expansion.kernel.definiteness()));
    if let Some(training) = &saved.training {
        line("training", format!("C = {}, tolerance {}", training.c, training.tolerance));
    }
    line("features", model.expansion.points.width().to_string());
    line("prepared", preparation(saved));
    line("support", format!("{}, {}", model.expansion.points.len(), storage(&model.expansion.points)));
    if let Some(totals) = Totals::of(&model.certificates) {
        let gap = totals.gap.map_or("unknown".into(), rough);
        line("certificate", format!("{}: gap {gap}, violation {}", totals.stop, rough(totals.violation)));
    } else {
        line("certificate", "none".into());
    }
    text.push('\n');
    classes(&mut text, saved);
    text.push('\n');
    outputs(&mut text, saved);
    text
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

fn classes(text: &mut String, saved: &Saved) {
    let model = &saved.model;
    let weights = saved.training.as_ref().map_or(&[][..], |training| &training.class_weights);
    let wide = model.classes.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("class".len());
    let heading = if weights.is_empty() { "" } else { "  C times" };
    let _ = writeln!(text, "{:<wide$}  support{heading}", "class");
    for (k, (name, points)) in model.classes.iter().zip(&model.class_sizes).enumerate().take(LINES) {
        let weight = weights.get(k).map_or(String::new(), |weight| format!("  {weight:>7}"));
        let _ = writeln!(text, "{name:<wide$}  {points:>7}{weight}");
    }
    rest(text, model.classes.len());
}

fn outputs(text: &mut String, saved: &Saved) {
    let model = &saved.model;
    let pairs = pairs(model.classes.len());
    let name = |&(a, b): &(usize, usize)| format!("{} vs {}", model.classes[a], model.classes[b]);
    let names: Vec<String> = pairs.iter().map(name).collect();
    let shown = names.iter().take(LINES);
    let wide = shown.clone().map(|name| name.chars().count()).max().unwrap_or(0).max("pair".len());
    let _ = write!(text, "{:<wide$}  {:>10}", "pair", "offset");
    if !model.certificates.is_empty() {
        let _ =
            write!(text, "  {:>11} {:>9} {:>9} {:>10}  stop", "objective", "gap", "violation", "iterations");
    }
    text.push('\n');
    for (p, name) in shown.enumerate() {
        let _ = write!(text, "{name:<wide$}  {:>10}", short(model.expansion.offsets[p]));
        if let Some(c) = model.certificates.get(p) {
            let gap = c.gap.map_or("-".into(), rough);
            let (objective, violation) = (short(c.objective), rough(c.violation));
            let _ =
                write!(text, "  {objective:>11} {gap:>9} {violation:>9} {:>10}  {}", c.iterations, c.stop);
        }
        text.push('\n');
    }
    rest(text, pairs.len());
}

fn rest(text: &mut String, lines: usize) {
    if lines > LINES {
        let _ = writeln!(text, "… and {} more (--json has all)", lines - LINES);
    }
}
