//! The matrix product behind every dense Gram block: a packed strip of rows times a packed panel of columns.
//!
//! Each of the `STRIP × PANEL` results is one sum over the features in ascending order, whatever else is computed
//! beside it: a row of a Gram has the same bits in any block.

use super::{BASELINE_FMA, Level, PANEL, STRIP, fma_f32, fma_f64, level};

macro_rules! product {
    ($name:ident, $T:ty, $fma:ident, $avx512:ident, $avx2:ident) => {
        /// `out[r][c] = Σₖ strip[k][r] · panel[k][c]` over `depth` features.
        pub(crate) fn $name(depth: usize, strip: &[$T], panel: &[$T], out: &mut [$T]) {
            assert!(
                strip.len() >= depth * STRIP && panel.len() >= depth * PANEL && out.len() >= STRIP * PANEL
            );
            #[cfg(target_arch = "x86_64")]
            match level() {
                // SAFETY: the instruction set is there; the lengths were checked above.
                Level::Avx512 => {
                    return unsafe { x86::$avx512(depth, strip.as_ptr(), panel.as_ptr(), out.as_mut_ptr()) }
                }
                // SAFETY: as above.
                Level::Avx2 => {
                    return unsafe { x86::$avx2(depth, strip.as_ptr(), panel.as_ptr(), out.as_mut_ptr()) }
                }
                Level::Baseline => {}
            }
            for r in 0..STRIP {
                let mut sums = [0.0; PANEL];
                for k in 0..depth {
                    let a = strip[k * STRIP + r];
                    for (sum, &b) in sums.iter_mut().zip(&panel[k * PANEL..(k + 1) * PANEL]) {
                        *sum = $fma::<BASELINE_FMA>(a, b, *sum);
                    }
                }
                out[r * PANEL..(r + 1) * PANEL].copy_from_slice(&sums);
            }
        }
    };
}

product!(dots_f32, f32, fma_f32, dots_avx512_f32, dots_avx2_f32);
product!(dots_f64, f64, fma_f64, dots_avx512_f64, dots_avx2_f64);

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{PANEL, STRIP};
    use std::arch::x86_64::*;

    // STRIP rows × VECTORS registers of sums stay in registers over all features; the panel is walked once for
    // each group of VECTORS registers' worth of columns.
    macro_rules! kernel {
        ($name:ident, $features:literal, $T:ty, $vector:ty, $lanes:literal, $vectors:literal,
         $zero:ident, $set:ident, $load:ident, $fma:ident, $store:ident) => {
            /// # Safety
            /// The machine has the instruction set; the pointers hold `depth·STRIP`, `depth·PANEL` and
            /// `STRIP·PANEL` values.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn $name(depth: usize, strip: *const $T, panel: *const $T, out: *mut $T) {
                let mut group = 0;
                while group < PANEL {
                    let mut sums: [[$vector; $vectors]; STRIP] = [[$zero(); $vectors]; STRIP];
                    for k in 0..depth {
                        // SAFETY: k < depth and group + lanes·vectors ≤ PANEL.
                        unsafe {
                            let b = panel.add(k * PANEL + group);
                            let mut columns = [$zero(); $vectors];
                            for v in 0..$vectors {
                                columns[v] = $load(b.add(v * $lanes));
                            }
                            for r in 0..STRIP {
                                let a = $set(*strip.add(k * STRIP + r));
                                for v in 0..$vectors {
                                    sums[r][v] = $fma(a, columns[v], sums[r][v]);
                                }
                            }
                        }
                    }
                    for r in 0..STRIP {
                        for v in 0..$vectors {
                            // SAFETY: inside the STRIP × PANEL values of `out`.
                            unsafe { $store(out.add(r * PANEL + group + v * $lanes), sums[r][v]) };
                        }
                    }
                    group += $lanes * $vectors;
                }
            }
        };
    }

    kernel!(
        dots_avx512_f32,
        "avx512f",
        f32,
        __m512,
        16,
        4,
        _mm512_setzero_ps,
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_fmadd_ps,
        _mm512_storeu_ps
    );
    kernel!(
        dots_avx512_f64,
        "avx512f",
        f64,
        __m512d,
        8,
        4,
        _mm512_setzero_pd,
        _mm512_set1_pd,
        _mm512_loadu_pd,
        _mm512_fmadd_pd,
        _mm512_storeu_pd
    );
    kernel!(
        dots_avx2_f32,
        "avx2,fma",
        f32,
        __m256,
        8,
        2,
        _mm256_setzero_ps,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_fmadd_ps,
        _mm256_storeu_ps
    );
    kernel!(
        dots_avx2_f64,
        "avx2,fma",
        f64,
        __m256d,
        4,
        2,
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
        for depth in [0, 1, 2, 7, 123] {
            let strip: Vec<f64> = (0..depth * STRIP).map(|i| ((i * 37 % 101) as f64 - 50.0) / 16.0).collect();
            let panel: Vec<f64> = (0..depth * PANEL).map(|i| ((i * 53 % 97) as f64 - 48.0) / 32.0).collect();
            let mut out = vec![f64::NAN; STRIP * PANEL];
            dots_f64(depth, &strip, &panel, &mut out);
            let narrow = |v: &[f64]| v.iter().map(|&x| x as f32).collect::<Vec<_>>();
            let mut out32 = vec![f32::NAN; STRIP * PANEL];
            dots_f32(depth, &narrow(&strip), &narrow(&panel), &mut out32);
            for r in 0..STRIP {
                for c in 0..PANEL {
                    // Every product is a multiple of 1/512 and below 2¹²: both sums are exact.
                    let exact: f64 = (0..depth).map(|k| strip[k * STRIP + r] * panel[k * PANEL + c]).sum();
                    assert_eq!(out[r * PANEL + c], exact);
                    assert_eq!(f64::from(out32[r * PANEL + c]), exact);
                }
            }
        }
    }
}
