//! CSV and similar formats: rows of cells, which are numbers or words, with or without a header.
//!
//! The header is recognised where the first row has a word in a column that is otherwise numeric (a table of
//! words alone has none unless the options say so). The label is the column that the options name, else the one
//! called `label`, `class`, `target` or `y`, else the last. Columns with words become one feature per category,
//! see [`Encoding`]. White space around a cell does not count; an empty cell, NaN and infinities are refused with
//! their place, as is a row with another number of cells than the first.
//!
//! Rows are cut into cells by one thread and batches of them parsed by all, a column each.
//!
//! Cost: one pass over the text; twice the memory of the result while columns become rows.

use super::column::ColumnBuilder;
use super::csv_cells::{Cells, guess_delimiter};
use super::encoding::{Column, Encoding};
use super::input::Input;
use super::number;
use super::table::{ColumnRef, ReadOptions, Table};
use super::{Dense, LabelColumn};
use crate::error::{DataProblem, Error, ErrorKind, ParseProblem, Result};

/// Names of a label column, in lower case.
const LABELS: [&str; 4] = ["label", "class", "target", "y"];
/// Bytes looked at to guess what separates the cells.
const SNIFF: usize = 64 << 10;

/// Reads a table.
///
/// # Errors
/// With line and column if a row is flawed; if a column that is needed is not there; if reading fails.
pub(crate) fn read(mut input: Input, options: &ReadOptions) -> Result<Table> {
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

    let layout = known.map(|named| Layout::new(&first, named, options)).transpose()?;
    let numbers = layout.as_ref().map(|layout| &layout.numbers[..]);

    // The first row is kept apart until it is known whether it is a header, in which words are no error.
    let mut top = builders(&first);
    let waiting = if known == Some(true) { Ok(()) } else { cells.push(&mut top, numbers) };
    let mut columns = builders(&first);
    let mut rows = 0;
    loop {
        match cells.push_batch(&mut columns, numbers)? {
            0 => break,
            count => rows += count,
        }
    }
    let named = known.unwrap_or_else(|| looks_like_header(&first, &columns, rows));
    if !named {
        waiting?;
        top.iter_mut().zip(&columns).for_each(|(top, rest)| top.append(rest));
        (columns, rows) = (top, rows + 1);
    }
    let layout = layout.map_or_else(|| Layout::new(&first, named, options), Ok)?;
    Ok(layout.table(columns, rows, options.encoding.as_ref()))
}

fn builders(first: &[Vec<u8>]) -> Vec<ColumnBuilder> {
    first.iter().map(|_| ColumnBuilder::default()).collect()
}

/// Whether the first row is a header, if the columns of an earlier file decide it.
fn known_header(first: &[Vec<u8>], encoding: Option<&Encoding>) -> Option<bool> {
    let encoding = encoding?;
    let is_name = |cell: &Vec<u8>| encoding.columns.iter().any(|column| column.name.as_bytes() == cell);
    Some(encoding.named && first.iter().any(is_name))
}

/// Whether the first row has a word in a column where all other rows have numbers.
fn looks_like_header(first: &[Vec<u8>], columns: &[ColumnBuilder], rows: usize) -> bool {
    let is_word =
        |cell: &Vec<u8>| !cell.is_empty() && matches!(number::whole(cell), Err(ParseProblem::BadNumber(_)));
    if rows == 0 {
        return first.iter().all(is_word);
    }
    first.iter().zip(columns).any(|(cell, column)| is_word(cell) && column.as_numbers().is_some())
}

/// The role of each column of the file: feature, label or neither.
struct Layout {
    names: Vec<String>,
    named: bool,
    label: Option<usize>,
    /// The columns that are features, in the order of the features.
    features: Vec<usize>,
    /// For each column of the file, whether it must hold numbers.
    numbers: Vec<bool>,
}

impl Layout {
    fn new(first: &[Vec<u8>], named: bool, options: &ReadOptions) -> Result<Self> {
        let mut names: Vec<String> = Vec::with_capacity(first.len());
        for (k, cell) in first.iter().enumerate() {
            let text = if named { String::from_utf8_lossy(cell).into_owned() } else { (k + 1).to_string() };
            names.push(unused_name(text, &names));
        }
        let label = find_label(&names, named, options)?;
        let rest = (0..names.len()).filter(|&k| Some(k) != label);
        let mut numbers: Vec<bool> = (0..names.len()).map(|k| options.targets && Some(k) == label).collect();
        let features: Vec<usize> = match &options.encoding {
            None => rest.collect(),
            Some(encoding) => {
                let features: Vec<usize> = if named && encoding.named {
                    let find = |column: &Column| find_name(&names, &column.name);
                    encoding.columns.iter().map(find).collect::<Result<_>>()?
                } else {
                    rest.collect()
                };
                let (found, expected) = (features.len(), encoding.columns.len());
                if found != expected {
                    return Err(ErrorKind::Data(DataProblem::Width { found, expected }).into());
                }
                for (&k, column) in features.iter().zip(&encoding.columns) {
                    numbers[k] = column.categories.is_none();
                }
                features
            }
        };
        Ok(Self { names, named, label, features, numbers })
    }

