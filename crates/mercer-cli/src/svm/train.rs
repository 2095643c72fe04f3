//! `svm-train`: the machines of LIBSVM with its lines.

use mercer::data::{self, Folds, Format, LabelColumn, Labels, Points, ReadOptions, Vectors, format_g};
use mercer::kernel::{VectorExpr, linear, polynomial, precomputed, rbf, tanh};
use mercer::model::file::Saved;
use mercer::model::probability::{Estimate, Method, Settings};
use mercer::model::{Machine, NuSvc, OneClass, Svc, Svr, libsvm};
use mercer::solve::{Smo, Stop};

use super::lines;
use super::options::{MachineType, Train};
use crate::failure::{Failure, InFile, Result, code};
use crate::fit::{Fitted, Totals};
use crate::measures::Errors;
use crate::output::{answer, remark};
use crate::paths;
use crate::predict::{Judgement, Like, Predictions, predict_probabilities};
use crate::probability::{FOLDS, learn};
use crate::progress::Show;
use crate::system;
use crate::task::Task;

const MEGABYTE: f64 = 1048576.0;
/// Folds are drawn by a generator with this seed: the same each time.
const SEED: u64 = 0x5eed;

/// Runs the program.
pub(super) fn run(options: &Train) -> Result<()> {
    paths::model_file(&options.model)?;
    paths::distinct(&options.model, &[&options.data])?;
    system::start_threads(0)?;
    system::listen_for_interrupt()?;
    let (x, labels) = read(options)?;
    let mut task = task(options, &x, &labels)?;
    if let Some(weights) = &options.weight_file {
        paths::distinct(&options.model, &[weights])?;
        *task.weights_mut() = data::read_weights(weights, x.len())?;
    }
    if let Some(folds) = options.folds {
        return cross_validate(options, &task, &x, &labels, folds);
    }
    let as_text = options.model.extension().is_none_or(|ending| ending != "mercer");
    if as_text {
        task.check_libsvm()?;
    }
    let fitted = task.fit(&x, &Show::bar(options.quiet)).in_file(&options.data)?;
    let probability = probability(options, &task, &x, &fitted.model)?;
    let training = Some(task.training(fitted.epsilon));
    let saved = Saved { training, probability, ..Saved::from(fitted.model.clone()) };
    if as_text {
        libsvm::write(&saved, &options.model)?;
    } else {
        saved.save(&options.model)?;
    }
    tell(options, &task, &fitted, x.len())?;
    if let (Some(Estimate::Noise(noise)), false) = (&saved.probability, options.quiet) {
        answer(lines::noise(noise.sigma, "sigma= "))?;
    }
    let interrupted = fitted.model.certificates().iter().any(|c| c.stop == Stop::Interrupted);
    if interrupted || system::stop_wanted() { Err(Failure::Answer(code::INTERRUPTED)) } else { Ok(()) }
}

fn read(options: &Train) -> Result<(Vectors, LabelColumn)> {
    let text = ReadOptions {
        format: Some(Format::Libsvm),
        precomputed: options.kernel == 4,
        targets: matches!(options.machine, MachineType::EpsilonSvr | MachineType::NuSvr),
        ..ReadOptions::default()
    };
    let table = data::read(&options.data, &text).in_file(&options.data)?;
    Ok((table.points.compact(), table.labels.unwrap_or(LabelColumn::Numbers(vec![]))))
}

/// What `-b 1` asks for.
fn probability(options: &Train, task: &Task, x: &Vectors, machine: &Machine) -> Result<Option<Estimate>> {
    if !options.probability {
        return Ok(None);
    }
    let settings = Settings { method: Method::Sigmoid, folds: FOLDS, seed: SEED };
    let learnt = learn(task, x, machine, &settings, &Show::bar(options.quiet)).in_file(&options.data)?;
    Ok(learnt.0)
}

/// What `-s` asks for.
fn task(options: &Train, x: &Vectors, labels: &LabelColumn) -> Result<Task> {
    let (kernel, solver) = (kernel(options, x), solver(options)?);
    let task = match options.machine {
        MachineType::CSvc => {
            let y = labels.labels().libsvm_order();
            y.check(x.len()).in_file(&options.data)?;
            let svc = Svc::new(kernel).c(options.c).solver(solver);
            Task::Svc(weighted(svc, &options.weights, &y), y)
        }
        MachineType::NuSvc => {
            let y = labels.labels().libsvm_order();
            y.check(x.len()).in_file(&options.data)?;
            Task::NuSvc(NuSvc::new(kernel).nu(options.nu).solver(solver), y)
        }
        MachineType::OneClass => Task::OneClass(OneClass::new(kernel).nu(options.nu).solver(solver)),
        MachineType::EpsilonSvr => {
            let svr = Svr::new(kernel).c(options.c).epsilon(options.epsilon).solver(solver);
            Task::Svr(svr, labels.numbers().in_file(&options.data)?)
        }
        MachineType::NuSvr => {
            let svr = Svr::new(kernel).c(options.c).nu(options.nu).solver(solver);
            Task::Svr(svr, labels.numbers().in_file(&options.data)?)
        }
    };
    task.check()?;
    Ok(task)
}

fn kernel(options: &Train, x: &Vectors) -> VectorExpr {
    let gamma = options.gamma.unwrap_or(1.0 / x.width().max(1) as f64);
    match options.kernel {
        0 => linear(),
        1 => polynomial(options.degree, gamma, options.coef0),
        2 => rbf(gamma),
        3 => tanh(gamma, options.coef0),
        _ => precomputed(),
    }
}

