//! Files of blocks: what comes back, what is made anew, what is refused.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::*;
use crate::data::input::tests::gzip;
use crate::data::{ColumnRef, Features, Labels, Points, SplitMix, Vectors, read};

fn open(data: &Path) -> Result<Stream> {
    Stream::open(data, None, &ReadOptions::default(), &mut |_| ControlFlow::Continue(()))
}

fn refused(data: &Path) -> String {
    let stream = match open(data) {
        Err(error) => return error.to_string(),
        Ok(stream) => stream,
    };
    (0..stream.blocks()).for_each(|block| stream.visit(block, |_| {}));
    match stream.outcome().and_then(|()| stream.labels().map(drop)) {
        Err(error) => error.to_string(),
        Ok(()) => panic!("not refused"),
    }
}

/// A folder with a file of this text.
fn file(name: &str, text: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    (folder, path)
}

/// LIBSVM text of `rows` rows with `entries` entries each.
fn text(rows: usize, entries: u32) -> String {
    let (mut random, mut text) = (SplitMix(7), String::new());
    for i in 0..rows {
        text += if i % 3 == 0 { "cat" } else { "dog" };
        let mut column = 0;
        for _ in 0..entries {
            column += 1 + (500.0 * random.uniform()) as u32;
            text += &format!(" {column}:{:.6}", 2.0 * random.uniform() - 1.0);
        }
        text += "\n";
    }
    text
}

/// The rows of a stream, one after the other.
fn rows(stream: &Stream) -> Vec<Vec<(usize, f64)>> {
    let mut all = Vec::new();
    for block in 0..stream.blocks() {
        stream.visit(block, |rows| {
            for i in 0..rows.len() {
                let entries = rows.start[i]..rows.start[i + 1];
                let column =
                    |at: usize| if rows.dense { at - rows.start[i] } else { rows.index[at] as usize };
                all.push(entries.map(|at| (column(at), rows.values[at])).collect());
            }
        });
    }
    stream.outcome().unwrap();
    all
}

fn rows_of(points: &Vectors) -> Vec<Vec<(usize, f64)>> {
    let row = |i: usize| {
        let mut row = Vec::new();
        points.row(i).for_each(|k, value| row.push((k, value)));
        row
    };
    (0..points.len()).map(row).collect()
}

#[test]
fn rows_and_labels_are_those_of_the_reader() {
    let text = text(5000, 40);
    let packed = zstd::encode_all(text.as_bytes(), 1).unwrap();
    for (name, bytes) in [("a.svm", text.clone().into_bytes()), ("b", gzip(text.as_bytes())), ("c", packed)] {
        let (_folder, path) = file(name, bytes);
        let stream = open(&path).unwrap();
        let table = read(&path, &ReadOptions::default()).unwrap();
        assert_eq!((stream.len(), stream.width()), (table.points.len(), table.points.width()));
        assert!(stream.blocks() > 1 && stream.bytes() < text.len() as u64 * 2 / 3);
        assert_eq!(rows(&stream), rows_of(&table.points));
        assert_eq!(stream.labels().unwrap(), table.labels);
        assert_eq!(stream.buffers(), 1);
    }
}

