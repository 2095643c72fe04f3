//! Texts by every command that takes points: the kernel says that they are texts.

mod common;

use common::{Place, assert_close};

/// Texts of two kinds with some letters in common: `label<TAB>text`.
fn words(rows: usize) -> String {
    let word = |i: usize| {
        let (label, syllables) = if i.is_multiple_of(2) {
            ("north", ["ska", "fjo", "rd"])
        } else {
            ("south", ["ola", "mio", "ca"])
        };
        let parts: Vec<&str> = (0..6).map(|k| syllables[(i * 7 + k * (i + 1)) % 3]).collect();
        format!("{label}\t{} {}\n", parts.concat(), i % 5)
    };
    (0..rows).map(word).collect()
}

/// How often texts of p letters occur in both, over all of them: the definition, slowly.
fn spectrum(p: usize, a: &str, b: &str) -> f64 {
    let grams = |text: &str| {
        let letters: Vec<char> = text.chars().collect();
        letters.windows(p).map(|part| part.iter().collect::<String>()).collect::<Vec<_>>()
    };
    let (a, b) = (grams(a), grams(b));
    a.iter().map(|gram| b.iter().filter(|other| *other == gram).count() as f64).sum()
}

#[test]
fn a_classifier_of_texts_goes_all_the_way() {
    let place = Place::new();
    place.write("words.tsv", words(60));
    let trained = place.run("train --json -k normalized(spectrum(p=2)) -c 10 words.tsv m.mercer").ok();
    let trained = trained.says("60 rows, texts, 2 classes (north, south)").json();
    assert_eq!((&trained["space"], &trained["stop"]), (&"texts".into(), &"converged".into()), "{trained}");

    let report = place.run("predict --json words.tsv m.mercer out").ok().json();
    assert_eq!((&report["correct"], &report["rows"]), (&60.into(), &60.into()), "{report}");
    let shown = place.run("inspect m.mercer").ok().out;
    assert!(
        shown.contains("kernel       normalized(spectrum(p=2))") && shown.contains("points       texts"),
        "{shown}"
    );
    let shown = place.run("inspect --json m.mercer").ok().json();
    assert_eq!(
        (&shown["space"], &shown["classes"]),
        (&"texts".into(), &serde_json::json!(["north", "south"]))
    );

    // The decision is the sum over support points that the file tells of, and the offset.
    let texts: Vec<String> =
        words(60).lines().map(|line| line.split_once('\t').unwrap().1.to_owned()).collect();
    place.write("alone", texts.join("\n"));
    place.run("predict -q --label none alone m.mercer again").ok();
    assert_eq!(place.read("again"), place.read("out"));
    let decisions = place.run("predict -q --decisions words.tsv m.mercer").ok().out;
    assert!(decisions.starts_with("label\tnorth vs south\n"), "{decisions}");

    let packed = std::process::Command::new("gzip").arg("-k").arg(place.path("words.tsv")).status().unwrap();
    assert!(packed.success());
    place.run("train -q -k normalized(spectrum(p=2)) -c 10 words.tsv.gz z.mercer").ok();
    assert!(std::fs::read(place.path("z.mercer")).unwrap() == std::fs::read(place.path("m.mercer")).unwrap());
}

#[test]
fn a_ridge_of_texts_solves_its_equations() {
    let place = Place::new();
    let texts = ["abcab", "bcabc", "abab", "cccab", "bbbca"];
    let targets = [1.0, -0.5, 2.0, 0.25, -1.0];
    let rows: String = texts.iter().zip(targets).map(|(text, y)| format!("{y}\t{text}\n")).collect();
    place.write("rows", rows);
    place.run("train -q -m ridge --lambda 0.5 --no-offset -k spectrum(p=2)+1 rows m").ok();
    let f: Vec<f64> =
        place.run("predict -q rows m").ok().out.lines().map(|line| line.parse().unwrap()).collect();
    // f = Kα and (K + λ)α = y, so that f + λα = y with α = (y − f)/λ.
    let alpha: Vec<f64> = f.iter().zip(targets).map(|(f, y)| (y - f) / 0.5).collect();
    for (i, value) in f.iter().enumerate() {
        let sum: f64 = (0..5).map(|j| alpha[j] * (spectrum(2, texts[i], texts[j]) + 1.0)).sum();
        assert_close(*value, sum, 1e-9);
    }
}

