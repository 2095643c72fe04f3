//! The exact solution for the losses with margins: a quadratic programme, solved face by face.
//!
//! The coefficients of a point sum to zero, and each has an interval. Those strictly inside are free. One of them, the
//! reference r, is determined by the others, so that the face is spanned by the directions e_r − e_c of each point. The
//! slope along such a direction is G_r − G_c with G_c = F_c − \[c = y\], and the second derivatives are
//! M = kᵢⱼ ⟨e_r − e_c, e_r′ − e_c′⟩. The optimum on the face is where Mδ = −slopes. If a coefficient would leave its
//! interval, all move along δ until the first reaches an end; it stays there, and the system of the others is solved. So
//! faces become smaller until the optimum of the face is inside.
//!
//! M is singular if points are repeated, or for a linear kernel if there are more of them than features. A small number is
//! therefore added to its diagonal, and the error that this makes is removed by iterative refinement. The step is a descent
//! direction all the same. Along directions in which the objective is linear, the step is so long that it ends at a bound.

use super::{Dense, Point};
use crate::linalg::Saddle;

/// The number that is added to the diagonal, as a share of its mean.
const REGULAR: f64 = 1e-11;
/// The most rounds of iterative refinement.
const REFINEMENTS: usize = 40;
/// Refinement goes on as long as a round reduces the slopes to less than this share.
const BETTER: f64 = 0.9;
/// A coefficient this near to an end of its interval, as a share of cᵢ, is moved to the end.
const AT_END: f64 = 1e-14;

/// Moves the coefficients to the optimum of their face, or of a smaller face on the way. Returns the largest slope that is
/// left; `None` if that takes too much time.
pub(in super::super) fn settle(
    dense: &mut Dense<'_>,
    interval: impl Fn(Point, usize) -> (f64, f64),
) -> Option<f64> {
    loop {
        let face = Face::new(dense, &interval);
        dense.rescore()?;
        if face.free.is_empty() {
            return Some(0.0);
        }
        dense.begin_system(face.free.len())?;
        if let Some(left) = face.refine(dense, &interval)? {
            return Some(left);
        }
    }
}

/// A direction e_r − e_c of a point.
struct Direction {
    point: usize,
    class: usize,
    reference: usize,
}

/// The face of the bounds on which the coefficients lie, by the directions that span it.
struct Face {
    free: Vec<Direction>,
}

impl Face {
    /// The face on which the coefficients lie; coefficients that are nearly at an end are moved there.
    fn new(dense: &mut Dense<'_>, interval: &impl Fn(Point, usize) -> (f64, f64)) -> Self {
        let k = dense.problem.classes;
        let mut free = Vec::new();
        for i in 0..dense.points {
            let (point, beta) = (dense.problem.point(i), &mut dense.beta[i * k..(i + 1) * k]);
            let near = AT_END * point.c;
            for (c, b) in beta.iter_mut().enumerate() {
                let (low, high) = interval(point, c);
                *b = if *b <= low + near { low } else { *b };
                *b = if *b >= high - near { high } else { *b };
            }
            let Some(reference) = reference(point, beta, interval) else { continue };
            let others: f64 = beta.iter().enumerate().filter(|(c, _)| *c != reference).map(|(_, b)| b).sum();
            let (low, high) = interval(point, reference);
            // Not −others, which would be −0 for a zero.
            beta[reference] = (0.0 - others).clamp(low, high);
            let inside = (0..k).filter(|&c| c != reference && is_inside(beta[c], interval(point, c)));
            free.extend(inside.map(|class| Direction { point: i, class, reference }));
        }
        Self { free }
    }

    /// The factors of M.
    fn factors(&self, dense: &Dense<'_>) -> Saddle {
        let entry = |v: &Direction, w: &Direction| {
            let same = |a: usize, b: usize| f64::from(u8::from(a == b));
            let inner = same(v.reference, w.reference) + same(v.class, w.class)
                - same(v.reference, w.class)
                - same(v.class, w.reference);
            if inner == 0.0 { 0.0 } else { inner * dense.row(v.point)[w.point] }
        };
        let n = self.free.len();
        let mean = self.free.iter().map(|v| entry(v, v)).sum::<f64>() / n as f64;
        let regular = (REGULAR * mean).max(f64::MIN_POSITIVE);
        Saddle::new(n, |i, j| entry(&self.free[i], &self.free[j]) + if i == j { regular } else { 0.0 })
    }

