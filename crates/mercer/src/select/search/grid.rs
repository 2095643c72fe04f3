//! The candidates of a search: ranges in the text of a kernel and of parameters.
//!
//! | text | values |
//! |---|---|
//! | `2^-5..2^13` | powers of 2, the exponent in steps of 2: −5, −3, …, 13 |
//! | `10^-3..10^3`, `1e-3..1e3` | powers of 10, the exponent in steps of 1; so of every other base |
//! | `2..5` | whole numbers |
//! | `0.1..0.9` | ten numbers at equal distances |
//! | `LOW..HIGH/7` | seven, at equal distances or of equal ratio |
//! | `{0.1,1,10}` | these; each may be a range, and in a kernel a whole expression |
//!
//! In a kernel a range stands behind `=`, or has a power: `columns(1..3)` is none. Values come in the order of the text.
//!
//! ```
//! use mercer::select::{Grid, expand};
//!
//! assert_eq!(expand("2^-1..2^3")?, ["0.5", "2", "8"]);
//! let grid = Grid::new(Some("{linear, rbf(gamma=2^-4..2^0)}"), &[("c", "1e0..1e2")])?;
//! let points = grid.points();
//! assert_eq!(points.len(), (1 + 3) * 3);
//! assert_eq!(grid.kernel(&points[3]).as_deref(), Some("rbf(gamma=0.0625)"));
//! assert_eq!(grid.settings(&points[4]), [("c", "10")]);
//! # Ok::<(), mercer::Error>(())
//! ```

use crate::error::{ErrorKind, Result};

/// Values of plain numbers where the text does not say how many.
const EVEN: usize = 10;
/// The most values of one range, and the most candidates.
const MOST: usize = 100_000;
/// What the parts of a range are told to be.
const RULE: &str = "LOW..HIGH, LOW..HIGH/COUNT (numbers or powers such as 2^-5), or {A,B,…}";

/// How the values of a range follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spacing {
    /// By equal ratios.
    Ratio,
    /// By equal differences.
    Difference,
    /// Whole numbers.
    Whole,
    /// A list, whose values have no order.
    List,
}

/// A parameter that is varied.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Its name: that of the parameter, or `kernel`.
    pub name: String,
    /// Its values, as text.
    pub values: Vec<String>,
    /// How they follow each other.
    pub spacing: Spacing,
}

/// A piece of the text of a kernel.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(String),
    Value(usize),
}

/// A kernel with places for values, and the axes that a candidate with it has.
#[derive(Debug, Clone, PartialEq)]
struct Variant {
    kernel: Option<Vec<Piece>>,
    axes: Vec<usize>,
}

/// Candidates by ranges.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    axes: Vec<Axis>,
    variants: Vec<Variant>,
    /// Axes before this one are of the kernel.
    parameters: usize,
}

/// A candidate: a value for each axis that it has.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    variant: usize,
    /// The value on each axis of the grid; none where the candidate's kernel does not have it.
    pub values: Vec<Option<String>>,
}

impl Grid {
    /// The grid of a kernel's text, where there is one, and of parameters by name.
    ///
    /// # Errors
    /// If a range cannot be read, or there are more than 100,000 candidates.
    pub fn new(kernel: Option<&str>, parameters: &[(&str, &str)]) -> Result<Self> {
        let mut axes = Vec::new();
        let mut variants: Vec<Variant> = match kernel {
            None => vec![Variant { kernel: None, axes: Vec::new() }],
            Some(text) => alternatives(text)?
                .iter()
                .map(|text| {
                    let before = axes.len();
                    let kernel = Some(pieces(text, &mut axes)?);
                    Ok(Variant { kernel, axes: (before..axes.len()).collect() })
                })
                .collect::<Result<_>>()?,
        };
        let of_kernel = axes.len();
        for (name, text) in parameters {
            let (values, spacing) = values(text)?;
            axes.push(Axis { name: (*name).to_owned(), values, spacing });
        }
        variants.iter_mut().for_each(|variant| variant.axes.extend(of_kernel..axes.len()));
        let grid = Self { axes, variants, parameters: of_kernel };
        let count = |variant: &Variant| -> f64 {
            variant.axes.iter().map(|&axis| grid.axes[axis].values.len() as f64).product()
        };
        let total: f64 = grid.variants.iter().map(count).sum();
        crate::error::check("candidates", total, total <= MOST as f64, "must be at most 100000")?;
        Ok(grid)
    }

