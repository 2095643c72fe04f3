//! Undirected graphs with labels and attributes.
//!
//! A graph has nodes 0, 1, … and edges between two different nodes, at most one between the same two. Nodes and edges may
//! have a label, any text (the empty one says that there is none), and nodes a list of numbers, their attributes. Edges are stored in compressed rows: the neighbours of
//! each node, ascending, so that each edge stands there twice. Of labels the different texts are kept once, in the order of
//! the alphabet, with one number for each node: equal graphs are equal part by part.
//!
//! A graph without nodes is a point as others are; every kernel is 0 between it and any graph.
//!
//! Memory: 4 bytes a node, 8 an edge; with labels 4 bytes more a node, 8 an edge. A copy shares the memory.
//!
//! ```
//! use mercer::data::{Graph, GraphParts};
//!
//! // Water: two bonds from the oxygen.
//! let labels = ["O", "H", "H"].map(Into::into).to_vec();
//! let edges = vec![(0, 1), (0, 2)];
//! let water = Graph::new(GraphParts { nodes: 3, edges, labels: Some(labels), ..GraphParts::default() })?;
//! assert_eq!(water.neighbours(0), [1, 2]);
//! assert_eq!(water.label(1), Some("H"));
//!
//! let flawed = Graph::new(GraphParts { nodes: 2, edges: vec![(0, 1), (1, 1)], ..GraphParts::default() });
//! let message = "a graph: edge 2: from node 1 to itself; a graph has no self-loops";
//! assert_eq!(flawed.unwrap_err().to_string(), message);
//! # Ok::<(), mercer::Error>(())
//! ```

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::Dense;
use super::points::hash_number;
use crate::error::{GraphProblem, Result};

/// What a graph is made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GraphParts {
    /// How many nodes.
    pub nodes: usize,
    /// Pairs of nodes, which count from 0. A pair given again, in either direction, is the same edge.
    pub edges: Vec<(usize, usize)>,
    /// A label for each node.
    pub labels: Option<Vec<Arc<str>>>,
    /// A label for each entry of `edges`.
    pub edge_labels: Option<Vec<Arc<str>>>,
    /// Attributes of each node, a row a node.
    pub attributes: Option<Dense<f64>>,
}

/// An undirected graph without self-loops. A copy shares the memory.
#[derive(Clone)]
pub struct Graph(Arc<Parts>);

#[derive(PartialEq)]
struct Parts {
    /// Where the neighbours of each node begin.
    start: Box<[u32]>,
    /// The neighbours of each node, ascending.
    neighbour: Box<[u32]>,
    /// A label for each node.
    labels: Option<LabelCodes>,
    /// A label for each entry of `neighbour`.
    edge_labels: Option<LabelCodes>,
    /// Rows of attributes; without columns where there are none.
    attributes: Dense<f64>,
}

impl Hash for Graph {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let parts = &*self.0;
        (&parts.start, &parts.neighbour, &parts.labels, &parts.edge_labels).hash(hasher);
        parts.attributes.columns().hash(hasher);
        parts.attributes.values().iter().for_each(|&value| hash_number(value, hasher));
    }
}

/// A list of labels by number.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LabelCodes {
    /// The different labels, ascending.
    pub(crate) names: Box<[Arc<str>]>,
    /// For each entry of the list, the position of its label in `names`.
    pub(crate) codes: Box<[u32]>,
}

impl LabelCodes {
    /// The labels of a list; none where all are empty.
    fn new(labels: &[Arc<str>]) -> Option<Self> {
        if labels.iter().all(|label| label.is_empty()) {
            return None;
        }
        let mut names = labels.to_vec();
        names.sort_unstable();
        names.dedup();
        let code = |label| names.binary_search(label).expect("every label is among the names") as u32;
        let codes = labels.iter().map(code).collect();
        Some(Self { codes, names: names.into() })
    }
}

/// An edge in one direction: from, to, and its position in the list that was given.
type Directed = (u32, u32, u32);

