//! Graphs in a folder of the TU collection.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::column::ColumnBuilder;
use super::graph_table::{NO_NODES, other};
use super::input::Input;
use super::number;
use super::table::ReadOptions;
use super::{Dense, Graph, GraphParts, LabelColumn};
use crate::error::{DataProblem, Error, ErrorKind, ParseProblem, Result};

const EDGES: &str = "A";
const PARTS: [&str; 6] =
    [EDGES, "graph_indicator", "graph_labels", "node_labels", "edge_labels", "node_attributes"];

/// A folder, and what the names of its files begin with.
pub(super) struct Folder {
    folder: PathBuf,
    name: String,
}

/// A file of the folder, line by line.
struct File {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Folder {
    /// The folder that `path` is or lies in; none where it is another file.
    pub(super) fn of(path: &Path) -> Result<Option<Self>> {
        if !path.is_dir() {
            let (Some(folder), Some(name)) = (path.parent(), prefix(path, &PARTS)) else { return Ok(None) };
            return Ok(Some(Self { folder: folder.to_owned(), name }));
        }
        let failed = |source| Error::io(path, source);
        let mut names = Vec::new();
        for entry in fs::read_dir(path).map_err(failed)? {
            names.extend(prefix(&entry.map_err(failed)?.path(), &PARTS));
        }
        names.sort_unstable();
        names.dedup();
        let name = match &names[..] {
            [] => folder_name(path),
            [name] => name.clone(),
            [first, second, ..] => {
                let [first, second] = [first, second].map(|name| name.as_str().into());
                return Err(ErrorKind::Data(DataProblem::TwoDataSets { first, second }).into());
            }
        };
        Ok(Some(Self { folder: path.to_owned(), name }))
    }

    /// Reads graphs and, where there are, their labels.
    pub(super) fn read(
        &self,
        labelled: bool,
        options: &ReadOptions,
    ) -> Result<(Vec<Graph>, Option<LabelColumn>)> {
        let label_file = match (labelled, &options.label) {
            (true, None) => self.optional("graph_labels")?,
            (true, Some(_)) => Some(self.required("graph_labels")?),
            (false, _) => None,
        };
        let labels = label_file.as_ref().map(|file| graph_labels(file, options)).transpose()?;
        let expected = labels.as_ref().map(LabelColumn::len);
        let indicator = self.required("graph_indicator")?;
        let owners = owners(&indicator, expected)?;
        let graphs = expected.unwrap_or_else(|| owners.iter().max().map_or(0, |&last| last as usize + 1));
        let mut builder = Builder::new(graphs, owners);
        if let Some(empty) = builder.parts.iter().position(|parts| parts.nodes == 0) {
            let (file, line) = match &label_file {
                Some(file) => (file, empty + 1),
                None => (&indicator, builder.owners.len()),
            };
            return Err(file.flaw(line, 1, other(NO_NODES)));
        }
        if let Some(file) = self.optional("node_labels")? {
            builder.node_labels(&file)?;
        }
        if let Some(file) = self.optional("node_attributes")? {
            builder.attributes(&file)?;
        }
        builder.edges(&self.required(EDGES)?, self.optional("edge_labels")?.as_ref())?;
        Ok((builder.finish()?, labels))
    }

    fn required(&self, part: &str) -> Result<File> {
        let plain = self.folder.join(format!("{}_{part}.txt", self.name));
        match self.optional(part)? {
            Some(file) => Ok(file),
            None => {
                let missing = io::Error::new(io::ErrorKind::NotFound, "no such file, plain or compressed");
                Err(Error::io(plain, missing))
            }
        }
    }

    fn optional(&self, part: &str) -> Result<Option<File>> {
        let path = |ending: &str| self.folder.join(format!("{}_{part}.txt{ending}", self.name));
        let Some(path) = ["", ".gz", ".zst"].map(path).into_iter().find(|path| path.exists()) else {
            return Ok(None);
        };
        let (mut input, mut bytes) = (Input::open(&path)?, Vec::new());
        if let Err(source) = input.read_to_end(&mut bytes) {
            return Err(input.failure(source));
        }
        Ok(Some(File { path, bytes }))
    }
}

fn folder_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// `DS` of `DS_A.txt.gz`.
fn prefix(path: &Path, parts: &[&str]) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    let stem = plain.strip_suffix(".txt")?;
    parts.iter().find_map(|part| stem.strip_suffix(part)?.strip_suffix('_')).map(str::to_owned)
}

impl File {
    fn flaw(&self, line: usize, column: usize, problem: ParseProblem) -> Error {
        Error::parse(&self.path, line as u64, column as u64, problem)
    }

