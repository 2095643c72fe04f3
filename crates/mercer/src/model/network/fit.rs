//! The fit that classifiers and regressions have in common: a layer, then its output weights with a given penalty or the best of several.

use std::cmp::Ordering;

use super::function::Network;
use super::layer::{Fit, Layer};
use super::units::Hidden;
use crate::model::prelude::*;
use crate::model::spectral::Lambda;
use crate::solve::network::logistic::{self, Classes};
use crate::solve::network::normal::Normal;
use crate::solve::network::ridge::{Known, LeftOut, Output, Spectrum};
use crate::solve::network::{Precision, Units};

/// Multiplications n·m² from which on products are in single precision.
const SINGLE: f64 = 2e9;

/// In single precision λ must be this part of the trace of A: below, the rounding errors of A are as large.
const SINGLE_FLOOR: f64 = 2e-10;

/// λ of `auto`, as powers of ten of the largest eigenvalue of A: from, in double and in single precision, to, and how many to each power.
const GRID: (i32, i32, i32, i32) = (-12, -9, 0, 2);

/// Errors that differ by less than this share are equal but for rounding.
const SAME: f64 = 1e-9;

/// λ of `auto` of a logistic output: powers of ten of the mean of A's diagonal. Fewer, since each is a fit of its own.
const LOGISTIC_GRID: std::ops::RangeInclusive<i32> = -7..=1;

/// The settings of a fit.
pub(super) struct Task<'a, K> {
    pub(super) kernel: &'a K,
    pub(super) layer: &'a Layer,
    pub(super) lambda: &'a Lambda,
}

/// What is fitted: the targets, and the classes that they stand for, if any.
pub(super) struct Goal {
    pub(super) targets: Vec<Vec<f64>>,
    pub(super) classes: Option<Labels>,
    /// Whether the likelihood of the classes is maximised, and not the squares made small.
    pub(super) logistic: bool,
}

