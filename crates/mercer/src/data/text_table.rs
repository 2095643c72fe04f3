//! Texts in a column of a CSV or TSV file.
//!
//! The column of texts is the one chosen, else the one called `text`, else the only one beside the label. The label is found as in
//! every CSV file: the column chosen, else the one called `label`, else `class`, `target` or `y`, else the last one beside the text.
//! The first row has the names where the options say so, or where one of these names is in it. White space around a text does not
//! count. A blank line is no row; an empty text alone in its row is `""`.

use super::column::ColumnBuilder;
use super::csv::{LABELS, only_one, usual_label};
use super::csv_cells::{Cells, guess_delimiter};
use super::input::Input;
use super::number;
use super::table::{ColumnRef, Features, ReadOptions, Table};
use crate::error::{DataProblem, ErrorKind, ParseProblem, Result};

/// Bytes looked at to guess what separates the cells.
const SNIFF: usize = 64 << 10;

/// The usual name of a column of texts.
pub(super) const TEXT: &str = "text";

/// Reads a table with a column of texts.
///
/// # Errors
/// With line and column if a row is flawed; if a column is not there, or it is not clear which one has the texts.
pub(super) fn read(mut input: Input, options: &ReadOptions) -> Result<Table<Vec<String>>> {
    let delimiter = match options.delimiter {
        Some(delimiter) => delimiter,
        None => guess_delimiter(input.peek(SNIFF)?),
    };
    let mut cells = Cells::new(input, delimiter);
    if !cells.next()? {
        return Err(ErrorKind::Data(DataProblem::Empty).into());
    }
    let first: Vec<String> =
        (0..cells.len()).map(|k| String::from_utf8_lossy(cells.cell(k)).into_owned()).collect();
    let named = options.header.unwrap_or_else(|| is_header(&first, options));
    let columns = Columns::new(&first, named, options)?;
    let (mut points, mut labels) = (Vec::new(), ColumnBuilder::default());
    let mut more = if named { cells.next()? } else { true };
    while more {
        let text = std::str::from_utf8(cells.cell(columns.text))
            .map_err(|_| cells.refuse(columns.text, ParseProblem::NotText))?;
        points.push(text.to_owned());
        if let Some(k) = columns.label {
            let label = cells.cell(k);
            let pushed = match options.targets && options.labels_path.is_none() {
                true => number::whole(label).map(|value| labels.push_number(value)),
                false if label.is_empty() && !options.sets => Err(ParseProblem::MissingLabel),
                false => labels.push(label),
            };
            pushed.map_err(|problem| cells.refuse(k, problem))?;
        }
        more = cells.next()?;
    }
    let labels = columns.label.map(|_| labels.finish());
    Ok(Table { points, labels, names: Vec::new(), encoding: None })
}

/// Whether the first row has a name that the options give to a column, or a usual one.
fn is_header(first: &[String], options: &ReadOptions) -> bool {
    let chosen = match &options.features {
        Features::All => &[][..],
        Features::Only(columns) | Features::Without(columns) => columns,
    };
    let named = |cell: &String| {
        let given = |column: &ColumnRef| matches!(column, ColumnRef::Name(name) if name == cell);
        let usual = cell.to_lowercase();
        usual == TEXT || LABELS.contains(&usual.as_str()) || options.label.iter().chain(chosen).any(given)
    };
    first.iter().any(named)
}

/// The columns that are read.
struct Columns {
    text: usize,
    label: Option<usize>,
}

impl Columns {
    fn new(first: &[String], named: bool, options: &ReadOptions) -> Result<Self> {
        let find = |column: &ColumnRef| -> Result<usize> {
            let place = match column {
                ColumnRef::Number(number) => number.checked_sub(1).filter(|&k| k < first.len()),
                ColumnRef::Name(name) if named => first.iter().position(|other| other == name),
                _ => None,
            };
            let name = match column {
                ColumnRef::Number(number) => number.to_string(),
                ColumnRef::Name(name) => name.clone(),
                ColumnRef::Absent => String::new(),
            };
            let place = place.ok_or_else(|| ErrorKind::Data(DataProblem::NoColumn(name.into())))?;
            if let ColumnRef::Name(_) = column {
                only_one(first, place)?;
            }
            Ok(place)
        };
        let mut rest: Vec<usize> = (0..first.len()).collect();
        let chosen = match &options.features {
            Features::All => None,
            Features::Only(columns) => match &columns[..] {
                [column] => Some(find(column)?),
                _ => return Err(several()),
            },
            Features::Without(columns) => {
                let out = columns.iter().map(find).collect::<Result<Vec<usize>>>()?;
                rest.retain(|k| !out.contains(k));
                None
            }
        };
        let called =
            (0..first.len()).find(|&k| named && first[k].to_lowercase() == TEXT && rest.contains(&k));
        let text = chosen.or(called);
        let label = match &options.label {
            Some(ColumnRef::Absent) => None,
            Some(column) => Some(find(column)?),
            None if options.labels_path.is_some() => None,
            None => {
                let free = |k: &usize| rest.contains(k) && Some(*k) != text;
                let usual = if named { usual_label(first, free) } else { None };
                usual.or_else(|| (0..first.len()).rfind(|k| free(k) && first.len() > 1))
            }
        };
        if named {
            [text, label].into_iter().flatten().try_for_each(|k| only_one(first, k))?;
        }
        rest.retain(|&k| Some(k) != label);
        let text = match (text, &rest[..]) {
            (Some(text), _) => text,
            (None, [only]) => *only,
            _ => return Err(several()),
        };
        Ok(Self { text, label })
    }
}

fn several() -> crate::error::Error {
    let what = "a table of texts in which it is not said which one column has the texts";
    ErrorKind::Unsupported { what: what.into() }.into()
}
