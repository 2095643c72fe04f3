//! CSV and similar formats: rows of cells, which are numbers or words, with or without a header.
//!
//! The header is recognised where the first row has a word in a column that is otherwise numeric (a table of
//! words alone has none unless the options say so, or name a column of it). The label is the column that the options name, else the one
//! called `label`, else `class`, `target` or `y`, else the last that is not left out. Columns with words become one feature per category,
//! see [`Encoding`]; a column of 20 words or more of which no two are the same is refused. White space around a cell
//! does not count; an empty cell, NaN and infinities are refused with their place, as is a row with another number of
//! cells than the first.
//!
//! Rows are cut into cells by one thread and batches of them parsed by all, a column each.
//!
//! Cost: one pass over the text; twice the memory of the result while columns become rows. Rows of many categories are sparse.

use std::collections::{HashMap, HashSet};

use super::column::ColumnBuilder;
use super::compact::is_sparse;
use super::csv_cells::{Cells, guess_delimiter};
use super::encoding::{Column, Encoding};
use super::input::Input;
use super::number;
use super::table::{ColumnRef, Features, ReadOptions, Table};
use super::{Dense, LabelColumn, Sparse, Vectors};
use crate::error::{DataProblem, Error, ErrorKind, ParseProblem, Result};
use crate::simd::huge_zeros;

/// Names of a label column, in lower case, those that count for more first.
pub(super) const LABELS: [&str; 4] = ["label", "class", "target", "y"];
/// Bytes looked at to guess what separates the cells.
pub(super) const SNIFF: usize = 64 << 10;

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
    let known = known.or_else(|| is_named(&first, options).then_some(true));

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
    layout.table(columns, rows, options.encoding.as_ref())
}

pub(super) fn builders(first: &[Vec<u8>]) -> Vec<ColumnBuilder> {
    first.iter().map(|_| ColumnBuilder::default()).collect()
}

/// Whether the first row is a header, if the columns of an earlier file decide it.
pub(super) fn known_header(first: &[Vec<u8>], encoding: Option<&Encoding>) -> Option<bool> {
    let encoding = encoding?;
    let is_name = |cell: &Vec<u8>| encoding.columns.iter().any(|column| column.name.as_bytes() == cell);
    Some(encoding.named && first.iter().any(is_name))
}

/// Whether the first row has a name that the options give to a column.
pub(super) fn is_named(first: &[Vec<u8>], options: &ReadOptions) -> bool {
    let features = match &options.features {
        Features::All => &[][..],
        Features::Only(columns) | Features::Without(columns) => columns,
    };
    let is_cell = |name: &String| first.iter().any(|cell| cell == name.as_bytes());
    let named = |column: &ColumnRef| matches!(column, ColumnRef::Name(name) if is_cell(name));
    options.label.iter().chain(features).any(named)
}

/// Whether the first row has a word in a column where all other rows have numbers.
pub(super) fn looks_like_header(first: &[Vec<u8>], columns: &[ColumnBuilder], rows: usize) -> bool {
    let is_word =
        |cell: &Vec<u8>| !cell.is_empty() && matches!(number::whole(cell), Err(ParseProblem::BadNumber(_)));
    if rows == 0 {
        return first.iter().all(is_word);
    }
    first.iter().zip(columns).any(|(cell, column)| is_word(cell) && column.as_numbers().is_some())
}

/// The role of each column of the file: feature, label or neither.
pub(super) struct Layout {
    pub(super) names: Vec<String>,
    pub(super) named: bool,
    pub(super) label: Option<usize>,
    /// The columns that are features, in the order of the features.
    pub(super) features: Vec<usize>,
    /// For each column of the file, whether it must hold numbers.
    pub(super) numbers: Vec<bool>,
}

