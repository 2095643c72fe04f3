//! The kernel algebra, for every input space.

/// A leaf of an expression: a kernel on some space.
pub trait Leaf: Clone + PartialEq + std::fmt::Debug + Send + Sync {}

/// A kernel expression: kernels of one space joined by the rules that keep them kernels.
///
/// Every node but [`Expr::Normalized`] is a function of the kernel *values* at (x, y); `Normalized` also needs the
/// diagonal values at (x, x) and (y, y).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Expr<L> {
    /// A kernel of the space.
    Leaf(L),
    /// The constant kernel, c.
    Constant(f64),
    /// k₁ + k₂ + …
    Sum(Vec<Expr<L>>),
    /// k₁ · k₂ · …
    Product(Vec<Expr<L>>),
    /// kᵐ
    Power(Box<Expr<L>>, u32),
    /// exp(k)
    Exp(Box<Expr<L>>),
    /// k(x, y)/√(k(x, x) k(y, y)), 0 where a diagonal value is not positive
    Normalized(Box<Expr<L>>),
}
