//! `cargo xtask test`: everything CI checks, in order, stopping at the first failure.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use crate::count::Count;
use crate::licences;
use crate::package;
use crate::place::Place;
use crate::step::{self, Failure, announced, visible, watched};

/// Runs all checks.
pub(crate) fn run(place: &Place) -> Result<(), Failure> {
    let start = Instant::now();
    let cargo = |arguments: &str| {
        let mut command = step::cargo(&place.root);
        command.args(arguments.split(' '));
        command
    };
    println!("{}", place.data_line());
    announced("format", || visible(&mut cargo("fmt --all --check")))?;
    announced("lints", || visible(&mut cargo("clippy --workspace --all-targets -- -D warnings")))?;
    let mut count = announced("tests", || tests(&mut cargo("test --workspace")))?;
    // The best instruction set of this machine was used so far; the others are for other machines.
    for level in ["avx2", "baseline"] {
        announced(&format!("products with {level} instructions"), || {
            visible(cargo("test --quiet --workspace --lib -- simd engine gram").env("MERCER_SIMD", level))
        })?;
    }
    announced("documentation", || {
        visible(cargo("doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    let packages = announced("licences", || licences::check(&place.metadata))?;
    let scripts = announced("Python syntax", || python_syntax(place))?;
    count += package::test(place)?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "format, lints, tests, documentation, {packages} licences, {scripts} Python files, Python package: \
         all well in {seconds:.0} s"
    );
    println!("tests: {count}");
    Ok(())
}

/// The checks of the Python package alone.
pub(crate) fn python(place: &Place) -> Result<(), Failure> {
    let count = package::test(place)?;
    println!("tests: {count}");
    Ok(())
}

/// Runs `cargo test` visibly and counts.
fn tests(command: &mut Command) -> Result<Count, Failure> {
    let mut count = Count::default();
    watched(command, |line| count.add_cargo(line))?;
    if count.passed == 0 {
        return Err(Failure::new("no test ran".into()));
    }
    Ok(count)
}

/// Compiles every Python file that git knows, and returns how many there are.
fn python_syntax(place: &Place) -> Result<usize, Failure> {
    let listed = step::output(Command::new("git").current_dir(&place.root).args(["ls-files", "*.py"]))?;
    let files: Vec<PathBuf> = listed.lines().map(PathBuf::from).collect();
    let mut python = Command::new("python3");
    python.current_dir(&place.root).args(["-m", "py_compile"]).args(&files);
    visible(python.env("PYTHONPYCACHEPREFIX", place.target.join("pycache")))?;
    Ok(files.len())
}
