use std::io::Cursor;
use std::path::Path;

use proptest::prelude::*;

use super::super::input::tests::gzip;
use super::super::{Points, Vectors};
use super::*;

fn read_with(text: &str, options: &ReadOptions) -> Result<Table> {
    read(Input::new(Path::new("f"), Cursor::new(text.as_bytes().to_vec()))?, options)
}

fn read_text(text: &str) -> Table {
    read_with(text, &ReadOptions::default()).unwrap()
}

fn flaw(text: &str) -> String {
    read_with(text, &ReadOptions::default()).unwrap_err().to_string()
}

fn dense(columns: usize, values: &[f64]) -> Vectors {
    Vectors::dense(columns, values.to_vec())
}

fn classes(table: &Table) -> Vec<String> {
    let labels = table.labels.as_ref().unwrap().labels();
    (0..labels.len()).map(|i| labels.name(i).to_owned()).collect()
}

#[test]
fn a_header_is_recognised_and_the_last_column_is_the_label() {
    let table = read_text("height,weight,kind\n1.5,70,a\n1.8,80,b\n");
    assert_eq!(table.points, dense(2, &[1.5, 70.0, 1.8, 80.0]));
    assert_eq!(table.names, ["height", "weight"]);
    assert_eq!(classes(&table), ["a", "b"]);
    let bare = read_text("1.5,70,a\n1.8,80,b\n");
    assert_eq!(bare.points, table.points);
    assert!(bare.names.is_empty());
}

#[test]
fn the_label_goes_by_its_usual_names_or_the_one_asked_for() {
    let text = "Class;a;b\n1;2;3\n4;5;6\n";
    assert_eq!(classes(&read_text(text)), ["1", "4"]);
    let with = |label| read_with(text, &ReadOptions { label: Some(label), ..ReadOptions::default() });
    assert_eq!(classes(&with(ColumnRef::Name("b".into())).unwrap()), ["3", "6"]);
    assert_eq!(classes(&with(ColumnRef::Number(2)).unwrap()), ["2", "5"]);
    let all = with(ColumnRef::Absent).unwrap();
    assert_eq!((all.labels, all.points.width()), (None, 3));
    assert_eq!(with(ColumnRef::Name("c".into())).unwrap_err().to_string(), "no column 'c'");
    assert_eq!(with(ColumnRef::Number(4)).unwrap_err().to_string(), "no column '4'");
    assert_eq!(with(ColumnRef::Number(0)).unwrap_err().to_string(), "no column '0'");
}

#[test]
fn words_become_one_column_per_category_in_sorted_order() {
    let table = read_text("size\tcolour\ty\n1\tred\t0\n2\tblue\t1\n3\tred\t1\n");
    assert_eq!(table.names, ["size", "colour=blue", "colour=red"]);
    assert_eq!(table.points, dense(3, &[1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 0.0, 1.0]));
}

#[test]
fn a_later_file_gets_the_same_columns() {
    let encoding = read_text("size,colour,y\n1,red,0\n2,blue,1\n").encoding;
    let options = ReadOptions { encoding, ..ReadOptions::default() };
    let expected = dense(3, &[5.0, 0.0, 0.0, 6.0, 1.0, 0.0]);
    // Columns in another order, one more column, a new category, no label.
    let named = read_with("extra,colour,size\n9,green,5\n9,blue,6\n", &options).unwrap();
    assert_eq!((&named.points, &named.labels), (&expected, &None));
    // By position, with the label and without.
    let placed = read_with("5,green,1\n6,blue,0\n", &options).unwrap();
    assert_eq!((&placed.points, classes(&placed)), (&expected, vec!["1".into(), "0".into()]));
    let bare = read_with("5,green\n6,blue\n", &options).unwrap();
    assert_eq!((&bare.points, &bare.labels), (&expected, &None));

    let error = |text| read_with(text, &options).unwrap_err().to_string();
    assert_eq!(error("colour,y\nred,1\n"), "no column 'size'");
    assert_eq!(error("5,red,1,1\n"), "3 features where 2 are expected");
    assert_eq!(error("size,colour\n1,red\nbig,red\n"), "f:3:1: not a number: 'big'");
}

#[test]
fn many_categories_stay_sparse() {
    // 3,000 rows of 1,500 categories and a number: dense it would be 4.5 million values.
    let text: String = (0..3000).map(|i| format!("{},c{},{}\n", i % 3, i / 2, i % 2)).collect();
    let table = read_text(&text);
    assert_eq!((table.points.len(), table.points.width(), table.points.is_sparse()), (3000, 1501, true));
    // The number is 0 in every third row.
    assert_eq!(table.points.stored(), 3000 + 2000);
    let encoding = table.encoding.as_ref().unwrap();
    let categories = encoding.columns[1].categories.as_ref().unwrap();
    for i in [0, 1, 7, 2999] {
        let own = 1 + categories.iter().position(|c| *c == format!("c{}", i / 2)).unwrap();
        let row = table.points.row(i);
        assert_eq!(
            (row.get(0), row.get(own), row.get(own % 1500 + 1)),
            ((i % 3) as f64, 1.0, 0.0),
            "row {i}"
        );
    }
    let again = ReadOptions { encoding: table.encoding.clone(), ..ReadOptions::default() };
    assert_eq!(read_with(&text, &again).unwrap(), table);
}

