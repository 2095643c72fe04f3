//! The parameters of the kernel that have the largest evidence.
//!
//! With the α at their maximum, the derivative of the log evidence in a parameter θ is Σ Dₙᵢ ∂Φₙᵢ/∂θ, D its derivatives in the values
//! of the columns in the model; ∂Φ/∂θ is taken by differences of kernel values, so that any parameter of any kernel can be searched.
//! A few widths are tried first, from that of the kernel on, then quasi-Newton steps in all parameters climb from the best.

use std::ops::ControlFlow;

use super::columns::Candidates;
use crate::kernel::Parameter;
use crate::model::prelude::{Kernel, Kind, Points, Result, Setting, Value};
use crate::solve::relevance::{Bend, Relevant};

/// Where the parameters of the kernel come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WidthChoice {
    /// As the kernel has them.
    Kernel,
    /// Those of the largest evidence.
    Evidence,
    /// Those of the largest evidence, of a Gaussian kernel with a width for each feature.
    Features,
}

/// A word; its kind is that of the width of an RBF network, which is an option of the same name and may be a number.
impl Setting for WidthChoice {
    const KIND: Kind = Kind::Numbers;
    fn value(&self) -> Value {
        let word = match self {
            Self::Kernel => "kernel",
            Self::Evidence => "evidence",
            Self::Features => "features",
        };
        Value::Word(word.to_owned())
    }
    fn of(value: &Value) -> Option<Self> {
        let all = [Self::Kernel, Self::Evidence, Self::Features];
        all.into_iter().find(|choice| choice.value() == *value)
    }
}

/// Steps of the logarithms of all parameters together, by which the first widths are tried.
const STRIDE: f64 = 1.5;

/// Steps in one direction at most.
const STRIDES: i32 = 5;

/// Quasi-Newton steps at most.
const STEPS: usize = 20;

/// Halvings of a step at most.
const HALVINGS: i32 = 3;

/// The longest step of a parameter, on its scale.
const LONGEST: f64 = 1.5;

/// The gain of log evidence below which the climb ends.
const GAIN: f64 = 0.05;

/// The difference of a parameter by which derivatives of kernel values are taken: errors are of order 10⁻⁸.
const DIFFERENCE: f64 = 1e-4;

/// What a kernel has come to.
pub(super) struct Trial<K> {
    pub(super) kernel: K,
    pub(super) candidates: Candidates,
    pub(super) found: Vec<Relevant>,
}

impl<K> Trial<K> {
    /// The log evidence of all climbs.
    pub(super) fn evidence(&self) -> f64 {
        self.found.iter().map(|one| one.evidence).sum()
    }
}

/// Fits kernels, and says how the evidence changes with the columns.
pub(super) trait Tries<K> {
    /// The best model of a kernel, or where climbs of another kernel are given the one that is climbed to from these. After a break the
    /// search is over.
    fn fitted(&mut self, kernel: &K, from: Option<&[Relevant]>) -> Result<(Trial<K>, ControlFlow<()>)>;

    /// The kernel fitted to the points, where it depends on them.
    fn prepared(&self, kernel: K) -> Result<K>;

    /// For each climb the derivatives of its log evidence in the values of each column in its model.
    fn pulls(&self, trial: &Trial<K>) -> Vec<Vec<Vec<f64>>>;
}

