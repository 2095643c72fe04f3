//! The kernels to choose from.

use mercer::kernel::{Parameter, median_gamma, rbf};
use mercer::model::{AnyKernel, AnyPoints};

use super::RdeArgs;
use crate::failure::{Result, usage};

/// Powers of two around the median distance: from kernels that see all points alike to those that see each alone.
const AROUND_MEDIAN: std::ops::RangeInclusive<i32> = -10..=6;
/// Powers of two around a value that is there.
const AROUND_VALUE: std::ops::RangeInclusive<i32> = -8..=8;

/// Kernels that differ in one parameter.
pub(super) struct Candidates {
    pub(super) kernels: Vec<AnyKernel>,
    /// The parameter and its values, one for each kernel; none for a single kernel as it is.
    pub(super) grid: Option<(String, Vec<f64>)>,
}

impl Candidates {
    pub(super) fn new(args: &RdeArgs, x: &AnyPoints) -> Result<Self> {
        let kernel = args.kernel.clone().unwrap_or_else(|| AnyKernel::Vectors(rbf(1.0)));
        kernel.check()?;
        let kernel = kernel.about(x)?;
        if args.kernel.is_some() && args.grid.is_none() {
            return Ok(Self { kernels: vec![kernel], grid: None });
        }
        let parameter = parameter(&kernel, args.parameter.as_deref())?;
        let values = match &args.grid {
            Some(Grid::Values(values)) => values.clone(),
            Some(Grid::Auto) | None => automatic(&kernel, &parameter, x)?,
        };
        let with = |&value: &f64| kernel.with_parameter(&parameter.path, value);
        let kernels = values.iter().map(with).collect::<mercer::Result<Vec<_>>>()?;
        Ok(Self { kernels, grid: Some((parameter.path, values)) })
    }
}

/// The parameter meant: the one named, else the only one, else the only gamma.
fn parameter(kernel: &AnyKernel, named: Option<&str>) -> Result<Parameter> {
    let all = kernel.parameters();
    let list = all.iter().map(|p| p.path.as_str()).collect::<Vec<_>>().join(", ");
    let is_meant = |parameter: &&Parameter| match named {
        Some(name) => parameter.path == name,
        None => all.len() == 1 || parameter.path.ends_with(".gamma"),
    };
    match (&all.iter().filter(is_meant).collect::<Vec<_>>()[..], named) {
        ([parameter], _) => Ok((*parameter).clone()),
        _ if all.is_empty() => Err(usage!("--grid: {kernel} has no parameter to change")),
        (_, Some(name)) => Err(usage!("--parameter {name}: {kernel} does not have it; it has {list}")),
        (_, None) => Err(usage!("--grid: say which of {list} it is for, by --parameter")),
    }
}

fn automatic(kernel: &AnyKernel, parameter: &Parameter, x: &AnyPoints) -> Result<Vec<f64>> {
    // The median distance is that of the points, not of what a map makes of them.
    let plain = parameter.path.ends_with("rbf.gamma") && !kernel.to_string().contains('@');
    let (middle, powers) = match x {
        AnyPoints::Vectors(x) if plain => match median_gamma(x) {
            Some(gamma) => (gamma, AROUND_MEDIAN),
            None => return Err(usage!("--grid auto: all rows are the same")),
        },
        _ => (parameter.value, AROUND_VALUE),
    };
    if !parameter.log || middle <= 0.0 {
        return Err(usage!("--grid auto: {} may be 0; say its values", parameter.path));
    }
    // Whole powers of two read better than multiples of a median.
    let middle = middle.log2().round().exp2();
    Ok(powers.map(|power| middle * f64::from(power).exp2()).collect())
}

/// More values than a user waits for.
const MOST_VALUES: usize = 1000;

/// Values of a parameter to choose from.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Grid {
    /// By the data or by the value that is there.
    Auto,
    Values(Vec<f64>),
}

/// `auto`, `LOW:HIGH`, `LOW:HIGH:STEP` with steps in powers of two, or a list.
pub(super) fn grid(text: &str) -> Result<Grid, String> {
    if text == "auto" {
        return Ok(Grid::Auto);
    }
    let parts: Vec<&str> = text.split(':').collect();
    let values = match parts[..] {
        [list] => list.split(',').map(power).collect::<Result<Vec<f64>, String>>()?,
        [low, high] => ladder(power(low)?, power(high)?, 1.0)?,
        [low, high, step] => ladder(power(low)?, power(high)?, power(step)?)?,
        _ => return Err("expected auto, LOW:HIGH, LOW:HIGH:STEP or a list".into()),
    };
    if values.len() > MOST_VALUES {
        return Err(format!("{} values; at most {MOST_VALUES}", values.len()));
    }
    Ok(Grid::Values(values))
}

/// low, low·2^step, … up to high.
fn ladder(low: f64, high: f64, step: f64) -> Result<Vec<f64>, String> {
    if !(low > 0.0 && high >= low && step > 0.0) {
        return Err("LOW must be positive, HIGH not below it, STEP positive".into());
    }
    // A rung short of the end by rounding is the end.
    let rungs = ((high / low).log2() / step + 1e-9).floor();
    if rungs >= MOST_VALUES as f64 {
        return Err(format!("more than {MOST_VALUES} values"));
    }
    Ok((0..=rungs as usize).map(|k| low * (k as f64 * step).exp2()).collect())
}

/// A finite number, also as `2^-3`.
fn power(text: &str) -> Result<f64, String> {
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| format!("'{text}' is not a number"));
    let value = match text.split_once('^') {
        Some((base, exponent)) => number(base)?.powf(number(exponent)?),
        None => number(text)?,
    };
    if value.is_finite() { Ok(value) } else { Err(format!("'{text}' is not finite")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_ladders_or_lists() {
        assert_eq!(grid("auto"), Ok(Grid::Auto));
        assert_eq!(grid("2^-2:2^1:1"), Ok(Grid::Values(vec![0.25, 0.5, 1.0, 2.0])));
        assert_eq!(grid("1:8"), Ok(Grid::Values(vec![1.0, 2.0, 4.0, 8.0])));
        assert_eq!(grid("1:10:2"), Ok(Grid::Values(vec![1.0, 4.0])));
        assert_eq!(grid("10^-1,-3"), Ok(Grid::Values(vec![0.1, -3.0])));
        for refused in
            ["", "1:2:3:4", "0:1", "2:1", "1:2:0", "x", "1,,2", "nan", "10^999", "1:1e300:0.0001", "1:nan"]
        {
            assert!(grid(refused).is_err(), "{refused}");
        }
    }
}
