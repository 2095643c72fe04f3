//! Fits of support vector machines.

use std::time::Duration;

use mercer::data::{LabelSets, Labels};
use mercer::model::file::{Saved, Training};
use mercer::model::probability::{Estimate, Method, Settings};
use mercer::model::{
    Local, Loss, Machine, MultiLabel, NuSvc, OneClass, OneVsAll, Slack, Svc, Svdd, Svr, Together, Zone,
};
use mercer::solve::Smo;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::kernel::Kernel;
use crate::model::Model;
use crate::points::Points;
use crate::work::Run;

/// How a quadratic programme is solved.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Solver(Smo);

#[pymethods]
impl Solver {
    /// To `tolerance`, with `cache` megabytes for kernel rows; no `iterations` is LIBSVM's limit.
    #[new]
    #[pyo3(signature = (*, tolerance, cache, shrinking, iterations, seconds, exact))]
    fn new(
        tolerance: f64,
        cache: f64,
        shrinking: bool,
        iterations: Option<u64>,
        seconds: Option<f64>,
        exact: bool,
    ) -> PyResult<Self> {
        let time = seconds.map(Duration::try_from_secs_f64).transpose();
        Ok(Self(Smo {
            tolerance,
            cache_bytes: (cache.max(0.0) * f64::from(1 << 20)) as usize,
            shrinking,
            iteration_limit: iterations,
            time_limit: time.map_err(|e| PyValueError::new_err(format!("time limit: {e}")))?,
            exact,
            ..Smo::default()
        }))
    }
}

/// Classes of points: their names, and for each point the number of its own.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Classes(pub(crate) Labels);

#[pymethods]
impl Classes {
    /// Names of classes and a number for each point.
    #[new]
    #[pyo3(signature = (names, index: "numpy.typing.NDArray[numpy.uint32]"))]
    fn new(names: Vec<String>, index: PyReadonlyArray1<'_, u32>) -> PyResult<Self> {
        let index = index.as_array().to_vec();
        if index.iter().any(|&class| class as usize >= names.len()) {
            return Err(PyValueError::new_err("a class that has no name"));
        }
        Ok(Self(Labels::new(names, index)))
    }
}

/// How probabilities are learnt: "sigmoid" or "isotonic", folds, seed.
type Learnt = (String, usize, u64);

fn settings((method, folds, seed): Learnt) -> PyResult<Settings> {
    let method = match method.as_str() {
        "sigmoid" => Method::Sigmoid,
        "isotonic" => Method::Isotonic,
        other => {
            return Err(PyValueError::new_err(format!("probability method '{other}': sigmoid or isotonic")));
        }
    };
    Ok(Settings { method, folds, seed })
}

fn none(tolerance: f64) -> Training {
    Training { c: None, nu: None, epsilon: None, class_weights: Vec::new(), tolerance }
}

fn trained(machine: Machine, training: Training) -> Saved {
    Saved { training: Some(training), ..Saved::from(machine) }
}

pub(crate) fn numbers(values: Option<PyReadonlyArray1<'_, f64>>) -> Vec<f64> {
    values.map_or_else(Vec::new, |values| values.as_array().to_vec())
}

/// C-SVC.
#[pyfunction]
#[pyo3(signature = (run, solver, kernel, x, y, weights: "numpy.typing.NDArray[numpy.float64] | None", *, c, squared, offset, probability))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python's")]
pub(crate) fn fit_svc(
    py: Python<'_>,
    run: &Run,
    solver: &Solver,
    kernel: &Kernel,
    x: &Points,
    y: &Classes,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    c: f64,
    squared: bool,
    offset: bool,
    probability: Option<Learnt>,
) -> PyResult<Model> {
    let slack = if squared { Slack::Squared } else { Slack::Linear };
    let svc = Svc::new(kernel.0.clone()).c(c).slack(slack).offset(offset);
    let svc = svc.weights(numbers(weights)).solver(solver.0.clone());
    let (x, y, probability) = (x.0.clone(), y.0.clone(), probability.map(settings).transpose()?);
    let saved = run.job(py, move |shared| {
        let model = svc.fit_watched(&x, &y, &mut shared.watch())?;
        let training = Training { c: Some(svc.c), ..none(svc.solver.tolerance) };
        let mut saved = trained(model.into(), training);
        if let Some(settings) = probability {
            let learnt = svc.fit_probability_watched(&x, &y, &settings, &mut shared.watch())?;
            saved.probability = Some(Estimate::Classes(learnt));
        }
        Ok(saved)
    })?;
    Ok(Model::new(saved))
}

