//! Messages that say what happened: the number used, the line meant, the file asked for.

mod common;

use common::Place;

#[test]
fn more_folds_than_rows_are_as_many_as_there_are() {
    let place = Place::new();
    // 30 rows of two classes, of which two weigh nothing; three classes have pairs of 20 rows.
    let row = |i: usize, classes: usize| format!("{} 1:{} 2:{}\n", i % classes, i % classes, (i * 7) % 11);
    place.write("two", (0..30).map(|i| row(i, 2)).collect::<String>());
    place.write("three", (0..30).map(|i| row(i, 3)).collect::<String>());
    place.write("weights", (0..30).map(|i| if i < 2 { "0\n" } else { "1\n" }).collect::<String>());
    for (arguments, folds) in [
        ("--probability platt --folds 1000 two", 30),
        ("--probability platt --folds 4 two", 4),
        ("--probability platt --folds 1000 --weights weights two", 28),
        ("--probability platt --folds 1000 three", 20),
        ("-m svr --probability noise --folds 1000 two", 30),
        ("-m svr --probability noise --folds 1000 --weights weights two", 28),
    ] {
        let out = place.run(&format!("train {arguments} m.mercer")).ok().out;
        assert!(out.contains(&format!("from {folds} folds")), "{arguments}: {out}");
    }
}

#[test]
fn a_machine_that_predicts_no_label_at_all_gives_a_hint() {
    let place = Place::new();
    // One row in ten has each label, and all rows are alike.
    let rows: String = (0..40).map(|i| format!("{} 1:{}\n", i % 10, 1.0 + 1e-3 * f64::from(i))).collect();
    place.write("data", rows);
    place.run("train --multilabel data m.mercer").ok();
    let run = place.run("predict data m.mercer out").ok();
    assert!(place.read("out").lines().all(str::is_empty));
    let hint =
        "mercer: no label is predicted for any row; try a larger C or another kernel, or look at --scores";
    assert!(run.err.contains(hint), "{}", run.err);
    place.run("train --multilabel -c 1000 -k rbf(gamma=1e6) data m.mercer").ok();
    assert!(!place.run("predict data m.mercer out").ok().err.contains("no label"));
}

#[test]
fn an_unclosed_quote_is_named_where_it_opened() {
    let place = Place::new();
    let unclosed = |text: &str, at: &str| {
        place.write("q.csv", text);
        let run = place.run("train q.csv m.mercer").refused(1);
        assert_eq!(run.err, format!("mercer: q.csv:{at}: a quote opens here and is never closed\n"));
    };
    unclosed("a,b,y\n1,2,x\n3,\"4,z\n5,6,y\n7,8,x\n", "3:3");
    unclosed("a,b,y\n1,2,x\n3,4,\"z\n5,6,y\n", "3:5");
    unclosed("\"a,b,y\n1,2,x\n", "1:1");
    unclosed("a,b,y\n1,2,\"x \"\"y\"\"\n", "2:5");
    // Quotes that are closed, doubled, or inside a word.
    place.write("q.csv", "a,b,y\n1,2,\"x \"\"y\"\"\"\n3,4,\"z\nz\"\n5,6,it\"s\"");
    place.run("train q.csv m.mercer").ok();
}

#[test]
fn labels_that_are_no_label_are_named_with_their_place() {
    let place = Place::new();
    place.write("data", "1 1:1\n2 1:2\n1 1:3\n");
    for (labels, message) in [
        ("1\nnan\n2\n", "l:2:1: not finite: 'nan'; every value must be a finite number"),
        ("1\n2\n-inf\n", "l:3:1: not finite: '-inf'; every value must be a finite number"),
        ("1\n\0\n2\n", "l:2:1: a byte 0 in a label"),
        ("a\n b\0c\nb\n", "l:2:2: a byte 0 in a label"),
    ] {
        place.write("l", labels);
        let run = place.run("train --labels l data m.mercer");
        assert_eq!((run.code, run.err.trim_end()), (Some(1), &*format!("mercer: {message}")));
    }
    place.write("data", "1 1:1\nnan 1:2\n2 1:3\n");
    let run = place.run("train data m.mercer");
    assert_eq!((run.code, run.err.contains("data:2:1: not finite: 'nan'")), (Some(1), true), "{}", run.err);
}

#[test]
fn a_failed_write_names_the_file_asked_for() {
    let place = Place::new();
    place.write("data", "1 1:1\n2 1:2\n");
    place.run("train data m.mercer").ok();
    for (arguments, path) in
        [("train data no/such.mercer", "no/such.mercer"), ("predict data m.mercer no/such", "no/such")]
    {
        let run = place.run(arguments);
        assert_eq!(run.code, Some(4));
        let message = format!("mercer: {path}: No such file or directory (os error 2)");
        assert_eq!(run.err.trim_end(), message);
    }
}
