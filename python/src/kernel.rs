//! Kernels as objects.

use mercer::kernel::VectorExpr;
use pyo3::prelude::*;

use crate::errors::raise;

/// A kernel on vectors.
#[pyclass(frozen, module = "mercer._mercer")]
#[derive(Clone)]
pub(crate) struct Kernel(pub(crate) VectorExpr);

#[pymethods]
impl Kernel {
    /// The kernel that a text describes.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        text.parse().map(Self).map_err(raise)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }
}