#[test]
fn identifiers_are_refused_and_columns_can_be_chosen() {
    let text = |header: &str, rows: usize| {
        let row = |i: usize| format!("name{i},{i},{},{}\n", i % 3, ["a", "b"][i % 2]);
        header.to_owned() + &(0..rows).map(row).collect::<String>()
    };
    let header = "id,size,kind,class\n";
    assert_eq!(
        flaw(&text(header, 20)),
        "column 'id' has 20 different words in 20 rows, which say nothing about another row; leave it out (--drop id) or \
         name the columns to learn from (--columns)"
    );
    assert!(flaw(&text("", 20)).starts_with("column '1' has 20 different words"));
    assert_eq!(read_text(&text(header, 19)).points.width(), 21);

    let with = |header: &str, features: Features, encoding: Option<Encoding>| {
        let options = ReadOptions { features, encoding, ..ReadOptions::default() };
        read_with(&text(header, 30), &options)
    };
    let name = |name: &str| ColumnRef::Name(name.into());
    let dropped = with(header, Features::Without(vec![name("id")]), None).unwrap();
    assert_eq!(dropped.names, ["size", "kind"]);
    let only = with(header, Features::Only(vec![name("kind"), ColumnRef::Number(2)]), None).unwrap();
    assert_eq!(only, dropped);
    assert_eq!(classes(&dropped)[..3], ["a", "b", "a"]);
    let numbered = with("", Features::Without(vec![ColumnRef::Number(1)]), None).unwrap();
    assert_eq!(numbered.points, dropped.points);
    // A later file has the column again: it is known by its name or its place, whether it is named again or not.
    for (header, table) in [(header, &dropped), ("", &numbered)] {
        for features in [Features::All, Features::Without(vec![ColumnRef::Number(1)])] {
            let again = with(header, features.clone(), table.encoding.clone()).unwrap();
            assert_eq!((&again.points, &again.labels), (&table.points, &table.labels), "{features:?}");
        }
    }
    // Of a table of words the first row is a header where a column is called by a name in it.
    let words = |features| {
        let options = ReadOptions { features, ..ReadOptions::default() };
        read_with("id,colour,class\nu,red,a\nv,blue,b\n", &options).unwrap()
    };
    assert_eq!(words(Features::Without(vec![name("id")])).names, ["colour=blue", "colour=red"]);
    assert!(words(Features::All).names.is_empty());
    let refused = |column| with(header, Features::Without(vec![column]), None).unwrap_err().to_string();
    assert_eq!(refused(name("shape")), "no column 'shape'");
    assert_eq!(refused(ColumnRef::Number(5)), "no column '5'");
    let options = ReadOptions { features: Features::Only(vec![name("a")]), ..ReadOptions::default() };
    let error = super::super::read_from(Path::new("f"), Cursor::new("1 1:2\n"), &options).unwrap_err();
    assert!(error.to_string().contains("a choice of columns of data that are no table"), "{error}");
}

#[test]
fn many_columns_of_one_name_are_named_in_a_moment() {
    let (header, row) = (vec!["a"; 30_000].join(","), vec!["1"; 30_000].join(","));
    let table = read_text(&format!("{header}\n{row}\n{row}\n"));
    assert_eq!(table.names.len(), 29_999);
    assert_eq!((&table.names[1][..], &table.names[29_998][..]), ("a.1", "a.29998"));
}

#[test]
fn columns_of_one_name_stay_apart() {
    let first = read_text("a,a,y\n1,2,3\n4,5,6\n");
    assert_eq!(first.names, ["a", "a.1"]);
    let options = ReadOptions { encoding: first.encoding, ..ReadOptions::default() };
    assert_eq!(read_with("y,a,a\n3,1,2\n6,4,5\n", &options).unwrap().points, first.points);
}

#[test]
fn a_label_that_leaves_no_feature_or_has_a_double_is_refused() {
    let message =
        "column 'x' is taken as the label, and no feature is left; name another label (--label), or none";
    assert_eq!(flaw("x\n1\n2\n"), message);
    let named =
        |name: &str| ReadOptions { label: Some(ColumnRef::Name(name.into())), ..ReadOptions::default() };
    let error = read_with("a,b,a\n1,2,3\n", &named("a")).unwrap_err().to_string();
    assert_eq!(error, "columns 1 and 3 are both called 'a'; give each a name of its own");
    assert_eq!(flaw("x,y,y\n1,2,3\n"), "columns 2 and 3 are both called 'y'; give each a name of its own");
    // `label` counts for more than other usual names, wherever it stands.
    assert_eq!(classes(&read_text("y,x,class,label\n1,2,3,4\n")), ["4"]);
    assert_eq!(classes(&read_text("y,x,class\n1,2,3\n")), ["3"]);
}

