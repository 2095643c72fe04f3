//! Numbers with Gaussian noise.

use super::ascent::{ascend, gradient};
use super::columns::Columns;
use super::evidence::{Evidence, Step, StepKind};
use super::posterior::Posterior;
use super::span::Span;
use super::{Climb, Relevant, Steps};

/// The deviation of the noise at the start, as a share of that of the targets.
const START: f64 = 0.01;

/// Columns added over which the noise must have fallen to [`FALL`] of what it was, for it to stay at the start's value.
const WINDOW: usize = 20;

/// See [`WINDOW`].
const FALL: f64 = 0.9;

/// The largest precision of the noise, as a multiple of that of the targets.
const FINEST: f64 = 1e6;

/// Steps after which the noise is estimated anew.
const EVERY: u64 = 5;

/// Steps of rank one after which everything is computed anew.
const STALE: usize = 20;

/// The ratio of determinants below which a step has lost too many digits.
const LOST: f64 = 1e-6;

/// The gain of a change of one α below which all are changed together.
const SMALL: f64 = 0.01;

/// Derivatives of the log evidence are zero at this.
const FLAT: f64 = 1e-11;

/// Climbs the evidence of a target with Gaussian noise.
///
/// Columns and target are multiplied by the square roots of the points' weights, whose sum is `total`; `variance` is that of the
/// targets. The noise is first held at a hundredth of the targets' deviation: where it starts large, functions that explain the
/// target only together are never found. When columns come in and what is left of the target per degree of freedom falls no more,
/// that is the noise; from then on it is estimated.
pub(crate) fn regress(
    columns: &Columns,
    target: Vec<f64>,
    total: f64,
    variance: f64,
    climb: &Climb,
    watch: Steps<'_>,
) -> Relevant {
    let cap = climb.noise.is_none().then_some(FINEST / variance);
    let beta = climb.noise.map_or(1.0 / (START * START * variance), |noise| 1.0 / noise);
    let mut model = Evidence::new(Span::new(columns, None, target), total, beta, &[], &[]);
    let (mut steps, mut since, mut converged) = (0, 0, false);
    let mut held = cap.map(|_| Vec::new());
    while steps < climb.steps && watch(steps).is_continue() {
        steps += 1;
        let mut step = model.best(climb.tolerance, true);
        if is_last(step, climb.tolerance) || step.is_some_and(|step| is_small_change(&step)) {
            held = None;
            model.compact();
            model.factorise();
            since = 0;
            for newton in [4, 100] {
                ascend(&mut model, cap, FLAT, newton);
                model.statistics();
                step = model.best(climb.tolerance, false);
                if !is_last(step, climb.tolerance) {
                    break;
                }
            }
        }
        let Some(step) = step.filter(|_| !is_last(step, climb.tolerance)) else {
            converged = true;
            break;
        };
        let ratio = model.take(step);
        since += 1;
        if let (Some(levels), StepKind::Add(_)) = (&mut held, step.kind) {
            levels.push(noise(&model));
            let [first, .., last] = levels[levels.len().saturating_sub(WINDOW + 1)..] else { continue };
            if levels.len() > WINDOW && last > FALL * first {
                held = None;
            }
        }
        let estimated = held.is_none() && cap.is_some() && steps % EVERY == 0;
        if estimated || since >= STALE || ratio < LOST {
            model.refresh();
            since = 0;
        }
        if let (true, Some(cap)) = (estimated, cap) {
            model.beta = (1.0 / noise(&model)).min(cap);
            model.refresh();
        }
    }
    model.refresh();
    Relevant {
        posterior: Posterior::of(&model, columns),
        noise: 1.0 / model.beta,
        evidence: model.log(),
        gradient: gradient(&model, cap.is_some_and(|cap| model.beta < cap)),
        steps,
        converged,
    }
}

/// Whether no step is left that gains anything.
pub(super) fn is_last(step: Option<Step>, tolerance: f64) -> bool {
    step.is_none_or(|step| step.gain < tolerance)
}

/// Whether the best step is a small change of one α.
pub(super) fn is_small_change(step: &Step) -> bool {
    matches!(step.kind, StepKind::Change(_)) && step.gain < SMALL
}

/// What is left of the target per degree of freedom.
fn noise(model: &Evidence<'_>) -> f64 {
    model.residual() / (model.total - model.degrees()).max(1.0)
}
