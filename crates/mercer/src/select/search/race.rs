//! Racing: candidates of C-SVC that are provably beaten are not fitted any further.
//!
//! Any coefficients prove how far they are from the optimum, ‖w − w*‖² ≤ gap ([`Standing`](crate::solve::standing::Standing)), so that the
//! sign of the optimum's decision at a point left out is *settled* where its value is far enough from 0. A row whose settled pairs of
//! classes decide the vote is right or wrong for certain; the others may be either, and so may all rows of splits that were not come to. This makes an
//! interval in which a candidate's exact score lies. One that ends below the beginning of another's is dropped; of those that end where
//! another begins, one that comes later, since of equal ones the first is taken.
//!
//! Splits are gone through one after the other. After each the candidate that looks best is brought through all splits at once, so that
//! there is something to be beaten by. Where at the end intervals overlap still, the candidates concerned are solved to ever smaller
//! tolerances, in those splits and pairs where a sign is not settled.
//!
//! Kernel values are held in double precision: the gap of an optimum of rounded values says nothing of the kernel's. It is of definite kernels alone.
//! What is decided does not depend on the number of threads: candidates are compared when all have come through a split.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::Outcome;
use super::shared::{Prepared, Shared};
use crate::data::Points;
use crate::error::Result;
use crate::select::validate::mean_and_spread;
use crate::select::{Metric, Said};
use crate::solve::path::{Block, Path};

/// The tolerance of the first solves, as a share of the candidates' own, and those of candidates that nothing else tells apart. The distance to the optimum
/// falls as the root of the tolerance: at 1e-3 half of the signs are open where C is large, at 1e-6 few, for a fifth more time (heart).
const FIRST: f64 = 1e-3;
const LATER: [f64; 2] = [1e-5, 1e-7];
/// The smallest tolerance: below it double precision ends.
const LEAST_TOLERANCE: f64 = 1e-10;
/// The most steps of a solve.
const STEPS: u64 = 10_000_000;

/// What a race has proved of the score of a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proof {
    /// The exact mean of the first metric over all splits is at least this.
    pub low: f64,
    /// And at most this.
    pub high: f64,
    /// The splits that the candidate was fitted in, of all there are; scores of the others are not numbers.
    pub fitted: usize,
    /// Whether it was dropped since another is better.
    pub dropped: bool,
}

/// What a race has come to, of the outcomes of all candidates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Whether the best is proved to be the best that exact fits of all candidates would find.
    pub certified: bool,
    /// How many candidates were dropped.
    pub dropped: usize,
    /// The share of all fits, of a candidate in a split, that were not made.
    pub saved: f64,
}

impl Verdict {
    /// The verdict about candidate number `best`; none where there was no race.
    #[must_use]
    pub fn new(outcomes: &[Option<Outcome>], best: usize) -> Option<Self> {
        let proof = |i: usize| outcomes.get(i)?.as_ref()?.proof;
        let proofs: Vec<Option<Proof>> = (0..outcomes.len()).map(proof).collect();
        let splits = outcomes.iter().flatten().find_map(|outcome| Some(outcome.scores.first()?.len()))?;
        let raced = proofs.iter().flatten().count();
        let own = proofs.get(best).copied().flatten();
        let beaten = |(other, proof): (usize, &Option<Proof>)| match (own, proof) {
            _ if other == best => true,
            (Some(own), Some(proof)) => proof.dropped || own.beats(best, proof, other),
            _ => false,
        };
        let fits: usize = proofs.iter().flatten().map(|proof| proof.fitted).sum();
        (raced > 0).then(|| Self {
            certified: proofs.iter().enumerate().all(beaten),
            dropped: proofs.iter().flatten().filter(|proof| proof.dropped).count(),
            saved: 1.0 - fits as f64 / (raced * splits) as f64,
        })
    }
}

impl Proof {
    /// Whether this, of candidate number `own`, is better than the other for certain, or as good and before it.
    fn beats(&self, own: usize, other: &Self, number: usize) -> bool {
        other.high < self.low || (other.high == self.low && own < number)
    }
}

impl Metric {
    /// Whether candidates can be [raced](super::Search::race) by it: it is between 0 and 1, rises where a wrong row becomes right, and does not
    /// look at which class a wrong row was said to be of.
    #[must_use]
    pub fn is_raced_by(self) -> bool {
        matches!(self, Self::Accuracy | Self::BalancedAccuracy)
    }
}

/// A pair of classes in a split, of a candidate, as far as it is solved.
#[derive(Clone, Default)]
struct PairState {
    /// The coefficients that are not 0.
    beta: Vec<(u32, f64)>,
    /// For each point left out the sign of the optimum's decision: 1, −1, or 0 where it is not settled.
    signs: Vec<i8>,
    decisions: Vec<f64>,
    support: usize,
}

