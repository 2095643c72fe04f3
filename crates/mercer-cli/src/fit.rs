//! Fits under the eyes of the user, and what the certificates of a fit say together.

use std::time::Instant;

use mercer::data::{Labels, Vectors, write_atomic};
use mercer::kernel::VectorExpr;
use mercer::model::{Machine, Svc, SvcModel};
use mercer::solve::{Certificate, Phases, Progress, Smo, Stop, Watch};

use crate::progress::{Show, Watcher};
use crate::system;

/// The classifiers of this program.
pub(crate) type Model = SvcModel<Vectors, VectorExpr>;

/// A model and what it took to fit it.
pub(crate) struct Fitted<M = Machine> {
    pub(crate) model: M,
    pub(crate) seconds: f64,
    /// Where they went, summed over pairs that run side by side.
    pub(crate) phases: Phases,
    /// ε of a regression, given or found.
    pub(crate) epsilon: Option<f64>,
    /// The C that belongs to ν, for each pair of classes.
    pub(crate) c: Vec<f64>,
}

/// Fits a classifier as [`watched`] does.
pub(crate) fn fit(
    svc: &Svc<VectorExpr>,
    x: &Vectors,
    y: &Labels,
    show: &Show,
) -> mercer::Result<Fitted<Model>> {
    let ((model, phases), seconds) = watched(&svc.solver, show, |watch| svc.fit_timed(x, y, watch))?;
    Ok(Fitted { model, seconds, phases, epsilon: None, c: Vec::new() })
}

/// Fits with a progress bar and a table of all rounds, as wanted, and how many seconds that took; Ctrl-C ends with the
/// best so far.
pub(crate) fn watched<T>(
    solver: &Smo,
    show: &Show,
    fit: impl FnOnce(Watch<'_>) -> mercer::Result<T>,
) -> mercer::Result<(T, f64)> {
    let mut watcher = Watcher::new(solver.tolerance, show);
    let started = Instant::now();
    let fitted = system::fitting(|| fit(&mut |progress: &Progress| watcher.look(progress)))?;
    let seconds = started.elapsed().as_secs_f64();
    if let (Some(path), Some(table)) = (&show.trace, watcher.take_trace()) {
        write_atomic(path, |out| out.write_all(table.as_bytes()))?;
    }
    Ok((fitted, seconds))
}

/// The certificates of all pairs taken together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Totals {
    /// Sum of the objectives.
    pub(crate) objective: f64,
    /// Sum of the gaps; absent if one is.
    pub(crate) gap: Option<f64>,
    /// Largest violation.
    pub(crate) violation: f64,
    /// Sum of the steps.
    pub(crate) iterations: u64,
    /// Sum of the kernel rows computed.
    pub(crate) rows: f64,
    /// The least good reason to stop.
    pub(crate) stop: Stop,
}

impl Totals {
    /// Of a fit that had nothing to solve.
    pub(crate) const NOTHING: Self = Self {
        objective: 0.0,
        gap: Some(0.0),
        violation: 0.0,
        iterations: 0,
        rows: 0.0,
        stop: Stop::Converged,
    };

    /// Those of a machine; of cells they are problems apart, and say nothing of the whole.
    pub(crate) fn of_machine(machine: &Machine) -> Option<Self> {
        match machine {
            Machine::Local(model) => Self::of(&model.certificates()),
            _ => Self::of(machine.certificates()),
        }
    }

    /// Sums up; nothing for no certificates.
    pub(crate) fn of(certificates: &[Certificate]) -> Option<Self> {
        let stop = certificates.iter().map(|c| c.stop).max_by_key(|&stop| badness(stop))?;
        Some(Self {
            objective: certificates.iter().map(|c| c.objective).sum(),
            gap: certificates.iter().map(|c| c.gap).sum(),
            violation: certificates.iter().map(|c| c.violation).fold(0.0, f64::max),
            iterations: certificates.iter().map(|c| c.iterations).sum(),
            rows: certificates.iter().map(|c| c.rows).sum(),
            stop,
        })
    }

    /// The gap as a share of the primal objective: objectives of the dual are negative, primal = gap − dual.
    pub(crate) fn relative_gap(&self) -> Option<f64> {
        let primal = self.gap? - self.objective;
        (primal > 0.0).then(|| self.gap.unwrap_or(0.0) / primal)
    }
}

fn badness(stop: Stop) -> u8 {
    match stop {
        Stop::Converged => 0,
        Stop::Stalled => 1,
        Stop::IterationLimit => 2,
        Stop::TimeLimit => 3,
        Stop::Interrupted => 5,
        _ => 4,
    }
}

/// What to tell a user whose fit did not converge.
pub(crate) fn warning(totals: &Totals, tolerance: f64) -> Option<String> {
    let reason = match totals.stop {
        Stop::Converged => return None,
        Stop::IterationLimit => "the limit on iterations was reached",
        Stop::TimeLimit => "the time limit was reached",
        Stop::Stalled => "no step improves the objective in this precision",
        Stop::Interrupted => "interrupted",
        _ => "stopped early",
    };
    Some(format!(
        "warning: {reason}: violation {} where {} was asked for; the model is the best so far",
        crate::output::rough(totals.violation),
        crate::output::rough(tolerance),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certificate(gap: Option<f64>, violation: f64, stop: Stop) -> Certificate {
        Certificate { objective: -2.0, gap, violation, iterations: 3, rows: 1.5, stop, exact: false }
    }

    #[test]
    fn totals_are_sums_and_the_worst() {
        let good = certificate(Some(0.5), 0.1, Stop::Converged);
        let totals = Totals::of(&[good, certificate(Some(0.25), 0.3, Stop::Stalled), good]).unwrap();
        assert_eq!((totals.objective, totals.gap), (-6.0, Some(1.25)));
        assert_eq!((totals.violation, totals.iterations, totals.rows), (0.3, 9, 4.5));
        assert_eq!(totals.stop, Stop::Stalled);
        assert_eq!(Totals::of(&[good, certificate(None, 0.0, Stop::Interrupted)]).unwrap().gap, None);
        assert_eq!(Totals::of(&[]), None);
    }
}
