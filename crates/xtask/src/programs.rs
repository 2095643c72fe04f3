//! The test programs of the workspace, run one after the other with the time of each test.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::count::Count;
use crate::step::{self, Failure, watched};

/// A test program that cargo has built.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Program {
    /// The package and the target: `mercer all`.
    name: String,
    /// Whether it has the unit tests of a library.
    pub(crate) library: bool,
    path: PathBuf,
    /// The package's folder, in which its tests run.
    folder: PathBuf,
}

/// A test and the seconds it took.
#[derive(Debug, PartialEq)]
pub(crate) struct Timed {
    pub(crate) name: String,
    pub(crate) seconds: f64,
}

/// Builds the test programs of the workspace. Examples are checked by the lints and not built.
///
/// # Errors
/// What does not compile.
pub(crate) fn build(cargo: &mut Command) -> Result<Vec<Program>, Failure> {
    let options =
        ["test", "--workspace", "--tests", "--no-run", "--message-format", "json-render-diagnostics"];
    let messages = step::output(cargo.args(options))?;
    let found: BTreeSet<Program> = messages.lines().filter_map(program).collect();
    if found.is_empty() {
        return Err(Failure::new("cargo built no test program".into()));
    }
    Ok(found.into_iter().collect())
}

/// The test program that a message of cargo tells of.
fn program(message: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(message).ok()?;
    let path = PathBuf::from(message["executable"].as_str()?);
    if message["profile"]["test"] != true {
        return None;
    }
    let folder = PathBuf::from(message["manifest_path"].as_str()?).parent()?.to_owned();
    let target = &message["target"];
    let library =
        target["kind"].as_array()?.iter().any(|kind| kind.as_str().is_some_and(|kind| kind.ends_with("lib")));
    let package = folder.file_name()?.to_string_lossy().into_owned();
    Some(Program { name: format!("{package} {}", target["name"].as_str()?), library, path, folder })
}

impl Program {
    /// Runs the tests, adds their number to `count`, and returns what each took.
    ///
    /// # Errors
    /// If one fails.
    pub(crate) fn run(&self, environment: &[(&str, &str)], count: &mut Count) -> Result<Vec<Timed>, Failure> {
        println!("    {}", self.name);
        let mut command = Command::new(&self.path);
        command.current_dir(&self.folder).args(["-Z", "unstable-options", "--report-time"]);
        // The time of a test is an option that is not stable. It changes nothing but the lines printed.
        command.env("RUSTC_BOOTSTRAP", "1").envs(environment.iter().copied());
        let mut tests = Vec::new();
        watched(&mut command, |line| {
            count.add_cargo(line);
            tests.extend(timed(line));
        })?;
        Ok(tests)
    }
}

/// The test that `test layers::of_modules ... ok <0.010s>` tells of.
fn timed(line: &str) -> Option<Timed> {
    let (name, rest) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let seconds = rest.strip_suffix("s>")?.rsplit_once('<')?.1.parse().ok()?;
    Some(Timed { name: name.to_owned(), seconds })
}

/// The slowest tests, the slowest first.
pub(crate) fn slowest(mut tests: Vec<Timed>, most: usize) -> Vec<Timed> {
    tests.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    tests.truncate(most);
    tests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_test_tells_its_time() {
        let line = "test layers::of_modules ... ok <0.010s>";
        assert_eq!(timed(line), Some(Timed { name: "layers::of_modules".into(), seconds: 0.01 }));
        assert_eq!(timed("test layers::of_modules ... ok"), None);
        assert_eq!(timed("test result: ok. 3 passed; 0 failed"), None);
    }

    #[test]
    fn the_slowest_come_first() {
        let tests = [0.5, 2.0, 1.0].map(|seconds| Timed { name: seconds.to_string(), seconds });
        let found: Vec<f64> = slowest(tests.into(), 2).iter().map(|test| test.seconds).collect();
        assert_eq!(found, [2.0, 1.0]);
    }

    #[test]
    fn a_message_of_cargo_names_a_test_program() {
        let message = r#"{"reason":"compiler-artifact","manifest_path":"/w/crates/mercer/Cargo.toml","target":{"kind":["lib"],
            "name":"mercer"},"profile":{"test":true},"executable":"/w/target/debug/deps/mercer-1"}"#;
        let found = program(message).expect("is one");
        assert_eq!((found.name.as_str(), found.library), ("mercer mercer", true));
        assert_eq!(found.folder, PathBuf::from("/w/crates/mercer"));
        assert_eq!(program(&message.replace("true", "false")), None);
        assert_eq!(program("text"), None);
    }
}
