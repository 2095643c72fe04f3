//! `cargo xtask COMMAND`: everything a newcomer or CI runs, with its set-up.

mod book;
mod count;
mod environment;
mod fuzz;
mod licences;
mod package;
mod place;
mod programs;
mod python;
mod spdx;
mod step;
mod test;

use std::process::ExitCode;

use place::Place;
use step::Failure;

const HELP: &str = "\
cargo xtask COMMAND

  test       everything CI checks: format, lints, unit, integration and documentation tests,
             documentation, licences of all dependencies, syntax of the Python files, and the
             Python package: built, installed, its tests and examples
  test --python
             the last of these alone
  test --peers
             all formulations against LIBSVM on a few hundred settings (--only TEXT for some)
  book       the book (docs/) as pages for a browser, into target/book; `book --check`: pages, links and figures alone
  wheel      the Python package for any CPython from 3.11 on, into target/wheels
  stubs      writes the types of the package's native module (python/mercer/_mercer.pyi)
  bench      mercer and its peers side by side on the same data (`cargo xtask bench --help`);
             `bench --sweep`: the package beside scikit-learn over many data sets and settings
  bench-python
             the Python package beside scikit-learn, scikit-learn-intelex and the program;
             `bench-python memory` for what a fit holds
  compat     svm-train, svm-predict and svm-scale against LIBSVM's own, and models read by each other;
             `compat linear`: linear-train and linear-predict against LIBLINEAR's
  published  published test errors of a dozen data sets, reproduced by svm-train and svm-predict
  structured kernels on texts, graphs and sets: speed and values beside peers, published accuracies
  learners   relevance vectors, clusters, maps and networks beside peers; `tables`: Tipping's published errors
  linear     linear machines beside LIBLINEAR and scikit-learn (--threads N)
  fuzz       --minutes N [TARGET…]: every reader, and fits behind it, on inputs that a mutator makes (fuzz/README.md)
  faults     kills and interrupts the program at random moments, fills its disk, limits its memory (--count N)
  answers    makes LIBSVM's stored answers anew (crates/mercer/tests/libsvm)
  help       this text

`test`, `wheel` and `stubs` set up a private Python environment in target/python-env the first time; `test --peers`,
`bench`, `bench-python`, `compat`, `published`, `faults` and `answers` one in target/bench-env, `structured` one in
target/structured-env, `learners` one in target/learners-env, `linear` one in
target/linear-env. All need Python 3.11 or newer.
The full data sets are looked for in $MERCER_DATA, else in ../shared/data.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = arguments.split_first().map_or(("help", &[][..]), |(c, r)| (c.as_str(), r));
    let result = Place::find().and_then(|place| match command {
        "test" => match rest {
            [peers, rest @ ..] if peers == "--peers" => python::differential(&place, rest),
            [python, rest @ ..] if python == "--python" => none(rest).and_then(|()| test::python(&place)),
            _ => none(rest).and_then(|()| test::run(&place)),
        },
        "book" => book::run(&place, rest),
        "wheel" => none(rest).and_then(|()| package::wheel(&place)),
        "stubs" => none(rest).and_then(|()| package::stubs(&place)),
        "bench" => python::bench(&place, rest),
        "bench-python" => python::bench_package(&place, rest),
        "compat" => python::compat(&place, rest),
        "faults" => python::faults(&place, rest),
        "published" => python::published(&place, rest),
        "structured" => python::structured(&place, rest),
        "learners" => python::learners(&place, rest),
        "linear" => python::linear(&place, rest),
        "fuzz" => fuzz::run(&place, rest),
        "answers" => none(rest).and_then(|()| python::answers(&place)),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(Failure::usage(format!("no command '{other}'; `cargo xtask help` lists them"))),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::from(failure.code())
        }
    }
}

/// Refuses arguments where a command takes none.
fn none(rest: &[String]) -> Result<(), Failure> {
    match rest.first() {
        None => Ok(()),
        Some(argument) => Err(Failure::usage(format!("unexpected argument '{argument}'"))),
    }
}
