//! Linear machines that have all classes in one problem.
//!
//! P = ½ Σ ‖w_c‖² + Σ cᵢ ℓ(yᵢ, W xᵢ) ≥ −½ Σ ‖v_c‖² − Σ ψᵢ(βᵢ) with v_c = Σ βᵢ_c xᵢ, for each βᵢ that is allowed (`together`). The best of
//! one row is come to by moving between two of its classes at a time.

use super::bound::{corner, middle};
use super::newton::{Rounded, descend};
use super::{Common, judge};
use crate::data::SplitMix;
use crate::model::LinearScheme;
use crate::solve::Certificate;
use crate::verify::report::Report;

/// Entries of rows that are looked at in all, at most.
const WORK: f64 = 3e8;

pub(super) struct Joint<'a> {
    pub(super) common: Common<'a>,
    pub(super) scheme: LinearScheme,
    pub(super) class: &'a [usize],
    pub(super) prices: &'a [f64],
}

impl Joint<'_> {
    pub(super) fn compare(&self, w: &[Vec<f64>], certificate: Option<&Certificate>, report: &mut Report) {
        let primal = self.primal(w);
        let Some(own) = certificate else {
            report.tell("", "primal objective", primal);
            return;
        };
        if self.common.free {
            report.note("with an offset that is left free all classes are bound to each other: the optimum is not looked for");
            judge("", own, (primal, 0.0), |wanted| wanted.max(primal - own.gap.unwrap_or(0.0)), report);
            return;
        }
        judge("", own, (primal, 0.0), |wanted| self.dual(w, wanted), report);
    }

    fn primal(&self, w: &[Vec<f64>]) -> f64 {
        let loss = |i: usize| self.prices[i] * self.loss(i, &self.outputs(i, w));
        w.iter().map(|w| self.common.penalty(w)).sum::<f64>() + (0..self.class.len()).map(loss).sum::<f64>()
    }

    fn outputs(&self, i: usize, w: &[Vec<f64>]) -> Vec<f64> {
        w.iter().map(|w| self.common.x.output(i, w)).collect()
    }

    fn loss(&self, i: usize, f: &[f64]) -> f64 {
        let y = self.class[i];
        let raised = |k: usize| f[k] - f[y] + if k == y { 0.0 } else { 1.0 };
        match self.scheme {
            LinearScheme::CrammerSinger => (0..f.len()).map(raised).fold(0.0, f64::max),
            LinearScheme::WestonWatkins => (0..f.len()).filter(|&k| k != y).map(|k| raised(k).max(0.0)).sum(),
            _ => {
                let most = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                f.iter().map(|f| (f - most).exp()).sum::<f64>().ln() + most - f[y]
            }
        }
    }

    /// −ψ
    fn value(&self, i: usize, beta: &[f64]) -> f64 {
        if self.scheme != LinearScheme::Softmax {
            return beta[self.class[i]];
        }
        let term = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
        -self.prices[i] * (0..beta.len()).map(|k| term(self.share(i, k, beta[k]))).sum::<f64>()
    }

    fn share(&self, i: usize, k: usize, beta: f64) -> f64 {
        f64::from(u8::from(k == self.class[i])) - beta / self.prices[i]
    }

    /// The loss of a row whose outputs are `f`, corners rounded off over a width μ; minus its slopes; and how p, the slopes over C, bend.
    fn loss_over(&self, i: usize, f: &[f64], mu: f64) -> (f64, Vec<f64>, Bend) {
        let (y, c) = (self.class[i], self.prices[i]);
        let raised: Vec<f64> = (0..f.len()).map(|k| f[k] - f[y] + if k == y { 0.0 } else { 1.0 }).collect();
        match self.scheme {
            LinearScheme::CrammerSinger => {
                let shares = nearest_shares(&raised, mu);
                let squares: f64 = shares.iter().map(|p| p * p).sum();
                let value =
                    shares.iter().zip(&raised).map(|(p, r)| if *p > 0.0 { p * r } else { 0.0 }).sum::<f64>();
                let beta = (0..f.len()).map(|k| c * (f64::from(u8::from(k == y)) - shares[k])).collect();
                (c * (value - 0.5 * mu * squares), beta, Bend::Largest(shares))
            }
            LinearScheme::WestonWatkins => {
                let (mut value, mut beta, mut bends) = (0.0, vec![0.0; f.len()], vec![0.0; f.len()]);
                for k in (0..f.len()).filter(|&k| k != y && raised[k] > 0.0) {
                    let (loss, slope, bend) = corner(raised[k], mu);
                    value += loss;
                    beta[k] = -c * slope;
                    beta[y] += c * slope;
                    bends[k] = bend;
                }
                (c * value, beta, Bend::Each(bends))
            }
            _ => {
                let most = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let total: f64 = f.iter().map(|f| (f - most).exp()).sum();
                let shares: Vec<f64> = f.iter().map(|f| (f - most).exp() / total).collect();
                let beta = (0..f.len()).map(|k| c * (f64::from(u8::from(k == y)) - shares[k])).collect();
                (c * (total.ln() + most - f[y]), beta, Bend::Shares(shares))
            }
        }
    }

    fn total(&self, beta: &[Vec<f64>], classes: usize) -> (f64, Vec<Vec<f64>>) {
        let mut v = vec![vec![0.0; self.common.x.width()]; classes];
        let mut value = 0.0;
        for (i, beta) in beta.iter().enumerate() {
            value += self.value(i, beta);
            beta.iter().zip(&mut v).for_each(|(b, v)| self.common.x.add(i, *b, v));
        }
        (value - 0.5 * v.iter().flatten().map(|v| v * v).sum::<f64>(), v)
    }

    fn dual(&self, w: &[Vec<f64>], wanted: f64) -> f64 {
        let classes = w.len();
        let found = descend(&Stacked { joint: self, classes }, w.concat(), wanted);
        let mut beta = match found {
            Some((value, _)) if value >= wanted => return value,
            Some((_, beta)) => beta,
            None => (0..self.class.len()).map(|i| self.loss_over(i, &self.outputs(i, w), 0.0).1).collect(),
        };
        let (mut best, mut v) = self.total(&beta, classes);
        let mut order: Vec<usize> = (0..beta.len()).collect();
        let (mut random, mut work) = (SplitMix(1), 0.0);
        while best < wanted && work <= WORK {
            random.shuffle(&mut order);
            for &i in &order {
                let before = beta[i].clone();
                let (square, mut f) = (self.common.x.square(i), self.outputs(i, &v));
                for (k, l) in (0..classes).flat_map(|k| (0..k).map(move |l| (k, l))) {
                    let step = self.step(i, (k, l), &beta[i], &f, square);
                    beta[i][k] += step;
                    beta[i][l] -= step;
                    f[k] += square * step;
                    f[l] -= square * step;
                }
                for (k, v) in v.iter_mut().enumerate() {
                    let step = beta[i][k] - before[k];
                    if step != 0.0 {
                        self.common.x.add(i, step, v);
                    }
                }
            }
            let (value, exact) = self.total(&beta, classes);
            (best, v) = (best.max(value), exact);
            if self.primal(&v) < wanted {
                break;
            }
            work += (self.common.x.x.stored() + self.class.len()) as f64
                * (3 * classes + classes * classes) as f64;
        }
        best
    }

    /// By how much β_k is best raised and β_l lowered.
    fn step(&self, i: usize, (k, l): (usize, usize), beta: &[f64], f: &[f64], square: f64) -> f64 {
        let (y, c) = (self.class[i], self.prices[i]);
        let least = |k: usize| match self.scheme {
            LinearScheme::CrammerSinger => f64::NEG_INFINITY,
            LinearScheme::WestonWatkins if k == y => f64::NEG_INFINITY,
            _ if k == y => 0.0,
            _ => -c,
        };
        let most = |k: usize| match self.scheme {
            LinearScheme::WestonWatkins if k == y => f64::INFINITY,
            _ if k == y => c,
            _ => 0.0,
        };
        let low = (least(k) - beta[k]).max(beta[l] - most(l));
        let high = (most(k) - beta[k]).min(beta[l] - least(l));
        if self.scheme == LinearScheme::Softmax {
            let log = |k: usize, t: f64| self.share(i, k, beta[k] + t).max(0.0).ln();
            let slope = |t: f64| log(k, t) - f[k] - log(l, -t) + f[l] - 2.0 * square * t;
            return middle(low, high, slope);
        }
        let gain = |k: usize| f64::from(u8::from(k == y)) - f[k];
        let step = (gain(k) - gain(l)) / (2.0 * square);
        if step.is_nan() { 0.0 } else { step.clamp(low.min(high), high) }
    }
}

