//! Relevant dimension estimation: how many directions of feature space the targets need, and how much of them is noise.
//!
//! Of the eigenvectors of a Gram matrix only the first d̂ know of the targets, whatever the dimension of the feature space;
//! the rest is noise, evenly spread (Braun, Buhmann and Müller 2008, see [`solve::Relevance`](crate::solve::Relevance)
//! for the equations). So a data set and a kernel have a dimension, a noise level and denoised targets ŷ before any machine
//! is fitted, and of several kernels the one whose cut has the best score suits the data best.
//!
//! One eigendecomposition for each kernel: O(n³) time and 4n² numbers, for up to some thousand points.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::rbf;
//! use mercer::model::Rde;
//!
//! let x: Vec<f64> = (0..100).map(|i| f64::from(i) / 50.0 - 1.0).collect();
//! // A sine and a disturbance of variance 0.01.
//! let y: Vec<f64> = x.iter().enumerate().map(|(i, x)| (3.0 * x).sin() + if i % 3 == 0 { 0.14 } else { -0.07 }).collect();
//! let found = Rde::among([0.01, 0.1, 1.0, 10.0, 100.0].map(rbf)).fit(&Vectors::dense(1, x), &y)?;
//! assert!((2..=6).contains(&found.relevance.dimension()));
//! assert!((0.007..0.013).contains(&found.noise.value()));
//! # Ok::<(), mercer::Error>(())
//! ```

use rayon::prelude::*;

use super::values;
use crate::error::Error;
use crate::gram::Gram;
use crate::linalg::Eigen;
use crate::model::prelude::*;
use crate::solve::rde::{Criterion, Relevance, Spectrum};

/// The n×n matrices that a decomposition holds: the Gram, its vectors, and what the iteration works in.
const MATRICES: u64 = 4;

/// Relevant dimension estimation and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Rde<K> {
    /// The kernels to choose from.
    pub kernels: Vec<K>,
    /// What chooses the cut, and among kernels.
    pub criterion: Criterion,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct RdeFit {
    /// The kernel, as its place among those to choose from.
    pub chosen: usize,
    /// What came of each kernel; none where its spectrum cannot be cut.
    pub trials: Vec<Option<Trial>>,
    /// The spectrum of the one chosen, its cut, and the denoised targets. Of numbers the mean is taken out before; classes are
    /// coded by +1 for members and −1/(k − 1) for others, one target each, but one alone for two classes.
    pub relevance: Relevance,
    /// How much of the targets is noise.
    pub noise: Noise,
    /// The targets without noise.
    pub denoised: Denoised,
}

/// One kernel of several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// d̂
    pub dimension: usize,
    /// The criterion at its cut; less is better.
    pub score: f64,
    /// The level of noise.
    pub noise: Noise,
}

/// The level of noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// Of numbers: σ̂₂², the variance of what is not relevant.
    Variance(f64),
    /// Of classes: the share of points whose denoised class is another. It estimates the Bayes error on the points it was
    /// found on, and so lies below the error on others.
    Flips(f64),
}

impl Noise {
    /// The number.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Self::Variance(value) | Self::Flips(value) => value,
        }
    }
}

/// Targets without noise, of those points whose weight is not 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Denoised {
    /// ŷ, the mean included.
    Numbers(Vec<f64>),
    /// The class of the largest ŷ.
    Classes(Labels),
}

/// Targets as numbers.
enum Meant<'a> {
    Numbers { mean: f64 },
    Classes(&'a Labels),
}

impl<K> Rde<K> {
    /// One kernel, by the two-component model.
    pub fn new(kernel: K) -> Self {
        Self::among([kernel])
    }

    /// The best of several kernels, for instance of several widths.
    pub fn among(kernels: impl Into<Vec<K>>) -> Self {
        Self { kernels: kernels.into(), criterion: Criterion::default() }
    }

    /// Sets what chooses.
    #[must_use]
    pub fn criterion(mut self, criterion: Criterion) -> Self {
        self.criterion = criterion;
        self
    }

