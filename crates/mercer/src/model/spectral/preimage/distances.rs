//! Kwok and Tsang's distance constraints.
//!
//! The projection P has the squared distance ‖P‖² + kᵢᵢ − 2⟨P, φ(xᵢ)⟩ from each φ(xᵢ). If P were the image of z, the kernel
//! would say how far z is from xᵢ. The nearest xᵢ span a small space, and the place in it with these distances is
//! z = x̄ + ½ X_c (X_cᵀX_c)⁺ (d₀² − d²), where X_c are the neighbours about their mean x̄, d₀² their squared lengths there and d²
//! the distances wanted (Gower 1968).

use rayon::prelude::*;

use super::{inputs, leaf, unsupported};
use crate::data::{Dense, Points, Vectors};
use crate::error::Result;
use crate::kernel::{Kernel, Smoothness, VectorExpr, VectorKernel};
use crate::linalg::Eigen;
use crate::model::PcaModel;

/// Directions of the neighbours whose square is below this share of the largest are not there.
const RANK: f64 = 1e-12;

/// How a value of the kernel is turned round.
pub(super) enum Inverse {
    /// The squared distance from the value.
    Distance(Box<dyn Fn(f64) -> f64 + Send + Sync>),
    /// The inner product from the value.
    Product(Box<dyn Fn(f64) -> f64 + Send + Sync>),
}

impl Inverse {
    pub(super) fn of(kernel: &VectorExpr) -> Result<Self> {
        let distance = |inverse: Box<dyn Fn(f64) -> f64 + Send + Sync>| Ok(Self::Distance(inverse));
        match leaf(kernel) {
            Some(&VectorKernel::Rbf { gamma }) => distance(Box::new(move |k| -k.ln() / gamma)),
            Some(&VectorKernel::RationalQuadratic { alpha, length }) => {
                distance(Box::new(move |k| 2.0 * alpha * length * length * (k.powf(-1.0 / alpha) - 1.0)))
            }
            Some(&VectorKernel::Plummer { epsilon, power }) => {
                distance(Box::new(move |k| k.powf(-2.0 / power) - epsilon * epsilon))
            }
            Some(&VectorKernel::Matern { nu, length }) => {
                distance(Box::new(move |k| (length * matern(nu, k)).powi(2)))
            }
            Some(&VectorKernel::Linear) => Ok(Self::Product(Box::new(|k| k))),
            Some(&VectorKernel::Polynomial { degree, gamma, coef0 }) if degree % 2 == 1 => {
                let root = move |k: f64| k.signum() * k.abs().powf(1.0 / f64::from(degree));
                Ok(Self::Product(Box::new(move |k| (root(k) - coef0) / gamma)))
            }
            _ => unsupported(
                "pre-images by distances with a kernel whose value tells neither distance nor inner product; use the ridge regression",
            ),
        }
    }
}

/// The r ≥ 0 at which a Matérn kernel of length 1 has the value k in (0, 1], by halving.
fn matern(nu: Smoothness, k: f64) -> f64 {
    let profile = |r: f64| match nu {
        Smoothness::Half => (-r).exp(),
        Smoothness::ThreeHalves => (1.0 + 3_f64.sqrt() * r) * (-(3_f64.sqrt()) * r).exp(),
        Smoothness::FiveHalves => (1.0 + 5_f64.sqrt() * r + 5.0 / 3.0 * r * r) * (-(5_f64.sqrt()) * r).exp(),
    };
    let (mut low, mut high) = (0.0, 1.0);
    while profile(high) > k && high < 1e4 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if profile(middle) > k { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The pre-images of all scores, row after row.
pub(super) fn find(
    model: &PcaModel<Vectors, VectorExpr>,
    scores: &Dense<f64>,
    neighbours: usize,
) -> Result<Vec<f64>> {
    let points = model.expansion.points();
    let inverse = Inverse::of(model.expansion.kernel())?;
    let diagonal = model.expansion.kernel().diagonal(points)?;
    let (own, inputs, d) = (model.scores(), inputs(points), points.width());
    let one = |i: usize| {
        let scores = scores.row(i);
        let inner = model.inner_products(scores, &own);
        let squares = squares(&inverse, &inner, model.square_norm(scores), &diagonal);
        let mut order: Vec<usize> = (0..squares.len()).collect();
        order.sort_by(|&a, &b| squares[a].total_cmp(&squares[b]));
        order.truncate(neighbours);
        let nearest: Vec<Vec<f64>> = order.iter().map(|&i| inputs.row(i, d)).collect();
        let wanted: Vec<f64> = order.iter().map(|&i| squares[i]).collect();
        place(&nearest, &wanted)
    };
    Ok((0..scores.len()).into_par_iter().map(one).collect::<Vec<_>>().concat())
}

/// The squared distances of input space from each training point.
fn squares(inverse: &Inverse, inner: &[f64], square_norm: f64, diagonal: &[f64]) -> Vec<f64> {
    match inverse {
        Inverse::Distance(inverse) => {
            // k(z, z) = k(x, x) for these kernels: k(z, xᵢ) = kᵢᵢ − ½ ‖P − φ(xᵢ)‖², and no value is negative.
            let value = |(p, k): (&f64, &f64)| k - 0.5 * (square_norm + k - 2.0 * p);
            let value = |pair: (&f64, &f64)| value(pair).clamp(1e-12 * pair.1, *pair.1);
            inner.iter().zip(diagonal).map(|pair| inverse(value(pair)).max(0.0)).collect()
        }
        Inverse::Product(inverse) => {
            let own = inverse(square_norm);
            let pairs = inner.iter().zip(diagonal);
            pairs.map(|(p, k)| (own + inverse(*k) - 2.0 * inverse(*p)).max(0.0)).collect()
        }
    }
}

/// The place with these squared distances from its neighbours, in their span.
fn place(neighbours: &[Vec<f64>], squares: &[f64]) -> Vec<f64> {
    let (count, d) = (neighbours.len(), neighbours[0].len());
    let mut mean = vec![0.0; d];
    for x in neighbours {
        mean.iter_mut().zip(x).for_each(|(mean, x)| *mean += x / count as f64);
    }
    let centred: Vec<Vec<f64>> =
        neighbours.iter().map(|x| x.iter().zip(&mean).map(|(x, mean)| x - mean).collect()).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let differences: Vec<f64> = centred.iter().zip(squares).map(|(x, square)| dot(x, x) - square).collect();
    let Some(eigen) = Eigen::new(count, |i, j| dot(&centred[i], &centred[j])) else { return mean };
    let least = RANK * eigen.values[count - 1];
    let mut shares = vec![0.0; count];
    for (c, &value) in eigen.values.iter().enumerate().filter(|(_, value)| **value > least) {
        let vector = eigen.vector(c);
        let along = 0.5 * dot(&vector, &differences) / value;
        shares.iter_mut().zip(&vector).for_each(|(share, v)| *share += along * v);
    }
    for (x, share) in centred.iter().zip(shares) {
        mean.iter_mut().zip(x).for_each(|(z, x)| *z += share * x);
    }
    mean
}