impl PairState {
    fn is_settled(&self) -> bool {
        self.signs.iter().all(|&sign| sign != 0)
    }
}

/// A candidate in a split.
#[derive(Clone)]
struct SplitState {
    /// The score as it looks, and the interval of the exact one.
    score: f64,
    low: f64,
    high: f64,
    support: usize,
    /// Empty where every row is right or wrong for certain.
    pairs: Vec<PairState>,
}

/// A candidate in a race.
struct Racer {
    number: usize,
    group: usize,
    c: f64,
    splits: Vec<Option<SplitState>>,
    dropped: bool,
    /// It could not be solved in this precision.
    failed: bool,
}

impl Racer {
    /// What is proved of the mean, with `worst` and `best` for splits that were not come to.
    fn proof(&self) -> Proof {
        let mean = |of: &dyn Fn(&SplitState) -> f64, without: f64| {
            mean_and_spread(&self.splits.iter().map(|s| s.as_ref().map_or(without, of)).collect::<Vec<_>>()).0
        };
        Proof {
            low: mean(&|split| split.low, 0.0),
            high: mean(&|split| split.high, 1.0),
            fitted: self.splits.iter().flatten().count(),
            dropped: self.dropped,
        }
    }

    /// The mean of the scores of the splits that it was fitted in.
    fn looks(&self) -> f64 {
        mean_and_spread(&self.splits.iter().flatten().map(|split| split.score).collect::<Vec<_>>()).0
    }

    fn is_on(&self) -> bool {
        !self.dropped && !self.failed
    }

    fn outcome(&self) -> Outcome {
        let scores = self.splits.iter().map(|s| s.as_ref().map_or(f64::NAN, |s| s.score)).collect();
        let fitted: Vec<f64> = self.splits.iter().flatten().map(|s| s.support as f64).collect();
        Outcome {
            scores: vec![scores],
            support_points: mean_and_spread(&fitted).0,
            proof: Some(self.proof()),
            ..Outcome::default()
        }
    }
}

/// A group of candidates that differ in C alone: their numbers and prices, which ascend; `prepare` computes the values of their kernel.
pub(super) struct Entry<'a, X> {
    pub(super) shared: Shared<'a, X>,
    pub(super) candidates: Vec<(usize, f64)>,
    pub(super) prepare: Box<dyn Fn() -> Result<Option<Prepared>> + Sync + 'a>,
}

/// The path of a pair of classes in a split, with its last coefficients and their sums at the points left out.
struct Lane<'l> {
    path: Path<'l>,
    pair: usize,
    block: Option<&'l Block>,
    beta: Vec<f64>,
    sums: Vec<f64>,
}

/// A race of all candidates of some groups.
pub(super) struct Race<'a, X> {
    pub(super) entries: Vec<Entry<'a, X>>,
    /// How many groups' values may be held at the same time.
    pub(super) at_once: usize,
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
}

/// What is to be solved: racers by number, in a split, to a tolerance.
struct Heat<'h> {
    racers: &'h [usize],
    split: usize,
    tolerance: f64,
}