/// ν-SVC.
#[pyfunction]
#[pyo3(signature = (run, solver, kernel, x, y, weights: "numpy.typing.NDArray[numpy.float64] | None", *, nu, class_weights, probability))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python's")]
pub(crate) fn fit_nu_svc(
    py: Python<'_>,
    run: &Run,
    solver: &Solver,
    kernel: &Kernel,
    x: &Points,
    y: &Classes,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    nu: f64,
    class_weights: Vec<(String, f64)>,
    probability: Option<Learnt>,
) -> PyResult<Model> {
    let svc = NuSvc { class_weights, ..NuSvc::new(kernel.0.clone()).nu(nu).adapt(true) };
    let svc = svc.weights(numbers(weights)).solver(solver.0.clone());
    let (x, y, probability) = (x.0.clone(), y.0.clone(), probability.map(settings).transpose()?);
    let saved = run.job(py, move |shared| {
        let model = svc.fit_watched(&x, &y, &mut shared.watch())?;
        let mut saved = trained(model.into(), Training { nu: Some(nu), ..none(svc.solver.tolerance) });
        if let Some(settings) = probability {
            let learnt = svc.fit_probability_watched(&x, &y, &settings, &mut shared.watch())?;
            saved.probability = Some(Estimate::Classes(learnt));
        }
        Ok(saved)
    })?;
    Ok(Model::new(saved))
}

/// Regression by ε (or, where `nu` is given, by ν).
#[pyfunction]
#[pyo3(signature = (run, solver, kernel, x, y: "numpy.typing.NDArray[numpy.float64]", weights: "numpy.typing.NDArray[numpy.float64] | None", *, c, epsilon, nu, squared))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python's")]
pub(crate) fn fit_svr(
    py: Python<'_>,
    run: &Run,
    solver: &Solver,
    kernel: &Kernel,
    x: &Points,
    y: PyReadonlyArray1<'_, f64>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    c: f64,
    epsilon: f64,
    nu: Option<f64>,
    squared: bool,
) -> PyResult<Model> {
    let slack = if squared { Slack::Squared } else { Slack::Linear };
    let svr = Svr {
        zone: nu.map_or(Zone::Epsilon(epsilon), Zone::Nu),
        weights: numbers(weights),
        ..Svr::new(kernel.0.clone()).c(c).slack(slack).solver(solver.0.clone())
    };
    let (x, y) = (x.0.clone(), y.as_array().to_vec());
    let saved = run.job(py, move |shared| {
        let fit = svr.fit_timed(&x, &y, &mut shared.watch())?;
        let training = Training { c: Some(c), nu, epsilon: Some(fit.epsilon), ..none(svr.solver.tolerance) };
        Ok(trained(Machine::Regression(fit.function), training))
    })?;
    Ok(Model::new(saved))
}

/// The one-class machine.
#[pyfunction]
#[pyo3(signature = (run, solver, kernel, x, weights: "numpy.typing.NDArray[numpy.float64] | None", *, nu))]
pub(crate) fn fit_one_class(
    py: Python<'_>,
    run: &Run,
    solver: &Solver,
    kernel: &Kernel,
    x: &Points,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    nu: f64,
) -> PyResult<Model> {
    let machine = OneClass::new(kernel.0.clone()).nu(nu).weights(numbers(weights)).solver(solver.0.clone());
    let x = x.0.clone();
    let saved = run.job(py, move |shared| {
        let function = machine.fit_watched(&x, &mut shared.watch())?;
        let training = Training { nu: Some(nu), ..none(machine.solver.tolerance) };
        Ok(trained(Machine::OneClass(function), training))
    })?;
    Ok(Model::new(saved))
}

