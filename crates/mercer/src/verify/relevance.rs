//! Relevance vector machines: the posterior of the weights and the log evidence, from the precisions of the priors.
//!
//! Numbers, with N = Σw and H = A + βΦᵀWΦ: μ = βH⁻¹ΦᵀWt, Σ = H⁻¹, and twice the log evidence is
//! N log β/2π + Σ log α − log|H| − β‖t − Φμ‖²_W − μᵀAμ. Classes, by Laplace's approximation: μ is where the slope of
//! log p(t | Φμ) − ½μᵀAμ is 0, H = A + ΦᵀBΦ with B the second derivatives there, and the log evidence is
//! log p(t | Φμ) − ½μᵀAμ + ½Σ log α − ½log|H|.

use super::data::Data;
use super::report::Report;
use crate::data::Points;
use crate::error::Result;
use crate::model::{Model, RelevanceModel, Space};

/// Verifies a relevance vector machine; else answers that the model is none.
pub(super) fn verify<X: Space>(
    model: &(dyn Model<X> + 'static),
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<bool> {
    let Some(model) = model.downcast::<RelevanceModel<X, X::Kernel>>() else { return Ok(false) };
    let kernel = model.expansion.kernel();
    let any = |_: usize, _: usize| true;
    let Some(rows) = data.rows_of(kernel, model.expansion.points(), &model.support, &any, report) else {
        return Ok(true);
    };
    let columns = data.x.select(&rows);
    let phi = data.values(kernel, &columns, report)?.all();
    let joint = model.sizes.len() > 1 && model.evidence.len() == 1;
    let functions = if joint { 1 } else { model.sizes.len() };
    if model.classes.len() == 2 {
        let (weights, offsets) = (model.expansion.coefficients().first_block(), model.expansion.offsets());
        let opposite = |pair: &[f64]| pair[0] == -pair[1];
        if !weights.chunks(2).all(opposite) || !opposite(offsets) {
            report.flaw("", "the functions of the two classes are not opposite");
        }
    }
    let (mut first, mut next) = (0, 0);
    for function in 0..functions {
        let name =
            if model.classes.len() > 2 && !joint { model.classes[function].clone() } else { String::new() };
        let all: Vec<usize> = if joint { (0..model.sizes.len()).collect() } else { vec![function] };
        let mut terms = Vec::new();
        for &output in &all {
            terms.extend(active(model, output, first));
            first += model.sizes[output];
        }
        let weights = Weights { terms, roots: model.sizes[function], model };
        let precisions = match model.precisions.get(next..next + weights.terms.len()) {
            Some(own) => own.to_vec(),
            None => {
                report.note("the precisions of the priors are not in the file: they are taken to be where the evidence is largest");
                weights.largest()
            }
        };
        next += weights.terms.len();
        if weights.terms.len() != weights.roots {
            report.flaw(&name, format_args!("{} weights with {} roots", weights.terms.len(), weights.roots));
            continue;
        }
        let found = if model.classes.is_empty() {
            let Some(y) = data.numbers(1, report) else { return Ok(true) };
            numbers(&weights, &phi, &y[0], &data.weights, &precisions, model.noise)
        } else {
            let Some(class) = data.classes(&model.classes, report) else { return Ok(true) };
            let of = |output: usize| -> Vec<f64> {
                let own = if model.classes.len() == 2 { 1 } else { output };
                class.iter().map(|&class| f64::from(u8::from(class == own))).collect()
            };
            let members: Vec<Vec<f64>> = all.iter().map(|&output| of(output)).collect();
            classes(&weights, &phi, &members, &data.weights, &precisions)
        };
        let Some(found) = found else {
            report.flaw(&name, "the precision of the weights is not positive definite");
            continue;
        };
        let size = found.evidence.abs().max(found.size);
        report.equal(&name, "log evidence", model.evidence[function], found.evidence, 1e-7 * (1.0 + size));
        report.at_most(&name, "residual of the weights", 0.0, found.residual, 1e-6);
        report.at_most(&name, "residual of the covariance", 0.0, found.covariance, 1e-2);
        let gradient = found.gradient;
        report.at_most(
            &name,
            "derivative of the log evidence",
            model.gradient,
            gradient,
            1e-5 + 10.0 * found.covariance,
        );
    }
    Ok(true)
}

/// The place of a weight: its function, and its row of the expansion, none for the constant.
type Term = (usize, Option<usize>);

/// The weights of a function whose roots begin at `first`.
fn active<X: Points, K: crate::kernel::Kernel<X>>(
    model: &RelevanceModel<X, K>,
    output: usize,
    first: usize,
) -> Vec<Term> {
    let (size, roots) = (model.sizes[output], model.spread.offsets().len());
    let spread = model.spread.coefficients().first_block();
    let is_some = |list: &[f64]| list.iter().any(|u| *u != 0.0);
    let constant = is_some(&model.spread.offsets()[first..first + size]).then_some((output, None));
    let row = |row: usize| is_some(&spread[row * roots + first..][..size]).then_some((output, Some(row)));
    constant.into_iter().chain((0..model.support.len()).filter_map(row)).collect()
}

/// Some weights of a model that are fitted together.
struct Weights<'a, X, K> {
    terms: Vec<Term>,
    roots: usize,
    model: &'a RelevanceModel<X, K>,
}

/// What was found.
struct Found {
    evidence: f64,
    /// The largest term of the evidence.
    size: f64,
    /// The step to the mean of the weights, in units of their deviations.
    residual: f64,
    /// The largest entry of UᵀHU − I.
    covariance: f64,
    /// The largest derivative of the evidence in a log α.
    gradient: f64,
}

impl<X: Points, K: crate::kernel::Kernel<X>> Weights<'_, X, K> {
    /// The mean of each.
    fn mean(&self) -> Vec<f64> {
        let (expansion, two) = (&self.model.expansion, self.model.classes.len() == 2);
        let outputs = expansion.offsets().len();
        let own = |output: usize| if two { 1 } else { output };
        let one = |&(output, row): &Term| match row {
            Some(row) => expansion.coefficients().first_block()[row * outputs + own(output)],
            None => -expansion.offsets()[own(output)],
        };
        self.terms.iter().map(one).collect()
    }

    /// U, a row for each.
    fn root(&self) -> Vec<Vec<f64>> {
        let roots = self.model.spread.offsets().len();
        let spread = self.model.spread.coefficients().first_block();
        let first = |output: usize| self.model.sizes[..output].iter().sum::<usize>();
        let one = |&(output, row): &Term| match row {
            Some(row) => spread[row * roots + first(output)..][..self.roots].to_vec(),
            None => self.model.spread.offsets()[first(output)..][..self.roots].iter().map(|u| -u).collect(),
        };
        self.terms.iter().map(one).collect()
    }

    /// The precisions at which the evidence is largest: α(μ² + Σ) = 1.
    fn largest(&self) -> Vec<f64> {
        let variance = |row: &Vec<f64>| row.iter().map(|u| u * u).sum::<f64>();
        self.mean().iter().zip(self.root()).map(|(m, row)| 1.0 / (m * m + variance(&row))).collect()
    }

    /// The values of the column of each weight.
    fn columns(&self, phi: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let one = |&(_, row): &Term| phi.iter().map(|values| row.map_or(1.0, |row| values[row])).collect();
        self.terms.iter().map(one).collect()
    }

    /// What follows from H, the slope at the mean, and the terms of the evidence without the determinants.
    fn found(&self, h: &[Vec<f64>], slope: &[f64], alpha: &[f64], fit: f64, moved: &[f64]) -> Option<Found> {
        let factor = Factor::of(h)?;
        let (mean, root) = (self.mean(), self.root());
        let m = mean.len();
        let step = factor.solve(slope);
        let residual = step.iter().zip(slope).map(|(s, g)| s * g).sum::<f64>().abs().sqrt();
        // UᵀHU
        let mut covariance = 0.0_f64;
        for a in 0..m {
            let image: Vec<f64> = (0..m).map(|i| (0..m).map(|j| h[i][j] * root[j][a]).sum()).collect();
            for b in 0..m {
                let value: f64 = (0..m).map(|i| root[i][b] * image[i]).sum();
                covariance = covariance.max((value - f64::from(u8::from(a == b))).abs());
            }
        }
        let prior: f64 = mean.iter().zip(alpha).map(|(w, a)| a * w * w).sum();
        let logs: f64 = alpha.iter().map(|a| a.ln()).sum();
        let log = factor.log_determinant();
        let variance = |i: usize| root[i].iter().map(|u| u * u).sum::<f64>();
        let of =
            |i: usize| (0.5 * (1.0 - alpha[i] * variance(i) - alpha[i] * mean[i] * mean[i]) + moved[i]).abs();
        Some(Found {
            evidence: fit - 0.5 * prior + 0.5 * logs - 0.5 * log,
            size: fit.abs().max(prior).max(logs.abs()).max(log.abs()),
            residual,
            covariance,
            gradient: (0..m).map(of).fold(0.0, f64::max),
        })
    }
}

