//! The library's errors as Python's, messages unchanged.

use mercer::{Error, ErrorKind};
use pyo3::create_exception;
use pyo3::exceptions::{
    PyKeyboardInterrupt, PyMemoryError, PyNotImplementedError, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;

create_exception!(mercer, ParameterError, PyValueError, "A parameter outside its range.");
create_exception!(mercer, DataError, PyValueError, "Data that cannot be used.");
create_exception!(mercer, KernelError, PyValueError, "The text of a kernel that cannot be read.");
create_exception!(mercer, ModelFileError, PyValueError, "A model file that is damaged or of another kind.");
create_exception!(mercer, UnsupportedError, PyNotImplementedError, "A combination that does not exist.");

/// The exception of an error.
pub(crate) fn raise(error: Error) -> PyErr {
    let text = error.to_string();
    match error.kind() {
        ErrorKind::Parameter { .. } => ParameterError::new_err(text),
        ErrorKind::Data(_) => DataError::new_err(text),
        ErrorKind::KernelText { .. } => KernelError::new_err(text),
        ErrorKind::Parse { .. } | ErrorKind::ModelFile { .. } => ModelFileError::new_err(text),
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

/// Adds the classes to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("ParameterError", py.get_type::<ParameterError>())?;
    module.add("DataError", py.get_type::<DataError>())?;
    module.add("KernelError", py.get_type::<KernelError>())?;
    module.add("ModelFileError", py.get_type::<ModelFileError>())?;
    module.add("UnsupportedError", py.get_type::<UnsupportedError>())
}
