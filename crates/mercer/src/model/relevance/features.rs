//! A Gaussian kernel with a width for each feature: the η-RVM of Tipping (2001), whose widths have the largest evidence.
//!
//! k(x, y) = exp(−Σ γⱼ(xⱼ − yⱼ)²). The evidence L is climbed in all log γⱼ by quasi-Newton steps. Each fit begins with the α and the noise
//! of the one before, so that evidence and vectors change little by little; a fit from nothing at each width jumps between sets of
//! vectors. The derivative is that of L at the maximum over α, ∂L/∂log γⱼ = −γⱼ Σ Dₙᵢ Φₙᵢ (xₙⱼ − xᵢⱼ)², D the derivatives of L in the
//! values of the columns.
//!
//! L has many maxima, and those of most vectors are high and predict badly: L is chosen over every α and γ, and the more there are the
//! more it flatters. So the climb begins with kernels so wide that few vectors explain what they can, a step is taken only if L rises
//! and L − ½(vectors + widths) log n too (Schwarz 1978, each α and γ a parameter), features are left out where that rises by it, and of
//! several starts the one is kept in which it is largest.
//!
//! Cost: a hundred to three hundred fits a start, most of them a few steps long.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::width::{Trial, Tries, unbent};
use crate::data::Vectors;
use crate::model::prelude::{ErrorKind, Kernel, Points, Result};
use crate::solve::relevance::Bend;

/// The mean of Σ γⱼ(xⱼ − yⱼ)² over all pairs of points at which a climb starts, the same share for each feature. On
/// Friedman's first function wider starts do not see all features, and narrower ones have many vectors.
const STARTS: [f64; 4] = [0.02, 0.04, 0.1, 0.3];

/// Quasi-Newton steps at most, between two attempts to leave out a feature.
const STEPS: usize = 100;

/// Halvings of a step at most.
const HALVINGS: i32 = 6;

/// The longest step of log γ.
const LONGEST: f64 = 1.0;

/// The range of γ times the variance of its feature.
const RANGE: (f64, f64) = (1e-8, 1e3);

/// The gain of log evidence below which a climb ends.
const GAIN: f64 = 1e-3;

/// Features, those of the smallest loss first, that are tried to be left out before none is.
const ATTEMPTS: usize = 3;

/// The loss of log evidence, before the other widths follow, beyond which a feature is not tried to be left out.
const HOPELESS: f64 = 10.0;

/// Features at most: each is a factor of the kernel and a parameter of the search.
const FEATURES: usize = 1024;

/// Features of the points, and what the search needs to know of them.
struct Table {
    /// The values of each feature that some point has.
    values: BTreeMap<usize, Vec<f64>>,
    /// The variance of each.
    variances: BTreeMap<usize, f64>,
    /// ½ log n: the gain of log evidence that a parameter must be worth.
    price: f64,
}

impl Table {
    /// None where there are more features than [`FEATURES`]. How wide the points say they are is not looked at: a file may claim anything.
    fn new(points: &Vectors, weights: &[f64]) -> Option<Self> {
        let n = points.len();
        let mut values: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for i in 0..n {
            let mut fits = true;
            points.row(i).for_each(|j, value| {
                fits &= values.contains_key(&j) || values.len() < FEATURES;
                if fits {
                    values.entry(j).or_insert_with(|| vec![0.0; n])[i] = value;
                }
            });
            if !fits {
                return None;
            }
        }
        let total: f64 = weights.iter().sum();
        let mean = |values: &[f64]| values.iter().zip(weights).map(|(v, w)| w * v).sum::<f64>() / total;
        let variance = |values: &Vec<f64>| {
            let centre = mean(values);
            mean(&values.iter().map(|v| (v - centre).powi(2)).collect::<Vec<_>>())
        };
        let variances = values.iter().map(|(j, values)| (*j, variance(values))).collect();
        Some(Self { variances, values, price: 0.5 * total.max(2.0).ln() })
    }

    /// The logarithms of the first widths; a feature that does not vary has none.
    fn start(&self, share: f64) -> Vec<(usize, f64)> {
        let varying = self.variances.iter().filter(|(_, v)| **v > 0.0 && v.is_finite());
        let varying: Vec<(usize, f64)> = varying.map(|(j, v)| (*j, *v)).collect();
        // The mean of (xⱼ − yⱼ)² is twice the variance.
        varying.iter().map(|(j, v)| (*j, (share / (2.0 * varying.len() as f64 * v)).ln())).collect()
    }

