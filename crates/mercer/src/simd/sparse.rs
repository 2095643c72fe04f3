//! A sparse row times a packed panel of dense columns.

use super::{BASELINE_FMA, Level, PANEL, fma_f32, fma_f64, level};

/// Sparse rows with a common bound on their indices, so that a product need not check each index.
#[derive(Debug, Clone)]
pub(crate) struct SparseRows<T> {
    start: Vec<usize>,
    index: Vec<u32>,
    values: Vec<T>,
    bound: usize,
}

/// A row of [`SparseRows`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct SparseRow<'a, T> {
    index: &'a [u32],
    values: &'a [T],
    /// Larger than every index.
    bound: usize,
}

impl<T: Copy> SparseRows<T> {
    pub(crate) fn new() -> Self {
        Self { start: vec![0], index: Vec::new(), values: Vec::new(), bound: 0 }
    }

    /// Adds an entry to the last row, which has not been ended.
    pub(crate) fn push(&mut self, index: u32, value: T) {
        self.index.push(index);
        self.values.push(value);
        self.bound = self.bound.max(index as usize + 1);
    }

    /// Ends the last row.
    pub(crate) fn end_row(&mut self) {
        self.start.push(self.index.len());
    }

    /// How many rows have been ended.
    pub(crate) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Removes all rows and keeps their memory for others.
    pub(crate) fn clear(&mut self) {
        self.start.truncate(1);
        self.index.clear();
        self.values.clear();
        self.bound = 0;
    }

    pub(crate) fn row(&self, i: usize) -> SparseRow<'_, T> {
        let range = self.start[i]..self.start[i + 1];
        SparseRow { index: &self.index[range.clone()], values: &self.values[range], bound: self.bound }
    }
}

impl<T: Copy> SparseRow<'_, T> {
    /// The indices and values of the row, in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u32, T)> {
        self.index.iter().copied().zip(self.values.iter().copied())
    }
}

macro_rules! product {
    ($name:ident, $T:ty, $fma:ident, $avx512:ident, $avx2:ident) => {
        /// `out[c] = Σ values[e] · panel[index[e]][c]` over the entries e of the row, in order.
        ///
        /// # Panics
        /// If an index of any of the rows lies outside the panel.
        pub(crate) fn $name(row: SparseRow<'_, $T>, panel: &[$T], out: &mut [$T]) {
            let SparseRow { index, values, bound } = row;
            assert!(out.len() >= PANEL && bound * PANEL <= panel.len());
            #[cfg(target_arch = "x86_64")]
            match level() {
                // SAFETY: the processor has the instruction set; every index is below `bound`, which was checked above.
                Level::Avx512 => return unsafe { x86::$avx512(index, values, panel, out) },
                // SAFETY: as above.
                Level::Avx2 => return unsafe { x86::$avx2(index, values, panel, out) },
                Level::Baseline => {}
            }
            let mut sums = [0.0; PANEL];
            for (&k, &a) in index.iter().zip(values) {
                let row = &panel[k as usize * PANEL..(k as usize + 1) * PANEL];
                for (sum, &b) in sums.iter_mut().zip(row) {
                    *sum = $fma::<BASELINE_FMA>(a, b, *sum);
                }
            }
            out[..PANEL].copy_from_slice(&sums);
        }
    };
}

product!(sparse_dots_f32, f32, fma_f32, sparse_avx512_f32, sparse_avx2_f32);
product!(sparse_dots_f64, f64, fma_f64, sparse_avx512_f64, sparse_avx2_f64);

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::PANEL;
    use std::arch::x86_64::*;

    macro_rules! kernel {
        ($name:ident, $features:literal, $T:ty, $vector:ty, $lanes:literal,
         $zero:ident, $set:ident, $load:ident, $fma:ident, $store:ident) => {
            /// # Safety
            /// The processor has the instruction set; every index lies inside the panel; `out` has `PANEL` values.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn $name(index: &[u32], values: &[$T], panel: &[$T], out: &mut [$T]) {
                // Registers of sums: as many as the panel has, or eight and several walks.
                const VECTORS: usize = if PANEL / $lanes < 8 { PANEL / $lanes } else { 8 };
                let panel = panel.as_ptr();
                let mut group = 0;
                while group < PANEL {
                    let mut sums: [$vector; VECTORS] = [$zero(); VECTORS];
                    for (&k, &a) in index.iter().zip(values) {
                        let a = $set(a);
                        for v in 0..VECTORS {
                            // SAFETY: k lies inside the panel, group + lanes·v inside its row.
                            let b = unsafe { $load(panel.add(k as usize * PANEL + group + v * $lanes)) };
                            sums[v] = $fma(a, b, sums[v]);
                        }
                    }
                    for v in 0..VECTORS {
                        // SAFETY: `out` has PANEL values.
                        unsafe { $store(out.as_mut_ptr().add(group + v * $lanes), sums[v]) };
                    }
                    group += VECTORS * $lanes;
                }
            }
        };
    }

    crate::simd::instruction_sets!(kernel: sparse_avx512_f32, sparse_avx512_f64, sparse_avx2_f32, sparse_avx2_f64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_equals_the_sum_written_out() {
        let depth = 40;
        let panel: Vec<f64> = (0..depth * PANEL).map(|i| ((i * 53 % 97) as f64 - 48.0) / 32.0).collect();
        let panel32: Vec<f32> = panel.iter().map(|&x| x as f32).collect();
        for index in [vec![], vec![0], vec![39], vec![1, 5, 6, 20, 39]] {
            let (mut rows, mut rows32) = (SparseRows::new(), SparseRows::new());
            for &k in &index {
                rows.push(k, f64::from(k) / 8.0 - 1.0);
                rows32.push(k, (f64::from(k) / 8.0 - 1.0) as f32);
            }
            rows.end_row();
            rows32.end_row();
            let (mut out, mut out32) = ([f64::NAN; PANEL], [f32::NAN; PANEL]);
            sparse_dots_f64(rows.row(0), &panel, &mut out);
            sparse_dots_f32(rows32.row(0), &panel32, &mut out32);
            for c in 0..PANEL {
                let exact: f64 = rows.row(0).entries().map(|(k, a)| a * panel[k as usize * PANEL + c]).sum();
                assert_eq!(out[c], exact);
                assert_eq!(f64::from(out32[c]), exact);
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn an_index_outside_the_panel_is_refused() {
        let mut rows = SparseRows::new();
        rows.push(3, 1.0);
        rows.push(0, 1.0);
        rows.end_row();
        sparse_dots_f64(rows.row(0), &[0.0; 3 * PANEL], &mut [0.0; PANEL]);
    }
}
