//! What a check of a kernel on data found.

use std::sync::Arc;

use mercer::ErrorKind;
use mercer::data::Points as _;
use mercer::error::DataProblem;
use mercer::kernel::{self, Verdict};
use mercer::model::{AnyPoints, Facts};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::facts::told;
use crate::kernel::{at, definite, of_space};
use crate::points::Points;

/// What a check found, and the Mercer spectrum.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Validity {
    found: Arc<kernel::Validity<AnyPoints>>,
    /// The space of the points.
    space: &'static str,
    /// Features of the points.
    width: usize,
}

impl Validity {
    pub(crate) fn new(found: kernel::Validity<AnyPoints>, points: &AnyPoints) -> Self {
        Self { found: Arc::new(found), space: points.space(), width: points.width() }
    }
}

#[pymethods]
impl Validity {
    /// What the kernel claims (`definite`), the `verdict` on the `rows` looked at `of` those there are, the largest
    /// `asymmetry` |Kᵢⱼ − Kⱼᵢ|, the `smallest` and `largest` eigenvalue, the `tolerance` down to minus which they are zero, the
    /// `eigenvalues` of K/n; for an indefinite Gram `coefficients` c and their `value` cᵀKc < 0.
    #[pyo3(signature = () -> "dict[str, typing.Any]")]
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = &self.found;
        let verdict = match found.verdict {
            Verdict::PositiveSemidefinite => "psd",
            Verdict::Indefinite => "indefinite",
            Verdict::Asymmetric => "asymmetric",
        };
        let facts = Facts::default()
            .with("definite", definite(found.definiteness))
            .with("verdict", verdict)
            .with("rows", found.rows.as_slice())
            .with("of", found.of)
            .with("asymmetry", found.asymmetry)
            .with("smallest", found.smallest)
            .with("largest", found.largest)
            .with("tolerance", found.tolerance)
            .with("eigenvalues", found.spectrum.eigenvalues.as_slice())
            .with("coefficients", found.witness.as_ref().map(|witness| witness.coefficients.as_slice()))
            .with("value", found.witness.as_ref().map(|witness| witness.value));
        told(py, &facts)
    }

    /// The eigenfunctions at points, a row for each function.
    #[pyo3(signature = (x) -> "numpy.typing.NDArray[numpy.float64]")]
    fn eigenfunctions<'py>(&self, py: Python<'py>, x: &Points) -> PyResult<Bound<'py, PyArray2<f64>>> {
        of_space(&x.0, self.space)?;
        let (shared, expected) = (Arc::clone(&self.found), self.width);
        let values = at(py, &x.0, move |points| match points.width() {
            found if found == expected => Ok(shared.spectrum.eigenfunctions(points)),
            found => Err(ErrorKind::Data(DataProblem::Width { found, expected }).into()),
        })?;
        PyArray1::from_vec(py, values.concat()).reshape([self.found.spectrum.len(), x.0.len()])
    }
}
