//! Relevance vector machines: the posterior of the weights and the log evidence, from the precisions of the priors.
//!
//! Numbers, with N = Σw and H = A + βΦᵀWΦ: μ = βH⁻¹ΦᵀWt, Σ = H⁻¹, and twice the log evidence is
//! N log β/2π + Σ log α − log|H| − β‖t − Φμ‖²_W − μᵀAμ. Classes, by Laplace's approximation: μ is where the slope of
//! log p(t | Φμ) − ½μᵀAμ is 0, H = A + ΦᵀBΦ with B the second derivatives there, and the log evidence is
//! log p(t | Φμ) − ½μᵀAμ + ½Σ log α − ½log|H|.
//!
//! With W the columns B^½Φ over A^½, H = WᵀW. Columns of wide kernels are nearly collinear, and how many digits of these numbers rounding
//! leaves follows from them: where each value of a column errs by a share ε of the column's length, WΣWᵀ and log|H| err by at most
//! 2εκ, κ = Σ ‖wⱼ‖√Σⱼⱼ.

use super::data::Data;
use super::report::Report;
use crate::data::Points;
use crate::error::Result;
use crate::model::{Model, RelevanceModel, Space};

/// The share ε of a column's length by which one of its values may err.
const ROUNDING: f64 = 1e-13;

/// The least precision of the prior of a column of length 1 that a fit gives, of numbers in units of 1/their variance.
const LEAST: f64 = 1e-16;

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
        let evidence = 1e-7 * (1.0 + size) + found.rounding + found.weights_rounding;
        report.equal(&name, "log evidence", model.evidence[function], found.evidence, evidence);
        let weights = 1e-6 + found.weights_rounding;
        report.at_most(&name, "residual of the weights", 0.0, found.residual, weights);
        let covariance = 1e-6 + found.rounding;
        report.at_most(&name, "residual of the covariance", 0.0, found.covariance, covariance);
        let gradient = 1e-5 + 10.0 * (found.rounding + found.weights_rounding);
        report.at_most(&name, "derivative of the log evidence", model.gradient, found.gradient, gradient);
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
    /// The largest derivative of the evidence in a log α that is not at a bound.
    gradient: f64,
    /// By how much rounding may change the evidence and the covariance.
    rounding: f64,
    /// By how much it may change the residual of the weights.
    weights_rounding: f64,
}

/// The likelihood at the weights of a model.
struct Local {
    /// The column of each weight.
    columns: Vec<Vec<f64>>,
    /// The function of each weight, numbered among those that are fitted together.
    functions: Vec<usize>,
    /// The columns times B^½.
    scaled: Vec<Vec<f64>>,
    /// The derivative of the log likelihood in the value of each function at each point.
    pull: Vec<Vec<f64>>,
    /// The log likelihood.
    fit: f64,
    /// What the derivative of the evidence in each log α has besides because the mode moves.
    moved: Vec<f64>,
    /// The least precision of a prior, of a column of length 1.
    least: f64,
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

