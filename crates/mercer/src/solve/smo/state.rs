//! The active variables: their values and gradient, and how far they are from optimal.

use std::ops::Range;

use rayon::prelude::*;

use super::Problem;
use super::inner::Variable;

/// The variables of a problem that is being solved: β, its box and the gradient g = Kβ + linear.
///
/// With a kink κ the objective has the term κ|βᵢ|, whose slope is κ above zero and −κ below: for a variable at zero the
/// slope is g + κ as it rises and g − κ as it falls.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) beta: Vec<f64>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    pub(super) gradient: Vec<f64>,
    /// For each variable, whether it is part of the second sum; empty if there is only one sum.
    pub(super) second: Vec<bool>,
    pub(super) kink: f64,
    /// What was added to the diagonal of K; empty for nothing.
    pub(super) ridge: Vec<f64>,
    /// Whether there is an offset; else b is 0.
    pub(super) offset: bool,
}

impl State {
    /// The variables at the start of a problem, with the gradient there.
    pub(super) fn at_start(problem: &Problem, gradient: Vec<f64>) -> Self {
        Self {
            beta: problem.start.clone(),
            lower: problem.lower.clone(),
            upper: problem.upper.clone(),
            gradient,
            second: problem.second.clone(),
            kink: problem.kink,
            ridge: problem.ridge.clone(),
            offset: problem.offset,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.beta.len()
    }

    /// The number of sums that are fixed.
    pub(super) fn groups(&self) -> usize {
        if self.second.is_empty() { 1 } else { 2 }
    }

    /// The number of the sum that variable `i` is part of.
    pub(super) fn group(&self, i: usize) -> usize {
        usize::from(self.second.get(i).copied().unwrap_or(false))
    }

    /// The slope of the objective as variable `i` rises; ∞ if it may not rise.
    pub(super) fn rise(&self, i: usize) -> f64 {
        let b = self.beta[i];
        if b < self.upper[i] { self.gradient[i] + slope(b >= 0.0, self.kink) } else { f64::INFINITY }
    }

    /// The slope of the objective as variable `i` falls; −∞ if it may not fall.
    pub(super) fn fall(&self, i: usize) -> f64 {
        let b = self.beta[i];
        if b > self.lower[i] { self.gradient[i] + slope(b > 0.0, self.kink) } else { f64::NEG_INFINITY }
    }

    /// Whether variable `i` is free: it may rise and fall, with one slope.
    pub(super) fn free(&self, i: usize) -> bool {
        self.rise(i) == self.fall(i)
    }

    /// Whether variable `i` is decided: it violates the optimality conditions with no other variable.
    pub(super) fn decided(&self, i: usize, extremes: &Extremes) -> bool {
        let Spread { rise, fall, .. } = extremes.groups[self.group(i)];
        self.rise(i) > fall && self.fall(i) < rise
    }

    /// Drops all variables but those at `index`.
    pub(super) fn keep(&mut self, index: &[usize]) {
        for list in [&mut self.beta, &mut self.lower, &mut self.upper, &mut self.gradient] {
            *list = index.iter().map(|&i| list[i]).collect();
        }
        if !self.second.is_empty() {
            self.second = index.iter().map(|&i| self.second[i]).collect();
        }
        if !self.ridge.is_empty() {
            self.ridge = index.iter().map(|&i| self.ridge[i]).collect();
        }
    }

    /// The variables at `index` as a working set sees them, their gradients about the middle of the violation.
    pub(super) fn variables(&self, index: &[usize], diagonal: &[f64], extremes: &Extremes) -> Vec<Variable> {
        let variable = |&i: &usize| Variable {
            beta: self.beta[i],
            gradient: self.gradient[i] - extremes.groups[self.group(i)].middle(),
            lower: self.lower[i],
            upper: self.upper[i],
            diagonal: diagonal[i],
            group: self.group(i),
        };
        index.iter().map(variable).collect()
    }

    /// Moves the variables at `index` to `beta`; the gradient stays what it was.
    pub(super) fn move_to(&mut self, index: &[usize], beta: impl Iterator<Item = f64>) -> Moves {
        let mut moves = Moves {
            variables: Vec::with_capacity(index.len()),
            steps: Vec::with_capacity(index.len()),
            slope: 0.0,
            kinks: 0.0,
        };
        for (&i, new) in index.iter().zip(beta) {
            let old = self.beta[i];
            if new == old {
                continue;
            }
            moves.variables.push(i);
            moves.steps.push(new - old);
            moves.slope += (new - old) * self.gradient[i];
            moves.kinks += self.kink * (new.abs() - old.abs());
            self.beta[i] = new;
        }
        moves
    }

    /// What `moves` have changed the objective by, δᵀg + ½δᵀKδ + κ Σ(|β + δ| − |β|), now that the gradient is up to date:
    /// Kδ is what it has changed by.
    pub(super) fn objective_change(&self, moves: &Moves) -> f64 {
        let after: f64 =
            moves.variables.iter().zip(&moves.steps).map(|(&i, step)| step * self.gradient[i]).sum();
        f64::midpoint(moves.slope, after) + moves.kinks
    }

    /// How far the variables are from optimal.
    pub(super) fn extremes(&self) -> Extremes {
        let look = |range: Range<usize>| {
            let mut groups = [Tally::default(); 2];
            for i in range {
                let (tally, rise, fall) = (&mut groups[self.group(i)], self.rise(i), self.fall(i));
                tally.rise = tally.rise.min(rise);
                tally.fall = tally.fall.max(fall);
                if rise == fall {
                    tally.sum += rise;
                    tally.free += 1;
                }
            }
            groups
        };
        let mut groups = [Tally::default(); 2];
        for piece in in_pieces(self.len(), look) {
            groups.iter_mut().zip(piece).for_each(|(tally, piece)| tally.add(&piece));
        }
        let mut groups = groups.map(|tally| tally.spread());
        if !self.offset {
            groups[0].offset = 0.0;
        }
        Extremes { groups }
    }

    /// ½ βᵀKβ + linearᵀβ + κ Σ|β|, from the gradient: ½ Σ βᵢ (gᵢ + linearᵢ) + κ Σ|βᵢ|.
    pub(super) fn objective(&self, linear: &[f64]) -> f64 {
        let smooth: f64 =
            self.beta.iter().zip(&self.gradient).zip(linear).map(|((b, g), l)| b * (g + l)).sum();
        0.5 * smooth + self.kink * self.beta.iter().map(|b| b.abs()).sum::<f64>()
    }

    /// The duality gap for the offsets b of the groups: Σ max over t in the box of (βᵢ − t)·rᵢ + κ(|βᵢ| − |t|) with
    /// r = g − b.
    ///
    /// Each term is the most that variable i can gain by moving; at an optimum all terms are zero. The gain is largest at a
    /// bound or at the kink. With a ridge d the slack is ξ = max(0, |r − dβ| − κ), taken over the directions in which the
    /// variable may move, and the term is βr + κ|β| − ½dβ² + ξ²/(2d).
    pub(super) fn gap(&self, extremes: &Extremes) -> f64 {
        let term = |i: usize| {
            let (b, r) = (self.beta[i], self.gradient[i] - extremes.groups[self.group(i)].offset);
            if let Some(&d) = self.ridge.get(i).filter(|&&d| d > 0.0) {
                let bare = r - d * b;
                let slack = if self.upper[i] > 0.0 { -bare } else { f64::NEG_INFINITY };
                let slack = slack.max(if self.lower[i] < 0.0 { bare } else { f64::NEG_INFINITY }) - self.kink;
                return b * r + self.kink * b.abs() - 0.5 * d * b * b + slack.max(0.0).powi(2) / (2.0 * d);
            }
            // A variable at the bound gains nothing.
            let kink = |t: f64| if self.kink > 0.0 { self.kink * (b.abs() - t.abs()) } else { 0.0 };
            let gain = |t: f64| if t == b { 0.0 } else { (b - t) * r + kink(t) };
            let bound = gain(if r > 0.0 { self.lower[i] } else { self.upper[i] });
            let bound = if r == 0.0 && self.kink == 0.0 { 0.0 } else { bound };
            if self.kink > 0.0 { bound.max(gain(0.0)) } else { bound }
        };
        in_pieces(self.len(), |range| range.map(term).sum::<f64>()).into_iter().sum()
    }
}

/// Variables that have moved by the steps δ.
pub(super) struct Moves {
    pub(super) variables: Vec<usize>,
    /// δ
    pub(super) steps: Vec<f64>,
    /// δᵀg with the gradient before the move.
    slope: f64,
    /// What κ Σ|β| has changed by.
    kinks: f64,
}

/// The gap where no training error is allowed and all bounds are 0 or infinite: the difference between the dual objective
/// and the primal one, ½s²βᵀKβ, of the function scaled by the least s that leaves no error. Infinite if no s does.
pub(super) fn hard_gap(state: &State, linear: &[f64], extremes: &Extremes) -> f64 {
    let (mut scale, mut square) = (0.0_f64, 0.0);
    for (i, &l) in linear.iter().enumerate().filter(|(_, l)| **l != 0.0) {
        // (f − b) s must reach −l, and f − b is r − l.
        let margin = 1.0 - (state.gradient[i] - extremes.groups[state.group(i)].offset) / l;
        scale = scale.max(if margin > 0.0 { 1.0 / margin } else { f64::INFINITY });
        square += state.beta[i] * (state.gradient[i] - l);
    }
    0.5 * scale * scale * square + state.objective(linear)
}

/// The slope of κ|β|: κ above zero, −κ below.
pub(super) fn slope(above: bool, kink: f64) -> f64 {
    if above { kink } else { -kink }
}

/// Variables that one task looks at.
const TASK: usize = 8192;

/// The results of `look` on consecutive pieces of fixed size, in order. They do not depend on the number of threads.
fn in_pieces<R: Send>(n: usize, look: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    let pieces = n.div_ceil(TASK);
    let piece = |task: usize| look(task * TASK..n.min((task + 1) * TASK));
    if pieces == 1 { vec![piece(0)] } else { (0..pieces).into_par_iter().map(piece).collect() }
}

/// Statistics of the variables of one sum, collected piece by piece.
#[derive(Clone, Copy)]
struct Tally {
    rise: f64,
    fall: f64,
    sum: f64,
    free: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Self { rise: f64::INFINITY, fall: f64::NEG_INFINITY, sum: 0.0, free: 0 }
    }
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.rise = self.rise.min(other.rise);
        self.fall = self.fall.max(other.fall);
        self.sum += other.sum;
        self.free += other.free;
    }

    fn spread(&self) -> Spread {
        let middle = match (self.rise.is_finite(), self.fall.is_finite()) {
            (true, true) => f64::midpoint(self.rise, self.fall),
            (true, false) => self.rise,
            (false, true) => self.fall,
            (false, false) => 0.0,
        };
        let offset = if self.free > 0 { self.sum / self.free as f64 } else { middle };
        Spread { rise: self.rise, fall: self.fall, offset }
    }
}

