//! Files of texts: lines `label<TAB>text`, FASTA, or a column of a CSV or TSV file. Each is UTF-8 and may be compressed by gzip or
//! zstd.
//!
//! In lines of label and text a label is what stands before the first tab, and the rest of the line is the text, tabs included;
//! blank lines are left out, and so is a first line `label<TAB>text` (or with another usual name of a label). Without labels
//! ([`ColumnRef::Absent`], or a file of labels beside the data) each line is a text, also an empty one.
//!
//! A file is FASTA where its name says so (`.fa`, `.fasta`, `.fna`, `.faa`) or its first line begins with `>` and has no tab.
//! It is a table where its name ends in `.csv`, where the first line has names between tabs, `text` and that of a label among
//! them, or where the options choose a column of features, name that of the label, say whether there is a header or what
//! separates the cells.

use std::io::Read;
use std::path::Path;

use super::column::ColumnBuilder;
use super::csv::LABELS;
use super::input::Input;
use super::table::{self, ColumnRef, Features, Format, ReadOptions, Table};
use super::text_table::{self, TEXT};
use super::{fasta, number};
use crate::error::{DataProblem, Error, ErrorKind, ParseProblem, Result};

/// Bytes looked at to tell one form from another.
const SNIFF: usize = 64 << 10;

/// Reads a file of texts; `-` is standard input.
///
/// # Errors
/// With path, line and column if a line is not UTF-8 or has no tab where there are labels, a sequence no header, a row not as many
/// cells as the first; if there are no rows, or not one label per row; if reading fails.
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
    let path = input.path().to_owned();
    let head = input.peek(SNIFF)?;
    let is_fasta = !is_csv(&path) && fasta::is_fasta(&path, head);
    if !is_fasta && (is_table(&path, options) || header(head) == Some(Header::Other)) {
        return table::complete(text_table::read(input, options)?, options);
    }
    let mut bytes = Vec::new();
    if let Err(source) = input.read_to_end(&mut bytes) {
        return Err(input.failure(source));
    }
    let table = match is_fasta {
        true => fasta::read(&path, &bytes, options)?,
        false => read_lines(&path, &bytes, options)?,
    };
    table::complete(table, options)
}

fn is_csv(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
    name.trim_end_matches(".gz").trim_end_matches(".zst").ends_with(".csv")
}

/// Whether texts are in a column of a table.
fn is_table(path: &Path, options: &ReadOptions) -> bool {
    options.features != Features::All
        || options.header.is_some()
        || options.delimiter.is_some()
        || options.format == Some(Format::Csv)
        || matches!(options.label, Some(ColumnRef::Name(_)))
        || is_csv(path)
}

/// A first line of names between tabs.
#[derive(Debug, PartialEq)]
enum Header {
    /// A label, then the text: the order of lines without a header.
    LabelAndText,
    /// Any other with a text and a label.
    Other,
}

/// The names in the first line, where these are `text` and the usual one of a label.
fn header(head: &[u8]) -> Option<Header> {
    let line = std::str::from_utf8(head.split(|&byte| byte == b'\n').next()?).ok()?.to_lowercase();
    let names: Vec<&str> = line.split('\t').map(str::trim).collect();
    let is_label = |name: &&str| LABELS.contains(name);
    match &names[..] {
        [label, TEXT] if is_label(label) => Some(Header::LabelAndText),
        names if names.contains(&TEXT) && names.iter().any(is_label) => Some(Header::Other),
        _ => None,
    }
}