    /// Refuses settings that leave nothing to do.
    ///
    /// # Errors
    /// If there is no kernel.
    pub fn check(&self) -> Result<()> {
        let kernels = self.kernels.len();
        check("kernels", kernels as f64, kernels > 0, "must be one or more")
    }

    /// Estimates dimension and noise of numbers.
    ///
    /// # Errors
    /// If the points or targets cannot be used, the matrices do not fit into memory, or the spectrum of no kernel can be
    /// cut.
    pub fn fit<X: Points>(&self, x: &X, y: &[f64]) -> Result<RdeFit>
    where
        K: Kernel<X> + Clone,
    {
        self.fit_in(x, y, &mut Job::new())
    }

    /// Estimates dimension and noise of numbers under the circumstances of a job.
    ///
    /// # Errors
    /// As [`Rde::fit`]; [`ErrorKind::Interrupted`].
    pub fn fit_in<X: Points>(&self, x: &X, y: &[f64], job: &mut Job<'_, X>) -> Result<RdeFit>
    where
        K: Kernel<X> + Clone,
    {
        self.check()?;
        if let Some(i) = y.iter().position(|value| !value.is_finite()) {
            return Err(ErrorKind::Data(DataProblem::NotFinite { row: i + 1, column: 1 }).into());
        }
        let (own, y) = Weighted::numbers(x, y, job.weights)?;
        let total: f64 = own.weights.iter().sum();
        let mean = y.iter().zip(&own.weights).map(|(y, w)| y * w).sum::<f64>() / total;
        let targets = vec![y.iter().map(|y| y - mean).collect()];
        self.estimate(&own, &targets, &Meant::Numbers { mean }, job)
    }

    /// Estimates dimension and noise of classes.
    ///
    /// # Errors
    /// As [`Rde::fit`]; also if there are fewer than two classes.
    pub fn fit_labels<X: Points>(&self, x: &X, y: &Labels) -> Result<RdeFit>
    where
        K: Kernel<X> + Clone,
    {
        self.fit_labels_in(x, y, &mut Job::new())
    }

    /// Estimates dimension and noise of classes under the circumstances of a job.
    ///
    /// # Errors
    /// As [`Rde::fit_labels`]; [`ErrorKind::Interrupted`].
    pub fn fit_labels_in<X: Points>(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<RdeFit>
    where
        K: Kernel<X> + Clone,
    {
        self.check()?;
        let (own, y) = Weighted::classes(x, y, job.weights)?;
        self.estimate(&own, &codes(&y), &Meant::Classes(&y), job)
    }

    fn estimate<X: Points>(
        &self,
        own: &Weighted<X>,
        targets: &[Vec<f64>],
        meant: &Meant<'_>,
        job: &mut Job<'_, X>,
    ) -> Result<RdeFit>
    where
        K: Kernel<X> + Clone,
    {
        let side_by_side = self.side_by_side(own.points.len(), job.memory)?;
        let kernels =
            self.kernels.iter().map(|kernel| own.kernel(kernel, job)).collect::<Result<Vec<_>>>()?;
        let compute = job.compute;
        let mut stages = job.stages();
        let mut plan = Plan::new(&mut stages, &[("eigenvectors", 1.0)]);
        let mut trials = Vec::with_capacity(kernels.len());
        let mut best: Option<(usize, Relevance)> = None;
        for batch in kernels.chunks(side_by_side) {
            let share = trials.len() as f64 / kernels.len() as f64;
            if plan.stage(0)(share).is_break() {
                return Err(ErrorKind::Interrupted.into());
            }
            let one = |kernel: &K| {
                let gram = compute.gram(kernel, &own.points)?;
                relevance(&*gram, targets, &own.weights, self.criterion)
            };
            let found: Vec<Result<Option<Relevance>>> = batch.par_iter().map(one).collect();
            for found in found {
                let found = found.map_err(|error| own.error(error))?;
                trials.push(found.as_ref().map(|found| meant.trial(found, &own.weights)));
                let better = |found: &Relevance| {
                    best.as_ref().is_none_or(|(_, best)| found.score().total_cmp(&best.score()).is_lt())
                };
                if let Some(found) = found.filter(better) {
                    best = Some((trials.len() - 1, found));
                }
            }
        }
        let (chosen, relevance) = best.ok_or_else(|| Error::from(ErrorKind::Data(DataProblem::NoCut)))?;
        let noise = meant.noise(&relevance, &own.weights);
        let denoised = meant.denoised(&relevance);
        Ok(RdeFit { chosen, trials, relevance, noise, denoised })
    }

    /// Kernels that are looked at side by side: one a thread, as far as memory goes. An eigendecomposition is the work of
    /// one thread.
    fn side_by_side(&self, n: usize, memory: Option<usize>) -> Result<usize> {
        let matrices = |count: usize| 8 * MATRICES * (n as u64).pow(2) * count as u64;
        let fits = |count: usize| {
            room("an eigendecomposition", matrices(count), memory, "take a sample of the rows")
        };
        fits(1)?;
        let most = rayon::current_num_threads().min(self.kernels.len());
        Ok((1..=most).rev().find(|&count| fits(count).is_ok()).unwrap_or(1))
    }
}

/// The spectrum of one kernel, cut.
fn relevance(
    gram: &dyn Gram,
    targets: &[Vec<f64>],
    weights: &[f64],
    criterion: Criterion,
) -> Result<Option<Relevance>> {
    let mut square = values::square(gram, &mut |_| std::ops::ControlFlow::Continue(()))?;
    square.scale(&weights.iter().map(|w| w.sqrt()).collect::<Vec<_>>());
    let eigen = Eigen::of(&square).ok_or(ErrorKind::Data(DataProblem::NotDefinite { row: square.n() }))?;
    drop(square);
    Ok(Spectrum::new(&eigen, weights).relevance(targets, criterion))
}

/// +1 for members and −1/(k − 1) for others: of classes of the same size each code has mean 0, and two classes have ±1.
fn codes(y: &Labels) -> Vec<Vec<f64>> {
    let classes = y.classes().len();
    let other = -1.0 / (classes as f64 - 1.0);
    let code =
        |class: usize| y.index().iter().map(|&of| if of as usize == class { 1.0 } else { other }).collect();
    (0..if classes == 2 { 1 } else { classes }).map(code).collect()
}

impl Meant<'_> {
    fn trial(&self, relevance: &Relevance, weights: &[f64]) -> Trial {
        let noise = self.noise(relevance, weights);
        Trial { dimension: relevance.dimension(), score: relevance.score(), noise }
    }

    fn noise(&self, relevance: &Relevance, weights: &[f64]) -> Noise {
        let Self::Classes(y) = self else {
            return Noise::Variance(relevance.targets[0].noise);
        };
        let flipped = (0..y.len()).filter(|&i| class(relevance, i) != y.index()[i]);
        Noise::Flips(flipped.map(|i| weights[i]).sum::<f64>() / weights.iter().sum::<f64>())
    }

    fn denoised(&self, relevance: &Relevance) -> Denoised {
        match self {
            Self::Numbers { mean } => {
                Denoised::Numbers(relevance.targets[0].denoised.iter().map(|value| value + mean).collect())
            }
            Self::Classes(y) => {
                let index = (0..y.len()).map(|i| class(relevance, i)).collect();
                Denoised::Classes(Labels::new(y.classes().to_vec(), index))
            }
        }
    }
}

/// The class with the largest ŷᵢ, the first of several.
fn class(relevance: &Relevance, i: usize) -> u32 {
    match relevance.targets.as_slice() {
        [one] => u32::from(one.denoised[i] < 0.0),
        targets => {
            let mut best = 0;
            for (c, target) in targets.iter().enumerate() {
                if target.denoised[i] > targets[best].denoised[i] {
                    best = c;
                }
            }
            best as u32
        }
    }
}

#[cfg(test)]
#[path = "rde_tests.rs"]
mod tests;
