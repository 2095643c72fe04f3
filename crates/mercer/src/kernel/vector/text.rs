//! The text of vector kernels and feature maps.

use std::fmt;
use std::str::FromStr;

use super::low_rank::OVER;
use super::{Fourier, Map, Nystrom, VectorKernel, VectorLeaf};
use crate::error::{Error, Result};
use crate::kernel::call::{Argument, Call};
use crate::kernel::facts;
use crate::kernel::field::MAX_INDEX;
use crate::kernel::text::{Number, Parser, unknown};

/// The most columns one map may name, so that a short range cannot ask for more memory than there is.
const MAX_COLUMNS: usize = 1 << 20;

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
        let call = Call::parse(&mut parser, OVER)?;
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
        facts::write(self, f)
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
            Self::Nystrom(map) => map.fmt(f),
            Self::Fourier(map) => map.fmt(f),
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

/// The names of the feature maps.
pub(super) const MAPS: &[&str] =
    &["columns", "monomials", "gaussians", "sigmoids", "matrix", "nystrom", "fourier"];

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
        "nystrom" => Nystrom::parse(call)?.into(),
        "fourier" => Fourier::parse(call)?.into(),
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
