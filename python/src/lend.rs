//! Memory of numpy's, lent: the one place of unsafe code in this crate.
#![expect(unsafe_code, reason = "a view of another program's memory cannot be had otherwise")]

use mercer::data::Real;
use numpy::{Element, PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// The values of a matrix whose rows lie one after the other, and a reference that keeps them there.
///
/// As with every extension that computes on arrays while the interpreter is free, somebody who writes into the array
/// meanwhile spoils the result. The values are numbers that no index or length is made of.
pub(crate) struct Lent<T> {
    _owner: Py<PyArray2<T>>,
    values: *const T,
    count: usize,
}

// SAFETY: the memory belongs to the array, which the reference keeps alive and which numpy never moves; it is read only, and
// a reference to a Python object may be dropped from any thread.
unsafe impl<T: Send + Sync> Send for Lent<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Lent<T> {}

impl<T: Real + Element> Lent<T> {
    /// The values, where they lie one after the other and aligned.
    pub(crate) fn new(matrix: &PyReadonlyArray2<'_, T>) -> Option<Self> {
        let values = matrix.as_slice().ok()?;
        let owner: &Bound<'_, PyArray2<T>> = matrix;
        (matrix.is_c_contiguous() && values.as_ptr().is_aligned()).then(|| Self {
            _owner: owner.clone().unbind(),
            values: values.as_ptr(),
            count: values.len(),
        })
    }
}

impl<T> AsRef<[T]> for Lent<T> {
    fn as_ref(&self) -> &[T] {
        // SAFETY: pointer and count are those of a slice of the array, which lives as long as `_owner`.
        unsafe { std::slice::from_raw_parts(self.values, self.count) }
    }
}
