//! Files of sets of vectors: each row is a vector, and says which set it belongs to.
//!
//! In LIBSVM text the set is a whole number after the label, `label qid:SET index:value …`; in CSV files it is the column that
//! [`ReadOptions::group`] names, whose cells are texts: `1` and `01` are two sets. Sets are in the order in which they first
//! occur; their rows need not stand together. All rows of a set have the same label.

use std::collections::HashMap;
use std::path::Path;

use super::csv_cells::{Cells, guess_delimiter};
use super::input::Input;
use super::table::{self, ColumnRef, Features, Format, ReadOptions, Table};
use super::{Dense, LabelColumn, Points, Sparse, Vectors, csv, libsvm};
use crate::error::{DataProblem, ErrorKind, Result};

/// The column of a CSV file that says which set a row belongs to, where none is named.
const GROUP: &str = "group";

/// Reads a file of sets of vectors; `-` is standard input, which must be LIBSVM text.
///
/// # Errors
/// As [`read`](super::read); if a row does not say its set, or two rows of a set have different labels.
pub fn read_sets(path: &Path, options: &ReadOptions) -> Result<Table<Vec<Vectors>>> {
    let mut input = Input::open(path)?;
    let rows = match Format::of_input(&mut input, options)? {
        Format::Libsvm => libsvm_rows(input, options)?,
        Format::Csv => csv_rows(path, options)?,
        Format::Npy => {
            let what = "sets of vectors in an NPY file, which does not say which rows are a set".into();
            return Err(ErrorKind::Unsupported { what }.into());
        }
    };
    let (table, groups) = rows;
    let members = members(&groups);
    // A file of labels beside the data has one for each set.
    let labels = match (&table.labels, &options.labels_path) {
        (Some(labels), None) => Some(labels_of(labels, &members, &groups)?),
        _ => None,
    };
    let points = members.iter().map(|rows| table.points.select(rows)).collect();
    table::complete(Table { points, labels, names: table.names, encoding: table.encoding }, options)
}

fn libsvm_rows(input: Input, options: &ReadOptions) -> Result<(Table, Vec<String>)> {
    options.features.refuse("data that are no table of columns")?;
    let targets = options.targets && options.labels_path.is_none();
    let form = libsvm::Form { targets, sets: options.sets, groups: true, precomputed: false };
    let (rows, labels, groups) = libsvm::read(input, form)?;
    let points = Vectors::from(rows).compact();
    let table = Table { points, labels: Some(labels), names: Vec::new(), encoding: None };
    Ok((table, groups.iter().map(u64::to_string).collect()))
}

/// The table without the column of sets, and that column. The file is read once for each.
fn csv_rows(path: &Path, options: &ReadOptions) -> Result<(Table, Vec<String>)> {
    if path == Path::new("-") {
        let what = "sets of vectors as CSV from standard input: give a file, or LIBSVM text with qid".into();
        return Err(ErrorKind::Unsupported { what }.into());
    }
    let group = options.group.clone().unwrap_or_else(|| ColumnRef::Name(GROUP.into()));
    let column = Column::read(path, &group, options)?;
    let features = match options.features.clone() {
        Features::All => Features::Without(vec![group]),
        Features::Without(mut columns) => {
            columns.push(group);
            Features::Without(columns)
        }
        Features::Only(mut columns) => {
            columns.retain(|other| place(&column.first, other) != Some(column.place));
            Features::Only(columns)
        }
    };
    let table = table::read(path, &ReadOptions { features, labels_path: None, ..options.clone() })?;
    // Of a header there is a cell, and no row.
    let headers = column.cells.len().saturating_sub(table.points.len());
    Ok((table, column.cells[headers..].to_vec()))
}

/// A column of a CSV file as texts.
struct Column {
    /// The cells of the first row of the file.
    first: Vec<String>,
    /// Which of them is in the column.
    place: usize,
    /// The cells of the column, also that of the first row.
    cells: Vec<String>,
}

