//! The matrix product behind every dense Gram block: a packed strip of rows times a packed panel of columns.
//!
//! Each of the `STRIP × PANEL` results is one sum over the features in ascending order, whatever else is computed
//! beside it: a row of a Gram has the same bits in any block.

use super::{BASELINE_FMA, Level, PANEL, STRIP, fma_f32, fma_f64, level};

/// Outputs that [`read_f32`] computes at once.
pub(crate) const OUTPUTS: usize = 32;

/// Columns of a panel of [`dots_strided`].
pub(crate) const TALL: usize = 32;

macro_rules! product {
    ($(#[$doc:meta])* $name:ident, $T:ty, $fma:ident, $avx512:ident::<$v512:literal>, $avx2:ident::<$v2:literal>,
     rows $rows:expr, row step $row:expr, feature step $feature:expr, columns $columns:expr) => {
        $(#[$doc])*
        pub(crate) fn $name(depth: usize, strip: &[$T], panel: &[$T], out: &mut [$T]) {
            let last = ($rows - 1) * $row + depth.saturating_sub(1) * $feature;
            assert!(
                (depth == 0 || strip.len() > last)
                    && panel.len() >= depth * $columns
                    && out.len() >= $rows * $columns
            );
            #[cfg(target_arch = "x86_64")]
            {
                let (a, b, c) = (strip.as_ptr(), panel.as_ptr(), out.as_mut_ptr());
                match level() {
                    // SAFETY: the processor has the instruction set; the lengths were checked above.
                    Level::Avx512 => return unsafe {
                        x86::$avx512::<$rows, $row, $feature, $columns, $v512>(depth, a, [$row, $feature], b, c)
                    },
                    // SAFETY: as above.
                    Level::Avx2 => return unsafe {
                        x86::$avx2::<$rows, $row, $feature, $columns, $v2>(depth, a, [$row, $feature], b, c)
                    },
                    Level::Baseline => {}
                }
            }
            for r in 0..$rows {
                let mut sums = [0.0; $columns];
                for k in 0..depth {
                    let a = strip[k * $feature + r * $row];
                    for (sum, &b) in sums.iter_mut().zip(&panel[k * $columns..(k + 1) * $columns]) {
                        *sum = $fma::<BASELINE_FMA>(a, b, *sum);
                    }
                }
                out[r * $columns..(r + 1) * $columns].copy_from_slice(&sums);
            }
        }
    };
}

product!(
    /// `out[r][c] = Σₖ strip[k][r] · panel[k][c]` over `depth` features.
    dots_f32, f32, fma_f32, dots_avx512_f32::<4>, dots_avx2_f32::<2>,
    rows STRIP, row step 1, feature step STRIP, columns PANEL
);
product!(
    /// `out[r][c] = Σₖ strip[k][r] · panel[k][c]` over `depth` features.
    dots_f64, f64, fma_f64, dots_avx512_f64::<4>, dots_avx2_f64::<2>,
    rows STRIP, row step 1, feature step STRIP, columns PANEL
);
product!(
    /// `out[r][o] = Σₖ tile[r][k] · coefficients[k][o]` over `depth` columns of a tile with rows of [`PANEL`] values.
    read_f32, f32, fma_f32, dots_avx512_f32::<2>, dots_avx2_f32::<2>,
    rows STRIP, row step PANEL, feature step 1, columns OUTPUTS
);
product!(
    /// `out[o] = Σₖ row[k] · coefficients[k][o]` over `depth` values of one row of a tile: the bits of [`read_f32`].
    read_row_f32, f32, fma_f32, dots_avx512_f32::<2>, dots_avx2_f32::<4>,
    rows 1, row step PANEL, feature step 1, columns OUTPUTS
);

/// `out[r][c] = Σₖ strip[r·row + k·feature] · panel[k][c]` over `depth` features and [`TALL`] columns, for matrices that lie in
/// memory as they are: rows of a square one, rows or columns of a tall one.
pub(crate) fn dots_strided(
    depth: usize,
    strip: &[f64],
    [row, feature]: [usize; 2],
    panel: &[f64],
    out: &mut [f64],
) {
    let last = (STRIP - 1) * row + depth.saturating_sub(1) * feature;
    assert!((depth == 0 || strip.len() > last) && panel.len() >= depth * TALL && out.len() >= STRIP * TALL);
    #[cfg(target_arch = "x86_64")]
    {
        let (a, b, c, steps) = (strip.as_ptr(), panel.as_ptr(), out.as_mut_ptr(), [row, feature]);
        match level() {
            // SAFETY: the processor has the instruction set; the lengths were checked above.
            Level::Avx512 => {
                return unsafe { x86::dots_avx512_f64::<STRIP, 0, 0, TALL, 4>(depth, a, steps, b, c) };
            }
            // SAFETY: as above.
            Level::Avx2 => {
                return unsafe { x86::dots_avx2_f64::<STRIP, 0, 0, TALL, 2>(depth, a, steps, b, c) };
            }
            Level::Baseline => {}
        }
    }
    for r in 0..STRIP {
        let mut sums = [0.0; TALL];
        for k in 0..depth {
            let a = strip[k * feature + r * row];
            for (sum, &b) in sums.iter_mut().zip(&panel[k * TALL..(k + 1) * TALL]) {
                *sum = fma_f64::<BASELINE_FMA>(a, b, *sum);
            }
        }
        out[r * TALL..(r + 1) * TALL].copy_from_slice(&sums);
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    // ROWS rows × VECTORS registers of sums stay in registers over all features; the panel is walked once for
    // each group of VECTORS registers' worth of columns.
    macro_rules! kernel {
        ($name:ident, $features:literal, $T:ty, $vector:ty, $lanes:literal,
         $zero:ident, $set:ident, $load:ident, $fma:ident, $store:ident) => {
            /// # Safety
            /// The processor has the instruction set. The strip holds a value at r·ROW + k·FEATURE (where these are 0, by
            /// `steps` instead) for each of ROWS rows r and `depth` features k; the other pointers have `depth·COLUMNS` and
            /// `ROWS·COLUMNS` values. The values of VECTORS registers divide COLUMNS.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn $name<
                const ROWS: usize,
                const ROW: usize,
                const FEATURE: usize,
                const COLUMNS: usize,
                const VECTORS: usize,
            >(
                depth: usize,
                strip: *const $T,
                steps: [usize; 2],
                panel: *const $T,
                out: *mut $T,
            ) {
                let row = if ROW == 0 { steps[0] } else { ROW };
                let feature = if FEATURE == 0 { steps[1] } else { FEATURE };
                let mut group = 0;
                while group < COLUMNS {
                    let mut sums: [[$vector; VECTORS]; ROWS] = [[$zero(); VECTORS]; ROWS];
                    for k in 0..depth {
                        // SAFETY: k < depth and group + lanes·vectors ≤ COLUMNS.
                        unsafe {
                            let b = panel.add(k * COLUMNS + group);
                            let mut columns = [$zero(); VECTORS];
                            for v in 0..VECTORS {
                                columns[v] = $load(b.add(v * $lanes));
                            }
                            for r in 0..ROWS {
                                let a = $set(*strip.add(k * feature + r * row));
                                for v in 0..VECTORS {
                                    sums[r][v] = $fma(a, columns[v], sums[r][v]);
                                }
                            }
                        }
                    }
                    for r in 0..ROWS {
                        for v in 0..VECTORS {
                            // SAFETY: inside the ROWS × COLUMNS values of `out`.
                            unsafe { $store(out.add(r * COLUMNS + group + v * $lanes), sums[r][v]) };
                        }
                    }
                    group += $lanes * VECTORS;
                }
            }
        };
    }

    crate::simd::instruction_sets!(kernel: dots_avx512_f32, dots_avx512_f64, dots_avx2_f32, dots_avx2_f64);
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

    #[test]
    fn strided_products_equal_the_sum_written_out() {
        for (depth, steps) in [(0, [1, 1]), (1, [1, 40]), (5, [1, 32]), (37, [41, 1]), (64, [32, 1])] {
            let value = |i: usize| ((i * 37 % 101) as f64 - 50.0) / 16.0;
            let strip: Vec<f64> = (0..(STRIP - 1) * steps[0] + depth * steps[1] + 1).map(value).collect();
            let panel: Vec<f64> = (0..depth * TALL).map(|i| ((i * 53 % 97) as f64 - 48.0) / 32.0).collect();
            let mut out = vec![f64::NAN; STRIP * TALL];
            dots_strided(depth, &strip, steps, &panel, &mut out);
            for r in 0..STRIP {
                for c in 0..TALL {
                    let exact = |k: usize| strip[r * steps[0] + k * steps[1]] * panel[k * TALL + c];
                    assert_eq!(out[r * TALL + c], (0..depth).map(exact).sum::<f64>());
                }
            }
        }
    }

    #[test]
    fn reading_equals_the_sum_written_out() {
        for depth in [0, 1, 5, PANEL] {
            let tile: Vec<f32> = (0..STRIP * PANEL).map(|i| ((i * 37 % 101) as f32 - 50.0) / 16.0).collect();
            let coefficients: Vec<f32> =
                (0..depth * OUTPUTS).map(|i| ((i * 53 % 97) as f32 - 48.0) / 32.0).collect();
            let mut out = vec![f32::NAN; STRIP * OUTPUTS];
            read_f32(depth, &tile, &coefficients, &mut out);
            for r in 0..STRIP {
                for o in 0..OUTPUTS {
                    let exact = |k: usize| tile[r * PANEL + k] * coefficients[k * OUTPUTS + o];
                    assert_eq!(out[r * OUTPUTS + o], (0..depth).map(exact).sum::<f32>());
                }
                let mut alone = [f32::NAN; OUTPUTS];
                read_row_f32(depth, &tile[r * PANEL..], &coefficients, &mut alone);
                assert_eq!(alone, out[r * OUTPUTS..(r + 1) * OUTPUTS]);
            }
        }
    }
}
