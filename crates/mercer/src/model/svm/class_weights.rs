//! Factors on C for the classes named.

use crate::data::Labels;
use crate::error::{DataProblem, ErrorKind, Result, check};

/// The setter of a single weight, of estimators with a price for each class.
macro_rules! priced_by_class {
    ($($estimator:ident),+) => {$(
        impl<K> $estimator<K> {
            /// Multiplies the price C of errors by `weight` for the points of `class`.
            #[must_use]
            pub fn class_weight(mut self, class: impl Into<String>, weight: f64) -> Self {
                self.class_weights.push((class.into(), weight));
                self
            }
        }
    )+};
}
pub(in crate::model) use priced_by_class;

/// Refuses C or a weight that is not positive and finite.
pub(in crate::model) fn check_prices(c: f64, weights: &[(String, f64)]) -> Result<()> {
    check("c", c, c > 0.0 && c.is_finite(), "must be positive and finite")?;
    check_factors(weights)
}

/// Refuses a weight that is not positive and finite.
pub(in crate::model) fn check_factors(weights: &[(String, f64)]) -> Result<()> {
    for (_, weight) in weights {
        check("class weight", *weight, *weight > 0.0 && weight.is_finite(), "must be positive and finite")?;
    }
    Ok(())
}

/// Refuses a weight for a class that is not there: it is most likely misspelt.
pub(in crate::model) fn check_known(weights: &[(String, f64)], y: &Labels) -> Result<()> {
    match weights.iter().find(|(name, _)| !y.classes().contains(name)) {
        None => Ok(()),
        Some((name, _)) => Err(ErrorKind::Data(DataProblem::NoClass(name.as_str().into())).into()),
    }
}

/// The factor on C for each of `classes`; a class named twice has the product.
pub(in crate::model) fn factors(weights: &[(String, f64)], classes: &[String]) -> Vec<f64> {
    let factor =
        |class: &String| weights.iter().filter(|(name, _)| name == class).map(|(_, weight)| weight).product();
    classes.iter().map(factor).collect()
}

/// C of each point: C times the factor of its class.
pub(in crate::model) fn prices(c: f64, weights: &[(String, f64)], y: &Labels) -> Vec<f64> {
    let factors = factors(weights, y.classes());
    y.index().iter().map(|&class| c * factors[class as usize]).collect()
}
