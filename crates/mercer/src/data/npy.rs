//! NumPy's array file (NPY versions 1 to 3): a short header, then the numbers.
//!
//! The header is not trusted: its length, shape and type are checked before memory is reserved, and the array grows with
//! the bytes that are read. `f4` becomes `f32`; `f8`, integers and booleans become `f64`. The position of an error is line
//! 1 and the byte of the file, from 1.

use std::io::Read;

use super::input::Input;
use super::npy_header::{Element, Header};
use super::stream::{Piece, Seen};
use super::table::{ColumnRef, ReadOptions, Table};
use super::{Dense, LabelColumn, Real, Vectors};
use crate::error::{DataProblem, Error, ErrorKind, ParseProblem, Result};

/// The first bytes of every NPY file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// Most bytes of a header. NumPy itself refuses headers beyond 10,000 characters as unsafe.
const LONGEST_HEADER: usize = 1 << 16;
/// Bytes decoded at a time: a whole number of elements of every size.
const PIECE: usize = 64 << 10;

/// Reads a matrix; by default all its columns are features.
///
/// # Errors
/// If the file is damaged, has another type or shape, or holds a value that is not finite.
pub(crate) fn read(mut input: Input, options: &ReadOptions) -> Result<Table> {
    let header = read_header(&mut input)?;
    let &[rows, columns] = header.shape.as_slice() else {
        return Err(flaw(&input, MAGIC.len(), "points need an array of two dimensions"));
    };
    let label = label(options, columns)?;
    let (points, labels) = if header.element == Element::Float(4) {
        let (points, labels) = split(matrix::<f32>(&mut input, &header, rows, columns)?, label);
        (Vectors::from(points), labels)
    } else {
        let (points, labels) = split(matrix::<f64>(&mut input, &header, rows, columns)?, label);
        (Vectors::from(points), labels)
    };
    Ok(Table { points, labels, names: Vec::new(), encoding: None })
}

/// Visits the rows of a matrix that is stored row after row, batch by batch.
///
/// # Errors
/// As [`read`]; if the matrix is stored column after column, or `visit` fails.
pub(super) fn for_each_batch(
    mut input: Input,
    options: &ReadOptions,
    mut visit: impl FnMut(&Piece) -> Result<()>,
) -> Result<Seen> {
    let header = read_header(&mut input)?;
    let &[rows, columns] = header.shape.as_slice() else {
        return Err(flaw(&input, MAGIC.len(), "points need an array of two dimensions"));
    };
    if header.fortran && rows > 1 && columns > 1 {
        return Err(flaw(
            &input,
            MAGIC.len(),
            "an array stored column after column cannot be read row by row",
        ));
    }
    let label = label(options, columns)?;
    let size = header.element.size();
    let Some(total) = rows.checked_mul(columns).and_then(|count| count.checked_mul(size)) else {
        return Err(flaw(&input, MAGIC.len(), "the shape is beyond what memory can address"));
    };
    if rows > 0 && columns == 0 {
        return Err(flaw(&input, MAGIC.len(), "an array without columns"));
    }
    let (mut bytes, mut values, mut piece, mut done) = (Vec::new(), Vec::new(), Piece::default(), 0);
    let (line, mut row) = (columns * size, 0);
    while done < total {
        take(&mut input, line.saturating_mul((PIECE / line).max(1)).min(total - done), &mut bytes)?;
        if bytes.is_empty() || bytes.len() % line != 0 {
            return Err(flaw(&input, header.data + done + bytes.len(), "the file ends before its array"));
        }
        done += bytes.len();
        piece.clear();
        values.clear();
        for (at, raw) in bytes.chunks_exact(size).enumerate() {
            let value = header.element.value(raw, header.big);
            let (row, column) = (row + at / columns, at % columns);
            if !value.is_finite() {
                return Err(
                    ErrorKind::Data(DataProblem::NotFinite { row: row + 1, column: column + 1 }).into()
                );
            }
            if Some(column) == label { piece.labels.push_number(value) } else { values.push(value) }
        }
        row += bytes.len() / line;
        if columns == usize::from(label.is_some()) {
            return Err(flaw(&input, MAGIC.len(), "an array without columns beside the label"));
        }
        piece.push_dense(columns - usize::from(label.is_some()), &values);
        visit(&piece)?;
    }
    take(&mut input, 1, &mut bytes)?;
    if !bytes.is_empty() {
        return Err(flaw(&input, header.data + total, "the file goes on after its array"));
    }
    let width = columns - usize::from(label.is_some() && columns > 0);
    Ok(Seen { width, labelled: label.is_some(), ..Seen::default() })
}

/// The column of the label, from 0.
fn label(options: &ReadOptions, columns: usize) -> Result<Option<usize>> {
    Ok(match &options.label {
        _ if options.labels_path.is_some() => None,
        None | Some(ColumnRef::Absent) => None,
        Some(ColumnRef::Number(number)) if (1..=columns).contains(number) => Some(number - 1),
        Some(ColumnRef::Number(number)) => return Err(no_column(&number.to_string())),
        Some(ColumnRef::Name(name)) => return Err(no_column(name)),
    })
}

