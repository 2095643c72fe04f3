//! Points from Python: rows of numbers of numpy and scipy, texts, graphs, and sets of rows.

use std::sync::Arc;

use mercer::data::{Cells, Dense, Graph, GraphParts, Points as _, Real, Records, Row, Sparse, Vectors};
use mercer::model::AnyPoints;
use numpy::ndarray::{Array2, ArrayView2};
use numpy::{Element, IntoPyArray, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use rayon::prelude::*;

use crate::errors::raise;
use crate::lend::Lent;
use crate::work::on_threads;

/// Numbers up to which handing them out to threads takes longer than looking at them.
const FEW: usize = 1 << 14;

/// Points: rows of numbers, dense or sparse, single or double precision; texts; graphs; or sets of rows.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Points(pub(crate) AnyPoints);

impl Points {
    /// The rows of numbers.
    ///
    /// # Errors
    /// If the points are of another space.
    pub(crate) fn vectors(&self) -> PyResult<&Vectors> {
        match &self.0 {
            AnyPoints::Vectors(rows) => Ok(rows),
            other => Err(PyValueError::new_err(format!("{} where vectors are needed", other.space()))),
        }
    }
}

impl From<Vectors> for Points {
    fn from(rows: Vectors) -> Self {
        Self(rows.into())
    }
}

/// A matrix in either precision.
#[derive(FromPyObject)]
pub(crate) enum Matrix<'py> {
    /// Double.
    Double(PyReadonlyArray2<'py, f64>),
    /// Single.
    Single(PyReadonlyArray2<'py, f32>),
}

/// A list of numbers in either precision.
#[derive(FromPyObject)]
pub(crate) enum Values<'py> {
    /// Double.
    Double(PyReadonlyArray1<'py, f64>),
    /// Single.
    Single(PyReadonlyArray1<'py, f32>),
}

/// Indices of either width.
#[derive(FromPyObject)]
pub(crate) enum Indices<'py> {
    /// 32 bits.
    Short(PyReadonlyArray1<'py, i32>),
    /// 64 bits.
    Long(PyReadonlyArray1<'py, i64>),
}

#[pymethods]
impl Points {
    /// The rows of a matrix. Rows that lie one after the other are not copied: their memory is lent as long as it is used.
    /// Of a large matrix that is mostly zeros only the other values are kept, which is less, and faster to compute with.
    #[staticmethod]
    #[pyo3(signature = (matrix: "numpy.typing.NDArray[numpy.float32] | numpy.typing.NDArray[numpy.float64]"))]
    fn dense(py: Python<'_>, matrix: Matrix<'_>) -> PyResult<Self> {
        Ok(Self::from(match matrix {
            Matrix::Single(matrix) => rows(py, &matrix)?,
            Matrix::Double(matrix) => rows(py, &matrix)?,
        }))
    }

    /// The rows of a matrix in compressed form, columns ascending within a row. Of a large matrix that is mostly stored
    /// the zeros are kept too.
    #[staticmethod]
    #[pyo3(signature = (columns, start: "numpy.typing.NDArray[numpy.int32] | numpy.typing.NDArray[numpy.int64]", index: "numpy.typing.NDArray[numpy.int32] | numpy.typing.NDArray[numpy.int64]", values: "numpy.typing.NDArray[numpy.float32] | numpy.typing.NDArray[numpy.float64]"))]
    fn sparse(
        py: Python<'_>,
        columns: usize,
        start: Indices<'_>,
        index: Indices<'_>,
        values: Values<'_>,
    ) -> PyResult<Self> {
        let start = start.to_vec::<usize>(py)?;
        let index = index.to_vec::<u32>(py)?;
        let rows: Vectors = match values {
            Values::Single(values) => {
                compressed(py, columns, start, index, values.as_array().to_vec())?.into()
            }
            Values::Double(values) => {
                compressed(py, columns, start, index, values.as_array().to_vec())?.into()
            }
        };
        compact(py, rows).map(Self::from)
    }

    /// The rows of a matrix of kernel values, numbered as the kernel `precomputed` wants them.
    #[staticmethod]
    #[pyo3(signature = (matrix: "numpy.typing.NDArray[numpy.float32] | numpy.typing.NDArray[numpy.float64]"))]
    fn gram(py: Python<'_>, matrix: Matrix<'_>) -> PyResult<Self> {
        Ok(Self::from(match matrix {
            Matrix::Single(matrix) => Vectors::from(numbered(py, matrix.as_array())?),
            Matrix::Double(matrix) => numbered(py, matrix.as_array())?.into(),
        }))
    }

    /// Texts, one for each point.
    #[staticmethod]
    fn texts(texts: Vec<String>) -> Self {
        Self(texts.into())
    }

    /// Graphs, each as its number of nodes, its edges, and labels of nodes, labels of edges and attributes of nodes or None.
    #[staticmethod]
    #[pyo3(signature = (graphs: "typing.Sequence[tuple[int, typing.Sequence[tuple[int, int]], typing.Sequence[str] | None, typing.Sequence[str] | None, numpy.typing.NDArray[numpy.float64] | None]]"))]
    fn graphs(graphs: Vec<GivenGraph<'_>>) -> PyResult<Self> {
        let graphs = graphs.into_iter().enumerate().map(|(i, given)| graph(i, given));
        Ok(Self(graphs.collect::<PyResult<Vec<_>>>()?.into()))
    }

    /// Sets of rows, a matrix each.
    #[staticmethod]
    #[pyo3(signature = (sets: "typing.Sequence[numpy.typing.NDArray[numpy.float64]]"))]
    fn sets(py: Python<'_>, sets: Vec<PyReadonlyArray2<'_, f64>>) -> PyResult<Self> {
        let set = |rows: &PyReadonlyArray2<'_, f64>| {
            Ok(Vectors::from(Dense::new(rows.shape()[1], copied(py, rows.as_array(), 0)?)))
        };
        Ok(Self(sets.iter().map(set).collect::<PyResult<Vec<_>>>()?.into()))
    }

    /// Rows of a table: the name of each column and its cells, points of one of the other kinds; rows of numbers have one column.
    #[staticmethod]
    fn records(columns: Vec<(String, PyRef<'_, Self>)>) -> PyResult<Self> {
        let cells = |(name, points): (String, PyRef<'_, Self>)| {
            let cells = match &points.0 {
                AnyPoints::Vectors(rows) => {
                    Cells::Numbers((0..rows.len()).map(|i| rows.row(i).get(0)).collect())
                }
                AnyPoints::Texts(texts) => Cells::Texts(texts.clone()),
                AnyPoints::Graphs(graphs) => Cells::Graphs(graphs.clone()),
                AnyPoints::Sets(sets) => Cells::Sets(sets.clone()),
                AnyPoints::Records(_) => return Err(PyValueError::new_err("a table in a column of a table")),
            };
            Ok((name, cells))
        };
        let columns = columns.into_iter().map(cells).collect::<PyResult<Vec<_>>>()?;
        Records::new(columns).map(|records| Self(records.into())).map_err(raise)
    }

    /// How many points.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// How many columns; 0 of texts and graphs.
    #[getter]
    fn columns(&self) -> usize {
        self.0.width()
    }

    /// Bytes of the values of dense rows; 0 of other points.
    #[getter]
    fn nbytes(&self) -> usize {
        match &self.0 {
            AnyPoints::Vectors(Vectors::Dense32(rows)) => size_of_val(rows.values()),
            AnyPoints::Vectors(Vectors::Dense64(rows)) => size_of_val(rows.values()),
            _ => 0,
        }
    }

    /// The variance of all values, with a weight for each row; two passes, in double precision.
    #[pyo3(signature = (weights: "numpy.typing.NDArray[numpy.float64] | None" = None))]
    fn variance(&self, py: Python<'_>, weights: Option<PyReadonlyArray1<'_, f64>>) -> PyResult<f64> {
        let (rows, weights) =
            (self.vectors()?, weights.map_or_else(Vec::new, |weights| weights.as_array().to_vec()));
        if !weights.is_empty() && weights.len() != rows.len() {
            return Err(PyValueError::new_err("weights must be one per row"));
        }
        on_threads(py, || rows.variance(&weights))
    }

    /// As Python has them: a matrix; columns, start, index and values of sparse rows; a list of texts, of graphs
    /// as they are given, or of matrices.
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0)
    }
}

fn to_python<'py>(py: Python<'py>, points: &AnyPoints) -> PyResult<Bound<'py, PyAny>> {
    {
        match points {
            AnyPoints::Records(records) => {
                let columns = PyDict::new(py);
                for (name, cells) in records.columns() {
                    let list = match cells {
                        Cells::Numbers(cells) => cells.into_pyobject(py)?,
                        Cells::Texts(cells) => cells.into_pyobject(py)?,
                        Cells::Graphs(cells) => to_python(py, &cells.clone().into())?,
                        Cells::Sets(cells) => to_python(py, &cells.clone().into())?,
                    };
                    columns.set_item(name, list)?;
                }
                Ok(columns.into_any())
            }
            AnyPoints::Vectors(Vectors::Dense32(rows)) => Ok(matrix(py, rows)?.into_any()),
            AnyPoints::Vectors(Vectors::Dense64(rows)) => Ok(matrix(py, rows)?.into_any()),
            AnyPoints::Vectors(Vectors::Sparse32(rows)) => Ok(parts(py, rows)?.into_any()),
            AnyPoints::Vectors(Vectors::Sparse64(rows)) => Ok(parts(py, rows)?.into_any()),
            AnyPoints::Texts(texts) => texts.into_pyobject(py),
            AnyPoints::Graphs(graphs) => {
                let taken = graphs.iter().map(|graph| taken(py, graph)).collect::<PyResult<Vec<_>>>()?;
                Ok(PyList::new(py, taken)?.into_any())
            }
            AnyPoints::Sets(sets) => {
                let rows = |set: &Vectors| {
                    let mut values = Vec::with_capacity(set.len() * set.width());
                    (0..set.len()).for_each(|i| values.extend((0..set.width()).map(|k| set.row(i).get(k))));
                    matrix(py, &Dense::new(set.width(), values))
                };
                Ok(PyList::new(py, sets.iter().map(rows).collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
        }
    }
}

/// A graph as Python gives it.
type GivenGraph<'py> = (
    usize,
    Vec<(usize, usize)>,
    Option<Vec<String>>,
    Option<Vec<String>>,
    Option<PyReadonlyArray2<'py, f64>>,
);

/// The graph at a place in a list, from 0.
fn graph(place: usize, (nodes, edges, labels, edge_labels, attributes): GivenGraph<'_>) -> PyResult<Graph> {
    let texts =
        |labels: Option<Vec<String>>| labels.map(|labels| labels.into_iter().map(Into::into).collect());
    let rows = |rows: PyReadonlyArray2<'_, f64>| {
        Dense::new(rows.shape()[1], rows.as_array().iter().copied().collect())
    };
    let parts = GraphParts {
        nodes,
        edges,
        labels: texts(labels),
        edge_labels: texts(edge_labels),
        attributes: attributes.map(rows),
    };
    let flaw = |error: mercer::Error| PyValueError::new_err(format!("X[{place}]: {error}"));
    Graph::new(parts).map_err(flaw)
}

/// A graph as Python takes it: nodes, edges, labels, labels of edges, attributes.
fn taken<'py>(py: Python<'py>, graph: &Graph) -> PyResult<Bound<'py, PyTuple>> {
    let (mut edges, mut edge_labels) = (Vec::new(), Vec::new());
    for node in 0..graph.nodes() {
        let mut labels = graph.edge_labels(node);
        for &other in graph.neighbours(node) {
            let label = labels.next();
            if (other as usize) > node {
                edges.push((node, other as usize));
                edge_labels.extend(label);
            }
        }
    }
    let labels: Option<Vec<&str>> = (0..graph.nodes()).map(|node| graph.label(node)).collect();
    let attributes =
        (graph.attributes().columns() > 0).then(|| matrix(py, graph.attributes())).transpose()?;
    let edge_labels = (!edge_labels.is_empty()).then_some(edge_labels);
    let labels = labels.filter(|labels| !labels.is_empty());
    (graph.nodes(), edges, labels, edge_labels, attributes).into_pyobject(py)
}

