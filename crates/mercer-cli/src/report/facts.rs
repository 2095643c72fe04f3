//! Facts as lines and tables of a text.

use std::borrow::Cow;
use std::fmt::{Display, Write};

use mercer::data::Points;
use mercer::model::{AnyPoints, Fact, Facts};

use crate::output::{count, cut, rough, short};

/// Longer lists are cut in the text; `--json` has them whole.
const LINES: usize = 20;
/// Numbers of a list that stand on a line.
const LISTED: usize = 10;
/// Numbers of a list that stand in a cell of a table.
const BESIDE: usize = 3;
/// Numbers of which only the size counts.
const SIZES: [&str; 3] = ["gap", "violation", "residual"];
/// Lines of a table that are shown on each side of the one that was taken.
const AROUND: usize = 5;

pub(crate) fn line(name: &str, value: impl Display) -> String {
    format!("{name:<12} {value}\n")
}

/// What points have: so many features, or that they are texts.
pub(crate) fn features(points: &AnyPoints) -> String {
    match points.width() {
        0 => points.space().to_owned(),
        width => count(width, "feature"),
    }
}

fn label(name: &str) -> String {
    name.replace('_', " ")
}

/// A table below a blank line, with a row of facts and a remark for each name; a long one is cut.
pub(crate) fn listed(head: [&str; 2], names: &[String], row: impl Fn(usize) -> (Facts, String)) -> String {
    let rows: Vec<_> =
        names.iter().take(LINES).enumerate().map(|(k, name)| (name.as_str(), row(k))).collect();
    let rows: Vec<Row<'_>> =
        rows.iter().map(|(name, (facts, remark))| (*name, facts, remark.as_str())).collect();
    let mut text = format!("\n{}", grid(head, &rows));
    if names.len() > LINES {
        let _ = writeln!(text, "… and {} more (--json has all)", names.len() - LINES);
    }
    text
}

/// The numbers among facts, a line for each, and tables. What `told` says already is left out; `taken` tells which line of a
/// table was taken.
pub(crate) fn numbers(facts: &Facts, told: &str, taken: &Facts) -> String {
    // Lists beside a table are its columns, and lists of one length are columns of one table.
    let in_table = |length: usize| {
        facts.iter().any(|(_, fact)| matches!(fact, Fact::Parts(parts) if parts.len() == length))
    };
    let beside = |length: usize| {
        facts.iter().filter(|(_, fact)| matches!(fact, Fact::Numbers(own) if own.len() == length)).count() > 1
    };
    let mut text = String::new();
    let mut shown = None;
    for (name, fact) in facts.iter() {
        let label = label(name);
        match (fact, cell(name, fact)) {
            (Fact::Numbers(numbers), _) if numbers.is_empty() => {}
            (Fact::Parts(parts), _) => text += &line(&label, trials(parts, taken)),
            (Fact::Numbers(numbers), Some(_)) if in_table(numbers.len()) => {}
            (Fact::Numbers(numbers), Some(_)) if numbers.len() > 1 && beside(numbers.len()) => {
                let first = shown.replace(numbers.len()) != Some(numbers.len());
                text += &if first { columns(facts, numbers.len()) } else { String::new() };
            }
            (Fact::Count(_) | Fact::Number(_) | Fact::Numbers(_), Some(value))
                if !is_told(told, &label, &value) =>
            {
                text += &line(&label, value);
            }
            _ => {}
        }
    }
    text
}

/// The lists of so many numbers among facts, side by side; a long table is cut.
fn columns(facts: &Facts, length: usize) -> String {
    let row = |k: usize| {
        facts.iter().fold(Facts::default(), |row, (name, fact)| match fact {
            Fact::Numbers(numbers) if numbers.len() == length => row.with(name, numbers[k]),
            _ => row,
        })
    };
    let rows: Vec<(String, Facts)> = (0..length.min(LINES)).map(|k| ((k + 1).to_string(), row(k))).collect();
    let rows: Vec<Row<'_>> = rows.iter().map(|(name, row)| (name.as_str(), row, "")).collect();
    let mut text = String::new();
    for row in grid(["", ""], &rows).lines() {
        let _ = writeln!(text, "{:13}{row}", "");
    }
    if length > LINES {
        let _ = writeln!(text, "{:13}… and {} more (--json has all)", "", length - LINES);
    }
    text
}

