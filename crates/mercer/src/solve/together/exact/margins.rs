//! The losses with margins: a quadratic programme, solved face by face.
//!
//! A point's coefficients sum to zero, and each has an interval. Those strictly inside are free: one of them, the
//! reference r, takes up what the others give, so that the face is spanned by the directions e_r − e_c of a point. The
//! slope along one is G_r − G_c with G_c = F_c − \[c = y\], and the second derivatives are
//! M = kᵢⱼ ⟨e_r − e_c, e_r′ − e_c′⟩. On the face the optimum is where Mδ = −slopes. Where somebody would leave its
//! interval, all go as far as they may together; who is at its end then stays there, and the system of the others is
//! solved. So a face is left for a smaller one, until its optimum is inside.
//!
//! M is singular where points are repeated or there are more of them than features. It is solved with a little more on the
//! diagonal, and again for what that leaves over. The step is then still one of descent. Where the objective falls
//! without end along directions that M does not see, it is so long that it ends at a bound.

use super::{Dense, Point};
use crate::linalg::Saddle;

/// What is added to the diagonal, of its mean.
const REGULAR: f64 = 1e-11;
/// Times a system is solved for what the last time left over, at most.
const REFINEMENTS: usize = 40;
/// Refinement goes on while it leaves less than this share.
const BETTER: f64 = 0.9;
/// A coefficient this near to an end, in shares of cᵢ, is there.
const AT_END: f64 = 1e-14;

/// Goes to the optimum of the face that the coefficients are on, or of one of its own faces where it leaves that. Returns
/// the largest slope that is left; none where it takes too much.
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
struct Free {
    point: usize,
    class: usize,
    reference: usize,
}

struct Face {
    free: Vec<Free>,
}

impl Face {
    /// The face that the coefficients are on, who is next to an end being put there.
    fn new(dense: &mut Dense<'_>, interval: &impl Fn(Point, usize) -> (f64, f64)) -> Self {
        let k = dense.problem.classes;
        let mut free = Vec::new();
        for i in 0..dense.points {
            let (point, own) = (dense.problem.point(i), &mut dense.beta[i * k..(i + 1) * k]);
            let near = AT_END * point.c;
            for (c, b) in own.iter_mut().enumerate() {
                let (low, high) = interval(point, c);
                *b = if *b <= low + near { low } else { *b };
                *b = if *b >= high - near { high } else { *b };
            }
            let Some(reference) = reference(point, own, interval) else { continue };
            let others: f64 = own.iter().enumerate().filter(|(c, _)| *c != reference).map(|(_, b)| b).sum();
            let (low, high) = interval(point, reference);
            // Not −others: a zero has no sign.
            own[reference] = (0.0 - others).clamp(low, high);
            let inside = (0..k).filter(|&c| c != reference && is_inside(own[c], interval(point, c)));
            free.extend(inside.map(|class| Free { point: i, class, reference }));
        }
        Self { free }
    }

    /// M, in factors.
    fn factors(&self, dense: &Dense<'_>) -> Saddle {
        let entry = |v: &Free, w: &Free| {
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
        let slope = |v: &Free| {
            let own = dense.point(v.point).class;
            let g = |c: usize| dense.score(v.point, c) - f64::from(u8::from(c == own));
            g(v.reference) - g(v.class)
        };
        self.free.iter().map(slope).collect()
    }

    /// Goes to the optimum of the face. Returns the largest slope left, or nothing of it where an end was met first; none
    /// where it takes too much.
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
            // Better than the last time, or that was the best; no number is never better.
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

    /// Goes along δ, all the way if everybody stays inside its interval. Otherwise as far as they may, and who is at its
    /// end has the end's own bits.
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
        for ((&at, own), end) in moving.iter().zip(shares).zip(ends) {
            let blocked = share <= 1.0 && own <= share;
            dense.beta[at] = if blocked { end } else { dense.beta[at] + share.min(1.0) * change[at] };
        }
        share > 1.0
    }
}

fn is_inside(b: f64, (low, high): (f64, f64)) -> bool {
    low < b && b < high
}

/// The coefficient that takes up what the others of the point give: that of its class if it is free, or else the free one
/// with most.
fn reference(point: Point, own: &[f64], interval: &impl Fn(Point, usize) -> (f64, f64)) -> Option<usize> {
    let inside = |c: &usize| is_inside(own[*c], interval(point, *c));
    if inside(&point.class) {
        return Some(point.class);
    }
    (0..own.len()).filter(inside).min_by(|&a, &b| own[a].total_cmp(&own[b]))
}
