//! Machines that have all classes in one programme: Crammer and Singer's, Weston and Watkins's, the softmax.
//!
//! P = ½ Σ ‖w_c‖² + Σ cᵢ ℓ(yᵢ, Fᵢ) and D = ½ Σ β_cᵀKβ_c + Σ ψᵢ(βᵢ) with ψ(β) = cℓ*(−β/c): P ≥ −D by Fenchel's inequality for every β
//! that is allowed, and the gap is P + D.

use super::data::Data;
use super::machines::definite;
use super::report::Report;
use super::values::{DOUBLE, SINGLE, Sum, lists};
use crate::error::Result;
use crate::model::{Loss, Model, ScoreModel, Space};
use crate::solve::Stop;

/// By how much a coefficient may be beyond its bound, and a sum of one row off, as a share of the price.
const BOX: f64 = 1e-9;

/// Verifies a model of one of these kinds; else answers that it is none.
pub(super) fn verify<X: Space>(
    model: &(dyn Model<X> + 'static),
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<bool> {
    let Some(model) = model.downcast::<ScoreModel<X, X::Kernel>>() else { return Ok(false) };
    let Some(loss) = model.loss else { return Ok(false) };
    let Some(class) = data.classes(&model.classes, report) else { return Ok(true) };
    let Some(c) = data.number("c") else {
        report.flaw("", "the file does not tell C; name it");
        return Ok(true);
    };
    let expansion = &model.expansion;
    let any = |_: usize, _: usize| true;
    let Some(rows) = data.rows_of(expansion.kernel(), expansion.points(), &model.support, &any, report)
    else {
        return Ok(true);
    };
    let exact = model.certificates.iter().all(|own| own.exact);
    let columns = data.x.select(&rows);
    let all = lists(expansion.coefficients());
    let values = data.values(expansion.kernel(), &columns, report)?;
    let sums = values.sums(&all, if exact { DOUBLE } else { SINGLE });
    let (n, classes, factors) = (data.len(), model.classes.len(), data.factors(&model.classes));
    let mut beta = vec![vec![0.0; classes]; n];
    for (output, list) in all.iter().enumerate() {
        list.iter().for_each(|&(k, b)| beta[rows[k]][output] = b);
    }
    if expansion.offsets().iter().any(|b| *b != 0.0) {
        report.flaw("", "an offset that is not 0");
    }
    let mut found = Found::default();
    for i in 0..n {
        let point = Point { y: class[i], c: c * factors[class[i]] * data.weights[i], loss };
        let scores: Vec<Sum> = sums.iter().map(|output| output[i]).collect();
        if let Some(flaw) = point.flaw(&beta[i]) {
            report.flaw("", format_args!("row {}: {flaw}", data.name(i)));
        }
        found.add(&point, &beta[i], &scores);
    }
    let dual = 0.5 * found.square + found.conjugate;
    let primal = 0.5 * found.square + found.loss;
    let size = 0.5 * found.square + found.conjugate.abs() + found.loss;
    let square_error = Sum::together(found.parts.iter().copied());
    let loss_error = Sum::together(found.losses.iter().copied());
    if let Some(own) = model.certificates.first() {
        report.equal("", "dual objective", own.objective, dual, 0.5 * square_error + 1e-12 * size);
        if let Some(gap) = own.gap {
            let error = square_error + loss_error + 2e-12 * size;
            report.equal("", "gap", gap, primal + dual, error);
            if !definite::<X>(expansion.kernel()) {
                report
                    .flaw("", "a gap is told, but the kernel is not positive semi-definite by construction");
            }
        }
        let slack = 2.0 * found.widest + 1e-12;
        report.equal("", "violation", own.violation, found.violation, slack);
        let tolerance = data.recipe.and_then(|recipe| recipe.number("tolerance"));
        if let Some(tolerance) = tolerance.filter(|_| own.stop == Stop::Converged) {
            report.at_most("", "violation of what converged", tolerance, found.violation, slack);
        }
    }
    report.tell("", "primal objective", primal);
    Ok(true)
}

/// Sums over the rows.
#[derive(Default)]
struct Found {
    square: f64,
    parts: Vec<(f64, Sum)>,
    conjugate: f64,
    loss: f64,
    losses: Vec<(f64, Sum)>,
    violation: f64,
    widest: f64,
}

impl Found {
    fn add(&mut self, point: &Point, beta: &[f64], scores: &[Sum]) {
        let values: Vec<f64> = scores.iter().map(|score| score.value).collect();
        let widest = scores.iter().map(|score| score.error).fold(0.0, f64::max);
        self.square += beta.iter().zip(&values).map(|(b, f)| b * f).sum::<f64>();
        self.parts.extend(beta.iter().copied().zip(scores.iter().copied()));
        self.conjugate += point.conjugate(beta);
        self.loss += point.c * point.loss(&values);
        // All losses change by at most twice the largest change of a score, that of Weston and Watkins for each other class.
        let slope = if point.loss == Loss::WestonWatkins { 2.0 * beta.len() as f64 } else { 2.0 };
        let near = point.loss == Loss::Softmax || point.loss(&values) > 0.0 || point.loss_at(&values, widest);
        let wide =
            scores.iter().copied().reduce(|a, b| if b.error > a.error { b } else { a }).unwrap_or_default();
        self.losses.push((if near { slope * point.c } else { 0.0 }, wide));
        self.violation = self.violation.max(point.violation(beta, &values));
        self.widest = self.widest.max(widest);
    }
}

/// The class and the price of a row.
struct Point {
    y: usize,
    c: f64,
    loss: Loss,
}

impl Point {
    fn loss(&self, f: &[f64]) -> f64 {
        let margin = |k: usize| 1.0 - (f[self.y] - f[k]);
        let others = (0..f.len()).filter(|&k| k != self.y);
        match self.loss {
            Loss::CrammerSinger => others.map(margin).fold(0.0, f64::max),
            Loss::WestonWatkins => others.map(|k| margin(k).max(0.0)).sum(),
            _ => {
                let most = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                f.iter().map(|f| (f - most).exp()).sum::<f64>().ln() + most - f[self.y]
            }
        }
    }

    /// Whether a change of the scores by so much could make a loss of none.
    fn loss_at(&self, f: &[f64], widest: f64) -> bool {
        (0..f.len()).any(|k| k != self.y && 1.0 - (f[self.y] - f[k]) > -2.0 * widest)
    }

    /// ψ
    fn conjugate(&self, beta: &[f64]) -> f64 {
        match self.loss {
            Loss::CrammerSinger | Loss::WestonWatkins => -beta[self.y],
            _ => {
                let term = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
                self.c * self.shares(beta).into_iter().map(term).sum::<f64>()
            }
        }
    }

    /// The probabilities that the coefficients of a softmax stand for: β = c(e_y − p).
    fn shares(&self, beta: &[f64]) -> Vec<f64> {
        let own = |k: usize| f64::from(u8::from(k == self.y)) - beta[k] / self.c;
        (0..beta.len()).map(own).collect()
    }

    /// What makes the coefficients those of no dual point.
    fn flaw(&self, beta: &[f64]) -> Option<String> {
        let (sum, room) = (beta.iter().sum::<f64>(), BOX * self.c);
        if sum.abs() > room * beta.len() as f64 {
            return Some(format!("coefficients whose sum is {sum}, not 0"));
        }
        let least = |k: usize| match self.loss {
            Loss::WestonWatkins if k != self.y => -self.c,
            Loss::CrammerSinger | Loss::WestonWatkins => f64::NEG_INFINITY,
            _ if k == self.y => 0.0,
            _ => -self.c,
        };
        let most = |k: usize| match self.loss {
            Loss::WestonWatkins if k == self.y => f64::INFINITY,
            _ if k == self.y => self.c,
            _ => 0.0,
        };
        let outside = |&k: &usize| !(least(k) - room..=most(k) + room).contains(&beta[k]);
        let k = (0..beta.len()).find(outside)?;
        Some(format!("a coefficient {} outside of its box, {} to {}", beta[k], least(k), most(k)))
    }

    /// By how much the conditions of an optimum are broken at this row.
    fn violation(&self, beta: &[f64], f: &[f64]) -> f64 {
        match self.loss {
            Loss::CrammerSinger => {
                // No coefficient that may rise has a raised score below the largest.
                let raised = |k: usize| if k == self.y { f[k] } else { f[k] + 1.0 };
                let bound = |k: usize| if k == self.y { self.c } else { 0.0 };
                let largest = (0..f.len()).map(raised).fold(f64::NEG_INFINITY, f64::max);
                let may_rise = (0..f.len()).filter(|&k| beta[k] < bound(k));
                (largest - may_rise.map(raised).fold(f64::INFINITY, f64::min)).max(0.0)
            }
            Loss::WestonWatkins => {
                let one = |k: usize| {
                    let (a, slope) = (-beta[k], f[self.y] - f[k] - 1.0);
                    let rise = if a < self.c { -slope } else { 0.0 };
                    let fall = if a > 0.0 { slope } else { 0.0 };
                    rise.max(fall)
                };
                (0..f.len()).filter(|&k| k != self.y).map(one).fold(0.0, f64::max)
            }
            _ => {
                let most = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let total: f64 = f.iter().map(|f| (f - most).exp()).sum();
                let shares = self.shares(beta);
                let off = |(f, p): (&f64, &f64)| ((f - most).exp() / total - p).abs();
                f.iter().zip(&shares).map(off).fold(0.0, f64::max)
            }
        }
    }
}