/// Whether a text says `name = value`, or `value names`.
pub(super) fn is_told(text: &str, name: &str, value: &str) -> bool {
    let one = name.trim_end_matches('s');
    text.contains(&format!("{name} = {value}")) || text.contains(&format!("{value} {one}"))
}

/// A number, or numbers side by side; of texts how many there are.
fn cell(name: &str, fact: &Fact) -> Option<String> {
    let number = |value: f64| if SIZES.contains(&name) { rough(value) } else { short(value) };
    match fact {
        Fact::Count(count) => Some(count.to_string()),
        Fact::Number(value) => Some(number(*value)),
        Fact::Numbers(numbers) => {
            let listed: Vec<String> = numbers.iter().take(LISTED).map(|value| number(*value)).collect();
            Some(listed.join(", ") + if numbers.len() > LISTED { ", …" } else { "" })
        }
        Fact::Texts(texts) => Some(texts.len().to_string()),
        _ => None,
    }
}

/// Trials of which one was taken: that one and its neighbours; where none was, all of them.
fn trials(parts: &[Facts], taken: &Facts) -> String {
    // The first number of a trial is what was tried.
    let first = parts.first().and_then(|part| part.iter().next()).map_or("trial", |(name, _)| name);
    let is_taken = |part: &Facts| part.get(first).is_some_and(|own| taken.get(first) == Some(own));
    let best = parts.iter().position(is_taken);
    let shown = best.map_or(0..parts.len().min(LINES), |best| {
        best.saturating_sub(AROUND)..parts.len().min(best + AROUND + 1)
    });
    let one = first.trim_end_matches('s');
    let mut text = match best {
        Some(_) => format!("{}, the best of them and its neighbours:", count(parts.len(), one)),
        None => format!("{} of {first}:", count(parts.len(), "value")),
    };
    let row = |i: usize| ("", &parts[i], if Some(i) == best { "<" } else { "" });
    for row in grid(["", ""], &shown.map(row).collect::<Vec<_>>()).lines() {
        let _ = write!(text, "\n{:13}{row}", "");
    }
    if best.is_none() && parts.len() > LINES {
        let _ = write!(text, "\n{:13}… and {} more (--json has all)", "", parts.len() - LINES);
    }
    // Of things that are counted there is none before the first.
    let is_least = |part: &Facts| matches!(part.get(first), Some(Fact::Count(1)));
    if best.is_some_and(|best| best + 1 == parts.len() || best == 0 && !is_least(&parts[0])) {
        let _ = write!(text, "\n{:13}the best is the last of the list: a wider one may be better", "");
    }
    text
}

/// A row of a table: what stands before its numbers, the facts among which they are, and what stands behind them.
type Row<'a> = (&'a str, &'a Facts, &'a str);

