//! Points, the inputs of kernels: the trait of all input spaces, and vectors.

use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Dense, Graph, Sparse};
use crate::error::{DataProblem, ErrorKind, Result};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// The element of a vector: `f32` or `f64`.
pub trait Real:
    sealed::Sealed + Copy + Default + PartialEq + Send + Sync + std::fmt::Debug + 'static
{
    /// The value in double precision, exactly.
    fn to_f64(self) -> f64;
    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
}

impl Real for f32 {
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

impl Real for f64 {
    fn to_f64(self) -> f64 {
        self
    }
    fn from_f64(value: f64) -> Self {
        value
    }
}

/// A list of points of one input space: vectors, strings, graphs, sets.
pub trait Points: Clone + Send + Sync {
    /// How many points there are.
    fn len(&self) -> usize;
    /// Whether there are no points.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The points at `index`, in that order.
    #[must_use]
    fn select(&self, index: &[usize]) -> Self;
    /// The number of features of a point; 0 in a space whose points have no features.
    fn width(&self) -> usize {
        0
    }
    /// The first number that is not finite, as (point, feature) from 0; `None` in a space whose points are not numbers.
    fn first_not_finite(&self) -> Option<(usize, usize)> {
        None
    }
    /// What point `i` is made of, hashed: equal for equal points, and so for no others but by a chance of 2⁻¹²⁸. None where
    /// that is not known of a space.
    fn key(&self, i: usize) -> Option<u128> {
        let _ = i;
        None
    }
    /// The points as vectors, in a space whose points have means; none elsewhere.
    fn as_vectors(&self) -> Option<&Vectors> {
        None
    }
    /// These vectors as points; none in a space whose points are not vectors.
    #[must_use]
    fn of_vectors(vectors: Vectors) -> Option<Self> {
        let _ = vectors;
        None
    }
    /// Points with these features, stored as these points are; none in a space whose points have no means.
    #[must_use]
    fn with_rows(&self, rows: &Dense<f64>) -> Option<Self> {
        let _ = rows;
        None
    }
    /// An order of the points i and j that depends on nothing but what they are, in which only equal points are equal; as given
    /// here the order of the list, of a space whose points have no other.
    fn compare(&self, i: usize, j: usize) -> Ordering {
        i.cmp(&j)
    }
    /// Refuses other points that a kernel bound to these cannot compare with them: as given here, those of another width.
    ///
    /// # Errors
    /// What others lack.
    fn accepts(&self, others: &Self) -> Result<()> {
        let (found, expected) = (others.width(), self.width());
        if found == expected {
            return Ok(());
        }
        Err(ErrorKind::Data(DataProblem::Width { found, expected }).into())
    }
    /// Refuses points with a number that is not finite.
    ///
    /// # Errors
    /// If a number is not finite; the error has the position of the first such number.
    fn check_finite(&self) -> Result<()> {
        match self.first_not_finite() {
            None => Ok(()),
            Some((row, column)) => {
                Err(ErrorKind::Data(DataProblem::NotFinite { row: row + 1, column: column + 1 }).into())
            }
        }
    }
}

/// A [key](Points::key) of 128 bits from two hashes of what `feed` feeds.
pub(super) fn key(feed: impl Fn(&mut DefaultHasher)) -> Option<u128> {
    let half = |half: u8| {
        let mut hasher = DefaultHasher::new();
        half.hash(&mut hasher);
        feed(&mut hasher);
        u128::from(hasher.finish())
    };
    Some(half(0) << 64 | half(1))
}

/// Hashes a number: the same for 0 and −0.
pub(super) fn hash_number(number: f64, hasher: &mut impl Hasher) {
    (number + 0.0).to_bits().hash(hasher);
}

impl Points for Vec<String> {
    fn len(&self) -> usize {
        self.len()
    }
    fn select(&self, index: &[usize]) -> Self {
        index.iter().map(|&i| self[i].clone()).collect()
    }
    fn compare(&self, i: usize, j: usize) -> Ordering {
        self[i].cmp(&self[j])
    }

