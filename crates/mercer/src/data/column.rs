//! The label column of a file: numbers or texts, whichever it holds.
//!
//! Labels that are numbers compare as numbers, so that `+1`, `1`, `1.0` and `01e0` are one class, named by its
//! shortest text. A column in which at least one label is not a finite number is a column of texts; its numbers are
//! still named by their shortest text.

use std::collections::HashMap;

use super::{Labels, number};
use crate::error::{DataProblem, ErrorKind, ParseProblem, Result};

/// One label per row: numbers if all labels are numbers, texts otherwise.
#[derive(Debug, Clone, PartialEq)]
pub enum LabelColumn {
    /// Every label is a finite number.
    Numbers(Vec<f64>),
    /// At least one label is not a finite number.
    Texts {
        /// The texts, in the order in which they first appear.
        texts: Vec<String>,
        /// For each row, the position of its label in `texts`.
        codes: Vec<u32>,
    },
}

impl LabelColumn {
    /// How many labels there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Texts { codes, .. } => codes.len(),
        }
    }

    /// Whether there are no labels.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The labels as classes, in the order in which they first appear.
    #[must_use]
    pub fn labels(&self) -> Labels {
        match self {
            Self::Texts { texts, codes } => Labels::new(texts.clone(), codes.clone()),
            Self::Numbers(values) => {
                let mut texts = Dictionary::default();
                let mut known: HashMap<u64, u32> = HashMap::new();
                let code = |&value: &f64| {
                    // −0 and 0 are one class.
                    let bits = (value + 0.0).to_bits();
                    *known.entry(bits).or_insert_with(|| texts.code(&number_text(value)))
                };
                let codes = values.iter().map(code).collect();
                Labels::new(texts.texts, codes)
            }
        }
    }

    /// The labels as numbers, for regression.
    ///
    /// # Errors
    /// If a label is not a finite number; the error names the first such label.
    pub fn numbers(&self) -> Result<Vec<f64>> {
        self.as_numbers().map(<[f64]>::to_vec)
    }

    /// The labels as numbers, where they are.
    ///
    /// # Errors
    /// As [`LabelColumn::numbers`].
    pub fn as_numbers(&self) -> Result<&[f64]> {
        match self {
            Self::Numbers(values) => Ok(values),
            Self::Texts { texts, codes } => {
                let odd = texts.iter().position(|text| number::whole(text.as_bytes()).is_err());
                // Texts are in the order of the rows, so that the first text that is not a number has the first such row.
                let row =
                    odd.and_then(|odd| codes.iter().position(|&code| code as usize == odd)).unwrap_or(0);
                let label = odd.map_or("", |odd| texts[odd].as_str()).into();
                Err(ErrorKind::Data(DataProblem::LabelNotNumber { row: row + 1, label }).into())
            }
        }
    }

    /// The labels of the rows at `index`.
    #[must_use]
    pub fn select(&self, index: &[usize]) -> Self {
        match self {
            Self::Numbers(values) => Self::Numbers(index.iter().map(|&i| values[i]).collect()),
            Self::Texts { texts, codes } => {
                let labels = Labels::first_seen(index.iter().map(|&i| &texts[codes[i] as usize]));
                Self::Texts { texts: labels.classes().to_vec(), codes: labels.index().to_vec() }
            }
        }
    }

    /// Label `i` as text.
    #[must_use]
    pub fn text(&self, i: usize) -> String {
        match self {
            Self::Numbers(values) => number_text(values[i]),
            Self::Texts { texts, codes } => texts[codes[i] as usize].clone(),
        }
    }
}

/// The shortest text that reads back as `value`: whole numbers without a decimal point, powers of ten only
/// where plain digits would be long.
#[must_use]
pub fn number_text(value: f64) -> String {
    // From 10¹⁶ on `Debug` writes an exponent; below, whole numbers end in `.0`.
    if value == 0.0 {
        "0".into()
    } else if value.fract() == 0.0 && value.abs() < 1e16 {
        format!("{value}")
    } else {
        format!("{value:?}")
    }
}

/// Different texts and their positions, in the order in which they first appear.
#[derive(Debug, Default)]
struct Dictionary {
    texts: Vec<String>,
    codes: HashMap<String, u32>,
}

impl Dictionary {
    fn code(&mut self, text: &str) -> u32 {
        if let Some(&code) = self.codes.get(text) {
            return code;
        }
        let code = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.codes.insert(text.to_owned(), code);
        code
    }
}

/// Builds a label column, label by label or piece by piece.
#[derive(Debug, Default)]
pub(crate) struct ColumnBuilder {
    numbers: Vec<f64>,
    texts: Option<(Dictionary, Vec<u32>)>,
}