impl Layout {
    pub(super) fn new(first: &[Vec<u8>], named: bool, options: &ReadOptions) -> Result<Self> {
        let text = |(k, cell): (usize, &Vec<u8>)| {
            if named { String::from_utf8_lossy(cell).into_owned() } else { (k + 1).to_string() }
        };
        let names = different(first.iter().enumerate().map(text));
        let label = find_label(&names, named, options)?;
        let is_named = |k: &usize| {
            named
                && (matches!(options.label, Some(ColumnRef::Name(_)))
                    || LABELS.contains(&names[*k].to_lowercase().as_str()))
        };
        label.filter(is_named).map_or(Ok(()), |k| only_one(first, k))?;
        let chosen = chosen(&names, named, &options.features, options.encoding.is_some())?;
        let rest = (0..names.len()).filter(|&k| Some(k) != label && chosen[k]);
        let mut numbers: Vec<bool> = (0..names.len()).map(|k| options.targets && Some(k) == label).collect();
        let features: Vec<usize> = match &options.encoding {
            None => {
                let features: Vec<usize> = rest.collect();
                if let (true, Some(label)) = (features.is_empty(), label) {
                    let label = names[label].as_str().into();
                    return Err(ErrorKind::Data(DataProblem::NoFeatures { label }).into());
                }
                features
            }
            Some(encoding) => {
                let features: Vec<usize> = if named && encoding.named {
                    let find = |column: &Column| find_name(&names, &column.name);
                    encoding.columns.iter().map(find).collect::<Result<_>>()?
                } else {
                    let rest: Vec<usize> = rest.collect();
                    // More columns than features: some were left out of the earlier file, and its positions tell which.
                    let placed =
                        if rest.len() > encoding.columns.len() { encoding.positions() } else { None };
                    placed
                        .filter(|placed| placed.iter().all(|k| rest.binary_search(k).is_ok()))
                        .unwrap_or(rest)
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
    ///
    /// # Errors
    /// If a new encoding would have a column of words that are all different.
    fn table(self, columns: Vec<ColumnBuilder>, rows: usize, encoding: Option<&Encoding>) -> Result<Table> {
        let mut columns: Vec<LabelColumn> = columns.into_iter().map(ColumnBuilder::finish).collect();
        let cells: Vec<&LabelColumn> = self.features.iter().map(|&k| &columns[k]).collect();
        let encoding = match encoding {
            Some(encoding) => encoding.clone(),
            None => Encoding {
                columns: self
                    .features
                    .iter()
                    .zip(&cells)
                    .map(|(&k, cells)| column(&self.names[k], cells))
                    .collect::<Result<_>>()?,
                named: self.named,
                label_name: self.label.filter(|_| self.named).map(|k| self.names[k].clone()),
                label_number: self.label.map(|k| k + 1),
            },
        };
        let entries: Vec<Entries<'_>> = encoding
            .columns
            .iter()
            .zip(cells)
            .scan(0, |at, (column, cells)| {
                let first = *at;
                *at += column.width();
                Some(Entries::new(first, column, cells))
            })
            .collect();
        let points = rows_of(&entries, rows, encoding.width());
        let labels = self.label.map(|k| columns.swap_remove(k));
        let names = if encoding.named { encoding.names() } else { Vec::new() };
        Ok(Table { points, labels, names, encoding: Some(encoding) })
    }
}

/// The names, each with a number appended if an earlier column has it already.
fn different(names: impl Iterator<Item = String>) -> Vec<String> {
    let (mut used, mut tried) = (HashSet::new(), HashMap::<String, usize>::new());
    names
        .map(|name| {
            let count = tried.entry(name.clone()).or_insert(0);
            let mut other = name.clone();
            while !used.insert(other.clone()) {
                *count += 1;
                other = format!("{name}.{count}");
            }
            other
        })
        .collect()
}

/// For each column, whether it may be a feature.
fn chosen(names: &[String], named: bool, features: &Features, known: bool) -> Result<Vec<bool>> {
    let (columns, chosen) = match features {
        _ if named && known => return Ok(vec![true; names.len()]),
        Features::All => return Ok(vec![true; names.len()]),
        Features::Only(columns) => (columns, true),
        Features::Without(columns) => (columns, false),
    };
    let mut all = vec![!chosen; names.len()];
    for column in columns {
        let k = match column {
            ColumnRef::Number(number) if (1..=names.len()).contains(number) => number - 1,
            ColumnRef::Number(number) => return Err(no_column(&number.to_string())),
            ColumnRef::Name(name) => find_name(if named { names } else { &[] }, name)?,
            ColumnRef::Absent => continue,
        };
        all[k] = chosen;
    }
    Ok(all)
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
                let mut left = vec![true; names.len()];
                if let Features::Without(_) = options.features {
                    left = chosen(names, named, &options.features, false)?;
                }
                let left = |k: &usize| left[*k];
                usual_label(names, left).or_else(|| (0..names.len()).rfind(left))
            }
        }),
    }
}

