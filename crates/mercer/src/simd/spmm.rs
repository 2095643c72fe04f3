//! A row of a sparse matrix times a panel of columns.

use super::{TALL, fma_f64, multiversion};

#[inline(always)]
fn sparse_row_body<const FMA: bool>(columns: &[u32], values: &[f64], panel: &[f64], sums: &mut [f64; TALL]) {
    let mut local = [0.0; TALL];
    for (&column, &value) in columns.iter().zip(values) {
        let row = &panel[column as usize * TALL..][..TALL];
        for c in 0..TALL {
            local[c] = fma_f64::<FMA>(value, row[c], local[c]);
        }
    }
    *sums = local;
}

multiversion! {
    /// `sums[c] = Σ values[k] · panel[columns[k]][c]`, added in the order of the columns.
    fn sparse_row_times(columns: &[u32], values: &[f64], panel: &[f64], sums: &mut [f64; TALL]) = sparse_row_body;
}
