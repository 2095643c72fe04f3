//! k-medoids in the feature space of a kernel: centres that are points, for spaces whose points have no mean.
//!
//! Minimise Σᵢ wᵢ minⱼ d²(xᵢ, cⱼ) over choices of m points c, with d²(x, c) = k(x, x) − 2k(x, c) + k(c, c). The start is that
//! of k-means++; then each medoid becomes the point of its cluster that is nearest to the cluster's mean, as long as the
//! medoids change. A kernel that is not positive semi-definite can have d² < 0, which counts as 0; the sum need not fall
//! then, and the rounds end it.
//!
//! Cost: n·m kernel values for the start and for each round, and the sum of the squared sizes of all clusters.

use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::data::SplitMix;
use crate::error::{DataProblem, ErrorKind, Result};
use crate::gram::Gram;
use crate::linalg::Tick;

/// Squared distances below this part of k(x, x) + k(c, c) are rounding errors of two points that are the same.
const SAME: f64 = 1e-12;

/// Rows of kernel values computed at once.
const BATCH: usize = 16;

/// The cluster of each point and its squared distance to the cluster's medoid.
struct Nearest {
    cluster: Vec<usize>,
    squares: Vec<f64>,
}

impl Nearest {
    fn new(n: usize) -> Self {
        Self { cluster: vec![0; n], squares: vec![f64::INFINITY; n] }
    }

    /// Compares all points with some medoids, the first of which has number `first`.
    fn compare(&mut self, gram: &dyn Gram, medoids: &[usize], first: usize) -> Result<()> {
        let (n, diagonal) = (gram.len(), gram.diagonal());
        for (batch, medoids) in medoids.chunks(BATCH).enumerate() {
            let mut rows = vec![0.0; n * medoids.len()];
            gram.rows_f64(medoids, &mut rows.chunks_mut(n).collect::<Vec<_>>());
            for (r, (row, &c)) in rows.chunks(n).zip(medoids).enumerate() {
                for (i, &k) in row.iter().enumerate() {
                    if !k.is_finite() {
                        let problem = DataProblem::KernelNotFinite { row: c + 1, column: i + 1 };
                        return Err(ErrorKind::Data(problem).into());
                    }
                    let (ends, square) = (diagonal[i] + diagonal[c], diagonal[i] + diagonal[c] - 2.0 * k);
                    let square = if square <= SAME * ends.abs() { 0.0 } else { square };
                    if square < self.squares[i] {
                        (self.squares[i], self.cluster[i]) = (square, first + batch * BATCH + r);
                    }
                }
            }
        }
        Ok(())
    }
}

/// At most `count` medoids, ascending, after at most `rounds` rounds; fewer where fewer points differ.
///
/// # Errors
/// If a kernel value is not finite, or `tick` breaks.
pub(crate) fn k_medoids(
    gram: &dyn Gram,
    weights: &[f64],
    count: usize,
    rounds: usize,
    seed: u64,
    tick: Tick<'_>,
) -> Result<Vec<usize>> {
    let mut random = SplitMix(seed);
    let (mut medoids, mut nearest) = (Vec::new(), Nearest::new(gram.len()));
    let mut shares = weights.to_vec();
    while medoids.len() < count {
        let Some(i) = draw(&shares, random.uniform()) else { break };
        nearest.compare(gram, &[i], medoids.len())?;
        medoids.push(i);
        shares = nearest.squares.iter().zip(weights).map(|(square, w)| square * w).collect();
        told(tick, medoids.len() as f64 / (count * (rounds + 1)) as f64)?;
    }
    for round in 0..rounds {
        let moved = centered(gram, weights, &medoids, &nearest);
        if moved == medoids {
            break;
        }
        medoids = moved;
        nearest = Nearest::new(gram.len());
        nearest.compare(gram, &medoids, 0)?;
        told(tick, (round + 2) as f64 / (rounds + 1) as f64)?;
    }
    medoids.sort_unstable();
    Ok(medoids)
}

fn told(tick: Tick<'_>, done: f64) -> Result<()> {
    match tick(done) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(ErrorKind::Interrupted.into()),
    }
}

/// For each cluster the point nearest to its mean; of equal ones the medoid it has, else the first.
fn centered(gram: &dyn Gram, weights: &[f64], medoids: &[usize], nearest: &Nearest) -> Vec<usize> {
    let mut members = vec![Vec::new(); medoids.len()];
    nearest.cluster.iter().enumerate().for_each(|(i, &c)| members[c].push(i));
    let center = |(members, &medoid): (&Vec<usize>, &usize)| {
        if members.len() < 3 {
            // Of two points each is as near to the mean as the other, unless one weighs more.
            let heaviest = |a: &usize, &b: &usize| if weights[b] > weights[*a] { b } else { *a };
            return members.iter().fold(medoid, |best, i| heaviest(&best, i));
        }
        let part = gram.restrict(members);
        let own: Vec<f64> = members.iter().map(|&i| weights[i]).collect();
        let (total, mut sums) = (own.iter().sum::<f64>(), vec![0.0; members.len()]);
        part.accumulate(&(0..members.len()).collect::<Vec<_>>(), &own, &mut sums);
        let score = |at: usize| part.diagonal()[at] - 2.0 * sums[at] / total;
        let start = members.iter().position(|&i| i == medoid).unwrap_or(0);
        let best = (0..members.len()).fold(start, |best, at| if score(at) < score(best) { at } else { best });
        members[best]
    };
    members.par_iter().zip(medoids).map(center).collect()
}

/// A point drawn in proportion to its share, by a number from 0 to 1; none where all are zero.
fn draw(shares: &[f64], uniform: f64) -> Option<usize> {
    let mut left = uniform * shares.iter().sum::<f64>();
    let mut last = None;
    for (i, &share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        last = Some(i);
        if left < share {
            break;
        }
        left -= share;
    }
    last
}