/// The column of a usual name of labels, of those that `may` be one.
pub(super) fn usual_label(names: &[String], may: impl Fn(&usize) -> bool) -> Option<usize> {
    let called = |usual: &&str| (0..names.len()).filter(&may).find(|&k| names[k].to_lowercase() == **usual);
    LABELS.iter().find_map(called)
}

/// Refuses column `k` as one that was found by its name, where another has the same.
pub(super) fn only_one<T: AsRef<[u8]>>(names: &[T], k: usize) -> Result<()> {
    let same = |j: &usize| names[*j].as_ref() == names[k].as_ref();
    let (first, second) = ((0..names.len()).find(same), (0..names.len()).rfind(same));
    match (first, second) {
        (Some(first), Some(second)) if first < second => {
            let name = String::from_utf8_lossy(names[k].as_ref()).into();
            let problem = DataProblem::TwoColumns { name, first: first + 1, second: second + 1 };
            Err(ErrorKind::Data(problem).into())
        }
        _ => Ok(()),
    }
}

fn find_name(names: &[String], name: &str) -> Result<usize> {
    names.iter().position(|other| other == name).ok_or_else(|| no_column(name))
}

fn no_column(name: &str) -> Error {
    ErrorKind::Data(DataProblem::NoColumn(name.into())).into()
}

/// Rows from which on words of which no two are the same are taken for identifiers.
const ROWS_OF_IDENTIFIERS: usize = 20;

fn column(name: &str, cells: &LabelColumn) -> Result<Column> {
    let categories = match cells {
        LabelColumn::Numbers(_) => None,
        LabelColumn::Texts { texts, codes }
            if texts.len() == codes.len() && codes.len() >= ROWS_OF_IDENTIFIERS =>
        {
            let problem = DataProblem::Identifiers { column: name.into(), rows: codes.len() };
            return Err(ErrorKind::Data(problem).into());
        }
        LabelColumn::Texts { texts, .. } => {
            let mut sorted = texts.clone();
            sorted.sort_unstable();
            Some(sorted)
        }
    };
    Ok(Column { name: name.to_owned(), categories })
}

/// What the cells of one column put into the rows.
enum Entries<'a> {
    /// Its number, at this feature.
    Numbers(usize, &'a [f64]),
    /// 1 at the feature of its category, of each row; none for a category that the encoding does not know.
    Categories(Vec<Option<usize>>),
}

impl<'a> Entries<'a> {
    /// Those of a column whose first feature is `at`.
    fn new(at: usize, column: &Column, cells: &'a LabelColumn) -> Self {
        let Some(categories) = &column.categories else {
            let numbers: &[f64] = if let LabelColumn::Numbers(numbers) = cells { numbers } else { &[] };
            return Self::Numbers(at, numbers);
        };
        let labels = cells.labels();
        let place: Vec<Option<usize>> =
            labels.classes().iter().map(|c| categories.binary_search(c).ok().map(|k| at + k)).collect();
        Self::Categories(labels.index().iter().map(|&class| place[class as usize]).collect())
    }

    /// Feature and value in row `i`.
    fn entry(&self, i: usize) -> Option<(usize, f64)> {
        match self {
            Self::Numbers(at, numbers) => numbers.get(i).map(|&value| (*at, value)),
            Self::Categories(places) => places[i].map(|at| (at, 1.0)),
        }
    }
}

/// The rows: sparse where that is known to be the form that [`Vectors::compact`] chooses, so that memory goes with the cells of the
/// file and not with rows times categories.
fn rows_of(columns: &[Entries<'_>], rows: usize, width: usize) -> Vectors {
    if !is_sparse(rows.saturating_mul(columns.len()), rows, width) {
        let mut values = huge_zeros(rows * width);
        for (i, row) in values.chunks_exact_mut(width.max(1)).enumerate() {
            columns.iter().filter_map(|column| column.entry(i)).for_each(|(k, value)| row[k] = value);
        }
        return Dense::new(width, values).into();
    }
    let (mut start, mut index, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..rows {
        for (k, value) in
            columns.iter().filter_map(|column| column.entry(i)).filter(|&(_, value)| value != 0.0)
        {
            index.push(k as u32);
            values.push(value);
        }
        start.push(index.len());
    }
    Sparse::new(width, start, index, values).into()
}

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;
