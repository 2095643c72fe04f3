//! Features that come near to a kernel, and linear fits in rounds over shards of rows.

use std::sync::{Arc, Mutex, PoisonError};

use mercer::data::{Points as _, Vectors};
use mercer::kernel::{Kernel as _, Reference, VectorExpr};
use mercer::model::{AnyKernel, Cost, Stats};
use mercer::{ErrorKind, Result};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::raise;
use crate::kernel::Kernel;
use crate::points::Points;
use crate::work::Run;

/// The rows whose inner product a kernel is, fitted to points.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Features(VectorExpr);

/// The rows of points under a kernel.
fn rows(kernel: &VectorExpr, points: &Vectors) -> Result<Vectors> {
    points.check_finite()?;
    let coordinates = kernel.coordinates().ok_or_else(|| ErrorKind::Unsupported {
        what: format!("features of {kernel}: it must be linear, linear @ map or a multiple of these").into(),
    })?;
    Ok(coordinates.of(points)?.into_owned())
}

#[pymethods]
impl Features {
    /// Those of a kernel, its landmarks chosen from points.
    #[staticmethod]
    fn fitted(py: Python<'_>, run: &Run, kernel: &Kernel, x: &Points) -> PyResult<Self> {
        let AnyKernel::Vectors(kernel) = kernel.0.clone() else {
            return Err(PyValueError::new_err("features of a kernel on vectors"));
        };
        let points = x.vectors()?.clone();
        run.job(py, move |_| {
            points.check_finite()?;
            let go_on = &mut |_| std::ops::ControlFlow::Continue(());
            kernel.fitted(&Reference::new(&points), go_on)
        })
        .map(Self)
    }

    /// Those of the text of a kernel, with landmarks that were chosen before.
    #[staticmethod]
    fn restored(kernel: &str, landmarks: Vec<PyRef<'_, Points>>) -> PyResult<Self> {
        let kernel: VectorExpr = kernel.parse().map_err(raise)?;
        let landmarks: Vec<Vectors> =
            landmarks.iter().map(|own| own.vectors().cloned()).collect::<PyResult<_>>()?;
        if landmarks.is_empty() {
            return Ok(Self(kernel));
        }
        kernel.with_landmarks(landmarks).map(Self).map_err(raise)
    }

    /// The text of the kernel.
    #[getter]
    fn kernel(&self) -> String {
        self.0.to_string()
    }

    /// The landmarks of each map that has some.
    fn landmarks(&self) -> Vec<Points> {
        self.0.landmarks().into_iter().map(Points::from).collect()
    }

    /// The rows of points.
    #[pyo3(signature = (run, x) -> "numpy.typing.NDArray[numpy.float64]")]
    fn transform<'py>(&self, py: Python<'py>, run: &Run, x: &Points) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (kernel, points) = (self.0.clone(), x.vectors()?.clone());
        let n = points.len();
        let (width, values) = run.job(py, move |_| {
            let rows = rows(&kernel, &points)?;
            let width = rows.width();
            let mut values = vec![0.0; n * width];
            for (i, out) in values.chunks_mut(width.max(1)).enumerate() {
                rows.row(i).for_each(|k, value| out[k] = value);
            }
            Ok((width, values))
        })?;
        PyArray1::from_vec(py, values).reshape([n, width])
    }

    /// What landmarks leave of k(x, x) of each of points; None without landmarks.
    #[pyo3(signature = (run, x) -> "numpy.typing.NDArray[numpy.float64] | None")]
    fn residual<'py>(
        &self,
        py: Python<'py>,
        run: &Run,
        x: &Points,
    ) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
        let (kernel, points) = (self.0.clone(), x.vectors()?.clone());
        let left = run.job(py, move |_| {
            let rows = rows(&kernel, &points)?;
            kernel.coordinates().map_or(Ok(None), |coordinates| coordinates.residual(&points, &rows))
        })?;
        Ok(left.map(|left| PyArray1::from_vec(py, left)))
    }
}

/// A linear fit in rounds over shards of rows.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Rounds(Arc<Mutex<mercer::model::Rounds>>);

fn cost(loss: &str, epsilon: f64) -> PyResult<Cost> {
    match loss {
        "squared_hinge" => Ok(Cost::SquaredHinge),
        "logistic" => Ok(Cost::Logistic),
        "squared_error" => Ok(Cost::SquaredInsensitive(epsilon)),
        other => {
            Err(PyValueError::new_err(format!("loss '{other}': squared_hinge, logistic or squared_error")))
        }
    }
}

