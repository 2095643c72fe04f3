//! A fitted machine: what it predicts, what it is made of, its file.

use std::path::PathBuf;
use std::sync::Arc;

use mercer::data::{Dense, Points as _, Vectors};
use mercer::kernel::{Kernel as _, VectorExpr, precomputed};
use mercer::model::file::Saved;
use mercer::model::probability::{Calibration, Estimate};
use mercer::model::{Coefficients, Expansion, Machine, libsvm, vote};
use mercer::solve::Certificate;
use mercer::{ErrorKind, Result};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::raise;
use crate::kernel::Kernel;
use crate::points::{Points, matrix, numbers_only};
use crate::work::Run;

/// A fitted machine.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Model(pub(crate) Arc<Saved>);

impl Model {
    /// A machine that was just fitted. Of precomputed kernel values only the numbers of the support points are kept.
    pub(crate) fn new(mut saved: Saved) -> Self {
        let expansion = saved.model.expansion_mut();
        if *expansion.kernel() == precomputed() {
            expansion.replace_points(numbers_only(expansion.points()));
        }
        if let Machine::Cca(model) = &mut saved.model
            && *model.second.kernel() == precomputed()
        {
            model.second.replace_points(numbers_only(model.second.points()));
        }
        Self(Arc::new(saved))
    }

    /// Points as the machine was trained on them: scaled, where the program that trained it did.
    fn prepared(&self, points: &Points) -> Vectors {
        self.0.scaler.as_ref().map_or_else(|| points.0.clone(), |scaler| scaler.apply(&points.0))
    }

    /// Runs a prediction of so many points: on this thread where that is short, else in a pool.
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        run: &Run,
        (rows, double): (usize, bool),
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let several = matches!(self.0.model, Machine::Cca(_) | Machine::Local(_));
        if !several && self.0.model.expansion().is_short(rows, double) {
            return Run::here(py, work);
        }
        run.job(py, |_| work())
    }

    /// Refuses what arrays cannot be turned into.
    fn read(saved: Saved) -> Result<Self> {
        if saved.encoding.is_some() {
            let what =
                "a model of a table with categories, which arrays do not have; use `mercer predict`".into();
            return Err(ErrorKind::Unsupported { what }.into());
        }
        Ok(Self(Arc::new(saved)))
    }

    fn unsupported<T>(&self, what: &str) -> Result<T> {
        let what = format!("{what} of a machine of the kind '{}'", self.0.model.method()).into();
        Err(ErrorKind::Unsupported { what }.into())
    }
}

