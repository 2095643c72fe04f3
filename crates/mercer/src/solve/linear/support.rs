//! The model of a step with a penalty on absolute values, solved on the weights that are not 0 by a factor of its matrix.
//!
//! Coordinate descent finds within a few passes which weights are not 0, and then needs very many where columns nearly depend on each
//! other, as those of one-hot features and a constant do. With the signs held, the smallest of gᵀd + ½dᵀHd + Σ |w_j + d_j| over
//! these weights is a linear system. Weights that would change their sign on the way there become 0, all of them where the model falls
//! by that, else only the first, at which the way ends; then the system of the others is solved. Cost: the squares of the entries of the rows, and s³/6 for each system of s weights.

use std::ops::ControlFlow;

use super::columns::Columns;
use crate::linalg::{Cholesky, Lower};

/// The most weights.
pub(super) const MOST: usize = 1536;
/// Added to the diagonal, as a share of its mean: directions without curvature are followed to the end of a sign.
const DAMPING: f64 = 1e-10;
/// The most weights that become 0 in one solution; the rest is left to the next.
const DROPS: usize = 64;

/// H = Σ h xxᵀ over some of the columns, the entries up to the diagonal: row after row of a square matrix.
fn outer(x: &Columns, support: &[u32], curvature: &[[f64; 2]]) -> Vec<f64> {
    let s = support.len();
    let mut start = vec![0_usize; x.rows() + 1];
    support.iter().for_each(|&j| x.column(j as usize).0.iter().for_each(|&i| start[i as usize + 1] += 1));
    for i in 0..x.rows() {
        start[i + 1] += start[i];
    }
    let (mut next, mut entries) = (start.clone(), vec![(0_u32, 0.0); start[x.rows()]]);
    for (at, &j) in support.iter().enumerate() {
        let (index, values) = x.column(j as usize);
        for (&i, &value) in index.iter().zip(values) {
            entries[next[i as usize]] = (at as u32, value);
            next[i as usize] += 1;
        }
    }
    let mut matrix = vec![0.0; s * s];
    for (i, &[h, _]) in curvature.iter().enumerate().filter(|(_, model)| model[0] > 0.0) {
        let row = &entries[start[i]..start[i + 1]];
        for (k, &(a, value)) in row.iter().enumerate() {
            let line = &mut matrix[a as usize * s..][..a as usize + 1];
            row[..=k].iter().for_each(|&(b, other)| line[b as usize] += h * value * other);
        }
    }
    matrix
}

/// A model on the weights that are not 0.
pub(super) struct Support<'a> {
    /// x
    pub(super) x: &'a Columns,
    /// The columns, ascending.
    pub(super) columns: &'a [u32],
    /// h of each point first.
    pub(super) curvature: &'a [[f64; 2]],
    /// The weights, none of them 0 but those without a penalty.
    pub(super) weights: Vec<f64>,
    /// The price of the absolute value of each.
    pub(super) penalties: Vec<f64>,
    /// The derivative of the model without the penalty.
    pub(super) slopes: Vec<f64>,
}

impl Support<'_> {
    /// The changes of the weights to the smallest of the model on this face; none where a system has no factor.
    pub(super) fn solve(mut self) -> Option<Vec<f64>> {
        let s = self.columns.len();
        let matrix = outer(self.x, self.columns, self.curvature);
        let entry = |a: usize, b: usize| matrix[a.max(b) * s + a.min(b)];
        let ridge = DAMPING * (0..s).map(|a| entry(a, a)).sum::<f64>() / s as f64;
        let (mut kept, mut total): (Vec<usize>, Vec<f64>) = ((0..s).collect(), vec![0.0; s]);
        for _ in 0..DROPS {
            let mut lower = Lower::zeros(kept.len());
            for (row, &a) in kept.iter().enumerate() {
                let line = lower.row_mut(row);
                kept[..=row].iter().zip(&mut *line).for_each(|(&b, to)| *to = entry(a, b));
                line[row] += ridge;
            }
            let factor = Cholesky::<f64>::new(lower, &mut |_| ControlFlow::Continue(())).ok()?;
            let slope = |&a: &usize| -(self.slopes[a] + self.penalties[a] * self.weights[a].signum());
            let mut right = [kept.iter().map(slope).collect::<Vec<f64>>()];
            factor.solve(&mut right);
            let [direction] = right;
            let ends = self.ends(&kept, &direction, &entry);
            for (&a, end) in kept.iter().zip(&ends) {
                total[a] += end - self.weights[a];
            }
            let moved: Vec<f64> = kept.iter().zip(&ends).map(|(&a, end)| end - self.weights[a]).collect();
            for a in 0..s {
                self.slopes[a] += kept.iter().zip(&moved).map(|(&b, d)| entry(a, b) * d).sum::<f64>();
            }
            kept.iter().zip(&ends).for_each(|(&a, &end)| self.weights[a] = end);
            let before = kept.len();
            kept.retain(|&a| self.weights[a] != 0.0 || self.penalties[a] == 0.0);
            if kept.len() == before || kept.is_empty() {
                break;
            }
        }
        total.iter().all(|change| change.is_finite()).then_some(total)
    }

    /// The weights `kept` after a step along a direction.
    fn ends(&self, kept: &[usize], direction: &[f64], entry: &impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let whole: Vec<f64> = kept.iter().zip(direction).map(|(&a, d)| self.clipped(a, *d)).collect();
        let moved: Vec<f64> = kept.iter().zip(&whole).map(|(&a, end)| end - self.weights[a]).collect();
        let term = |(k, &a): (usize, &usize)| {
            let curved: f64 = kept.iter().zip(&moved).map(|(&b, d)| entry(a, b) * d).sum();
            let size = self.penalties[a] * (whole[k].abs() - self.weights[a].abs());
            moved[k] * (self.slopes[a] + 0.5 * curved) + size
        };
        if kept.iter().enumerate().map(term).sum::<f64>() < 0.0 {
            return whole;
        }
        let reach = |(&a, d): (&usize, &f64)| {
            let length = -self.weights[a] / d;
            if self.penalties[a] > 0.0 && length > 0.0 { length } else { 1.0 }
        };
        let lengths: Vec<f64> = kept.iter().zip(direction).map(reach).collect();
        let first = lengths.iter().fold(1.0, |first: f64, &length| first.min(length));
        let end = |((&a, d), &length): ((&usize, &f64), &f64)| {
            if first < 1.0 && length == first { 0.0 } else { self.weights[a] + first * d }
        };
        kept.iter().zip(direction).zip(&lengths).map(end).collect()
    }

    /// A weight after a change; 0 where that would change its sign.
    fn clipped(&self, a: usize, change: f64) -> f64 {
        let end = self.weights[a] + change;
        if self.penalties[a] > 0.0 && end * self.weights[a] <= 0.0 { 0.0 } else { end }
    }
}
