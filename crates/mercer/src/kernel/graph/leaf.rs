//! The kernels on graphs as leaves of an expression.

use std::fmt;

use super::counts::Counts;
use super::graphlet::Graphlets;
use super::histogram::LabelledEdges;
use super::path::Paths;
use super::propagation::Cells;
use super::walk::{WalkKind, WalkLabels, Walks};
use super::wl::{Refined, WlBase};
use crate::data::Graph;
use crate::error::Result;
use crate::kernel::facts::{Facts, Stated};
use crate::kernel::field::Field;
use crate::kernel::{Bound, Call, Definiteness, Expr, Leaf, Listed, Slot, facts, features};

/// The most rounds of a Weisfeiler–Lehman kernel.
pub const MAX_ROUNDS: u32 = 100;

/// The widest window in which two lengths of paths are similar.
pub const MAX_WINDOW: u32 = 100;

/// The most samples of a graphlet kernel.
pub const MAX_SAMPLES: u32 = 1_000_000_000;

/// A kernel expression on graphs. Its text has the grammar of every expression, described at
/// [`VectorExpr`](super::super::VectorExpr), without feature maps; the kernels are listed at [`GraphLeaf`].
///
/// ```
/// use mercer::kernel::{GraphExpr, wl};
///
/// let kernel: GraphExpr = "normalized(wl(h=4))".parse()?;
/// assert_eq!(kernel, wl(4).normalized());
/// # Ok::<(), mercer::Error>(())
/// ```
pub type GraphExpr = Expr<GraphLeaf>;

/// How the lengths of two paths are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathLengths {
    /// 1 where they are equal, else 0.
    Delta,
    /// max(0, c − |d − d'|)
    Brownian,
}

/// The kernels on graphs. The text given with each shows its parameters with their defaults.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum GraphLeaf {
    /// Σ count(a in G) · count(a in H) over the labels a of nodes. Text: `vertices`.
    Vertices,
    /// Σ count(t in G) · count(t in H) over the kinds t of edges: the labels of both ends and of the edge. Text: `edges`.
    Edges,
    /// Σ kᵦ(Gᵢ, Hᵢ) over the rounds i = 0 … h of Weisfeiler–Lehman. Text: `wl(h=5, base=subtree)`.
    Wl {
        /// h, from 0 to [`MAX_ROUNDS`]
        h: u32,
        /// kᵦ
        base: WlBase,
    },
    /// Σ \[same labels\] · kₗ(d, d') over the shortest paths of G and H, of length d and d'. Text: `path(lengths=delta, c=3)`.
    Path {
        /// kₗ
        lengths: PathLengths,
        /// c of `brownian`, from 1 to [`MAX_WINDOW`]
        c: u32,
    },
    /// Σ count(t in G) · count(t in H) over the connected graphs t with k nodes, as induced subgraphs. Text:
    /// `graphlet(k=3, samples=0, seed=0)`.
    Graphlet {
        /// k, from 3 to 5
        k: u32,
        /// Sets of nodes drawn from each graph, up to [`MAX_SAMPLES`]; 0 counts all.
        samples: u32,
        /// The seed of the draws.
        seed: u32,
    },
    /// Σ λˡ · (common walks of length l), or Σ λˡ/l! · (common walks of length l). Text:
    /// `walk(lambda=0.01, kind=geometric, labels=no)`.
    Walk {
        /// λ > 0; for `geometric` below 1/ρ² of each graph, ρ its largest eigenvalue
        lambda: f64,
        /// The weights of the lengths.
        kind: WalkKind,
        /// The labels that must agree.
        labels: WalkLabels,
    },
    /// Σ count(f in G) · count(f in H) over label and cell f of nodes whose attributes are spread along edges 0 … h times. Text:
    /// `propagation(h=3, width=1, seed=0)`.
    Propagation {
        /// h, from 0 to [`MAX_ROUNDS`]
        h: u32,
        /// The width of a cell, > 0
        width: f64,
        /// The seed of the directions in which cells are cut.
        seed: u32,
    },
}

/// Σ count(a in G) · count(a in H) over the labels a of nodes.
#[must_use]
pub fn vertices() -> GraphExpr {
    Expr::Leaf(GraphLeaf::Vertices)
}

