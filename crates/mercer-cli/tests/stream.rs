//! Rows on disk: the same models and predictions as from memory, files that are used again, and what is refused.

mod common;

use std::fmt::Write;

use common::Place;

/// Rows of three classes with 30 of 400 features.
fn rows(count: usize) -> String {
    let mut state = 7_u64;
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1_u64 << 24) as f64
    };
    let mut text = String::new();
    for _ in 0..count {
        let (mut row, mut sum) = (String::new(), 0.0);
        for k in 0..30 {
            let (column, value) = (13 * k + (13.0 * draw()) as usize, draw());
            sum += value * if column % 2 == 0 { 1.0 } else { -1.0 };
            write!(row, " {}:{value:.3}", column + 1).expect("a string takes it");
        }
        let class = if sum < -0.7 {
            "low"
        } else if sum > 0.7 {
            "high"
        } else {
            "none"
        };
        writeln!(text, "{class}{row}").expect("a string takes it");
    }
    text
}

#[test]
fn a_stream_has_the_objective_and_the_predictions_of_memory() {
    let place = Place::new();
    place.write("data", rows(8000));
    for method in ["linear-svc", "linear-svc --loss hinge", "logistic"] {
        let train = format!("train --json --method {method} --tolerance 1e-6");
        let memory = place.run(&format!("{train} data m.mercer")).ok().json();
        // The memory that vectors take leaves less than a megabyte for copies of rows.
        let err = place.run(&format!("{train} --stream --memory 1 data s.mercer")).refused(2).err;
        let least = err.split_once(" needs ").unwrap().1.split_once(" MB").unwrap().0;
        let stream = place.run(&format!("{train} --stream --memory {least} data s.mercer")).ok().json();
        let [a, b] = [&memory, &stream].map(|run| run["objective"].as_f64().unwrap());
        assert!((a - b).abs() < 1e-5 * a.abs(), "{method}: {a} and {b}");
        assert_eq!(stream["stop"], "converged");
        assert_eq!((&stream["rows"], &stream["classes"]), (&memory["rows"], &memory["classes"]));
        assert!(stream["passes"].as_f64().unwrap() > 3.0 && stream["blocks_bytes"].as_f64().unwrap() > 3e5);
        place.run("predict -q data s.mercer all.txt").ok();
        place.run("predict -q --stream data s.mercer pieces.txt").ok();
        assert_eq!(place.read("all.txt"), place.read("pieces.txt"));
    }
    place.run("predict --stream --probabilities data s.mercer p.txt").ok().says("accuracy");
    place.run("predict --probabilities -q data s.mercer q.txt").ok();
    assert_eq!(place.read("p.txt"), place.read("q.txt"));
}

#[test]
fn blocks_are_made_once_and_said_where() {
    let place = Place::new();
    place.write("data", rows(300));
    let train = "train --method linear-svc --stream data m.mercer";
    place.run(train).ok().says("data.blocks").says("made in");
    place.run(train).ok().says("used again");
    assert_eq!(place.files(), ["data", "data.blocks", "m.mercer"]);
    place.write("data", rows(301));
    place.run(train).ok().says("made in").says("301 rows");
    place
        .run("train --method linear-svc --stream=here.bin data m.mercer")
        .ok()
        .says("here.bin")
        .says("made in");
    let numbers = "y,a,b\n1.5,1,2\n2.5,2,2\n3.5,3,2\n4,3.5,1\n";
    place.write("table.csv", numbers);
    place
        .run("train --method linear-svr -c 10 --stream --label y table.csv r.mercer")
        .ok()
        .says("4 rows, 2 features");
    place.run("predict --stream table.csv r.mercer out.txt").ok().says("mean");
}

#[test]
fn what_cannot_be_streamed_is_refused() {
    let place = Place::new();
    place.write("data", rows(300));
    let refused = |words: &str, code: i32, says: &str| {
        place.run(&format!("train {words} data m.mercer")).refused(code).says(says);
    };
    refused("--stream", 2, "--stream: of linear-svc, logistic, linear-svr");
    refused("--method linear-svc --stream --scale minmax", 2, "does not go with --scale");
    refused("--method linear-svc --stream --memory 1", 2, "allow more memory");
    refused("--method linear-svc --stream --penalty l1", 5, "l1 on a stream");
    refused("--method linear-svc --stream=data", 2, "this is an input");
    refused("--method linear-svc --stream=m.mercer", 2, "is the model");
    // Blocks that were made for a classifier tell the row; parsing tells line and column.
    refused("--method linear-svr --stream", 1, "data: row 1: label 'high' is not a number");
    refused("--method linear-svr --stream=fresh", 1, "data:1:1: not a number");
    place.write("notes", "years of work");
    refused("--method linear-svc --stream=notes", 1, "not a file of blocks");
    assert_eq!(place.read("notes"), "years of work");
    place.write("bad", "a 1:1\nb 2:x\n");
    place
        .run("train --method linear-svc --stream bad m.mercer")
        .refused(1)
        .says("bad:2:5: not a number: 'x'");
    place.write("one", "a 1:1\na 2:1\n");
    place.run("train --method linear-svc --stream one m.mercer").refused(1).says("only one class, 'a'");
    place.write("empty", "");
    place.run("train --method linear-svc --stream empty m.mercer").refused(1).says("no rows");
    place.run("train --method linear-svc --stream - m.mercer").refused(5).says("standard input");
    assert!(!place.files().contains(&"m.mercer".to_owned()));
    place.run("train -q data svc.mercer").ok();
    place.run("predict --stream data svc.mercer out.txt").refused(2).says("of linear models");
}

#[test]
fn a_damaged_file_of_blocks_is_an_error_with_its_place() {
    let place = Place::new();
    place.write("data", rows(3000));
    let train = "train -q --method linear-svc --stream data m.mercer";
    place.run(train).ok();
    let whole = std::fs::read(place.path("data.blocks")).unwrap();
    let mut damaged = whole.clone();
    damaged[5000] ^= 4;
    std::fs::write(place.path("data.blocks"), &damaged).unwrap();
    std::fs::remove_file(place.path("m.mercer")).unwrap();
    place.run(train).refused(1).says("data.blocks: byte 16: the checksum of block 1 of rows does not match");
    std::fs::write(place.path("data.blocks"), &whole[..whole.len() / 2]).unwrap();
    place.run(train).refused(1).says("the file ends early");
    assert!(!place.files().contains(&"m.mercer".to_owned()));
    std::fs::remove_file(place.path("data.blocks")).unwrap();
    place.run(train).ok();
}

#[test]
#[cfg(target_os = "linux")]
fn memory_that_cannot_be_had_is_an_error_and_no_abort() {
    let place = Place::new();
    place.write("data", rows(20_000));
    for (megabytes, options, message) in [
        (100, "", " MB; give the process more address space"),
        (200, "", " MB; "),
        (300, "", " MB; "),
        (500, "", "a fit to a stream in the memory that it is allowed needs 2048 MB, and there are"),
        (500, "--memory 1", "; allow more memory"),
    ] {
        let (program, limit) = (common::program().display(), megabytes * 1024);
        let train = "train -q --method linear-svc --threads 2 --stream";
        let command = format!("ulimit -v {limit}; exec '{program}' {train} {options} data m.mercer");
        let mut shell = std::process::Command::new("sh");
        let run: common::Run =
            shell.arg("-c").arg(command).current_dir(place.path("")).output().expect("a shell").into();
        run.refused(2).says(message);
        assert!(!place.files().contains(&"m.mercer".to_owned()));
    }
}
