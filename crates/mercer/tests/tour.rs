//! TOUR.md tells the truth: what it names is there, and its stops come in the order of the layers.
//!
//! A path in backticks is a file from the root of the repository. Names in backticks after a path and a colon, up to
//! the end of the sentence, are defined in that file.

use std::fs;
use std::path::{Path, PathBuf};

/// The floors of the house in the order of the walk, by the beginning of the paths. The walk goes up from the
/// first to the last; it may look into a floor below (a Gram needs `simd`), and steps back to the porch at the end.
const FLOORS: [&str; 7] = [
    "crates/mercer-cli/src/",
    "crates/mercer/src/data/",
    "crates/mercer/src/kernel/",
    "crates/mercer/src/gram/",
    "crates/mercer/src/solve/",
    "crates/mercer/src/model/",
    "crates/mercer-cli/src/",
];

/// What can stand before a name where it is defined.
const DEFINITIONS: [&str; 7] = ["fn ", "struct ", "enum ", "trait ", "type ", "const ", "macro_rules! "];

/// A path of the tour and the names that it is said to define.
#[derive(Debug, PartialEq)]
struct Stop {
    section: usize,
    path: String,
    names: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A path: a file at the root or one in a folder.
fn is_path(text: &str) -> bool {
    let ending = [".rs", ".md", ".toml"].iter().any(|ending| text.ends_with(ending));
    ending && !text.contains([' ', ':'])
}

/// The stops of a text. In Markdown cut at backticks every second piece stands between two of them.
fn stops(text: &str) -> Vec<Stop> {
    let mut found = Vec::new();
    for (section, part) in text.split("\n## ").enumerate() {
        // Code blocks are indented lines; they name nothing.
        let prose: Vec<&str> = part.lines().filter(|line| !line.starts_with("    ")).collect();
        let prose = prose.join(" ");
        let pieces: Vec<&str> = prose.split('`').collect();
        let mut naming = false;
        for (at, piece) in pieces.iter().enumerate() {
            if at % 2 == 0 {
                let joint = piece.trim();
                naming = joint == ":" && at > 0 && is_path(pieces[at - 1]) || naming && joint == ",";
            } else if is_path(piece) {
                found.push(Stop { section, path: (*piece).to_owned(), names: Vec::new() });
            } else if naming {
                found.last_mut().expect("a name follows a path").names.push((*piece).to_owned());
            }
        }
    }
    found
}

fn defines(source: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let here = |text: &str| source.match_indices(text).any(|(at, _)| ends(&source[at + text.len()..]));
    DEFINITIONS.iter().any(|word| here(&format!("{word}{name}")))
}

/// What is wrong with a tour, one line each.
fn flaws(text: &str, root: &Path) -> Vec<String> {
    let mut flaws = Vec::new();
    let mut floor = 0;
    let mut last_section = 0;
    for Stop { section, path, names } in stops(text) {
        let Ok(source) = fs::read_to_string(root.join(&path)) else {
            flaws.push(format!("{path}: no such file"));
            continue;
        };
        let missing = names.iter().filter(|name| !defines(&source, name));
        flaws.extend(missing.map(|name| format!("{path}: does not define `{name}`")));
        // The first path of each section must not lead down again.
        if section > last_section && !names.is_empty() {
            last_section = section;
            match FLOORS[floor..].iter().position(|start| path.starts_with(start)) {
                Some(up) => floor += up,
                None => flaws.push(format!("{path}: comes after {}", FLOORS[floor])),
            }
        }
    }
    if floor + 1 != FLOORS.len() {
        flaws.push(format!("the walk ends at {}", FLOORS[floor]));
    }
    flaws
}

#[test]
fn the_tour_is_true() {
    let text = fs::read_to_string(root().join("TOUR.md")).expect("there is a tour");
    let found = stops(&text);
    let names: usize = found.iter().map(|stop| stop.names.len()).sum();
    assert!(found.len() >= 25 && names >= 40, "only {} stops, {names} names", found.len());
    assert_eq!(flaws(&text, &root()), Vec::<String>::new());
}

#[test]
fn every_layer_of_the_library_is_visited() {
    let text = fs::read_to_string(root().join("TOUR.md")).expect("there is a tour");
    let found = stops(&text);
    for layer in ["simd", "data", "kernel", "gram", "solve", "model"] {
        let start = format!("crates/mercer/src/{layer}/");
        assert!(found.iter().any(|stop| stop.path.starts_with(&start)), "{layer} is not on the tour");
    }
}

#[test]
fn a_false_tour_is_found_out() {
    let says = |text: &str| flaws(text, &root()).join("\n");
    let smo = "crates/mercer/src/solve/smo/mod.rs";
    let data = "crates/mercer/src/data/table.rs";
    assert!(says("\n## 1\n`crates/mercer/src/nowhere.rs`: `Smo`.").contains("nowhere.rs: no such file"));
    assert!(says(&format!("\n## 1\n`{smo}`: `Smo`, `solve_quickly`.")).contains("define `solve_quickly`"));
    // A prefix of a name is not the name; a use of a name is not its definition.
    assert!(says(&format!("\n## 1\n`{smo}`: `Sm`.")).contains("define `Sm`"));
    assert!(says(&format!("\n## 1\n`{smo}`: `Gram`.")).contains("define `Gram`"));
    let backwards = says(&format!("\n## 1\n`{smo}`: `Smo`.\n\n## 2\n`{data}`: `read`."));
    assert!(backwards.contains("table.rs: comes after crates/mercer/src/solve/"), "{backwards}");
    let forwards = says(&format!("\n## 1\n`{data}`: `read`.\n\n## 2\n`{smo}`: `Smo`."));
    assert_eq!(forwards, "the walk ends at crates/mercer/src/solve/");
}

#[test]
fn names_end_with_the_sentence() {
    let text =
        "\n## 1\n`a/b.rs`: `One`,\n`two`. Then `three` and `c.rs`.\n\n    mercer train `d.rs`: `four`\n";
    let stop = |path: &str, names: &[&str]| Stop {
        section: 1,
        path: path.into(),
        names: names.iter().map(ToString::to_string).collect(),
    };
    assert_eq!(stops(text), [stop("a/b.rs", &["One", "two"]), stop("c.rs", &[])]);
}