impl Goal {
    /// Compares the targets of two points.
    fn compare(&self, i: usize, j: usize) -> Ordering {
        // Targets are finite.
        let mut each = self.targets.iter().map(|y| y[i].partial_cmp(&y[j]).unwrap_or(Ordering::Equal));
        each.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// The goal at the points of that number.
    fn select(&self, index: &[usize]) -> Self {
        let select = |y: &Vec<f64>| index.iter().map(|&i| y[i]).collect();
        Self {
            targets: self.targets.iter().map(select).collect(),
            classes: self.classes.as_ref().map(|labels| labels.select(index)),
            logistic: self.logistic,
        }
    }
}

/// Refuses λ out of range; a logistic output needs one above 0.
pub(super) fn check_lambda(lambda: &Lambda, logistic: bool) -> Result<()> {
    let lambdas = match lambda {
        Lambda::Value(lambda) => std::slice::from_ref(lambda),
        Lambda::Among(lambdas) => {
            check("lambdas", lambdas.len() as f64, !lambdas.is_empty(), "must be one or more")?;
            lambdas
        }
        Lambda::Auto => &[],
    };
    lambdas.iter().try_for_each(|&lambda| {
        check("lambda", lambda, lambda >= 0.0 && lambda.is_finite(), "must be finite and not negative")?;
        check("lambda", lambda, !logistic || lambda > 0.0, "must be positive for a logistic output")
    })
}

/// Output weights, and how they were chosen.
struct Solved {
    weights: Vec<Vec<f64>>,
    offsets: Vec<f64>,
    lambda: f64,
    left_out: Option<f64>,
    quality: Quality,
}

impl<K> Task<'_, K> {
    /// Fits a network to weighted points.
    pub(super) fn fit<X: Points>(
        &self,
        own: Weighted<X>,
        goal: &Goal,
        job: &mut Job<'_, X>,
    ) -> Result<Network<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        own.check_scale()?;
        let Joined { own, first, .. } = own.joined(|i, j| goal.compare(i, j));
        let goal = goal.select(&first);
        let kernel = &own.kernel(self.kernel, job)?;
        let layer = self.layer.fit(&own, kernel, &goal.targets, job).map_err(|error| own.error(error))?;
        let Fit { centers, widths, support } = layer;
        let m = centers.len();
        // A three times (as sums, centred, as a factor), and the blocks of units.
        let needed = 8 * (3 * (m as u64).pow(2) + 3 * 1024 * m as u64);
        room("the equations of the output weights", needed, job.memory, "take fewer units")?;
        let bound = job.compute.bind(kernel, &centers)?;
        let units = Hidden::new(&*bound, &own.points, &widths, |points| kernel.diagonal(points))?;
        let solved = self.solved(&units, &own.weights, &goal, job).map_err(|error| own.error(error))?;
        drop(units);
        let coefficients = Coefficients::columns(m, &solved.weights);
        let offsets = solved.offsets.iter().map(|b| -b).collect();
        Ok(Network {
            expansion: Expansion::new(kernel.clone(), centers, coefficients, offsets),
            widths,
            support,
            lambda: solved.lambda,
            left_out: solved.left_out,
            quality: solved.quality,
        })
    }

    fn solved<X: Points>(
        &self,
        units: &dyn Units,
        weights: &[f64],
        goal: &Goal,
        job: &mut Job<'_, X>,
    ) -> Result<Solved> {
        if let (true, Some(labels)) = (goal.logistic, &goal.classes) {
            return self.logistic(units, weights, labels, job);
        }
        let known = Known {
            units,
            weights,
            targets: &goal.targets,
            classes: goal.classes.as_ref().map(|labels| labels.index()),
        };
        let work = units.points() as f64 * (units.units() as f64).powi(2);
        if work >= SINGLE
            && let Some(solved) = self.ridge::<f32, X>(&known, job)?
        {
            return Ok(solved);
        }
        let solved = self.ridge::<f64, X>(&known, job)?;
        solved.ok_or_else(|| ErrorKind::Data(DataProblem::NotDefinite { row: 1 }).into())
    }

    /// Output weights by least squares, with sums in the precision `T`; none where that is too rough for λ.
    fn ridge<T: Precision, X: Points>(
        &self,
        known: &Known<'_>,
        job: &mut Job<'_, X>,
    ) -> Result<Option<Solved>> {
        let (n, m) = (known.units.points() as f64, known.units.units() as f64);
        let several = !matches!(self.lambda, Lambda::Value(_));
        let single = size_of::<T>() == size_of::<f32>();
        let costs = [
            ("sums over the points", n * m * m / 2.0),
            ("output weights", m * m * m / 3.0),
            ("leaving out", if several { n * m * m + 9.0 * m * m * m } else { 0.0 }),
        ];
        let mut stages = job.stages();
        let mut plan = Plan::new(&mut stages, &costs);
        let normal = Normal::new::<T>(known.units, known.weights, known.targets, &mut plan.stage(0))?;
        let trace: f64 = (0..normal.means.len()).map(|j| normal.gram.row(j)[j]).sum();
        let least = if single { SINGLE_FLOOR * trace } else { 0.0 };
        let mut path = Vec::new();
        let lambda = match self.lambda {
            Lambda::Value(lambda) => *lambda,
            Lambda::Among(_) | Lambda::Auto => {
                let spectrum = Spectrum::new(&normal)?;
                let lambdas = match self.lambda {
                    Lambda::Among(lambdas) => lambdas.clone(),
                    _ => grid(spectrum.largest(), single),
                };
                if *self.lambda != Lambda::Auto && lambdas.iter().any(|&lambda| lambda < least) {
                    return Ok(None);
                }
                path = spectrum.left_out::<T>(known, &normal, &lambdas, &mut plan.stage(2))?;
                // Errors that are rounding choose nothing, unless there are no others.
                if path.iter().any(|point| point.resolved) {
                    path.retain(|point| point.resolved);
                } else {
                    path.truncate(1);
                }
                best(&path).lambda
            }
        };
        // The smallest of the grid is the best only because there is no smaller one.
        let at_the_end =
            *self.lambda == Lambda::Auto && path.last().is_some_and(|last| last.lambda == lambda);
        if single && (lambda < least || at_the_end) {
            return Ok(None);
        }
        let Output { weights, offsets, residual } = normal.solve(lambda, &mut plan.stage(1))?;
        drop(stages);
        let left_out = path.first().is_some_and(|point| point.resolved).then(|| best(&path));
        if left_out.is_some() {
            report(&path, known.classes.is_some(), job);
        }
        let (left_out, quality) = (left_out.map(LeftOut::error), Quality::direct(residual));
        Ok(Some(Solved { weights, offsets, lambda, left_out, quality }))
    }

    /// Output weights by the likelihood of the classes.
    fn logistic<X: Points>(
        &self,
        units: &dyn Units,
        weights: &[f64],
        labels: &Labels,
        job: &mut Job<'_, X>,
    ) -> Result<Solved> {
        let count = labels.classes().len();
        let classes = Classes { units, weights, index: labels.index(), count };
        let mut stages = job.stages();
        let mut plan = Plan::new(&mut stages, &[("sums over the points", 1.0), ("output weights", 9.0)]);
        let normal = Normal::new::<f64>(units, weights, &[], &mut plan.stage(0))?;
        let m = normal.means.len();
        let mean = (0..m).map(|j| normal.gram.row(j)[j]).sum::<f64>() / m.max(1) as f64;
        let lambdas = match self.lambda {
            Lambda::Value(lambda) => vec![*lambda],
            Lambda::Among(lambdas) => lambdas.clone(),
            Lambda::Auto => LOGISTIC_GRID.map(|power| 10_f64.powi(power) * scale(mean)).collect(),
        };
        // From the largest penalty on, each fit begins where the one before ended.
        let mut order = lambdas.clone();
        order.sort_by(|a, b| b.total_cmp(a));
        let mut found: Vec<(logistic::Fitted, f64, Option<logistic::LeftOut>)> = Vec::new();
        for lambda in order {
            let start = found.last().map(|last| &last.0);
            let fitted = classes.fit(&normal, lambda, start, &mut plan.stage(1))?;
            let several = lambdas.len() > 1;
            let left_out = several.then(|| classes.left_out(&normal, lambda, &fitted)).transpose()?;
            found.push((fitted, lambda, left_out));
        }
        drop(stages);
        let deviance = |left_out: &Option<logistic::LeftOut>| left_out.as_ref().map_or(0.0, |l| l.deviance);
        if lambdas.len() > 1 {
            let point = |(_, lambda, left_out): &(_, f64, Option<logistic::LeftOut>)| {
                let mistakes = left_out.as_ref().map_or(0.0, |l| l.mistakes);
                Facts::default()
                    .with("lambda", *lambda)
                    .with("left_out", deviance(left_out))
                    .with("mistakes", mistakes)
            };
            job.found.add("path", found.iter().map(point).collect::<Vec<_>>());
        }
        // A fit that has not converged says what its last step happens to be: it is taken only where none has.
        if found.iter().any(|(fitted, ..)| fitted.converged) {
            found.retain(|(fitted, ..)| fitted.converged);
        }
        let least = found
            .into_iter()
            .reduce(|best, next| if deviance(&next.2) < deviance(&best.2) { next } else { best });
        let (fitted, lambda, left_out) = least.ok_or(ErrorKind::Data(DataProblem::Empty))?;
        let (weights, offsets) = fitted.output(&normal, count);
        let (residual, converged) = (fitted.residual, fitted.converged);
        let quality = Quality::Residual { residual, iterations: Some(fitted.iterations), converged };
        Ok(Solved { weights, offsets, lambda, left_out: left_out.map(|l| l.deviance), quality })
    }
}

