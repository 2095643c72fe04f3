//! Methods that are linear algebra on a Gram matrix: ridge, kernel PCA, Fisher's discriminant.

use super::data::Data;
use super::report::Report;
use super::values::{DOUBLE, Sum, lists};
use crate::data::SplitMix;
use crate::error::Result;
use crate::model::{Expansion, FisherModel, Model, PcaModel, RidgeModel, Space};

/// Rows whose matrix is held to look for eigenvalues that were missed.
const HELD: usize = 4000;
/// Steps of the power method that looks for them.
const STEPS: usize = 40;

/// Verifies a model of one of these kinds; else answers that it is none.
pub(super) fn verify<X: Space>(
    model: &(dyn Model<X> + 'static),
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<bool> {
    if let Some(model) = model.downcast::<RidgeModel<X, X::Kernel>>() {
        ridge(model, data, report)?;
    } else if let Some(model) = model.downcast::<PcaModel<X, X::Kernel>>() {
        components(model, data, report)?;
    } else if let Some(model) = model.downcast::<FisherModel<X, X::Kernel>>() {
        fisher(model, data, report)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// Where the points of an expansion are among the rows, and its outputs at all rows.
pub(super) type Outputs = (Vec<usize>, Vec<Vec<Sum>>);

/// Where an expansion's points are among the rows, and its outputs at all rows without their offsets.
pub(super) fn outputs<X: Space>(
    expansion: &Expansion<X, X::Kernel>,
    support: &[usize],
    data: &Data<'_, X>,
    rounding: f64,
    report: &mut Report,
) -> Result<Option<Outputs>> {
    let any = |_: usize, _: usize| true;
    let Some(rows) = data.rows_again(expansion.kernel(), expansion.points(), support, &any, report) else {
        return Ok(None);
    };
    let columns = data.x.select(&rows);
    let values = data.values(expansion.kernel(), &columns, report)?;
    let sums = values.sums(&lists(expansion.coefficients()), rounding);
    Ok(Some((rows, sums)))
}

pub(super) fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|v| v * v).sum::<f64>().sqrt()
}

pub(super) fn mean(values: impl Iterator<Item = f64>, weights: &[f64]) -> f64 {
    values.zip(weights).map(|(v, w)| v * w).sum::<f64>() / weights.iter().sum::<f64>()
}

/// ‖(K + λW⁻¹)α + b − y‖/‖y‖, and Σα = 0 where there is an offset.
fn ridge<X: Space>(model: &RidgeModel<X, X::Kernel>, data: &Data<'_, X>, report: &mut Report) -> Result<()> {
    let expansion = &model.expansion;
    let targets = expansion.offsets().len();
    let Some(y) = data.numbers(targets, report) else { return Ok(()) };
    let Some((rows, sums)) = outputs(expansion, &model.support, data, DOUBLE, report)? else { return Ok(()) };
    if rows.len() != data.len() {
        report.flaw("", format_args!("a function over {} rows of {}", rows.len(), data.len()));
        return Ok(());
    }
    if let Some(lambda) = data.number("lambda") {
        report.equal("", "lambda", lambda, model.lambda, 0.0);
    }
    let offset = data.flag("offset");
    let (mut worst, mut allowed) = (0.0_f64, 0.0_f64);
    for (target, list) in lists(expansion.coefficients()).iter().enumerate() {
        let b = -expansion.offsets()[target];
        let mut alpha = vec![0.0; data.len()];
        list.iter().for_each(|&(k, a)| alpha[rows[k]] = a);
        let left =
            |i: usize| sums[target][i].value + model.lambda * alpha[i] / data.weights[i] + b - y[target][i];
        let size = norm(y[target].iter().copied());
        let over = |value: f64| if value == 0.0 { 0.0 } else { value / size };
        worst = worst.max(over(norm((0..data.len()).map(left))));
        allowed = allowed.max(over(norm(sums[target].iter().map(|sum| sum.error))) + 1e-14);
        let (sum, total) = (alpha.iter().sum::<f64>(), alpha.iter().map(|a| a.abs()).sum::<f64>());
        if offset.unwrap_or(b != 0.0) {
            report.equal("", "sum of the coefficients", 0.0, sum, 1e-9 * total);
        } else if b != 0.0 {
            report.flaw("", "an offset, of a fit without one");
        }
    }
    let told = model.quality.residual().unwrap_or(f64::NAN);
    report.equal("", "residual", told, worst, allowed + 0.5 * told.min(1e-10));
    Ok(())
}

/// Residuals, norms and eigenvalues of components, and whether there is a larger one.
fn components<X: Space>(
    model: &PcaModel<X, X::Kernel>,
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<()> {
    let expansion = &model.expansion;
    let any = |_: usize, _: usize| true;
    let Some(rows) = data.rows_of(expansion.kernel(), expansion.points(), &model.support, &any, report)
    else {
        return Ok(());
    };
    let n = data.len();
    if rows.len() != n {
        report.flaw("", format_args!("components over {} rows of {n}", rows.len()));
        return Ok(());
    }
    report.same(
        "",
        "weight of a row",
        (&model.weights, &rows.iter().map(|&i| data.weights[i]).collect::<Vec<_>>()),
        |_| 0.0,
    );
    let columns = data.x.select(&rows);
    let values = data.values(expansion.kernel(), &columns, report)?;
    // The last list is the weights: Kw has the means of the rows.
    let mut all = lists(expansion.coefficients());
    let count = all.len();
    all.push(rows.iter().enumerate().map(|(k, &i)| (k, data.weights[i])).collect());
    let sums = values.sums(&all, DOUBLE);
    let (total, roots) = (data.total(), data.weights.iter().map(|w| w.sqrt()).collect::<Vec<f64>>());
    let means: Vec<f64> = sums[count].iter().map(|sum| sum.value / total).collect();
    let grand = mean(means.iter().copied(), &data.weights);
    let told: Vec<f64> = model.row_means.clone();
    let found: Vec<f64> = rows.iter().map(|&i| means[i]).collect();
    report.same("", "mean of a row", (&told, &found), |k| 2.0 * sums[count][rows[k]].error / total + 1e-300);
    let diagonal = data.diagonal(expansion.kernel())?;
    let trace: f64 = diagonal.iter().zip(&data.weights).map(|(k, w)| k * w).sum::<f64>() - total * grand;
    let size: f64 = diagonal.iter().zip(&data.weights).map(|(k, w)| k.abs() * w).sum();
    report.equal("", "total variance", model.total, trace, 1e-11 * size);
    let largest = model.eigenvalues.first().copied().unwrap_or(f64::NAN);
    let (mut worst, mut units) = (0.0_f64, Vec::new());
    for (component, list) in all[..count].iter().enumerate() {
        let (of, lambda) = (format!("component {}", component + 1), model.eigenvalues[component]);
        let mut unit = vec![0.0; n];
        list.iter().for_each(|&(k, a)| unit[rows[k]] = a * lambda.sqrt() / roots[rows[k]]);
        let sums = &sums[component];
        let centre = mean(sums.iter().map(|sum| sum.value), &data.weights);
        let image = |i: usize| roots[i] * (sums[i].value - centre) * lambda.sqrt();
        let errors = norm((0..n).map(|i| roots[i] * sums[i].error * lambda.sqrt())) + size * 1e-14;
        let residual = norm((0..n).map(|i| image(i) - lambda * unit[i]));
        worst = worst.max((residual - errors).max(0.0) / largest);
        let length = unit.iter().map(|u| u * u).sum::<f64>();
        report.equal(&of, "squared length", 1.0, length, 1e-9);
        let rayleigh = (0..n).map(|i| unit[i] * image(i)).sum::<f64>() / length;
        report.equal(&of, "eigenvalue", lambda, rayleigh, errors + 1e-9 * lambda + model.residual * largest);
        let alpha: f64 = list.iter().map(|(_, a)| a.abs()).sum();
        report.equal(&of, "sum of the coefficients", 0.0, list.iter().map(|(_, a)| a).sum(), 1e-9 * alpha);
        let offset: f64 = list.iter().map(|&(k, a)| a * means[rows[k]]).sum();
        let scale: f64 = list.iter().map(|&(k, a)| (a * means[rows[k]]).abs()).sum();
        report.equal(&of, "offset", expansion.offsets()[component], offset, 1e-9 * scale.max(1e-300));
        units.push(unit);
    }
    // What rounding explains was taken off.
    report.at_most("", "residual", model.residual, worst, 1e-13);
    let crossed = (0..count).flat_map(|a| (0..a).map(move |b| (a, b)));
    let product =
        |(a, b): (usize, usize)| units[a].iter().zip(&units[b]).map(|(u, v)| u * v).sum::<f64>().abs();
    report.at_most("", "product of two components", 0.0, crossed.map(product).fold(0.0, f64::max), 1e-6);
    if n <= HELD {
        let k = values.all();
        let mut at = vec![0; n];
        rows.iter().enumerate().for_each(|(k, &i)| at[i] = k);
        let product = |v: &[f64]| -> Vec<f64> {
            let scaled: Vec<f64> = v.iter().zip(&roots).map(|(v, r)| v * r).collect();
            let sums: Vec<f64> =
                k.iter().map(|row| (0..n).map(|j| row[at[j]] * scaled[j]).sum::<f64>()).collect();
            sums.iter().zip(&roots).map(|(s, r)| s * r).collect()
        };
        let centre: Vec<f64> = roots.iter().map(|r| r / total.sqrt()).collect();
        let missed = missed(&units, &centre, &product);
        let least = model.eigenvalues.last().copied().unwrap_or(0.0);
        report.at_most("", "largest variance left out", least, missed, 1e-6 * least + 1e-12 * size);
    } else {
        report.note(format!("of more than {HELD} rows it is not looked for a larger eigenvalue"));
    }
    Ok(())
}

/// A lower bound of the largest eigenvalue of what is left beside some unit vectors: steps of the power method.
fn missed(units: &[Vec<f64>], centre: &[f64], product: &dyn Fn(&[f64]) -> Vec<f64>) -> f64 {
    let mut random = SplitMix(7);
    let mut v: Vec<f64> = centre.iter().map(|_| random.uniform() - 0.5).collect();
    let clean = |v: &mut [f64]| {
        for unit in units.iter().map(Vec::as_slice).chain([centre]) {
            let along: f64 = unit.iter().zip(&*v).map(|(u, v)| u * v).sum();
            v.iter_mut().zip(unit).for_each(|(v, u)| *v -= along * u);
        }
        let size = norm(v.iter().copied());
        v.iter_mut().for_each(|v| *v /= size);
        size
    };
    if clean(&mut v) == 0.0 {
        return 0.0;
    }
    let mut value = 0.0;
    for _ in 0..STEPS {
        let mut next = product(&v);
        value = next.iter().zip(&v).map(|(a, b)| a * b).sum();
        if clean(&mut next) == 0.0 || next.iter().any(|v| !v.is_finite()) {
            break;
        }
        v = next;
    }
    value
}

/// The equation of the axes, their ratios and scale, the means of the classes and where two part.
fn fisher<X: Space>(
    model: &FisherModel<X, X::Kernel>,
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<()> {
    let Some(class) = data.classes(&model.classes, report) else { return Ok(()) };
    let expansion = &model.expansion;
    let Some((rows, sums)) = outputs(expansion, &model.support, data, DOUBLE, report)? else { return Ok(()) };
    if let Some(mu) = data.number("mu") {
        report.equal("", "mu", mu, model.mu, 0.0);
    }
    let (n, total, mu) = (data.len(), data.total(), model.mu);
    let mut sizes = vec![0.0; model.classes.len()];
    (0..n).for_each(|i| sizes[class[i]] += data.weights[i]);
    let columns = data.x.select(&rows);
    let values = data.values(expansion.kernel(), &columns, report)?;
    let mut worst = (0.0_f64, 0.0_f64);
    for (axis, list) in lists(expansion.coefficients()).iter().enumerate() {
        let (of, b, rho) = (format!("axis {}", axis + 1), expansion.offsets()[axis], model.ratios[axis]);
        let (sums, widest) = (&sums[axis], sums[axis].iter().map(|sum| sum.error).fold(0.0, f64::max));
        let centre = mean(sums.iter().map(|sum| sum.value), &data.weights);
        report.equal(&of, "offset", b, centre, 2.0 * widest + 1e-12);
        let f: Vec<f64> = sums.iter().map(|sum| sum.value - centre).collect();
        let mut means = vec![0.0; sizes.len()];
        (0..n).for_each(|i| means[class[i]] += data.weights[i] * f[i] / sizes[class[i]]);
        let told: Vec<f64> = (0..means.len()).map(|c| model.centers.row(c)[axis]).collect();
        report.same(&of, "mean of a class", (&told, &means), |_| 2.0 * widest + 1e-12);
        let square: f64 = list.iter().map(|&(k, a)| a * sums[rows[k]].value).sum();
        let square_error: f64 = list.iter().map(|&(k, a)| a.abs() * sums[rows[k]].error).sum();
        let between: f64 = (0..means.len()).map(|c| sizes[c] * means[c] * means[c]).sum::<f64>() / total;
        let within: f64 =
            (0..n).map(|i| data.weights[i] * (f[i] - means[class[i]]).powi(2)).sum::<f64>() / total;
        let error = mu * square_error + 4.0 * widest * (between + within).sqrt() + 1e-9;
        report.equal(&of, "ratio", rho, between / (between + within + mu * square), error);
        report.equal(&of, "scale", 1.0, within + mu * square, error + 1e-6);
        // The gradient in each coefficient: S_B w − ρ(S_B + S_W + μ)w against the points of the expansion.
        let pull = |i: usize, rho: f64| data.weights[i] / total * (means[class[i]] - rho * f[i]);
        let mut alpha = vec![0.0; n];
        list.iter().for_each(|&(k, a)| alpha[rows[k]] = a);
        let (left, size) = if rows.len() == n {
            (norm((0..n).map(|i| pull(i, rho) - rho * mu * alpha[i])), norm((0..n).map(|i| pull(i, 0.0))))
        } else {
            let (mut left, mut size) = (vec![0.0; rows.len()], vec![0.0; rows.len()]);
            for i in 0..n {
                for (k, value) in values.row(i).into_iter().enumerate() {
                    left[k] += pull(i, rho) * value;
                    size[k] += pull(i, 0.0) * value;
                }
            }
            let own = |k: usize| left[k] - rho * mu * sums[rows[k]].value;
            (norm((0..rows.len()).map(own)), norm(size.into_iter()))
        };
        let relative = left / size;
        if relative > worst.0 || relative.is_nan() {
            worst = (relative, 10.0 * widest / between.sqrt().max(f64::MIN_POSITIVE));
        }
    }
    report.at_most("", "residual", model.residual, worst.0, 100.0 * model.residual + worst.1 + 1e-9);
    if let Some(threshold) = model.threshold {
        let (first, second) = (model.centers.row(0)[0], model.centers.row(1)[0]);
        if data.recipe.and_then(|recipe| recipe.word("threshold")).unwrap_or("means") == "means" {
            let middle = 0.5 * (first + second);
            report.equal("", "threshold", threshold, middle, 1e-12 * (first.abs() + second.abs()));
        } else {
            let half = 0.5 * (first - second).abs();
            report.equal("", "threshold", threshold, 0.5 * (first + second), half * (1.0 + 1e-9));
            report.note("the threshold is that of a machine on the axis, of which it is looked at only that it lies between the means");
        }
    }
    Ok(())
}
