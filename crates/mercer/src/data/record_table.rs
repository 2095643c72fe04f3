//! Tables whose columns are of different spaces, from CSV files.
//!
//! The first row has the names. A kernel says which columns are read, and what their cells are: numbers, texts, or graphs as JSON,
//! `{"nodes": ["C", "O"], "edges": [[0, 1]]}`. The label is the column chosen, else the one called `label`, else `class`, `target` or
//! `y`, else the last one that the kernel does not read.

use std::path::Path;

use super::column::ColumnBuilder;
use super::csv::{only_one, usual_label};
use super::csv_cells::{Cells as Row, guess_delimiter, missing_value};
use super::input::Input;
use super::table::{self, ColumnRef, ReadOptions, Table};
use super::{Cells, Records, graph_json, number};
use crate::error::{DataProblem, ErrorKind, ParseProblem, Result};

/// Bytes looked at to guess what separates the cells.
const SNIFF: usize = 64 << 10;

/// Reads a table; `wanted` are the columns, each as an empty list of what its cells are.
///
/// # Errors
/// With path, line and column of a flawed cell; if a column is not there; if reading fails.
pub fn read_records(
    path: &Path,
    mut wanted: Vec<(String, Cells)>,
    options: &ReadOptions,
) -> Result<Table<Records>> {
    options.features.refuse("a table whose columns the kernel names")?;
    let mut input = Input::open(path)?;
    let delimiter = match options.delimiter {
        Some(delimiter) => delimiter,
        None => guess_delimiter(input.peek(SNIFF)?),
    };
    let mut rows = Row::new(input, delimiter);
    if !rows.next()? {
        return Err(ErrorKind::Data(DataProblem::Empty).into());
    }
    let names: Vec<String> =
        (0..rows.len()).map(|k| String::from_utf8_lossy(rows.cell(k)).into_owned()).collect();
    let find = |name: &str| -> Result<usize> {
        let place = names.iter().position(|other| other == name);
        let place = place.ok_or_else(|| ErrorKind::Data(DataProblem::NoColumn(name.into())))?;
        only_one(&names, place).map(|()| place)
    };
    let places = wanted.iter().map(|(name, _)| find(name)).collect::<Result<Vec<usize>>>()?;
    let free = |k: &usize| !places.contains(k);
    let usual = || match usual_label(&names, free) {
        Some(k) => only_one(&names, k).map(|()| Some(k)),
        None => Ok((0..names.len()).rfind(free)),
    };
    let label = match &options.label {
        Some(ColumnRef::Absent) => None,
        Some(ColumnRef::Name(name)) => Some(find(name)?),
        Some(ColumnRef::Number(number)) => {
            let place = number.checked_sub(1).filter(|&k| k < names.len());
            Some(place.ok_or_else(|| ErrorKind::Data(DataProblem::NoColumn(number.to_string().into())))?)
        }
        None if options.labels_path.is_some() => None,
        None => usual()?,
    };
    let mut labels = ColumnBuilder::default();
    while rows.next()? {
        for (&k, (_, cells)) in places.iter().zip(&mut wanted) {
            push(rows.cell(k), k, cells).map_err(|problem| rows.refuse(k, problem))?;
        }
        if let Some(k) = label {
            let cell = rows.cell(k);
            let pushed = match options.targets {
                true => number::whole(cell).map(|value| labels.push_number(value)),
                false if cell.is_empty() && !options.sets => Err(ParseProblem::MissingLabel),
                false => labels.push(cell),
            };
            pushed.map_err(|problem| rows.refuse(k, problem))?;
        }
    }
    let points = Records::new(wanted)?;
    let labels = label.map(|_| labels.finish());
    table::complete(Table { points, labels, names: Vec::new(), encoding: None }, options)
}

