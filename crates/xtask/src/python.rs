//! Commands that are Python programs, run in an environment of their own under the target folder.

use std::path::PathBuf;
use std::process::Command;

use crate::environment::environment;
use crate::package;
use crate::place::Place;
use crate::step::{self, Failure, announced, visible};

/// What the benchmark compares with, and what it needs to do so.
const PACKAGES: &[&str] = &[
    "liblinear-official",
    "libsvm-official",
    "numpy",
    "psutil",
    "scikit-learn",
    "scikit-learn-intelex",
    "scipy",
    "thundersvm-cpu",
];

/// `cargo xtask bench`: mercer and its peers side by side; with `--sweep` the Python package over many data sets and settings.
pub(crate) fn bench(place: &Place, arguments: &[String]) -> Result<(), Failure> {
    if arguments.iter().any(|argument| argument == "--sweep") {
        let python = peers(place)?;
        if !arguments.iter().any(|argument| matches!(argument.as_str(), "--help" | "-h" | "--show")) {
            package::install_release(place, &python)?;
        }
        return run(place, python, "bench/sweep.py", arguments);
    }
    if predicts_single_rows(arguments) {
        package::install_release(place, &peers(place)?)?;
        announced("build the example single_row", || {
            let options = ["build", "--release", "--package", "mercer", "--example", "single_row"];
            visible(step::cargo(&place.root).args(options))
        })?;
    }
    program(place, "bench/run.py", arguments)
}

/// Whether the benchmark runs its case `single-row`, which needs the Python package and an example: it does where no cases are
/// named.
fn predicts_single_rows(arguments: &[String]) -> bool {
    let has = |words: &[&str]| arguments.iter().any(|argument| words.contains(&argument.as_str()));
    let named = arguments.iter().filter_map(|argument| argument.strip_prefix("--case="));
    let after = arguments.windows(2).filter(|pair| pair[0] == "--case").map(|pair| pair[1].as_str());
    let mut cases = named.chain(after).flat_map(|names| names.split(',')).peekable();
    if has(&["--help", "-h", "--peers-only"]) {
        false
    } else if cases.peek().is_some() {
        cases.any(|case| case == "single-row")
    } else {
        !has(&["--quick"])
    }
}

/// `cargo xtask bench-python`: the Python package beside its peers, or what a fit of it holds in memory.
pub(crate) fn bench_package(place: &Place, arguments: &[String]) -> Result<(), Failure> {
    if !arguments.iter().any(|argument| matches!(argument.as_str(), "--help" | "-h")) {
        package::install_release(place, &peers(place)?)?;
    }
    match arguments {
        [memory, rest @ ..] if memory == "memory" => program(place, "bench/python_memory.py", rest),
        _ => program(place, "bench/python.py", arguments),
    }
}

/// `cargo xtask compat`: the programs of LIBSVM, and with `linear` those of LIBLINEAR, against their originals.
pub(crate) fn compat(place: &Place, arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [linear, rest @ ..] if linear == "linear" => program(place, "bench/liblinear_compat.py", rest),
        _ => program(place, "bench/libsvm_compat.py", arguments),
    }
}

/// `cargo xtask test --peers`: all formulations against LIBSVM.
pub(crate) fn differential(place: &Place, arguments: &[String]) -> Result<(), Failure> {
    program(place, "bench/differential.py", arguments)
}

/// `cargo xtask faults`: signals at random moments, full disks, limits of memory.
pub(crate) fn faults(place: &Place, arguments: &[String]) -> Result<(), Failure> {
    program(place, "bench/faults.py", arguments)
}

/// `cargo xtask published`: published test errors, reproduced.
pub(crate) fn published(place: &Place, arguments: &[String]) -> Result<(), Failure> {
    program(place, "bench/published.py", arguments)
}

/// What the benchmark of kernels on texts and graphs compares with.
const STRUCTURED: &[&str] = &["grakel", "numpy", "scikit-learn", "scipy", "strkernel", "string-kernels"];

