//! A function as a weighted sum of kernels at support points.

use std::ops::Range;

/// Weights of an expansion with several outputs, stored as dense blocks: in one-vs-one a support point of class a
/// enters only the k − 1 outputs that involve a.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficients {
    /// Consecutive ranges of points that together cover all of them.
    pub blocks: Vec<CoefficientBlock>,
    /// Number of outputs.
    pub outputs: usize,
}

/// A range of support points and the outputs they enter.
#[derive(Debug, Clone, PartialEq)]
pub struct CoefficientBlock {
    /// The points.
    pub points: Range<usize>,
    /// The outputs they enter, ascending.
    pub outputs: Vec<usize>,
    /// Weights, point after point, one per output of this block.
    pub values: Vec<f64>,
}

/// f(x) = Σ βᵢ k(xᵢ, x) − b for each output.
#[derive(Debug, Clone, PartialEq)]
pub struct Expansion<X, K> {
    /// k
    pub kernel: K,
    /// The support points.
    pub points: X,
    /// β
    pub coefficients: Coefficients,
    /// b, one per output
    pub offsets: Vec<f64>,
}
