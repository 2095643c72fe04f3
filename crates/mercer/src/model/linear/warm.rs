//! Answers to begin the next fit with.

use crate::solve::linear::{Answer, Start};

/// What linear methods have found, for the next fit to the same points to begin with: with another C, other weights of classes or another ε.
/// A fit begins from it as [`Job::warm`](crate::model::Job::warm) and leaves its own answer there; the certificate is what it would be without.
/// What is of other points is not looked at.
///
/// ```
/// use mercer::data::{Labels, Vectors};
/// use mercer::kernel::linear;
/// use mercer::model::{Estimator, Job, LinearSvc, Warm};
///
/// let x = Vectors::dense(1, vec![-2.0, -1.0, 1.0, 2.0]);
/// let y = Labels::first_seen(["low", "low", "high", "high"]);
/// let mut job = Job::new();
/// job.warm = Some(Warm::default());
/// let first = LinearSvc::new(linear()).fit_in(&x, &y, &mut job)?;
/// let again = LinearSvc::new(linear()).fit_in(&x, &y, &mut job)?;
/// assert!(first.certificates[0].iterations > 0);
/// assert_eq!(again.certificates[0].iterations, 0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Warm {
    answers: Vec<Start>,
}

impl Warm {
    /// A start for each of so many functions of so many weights, on so many points.
    pub(super) fn starts(&self, functions: usize, width: usize, points: usize) -> Option<&[Start]> {
        let fit =
            self.answers.len() == functions && self.answers.iter().all(|start| start.fits(width, points));
        fit.then_some(&self.answers)
    }

    /// Takes the answers of a fit.
    pub(super) fn keep(&mut self, answers: &[Answer]) {
        let start = |answer: &Answer| Start { weights: answer.weights.clone(), dual: answer.dual.clone() };
        self.answers = answers.iter().map(start).collect();
    }
}
