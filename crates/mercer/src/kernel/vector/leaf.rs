//! Vector kernels seen through feature maps, as leaves of an expression.

use std::borrow::Cow;

use super::low_rank::OVER;
use super::map::room_for_images;
use super::{Coordinates, Map, VectorExpr, VectorKernel, VectorLeaf, text};
use crate::data::Vectors;
use crate::error::{ErrorKind, Result, check};
use crate::kernel::{Bound, Call, Definiteness, Expr, Leaf, Listed, Slot, engine, facts, tree};

impl VectorKernel {
    /// Its name in the text of an expression.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.clone().record().name
    }
}

/// What is known of the sign of the features after some maps.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    /// Not negative where the features of the points are not negative.
    OfInput,
    NotNegative,
    Unknown,
}

impl Sign {
    fn after(self, map: &Map) -> Self {
        match map {
            Map::Columns(_) | Map::Monomials { .. } => self,
            Map::Gaussians { .. } | Map::Sigmoids { .. } => Self::NotNegative,
            Map::Matrix { values, .. } if values.iter().all(|&v| v >= 0.0) => self,
            Map::Matrix { .. } | Map::Nystrom(_) | Map::Fourier(_) => Self::Unknown,
        }
    }
}

impl Leaf for VectorLeaf {
    type Points = Vectors;

