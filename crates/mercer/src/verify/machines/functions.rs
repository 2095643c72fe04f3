//! Single functions: regressions, the plane about the data, the sphere about them.

use super::{definite, exact, spread, told};
use crate::error::Result;
use crate::model::{Function, Space, SvddModel};
use crate::verify::data::Data;
use crate::verify::programme::{Certified, Programme, Told};
use crate::verify::report::Report;
use crate::verify::values::Sum;

/// The rows of a function, its coefficients and sums.
fn function<X: Space>(
    model: &Function<X, X::Kernel>,
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<Option<(Vec<f64>, Vec<Sum>)>> {
    let expansion = &model.expansion;
    let any = |_: usize, _: usize| true;
    let Some(rows) = data.rows_of(expansion.kernel(), expansion.points(), &model.support, &any, report)
    else {
        return Ok(None);
    };
    let exact = exact(model.certificate.as_slice());
    let mut found = spread(expansion, &rows, data, exact, report)?;
    Ok(Some((found.beta.swap_remove(0), found.sums.swap_remove(0))))
}

/// ε-SVR and ν-SVR.
pub(super) fn regression<X: Space>(
    model: &Function<X, X::Kernel>,
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<()> {
    let Some([y]) = data.numbers(1, report) else { return Ok(()) };
    let Some((beta, sums)) = function(model, data, report)? else { return Ok(()) };
    let (n, b) = (data.len(), model.expansion.offsets()[0]);
    let c = data.number("c").unwrap_or_else(|| {
        let most = beta.iter().zip(&data.weights).map(|(b, w)| b.abs() / w).fold(0.0, f64::max);
        report.note(format!("C is not told: taken to be the largest coefficient, {most}"));
        most
    });
    let prices: Vec<f64> = data.weights.iter().map(|w| c * w).collect();
    let of_nu = data.recipe.map_or_else(
        || data.training.is_some_and(|training| training.nu.is_some()),
        |recipe| recipe.method == "nu-svr",
    );
    // The zone that a fit by a share found is in the entry of training.
    let trained = data.training.and_then(|training| training.epsilon);
    let epsilon = if of_nu { trained } else { data.number("epsilon").or(trained) };
    let epsilon = data.asked.epsilon.or(epsilon).unwrap_or_else(|| {
        let free = |&i: &usize| beta[i] != 0.0 && beta[i].abs() < prices[i] * (1.0 - 1e-9);
        let errors: Vec<f64> = (0..n).filter(free).map(|i| (y[i] - sums[i].value + b).abs()).collect();
        let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        report.note(format!(
            "epsilon is not told: taken to be the mean error of the free support points, {mean}"
        ));
        mean
    });
    let (squared, definite) =
        (data.flag("squared").unwrap_or(false), definite::<X>(model.expansion.kernel()));
    let certified = told(model.certificate.as_slice(), 0, data, true);
    let loss = |i: usize, f: f64| {
        let error = ((y[i] - f).abs() - epsilon).max(0.0);
        match error {
            0.0 => 0.0,
            error if squared => 0.5 * prices[i] * error * error,
            error => prices[i] * error,
        }
    };
    let nu = data.number("nu").filter(|_| of_nu);
    let Some(nu) = nu else {
        let bound = |i: usize| if squared { f64::INFINITY } else { prices[i] };
        let programme = Programme {
            of: String::new(),
            linear: y.iter().map(|y| -y).collect(),
            lower: (0..n).map(|i| -bound(i)).collect(),
            upper: (0..n).map(bound).collect(),
            kink: epsilon,
            ridge: if squared { prices.iter().map(|c| 1.0 / c).collect() } else { Vec::new() },
            group: vec![0; n],
            sums: vec![0.0],
            beside: vec![0.0],
            loss: &loss,
            constant: 0.0,
            hard: false,
            definite: definite && c.is_finite(),
        };
        let certified = match certified {
            // Nothing finite bounds an answer that is allowed no error and has some.
            Certified::By(told) if !c.is_finite() => Certified::By(Told { gap: None, ..told }),
            other => other,
        };
        programme.compare(&beta, &sums, b, certified, report);
        return Ok(());
    };
    // Of α and α* one is 0 wherever the zone is not; both sums are ν Σc / 2.
    let share = nu * prices.iter().sum::<f64>();
    let wrapped = |k: usize, f: f64| if k < n { loss(k, f) } else { 0.0 };
    let twice = |list: &[Sum]| [list, list].concat();
    let parts: Vec<f64> = beta.iter().map(|b| b.max(0.0)).chain(beta.iter().map(|b| b.min(0.0))).collect();
    let spent: f64 = beta.iter().map(|b| b.abs()).sum();
    if spent < share * (1.0 - 1e-6) {
        report.note(
            "variables of both sides of the zone overlap: the objective and the gap are looked at alone",
        );
    }
    let overlap = spent < share * (1.0 - 1e-6);
    let programme = Programme {
        of: String::new(),
        linear: [y.iter().map(|y| -y).collect::<Vec<_>>(), y.iter().map(|y| -y).collect()].concat(),
        lower: [vec![0.0; n], prices.iter().map(|c| -c).collect()].concat(),
        upper: [prices.clone(), vec![0.0; n]].concat(),
        kink: 0.0,
        ridge: Vec::new(),
        group: (0..2 * n).map(|k| usize::from(k >= n)).collect(),
        sums: if overlap { Vec::new() } else { vec![0.5 * share, -0.5 * share] },
        beside: vec![-epsilon, epsilon],
        loss: &wrapped,
        constant: share * epsilon,
        hard: false,
        definite,
    };
    let certified = match certified {
        Certified::By(told) if overlap => {
            Certified::By(Told { violation: f64::NAN, tolerance: None, ..told })
        }
        other => other,
    };
    programme.compare(&parts, &twice(&sums), b, certified, report);
    Ok(())
}

/// The plane about the data.
pub(super) fn one_class<X: Space>(
    model: &Function<X, X::Kernel>,
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<()> {
    let Some((beta, sums)) = function(model, data, report)? else { return Ok(()) };
    let (n, b) = (data.len(), model.expansion.offsets()[0]);
    let sum: f64 = beta.iter().sum();
    let share = match data.number("nu") {
        Some(nu) => nu * data.total(),
        None => {
            report.note(format!("nu is not told: taken to be {}", sum / data.total()));
            sum
        }
    };
    let loss = |i: usize, f: f64| data.weights[i] * (-f).max(0.0);
    let programme = Programme {
        of: String::new(),
        linear: vec![0.0; n],
        lower: vec![0.0; n],
        upper: data.weights.clone(),
        kink: 0.0,
        ridge: Vec::new(),
        group: vec![0; n],
        sums: vec![share],
        beside: vec![0.0],
        loss: &loss,
        constant: -b * share,
        hard: false,
        definite: definite::<X>(model.expansion.kernel()),
    };
    let certified = told(model.certificate.as_slice(), 0, data, true);
    programme.compare(&beta, &sums, b, certified, report);
    Ok(())
}

/// The sphere about the data.
pub(super) fn sphere<X: Space>(
    model: &SvddModel<X, X::Kernel>,
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<()> {
    let function = &model.function;
    let Some((beta, sums)) = self::function(function, data, report)? else { return Ok(()) };
    let (n, b, kernel) = (data.len(), function.expansion.offsets()[0], function.expansion.kernel());
    let diagonal = data.diagonal(kernel)?;
    let c = match (data.number("nu"), data.number("c")) {
        (Some(nu), _) => 1.0 / (nu * data.total()),
        (None, Some(c)) => c,
        (None, None) => {
            report.flaw("", "the file does not tell C; name it");
            return Ok(());
        }
    };
    // ½ξ, ξ = ‖φ(x) − a‖² − R² = k − 2u + ‖a‖² − ‖a‖² + 2b, of the value f = u − b.
    let loss = |i: usize, f: f64| c * data.weights[i] * (0.5 * diagonal[i] - f).max(0.0);
    let programme = Programme {
        of: String::new(),
        linear: diagonal.iter().map(|k| -0.5 * k).collect(),
        lower: vec![0.0; n],
        upper: data.weights.iter().map(|w| c * w).collect(),
        kink: 0.0,
        ridge: Vec::new(),
        group: vec![0; n],
        sums: vec![1.0],
        beside: vec![0.0],
        loss: &loss,
        // ½R² = ½‖a‖² − b, of which ½‖a‖² is counted.
        constant: -b,
        hard: false,
        definite: definite::<X>(kernel),
    };
    let certified = told(function.certificate.as_slice(), 0, data, false);
    let found = programme.compare(&beta, &sums, b, certified, report);
    report.equal(
        "",
        "squared norm of the centre",
        model.square_center,
        found.square,
        found.square_error + 1e-12,
    );
    report.equal(
        "",
        "squared radius",
        model.square_radius,
        found.square - 2.0 * b,
        found.square_error + 1e-12,
    );
    Ok(())
}
