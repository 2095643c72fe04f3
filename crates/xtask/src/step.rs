//! Commands that are announced, timed, and stop everything when they fail.

use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

/// Why a command of xtask ended early.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// A check or a program that failed: exit code 1.
    pub(crate) fn new(message: String) -> Self {
        Self { message, code: 1 }
    }

    /// A wrong call of xtask: exit code 2.
    pub(crate) fn usage(message: String) -> Self {
        Self { message, code: 2 }
    }

    pub(crate) fn code(&self) -> u8 {
        self.code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The cargo that runs us, in the workspace's root.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// Says what is done, does it, and says how long it took.
pub(crate) fn announced<T>(title: &str, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    println!("==> {title}");
    let start = Instant::now();
    let result = work();
    let seconds = start.elapsed().as_secs_f64();
    match result {
        Ok(value) => {
            println!("    ok: {title} ({seconds:.1} s)");
            Ok(value)
        }
        Err(failure) => Err(Failure { message: format!("{title} ({seconds:.1} s): {failure}"), ..failure }),
    }
}

/// Runs a command that shares our terminal.
pub(crate) fn visible(command: &mut Command) -> Result<(), Failure> {
    let status = command.status().map_err(|e| not_started(command, &e))?;
    check(command, status)
}

/// Runs a command beside others: what it prints is printed only if it fails.
pub(crate) fn silent(command: &mut Command) -> Result<(), Failure> {
    let output = command.output().map_err(|e| not_started(command, &e))?;
    if !output.status.success() {
        print!("{}", String::from_utf8_lossy(&output.stdout));
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
    }
    check(command, output.status)
}

/// Runs a command, passes its standard output on line by line and hands each line to `see`.
pub(crate) fn watched(command: &mut Command, mut see: impl FnMut(&str)) -> Result<(), Failure> {
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|e| not_started(command, &e))?;
    let stdout = child.stdout.take().expect("standard output was asked to be a pipe");
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line.map_err(|e| Failure::new(format!("{}: {e}", name(command))))?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        see(&line);
    }
    let status = child.wait().map_err(|e| not_started(command, &e))?;
    check(command, status)
}

/// Runs a command and returns its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String, Failure> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|e| not_started(command, &e))?;
    check(command, output.status)?;
    String::from_utf8(output.stdout).map_err(|e| Failure::new(format!("{}: {e}", name(command))))
}

fn check(command: &Command, status: ExitStatus) -> Result<(), Failure> {
    if status.success() { Ok(()) } else { Err(Failure::new(format!("`{}`: {status}", name(command)))) }
}

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    Failure::new(format!("`{}`: {error}", name(command)))
}

/// Program (without its folder) and arguments, as typed.
fn name(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_command_is_named_with_its_arguments() {
        let failure = visible(Command::new("sh").args(["-c", "exit 3"])).expect_err("exits with 3");
        assert_eq!(failure.to_string(), "`sh -c exit 3`: exit status: 3");
        assert_eq!(failure.code(), 1);
    }

    #[test]
    fn watched_sees_every_line() {
        let mut lines = Vec::new();
        let command = &mut Command::new("sh");
        watched(command.args(["-c", "echo one; echo two"]), |l| lines.push(l.to_owned()))
            .expect("exits with 0");
        assert_eq!(lines, ["one", "two"]);
    }
}
