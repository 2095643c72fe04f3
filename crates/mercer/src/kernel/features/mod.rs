//! Kernels that are inner products of explicit features, k(x, y) = Σ_f φ_f(x) φ_f(y), on points of any space: words of texts,
//! labels of graphs. Each feature may have a weight.
//!
//! Binding numbers the features that the columns have; a point is then a sparse row of these. A feature of a row that no
//! column has adds nothing to a product and is left out, but counts in k(x, x).
//!
//! Features that many columns have are a dense matrix, which the engine of vectors multiplies. Each of the others has the list
//! of the columns that have it: a row adds up the lists of its features, so that the cost of a row is the number of features
//! that it shares with columns, over all columns. Sums are in double precision and in the order of the features, the lists after
//! the matrix: an entry has the same bits whichever rows and columns are asked for.
//!
//! Memory: for each feature of a column 2 to 4 bytes of a list and about 2 of the column's row where it is a count, else 28; and a dense
//! part of at most half a Gram. The features with their numbers are needed for points that are no columns; where they would take
//! too much room beside a Gram they are found again when the first such point comes.

mod dictionary;
mod lists;
mod product;
mod store;

use std::sync::OnceLock;

use crate::data::{Points, Sparse};
use crate::error::Result;
use crate::kernel::{Bound, Readout};

pub(super) use dictionary::{Dictionary, sparse};
use product::{Entry, Product};
pub(super) use store::Store;

/// Rows whose features are written out at once: few enough to take little memory beside a Gram, and enough for the products of
/// dense parts to be those of matrices.
const BATCH: usize = 64;

/// Bytes of features, rows and lists that are always kept: little beside a program. More are kept while they take less than half a
/// Gram.
const KEPT: usize = 16 << 20;

/// Columns as rows of features that have numbers.
pub(super) struct Learnt {
    /// φ(c) over all features, without zeros.
    pub(super) rows: Store,
    /// How many features there are.
    pub(super) features: usize,
    /// Σ w_f φ_f(c)² of each column.
    pub(super) squares: Vec<f64>,
    /// The factor of each feature, w_f in k(x, y) = Σ_f w_f φ_f(x) φ_f(y), which may be negative; none where all are 1.
    pub(super) weights: Option<Vec<f64>>,
    /// Roughly how many bytes the known features take.
    pub(super) known_bytes: usize,
}

/// Points as rows of features that have numbers.
pub(super) struct Rows {
    /// φ(x) over the features that are known, without zeros.
    pub(super) known: Sparse<f64>,
    /// Σ φ_f(x)² of each point over all its features, known or not.
    pub(super) squares: Vec<f64>,
}

/// A feature map that can be written out.
pub(super) trait Features: Send + Sync + 'static {
    /// A point of the space.
    type Point: Clone + PartialEq + Send + Sync + 'static;
    /// The features that the columns have, each with its number.
    type Known: Send + Sync + 'static;

    /// Numbers the features of `columns` from 0, and gives the columns as rows of them. The same columns have the same numbers
    /// each time.
    ///
    /// # Errors
    /// If a column has no features that can be computed, or there are too many.
    fn learn(&self, columns: &[Self::Point]) -> Result<(Self::Known, Learnt)>;

    /// The known features of columns from which they were learnt before. It runs on one thread: one that waits for others here might
    /// begin another block of rows meanwhile, and wait for the same features.
    ///
    /// # Errors
    /// Where [`learn`](Self::learn) has one.
    fn learn_again(&self, columns: &[Self::Point]) -> Result<Self::Known> {
        Ok(self.learn(columns)?.0)
    }

    /// Refuses points with which the kernel has no value, given what finds the features of the columns; as given here none.
    ///
    /// # Errors
    /// The first such point.
    fn admits<'a>(&self, known: impl FnOnce() -> &'a Self::Known, points: &[Self::Point]) -> Result<()> {
        let _ = (known, points);
        Ok(())
    }

    /// Points as rows of the known features. Their squares are Σ w_f φ_f(x)².
    fn rows(&self, known: &Self::Known, points: &[&Self::Point]) -> Rows;
}

