//! What the program says: answers on standard output, remarks on standard error.
//!
//! `println!` and `eprintln!` panic when the other end is closed; these do not.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{BufWriter, Write, stderr, stdout};
use std::path::Path;

use serde::Serialize;

use crate::failure::{Failure, Result};

/// Writes a text to standard output.
pub(crate) fn answer(text: impl Display) -> Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    write!(out, "{text}").and_then(|()| out.flush()).map_err(Failure::Output)
}

/// Writes one line with an object to standard output.
pub(crate) fn answer_json(object: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string(object).map_err(|error| Failure::Output(error.into()))?;
    answer(format_args!("{text}\n"))
}

/// Writes a remark to standard error.
pub(crate) fn remark(text: impl Display) {
    // There is no other place to tell if even this fails.
    let _ = writeln!(stderr().lock(), "{text}");
}

/// Letters of the longest text that is a cell of a table; longer ones are cut, as names in data have no bound.
const LONGEST: usize = 60;

/// Letters up to which columns are aligned.
const WIDEST: usize = 1000;

/// A text as a cell of a table.
pub(crate) fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// Rows of cells, each column as wide as its widest cell.
pub(crate) fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let wide: [usize; N] =
        std::array::from_fn(|k| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0));
    // The width of a format is 16 bits; what is longer stands at the end of its line or takes its room.
    let cell = |(cell, &wide): (&String, &usize)| format!("{cell:<wide$}", wide = wide.min(WIDEST));
    let line = |row: &[String; N]| row.iter().zip(&wide).map(cell).collect::<Vec<_>>().join("  ");
    rows.iter().map(|row| format!("{}\n", line(row).trim_end())).collect()
}

/// Writes a text to standard output for `-`, else to a file that appears whole or not at all.
pub(crate) fn save(path: &Path, text: &str) -> mercer::Result<()> {
    mercer::data::write_atomic(path, |out| out.write_all(text.as_bytes()))
}

/// Whether a path is that of standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The smallest and the largest.
pub(crate) fn range(values: &[f64]) -> [f64; 2] {
    values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &v| [low.min(v), high.max(v)])
}

pub(crate) use mercer::model::words::{count, rough, seconds, short};