/// How far the variables of one sum are from optimal, and their offset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    /// The smallest slope of a variable that may rise.
    pub(super) rise: f64,
    /// The largest slope of a variable that may fall.
    pub(super) fall: f64,
    /// b: the mean slope of the free variables, or the middle between `rise` and `fall` if none is free.
    pub(super) offset: f64,
}

impl Spread {
    /// The largest violation of the optimality conditions; 0 if they hold.
    pub(super) fn violation(&self) -> f64 {
        (self.fall - self.rise).max(0.0)
    }

    /// The middle between the slopes of the most violating pair; the offset if there is no pair.
    pub(super) fn middle(&self) -> f64 {
        let middle = f64::midpoint(self.rise, self.fall);
        if middle.is_finite() { middle } else { self.offset }
    }
}

/// The spread of each sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extremes {
    pub(super) groups: [Spread; 2],
}

impl Extremes {
    /// The largest violation of the optimality conditions; 0 if they hold.
    pub(super) fn violation(&self) -> f64 {
        self.groups[0].violation().max(self.groups[1].violation())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(beta: &[f64], lower: &[f64], upper: &[f64], gradient: &[f64], kink: f64) -> State {
        State {
            beta: beta.to_vec(),
            lower: lower.to_vec(),
            upper: upper.to_vec(),
            gradient: gradient.to_vec(),
            second: Vec::new(),
            kink,
            ridge: Vec::new(),
            offset: true,
        }
    }

    #[test]
    fn two_points_by_closed_form() {
        // x = ±1, linear kernel, C large: β = ±1/2, w = 1, b = 0; primal = dual = 1/2.
        let gradient = [0.5 + 0.5 - 1.0, -0.5 - 0.5 + 1.0];
        let state = state(&[0.5, -0.5], &[0.0, -10.0], &[10.0, 0.0], &gradient, 0.0);
        let extremes = state.extremes();
        assert_eq!(state.objective(&[-1.0, 1.0]), -0.5);
        assert_eq!((extremes.violation(), extremes.groups[0].offset), (0.0, 0.0));
        assert_eq!(state.gap(&extremes), 0.0);
    }

    #[test]
    fn gap_at_zero_is_the_primal_of_the_zero_function() {
        // β = 0: the decision is −b; the hinge losses sum to C per point of the other side at b = 0.
        let state = state(&[0.0, 0.0], &[0.0, -3.0], &[2.0, 0.0], &[-1.0, 1.0], 0.0);
        assert_eq!(state.gap(&state.extremes()), 5.0);
    }

    #[test]
    fn the_gap_of_a_regression_at_zero_is_the_sum_of_its_losses() {
        // Targets 3 and −1, f = 0 with b = 0 (the middle of the slopes), ε = ½, C = 2: losses 2·(2½ + ½).
        let state = state(&[0.0, 0.0], &[-2.0; 2], &[2.0; 2], &[-3.0, 1.0], 0.5);
        let mut extremes = state.extremes();
        assert_eq!((extremes.groups[0].rise, extremes.groups[0].fall), (-2.5, 0.5));
        extremes.groups[0].offset = 0.0;
        assert_eq!(state.gap(&extremes), 6.0);
    }

    #[test]
    fn infinite_bounds_give_no_nan() {
        let open = state(&[0.0, 1.0], &[0.0, 0.0], &[f64::INFINITY; 2], &[-0.5, 0.0], 0.0);
        assert_eq!(open.gap(&open.extremes()), f64::INFINITY);
        let state = state(&[0.0, 1.0], &[0.0, 0.0], &[f64::INFINITY; 2], &[0.5, 0.0], 0.0);
        assert_eq!(state.gap(&state.extremes()), 0.0);
    }

    #[test]
    fn a_variable_at_the_kink_is_not_free_and_stays_where_it_is() {
        let state = state(&[0.0, 1.0, -1.0], &[-2.0; 3], &[2.0; 3], &[0.1, -0.3, 0.3], 0.3);
        assert_eq!((state.free(0), state.free(1), state.free(2)), (false, true, true));
        let extremes = state.extremes();
        assert_eq!((extremes.violation(), extremes.groups[0].offset), (0.0, 0.0));
        assert!(state.decided(0, &extremes) && !state.decided(1, &extremes));
    }
}
