//! Graphs as tensors.
//!
//! `graphs.start` says where the nodes of each graph begin, `graphs.degrees` how many neighbours each node has, and
//! `graphs.neighbours` which, counted within the graph. Labels are numbers of texts: `graphs.labels` of nodes and
//! `graphs.edge_labels` of entries of `graphs.neighbours`, 0 where there is no label, else the number of the text from 1. The texts
//! are those of `graphs.names`. Attributes are in `graphs.attributes`, `graphs.widths` of them for each node of a graph.
//!
//! Each node takes bytes of the file, so that no file can promise more nodes than it has.

use std::collections::HashMap;
use std::sync::Arc;

use super::container::{Flaw, Reader, Writer};
use super::points::{read_texts, write_texts};
use crate::data::{Dense, Graph, GraphParts};

/// Numbers of labels, from 1.
#[derive(Default)]
struct Names {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Names {
    fn number(&mut self, label: &str) -> u32 {
        if let Some(&number) = self.numbers.get(label) {
            return number;
        }
        self.texts.push(label.to_owned());
        let number = self.texts.len() as u32;
        self.numbers.insert(label.to_owned(), number);
        number
    }
}

/// Writes graphs, `prefix` before all names.
pub(in crate::model) fn write_graphs(prefix: &str, graphs: &[Graph], writer: &mut Writer) {
    let name = |part: &str| format!("{prefix}graphs.{part}");
    let (mut names, mut labels, mut edge_labels) = (Names::default(), Vec::new(), Vec::new());
    let (mut degrees, mut neighbours, mut attributes) = (Vec::new(), Vec::new(), Vec::new());
    for graph in graphs {
        for node in 0..graph.nodes() {
            let row = graph.neighbours(node);
            degrees.push(row.len() as u32);
            neighbours.extend_from_slice(row);
            labels.push(graph.label(node).map_or(0, |label| names.number(label)));
            edge_labels.extend(graph.edge_labels(node).map(|label| names.number(label)));
            edge_labels.resize(neighbours.len(), 0);
        }
        attributes.extend_from_slice(graph.attributes().values());
    }
    writer.starts(&name("start"), graphs.iter().map(Graph::nodes));
    writer.tensor(&name("degrees"), &[degrees.len()], degrees);
    writer.tensor(&name("neighbours"), &[neighbours.len()], neighbours);
    writer.tensor(&name("labels"), &[labels.len()], labels);
    writer.tensor(&name("edge_labels"), &[edge_labels.len()], edge_labels);
    let widths: Vec<usize> = graphs.iter().map(|graph| graph.attributes().columns()).collect();
    writer.counts(&name("widths"), &widths);
    writer.list(&name("attributes"), &attributes);
    write_texts(&name("names."), &names.texts, writer);
}

/// Reads graphs, `prefix` before all names.
pub(in crate::model) fn read_graphs(prefix: &str, reader: &mut Reader<'_>) -> Result<Vec<Graph>, Flaw> {
    let name = |part: &str| format!("{prefix}graphs.{part}");
    let degrees: Vec<u32> = reader.list(&name("degrees"))?;
    let flaw = "the starts of graphs must ascend from 0 to the number of nodes";
    let start = reader.starts(&name("start"), degrees.len(), flaw)?;
    let neighbours: Vec<u32> = reader.list(&name("neighbours"))?;
    let (labels, edge_labels) = (reader.list(&name("labels"))?, reader.list(&name("edge_labels"))?);
    let (widths, attributes) = (reader.counts(&name("widths"))?, reader.list(&name("attributes"))?);
    let names = read_texts(&name("names."), reader)?.into_iter().map(Arc::from).collect();
    if widths.len() + 1 != start.len() {
        return Err("not one width of attributes for each graph".into());
    }
    let mut file =
        File { degrees, neighbours, labels, edge_labels, names, attributes, taken: Taken::default() };
    if file.labels.len() != file.degrees.len() || file.edge_labels.len() != file.neighbours.len() {
        return Err("not one label for each node and each neighbour of graphs".into());
    }
    let nodes = start.windows(2).map(|ends| ends[1] - ends[0]);
    let graphs =
        nodes.zip(widths).map(|(nodes, width)| file.graph(nodes, width)).collect::<Result<_, _>>()?;
    if file.taken.neighbours != file.neighbours.len() || file.taken.attributes != file.attributes.len() {
        return Err("neighbours or attributes that belong to no graph".into());
    }
    Ok(graphs)
}

/// The tensors of all graphs, and how much of them the graphs so far have taken.
struct File {
    degrees: Vec<u32>,
    neighbours: Vec<u32>,
    labels: Vec<u32>,
    edge_labels: Vec<u32>,
    names: Vec<Arc<str>>,
    attributes: Vec<f64>,
    taken: Taken,
}

#[derive(Default)]
struct Taken {
    nodes: usize,
    neighbours: usize,
    attributes: usize,
}

impl File {
    /// Labels by number: of all entries or of none.
    fn labels(&self, numbers: &[u32]) -> Result<Option<Vec<Arc<str>>>, Flaw> {
        if numbers.iter().all(|&number| number == 0) {
            return Ok(None);
        }
        let label =
            |&number: &u32| (number as usize).checked_sub(1).and_then(|at| self.names.get(at)).cloned();
        let labels: Option<Vec<_>> = numbers.iter().map(label).collect();
        labels.map(Some).ok_or_else(|| "a label of a graph that is not among the names, or is missing".into())
    }