/// How the slopes of a loss change with the outputs.
enum Bend {
    /// Of the largest of several: shares nearest to the outputs, of which those above 0 move.
    Largest(Vec<f64>),
    /// Of a sum of hinges: the second derivative of each.
    Each(Vec<f64>),
    /// Of the softmax: its shares.
    Shares(Vec<f64>),
}

impl Bend {
    /// The second derivatives of the loss over C by two outputs, of a row of class `y`.
    fn matrix(&self, y: usize, mu: f64) -> Vec<Vec<f64>> {
        let equal = |k: usize, l: usize| f64::from(u8::from(k == l));
        match self {
            Self::Largest(shares) => {
                let moving: Vec<f64> = shares.iter().map(|p| f64::from(u8::from(*p > 0.0))).collect();
                let count: f64 = moving.iter().sum();
                let of = |k: usize, l: usize| moving[k] * moving[l] * (equal(k, l) - 1.0 / count) / mu;
                (0..shares.len()).map(|k| (0..shares.len()).map(|l| of(k, l)).collect()).collect()
            }
            Self::Each(bends) => {
                let total: f64 = bends.iter().sum();
                let of = |k: usize, l: usize| match (k == y, l == y) {
                    (true, true) => total,
                    (true, false) => -bends[l],
                    (false, true) => -bends[k],
                    (false, false) => equal(k, l) * bends[k],
                };
                (0..bends.len()).map(|k| (0..bends.len()).map(|l| of(k, l)).collect()).collect()
            }
            Self::Shares(shares) => {
                let of = |k: usize, l: usize| shares[k] * (equal(k, l) - shares[l]);
                (0..shares.len()).map(|k| (0..shares.len()).map(|l| of(k, l)).collect()).collect()
            }
        }
    }
}

