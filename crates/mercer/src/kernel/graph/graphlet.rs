//! Graphlets: the connected induced subgraphs with k = 3, 4 or 5 nodes, up to isomorphism and without labels.
//!
//! $k(G, H) = Σ_t count_t(G) · count_t(H)$ over the 2, 6 or 21 connected graphs t with k nodes: an inner product. These are the
//! connected graphlets of Shervashidze et al.; sets of k nodes that are not connected are not counted. A graph with
//! fewer than k nodes has none, and k = 0 with all graphs.
//!
//! Exactly: every connected set of k nodes is visited once (Wernicke's ESU), O(n·Δ^(k−1)) for degrees up to Δ. The nodes outside
//! the set know by a mask which of its members they are joined to, so that the edges of a set cost nothing to find, and a table
//! has the isomorphism class of each of the $2^{k(k−1)/2}$ sets of edges.
//!
//! By samples: m sets of k nodes are drawn, each of the N = n choose k equally likely, and
//! $count_t ≈ N · (\text{samples that are } t)/m$. With a types, the sets that are not connected being one more,
//!
//! $m ≥ 2 (a \ln 2 + \ln(1/δ)) / ε²$ gives $Σ_t |estimate_t − count_t| ≤ ε·N$ with probability 1 − δ
//!
//! (Weissman's inequality, as Shervashidze et al. use it): for k = 5 and ε = δ = 0.05 that is m = 14,596. A graph with no more than
//! m sets is counted exactly. A graph has the same samples wherever it stands; they do depend on the order of its nodes.
//!
//! N. Shervashidze, S. V. N. Vishwanathan, T. Petri, K. Mehlhorn, K. M. Borgwardt (2009): Efficient graphlet kernels for
//! large graph comparison. S. Wernicke (2006): Efficient detection of network motifs.

use std::sync::OnceLock;

use super::counts::{Parts, Tally};
use super::vocabulary::{GRAPHLET, Numbers};
use crate::data::{Graph, SplitMix};

/// The most nodes of a graphlet.
const MOST: usize = 5;

/// Graphlets of `size` nodes, counted exactly or, with `samples`, estimated.
pub(super) struct Graphlets {
    pub(super) size: u32,
    /// How many sets of nodes are drawn; 0 for all.
    pub(super) samples: u32,
    pub(super) seed: u32,
}

impl Parts for Graphlets {
    fn count(&self, graph: &Graph, numbers: &mut impl Numbers, tally: &mut Tally) {
        let size = self.size as usize;
        let mut counts = vec![0_u64; 1 << pairs(size)];
        let sets = choose(graph.nodes(), size);
        let scale = if self.samples == 0 || sets <= f64::from(self.samples) {
            Enumeration::new(graph, size).run(&mut counts);
            1.0
        } else {
            self.sample(graph, &mut counts);
            sets / f64::from(self.samples)
        };
        let classes = classes(size);
        for (edges, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            if let Some(class) = classes[edges] {
                tally.add(numbers.number(&[GRAPHLET, self.size, class]), scale * count as f64);
            }
        }
    }
}

impl Graphlets {
    /// Draws sets of nodes and counts them by their edges.
    fn sample(&self, graph: &Graph, counts: &mut [u64]) {
        let (size, nodes) = (self.size as usize, graph.nodes());
        let mut random = SplitMix(u64::from(self.seed));
        for _ in 0..self.samples {
            let mut set = [0_usize; MOST];
            let mut drawn = 0;
            while drawn < size {
                let node = (random.uniform() * nodes as f64) as usize;
                if node < nodes && !set[..drawn].contains(&node) {
                    set[drawn] = node;
                    drawn += 1;
                }
            }
            let mut edges = 0;
            for b in 1..size {
                for a in 0..b {
                    if graph.neighbours(set[a]).binary_search(&(set[b] as u32)).is_ok() {
                        edges |= 1 << (pairs(b) + a);
                    }
                }
            }
            counts[edges] += 1;
        }
    }
}

/// b(b − 1)/2: the pairs of b nodes, and the position of the first pair of node b with an earlier one.
fn pairs(b: usize) -> usize {
    b * b.saturating_sub(1) / 2
}