    /// The axes: those of the kernel, left to right, then the parameters.
    #[must_use]
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// All candidates, the last axis fastest.
    #[must_use]
    pub fn points(&self) -> Vec<Point> {
        let mut all = Vec::new();
        for (number, variant) in self.variants.iter().enumerate() {
            let mut some = vec![Point { variant: number, values: vec![None; self.axes.len()] }];
            for &axis in &variant.axes {
                let with = |point: Point| {
                    self.axes[axis].values.iter().map(move |value| {
                        let mut point = point.clone();
                        point.values[axis] = Some(value.clone());
                        point
                    })
                };
                some = some.into_iter().flat_map(with).collect();
            }
            all.extend(some);
        }
        all
    }

    /// The text of a candidate's kernel.
    #[must_use]
    pub fn kernel(&self, point: &Point) -> Option<String> {
        let text = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Value(axis) => point.values[*axis].clone().unwrap_or_default(),
        };
        let kernel = self.variants[point.variant].kernel.as_ref()?;
        Some(kernel.iter().map(text).collect())
    }

    /// The parameters of a candidate, by name.
    #[must_use]
    pub fn settings<'p>(&'p self, point: &'p Point) -> Vec<(&'p str, &'p str)> {
        let named = self.axes.iter().zip(&point.values).skip(self.parameters);
        named.filter_map(|(axis, value)| Some((axis.name.as_str(), value.as_deref()?))).collect()
    }

    /// The candidates about one of them, on every axis that has an order half a step (`round` = 1), a quarter, … to either side
    /// and none, without the candidate itself. Axes of whole numbers and lists stay.
    #[must_use]
    pub fn about(&self, point: &Point, round: u32) -> Vec<Point> {
        let share = 0.5f64.powi(round as i32);
        let mut some = vec![point.clone()];
        for &axis in &self.variants[point.variant].axes {
            let Axis { values, spacing, .. } = &self.axes[axis];
            let number = |text: &String| text.parse::<f64>().ok();
            let at = point.values[axis].as_ref().and_then(number);
            let ends = values.first().and_then(number).zip(values.last().and_then(number));
            let (Some(at), Some((first, last)), true) = (at, ends, values.len() > 1) else { continue };
            let steps = (values.len() - 1) as f64;
            let sides = match spacing {
                Spacing::Ratio => {
                    let factor = (last / first).powf(share / steps);
                    [at / factor, at * factor]
                }
                Spacing::Difference => {
                    let step = share * (last - first) / steps;
                    [at - step, at + step]
                }
                Spacing::Whole | Spacing::List => continue,
            };
            let moved = |point: &Point, value: f64| {
                let mut point = point.clone();
                point.values[axis] = Some(value.to_string());
                point
            };
            some = some
                .iter()
                .flat_map(|point| [moved(point, sides[0]), point.clone(), moved(point, sides[1])])
                .collect();
        }
        some.retain(|other| other != point);
        some
    }

    /// The axes on which a candidate has the first or last value of a range, and whether it is the last.
    #[must_use]
    pub fn edges(&self, point: &Point) -> Vec<(&Axis, bool)> {
        let edge = |(axis, value): (&'_ Axis, &Option<String>)| {
            let (value, many) = (value.as_ref()?, axis.values.len() > 2 && axis.spacing != Spacing::List);
            let (first, last) = (axis.values.first()? == value, axis.values.last()? == value);
            (many && (first || last)).then_some(last)
        };
        let pairs = self.axes.iter().zip(&point.values);
        pairs.filter_map(|(axis, value)| Some((axis, edge((axis, value))?))).collect()
    }
}

/// The values that a text stands for: those of a range or list, else the text itself.
///
/// # Errors
/// If a range cannot be read.
pub fn expand(text: &str) -> Result<Vec<String>> {
    Ok(values(text)?.0)
}

fn refused<T>(text: &str) -> Result<T> {
    Err(ErrorKind::Setting { name: "range", value: text.into(), rule: RULE }.into())
}

fn values(text: &str) -> Result<(Vec<String>, Spacing)> {
    let text = text.trim();
    if let Some(inside) = text.strip_prefix('{') {
        let Some(inside) = inside.strip_suffix('}') else { return refused(text) };
        let mut all = Vec::new();
        for part in split(inside) {
            all.extend(values(part)?.0);
        }
        return if all.is_empty() { refused(text) } else { Ok((all, Spacing::List)) };
    }
    let Some((low, rest)) = text.split_once("..") else {
        // A power alone is its number.
        let value = Number::parse(text).filter(|_| text.contains('^'));
        let value = value.map_or_else(|| text.to_owned(), |number| number.value().to_string());
        return Ok((vec![value], Spacing::List));
    };
    let (high, count) = match rest.split_once('/') {
        Some((high, count)) => match count.trim().parse::<usize>() {
            Ok(count) if (2..=MOST).contains(&count) => (high, Some(count)),
            _ => return refused(text),
        },
        None => (rest, None),
    };
    let (Some(low), Some(high)) = (Number::parse(low), Number::parse(high)) else { return refused(text) };
    range(low, high, count).map_or_else(|| refused(text), Ok)
}