#[test]
fn tables_and_arrays_are_streamed_too() {
    let csv =
        (0..3000).fold("a,b,kind\n".to_owned(), |csv, i| csv + &format!("{i}.5,{},k{}\n", i % 7, i % 3));
    let (_folder, path) = file("t.csv", csv);
    let (stream, table) = (open(&path).unwrap(), read(&path, &ReadOptions::default()).unwrap());
    assert_eq!(rows(&stream), rows_of(&table.points));
    assert_eq!((stream.labels().unwrap(), stream.names()), (table.labels, &table.names[..]));
    assert_eq!(stream.encoding(), table.encoding.as_ref());

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npy");
    let matrix = crate::data::Dense::new(5, (0..50_000).map(|i| f64::from(i) * 0.1).collect());
    crate::data::write_npy(&path, &matrix).unwrap();
    let options = ReadOptions { label: Some(ColumnRef::Number(2)), ..ReadOptions::default() };
    let stream = Stream::open(&path, None, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    let table = read(&path, &options).unwrap();
    assert_eq!(rows(&stream), rows_of(&table.points));
    assert_eq!(stream.labels().unwrap(), table.labels);
}

#[test]
fn words_of_a_table_are_refused_by_column() {
    let (_folder, path) = file("t.csv", "a,b,y\n1,red,0\n2,blue,1\n");
    assert!(refused(&path).contains("column 'b', which has words"), "{}", refused(&path));
    let late = (0..3000).fold("a,b,y\n".to_owned(), |csv, i| csv + &format!("{i},{i},0\n")) + "1,red,0\n";
    let (_folder, path) = file("t.csv", late);
    assert!(refused(&path).ends_with("t.csv:3002:3: not a number: 'red'"), "{}", refused(&path));
    let without = ReadOptions {
        features: Features::Without(vec![ColumnRef::Name("b".into())]),
        ..ReadOptions::default()
    };
    let stream = Stream::open(&path, None, &without, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((stream.len(), stream.width()), (3001, 1));
}

#[test]
fn blocks_are_used_again_until_the_data_change() {
    let (_folder, path) = file("a", text(50, 3));
    assert!(open(&path).unwrap().is_new());
    assert!(!open(&path).unwrap().is_new());
    // Read in another way.
    let other = ReadOptions { header: Some(true), ..ReadOptions::default() };
    let again = |options: &ReadOptions| {
        Stream::open(&path, None, options, &mut |_| ControlFlow::Continue(())).unwrap().is_new()
    };
    assert!(again(&other) && !again(&other));
    // Another size.
    fs::write(&path, text(51, 3)).unwrap();
    let stream = open(&path).unwrap();
    assert!(stream.is_new() && stream.len() == 51);
    // The same size at another time.
    let later = fs::metadata(&path).unwrap().modified().unwrap() + std::time::Duration::from_secs(5);
    File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
    assert!(open(&path).unwrap().is_new());
    // Another version.
    let blocks = Stream::path_beside(&path);
    let mut bytes = fs::read(&blocks).unwrap();
    bytes[8] = 99;
    fs::write(&blocks, &bytes).unwrap();
    assert!(open(&path).unwrap().is_new());
}

#[test]
fn every_damaged_byte_and_every_cut_is_an_error() {
    let (_folder, path) = file("a", text(40, 3));
    open(&path).unwrap();
    let blocks = Stream::path_beside(&path);
    let whole = fs::read(&blocks).unwrap();
    // The four bytes after the version are not looked at, and those of another version mean that it is made anew.
    for at in (0..whole.len()).filter(|at| !(8..16).contains(at)) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        fs::write(&blocks, &damaged).unwrap();
        let message = refused(&path);
        assert!(message.contains("a.blocks: byte "), "byte {at}: {message}");
    }
    for length in 0..whole.len() {
        fs::write(&blocks, &whole[..length]).unwrap();
        let message = refused(&path);
        assert!(message.contains("a.blocks: byte "), "cut at {length}: {message}");
    }
}

#[test]
fn a_file_cut_while_it_is_read_is_an_error() {
    let (_folder, path) = file("a", text(5000, 40));
    let stream = open(&path).unwrap();
    File::options().write(true).open(stream.path()).unwrap().set_len(1 << 20).unwrap();
    (0..stream.blocks()).for_each(|block| stream.visit(block, |_| {}));
    let message = stream.outcome().unwrap_err().to_string();
    assert!(message.contains("the file ends within block"), "{message}");
}

#[test]
fn a_hostile_table_takes_no_memory() {
    let (_folder, path) = file("a", text(40, 3));
    let stream = open(&path).unwrap();
    let blocks = stream.path().to_owned();
    let whole = fs::read(&blocks).unwrap();
    let length = u64::from_le_bytes(whole[whole.len() - 24..][..8].try_into().unwrap()) as usize;
    let table = whole.len() - 24 - length;
    let crafted = |change: &dyn Fn(&mut Contents)| {
        let mut contents = stream.table.clone();
        change(&mut contents);
        let text = serde_json::to_vec(&contents).unwrap();
        let mut bytes = whole[..table].to_vec();
        bytes.extend_from_slice(&text);
        bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&checksum(&text).to_le_bytes());
        bytes.extend_from_slice(END);
        fs::write(&blocks, bytes).unwrap();
        refused(&path)
    };
    let huge = 1 << 60;
    for message in [
        crafted(&|table| table.blocks[0].bytes = huge),
        crafted(&|table| table.blocks[0].offset = u64::MAX),
        crafted(&|table| table.blocks[0].rows = huge),
        crafted(&|table| (table.blocks[0].rows, table.rows) = (39, 39)),
        crafted(&|table| table.rows = huge),
        crafted(&|table| table.width = huge),
        crafted(&|table| table.width = 3),
        crafted(&|table| table.labels.as_mut().unwrap().blocks[0].bytes = huge),
        crafted(&|table| table.labels.as_mut().unwrap().texts = Some(vec!["cat".into()])),
    ] {
        assert!(message.contains("a.blocks: byte "), "{message}");
    }
}

