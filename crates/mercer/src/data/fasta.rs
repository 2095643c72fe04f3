//! FASTA: `>` and a header, then the lines of a sequence.
//!
//! The first word of a header is an identifier, which is not kept. A label is a field `label=value` after it, as in
//! `>seq1 label=+1 from chromosome II`; [`ColumnRef::Name`] takes a field of another name. Where no header has one there are no
//! labels, and they may lie in a file beside the data. The lines of a sequence are joined without the white space around them; its
//! letters are kept as they are. Blank lines do not count.

use std::path::Path;

use super::column::ColumnBuilder;
use super::number;
use super::table::{ColumnRef, ReadOptions, Table};
use crate::error::{DataProblem, Error, ErrorKind, ParseProblem, Result};

/// Endings of the names of such files.
const ENDINGS: [&str; 4] = ["fa", "fasta", "fna", "faa"];

/// The field that has the label.
const LABEL: &str = "label";

/// Whether the name of a file says that it is FASTA.
fn is_named(path: &Path) -> bool {
    let stem = match path.extension().and_then(|ending| ending.to_str()) {
        Some("gz" | "zst") => path.file_stem().map_or(path, Path::new),
        _ => path,
    };
    let ending = stem.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

/// Whether a file is FASTA, by its name or its first line.
pub(super) fn is_fasta(path: &Path, bytes: &[u8]) -> bool {
    let line = bytes.trim_ascii_start().split(|&byte| byte == b'\n').next().unwrap_or_default();
    is_named(path) || (line.starts_with(b">") && !line.contains(&b'\t'))
}

/// Reads sequences.
///
/// # Errors
/// With line and column if a sequence has no header, a header no label where others have one, or a line is not UTF-8.
pub(super) fn read(path: &Path, bytes: &[u8], options: &ReadOptions) -> Result<Table<Vec<String>>> {
    options.features.refuse("sequences")?;
    let name = match &options.label {
        Some(ColumnRef::Name(name)) => Some(name.as_str()),
        Some(ColumnRef::Number(column)) => {
            return Err(ErrorKind::Data(DataProblem::NoColumn(column.to_string().into())).into());
        }
        Some(ColumnRef::Absent) => None,
        None => options.labels_path.is_none().then_some(LABEL),
    };
    let (mut points, mut labels) = (Vec::<String>::new(), ColumnBuilder::default());
    // The first header without a label.
    let mut without = None;
    let mut labelled = 0;
    for (row, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let flaw = |column: usize, problem| Error::parse(path, row as u64 + 1, column as u64 + 1, problem);
        let line = std::str::from_utf8(line)
            .map_err(|error| flaw(error.valid_up_to(), ParseProblem::NotText))?
            .trim_end();
        if let Some(header) = line.strip_prefix('>') {
            points.push(String::new());
            match name.and_then(|name| field(header, name)) {
                Some((at, label)) => {
                    labelled += 1;
                    let pushed = match options.targets {
                        true => number::whole(label.as_bytes()).map(|value| labels.push_number(value)),
                        false if label.is_empty() && !options.sets => Err(ParseProblem::MissingLabel),
                        false => labels.push(label.as_bytes()),
                    };
                    pushed.map_err(|problem| flaw(at + 1, problem))?;
                }
                None if name.is_some() && without.is_none() => {
                    without = Some(flaw(0, ParseProblem::MissingLabel));
                }
                None => {}
            }
            continue;
        }
        match points.last_mut() {
            Some(sequence) => sequence.push_str(line.trim_start()),
            None if line.trim_start().is_empty() => {}
            None => return Err(flaw(0, ParseProblem::Other("a sequence without a header '>'".into()))),
        }
    }
    match without {
        Some(error) if labelled > 0 || options.label.is_some() => Err(error),
        _ => {
            let labels = (labelled > 0).then(|| labels.finish());
            Ok(Table { points, labels, names: Vec::new(), encoding: None })
        }
    }
}

/// The value of the field `name=value` after the first word of a header, and where it begins, in bytes.
fn field<'a>(header: &'a str, name: &str) -> Option<(usize, &'a str)> {
    let words = header.split_ascii_whitespace().skip(1);
    let value = words.filter_map(|word| word.strip_prefix(name)?.strip_prefix('=')).next()?;
    Some((value.as_ptr() as usize - header.as_ptr() as usize, value))
}
