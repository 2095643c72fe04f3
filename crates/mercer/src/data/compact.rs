//! The choice between dense and sparse rows, by memory and speed.

use rayon::prelude::*;

use super::{Dense, Points, Real, Sparse, Vectors};

/// Number of values from which on a change of form is considered.
const LARGE: usize = 1 << 16;

/// The share of values other than zero up to which dense rows become sparse.
const FEW: f64 = 0.3;

/// The share of stored values above which sparse rows become dense.
const MANY: f64 = 0.5;

impl Vectors {
    /// Changes the rows to the form that is faster to compute with, which usually takes less memory: sparse if at most
    /// 30 % of the values are not zero, dense if more than half of the values are stored. Between the two, and below
    /// 65,536 values, the form stays as it is.
    ///
    /// Cost: one pass over the rows, on all threads.
    ///
    /// ```
    /// use mercer::data::{Dense, Vectors};
    ///
    /// let diagonal = |i: usize| if i % 301 == 0 { 1.0 } else { 0.0 };
    /// let identity = Vectors::from(Dense::new(300, (0..90_000).map(diagonal).collect()));
    /// let compact = identity.clone().compact();
    /// assert!(compact.is_sparse());
    /// assert_eq!(compact.row(7).get(7), 1.0);
    /// ```
    #[must_use]
    pub fn compact(self) -> Self {
        let size = self.len() as f64 * self.width() as f64;
        if size < LARGE as f64 {
            return self;
        }
        match self {
            Self::Dense32(rows) => sparse(&rows).map_or(Self::Dense32(rows), Self::Sparse32),
            Self::Dense64(rows) => sparse(&rows).map_or(Self::Dense64(rows), Self::Sparse64),
            Self::Sparse32(rows) if rows.stored() as f64 > MANY * size => Self::Dense32(dense(&rows)),
            Self::Sparse64(rows) if rows.stored() as f64 > MANY * size => Self::Dense64(dense(&rows)),
            sparse => sparse,
        }
    }

    /// Sets the number of columns, which sparse files do not tell: zeros are added or columns dropped at the right.
    /// Dropping a feature changes the kernel values of rows that have it. Dense rows that would become mostly zeros become
    /// sparse instead, so that a large number in a file cannot take up memory.
    #[must_use]
    pub fn with_width(self, columns: usize) -> Self {
        if columns == self.width() {
            return self;
        }
        let widened = self.width() as f64 <= FEW * columns as f64 && u32::try_from(self.width()).is_ok();
        match self {
            Self::Dense32(rows) if widened => Self::Sparse32(without_zeros(&rows, &counts(&rows))),
            Self::Dense64(rows) if widened => Self::Sparse64(without_zeros(&rows, &counts(&rows))),
            rows => rows,
        }
        .resized(columns)
    }

    fn resized(self, columns: usize) -> Self {
        match self {
            Self::Dense32(rows) => Self::Dense32(rows.with_width(columns)),
            Self::Dense64(rows) => Self::Dense64(rows.with_width(columns)),
            Self::Sparse32(rows) => Self::Sparse32(rows.with_width(columns)),
            Self::Sparse64(rows) => Self::Sparse64(rows.with_width(columns)),
        }
    }
}

/// Whether rows of which `stored` values are not zero are better kept as sparse rows.
pub(super) fn is_sparse(stored: usize, rows: usize, columns: usize) -> bool {
    let size = rows as f64 * columns as f64;
    size >= LARGE as f64 && stored as f64 <= FEW * size && u32::try_from(columns).is_ok()
}

/// The rows as sparse rows, if few values are not zero.
fn sparse<T: Real>(dense: &Dense<T>) -> Option<Sparse<T>> {
    let counts = counts(dense);
    is_sparse(counts.iter().sum(), dense.len(), dense.columns()).then(|| without_zeros(dense, &counts))
}

/// For each row, how many of its values are not zero.
fn counts<T: Real>(dense: &Dense<T>) -> Vec<usize> {
    let count = |i: usize| dense.row(i).iter().filter(|&&value| value != T::default()).count();
    (0..dense.len()).into_par_iter().map(count).collect()
}