/// Numbers with Gaussian noise of the variance `noise`.
fn numbers<X: Points, K: crate::kernel::Kernel<X>>(
    weights: &Weights<'_, X, K>,
    phi: &[Vec<f64>],
    y: &[f64],
    counts: &[f64],
    alpha: &[f64],
    noise: f64,
) -> Option<Found> {
    let (columns, mean, beta) = (weights.columns(phi), weights.mean(), 1.0 / noise);
    let value = |i: usize| columns.iter().zip(&mean).map(|(c, w)| c[i] * w).sum::<f64>();
    let errors: Vec<f64> = (0..y.len()).map(|i| y[i] - value(i)).collect();
    let h = second(&columns, alpha, |i, _, _| beta * counts[i], &weights.terms);
    let slope = |j: usize| {
        beta * (0..y.len()).map(|i| counts[i] * columns[j][i] * errors[i]).sum::<f64>() - alpha[j] * mean[j]
    };
    let slope: Vec<f64> = (0..mean.len()).map(slope).collect();
    let total: f64 = counts.iter().sum();
    let square: f64 = errors.iter().zip(counts).map(|(e, w)| w * e * e).sum();
    let fit = 0.5 * total * (beta / std::f64::consts::TAU).ln() - 0.5 * beta * square;
    weights.found(&h, &slope, alpha, fit, &vec![0.0; mean.len()])
}

