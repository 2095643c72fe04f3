//! Canonical correlations: values, correlations and the equation of each pair of functions.

use super::algebra::{mean, norm, outputs};
use super::data::Data;
use super::report::Report;
use super::values::{DOUBLE, Sum, Values, lists};
use crate::error::Result;
use crate::model::{CcaModel, Expansion, Model, Space, Targets};

/// A component with so small a ρ is rounding on both sides of its equation.
const NOTHING: f64 = 1e-8;

/// How far the equation of a view is from holding, from the other view, the correlations and the penalty.
type Residual = dyn Fn(&View, &[f64], f64) -> f64;

/// One view: the outputs of its functions at all rows, about their means, and the squared norms.
struct View {
    f: Vec<Vec<f64>>,
    squares: Vec<f64>,
    widest: f64,
    /// Against all rows of the view.
    residual: Box<Residual>,
}

/// Verifies canonical correlations; else answers that the model is none.
pub(super) fn verify<X: Space>(
    model: &(dyn Model<X> + 'static),
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<bool> {
    let Some(model) = model.downcast::<CcaModel<X, X::Kernel>>() else { return Ok(false) };
    let Targets::View(second) = &data.y else {
        report.flaw("", "the data have no second view");
        return Ok(true);
    };
    let asked = super::data::Asked::default();
    // Weights of rows that were left out are left out of both.
    let other = Data::new(second, &Targets::None, &data.weights, (None, None), &asked)?;
    let Some(first) = view(&model.first, &model.first_support, data, report)? else { return Ok(true) };
    let support = data.positions(&model.second_support);
    let Some(second) = view(&model.second, &support, &other, report)? else { return Ok(true) };
    if let Some(kappa) = data.number("kappa") {
        let several = data.recipe.and_then(|recipe| recipe.get("kappa")).is_none();
        if !several {
            report.equal("", "kappa", kappa, model.regularizer, 0.0);
        }
    }
    let (weights, total, kappa) = (&data.weights, data.total(), model.regularizer);
    let widest = first.widest.max(second.widest);
    for k in 0..model.values.len() {
        let of = format!("component {}", k + 1);
        let (f, g) = (&first.f[k], &second.f[k]);
        let product = |a: &[f64], b: &[f64]| mean(a.iter().zip(b).map(|(a, b)| a * b), weights);
        let (cross, vf, vg) = (product(f, g), product(f, f), product(g, g));
        let error = 4.0 * widest * (vf.sqrt() + vg.sqrt()) + 1e-9;
        report.equal(&of, "covariance", model.values[k], cross, error);
        let correlation = if vf > 0.0 && vg > 0.0 { cross / (vf * vg).sqrt() } else { 0.0 };
        let scale = (vf * vg).sqrt().max(f64::MIN_POSITIVE);
        report.equal(&of, "correlation", model.correlations[k], correlation, error / scale);
        for (name, variance, square) in
            [("scale", vf, first.squares[k]), ("scale of the second", vg, second.squares[k])]
        {
            report.equal(&of, name, 1.0, variance + kappa * square, 1e-6 + error);
        }
    }
    let penalty = total * kappa;
    let found = (first.residual)(&second, &model.values, penalty).max((second.residual)(
        &first,
        &model.values,
        penalty,
    ));
    report.equal("", "residual", model.residual, found, 0.01 * model.residual + 1e-9 + 10.0 * widest);
    Ok(true)
}

fn view<X: Space>(
    expansion: &Expansion<X, X::Kernel>,
    support: &[usize],
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<Option<View>> {
    let Some((rows, sums)) = outputs(expansion, support, data, DOUBLE, report)? else { return Ok(None) };
    let widest = sums.iter().flatten().map(|sum: &Sum| sum.error).fold(0.0, f64::max);
    let (mut f, mut squares) = (Vec::new(), Vec::new());
    for (k, list) in lists(expansion.coefficients()).iter().enumerate() {
        let centre = mean(sums[k].iter().map(|sum| sum.value), &data.weights);
        report.equal(
            &format!("component {}", k + 1),
            "offset",
            expansion.offsets()[k],
            centre,
            2.0 * widest + 1e-12,
        );
        f.push(sums[k].iter().map(|sum| sum.value - centre).collect::<Vec<f64>>());
        squares.push(list.iter().map(|&(p, a)| a * sums[k][rows[p]].value).sum());
    }
    let (values, _) = Values::new(expansion.kernel(), &data.x, &data.x)?;
    let (all, weights, own) = (values.all(), data.weights.clone(), f.clone());
    let residual = move |other: &View, values: &[f64], penalty: f64| {
        // K times a vector, about the mean.
        let product = |v: &[f64]| -> Vec<f64> {
            let weighted: Vec<f64> = v.iter().zip(&weights).map(|(v, w)| v * w).collect();
            let sums: Vec<f64> =
                all.iter().map(|row| row.iter().zip(&weighted).map(|(k, v)| k * v).sum()).collect();
            let centre = mean(sums.iter().copied(), &weights);
            sums.into_iter().map(|sum| sum - centre).collect()
        };
        let one = |k: usize| {
            let (f, g, rho) = (&own[k], &other.f[k], values[k]);
            let left = product(&g.iter().zip(f).map(|(g, f)| g - rho * f).collect::<Vec<_>>());
            let size = norm(product(g).into_iter());
            let left = norm(left.iter().zip(f).map(|(p, f)| p - rho * penalty * f));
            if rho > NOTHING { left / size } else { 0.0 }
        };
        (0..values.len()).map(one).fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
    };
    Ok(Some(View { f, squares, widest, residual: Box::new(residual) }))
}