/// A number, or a power of a whole base.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Number {
    Plain(f64),
    Power(f64, f64),
}

impl Number {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let number = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
        if let Some((base, exponent)) = text.split_once('^') {
            let (base, exponent) = (number(base)?, number(exponent)?);
            return (base > 1.0).then_some(Self::Power(base, exponent));
        }
        match text.split_once(['e', 'E']) {
            Some(("1" | "1.0", exponent)) => Some(Self::Power(10.0, number(exponent)?)),
            _ => number(text).map(Self::Plain),
        }
    }

    fn value(self) -> f64 {
        match self {
            Self::Plain(value) => value,
            Self::Power(base, exponent) => power(base, exponent),
        }
    }
}

/// bᵉ, rounded once for powers of 2, and as it is written for whole powers of 10.
fn power(base: f64, exponent: f64) -> f64 {
    match exponent.fract() == 0.0 && exponent.abs() < 300.0 {
        true if base == 10.0 => format!("1e{exponent}").parse().unwrap_or(f64::NAN),
        true => base.powi(exponent as i32),
        false => base.powf(exponent),
    }
}

fn range(low: Number, high: Number, count: Option<usize>) -> Option<(Vec<String>, Spacing)> {
    let texts = |values: Vec<f64>| values.iter().map(f64::to_string).collect::<Vec<_>>();
    // `count` numbers at equal distances, the ends as they are.
    let even = |a: f64, b: f64, count: usize| -> Vec<f64> {
        let at = |i: usize| if i + 1 == count { b } else { a + (b - a) * i as f64 / (count - 1) as f64 };
        (0..count).map(at).collect()
    };
    let (a, b) = (low.value(), high.value());
    if a.partial_cmp(&b) != Some(std::cmp::Ordering::Less) {
        return None;
    }
    match (low, high) {
        (Number::Power(base, from), Number::Power(other, to)) if base == other => {
            let exponents = match count {
                Some(count) => even(from, to, count),
                None => {
                    let step = if base == 2.0 { 2.0 } else { 1.0 };
                    let count = ((to - from) / step + 1e-9).floor();
                    if count >= MOST as f64 {
                        return None;
                    }
                    (0..=count as usize).map(|i| from + step * i as f64).collect()
                }
            };
            Some((texts(exponents.into_iter().map(|e| power(base, e)).collect()), Spacing::Ratio))
        }
        // A range between powers of different bases, or with one power, is one of ratios.
        (Number::Plain(_), Number::Plain(_)) => {
            let whole = a.fract() == 0.0 && b.fract() == 0.0 && count.is_none();
            if whole && b - a >= MOST as f64 {
                return None;
            }
            if whole {
                let values = (0..=(b - a) as usize).map(|i| a + i as f64).collect();
                return Some((texts(values), Spacing::Whole));
            }
            Some((texts(even(a, b, count.unwrap_or(EVEN))), Spacing::Difference))
        }
        _ if a > 0.0 => {
            let mut values: Vec<f64> =
                even(a.ln(), b.ln(), count.unwrap_or(EVEN)).into_iter().map(f64::exp).collect();
            let last = values.len() - 1;
            (values[0], values[last]) = (a, b);
            Some((texts(values), Spacing::Ratio))
        }
        _ => None,
    }
}

/// Parts between commas that stand in no parenthesis or brace.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The texts of a kernel with each alternative in braces.
fn alternatives(text: &str) -> Result<Vec<String>> {
    // Braces behind `=` are values of a parameter, and stay.
    let opens = text.char_indices().find(|&(at, c)| c == '{' && !text[..at].trim_end().ends_with('='));
    let Some((open, _)) = opens else { return Ok(vec![text.to_owned()]) };
    let mut depth = 0;
    let close = text[open..].char_indices().find(|&(_, c)| {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        depth == 0
    });
    let Some((length, _)) = close else { return refused(text) };
    let (inside, after) = (&text[open + 1..open + length], &text[open + length + 1..]);
    let mut all = Vec::new();
    for part in split(inside) {
        all.extend(alternatives(&format!("{}{part}{after}", &text[..open]))?);
    }
    if all.is_empty() { refused(text) } else { Ok(all) }
}

