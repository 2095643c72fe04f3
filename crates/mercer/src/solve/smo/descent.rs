//! Block working-set sequential minimal optimisation.
//!
//! Each round chooses q variables that violate the optimality conditions most, asks the Gram for their rows in one
//! block, solves inside the q × q block by two-variable steps, and updates the gradient of all active variables at
//! once. Variables that are decided are set aside and the problem is compacted; before the end all come back.
//!
//! Cost of a round: q kernel rows (fewer where the cache holds them), q·n multiplications for the gradient and a few
//! thousand inner steps of length q. Memory: the cache's budget and a few vectors of length n.
//!
//! Platt (1998); Joachims (1998); Fan, Chen and Lin (2005) for the second-order choice.

use std::time::Instant;

use super::active::{Active, joined};
use super::choice::Choice;
use super::exact;
use super::inner::Source;
use super::rounding::Rounding;
use super::set_size::SetSize;
use super::state::{Extremes, hard_gap};
use super::working_set::WorkingSet;
use super::{Problem, Selection, Smo, Solution};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::gram::Gram;
use crate::solve::effort::Effort;
use crate::solve::patience::Patience;
use crate::solve::{Certificate, Iterate, Progress, Start, Stop, Watch};

/// Rounds between two computations of the gap, each of which costs a pass over all variables.
const GAP_EVERY: u64 = 8;
/// Rounds between two attempts to set variables aside, and before the first: bringing variables back costs as much as a
/// few dozen rounds, which a short solve does not save.
const SHRINK_EVERY: u64 = 16;
/// The steps inside a working set end when its violation has fallen to this share. Measured: a smaller share saves no
/// rounds, a larger one costs rounds.
const INNER_SHARE: f64 = 0.1;
/// That share for a problem with a kink: a variable that passes it takes two steps.
const KINKED_SHARE: f64 = 0.2;
/// The most steps of a round, for each variable of the working set.
const STEPS: u64 = 100;
/// A working set with at least this share of the active variables gathers its block from their rows: nearly all of these
/// rows are needed for the gradient too.
const GATHER_SHARE: f64 = 0.5;

/// The state of a solve.
pub(super) struct Descent<'a> {
    settings: &'a Smo,
    active: Active<'a>,
    set: WorkingSet,
    effort: Effort,
    patience: Patience,
    /// The objective of the whole problem, kept up to date.
    objective: f64,
    /// A problem whose objective falls below this has no solution.
    floor: f64,
    /// The gap when it was last computed.
    gap: f64,
    /// The round of the next attempt to set variables aside.
    next_look: u64,
    /// What single precision has done to the gradient.
    rounding: Rounding,
    /// Why the problem has no answer, if that has been found.
    impossible: Option<DataProblem>,
}

impl<'a> Descent<'a> {
    /// Begins at the start of the problem; `effort` is what was spent on finding that start.
    pub(super) fn new(settings: &'a Smo, problem: &'a Problem, gram: &'a dyn Gram, effort: Effort) -> Self {
        let size = SetSize::new(settings, problem.len());
        let active = Active::new(problem, gram, settings.cache_bytes, size.most());
        Self {
            settings,
            objective: active.state.objective(&problem.linear),
            active,
            set: WorkingSet::new(size),
            effort,
            patience: Patience::since(0),
            floor: if problem.is_hard() { lowest_objective(gram.diagonal()) } else { f64::NEG_INFINITY },
            gap: f64::INFINITY,
            next_look: SHRINK_EVERY,
            rounding: Rounding::new(problem.len()),
            impossible: None,
        }
    }

    /// Counts the time since the solve began as spent on dividing the problem.
    pub(super) fn was_divided(&mut self) {
        self.effort.phases.dividing.lap(self.effort.started());
    }

    /// Computes the gradient at the start in double precision where the tolerance asks for it.
    pub(super) fn begin_in_double(&mut self) {
        let Active { problem, gram, state, .. } = &mut self.active;
        if let Some(gradient) = self.rounding.at_start(problem, *gram, self.settings.tolerance) {
            state.gradient = gradient;
            self.objective = state.objective(&problem.linear);
        }
    }

