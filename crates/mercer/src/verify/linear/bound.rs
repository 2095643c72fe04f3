//! A dual point of a linear problem, found in the plainest way, and what it proves.
//!
//! With v = Σ βᵢxᵢ the dual of ½‖w‖² + Σ loss is Σ dualᵢ(βᵢ) − ½‖v‖²; of a free last weight Σ βᵢ = 0 besides; of Σ |w| in place of ½‖w‖²
//! it is Σ dualᵢ(βᵢ) where |v_j| ≤ 1 for each j; of the plane of one class −½‖v‖² where Σ βᵢ = 1. Every value of an allowed β is at most the
//! optimum, whichever way β was come by: one row after the other where rows are not bound to each other, two rows where the sum is
//! fixed, one weight after the other and the β of its outputs where the penalty is Σ |w|. Where rows are not wide, Newton's method begins
//! (`newton`).

use super::newton::{Rounded, descend};
use super::{Common, Penalty};
use crate::data::SplitMix;
use crate::model::Cost;

/// Entries of rows that are looked at in all, at most: a second or two.
const WORK: f64 = 3e8;
/// Passes, at most.
const PASSES: usize = 100_000;
/// The share of a step by which it may miss the kink or the bound that it is meant to come to.
const NEAR: f64 = 1e-9;
/// Halvings of an interval: all bits of its middle.
const HALVINGS: usize = 100;

pub(super) struct Bound<'a> {
    pub(super) common: Common<'a>,
    pub(super) y: &'a [f64],
    pub(super) prices: &'a [f64],
}

