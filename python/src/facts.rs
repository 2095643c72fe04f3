//! Facts as Python has them.

use mercer::model::{Fact, Facts};
use numpy::{IntoPyArray, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::points::matrix;

/// Facts as a dictionary.
pub(crate) fn told<'py>(py: Python<'py>, facts: &Facts) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    facts.iter().try_for_each(|(name, fact)| dict.set_item(name, value(py, fact)?))?;
    Ok(dict)
}

/// A fact: numbers as arrays, parts as a list of dictionaries.
fn value<'py>(py: Python<'py>, fact: &Fact) -> PyResult<Bound<'py, PyAny>> {
    Ok(match fact {
        Fact::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Fact::Count(count) => count.into_pyobject(py)?.into_any(),
        Fact::Number(number) => number.into_pyobject(py)?.into_any(),
        Fact::Text(text) => text.into_pyobject(py)?.into_any(),
        Fact::Counts(counts) => {
            counts.iter().map(|&n| n as i64).collect::<Vec<_>>().into_pyarray(py).into_any()
        }
        Fact::Numbers(numbers) => numbers.to_pyarray(py).into_any(),
        Fact::Texts(texts) => texts.into_pyobject(py)?.into_any(),
        Fact::Table(rows) => matrix(py, rows)?.into_any(),
        Fact::Parts(parts) => {
            let parts = parts.iter().map(|part| told(py, part)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, parts)?.into_any()
        }
        _ => py.None().into_bound(py),
    })
}
