//! The native half of the Python package.
use pyo3::prelude::*;

/// Kernel machines in Rust, as the package `mercer` uses them.
#[pymodule]
fn _mercer(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
