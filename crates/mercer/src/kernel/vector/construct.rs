//! Functions that make expressions of one vector kernel.
//!
//! They take any number; [`Expr::check`] says whether it is allowed.

use super::{Factor, Map, Metric, Smoothness, VectorExpr, VectorKernel, VectorLeaf};
use crate::kernel::Expr;

impl From<VectorKernel> for VectorExpr {
    fn from(kernel: VectorKernel) -> Self {
        Expr::Leaf(VectorLeaf { kernel, maps: Vec::new() })
    }
}

/// xᵀy.
#[must_use]
pub fn linear() -> VectorExpr {
    VectorKernel::Linear.into()
}

/// (γ xᵀy + c)^d.
#[must_use]
pub fn polynomial(degree: u32, gamma: f64, coef0: f64) -> VectorExpr {
    VectorKernel::Polynomial { degree, gamma, coef0 }.into()
}

/// exp(−γ‖x − y‖²).
#[must_use]
pub fn rbf(gamma: f64) -> VectorExpr {
    VectorKernel::Rbf { gamma }.into()
}

/// exp(−‖x − y‖²/(2σ²)): [`rbf`] with γ = 1/(2σ²).
#[must_use]
pub fn rbf_sigma(sigma: f64) -> VectorExpr {
    // A σ of the wrong sign must not square into a good γ.
    rbf(if sigma > 0.0 { 0.5 / (sigma * sigma) } else { f64::NAN })
}

/// tanh(γ xᵀy + c): indefinite in general.
#[must_use]
pub fn tanh(gamma: f64, coef0: f64) -> VectorExpr {
    VectorKernel::Tanh { gamma, coef0 }.into()
}

/// (‖x − y‖² + ε²)^(−N/2), N the `power`.
#[must_use]
pub fn plummer(epsilon: f64, power: f64) -> VectorExpr {
    VectorKernel::Plummer { epsilon, power }.into()
}

/// exp(−γ‖x − y‖₁).
#[must_use]
pub fn laplace(gamma: f64) -> VectorExpr {
    VectorKernel::Laplace { gamma }.into()
}

/// Matérn with smoothness ν and length ℓ.
#[must_use]
pub fn matern(nu: Smoothness, length: f64) -> VectorExpr {
    VectorKernel::Matern { nu, length }.into()
}

/// (1 + ‖x − y‖²/(2αℓ²))^(−α).
#[must_use]
pub fn rational_quadratic(alpha: f64, length: f64) -> VectorExpr {
    VectorKernel::RationalQuadratic { alpha, length }.into()
}

/// Σₖ min(xₖ, yₖ), for non-negative features.
#[must_use]
pub fn intersection() -> VectorExpr {
    VectorKernel::Intersection.into()
}

/// xᵀy/(‖x‖‖y‖).
#[must_use]
pub fn cosine() -> VectorExpr {
    VectorKernel::Cosine.into()
}

/// exp(−D(x, y)²/(2σ²)).
#[must_use]
pub fn gaussian(metric: Metric, sigma: f64) -> VectorExpr {
    VectorKernel::Gaussian { metric, sigma }.into()
}

/// f(x) f(y); times k it makes f(x) k(x, y) f(y).
#[must_use]
pub fn factor(function: Factor) -> VectorExpr {
    VectorKernel::Factor(function).into()
}

/// The Gram matrix is the data: k(x, y) = x[serial number of y].
#[must_use]
pub fn precomputed() -> VectorExpr {
    VectorKernel::Precomputed.into()
}

/// The constant kernel c.
#[must_use]
pub fn constant(c: f64) -> VectorExpr {
    Expr::Constant(c)
}

impl VectorExpr {
    /// k(φ(x), φ(y)).
    ///
    /// Composition distributes over the algebra, so the map goes to the leaves, before the maps they already have:
    /// `k.on(f).on(g)` is k(f(g(x)), f(g(y))), in text `k @ f @ g`.
    #[must_use]
    pub fn on(self, map: Map) -> Self {
        self.map_leaves(&mut |mut leaf| {
            leaf.maps.insert(0, map.clone());
            leaf
        })
    }
}
