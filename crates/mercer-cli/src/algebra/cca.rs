//! Kernel canonical correlations.

use mercer::data::{self, Encoding, Points, ReadOptions, Table, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::{Cca, Machine};
use serde_json::json;

use super::{Given, Outcome, followed};
use crate::args::{ChooseArg, ScaleArg, TrainArgs};
use crate::failure::{Failure, InFile, Result};
use crate::models::is_precomputed;
use crate::output::{count, rough, short};
use crate::train::default_kernel;

/// Folds, or ways to tear the pairs apart, by which κ is chosen.
const TRIALS: usize = 5;

/// Fits functions of both views.
pub(super) fn fit(given: &Given<'_>) -> Result<Outcome> {
    let (args, projections) = (given.args, &given.args.projections);
    let (kernel, y) = second(args)?;
    let mut cca = Cca::new(given.kernel.clone(), kernel).weights(given.weights.clone());
    cca.components = projections.components.unwrap_or(cca.components);
    cca.rank = projections.rank;
    cca.memory = given.memory;
    let tried = match projections.kappa.as_slice() {
        [] => None,
        [kappa] => {
            cca.regularizer = *kappa;
            None
        }
        several => Some(choose(&mut cca, given, &y, several)?),
    };
    if projections.choose.is_some() && tried.is_none() {
        return Err(Failure::Usage("--choose: give several numbers to --kappa, separated by commas".into()));
    }
    cca.check()?;
    let fitted = followed(args.common.quiet, |follow| cca.fit_followed(given.x, &y, follow));
    let model = fitted.in_file(&args.data)?;
    let list = |values: &[f64]| values.iter().map(|v| short(*v)).collect::<Vec<_>>().join(", ");
    let kernel = model.second.kernel();
    let components = count(model.values.len(), "component");
    let mut lines = vec![
        ("second", format!("{}, {kernel}", count(y.width(), "feature"))),
        ("machine", format!("cca, kappa = {}, {components}", short(model.regularizer))),
    ];
    if let Some(scores) = &tried {
        let score = |(kappa, score): (&f64, &f64)| format!("{} ({})", short(*kappa), short(*score));
        let scores: Vec<String> = projections.kappa.iter().zip(scores).map(score).collect();
        lines.push(("tried", format!("kappa (score) {}", scores.join(", "))));
    }
    let points = format!("{} and {}", model.first_support.len(), model.second_support.len());
    lines.push(("solution", format!("rho {}; expansion points: {points}", list(&model.values))));
    lines.push(("correlations", format!("{} on these rows; look at others too", list(&model.correlations))));
    lines.push(("certificate", format!("relative residual {}", rough(model.residual))));
    let facts = vec![
        ("second_kernel", json!(kernel.to_string())),
        ("kappa", json!(model.regularizer)),
        ("values", json!(model.values)),
        ("correlations", json!(model.correlations)),
        ("expansion_points", json!([model.first_support.len(), model.second_support.len()])),
        ("scores", json!(tried)),
        ("residual", json!(model.residual)),
    ];
    let beside = " in the first view".to_owned();
    Ok(Outcome { machine: Machine::Cca(model), beside, lines, facts, warning: None })
}

/// The points of the second view and their kernel.
fn second(args: &TrainArgs) -> Result<(VectorExpr, Vectors)> {
    let Some(file) = &args.projections.second else {
        return Err(Failure::Usage("--method cca: name the file of the second view by --second".into()));
    };
    if args.scale != ScaleArg::None {
        return Err(Failure::Usage(
            "--scale: not for two views; scale each file by mercer scale --save first".into(),
        ));
    }
    let kernel = &args.projections.second_kernel;
    let precomputed = kernel.as_ref().is_some_and(is_precomputed);
    let options = ReadOptions { precomputed, labels_path: None, ..args.data_options.options() };
    let Table { points, encoding, .. } = data::read(file, &options).in_file(file)?;
    let words = |encoding: &Encoding| encoding.columns.iter().any(|column| column.categories.is_some());
    if encoding.as_ref().is_some_and(words) {
        let file = file.display();
        return Err(Failure::Unsupported(format!("{file}: columns of words in the second view")));
    }
    let kernel = kernel.clone().unwrap_or_else(|| default_kernel(points.width()));
    kernel.check()?;
    Ok((kernel, points))
}

/// Sets the best κ; gives the scores of all.
fn choose(cca: &mut Cca<VectorExpr>, given: &Given<'_>, y: &Vectors, candidates: &[f64]) -> Result<Vec<f64>> {
    let seed = given.args.common.seed;
    let scores = match given.args.projections.choose.unwrap_or(ChooseArg::Cv) {
        ChooseArg::Cv => cca.cross_validate(given.x, y, candidates, TRIALS, seed),
        ChooseArg::Permutation => cca.permute(given.x, y, candidates, TRIALS, seed),
    };
    let scores = scores.in_file(&given.args.data)?;
    let best = (1..scores.len()).fold(0, |best, k| if scores[k] > scores[best] { k } else { best });
    cca.regularizer = candidates[best];
    Ok(scores)
}