#[test]
fn a_header_may_be_forced_or_denied() {
    let text = "a,b\nc,d\n";
    let with =
        |header| read_with(text, &ReadOptions { header: Some(header), ..ReadOptions::default() }).unwrap();
    assert_eq!(with(true).names, ["a=c"]);
    assert_eq!(classes(&with(false)), ["b", "d"]);
    assert!(read_text("a,b\n").points.is_empty());
}

#[test]
fn each_flaw_is_named_at_its_place() {
    assert_eq!(flaw("a,b\n1,2\n3\n"), "f:3:2: 1 fields where 2 are expected");
    assert_eq!(flaw("a,b\n1,2\n3,4,5\n"), "f:3:5: 3 fields where 2 are expected");
    assert_eq!(flaw("a,b\n1,2\n\n,4\n"), "f:4:1: missing value in column 1");
    assert_eq!(flaw("a,b\r\n1,2\r\n3,\r\n"), "f:3:3: missing value in column 2");
    assert_eq!(flaw("a,b\n1,2\n3, nan\n"), "f:3:4: not finite: 'nan'; every value must be a finite number");
    assert_eq!(flaw("1,inf\n1,2\n"), "f:1:3: not finite: 'inf'; every value must be a finite number");
    assert_eq!(
        flaw("a,b\n\"x\ny\",2\n\"p\"\"q,\",inf\n"),
        "f:4:9: not finite: 'inf'; every value must be a finite number"
    );
    assert_eq!(flaw(""), "no rows");
}

#[test]
fn a_flaw_far_into_the_file_is_placed_right() {
    let mut text = "a,b\n".to_owned();
    (0..100_000).for_each(|i| text.push_str(&format!("{i},{}\n", i * 7)));
    text.push_str("12,-inf\n");
    assert_eq!(flaw(&text), "f:100002:4: not finite: '-inf'; every value must be a finite number");
}

#[test]
fn a_truncated_file_is_an_error() {
    let text: String = (0..30_000_u32).map(|i| format!("{},{i}\n", i.wrapping_mul(2_654_435_761))).collect();
    let packed = gzip(text.as_bytes());
    let input = Input::new(Path::new("f"), Cursor::new(packed[..packed.len() / 2].to_vec())).unwrap();
    let error = read(input, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.ends_with("the compressed data ends early or is damaged"), "{error}");
}

#[test]
fn the_delimiter_is_the_most_frequent_one() {
    assert_eq!(guess_delimiter(b"a;b;c,d\n1,2,3,4"), b';');
    assert_eq!(guess_delimiter(b"\"a;b;c\",d\n"), b',');
    assert_eq!(guess_delimiter(b"\n\na\tb\n"), b'\t');
    assert_eq!(guess_delimiter(b""), b',');
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let input = Input::new(Path::new("f"), Cursor::new(bytes));
        let _ = input.and_then(|input| read(input, &ReadOptions::default()));
    }

    #[test]
    fn nearly_right_text_is_read_or_refused(text in "([a1.\", \r]{0,8}\n){0,5}", label in 0_usize..4) {
        let options = ReadOptions { label: Some(ColumnRef::Number(label)), ..ReadOptions::default() };
        if let Ok(table) = read_with(&text, &options) {
            let again = ReadOptions { encoding: table.encoding.clone(), header: Some(table.encoding.as_ref().unwrap().named), ..options };
            prop_assert_eq!(read_with(&text, &again).unwrap(), table);
        }
    }
}

#[test]
fn the_first_flaw_of_the_text_is_reported_whatever_the_batches_and_threads() {
    let mut lines: Vec<String> = (0..5000).map(|i| format!("{i},{},a", i % 7)).collect();
    lines[3000] = "1,2".into();
    lines[2500] = "1,inf,a".into();
    lines[2400] = "nan,inf,a".into();
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let message = |lines: &[String]| {
            let text = lines.join("\n").into_bytes();
            let options = ReadOptions { header: Some(false), ..ReadOptions::default() };
            let input = Input::new(Path::new("t.csv"), Cursor::new(text)).unwrap();
            pool.install(|| read(input, &options)).unwrap_err().to_string()
        };
        assert!(message(&lines).starts_with("t.csv:2401:1: not finite: 'nan'"));
        assert!(message(&lines[2401..]).starts_with("t.csv:100:3: not finite: 'inf'"));
        assert!(message(&lines[2501..]).starts_with("t.csv:500:4: 2 fields where 3 are expected"));
    }
}