    /// Goes on until there is a reason to stop.
    pub(super) fn until_stopped(&mut self, watch: Watch<'_>) -> Stop {
        loop {
            let extremes = self.active.state.extremes();
            if extremes.violation() <= self.settings.tolerance {
                if !self.active.is_whole() {
                    self.bring_back();
                } else if !self.correct() {
                    return Stop::Converged;
                } else if self.rounding.is_endless(self.effort.iterations) {
                    return Stop::Stalled;
                }
                continue;
            }
            if self.objective < self.floor {
                self.impossible = Some(self.active.not_separable());
                return Stop::Stalled;
            }
            if let Some(stop) = self.effort.limit_reached() {
                return stop;
            }
            let (round, sets) = (self.effort.rounds, 1 + self.active.len() / self.set.size.now());
            if self.patience.is_exhausted(round, self.objective, extremes.violation(), sets) {
                return Stop::Stalled;
            }
            if round.is_multiple_of(GAP_EVERY) {
                self.gap = self.active.state.gap(&extremes);
            }
            let (all, index, beta) = self.active.values();
            let iterate = || Start::of_dual(joined(all, index, beta));
            let progress = Progress { iterate: Iterate::of(&iterate), ..self.progress(&extremes) };
            if watch(&progress).is_break() {
                return Stop::Interrupted;
            }
            if self.settings.shrinking && round >= self.next_look {
                self.set_aside(&extremes);
                self.next_look = round + SHRINK_EVERY;
            }
            if !self.round(&extremes) {
                if self.active.is_whole() {
                    return Stop::Stalled;
                }
                self.bring_back();
            }
        }
    }

    /// One round. Returns whether a variable moved.
    fn round(&mut self, extremes: &Extremes) -> bool {
        let chosen = self.choose(extremes);
        self.load(&chosen, extremes);
        self.solve_inside(&chosen);
        let moved = self.update(&chosen);
        let any = !moved.is_empty();
        self.effort.rounds += 1;
        self.set.record(&chosen, moved, &self.active.index);
        any
    }

    /// Chooses the working set, as positions among the active variables.
    fn choose(&mut self, extremes: &Extremes) -> Vec<usize> {
        let clock = Instant::now();
        let (size, (state, cache)) = (self.set.size.now(), self.active.parts());
        let choice = Choice::new(*extremes, state);
        let chosen = if size == 2 && self.settings.selection == Selection::SecondOrder {
            choice.pair(self.settings.tolerance, cache)
        } else {
            choice.choose(size.min(state.len()), &self.set.last)
        };
        self.effort.phases.selection.lap(clock);
        chosen
    }

    /// Gets the variables of the working set and the block of kernel values between them.
    fn load(&mut self, chosen: &[usize], extremes: &Extremes) {
        let mut clock = Instant::now();
        let (state, cache) = self.active.parts();
        let variables = state.variables(chosen, cache.gram().diagonal(), extremes);
        let large = chosen.len() as f64 >= GATHER_SHARE * state.len() as f64;
        if self.set.gathered || large || !cache.is_cheap() {
            let rows = cache.lend(chosen);
            clock = self.effort.phases.rows.lap(clock);
            self.set.inner.load(chosen, Source::Gather(&rows), state.kink, &variables);
        } else {
            self.set.inner.load(chosen, Source::Compute(cache.gram()), state.kink, &variables);
        }
        self.effort.phases.inner.lap(clock);
    }

    /// Takes two-variable steps inside the working set.
    fn solve_inside(&mut self, chosen: &[usize]) {
        let clock = Instant::now();
        let Smo { tolerance, selection, .. } = *self.settings;
        let steps = (STEPS * chosen.len() as u64).min(self.effort.iterations_left());
        let share = if self.active.state.kink > 0.0 { KINKED_SHARE } else { INNER_SHARE };
        let taken = self.set.inner.solve(share, tolerance / 2.0, steps, selection);
        self.effort.iterations += taken;
        self.effort.phases.inner.lap(clock);
        if taken == 0 || self.active.state.gradient[chosen[0]].is_nan() {
            // Nothing moves: the working set is optimal within rounding, or a kernel value in it is not finite.
            self.impossible = self.active.not_finite(chosen);
        }
    }

