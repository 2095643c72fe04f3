//! Edges by their labels.
//!
//! $k(G, H) = Σ_{a ≤ b, e} count_{a,b,e}(G) · count_{a,b,e}(H)$ over the labels a, b of two nodes that an edge with the label e
//! joins. Cost: one key for each edge.
//!
//! M. Sugiyama, K. M. Borgwardt (2015): Halting in random walk kernels.

use super::counts::{Parts, Tally};
use super::vocabulary::{EDGE, Numbers};
use crate::data::Graph;

/// Edges by the labels of their ends and their own.
pub(super) struct LabelledEdges;

impl Parts for LabelledEdges {
    fn count(&self, graph: &Graph, numbers: &mut impl Numbers, tally: &mut Tally) {
        let labels = numbers.labels(graph.label_codes(), graph.nodes());
        let edge_labels = numbers.labels(graph.edge_label_codes(), 2 * graph.edges());
        for node in 0..graph.nodes() {
            for (&other, &label) in graph.neighbours(node).iter().zip(&edge_labels[graph.row(node)]) {
                if other as usize > node {
                    let (a, b) = (labels[node], labels[other as usize]);
                    tally.add(numbers.number(&[EDGE, a.min(b), a.max(b), label]), 1.0);
                }
            }
        }
    }
}
