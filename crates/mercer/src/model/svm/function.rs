//! A single fitted function: a regression, or one that is positive where the data are.

use crate::model::prelude::*;

/// What a function is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It predicts numbers.
    Regression,
    /// It is positive where the data are.
    OneClass,
}

/// A function f(x) = Σ βᵢ k(xᵢ, x) − b over its support points, and how good it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Function<X, K> {
    /// f
    pub expansion: Expansion<X, K>,
    /// What it is for.
    pub role: Role,
    /// Positions of the support points in the training data, from 0; empty when unknown (LIBSVM model files).
    pub support: Vec<usize>,
    /// How good it is; absent when unknown (LIBSVM model files).
    pub certificate: Option<Certificate>,
}

impl<X: Points, K: Kernel<X>> Function<X, K> {
    /// The function of a solution: the points whose coefficient is not zero.
    pub(super) fn new(kernel: K, role: Role, own: &Weighted<X>, solution: Solution) -> Self {
        let Solution { coefficients, offset, certificate, .. } = solution;
        let (expansion, support) = Expansion::over_support(kernel, own, &coefficients, vec![offset]);
        Self { expansion, role, support, certificate: Some(certificate) }
    }

    /// The coefficients β of the support points.
    #[must_use]
    pub fn coefficients(&self) -> &[f64] {
        self.expansion.coefficients().first_block()
    }

    /// f at each of `points`.
    ///
    /// # Errors
    /// If the points do not fit the function.
    pub fn values(&self, points: &X) -> Result<Vec<f64>> {
        self.expansion.map(points, |outputs| outputs[0])
    }
}

impl<X: Space> Model<X> for Function<X, X::Kernel> {
    made_of!(expansion, support);

    fn kind(&self) -> &'static str {
        match self.role {
            Role::Regression => "svr",
            Role::OneClass => "one-class",
        }
    }

    fn quality(&self) -> Quality {
        Quality::of(self.certificate.as_slice())
    }

    fn words(&self) -> String {
        match self.role {
            Role::Regression => "a function that predicts numbers".to_owned(),
            Role::OneClass => "a function that is positive inside".to_owned(),
        }
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        ("", vec!["f".to_owned()])
    }

    fn predict(&self, points: &X, how: How) -> Result<Prediction> {
        let values = self.expansion.map_as(points, how.double, |outputs| outputs[0])?;
        Ok(match self.role {
            Role::Regression => Prediction::Values(Dense::new(1, values)),
            Role::OneClass => Prediction::Sides(values),
        })
    }

    fn calibrates(&self) -> Calibrates {
        match self.role {
            Role::Regression => Calibrates::Errors,
            Role::OneClass => Calibrates::Sides,
        }
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        parts::check(&self.expansion, 1, &self.support)
    }
}

impl<X: Space> Function<X, X::Kernel> {
    pub(super) fn read(role: Role, reader: &mut Reader<'_>) -> Result<Self, Flaw> {
        let certificates = text::read_certificates(&reader.entry("certificates")?)?;
        if certificates.len() > 1 {
            return Err(format!("{} certificates where 1 are expected", certificates.len()).into());
        }
        Ok(Self {
            expansion: parts::read_full(reader, "", 1)?,
            role,
            support: reader.counts("support")?,
            certificate: certificates.into_iter().next(),
        })
    }
}

/// Refuses ν outside (0, 1].
pub(in crate::model) fn check_nu(nu: f64) -> Result<()> {
    check("nu", nu, nu > 0.0 && nu <= 1.0, "must be above 0 and at most 1")
}