impl Bound<'_> {
    /// The penalty of w and the losses of its outputs.
    pub(super) fn primal(&self, w: &[f64]) -> f64 {
        let losses: f64 = (0..self.y.len()).map(|i| self.loss(i, self.common.x.output(i, w))).sum();
        self.common.penalty(w) + losses
    }

    fn loss(&self, i: usize, m: f64) -> f64 {
        self.loss_over(i, m, 0.0).value
    }

    fn plane(&self) -> bool {
        self.common.penalty == Penalty::Plane
    }

    /// Where β of a row may be.
    fn range(&self, i: usize) -> (f64, f64) {
        let c = self.prices[i];
        let (low, high) = match self.common.cost {
            Cost::Hinge | Cost::Logistic => (0.0, c),
            Cost::SquaredHinge => (0.0, f64::INFINITY),
            Cost::Insensitive(_) => (-c, c),
            Cost::SquaredInsensitive(_) => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let of_class = matches!(self.common.cost, Cost::Hinge | Cost::Logistic | Cost::SquaredHinge);
        if of_class && self.y[i] < 0.0 { (-high, -low) } else { (low, high) }
    }

    /// What β of a row adds: −loss*(−β).
    fn value(&self, i: usize, beta: f64) -> f64 {
        let (y, c) = (self.y[i], self.prices[i]);
        match self.common.cost {
            _ if self.plane() => 0.0,
            Cost::Hinge => y * beta,
            Cost::SquaredHinge => y * beta - beta * beta / (4.0 * c),
            Cost::Logistic => {
                let share = y * beta / c;
                let part = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
                -c * (part(share) + part(1.0 - share))
            }
            Cost::Insensitive(e) => y * beta - e * beta.abs(),
            Cost::SquaredInsensitive(e) => y * beta - e * beta.abs() - beta * beta / (4.0 * c),
        }
    }

    /// The slope of that, to the left or to the right of a kink.
    fn slope(&self, i: usize, beta: f64, right: bool) -> f64 {
        let (y, c) = (self.y[i], self.prices[i]);
        let side = if beta > 0.0 || (beta == 0.0 && right) { 1.0 } else { -1.0 };
        match self.common.cost {
            _ if self.plane() => 0.0,
            Cost::Hinge => y,
            Cost::SquaredHinge => y - beta / (2.0 * c),
            Cost::Logistic => {
                let share = (y * beta / c).clamp(0.0, 1.0);
                y * ((1.0 - share).ln() - share.ln())
            }
            Cost::Insensitive(e) => y - e * side,
            Cost::SquaredInsensitive(e) => y - e * side - beta / (2.0 * c),
        }
    }

    /// β of a row as its output suggests it: minus the slope of its loss.
    fn suggested(&self, i: usize, m: f64) -> f64 {
        self.loss_over(i, m, 0.0).beta
    }

    /// The best value of a dual point found, beginning from w, before it is `wanted` or work is at an end.
    pub(super) fn dual(&self, w: &[f64], wanted: f64) -> f64 {
        let outputs: Vec<f64> = (0..self.y.len()).map(|i| self.common.x.output(i, w)).collect();
        if self.common.penalty == Penalty::Sizes {
            return self.by_weights(w.to_vec(), outputs, wanted);
        }
        let beta: Vec<f64> = outputs.iter().enumerate().map(|(i, m)| self.suggested(i, *m)).collect();
        let (proved, beta) = descend(self, w.to_vec(), wanted).unwrap_or((f64::NEG_INFINITY, beta));
        if proved >= wanted {
            return proved;
        }
        proved.max(if self.common.free { self.by_pairs(beta, wanted) } else { self.by_rows(beta, wanted) })
    }

    fn entries(&self) -> f64 {
        (self.common.x.x.stored() + self.y.len()) as f64
    }

    /// The value of β, and v; of rows that are bound to each other without the last weight, of which nothing is left.
    fn total(&self, beta: &[f64]) -> (f64, Vec<f64>) {
        let mut v = vec![0.0; self.common.x.width()];
        beta.iter().enumerate().for_each(|(i, b)| self.common.x.add(i, *b, &mut v));
        if self.common.free {
            v.pop();
        }
        let square: f64 = v.iter().map(|v| v * v).sum();
        let values: f64 = beta.iter().enumerate().map(|(i, b)| self.value(i, *b)).sum();
        if self.common.free {
            v.push(0.0);
        }
        (values - 0.5 * square, v)
    }

    /// One row after the other, each to its best.
    fn by_rows(&self, mut beta: Vec<f64>, wanted: f64) -> f64 {
        let (mut best, mut v) = self.total(&beta);
        let mut order: Vec<usize> = (0..beta.len()).collect();
        let (mut random, mut work) = (SplitMix(1), 0.0);
        for _ in 0..PASSES {
            if best >= wanted || work > WORK {
                break;
            }
            random.shuffle(&mut order);
            for &i in &order {
                let (square, f) = (self.common.x.square(i), self.common.x.output(i, &v));
                let step = self.best((i, square), f - square * beta[i]) - beta[i];
                if step != 0.0 {
                    beta[i] += step;
                    self.common.x.add(i, step, &mut v);
                }
            }
            // From β alone, so that nothing of the way is left in it.
            let (value, exact) = self.total(&beta);
            (best, v) = (best.max(value), exact);
            work += 3.0 * self.entries();
            // No dual point is above what some weights cost.
            if self.primal(&v) < wanted {
                break;
            }
        }
        best
    }

    /// The β at which value(β) − ½ square β² − rest β is largest.
    fn best(&self, (i, square): (usize, f64), rest: f64) -> f64 {
        let (y, c, (low, high)) = (self.y[i], self.prices[i], self.range(i));
        let soft = |t: f64, e: f64| {
            if t > e {
                t - e
            } else if t < -e {
                t + e
            } else {
                0.0
            }
        };
        let free = match self.common.cost {
            Cost::Hinge => (y - rest) / square,
            Cost::SquaredHinge => (y - rest) / (square + 0.5 / c),
            Cost::Insensitive(e) => soft(y - rest, e) / square,
            Cost::SquaredInsensitive(e) => soft(y - rest, e) / (square + 0.5 / c),
            Cost::Logistic => return middle(low, high, |b| self.slope(i, b, true) - square * b - rest),
        };
        // A row of zeros has no say in v: its best is at an end.
        if free.is_nan() { low.max(0.0).min(high) } else { free.clamp(low, high) }
    }

    /// Two rows at a time, whose β change by as much up as down.
    fn by_pairs(&self, beta: Vec<f64>, wanted: f64) -> f64 {
        let Some(mut beta) = self.balanced(beta) else { return f64::NEG_INFINITY };
        let (mut best, mut v) = self.total(&beta);
        let (n, mut work) = (beta.len(), 0.0);
        while best < wanted && work <= WORK {
            for _ in 0..n {
                let rise = |i: usize, f: f64| {
                    if beta[i] < self.range(i).1 {
                        self.slope(i, beta[i], true) - f
                    } else {
                        f64::NEG_INFINITY
                    }
                };
                let fall = |i: usize, f: f64| {
                    if beta[i] > self.range(i).0 { self.slope(i, beta[i], false) - f } else { f64::INFINITY }
                };
                let (mut up, mut down) = ((0, f64::NEG_INFINITY), (0, f64::INFINITY));
                for i in 0..n {
                    let f = self.common.x.output(i, &v);
                    let (r, l) = (rise(i, f), fall(i, f));
                    up = if r > up.1 { (i, r) } else { up };
                    down = if l < down.1 { (i, l) } else { down };
                }
                work += self.entries();
                let (i, j) = (up.0, down.0);
                if up.1 <= down.1 || i == j || work > WORK {
                    break;
                }
                let along = self.common.x.output(i, &v) - self.common.x.output(j, &v);
                let mut between = vec![0.0; v.len()];
                self.common.x.add(i, 1.0, &mut between);
                self.common.x.add(j, -1.0, &mut between);
                let square: f64 = between.iter().map(|d| d * d).sum();
                let most = (self.range(i).1 - beta[i]).min(beta[j] - self.range(j).0);
                let slope = |t: f64| {
                    self.slope(i, beta[i] + t, true) - self.slope(j, beta[j] - t, false) - along - t * square
                };
                let most = if most.is_finite() { most } else { self.beyond(&slope) };
                let step = middle(0.0, most, slope);
                // A β that comes to a kink or to its bound is there, not beside it.
                let ends = [-beta[i], beta[j], most];
                let step = ends.into_iter().find(|end| (step - end).abs() <= NEAR * end).unwrap_or(step);
                if step == 0.0 {
                    break;
                }
                beta[i] += step;
                beta[j] -= step;
                v.iter_mut().zip(&between).for_each(|(v, d)| *v += step * d);
            }
            let before = best;
            // What rounding has left of the sum is taken off before the value counts.
            let Some(balanced) = self.balanced(beta.clone()) else { return best };
            best = best.max(self.total(&balanced).0);
            v = self.total(&beta).1;
            if best - before <= 1e-14 * best.abs() || self.primal(&self.offset(&beta, &v)) < wanted {
                break;
            }
        }
        best
    }

    /// v with the last weight that its β suggest: that at which as little as possible is to be gained.
    fn offset(&self, beta: &[f64], v: &[f64]) -> Vec<f64> {
        let (mut up, mut down) = (f64::NEG_INFINITY, f64::INFINITY);
        for (i, b) in beta.iter().enumerate() {
            let f = self.common.x.output(i, v);
            let (low, high) = self.range(i);
            up = if *b < high { up.max(self.slope(i, *b, true) - f) } else { up };
            down = if *b > low { down.min(self.slope(i, *b, false) - f) } else { down };
        }
        let at = if up.is_finite() && down.is_finite() { f64::midpoint(up, down) } else { 0.0 };
        let mut with = v.to_vec();
        let last = with.len() - 1;
        with[last] = at / self.common.x.constant;
        with
    }

    /// A step at which the slope is no longer positive.
    fn beyond(&self, slope: &dyn Fn(f64) -> f64) -> f64 {
        let mut step = 1.0;
        for _ in 0..HALVINGS {
            if slope(step) <= 0.0 {
                break;
            }
            step *= 2.0;
        }
        step
    }

    /// β with the sum that it must have: 0, or 1 for the plane.
    fn balanced(&self, mut beta: Vec<f64>) -> Option<Vec<f64>> {
        if self.plane() {
            let (sum, all) = (beta.iter().sum::<f64>(), self.prices.iter().sum::<f64>());
            if sum > 1.0 {
                beta.iter_mut().for_each(|b| *b /= sum);
            } else if all > sum {
                let share = (1.0 - sum) / (all - sum);
                beta.iter_mut().zip(self.prices).for_each(|(b, c)| *b += share * (c - *b));
            }
            return (all >= 1.0 - 1e-12).then_some(beta);
        }
        let up: f64 = beta.iter().filter(|b| **b > 0.0).sum();
        let down: f64 = -beta.iter().filter(|b| **b < 0.0).sum::<f64>();
        let (of_up, of_down) =
            if up > down { (down / up, 1.0) } else { (1.0, if down > 0.0 { up / down } else { 1.0 }) };
        beta.iter_mut().for_each(|b| *b *= if *b > 0.0 { of_up } else { of_down });
        Some(beta)
    }

    /// One weight after the other, and the β of their outputs scaled down to where they are allowed.
    fn by_weights(&self, mut w: Vec<f64>, mut outputs: Vec<f64>, wanted: f64) -> f64 {
        let (n, width) = (self.y.len(), w.len());
        let mut columns: Vec<Vec<(usize, f64)>> = vec![Vec::new(); width];
        for i in 0..n {
            self.common.x.x.row(i).for_each(|j, value| {
                if value != 0.0 {
                    columns[j].push((i, value));
                }
            });
            if self.common.x.has_constant() {
                columns[width - 1].push((i, self.common.x.constant));
            }
        }
        let bend = |i: usize| if self.common.cost == Cost::Logistic { 0.25 } else { 2.0 } * self.prices[i];
        let bends: Vec<f64> =
            columns.iter().map(|own| own.iter().map(|(i, x)| bend(*i) * x * x).sum()).collect();
        let (mut best, mut work) = (f64::NEG_INFINITY, 0.0);
        for _ in 0..PASSES {
            let beta: Vec<f64> = outputs.iter().enumerate().map(|(i, m)| self.suggested(i, *m)).collect();
            let beta = if self.common.free { self.balanced(beta).unwrap_or_default() } else { beta };
            let sums = columns.iter().map(|own| own.iter().map(|(i, x)| beta[*i] * x).sum::<f64>().abs());
            let counted = width - usize::from(self.common.free);
            let scale = sums.take(counted).fold(1.0, f64::max);
            best = best.max(beta.iter().enumerate().map(|(i, b)| self.value(i, b / scale)).sum());
            work += 4.0 * self.entries();
            if best >= wanted || work > WORK || self.primal(&w) < wanted {
                break;
            }
            for j in (0..width).filter(|j| bends[*j] > 0.0) {
                let pull: f64 = columns[j].iter().map(|(i, x)| self.suggested(*i, outputs[*i]) * x).sum();
                let t = w[j] + pull / bends[j];
                let price = if j < counted { 1.0 / bends[j] } else { 0.0 };
                let new = t.signum() * (t.abs() - price).max(0.0);
                let step = new - w[j];
                w[j] = new;
                columns[j].iter().for_each(|(i, x)| outputs[*i] += step * x);
            }
        }
        best
    }
}