impl Graph {
    /// Checks the parts and puts them together. O(edges · log edges).
    ///
    /// # Errors
    /// An edge to a node that is not there, or to the node where it began; an edge given again with another label; labels or
    /// attributes of another number than nodes or edges; an attribute that is not finite.
    pub fn new(parts: GraphParts) -> Result<Self> {
        Ok(Self::build(&parts)?)
    }

    /// Makes a graph as [`Graph::new`] does; the error alone.
    pub(crate) fn build(parts: &GraphParts) -> Result<Self, GraphProblem> {
        let (nodes, edges) = (parts.nodes, parts.edges.len());
        if nodes >= u32::MAX as usize || edges >= (u32::MAX / 2) as usize {
            return Err(GraphProblem::TooLarge);
        }
        if let Some(found) = parts.labels.as_ref().map(Vec::len).filter(|&found| found != nodes) {
            return Err(GraphProblem::NodeLabels { found, nodes });
        }
        if let Some(found) = parts.edge_labels.as_ref().map(Vec::len).filter(|&found| found != edges) {
            return Err(GraphProblem::EdgeLabels { found, edges });
        }
        let both = both_directions(nodes, &parts.edges)?;
        let (start, kept) = rows(nodes, &both, parts.edge_labels.as_deref())?;
        let labels = |of: &Option<Vec<Arc<str>>>| of.as_deref().and_then(LabelCodes::new);
        let kept_labels: Option<Vec<Arc<str>>> = parts
            .edge_labels
            .as_ref()
            .map(|labels| kept.iter().map(|&(_, _, given)| labels[given as usize].clone()).collect());
        Ok(Self(Arc::new(Parts {
            start,
            neighbour: kept.iter().map(|&(_, to, _)| to).collect(),
            labels: labels(&parts.labels),
            edge_labels: labels(&kept_labels),
            attributes: attributes(nodes, parts.attributes.as_ref())?,
        })))
    }

    /// An order of graphs by what they are made of, nodes numbered as they are: only equal ones are equal.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let (a, b) = (&*self.0, &*other.0);
        let parts = |p: &Parts| (p.start.len(), p.neighbour.len());
        parts(a)
            .cmp(&parts(b))
            .then_with(|| (&a.start, &a.neighbour).cmp(&(&b.start, &b.neighbour)))
            .then_with(|| (&a.labels, &a.edge_labels).cmp(&(&b.labels, &b.edge_labels)))
            .then_with(|| a.attributes.columns().cmp(&b.attributes.columns()))
            // Attributes are finite.
            .then_with(|| a.attributes.values().partial_cmp(b.attributes.values()).unwrap_or(Ordering::Equal))
    }

    /// How many nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.0.start.len() - 1
    }

    /// How many edges.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.0.neighbour.len() / 2
    }

    /// The neighbours of a node, ascending.
    ///
    /// # Panics
    /// If there is no such node.
    #[must_use]
    pub fn neighbours(&self, node: usize) -> &[u32] {
        &self.0.neighbour[self.row(node)]
    }

    /// The label of a node, where nodes have labels; empty of one without.
    ///
    /// # Panics
    /// If nodes have labels and there is no such node.
    #[must_use]
    pub fn label(&self, node: usize) -> Option<&str> {
        self.0.labels.as_ref().map(|labels| &*labels.names[labels.codes[node] as usize])
    }

    /// The labels of the edges to the neighbours of a node, in the order of [`Graph::neighbours`]; nothing where edges
    /// have no labels.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn edge_labels(&self, node: usize) -> impl Iterator<Item = &str> {
        let row = self.row(node);
        let labels = self.0.edge_labels.iter();
        labels.flat_map(move |labels| {
            labels.codes[row.clone()].iter().map(|&code| &*labels.names[code as usize])
        })
    }

    /// The attributes of the nodes, a row a node; without columns where there are none.
    #[must_use]
    pub fn attributes(&self) -> &Dense<f64> {
        &self.0.attributes
    }

    /// Where the neighbours of a node lie in the list of all.
    pub(crate) fn row(&self, node: usize) -> std::ops::Range<usize> {
        self.0.start[node] as usize..self.0.start[node + 1] as usize
    }

    /// The labels of the nodes by number.
    pub(crate) fn label_codes(&self) -> Option<&LabelCodes> {
        self.0.labels.as_ref()
    }

    /// The labels of the entries of all rows of neighbours by number.
    pub(crate) fn edge_label_codes(&self) -> Option<&LabelCodes> {
        self.0.edge_labels.as_ref()
    }
}

