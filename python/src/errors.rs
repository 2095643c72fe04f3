//! The library's errors as Python's, messages unchanged.

use mercer::error::DataProblem;
use mercer::{Error, ErrorKind};
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError};
use pyo3::import_exception;
use pyo3::prelude::*;

import_exception!(mercer.errors, ParameterError);
import_exception!(mercer.errors, DataError);
import_exception!(mercer.errors, NoVarianceError);
import_exception!(mercer.errors, NotDefiniteError);
import_exception!(mercer.errors, KernelError);
import_exception!(mercer.errors, ModelFileError);
import_exception!(mercer.errors, UnsupportedError);

/// The exception of an error.
pub(crate) fn raise(error: Error) -> PyErr {
    let text = error.to_string();
    match error.kind() {
        ErrorKind::Parameter { .. } | ErrorKind::TooMany { .. } | ErrorKind::Setting { .. } => {
            ParameterError::new_err(text)
        }
        ErrorKind::Data(DataProblem::NoVariance) => NoVarianceError::new_err(text),
        ErrorKind::Data(DataProblem::NotDefinite { .. }) => NotDefiniteError::new_err(text),
        ErrorKind::Data(_) => DataError::new_err(text),
        ErrorKind::KernelText { .. } => KernelError::new_err(text),
        ErrorKind::Parse { .. } | ErrorKind::ModelFile { .. } | ErrorKind::BlockFile { .. } => {
            ModelFileError::new_err(text)
        }
        ErrorKind::Io { source, .. } => match source.raw_os_error() {
            // With its number Python makes FileNotFoundError and its kin of it.
            Some(number) => PyOSError::new_err((number, text)),
            None => PyOSError::new_err(text),
        },
        ErrorKind::Memory { .. } => PyMemoryError::new_err(text),
        ErrorKind::Interrupted => PyKeyboardInterrupt::new_err(text),
        ErrorKind::Unsupported { .. } => UnsupportedError::new_err(text),
        _ => PyRuntimeError::new_err(text),
    }
}
