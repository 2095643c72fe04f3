//! Options in LIBSVM's syntax: `-x value` each, then the files.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::failure::{Failure, Result};

/// The methods of `svm-train -s`, by their names in the table.
const METHODS: [&str; 5] = ["svc", "nu-svc", "one-class", "svr", "nu-svr"];

/// `svm-train`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Train {
    pub(super) method: &'static str,
    pub(super) kernel: u8,
    pub(super) degree: u32,
    pub(super) gamma: Option<f64>,
    pub(super) coef0: f64,
    pub(super) c: f64,
    pub(super) nu: f64,
    pub(super) epsilon: f64,
    pub(super) cache_megabytes: f64,
    pub(super) tolerance: f64,
    pub(super) shrinking: bool,
    pub(super) probability: bool,
    pub(super) weights: Vec<(i32, f64)>,
    pub(super) weight_file: Option<PathBuf>,
    pub(super) folds: Option<usize>,
    pub(super) quiet: bool,
    pub(super) data: PathBuf,
    pub(super) model: PathBuf,
}

/// `svm-predict`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Predict {
    pub(super) probability: bool,
    pub(super) quiet: bool,
    pub(super) data: PathBuf,
    pub(super) model: PathBuf,
    pub(super) out: PathBuf,
}

/// `svm-scale`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scale {
    pub(super) limits: [f64; 2],
    pub(super) target: Option<[f64; 2]>,
    pub(super) save: Option<PathBuf>,
    pub(super) restore: Option<PathBuf>,
    pub(super) data: PathBuf,
}

/// The words of a command line, taken one by one.
struct Words<'a>(std::iter::Peekable<std::slice::Iter<'a, String>>);

impl<'a> Words<'a> {
    fn new(words: &'a [String]) -> Self {
        Self(words.iter().peekable())
    }

    /// The next word if it is an option.
    fn option(&mut self) -> Option<&'a str> {
        self.0.next_if(|word| word.starts_with('-') && word.len() > 1).map(String::as_str)
    }

    fn value<T: FromStr>(&mut self, option: &str) -> Result<T> {
        let word = self.0.next().ok_or_else(usage)?;
        word.parse().map_err(|_| Failure::Usage(format!("{option} {word}: not a value of this option")))
    }

    fn switch(&mut self, option: &str) -> Result<bool> {
        match self.value::<u8>(option)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Failure::Usage(format!("{option} {other}: must be 0 or 1"))),
        }
    }

    /// The rest, which must be `least` to `most` files.
    fn files(self, least: usize, most: usize) -> Result<Vec<PathBuf>> {
        let files: Vec<PathBuf> = self.0.map(PathBuf::from).collect();
        if (least..=most).contains(&files.len()) { Ok(files) } else { Err(usage()) }
    }
}

/// Arguments that ask for the explanation.
fn usage() -> Failure {
    Failure::Usage(String::new())
}

fn unknown(option: &str) -> Failure {
    Failure::Usage(format!("unknown option {option}"))
}

impl Train {
    pub(super) fn parse(words: &[String]) -> Result<Self> {
        let mut words = Words::new(words);
        let mut options = Self {
            method: METHODS[0],
            kernel: 2,
            degree: 3,
            gamma: None,
            coef0: 0.0,
            c: 1.0,
            nu: 0.5,
            epsilon: 0.1,
            cache_megabytes: 100.0,
            tolerance: 1e-3,
            shrinking: true,
            probability: false,
            weights: Vec::new(),
            weight_file: None,
            folds: None,
            quiet: false,
            data: PathBuf::new(),
            model: PathBuf::new(),
        };
        while let Some(option) = words.option() {
            options.set(option, &mut words)?;
        }
        let mut files = words.files(1, 2)?.into_iter();
        options.data = files.next().ok_or_else(usage)?;
        options.model = files.next().unwrap_or_else(|| default_model(&options.data));
        Ok(options)
    }

    fn set(&mut self, option: &str, words: &mut Words<'_>) -> Result<()> {
        match option {
            "-s" => self.method = method(words.value(option)?)?,
            "-t" => self.kernel = kernel_type(words.value(option)?)?,
            "-d" => self.degree = words.value(option)?,
            // LIBSVM reads 0 as "not given".
            "-g" => self.gamma = Some(words.value(option)?).filter(|&gamma| gamma != 0.0),
            "-r" => self.coef0 = words.value(option)?,
            "-c" => self.c = words.value(option)?,
            "-n" => self.nu = words.value(option)?,
            "-p" => self.epsilon = words.value(option)?,
            "-m" => self.cache_megabytes = words.value(option)?,
            "-e" => self.tolerance = words.value(option)?,
            "-h" => self.shrinking = words.switch(option)?,
            "-b" => self.probability = words.switch(option)?,
            "-v" => self.folds = Some(folds(words.value(option)?)?),
            "-W" => self.weight_file = Some(words.value(option)?),
            "-q" => self.quiet = true,
            _ => match option.strip_prefix("-w").map(str::parse) {
                Some(Ok(class)) => self.weights.push((class, words.value(option)?)),
                _ => return Err(unknown(option)),
            },
        }
        Ok(())
    }
}