/// Σ count(t in G) · count(t in H) over the kinds t of edges: the labels of both ends and of the edge.
#[must_use]
pub fn edges() -> GraphExpr {
    Expr::Leaf(GraphLeaf::Edges)
}

/// The Weisfeiler–Lehman subtree kernel of `h` rounds.
#[must_use]
pub fn wl(h: u32) -> GraphExpr {
    wl_over(WlBase::Subtree, h)
}

/// The Weisfeiler–Lehman kernel of `h` rounds over a base kernel.
#[must_use]
pub fn wl_over(base: WlBase, h: u32) -> GraphExpr {
    Expr::Leaf(GraphLeaf::Wl { h, base })
}

/// The shortest path kernel, for equal lengths.
#[must_use]
pub fn path() -> GraphExpr {
    Expr::Leaf(GraphLeaf::Path { lengths: PathLengths::Delta, c: DEFAULT_WINDOW })
}

/// The shortest path kernel with max(0, c − |d − d'|) between lengths.
#[must_use]
pub fn path_within(c: u32) -> GraphExpr {
    Expr::Leaf(GraphLeaf::Path { lengths: PathLengths::Brownian, c })
}

/// The exact graphlet kernel of connected subgraphs with `k` nodes.
#[must_use]
pub fn graphlet(k: u32) -> GraphExpr {
    Expr::Leaf(GraphLeaf::Graphlet { k, samples: 0, seed: 0 })
}

/// The geometric random walk kernel, or the exponential one.
#[must_use]
pub fn walk(lambda: f64, kind: WalkKind, labels: WalkLabels) -> GraphExpr {
    Expr::Leaf(GraphLeaf::Walk { lambda, kind, labels })
}

/// The propagation kernel of `h` rounds with cells of some width.
#[must_use]
pub fn propagation(h: u32, width: f64) -> GraphExpr {
    Expr::Leaf(GraphLeaf::Propagation { h, width, seed: 0 })
}

const DEFAULT_WINDOW: u32 = 3;

const BASES: &[(&str, WlBase)] =
    &[("subtree", WlBase::Subtree), ("edge", WlBase::Edge), ("path", WlBase::Path)];
const KINDS: &[(&str, WalkKind)] =
    &[("geometric", WalkKind::Geometric), ("exponential", WalkKind::Exponential)];
const LABELS: &[(&str, WalkLabels)] = &[
    ("no", WalkLabels::No),
    ("nodes", WalkLabels::Nodes),
    ("edges", WalkLabels::Edges),
    ("both", WalkLabels::Both),
];
const LENGTHS: &[(&str, PathLengths)] = &[("delta", PathLengths::Delta), ("brownian", PathLengths::Brownian)];

