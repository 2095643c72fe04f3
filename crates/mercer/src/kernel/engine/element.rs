//! The two precisions a block can be computed in.

use crate::data::Real;
use crate::simd::{self, PANEL, SparseRow};

/// `f32` or `f64` with the vector routines of each.
pub(crate) trait Element: Real {
    /// A strip of rows times a panel of columns.
    fn dots(depth: usize, strip: &[Self], panel: &[Self], out: &mut [Self]);
    /// A sparse row times a panel of columns.
    fn sparse_dots(row: SparseRow<'_, Self>, panel: &[Self], out: &mut [Self]);
    /// Writes single-precision kernel values to where they stay.
    fn store(values: &[Self], target: &mut [f32]);
    /// Adds the rows of a tile, as single-precision kernel values, times weights.
    fn accumulate(sums: &mut [f64; PANEL], tile: &[Self], weights: &[f64]);
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
    fn accumulate(sums: &mut [f64; PANEL], tile: &[f32], weights: &[f64]) {
        simd::accumulate_tile(sums, tile, weights);
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
    fn accumulate(sums: &mut [f64; PANEL], tile: &[f64], weights: &[f64]) {
        let mut rounded = [0.0; PANEL];
        for (row, weight) in tile.chunks_exact(PANEL).zip(weights) {
            rounded.iter_mut().zip(row).for_each(|(r, &v)| *r = v as f32);
            simd::accumulate_tile(sums, &rounded, std::slice::from_ref(weight));
        }
    }
    fn exp(values: &mut [f64]) {
        simd::exp_f64(values);
    }
    fn gaussian(dots: &mut [f64], columns: &[f64], row: f64, gamma: f64) {
        simd::gaussian_f64(dots, columns, row, gamma);
    }
}
