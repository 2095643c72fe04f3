//! A copy of the rows of a linear problem by columns, for methods that change one weight at a time.

use super::design::Design;

/// The columns of a [`Design`], the constant feature last: column j has the entries `start[j]..start[j + 1]`.
pub(crate) struct Columns {
    rows: usize,
    start: Vec<usize>,
    index: Vec<u32>,
    values: Vec<f64>,
}

impl Columns {
    /// The columns of `x`, without entries that are 0. Cost: two passes over the data.
    pub(crate) fn new(x: &Design<'_>) -> Self {
        let mut start = vec![0; x.width() + 1];
        (0..x.len()).for_each(|i| x.for_each(i, |j, v| start[j + 1] += usize::from(v != 0.0)));
        for j in 0..x.width() {
            start[j + 1] += start[j];
        }
        let mut next = start.clone();
        let entries = start[x.width()];
        let (mut index, mut values) = (vec![0; entries], vec![0.0; entries]);
        for i in 0..x.len() {
            x.for_each(i, |j, value| {
                if value != 0.0 {
                    (index[next[j]], values[next[j]]) = (i as u32, value);
                    next[j] += 1;
                }
            });
        }
        Self { rows: x.len(), start, index, values }
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub(crate) fn width(&self) -> usize {
        self.start.len() - 1
    }

    /// The rows and values of the entries of column `j`.
    #[inline(always)]
    pub(super) fn column(&self, j: usize) -> (&[u32], &[f64]) {
        let range = self.start[j]..self.start[j + 1];
        (&self.index[range.clone()], &self.values[range])
    }

    /// to += c · column j
    pub(super) fn add(&self, j: usize, c: f64, to: &mut [f64]) {
        let (index, values) = self.column(j);
        index.iter().zip(values).for_each(|(&i, value)| to[i as usize] += c * value);
    }
}