impl Stated for GraphLeaf {
    const ALL: &'static [Self] = &[
        Self::Vertices,
        Self::Edges,
        Self::Wl { h: 5, base: WlBase::Subtree },
        Self::Path { lengths: PathLengths::Delta, c: DEFAULT_WINDOW },
        Self::Graphlet { k: 3, samples: 0, seed: 0 },
        Self::Walk { lambda: 0.01, kind: WalkKind::Geometric, labels: WalkLabels::No },
        Self::Propagation { h: 3, width: 1.0, seed: 0 },
    ];

    fn facts(&mut self) -> Facts<'_> {
        // All are inner products of counts: of parts, of marks as `path` explains, of walks with weights that are not
        // negative as `walk` does.
        let counts = |name, formula, fields| Facts {
            name,
            aliases: &[],
            variant: None,
            formula,
            remark: "",
            definiteness: Definiteness::Psd,
            fields,
        };
        match self {
            Self::Vertices => {
                counts("vertices", "Σ count(a in G) count(a in H) over labels a of nodes", vec![])
            }
            Self::Edges => {
                counts("edges", "Σ count(t in G) count(t in H) over labels t of edges and their ends", vec![])
            }
            Self::Wl { h, base } => counts(
                "wl",
                "Σ kᵦ(Gᵢ, Hᵢ) over the rounds i = 0 … h of refined labels",
                vec![
                    Field::whole("h", "h", h, 0..=MAX_ROUNDS, "must lie in 0 to 100"),
                    Field::choice("base", "kᵦ", base, BASES, PartialEq::eq),
                ],
            ),
            Self::Path { lengths, c } => counts(
                "path",
                "Σ [same labels] kₗ(d, d') over the shortest paths of G and H, of length d and d'",
                vec![
                    Field::choice("lengths", "kₗ", lengths, LENGTHS, PartialEq::eq),
                    Field::whole("c", "c", c, 1..=MAX_WINDOW, "must lie in 1 to 100"),
                ],
            ),
            Self::Graphlet { k, samples, seed } => counts(
                "graphlet",
                "Σ count(t in G) count(t in H) over the connected graphs t with k nodes",
                vec![
                    Field::whole("k", "k", k, 3..=5, "must lie in 3 to 5"),
                    Field::whole("samples", "m", samples, 0..=MAX_SAMPLES, "must lie in 0 to 1000000000"),
                    Field::whole("seed", "seed", seed, 0..=u32::MAX, "must lie in 0 to 4294967295"),
                ],
            ),
            Self::Walk { lambda, kind, labels } => counts(
                "walk",
                "Σ λˡ (common walks of length l), or Σ λˡ/l! (…)",
                vec![
                    Field::scale("lambda", "λ", lambda),
                    Field::choice("kind", "", kind, KINDS, PartialEq::eq),
                    Field::choice("labels", "", labels, LABELS, PartialEq::eq),
                ],
            ),
            Self::Propagation { h, width, seed } => counts(
                "propagation",
                "Σ count(f in G) count(f in H) over labels and cells f of attributes spread 0 … h times",
                vec![
                    Field::whole("h", "h", h, 0..=MAX_ROUNDS, "must lie in 0 to 100"),
                    Field::scale("width", "w", width),
                    Field::whole("seed", "seed", seed, 0..=u32::MAX, "must lie in 0 to 4294967295"),
                ],
            ),
        }
    }
}

impl fmt::Display for GraphLeaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        facts::write(self, f)
    }
}

/// Calls `$work` with the explicit features of a leaf, `$walks_work` with random walks.
macro_rules! with_features {
    ($leaf:expr, $features:ident => $work:expr, $walks:ident => $walks_work:expr) => {
        match *$leaf {
            GraphLeaf::Walk { lambda, kind, labels } => {
                let $walks = Walks { lambda, kind, labels };
                $walks_work
            }
            GraphLeaf::Graphlet { k, samples, seed } => {
                let $features = Counts(Graphlets { size: k, samples, seed });
                $work
            }
            GraphLeaf::Propagation { h, width, seed } => {
                let $features = Counts(Cells { rounds: h, width, seed });
                $work
            }
            GraphLeaf::Vertices => {
                let $features = Counts(Refined { rounds: 0, base: WlBase::Subtree });
                $work
            }
            GraphLeaf::Edges => {
                let $features = Counts(LabelledEdges);
                $work
            }
            GraphLeaf::Wl { h, base } => {
                let $features = Counts(Refined { rounds: h, base });
                $work
            }
            GraphLeaf::Path { lengths, c } => {
                let $features = Counts(Paths { marks: if lengths == PathLengths::Delta { 1 } else { c } });
                $work
            }
        }
    };
}

impl Leaf for GraphLeaf {
    type Points = Vec<Graph>;

    fn list() -> Vec<Listed> {
        facts::list::<Self>()
    }

    fn parse(call: &Call<'_>) -> Option<Result<Self>> {
        facts::parse(call)
    }

    fn check(&self) -> Result<()> {
        facts::check(self)
    }

    fn definiteness(&self) -> Definiteness {
        if self.check().is_ok() { self.clone().facts().definiteness } else { Definiteness::Unknown }
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Slot<'_>)) {
        facts::visit(self, visit);
    }

    fn bind(&self, columns: &Vec<Graph>) -> Result<Box<dyn Bound<Vec<Graph>>>> {
        with_features!(self, of => features::bind(of, columns), walks => walks.bind(columns))
    }

    fn diagonal(&self, points: &Vec<Graph>, rows: &[usize]) -> Vec<f64> {
        with_features!(self, of => features::squares(&of, points, rows), walks => walks.diagonal(points, rows))
    }
}
