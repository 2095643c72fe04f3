//! All inner products between two lists of vectors.

use std::ops::Range;

use rayon::prelude::*;

use super::Lower;
use crate::simd::{PANEL, STRIP, dots_f64};

/// Entries of the vectors that are multiplied at once: a panel of so many stays in the second-level cache.
const DEPTH: usize = 512;

/// Rows of the result that one thread computes at a time.
const ROWS: usize = 16 * STRIP;

/// All aᵢ·bⱼ, row after row. Each is one sum over blocks of entries in ascending order: its bits depend neither on the
/// number of threads nor on the other vectors, and are those of bⱼ·aᵢ.
///
/// All vectors must have the same length.
pub(crate) fn inner(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<f64> {
    let (columns, depth) = (b.len(), a.first().map_or(0, Vec::len));
    let mut products = vec![0.0; a.len() * columns];
    if columns == 0 {
        return products;
    }
    for first in (0..depth).step_by(DEPTH) {
        let entries = first..depth.min(first + DEPTH);
        let panels: Vec<Vec<f64>> = b.par_chunks(PANEL).map(|b| pack::<PANEL>(b, entries.clone())).collect();
        let rows = products.par_chunks_mut(ROWS * columns).zip(a.par_chunks(ROWS));
        rows.for_each(|(products, a)| add_rows(products, a, entries.clone(), &panels));
    }
    products
}

/// Adds the contribution of some entries of the vectors to some rows of the result.
fn add_rows(products: &mut [f64], a: &[Vec<f64>], entries: Range<usize>, panels: &[Vec<f64>]) {
    let columns = products.len() / a.len();
    let mut tile = [0.0; STRIP * PANEL];
    for (products, a) in products.chunks_mut(STRIP * columns).zip(a.chunks(STRIP)) {
        let strip = pack::<STRIP>(a, entries.clone());
        for (p, panel) in panels.iter().enumerate() {
            dots_f64(entries.len(), &strip, panel, &mut tile);
            for (row, tile) in products.chunks_mut(columns).zip(tile.chunks(PANEL)) {
                row[p * PANEL..].iter_mut().zip(tile).for_each(|(product, sum)| *product += sum);
            }
        }
    }
}

/// Adds all aᵢ·aⱼ with j ≤ i to a matrix; the bits of what is added are those of [`inner`].
///
/// All vectors must have the same length.
pub(crate) fn add_inner(matrix: &mut Lower, a: &[Vec<f64>]) {
    let depth = a.first().map_or(0, Vec::len);
    for first in (0..depth).step_by(DEPTH) {
        let entries = first..depth.min(first + DEPTH);
        let panels: Vec<Vec<f64>> = a.par_chunks(PANEL).map(|a| pack::<PANEL>(a, entries.clone())).collect();
        let rows = &mut matrix.rows_mut()[..];
        rows.par_chunks_mut(STRIP).zip(a.par_chunks(STRIP)).for_each(|(rows, a)| {
            let strip = pack::<STRIP>(a, entries.clone());
            let mut tile = [0.0; STRIP * PANEL];
            let longest = rows.last().map_or(0, |row| row.len());
            for (p, panel) in panels.iter().enumerate().take(longest.div_ceil(PANEL)) {
                dots_f64(entries.len(), &strip, panel, &mut tile);
                for (row, tile) in rows.iter_mut().zip(tile.chunks(PANEL)) {
                    let row = row.get_mut(p * PANEL..).unwrap_or_default();
                    row.iter_mut().zip(tile).for_each(|(sum, product)| *sum += product);
                }
            }
        });
    }
}

/// Packs up to `WIDTH` vectors, entry after entry, filled up with zeros.
fn pack<const WIDTH: usize>(vectors: &[Vec<f64>], entries: Range<usize>) -> Vec<f64> {
    let mut packed = vec![0.0; WIDTH * entries.len()];
    for (v, vector) in vectors.iter().enumerate() {
        for (packed, &value) in packed.chunks_mut(WIDTH).zip(&vector[entries.clone()]) {
            packed[v] = value;
        }
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(count: usize, depth: usize, step: f64) -> Vec<Vec<f64>> {
        (0..count).map(|i| (0..depth).map(|k| (step * (i * depth + k) as f64).sin()).collect()).collect()
    }

    #[test]
    fn products_are_the_sums_written_out() {
        for (rows, columns, depth) in
            [(1, 1, 1), (7, 65, 3), (100, 3, 1030), (5, 130, 512), (3, 0, 4), (0, 3, 4)]
        {
            let (a, b) = (vectors(rows, depth, 0.3), vectors(columns, depth, 0.7));
            let products = inner(&a, &b);
            assert_eq!(products.len(), rows * columns);
            for i in 0..rows {
                for j in 0..columns {
                    let sum: f64 = a[i].iter().zip(&b[j]).map(|(a, b)| a * b).sum();
                    // Sums of at most 1030 terms up to 1, in another order.
                    assert!((products[i * columns + j] - sum).abs() < 1e-12, "{rows} {columns} {depth}");
                }
            }
        }
    }

    #[test]
    fn the_lower_half_is_added_to_what_is_there() {
        for (count, depth) in [(1, 1), (7, 3), (130, 700), (65, 0)] {
            let a = vectors(count, depth, 0.19);
            let mut matrix = Lower::zeros(count);
            matrix.add_diagonal(|i| i as f64);
            add_inner(&mut matrix, &a);
            add_inner(&mut matrix, &a);
            let products = inner(&a, &a);
            for i in 0..count {
                for j in 0..=i {
                    let own = if i == j { i as f64 } else { 0.0 };
                    let expected = own + 2.0 * products[i * count + j];
                    // Sums of at most 1400 terms up to 1, in another order.
                    assert!((matrix.row(i)[j] - expected).abs() < 1e-11, "{count} {depth}");
                }
            }
        }
    }

    #[test]
    fn products_with_themselves_are_symmetric_to_the_bit_on_any_number_of_threads() {
        let a = vectors(150, 700, 0.11);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| inner(&a, &a))
        };
        let one = on(1);
        assert!(one == on(3));
        assert!((0..150).all(|i| (0..i).all(|j| one[i * 150 + j] == one[j * 150 + i])));
    }
}