impl Column {
    fn read(path: &Path, column: &ColumnRef, options: &ReadOptions) -> Result<Self> {
        let mut input = Input::open(path)?;
        let delimiter = match options.delimiter {
            Some(delimiter) => delimiter,
            None => guess_delimiter(input.peek(csv::SNIFF)?),
        };
        let mut rows = Cells::new(input, delimiter);
        if !rows.next()? {
            return Err(ErrorKind::Data(DataProblem::Empty).into());
        }
        let text = |cell: &[u8]| String::from_utf8_lossy(cell).into_owned();
        let first: Vec<String> = (0..rows.len()).map(|k| text(rows.cell(k))).collect();
        let missing = || match column {
            ColumnRef::Name(name) => DataProblem::NoColumn(name.as_str().into()),
            ColumnRef::Number(number) => DataProblem::NoColumn(number.to_string().into()),
            ColumnRef::Absent => DataProblem::NoColumn(GROUP.into()),
        };
        let place = place(&first, column).ok_or_else(|| ErrorKind::Data(missing()))?;
        if let ColumnRef::Name(_) = column {
            csv::only_one(&first, place)?;
        }
        let mut cells = vec![first[place].clone()];
        while rows.next()? {
            cells.push(text(rows.cell(place)));
        }
        Ok(Self { first, place, cells })
    }
}

/// Where a column is in the first row, from 0.
fn place(first: &[String], column: &ColumnRef) -> Option<usize> {
    match column {
        ColumnRef::Name(name) => first.iter().position(|other| other == name),
        ColumnRef::Number(number) => number.checked_sub(1).filter(|&k| k < first.len()),
        ColumnRef::Absent => None,
    }
}

/// The rows of each set.
fn members(groups: &[String]) -> Vec<Vec<usize>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for (row, group) in groups.iter().enumerate() {
        let place = *places.entry(group).or_insert(members.len());
        if place == members.len() {
            members.push(Vec::new());
        }
        members[place].push(row);
    }
    members
}

/// The label of each set.
///
/// # Errors
/// The first row whose label is not that of its set.
fn labels_of(labels: &LabelColumn, members: &[Vec<usize>], groups: &[String]) -> Result<LabelColumn> {
    for rows in members {
        let first = labels.text(rows[0]);
        if let Some(&row) = rows.iter().find(|&&row| labels.text(row) != first) {
            let [set, label] = [groups[row].clone(), labels.text(row)].map(String::into_boxed_str);
            let problem = DataProblem::SetLabel { row: row + 1, set, label, first: first.into() };
            return Err(ErrorKind::Data(problem).into());
        }
    }
    Ok(labels.select(&members.iter().map(|rows| rows[0]).collect::<Vec<_>>()))
}

