//! Random walks.
//!
//! A walk that both graphs have in common is a walk in their product graph, whose nodes are the pairs of a node of each (with the
//! same label, where labels count) and whose edges are the pairs of edges (likewise). With W its adjacency matrix,
//!
//! $k(G, H) = Σ_l λ^l · 1ᵀW^l1 = 1ᵀ(I − λW)⁻¹1$ (`geometric`), $Σ_l \frac{λ^l}{l!} 1ᵀW^l1 = 1ᵀ\exp(λW)1$ (`exponential`):
//! common walks of all lengths, those of length l weighted by $λ^l$ or $λ^l/l!$, from any node to any other.
//!
//! The kernel is positive semi-definite: $1ᵀW^l1$ adds up, over all sequences of l + 1 labels (and l of edges), the number of such walks in
//! G times the number in H, an inner product of counts, and the weights are not negative.
//!
//! **Which λ.** The geometric series has a sum where λρ(W) < 1, and ρ(W) ≤ ρ(G)·ρ(H), the largest eigenvalues of both, each at most the
//! largest degree. A column with $λ ρ(G)² ≥ 1$ is refused with its number and limit; all pairs of others have a sum. The
//! values of a later graph with λ·ρ·ρ' ≥ 1 are +∞, the sum of a series that grows, and a prediction from them is refused with the number of the row.
//! The exponential series always has a sum. λ far below the limit leaves little but the numbers of nodes and edges (halting).
//!
//! **Without labels** W = A ⊗ A' and one eigendecomposition a graph does, A = UDUᵀ with weights $w = (Uᵀ1)²$:
//! $k = Σ_{ij} w_i w'_j /(1 − λ d_i d'_j)$ or $Σ_{ij} w_i w'_j \exp(λ d_i d'_j)$. O(n³) a graph with n nodes that have neighbours,
//! and 32n² bytes, which are refused where they are not there; O(nn') a pair. Eigenvalues whose vectors have no sum are left out.
//!
//! **With labels** $W \operatorname{vec}(X) = \operatorname{vec}(M ∘ Σ_e A_e X A'_e)$, M the pairs of nodes with one label, A_e the edges with label e: no product graph is
//! stored, and a step costs O(mn' + m'n). The geometric sum is found by conjugate gradients: with $(I − λW)x = 1$ the
//! error of $1ᵀx$ is $rᵀ(I − λW)⁻¹r ≤ ‖r‖²/(1 − λρρ')$ for the residual r, the square of what the solution has, so that few steps
//! are enough. The exponential sum is the series, two terms for a step, as $1ᵀW^{a+b}1 = (W^a1)ᵀ(W^b1)$.
//!
//! S. V. N. Vishwanathan, N. N. Schraudolph, R. Kondor, K. M. Borgwardt (2010): Graph kernels. T. Gärtner, P. Flach, S. Wrobel (2003): On
//! graph kernels, hardness results and efficient alternatives.

use rayon::prelude::*;

use super::product_graph::{Labelled, Steps};
use super::vocabulary::{Beyond, Vocabulary};
use crate::data::{Graph, Real};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::kernel::Bound;
use crate::linalg::Eigen;
use crate::memory::{obtainable, room};

/// How walks of different lengths are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WalkKind {
    /// λˡ
    Geometric,
    /// λˡ/l!
    Exponential,
}

/// Which labels must agree along a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WalkLabels {
    /// None.
    No,
    /// Those of nodes.
    Nodes,
    /// Those of edges.
    Edges,
    /// Those of nodes and edges.
    Both,
}

/// A random walk kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walks {
    pub(super) lambda: f64,
    pub(super) kind: WalkKind,
    pub(super) labels: WalkLabels,
}

/// A graph with all that its walks are counted from.
struct Prepared {
    /// ρ, the largest eigenvalue.
    radius: f64,
    form: Form,
}

enum Form {
    /// Eigenvalues and the squared sums of their eigenvectors.
    Spectrum(Vec<(f64, f64)>),
    Labelled(Labelled),
}

/// Part of the sum of weights below which an eigenvalue counts for nothing: the weights are right to some 1e-16 of it.
const NO_WEIGHT: f64 = 1e-15;

