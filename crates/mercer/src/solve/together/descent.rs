//! The loop of the solver. Each round chooses a working set, gets its kernel rows, solves inside it and updates the scores.

use std::time::Instant;

use super::exact;
use super::inner::{Enough, Inner, Member};
use super::scores::{Change, Scores};
use super::{MulticlassProblem, MulticlassSolution, PointProblem};
use crate::error::{Error, Result};
use crate::gram::{Cached, Gram};
use crate::solve::effort::Effort;
use crate::solve::finite::not_finite_error;
use crate::solve::patience::Patience;
use crate::solve::{Certificate, Iterate, Progress, Smo, Stop, Watch};

/// Rounds between two computations of the gap, each of which costs a pass over all points.
const GAP_EVERY: u64 = 8;
/// The steps inside a working set end when its violation has fallen to this share.
const INNER_SHARE: f64 = 0.1;
/// A violation above this share of the largest is strong.
const STRONG: f64 = 0.5;
/// Points up to which the working set is the whole problem.
const WHOLE: usize = 700;
/// The number of points in a working set of a larger problem, if the caller does not set it.
const SET: usize = 512;

/// The state of a solve.
pub(super) struct MulticlassDescent<'a, P> {
    settings: &'a Smo,
    problem: &'a MulticlassProblem,
    gram: &'a dyn Gram,
    cache: Cached<'a>,
    /// β, point after point.
    beta: Vec<f64>,
    scores: Scores,
    inner: Inner<P>,
    /// q, the number of points in a working set.
    size: usize,
    effort: Effort,
    /// The dual objective, kept up to date.
    objective: f64,
    /// The gap when it was last computed.
    gap: f64,
}

impl<'a, P: PointProblem> MulticlassDescent<'a, P> {
    pub(super) fn new(settings: &'a Smo, problem: &'a MulticlassProblem, gram: &'a dyn Gram) -> Self {
        let (n, classes) = (gram.len(), problem.classes);
        let open = if n <= WHOLE { n } else { SET };
        let size = settings.working_set.unwrap_or(open).clamp(1, n.max(1));
        let zero = vec![0.0; classes];
        Self {
            settings,
            problem,
            gram,
            cache: Cached::new(Box::new(gram), settings.cache_bytes, size),
            beta: vec![0.0; n * classes],
            scores: Scores::zeros(n, classes),
            inner: Inner::new(classes),
            size,
            effort: Effort::new(settings, gram),
            objective: (0..n).map(|i| P::conjugate(problem.point(i), &zero)).sum(),
            gap: f64::INFINITY,
        }
    }

    /// Solves the problem, and computes the certificate.
    pub(super) fn solve(mut self, watch: Watch<'_>) -> Result<MulticlassSolution> {
        let stop = self.until_stopped(watch)?;
        let violation = largest(&self.violations());
        let mut certificate = Certificate {
            objective: self.objective_anew(),
            gap: self.settings.psd.then(|| self.gap()),
            violation,
            iterations: self.effort.iterations,
            rows: 0.0,
            stop,
            exact: false,
        };
        if !certificate.objective.is_finite() {
            return Err(self.not_finite());
        }
        // Not if the caller's limit or callback has ended the solve.
        let go_on = match stop {
            Stop::Converged | Stop::Stalled => true,
            Stop::IterationLimit => self.settings.iteration_limit.is_none(),
            Stop::TimeLimit | Stop::Interrupted => false,
        };
        if self.settings.exact && go_on {
            self.settle(&mut certificate);
        }
        certificate.rows = self.effort.kernel_rows(self.gram);
        Ok(MulticlassSolution { coefficients: self.beta, certificate, phases: self.effort.phases })
    }

    /// Makes the answer exact up to rounding, if that is possible.
    fn settle(&mut self, certificate: &mut Certificate) {
        let clock = Instant::now();
        if let Some(found) = exact::solve::<P>(self.problem, self.gram, &self.beta) {
            self.beta = found.beta;
            certificate.objective = found.objective;
            certificate.gap = self.settings.psd.then_some(found.gap);
            certificate.violation = found.violation;
            certificate.exact = true;
            if found.violation <= self.settings.tolerance {
                certificate.stop = Stop::Converged;
            }
        }
        self.effort.phases.inner.lap(clock);
    }

    fn until_stopped(&mut self, watch: Watch<'_>) -> Result<Stop> {
        let sets = 1 + self.problem.c.len() / self.size;
        let mut patience = Patience::since(0);
        loop {
            let clock = Instant::now();
            let violations = self.violations();
            let violation = largest(&violations);
            self.effort.phases.selection.lap(clock);
            if violation.is_nan() {
                return Err(self.not_finite());
            }
            if violation <= self.settings.tolerance {
                return Ok(Stop::Converged);
            }
            if let Some(stop) = self.effort.limit_reached() {
                return Ok(stop);
            }
            if patience.is_exhausted(self.effort.rounds, self.objective, violation, sets) {
                return Ok(Stop::Stalled);
            }
            if self.effort.rounds.is_multiple_of(GAP_EVERY) {
                self.gap = self.gap();
            }
            if watch(&self.progress(violation)).is_break() {
                return Ok(Stop::Interrupted);
            }
            if !self.round(&violations, violation) {
                return Ok(Stop::Stalled);
            }
        }
    }

