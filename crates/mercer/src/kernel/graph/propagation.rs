//! Propagation of attributes.
//!
//! The attributes X of the nodes (a row a node) are spread along the edges, $X_0 = X$ and $X_{t+1} = D⁻¹A X_t$: each node takes the
//! mean of its neighbours, one without neighbours keeps what it has. In each round the space of attributes is cut into
//! cells by a random direction $v_t$ (standard normal) and offset $b_t$ (uniform in [0, w)), $c_t(x) = ⌊(v_tᵀx + b_t)/w⌋$, and
//!
//! $k(G, H) = Σ_{t=0}^{h} Σ_{a,c} count_{t,a,c}(G) · count_{t,a,c}(H)$ over labels a and cells c of nodes,
//!
//! an inner product of counts. Two nodes share a cell with a probability that falls with the distance of their attributes
//! relative to the width w (Datar et al. 2004): k is a randomised sum of a kernel of distances over all pairs of nodes. The
//! draws depend on the seed alone, so that all graphs, also later ones, see the same cells. An attribute that a graph does not
//! have counts as 0.
//!
//! Of the kernels for attributes this one is taken because its features are explicit: time grows with nodes and edges, a pair of
//! graphs costs a sparse product, and a prediction needs no search over pairs of nodes. GraphHopper has an exact kernel
//! between attributes instead of cells, at the price of comparing the nodes of each pair of graphs, O(n²·d) a pair.
//!
//! Cost: O(h·m·d) for d attributes, and one key for each node and round.
//!
//! M. Neumann, R. Garnett, C. Bauckhage, K. Kersting (2016): Propagation kernels, efficient graph kernels from propagated
//! information.

use super::counts::{Parts, Tally};
use super::vocabulary::{CELL, Numbers};
use crate::data::{Graph, SplitMix};

/// Labels and cells of nodes in rounds 0 to `rounds`.
pub(super) struct Cells {
    pub(super) rounds: u32,
    pub(super) width: f64,
    pub(super) seed: u32,
}

impl Cells {
    /// b and v of a round, v for `attributes` attributes.
    pub(super) fn cut(&self, round: u32, attributes: usize) -> (f64, Vec<f64>) {
        let mut random = SplitMix(u64::from(self.seed) << 32 | u64::from(round));
        // The seeds of rounds are neighbours; the first draw parts them.
        random = SplitMix(random.next());
        let offset = random.uniform() * self.width;
        let normal =
            |_| (-2.0 * random.uniform().ln()).sqrt() * (std::f64::consts::TAU * random.uniform()).cos();
        (offset, (0..attributes).map(normal).collect())
    }
}

impl Parts for Cells {
    fn count(&self, graph: &Graph, numbers: &mut impl Numbers, tally: &mut Tally) {
        let labels = numbers.labels(graph.label_codes(), graph.nodes());
        let width = graph.attributes().columns();
        let mut values = graph.attributes().values().to_vec();
        for round in 0..=self.rounds {
            let (offset, direction) = self.cut(round, width);
            for (node, &label) in labels.iter().enumerate() {
                let row = &values[node * width..(node + 1) * width];
                let along: f64 = row.iter().zip(&direction).map(|(x, v)| x * v).sum();
                // Its bits number the cell: an integer would not hold those of very small widths.
                let cell = (((along + offset) / self.width).floor() + 0.0).to_bits();
                let key = [CELL, round, label, cell as u32, (cell >> 32) as u32];
                tally.add(numbers.number(&key), 1.0);
            }
            if round < self.rounds {
                values = spread(graph, width, &values);
            }
        }
    }
}

/// The mean of the neighbours of each node.
fn spread(graph: &Graph, width: usize, values: &[f64]) -> Vec<f64> {
    let mut means = values.to_vec();
    for node in 0..graph.nodes() {
        let neighbours = graph.neighbours(node);
        let mean = &mut means[node * width..(node + 1) * width];
        if neighbours.is_empty() {
            continue;
        }
        mean.fill(0.0);
        for &other in neighbours {
            let row = &values[other as usize * width..][..width];
            mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        mean.iter_mut().for_each(|sum| *sum /= neighbours.len() as f64);
    }
    means
}
