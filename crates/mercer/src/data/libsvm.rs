//! LIBSVM text: one row a line, `label index:value index:value …`.
//!
//! Indices count from 1 and ascend; entries that are left out are zero; white space separates entries; a blank line is
//! not a row, a line with a label alone is a row of zeros; `#` starts a comment, as in SVMlight. The text is cut into
//! blocks of whole lines that are parsed on all threads while the next blocks are read. Where blocks are cut depends on
//! the text alone, and they are joined in the order of the file, so that the result does not depend on the number of
//! threads.
//!
//! Cost: one pass over the text; memory for the result, O(entries), and for a few blocks.

use rayon::prelude::*;

use super::blocks::{BLOCK, Block, Blocks};
use super::column::ColumnBuilder;
use super::input::Input;
use super::number::{self, is_space, lossy};
use super::stream::Piece;
use super::{LabelColumn, Sparse, label_sets};
use crate::error::{Error, ParseProblem, Result};
use crate::simd::huge_vec;

/// Blocks that are parsed at once: memory grows with their number, and more threads than this have nothing to do.
const BATCH: usize = 16;
/// Size of the largest file, in bytes, for which memory is reserved at once.
const MOST_ROOM: u64 = 1 << 30;
/// The largest feature index of the format, a C `int`.
const LARGEST: u64 = i32::MAX as u64;

/// What is expected of the rows beyond the format.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Form {
    /// Rows of a precomputed Gram: indices count from 0, the column of the serial number.
    pub(crate) precomputed: bool,
    /// Labels must be numbers.
    pub(crate) targets: bool,
    /// A label is a set such as `2,5`; a missing label is an empty set.
    pub(crate) sets: bool,
    /// The label is followed by `qid:` and the number of the group that the row belongs to.
    pub(crate) groups: bool,
}

/// Reads all rows, their labels and, where the form has them, the numbers of their groups.
///
/// # Errors
/// If the text is not in the format, with line and column, or reading fails.
pub(crate) fn read(input: Input, form: Form) -> Result<(Sparse<f64>, LabelColumn, Vec<u64>)> {
    let mut all = ParsedRows::with_room(input.path());
    for_each_piece(input, form, BLOCK, |piece| {
        all.append(piece);
        Ok(())
    })?;
    Ok(all.finish())
}

/// Parses the text piece by piece and visits the pieces in the order of the file.
///
/// While one batch of blocks is parsed, the batch before is visited and the batch after is read.
pub(crate) fn for_each_piece(
    input: Input,
    form: Form,
    size: usize,
    mut visit: impl FnMut(&ParsedRows) -> Result<()> + Send,
) -> Result<()> {
    let mut blocks = Blocks::new(input, size);
    let path = blocks.path().to_owned();
    let batch = (2 * rayon::current_num_threads()).min(BATCH);
    let fresh = || (0..batch).map(|_| (Block::default(), ParsedRows::default())).collect::<Vec<_>>();
    let (mut parsed, mut current, mut next) = (fresh(), fresh(), fresh());
    let (mut done, mut filled) = (0, fill(&mut blocks, &mut current));
    while done + filled > 0 {
        let batch = &mut current[..filled];
        let parse = || {
            let one = |(block, rows): &mut (Block, ParsedRows)| rows.parse(block, form);
            batch.par_iter_mut().with_max_len(1).map(one).collect::<Vec<_>>()
        };
        let around = || {
            let visited = parsed[..done].iter().try_for_each(|(_, rows)| visit(rows));
            (visited, fill(&mut blocks, &mut next))
        };
        let (outcomes, (visited, filled_next)) = rayon::join(parse, around);
        visited?;
        for outcome in outcomes {
            outcome
                .map_err(|(line, flaw)| Error::parse(&path, line, flaw.column as u64 + 1, flaw.problem))?;
        }
        std::mem::swap(&mut parsed, &mut current);
        std::mem::swap(&mut current, &mut next);
        (done, filled) = (filled, filled_next);
    }
    blocks.finish()
}

/// Reads blocks until the text or the batch ends. Returns how many.
fn fill(blocks: &mut Blocks, batch: &mut [(Block, ParsedRows)]) -> usize {
    batch.iter_mut().map_while(|(block, _)| blocks.next(block).then_some(())).count()
}

/// An error in a line: the byte, from 0, and what is wrong there.
struct Flaw {
    column: usize,
    problem: ParseProblem,
}

