//! The text of vector kernels and feature maps.

use std::fmt;
use std::str::FromStr;

use super::call::{Argument, Call};
use super::text::{Number, Parser, unknown};
use super::{Factor, Map, Metric, Smoothness, VectorKernel, VectorLeaf};
use crate::error::{Error, Result};

/// The largest feature index a data file can have.
const MAX_INDEX: usize = i32::MAX as usize;

/// The most columns one map may name, so that a short range cannot ask for more memory than there is.
const MAX_COLUMNS: usize = 1 << 20;

const METRICS: &[(&str, Metric)] = &[
    ("l1", Metric::L1),
    ("chi2", Metric::ChiSquare),
    ("canberra", Metric::Canberra),
    ("angular", Metric::Angular),
    ("hamming", Metric::Hamming),
];

const SMOOTHNESS: &[(f64, Smoothness)] =
    &[(0.5, Smoothness::Half), (1.5, Smoothness::ThreeHalves), (2.5, Smoothness::FiveHalves)];

impl FromStr for Map {
    type Err = Error;

    /// Parses a map alone, as it stands behind the `@` of an expression; an error has the column.
    ///
    /// ```
    /// use mercer::kernel::Map;
    ///
    /// assert_eq!("columns(1, 3)".parse::<Map>()?, Map::Columns(vec![0, 2]));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    fn from_str(text: &str) -> Result<Self> {
        let mut parser = Parser { text, at: 0 };
        parser.peek();
        let call = Call::parse(&mut parser)?;
        let unknown = || call.fail(call.at, unknown("feature map", call.name, MAPS));
        let map = map(&call)?.ok_or_else(unknown)?;
        if parser.peek().is_some() {
            return Err(parser.fail("expected the end"));
        }
        map.check().map(|()| map).map_err(|error| call.locate(error))
    }
}

impl fmt::Display for VectorLeaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kernel.fmt(f)?;
        self.maps.iter().rev().try_for_each(|map| write!(f, " @ {map}"))
    }
}

impl fmt::Display for VectorKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        let one =
            |f: &mut fmt::Formatter<'_>, key: &str, value: f64| write!(f, "{name}({key}={})", Number(value));
        let two = |f: &mut fmt::Formatter<'_>, (a, x): (&str, f64), (b, y): (&str, f64)| {
            write!(f, "{name}({a}={}, {b}={})", Number(x), Number(y))
        };
        match *self {
            Self::Linear | Self::Intersection | Self::Cosine | Self::Precomputed => f.write_str(name),
            Self::Polynomial { degree, gamma, coef0 } => {
                write!(f, "{name}(degree={degree}, gamma={}, coef0={})", Number(gamma), Number(coef0))
            }
            Self::Rbf { gamma } | Self::Laplace { gamma } => one(f, "gamma", gamma),
            Self::Tanh { gamma, coef0 } => two(f, ("gamma", gamma), ("coef0", coef0)),
            Self::Plummer { epsilon, power } => two(f, ("epsilon", epsilon), ("power", power)),
            Self::Matern { nu, length } => {
                let nu =
                    SMOOTHNESS.iter().find(|(_, known)| *known == nu).map_or(f64::NAN, |&(value, _)| value);
                two(f, ("nu", nu), ("length", length))
            }
            Self::RationalQuadratic { alpha, length } => two(f, ("alpha", alpha), ("length", length)),
            Self::Gaussian { metric, sigma } => {
                let metric =
                    METRICS.iter().find(|(_, known)| *known == metric).map_or("?", |&(name, _)| name);
                write!(f, "{name}(metric={metric}, sigma={})", Number(sigma))
            }
            Self::Factor(Factor::Norm) => write!(f, "{name}(norm)"),
            Self::Factor(Factor::Coordinate(index)) => write!(f, "{name}(coordinate, index={index})"),
            Self::Factor(Factor::Bump { gamma }) => write!(f, "{name}(bump, gamma={})", Number(gamma)),
        }
    }
}

impl fmt::Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        match self {
            Self::Columns(index) => write!(f, "{name}({})", ranges(index)),
            Self::Monomials { degree } => write!(f, "{name}(degree={degree})"),
            Self::Gaussians { low, high, count, width } | Self::Sigmoids { low, high, count, width } => {
                let (low, high, width) = (Number(*low), Number(*high), Number(*width));
                write!(f, "{name}(low={low}, high={high}, count={count}, width={width})")
            }
            Self::Matrix { rows, values } => {
                write!(f, "{name}(rows={rows}")?;
                values.iter().try_for_each(|&value| write!(f, ", {}", Number(value)))?;
                f.write_str(")")
            }
        }
    }
}