    /// What follows from the likelihood and the precisions of the priors; none where H is not positive definite.
    fn found(&self, local: &Local, alpha: &[f64], counts: &[f64]) -> Option<Found> {
        let (mean, root, m) = (self.mean(), self.root(), alpha.len());
        let stack = |(j, scaled): (usize, &Vec<f64>)| {
            let prior = (0..m).map(|i| if i == j { alpha[j].sqrt() } else { 0.0 });
            scaled.iter().copied().chain(prior).collect()
        };
        let stacked: Vec<Vec<f64>> = local.scaled.iter().enumerate().map(stack).collect();
        let log = log_determinant(&stacked)?;
        // UᵀHU is that of WU.
        let image = |a: usize| {
            let mut image = vec![0.0; stacked.first().map_or(0, Vec::len)];
            stacked.iter().zip(&root).for_each(|(w, u)| add_scaled(&mut image, u[a], w));
            image
        };
        let images: Vec<Vec<f64>> = (0..m).map(image).collect();
        let mut covariance = 0.0_f64;
        for a in 0..m {
            for b in 0..=a {
                let value = inner_product(&images[a], &images[b]);
                covariance = covariance.max((value - f64::from(u8::from(a == b))).abs());
            }
        }
        let pulls = |j: usize| local.columns[j].iter().zip(&local.pull[local.functions[j]]);
        let slope: Vec<f64> =
            (0..m).map(|j| pulls(j).map(|(c, p)| c * p).sum::<f64>() - alpha[j] * mean[j]).collect();
        let along = |a: usize| (0..m).map(|j| root[j][a] * slope[j]).sum::<f64>();
        let residual = (0..m).map(|a| along(a).powi(2)).sum::<f64>().sqrt();
        let length = |values: &[f64]| inner_product(values, values).sqrt();
        let (mut condition, mut moved) = (0.0, 0.0);
        for j in 0..m {
            let (deviation, size) = (length(&root[j]), length(&stacked[j]));
            let terms = pulls(j).map(|(c, p)| (c * p).abs()).sum::<f64>() + (alpha[j] * mean[j]).abs();
            condition += deviation * size;
            moved += deviation * terms + size * mean[j].abs();
        }
        let prior: f64 = mean.iter().zip(alpha).map(|(w, a)| a * w * w).sum();
        let logs: f64 = alpha.iter().map(|a| a.ln()).sum();
        let derivative = |i: usize| {
            let variance = inner_product(&root[i], &root[i]);
            let own = 0.5 * (1.0 - alpha[i] * variance - alpha[i] * mean[i] * mean[i]) + local.moved[i];
            let square: f64 = local.columns[i].iter().zip(counts).map(|(c, w)| w * c * c).sum();
            // At its least value a precision would fall further.
            if alpha[i] <= local.least * square * (1.0 + 1e-9) { own.max(0.0) } else { own.abs() }
        };
        Some(Found {
            evidence: local.fit - 0.5 * prior + 0.5 * logs - 0.5 * log,
            size: local.fit.abs().max(prior).max(logs.abs()).max(log.abs()),
            residual,
            covariance,
            gradient: (0..m).map(derivative).fold(0.0, f64::max),
            rounding: ROUNDING * condition,
            weights_rounding: ROUNDING * moved,
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
    let mut errors = y.to_vec();
    columns.iter().zip(&mean).for_each(|(c, w)| add_scaled(&mut errors, -w, c));
    let times = |column: &Vec<f64>| column.iter().zip(counts).map(|(c, w)| c * (beta * w).sqrt()).collect();
    let total: f64 = counts.iter().sum();
    let square: f64 = errors.iter().zip(counts).map(|(e, w)| w * e * e).sum();
    let middle = y.iter().zip(counts).map(|(y, w)| w * y).sum::<f64>() / total;
    let variance = y.iter().zip(counts).map(|(y, w)| w * (y - middle).powi(2)).sum::<f64>() / total;
    // Numbers that are all the same have a scale too.
    let variance = match middle * middle {
        square if variance > 1e-24 * square => variance,
        0.0 => 1.0,
        square => 1e-12 * square,
    };
    let local = Local {
        functions: vec![0; columns.len()],
        scaled: columns.iter().map(times).collect(),
        columns,
        pull: vec![errors.iter().zip(counts).map(|(e, w)| beta * w * e).collect()],
        fit: 0.5 * total * (beta / std::f64::consts::TAU).ln() - 0.5 * beta * square,
        moved: vec![0.0; mean.len()],
        least: LEAST / variance,
    };
    weights.found(&local, alpha, counts)
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
    let base = weights.terms.first().map_or(0, |term| if members.len() == 1 { term.0 } else { 0 });
    let functions: Vec<usize> = weights.terms.iter().map(|&(output, _)| output - base).collect();
    let mut f = vec![vec![0.0; n]; members.len()];
    for ((column, w), &function) in columns.iter().zip(&mean).zip(&functions) {
        add_scaled(&mut f[function], *w, column);
    }
    // The probability of each class, and that of the others, which 1 − p would lose to rounding.
    let mut fit = 0.0;
    let (mut rates, mut others) = (f.clone(), f.clone());
    for i in 0..n {
        // The function of the other class of two is 0.
        let mut scores: Vec<f64> = f.iter().map(|f| f[i]).collect();
        scores.resize(members.len().max(2), 0.0);
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<f64> = scores.iter().map(|f| (f - most).exp()).collect();
        let total: f64 = shares.iter().sum();
        for k in 0..members.len() {
            rates[k][i] = shares[k] / total;
            others[k][i] = (0..shares.len()).filter(|&l| l != k).map(|l| shares[l]).sum::<f64>() / total;
        }
        let own = members.iter().position(|members| members[i] > 0.5).unwrap_or(members.len());
        fit += counts[i] * (scores[own] - most - total.ln());
    }
    let scaled = |(column, &own): (&Vec<f64>, &usize)| -> Vec<f64> {
        let entry = |k: usize, i: usize| {
            let (p, w) = (rates[own][i], counts[i].sqrt());
            column[i] * w * if k == own { p.sqrt() * others[own][i] } else { -p * rates[k][i].sqrt() }
        };
        match members.len() {
            1 => (0..n).map(|i| column[i] * (counts[i] * rates[0][i] * others[0][i]).sqrt()).collect(),
            several => {
                (0..several).flat_map(|k| (0..n).map(move |i| (k, i))).map(|(k, i)| entry(k, i)).collect()
            }
        }
    };
    let missed = |k: usize, i: usize| if members[k][i] > 0.5 { others[k][i] } else { -rates[k][i] };
    let pull = |k: usize| (0..n).map(|i| counts[i] * missed(k, i)).collect();
    let local = Local {
        scaled: columns.iter().zip(&functions).map(scaled).collect(),
        pull: (0..members.len()).map(pull).collect(),
        fit,
        moved: moved(weights, &columns, &functions, (&rates, &others), counts, alpha),
        columns,
        functions,
        least: LEAST,
    };
    weights.found(&local, alpha, counts)
}

/// −αᵢwᵢ(ΣΦᵀe)ᵢ: what the derivative of the evidence has besides because the mode moves; e = −½B(diag V − 2Vp), of one function
/// −½V·p(1 − p)(1 − 2p), with V the covariance of the functions at a point.
fn moved<X: Points, K: crate::kernel::Kernel<X>>(
    weights: &Weights<'_, X, K>,
    columns: &[Vec<f64>],
    owners: &[usize],
    (rates, others): (&[Vec<f64>], &[Vec<f64>]),
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
            rows[owners[j]].iter_mut().zip(&root[j]).for_each(|(r, u)| *r += columns[j][i] * u);
        }
        // Of several functions only differences count, and their variances: (diag V − 2Vp)ₐ = Σ pᵦ var(fₐ − fᵦ) up to what is the same for all.
        let v =
            |a: usize, b: usize| rows[a].iter().zip(&rows[b]).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
        let e: Vec<f64> = if functions == 1 {
            let (p, q) = (rates[0][i], others[0][i]);
            vec![-0.5 * counts[i] * inner_product(&rows[0], &rows[0]) * p * q * (q - p)]
        } else {
            let p: Vec<f64> = rates.iter().map(|rates| rates[i]).collect();
            let z: Vec<f64> =
                (0..functions).map(|a| (0..functions).map(|b| v(a, b) * p[b]).sum::<f64>()).collect();
            let mean: f64 = p.iter().zip(&z).map(|(p, z)| p * z).sum();
            (0..functions).map(|a| -0.5 * counts[i] * p[a] * (z[a] - mean)).collect()
        };
        for j in 0..m {
            pulled[j] += columns[j][i] * e[owners[j]];
        }
    }
    // ΣΦᵀe = U(UᵀΦᵀe)
    let inner: Vec<f64> = (0..weights.roots).map(|a| (0..m).map(|j| root[j][a] * pulled[j]).sum()).collect();
    (0..m)
        .map(|j| -alpha[j] * mean[j] * root[j].iter().zip(&inner).map(|(u, v)| u * v).sum::<f64>())
        .collect()
}

/// log|WᵀW| by Gram and Schmidt's method, each column twice; none where the columns depend on each other.
fn log_determinant(columns: &[Vec<f64>]) -> Option<f64> {
    let (mut basis, mut log) = (Vec::<Vec<f64>>::with_capacity(columns.len()), 0.0);
    for column in columns {
        let mut left = column.clone();
        for _ in 0..2 {
            for b in &basis {
                let along = inner_product(b, &left);
                add_scaled(&mut left, -along, b);
            }
        }
        let length = inner_product(&left, &left).sqrt();
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        left.iter_mut().for_each(|value| *value /= length);
        basis.push(left);
        log += 2.0 * length.ln();
    }
    Some(log)
}

/// Σ aᵢbᵢ
fn inner_product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Adds a multiple of one vector to another.
fn add_scaled(to: &mut [f64], factor: f64, vector: &[f64]) {
    to.iter_mut().zip(vector).for_each(|(to, value)| *to += factor * value);
}
