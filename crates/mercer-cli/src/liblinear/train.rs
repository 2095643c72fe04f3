//! `linear-train`: the linear methods with LIBLINEAR's options, lines and model text.

use mercer::data::{self, Format, LabelColumn, Points, ReadOptions, Vectors};
use mercer::kernel::{VectorExpr, linear};
use mercer::model::file::Saved;
use mercer::model::liblinear::{self, Form, Learnt, Solver};
use mercer::model::{AnyEstimator, AnyKernel, AnyModel, AnyPoints, LinearModel, Targets, Value, Warm};
use mercer::solve::{Certificate, Stop};

use super::options::Train;
use super::validate::{cross_validate, search};
use crate::failure::{InFile, Result};
use crate::fit::{Data, Fitted, ended, fit_from};
use crate::output::{answer, remark};
use crate::program::{class_weights, targets};
use crate::report::{ORIGIN_INSIDE, origin_inside};
use crate::{paths, system};

pub(super) fn run(words: &[String]) -> Result<()> {
    let options = &Train::parse(words)?;
    paths::model_file(&options.model)?;
    paths::distinct(&options.model, &[&options.data])?;
    system::start_threads(options.threads)?;
    let task = Task::new(options)?;
    if let Some(folds) = options.folds {
        return if options.search { search(task, folds) } else { cross_validate(&task, folds) };
    }
    let text = options.model.extension().is_none_or(|ending| ending != "mercer");
    if let (true, Targets::Classes(labels)) = (text, &task.y) {
        liblinear::check(labels.classes())?;
    }
    let fitted = task.fit()?;
    let stop = fitted.model.quality().stop();
    if fitted.found.get(ORIGIN_INSIDE).is_some() {
        remark(format_args!("\n{}", origin_inside().replacen("warning", "WARNING", 1)));
    }
    match stop {
        Some(Stop::IterationLimit) => remark("\nWARNING: reaching max number of iterations"),
        Some(Stop::Stalled) => remark(format_args!("\nWARNING: {}", stalled(&fitted, options.gap))),
        _ => {}
    }
    if !options.quiet {
        answer(lines(options.solver, &fitted))?;
    }
    let saved = Saved { training: fitted.training, ..Saved::new(fitted.model) };
    if text {
        liblinear::write_as(&saved, &Form { solver: options.solver, bias: options.bias }, &options.model)?;
    } else {
        saved.save(&options.model)?;
    }
    ended(stop)
}

/// What is said of a fit that came to rest before its gap was small enough.
fn stalled(fitted: &Fitted, asked: f64) -> String {
    let share = |own: &Certificate| own.gap.map_or(0.0, |gap| gap / (gap - own.objective).abs());
    let largest = fitted.model.quality().certificates().iter().map(share).fold(0.0, f64::max);
    format!(
        "no step improves the objective in double precision: gap = {largest:.1e} of it where {asked:.1e} was asked for; take a smaller C or \
         scale the data"
    )
}

/// What is fitted to what.
pub(super) struct Task<'a> {
    pub(super) options: &'a Train,
    pub(super) c: f64,
    /// ε of a regression.
    pub(super) p: f64,
    pub(super) x: AnyPoints,
    pub(super) y: Targets<AnyPoints>,
    pub(super) labels: LabelColumn,
    /// Factors on C for the classes of the whole data.
    weights: Vec<(String, f64)>,
    /// Whether there is no progress bar.
    pub(super) quiet: bool,
}

impl<'a> Task<'a> {
    /// Reads the data and checks what the options ask for.
    fn new(options: &'a Train) -> Result<Self> {
        let regression = matches!(options.solver.learnt, Learnt::Numbers(_));
        let text =
            ReadOptions { format: Some(Format::Libsvm), targets: regression, ..ReadOptions::default() };
        let table = data::read(&options.data, &text).in_file(&options.data)?;
        let labels = table.labels.unwrap_or(LabelColumn::Numbers(vec![]));
        let x = table.points.compact();
        let y = targets(estimator(options)?.card().target, &labels).in_file(&options.data)?;
        let mut weights = Vec::new();
        if let Targets::Classes(labels) = &y {
            labels.check(x.len()).in_file(&options.data)?;
            weights = class_weights(&options.weights, labels);
        }
        let (c, p) = (options.c.unwrap_or(1.0), options.p.unwrap_or(0.1));
        let task = Self { options, c, p, x: x.into(), y, labels, weights, quiet: options.quiet };
        task.estimator()?.check()?;
        Ok(task)
    }