    fn key(&self, i: usize) -> Option<u128> {
        key(|hasher| self[i].hash(hasher))
    }
}

impl Points for Vec<Graph> {
    fn len(&self) -> usize {
        self.len()
    }
    fn select(&self, index: &[usize]) -> Self {
        index.iter().map(|&i| self[i].clone()).collect()
    }
    fn compare(&self, i: usize, j: usize) -> Ordering {
        self[i].compare(&self[j])
    }

    fn key(&self, i: usize) -> Option<u128> {
        key(|hasher| self[i].hash(hasher))
    }
}

/// Sets of vectors: each point is some rows. All sets have the same features.
impl Points for Vec<Vectors> {
    fn len(&self) -> usize {
        self.len()
    }
    fn select(&self, index: &[usize]) -> Self {
        index.iter().map(|&i| self[i].clone()).collect()
    }
    fn width(&self) -> usize {
        self.iter().map(Vectors::width).max().unwrap_or(0)
    }
    fn first_not_finite(&self) -> Option<(usize, usize)> {
        self.iter().enumerate().find_map(|(i, set)| set.first_not_finite().map(|(_, column)| (i, column)))
    }
    /// No sets, as a model without relevance vectors has, know of no width.
    fn accepts(&self, others: &Self) -> Result<()> {
        let (found, expected) = (others.width(), self.width());
        if self.is_empty() || found == expected {
            return Ok(());
        }
        Err(ErrorKind::Data(DataProblem::Width { found, expected }).into())
    }
    /// By the number of rows, then row by row.
    fn compare(&self, i: usize, j: usize) -> Ordering {
        let (a, b) = (&self[i], &self[j]);
        let mut rows = (0..a.len().min(b.len())).map(|r| a.row(r).compare(&b.row(r)));
        a.len().cmp(&b.len()).then_with(|| rows.find(|order| order.is_ne()).unwrap_or(Ordering::Equal))
    }

