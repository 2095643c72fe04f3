//! The real parameters of an expression as a flat vector, for optimisers and searches.
//!
//! The order is that of the text, left to right; the path of a parameter says where it is: the position of each
//! operand in a sum or product (from 0), then the kernel, then the parameter. Whole numbers (a degree, a count) and
//! positions (the grid of a feature map) are structure, not parameters.
//!
//! A parameter that must be positive, or a constant that is, is searched on a log scale. Bounds are wide defaults,
//! 1e-5 to 1e5, widened to hold the value that is there.
//!
//! ```
//! use mercer::kernel::VectorExpr;
//!
//! let kernel: VectorExpr = "rbf(gamma=0.5) + 2*linear".parse()?;
//! let paths: Vec<_> = kernel.parameters().into_iter().map(|p| p.path).collect();
//! assert_eq!(paths, ["0.rbf.gamma", "1.0.constant"]);
//! let kernel = kernel.with_vector(&[0.25_f64.ln(), 3_f64.ln()])?;
//! assert_eq!(kernel.vector(), [0.25_f64.ln(), 3_f64.ln()]);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::{Center, Expr, Leaf};
use crate::error::{ErrorKind, Result, check};

const LOW: f64 = 1e-5;
const HIGH: f64 = 1e5;

/// A real parameter of an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Where it is: the position of each operand in a sum or product, the kernel, the parameter, as in `rbf.gamma`,
    /// `0.rbf.gamma`, `1.0.constant`.
    pub path: String,
    /// Its value, never on the log scale.
    pub value: f64,
    /// The lowest value allowed.
    pub low: f64,
    /// The highest value allowed.
    pub high: f64,
    /// Whether [`Expr::vector`] holds its logarithm.
    pub log: bool,
}

impl Parameter {
    fn scaled(&self, value: f64) -> f64 {
        if self.log { value.ln() } else { value }
    }
}

/// A parameter of a [`Leaf`] that can be changed where it stands.
#[derive(Debug)]
pub struct Slot<'a> {
    path: String,
    name: &'static str,
    value: &'a mut f64,
    low: f64,
    high: f64,
    log: bool,
}

impl<'a> Slot<'a> {
    /// A parameter that must be positive, on a log scale.
    #[must_use]
    pub fn scale(name: &'static str, value: &'a mut f64) -> Self {
        Self { path: name.to_owned(), name, value, low: LOW, high: HIGH, log: true }
    }

    /// A parameter that must lie in (0, 1], on a log scale.
    #[must_use]
    pub fn share(name: &'static str, value: &'a mut f64) -> Self {
        Self { path: name.to_owned(), name, value, low: LOW, high: 1.0, log: true }
    }

    /// A parameter that may be zero, not below `least`.
    #[must_use]
    pub fn shift(name: &'static str, value: &'a mut f64, least: f64) -> Self {
        Self { path: name.to_owned(), name, value, low: least.max(-HIGH), high: HIGH, log: false }
    }

    /// The parameter with a step before its path.
    #[must_use]
    pub fn under(mut self, step: &str) -> Self {
        self.path = format!("{step}.{}", self.path);
        self
    }

    fn parameter(&self) -> Parameter {
        let value = *self.value;
        let (low, high) = (self.low.min(value), self.high.max(value));
        Parameter { path: self.path.clone(), value, low, high, log: self.log }
    }
}

