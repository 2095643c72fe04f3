//! A fitted model: what it predicts, what it is made of, its file.

use std::path::PathBuf;
use std::sync::Arc;

use mercer::bounds::{Question, bounds};
use mercer::data::{Dense, LabelSets, Points as _, Vectors};
use mercer::kernel::{VectorExpr, precomputed};
use mercer::model::file::{LabelKind, Saved, Training};
use mercer::model::probability::{Calibration, Estimate};
use mercer::model::{
    AnyModel, AnyPoints, Coefficients, Facts, How, PcaModel, Prediction, Targets, Way, libsvm,
};
use mercer::verify::{Asked, verify};
use mercer::{ErrorKind, Result};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::raise;
use crate::facts::told;
use crate::fit::{Target, numbers};
use crate::points::{Points, matrix, numbers_only};
use crate::work::Run;

/// A fitted model, and what its fit found besides.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Model {
    saved: Arc<Saved>,
    found: Facts,
}

/// Models that need k(x, x) of rows: a table of kernel values tells it of its own points, so they keep their rows of it.
const OF_DISTANCES: [&str; 5] = ["svdd", "k-means", "som", "rbf-network", "rbf-network-regression"];

impl Model {
    /// A model that was just fitted. Of precomputed kernel values only the numbers of the support points are kept, where no more
    /// is needed.
    pub(crate) fn new(mut saved: Saved, found: Facts) -> Self {
        if let AnyModel::Vectors(model) = &mut saved.model
            && *model.expansion().kernel() == precomputed()
            && !OF_DISTANCES.contains(&model.kind())
        {
            model.change(&mut |expansion| {
                let numbers = numbers_only(expansion.points());
                expansion.with_points(numbers)
            });
        }
        Self { saved: Arc::new(saved), found }
    }

    /// The model and what belongs to it.
    pub(crate) fn saved(&self) -> &Saved {
        &self.saved
    }

    /// Refuses what arrays cannot be turned into.
    fn read(saved: Saved) -> Result<Self> {
        if saved.features.is_some() {
            let what = "a model of texts whose features it makes itself; use `mercer predict`".into();
            return Err(ErrorKind::Unsupported { what }.into());
        }
        if saved.encoding.is_some() {
            let what =
                "a model of a table with categories, which arrays do not have; use `mercer predict`".into();
            return Err(ErrorKind::Unsupported { what }.into());
        }
        Ok(Self { saved: Arc::new(saved), found: Facts::default() })
    }

    /// What `work` makes of the model and points as it was trained on them: scaled, where the program that trained it did. A
    /// prediction, which `how` says to be one, is made on this thread where it is short, else in a pool.
    fn at<T: Send + 'static>(
        &self,
        py: Python<'_>,
        run: &Run,
        points: &Points,
        how: Option<How>,
        work: impl FnOnce(&Saved, &AnyPoints) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let (saved, points) = (Arc::clone(&self.saved), points.0.clone());
        let short = how.is_some_and(|how| saved.model.is_short(points.len(), how));
        let work = move || match (&saved.scaler, &points) {
            (Some(scaler), AnyPoints::Vectors(rows)) => work(&saved, &scaler.apply(rows).into()),
            _ => work(&saved, &points),
        };
        if short { Run::here(py, work) } else { run.job(py, move |_| work()) }
    }
}