/// Indices from 1, three or more in a row as `first..last`.
fn ranges(index: &[usize]) -> String {
    let runs = index.chunk_by(|a, b| *b == a + 1).flat_map(|run| match run {
        [first, _, .., last] => vec![format!("{}..{}", first + 1, last + 1)],
        few => few.iter().map(|k| (k + 1).to_string()).collect(),
    });
    runs.collect::<Vec<_>>().join(", ")
}

/// The names of the kernels, other spellings included.
pub(super) const KERNELS: &[&str] = &[
    "linear",
    "poly",
    "polynomial",
    "rbf",
    "tanh",
    "sigmoid",
    "plummer",
    "laplace",
    "matern",
    "rational",
    "intersection",
    "cosine",
    "gaussian",
    "factor",
    "precomputed",
];

/// The names of the feature maps.
pub(super) const MAPS: &[&str] = &["columns", "monomials", "gaussians", "sigmoids", "matrix"];

/// The kernel a call means, none where no kernel has that name; parameters are not checked.
pub(super) fn kernel(call: &Call<'_>) -> Result<Option<VectorKernel>> {
    let plain = |kernel: VectorKernel| call.accept(&[], None).map(|()| kernel);
    let kernel = match call.name {
        "linear" => plain(VectorKernel::Linear)?,
        "intersection" => plain(VectorKernel::Intersection)?,
        "cosine" => plain(VectorKernel::Cosine)?,
        "precomputed" => plain(VectorKernel::Precomputed)?,
        "poly" | "polynomial" => {
            call.accept(&["degree", "gamma", "coef0"], None)?;
            let degree = call.whole("degree", None, 3)?;
            let (gamma, coef0) = (call.number("gamma", None, 1.0)?, call.number("coef0", None, 0.0)?);
            VectorKernel::Polynomial { degree, gamma, coef0 }
        }
        "rbf" => rbf(call)?,
        "laplace" => {
            call.accept(&["gamma"], Some("gamma"))?;
            VectorKernel::Laplace { gamma: call.number("gamma", Some("gamma"), 1.0)? }
        }
        "tanh" | "sigmoid" => {
            let (gamma, coef0) = pair(call, ("gamma", 1.0), ("coef0", 0.0))?;
            VectorKernel::Tanh { gamma, coef0 }
        }
        "plummer" => {
            let (epsilon, power) = pair(call, ("epsilon", 1.0), ("power", 1.0))?;
            VectorKernel::Plummer { epsilon, power }
        }
        "rational" => {
            let (alpha, length) = pair(call, ("alpha", 1.0), ("length", 1.0))?;
            VectorKernel::RationalQuadratic { alpha, length }
        }
        "matern" => {
            let (value, length) = pair(call, ("nu", 1.5), ("length", 1.0))?;
            let known = SMOOTHNESS.iter().find(|(nu, _)| *nu == value);
            let at = call.argument("nu", None).map_or(call.at, |argument| argument.at);
            let nu = known.ok_or_else(|| call.fail(at, "nu must be 0.5, 1.5 or 2.5"))?.1;
            VectorKernel::Matern { nu, length }
        }
        "gaussian" => gaussian(call)?,
        "factor" => VectorKernel::Factor(factor(call)?),
        _ => return Ok(None),
    };
    Ok(Some(kernel))
}

fn pair(call: &Call<'_>, (a, x): (&'static str, f64), (b, y): (&'static str, f64)) -> Result<(f64, f64)> {
    call.accept(&[a, b], None)?;
    Ok((call.number(a, None, x)?, call.number(b, None, y)?))
}

fn rbf(call: &Call<'_>) -> Result<VectorKernel> {
    call.accept(&["gamma", "sigma"], Some("gamma"))?;
    let Some(sigma) = call.argument("sigma", None) else {
        return Ok(VectorKernel::Rbf { gamma: call.number("gamma", Some("gamma"), 1.0)? });
    };
    if call.arguments.len() > 1 {
        return Err(call.fail(call.at, "rbf takes gamma or sigma, not both"));
    }
    let value = call.real(sigma)?;
    let gamma = 0.5 / (value * value);
    if value > 0.0 && gamma > 0.0 && gamma.is_finite() {
        Ok(VectorKernel::Rbf { gamma })
    } else {
        Err(call
            .fail(sigma.at, format!("sigma = {}: must be positive and finite, and 1/(2σ²) too", sigma.value)))
    }
}

