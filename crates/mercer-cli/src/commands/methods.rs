//! `mercer methods`: the table of methods, and one of them with its parameters.

use clap::Args;
use mercer::model::{About, Card, Fact, Kind, SPACES};
use serde_json::{Value, json};

use crate::failure::Result;
use crate::method::{self, own_options, spelled};
use crate::output::{answer, answer_json, table};
use crate::report::line;

#[derive(Debug, Args)]
pub(crate) struct MethodsArgs {
    /// One object on one line instead of text
    #[arg(long)]
    json: bool,
    /// The method to show with its parameters [default: all of them, a few lines each]
    #[arg(value_parser = method::names(), hide_possible_values = true)]
    name: Option<String>,
}

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

/// The spaces that a method is for: that of its kernel where it has one alone, which is one on vectors.
fn spaces(card: &Card) -> &'static [&'static str] {
    if card.kernel.is_some() { &SPACES[..1] } else { SPACES }
}

/// A few lines for each method.
fn listing(cards: &[Card]) -> String {
    let lines = |card: &Card| {
        let needs = format!("needs {}; {}", card.target.words(), own_options(card).join(" "));
        [[card.name.to_owned(), card.summary.to_owned()], [String::new(), needs]]
    };
    let lines: Vec<[String; 2]> = cards.iter().flat_map(lines).collect();
    format!(
        "Methods of mercer train --method, on {}:\n\n{}\nOne with its parameters:  mercer methods NAME\n\
         Its options:              mercer train --method NAME --help\n",
        SPACES.join(" and "),
        table(&lines),
    )
}

/// All there is to say of a method.
fn page(card: &Card) -> String {
    let mut text = line("method", format!("{}, {}", card.name, card.summary));
    text += &line("needs", card.target.words());
    text += &line("points", spaces(card).join(" or "));
    if let Some(kernel) = card.kernel {
        text += &line("kernel", kernel);
    }
    if !card.probabilities.is_empty() {
        text += &line("probability", card.probabilities.join(", "));
    }
    let cells = |about: &About| {
        let letter = about.letter.filter(|_| about.name.len() > 1);
        let letter = letter.map_or(String::new(), |letter| format!(", -{letter}"));
        let option = format!("{}{letter}", spelled(about));
        [option, about.default.to_string(), about.domain.to_owned(), about.meaning.to_owned()]
    };
    let head = ["parameter", "default", "values", "meaning"].map(str::to_owned);
    let rows: Vec<_> = [head].into_iter().chain(card.parameters.iter().map(cells)).collect();
    format!("{text}\n{}", table(&rows))
}

fn object(card: &Card) -> Value {
    let parameter = |about: &About| {
        json!({
            "name": about.name,
            "option": spelled(about),
            "letter": about.letter,
            "kind": kind(about.kind),
            "choices": match about.kind { Kind::Choice(words) => Some(words), _ => None },
            "domain": about.domain,
            "default": Fact::from(about.default.clone()),
            "meaning": about.meaning,
            "group": about.group,
        })
    };
    json!({
        "name": card.name,
        "summary": card.summary,
        "target": card.target.words(),
        "kernel": card.kernel,
        "model": card.kind,
        "spaces": spaces(card),
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