    /// Turns the columns into rows of features, by an earlier encoding or a new one.
    fn table(self, columns: Vec<ColumnBuilder>, rows: usize, encoding: Option<&Encoding>) -> Table {
        let mut columns: Vec<LabelColumn> = columns.into_iter().map(ColumnBuilder::finish).collect();
        let cells: Vec<&LabelColumn> = self.features.iter().map(|&k| &columns[k]).collect();
        let encoding = encoding.cloned().unwrap_or_else(|| Encoding {
            columns: self
                .features
                .iter()
                .zip(&cells)
                .map(|(&k, cells)| column(&self.names[k], cells))
                .collect(),
            named: self.named,
            label_name: self.label.filter(|_| self.named).map(|k| self.names[k].clone()),
            label_number: self.label.map(|k| k + 1),
        });
        let width = encoding.width();
        let mut values = vec![0.0; rows * width];
        let mut at = 0;
        for (column, cells) in encoding.columns.iter().zip(cells) {
            fill(&mut values, width, at, column, cells);
            at += column.width();
        }
        let labels = self.label.map(|k| columns.swap_remove(k));
        let names = if encoding.named { encoding.names() } else { Vec::new() };
        Table { points: Dense::new(width, values).into(), labels, names, encoding: Some(encoding) }
    }
}

/// The name itself, or the name with a number appended if an earlier column has it already.
fn unused_name(name: String, used: &[String]) -> String {
    if !used.contains(&name) {
        return name;
    }
    let numbered = (1..).map(|count| format!("{name}.{count}"));
    numbered.into_iter().find(|other| !used.contains(other)).unwrap_or(name)
}

/// The column that holds the label, if one does.
fn find_label(names: &[String], named: bool, options: &ReadOptions) -> Result<Option<usize>> {
    let encoding = options.encoding.as_ref();
    // As many columns as the earlier file had features: no column is left for the label.
    let bare = encoding.is_some_and(|e| !(named && e.named) && e.columns.len() == names.len());
    match &options.label {
        _ if bare => Ok(None),
        Some(ColumnRef::Absent) => Ok(None),
        Some(ColumnRef::Number(number)) if (1..=names.len()).contains(number) => Ok(Some(number - 1)),
        Some(ColumnRef::Number(number)) => Err(no_column(&number.to_string())),
        Some(ColumnRef::Name(name)) if named => match find_name(names, name) {
            Err(_) if encoding.is_some() => Ok(None),
            found => found.map(Some),
        },
        Some(ColumnRef::Name(name)) => Err(no_column(name)),
        None if options.labels_path.is_some() => Ok(None),
        None => Ok(match encoding {
            Some(Encoding { label_name: Some(label), .. }) if named => find_name(names, label).ok(),
            Some(encoding) => encoding.label_number.map(|number| number - 1).filter(|&k| k < names.len()),
            None => {
                let usual = |name: &String| LABELS.contains(&name.to_lowercase().as_str());
                names.iter().position(usual).or_else(|| names.len().checked_sub(1))
            }
        }),
    }
}

fn find_name(names: &[String], name: &str) -> Result<usize> {
    names.iter().position(|other| other == name).ok_or_else(|| no_column(name))
}

fn no_column(name: &str) -> Error {
    ErrorKind::Data(DataProblem::NoColumn(name.into())).into()
}

fn column(name: &str, cells: &LabelColumn) -> Column {
    let categories = match cells {
        LabelColumn::Numbers(_) => None,
        LabelColumn::Texts { texts, .. } => {
            let mut sorted = texts.clone();
            sorted.sort_unstable();
            Some(sorted)
        }
    };
    Column { name: name.to_owned(), categories }
}

/// Writes the features of one column, the first of them at `at`, into the rows.
fn fill(values: &mut [f64], width: usize, at: usize, column: &Column, cells: &LabelColumn) {
    let Some(categories) = &column.categories else {
        if let LabelColumn::Numbers(numbers) = cells {
            values.chunks_exact_mut(width).zip(numbers).for_each(|(row, &value)| row[at] = value);
        }
        return;
    };
    let labels = cells.labels();
    let place: Vec<Option<usize>> =
        labels.classes().iter().map(|c| categories.binary_search(c).ok()).collect();
    for (row, &class) in values.chunks_exact_mut(width.max(1)).zip(labels.index()) {
        if let Some(category) = place[class as usize] {
            row[at + category] = 1.0;
        }
    }
}

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;