/// Parsed rows of a piece of the file.
pub(crate) struct ParsedRows {
    /// For each row, the position of its first entry; at last, the number of entries.
    start: Vec<usize>,
    index: Vec<u32>,
    values: Vec<f64>,
    labels: ColumnBuilder,
    groups: Vec<u64>,
    width: usize,
}

impl Default for ParsedRows {
    fn default() -> Self {
        let labels = ColumnBuilder::default();
        Self { start: vec![0], index: Vec::new(), values: Vec::new(), labels, groups: Vec::new(), width: 0 }
    }
}

impl ParsedRows {
    /// No rows yet, with memory reserved for those of a file. An entry takes at least four bytes of text, `1:1 `; memory
    /// that is reserved and not used costs nothing.
    fn with_room(path: &std::path::Path) -> Self {
        let bytes = std::fs::metadata(path).map_or(0, |file| file.len()).min(MOST_ROOM) as usize;
        Self { index: huge_vec(bytes / 4), values: huge_vec(bytes / 4), ..Self::default() }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Columns (from 0) and values of row `i`.
    pub(crate) fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.start[i]..self.start[i + 1];
        (&self.index[range.clone()], &self.values[range])
    }

    /// The labels of the rows as numbers; empty if one is not a number, which parsing refuses if `Form::targets` is set.
    pub(crate) fn targets(&self) -> &[f64] {
        self.labels.as_numbers().unwrap_or(&[])
    }

    /// Puts the rows and their labels in place of those of a piece; gives the width.
    pub(super) fn copy_to(&self, piece: &mut Piece) -> usize {
        piece.clear();
        piece.rows.start.extend_from_slice(&self.start[1..]);
        piece.rows.index.extend_from_slice(&self.index);
        piece.rows.values.extend_from_slice(&self.values);
        piece.labels.append(&self.labels);
        self.width
    }

    /// A copy of the rows and their labels.
    pub(crate) fn copied(&self) -> (Sparse<f64>, LabelColumn) {
        let mut labels = ColumnBuilder::default();
        labels.append(&self.labels);
        let (start, index, values) = (self.start.clone(), self.index.clone(), self.values.clone());
        (Sparse::new(self.width, start, index, values), labels.finish())
    }

    fn append(&mut self, later: &Self) {
        let before = self.index.len();
        self.start.extend(later.start[1..].iter().map(|end| before + end));
        self.index.extend_from_slice(&later.index);
        self.values.extend_from_slice(&later.values);
        self.labels.append(&later.labels);
        self.groups.extend_from_slice(&later.groups);
        self.width = self.width.max(later.width);
    }

    fn finish(self) -> (Sparse<f64>, LabelColumn, Vec<u64>) {
        (Sparse::new(self.width, self.start, self.index, self.values), self.labels.finish(), self.groups)
    }

    /// Parses the lines of a block; an error comes with its line.
    fn parse(&mut self, block: &Block, form: Form) -> Result<(), (u64, Flaw)> {
        self.start.truncate(1);
        self.index.clear();
        self.values.clear();
        self.labels.clear();
        self.groups.clear();
        self.width = 0;
        let mut start = 0;
        let mut line = block.line;
        while start < block.text.len() {
            let end = memchr::memchr(b'\n', &block.text[start..]).map_or(block.text.len(), |at| start + at);
            self.line(&block.text[start..end], form).map_err(|flaw| (line, flaw))?;
            start = end + 1;
            line += 1;
        }
        Ok(())
    }

    fn line(&mut self, text: &[u8], form: Form) -> Result<(), Flaw> {
        let Some(start) = text.iter().position(|&byte| !is_space(byte)) else { return Ok(()) };
        let label = match number::prefix(&text[start..]) {
            None if form.sets && text[start] != b'#' => {
                let flaw = |(column, problem)| Flaw { column: start + column, problem };
                let set = label_sets::word(token(&text[start..])).map_err(flaw)?;
                self.labels.push(set).map_err(|problem| flaw((0, problem)))?;
                set.len()
            }
            Some((value, length)) => {
                self.labels.push_number(value);
                length
            }
            None if text[start] == b'#' => return Ok(()),
            None => {
                let token = token(&text[start..]);
                let flaw = |problem| Flaw { column: start, problem };
                if is_entry(token) {
                    return Err(flaw(ParseProblem::MissingLabel));
                }
                if form.targets {
                    self.labels.push_number(number::whole(token).map_err(flaw)?);
                } else {
                    self.labels.push(token).map_err(flaw)?;
                }
                token.len()
            }
        };
        let mut at = start + label;
        if form.groups {
            at = self.group(text, at)?;
        }
        self.entries(text, at, form.precomputed)?;
        self.start.push(self.index.len());
        Ok(())
    }

