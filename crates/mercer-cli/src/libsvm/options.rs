//! Options in LIBSVM's syntax: `-x value` each, then the files.

use std::path::PathBuf;

use mercer::model::Value;

use crate::args::MEGABYTE;
use crate::failure::{Result, usage};
use crate::program::{Words, model_name, unknown};

/// The methods of `svm-train -s`, by their names in the table.
const METHODS: [&str; 5] = ["svc", "nu-svc", "one-class", "svr", "nu-svr"];
/// Options of `svm-train` that are numbers: the parameter of the method that each sets, and LIBSVM's default.
const PARAMETERS: [(&str, &str, f64); 5] = [
    ("-c", "c", 1.0),
    ("-n", "nu", 0.5),
    ("-p", "epsilon", 0.1),
    ("-m", "cache", 100.0),
    ("-e", "tolerance", 1e-3),
];

#[derive(Debug, Default)]
pub(super) struct Train {
    pub(super) method: &'static str,
    pub(super) kernel: u8,
    pub(super) degree: u32,
    pub(super) gamma: Option<f64>,
    pub(super) coef0: f64,
    /// Parameters by name, whether the method has them or not.
    pub(super) parameters: Vec<(&'static str, Value)>,
    pub(super) probability: bool,
    pub(super) weights: Vec<(i32, f64)>,
    pub(super) weight_file: Option<PathBuf>,
    pub(super) folds: Option<usize>,
    pub(super) quiet: bool,
    pub(super) data: PathBuf,
    pub(super) model: PathBuf,
}

#[derive(Debug, Default)]
pub(super) struct Scale {
    pub(super) limits: [f64; 2],
    pub(super) target: Option<[f64; 2]>,
    pub(super) save: Option<PathBuf>,
    pub(super) restore: Option<PathBuf>,
    pub(super) data: PathBuf,
}

impl Train {
    pub(super) fn parse(words: &[String]) -> Result<Self> {
        let parameters = PARAMETERS.map(|(_, name, value)| (name, Value::Number(value))).into();
        let mut options = Self { method: METHODS[0], kernel: 2, degree: 3, parameters, ..Self::default() };
        [options.data, options.model] = Words::parse(words, 1, |option, words| options.set(option, words))?;
        options.model = model_name(options.model, &options.data);
        Ok(options)
    }

    fn set(&mut self, option: &str, words: &mut Words<'_>) -> Result<()> {
        if let Some(k) = PARAMETERS.iter().position(|(letter, ..)| *letter == option) {
            let value: f64 = words.value(option)?;
            if option == "-m" && !(value > 0.0 && value < usize::MAX as f64 / MEGABYTE) {
                return Err(usage!("-m {value}: must be positive"));
            }
            self.parameters[k].1 = Value::Number(value);
            return Ok(());
        }
        match option {
            "-s" => {
                let number: usize = words.value(option)?;
                let known = METHODS.get(number);
                self.method = known.ok_or_else(|| usage!("-s {number}: must be 0 to 4"))?;
            }
            "-t" => {
                self.kernel = words.value(option)?;
                if self.kernel > 4 {
                    return Err(usage!("-t {}: must be 0 to 4", self.kernel));
                }
            }
            "-d" => self.degree = words.value(option)?,
            // LIBSVM reads 0 as "not given".
            "-g" => self.gamma = Some(words.value(option)?).filter(|&gamma| gamma != 0.0),
            "-r" => self.coef0 = words.value(option)?,
            "-h" => self.parameters.push(("shrinking", Value::Flag(words.switch(option)?))),
            "-b" => self.probability = words.switch(option)?,
            "-v" => self.folds = Some(words.folds(option)?),
            "-W" => self.weight_file = Some(words.value(option)?),
            "-q" => self.quiet = true,
            _ => self.weights.push(words.class_weight(option)?),
        }
        Ok(())
    }
}

impl Scale {
    pub(super) fn parse(words: &[String]) -> Result<Self> {
        let mut options = Self { limits: [-1.0, 1.0], ..Self::default() };
        let [data] = Words::parse(words, 1, |option, words| {
            match option {
                "-l" => options.limits[0] = words.value(option)?,
                "-u" => options.limits[1] = words.value(option)?,
                "-y" => options.target = Some([words.value(option)?, words.value(option)?]),
                "-s" => options.save = Some(words.value(option)?),
                "-r" => options.restore = Some(words.value(option)?),
                _ => return Err(unknown(option)),
            }
            Ok(())
        })?;
        if options.save.is_some() && options.restore.is_some() {
            return Err(usage!("-s and -r cannot be used together"));
        }
        Ok(Self { data, ..options })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn options_come_before_the_files() {
        let options = Train::parse(&words("-t 1 -d 2 -g 0.5 -r 1 -c 10 -w1 2 -w-1 0.5 -q a/heart")).unwrap();
        assert_eq!((options.kernel, options.degree, options.gamma), (1, 2, Some(0.5)));
        assert_eq!(options.weights, [(1, 2.0), (-1, 0.5)]);
        assert!(options.quiet);
        assert_eq!(options.parameters[0], ("c", Value::Number(10.0)));
        assert_eq!(options.model, PathBuf::from("heart.model"));
        let options = Train::parse(&words("-s 4 -n 0.25 -p 0.01 data")).unwrap();
        assert_eq!(options.method, "nu-svr");
        assert_eq!(options.parameters[1..3], [("nu", Value::Number(0.25)), ("epsilon", Value::Number(0.01))]);
        let options = Scale::parse(&words("-l -2 -u 3 -y 0 1 -s r data")).unwrap();
        assert_eq!((options.limits, options.target), ([-2.0, 3.0], Some([0.0, 1.0])));
    }

    #[test]
    fn probabilities_are_a_switch() {
        assert!(Train::parse(&words("-b 1 data")).unwrap().probability);
        assert!(!Train::parse(&words("-b 1 -b 0 data")).unwrap().probability);
    }

    #[test]
    fn wrong_usage_is_refused() {
        for text in ["", "-c", "-c x d", "-t 5 d", "-s 5 d", "-v 1 d", "-h 2 d", "-z 1 d", "-wx 1 d", "a b c"]
        {
            assert!(matches!(Train::parse(&words(text)), Err(Failure::Usage(_))), "{text}");
        }
        assert!(Scale::parse(&words("-s a -r b d")).is_err());
    }
}
