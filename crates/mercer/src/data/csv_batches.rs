//! CSV files batch by batch, for tables of numbers that do not fit into memory.
//!
//! What the reader of whole tables decides when it has seen all rows is decided here by the first batch: whether there is a header.
//! Columns of words have no features before all their categories are known, and are refused.

use super::column::ColumnBuilder;
use super::csv::{Layout, SNIFF, builders, is_named, known_header, looks_like_header};
use super::csv_cells::{Cells, guess_delimiter};
use super::encoding::{Column, Encoding};
use super::input::Input;
use super::stream::{Piece, Seen};
use super::table::ReadOptions;
use crate::error::{DataProblem, ErrorKind, Result};

/// Visits the rows of a table of numbers, whose label may be a word.
///
/// # Errors
/// With line and column if a row is flawed; if a feature is a word; if reading or `visit` fails.
pub(super) fn for_each_batch(
    mut input: Input,
    options: &ReadOptions,
    mut visit: impl FnMut(&Piece) -> Result<()>,
) -> Result<Seen> {
    let delimiter = match options.delimiter {
        Some(delimiter) => delimiter,
        None => guess_delimiter(input.peek(SNIFF)?),
    };
    let mut cells = Cells::new(input, delimiter);
    if !cells.next()? {
        return Err(ErrorKind::Data(DataProblem::Empty).into());
    }
    let first: Vec<Vec<u8>> = (0..cells.len()).map(|k| cells.cell(k).to_vec()).collect();
    let known = options.header.or_else(|| known_header(&first, options.encoding.as_ref()));
    let known = known.or_else(|| is_named(&first, options).then_some(true));
    let layout = known.map(|named| Layout::new(&first, named, options)).transpose()?;

    let mut top = builders(&first);
    let waiting = if known == Some(true) { Ok(()) } else { cells.push(&mut top, None) };
    let mut columns = builders(&first);
    let mut count = cells.push_batch(&mut columns, None)?;
    let named = known.unwrap_or_else(|| looks_like_header(&first, &columns, count));
    let layout = layout.map_or_else(|| Layout::new(&first, named, options), Ok)?;
    if !named {
        waiting?;
        top.iter_mut().zip(&columns).for_each(|(top, rest)| top.append(rest));
        (columns, count) = (top, count + 1);
    }
    layout.features.iter().try_for_each(|&k| numbers(&layout.names[k], &columns[k]))?;
    let mut must: Vec<bool> = layout.numbers.clone();
    layout.features.iter().for_each(|&k| must[k] = true);

    let (mut piece, mut values) = (Piece::default(), Vec::new());
    while count > 0 {
        batch(&layout, &columns, count, &mut values, &mut piece);
        visit(&piece)?;
        columns.iter_mut().for_each(ColumnBuilder::clear);
        count = cells.push_batch(&mut columns, Some(&must))?;
    }
    Ok(seen(&layout, options))
}

/// The rows of a batch.
fn batch(layout: &Layout, columns: &[ColumnBuilder], rows: usize, values: &mut Vec<f64>, piece: &mut Piece) {
    let features: Vec<&[f64]> =
        layout.features.iter().map(|&k| columns[k].as_numbers().unwrap_or_default()).collect();
    values.clear();
    values.extend((0..rows).flat_map(|i| features.iter().map(move |column| column[i])));
    piece.clear();
    piece.push_dense(features.len(), values);
    if let Some(k) = layout.label {
        piece.labels.append(&columns[k]);
    }
}

/// Refuses a feature that is a word.
fn numbers(name: &str, column: &ColumnBuilder) -> Result<()> {
    if column.as_numbers().is_some() {
        return Ok(());
    }
    let what = format!("column '{name}', which has words, in a file read row by row: leave it out by --drop");
    Err(ErrorKind::Unsupported { what: what.into() }.into())
}

fn seen(layout: &Layout, options: &ReadOptions) -> Seen {
    let column = |&k: &usize| Column { name: layout.names[k].clone(), categories: None };
    let encoding = options.encoding.clone().unwrap_or_else(|| Encoding {
        columns: layout.features.iter().map(column).collect(),
        named: layout.named,
        label_name: layout.label.filter(|_| layout.named).map(|k| layout.names[k].clone()),
        label_number: layout.label.map(|k| k + 1),
    });
    Seen {
        width: layout.features.len(),
        labelled: layout.label.is_some(),
        names: if encoding.named { encoding.names() } else { Vec::new() },
        encoding: Some(encoding),
    }
}
