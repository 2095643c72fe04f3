//! The header of a model text: lines `name value …` in any order, up to a line with one word that ends them.

use super::{Line, Lines, Word};
use crate::error::Result;

/// The header of a program's model text.
pub(in crate::model) struct Format {
    /// The name of the program.
    pub(in crate::model) program: &'static str,
    /// The names of all its lines; each may come once.
    pub(in crate::model) names: &'static [&'static str],
    /// The word that ends the header.
    pub(in crate::model) end: &'static str,
}

/// The lines of a header by name, and the line that ended them.
pub(in crate::model) struct Fields<'a> {
    format: &'static Format,
    lines: Vec<Option<Line<'a>>>,
    end: Line<'a>,
}

impl<'a> Fields<'a> {
    /// Reads up to and including the line that ends the header.
    pub(in crate::model) fn read(lines: &mut Lines<'a>, format: &'static Format) -> Result<Self> {
        let mut found = vec![None; format.names.len()];
        let Format { program, end, .. } = format;
        loop {
            let line = lines.next(&format!("a line of the header or {end}"))?;
            let Some(name) = line.words().next() else {
                return Err(line.error("an empty line in the header"));
            };
            if name.text == *end {
                return Ok(Self { format, lines: found, end: line });
            }
            match format.names.iter().position(|&known| known == name.text) {
                Some(at) if found[at].is_none() => found[at] = Some(line),
                Some(_) => return Err(name.other(format!("'{}' for the second time", name.text))),
                None => return Err(name.other(format!("not a line of a {program} model: '{}'", name.text))),
            }
        }
    }

    /// The line of a name.
    pub(in crate::model) fn line(&self, name: &str) -> Result<Line<'a>> {
        let at = self.format.names.iter().position(|&known| known == name);
        let missing = || self.end.error(format!("no line '{name}' before {}", self.format.end));
        at.and_then(|at| self.lines[at]).ok_or_else(missing)
    }

    fn words(&self, name: &str) -> Result<impl Iterator<Item = Word<'a>>> {
        Ok(self.line(name)?.words().skip(1))
    }

    /// The one word of a line.
    pub(in crate::model) fn one(&self, name: &str) -> Result<Word<'a>> {
        let mut words = self.words(name)?;
        match (words.next(), words.next()) {
            (Some(word), None) => Ok(word),
            (Some(_), Some(second)) => Err(second.other(format!("'{name}' has one value"))),
            (None, _) => Err(self.line(name)?.error(format!("'{name}' has no value"))),
        }
    }

    /// The `expected` words of a line. Nothing is set aside for them: the words present make the list.
    pub(in crate::model) fn list<T>(
        &self,
        name: &str,
        expected: usize,
        read: impl Fn(Word<'a>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let values = self.words(name)?.map(read).collect::<Result<Vec<T>>>()?;
        if values.len() == expected {
            return Ok(values);
        }
        let found = values.len();
        Err(self.line(name)?.error(format!("'{name}' has {found} values where {expected} are expected")))
    }
}