/// Entries per task.
const PANEL: usize = 16;

/// Bytes for each pair of nodes: the matrix of an eigendecomposition, its vectors and room to work in; vectors over the pairs of
/// nodes of two labelled graphs take less.
const PER_PAIR: u64 = 4 * 8;

/// Bytes that are taken without asking whether there are so many.
const LITTLE: u64 = 64 << 20;

/// The nodes that have neighbours: any other is by itself an eigenvector of 0.
fn joined_nodes(graph: &Graph) -> Vec<usize> {
    (0..graph.nodes()).filter(|&node| !graph.neighbours(node).is_empty()).collect()
}

impl Walks {
    /// Refuses the graph number `at`, from 0, if there is no memory to count its walks. None of it is taken.
    fn check_room(&self, at: usize, graph: &Graph, joined: usize) -> Result<()> {
        let side = if self.labels == WalkLabels::No { joined } else { graph.nodes() } as u64;
        let needed = side.saturating_mul(side).saturating_mul(PER_PAIR);
        if needed <= LITTLE {
            return Ok(());
        }
        let checked = room("", needed, None, "").and_then(|()| obtainable("", needed, ""));
        checked.map_err(|error| match *error.kind() {
            ErrorKind::Memory { needed, budget, .. } => {
                ErrorKind::Data(DataProblem::GraphTooLarge { row: at + 1, needed, budget }).into()
            }
            _ => error,
        })
    }

    /// Prepares the graph number `at`, from 0.
    fn prepare(
        &self,
        at: usize,
        graph: &Graph,
        known: &mut impl super::vocabulary::Numbers,
    ) -> Result<Prepared> {
        let nodes = joined_nodes(graph);
        let n = nodes.len();
        self.check_room(at, graph, n)?;
        let mut form = match self.labels {
            WalkLabels::No => Form::Spectrum(Vec::new()),
            labels => Form::Labelled(Labelled::new(graph, labels, known)),
        };
        let joined =
            |i: usize, j: usize| graph.neighbours(nodes[i]).binary_search(&(nodes[j] as u32)).is_ok();
        let eigen = (n > 0).then(|| Eigen::new(n, |i, j| f64::from(u8::from(joined(i, j)))));
        let eigen = eigen.map(|found| found.expect("the eigenvalues of a finite matrix are found"));
        let radius = eigen.as_ref().and_then(|eigen| eigen.values.last().copied()).unwrap_or(0.0).max(0.0);
        if let Form::Spectrum(spectrum) = &mut form {
            if let Some(eigen) = &eigen {
                let weight = |i: usize| eigen.column(i).iter().sum::<f64>().powi(2);
                let all = eigen.values.iter().enumerate().map(|(i, &value)| (value, weight(i)));
                spectrum.extend(all.filter(|(_, weight)| *weight > NO_WEIGHT * n as f64));
            }
            if n < graph.nodes() {
                spectrum.push((0.0, (graph.nodes() - n) as f64));
            }
        }
        Ok(Prepared { radius, form })
    }

    /// k of two graphs, with room for the steps.
    fn value(&self, x: &Prepared, y: &Prepared, steps: &mut Steps) -> f64 {
        let lambda = self.lambda;
        // Rounding of the eigenvalues must not let a series through that has no sum.
        let room = 1.0 - lambda * x.radius * y.radius;
        let diverges = self.kind == WalkKind::Geometric && room <= f64::EPSILON * 8.0;
        match (&x.form, &y.form) {
            _ if diverges => f64::INFINITY,
            (Form::Spectrum(x), Form::Spectrum(y)) => {
                let term = |product: f64| match self.kind {
                    WalkKind::Geometric => 1.0 / (1.0 - lambda * product),
                    WalkKind::Exponential => (lambda * product).exp(),
                };
                let inner = |d: f64| y.iter().map(|&(e, weight)| weight * term(d * e)).sum::<f64>();
                x.iter().map(|&(d, weight)| weight * inner(d)).sum()
            }
            (Form::Labelled(x), Form::Labelled(y)) => {
                steps.pair(x, y);
                match self.kind {
                    WalkKind::Geometric => steps.geometric(x, y, lambda, room),
                    WalkKind::Exponential => steps.exponential(x, y, lambda),
                }
            }
            _ => unreachable!("graphs are prepared for the same labels"),
        }
    }

