//! `mercer train`: read, fit, save, print the certificate.

mod report;

use std::path::{Path, PathBuf};
use std::time::Instant;

use mercer::data::{self, LabelColumn, LabelSets, Labels, Points, ReadOptions, Table, Vectors};
use mercer::kernel::{VectorExpr, rbf};
use mercer::model::file::{Saved, Training};
use mercer::model::{
    Local, Machine, MultiLabel, NuSvc, OneClass, OneVsAll, Slack, Svc, Svdd, Svr, Together, VoteRule, libsvm,
};
use mercer::solve::{Selection, Smo};

use crate::args::{MethodArg, ScaleArg, SolverArgs, TrainArgs};
use crate::failure::{Failure, InFile, Result, code};
use crate::fit::Fitted;
use crate::models::is_precomputed;
use crate::multiclass::{self, Many, MulticlassArg};
use crate::progress::Show;
use crate::task::Task;
use crate::{algebra, early, paths, probability, scaling, system};
use report::{Cost, Outcome, report};

/// Memory that is neither data nor kernel rows: gradients, working sets, packed columns.
const OVERHEAD: u64 = 32 << 20;

/// Runs the command.
pub(crate) fn run(args: &TrainArgs) -> Result<()> {
    if args.method.is_algebra() {
        return algebra::train(args);
    }
    mercer::return_freed_memory();
    let threads = system::start_threads(args.common.threads)?;
    system::listen_for_interrupt()?;
    let path = model_path(args)?;
    if let Some(trace) = &args.solver.trace {
        args.row_weights.iter().try_for_each(|weights| paths::distinct(trace, &[weights]))?;
        paths::trace_file(trace, &args.data, &path)?;
    }

    check_parameters(args)?;
    multiclass::check(args)?;
    early::check(args)?;
    let settings = probability::settings(args)?;
    let started = Instant::now();
    let mut input = Input::read(args)?;
    mercer::return_freed_memory();
    let read_seconds = started.elapsed().as_secs_f64();

    let mut task = task(args, &mut input)?;
    *task.weights_mut() = input.weights(args)?;
    if args.libsvm {
        task.check_libsvm()?;
    }
    let show = Show { quiet: args.common.quiet, trace: args.solver.trace.clone() };
    let fitted = task.fit(&input.x, &show).in_file(&args.data)?;
    let Fitted { mut model, seconds: fit_seconds, phases, epsilon, .. } = fitted;
    if let (Machine::Classifier(model), Some(MulticlassArg::OvoSum)) = (&mut model, args.multiclass) {
        model.rule = VoteRule::Sum;
    }
    let (probability, probability_seconds) = match &settings {
        None => (None, None),
        Some(settings) => {
            let learnt = probability::learn(&task, &input.x, &model, settings, &show).in_file(&args.data)?;
            (learnt.0, Some(learnt.1))
        }
    };
    let peak_bytes = system::peak_bytes();

    let started = Instant::now();
    let (rows, features) = (input.x.len(), input.x.width());
    let saved = Saved { probability, ..input.saved(model, Some(task.training(epsilon))) };
    save(&saved, &path, args.libsvm)?;
    let save_seconds = started.elapsed().as_secs_f64();

    let cost =
        Cost { threads, read_seconds, fit_seconds, probability_seconds, save_seconds, phases, peak_bytes };
    report(args, &Outcome { task: &task, saved: &saved, settings, rows, features, path: &path, cost })?;
    // The machine itself may have been ready by then.
    if system::stop_wanted() { Err(Failure::Answer(code::INTERRUPTED)) } else { Ok(()) }
}

/// The model file to write: nothing that is read, and in a folder that is there.
pub(crate) fn model_path(args: &TrainArgs) -> Result<PathBuf> {
    let path = args.model.clone().unwrap_or_else(|| default_model(&args.data, args.libsvm));
    paths::model_file(&path)?;
    let read = [
        Some(&args.data),
        args.row_weights.as_ref(),
        args.targets.as_ref(),
        args.projections.second.as_ref(),
    ];
    read.into_iter().flatten().try_for_each(|other| paths::distinct(&path, &[other]))?;
    Ok(path)
}

/// Refuses parameters that the method does not have: they would be ignored.
pub(crate) fn check_parameters(args: &TrainArgs) -> Result<()> {
    let given = [
        ("-c", args.c.is_some()),
        ("--epsilon", args.epsilon.is_some()),
        ("--nu", args.nu.is_some()),
        ("--weight", !args.weights.is_empty()),
        ("--squared", args.squared),
        ("--no-offset", args.no_offset),
        ("--early", args.early.is_some()),
        ("--lambda", args.lambda.is_some()),
        ("--targets", args.targets.is_some()),
        ("--loo", args.leave_one_out),
        ("--iterative", args.iterative),
    ];
    let (method, known) = (args.method.name(), args.method.parameters());
    match given.iter().chain(&args.projections.given()).find(|(name, given)| *given && !known.contains(name))
    {
        None => Ok(()),
        Some((name, _)) => {
            let known = known.join(", ");
            Err(Failure::Usage(format!("{name}: --method {method} does not have it; it has {known}")))
        }
    }
}

