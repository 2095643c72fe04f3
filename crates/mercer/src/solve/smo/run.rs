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

use super::active::{Aside, moved_since, restore, undecided};
use super::exact;
use super::inner::{Inner, Source, Variable};
use super::state::{Extremes, State, hard_gap};
use super::working_set::Choice;
use super::{LEAST_SET, Problem, Selection, Smo, Solution};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::gram::{Cached, Gram};
use crate::solve::{Certificate, Phases, Progress, Stop, Watch};

/// Rounds between two looks at the gap, which costs a pass over all variables.
const GAP_EVERY: u64 = 8;
/// Rounds before the first look at what can be set aside: bringing it back costs as much as a few dozen rounds, which
/// a short solve never earns back.
const SHRINK_AFTER: u64 = 16;
/// Rounds between two looks.
const SHRINK_EVERY: u64 = 16;
/// The least share of active variables worth a compaction.
const SHRINK_SHARE: f64 = 0.3;
/// The inner solve stops when its violation has fallen to this share: tighter buys nothing, looser costs rounds.
const INNER_SHARE: f64 = 0.1;
/// The same where variables have a kink to pass, which takes a step of its own.
const KINKED_SHARE: f64 = 0.2;
/// The shares of a working set that move above which it is doubled and below which it is halved, and a share between.
const GROW: f64 = 0.55;
const SHRINK: f64 = 0.25;
const EVEN: f64 = 0.4;
/// The share of the active variables from which on a working set takes its block from their rows: nearly all values are
/// then wanted as rows too.
const GATHER_SHARE: f64 = 0.5;
/// Working sets' worth of all variables after which, with neither the objective nor the violation any better, the
/// precision is used up.
const PATIENCE: usize = 20;

/// A solve under way. `state` and `cache` cover the active variables only.
pub(super) struct Run<'a> {
    settings: &'a Smo,
    problem: &'a Problem,
    root: &'a dyn Gram,
    cache: Option<Cached<'a>>,
    /// Active variables in the numbering of the problem, ascending.
    active: Vec<usize>,
    aside: Vec<Aside>,
    state: State,
    /// β of the whole problem; up to date for those set aside.
    all_beta: Vec<f64>,
    last: Vec<usize>,
    /// The last working set, where it was a pair, in the numbering of the problem.
    pair: Option<(usize, usize)>,
    inner: Inner,
    /// Variables in a working set, and the most there may be.
    size: usize,
    most: usize,
    /// The share of the working set that moves, averaged over a few rounds.
    useful: f64,
    rounds: u64,
    iterations: u64,
    /// Why there is no answer, if that has come up.
    impossible: Option<DataProblem>,
    /// An objective that only a problem without solution goes below.
    floor: f64,
    /// Whether blocks must agree with the rows to the last bit.
    exact: bool,
    /// The objective of the whole problem, kept up to date.
    objective: f64,
    /// The gap when it was last looked at.
    gap: f64,
    /// The round in which to look next at what can be set aside.
    next_look: u64,
    best: Best,
    computed_before: u64,
    started: Instant,
    phases: Phases,
}

/// The best seen since the active variables last changed, and the round it was seen in.
struct Best {
    objective: f64,
    violation: f64,
    round: u64,
}

impl Best {
    fn since(round: u64) -> Self {
        Self { objective: f64::INFINITY, violation: f64::INFINITY, round }
    }