    /// The part of the task with some of the rows.
    pub(super) fn part(&self, rows: &[usize]) -> Result<Self> {
        let labels = self.labels.select(rows);
        Ok(Self {
            x: self.x.select(rows),
            y: targets(estimator(self.options)?.card().target, &labels)?,
            labels,
            weights: self.weights.clone(),
            ..*self
        })
    }

    /// The method with its settings.
    fn estimator(&self) -> Result<AnyEstimator> {
        let (options, mut estimator) = (self.options, estimator(self.options)?);
        for (name, value) in [
            ("c", Value::Number(self.c)),
            ("epsilon", Value::Number(self.p)),
            ("nu", Value::Number(options.nu)),
            ("tolerance", Value::Number(options.gap)),
            ("offset", Value::Flag(options.bias > 0.0)),
            ("constant", Value::Number(if options.bias > 0.0 { options.bias } else { 1.0 })),
            ("free-offset", Value::Flag(options.free_offset)),
        ] {
            if estimator.get(name).is_some() {
                estimator.set(name, &value)?;
            }
        }
        if let Targets::Classes(labels) = &self.y {
            // A part of the data may have fewer classes.
            let known = |(class, _): &&(String, f64)| labels.classes().contains(class);
            let weights = self.weights.iter().filter(known).cloned().collect();
            estimator.set("weight", &Value::Weights(weights))?;
        }
        Ok(estimator)
    }

    /// Fits the model.
    pub(super) fn fit(&self) -> Result<Fitted> {
        self.fit_from(&mut Warm::default())
    }

    /// Fits the model from the answers of an earlier fit to the same rows, and leaves its own in their place.
    pub(super) fn fit_from(&self, warm: &mut Warm) -> Result<Fitted> {
        let data =
            Data { x: &self.x, y: &self.y, weights: &[], memory: None, quiet: self.quiet, checkpoint: None };
        let mut fitted = fit_from(&self.estimator()?, &data, warm).in_file(&self.options.data)?;
        if self.options.solver.learnt == Learnt::Inside
            && let Some(model) = linear_model(&fitted.model)
        {
            let total = self.options.nu * self.labels.len() as f64;
            fitted.model = AnyModel::Vectors(Box::new(liblinear::with_total(model, total)?));
        }
        Ok(fitted)
    }
}

/// The method that solves the problem of `-s`.
fn estimator(options: &Train) -> Result<AnyEstimator> {
    let mut estimator = AnyEstimator::new(options.method, AnyKernel::Vectors(linear()))?;
    for (name, word) in options.settings {
        estimator.set(name, &Value::Word((*word).into()))?;
    }
    Ok(estimator)
}

/// The linear model that it is.
fn linear_model(model: &AnyModel) -> Option<&LinearModel<Vectors, VectorExpr>> {
    match model {
        AnyModel::Vectors(model) => model.downcast(),
        _ => None,
    }
}

/// The lines of a fit: two for each function, and of a one-class model two more. The objective is the dual's, as a minimum, where LIBLINEAR
/// minimises that.
fn lines(solver: &Solver, Fitted { model, found, .. }: &Fitted) -> String {
    let line = |certificate: &Certificate| {
        let Certificate { iterations, objective, gap, .. } = *certificate;
        let primal = gap.unwrap_or(0.0) - objective;
        let shown = if solver.dual { objective } else { primal };
        // Of the objective 0 no gap is a share.
        let share = |gap: f64| if primal == 0.0 { gap } else { gap / primal.abs() };
        let told = gap.map_or(String::new(), |gap| format!(", gap = {:.1e}", share(gap)));
        format!("optimization finished, #iter = {iterations}{told}\nObjective value = {shown:.6}\n")
    };
    let text: String = model.quality().certificates().iter().map(line).collect();
    match (linear_model(model), found.number("support_points")) {
        (Some(model), Some(support)) => {
            let rho = model.expansion.offsets()[0];
            text + &format!("nSV = {support}\nrho = {rho:.6}\n")
        }
        _ => text,
    }
}
