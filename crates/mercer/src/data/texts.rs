//! Files of texts: `label<TAB>text`, one row a line.
//!
//! A label is what stands before the first tab, and the rest of the line is the text, tabs included; blank lines are left
//! out. Without labels ([`ColumnRef::Absent`], or a file of labels beside the data) the whole line is the text. The file is
//! UTF-8 and may be compressed by gzip or zstd.

use std::io::Read;
use std::path::Path;

use super::column::ColumnBuilder;
use super::input::Input;
use super::number;
use super::table::{self, ColumnRef, ReadOptions, Table};
use crate::error::{DataProblem, Error, ErrorKind, ParseProblem, Result};

/// Reads a file of texts; `-` is standard input. Of the options those about labels are looked at.
///
/// # Errors
/// With path, line and column if a line is not UTF-8 or has no tab where there are labels; if there are no rows, or not
/// one label per row; if reading fails.
pub fn read_texts(path: &Path, options: &ReadOptions) -> Result<Table<Vec<String>>> {
    read_input(Input::open(path)?, options)
}

/// Reads texts from `reader`; `name` is what messages call it.
///
/// # Errors
/// As [`read_texts`].
pub fn read_texts_from(
    name: &Path,
    reader: impl Read + Send + 'static,
    options: &ReadOptions,
) -> Result<Table<Vec<String>>> {
    read_input(Input::new(name, reader)?, options)
}

fn read_input(mut input: Input, options: &ReadOptions) -> Result<Table<Vec<String>>> {
    options.features.refuse("texts")?;
    let labelled = match &options.label {
        Some(ColumnRef::Absent) => false,
        None => options.labels_path.is_none(),
        Some(ColumnRef::Number(1)) => true,
        Some(ColumnRef::Number(column)) => return Err(no_column(&column.to_string())),
        Some(ColumnRef::Name(name)) => return Err(no_column(name)),
    };
    let path = input.path().to_owned();
    let mut bytes = Vec::new();
    if let Err(source) = input.read_to_end(&mut bytes) {
        return Err(input.failure(source));
    }
    let (mut points, mut labels) = (Vec::new(), ColumnBuilder::default());
    for (line, row) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let flaw = |column: usize, problem| Error::parse(&path, line as u64 + 1, column as u64 + 1, problem);
        let row = row.strip_suffix(b"\r").unwrap_or(row);
        if row.trim_ascii().is_empty() {
            continue;
        }
        let mut text = row;
        if labelled {
            let tab = row.iter().position(|&byte| byte == b'\t');
            let tab =
                tab.ok_or_else(|| flaw(0, ParseProblem::Other("no tab between a label and a text".into())))?;
            text = &row[tab + 1..];
            let label = row[..tab].trim_ascii();
            let pushed = match options.targets && options.labels_path.is_none() {
                true => number::whole(label).map(|value| labels.push_number(value)),
                false if label.is_empty() && !options.sets => Err(ParseProblem::MissingLabel),
                false => labels.push(label),
            };
            pushed.map_err(|problem| flaw(0, problem))?;
        }
        let text = std::str::from_utf8(text)
            .map_err(|error| flaw(row.len() - text.len() + error.valid_up_to(), ParseProblem::NotText))?;
        points.push(text.to_owned());
    }
    let labels = labelled.then(|| labels.finish());
    table::complete(Table { points, labels, names: Vec::new(), encoding: None }, options)
}

fn no_column(name: &str) -> Error {
    ErrorKind::Data(DataProblem::NoColumn(name.into())).into()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::data::LabelColumn;
    use crate::data::input::tests::gzip;

    fn read(bytes: impl Into<Vec<u8>>, options: &ReadOptions) -> Result<Table<Vec<String>>> {
        read_texts_from(Path::new("f"), Cursor::new(bytes.into()), options)
    }

    #[test]
    fn labels_stand_before_the_first_tab() {
        let text = "ham\tGo until, crazy..\r\n\nspam\tFree\tentry\nham\t\n";
        for bytes in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
            let table = read(bytes, &ReadOptions::default()).unwrap();
            assert_eq!(table.points, ["Go until, crazy..", "Free\tentry", ""]);
            assert_eq!(table.labels.unwrap().labels().index(), [0, 1, 0]);
        }
        let numbers = ReadOptions { targets: true, ..ReadOptions::default() };
        let table = read("1.5\tabc\n-2\tä\n", &numbers).unwrap();
        assert_eq!(
            (table.points[1].as_str(), table.labels),
            ("ä", Some(LabelColumn::Numbers(vec![1.5, -2.0])))
        );
    }

    #[test]
    fn texts_alone_are_whole_lines() {
        let alone = ReadOptions { label: Some(ColumnRef::Absent), ..ReadOptions::default() };
        let table = read("a b\tc\n\n d \n", &alone).unwrap();
        assert_eq!((table.points, table.labels), (vec!["a b\tc".to_owned(), " d ".to_owned()], None));
        assert_eq!(read("", &alone).unwrap_err().to_string(), "no rows");
    }

    #[test]
    fn flaws_are_named_with_their_place() {
        let plain = ReadOptions::default();
        let refusal = |bytes: &[u8], options: &ReadOptions| read(bytes, options).unwrap_err().to_string();
        assert_eq!(refusal(b"a\tx\n\nb y\n", &plain), "f:3:1: no tab between a label and a text");
        assert_eq!(refusal(b"a\tx\nb\ty\xffz\n", &plain), "f:2:4: not UTF-8 text");
        assert_eq!(refusal(b"\xff\tx\n", &plain), "f:1:1: not UTF-8 text");
        assert_eq!(refusal(b"a\tx\n \ty\n", &plain), "f:2:1: a row without a label");
        let numbers = ReadOptions { targets: true, ..ReadOptions::default() };
        assert_eq!(refusal(b"1\tx\nhigh\ty\n", &numbers), "f:2:1: not a number: 'high'");
        let second = ReadOptions { label: Some(ColumnRef::Number(2)), ..ReadOptions::default() };
        assert_eq!(refusal(b"a\tx\n", &second), "no column '2'");
        let damaged = &gzip(&b"a\tx\n".repeat(100))[..30];
        assert!(refusal(damaged, &plain).ends_with("the compressed data ends early or is damaged"));
    }
}
