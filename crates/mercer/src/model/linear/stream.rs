//! Fits to rows on disk, in bounded memory and to the certificate of a fit in memory.
//!
//! In memory are vectors as long as the rows (up to 96 bytes a row in all), vectors as long as the features, a block of rows for each
//! thread, and copies of the rows that the solver comes back to, as far as the budget goes: first a sample of all rows, whose answer
//! is where the fit begins, then those with curvature in each step. Classes are fitted one after the other.
//!
//! Rows seen through maps, `linear @ nystrom(rbf(gamma=1), 1000)`, are fitted in [`Rounds`]: landmarks are chosen from a sample of the rows, and
//! each round is a pass over the file, in m² numbers of memory for m features.
//!
//! ```
//! use std::ops::ControlFlow;
//! use mercer::data::{ReadOptions, Stream, Vectors};
//! use mercer::kernel::linear;
//! use mercer::model::{Estimator, Job, LinearSvc};
//!
//! let folder = tempfile::tempdir()?;
//! let data = folder.path().join("pets.libsvm");
//! std::fs::write(&data, "cat 1:4 2:0.5\ndog 1:30\ncat 1:5 2:0.25\n")?;
//! let stream = Stream::open(&data, None, &ReadOptions::default(), &mut |_| ControlFlow::Continue(()))?;
//! let labels = stream.labels()?.unwrap().labels();
//! let mut job = Job::<Vectors>::new().memory(256 << 20);
//! let model = LinearSvc::new(linear()).fit_stream(&stream, &labels, &mut job)?;
//! assert_eq!(model.predict(&Vectors::dense(2, vec![20.0, 0.0]))?, ["dog"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::classifier::{prices_of, targets_of};
use std::time::Instant;

use super::{
    Algorithm, CPath, Cost, EXACT_GAP, Features, LinearModel, LinearScheme, LinearSolver, Penalty, Rounds,
};
use crate::data::{Rows, SplitMix, Stream, Vectors};
use crate::memory::obtainable;
use crate::model::prelude::*;
use crate::model::svm::class_weights::{check_known, factors};
use crate::solve::linear::{self, Answer, Blocked, Problem};
use crate::solve::{Progress, Stop};

/// Bytes for a fit where the job says nothing. It is no share of what the machine has left, so that a fit can be repeated to the bit.
const MEMORY: usize = 2 << 30;
/// Bytes that neither grow with the data nor with the features: the program, blocks of a dozen threads.
const FIXED: u64 = 48 << 20;
/// Bytes for each row: targets, prices, outputs, dual variables and what a step has besides.
const ROW: u64 = 96;
/// Vectors as long as the features.
const VECTORS: u64 = 16;

/// Refuses what needs all rows or columns at once.
pub(super) fn check(solver: &LinearSolver, penalty: Penalty, scheme: LinearScheme) -> Result<()> {
    let what = if penalty == Penalty::L1 {
        "the penalty l1 on a stream: it goes through columns".into()
    } else if scheme != LinearScheme::OneVsRest {
        format!("the scheme {} on a stream: ovr reads rows from disk", scheme.name()).into()
    } else if solver.path != CPath::None {
        "a path of C on a stream: each fit is begun anew".into()
    } else if solver.algorithm == Algorithm::Dual {
        "the solver dual on a stream: newton reads rows in passes".into()
    } else {
        return Ok(());
    };
    Err(ErrorKind::Unsupported { what }.into())
}

/// Fits a function for each class, or one for two.
pub(super) fn fit_classes<X: Points, K: Kernel<X> + Clone>(
    kernel: &K,
    (c, class_weights): (f64, &[(String, f64)]),
    (solver, cost): (&LinearSolver, Cost),
    (x, y): (&Stream, &Labels),
    job: &mut Job<'_, X>,
) -> Result<LinearModel<X, K>> {
    check_known(class_weights, y)?;
    y.check(x.len())?;
    check_points(kernel, x, job.weights)?;
    let (classes, factors, weights) = (y.classes().len(), factors(class_weights, y.classes()), job.weights);
    let functions = if classes == 2 { 1 } else { classes };
    if !kernel.is_linear() {
        let part = |class| (targets_of(y, class), weighted(prices_of(y, class, c, &factors), weights));
        return in_rounds(kernel, (solver, cost), x, (functions, y.classes().to_vec()), job, part);
    }
    let answers = solve((solver, cost), x, functions, job, |class| {
        (targets_of(y, class), weighted(prices_of(y, class, c, &factors), weights))
    })?;
    LinearModel::new(kernel, solver, cost, &Features::all(x.width()), answers, y.classes().to_vec())
}