/// Reads an array of one dimension (or a single column) as labels.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_labels(mut input: Input) -> Result<LabelColumn> {
    let header = read_header(&mut input)?;
    let count = match header.shape.as_slice() {
        &[count] | &[count, 1] => count,
        _ => return Err(flaw(&input, MAGIC.len(), "labels need an array of one dimension")),
    };
    Ok(LabelColumn::Numbers(matrix::<f64>(&mut input, &header, count, 1)?.values().to_vec()))
}

fn no_column(name: &str) -> Error {
    ErrorKind::Data(DataProblem::NoColumn(name.into())).into()
}

/// The error of a problem at a byte of the file, counted from 0.
fn flaw(input: &Input, byte: usize, what: &str) -> Error {
    Error::parse(input.path(), 1, byte as u64 + 1, ParseProblem::Other(what.into()))
}

/// Appends up to `count` more bytes of the input to `out`.
fn take(input: &mut Input, count: usize, out: &mut Vec<u8>) -> Result<()> {
    out.clear();
    match input.by_ref().take(count as u64).read_to_end(out) {
        Ok(_) => Ok(()),
        Err(source) => Err(input.failure(source)),
    }
}

fn read_header(input: &mut Input) -> Result<Header> {
    let mut bytes = Vec::new();
    take(input, MAGIC.len() + 2, &mut bytes)?;
    if bytes.len() < MAGIC.len() + 2 || !bytes.starts_with(MAGIC) {
        return Err(flaw(input, 0, "not an NPY file"));
    }
    let version = bytes[MAGIC.len()];
    if !(1..=3).contains(&version) {
        return Err(flaw(input, MAGIC.len(), "NPY versions 1 to 3 are supported"));
    }
    let width = if version == 1 { 2 } else { 4 };
    take(input, width, &mut bytes)?;
    let length = bytes.iter().rev().fold(0_usize, |sum, &byte| sum << 8 | usize::from(byte));
    if bytes.len() < width || length > LONGEST_HEADER {
        return Err(flaw(input, MAGIC.len() + 2, "the length of the header is not believable"));
    }
    take(input, length, &mut bytes)?;
    let start = MAGIC.len() + 2 + width;
    if bytes.len() < length {
        return Err(flaw(input, start + bytes.len(), "the file ends within its header"));
    }
    let mut header = Header::parse(&bytes).map_err(|(at, what)| flaw(input, start + at, what))?;
    header.data = start + length;
    Ok(header)
}

/// The `rows` × `columns` numbers after the header, row after row.
fn matrix<T: Real>(input: &mut Input, header: &Header, rows: usize, columns: usize) -> Result<Dense<T>> {
    let size = header.element.size();
    let total = rows.checked_mul(columns).and_then(|count| count.checked_mul(size));
    let Some(total) = total else {
        return Err(flaw(input, MAGIC.len(), "the shape is beyond what memory can address"));
    };
    if rows > 0 && columns == 0 {
        return Err(flaw(input, MAGIC.len(), "an array without columns"));
    }
    let (mut values, mut bytes, mut done) = (Vec::<T>::new(), Vec::new(), 0);
    while done < total {
        take(input, PIECE.min(total - done), &mut bytes)?;
        if bytes.is_empty() || bytes.len() % size != 0 {
            return Err(flaw(input, header.data + done + bytes.len(), "the file ends before its array"));
        }
        done += bytes.len();
        let element = bytes.chunks_exact(size).map(|raw| T::from_f64(header.element.value(raw, header.big)));
        values.extend(element);
    }
    take(input, 1, &mut bytes)?;
    if !bytes.is_empty() {
        return Err(flaw(input, header.data + total, "the file goes on after its array"));
    }
    if header.fortran {
        values = (0..rows * columns).map(|at| values[at % columns * rows + at / columns]).collect();
    }
    if let Some(at) = values.iter().position(|value| !value.to_f64().is_finite()) {
        let (row, column) = (at / columns + 1, at % columns + 1);
        return Err(ErrorKind::Data(DataProblem::NotFinite { row, column }).into());
    }
    Ok(Dense::new(columns, values))
}

/// Separates the label's column from the others.
fn split<T: Real>(all: Dense<T>, label: Option<usize>) -> (Dense<T>, Option<LabelColumn>) {
    let Some(label) = label else { return (all, None) };
    let numbers = (0..all.len()).map(|i| all.row(i)[label].to_f64()).collect();
    let kept = |(at, &value): (usize, &T)| (at % all.columns() != label).then_some(value);
    let values = all.values().iter().enumerate().filter_map(kept).collect();
    (Dense::new(all.columns() - 1, values), Some(LabelColumn::Numbers(numbers)))
}

#[cfg(test)]
#[path = "npy_tests.rs"]
mod tests;
