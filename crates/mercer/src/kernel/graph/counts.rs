//! Graphs as counts of their parts: the feature map of all kernels that compare graphs part by part,
//!
//! $k(G, H) = Σ_f count_f(G) · count_f(H)$ over all parts f that graphs can have,
//!
//! an inner product, and so positive semi-definite. A part that no column has matches nothing; it counts in k(G, G), and two such
//! parts of one graph are told apart.
//!
//! Cost: finding the parts, then a sort of the different ones of each graph.

use rayon::prelude::*;

use super::vocabulary::{Beyond, Numbers, Vocabulary};
use crate::data::Graph;
use crate::error::Result;
use crate::kernel::features::{Features, Learnt, Rows, Store, sparse};

/// A way to take a graph apart.
pub(super) trait Parts: Send + Sync + 'static {
    /// Adds the parts of a graph to `tally`.
    fn count(&self, graph: &Graph, numbers: &mut impl Numbers, tally: &mut Tally);
}

/// The parts of one graph after another and how often each occurs.
#[derive(Default)]
pub(super) struct Tally {
    /// How often each part occurs, by number; zeros between graphs.
    counts: Vec<f64>,
    /// The parts with a count.
    met: Vec<u32>,
    /// Room for a key.
    pub(super) key: Vec<u32>,
    /// Room for the numbers of nodes, and for those of a next round.
    pub(super) numbers: [Vec<u32>; 2],
    /// Room for a search from a node.
    pub(super) search: super::path::Search,
}

impl Tally {
    /// Counts a part `times` more often.
    pub(super) fn add(&mut self, part: u32, times: f64) {
        let at = part as usize;
        if at >= self.counts.len() {
            self.counts.resize((at + 1).next_power_of_two(), 0.0);
        }
        if self.counts[at] == 0.0 {
            self.met.push(part);
        }
        self.counts[at] += times;
    }

    /// Appends the counts of a graph as a row over the first `known` features, and returns Σ count² over all. What is left is an
    /// empty tally.
    fn take(&mut self, known: usize, row: &mut Vec<(u32, f64)>) -> f64 {
        self.met.sort_unstable();
        let mut square = 0.0;
        for &part in &self.met {
            let count = std::mem::take(&mut self.counts[part as usize]);
            square += count * count;
            if (part as usize) < known && count != 0.0 {
                row.push((part, count));
            }
        }
        self.met.clear();
        square
    }
}

/// Counts of parts as explicit features.
pub(super) struct Counts<P>(pub(super) P);

impl<P: Parts> Features for Counts<P> {
    type Point = Graph;
    type Known = Vocabulary;

    fn learn(&self, columns: &[Graph]) -> Result<(Vocabulary, Learnt)> {
        let (mut known, mut tally) = (Vocabulary::default(), Tally::default());
        let (mut rows, mut row, mut squares) = (Store::default(), Vec::new(), Vec::new());
        for graph in columns {
            self.0.count(graph, &mut known, &mut tally);
            row.clear();
            squares.push(tally.take(usize::MAX, &mut row));
            rows.push(&mut row);
        }
        let known = known.checked()?;
        let (features, known_bytes) = (known.len(), known.bytes());
        Ok((known, Learnt { rows, features, squares, weights: None, known_bytes }))
    }

    fn rows(&self, known: &Vocabulary, points: &[&Graph]) -> Rows {
        let found = points.par_iter().map_init(Tally::default, |tally, graph| {
            let mut row = Vec::new();
            self.0.count(graph, &mut Beyond::new(known), tally);
            let square = tally.take(known.len(), &mut row);
            (row, square)
        });
        let (rows, squares) = found.unzip();
        Rows { known: sparse(known.len(), rows), squares }
    }
}
