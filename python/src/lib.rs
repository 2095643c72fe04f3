//! The native half of the Python package.
use pyo3::prelude::*;

mod errors;
mod kernel;
mod points;
mod validity;

/// Kernel machines in Rust, as the package `mercer` uses them.
#[pymodule]
fn _mercer(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<points::Points>()?;
    module.add_class::<kernel::Kernel>()?;
    module.add_class::<kernel::Map>()?;
    module.add_class::<validity::Validity>()?;
    module.add_function(wrap_pyfunction!(kernel::median, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
