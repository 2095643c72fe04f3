use std::io::Cursor;
use std::path::Path;

use proptest::prelude::*;

use super::super::input::tests::gzip;
use super::*;

fn read_bytes(bytes: &[u8], precomputed: bool, size: usize) -> Result<(Sparse<f64>, LabelColumn)> {
    let mut all = ParsedRows::default();
    let input = Input::new(Path::new("f"), Cursor::new(bytes.to_vec()))?;
    for_each_piece(input, Form { precomputed, ..Form::default() }, size, |piece| {
        all.append(piece);
        Ok(())
    })?;
    let (rows, labels, _) = all.finish();
    Ok((rows, labels))
}

fn read_text(text: &str) -> Result<(Sparse<f64>, LabelColumn)> {
    read_bytes(text.as_bytes(), false, 1 << 16)
}

/// The message of the error in a text, which does not depend on how the text is cut into blocks.
fn flaw(text: &str) -> String {
    let message = read_text(text).unwrap_err().to_string();
    for size in [1, 5, 17] {
        assert_eq!(read_bytes(text.as_bytes(), false, size).unwrap_err().to_string(), message);
    }
    message
}

#[test]
fn rows_are_read_as_written() {
    let (rows, labels) =
        read_text("+1 1:0.5 3:-2e-1\n\n-1\t2:7 # comment 4:1\r\n  \n1 \n# only this\na 3:1#x").unwrap();
    assert_eq!(rows, Sparse::new(3, vec![0, 2, 3, 3, 4], vec![0, 2, 1, 2], vec![0.5, -0.2, 7.0, 1.0]));
    assert_eq!(labels.labels().classes(), ["1", "-1", "a"]);
    assert_eq!(labels.labels().index(), [0, 1, 0, 2]);
}

#[test]
fn labels_may_be_lists_or_words() {
    let (_, labels) = read_text("1,3 1:1\ncat 1:1\n1:a 1:2\n").unwrap();
    assert_eq!(labels.labels().classes(), ["1,3", "cat", "1:a"]);
}

#[test]
fn each_flaw_is_named_at_its_place() {
    assert_eq!(flaw("1 1:2\n-1 1:x\n"), "f:2:6: not a number: 'x'");
    assert_eq!(flaw("1 1:2\n\n-1 1: 3\n"), "f:3:6: not a number: ''");
    assert_eq!(flaw("1 1:2 3:1e5x\n"), "f:1:9: not a number: '1e5x'");
    assert_eq!(flaw("1 0:1\n"), "f:1:3: feature index 0; indices count from 1");
    assert_eq!(flaw("1 5:1 3:2\n"), "f:1:7: feature index 3 after 5; indices must ascend");
    assert_eq!(flaw("1 5:1 0:2\n"), "f:1:7: feature index 0; indices count from 1");
    assert_eq!(flaw("1 5:1  5:2\n"), "f:1:8: feature index 5 after 5; indices must ascend");
    assert_eq!(
        flaw("1 2147483648:1\n"),
        "f:1:3: feature index 2147483648; the largest allowed is 2147483647"
    );
    assert_eq!(
        flaw("1 99999999999999999999999:1\n"),
        "f:1:3: feature index 99999999999999999999999; the largest allowed is 2147483647"
    );
    assert_eq!(flaw("1 1:nan\n"), "f:1:5: not finite: 'nan'; every value must be a finite number");
    assert_eq!(flaw("1 1:-inf\n"), "f:1:5: not finite: '-inf'; every value must be a finite number");
    assert_eq!(flaw("1 1:1e999\n"), "f:1:5: not finite: '1e999'; every value must be a finite number");
    assert_eq!(flaw("1 1:1 17\n"), "f:1:7: expected index:value, found '17'");
    assert_eq!(flaw("1 -1:1\n"), "f:1:3: not a feature index: '-1'");
    assert_eq!(flaw("1 1.5:1\n"), "f:1:3: not a feature index: '1.5'");
    assert_eq!(flaw("1 :1\n"), "f:1:3: not a feature index: ''");
    assert_eq!(
        flaw("1 qid:3 1:1\n"),
        "f:1:3: qid, the number of a set, where rows are points: take a kernel on sets"
    );
    assert_eq!(flaw("1 1:1\n 1:3 2:1\n"), "f:2:2: a row without a label");
}

#[test]
fn a_label_that_is_no_text_is_refused() {
    let error = read_bytes(b"1 1:1\n\xff\xfe 1:1\n", false, 64).unwrap_err();
    assert_eq!(error.to_string(), "f:2:1: not UTF-8 text");
}

