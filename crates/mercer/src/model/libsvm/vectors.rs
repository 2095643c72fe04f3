//! The lines below `SV`.

use super::header::{Header, Kind};
use crate::data::{Sparse, Vectors};
use crate::error::{ParseProblem, Result};
use crate::model::lines::{Line, Lines, Word};

/// The largest feature index: what a C `int` holds.
const MAX_INDEX: u64 = (1 << 31) - 1;

/// The largest number of a training point with a precomputed kernel: one row of kernel values with all of them has 128 MB.
const MAX_SERIAL: u64 = 1 << 24;

/// Support vectors as they are read.
struct SupportVectors {
    width: usize,
    start: Vec<usize>,
    index: Vec<u32>,
    values: Vec<f64>,
}

/// The support vectors and the matrix of their coefficients, row after row. Both grow with the lines present.
pub(super) fn read(mut lines: Lines<'_>, header: &Header) -> Result<(Vectors, Vec<f64>)> {
    let mut rows = SupportVectors { width: 0, start: vec![0], index: Vec::new(), values: Vec::new() };
    let mut weights = Vec::new();
    let missing = match header.kind {
        Kind::Classifier { .. } => "a coefficient for each other class is expected",
        Kind::Regression | Kind::OneClass => "a coefficient is expected",
    };
    for _ in 0..header.total {
        let line = lines.next("a support vector")?;
        let mut words = line.words();
        for _ in 0..header.columns {
            let word = words.next().ok_or_else(|| line.error(missing))?;
            weights.push(word.number()?);
        }
        if header.precomputed {
            rows.serial(line, words)?;
        } else {
            rows.features(words)?;
        }
        rows.start.push(rows.index.len());
    }
    lines.finish("total_sv support vectors were read")?;
    Ok((Sparse::new(rows.width, rows.start, rows.index, rows.values).into(), weights))
}

impl SupportVectors {
    fn features<'a>(&mut self, words: impl Iterator<Item = Word<'a>>) -> Result<()> {
        let mut previous = 0;
        for word in words {
            let (index, value) =
                word.split(':').ok_or_else(|| word.error(ParseProblem::MissingColon(word.text.into())))?;
            let position = feature_index(index)?;
            if position <= previous {
                return Err(index.error(ParseProblem::IndexOrder { index: position, previous }));
            }
            previous = position;
            self.push(position - 1, value.number()?);
        }
        Ok(())
    }

    /// `0:serial`: the number of a training point, whose kernel values are that column of the data. A point has
    /// them all, so that the width reaches at least there.
    fn serial<'a>(&mut self, line: Line<'a>, mut words: impl Iterator<Item = Word<'a>>) -> Result<()> {
        let word = words.next().ok_or_else(|| line.error("a precomputed kernel needs 0:serial"))?;
        let serial = match word.split(':') {
            Some((index, serial)) if index.text == "0" => serial,
            _ => return Err(word.other("a precomputed kernel needs 0:serial")),
        };
        let number = feature_index(serial)?;
        if number > MAX_SERIAL {
            return Err(
                serial.other("the number of a training point of a precomputed kernel is at most 16777216")
            );
        }
        self.push(0, number as f64);
        self.width = self.width.max(number as usize + 1);
        match words.next() {
            Some(word) => Err(word.other("expected the end of the line behind 0:serial")),
            None => Ok(()),
        }
    }

    fn push(&mut self, column: u64, value: f64) {
        self.index.push(column as u32);
        self.values.push(value);
        self.width = self.width.max(column as usize + 1);
    }
}

fn feature_index(word: Word<'_>) -> Result<u64> {
    if word.text.is_empty() || !word.text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(word.error(ParseProblem::BadIndex(word.text.into())));
    }
    match word.text.parse::<u64>() {
        Ok(0) => Err(word.error(ParseProblem::IndexZero)),
        Ok(index) if index <= MAX_INDEX => Ok(index),
        _ => Err(word.error(ParseProblem::IndexTooLarge(word.text.into()))),
    }
}