    /// Takes in what is better; whether anything was.
    fn improves(&mut self, objective: f64, violation: f64) -> bool {
        let better = objective < self.objective || violation < self.violation;
        self.objective = self.objective.min(objective);
        self.violation = self.violation.min(violation);
        better
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(settings: &'a Smo, problem: &'a Problem, root: &'a dyn Gram) -> Self {
        let computed_before = root.computed();
        let mut gradient = problem.linear.clone();
        let (moved, weights) = moved_since(&vec![0.0; problem.len()], &problem.start);
        root.accumulate(&moved, &weights, &mut gradient);
        let size = settings.size(problem.len());
        let most = settings.most(size, problem.len());
        let state = State::at_start(problem, gradient);
        let objective = state.objective(&problem.linear);
        Self {
            objective,
            settings,
            problem,
            root,
            cache: Some(Cached::new(Box::new(root), settings.cache_bytes, most)),
            active: (0..problem.len()).collect(),
            aside: Vec::new(),
            state,
            all_beta: problem.start.clone(),
            last: Vec::new(),
            pair: None,
            inner: Inner::default(),
            size,
            most,
            useful: EVEN,
            rounds: 0,
            iterations: 0,
            impossible: None,
            floor: if problem.is_hard() { lowest_objective(root.diagonal()) } else { f64::NEG_INFINITY },
            exact: false,
            gap: f64::INFINITY,
            next_look: SHRINK_AFTER,
            best: Best::since(0),
            computed_before,
            started: Instant::now(),
            phases: Phases::default(),
        }
    }

    /// Takes up what was done before: since when, the kernel values computed by then, the steps of the parts, and whether
    /// there were parts.
    pub(super) fn began(&mut self, clock: Instant, computed_before: u64, iterations: u64, divided: bool) {
        (self.started, self.computed_before, self.iterations) = (clock, computed_before, iterations);
        if divided {
            crate::return_freed_memory();
            self.phases.dividing.lap(clock);
        }
    }

    /// Goes on until there is a reason to stop.
    pub(super) fn until_stopped(&mut self, watch: Watch<'_>) -> Stop {
        let limit =
            self.settings.iteration_limit.unwrap_or((100 * self.problem.len() as u64).max(10_000_000));
        loop {
            let extremes = self.state.extremes();
            if extremes.violation() <= self.settings.tolerance {
                if self.aside.is_empty() {
                    return Stop::Converged;
                }
                self.bring_back();
                continue;
            }
            if self.objective < self.floor {
                self.impossible = Some(self.contradiction());
                return Stop::Stalled;
            }
            if self.iterations >= limit {
                return Stop::IterationLimit;
            }
            if self.settings.time_limit.is_some_and(|limit| self.started.elapsed() >= limit) {
                return Stop::TimeLimit;
            }
            if self.best.improves(self.objective, extremes.violation()) {
                self.best.round = self.rounds;
            } else if self.rounds - self.best.round > (PATIENCE * (1 + self.active.len() / self.size)) as u64
            {
                return Stop::Stalled;
            }
            if self.rounds.is_multiple_of(GAP_EVERY) {
                self.gap = self.state.gap(&extremes);
            }
            if watch(&self.progress(&extremes)).is_break() {
                return Stop::Interrupted;
            }
            if self.settings.shrinking && self.rounds >= self.next_look {
                self.set_aside(&extremes);
                self.next_look = self.rounds + SHRINK_EVERY;
            }
            if !self.round(extremes, limit) {
                if self.aside.is_empty() {
                    return Stop::Stalled;
                }
                self.bring_back();
            }
        }
    }

    /// The two points of which ever more weight is put on each, to no end.
    fn contradiction(&self) -> DataProblem {
        let place = |better: fn(f64, f64) -> bool| {
            let mut best = 0;
            for (i, &beta) in self.state.beta.iter().enumerate().take(self.points()) {
                if better(beta, self.state.beta[best]) {
                    best = i;
                }
            }
            self.active[best] + 1
        };
        DataProblem::NotSeparable { row: place(|a, b| a > b), column: place(|a, b| a < b) }
    }

    /// Active variables that are on points, not on the origin, which comes last.
    fn points(&self) -> usize {
        let origin = !self.problem.offset && self.active.last() == Some(&(self.problem.len() - 1));
        self.active.len() - usize::from(origin)
    }

    /// Chooses, fetches, solves, updates. Whether anything moved.
    fn round(&mut self, extremes: Extremes, limit: u64) -> bool {
        let clock = Instant::now();
        let state = &mut self.state;
        let cache = self.cache.as_mut().expect("there is a cache between compactions");
        let choice = Choice::new(extremes, state);
        let chosen = if self.size == 2 && self.settings.selection == Selection::SecondOrder {
            choice.pair(self.settings.tolerance, cache)
        } else {
            choice.choose(self.size.min(state.len()), &self.last)
        };
        let clock = self.phases.selection.lap(clock);

        let diagonal = cache.gram().diagonal();
        let variable = |&i: &usize| Variable {
            beta: state.beta[i],
            gradient: state.gradient[i] - extremes.groups[state.group(i)].middle(),
            lower: state.lower[i],
            upper: state.upper[i],
            diagonal: diagonal[i],
            group: state.group(i),
        };
        let variables: Vec<Variable> = chosen.iter().map(variable).collect();
        let mut clock = clock;
        let large = chosen.len() as f64 >= GATHER_SHARE * state.len() as f64;
        if self.exact || large || !cache.is_cheap() {
            let rows = cache.lend(&chosen);
            clock = self.phases.rows.lap(clock);
            self.inner.load(&chosen, Source::Gather(&rows), state.kink, &variables);
        } else {
            self.inner.load(&chosen, Source::Compute(cache.gram()), state.kink, &variables);
        }
        let steps = (100 * chosen.len() as u64).min(limit - self.iterations);
        let share = if state.kink > 0.0 { KINKED_SHARE } else { INNER_SHARE };
        let taken = self.inner.solve(share, self.settings.tolerance / 2.0, steps, self.settings.selection);
        let clock = self.phases.inner.lap(clock);

        if taken == 0 || state.gradient[chosen[0]].is_nan() {
            // Nothing moves: the working set is optimal within rounding, or a value in it is no number.
            let found = not_finite(cache.gram(), &chosen);
            self.impossible = found.map(|(i, j)| DataProblem::KernelNotFinite {
                row: self.active[i] + 1,
                column: self.active[j] + 1,
            });
        }
        let (mut moved, mut weights) = (Vec::with_capacity(chosen.len()), Vec::with_capacity(chosen.len()));
        let (mut before, mut kinks) = (0.0, 0.0);
        for (&i, new) in chosen.iter().zip(self.inner.beta()) {
            if new == state.beta[i] {
                continue;
            }
            weights.push(new - state.beta[i]);
            before += (new - state.beta[i]) * state.gradient[i];
            kinks += state.kink * (new.abs() - state.beta[i].abs());
            moved.push(i);
            state.beta[i] = new;
        }
        cache.keep(&moved);
        let clock = self.phases.rows.lap(clock);
        let (others, their_weights) = cache.add_held(&moved, &weights, &mut state.gradient);
        let clock = self.phases.update.lap(clock);
        cache.gram().accumulate(&others, &their_weights, &mut state.gradient);
        self.phases.rows.lap(clock);
        // δᵀg + ½δᵀKδ, and Kδ is what the gradient has changed by.
        let after: f64 = moved.iter().zip(&weights).map(|(&i, delta)| delta * state.gradient[i]).sum();
        let change = f64::midpoint(before, after) + kinks;
        self.objective += change;
        // Values computed again differ from the rows in their last bits. Where that matters (large steps between
        // near-duplicates) the block is gathered from here on.
        if change > 0.0 && !self.exact {
            self.exact = true;
            self.inner.forget();
        }
        self.pair = match chosen[..] {
            [i, j] => Some((self.active[i], self.active[j])),
            _ => None,
        };
        self.rounds += 1;
        self.iterations += taken;
        self.resize(moved.len() as f64 / chosen.len().max(1) as f64);
        let any = !moved.is_empty();
        self.last = moved;
        any
    }

    /// Doubles the working set while most of its variables move, halves it while few do.
    fn resize(&mut self, moved: f64) {
        if self.settings.working_set.is_some() {
            return;
        }
        self.useful += (moved - self.useful) / 4.0;
        if self.useful > GROW && 2 * self.size <= self.most {
            self.size *= 2;
            self.useful = EVEN;
        } else if self.useful < SHRINK && self.size >= 2 * LEAST_SET {
            self.size /= 2;
            self.useful = EVEN;
        }
    }

    /// Compacts the problem to the undecided variables if enough are decided.
    fn set_aside(&mut self, extremes: &Extremes) {
        let clock = Instant::now();
        let kept = undecided(&self.state, extremes, SHRINK_SHARE);
        let Some(kept) = kept else { return };
        self.store_beta();
        let mut stays = vec![false; self.active.len()];
        kept.iter().for_each(|&i| stays[i] = true);
        let gone: Vec<usize> = (0..self.active.len()).filter(|&i| !stays[i]).collect();
        self.aside.push(Aside::new(
            gone.iter().map(|&i| self.active[i]).collect(),
            gone.iter().map(|&i| self.state.gradient[i]).collect(),
            &self.all_beta,
        ));
        self.state.keep(&kept);
        self.active = kept.iter().map(|&i| self.active[i]).collect();
        self.most = self.most.min(self.active.len()).max(2);
        self.size = self.size.min(self.most);
        let gram = self.root.restrict(&self.active);
        // The packed copy of all points is of no use before they come back.
        self.root.rest();
        let cache = self.cache.take().expect("there is a cache between compactions");
        self.cache = Some(cache.restricted(gram, &kept, self.settings.cache_bytes, self.most));
        let mut place = vec![usize::MAX; stays.len()];
        kept.iter().enumerate().for_each(|(new, &i)| place[i] = new);
        self.last = self.last.iter().map(|&i| place[i]).filter(|&i| i != usize::MAX).collect();
        self.inner.forget();
        self.best = Best::since(self.rounds);
        self.phases.shrinking.lap(clock);
    }

    /// Makes every variable active again.
    fn bring_back(&mut self) {
        let clock = Instant::now();
        self.store_beta();
        // The rows held cover the columns that were active only; there is no use for them now.
        self.cache = None;
        let mut gradient = vec![0.0; self.problem.len()];
        self.active.iter().zip(&self.state.gradient).for_each(|(&i, &g)| gradient[i] = g);
        for (i, g) in restore(std::mem::take(&mut self.aside), self.root, &self.all_beta) {
            gradient[i] = g;
        }
        self.last = self.last.iter().map(|&i| self.active[i]).collect();
        self.active = (0..self.problem.len()).collect();
        self.state = State::at_start(self.problem, gradient);
        self.state.beta.clone_from(&self.all_beta);
        if self.settings.working_set.is_some() {
            self.size = self.settings.size(self.problem.len());
        }
        self.most = self.settings.most(self.size, self.problem.len());
        self.cache = Some(Cached::new(Box::new(self.root), self.settings.cache_bytes, self.most));
        self.inner.forget();
        self.best = Best::since(self.rounds);
        self.phases.shrinking.lap(clock);
    }

    fn store_beta(&mut self) {
        self.active.iter().zip(&self.state.beta).for_each(|(&i, &b)| self.all_beta[i] = b);
    }

    fn progress(&self, extremes: &Extremes) -> Progress {
        Progress {
            part: 0,
            parts: 1,
            rounds: self.rounds,
            iterations: self.iterations,
            active: self.active.len(),
            working_set: self.size.min(self.active.len()),
            pair: self.pair,
            violation: extremes.violation(),
            gap: self.gap,
            objective: self.objective,
            elapsed: self.started.elapsed(),
        }
    }

    /// What is found.
    ///
    /// # Errors
    /// If there is no answer.
    pub(super) fn finish(mut self, stop: Stop) -> Result<Solution> {
        if let Some(problem) = self.impossible {
            return Err(ErrorKind::Data(problem).into());
        }
        if !self.aside.is_empty() {
            self.bring_back();
        }
        let mut extremes = self.state.extremes();
        let exact = self.settings.exact && stop == Stop::Converged && self.settle(&mut extremes);
        let mut gap = self.state.gap(&extremes);
        if gap.is_infinite() && self.problem.is_hard() {
            gap = hard_gap(&self.state, &self.problem.linear, &extremes);
        }
        let computed = self.root.computed() - self.computed_before;
        let certificate = Certificate {
            objective: self.state.objective(&self.problem.linear),
            gap: self.settings.psd.then_some(gap),
            violation: extremes.violation(),
            iterations: self.iterations,
            rows: computed as f64 / self.problem.len().max(1) as f64,
            stop,
            exact,
        };
        let [first, second] = extremes.groups;
        Ok(Solution {
            coefficients: self.state.beta,
            offset: first.offset,
            second_offset: second.offset,
            certificate,
            phases: self.phases,
        })
    }

    /// Puts the free variables where their slopes are equal to rounding, if that is inside the box and leaves the others
    /// optimal. Whether it did.
    fn settle(&mut self, extremes: &mut Extremes) -> bool {
        let Some(found) = exact::solve(self.problem, self.root, &self.state) else { return false };
        let before = (self.state.beta.clone(), self.state.gradient.clone());
        let (moved, weights) = moved_since(&before.0, &found.beta);
        self.state.beta = found.beta;
        // In double precision, so that what rounding does to the others' slopes is not taken for a violation.
        match exact::gradient(self.problem, self.root, &self.state.beta) {
            Some(gradient) => self.state.gradient = gradient,
            None => self.root.accumulate(&moved, &weights, &mut self.state.gradient),
        }
        let after = self.state.extremes();
        if after.violation() > self.settings.tolerance {
            (self.state.beta, self.state.gradient) = before;
            return false;
        }
        *extremes = after;
        extremes.groups.iter_mut().zip(found.offsets).for_each(|(group, offset)| {
            group.offset = offset.unwrap_or(group.offset);
        });
        true
    }
}

/// How far below zero the objective of a hard margin can go: ½‖w‖², and a margin 1/‖w‖ below this share of the largest
/// norm is none in single precision.
fn lowest_objective(diagonal: &[f64]) -> f64 {
    const SHARE: f64 = 1e-4;
    let largest = diagonal.iter().fold(0.0, |a: f64, &k| a.max(k));
    -0.5 / (SHARE * SHARE * largest.max(f64::MIN_POSITIVE))
}

/// Two points between which the kernel is not finite, the first of them one of `points`.
pub(super) fn not_finite(gram: &dyn Gram, points: &[usize]) -> Option<(usize, usize)> {
    let mut row = vec![0.0; gram.len()];
    points.iter().find_map(|&i| {
        gram.rows(&[i], &mut [&mut row]);
        row.iter().position(|k| !k.is_finite()).map(|j| (i, j))
    })
}
