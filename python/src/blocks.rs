//! Data files whose rows stay on disk.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use mercer::data::{ColumnRef, LabelColumn, ReadOptions, Stream};
use mercer::model::file::{Saved, Training};
use mercer::model::{Event, Facts, Job};
use mercer::solve::Stage;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::raise;
use crate::fit::{Target, configured, numbers};
use crate::kernel::Kernel;
use crate::model::Model;
use crate::work::Run;

/// Texts, and for each row the number of its text; or no texts, and numbers.
type Labels<'py> = (Vec<String>, Bound<'py, PyArray1<f64>>);

/// The rows of a data file in blocks on disk: parsed once into a file beside it, which is used again while the data are the same.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Blocks(Arc<Stream>);

#[pymethods]
impl Blocks {
    /// The rows of the file `data`, whose blocks are in `blocks` or beside it; `labels` is a file with a label for each, `label` the column
    /// of labels of a table, by name or number from 1; `targets` says that labels are to be numbers.
    #[new]
    #[pyo3(signature = (run, data, blocks = None, *, label = None, labels = None, targets = false))]
    fn new(
        py: Python<'_>,
        run: &Run,
        data: PathBuf,
        blocks: Option<PathBuf>,
        label: Option<String>,
        labels: Option<PathBuf>,
        targets: bool,
    ) -> PyResult<Self> {
        let label = label.map(|label| {
            let Ok(column) = label.parse::<ColumnRef>();
            column
        });
        let options = ReadOptions { label, labels_path: labels, targets, ..ReadOptions::default() };
        let stream = run.job(py, move |shared| {
            let (started, mut watch) = (std::time::Instant::now(), shared.watch());
            let mut parsed = |done: f64| -> ControlFlow<()> {
                watch(Event::Stage(&Stage { name: "parsing the data", done, elapsed: started.elapsed() }))
            };
            Stream::open(&data, blocks.as_deref(), &options, &mut parsed)
        })?;
        Ok(Self(Arc::new(stream)))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Features.
    #[getter]
    fn columns(&self) -> usize {
        self.0.width()
    }

    /// A label for each row: texts and for each row which it has, or no texts and numbers; None where there are no labels.
    #[pyo3(signature = () -> "tuple[list[str], numpy.typing.NDArray[numpy.float64]] | None")]
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Option<Labels<'py>>> {
        let labels = self.0.labels().map_err(raise)?;
        Ok(labels.map(|labels| match labels {
            LabelColumn::Numbers(values) => (Vec::new(), values.into_pyarray(py)),
            LabelColumn::Texts { texts, codes } => {
                (texts, codes.into_iter().map(f64::from).collect::<Vec<_>>().into_pyarray(py))
            }
        }))
    }
}

/// Fits a model by the method named to rows on disk, in so many bytes of memory.
#[pyfunction]
#[pyo3(signature = (run, method, parameters: "dict[str, typing.Any]", kernel, rows, target: "typing.Any", weights: "numpy.typing.NDArray[numpy.float64] | None" = None, memory = None))]
#[expect(clippy::too_many_arguments, reason = "what a fit is made of")]
pub(crate) fn fit_blocks(
    py: Python<'_>,
    run: &Run,
    method: &str,
    parameters: &Bound<'_, PyDict>,
    kernel: &Kernel,
    rows: &Blocks,
    target: Target<'_>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    memory: Option<usize>,
) -> PyResult<Model> {
    let estimator = configured(method, parameters, kernel)?;
    let (rows, weights, (y, labels)) = (Arc::clone(&rows.0), numbers(weights), target.meant()?);
    let (saved, found): (Saved, Facts) = run.job(py, move |shared| {
        let mut watch = shared.watch();
        let mut job = Job::new().weights(&weights).memory(memory).watched(&mut watch);
        let model = estimator.fit_stream(&rows, &y, &mut job)?;
        let training = Training::of(&estimator, &job.found, model.classes());
        Ok((Saved { labels, training, ..Saved::new(model) }, job.found))
    })?;
    Ok(Model::new(saved, found))
}
