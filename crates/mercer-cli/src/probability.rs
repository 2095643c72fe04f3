//! Probabilities: what was asked for, how they are learnt, what is said of them.

use mercer::data::Vectors;
use mercer::model::Machine;
use mercer::model::probability::{Calibration, Density, Estimate, Method, Settings};
use serde_json::{Value, json};

use crate::args::{MethodArg, ProbabilityArg, TrainArgs};
use crate::failure::{Failure, Result};
use crate::fit::watched;
use crate::multiclass::is_many;
use crate::output::{count, remark, short};
use crate::progress::Show;
use crate::system;
use crate::task::Task;

/// Folds, where nothing else is said; LIBSVM's.
pub(crate) const FOLDS: usize = 5;

/// How probabilities are to be learnt, where they are wanted at all.
///
/// # Errors
/// If the method has others or none, or the number of folds cannot be.
pub(crate) fn settings(args: &TrainArgs) -> Result<Option<Settings>> {
    let Some(wanted) = args.probability else { return Ok(None) };
    if is_many(args) {
        let text = "a machine with a function for each class or label does not have it; softmax has its own";
        return Err(Failure::Usage(format!("--probability {}: {text}", wanted.name())));
    }
    let known = match args.method {
        MethodArg::Svc | MethodArg::NuSvc => &[ProbabilityArg::Platt, ProbabilityArg::Isotonic][..],
        MethodArg::Svr | MethodArg::NuSvr => &[ProbabilityArg::Noise],
        MethodArg::OneClass => &[ProbabilityArg::Density],
        MethodArg::Svdd | MethodArg::Ridge | MethodArg::Fisher | MethodArg::Cca | MethodArg::Kpca => &[],
    };
    if !known.contains(&wanted) {
        let (wanted, method) = (wanted.name(), args.method.name());
        let known = known.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" and ");
        let known = if known.is_empty() { "no probabilities" } else { &known };
        let text = format!("--probability {wanted}: --method {method} does not have it; it has {known}");
        return Err(Failure::Usage(text));
    }
    if wanted == ProbabilityArg::Density && args.folds.is_some() {
        return Err(Failure::Usage("--folds: a density is found without".into()));
    }
    if wanted == ProbabilityArg::Isotonic && args.libsvm {
        let what = "isotonic probabilities as LIBSVM's model text, which has Platt's sigmoids";
        return Err(Failure::Unsupported(what.into()));
    }
    let folds = args.folds.unwrap_or(FOLDS);
    if folds < 2 {
        return Err(Failure::Usage(format!("--folds {folds}: must be at least 2")));
    }
    let method = if wanted == ProbabilityArg::Isotonic { Method::Isotonic } else { Method::Sigmoid };
    Ok(Some(Settings { method, folds, seed: args.common.seed }))
}

/// Learns what the decisions of a fitted machine are worth, and how many seconds that took. There is nothing to be had
/// where the user wanted to stop, or where a one-class machine has too few points on one side; a warning says so.
///
/// # Errors
/// If a fit to the points without a fold fails, or the machine has no probabilities.
pub(crate) fn learn(
    task: &Task,
    x: &Vectors,
    machine: &Machine,
    settings: &Settings,
    show: &Show,
) -> mercer::Result<(Option<Estimate>, f64)> {
    let show = Show { trace: None, ..show.clone() };
    let run = |watch: mercer::solve::Watch<'_>| -> mercer::Result<Option<Estimate>> {
        Ok(match (task, machine) {
            _ if system::stop_wanted() => None,
            (Task::Svc(svc, y), _) => {
                Some(Estimate::Classes(svc.fit_probability_watched(x, y, settings, watch)?))
            }
            (Task::NuSvc(svc, y), _) => {
                Some(Estimate::Classes(svc.fit_probability_watched(x, y, settings, watch)?))
            }
            (Task::Svr(svr, y), _) => Some(Estimate::Noise(svr.fit_noise_watched(x, y, settings, watch)?)),
            (_, Machine::OneClass(function)) => {
                let density = Density::fit(function, x)?;
                if density.is_none() {
                    remark(
                        "WARNING: number of positive or negative decision values <5; too few to do a probability estimation.",
                    );
                }
                density.map(Estimate::Density)
            }
            _ => {
                let what = format!("probabilities of '{}'", machine.method()).into();
                return Err(mercer::ErrorKind::Unsupported { what }.into());
            }
        })
    };
    let (estimate, seconds) = watched(task.solver(), &show, run)?;
    if system::stop_wanted() {
        remark("mercer: warning: interrupted: the model has no probabilities");
        return Ok((None, seconds));
    }
    Ok((estimate, seconds))
}

/// The folds there are: no more than rows that count, of the largest pair of classes where there are classes.
pub(crate) fn folds_used(task: &Task, settings: &Settings) -> usize {
    let (weights, classes): (&[f64], Vec<u32>) = match task {
        Task::Svc(svc, y) => (&svc.weights, y.index().to_vec()),
        Task::NuSvc(svc, y) => (&svc.weights, y.index().to_vec()),
        Task::Svr(svr, y) => (&svr.weights, vec![0; y.len()]),
        Task::OneClass(_) | Task::Svdd(_) | Task::Many(_) | Task::Local(..) => return settings.folds,
    };
    let mut sizes = vec![0; classes.iter().max().map_or(0, |&most| most as usize + 1)];
    let counts = |i: usize| weights.get(i).is_none_or(|&weight| weight > 0.0);
    (0..classes.len()).filter(|&i| counts(i)).for_each(|i| sizes[classes[i] as usize] += 1);
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    settings.folds.min(sizes.iter().take(2).sum())
}

/// In words.
pub(crate) fn words(estimate: &Estimate) -> String {
    match estimate {
        Estimate::Classes(probability) => match &probability.pairs[..] {
            [Calibration::Sigmoid(pair)] => {
                format!("sigmoid, 1/(1 + exp({} f + {}))", short(pair.a), short(pair.b))
            }
            pairs => {
                let knots = |pair: &Calibration| match pair {
                    Calibration::Sigmoid(_) => 0,
                    Calibration::Isotonic(isotonic) => isotonic.thresholds.len(),
                };
                let all = pairs.iter().map(knots).sum();
                let knots = if all > 0 { format!(" with {}", count(all, "knot")) } else { String::new() };
                format!("{}, {}{knots}", estimate.method(), count(pairs.len(), "pair"))
            }
        },
        Estimate::Noise(noise) => {
            format!("noise, e^(-|z|/sigma)/(2 sigma) with sigma = {}", short(noise.sigma))
        }
        Estimate::Density(density) => {
            let [first, .., last] = density.marks;
            format!("density, {} marks from {} to {}", density.marks.len(), short(first), short(last))
        }
    }
}

/// The same as an object.
pub(crate) fn object(estimate: &Estimate) -> Value {
    let mut object = json!({ "method": estimate.method() });
    match estimate {
        Estimate::Classes(probability) => {
            let pair = |pair: &Calibration| match pair {
                Calibration::Sigmoid(sigmoid) => json!({ "a": sigmoid.a, "b": sigmoid.b }),
                Calibration::Isotonic(isotonic) => {
                    json!({ "thresholds": isotonic.thresholds, "values": isotonic.values })
                }
            };
            object["pairs"] = probability.pairs.iter().map(pair).collect();
        }
        Estimate::Noise(noise) => object["sigma"] = json!(noise.sigma),
        Estimate::Density(density) => object["marks"] = json!(density.marks),
    }
    object
}
