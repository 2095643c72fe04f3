//! What a text is a sequence of, and the codes of these units.

use std::hash::Hash;

use crate::error::Result;
use crate::kernel::features::Dictionary;

/// What a text is a sequence of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Unit {
    /// Characters: Unicode scalar values.
    #[default]
    Char,
    /// Bytes of UTF-8.
    Byte,
    /// Words: what stands between white space.
    Word,
}

/// The units with their names in a text, the default first.
pub(super) const UNITS: &[(&str, Unit)] = &[("char", Unit::Char), ("byte", Unit::Byte), ("word", Unit::Word)];

/// The different units of some texts, numbered from 1 in the order in which they were first seen.
pub(super) struct Alphabet {
    unit: Unit,
    /// Characters or bytes, where these are the units.
    letters: Dictionary<u32>,
    /// Words, where these are the units.
    words: Dictionary<Box<str>>,
}

impl Alphabet {
    /// The alphabet of some texts, and each text in codes.
    ///
    /// # Errors
    /// If there are more different units than codes.
    pub(super) fn learn(unit: Unit, texts: &[String]) -> Result<(Self, Vec<Vec<u32>>)> {
        let mut alphabet = Self { unit, letters: Dictionary::default(), words: Dictionary::default() };
        let codes = texts.iter().map(|text| alphabet.number(text)).collect::<Result<_>>()?;
        Ok((alphabet, codes))
    }

    fn number(&mut self, text: &str) -> Result<Vec<u32>> {
        match self.unit {
            Unit::Char => text.chars().map(|c| Ok(self.letters.number(c.into())? + 1)).collect(),
            Unit::Byte => text.bytes().map(|b| Ok(self.letters.number(b.into())? + 1)).collect(),
            Unit::Word => {
                text.split_whitespace().map(|word| Ok(self.words.number(word.into())? + 1)).collect()
            }
        }
    }

    /// A text in codes. Units that are not in the alphabet have codes above [`Alphabet::len`] that hold for this text only.
    pub(super) fn codes(&self, text: &str) -> Vec<u32> {
        let letter = |letter: &u32| self.letters.known(letter);
        match self.unit {
            Unit::Char => numbered(text.chars().map(u32::from), self.len(), letter),
            Unit::Byte => numbered(text.bytes().map(u32::from), self.len(), letter),
            Unit::Word => numbered(text.split_whitespace(), self.len(), |word| self.words.known(*word)),
        }
    }

    /// How many different units there are.
    pub(super) fn len(&self) -> usize {
        self.letters.len() + self.words.len()
    }
}

/// The codes of `units`: those of the alphabet, of which there are `count`, and new ones for the others.
fn numbered<U: Hash + Eq>(
    units: impl Iterator<Item = U>,
    count: usize,
    known: impl Fn(&U) -> Option<u32>,
) -> Vec<u32> {
    let mut others: std::collections::HashMap<U, u32> = std::collections::HashMap::new();
    let code = |unit: U| match known(&unit) {
        Some(number) => number + 1,
        None => {
            let next = (count + others.len()) as u32 + 1;
            *others.entry(unit).or_insert(next)
        }
    };
    units.map(code).collect()
}