impl<X: Points> Race<'_, X> {
    /// The outcomes by the number of the candidate; those that could not be solved in this precision, or were not come to, are not there.
    pub(super) fn run(&self) -> Result<BTreeMap<usize, Outcome>> {
        let splits = self.entries.first().map_or(0, |entry| entry.shared.splits.len());
        let mut racers: Vec<Racer> = Vec::new();
        for (group, entry) in self.entries.iter().enumerate() {
            racers.extend(entry.candidates.iter().map(|&(number, c)| Racer {
                number,
                group,
                c,
                splits: vec![None; splits],
                dropped: false,
                failed: false,
            }));
        }
        let held = self.held()?;
        for split in 0..splits {
            let on: Vec<usize> = (0..racers.len())
                .filter(|&r| racers[r].is_on() && racers[r].splits[split].is_none())
                .collect();
            self.heat(&mut racers, &held, &Heat { racers: &on, split, tolerance: FIRST })?;
            if (self.stop)() {
                return Ok(BTreeMap::new());
            }
            let Some(leader) = leader(&racers) else { break };
            for later in split + 1..splits {
                if racers[leader].splits[later].is_none() {
                    self.heat(
                        &mut racers,
                        &held,
                        &Heat { racers: &[leader], split: later, tolerance: FIRST },
                    )?;
                }
            }
            drop_beaten(&mut racers);
        }
        for tolerance in LATER {
            let Some(leader) = leader(&racers) else { break };
            let own = racers[leader].proof();
            let rivals: Vec<usize> = (0..racers.len())
                .filter(|&r| r != leader && racers[r].is_on())
                .filter(|&r| !own.beats(racers[leader].number, &racers[r].proof(), racers[r].number))
                .chain([leader])
                .collect();
            if rivals.len() == 1 || (self.stop)() {
                break;
            }
            for split in 0..splits {
                let open = |&&r: &&usize| {
                    racers[r].splits[split].as_ref().is_some_and(|split| !split.pairs.is_empty())
                };
                let open: Vec<usize> = rivals.iter().filter(open).copied().collect();
                self.heat(&mut racers, &held, &Heat { racers: &open, split, tolerance })?;
            }
            drop_beaten(&mut racers);
        }
        let done = racers.iter().filter(|racer| !racer.failed);
        Ok(done.map(|racer| (racer.number, racer.outcome())).collect())
    }

    /// The values of all groups where they have room at the same time; else none.
    fn held(&self) -> Result<Vec<Option<Prepared>>> {
        if self.entries.len() > self.at_once {
            return Ok(self.entries.iter().map(|_| None).collect());
        }
        self.entries.par_iter().with_max_len(1).map(|entry| (entry.prepare)()).collect()
    }

    /// Solves racers in a split.
    fn heat(&self, racers: &mut [Racer], held: &[Option<Prepared>], heat: &Heat<'_>) -> Result<()> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &r in heat.racers {
            groups.entry(racers[r].group).or_default().push(r);
        }
        let groups: Vec<(usize, Vec<usize>)> = groups.into_iter().collect();
        for some in groups.chunks(self.at_once.max(1)) {
            let seen: &[Racer] = racers;
            let found: Vec<Vec<(usize, Option<SplitState>)>> = some
                .par_iter()
                .with_max_len(1)
                .map(|(group, members)| {
                    let entry = &self.entries[*group];
                    let own;
                    let prepared = match &held[*group] {
                        Some(prepared) => Some(prepared),
                        None => {
                            own = (entry.prepare)()?;
                            own.as_ref()
                        }
                    };
                    let Some(prepared) = prepared else {
                        return Ok(members.iter().map(|&r| (r, None)).collect());
                    };
                    let states = entry.solve(prepared, seen, members, heat)?;
                    Ok(members.iter().copied().zip(states).collect())
                })
                .collect::<Result<_>>()?;
            for (r, state) in found.into_iter().flatten() {
                racers[r].failed |= state.is_none();
                racers[r].splits[heat.split] = state;
            }
        }
        Ok(())
    }
}

/// The racer that looks best: of equal ones the first.
fn leader(racers: &[Racer]) -> Option<usize> {
    let on = (0..racers.len()).filter(|&r| racers[r].is_on());
    let better = |a: usize, b: usize| {
        let (x, y) = (racers[a].looks(), racers[b].looks());
        if y > x || (y == x && racers[b].number < racers[a].number) { b } else { a }
    };
    on.reduce(better)
}

fn drop_beaten(racers: &mut [Racer]) {
    let on: Vec<(usize, Proof)> =
        racers.iter().filter(|r| r.is_on()).map(|r| (r.number, r.proof())).collect();
    let best = on
        .iter()
        .copied()
        .reduce(|a, b| if b.1.low > a.1.low || (b.1.low == a.1.low && b.0 < a.0) { b } else { a });
    let Some((number, proof)) = best else { return };
    for racer in racers.iter_mut().filter(|racer| racer.is_on() && racer.number != number) {
        if proof.beats(number, &racer.proof(), racer.number) {
            racer.dropped = true;
            racer.splits.iter_mut().flatten().for_each(|split| split.pairs = Vec::new());
        }
    }
}

