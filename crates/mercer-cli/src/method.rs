//! The library's table of methods on the command line: options, help, refusals.
//!
//! `mercer train` knows the options of all methods, since an option that the method asked for does not have is refused by
//! name. Its help shows those of one.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use mercer::data::{Vectors, number_text};
use mercer::model::probability::{Curve, Settings};
use mercer::model::{About, AnyEstimator, AnyKernel, Card, Kind, Method, TargetKind, Value};

mod ranges;

pub(crate) use ranges::RangeArgs;

use crate::args::{MEGABYTE, Word, megabytes};
use crate::failure::{Failure, Result, usage};

/// The method where none is named.
const DEFAULT: &str = "svc";

/// Methods that take the place of svc by `--multiclass`, beside the rules that svc has itself.
const SCHEMES: [&str; 4] = ["ovr", "crammer-singer", "weston-watkins", "softmax"];
/// The parameter that they stand beside.
const MULTICLASS: &str = "multiclass";

/// A flag that stands for a value of a parameter: its name, the parameter, the value.
const ALIASES: [(&str, &str, &str); 1] = [("iterative", "solver", "cg")];

/// A parameter that every command has as an option of its own.
const SEED: &str = "seed";
/// A parameter of the methods that solve quadratic programmes, and so have rounds.
const ROUNDS: &str = "working-set";

/// Probabilities as the program calls them, as the library does, and what they are.
const PROBABILITIES: [(&str, &str, &str); 4] = [
    ("platt", "sigmoid", "A sigmoid for each pair of classes"),
    ("isotonic", "isotonic", "A rising function for each pair of classes; needs a thousand rows or more"),
    ("noise", "noise", "How far targets lie from their values"),
    ("density", "density", "How ordinary a row is among the training data"),
];

pub(crate) fn cards() -> Vec<Card> {
    Method::<Vectors>::all().iter().map(Method::card).collect()
}

pub(crate) fn card(name: &str) -> Result<Card> {
    Ok(Method::<Vectors>::find(name)?.card())
}

/// The names of all methods, as values of `--method`.
pub(crate) fn names() -> PossibleValuesParser {
    cards().iter().map(|card| PossibleValue::new(card.name).help(card.summary)).collect::<Vec<_>>().into()
}

/// The names of probabilities, as values of `--probability`.
pub(crate) fn probabilities() -> PossibleValuesParser {
    PROBABILITIES.map(|(name, own, help)| PossibleValue::new(name).alias(own).help(help)).into()
}

/// How a parameter is typed: `-c`, `--tolerance`, `--no-offset`.
pub(crate) fn spelled(about: &About) -> String {
    match about.name.len() {
        1 => format!("-{}", about.name),
        _ => format!("--{}", long(about)),
    }
}

/// The long option: a flag that is set where nothing is said is taken back by `no-`.
pub(crate) fn long(about: &About) -> String {
    let no = if about.default == Value::Flag(true) { "no-" } else { "" };
    format!("{no}{}", about.name)
}

/// What is told of a parameter: `Price C of a margin error; above 0 [default: 1]`.
fn help(about: &About) -> String {
    let no = if about.default == Value::Flag(true) { "no " } else { "" };
    let mut text = format!("{no}{}", about.meaning);
    text[..1].make_ascii_uppercase();
    if !matches!(about.kind, Kind::Flag | Kind::Choice(_)) {
        text += &format!(": {}", about.domain);
    }
    match &about.default {
        Value::Absent | Value::Flag(_) => {}
        Value::Weights(weights) if weights.is_empty() => {}
        default => text += &format!(" [default: {default}]"),
    }
    text
}

