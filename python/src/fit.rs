//! Fits by any method of the library's table.

use mercer::ErrorKind;
use mercer::data::{LabelSets, Labels, Points as _, Vectors};
use mercer::model::file::{LabelKind, Recipe, Saved, Training};
use mercer::model::probability::{Curve, Settings};
use mercer::model::{
    AnyEstimator, AnyModel, AnyPoints, Criterion, Denoised, Facts, Job, Method, Rde, RdeFit, Targets, Value,
};
use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};

use crate::errors::raise;
use crate::facts::told;
use crate::kernel::Kernel;
use crate::model::Model;
use crate::points::Points;
use crate::work::Run;

/// The value of a parameter.
pub(crate) fn value(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    Ok(match given {
        given if given.is_none() => Value::Absent,
        given if given.is_instance_of::<PyBool>() => Value::Flag(given.extract()?),
        given if given.is_instance_of::<PyInt>() => Value::Whole(given.extract()?),
        given if given.is_instance_of::<PyString>() => Value::Word(given.extract()?),
        given => match (given.extract(), given.extract()) {
            (Ok(number), _) => Value::Number(number),
            (_, Ok(numbers)) => Value::Numbers(numbers),
            _ => Value::Weights(given.extract()?),
        },
    })
}

/// What is known of each point: the names of classes, the number of each point's class and what the labels are; the names of
/// labels and a row of truth values for each point; numbers, a column for each target; a second view.
#[derive(FromPyObject)]
pub(crate) enum Target<'py> {
    Classes((Vec<String>, PyReadonlyArray1<'py, u32>, String)),
    Sets((Vec<String>, PyReadonlyArray2<'py, bool>)),
    Numbers(PyReadonlyArray2<'py, f64>),
    View(PyRef<'py, Points>),
}

impl Target<'_> {
    /// The targets, and what labels are where there are labels.
    pub(crate) fn meant(self) -> PyResult<(Targets<AnyPoints>, Option<LabelKind>)> {
        Ok(match self {
            Self::Classes((names, index, kind)) => {
                let index = index.as_array().to_vec();
                if index.iter().any(|&class| class as usize >= names.len()) {
                    return Err(PyValueError::new_err("a class that has no name"));
                }
                (Targets::Classes(Labels::new(names, index)), LabelKind::named(&kind))
            }
            Self::Sets((names, members)) => {
                let set = |row: numpy::ndarray::ArrayView1<'_, bool>| {
                    (0..).zip(row).filter(|(_, member)| **member).map(|(label, _)| label).collect()
                };
                let sets = members.as_array().rows().into_iter().map(set).collect();
                (Targets::Sets(LabelSets::new(names, sets)), Some(LabelKind::Integer))
            }
            Self::Numbers(columns) => {
                let columns = columns.as_array();
                (Targets::Numbers(columns.columns().into_iter().map(|c| c.to_vec()).collect()), None)
            }
            Self::View(points) => (Targets::View(points.0.clone()), None),
        })
    }
}

pub(crate) fn numbers(values: Option<PyReadonlyArray1<'_, f64>>) -> Vec<f64> {
    values.map_or_else(Vec::new, |values| values.as_array().to_vec())
}

/// Fits a model by the method named, its parameters given by name; with `probability`, "sigmoid" or "isotonic" and the seed
/// of the folds, also what its decisions are worth.
#[pyfunction]
#[pyo3(signature = (run, method, parameters: "dict[str, typing.Any]", kernel, x, target: "typing.Any", weights: "numpy.typing.NDArray[numpy.float64] | None" = None, probability = None))]
#[expect(clippy::too_many_arguments, reason = "what a fit is made of")]
pub(crate) fn fit(
    py: Python<'_>,
    run: &Run,
    method: &str,
    parameters: &Bound<'_, PyDict>,
    kernel: &Kernel,
    x: &Points,
    target: Option<Target<'_>>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    probability: Option<(String, u64)>,
) -> PyResult<Model> {
    let estimator = configured(method, parameters, kernel)?;
    let settings = probability.map(|(kind, seed)| {
        let method = if kind == "isotonic" { Curve::Isotonic } else { Curve::Sigmoid };
        Settings { method, seed, ..Settings::default() }
    });
    let (x, weights) = (x.0.clone(), numbers(weights));
    let (y, labels) = target.map_or(Ok((Targets::None, None)), Target::meant)?;
    let (saved, found) = run.job(py, move |shared| {
        let mut watch = shared.watch();
        let mut job = Job::new().weights(&weights).watched(&mut watch);
        let model = estimator.fit(&x, &y, &mut job)?;
        let learnt = settings.map(|settings| estimator.learn(&x, &y, &model, &settings, &mut job));
        let probability = learnt.transpose()?.flatten();
        let training = Training::of(&estimator, &job.found, model.classes());
        let recipe = Some(Recipe::of(&estimator, &job.found, x.len(), &weights));
        Ok((Saved { labels, training, recipe, probability, ..Saved::new(model) }, job.found))
    })?;
    Ok(Model::new(saved, found))
}

/// Fits a model by the method named for each C of a path, each from the answer of the one before: those of `prices` and that of the
/// parameters, or without them as the library finds them. Gives each C and its model.
#[pyfunction]
#[pyo3(signature = (run, method, parameters: "dict[str, typing.Any]", kernel, x, target: "typing.Any", weights: "numpy.typing.NDArray[numpy.float64] | None" = None))]
#[expect(clippy::too_many_arguments, reason = "what a fit is made of")]
pub(crate) fn fit_path(
    py: Python<'_>,
    run: &Run,
    method: &str,
    parameters: &Bound<'_, PyDict>,
    kernel: &Kernel,
    x: &Points,
    target: Target<'_>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<Vec<(f64, Model)>> {
    let estimator = configured(method, parameters, kernel)?;
    let (x, weights, (y, labels)) = (x.0.clone(), numbers(weights), target.meant()?);
    let path = run.job(py, move |shared| {
        let mut watch = shared.watch();
        let mut job = Job::new().weights(&weights).watched(&mut watch);
        let path = estimator.fit_path(&x, &y, &mut job)?;
        let saved = |model: AnyModel| {
            let training = Training::of(&estimator, &job.found, model.classes());
            Saved { labels, training, ..Saved::new(model) }
        };
        Ok(path.into_iter().map(|(c, model)| (c, saved(model))).collect::<Vec<_>>())
    })?;
    Ok(path.into_iter().map(|(c, saved)| (c, Model::new(saved, Facts::default()))).collect())
}

/// The method named with its parameters.
pub(crate) fn configured(
    method: &str,
    parameters: &Bound<'_, PyDict>,
    kernel: &Kernel,
) -> PyResult<AnyEstimator> {
    let mut estimator = AnyEstimator::new(method, kernel.0.clone()).map_err(raise)?;
    for (name, value) in parameters {
        estimator.set(name.extract()?, &self::value(&value)?).map_err(raise)?;
    }
    Ok(estimator)
}

/// The methods of the library: of each its name, a summary, the kind of its models, what must be known of each point, the
/// probabilities that can be learnt, and its parameters with the values allowed, the meaning and the default.
#[pyfunction]
#[pyo3(signature = () -> "list[dict[str, typing.Any]]")]
pub(crate) fn methods(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    Method::<Vectors>::all().into_iter().map(|method| told(py, &method.card().facts())).collect()
}

/// Relevant dimensions and noise of numbers or classes, by the best of the kernels.
#[pyfunction]
#[pyo3(signature = (run, kernels, x, target: "typing.Any", weights: "numpy.typing.NDArray[numpy.float64] | None", *, leave_one_out) -> "dict[str, typing.Any]")]
pub(crate) fn relevance<'py>(
    py: Python<'py>,
    run: &Run,
    kernels: Vec<PyRef<'py, Kernel>>,
    x: &Points,
    target: Target<'py>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    leave_one_out: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let criterion = if leave_one_out { Criterion::LeaveOneOut } else { Criterion::TwoComponents };
    let kernels: Vec<_> = kernels.iter().map(|kernel| kernel.0.clone()).collect();
    let (x, weights, (y, _)) = (x.0.clone(), numbers(weights), target.meant()?);
    let found = run.job(py, move |shared| {
        let rde = Rde::among(kernels).criterion(criterion);
        let mut watch = shared.watch();
        let mut job = Job::new().weights(&weights).watched(&mut watch);
        match &y {
            Targets::Classes(labels) => rde.fit_labels_in(&x, labels, &mut job),
            Targets::Numbers(lists) if lists.len() == 1 => rde.fit_in(&x, &lists[0], &mut job),
            _ => Err(ErrorKind::Unsupported { what: "relevant dimensions of other targets".into() }.into()),
        }
    })?;
    estimated(py, &found)
}

/// What was estimated, as a dictionary.
fn estimated<'py>(py: Python<'py>, found: &RdeFit) -> PyResult<Bound<'py, PyDict>> {
    let (relevance, dict) = (&found.relevance, PyDict::new(py));
    dict.set_item("chosen", found.chosen)?;
    dict.set_item("dimension", relevance.dimension())?;
    dict.set_item("score", relevance.score())?;
    dict.set_item("noise", found.noise.value())?;
    dict.set_item("eigenvalues", relevance.eigenvalues.clone().into_pyarray(py))?;
    let targets = relevance.targets.iter().map(|target| target.coefficients.clone().into_pyarray(py));
    dict.set_item("coefficients", targets.collect::<Vec<_>>())?;
    let cuts = relevance.cuts.iter().map(|cut| (cut.dimension, cut.likelihood, cut.leave_one_out));
    dict.set_item("cuts", cuts.collect::<Vec<_>>())?;
    let trials = found.trials.iter();
    let trials = trials.map(|t| t.map(|trial| (trial.dimension, trial.score, trial.noise.value())));
    dict.set_item("trials", trials.collect::<Vec<_>>())?;
    match &found.denoised {
        Denoised::Numbers(values) => dict.set_item("denoised", values.clone().into_pyarray(py))?,
        Denoised::Classes(labels) => dict.set_item("denoised", labels.index().to_vec().into_pyarray(py))?,
    }
    Ok(dict)
}