/// What the fit gets: points, labels, and how both came to be.
pub(crate) struct Input {
    /// The points.
    pub(crate) x: Vectors,
    labels: Option<LabelColumn>,
    encoding: Option<data::Encoding>,
    scaler: Option<data::Scaler>,
    names: Vec<String>,
}

impl Input {
    /// Reads the data file.
    pub(crate) fn read(args: &TrainArgs) -> Result<Self> {
        let precomputed = args.kernel.as_ref().is_some_and(is_precomputed);
        if precomputed && args.scale != ScaleArg::None {
            return Err(Failure::Usage(
                "--scale: the columns of a precomputed kernel are not features".into(),
            ));
        }
        let targets = matches!(args.method, MethodArg::Svr | MethodArg::NuSvr | MethodArg::Ridge)
            && args.targets.is_none();
        let sets = args.multilabel;
        let options = ReadOptions { precomputed, targets, sets, ..args.data_options.options() };
        let Table { points, labels, encoding, names } =
            data::read(&args.data, &options).in_file(&args.data)?;
        let scaler = scaling::fit(args.scale, &points)?;
        let x = scaling::apply(scaler.as_ref(), points).compact();
        Ok(Self { x, labels, encoding, scaler, names })
    }

    /// Hands over the labels, which must be there.
    pub(crate) fn labels(&mut self, args: &TrainArgs) -> Result<LabelColumn> {
        self.labels.take().ok_or_else(|| {
            let file = args.data.display();
            Failure::Usage(format!(
                "{file}: no labels; name their column by --label or their file by --labels"
            ))
        })
    }

    /// The same as numbers.
    pub(crate) fn targets(&mut self, args: &TrainArgs) -> Result<Vec<f64>> {
        self.labels(args)?.numbers().in_file(&args.data)
    }

    /// A weight for each row; empty for 1.
    pub(crate) fn weights(&self, args: &TrainArgs) -> Result<Vec<f64>> {
        let read = |file: &PathBuf| data::read_weights(file, self.x.len());
        Ok(args.row_weights.as_ref().map(read).transpose()?.unwrap_or_default())
    }

    /// The model with how its data came to be.
    pub(crate) fn saved(self, model: Machine, training: Option<Training>) -> Saved {
        let (scaler, encoding, names) = (self.scaler, self.encoding, self.names);
        Saved { scaler, encoding, names, training, ..Saved::from(model) }
    }
}

/// The data file's name with an ending, in the current folder.
fn default_model(data: &Path, libsvm: bool) -> PathBuf {
    let mut name = match data.file_name() {
        Some(name) if name != "-" => name.to_owned(),
        _ => "stdin".into(),
    };
    name.push(if libsvm { ".model" } else { ".mercer" });
    name.into()
}

/// The machine asked for, with what it needs of the data.
fn task(args: &TrainArgs, input: &mut Input) -> Result<Task> {
    let kernel = args.kernel.clone().unwrap_or_else(|| default_kernel(input.x.width()));
    kernel.check()?;
    let solver = solver(&args.solver, Smo { tolerance: args.violation(), ..Smo::default() })?;
    let (c, nu) = (args.c.unwrap_or(1.0), args.nu.unwrap_or(0.5));
    let slack = if args.squared { Slack::Squared } else { Slack::Linear };
    let task = match args.method {
        MethodArg::Svc if multiclass::is_many(args) => Task::Many(many(args, input, kernel, solver)?),
        MethodArg::Svc => {
            let y = input.labels(args)?.labels().libsvm_order();
            y.check(input.x.len()).in_file(&args.data)?;
            if !args.common.quiet {
                multiclass::remark_on_sets(y.classes());
            }
            let svc = Svc::new(kernel).c(c).slack(slack).offset(!args.no_offset).solver(solver);
            let svc = Svc { class_weights: class_weights(args, &y)?, ..svc };
            match args.early {
                None => Task::Svc(svc, y),
                Some(cells) => Task::Local(Local { svc, cells }, y),
            }
        }
        MethodArg::NuSvc => {
            let y = input.labels(args)?.labels().libsvm_order();
            y.check(input.x.len()).in_file(&args.data)?;
            Task::NuSvc(NuSvc::new(kernel).nu(nu).solver(solver), y)
        }
        MethodArg::Svr => {
            let epsilon = args.epsilon.unwrap_or(0.1);
            let svr = Svr::new(kernel).c(c).epsilon(epsilon).slack(slack).solver(solver);
            Task::Svr(svr, input.targets(args)?)
        }
        MethodArg::NuSvr => Task::Svr(Svr::new(kernel).c(c).nu(nu).solver(solver), input.targets(args)?),
        MethodArg::OneClass => Task::OneClass(OneClass::new(kernel).nu(nu).solver(solver)),
        MethodArg::Svdd => Task::Svdd(Svdd::new(kernel).c(c).solver(solver)),
        method @ (MethodArg::Ridge | MethodArg::Fisher | MethodArg::Cca | MethodArg::Kpca) => {
            return Err(Failure::Unsupported(format!("--method {} as a quadratic programme", method.name())));
        }
    };
    task.check()?;
    Ok(task)
}

