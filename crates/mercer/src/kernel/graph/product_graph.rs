//! Walks in the product of two labelled graphs, without the product: steps $X ← M ∘ Σ_e A_e X A'_e$ on a matrix with a row for each
//! node of one graph and a column for each node of the other.
//!
//! Nodes are sorted by label, so that the pairs with one label are rectangles, and the rest of the matrix is never touched. Cost of a
//! step: for each node and each neighbour of it with the edge label e, one addition of the part of a row.

use std::ops::Range;

use super::vocabulary::Numbers;
use super::walk::WalkLabels;
use crate::data::Graph;

/// A graph whose nodes and edges are labelled by numbers.
pub(super) struct Labelled {
    nodes: usize,
    /// The label of each node; the same for all where they do not count. Nodes are in ascending order of label.
    labels: Vec<u32>,
    /// For each label of edges the neighbours along such edges, in compressed rows.
    by_edge: Vec<(u32, Rows)>,
}

struct Rows {
    start: Vec<u32>,
    neighbour: Vec<u32>,
}

impl Rows {
    fn row(&self, node: usize) -> &[u32] {
        &self.neighbour[self.start[node] as usize..self.start[node + 1] as usize]
    }
}

impl Labelled {
    pub(super) fn new(graph: &Graph, which: WalkLabels, numbers: &mut impl Numbers) -> Self {
        let nodes = graph.nodes();
        let node_labels = matches!(which, WalkLabels::Nodes | WalkLabels::Both).then(|| graph.label_codes());
        let edge_labels =
            matches!(which, WalkLabels::Edges | WalkLabels::Both).then(|| graph.edge_label_codes());
        let labels = numbers.labels(node_labels.flatten(), nodes);
        let edges = numbers.labels(edge_labels.flatten(), 2 * graph.edges());
        let mut order: Vec<usize> = (0..nodes).collect();
        order.sort_by_key(|&node| labels[node]);
        let mut place = vec![0_u32; nodes];
        order.iter().enumerate().for_each(|(at, &node)| place[node] = at as u32);
        let mut different = edges.clone();
        different.sort_unstable();
        different.dedup();
        let rows = |&label: &u32| {
            let (mut start, mut neighbour) = (vec![0], Vec::new());
            for &node in &order {
                let all = graph.neighbours(node).iter().zip(&edges[graph.row(node)]);
                neighbour
                    .extend(all.filter(|(_, edge)| **edge == label).map(|(&other, _)| place[other as usize]));
                start.push(neighbour.len() as u32);
            }
            (label, Rows { start, neighbour })
        };
        let by_edge = different.iter().map(rows).collect();
        Self { nodes, labels: order.iter().map(|&node| labels[node]).collect(), by_edge }
    }

    /// Where the nodes with a label are.
    fn with_label(&self, label: u32) -> Range<usize> {
        self.labels.partition_point(|&other| other < label)
            ..self.labels.partition_point(|&other| other <= label)
    }
}

/// Steps that conjugate gradients may take beyond twice the number of unknowns; without rounding that number is enough.
const FEW: usize = 10;

/// Terms of the exponential series, at most: a sum that takes more is beyond all numbers.
const MOST_TERMS: usize = 10_000;

/// The error of a sum, relative to it.
const ACCURACY: f64 = 1e-15;

/// The pairs of a node of the first graph with the nodes of the second that have its label.
#[derive(Clone)]
struct Block {
    /// Where the pairs begin in a vector over all pairs.
    start: usize,
    /// The nodes of the second graph.
    nodes: Range<usize>,
}

impl Block {
    fn pairs(&self) -> Range<usize> {
        self.start..self.start + self.nodes.len()
    }
}

/// Room for steps in the product of two graphs. Vectors have an entry for each pair of nodes with one label.
#[derive(Default)]
pub(super) struct Steps {
    /// The pairs of each node of the first graph.
    blocks: Vec<Block>,
    /// Σ over neighbours in the first graph, for each node of the second.
    half: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
}

