//! Shortest paths.
//!
//! $k(G, H) = Σ_{paths of G} Σ_{paths of H} [\text{the same labels at the ends}] · k_{length}(d, d')$, over the pairs of
//! different nodes that a path joins, each pair once. The length d of a shortest path is its number of edges; pairs without
//! a path are left out. Two lengths are compared by $[d = d']$ (`delta`), or by $\max(0, c − |d − d'|)$ (`brownian`).
//!
//! For whole c the second one is an inner product too: give a path of length d the marks d, d + 1, …, d + c − 1. Two paths then
//! share $\max(0, c − |d − d'|)$ marks. So both kernels are inner products of counts of (label, label, mark).
//!
//! Cost: a search in breadth from each node, O(n·(n + m)) for n nodes and m edges, and one key for each pair and mark.
//!
//! K. M. Borgwardt, H.-P. Kriegel (2005): Shortest-path kernels on graphs.

use super::counts::{Parts, Tally};
use super::vocabulary::{Numbers, PATH};
use crate::data::Graph;

/// Shortest paths by the labels at their ends and their marks.
pub(super) struct Paths {
    /// Marks of a path: 1 where only equal lengths match, else c.
    pub(super) marks: u32,
}

impl Parts for Paths {
    fn count(&self, graph: &Graph, numbers: &mut impl Numbers, tally: &mut Tally) {
        let labels = numbers.labels(graph.label_codes(), graph.nodes());
        count_paths(graph, &labels, self.marks, numbers, tally);
    }
}

/// Marks a node that the search has not reached.
const UNREACHED: u32 = u32::MAX;

/// Room for a search in breadth.
#[derive(Default)]
pub(super) struct Search {
    distance: Vec<u32>,
    queue: Vec<u32>,
}

impl Search {
    /// Finds the distances from `root` and lists the nodes that it reaches, the nearest first.
    fn run(&mut self, graph: &Graph, root: usize) {
        self.queue.iter().for_each(|&node| self.distance[node as usize] = UNREACHED);
        self.queue.clear();
        self.distance.resize(graph.nodes().max(self.distance.len()), UNREACHED);
        self.distance[root] = 0;
        self.queue.push(root as u32);
        let mut next = 0;
        while next < self.queue.len() {
            let node = self.queue[next] as usize;
            next += 1;
            let further = self.distance[node] + 1;
            for &other in graph.neighbours(node) {
                if self.distance[other as usize] == UNREACHED {
                    self.distance[other as usize] = further;
                    self.queue.push(other);
                }
            }
        }
    }
}

/// Counts the shortest paths of a graph whose nodes have these labels.
pub(super) fn count_paths(
    graph: &Graph,
    labels: &[u32],
    marks: u32,
    numbers: &mut impl Numbers,
    tally: &mut Tally,
) {
    let mut search = std::mem::take(&mut tally.search);
    for root in 0..graph.nodes() {
        search.run(graph, root);
        for &node in &search.queue {
            let other = node as usize;
            if other <= root {
                continue;
            }
            let (a, b) = (labels[root].min(labels[other]), labels[root].max(labels[other]));
            let distance = search.distance[other];
            for mark in distance..distance.saturating_add(marks) {
                tally.add(numbers.number(&[PATH, a, b, mark]), 1.0);
            }
        }
    }
    tally.search = search;
}
