//! What is wrong is said with its place, by an exit code, and leaves nothing behind.

mod common;

use common::{Place, noisy};

/// Runs, and checks code and message; no other file may be there than before.
fn refused(place: &Place, arguments: &str, code: i32, message: &str) {
    let before = place.files();
    let run = place.run(arguments);
    assert_eq!((run.code, run.err.trim_end()), (Some(code), message), "{arguments}");
    assert_eq!(place.files(), before, "{arguments} left something behind");
}

#[test]
fn a_bad_line_is_named_and_no_model_is_left() {
    let place = Place::new();
    let mut lines: Vec<String> = noisy(30).lines().map(String::from).collect();
    lines[16] = "1 1:0.5 5:1 3:2".into();
    place.write("data.txt", lines.join("\n"));
    let message = "data.txt:17:13: feature index 3 after 5; indices must ascend";
    refused(&place, "train data.txt m.mercer", 1, &format!("mercer: {message}"));
    refused(&place, "svm-train data.txt m.model", 1, &format!("svm-train: {message}"));
}

#[test]
fn data_that_cannot_be_used_are_refused() {
    let place = Place::new();
    place.write("empty", "");
    place.write("one", "1 1:1\n1 1:2\n");
    place.write("nan", "1 1:1\n-1 1:nan\n");
    refused(&place, "train empty", 1, "mercer: empty: no rows");
    refused(&place, "train one", 1, "mercer: one: only one class, '1'; at least two are needed");
    let message = "mercer: nan:2:6: not finite: 'nan'; every value must be a finite number";
    refused(&place, "train nan", 1, message);
    refused(&place, "train missing", 4, "mercer: missing: No such file or directory (os error 2)");
}

#[test]
fn dense_data_of_another_width_are_refused() {
    let place = Place::new();
    place.run("train -q @iris_scale m.mercer").ok();
    place.write("five.csv", "1,2,3,4,5,a\n1,2,3,4,6,b\n");
    refused(&place, "predict five.csv m.mercer", 1, "mercer: five.csv: 5 features where 4 are expected");
}

#[test]
fn a_large_index_costs_a_dense_model_nothing() {
    let place = Place::new();
    place.write("four.csv", "1,2,a\n2,3,b\n0,1,a\n5,5,b\n");
    place.run("train -q four.csv m.mercer").ok();
    // With all columns the four points would take 69 GB. A feature that they do not have counts alike wherever it stands.
    place.write("wide", "a 1:2 2147483647:1\n");
    place.write("narrow", "a 1:2 3:1\n");
    let decisions = |data: &str| place.run(&format!("predict -q --decisions {data} m.mercer")).ok().out;
    let (wide, narrow) = (decisions("wide"), decisions("narrow"));
    let number = |out: &str| out.split_whitespace().last().unwrap().parse::<f64>().unwrap();
    assert!((number(&wide) - number(&narrow)).abs() < 1e-6, "{wide}{narrow}");
}

#[test]
fn damaged_and_hostile_models_are_refused() {
    let place = Place::new();
    place.run("train -q @iris_scale m.mercer").ok();
    let whole = std::fs::read(place.path("m.mercer")).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    place.write("cut", &whole[..whole.len() - 9]);
    place.write("flipped", flipped);
    place.write("huge", [&u64::MAX.to_le_bytes()[..], b"{}"].concat());
    place.write("text", "svm_type c_svc\nkernel_type rbf\nnr_class 4000000000\n");
    place.write("nothing", "");
    for model in ["cut", "flipped", "huge", "text", "nothing", "m.mercer.missing"] {
        for command in [format!("inspect {model}"), format!("predict @iris_scale {model}")] {
            let run = place.run(&command);
            assert_eq!(
                run.code,
                Some(if model.ends_with("missing") { 4 } else { 1 }),
                "{command}: {}",
                run.err
            );
            assert!(run.err.starts_with(&format!("mercer: {model}")), "{}", run.err);
            assert_eq!(run.out, "");
        }
    }
}

#[test]
fn wrong_parameters_are_usage_errors() {
    let place = Place::new();
    refused(&place, "train -c -1 @iris_scale", 2, "mercer: c = -1: must be positive");
    refused(&place, "train -t 0 @iris_scale", 2, "mercer: tolerance = 0: must be positive and finite");
    let run = place.run("train --kernel rbf( @iris_scale");
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("kernel \"rbf(\", column 5: expected"), "{}", run.err);
    assert_eq!(place.run("train").code, Some(2));
    assert_eq!(place.run("").code, Some(2));
    assert_eq!(place.run("train --memory 1 @iris_scale").code, Some(2));
    assert_eq!(place.run("train --weight 9=2 @iris_scale").code, Some(2));
    assert!(place.files().is_empty());
}