/// Rows of a numpy matrix: lent where they lie one after the other, else copied; without its zeros where it has many.
fn rows<T: Real + Element>(py: Python<'_>, matrix: &PyReadonlyArray2<'_, T>) -> PyResult<Vectors>
where
    Vectors: From<Dense<T>>,
{
    let columns = matrix.shape()[1];
    let dense = match Lent::new(matrix) {
        Some(lent) => Dense::held(columns, Arc::new(lent)),
        None => Dense::new(columns, copied(py, matrix.as_array(), 0)?),
    };
    compact(py, dense.into())
}

/// Rows in the form that is faster to compute with.
fn compact(py: Python<'_>, rows: Vectors) -> PyResult<Vectors> {
    if rows.len().saturating_mul(rows.width()) <= FEW { Ok(rows) } else { on_threads(py, || rows.compact()) }
}

/// Values of a view row by row, each after `before` zeros. A matrix by columns is read in blocks of both, so that no line
/// of memory is fetched more than once.
fn copied<T: Real>(py: Python<'_>, view: ArrayView2<'_, T>, before: usize) -> PyResult<Vec<T>> {
    const BLOCK: usize = 64;
    let (n, columns) = view.dim();
    let width = columns + before;
    let mut values = vec![T::default(); n * width];
    let copy = |(block, rows): (usize, &mut [T])| {
        for first in (0..columns).step_by(BLOCK) {
            for (i, row) in (block * BLOCK..).zip(rows.chunks_mut(width.max(1))) {
                for k in first..columns.min(first + BLOCK) {
                    row[before + k] = view[[i, k]];
                }
            }
        }
    };
    let block = (BLOCK * width).max(1);
    if values.len() <= FEW {
        values.chunks_mut(block).enumerate().for_each(copy);
    } else {
        on_threads(py, || values.par_chunks_mut(block).enumerate().for_each(copy))?;
    }
    Ok(values)
}

