//! Some rows of sparse data over the features alone that occur in them.
//!
//! A system of Newton's method has the rows near the margin: of a class of texts a tenth of them, with a third of the words. Vectors over
//! the features that occur are shorter than the weights, and what a row reads of them lies closer together. The other features are no
//! part of the system. Cost: the entries of the rows, once.

use super::Design;
use crate::data::{Points, Real, Sparse, Vectors};

/// Rows whose entries are more than this times the features are not copied: most features occur, and a copy is as large as the data.
const MOST_ENTRIES: f64 = 8.0;
/// The largest part of the features that may occur: with more there is little to gain.
const MOST_FEATURES: f64 = 0.75;

/// Rows over the features that occur in them, and the constant feature.
pub(super) struct Narrow {
    x: Vectors,
    constant: f64,
    /// The feature that each column is, ascending.
    features: Vec<u32>,
}

impl Narrow {
    /// Some rows of sparse data; none where that would be no gain.
    pub(super) fn new(x: &Vectors, constant: f64, rows: &[u32]) -> Option<Self> {
        let entries = rows.len() as f64 * x.stored() as f64 / x.len().max(1) as f64;
        if entries > MOST_ENTRIES * x.width() as f64 {
            return None;
        }
        let (x, features) = match x {
            Vectors::Sparse32(x) => narrowed(x, rows)?,
            Vectors::Sparse64(x) => narrowed(x, rows)?,
            Vectors::Dense32(_) | Vectors::Dense64(_) => return None,
        };
        Some(Self { x, constant, features })
    }

    /// The rows, numbered from 0.
    pub(super) fn design(&self) -> Design<'_> {
        Design::new(&self.x, self.constant)
    }

    /// The numbers of a vector over all features for those that occur, and for the constant one.
    pub(super) fn gathered(&self, vector: &[f64]) -> Vec<f64> {
        let own = self.features.iter().map(|&k| vector[k as usize]);
        own.chain(vector.last().filter(|_| self.constant != 0.0).copied()).collect()
    }

    /// Puts the numbers for the features that occur, and for the constant one, into a vector over all features.
    pub(super) fn scatter(&self, numbers: &[f64], vector: &mut [f64]) {
        self.features.iter().zip(numbers).for_each(|(&k, &number)| vector[k as usize] = number);
        if let (true, Some(own), Some(last)) = (self.constant != 0.0, numbers.last(), vector.last_mut()) {
            *last = *own;
        }
    }
}

/// Some rows over the features that occur in them, and these; none where they are most of the features.
fn narrowed<T: Real>(x: &Sparse<T>, rows: &[u32]) -> Option<(Vectors, Vec<u32>)>
where
    Vectors: From<Sparse<T>>,
{
    let mut column = vec![0_u32; x.columns()];
    for &i in rows {
        x.row(i as usize).0.iter().for_each(|&k| column[k as usize] = 1);
    }
    let mut features = Vec::new();
    for (k, column) in column.iter_mut().enumerate().filter(|(_, column)| **column != 0) {
        *column = features.len() as u32;
        features.push(k as u32);
    }
    if features.len() as f64 > MOST_FEATURES * x.columns() as f64 {
        return None;
    }
    let (mut start, mut index, mut values) = (Vec::with_capacity(rows.len() + 1), Vec::new(), Vec::new());
    start.push(0);
    for &i in rows {
        let (own, entries) = x.row(i as usize);
        index.extend(own.iter().map(|&k| column[k as usize]));
        values.extend_from_slice(entries);
        start.push(index.len());
    }
    Some((Sparse::new(features.len(), start, index, values).into(), features))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_rows_are_the_rows_without_the_features_that_do_not_occur() {
        let x: Vectors =
            Sparse::new(9, vec![0, 2, 2, 5, 6], vec![1, 7, 1, 4, 7, 8], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
                .into();
        for constant in [0.0, 3.0] {
            let wide = Design::new(&x, constant);
            let vector: Vec<f64> = (0..wide.width()).map(|k| (k as f64 + 1.0).sqrt()).collect();
            let narrow = Narrow::new(&x, constant, &[0, 1, 2]).expect("three of nine features");
            let own = narrow.gathered(&vector);
            assert_eq!(own.len(), 3 + usize::from(constant != 0.0));
            for i in 0..3 {
                assert!((narrow.design().product(i, &own) - wide.product(i, &vector)).abs() < 1e-14, "{i}");
            }
            let mut back = vec![0.0; vector.len()];
            narrow.scatter(&own, &mut back);
            let occurs = |k: usize| [1, 4, 7, 9].contains(&k);
            assert!((0..vector.len()).all(|k| back[k] == if occurs(k) { vector[k] } else { 0.0 }));
        }
        let all: Vectors = Sparse::new(2, vec![0, 2], vec![0, 1], vec![1.0, 1.0]).into();
        assert!(Narrow::new(&all, 0.0, &[0]).is_none(), "all features occur");
        assert!(Narrow::new(&Vectors::dense(2, vec![1.0, 0.0]), 0.0, &[0]).is_none(), "dense rows");
    }
}