    /// The next graph.
    fn graph(&mut self, nodes: usize, width: usize) -> Result<Graph, Flaw> {
        let node = self.taken.nodes..self.taken.nodes + nodes;
        let degrees = &self.degrees[node.clone()];
        let length: usize = degrees.iter().map(|&degree| degree as usize).sum();
        let entry = self.taken.neighbours..self.taken.neighbours + length;
        let neighbours =
            self.neighbours.get(entry.clone()).ok_or("fewer neighbours than the degrees of nodes")?;
        let (all, mut edges, mut kept) = (&self.edge_labels[entry.clone()], Vec::new(), Vec::new());
        let from =
            degrees.iter().enumerate().flat_map(|(a, &degree)| std::iter::repeat_n(a, degree as usize));
        for ((a, &b), &label) in from.zip(neighbours).zip(all).filter(|((a, b), _)| *a < **b as usize) {
            edges.push((a, b as usize));
            kept.push(label);
        }
        if nodes == 0 && width > 0 {
            return Err("attributes of a graph without nodes".into());
        }
        let count = nodes.checked_mul(width).ok_or("attributes of graphs without end")?;
        let value = self.taken.attributes..self.taken.attributes.saturating_add(count);
        let values =
            self.attributes.get(value.clone()).ok_or("fewer attributes than nodes of graphs have")?;
        let parts = GraphParts {
            nodes,
            edges,
            labels: self.labels(&self.labels[node.clone()])?,
            edge_labels: self.labels(&kept)?,
            attributes: (count > 0).then(|| Dense::new(width, values.to_vec())),
        };
        let graph = Graph::build(&parts).map_err(|problem| format!("a graph: {problem}"))?;
        let same = |a: usize| graph.neighbours(a) == &neighbours[graph.row(a)];
        let labels = self.labels(all)?;
        let labelled = match &labels {
            None => graph.edge_label_codes().is_none(),
            Some(labels) => {
                (0..nodes).flat_map(|a| graph.edge_labels(a)).eq(labels.iter().map(|label| &**label))
            }
        };
        if graph.edges() * 2 != length || !(0..nodes).all(same) || !labelled {
            return Err("the neighbours of a node must ascend, and each edge stand in both directions".into());
        }
        self.taken = Taken { nodes: node.end, neighbours: entry.end, attributes: value.end };
        Ok(graph)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<Graph> {
        let labels = |texts: &[&str]| Some(texts.iter().map(|&text| text.into()).collect());
        let cycle = GraphParts {
            nodes: 3,
            edges: vec![(0, 1), (1, 2), (2, 0)],
            labels: labels(&["C", "N", ""]),
            edge_labels: labels(&["single", "double", "single"]),
            attributes: Some(Dense::new(1, vec![0.5, -1.0, 2.0])),
        };
        let plain = GraphParts { nodes: 2, edges: vec![(0, 1)], ..GraphParts::default() };
        let single = GraphParts { nodes: 1, labels: labels(&["N"]), ..GraphParts::default() };
        [cycle, GraphParts::default(), plain, single].map(|parts| Graph::new(parts).unwrap()).into()
    }

    fn read(writer: Writer) -> Result<Vec<Graph>, Flaw> {
        let bytes = writer.finish()?;
        let mut reader = Reader::open(&bytes)?;
        reader.verify()?;
        let graphs = read_graphs("p.", &mut reader)?;
        reader.finish()?;
        Ok(graphs)
    }

    #[test]
    fn what_is_written_is_read() {
        for graphs in [sample(), Vec::new()] {
            let mut writer = Writer::default();
            write_graphs("p.", &graphs, &mut writer);
            assert_eq!(read(writer).unwrap(), graphs);
        }
    }

    #[test]
    fn hostile_numbers_are_refused() {
        let changed = |part: &str, values: &[u32], message: &str| {
            let mut writer = Writer::default();
            write_graphs("p.", &sample(), &mut writer);
            writer.tensor(&format!("p.graphs.{part}"), &[values.len()], values.iter().copied());
            let flaw = read(writer).unwrap_err();
            assert!(flaw.contains(message), "{part}: {flaw}");
        };
        changed("degrees", &[2, 2, 2, 1, 1, 7], "fewer neighbours than");
        changed("degrees", &[2, 2, 2, 1, 1, u32::MAX], "fewer neighbours than");
        changed("degrees", &[2, 2, 2, 1, 0, 0], "in both directions");
        changed("degrees", &[2, 2, 2, 0, 0, 0], "belong to no graph");
        changed("neighbours", &[1, 2, 0, 2, 0, 1, 1, 0, 9], "not one label for each node");
        changed("neighbours", &[1, 9, 0, 2, 0, 1, 1, 0], "node 9 of a graph with 3 nodes");
        changed("neighbours", &[2, 1, 0, 2, 0, 1, 1, 0], "in both directions");
        changed("neighbours", &[1, 2, 1, 2, 0, 1, 1, 0], "in both directions");
        changed("labels", &[1, 2, 3, 0, 0, 99], "a label of a graph");
        changed("labels", &[1, 0, 3, 0, 0, 2], "a label of a graph");
        changed("labels", &[1, 0, 3], "not one label for each node");
        changed("edge_labels", &[4, 4, 5, 5, 4, 4, 0, 0], "in both directions");
        let sized = |part: &str, values: &[usize], message: &str| {
            let mut writer = Writer::default();
            write_graphs("p.", &sample(), &mut writer);
            writer.counts(&format!("p.graphs.{part}"), values);
            let flaw = read(writer).unwrap_err();
            assert!(flaw.contains(message), "{part}: {flaw}");
        };
        sized("start", &[0, 3, 3, 5, 7], "must ascend from 0");
        sized("widths", &[1, 0, 0], "not one width");
        sized("widths", &[usize::MAX, 0, 0, 0], "without end");
        sized("widths", &[2, 0, 0, 0], "fewer attributes");
        sized("widths", &[0, 0, 0, 0], "belong to no graph");
        sized("widths", &[1, 5, 0, 0], "without nodes");
    }
}
