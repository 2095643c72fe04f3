//! All values of a Gram, computed once and read by many.

use std::sync::Arc;

use rayon::prelude::*;

use super::Gram;
use super::lazy::Counter;
use crate::linalg::mirror;
use crate::simd::huge_zeros;

/// Rows computed by one task.
const BATCH: usize = 128;

/// Nanoseconds that reading a value takes, on the scale of [`Gram::cost`].
const READ: f64 = 0.5;

/// The whole matrix of another Gram in single precision, and in double precision where that is asked for. Half of the values
/// are computed, the others follow by symmetry. [Restricted](Gram::restrict) Grams read them where they lie.
///
/// Memory: 4 n² bytes, 12 n² with double precision. Values in double precision that are not held are computed by the other
/// Gram when they are asked for.
///
/// ```
/// use mercer::data::Vectors;
/// use mercer::gram::{Gram, Held, Lazy};
/// use mercer::kernel::rbf;
///
/// let (kernel, x) = (rbf(0.5), Vectors::dense(1, vec![0.0, 1.0, 3.0]));
/// let held = Held::new(Box::new(Lazy::new(&kernel, &x)?), false);
/// let mut row = [0.0; 2];
/// held.restrict(&[2, 1]).rows(&[0], &mut [&mut row]);
/// assert!(row[0] == 1.0 && (row[1] - (-2.0_f32).exp()).abs() < 1e-6);
/// assert_eq!(held.computed(), 6);
/// # Ok::<(), mercer::Error>(())
/// ```
pub struct Held<'a> {
    source: Box<dyn Gram + 'a>,
    single: Vec<f32>,
    /// Empty where values in double precision are not held.
    double: Vec<f64>,
}

impl<'a> Held<'a> {
    /// Computes the values of `source`; with `double` in double precision, and rounded.
    #[must_use]
    pub fn new(source: Box<dyn Gram + 'a>, double: bool) -> Self {
        let n = source.len();
        let mut single: Vec<f32> = huge_zeros(n * n);
        if !double {
            batches(&mut single, n, |first, rows| source.lower_rows_single(first, rows));
            mirror(&mut single, n);
            source.release_scratch();
            return Self { source, single, double: Vec::new() };
        }
        let mut values: Vec<f64> = huge_zeros(n * n);
        batches(&mut values, n, |first, rows| source.lower_rows(first, rows));
        mirror(&mut values, n);
        source.release_scratch();
        let round = |(single, double): (&mut [f32], &[f64])| {
            single.iter_mut().zip(double).for_each(|(single, &double)| *single = double as f32);
        };
        single.par_chunks_mut(BATCH * n.max(1)).zip(values.par_chunks(BATCH * n.max(1))).for_each(round);
        Self { source, single, double: values }
    }

    /// The bytes that the values of `n` points take.
    #[must_use]
    pub fn bytes(n: usize, double: bool) -> usize {
        let value = size_of::<f32>() + if double { size_of::<f64>() } else { 0 };
        n.saturating_mul(n).saturating_mul(value)
    }

    fn row(&self, i: usize) -> &[f32] {
        &self.single[i * self.len()..(i + 1) * self.len()]
    }

    /// A row in double precision where that is held.
    fn row_f64(&self, i: usize) -> Option<&[f64]> {
        self.double.get(i * self.len()..(i + 1) * self.len())
    }
}

/// Calls `fill(first, rows)` for batches of rows up to the diagonal, on all threads.
fn batches<T: Send>(values: &mut [T], n: usize, fill: impl Fn(usize, &mut [&mut [T]]) + Sync) {
    values.par_chunks_mut(BATCH * n.max(1)).enumerate().for_each(|(batch, values)| {
        let first = batch * BATCH;
        let rows = values.chunks_mut(n.max(1)).enumerate();
        fill(first, &mut rows.map(|(r, row)| &mut row[..=first + r]).collect::<Vec<_>>());
    });
}

impl Gram for Held<'_> {
    fn diagonal(&self) -> &[f64] {
        self.source.diagonal()
    }

    fn rows(&self, rows: &[usize], out: &mut [&mut [f32]]) {
        rows.iter().zip(out).for_each(|(&i, out)| out.copy_from_slice(self.row(i)));
    }

    fn rows_f64(&self, rows: &[usize], out: &mut [&mut [f64]]) {
        if self.double.is_empty() {
            self.source.rows_f64(rows, out);
        } else {
            let held = rows.iter().filter_map(|&i| self.row_f64(i));
            held.zip(out).for_each(|(row, out)| out.copy_from_slice(row));
        }
    }

    fn accumulate(&self, points: &[usize], weights: &[f64], sums: &mut [f64]) {
        let rows: Vec<&[f32]> = points.iter().map(|&i| self.row(i)).collect();
        crate::kernel::add_rows(sums, &rows, weights);
    }

    fn cost(&self) -> f64 {
        READ
    }

    fn restrict<'b>(&'b self, index: &[usize]) -> Box<dyn Gram + 'b> {
        Box::new(Part::new(self, index.to_vec(), Counter::from(self.computed())))
    }

    fn share(&self) -> Box<dyn Gram + '_> {
        Box::new(Part::new(self, (0..self.len()).collect(), Counter::from(0)))
    }

    fn computed(&self) -> u64 {
        self.source.computed()
    }
}

/// Some points of a Gram that is held.
struct Part<'a> {
    whole: &'a Held<'a>,
    index: Vec<usize>,
    diagonal: Vec<f64>,
    /// Counts values in double precision that are not held.
    computed: Arc<Counter>,
}

impl<'a> Part<'a> {
    fn new(whole: &'a Held<'a>, index: Vec<usize>, computed: Arc<Counter>) -> Self {
        let diagonal = index.iter().map(|&i| whole.diagonal()[i]).collect();
        Self { whole, index, diagonal, computed }
    }

    fn gather<T: Copy>(&self, row: &[T], out: &mut [T]) {
        out.iter_mut().zip(&self.index).for_each(|(value, &j)| *value = row[j]);
    }
}

impl Gram for Part<'_> {
    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn rows(&self, rows: &[usize], out: &mut [&mut [f32]]) {
        rows.iter().zip(out).for_each(|(&i, out)| self.gather(self.whole.row(self.index[i]), out));
    }

    fn rows_f64(&self, rows: &[usize], out: &mut [&mut [f64]]) {
        if self.whole.double.is_empty() {
            self.computed.add((rows.len() * self.len()) as u64);
            self.whole.source.restrict(&self.index).rows_f64(rows, out);
            return;
        }
        let held = rows.iter().filter_map(|&i| self.whole.row_f64(self.index[i]));
        held.zip(out).for_each(|(row, out)| self.gather(row, out));
    }

    fn cost(&self) -> f64 {
        READ
    }

    fn restrict<'b>(&'b self, index: &[usize]) -> Box<dyn Gram + 'b> {
        let index = index.iter().map(|&i| self.index[i]).collect();
        Box::new(Part::new(self.whole, index, Counter::from(self.computed())))
    }

    fn share(&self) -> Box<dyn Gram + '_> {
        Box::new(Part::new(self.whole, self.index.clone(), self.computed.child()))
    }

    fn computed(&self) -> u64 {
        self.computed.values()
    }
}
