//! The native half of the Python package `mercer`: data in, fits on threads of our own, models out. Everything that is
//! scikit-learn's way of saying things is in the Python half.

mod algebra;
mod errors;
mod fit;
mod kernel;
mod lend;
mod model;
mod points;
mod work;

use pyo3::prelude::*;

/// Kernel machines in Rust, as the package `mercer` uses them.
#[pymodule]
fn _mercer(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<points::Points>()?;
    module.add_class::<kernel::Kernel>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<work::Run>()?;
    module.add_function(wrap_pyfunction!(work::num_threads, module)?)?;
    module.add_function(wrap_pyfunction!(work::set_num_threads, module)?)?;
    errors::register(module)?;
    fit::register(module)?;
    algebra::register(module)
}
