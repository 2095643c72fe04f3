//! Sparse rows: only the entries that are not zero.

use std::sync::Arc;

use rayon::prelude::*;

use super::Real;

/// Compressed sparse rows: row `i` has the entries `start[i]..start[i + 1]`. A clone shares the entries.
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse<T> {
    columns: usize,
    start: Arc<Vec<usize>>,
    index: Arc<Vec<u32>>,
    values: Arc<Vec<T>>,
}

impl<T: Real> Sparse<T> {
    /// The most columns: each is numbered by 32 bits.
    pub const MAX_COLUMNS: usize = 1 << 32;

    /// Rows from their compressed form. Columns count from 0 and ascend within a row.
    ///
    /// # Panics
    /// If the lengths do not agree, columns do not ascend or are too large, or there are more than [`Sparse::MAX_COLUMNS`].
    #[must_use]
    pub fn new(columns: usize, start: Vec<usize>, index: Vec<u32>, values: Vec<T>) -> Self {
        assert_eq!(start.first(), Some(&0), "the first row starts at 0");
        assert_eq!(start.last(), Some(&index.len()), "the last row ends with the entries");
        assert_eq!(index.len(), values.len(), "as many columns as values");
        assert!(columns <= Self::MAX_COLUMNS, "columns are numbered by 32 bits");
        for bounds in start.windows(2) {
            let row = &index[bounds[0]..bounds[1]];
            assert!(row.is_sorted_by(|a, b| a < b), "columns ascend within a row");
            assert!(row.last().is_none_or(|&last| (last as usize) < columns), "columns lie inside the width");
        }
        Self { columns, start: Arc::new(start), index: Arc::new(index), values: Arc::new(values) }
    }

    /// The number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of entries stored in all rows.
    #[must_use]
    pub fn stored(&self) -> usize {
        self.index.len()
    }

    /// Where each row begins and the last one ends, and the columns and values of all entries.
    #[must_use]
    pub fn parts(&self) -> (&[usize], &[u32], &[T]) {
        (&self.start, &self.index, &self.values)
    }

    /// Columns and values of row `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> (&[u32], &[T]) {
        let range = self.start[i]..self.start[i + 1];
        (&self.index[range.clone()], &self.values[range])
    }

    /// The rows over the columns that have an entry alone, and the columns here that these are, ascending. The values are shared.
    pub(crate) fn occurring(&self) -> (Self, Vec<u32>) {
        let mut columns = self.index.to_vec();
        columns.par_sort_unstable();
        columns.dedup();
        let place = |k: &u32| columns.binary_search(k).expect("each column is one of them") as u32;
        let index = Arc::new(self.index.par_iter().map(place).collect());
        let (start, values) = (self.start.clone(), self.values.clone());
        (Self { columns: columns.len(), start, index, values }, columns)
    }

    /// The rows at `index`, in that order.
    #[must_use]
    pub fn select(&self, index: &[usize]) -> Self {
        let stored = index.iter().map(|&i| self.start[i + 1] - self.start[i]).sum();
        let (mut start, mut columns, mut values) =
            (Vec::with_capacity(index.len() + 1), Vec::with_capacity(stored), Vec::with_capacity(stored));
        start.push(0);
        for &i in index {
            let (row, entries) = self.row(i);
            columns.extend_from_slice(row);
            values.extend_from_slice(entries);
            start.push(columns.len());
        }
        Self {
            columns: self.columns,
            start: Arc::new(start),
            index: Arc::new(columns),
            values: Arc::new(values),
        }
    }

    /// The rows with another number of columns; entries beyond it are dropped.
    #[must_use]
    pub fn with_width(mut self, columns: usize) -> Self {
        if columns < self.columns {
            let (mut start, mut index, mut values) = (vec![0], Vec::new(), Vec::new());
            for i in 0..self.len() {
                let (row, entries) = self.row(i);
                let kept = row.partition_point(|&k| (k as usize) < columns);
                index.extend_from_slice(&row[..kept]);
                values.extend_from_slice(&entries[..kept]);
                start.push(index.len());
            }
            (self.start, self.index, self.values) = (Arc::new(start), Arc::new(index), Arc::new(values));
        }
        self.columns = columns;
        self
    }
}
