//! Memory of numpy's, lent: the one place of unsafe code in this crate.
#![expect(unsafe_code, reason = "a view of another program's memory cannot be had otherwise")]

use mercer::data::Real;
use numpy::{Element, PyArray2, PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyWeakrefReference;

/// The values of a matrix whose rows lie one after the other, and what keeps them there.
///
/// A thread that writes into the array during a fit spoils the result and nothing else: no index and no length that unchecked
/// code relies on is made from the values. It cannot free them: numpy refuses `resize`, with `refcheck=False` too, of an array that a weak reference
/// points to, and the array and all that it is a view of have one as long as they are lent.
pub(crate) struct Lent<T> {
    _owner: Py<PyArray2<T>>,
    _held: Vec<Py<PyWeakrefReference>>,
    values: *const T,
    count: usize,
}

// SAFETY: the memory belongs to the array, which the references keep alive and where it is; it is read only, and
// a reference to a Python object may be dropped from any thread.
unsafe impl<T: Send + Sync> Send for Lent<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Lent<T> {}

impl<T: Real + Element> Lent<T> {
    /// The values, where they lie one after the other and aligned, and every array that has them can be held.
    pub(crate) fn new(matrix: &PyReadonlyArray2<'_, T>) -> Option<Self> {
        let owner: &Bound<'_, PyArray2<T>> = matrix;
        let held = hold(owner.as_any()).ok()?;
        let values = matrix.as_slice().ok()?;
        (matrix.is_c_contiguous() && values.as_ptr().is_aligned()).then(|| Self {
            _owner: owner.clone().unbind(),
            _held: held,
            values: values.as_ptr(),
            count: values.len(),
        })
    }
}

/// Weak references to an array, the array that it is a view of, and so on.
fn hold(array: &Bound<'_, PyAny>) -> PyResult<Vec<Py<PyWeakrefReference>>> {
    let mut held = Vec::new();
    let mut array = array.clone();
    while array.is_instance_of::<PyUntypedArray>() {
        held.push(PyWeakrefReference::new(&array)?.unbind());
        array = array.getattr("base")?;
    }
    Ok(held)
}

impl<T> AsRef<[T]> for Lent<T> {
    fn as_ref(&self) -> &[T] {
        // SAFETY: pointer and count are those of a slice of the array, which lives as long as `_owner`.
        unsafe { std::slice::from_raw_parts(self.values, self.count) }
    }
}
