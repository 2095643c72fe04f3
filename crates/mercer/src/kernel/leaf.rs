//! What the algebra asks of a vector kernel: its name, the ranges of its parameters, its definiteness.

use super::call::Call;
use super::{
    Bound, Definiteness, Expr, Factor, Leaf, MAX_POWER, Map, Metric, Slot, VectorExpr, VectorKernel,
    VectorLeaf, engine, vector_text,
};
use crate::data::Vectors;
use crate::error::{ErrorKind, Result, check};

const POSITIVE: &str = "must be positive and finite";
const FINITE: &str = "must be finite";

/// The most basis functions per feature, so that a short text cannot ask for more memory than there is.
const MAX_BASIS: u32 = 10_000;

fn positive(name: &'static str, value: f64) -> Result<()> {
    check(name, value, value > 0.0 && value.is_finite(), POSITIVE)
}

fn finite(name: &'static str, value: f64) -> Result<()> {
    check(name, value, value.is_finite(), FINITE)
}

impl VectorKernel {
    /// Its name in the text of an expression.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Polynomial { .. } => "poly",
            Self::Rbf { .. } => "rbf",
            Self::Tanh { .. } => "tanh",
            Self::Plummer { .. } => "plummer",
            Self::Laplace { .. } => "laplace",
            Self::Matern { .. } => "matern",
            Self::RationalQuadratic { .. } => "rational",
            Self::Intersection => "intersection",
            Self::Cosine => "cosine",
            Self::Gaussian { .. } => "gaussian",
            Self::Factor(_) => "factor",
            Self::Precomputed => "precomputed",
        }
    }

    fn check(&self) -> Result<()> {
        match *self {
            Self::Polynomial { degree, gamma, coef0 } => {
                check("degree", degree.into(), (1..=MAX_POWER).contains(&degree), "must lie in 1 to 100")?;
                positive("gamma", gamma)?;
                finite("coef0", coef0)
            }
            Self::Rbf { gamma } | Self::Laplace { gamma } => positive("gamma", gamma),
            Self::Tanh { gamma, coef0 } => positive("gamma", gamma).and_then(|()| finite("coef0", coef0)),
            Self::Plummer { epsilon, power } => {
                positive("epsilon", epsilon).and_then(|()| positive("power", power))
            }
            Self::Matern { length, .. } => positive("length", length),
            Self::RationalQuadratic { alpha, length } => {
                positive("alpha", alpha).and_then(|()| positive("length", length))
            }
            Self::Gaussian { sigma, .. } => positive("sigma", sigma),
            Self::Factor(Factor::Coordinate(index)) => {
                check("index", index as f64, index >= 1, "features count from 1")
            }
            Self::Factor(Factor::Bump { gamma }) => positive("gamma", gamma),
            Self::Linear
            | Self::Intersection
            | Self::Cosine
            | Self::Factor(Factor::Norm)
            | Self::Precomputed => Ok(()),
        }
    }

    /// The definiteness of the kernel with allowed parameters on features of any sign; `features` is their number
    /// where it is known.
    ///
    /// exp(−D²/(2σ²)) is positive semi-definite for every σ if and only if D² is conditionally negative definite
    /// (Schoenberg). For χ², (x − y)²/(x + y) = x + y − 4xy/(x + y), and xy/(x + y) is positive semi-definite on
    /// positive numbers. For the other metrics it is D and not D² that is conditionally negative definite; with one
    /// feature the L1 distance is the Euclidean one, and the squared Hamming distance is 1 − [x = y].
    fn definiteness(&self, features: Option<usize>) -> Definiteness {
        match *self {
            Self::Linear
            | Self::Rbf { .. }
            | Self::Plummer { .. }
            | Self::Laplace { .. }
            | Self::Matern { .. }
            | Self::RationalQuadratic { .. }
            | Self::Cosine
            | Self::Factor(_) => Definiteness::Psd,
            Self::Polynomial { coef0, .. } if coef0 >= 0.0 => Definiteness::Psd,
            Self::Intersection | Self::Gaussian { metric: Metric::ChiSquare, .. } => {
                Definiteness::PsdOnNonNegative
            }
            Self::Gaussian { metric: Metric::L1 | Metric::Hamming, .. } if features == Some(1) => {
                Definiteness::Psd
            }
            Self::Polynomial { .. } | Self::Tanh { .. } | Self::Gaussian { .. } | Self::Precomputed => {
                Definiteness::Unknown
            }
        }
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Slot<'_>)) {
        match self {
            Self::Polynomial { gamma, coef0, .. } => {
                visit(Slot::scale("gamma", gamma));
                // Below 0 the kernel need not be one.
                visit(Slot::shift("coef0", coef0, 0.0));
            }
            Self::Tanh { gamma, coef0 } => {
                visit(Slot::scale("gamma", gamma));
                visit(Slot::shift("coef0", coef0, f64::NEG_INFINITY));
            }
            Self::Rbf { gamma } | Self::Laplace { gamma } | Self::Factor(Factor::Bump { gamma }) => {
                visit(Slot::scale("gamma", gamma));
            }
            Self::Plummer { epsilon, power } => {
                visit(Slot::scale("epsilon", epsilon));
                visit(Slot::scale("power", power));
            }
            Self::Matern { length, .. } => visit(Slot::scale("length", length)),
            Self::RationalQuadratic { alpha, length } => {
                visit(Slot::scale("alpha", alpha));
                visit(Slot::scale("length", length));
            }
            Self::Gaussian { sigma, .. } => visit(Slot::scale("sigma", sigma)),
            Self::Linear | Self::Intersection | Self::Cosine | Self::Factor(_) | Self::Precomputed => {}
        }
    }
}