/// A loss at an output, its corner rounded off.
struct Loss {
    value: f64,
    /// Minus its slope.
    beta: f64,
    /// The slope of that.
    bend: f64,
}

impl Bound<'_> {
    /// The loss of a row at an output, its corner rounded off over a width μ.
    fn loss_over(&self, i: usize, m: f64, mu: f64) -> Loss {
        let (y, c) = (self.y[i], self.prices[i]);
        // The error, and how it falls with the output.
        let (error, along) = match self.common.cost {
            _ if self.plane() => (-m, 1.0),
            Cost::Hinge | Cost::SquaredHinge => (1.0 - y * m, y),
            Cost::Insensitive(e) | Cost::SquaredInsensitive(e) => ((y - m).abs() - e, (y - m).signum()),
            Cost::Logistic => {
                let against = 1.0 / (1.0 + (y * m).exp());
                let (beta, bend) = (c * y * against, c * against * (1.0 - against));
                let value = c * ((-(y * m).abs()).exp().ln_1p() + (-y * m).max(0.0));
                return Loss { value, beta, bend };
            }
        };
        let squared = matches!(self.common.cost, Cost::SquaredHinge | Cost::SquaredInsensitive(_));
        let (value, slope, bend) = match error {
            error if error <= 0.0 => (0.0, 0.0, 0.0),
            error if squared => (error * error, 2.0 * error, 2.0),
            error => corner(error, mu),
        };
        Loss { value: c * value, beta: c * along * slope, bend: c * bend }
    }

    fn losses(&self, w: &[f64], mu: f64) -> impl Iterator<Item = Loss> {
        (0..self.y.len()).map(move |i| self.loss_over(i, self.common.x.output(i, w), mu))
    }
}

