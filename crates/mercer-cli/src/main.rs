//! The program `mercer`.

mod args;
mod commands;
mod failure;
mod fit;
mod help;
mod input;
mod liblinear;
mod libsvm;
mod method;
mod models;
mod output;
mod paths;
mod plot;
mod program;
mod progress;
mod report;
mod system;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use commands::Cli;
use failure::{Failure, Result};

/// The programs of other packages.
const PROGRAMS: [program::Program; 5] =
    [libsvm::TRAIN, libsvm::PREDICT, libsvm::SCALE, liblinear::TRAIN, liblinear::PREDICT];

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let texts: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    // A link called svm-train (and so on) to this program is that program.
    let name = texts.first().map(Path::new).and_then(Path::file_stem).and_then(|name| name.to_str());
    if let Some(program) = name.and_then(|name| PROGRAMS.iter().find(|program| program.is_named(name))) {
        return finish(program.name, guarded(|| program.run(&texts[1..])));
    }
    let mut name = "mercer";
    let result = guarded(|| {
        let (program, result) = Cli::of(words, &texts).run();
        name = program;
        result
    });
    finish(name, result)
}

/// Runs a command, which a signal ends; a matrix for which there is no memory ends it with an error.
fn guarded(run: impl FnOnce() -> Result<()>) -> Result<()> {
    system::listen_for_interrupt()?;
    mercer::memory::within_memory(|| Ok(run()))?
}

/// Says what went wrong and makes an exit code of it.
fn finish(program: &str, result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            if !matches!(failure, Failure::Answer(_)) {
                output::remark(format_args!("{program}: {failure}"));
            }
            ExitCode::from(failure.code())
        }
    }
}
