//! Runs of equal places of one sequence and sixteen others at a time, one in each lane.

use super::multiversion;

/// Sequences compared at once.
pub(crate) const RUN_LANES: usize = 16;

/// Places whose sum has room in 32 bits: each adds at most d(d + 1) ≤ 1,056.
const STRETCH: usize = 1 << 20;

#[inline(always)]
fn body<const FMA: bool>(x: &[u32], y: &[[u32; RUN_LANES]], longest: u32) -> [u64; RUN_LANES] {
    let mut totals = [0; RUN_LANES];
    let mut run = [0_u32; RUN_LANES];
    let places = x.len().min(y.len());
    for (x, y) in x[..places].chunks(STRETCH).zip(y[..places].chunks(STRETCH)) {
        let mut sums = [0_u32; RUN_LANES];
        for (&x, y) in x.iter().zip(y) {
            for lane in 0..RUN_LANES {
                let longer = (run[lane] + 1).min(longest);
                run[lane] = if y[lane] == x { longer } else { 0 };
                sums[lane] += run[lane] * (2 * longest + 1 - run[lane]);
            }
        }
        for lane in 0..RUN_LANES {
            totals[lane] += u64::from(sums[lane]);
        }
    }
    totals
}

multiversion! {
    /// Σ 2(d − k + 1) over the common words of x and a lane of y at the same places, where k is the length of the word and
    /// d = `longest` that of the longest one counted. A code of a lane that is 0 matches nothing.
    ///
    /// A place at which c words end, those of lengths 1 to c, adds Σ_{k ≤ c} 2(d − k + 1) = c(2d + 1 − c).
    fn common_words(x: &[u32], y: &[[u32; RUN_LANES]], longest: u32) -> [u64; RUN_LANES] = body;
}
