//! Rows of numbers from numpy and scipy.

use mercer::data::{Dense, Sparse, Vectors};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// Rows of numbers, dense or sparse, single or double precision.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Points(pub(crate) Vectors);

/// A matrix in either precision.
#[derive(FromPyObject)]
enum Matrix<'py> {
    /// Single.
    Single(PyReadonlyArray2<'py, f32>),
    /// Double.
    Double(PyReadonlyArray2<'py, f64>),
}

#[pymethods]
impl Points {
    /// The rows of a matrix.
    #[staticmethod]
    fn dense(matrix: Matrix<'_>) -> Self {
        Self(match matrix {
            Matrix::Single(m) => Dense::new(m.shape()[1], m.as_array().iter().copied().collect()).into(),
            Matrix::Double(m) => Dense::new(m.shape()[1], m.as_array().iter().copied().collect()).into(),
        })
    }

    /// The rows of a matrix in compressed form, columns ascending within a row.
    #[staticmethod]
    fn sparse(
        columns: usize,
        start: PyReadonlyArray1<'_, i64>,
        index: PyReadonlyArray1<'_, i64>,
        values: PyReadonlyArray1<'_, f64>,
    ) -> Self {
        let start = start.as_array().iter().map(|&at| at as usize).collect();
        let index = index.as_array().iter().map(|&k| k as u32).collect();
        Self(Sparse::new(columns, start, index, values.as_array().to_vec()).into())
    }
}
