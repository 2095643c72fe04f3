//! Why a command did not do what was asked, and the exit code that says so.

use std::fmt;
use std::path::{Path, PathBuf};

use mercer::ErrorKind;

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// The exit codes; the help text and the page of the command line explain them.
pub(crate) mod code {
    pub(crate) const DATA: u8 = 1;
    pub(crate) const USAGE: u8 = 2;
    pub(crate) const KERNEL: u8 = 3;
    pub(crate) const IO: u8 = 4;
    pub(crate) const UNSUPPORTED: u8 = 5;
    pub(crate) const NOT_TRUE: u8 = 6;
    /// As shells have it, 128 and the number of the signal.
    pub(crate) const INTERRUPTED: u8 = 130;
}

/// The end of a command before its time.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The library refused; `file` is what was being read, where the message does not name it.
    Library { file: Option<PathBuf>, error: mercer::Error },
    /// The arguments do not make sense together.
    Usage(String),
    /// Something that does not exist yet.
    Unsupported(String),
    /// Standard output cannot be written to.
    Output(std::io::Error),
    /// The command did its work and this is its answer; nothing is left to say.
    Answer(u8),
}

/// Failures of usage and of what is not supported, with their texts as `format!` takes them.
macro_rules! usage { ($($text:tt)*) => { $crate::failure::Failure::Usage(format!($($text)*)) }; }
macro_rules! unsupported { ($($text:tt)*) => { $crate::failure::Failure::Unsupported(format!($($text)*)) }; }
pub(crate) use {unsupported, usage};

impl Failure {
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Usage(_) => code::USAGE,
            Self::Unsupported(_) => code::UNSUPPORTED,
            Self::Output(_) => code::IO,
            Self::Answer(code) => *code,
            Self::Library { error, .. } => match error.kind() {
                ErrorKind::Parameter { .. }
                | ErrorKind::TooMany { .. }
                | ErrorKind::Setting { .. }
                | ErrorKind::KernelText { .. }
                | ErrorKind::FeaturesText { .. }
                | ErrorKind::Memory { .. } => code::USAGE,
                ErrorKind::Io { .. } => code::IO,
                ErrorKind::Unsupported { .. } => code::UNSUPPORTED,
                ErrorKind::Interrupted => code::INTERRUPTED,
                _ => code::DATA,
            },
        }
    }

    /// Whether the reader of our output has closed it (`mercer … | head`): no reason to complain.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        let is = |reason: &std::io::Error| reason.kind() == std::io::ErrorKind::BrokenPipe;
        match self {
            Self::Output(reason) => is(reason),
            Self::Library { error, .. } => matches!(error.kind(), ErrorKind::Io { source, .. } if is(source)),
            _ => false,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library { file, error } => match (file, error.kind()) {
                (Some(file), ErrorKind::Data(_)) => write!(f, "{}: {error}", file.display()),
                _ => error.fmt(f),
            },
            Self::Usage(text) => f.write_str(text),
            Self::Unsupported(what) => write!(f, "not supported yet: {what}"),
            Self::Output(error) => write!(f, "standard output: {error}"),
            Self::Answer(_) => Ok(()),
        }
    }
}

impl From<mercer::Error> for Failure {
    fn from(error: mercer::Error) -> Self {
        Self::Library { file: None, error }
    }
}

/// Says which file a flaw of the data as a whole is in.
pub(crate) trait InFile<T> {
    fn in_file(self, file: &Path) -> Result<T>;
}

impl<T> InFile<T> for mercer::Result<T> {
    fn in_file(self, file: &Path) -> Result<T> {
        self.map_err(|error| Failure::Library { file: Some(file.to_owned()), error })
    }
}

#[cfg(test)]
mod tests {
    use mercer::error::{DataProblem, Error};

    use super::*;

    #[test]
    fn a_flaw_of_the_whole_file_names_it() {
        let error: Error = ErrorKind::Data(DataProblem::Empty).into();
        let failure = Err::<(), _>(error).in_file(Path::new("a.txt")).unwrap_err();
        assert_eq!(failure.to_string(), "a.txt: no rows");
        assert_eq!(failure.code(), code::DATA);
    }

    #[test]
    fn a_file_that_is_not_there_is_an_input_failure() {
        let source = std::io::Error::from(std::io::ErrorKind::NotFound);
        let failure = Failure::from(Error::io("a.txt", source));
        assert_eq!(failure.code(), code::IO);
    }
}
