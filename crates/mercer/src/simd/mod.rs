//! The only unsafe code of the crate: vector instructions, chosen at run time.
//!
//! Loops over plain slices are written once, as ordinary Rust, and compiled three times by `multiversion!`: for
//! AVX-512, for AVX2 with FMA, and for the baseline of the target. Only the two products ([`gemm`], [`sparse`])
//! are written with intrinsics.
#![expect(unsafe_code, reason = "vector instructions are unsafe to call; each use says why it is sound")]

mod exp;
mod gemm;
mod lanes;
mod lines;
mod memory;
mod nearest;
mod readout;
mod rows;
mod runs;
mod sparse;
mod spmm;
mod subsequence;
mod update;
mod vectors;

pub(crate) use exp::{exp_f32, exp_f64, gaussian_f32, gaussian_f64};
pub(crate) use gemm::{OUTPUTS, TALL, dots_f32, dots_f64, dots_strided, read_f32, read_row_f32};
pub(crate) use lanes::{Lanes, ROWS as LANES_ROWS, lanes_add, lanes_add_f32, lanes_dot, lanes_dot_f32};
pub(crate) use lines::{LINE, nearest_shares};
pub(crate) use memory::{Aligned, expect, fence, huge_vec, huge_zeros, stream};
pub use memory::{keep_little_freed_memory, return_freed_memory};
pub(crate) use nearest::{CHUNK, chunk_minima_f32, chunk_minima_f64, keep_nearer, shrink_distances};
pub(crate) use readout::{add_f64, add_strip, add_widened, readout};
pub(crate) use rows::{
    DenseBlock, Pass, SparseBlock, dense_pass_f32, dense_pass_f64, sparse_pass_f32, sparse_pass_f64,
};
pub(crate) use runs::{RUN_LANES, common_words};
pub(crate) use sparse::{SparseRow, SparseRows, sparse_dots_f32, sparse_dots_f64};
pub(crate) use spmm::sparse_row_times;
pub(crate) use subsequence::{MAX_SUBSEQUENCE, SUBSEQUENCE_LANES, subsequences};
pub(crate) use update::{
    LANES, MIN_CURVATURE, accumulate, accumulate_f64, accumulate_one, accumulate_one_f64, accumulate_tile,
    best_pair, step,
};
pub(crate) use vectors::{add_scaled, inner_product};

use std::sync::OnceLock;

/// Columns of a packed panel: the panel is stored feature after feature, `PANEL` values each.
pub(crate) const PANEL: usize = 64;
/// Rows of a packed strip: stored feature after feature, `STRIP` values each.
pub(crate) const STRIP: usize = 6;

/// The instruction sets there is code for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Whatever the target guarantees.
    Baseline,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 F, BW, DQ and VL.
    Avx512,
}

/// The best level that this processor has; `MERCER_SIMD=baseline|avx2` lowers it (for tests and for chasing bugs).
pub(crate) fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        let best = detect();
        match std::env::var("MERCER_SIMD").as_deref() {
            Ok("baseline") => Level::Baseline,
            Ok("avx2") => best.min(Level::Avx2),
            _ => best,
        }
    })
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Level {
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    match (avx2, avx512) {
        (true, true) => Level::Avx512,
        (true, false) => Level::Avx2,
        _ => Level::Baseline,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Level {
    Level::Baseline
}

/// Whether the baseline of the target has a fused multiply-add (else `mul_add` would call a library function).
pub(crate) const BASELINE_FMA: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

/// a·b + c, fused where the instruction exists.
#[inline(always)]
pub(crate) fn fma_f32<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// a·b + c, fused where the instruction exists.
#[inline(always)]
pub(crate) fn fma_f64<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// Calls `kernel!` for AVX-512 and AVX2 and both precisions: with the name given, the instruction set, the types of number and
/// register, the numbers in a register, and the operations zero, set, load, multiply-add and store.
#[cfg(target_arch = "x86_64")]
macro_rules! instruction_sets {
    ($kernel:ident: $avx512_f32:ident, $avx512_f64:ident, $avx2_f32:ident, $avx2_f64:ident) => {
        $kernel! { $avx512_f32, "avx512f", f32, __m512, 16,
        _mm512_setzero_ps, _mm512_set1_ps, _mm512_loadu_ps, _mm512_fmadd_ps, _mm512_storeu_ps }
        $kernel! { $avx512_f64, "avx512f", f64, __m512d, 8,
        _mm512_setzero_pd, _mm512_set1_pd, _mm512_loadu_pd, _mm512_fmadd_pd, _mm512_storeu_pd }
        $kernel! { $avx2_f32, "avx2,fma", f32, __m256, 8,
        _mm256_setzero_ps, _mm256_set1_ps, _mm256_loadu_ps, _mm256_fmadd_ps, _mm256_storeu_ps }
        $kernel! { $avx2_f64, "avx2,fma", f64, __m256d, 4,
        _mm256_setzero_pd, _mm256_set1_pd, _mm256_loadu_pd, _mm256_fmadd_pd, _mm256_storeu_pd }
    };
}
#[cfg(target_arch = "x86_64")]
use instruction_sets;

/// Compiles `body::<FMA>` for each level and calls the best: `fn name(args) -> ret = body;`
macro_rules! multiversion {
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:ident;) => {
        $(#[$doc])*
        pub(crate) fn $name($($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
                fn avx512($($arg: $ty),*) $(-> $ret)? {
                    $body::<true>($($arg),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($arg: $ty),*) $(-> $ret)? {
                    $body::<true>($($arg),*)
                }
                match $crate::simd::level() {
                    // SAFETY: `level` found that this processor has these instruction sets.
                    $crate::simd::Level::Avx512 => return unsafe { avx512($($arg),*) },
                    // SAFETY: as above.
                    $crate::simd::Level::Avx2 => return unsafe { avx2($($arg),*) },
                    $crate::simd::Level::Baseline => {}
                }
            }
            $body::<{ $crate::simd::BASELINE_FMA }>($($arg),*)
        }
    };
}
pub(crate) use multiversion;
