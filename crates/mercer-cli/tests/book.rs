//! The sessions of the book and of the README run as they are printed.
//!
//! A block that begins with `$ ` is a session: its commands run in a folder of the page's own, beside the project's `data`, and
//! what they print must be what the page shows. Times, memory and what depends on the instruction set (steps, kernel rows, gaps)
//! may differ. A block after a line `<!-- not run: REASON -->` is left out, named and counted. `MERCER_WRITE_BOOK=1` writes what the
//! commands print into the pages instead, and the figures that they draw into the book.
#![expect(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Place, program};

/// Relative error up to which numbers of a page and of a run are the same, but for whole numbers.
const TOLERANCE: f64 = 1e-2;

/// Units of what differs from run to run.
const UNITS: [&str; 9] = ["µs", "ms", "s", "min", "h", "rows/s", "bytes", "kB", "MB"];

/// Names of what differs from run to run in an object.
const NAMES: [&str; 8] =
    ["_seconds", "phases", "peak_bytes", "threads", "gap", "violation", "iterations", "kernel_rows"];

/// A command of a page and what it prints.
struct Step {
    /// The line of the command, from 1.
    line: usize,
    command: String,
    /// The lines behind it.
    shown: Vec<String>,
    /// Whether its block shows commands alone.
    bare: bool,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The README, and the pages of the book in the order of their names.
fn pages() -> Vec<PathBuf> {
    let book = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = book.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    pages.sort();
    pages.insert(0, root().join("README.md"));
    pages
}

/// The steps of a page, and how many blocks are not run.
fn steps(text: &str) -> (Vec<Step>, usize) {
    let (mut steps, mut left_out, mut before) = (Vec::new(), 0, "");
    let mut lines = text.lines().enumerate();
    while let Some((_, line)) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            before = if line.is_empty() { before } else { line };
            continue;
        };
        let block: Vec<(usize, &str)> = lines.by_ref().take_while(|(_, line)| *line != "```").collect();
        let is_session = language == "sh" || block.first().is_some_and(|(_, line)| line.starts_with("$ "));
        if !is_session {
        } else if before.starts_with("<!-- not run") {
            left_out += 1;
        } else {
            let is_command = |line: &str| language == "sh" || line.starts_with("$ ");
            let bare = block.iter().all(|(_, line)| is_command(line));
            for (number, line) in block {
                let command = is_command(line).then(|| line.strip_prefix("$ ").unwrap_or(line));
                match (command, steps.last_mut()) {
                    (Some(command), _) => {
                        let command = command.to_owned();
                        steps.push(Step { line: number + 1, command, shown: Vec::new(), bare });
                    }
                    (None, Some(Step { shown, .. })) => shown.push(line.to_owned()),
                    (None, None) => unreachable!("a session begins with a command"),
                }
            }
        }
        before = "";
    }
    (steps, left_out)
}

