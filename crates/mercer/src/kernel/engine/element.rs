//! The two precisions a block can be computed in.

use crate::data::Real;
use crate::simd::{self, SparseRow};

/// `f32` or `f64` with the vector routines of each.
pub(crate) trait Element: Real {
    /// A strip of rows times a panel of columns.
    fn dots(depth: usize, strip: &[Self], panel: &[Self], out: &mut [Self]);
    /// A sparse row times a panel of columns.
    fn sparse_dots(row: SparseRow<'_, Self>, panel: &[Self], out: &mut [Self]);
    /// Writes single-precision kernel values to where they stay.
    fn store(values: &[Self], target: &mut [f32]);
    /// The values in single precision, rounded into `buffer` where they are not.
    fn single<'a>(values: &'a [Self], buffer: &'a mut Vec<f32>) -> &'a [f32];
    /// Exponential of each value.
    fn exp(values: &mut [Self]);
    /// Inner products to exp(−γ·squared distance), given the squared norms.
    fn gaussian(dots: &mut [Self], columns: &[Self], row: Self, gamma: Self);
}

impl Element for f32 {
    fn dots(depth: usize, strip: &[f32], panel: &[f32], out: &mut [f32]) {
        simd::dots_f32(depth, strip, panel, out);
    }
    fn sparse_dots(row: SparseRow<'_, f32>, panel: &[f32], out: &mut [f32]) {
        simd::sparse_dots_f32(row, panel, out);
    }
    fn store(values: &[f32], target: &mut [f32]) {
        simd::stream(target, values);
    }
    fn single<'a>(values: &'a [f32], _: &'a mut Vec<f32>) -> &'a [f32] {
        values
    }
    fn exp(values: &mut [f32]) {
        simd::exp_f32(values);
    }
    fn gaussian(dots: &mut [f32], columns: &[f32], row: f32, gamma: f32) {
        simd::gaussian_f32(dots, columns, row, gamma);
    }
}

impl Element for f64 {
    fn dots(depth: usize, strip: &[f64], panel: &[f64], out: &mut [f64]) {
        simd::dots_f64(depth, strip, panel, out);
    }
    fn sparse_dots(row: SparseRow<'_, f64>, panel: &[f64], out: &mut [f64]) {
        simd::sparse_dots_f64(row, panel, out);
    }
    fn store(values: &[f64], target: &mut [f32]) {
        target.iter_mut().zip(values).for_each(|(t, &v)| *t = v as f32);
    }
    fn single<'a>(values: &'a [f64], buffer: &'a mut Vec<f32>) -> &'a [f32] {
        buffer.clear();
        buffer.extend(values.iter().map(|&v| v as f32));
        buffer
    }
    fn exp(values: &mut [f64]) {
        simd::exp_f64(values);
    }
    fn gaussian(dots: &mut [f64], columns: &[f64], row: f64, gamma: f64) {
        simd::gaussian_f64(dots, columns, row, gamma);
    }
}