/// Fits a function to numbers.
pub(super) fn fit_numbers<X: Points, K: Kernel<X> + Clone>(
    kernel: &K,
    c: f64,
    (solver, cost): (&LinearSolver, Cost),
    (x, y): (&Stream, &[f64]),
    job: &mut Job<'_, X>,
) -> Result<LinearModel<X, K>> {
    crate::error::check("targets", y.len() as f64, y.len() == x.len(), "must be one per point")?;
    if let Some(&odd) = y.iter().find(|target| !target.is_finite()) {
        crate::error::check("target", odd, false, "must be finite")?;
    }
    check_points(kernel, x, job.weights)?;
    let weights = job.weights;
    let prices = || weighted(std::iter::repeat_n(c, y.len()), weights);
    if !kernel.is_linear() {
        return in_rounds(kernel, (solver, cost), x, (1, Vec::new()), job, |_| (y.to_vec(), prices()));
    }
    let answers = solve((solver, cost), x, 1, job, |_| (y.to_vec(), prices()))?;
    LinearModel::new(kernel, solver, cost, &Features::all(x.width()), answers, Vec::new())
}

/// Prices times weights, where there are any.
fn weighted(prices: impl Iterator<Item = f64>, weights: &[f64]) -> Vec<f64> {
    match weights {
        [] => prices.collect(),
        weights => prices.zip(weights).map(|(price, weight)| price * weight).collect(),
    }
}

/// Refuses another kernel, and weights that are not one for each row and above 0.
fn check_points<X: Points, K: Kernel<X>>(kernel: &K, x: &Stream, weights: &[f64]) -> Result<()> {
    if kernel.coordinates().is_none() || X::of_vectors(Vectors::dense::<f64>(1, Vec::new())).is_none() {
        let what =
            "a stream with another kernel than linear, linear @ map or a multiple of these on vectors".into();
        return Err(ErrorKind::Unsupported { what }.into());
    }
    let rule = if weights.is_empty() {
        return Ok(());
    } else if weights.len() != x.len() {
        "there must be one for each point"
    } else if !weights.iter().all(|&w| w > 0.0 && w.is_finite()) {
        "all must be above 0 and finite where rows are on disk: rows are not left out"
    } else {
        return Ok(());
    };
    Err(ErrorKind::Data(DataProblem::Weights { rule }).into())
}

/// Bytes for copies of rows: what a budget leaves.
fn room(x: &Stream, functions: usize, memory: usize) -> Result<usize> {
    let (rows, width) = (x.len() as u64, x.width() as u64 + 1);
    let features = width.saturating_mul(8 * VECTORS + 24 * functions as u64);
    let sums = Blocked::sums(x.width() + 1) as u64;
    let needed = [FIXED, ROW * rows, features, sums, 2 * x.block_bytes() as u64];
    let needed = needed.into_iter().fold(0, u64::saturating_add);
    let (what, budget) = ("a fit to a stream, for vectors as long as its rows and features,", memory as u64);
    let Some(left) = budget.checked_sub(needed) else {
        return Err(ErrorKind::Memory { what, needed, budget, instead: "allow more memory" }.into());
    };
    obtainable(what, needed, "give the process more address space")?;
    obtainable("a fit to a stream in the memory that it is allowed", budget, "allow less memory")?;
    Ok(left as usize)
}

/// Rows that landmarks are chosen from, at most.
const SAMPLE: usize = 50_000;

/// Rows of a stream drawn for landmarks to be chosen from: one of each of so many parts of equal length, all where there are no more.
fn sample(x: &Stream, bytes: usize, seed: u64) -> Result<Vectors> {
    let (n, mut random) = (x.len(), SplitMix(seed));
    let a_row = 16 * (x.stored() / n.max(1) + 1);
    let count = SAMPLE.min(bytes / a_row).clamp(1, n.max(1));
    let draw = |part: usize, random: &mut SplitMix| {
        let (first, end) = (part * n / count, (part + 1) * n / count);
        first + (random.uniform() * (end - first) as f64) as usize
    };
    let drawn: Vec<usize> = (0..count).map(|part| draw(part, &mut random)).collect();
    let mut rows = Rows::default();
    for block in 0..x.blocks() {
        let own = x.rows_of(block);
        let here = drawn.partition_point(|&i| i < own.start)..drawn.partition_point(|&i| i < own.end);
        if here.is_empty() {
            continue;
        }
        x.visit(block, |from| {
            if rows.len() == 0 {
                rows.dense = from.dense;
            } else if rows.dense && !from.dense {
                rows.list(x.width());
            }
            drawn[here].iter().for_each(|&i| rows.copy(from, i - own.start));
        });
    }
    x.outcome()?;
    Ok(rows.to_vectors(x.width()))
}

