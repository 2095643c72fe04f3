//! Dense rows of numbers.

use std::fmt;
use std::sync::Arc;

use super::Real;

/// Shared values: a vector, or memory that belongs to another library and is borrowed (a NumPy array).
type Held<T> = Arc<dyn AsRef<[T]> + Send + Sync>;

/// A matrix of `n` rows by `columns`, row after row. A clone shares the values.
#[derive(Clone)]
pub struct Dense<T> {
    columns: usize,
    rows: usize,
    values: Held<T>,
}

impl<T: fmt::Debug> fmt::Debug for Dense<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = (*self.values).as_ref();
        f.debug_struct("Dense").field("columns", &self.columns).field("values", &values).finish()
    }
}

impl<T: PartialEq> PartialEq for Dense<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.columns, self.rows) == (other.columns, other.rows)
            && (*self.values).as_ref() == (*other.values).as_ref()
    }
}

impl<T: Real> Dense<T> {
    /// Rows of `columns` values each, row after row.
    ///
    /// # Panics
    /// If `values` is not a whole number of rows, or `columns` is 0 and there are values.
    #[must_use]
    pub fn new(columns: usize, values: Vec<T>) -> Self {
        Self::held(columns, Arc::new(values))
    }

    /// Rows of `columns` values each over shared values, without a copy: they are released with the last clone of the
    /// matrix, and must not change as long as one exists.
    ///
    /// # Panics
    /// As [`Dense::new`].
    #[must_use]
    pub fn held(columns: usize, values: Arc<dyn AsRef<[T]> + Send + Sync>) -> Self {
        let count = (*values).as_ref().len();
        let rows = count.checked_div(columns).unwrap_or(0);
        assert_eq!(rows * columns, count, "values must be a whole number of rows");
        Self { columns, rows, values }
    }

    /// The number of values in a row.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Row `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> &[T] {
        &self.values()[i * self.columns..(i + 1) * self.columns]
    }

    /// All values, row after row.
    #[must_use]
    pub fn values(&self) -> &[T] {
        (*self.values).as_ref()
    }

    /// The rows at `index`, in that order.
    #[must_use]
    pub fn select(&self, index: &[usize]) -> Self {
        let mut values = Vec::with_capacity(index.len() * self.columns);
        index.iter().for_each(|&i| values.extend_from_slice(self.row(i)));
        Self { columns: self.columns, rows: index.len(), values: Arc::new(values) }
    }

    /// A copy with another number of columns: zeros are added or columns dropped at the right.
    #[must_use]
    pub fn with_width(&self, columns: usize) -> Self {
        let mut values = vec![T::default(); self.rows * columns];
        let kept = columns.min(self.columns);
        for i in 0..self.rows {
            values[i * columns..i * columns + kept].copy_from_slice(&self.row(i)[..kept]);
        }
        Self { columns, rows: self.rows, values: Arc::new(values) }
    }
}
