//! Command lines in the syntax of LIBSVM and LIBLINEAR: `-x value` each, then the files.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::failure::{Failure, Result, usage};

/// The options of `svm-predict` and `linear-predict`.
#[derive(Debug, Default)]
pub(crate) struct Predict {
    pub(crate) probability: bool,
    pub(crate) quiet: bool,
    /// Data, model, and where predictions go.
    pub(crate) files: [PathBuf; 3],
}

impl Predict {
    pub(crate) fn parse(words: &[String]) -> Result<Self> {
        let mut options = Self::default();
        options.files = Words::parse(words, 3, |option, words| {
            match option {
                "-b" => options.probability = words.switch(option)?,
                "-q" => options.quiet = true,
                _ => return Err(unknown(option)),
            }
            Ok(())
        })?;
        Ok(options)
    }
}

/// The name of a model file; where none is given, that of the data and `.model`, in the current folder.
pub(crate) fn model_name(given: PathBuf, data: &Path) -> PathBuf {
    if !given.as_os_str().is_empty() {
        return given;
    }
    let mut name = data.file_name().unwrap_or("svm".as_ref()).to_owned();
    name.push(".model");
    name.into()
}

/// The words of a command line, taken one by one.
pub(crate) struct Words<'a>(std::iter::Peekable<std::slice::Iter<'a, String>>);

impl<'a> Words<'a> {
    /// Hands every option to `set` and returns the files behind them, of which there must be `least` to N; those that
    /// are not given are empty.
    pub(crate) fn parse<const N: usize>(
        words: &'a [String],
        least: usize,
        mut set: impl FnMut(&'a str, &mut Self) -> Result<()>,
    ) -> Result<[PathBuf; N]> {
        let mut words = Self(words.iter().peekable());
        while let Some(option) = words.0.next_if(|word| word.starts_with('-') && word.len() > 1) {
            set(option, &mut words)?;
        }
        let mut files: Vec<PathBuf> = words.0.map(PathBuf::from).collect();
        if files.len() >= least && files.len() < N {
            files.resize(N, PathBuf::new());
        }
        files.try_into().map_err(|_| explanation())
    }

    pub(crate) fn value<T: FromStr>(&mut self, option: &str) -> Result<T> {
        let word = self.0.next().ok_or_else(explanation)?;
        word.parse().map_err(|_| usage!("{option} {word}: not a value of this option"))
    }

    pub(crate) fn switch(&mut self, option: &str) -> Result<bool> {
        match self.value::<u8>(option)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(usage!("{option} {other}: must be 0 or 1")),
        }
    }

    /// The number of folds of `-v`.
    pub(crate) fn folds(&mut self, option: &str) -> Result<usize> {
        match self.value(option)? {
            folds @ 0..=1_usize => Err(usage!("{option} {folds}: must be at least 2")),
            folds => Ok(folds),
        }
    }

    /// The class that `-wi` names, and its weight; any other option is unknown.
    pub(crate) fn class_weight(&mut self, option: &str) -> Result<(i32, f64)> {
        match option.strip_prefix("-w").map(str::parse) {
            Some(Ok(class)) => Ok((class, self.value(option)?)),
            _ => Err(unknown(option)),
        }
    }
}

/// The failure of arguments that ask for the explanation.
fn explanation() -> Failure {
    Failure::Usage(String::new())
}

/// The failure of an option that there is not.
pub(crate) fn unknown(option: &str) -> Failure {
    usage!("unknown option {option}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_have_three_files() {
        let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
        assert!(Predict::parse(&words("-b 1 a b c")).unwrap().probability);
        assert!(matches!(Predict::parse(&words("-b 2 a b c")), Err(Failure::Usage(_))));
        assert!(Predict::parse(&words("a b")).is_err());
    }
}
