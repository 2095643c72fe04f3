//! `mercer search`: ranges of parameters, scored by rows left out.

mod found;
mod hunt;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use mercer::data::{Points, SplitMix};
use mercer::model::file::Saved;
use mercer::model::{AnyEstimator, AnyKernel};
use mercer::select::{Grid, Point, Task};

use self::found::Found;
use self::hunt::{Hunt, Tried, ranking};
use super::held_out::{HeldOutArgs, scale, truth};
use super::source::Source;
use crate::args::{CommonArgs, DataArgs, SCALINGS, Scaling, duration, megabytes, words};
use crate::failure::{InFile, Result, usage};
use crate::fit::{Data, ended, fit};
use crate::input::Input;
use crate::method::{Choice, RangeArgs};
use crate::models::Kind;
use crate::output::{is_stdout, save};
use crate::{paths, system};

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    #[command(flatten)]
    ranges: RangeArgs,
    #[command(flatten)]
    held_out: HeldOutArgs,
    /// Draw this many of the candidates (by --seed) instead of trying all
    #[arg(long, value_name = "N")]
    random: Option<usize>,
    /// Begin with few rows, keep the better third, go on with three times as many
    #[arg(long)]
    halving: bool,
    /// Look so often about the best, at half the distance each time
    #[arg(long, value_name = "N", default_value_t = 0)]
    refine: u32,
    /// Take the first candidate within one standard error of the best
    #[arg(long)]
    one_se: bool,
    /// Leave so many folds out of the whole search, one after the other, to say how good it is
    #[arg(long, value_name = "K")]
    nested: Option<usize>,
    /// Seconds after which no further candidate is begun
    #[arg(long, value_name = "SECONDS", value_parser = duration)]
    stop_after: Option<Duration>,
    /// Write every outcome to this file, and go on from it where it is there
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Write a table of all candidates (CSV)
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the scores over two parameters (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Do not fit the best to all rows
    #[arg(long, conflicts_with = "model")]
    no_refit: bool,
    /// Fit every candidate by itself, without shared kernel values or starts: to check, slow
    #[arg(long)]
    alone: bool,
    /// Scale features by the rows of each fit (kernel values are then not shared)
    #[arg(long, short, value_parser = words(&SCALINGS), default_value = "none")]
    scale: Scaling,
    /// Megabytes for kernel values that candidates share, all together, and for the matrices of each other fit
    #[arg(long, value_name = "MB", value_parser = megabytes)]
    memory: Option<usize>,
    /// Data file: LIBSVM text, CSV/TSV or NPY, also gzip or zstd; `-` is standard input
    data: PathBuf,
    /// Model file to write [default: the data file's name and .mercer, in the current folder]
    model: Option<PathBuf>,
    #[command(flatten)]
    data_options: DataArgs,
    #[command(flatten)]
    common: CommonArgs,
}

