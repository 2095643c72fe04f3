//! The program `mercer`.

mod args;
mod failure;
mod fit;
mod help;
mod models;
mod output;
mod predict;
mod progress;
mod scaling;
mod system;
mod train;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use failure::{Failure, Result};

fn main() -> ExitCode {
    let cli = Cli::parse();
    finish("mercer", run(&cli.command))
}

fn run(command: &Command) -> Result<()> {
    match command {
        Command::Train(args) => train::run(args),
        Command::Predict(args) => predict::run(args),
        _ => Err(Failure::Unsupported("this command".into())),
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