/// The smallest sphere.
#[pyfunction]
#[pyo3(signature = (run, solver, kernel, x, weights: "numpy.typing.NDArray[numpy.float64] | None", *, c))]
pub(crate) fn fit_svdd(
    py: Python<'_>,
    run: &Run,
    solver: &Solver,
    kernel: &Kernel,
    x: &Points,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    c: f64,
) -> PyResult<Model> {
    let svdd = Svdd::new(kernel.0.clone()).c(c).weights(numbers(weights)).solver(solver.0.clone());
    let x = x.0.clone();
    let saved = run.job(py, move |shared| {
        let sphere = svdd.fit_watched(&x, &mut shared.watch())?;
        Ok(trained(sphere.into(), Training { c: Some(c), ..none(svdd.solver.tolerance) }))
    })?;
    Ok(Model::new(saved))
}

/// All classes in one programme by the loss named, or one class against all others for "ovr".
#[pyfunction]
#[pyo3(signature = (run, solver, kernel, x, y, weights: "numpy.typing.NDArray[numpy.float64] | None", *, loss, c))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python's")]
pub(crate) fn fit_scores(
    py: Python<'_>,
    run: &Run,
    solver: &Solver,
    kernel: &Kernel,
    x: &Points,
    y: &Classes,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    loss: &str,
    c: f64,
) -> PyResult<Model> {
    let (x, y, solver, weights) = (x.0.clone(), y.0.clone(), solver.0.clone(), numbers(weights));
    let training = Training { c: Some(c), ..none(solver.tolerance) };
    let kernel = kernel.0.clone();
    let loss = match Loss::ALL.into_iter().find(|known| known.name() == loss) {
        Some(known) => Some(known),
        None if loss == "ovr" => None,
        None => return Err(PyValueError::new_err(format!("no loss '{loss}'"))),
    };
    let saved = run.job(py, move |shared| {
        let watch = &mut shared.watch();
        let model = match loss {
            Some(loss) => {
                let machine = Together::new(kernel).loss(loss).c(c).weights(weights).solver(solver);
                machine.fit_watched(&x, &y, watch)?
            }
            None => OneVsAll::new(kernel).c(c).weights(weights).solver(solver).fit_watched(&x, &y, watch)?,
        };
        Ok(trained(model.into(), training))
    })?;
    Ok(Model::new(saved))
}

/// A machine for each label of several.
#[pyfunction]
#[pyo3(signature = (run, solver, kernel, x, names, sets, weights: "numpy.typing.NDArray[numpy.float64] | None", *, c))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python's")]
pub(crate) fn fit_labels(
    py: Python<'_>,
    run: &Run,
    solver: &Solver,
    kernel: &Kernel,
    x: &Points,
    names: Vec<String>,
    sets: Vec<Vec<u32>>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    c: f64,
) -> PyResult<Model> {
    let machine = MultiLabel::new(kernel.0.clone()).c(c).weights(numbers(weights)).solver(solver.0.clone());
    let x = x.0.clone();
    let saved = run.job(py, move |shared| {
        let model = machine.fit_watched(&x, &LabelSets::new(names, sets), &mut shared.watch())?;
        Ok(trained(model.into(), Training { c: Some(c), ..none(machine.solver.tolerance) }))
    })?;
    Ok(Model::new(saved))
}

/// C-SVC by cells.
#[pyfunction]
#[pyo3(signature = (run, solver, kernel, x, y, weights: "numpy.typing.NDArray[numpy.float64] | None", *, c, cells))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python's")]
pub(crate) fn fit_local(
    py: Python<'_>,
    run: &Run,
    solver: &Solver,
    kernel: &Kernel,
    x: &Points,
    y: &Classes,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    c: f64,
    cells: Option<usize>,
) -> PyResult<Model> {
    let svc = Svc::new(kernel.0.clone()).c(c).weights(numbers(weights)).solver(solver.0.clone());
    let machine = Local { cells, ..Local::new(svc) };
    let (x, y) = (x.0.clone(), y.0.clone());
    let saved = run.job(py, move |shared| {
        let model = machine.fit_watched(&x, &y, &mut shared.watch())?;
        Ok(trained(model.into(), Training { c: Some(c), ..none(machine.svc.solver.tolerance) }))
    })?;
    Ok(Model::new(saved))
}