#[pymethods]
impl Model {
    /// What its file says first: its `kind`, the text of its `kernel`, the names of `classes` or labels and what `labels` are
    /// besides ("text", "integer", "float", "boolean"), the `names` of features, whether the `probability` of classes was
    /// learnt; of the parameters of training `c`, `nu`, `epsilon`, `tolerance`. What is not known is None, or empty.
    #[pyo3(signature = () -> "dict[str, typing.Any]")]
    fn head<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Saved { model, names, labels, training, probability, .. } = &*self.saved;
        let trained = |parameter: fn(&Training) -> Option<f64>| training.as_ref().and_then(parameter);
        let facts = Facts::default()
            .with("kind", model.kind())
            .with("kernel", model.kernel().to_string())
            .with("classes", model.classes().to_vec())
            .with("labels", labels.map(LabelKind::name))
            .with("names", names.clone())
            .with("probability", matches!(probability, Some(Estimate::Classes(_))))
            .with("c", trained(|training| training.c))
            .with("nu", trained(|training| training.nu))
            .with("epsilon", trained(|training| training.epsilon))
            .with("tolerance", trained(|training| Some(training.tolerance)));
        told(py, &facts)
    }

    /// Positions of the support points in the training data; empty where they are not known.
    #[pyo3(signature = () -> "numpy.typing.NDArray[numpy.int32]")]
    fn support<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.saved.model.support().iter().map(|&i| i as i32).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Features of the points that it takes, which a map may make into others; 0 where the space has none.
    #[getter]
    fn width(&self) -> usize {
        self.saved.model.width()
    }

    /// The support points.
    #[getter]
    fn points(&self) -> Points {
        Points(self.saved.model.points())
    }

    /// The coefficients, one column for each support point: one row for each function, or for each other class where there
    /// is a function for each pair of classes.
    #[pyo3(signature = () -> "numpy.typing.NDArray[numpy.float64]")]
    fn coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        coefficients(self.saved.model.coefficients()).into_pyarray(py)
    }

    /// b of each function, which is subtracted.
    #[pyo3(signature = () -> "numpy.typing.NDArray[numpy.float64]")]
    fn offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.saved.model.offsets().to_pyarray(py)
    }

    /// The model with other coefficients and offsets.
    #[pyo3(signature = (values: "numpy.typing.NDArray[numpy.float64]", offsets: "numpy.typing.NDArray[numpy.float64]"))]
    fn with_coefficients(
        &self,
        values: PyReadonlyArray2<'_, f64>,
        offsets: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let mut saved = (*self.saved).clone();
        let mut own = saved.model.coefficients().clone();
        let (values, offsets) = (values.as_array(), offsets.as_array());
        if values.dim() != coefficients(&own).dim() || offsets.len() != saved.model.offsets().len() {
            let text = "coefficients or intercepts of another shape than the fitted ones";
            return Err(PyValueError::new_err(text));
        }
        for block in &mut own.blocks {
            let width = block.outputs.len().max(1);
            for (i, weights) in block.points.clone().zip(block.values.chunks_mut(width)) {
                weights.iter_mut().enumerate().for_each(|(row, weight)| *weight = values[[row, i]]);
            }
        }
        saved.model = saved.model.with_values(&own, &offsets.to_vec());
        Ok(Self { saved: Arc::new(saved), found: self.found.clone() })
    }

    /// How good it is: `certificates` of quadratic programmes and their `totals`, or a `residual`.
    #[pyo3(signature = () -> "dict[str, typing.Any]")]
    fn quality<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let quality = self.saved.model.quality();
        let dict = told(py, &quality.facts())?;
        if let Some(totals) = quality.totals() {
            let exact = quality.certificates().iter().all(|certificate| certificate.exact);
            dict.set_item("totals", told(py, &totals.facts(exact))?)?;
        }
        Ok(dict)
    }

    /// The certificates of all programmes taken together; None where there are none.
    #[pyo3(signature = () -> "dict[str, typing.Any] | None")]
    fn totals<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let quality = self.saved.model.quality();
        let exact = quality.certificates().iter().all(|certificate| certificate.exact);
        quality.totals().map(|totals| told(py, &totals.facts(exact))).transpose()
    }

    /// Steps taken for each programme of which that is known.
    #[pyo3(signature = () -> "numpy.typing.NDArray[numpy.int64]")]
    fn iterations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let quality = self.saved.model.quality();
        let steps = quality.certificates().iter().map(|certificate| certificate.iterations as i64);
        steps.collect::<Vec<_>>().into_pyarray(py)
    }

    /// What this kind of model has besides.
    #[pyo3(signature = () -> "dict[str, typing.Any]")]
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        told(py, &self.saved.model.facts())
    }

    /// What its fit found besides the model; nothing of a model that was read.
    #[pyo3(signature = () -> "dict[str, typing.Any]")]
    fn found<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        told(py, &self.found)
    }

    /// Slope and offset of the sigmoid of each pair of classes, where probabilities were learnt so.
    fn sigmoids(&self) -> Vec<(f64, f64)> {
        let Some(Estimate::Classes(probability)) = &self.saved.probability else { return Vec::new() };
        let sigmoid = |pair: &Calibration| match pair {
            Calibration::Sigmoid(sigmoid) => Some((sigmoid.a, sigmoid.b)),
            Calibration::Isotonic(_) => None,
        };
        probability.pairs.iter().map(sigmoid).collect::<Option<_>>().unwrap_or_default()
    }

    /// What the model says of each of the points: the number of a class, numbers, how far inside, or a row of 0 and 1 for
    /// labels; with `libsvm`, of classes that have won the same number of pairs the first.
    #[pyo3(signature = (run, points, double, libsvm=false) -> "numpy.typing.NDArray[typing.Any]")]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        run: &Run,
        points: &Points,
        double: bool,
        libsvm: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let how = How { double, libsvm };
        let found =
            self.at(py, run, points, Some(how), move |saved, points| saved.model.predict(points, how))?;
        Ok(match found {
            Prediction::Classes(index) => {
                index.into_iter().map(|class| class as i64).collect::<Vec<_>>().into_pyarray(py).into_any()
            }
            Prediction::Values(rows) => matrix(py, &rows)?.into_any(),
            Prediction::Sides(values) => values.into_pyarray(py).into_any(),
            Prediction::Sets(sets) => indicators(&sets).into_pyarray(py).into_any(),
            _ => return Err(PyValueError::new_err("a prediction that arrays cannot hold")),
        })
    }

    /// Numbers at each of the points, a column for each output: "decisions"; "scores" or "probabilities" of classes or
    /// labels; standard "deviations"; "components", of two views those of the "second". With `double`, kernel values and sums
    /// that decide are in double precision.
    #[pyo3(signature = (run, points, what, double=false) -> "numpy.typing.NDArray[numpy.float64]")]
    fn outputs<'py>(
        &self,
        py: Python<'py>,
        run: &Run,
        points: &Points,
        what: &str,
        double: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let learnt = what == "probabilities" && self.saved.probability.is_some();
        let how = How { double: double && !learnt, libsvm: false };
        let work: fn(&Saved, &AnyPoints, How) -> Result<Dense<f64>> = match what {
            "decisions" => |saved, points, how| saved.model.decisions(points, how),
            "scores" => |saved, points, how| saved.model.scores(points, how),
            "probabilities" => |saved, points, how| match &saved.probability {
                Some(estimate) => Ok(estimate.predict(&saved.model, points, how)?.1.rows),
                None => saved.model.probabilities(points, how),
            },
            "components" => |saved, points, _| saved.model.components(points),
            "deviations" => |saved, points, _| saved.model.deviations(points),
            "second" => |saved, points, _| saved.model.second_components(points),
            other => return Err(PyValueError::new_err(format!("no output '{other}'"))),
        };
        matrix(py, &self.at(py, run, points, Some(how), move |saved, points| work(saved, points, how))?)
    }

    /// Whether what the model says of itself is true of the points, targets and weights that it was fitted to; `asked` is C, nu,
    /// epsilon and the tolerance where the model does not tell them.
    #[pyo3(signature = (run, points, target: "typing.Any", weights: "numpy.typing.NDArray[numpy.float64] | None", asked) -> "dict[str, typing.Any]")]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        run: &Run,
        points: &Points,
        target: Option<Target<'py>>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        asked: (Option<f64>, Option<f64>, Option<f64>, Option<f64>),
    ) -> PyResult<Bound<'py, PyDict>> {
        let (weights, (c, nu, epsilon, tolerance)) = (numbers(weights), asked);
        let (y, _) = target.map_or(Ok((Targets::None, None)), Target::meant)?;
        let asked = Asked { c, nu, epsilon, tolerance };
        let report =
            self.at(py, run, points, None, move |saved, points| verify(saved, points, &y, &weights, &asked))?;
        told(py, &report.facts())
    }

    /// What theory says about the errors of a classifier, from the points, classes and weights that it was fitted to; `asked` is C, nu
    /// and the tolerance where the model does not tell them.
    #[pyo3(signature = (run, points, target: "typing.Any", weights: "numpy.typing.NDArray[numpy.float64] | None", asked, delta, leave_one_out) -> "dict[str, typing.Any]")]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python's")]
    fn bounds<'py>(
        &self,
        py: Python<'py>,
        run: &Run,
        points: &Points,
        target: Target<'py>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        asked: (Option<f64>, Option<f64>, Option<f64>),
        delta: f64,
        leave_one_out: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (weights, (c, nu, tolerance)) = (numbers(weights), asked);
        let Targets::Classes(labels) = target.meant()?.0 else {
            let what = "bounds of what is not told apart by classes".into();
            return Err(raise(ErrorKind::Unsupported { what }.into()));
        };
        let told = Asked { c, nu, epsilon: None, tolerance };
        let question = Question { delta, leave_one_out, prices: Vec::new(), told };
        let found = self.at(py, run, points, None, move |saved, points| {
            bounds(saved, points, &labels, &weights, &question)
        })?;
        crate::facts::told(py, &found.facts())
    }

    /// The components of the support points, where they are known without a kernel value.
    #[pyo3(signature = () -> "numpy.typing.NDArray[numpy.float64] | None")]
    fn own_components<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        self.saved.model.own_components().map(|rows| matrix(py, &rows)).transpose()
    }

    /// Points without what lies along other components than the model's, found by the way named: "auto", "linear",
    /// "fixed-point" (with steps and tolerance), "distances" (neighbours), "ridge" (penalty).
    #[pyo3(signature = (run, points, way, *, steps, tolerance, neighbours, penalty) -> "numpy.typing.NDArray[numpy.float64]")]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python's")]
    fn denoise<'py>(
        &self,
        py: Python<'py>,
        run: &Run,
        points: &Points,
        way: &str,
        steps: usize,
        tolerance: f64,
        neighbours: usize,
        penalty: f64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let way = match way {
            "auto" => None,
            "linear" => Some(Way::Linear),
            "fixed-point" => Some(Way::FixedPoint { steps, tolerance }),
            "distances" => Some(Way::Distances { neighbours }),
            "ridge" => Some(Way::Ridge { kernel: None, lambda: penalty }),
            other => return Err(PyValueError::new_err(format!("no way '{other}' to pre-images"))),
        };
        let found = self.at(py, run, points, None, move |saved, points| {
            let (model, points) = components(&saved.model, points)?;
            let way = way.unwrap_or_else(|| Way::for_kernel(model.expansion.kernel()));
            model.denoise(points, &way)
        })?;
        matrix(py, &found.points)
    }

    /// The model file as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.saved.to_bytes().map_err(raise)?))
    }

    /// The model of a model file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Saved::from_bytes(bytes).and_then(Self::read).map_err(raise)
    }

    /// Writes a model file with names of features, or LIBSVM's model text, which has none.
    fn save(&self, py: Python<'_>, path: PathBuf, names: Vec<String>, libsvm: bool) -> PyResult<()> {
        let saved = Saved { names, ..(*self.saved).clone() };
        py.detach(|| if libsvm { libsvm::write(&saved, path) } else { saved.save(path) }).map_err(raise)
    }

    /// Reads a model file, or LIBSVM's model text.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, libsvm: bool) -> PyResult<Self> {
        let saved = py.detach(|| if libsvm { libsvm::read(path) } else { Saved::load(path) });
        saved.and_then(Self::read).map_err(raise)
    }
}

