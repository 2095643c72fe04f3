//! What the program says: answers on standard output, remarks on standard error.
//!
//! `println!` and `eprintln!` panic when the other end is closed; these do not.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::Serialize;

use crate::failure::{Failure, Result};

/// Writes a text to standard output.
pub(crate) fn answer(text: impl Display) -> Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
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
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes to standard output for `-` or no path, else to a file that appears whole or not at all.
pub(crate) fn write_to(
    path: Option<&Path>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    Ok(mercer::data::write_atomic(path.unwrap_or(Path::new("-")), fill)?)
}

/// Whether [`write_to`] would write to standard output.
pub(crate) fn is_stdout(path: Option<&Path>) -> bool {
    path.is_none_or(|path| path.as_os_str() == "-")
}

pub(crate) use mercer::model::words::{count, rough, seconds, short};
