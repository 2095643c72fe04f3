//! The options of `linear-train`.

use std::path::PathBuf;

use mercer::model::liblinear::{Learnt, Solver};

use crate::failure::{Result, unsupported, usage};
use crate::output::remark;
use crate::program::{Words, model_name};

/// The gap, as a share of the objective, at LIBLINEAR's default tolerance.
const GAP: f64 = 1e-4;
/// The smallest gap: at less of the objective double precision tells nothing.
const MIN_GAP: f64 = 1e-12;
/// ν where `-n` does not say it.
const NU: f64 = 0.5;
/// Folds of `-C` where `-v` does not say how many.
const SEARCH_FOLDS: usize = 5;

#[derive(Debug)]
pub(super) struct Train {
    pub(super) solver: &'static Solver,
    /// The method of the solver, and the settings by which it solves its problem.
    pub(super) method: &'static str,
    pub(super) settings: &'static [(&'static str, &'static str)],
    /// C, where it is given.
    pub(super) c: Option<f64>,
    /// ε of a regression, where it is given.
    pub(super) p: Option<f64>,
    /// ν of the one-class machine.
    pub(super) nu: f64,
    /// The largest gap, as a share of the objective.
    pub(super) gap: f64,
    /// The value of the constant feature; below 0 for none.
    pub(super) bias: f64,
    /// Whether the weight of the constant feature costs nothing.
    pub(super) free_offset: bool,
    pub(super) weights: Vec<(i32, f64)>,
    pub(super) folds: Option<usize>,
    /// Whether to look for C.
    pub(super) search: bool,
    pub(super) threads: usize,
    pub(super) quiet: bool,
    pub(super) data: PathBuf,
    pub(super) model: PathBuf,
}

/// Options as they are given.
#[derive(Default)]
struct Given {
    solver: Option<u8>,
    c: Option<f64>,
    p: Option<f64>,
    nu: Option<f64>,
    tolerance: Option<f64>,
    bias: Option<f64>,
    free_offset: bool,
    weights: Vec<(i32, f64)>,
    folds: Option<usize>,
    search: bool,
    threads: usize,
    quiet: bool,
}

impl Given {
    fn set(&mut self, option: &str, words: &mut Words<'_>) -> Result<()> {
        match option {
            "-s" => self.solver = Some(words.value(option)?),
            "-c" => self.c = Some(words.value(option)?),
            "-p" => self.p = Some(words.value(option)?),
            "-n" => self.nu = Some(words.value(option)?),
            "-e" => match words.value::<f64>(option)? {
                tolerance if tolerance > 0.0 && tolerance.is_finite() => self.tolerance = Some(tolerance),
                tolerance => return Err(usage!("-e {tolerance}: must be above 0")),
            },
            "-B" => match words.value::<f64>(option)? {
                bias if bias.is_finite() => self.bias = Some(bias),
                bias => return Err(usage!("-B {bias}: must be a finite number")),
            },
            "-R" => self.free_offset = true,
            "-M" => match words.value::<u8>(option)? {
                0 => {}
                1 => {
                    return Err(unsupported!(
                        "-M 1: a function for each pair of classes; svm-train -t 0 has them"
                    ));
                }
                other => return Err(usage!("-M {other}: must be 0 or 1")),
            },
            "-v" => self.folds = Some(words.folds(option)?),
            "-C" => self.search = true,
            "-m" => self.threads = words.value(option)?,
            "-q" => self.quiet = true,
            _ => self.weights.push(words.class_weight(option)?),
        }
        Ok(())
    }

    /// The solver: that of `-s`, else 1, and 2 where C is searched for.
    fn solver(&self) -> Result<&'static Solver> {
        let number = match (self.solver, self.search) {
            (Some(number), _) => number,
            (None, false) => 1,
            (None, true) => {
                remark("Solver not specified. Using -s 2");
                2
            }
        };
        let solver = Solver::numbered(number)
            .ok_or_else(|| usage!("-s {number}: must be 0 to 7, 11, 12, 13 or 21"))?;
        if self.search && ![0, 2, 11].contains(&number) {
            return Err(usage!("-C: parameters are searched for with -s 0, -s 2 and -s 11"));
        }
        if solver.learnt == Learnt::Inside && self.bias.is_some_and(|bias| bias >= 0.0) {
            return Err(usage!("-B: -s {number} has no bias"));
        }
        if self.free_offset && self.bias != Some(1.0) {
            return Err(usage!("-R: to leave the bias out of the penalty, say -B 1 too"));
        }
        if self.free_offset && ![0, 2, 5, 6, 11].contains(&number) {
            return Err(usage!("-R: is for -s 0, 2, 5, 6 and 11"));
        }
        Ok(solver)
    }
}

