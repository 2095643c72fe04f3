//! A classifier with one score for each class.

use super::expansion::{Coefficients, Expansion};
use crate::data::{Dense, Points};
use crate::error::{ErrorKind, Result};
use crate::kernel::Kernel;
use crate::solve::Certificate;
use crate::solve::together::{Loss, softmax};

/// A fitted classifier that gives each class a score, F_c(x) = Σᵢ βᵢ_c k(xᵢ, x) − b_c, and decides for the largest.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreModel<X, K> {
    /// F: one output for each class.
    pub expansion: Expansion<X, K>,
    /// Class names; numbering as in training.
    pub classes: Vec<String>,
    /// Positions of the support points in the training data, from 0.
    pub support: Vec<usize>,
    /// How good it is: one for all classes together, or one for each.
    pub certificates: Vec<Certificate>,
    /// The loss that the scores were fitted with; none where each class has a machine of its own.
    pub loss: Option<Loss>,
}

/// The outputs of a fit before they are a model: coefficients of all points.
pub(super) struct Fitted {
    /// Point after point, one per class.
    pub(super) coefficients: Vec<f64>,
    /// b, one per class.
    pub(super) offsets: Vec<f64>,
    pub(super) certificates: Vec<Certificate>,
    pub(super) loss: Option<Loss>,
}

impl<X: Points, K: Kernel<X>> ScoreModel<X, K> {
    /// The model of a fit: the points that have a coefficient which is not zero.
    pub(super) fn new(kernel: K, x: &X, classes: &[String], fitted: Fitted) -> Self {
        let outputs = classes.len();
        let row = |i: usize| &fitted.coefficients[i * outputs..(i + 1) * outputs];
        let support: Vec<usize> = (0..x.len()).filter(|&i| row(i).iter().any(|&b| b != 0.0)).collect();
        let values: Vec<f64> = support.iter().flat_map(|&i| row(i)).copied().collect();
        Self {
            expansion: Expansion::new(
                kernel,
                x.select(&support),
                Coefficients::full(support.len(), outputs, values),
                fitted.offsets,
            ),
            classes: classes.to_vec(),
            support,
            certificates: fitted.certificates,
            loss: fitted.loss,
        }
    }

    /// The score of every class for every point: one row per point, one column per class.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn scores(&self, points: &X) -> Result<Dense<f64>> {
        self.expansion.decisions(points)
    }

    /// The number of the class with the largest score for each point; of several the lowest.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn predict_index(&self, points: &X) -> Result<Vec<usize>> {
        self.expansion.map(points, first_largest)
    }

    /// The class of each point.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn predict(&self, points: &X) -> Result<Vec<&str>> {
        Ok(self.predict_index(points)?.into_iter().map(|class| self.classes[class].as_str()).collect())
    }

    /// The probability of every class for every point: the softmax of its scores.
    ///
    /// # Errors
    /// If the points do not fit the model, or it was not fitted with [`Loss::Softmax`]: the scores of a margin are not
    /// logarithms of anything.
    pub fn probabilities(&self, points: &X) -> Result<Dense<f64>> {
        if self.loss != Some(Loss::Softmax) {
            let what = "probabilities from the scores of a margin; fit with the softmax loss".into();
            return Err(ErrorKind::Unsupported { what }.into());
        }
        let rows = self.expansion.map(points, |scores| {
            let mut probabilities = Vec::with_capacity(scores.len());
            softmax(scores, &mut probabilities);
            probabilities
        })?;
        Ok(Dense::new(self.classes.len(), rows.concat()))
    }
}

/// The place of the largest; of several the first.
pub(super) fn first_largest(scores: &[f64]) -> usize {
    (1..scores.len()).fold(0, |best, c| if scores[c] > scores[best] { c } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_goes_to_the_lowest_number() {
        assert_eq!(first_largest(&[1.0, 2.0, 2.0]), 1);
        assert_eq!(first_largest(&[0.0, 0.0, -0.0]), 0);
        assert_eq!(first_largest(&[-3.0, -2.0, -1.0]), 2);
    }
}