#[pymethods]
impl Model {
    /// The word for the method in model files.
    #[getter]
    fn method(&self) -> &'static str {
        self.0.model.method()
    }

    /// The kernel.
    #[getter]
    fn kernel(&self) -> Kernel {
        Kernel(self.0.model.expansion().kernel().clone())
    }

    /// Class names, None where there are no classes.
    #[getter]
    fn classes(&self) -> Option<Vec<String>> {
        self.0.model.classes().map(<[String]>::to_vec)
    }

    /// Feature names; empty where the data had none.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.names.clone()
    }

    /// Positions of the support points in the training data; empty where they are not known.
    #[pyo3(signature = () -> "numpy.typing.NDArray[numpy.int32]")]
    fn support<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.0.model.support().iter().map(|&i| i as i32).collect::<Vec<_>>().into_pyarray(py)
    }

    /// The support points.
    #[getter]
    fn points(&self) -> Points {
        Points(self.0.model.expansion().points().clone())
    }

    /// The coefficients, one column for each support point: one row for each function, or for each other class where there
    /// is a function for each pair of classes.
    #[pyo3(signature = () -> "numpy.typing.NDArray[numpy.float64]")]
    fn coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        coefficients(self.0.model.expansion().coefficients()).into_pyarray(py)
    }

    /// b of each function, which is subtracted.
    #[pyo3(signature = () -> "numpy.typing.NDArray[numpy.float64]")]
    fn offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.model.expansion().offsets().to_pyarray(py)
    }

    /// The same machine with other coefficients and offsets.
    #[pyo3(signature = (values: "numpy.typing.NDArray[numpy.float64]", offsets: "numpy.typing.NDArray[numpy.float64]"))]
    fn with_coefficients(
        &self,
        values: PyReadonlyArray2<'_, f64>,
        offsets: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let mut saved = (*self.0).clone();
        let expansion = saved.model.expansion_mut();
        let (values, offsets) = (values.as_array(), offsets.as_array());
        if values.dim() != coefficients(expansion.coefficients()).dim()
            || offsets.len() != expansion.offsets().len()
        {
            return Err(PyValueError::new_err(
                "coefficients or intercepts of another shape than the fitted ones",
            ));
        }
        let mut coefficients = expansion.coefficients().clone();
        for block in &mut coefficients.blocks {
            let width = block.outputs.len().max(1);
            for (i, weights) in block.points.clone().zip(block.values.chunks_mut(width)) {
                weights.iter_mut().enumerate().for_each(|(row, weight)| *weight = values[[row, i]]);
            }
        }
        *expansion = expansion.clone().with_values(coefficients, offsets.to_vec());
        Ok(Self(Arc::new(saved)))
    }

    /// Whether the probabilities of classes were learnt.
    #[getter]
    fn has_probability(&self) -> bool {
        matches!(self.0.probability, Some(Estimate::Classes(_)))
    }

    /// A dictionary for each quadratic programme solved.
    #[pyo3(signature = () -> "list[dict[str, typing.Any]]")]
    fn certificates<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.0.model.certificates().iter().map(|certificate| certified(py, certificate)).collect()
    }

    /// What this kind of machine has besides.
    #[pyo3(signature = () -> "dict[str, typing.Any]")]
    fn details<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        match &self.0.model {
            Machine::Classifier(model) => dict.set_item("class_sizes", model.class_sizes.clone())?,
            Machine::Sphere(sphere) => {
                dict.set_item("square_radius", sphere.square_radius)?;
                dict.set_item("square_center", sphere.square_center)?;
            }
            Machine::Ridge(model) => {
                dict.set_item("residual", model.certificate.residual)?;
                dict.set_item("iterations", model.certificate.iterations)?;
                dict.set_item("converged", model.certificate.converged)?;
            }
            Machine::Fisher(model) => {
                dict.set_item("centers", matrix(py, &model.centers)?)?;
                dict.set_item("threshold", model.threshold)?;
                dict.set_item("ratios", model.ratios.clone().into_pyarray(py))?;
                dict.set_item("residual", model.residual)?;
            }
            Machine::Cca(model) => {
                dict.set_item("values", model.values.clone().into_pyarray(py))?;
                dict.set_item("correlations", model.correlations.clone().into_pyarray(py))?;
                dict.set_item("residual", model.residual)?;
                let second = coefficients(model.second.coefficients());
                dict.set_item("second_coefficients", second.into_pyarray(py))?;
                dict.set_item("second_support", model.second_support.clone())?;
                dict.set_item("second_points", Points(model.second.points().clone()))?;
                dict.set_item("second_offsets", model.second.offsets().to_pyarray(py))?;
            }
            Machine::Pca(model) => {
                dict.set_item("eigenvalues", model.eigenvalues.clone().into_pyarray(py))?;
                dict.set_item("total", model.total)?;
                dict.set_item("residual", model.residual)?;
                dict.set_item("weights", model.weights.clone().into_pyarray(py))?;
            }
            Machine::Local(model) => {
                dict.set_item("cells", model.cells.iter().map(|cell| cell.size).collect::<Vec<_>>())?;
                let certificates = model.certificates();
                let found: PyResult<Vec<_>> = certificates.iter().map(|own| certified(py, own)).collect();
                dict.set_item("certificates", found?)?;
            }
            _ => {}
        }
        if let Some(training) = &self.0.training {
            dict.set_item("c", training.c)?;
            dict.set_item("nu", training.nu)?;
            dict.set_item("epsilon", training.epsilon)?;
            dict.set_item("tolerance", training.tolerance)?;
        }
        if let Some(Estimate::Classes(probability)) = &self.0.probability {
            let sigmoid = |pair: &Calibration| match pair {
                Calibration::Sigmoid(sigmoid) => Some((sigmoid.a, sigmoid.b)),
                Calibration::Isotonic(_) => None,
            };
            dict.set_item("sigmoids", probability.pairs.iter().map(sigmoid).collect::<Option<Vec<_>>>())?;
        }
        Ok(dict)
    }

    /// The functions at each of the points, one column each; with `double`, kernel values and sums in double precision.
    #[pyo3(signature = (run, points, double) -> "numpy.typing.NDArray[numpy.float64]")]
    fn decisions<'py>(
        &self,
        py: Python<'py>,
        run: &Run,
        points: &Points,
        double: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (saved, points) = (Arc::clone(&self.0), self.prepared(points));
        let double = double || matches!(saved.model, Machine::Ridge(_) | Machine::Fisher(_));
        let work = (points.len(), double);
        let decisions = self.run(py, run, work, move || decisions(&saved.model, &points, double))?;
        matrix(py, &decisions)
    }

    /// The number of the class of each of the points.
    #[pyo3(signature = (run, points, double) -> "numpy.typing.NDArray[numpy.int64]")]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        run: &Run,
        points: &Points,
        double: bool,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (model, points) = (Self(Arc::clone(&self.0)), self.prepared(points));
        let work = (points.len(), double || matches!(model.0.model, Machine::Fisher(_)));
        let index = self.run(py, run, work, move || match &model.0.model {
            // As LIBSVM and scikit-learn vote: of classes that have won the same number of pairs the first.
            Machine::Classifier(model) if double => {
                model.expansion.map_double(&points, |f| vote(f, model.classes.len()))
            }
            Machine::Classifier(model) => model.expansion.map(&points, |f| vote(f, model.classes.len())),
            Machine::Scores(model) if double => model.expansion.map_double(&points, first_largest),
            Machine::Scores(model) => model.predict_index(&points),
            Machine::Fisher(model) => model.predict_index(&points),
            Machine::Local(model) => model.predict_index(&points),
            _ => model.unsupported("classes"),
        })?;
        Ok(index.into_iter().map(|class| class as i64).collect::<Vec<_>>().into_pyarray(py))
    }

    /// The probability of each class at each of the points.
    #[pyo3(signature = (run, points) -> "numpy.typing.NDArray[numpy.float64]")]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        run: &Run,
        points: &Points,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (model, points) = (Self(Arc::clone(&self.0)), self.prepared(points));
        let work = (points.len(), false);
        let found = self.run(py, run, work, move || match (&model.0.model, &model.0.probability) {
            (Machine::Classifier(machine), Some(Estimate::Classes(probability))) => {
                probability.predict(machine, &points)
            }
            (Machine::Scores(machine), _) => machine.probabilities(&points),
            _ => model.unsupported("probabilities"),
        })?;
        matrix(py, &found)
    }

    /// The components of each of the points; of two views those of the second with `second`.
    #[pyo3(signature = (run, points, second) -> "numpy.typing.NDArray[numpy.float64]")]
    fn transform<'py>(
        &self,
        py: Python<'py>,
        run: &Run,
        points: &Points,
        second: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (saved, points) = (Arc::clone(&self.0), self.prepared(points));
        let found = self.run(py, run, (points.len(), true), move || match &saved.model {
            Machine::Cca(model) if second => model.transform_second(&points),
            machine => machine.transform(&points),
        })?;
        matrix(py, &found)
    }

    /// The components of the points that a kernel PCA is made of, which take no kernel value.
    #[pyo3(signature = () -> "numpy.typing.NDArray[numpy.float64]")]
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        match &self.0.model {
            Machine::Pca(model) => matrix(py, &model.scores()),
            _ => self.unsupported("scores").map_err(raise),
        }
    }

    /// The model file as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.to_bytes().map_err(raise)?))
    }

    /// The machine of a model file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Saved::from_bytes(bytes).and_then(Self::read).map_err(raise)
    }

    /// Writes a model file with names of features.
    fn save(&self, py: Python<'_>, path: PathBuf, names: Vec<String>) -> PyResult<()> {
        let saved = Saved { names, ..(*self.0).clone() };
        py.detach(|| saved.save(path)).map_err(raise)
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| Saved::load(path)).and_then(Self::read).map_err(raise)
    }

    /// Writes LIBSVM's model text.
    fn to_libsvm(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| libsvm::write(&self.0, path)).map_err(raise)
    }

    /// Reads LIBSVM's model text.
    #[staticmethod]
    fn from_libsvm(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| libsvm::read(path)).and_then(Self::read).map_err(raise)
    }
}

