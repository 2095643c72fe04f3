//! `mercer search -k "?*KERNEL + ?*KERNEL"`: the weights of a sum of kernels.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use mercer::data::Points;
use mercer::model::file::Saved;
use mercer::model::{AnyKernel, Targets};
use mercer::select::{
    Mixture, MixtureTerms, Task, Terms, cross_validate, mean_and_spread, mixture, terms, weighted,
};
use serde_json::json;

use super::{SearchArgs, truth};
use crate::args::Scaling;
use crate::commands::source::Source;
use crate::failure::{InFile, Result, usage};
use crate::fit::{Data, ended, fit};
use crate::input::Input;
use crate::method::Choice;
use crate::models::Kind;
use crate::output::{remark, seconds, short, table};
use crate::report::line;
use crate::system;

pub(super) fn run(args: &SearchArgs, text: &str, path: &Path, threads: usize) -> Result<()> {
    let started = Instant::now();
    refuse_others(args)?;
    let kernels = terms(text)?;
    let equal = vec![(kernels.len() as f64).powf(-1.0 / args.norm.max(1.0)); kernels.len()];
    let uniform = weighted(&kernels, &equal)?;
    let grid = args.ranges.grid_with(Some(&uniform.to_string()))?;
    let points = grid.points();
    let [point] = points.as_slice() else {
        return Err(usage!(
            "-k \"{text}\": weights are learned for one value of each parameter, not a range"
        ));
    };
    let asked = args.ranges.asked(&grid, point)?;
    let choice = Choice::of(&asked)?;
    let other =
        choice.card.parameters.iter().find(|about| about.name != "c" && choice.given(about.name).is_some());
    if choice.card.name != "svc" || other.is_some() {
        return Err(usage!("-k \"{text}\": weights are learned for svc with -c alone"));
    }
    let (data_options, quiet) = (&args.data_options, args.common.quiet);
    let source = Source { asked: &asked, data: &args.data, data_options, scale: args.scale, quiet };
    let mut input = Input::read(&args.data, Some(&uniform), &source.options(&choice), Scaling::None)?;
    let y = source.targets(&choice, &mut input)?;
    let truth = truth(&y, &choice.card, &mut input, &args.data)?;
    let seed = args.common.seed;
    let estimator = |kernel: &AnyKernel| choice.estimator(kernel.clone(), seed);
    let c = estimator(&uniform)?.get("c").and_then(|value| value.number()).unwrap_or(1.0);
    let learn = |x: &_, y: &Targets<_>| -> Result<Mixture> {
        let Targets::Classes(labels) = y else { return Err(usage!("weights are learned for classes")) };
        let mut watch =
            |_: f64| if system::stop_wanted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let given = MixtureTerms {
            c,
            norm: args.norm,
            memory: args.memory,
            watch: Some(&mut watch),
            ..MixtureTerms::default()
        };
        mixture(&kernels, x, labels, given).in_file(&args.data)
    };
    let found = learn(&input.x, &y)?;
    if !found.converged {
        remark(format_args!(
            "mercer: warning: the weights did not converge: the gap is {}",
            short(found.gap)
        ));
    }
    let kernel = weighted(&kernels, &found.weights)?;

    // Weights learned without the rows of each fold, beside equal ones.
    let splits = args.held_out.division(input.x.len())?.splits(input.x.len(), &y, seed)?;
    let metric = args.held_out.metrics(&choice.card, truth.as_ref())?[0];
    let task = Task { x: &input.x, y: &y, truth: truth.as_ref(), weights: &[], scale: None };
    let mut scores = [Vec::new(), Vec::new()];
    for split in splits.iter() {
        let own = learn(&input.x.select(&split.rest), &y.select(&split.rest))?;
        for (kernel, scores) in [weighted(&kernels, &own.weights)?, uniform.clone()].iter().zip(&mut scores) {
            let terms = Terms { memory: args.memory, watcher: None };
            let judged =
                cross_validate(&estimator(kernel)?, &task, std::slice::from_ref(split), &[metric], terms);
            scores.extend(judged.in_file(&args.data)?.scores(metric));
        }
    }
    let means = scores.map(|scores| mean_and_spread(&scores));
    let mut saved_as = None;
    if !args.no_refit {
        let data = Data { x: &input.x, y: &y, weights: &[], memory: args.memory, quiet, checkpoint: None };
        let fitted = fit(&estimator(&kernel)?, &data, None).in_file(&args.data)?;
        let saved =
            Saved { training: fitted.training, recipe: Some(fitted.recipe), ..input.saved(fitted.model) };
        Kind::Mercer.save(&saved, path)?;
        saved_as = Some(path);
    }
    let elapsed = started.elapsed().as_secs_f64();
    let shown = |(mean, spread): (f64, f64)| format!("{} ± {}", short(mean), short(spread));
    let mut told = line("kernel", &kernel);
    told += &line(
        "objective",
        format!(
            "{}, the best at most {} less; equal weights {}",
            short(found.objective),
            short(found.gap),
            short(found.uniform)
        ),
    );
    told += &line(metric.name(), format!("{}; equal weights {}", shown(means[0]), shown(means[1])));
    told += &line("work", format!("{} rounds in {}, threads {threads}", found.rounds, seconds(elapsed)));
    if let Some(path) = saved_as {
        told += &line("model", path.display());
    }
    let head = ["weight", "equal", "kernel"].map(str::to_owned);
    let row = |m: usize| [short(found.weights[m]), short(equal[m]), kernels[m].to_string()];
    let rows: Vec<_> = [head].into_iter().chain((0..kernels.len()).map(row)).collect();
    told += &format!("\n{}", table(&rows));
    args.common.tell(&told, false, || {
        json!({
            "kernel": kernel.to_string(),
            "kernels": kernels.iter().map(AnyKernel::to_string).collect::<Vec<_>>(),
            "weights": found.weights,
            "norm": args.norm,
            "c": c,
            "objective": found.objective,
            "gap": found.gap,
            "converged": found.converged,
            "rounds": found.rounds,
            "metric": metric.name(),
            "mean": means[0].0,
            "spread": means[0].1,
            "uniform": json!({ "objective": found.uniform, "mean": means[1].0, "spread": means[1].1 }),
            "model": saved_as,
            "seconds": elapsed,
        })
    })?;
    ended(None)
}

/// Refuses options that say how candidates are searched.
fn refuse_others(args: &SearchArgs) -> Result<()> {
    let given = [
        ("--random", args.random.is_some()),
        ("--halving", args.halving),
        ("--refine", args.refine > 0),
        ("--race", args.race),
        ("--one-se", args.one_se),
        ("--nested", args.nested.is_some()),
        ("--log", args.log.is_some()),
        ("--csv", args.csv.is_some()),
        ("--plot", args.plot.is_some()),
        ("--alone", args.alone),
        ("--scale", args.scale != Scaling::None),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(usage!("{option}: not where the weights of a sum of kernels are learned")),
        None => Ok(()),
    }
}