/// The rows as sparse rows; row i has `counts[i]` values that are not zero.
fn without_zeros<T: Real>(dense: &Dense<T>, counts: &[usize]) -> Sparse<T> {
    let mut start = Vec::with_capacity(counts.len() + 1);
    start.push(0);
    start.extend(counts.iter().scan(0, |sum, count| {
        *sum += count;
        Some(*sum)
    }));
    let stored = start[counts.len()];
    let (mut index, mut values) = (vec![0_u32; stored], vec![T::default(); stored]);
    let (mut indices, mut others) = (index.as_mut_slice(), values.as_mut_slice());
    let pieces: Vec<_> = counts
        .iter()
        .map(|&count| {
            let (columns, rest) = std::mem::take(&mut indices).split_at_mut(count);
            let (numbers, left) = std::mem::take(&mut others).split_at_mut(count);
            (indices, others) = (rest, left);
            (columns, numbers)
        })
        .collect();
    pieces.into_par_iter().enumerate().for_each(|(i, (columns, numbers))| {
        let found = dense.row(i).iter().enumerate().filter(|&(_, &value)| value != T::default());
        for ((k, value), (at, to)) in found.zip(columns.iter_mut().zip(numbers)) {
            (*at, *to) = (k as u32, *value);
        }
    });
    Sparse::new(dense.columns(), start, index, values)
}

/// The rows as dense rows.
fn dense<T: Real>(sparse: &Sparse<T>) -> Dense<T> {
    let columns = sparse.columns();
    let mut values = vec![T::default(); sparse.len() * columns];
    values.par_chunks_mut(columns.max(1)).enumerate().for_each(|(i, row)| {
        let (index, entries) = sparse.row(i);
        index.iter().zip(entries).for_each(|(&k, &value)| row[k as usize] = value);
    });
    Dense::new(columns, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows that begin with `others` whole numbers, followed by zeros.
    fn rows(n: usize, columns: usize, others: usize) -> Vectors {
        let value = |at: usize| if at % columns < others { 1.0 + (at % 7) as f64 } else { 0.0 };
        Vectors::dense(columns, (0..n * columns).map(value).collect::<Vec<f64>>())
    }

    /// The points as sparse rows, however many zeros they have.
    fn sparsely(points: &Vectors) -> Vectors {
        let Vectors::Dense64(rows) = points else { panic!("dense rows") };
        without_zeros(rows, &counts(rows)).into()
    }

    fn same(a: &Vectors, b: &Vectors) -> bool {
        let size = (a.len(), a.width());
        size == (b.len(), b.width())
            && (0..size.0).all(|i| (0..size.1).all(|k| a.row(i).get(k) == b.row(i).get(k)))
    }

    #[test]
    fn the_share_of_values_decides_on_the_form_and_never_on_the_rows() {
        for (others, from_dense, from_sparse) in
            [(0, true, true), (30, true, true), (31, false, true), (50, false, true), (51, false, false)]
        {
            let points = rows(700, 100, others);
            let compact = points.clone().compact();
            assert_eq!(compact.is_sparse(), from_dense, "{others} % of dense rows");
            assert!(same(&points, &compact));
            assert_eq!(compact.stored(), if from_dense { 700 * others } else { 70_000 });
            let compact = sparsely(&points).compact();
            assert_eq!(compact.is_sparse(), from_sparse, "{others} % of sparse rows");
            assert!(same(&points, &compact));
        }
    }

    #[test]
    fn single_precision_stays_single() {
        let dense: Vectors = Dense::new(300, vec![0.0_f32; 90_000]).into();
        assert!(matches!(dense.compact(), Vectors::Sparse32(_)));
        let index = (0..300).flat_map(|_| 0..300).collect();
        let full = Sparse::new(300, (0..=300).map(|i| 300 * i).collect(), index, vec![1.5_f32; 90_000]);
        assert!(matches!(Vectors::from(full).compact(), Vectors::Dense32(_)));
    }

    #[test]
    fn few_values_stay_as_they_are() {
        let points = rows(655, 100, 1);
        assert_eq!(points.clone().compact(), points);
        let points = sparsely(&rows(655, 100, 100));
        assert_eq!(points.clone().compact(), points);
        for empty in
            [Vectors::dense::<f64>(0, vec![]), Sparse::<f64>::new(0, vec![0; 9], vec![], vec![]).into()]
        {
            assert_eq!(empty.clone().compact(), empty);
        }
    }

    #[test]
    fn a_width_costs_no_more_than_what_is_stored() {
        let points = rows(3, 4, 3);
        let wide = points.clone().with_width(4_000_000_000);
        assert_eq!((wide.width(), wide.stored()), (4_000_000_000, 9));
        assert!(same(&wide.with_width(4), &points));
        // Not so much wider: dense as before.
        assert_eq!(points.clone().with_width(8).stored(), 24);
        assert_eq!(points.with_width(2).stored(), 6);
    }
}