impl ColumnBuilder {
    /// Removes all labels and keeps the memory for others.
    pub(crate) fn clear(&mut self) {
        self.numbers.clear();
        self.texts = None;
    }

    /// Appends a label that is known to be a number.
    #[inline]
    pub(crate) fn push_number(&mut self, value: f64) {
        match &mut self.texts {
            None => self.numbers.push(value),
            Some((dictionary, codes)) => codes.push(dictionary.code(&number_text(value))),
        }
    }

    /// Appends a label of any kind.
    ///
    /// # Errors
    /// If the label is not UTF-8, contains a byte 0, or is a number that is not finite.
    pub(crate) fn push(&mut self, label: &[u8]) -> Result<(), ParseProblem> {
        match number::whole(label) {
            Ok(value) => {
                self.push_number(value);
                return Ok(());
            }
            Err(problem @ ParseProblem::NotFinite(_)) => return Err(problem),
            Err(_) if label.contains(&0) => return Err(ParseProblem::Other("a byte 0 in a label".into())),
            Err(_) => {}
        }
        let text = std::str::from_utf8(label).map_err(|_| ParseProblem::NotText)?;
        let (dictionary, codes) = self.as_texts();
        codes.push(dictionary.code(text));
        Ok(())
    }

    /// Appends the labels of a later piece of the file.
    pub(crate) fn append(&mut self, later: &Self) {
        match &later.texts {
            None if self.texts.is_none() => self.numbers.extend_from_slice(&later.numbers),
            None => later.numbers.iter().for_each(|&value| self.push_number(value)),
            Some((theirs, codes)) => {
                let (ours, all) = self.as_texts();
                let place: Vec<u32> = theirs.texts.iter().map(|text| ours.code(text)).collect();
                all.extend(codes.iter().map(|&code| place[code as usize]));
            }
        }
    }

    /// The labels appended so far, if all of them are numbers.
    pub(crate) fn as_numbers(&self) -> Option<&[f64]> {
        self.texts.is_none().then_some(&self.numbers)
    }

    /// The finished column.
    pub(crate) fn finish(self) -> LabelColumn {
        match self.texts {
            None => LabelColumn::Numbers(self.numbers),
            Some((dictionary, codes)) => LabelColumn::Texts { texts: dictionary.texts, codes },
        }
    }

    fn as_texts(&mut self) -> &mut (Dictionary, Vec<u32>) {
        let numbers = &mut self.numbers;
        self.texts.get_or_insert_with(|| {
            let mut dictionary = Dictionary::default();
            let codes = numbers.drain(..).map(|value| dictionary.code(&number_text(value))).collect();
            (dictionary, codes)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(labels: &[&str]) -> LabelColumn {
        let mut builder = ColumnBuilder::default();
        labels.iter().for_each(|label| builder.push(label.as_bytes()).unwrap());
        builder.finish()
    }

    #[test]
    fn spellings_of_a_number_are_one_class() {
        let labels = column(&["+1", "-1", "1", "01e0", "1.0", "-1.00", "0", "-0"]).labels();
        assert_eq!(labels.classes(), ["1", "-1", "0"]);
        assert_eq!(labels.index(), [0, 1, 0, 0, 0, 1, 2, 2]);
        let mixed = column(&["+1", "a", "1.0", "1,2"]).labels();
        assert_eq!(mixed.classes(), ["1", "a", "1,2"]);
        assert_eq!(mixed.index(), [0, 1, 0, 2]);
    }

    #[test]
    fn numbers_print_short_and_come_back() {
        for (value, text) in [
            (1.0, "1"),
            (-2.5, "-2.5"),
            (1e15, "1000000000000000"),
            (1e16, "1e16"),
            (0.1 + 0.2, "0.30000000000000004"),
        ] {
            assert_eq!(number_text(value), text);
        }
        for value in [f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e-5, 123456.789, 9007199254740993.0] {
            assert_eq!(number_text(value).parse::<f64>().unwrap(), value);
        }
    }

    #[test]
    fn a_text_among_numbers_is_named() {
        assert_eq!(column(&["1", "2"]).numbers().unwrap(), [1.0, 2.0]);
        let error = column(&["1", "none", "x"]).numbers().unwrap_err();
        assert_eq!(error.to_string(), "row 2: label 'none' is not a number");
    }

    #[test]
    fn pieces_join_to_the_same_column_as_one() {
        let all = ["3", "1", "b", "3.0", "a", "b", "7"];
        for cut in 0..all.len() {
            let mut joined = ColumnBuilder::default();
            for part in [&all[..cut], &all[cut..]] {
                let mut piece = ColumnBuilder::default();
                part.iter().for_each(|label| piece.push(label.as_bytes()).unwrap());
                joined.append(&piece);
            }
            assert_eq!(joined.finish(), column(&all));
        }
    }
}
