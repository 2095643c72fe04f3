//! Mika's fixed point.

use super::{PreImages, inputs, leaf, unsupported};
use crate::data::{Dense, Points, Vectors};
use crate::error::Result;
use crate::kernel::{Bound, VectorExpr, VectorKernel};
use crate::linalg::Tall;
use crate::model::PcaModel;

/// Points that step together: their kernel values are one block.
const BATCH: usize = 192;

/// Where Σ γ̃k(z, xᵢ) is at most this share of Σ |γ̃k(z, xᵢ)|, the next z would be rounding.
const CANCELLED: f64 = 1e-10;

/// Where Σ |γ̃k(z, xᵢ)| is below this, exponentials have lost their digits.
const VANISHED: f64 = 1e-290;

/// Where the steps to a pre-image began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// At the point that is denoised.
    Point,
    /// At the training point nearest to the projection.
    Nearest,
    /// At the mean of the training points.
    Mean,
}

/// How a pre-image was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Convergence {
    /// Whether the steps came to rest. If not, the point is the best of all that were reached.
    pub converged: bool,
    /// Steps in all, from all starts.
    pub steps: usize,
    /// The start that led to the point.
    pub start: Start,
    /// ‖φ(z) − Pφ(x)‖²
    pub square_distance: f64,
}

/// γ of the only kernel this is for.
pub(super) fn gamma(kernel: &VectorExpr) -> Result<f64> {
    match leaf(kernel) {
        Some(&VectorKernel::Rbf { gamma }) => Ok(gamma),
        _ => unsupported(
            "fixed-point pre-images with another kernel than rbf; use distances or the ridge regression",
        ),
    }
}

type Model = PcaModel<Vectors, VectorExpr>;

/// The pre-images of all scores.
pub(super) fn find(
    model: &Model,
    scores: &Dense<f64>,
    starts: Option<&Vectors>,
    steps: usize,
    tolerance: f64,
) -> Result<PreImages> {
    let points = model.expansion.points();
    let search = Search {
        model,
        bound: model.expansion.bound()?,
        inputs: inputs(points),
        own: model.scores(),
        steps,
        tolerance,
    };
    let d = points.width();
    let (mut found, mut convergence) = (Vec::with_capacity(scores.len() * d), Vec::new());
    let all: Vec<usize> = (0..scores.len()).collect();
    for batch in all.chunks(BATCH) {
        for (z, how) in search.batch(batch, scores, starts) {
            found.extend(z);
            convergence.push(how);
        }
    }
    Ok(PreImages { points: Dense::new(d, found), convergence })
}

struct Search<'a> {
    model: &'a Model,
    bound: &'a dyn Bound<Vectors>,
    inputs: Tall,
    /// The scores of the training points.
    own: Dense<f64>,
    steps: usize,
    tolerance: f64,
}

/// A point on its way.
struct Walk {
    weights: Vec<f64>,
    square_norm: f64,
    z: Vec<f64>,
    best: (Vec<f64>, Convergence),
    done: bool,
}