/// Errors among rows of a test as a share, with the exact interval that fails with the probability `delta` at most.
#[pyfunction]
#[pyo3(signature = (errors, rows, delta) -> "dict[str, typing.Any]")]
pub(crate) fn counted(py: Python<'_>, errors: usize, rows: usize, delta: f64) -> PyResult<Bound<'_, PyDict>> {
    told(py, &mercer::bounds::counted(errors, rows, delta).map_err(raise)?.facts())
}

/// The components of vectors, of which there are pre-images, and points that are vectors.
fn components<'a>(
    model: &'a AnyModel,
    points: &'a AnyPoints,
) -> Result<(&'a PcaModel<Vectors, VectorExpr>, &'a Vectors)> {
    match (model.downcast(), points) {
        (Some(model), AnyPoints::Vectors(points)) => Ok((model, points)),
        _ => {
            let what = format!("pre-images of a model of the kind '{}' on {}", model.kind(), model.space());
            Err(ErrorKind::Unsupported { what: what.into() }.into())
        }
    }
}

/// A column for each point.
fn coefficients(coefficients: &Coefficients) -> Array2<f64> {
    let rows = coefficients.blocks.iter().map(|block| block.outputs.len()).max().unwrap_or(0);
    let points = coefficients.blocks.iter().map(|block| block.points.end).max().unwrap_or(0);
    let mut matrix = Array2::zeros((rows, points));
    for block in &coefficients.blocks {
        let weights = block.values.chunks(block.outputs.len().max(1));
        for (i, weights) in block.points.clone().zip(weights) {
            weights.iter().enumerate().for_each(|(row, &weight)| matrix[[row, i]] = weight);
        }
    }
    matrix
}

/// A row of 0 and 1 for each point.
fn indicators(sets: &LabelSets) -> Array2<i64> {
    let mut matrix = Array2::zeros((sets.len(), sets.names().len()));
    for (i, set) in sets.sets().iter().enumerate() {
        set.iter().for_each(|&label| matrix[[i, label as usize]] = 1);
    }
    matrix
}
