//! What makes probabilities of the decisions of any machine that has them, as model files hold it.

use super::{Calibration, Density, Noise, Probability};
use crate::model::layout::{Flaw, pairs};
use crate::model::machine::Machine;

/// What a machine's decisions are worth.
#[derive(Debug, Clone, PartialEq)]
pub enum Estimate {
    /// The probabilities of the classes of a classifier.
    Classes(Probability),
    /// The noise about a regression.
    Noise(Noise),
    /// How ordinary a point is to a one-class machine.
    Density(Density),
}

impl Estimate {
    /// The words of [`Estimate::method`].
    pub const METHODS: [&str; 4] = ["sigmoid", "isotonic", "noise", "density"];

    /// The word for it in model files: that of the first pair, where there are classes.
    #[must_use]
    pub fn method(&self) -> &'static str {
        let at = match self {
            Self::Classes(probability) => match probability.pairs.first() {
                None | Some(Calibration::Sigmoid(_)) => 0,
                Some(Calibration::Isotonic(_)) => 1,
            },
            Self::Noise(_) => 2,
            Self::Density(_) => 3,
        };
        Self::METHODS[at]
    }

    /// Refuses an estimate that belongs to another machine, or that is no function from decision to probability.
    pub(in crate::model) fn check(&self, machine: &Machine) -> Result<(), Flaw> {
        match (self, machine) {
            (Self::Classes(probability), Machine::Classifier(model)) => {
                let (found, expected) = (probability.pairs.len(), pairs(model.classes.len()));
                if expected != Some(found) {
                    return Err(format!("{found} calibrations where each pair of classes has one").into());
                }
                probability.pairs.iter().try_for_each(check_calibration)
            }
            (Self::Noise(noise), Machine::Regression(_)) => {
                let holds = noise.sigma >= 0.0 && noise.sigma.is_finite();
                told(holds, "sigma of the noise must be finite and not negative")
            }
            (Self::Density(density), Machine::OneClass(_)) => told(
                finite(&density.marks) && density.marks.is_sorted(),
                "the marks of a density must be finite and must not fall",
            ),
            _ => {
                let (own, method) = (self.method(), machine.method());
                Err(format!("a probability of kind '{own}' does not belong to '{method}'").into())
            }
        }
    }
}

fn check_calibration(calibration: &Calibration) -> Result<(), Flaw> {
    match calibration {
        Calibration::Sigmoid(sigmoid) => {
            told(finite(&[sigmoid.a, sigmoid.b]), "a sigmoid must have finite numbers")
        }
        Calibration::Isotonic(isotonic) => {
            let (thresholds, values) = (&isotonic.thresholds, &isotonic.values);
            told(
                thresholds.len() == values.len(),
                "an isotonic function must have a value at each threshold",
            )?;
            told(
                finite(thresholds) && thresholds.is_sorted_by(|a, b| a < b),
                "the thresholds of an isotonic function must be finite and must rise",
            )?;
            told(
                values.is_sorted() && values.iter().all(|value| (0.0..=1.0).contains(value)),
                "the values of an isotonic function must be from 0 to 1 and must not fall",
            )
        }
    }
}

fn told(holds: bool, rule: &str) -> Result<(), Flaw> {
    if holds { Ok(()) } else { Err(rule.into()) }
}

fn finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}
