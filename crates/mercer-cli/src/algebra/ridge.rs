//! Kernel ridge regression.

use mercer::data::{self, ColumnRef, Points, ReadOptions, Vectors};
use mercer::kernel::{Kernel, VectorExpr};
use mercer::model::{Machine, Ridge, RidgeMethod, RidgeModel, RidgePath, RidgePoint};
use serde_json::json;

use super::{Given, Outcome, followed};
use crate::args::{Lambda, TrainArgs};
use crate::failure::{Failure, InFile, Result};
use crate::output::{count, rough, short};
use crate::train::Input;

/// λ of `--lambda auto`, as powers of ten of the mean of the diagonal: from, to, and how many to each power.
const GRID: (i32, i32, i32) = (-8, 3, 4);

/// Lines of a path that are shown on each side of the best.
const AROUND: usize = 5;

type Model = RidgeModel<Vectors, VectorExpr>;

/// Fits to the labels, or to every column of `--targets`.
pub(super) fn fit(given: &Given<'_>, input: &mut Input) -> Result<Outcome> {
    let args = given.args;
    let targets = targets(args, input)?;
    let mut ridge = Ridge::new(given.kernel.clone()).offset(!args.no_offset).weights(given.weights.clone());
    ridge.memory = given.memory;
    ridge.tolerance = args.tolerance.unwrap_or(ridge.tolerance);
    if args.iterative {
        ridge.method = RidgeMethod::Iterative;
    }
    if let Some(limit) = args.solver.max_iterations {
        ridge.iteration_limit = usize::try_from(limit).unwrap_or(usize::MAX);
    }
    let quiet = args.common.quiet;
    let lambdas = lambdas(args, given)?;
    let path = match lambdas.as_slice() {
        [lambda] => {
            ridge.lambda = *lambda;
            None
        }
        several => {
            let path = followed(quiet, |follow| ridge.path_followed(given.x, &targets, several, follow));
            let path = path.in_file(&args.data)?;
            ridge.lambda = path.best().lambda;
            Some(path)
        }
    };
    ridge.check()?;
    let (model, error) = if args.leave_one_out {
        let fitted = followed(quiet, |follow| ridge.left_out(given.x, &targets, follow));
        let (model, missed) = fitted.in_file(&args.data)?;
        let weight = |i: usize| given.weights.get(model.support[i]).copied().unwrap_or(1.0);
        let total: f64 = (0..missed.len()).map(weight).sum();
        let square = |i: usize| weight(i) * missed.row(i).iter().map(|miss| miss * miss).sum::<f64>();
        let error = (0..missed.len()).map(square).sum::<f64>() / total / targets.len() as f64;
        (model, Some(error))
    } else {
        let model = followed(quiet, |follow| ridge.fit_many(given.x, &targets, follow));
        (model.in_file(&args.data)?, None)
    };
    let error = error.or_else(|| path.as_ref().map(|path| path.best().error()));
    Ok(outcome(model, &targets, path, error))
}

/// The columns of `--targets`, or the labels.
fn targets(args: &TrainArgs, input: &mut Input) -> Result<Vec<Vec<f64>>> {
    let Some(file) = &args.targets else { return Ok(vec![input.targets(args)?]) };
    let options = ReadOptions { label: Some(ColumnRef::Absent), ..ReadOptions::default() };
    let table = data::read(file, &options).in_file(file)?.points;
    if table.len() != input.x.len() {
        let (found, rows) = (table.len(), input.x.len());
        return Err(Failure::Usage(format!(
            "--targets: {} has {found} rows, the data {rows}",
            file.display()
        )));
    }
    Ok((0..table.width()).map(|j| (0..table.len()).map(|i| table.row(i).get(j)).collect()).collect())
}

/// The λ to look at.
fn lambdas(args: &TrainArgs, given: &Given<'_>) -> Result<Vec<f64>> {
    Ok(match &args.lambda {
        None => vec![1.0],
        Some(Lambda::Values(values)) => values.clone(),
        Some(Lambda::Auto) => {
            let few = given.x.select(&(0..given.x.len().min(1000)).collect::<Vec<_>>());
            let diagonal = given.kernel.bind(&few).in_file(&args.data)?.diagonal();
            let mean = diagonal.iter().sum::<f64>() / diagonal.len().max(1) as f64;
            let (from, to, steps) = GRID;
            let power = |step: i32| 10_f64.powf(f64::from(step) / f64::from(steps));
            (from * steps..=to * steps).map(|step| power(step) * mean.max(f64::MIN_POSITIVE)).collect()
        }
    })
}

fn outcome(model: Model, targets: &[Vec<f64>], path: Option<RidgePath>, error: Option<f64>) -> Outcome {
    let certificate = model.certificate;
    let beside = match targets {
        [one] => {
            let (low, high) = one.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &target| {
                (low.min(target), high.max(target))
            });
            format!(", targets from {} to {}", short(low), short(high))
        }
        several => format!(", {}", count(several.len(), "target")),
    };
    let how = match certificate.iterations {
        None => "by a Cholesky factor".to_owned(),
        Some(iterations) => format!("by {iterations} iterations of conjugate gradients"),
    };
    let warning = (!certificate.converged).then(|| {
        let residual = rough(certificate.residual);
        format!("the residual is still {residual}: allow more iterations (--max-iterations), or take a larger lambda")
    });
    let mut lines = vec![("machine", format!("ridge, lambda = {}", short(model.lambda)))];
    if let Some(path) = &path {
        lines.push(("path", table(path)));
    }
    if let Some(error) = error {
        lines.push(("left out", format!("mean square {}", short(error))));
    }
    lines.push(("certificate", format!("relative residual {}, {how}", rough(certificate.residual))));
    let facts = vec![
        ("lambda", json!(model.lambda)),
        ("targets", json!(targets.len())),
        ("residual", json!(certificate.residual)),
        ("iterations", json!(certificate.iterations)),
        ("converged", json!(certificate.converged)),
        ("left_out_mean_square", json!(error)),
        (
            "path",
            json!(path.map(|path| {
            let point = |p: &RidgePoint| {
                json!({ "lambda": p.lambda, "left_out_mean_square": p.errors, "degrees": p.degrees })
            };
            path.points.iter().map(point).collect::<Vec<_>>()
        })),
        ),
    ];
    Outcome { machine: Machine::Ridge(model), beside, lines, facts, warning }
}

/// The path around its best λ, a line for each.
fn table(path: &RidgePath) -> String {
    let best = path.points.iter().position(|p| std::ptr::eq(p, path.best())).unwrap_or(0);
    let shown = best.saturating_sub(AROUND)..path.points.len().min(best + AROUND + 1);
    let mut text = format!("{}, the best of them and its neighbours:", count(path.points.len(), "lambda"));
    text += &format!("\n{:13}{:>12} {:>14} {:>10}", "", "lambda", "left out", "degrees");
    for (i, p) in path.points.iter().enumerate().take(shown.end).skip(shown.start) {
        let mark = if i == best { "  <" } else { "" };
        let (lambda, error, degrees) = (short(p.lambda), short(p.error()), short(p.degrees));
        text += &format!("\n{:13}{lambda:>12} {error:>14} {degrees:>10}{mark}", "");
    }
    if best == 0 || best + 1 == path.points.len() {
        text += &format!("\n{:13}the best is the last of the list: a wider one may be better", "");
    }
    text
}
