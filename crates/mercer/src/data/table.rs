//! Reading a data set from a file of any of the formats.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::column::ColumnBuilder;
use super::encoding::Encoding;
use super::input::Input;
use super::{LabelColumn, Points, Vectors, csv, libsvm, npy, number};
use crate::error::{DataProblem, Error, ErrorKind, Result};

/// Bytes looked at to tell one format from another.
const SNIFF: usize = 64 << 10;

/// The contents of a data file.
#[derive(Debug, Clone, PartialEq)]
pub struct Table<X = Vectors> {
    /// The rows, without the label.
    pub points: X,
    /// One label per row, if the data file (or a separate file of labels) has labels.
    pub labels: Option<LabelColumn>,
    /// Feature names; empty if the file has none.
    pub names: Vec<String>,
    /// How the columns of a CSV file became features, so that another file can be read in the same way.
    pub encoding: Option<Encoding>,
}

/// File formats that [`read`] knows. Each may be compressed by gzip or zstd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// `label index:value …`, one row a line.
    Libsvm,
    /// Cells separated by commas, tabs or semicolons.
    Csv,
    /// NumPy's array file.
    Npy,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ColumnRef {
    /// The column of this name in the header.
    Name(String),
    /// The column at this position, from 1.
    Number(usize),
    /// No column: all are features.
    Absent,
}

/// The columns of a CSV file that become features.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Features {
    /// All but the label.
    #[default]
    All,
    /// These, in the order of the file.
    Only(Vec<ColumnRef>),
    /// All but the label and these.
    Without(Vec<ColumnRef>),
}

impl Features {
    /// Refuses a choice of columns of what has none.
    pub(super) fn refuse(&self, of: &str) -> Result<()> {
        if *self == Self::All {
            return Ok(());
        }
        Err(ErrorKind::Unsupported { what: format!("a choice of columns of {of}").into() }.into())
    }
}

impl<X> Table<X> {
    /// The table with its points changed.
    pub fn map<Y>(self, change: impl FnOnce(X) -> Y) -> Table<Y> {
        let Self { points, labels, names, encoding } = self;
        Table { points: change(points), labels, names, encoding }
    }
}

impl FromStr for ColumnRef {
    type Err = std::convert::Infallible;

    /// A whole number is a position, any other text a name.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(text.parse().map_or_else(|_| Self::Name(text.to_owned()), Self::Number))
    }
}

/// How to read a file. The default guesses all of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOptions {
    /// The format; guessed from the file's name, else from its first bytes.
    pub format: Option<Format>,
    /// The label's column. In CSV files the default is the column called `label`, else `class`, `target` or `y`, else the last
    /// one that is not left out; in NPY files the default is no label. LIBSVM rows always begin with their label.
    pub label: Option<ColumnRef>,
    /// The columns of a CSV file that become features. With an encoding it counts only where columns are found by position.
    pub features: Features,
    /// The column of a CSV file that says which set a row belongs to, where points are sets; the default is `group`. LIBSVM
    /// rows of sets say it by `qid:`.
    pub group: Option<ColumnRef>,
    /// Whether a CSV file's first row has the names; guessed by default.
    pub header: Option<bool>,
    /// What separates the cells of a CSV file; guessed by default.
    pub delimiter: Option<u8>,
    /// LIBSVM rows of a precomputed Gram, `label 0:serial 1:value …`: index `k` is then column `k`.
    pub precomputed: bool,
    /// The columns of an earlier CSV file, so that this file gets the same features.
    pub encoding: Option<Encoding>,
    /// A separate file of labels, one a line or a one-dimensional NPY array, which replace those in the data file.
    pub labels_path: Option<PathBuf>,
    /// Labels are targets of a regression: a label that is not a number is refused with its position.
    pub targets: bool,
    /// Labels are sets such as `2,5`, see [`LabelSets`](super::LabelSets). A LIBSVM row that begins with its first entry,
    /// and a blank line in a file of labels, then have an empty set.
    pub sets: bool,
}

/// Reads a data file; `-` is standard input.
///
/// # Errors
/// With path, line and column if the text is not in its format; if there are no rows, or not one label per row;
/// if reading fails.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Table> {
    read_input(Input::open(path)?, options)
}

/// Reads a data file from `reader`. `name` is its name in messages, and the ending of `name` tells the format.
///
/// # Errors
/// As [`read`].
pub fn read_from(name: &Path, reader: impl Read + Send + 'static, options: &ReadOptions) -> Result<Table> {
    read_input(Input::new(name, reader)?, options)
}

