//! The types of vector kernels and feature maps.

use super::{Fourier, Nystrom};
use crate::kernel::Expr;

/// A kernel expression on vectors.
///
/// Its text, which prints and parses, follows
/// ```text
/// sum     = product { "+" product }
/// product = operand { "*" operand }
/// operand = atom { "@" map | "^" whole number }
/// atom    = number | "(" sum ")" | "exp" "(" sum ")" | "normalized" "(" sum ")" | kernel
/// kernel  = name [ "(" [ argument { "," argument } ] ")" ]
/// ```
/// and a map looks like a kernel. `@` and `^` bind tighter than `*`. The kernels are listed at [`VectorKernel`], the
/// maps at [`Map`].
///
/// ```
/// use mercer::kernel::{Map, VectorExpr, linear, rbf};
///
/// let kernel: VectorExpr = "rbf(gamma=0.5) @ columns(1, 3..5) + 2*linear".parse()?;
/// assert_eq!(kernel, rbf(0.5).on(Map::Columns(vec![0, 2, 3, 4])) + 2.0 * linear());
/// # Ok::<(), mercer::Error>(())
/// ```
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
///
/// The text given with each shows its parameters with their defaults. All go by name; where there is only one (or, for
/// `gaussian` and `factor`, for the first) the name may be left out: `rbf(0.5)`. `polynomial` is another name of
/// `poly`, `sigmoid` of `tanh`.
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
    /// exp(−γ‖x − y‖²). Text: `rbf(gamma=1)`, or with σ, `rbf(sigma=…)`, for γ = 1/(2σ²).
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
    /// exp(−D(x, y)²/(2σ²)). Text: `gaussian(metric=l1, sigma=1)`; the metric has no default.
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
    /// arccos of the cosine, in [0, π]; the zero vector is at π/2 from every other and at 0 from itself. Text: `angular`.
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

/// Feature maps φ for k(φ(x), φ(y)). Basis functions act on each feature alone: φⱼ(x) = (φⱼ(x₁), …, φⱼ(x_d)). The
/// images of one feature lie side by side: φ₀(x₁), φ₁(x₁), …, φ₀(x₂), …
///
/// The text of k∘φ is `k @ φ`, and `k @ f @ g` is k(f(g(x)), f(g(y))); the text given with each map shows its
/// parameters with their defaults.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Map {
    /// The features with these indices, from 0 here and from 1 in the text, where `3..5` means 3, 4 and 5. Text:
    /// `columns(1, 3..5)`.
    Columns(Vec<usize>),
    /// φⱼ(t) = tʲ, j = 0 … degree. Text: `monomials(degree=2)`.
    Monomials {
        /// highest power
        degree: u32,
    },
    /// φⱼ(t) = exp(−(t − cⱼ)²/(2w²)), `count` centres evenly from `low` to `high`. Text:
    /// `gaussians(low=-1, high=1, count=11, width=0.2)`.
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
    /// φⱼ(t) = 1/(1 + exp(−(t − cⱼ)/w)), `count` centres evenly from `low` to `high`. Text:
    /// `sigmoids(low=-1, high=1, count=11, width=0.2)`.
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
    /// The projection onto the span of landmarks, in the feature space of another kernel. Text:
    /// `nystrom(rbf(gamma=1), landmarks=100, choose=uniform, seed=0)`.
    Nystrom(Nystrom),
    /// Random Fourier features of another kernel. Text: `fourier(rbf(gamma=1), frequencies=100, seed=0)`.
    Fourier(Fourier),
}

impl From<Nystrom> for Map {
    fn from(map: Nystrom) -> Self {
        Self::Nystrom(map)
    }
}

impl From<Fourier> for Map {
    fn from(map: Fourier) -> Self {
        Self::Fourier(map)
    }
}
