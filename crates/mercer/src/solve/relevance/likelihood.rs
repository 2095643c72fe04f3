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
use super::span::Span;
use crate::linalg::Lower;
use crate::simd::{add_scaled, inner_product};

/// Newton steps to the mode at most.
const NEWTON: usize = 50;

/// The mode is found where a Newton step would gain less than this.
const FLAT: f64 = 1e-20;

/// A Newton step that would gain less than this is taken as it is: rounding hides whether it rises.
const NEAR: f64 = 1e-9;

/// Halvings of a Newton step at most.
const HALVINGS: i32 = 30;

/// The least probability that a target of the Gaussian likelihood is divided by: it says nothing, but must stay finite.
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

/// Candidates in a model with the precisions of their priors, the mode of their weights, and what follows.
#[derive(Clone)]
pub(super) struct Mode {
    pub(super) active: Vec<usize>,
    pub(super) alpha: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// The log evidence.
    pub(super) evidence: f64,
    /// Σ, row after row.
    pub(super) covariance: Vec<f64>,
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

    /// The probability of the class of each function at each point.
    fn rates(&self, values: &[Vec<f64>]) -> Vec<Vec<f64>> {
        if let [values] = values {
            return vec![values.iter().map(|&f| sigmoid(f)).collect()];
        }
        let mut rates = values.to_vec();
        for i in 0..self.weights.len() {
            let most = values.iter().fold(f64::NEG_INFINITY, |most, f| most.max(f[i]));
            rates.iter_mut().for_each(|rates| rates[i] = (rates[i] - most).exp());
            let sum: f64 = rates.iter().map(|rates| rates[i]).sum();
            rates.iter_mut().for_each(|rates| rates[i] /= sum);
        }
        rates
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

    /// Entry (k, l) of B at a point, without the point's weight.
    fn precision(&self, rates: &[Vec<f64>], k: usize, l: usize, i: usize) -> f64 {
        if k == l { rates[k][i] * (1.0 - rates[k][i]) } else { -rates[k][i] * rates[l][i] }
    }

    /// H = ΦᵀBΦ + A.
    fn products(&self, rates: &[Vec<f64>], active: &[usize], alpha: &[f64]) -> Lower<f64> {
        let mut matrix = Lower::<f64>::zeros(active.len());
        for (i, &candidate) in active.iter().enumerate() {
            let (column, own) = self.candidate(candidate);
            let mut scaled: Vec<Option<Vec<f64>>> = vec![None; rates.len()];
            for (j, value) in matrix.row_mut(i).iter_mut().enumerate() {
                let (other, function) = self.candidate(active[j]);
                let scaled = scaled[function].get_or_insert_with(|| {
                    let at = |p: usize| self.weights[p] * self.precision(rates, own, function, p) * column[p];
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
        for step in 0..=NEWTON {
            let rates = self.rates(&values);
            let slope: Vec<f64> = (0..active.len())
                .map(|i| {
                    let (column, function) = self.candidate(active[i]);
                    let (t, y) = (&self.members[function], &rates[function]);
                    let missed = (0..column.len()).map(|p| column[p] * self.weights[p] * (t[p] - y[p]));
                    missed.sum::<f64>() - alpha[i] * weights[i]
                })
                .collect();
            let design = self.design(&rates);
            let columns = || active.iter().map(|&candidate| design.column(candidate)).collect();
            let factor = Hessian::new(&self.products(&rates, active, alpha), alpha, columns)?;
            let way = factor.solve(vec![slope.clone()]);
            // Twice what the Newton step would gain, were the likelihood a parabola.
            let gain = inner_product(&slope, &way[0]);
            if step == NEWTON || gain < FLAT {
                return Some(self.at_mode((active, alpha), weights, values, height, &factor));
            }
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
        let m = active.len();
        let units = (0..m).map(|i| (0..m).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        let prior: f64 = alpha.iter().map(|a| a.ln()).sum();
        Mode {
            active: active.to_vec(),
            alpha: alpha.to_vec(),
            weights,
            evidence: height + 0.5 * (prior - factor.log_determinant()),
            covariance: factor.solve(units).concat(),
            values,
        }
    }

    /// Σ times the values at a point of the columns of each function.
    fn rows(&self, mode: &Mode, point: usize) -> Vec<Vec<f64>> {
        let m = mode.active.len();
        let mut rows = vec![vec![0.0; m]; self.members.len()];
        for (i, &candidate) in mode.active.iter().enumerate() {
            let (column, function) = self.candidate(candidate);
            add_scaled(&mut rows[function], column[point], &mode.covariance[i * m..(i + 1) * m]);
        }
        rows
    }

    /// B times a value for each function, at a point.
    fn bent(&self, rates: &[Vec<f64>], values: &[f64], point: usize) -> Vec<f64> {
        let of =
            |k: usize| (0..values.len()).map(|l| self.precision(rates, k, l, point) * values[l]).sum::<f64>();
        (0..values.len()).map(|k| self.weights[point] * of(k)).collect()
    }

    /// e = −½ ∂log|H|/∂f of each function.
    fn tilt(&self, mode: &Mode, rates: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let functions = rates.len();
        let mut tilt = vec![vec![0.0; self.weights.len()]; functions];
        for p in 0..self.weights.len() {
            let rows = self.rows(mode, p);
            let mut joint = vec![0.0; functions * functions];
            for (j, &candidate) in mode.active.iter().enumerate() {
                let (column, l) = self.candidate(candidate);
                (0..functions).for_each(|k| joint[k * functions + l] += rows[k][j] * column[p]);
            }
            let inner = |k: usize| {
                let own = &joint[k * functions..(k + 1) * functions];
                own[k] - 2.0 * own.iter().zip(rates).map(|(v, y)| v * y[p]).sum::<f64>()
            };
            let inner: Vec<f64> = (0..functions).map(inner).collect();
            let bent = self.bent(rates, &inner, p);
            tilt.iter_mut().zip(bent).for_each(|(tilt, bent)| tilt[p] = -0.5 * bent);
        }
        tilt
    }

    /// ΣΦᵀe
    fn drift(&self, mode: &Mode, tilt: &[Vec<f64>]) -> Vec<f64> {
        let m = mode.active.len();
        let pulls: Vec<f64> = mode
            .active
            .iter()
            .map(|&candidate| {
                let (column, function) = self.candidate(candidate);
                inner_product(column, &tilt[function])
            })
            .collect();
        (0..m).map(|i| inner_product(&mode.covariance[i * m..(i + 1) * m], &pulls)).collect()
    }

    /// The derivatives of the log evidence in log α.
    pub(super) fn gradient(&self, mode: &Mode) -> Vec<f64> {
        let rates = self.rates(&mode.values);
        let drift = self.drift(mode, &self.tilt(mode, &rates));
        let m = mode.active.len();
        (0..m)
            .map(|i| {
                let (alpha, weight) = (mode.alpha[i], mode.weights[i]);
                0.5 * (1.0 - alpha * mode.covariance[i * m + i] - alpha * weight * weight)
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
        let functions = rates.len();
        let mut pull = vec![vec![0.0; n]; mode.active.len()];
        for p in 0..n {
            let rows = self.rows(&mode, p);
            let at: Vec<f64> = shifted.iter().map(|values| values[p]).collect();
            let bent = self.bent(&rates, &at, p);
            let missed: Vec<f64> =
                (0..functions).map(|k| self.weights[p] * (self.members[k][p] - rates[k][p])).collect();
            for (i, &candidate) in mode.active.iter().enumerate() {
                let k = self.candidate(candidate).1;
                let across: f64 =
                    (0..functions).map(|l| self.precision(&rates, k, l, p) * rows[l][i]).sum::<f64>();
                pull[i][p] = ((missed[k] + tilt[k][p] - bent[k]) * mode.weights[i] + missed[k] * drift[i]
                    - self.weights[p] * across)
                    / lengths[i];
            }
        }
        pull
    }

    /// The columns as the likelihood scales them.
    fn design(&self, rates: &[Vec<f64>]) -> Design<'_> {
        let [rates] = rates else { return Design::of_classes(self.columns, rates, self.weights) };
        let precisions = rates.iter().map(|y| (y * (1.0 - y)).max(LEAST));
        Design::scaled(self.columns, precisions.zip(self.weights).map(|(b, w)| (b * w).sqrt()).collect())
    }

    /// The regression that the likelihood looks like at the mode.
    pub(super) fn gaussian(&self, mode: &Mode) -> Evidence<'_> {
        let mut rates = self.rates(&mode.values);
        rates.iter_mut().flatten().for_each(|y| *y = y.max(LEAST));
        let n = self.weights.len();
        // With RRᵀ = B, the target Rᵀf + R⁻¹(t − p).
        let target = if let ([rates], [values]) = (&rates[..], &mode.values[..]) {
            let at = |i: usize| {
                let precision = (rates[i] * (1.0 - rates[i])).max(LEAST);
                let missed = (self.members[0][i] - rates[i]) / precision;
                (precision * self.weights[i]).sqrt() * (values[i] + missed)
            };
            (0..n).map(at).collect()
        } else {
            let along = |i: usize| rates.iter().zip(&mode.values).map(|(y, f)| y[i] * f[i]).sum();
            let along: Vec<f64> = (0..n).map(along).collect();
            let at = |k: usize, i: usize| {
                let (y, f, t) = (rates[k][i], mode.values[k][i], self.members[k][i]);
                self.weights[i].sqrt() * (y.sqrt() * (f - along[i]) + (t - y) / y.sqrt())
            };
            (0..rates.len()).flat_map(|k| (0..n).map(move |i| (k, i))).map(|(k, i)| at(k, i)).collect()
        };
        let span = Span::new(self.design(&rates), target);
        Evidence::new(span, self.weights.iter().sum(), (1.0, PRECISIONS.0), &mode.active, &mode.alpha)
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
