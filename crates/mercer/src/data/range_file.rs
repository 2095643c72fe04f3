//! The text of a range file.

use std::path::Path;

use super::number;
use super::range::{FeatureRange, Range, TargetRange};
use crate::error::{Error, ParseProblem, Result};

/// Parses a range file; `path` is its name in messages.
pub(crate) fn parse(path: &Path, text: &[u8]) -> Result<Range> {
    let mut lines = Lines { path, rest: text, line: 0 };
    let mut block = lines.next()?;
    let mut target = None;
    if block.text.trim_ascii() == b"y" {
        let [lower, upper] = lines.next()?.numbers()?;
        let [min, max] = lines.next()?.numbers()?;
        target = Some(TargetRange { lower, upper, min, max });
        block = lines.next()?;
    }
    if block.text.trim_ascii() != b"x" {
        return Err(
            block.flaw(0, ParseProblem::Other("expected x, where the ranges of the features begin".into()))
        );
    }
    let [lower, upper] = lines.next()?.numbers()?;
    let mut features: Vec<FeatureRange> = Vec::new();
    while !lines.rest.trim_ascii().is_empty() {
        let line = lines.next()?;
        let [index, min, max] = line.numbers()?;
        let previous = features.last().map_or(0, |feature| feature.index);
        if index.fract() != 0.0 || !(1.0..=f64::from(i32::MAX)).contains(&index) {
            return Err(line.flaw(0, ParseProblem::BadIndex(number::lossy(line.text))));
        }
        let index = index as u32;
        if index <= previous {
            let problem = ParseProblem::IndexOrder { index: index.into(), previous: previous.into() };
            return Err(line.flaw(0, problem));
        }
        if min != max {
            features.push(FeatureRange { index, min, max });
        }
    }
    Ok(Range { lower, upper, features, target })
}

struct Lines<'a> {
    path: &'a Path,
    rest: &'a [u8],
    line: u64,
}

struct Line<'a> {
    path: &'a Path,
    text: &'a [u8],
    line: u64,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Result<Line<'a>> {
        self.line += 1;
        if self.rest.is_empty() {
            let problem = ParseProblem::Other("the range file ends early".into());
            return Err(Error::parse(self.path, self.line, 1, problem));
        }
        let end = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        let text = &self.rest[..end];
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        Ok(Line { path: self.path, text, line: self.line })
    }
}

impl Line<'_> {
    fn flaw(&self, at: usize, problem: ParseProblem) -> Error {
        Error::parse(self.path, self.line, at as u64 + 1, problem)
    }

    /// The numbers of the line, which must be exactly `N`.
    fn numbers<const N: usize>(&self) -> Result<[f64; N]> {
        let mut numbers = [0.0; N];
        let (mut found, mut at) = (0, 0);
        for token in self.text.split(u8::is_ascii_whitespace) {
            if !token.is_empty() {
                if let Some(place) = numbers.get_mut(found) {
                    *place = number::whole(token).map_err(|problem| self.flaw(at, problem))?;
                }
                found += 1;
            }
            at += token.len() + 1;
        }
        if found == N { Ok(numbers) } else { Err(self.flaw(0, ParseProblem::Ragged { found, expected: N })) }
    }
}
