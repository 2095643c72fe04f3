//! Sparse rows: only the entries that are not zero.

use super::Real;

/// Compressed sparse rows: the entries of row `i` are `start[i]..start[i + 1]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse<T> {
    columns: usize,
    start: Vec<usize>,
    index: Vec<u32>,
    values: Vec<T>,
}

impl<T: Real> Sparse<T> {
    /// Rows from their compressed form. Columns count from 0 and ascend within a row.
    ///
    /// # Panics
    /// If the parts do not fit together.
    #[must_use]
    pub fn new(columns: usize, start: Vec<usize>, index: Vec<u32>, values: Vec<T>) -> Self {
        assert_eq!(start.first(), Some(&0), "the first row starts at 0");
        assert_eq!(start.last(), Some(&index.len()), "the last row ends with the entries");
        assert_eq!(index.len(), values.len(), "as many columns as values");
        for bounds in start.windows(2) {
            let row = &index[bounds[0]..bounds[1]];
            assert!(row.is_sorted_by(|a, b| a < b), "columns ascend within a row");
            assert!(row.last().is_none_or(|&last| (last as usize) < columns), "columns lie inside the width");
        }
        Self { columns, start, index, values }
    }

    /// The width.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Entries stored over all rows.
    #[must_use]
    pub fn stored(&self) -> usize {
        self.index.len()
    }

    /// Columns and values of row `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> (&[u32], &[T]) {
        let range = self.start[i]..self.start[i + 1];
        (&self.index[range.clone()], &self.values[range])
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
        Self { columns: self.columns, start, index: columns, values }
    }

    /// The same rows with another width; entries beyond it are dropped.
    #[must_use]
    pub fn with_width(mut self, columns: usize) -> Self {
        if columns < self.columns {
            let mut kept = 0;
            let mut start = vec![0];
            for i in 0..self.len() {
                for at in self.start[i]..self.start[i + 1] {
                    if (self.index[at] as usize) < columns {
                        self.index[kept] = self.index[at];
                        self.values[kept] = self.values[at];
                        kept += 1;
                    }
                }
                start.push(kept);
            }
            self.index.truncate(kept);
            self.values.truncate(kept);
            self.start = start;
        }
        self.columns = columns;
        self
    }
}
