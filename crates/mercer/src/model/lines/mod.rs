//! Model text of other programs: lines and words with their positions, and headers of `name value …` lines.

mod fields;

pub(super) use fields::{Fields, Format};

use std::path::Path;

use crate::error::{Error, ParseProblem, Result};

pub(super) struct Lines<'a> {
    path: &'a Path,
    rest: &'a [u8],
    number: u64,
}

/// One line, without its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    path: &'a Path,
    number: u64,
    text: &'a str,
}

/// A word of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    line: Line<'a>,
    pub(super) text: &'a str,
    /// Bytes before it on its line.
    start: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a [u8], path: &'a Path) -> Self {
        Self { path, rest: text, number: 0 }
    }

    pub(super) fn next(&mut self, wanted: &str) -> Result<Line<'a>> {
        let (path, number) = (self.path, self.number + 1);
        let Some(end) = memchr::memchr(b'\n', self.rest) else {
            let problem = if self.rest.is_empty() {
                format!("the file ends where {wanted} is expected")
            } else {
                "the file ends inside a line".to_owned()
            };
            return Err(Error::parse(
                path,
                number,
                self.rest.len() as u64 + 1,
                ParseProblem::Other(problem.into()),
            ));
        };
        let bytes = &self.rest[..end];
        let text = std::str::from_utf8(bytes).map_err(|error| {
            Error::parse(path, number, error.valid_up_to() as u64 + 1, ParseProblem::NotText)
        })?;
        self.rest = &self.rest[end + 1..];
        self.number = number;
        Ok(Line { path, number, text: text.strip_suffix('\r').unwrap_or(text) })
    }

    /// Refuses anything but blanks up to the end; `read` says what stands above.
    pub(super) fn finish(mut self, read: &str) -> Result<()> {
        while !self.rest.is_empty() {
            if let Some(word) = self.next("the end")?.words().next() {
                return Err(word.other(format!("expected the end of the file: {read}")));
            }
        }
        Ok(())
    }
}

impl<'a> Line<'a> {
    pub(super) fn words(self) -> impl Iterator<Item = Word<'a>> {
        let mut start = 0;
        self.text.split([' ', '\t']).filter_map(move |text| {
            let word = Word { line: self, text, start };
            start += text.len() + 1;
            (!text.is_empty()).then_some(word)
        })
    }

    /// An error behind the last word of the line.
    pub(super) fn error(self, problem: impl Into<Box<str>>) -> Error {
        let column = self.text.trim_end().len() as u64 + 1;
        Error::parse(self.path, self.number, column, ParseProblem::Other(problem.into()))
    }
}

impl<'a> Word<'a> {
    pub(super) fn error(self, problem: ParseProblem) -> Error {
        Error::parse(self.line.path, self.line.number, self.start as u64 + 1, problem)
    }

    pub(super) fn other(self, problem: impl Into<Box<str>>) -> Error {
        self.error(ParseProblem::Other(problem.into()))
    }

    /// The parts before and after the first `separator`.
    pub(super) fn split(self, separator: char) -> Option<(Self, Self)> {
        let at = self.text.find(separator)?;
        let (before, after) = (&self.text[..at], &self.text[at + 1..]);
        Some((Self { text: before, ..self }, Self { text: after, start: self.start + at + 1, ..self }))
    }

    pub(super) fn number(self) -> Result<f64> {
        match self.text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(self.error(ParseProblem::NotFinite(self.text.into()))),
            Err(_) => Err(self.error(ParseProblem::BadNumber(self.text.into()))),
        }
    }

    /// A whole number of type `T`.
    pub(super) fn whole<T: std::str::FromStr>(self) -> Result<T> {
        self.text
            .parse()
            .map_err(|_| self.other(format!("not a whole number, or out of range: '{}'", self.text)))
    }
}