/// What a command prints, in lines.
fn run(place: &Place, command: &str) -> Vec<String> {
    let path = std::env::join_paths(
        std::iter::once(program().parent().unwrap().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let output = Command::new("bash")
        .args(["-c", &format!("set -o pipefail; {{ {command}\n}} 2>&1")])
        .current_dir(place.path(""))
        .env("PATH", path.unwrap())
        .output()
        .unwrap();
    let here = format!("{}/", place.path("").canonicalize().unwrap().display());
    let text = String::from_utf8(output.stdout).unwrap().replace(&here, "");
    // A pipe that `head` closes early is no failure.
    assert!(output.status.success() || command.contains("| head"), "{command}\n{text}");
    text.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Whether two words are the same text, or numbers close to each other with the same text around them.
fn same_word(shown: &str, found: &str) -> bool {
    let number =
        |word: &str| word.trim_matches(|c: char| !c.is_ascii_digit() && c != '-').parse::<f64>().ok();
    match (number(shown), number(found)) {
        // Whole numbers count something.
        (Some(a), Some(b)) if a.fract() == 0.0 && b.fract() == 0.0 => a == b,
        (Some(a), Some(b)) => (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1e-9),
        _ => {
            // An entry of a sparse row: its index, its value.
            let split = (shown.split_once(':'), found.split_once(':'));
            let same = |((k, v), (l, w)): ((&str, &str), (&str, &str))| k == l && same_word(v, w);
            shown == found || matches!(split, (Some(a), Some(b)) if same((a, b)))
        }
    }
}

fn same_line(shown: &str, found: &str) -> bool {
    if let (Ok(a), Ok(b)) = (serde_json::from_str(shown), serde_json::from_str(found))
        && let (serde_json::Value::Object(a), serde_json::Value::Object(b)) = (a, b)
    {
        let free = |name: &str| NAMES.iter().any(|free| name.ends_with(free));
        return a.len() == b.len()
            && a.iter().all(|(name, value)| {
                b.get(name)
                    .is_some_and(|other| free(name) || same_word(&value.to_string(), &other.to_string()))
            });
    }
    let (a, b): (Vec<&str>, Vec<&str>) =
        (shown.split_whitespace().collect(), found.split_whitespace().collect());
    let is_number = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let of_the_solver =
        ["certificate", "certify", "work", "optimization"].iter().any(|name| shown.starts_with(name))
            || shown.contains("converged");
    let is_unit = |word: &str| UNITS.contains(&word.trim_matches(|c: char| !c.is_alphanumeric()));
    a.len() == b.len()
        && a.iter().zip(&b).enumerate().all(|(at, (x, y))| {
            let differs = a.get(at + 1).is_some_and(|word| is_unit(word));
            same_word(x, y)
                || (is_unit(x) && is_unit(y))
                || (is_number(x) && is_number(y) && (differs || of_the_solver))
        })
}

#[test]
fn every_session_of_the_book_prints_what_the_page_shows() {
    let write = std::env::var_os("MERCER_WRITE_BOOK").is_some();
    let (mut ran, mut left_out, mut flaws) = (0, Vec::new(), Vec::new());
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        let (steps, not_run) = steps(&text);
        left_out.extend((not_run > 0).then(|| format!("{not_run} of {name}")));
        let place = Place::new();
        std::os::unix::fs::symlink(root().join("data"), place.path("data")).unwrap();
        std::fs::create_dir_all(place.path("docs/figures")).unwrap();
        let mut written: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut moved = 0;
        for step in &steps {
            let found = run(&place, &step.command);
            ran += 1;
            let same = step.shown.len() == found.len()
                && step.shown.iter().zip(&found).all(|(a, b)| same_line(a, b));
            if same || step.bare {
                continue;
            }
            if write {
                let from = (step.line as i64 + moved) as usize;
                written.splice(from..from + step.shown.len(), found.iter().cloned());
                moved += found.len() as i64 - step.shown.len() as i64;
            } else {
                let both = [&step.shown, &found].map(|lines| lines.join("\n"));
                flaws.push(format!(
                    "{name}:{}: {}\n{}\n--- is printed as\n{}",
                    step.line, step.command, both[0], both[1]
                ));
            }
        }
        if write {
            std::fs::write(&page, written.join("\n") + "\n").unwrap();
            for figure in std::fs::read_dir(place.path("docs/figures")).unwrap().map(|entry| entry.unwrap()) {
                std::fs::copy(figure.path(), root().join("docs/figures").join(figure.file_name())).unwrap();
            }
        }
    }
    assert!(ran > 40, "{ran} commands");
    println!("{ran} commands ran; not run: {}", left_out.join(", "));
    assert!(flaws.is_empty(), "{}", flaws.join("\n\n"));
}

#[test]
fn only_what_differs_from_run_to_run_may_differ() {
    for (shown, found, same) in [
        ("data 270 rows, read in 4.2 ms", "data 270 rows, read in 17 ms", true),
        ("data 270 rows, read in 4.2 ms", "data 271 rows, read in 4.2 ms", false),
        ("90.4 % in 0.4 ms; the best is 92 %", "90.4 % in 1.2 s; the best is 92 %", true),
        ("90.4 % in 0.4 ms; the best is 92 %", "90.4 % in 0.4 ms; the best is 93 %", false),
        ("file heart.mercer (32 kB)", "file heart.mercer (33 kB)", true),
        ("certificate gap 0.077, violation 4.9e-4", "certificate gap 0.071, violation 5e-4", true),
        ("accuracy 99.63 % (269 of 270)", "accuracy 97.63 % (269 of 270)", false),
        ("solution 179 support points", "solution 179 points", false),
        ("1 1.28428418510", "1 1.28428", true),
        ("1 1:2.5840216", "1 1:2.5840217", true),
        ("1 1:2.5840216", "1 2:2.5840216", false),
        ("{\"rows\":3,\"fit_seconds\":1.0}", "{\"rows\":3,\"fit_seconds\":2.0}", true),
        ("{\"rows\":3,\"fit_seconds\":1.0}", "{\"rows\":4,\"fit_seconds\":1.0}", false),
    ] {
        assert_eq!(same_line(shown, found), same, "{shown} | {found}");
    }
}
