//! Dense rows, one after the other.

use std::sync::Arc;

use super::Real;

/// A matrix of `n` rows by `columns`, row after row. A clone shares the values.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense<T> {
    columns: usize,
    rows: usize,
    values: Arc<Vec<T>>,
}

impl<T: Real> Dense<T> {
    /// Rows of `columns` values each.
    ///
    /// # Panics
    /// If `values` is not a whole number of rows, or `columns` is 0 and there are values.
    #[must_use]
    pub fn new(columns: usize, values: Vec<T>) -> Self {
        let rows = values.len().checked_div(columns).unwrap_or(0);
        assert_eq!(rows * columns, values.len(), "values must be a whole number of rows");
        Self { columns, rows, values: Arc::new(values) }
    }

    /// Values per row.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Rows.
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
        &self.values[i * self.columns..(i + 1) * self.columns]
    }

    /// All values, row after row.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The rows at `index`, in that order.
    #[must_use]
    pub fn select(&self, index: &[usize]) -> Self {
        let mut values = Vec::with_capacity(index.len() * self.columns);
        index.iter().for_each(|&i| values.extend_from_slice(self.row(i)));
        Self { columns: self.columns, rows: index.len(), values: Arc::new(values) }
    }

    /// The same rows with zeros added or columns dropped at the right.
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
