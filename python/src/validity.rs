//! What a check of a kernel on data found.

use std::sync::Arc;

use mercer::data::Points as _;
use mercer::kernel::{self, Verdict};
use mercer::model::AnyPoints;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::kernel::{definite, fits, work};
use crate::points::Points;

/// What a check found, and the Mercer spectrum.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Validity {
    found: Arc<kernel::Validity<AnyPoints>>,
    /// Features of the points.
    width: usize,
}

impl Validity {
    pub(crate) fn new(found: kernel::Validity<AnyPoints>, width: usize) -> Self {
        Self { found: Arc::new(found), width }
    }
}

#[pymethods]
impl Validity {
    /// What the kernel claims by construction.
    #[getter]
    fn definite(&self) -> &'static str {
        definite(self.found.definiteness)
    }

    /// The verdict on these rows.
    #[getter]
    fn verdict(&self) -> &'static str {
        match self.found.verdict {
            Verdict::PositiveSemidefinite => "psd",
            Verdict::Indefinite => "indefinite",
            Verdict::Asymmetric => "asymmetric",
        }
    }

    /// The rows looked at, from 0.
    #[pyo3(signature = () -> "numpy.typing.NDArray[numpy.int64]")]
    fn rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.found.rows.iter().map(|&row| row as i64))
    }

    /// The rows there are.
    #[getter]
    fn of(&self) -> usize {
        self.found.of
    }

    /// The largest |Kᵢⱼ − Kⱼᵢ|.
    #[getter]
    fn asymmetry(&self) -> f64 {
        self.found.asymmetry
    }

    /// The smallest eigenvalue.
    #[getter]
    fn smallest(&self) -> f64 {
        self.found.smallest
    }

    /// The largest eigenvalue.
    #[getter]
    fn largest(&self) -> f64 {
        self.found.largest
    }

    /// Eigenvalues down to minus this are zero to rounding.
    #[getter]
    fn tolerance(&self) -> f64 {
        self.found.tolerance
    }

    /// For an indefinite Gram, coefficients c and cᵀKc < 0.
    #[pyo3(signature = () -> "tuple[numpy.typing.NDArray[numpy.float64], float] | None")]
    fn witness<'py>(&self, py: Python<'py>) -> Option<(Bound<'py, PyArray1<f64>>, f64)> {
        let witness = self.found.witness.as_ref()?;
        Some((PyArray1::from_slice(py, &witness.coefficients), witness.value))
    }

    /// The eigenvalues of K/n, descending.
    #[pyo3(signature = () -> "numpy.typing.NDArray[numpy.float64]")]
    fn eigenvalues<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.found.spectrum.eigenvalues)
    }

    /// The eigenfunctions at points, a row for each function.
    #[pyo3(signature = (x) -> "numpy.typing.NDArray[numpy.float64]")]
    fn eigenfunctions<'py>(&self, py: Python<'py>, x: &Points) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (found, points, width) = (Arc::clone(&self.found), x.0.clone(), self.width);
        let values = work(py, move || {
            fits(&points, width)?;
            Ok(found.spectrum.eigenfunctions(&points))
        });
        PyArray1::from_vec(py, values?.concat()).reshape([self.found.spectrum.len(), x.0.len()])
    }
}