impl Map {
    /// Its name in the text of an expression.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Columns(_) => "columns",
            Self::Monomials { .. } => "monomials",
            Self::Gaussians { .. } => "gaussians",
            Self::Sigmoids { .. } => "sigmoids",
            Self::Matrix { .. } => "matrix",
        }
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first parameter outside its range.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Columns(index) => {
                check("columns", index.len() as f64, !index.is_empty(), "at least one feature is needed")
            }
            Self::Monomials { degree } => {
                check("degree", (*degree).into(), *degree <= MAX_POWER, "must be at most 100")
            }
            Self::Gaussians { low, high, count, width } | Self::Sigmoids { low, high, count, width } => {
                finite("low", *low)?;
                finite("high", *high)?;
                check("high", *high, low <= high, "must not be below low")?;
                check("count", (*count).into(), (1..=MAX_BASIS).contains(count), "must lie in 1 to 10000")?;
                positive("width", *width)
            }
            Self::Matrix { rows, values } => {
                let whole = *rows >= 1 && !values.is_empty() && values.len().is_multiple_of(*rows);
                check("rows", *rows as f64, whole, "must divide the number of values of the matrix")?;
                values.iter().try_for_each(|&value| finite("matrix", value))
            }
        }
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
            Map::Matrix { .. } => Self::Unknown,
        }
    }
}

impl Leaf for VectorLeaf {
    type Points = Vectors;

    const KERNELS: &'static [&'static str] = vector_text::KERNELS;
    const MAPS: &'static [&'static str] = vector_text::MAPS;

    fn parse(call: &Call<'_>) -> Option<Result<Self>> {
        let kernel = vector_text::kernel(call).transpose()?;
        let leaf = kernel.map(|kernel| Self { kernel, maps: Vec::new() });
        Some(leaf.and_then(|leaf| leaf.check().map(|()| leaf).map_err(|error| call.locate(error))))
    }

    fn parse_map(kernel: VectorExpr, call: &Call<'_>) -> Option<Result<VectorExpr>> {
        let map = vector_text::map(call).transpose()?;
        Some(map.and_then(|map| map.check().map(|()| kernel.on(map)).map_err(|error| call.locate(error))))
    }

    fn check(&self) -> Result<()> {
        self.kernel.check()?;
        if self.kernel == VectorKernel::Precomputed && !self.maps.is_empty() {
            let what =
                "a feature map of a precomputed kernel: its columns are kernel values, not features".into();
            return Err(ErrorKind::Unsupported { what }.into());
        }
        self.maps.iter().try_for_each(Map::check)
    }

    fn definiteness(&self) -> Definiteness {
        if self.check().is_err() {
            return Definiteness::Unknown;
        }
        let features = match self.maps.last() {
            Some(Map::Columns(index)) => Some(index.len()),
            Some(Map::Matrix { rows, values }) => Some(values.len() / rows),
            _ => None,
        };
        match (self.kernel.definiteness(features), self.maps.iter().fold(Sign::OfInput, Sign::after)) {
            (Definiteness::PsdOnNonNegative, Sign::NotNegative) => Definiteness::Psd,
            (Definiteness::PsdOnNonNegative, Sign::Unknown) => Definiteness::Unknown,
            (definiteness, _) => definiteness,
        }
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Slot<'_>)) {
        let name = self.kernel.name();
        self.kernel.visit_parameters(&mut |slot| visit(slot.under(name)));
        for (i, map) in self.maps.iter_mut().enumerate() {
            let path = format!("{name}.{i}.{}", map.name());
            if let Map::Gaussians { width, .. } | Map::Sigmoids { width, .. } = map {
                visit(Slot::scale("width", width).under(&path));
            }
        }
    }

    fn is_compound(&self) -> bool {
        !self.maps.is_empty()
    }

    fn bind(&self, columns: &Vectors) -> Result<Box<dyn Bound<Vectors>>> {
        engine::bind(&Expr::Leaf(self.clone()), columns)
    }

    fn diagonal(&self, points: &Vectors, rows: &[usize]) -> Vec<f64> {
        engine::diagonal(&Expr::Leaf(self.clone()), points, rows)
    }

    fn bind_expr(expr: &VectorExpr, columns: &Vectors) -> Result<Box<dyn Bound<Vectors>>> {
        engine::bind(expr, columns)
    }

    fn diagonal_expr(expr: &VectorExpr, points: &Vectors) -> Result<Vec<f64>> {
        engine::own_values(expr, points)
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
