//! The program `mercer`.

mod algebra;
mod args;
mod components;
mod convert;
mod demo;
mod denoise;
mod early;
mod failure;
mod fit;
mod help;
mod inspect;
mod kernel;
mod kernel_list;
mod measures;
mod models;
mod multiclass;
mod output;
mod paths;
mod plot;
mod predict;
mod probability;
mod progress;
mod rde;
mod scale;
mod scaling;
mod shell;
mod svm;
mod system;
mod task;
mod train;
mod transform;
mod values;
mod views;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use failure::{Failure, Result};
use svm::Program;

fn main() -> ExitCode {
    // A link called svm-train (and so on) to this program is that program.
    let name = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let name = name.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    if let Some(program) = Program::named(name) {
        let words: Vec<String> =
            std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        return finish(name, program.run(&words));
    }
    let cli = Cli::parse();
    finish(cli.command.program(), run(&cli.command))
}

fn run(command: &Command) -> Result<()> {
    match command {
        Command::Train(args) => train::run(args),
        Command::Predict(args) => predict::run(args),
        Command::Transform(args) => transform::run(args),
        Command::Denoise(args) => denoise::run(args),
        Command::SvmTrain(words) => Program::Train.run(&words.words),
        Command::SvmPredict(words) => Program::Predict.run(&words.words),
        Command::SvmScale(words) => Program::Scale.run(&words.words),
        Command::Scale(args) => scale::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Kernel(command) => kernel::run(command),
        Command::Rde(args) => rde::run(args),
        Command::Demo(args) => demo::run(args),
        Command::Completions { shell } => shell::completions(*shell),
        Command::Man { folder } => shell::man(folder.as_deref()),
    }
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
