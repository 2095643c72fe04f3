//! RBF networks: the gradient of what the output weights minimise.

use super::data::Data;
use super::report::Report;
use super::values::{SINGLE, Values, diagonal, lists};
use crate::error::Result;
use crate::model::{Model, Network, NetworkClassifier, NetworkRegression, OutputFit, Space};

/// Multiplications from which on sums over the rows may be in single precision.
const MUCH: f64 = 2e9;

/// Verifies a network; else answers that the model is none.
pub(super) fn verify<X: Space>(
    model: &(dyn Model<X> + 'static),
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<bool> {
    if let Some(model) = model.downcast::<NetworkClassifier<X, X::Kernel>>() {
        let Some(class) = data.classes(&model.classes, report) else { return Ok(true) };
        let one =
            |c: usize| -> Vec<f64> { class.iter().map(|&own| if own == c { 1.0 } else { -1.0 }).collect() };
        let codes: Vec<Vec<f64>> = (0..model.classes.len()).map(one).collect();
        network(&model.network, &codes, model.output == OutputFit::Logistic, data, report)?;
    } else if let Some(model) = model.downcast::<NetworkRegression<X, X::Kernel>>() {
        let targets = model.network.expansion.offsets().len();
        let Some(y) = data.numbers(targets, report) else { return Ok(true) };
        network(&model.network, y, false, data, report)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// (A + λI)v = c for each target, A and c those of units about their means; or the gradient of the softmax's likelihood with the
/// penalty ½λ‖v‖², in parts of that at v = 0.
fn network<X: Space>(
    network: &Network<X, X::Kernel>,
    y: &[Vec<f64>],
    logistic: bool,
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<()> {
    let (expansion, lambda) = (&network.expansion, network.lambda);
    if let Some(told) = data.number("lambda") {
        report.equal("", "lambda", told, lambda, 0.0);
    }
    if !network.support.is_empty() {
        let any = |_: usize, _: usize| true;
        let kernel = expansion.kernel();
        if data.rows_of(kernel, expansion.points(), &network.support, &any, report).is_none() {
            return Ok(());
        }
    }
    let h = units(network, data, report)?;
    let (n, m, weights, total) = (data.len(), expansion.points().len(), &data.weights, data.total());
    let mean = |of: &dyn Fn(usize) -> f64| (0..n).map(|i| weights[i] * of(i)).sum::<f64>() / total;
    let means: Vec<f64> = (0..m).map(|j| mean(&|i| h[i][j])).collect();
    let v: Vec<Vec<f64>> = lists(expansion.coefficients())
        .iter()
        .map(|list| {
            let mut v = vec![0.0; m];
            list.iter().for_each(|&(j, value)| v[j] = value);
            v
        })
        .collect();
    let f = |target: usize, i: usize| {
        h[i].iter().zip(&v[target]).map(|(h, v)| h * v).sum::<f64>() - expansion.offsets()[target]
    };
    let told = network.quality.residual().unwrap_or(f64::NAN);
    if logistic {
        let (mut square, mut whole) = (0.0, 0.0);
        let shares: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                let f: Vec<f64> = (0..v.len()).map(|target| f(target, i)).collect();
                let most = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = f.iter().map(|f| (f - most).exp()).sum();
                f.iter().map(|f| (f - most).exp() / sum).collect()
            })
            .collect();
        for (target, v) in v.iter().enumerate() {
            let member = |i: usize| f64::from(u8::from(y[target][i] > 0.0));
            let pull = |i: usize, p: f64| weights[i] * (p - member(i));
            let even = 1.0 / y.len() as f64;
            for j in 0..m {
                // About the means, as the offset of each function is that at the mean of the units.
                let centred = |i: usize| h[i][j] - means[j];
                let own: f64 = (0..n).map(|i| pull(i, shares[i][target]) * centred(i)).sum();
                let first: f64 = (0..n).map(|i| pull(i, even) * centred(i)).sum();
                square += (own + lambda * v[j]).powi(2);
                whole += first * first;
            }
            square += (0..n).map(|i| pull(i, shares[i][target])).sum::<f64>().powi(2);
            whole += (0..n).map(|i| pull(i, even)).sum::<f64>().powi(2);
        }
        report.equal("", "residual", told, (square / whole).sqrt(), 0.05 * told + 1e-9);
        return Ok(());
    }
    let much = n as f64 * (m as f64).powi(2) >= MUCH;
    let (mut worst, mut allowed) = (0.0_f64, 0.0_f64);
    for (target, v) in v.iter().enumerate() {
        let centre = mean(&|i| y[target][i]);
        let offset = centre - v.iter().zip(&means).map(|(v, m)| v * m).sum::<f64>();
        let size: f64 = v.iter().zip(&means).map(|(v, m)| (v * m).abs()).sum::<f64>() + centre.abs();
        let of = if y.len() > 1 { format!("target {}", target + 1) } else { String::new() };
        let rounding = if much { SINGLE } else { 1e-10 };
        report.equal(&of, "offset", -expansion.offsets()[target], offset, rounding * size + 1e-12);
        let errors: Vec<f64> = (0..n).map(|i| y[target][i] - f(target, i)).collect();
        let (mut left, mut right, mut scale) = (0.0, 0.0, 0.0);
        for j in 0..m {
            let centred = |i: usize| weights[i] * (h[i][j] - means[j]);
            let own: f64 = (0..n).map(|i| centred(i) * errors[i]).sum();
            let c: f64 = (0..n).map(|i| centred(i) * (y[target][i] - centre)).sum();
            let size: f64 =
                (0..n).map(|i| centred(i).abs() * (y[target][i].abs() + (f(target, i) - centre).abs())).sum();
            left += (own - lambda * v[j]).powi(2);
            right += c * c;
            scale += size * size;
        }
        let of_weights: f64 = v.iter().map(|v| v.abs()).sum::<f64>();
        let sum_of_units: f64 = (0..n).map(|i| weights[i] * h[i].iter().map(|h| h * h).sum::<f64>()).sum();
        worst = worst.max((left / right).sqrt());
        let precision = if much { SINGLE } else { 1e-13 };
        allowed = allowed.max(precision * (scale.sqrt() + sum_of_units * of_weights) / right.sqrt());
    }
    report.at_most("", "residual", told, worst, allowed + 0.5 * told.min(1e-6));
    Ok(())
}

/// The values of all units at all rows.
fn units<X: Space>(
    network: &Network<X, X::Kernel>,
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<Vec<Vec<f64>>> {
    let (kernel, centers) = (network.expansion.kernel(), network.expansion.points());
    let values: Values<'_, X> = data.values(kernel, centers, report)?;
    let mut h = values.all();
    if !network.widths.is_empty() {
        let (own, others) = (data.diagonal(kernel)?, diagonal(kernel, centers)?);
        for (i, row) in h.iter_mut().enumerate() {
            for (j, value) in row.iter_mut().enumerate() {
                let square = (own[i] - 2.0 * *value + others[j]).max(0.0);
                *value = (-0.5 * square / network.widths[j].powi(2)).exp();
            }
        }
    }
    Ok(h)
}
