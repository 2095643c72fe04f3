//! The gap-weighted subsequence kernel: letters in common in the same order, with gaps between them.
//!
//! $k(s, t) = Σ_u φ_u(s) φ_u(t)$ over all sequences u of p units, φ_u(s) = Σ λ^(span of i) over all places i₁ < … < i_p of s that
//! spell u, where the span i_p − i₁ + 1 counts the matched units and the gaps between them. An inner product of features, and so
//! positive semi-definite. With [`Lengths::All`] the sum is over all u of 1 to p units.
//!
//! The recursion of [`subsequences`] divides by λ² for each matched unit, so that k(s, s) of a text of p units or more is at least 1
//! before the factor λ^(2p) and does not underflow, however long the text; λ^gaps that underflows belongs to a match too far apart to
//! count. Where k(s, s) is too large for single precision (λ near 1 and long texts) the text is refused.
//!
//! Cost: O(p |s| |t|), eight texts t at a time. Values are sums of positive terms in double precision, right to about
//! |s| + |t| units in the last place.
//!
//! H. Lodhi, C. Saunders, J. Shawe-Taylor, N. Cristianini, C. Watkins (2002): Text classification using string kernels.

use super::pairs::Comparison;
use crate::simd::{SUBSEQUENCE_LANES, subsequences};

/// Nanoseconds of a pair of places and a length.
const PAIR: f64 = 0.15;

/// Which lengths of subsequences count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Lengths {
    /// Length p only.
    #[default]
    Exact,
    /// Lengths 1 to p.
    All,
}

/// The lengths with their names in a text, the default first.
pub(super) const LENGTHS: &[(&str, Lengths)] = &[("exact", Lengths::Exact), ("all", Lengths::All)];

/// The least λ^(2p): k(s, s) stays a normal number of double precision.
pub(super) const LEAST: f64 = 1e-300;

pub(super) struct Subsequence {
    lambda: f64,
    /// λ^(2q) of each length q from 1, 0 for those that do not count.
    weights: Vec<f64>,
}

impl Subsequence {
    pub(super) fn new(p: u32, lambda: f64, lengths: Lengths) -> Self {
        let weight = |q: u32| if q == p || lengths == Lengths::All { lambda.powi(2 * q as i32) } else { 0.0 };
        Self { lambda, weights: (1..=p).map(weight).collect() }
    }
}

impl Comparison<SUBSEQUENCE_LANES> for Subsequence {
    type Scratch = Vec<[f64; SUBSEQUENCE_LANES]>;

    fn values(
        &self,
        x: &[u32],
        y: &[[u32; SUBSEQUENCE_LANES]],
        scratch: &mut Self::Scratch,
    ) -> [f64; SUBSEQUENCE_LANES] {
        subsequences(x, y, self.lambda, &self.weights, scratch)
    }

    fn cost(&self, length: f64) -> f64 {
        1.0 + PAIR * length * length * self.weights.len() as f64
    }
}
