//! A sparse row times a packed panel of dense columns.

use super::{BASELINE_FMA, Level, PANEL, fma_f32, fma_f64, level};

macro_rules! product {
    ($name:ident, $T:ty, $fma:ident, $avx512:ident, $avx2:ident) => {
        /// `out[c] = Σ values[e] · panel[index[e]][c]` over the entries e of the row, in ascending order.
        ///
        /// # Panics
        /// If an index lies outside the panel.
        pub(crate) fn $name(index: &[u32], values: &[$T], panel: &[$T], out: &mut [$T]) {
            assert_eq!(index.len(), values.len());
            assert!(out.len() >= PANEL);
            let largest = index.iter().fold(0, |a, &b| a.max(b));
            assert!(index.is_empty() || (largest as usize + 1) * PANEL <= panel.len());
            #[cfg(target_arch = "x86_64")]
            match level() {
                // SAFETY: the instruction set is there; lengths and the largest index were checked above.
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
        ($name:ident, $features:literal, $T:ty, $lanes:literal, $vectors:literal, $zero:ident, $set:ident,
         $load:ident, $fma:ident, $store:ident) => {
            /// # Safety
            /// The machine has the instruction set; every index lies inside the panel; `out` has `PANEL` values.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn $name(index: &[u32], values: &[$T], panel: &[$T], out: &mut [$T]) {
                let panel = panel.as_ptr();
                let mut group = 0;
                while group < PANEL {
                    let mut sums = [$zero(); $vectors];
                    for (&k, &a) in index.iter().zip(values) {
                        let a = $set(a);
                        for v in 0..$vectors {
                            // SAFETY: k lies inside the panel, group + lanes·v inside its row.
                            let b = unsafe { $load(panel.add(k as usize * PANEL + group + v * $lanes)) };
                            sums[v] = $fma(a, b, sums[v]);
                        }
                    }
                    for v in 0..$vectors {
                        // SAFETY: `out` has PANEL values.
                        unsafe { $store(out.as_mut_ptr().add(group + v * $lanes), sums[v]) };
                    }
                    group += $vectors * $lanes;
                }
            }
        };
    }

    // VECTORS registers of sums: as many as the panel has, or eight and several walks.
    kernel!(
        sparse_avx512_f32,
        "avx512f",
        f32,
        16,
        4,
        _mm512_setzero_ps,
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_fmadd_ps,
        _mm512_storeu_ps
    );
    kernel!(
        sparse_avx512_f64,
        "avx512f",
        f64,
        8,
        8,
        _mm512_setzero_pd,
        _mm512_set1_pd,
        _mm512_loadu_pd,
        _mm512_fmadd_pd,
        _mm512_storeu_pd
    );
    kernel!(
        sparse_avx2_f32,
        "avx2,fma",
        f32,
        8,
        8,
        _mm256_setzero_ps,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_fmadd_ps,
        _mm256_storeu_ps
    );
    kernel!(
        sparse_avx2_f64,
        "avx2,fma",
        f64,
        4,
        8,
        _mm256_setzero_pd,
        _mm256_set1_pd,
        _mm256_loadu_pd,
        _mm256_fmadd_pd,
        _mm256_storeu_pd
    );
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
            let values: Vec<f64> = index.iter().map(|&k: &u32| f64::from(k) / 8.0 - 1.0).collect();
            let values32: Vec<f32> = values.iter().map(|&x| x as f32).collect();
            let (mut out, mut out32) = ([f64::NAN; PANEL], [f32::NAN; PANEL]);
            sparse_dots_f64(&index, &values, &panel, &mut out);
            sparse_dots_f32(&index, &values32, &panel32, &mut out32);
            for c in 0..PANEL {
                let exact: f64 =
                    index.iter().zip(&values).map(|(&k, &a)| a * panel[k as usize * PANEL + c]).sum();
                assert_eq!(out[c], exact);
                assert_eq!(f64::from(out32[c]), exact);
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn an_index_outside_the_panel_is_refused() {
        sparse_dots_f64(&[3], &[1.0], &[0.0; 3 * PANEL], &mut [0.0; PANEL]);
    }
}
