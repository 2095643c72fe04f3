//! Support points as tensors, in their own storage and precision.
//!
//! Dense rows are one tensor `points`; sparse rows are `points.start`, `points.index` and `points.values`, and the
//! entry `columns` says how wide they are.

use safetensors::Dtype;

use super::container::{Element, Flaw, Reader, Writer};
use crate::data::{Dense, Points, Real, Sparse, Vectors, stacked};

/// Writes rows of numbers, `prefix` before all names.
pub(in crate::model) fn write_vectors(prefix: &str, points: &Vectors, writer: &mut Writer) {
    match points {
        Vectors::Dense32(rows) => write_dense(prefix, rows, writer),
        Vectors::Dense64(rows) => write_dense(prefix, rows, writer),
        Vectors::Sparse32(rows) => write_sparse(prefix, rows, writer),
        Vectors::Sparse64(rows) => write_sparse(prefix, rows, writer),
    }
}

fn write_dense<T: Real + Element>(prefix: &str, rows: &Dense<T>, writer: &mut Writer) {
    writer.tensor(&format!("{prefix}points"), &[rows.len(), rows.columns()], rows.values().iter().copied());
}

fn write_sparse<T: Real + Element>(prefix: &str, rows: &Sparse<T>, writer: &mut Writer) {
    let count = rows.len();
    writer.entry(&format!("{prefix}columns"), rows.columns().to_string());
    writer.starts(&format!("{prefix}points.start"), (0..count).map(|i| rows.row(i).0.len()));
    let values = (0..count).flat_map(|i| rows.row(i).1.iter().copied());
    let index = (0..count).flat_map(|i| rows.row(i).0.iter().copied());
    writer.tensor(&format!("{prefix}points.values"), &[rows.stored()], values);
    writer.tensor(&format!("{prefix}points.index"), &[rows.stored()], index);
}

/// Reads rows of numbers, `prefix` before all names.
pub(in crate::model) fn read_vectors(prefix: &str, reader: &mut Reader<'_>) -> Result<Vectors, Flaw> {
    let kind = |name: &str| reader.dtype(&format!("{prefix}{name}"));
    match (kind("points"), kind("points.values")) {
        (Some(Dtype::F32), None) => Ok(read_dense::<f32>(prefix, reader)?.into()),
        (Some(Dtype::F64), None) => Ok(read_dense::<f64>(prefix, reader)?.into()),
        (None, Some(Dtype::F32)) => Ok(read_sparse::<f32>(prefix, reader)?.into()),
        (None, Some(Dtype::F64)) => Ok(read_sparse::<f64>(prefix, reader)?.into()),
        (None, None) => Err(format!("no tensor '{prefix}points' or '{prefix}points.values'").into()),
        (Some(_), Some(_)) => Err("support points both dense and sparse".into()),
        _ => Err("support points must be F32 or F64".into()),
    }
}

fn read_dense<T: Real + Element>(prefix: &str, reader: &mut Reader<'_>) -> Result<Dense<T>, Flaw> {
    let (shape, values) = reader.tensor(&format!("{prefix}points"), 2)?;
    // A row without columns would be no bytes: any number of them fits into a file.
    if shape[1] == 0 && shape[0] > 0 {
        return Err("support points without features".into());
    }
    Ok(Dense::new(shape[1], values))
}

fn read_sparse<T: Real + Element>(prefix: &str, reader: &mut Reader<'_>) -> Result<Sparse<T>, Flaw> {
    let columns = reader.entry(&format!("{prefix}columns"))?;
    let columns: usize = columns.parse().map_err(|_| format!("columns = '{columns}': must be a number"))?;
    let index: Vec<u32> = reader.list(&format!("{prefix}points.index"))?;
    let values: Vec<T> = reader.list(&format!("{prefix}points.values"))?;
    // Columns are stored as `u32`: a larger width promises features that cannot be.
    if columns > Sparse::<T>::MAX_COLUMNS {
        return Err(format!("columns = {columns}: must be at most 2^32").into());
    }
    if index.len() != values.len() {
        return Err(format!("{} columns but {} values of support points", index.len(), values.len()).into());
    }
    let flaw = "the starts of support points must ascend from 0 to the number of values";
    let start = reader.starts(&format!("{prefix}points.start"), index.len(), flaw)?;
    for bounds in start.windows(2) {
        let row = &index[bounds[0]..bounds[1]];
        if !row.is_sorted_by(|a, b| a < b) || row.last().is_some_and(|&last| last as usize >= columns) {
            return Err("the columns of a support point must ascend and lie inside the width".into());
        }
    }
    Ok(Sparse::new(columns, start, index, values))
}

/// Writes texts: their bytes one after the other, and where each begins.
pub(in crate::model) fn write_texts(prefix: &str, texts: &[String], writer: &mut Writer) {
    writer.starts(&format!("{prefix}texts.start"), texts.iter().map(String::len));
    let length = texts.iter().map(String::len).sum();
    writer.tensor(&format!("{prefix}texts.bytes"), &[length], texts.iter().flat_map(|text| text.bytes()));
}

pub(in crate::model) fn read_texts(prefix: &str, reader: &mut Reader<'_>) -> Result<Vec<String>, Flaw> {
    let bytes: Vec<u8> = reader.list(&format!("{prefix}texts.bytes"))?;
    let flaw = "the starts of texts must ascend from 0 to the number of bytes";
    let start = reader.starts(&format!("{prefix}texts.start"), bytes.len(), flaw)?;
    let text = |ends: &[usize]| {
        let text = std::str::from_utf8(&bytes[ends[0]..ends[1]]);
        text.map(str::to_owned).map_err(|_| Flaw::from("a support point is not a text in UTF-8"))
    };
    start.windows(2).map(text).collect()
}

/// Writes sets of vectors: their vectors one after the other, and where each set begins.
pub(in crate::model) fn write_sets(prefix: &str, sets: &[Vectors], writer: &mut Writer) {
    writer.starts(&format!("{prefix}sets.start"), sets.iter().map(Points::len));
    // Sets of a model have the same features: a fit refuses others.
    if let Ok((vectors, _)) = stacked(sets.iter()) {
        write_vectors(prefix, &vectors, writer);
    }
}

pub(in crate::model) fn read_sets(prefix: &str, reader: &mut Reader<'_>) -> Result<Vec<Vectors>, Flaw> {
    let vectors = read_vectors(prefix, reader)?;
    let flaw = "the starts of sets must ascend from 0 to the number of vectors";
    let start = reader.starts(&format!("{prefix}sets.start"), vectors.len(), flaw)?;
    Ok(start.windows(2).map(|ends| vectors.select(&(ends[0]..ends[1]).collect::<Vec<_>>())).collect())
}
