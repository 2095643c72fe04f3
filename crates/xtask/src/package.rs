//! The Python package: its wheel, the types of its native module, its tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::count::Count;
use crate::environment::environment;
use crate::place::Place;
use crate::step::{Failure, announced, visible, watched};

/// What builds the package, what it works with, and what checks it.
const PACKAGES: &[&str] = &[
    "maturin",
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "polars",
    "pyarrow",
    "matplotlib",
    "pytest",
    "pytest-xdist",
    "mypy",
    "numpydoc",
    "rich",
    "networkx",
];

/// `cargo xtask wheel`: the wheel that is given to others, in `target/wheels`.
pub(crate) fn wheel(place: &Place) -> Result<(), Failure> {
    let python = python(place)?;
    let options = ["--release", "--strip"];
    let path = announced("wheel", || build(place, &python, "wheels", &options))?;
    println!("{}", path.display());
    Ok(())
}

/// Builds the wheel that is given to others and installs it for another interpreter.
pub(crate) fn install_release(place: &Place, interpreter: &Path) -> Result<(), Failure> {
    let python = python(place)?;
    announced("wheel", || {
        let wheel = build(place, &python, "wheels", &["--release", "--strip"])?;
        let options = ["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"];
        visible(Command::new(interpreter).args(options).arg(wheel))
    })
}

/// `cargo xtask stubs`: the types of the native module, `python/mercer/_mercer.pyi`.
pub(crate) fn stubs(place: &Place) -> Result<(), Failure> {
    let python = python(place)?;
    let mut command = Command::new(python);
    command.current_dir(&place.root).arg("python/tools/stubs.py").env("CARGO_TARGET_DIR", &place.target);
    announced("types of the native module", || visible(&mut command))
}

/// Installs the package as a user does and runs its tests, which include its examples and those of the READMEs.
///
/// The wheel is of the dev profile: the library is then the one that `cargo test` has built, optimised and with its
/// assertions, and only PyO3 and the binding are compiled (a minute of CPU time). In the release profile everything is
/// compiled once more (four minutes).
pub(crate) fn test(place: &Place) -> Result<Count, Failure> {
    let python = python(place)?;
    announced("Python package", || {
        let wheel = build(place, &python, "python-wheel", &[])?;
        let options = ["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"];
        visible(Command::new(&python).args(options).arg(wheel))
    })?;
    announced("Python tests", || {
        let mut command = Command::new(&python);
        command.current_dir(place.root.join("python")).args(["-m", "pytest", "--color=no", "tests"]);
        // In two processes.
        command.args(["-n", "2", "-o"]);
        command.arg(format!("cache_dir={}", place.target.join("pytest-cache").display()));
        // The package is the installed one, not the folder beside the tests, also in what the tests start.
        command.env("PYTHONSAFEPATH", "1");
        // For the test that generates the stub: nothing is built anew where it uses the same folder.
        command.env("CARGO_TARGET_DIR", &place.target);
        command.env("PYTHONPYCACHEPREFIX", place.target.join("pycache"));
        let mut count = Count::default();
        watched(&mut command, |line| count.add_pytest(line))?;
        if count.passed == 0 { Err(Failure::new("no Python test ran".into())) } else { Ok(count) }
    })
}

/// The environment that builds and tests the package.
pub(crate) fn python(place: &Place) -> Result<PathBuf, Failure> {
    environment(place, "python-env", PACKAGES)
}

/// Builds a wheel into a folder of the target folder, which then holds only that one, and returns its path.
fn build(place: &Place, python: &Path, folder: &str, options: &[&str]) -> Result<PathBuf, Failure> {
    let folder = place.target.join(folder);
    for old in wheels(&folder) {
        std::fs::remove_file(&old).map_err(|e| Failure::new(format!("{}: {e}", old.display())))?;
    }
    let mut command = Command::new(python);
    command.current_dir(place.root.join("python")).args(["-m", "maturin", "build", "--interpreter"]);
    command.arg(python).arg("--out").arg(&folder).args(options).env("CARGO_TARGET_DIR", &place.target);
    visible(&mut command)?;
    let built = wheels(&folder).into_iter().next();
    built.ok_or_else(|| Failure::new(format!("{}: no wheel was built", folder.display())))
}

/// The wheels in a folder; none where there is no such folder.
fn wheels(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "whl")).collect()
}