/// Fits functions over the features that maps make of the rows, in rounds; landmarks are chosen from a sample of the rows.
fn in_rounds<X: Points, K: Kernel<X> + Clone>(
    kernel: &K,
    (solver, cost): (&LinearSolver, Cost),
    x: &Stream,
    (functions, classes): (usize, Vec<String>),
    job: &mut Job<'_, X>,
    part: impl Fn(usize) -> (Vec<f64>, Vec<f64>),
) -> Result<LinearModel<X, K>> {
    if solver.offset && solver.free_offset {
        let what = "a free offset on a stream seen through maps".into();
        return Err(ErrorKind::Unsupported { what }.into());
    }
    let (started, memory) = (Instant::now(), job.memory.unwrap_or(MEMORY));
    let before = x.read_bytes();
    let rows = sample(x, memory / 8, solver.seed)?;
    let points = X::of_vectors(rows).expect("checked to be a space of vectors");
    let kernel = Weighted::new(&points, &[])?.kernel(kernel, job)?;
    drop(points);
    let coordinates = kernel.coordinates().expect("a fitted kernel has the coordinates of the kernel");
    let columns = coordinates.width(x.width())?;
    let needed = Rounds::bytes(columns).saturating_add(ROW * x.len() as u64).saturating_add(FIXED);
    crate::memory::room(
        "a fit in rounds",
        needed,
        Some(memory),
        "take fewer landmarks, or allow more memory",
    )?;
    let mut watch = job.rounds();
    let (mut rows, mut certificates, mut exact) = (Vec::new(), Vec::new(), Vec::new());
    for function in 0..functions {
        let (targets, prices) = part(function);
        let rounds = Rounds::of(coordinates.clone(), x.width(), cost, ("stream", &[]))?;
        let mut rounds = rounds.constant(solver.constant()).until(solver.tolerance, solver.iteration_limit);
        let certificate = loop {
            let mut stats = rounds.stats(&Vectors::dense::<f64>(x.width(), Vec::new()), &[], &[])?;
            for block in 0..x.blocks() {
                let (own, mut added) = (x.rows_of(block), Ok(()));
                x.visit(block, |rows| {
                    let points = rows.to_vectors(x.width());
                    added = rounds.add(&mut stats, &points, &targets[own.clone()], &prices[own.clone()]);
                });
                x.outcome()?;
                added?;
            }
            rounds.solve(&stats)?;
            if let Some(certificate) = rounds.certificate() {
                break certificate;
            }
            let elapsed = started.elapsed();
            if solver.time_limit.is_some_and(|limit| elapsed >= limit) {
                rounds = rounds.until(solver.tolerance, 0);
            }
            let progress = Progress {
                part: function,
                parts: functions,
                rounds: rounds.round(),
                iterations: rounds.round(),
                active: x.len(),
                working_set: 0,
                pair: None,
                violation: rounds.gap().sqrt(),
                gap: rounds.gap(),
                objective: rounds.objective(),
                elapsed,
            };
            if watch(&progress).is_break() {
                return Err(ErrorKind::Interrupted.into());
            }
        };
        let (mut left, mut failed) = (0.0, Ok(()));
        for block in (0..x.blocks()).take_while(|_| coordinates.has_landmarks()) {
            let own = x.rows_of(block);
            x.visit(block, |rows| {
                match rounds.left_out(&rows.to_vectors(x.width()), &targets[own.clone()], &prices[own]) {
                    Ok(sum) => left += sum,
                    Err(error) => failed = Err(error),
                }
            });
            x.outcome()?;
        }
        failed?;
        exact.extend(rounds.exact_gap(left).filter(|_| coordinates.has_landmarks()));
        rows.push(rounds.weights().to_vec());
        certificates.push(certificate);
    }
    drop(watch);
    if !exact.is_empty() {
        job.found.add(EXACT_GAP, exact);
    }
    job.found.add("passes", (x.read_bytes() - before) as f64 / x.bytes().max(1) as f64);
    let model =
        LinearModel::of_rows(&kernel, solver, cost, &Features::all(columns), (rows, certificates), classes)?;
    Ok(model.of_inputs(x.width()))
}

/// Solves a problem for each function, one after the other; `part` gives targets and prices.
fn solve<X: Points>(
    (solver, cost): (&LinearSolver, Cost),
    x: &Stream,
    functions: usize,
    job: &mut Job<'_, X>,
    part: impl Fn(usize) -> (Vec<f64>, Vec<f64>),
) -> Result<Vec<Answer>> {
    let room = room(x, functions, job.memory.unwrap_or(MEMORY))?;
    let before = x.read_bytes();
    let mut answers: Vec<Answer> = Vec::with_capacity(functions);
    let mut rounds = job.rounds();
    for function in 0..functions {
        let (targets, prices) = part(function);
        let mut watch = |progress: &Progress| match x.failed() {
            true => std::ops::ControlFlow::Break(()),
            false => rounds(&Progress { part: function, parts: functions, ..*progress }),
        };
        let problem = Problem {
            x: Blocked::new(x, solver.constant(), room),
            targets: &targets,
            prices: &prices,
            cost,
            free_offset: solver.offset && solver.free_offset,
            offset_price: 0.0,
        };
        let Answer { weights, certificate, .. } =
            linear::solve_blocked(&problem, &solver.limits(), &mut watch);
        x.outcome()?;
        answers.push(Answer { weights, dual: Vec::new(), certificate });
        if certificate.stop == Stop::Interrupted && function + 1 < functions {
            return Err(ErrorKind::Interrupted.into());
        }
    }
    drop(rounds);
    let passes = (x.read_bytes() - before) as f64 / x.bytes().max(1) as f64;
    job.found.add("passes", passes);
    Ok(answers)
}