    /// Parses `qid:number` after byte `at` of a line and returns the byte after it.
    fn group(&mut self, text: &[u8], at: usize) -> Result<usize, Flaw> {
        let at = at + text[at..].iter().position(|&byte| !is_space(byte)).unwrap_or(text.len() - at);
        let token = token(&text[at..]);
        let number =
            token.strip_prefix(b"qid:").and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
        let problem =
            || ParseProblem::Other("expected qid: and the number of the set after the label".into());
        self.groups.push(number.ok_or_else(|| Flaw { column: at, problem: problem() })?);
        Ok(at + token.len())
    }

    /// Parses `index:value` pairs from byte `at` of a line on.
    #[inline]
    fn entries(&mut self, text: &[u8], mut at: usize, precomputed: bool) -> Result<(), Flaw> {
        // The column of index k is k − shift.
        let shift = u64::from(!precomputed);
        let mut least = shift;
        loop {
            while at < text.len() && is_space(text[at]) {
                at += 1;
            }
            if at == text.len() || text[at] == b'#' {
                self.width = self.width.max((least - shift) as usize);
                return Ok(());
            }
            let (index, colon) = index_at(text, at)?;
            if index < least {
                let problem = if index == 0 && !precomputed {
                    ParseProblem::IndexZero
                } else {
                    ParseProblem::IndexOrder { index, previous: least - 1 }
                };
                return Err(Flaw { column: at, problem });
            }
            least = index + 1;
            at = colon + 1;
            let (value, length) = match number::prefix(&text[at..]) {
                Some(found) => found,
                None => slow_value(&text[at..]).map_err(|problem| Flaw { column: at, problem })?,
            };
            at += length;
            self.index.push((index - shift) as u32);
            self.values.push(value);
        }
    }
}

/// The index at byte `at` and the byte of its colon.
#[inline]
fn index_at(text: &[u8], at: usize) -> Result<(u64, usize), Flaw> {
    let (mut index, mut end) = (0_u64, at);
    while end < text.len() && text[end].is_ascii_digit() {
        index = index.wrapping_mul(10).wrapping_add(u64::from(text[end] - b'0'));
        end += 1;
    }
    // Ten digits cannot overflow. An index with more digits may have leading zeros; `slow_index` parses it.
    if (1..=10).contains(&(end - at)) && text.get(end) == Some(&b':') && index <= LARGEST {
        return Ok((index, end));
    }
    slow_index(token(&text[at..]))
        .map(|(index, length)| (index, at + length))
        .map_err(|problem| Flaw { column: at, problem })
}

/// Parses an index in an unusual form, or says what is wrong with it.
#[cold]
fn slow_index(token: &[u8]) -> Result<(u64, usize), ParseProblem> {
    let Some(colon) = memchr::memchr(b':', token) else {
        return Err(ParseProblem::MissingColon(lossy(token)));
    };
    let digits = &token[..colon];
    if digits == b"qid" {
        return Err(ParseProblem::Other(
            "qid, the number of a set, where rows are points: take a kernel on sets".into(),
        ));
    }
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(ParseProblem::BadIndex(lossy(digits)));
    }
    let index = std::str::from_utf8(digits).ok().and_then(|text| text.parse::<u64>().ok());
    match index {
        Some(index) if index <= LARGEST => Ok((index, colon)),
        _ => Err(ParseProblem::IndexTooLarge(lossy(digits))),
    }
}

/// Parses a value in an unusual form and returns it with its length, or says what is wrong with it.
#[cold]
fn slow_value(text: &[u8]) -> Result<(f64, usize), ParseProblem> {
    let token = token(text);
    let token = &token[..memchr::memchr(b'#', token).unwrap_or(token.len())];
    Ok((number::whole(token)?, token.len()))
}

/// The bytes of `text` up to white space or its end.
fn token(text: &[u8]) -> &[u8] {
    &text[..text.iter().position(|&byte| is_space(byte)).unwrap_or(text.len())]
}

/// Whether a token is `index:value`: a row that begins with one has no label.
pub(crate) fn is_entry(token: &[u8]) -> bool {
    memchr::memchr(b':', token).is_some_and(|colon| {
        colon > 0
            && token[..colon].iter().all(u8::is_ascii_digit)
            && number::whole(&token[colon + 1..]).is_ok()
    })
}

#[cfg(test)]
#[path = "libsvm_tests.rs"]
mod tests;