#[test]
fn what_does_not_exist_yet_says_so() {
    let place = Place::new();
    refused(
        &place,
        "train --libsvm --probability isotonic @iris_scale",
        5,
        "mercer: not supported yet: isotonic probabilities as LIBSVM's model text, which has Platt's sigmoids",
    );
    place.write("words", "cat 1:1\ndog 1:2\n");
    for command in [
        "svm-train words",
        "train --libsvm words",
        "train --libsvm -k laplace @iris_scale",
        "train --libsvm -m svdd @iris_scale",
        "train --libsvm -m svr -k laplace @iris_scale",
    ] {
        assert_eq!(place.run(command).code, Some(5), "{command}");
    }
    assert_eq!(place.files(), ["words"]);
}

#[test]
fn a_target_that_is_no_number_is_named_with_its_place() {
    let place = Place::new();
    place.write("data", "1.5 1:1\n\nhigh 1:2\n");
    let message = "data:3:1: not a number: 'high'";
    refused(&place, "train -m svr data m.mercer", 1, &format!("mercer: {message}"));
    refused(&place, "svm-train -s 3 data m.model", 1, &format!("svm-train: {message}"));
    refused(&place, "svm-train -s 4 -v 5 data", 1, &format!("svm-train: {message}"));
    place.write("table.csv", "x,price\n1,2.5\n2,cheap\n");
    let message = "mercer: table.csv:3:3: not a number: 'cheap'";
    refused(&place, "train -m nu-svr --header yes table.csv", 1, message);
    let message = "mercer: table.csv: row 2: label 'cheap' is not a number";
    refused(&place, "train -m nu-svr table.csv", 1, message);
    place.write("good", "1.5 1:1\n2 1:2\n");
    place.run("train -q -m svr good m.mercer").ok();
    refused(&place, "predict data m.mercer", 1, "mercer: data:3:1: not a number: 'high'");
}

#[test]
fn parameters_of_another_method_are_refused() {
    let place = Place::new();
    let table = "
        -m svr -w 1=2 => --weight: --method svr does not have it; it has -c, --epsilon, --squared
        -m svr --nu 0.1 => --nu: --method svr does not have it; it has -c, --epsilon, --squared
        -m nu-svr -p 0.1 => --epsilon: --method nu-svr does not have it; it has -c, --nu
        -m one-class -c 2 => -c: --method one-class does not have it; it has --nu
        -m svdd --epsilon 0.2 => --epsilon: --method svdd does not have it; it has -c, --nu
        --epsilon 1 => --epsilon: --method svc does not have it; it has -c, --weight, --squared, --no-offset, --mean, --multiclass, --multilabel, --early
        -m nu-svc -c 1 => -c: --method nu-svc does not have it; it has --nu, --weight, --adapt, --multiclass
        -m nu-svr --nu 1.5 => nu = 1.5: must be above 0 and at most 1
        -m one-class --nu 0 => nu = 0: must be above 0 and at most 1
        -m svr -p -1 => epsilon = -1: must be finite and not negative
        -m svdd -c 0.001 => c = 0.001: must be finite and at least 1/n, n the number of points
    ";
    for line in table.trim().lines() {
        let (arguments, message) = line.split_once(" => ").unwrap();
        refused(&place, &format!("train {arguments} @iris_scale m"), 2, &format!("mercer: {message}"));
    }
    assert_eq!(place.run("train -m tree @iris_scale").code, Some(2));
}

#[test]
fn output_that_cannot_be_written_is_an_output_failure() {
    let place = Place::new();
    assert_eq!(place.run("train -q @iris_scale no/such/folder/m.mercer").code, Some(4));
    place.run("train -q @iris_scale m.mercer").ok();
    assert_eq!(place.run("predict @iris_scale m.mercer no/such/folder/out").code, Some(4));
    // A trace too, before the fit, and never in place of the model or the data.
    let run = place.run("train -q --trace no/such/folder/t.csv @iris_scale other");
    assert!(run.code == Some(4) && run.err.contains("no/such/folder/t.csv"), "{}", run.err);
    let model = "mercer: --trace same: this is the model; the trace must go to another file";
    refused(&place, "train -q --trace same @iris_scale same", 2, model);
    place.write("data", "1 1:1\n-1 1:2\n");
    assert_eq!(place.run("train -q --trace data data m2").code, Some(2));
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    place.run("train -q @letter.scale.tr -c 1 m.mercer --max-iterations 1000").ok();
    let mut child = place
        .command("predict --decisions @letter.scale.tr m.mercer")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}