    /// Logarithms of widths after a step, within their range.
    fn moved(&self, at: &[(usize, f64)], step: &[f64]) -> Vec<(usize, f64)> {
        let new = |((j, log), step): (&(usize, f64), &f64)| {
            let unit = self.variances[j].ln();
            let step = step.clamp(-LONGEST, LONGEST);
            (*j, (log + step).clamp(RANGE.0.ln() - unit, RANGE.1.ln() - unit))
        };
        at.iter().zip(step).map(new).collect()
    }
}

/// A model and the logarithms of its widths.
struct State<K> {
    at: Vec<(usize, f64)>,
    trial: Trial<K>,
}

/// The search for widths.
struct Search<'a, K, T> {
    kernel: &'a K,
    table: Table,
    fits: &'a mut T,
    flow: ControlFlow<()>,
}

/// The trial of the best widths that are found; none where the kernel is not a Gaussian of all features of vectors. Where no feature varies
/// the kernel stays as it is.
pub(super) fn by_feature<X: Points, K: Kernel<X> + Clone>(
    kernel: &K,
    points: &X,
    weights: &[f64],
    fits: &mut impl Tries<K>,
) -> Option<Result<Trial<K>>> {
    let vectors = points.as_vectors()?;
    kernel.by_feature(&[(0, 1.0)])?;
    let Some(table) = Table::new(vectors, weights) else {
        let what = format!("a width for each of more than {FEATURES} features");
        return Some(Err(ErrorKind::Unsupported { what: what.into() }.into()));
    };
    if table.start(1.0).is_empty() {
        return Some(fits.fitted(kernel, None).map(|(trial, _)| trial));
    }
    Some(Search { kernel, table, fits, flow: ControlFlow::Continue(()) }.best())
}

