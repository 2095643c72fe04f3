//! Graphs as JSON lines.

use std::io::Read;
use std::sync::Arc;

use serde::Deserialize;

use super::column::{ColumnBuilder, number_text};
use super::graph_table::{NO_NODES, other};
use super::input::Input;
use super::table::ReadOptions;
use super::{Dense, Graph, GraphParts, LabelColumn, number};
use crate::error::{Error, ParseProblem, Result};

/// The most nodes of a graph that has no labels, which a file tells by a number alone.
const MOST_NODES: usize = 1 << 24;

/// A line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    label: Option<LabelEntry>,
    nodes: NodesEntry,
    edges: Vec<EdgeEntry>,
    attributes: Option<Vec<Vec<f64>>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a label must be a number or a text")]
enum LabelEntry {
    Number(f64),
    Text(String),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "nodes must be their number or a list of labels")]
enum NodesEntry {
    Count(usize),
    Labels(Vec<LabelEntry>),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "an edge must be [a, b] or [a, b, label], the nodes whole numbers from 0")]
enum EdgeEntry {
    Plain(usize, usize),
    Labelled(usize, usize, LabelEntry),
}

impl LabelEntry {
    fn text(&self) -> String {
        match self {
            Self::Number(value) => number_text(*value),
            Self::Text(text) => text.clone(),
        }
    }
}

/// Reads graphs, one a line, and their labels where lines have them: all, or none.
pub(super) fn read(
    mut input: Input,
    labelled: bool,
    options: &ReadOptions,
) -> Result<(Vec<Graph>, Option<LabelColumn>)> {
    let (path, mut bytes) = (input.path().to_owned(), Vec::new());
    if let Err(source) = input.read_to_end(&mut bytes) {
        return Err(input.failure(source));
    }
    let (mut graphs, mut labels) = (Vec::new(), ColumnBuilder::default());
    // The first line without a label, and how many have one.
    let (mut without, mut with) = (None, 0);
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let flaw =
            |column: usize, problem| Error::parse(&path, number as u64 + 1, column as u64 + 1, problem);
        let entry: Entry = parse(line).map_err(|(column, problem)| flaw(column, problem))?;
        if labelled {
            with += usize::from(entry.label.is_some());
            let pushed = match &entry.label {
                None if options.sets => labels.push(b""),
                None => {
                    without.get_or_insert_with(|| flaw(0, ParseProblem::MissingLabel));
                    Ok(())
                }
                Some(LabelEntry::Number(value)) => {
                    labels.push_number(*value);
                    Ok(())
                }
                Some(LabelEntry::Text(text)) if text.trim().is_empty() && !options.sets => {
                    Err(ParseProblem::MissingLabel)
                }
                Some(LabelEntry::Text(text)) if options.targets => {
                    number::whole(text.as_bytes()).map(|value| labels.push_number(value))
                }
                Some(LabelEntry::Text(text)) => labels.push(text.as_bytes()),
            };
            pushed.map_err(|problem| flaw(place(line, "label", None), problem))?;
        }
        graphs.push(graph(&entry).map_err(|((key, item), problem)| flaw(place(line, key, item), problem))?);
    }
    match without {
        Some(error) if with > 0 => Err(error),
        found => Ok((graphs, (labelled && found.is_none()).then(|| labels.finish()))),
    }
}

/// The graph of one line, without a label.
pub(super) fn one(text: &[u8]) -> Result<Graph, ParseProblem> {
    graph(&parse(text).map_err(|(_, problem)| problem)?).map_err(|(_, problem)| problem)
}

/// What serde calls things, and what people do.
const WORDS: [(&str, &str); 5] = [
    ("unknown field", "unknown key"),
    ("missing field", "missing key"),
    ("sequence", "list"),
    ("f64", "a number"),
    ("invalid type: ", "found "),
];