/// The vectors of some sets one after the other, and where each set begins; at last, how many vectors there are.
///
/// # Errors
/// The first set with another number of features than those before it.
pub(crate) fn stacked<'a>(sets: impl Iterator<Item = &'a Vectors> + Clone) -> Result<(Vectors, Vec<usize>)> {
    let width = sets.clone().map(Vectors::width).max().unwrap_or(0);
    let odd = sets.clone().position(|set| !set.is_sparse() && !set.is_empty() && set.width() != width);
    if let Some(set) = odd {
        let found = sets.clone().nth(set).map_or(0, Vectors::width);
        return Err(ErrorKind::Data(DataProblem::SetWidth { set: set + 1, found, expected: width }).into());
    }
    let mut start = vec![0];
    start.extend(sets.clone().scan(0, |end, set| {
        *end += set.len();
        Some(*end)
    }));
    let all = sets.flat_map(|set| (0..set.len()).map(move |i| set.row(i)));
    if all.clone().all(|row| row.stored() == width) {
        let mut values = Vec::with_capacity(width * start[start.len() - 1]);
        all.for_each(|row| row.for_each(|_, value| values.push(value)));
        return Ok((Dense::new(width, values).into(), start));
    }
    let (mut starts, mut index, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in all {
        row.for_each(|column, value| {
            if value != 0.0 {
                index.push(column as u32);
                values.push(value);
            }
        });
        starts.push(index.len());
    }
    Ok((Vectors::from(Sparse::new(width, starts, index, values)).compact(), start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str, options: &ReadOptions) -> Result<Table<Vec<Vectors>>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read_sets(&path, options)
    }

    fn refusal(name: &str, text: &str, options: &ReadOptions) -> String {
        let message = read(name, text, options).unwrap_err().to_string();
        message.rsplit_once('/').map_or(message.clone(), |(_, rest)| rest.to_owned())
    }

    #[test]
    fn rows_with_one_number_are_a_set() {
        let text = "a qid:7 1:1 2:2\nb qid:3 1:5\na qid:7 2:4\n";
        let table = read("f", text, &ReadOptions::default()).unwrap();
        assert_eq!(table.points.iter().map(Vectors::len).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(table.points[0].row(1).get(1), 4.0);
        assert_eq!(table.labels.unwrap().labels().classes(), ["a", "b"]);
        assert_eq!((table.points.width(), table.points[1].width()), (2, 2));
    }

    #[test]
    fn a_column_tells_the_sets_of_a_table() {
        let text = "group,x,z,label\nm1,1,2,u\nm2,3,4,v\nm1,5,6,u\n";
        let table = read("f.csv", text, &ReadOptions::default()).unwrap();
        assert_eq!(table.points[0], Vectors::dense(2, vec![1.0, 2.0, 5.0, 6.0]));
        assert_eq!(table.labels.unwrap().labels().index(), [0, 1]);
        assert_eq!(table.names, ["x", "z"]);
        let named = ReadOptions { group: Some(ColumnRef::Name("bag".into())), ..ReadOptions::default() };
        let table = read("f.csv", &text.replace("group", "bag"), &named).unwrap();
        assert_eq!(table.points.len(), 2);
        let other = ReadOptions { label: Some(ColumnRef::Absent), ..ReadOptions::default() };
        assert_eq!(read("f.csv", "group,x\n1,2\n1,3\n2,4\n", &other).unwrap().points.len(), 2);
    }

    #[test]
    fn flaws_are_named_with_their_place() {
        let plain = ReadOptions::default();
        let qid = "expected qid: and the number of the set after the label";
        assert_eq!(refusal("f", "1 qid:1 1:1\n1 1:2\n", &plain), format!("f:2:3: {qid}"));
        assert_eq!(refusal("f", "1 qid:x 1:1\n", &plain), format!("f:1:3: {qid}"));
        assert_eq!(refusal("f", "1\n", &plain), format!("f:1:2: {qid}"));
        let finite = "not finite: 'nan'; every value must be a finite number";
        assert_eq!(refusal("f", "1 qid:1 1:nan\n", &plain), format!("f:1:11: {finite}"));
        assert_eq!(
            refusal("f", "1 qid:1 1:1\n0 qid:1 1:2\n", &plain),
            "row 2: label '0' in set '1', whose label is '1'"
        );
        assert_eq!(refusal("f.csv", "a,b\n1,2\n", &plain), "no column 'group'");
        let label =
            "column 'x' is taken as the label, and no feature is left; name another label (--label), or none";
        assert_eq!(refusal("f.csv", "group,x\n1,1\n2,2\n", &plain), label);
        let twice = "columns 1 and 3 are both called 'group'; give each a name of its own";
        assert_eq!(refusal("f.csv", "group,x,group,y\n1,1,2,2\n", &plain), twice);
    }

    #[test]
    fn groups_are_texts_and_no_features() {
        let text = "bag,x,y\n1,1,a\n01,2,b\n1.0,3,a\n1,4,a\n";
        let column = |name: &str| ColumnRef::Name(name.into());
        let bag = ReadOptions { group: Some(column("bag")), ..ReadOptions::default() };
        let table = read("f.csv", text, &bag).unwrap();
        assert_eq!(table.points.iter().map(Vectors::len).collect::<Vec<_>>(), [2, 1, 1]);
        // By number and by name, also where it is among the columns that are chosen.
        let chosen = Features::Only(vec![ColumnRef::Number(1), column("x")]);
        let only = ReadOptions { features: chosen, ..bag };
        assert_eq!(read("f.csv", text, &only).unwrap().points, table.points);
        // Without a header, and a group in the last column, which is not taken for the label.
        let last = ReadOptions { group: Some(ColumnRef::Number(3)), ..ReadOptions::default() };
        let table = read("f.csv", "1,a,07\n2,b,7\n", &last).unwrap();
        assert_eq!((table.points.len(), table.points.width()), (2, 1));
        assert_eq!(table.labels.unwrap().labels().classes(), ["a", "b"]);
    }

    #[test]
    fn stacked_sets_have_the_same_features() {
        let sets = [Vectors::dense(2, vec![1.0, 2.0]), Vectors::dense(3, vec![0.0; 3])];
        let error = stacked(sets.iter()).unwrap_err().to_string();
        assert_eq!(error, "set 1: 2 features where other sets have 3");
        let mixed: [Vectors; 2] =
            [Vectors::dense(2, vec![1.0, 0.0]), Sparse::new(2, vec![0, 1], vec![1], vec![4.0]).into()];
        let (rows, start) = stacked(mixed.iter()).unwrap();
        assert_eq!((rows.row(0).get(0), rows.row(1).get(1), start), (1.0, 4.0, vec![0, 1, 2]));
    }
}
