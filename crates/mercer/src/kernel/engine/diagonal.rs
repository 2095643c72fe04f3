//! What concerns one point alone: k(x, x), and the factor of a factor kernel.

use super::element::Element;
use super::view::{mapped, square};
use crate::data::{Points, Vectors};
use crate::kernel::{Expr, Factor, VectorExpr, VectorKernel, VectorLeaf};

/// k(x, x) for point `i`.
pub(super) fn own(expr: &VectorExpr, points: &Vectors, i: usize) -> f64 {
    match expr {
        Expr::Constant(c) => *c,
        Expr::Leaf(leaf) if leaf.maps.is_empty() => own_leaf(leaf, points, i),
        Expr::Leaf(leaf) => leaf.value_in(points.width(), points.row(i), points.row(i)),
        Expr::Sum(parts) => parts.iter().map(|part| own(part, points, i)).sum(),
        Expr::Product(parts) => parts.iter().map(|part| own(part, points, i)).product(),
        Expr::Power(inner, power) => own(inner, points, i).powi(*power as i32),
        Expr::Exp(inner) => own(inner, points, i).exp(),
        Expr::Normalized(inner) => f64::from(u8::from(own(inner, points, i) > 0.0)),
    }
}

/// k(x, x) of a leaf without maps, from the entries of the row alone.
fn own_leaf(leaf: &VectorLeaf, points: &Vectors, i: usize) -> f64 {
    let square = || square(points, i, None);
    match leaf.kernel {
        VectorKernel::Rbf { .. }
        | VectorKernel::Laplace { .. }
        | VectorKernel::Matern { .. }
        | VectorKernel::RationalQuadratic { .. }
        | VectorKernel::Gaussian { .. } => 1.0,
        VectorKernel::Linear => square(),
        VectorKernel::Polynomial { degree, gamma, coef0 } => (gamma * square() + coef0).powi(degree as i32),
        VectorKernel::Tanh { gamma, coef0 } => (gamma * square() + coef0).tanh(),
        VectorKernel::Plummer { epsilon, power } => (epsilon * epsilon).powf(-power / 2.0),
        VectorKernel::Cosine => f64::from(u8::from(square() > 0.0)),
        VectorKernel::Intersection => {
            let mut sum = 0.0;
            points.row(i).for_each(|_, v| sum += v);
            sum
        }
        VectorKernel::Factor(_) => factor(leaf, points, i).powi(2),
        VectorKernel::Precomputed => points.row(i).get(points.row(i).get(0) as usize),
    }
}

/// 1/√k(x, x) for point `i`, 0 where the value is not positive.
pub(super) fn inverse_root<T: Element>(part: &VectorExpr, points: &Vectors, i: usize) -> T {
    let value = own(part, points, i);
    T::from_f64(if value > 0.0 { 1.0 / value.sqrt() } else { 0.0 })
}

/// f(x) of a factor kernel at point `i`.
pub(super) fn factor(leaf: &VectorLeaf, points: &Vectors, i: usize) -> f64 {
    let point = points.select(&[i]);
    let image = mapped(&point, &leaf.maps).expect("points as wide as the columns can be mapped as they were");
    match leaf.kernel {
        VectorKernel::Factor(Factor::Norm) => square(&image, 0, None).sqrt(),
        VectorKernel::Factor(Factor::Coordinate(k)) => k.checked_sub(1).map_or(0.0, |k| image.row(0).get(k)),
        VectorKernel::Factor(Factor::Bump { gamma }) => (-gamma * square(&image, 0, None)).exp(),
        _ => unreachable!("only factor kernels have a factor"),
    }
}