    /// The lines that are not blank, with their numbers from 1 and without the white space around them.
    fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let lines = self.bytes.split(|&byte| byte == b'\n').enumerate();
        lines.filter_map(|(line, all)| {
            let before = all.len() - all.trim_ascii_start().len();
            let text = all.trim_ascii();
            (!text.is_empty()).then_some(Line { number: line + 1, column: before + 1, text })
        })
    }

    /// Exactly `count` lines.
    fn exactly(&self, count: usize) -> Result<Vec<Line<'_>>> {
        let lines: Vec<_> = self.lines().collect();
        if let Some(more) = lines.get(count) {
            return Err(self.flaw(more.number, 1, other(format!("more than {count} lines"))));
        }
        if lines.len() < count {
            let end = lines.last().map_or(1, |line| line.number + 1);
            let flaw = other(format!("the file ends after {} of {count} lines", lines.len()));
            return Err(self.flaw(end, 1, flaw));
        }
        Ok(lines)
    }
}

/// A line of a file: its number, where its text begins, and the text.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    column: usize,
    text: &'a [u8],
}

impl<'a> Line<'a> {
    /// What stands between commas, each with its column.
    fn fields(self) -> impl Iterator<Item = (usize, &'a [u8])> {
        let mut at = self.column;
        self.text.split(|&byte| byte == b',').map(move |field| {
            let column = at + field.len() - field.trim_ascii_start().len();
            at += field.len() + 1;
            (column, field.trim_ascii())
        })
    }
}

fn whole(text: &[u8]) -> Result<usize, ParseProblem> {
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| other(format!("not a whole number: '{}'", String::from_utf8_lossy(text))))
}

fn graph_labels(file: &File, options: &ReadOptions) -> Result<LabelColumn> {
    let mut labels = ColumnBuilder::default();
    for line in file.lines() {
        let pushed = match options.targets {
            true => number::whole(line.text).map(|value| labels.push_number(value)),
            false => labels.push(line.text),
        };
        pushed.map_err(|problem| file.flaw(line.number, line.column, problem))?;
    }
    Ok(labels.finish())
}

/// The graph of each node, from 0.
fn owners(file: &File, graphs: Option<usize>) -> Result<Vec<u32>> {
    let lines: Vec<_> = file.lines().collect();
    // Every graph has a node, so that there are no more graphs than nodes.
    let most = graphs.unwrap_or(lines.len());
    let mut owners = Vec::with_capacity(lines.len());
    for line in lines {
        let flaw = |problem| file.flaw(line.number, line.column, problem);
        let graph = whole(line.text).map_err(flaw)?;
        if graph == 0 || graph > most || graph > u32::MAX as usize {
            let range = graphs.map_or_else(String::new, |graphs| format!(" to {graphs}"));
            return Err(flaw(other(format!("graph {graph}; graphs count from 1{range}"))));
        }
        owners.push(graph as u32 - 1);
    }
    Ok(owners)
}

/// The graphs that are being read.
struct Builder {
    parts: Vec<GraphParts>,
    /// The graph of each node.
    owners: Vec<u32>,
    /// The number of each node within its graph.
    places: Vec<u32>,
    /// Labels of nodes and edges, each text once.
    names: std::collections::HashMap<Box<str>, Arc<str>>,
}

impl Builder {
    fn new(graphs: usize, owners: Vec<u32>) -> Self {
        let mut parts = vec![GraphParts::default(); graphs];
        let place = |&owner: &u32| {
            let nodes = &mut parts[owner as usize].nodes;
            *nodes += 1;
            *nodes as u32 - 1
        };
        let places = owners.iter().map(place).collect();
        Self { parts, owners, places, names: Default::default() }
    }

    fn name(&mut self, text: &[u8]) -> Result<Arc<str>, ParseProblem> {
        let text = std::str::from_utf8(text).map_err(|_| ParseProblem::NotText)?;
        if let Some(name) = self.names.get(text) {
            return Ok(name.clone());
        }
        let name: Arc<str> = text.into();
        self.names.insert(text.into(), name.clone());
        Ok(name)
    }

    fn node_labels(&mut self, file: &File) -> Result<()> {
        self.parts.iter_mut().for_each(|parts| parts.labels = Some(vec!["".into(); parts.nodes]));
        for (node, line) in file.exactly(self.owners.len())?.into_iter().enumerate() {
            let name =
                self.name(line.text).map_err(|problem| file.flaw(line.number, line.column, problem))?;
            if let Some(labels) = &mut self.parts[self.owners[node] as usize].labels {
                labels[self.places[node] as usize] = name;
            }
        }
        Ok(())
    }