/// The functions of a machine at points.
fn decisions(machine: &Machine, points: &Vectors, double: bool) -> Result<Dense<f64>> {
    match machine {
        Machine::Sphere(sphere) if double => {
            let own = sphere.function.expansion.kernel().diagonal(points)?;
            let values = sphere.function.expansion.map_double(points, |f| f[0])?;
            Ok(Dense::new(1, values.iter().zip(own).map(|(f, k)| 2.0 * f - k).collect()))
        }
        Machine::Sphere(sphere) => Ok(Dense::new(1, sphere.values(points)?)),
        Machine::Ridge(model) => model.values(points),
        Machine::Fisher(model) => model.decisions(points),
        machine => outputs(machine.expansion(), points, double),
    }
}

fn outputs(expansion: &Expansion<Vectors, VectorExpr>, points: &Vectors, double: bool) -> Result<Dense<f64>> {
    if double {
        let rows = expansion.map_double(points, <[f64]>::to_vec)?;
        return Ok(Dense::new(expansion.coefficients().outputs, rows.concat()));
    }
    expansion.decisions(points)
}

/// The place of the largest; of several the first.
fn first_largest(scores: &[f64]) -> usize {
    (1..scores.len()).fold(0, |best, c| if scores[c] > scores[best] { c } else { best })
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

/// A certificate as a dictionary.
fn certified<'py>(py: Python<'py>, certificate: &Certificate) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("objective", certificate.objective)?;
    dict.set_item("gap", certificate.gap)?;
    dict.set_item("violation", certificate.violation)?;
    dict.set_item("iterations", certificate.iterations)?;
    dict.set_item("rows", certificate.rows)?;
    dict.set_item("stop", certificate.stop.name())?;
    dict.set_item("exact", certificate.exact)?;
    Ok(dict)
}
