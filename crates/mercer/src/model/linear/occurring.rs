//! The features that occur in the rows of a fit.
//!
//! Where texts are hashed into 2³⁰ features, or names of things are numbered, most features have an entry in no row. Their weights are 0 in
//! any optimum, and they change no other weight: so rows whose features are more than their entries are fitted, and predicted, over the
//! columns that occur alone. A vector of weights is then never longer than the data, and vectors as long as the features are nowhere made.
//! Cost: the columns of all entries, sorted once; values are shared with the rows.

use std::borrow::Cow;

use crate::data::{Row, Sparse, Vectors};
use crate::memory::obtainable;
use crate::model::prelude::*;

/// The fewest features that columns are left out of: 8 MB for a vector of weights.
const MANY: usize = 1 << 20;
/// Vectors as long as the features that a solver may have at a time: w, gradient, direction, those of conjugate gradients, partial sums.
const VECTORS: u64 = 16;

/// Which features the columns of some rows are.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Features {
    /// The feature that each column is, ascending; none where the columns are all features.
    of_columns: Option<Vec<u32>>,
    /// The number of features.
    width: usize,
}

impl Features {
    /// All of so many features, each a column.
    pub(super) fn all(width: usize) -> Self {
        Self { of_columns: None, width }
    }

    /// Rows over the columns that occur, where these are few, and which features they are.
    pub(super) fn occurring(rows: Cow<'_, Vectors>) -> (Cow<'_, Vectors>, Self) {
        let width = rows.width();
        if width < MANY || width <= rows.stored() {
            return (rows, Self::all(width));
        }
        let (rows, columns) = match &*rows {
            Vectors::Sparse32(own) => {
                let (own, columns) = own.occurring();
                (own.into(), columns)
            }
            Vectors::Sparse64(own) => {
                let (own, columns) = own.occurring();
                (own.into(), columns)
            }
            Vectors::Dense32(_) | Vectors::Dense64(_) => return (rows, Self::all(width)),
        };
        (Cow::Owned(rows), Self { of_columns: Some(columns), width })
    }

    /// The number of columns.
    pub(super) fn columns(&self) -> usize {
        self.of_columns.as_ref().map_or(self.width, Vec::len)
    }

    /// The entries of a row over all features, for the columns.
    pub(super) fn of(&self, row: Row<'_>) -> Vec<f64> {
        if let Some(columns) = &self.of_columns {
            return columns.iter().map(|&k| row.get(k as usize)).collect();
        }
        let mut all = vec![0.0; self.width];
        row.for_each(|k, value| all[k] = value);
        all
    }

    /// Rows over the columns as rows over all features, stored as they are smaller.
    pub(super) fn over_all(&self, rows: Vec<Vec<f64>>) -> Vectors {
        let values: Vec<f64> = rows.concat();
        let entries = values.iter().filter(|&&w| w != 0.0).count();
        if self.of_columns.is_none()
            && (3 * entries >= 2 * values.len() || self.width > Sparse::<f64>::MAX_COLUMNS)
        {
            return Vectors::dense(self.width, values);
        }
        let feature = |column: usize| self.of_columns.as_ref().map_or(column as u32, |own| own[column]);
        let (mut start, mut index, mut kept) =
            (vec![0], Vec::with_capacity(entries), Vec::with_capacity(entries));
        for row in rows {
            for (column, w) in row.into_iter().enumerate().filter(|(_, w)| *w != 0.0) {
                index.push(feature(column));
                kept.push(w);
            }
            start.push(index.len());
        }
        Vectors::Sparse64(Sparse::new(self.width, start, index, kept))
    }

    /// Refuses a fit of so many functions whose vectors of weights this process cannot have.
    pub(super) fn check_room(&self, functions: usize) -> Result<()> {
        let (columns, functions) = (self.columns() as u64, functions as u64);
        let at_a_time = functions.min(rayon::current_num_threads() as u64);
        let needed = 8 * columns.saturating_mul(VECTORS * at_a_time + 3 * functions);
        obtainable(
            "a linear fit, for vectors as long as the features,",
            needed,
            "give the process more address space, or take fewer features",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse(width: usize, rows: &[&[(u32, f64)]]) -> Vectors {
        let (mut start, mut index, mut values) = (vec![0], vec![], vec![]);
        for row in rows {
            index.extend(row.iter().map(|entry| entry.0));
            values.extend(row.iter().map(|entry| entry.1));
            start.push(index.len());
        }
        Sparse::new(width, start, index, values).into()
    }

    #[test]
    fn columns_without_an_entry_are_left_out_of_wide_rows_alone() {
        let far = (1 << 31) - 2;
        let x = sparse(far as usize + 1, &[&[(far, 1.0)], &[(0, 2.0), (7, 3.0)], &[(7, -1.0)]]);
        let (own, features) = Features::occurring(Cow::Borrowed(&x));
        assert_eq!(own.width(), 3);
        assert_eq!(*own, sparse(3, &[&[(2, 1.0)], &[(0, 2.0), (1, 3.0)], &[(1, -1.0)]]));
        assert_eq!(features.of(x.row(1)), [2.0, 3.0, 0.0]);
        assert_eq!(features.of(Row::Dense64(&[0.5, 0.0])), [0.5, 0.0, 0.0]);
        let back = features.over_all(vec![vec![0.0, 0.0, 1.0], vec![2.0, 3.0, 0.0], vec![0.0, -1.0, 0.0]]);
        assert_eq!(back, x);
        let narrow = sparse(9, &[&[(8, 1.0)]]);
        let (own, features) = Features::occurring(Cow::Borrowed(&narrow));
        assert_eq!((&*own, features), (&narrow, Features::all(9)));
    }
}