/// The trial of the largest evidence that is found from a kernel on, over the parameters that it has.
pub(super) fn search<X: Points, K: Kernel<X>>(
    start: &K,
    points: &X,
    fits: &mut impl Tries<K>,
) -> Result<Trial<K>> {
    let parameters = start.searched();
    let (mut best, mut flow) = fits.fitted(start, None)?;
    let mut at: Vec<f64> = parameters.iter().map(|p| if p.log { p.value.ln() } else { p.value }).collect();
    // One factor for all parameters that must be positive.
    let origin = at.clone();
    for direction in [1.0, -1.0] {
        for stride in 1..=STRIDES {
            let by = direction * STRIDE * f64::from(stride);
            let there = moved(&origin, &parameters, |i| if parameters[i].log { by } else { 0.0 });
            if flow.is_break() || there == origin {
                break;
            }
            let trial;
            (trial, flow) = fits.fitted(&start.with_searched(&there)?, None)?;
            if trial.evidence() <= best.evidence() {
                break;
            }
            (best, at) = (trial, there);
        }
    }
    let mut gradient = slope(&best, points, &at, &parameters, fits)?;
    let mut bend: Option<Bend> = None;
    for _ in 0..STEPS {
        let own = bend.take().unwrap_or_else(|| Bend::new(&unbent(&gradient)));
        let way = own.way(&gradient);
        let mut next = None;
        for halvings in 0..HALVINGS {
            let share = 0.5_f64.powi(halvings);
            let there = moved(&at, &parameters, |i| share * way[i].clamp(-LONGEST, LONGEST));
            if flow.is_break() || there == at {
                break;
            }
            let trial;
            (trial, flow) = fits.fitted(&start.with_searched(&there)?, None)?;
            if trial.evidence() > best.evidence() {
                next = Some((trial, there));
                break;
            }
        }
        let Some((trial, there)) = next else { break };
        let gain = trial.evidence() - best.evidence();
        let step: Vec<f64> = there.iter().zip(&at).map(|(new, old)| new - old).collect();
        (best, at) = (trial, there);
        if gain < GAIN || flow.is_break() {
            break;
        }
        let new = slope(&best, points, &at, &parameters, fits)?;
        let fall: Vec<f64> = gradient.iter().zip(&new).map(|(old, new)| old - new).collect();
        bend = own.after(&step, &fall);
        gradient = new;
    }
    Ok(best)
}

/// Parameters after a step, within their bounds.
fn moved(at: &[f64], parameters: &[Parameter], step: impl Fn(usize) -> f64) -> Vec<f64> {
    let bound = |p: &Parameter, value: f64| if p.log { value.ln() } else { value };
    let new = |(i, p): (usize, &Parameter)| (at[i] + step(i)).clamp(bound(p, p.low), bound(p, p.high));
    parameters.iter().enumerate().map(new).collect()
}

/// A curvature under which a step along the gradient has length 1 in its largest part.
pub(super) fn unbent(gradient: &[f64]) -> Vec<f64> {
    let (m, most) = (gradient.len(), gradient.iter().fold(0.0, |most: f64, g| g.abs().max(most)));
    (0..m * m).map(|at| if at / m == at % m { -most.max(1e-3) } else { 0.0 }).collect()
}

/// The derivatives of the log evidence in the parameters of the kernel.
fn slope<X: Points, K: Kernel<X>>(
    trial: &Trial<K>,
    points: &X,
    at: &[f64],
    parameters: &[Parameter],
    fits: &impl Tries<K>,
) -> Result<Vec<f64>> {
    let owners = &trial.candidates.points;
    // The pull of each point that is a relevance vector of some climb, as often as it is one.
    let mut pulls: Vec<(usize, Vec<f64>)> = Vec::new();
    for (one, own) in trial.found.iter().zip(fits.pulls(trial)) {
        for (&candidate, pull) in one.posterior.columns.iter().zip(own) {
            pulls.extend(owners[candidate % owners.len()].map(|point| (point, pull)));
        }
    }
    let index: Vec<usize> = pulls.iter().map(|(point, _)| *point).collect();
    let chosen = points.select(&index);
    let all: Vec<usize> = (0..points.len()).collect();
    // Σ Dₙᵢ k(xₙ, xᵢ) at other parameters.
    let along = |vector: &[f64]| -> Result<f64> {
        let bound = fits.prepared(trial.kernel.with_searched(vector)?)?.bind(&chosen)?;
        let mut sum = 0.0;
        let mut values = vec![0.0; index.len() * ROWS];
        for rows in all.chunks(ROWS) {
            let mut out: Vec<&mut [f64]> = values.chunks_mut(index.len().max(1)).take(rows.len()).collect();
            bound.rows_f64(points, rows, &mut out);
            for (&row, out) in rows.iter().zip(out) {
                sum += out.iter().zip(&pulls).map(|(value, (_, pull))| value * pull[row]).sum::<f64>();
            }
        }
        Ok(sum)
    };
    (0..at.len())
        .map(|i| {
            if index.is_empty() {
                return Ok(0.0);
            }
            let side = |by: f64| moved(at, parameters, |j| if i == j { by } else { 0.0 });
            let (low, high) = (side(-DIFFERENCE), side(DIFFERENCE));
            Ok((along(&high)? - along(&low)?) / (high[i] - low[i]))
        })
        .collect()
}

/// Rows of kernel values computed together.
const ROWS: usize = 64;
