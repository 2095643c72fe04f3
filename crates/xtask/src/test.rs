//! `cargo xtask test`: everything CI checks, in order, stopping at the first failure.

use std::path::PathBuf;
use std::process::Command;
use std::thread::ScopedJoinHandle;
use std::time::Instant;

use crate::count::Count;
use crate::licences;
use crate::package;
use crate::place::Place;
use crate::programs;
use crate::step::{self, Failure, announced, visible, watched};

/// How many of the slowest tests are printed.
const SLOWEST: usize = 10;

/// Runs all checks. The lints and the documentation, which check the code without building it, and the Python environment come
/// about while the tests are built: a compiler is seldom busy on all cores.
pub(crate) fn run(place: &Place) -> Result<(), Failure> {
    let start = Instant::now();
    println!("{}", place.data_line());
    announced("format", || visible(step::cargo(&place.root).args(["fmt", "--all", "--check"])))?;
    let beside = |command: &mut Command| {
        command.env("CARGO_TARGET_DIR", place.target.join("lints"));
        step::silent(command)
    };
    let (lints, python, programs) = std::thread::scope(|scope| {
        let lints = scope.spawn(|| {
            announced("lints", || {
                beside(&mut cargo(place, "clippy --workspace --all-targets -- -D warnings"))
            })?;
            let mut doc = cargo(place, "doc --workspace --no-deps");
            announced("documentation", || beside(doc.env("RUSTDOCFLAGS", "-D warnings")))
        });
        let python = scope.spawn(|| package::python(place));
        let programs = announced("build of the tests", || programs::build(&mut step::cargo(&place.root)));
        (joined(lints), joined(python), programs)
    });
    lints?;
    python?;
    let programs = programs?;
    let (mut count, mut times) = (Count::default(), Vec::new());
    announced("tests", || {
        for program in &programs {
            times.extend(program.run(&[], &mut count)?);
        }
        watched(&mut cargo(place, "test --workspace --doc"), |line| count.add_cargo(line))
    })?;
    if count.passed == 0 {
        return Err(Failure::new("no test ran".into()));
    }
    println!("the {SLOWEST} slowest:");
    for test in programs::slowest(times, SLOWEST) {
        println!("    {:6.1} s  {}", test.seconds, test.name);
    }
    // The best instruction set of this machine was used so far; the others are for other machines.
    for level in ["avx2", "baseline"] {
        announced(&format!("tests of the libraries with {level} instructions"), || {
            let mut libraries = programs.iter().filter(|program| program.library);
            let environment = [("MERCER_SIMD", level)];
            libraries.try_for_each(|program| program.run(&environment, &mut Count::default()).map(|_| ()))
        })?;
    }
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

/// Cargo with arguments separated by spaces.
fn cargo(place: &Place, arguments: &str) -> Command {
    let mut command = step::cargo(&place.root);
    command.args(arguments.split(' '));
    command
}

/// What a thread has come to.
fn joined<T>(thread: ScopedJoinHandle<'_, Result<T, Failure>>) -> Result<T, Failure> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The checks of the Python package alone.
pub(crate) fn python(place: &Place) -> Result<(), Failure> {
    let count = package::test(place)?;
    println!("tests: {count}");
    Ok(())
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