impl<L: Leaf> Expr<L> {
    /// The real parameters, in the order of the text. Degrees, counts and the grids of feature maps are structure, not
    /// parameters.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut found = Vec::new();
        self.clone().visit(&mut |slot| found.push(slot.parameter()));
        found
    }

    /// The values of [`Expr::parameters`], each on its scale: the logarithm where `log` is set.
    #[must_use]
    pub fn vector(&self) -> Vec<f64> {
        self.parameters().iter().map(|p| p.scaled(p.value)).collect()
    }

    /// The expression with other parameters, on the scales of [`Expr::vector`]. An entry that equals the one
    /// there leaves its parameter as it is, to the bit.
    ///
    /// # Errors
    /// If there are more or fewer entries than parameters, or one lies outside its bounds or is NaN.
    pub fn with_vector(&self, vector: &[f64]) -> Result<Self> {
        let count = self.parameters().len();
        check("parameters", vector.len() as f64, vector.len() == count, "must be one value per parameter")?;
        let mut changed = self.clone();
        let mut entries = vector.iter();
        let mut refused = None;
        changed.visit(&mut |slot| {
            let Some(&entry) = entries.next() else { return };
            let parameter = slot.parameter();
            // Bounds are compared on the scale of the vector, where a bound itself is exact.
            if entry >= parameter.scaled(parameter.low) && entry <= parameter.scaled(parameter.high) {
                if entry != parameter.scaled(parameter.value) {
                    let value = if parameter.log { entry.exp() } else { entry };
                    *slot.value = value.clamp(parameter.low, parameter.high);
                }
            } else if refused.is_none() {
                let value = if parameter.log { entry.exp() } else { entry };
                refused =
                    Some(ErrorKind::Parameter { name: slot.name, value, rule: "must lie inside its bounds" });
            }
        });
        refused.map_or(Ok(changed), |kind| Err(kind.into()))
    }

    /// The expression with one parameter of another value, on its own scale, not that of [`Expr::vector`]. Any value goes
    /// that [`Expr::check`] accepts, also outside the bounds of a search.
    ///
    /// ```
    /// use mercer::kernel::{VectorExpr, linear, rbf};
    ///
    /// let kernel = rbf(1.0) + linear();
    /// assert_eq!(kernel.with_parameter("0.rbf.gamma", 1e-9)?, rbf(1e-9) + linear());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no parameter at this path, or the value is out of its range.
    pub fn with_parameter(&self, path: &str, value: f64) -> Result<Self> {
        let mut changed = self.clone();
        let mut found = false;
        changed.visit(&mut |slot| {
            if slot.path == path {
                *slot.value = value;
                found = true;
            }
        });
        if !found {
            let what = format!("a parameter '{path}', which the kernel does not have").into();
            return Err(ErrorKind::Unsupported { what }.into());
        }
        changed.check()?;
        Ok(changed)
    }

    pub(super) fn visit(&mut self, visit: &mut dyn FnMut(Slot<'_>)) {
        match self {
            Self::Leaf(leaf) => leaf.visit_parameters(visit),
            Self::Constant(c) if *c > 0.0 => visit(Slot::scale("constant", c)),
            Self::Constant(c) => visit(Slot::shift("constant", c, 0.0)),
            Self::Sum(operands) | Self::Product(operands) => {
                for (i, operand) in operands.iter_mut().enumerate() {
                    operand.visit(&mut |slot| visit(slot.under(&i.to_string())));
                }
            }
            Self::Power(k, _) | Self::Exp(k) | Self::Normalized(k) => k.visit(visit),
            Self::Centered(k, center) => {
                // Other parameters make another kernel, whose means are not known.
                *center = Center::default();
                k.visit(visit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::kernel::arbitrary::expression;
    use crate::kernel::*;

    fn paths(text: &str) -> Vec<String> {
        text.parse::<VectorExpr>().unwrap().parameters().into_iter().map(|p| p.path).collect()
    }

    #[test]
    fn paths_name_the_place() {
        assert_eq!(paths("rbf(gamma=0.5)"), ["rbf.gamma"]);
        assert_eq!(paths("(poly(degree=2) + 1)^2"), ["0.poly.gamma", "0.poly.coef0", "1.constant"]);
        assert_eq!(
            paths("2*exp(rbf)*plummer"),
            ["0.constant", "1.rbf.gamma", "2.plummer.epsilon", "2.plummer.power"]
        );
        assert_eq!(paths("linear @ gaussians(width=2)"), ["linear.0.gaussians.width"]);
        assert!(paths("linear @ monomials(degree=2)").is_empty());
    }

    #[test]
    fn bounds_hold_the_value_and_are_enforced() {
        let kernel = rbf(1e7);
        let [gamma] = &kernel.parameters()[..] else { panic!() };
        assert_eq!((gamma.value, gamma.low, gamma.high, gamma.log), (1e7, 1e-5, 1e7, true));
        assert_eq!(kernel.with_vector(&[1e-5_f64.ln()]).unwrap(), rbf(1e-5));
        assert!(kernel.with_vector(&[1e-6_f64.ln()]).is_err());
        assert!(kernel.with_vector(&[1e8_f64.ln()]).is_err());
        assert!(kernel.with_vector(&[f64::NAN]).is_err());
        assert!(kernel.with_vector(&[]).is_err());
        assert!(kernel.with_vector(&[0.0, 0.0]).is_err());
    }

    #[test]
    fn one_parameter_can_have_any_value_in_its_range() {
        let kernel: VectorExpr = "rbf(gamma=0.5) + 2*linear".parse().unwrap();
        assert_eq!(kernel.with_parameter("0.rbf.gamma", 1e-9).unwrap(), rbf(1e-9) + 2.0 * linear());
        assert_eq!(kernel.with_parameter("1.0.constant", 7.0).unwrap(), rbf(0.5) + 7.0 * linear());
        assert!(kernel.with_parameter("0.rbf.gamma", 0.0).is_err());
        assert!(kernel.with_parameter("0.rbf.gamma", f64::NAN).is_err());
        let error = kernel.with_parameter("rbf.gamma", 1.0).unwrap_err().to_string();
        assert_eq!(error, "not supported: a parameter 'rbf.gamma', which the kernel does not have");
    }

    #[test]
    fn polynomial_offset_cannot_become_negative() {
        let kernel = polynomial(2, 1.0, 1.0);
        assert_eq!(kernel.with_vector(&[0.0, 0.0]).unwrap(), polynomial(2, 1.0, 0.0));
        assert!(kernel.with_vector(&[0.0, -0.5]).is_err());
    }

    proptest! {
        #[test]
        fn own_vector_gives_the_same_expression(kernel in expression()) {
            prop_assert_eq!(kernel.with_vector(&kernel.vector()).unwrap(), kernel);
        }

        #[test]
        fn structure_alone_orders_the_parameters(kernel in expression(), step in 0.0..0.5_f64) {
            let moved: Vec<f64> = kernel.parameters().iter().zip(kernel.vector())
                .map(|(p, v)| if p.value < p.high { v + step } else { v }).collect();
            if let Ok(changed) = kernel.with_vector(&moved) {
                let names = |k: &VectorExpr| k.parameters().into_iter().map(|p| p.path).collect::<Vec<_>>();
                prop_assert_eq!(names(&changed), names(&kernel));
                for (found, asked) in changed.vector().iter().zip(&moved) {
                    prop_assert!((found - asked).abs() <= 1e-12 * asked.abs().max(1.0));
                }
            }
        }
    }
}