/// A line as JSON, or the column, from 0, and what is wrong there.
fn parse(line: &[u8]) -> Result<Entry, (usize, ParseProblem)> {
    let text = line.trim_ascii();
    // A list would be taken for the values of the keys in their order.
    if text.first() != Some(&b'{') {
        let hint = if text.first() == Some(&b'[') { "; the lines are no list" } else { "" };
        let problem = other(format!("each line must be one graph, a JSON object with nodes and edges{hint}"));
        return Err((line.len() - line.trim_ascii_start().len(), problem));
    }
    serde_json::from_slice(line).map_err(|error| {
        let all = error.to_string();
        let mut words = all.rfind(" at line ").map_or(&*all, |end| &all[..end]).to_owned();
        for (theirs, ours) in WORDS {
            words = words.replace(theirs, ours);
        }
        let hint = if error.is_eof() { "; a graph must end in the line where it begins" } else { "" };
        let problem = match error.is_data() {
            true => other(words),
            false => other(format!("no graph as a JSON object: {words}{hint}")),
        };
        (error.column().saturating_sub(1), problem)
    })
}

/// A key of a line and the position in its list, from 0.
type Place = (&'static str, Option<usize>);

fn graph(entry: &Entry) -> Result<Graph, (Place, ParseProblem)> {
    let (nodes, labels) = match &entry.nodes {
        NodesEntry::Count(nodes) => (*nodes, None),
        NodesEntry::Labels(labels) => (labels.len(), Some(labels)),
    };
    if labels.is_none() && nodes > MOST_NODES {
        return Err((
            ("nodes", None),
            other("more than 2²⁴ nodes without labels; a number alone may not ask for memory"),
        ));
    }
    if nodes == 0 {
        return Err((("nodes", None), other(NO_NODES)));
    }
    let ends = |edge: &EdgeEntry| match *edge {
        EdgeEntry::Plain(a, b) | EdgeEntry::Labelled(a, b, _) => (a, b),
    };
    let label = |edge: &EdgeEntry| -> Arc<str> {
        match edge {
            EdgeEntry::Plain(..) => "".into(),
            EdgeEntry::Labelled(.., label) => label.text().into(),
        }
    };
    let edge_labelled = entry.edges.iter().any(|edge| matches!(edge, EdgeEntry::Labelled(..)));
    let parts = GraphParts {
        nodes,
        edges: entry.edges.iter().map(ends).collect(),
        labels: labels.map(|labels| labels.iter().map(|label| label.text().into()).collect()),
        edge_labels: edge_labelled.then(|| entry.edges.iter().map(label).collect()),
        attributes: attributes(entry).map_err(|problem| (("attributes", None), problem))?,
    };
    Graph::build(&parts).map_err(|problem| {
        let place = match problem.edge() {
            Some(edge) => ("edges", Some(edge - 1)),
            None if entry.attributes.is_some() => ("attributes", None),
            None => ("nodes", None),
        };
        (place, other(problem.to_string()))
    })
}

fn attributes(entry: &Entry) -> Result<Option<Dense<f64>>, ParseProblem> {
    let Some(rows) = &entry.attributes else { return Ok(None) };
    let expected = rows.first().map_or(0, Vec::len);
    match rows.iter().find(|row| row.len() != expected) {
        Some(row) => Err(ParseProblem::Ragged { found: row.len(), expected }),
        None => Ok(Some(Dense::new(expected, rows.concat()))),
    }
}

/// Where the value of a key of the outermost object begins, or item `item` of its list, in bytes from 0; 0 where
/// it is not there. The line is JSON already.
fn place(line: &[u8], key: &str, item: Option<usize>) -> usize {
    let (mut depth, mut at, mut found, mut items) = (0, 0, false, 0);
    while let Some(&byte) = line.get(at) {
        let begin = at;
        match byte {
            b'"' => {
                at += 1;
                while line.get(at).is_some_and(|&byte| byte != b'"') {
                    at += if line[at] == b'\\' { 2 } else { 1 };
                }
                let colon = line[(at + 1).min(line.len())..].trim_ascii_start().first() == Some(&b':');
                if depth == 1 && colon {
                    found = line.get(begin + 1..at) == Some(key.as_bytes());
                    at = line[at..]
                        .iter()
                        .position(|&byte| byte == b':')
                        .map_or(line.len(), |ahead| at + ahead);
                    if found && item.is_none() {
                        let value = &line[(at + 1).min(line.len())..];
                        return at + 1 + value.len() - value.trim_ascii_start().len();
                    }
                }
            }
            b'[' | b'{' => {
                if found && depth == 2 && item == Some(items) {
                    return begin;
                }
                depth += 1;
            }
            b']' | b'}' => depth -= 1,
            b',' if found && depth == 2 => items += 1,
            _ => {}
        }
        at += 1;
    }
    0
}