impl Search<'_> {
    fn batch(
        &self,
        batch: &[usize],
        scores: &Dense<f64>,
        starts: Option<&Vectors>,
    ) -> Vec<(Vec<f64>, Convergence)> {
        let begin = |&i: &usize| {
            let start = if starts.is_some() { Start::Point } else { Start::Nearest };
            let unknown = Convergence { converged: false, steps: 0, start, square_distance: f64::INFINITY };
            Walk {
                weights: self.model.expand(scores.row(i)),
                square_norm: self.model.square_norm(scores.row(i)),
                z: Vec::new(),
                best: (Vec::new(), unknown),
                done: false,
            }
        };
        let mut walks: Vec<Walk> = batch.iter().map(begin).collect();
        let order = [Start::Point, Start::Nearest, Start::Mean];
        for start in order.into_iter().skip(usize::from(starts.is_none())) {
            for (walk, &i) in walks.iter_mut().zip(batch).filter(|(walk, _)| !walk.done) {
                walk.z = self.start(start, scores.row(i), starts.map(|starts| starts.row(i)));
            }
            for _ in 0..self.steps {
                let mut going: Vec<&mut Walk> =
                    walks.iter_mut().filter(|walk| !walk.done && !walk.z.is_empty()).collect();
                if going.is_empty() {
                    break;
                }
                self.step(&mut going, start);
            }
        }
        walks.into_iter().map(|walk| walk.best).collect()
    }

    fn start(&self, start: Start, scores: &[f64], point: Option<crate::data::Row<'_>>) -> Vec<f64> {
        let d = self.model.expansion.points().width();
        match (start, point) {
            (Start::Point, Some(point)) => {
                let mut z = vec![0.0; d];
                point.for_each(|k, value| z[k] = value);
                z
            }
            (Start::Mean, _) => {
                let total: f64 = self.model.weights.iter().sum();
                let shares: Vec<f64> = self.model.weights.iter().map(|w| w / total).collect();
                self.inputs.multiplied_by_rows(&shares).row(0, d)
            }
            (Start::Point | Start::Nearest, _) => {
                // k(xᵢ, xᵢ) is 1 for all: the nearest has the largest inner product.
                let inner = self.model.inner_products(scores, &self.own);
                let nearest =
                    (0..inner.len()).fold(0, |best, i| if inner[i] > inner[best] { i } else { best });
                self.inputs.row(nearest, d)
            }
        }
    }

    /// One step of each walk. A walk that has come to rest is done; one whose step is not defined waits for another start.
    fn step(&self, walks: &mut [&mut Walk], start: Start) {
        let (n, d) = (self.model.weights.len(), self.model.expansion.points().width());
        let places = Vectors::dense(d, walks.iter().flat_map(|walk| walk.z.clone()).collect());
        let rows: Vec<usize> = (0..walks.len()).collect();
        let mut values = vec![0.0; walks.len() * n];
        self.bound.rows_f64(&places, &rows, &mut values.chunks_mut(n).collect::<Vec<_>>());
        for (walk, values) in walks.iter().zip(values.chunks_mut(n)) {
            values.iter_mut().zip(&walk.weights).for_each(|(k, weight)| *k *= weight);
        }
        let sums = self.inputs.multiplied_by_rows(&values);
        for (at, (walk, values)) in walks.iter_mut().zip(values.chunks(n)).enumerate() {
            let (sum, size) = values.iter().fold((0.0, 0.0), |(a, b): (f64, f64), v| (a + v, b + v.abs()));
            let lost = sum.abs() <= CANCELLED * size || size < VANISHED;
            // A point far from all others is no answer, even if nothing is nearer to the projection.
            if !(lost && start == Start::Point) {
                walk.see(1.0 - 2.0 * sum + walk.square_norm, start);
            }
            if lost {
                walk.z.clear();
                continue;
            }
            let next: Vec<f64> = sums.row(at, d).iter().map(|x| x / sum).collect();
            let square = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>();
            let moved = square(&mut next.iter().zip(&walk.z).map(|(a, b)| a - b));
            let length = square(&mut next.iter().copied());
            walk.z = next;
            if moved <= self.tolerance.powi(2) * length {
                walk.rest(start);
            }
        }
    }
}

impl Walk {
    /// Remembers where it is if that is the best so far.
    fn see(&mut self, square_distance: f64, start: Start) {
        let how = &mut self.best.1;
        how.steps += 1;
        if square_distance < how.square_distance {
            (how.square_distance, how.start) = (square_distance.max(0.0), start);
            self.best.0.clone_from(&self.z);
        }
    }

    fn rest(&mut self, start: Start) {
        self.best.0.clone_from(&self.z);
        (self.best.1.converged, self.best.1.start, self.done) = (true, start, true);
    }
}