/// The edges in both directions, ascending by nodes, then by position.
fn both_directions(nodes: usize, edges: &[(usize, usize)]) -> Result<Vec<Directed>, GraphProblem> {
    let mut both = Vec::with_capacity(2 * edges.len());
    for (given, &(a, b)) in edges.iter().enumerate() {
        let edge = given + 1;
        if let Some(node) = [a, b].into_iter().find(|&node| node >= nodes) {
            return Err(GraphProblem::NoNode { edge, node, nodes });
        }
        if a == b {
            return Err(GraphProblem::SelfLoop { edge, node: a });
        }
        let (a, b, given) = (a as u32, b as u32, given as u32);
        both.extend([(a, b, given), (b, a, given)]);
    }
    both.sort_unstable();
    Ok(both)
}

/// The starts of the rows, and the edges without those given again.
fn rows(
    nodes: usize,
    both: &[Directed],
    labels: Option<&[Arc<str>]>,
) -> Result<(Box<[u32]>, Vec<Directed>), GraphProblem> {
    let mut start = vec![0_u32; nodes + 1];
    let mut kept: Vec<Directed> = Vec::with_capacity(both.len());
    let mut contradiction: Option<(u32, u32)> = None;
    for same in both.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (first, others) = (same[0], &same[1..]);
        if let Some(labels) = labels {
            let label = |given: u32| &labels[given as usize];
            let other = others.iter().find(|other| label(other.2) != label(first.2));
            // The first flaw in the order of the list is the one to tell of.
            if let Some(&(_, _, other)) = other
                && contradiction.is_none_or(|(found, _)| other < found)
            {
                contradiction = Some((other, first.2));
            }
        }
        start[first.0 as usize + 1] += 1;
        kept.push(first);
    }
    if let Some((edge, before)) = contradiction {
        return Err(GraphProblem::TwoLabels { edge: edge as usize + 1, before: before as usize + 1 });
    }
    (0..nodes).for_each(|node| start[node + 1] += start[node]);
    Ok((start.into(), kept))
}

fn attributes(nodes: usize, given: Option<&Dense<f64>>) -> Result<Dense<f64>, GraphProblem> {
    let Some(rows) = given.filter(|rows| rows.columns() > 0) else {
        return Ok(Dense::new(0, Vec::new()));
    };
    if rows.len() != nodes {
        return Err(GraphProblem::Attributes { found: rows.len(), nodes });
    }
    match rows.values().iter().position(|value| !value.is_finite()) {
        Some(at) => {
            Err(GraphProblem::NotFinite { node: at / rows.columns(), attribute: at % rows.columns() + 1 })
        }
        None if nodes == 0 => Ok(Dense::new(0, Vec::new())),
        None => Ok(rows.clone()),
    }
}

impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edge = |node: usize| self.neighbours(node).iter().map(move |&other| (node, other as usize));
        let edges: Vec<_> = (0..self.nodes()).flat_map(edge).filter(|(a, b)| a < b).collect();
        let labels: Vec<_> = (0..self.nodes()).filter_map(|node| self.label(node)).collect();
        let mut shown = f.debug_struct("Graph");
        shown.field("nodes", &self.nodes()).field("edges", &edges).field("labels", &labels);
        shown.field("edge_labels", &self.0.edge_labels).field("attributes", &self.0.attributes).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(labels: &[&str]) -> Option<Vec<Arc<str>>> {
        Some(labels.iter().map(|&label| label.into()).collect())
    }

    fn refused(parts: GraphParts) -> String {
        Graph::new(parts).unwrap_err().to_string()
    }

    #[test]
    fn an_edge_given_twice_is_one_edge() {
        let plain = |edges: &[(usize, usize)]| {
            Graph::new(GraphParts { nodes: 4, edges: edges.to_vec(), ..GraphParts::default() }).unwrap()
        };
        let graph = plain(&[(2, 0), (0, 1), (1, 0), (2, 0)]);
        assert_eq!((graph.nodes(), graph.edges()), (4, 2));
        assert_eq!(
            [0, 1, 2, 3].map(|node| graph.neighbours(node).to_vec()),
            [vec![1, 2], vec![0], vec![0], vec![]]
        );
        assert_eq!(graph, plain(&[(0, 1), (0, 2)]));
        assert_ne!(graph, plain(&[(0, 1), (1, 2)]));
    }

    #[test]
    fn labels_are_those_given() {
        let parts = GraphParts {
            nodes: 3,
            edges: vec![(2, 1), (0, 1), (1, 2)],
            labels: texts(&["N", "C", "N"]),
            edge_labels: texts(&["double", "single", "double"]),
            attributes: Some(Dense::new(2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])),
        };
        let graph = Graph::new(parts.clone()).unwrap();
        assert_eq!([0, 1, 2].map(|node| graph.label(node)), [Some("N"), Some("C"), Some("N")]);
        assert_eq!(graph.edge_labels(1).collect::<Vec<_>>(), ["single", "double"]);
        assert_eq!(graph.attributes().row(1), [3.0, 4.0]);
        let other = GraphParts { edge_labels: texts(&["double", "single", "single"]), ..parts };
        let message = "a graph: edge 3: the same as edge 1 with another label; an edge has one label";
        assert_eq!(refused(other), message);
    }

    #[test]
    fn what_makes_no_graph_is_refused_with_rule_and_place() {
        let parts = |edges: &[(usize, usize)]| GraphParts {
            nodes: 2,
            edges: edges.to_vec(),
            ..GraphParts::default()
        };
        let outside = "a graph: edge 2: node 2 of a graph with 2 nodes; nodes count from 0";
        assert_eq!(refused(parts(&[(0, 1), (2, 0)])), outside);
        let loops = "a graph: edge 1: from node 1 to itself; a graph has no self-loops";
        assert_eq!(refused(parts(&[(1, 1)])), loops);
        let few = GraphParts { labels: texts(&["C"]), ..parts(&[]) };
        assert_eq!(refused(few), "a graph: 1 labels for 2 nodes");
        let many = GraphParts { edge_labels: texts(&["a", "b"]), ..parts(&[(0, 1)]) };
        assert_eq!(refused(many), "a graph: 2 labels for 1 edges");
        let attributes =
            |values: Vec<f64>| GraphParts { attributes: Some(Dense::new(2, values)), ..parts(&[]) };
        assert_eq!(refused(attributes(vec![1.0; 6])), "a graph: 3 lists of attributes for 2 nodes");
        let nan = attributes(vec![1.0, 2.0, 3.0, f64::NAN]);
        assert_eq!(refused(nan), "a graph: attribute 2 of node 1: not a finite number");
        assert!(refused(GraphParts { nodes: usize::MAX, ..GraphParts::default() }).contains("2³²"));
    }

    #[test]
    fn a_graph_may_have_no_nodes() {
        let empty = Graph::new(GraphParts { labels: Some(Vec::new()), ..GraphParts::default() }).unwrap();
        assert_eq!((empty.nodes(), empty.edges()), (0, 0));
        assert_eq!(empty, Graph::new(GraphParts::default()).unwrap());
    }
}