impl Rounded for Bound<'_> {
    type Dual = Vec<f64>;

    fn rows(&self) -> usize {
        self.y.len()
    }

    fn scale(&self, w: &[f64]) -> Option<f64> {
        let smooth =
            matches!(self.common.cost, Cost::SquaredHinge | Cost::Logistic | Cost::SquaredInsensitive(_));
        let error = |i: usize| (self.common.x.output(i, w) - self.y[i]).abs();
        (!smooth).then(|| (0..self.y.len()).map(error).fold(f64::MIN_POSITIVE, f64::max))
    }

    fn primal(&self, w: &[f64]) -> f64 {
        Bound::primal(self, w)
    }

    fn rounded(&self, w: &[f64], mu: f64) -> f64 {
        self.common.penalty(w) + self.losses(w, mu).map(|loss| loss.value).sum::<f64>()
    }

    fn dual_point(&self, w: &[f64], mu: f64) -> Option<(f64, Vec<f64>)> {
        let beta: Vec<f64> = self.losses(w, mu).map(|loss| loss.beta).collect();
        let beta = if self.common.free { self.balanced(beta)? } else { beta };
        Some((self.total(&beta).0, beta))
    }

    fn shape(&self, w: &[f64], mu: f64) -> (Vec<f64>, Vec<Vec<f64>>) {
        let (width, counted) = (w.len(), w.len() - usize::from(self.common.free));
        let mut slope: Vec<f64> = w.to_vec();
        if self.common.free {
            slope[width - 1] = if self.plane() { 1.0 } else { 0.0 };
        }
        let mut bends = vec![vec![0.0; width]; width];
        (0..counted).for_each(|j| bends[j][j] = 1.0);
        for (i, Loss { beta, bend, .. }) in self.losses(w, mu).enumerate() {
            if beta != 0.0 {
                self.common.x.add(i, -beta, &mut slope);
            }
            if bend > 0.0 {
                let entries = self.common.x.entries(i);
                for &(j, a) in &entries {
                    let below = entries.iter().take_while(|(k, _)| *k <= j);
                    below.for_each(|(k, b)| bends[j][*k] += bend * a * b);
                }
            }
        }
        (slope, bends)
    }
}

/// max(0, t) for a positive t, t²/2μ below μ: its value, slope and second derivative.
pub(super) fn corner(t: f64, mu: f64) -> (f64, f64, f64) {
    if t < mu { (0.5 * t * t / mu, t / mu, 1.0 / mu) } else { (t - 0.5 * mu, 1.0, 0.0) }
}

/// Where a slope that falls passes 0, between two ends.
pub(super) fn middle(low: f64, high: f64, slope: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (low, high);
    for _ in 0..HALVINGS {
        let at = f64::midpoint(low, high);
        if at == low || at == high {
            break;
        }
        if slope(at) > 0.0 { low = at } else { high = at }
    }
    f64::midpoint(low, high)
}