    fn key(&self, i: usize) -> Option<u128> {
        key(|hasher| self[i].hash(hasher))
    }
}

/// Points that are vectors: rows of numbers, dense or sparse, in single or double precision.
#[derive(Debug, Clone, PartialEq)]
pub enum Vectors {
    /// Dense rows of `f32`.
    Dense32(Dense<f32>),
    /// Dense rows of `f64`.
    Dense64(Dense<f64>),
    /// Sparse rows of `f32`.
    Sparse32(Sparse<f32>),
    /// Sparse rows of `f64`.
    Sparse64(Sparse<f64>),
}

/// A row of [`Vectors`].
#[derive(Debug, Clone, Copy)]
pub enum Row<'a> {
    /// All values of a dense row of `f32`.
    Dense32(&'a [f32]),
    /// All values of a dense row of `f64`.
    Dense64(&'a [f64]),
    /// The stored columns (from 0, ascending) of a sparse row and their values, `f32`.
    Sparse32(&'a [u32], &'a [f32]),
    /// The stored columns (from 0, ascending) of a sparse row and their values, `f64`.
    Sparse64(&'a [u32], &'a [f64]),
}

impl Row<'_> {
    /// Calls `visit(column, value)` for each stored entry, in ascending order of column.
    pub fn for_each(&self, mut visit: impl FnMut(usize, f64)) {
        match *self {
            Row::Dense32(values) => values.iter().enumerate().for_each(|(k, &v)| visit(k, f64::from(v))),
            Row::Dense64(values) => values.iter().enumerate().for_each(|(k, &v)| visit(k, v)),
            Row::Sparse32(index, values) => {
                index.iter().zip(values).for_each(|(&k, &v)| visit(k as usize, f64::from(v)));
            }
            Row::Sparse64(index, values) => {
                index.iter().zip(values).for_each(|(&k, &v)| visit(k as usize, v));
            }
        }
    }

    /// The value in column `k`; 0 if none is stored there.
    #[must_use]
    pub fn get(&self, k: usize) -> f64 {
        let sparse = |index: &[u32]| index.binary_search(&u32::try_from(k).ok()?).ok();
        match *self {
            Row::Dense32(values) => values.get(k).map_or(0.0, |&v| f64::from(v)),
            Row::Dense64(values) => values.get(k).copied().unwrap_or(0.0),
            Row::Sparse32(index, values) => sparse(index).map_or(0.0, |at| f64::from(values[at])),
            Row::Sparse64(index, values) => sparse(index).map_or(0.0, |at| values[at]),
        }
    }

    /// Compares the values column by column, of which those that are not stored are 0.
    #[must_use]
    pub fn compare(&self, other: &Row<'_>) -> Ordering {
        // Values are finite wherever the order matters.
        let ordered = |order: Option<Ordering>| order.unwrap_or(Ordering::Equal);
        match (self, other) {
            (Row::Dense32(a), Row::Dense32(b)) => return ordered(a.partial_cmp(b)),
            (Row::Dense64(a), Row::Dense64(b)) => return ordered(a.partial_cmp(b)),
            _ => {}
        }
        let (mut at, mut other_at) = (0, 0);
        loop {
            let (left, right) = (self.entry(at), other.entry(other_at));
            let Some(column) = left.into_iter().chain(right).map(|entry| entry.0).min() else {
                return Ordering::Equal;
            };
            let here = |entry: Option<(usize, f64)>| entry.filter(|entry| entry.0 == column);
            let value = |entry| here(entry).map_or(0.0, |entry| entry.1);
            match ordered(value(left).partial_cmp(&value(right))) {
                Ordering::Equal => {
                    at += usize::from(here(left).is_some());
                    other_at += usize::from(here(right).is_some());
                }
                order => return order,
            }
        }
    }

    /// The column and the value of a stored entry.
    fn entry(&self, at: usize) -> Option<(usize, f64)> {
        match *self {
            Row::Dense32(values) => Some((at, f64::from(*values.get(at)?))),
            Row::Dense64(values) => Some((at, *values.get(at)?)),
            Row::Sparse32(index, values) => Some((*index.get(at)? as usize, f64::from(values[at]))),
            Row::Sparse64(index, values) => Some((*index.get(at)? as usize, values[at])),
        }
    }

    /// The number of columns up to the last stored one.
    #[must_use]
    pub fn width(&self) -> usize {
        match *self {
            Row::Dense32(values) => values.len(),
            Row::Dense64(values) => values.len(),
            Row::Sparse32(index, _) | Row::Sparse64(index, _) => index.last().map_or(0, |&k| k as usize + 1),
        }
    }

    /// How many entries are stored.
    #[must_use]
    pub fn stored(&self) -> usize {
        match *self {
            Row::Dense32(values) => values.len(),
            Row::Dense64(values) => values.len(),
            Row::Sparse32(index, _) | Row::Sparse64(index, _) => index.len(),
        }
    }
}

/// Rows of equal numbers have equal hashes, whatever their storage.
impl Hash for Row<'_> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.for_each(|k, v| {
            if v != 0.0 {
                k.hash(hasher);
                hash_number(v, hasher);
            }
        });
        usize::MAX.hash(hasher);
    }
}

impl Hash for Vectors {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.len().hash(hasher);
        (0..self.len()).for_each(|i| self.row(i).hash(hasher));
    }
}

impl Vectors {
    /// Dense rows of `columns` values each, row after row.
    ///
    /// # Panics
    /// If `values` is not a whole number of rows.
    pub fn dense<T: Real>(columns: usize, values: Vec<T>) -> Self
    where
        Dense<T>: Into<Self>,
    {
        Dense::new(columns, values).into()
    }

    /// Row `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> Row<'_> {
        match self {
            Self::Dense32(rows) => Row::Dense32(rows.row(i)),
            Self::Dense64(rows) => Row::Dense64(rows.row(i)),
            Self::Sparse32(rows) => {
                let (index, values) = rows.row(i);
                Row::Sparse32(index, values)
            }
            Self::Sparse64(rows) => {
                let (index, values) = rows.row(i);
                Row::Sparse64(index, values)
            }
        }
    }

    /// Whether the rows are stored sparsely.
    #[must_use]
    pub fn is_sparse(&self) -> bool {
        matches!(self, Self::Sparse32(_) | Self::Sparse64(_))
    }

    /// How many entries are stored over all rows.
    #[must_use]
    pub fn stored(&self) -> usize {
        match self {
            Self::Dense32(rows) => rows.values().len(),
            Self::Dense64(rows) => rows.values().len(),
            Self::Sparse32(rows) => rows.stored(),
            Self::Sparse64(rows) => rows.stored(),
        }
    }
}