impl<K, T: Tries<K>> Search<'_, K, T> {
    fn best<X: Points>(mut self) -> Result<Trial<K>>
    where
        K: Kernel<X> + Clone,
    {
        let mut best: Option<State<K>> = None;
        for share in STARTS {
            let start = self.fitted(self.table.start(share), None)?;
            let state = self.climbed(start)?;
            let state = self.sparser(state)?;
            if best.as_ref().is_none_or(|best| self.score(&state) > self.score(best)) {
                best = Some(state);
            }
            if self.flow.is_break() {
                break;
            }
        }
        Ok(best.expect("there are starts").trial)
    }

    /// L − ½(vectors + widths) log n.
    fn score(&self, state: &State<K>) -> f64 {
        let vectors: usize = state.trial.found.iter().map(|one| one.posterior.columns.len()).sum();
        state.trial.evidence() - self.table.price * (vectors + state.at.len()) as f64
    }

    /// The model of some widths, climbed to from another one.
    fn fitted<X: Points>(&mut self, at: Vec<(usize, f64)>, from: Option<&State<K>>) -> Result<State<K>>
    where
        K: Kernel<X> + Clone,
    {
        let widths: Vec<(usize, f64)> = at.iter().map(|(j, log)| (*j, log.exp())).collect();
        let kernel = self.kernel.by_feature(&widths).expect("a Gaussian, and one or more features");
        let (trial, flow) = self.fits.fitted(&kernel, from.map(|state| &state.trial.found[..]))?;
        self.flow = flow;
        Ok(State { at, trial })
    }

    /// Climbs in all widths together until the evidence rises no more.
    fn climbed<X: Points>(&mut self, mut state: State<K>) -> Result<State<K>>
    where
        K: Kernel<X> + Clone,
    {
        let mut gradient = self.slope(&state);
        let mut bend: Option<Bend> = None;
        for _ in 0..STEPS {
            let fresh = bend.is_none();
            let own = bend.take().unwrap_or_else(|| Bend::new(&unbent(&gradient)));
            let way = own.way(&gradient);
            let Some(next) = self.along(&state, &way)? else {
                if fresh || self.flow.is_break() {
                    break;
                }
                continue;
            };
            let gain = next.trial.evidence() - state.trial.evidence();
            let step: Vec<f64> = next.at.iter().zip(&state.at).map(|(new, old)| new.1 - old.1).collect();
            state = next;
            if gain < GAIN || self.flow.is_break() {
                break;
            }
            let new = self.slope(&state);
            let fall: Vec<f64> = gradient.iter().zip(&new).map(|(old, new)| old - new).collect();
            bend = own.after(&step, &fall);
            gradient = new;
        }
        Ok(state)
    }

    /// The first of the halved steps along a way at which the evidence is larger, and the score too.
    fn along<X: Points>(&mut self, state: &State<K>, way: &[f64]) -> Result<Option<State<K>>>
    where
        K: Kernel<X> + Clone,
    {
        for halvings in 0..HALVINGS {
            let share = 0.5_f64.powi(halvings);
            let step: Vec<f64> = way.iter().map(|w| share * w.clamp(-LONGEST, LONGEST)).collect();
            let there = self.table.moved(&state.at, &step);
            if self.flow.is_break() || there == state.at {
                return Ok(None);
            }
            let next = self.fitted(there, Some(state))?;
            if next.trial.evidence() > state.trial.evidence() && self.score(&next) > self.score(state) {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    /// Leaves out features, one after the other, as long as the score rises by it.
    fn sparser<X: Points>(&mut self, mut state: State<K>) -> Result<State<K>>
    where
        K: Kernel<X> + Clone,
    {
        while state.at.len() > 1 {
            let mut without = Vec::with_capacity(state.at.len());
            for left in 0..state.at.len() {
                if self.flow.is_break() {
                    return Ok(state);
                }
                let mut at = state.at.clone();
                at.remove(left);
                without.push(self.fitted(at, Some(&state))?);
            }
            without.sort_by(|a, b| b.trial.evidence().total_cmp(&a.trial.evidence()));
            let least = state.trial.evidence() - self.table.price - HOPELESS;
            let mut taken = None;
            for start in without.into_iter().take(ATTEMPTS).filter(|one| one.trial.evidence() > least) {
                let other = self.climbed(start)?;
                if self.score(&other) > self.score(&state) {
                    taken = Some(other);
                    break;
                }
            }
            let Some(other) = taken else { break };
            state = other;
        }
        Ok(state)
    }

    /// The derivatives of the log evidence in the logarithms of the widths.
    fn slope(&self, state: &State<K>) -> Vec<f64> {
        let (columns, owners) = (&state.trial.candidates.columns, &state.trial.candidates.points);
        let mut slope = vec![0.0; state.at.len()];
        for (one, pulls) in state.trial.found.iter().zip(self.fits.pulls(&state.trial)) {
            for (&candidate, mut pull) in one.posterior.columns.iter().zip(pulls) {
                let column = candidate % owners.len();
                let Some(centre) = owners[column] else { continue };
                let length = columns.length(column);
                pull.iter_mut().zip(columns.column(column)).for_each(|(pull, value)| *pull *= value * length);
                for ((j, log), slope) in state.at.iter().zip(&mut slope) {
                    let values = &self.table.values[j];
                    let own = values.iter().zip(&pull);
                    let sum: f64 = own.map(|(v, pull)| pull * (v - values[centre]).powi(2)).sum();
                    *slope -= log.exp() * sum;
                }
            }
        }
        slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::SplitMix;
    use crate::kernel::{VectorExpr, rbf};
    use crate::model::relevance::columns::Candidates;
    use crate::solve::relevance::{Climb, Columns, Relevant, pull_of_numbers, regress, regress_from};

    /// Fits to numbers, with all points and a constant as candidates.
    struct Numbers {
        x: Vec<Vec<f64>>,
        y: Vec<f64>,
    }

    impl Numbers {
        /// Three features, of which the first two matter.
        fn drawn(n: usize) -> Self {
            let mut draw = SplitMix(5);
            let x: Vec<Vec<f64>> =
                (0..n).map(|_| (0..3).map(|_| 2.0 * draw.uniform() - 1.0).collect()).collect();
            let y =
                x.iter().map(|x| (2.0 * x[0]).sin() + x[1] * x[1] + 0.2 * (draw.uniform() - 0.5)).collect();
            Self { x, y }
        }

        /// The columns of a kernel of which only the widths are known, written out.
        fn columns(&self, widths: &[f64]) -> Vec<Vec<f64>> {
            let value = |a: &[f64], b: &[f64]| {
                let sum: f64 = (0..3).map(|j| widths[j] * (a[j] - b[j]).powi(2)).sum();
                (-sum).exp()
            };
            let of = |centre: &Vec<f64>| self.x.iter().map(|x| value(x, centre)).collect();
            std::iter::once(vec![1.0; self.x.len()]).chain(self.x.iter().map(of)).collect()
        }
    }

    impl Tries<VectorExpr> for Numbers {
        fn fitted(
            &mut self,
            kernel: &VectorExpr,
            from: Option<&[Relevant]>,
        ) -> Result<(Trial<VectorExpr>, ControlFlow<()>)> {
            let widths: Vec<f64> = kernel.parameters().iter().map(|p| p.value).collect();
            let (ones, climb) = (vec![1.0; self.y.len()], Climb::new(1e-6, 5000, None));
            let columns = Columns::new(&ones, &self.columns(&widths).concat());
            let mut watch = |_| ControlFlow::Continue(());
            let found = match from {
                Some(from) => regress_from(&columns, &self.y, &ones, (&climb, &from[0]), &mut watch),
                None => regress(&columns, &self.y, &ones, &climb, &mut watch),
            };
            let points = std::iter::once(None).chain((0..self.y.len()).map(Some)).collect();
            let candidates = Candidates { columns, points };
            let trial = Trial { kernel: kernel.clone(), candidates, found: vec![found] };
            Ok((trial, ControlFlow::Continue(())))
        }

        fn prepared(&self, kernel: VectorExpr) -> Result<VectorExpr> {
            Ok(kernel)
        }

        fn pulls(&self, trial: &Trial<VectorExpr>) -> Vec<Vec<Vec<f64>>> {
            let ones = vec![1.0; self.y.len()];
            vec![pull_of_numbers(&trial.candidates.columns, &self.y, &ones, &trial.found[0])]
        }
    }

    /// −½(n log 2π + log|C| + tᵀC⁻¹t) with C = noise·I + Σ φφᵀ/α, by elimination.
    fn evidence(columns: &[Vec<f64>], found: &Relevant, t: &[f64]) -> f64 {
        let (n, own) = (t.len(), &found.posterior);
        let mut c = vec![vec![0.0; n + 1]; n];
        for i in 0..n {
            for j in 0..n {
                let term = |(&m, a): (&usize, &f64)| columns[m][i] * columns[m][j] / a;
                c[i][j] = own.columns.iter().zip(&own.alpha).map(term).sum();
            }
            c[i][i] += found.noise;
            c[i][n] = t[i];
        }
        let mut sum = n as f64 * (2.0 * std::f64::consts::PI).ln();
        for i in 0..n {
            sum += c[i][i].ln() + c[i][n] * c[i][n] / c[i][i];
            for r in i + 1..n {
                let f = c[r][i] / c[i][i];
                for k in i..=n {
                    let above = c[i][k];
                    c[r][k] -= f * above;
                }
            }
        }
        -0.5 * sum
    }

    #[test]
    fn derivatives_in_widths_are_differences_of_the_evidence_written_out() {
        let mut numbers = Numbers::drawn(40);
        let points = Vectors::dense(3, numbers.x.concat());
        let table = Table::new(&points, &[1.0; 40]).unwrap();
        let (kernel, at) = (rbf(1.0), vec![(0, 0.3_f64.ln()), (1, 0.8_f64.ln()), (2, 0.1_f64.ln())]);
        let mut search =
            Search { kernel: &kernel, table, fits: &mut numbers, flow: ControlFlow::Continue(()) };
        let state = search.fitted(at.clone(), None).unwrap();
        let slope = search.slope(&state);
        let found = &state.trial.found[0];
        assert!(found.posterior.columns.len() >= 3);
        for j in 0..3 {
            let moved = |by: f64| {
                let widths: Vec<f64> =
                    at.iter().map(|(i, log)| (log + if *i == j { by } else { 0.0 }).exp()).collect();
                evidence(&numbers.columns(&widths), found, &numbers.y)
            };
            // The error of the difference is of order 10⁻⁶, that of the elimination, which is of order 10⁻⁸, divided by the step.
            let expected = (moved(1e-3) - moved(-1e-3)) / 2e-3;
            assert!(
                (slope[j] - expected).abs() < 1e-4 * expected.abs().max(1.0),
                "{j}: {} {expected}",
                slope[j]
            );
        }
    }

    #[test]
    fn a_fit_from_another_width_does_not_lose_evidence() {
        let mut numbers = Numbers::drawn(60);
        let points = Vectors::dense(3, numbers.x.concat());
        let table = Table::new(&points, &[1.0; 60]).unwrap();
        let kernel = rbf(1.0);
        let mut search =
            Search { kernel: &kernel, table, fits: &mut numbers, flow: ControlFlow::Continue(()) };
        let first = search.fitted(search.table.start(0.1), None).unwrap();
        // The same widths: the model stays what it is, up to the tolerance of columns that come and go.
        let again = search.fitted(first.at.clone(), Some(&first)).unwrap();
        let (before, after) = (first.trial.evidence(), again.trial.evidence());
        assert!((after - before).abs() < 1e-4, "{before} {after}");
        let best = search.climbed(first).unwrap();
        assert!(best.trial.evidence() > before + 1.0, "{before} {}", best.trial.evidence());
        // Flat in every width at the end.
        let slope = search.slope(&best);
        assert!(slope.iter().all(|s| s.abs() < 0.5), "{slope:?}");
    }
}