/// Appends a cell to its column, which is number `k` of the file, from 0. Only a text may be empty.
fn push(cell: &[u8], k: usize, cells: &mut Cells) -> Result<(), ParseProblem> {
    if cell.is_empty() && !matches!(cells, Cells::Texts(_)) {
        return Err(missing_value(k));
    }
    let text = || std::str::from_utf8(cell).map_err(|_| ParseProblem::NotText);
    match cells {
        Cells::Numbers(cells) => cells.push(number::whole(cell)?),
        Cells::Texts(cells) => cells.push(text()?.to_owned()),
        Cells::Graphs(cells) => cells.push(graph_json::one(cell)?),
        Cells::Sets(_) => {
            return Err(ParseProblem::Other("a cell cannot be a set of vectors".into()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{LabelColumn, Points};

    fn read(text: &str, wanted: &[(&str, Cells)], options: &ReadOptions) -> Result<Table<Records>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.csv");
        std::fs::write(&path, text).unwrap();
        let wanted = wanted.iter().map(|(name, cells)| ((*name).to_owned(), cells.clone())).collect();
        read_records(&path, wanted, options)
    }

    const TEXTS: Cells = Cells::Texts(Vec::new());
    const NUMBERS: Cells = Cells::Numbers(Vec::new());
    const GRAPHS: Cells = Cells::Graphs(Vec::new());

    #[test]
    fn columns_are_what_the_kernel_wants_them_to_be() {
        let text = "id,name,age,molecule,class\n1,Ada,36,\"{\"\"nodes\"\": [\"\"C\"\"], \"\"edges\"\": []}\",a\n\
                    2,\"Bo, Jr\",41.5,\"{\"\"nodes\"\": 2, \"\"edges\"\": [[0,1]]}\",b\n";
        let wanted = [("age", NUMBERS), ("name", TEXTS), ("molecule", GRAPHS)];
        let table = read(text, &wanted, &ReadOptions::default()).unwrap();
        assert_eq!(table.points.column("age").unwrap(), &Cells::Numbers(vec![36.0, 41.5]));
        assert_eq!(table.points.column("name").unwrap(), &Cells::Texts(vec!["Ada".into(), "Bo, Jr".into()]));
        let Cells::Graphs(graphs) = table.points.column("molecule").unwrap() else { panic!() };
        assert_eq!((graphs[0].nodes(), graphs[1].edges()), (1, 1));
        assert_eq!(table.labels.unwrap().labels().classes(), ["a", "b"]);
        // `label` counts for more than other usual names; an empty text is a text.
        let usual = read("class,age,name,label\n1,2,,b\n", &wanted[..2], &ReadOptions::default()).unwrap();
        assert_eq!(usual.labels.unwrap().labels().classes(), ["b"]);
        let alone = ReadOptions { label: Some(ColumnRef::Absent), ..ReadOptions::default() };
        assert_eq!(read(text, &wanted[..1], &alone).unwrap().labels, None);
        let named = ReadOptions {
            label: Some(ColumnRef::Name("id".into())),
            targets: true,
            ..ReadOptions::default()
        };
        let labels = read(text, &wanted[..1], &named).unwrap().labels;
        assert_eq!(labels, Some(LabelColumn::Numbers(vec![1.0, 2.0])));
    }

    #[test]
    fn flaws_are_named_with_their_place() {
        let refusal = |text: &str, wanted: &[(&str, Cells)]| {
            let message = read(text, wanted, &ReadOptions::default()).unwrap_err().to_string();
            message.rsplit_once('/').map_or(message.clone(), |(_, rest)| rest.to_owned())
        };
        let number = [("age", NUMBERS)];
        assert_eq!(refusal("name,age,y\na,1,0\nb,old,1\n", &number), "f.csv:3:3: not a number: 'old'");
        assert_eq!(refusal("name,y\na,1\n", &number), "no column 'age'");
        assert_eq!(refusal("age,y\n1,0\n,1\n", &number), "f.csv:3:1: missing value in column 1");
        assert_eq!(refusal("g,y\n,1\n", &[("g", GRAPHS)]), "f.csv:2:1: missing value in column 1");
        let twice = "columns 1 and 3 are both called 'age'; give each a name of its own";
        assert_eq!(refusal("age,y,age\n1,0,2\n", &number), twice);
        assert_eq!(refusal("age,y,y\n1,0,2\n", &number), twice.replace("1", "2").replace("age", "y"));
        assert_eq!(refusal("", &number), "no rows");
        assert_eq!(refusal("age,y\n", &number), "no rows");
        let graph = [("g", GRAPHS)];
        let flaw = refusal("g,y\n\"{\"\"nodes\"\": 1, \"\"edges\"\": [[0,0]]}\",1\n", &graph);
        assert!(flaw.starts_with("f.csv:2:1: ") && flaw.contains("self-loop"), "{flaw}");
        assert!(refusal("g,y\n{,1\n", &graph).starts_with("f.csv:2:1: "));
    }

    #[test]
    fn a_table_accepts_another_with_its_columns() {
        let texts = || ("t".to_owned(), Cells::Texts(vec!["x".into()]));
        let one = Records::new(vec![texts()]).unwrap();
        let more = Records::new(vec![("u".into(), Cells::Numbers(vec![1.0])), texts()]).unwrap();
        one.accepts(&more).unwrap();
        assert_eq!(more.accepts(&one).unwrap_err().to_string(), "no column 'u'");
        let other = Records::new(vec![("t".into(), Cells::Numbers(vec![1.0]))]).unwrap();
        let message = one.accepts(&other).unwrap_err().to_string();
        assert!(message.contains("column 't', which has numbers"), "{message}");
        assert!(Records::new(vec![texts(), texts()]).is_err());
        assert!(Records::new(vec![texts(), ("n".into(), Cells::Numbers(Vec::new()))]).is_err());
        assert_eq!(more.select(&[0, 0]).len(), 2);
    }
}