impl Points for Vectors {
    fn len(&self) -> usize {
        match self {
            Self::Dense32(rows) => rows.len(),
            Self::Dense64(rows) => rows.len(),
            Self::Sparse32(rows) => rows.len(),
            Self::Sparse64(rows) => rows.len(),
        }
    }

    fn select(&self, index: &[usize]) -> Self {
        match self {
            Self::Dense32(rows) => Self::Dense32(rows.select(index)),
            Self::Dense64(rows) => Self::Dense64(rows.select(index)),
            Self::Sparse32(rows) => Self::Sparse32(rows.select(index)),
            Self::Sparse64(rows) => Self::Sparse64(rows.select(index)),
        }
    }

    fn first_not_finite(&self) -> Option<(usize, usize)> {
        (0..self.len()).find_map(|i| {
            let mut found = None;
            self.row(i).for_each(|k, v| {
                if !v.is_finite() && found.is_none() {
                    found = Some((i, k));
                }
            });
            found
        })
    }

    fn key(&self, i: usize) -> Option<u128> {
        key(|hasher| self.row(i).hash(hasher))
    }

    fn of_vectors(vectors: Vectors) -> Option<Self> {
        Some(vectors)
    }
    fn as_vectors(&self) -> Option<&Vectors> {
        Some(self)
    }

    fn compare(&self, i: usize, j: usize) -> Ordering {
        self.row(i).compare(&self.row(j))
    }

    fn with_rows(&self, rows: &Dense<f64>) -> Option<Self> {
        let single = || rows.values().iter().map(|&value| value as f32).collect();
        Some(match self {
            Self::Dense32(_) => Self::Dense32(Dense::new(rows.columns(), single())),
            Self::Dense64(_) => Self::Dense64(rows.clone()),
            Self::Sparse32(_) => Self::Sparse32(sparse(rows)),
            Self::Sparse64(_) => Self::Sparse64(sparse(rows)),
        })
    }

    fn width(&self) -> usize {
        match self {
            Self::Dense32(rows) => rows.columns(),
            Self::Dense64(rows) => rows.columns(),
            Self::Sparse32(rows) => rows.columns(),
            Self::Sparse64(rows) => rows.columns(),
        }
    }
}

/// Rows without their zeros.
fn sparse<T: Real>(rows: &Dense<f64>) -> Sparse<T> {
    let (mut start, mut index, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..rows.len() {
        for (k, &value) in rows.row(i).iter().enumerate().filter(|(_, value)| **value != 0.0) {
            index.push(k as u32);
            values.push(T::from_f64(value));
        }
        start.push(index.len());
    }
    Sparse::new(rows.columns(), start, index, values)
}

impl From<Dense<f32>> for Vectors {
    fn from(rows: Dense<f32>) -> Self {
        Self::Dense32(rows)
    }
}
impl From<Dense<f64>> for Vectors {
    fn from(rows: Dense<f64>) -> Self {
        Self::Dense64(rows)
    }
}
impl From<Sparse<f32>> for Vectors {
    fn from(rows: Sparse<f32>) -> Self {
        Self::Sparse32(rows)
    }
}
impl From<Sparse<f64>> for Vectors {
    fn from(rows: Sparse<f64>) -> Self {
        Self::Sparse64(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_beyond_those_of_sparse_rows_is_zero() {
        let row = Row::Sparse64(&[0, 7], &[1.0, 2.0]);
        assert_eq!((row.get(0), row.get(7)), (1.0, 2.0));
        for beyond in [1 << 32, (1 << 32) + 7, usize::MAX] {
            assert_eq!(row.get(beyond), 0.0);
        }
    }
}
