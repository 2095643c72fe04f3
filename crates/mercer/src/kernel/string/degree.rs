//! The weighted degree kernel: common words at the same places, or at places near to each other.
//!
//! $k(s, t) = Σ_{k=1..d} β_k Σ_{|h| ≤ shift} δ_h Σ_l [s[l+h : l+h+k] = t[l : l+k]]$, β_k = 2(d−k+1)/(d(d+1)), δ_0 = 1 and
//! δ_h = 1/(2(|h|+1)),
//!
//! over all places l at which both texts have a word of k units: of texts of different lengths the longer one is compared as far as
//! the shorter goes, and a shift further.
//!
//! It is positive semi-definite. With φ(l, u) = 1 where s has the word u at place l, each length adds β_k Σ_u φ_uᵀ(s) D φ_u(t), D
//! the Toeplitz matrix of δ. Its symbol 1 + Σ_{h=1..shift} cos(hθ)/(h+1) is at least ½, as
//! ½ + Σ_{h=1..n} cos(hθ)/(h+1) ≥ 0 for all n (W. Rogosinski, G. Szegő 1928: Über die Abschnitte von Potenzreihen, die in einem
//! Kreise beschränkt bleiben).
//!
//! Cost: O(l (2 shift + 1)) for texts of l units, whatever d is: a run of r equal places has r−k+1 common words of length k.
//!
//! G. Rätsch, S. Sonnenburg (2004): Accurate splice site prediction for Caenorhabditis elegans. G. Rätsch, S. Sonnenburg,
//! B. Schölkopf (2005): RASE: recognition of alternatively spliced exons in C. elegans.

use super::pairs::Comparison;
use crate::simd::{RUN_LANES, common_words};

/// Nanoseconds of a place and shift.
const PLACE: f64 = 0.15;

pub(super) struct Degree {
    /// d
    pub(super) longest: u32,
    pub(super) shift: u32,
}

impl Comparison<RUN_LANES> for Degree {
    type Scratch = ();

    fn values(&self, x: &[u32], y: &[[u32; RUN_LANES]], _scratch: &mut ()) -> [f64; RUN_LANES] {
        let d = self.longest;
        let mut sums = common_words(x, y, d).map(|words| words as f64);
        for h in 1..=self.shift as usize {
            let weight = 0.5 / (h as f64 + 1.0);
            let forward = common_words(x.get(h..).unwrap_or_default(), y, d);
            let backward = common_words(x, y.get(h..).unwrap_or_default(), d);
            for lane in 0..RUN_LANES {
                // Whole numbers are added first: k(s, t) and k(t, s) have the same bits.
                sums[lane] += weight * (forward[lane] + backward[lane]) as f64;
            }
        }
        let scale = f64::from(d * (d + 1));
        sums.map(|sum| sum / scale)
    }

    fn cost(&self, length: f64) -> f64 {
        1.0 + PLACE * length * f64::from(2 * self.shift + 1)
    }
}
