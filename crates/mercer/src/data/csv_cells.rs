//! Cells of a CSV file, row by row, and where each lies in the text.

use std::io::{self, Read};

use super::column::ColumnBuilder;
use super::input::Input;
use super::number;
use crate::error::{Error, Problem, Result};

/// What separates the cells: of comma, tab and semicolon the one most often outside quotes in the first line.
pub(crate) fn guess_delimiter(head: &[u8]) -> u8 {
    let mut counts = [(b',', 0_usize), (b'\t', 0), (b';', 0)];
    let mut quoted = false;
    let mut seen = false;
    for &byte in head {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted && seen => break,
            _ if quoted => {}
            _ => counts
                .iter_mut()
                .filter(|(delimiter, _)| *delimiter == byte)
                .for_each(|(_, count)| *count += 1),
        }
        seen |= !byte.is_ascii_whitespace();
    }
    let most = counts.iter().map(|&(_, count)| count).max().unwrap_or(0);
    counts.iter().find(|&&(_, count)| count == most).map_or(b',', |&(delimiter, _)| delimiter)
}

/// Rows of an input, all of as many cells as the first.
pub(crate) struct Cells {
    reader: csv::Reader<Recorder>,
    delimiter: u8,
    row: csv::ByteRecord,
    expected: Option<usize>,
}

impl Cells {
    pub(crate) fn new(input: Input, delimiter: u8) -> Self {
        let recorder = Recorder { input, kept: Vec::new(), from: 0, needed: 0 };
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .buffer_capacity(256 << 10)
            .from_reader(recorder);
        Self { reader, delimiter, row: csv::ByteRecord::new(), expected: None }
    }

    /// Goes to the next row; `false` at the end.
    pub(crate) fn next(&mut self) -> Result<bool> {
        let start = self.reader.position().byte();
        self.reader.get_mut().needed = start;
        match self.reader.read_byte_record(&mut self.row) {
            Ok(false) => return Ok(false),
            Ok(true) => {}
            Err(error) => {
                let input = &self.reader.get_ref().input;
                return Err(match error.into_kind() {
                    csv::ErrorKind::Io(source) => input.failure(source),
                    other => Error::io(input.path(), io::Error::other(format!("{other:?}"))),
                });
            }
        }
        let found = self.row.len();
        let expected = *self.expected.get_or_insert(found);
        if found == expected {
            return Ok(true);
        }
        Err(self.flaw(found.min(expected), Problem::Ragged { found, expected }))
    }

    /// Cells in this row.
    pub(crate) fn len(&self) -> usize {
        self.row.len()
    }

    /// Cell `k` of this row without the white space around it.
    pub(crate) fn cell(&self, k: usize) -> &[u8] {
        self.row[k].trim_ascii()
    }

    /// Appends the cells of this row to the columns; `numbers` are those where words are refused.
    pub(crate) fn push(&self, columns: &mut [ColumnBuilder], numbers: Option<&[bool]>) -> Result<()> {
        for (k, column) in columns.iter_mut().enumerate() {
            let cell = self.cell(k);
            let problem = match number::whole(cell) {
                Ok(value) => {
                    column.push_number(value);
                    continue;
                }
                Err(_) if cell.is_empty() => {
                    Problem::Other(format!("missing value in column {}", k + 1).into())
                }
                Err(Problem::BadNumber(_)) if !numbers.is_some_and(|must| must[k]) => match column.push(cell)
                {
                    Ok(()) => continue,
                    Err(problem) => problem,
                },
                Err(problem) => problem,
            };
            return Err(self.flaw(k, problem));
        }
        Ok(())
    }

    /// A flaw in cell `k` of this row, or at its end if there are fewer.
    fn flaw(&self, k: usize, problem: Problem) -> Error {
        let recorder = self.reader.get_ref();
        let (line, byte) = self.row.position().map_or((1, 0), |at| (at.line(), at.byte()));
        let raw = recorder.kept.get((byte - recorder.from) as usize..).unwrap_or_default();
        let (down, column) = place(raw, self.delimiter, k);
        Error::parse(recorder.input.path(), line + down, column, problem)
    }
}

/// Where cell `k` of the row that `raw` begins with lies: lines down, and column from 1.
fn place(raw: &[u8], delimiter: u8, k: usize) -> (u64, u64) {
    let (mut line, mut column, mut cell, mut quoted, mut begun) = (0, 1, 0, false, false);
    for &byte in raw {
        let line_end = byte == b'\n' || byte == b'\r';
        // Blank lines before the row, white space before the cell.
        if cell == k && !quoted && !line_end && byte != b' ' {
            break;
        }
        match byte {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            _ if line_end && begun => break,
            _ if byte == delimiter => cell += 1,
            _ => {}
        }
        begun |= !line_end;
        (line, column) = if byte == b'\n' { (line + 1, 1) } else { (line, column + 1) };
    }
    (line, column)
}

/// Hands an input on and keeps what a message may still point at.
struct Recorder {
    input: Input,
    kept: Vec<u8>,
    /// Byte of the text that `kept` begins with.
    from: u64,
    /// The first byte that is still needed.
    needed: u64,
}

impl Read for Recorder {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let past = ((self.needed - self.from) as usize).min(self.kept.len());
        self.kept.drain(..past);
        self.from += past as u64;
        let count = self.input.read(out)?;
        self.kept.extend_from_slice(&out[..count]);
        Ok(count)
    }
}