    /// One round. Returns whether a coefficient has changed.
    fn round(&mut self, violations: &[f64], violation: f64) -> bool {
        let (problem, classes) = (self.problem, self.problem.classes);
        let clock = Instant::now();
        let chosen = choose(violations, violation, self.size);
        let clock = self.effort.phases.selection.lap(clock);

        let rows = self.cache.lend(&chosen);
        let clock = self.effort.phases.rows.lap(clock);

        let diagonal = self.gram.diagonal();
        let member = |&i: &usize| Member { point: problem.point(i), curvature: diagonal[i] };
        let before: Vec<f64> =
            chosen.iter().flat_map(|&i| &self.beta[i * classes..(i + 1) * classes]).copied().collect();
        let scores: Vec<f64> = chosen.iter().flat_map(|&i| self.scores.row(i)).collect();
        self.inner.load(&chosen, chosen.iter().map(member).collect(), &rows, (before.clone(), &scores));
        let target = (INNER_SHARE * violation).max(self.settings.tolerance / 2.0);
        let steps = self.effort.iterations_left();
        self.effort.iterations += self.inner.solve(Enough { target, steps });
        let clock = self.effort.phases.inner.lap(clock);

        let mut changes = vec![Change::default(); classes];
        for (at, (new, old)) in self.inner.beta.iter().zip(&before).enumerate() {
            if new != old {
                changes[at % classes].rows.push(at / classes);
                changes[at % classes].weights.push(new - old);
            }
        }
        self.scores.add(&rows, &changes);
        // The objective changes by Δβ·F + ½ Δβ·KΔβ plus the change of ψ; KΔβ is the change of the scores.
        for (a, &i) in chosen.iter().enumerate() {
            let (point, entries) = (problem.point(i), a * classes..(a + 1) * classes);
            let (new, old) = (&self.inner.beta[entries.clone()], &before[entries.clone()]);
            let middle = self.scores.row(i).zip(&scores[entries]).map(|(f, g)| f64::midpoint(f, *g));
            let linear: f64 = middle.zip(new.iter().zip(old)).map(|(f, (new, old))| (new - old) * f).sum();
            self.objective += linear + P::conjugate(point, new) - P::conjugate(point, old);
            self.beta[i * classes..(i + 1) * classes].copy_from_slice(new);
        }
        self.effort.phases.update.lap(clock);
        self.effort.rounds += 1;
        changes.iter().any(|change| !change.rows.is_empty())
    }

    /// The violation of each point; NaN if a score is not finite.
    fn violations(&self) -> Vec<f64> {
        self.scores.map(|i, scores, scratch| {
            if scores.iter().any(|f| !f.is_finite()) {
                return f64::NAN;
            }
            P::violation(self.problem.point(i), self.coefficients(i), scores, scratch)
        })
    }

    fn gap(&self) -> f64 {
        let terms = self.scores.map(|i, scores, _| {
            let (point, beta) = (self.problem.point(i), self.coefficients(i));
            let term = dot(beta, scores) + P::conjugate(point, beta) + P::loss(point, scores);
            // A term is negative only by rounding.
            term.max(0.0)
        });
        terms.iter().sum()
    }

    fn objective_anew(&self) -> f64 {
        let terms = self.scores.map(|i, scores, _| {
            0.5 * dot(self.coefficients(i), scores)
                + P::conjugate(self.problem.point(i), self.coefficients(i))
        });
        terms.iter().sum()
    }

    fn coefficients(&self, i: usize) -> &[f64] {
        &self.beta[i * self.problem.classes..(i + 1) * self.problem.classes]
    }

    fn progress(&self, violation: f64) -> Progress<'_> {
        Progress {
            part: 0,
            parts: 1,
            rounds: self.effort.rounds,
            iterations: self.effort.iterations,
            active: self.gram.len(),
            working_set: self.size,
            pair: None,
            violation,
            gap: self.gap,
            objective: self.objective,
            elapsed: self.effort.elapsed(),
            iterate: Iterate::default(),
        }
    }

    /// The error of scores that are not finite.
    fn not_finite(&self) -> Error {
        let moved = |&i: &usize| self.coefficients(i).iter().any(|&b| b != 0.0);
        let moved: Vec<usize> = (0..self.gram.len()).filter(moved).collect();
        not_finite_error(self.gram, &moved)
    }
}

/// The largest violation; NaN if one is NaN.
fn largest(violations: &[f64]) -> f64 {
    violations.iter().fold(0.0, |a, &b| if b > a || b.is_nan() { b } else { a })
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// At most `size` violating points, ascending. If at least `size` of them are strong, these are spread evenly over the
/// strong ones, because the worst are often neighbours, of which one is enough. Otherwise they are the worst; of equal
/// ones the first.
fn choose(violations: &[f64], violation: f64, size: usize) -> Vec<usize> {
    let strong: Vec<usize> = (0..violations.len()).filter(|&i| violations[i] >= STRONG * violation).collect();
    if strong.len() >= size {
        return (0..size).map(|place| strong[place * strong.len() / size]).collect();
    }
    let mut worst: Vec<usize> = (0..violations.len()).filter(|&i| violations[i] > 0.0).collect();
    if worst.len() > size {
        let order = |&i: &usize, &j: &usize| violations[j].total_cmp(&violations[i]).then(i.cmp(&j));
        worst.select_nth_unstable_by(size - 1, order);
        worst.truncate(size);
        worst.sort_unstable();
    }
    worst
}
