//! Kernels on graphs.
//!
//! A point is a [`Graph`](crate::data::Graph): undirected, with labels and attributes where it has them; `Vec<Graph>` is the space of graphs.
//! Most kernels here count the parts of two graphs and add up products of counts: nodes and edges by label, neighbourhoods that
//! grow round by round (Weisfeiler–Lehman), shortest paths, graphlets. Random walks are counted without end, by eigenvalues or
//! by linear equations. The algebra is that of every space: what compares graphs of different sizes wants
//! `normalized(wl(h=5))`.
//!
//! A graph without nodes has k = 0 with all graphs. No label matches no label and nothing else; an
//! empty label is none.
//!
//! ```
//! use mercer::data::{Graph, GraphParts};
//! use mercer::kernel::{GraphExpr, Kernel, vertices, wl};
//!
//! let kernel: GraphExpr = "wl(h=1) + 0.5*vertices".parse()?;
//! assert_eq!(kernel, wl(1) + 0.5 * vertices());
//! // Two triangles, of three carbons and of two and a nitrogen.
//! let triangle = |labels: [&str; 3]| {
//!     let (edges, labels) = (vec![(0, 1), (1, 2), (2, 0)], Some(labels.map(Into::into).to_vec()));
//!     Graph::new(GraphParts { nodes: 3, edges, labels, ..GraphParts::default() })
//! };
//! let graphs = vec![triangle(["C", "C", "C"])?, triangle(["C", "C", "N"])?];
//! let mut row = [0.0; 2];
//! wl(1).bind(&graphs)?.rows_f64(&graphs, &[0], &mut [&mut row]);
//! // Round 0: C three times, and C twice. Round 1: C with two C, three times and never.
//! assert_eq!(row, [9.0 + 9.0, 6.0]);
//! # Ok::<(), mercer::Error>(())
//! ```

mod counts;
#[cfg(test)]
mod definition;
mod graphlet;
mod histogram;
mod leaf;
mod path;
mod product_graph;
mod propagation;
#[cfg(test)]
mod tests;
mod vocabulary;
mod walk;
mod wl;

pub use leaf::{
    GraphExpr, GraphLeaf, MAX_ROUNDS, MAX_SAMPLES, MAX_WINDOW, PathLengths, edges, graphlet, path,
    path_within, propagation, vertices, walk, wl, wl_over,
};
pub use walk::{WalkKind, WalkLabels};
pub use wl::WlBase;