#[test]
fn every_method_is_fitted_to_texts() {
    let place = Place::new();
    place.write("words", words(40));
    place.write("sets", words(40).replace("north", "n,cold").replace("south", "s"));
    let numbers: String = words(40)
        .lines()
        .enumerate()
        .map(|(i, line)| format!("{}\t{}\n", i % 7, line.split_once('\t').unwrap().1))
        .collect();
    place.write("numbers", numbers);
    for method in place.run("methods --json").ok().json()["methods"].as_array().unwrap() {
        // A method that has one kernel alone is for vectors.
        if method["kernel"].is_string() {
            continue;
        }
        let (name, target) = (method["name"].as_str().unwrap(), method["target"].as_str().unwrap());
        let files = match target {
            target if target.contains("number") => "numbers",
            target if target.contains("labels") => "sets",
            target if target.contains("view") => "--second words --second-kernel spectrum(p=3) words",
            _ => "words",
        };
        let report = place.run(&format!("train --json -q -m {name} -k spectrum(p=2) {files} m")).ok().json();
        assert_eq!(report["space"], "texts", "{name}");
        let file = files.split(' ').next_back().unwrap();
        match name {
            "kpca" | "cca" => place.run(&format!("transform -q {file} m out.csv")),
            _ => place.run(&format!("predict -q {file} m out")),
        }
        .ok();
    }
    let out = place.run("kernel check spectrum(p=2) words").ok().out;
    assert!(out.contains("positive semi-definite on 40 rows") && out.contains("words: texts"), "{out}");
    assert!(place.run("kernel show 2*spectrum(p=3)").ok().out.contains("2*spectrum(p=3)"));
    assert!(place.run("rde -k spectrum(p=2) words").ok().out.contains("40 rows, texts, 2 classes"));
}

#[test]
fn what_texts_do_not_have_is_refused() {
    let place = Place::new();
    place.write("words", words(20));
    place.write("spaces", "north skafjo\nsouth olamio\n");
    place.write("bytes", b"north\tska\nsouth\tol\xffa\n");
    place.write("points", "1 1:1\n2 1:2\n");
    place.run("train -q -k spectrum(p=2) words m").ok();
    place.run("train -q points v").ok();
    place.refuses(
        "{}",
        "
        train -k spectrum(p=2) spaces t => 1 mercer: spaces:1:1: no tab between a label and a text
        train -k spectrum(p=2) bytes t => 1 mercer: bytes:2:9: not UTF-8 text
        train -m svr -k spectrum(p=2) words t => 1 mercer: words:1:1: not a number: 'north'
        train -k spectrum(p=0) words t => 2 p = 0
        train -k spectrum(p=2)+rbf(1) words t => 2 unknown kernel
        train -s standard -k spectrum(p=2) words t => 2 --scale: only vectors are scaled, not texts
        train --libsvm -k spectrum(p=2) words t => 5 in a LIBSVM model; it has vectors
        train -k spectrum(p=2) --label none words t => 2 words: no labels
        train -k spectrum(p=2) --label price words t => 1 words: no column 'price'
        convert m t.model => 5 in a LIBSVM model; it has vectors
        predict points m => 1 points:1:1: no tab between a label and a text
        denoise words m => 5 denoising of texts
        train -k spectrum(p=2) missing t => 4 missing
        ",
    );
    assert!(!place.path("t").exists());
}

#[test]
fn a_line_without_letters_is_an_empty_text() {
    let place = Place::new();
    place.write("t.tsv", "a\tabc\na\tabcabc\nb\txyz\nb\t\n");
    place.run("train -q -k normalized(spectrum(p=2)) -c 10 t.tsv m").ok();
    place.write("lines.txt", "abc\n\n  \nxyz\n");
    let out = place.run("predict -q --label none lines.txt m").ok().out;
    assert_eq!(out.lines().count(), 4, "{out}");
    assert_eq!((out.lines().next(), out.lines().next_back()), (Some("a"), Some("b")));
}

