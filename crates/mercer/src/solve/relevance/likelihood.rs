//! Classes under a logistic function or a softmax, and Laplace's approximation of their evidence.
//!
//! With functions f = Φw, weights w ~ N(0, A⁻¹) and the likelihood p(t | f), the evidence is taken at the mode of the weights:
//!
//! L(α) = log p(t | f) − ½wᵀAw + ½ log|A| − ½ log|H|,  H = ΦᵀBΦ + A,  B = −∂² log p/∂f².
//!
//! The mode moves with α, and B with the mode: ∂L/∂log αᵢ = ½(1 − αᵢΣᵢᵢ − αᵢwᵢ²) − αᵢwᵢ(ΣΦᵀe)ᵢ with Σ = H⁻¹ and e = −½ ∂log|H|/∂f.
//! With V the covariance of the functions at a point and p their probabilities, e = −½B(diag V − 2Vp).

use super::Relevant;
use super::columns::Columns;
use super::design::Design;
use super::evidence::Evidence;
use super::hessian::Hessian;
use super::posterior::{Posterior, Stacked};
use super::span::Span;
use crate::linalg::Lower;
use crate::simd::{add_scaled, inner_product};

/// Newton steps to the mode at most.
const NEWTON: usize = 50;

/// The mode is found where a Newton step would gain less than this.
const FLAT: f64 = 1e-20;

/// A Newton step that would gain less than this is taken as it is: rounding hides whether it rises.
const NEAR: f64 = 1e-9;

/// A Newton step below [`NEAR`] that would gain more than this share of what the one before would have is rounding.
const SETTLED: f64 = 0.5;

/// Halvings of a Newton step at most.
const HALVINGS: i32 = 30;

/// The least probability, of a class and of all others, that a target of the Gaussian likelihood is divided by: it says nothing, but
/// must stay finite.
const LEAST: f64 = 1e-10;

/// The range of a prior's precision, of a column of length 1.
pub(super) const PRECISIONS: (f64, f64) = (1e-16, 1e12);

/// Points with weights, each of one class.
pub(crate) struct Classes<'a> {
    /// The candidate columns.
    pub(crate) columns: &'a Columns,
    /// 1 where a point is of the class that a function speaks for, else 0; for one function, or for one of each class.
    pub(crate) members: Vec<Vec<f64>>,
    /// The weight of each point.
    pub(crate) weights: &'a [f64],
}

/// The probability of the class of each function at each point, and that of all other classes, which 1 − p would lose to rounding
/// where p is near 1.
pub(super) struct Rates {
    pub(super) own: Vec<Vec<f64>>,
    pub(super) others: Vec<Vec<f64>>,
}

impl Rates {
    /// Those of a likelihood that looks like a Gaussian: away from 0.
    fn bounded(mut self) -> Self {
        self.own.iter_mut().chain(&mut self.others).flatten().for_each(|p| *p = p.max(LEAST));
        self
    }

    /// Entry (k, l) of B at a point, without the point's weight.
    fn precision(&self, k: usize, l: usize, i: usize) -> f64 {
        if k == l { self.own[k][i] * self.others[k][i] } else { -self.own[k][i] * self.own[l][i] }
    }

    /// t − p of a function at a point that is of its class or not.
    fn missed(&self, k: usize, member: f64, i: usize) -> f64 {
        if member > 0.5 { self.others[k][i] } else { -self.own[k][i] }
    }
}

/// Candidates in a model with the precisions of their priors, the mode of their weights, and what follows.
#[derive(Clone)]
pub(super) struct Mode {
    pub(super) active: Vec<usize>,
    pub(super) alpha: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// The log evidence.
    pub(super) evidence: f64,
    /// The rows of a matrix U with Σ = UUᵀ.
    pub(super) root: Vec<Vec<f64>>,
    /// The values of each function.
    values: Vec<Vec<f64>>,
}