#[test]
fn the_largest_index_and_leading_zeros_are_read() {
    let (rows, _) = read_text("1 00000000000000000007:1 2147483647:3\n").unwrap();
    assert_eq!(rows.row(0), (&[6, 2147483646][..], &[1.0, 3.0][..]));
    assert_eq!(rows.columns(), 2147483647);
}

#[test]
fn a_precomputed_row_keeps_its_serial_in_column_0() {
    let (rows, _) = read_bytes(b"1 0:1 1:4 2:6\n2 0:2 1:6 2:18\n", true, 64).unwrap();
    assert_eq!(rows.columns(), 3);
    assert_eq!(rows.row(1), (&[0, 1, 2][..], &[2.0, 6.0, 18.0][..]));
    let error = read_bytes(b"1 0:1 0:4\n", true, 64).unwrap_err();
    assert_eq!(error.to_string(), "f:1:7: feature index 0 after 0; indices must ascend");
}

#[test]
fn the_first_flaw_of_the_file_is_the_one_reported() {
    let mut text = "1 1:1\n".repeat(50_000);
    text.push_str("1 1:first\n");
    text.push_str(&"1 1:1\n".repeat(50_000));
    text.push_str("1 1:second\n");
    for size in [64, 1 << 12, 1 << 20] {
        let error = read_bytes(text.as_bytes(), false, size).unwrap_err();
        assert_eq!(error.to_string(), "f:50001:5: not a number: 'first'");
    }
}

#[test]
fn a_flaw_before_the_truncation_is_reported_first() {
    let good = "1 1:0.123 2:4.56 7:8.9\n".repeat(20_000);
    let packed = gzip(good.as_bytes());
    let error = read_bytes(&packed[..packed.len() / 2], false, 1 << 12).unwrap_err();
    assert!(error.to_string().ends_with("the compressed data ends early or is damaged"), "{error}");
    let packed = gzip(format!("1 1:bad\n{good}").as_bytes());
    let error = read_bytes(&packed[..packed.len() / 2], false, 1 << 12).unwrap_err();
    assert_eq!(error.to_string(), "f:1:5: not a number: 'bad'");
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let line = |i: usize| format!("{} {}:{} {}:0.{}\n", ["a", "1", "-1"][i % 3], 1 + i % 7, i, 9 + i % 90, i);
    let text: String = (0..20_000).map(line).collect();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| read_bytes(text.as_bytes(), false, 1 << 10).unwrap())
    };
    let one = with(1);
    assert_eq!(one.0.len(), 20_000);
    for threads in 2..=5 {
        assert_eq!(with(threads), one);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), size in 1_usize..64) {
        let _ = read_bytes(&bytes, false, size);
    }

    #[test]
    fn nearly_right_text_is_read_or_refused(text in "([-+0-9a:. #e\t\r\n]{0,40}\n){0,4}", precomputed: bool) {
        let whole = read_bytes(text.as_bytes(), precomputed, 1 << 16).map_err(|e| e.to_string());
        let cut = read_bytes(text.as_bytes(), precomputed, 3).map_err(|e| e.to_string());
        prop_assert_eq!(whole, cut);
    }
}

#[test]
fn sets_of_labels_may_be_empty_and_their_flaws_have_places() {
    let read = |text: &'static str| {
        let input = Input::new(Path::new("f"), Cursor::new(text)).unwrap();
        read(input, Form { sets: true, ..Form::default() })
    };
    let (rows, labels, _) = read("3,1 1:1\n  2:4 3:5 # none\n2\n# no row\n\n1.0,b 1:2\n").unwrap();
    assert_eq!((rows.len(), rows.columns()), (4, 3));
    let sets = crate::data::LabelSets::of(&labels.labels());
    assert_eq!((0..4).map(|i| sets.text(i)).collect::<Vec<_>>(), ["1,3", "", "2", "1,b"]);
    let refusal = |text: &'static str| read(text).unwrap_err().to_string();
    assert_eq!(refusal("1 1:1\n1,,3 1:1\n"), "f:2:3: an empty name among the labels '1,,3'");
    assert_eq!(refusal(" 1,3, 1:1\n"), "f:1:6: an empty name among the labels '1,3,'");
    assert_eq!(refusal(",\n"), "f:1:1: an empty name among the labels ','");
    assert_eq!(refusal("1:1 2:x\n"), "f:1:7: not a number: 'x'");
    assert_eq!(refusal("x:1\n"), "f:1:1: not a feature index: 'x'");
    assert!(refusal("1,3 1:1 1:2\n").starts_with("f:1:9: feature index 1 after 1"));
}
