use std::path::PathBuf;

use proptest::prelude::*;

use super::super::{ReadOptions, read};
use super::*;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

fn scaled_text(range: &Range, path: &Path) -> (String, ScaleReport) {
    let mut out = Vec::new();
    let report = range.scale_file(path, &mut out).unwrap();
    (String::from_utf8(out).unwrap(), report)
}

fn assert_saved_as(folder: &Folder, range: &Range, text: &str) {
    let saved = folder.0.path().join("range");
    write_range(&saved, range).unwrap();
    assert_eq!(std::fs::read_to_string(&saved).unwrap(), text);
    assert_eq!(read_range(&saved).unwrap(), *range);
}

// The expected texts of these tests are svm-scale's own output.

#[test]
fn a_file_is_scaled_as_by_svm_scale() {
    let folder = Folder::new();
    let data = folder.file("a", "1 1:1 2:3 4:1\n-1 1:2\n");
    let range = Range::scan(&data, [-1.0, 1.0], None).unwrap();
    let (text, report) = scaled_text(&range, &data);
    assert_eq!(text, "1 1:-1 2:1 4:1 \n-1 1:1 2:-1 4:-1 \n");
    assert_eq!((report.entries_before, report.entries_after), (4, 6));
    assert_saved_as(&folder, &range, "x\n-1 1\n1 1 2\n2 0 3\n4 0 1\n");
}

#[test]
fn a_range_applies_to_other_rows_and_drops_what_it_has_not_seen() {
    let folder = Folder::new();
    let data = folder.file("b", "1 1:5 3:7 9:1\n2 2:1\n");
    let range = read_range(&folder.file("range", "x\n-1 1\n1 1 2\n2 0 3\n4 0 1\n")).unwrap();
    let (text, report) = scaled_text(&range, &data);
    assert_eq!(text, "1 1:7 2:-1 4:-1 \n2 1:-3 2:-0.333333 4:-1 \n");
    assert_eq!(report, ScaleReport { entries_before: 4, entries_after: 6, unseen: vec![3, 9] });
}

#[test]
fn targets_are_scaled_where_asked() {
    let folder = Folder::new();
    let data = folder.file("a", "1 1:1\n2.5 1:2\n4\n");
    let range = Range::scan(&data, [0.0, 1.0], Some([0.0, 10.0])).unwrap();
    assert_eq!(scaled_text(&range, &data).0, "0 1:0.5 \n5 1:1 \n10 \n");
    assert_saved_as(&folder, &range, "y\n0 10\n1 4\nx\n0 1\n1 0 2\n");
}

#[test]
fn scaling_text_and_scaling_rows_agree() {
    let folder = Folder::new();
    let data = folder.file("a", "1 1:0.25 3:-7\n2 1:0.5 2:9\n3 3:1.5\n");
    let range = Range::scan(&data, [-1.0, 1.0], None).unwrap();
    let points = read(&data, &ReadOptions::default()).unwrap().points;
    let scaler = Scaler::min_max(&points, -1.0, 1.0).unwrap();
    assert_eq!(range.scaler().unwrap(), scaler);
    assert_eq!(scaler.range(), Some(range.clone()));
    let image = folder.file("image.libsvm", &scaled_text(&range, &data).0);
    let (ours, theirs) = (scaler.apply(&points), read(&image, &ReadOptions::default()).unwrap().points);
    for i in 0..3 {
        for k in 0..3 {
            // `%g` keeps six digits.
            assert!((ours.row(i).get(k) - theirs.row(i).get(k)).abs() <= 5e-7);
        }
    }
}

#[test]
fn flaws_are_placed() {
    let folder = Folder::new();
    for (text, message) in [
        ("", "1:1: the range file ends early"),
        ("z\n", "1:1: expected x, where the ranges of the features begin"),
        ("x\n-1\n", "2:1: 1 fields where 2 are expected"),
        ("x\n-1 1\n1 0 a\n", "3:5: not a number: 'a'"),
        ("x\n-1 1\n0 0 1\n", "3:1: not a feature index: '0 0 1'"),
        ("x\n-1 1\n2 0 1\n2 0 1\n", "4:1: feature index 2 after 2; indices must ascend"),
        ("y\n-1 1\n", "3:1: the range file ends early"),
    ] {
        let path = folder.file("range", text);
        assert_eq!(read_range(&path).unwrap_err().to_string(), format!("{}:{message}", path.display()));
    }
    let words = folder.file("words", "a 1:1\nb 1:2\n");
    let range = Range::scan(&words, [-1.0, 1.0], None).unwrap();
    assert_eq!(
        range.scale_file(&words, &mut Vec::new()).unwrap_err().to_string(),
        format!("{}:1:1: not a number: 'a'", words.display())
    );
    assert!(Range::scan(&words, [1.0, 1.0], None).is_err());
    assert!(Range::scan(&words, [-1.0, 1.0], Some([2.0, 1.0])).is_err());
}

proptest! {
    #[test]
    fn any_range_text_is_read_or_refused(text in "(y\n)?[-0-9. x\n]{0,40}") {
        let _ = parse(Path::new("f"), text.as_bytes());
    }
}
