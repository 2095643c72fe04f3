use std::io::Cursor;
use std::path::Path;

use proptest::prelude::*;

use super::super::Points;
use super::*;

/// An NPY file as NumPy writes it.
fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = [MAGIC, &[version, 0]].concat();
    let length = header.len() as u32;
    bytes.extend(if version == 1 {
        (length as u16).to_le_bytes().to_vec()
    } else {
        length.to_le_bytes().to_vec()
    });
    [&bytes, header.as_bytes(), data].concat()
}

fn header(descr: &str, fortran: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}     \n")
}

fn read_bytes(bytes: Vec<u8>) -> Result<Table> {
    read(Input::new(Path::new("f"), Cursor::new(bytes))?, &ReadOptions::default())
}

fn flaw(bytes: Vec<u8>) -> String {
    read_bytes(bytes).unwrap_err().to_string()
}

#[test]
fn every_type_and_order_of_bytes_reads_the_same() {
    let expected = Vectors::dense(3, vec![0.0_f64, 1.0, 2.0, 3.0, 4.0, 100.0]);
    let numbers = [0_u8, 1, 2, 3, 4, 100];
    for (kind, size) in [("i", 1), ("i", 2), ("i", 4), ("i", 8), ("u", 1), ("u", 2), ("u", 4), ("u", 8)] {
        for big in [false, true] {
            let data: Vec<u8> = numbers
                .iter()
                .flat_map(|&n| {
                    let mut raw = vec![0; size];
                    raw[if big { size - 1 } else { 0 }] = n;
                    raw
                })
                .collect();
            let descr = format!("{}{kind}{size}", if big { ">" } else { "<" });
            for version in 1..=3 {
                let bytes = file(version, &header(&descr, "False", "(2, 3)"), &data);
                assert_eq!(read_bytes(bytes).unwrap().points, expected, "{descr}");
            }
        }
    }
    let data: Vec<u8> = numbers.iter().flat_map(|&n| f64::from(n).to_be_bytes()).collect();
    assert_eq!(read_bytes(file(1, &header(">f8", "False", "(2, 3)"), &data)).unwrap().points, expected);
    let truth = read_bytes(file(1, &header("|b1", "False", "(1, 2)"), &[0, 1])).unwrap();
    assert_eq!(truth.points, Vectors::dense(2, vec![0.0_f64, 1.0]));
    let negative = read_bytes(file(1, &header("<i2", "False", "(1, 1)"), &(-300_i16).to_le_bytes())).unwrap();
    assert_eq!(negative.points, Vectors::dense(1, vec![-300.0_f64]));
}

#[test]
fn single_precision_stays_single_and_columns_may_come_first() {
    let data: Vec<u8> = [1.5_f32, 4.0, 2.0, 5.0, 3.0, 6.0].iter().flat_map(|n| n.to_le_bytes()).collect();
    let table = read_bytes(file(1, &header("<f4", "True", "(2, 3)"), &data)).unwrap();
    assert_eq!(table.points, Vectors::dense(3, vec![1.5_f32, 2.0, 3.0, 4.0, 5.0, 6.0]));
    assert_eq!(table.labels, None);
}

#[test]
fn a_column_or_another_file_may_be_the_label() {
    let data: Vec<u8> = (0..6).flat_map(|n| f64::from(n).to_le_bytes()).collect();
    let bytes = file(1, &header("<f8", "False", "(2, 3)"), &data);
    let with = |label| {
        let input = Input::new(Path::new("f"), Cursor::new(bytes.clone())).unwrap();
        read(input, &ReadOptions { label: Some(label), ..ReadOptions::default() })
    };
    let table = with(ColumnRef::Number(2)).unwrap();
    assert_eq!(table.labels, Some(LabelColumn::Numbers(vec![1.0, 4.0])));
    assert_eq!(table.points, Vectors::dense(2, vec![0.0_f64, 2.0, 3.0, 5.0]));
    assert_eq!(with(ColumnRef::Number(4)).unwrap_err().to_string(), "no column '4'");
    assert_eq!(with(ColumnRef::Name("y".into())).unwrap_err().to_string(), "no column 'y'");
    let labels = file(2, &header("<f8", "False", "(6,)"), &data);
    let labels = read_labels(Input::new(Path::new("f"), Cursor::new(labels)).unwrap()).unwrap();
    assert_eq!(labels.len(), 6);
}

