//! Fits that are linear algebra: ridge, components, discriminants, correlations, relevant dimensions.

use mercer::data::Dense;
use mercer::model::file::Saved;
use mercer::model::{
    Cca, Criterion, Denoised, Fisher, Machine, Pca, PcaModel, Rde, Ridge, RidgeMethod, Threshold, Way,
};
use mercer::{ErrorKind, Result};
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::fit::{Classes, numbers};
use crate::kernel::Kernel;
use crate::model::Model;
use crate::points::{Points, matrix};
use crate::work::Run;

/// Kernel ridge regression of the columns of `y`.
#[pyfunction]
#[pyo3(signature = (run, kernel, x, y: "numpy.typing.NDArray[numpy.float64]", weights: "numpy.typing.NDArray[numpy.float64] | None", *, penalty, offset, method, tolerance))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python's")]
pub(crate) fn fit_ridge(
    py: Python<'_>,
    run: &Run,
    kernel: &Kernel,
    x: &Points,
    y: PyReadonlyArray2<'_, f64>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    penalty: f64,
    offset: bool,
    method: &str,
    tolerance: f64,
) -> PyResult<Model> {
    let method = match method {
        "auto" => RidgeMethod::Auto,
        "cholesky" => RidgeMethod::Direct,
        "cg" => RidgeMethod::Iterative,
        other => return Err(PyValueError::new_err(format!("solver '{other}': auto, cholesky or cg"))),
    };
    let ridge = Ridge { tolerance, ..Ridge::new(kernel.0.clone()) };
    let ridge = ridge.lambda(penalty).offset(offset).method(method).weights(numbers(weights));
    let targets: Vec<Vec<f64>> = y.as_array().columns().into_iter().map(|column| column.to_vec()).collect();
    let x = x.0.clone();
    let saved = run.job(py, move |shared| {
        Ok(Saved::from(Machine::from(ridge.fit_many(&x, &targets, &mut shared.follow())?)))
    })?;
    Ok(Model::new(saved))
}

/// Kernel principal components.
#[pyfunction]
#[pyo3(signature = (run, kernel, x, weights: "numpy.typing.NDArray[numpy.float64] | None", *, components))]
pub(crate) fn fit_pca(
    py: Python<'_>,
    run: &Run,
    kernel: &Kernel,
    x: &Points,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    components: Option<usize>,
) -> PyResult<Model> {
    let pca = Pca { components, ..Pca::new(kernel.0.clone()).weights(numbers(weights)) };
    let x = x.0.clone();
    let saved = run
        .job(py, move |shared| Ok(Saved::from(Machine::from(pca.fit_followed(&x, &mut shared.follow())?))))?;
    Ok(Model::new(saved))
}

/// The kernel Fisher discriminant; two classes part half way between their means, or where a machine with the price
/// `threshold` has its border.
#[pyfunction]
#[pyo3(signature = (run, kernel, x, y, weights: "numpy.typing.NDArray[numpy.float64] | None", *, penalty, points, seed, threshold))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python's")]
pub(crate) fn fit_fisher(
    py: Python<'_>,
    run: &Run,
    kernel: &Kernel,
    x: &Points,
    y: &Classes,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    penalty: f64,
    points: Option<usize>,
    seed: u64,
    threshold: Option<f64>,
) -> PyResult<Model> {
    let threshold = threshold.map_or(Threshold::Means, |c| Threshold::Svm { c });
    let fisher = Fisher { points, ..Fisher::new(kernel.0.clone()).regularizer(penalty).seed(seed) };
    let fisher = fisher.threshold(threshold).weights(numbers(weights));
    let (x, y) = (x.0.clone(), y.0.clone());
    let saved = run.job(py, move |shared| {
        Ok(Saved::from(Machine::from(fisher.fit_followed(&x, &y, &mut shared.follow())?)))
    })?;
    Ok(Model::new(saved))
}

/// Kernel canonical correlations of two views.
#[pyfunction]
#[pyo3(signature = (run, first, second, x, y, weights: "numpy.typing.NDArray[numpy.float64] | None", *, penalty, components, rank))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python's")]
pub(crate) fn fit_cca(
    py: Python<'_>,
    run: &Run,
    first: &Kernel,
    second: &Kernel,
    x: &Points,
    y: &Points,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    penalty: f64,
    components: usize,
    rank: Option<usize>,
) -> PyResult<Model> {
    let cca = Cca { rank, ..Cca::new(first.0.clone(), second.0.clone()) };
    let cca = cca.regularizer(penalty).components(components).weights(numbers(weights));
    let (x, y) = (x.0.clone(), y.0.clone());
    let saved = run.job(py, move |shared| {
        Ok(Saved::from(Machine::from(cca.fit_followed(&x, &y, &mut shared.follow())?)))
    })?;
    Ok(Model::new(saved))
}

/// Targets: numbers, or classes.
#[derive(FromPyObject)]
pub(crate) enum Targets<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Classes(PyRef<'py, Classes>),
}