fn solver(options: &Train) -> Result<Smo> {
    if !(options.cache_megabytes > 0.0 && options.cache_megabytes < usize::MAX as f64 / MEGABYTE) {
        return Err(Failure::Usage(format!("-m {}: must be positive", options.cache_megabytes)));
    }
    Ok(Smo {
        tolerance: options.tolerance,
        cache_bytes: (options.cache_megabytes * MEGABYTE) as usize,
        shrinking: options.shrinking,
        ..Smo::default()
    })
}

/// Weights for the classes that are there; of the others LIBSVM only warns.
fn weighted(mut svc: Svc<VectorExpr>, weights: &[(i32, f64)], y: &Labels) -> Svc<VectorExpr> {
    for &(class, weight) in weights {
        let name = class.to_string();
        if y.classes().contains(&name) {
            svc = svc.class_weight(name, weight);
        } else {
            remark(format_args!("WARNING: class label {class} specified in weight is not found"));
        }
    }
    svc
}

/// LIBSVM's lines about a fit to `rows` rows, unless it is to be quiet.
fn tell(options: &Train, task: &Task, fitted: &Fitted, rows: usize) -> Result<()> {
    let totals = Totals::of(fitted.model.certificates());
    if totals.is_some_and(|totals| totals.stop == Stop::IterationLimit) {
        remark("\nWARNING: reaching max number of iterations");
    }
    if options.quiet {
        return Ok(());
    }
    if options.weight_file.is_some() {
        return answer(lines::weighted(&fitted.model));
    }
    match (task, &fitted.model) {
        (Task::Svc(svc, y), Machine::Classifier(model)) => answer(lines::classifier(svc, model, y)),
        (Task::NuSvc(_, y), Machine::Classifier(model)) => answer(lines::nu_classifier(model, y, &fitted.c)),
        (Task::Svr(svr, _), Machine::Regression(function)) => {
            answer(lines::regression(svr, function, fitted.epsilon.unwrap_or(0.0), rows))
        }
        (_, Machine::OneClass(function)) => answer(lines::one_class(function)),
        _ => Ok(()),
    }
}

/// Fits each fold's complement and predicts the fold.
fn cross_validate(
    options: &Train,
    task: &Task,
    x: &Vectors,
    labels: &LabelColumn,
    folds: usize,
) -> Result<()> {
    if folds > x.len() {
        remark(
            "WARNING: # folds > # data. Will use # folds = # data instead (i.e., leave-one-out cross validation)",
        );
    }
    let folds = match task {
        Task::Svc(_, y) | Task::Local(_, y) | Task::NuSvc(_, y) => Folds::stratified(y, folds, SEED),
        Task::Svr(..) | Task::OneClass(_) | Task::Svdd(_) | Task::Many(_) => {
            Folds::plain(x.len(), folds, SEED)
        }
    };
    let (mut correct, mut values) = (0, vec![0.0; x.len()]);
    for k in 0..folds.count() {
        let (out, rest) = folds.split(k);
        let part = task.part(&rest);
        let kept = x.select(&rest);
        let fitted = part.fit(&kept, &Show::bar(options.quiet)).in_file(&options.data)?;
        let found = decided(options, &part, &fitted.model, &kept, &x.select(&out))?;
        if system::stop_wanted() {
            return Err(Failure::Answer(code::INTERRUPTED));
        }
        tell(options, &part, &fitted, rest.len())?;
        match &found {
            Predictions::Values(found) => {
                out.iter().zip(found).for_each(|(&i, &value)| values[i] = value);
            }
            _ => {
                if let Some(Judgement::Correct(right)) =
                    found.judge(&rows_of(labels, &out)).in_file(&options.data)?
                {
                    correct += right;
                }
            }
        }
    }
    answer(match task {
        Task::Svr(_, y) => {
            let errors = Errors::of(&values, y);
            format!(
                "Cross Validation Mean squared error = {}\nCross Validation Squared correlation coefficient = {}\n",
                format_g(errors.mean_square, 6),
                format_g(errors.square_correlation, 6),
            )
        }
        Task::Svc(..)
        | Task::Local(..)
        | Task::NuSvc(..)
        | Task::OneClass(_)
        | Task::Svdd(_)
        | Task::Many(_) => {
            let percent = format_g(100.0 * correct as f64 / x.len() as f64, 6);
            format!("Cross Validation Accuracy = {percent}%\n")
        }
    })
}

/// What a machine that was fitted to `kept` says of `left_out`. As in LIBSVM, `-b 1` changes that of classifiers, and
/// nothing else.
fn decided<'a>(
    options: &Train,
    task: &Task,
    machine: &'a Machine,
    kept: &Vectors,
    left_out: &Vectors,
) -> Result<Predictions<'a>> {
    let estimate = match machine {
        Machine::Classifier(_) => probability(options, task, kept, machine)?,
        _ => None,
    };
    let found = match &estimate {
        None => Predictions::libsvm(machine, left_out),
        Some(estimate) => {
            predict_probabilities(machine, estimate, left_out, Like::Libsvm).map(|found| found.0)
        }
    };
    found.in_file(&options.data)
}

/// The labels of some rows.
fn rows_of(labels: &LabelColumn, rows: &[usize]) -> LabelColumn {
    match labels {
        LabelColumn::Numbers(values) => LabelColumn::Numbers(rows.iter().map(|&i| values[i]).collect()),
        LabelColumn::Texts { texts, codes } => {
            LabelColumn::Texts { texts: texts.clone(), codes: rows.iter().map(|&i| codes[i]).collect() }
        }
    }
}
