//! Streams from standard input, and texts whose features are part of the model.
#![expect(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod common;

use std::io::Write;
use std::process::Stdio;

use common::{Place, Run};

/// Runs the program with `text` on standard input.
fn fed(place: &Place, arguments: &str, text: &str) -> Run {
    let mut command = place.command(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = text.to_owned();
    let feeder = std::thread::spawn(move || {
        let _ = input.write_all(text.as_bytes());
    });
    let run = child.wait_with_output().unwrap().into();
    feeder.join().unwrap();
    run
}

fn rows(count: usize) -> String {
    let line = |i: usize| {
        let x = ((i * 7919) % 1000) as f64 / 500.0 - 1.0;
        let class = ["low", "mid", "high"][usize::from(x > -0.3) + usize::from(x > 0.4)];
        format!("{class} 1:{x} 2:{} {}:1\n", x * x, 3 + i % 5)
    };
    (0..count).map(line).collect()
}

#[test]
fn standard_input_is_learnt_from_in_one_pass_of_any_length() {
    let place = Place::new();
    let text = rows(20_000);
    let run = fed(&place, "train --method pegasos --alpha 0.001 - online.mercer", &text).ok();
    let table: Vec<&str> = run.err.lines().collect();
    assert!(table[0].starts_with("average  since") && table[1].starts_with("loss     last"), "{}", run.err);
    let counters: Vec<&str> =
        table[2..17].iter().map(|line| line.split_whitespace().nth(2).unwrap()).collect();
    let doubling: Vec<String> = (0..15).map(|k| (1 << k).to_string()).collect();
    assert_eq!(counters, doubling);
    assert!(run.err.contains("number of examples = 20000"), "{}", run.err);
    place.write("rows", &text);
    let json = place.run("predict --json rows online.mercer out").ok().json();
    assert!(json["accuracy"].as_f64().unwrap() > 0.8, "{json}");
    // Named classes, in the order found, give the same bytes; quiet says nothing.
    let first = std::fs::read(place.path("online.mercer")).unwrap();
    let order = place.run("inspect --json online.mercer").ok().json()["classes"].clone();
    let order: Vec<&str> = order.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let arguments =
        format!("train -q --method pegasos --alpha 0.001 --classes {} - named.mercer", order.join(","));
    let quiet = fed(&place, &arguments, &text).ok();
    assert!(quiet.err.is_empty() && quiet.out.is_empty());
    assert!(std::fs::read(place.path("named.mercer")).unwrap() == first);
}

#[test]
fn a_flaw_of_the_stream_is_told_with_its_place_and_leaves_no_model() {
    let place = Place::new();
    let bad = format!("{}low 1:x\n", rows(3000));
    fed(&place, "train -q --method pegasos - m.mercer", &bad).refused(1).says("-:3001:7: not a number: 'x'");
    fed(&place, "train -q --method pegasos - m.mercer", "").refused(1).says("no rows");
    fed(&place, "train -q --method pegasos - m.mercer", "a 1:1\n").refused(1).says("only one class");
    let strange = "class 'high' is not one of those named";
    fed(&place, "train -q --method pegasos --classes low,mid - m.mercer", &rows(500))
        .refused(1)
        .says(strange);
    place.write("rows", rows(10));
    place
        .run("train --method pegasos --classes low,mid rows m.mercer")
        .refused(2)
        .says("--classes: for one pass");
    assert_eq!(place.files(), ["rows"]);
    // Several passes, or another format, are read into memory as ever.
    fed(&place, "train -q --method pegasos --passes 3 - m.mercer", &rows(500)).ok();
}

#[test]
fn what_one_pass_does_not_look_at_is_refused() {
    let place = Place::new();
    place.refuses(
        "train -q --method pegasos {} - m",
        "-c 2 => 2 -c: one pass of pegasos
         --alpha 0.1 -c 2 => 2 -c: one pass of pegasos
         --tolerance 0.1 => 2 --tolerance: one pass
         --seed 3 => 2 --seed: one pass
         --memory 2000 => 2 --memory: one pass
         --columns 1 => 2 --columns: standard input is read as LIBSVM text
         --drop 1 => 2 --drop: standard input
         --label 1 => 2 --label: standard input
         -w 1=2 => 2 name them by --classes
         --classes 1,1 => 2 classes = 1,1: must be two or more different ones
         --classes 1,2 -w 3=2 => 2 weight = 3: must be of a class that is named",
    );
    let text = rows(300);
    fed(&place, "train -q --method pegasos -w low=2 --classes low,mid,high - m", &text).ok();
    let told = place.run("inspect --json m").ok().json();
    assert_eq!(told["method"], "pegasos");
    fed(&place, "train -q --method pegasos --passes 2 -c 2 --seed 3 - m", &text).ok();
}

const TEXTS: &str = "spam\tWin money now, win big\nham\tsee you at lunch\nspam\tmoney money prize\nham\tlunch at noon?\nspam\tbig prize, win now\nham\tsee the notes from noon\n";

#[test]
fn features_are_written_and_made_alike_for_other_files() {
    let place = Place::new();
    place.write("train.tsv", TEXTS);
    place.write("test.tsv", "spam\twin the prize\nham\tunknown words alone\n");
    place
        .run("features --tfidf --ngrams 1..2 --save map train.tsv train.libsvm")
        .ok()
        .says("6 rows, 31 features");
    place.run("features -q --restore map test.tsv test.libsvm").ok();
    assert_eq!(place.read("test.libsvm").lines().count(), 2);
    assert_eq!(place.read("test.libsvm").lines().nth(1).map(str::trim), Some("ham"));
    let hashed = place.run("features -q --hash 6 --unit char --ngrams 2..3 train.tsv").ok();
    assert!(hashed.out.lines().all(|line| {
        line.split_whitespace()
            .skip(1)
            .all(|entry| (1..=64).contains(&entry.split_once(':').unwrap().0.parse::<usize>().unwrap()))
    }));
    place.refuses(
        "features {} train.tsv out",
        "--hash 40 => 2 bits = 40: must lie in 1 to 30
         --ngrams 3..1 => 2 ngrams = 3..1: must be a range
         --ngrams x => 2 column
         --restore train.tsv => 1 not a mercer model
         --features tfidf(x=1) => 2 expected ngrams",
    );
}

#[test]
fn a_model_keeps_its_features_and_takes_texts() {
    let place = Place::new();
    place.write("train.tsv", TEXTS);
    place.write("new.tsv", "spam\twin a big prize now\nham\tlunch with you at noon\n");
    for (method, features) in [
        ("--method linear-svc", "tfidf(ngrams=1..2)"),
        ("--method logistic", "hashed(bits=10)"),
        ("--kernel rbf(gamma=1)", "tfidf(unit=char_wb,ngrams=2..4)"),
        ("--method pegasos", "counts(binary=yes)"),
    ] {
        place.run(&format!("train -q {method} --features {features} train.tsv m.mercer")).ok();
        place.run("predict -q new.tsv m.mercer out").ok();
        assert_eq!(place.read("out"), "spam\nham\n", "{method} {features}");
        place.run("inspect m.mercer").ok().says("texts by ");
    }
    // The same numbers as by way of a file of rows.
    place.run("train -q --method linear-svc --features tfidf train.tsv direct.mercer").ok();
    place.run("features -q --tfidf --save map train.tsv rows").ok();
    place.run("train -q --method linear-svc rows steps.mercer").ok();
    place.run("features -q --restore direct.mercer new.tsv new.rows").ok();
    place.run("predict -q --decisions new.tsv direct.mercer one").ok();
    place.run("predict -q --decisions new.rows steps.mercer two").ok();
    let numbers = |name: &str| -> Vec<f64> {
        place.read(name).split_whitespace().filter_map(|word| word.parse().ok()).collect()
    };
    let (one, two) = (numbers("one"), numbers("two"));
    assert!(one.len() == 2 && one.iter().zip(&two).all(|(a, b)| (a - b).abs() < 1e-4), "{one:?} {two:?}");
    place.run("train --method linear-svc --features tfidf --scale minmax train.tsv m.mercer").refused(2);
}