fn read_input(mut input: Input, options: &ReadOptions) -> Result<Table> {
    let format = Format::of_input(&mut input, options)?;
    if format != Format::Csv {
        options.features.refuse("data that are no table of columns")?;
    }
    let table = match format {
        Format::Libsvm => {
            let form = libsvm::Form {
                precomputed: options.precomputed,
                // A separate file of labels replaces those in the data.
                targets: options.targets && options.labels_path.is_none(),
                sets: options.sets,
                groups: false,
            };
            let (rows, labels, _) = libsvm::read(input, form)?;
            Table { points: rows.into(), labels: Some(labels), names: Vec::new(), encoding: None }
        }
        Format::Csv => csv::read(input, options)?,
        Format::Npy => npy::read(input, options)?,
    };
    complete(table, options)
}

/// The table with the labels of the file beside it, where there is one.
///
/// # Errors
/// If there are no rows, not one label per row, or a label is no number where it must be one.
pub(super) fn complete<X: Points>(mut table: Table<X>, options: &ReadOptions) -> Result<Table<X>> {
    if let Some(path) = &options.labels_path {
        table.labels = Some(read_labels_as(path, options)?);
    }
    if options.targets
        && let Some(labels) = &table.labels
    {
        labels.numbers()?;
    }
    let points = table.points.len();
    let problem = match &table.labels {
        _ if points == 0 => DataProblem::Empty,
        Some(labels) if labels.len() != points => DataProblem::Lengths { points, labels: labels.len() },
        _ => return Ok(table),
    };
    Err(ErrorKind::Data(problem).into())
}

/// Reads a file of labels: one a line, or a one-dimensional NPY array.
///
/// # Errors
/// If reading fails or the file has another form.
pub fn read_labels(path: &Path) -> Result<LabelColumn> {
    read_labels_as(path, &ReadOptions::default())
}

fn read_labels_as(path: &Path, options: &ReadOptions) -> Result<LabelColumn> {
    let mut input = Input::open(path)?;
    if Format::of_text(input.peek(npy::MAGIC.len())?) == Format::Npy {
        return npy::read_labels(input);
    }
    let mut text = Vec::new();
    if let Err(source) = input.read_to_end(&mut text) {
        return Err(input.failure(source));
    }
    let mut labels = ColumnBuilder::default();
    if text.last() == Some(&b'\n') {
        text.pop();
    }
    for (line, label) in text.split(|&byte| byte == b'\n').enumerate() {
        let before = label.len() - label.trim_ascii_start().len();
        let label = label.trim_ascii();
        if label.is_empty() && !options.sets {
            continue;
        }
        let pushed = if options.targets {
            number::whole(label).map(|y| labels.push_number(y))
        } else {
            labels.push(label)
        };
        pushed.map_err(|problem| Error::parse(path, line as u64 + 1, before as u64 + 1, problem))?;
    }
    Ok(labels.finish())
}

impl Format {
    /// The format that the options say, else that of the file's name, else that of its first bytes.
    pub(super) fn of_input(input: &mut Input, options: &ReadOptions) -> Result<Self> {
        match options.format.or_else(|| Self::of_path(input.path())) {
            Some(format) => Ok(format),
            None => Ok(Self::of_text(input.peek(SNIFF)?)),
        }
    }

