//! `mercer methods`: the table of methods, and one of them with its parameters.

use std::fmt::Write;

use clap::Args;
use mercer::model::{About, Card, Kind, SPACES, Value};
use serde_json::{Value as Json, json};

use crate::failure::Result;
use crate::method::{self, own_options, spelled};
use crate::output::{answer, answer_json};
use crate::report::line;

/// `mercer methods`.
#[derive(Debug, Args)]
pub(crate) struct MethodsArgs {
    /// One object on one line instead of text
    #[arg(long)]
    json: bool,
    /// The method to show with its parameters [default: all of them, a few lines each]
    #[arg(value_parser = method::names(), hide_possible_values = true)]
    name: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &MethodsArgs) -> Result<()> {
    match (&args.name, args.json) {
        (None, true) => {
            answer_json(&json!({ "methods": method::cards().iter().map(object).collect::<Vec<_>>() }))
        }
        (None, false) => answer(listing(&method::cards())),
        (Some(name), true) => answer_json(&object(&method::card(name)?)),
        (Some(name), false) => answer(page(&method::card(name)?)),
    }
}

/// A few lines for each method.
fn listing(cards: &[Card]) -> String {
    let wide = cards.iter().map(|card| card.name.len()).max().unwrap_or(0);
    let mut text = format!("Methods of mercer train --method, on {}:\n\n", SPACES.join(" and "));
    for card in cards {
        let _ = writeln!(text, "{:<wide$}  {}", card.name, card.summary);
        let _ =
            writeln!(text, "{:<wide$}  needs {}; {}", "", card.target.words(), own_options(card).join(" "));
    }
    text + "\nOne with its parameters:  mercer methods NAME\nIts options:              mercer train --method NAME --help\n"
}

/// All there is to say of a method.
fn page(card: &Card) -> String {
    let mut text = line("method", format!("{}, {}", card.name, card.summary));
    text += &line("needs", card.target.words());
    text += &line("points", SPACES.join(" or "));
    if !card.probabilities.is_empty() {
        text += &line("probability", card.probabilities.join(", "));
    }
    let cells = |about: &About| {
        let letter = about.letter.filter(|_| about.name.len() > 1);
        let letter = letter.map_or(String::new(), |letter| format!(", -{letter}"));
        [format!("{}{letter}", spelled(about)), about.default.to_string(), about.domain.to_owned()]
    };
    let rows: Vec<[String; 3]> = card.parameters.iter().map(cells).collect();
    let head = ["parameter", "default", "values"].map(str::to_owned);
    let wide = |k: usize| rows.iter().chain([&head]).map(|row| row[k].chars().count()).max().unwrap_or(0);
    let [first, second, third] = [wide(0), wide(1), wide(2)];
    let meanings = ["meaning"].into_iter().chain(card.parameters.iter().map(|about| about.meaning));
    text.push('\n');
    for ([option, default, domain], meaning) in [&head].into_iter().chain(&rows).zip(meanings) {
        let _ = writeln!(text, "{option:<first$}  {default:<second$}  {domain:<third$}  {meaning}");
    }
    text
}

fn object(card: &Card) -> Json {
    let parameter = |about: &About| {
        json!({
            "name": about.name,
            "option": spelled(about),
            "letter": about.letter,
            "kind": kind(about.kind),
            "choices": match about.kind { Kind::Choice(words) => Some(words), _ => None },
            "domain": about.domain,
            "default": value(&about.default),
            "meaning": about.meaning,
            "group": about.group,
        })
    };
    json!({
        "name": card.name,
        "summary": card.summary,
        "target": card.target.words(),
        "model": card.kind,
        "spaces": SPACES,
        "probabilities": card.probabilities,
        "parameters": card.parameters.iter().map(parameter).collect::<Vec<_>>(),
    })
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Flag => "flag",
        Kind::Whole => "whole",
        Kind::Number => "number",
        Kind::Numbers => "numbers",
        Kind::Choice(_) => "choice",
        Kind::Kernel => "kernel",
        Kind::Weights => "weights",
        Kind::Seconds => "seconds",
        Kind::Megabytes => "megabytes",
        _ => "other",
    }
}

fn value(value: &Value) -> Json {
    match value {
        Value::Absent => Json::Null,
        Value::Flag(flag) => json!(flag),
        Value::Whole(whole) => json!(whole),
        Value::Number(number) => json!(number),
        Value::Numbers(numbers) => json!(numbers),
        other => json!(other.to_string()),
    }
}