    const MAPS: &'static [&'static str] = text::MAPS;

    const MAPS_OVER: &'static [&'static str] = OVER;

    fn list() -> Vec<Listed> {
        facts::list::<VectorKernel>()
    }

    fn parse(call: &Call<'_>) -> Option<Result<Self>> {
        facts::parse(call).map(|kernel| kernel.map(|kernel| Self { kernel, maps: Vec::new() }))
    }

    fn parse_map(kernel: VectorExpr, call: &Call<'_>) -> Option<Result<VectorExpr>> {
        let map = text::map(call).transpose()?;
        Some(map.and_then(|map| map.check().map(|()| kernel.on(map)).map_err(|error| call.locate(error))))
    }

    fn by_feature(&self, widths: &[(usize, f64)]) -> Option<VectorExpr> {
        let of = |&(j, gamma): &(usize, f64)| {
            let kernel = VectorKernel::Rbf { gamma };
            Expr::Leaf(Self { kernel, maps: Vec::new() }).on(Map::Columns(vec![j]))
        };
        let gaussian = matches!(self.kernel, VectorKernel::Rbf { .. }) && self.maps.is_empty();
        gaussian.then(|| widths.iter().map(of).reduce(|all, next| all * next)).flatten()
    }

    fn check(&self) -> Result<()> {
        facts::check(&self.kernel)?;
        if self.kernel == VectorKernel::Precomputed && !self.maps.is_empty() {
            let what =
                "a feature map of a precomputed kernel: its columns are kernel values, not features".into();
            return Err(ErrorKind::Unsupported { what }.into());
        }
        self.maps.iter().try_for_each(Map::check)
    }

    fn is_linear(&self) -> bool {
        self.kernel == VectorKernel::Linear && self.maps.is_empty()
    }

    fn coordinates(&self) -> Option<Coordinates> {
        let maps = || self.maps.clone();
        (self.kernel == VectorKernel::Linear).then(|| Coordinates { factor: 1.0, maps: maps() })
    }

    fn is_open(&self) -> bool {
        self.maps.iter().any(|map| matches!(map, Map::Nystrom(map) if map.is_open()))
    }

    fn settled(self, points: &Vectors) -> Result<Self> {
        let mut seen = Cow::Borrowed(points);
        let last = self.maps.iter().rposition(|map| matches!(map, Map::Nystrom(map) if map.is_open()));
        let mut maps = Vec::with_capacity(self.maps.len());
        for (at, map) in self.maps.into_iter().enumerate() {
            let map = match map {
                Map::Nystrom(map) if map.is_open() => map.fitted(&seen)?.into(),
                other => other,
            };
            if last.is_some_and(|last| at < last) {
                seen = Cow::Owned(map.apply_all(&seen)?);
            }
            maps.push(map);
        }
        Ok(Self { maps, ..self })
    }

    fn landmarks(&self) -> Vec<Vectors> {
        let of = |map: &Map| if let Map::Nystrom(map) = map { map.points().cloned() } else { None };
        self.maps.iter().filter_map(of).collect()
    }

    fn with_landmarks(mut self, landmarks: &mut dyn Iterator<Item = Vectors>) -> Result<Self> {
        for map in &mut self.maps {
            if let Map::Nystrom(nystrom) = map {
                let rule = "must be one for each map that has some";
                let Some(own) = landmarks.next() else {
                    check("lists of landmarks", 0.0, false, rule)?;
                    break;
                };
                *map = nystrom.clone().with_points(own)?.into();
            }
        }
        Ok(self)
    }

    fn is_tabled(&self) -> bool {
        self.kernel == VectorKernel::Precomputed
    }

    fn definiteness(&self) -> Definiteness {
        if self.check().is_err() {
            return Definiteness::Unknown;
        }
        let features = match self.maps.last() {
            Some(Map::Columns(index)) => Some(index.len()),
            Some(Map::Matrix { rows, values }) => Some(values.len() / rows),
            Some(Map::Fourier(map)) => Some(map.width()),
            _ => None,
        };
        let definiteness = self.kernel.clone().record().definite.on(features);
        match (definiteness, self.maps.iter().fold(Sign::OfInput, Sign::after)) {
            (Definiteness::PsdOnNonNegative, Sign::NotNegative) => Definiteness::Psd,
            (Definiteness::PsdOnNonNegative, Sign::Unknown) => Definiteness::Unknown,
            (definiteness, _) => definiteness,
        }
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Slot<'_>)) {
        let name = self.kernel.name();
        facts::visit(&mut self.kernel, visit);
        for (i, map) in self.maps.iter_mut().enumerate() {
            let path = format!("{name}.{i}.{}", map.name());
            match map {
                Map::Gaussians { width, .. } | Map::Sigmoids { width, .. } => {
                    visit(Slot::scale("width", width).under(&path));
                }
                Map::Nystrom(map) => map.kernel_mut().visit(&mut |slot| visit(slot.under(&path))),
                Map::Fourier(map) => map.kernel.visit(&mut |slot| visit(slot.under(&path))),
                Map::Columns(_) | Map::Monomials { .. } | Map::Matrix { .. } => {}
            }
        }
    }

    fn is_compound(&self) -> bool {
        !self.maps.is_empty()
    }

    fn bind(&self, columns: &Vectors) -> Result<Box<dyn Bound<Vectors>>> {
        Self::bind_expr(&Expr::Leaf(self.clone()), columns)
    }

    fn diagonal(&self, points: &Vectors, rows: &[usize]) -> Vec<f64> {
        engine::diagonal(&Expr::Leaf(self.clone()), points, rows)
    }

    fn bind_expr(expr: &VectorExpr, columns: &Vectors) -> Result<Box<dyn Bound<Vectors>>> {
        // Packed once, in the precision that is wide enough.
        let fits = |leaf: &&Self| room_for_images(&leaf.maps, columns, 1);
        expr.leaves().iter().try_for_each(fits)?;
        if expr.is_centered() { tree::bind(expr, columns) } else { engine::bind(expr, columns) }
    }

    fn diagonal_expr(expr: &VectorExpr, points: &Vectors) -> Result<Vec<f64>> {
        let fits = |leaf: &&Self| room_for_images(&leaf.maps, points, 0);
        expr.leaves().iter().try_for_each(fits)?;
        match expr.is_centered() {
            true => Ok(tree::bind(expr, points)?.diagonal()),
            false => engine::own_values(expr, points),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::error::ErrorKind;
    use crate::kernel::*;

    #[test]
    fn every_parameter_out_of_range_is_refused_by_name() {
        let refused = [
            (rbf(0.0), "gamma"),
            (rbf_sigma(-1.0), "gamma"),
            (rbf(f64::NAN), "gamma"),
            (polynomial(0, 1.0, 0.0), "degree"),
            (polynomial(101, 1.0, 0.0), "degree"),
            (polynomial(2, -1.0, 0.0), "gamma"),
            (polynomial(2, 1.0, f64::INFINITY), "coef0"),
            (tanh(0.0, 0.0), "gamma"),
            (tanh(1.0, f64::NAN), "coef0"),
            (plummer(0.0, 1.0), "epsilon"),
            (plummer(1.0, -1.0), "power"),
            (laplace(f64::INFINITY), "gamma"),
            (matern(Smoothness::Half, 0.0), "length"),
            (rational_quadratic(0.0, 1.0), "alpha"),
            (rational_quadratic(1.0, 0.0), "length"),
            (gaussian(Metric::L1, 0.0), "sigma"),
            (factor(Factor::Coordinate(0)), "index"),
            (factor(Factor::Bump { gamma: -1.0 }), "gamma"),
            (linear().on(Map::Columns(vec![])), "columns"),
            (linear().on(Map::Monomials { degree: 101 }), "degree"),
            (linear().on(Map::Gaussians { low: 1.0, high: 0.0, count: 2, width: 1.0 }), "high"),
            (linear().on(Map::Sigmoids { low: 0.0, high: 1.0, count: 0, width: 1.0 }), "count"),
            (linear().on(Map::Sigmoids { low: 0.0, high: 1.0, count: 2, width: 0.0 }), "width"),
            (linear().on(Map::Matrix { rows: 2, values: vec![1.0] }), "rows"),
            (linear().on(Map::Matrix { rows: 1, values: vec![f64::NAN] }), "matrix"),
        ];
        for (kernel, expected) in refused {
            let error = kernel.check().unwrap_err();
            let ErrorKind::Parameter { name, .. } = error.kind() else { panic!("{error}") };
            assert_eq!(*name, expected, "{kernel}");
            assert_eq!(kernel.definiteness(), Definiteness::Unknown, "{kernel}");
        }
        assert!(precomputed().on(Map::Columns(vec![0])).check().is_err());
    }

    #[test]
    fn definiteness_is_that_of_the_least_definite_part() {
        use Definiteness::*;
        let basis = Map::Gaussians { low: 0.0, high: 1.0, count: 3, width: 1.0 };
        let chi = || gaussian(Metric::ChiSquare, 1.0);
        let known = [
            (linear(), Psd),
            (rbf(1.0) * laplace(1.0) + 2.0 * cosine(), Psd),
            (polynomial(2, 1.0, 0.0), Psd),
            (polynomial(2, 1.0, -0.1), Unknown),
            (tanh(1.0, 0.0), Unknown),
            (precomputed(), Unknown),
            (intersection(), PsdOnNonNegative),
            (linear() + chi(), PsdOnNonNegative),
            ((chi() * tanh(1.0, 0.0)).exp(), Unknown),
            (chi().normalized().power(2), PsdOnNonNegative),
            (-1.0 * linear(), Unknown),
            (chi().on(basis.clone()), Psd),
            (intersection().on(Map::Monomials { degree: 2 }), PsdOnNonNegative),
            (intersection().on(Map::Columns(vec![0])).on(basis.clone()), Psd),
            (intersection().on(Map::Matrix { rows: 1, values: vec![-1.0] }).on(basis), Unknown),
            (intersection().on(Map::Matrix { rows: 1, values: vec![1.0] }), PsdOnNonNegative),
            (gaussian(Metric::L1, 1.0), Unknown),
            (gaussian(Metric::L1, 1.0).on(Map::Columns(vec![2])), Psd),
            (gaussian(Metric::Hamming, 1.0).on(Map::Columns(vec![2, 3])), Unknown),
            (gaussian(Metric::Canberra, 1.0), Unknown),
            (gaussian(Metric::Angular, 1.0), Unknown),
        ];
        for (kernel, expected) in known {
            assert_eq!(kernel.definiteness(), expected, "{kernel}");
        }
    }
}