/// Binds the inner product of features to columns.
pub(super) fn bind<F>(features: F, columns: &[F::Point]) -> Result<Box<dyn Bound<Vec<F::Point>>>>
where
    F: Features,
    Vec<F::Point>: Points,
{
    bind_within(features, columns, KEPT.max(columns.len().pow(2) * size_of::<f64>() / 2))
}

/// Binds, and keeps the known features where they, the rows and the lists take at most `room` bytes.
fn bind_within<F>(features: F, columns: &[F::Point], room: usize) -> Result<Box<dyn Bound<Vec<F::Point>>>>
where
    F: Features,
    Vec<F::Point>: Points,
{
    let (known, learnt) = features.learn(columns)?;
    let squares = super::tree::finite(learnt.squares)?;
    let product = Product::new(&learnt.rows, learnt.features)?;
    let (own, known_bytes) = (learnt.rows.shrunk(), learnt.known_bytes);
    let known = match known_bytes + own.bytes() + product.bytes() <= room {
        true => OnceLock::from(known),
        false => {
            drop(known);
            // What was held on the way is in pieces, which the allocator would keep.
            crate::simd::return_freed_memory();
            OnceLock::new()
        }
    };
    Ok(Box::new(BoundFeatures {
        features,
        known,
        columns: columns.to_vec(),
        squares,
        own,
        numbered: learnt.features,
        weights: learnt.weights,
        product,
    }))
}

/// The rows with each feature times its weight.
fn weighted(rows: &Sparse<f64>, weights: &[f64]) -> Sparse<f64> {
    let (mut start, mut index, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..rows.len() {
        let (features, own) = rows.row(i);
        index.extend_from_slice(features);
        values.extend(features.iter().zip(own).map(|(&f, &value)| weights[f as usize] * value));
        start.push(index.len());
    }
    Sparse::new(rows.columns(), start, index, values)
}

/// k(x, x) of `points[rows]`, each by itself.
pub(super) fn squares<F: Features>(features: &F, points: &[F::Point], rows: &[usize]) -> Vec<f64> {
    let of = |&i: &usize| {
        features.learn(std::slice::from_ref(&points[i])).map_or(f64::NAN, |(_, learnt)| learnt.squares[0])
    };
    rows.iter().map(of).collect()
}

struct BoundFeatures<F: Features> {
    features: F,
    /// The features of the columns; where they take much room, from the first point that is no column.
    known: OnceLock<F::Known>,
    columns: Vec<F::Point>,
    /// k(c, c) of the columns.
    squares: Vec<f64>,
    /// The columns as rows of features, and how many features they have.
    own: Store,
    numbered: usize,
    weights: Option<Vec<f64>>,
    product: Product,
}

impl<F: Features> BoundFeatures<F> {
    /// Whether the rows are columns, as they are while a model is trained.
    fn are_columns(&self, points: &[F::Point], rows: &[usize]) -> bool {
        rows.iter().all(|&i| self.columns.get(i).is_some_and(|column| *column == points[i]))
    }

    /// The features of `points[rows]` times their weights: those of the columns where the rows are columns, else found anew.
    fn weighted_rows(&self, points: &[F::Point], rows: &[usize]) -> Sparse<f64> {
        let found = match self.are_columns(points, rows) {
            true => self.own.select(rows, self.numbered),
            false => self.find(points, rows).known,
        };
        match &self.weights {
            Some(weights) => weighted(&found, weights),
            None => found,
        }
    }

    fn known(&self) -> &F::Known {
        let again = || self.features.learn_again(&self.columns);
        self.known.get_or_init(|| again().expect("the columns had features when they were bound"))
    }

    fn find(&self, points: &[F::Point], rows: &[usize]) -> Rows {
        let some: Vec<&F::Point> = rows.iter().map(|&i| &points[i]).collect();
        self.features.rows(self.known(), &some)
    }

    fn fill<T: Entry>(&self, points: &[F::Point], rows: &[usize], out: &mut [&mut [T]]) {
        for (rows, out) in rows.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            self.product.rows(&self.weighted_rows(points, rows), out);
        }
    }
}