/// Classes under a logistic function (one list of members) or a softmax.
fn classes<X: Points, K: crate::kernel::Kernel<X>>(
    weights: &Weights<'_, X, K>,
    phi: &[Vec<f64>],
    members: &[Vec<f64>],
    counts: &[f64],
    alpha: &[f64],
) -> Option<Found> {
    let (columns, mean, n) = (weights.columns(phi), weights.mean(), counts.len());
    // Functions are numbered from 0 among those that are fitted together.
    let base = weights.terms.first().map_or(0, |term| if members.len() == 1 { term.0 } else { 0 });
    let terms: Vec<Term> = weights.terms.iter().map(|&(output, row)| (output - base, row)).collect();
    let mut f = vec![vec![0.0; n]; members.len()];
    for ((column, w), &(output, _)) in columns.iter().zip(&mean).zip(&terms) {
        f[output].iter_mut().zip(column).for_each(|(f, c)| *f += w * c);
    }
    let (mut fit, mut rates) = (0.0, vec![vec![0.0; n]; members.len()]);
    for i in 0..n {
        if let [own] = members {
            let (t, f) = (own[i], f[0][i]);
            rates[0][i] = 1.0 / (1.0 + (-f).exp());
            let margin = if t > 0.5 { f } else { -f };
            fit -= counts[i] * ((-margin.abs()).exp().ln_1p() + (-margin).max(0.0));
        } else {
            let most = f.iter().map(|f| f[i]).fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = f.iter().map(|f| (f[i] - most).exp()).sum();
            for (k, rates) in rates.iter_mut().enumerate() {
                rates[i] = (f[k][i] - most).exp() / total;
                fit += counts[i] * members[k][i] * (f[k][i] - most - total.ln());
            }
        }
    }
    let bend = |i: usize, a: usize, b: usize| {
        let same = if a == b { rates[a][i] } else { 0.0 };
        counts[i] * (same - rates[a][i] * rates[b][i])
    };
    let h = second(&columns, alpha, bend, &terms);
    let slope = |j: usize| {
        let (column, output) = (&columns[j], terms[j].0);
        let sum = |i: usize| counts[i] * column[i] * (members[output][i] - rates[output][i]);
        (0..n).map(sum).sum::<f64>() - alpha[j] * mean[j]
    };
    let slope: Vec<f64> = (0..mean.len()).map(slope).collect();
    let moved = moved(weights, &columns, &terms, &rates, counts, alpha);
    weights.found(&h, &slope, alpha, fit, &moved)
}