impl Rounds {
    fn read<T>(&self, of: impl FnOnce(&mercer::model::Rounds) -> T) -> T {
        of(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The points, targets and prices of a shard, for a job on a copy of the fit.
    fn shard<T: Send + 'static>(
        &self,
        py: Python<'_>,
        run: &Run,
        (x, targets, prices): (&Points, PyReadonlyArray1<'_, f64>, PyReadonlyArray1<'_, f64>),
        of: impl FnOnce(&mercer::model::Rounds, &Vectors, &[f64], &[f64]) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let rounds = self.read(Clone::clone);
        let (x, targets, prices) =
            (x.vectors()?.clone(), targets.as_array().to_vec(), prices.as_array().to_vec());
        run.job(py, move |_| of(&rounds, &x, &targets, &prices))
    }
}

#[pymethods]
impl Rounds {
    /// A fit over features of points with `inputs` features, with a gap of `tolerance` in at most `limit` rounds.
    #[new]
    #[pyo3(signature = (features, inputs, loss, *, epsilon = 0.0, constant = 1.0, tolerance = 1e-6, limit = 100))]
    fn new(
        features: &Features,
        inputs: usize,
        loss: &str,
        epsilon: f64,
        constant: f64,
        tolerance: f64,
        limit: u64,
    ) -> PyResult<Self> {
        let rounds = mercer::model::Rounds::new(&features.0, inputs, cost(loss, epsilon)?).map_err(raise)?;
        Ok(Self(Arc::new(Mutex::new(rounds.constant(constant).until(tolerance, limit)))))
    }

    /// The fit at the weights of a round, as a shard far away needs it.
    #[pyo3(signature = (round, weights: "numpy.typing.NDArray[numpy.float64]"))]
    fn at(&self, round: u64, weights: PyReadonlyArray1<'_, f64>) -> PyResult<Self> {
        let rounds = self.read(Clone::clone).at(round, &weights.as_array().to_vec()).map_err(raise)?;
        Ok(Self(Arc::new(Mutex::new(rounds))))
    }

    /// What a shard tells in this round, as bytes: of points with a target (±1 for classes) and a price for each.
    #[pyo3(signature = (run, x, targets: "numpy.typing.NDArray[numpy.float64]", prices: "numpy.typing.NDArray[numpy.float64]"))]
    fn stats<'py>(
        &self,
        py: Python<'py>,
        run: &Run,
        x: &Points,
        targets: PyReadonlyArray1<'_, f64>,
        prices: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.shard(py, run, (x, targets, prices), |rounds, x, y, c| {
            rounds.stats(x, y, c).map(|stats| stats.to_bytes())
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Solves the round, given the stats of all shards in their order, or sums of them.
    fn solve(&self, py: Python<'_>, run: &Run, stats: Vec<Vec<u8>>) -> PyResult<()> {
        let rounds = Arc::clone(&self.0);
        run.job(py, move |_| {
            let all = stats.iter().map(|bytes| Stats::from_bytes(bytes)).collect::<Result<Vec<_>>>()?;
            rounds.lock().unwrap_or_else(PoisonError::into_inner).solve(&Stats::merge(all)?)
        })
    }

    /// Σ |β|√r of a shard at the last weights.
    #[pyo3(signature = (run, x, targets: "numpy.typing.NDArray[numpy.float64]", prices: "numpy.typing.NDArray[numpy.float64]"))]
    fn left_out(
        &self,
        py: Python<'_>,
        run: &Run,
        x: &Points,
        targets: PyReadonlyArray1<'_, f64>,
        prices: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<f64> {
        self.shard(py, run, (x, targets, prices), |rounds, x, y, c| rounds.left_out(x, y, c))
    }

    /// By how much the weights may miss the optimum of the kernel that landmarks stand for, given the sum of what shards leave out.
    fn exact_gap(&self, left_out: f64) -> Option<f64> {
        self.read(|rounds| rounds.exact_gap(left_out))
    }

    /// The number of this round.
    #[getter]
    fn round(&self) -> u64 {
        self.read(mercer::model::Rounds::round)
    }

    /// The weights of this round: of the features, and of the constant one at last.
    #[getter]
    #[pyo3(signature = () -> "numpy.typing.NDArray[numpy.float64]")]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.read(|rounds| rounds.weights().to_vec()))
    }

    /// How good the weights are, once they are the last.
    #[getter]
    #[pyo3(signature = () -> "dict[str, typing.Any] | None")]
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(own) = self.read(mercer::model::Rounds::certificate) else { return Ok(None) };
        let told = PyDict::new(py);
        told.set_item("objective", own.objective)?;
        told.set_item("gap", own.gap)?;
        told.set_item("violation", own.violation)?;
        told.set_item("iterations", own.iterations)?;
        told.set_item("rows", own.rows)?;
        told.set_item("stop", own.stop.name())?;
        told.set_item("exact", own.exact)?;
        Ok(Some(told))
    }

    /// The function at each of points.
    #[pyo3(signature = (run, x) -> "numpy.typing.NDArray[numpy.float64]")]
    fn values<'py>(&self, py: Python<'py>, run: &Run, x: &Points) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (rounds, x) = (self.read(Clone::clone), x.vectors()?.clone());
        Ok(PyArray1::from_vec(py, run.job(py, move |_| rounds.values(&x))?))
    }
}