#[test]
fn another_file_is_not_overwritten() {
    let (folder, path) = file("a", "1 1:1\n2 1:2\n");
    let thesis = folder.path().join("thesis.tex");
    fs::write(&thesis, "years of work").unwrap();
    let options = ReadOptions::default();
    let error = Stream::open(&path, Some(&thesis), &options, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(error.to_string().contains("not a file of blocks"), "{error}");
    assert_eq!(fs::read(&thesis).unwrap(), b"years of work");
}

#[test]
fn flawed_data_leave_nothing_behind() {
    for (text, message) in
        [("1 1:1\n2 1:x\n", ":2:5: not a number: 'x'"), ("", "no rows"), ("\n# c\n", "no rows")]
    {
        let (folder, path) = file("a", text);
        assert!(refused(&path).ends_with(message), "{}", refused(&path));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
    let (folder, path) = file("a", text(5000, 40));
    let error =
        Stream::open(&path, None, &ReadOptions::default(), &mut |_| ControlFlow::Break(())).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Interrupted));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_row_larger_than_a_block_is_a_block() {
    let (_folder, path) = file("a", format!("0 1:1\n{}1 2:1\n", text(1, 200_000)));
    let stream = open(&path).unwrap();
    assert_eq!(rows(&stream), rows_of(&read(&path, &ReadOptions::default()).unwrap().points));
    assert!(stream.block_bytes() > 2 << 20);
}

#[test]
fn labels_keep_their_kind() {
    for (text, labels) in [
        ("+1 1:1\n-1 1:2\n1.0 1:3\n", LabelColumn::Numbers(vec![1.0, -1.0, 1.0])),
        ("2.5 1:1\n-0.125 1:2\n", LabelColumn::Numbers(vec![2.5, -0.125])),
    ] {
        let (_folder, path) = file("a", text);
        assert_eq!(open(&path).unwrap().labels().unwrap(), Some(labels));
    }
    let (folder, path) = file("a", "x 1:1\n1 1:2\nx 1:3\n");
    let found = open(&path).unwrap().labels().unwrap().unwrap();
    assert_eq!(found.labels(), Labels::first_seen(["x", "1", "x"]));
    // Labels beside the data are read each time.
    let beside = folder.path().join("labels");
    let options = ReadOptions { labels_path: Some(beside.clone()), ..ReadOptions::default() };
    for (text, count) in [("a\nb\nc\n", Some(3)), ("a\nb\n", None)] {
        fs::write(&beside, text).unwrap();
        let stream = Stream::open(&path, None, &options, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(stream.labels().ok().flatten().map(|labels| labels.len()), count);
    }
}
