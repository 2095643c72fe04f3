//! What concerns one point alone: k(x, x), and the factor of a factor kernel.

use super::element::Element;
use super::view::{mapped, square};
use crate::data::{Points, Vectors};
use crate::kernel::vector::profile::{Diagonal, Feature, Profile, Statistic, Termwise};
use crate::kernel::vector::record::Record;
use crate::kernel::{Expr, Map, VectorExpr, VectorLeaf};

/// The diagonal k(x, x) of an expression, made ready for many points.
pub(super) struct Own(Expr<OwnLeaf>);

/// k(x, x) of a leaf.
enum OwnLeaf {
    Value(f64),
    /// A function of ‖x‖².
    Square(fn(f64) -> f64),
    /// The profile of ‖x‖² as an inner product.
    Product(Profile),
    /// The profile of the sum of the features.
    Sum(Profile),
    /// f(x)²
    Factor(Feature),
    /// The entry at the serial number of the point.
    Lookup,
    /// By the definition, of the image under feature maps.
    Mapped(Vec<Map>, VectorLeaf),
    /// By the definition, of images that are made already, one for each point.
    Image(Vectors, VectorLeaf),
}

impl Own {
    pub(super) fn new(expr: &VectorExpr) -> Self {
        Self(expr.clone().map_leaves(&mut OwnLeaf::new))
    }

    /// The diagonal of these points alone, whose images under maps are made together.
    pub(super) fn of_points(expr: &VectorExpr, points: &Vectors) -> Self {
        Self(expr.clone().map_leaves(&mut |leaf| match OwnLeaf::new(leaf) {
            OwnLeaf::Mapped(maps, leaf) => OwnLeaf::Image(images(&maps, points), leaf),
            other => other,
        }))
    }

    /// k(x, x) of point `i`.
    pub(super) fn at(&self, points: &Vectors, i: usize) -> f64 {
        own(&self.0, points, i)
    }

    /// 1/√k(x, x) of point `i`, 0 where the value is not positive.
    pub(super) fn inverse_root<T: Element>(&self, points: &Vectors, i: usize) -> T {
        let value = self.at(points, i);
        T::from_f64(if value > 0.0 { 1.0 / value.sqrt() } else { 0.0 })
    }
}

fn own(expr: &Expr<OwnLeaf>, points: &Vectors, i: usize) -> f64 {
    match expr {
        Expr::Constant(c) => *c,
        Expr::Leaf(leaf) => leaf.at(points, i),
        Expr::Sum(parts) => parts.iter().map(|part| own(part, points, i)).sum(),
        Expr::Product(parts) => parts.iter().map(|part| own(part, points, i)).product(),
        Expr::Power(inner, power) => own(inner, points, i).powi(*power as i32),
        Expr::Exp(inner) => own(inner, points, i).exp(),
        Expr::Normalized(inner) => f64::from(u8::from(own(inner, points, i) > 0.0)),
        Expr::Centered(..) => unreachable!("expressions with centred parts are evaluated leaf by leaf"),
    }
}

impl OwnLeaf {
    fn new(mut leaf: VectorLeaf) -> Self {
        if !leaf.maps.is_empty() {
            return Self::Mapped(std::mem::take(&mut leaf.maps), leaf);
        }
        let Record { statistic, profile, diagonal, .. } = leaf.kernel.record();
        match (diagonal, statistic) {
            (Diagonal::Value(value), _) => Self::Value(value),
            (Diagonal::OfSquare(f), _) => Self::Square(f),
            (_, Statistic::Dot { .. }) => match profile {
                Profile::OfSquare(_) | Profile::Gaussian { .. } => Self::Value(profile.own(0.0, 0.0)),
                _ => Self::Product(profile),
            },
            (_, Statistic::Termwise(Termwise::Minimum)) => Self::Sum(profile),
            (_, Statistic::Termwise(_)) => Self::Value(profile.own(0.0, 0.0)),
            (_, Statistic::Factor(feature)) => Self::Factor(feature),
            (_, Statistic::Lookup) => Self::Lookup,
        }
    }

    fn at(&self, points: &Vectors, i: usize) -> f64 {
        match self {
            Self::Value(value) => *value,
            Self::Square(f) => f(square(points, i, None)),
            Self::Product(profile) => {
                let square = square(points, i, None);
                profile.own(square, square)
            }
            Self::Sum(profile) => {
                let mut sum = 0.0;
                points.row(i).for_each(|_, v| sum += v);
                profile.own(sum, 0.0)
            }
            Self::Factor(feature) => factor(*feature, &[], points, i).powi(2),
            Self::Lookup => points.row(i).get(points.row(i).get(0) as usize),
            Self::Mapped(maps, leaf) => {
                let image = image(maps, points, i);
                leaf.value_in(image.width(), image.row(0), image.row(0))
            }
            Self::Image(images, leaf) => leaf.value_in(images.width(), images.row(i), images.row(i)),
        }
    }
}

/// Point `i` as it is seen through `maps`.
fn image(maps: &[Map], points: &Vectors, i: usize) -> Vectors {
    images(maps, &points.select(&[i]))
}

/// Points as they are seen through `maps`.
fn images(maps: &[Map], points: &Vectors) -> Vectors {
    mapped(points, maps).expect("points as wide as the columns can be mapped as they were").into_owned()
}

/// f(x) of a factor kernel at point `i`, seen through `maps`.
pub(super) fn factor(feature: Feature, maps: &[Map], points: &Vectors, i: usize) -> f64 {
    let image = image(maps, points, i);
    match feature {
        Feature::Norm => square(&image, 0, None).sqrt(),
        Feature::Coordinate(k) => k.checked_sub(1).map_or(0.0, |k| image.row(0).get(k)),
        Feature::Bump { gamma } => (-gamma * square(&image, 0, None)).exp(),
    }
}