    fn attributes(&mut self, file: &File) -> Result<()> {
        // The first flaw of a line is told before that the file is too short.
        let mut rows = Vec::new();
        for line in file.lines() {
            let value = |(column, text)| {
                number::whole(text).map_err(|problem| file.flaw(line.number, column, problem))
            };
            let row: Vec<f64> = line.fields().map(value).collect::<Result<_>>()?;
            let expected = rows.first().map_or(row.len(), Vec::len);
            if row.len() != expected {
                let ragged = ParseProblem::Ragged { found: row.len(), expected };
                return Err(file.flaw(line.number, 1, ragged));
            }
            rows.push(row);
        }
        file.exactly(self.owners.len())?;
        let width = rows.first().map_or(0, Vec::len);
        let mut values: Vec<Vec<f64>> =
            self.parts.iter().map(|parts| vec![0.0; parts.nodes * width]).collect();
        for ((row, &owner), &place) in rows.iter().zip(&self.owners).zip(&self.places) {
            values[owner as usize][place as usize * width..][..width].copy_from_slice(row);
        }
        for (parts, values) in self.parts.iter_mut().zip(values) {
            parts.attributes = Some(Dense::new(width, values));
        }
        Ok(())
    }

    /// The node of a field, from 0.
    fn node(&self, text: &[u8]) -> Result<usize, ParseProblem> {
        let (node, nodes) = (whole(text)?, self.owners.len());
        let rule = || other(format!("node {node}; nodes count from 1 to {nodes}"));
        node.checked_sub(1).filter(|&node| node < nodes).ok_or_else(rule)
    }

    fn edges(&mut self, file: &File, labels: Option<&File>) -> Result<()> {
        let lines: Vec<_> = file.lines().collect();
        let label_lines = labels.map(|labels| labels.exactly(lines.len())).transpose()?;
        // Both nodes, the smaller first, then whether they were given so, and the position of the line.
        let mut listed: Vec<(u32, u32, bool, u32)> = Vec::with_capacity(lines.len());
        for (at, line) in lines.iter().enumerate() {
            let two = || file.flaw(line.number, 1, other("an edge must be two nodes, i, j"));
            let mut fields = line.fields();
            let (Some(a), Some(b), None) = (fields.next(), fields.next(), fields.next()) else {
                return Err(two());
            };
            let node = |(column, text): (usize, &[u8])| {
                self.node(text).map_err(|problem| file.flaw(line.number, column, problem))
            };
            let (a, b) = (node(a)?, node(b)?);
            let flaw = |text: String| file.flaw(line.number, 1, other(text));
            if a == b {
                return Err(flaw("an edge from a node to itself; a graph has no self-loops".into()));
            }
            let (from, to) = (self.owners[a], self.owners[b]);
            if from != to {
                return Err(flaw(format!("an edge from graph {} to graph {}", from + 1, to + 1)));
            }
            listed.push((a.min(b) as u32, a.max(b) as u32, a < b, at as u32));
        }
        listed.sort_unstable();
        self.pairs(&listed, file, &lines, labels.zip(label_lines.as_deref()))
    }

    /// Gives each graph its edges, once both directions of each have been found.
    fn pairs(
        &mut self,
        listed: &[(u32, u32, bool, u32)],
        file: &File,
        lines: &[Line<'_>],
        labels: Option<(&File, &[Line<'_>])>,
    ) -> Result<()> {
        let mut flaws: Vec<(u32, Error)> = Vec::new();
        for same in listed.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let (a, b, forward, at) = same[0];
            if same.iter().all(|edge| edge.2 == forward) {
                let (a, b) = if forward { (a, b) } else { (b, a) };
                let rule = "in one direction only; both directions must be listed";
                let text = format!("the edge {}, {} {rule}", a + 1, b + 1);
                flaws.push((at, file.flaw(lines[at as usize].number, 1, other(text))));
                continue;
            }
            let parts = &mut self.parts[self.owners[a as usize] as usize];
            parts.edges.push((self.places[a as usize] as usize, self.places[b as usize] as usize));
            if let Some((label_file, labels)) = labels {
                let label = |edge: &(u32, u32, bool, u32)| labels[edge.3 as usize];
                let first =
                    same.iter().map(label).min_by_key(|label| label.number).expect("an edge was listed");
                if let Some(other_one) = same.iter().map(label).find(|label| label.text != first.text) {
                    let text = format!("the same edge as in line {} with another label", first.number);
                    let flaw = label_file.flaw(other_one.number, other_one.column, other(text));
                    flaws.push((other_one.number as u32, flaw));
                }
                let name = self.name(first.text);
                let name = name.map_err(|flaw| label_file.flaw(first.number, first.column, flaw))?;
                let parts = &mut self.parts[self.owners[a as usize] as usize];
                parts.edge_labels.get_or_insert_default().push(name);
            }
        }
        match flaws.into_iter().min_by_key(|(at, _)| *at) {
            Some((_, flaw)) => Err(flaw),
            None => Ok(()),
        }
    }

    fn finish(self) -> Result<Vec<Graph>> {
        self.parts.iter().map(|parts| Ok(Graph::build(parts)?)).collect()
    }
}