fn gaussian(call: &Call<'_>) -> Result<VectorKernel> {
    call.accept(&["metric", "sigma"], Some("metric"))?;
    let Some(metric) = call.argument("metric", Some("metric")) else {
        let names: Vec<&str> = METRICS.iter().map(|(name, _)| *name).collect();
        let expected =
            format!("gaussian needs metric={}; over the Euclidean distance it is rbf", names.join(", "));
        return Err(call.fail(call.at, expected));
    };
    let metric = call.choice(metric, "metric", METRICS)?;
    Ok(VectorKernel::Gaussian { metric, sigma: call.number("sigma", None, 1.0)? })
}

fn factor(call: &Call<'_>) -> Result<Factor> {
    const FUNCTIONS: &[(&str, Factor)] = &[
        ("norm", Factor::Norm),
        ("coordinate", Factor::Coordinate(1)),
        ("bump", Factor::Bump { gamma: 1.0 }),
    ];
    let Some(function) = call.argument("function", Some("function")) else {
        return Err(call.fail(call.at, "factor needs a function: norm, coordinate or bump"));
    };
    Ok(match call.choice(function, "function", FUNCTIONS)? {
        Factor::Norm => {
            call.accept(&["function"], Some("function"))?;
            Factor::Norm
        }
        Factor::Coordinate(first) => {
            call.accept(&["function", "index"], Some("function"))?;
            Factor::Coordinate(call.whole("index", None, first)?)
        }
        Factor::Bump { gamma } => {
            call.accept(&["function", "gamma"], Some("function"))?;
            Factor::Bump { gamma: call.number("gamma", None, gamma)? }
        }
    })
}

/// The map a call means, none where no map has that name; parameters are not checked.
pub(super) fn map(call: &Call<'_>) -> Result<Option<Map>> {
    Ok(Some(match call.name {
        "columns" => Map::Columns(columns(call)?),
        "monomials" => {
            call.accept(&["degree"], Some("degree"))?;
            Map::Monomials { degree: call.whole("degree", Some("degree"), 2)? }
        }
        "gaussians" => {
            let (low, high, count, width) = grid(call)?;
            Map::Gaussians { low, high, count, width }
        }
        "sigmoids" => {
            let (low, high, count, width) = grid(call)?;
            Map::Sigmoids { low, high, count, width }
        }
        "matrix" => matrix(call)?,
        _ => return Ok(None),
    }))
}

fn grid(call: &Call<'_>) -> Result<(f64, f64, u32, f64)> {
    call.accept(&["low", "high", "count", "width"], None)?;
    let (low, high) = (call.number("low", None, -1.0)?, call.number("high", None, 1.0)?);
    Ok((low, high, call.whole("count", None, 11)?, call.number("width", None, 0.2)?))
}

fn columns(call: &Call<'_>) -> Result<Vec<usize>> {
    let mut chosen = Vec::new();
    for argument in &call.arguments {
        let (first, last) = range(argument).ok_or_else(|| {
            call.fail(argument.start, "expected feature numbers from 1, or first..last with both included")
        })?;
        if chosen.len() + (last - first) >= MAX_COLUMNS {
            return Err(call.fail(argument.start, "a map may choose at most 1048576 columns"));
        }
        chosen.extend(first - 1..last);
    }
    Ok(chosen)
}

fn range(argument: &Argument<'_>) -> Option<(usize, usize)> {
    let (first, last) = argument.value.split_once("..").unwrap_or((argument.value, argument.value));
    let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
    (argument.name.is_none() && 1 <= first && first <= last && last <= MAX_INDEX).then_some((first, last))
}

fn matrix(call: &Call<'_>) -> Result<Map> {
    if let Some(other) = call.arguments.iter().find(|a| a.name.is_some_and(|name| name != "rows")) {
        return Err(call.fail(other.start, "matrix has rows=…, then its values, row after row"));
    }
    let rows = call.whole("rows", None, 1)?;
    let values = call.arguments.iter().filter(|argument| argument.name.is_none());
    Ok(Map::Matrix { rows, values: values.map(|&value| call.real(value)).collect::<Result<_>>()? })
}