impl Predict {
    pub(super) fn parse(words: &[String]) -> Result<Self> {
        let mut words = Words::new(words);
        let (mut quiet, mut probability) = (false, false);
        while let Some(option) = words.option() {
            match option {
                "-b" => probability = words.switch(option)?,
                "-q" => quiet = true,
                _ => return Err(unknown(option)),
            }
        }
        match <[PathBuf; 3]>::try_from(words.files(3, 3)?) {
            Ok([data, model, out]) => Ok(Self { probability, quiet, data, model, out }),
            Err(_) => Err(usage()),
        }
    }
}

impl Scale {
    pub(super) fn parse(words: &[String]) -> Result<Self> {
        let mut words = Words::new(words);
        let mut options =
            Self { limits: [-1.0, 1.0], target: None, save: None, restore: None, data: PathBuf::new() };
        while let Some(option) = words.option() {
            match option {
                "-l" => options.limits[0] = words.value(option)?,
                "-u" => options.limits[1] = words.value(option)?,
                "-y" => options.target = Some([words.value(option)?, words.value(option)?]),
                "-s" => options.save = Some(words.value(option)?),
                "-r" => options.restore = Some(words.value(option)?),
                _ => return Err(unknown(option)),
            }
        }
        if options.save.is_some() && options.restore.is_some() {
            return Err(Failure::Usage("-s and -r cannot be used together".into()));
        }
        options.data = words.files(1, 1)?.pop().ok_or_else(usage)?;
        Ok(options)
    }
}

fn method(number: usize) -> Result<&'static str> {
    let known = METHODS.get(number).copied();
    known.ok_or_else(|| Failure::Usage(format!("-s {number}: must be 0 to 4")))
}

fn kernel_type(kernel: u8) -> Result<u8> {
    if kernel <= 4 { Ok(kernel) } else { Err(Failure::Usage(format!("-t {kernel}: must be 0 to 4"))) }
}

fn folds(folds: usize) -> Result<usize> {
    if folds >= 2 { Ok(folds) } else { Err(Failure::Usage(format!("-v {folds}: must be at least 2"))) }
}

/// The data file's name and `.model`, in the current folder.
fn default_model(data: &Path) -> PathBuf {
    let mut name = data.file_name().unwrap_or("svm".as_ref()).to_owned();
    name.push(".model");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn options_come_before_the_files() {
        let options = Train::parse(&words("-t 1 -d 2 -g 0.5 -r 1 -c 10 -w1 2 -w-1 0.5 -q a/heart")).unwrap();
        assert_eq!((options.kernel, options.degree, options.gamma), (1, 2, Some(0.5)));
        assert_eq!(options.weights, [(1, 2.0), (-1, 0.5)]);
        assert!(options.quiet && options.shrinking);
        assert_eq!(options.model, PathBuf::from("heart.model"));
        let options = Train::parse(&words("-s 4 -n 0.25 -p 0.01 data")).unwrap();
        assert_eq!((options.method, options.nu, options.epsilon), ("nu-svr", 0.25, 0.01));
        let options = Scale::parse(&words("-l -2 -u 3 -y 0 1 -s r data")).unwrap();
        assert_eq!((options.limits, options.target), ([-2.0, 3.0], Some([0.0, 1.0])));
    }

    #[test]
    fn probabilities_are_a_switch() {
        assert!(Train::parse(&words("-b 1 data")).unwrap().probability);
        assert!(!Train::parse(&words("-b 1 -b 0 data")).unwrap().probability);
        assert!(Predict::parse(&words("-b 1 a b c")).unwrap().probability);
        assert!(matches!(Predict::parse(&words("-b 2 a b c")), Err(Failure::Usage(_))));
    }

    #[test]
    fn wrong_usage_is_refused() {
        for text in ["", "-c", "-c x d", "-t 5 d", "-s 5 d", "-v 1 d", "-h 2 d", "-z 1 d", "-wx 1 d", "a b c"]
        {
            assert!(matches!(Train::parse(&words(text)), Err(Failure::Usage(_))), "{text}");
        }
        assert!(Predict::parse(&words("a b")).is_err());
        assert!(Scale::parse(&words("-s a -r b d")).is_err());
    }
}
