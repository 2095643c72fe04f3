//! `name(argument, name=argument)` in the text of an expression, and how a kernel takes its parameters from it.

use std::str::FromStr;

use super::text::{Parser, fault, unknown};
use crate::error::{Error, ErrorKind, Result};

/// A name with its arguments in the text of an expression: `rbf(gamma=0.5)`. A [`Leaf`](super::Leaf) reads its kernels
/// and their parameters from it; errors carry the column.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    pub(crate) text: &'a str,
    /// Where the name starts, in bytes from 0.
    pub(crate) at: usize,
    /// The name.
    pub name: &'a str,
    /// The arguments, in the order of the text.
    pub arguments: Vec<Argument<'a>>,
}

/// An argument of a [`Call`]: `value` or `name=value`.
#[derive(Debug, Clone, Copy)]
pub struct Argument<'a> {
    /// Where the value starts, in bytes from 0.
    pub at: usize,
    /// Where the argument starts, in bytes from 0.
    pub start: usize,
    /// The name, where there is one.
    pub name: Option<&'a str>,
    /// The text of the value.
    pub value: &'a str,
}

impl<'a> Call<'a> {
    /// Reads a name and what may follow in parentheses.
    ///
    /// The first argument of a name in `over` is a kernel, whose text may have parentheses and commas in them.
    pub(crate) fn parse(parser: &mut Parser<'a>, over: &[&str]) -> Result<Self> {
        let (text, at) = (parser.text, parser.at);
        let name = word(parser);
        let mut arguments = Vec::new();
        let open = parser.at;
        if parser.take('(') && !parser.take(')') {
            loop {
                let kernel = arguments.is_empty() && over.contains(&name);
                arguments.push(if kernel { expression(parser) } else { argument(parser)? });
                match parser.peek() {
                    Some(',') => parser.at += 1,
                    Some(')') => {
                        parser.at += 1;
                        break;
                    }
                    None => return Err(fault(text, open, "a '(' without its ')'")),
                    Some(_) => return Err(parser.fail("expected ',' or ')'")),
                }
            }
        }
        Ok(Self { text, at, name, arguments })
    }

    /// An error of the text at the byte `at`, from 0.
    pub fn fail(&self, at: usize, expected: impl Into<Box<str>>) -> Error {
        fault(self.text, at, expected)
    }

    /// Refuses arguments that are not among `names` or come twice. An argument without a name is that of `bare`.
    ///
    /// # Errors
    /// The first argument refused.
    pub fn accept(&self, names: &[&'static str], bare: Option<&'static str>) -> Result<()> {
        let mut seen = Vec::new();
        for argument in &self.arguments {
            let name = match (argument.name, bare) {
                (Some(name), _) => name,
                (None, Some(bare)) => bare,
                (None, None) if names.is_empty() => {
                    return Err(self.fail(argument.start, format!("{} takes no parameters", self.name)));
                }
                (None, None) => {
                    let expected =
                        format!("expected a parameter of {} by name: {}", self.name, names.join(", "));
                    return Err(self.fail(argument.start, expected));
                }
            };
            if !names.contains(&name) {
                let expected = match names {
                    [] => format!("{} takes no parameters", self.name),
                    _ => format!("unknown parameter '{name}' of {}; it has {}", self.name, names.join(", ")),
                };
                return Err(self.fail(argument.start, expected));
            }
            if seen.contains(&name) {
                return Err(self.fail(argument.start, format!("parameter '{name}' is given twice")));
            }
            seen.push(name);
        }
        Ok(())
    }

    /// The argument of this name; one without a name is that of `bare`.
    #[must_use]
    pub fn argument(&self, name: &str, bare: Option<&str>) -> Option<Argument<'a>> {
        self.arguments.iter().copied().find(|argument| argument.name.or(bare) == Some(name))
    }

    /// The argument of this name as a finite number, the default where there is none.
    ///
    /// # Errors
    /// A value that is not a finite number.
    pub fn number(&self, name: &str, bare: Option<&str>, default: f64) -> Result<f64> {
        self.argument(name, bare).map_or(Ok(default), |argument| self.real(argument))
    }

    /// The value of an argument as a finite number.
    ///
    /// # Errors
    /// A value that is not a finite number.
    pub fn real(&self, argument: Argument<'_>) -> Result<f64> {
        match argument.value.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(self.fail(argument.at, format!("'{}' is not finite", argument.value))),
            Err(_) => Err(self.fail(argument.at, format!("'{}' is not a number", argument.value))),
        }
    }

    /// The argument of this name as a whole number, the default where there is none.
    ///
    /// # Errors
    /// A value that is not a whole number, or outside the range of `T`.
    pub fn whole<T: FromStr>(&self, name: &str, bare: Option<&str>, default: T) -> Result<T> {
        let Some(argument) = self.argument(name, bare) else { return Ok(default) };
        let expected =
            || self.fail(argument.at, format!("'{}' is not a whole number in range", argument.value));
        argument.value.parse().map_err(|_| expected())
    }

    /// The value that an argument names among `choices`; `what` is the noun of an error message.
    ///
    /// # Errors
    /// A name that is not among the choices.
    pub fn choice<T: Copy>(&self, argument: Argument<'_>, what: &str, choices: &[(&str, T)]) -> Result<T> {
        let names = || choices.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        let found = choices.iter().find(|(name, _)| *name == argument.value);
        found
            .map(|&(_, value)| value)
            .ok_or_else(|| self.fail(argument.at, unknown(what, argument.value, &names())))
    }

    /// Gives an error about a parameter the column of that parameter, or of the name.
    #[must_use]
    pub fn locate(&self, error: Error) -> Error {
        let named = match error.kind() {
            ErrorKind::Parameter { name, .. } => {
                self.argument(name, None).or_else(|| self.argument(name, Some(name)))
            }
            _ => None,
        };
        self.fail(named.map_or(self.at, |argument| argument.at), error.to_string())
    }
}

/// A name: letters of any script, so that a misspelt one is shown whole.
pub(crate) fn word<'a>(parser: &mut Parser<'a>) -> &'a str {
    parser.run(|_, c| c.is_alphanumeric() || c == '_')
}

fn argument<'a>(parser: &mut Parser<'a>) -> Result<Argument<'a>> {
    parser.peek();
    let start = parser.at;
    let first = value(parser);
    if !first.is_empty() && parser.take('=') {
        parser.peek();
        let at = parser.at;
        let value = value(parser);
        if value.is_empty() {
            return Err(parser.fail(format!("expected the value of {first}")));
        }
        return Ok(Argument { at, start, name: Some(first), value });
    }
    if first.is_empty() {
        return Err(parser.fail("expected a parameter or ')'"));
    }
    Ok(Argument { at: start, start, name: None, value: first })
}

/// The text up to the ',' or ')' that is in no parentheses of its own.
fn expression<'a>(parser: &mut Parser<'a>) -> Argument<'a> {
    parser.peek();
    let (start, rest) = (parser.at, &parser.text[parser.at..]);
    let mut depth = 0_usize;
    let end = rest.find(|c| {
        let outside = depth == 0 && ",)".contains(c);
        depth = if c == '(' { depth + 1 } else { depth.saturating_sub(usize::from(c == ')')) };
        outside
    });
    let value = rest[..end.unwrap_or(rest.len())].trim_end();
    parser.at += value.len();
    Argument { at: start, start, name: None, value }
}

/// The characters of numbers, ranges and words.
fn value<'a>(parser: &mut Parser<'a>) -> &'a str {
    parser.run(|_, c| c.is_alphanumeric() || "_.+-".contains(c))
}