/// n choose k.
fn choose(n: usize, k: usize) -> f64 {
    if n < k { 0.0 } else { (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product::<f64>().round() }
}

/// For each set of edges between `size` nodes the smallest one isomorphic to it; none where it is not connected.
fn classes(size: usize) -> &'static [Option<u32>] {
    static TABLES: [OnceLock<Vec<Option<u32>>>; MOST + 1] = [const { OnceLock::new() }; MOST + 1];
    TABLES[size].get_or_init(|| {
        let orders = orders(size);
        let class = |edges: u32| {
            let renamed = |order: &Vec<usize>| {
                let mut all = 0;
                for b in 1..size {
                    for a in (0..b).filter(|a| edges >> (pairs(b) + a) & 1 == 1) {
                        let (x, y) = (order[a].min(order[b]), order[a].max(order[b]));
                        all |= 1 << (pairs(y) + x);
                    }
                }
                all
            };
            is_connected(size, edges).then(|| orders.iter().map(renamed).min().unwrap_or(edges))
        };
        (0..1_u32 << pairs(size)).map(class).collect()
    })
}

/// All orders of the numbers below `size`.
fn orders(size: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for last in 0..size {
        let inserted = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=last).map(move |at| {
                let mut longer = order.clone();
                longer.insert(at, last);
                longer
            })
        };
        all = all.iter().flat_map(inserted).collect();
    }
    all
}

fn is_connected(size: usize, edges: u32) -> bool {
    let joined = |a: usize, b: usize| a != b && edges >> (pairs(a.max(b)) + a.min(b)) & 1 == 1;
    let mut reached = 1_u32;
    for _ in 1..size {
        for b in 0..size {
            let met = (0..size).any(|a| reached >> a & 1 == 1 && joined(a, b));
            reached |= u32::from(met) << b;
        }
    }
    reached == (1 << size) - 1
}

/// The visit of all connected sets of nodes.
struct Enumeration<'a> {
    graph: &'a Graph,
    size: usize,
    /// For each node the members of the set that it is joined to, as bits.
    joined: Vec<u32>,
}

impl<'a> Enumeration<'a> {
    fn new(graph: &'a Graph, size: usize) -> Self {
        Self { graph, size, joined: vec![0; graph.nodes()] }
    }

    fn run(&mut self, counts: &mut [u64]) {
        if self.graph.nodes() < self.size {
            return;
        }
        let mut candidates = Vec::new();
        for root in 0..self.graph.nodes() {
            self.mark(root, 0);
            candidates.clear();
            candidates.extend(self.graph.neighbours(root).iter().filter(|&&node| node as usize > root));
            self.extend(root, 1, 0, &candidates, counts);
            self.unmark(root, 0);
        }
    }

    fn mark(&mut self, node: usize, member: usize) {
        self.graph.neighbours(node).iter().for_each(|&other| self.joined[other as usize] |= 1 << member);
    }

    fn unmark(&mut self, node: usize, member: usize) {
        self.graph.neighbours(node).iter().for_each(|&other| self.joined[other as usize] &= !(1 << member));
    }

    /// Adds each candidate to a set of `members` nodes with these edges. A candidate is a neighbour of the set; once it was
    /// tried, no later set has it. Neighbours of a new member join the candidates if they come after the root and are no
    /// neighbours of the set before: so each set is met in one order only.
    fn extend(&mut self, root: usize, members: usize, edges: usize, candidates: &[u32], counts: &mut [u64]) {
        if members + 1 == self.size {
            for &node in candidates {
                counts[edges | (self.joined[node as usize] as usize) << pairs(members)] += 1;
            }
            return;
        }
        for (at, &node) in candidates.iter().enumerate() {
            let node = node as usize;
            let mut next = candidates[at + 1..].to_vec();
            let new = |&&other: &&u32| other as usize > root && self.joined[other as usize] == 0;
            next.extend(self.graph.neighbours(node).iter().filter(new));
            let edges = edges | (self.joined[node] as usize) << pairs(members);
            self.mark(node, members);
            self.extend(root, members + 1, edges, &next, counts);
            self.unmark(node, members);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_2_6_and_21_connected_graphs() {
        for (size, expected) in [(3, 2), (4, 6), (5, 21)] {
            let mut found: Vec<u32> = classes(size).iter().flatten().copied().collect();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), expected);
        }
        assert_eq!(orders(5).len(), 120);
        assert_eq!((choose(28, 5), choose(4, 5), choose(5, 5)), (98_280.0, 0.0, 1.0));
    }

    #[test]
    fn the_number_of_samples_is_that_of_the_bound() {
        let (a, epsilon, delta) = (21.0 + 1.0, 0.05_f64, 0.05_f64);
        let samples = 2.0 * (a * 2_f64.ln() + (1.0 / delta).ln()) / (epsilon * epsilon);
        assert_eq!(samples.ceil(), 14_596.0);
    }
}
