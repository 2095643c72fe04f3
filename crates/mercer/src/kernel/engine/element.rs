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

/// The routines that both types of number have, by their names in [`simd`].
macro_rules! routines {
    ($dots:ident, $sparse_dots:ident, $exp:ident, $gaussian:ident) => {
        fn dots(depth: usize, strip: &[Self], panel: &[Self], out: &mut [Self]) {
            simd::$dots(depth, strip, panel, out);
        }
        fn sparse_dots(row: SparseRow<'_, Self>, panel: &[Self], out: &mut [Self]) {
            simd::$sparse_dots(row, panel, out);
        }
        fn exp(values: &mut [Self]) {
            simd::$exp(values);
        }
        fn gaussian(dots: &mut [Self], columns: &[Self], row: Self, gamma: Self) {
            simd::$gaussian(dots, columns, row, gamma);
        }
    };
}

impl Element for f32 {
    routines!(dots_f32, sparse_dots_f32, exp_f32, gaussian_f32);
    fn store(values: &[f32], target: &mut [f32]) {
        simd::stream(target, values);
    }
    fn single<'a>(values: &'a [f32], _: &'a mut Vec<f32>) -> &'a [f32] {
        values
    }
}

impl Element for f64 {
    routines!(dots_f64, sparse_dots_f64, exp_f64, gaussian_f64);
    fn store(values: &[f64], target: &mut [f32]) {
        target.iter_mut().zip(values).for_each(|(t, &v)| *t = v as f32);
    }
    fn single<'a>(values: &'a [f64], buffer: &'a mut Vec<f32>) -> &'a [f32] {
        buffer.clear();
        buffer.extend(values.iter().map(|&v| v as f32));
        buffer
    }
}
