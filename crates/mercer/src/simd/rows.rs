//! Passes over rows of numbers: their products with a vector, and weighted sums of them, in double precision.
//!
//! These are the operations of the linear methods, which see a row at a time and hold no kernel value.

use super::lines::{line_sums, lines_add};
use super::{fma_f64, multiversion};

/// A number of a row: `f32` or `f64`.
trait Number: Copy + Into<f64> {}
impl Number for f32 {}
impl Number for f64 {}

/// Compressed sparse rows.
#[derive(Clone, Copy)]
pub(crate) struct SparseBlock<'a, T> {
    /// Where each row begins among the entries, and where the last one ends.
    pub(crate) start: &'a [usize],
    /// The column of each entry.
    pub(crate) index: &'a [u32],
    /// The value of each entry.
    pub(crate) values: &'a [T],
}

/// Dense rows.
#[derive(Clone, Copy)]
pub(crate) struct DenseBlock<'a, T> {
    /// The number of values in a row.
    pub(crate) columns: usize,
    /// Row after row.
    pub(crate) values: &'a [T],
}

/// What a pass does with the rows x that are listed; `weights` has a number for each of them.
pub(crate) enum Pass<'a> {
    /// out = start + ⟨w, x⟩ of each row.
    Products {
        /// w
        vector: &'a [f64],
        /// The constant that is added.
        start: f64,
        /// One number for each row.
        out: &'a mut [f64],
    },
    /// out += Σ c x.
    Sum {
        /// c
        weights: &'a [f64],
        /// As long as a row.
        out: &'a mut [f64],
    },
    /// out += Σ c x², feature by feature.
    Squares {
        /// c
        weights: &'a [f64],
        /// As long as a row.
        out: &'a mut [f64],
    },
    /// out += Σ h x (start + ⟨v, x⟩), and total += Σ h (start + ⟨v, x⟩).
    Curvature {
        /// h
        weights: &'a [f64],
        /// v
        vector: &'a [f64],
        /// The constant that is added to each product.
        start: f64,
        /// As long as a row.
        out: &'a mut [f64],
        /// The sum of what the rows are multiplied by.
        total: &'a mut f64,
    },
    /// out += Σ h x xᵀ, of which the entries up to the diagonal are made: row after row of a square matrix.
    Outer {
        /// h
        weights: &'a [f64],
        /// The rows of the matrix are this far apart.
        stride: usize,
        /// The matrix.
        out: &'a mut [f64],
    },
    /// out += the products of each row with all columns of a matrix: `outputs` numbers for each row.
    Scores {
        /// The number of columns of the matrix.
        outputs: usize,
        /// The matrix: a line of `outputs` numbers for each feature.
        matrix: &'a [f64],
        /// A line of `outputs` numbers for each row.
        out: &'a mut [f64],
    },
    /// matrix += Σ x cᵀ.
    Spread {
        /// The number of columns of the matrix.
        outputs: usize,
        /// c: a line of `outputs` numbers for each row.
        weights: &'a [f64],
        /// The matrix: a line of `outputs` numbers for each feature.
        matrix: &'a mut [f64],
    },
}

multiversion! {
    /// A pass over the sparse rows `rows`.
    fn sparse_pass_f32(rows: &[u32], x: SparseBlock<'_, f32>, pass: Pass<'_>) = sparse_pass;
}
multiversion! {
    /// A pass over the sparse rows `rows`.
    fn sparse_pass_f64(rows: &[u32], x: SparseBlock<'_, f64>, pass: Pass<'_>) = sparse_pass;
}
multiversion! {
    /// A pass over the dense rows `rows`.
    fn dense_pass_f32(rows: &[u32], x: DenseBlock<'_, f32>, pass: Pass<'_>) = dense_pass;
}
multiversion! {
    /// A pass over the dense rows `rows`.
    fn dense_pass_f64(rows: &[u32], x: DenseBlock<'_, f64>, pass: Pass<'_>) = dense_pass;
}

/// Sums that are kept side by side in a product of sparse rows, so that an addition need not wait for the last one.
const SPARSE_SUMS: usize = 4;
/// Sums side by side in a product of dense rows: two vectors of the widest registers.
const DENSE_SUMS: usize = 16;

#[inline(always)]
fn sparse_pass<const FMA: bool>(rows: &[u32], x: SparseBlock<'_, impl Number>, pass: Pass<'_>) {
    let row = |i: u32| {
        let entries = x.start[i as usize]..x.start[i as usize + 1];
        (&x.index[entries.clone()], &x.values[entries])
    };
    match pass {
        Pass::Products { vector, start, out } => {
            for (out, &i) in out.iter_mut().zip(rows) {
                *out = start + sparse_dot::<FMA>(row(i), vector);
            }
        }
        Pass::Sum { weights, out } => {
            for (&c, &i) in weights.iter().zip(rows).filter(|(c, _)| **c != 0.0) {
                sparse_add::<FMA>(c, row(i), out);
            }
        }
        Pass::Squares { weights, out } => {
            for (&c, &i) in weights.iter().zip(rows).filter(|(c, _)| **c != 0.0) {
                let (index, values) = row(i);
                for (&k, value) in index.iter().zip(values) {
                    out[k as usize] += c * square(*value);
                }
            }
        }
        Pass::Curvature { weights, vector, start, out, total } => {
            for (&h, &i) in weights.iter().zip(rows) {
                let c = h * (start + sparse_dot::<FMA>(row(i), vector));
                sparse_add::<FMA>(c, row(i), out);
                *total += c;
            }
        }
        Pass::Outer { weights, stride, out } => {
            for (&h, &i) in weights.iter().zip(rows) {
                let (index, values) = row(i);
                for (a, (&k, value)) in index.iter().zip(values).enumerate() {
                    let line = &mut out[k as usize * stride..][..k as usize + 1];
                    sparse_add::<FMA>(h * (*value).into(), (&index[..=a], &values[..=a]), line);
                }
            }
        }
        Pass::Scores { outputs, matrix, out } => {
            for (out, &i) in out.chunks_exact_mut(outputs).zip(rows) {
                let (index, values) = row(i);
                line_sums::<FMA>(
                    index.iter().zip(values).map(|(&k, v)| (k as usize, (*v).into())),
                    matrix,
                    out,
                );
            }
        }
        Pass::Spread { outputs, weights, matrix } => {
            for (weights, &i) in weights.chunks_exact(outputs).zip(rows) {
                let (index, values) = row(i);
                let entries = index.iter().zip(values).map(|(&k, v)| (k as usize, (*v).into()));
                lines_add::<FMA>(entries, weights, matrix);
            }
        }
    }
}

