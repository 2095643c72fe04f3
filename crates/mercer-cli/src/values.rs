//! Values of arguments: what was typed becomes what is meant.

use std::convert::Infallible;
use std::time::Duration;

use mercer::data::ColumnRef;

use crate::args::{Lambda, NoiseArg};

/// A column by number or name; `none` for none.
pub(crate) fn label_column(text: &str) -> Result<ColumnRef, Infallible> {
    if text == "none" { Ok(ColumnRef::Absent) } else { text.parse() }
}

/// `yes` or `no`.
pub(crate) fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("yes or no".into()),
    }
}

/// `CLASS=W`; the name of the class may have `=` in it.
pub(crate) fn class_weight(text: &str) -> Result<(String, f64), String> {
    let (class, weight) = text.rsplit_once('=').ok_or("expected CLASS=W")?;
    let weight: f64 = weight.parse().map_err(|_| format!("'{weight}' is not a number"))?;
    Ok((class.to_owned(), weight))
}

/// A number, several separated by commas, or `auto`.
pub(crate) fn lambda(text: &str) -> Result<Lambda, String> {
    if text == "auto" {
        return Ok(Lambda::Auto);
    }
    let number = |word: &str| word.trim().parse().map_err(|_| format!("'{word}' is not a number"));
    text.split(',').map(number).collect::<Result<_, _>>().map(Lambda::Values)
}

/// `gaussian=S` or `speckle=P`.
pub(crate) fn noise(text: &str) -> Result<NoiseArg, String> {
    let (kind, size) = text.split_once('=').ok_or("expected gaussian=S or speckle=P")?;
    let size: f64 = size.parse().map_err(|_| format!("'{size}' is not a number"))?;
    match kind {
        "gaussian" if size >= 0.0 && size.is_finite() => Ok(NoiseArg::Gaussian(size)),
        "gaussian" => Err("a deviation must be 0 or more".into()),
        "speckle" if (0.0..=1.0).contains(&size) => Ok(NoiseArg::Speckle(size)),
        "speckle" => Err("a probability must lie in [0, 1]".into()),
        _ => Err(format!("'{kind}': the kinds are gaussian and speckle")),
    }
}

/// `HxW`
pub(crate) fn shape(text: &str) -> Result<(usize, usize), String> {
    let number = |word: &str| word.parse().ok().filter(|&number: &usize| number > 0);
    text.split_once('x')
        .and_then(|(height, width)| Some((number(height)?, number(width)?)))
        .ok_or_else(|| "expected height and width, such as 16x16".into())
}

/// Megabytes as bytes.
pub(crate) fn megabytes(text: &str) -> Result<usize, String> {
    const MEGABYTE: f64 = 1048576.0;
    match text.parse::<f64>() {
        Ok(megabytes) if megabytes > 0.0 && megabytes * MEGABYTE < usize::MAX as f64 => {
            Ok((megabytes * MEGABYTE) as usize)
        }
        _ => Err("must be a positive number of megabytes".into()),
    }
}

/// Seconds.
pub(crate) fn time_limit(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "must be a positive number of seconds".into())
}

/// More values than anybody waits for.
const MOST_VALUES: usize = 1000;

/// Values of a parameter to choose from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Grid {
    /// By the data or by the value that is there.
    Auto,
    /// These.
    Values(Vec<f64>),
}

/// `auto`, `LOW:HIGH`, `LOW:HIGH:STEP` with steps in powers of two, or a list.
pub(crate) fn grid(text: &str) -> Result<Grid, String> {
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

    #[test]
    fn weights_belong_to_classes_of_any_name() {
        assert_eq!(class_weight("-1=2.5"), Ok(("-1".into(), 2.5)));
        assert_eq!(class_weight("a=b=3"), Ok(("a=b".into(), 3.0)));
        assert!(class_weight("a").is_err());
        assert!(class_weight("a=x").is_err());
    }

    #[test]
    fn lambda_is_one_several_or_auto() {
        assert_eq!(lambda("0.5"), Ok(Lambda::Values(vec![0.5])));
        assert_eq!(lambda("1e-3, 1,10"), Ok(Lambda::Values(vec![1e-3, 1.0, 10.0])));
        assert_eq!(lambda("auto"), Ok(Lambda::Auto));
        assert_eq!(lambda("1,x"), Err("'x' is not a number".into()));
        assert!(lambda("").is_err());
    }

    #[test]
    fn sizes_and_times_are_positive() {
        assert_eq!(megabytes("1.5"), Ok(1_572_864));
        for refused in ["0", "-1", "nan", "1e300", "x"] {
            assert!(megabytes(refused).is_err(), "{refused}");
        }
        assert!(time_limit("-1").is_err());
        assert!(time_limit("nan").is_err());
    }
}
