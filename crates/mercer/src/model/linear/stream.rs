//! Fits to rows on disk, in bounded memory and to the certificate of a fit in memory.
//!
//! In memory are vectors as long as the rows (up to 96 bytes a row in all), vectors as long as the features, a block of rows for each
//! thread, and copies of the rows that the solver comes back to, as far as the budget goes: first a sample of all rows, whose answer
//! is where the fit begins, then those with curvature in each step. Classes are fitted one after the other.
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
use super::{Algorithm, CPath, Cost, Features, LinearModel, LinearScheme, LinearSolver, Penalty};
use crate::data::{Stream, Vectors};
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
    if !kernel.is_linear() || X::of_vectors(Vectors::dense::<f64>(1, Vec::new())).is_none() {
        let what = "a stream with another kernel than linear on vectors".into();
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
