//! The library's errors as Python's, messages unchanged.

use mercer::Error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The exception of an error.
pub(crate) fn raise(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}
