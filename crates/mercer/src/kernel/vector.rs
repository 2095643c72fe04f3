//! The leaves of vector kernels: each a scalar profile of one statistic of two rows.

use super::Expr;

/// A kernel expression on vectors.
pub type VectorExpr = Expr<VectorLeaf>;

/// A vector kernel, possibly seen through feature maps: k(φ(x), φ(y)).
///
/// Composition with a map distributes over the algebra, (k₁ + k₂)∘φ = k₁∘φ + k₂∘φ, so that a map is found at the
/// leaves only.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorLeaf {
    /// The kernel.
    pub kernel: VectorKernel,
    /// Maps applied to the points, first to last.
    pub maps: Vec<Map>,
}

/// The kernels on vectors.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum VectorKernel {
    /// xᵀy. Text: `linear`.
    Linear,
    /// (γ xᵀy + c)^d. Text: `poly(degree=3, gamma=1, coef0=0)`.
    Polynomial {
        /// d ≥ 1
        degree: u32,
        /// γ > 0
        gamma: f64,
        /// c; positive semi-definite when c ≥ 0
        coef0: f64,
    },
    /// exp(−γ‖x − y‖²). Text: `rbf(gamma=0.5)`, or `rbf(sigma=1)` for γ = 1/(2σ²).
    Rbf {
        /// γ > 0
        gamma: f64,
    },
    /// tanh(γ xᵀy + c): indefinite in general. Text: `tanh(gamma=1, coef0=0)`.
    Tanh {
        /// γ > 0
        gamma: f64,
        /// c
        coef0: f64,
    },
    /// (‖x − y‖² + ε²)^(−N/2). Text: `plummer(epsilon=1, power=1)`.
    Plummer {
        /// ε > 0
        epsilon: f64,
        /// N > 0
        power: f64,
    },
    /// exp(−γ‖x − y‖₁). Text: `laplace(gamma=1)`.
    Laplace {
        /// γ > 0
        gamma: f64,
    },
    /// Matérn with smoothness ν and length ℓ over r = ‖x − y‖. Text: `matern(nu=1.5, length=1)`.
    Matern {
        /// ν
        nu: Smoothness,
        /// ℓ > 0
        length: f64,
    },
    /// (1 + ‖x − y‖²/(2αℓ²))^(−α). Text: `rational(alpha=1, length=1)`.
    RationalQuadratic {
        /// α > 0
        alpha: f64,
        /// ℓ > 0
        length: f64,
    },
    /// Σₖ min(xₖ, yₖ): histogram intersection, for non-negative features. Text: `intersection`.
    Intersection,
    /// xᵀy / (‖x‖‖y‖), 0 where a vector is zero. Text: `cosine`.
    Cosine,
    /// exp(−D(x, y)²/(2σ²)). Text: `gaussian(metric=l1, sigma=1)`.
    Gaussian {
        /// D
        metric: Metric,
        /// σ > 0
        sigma: f64,
    },
    /// f(x) f(y), the kernel of one feature; times k it makes f(x) k(x, y) f(y). Text: `factor(norm)`,
    /// `factor(coordinate, index=1)`, `factor(bump, gamma=1)`.
    Factor(Factor),
    /// The Gram matrix is the data, as in LIBSVM: column 0 of a point is its serial number (from 1), column j its
    /// kernel value with point number j. k(x, y) = x[serial of y]. Text: `precomputed`.
    Precomputed,
}

/// ν of the Matérn kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Smoothness {
    /// ν = 1/2: exp(−r/ℓ)
    Half,
    /// ν = 3/2: (1 + √3 r/ℓ) exp(−√3 r/ℓ)
    ThreeHalves,
    /// ν = 5/2: (1 + √5 r/ℓ + 5r²/(3ℓ²)) exp(−√5 r/ℓ)
    FiveHalves,
}

/// Distances for [`VectorKernel::Gaussian`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Σ|xₖ − yₖ|. Text: `l1`.
    L1,
    /// √Σ (xₖ − yₖ)²/(xₖ + yₖ), terms with both zero left out; for non-negative features. Text: `chi2`.
    ChiSquare,
    /// Σ |xₖ − yₖ|/(|xₖ| + |yₖ|), terms with both zero left out. Text: `canberra`.
    Canberra,
    /// arccos of the cosine, in [0, π]. Text: `angular`.
    Angular,
    /// The share of features that differ. Text: `hamming`.
    Hamming,
}

/// Functions f for the kernel f(x) f(y).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Factor {
    /// ‖x‖
    Norm,
    /// xₖ, the feature with this index from 1
    Coordinate(usize),
    /// exp(−γ‖x‖²)
    Bump {
        /// γ > 0
        gamma: f64,
    },
}

/// Feature maps φ for k(φ(x), φ(y)). Basis functions act on each feature alone: φⱼ(x) = (φⱼ(x₁), …, φⱼ(x_d)).
/// Text: `linear @ monomials(degree=3)`, `rbf(gamma=1) @ columns(1, 3..5)`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Map {
    /// The features with these indices, from 0 here and from 1 in the text.
    Columns(Vec<usize>),
    /// φⱼ(t) = tʲ, j = 0 … degree.
    Monomials {
        /// highest power
        degree: u32,
    },
    /// φⱼ(t) = exp(−(t − cⱼ)²/(2w²)), `count` centres evenly from `low` to `high`.
    Gaussians {
        /// first centre
        low: f64,
        /// last centre
        high: f64,
        /// how many, ≥ 1
        count: u32,
        /// w > 0
        width: f64,
    },
    /// φⱼ(t) = 1/(1 + exp(−(t − cⱼ)/w)), `count` centres evenly from `low` to `high`.
    Sigmoids {
        /// first centre
        low: f64,
        /// last centre
        high: f64,
        /// how many, ≥ 1
        count: u32,
        /// w > 0
        width: f64,
    },
    /// x ↦ Lᵀx, so that `linear @ matrix(…)` is xᵀAy with A = LLᵀ positive semi-definite: `rows` features in,
    /// `values.len() / rows` out, L row after row. Text: `matrix(rows=2, 1, 0, 0.5, 1)`.
    Matrix {
        /// features in
        rows: usize,
        /// L, row after row
        values: Vec<f64>,
    },
}