/// Lines of label and text.
fn read_lines(path: &Path, bytes: &[u8], options: &ReadOptions) -> Result<Table<Vec<String>>> {
    let labelled = match &options.label {
        Some(ColumnRef::Absent) => false,
        None => options.labels_path.is_none(),
        Some(ColumnRef::Number(1)) => true,
        Some(ColumnRef::Number(column)) => return Err(no_column(&column.to_string())),
        Some(ColumnRef::Name(name)) => return Err(no_column(name)),
    };
    let (mut points, mut labels) = (Vec::new(), ColumnBuilder::default());
    let named = labelled && header(bytes) == Some(Header::LabelAndText);
    // The last line end begins no line.
    let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|&byte| byte == b'\n');
    let lines = lines.enumerate().filter(|_| !bytes.is_empty()).skip(usize::from(named));
    for (line, row) in lines {
        let flaw = |column: usize, problem| Error::parse(path, line as u64 + 1, column as u64 + 1, problem);
        let row = row.strip_suffix(b"\r").unwrap_or(row);
        let mut text = row;
        if labelled {
            if row.trim_ascii().is_empty() && !row.contains(&b'\t') {
                continue;
            }
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
    Ok(Table { points, labels, names: Vec::new(), encoding: None })
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
        assert_eq!((table.points, table.labels), (texts(&["a b\tc", "", " d "]), None));
        // Every line is a text, also the last one and those of spaces; a line end begins no line.
        assert_eq!(read("abc\r\n\r\n  \nabd\n\n", &alone).unwrap().points, ["abc", "", "  ", "abd", ""]);
        assert_eq!(read("\nabc", &alone).unwrap().points, ["", "abc"]);
        assert_eq!(read("", &alone).unwrap_err().to_string(), "no rows");
    }

    #[test]
    fn a_first_line_may_have_the_names() {
        let plain = ReadOptions::default();
        let table = read("Label\tText\na\t\"x\nb\ty\tz\n", &plain).unwrap();
        assert_eq!(table.points, ["\"x", "y\tz"]);
        assert_eq!(table.labels.unwrap().labels().classes(), ["a", "b"]);
        let table = read("id\ttext\tclass\n1\tx y\ta\n2\tz\tb\n", &plain).unwrap();
        assert_eq!(table.points, ["x y", "z"]);
        assert_eq!(table.labels.unwrap().labels().classes(), ["a", "b"]);
        // A class called y, and a label called class.
        let table = read("y\tsome text\nclass\ttexts\n", &plain).unwrap();
        assert_eq!(table.labels.unwrap().labels().classes(), ["y", "class"]);
        let alone = ReadOptions { label: Some(ColumnRef::Absent), ..plain };
        assert_eq!(read("label\ttext\n", &alone).unwrap().points, ["label\ttext"]);
    }

    #[test]
    fn flaws_are_named_with_their_place() {
        let plain = ReadOptions::default();
        let refusal = |bytes: &[u8], options: &ReadOptions| read(bytes, options).unwrap_err().to_string();
        assert_eq!(refusal(b"a\tx\n\nb y\n", &plain), "f:3:1: no tab between a label and a text");
        assert_eq!(refusal(b"a\tx\nb\ty\xffz\n", &plain), "f:2:4: not UTF-8 text");
        assert_eq!(refusal(b"\xff\tx\n", &plain), "f:1:1: not UTF-8 text");
        assert_eq!(refusal(b"a\tx\n \ty\n", &plain), "f:2:1: a row without a label");
        assert_eq!(refusal(b"a\tx\n\t\n", &plain), "f:2:1: a row without a label");
        let numbers = ReadOptions { targets: true, ..ReadOptions::default() };
        assert_eq!(refusal(b"1\tx\nhigh\ty\n", &numbers), "f:2:1: not a number: 'high'");
        let second = ReadOptions { label: Some(ColumnRef::Number(2)), ..ReadOptions::default() };
        assert_eq!(refusal(b"a\tx\n", &second), "no column '2'");
        let damaged = &gzip(&b"a\tx\n".repeat(100))[..30];
        assert!(refusal(damaged, &plain).ends_with("the compressed data ends early or is damaged"));
    }

    fn named(name: &str, bytes: &str, options: &ReadOptions) -> Result<Table<Vec<String>>> {
        read_texts_from(Path::new(name), Cursor::new(bytes.as_bytes().to_vec()), options)
    }

    #[test]
    fn sequences_have_headers() {
        let text = "\n>s1 label=+1 acceptor\nACGT\n  ACG \r\n\nT\n>s2 label=-1\n>s3 x label=1\ntt\n";
        let table = read(text, &ReadOptions::default()).unwrap();
        assert_eq!(table.points, ["ACGTACGT", "", "tt"]);
        assert_eq!(table.labels, Some(LabelColumn::Numbers(vec![1.0, -1.0, 1.0])));
        let kind = ReadOptions { label: Some(ColumnRef::Name("kind".into())), ..ReadOptions::default() };
        let table = named("s.fa.gz", ">a kind=exon\nA\n>b kind=intron\nC\n", &kind).unwrap();
        assert_eq!(table.labels.unwrap().labels().classes(), ["exon", "intron"]);
        // Without labels, and with labels beside the data.
        let bare = ">sp|P1|X_HUMAN protein\nMK\n>b\nMM\n";
        assert_eq!(read(bare, &ReadOptions::default()).unwrap().labels, None);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels");
        std::fs::write(&path, "in\nout\n").unwrap();
        let beside = ReadOptions { labels_path: Some(path), ..ReadOptions::default() };
        assert_eq!(read(bare, &beside).unwrap().labels.unwrap().labels().index(), [0, 1]);
        // A label that begins as a header does.
        assert_eq!(read(">50\trich\n", &ReadOptions::default()).unwrap().points, ["rich"]);
    }

    #[test]
    fn flaws_of_sequences_are_named_with_their_place() {
        let plain = ReadOptions::default();
        let refusal = |bytes: &[u8], options: &ReadOptions| read(bytes, options).unwrap_err().to_string();
        assert_eq!(refusal(b">a label=1\nAC\n>b\nA\n", &plain), "f:3:1: a row without a label");
        assert_eq!(refusal(b">a\nAC\xff\n", &plain), "f:2:3: not UTF-8 text");
        let numbers = ReadOptions { targets: true, ..plain.clone() };
        assert_eq!(refusal(b">a label=1\nA\n>b label=x\nA\n", &numbers), "f:3:10: not a number: 'x'");
        let message = named("s.fasta", "ACGT\n>a\n", &plain).unwrap_err().to_string();
        assert_eq!(message, "s.fasta:1:1: a sequence without a header '>'");
        let second = ReadOptions { label: Some(ColumnRef::Number(2)), ..plain };
        assert_eq!(refusal(b">a\nA\n", &second), "no column '2'");
    }

    #[test]
    fn texts_may_be_a_column_of_a_table() {
        let column = |name: &str| ColumnRef::Name(name.into());
        let csv = "id,body,stars,kind\n1,\"good, cheap\",5,a\n2, bad ,1,b\n";
        let chosen = ReadOptions {
            label: Some(column("kind")),
            features: Features::Only(vec![column("body")]),
            ..ReadOptions::default()
        };
        let table = read(csv, &chosen).unwrap();
        assert_eq!(table.points, ["good, cheap", "bad"]);
        assert_eq!(table.labels.unwrap().labels().classes(), ["a", "b"]);
        let usual = named("t.csv", "text;label\nx y;1\nz;2\n", &ReadOptions::default()).unwrap();
        assert_eq!(usual.points, ["x y", "z"]);
        assert_eq!(usual.labels, Some(LabelColumn::Numbers(vec![1.0, 2.0])));
        let by_number = ReadOptions {
            label: Some(ColumnRef::Number(3)),
            features: Features::Only(vec![ColumnRef::Number(1)]),
            ..ReadOptions::default()
        };
        let table = read("some words\t7\tb\nmore\t8\ta\n", &by_number).unwrap();
        assert_eq!((table.points, table.labels.unwrap().len()), (texts(&["some words", "more"]), 2));
        let alone = ReadOptions { label: Some(ColumnRef::Absent), ..ReadOptions::default() };
        assert_eq!(named("t.csv", "text\nx\ny\n", &alone).unwrap().points, ["x", "y"]);

        let refusal = |text: &str, options: &ReadOptions| read(text, options).unwrap_err().to_string();
        assert_eq!(refusal("id,kind\n1,a\n", &chosen), "no column 'body'");
        assert_eq!(refusal("body,kind\nx,a\ny\n", &chosen), "f:3:2: 1 fields where 2 are expected");
        assert_eq!(refusal("body,kind\nx,a\ny,\n", &chosen), "f:3:3: a row without a label");
        let twice = "body,kind,body\nx,a,y\n";
        assert_eq!(
            refusal(twice, &chosen),
            "columns 1 and 3 are both called 'body'; give each a name of its own"
        );
        let table = named("t.csv", "class,text,label\n1,x,a\n2,y,b\n", &ReadOptions::default()).unwrap();
        assert_eq!(table.labels.unwrap().labels().classes(), ["a", "b"]);
        let kind = ReadOptions { label: Some(column("kind")), ..ReadOptions::default() };
        assert!(refusal(csv, &kind).contains("which one column has the texts"));
    }

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    }
}
