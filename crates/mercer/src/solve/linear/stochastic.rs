//! The state of stochastic subgradient descent: a vector w, the steps made so far, and the mean of the iterates.
//!
//! The objective is λ/2 ‖w‖² plus the mean of the costs of points. With the step size ηₜ, step t takes k points and is
//!
//!   w ← (1 − ληₜ) w + ηₜ/k Σ βᵢxᵢ,   βᵢ = −cost′(mᵢ),
//!
//! and then, if asked for, w is moved to the nearest point of a ball about 0 that has the optimum. With ηₜ = 1/(λt) it is Pegasos
//! (Shalev-Shwartz, Singer, Srebro and Cotter 2011).
//!
//! w is kept as a number times a vector, and the sum of the iterates as a number times the same vector less what the vector did
//! not have yet when they were added up, so that a step costs the entries of its points whatever the length of w.

use super::design::dot;

/// The scale of w below which it is multiplied out. The sum of the iterates is a difference of numbers up to 1/scale times as large, so
/// that four digits of sixteen are lost at most; steps 1/t get there after 10,000 steps, those that are projected far after a few.
const SMALLEST: f64 = 1e-4;
/// Steps after which ‖w‖² is summed anew: each changes it by a rounded number.
const FRESH: u64 = 1 << 20;

/// Step sizes ηₜ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Steps {
    /// 1/(λt)
    Inverse,
    /// η/√t
    Root(f64),
    /// η
    Constant(f64),
}

/// Which mean of the iterates is the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mean {
    /// The last iterate.
    None,
    /// Their plain mean since the last [`State::begin_mean`].
    Plain,
    /// Iterate t counts t times (Lacoste-Julien, Schmidt and Bach 2012): early ones hardly count, and the number of steps need not be known.
    Rising,
}

/// How steps are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct How {
    pub(crate) lambda: f64,
    pub(crate) steps: Steps,
    pub(crate) mean: Mean,
    /// The radius of the ball that w is kept in; infinite for none.
    pub(crate) radius: f64,
}

/// A point as a step sees it.
pub(crate) trait Entries {
    /// ⟨v, x⟩
    fn product(&self, vector: &[f64]) -> f64;
    /// v += c x
    fn add(&self, c: f64, vector: &mut [f64]);
    /// ‖x‖²
    fn square(&self) -> f64;
}

/// What descent has come to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    pub(crate) how: How,
    /// w is `scale` times this.
    pub(crate) vector: Vec<f64>,
    pub(crate) scale: f64,
    /// ‖vector‖², kept where w is projected.
    pub(crate) square: f64,
    pub(crate) steps: u64,
    /// The weighted sum of the iterates is `scales` times the vector minus `missed`; their weights sum to `count`.
    pub(crate) scales: f64,
    pub(crate) missed: Vec<f64>,
    pub(crate) count: f64,
}

impl State {
    /// w = 0 of `width` entries.
    pub(crate) fn new(width: usize, how: How) -> Self {
        let missed = vec![0.0; if how.mean == Mean::None { 0 } else { width }];
        let vector = vec![0.0; width];
        Self { how, vector, scale: 1.0, square: 0.0, steps: 0, scales: 0.0, missed, count: 0.0 }
    }

    /// Makes room for points of `width` entries, the new ones 0.
    pub(crate) fn widen(&mut self, width: usize) {
        if width > self.vector.len() {
            self.vector.resize(width, 0.0);
            if self.how.mean != Mean::None {
                self.missed.resize(width, 0.0);
            }
        }
    }

    /// ⟨w, x⟩
    pub(crate) fn output(&self, x: &impl Entries) -> f64 {
        self.scale * x.product(&self.vector)
    }

    /// A step by `count` points, of which those with β ≠ 0 are given.
    pub(crate) fn step<X: Entries>(&mut self, points: impl Iterator<Item = (X, f64)>, count: usize) {
        self.steps += 1;
        let (t, lambda) = (self.steps as f64, self.how.lambda);
        let size = match self.how.steps {
            Steps::Inverse => 1.0 / (lambda * t),
            Steps::Root(size) => size / t.sqrt(),
            Steps::Constant(size) => size,
        };
        self.shrink(match self.how.steps {
            Steps::Inverse => 1.0 - 1.0 / t,
            _ => (1.0 - lambda * size).max(0.0),
        });
        for (x, beta) in points {
            self.add(&x, size * beta / (count as f64 * self.scale));
        }
        if self.how.radius.is_finite() {
            if self.steps.is_multiple_of(FRESH) {
                self.square = dot(&self.vector, &self.vector);
            }
            let norm = self.scale * self.square.max(0.0).sqrt();
            if norm > self.how.radius {
                self.shrink(self.how.radius / norm);
            }
        }
        let weight = if self.how.mean == Mean::Rising { t } else { 1.0 };
        self.scales += weight * self.scale;
        self.count += weight;
    }

    fn add(&mut self, x: &impl Entries, c: f64) {
        if self.how.radius.is_finite() {
            self.square += c * (2.0 * x.product(&self.vector) + c * x.square());
        }
        x.add(c, &mut self.vector);
        if self.how.mean != Mean::None && self.scales != 0.0 {
            x.add(c * self.scales, &mut self.missed);
        }
    }

    /// w ← factor · w
    fn shrink(&mut self, factor: f64) {
        self.scale *= factor;
        if self.scale >= SMALLEST {
            return;
        }
        let scale = std::mem::replace(&mut self.scale, 1.0);
        let scales = std::mem::take(&mut self.scales);
        self.missed.iter_mut().zip(&self.vector).for_each(|(missed, v)| *missed -= scales * v);
        self.vector.iter_mut().for_each(|v| *v *= scale);
        self.square *= scale * scale;
    }

    /// Begins the mean of the iterates with the next one.
    pub(crate) fn begin_mean(&mut self) {
        (self.scales, self.count) = (0.0, 0.0);
        self.missed.fill(0.0);
    }

    /// w, or the mean of the iterates.
    pub(crate) fn answer(&self) -> Vec<f64> {
        if self.how.mean == Mean::None || self.count == 0.0 {
            return self.vector.iter().map(|v| self.scale * v).collect();
        }
        self.vector.iter().zip(&self.missed).map(|(v, m)| (self.scales * v - m) / self.count).collect()
    }
}
