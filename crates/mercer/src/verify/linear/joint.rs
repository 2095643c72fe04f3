//! Linear machines that have all classes in one problem.
//!
//! P = ½ Σ ‖w_c‖² + Σ cᵢ ℓ(yᵢ, W xᵢ) ≥ −½ Σ ‖v_c‖² − Σ ψᵢ(βᵢ) with v_c = Σ βᵢ_c xᵢ, for each βᵢ that is allowed (`together`). The best of
//! one row is come to by moving between two of its classes at a time.

use super::bound::middle;
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
            judge("", own, primal, |wanted| wanted.max(primal - own.gap.unwrap_or(0.0)), report);
            return;
        }
        judge("", own, primal, |wanted| self.dual(w, wanted), report);
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

    /// What the outputs suggest.
    fn suggested(&self, i: usize, f: &[f64]) -> Vec<f64> {
        let (y, c, mut beta) = (self.class[i], self.prices[i], vec![0.0; f.len()]);
        let raised = |k: usize| f[k] - f[y] + if k == y { 0.0 } else { 1.0 };
        match self.scheme {
            LinearScheme::CrammerSinger => {
                let worst = (0..f.len()).fold(y, |best, k| if raised(k) > raised(best) { k } else { best });
                if worst != y {
                    (beta[y], beta[worst]) = (c, -c);
                }
            }
            LinearScheme::WestonWatkins => {
                for k in (0..f.len()).filter(|&k| k != y && raised(k) > 0.0) {
                    beta[k] = -c;
                    beta[y] += c;
                }
            }
            _ => {
                let most = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let total: f64 = f.iter().map(|f| (f - most).exp()).sum();
                for (k, f) in f.iter().enumerate() {
                    beta[k] = c * (f64::from(u8::from(k == y)) - (f - most).exp() / total);
                }
            }
        }
        beta
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
        let mut beta: Vec<Vec<f64>> =
            (0..self.class.len()).map(|i| self.suggested(i, &self.outputs(i, w))).collect();
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