/// Every parameter of any method once, with the methods that have it.
fn parameters() -> Vec<(About, Vec<(&'static str, About)>)> {
    let mut all: Vec<(About, Vec<(&'static str, About)>)> = Vec::new();
    for card in cards() {
        for about in card.parameters.into_iter().filter(|about| about.name != SEED) {
            match all.iter_mut().find(|(known, _)| known.name == about.name) {
                Some((_, of)) => of.push((card.name, about)),
                None => all.push((about.clone(), vec![(card.name, about)])),
            }
        }
    }
    all
}

/// Whether a method has the value that a flag stands for.
fn has_alias(card: &Card, (_, of, value): &(&str, &str, &str)) -> bool {
    card.parameter(of).is_some_and(|about| words(about).contains(value))
}

/// The words of a parameter that is one of some words.
fn words(about: &About) -> &'static [&'static str] {
    if let Kind::Choice(words) = about.kind { words } else { &[] }
}

/// The words that any of the methods has for a parameter, each once.
fn all_words(of: &[(&'static str, About)]) -> Vec<&'static str> {
    let mut all = Vec::new();
    for &word in of.iter().flat_map(|(_, about)| words(about)) {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all
}

/// A parameter as an option with the words given, where it is one of some words.
fn option(about: &About, words: &[&'static str]) -> Arg {
    let heading = if about.group.is_empty() { "Parameters of the method" } else { about.group };
    let arg = Arg::new(about.name).long(long(about)).short(about.letter).help_heading(heading);
    let value = match about.kind {
        Kind::Flag => return arg.action(ArgAction::SetTrue),
        Kind::Choice(_) => {
            let more = if about.name == MULTICLASS { &SCHEMES[..] } else { &[] };
            let words = PossibleValuesParser::new(words.iter().chain(more).copied());
            return arg.value_name("WORD").value_parser(words.map(Value::Word));
        }
        Kind::Weights => arg.value_name("CLASS=W").action(ArgAction::Append).allow_hyphen_values(true),
        Kind::Numbers => arg.value_name("NUMBERS").allow_hyphen_values(true),
        Kind::Megabytes => arg.value_name("MB").conflicts_with("memory"),
        Kind::Seconds => arg.value_name("SECONDS"),
        Kind::Kernel => arg.value_name("EXPRESSION"),
        Kind::Whole => arg.value_name("N"),
        _ => arg.value_name(about.name.to_ascii_uppercase()),
    };
    let kind = about.kind;
    value.allow_negative_numbers(true).value_parser(move |text: &str| parsed(kind, text))
}

/// What was typed as a value of that kind.
fn parsed(kind: Kind, text: &str) -> Result<Value, String> {
    let number = |word: &str| word.trim().parse::<f64>().map_err(|_| format!("'{word}' is not a number"));
    match kind {
        Kind::Whole => text.parse().map(Value::Whole).map_err(|_| "not a whole number".into()),
        Kind::Numbers
            if text.starts_with(char::is_alphabetic) && number(text).is_err() && !text.contains(',') =>
        {
            Ok(Value::Word(text.into()))
        }
        Kind::Numbers if text.contains(',') => {
            text.split(',').map(number).collect::<Result<_, _>>().map(Value::Numbers)
        }
        Kind::Kernel => {
            text.parse::<AnyKernel>().map_err(|error| error.to_string())?;
            Ok(Value::Word(text.into()))
        }
        Kind::Weights => {
            let (class, weight) = text.rsplit_once('=').ok_or("expected CLASS=W")?;
            // A class that is a number goes by its shortest text, as in the data.
            let class = class.parse().map_or_else(|_| class.to_owned(), number_text);
            Ok(Value::Weights(vec![(class, number(weight)?)]))
        }
        Kind::Seconds => match number(text)? {
            seconds if seconds >= 0.0 && seconds.is_finite() => Ok(Value::Number(seconds)),
            _ => Err("must be a positive number of seconds".into()),
        },
        Kind::Megabytes => Ok(Value::Number(megabytes(text)? as f64 / MEGABYTE)),
        _ => number(text).map(Value::Number),
    }
}

/// What to fit, by which kernel, and what it needs to know of the data: the first options of `mercer train`.
#[derive(Debug, Args)]
pub(crate) struct MethodArgs {
    /// What to fit; `mercer methods` tells more, and `mercer train --method NAME --help` shows the options of each
    #[arg(long, short, value_parser = names(), default_value = DEFAULT, hide_default_value = true)]
    method: String,
    /// Kernel expression, for instance "rbf(gamma=0.5) + 2*linear"; it tells what points are: vectors, texts
    /// ("spectrum(p=3)"), graphs ("wl(h=5)"), sets of vectors ("set(rbf(gamma=1))") or rows of a table ("spectrum(p=3)@name +
    /// linear@age"); `mercer kernel list` has all [default: rbf with gamma = 1/features, of linear methods linear, of a folder of graphs
    /// normalized(wl(h=5))]
    #[arg(long, short, value_name = "EXPRESSION")]
    pub(crate) kernel: Option<AnyKernel>,
    #[command(flatten)]
    parameters: Parameters,
    /// Labels are sets such as `2,5`, or empty: a function for each label (the method multilabel)
    #[arg(long, conflicts_with = "multiclass")]
    multilabel: bool,
    /// Approximate, for 100,000 rows and more: divide the rows into cells, fit a classifier to each, and let that of the
    /// nearest cell decide (the method local) [default: one for 10,000 rows, from 1 to 64]
    #[arg(long, value_name = "CELLS", require_equals = true, num_args = 0..=1)]
    early: Option<Option<usize>>,
    /// A file with a column for each target, in place of the labels
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Option<PathBuf>,
    /// The file of the second view, with the same rows in the same order
    #[arg(long, value_name = "FILE")]
    pub(crate) second: Option<PathBuf>,
}

/// A parameter that was given, and how it was typed.
#[derive(Debug, Clone)]
struct Given {
    spelled: String,
    name: &'static str,
    value: Value,
}

/// The parameters of methods that were given.
#[derive(Debug, Clone)]
struct Parameters(Vec<Given>);

impl Args for Parameters {
    fn augment_args(command: Command) -> Command {
        let flag = |(name, parameter, value): Word<&'static str>| {
            Arg::new(name).long(name).action(ArgAction::SetTrue).help(format!("--{parameter} {value}"))
        };
        let options = parameters().into_iter().map(|(about, of)| {
            let words = all_words(&of);
            let of = of.iter().map(|(method, _)| *method).collect::<Vec<_>>().join(", ");
            option(&about, &words).help(format!("{of}: {}", help(&about)))
        });
        command.args(options.collect::<Vec<_>>()).args(ALIASES.map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Parameters {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Vec::new();
        for (about, _) in parameters() {
            if matches.value_source(about.name) != Some(ValueSource::CommandLine) {
                continue;
            }
            let all: Vec<Value> = match about.kind {
                Kind::Flag => vec![Value::Flag(about.default != Value::Flag(true))],
                _ => matches.get_many(about.name).into_iter().flatten().cloned().collect(),
            };
            // Weights add up; of other values the last counts.
            let joined = all.into_iter().reduce(|all, next| match (all, next) {
                (Value::Weights(all), Value::Weights(next)) => Value::Weights([all, next].concat()),
                (_, next) => next,
            });
            let value = joined.ok_or_else(|| clap::Error::new(ErrorKind::MissingRequiredArgument))?;
            given.push(Given { spelled: spelled(&about), name: about.name, value });
        }
        for (flag, name, value) in ALIASES.into_iter().filter(|(flag, ..)| matches.get_flag(flag)) {
            given.push(Given { spelled: format!("--{flag}"), name, value: Value::Word(value.into()) });
        }
        Ok(Self(given))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The command `train` as the help of one method shows it: without the options of others.
pub(crate) fn of_one(command: Command, card: &Card) -> Command {
    let parameters: Vec<&str> = parameters().iter().map(|(about, _)| about.name).collect();
    command.mut_args(|arg| {
        let name = arg.get_id().as_str();
        if let Some(about) = card.parameter(name).filter(|_| name != SEED) {
            return match about.kind {
                Kind::Choice(_) => option(about, words(about)).help(help(about)),
                _ => arg.help(help(about)),
            };
        }
        let alias = ALIASES.iter().find(|(flag, ..)| *flag == name);
        let hidden = match name {
            "multilabel" | "early" => card.name != DEFAULT,
            "targets" => card.target != TargetKind::Numbers,
            "second" => card.target != TargetKind::View,
            "probability" | "folds" => card.probabilities.is_empty(),
            "trace" => card.parameter(ROUNDS).is_none(),
            _ => parameters.contains(&name) || alias.is_some_and(|alias| !has_alias(card, alias)),
        };
        arg.hide(hidden)
    })
}

/// The method that the words of a command line ask for, as far as they can be understood: for its help.
pub(crate) fn named_in(words: &[String]) -> Option<Card> {
    let mut name = DEFAULT;
    for (at, word) in words.iter().enumerate().take_while(|(_, word)| *word != "--") {
        let next = || words.get(at + 1).map(String::as_str);
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None if word.starts_with("-m") && word.len() > 2 => ("-m", Some(&word[2..])),
            None => (word.as_str(), next()),
        };
        match (option, value) {
            ("--multilabel", _) => name = "multilabel",
            ("--early", _) => name = "local",
            ("--multiclass", Some(value)) if SCHEMES.contains(&value) => name = value,
            ("--method" | "-m", Some(value)) => name = value,
            _ => {}
        }
    }
    card(name).ok()
}

/// The method to be fitted.
pub(crate) struct Choice {
    pub(crate) card: Card,
    /// The words that asked for it: `--method svr`, `--multiclass ovr`.
    words: String,
    given: Vec<Given>,
    /// The scheme of more than two classes, where it is another than that of the method itself.
    pub(crate) scheme: Option<String>,
}

impl Choice {
    /// Refuses options that the method does not have: they would be ignored.
    pub(crate) fn of(asked: &MethodArgs) -> Result<Self> {
        let base = card(&asked.method)?;
        let mut given = asked.parameters.0.clone();
        let scheme = given.iter().find(|given| given.name == MULTICLASS).map(|given| given.value.to_string());
        let scheme = scheme.filter(|scheme| scheme != "ovo");
        let other = scheme.as_deref().filter(|scheme| SCHEMES.contains(scheme));
        let (name, words) = match (asked.early, asked.multilabel, other) {
            (Some(_), ..) => ("local", "--early".to_owned()),
            (None, true, _) => ("multilabel", "--multilabel".to_owned()),
            (None, false, Some(scheme)) => (scheme, format!("--multiclass {scheme}")),
            (None, false, None) => (base.name, words_of(&base)),
        };
        let replaces = asked.early.is_some() || asked.multilabel || other.is_some();
        if replaces && base.name != DEFAULT {
            return Err(match asked.early {
                Some(_) => refusal(&words, &base),
                None => usage!("{words}: {} does not have it; {DEFAULT} has", words_of(&base)),
            });
        }
        if let Some(cells) = asked.early {
            if asked.multilabel {
                return Err(usage!("--multilabel: --early does not have it"));
            }
            if let Some(scheme) = scheme {
                return Err(usage!("--multiclass {scheme}: --early does not have it; it has ovo"));
            }
            let (spelled, name) = (words.clone(), "cells");
            given.extend(cells.map(|cells| Given { spelled, name, value: Value::Whole(cells as u64) }));
        }
        if asked.early.is_some() || other.is_some() {
            given.retain(|given| given.name != MULTICLASS);
        }
        let choice = Self { card: card(name)?, words, given, scheme };
        choice.refuse(&base, asked)?;
        Ok(choice)
    }

    fn refuse(&self, base: &Card, asked: &MethodArgs) -> Result<()> {
        let has = |card: &Card, given: &Given| card.parameter(given.name).is_some();
        if let Some(given) = self.given.iter().find(|given| !has(&self.card, given)) {
            let Given { spelled, value, .. } = given;
            return Err(if has(base, given) {
                usage!("{spelled}: {} does not have it", self.words)
            } else if given.name == MULTICLASS {
                let with = cards().into_iter().filter(|card| has(card, given)).map(|card| card.name);
                let (words, with) = (words_of(base), with.collect::<Vec<_>>().join(" and "));
                usage!("{spelled} {value}: {words} does not have it; {with} have")
            } else {
                refusal(spelled, base)
            });
        }
        let files = [
            ("--targets", &asked.targets, TargetKind::Numbers),
            ("--second", &asked.second, TargetKind::View),
        ];
        match files.iter().find(|(_, file, target)| file.is_some() && self.card.target != *target) {
            Some((option, ..)) => Err(refusal(option, base)),
            None => Ok(()),
        }
    }

    pub(crate) fn given(&self, name: &str) -> Option<&Value> {
        self.given.iter().rev().find(|given| given.name == name).map(|given| &given.value)
    }

    /// Refuses a table of rounds where there are none.
    pub(crate) fn check_trace(&self) -> Result<()> {
        match self.card.parameter(ROUNDS) {
            Some(_) => Ok(()),
            None => Err(usage!("--trace: {} is no support vector machine", self.words)),
        }
    }

    /// How the probabilities of that name are to be learnt.
    pub(crate) fn probability(&self, wanted: &str, folds: Option<usize>, seed: u64) -> Result<Settings> {
        let of = |name: &str| PROBABILITIES.iter().find(|(door, own, _)| *door == name || *own == name);
        let (wanted, own, _) = *of(wanted).unwrap_or(&PROBABILITIES[0]);
        if !self.card.probabilities.contains(&own) {
            let known = self.card.probabilities.iter().filter_map(|own| of(own)).map(|p| p.0);
            let (known, words) = (known.collect::<Vec<_>>().join(" and "), &self.words);
            if known.is_empty() && !words.starts_with("--method") {
                return Err(usage!("--probability: {words} does not have it; softmax has its own"));
            }
            let known = if known.is_empty() { "no probabilities" } else { &known };
            return Err(usage!("--probability {wanted}: {words} does not have it; it has {known}"));
        }
        if wanted == "density" && folds.is_some() {
            return Err(usage!("--folds: a density is found without"));
        }
        let folds = folds.unwrap_or(Settings::default().folds);
        if folds < 2 {
            return Err(usage!("--folds {folds}: must be at least 2"));
        }
        let method = if wanted == "isotonic" { Curve::Isotonic } else { Curve::Sigmoid };
        Ok(Settings { method, folds, seed })
    }

    /// The kernel that was given, or the only one that the method has; none where points tell which is usual.
    pub(crate) fn kernel(&self, asked: &MethodArgs) -> mercer::Result<Option<AnyKernel>> {
        match (&asked.kernel, self.card.kernel) {
            (Some(kernel), _) => Ok(Some(kernel.clone())),
            (None, Some(text)) => text.parse().map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The estimator with its parameters. Those that others depend on stand before them in the table.
    pub(crate) fn estimator(&self, kernel: AnyKernel, seed: u64) -> mercer::Result<AnyEstimator> {
        let mut estimator = AnyEstimator::new(self.card.name, kernel)?;
        for about in &self.card.parameters {
            match self.given(about.name) {
                Some(value) => estimator.set(about.name, value)?,
                None if about.name == SEED => estimator.set(SEED, &Value::Whole(seed))?,
                None => {}
            }
        }
        Ok(estimator)
    }
}

fn words_of(card: &Card) -> String {
    format!("--method {}", card.name)
}

/// The message for an option that a method does not have, with those that it has.
fn refusal(option: &str, card: &Card) -> Failure {
    usage!("{option}: {} does not have it; it has {}", words_of(card), own_options(card).join(", "))
}

/// The options of a method itself, without those of its solver.
pub(crate) fn own_options(card: &Card) -> Vec<String> {
    let own = card.parameters.iter().filter(|about| about.group.is_empty() && about.name != SEED);
    let mut options: Vec<String> = own.map(spelled).collect();
    let aliases = ALIASES.iter().filter(|alias| has_alias(card, alias));
    options.extend(aliases.map(|(flag, ..)| format!("--{flag}")));
    match card.target {
        TargetKind::Numbers => options.push("--targets".into()),
        TargetKind::View => options.push("--second".into()),
        _ if card.name == DEFAULT => options.extend(["--multilabel".into(), "--early".into()]),
        _ => {}
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_by_their_kind() {
        let weights = |class: &str, weight| Ok(Value::Weights(vec![(class.to_owned(), weight)]));
        assert_eq!(parsed(Kind::Weights, "-1=2.5"), weights("-1", 2.5));
        assert_eq!(parsed(Kind::Weights, "+1=2"), weights("1", 2.0));
        assert_eq!(parsed(Kind::Weights, "a=b=3"), weights("a=b", 3.0));
        assert_eq!(parsed(Kind::Numbers, "0.5"), Ok(Value::Number(0.5)));
        assert_eq!(parsed(Kind::Numbers, "1e-3, 1,10"), Ok(Value::Numbers(vec![1e-3, 1.0, 10.0])));
        assert_eq!(parsed(Kind::Numbers, "auto"), Ok(Value::Word("auto".into())));
        assert_eq!(parsed(Kind::Numbers, "1,x"), Err("'x' is not a number".into()));
        for (kind, refused) in [
            (Kind::Weights, "a"),
            (Kind::Weights, "a=x"),
            (Kind::Numbers, ""),
            (Kind::Seconds, "-1"),
            (Kind::Seconds, "nan"),
            (Kind::Megabytes, "0"),
            (Kind::Whole, "1.5"),
            (Kind::Kernel, "rbf("),
        ] {
            assert!(parsed(kind, refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn a_parameter_of_several_methods_is_one_option() {
        for (first, of) in parameters() {
            for (method, about) in of {
                let form = |about: &About| (long(about), about.letter, about.kind == Kind::Flag);
                assert_eq!(form(&about), form(&first), "{method}");
            }
        }
    }

    #[test]
    fn the_method_is_found_among_the_words() {
        let named = |text: &str| {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            named_in(&words).map(|card| card.name)
        };
        assert_eq!(named("--help"), Some("svc"));
        assert_eq!(named("-q --method ridge --help"), Some("ridge"));
        assert_eq!(named("--method=kpca -h"), Some("kpca"));
        assert_eq!(named("-m svr data"), Some("svr"));
        assert_eq!(named("-mcca data"), Some("cca"));
        assert_eq!(named("--multiclass softmax"), Some("softmax"));
        assert_eq!(named("--multiclass ovo"), Some("svc"));
        assert_eq!(named("--early=8 data"), Some("local"));
        assert_eq!(named("-m tree"), None);
    }
}