#[test]
fn texts_are_sequences_with_headers_or_a_column() {
    let place = Place::new();
    let kernel = "normalized(spectrum(p=2))";
    place.write("s.fa", ">1 label=+1\nACAC\nACA\n>2 label=-1\nGTGT\n>3 label=+1\nCACA\n>4 label=-1\nTGTG\n");
    place.run(&format!("train -q -k {kernel} -c 10 s.fa m")).ok();
    place.write("new.fasta", ">x\nACACAC\n>y\nGTGTG\n");
    assert_eq!(place.run("predict -q new.fasta m").ok().out, "1\n-1\n");
    place.write("bad.fa", ">1 label=+1\nAC\n>2\nGT\n");
    place.run(&format!("train -k {kernel} bad.fa m")).refused(1).says("bad.fa:3:1: a row without a label");

    // The same texts as a column of a table, chosen by name, and as one called text.
    place.write("t.csv", "id,dna,kind\n1,ACACACA,1\n2,GTGT,-1\n3,CACA,1\n4,TGTG,-1\n");
    place.run(&format!("train -q -k {kernel} -c 10 --columns dna --label kind t.csv table")).ok();
    place.run(&format!("train -q -k {kernel} -c 10 s.fa lines")).ok();
    let decisions = |model: &str| place.run(&format!("predict -q --decisions new.fasta {model}")).ok().out;
    assert_eq!(decisions("table"), decisions("lines"));
    place.write("u.csv", "text,label\n\"ACAC, ACA\",x\nGTGT,y\n");
    place.run(&format!("train -k {kernel} u.csv m")).ok().says("2 classes (x, y)");
    place.write("u.tsv", "label\ttext\nx\tACAC\ny\tGTGT\n");
    place.run(&format!("train -k {kernel} u.tsv m")).ok().says("2 rows, texts, 2 classes (x, y)");

    // A label that training did not have is wrong, and no error.
    place.write("strange.fa", ">1 label=+1\nACAC\n>2 label=7\nGTGT\n");
    let report = place.run("predict --json strange.fa table out").ok().json();
    assert_eq!((&report["correct"], &report["rows"]), (&1.into(), &2.into()), "{report}");
}

#[test]
fn more_letters_than_the_alphabet_has_are_refused_by_text() {
    let place = Place::new();
    place.write("t.tsv", "a\tAAAA\na\tAAAB\nb\tBBBB\nb\tBBBA\n");
    place.run("train -q -k mismatch(p=2,m=1,alphabet=2) t.tsv m").ok();
    place.write("n.txt", "ABAB\nACGT\n");
    let message = |row: usize, found: usize| {
        format!("text {row}: with it there are {found} different units; alphabet = 2 must not be less")
    };
    let said = format!("mercer: n.txt: {}", message(2, 5));
    place.run("predict --label none n.txt m").refused(1).says(&said);
    place.write("n.tsv", "a\tAB\nb\tACGT\n");
    let run = place.run("kernel gram --rows n.tsv mismatch(p=2,m=1,alphabet=2) t.tsv out.npy");
    run.refused(1).says(&format!("n.tsv: {}", message(2, 5)));
    let run = place.run("train -k mismatch(p=2,m=1,alphabet=2) n.tsv m");
    run.refused(1).says(&format!("n.tsv: {}", message(2, 5)));
}

#[test]
fn values_too_small_for_a_fit_are_refused() {
    let place = Place::new();
    place.write("t.tsv", "a\tabcd\nb\txyzw\n");
    let run = place.run("train -k subsequence(p=3,lambda=1e-10) t.tsv m");
    run.refused(1).says("t.tsv: the kernel of point 1 with itself is ").says("normalized");
    place.run("train -q -k normalized(subsequence(p=3,lambda=1e-10)) t.tsv m").ok();
}

#[test]
fn a_label_of_any_length_is_shown() {
    let place = Place::new();
    place.write("t.tsv", format!("{}\tx\nb\ty\n", "a".repeat(1 << 16)));
    place.run("train -q -k spectrum(p=1) t.tsv m").ok();
    place.run("inspect m").ok();
}
