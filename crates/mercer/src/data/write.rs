//! Writing files, completely or not at all.
//!
//! A file is written under a temporary name in its own folder and renamed when it is complete, so that other programs never
//! see an incomplete file and a failed write leaves nothing behind. A file whose name ends in `.gz` or `.zst` is
//! compressed; `-` is standard output.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::partial::complete;
use super::{Dense, LabelColumn, Points, Row, Vectors, npy, number_text};
use crate::error::{Error, Result, check};

/// Writes a file with the bytes that `fill` writes, completely or not at all.
///
/// # Errors
/// If creating, writing or renaming fails; the file then has the contents that it had before.
pub fn write_atomic(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let outcome = if path.as_os_str() == "-" {
        let mut out = BufWriter::new(io::stdout().lock());
        fill(&mut out).and_then(|()| out.flush())
    } else {
        replace(path, |file| pack(path, file, fill))
    };
    outcome.map_err(|source| Error::io(path, source))
}

/// Writes `bytes` without compression, whatever the name ends in, completely or not at all.
///
/// # Errors
/// As [`write_atomic`].
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    replace(path, |file| file.write_all(bytes)).map_err(|source| Error::io(path, source))
}

/// Compresses the bytes that `fill` writes, by the ending of the name.
fn pack(path: &Path, file: &mut File, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, file);
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("gz") => {
            let mut packed = flate2::write::GzEncoder::new(out, flate2::Compression::default());
            fill(&mut packed)?;
            packed.finish()?.flush()
        }
        Some("zst") => {
            let mut packed = zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?;
            fill(&mut packed)?;
            packed.finish()?.flush()
        }
        _ => {
            fill(&mut out)?;
            out.flush()
        }
    }
}

/// Replaces a file by one that `fill` fills, completely or not at all.
pub(super) fn replace(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // The target of a link is replaced, not the link. A device or a pipe (`/dev/null`) is written to: renaming a file
    // onto it would destroy it.
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return fill(&mut File::options().write(true).open(path)?);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    complete(folder, path, fill)
}

/// Writes rows as LIBSVM text: all stored entries of sparse rows, the entries of dense rows that are not zero, with enough
/// digits to be read back exactly. Without labels every row gets the label 0.
///
/// # Errors
/// As [`write_atomic`].
///
/// # Panics
/// If there are labels, but not one per row.
pub fn write_libsvm(path: &Path, points: &Vectors, labels: Option<&LabelColumn>) -> Result<()> {
    check_lengths(points, labels);
    write_atomic(path, |out| {
        for i in 0..points.len() {
            out.write_all(labels.map_or_else(|| "0".into(), |labels| labels.text(i)).as_bytes())?;
            let row = points.row(i);
            let dense = matches!(row, Row::Dense32(_) | Row::Dense64(_));
            let mut outcome = Ok(());
            row.for_each(|k, value| {
                if outcome.is_ok() && !(dense && value == 0.0) {
                    outcome = write!(out, " {}:{}", k + 1, value_text(value, &row));
                }
            });
            outcome?;
            out.write_all(b"\n")?;
        }
        Ok(())
    })
}

/// Writes a matrix as NumPy's array file, double precision, row after row.
///
/// # Errors
/// As [`write_atomic`].
pub fn write_npy(path: &Path, matrix: &Dense<f64>) -> Result<()> {
    let shape = format!("({}, {})", matrix.len(), matrix.columns());
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    // The magic bytes, the version and the length take 10 bytes; the whole is a multiple of 64 and ends the line.
    let padding = 63 - (10 + header.len()) % 64;
    header += &format!("{}\n", " ".repeat(padding));
    write_atomic(path, |out| {
        out.write_all(npy::MAGIC)?;
        out.write_all(&[1, 0])?;
        out.write_all(&(header.len() as u16).to_le_bytes())?;
        out.write_all(header.as_bytes())?;
        matrix.values().iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
    })
}