#[inline(always)]
fn sparse_dot<const FMA: bool>((index, values): (&[u32], &[impl Number]), vector: &[f64]) -> f64 {
    let mut sums = [0.0; SPARSE_SUMS];
    let (columns, entries) = (index.chunks_exact(SPARSE_SUMS), values.chunks_exact(SPARSE_SUMS));
    let rest = columns.remainder().iter().zip(entries.remainder());
    for (columns, entries) in columns.zip(entries) {
        for l in 0..SPARSE_SUMS {
            sums[l] = fma_f64::<FMA>(vector[columns[l] as usize], entries[l].into(), sums[l]);
        }
    }
    let sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    rest.fold(sum, |sum, (&k, value)| fma_f64::<FMA>(vector[k as usize], (*value).into(), sum))
}

#[inline(always)]
fn sparse_add<const FMA: bool>(c: f64, (index, values): (&[u32], &[impl Number]), out: &mut [f64]) {
    for (&k, value) in index.iter().zip(values) {
        let out = &mut out[k as usize];
        *out = fma_f64::<FMA>(c, (*value).into(), *out);
    }
}

#[inline(always)]
fn dense_pass<const FMA: bool>(rows: &[u32], x: DenseBlock<'_, impl Number>, pass: Pass<'_>) {
    let row = |i: u32| &x.values[i as usize * x.columns..][..x.columns];
    match pass {
        Pass::Products { vector, start, out } => {
            for (out, &i) in out.iter_mut().zip(rows) {
                *out = start + dense_dot::<FMA>(row(i), vector);
            }
        }
        Pass::Sum { weights, out } => {
            for (&c, &i) in weights.iter().zip(rows).filter(|(c, _)| **c != 0.0) {
                dense_add::<FMA>(c, row(i), out);
            }
        }
        Pass::Squares { weights, out } => {
            for (&c, &i) in weights.iter().zip(rows).filter(|(c, _)| **c != 0.0) {
                let row = row(i);
                out.iter_mut().zip(row).for_each(|(out, value)| *out += c * square(*value));
            }
        }
        Pass::Curvature { weights, vector, start, out, total } => {
            for (&h, &i) in weights.iter().zip(rows) {
                let c = h * (start + dense_dot::<FMA>(row(i), vector));
                dense_add::<FMA>(c, row(i), out);
                *total += c;
            }
        }
        Pass::Outer { weights, stride, out } => {
            for (&h, &i) in weights.iter().zip(rows) {
                let row = row(i);
                for (k, value) in row.iter().enumerate() {
                    dense_add::<FMA>(h * (*value).into(), &row[..=k], &mut out[k * stride..][..k + 1]);
                }
            }
        }
        Pass::Scores { outputs, matrix, out } => {
            for (out, &i) in out.chunks_exact_mut(outputs).zip(rows) {
                line_sums::<FMA>(row(i).iter().enumerate().map(|(k, v)| (k, (*v).into())), matrix, out);
            }
        }
        Pass::Spread { outputs, weights, matrix } => {
            for (weights, &i) in weights.chunks_exact(outputs).zip(rows) {
                let entries = row(i).iter().enumerate().map(|(k, v)| (k, (*v).into()));
                lines_add::<FMA>(entries, weights, matrix);
            }
        }
    }
}

#[inline(always)]
fn dense_dot<const FMA: bool>(row: &[impl Number], vector: &[f64]) -> f64 {
    let mut sums = [0.0; DENSE_SUMS];
    let vector = &vector[..row.len()];
    let (values, factors) = (row.chunks_exact(DENSE_SUMS), vector.chunks_exact(DENSE_SUMS));
    let rest = values.remainder().iter().zip(factors.remainder());
    for (values, factors) in values.zip(factors) {
        for l in 0..DENSE_SUMS {
            sums[l] = fma_f64::<FMA>(factors[l], values[l].into(), sums[l]);
        }
    }
    let sum = sums.iter().sum();
    rest.fold(sum, |sum, (value, &w)| fma_f64::<FMA>(w, (*value).into(), sum))
}

#[inline(always)]
fn square(value: impl Number) -> f64 {
    let value: f64 = value.into();
    value * value
}

#[inline(always)]
fn dense_add<const FMA: bool>(c: f64, row: &[impl Number], out: &mut [f64]) {
    out.iter_mut().zip(row).for_each(|(out, value)| *out = fma_f64::<FMA>(c, (*value).into(), *out));
}