/// A table with a column for each fact that is a number, under their names; `before` and `behind` stand over the names and
/// the remarks of the rows.
fn grid([before, behind]: [&str; 2], rows: &[Row<'_>]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (name, fact) in rows.iter().flat_map(|row| row.1.iter()) {
        let shown = match fact {
            Fact::Count(_) | Fact::Number(_) | Fact::Texts(_) => true,
            Fact::Numbers(numbers) => numbers.len() <= BESIDE,
            _ => false,
        };
        if shown && !names.contains(&name) {
            names.push(name);
        }
    }
    let cells = |facts: &Facts| -> Vec<String> {
        let cell = |name: &&str| facts.get(name).and_then(|fact| cell(name, fact)).unwrap_or("-".into());
        names.iter().map(|name| cut(&cell(name)).into_owned()).collect()
    };
    let head = (before, names.iter().map(|name| label(name)).collect(), behind);
    let head = (Cow::from(head.0), head.1, head.2);
    let rows = rows.iter().map(|&(name, facts, remark)| (cut(name), cells(facts), remark));
    let lines: Vec<(Cow<'_, str>, Vec<String>, &str)> = [head].into_iter().chain(rows).collect();
    let wide = |k: usize| lines.iter().map(|line| line.1[k].chars().count()).max().unwrap_or(0);
    let wide: Vec<usize> = (0..names.len()).map(wide).collect();
    let first = lines.iter().map(|line| line.0.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, cells, remark) in &lines {
        let cells = cells.iter().zip(&wide).map(|(cell, &wide)| format!("{cell:>wide$}"));
        let gap = if first > 0 { "  " } else { "" };
        let line = format!("{name:<first$}{gap}{}  {remark}", cells.collect::<Vec<_>>().join("  "));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trial_that_was_taken_is_marked() {
        let trial = |kappa: f64| Facts::default().with("kappa", kappa).with("score", kappa / 2.0);
        let found = Facts::default().with("tried", (0..30).map(|k| trial(f64::from(k))).collect::<Vec<_>>());
        let text = numbers(&found, "", &Facts::default().with("kappa", 7.0));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "tried        30 kappas, the best of them and its neighbours:");
        assert_eq!((lines.len(), lines[1].trim()), (13, "kappa  score"));
        let trial = |clusters: usize| Facts::default().with("clusters", clusters).with("gap", 2.0);
        let gaps = Facts::default().with("gap", (1..4).map(trial).collect::<Vec<_>>());
        let counted = numbers(&gaps, "", &Facts::default().with("clusters", 1_usize));
        let head = "gap          3 clusters, the best of them and its neighbours:\n";
        assert!(
            counted.starts_with(head) && counted.contains("1    2  <") && !counted.contains("wider"),
            "{counted}"
        );
        assert_eq!(lines.iter().filter(|line| line.ends_with('<')).collect::<Vec<_>>(), [&lines[7]]);
        assert_eq!(lines[7].trim(), "7    3.5  <");
        let text = numbers(&found, "", &Facts::default().with("kappa", 29.0));
        assert!(text.ends_with("a wider one may be better\n"), "{text}");
    }

    #[test]
    fn names_longer_than_a_width_can_be_are_cut() {
        let long = "ä".repeat(70_000);
        let names = [long.clone(), "b".to_owned()];
        let text = listed(["class", "kind"], &names, |k| (Facts::default().with("points", k), long.clone()));
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert!(rows[0].starts_with(&format!("{}…  ", "ä".repeat(60))), "{}", rows[0].len());
        let table = crate::output::table(&[[long.clone(), "x".into()], ["b".into(), "y".into()]]);
        assert!(table.lines().count() == 2 && table.contains("ä  x"));
    }

    #[test]
    fn trials_of_which_none_was_taken_are_all_told() {
        let point = |k: usize| Facts::default().with("c", k as f64).with("steps", 2 * k);
        let path = |points: usize| Facts::default().with("path", (1..=points).map(point).collect::<Vec<_>>());
        let text = numbers(&path(3), "", &Facts::default());
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(lines, ["path         3 values of c:", "c  steps", "1      2", "2      4", "3      6"]);
        let text = numbers(&path(22), "", &Facts::default());
        assert!(text.ends_with("… and 2 more (--json has all)\n") && text.lines().count() == 23, "{text}");
    }

    #[test]
    fn numbers_are_told_and_long_lists_are_cut() {
        let facts = Facts::default()
            .with("square_radius", 0.25)
            .with("rule", "votes")
            .with("eigenvalues", vec![1.0; 11]);
        let text = numbers(&facts, "svm, square radius = 0.5", &Facts::default());
        assert_eq!(text, "square radius 0.25\neigenvalues  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, …\n");
        assert_eq!(numbers(&facts, "square radius = 0.25", &facts).lines().count(), 1);
    }
}