/// The machine with a function for each class or label.
fn many(args: &TrainArgs, input: &mut Input, kernel: VectorExpr, solver: Smo) -> Result<Many> {
    let (labels, c) = (input.labels(args)?.labels(), args.c.unwrap_or(1.0));
    if args.multilabel {
        let y = LabelSets::of(&labels);
        if y.names().is_empty() {
            return Err(Failure::Usage(format!(
                "--multilabel: no row of {} has a label",
                args.data.display()
            )));
        }
        return Ok(Many::MultiLabel(MultiLabel::new(kernel).c(c).solver(solver), y));
    }
    let y = labels.libsvm_order();
    y.check(input.x.len()).in_file(&args.data)?;
    let class_weights = class_weights(args, &y)?;
    Ok(match args.multiclass.and_then(MulticlassArg::loss) {
        Some(loss) => {
            let machine = Together::new(kernel).loss(loss).c(c).solver(solver);
            Many::Together(Together { class_weights, ..machine }, y)
        }
        None => {
            let machine = OneVsAll::new(kernel).c(c).solver(solver);
            Many::OneVsAll(OneVsAll { class_weights, ..machine }, y)
        }
    })
}

/// Factors on C for classes that are there.
fn class_weights(args: &TrainArgs, y: &Labels) -> Result<Vec<(String, f64)>> {
    let known = |(class, weight): &(String, f64)| {
        let class = class.parse().map_or_else(|_| class.clone(), data::number_text);
        if !y.classes().contains(&class) {
            let file = args.data.display();
            return Err(Failure::Usage(format!("--weight {class}={weight}: {file} has no class '{class}'")));
        }
        Ok((class, *weight))
    };
    args.weights.iter().map(known).collect()
}

/// rbf with γ = 1/features, as LIBSVM has it.
pub(crate) fn default_kernel(features: usize) -> VectorExpr {
    rbf(1.0 / features.max(1) as f64)
}

fn solver(args: &SolverArgs, default: Smo) -> Result<Smo> {
    let cache_bytes = match (args.cache, args.memory) {
        (Some(bytes), _) => bytes,
        (None, Some(bytes)) => left_for_rows(bytes)?,
        (None, None) => default.cache_bytes,
    };
    Ok(Smo {
        working_set: args.working_set,
        selection: if args.first_order { Selection::FirstOrder } else { Selection::SecondOrder },
        exact: args.exact,
        shrinking: !args.no_shrinking,
        cache_bytes,
        time_limit: args.time_limit,
        iteration_limit: args.max_iterations,
        ..default
    })
}

/// What a budget for the whole program leaves for kernel rows once the data are there.
pub(crate) fn left_for_rows(budget: usize) -> Result<usize> {
    let taken = system::resident_bytes().unwrap_or(0) + OVERHEAD;
    let left = (budget as u64).checked_sub(taken).filter(|&left| left > 0);
    left.map(|left| left as usize).ok_or_else(|| {
        let megabytes = |bytes: u64| bytes.div_ceil(1 << 20);
        let (budget, taken) = (megabytes(budget as u64), megabytes(taken));
        Failure::Usage(format!("--memory {budget}: the data and the program take {taken} MB already"))
    })
}

fn save(saved: &Saved, path: &Path, libsvm: bool) -> Result<()> {
    if libsvm {
        libsvm::write(saved, path)?
    } else {
        saved.save(path)?
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_named_after_their_data() {
        assert_eq!(default_model(Path::new("a/b.txt.gz"), false), Path::new("b.txt.gz.mercer"));
        assert_eq!(default_model(Path::new("heart"), true), Path::new("heart.model"));
        assert_eq!(default_model(Path::new("-"), false), Path::new("stdin.mercer"));
    }

    #[test]
    fn a_budget_smaller_than_the_program_is_refused() {
        let failure = left_for_rows(1 << 20).unwrap_err();
        assert!(failure.to_string().starts_with("--memory 1: the data and the program take"), "{failure}");
        assert!(left_for_rows(usize::MAX / 2).unwrap() > 1 << 30);
    }
}