#[test]
fn a_hostile_header_is_refused_before_memory_is_taken() {
    let huge = header("<f8", "False", "(9223372036854775807, 9223372036854775807)");
    assert_eq!(flaw(file(1, &huge, &[])), "f:1:7: the shape is beyond what memory can address");
    let large = header("<f8", "False", "(1000000000000, 1000)");
    assert!(flaw(file(1, &large, &[0; 16])).ends_with("the file ends before its array"));
    let mut bytes = [MAGIC, &[2, 0], &u32::MAX.to_le_bytes()].concat();
    assert_eq!(flaw(bytes.clone()), "f:1:9: the length of the header is not believable");
    bytes[6] = 9;
    assert_eq!(flaw(bytes), "f:1:7: NPY versions 1 to 3 are supported");
    assert_eq!(flaw(b"\x93NUMPY".to_vec()), "f:1:1: not an NPY file");
    let short = file(1, &header("<f8", "False", "(1, 1)"), &[]);
    assert!(flaw(short[..40].to_vec()).ends_with("the file ends within its header"));
    let ends = |head: &str, what: &str| {
        let message = flaw(file(1, head, &[0; 8]));
        assert!(message.ends_with(what), "{message}");
    };
    ends(&header("<f8", "False", "(2, 1)"), "the file ends before its array");
    ends(&header("<f4", "False", "(1, 1)"), "the file goes on after its array");
    ends(&header("<f8", "False", "(1,)"), "points need an array of two dimensions");
    ends(&header("<f8", "False", "(3, 0)"), "an array without columns");
    ends(&header("<c8", "False", "(1, 1)"), "this type of element is not supported");
    ends(&header("|O", "False", "(1, 1)"), "this type of element is not supported");
    ends(&header("<f8", "Perhaps", "(1, 1)"), "expected True or False");
    ends(&header("<f8", "False", "(-1, 1)"), "expected a length");
    ends(&header("<f8", "False", "(99999999999999999999, 1)"), "expected a length");
    ends("{'descr': '<f8', 'shape': (1, 1)}", "the header lacks descr, fortran_order or shape");
    ends("{'descr': '<f8', 'descr': '<f8'}", "an unknown or repeated key");
    ends("[1]", "expected a dictionary");
    ends("", "expected a dictionary");
}

#[test]
fn a_value_that_is_not_finite_is_placed() {
    let data: Vec<u8> = [1.0, 2.0, 3.0, f64::NAN].iter().flat_map(|n| n.to_le_bytes()).collect();
    assert_eq!(
        flaw(file(1, &header("<f8", "False", "(2, 2)"), &data)),
        "row 2, column 2: not a finite number"
    );
    assert_eq!(
        flaw(file(1, &header("<f8", "True", "(2, 2)"), &data)),
        "row 2, column 2: not a finite number"
    );
}

proptest! {
    #[test]
    fn any_header_is_read_or_refused(version in 0_u8..5, head in "[{}()':,a-z0-9<>| _]{0,60}", data: Vec<u8>) {
        let _ = read_bytes(file(version, &head, &data));
    }

    #[test]
    fn a_damaged_byte_is_read_or_refused(at in 0_usize..150, byte: u8) {
        let data: Vec<u8> = (0..6).flat_map(|n| f64::from(n).to_le_bytes()).collect();
        let mut bytes = file(1, &header("<f8", "False", "(2, 3)"), &data);
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(table) = read_bytes(bytes) {
            prop_assert_eq!(table.points.len() * table.points.width(), table.points.stored());
        }
    }
}
