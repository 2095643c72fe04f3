//! Rows of the spectrum kernel as products of sparse counts.
//!
//! Binding numbers the words of the columns; a text is the sparse vector of its counts of these words, and the engine of
//! vectors multiplies. A word of a row that occurs in no column adds nothing to a product and is left out.
//!
//! Whole numbers are added up exactly in single precision while no sum reaches 2²⁴, which k(s, t)² ≤ k(s, s) k(t, t)
//! bounds for a row and all columns at once; other rows are computed in double precision.
//!
//! Cost of a row: its words are counted, O(m log m) for m characters, unless it is a column; then one sparse product.
//! Memory: the texts, their words, and what the engine packs.

use super::words::Dictionary;
use crate::data::{Points, Vectors};
use crate::error::Result;
use crate::kernel::{Bound, Expr, Readout, VectorKernel, engine};

/// Single precision adds whole numbers exactly up to this sum.
const EXACT: f64 = (1 << 24) as f64;

/// Binds the spectrum kernel of words of `length` characters to texts.
pub(super) fn bind(length: usize, columns: &[String]) -> Result<Box<dyn Bound<Vec<String>>>> {
    let dictionary = Dictionary::new(columns, length)?;
    let texts: Vec<&str> = columns.iter().map(String::as_str).collect();
    let counts: Vectors = dictionary.counts(&texts).into();
    let largest = (0..counts.len()).map(|i| square(&counts, i)).fold(0.0, f64::max);
    let reach = if largest > 0.0 { EXACT * EXACT / largest } else { f64::INFINITY };
    let linear = Expr::from(VectorKernel::Linear);
    let product = engine::bind_within(&linear, &counts, || Ok(Some(reach)))?;
    Ok(Box::new(Spectrum { texts: columns.to_vec(), dictionary, counts, reach, product }))
}

/// Σ count² of row `i`.
fn square(counts: &Vectors, i: usize) -> f64 {
    let mut sum = 0.0;
    counts.row(i).for_each(|_, count| sum += count * count);
    sum
}

struct Spectrum {
    /// The columns.
    texts: Vec<String>,
    dictionary: Dictionary,
    /// The counts of the columns.
    counts: Vectors,
    /// Rows with a larger Σ count² are computed in double precision.
    reach: f64,
    /// xᵀy bound to the counts.
    product: Box<dyn Bound<Vectors>>,
}

impl Spectrum {
    /// Hands the counts of `points[rows]` to `work`: those of the columns where the rows are columns, as they are while a
    /// model is trained, else counted anew.
    fn with_counts(&self, points: &[String], rows: &[usize], work: impl FnOnce(&Vectors, &[usize])) {
        if rows.iter().all(|&i| self.texts.get(i) == Some(&points[i])) {
            return work(&self.counts, rows);
        }
        let texts: Vec<&str> = rows.iter().map(|&i| points[i].as_str()).collect();
        let all: Vec<usize> = (0..rows.len()).collect();
        work(&self.dictionary.counts(&texts).into(), &all);
    }
}

impl Bound<Vec<String>> for Spectrum {
    fn columns(&self) -> usize {
        self.texts.len()
    }

    fn diagonal(&self) -> Vec<f64> {
        self.product.diagonal()
    }

    fn rows(&self, points: &Vec<String>, rows: &[usize], out: &mut [&mut [f32]]) {
        self.with_counts(points, rows, |counts, rows| self.product.rows(counts, rows, out));
    }

    fn rows_f64(&self, points: &Vec<String>, rows: &[usize], out: &mut [&mut [f64]]) {
        self.with_counts(points, rows, |counts, rows| {
            if rows.iter().any(|&i| square(counts, i) > self.reach) {
                return self.product.rows_f64(counts, rows, out);
            }
            // Both precisions are exact, and single takes half the time and half the memory.
            let mut values: Vec<Vec<f32>> = out.iter().map(|row| vec![0.0; row.len()]).collect();
            let mut single: Vec<&mut [f32]> = values.iter_mut().map(Vec::as_mut_slice).collect();
            self.product.rows(counts, rows, &mut single);
            for (row, values) in out.iter_mut().zip(values) {
                row.iter_mut().zip(values).for_each(|(entry, value)| *entry = value.into());
            }
        });
    }

    fn accumulate(
        &self,
        _: &Vec<String>,
        rows: &[usize],
        weights: &[f64],
        diagonal: &[f64],
        sums: &mut [f64],
    ) {
        self.product.accumulate(&self.counts, rows, weights, diagonal, sums);
    }

    fn read(&self, points: &Vec<String>, rows: &[usize], blocks: &[Readout], sums: &mut [f64]) {
        self.with_counts(points, rows, |counts, rows| self.product.read(counts, rows, blocks, sums));
    }

    fn cost(&self) -> f64 {
        self.product.cost()
    }
}
