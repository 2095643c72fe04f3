//! Products of sparse rows with all columns.

use rayon::prelude::*;

use crate::data::{Dense, Real, Sparse, Vectors};
use crate::error::Result;
use crate::kernel::{Bound, Expr, VectorKernel, engine};

/// A feature that more than this share of the columns have is stored densely. Its list costs a row that has it about a nanosecond
/// for each column that has it, share² nanoseconds an entry on average; its place in the matrix costs each entry a thirtieth of one,
/// and rows of the matrix some for being copied.
const FREQUENT: f64 = 0.25;

/// Columns below which no matrix is worth its packing.
const FEW: usize = 64;

/// Single precision adds whole numbers exactly up to this sum.
const EXACT: f64 = (1 << 24) as f64;

/// A feature without a place in the dense part.
const NO_PLACE: u32 = u32::MAX;

/// Nanoseconds of an entry of a list.
const ENTRY: f64 = 1.0;

/// The columns of a product, by feature.
pub(super) struct Product {
    columns: usize,
    /// Where the list of each feature begins.
    start: Vec<usize>,
    /// The columns that have the feature, ascending, and its values there.
    list: Vec<(u32, f64)>,
    dense: Option<Frequent>,
}

/// The features that many columns have.
struct Frequent {
    /// The place of each feature in the matrix.
    place: Vec<u32>,
    places: usize,
    product: Box<dyn Bound<Vectors>>,
    /// Whether the columns are whole numbers.
    whole: bool,
}

impl Product {
    /// Lists the columns of each feature.
    pub(super) fn new(columns: &Sparse<f64>) -> Result<Self> {
        let (n, features) = (columns.len(), columns.columns());
        let mut counts = vec![0_usize; features];
        (0..n).for_each(|j| columns.row(j).0.iter().for_each(|&f| counts[f as usize] += 1));
        let frequent = |f: usize| n >= FEW && counts[f] as f64 > FREQUENT * n as f64;
        let dense = Frequent::new(columns, &frequent)?;
        let mut start = Vec::with_capacity(features + 1);
        start.push(0);
        for f in 0..features {
            start.push(start[f] + if frequent(f) { 0 } else { counts[f] });
        }
        let mut list = vec![(0_u32, 0.0); start[features]];
        let mut next = start.clone();
        for j in 0..n {
            let (index, values) = columns.row(j);
            for (&f, &value) in index.iter().zip(values) {
                let f = f as usize;
                if !frequent(f) {
                    list[next[f]] = (j as u32, value);
                    next[f] += 1;
                }
            }
        }
        Ok(Self { columns: n, start, list, dense })
    }

    /// Fills `out[r][c]` with the product of row `rows[r]` and column `c`, each row as far as it goes.
    pub(super) fn rows<T: Real>(&self, features: &Sparse<f64>, rows: &[usize], out: &mut [&mut [T]]) {
        let widest = out.iter().map(|row| row.len()).max().unwrap_or(0);
        let dense = self.dense.as_ref().map(|dense| dense.rows(features, rows, widest));
        out.par_iter_mut().enumerate().for_each_init(Vec::new, |sums: &mut Vec<f64>, (r, out)| {
            sums.clear();
            match &dense {
                Some(dense) => sums.extend_from_slice(&dense[r][..out.len()]),
                None => sums.resize(out.len(), 0.0),
            }
            let (index, values) = features.row(rows[r]);
            for (&f, &value) in index.iter().zip(values) {
                for &(j, other) in &self.list[self.start[f as usize]..self.start[f as usize + 1]] {
                    let Some(sum) = sums.get_mut(j as usize) else { break };
                    *sum += value * other;
                }
            }
            out.iter_mut().zip(&*sums).for_each(|(entry, &sum)| *entry = T::from_f64(sum));
        });
    }

    /// A rough cost of a value in nanoseconds: the lists of a row are as long as those of a column on average.
    pub(super) fn cost(&self) -> f64 {
        let n = self.columns.max(1) as f64;
        let met: f64 = self.start.windows(2).map(|ends| ((ends[1] - ends[0]) as f64).powi(2)).sum();
        1.0 + ENTRY * met / (n * n) + self.dense.as_ref().map_or(0.0, |dense| dense.product.cost())
    }
}

impl Frequent {
    fn new(columns: &Sparse<f64>, frequent: &impl Fn(usize) -> bool) -> Result<Option<Self>> {
        let mut place = vec![NO_PLACE; columns.columns()];
        let mut places = 0;
        for (_, place) in place.iter_mut().enumerate().filter(|(f, _)| frequent(*f)) {
            *place = places as u32;
            places += 1;
        }
        if places == 0 {
            return Ok(None);
        }
        let all: Vec<usize> = (0..columns.len()).collect();
        let matrix = dense(columns, &all, &place, places);
        let whole = is_whole(matrix.values());
        let square = |row: &[f64]| row.iter().map(|value| value * value).sum::<f64>();
        // Products of whole numbers are exact in single precision up to this squared norm of a row, as
        // k(x, y)² ≤ k(x, x) k(y, y); other values are multiplied in double precision.
        let largest = matrix.values().chunks(places).map(square).fold(1.0, f64::max);
        let reach = whole.then_some(EXACT * EXACT / largest);
        let linear = Expr::from(VectorKernel::Linear);
        let product = engine::bind_within(&linear, &matrix.into(), || Ok(reach))?;
        Ok(Some(Self { place, places, product, whole }))
    }

    /// The products of the frequent features of `rows` with the first `width` columns.
    fn rows(&self, features: &Sparse<f64>, rows: &[usize], width: usize) -> Vec<Vec<f64>> {
        let matrix = dense(features, rows, &self.place, self.places);
        // Whole numbers have the same sums in both precisions, and single takes half the time.
        let single = self.whole && is_whole(matrix.values());
        let (matrix, all): (Vectors, Vec<usize>) = (matrix.into(), (0..rows.len()).collect());
        if !single {
            let mut values = vec![vec![0.0; width]; rows.len()];
            self.product.rows_f64(&matrix, &all, &mut slices(&mut values));
            return values;
        }
        let mut values = vec![vec![0.0_f32; width]; rows.len()];
        self.product.rows(&matrix, &all, &mut slices(&mut values));
        values.into_iter().map(|row| row.into_iter().map(f64::from).collect()).collect()
    }
}

fn slices<T>(rows: &mut [Vec<T>]) -> Vec<&mut [T]> {
    rows.iter_mut().map(Vec::as_mut_slice).collect()
}

fn is_whole(values: &[f64]) -> bool {
    values.iter().all(|value| value.fract() == 0.0)
}

/// Rows of the features that have a place.
fn dense(features: &Sparse<f64>, rows: &[usize], place: &[u32], places: usize) -> Dense<f64> {
    let mut values = vec![0.0; rows.len() * places];
    for (&i, row) in rows.iter().zip(values.chunks_mut(places.max(1))) {
        let (index, counts) = features.row(i);
        for (&f, &count) in index.iter().zip(counts) {
            if place[f as usize] != NO_PLACE {
                row[place[f as usize] as usize] = count;
            }
        }
    }
    Dense::new(places, values)
}