/// λ from the largest down, in parts of the largest eigenvalue.
fn grid(largest: f64, single: bool) -> Vec<f64> {
    let (double_from, single_from, to, steps) = GRID;
    let from = if single { single_from } else { double_from };
    let power = |step: i32| 10_f64.powf(f64::from(step) / f64::from(steps));
    (from * steps..=to * steps).rev().map(|step| power(step) * scale(largest)).collect()
}

/// What λ is measured by: a size of A, or 1 where no unit tells points apart.
fn scale(size: f64) -> f64 {
    if size > 0.0 { size } else { 1.0 }
}

/// The smallest error at points left out; of those that are equal but for rounding the one of the largest λ.
fn best(path: &[LeftOut]) -> &LeftOut {
    let least = path.iter().map(LeftOut::error).fold(f64::INFINITY, f64::min);
    let equal = path.iter().filter(|point| point.error() <= least * (1.0 + SAME));
    equal.max_by(|a, b| a.lambda.total_cmp(&b.lambda)).expect("a path has points")
}

/// Puts the error of each λ at points left out among the findings, and the mistakes where there are classes.
fn report<X: Points>(path: &[LeftOut], has_classes: bool, job: &mut Job<'_, X>) {
    let point = |point: &LeftOut| {
        let mut facts = Facts::default().with("lambda", point.lambda).with("left_out", point.error());
        if has_classes {
            facts.add("mistakes", point.mistakes);
        }
        facts.with("degrees", point.degrees)
    };
    job.found.add("path", path.iter().map(point).collect::<Vec<_>>());
}