impl Steps {
    /// Finds the pairs of nodes of two graphs with one label, and sets the residual and the direction to ones.
    pub(super) fn pair(&mut self, x: &Labelled, y: &Labelled) {
        self.blocks.clear();
        let (mut start, mut nodes, mut known) = (0, 0..0, None);
        for &label in &x.labels {
            if known != Some(label) {
                (known, nodes) = (Some(label), y.with_label(label));
            }
            self.blocks.push(Block { start, nodes: nodes.clone() });
            start += nodes.len();
        }
        for (room, value) in [(&mut self.residual, 1.0), (&mut self.direction, 1.0), (&mut self.image, 0.0)] {
            room.clear();
            room.resize(start, value);
        }
        self.half.resize(y.nodes.max(self.half.len()), 0.0);
    }

    /// `to` = W `from`.
    fn step(
        blocks: &[Block],
        half: &mut [f64],
        (x, y): (&Labelled, &Labelled),
        from: &[f64],
        to: &mut [f64],
    ) {
        to.fill(0.0);
        let half = &mut half[..y.nodes];
        for (label, rows) in &x.by_edge {
            let Some((_, columns)) = y.by_edge.iter().find(|(other, _)| other == label) else { continue };
            for (i, block) in blocks.iter().enumerate().filter(|(_, block)| !block.nodes.is_empty()) {
                half.fill(0.0);
                for &u in rows.row(i) {
                    let other = &blocks[u as usize];
                    let sums = &mut half[other.nodes.clone()];
                    sums.iter_mut().zip(&from[other.pairs()]).for_each(|(sum, value)| *sum += value);
                }
                for (j, entry) in block.nodes.clone().zip(&mut to[block.pairs()]) {
                    *entry += columns.row(j).iter().map(|&v| half[v as usize]).sum::<f64>();
                }
            }
        }
    }

    /// 1ᵀ(I − λW)⁻¹1 by conjugate gradients; no eigenvalue of the matrix is below `room`.
    pub(super) fn geometric(&mut self, x: &Labelled, y: &Labelled, lambda: f64, room: f64) -> f64 {
        let Self { blocks, half, residual, direction, image } = self;
        let (mut square, mut sum) = (residual.len() as f64, 0.0);
        for _ in 0..2 * residual.len() + FEW {
            if square <= ACCURACY * room * sum || square == 0.0 {
                break;
            }
            Self::step(blocks, half, (x, y), direction, image);
            image.iter_mut().zip(&*direction).for_each(|(image, value)| *image = value - lambda * *image);
            let curvature: f64 = dot(direction, image);
            if curvature <= 0.0 {
                break;
            }
            let length = square / curvature;
            residual.iter_mut().zip(&*image).for_each(|(r, image)| *r -= length * image);
            // The right side is 1, so that 1ᵀx is the energy of x, and each step adds ‖r‖⁴/(dᵀAd) to it: x itself is not needed.
            sum += length * square;
            let next = dot(residual, residual);
            let ratio = next / square;
            direction.iter_mut().zip(&*residual).for_each(|(d, r)| *d = r + ratio * *d);
            square = next;
        }
        sum
    }

    /// 1ᵀexp(λW)1 by its series.
    pub(super) fn exponential(&mut self, x: &Labelled, y: &Labelled, lambda: f64) -> f64 {
        let Self { blocks, half, residual: power, image: next, .. } = self;
        let mut sum = power.len() as f64;
        // power = λᵃWᵃ1/√(2a)!, so that its square is the term of order 2a.
        for order in 1..MOST_TERMS {
            let even = 2.0 * order as f64;
            Self::step(blocks, half, (x, y), power, next);
            let odd_term = dot(power, next) * lambda / (even - 1.0);
            let scale = lambda / (even * (even - 1.0)).sqrt();
            next.iter_mut().for_each(|value| *value *= scale);
            std::mem::swap(power, next);
            let even_term = dot(power, power);
            sum += odd_term + even_term;
            if odd_term + even_term <= ACCURACY * sum || !sum.is_finite() {
                break;
            }
        }
        sum
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
