//! Cells of a CSV file, row by row, and their positions in the text for messages.

use std::io::{self, Read};

use rayon::prelude::*;

use super::column::ColumnBuilder;
use super::input::Input;
use super::number;
use crate::error::{Error, ParseProblem, Result};

/// Guesses the delimiter: of comma, tab and semicolon the one that occurs most often outside quotes in the first line.
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

/// The rows of an input. All must have as many cells as the first.
pub(crate) struct Cells {
    reader: csv::Reader<Recorder>,
    delimiter: u8,
    row: csv::ByteRecord,
    batch: Vec<csv::ByteRecord>,
    expected: Option<usize>,
}

/// Rows that are cut into cells at once, before their columns are parsed on all threads.
const BATCH: usize = 1024;

impl Cells {
    pub(crate) fn new(input: Input, delimiter: u8) -> Self {
        let recorder = Recorder { input, kept: Vec::new(), from: 0, needed: 0, ended: false };
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .buffer_capacity(256 << 10)
            .from_reader(recorder);
        Self { reader, delimiter, row: csv::ByteRecord::new(), batch: Vec::new(), expected: None }
    }

    /// Reads the next row; `false` at the end.
    pub(crate) fn next(&mut self) -> Result<bool> {
        let start = self.reader.position().byte();
        self.reader.get_mut().needed = start;
        self.read_row()
    }

    /// Reads the next row and keeps the text of earlier rows, which a message may still need.
    fn read_row(&mut self) -> Result<bool> {
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
        self.check_quotes()?;
        let found = self.row.len();
        let expected = *self.expected.get_or_insert(found);
        if found == expected {
            return Ok(true);
        }
        Err(self.flaw(&self.row, found.min(expected), ParseProblem::Ragged { found, expected }))
    }

    /// Appends the cells of a batch of rows to the columns, each column on a thread of its own. Returns the number of
    /// rows, 0 at the end. The error is the first one of the text, whichever thread finds its error first.
    pub(crate) fn push_batch(
        &mut self,
        columns: &mut [ColumnBuilder],
        numbers: Option<&[bool]>,
    ) -> Result<usize> {
        let start = self.reader.position().byte();
        self.reader.get_mut().needed = start;
        let mut count = 0;
        let outcome = loop {
            match self.read_row() {
                Ok(true) if count < BATCH => {}
                outcome => break outcome,
            }
            if self.batch.len() == count {
                self.batch.push(csv::ByteRecord::new());
            }
            std::mem::swap(&mut self.batch[count], &mut self.row);
            count += 1;
            if count == BATCH {
                break Ok(true);
            }
        };
        let rows = &self.batch[..count];
        let one = |(k, column): (usize, &mut ColumnBuilder)| {
            let flaw = |(i, row): (usize, &csv::ByteRecord)| {
                push(row[k].trim_ascii(), k, column, numbers).err().map(|problem| (i, k, problem))
            };
            rows.iter().enumerate().find_map(flaw)
        };
        let flaws: Vec<_> = columns.par_iter_mut().enumerate().filter_map(one).collect();
        if let Some((i, k, problem)) = flaws.into_iter().min_by_key(|(i, k, _)| (*i, *k)) {
            return Err(self.flaw(&self.batch[i], k, problem));
        }
        outcome.map(|_| count)
    }

    /// The number of cells in the current row.
    pub(crate) fn len(&self) -> usize {
        self.row.len()
    }

    /// Cell `k` of the current row without the white space around it.
    pub(crate) fn cell(&self, k: usize) -> &[u8] {
        self.row[k].trim_ascii()
    }

    /// Appends the cells of the current row to the columns; words are refused in columns whose entry of `numbers` is true.
    pub(crate) fn push(&self, columns: &mut [ColumnBuilder], numbers: Option<&[bool]>) -> Result<()> {
        for (k, column) in columns.iter_mut().enumerate() {
            push(self.cell(k), k, column, numbers).map_err(|problem| self.flaw(&self.row, k, problem))?;
        }
        Ok(())
    }

