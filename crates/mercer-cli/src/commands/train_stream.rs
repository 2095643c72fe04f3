//! `mercer train --stream`: parse once, fit to rows on disk, save, print the certificate.

use std::path::Path;
use std::time::Instant;

use mercer::data::{self, Stream};
use mercer::model::file::Saved;
use mercer::model::{AnyPoints, TargetKind, Targets};

use super::{TrainArgs, check_weights, source, warn};
use crate::args::Scaling;
use crate::commands::source::remark_on_sets;
use crate::failure::{InFile, Result, usage};
use crate::fit::{Fitted, Terms, ended, fit_stream, open_stream};
use crate::method::Choice;
use crate::models::Kind;
use crate::output::seconds;
use crate::report::{Cost, Finished, Shape};
use crate::{paths, system};

/// Bytes in what disks are sold by.
const MEGA: f64 = 1e6;

/// The methods that read rows from disk.
const METHODS: [&str; 3] = ["linear-svc", "logistic", "linear-svr"];

pub(super) fn run(
    args: &TrainArgs,
    choice: &Choice,
    path: &Path,
    blocks: Option<&Path>,
    threads: usize,
) -> Result<()> {
    check(args, path, blocks)?;
    let kernel = choice.kernel(&args.asked)?.filter(|_| METHODS.contains(&choice.card.name));
    let Some(kernel) = kernel else {
        return Err(usage!("--stream: of {}, which read rows from disk", METHODS.join(", ")));
    };
    let estimator = choice.estimator(kernel, args.common.seed)?;
    estimator.check()?;
    let quiet = args.common.quiet;

    let started = Instant::now();
    let stream = open_stream(&args.data, blocks, &source(args).options(choice), quiet).in_file(&args.data)?;
    let parse_seconds = started.elapsed().as_secs_f64();
    let y = targets(args, choice, &stream)?;
    let read_seconds = started.elapsed().as_secs_f64();
    check_weights(args, &estimator, &y)?;
    let read = |file: &std::path::PathBuf| data::read_weights(file, stream.len());
    let weights = args.row_weights.as_ref().map(read).transpose()?.unwrap_or_default();

    let terms = Terms { weights: &weights, memory: args.memory, quiet, checkpoint: None };
    let Fitted { model, seconds: fit_seconds, phases, mut found, training, recipe } =
        fit_stream(&estimator, (&stream, &y), terms).in_file(&args.data)?;
    let peak_bytes = system::peak_bytes();
    let started = Instant::now();
    let (names, encoding) = (stream.names().to_vec(), stream.encoding().cloned());
    let saved = Saved { training, recipe: Some(recipe), names, encoding, ..Saved::new(model) };
    Kind::Mercer.save(&saved, path)?;
    let save_seconds = started.elapsed().as_secs_f64();

    found.add("blocks", stream.path().display().to_string());
    found.add("blocks_bytes", stream.bytes() as usize);
    found.add("blocks_made", stream.is_new());
    let cost = Cost {
        threads,
        read_seconds,
        fit_seconds,
        probability_seconds: None,
        save_seconds,
        phases,
        peak_bytes,
    };
    let finished = Finished {
        estimator: &estimator,
        saved: &saved,
        shape: Shape::new(stream.len(), stream.width()),
        stream: Some(told(&stream, &args.data, parse_seconds)),
        y: &y,
        found: &found,
        probability: None,
        scheme: choice.scheme.as_deref(),
        path,
        seed: args.common.seed,
        cost,
    };
    warn(&finished, choice);
    args.common.tell(&finished.text(), false, || finished.object())?;
    ended(finished.totals().map(|totals| totals.stop))
}

/// Refuses what does not go with rows on disk, and a file of blocks that would overwrite another file.
fn check(args: &TrainArgs, path: &Path, blocks: Option<&Path>) -> Result<()> {
    let refused = [
        (args.scale != Scaling::None, "--scale: scale the file by mercer scale first"),
        (args.probability.is_some(), "--probability needs all rows in memory"),
        (args.asked.targets.is_some(), "--targets: the target is the label"),
        (args.libsvm, "--libsvm: mercer convert writes other forms of a model"),
        (args.features.is_some(), "--features: make rows of the texts by mercer features first"),
        (!args.classes.is_empty(), "--classes, which are for one pass of pegasos over standard input"),
    ];
    if let Some((_, why)) = refused.into_iter().find(|(given, _)| *given) {
        return Err(usage!("--stream does not go with {why}"));
    }
    let beside = Stream::path_beside(&args.data);
    let blocks = blocks.unwrap_or(&beside);
    let inputs = [Some(&args.data), args.row_weights.as_ref()];
    let inputs: Vec<&Path> = inputs.into_iter().flatten().map(|path| path.as_path()).collect();
    paths::distinct(blocks, &inputs)?;
    if blocks == path {
        return Err(usage!("--stream: {} is the model; the blocks must go to another file", path.display()));
    }
    Ok(())
}

/// What the method must know of the rows.
fn targets(args: &TrainArgs, choice: &Choice, stream: &Stream) -> Result<Targets<AnyPoints>> {
    let file = args.data.display();
    let missing = || usage!("{file}: no labels; name their column by --label or their file by --labels");
    let labels = stream.labels().in_file(&args.data)?.ok_or_else(missing)?;
    Ok(match choice.card.target {
        TargetKind::Classes => {
            let labels = labels.labels().libsvm_order();
            labels.check(stream.len()).in_file(&args.data)?;
            if !args.common.quiet {
                remark_on_sets(labels.classes());
            }
            Targets::Classes(labels)
        }
        _ => Targets::Numbers(vec![labels.numbers().in_file(&args.data)?]),
    })
}

/// The line about the file of blocks.
fn told(stream: &Stream, data: &Path, parse_seconds: f64) -> String {
    let (path, size) = (stream.path().display(), stream.bytes() as f64 / MEGA);
    let rows = stream.len().max(1) as f64;
    let mut text = format!("{path}, {size:.1} MB, {:.1} bytes a row", stream.bytes() as f64 / rows);
    if !stream.is_new() {
        return text + ", used again";
    }
    text += &format!(", made in {}", seconds(parse_seconds));
    match std::fs::metadata(data) {
        Ok(file) => text + &format!(" ({:.0} MB/s)", file.len() as f64 / MEGA / parse_seconds.max(1e-9)),
        Err(_) => text,
    }
}
