//! Classifiers that learn on: streams of stochastic steps.

use std::sync::{Arc, Mutex, PoisonError};

use mercer::data::{Labels, Vectors};
use mercer::kernel::{VectorExpr, linear};
use mercer::model::file::{LabelKind, Saved};
use mercer::model::{AnyModel, Facts, LinearModel, Pegasos, PegasosStream};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::raise;
use crate::fit::value;
use crate::model::Model;
use crate::points::Points;
use crate::work::Run;

type Settings = Pegasos<VectorExpr>;

/// A linear classifier by stochastic steps that can learn on; its parameters are those of the method pegasos, by name.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Stream(Arc<Mutex<PegasosStream>>);

fn settings(parameters: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let mut settings = Pegasos::new(linear());
    for (name, given) in parameters {
        settings.set(name.extract()?, &value(&given)?).map_err(raise)?;
    }
    Ok(settings)
}

impl Stream {
    fn of(stream: mercer::Result<PegasosStream>) -> PyResult<Self> {
        stream.map(|stream| Self(Arc::new(Mutex::new(stream)))).map_err(raise)
    }

    fn read<T>(&self, of: impl FnOnce(&PegasosStream) -> T) -> T {
        of(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Stream {
    /// A stream of rows of these classes.
    #[new]
    #[pyo3(signature = (parameters: "dict[str, typing.Any]", classes))]
    fn new(parameters: &Bound<'_, PyDict>, classes: Vec<String>) -> PyResult<Self> {
        Self::of(PegasosStream::new(settings(parameters)?, classes))
    }

    /// A stream that goes on from a linear model after so many steps.
    #[staticmethod]
    #[pyo3(signature = (parameters: "dict[str, typing.Any]", model, steps))]
    fn resumed(parameters: &Bound<'_, PyDict>, model: &Model, steps: u64) -> PyResult<Self> {
        let settings = settings(parameters)?;
        let found = match &model.saved().model {
            AnyModel::Vectors(model) => model.downcast::<LinearModel<Vectors, VectorExpr>>(),
            _ => None,
        };
        let model = found.ok_or_else(|| PyValueError::new_err("steps from a model that is not linear"))?;
        Self::of(PegasosStream::resumed(settings, model, steps))
    }

    /// The stream of `to_bytes`, with the parameters that it had.
    #[staticmethod]
    #[pyo3(signature = (parameters: "dict[str, typing.Any]", bytes))]
    fn from_bytes(parameters: &Bound<'_, PyDict>, bytes: &[u8]) -> PyResult<Self> {
        Self::of(PegasosStream::from_bytes(settings(parameters)?, bytes))
    }

    /// What the stream has come to, without its parameters.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.read(PegasosStream::to_bytes).map_err(raise)?))
    }

    /// Learns from rows in their order, given the number of the class of each.
    #[pyo3(signature = (run, points, index: "numpy.typing.NDArray[numpy.uint32]"))]
    fn learn(
        &self,
        py: Python<'_>,
        run: &Run,
        points: &Points,
        index: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<()> {
        let classes = self.read(|stream| stream.classes().to_vec());
        let index = index.as_array().to_vec();
        if index.iter().any(|&class| class as usize >= classes.len()) {
            return Err(PyValueError::new_err("a class that has no name"));
        }
        let (points, stream) = (points.vectors()?.clone(), Arc::clone(&self.0));
        run.job(py, move |_| {
            let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            stream.learn(&points, &Labels::new(classes, index))
        })
    }

    /// The model that the stream has come to; `labels` says what labels are.
    fn model(&self, labels: &str) -> PyResult<Model> {
        let model = self.read(PegasosStream::model).map_err(raise)?;
        let saved = Saved { labels: LabelKind::named(labels), ..Saved::from(model) };
        Ok(Model::new(saved, Facts::default()))
    }

    /// Rows so far, those predicted wrongly before they were learnt from, and the sum of their costs.
    fn progressive(&self) -> (u64, u64, f64) {
        let told = self.read(PegasosStream::progressive);
        (told.examples, told.mistakes, told.cost)
    }
}