/// Rows of kernel values, each behind its number, from 1.
fn numbered<T: Real>(py: Python<'_>, view: ArrayView2<'_, T>) -> PyResult<Dense<T>> {
    let width = view.dim().1 + 1;
    let mut values = copied(py, view, 1)?;
    values.chunks_mut(width).enumerate().for_each(|(i, row)| row[0] = T::from_f64((i + 1) as f64));
    Ok(Dense::new(width, values))
}

impl Indices<'_> {
    fn to_vec<T: TryFrom<i64> + TryFrom<i32> + Send>(&self, py: Python<'_>) -> PyResult<Vec<T>> {
        let bad = || PyValueError::new_err("sparse matrix: an index is negative or too large");
        match self {
            Self::Short(index) => match index.as_slice() {
                Ok(index) if index.len() > FEW => {
                    on_threads(py, || index.par_iter().map(|&i| T::try_from(i).map_err(|_| bad())).collect())?
                }
                _ => index.as_array().iter().map(|&i| T::try_from(i).map_err(|_| bad())).collect(),
            },
            Self::Long(index) => {
                index.as_array().iter().map(|&i| T::try_from(i).map_err(|_| bad())).collect()
            }
        }
    }
}

/// Sparse rows, refused where the parts do not fit together.
fn compressed<T: Real>(
    py: Python<'_>,
    columns: usize,
    start: Vec<usize>,
    index: Vec<u32>,
    values: Vec<T>,
) -> PyResult<Sparse<T>> {
    let refused = |what: String| Err(PyValueError::new_err(format!("sparse matrix: {what}")));
    let most = Sparse::<T>::MAX_COLUMNS;
    if columns > most {
        return refused(format!("{columns} columns; there may be {most}"));
    }
    let ends = start.first() == Some(&0) && start.last() == Some(&index.len()) && index.len() == values.len();
    if !ends {
        let (columns, values) = (index.len(), values.len());
        return refused(format!(
            "indptr must go from 0 to the number of entries; there are {columns} columns and {values} values"
        ));
    }
    let sound = |bounds: &[usize]| {
        index.get(bounds[0]..bounds[1]).is_some_and(|row| {
            row.is_sorted_by(|a, b| a < b) && row.last().is_none_or(|&k| (k as usize) < columns)
        })
    };
    let unsound = if index.len() + start.len() > FEW {
        on_threads(py, || start.par_windows(2).position_first(|bounds| !sound(bounds)))?
    } else {
        start.windows(2).position(|bounds| !sound(bounds))
    };
    if let Some(row) = unsound {
        return refused(format!(
            "row {row}: indptr must not fall; columns must ascend and be below {columns}"
        ));
    }
    Ok(Sparse::new(columns, start, index, values))
}