    fn slopes(&self, dense: &Dense<'_>) -> Vec<f64> {
        let slope = |v: &Direction| {
            let class = dense.point(v.point).class;
            let g = |c: usize| dense.score(v.point, c) - f64::from(u8::from(c == class));
            g(v.reference) - g(v.class)
        };
        self.free.iter().map(slope).collect()
    }

    /// Moves the coefficients to the optimum of the face. Returns the largest slope left, or `Some(None)` if a coefficient
    /// has reached an end of its interval first; `None` if that takes too much time.
    fn refine(
        &self,
        dense: &mut Dense<'_>,
        interval: &impl Fn(Point, usize) -> (f64, f64),
    ) -> Option<Option<f64>> {
        let factors = self.factors(dense);
        let (mut last, mut kept) = (f64::INFINITY, dense.beta.clone());
        for _ in 0..REFINEMENTS {
            let mut delta = self.slopes(dense);
            let left = delta.iter().fold(0.0, |a: f64, s| a.max(s.abs()));
            // NaN is never better.
            let better = left < BETTER * last;
            if left < last {
                last = left;
                kept.clone_from(&dense.beta);
            }
            if !better || left == 0.0 {
                break;
            }
            delta.iter_mut().for_each(|s| *s = -*s);
            factors.solve(&mut delta);
            dense.spend(self.free.len().pow(2))?;
            if !self.go(dense, &delta, interval) {
                return Some(None);
            }
            dense.rescore()?;
        }
        dense.beta = kept;
        dense.rescore()?;
        Some(Some(last))
    }

    /// Moves the coefficients along δ. Returns whether all stay inside their intervals. If not, they move until the first
    /// reaches an end, and a coefficient at an end gets the bits of the end.
    fn go(
        &self,
        dense: &mut Dense<'_>,
        delta: &[f64],
        interval: &impl Fn(Point, usize) -> (f64, f64),
    ) -> bool {
        let k = dense.problem.classes;
        let mut change = vec![0.0; dense.beta.len()];
        for (v, d) in self.free.iter().zip(delta) {
            change[v.point * k + v.class] -= d;
            change[v.point * k + v.reference] += d;
        }
        let end = |at: usize| {
            let (low, high) = interval(dense.problem.point(at / k), at % k);
            if change[at] > 0.0 { high } else { low }
        };
        let moving: Vec<usize> = (0..change.len()).filter(|&at| change[at] != 0.0).collect();
        let shares: Vec<f64> = moving.iter().map(|&at| (end(at) - dense.beta[at]) / change[at]).collect();
        let share = shares.iter().copied().fold(f64::INFINITY, f64::min).max(0.0);
        let ends: Vec<f64> = moving.iter().map(|&at| end(at)).collect();
        for ((&at, reach), end) in moving.iter().zip(shares).zip(ends) {
            let blocked = share <= 1.0 && reach <= share;
            dense.beta[at] = if blocked { end } else { dense.beta[at] + share.min(1.0) * change[at] };
        }
        share > 1.0
    }
}

fn is_inside(b: f64, (low, high): (f64, f64)) -> bool {
    low < b && b < high
}

/// The coefficient that is determined by the others of the point: that of its class if it is free, else the smallest free
/// one.
fn reference(point: Point, beta: &[f64], interval: &impl Fn(Point, usize) -> (f64, f64)) -> Option<usize> {
    let inside = |c: &usize| is_inside(beta[*c], interval(point, *c));
    if inside(&point.class) {
        return Some(point.class);
    }
    (0..beta.len()).filter(inside).min_by(|&a, &b| beta[a].total_cmp(&beta[b]))
}