impl Train {
    pub(super) fn parse(words: &[String]) -> Result<Self> {
        let mut given = Given::default();
        let [data, model] = Words::parse(words, 1, |option, words| given.set(option, words))?;
        let solver = given.solver()?;
        let (method, settings) = solver.method;
        let gap = given.tolerance.map_or(GAP, |tolerance| (GAP * tolerance / solver.tolerance).max(MIN_GAP));
        let folds = if given.search { given.folds.or(Some(SEARCH_FOLDS)) } else { given.folds };
        let model = model_name(model, &data);
        let Given { c, p, nu, bias, free_offset, weights, search, threads, quiet, .. } = given;
        let bias = bias.unwrap_or(-1.0);
        Ok(Self {
            solver,
            method,
            settings,
            c,
            p,
            nu: nu.unwrap_or(NU),
            gap,
            bias,
            free_offset,
            weights,
            folds,
            search,
            threads,
            quiet,
            data,
            model,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;

    fn parse(text: &str) -> Result<Train> {
        Train::parse(&text.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn defaults_are_those_of_liblinear() {
        let options = parse("a/heart").unwrap();
        assert_eq!((options.solver.number, options.method), (1, "linear-svc"));
        assert_eq!((options.c, options.p, options.bias), (None, None, -1.0));
        assert_eq!(options.model, PathBuf::from("heart.model"));
        assert_eq!((options.gap, options.folds), (1e-4, None));
        let options = parse("-C -c 0.5 d").unwrap();
        assert_eq!((options.solver.number, options.folds, options.c), (2, Some(5), Some(0.5)));
    }

    #[test]
    fn tolerances_are_shares_of_the_default() {
        for (text, gap) in [
            ("-s 1 -e 0.001", 1e-6),
            ("-s 0 -e 0.01", 1e-4),
            ("-s 11 -e 1e-5", 1e-5),
            ("-s 3 -e 1e-20", 1e-12),
        ] {
            let found = parse(&format!("{text} d")).unwrap().gap;
            assert!((found / gap - 1.0).abs() < 1e-12, "{text}: {found}");
        }
    }

    #[test]
    fn options_come_before_the_files() {
        let options = parse("-s 0 -B 1 -R -w1 2 -w-1 0.5 -v 3 -q -m 2 -n 0.1 -M 0 d m").unwrap();
        assert_eq!(options.weights, [(1, 2.0), (-1, 0.5)]);
        assert!(options.free_offset && options.quiet);
        assert_eq!((options.bias, options.folds, options.threads), (1.0, Some(3), 2));
        assert_eq!(options.model, PathBuf::from("m"));
        assert_eq!((options.nu, parse("-s 21 -B -1 d").unwrap().nu), (0.1, 0.5));
    }

    #[test]
    fn wrong_usage_is_refused() {
        for text in [
            "",
            "-c",
            "-c x d",
            "-s 8 d",
            "-s 300 d",
            "-v 1 d",
            "-e 0 d",
            "-e nan d",
            "-B inf d",
            "-z 1 d",
            "-wx 1 d",
            "a b c",
            "-C -s 1 d",
            "-R -s 0 d",
            "-R -B 2 -s 0 d",
            "-R -B 1 -s 1 d",
            "-M 2 d",
            "-s 21 -B 1 d",
            "-s 21 -R -B 1 d",
            "-s 21 -C d",
        ] {
            assert!(matches!(parse(text), Err(Failure::Usage(_))), "{text}");
        }
        assert!(matches!(parse("-M 1 d"), Err(Failure::Unsupported(_))));
    }
}