pub(crate) fn run(args: &SearchArgs) -> Result<()> {
    mercer::keep_little_freed_memory();
    let threads = system::start_threads(args.common.threads)?;
    let model = model_path(args)?;
    let started = Instant::now();
    let grid = args.ranges.grid()?;
    let points = chosen(args, grid.points());
    if args.plot.is_some() && grid.axes().iter().filter(|axis| axis.values.len() > 1).count() < 2 {
        return Err(usage!("--plot: there must be two parameters with several values"));
    }
    let first = points.first().ok_or_else(|| usage!("--random 0: there must be a candidate"))?;
    let asked = args.ranges.asked(&grid, first)?;
    let choice = Choice::of(&asked)?;
    let source = Source {
        asked: &asked,
        data: &args.data,
        data_options: &args.data_options,
        scale: args.scale,
        quiet: args.common.quiet,
    };
    let kernel = choice.kernel(&asked)?;
    let scaling = if args.no_refit { Scaling::None } else { args.scale };
    let mut input = Input::read(&args.data, kernel.as_ref(), &source.options(&choice), Scaling::None)?;
    let y = source.targets(&choice, &mut input)?;
    let truth = truth(&y, &choice.card, &mut input, &args.data)?
        .ok_or_else(|| usage!("{}: there are no labels to be compared with", args.data.display()))?;
    let seed = args.common.seed;
    let division = args.held_out.division(input.x.len())?;
    let splits = division.splits(input.x.len(), &y, seed)?;
    let metrics = args.held_out.metrics(&choice.card, Some(&truth))?;
    let scale = scale(args.scale, &input.x)?;
    let task = Task { x: &input.x, y: &y, truth: Some(&truth), weights: &[], scale };

    let mut hunt =
        Hunt { args, grid: &grid, metrics: &metrics, division, started, log: None, tried: Vec::new() };
    hunt.open_log(first, &task, &splits)?;
    hunt.search(points, &task, &splits)?;
    let nested = match args.nested {
        Some(folds) if !system::stop_wanted() => Some(hunt.nested(folds, &task)?),
        _ => None,
    };
    let whole = hunt.whole(input.x.len());
    let Some(ranking) = ranking(&whole, &metrics) else {
        let why = whole.iter().find_map(|tried| tried.outcome.failure.clone());
        ended(None)?;
        return Err(match why {
            Some(why) => usage!("no candidate has a score: {why}"),
            None => usage!("no candidate was scored; a longer --stop-after, or fewer candidates"),
        });
    };
    let taken = if args.one_se { ranking.simplest } else { ranking.best };
    let found = Found {
        args,
        grid: &grid,
        metrics: &metrics,
        whole,
        ranking,
        taken,
        nested,
        splits: splits.len(),
        threads,
    };
    found.warn();
    let mut saved_as = None;
    if !args.no_refit && !system::stop_wanted() {
        let (_, estimator) = candidate(args, &grid, &found.whole[taken].point, seed)?;
        let refit = Input::read(&args.data, kernel.as_ref(), &source.options(&choice), scaling)?;
        let data = Data {
            x: &refit.x,
            y: &y,
            weights: &[],
            memory: args.memory,
            quiet: args.common.quiet,
            checkpoint: None,
        };
        let fitted = fit(&estimator, &data, None).in_file(&args.data)?;
        let saved =
            Saved { training: fitted.training, recipe: Some(fitted.recipe), ..refit.saved(fitted.model) };
        Kind::Mercer.save(&saved, &model)?;
        saved_as = Some(model);
    }
    // After the model: a table that cannot be written must not cost the refit.
    if let Some(csv) = &args.csv {
        save(csv, &found.csv())?;
    }
    if let Some(plot) = &args.plot {
        save(plot, &found.plot()?)?;
    }
    let elapsed = started.elapsed().as_secs_f64();
    args.common
        .tell(&found.text(saved_as.as_ref(), elapsed), false, || found.object(saved_as.as_ref(), elapsed))?;
    ended(None)
}

fn model_path(args: &SearchArgs) -> Result<PathBuf> {
    let default = || {
        let name = args.data.file_name().filter(|name| *name != "-");
        let mut name = name.map_or_else(|| "stdin".into(), std::ffi::OsStr::to_owned);
        name.push(".mercer");
        PathBuf::from(name)
    };
    let model = args.model.clone().unwrap_or_else(default);
    if !args.no_refit {
        paths::model_file(&model)?;
        if args.data.as_os_str() == "-" {
            return Err(usage!("-: data from standard input can be searched with --no-refit only"));
        }
    }
    if args.log.as_deref().is_some_and(is_stdout) {
        return Err(usage!("--log -: a log is a file, from which a search goes on"));
    }
    let outputs = [&args.log, &args.csv, &args.plot].into_iter().flatten();
    outputs.chain([&model]).try_for_each(|output| paths::distinct(output, &[&args.data]))?;
    Ok(model)
}

/// All candidates, or as many as are to be drawn, in their order.
fn chosen(args: &SearchArgs, points: Vec<Point>) -> Vec<Point> {
    let Some(wanted) = args.random.filter(|&wanted| wanted < points.len()) else { return points };
    let mut random = SplitMix(args.common.seed);
    // The smallest of numbers drawn for each: a sample without replacement.
    let mut order: Vec<(f64, usize)> = (0..points.len()).map(|i| (random.uniform(), i)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut taken: Vec<usize> = order[..wanted].iter().map(|&(_, i)| i).collect();
    taken.sort_unstable();
    taken.into_iter().map(|i| points[i].clone()).collect()
}

fn candidate(args: &SearchArgs, grid: &Grid, point: &Point, seed: u64) -> Result<(AnyKernel, AnyEstimator)> {
    let asked = args.ranges.asked(grid, point)?;
    let choice = Choice::of(&asked)?;
    let kernel = choice.kernel(&asked)?.ok_or_else(|| usage!("--kernel: must be given"))?;
    let estimator = choice.estimator(kernel.clone(), seed)?;
    Ok((kernel, estimator))
}

/// A candidate in words: its kernel and its parameters.
fn words_of(grid: &Grid, point: &Point) -> String {
    let kernel = grid.kernel(point).unwrap_or_default();
    let settings = grid.settings(point).into_iter().map(|(name, value)| format!("{name}={value}"));
    [kernel].into_iter().chain(settings).collect::<Vec<_>>().join(" ")
}