    /// The format by the ending of a file's name, without `.gz` or `.zst`.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        let stem = match path.extension()?.to_str()? {
            "gz" | "zst" => path.file_stem().map(Path::new)?,
            _ => path,
        };
        match stem.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" | "tsv" => Some(Self::Csv),
            "npy" => Some(Self::Npy),
            "libsvm" | "svm" | "svmlight" => Some(Self::Libsvm),
            _ => None,
        }
    }

    /// The format that the first bytes of a file look like.
    fn of_text(head: &[u8]) -> Self {
        if head.starts_with(npy::MAGIC) {
            return Self::Npy;
        }
        let mut lines = head.split(|&byte| byte == b'\n');
        let line = lines.find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
        let mut tokens = line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty());
        if tokens.nth(1).is_some_and(libsvm::is_entry) {
            Self::Libsvm
        } else if line.iter().any(|byte| b",;\t".contains(byte)) {
            Self::Csv
        } else {
            Self::Libsvm
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn names_and_first_bytes_tell_the_format() {
        for (name, format) in [
            ("a.csv", Some(Format::Csv)),
            ("a.TSV.gz", Some(Format::Csv)),
            ("a.npy.zst", Some(Format::Npy)),
            ("a.libsvm.gz", Some(Format::Libsvm)),
            ("heart_scale", None),
            ("svmguide1.t", None),
            ("-", None),
        ] {
            assert_eq!(Format::of_path(Path::new(name)), format, "{name}");
        }
        for (text, format) in [
            ("+1 1:0.5\n", Format::Libsvm),
            ("1,3 1:0.5\n", Format::Libsvm),
            ("1\t2:3\n", Format::Libsvm),
            ("1\n", Format::Libsvm),
            ("\n\na,b\n", Format::Csv),
            ("2020-01-01 10:00,5\n", Format::Csv),
            ("1\t2\n", Format::Csv),
            ("\u{93}", Format::Libsvm),
        ] {
            assert_eq!(Format::of_text(text.as_bytes()), format, "{text}");
        }
    }

    #[test]
    fn the_data_sets_of_the_project_have_their_sizes() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
        for (name, rows, width, classes) in [
            ("heart_scale", 270, 13, 2),
            ("iris_scale", 150, 4, 3),
            ("wine_scale", 178, 13, 3),
            ("glass_scale", 214, 9, 6),
            ("svmguide1", 3089, 4, 2),
            ("svmguide1.t", 4000, 4, 2),
            ("vowel.scale", 528, 10, 11),
            ("vowel.scale.t", 462, 10, 11),
            ("letter.scale.tr", 10500, 16, 26),
            ("digits8x8", 1797, 64, 10),
            ("mushrooms", 8124, 112, 2),
            ("banana", 5300, 2, 2),
            ("ripley", 250, 2, 2),
            ("ripley.t", 1000, 2, 2),
        ] {
            let table = read(&folder.join(format!("{name}.libsvm.gz")), &ReadOptions::default()).unwrap();
            let labels = table.labels.unwrap().labels();
            assert_eq!(
                (table.points.len(), table.points.width(), labels.classes().len()),
                (rows, width, classes),
                "{name}"
            );
        }
    }

    #[test]
    fn a_file_without_rows_is_refused() {
        for text in ["", "\n\n", "# nothing\n"] {
            let error = read_from(Path::new("f"), Cursor::new(text), &ReadOptions::default()).unwrap_err();
            assert_eq!(error.to_string(), "no rows");
        }
    }

    #[test]
    fn labels_may_lie_beside_the_data() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels");
        std::fs::write(&path, "a\nb\r\na\n").unwrap();
        let options = ReadOptions { labels_path: Some(path), ..ReadOptions::default() };
        let table = read_from(Path::new("f"), Cursor::new("0 1:1\n0 1:2\n0 1:3\n"), &options).unwrap();
        assert_eq!(table.labels.unwrap().labels().index(), [0, 1, 0]);
        let error = read_from(Path::new("f"), Cursor::new("0 1:1\n0 1:2\n"), &options).unwrap_err();
        assert_eq!(error.to_string(), "2 points but 3 labels");
    }

    #[test]
    fn a_target_that_is_no_number_is_named_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("targets");
        let flaw = |text: &'static str, options: ReadOptions| {
            let options = ReadOptions { targets: true, ..options };
            read_from(Path::new("f"), Cursor::new(text), &options).unwrap_err().to_string()
        };
        let plain = ReadOptions::default;
        assert_eq!(flaw("# c\n1.5 1:1\n\n x 1:2\n", plain()), "f:4:2: not a number: 'x'");
        let infinite = "f:1:1: not finite: '1e999'; every value must be a finite number";
        assert_eq!(flaw("1e999 1:1\n", plain()), infinite);
        let named = ReadOptions { header: Some(true), ..plain() };
        assert_eq!(flaw("a,y\n1,2\n3,cat\n", named), "f:3:3: not a number: 'cat'");
        // Words are accepted until the header is known; the error then has the row but not the column.
        assert_eq!(flaw("a,y\n1,2\n3,cat\n", plain()), "row 2: label 'cat' is not a number");
        std::fs::write(&path, "1\n\ncat\n").unwrap();
        let beside = ReadOptions { labels_path: Some(path.clone()), ..plain() };
        let message = format!("{}:3:1: not a number: 'cat'", path.display());
        assert_eq!(flaw("x 1:1\ny 1:2\n", beside), message);
        let options = ReadOptions { targets: true, ..plain() };
        let table = read_from(Path::new("f"), Cursor::new("+1.5e0 1:1\n-2 1:2\n"), &options).unwrap();
        assert_eq!(table.labels, Some(LabelColumn::Numbers(vec![1.5, -2.0])));
    }

    #[test]
    fn a_label_column_is_a_number_or_a_name() {
        assert_eq!("3".parse(), Ok(ColumnRef::Number(3)));
        assert_eq!("price".parse(), Ok(ColumnRef::Name("price".into())));
    }
}