/// −αᵢwᵢ(ΣΦᵀe)ᵢ: what the derivative of the evidence has besides because the mode moves; e = −½B(diag V − 2Vp), of one function
/// −½V·p(1 − p)(1 − 2p), with V the covariance of the functions at a point.
fn moved<X: Points, K: crate::kernel::Kernel<X>>(
    weights: &Weights<'_, X, K>,
    columns: &[Vec<f64>],
    terms: &[Term],
    rates: &[Vec<f64>],
    counts: &[f64],
    alpha: &[f64],
) -> Vec<f64> {
    let (root, mean, functions) = (weights.root(), weights.mean(), rates.len());
    let (m, n) = (mean.len(), counts.len());
    let mut pulled = vec![0.0; m];
    for i in 0..n {
        // The rows of the functions at this point in terms of the roots.
        let mut rows = vec![vec![0.0; weights.roots]; functions];
        for j in 0..m {
            rows[terms[j].0].iter_mut().zip(&root[j]).for_each(|(r, u)| *r += columns[j][i] * u);
        }
        let v = |a: usize, b: usize| rows[a].iter().zip(&rows[b]).map(|(x, y)| x * y).sum::<f64>();
        let e: Vec<f64> = if functions == 1 {
            let p = rates[0][i];
            vec![-0.5 * counts[i] * v(0, 0) * p * (1.0 - p) * (1.0 - 2.0 * p)]
        } else {
            let p: Vec<f64> = rates.iter().map(|rates| rates[i]).collect();
            let z: Vec<f64> = (0..functions)
                .map(|a| v(a, a) - 2.0 * (0..functions).map(|b| v(a, b) * p[b]).sum::<f64>())
                .collect();
            let mean: f64 = p.iter().zip(&z).map(|(p, z)| p * z).sum();
            (0..functions).map(|a| -0.5 * counts[i] * p[a] * (z[a] - mean)).collect()
        };
        for j in 0..m {
            pulled[j] += columns[j][i] * e[terms[j].0];
        }
    }
    // ΣΦᵀe = U(UᵀΦᵀe)
    let inner: Vec<f64> = (0..weights.roots).map(|a| (0..m).map(|j| root[j][a] * pulled[j]).sum()).collect();
    (0..m)
        .map(|j| -alpha[j] * mean[j] * root[j].iter().zip(&inner).map(|(u, v)| u * v).sum::<f64>())
        .collect()
}

/// A + ΦᵀBΦ.
fn second(
    columns: &[Vec<f64>],
    alpha: &[f64],
    bend: impl Fn(usize, usize, usize) -> f64,
    terms: &[Term],
) -> Vec<Vec<f64>> {
    let m = columns.len();
    let entry = |a: usize, b: usize| {
        let own = if a == b { alpha[a] } else { 0.0 };
        let sum = |i: usize| columns[a][i] * columns[b][i] * bend(i, terms[a].0, terms[b].0);
        own + (0..columns[a].len()).map(sum).sum::<f64>()
    };
    (0..m).map(|a| (0..m).map(|b| entry(a, b)).collect()).collect()
}

/// A Cholesky factor, of the matrix with a diagonal of ones.
struct Factor {
    rows: Vec<Vec<f64>>,
    scale: Vec<f64>,
}

impl Factor {
    /// None where the matrix is not positive definite.
    fn of(h: &[Vec<f64>]) -> Option<Self> {
        let m = h.len();
        let scale: Vec<f64> = (0..m).map(|i| h[i][i].sqrt()).collect();
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(m);
        for i in 0..m {
            let mut row = vec![0.0; i + 1];
            for j in 0..=i {
                let inner: f64 = (0..j).map(|k| row[k] * if j == i { row[k] } else { rows[j][k] }).sum();
                let value = h[i][j] / (scale[i] * scale[j]) - inner;
                row[j] = if j == i { value.sqrt() } else { value / rows[j][j] };
            }
            if row[i].is_nan() || row[i] <= 0.0 {
                return None;
            }
            rows.push(row);
        }
        Some(Self { rows, scale })
    }

    fn log_determinant(&self) -> f64 {
        2.0 * self.rows.iter().enumerate().map(|(i, row)| row[i].ln() + self.scale[i].ln()).sum::<f64>()
    }

    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let m = self.rows.len();
        let mut x: Vec<f64> = right.iter().zip(&self.scale).map(|(r, s)| r / s).collect();
        for i in 0..m {
            let inner: f64 = (0..i).map(|k| self.rows[i][k] * x[k]).sum();
            x[i] = (x[i] - inner) / self.rows[i][i];
        }
        for i in (0..m).rev() {
            let inner: f64 = (i + 1..m).map(|k| self.rows[k][i] * x[k]).sum();
            x[i] = (x[i] - inner) / self.rows[i][i];
        }
        x.iter().zip(&self.scale).map(|(x, s)| x / s).collect()
    }
}