impl Classes<'_> {
    /// The column of a candidate, and its function.
    fn candidate(&self, candidate: usize) -> (&[f64], usize) {
        let count = self.columns.len();
        (self.columns.column(candidate % count), candidate / count)
    }

    fn values(&self, active: &[usize], weights: &[f64]) -> Vec<Vec<f64>> {
        let mut values = vec![vec![0.0; self.weights.len()]; self.members.len()];
        for (&candidate, weight) in active.iter().zip(weights) {
            let (column, function) = self.candidate(candidate);
            values[function].iter_mut().zip(column).for_each(|(f, c)| *f += weight * c);
        }
        values
    }

    fn rates(&self, values: &[Vec<f64>]) -> Rates {
        if let [values] = values {
            let own = values.iter().map(|&f| sigmoid(f)).collect();
            return Rates { own: vec![own], others: vec![values.iter().map(|&f| sigmoid(-f)).collect()] };
        }
        let (mut own, mut others) = (values.to_vec(), vec![vec![0.0; self.weights.len()]; values.len()]);
        for i in 0..self.weights.len() {
            let most = values.iter().fold(f64::NEG_INFINITY, |most, f| most.max(f[i]));
            let shares: Vec<f64> = values.iter().map(|f| (f[i] - most).exp()).collect();
            let sum: f64 = shares.iter().sum();
            for (k, share) in shares.iter().enumerate() {
                own[k][i] = share / sum;
                others[k][i] = (0..shares.len()).filter(|&l| l != k).map(|l| shares[l]).sum::<f64>() / sum;
            }
        }
        Rates { own, others }
    }

    /// log p(t | f) − ½wᵀAw
    fn height(&self, values: &[Vec<f64>], weights: &[f64], alpha: &[f64]) -> f64 {
        let of_point = |i: usize| {
            if let ([values], [members]) = (values, &self.members[..]) {
                // log σ(±f) = −log(1 + exp(∓f))
                return -softplus(if members[i] > 0.5 { -values[i] } else { values[i] });
            }
            let most = values.iter().fold(f64::NEG_INFINITY, |most, f| most.max(f[i]));
            let sum: f64 = values.iter().map(|f| (f[i] - most).exp()).sum();
            let own: f64 = values.iter().zip(&self.members).map(|(f, t)| f[i] * t[i]).sum();
            own - most - sum.ln()
        };
        let likelihood: f64 = self.weights.iter().enumerate().map(|(i, w)| w * of_point(i)).sum();
        likelihood - 0.5 * weights.iter().zip(alpha).map(|(w, a)| a * w * w).sum::<f64>()
    }

    /// H = ΦᵀBΦ + A.
    fn products(&self, rates: &Rates, active: &[usize], alpha: &[f64]) -> Lower<f64> {
        let mut matrix = Lower::<f64>::zeros(active.len());
        for (i, &candidate) in active.iter().enumerate() {
            let (column, own) = self.candidate(candidate);
            let mut scaled: Vec<Option<Vec<f64>>> = vec![None; self.members.len()];
            for (j, value) in matrix.row_mut(i).iter_mut().enumerate() {
                let (other, function) = self.candidate(active[j]);
                let scaled = scaled[function].get_or_insert_with(|| {
                    let at = |p: usize| self.weights[p] * rates.precision(own, function, p) * column[p];
                    (0..column.len()).map(at).collect()
                });
                *value = inner_product(scaled, other);
            }
        }
        matrix.add_diagonal(|i| alpha[i]);
        matrix
    }

    /// The mode by Newton's method with halved steps, from weights near it; none where rounding leaves no factor of H.
    pub(super) fn mode(&self, active: &[usize], alpha: &[f64], start: &[f64]) -> Option<Mode> {
        let mut weights = start.to_vec();
        let mut values = self.values(active, &weights);
        let mut height = self.height(&values, &weights, alpha);
        let mut before = f64::INFINITY;
        for step in 0..=NEWTON {
            let rates = self.rates(&values);
            let slope: Vec<f64> = (0..active.len())
                .map(|i| {
                    let (column, function) = self.candidate(active[i]);
                    let missed = |p: usize| rates.missed(function, self.members[function][p], p);
                    let sum: f64 = (0..column.len()).map(|p| column[p] * self.weights[p] * missed(p)).sum();
                    sum - alpha[i] * weights[i]
                })
                .collect();
            let design = self.design(&rates);
            let columns = || active.iter().map(|&candidate| design.column(candidate)).collect();
            let factor = Hessian::new(&self.products(&rates, active, alpha), alpha, columns)?;
            let way = factor.solve(vec![slope.clone()]);
            // Twice what the Newton step would gain, were the likelihood a parabola.
            let gain = inner_product(&slope, &way[0]);
            if step == NEWTON || gain < FLAT || (gain < NEAR && gain > SETTLED * before) {
                return Some(self.at_mode((active, alpha), weights, values, height, &factor));
            }
            before = gain;
            let risen = (0..HALVINGS).find_map(|halvings| {
                let share = 0.5_f64.powi(halvings);
                let new: Vec<f64> = weights.iter().zip(&way[0]).map(|(w, s)| w + share * s).collect();
                let there = self.values(active, &new);
                let now = self.height(&there, &new, alpha);
                (now > height || gain < NEAR).then_some((new, there, now))
            });
            match risen {
                Some(risen) => (weights, values, height) = risen,
                None => return Some(self.at_mode((active, alpha), weights, values, height, &factor)),
            }
        }
        None
    }

    fn at_mode(
        &self,
        (active, alpha): (&[usize], &[f64]),
        weights: Vec<f64>,
        values: Vec<Vec<f64>>,
        height: f64,
        factor: &Hessian,
    ) -> Mode {
        let prior: f64 = alpha.iter().map(|a| a.ln()).sum();
        Mode {
            active: active.to_vec(),
            alpha: alpha.to_vec(),
            weights,
            evidence: height + 0.5 * (prior - factor.log_determinant()),
            root: factor.root(active.len()),
            values,
        }
    }

    /// Uᵀ times the values at a point of the columns of each function: their inner products are the covariance of the functions.
    fn rows(&self, mode: &Mode, point: usize) -> Vec<Vec<f64>> {
        let mut rows = vec![vec![0.0; mode.active.len()]; self.members.len()];
        for (&candidate, root) in mode.active.iter().zip(&mode.root) {
            let (column, function) = self.candidate(candidate);
            add_scaled(&mut rows[function], column[point], root);
        }
        rows
    }

    /// B times a value for each function, at a point.
    fn bent(&self, rates: &Rates, values: &[f64], point: usize) -> Vec<f64> {
        let of = |k: usize| (0..values.len()).map(|l| rates.precision(k, l, point) * values[l]).sum::<f64>();
        (0..values.len()).map(|k| self.weights[point] * of(k)).collect()
    }

    /// e = −½ ∂log|H|/∂f of each function.
    fn tilt(&self, mode: &Mode, rates: &Rates) -> Vec<Vec<f64>> {
        let functions = self.members.len();
        let mut tilt = vec![vec![0.0; self.weights.len()]; functions];
        for p in 0..self.weights.len() {
            let rows = self.rows(mode, p);
            // What functions have in common B takes away, and it may be large: of several the variances of their differences count,
            // (diag V − 2Vp)ₖ = Σₗ pₗ var(fₖ − fₗ) up to a number that is the same for all k.
            let against = |k: usize, l: usize| {
                rows[k].iter().zip(&rows[l]).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() * rates.own[l][p]
            };
            let inner: Vec<f64> = match &rows[..] {
                [row] => vec![inner_product(row, row) * (rates.others[0][p] - rates.own[0][p])],
                _ => (0..functions).map(|k| (0..functions).map(|l| against(k, l)).sum()).collect(),
            };
            let bent = self.bent(rates, &inner, p);
            tilt.iter_mut().zip(bent).for_each(|(tilt, bent)| tilt[p] = -0.5 * bent);
        }
        tilt
    }

    /// ΣΦᵀe
    fn drift(&self, mode: &Mode, tilt: &[Vec<f64>]) -> Vec<f64> {
        let pulls: Vec<f64> = mode
            .active
            .iter()
            .map(|&candidate| {
                let (column, function) = self.candidate(candidate);
                inner_product(column, &tilt[function])
            })
            .collect();
        let mut half = vec![0.0; pulls.len()];
        mode.root.iter().zip(&pulls).for_each(|(row, pull)| add_scaled(&mut half, *pull, row));
        mode.root.iter().map(|row| inner_product(row, &half)).collect()
    }

    /// The derivatives of the log evidence in log α.
    pub(super) fn gradient(&self, mode: &Mode) -> Vec<f64> {
        let rates = self.rates(&mode.values);
        let drift = self.drift(mode, &self.tilt(mode, &rates));
        let m = mode.active.len();
        (0..m)
            .map(|i| {
                let (alpha, weight) = (mode.alpha[i], mode.weights[i]);
                0.5 * (1.0 - alpha * inner_product(&mode.root[i], &mode.root[i]) - alpha * weight * weight)
                    - alpha * weight * drift[i]
            })
            .collect()
    }

    /// The derivatives of the log evidence in the values of each column in a model, before it was scaled: with z = ΣΦᵀe,
    /// (t − p + e − BΦz)wᵀ + (t − p)zᵀ − BΦΣ.
    pub(crate) fn pull(&self, found: &Relevant) -> Vec<Vec<f64>> {
        let own = &found.posterior;
        let lengths: Vec<f64> =
            own.columns.iter().map(|&c| self.columns.length(c % self.columns.len())).collect();
        let alpha: Vec<f64> =
            own.alpha.iter().zip(&lengths).map(|(a, length)| a / (length * length)).collect();
        let start: Vec<f64> = own.mean.iter().zip(&lengths).map(|(w, length)| w * length).collect();
        let n = self.weights.len();
        let Some(mode) = self.mode(&own.columns, &alpha, &start) else {
            return vec![vec![0.0; n]; own.columns.len()];
        };
        let rates = self.rates(&mode.values);
        let tilt = self.tilt(&mode, &rates);
        let drift = self.drift(&mode, &tilt);
        let shifted = self.values(&mode.active, &drift);
        let functions = self.members.len();
        let mut pull = vec![vec![0.0; n]; mode.active.len()];
        for p in 0..n {
            let rows = self.rows(&mode, p);
            let at: Vec<f64> = shifted.iter().map(|values| values[p]).collect();
            let bent = self.bent(&rates, &at, p);
            let missed = |k: usize| self.weights[p] * rates.missed(k, self.members[k][p], p);
            let missed: Vec<f64> = (0..functions).map(missed).collect();
            for (i, &candidate) in mode.active.iter().enumerate() {
                let k = self.candidate(candidate).1;
                let across: f64 = (0..functions)
                    .map(|l| rates.precision(k, l, p) * inner_product(&rows[l], &mode.root[i]))
                    .sum::<f64>();
                pull[i][p] = ((missed[k] + tilt[k][p] - bent[k]) * mode.weights[i] + missed[k] * drift[i]
                    - self.weights[p] * across)
                    / lengths[i];
            }
        }
        pull
    }

    /// The columns as the likelihood scales them.
    fn design(&self, rates: &Rates) -> Design<'_> {
        let [own] = &rates.own[..] else { return Design::of_classes(self.columns, rates, self.weights) };
        let scale = |i: usize| (rates.precision(0, 0, i) * self.weights[i]).sqrt();
        Design::scaled(self.columns, (0..own.len()).map(scale).collect())
    }

    /// The regression that the likelihood looks like at the mode.
    pub(super) fn gaussian(&self, mode: &Mode) -> Evidence<'_> {
        let rates = self.rates(&mode.values).bounded();
        let n = self.weights.len();
        // With RRᵀ = B, the target Rᵀf + R⁻¹(t − p).
        let target = if let [values] = &mode.values[..] {
            let at = |i: usize| {
                let precision = rates.precision(0, 0, i);
                let missed = rates.missed(0, self.members[0][i], i) / precision;
                (precision * self.weights[i]).sqrt() * (values[i] + missed)
            };
            (0..n).map(at).collect()
        } else {
            let along = |i: usize| rates.own.iter().zip(&mode.values).map(|(y, f)| y[i] * f[i]).sum();
            let along: Vec<f64> = (0..n).map(along).collect();
            let at = |k: usize, i: usize| {
                let (root, f) = (rates.own[k][i].sqrt(), mode.values[k][i]);
                let missed = rates.missed(k, self.members[k][i], i);
                self.weights[i].sqrt() * (root * (f - along[i]) + missed / root)
            };
            (0..self.members.len()).flat_map(|k| (0..n).map(move |i| (k, i))).map(|(k, i)| at(k, i)).collect()
        };
        let span = Span::new(self.design(&rates), target);
        Evidence::new(span, self.weights.iter().sum(), (1.0, PRECISIONS.0), &mode.active, &mode.alpha)
    }

    /// The weights at a mode and their covariance.
    pub(super) fn posterior(&self, mode: &Mode) -> Posterior {
        let design = self.design(&self.rates(&mode.values));
        let scaled = |candidate: usize| design.column(candidate);
        Stacked::new(&mode.active, &mode.alpha, scaled).posterior(&mode.weights, self.columns)
    }
}

/// 1/(1 + e⁻ᶠ)
pub(crate) fn sigmoid(f: f64) -> f64 {
    if f >= 0.0 { 1.0 / (1.0 + (-f).exp()) } else { f.exp() / (1.0 + f.exp()) }
}

/// log(1 + eᶠ)
fn softplus(f: f64) -> f64 {
    f.max(0.0) + (-f.abs()).exp().ln_1p()
}