/// The shares p ≥ 0 with sum 1 at which ⟨p, r⟩ − ½μ‖p‖² is largest: max(0, r − t)/μ. Of μ = 0 the first of the largest has all.
fn nearest_shares(r: &[f64], mu: f64) -> Vec<f64> {
    if mu == 0.0 {
        let first = (1..r.len()).fold(0, |best, k| if r[k] > r[best] { k } else { best });
        return (0..r.len()).map(|k| f64::from(u8::from(k == first))).collect();
    }
    let mut sorted = r.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut level) = (0.0, 0.0);
    for (k, r) in sorted.iter().enumerate() {
        // Of the k + 1 largest, where the smallest of these has a share too.
        let next = (sum + r - mu) / (k + 1) as f64;
        if k > 0 && *r <= next {
            break;
        }
        (sum, level) = (sum + r, next);
    }
    r.iter().map(|r| (r - level).max(0.0) / mu).collect()
}

/// The problem with the weights of all classes one after the other.
pub(super) struct Stacked<'a> {
    pub(super) joint: &'a Joint<'a>,
    pub(super) classes: usize,
}

impl Stacked<'_> {
    fn width(&self) -> usize {
        self.joint.common.x.width()
    }

    fn outputs(&self, i: usize, w: &[f64]) -> Vec<f64> {
        w.chunks(self.width()).map(|w| self.joint.common.x.output(i, w)).collect()
    }

    fn losses(&self, w: &[f64], mu: f64) -> impl Iterator<Item = (f64, Vec<f64>, Bend)> {
        (0..self.joint.class.len()).map(move |i| self.joint.loss_over(i, &self.outputs(i, w), mu))
    }

    fn penalty(&self, w: &[f64]) -> f64 {
        w.chunks(self.width()).map(|w| self.joint.common.penalty(w)).sum()
    }
}

impl Rounded for Stacked<'_> {
    type Dual = Vec<Vec<f64>>;

    fn rows(&self) -> usize {
        self.joint.class.len()
    }

    fn scale(&self, w: &[f64]) -> Option<f64> {
        let most = |i: usize| self.outputs(i, w).iter().fold(1.0, |most: f64, f| most.max(f.abs()));
        let corners = self.joint.scheme != LinearScheme::Softmax;
        corners.then(|| (0..self.rows()).map(most).fold(1.0, f64::max))
    }

    fn primal(&self, w: &[f64]) -> f64 {
        let loss = |i: usize| self.joint.prices[i] * self.joint.loss(i, &self.outputs(i, w));
        self.penalty(w) + (0..self.rows()).map(loss).sum::<f64>()
    }

    fn rounded(&self, w: &[f64], mu: f64) -> f64 {
        self.penalty(w) + self.losses(w, mu).map(|(loss, ..)| loss).sum::<f64>()
    }

    fn dual_point(&self, w: &[f64], mu: f64) -> Option<(f64, Vec<Vec<f64>>)> {
        let beta: Vec<Vec<f64>> = self.losses(w, mu).map(|(_, beta, _)| beta).collect();
        Some((self.joint.total(&beta, self.classes).0, beta))
    }

    fn shape(&self, w: &[f64], mu: f64) -> (Vec<f64>, Vec<Vec<f64>>) {
        let (width, mut slope) = (self.width(), w.to_vec());
        let mut bends = vec![vec![0.0; w.len()]; w.len()];
        (0..w.len()).for_each(|j| bends[j][j] = 1.0);
        for (i, (_, beta, bend)) in self.losses(w, mu).enumerate() {
            for (slope, b) in slope.chunks_mut(width).zip(&beta).filter(|(_, b)| **b != 0.0) {
                self.joint.common.x.add(i, -b, slope);
            }
            let (entries, matrix) = (self.joint.common.x.entries(i), bend.matrix(self.joint.class[i], mu));
            for (k, l) in (0..self.classes).flat_map(|k| (0..=k).map(move |l| (k, l))) {
                let factor = self.joint.prices[i] * matrix[k][l];
                if factor == 0.0 {
                    continue;
                }
                for &(j, a) in &entries {
                    let row = &mut bends[k * width + j][l * width..];
                    entries.iter().for_each(|(m, b)| row[*m] += factor * a * b);
                }
            }
        }
        (slope, bends)
    }
}