impl<X: Points> Entry<'_, X> {
    /// The states of some racers of this group in a split, by rising price; none for those that could not be solved.
    fn solve(
        &self,
        prepared: &Prepared,
        racers: &[Racer],
        members: &[usize],
        heat: &Heat<'_>,
    ) -> Result<Vec<Option<SplitState>>> {
        let before =
            |r: usize, pair: usize| racers[r].splits[heat.split].as_ref().and_then(|s| s.pairs.get(pair));
        let block = prepared.left_out(&self.shared.splits[heat.split]);
        let of_pair = |pair: usize| -> Vec<Option<PairState>> {
            let path = self.shared.path(prepared, heat.split, pair);
            let mut lane = Lane { path, pair, block: block.as_ref(), beta: Vec::new(), sums: Vec::new() };
            members
                .iter()
                .map(|&r| match before(r, pair) {
                    Some(state) if state.is_settled() => Some(state.clone()),
                    state => self.solve_pair(&mut lane, prepared, racers[r].c, state, heat),
                })
                .collect()
        };
        let pairs: Vec<Vec<Option<PairState>>> =
            (0..prepared.pairs.len()).into_par_iter().with_max_len(1).map(of_pair).collect();
        let state = |m: usize| -> Result<Option<SplitState>> {
            let own: Option<Vec<PairState>> = pairs.iter().map(|states| states[m].clone()).collect();
            own.map(|own| self.judge(own, heat.split)).transpose()
        };
        (0..members.len()).map(state).collect()
    }

    /// A pair of classes: from where it stands, else from the answer for the last price.
    fn solve_pair(
        &self,
        lane: &mut Lane<'_>,
        prepared: &Prepared,
        c: f64,
        state: Option<&PairState>,
        heat: &Heat<'_>,
    ) -> Option<PairState> {
        let path = &mut lane.path;
        if let Some(state) = state {
            let mut beta = vec![0.0; path.beta.len()];
            state.beta.iter().for_each(|&(i, value)| beta[i as usize] = value);
            path.go_to(c, &beta);
        }
        let tolerance = (self.shared.tolerance * heat.tolerance).max(LEAST_TOLERANCE);
        // At a smaller tolerance than was asked for it may be that nothing is gained any more.
        if !path.solve(c, tolerance, path.steps + STEPS) && heat.tolerance == FIRST {
            return None;
        }
        let out = &self.shared.splits[heat.split].out;
        if lane.beta != path.beta {
            path.refresh();
            lane.beta.clone_from(&path.beta);
            lane.sums = prepared.sums(path, lane.pair, lane.block, out);
        }
        let standing = path.standing();
        let sign = |(&i, &u): (&usize, &f64)| {
            standing.sign_by_middle(u, prepared.diagonal(i)).map_or(0, |sign| if sign > 0.0 { 1 } else { -1 })
        };
        let beta: Vec<(u32, f64)> =
            (0..).zip(path.beta.iter().copied()).filter(|(_, beta)| *beta != 0.0).collect();
        Some(PairState {
            support: beta.len(),
            beta,
            signs: out.iter().zip(&lane.sums).map(sign).collect(),
            decisions: lane.sums.iter().map(|sum| sum - standing.offset).collect(),
        })
    }

    /// The score of a split and its interval, by what the pairs decide.
    fn judge(&self, pairs: Vec<PairState>, split: usize) -> Result<SplitState> {
        let classes = self.shared.labels.classes().len();
        let truth = self.shared.truth.select(&self.shared.splits[split].out);
        let decisions: Vec<&[f64]> = pairs.iter().map(|pair| pair.decisions.as_slice()).collect();
        let said = self.shared.said(&decisions);
        let crate::select::Truth::Classes { index: right, .. } = &truth else {
            return Ok(SplitState { score: f64::NAN, low: 0.0, high: 1.0, support: 0, pairs });
        };
        let votes = crate::model::pairs(classes);
        let (mut least, mut most) = (right.clone(), right.clone());
        for (i, &own) in right.iter().enumerate() {
            // For each class the pairs that it wins for certain, and those that it does not lose for certain.
            let (mut sure, mut possible) = (vec![0; classes], vec![0; classes]);
            for (&(a, b), pair) in votes.iter().zip(&pairs) {
                sure[a] += u32::from(pair.signs[i] > 0);
                sure[b] += u32::from(pair.signs[i] < 0);
                possible[a] += u32::from(pair.signs[i] >= 0);
                possible[b] += u32::from(pair.signs[i] <= 0);
            }
            let own = own as usize;
            let first = |a: usize, b: usize| self.shared.libsvm_ties && a < b;
            let wins = |a: usize, b: usize| sure[a] > possible[b] || (first(a, b) && sure[a] == possible[b]);
            let others = || (0..classes).filter(|&c| c != own);
            let wrong = (own as u32 + 1) % classes as u32;
            least[i] = if others().all(|c| wins(own, c)) { own as u32 } else { wrong };
            most[i] = if others().any(|c| wins(c, own)) { wrong } else { own as u32 };
        }
        let metric = self.shared.metrics[0];
        let settled = least == most;
        Ok(SplitState {
            score: metric.of(&truth, &said)?,
            low: metric.of(&truth, &Said::classes(least))?,
            high: metric.of(&truth, &Said::classes(most))?,
            support: pairs.iter().map(|pair| pair.support).sum(),
            pairs: if settled { Vec::new() } else { pairs },
        })
    }
}

#[cfg(test)]
#[path = "race_tests.rs"]
mod tests;