/// `cargo xtask structured`: kernels on texts, graphs and sets beside their peers.
pub(crate) fn structured(place: &Place, arguments: &[String]) -> Result<(), Failure> {
    announced("build mercer and the example gram", || {
        visible(step::cargo(&place.root).args(["build", "--release", "--package", "mercer-cli"]))?;
        let options = ["build", "--release", "--package", "mercer", "--example", "gram"];
        visible(step::cargo(&place.root).args(options))
    })?;
    let python = environment(place, "structured-env", STRUCTURED)?;
    // The machines of `published` and `cv` are those of the package.
    if matches!(arguments.first().map(String::as_str), None | Some("published" | "cv")) {
        package::install_release(place, &python)?;
    }
    run(place, python, "bench/structured.py", arguments)
}

/// What the benchmark of relevance vectors, clusters, maps and networks compares with.
const LEARNERS: &[&str] = &["fastrvm", "minisom", "numpy", "scikit-learn", "scipy", "sklearn-rvm", "tslearn"];

/// `cargo xtask learners`: relevance vectors, clusters, maps and networks beside their peers.
pub(crate) fn learners(place: &Place, arguments: &[String]) -> Result<(), Failure> {
    let python = environment(place, "learners-env", LEARNERS)?;
    package::install_release(place, &python)?;
    run(place, python, "bench/learners.py", arguments)
}

/// What the benchmark of linear machines compares with.
const LINEAR: &[&str] = &["liblinear-official", "numpy", "scikit-learn", "scipy"];

/// `cargo xtask linear`: linear machines beside their peers.
pub(crate) fn linear(place: &Place, arguments: &[String]) -> Result<(), Failure> {
    let python = environment(place, "linear-env", LINEAR)?;
    package::install_release(place, &python)?;
    run(place, python, "bench/linear.py", arguments)
}

/// `cargo xtask answers`: LIBSVM's stored answers.
pub(crate) fn answers(place: &Place) -> Result<(), Failure> {
    let python = peers(place)?;
    ["make_answers.py", "make_family.py", "make_nu.py"].iter().try_for_each(|script| {
        let script = format!("crates/mercer/tests/libsvm/{script}");
        visible(Command::new(&python).current_dir(&place.root).arg(script))
    })
}

/// Builds `mercer` and hands it, the data and the arguments to a Python program.
fn program(place: &Place, script: &str, arguments: &[String]) -> Result<(), Failure> {
    let python = peers(place)?;
    let without_mercer = |a: &String| matches!(a.as_str(), "--help" | "-h" | "--peers-only");
    if !arguments.iter().any(without_mercer) {
        announced("build mercer", || {
            visible(step::cargo(&place.root).args(["build", "--release", "--package", "mercer-cli"]))
        })?;
    }
    run(place, python, script, arguments)
}

/// Runs a Python program, which is told where the target folder and the data are.
fn run(place: &Place, python: PathBuf, script: &str, arguments: &[String]) -> Result<(), Failure> {
    let mut command = Command::new(python);
    command.current_dir(&place.root).arg(script).args(arguments);
    command.env("MERCER_TARGET", &place.target);
    if let Some(folder) = &place.data {
        command.env("MERCER_DATA", folder);
    }
    visible(&mut command)
}

/// The environment that has the peers.
fn peers(place: &Place) -> Result<PathBuf, Failure> {
    environment(place, "bench-env", PACKAGES)
}

#[cfg(test)]
mod tests {
    use super::predicts_single_rows;

    #[test]
    fn the_package_is_built_for_the_case_that_needs_it() {
        let predicts = |line: &str| {
            predicts_single_rows(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        };
        for line in ["", "--repeat 5", "--case a9a,single-row", "--quick --case=single-row"] {
            assert!(predicts(line), "{line}");
        }
        for line in ["--help", "--quick", "--peers-only", "--case a9a,letter", "--case=a9a"] {
            assert!(!predicts(line), "{line}");
        }
    }
}