    /// Moves the variables to where the inner steps have led them, and brings the gradient and the objective up to date.
    /// Returns the variables that moved.
    fn update(&mut self, chosen: &[usize]) -> Vec<usize> {
        let clock = Instant::now();
        let (phases, (state, cache)) = (&mut self.effort.phases, self.active.parts());
        let moves = state.move_to(chosen, self.set.inner.beta());
        cache.keep(&moves.variables);
        let clock = phases.rows.lap(clock);
        let (others, weights) = cache.add_held(&moves.variables, &moves.steps, &mut state.gradient);
        let clock = phases.update.lap(clock);
        cache.gram().accumulate(&others, &weights, &mut state.gradient);
        phases.rows.lap(clock);
        let change = state.objective_change(&moves);
        self.objective += change;
        // Values computed again differ from the rows in their last bits, which matters for large steps between
        // near-duplicates.
        if change > 0.0 {
            self.set.gather();
        }
        moves.variables
    }

    /// Compacts the problem to the undecided variables if enough are decided.
    fn set_aside(&mut self, extremes: &Extremes) {
        let clock = Instant::now();
        let Some(kept) = self.active.undecided(extremes) else { return };
        self.set.size.shrink_to(kept.len());
        self.set.renumber(|i| kept.binary_search(&i).ok());
        self.active.keep(&kept, self.settings.cache_bytes, self.set.size.most());
        self.patience = Patience::since(self.effort.rounds);
        self.effort.phases.shrinking.lap(clock);
    }

    /// Makes every variable active again.
    fn bring_back(&mut self) {
        let clock = Instant::now();
        self.set.size.restore(self.settings, self.active.problem.len());
        self.set.renumber(|i| Some(self.active.index[i]));
        self.active.bring_back(self.settings.cache_bytes, self.set.size.most());
        self.patience = Patience::since(self.effort.rounds);
        self.effort.phases.shrinking.lap(clock);
    }

    /// Computes the gradient again in double precision if it is off by too much. Returns whether it was.
    fn correct(&mut self) -> bool {
        let clock = Instant::now();
        let Active { problem, gram, state, .. } = &mut self.active;
        let found =
            self.rounding.corrected(problem, *gram, &state.beta, &state.gradient, self.settings.tolerance);
        let off = found.is_some();
        if let Some(gradient) = found {
            state.gradient = gradient;
            self.objective = state.objective(&problem.linear);
            self.patience = Patience::since(self.effort.rounds);
        }
        self.effort.phases.rows.lap(clock);
        off
    }

    fn progress(&self, extremes: &Extremes) -> Progress<'_> {
        Progress {
            part: 0,
            parts: 1,
            rounds: self.effort.rounds,
            iterations: self.effort.iterations,
            active: self.active.len(),
            working_set: self.set.size.now().min(self.active.len()),
            pair: self.set.pair,
            violation: extremes.violation(),
            gap: self.gap,
            objective: self.objective,
            elapsed: self.effort.elapsed(),
            iterate: Iterate::default(),
        }
    }

    /// The answer and its certificate, which looks at all variables.
    ///
    /// # Errors
    /// If there is no answer.
    pub(super) fn finish(mut self, stop: Stop) -> Result<Solution> {
        if let Some(problem) = self.impossible {
            return Err(ErrorKind::Data(problem).into());
        }
        if !self.active.is_whole() {
            self.bring_back();
        }
        if stop != Stop::Converged {
            self.correct();
        }
        let Active { problem, gram, mut state, .. } = self.active;
        let mut extremes = state.extremes();
        let exact = self.settings.exact
            && stop == Stop::Converged
            && exact::settle(problem, gram, self.settings.tolerance, &mut state, &mut extremes);
        let mut gap = state.gap(&extremes);
        if gap.is_infinite() && problem.is_hard() {
            gap = hard_gap(&state, &problem.linear, &extremes);
        }
        let certificate = Certificate {
            objective: state.objective(&problem.linear),
            gap: self.settings.psd.then_some(gap),
            violation: extremes.violation(),
            iterations: self.effort.iterations,
            rows: self.effort.kernel_rows(gram),
            stop,
            exact,
        };
        let [first, second] = extremes.groups;
        Ok(Solution {
            coefficients: state.beta,
            offset: first.offset,
            second_offset: second.offset,
            certificate,
            phases: self.effort.phases,
        })
    }
}

/// The lowest objective of a hard margin that has a solution: it is −½‖w‖², and a margin 1/‖w‖ below `SHARE` of the largest
/// norm cannot be told from none in single precision.
fn lowest_objective(diagonal: &[f64]) -> f64 {
    const SHARE: f64 = 1e-4;
    let largest = diagonal.iter().fold(0.0, |a: f64, &k| a.max(k));
    -0.5 / (SHARE * SHARE * largest.max(f64::MIN_POSITIVE))
}
