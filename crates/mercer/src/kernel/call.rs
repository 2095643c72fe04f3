//! `name(argument, name=argument)` in the text of an expression, and how a kernel takes its parameters from it.

use std::str::FromStr;

use super::text::{Parser, fault, unknown};
use crate::error::{Error, ErrorKind, Result};

/// A name with its arguments.
pub(crate) struct Call<'a> {
    pub(crate) text: &'a str,
    /// Where the name starts, in bytes from 0.
    pub(crate) at: usize,
    pub(crate) name: &'a str,
    pub(crate) arguments: Vec<Argument<'a>>,
}

/// `value` or `name=value`.
#[derive(Clone, Copy)]
pub(crate) struct Argument<'a> {
    /// Where the value starts.
    pub(crate) at: usize,
    /// Where the argument starts.
    pub(crate) start: usize,
    pub(crate) name: Option<&'a str>,
    pub(crate) value: &'a str,
}

impl<'a> Call<'a> {
    /// Reads a name and what may follow in parentheses.
    pub(crate) fn parse(parser: &mut Parser<'a>) -> Result<Self> {
        let (text, at) = (parser.text, parser.at);
        let name = word(parser);
        let mut arguments = Vec::new();
        let open = parser.at;
        if parser.take('(') && !parser.take(')') {
            loop {
                arguments.push(argument(parser)?);
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

    pub(crate) fn fail(&self, at: usize, expected: impl Into<Box<str>>) -> Error {
        fault(self.text, at, expected)
    }

    /// Refuses arguments that are not among `names` or come twice. An argument without a name is that of `bare`.
    pub(crate) fn accept(&self, names: &[&'static str], bare: Option<&'static str>) -> Result<()> {
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

    /// The argument of this name; `bare` arguments count as well.
    pub(crate) fn argument(&self, name: &str, bare: Option<&str>) -> Option<Argument<'a>> {
        self.arguments.iter().copied().find(|argument| argument.name.or(bare) == Some(name))
    }

    /// A finite number, or the default.
    pub(crate) fn number(&self, name: &str, bare: Option<&str>, default: f64) -> Result<f64> {
        self.argument(name, bare).map_or(Ok(default), |argument| self.real(argument))
    }

    /// The value of an argument as a finite number.
    pub(crate) fn real(&self, argument: Argument<'_>) -> Result<f64> {
        match argument.value.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(self.fail(argument.at, format!("'{}' is not finite", argument.value))),
            Err(_) => Err(self.fail(argument.at, format!("'{}' is not a number", argument.value))),
        }
    }

    /// A whole number, or the default.
    pub(crate) fn whole<T: FromStr>(&self, name: &str, bare: Option<&str>, default: T) -> Result<T> {
        let Some(argument) = self.argument(name, bare) else { return Ok(default) };
        let expected =
            || self.fail(argument.at, format!("'{}' is not a whole number in range", argument.value));
        argument.value.parse().map_err(|_| expected())
    }

    /// One of the values with a name.
    pub(crate) fn choice<T: Copy>(
        &self,
        argument: Argument<'_>,
        what: &str,
        choices: &[(&str, T)],
    ) -> Result<T> {
        let names = || choices.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        let found = choices.iter().find(|(name, _)| *name == argument.value);
        found
            .map(|&(_, value)| value)
            .ok_or_else(|| self.fail(argument.at, unknown(what, argument.value, &names())))
    }

    /// Gives an error about a parameter the column of that parameter, or of the name.
    pub(crate) fn locate(&self, error: Error) -> Error {
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

/// The characters of numbers, ranges and words.
fn value<'a>(parser: &mut Parser<'a>) -> &'a str {
    parser.run(|_, c| c.is_alphanumeric() || "_.+-".contains(c))
}
