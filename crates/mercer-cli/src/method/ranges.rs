//! Ranges of parameters on the command line: the options of `mercer search`.

use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use mercer::model::{About, AnyKernel, Kind, Value};
use mercer::select::{Grid, Point};

use super::{DEFAULT, Given, MethodArgs, Parameters, card, help, names, option, parameters, parsed, spelled};
use crate::failure::{Result, usage};

/// What to search: a method, and ranges of its kernel's and its own parameters.
#[derive(Debug, Args)]
pub(crate) struct RangeArgs {
    /// What to fit; `mercer methods` tells more
    #[arg(long, short, value_parser = names(), default_value = DEFAULT, hide_default_value = true)]
    method: String,
    /// Kernel expression with ranges, for instance "rbf(gamma=2^-13..2^5)" [default: rbf(gamma=2^-13..2^5); of linear methods
    /// linear]
    #[arg(long, short, value_name = "EXPRESSION")]
    kernel: Option<String>,
    #[command(flatten)]
    ranges: Ranges,
    /// A file with a column for each target, in place of the labels
    #[arg(long, value_name = "FILE")]
    targets: Option<PathBuf>,
}

/// Parameters of methods that were given, as they were typed: a value or a range.
#[derive(Debug, Clone)]
struct Ranges(Vec<(About, String)>);

impl Args for Ranges {
    fn augment_args(command: Command) -> Command {
        let options = parameters().into_iter().map(|(about, of)| {
            let of = of.iter().map(|(method, _)| *method).collect::<Vec<_>>().join(", ");
            let words = if let Kind::Choice(words) = about.kind {
                format!(" ({})", words.join(", "))
            } else {
                String::new()
            };
            let arg = option(&about, &[]).help(format!("{of}: {}{words}", help(&about)));
            let arg = arg.mut_if(about.kind != Kind::Flag, |arg| {
                arg.value_parser(clap::builder::NonEmptyStringValueParser::new())
                    .value_name("RANGE")
                    .action(ArgAction::Set)
                    .allow_hyphen_values(true)
            });
            if about.kind == Kind::Megabytes { arg } else { arg.hide(!about.group.is_empty()) }
        });
        command.args(options.collect::<Vec<_>>())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Ranges {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = parameters().into_iter().filter_map(|(about, _)| {
            if matches.value_source(about.name) != Some(ValueSource::CommandLine) {
                return None;
            }
            let text = match about.kind {
                Kind::Flag => String::new(),
                _ => matches.get_one::<String>(about.name)?.clone(),
            };
            Some((about, text))
        });
        Ok(Self(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The option changed where something holds.
trait MutIf: Sized {
    fn mut_if(self, holds: bool, change: impl FnOnce(Self) -> Self) -> Self {
        if holds { change(self) } else { self }
    }
}

impl MutIf for Arg {}

/// The price C that is searched where a method has it and nothing is said.
const USUAL_C: &str = "2^-5..2^13";
/// The kernel that is searched where nothing is said.
const USUAL_KERNEL: &str = "rbf(gamma=2^-13..2^5)";

impl RangeArgs {
    /// The text of the kernel, where it was given.
    pub(crate) fn kernel(&self) -> Option<&str> {
        self.kernel.as_deref()
    }

    /// The candidates that the ranges stand for.
    pub(crate) fn grid(&self) -> Result<Grid> {
        self.grid_with(self.kernel())
    }

    /// The candidates with another kernel in place of the one that was given.
    pub(crate) fn grid_with(&self, kernel: Option<&str>) -> Result<Grid> {
        let card = card(&self.method)?;
        let kernel = match (kernel, card.kernel) {
            (Some(text), _) => text,
            (None, Some(text)) => text,
            (None, None) => USUAL_KERNEL,
        };
        let mut parameters: Vec<(&str, &str)> = self
            .ranges
            .0
            .iter()
            .filter(|(about, _)| about.kind != Kind::Flag)
            .map(|(about, text)| (about.name, text.as_str()))
            .collect();
        // A list of numbers is the method's own choice, and a weight has a class before its value.
        let plain = |name: &str| {
            let kind = card.parameter(name).map(|about| about.kind);
            matches!(kind, Some(Kind::Weights))
        };
        if let Some((name, _)) = parameters.iter().find(|(name, text)| plain(name) && text.contains("..")) {
            return Err(usage!("--{name}: its values are not searched"));
        }
        if parameters.is_empty() && self.kernel.is_none() && card.parameter("c").is_some() {
            parameters.push(("c", USUAL_C));
        }
        Ok(Grid::new(Some(kernel), &parameters)?)
    }

    /// What a candidate asks for, as options of `mercer train` would.
    pub(crate) fn asked(&self, grid: &Grid, point: &Point) -> Result<MethodArgs> {
        let kernel = grid.kernel(point).map(|text| text.parse::<AnyKernel>()).transpose()?;
        let mut given = Vec::new();
        for (name, text) in grid.settings(point) {
            let known = parameters().into_iter().map(|(about, _)| about).find(|about| about.name == name);
            let Some(about) = known else { continue };
            let word = if let Kind::Choice(_) = about.kind {
                Ok(Value::Word(text.to_owned()))
            } else {
                parsed(about.kind, text)
            };
            let value = word.map_err(|problem| usage!("{} {text}: {problem}", spelled(&about)))?;
            given.push(Given { spelled: spelled(&about), name: about.name, value });
        }
        for (about, _) in self.ranges.0.iter().filter(|(about, _)| about.kind == Kind::Flag) {
            let value = Value::Flag(about.default != Value::Flag(true));
            given.push(Given { spelled: spelled(about), name: about.name, value });
        }
        Ok(MethodArgs {
            method: self.method.clone(),
            kernel,
            parameters: Parameters(given),
            multilabel: false,
            early: None,
            targets: self.targets.clone(),
            second: None,
        })
    }
}