impl<F: Features> Bound<Vec<F::Point>> for BoundFeatures<F>
where
    Vec<F::Point>: Points,
{
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn diagonal(&self) -> Vec<f64> {
        self.squares.clone()
    }

    fn admits(&self, points: &Vec<F::Point>) -> Result<()> {
        self.features.admits(|| self.known(), points)
    }

    fn own(&self, points: &Vec<F::Point>, rows: &[usize]) -> Option<Vec<f64>> {
        Some(match self.are_columns(points, rows) {
            true => rows.iter().map(|&i| self.squares[i]).collect(),
            false => self.find(points, rows).squares,
        })
    }

    fn rows(&self, points: &Vec<F::Point>, rows: &[usize], out: &mut [&mut [f32]]) {
        self.fill(points, rows, out);
    }

    fn rows_f64(&self, points: &Vec<F::Point>, rows: &[usize], out: &mut [&mut [f64]]) {
        self.fill(points, rows, out);
    }

    fn read(&self, points: &Vec<F::Point>, rows: &[usize], blocks: &[Readout], sums: &mut [f64]) {
        Readout::add_rows(self.columns.len(), rows, blocks, sums, |rows, out| self.fill(points, rows, out));
    }

    fn cost(&self) -> f64 {
        self.product.cost()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    /// Counts of letters, those of points found in parallel.
    struct Letters;

    fn letters(text: &str, mut number: impl FnMut(char) -> Option<u32>) -> Vec<(u32, f64)> {
        text.chars().filter_map(|letter| Some((number(letter)?, 1.0))).collect()
    }

    impl Features for Letters {
        type Point = String;
        type Known = Dictionary<char>;

        fn learn(&self, columns: &[String]) -> Result<(Self::Known, Learnt)> {
            let (mut known, mut rows) = (Dictionary::default(), Store::default());
            for text in columns {
                rows.push(&mut letters(text, |letter| known.number(letter).ok()));
            }
            let (features, known_bytes) = (known.len(), known.bytes());
            let squares = vec![1.0; columns.len()];
            Ok((known, Learnt { rows, features, squares, weights: None, known_bytes }))
        }

        fn rows(&self, known: &Self::Known, points: &[&String]) -> Rows {
            let row = |text: &&String| letters(text, |letter| known.known(&letter));
            let rows = points.par_iter().map(row).collect();
            Rows { known: sparse(known.len(), rows), squares: vec![1.0; points.len()] }
        }
    }

    // Many blocks of rows on several threads ask for the features at once.
    #[test]
    fn features_that_are_found_again_have_the_same_products() {
        let text = |i: usize| (0..i % 7 + 1).map(|k| char::from(b'a' + ((i * k) % 23) as u8)).collect();
        let (columns, points): (Vec<String>, Vec<String>) =
            ((0..90).map(text).collect(), (100..900).map(text).collect());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads");
        let values = |room| {
            let bound = bind_within(Letters, &columns, room).expect("letters");
            let mut values = vec![vec![0.0; columns.len()]; points.len()];
            pool.install(|| {
                values.par_chunks_mut(10).enumerate().for_each(|(block, values)| {
                    let rows: Vec<usize> = (10 * block..).take(values.len()).collect();
                    let mut out: Vec<&mut [f64]> = values.iter_mut().map(Vec::as_mut_slice).collect();
                    bound.rows_f64(&points, &rows, &mut out);
                });
            });
            values
        };
        let (kept, again) = (values(usize::MAX), values(0));
        assert_eq!(kept, again);
        let common =
            |x: &str, y: &str| x.chars().map(|a| y.chars().filter(|&b| a == b).count()).sum::<usize>() as f64;
        assert_eq!(kept[17][40], common(&points[17], &columns[40]));
        assert!(kept.iter().flatten().any(|&value| value > 1.0));
    }
}