    fn check(&self, at: usize, graph: &Prepared) -> Result<()> {
        let (lambda, limit) = (self.lambda, graph.radius.powi(2).recip());
        if self.kind == WalkKind::Geometric && lambda * (1.0 + 8.0 * f64::EPSILON) >= limit {
            return Err(ErrorKind::Data(DataProblem::WalksDiverge { row: at + 1, lambda, limit }).into());
        }
        Ok(())
    }

    /// k(x, x) of `points[rows]`.
    pub(super) fn diagonal(&self, points: &[Graph], rows: &[usize]) -> Vec<f64> {
        let own = |steps: &mut Steps, &i: &usize| {
            let graph = self.prepare(i, &points[i], &mut Vocabulary::default());
            graph.map_or(f64::NAN, |graph| self.value(&graph, &graph, steps))
        };
        rows.par_iter().map_init(Steps::default, own).collect()
    }

    /// Binds the kernel to columns.
    pub(super) fn bind(self, columns: &[Graph]) -> Result<Box<dyn Bound<Vec<Graph>>>> {
        let mut known = Vocabulary::default();
        let prepare = |(at, graph)| self.prepare(at, graph, &mut known);
        let prepared: Vec<Prepared> = columns.iter().enumerate().map(prepare).collect::<Result<_>>()?;
        let known = known.checked()?;
        prepared.iter().enumerate().try_for_each(|(at, graph)| self.check(at, graph))?;
        let own = |steps: &mut Steps, graph: &Prepared| self.value(graph, graph, steps);
        let diagonal = prepared.par_iter().map_init(Steps::default, own).collect();
        let diagonal = crate::kernel::tree::finite(diagonal)?;
        Ok(Box::new(BoundWalks { walks: self, columns: columns.to_vec(), prepared, known, diagonal }))
    }
}

struct BoundWalks {
    walks: Walks,
    columns: Vec<Graph>,
    prepared: Vec<Prepared>,
    known: Vocabulary,
    diagonal: Vec<f64>,
}

impl BoundWalks {
    /// An entry depends on its two graphs only, so that no cut into tasks changes its bits. NaN for a graph that is too large.
    fn fill<T: Real>(&self, points: &[Graph], rows: &[usize], out: &mut [&mut [T]]) {
        out.par_iter_mut().zip(rows).for_each(|(row, &i)| {
            let is_column = self.columns.get(i).is_some_and(|column| *column == points[i]);
            let found =
                (!is_column).then(|| self.walks.prepare(i, &points[i], &mut Beyond::new(&self.known)));
            let x = match &found {
                None => &self.prepared[i],
                Some(Ok(found)) => found,
                Some(Err(_)) => return row.fill(T::from_f64(f64::NAN)),
            };
            row.par_chunks_mut(PANEL).zip(self.prepared.par_chunks(PANEL)).for_each_init(
                Steps::default,
                |steps, (entries, columns)| {
                    for (entry, y) in entries.iter_mut().zip(columns) {
                        *entry = T::from_f64(self.walks.value(x, y, steps));
                    }
                },
            );
        });
    }
}

impl Bound<Vec<Graph>> for BoundWalks {
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn diagonal(&self) -> Vec<f64> {
        self.diagonal.clone()
    }

    fn admits(&self, points: &Vec<Graph>) -> Result<()> {
        let check = |(at, graph)| self.walks.check_room(at, graph, joined_nodes(graph).len());
        points.iter().enumerate().try_for_each(check)
    }

    fn own(&self, points: &Vec<Graph>, rows: &[usize]) -> Option<Vec<f64>> {
        let column = |&i: &usize| self.columns.get(i).is_some_and(|column| *column == points[i]);
        rows.iter().all(column).then(|| rows.iter().map(|&i| self.diagonal[i]).collect())
    }

    fn rows(&self, points: &Vec<Graph>, rows: &[usize], out: &mut [&mut [f32]]) {
        self.fill(points, rows, out);
    }

    fn rows_f64(&self, points: &Vec<Graph>, rows: &[usize], out: &mut [&mut [f64]]) {
        self.fill(points, rows, out);
    }
}
