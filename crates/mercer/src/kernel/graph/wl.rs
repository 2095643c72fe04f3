//! Weisfeiler–Lehman kernels.
//!
//! The labels of nodes are refined in rounds. In round 0 a node has its own label; in round i its label says its label of round
//! i − 1 and the labels that its neighbours had there, as a multiset: nodes have the same label in round i if the trees
//! of walks of length i from them look the same. With a kernel $k_b$ on labelled graphs,
//!
//! $k(G, H) = Σ_{i=0}^{h} k_b(G_i, H_i)$, $G_i$ the graph with the labels of round i.
//!
//! The base kernels are inner products of counts: of labels (`subtree`), of edges by the labels of their ends (`edge`), of
//! shortest paths by the labels of their ends and their length (`path`). So is k, over the parts of all rounds; no label belongs
//! to two rounds, as it begins with one of the round before. Edge labels are not looked at. A graph without labels has the same
//! label at all nodes.
//!
//! Cost: O(h·m) to refine, with a sort of each neighbourhood; for `path` also h + 1 searches from each node.
//!
//! N. Shervashidze, P. Schweitzer, E. J. van Leeuwen, K. Mehlhorn, K. M. Borgwardt (2011): Weisfeiler–Lehman graph kernels.

use super::counts::{Parts, Tally};
use super::path::count_paths;
use super::vocabulary::{EDGE, NODE, Numbers};
use crate::data::Graph;

/// The kernel whose values Weisfeiler–Lehman kernels add up over the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WlBase {
    /// Counts of labels: the subtree kernel.
    Subtree,
    /// Counts of edges by the labels of their ends.
    Edge,
    /// Counts of shortest paths by the labels of their ends and their length.
    Path,
}

/// The parts of a graph with the labels of rounds 0 to `rounds`.
pub(super) struct Refined {
    pub(super) rounds: u32,
    pub(super) base: WlBase,
}

impl Parts for Refined {
    fn count(&self, graph: &Graph, numbers: &mut impl Numbers, tally: &mut Tally) {
        let [mut labels, mut refined] = std::mem::take(&mut tally.numbers);
        labels.clear();
        let own = numbers.labels(graph.label_codes(), graph.nodes());
        labels.extend(own.iter().map(|&label| numbers.number(&[NODE, label])));
        self.count_round(graph, &labels, numbers, tally);
        let mut key = std::mem::take(&mut tally.key);
        for _ in 0..self.rounds {
            refined.clear();
            for node in 0..graph.nodes() {
                key.clear();
                key.push(labels[node]);
                key.extend(graph.neighbours(node).iter().map(|&other| labels[other as usize]));
                key[1..].sort_unstable();
                refined.push(numbers.number(&key));
            }
            std::mem::swap(&mut labels, &mut refined);
            self.count_round(graph, &labels, numbers, tally);
        }
        (tally.key, tally.numbers) = (key, [labels, refined]);
    }
}

impl Refined {
    fn count_round(&self, graph: &Graph, labels: &[u32], numbers: &mut impl Numbers, tally: &mut Tally) {
        match self.base {
            WlBase::Subtree => labels.iter().for_each(|&label| tally.add(label, 1.0)),
            WlBase::Edge => {
                for node in 0..graph.nodes() {
                    for &other in graph.neighbours(node).iter().filter(|&&other| other as usize > node) {
                        let (a, b) = (labels[node], labels[other as usize]);
                        tally.add(numbers.number(&[EDGE, a.min(b), a.max(b)]), 1.0);
                    }
                }
            }
            WlBase::Path => count_paths(graph, labels, 1, numbers, tally),
        }
    }
}