/// A kernel's text cut at its ranges, which become axes.
fn pieces(text: &str, axes: &mut Vec<Axis>) -> Result<Vec<Piece>> {
    let ends = |c: char| matches!(c, ',' | '(' | ')' | '+' | '*' | '@') || c.is_whitespace();
    let (mut found, mut plain, mut rest) = (Vec::new(), String::new(), text);
    while let Some(first) = rest.chars().next() {
        let behind = plain.trim_end().ends_with('=');
        let length = match first {
            '{' if behind => rest.find('}').map_or(rest.len(), |at| at + 1),
            _ => rest
                .char_indices()
                .skip(1)
                .find(|&(_, c)| ends(c) || c == '=')
                .map_or(rest.len(), |(at, _)| at),
        };
        let token = &rest[..length];
        let ranged = token.starts_with('{') || token.contains("..") && (behind || token.contains('^'));
        let powered = behind && token.contains('^');
        if (ranged || powered) && !ends(first) && first != '=' {
            let name = name(&plain);
            let (values, spacing) = values(token)?;
            if ranged {
                found.push(Piece::Text(std::mem::take(&mut plain)));
                found.push(Piece::Value(axes.len()));
                axes.push(Axis { name, values, spacing });
            } else {
                plain += &values[0];
            }
            rest = &rest[length..];
        } else {
            // One character of what ends a token, else the whole token.
            let taken = if ends(first) || first == '=' { first.len_utf8() } else { length };
            plain += &rest[..taken];
            rest = &rest[taken..];
        }
    }
    found.push(Piece::Text(plain));
    Ok(found)
}

/// The parameter before `=` at the end of a text.
fn name(before: &str) -> String {
    let before = before.trim_end().trim_end_matches('=').trim_end();
    let start = before.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    let name = &before[start..];
    if name.is_empty() { "factor".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_by_hand() {
        for (text, expected) in [
            ("2^-3..2^3", "0.125 0.5 2 8"),
            ("2^0..2^3", "1 4"),
            ("10^-1..10^1", "0.1 1 10"),
            ("1e-2..1e1", "0.01 0.1 1 10"),
            ("1e0..1e2/3", "1 10 100"),
            ("2..5", "2 3 4 5"),
            ("0.1..0.4/4", "0.1 0.2 0.30000000000000004 0.4"),
            ("{1, 2^3, auto}", "1 8 auto"),
            ("2^4", "16"),
            ("inf", "inf"),
            ("ovo", "ovo"),
        ] {
            assert_eq!(expand(text).unwrap().join(" "), expected, "{text}");
        }
        assert_eq!(expand("2^-13..2^5").unwrap().len(), 10);
        assert_eq!(expand("0.5..1.5").unwrap().len(), 10);
        for text in
            ["5..2", "1..x", "2^-5..", "..3", "{1,2", "{}", "1..2/1", "1..2/x", "2^0..2^1e9", "nan..1"]
        {
            assert!(expand(text).is_err(), "{text}");
        }
    }

    #[test]
    fn kernels_are_cut_at_their_ranges() {
        let kernels = |text: &str| {
            let grid = Grid::new(Some(text), &[]).unwrap();
            let points = grid.points();
            points.iter().map(|point| grid.kernel(point).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(
            kernels("rbf(gamma=2^0..2^2) + 2*linear"),
            ["rbf(gamma=1) + 2*linear", "rbf(gamma=4) + 2*linear"]
        );
        assert_eq!(kernels("rbf(gamma=1) @ columns(1, 3..5)"), ["rbf(gamma=1) @ columns(1, 3..5)"]);
        assert_eq!(kernels("poly(degree=2..3, gamma={1,2^1})").len(), 4);
        assert_eq!(
            kernels("{linear, poly(degree={2,3})} + 1"),
            ["linear + 1", "poly(degree=2) + 1", "poly(degree=3) + 1"]
        );
        assert_eq!(kernels("2^0..2^2*linear"), ["1*linear", "4*linear"]);
        assert_eq!(kernels("rbf(gamma=2^-1)"), ["rbf(gamma=0.5)"]);
        let grid = Grid::new(Some("rbf(gamma=2^0..2^2)"), &[("c", "1..3")]).unwrap();
        let names: Vec<&str> = grid.axes().iter().map(|axis| axis.name.as_str()).collect();
        assert_eq!((names, grid.points().len()), (vec!["gamma", "c"], 6));
        assert!(Grid::new(Some("rbf(gamma=2^0..2^2"), &[("c", "1..99999"), ("d", "1..3")]).is_err());
    }

    #[test]
    fn a_finer_grid_lies_about_a_candidate() {
        let grid = Grid::new(Some("rbf(gamma=2^0..2^4)"), &[("c", "1..9/3")]).unwrap();
        let point = &grid.points()[4];
        assert_eq!(point.values, [Some("4".to_owned()), Some("5".to_owned())]);
        let about = grid.about(point, 1);
        assert_eq!(about.len(), 8);
        assert_eq!(about[0].values, [Some("2".to_owned()), Some("3".to_owned())]);
        assert!(grid.edges(point).is_empty());
        assert_eq!(grid.edges(&grid.points()[2]), [(&grid.axes()[0], false), (&grid.axes()[1], true)]);
    }
}