/// A numpy matrix of dense rows.
pub(crate) fn matrix<'py, T: Real + Element>(
    py: Python<'py>,
    rows: &Dense<T>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let shaped = Array2::from_shape_vec((rows.len(), rows.columns()), rows.values().to_vec());
    let shaped = shaped.map_err(|e| PyValueError::new_err(e.to_string()))?;
    Ok(shaped.into_pyarray(py))
}

/// The parts of sparse rows.
fn parts<'py, T: Real + Element>(py: Python<'py>, rows: &Sparse<T>) -> PyResult<Bound<'py, PyTuple>> {
    let (mut start, mut index, mut values) = (vec![0_i64], Vec::new(), Vec::new());
    for i in 0..rows.len() {
        let (columns, own) = rows.row(i);
        index.extend(columns.iter().map(|&k| i64::from(k)));
        values.extend_from_slice(own);
        start.push(index.len() as i64);
    }
    let parts = (rows.columns(), start.into_pyarray(py), index.into_pyarray(py), values.into_pyarray(py));
    parts.into_pyobject(py)
}

/// Only the numbers of precomputed rows: a support point is known by its number.
pub(crate) fn numbers_only(points: &Vectors) -> Vectors {
    let n = points.len();
    let number = |i: usize| match points.row(i) {
        Row::Dense32(values) => f64::from(values[0]),
        Row::Dense64(values) => values[0],
        row => row.get(0),
    };
    Sparse::<f64>::new(points.width(), (0..=n).collect(), vec![0; n], (0..n).map(number).collect()).into()
}