/// Relevant dimensions and noise, by the best of the kernels.
#[pyfunction]
#[pyo3(signature = (run, kernels, x, y: "numpy.typing.NDArray[numpy.float64] | Classes", weights: "numpy.typing.NDArray[numpy.float64] | None", *, leave_one_out) -> "dict[str, typing.Any]")]
pub(crate) fn fit_rde<'py>(
    py: Python<'py>,
    run: &Run,
    kernels: Vec<PyRef<'py, Kernel>>,
    x: &Points,
    y: Targets<'py>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    leave_one_out: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let criterion = if leave_one_out { Criterion::LeaveOneOut } else { Criterion::TwoComponents };
    let kernels: Vec<_> = kernels.iter().map(|kernel| kernel.0.clone()).collect();
    let rde = Rde::among(kernels).criterion(criterion).weights(numbers(weights));
    let x = x.0.clone();
    let found = match y {
        Targets::Numbers(y) => {
            let y = y.as_array().to_vec();
            run.job(py, move |shared| rde.fit_followed(&x, &y, &mut shared.follow()))
        }
        Targets::Classes(y) => {
            let y = y.0.clone();
            run.job(py, move |shared| rde.fit_labels_followed(&x, &y, &mut shared.follow()))
        }
    }?;
    let relevance = &found.relevance;
    let dict = PyDict::new(py);
    dict.set_item("chosen", found.chosen)?;
    dict.set_item("dimension", relevance.dimension())?;
    dict.set_item("score", relevance.score())?;
    dict.set_item("noise", found.noise.value())?;
    dict.set_item("eigenvalues", relevance.eigenvalues.clone().into_pyarray(py))?;
    let targets: Vec<_> =
        relevance.targets.iter().map(|target| target.coefficients.clone().into_pyarray(py)).collect();
    dict.set_item("coefficients", targets)?;
    let cuts: Vec<_> =
        relevance.cuts.iter().map(|cut| (cut.dimension, cut.likelihood, cut.leave_one_out)).collect();
    dict.set_item("cuts", cuts)?;
    let trials: Vec<_> = found
        .trials
        .iter()
        .map(|trial| trial.map(|trial| (trial.dimension, trial.score, trial.noise.value())))
        .collect();
    dict.set_item("trials", trials)?;
    match &found.denoised {
        Denoised::Numbers(values) => dict.set_item("denoised", values.clone().into_pyarray(py))?,
        Denoised::Classes(labels) => dict.set_item("denoised", labels.index().to_vec().into_pyarray(py))?,
    }
    Ok(dict)
}

/// How pre-images are found: "auto", "linear", "fixed-point" (steps, tolerance), "distances" (neighbours), "ridge" (a
/// kernel or None, penalty).
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct WayOf<'py> {
    name: String,
    steps: usize,
    tolerance: f64,
    neighbours: usize,
    kernel: Option<PyRef<'py, Kernel>>,
    penalty: f64,
}

impl WayOf<'_> {
    fn meant(&self, model: &Kernel) -> PyResult<Way> {
        Ok(match self.name.as_str() {
            "auto" => Way::for_kernel(&model.0),
            "linear" => Way::Linear,
            "fixed-point" => Way::FixedPoint { steps: self.steps, tolerance: self.tolerance },
            "distances" => Way::Distances { neighbours: self.neighbours },
            "ridge" => Way::Ridge { kernel: self.kernel.as_ref().map(|k| k.0.clone()), lambda: self.penalty },
            other => return Err(PyValueError::new_err(format!("no way '{other}' to pre-images"))),
        })
    }
}

fn components(saved: &Saved) -> Result<&PcaModel<mercer::data::Vectors, mercer::kernel::VectorExpr>> {
    match &saved.model {
        Machine::Pca(model) => Ok(model),
        other => {
            let what = format!("pre-images of a machine of the kind '{}'", other.method()).into();
            Err(ErrorKind::Unsupported { what }.into())
        }
    }
}

/// Points without what lies along other components than the model's.
#[pyfunction]
#[pyo3(signature = (run, model, points, way: "dict[str, typing.Any]") -> "numpy.typing.NDArray[numpy.float64]")]
pub(crate) fn denoise<'py>(
    py: Python<'py>,
    run: &Run,
    model: &Model,
    points: &Points,
    way: WayOf<'py>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let saved = model.0.clone();
    let way = way.meant(&Kernel(saved.model.expansion().kernel().clone()))?;
    let points = points.0.clone();
    let found = run.job(py, move |_| components(&saved)?.denoise(&points, &way))?;
    matrix(py, &found.points)
}

/// Points with these components.
#[pyfunction]
#[pyo3(signature = (run, model, scores: "numpy.typing.NDArray[numpy.float64]", way: "dict[str, typing.Any]") -> "numpy.typing.NDArray[numpy.float64]")]
pub(crate) fn pre_images<'py>(
    py: Python<'py>,
    run: &Run,
    model: &Model,
    scores: PyReadonlyArray2<'py, f64>,
    way: WayOf<'py>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let saved = model.0.clone();
    let way = way.meant(&Kernel(saved.model.expansion().kernel().clone()))?;
    let view = scores.as_array();
    let scores = Dense::new(view.dim().1, view.iter().copied().collect());
    let found = run.job(py, move |_| components(&saved)?.pre_images(&scores, &way))?;
    matrix(py, &found.points)
}
