//! `svm-train`: the methods of LIBSVM with its lines.

use mercer::data::{self, Folds, Format, LabelColumn, Points, ReadOptions};
use mercer::kernel::{VectorExpr, linear, polynomial, precomputed, rbf, tanh};
use mercer::model::file::Saved;
use mercer::model::probability::{Curve, Estimate, Settings};
use mercer::model::{AnyEstimator, AnyKernel, AnyModel, AnyPoints, Targets, Value};
use mercer::solve::Stop;

use super::lines;
use super::options::Train;
use super::predict::predict;
use crate::failure::{InFile, Result};
use crate::fit::{Data, Fitted, ended, fit, learn};
use crate::models::{Kind, check_libsvm};
use crate::output::{answer, remark};
use crate::program::{FOLD_SEED, class_weights, percent, regression, targets};
use crate::report::{Errors, Judgement};
use crate::{paths, system};

pub(super) fn run(words: &[String]) -> Result<()> {
    let options = &Train::parse(words)?;
    paths::model_file(&options.model)?;
    paths::distinct(&options.model, &[&options.data])?;
    system::start_threads(0)?;
    let task = Task::new(options)?;
    if let Some(folds) = options.folds {
        return cross_validate(&task, folds);
    }
    let text = options.model.extension().is_none_or(|ending| ending != "mercer");
    if text {
        check_libsvm(&task.estimator, &task.kernel, &task.y)?;
    }
    let fitted = task.fit()?;
    let probability = task.probability(&fitted.model)?;
    let (training, stop) = (fitted.training.clone(), fitted.model.quality().stop());
    task.tell(&fitted)?;
    let saved = Saved { training, probability, ..Saved::new(fitted.model) };
    let kind = if text { Kind::Libsvm } else { Kind::Mercer };
    kind.save(&saved, &options.model)?;
    if let (Some(Estimate::Noise(noise)), false) = (&saved.probability, options.quiet) {
        answer(lines::noise(noise.sigma, "sigma= "))?;
    }
    ended(stop)
}

/// What is fitted to what.
struct Task<'a> {
    options: &'a Train,
    kernel: AnyKernel,
    estimator: AnyEstimator,
    x: AnyPoints,
    y: Targets<AnyPoints>,
    labels: LabelColumn,
    weights: Vec<f64>,
}

impl<'a> Task<'a> {
    /// Reads the data and sets up what `-s` asks for.
    fn new(options: &'a Train) -> Result<Self> {
        let text = ReadOptions {
            format: Some(Format::Libsvm),
            precomputed: options.kernel == 4,
            targets: options.method.ends_with("svr"),
            ..ReadOptions::default()
        };
        let table = data::read(&options.data, &text).in_file(&options.data)?;
        let labels = table.labels.unwrap_or(LabelColumn::Numbers(vec![]));
        let x = table.points.compact();
        let kernel = AnyKernel::Vectors(kernel(options, x.width()));
        let mut estimator = AnyEstimator::new(options.method, kernel.clone())?;
        let y = targets(estimator.card().target, &labels).in_file(&options.data)?;
        if let Targets::Classes(labels) = &y {
            labels.check(x.len()).in_file(&options.data)?;
        }
        set(&mut estimator, options, &y)?;
        estimator.check()?;
        let weights = match &options.weight_file {
            None => Vec::new(),
            Some(file) => {
                paths::distinct(&options.model, &[file])?;
                data::read_weights(file, x.len())?
            }
        };
        Ok(Self { options, kernel, estimator, x: x.into(), y, labels, weights })
    }

    /// The part of the task with some of the rows.
    fn part(&self, rows: &[usize]) -> mercer::Result<Self> {
        let labels = self.labels.select(rows);
        Ok(Self {
            options: self.options,
            kernel: self.kernel.clone(),
            estimator: self.estimator.clone(),
            x: self.x.select(rows),
            y: targets(self.estimator.card().target, &labels)?,
            labels,
            weights: rows.iter().filter_map(|&i| self.weights.get(i).copied()).collect(),
        })
    }