/// Writes kernel values as LIBSVM has them, `label 0:serial 1:value …`; serials count from 1. Without labels every row gets
/// the label 0.
///
/// # Errors
/// As [`write_atomic`].
///
/// # Panics
/// If there are labels, but not one per row.
pub fn write_precomputed(path: &Path, values: &Dense<f64>, labels: Option<&LabelColumn>) -> Result<()> {
    assert!(labels.is_none_or(|labels| labels.len() == values.len()), "one label per row");
    write_atomic(path, |out| {
        for i in 0..values.len() {
            let label = labels.map_or_else(|| "0".into(), |labels| labels.text(i));
            write!(out, "{label} 0:{}", i + 1)?;
            for (j, &value) in values.row(i).iter().enumerate() {
                write!(out, " {}:{}", j + 1, number_text(value))?;
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    })
}

/// The most columns of a CSV file: every row has a cell for each column, also for zeros.
const MAX_CSV_COLUMNS: usize = 1 << 20;

/// Writes rows as CSV with a header; the label is the last column, with the name `label`. Features without names are
/// called `x1`, `x2` and so on; a name or label with a comma, quote or line end is quoted.
///
/// # Errors
/// As [`write_atomic`]; or if there are more than 2²⁰ features.
///
/// # Panics
/// If there are labels, but not one per row, or names, but not one per column.
pub fn write_csv(
    path: &Path,
    points: &Vectors,
    names: &[String],
    labels: Option<&LabelColumn>,
) -> Result<()> {
    check_lengths(points, labels);
    assert!(names.is_empty() || names.len() == points.width(), "one name per column");
    let width = points.width();
    check(
        "features",
        width as f64,
        width <= MAX_CSV_COLUMNS,
        "at most 1048576 features can be written as CSV",
    )?;
    write_atomic(path, |out| {
        let mut writer = csv::Writer::from_writer(out);
        let mut row: Vec<String> = match names {
            [] => (1..=points.width()).map(|k| format!("x{k}")).collect(),
            names => names.to_vec(),
        };
        row.extend(labels.map(|_| "label".to_owned()));
        writer.write_record(&row)?;
        for i in 0..points.len() {
            row.clear();
            row.resize(points.width(), "0".into());
            let entries = points.row(i);
            entries.for_each(|k, value| row[k] = value_text(value, &entries));
            row.extend(labels.map(|labels| labels.text(i)));
            writer.write_record(&row)?;
        }
        writer.flush()
    })
}

/// The shortest text from which the value can be read back in the precision of its row.
fn value_text(value: f64, row: &Row<'_>) -> String {
    match row {
        Row::Dense32(_) | Row::Sparse32(..) if value.fract() != 0.0 => format!("{:?}", value as f32),
        // A stored −0 keeps its sign.
        _ if value == 0.0 && value.is_sign_negative() => "-0".into(),
        _ => number_text(value),
    }
}

fn check_lengths(points: &Vectors, labels: Option<&LabelColumn>) {
    assert!(labels.is_none_or(|labels| labels.len() == points.len()), "one label per row");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{ReadOptions, Sparse, read};
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_folder_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.txt");
        std::fs::write(&path, "before").unwrap();
        for name in ["kept.txt", "new.txt", "new.gz"] {
            let error = write_atomic(&folder.path().join(name), |out| {
                out.write_all(b"half")?;
                Err(io::Error::other("disk full"))
            });
            assert!(error.unwrap_err().to_string().ends_with("disk full"));
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "before");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let absent = folder.path().join("no/such");
        let message = write_atomic(&absent, |_| Ok(())).unwrap_err().to_string();
        assert!(
            message.starts_with(&format!("{}: ", absent.display())) && !message.contains(".part"),
            "{message}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (plain, ours) = (folder.path().join("plain"), folder.path().join("ours"));
        std::fs::write(&plain, "").unwrap();
        write_atomic(&ours, |_| Ok(())).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
        std::fs::set_permissions(&ours, PermissionsExt::from_mode(0o640)).unwrap();
        write_atomic(&ours, |_| Ok(())).unwrap();
        assert_eq!(mode(&ours) & 0o777, 0o640);
    }

    #[test]
    #[cfg(unix)]
    fn links_are_followed_and_what_is_no_file_is_never_replaced() {
        use std::os::unix::fs::FileTypeExt;

        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::os::unix::fs::symlink(&file, &link).unwrap();
        std::fs::write(&file, "old").unwrap();
        write_bytes(&link, b"new").unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"new");

        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(write_bytes(&socket, b"new").is_err());
        assert!(std::fs::metadata(&socket).unwrap().file_type().is_socket());
        assert!(write_bytes(folder.path(), b"new").is_err());
        assert!(folder.path().is_dir());
    }

    #[test]
    fn csv_comes_back_with_its_names_and_labels() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv.zst");
        let points = Vectors::dense(2, vec![0.1, -2.0, 1e-30, 7.0]);
        let labels = LabelColumn::Texts { texts: vec!["a,b".into(), "c".into()], codes: vec![0, 1] };
        let names = ["one".to_owned(), "two \"2\"".to_owned()];
        write_csv(&path, &points, &names, Some(&labels)).unwrap();
        let table = read(&path, &ReadOptions::default()).unwrap();
        assert_eq!((table.points, table.labels, &table.names[..]), (points, Some(labels), &names[..]));
    }

    #[test]
    fn single_precision_is_written_short() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_libsvm(&path, &Vectors::dense(3, vec![0.1_f32, 0.0, 3.0]), None).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "0 1:0.1 3:3\n");
    }

    fn table() -> impl Strategy<Value = (Vectors, LabelColumn)> {
        let value = any::<f64>().prop_filter("finite", |value| value.is_finite());
        let row = proptest::collection::btree_map(0_u32..50, value.clone(), 0..8);
        // Without the letter n there is no nan and no inf, which are refused.
        let rows = proptest::collection::vec((row, "[a-m]{1,3}|-?[0-9]{1,3}"), 1..20);
        rows.prop_map(|rows| {
            let (mut start, mut index, mut values) = (vec![0], Vec::new(), Vec::<f64>::new());
            let mut labels = super::super::column::ColumnBuilder::default();
            for (row, label) in rows {
                index.extend(row.keys());
                values.extend(row.values());
                start.push(index.len());
                labels.push(label.as_bytes()).unwrap();
            }
            let width = index.iter().max().map_or(0, |&largest| largest as usize + 1);
            (Sparse::new(width, start, index, values).into(), labels.finish())
        })
    }

    proptest! {
        #[test]
        fn libsvm_text_comes_back_as_it_was((points, labels) in table(), ending in "|\\.gz|\\.zst") {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(format!("a.libsvm{ending}"));
            write_libsvm(&path, &points, Some(&labels)).unwrap();
            let table = read(&path, &ReadOptions::default()).unwrap();
            prop_assert_eq!(&table.points, &points);
            prop_assert_eq!(table.labels.unwrap(), labels);
        }
    }
}