    /// Refuses a row that ends inside quotes because the text ends there: all text after the open quote is in this row.
    fn check_quotes(&self) -> Result<()> {
        if !self.reader.get_ref().ended {
            return Ok(());
        }
        let (line, raw) = self.text(&self.row);
        let Some((down, column)) = open_quote(raw, self.delimiter) else { return Ok(()) };
        let problem = ParseProblem::Other("a quote opens here and is never closed".into());
        Err(Error::parse(self.reader.get_ref().input.path(), line + down, column, problem))
    }

    /// The error of a problem in cell `k` of the current row.
    pub(crate) fn refuse(&self, k: usize, problem: ParseProblem) -> Error {
        self.flaw(&self.row, k, problem)
    }

    /// The error of a problem in cell `k` of a row, or at the end of the row if it has fewer cells.
    fn flaw(&self, row: &csv::ByteRecord, k: usize, problem: ParseProblem) -> Error {
        let (line, raw) = self.text(row);
        let (down, column) = place(raw, self.delimiter, k);
        Error::parse(self.reader.get_ref().input.path(), line + down, column, problem)
    }

    /// The line number of a row, and the text from the row on.
    fn text(&self, row: &csv::ByteRecord) -> (u64, &[u8]) {
        let recorder = self.reader.get_ref();
        let (line, byte) = row.position().map_or((1, 0), |at| (at.line(), at.byte()));
        (line, recorder.kept.get((byte - recorder.from) as usize..).unwrap_or_default())
    }
}

/// The flaw of an empty cell in column `k`, from 0.
pub(super) fn missing_value(k: usize) -> ParseProblem {
    ParseProblem::Other(format!("missing value in column {}", k + 1).into())
}

/// Appends a cell to its column, which has number `k` from 0; a word is refused if `numbers[k]` is true.
fn push(
    cell: &[u8],
    k: usize,
    column: &mut ColumnBuilder,
    numbers: Option<&[bool]>,
) -> Result<(), ParseProblem> {
    match number::whole(cell) {
        Ok(value) => {
            column.push_number(value);
            Ok(())
        }
        Err(_) if cell.is_empty() => Err(missing_value(k)),
        Err(ParseProblem::BadNumber(_)) if !numbers.is_some_and(|must| must[k]) => column.push(cell),
        Err(problem) => Err(problem),
    }
}

/// The position of cell `k` of the row that `raw` begins with: lines below the beginning of `raw`, and column from 1.
fn place(raw: &[u8], delimiter: u8, k: usize) -> (u64, u64) {
    let (mut line, mut column, mut cell, mut quoted, mut begun) = (0, 1, 0, false, false);
    for &byte in raw {
        let line_end = byte == b'\n' || byte == b'\r';
        // Blank lines before the row and white space before the cell are skipped.
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

/// The position of the quote that is still open at the end of a text: lines below its beginning, and column from 1. A
/// quote opens at the beginning of a cell only; two quotes inside a quoted cell stand for one.
fn open_quote(text: &[u8], delimiter: u8) -> Option<(u64, u64)> {
    let (mut here, mut opened, mut beginning) = ((0, 1), None, true);
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (byte, opened) {
            (b'"', Some(_)) if bytes.next_if_eq(&b'"').is_some() => here.1 += 1,
            (b'"', Some(_)) => opened = None,
            (b'"', None) if beginning => opened = Some(here),
            _ => {}
        }
        beginning = opened.is_none() && (byte == delimiter || byte == b'\n' || byte == b'\r');
        here = if byte == b'\n' { (here.0 + 1, 1) } else { (here.0, here.1 + 1) };
    }
    opened
}

/// Passes on the bytes of an input and keeps a copy of those that a message may still need.
struct Recorder {
    input: Input,
    kept: Vec<u8>,
    /// The position in the text at which `kept` begins.
    from: u64,
    /// The position of the first byte that is still needed.
    needed: u64,
    /// Whether the whole text has been read.
    ended: bool,
}

impl Read for Recorder {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let past = ((self.needed - self.from) as usize).min(self.kept.len());
        self.kept.drain(..past);
        self.from += past as u64;
        let count = self.input.read(out)?;
        self.kept.extend_from_slice(&out[..count]);
        self.ended |= count == 0;
        Ok(count)
    }
}