    fn data(&self) -> Data<'_> {
        Data {
            x: &self.x,
            y: &self.y,
            weights: &self.weights,
            memory: None,
            quiet: self.options.quiet,
            checkpoint: None,
        }
    }

    fn fit(&self) -> Result<Fitted> {
        fit(&self.estimator, &self.data(), None).in_file(&self.options.data)
    }

    fn probability(&self, model: &AnyModel) -> Result<Option<Estimate>> {
        if !self.options.probability {
            return Ok(None);
        }
        let settings = Settings { method: Curve::Sigmoid, seed: FOLD_SEED, ..Settings::default() };
        let learnt = learn(&self.estimator, &self.data(), model, &settings);
        Ok(learnt.in_file(&self.options.data)?.estimate)
    }

    /// LIBSVM's lines about a fit, unless it is to be quiet.
    fn tell(&self, fitted: &Fitted) -> Result<()> {
        if fitted.model.quality().stop() == Some(Stop::IterationLimit) {
            remark("\nWARNING: reaching max number of iterations");
        }
        match (self.options.quiet, self.weights.is_empty()) {
            (true, _) => Ok(()),
            (false, false) => answer(lines::weighted(&fitted.model)),
            (false, true) => answer(lines::of_fit(&self.estimator, &fitted.model, &fitted.found, &self.y)),
        }
    }
}

fn kernel(options: &Train, width: usize) -> VectorExpr {
    let gamma = options.gamma.unwrap_or(1.0 / width.max(1) as f64);
    match options.kernel {
        0 => linear(),
        1 => polynomial(options.degree, gamma, options.coef0),
        2 => rbf(gamma),
        3 => tanh(gamma, options.coef0),
        _ => precomputed(),
    }
}

/// Sets the parameters that the method has; LIBSVM does not look at the others.
fn set(estimator: &mut AnyEstimator, options: &Train, y: &Targets<AnyPoints>) -> mercer::Result<()> {
    for (name, value) in &options.parameters {
        if estimator.get(name).is_some() {
            estimator.set(name, value)?;
        }
    }
    match (options.method, y) {
        ("svc", Targets::Classes(labels)) => {
            estimator.set("weight", &Value::Weights(class_weights(&options.weights, labels)))
        }
        _ => Ok(()),
    }
}

/// Fits each fold's complement and predicts the fold.
fn cross_validate(task: &Task<'_>, folds: usize) -> Result<()> {
    let (options, rows) = (task.options, task.x.len());
    if folds > rows {
        remark(
            "WARNING: # folds > # data. Will use # folds = # data instead (i.e., leave-one-out cross validation)",
        );
    }
    let folds = match &task.y {
        Targets::Classes(y) => Folds::stratified(y, folds, FOLD_SEED),
        _ => Folds::plain(rows, folds, FOLD_SEED),
    };
    let (mut correct, mut values) = (0, vec![0.0; rows]);
    for k in 0..folds.count() {
        let (out, rest) = folds.split(k);
        let part = task.part(&rest)?;
        let fitted = part.fit()?;
        // As in LIBSVM, `-b 1` changes what classifiers say of the rows left out, and nothing else.
        let estimate = match part.y {
            Targets::Classes(_) => part.probability(&fitted.model)?,
            _ => None,
        };
        let found = predict(&fitted.model, estimate.as_ref(), &task.x.select(&out)).in_file(&options.data)?;
        ended(None)?;
        part.tell(&fitted)?;
        if let Some(found) = found.values() {
            out.iter().zip(found).for_each(|(&i, &value)| values[i] = value);
        } else if let Some(Judgement::Correct(right)) =
            found.judge(&task.labels.select(&out)).in_file(&options.data)?
        {
            correct += right;
        }
    }
    answer(match &task.y {
        Targets::Numbers(lists) => regression(&Errors::of(&values, &lists[0]), "Cross Validation ", ""),
        _ => format!("Cross Validation Accuracy = {}%\n", percent(correct, rows)),
    })
}
