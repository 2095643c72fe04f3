//! Weights of points: a whole number w means that the point is there w times, 0 that it is not.

use crate::data::{LabelSets, Labels, Points};
use crate::error::{DataProblem, Error, ErrorKind, Result};

/// The points that are there, and their weights.
pub(super) struct Present {
    /// Positions in the data of those that are there; none where all are.
    index: Option<Vec<usize>>,
    /// Their weights.
    pub(super) weights: Vec<f64>,
}

impl Present {
    /// From one weight for each of `points` points, or none for all 1.
    ///
    /// # Errors
    /// If there is another number of them, or one is negative or not finite, or all are 0.
    pub(super) fn new(weights: &[f64], points: usize) -> Result<Self> {
        if weights.is_empty() {
            return Ok(Self { index: None, weights: vec![1.0; points] });
        }
        let rule = if weights.len() != points {
            "there must be one for each point"
        } else if !weights.iter().all(|&w| w >= 0.0 && w.is_finite()) {
            "none may be negative or infinite, or no number"
        } else if weights.iter().all(|&w| w == 0.0) {
            "not all may be 0"
        } else if weights.iter().all(|&w| w > 0.0) {
            return Ok(Self { index: None, weights: weights.to_vec() });
        } else {
            let index: Vec<usize> = (0..points).filter(|&i| weights[i] > 0.0).collect();
            return Ok(Self { weights: index.iter().map(|&i| weights[i]).collect(), index: Some(index) });
        };
        Err(ErrorKind::Data(DataProblem::Weights { rule }).into())
    }

    /// Those of `x` that are there.
    pub(super) fn points<X: Points>(&self, x: &X) -> X {
        self.index.as_ref().map_or_else(|| x.clone(), |index| x.select(index))
    }

    /// Those of `y` that are there.
    pub(super) fn labels(&self, y: &Labels) -> Labels {
        self.index.as_ref().map_or_else(|| y.clone(), |index| y.select(index))
    }

    /// Those of `y` that are there.
    pub(super) fn numbers(&self, y: &[f64]) -> Vec<f64> {
        self.index.as_ref().map_or_else(|| y.to_vec(), |index| index.iter().map(|&i| y[i]).collect())
    }

    /// Those of `y` that are there, over the same names.
    pub(super) fn sets(&self, y: &LabelSets) -> LabelSets {
        self.index.as_ref().map_or_else(|| y.clone(), |index| y.select(index))
    }

    /// Prices of those that are there, each times its weight.
    pub(super) fn times(&self, prices: Vec<f64>) -> Vec<f64> {
        prices.iter().zip(&self.weights).map(|(price, weight)| price * weight).collect()
    }

    /// Positions in the data of some that are there.
    pub(super) fn positions(&self, support: &mut [usize]) {
        if let Some(index) = &self.index {
            support.iter_mut().for_each(|i| *i = index[*i]);
        }
    }

    /// An error about those that are there, about the data.
    pub(super) fn error(&self, error: Error) -> Error {
        match &self.index {
            Some(index) => error.about(index),
            None => error,
        }
    }
}

/// The sum of the weights of each class.
pub(super) fn class_sums(y: &Labels, weights: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; y.classes().len()];
    y.index().iter().zip(weights).for_each(|(&class, weight)| sums[class as usize] += weight);
    sums
}
